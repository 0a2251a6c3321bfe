// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>

enum {
    SMALL_PAGE = 1 << 16 // a multiple of any system's smallest
};

void *pages_alloc(size_t bytes)
{
    bytes = (bytes + SMALL_PAGE - 1) / SMALL_PAGE * SMALL_PAGE;
    size_t room = bytes + PAGES_ALIGN;
    char *memory = mmap(NULL, room, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    size_t before = PAGES_ALIGN - (uintptr_t)memory % PAGES_ALIGN;
    if (before > 0)
        munmap(memory, before);
    if (before < PAGES_ALIGN)
        munmap(memory + before + bytes, PAGES_ALIGN - before);
    madvise(memory + before, bytes, MADV_HUGEPAGE); // where refused, pages are small
    return memory + before;
}

void pages_free(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}
