// SPDX-License-Identifier: MIT
// Reports how much memory the host has left, for benchmarks that use much host memory.
#ifndef BASE_HOST_MEMORY_H
#define BASE_HOST_MEMORY_H

#include <stdint.h>

// Returns the number of bytes that a program can still allocate without swapping and without being
// killed by its container; 0 if not known. This is the smaller of MemAvailable (/proc/meminfo) and
// the bytes left in the control group (cgroup v2, else v1). The bytes left are its limit, minus its
// usage, plus inactive_file, the cached pages that the kernel can free. `root` is put before the
// paths; NULL means "".
uint64_t host_memory_available_bytes(const char *root);

#endif
