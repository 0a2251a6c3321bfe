// SPDX-License-Identifier: MIT
#include "bench/overlap/session.h"

#include "bench/overlap/overlap.h"
#include "bench/queue_pair.h"

#include <math.h>

enum {
    RESOLUTION_STEPS = 3,
    GROUPS_DEFAULT = 16,
    GROUPS_MAX = 512,
    GROUPS_A_CORE = 2,
    SKEW_ROUNDS = 256
};
static const uint64_t skew_timeout_ns = UINT64_C(5000000000);

// ---------------------------------------------------------------- clock skew between cores

static uint32_t skew_groups(const struct gpu_info *info)
{
    uint64_t groups = info->limits.cores * GROUPS_A_CORE;
    groups = groups < GROUPS_DEFAULT ? GROUPS_DEFAULT : groups;
    return (uint32_t)(groups < GROUPS_MAX ? groups : GROUPS_MAX);
}

static unsigned count_cores(const uint32_t *found, uint32_t groups)
{
    unsigned cores = 0;
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t core = found[g * OVERLAP_FOUND_WORDS + OVERLAP_FOUND_CORE];
        bool is_new = core != UINT32_MAX;
        for (uint32_t before = 0; is_new && before < g; before++)
            is_new = found[before * OVERLAP_FOUND_WORDS + OVERLAP_FOUND_CORE] != core;
        cores += is_new;
    }
    return cores;
}

static struct overlap_skew skew_judge(const struct measure_clock *clock, const uint32_t *found,
                                      uint32_t groups)
{
    uint32_t behind = 0, ahead = UINT32_MAX;
    struct overlap_skew skew = {.cores = count_cores(found, groups)};
    for (uint32_t g = 0; g < groups; g++) {
        const uint32_t *own = found + (size_t)g * OVERLAP_FOUND_WORDS;
        behind = own[OVERLAP_FOUND_BEHIND] > behind ? own[OVERLAP_FOUND_BEHIND] : behind;
        ahead = own[OVERLAP_FOUND_AHEAD] < ahead ? own[OVERLAP_FOUND_AHEAD] : ahead;
        skew.seen += own[OVERLAP_FOUND_SEEN];
    }
    skew.behind_ns = behind * clock->device_tick_ns;
    skew.reach_ns = ahead == UINT32_MAX ? NAN : ahead * clock->device_tick_ns;
    return skew;
}

static bool skew_run(struct gpu_scope *scope, const struct gpu_dispatch *dispatch,
                     struct error *err)
{
    struct gpu_batch *batch = gpu_batch_create(scope, NULL, err);
    if (!batch)
        return false;
    gpu_batch_fill(batch, dispatch->args[0].buffer, 0, gpu_buffer_bytes(dispatch->args[0].buffer),
                   0);
    gpu_batch_dispatch(batch, dispatch);
    return gpu_batch_end(batch, err) && gpu_batch_run(batch, skew_timeout_ns, err);
}

static bool skew_find(struct gpu_scope *scope, struct arena *arena,
                      const struct measure_clock *clock, struct overlap_skew *skew,
                      struct error *err)
{
    const struct gpu_info *info = gpu_device_info(gpu_scope_device(scope));
    const char *name = info->caps & GPU_CAP(CORE_ID) ? "overlap_skew_core" : "overlap_skew";
    struct measure_programs programs = {.arena = arena, .scope = scope};
    uint32_t groups = skew_groups(info), rounds = SKEW_ROUNDS;
    uint64_t slot_bytes = (uint64_t)groups * OVERLAP_SLOT_WORDS * sizeof(uint32_t);
    uint64_t found_bytes = (uint64_t)groups * OVERLAP_FOUND_WORDS * sizeof(uint32_t);
    struct gpu_dispatch dispatch = {.program = measure_program(&programs, name, NULL, err),
                                    .groups = {groups},
                                    .params = &rounds,
                                    .params_bytes = sizeof rounds};
    struct gpu_arg *args = dispatch.args;
    uint32_t *found = arena_alloc(arena, found_bytes);
    if (!dispatch.program ||
        !(args[0].buffer = bench_buffer(scope, slot_bytes, GPU_MEMORY_DEVICE, err)) ||
        !(args[1].buffer = bench_buffer(scope, found_bytes, GPU_MEMORY_DEVICE, err)) ||
        !skew_run(scope, &dispatch, err) ||
        !gpu_buffer_read(args[1].buffer, 0, found, found_bytes, err))
        return false;
    *skew = skew_judge(clock, found, groups);
    return true;
}

// Measures the clock skew between cores.
static bool skew_probe(struct gpu_scope *outer, const struct measure_clock *clock,
                       struct overlap_skew *skew, struct error *err)
{
    struct gpu_scope *scope = gpu_scope_open(gpu_scope_device(outer));
    struct arena *arena = arena_create();
    bool done = skew_find(scope, arena, clock, skew, err);
    arena_destroy(arena);
    gpu_scope_close(scope);
    return done;
}

// ---------------------------------------------------------------- the session

static const char *queue_text(const struct gpu_info *info, const struct overlap_session *session)
{
    if (!session->queues[OVERLAP_COMPUTE])
        return "one: the device has no second queue, so the compute queue's workloads run on "
               "the direct queue";
    return queue_pair_kind(info) == GPU_QUEUE_COMPUTE
               ? "two: the direct queue is universal, the compute queue is of a compute-only family"
               : "two: both universal, as there is no compute-only family";
}

static bool session_fill(struct overlap_session *session, struct measure_programs *programs,
                         struct error *err)
{
    struct gpu_device *device = gpu_scope_device(programs->scope);
    const struct gpu_info *info = gpu_device_info(device);
    for (unsigned q = 0; q < OVERLAP_QUEUES_MAX; q++)
        session->queues[q] = gpu_device_queue(device, q);
    session->queue_text = queue_text(info, session);
    session->resolution_ns =
        fmax(RESOLUTION_STEPS * session->clock.device_step_ns, session->skew.behind_ns);
    session->has_cores = info->caps & GPU_CAP(CORE_ID);
    const char *name = session->has_cores ? "overlap_core" : "overlap";
    session->program = measure_program(programs, name, NULL, err);
    return session->program != NULL;
}

bool overlap_session_open(struct bench_session *bench, struct error *err)
{
    struct overlap_session *session = ARENA_NEW(bench->arena, struct overlap_session);
    bench->state = session;
    session->scope = bench->scope;
    if (!bench_device_clock_probe(bench, err))
        return false;
    session->clock = bench->clock;
    return skew_probe(bench->scope, &session->clock, &session->skew, err) &&
           session_fill(session, &bench->programs, err);
}

static struct overlap_session *urgent_open(struct bench_session *bench,
                                           const struct gpu_device_desc *desc, struct error *err)
{
    const struct overlap_session *plain = bench->state;
    struct overlap_session *session = ARENA_NEW(bench->arena, struct overlap_session);
    if (!bench_session_open(&session->own, bench->system, bench->info, desc, err))
        return NULL;
    // The second device is the same chip, so it gets clock and skew of the benchmark's session.
    session->clock = plain->clock;
    session->skew = plain->skew;
    session->clock.program = NULL;
    session->scope = session->own.scope;
    session->priority_text = "high for the compute queue: the driver accepted it; whether it "
                             "takes effect cannot be queried";
    if (session_fill(session, &session->own.programs, err))
        return session;
    bench_session_close(&session->own);
    return NULL;
}

struct overlap_session *overlap_session_urgent(struct bench_session *bench, struct error *err)
{
    struct overlap_session *plain = bench->state;
    struct gpu_device_desc desc = {0};
    if (plain->urgent)
        return plain->urgent;
    if (!gpu_require(bench->info, GPU_CAP(PRIORITY), err))
        return NULL;
    queue_pair_request(bench->info, &desc);
    if (desc.queue_count < 2) {
        error_set(err, ERROR_UNSUPPORTED,
                  "%s has one queue, so no second queue can have a higher priority",
                  bench->info->id);
        return NULL;
    }
    desc.queues[OVERLAP_COMPUTE].priority = GPU_PRIORITY_HIGH;
    plain->urgent = urgent_open(bench, &desc, err);
    if (plain->urgent || err->code == ERROR_DEVICE_LOST || err->code == ERROR_OUT_OF_MEMORY)
        return plain->urgent;
    struct overlap_session *fallback = plain->urgent =
        ARENA_NEW(bench->arena, struct overlap_session);
    *fallback = *plain;
    fallback->urgent = NULL;
    fallback->refused = true;
    fallback->priority_text =
        arena_printf(bench->arena, "high was refused (%s); measured at medium", err->message);
    return fallback;
}

void overlap_session_close(struct bench_session *bench)
{
    struct overlap_session *session = bench->state;
    if (session)
        gpu_device_free_clock(gpu_scope_device(session->scope));
    if (session && session->urgent)
        bench_session_close(&session->urgent->own);
}
