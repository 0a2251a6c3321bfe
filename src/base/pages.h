// SPDX-License-Identifier: MIT
// Allocates large memory from the operating system, in huge pages if the system provides them. With
// huge pages, scattered accesses wait only for the data, not also for page table walks.
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

enum {
    PAGES_ALIGN = 1 << 21
};

// Returns zeroed memory aligned to PAGES_ALIGN, in huge pages if the system provides them. A page
// takes memory only once it is touched. Returns NULL if the system has no memory.
void *pages_alloc(size_t bytes);

// Allocates like pages_alloc, but without huge pages. Use this function for large memory of which
// only a few scattered bytes are touched: huge pages would then take more memory.
void *pages_alloc_sparse(size_t bytes);

// Frees memory of pages_alloc or pages_alloc_sparse. `bytes` is the size that was passed to that
// function. `memory` may be NULL.
void pages_free(void *memory, size_t bytes);

#endif
