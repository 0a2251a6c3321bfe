// SPDX-License-Identifier: MIT
#include "bench/preempt/visit.h"

#include "bench/preempt/contention.h"
#include "bench/preempt/judge.h"
#include "bench/preempt/preempt.h"
#include "bench/preempt/process.h"
#include "bench/preempt/session.h"
#include "math/stats.h"

#include <math.h>
#include <string.h>

enum {
    HOG_SLOTS_MAX = 512,
    HOG_RECORDS = 512, // most records that a submission of the hog leaves
    RESOLUTION_STEPS = 3,
    PAUSE_MARGIN = 2,
    LATE_PART = 20 // no flag if at most 1 / LATE_PART of the answers were late
};

struct work {
    struct bench_visit *run;
    struct preempt_session *session;
    struct preempt_history *history;
    struct preempt_setup *setup;
    struct load_desc hog_desc, victim_desc;
    struct load hog, victim;
    uint32_t hog_count;   // number of all submissions of the hog, in this or in its own process
    uint32_t alone_count; // the first alone_count of these submissions measure the hog alone
    uint64_t base;        // the clock value from which all times count; 0: not chosen yet
    bool has_hog;
    bool remote;   // the hog runs in another process
    bool draws;    // the victim is a draw
    bool is_first; // this visit also measures the hog alone; later ones do not, to save time
    struct contention contention;
    struct load_run *hogs, *victims;
    enum judge_entry entries[CONTENTION_SAMPLES_MAX];
};

// ---------------------------------------------------------------- before

static struct load_desc desc_of(const struct preempt_side *side, const struct bench_visit *run)
{
    return (struct load_desc){.scope = gpu_scope_open(side->device),
                              .queue = side->queue,
                              .program = side->program,
                              .timeout_ns = run->request->timeout_ns};
}

// Sets work->history to that of earlier visits. The first visit creates it and sizes both loads.
static bool recall(struct work *work, struct error *err)
{
    struct bench_visit *run = work->run;
    work->history = *run->memory;
    if (!work->history) {
        struct preempt_history *history = ARENA_NEW(run->session->arena, struct preempt_history);
        const char *victim = work->draws ? PREEMPT_VICTIM_DRAW : PREEMPT_VICTIM;
        if (!preempt_size_find(run, &work->victim_desc, victim, &history->victim, err) ||
            (work->has_hog &&
             !preempt_size_find(run, &work->hog_desc, case_text(run->bench_case, "hog"),
                                &history->hog, err)))
            return false;
        work->history = *run->memory = history;
    }
    work->is_first = work->has_hog && work->history->alone_ns == 0;
    return true;
}

// Returns the number of slots that a hog with submissions of 2 ms needs during the visit, at most
// HOG_SLOTS_MAX.
static uint32_t hog_slots(uint32_t samples)
{
    uint64_t slots =
        CONTENTION_ALONE + LOAD_BATCHES_MAX + samples * (CONTENTION_PERIOD_NS / 2000000);
    return (uint32_t)(slots < HOG_SLOTS_MAX ? slots : HOG_SLOTS_MAX);
}

static bool prepare(struct work *work, uint32_t samples, struct error *err)
{
    struct load_desc *hog = &work->hog_desc, *victim = &work->victim_desc;
    uint32_t token = work->session->token + 1;
    hog->shape = work->history->hog;
    hog->slots = hog_slots(samples);
    hog->records = HOG_RECORDS;
    victim->shape = work->history->victim;
    victim->slots = samples;
    victim->records = victim->shape.groups;
    work->session->token += hog->slots + victim->slots;
    if (work->has_hog && !work->remote && !load_init(&work->hog, hog, err))
        return false;
    if (!load_init(&work->victim, victim, err))
        return false;
    load_restart(&work->hog, token);
    load_restart(&work->victim, token + hog->slots);
    const struct process_start start = {
        .load = *hog, .token = token, .alone = work->is_first ? CONTENTION_ALONE : 0};
    return !work->remote || process_start(work->setup->process, &start, err);
}

// ---------------------------------------------------------------- after

static double length_of(const struct load_run *run)
{
    return run->end_ns - run->start_ns;
}

// Stores the median length and the longest pause of the hog's submissions before the first victim.
static void remember_alone(struct work *work)
{
    double alone[CONTENTION_ALONE], longest = 0;
    uint32_t count = work->hog_count < CONTENTION_ALONE ? work->hog_count : CONTENTION_ALONE;
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
                (work->remote ? process_stop(work->setup->process, arena, &work->base, &work->hogs,
                                             &work->hog_count, err)
                              : load_read(&work->hog, clock, &work->base, arena, &work->hogs, err));
    if (!read || !load_read(&work->victim, clock, &work->base, arena, &work->victims, err))
        return false;
    if (work->is_first)
        remember_alone(work);
    const struct judge_limits limits = {
        .resolution_ns = RESOLUTION_STEPS * clock->device_step_ns,
        .pause_ns = PAUSE_MARGIN * work->history->pause_alone_ns,
        .alone_ns = work->history->alone_ns,
        .victims = work->victims,
        .victim_count = work->contention.count,
    };
    for (uint32_t i = 0; i < work->contention.count; i++) {
        double exec = length_of(&work->victims[i]);
        if (exec > work->contention.response_ns[i] * 1.01 + limits.resolution_ns)
            return error_set(err, ERROR_MISMATCH,
                             "the victim ran %.0f ns by the device's clock, but the host had it "
                             "back after %.0f ns",
                             exec, work->contention.response_ns[i]);
        work->entries[i] = judge_entry_of(&work->victims[i], work->hogs, work->hog_count, &limits);
    }
    return true;
}

// Returns the median length of the hog's submissions between the first and the last victim, divided
// by their length alone. NaN if there were no such submissions.
static double slowdown_of(const struct work *work)
{
    double beside[HOG_SLOTS_MAX];
    size_t count = 0;
    if (!work->has_hog || !work->contention.count)
        return NAN;
    double from = work->victims[0].start_ns;
    double to = work->victims[work->contention.count - 1].end_ns;
    for (uint32_t i = work->alone_count; i < work->hog_count; i++)
        if (work->hogs[i].end_ns > from && work->hogs[i].start_ns < to)
            beside[count++] = length_of(&work->hogs[i]);
    return count ? stats_median(beside, count) / work->history->alone_ns : NAN;
}

// Returns the longest pause of a workgroup of the hog, without the submissions that measure the hog
// alone. NaN without a hog.
static double pause_of(const struct work *work)
{
    double longest = NAN;
    for (uint32_t i = work->alone_count; work->has_hog && i < work->hog_count; i++)
        longest = fmax(longest, work->hogs[i].pause_ns);
    return longest;
}

static void report_one(struct measure_visit *visit, enum preempt_metric metric, double value,
                       double step)
{
    if (isfinite(value))
        visit_samples(visit, metric, &value, 1, step);
}

static void report_metrics(const struct work *work, struct measure_visit *visit)
{
    double exec[CONTENTION_SAMPLES_MAX], wait[CONTENTION_SAMPLES_MAX],
        sorted[CONTENTION_SAMPLES_MAX];
    uint32_t count = work->contention.count;
    double step = work->session->clock.device_step_ns;
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = work->contention.response_ns[i];
        exec[i] = length_of(&work->victims[i]);
        wait[i] = fmax(work->contention.response_ns[i] - exec[i], 0);
    }
    visit_samples(visit, PREEMPT_METRIC_RESPONSE, work->contention.response_ns, count, 1);
    visit_samples(visit, PREEMPT_METRIC_EXEC, exec, count, step);
    visit_samples(visit, PREEMPT_METRIC_WAIT, wait, count, step);
    stats_sort(sorted, count);
    report_one(visit, PREEMPT_METRIC_P90, stats_quantile(sorted, count, 0.9), 1);
    report_one(visit, PREEMPT_METRIC_MOST, sorted[count - 1], 1);
    uint32_t due = work->contention.due;
    report_one(visit, PREEMPT_METRIC_MISSES, (double)(due - work->contention.met) / due, 1.0 / due);
    report_one(visit, PREEMPT_METRIC_SLOWDOWN, slowdown_of(work), 0);
    report_one(visit, PREEMPT_METRIC_PAUSE, pause_of(work), step);
}

static void report_shape(struct measure_visit *visit, const char *name,
                         const struct load_shape *shape)
{
    if (shape->draws) {
        visit_detail(visit, name, "%u draw%s of %u tiles of %d pixels, %u iterations each",
                     shape->dispatches, shape->dispatches == 1 ? "" : "s", shape->groups,
                     PREEMPT_TILE * PREEMPT_TILE, shape->iterations);
        return;
    }
    visit_detail(visit, name, "%u dispatch%s of %u workgroups of %d threads, %u iterations each",
                 shape->dispatches, shape->dispatches == 1 ? "" : "es", shape->groups,
                 PREEMPT_WORKGROUP, shape->iterations);
}

static void report_details(const struct work *work, struct measure_visit *visit)
{
    const struct preempt_history *history = work->history;
    visit_detail(visit, "queues", "%s", work->setup->queue_text);
    visit_detail(visit, "priority", "%s", work->setup->priority_text);
    report_shape(visit, "victim", &history->victim);
    visit_detail(visit, "lane 0", "victim");
    if (work->has_hog) {
        report_shape(visit, "hog", &history->hog);
        visit_detail(visit, "hog-alone", "%.4g ms a submission; its longest pause %.4g us",
                     history->alone_ns / 1e6, history->pause_alone_ns / 1e3);
        visit_detail(visit, "lane 1", "hog");
    }
}

// Returns the delay of the first deadline, in ns. The hog starts anew at each visit, so without a
// delay the first deadline would always fall into the same part of the hog's submission. Multiples
// of the golden ratio spread evenly over any number of visits.
static double delay_of(struct preempt_history *history)
{
    double share = (double)history->visits++ * 0.6180339887498949;
    return (share - floor(share)) * history->alone_ns;
}

static bool run_visit(struct work *work, struct measure_visit *visit, struct error *err)
{
    struct bench_visit *run = work->run;
    uint32_t samples = (uint32_t)case_uint(run->bench_case, "samples");
    struct contention_desc desc = {.hog = work->has_hog && !work->remote ? &work->hog : NULL,
                                   .victim = &work->victim,
                                   .samples = samples};
    if (!recall(work, err) || !prepare(work, samples, err))
        return false;
    desc.alone = work->is_first;
    desc.hog_ns = work->history->alone_ns;
    desc.delay_ns = delay_of(work->history);
    if (!contention_run(&desc, &work->contention, err) || !judge(work, err))
        return false;
    for (uint32_t i = 0; i < work->contention.count; i++)
        preempt_history_add(work->history, work->contention.response_ns[i], work->entries[i]);
    report_metrics(work, visit);
    if (work->contention.late * LATE_PART > work->contention.count)
        visit_flag(
            visit, "late-victim",
            "%u of %u victims were submitted late, because submitting the hog kept the host busy",
            work->contention.late, work->contention.count);
    report_details(work, visit);
    preempt_series_history(run->arena, work->history, visit);
    const struct preempt_scene scene = {work->victims, work->contention.count, work->hogs,
                                        work->hog_count};
    preempt_series_timeline(run->arena, &scene, visit);
    if (!work->draws)
        visit_kernel(visit, work->setup->victim.program);
    for (uint32_t i = 0; i < work->hog_count; i++)
        visit->device_time_ns += (uint64_t)length_of(&work->hogs[i]);
    return true;
}

static bool start_process(struct work *work, struct error *err)
{
    struct bench_session *session = work->run->session;
    work->remote = work->has_hog && strcmp(work->setup->setting, "processes") == 0;
    if (work->remote && !work->setup->process)
        work->setup->process = process_create(session->arena, session->info, err);
    return !work->remote || work->setup->process;
}

bool preempt_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct work *work = ARENA_NEW(run->arena, struct work);
    work->run = run;
    work->session = run->session->state;
    work->has_hog = strcmp(case_text(run->bench_case, "hog"), "none") != 0;
    work->draws = case_find(run->bench_case, "victim") != NULL; // no `victim` means a dispatch
    const struct preempt_setup_request request = {.setting = case_text(run->bench_case, "setting"),
                                                  .priority =
                                                      case_text(run->bench_case, "priority"),
                                                  .draws = work->draws};
    work->setup = preempt_setup_get(run->session, &request, err);
    if (!work->setup)
        return false;
    work->hog_desc = desc_of(&work->setup->hog, run);
    work->victim_desc = desc_of(&work->setup->victim, run);
    bool done = start_process(work, err) && run_visit(work, visit, err);
    if (!done && work->remote) { // the hog's process may still run a load
        process_destroy(work->setup->process);
        work->setup->process = NULL;
    }
    gpu_scope_close(work->hog_desc.scope);
    gpu_scope_close(work->victim_desc.scope);
    return done;
}
