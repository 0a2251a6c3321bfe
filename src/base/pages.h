// SPDX-License-Identifier: MIT
// Large memory from the operating system, in the largest pages that it gives: what is read and
// written all over it then waits for the data only, not for its place in the page tables.
#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

enum {
    PAGES_ALIGN = 1 << 21
};

// Zeroed, aligned to PAGES_ALIGN; pages that nobody touches cost nothing. NULL where there is none.
void *pages_alloc(size_t bytes);

// The same for what is touched here and there: in pages of the usual size.
void *pages_alloc_sparse(size_t bytes);

// `bytes` as they were asked for. NULL is legal.
void pages_free(void *memory, size_t bytes);

#endif
