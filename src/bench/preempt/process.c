// SPDX-License-Identifier: MIT
// Implements the protocol of bench/preempt/process.h. First come the functions of the process that
// measures. Then come the functions of the process that runs a hog or an application.
#include "bench/preempt/process.h"

#include "base/child.h"
#include "base/child_channel.h"
#include "base/clock.h"
#include "base/text.h"

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
    NUMBERS_AN_ANSWER = 3,
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

// Receives a line that must begin with `word`, and returns the text after `word`. Returns NULL with
// `err` if another line or no line comes.
static const char *line_expect(struct process *process, const char *word, struct error *err)
{
    const char *line = "";
    switch (child_receive(process->child, process->timeout_ns + start_ns, -1, &line)) {
    case CHILD_LINE:
        break;
    case CHILD_TIMEOUT:
        error_set(err, ERROR_TIMEOUT, "the other process said nothing for %.3g s",
                  (double)(process->timeout_ns + start_ns) * 1e-9);
        return NULL;
    case CHILD_WOKEN:
    case CHILD_GONE:
    case CHILD_MALFORMED:
        error_set(err, ERROR_IO, "the other process is gone: %s", child_end_text(process->child));
        return NULL;
    }
    if (text_begins(line, word))
        return line + strlen(word);
    error_set(err, ERROR_IO, "the other process: %s", line);
    return NULL;
}

bool process_start(struct process *process, const struct process_start *start, struct error *err)
{
    struct arena *arena = arena_create();
    const struct load_desc *desc = &start->load;
    const char *line = arena_printf(
        arena, "%s %u %u %u %u %u %u %u %u %u", start->prepares ? "prepare" : "start",
        desc->work.dispatches, desc->work.groups, desc->work.iterations, desc->work.ahead,
        desc->work.draws, desc->slots, desc->records, start->token, start->alone);
    process->timeout_ns = desc->timeout_ns;
    bool done = child_send(process->child, line, send_ns, err) &&
                line_expect(process, start->prepares ? "ready" : "running", err);
    arena_destroy(arena);
    return done;
}

bool process_arrive(struct process *process, uint64_t first_ns, struct error *err)
{
    char line[64];
    snprintf(line, sizeof line, "arrive %" PRIu64, first_ns);
    return child_send(process->child, line, send_ns, err);
}

// Reads up to `count` numbers from *text and advances *text. Returns the number of numbers read.
static size_t numbers_read(const char **text, double *numbers, size_t count)
{
    for (size_t n = 0; n < count; n++) {
        char *end;
        numbers[n] = strtod(*text, &end);
        if (end == *text)
            return n;
        *text = end;
    }
    return count;
}

bool process_answers(struct process *process, struct contention *result, struct error *err)
{
    const char *line = line_expect(process, "answers ", err);
    double head[3], numbers[NUMBERS_AN_ANSWER];
    *result = (struct contention){0};
    if (!line)
        return false;
    bool sound = numbers_read(&line, head, 3) == 3;
    while (sound && numbers_read(&line, numbers, NUMBERS_AN_ANSWER) == NUMBERS_AN_ANSWER &&
           result->count < CONTENTION_SAMPLES_MAX)
        result->answers[result->count++] = (struct contention_answer){
            numbers[0], (uint32_t)numbers[1], .censored = numbers[2] != 0};
    if (!sound || result->count == 0 || *line)
        return error_set(err, ERROR_IO, "the application's process: the answers cannot be read");
    result->due = result->count;
    result->late = (uint32_t)head[0];
    result->answered = (uint32_t)head[1];
    result->met = (uint32_t)head[2];
    return true;
}

static bool run_parse(const char *text, struct arena *arena, struct load_run *run)
{
    size_t spaces = 0;
    for (const char *at = text; *at; at++)
        spaces += *at == ' ';
    run->groups = ARENA_ARRAY(arena, spaces / NUMBERS_A_GROUP, struct load_group);
    for (size_t g = 0; g < spaces / NUMBERS_A_GROUP; g++) {
        double numbers[NUMBERS_A_GROUP];
        if (numbers_read(&text, numbers, NUMBERS_A_GROUP) < NUMBERS_A_GROUP)
            return false;
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
        return error_set(err, ERROR_IO, "the other process: no number: %s", line);
    while ((line = line_expect(process, "", err)) && text_begins(line, "run")) {
        list = arena_grow(arena, list, used, &capacity, sizeof *list);
        list[used] = (struct load_run){0};
        if (!run_parse(line + strlen("run"), arena, &list[used++]))
            return error_set(err, ERROR_IO, "the other process: a record cannot be read");
    }
    if (line && strcmp(line, "end") != 0)
        return error_set(err, ERROR_IO, "the other process: %s", line);
    *runs = list;
    *count = (uint32_t)used;
    return line != NULL;
}

// ---------------------------------------------------------------- the other side

struct server {
    struct arena *arena;
    struct gpu_system *system;
    struct bench_session bench; // all zeros if the device could not be opened
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
    return bench_session_open(&server->bench, server->system, info, NULL, err) &&
           (server->program = load_program(&server->bench.programs, err)) &&
           bench_clock_probe(&server->bench, err);
}

// Returns true if the parent process has sent a line or closed the socket.
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
    if (!load_read(load, &server->bench.clock, &base, arena, &runs, err))
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

// Waits for the parent's line ("stop") and all submissions, then sends the records. If the parent
// closed the socket, sends nothing.
static bool finish(struct server *server, struct load *load, struct arena *arena, struct error *err)
{
    const char *line = child_channel_read(&server->channel, LINE_BYTES_MAX);
    return load_drain(load, err) && (!line || send_runs(server, load, arena, err));
}

// Runs a hog until the parent process sends a line or closes the socket.
static bool serve_hog(struct server *server, const struct process_start *start, struct load *load,
                      struct error *err)
{
    const struct load_desc *desc = &start->load;
    if (!load_feed(load, 0, true, err))
        return false;
    while (load->finished < start->alone)
        if (!load_feed(load, desc->timeout_ns, true, err))
            return false;
    if (!child_channel_write(&server->channel, "running", err))
        return false;
    while (!has_line(server)) {
        if (!load_feed(load, look_ns, true, err))
            return false;
        // Without work, load_feed returns at once, and the loop would keep a processor busy.
        if (load->finished == load->submitted)
            clock_sleep_ns(look_ns);
    }
    return true;
}

static bool send_answers(struct server *server, const struct contention *result, struct error *err)
{
    struct text_stream line;
    text_stream_open(&line);
    fprintf(line.file, "answers %u %u %u", result->late, result->answered, result->met);
    for (uint32_t i = 0; i < result->count; i++)
        fprintf(line.file, " %.0f %u %d", result->answers[i].response_ns, result->answers[i].victim,
                result->answers[i].censored);
    text_stream_close(&line);
    bool sent = child_channel_write(&server->channel, line.text, err);
    free(line.text);
    return sent;
}

// Records the frames of an application, and submits them at the parent process's deadlines.
static bool serve_application(struct server *server, struct load *load, struct error *err)
{
    struct contention_arrivals arrivals = {
        .load = load, .samples = load->desc.slots, .patience_ns = CONTENTION_PATIENCE_NS};
    struct contention result = {0};
    for (uint32_t i = 0; i < load->desc.slots; i++)
        if (!load_prepare(load, err))
            return false;
    if (!child_channel_write(&server->channel, "ready", err))
        return false;
    const char *line = child_channel_read(&server->channel, LINE_BYTES_MAX);
    if (!line)
        return true; // the parent process has closed the socket
    if (!text_begins(line, "arrive ") ||
        !text_parse_uint(line + strlen("arrive "), &arrivals.first_ns))
        return error_set(err, ERROR_USAGE, "__beside: this is no \"arrive\" line");
    return contention_arrive(&arrivals, &result, err) && send_answers(server, &result, err);
}

static bool start_parse(const char *line, struct process_start *start, struct error *err)
{
    struct load_desc *load = &start->load;
    struct load_work *work = &load->work;
    uint32_t draws;
    start->prepares = text_begins(line, "prepare ");
    bool known = start->prepares || text_begins(line, "start ");
    // NOLINTNEXTLINE(cert-err34-c): fathom itself wrote the line; the numbers are checked below
    int read = sscanf(line,
                      "%*[a-z] %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32
                      " %" SCNu32 " %" SCNu32 " %" SCNu32,
                      &work->dispatches, &work->groups, &work->iterations, &work->ahead, &draws,
                      &load->slots, &load->records, &start->token, &start->alone);
    if (known && read == 9 && work->dispatches && work->groups && work->ahead &&
        work->ahead <= LOAD_BATCHES_MAX && load->slots && start->alone <= CONTENTION_ALONE &&
        start->alone <= load->slots && load->records && draws <= 1) {
        work->draws = draws;
        return true;
    }
    return error_set(err, ERROR_USAGE,
                     "__beside: this line starts no load; only fathom itself runs this command");
}

static bool serve_load(struct server *server, const char *line, struct error *err)
{
    struct process_start start = {.load = {.queue = gpu_device_queue(server->bench.device, 0),
                                           .program = server->program,
                                           .timeout_ns = UINT64_C(10000000000)}};
    if (!start_parse(line, &start, err))
        return false;
    if (start.prepares && start.load.work.ahead < start.load.slots)
        return error_set(err, ERROR_USAGE, "__beside: not all frames can be recorded");
    struct arena *arena = arena_create();
    struct load load;
    start.load.scope = gpu_scope_open(server->bench.device);
    bool done = load_init(&load, &start.load, err);
    if (done) {
        load_restart(&load, start.token);
        done = (start.prepares ? serve_application(server, &load, err)
                               : serve_hog(server, &start, &load, err)) &&
               finish(server, &load, arena, err);
    }
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
        done = serve_load(&server, line, err);
    struct error unsent;
    if (!done &&
        !child_channel_write(&server.channel, arena_printf(server.arena, "error %s", err->message),
                             &unsent))
        error_prefix(err, "the parent did not get this message");
    bench_session_close(&server.bench);
    gpu_system_destroy(server.system);
    child_channel_fini(&server.channel);
    arena_destroy(server.arena);
    return done;
}
