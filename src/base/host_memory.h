// SPDX-License-Identifier: MIT
// How much memory the host has left: for benchmarks that fill large parts of it.
#ifndef BASE_HOST_MEMORY_H
#define BASE_HOST_MEMORY_H

#include <stdint.h>

// Bytes that a program may still take without the system swapping or a container ending it: the
// kernel's MemAvailable (/proc/meminfo), or what the control group leaves (memory.max less
// memory.current, cgroup v2) where that is less. 0 = not known. `root` stands before both paths;
// NULL = "".
uint64_t host_memory_available_bytes(const char *root);

#endif
