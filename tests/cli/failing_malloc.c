// SPDX-License-Identifier: MIT
// A library to preload: request number FAILING_MALLOC for memory, of each process, fails. With
// COUNTED_MALLOCS, the number of requests is written to that file when the process ends.
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);

static atomic_long requests;
static long refused;

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("FAILING_MALLOC");
    refused = number ? atol(number) : 0;
    atomic_store(&requests, 0);
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("COUNTED_MALLOCS");
    long count = atomic_load(&requests);
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file)
        return;
    fprintf(file, "%ld\n", count);
    fclose(file);
}

static int fails(void)
{
    if (atomic_fetch_add(&requests, 1) + 1 != refused)
        return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : __libc_realloc(memory, bytes);
}
