// SPDX-License-Identifier: MIT
#include "sensors/guard.h"

#include "base/child.h"
#include "base/child_channel.h"
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Maximum time in ns to wait for an answer or the end of the guard. It is long, because drivers
// take seconds to wake up a sleeping card.
static const uint64_t answer_ns = 20 * NS_PER_S;
static const uint64_t end_ns = 10 * NS_PER_S;

struct clock_guard {
    struct arena *arena;
    struct clock_guard_desc desc;
    struct child *child; // the guard process; NULL while none runs
    const char *before;
    double asked_hz;   // core clock in Hz that the caller asked for; 0 if no clock needs restoring
    double granted_hz; // core clock in Hz that the last lock set; 0 if that lock failed
    bool undo; // true if a guard process died while the clock was locked; it may still be locked
};

// ---------------------------------------------------------------- asking

static bool lose(struct clock_guard *guard, const char *why, struct error *err)
{
    error_set(err, ERROR_INTERNAL, "the process that holds the core clock %s: %s", why,
              child_end_text(guard->child));
    child_destroy(guard->child, 0);
    guard->child = NULL;
    guard->undo |= guard->asked_hz > 0;
    guard->asked_hz = 0;
    return false;
}

// Sends a request. Fails unless the answer's first word is `expected`; *rest is the text after it.
static bool ask(struct clock_guard *guard, const char *line, const char *expected,
                const char **rest, struct error *err)
{
    struct error unsent;
    const char *answer = "";
    if (!child_send(guard->child, line, answer_ns, &unsent))
        return lose(guard, "cannot be reached", err);
    if (child_receive(guard->child, answer_ns, -1, &answer) != CHILD_LINE)
        return lose(guard, "does not answer", err);
    size_t word = strcspn(answer, " ");
    *rest = answer[word] ? answer + word + 1 : "";
    if (strncmp(answer, expected, word) == 0 && expected[word] == '\0')
        return true;
    if (strncmp(answer, "failure ", word + 1) == 0)
        return error_set(err, ERROR_UNSUPPORTED, "%s", *rest);
    return lose(guard, "gave a wrong answer", err);
}

static const char *or_dash(const char *text)
{
    return text && *text ? text : "-";
}

static const char *uuid_text(struct arena *arena, const uint8_t *uuid)
{
    const char *text = "";
    for (int i = 0; uuid && i < 16; i++)
        text = arena_printf(arena, "%s%02x", text, uuid[i]);
    return text;
}

static bool open_card(struct clock_guard *guard, struct error *err)
{
    const struct sensor_clocks_desc *card = &guard->desc.card;
    const char *before = "";
    if (!ask(guard,
             arena_printf(guard->arena, "open %ld %s %s %s %s %s",
                          card->own_pid ? card->own_pid : (long)getpid(),
                          or_dash(uuid_text(guard->arena, card->card.uuid)),
                          or_dash(card->card.pci), or_dash(card->card.sysfs_root),
                          or_dash(card->proc_root), or_dash(guard->undo ? guard->before : NULL)),
             "ready", &before, err))
        return false;
    guard->undo = false;
    guard->before = arena_strdup(guard->arena, before);
    return true;
}

static bool start(struct clock_guard *guard, struct error *err)
{
    if (guard->child)
        return true;
    guard->child = child_create(&(struct child_desc){.argv = guard->desc.argv,
                                                     .environment = guard->desc.environment,
                                                     .outlives = true},
                                err);
    if (guard->child && open_card(guard, err))
        return true;
    child_destroy(guard->child, end_ns);
    guard->child = NULL;
    return false;
}

// ---------------------------------------------------------------- the parent's side

struct clock_guard *clock_guard_create(const struct clock_guard_desc *desc, struct error *err)
{
    struct arena *arena = arena_create();
    struct clock_guard *guard = ARENA_NEW(arena, struct clock_guard);
    *guard = (struct clock_guard){.arena = arena, .desc = *desc};
    if (start(guard, err))
        return guard;
    arena_destroy(arena);
    return NULL;
}

bool clock_guard_destroy(struct clock_guard *guard, struct error *err)
{
    if (!guard)
        return true;
    bool restored = clock_guard_restore(guard, err);
    child_destroy(guard->child, end_ns);
    arena_destroy(guard->arena);
    return restored;
}

bool clock_guard_lock(struct clock_guard *guard, double hz, double *granted_hz, struct error *err)
{
    const char *granted;
    if (guard->asked_hz == hz && guard->granted_hz > 0) {
        *granted_hz = guard->granted_hz;
        return true;
    }
    if (!start(guard, err))
        return false;
    // The clock may be locked as soon as the request is sent, so asked_hz is set before.
    guard->asked_hz = hz;
    guard->granted_hz = 0;
    if (ask(guard, arena_printf(guard->arena, "lock %.0f", hz), "locked", &granted, err)) {
        *granted_hz = guard->granted_hz = strtod(granted, NULL);
        return true;
    }
    struct error stays;
    if (!clock_guard_restore(guard, &stays))
        error_prefix(err, "%s; before", stays.message);
    return false;
}

bool clock_guard_restore(struct clock_guard *guard, struct error *err)
{
    const char *rest;
    if (guard->undo)
        return start(guard, err);
    if (guard->asked_hz == 0)
        return true;
    if (!ask(guard, "restore", "restored", &rest, err))
        return guard->undo && start(guard, err);
    guard->asked_hz = 0;
    return true;
}

const char *clock_guard_before(const struct clock_guard *guard)
{
    return guard->before;
}

// ---------------------------------------------------------------- the guard's own side

struct guarding {
    struct child_channel *channel;
    struct arena *arena;
    struct sensor_clocks *clocks; // clocks of the card; NULL before the request "open"
};

static const char *or_null(const char *word)
{
    return strcmp(word, "-") == 0 ? NULL : word;
}

// Returns the 16 bytes that the first 32 characters of `text`, hex digits, stand for. Returns NULL
// if `text` has fewer digits.
static const uint8_t *read_uuid(struct arena *arena, const char *text)
{
    uint8_t *uuid = ARENA_ARRAY(arena, 16, uint8_t);
    for (size_t i = 0; i < 16; i++) {
        char digits[] = {text[2 * i], text[2 * i] ? text[2 * i + 1] : '\0', '\0'}, *end;
        uuid[i] = (uint8_t)strtoul(digits, &end, 16);
        if (end != digits + 2)
            return NULL;
    }
    return uuid;
}

static const char *handle_open(struct guarding *g, char *words, struct error *err)
{
    enum {
        WORDS = 6
    };
    const char *parts[WORDS];
    size_t count = 0;
    while (*words && count < WORDS) {
        parts[count++] = words;
        words += strcspn(words, " ");
        if (*words)
            *words++ = '\0';
    }
    if (*words || count < WORDS) {
        error_set(err, ERROR_USAGE, "a request to open has %d words", WORDS);
        return NULL;
    }
    const struct sensor_clocks_desc desc = {
        .card = {.uuid = or_null(parts[1]) ? read_uuid(g->arena, parts[1]) : NULL,
                 .pci = or_null(parts[2]),
                 .sysfs_root = or_null(parts[3])},
        .proc_root = or_null(parts[4]),
        .own_pid = strtol(parts[0], NULL, 10),
        .undo = or_null(parts[5]),
    };
    g->clocks = sensor_clocks_open(&desc, err);
    return g->clocks ? arena_printf(g->arena, "ready %s", sensor_clocks_before(g->clocks)) : NULL;
}

static const char *handle_lock(struct guarding *g, const char *hz, struct error *err)
{
    double granted_hz;
    return sensor_clocks_lock(g->clocks, strtod(hz, NULL), &granted_hz, err)
               ? arena_printf(g->arena, "locked %.0f", granted_hz)
               : NULL;
}

// Carries out a request. Returns the answer, in g->arena; NULL with the reason if it fails.
static const char *handle(struct guarding *g, const char *line, struct error *err)
{
    char *request = arena_strdup(g->arena, line);
    char *rest = request + strcspn(request, " ");
    if (*rest)
        *rest++ = '\0';
    if (strcmp(request, "open") == 0 && !g->clocks)
        return handle_open(g, rest, err);
    if (strcmp(request, "lock") == 0 && g->clocks)
        return handle_lock(g, rest, err);
    if (strcmp(request, "restore") == 0 && g->clocks)
        return sensor_clocks_restore(g->clocks, err) ? "restored" : NULL;
    error_set(err, ERROR_USAGE, "unknown request: only fathom itself starts a guard");
    return NULL;
}

static bool serve(struct guarding *g, struct error *err)
{
    enum {
        LINE_BYTES_MAX = 8192
    };
    const char *line;
    while ((line = child_channel_read(g->channel, LINE_BYTES_MAX))) {
        struct error failure, unheard;
        const char *answer = handle(g, line, &failure);
        if (!answer)
            answer = arena_printf(g->arena, "failure %s", failure.message);
        if (!child_channel_write(g->channel, answer, &unheard))
            break; // the parent has ended, so no further request comes
    }
    if (!g->clocks || sensor_clocks_restore(g->clocks, err))
        return true;
    return error_prefix(err, "the core clock stays locked: give it back by hand (NVIDIA: "
                             "nvidia-smi -rgc; AMD: auto in power_dpm_force_performance_level)");
}

bool clock_guard_serve(int socket_fd, struct error *err)
{
    struct child_channel channel;
    child_channel_init(&channel, socket_fd);
    struct guarding g = {.channel = &channel, .arena = arena_create()};
    bool restored = serve(&g, err);
    sensor_clocks_close(g.clocks);
    arena_destroy(g.arena);
    child_channel_fini(&channel);
    return restored;
}
