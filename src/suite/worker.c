// SPDX-License-Identifier: MIT
// The worker process: reads orders from the parent, carries them out with a visitor, and answers.
#include "suite/visitor.h"

#include "base/child_channel.h"
#include "base/processors.h"
#include "base/text.h"
#include "measure/card.h"

#include <unistd.h>

static const size_t order_bytes_max = (size_t)1 << 20;

// The gate, at which a visit of a co-run waits for the other devices. Any line from the parent
// opens the gate. If the parent has ended, the visit continues, but its answer cannot be sent.
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

// Returns the message for the parent about a watch. Sets *failure, to ERROR_NONE if the watch
// succeeds.
static const char *answer_watch(struct visitor *visitor, uint64_t least_ns, struct arena *arena,
                                struct error *failure)
{
    struct watch_finding finding;
    if (!visitor_watch(visitor, least_ns, arena, &finding, failure))
        return protocol_write_failure(arena, failure);
    failure->code = ERROR_NONE;
    return protocol_write_finding(arena, &finding);
}

// True if the parent has ended or sent a line, which can only be "leave" (measure_leave.is_asked).
static bool is_asked_to_leave(void *context)
{
    return child_channel_is_ready(context);
}

// Carries out a visit or a watch. Returns the message for the parent, in `arena`, and sets
// *failure.
static const char *answer(struct visitor *visitor, struct child_channel *channel, const char *line,
                          struct arena *arena, struct error *failure)
{
    struct visit_order order;
    struct measure_visit *visit;
    uint64_t least_ns;
    *failure = (struct error){.code = ERROR_NONE};
    if (protocol_is_watch(line, &least_ns))
        return answer_watch(visitor, least_ns, arena, failure);
    if (!protocol_read_order(arena, line, &order, failure))
        return protocol_write_failure(arena, failure);
    struct measure_request request = *order.request;
    struct gate state = {.channel = channel};
    const struct measure_gate gate = {.pass = pass_gate, .context = &state};
    const struct measure_leave leave = {.is_asked = is_asked_to_leave, .context = channel};
    request.gate = order.waits ? &gate : NULL;
    request.leave = &leave;
    order.request = &request;
    if (!visitor_visit(visitor, &order, arena, &visit, failure))
        return protocol_write_failure(arena, failure);
    failure->code = ERROR_NONE; // the visit may have set an error and then recovered from it
    return protocol_write_visit(arena, visit);
}

static bool serve(struct visitor *visitor, struct child_channel *channel, struct error *err)
{
    bool served = true, usable = true;
    const char *line;
    while (served && usable && (line = child_channel_read(channel, order_bytes_max))) {
        if (protocol_is_leave(line))
            continue; // the parent asked to end a visit that had already ended
        struct arena *arena = arena_create();
        struct error failure;
        const char *text = answer(visitor, channel, line, arena, &failure);
        served = child_channel_write(channel, text, err);
        usable = !visitor_is_lost(&failure);
        arena_destroy(arena);
    }
    return served;
}

// Answers every order of the parent with the same error, which says why there is no visitor.
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

void visitor_move_to(const struct gpu_info *info)
{
    struct arena *arena = arena_create();
    const struct sensors_desc card = measure_card_of(arena, info);
    char list[4096];
    if (card.pci &&
        text_read_line(list, sizeof list, "/sys/bus/pci/devices/%s/local_cpulist", card.pci))
        (void)processors_bind(list);
    arena_destroy(arena);
}

bool visitor_serve(const struct visitor_desc *desc, int socket_fd, struct error *err)
{
    struct child_channel channel;
    child_channel_init(&channel, socket_fd);
    struct error failure;
    struct visitor_desc own = *desc;
    own.family_pid = (long)getppid();
    struct visitor *visitor = visitor_create(&own, &failure);
    if (visitor && desc->near)
        visitor_move_to(visitor_info(visitor));
    bool served = visitor ? serve(visitor, &channel, err) : serve_failure(&failure, &channel, err);
    visitor_destroy(visitor);
    child_channel_fini(&channel);
    return served;
}
