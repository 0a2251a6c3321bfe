// SPDX-License-Identifier: MIT
// A child process that exchanges lines of text with this process through a socket, the channel. In
// the child, the channel is the standard input. child_end() returns the last line that the child or
// its drivers printed. child_destroy() ends the child. Unless `outlives` is set, the child also
// ends with this process, or with the thread that started the child.
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include "base/arena.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct child;

struct child_desc {
    const char *const *argv; // arguments of the program, then NULL; argv[0] is the program's path
    // The child's environment: an array of NAME=VALUE texts that ends with NULL. If this pointer is
    // NULL, the child gets the environment of this process.
    const char *const *environment;
    // A line from the child is malformed if it has no newline after more than this many bytes; 0
    // means 64 MiB.
    size_t line_bytes_max;
    // If true, the child continues when this process ends, and then finds the channel closed. The
    // child has its own session, so signals to the process group of this process do not reach it.
    // The child writes to the standard error of this process.
    bool outlives;
};

// Starts the child, with no signal blocked. The child ignores SIGINT, SIGTERM and SIGHUP, which go
// to the whole process group, because only the parent decides when the child ends. Returns NULL
// with ERROR_IO if the child cannot be started.
struct child *child_create(const struct child_desc *desc, struct error *err);

// Closes the channel and waits up to `grace_ns` for the child to end. If the child still runs after
// that time, kills it and waits up to 5 s for its end. The second wait is limited because a child
// that hangs in a system call may not end. `child` may be NULL.
void child_destroy(struct child *child, uint64_t grace_ns);

// Sends `line` and a newline. Fails with ERROR_IO if the channel is closed, or has no room for the
// line within timeout_ns.
MUST_CHECK bool child_send(struct child *child, const char *line, uint64_t timeout_ns,
                           struct error *err);

enum child_answer {
    CHILD_LINE,      // a whole line was received
    CHILD_TIMEOUT,   // no line came within the time-out
    CHILD_WOKEN,     // wake_fd became readable before a line came
    CHILD_GONE,      // the channel closed or failed; child_end_text tells how the child ended
    CHILD_MALFORMED, // the line is too long or contains a NUL
};

// Waits up to timeout_ns for the child's next line and sets *line to it, without its newline. The
// line that names the file of a crash (base/crash.h) is not returned, but kept for child_end. *line
// is valid until the next call. The wait also ends if wake_fd becomes readable; a negative wake_fd
// is ignored. If the channel ends in the middle of a line, this incomplete line is dropped. Time
// for which this process was stopped (Ctrl-Z) does not count.
enum child_answer child_receive(struct child *child, uint64_t timeout_ns, int wake_fd,
                                const char **line);

// Waits like child_receive, but for a line from any of `count` children, at most 16. Elements of
// `children` that are NULL are ignored. Sets *from to the index of the child whose line or end is
// returned. After CHILD_TIMEOUT or CHILD_WOKEN, *from is undefined.
enum child_answer child_receive_any(struct child *const *children, size_t count,
                                    uint64_t timeout_ns, int wake_fd, size_t *from,
                                    const char **line);

// Ends the child and returns one line of text that says how it ended: "it was killed by signal 11
// (Segmentation fault) in libfoo.so; its last output: …". The text is valid until child_destroy.
const char *child_end_text(struct child *child);

// How a child ended, by itself or because this process killed it.
struct child_end {
    int signal; // signal that killed the child; 0 if no signal killed it, or if its end is not
                // known
    int status; // exit status; 0 if a signal killed the child, or if its end is not known
    // Last non-blank line that the child printed, as printable ASCII, cut to 255 bytes. Valid until
    // child_destroy.
    const char *words;
    // Name of the file in which the child crashed, such as "libfoo.so", as printable ASCII, cut to
    // 63 bytes; "" if the child has not told it (crash_announce). Valid until child_destroy.
    const char *crashed_in;
};

// Ends the child if it still runs, and returns how it ended.
struct child_end child_end(struct child *child);

// Returns a copy of this process's environment, in `arena`, for child_desc.environment; the array
// ends with NULL. Make the copy before the first driver is loaded: drivers change the environment.
// (PoCL sets variables of hwloc, an OpenCL loader cuts OCL_ICD_FILENAMES off at its first colon.)
const char *const *child_environment_copy(struct arena *arena);

#endif
