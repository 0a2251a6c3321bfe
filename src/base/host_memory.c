// SPDX-License-Identifier: MIT
#include "base/host_memory.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_BYTES = 512
};

static FILE *open_below(const char *root, const char *path)
{
    char whole[PATH_BYTES];
    int length = snprintf(whole, sizeof whole, "%s%s", root ? root : "", path);
    return length > 0 && length < PATH_BYTES ? fopen(whole, "r") : NULL;
}

static uint64_t meminfo_available(const char *root)
{
    static const char name[] = "MemAvailable:";
    char line[128];
    unsigned long long kib = 0;
    FILE *file = open_below(root, "/proc/meminfo");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        if (text_begins(line, name))
            kib = strtoull(line + strlen(name), NULL, 10);
    fclose(file);
    return kib * 1024;
}

// False where the file is not there or says "max".
static bool group_number(const char *root, const char *path, uint64_t *bytes)
{
    char line[64] = "";
    FILE *file = open_below(root, path);
    if (!file)
        return false;
    bool read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return read && text_parse_uint(line, bytes);
}

uint64_t host_memory_available_bytes(const char *root)
{
    uint64_t available = meminfo_available(root), most = 0, used = 0;
    if (!group_number(root, "/sys/fs/cgroup/memory.max", &most) ||
        !group_number(root, "/sys/fs/cgroup/memory.current", &used))
        return available;
    uint64_t left = most > used ? most - used : 0;
    return available && available < left ? available : left;
}
