// SPDX-License-Identifier: MIT
#include "bench/preempt/rig.h"

#include "bench/preempt/process.h"
#include "bench/queue_pair.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    const char *name;
    enum gpu_priority priority;
} priorities[] = {
    {"low", GPU_PRIORITY_LOW},
    {"medium", GPU_PRIORITY_MEDIUM},
    {"high", GPU_PRIORITY_HIGH},
    {"realtime", GPU_PRIORITY_REALTIME},
};

// ---------------------------------------------------------------- the session

bool rig_session_open(struct bench_session *bench, struct error *err)
{
    struct preempt_session *session = ARENA_NEW(bench->arena, struct preempt_session);
    bench->state = session;
    if (!measure_clock_probe(bench->scope, &session->clock, err))
        return false;
    session->program = load_program(&bench->programs, err);
    return session->program != NULL;
}

void rig_session_close(struct bench_session *bench)
{
    struct preempt_session *session = bench->state;
    for (struct rig *rig = session ? session->rigs : NULL; rig; rig = rig->next) {
        process_destroy(rig->process);
        gpu_scope_close(rig->own_scope);
        gpu_device_close(rig->own);
    }
}

// ---------------------------------------------------------------- rigs

static bool is_queues(const struct rig *rig)
{
    return strcmp(rig->setting, "queues") == 0;
}

static enum gpu_queue_kind victim_kind(const struct gpu_info *info, const struct rig *rig)
{
    return rig->draws ? GPU_QUEUE_UNIVERSAL : queue_pair_kind(info);
}

static bool own_open(struct bench_session *bench, struct rig *rig, enum gpu_priority priority,
                     struct error *err)
{
    struct gpu_device_desc desc = {0};
    desc.queue_count = is_queues(rig) ? 2 : 1;
    desc.queues[desc.queue_count - 1].kind = victim_kind(bench->info, rig);
    desc.queues[desc.queue_count - 1].priority = priority;
    rig->own = gpu_device_open(bench->system, bench->info, &desc, err);
    if (!rig->own)
        return false;
    rig->own_scope = gpu_scope_open(rig->own);
    struct measure_programs programs = {.arena = bench->arena, .scope = rig->own_scope};
    struct gpu_program *program = load_program(&programs, err);
    if (!program) {
        gpu_scope_close(rig->own_scope);
        gpu_device_close(rig->own);
        return false;
    }
    rig->victim =
        (struct rig_side){rig->own, gpu_device_queue(rig->own, desc.queue_count - 1), program};
    if (is_queues(rig))
        rig->hog = (struct rig_side){rig->own, gpu_device_queue(rig->own, 0), program};
    return true;
}

static bool rig_open(struct bench_session *bench, struct rig *rig, size_t p, struct error *err)
{
    const struct preempt_session *session = bench->state;
    enum gpu_priority priority = priorities[p].priority;
    rig->hog =
        (struct rig_side){bench->device, gpu_device_queue(bench->device, 0), session->program};
    rig->priority_text = "medium, the default";
    if (priority != GPU_PRIORITY_MEDIUM)
        rig->priority_text = arena_printf(bench->arena,
                                          "%s: granted, in so far as the driver made a device "
                                          "with it; more cannot be asked",
                                          priorities[p].name);
    bool unlike = victim_kind(bench->info, rig) != queue_pair_kind(bench->info);
    if (strcmp(rig->setting, "devices") == 0 || priority != GPU_PRIORITY_MEDIUM || unlike)
        return own_open(bench, rig, priority, err);
    unsigned second = queue_pair_has_second(bench->info);
    rig->victim =
        (struct rig_side){bench->device, gpu_device_queue(bench->device, second), session->program};
    return true;
}

// From the highest down until the driver agrees; a named one or none.
static bool rig_open_named(struct bench_session *bench, struct rig *rig, struct error *err)
{
    bool highest = strcmp(rig->priority, "highest") == 0;
    for (size_t p = COUNT(priorities); p-- > 0;) {
        if (highest && priorities[p].priority == GPU_PRIORITY_MEDIUM)
            break;
        if (!highest && strcmp(priorities[p].name, rig->priority) != 0)
            continue;
        if (rig_open(bench, rig, p, err))
            return true;
        if (!highest || err->code == ERROR_DEVICE_LOST)
            break;
    }
    // What a driver refuses is no failure of a measurement.
    if (err->code != ERROR_DEVICE_LOST)
        err->code = ERROR_UNSUPPORTED;
    return error_prefix(err, "%s priority is refused", rig->priority);
}

struct rig *rig_get(struct bench_session *bench, const struct rig_wish *wish, struct error *err)
{
    struct preempt_session *session = bench->state;
    for (struct rig *rig = session->rigs; rig; rig = rig->next)
        if (strcmp(rig->setting, wish->setting) == 0 &&
            strcmp(rig->priority, wish->priority) == 0 && rig->draws == wish->draws)
            return rig;
    if (wish->draws && !gpu_require(bench->info, GPU_CAP(GRAPHICS), err))
        return NULL;
    if (strcmp(wish->priority, "medium") != 0 && !gpu_require(bench->info, GPU_CAP(PRIORITY), err))
        return NULL;
    struct rig *rig = ARENA_NEW(bench->arena, struct rig);
    rig->setting = arena_strdup(bench->arena, wish->setting);
    rig->priority = arena_strdup(bench->arena, wish->priority);
    rig->draws = wish->draws;
    if (is_queues(rig) && !queue_pair_has_second(bench->info)) {
        error_set(err, ERROR_UNSUPPORTED, "%s has one queue: there is none for the victim",
                  bench->info->id);
        return NULL;
    }
    const char *kind =
        victim_kind(bench->info, rig) == GPU_QUEUE_COMPUTE ? "compute-only" : "universal";
    const char *where = is_queues(rig)                          ? "of the same device"
                        : strcmp(wish->setting, "devices") == 0 ? "of a device of its own"
                                                                : "in another process";
    rig->queue_text = arena_printf(
        bench->arena, "the hog on a universal queue, the victim on a %s one %s", kind, where);
    if (!rig_open_named(bench, rig, err))
        return NULL;
    rig->next = session->rigs;
    session->rigs = rig;
    return rig;
}
