// SPDX-License-Identifier: MIT
// Reports how much memory the host has left, for benchmarks that use much host memory.
#ifndef BASE_HOST_MEMORY_H
#define BASE_HOST_MEMORY_H

#include <stdint.h>

// Returns the bytes that a program can still use without swapping and without being killed by its
// container: MemAvailable of /proc/meminfo or what is left of the control group's limit (memory.max
// − memory.current, cgroup v2), whichever is smaller. Returns 0 if unknown. `root` is put before
// the paths of these files; NULL means "".
uint64_t host_memory_available_bytes(const char *root);

#endif
