// SPDX-License-Identifier: MIT
#define _GNU_SOURCE // _GNU_SOURCE makes the system's headers define the names of registers
#include "base/crash.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    STACK_BYTES = 64 * 1024,
    LINE_BYTES = 512
};

static uintptr_t instruction_of(const void *context)
{
    const ucontext_t *at = context;
#if defined(__x86_64__)
    return (uintptr_t)at->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)at->uc_mcontext.pc;
#else
    (void)at;
    return 0;
#endif
}

// The functions down to announce() run in a signal handler. They make only async-signal-safe calls.

static const char *read_hex(const char *text, uintptr_t *value)
{
    static const char digits[] = "0123456789abcdef";
    const char *digit;
    for (*value = 0; *text && (digit = strchr(digits, *text)); text++)
        *value = *value << 4 | (uintptr_t)(digit - digits);
    return text;
}

// Returns the file name of a line of /proc/self/maps if its range has `address`; else NULL.
static const char *file_of(const char *line, uintptr_t address)
{
    uintptr_t first, end;
    const char *at = read_hex(line, &first);
    if (*at != '-')
        return NULL;
    read_hex(at + 1, &end);
    const char *name = strrchr(line, '/');
    return address >= first && address < end && name && name[1] ? name + 1 : NULL;
}

static void write_all(const char *text)
{
    ssize_t written = write(STDIN_FILENO, text, strlen(text));
    (void)written; // a failed write is ignored: there is nowhere to report it
}

static void announce(int number, siginfo_t *info, void *context)
{
    char line[LINE_BYTES], letter;
    const char *name = NULL;
    size_t used = 0;
    uintptr_t address = instruction_of(context);
    int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    while (maps >= 0 && !name && read(maps, &letter, 1) == 1) {
        if (letter != '\n') {
            line[used] = letter;
            used += used < sizeof line - 1;
            continue;
        }
        line[used] = '\0';
        used = 0;
        name = file_of(line, address);
    }
    if (name) {
        write_all(CRASH_WORD);
        write_all(name);
        write_all("\n");
    }
    (void)info;
    raise(number); // SA_RESETHAND has restored the default action, so this signal ends the process
}

void crash_announce(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    // Uses mmap, because the stack is needed until the end. If it were from malloc, a leak checker
    // would report it.
    void *memory = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    const stack_t stack = {.ss_sp = memory, .ss_size = STACK_BYTES};
    struct sigaction action = {.sa_sigaction = announce};
    action.sa_flags = SA_SIGINFO | SA_NODEFER | (int)SA_RESETHAND;
    if (memory != MAP_FAILED && sigaltstack(&stack, NULL) == 0)
        action.sa_flags |= SA_ONSTACK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

_Noreturn void crash_evade(int status)
{
    fflush(NULL);
    _Exit(status);
}
