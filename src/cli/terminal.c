// SPDX-License-Identifier: MIT
#include "cli/terminal.h"

#include "base/clock.h"
#include "base/text.h"
#include "report/tables.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_is(FILE *stream)
{
    const char *kind = getenv("TERM");
    return isatty(fileno(stream)) == 1 && !(kind && strcmp(kind, "dumb") == 0);
}

static unsigned columns_of(FILE *stream)
{
    struct winsize size;
    bool known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known && size.ws_col < SCREEN_COLUMNS ? size.ws_col : SCREEN_COLUMNS;
}

struct console_desc terminal_console(FILE *stream)
{
    const char *refused = getenv("NO_COLOR");
    return (struct console_desc){.colour = terminal_is(stream) && !(refused && *refused),
                                 .columns = columns_of(stream)};
}

bool terminal_write(FILE *stream, const char *text, size_t bytes, struct interrupt *interrupt)
{
    unsigned signals = interrupt_count(interrupt);
    struct pollfd ends[] = {{.fd = fileno(stream), .events = POLLOUT},
                            {.fd = interrupt->fd, .events = POLLIN}};
    for (size_t done = 0; done < bytes;) {
        bool hurried = signals >= 2;
        if (poll(ends, 2, hurried ? 0 : -1) < 0)
            ends[0].revents = errno == EINTR ? 0 : POLLOUT; // if poll() cannot say, the write waits
        if (!ends[0].revents && (hurried || interrupt_count(interrupt) > signals))
            return false;
        if (!ends[0].revents)
            continue;
        // If poll() reports room in a pipe, writing at most PIPE_BUF bytes does not block.
        size_t left = bytes - done;
        ssize_t wrote = write(ends[0].fd, text + done, left < PIPE_BUF ? left : PIPE_BUF);
        if (wrote < 0 && errno != EINTR && errno != EAGAIN) {
            // Repeats the failed write through stdio, which sets the stream's error flag.
            fputc(text[done], stream);
            fflush(stream);
            return true;
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
    return true;
}

// ---------------------------------------------------------------- the progress line

static const uint64_t interval_ns = NS_PER_S / 10;

void progress_init(struct progress *progress, FILE *out)
{
    *progress = (struct progress){.out = out, .drawn_in_place = terminal_is(out)};
}

// Returns " 41% of 186 cases" or, if the number of all cases is not known, "12 cases done".
static const char *count_text(struct arena *arena, const struct schedule_state *state)
{
    // Shows the share of the work. The share of finished cases would jump, because cases that share
    // rounds end at about the same time.
    if (state->total)
        return arena_printf(arena, "%3.0f%% of %s", floor(100 * state->fraction),
                            text_count(arena, state->total, "case"));
    return arena_printf(arena, "%s done", text_count(arena, state->done, "case"));
}

// Returns a text such as "2:10 left"; "" if the time left is not known.
static const char *left_text(struct arena *arena, const struct schedule_state *state)
{
    if (!isfinite(state->left_s))
        return "";
    unsigned long left_s = (unsigned long)lround(state->left_s);
    return arena_printf(arena, "%lu:%02lu left", left_s / 60, left_s % 60);
}

// Returns the progress line: "[2/3] vulkan:0 ▕██▎     ▏  28% of 30 cases · 2:10 left · latency
// vector 2 KiB", cut to `columns`.
static const char *progress_line(struct arena *arena, const struct schedule_state *state,
                                 size_t device, size_t devices, size_t columns)
{
    size_t bar_columns = columns < 80 ? 8 : 16;
    const char *line = state->device;
    if (devices > 1)
        line = arena_printf(arena, "[%zu/%zu] %s", device + 1, devices, line);
    if (state->total) {
        const char *bar = screen_bar(arena, state->fraction, bar_columns);
        line = arena_printf(arena, "%s ▕%s%*s▏", line, bar, (int)(bar_columns - screen_width(bar)),
                            "");
    }
    line = text_join(arena, line, " ", count_text(arena, state));
    line = text_join(arena, line, " · ", left_text(arena, state));
    line = text_join(
        arena, line, " · ",
        view_case(arena, &state->plan_case->benchmark->info, state->plan_case->bench_case));
    return screen_quote(arena, line, columns);
}

static bool is_logged(const struct progress *progress, const struct benchmark *benchmark)
{
    for (size_t i = 0; i < progress->logged_count; i++)
        if (progress->logged[i] == benchmark)
            return true;
    return progress->logged_count == PROGRESS_LOGGED;
}

// Prints a line when a benchmark begins on a device, for an output that is no terminal. A benchmark
// that `fathom map` measures again gets no second line for the device.
static void progress_log(struct progress *progress, const struct schedule_state *state,
                         size_t device)
{
    const struct benchmark *benchmark = state->plan_case->benchmark;
    if (progress->device != device)
        progress->logged_count = 0;
    progress->device = device;
    if (is_logged(progress, benchmark))
        return;
    progress->logged[progress->logged_count++] = benchmark;
    struct arena *scratch = arena_create();
    const char *left = left_text(scratch, state);
    fprintf(progress->out, "fathom: measuring %s on %s", benchmark->info.name, state->device);
    if (state->total)
        fprintf(progress->out, ": %s (%.0f%% of %zu done%s%s)",
                text_count(scratch, state->benchmark_total, "case"), floor(100 * state->fraction),
                state->total, *left ? ", " : "", left);
    fputc('\n', progress->out);
    fflush(progress->out);
    arena_destroy(scratch);
}

void progress_draw(struct progress *progress, const struct schedule_state *state, size_t device,
                   size_t devices)
{
    uint64_t now_ns = clock_now_ns();
    if (!progress->drawn_in_place) {
        progress_log(progress, state, device);
        return;
    }
    if (now_ns - progress->changed_ns < interval_ns)
        return;
    progress->changed_ns = now_ns;
    progress->drawn = true;
    struct arena *scratch = arena_create();
    // Erases the rest of the line (ECMA-48, EL). The cursor returns to the first column, where late
    // text must begin, such as tables that pass through tee.
    fprintf(progress->out, "\r%s\033[K\r",
            progress_line(scratch, state, device, devices, columns_of(progress->out) - 1));
    fflush(progress->out);
    arena_destroy(scratch);
}

void progress_wipe(struct progress *progress)
{
    if (!progress->drawn)
        return;
    fputs("\r\033[K", progress->out);
    fflush(progress->out);
    progress->changed_ns = clock_now_ns();
    progress->drawn = false;
}

// ---------------------------------------------------------------- text above the progress line

enum {
    // On a narrower terminal, lines of a card wrap and could not be erased (terminal.h). The card
    // is then shown only at the end.
    LIVE_COLUMNS_MIN = 60
};

void live_text_init(struct live_text *live, FILE *out)
{
    *live = (struct live_text){.out = terminal_is(out) ? out : NULL};
}

void live_text_wipe(struct live_text *live)
{
    if (!live->out || !live->lines)
        return;
    // Moves up to the first line of the text (ECMA-48, CUU) and erases the screen below (ED).
    fprintf(live->out, "\033[%uA\033[J", live->lines);
    fflush(live->out);
    live->lines = 0;
}

void live_text_draw(struct live_text *live, const char *text)
{
    struct winsize size;
    unsigned lines = 0;
    live_text_wipe(live);
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    if (!live->out || ioctl(fileno(live->out), TIOCGWINSZ, &size) != 0 || size.ws_row <= lines ||
        size.ws_col < LIVE_COLUMNS_MIN)
        return;
    fputs(text, live->out);
    fflush(live->out);
    live->lines = lines;
}
