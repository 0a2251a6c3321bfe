// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>

enum {
    // Sizes are rounded up to a multiple of this size, which is whole small pages (4, 16 or 64
    // KiB).
    SMALL_PAGE = 1 << 16
};

static size_t whole_pages(size_t bytes)
{
    return (bytes + SMALL_PAGE - 1) / SMALL_PAGE * SMALL_PAGE;
}

// Returns whole_pages(bytes) zeroed bytes at a multiple of PAGES_ALIGN; NULL if memory is lacking.
static void *alloc(size_t bytes, int advice)
{
    bytes = whole_pages(bytes);
    size_t room = bytes + PAGES_ALIGN;
    char *memory = mmap(NULL, room, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    size_t before = PAGES_ALIGN - (uintptr_t)memory % PAGES_ALIGN;
    munmap(memory, before);
    if (before < PAGES_ALIGN)
        munmap(memory + before + bytes, PAGES_ALIGN - before);
    // a system without huge pages refuses the advice; the memory then has small pages
    (void)madvise(memory + before, bytes, advice);
    return memory + before;
}

void *pages_alloc(size_t bytes)
{
    return alloc(bytes, MADV_HUGEPAGE);
}

void *pages_alloc_sparse(size_t bytes)
{
    return alloc(bytes, MADV_NOHUGEPAGE);
}

void pages_free(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, whole_pages(bytes));
}
