// SPDX-License-Identifier: MIT
#include "bench/preempt/visit.h"

#include "bench/preempt/duel.h"
#include "bench/preempt/preempt.h"
#include "bench/preempt/process.h"
#include "bench/preempt/rig.h"
#include "bench/preempt/series.h"
#include "bench/preempt/size.h"
#include "math/stats.h"

#include <math.h>
#include <string.h>

enum {
    HOG_SLOTS_MAX = 512,
    HOG_RECORDS = 512, // a submission
    RESOLUTION_STEPS = 3,
    PAUSE_MARGIN = 2,
    LATE_PART = 20 // of the answers may be late: one in so many
};

struct work {
    struct bench_visit *run;
    struct preempt_session *session;
    struct preempt_history *history;
    struct rig *rig;
    struct gpu_scope *hog_scope, *victim_scope;
    struct load hog, victim;
    uint32_t hog_count;   // submissions of the hog, here or in its own process
    uint32_t alone_count; // of them, those before any victim
    uint64_t base;        // the moment that all times are since; 0: not chosen yet
    bool has_hog, remote;
    bool draws; // the victim
    struct duel duel;
    struct load_run *hogs, *victims;
    enum judge_entry entries[DUEL_SAMPLES_MAX];
};

// ---------------------------------------------------------------- before

static bool size_both(struct work *work, struct preempt_history *history, struct error *err)
{
    struct bench_visit *run = work->run;
    struct size_desc desc = {.info = run->session->info,
                             .session = work->session,
                             .scope = work->victim_scope,
                             .side = &work->rig->victim,
                             .arena = run->arena,
                             .session_arena = run->session->arena,
                             .timeout_ns = run->request->timeout_ns};
    if (!size_find(&desc, work->draws ? SIZE_VICTIM_DRAW : SIZE_VICTIM, &history->victim, err))
        return false;
    desc.scope = work->hog_scope;
    desc.side = &work->rig->hog;
    return !work->has_hog ||
           size_find(&desc, case_text(run->bench_case, "hog"), &history->hog, err);
}

static bool recall(struct work *work, struct error *err)
{
    struct bench_visit *run = work->run;
    work->history = *run->memory;
    if (work->history)
        return true;
    struct preempt_history *history = ARENA_NEW(run->session->arena, struct preempt_history);
    if (!size_both(work, history, err))
        return false;
    work->history = *run->memory = history;
    return true;
}

// A hog as short as a baseline frame needs as many slots as there are milliseconds, at most.
static uint32_t hog_slots(uint32_t samples)
{
    uint64_t slots = DUEL_ALONE + LOAD_BATCHES_MAX + samples * (DUEL_PERIOD_NS / 2000000);
    return (uint32_t)(slots < HOG_SLOTS_MAX ? slots : HOG_SLOTS_MAX);
}

// The first visit sees how long the hog takes alone; to see it again would take as long again.
static bool is_first(const struct work *work)
{
    return work->has_hog && work->history->alone_ns == 0;
}

static bool prepare(struct work *work, uint32_t samples, struct error *err)
{
    struct bench_visit *run = work->run;
    const struct load_desc hog = {.scope = work->hog_scope,
                                  .queue = work->rig->hog.queue,
                                  .program = work->rig->hog.program,
                                  .shape = work->history->hog,
                                  .slots = hog_slots(samples),
                                  .records = HOG_RECORDS,
                                  .timeout_ns = run->request->timeout_ns};
    struct load_desc victim = hog;
    victim.scope = work->victim_scope;
    victim.queue = work->rig->victim.queue;
    victim.program = work->rig->victim.program;
    victim.shape = work->history->victim;
    victim.slots = samples;
    victim.records = victim.shape.groups;
    if (work->has_hog && !work->remote && !load_init(&work->hog, &hog, err))
        return false;
    if (!load_init(&work->victim, &victim, err))
        return false;
    load_restart(&work->hog, work->session->token + 1);
    work->session->token += hog.slots;
    load_restart(&work->victim, work->session->token + 1);
    work->session->token += victim.slots;
    const struct process_start start = {.load = &hog,
                                        .token = work->session->token - victim.slots - hog.slots,
                                        .alone = is_first(work) ? DUEL_ALONE : 0};
    return !work->remote || process_start(work->rig->process, &start, err);
}

// ---------------------------------------------------------------- after

static double length_of(const struct load_run *run)
{
    return run->end_ns - run->start_ns;
}

// Length and longest pause of the hog's submissions before any victim came.
static void remember_alone(struct work *work)
{
    double alone[DUEL_ALONE], longest = 0;
    uint32_t count = work->hog_count < DUEL_ALONE ? work->hog_count : DUEL_ALONE;
    for (uint32_t i = 0; i < count; i++) {
        alone[i] = length_of(&work->hogs[i]);
        longest = fmax(longest, work->hogs[i].pause_ns);
    }
    work->alone_count = count;
    work->history->pause_alone_ns = longest;
    work->history->alone_ns = fmax(stats_median(alone, count), 1);
}

static bool judge(struct work *work, struct error *err)
{
    const struct measure_clock *clock = &work->session->clock;
    struct arena *arena = work->run->arena;
    work->hog_count = work->hog.submitted;
    bool read = !work->has_hog ||
                (work->remote ? process_stop(work->rig->process, arena, &work->base, &work->hogs,
                                             &work->hog_count, err)
                              : load_read(&work->hog, clock, &work->base, arena, &work->hogs, err));
    if (!read || !load_read(&work->victim, clock, &work->base, arena, &work->victims, err))
        return false;
    if (is_first(work))
        remember_alone(work);
    const struct judge_limits limits = {
        .resolution_ns = RESOLUTION_STEPS * clock->device_step_ns,
        .pause_ns = PAUSE_MARGIN * work->history->pause_alone_ns,
        .alone_ns = work->history->alone_ns,
        .victims = work->victims,
        .victim_count = work->duel.count,
    };
    for (uint32_t i = 0; i < work->duel.count; i++) {
        double exec = work->victims[i].end_ns - work->victims[i].start_ns;
        if (exec > work->duel.response_ns[i] * 1.01 + limits.resolution_ns)
            return error_set(err, ERROR_MISMATCH,
                             "the victim ran %.0f ns by the device's clock, but the host had it "
                             "back after %.0f ns",
                             exec, work->duel.response_ns[i]);
        work->entries[i] = judge_entry_of(&work->victims[i], work->hogs, work->hog_count, &limits);
    }
    return true;
}

// The hog's submissions beside victims against those alone; NaN: there were none.
static double slowdown_of(const struct work *work)
{
    double beside[HOG_SLOTS_MAX];
    size_t count = 0;
    if (!work->has_hog || !work->duel.count)
        return NAN;
    double from = work->victims[0].start_ns;
    double to = work->victims[work->duel.count - 1].end_ns;
    for (uint32_t i = work->alone_count; i < work->hog_count; i++)
        if (work->hogs[i].end_ns > from && work->hogs[i].start_ns < to)
            beside[count++] = length_of(&work->hogs[i]);
    return count ? stats_median(beside, count) / work->history->alone_ns : NAN;
}

// The longest pause of a workgroup of the hog while victims came and went; NaN without a hog.
static double pause_of(const struct work *work)
{
    double longest = NAN;
    for (uint32_t i = work->alone_count; work->has_hog && i < work->hog_count; i++)
        longest = fmax(longest, work->hogs[i].pause_ns);
    return longest;
}

static void tell_one(struct measure_visit *visit, enum preempt_metric metric, double value,
                     double step)
{
    if (isfinite(value))
        visit_samples(visit, metric, &value, 1, step);
}

static void tell_metrics(const struct work *work, struct measure_visit *visit)
{
    double exec[DUEL_SAMPLES_MAX], wait[DUEL_SAMPLES_MAX], sorted[DUEL_SAMPLES_MAX];
    uint32_t count = work->duel.count;
    double step = work->session->clock.device_step_ns;
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = work->duel.response_ns[i];
        exec[i] = length_of(&work->victims[i]);
        wait[i] = fmax(work->duel.response_ns[i] - exec[i], 0);
    }
    visit_samples(visit, PREEMPT_METRIC_RESPONSE, work->duel.response_ns, count, 1);
    visit_samples(visit, PREEMPT_METRIC_EXEC, exec, count, step);
    visit_samples(visit, PREEMPT_METRIC_WAIT, wait, count, step);
    stats_sort(sorted, count);
    tell_one(visit, PREEMPT_METRIC_P90, stats_quantile(sorted, count, 0.9), 1);
    tell_one(visit, PREEMPT_METRIC_MOST, sorted[count - 1], 1);
    uint32_t due = work->duel.due;
    tell_one(visit, PREEMPT_METRIC_MISSES, (double)(due - work->duel.met) / due, 1.0 / due);
    tell_one(visit, PREEMPT_METRIC_SLOWDOWN, slowdown_of(work), 0);
    tell_one(visit, PREEMPT_METRIC_PAUSE, pause_of(work), step);
}

static void tell_shape(struct measure_visit *visit, const char *name,
                       const struct load_shape *shape)
{
    if (shape->draws) {
        visit_detail(visit, name, "%u draw%s of %u tiles of %d pixels, %u turns each",
                     shape->dispatches, shape->dispatches == 1 ? "" : "s", shape->groups,
                     PREEMPT_TILE * PREEMPT_TILE, shape->turns);
        return;
    }
    visit_detail(visit, name, "%u dispatch%s of %u workgroups of %d threads, %u turns each",
                 shape->dispatches, shape->dispatches == 1 ? "" : "es", shape->groups,
                 PREEMPT_WORKGROUP, shape->turns);
}

static void tell_how(const struct work *work, struct measure_visit *visit)
{
    const struct preempt_history *history = work->history;
    visit_detail(visit, "queues", "%s", work->rig->queue_text);
    visit_detail(visit, "priority", "%s", work->rig->priority_text);
    tell_shape(visit, "victim", &history->victim);
    visit_detail(visit, "lane 0", "victim");
    if (work->has_hog) {
        tell_shape(visit, "hog", &history->hog);
        visit_detail(visit, "hog-alone", "%.4g ms a submission; its longest pause %.4g us",
                     history->alone_ns / 1e6, history->pause_alone_ns / 1e3);
        visit_detail(visit, "lane 1", "hog");
    }
}

// The hog begins anew at each visit: the first deadline falls into another part of its submission
// each time, spread evenly however many visits there are (multiples of the golden ratio).
static double delay_of(struct preempt_history *history)
{
    double turns = (double)history->visits++ * 0.6180339887498949;
    return (turns - floor(turns)) * history->alone_ns;
}

static bool run_visit(struct work *work, struct measure_visit *visit, struct error *err)
{
    struct bench_visit *run = work->run;
    uint32_t samples = (uint32_t)case_uint(run->bench_case, "samples");
    struct duel_desc desc = {.hog = work->has_hog && !work->remote ? &work->hog : NULL,
                             .victim = &work->victim,
                             .samples = samples};
    if (!recall(work, err) || !prepare(work, samples, err))
        return false;
    desc.alone = is_first(work);
    desc.hog_ns = work->history->alone_ns;
    desc.delay_ns = delay_of(work->history);
    if (!duel_run(&desc, &work->duel, err) || !judge(work, err))
        return false;
    for (uint32_t i = 0; i < work->duel.count; i++)
        preempt_history_add(work->history, work->duel.response_ns[i], work->entries[i]);
    tell_metrics(work, visit);
    if (work->duel.late * LATE_PART > work->duel.count)
        visit_flag(visit, "late-victim",
                   "%u of %u victims were submitted late: submitting the hog held the thread",
                   work->duel.late, work->duel.count);
    tell_how(work, visit);
    preempt_series_quantiles(run->arena, work->history, visit);
    preempt_series_histogram(run->arena, work->history, visit);
    preempt_series_entered(run->arena, work->history, visit);
    const struct preempt_scene scene = {work->victims, work->duel.count, work->hogs,
                                        work->hog_count};
    preempt_series_timeline(run->arena, &scene, visit);
    if (!work->draws)
        visit_kernel(visit, work->rig->victim.program);
    for (uint32_t i = 0; i < work->hog_count; i++)
        visit->device_time_ns += (uint64_t)length_of(&work->hogs[i]);
    return true;
}

static bool start_process(struct work *work, struct error *err)
{
    struct bench_session *session = work->run->session;
    work->remote = work->has_hog && strcmp(work->rig->setting, "processes") == 0;
    if (work->remote && !work->rig->process)
        work->rig->process = process_create(session->arena, session->info->id, err);
    return !work->remote || work->rig->process;
}

bool preempt_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct work *work = ARENA_NEW(run->arena, struct work);
    work->run = run;
    work->session = run->session->state;
    work->has_hog = strcmp(case_text(run->bench_case, "hog"), "none") != 0;
    work->draws = case_find(run->bench_case, "victim") != NULL; // a dispatch is not said
    const struct rig_wish wish = {.setting = case_text(run->bench_case, "setting"),
                                  .priority = case_text(run->bench_case, "priority"),
                                  .draws = work->draws};
    work->rig = rig_get(run->session, &wish, err);
    if (!work->rig)
        return false;
    work->hog_scope = gpu_scope_open(work->rig->hog.device);
    work->victim_scope = gpu_scope_open(work->rig->victim.device);
    bool done = start_process(work, err) && run_visit(work, visit, err);
    if (!done && work->remote) { // it may be in the midst of a load
        process_destroy(work->rig->process);
        work->rig->process = NULL;
    }
    gpu_scope_close(work->hog_scope);
    gpu_scope_close(work->victim_scope);
    return done;
}
