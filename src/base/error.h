// SPDX-License-Identifier: MIT
// An error is a value with a code and a message. The function that fails sets it. Each caller
// handles the error or returns it to its own caller, perhaps with a prefix before the message. Only
// cli/ prints errors.
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

// Error codes. The program decides by the code what to do next; the message is only for people.
#define ERROR_CODES(X)                                                                             \
    X(NONE, "none")                                                                                \
    X(USAGE, "usage")                 /* bad arguments or input: exit status 2 */                  \
    X(NO_DEVICE, "no-device")         /* no device to measure: exit status 3 */                    \
    X(IO, "io")                       /* a file, pipe or process failed */                         \
    X(UNSUPPORTED, "unsupported")     /* the device lacks a feature: the case is skipped */        \
    X(OUT_OF_MEMORY, "out-of-memory") /* no device memory is left: the case is skipped */          \
    X(TIMEOUT, "timeout")             /* a wait reached its time limit: the worker ends */         \
    X(DEVICE_LOST, "device-lost")     /* the device is lost: a new worker continues */             \
    X(MISMATCH, "mismatch")           /* a kernel computed a wrong result: the case failed */      \
    X(INTERRUPTED, "interrupted")     /* the user stopped the work: exit status 130 */             \
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
    char message[ERROR_MESSAGE_BYTES]; // one line: what failed, why, what to do
};

#define MUST_CHECK                      __attribute__((warn_unused_result))
#define PRINTF_LIKE(format_at, args_at) __attribute__((format(printf, format_at, args_at)))

// Sets the code and message of *err and returns false, so that a function can end with `return
// error_set(err, …)`. If err is NULL, only returns false. A message that is too long is cut, and
// its end becomes an ellipsis.
bool error_set(struct error *err, enum error_code code, const char *format, ...) PRINTF_LIKE(3, 4);

#ifdef __clang_analyzer__ // tells clang's static analyzer that error_set returns false
#define error_set(...) (error_set(__VA_ARGS__) && false)
#endif

// Puts "PREFIX: " before the message, to say where the error occurred, and returns false.
bool error_prefix(struct error *err, const char *format, ...) PRINTF_LIKE(2, 3);

// Adds the error `one` to `all`, which collects the errors of several steps. The messages are
// joined by "; and"; the code stays that of the first error. ERROR_NONE changes nothing.
void error_add(struct error *all, const struct error *one);

// Replaces control characters in the message by '?', because the message may quote a file and is
// printed on a terminal. `err` may be NULL.
void error_clean(struct error *err);

// Returns the short name of a code ("device-lost"), for run files and messages of workers. The name
// of a code never changes in later versions.
const char *error_code_name(enum error_code code);

// Returns the error code with this name, or ERROR_INTERNAL if no code has the name.
enum error_code error_code_from_name(const char *name);

#endif
