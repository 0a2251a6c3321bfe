// SPDX-License-Identifier: MIT
#include "suite/worker.h"

#include "base/child.h"

static const size_t order_bytes_max = (size_t)1 << 20;

static bool is_end_of_device(const struct error *failure)
{
    return failure->code == ERROR_DEVICE_LOST || failure->code == ERROR_TIMEOUT;
}

// Where a visit of a co-run waits for the other devices. The parent's line is not checked here: if
// the parent is gone, writing the answer fails.
struct gate {
    struct child_channel *channel;
    bool passed;
};

static void pass_gate(void *context)
{
    struct gate *gate = context;
    if (gate->passed)
        return;
    gate->passed = true;
    struct arena *arena = arena_create();
    struct error unheard;
    if (child_channel_write(gate->channel, protocol_write_gate(arena), &unheard))
        (void)child_channel_read(gate->channel, order_bytes_max);
    arena_destroy(arena);
}

// Makes the visit that `line` asks for and returns the answer, which lives in `arena`. `failure` is
// the visit's error, if any.
static const char *answer(struct visitor *visitor, struct child_channel *channel, const char *line,
                          struct arena *arena, struct error *failure)
{
    struct visit_order order;
    struct measure_visit *visit;
    *failure = (struct error){.code = ERROR_NONE};
    if (!protocol_read_order(arena, line, &order, failure))
        return protocol_write_failure(arena, failure);
    struct measure_request request = *order.request;
    struct gate state = {.channel = channel};
    const struct measure_gate gate = {.pass = pass_gate, .context = &state};
    request.gate = order.waits ? &gate : NULL;
    order.request = &request;
    if (!visitor_visit(visitor, &order, arena, &visit, failure))
        return protocol_write_failure(arena, failure);
    failure->code = ERROR_NONE; // the visit may have set it and recovered
    return protocol_write_visit(arena, visit);
}

static bool serve(struct visitor *visitor, struct child_channel *channel, struct error *err)
{
    bool served = true, usable = true;
    const char *line;
    while (served && usable && (line = child_channel_read(channel, order_bytes_max))) {
        struct arena *arena = arena_create();
        struct error failure;
        const char *text = answer(visitor, channel, line, arena, &failure);
        served = child_channel_write(channel, text, err);
        usable = !is_end_of_device(&failure);
        arena_destroy(arena);
    }
    return served;
}

// Answers every request with the reason why the device could not be opened.
static bool serve_failure(const struct error *failure, struct child_channel *channel,
                          struct error *err)
{
    struct arena *arena = arena_create();
    const char *text = protocol_write_failure(arena, failure);
    bool served = true;
    while (served && child_channel_read(channel, order_bytes_max))
        served = child_channel_write(channel, text, err);
    arena_destroy(arena);
    return served;
}

bool worker_serve(const struct visitor_desc *desc, int socket_fd, struct error *err)
{
    struct child_channel channel;
    child_channel_init(&channel, socket_fd);
    struct error failure;
    struct visitor *visitor = visitor_create(desc, &failure);
    bool served = visitor ? serve(visitor, &channel, err) : serve_failure(&failure, &channel, err);
    visitor_destroy(visitor);
    child_channel_fini(&channel);
    return served;
}
