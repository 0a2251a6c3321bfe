// SPDX-License-Identifier: MIT
#include "fakes/fake.h"

#include "base/clock.h"
#include "base/text.h"
#include "math/random.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVENTS(X)                                                                                  \
    X(fail)                                                                                        \
    X(memory)                                                                                      \
    X(lose)                                                                                        \
    X(timeout)                                                                                     \
    X(crash)                                                                                       \
    X(fault)                                                                                       \
    X(hang)                                                                                        \
    X(stop)                                                                                        \
    X(wrong)                                                                                       \
    X(complain)                                                                                    \
    X(garbage)                                                                                     \
    X(half)                                                                                        \
    X(devices)                                                                                     \
    X(cpu)                                                                                         \
    X(free)                                                                                        \
    X(slow)                                                                                        \
    X(compile)                                                                                     \
    X(noise)                                                                                       \
    X(stuck)                                                                                       \
    X(doomed)                                                                                      \
    X(turn)

struct fake {
    struct arena *arena;
#define X(name) uint64_t name;
    EVENTS(X)
#undef X
    const char *once, *log;
    uint64_t calls, dispatches;
    size_t complaints;
    bool lost;
    struct random random;
};

static void set(struct fake *fake, const char *key, const char *value)
{
    uint64_t number = 0;
    text_parse_uint(value, &number);
    if (strcmp(key, "once") == 0)
        fake->once = value;
    else if (strcmp(key, "log") == 0)
        fake->log = value;
#define X(name) else if (strcmp(key, #name) == 0) fake->name = number;
    EVENTS(X)
#undef X
}

static void write_log(const struct fake *fake, const char *name)
{
    FILE *file = fake->log ? fopen(fake->log, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "%s\n", name);
    fclose(file);
}

struct fake *fake_create(const char *script)
{
    struct arena *arena = arena_create();
    struct fake *fake = ARENA_NEW(arena, struct fake);
    fake->arena = arena;
    fake->devices = 2;
    fake->noise = 2;
    random_init(&fake->random, 1);
    for (char *at = arena_strdup(arena, script ? script : ""); *at;) {
        char *end = at + strcspn(at, ",");
        char *equals = memchr(at, '=', (size_t)(end - at));
        bool last = *end == '\0';
        *end = '\0';
        if (equals) {
            *equals = '\0';
            set(fake, at, equals + 1);
        }
        at = last ? end : end + 1;
    }
    write_log(fake, "load");
    while (fake->stuck)
        pause();
    return fake;
}

unsigned fake_flags(void)
{
    const char *script = getenv("FATHOM_FAKE"), *at = script ? strstr(script, "flag=") : NULL;
    return at ? (unsigned)strtoul(at + strlen("flag="), NULL, 10) : 0;
}

void fake_destroy(struct fake *fake)
{
    arena_destroy(fake->arena);
}

// True if an event may happen. With `once`, only in the first process that gets here.
static bool may_happen(const struct fake *fake)
{
    if (!fake->once)
        return true;
    int made = open(fake->once, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (made >= 0)
        close(made);
    return made >= 0;
}

static bool happens(const struct fake *fake, uint64_t at)
{
    return at && fake->calls == at && may_happen(fake);
}

static void write_to_parent(const char *text)
{
    ssize_t written = write(STDIN_FILENO, text, strlen(text));
    (void)written; // without a process of its own there is no parent
}

bool fake_call(struct fake *fake, const char *name, struct error *err)
{
    fake->calls++;
    write_log(fake, name);
    if (happens(fake, fake->crash)) {
        fprintf(stderr, "fake driver: assertion failed in %s\n", name);
        raise(SIGKILL); // no handler and no sanitizer can catch it
    }
    if (happens(fake, fake->fault)) {
        int *volatile nowhere = (int *)8; // a value that the compiler does not know
        *nowhere = 1;
    }
    if (happens(fake, fake->hang))
        for (;;)
            pause();
    if (happens(fake, fake->stop))
        raise(SIGSTOP);
    if (happens(fake, fake->garbage))
        write_to_parent("\x01 this is no message {\n");
    if (happens(fake, fake->half)) {
        write_to_parent("{\"visit\":{\"metrics\":[{\"me");
        _exit(0);
    }
    if (happens(fake, fake->complain))
        fake->complaints++;
    if (happens(fake, fake->timeout))
        return error_set(err, ERROR_TIMEOUT, "fake %s: nothing happened in time", name);
    if (happens(fake, fake->memory))
        return error_set(err, ERROR_OUT_OF_MEMORY, "fake %s: out of device memory", name);
    if (happens(fake, fake->lose))
        fake->lost = true;
    if (fake->lost)
        return error_set(err, ERROR_DEVICE_LOST, "fake %s: the device is lost", name);
    if (happens(fake, fake->fail))
        return error_set(err, ERROR_INTERNAL, "fake %s: call %llu fails", name,
                         (unsigned long long)fake->calls);
    return true;
}

bool fake_computes_wrongly(struct fake *fake)
{
    fake->dispatches++;
    return fake->wrong && fake->dispatches == fake->wrong && may_happen(fake);
}

bool fake_is_turned(const struct fake *fake)
{
    return fake->turn && !may_happen(fake);
}

bool fake_is_doomed(const struct fake *fake)
{
    return fake->doomed != 0;
}

bool fake_is_shy(void)
{
    const char *script = getenv("FATHOM_FAKE"); // without fake_create, which may hang
    return script && strstr(script, "shy=1");
}

unsigned fake_devices(const struct fake *fake)
{
    return (unsigned)fake->devices;
}

uint64_t fake_free_bytes(const struct fake *fake)
{
    return fake->free;
}

bool fake_is_cpu(const struct fake *fake)
{
    return fake->cpu != 0;
}

void fake_submit_slowly(const struct fake *fake)
{
    clock_sleep_ns(fake->slow * NS_PER_MS);
}

void fake_compile_slowly(const struct fake *fake)
{
    clock_sleep_ns(fake->compile * NS_PER_MS);
}

size_t fake_complaints(const struct fake *fake)
{
    return fake->complaints;
}

double fake_uneven(struct fake *fake, double ns)
{
    return ns * (1 + (double)fake->noise / 500 * (random_unit(&fake->random) - 0.5));
}
