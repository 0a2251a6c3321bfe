// SPDX-License-Identifier: MIT
// Memory of the host: how much is left, for benchmarks that fill large parts of it, and large
// allocations from the operating system.
#ifndef BASE_HOST_MEMORY_H
#define BASE_HOST_MEMORY_H

#include <stddef.h>
#include <stdint.h>

// Bytes that a program may still take without the system swapping or a container ending it: the
// kernel's MemAvailable (/proc/meminfo), or what the control group leaves (memory.max less
// memory.current, cgroup v2) where that is less. 0 = not known. `root` stands before both paths;
// NULL = "".
uint64_t host_memory_available_bytes(const char *root);

enum {
    PAGES_ALIGN = 1 << 21
};

// Returns zeroed memory, aligned to PAGES_ALIGN, in the largest pages that the system gives, so
// that accesses all over it seldom wait for the page tables. Pages that nobody touches cost
// nothing. NULL if the system has no memory for it.
void *pages_alloc(size_t bytes);

// As pages_alloc, in pages of the usual size: for memory of which only a small part is touched.
void *pages_alloc_sparse(size_t bytes);

// Frees the memory; `bytes` is the size that was asked for. NULL is legal.
void pages_free(void *memory, size_t bytes);

#endif
