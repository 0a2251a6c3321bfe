// SPDX-License-Identifier: MIT
#include "base/child_channel.h"

#include "base/arena.h"
#include "base/clock.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    READ_BYTES = 64 * 1024
};

void child_channel_init(struct child_channel *channel, int fd)
{
    *channel = (struct child_channel){.fd = fd};
}

void child_channel_fini(struct child_channel *channel)
{
    free(channel->buffer);
    *channel = (struct child_channel){.fd = -1};
}

char *child_channel_line(struct child_channel *channel)
{
    size_t left = channel->used - channel->consumed;
    if (left == 0)
        return NULL;
    char *start = channel->buffer + channel->consumed;
    char *end = memchr(start, '\n', left);
    if (!end)
        return NULL;
    *end = '\0';
    channel->consumed = (size_t)(end + 1 - channel->buffer);
    return start;
}

static bool make_room(struct child_channel *channel, size_t line_bytes_max)
{
    if (channel->consumed) {
        channel->used -= channel->consumed;
        memmove(channel->buffer, channel->buffer + channel->consumed, channel->used);
        channel->consumed = 0;
    }
    if (channel->used > line_bytes_max)
        return false;
    if (channel->capacity - channel->used >= READ_BYTES)
        return true;
    size_t capacity = channel->capacity * 2 + READ_BYTES;
    char *buffer = arena_malloc(capacity);
    memcpy(buffer, channel->buffer ? channel->buffer : "", channel->used);
    free(channel->buffer);
    channel->buffer = buffer;
    channel->capacity = capacity;
    return true;
}

ssize_t child_channel_fill(struct child_channel *channel, size_t line_bytes_max)
{
    if (!make_room(channel, line_bytes_max)) {
        errno = EMSGSIZE;
        return -1;
    }
    ssize_t got;
    do
        got = read(channel->fd, channel->buffer + channel->used, channel->capacity - channel->used);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        channel->used += (size_t)got;
    return got;
}

const char *child_channel_read(struct child_channel *channel, size_t line_bytes_max)
{
    char *line = child_channel_line(channel);
    while (!line) {
        if (child_channel_fill(channel, line_bytes_max) <= 0)
            return NULL;
        line = child_channel_line(channel);
    }
    return line;
}

bool child_channel_is_ready(const struct child_channel *channel)
{
    struct pollfd socket = {.fd = channel->fd, .events = POLLIN};
    return channel->consumed < channel->used || poll(&socket, 1, 0) > 0;
}

// Sends as many bytes as the socket takes. If the reader has ended, MSG_NOSIGNAL prevents SIGPIPE.
static ssize_t send_some(int fd, const char *text, size_t bytes)
{
    ssize_t sent;
    do
        sent = send(fd, text, bytes, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent;
}

static bool send_all(int fd, const char *text, size_t bytes, uint64_t deadline_ns)
{
    while (bytes) {
        ssize_t sent = send_some(fd, text, bytes);
        if (sent < 0) {
            if (errno != EAGAIN && errno != EWOULDBLOCK)
                return false;
            struct pollfd wait = {.fd = fd, .events = POLLOUT};
            uint64_t left_ms = clock_left_ns(deadline_ns) / NS_PER_MS;
            if (left_ms == 0) {
                errno = ETIMEDOUT;
                return false;
            }
            (void)poll(&wait, 1, left_ms > INT_MAX ? INT_MAX : (int)left_ms);
            continue;
        }
        text += sent;
        bytes -= (size_t)sent;
    }
    return true;
}

bool child_channel_send(const struct child_channel *channel, const char *line, uint64_t deadline_ns)
{
    return send_all(channel->fd, line, strlen(line), deadline_ns) &&
           send_all(channel->fd, "\n", 1, deadline_ns);
}

bool child_channel_write(const struct child_channel *channel, const char *line, struct error *err)
{
    return child_channel_send(channel, line, UINT64_MAX) ||
           error_set(err, ERROR_IO, "cannot answer the parent process: %s", strerror(errno));
}
