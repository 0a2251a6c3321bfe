// SPDX-License-Identifier: MIT
#include "base/host_memory.h"

#include "base/text.h"

#include <stdlib.h>

static uint64_t meminfo_available(const char *root)
{
    char kib[32];
    return text_read_field(kib, sizeof kib, "MemAvailable:", "%s/proc/meminfo", root)
               ? strtoull(kib, NULL, 10) * 1024
               : 0;
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
