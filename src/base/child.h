// SPDX-License-Identifier: MIT
// A child process that one talks to in lines. The channel is one socket, the child's standard
// input, used both ways; what the child (or a driver in it) prints is kept apart and remembered as
// its last words. A child never outlives child_destroy(), nor its parent, but where it is there to
// clean up after it.
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include "base/arena.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct child;

struct child_desc {
    const char *const *argv;        // NULL-ended; argv[0] is the path of the binary
    const char *const *environment; // NULL-ended, of NAME=VALUE; NULL: this process's own
    size_t line_bytes_max;          // 0: 64 MiB; a longer line from the child is an error
    // It goes on after this process, however that ends, until it has seen the end of the channel:
    // in a session of its own, so that what is sent to the whole group does not reach it, and with
    // this process's standard error.
    bool outlives;
};

// Starts it with SIGINT, SIGTERM and SIGHUP ignored (terminals and service managers send them to
// everybody; the parent decides) and no signals blocked. NULL with ERROR_IO where it cannot be
// started.
struct child *child_create(const struct child_desc *desc, struct error *err);

// Closes the channel, gives the child `grace_ns` to end by itself, then kills and reaps it. NULL is
// legal.
void child_destroy(struct child *child, uint64_t grace_ns);

// Sends `line` and a newline. ERROR_IO where the child is gone or takes longer than timeout_ns.
MUST_CHECK bool child_send(struct child *child, const char *line, uint64_t timeout_ns,
                           struct error *err);

enum child_answer {
    CHILD_LINE,      // a whole line is there
    CHILD_TIMEOUT,   // nothing came before the time-out
    CHILD_WOKEN,     // wake_fd became readable first
    CHILD_GONE,      // the channel is closed: it ended (child_end_text says how)
    CHILD_MALFORMED, // a line longer than agreed, or one with a NUL inside
};

// Waits for the next line (without its newline); it stays valid until the next call. wake_fd < 0:
// none. A last line without its newline counts as gone, never as a line.
enum child_answer child_receive(struct child *child, uint64_t timeout_ns, int wake_fd,
                                const char **line);

// Ends the child and says how it ended, one line: "it was killed by signal 11 (Segmentation
// fault); its last words: …". Valid until child_destroy.
const char *child_end_text(struct child *child);

// The child's side of the channel: reads lines from standard input, which child_create made a
// socket. The struct is the caller's.
struct child_channel {
    int fd;
    char *buffer;
    size_t used, consumed, capacity;
};
void child_channel_init(struct child_channel *channel, int fd);
void child_channel_fini(struct child_channel *channel);

// Blocks for the next line; NULL at the end of the stream. Valid until the next call.
const char *child_channel_read(struct child_channel *channel, size_t line_bytes_max);
MUST_CHECK bool child_channel_write(struct child_channel *channel, const char *line,
                                    struct error *err);

// Returns a NULL-ended copy, in `arena`, of this process's environment, for child_desc.environment.
// It should be taken before the first driver is loaded, because drivers change the environment: an
// OpenCL loader cuts OCL_ICD_FILENAMES off at its first colon, and PoCL sets variables of hwloc.
const char *const *child_environment_copy(struct arena *arena);

#endif
