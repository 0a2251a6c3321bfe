// SPDX-License-Identifier: MIT
// Allocates large memory from the operating system, in huge pages if the system gives them. With
// huge pages, scattered accesses wait for the data and not for page table walks.
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

enum {
    PAGES_ALIGN = 1 << 21
};

// Returns zeroed memory aligned to PAGES_ALIGN, in huge pages if the system has them. Pages that
// are never touched take no memory. Returns NULL if the system has no memory.
void *pages_alloc(size_t bytes);

// Like pages_alloc, but does not ask for huge pages. Use it for large memory of which only a few
// bytes here and there are touched: huge pages would take more memory.
void *pages_alloc_sparse(size_t bytes);

// Frees the memory. `bytes` is the size that was passed to the allocation. Accepts NULL.
void pages_free(void *memory, size_t bytes);

#endif
