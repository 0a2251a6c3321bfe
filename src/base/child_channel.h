// SPDX-License-Identifier: MIT
// One end of the channel between a child process and its parent (base/child.h), with a buffer for
// received lines. The child's end is a socket, its standard input.
#ifndef BASE_CHILD_CHANNEL_H
#define BASE_CHILD_CHANNEL_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The caller provides the struct.
struct child_channel {
    int fd;
    char *buffer;
    size_t used, consumed, capacity;
};
void child_channel_init(struct child_channel *channel, int fd);
void child_channel_fini(struct child_channel *channel);

// Waits for the next line from the other end of the channel and returns it without its newline. The
// line is valid until the next call. Returns NULL at the end of the stream, if reading fails, or if
// no newline has come after more than line_bytes_max bytes.
const char *child_channel_read(struct child_channel *channel, size_t line_bytes_max);

// Returns true if the channel has unread bytes or its other end is closed. Does not wait.
bool child_channel_is_ready(const struct child_channel *channel);

// Sends `line` and a newline. Fails with ERROR_IO if the other end is closed.
MUST_CHECK bool child_channel_write(const struct child_channel *channel, const char *line,
                                    struct error *err);

// ---------------------------------------------------------------- steps of child.c

// Returns the next whole line of the buffer, without its newline; NULL if the buffer has none. The
// line is valid until child_channel_fill.
char *child_channel_line(struct child_channel *channel);

// Reads once from the socket into the buffer. Returns the number of bytes read, 0 at the end of the
// stream, or a negative number with errno: EMSGSIZE if the line exceeds line_bytes_max.
ssize_t child_channel_fill(struct child_channel *channel, size_t line_bytes_max);

// Sends `line` and a newline. Returns false with errno: ETIMEDOUT if the socket has no room for the
// line until deadline_ns.
bool child_channel_send(const struct child_channel *channel, const char *line,
                        uint64_t deadline_ns);

#endif
