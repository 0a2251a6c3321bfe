// SPDX-License-Identifier: MIT
// A child process that exchanges lines of text with this process. The channel is a socket, the
// child's standard input, used in both directions. Output of the child, or of a driver in it, does
// not go into the channel; its last line is reported when the child ends. A child ends with
// child_destroy() or with its parent, unless `outlives` is set.
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include "base/arena.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct child;

struct child_desc {
    const char *const *argv; // NULL-terminated; argv[0] is the path of the program
    const char *const
        *environment; // NULL-terminated list of NAME=VALUE; NULL: the environment of this process
    size_t line_bytes_max; // longest line that the child may send; 0: 64 MiB
    // The child continues after this process has ended, until it reads the end of the channel. It
    // has a session of its own, so that signals to this process group do not reach it. Its standard
    // error is that of this process.
    bool outlives;
};

// Starts the child. It ignores SIGINT, SIGTERM and SIGHUP, which terminals and service managers
// send to the whole group (the parent decides what to do), and blocks no signals. NULL with
// ERROR_IO if it cannot be started.
struct child *child_create(const struct child_desc *desc, struct error *err);

// Closes the channel, waits `grace_ns` for the child to end, then kills it, and reaps it (unless it
// hangs in the kernel, where no signal reaches it). NULL is legal.
void child_destroy(struct child *child, uint64_t grace_ns);

// Sends `line` and a newline. False with ERROR_IO if the child has ended or does not read the line
// within timeout_ns.
MUST_CHECK bool child_send(struct child *child, const char *line, uint64_t timeout_ns,
                           struct error *err);

enum child_answer {
    CHILD_LINE,      // a whole line was received
    CHILD_TIMEOUT,   // no line came within the time-out
    CHILD_WOKEN,     // wake_fd became readable before a line came
    CHILD_GONE,      // the child closed the channel; child_end_text says how it ended
    CHILD_MALFORMED, // the line is too long or contains a NUL
};

// Waits for the next line and returns it without its newline. The line is valid until the next
// call. wake_fd < 0: none. An unfinished line at the end of the channel is not returned.
enum child_answer child_receive(struct child *child, uint64_t timeout_ns, int wake_fd,
                                const char **line);

// As child_receive, but waits for several children, at most 16. Elements that are NULL are ignored.
// *from becomes the index of the child that answered first; CHILD_TIMEOUT and CHILD_WOKEN do not
// set it.
enum child_answer child_receive_any(struct child *const *children, size_t count,
                                    uint64_t timeout_ns, int wake_fd, size_t *from,
                                    const char **line);

// Ends the child and returns in one line how it ended: "it was killed by signal 11 (Segmentation
// fault); its last output: …". The text is valid until child_destroy.
const char *child_end_text(struct child *child);

// How a child ended, by itself or because of this process.
struct child_end {
    int signal;        // the signal that killed the child; 0: none did
    int status;        // the exit status, if no signal killed the child
    const char *words; // the last line of its output, printable; valid until child_destroy
};

// Ends the child and returns how it ended.
struct child_end child_end(struct child *child);

// The child's side of the channel: reads lines from standard input, which child_create made a
// socket. The caller provides the struct.
struct child_channel {
    int fd;
    char *buffer;
    size_t used, consumed, capacity;
};
void child_channel_init(struct child_channel *channel, int fd);
void child_channel_fini(struct child_channel *channel);

// Waits for the next line. NULL at the end of the stream. The line is valid until the next call.
const char *child_channel_read(struct child_channel *channel, size_t line_bytes_max);

// True if something came that is not read yet, or the parent has gone. Does not wait.
bool child_channel_is_ready(const struct child_channel *channel);
MUST_CHECK bool child_channel_write(struct child_channel *channel, const char *line,
                                    struct error *err);

// Returns a NULL-terminated copy of this process's environment, in `arena`, for
// child_desc.environment. Make it before the first driver is loaded, because drivers change the
// environment: an OpenCL loader cuts OCL_ICD_FILENAMES off at its first colon, and PoCL sets
// variables of hwloc.
const char *const *child_environment_copy(struct arena *arena);

#endif
