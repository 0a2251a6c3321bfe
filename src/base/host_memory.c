// SPDX-License-Identifier: MIT
#include "base/host_memory.h"

#include "base/text.h"

#include <stdlib.h>

// Returns the number after `key` in the file root/path; 0 if there is none.
static uint64_t number_in(const char *root, const char *path, const char *key)
{
    char number[32];
    return text_read_field(number, sizeof number, key, "%s%s", root, path)
               ? strtoull(number, NULL, 10)
               : 0;
}

uint64_t host_memory_available_bytes(const char *root)
{
    char line[64];
    uint64_t most = 0, used = 0;
    root = root ? root : "";
    uint64_t available = number_in(root, "/proc/meminfo", "MemAvailable:") * 1024;
    // If the control group has no limit, memory.max contains the word "max", which is not a number.
    if (!text_read_line(line, sizeof line, "%s/sys/fs/cgroup/memory.max", root) ||
        !text_parse_uint(line, &most) ||
        !text_read_line(line, sizeof line, "%s/sys/fs/cgroup/memory.current", root) ||
        !text_parse_uint(line, &used))
        return available;
    // memory.current includes cached pages of files. The kernel frees inactive ones before a kill.
    uint64_t cached = number_in(root, "/sys/fs/cgroup/memory.stat", "inactive_file");
    used = used > cached ? used - cached : 0;
    uint64_t left = most > used ? most - used : 0;
    return available && available < left ? available : left;
}
