// SPDX-License-Identifier: MIT
// Reports how much memory the host has left, for benchmarks that use much host memory.
#ifndef BASE_HOST_MEMORY_H
#define BASE_HOST_MEMORY_H

#include <stdint.h>

// Returns how many bytes a program can still allocate without swapping and without being killed by
// its container. This number is MemAvailable of /proc/meminfo. If the control group (cgroup v2) has
// less memory left, the number is memory.max − memory.current of the group, plus the cached pages
// of files that the kernel can give back (inactive_file of memory.stat). Returns 0 if the number is
// not known. `root` is put before the paths of these files; NULL means "".
uint64_t host_memory_available_bytes(const char *root);

#endif
