// SPDX-License-Identifier: MIT
#include "bench/overlap/skew.h"

#include "bench/overlap/overlap.h"
#include "measure/program.h"

#include <math.h>

enum {
    GROUPS_DEFAULT = 16,
    GROUPS_MAX = 512,
    GROUPS_A_CORE = 2,
    ROUNDS = 256
};
static const uint64_t timeout_ns = UINT64_C(5000000000);

static uint32_t groups_of(const struct gpu_info *info)
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

static struct overlap_skew judge(const struct measure_clock *clock, const uint32_t *found,
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

static bool run(struct gpu_scope *scope, const struct gpu_dispatch *dispatch, struct error *err)
{
    struct gpu_batch *batch = gpu_batch_create(scope, NULL, err);
    if (!batch)
        return false;
    gpu_batch_fill(batch, dispatch->args[0].buffer, 0, gpu_buffer_bytes(dispatch->args[0].buffer),
                   0);
    gpu_batch_dispatch(batch, dispatch);
    return gpu_batch_end(batch, err) && gpu_batch_run(batch, timeout_ns, err);
}

static bool probe(struct gpu_scope *scope, struct arena *arena, const struct measure_clock *clock,
                  struct overlap_skew *skew, struct error *err)
{
    const struct gpu_info *info = gpu_device_info(gpu_scope_device(scope));
    const char *name = info->caps & GPU_CAP(CORE_ID) ? "overlap_skew_core" : "overlap_skew";
    struct measure_programs programs = {.arena = arena, .scope = scope};
    uint32_t groups = groups_of(info), rounds = ROUNDS;
    uint64_t slot_bytes = (uint64_t)groups * OVERLAP_SLOT_WORDS * sizeof(uint32_t);
    uint64_t found_bytes = (uint64_t)groups * OVERLAP_FOUND_WORDS * sizeof(uint32_t);
    struct gpu_dispatch dispatch = {.program = measure_program(&programs, name, NULL, err),
                                    .groups = {groups},
                                    .params = &rounds,
                                    .params_bytes = sizeof rounds};
    if (!dispatch.program)
        return false;
    dispatch.args[0].buffer =
        gpu_buffer_create(scope, &(struct gpu_buffer_desc){.bytes = slot_bytes}, err);
    if (!dispatch.args[0].buffer)
        return false;
    dispatch.args[1].buffer =
        gpu_buffer_create(scope, &(struct gpu_buffer_desc){.bytes = found_bytes}, err);
    uint32_t *found = arena_alloc(arena, found_bytes);
    if (!dispatch.args[1].buffer || !run(scope, &dispatch, err) ||
        !gpu_buffer_read(dispatch.args[1].buffer, 0, found, found_bytes, err))
        return false;
    *skew = judge(clock, found, groups);
    return true;
}

bool overlap_skew_probe(struct gpu_scope *outer, const struct measure_clock *clock,
                        struct overlap_skew *skew, struct error *err)
{
    struct gpu_scope *scope = gpu_scope_open(gpu_scope_device(outer));
    struct arena *arena = arena_create();
    bool done = probe(scope, arena, clock, skew, err);
    arena_destroy(arena);
    gpu_scope_close(scope);
    return done;
}
