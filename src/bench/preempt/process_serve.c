// SPDX-License-Identifier: MIT
// The hog's side of process.h.
#include "bench/preempt/duel.h"
#include "bench/preempt/process.h"

#include "base/child.h"
#include "base/clock.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES_MAX = 4096
};
static const uint64_t look_ns = 2000000;

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

static bool server_open(struct server *server, const char *device_id, struct error *err)
{
    char *api = arena_strdup(server->arena, device_id);
    api[strcspn(api, ":")] = '\0';
    server->system = gpu_system_create(&(struct gpu_system_desc){.only_api = api});
    const struct gpu_info *info = gpu_system_find(server->system, device_id);
    if (!info)
        return error_set(err, ERROR_NO_DEVICE, "%s: no such device here", device_id);
    server->device = gpu_device_open(server->system, info, &(struct gpu_device_desc){0}, err);
    if (!server->device)
        return false;
    server->scope = gpu_scope_open(server->device);
    struct measure_programs programs = {.arena = server->arena, .scope = server->scope};
    server->program = load_program(&programs, err);
    return server->program && measure_clock_probe(server->scope, &server->clock, err);
}

static void server_close(struct server *server)
{
    gpu_scope_close(server->scope);
    gpu_device_close(server->device);
    gpu_system_destroy(server->system);
}

static bool is_told(const struct server *server)
{
    struct pollfd channel = {.fd = server->fd, .events = POLLIN};
    return server->channel.used > server->channel.consumed || poll(&channel, 1, 0) != 0;
}

static bool tell_runs(struct server *server, const struct load *load, struct arena *arena,
                      struct error *err)
{
    uint64_t base = 0;
    struct load_run *runs;
    if (!load_read(load, &server->clock, &base, arena, &runs, err))
        return false;
    if (!child_channel_write(&server->channel, arena_printf(arena, "base %" PRIu64, base), err))
        return false;
    for (uint32_t r = 0; r < load->submitted; r++) {
        char *line = NULL;
        size_t bytes;
        FILE *stream = open_memstream(&line, &bytes);
        if (!stream)
            return error_set(err, ERROR_IO, "no memory for a line");
        fputs("run", stream);
        for (size_t g = 0; g < runs[r].group_count; g++)
            fprintf(stream, " %.0f %.0f %.0f %u", runs[r].groups[g].start_ns,
                    runs[r].groups[g].end_ns, runs[r].groups[g].pause_ns, runs[r].groups[g].core);
        fclose(stream);
        bool sent = child_channel_write(&server->channel, line, err);
        free(line);
        if (!sent)
            return false;
    }
    return child_channel_write(&server->channel, "end", err);
}

// What a "start" asks for.
struct order {
    struct load_desc load;
    uint32_t token, alone;
};

// From "start" to "stop".
static bool serve_load(struct server *server, const struct order *order, struct arena *arena,
                       struct error *err)
{
    const struct load_desc *desc = &order->load;
    struct load load;
    if (!load_init(&load, desc, err))
        return false;
    load_restart(&load, order->token);
    if (!load_feed(&load, 0, true, err))
        return false;
    while (load.finished < order->alone)
        if (!load_feed(&load, desc->timeout_ns, true, err))
            return false;
    if (!child_channel_write(&server->channel, "running", err))
        return false;
    while (!is_told(server)) {
        if (!load_feed(&load, look_ns, true, err))
            return false;
        if (load.finished == load.submitted) // no slots left
            clock_sleep_ns(look_ns);
    }
    const char *line = child_channel_read(&server->channel, LINE_BYTES_MAX);
    if (!line)
        return load_drain(&load, err); // the parent is gone
    return load_drain(&load, err) && tell_runs(server, &load, arena, err);
}

static bool order_parse(const char *line, struct order *order, struct error *err)
{
    struct load_desc *load = &order->load;
    struct load_shape *shape = &load->shape;
    uint32_t draws;
    // NOLINTNEXTLINE(cert-err34-c): this program wrote it, and zeros are refused
    if (sscanf(line,
               "start %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32
               " %" SCNu32 " %" SCNu32 " %" SCNu32,
               &shape->dispatches, &shape->groups, &shape->turns, &shape->ahead, &draws,
               &load->slots, &load->records, &order->token, &order->alone) == 9 &&
        shape->dispatches && shape->groups && shape->ahead && shape->ahead <= LOAD_BATCHES_MAX &&
        load->slots >= DUEL_ALONE && order->alone <= DUEL_ALONE && load->records && draws <= 1) {
        shape->draws = draws;
        return true;
    }
    return error_set(err, ERROR_USAGE, "__beside: this is no order: only fathom itself starts it");
}

static bool serve_order(struct server *server, const char *line, struct error *err)
{
    struct order order = {.load = {.queue = gpu_device_queue(server->device, 0),
                                   .program = server->program,
                                   .timeout_ns = UINT64_C(10000000000)}};
    if (!order_parse(line, &order, err))
        return false;
    struct arena *arena = arena_create();
    order.load.scope = gpu_scope_open(server->device);
    bool done = serve_load(server, &order, arena, err);
    gpu_scope_close(order.load.scope);
    arena_destroy(arena);
    return done;
}

bool process_serve(const char *device_id, int socket_fd, struct error *err)
{
    struct server server = {.arena = arena_create(), .fd = socket_fd};
    const char *line;
    child_channel_init(&server.channel, socket_fd);
    bool done = server_open(&server, device_id, err);
    while (done && (line = child_channel_read(&server.channel, LINE_BYTES_MAX)))
        done = serve_order(&server, line, err);
    struct error unsent;
    if (!done &&
        !child_channel_write(&server.channel, arena_printf(server.arena, "error %s", err->message),
                             &unsent))
        error_prefix(err, "unheard");
    server_close(&server);
    child_channel_fini(&server.channel);
    arena_destroy(server.arena);
    return done;
}
