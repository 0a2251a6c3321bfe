// SPDX-License-Identifier: MIT
#include "base/host_memory.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_BYTES = 512
};

static uint64_t meminfo_available(const char *root)
{
    static const char name[] = "MemAvailable:";
    char line[128];
    unsigned long long kib = 0;
    char path[PATH_BYTES];
    int length = snprintf(path, sizeof path, "%s/proc/meminfo", root);
    FILE *file = length > 0 && length < PATH_BYTES ? fopen(path, "r") : NULL;
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        if (text_begins(line, name))
            kib = strtoull(line + strlen(name), NULL, 10);
    fclose(file);
    return kib * 1024;
}

uint64_t host_memory_available_bytes(const char *root)
{
    char line[64];
    uint64_t most = 0, used = 0;
    root = root ? root : "";
    uint64_t available = meminfo_available(root);
    // If the control group has no limit, memory.max contains the word "max", which is not a number.
    if (!text_read_line(line, sizeof line, "%s/sys/fs/cgroup/memory.max", root) ||
        !text_parse_uint(line, &most) ||
        !text_read_line(line, sizeof line, "%s/sys/fs/cgroup/memory.current", root) ||
        !text_parse_uint(line, &used))
        return available;
    uint64_t left = most > used ? most - used : 0;
    return available && available < left ? available : left;
}
