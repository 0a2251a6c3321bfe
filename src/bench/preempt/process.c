// SPDX-License-Identifier: MIT
// The protocol of process.h: first the side that measures, then the hog's side.
#include "bench/preempt/process.h"

#include "base/child.h"
#include "base/clock.h"
#include "base/text.h"
#include "bench/preempt/contention.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct process {
    struct child *child;
    uint64_t timeout_ns;
};

enum {
    NUMBERS_A_GROUP = 4,
    LINE_BYTES_MAX = 4096
};
static const uint64_t send_ns = NS_PER_S, grace_ns = 2 * NS_PER_S, start_ns = 20 * NS_PER_S;
static const uint64_t look_ns = 2000000;

struct process *process_create(struct arena *arena, const struct gpu_info *device,
                               struct error *err)
{
    const char *const argv[] = {
        "/proc/self/exe", "__beside", "preempt", "-d", gpu_info_identity(arena, device), NULL};
    struct process *process = ARENA_NEW(arena, struct process);
    process->child = child_create(&(struct child_desc){.argv = argv}, err);
    return process->child ? process : NULL;
}

void process_destroy(struct process *process)
{
    if (process)
        child_destroy(process->child, grace_ns);
}

// Receives the next line, which must begin with `word`, and returns the text after it. NULL with
// `err` if the line begins with another word, or if no line came.
static const char *line_expect(struct process *process, const char *word, struct error *err)
{
    const char *line = "";
    switch (child_receive(process->child, process->timeout_ns + start_ns, -1, &line)) {
    case CHILD_LINE:
        break;
    case CHILD_TIMEOUT:
        error_set(err, ERROR_TIMEOUT, "the hog's process said nothing for %.3g s",
                  (double)(process->timeout_ns + start_ns) * 1e-9);
        return NULL;
    case CHILD_WOKEN:
    case CHILD_GONE:
    case CHILD_MALFORMED:
        error_set(err, ERROR_IO, "the hog's process is gone: %s", child_end_text(process->child));
        return NULL;
    }
    if (text_begins(line, word))
        return line + strlen(word);
    error_set(err, ERROR_IO, "the hog's process: %s", line);
    return NULL;
}

bool process_start(struct process *process, const struct process_start *start, struct error *err)
{
    struct arena *arena = arena_create();
    const struct load_desc *desc = &start->load;
    const char *line =
        arena_printf(arena, "start %u %u %u %u %u %u %u %u %u", desc->work.dispatches,
                     desc->work.groups, desc->work.iterations, desc->work.ahead, desc->work.draws,
                     desc->slots, desc->records, start->token, start->alone);
    process->timeout_ns = desc->timeout_ns;
    bool done = child_send(process->child, line, send_ns, err) &&
                line_expect(process, "running", err) != NULL;
    arena_destroy(arena);
    return done;
}

static bool run_parse(const char *text, struct arena *arena, struct load_run *run)
{
    size_t spaces = 0;
    for (const char *at = text; *at; at++)
        spaces += *at == ' ';
    run->groups = ARENA_ARRAY(arena, spaces / NUMBERS_A_GROUP, struct load_group);
    for (size_t g = 0; g < spaces / NUMBERS_A_GROUP; g++) {
        double numbers[NUMBERS_A_GROUP];
        for (int n = 0; n < NUMBERS_A_GROUP; n++) {
            char *end;
            numbers[n] = strtod(text, &end);
            if (end == text)
                return false;
            text = end;
        }
        load_run_add(run,
                     (struct load_group){numbers[0], numbers[1], numbers[2], (uint32_t)numbers[3]});
    }
    return run->group_count > 0;
}

bool process_stop(struct process *process, struct arena *arena, uint64_t *base,
                  struct load_run **runs, uint32_t *count, struct error *err)
{
    const char *line;
    size_t capacity = 0, used = 0;
    struct load_run *list = NULL;
    *count = 0;
    if (!child_send(process->child, "stop", send_ns, err) ||
        !(line = line_expect(process, "base ", err)))
        return false;
    if (!text_parse_uint(line, base))
        return error_set(err, ERROR_IO, "the hog's process: no number: %s", line);
    while ((line = line_expect(process, "", err)) && text_begins(line, "run")) {
        list = arena_grow(arena, list, used, &capacity, sizeof *list);
        list[used] = (struct load_run){0};
        if (!run_parse(line + strlen("run"), arena, &list[used++]))
            return error_set(err, ERROR_IO, "the hog's process: a record cannot be read");
    }
    if (line && strcmp(line, "end") != 0)
        return error_set(err, ERROR_IO, "the hog's process: %s", line);
    *runs = list;
    *count = (uint32_t)used;
    return line != NULL;
}

// ---------------------------------------------------------------- the hog's side

struct server {
    struct arena *arena;
    struct gpu_system *system;
    struct gpu_device *device;
    struct gpu_scope *scope;
    struct measure_clock clock;
    struct gpu_program *program;
    struct child_channel channel;
    int fd;
};

static bool server_open(struct server *server, const char *device, struct error *err)
{
    char *api = arena_strdup(server->arena, device);
    api[strcspn(api, ":")] = '\0';
    server->system = gpu_system_create(
        &(struct gpu_system_desc){.only_api = api, .known = &device, .known_count = 1});
    const struct gpu_info *info = gpu_system_find(server->system, device);
    if (!info)
        return error_set(err, ERROR_NO_DEVICE, "%s: no such device here", device);
    server->device = gpu_device_open(server->system, info, &(struct gpu_device_desc){0}, err);
    if (!server->device)
        return false;
    server->scope = gpu_scope_open(server->device);
    struct measure_programs programs = {.arena = server->arena, .scope = server->scope};
    server->program = load_program(&programs, err);
    return server->program && measure_clock_probe(server->scope, &server->clock, err);
}

// True if the parent process has sent a line or closed the socket.
static bool has_line(const struct server *server)
{
    struct pollfd channel = {.fd = server->fd, .events = POLLIN};
    return server->channel.used > server->channel.consumed || poll(&channel, 1, 0) != 0;
}

static bool send_runs(struct server *server, const struct load *load, struct arena *arena,
                      struct error *err)
{
    uint64_t base = 0;
    struct load_run *runs;
    if (!load_read(load, &server->clock, &base, arena, &runs, err))
        return false;
    if (!child_channel_write(&server->channel, arena_printf(arena, "base %" PRIu64, base), err))
        return false;
    for (uint32_t r = 0; r < load->submitted; r++) {
        struct text_stream line;
        text_stream_open(&line);
        fputs("run", line.file);
        for (size_t g = 0; g < runs[r].group_count; g++)
            fprintf(line.file, " %.0f %.0f %.0f %u", runs[r].groups[g].start_ns,
                    runs[r].groups[g].end_ns, runs[r].groups[g].pause_ns, runs[r].groups[g].core);
        text_stream_close(&line);
        bool sent = child_channel_write(&server->channel, line.text, err);
        free(line.text);
        if (!sent)
            return false;
    }
    return child_channel_write(&server->channel, "end", err);
}

// Runs a load until the parent process sends a line, and then sends the load's records. Sends none
// if the parent has closed the socket.
static bool serve_load(struct server *server, const struct process_start *start,
                       struct arena *arena, struct error *err)
{
    const struct load_desc *desc = &start->load;
    struct load load;
    if (!load_init(&load, desc, err))
        return false;
    load_restart(&load, start->token);
    if (!load_feed(&load, 0, true, err))
        return false;
    while (load.finished < start->alone)
        if (!load_feed(&load, desc->timeout_ns, true, err))
            return false;
    if (!child_channel_write(&server->channel, "running", err))
        return false;
    while (!has_line(server)) {
        if (!load_feed(&load, look_ns, true, err))
            return false;
        if (load.finished == load.submitted) // all slots are used, so load_feed does not wait
            clock_sleep_ns(look_ns);
    }
    const char *line = child_channel_read(&server->channel, LINE_BYTES_MAX);
    if (!line)
        return load_drain(&load, err); // the parent has closed the socket
    return load_drain(&load, err) && send_runs(server, &load, arena, err);
}

static bool start_parse(const char *line, struct process_start *start, struct error *err)
{
    struct load_desc *load = &start->load;
    struct load_work *work = &load->work;
    uint32_t draws;
    // NOLINTNEXTLINE(cert-err34-c): fathom itself wrote the line; the numbers are checked below
    if (sscanf(line,
               "start %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32
               " %" SCNu32 " %" SCNu32 " %" SCNu32,
               &work->dispatches, &work->groups, &work->iterations, &work->ahead, &draws,
               &load->slots, &load->records, &start->token, &start->alone) == 9 &&
        work->dispatches && work->groups && work->ahead && work->ahead <= LOAD_BATCHES_MAX &&
        load->slots >= CONTENTION_ALONE && start->alone <= CONTENTION_ALONE && load->records &&
        draws <= 1) {
        work->draws = draws;
        return true;
    }
    return error_set(err, ERROR_USAGE,
                     "__beside: this is no \"start\" line; only fathom itself runs this command");
}

static bool serve_start(struct server *server, const char *line, struct error *err)
{
    struct process_start start = {.load = {.queue = gpu_device_queue(server->device, 0),
                                           .program = server->program,
                                           .timeout_ns = UINT64_C(10000000000)}};
    if (!start_parse(line, &start, err))
        return false;
    struct arena *arena = arena_create();
    start.load.scope = gpu_scope_open(server->device);
    bool done = serve_load(server, &start, arena, err);
    gpu_scope_close(start.load.scope);
    arena_destroy(arena);
    return done;
}

bool process_serve(const char *device, int socket_fd, struct error *err)
{
    struct server server = {.arena = arena_create(), .fd = socket_fd};
    const char *line;
    child_channel_init(&server.channel, socket_fd);
    bool done = server_open(&server, device, err);
    while (done && (line = child_channel_read(&server.channel, LINE_BYTES_MAX)))
        done = serve_start(&server, line, err);
    struct error unsent;
    if (!done &&
        !child_channel_write(&server.channel, arena_printf(server.arena, "error %s", err->message),
                             &unsent))
        error_prefix(err, "the parent did not get this message");
    gpu_scope_close(server.scope);
    gpu_device_close(server.device);
    gpu_system_destroy(server.system);
    child_channel_fini(&server.channel);
    arena_destroy(server.arena);
    return done;
}
