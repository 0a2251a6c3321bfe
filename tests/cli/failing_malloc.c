// SPDX-License-Identifier: MIT
// A library to preload: request number FAILING_MALLOC for memory, of each process, fails; the
// others go to the next malloc, which may be a sanitizer's. With COUNTED_MALLOCS, the number of
// requests is written to that file when the process ends. A sanitizer's own requests, those of the
// dynamic linker for a sanitizer's thread-local data, and those of pthread_getattr_np, by which a
// sanitizer finds a thread's stack, are neither counted nor refused: they end the process if one
// fails, and none happens without a sanitizer.
#define _GNU_SOURCE // RTLD_NEXT, dl_iterate_phdr
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

// The code of the sanitizer's libraries and of the dynamic linker; none without a sanitizer.
static struct {
    struct range {
        uintptr_t begin, end;
    } ranges[16];
    size_t count;
    bool sanitized;
} exempt;

static int exempt_object(struct dl_phdr_info *object, size_t size, void *context)
{
    (void)size, (void)context;
    bool sanitizer = strstr(object->dlpi_name, "san.so");
    exempt.sanitized |= sanitizer;
    if (!sanitizer && !strstr(object->dlpi_name, "/ld-"))
        return 0;
    for (size_t i = 0; i < object->dlpi_phnum && exempt.count < 16; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + segment->p_vaddr;
        if (segment->p_type == PT_LOAD && segment->p_flags & PF_X)
            exempt.ranges[exempt.count++] = (struct range){begin, begin + segment->p_memsz};
    }
    return 0;
}

static bool is_exempt(const void *caller)
{
    uintptr_t address = (uintptr_t)caller;
    for (size_t i = 0; i < exempt.count && exempt.sanitized; i++)
        if (exempt.ranges[i].begin <= address && address < exempt.ranges[i].end)
            return true;
    return false;
}

__attribute__((constructor)) static void begin(void)
{
    dl_iterate_phdr(exempt_object, NULL);
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

// A sanitizer asks for the stack of each thread that begins.
static _Thread_local bool asks_for_stack;

int pthread_getattr_np(pthread_t thread, pthread_attr_t *attributes)
{
    look_up();
    asks_for_stack = true;
    int status = next.get_attributes(thread, attributes);
    asks_for_stack = false;
    return status;
}

static bool fails(const void *caller)
{
    look_up();
    if (asks_for_stack || is_exempt(caller) || atomic_fetch_add(&requests, 1) + 1 != refused)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : next.malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : next.calloc(count, bytes);
}

void *realloc(void *memory, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : next.realloc(memory, bytes);
}
