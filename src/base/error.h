// SPDX-License-Identifier: MIT
// An error is a value with a message. It is filled once, where it happens; callers handle it or
// prefix it and pass it on. Only cli/ prints one.
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

// The code decides what happens next; the message is for people.
#define ERROR_CODES(X)                                                                             \
    X(NONE, "none")                                                                                \
    X(USAGE, "usage")                 /* bad arguments or input: exit 2 */                         \
    X(NO_DEVICE, "no-device")         /* nothing to measure on: exit 3 */                          \
    X(IO, "io")                       /* a file or pipe */                                         \
    X(UNSUPPORTED, "unsupported")     /* the device lacks something: the case is skipped */        \
    X(OUT_OF_MEMORY, "out-of-memory") /* device memory: the case is skipped */                     \
    X(TIMEOUT, "timeout")             /* a bounded wait ran out: the worker ends */                \
    X(DEVICE_LOST, "device-lost")     /* the worker ends, a new one goes on */                     \
    X(MISMATCH, "mismatch")           /* a kernel computed something else: the case failed */      \
    X(INTERRUPTED, "interrupted")     /* by the user: exit 130 */                                  \
    X(INTERNAL, "internal")

enum error_code {
#define X(name, text) ERROR_##name,
    ERROR_CODES(X)
#undef X
    ERROR_CODE_COUNT
};

enum {
    ERROR_MESSAGE_BYTES = 512
};

struct error {
    enum error_code code;
    char message[ERROR_MESSAGE_BYTES]; // one line: what, why, what to do
};

#define MUST_CHECK                      __attribute__((warn_unused_result))
#define PRINTF_LIKE(format_at, args_at) __attribute__((format(printf, format_at, args_at)))

// Fills err (may be NULL when the caller only needs the fact) and returns false, so that a failing
// function can end with `return error_set(err, …)`. A message too long is cut with an ellipsis.
bool error_set(struct error *err, enum error_code code, const char *format, ...) PRINTF_LIKE(3, 4);

#ifdef __clang_analyzer__ // it cannot see the body: show it what always comes back
#define error_set(...) (error_set(__VA_ARGS__) && false)
#endif

// Puts "prefix: " before the message and returns false. For context on the way up.
bool error_prefix(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

// Short stable name of a code ("device-lost"), as it stands in run files and worker messages.
const char *error_code_name(enum error_code code);

// The code of such a name; ERROR_INTERNAL for a name that is unknown.
enum error_code error_code_from_name(const char *name);

#endif
