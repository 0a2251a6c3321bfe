// SPDX-License-Identifier: MIT
#include "suite/worker.h"

#include "base/child.h"

static const size_t order_bytes_max = (size_t)1 << 20;

static bool is_end_of_device(const struct error *failure)
{
    return failure->code == ERROR_DEVICE_LOST || failure->code == ERROR_TIMEOUT;
}

// One order; the answer in `arena`. What makes the worker end stays in `failure`.
static const char *answer(struct visitor *visitor, const char *line, struct arena *arena,
                          struct error *failure)
{
    struct visit_order order;
    struct measure_visit *visit;
    *failure = (struct error){.code = ERROR_NONE};
    if (!protocol_read_order(arena, line, &order, failure) ||
        !visitor_visit(visitor, &order, arena, &visit, failure))
        return protocol_write_failure(arena, failure);
    failure->code = ERROR_NONE; // one that the visit met and got over
    return protocol_write_visit(arena, &order.benchmark->info, visit);
}

static bool serve(struct visitor *visitor, struct child_channel *channel, struct error *err)
{
    bool served = true, usable = true;
    const char *line;
    while (served && usable && (line = child_channel_read(channel, order_bytes_max))) {
        struct arena *arena = arena_create();
        struct error failure;
        served = child_channel_write(channel, answer(visitor, line, arena, &failure), err);
        usable = !is_end_of_device(&failure);
        arena_destroy(arena);
    }
    return served;
}

// A device that is not there any more: every order gets that answer.
static bool serve_absence(const struct error *absence, struct child_channel *channel,
                          struct error *err)
{
    struct arena *arena = arena_create();
    const char *text = protocol_write_failure(arena, absence);
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
    struct error absence;
    struct visitor *visitor = visitor_create(desc, &absence);
    bool served = visitor ? serve(visitor, &channel, err) : serve_absence(&absence, &channel, err);
    visitor_destroy(visitor);
    child_channel_fini(&channel);
    return served;
}
