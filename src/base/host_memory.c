// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "base/host_memory.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    PATH_BYTES = 512,
    SMALL_PAGE = 1 << 16 // a multiple of any system's smallest
};

static uint64_t meminfo_available(const char *root)
{
    static const char name[] = "MemAvailable:";
    char line[128];
    unsigned long long kib = 0;
    char path[PATH_BYTES];
    int length = snprintf(path, sizeof path, "%s/proc/meminfo", root);
    FILE *file = length > 0 && length < PATH_BYTES ? fopen(path, "r") : NULL;
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        if (text_begins(line, name))
            kib = strtoull(line + strlen(name), NULL, 10);
    fclose(file);
    return kib * 1024;
}

uint64_t host_memory_available_bytes(const char *root)
{
    char line[64];
    uint64_t most = 0, used = 0;
    root = root ? root : "";
    uint64_t available = meminfo_available(root);
    // memory.max says "max" where the control group has no limit.
    if (!text_read_line(line, sizeof line, "%s/sys/fs/cgroup/memory.max", root) ||
        !text_parse_uint(line, &most) ||
        !text_read_line(line, sizeof line, "%s/sys/fs/cgroup/memory.current", root) ||
        !text_parse_uint(line, &used))
        return available;
    uint64_t left = most > used ? most - used : 0;
    return available && available < left ? available : left;
}

// ---------------------------------------------------------------- allocating

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
    if (before > 0)
        munmap(memory, before);
    if (before < PAGES_ALIGN)
        munmap(memory + before + bytes, PAGES_ALIGN - before);
    return memory + before;
}

void *pages_alloc(size_t bytes)
{
    void *memory = pages_alloc_sparse(bytes);
    if (memory)
        madvise(memory, whole_pages(bytes), MADV_HUGEPAGE); // where refused, pages are small
    return memory;
}

void pages_free(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, whole_pages(bytes));
}
