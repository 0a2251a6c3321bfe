// SPDX-License-Identifier: MIT
// Allocates large memory from the operating system, in huge pages if the system gives them.
// Scattered accesses then wait for the data and not for the page tables.
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

enum {
    PAGES_ALIGN = 1 << 21
};

// Returns zeroed memory aligned to PAGES_ALIGN. Pages that are never touched take no memory.
// Returns NULL if the system has no memory for it.
void *pages_alloc(size_t bytes);

// Like pages_alloc, but in pages of the usual size. For memory that is mostly never touched.
void *pages_alloc_sparse(size_t bytes);

// Frees the memory. `bytes` is the size that was passed to the allocation. Accepts NULL.
void pages_free(void *memory, size_t bytes);

#endif
