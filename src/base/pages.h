// SPDX-License-Identifier: MIT
// Large memory from the operating system, in the largest pages that it gives. Accesses all over
// such memory then wait for the data and not for the page tables.
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

enum {
    PAGES_ALIGN = 1 << 21
};

// Returns zeroed memory aligned to PAGES_ALIGN. Pages that are not touched cost nothing. NULL if
// the system has no memory for it.
void *pages_alloc(size_t bytes);

// The same in pages of the usual size, for memory that is only touched in some places.
void *pages_alloc_sparse(size_t bytes);

// Frees the memory. `bytes` is the size that was asked for. NULL is legal.
void pages_free(void *memory, size_t bytes);

#endif
