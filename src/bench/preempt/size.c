// SPDX-License-Identifier: MIT
#include "bench/preempt/size.h"

#include "base/clock.h"
#include "bench/preempt/preempt.h"

#include <math.h>
#include <string.h>

enum {
    VICTIM_GROUPS = 64,
    WAVE_DEFAULT = 8, // workgroups that fill a device which does not tell
    FRAME_DISPATCHES = 8,
    DISPATCHES_MAX = 1000,
    DISPATCHES_PROBED = 8,
    TUNINGS = 3,
    RECORDS = 512,
    DRAW_SHARE = 8, // of a wave of dispatches
    LONG_AHEAD = 2  // submissions of a tenth of a second
};
static const double victim_ns = 1.8e6, group_ns = 75e3, frame_ns = 7e6, hog_ns = 100e6;
static const double hog_cpu_ns = 20e6;

static const uint64_t warm_ns = 15000000; // until the core clock is up

static bool run_once(struct load *load, const struct size_desc *desc, struct error *err)
{
    load_restart(load, ++desc->session->token);
    return load_submit(load, err) && load_drain(load, err);
}

// From the first group's start to the last one's end, once the device is warm.
static bool probe(const struct size_desc *desc, const struct load_shape *shape, double *ns,
                  struct error *err)
{
    const struct load_desc load_desc = {.scope = desc->scope,
                                        .queue = desc->side->queue,
                                        .program = desc->side->program,
                                        .shape = *shape,
                                        .slots = 1,
                                        .records = RECORDS,
                                        .timeout_ns = desc->timeout_ns};
    struct load load;
    struct load_run *runs;
    uint64_t base = 0;
    if (!load_init(&load, &load_desc, err))
        return false;
    uint64_t end_ns = clock_deadline_ns(desc->info->kind == GPU_KIND_CPU ? 0 : warm_ns);
    do
        if (!run_once(&load, desc, err))
            return false;
    while (clock_left_ns(end_ns));
    if (!run_once(&load, desc, err) ||
        !load_read(&load, &desc->session->clock, &base, desc->arena, &runs, err))
        return false;
    *ns = fmax(runs[0].end_ns - runs[0].start_ns, 1);
    return true;
}

static double turns_most(const struct gpu_info *info)
{
    uint64_t loops = info->limits.loop_iterations;
    return loops ? (double)loops / 2 : 1e8;
}

// More turns until the shape takes so long.
static bool tune(const struct size_desc *desc, double wanted_ns, struct load_shape *shape,
                 double *ns, struct error *err)
{
    shape->turns = shape->turns ? shape->turns : 4;
    for (int i = 0; i < TUNINGS; i++) {
        if (!probe(desc, shape, ns, err))
            return false;
        double scale = fmin(fmax(wanted_ns / *ns, 0.1), 50); // step by step: clocks rise
        double turns = fmin(round(shape->turns * scale), turns_most(desc->info));
        if (fabs(scale - 1) < 0.05)
            break;
        *ns *= fmax(turns, 1) / shape->turns;
        shape->turns = (uint32_t)fmax(turns, 1);
    }
    return true;
}

static bool find_victim(const struct size_desc *desc, bool draws, struct load_shape *shape,
                        struct error *err)
{
    double ns;
    *shape =
        (struct load_shape){.dispatches = 1, .groups = VICTIM_GROUPS, .ahead = 1, .draws = draws};
    return tune(desc, victim_ns, shape, &ns, err);
}

static uint32_t wave_of(const struct gpu_info *info)
{
    uint64_t groups = info->limits.cores * info->limits.core_threads / PREEMPT_WORKGROUP;
    return groups ? (uint32_t)groups : WAVE_DEFAULT;
}

static uint32_t times(uint32_t count, double factor, double most)
{
    return (uint32_t)fmax(1, fmin(round(count * factor), most));
}

static bool find_hog(const struct size_desc *desc, const char *hog, struct load_shape *shape,
                     struct error *err)
{
    const struct gpu_info *info = desc->info;
    double wave_ns, total_ns = info->kind == GPU_KIND_CPU ? hog_cpu_ns : hog_ns;
    double groups_most =
        info->limits.workgroup_count_x ? (double)info->limits.workgroup_count_x : 65535;
    *shape = (struct load_shape){.dispatches = 1, .groups = wave_of(info), .ahead = 1};
    if (strcmp(hog, "many-draws") == 0) { // few cores may be able to draw: not all of a wave
        shape->draws = true;
        shape->groups = LOAD_DRAW_GROUPS * (shape->groups / (DRAW_SHARE * LOAD_DRAW_GROUPS) + 1);
    }
    if (!tune(desc, group_ns, shape, &wave_ns, err))
        return false;
    if (strcmp(hog, "baseline") == 0) {
        shape->groups = times(shape->groups, frame_ns / FRAME_DISPATCHES / wave_ns, groups_most);
        shape->dispatches = FRAME_DISPATCHES;
    } else if (strcmp(hog, "big-dispatch") == 0) {
        shape->groups = times(shape->groups, total_ns / wave_ns, groups_most);
    } else if (strcmp(hog, "slow-shader") == 0) {
        shape->turns = times(shape->turns, total_ns / wave_ns, turns_most(info));
    } else {
        shape->dispatches = DISPATCHES_PROBED;
        if (!probe(desc, shape, &wave_ns, err))
            return false;
        shape->dispatches = times(DISPATCHES_PROBED, total_ns / wave_ns, DISPATCHES_MAX);
    }
    shape->ahead = strcmp(hog, "baseline") == 0 ? LOAD_BATCHES_MAX : LONG_AHEAD;
    return true;
}

bool size_find(const struct size_desc *desc, const char *name, struct load_shape *shape,
               struct error *err)
{
    struct preempt_session *session = desc->session;
    for (size_t i = 0; i < session->shape_count; i++)
        if (strcmp(session->shapes[i].name, name) == 0) {
            *shape = session->shapes[i].shape;
            return true;
        }
    bool draws = strcmp(name, SIZE_VICTIM_DRAW) == 0;
    if (!(draws || strcmp(name, SIZE_VICTIM) == 0 ? find_victim(desc, draws, shape, err)
                                                  : find_hog(desc, name, shape, err)))
        return false;
    if (session->shape_count < RIG_SHAPES_MAX)
        session->shapes[session->shape_count++] =
            (struct rig_shape){arena_strdup(desc->session_arena, name), *shape};
    return true;
}
