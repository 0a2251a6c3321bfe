// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>

enum {
    // Sizes are rounded up to a multiple of this number of bytes. The number is a multiple of a
    // small page (4, 16 or 64 KiB).
    SMALL_PAGE = 1 << 16
};

static size_t whole_pages(size_t bytes)
{
    return (bytes + SMALL_PAGE - 1) / SMALL_PAGE * SMALL_PAGE;
}

void *pages_alloc_sparse(size_t bytes)
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
    return memory + before;
}

void *pages_alloc(size_t bytes)
{
    void *memory = pages_alloc_sparse(bytes);
    if (memory)
        madvise(memory, whole_pages(bytes),
                // the system may refuse huge pages; the memory then has small pages
                MADV_HUGEPAGE);
    return memory;
}

void pages_free(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, whole_pages(bytes));
}
