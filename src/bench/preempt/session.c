// SPDX-License-Identifier: MIT
#include "bench/preempt/session.h"

#include "bench/preempt/process.h"
#include "bench/queue_pair.h"

#include <string.h>

static const struct {
    const char *name;
    enum gpu_priority priority;
} priorities[] = {
    {"low", GPU_PRIORITY_LOW},
    {"medium", GPU_PRIORITY_MEDIUM},
    {"high", GPU_PRIORITY_HIGH},
    {"realtime", GPU_PRIORITY_REALTIME},
};

bool preempt_session_open(struct bench_session *bench, struct error *err)
{
    struct preempt_session *session = ARENA_NEW(bench->arena, struct preempt_session);
    bench->state = session;
    if (!measure_clock_probe(bench->scope, &bench->clock, err))
        return false;
    session->program = load_program(&bench->programs, err);
    return session->program != NULL;
}

void preempt_session_close(struct bench_session *bench)
{
    struct preempt_session *session = bench->state;
    for (struct preempt_setup *setup = session ? session->setups : NULL; setup;
         setup = setup->next) {
        process_destroy(setup->process);
        bench_session_close(&setup->own);
    }
}

// ---------------------------------------------------------------- set-ups

static bool is_queues(const struct preempt_setup *setup)
{
    return strcmp(setup->setting, "queues") == 0;
}

static enum gpu_queue_kind victim_kind(const struct gpu_info *info,
                                       const struct preempt_setup *setup)
{
    return setup->draws ? GPU_QUEUE_UNIVERSAL : queue_pair_kind(info);
}

static bool own_open(struct bench_session *bench, struct preempt_setup *setup,
                     enum gpu_priority priority, struct error *err)
{
    struct gpu_device_desc desc = {0};
    desc.queue_count = is_queues(setup) ? 2 : 1;
    desc.queues[desc.queue_count - 1].kind = victim_kind(bench->info, setup);
    desc.queues[desc.queue_count - 1].priority = priority;
    if (!bench_session_open(&setup->own, bench->system, bench->info, &desc, err))
        return false;
    struct gpu_device *device = setup->own.device;
    struct gpu_program *program = load_program(&setup->own.programs, err);
    if (!program) {
        bench_session_close(&setup->own);
        return false;
    }
    setup->victim =
        (struct preempt_side){device, gpu_device_queue(device, desc.queue_count - 1), program};
    if (is_queues(setup))
        setup->hog = (struct preempt_side){device, gpu_device_queue(device, 0), program};
    return true;
}

static bool setup_open(struct bench_session *bench, struct preempt_setup *setup, size_t p,
                       struct error *err)
{
    const struct preempt_session *session = bench->state;
    enum gpu_priority priority = priorities[p].priority;
    setup->hog =
        (struct preempt_side){bench->device, gpu_device_queue(bench->device, 0), session->program};
    setup->priority_text = "medium, the default";
    if (priority != GPU_PRIORITY_MEDIUM)
        setup->priority_text = arena_printf(bench->arena,
                                            "%s: the driver accepted it; whether it takes effect "
                                            "cannot be queried",
                                            priorities[p].name);
    bool unlike = victim_kind(bench->info, setup) != queue_pair_kind(bench->info);
    if (strcmp(setup->setting, "devices") == 0 || priority != GPU_PRIORITY_MEDIUM || unlike)
        return own_open(bench, setup, priority, err);
    unsigned second = queue_pair_has_second(bench->info);
    setup->victim = (struct preempt_side){bench->device, gpu_device_queue(bench->device, second),
                                          session->program};
    return true;
}

// Opens the set-up at the priority that setup->priority names. For "highest" it tries realtime, and
// high if that fails.
static bool setup_open_named(struct bench_session *bench, struct preempt_setup *setup,
                             struct error *err)
{
    bool highest = strcmp(setup->priority, "highest") == 0;
    for (size_t p = COUNT(priorities); p-- > 0;) {
        if (highest && priorities[p].priority == GPU_PRIORITY_MEDIUM)
            break;
        if (!highest && strcmp(priorities[p].name, setup->priority) != 0)
            continue;
        if (setup_open(bench, setup, p, err))
            return true;
        if (!highest || err->code == ERROR_DEVICE_LOST)
            break;
    }
    // A case that ends with ERROR_UNSUPPORTED is skipped, not failed.
    if (err->code != ERROR_DEVICE_LOST)
        err->code = ERROR_UNSUPPORTED;
    return error_prefix(err, "%s priority is refused", setup->priority);
}

struct preempt_setup *preempt_setup_get(struct bench_session *bench,
                                        const struct preempt_setup_request *request,
                                        struct error *err)
{
    struct preempt_session *session = bench->state;
    for (struct preempt_setup *setup = session->setups; setup; setup = setup->next)
        if (strcmp(setup->setting, request->setting) == 0 &&
            strcmp(setup->priority, request->priority) == 0 && setup->draws == request->draws)
            return setup;
    if (request->draws && !gpu_require(bench->info, GPU_CAP(GRAPHICS), err))
        return NULL;
    if (strcmp(request->priority, "medium") != 0 &&
        !gpu_require(bench->info, GPU_CAP(PRIORITY), err))
        return NULL;
    struct preempt_setup *setup = ARENA_NEW(bench->arena, struct preempt_setup);
    setup->setting = arena_strdup(bench->arena, request->setting);
    setup->priority = arena_strdup(bench->arena, request->priority);
    setup->draws = request->draws;
    if (is_queues(setup) && !queue_pair_has_second(bench->info)) {
        error_set(err, ERROR_UNSUPPORTED, "%s has one queue, so there is none for the victim",
                  bench->info->id);
        return NULL;
    }
    const char *kind =
        victim_kind(bench->info, setup) == GPU_QUEUE_COMPUTE ? "compute-only" : "universal";
    const char *where = is_queues(setup)                           ? "of the same device"
                        : strcmp(request->setting, "devices") == 0 ? "of a device of its own"
                                                                   : "in another process";
    setup->queue_text = arena_printf(
        bench->arena, "the hog on a universal queue, the victim on a %s one %s", kind, where);
    if (!setup_open_named(bench, setup, err))
        return NULL;
    setup->next = session->setups;
    session->setups = setup;
    return setup;
}
