// SPDX-License-Identifier: MIT
// A library to preload. In each process, memory request number FAILING_MALLOC fails; the others go
// to the next malloc, which may be a sanitizer's. With COUNTED_MALLOCS, the number of requests is
// written to that file when the process ends. With PLACES_OF_MALLOCS, each process appends to that
// file the number of each request whose chain of callers is new. Requests of pthread_getattr_np are
// neither counted nor refused: a sanitizer finds a thread's stack through it, and would end the
// process.
#define _GNU_SOURCE // for RTLD_NEXT and pthread_getattr_np
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <unwind.h>

enum {
    PLACES = 1 << 16, // far more places than a command has
};

static atomic_long requests;
static long refused;
static int places_file = -1;
static _Atomic uint64_t places[PLACES]; // hashes of chains of callers; 0: free

// The next definitions of these functions in the linker's order. They are looked up once, because a
// look-up takes more stack than a coroutine has.
static struct {
    void *(*malloc)(size_t bytes);
    void *(*calloc)(size_t count, size_t bytes);
    void *(*realloc)(void *memory, size_t bytes);
    void (*end)(int status);
    int (*get_attributes)(pthread_t thread, pthread_attr_t *attributes);
} next;

// May run before the constructor below, because memory is requested before that runs.
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
    const char *path = getenv("PLACES_OF_MALLOCS");
    refused = number ? atol(number) : 0;
    places_file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
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

// If drivers are in fathom's own process, fathom ends through this function.
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

static _Unwind_Reason_Code add_caller(struct _Unwind_Context *context, void *hash)
{
    *(uint64_t *)hash = (*(uint64_t *)hash ^ _Unwind_GetIP(context)) * 0x9e3779b97f4a7c15;
    return _URC_NO_REASON;
}

static bool is_first_of_place(void)
{
    uint64_t hash = 0;
    _Unwind_Backtrace(add_caller, &hash);
    for (uint64_t i = hash >> 48;; i++) {
        uint64_t found = 0;
        if (atomic_compare_exchange_strong(&places[i % PLACES], &found, hash))
            return true;
        if (found == hash)
            return false;
    }
}

static void note_place(long number)
{
    static _Thread_local bool is_noting; // the calls below may request memory
    char line[24];
    if (is_noting)
        return;
    is_noting = true;
    int length = is_first_of_place() ? snprintf(line, sizeof line, "%ld\n", number) : 0;
    if (length > 0 && write(places_file, line, (size_t)length) != length)
        abort();
    is_noting = false;
}

static bool fails(void)
{
    look_up();
    if (asks_for_stack)
        return false;
    long number = atomic_fetch_add(&requests, 1) + 1;
    if (places_file >= 0)
        note_place(number);
    if (number != refused)
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
