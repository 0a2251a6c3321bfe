// SPDX-License-Identifier: MIT
#include "cli/terminal.h"

#include "base/clock.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_is(FILE *stream)
{
    return isatty(fileno(stream)) == 1;
}

bool terminal_has_colour(FILE *stream)
{
    const char *refused = getenv("NO_COLOR");
    return terminal_is(stream) && !(refused && *refused);
}

unsigned terminal_columns(FILE *stream, unsigned most)
{
    struct winsize size;
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_col > most)
        return most;
    return size.ws_col;
}

bool terminal_write(FILE *stream, const char *text, size_t bytes, struct interrupt *interrupt)
{
    unsigned signals = interrupt_count(interrupt);
    struct pollfd ends[] = {{.fd = fileno(stream), .events = POLLOUT},
                            {.fd = interrupt->fd, .events = POLLIN}};
    for (size_t done = 0; done < bytes;) {
        bool hurried = signals >= 2;
        if (poll(ends, 2, hurried ? 0 : -1) < 0 && errno != EINTR)
            return true;
        if (!ends[0].revents && (hurried || interrupt_count(interrupt) > signals))
            return false;
        if (!ends[0].revents)
            continue;
        // A pipe with room takes at least PIPE_BUF bytes at once.
        size_t left = bytes - done;
        ssize_t wrote = write(ends[0].fd, text + done, left < PIPE_BUF ? left : PIPE_BUF);
        if (wrote < 0 && errno != EINTR && errno != EAGAIN) {
            fputc(text[done], stream); // fails too, so that the stream remembers the error
            fflush(stream);
            return true;
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

// ---------------------------------------------------------------- the progress line

static const uint64_t interval_ns = NS_PER_S / 10;

enum {
    COLUMNS_MAX = 100
};

void progress_init(struct progress *progress, FILE *out)
{
    *progress = (struct progress){.out = terminal_is(out) ? out : NULL};
}

// The time left, such as "2:10 left  ", if the remaining work goes as fast as the work so far; ""
// until more than 3 % are done.
static const char *time_left(struct arena *arena, const struct schedule_state *state)
{
    if (!(state->fraction > 0.03))
        return "";
    double elapsed_s = (double)state->elapsed_ns / 1e9;
    unsigned long left_s = (unsigned long)(elapsed_s / state->fraction - elapsed_s + 0.5);
    return arena_printf(arena, "%lu:%02lu left  ", left_s / 60, left_s % 60);
}

// The text of the line: "[2/3] vulkan:0  41% of 30 cases  2:10 left  latency/…", in `arena`, at
// most `columns` wide.
static const char *progress_text(struct arena *arena, const struct schedule_state *state,
                                 size_t device, size_t devices, size_t columns)
{
    const char *which = devices > 1 ? arena_printf(arena, "[%zu/%zu] ", device + 1, devices) : "";
    // Rounds are interleaved: most cases are finished together at the end of their block, so that
    // the number of finished cases would not agree with the share of the work.
    const char *far = state->total
                          ? arena_printf(arena, "%3.0f%% of %zu cases  %s", 100 * state->fraction,
                                         state->total, time_left(arena, state))
                          : arena_printf(arena, "%zu done  ", state->done);
    char *text =
        arena_printf(arena, "%s%s  %s%s", which, state->device, far, state->key ? state->key : "");
    if (strlen(text) > columns)
        text[columns] = '\0';
    return text;
}

void progress_draw(void *context, const struct schedule_state *state, size_t device, size_t devices)
{
    struct progress *progress = context;
    uint64_t now_ns = clock_now_ns();
    if (!progress->out || now_ns - progress->changed_ns < interval_ns)
        return;
    progress->changed_ns = now_ns;
    progress->drawn = true;
    struct arena *scratch = arena_create();
    // Goes to the first column, writes the text, erases the rest of the line (ECMA-48, EL), and
    // goes back: tables that reach the terminal through another program begin there.
    fprintf(progress->out, "\r%s\033[K\r",
            progress_text(scratch, state, device, devices,
                          terminal_columns(progress->out, COLUMNS_MAX) - 1));
    fflush(progress->out);
    arena_destroy(scratch);
}

void progress_wipe(struct progress *progress)
{
    if (!progress->out || !progress->drawn)
        return;
    fputs("\r\033[K", progress->out);
    fflush(progress->out);
    progress->changed_ns = clock_now_ns();
    progress->drawn = false;
}
