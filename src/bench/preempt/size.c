// SPDX-License-Identifier: MIT
// Finds how much work the loads must do to last as long as wanted, by running them on the device.
#include "base/clock.h"
#include "bench/preempt/preempt.h"
#include "bench/preempt/session.h"
#include "measure/unit.h"

#include <math.h>
#include <string.h>

enum {
    VICTIM_GROUPS = 64,
    WAVE_DEFAULT = 8, // assumed number of workgroups that fill a device of unknown size
    FRAME_DISPATCHES = 8,
    DISPATCHES_MAX = 1000,
    DISPATCHES_PROBED = 8,
    TUNINGS = 3,
    RECORDS = 512,
    DRAW_SHARE = 8, // hogs that draw have about 1 / DRAW_SHARE of the workgroups of other hogs
    // Submissions in flight of the hog "baseline". For an application, visit.c replaces this by
    // the number of its frames.
    FRAMES_AHEAD = 4,
    // Submissions in flight of other hogs, of 100 ms each, or 20 ms on a CPU (hog_ns, hog_cpu_ns).
    LONG_AHEAD = 2
};
// Wanted lengths in ns of one submission of a load:
//   victim_ns      a victim
//   compositor_ns  a compositor
//   frame_ns       the hog "baseline"
//   hog_ns         every other hog; hog_cpu_ns on a CPU
// A wave has as many workgroups as fill the device (for draws, about 1 / DRAW_SHARE of them).
// group_ns is the wanted length of one wave of a hog (except "slow-shader") or an application.
static const double victim_ns = 1.8e6, compositor_ns = 0.3e6, group_ns = 75e3, frame_ns = 7e6,
                    hog_ns = 100e6;
static const double hog_cpu_ns = 20e6;

// Minimum length in ns of the warm-up that raises the core clock.
static const uint64_t warm_ns = 15000000;

// The work of a load, found earlier in the session.
struct preempt_sized {
    struct preempt_sized *older;
    const char *name;
    uint64_t frame_ms; // length in ms of the application's frame; 0 for all other loads
    struct load_work work;
};

// Where a load runs while its size is found: `where` has its scope, queue and program.
struct sizing {
    struct bench_visit *run;
    struct preempt_session *session;
    const struct load_desc *where;
    uint64_t frame_ms; // length in ms of the application's frame; 0 for all other loads
};

static bool run_once(struct load *load, const struct sizing *sizing, struct error *err)
{
    load_restart(load, ++sizing->session->token);
    return load_submit(load, err) && load_drain(load, err);
}

// Warms up (on a CPU, with one submission). Then sets *ns to the length of one submission, from the
// first start to the last end in its records.
static bool probe(const struct sizing *sizing, const struct load_work *work, double *ns,
                  struct error *err)
{
    struct load_desc desc = *sizing->where;
    struct load load;
    struct load_run *runs;
    uint64_t base = 0;
    desc.work = *work;
    desc.slots = 1;
    desc.records = RECORDS;
    if (!load_init(&load, &desc, err))
        return false;
    bool is_cpu = sizing->run->session->info->kind == GPU_KIND_CPU;
    uint64_t end_ns = clock_deadline_ns(is_cpu ? 0 : warm_ns);
    do
        if (!run_once(&load, sizing, err))
            return false;
    while (clock_left_ns(end_ns));
    if (!run_once(&load, sizing, err) ||
        !load_read(&load, &sizing->run->session->clock, &base, sizing->run->arena, &runs, err))
        return false;
    *ns = fmax(runs[0].end_ns - runs[0].start_ns, 1);
    return true;
}

static double iterations_most(const struct gpu_info *info)
{
    uint64_t loops = info->limits.loop_iterations;
    return loops ? (double)loops / 2 : 1e8;
}

// Changes work->iterations until a submission lasts `wanted_ns` within 5 %, in at most TUNINGS
// steps. One step changes the number by a factor of 0.1 to 50, because clocks may still rise. Sets
// *ns to the final length of a submission, measured or extrapolated.
static bool tune(const struct sizing *sizing, double wanted_ns, struct load_work *work, double *ns,
                 struct error *err)
{
    double most = iterations_most(sizing->run->session->info);
    work->iterations = 4;
    for (int i = 0; i < TUNINGS; i++) {
        if (!probe(sizing, work, ns, err))
            return false;
        double scale = measure_unit_grow(1, wanted_ns, *ns, 0.1, 50);
        if (fabs(scale - 1) < 0.05)
            break;
        double iterations = fmax(fmin(round(work->iterations * scale), most), 1);
        *ns *= iterations / work->iterations;
        work->iterations = (uint32_t)iterations;
    }
    return true;
}

static uint32_t times(uint32_t count, double factor, double most)
{
    return (uint32_t)fmax(1, fmin(round(count * factor), most));
}

// Turns `work` into a frame of wanted_ns. Before, `work` is one wave (workgroups that fill the
// device) of wave_ns.
static void make_frame(struct load_work *work, double wave_ns, double wanted_ns, double groups_most)
{
    work->groups = times(work->groups, wanted_ns / FRAME_DISPATCHES / wave_ns, groups_most);
    work->dispatches = FRAME_DISPATCHES;
    work->ahead = FRAMES_AHEAD;
}

// Finds the size of the work of a hog or of an application by running it on the device.
static bool find_hog(const struct sizing *sizing, const char *hog, struct load_work *work,
                     struct error *err)
{
    const struct gpu_info *info = sizing->run->session->info;
    uint64_t wave = info->limits.cores * info->limits.core_threads / PREEMPT_WORKGROUP;
    double wave_ns, total_ns = info->kind == GPU_KIND_CPU ? hog_cpu_ns : hog_ns;
    double groups_most =
        info->limits.workgroup_count_x ? (double)info->limits.workgroup_count_x : 65535;
    *work = (struct load_work){
        .dispatches = 1, .groups = wave ? (uint32_t)wave : WAVE_DEFAULT, .ahead = LONG_AHEAD};
    // Draws of "many-draws" have few workgroups, because a device may use only few cores for draws.
    if (strcmp(hog, "many-draws") == 0) {
        work->draws = true;
        work->groups = LOAD_DRAW_GROUPS * (work->groups / (DRAW_SHARE * LOAD_DRAW_GROUPS) + 1);
    }
    if (!tune(sizing, group_ns, work, &wave_ns, err))
        return false;
    if (strcmp(hog, "baseline") == 0) {
        make_frame(work, wave_ns, frame_ns, groups_most);
    } else if (strcmp(hog, PREEMPT_APPLICATION) == 0) {
        make_frame(work, wave_ns, (double)sizing->frame_ms * 1e6, groups_most);
    } else if (strcmp(hog, "big-dispatch") == 0) {
        work->groups = times(work->groups, total_ns / wave_ns, groups_most);
    } else if (strcmp(hog, "slow-shader") == 0) {
        work->iterations = times(work->iterations, total_ns / wave_ns, iterations_most(info));
    } else {
        work->dispatches = DISPATCHES_PROBED;
        if (!probe(sizing, work, &wave_ns, err))
            return false;
        work->dispatches = times(DISPATCHES_PROBED, total_ns / wave_ns, DISPATCHES_MAX);
    }
    return true;
}

bool preempt_size_find(struct bench_visit *run, const struct load_desc *where, const char *name,
                       struct load_work *work, struct error *err)
{
    struct preempt_session *session = run->session->state;
    bool is_frame = strcmp(name, PREEMPT_APPLICATION) == 0;
    // `fathom serve` measures frames of several lengths in one session, each with its own work.
    uint64_t frame_ms = is_frame ? case_uint(run->bench_case, "frame_ms") : 0;
    const struct sizing sizing = {run, session, where, frame_ms};
    for (const struct preempt_sized *known = session->sized; known; known = known->older)
        if (strcmp(known->name, name) == 0 && known->frame_ms == frame_ms) {
            *work = known->work;
            return true;
        }
    bool draws = strcmp(name, PREEMPT_VICTIM_DRAW) == 0;
    bool composes = strcmp(name, PREEMPT_COMPOSITOR) == 0;
    double ns, wanted_ns = composes ? compositor_ns : victim_ns;
    *work =
        (struct load_work){.dispatches = 1, .groups = VICTIM_GROUPS, .ahead = 1, .draws = draws};
    if (!(draws || composes || strcmp(name, PREEMPT_VICTIM) == 0
              ? tune(&sizing, wanted_ns, work, &ns, err)
              : find_hog(&sizing, name, work, err)))
        return false;
    struct preempt_sized *sized = ARENA_NEW(run->session->arena, struct preempt_sized);
    *sized = (struct preempt_sized){session->sized, arena_strdup(run->session->arena, name),
                                    frame_ms, *work};
    session->sized = sized;
    return true;
}
