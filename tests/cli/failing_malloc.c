// SPDX-License-Identifier: MIT
// A library to preload: request number FAILING_MALLOC for memory, of each process, fails; the
// others go to the next malloc, which may be a sanitizer's. With COUNTED_MALLOCS, the number of
// requests is written to that file when the process ends. Requests of pthread_getattr_np, by which
// a sanitizer finds a thread's stack, are neither counted nor refused: the sanitizer would end the
// process.
#define _GNU_SOURCE // RTLD_NEXT, pthread_getattr_np
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static atomic_long requests;
static long refused;

// The next definitions in the order of the linker. They are looked up once, because a look-up takes
// more stack than a coroutine has.
static struct {
    void *(*malloc)(size_t bytes);
    void *(*calloc)(size_t count, size_t bytes);
    void *(*realloc)(void *memory, size_t bytes);
    void (*end)(int status);
    int (*get_attributes)(pthread_t thread, pthread_attr_t *attributes);
} next;

// Memory is asked for before the constructor below.
static void look_up(void)
{
    if (next.end)
        return;
    next.malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    next.calloc = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
    next.realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
    next.get_attributes =
        (int (*)(pthread_t, pthread_attr_t *))dlsym(RTLD_NEXT, "pthread_getattr_np");
    next.end = (void (*)(int))dlsym(RTLD_NEXT, "_exit");
}

__attribute__((constructor)) static void begin(void)
{
    const char *number = getenv("FAILING_MALLOC");
    look_up();
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

// fathom ends this way where drivers live in its own process.
_Noreturn void _Exit(int status)
{
    end();
    next.end(status);
    __builtin_unreachable();
}

static _Thread_local bool asks_for_stack;

int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    look_up();
    asks_for_stack = true;
    int status = next.get_attributes(thread, attributes);
    asks_for_stack = false;
    return status;
}

static bool fails(void)
{
    look_up();
    if (asks_for_stack || atomic_fetch_add(&requests, 1) + 1 != refused)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes)
{
    return fails() ? NULL : next.malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails() ? NULL : next.calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return fails() ? NULL : next.realloc(memory, bytes);
}
