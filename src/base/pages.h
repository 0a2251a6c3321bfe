// SPDX-License-Identifier: MIT
// Allocates large memory from the operating system, in the largest pages that it gives. Scattered
// accesses to such memory then wait for the data, not for the page tables.
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

enum {
    PAGES_ALIGN = 1 << 21
};

// Returns zeroed memory aligned to PAGES_ALIGN. Pages that are never touched take no memory.
// Returns NULL if the system has no memory for it.
void *pages_alloc(size_t bytes);

// Like pages_alloc, but in pages of the usual size, for memory of which only a few places are
// touched.
void *pages_alloc_sparse(size_t bytes);

// Frees the memory. `bytes` is the size that was passed to the allocation. Accepts NULL.
void pages_free(void *memory, size_t bytes);

#endif
