// SPDX-License-Identifier: MIT
// Reports how much memory the host has left, for benchmarks that use much host memory.
#ifndef BASE_HOST_MEMORY_H
#define BASE_HOST_MEMORY_H

#include <stdint.h>

// Returns how many bytes a program can still allocate without swapping and without being killed by
// its container. The result is the smaller of two numbers: MemAvailable of /proc/meminfo, and what
// the control group (cgroup v2) has left. The group has left memory.max − memory.current, plus the
// cached file pages that the kernel can free (inactive_file of memory.stat). Returns 0 if neither
// is known. `root` is put before the paths; NULL means "".
uint64_t host_memory_available_bytes(const char *root);

#endif
