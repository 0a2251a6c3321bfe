// SPDX-License-Identifier: MIT
#include "base/host_memory.h"

#include "base/text.h"

#include <stdlib.h>

// Returns the number after `key` in the file root/path; 0 if there is no such number.
static uint64_t number_in(const char *root, const char *path, const char *key)
{
    char number[32];
    return text_read_field(number, sizeof number, key, "%s%s", root, path)
               ? strtoull(number, NULL, 10)
               : 0;
}

// Returns the number of bytes that the control group with these files has left; UINT64_MAX if it
// has no limit.
static uint64_t left_in_group(const char *root, const char *limit, const char *usage,
                              const char *statistics, const char *inactive)
{
    char line[64];
    uint64_t most = 0, used = 0;
    // If the control group has no limit, memory.max contains the word "max", which is not a number.
    if (!text_read_line(line, sizeof line, "%s%s", root, limit) || !text_parse_uint(line, &most) ||
        !text_read_line(line, sizeof line, "%s%s", root, usage) || !text_parse_uint(line, &used))
        return UINT64_MAX;
    // The usage includes cached pages of files. The kernel frees inactive cached pages before it
    // kills a process.
    uint64_t cached = number_in(root, statistics, inactive);
    used = used > cached ? used - cached : 0;
    return most > used ? most - used : 0;
}

uint64_t host_memory_available_bytes(const char *root)
{
    root = root ? root : "";
    uint64_t available = number_in(root, "/proc/meminfo", "MemAvailable:") * 1024;
    uint64_t left =
        left_in_group(root, "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current",
                      "/sys/fs/cgroup/memory.stat", "inactive_file");
    if (left == UINT64_MAX)
        left = left_in_group(root, "/sys/fs/cgroup/memory/memory.limit_in_bytes",
                             "/sys/fs/cgroup/memory/memory.usage_in_bytes",
                             "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file");
    if (left == UINT64_MAX)
        return available;
    return available && available < left ? available : left;
}
