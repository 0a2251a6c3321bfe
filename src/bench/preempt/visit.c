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
    HOG_SLOTS_SPARE = 64, // slots for submissions made while late answers are awaited
    HOG_RECORDS = 512,    // most records that a submission of the hog leaves
    RESOLUTION_STEPS = 3,
    PAUSE_MARGIN = 2,
    LATE_PART = 20 // if more than 1 / LATE_PART of the answers were late, the case gets a flag
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
    bool drops;    // deadlines that pass while an answer is awaited are dropped
    bool is_first; // this visit also measures the hog alone; later ones do not, to save time
    struct contention contention;
    struct load_run *hogs, *victims;
    // [i]: how victim i got onto the device, if it was answered.
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
        CONTENTION_ALONE + samples * (CONTENTION_PERIOD_NS / 2000000) + HOG_SLOTS_SPARE;
    return (uint32_t)(slots < HOG_SLOTS_MAX ? slots : HOG_SLOTS_MAX);
}

static bool prepare(struct work *work, uint32_t samples, struct error *err)
{
    struct load_desc *hog = &work->hog_desc, *victim = &work->victim_desc;
    uint32_t token = work->session->token + 1;
    hog->work = work->history->hog;
    hog->slots = hog_slots(samples);
    hog->records = HOG_RECORDS;
    victim->work = work->history->victim;
    victim->work.ahead = work->drops ? 1 : samples;
    victim->slots = samples;
    victim->records = victim->work.groups;
    work->session->token += hog->slots + victim->slots;
    if (work->has_hog && !work->remote && !load_init(&work->hog, hog, err))
        return false;
    if (!load_init(&work->victim, victim, err))
        return false;
    load_restart(&work->hog, token);
    load_restart(&work->victim, token + hog->slots);
    // The victims are recorded before the hog starts: recording can need memory, which a driver may
    // map slowly while the hog runs.
    for (uint32_t i = 0; i < samples && !work->drops; i++)
        if (!load_prepare(&work->victim, err))
            return false;
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
    const struct measure_clock *clock = &work->run->session->clock;
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
        .victim_count = work->victim.submitted,
    };
    for (uint32_t i = 0; i < work->contention.count; i++) {
        const struct contention_answer *answer = &work->contention.answers[i];
        double exec = length_of(&work->victims[answer->victim]);
        if (!answer->censored && exec > answer->response_ns * 1.01 + limits.resolution_ns)
            return error_set(err, ERROR_MISMATCH,
                             "the victim ran %.0f ns by the device's clock, but the host had it "
                             "back after %.0f ns",
                             exec, answer->response_ns);
    }
    for (uint32_t v = 0; v < work->contention.answered; v++)
        work->entries[v] = judge_entry_of(&work->victims[v], work->hogs, work->hog_count, &limits);
    return true;
}

// Adds the answers to the history. Answers between two ends of the hog's submissions are one event:
// they waited for the same one. Without a hog each answer is an event of its own.
static void remember_answers(struct work *work)
{
    struct preempt_history *history = work->history;
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < work->contention.count; i++) {
        const struct contention_answer *answer = &work->contention.answers[i];
        uint32_t event = 0;
        for (uint32_t h = 0; h < work->hog_count; h++)
            event += work->hogs[h].end_ns <= work->victims[answer->victim].end_ns;
        history->events += !work->has_hog || event != last;
        last = event;
        preempt_history_add(history, answer->response_ns, answer->censored);
    }
    for (uint32_t v = 0; v < work->contention.answered; v++)
        history->entries[work->entries[v]]++;
}

// Returns the median length of the hog's submissions between the first and the last victim, divided
// by their length alone. NaN if there were no such submissions.
static double slowdown_of(const struct work *work)
{
    double beside[HOG_SLOTS_MAX];
    size_t count = 0;
    if (!work->has_hog || !work->contention.answered)
        return NAN;
    double from = work->victims[0].start_ns;
    double to = work->victims[work->contention.answered - 1].end_ns;
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

// Reports quantile `p` of the visit's responses.
static void report_quantile(const struct preempt_responses *responses, struct measure_visit *visit,
                            enum preempt_metric metric, double p)
{
    struct preempt_quantile quantile = preempt_quantile_of(responses, p);
    report_one(visit, metric, quantile.ns, 1);
    if (quantile.at_least)
        visit_at_least(visit, metric);
}

// Reports the responses, waits and run times of the victims, and quantiles of the responses. A
// censored answer counts with its lower bound; its wait counts as that bound minus the longest run
// of a victim.
static void report_responses(const struct work *work, struct measure_visit *visit)
{
    const struct contention *contention = &work->contention;
    double response[CONTENTION_SAMPLES_MAX], exec[CONTENTION_SAMPLES_MAX],
        wait[CONTENTION_SAMPLES_MAX], longest = 0, step = work->run->session->clock.device_step_ns;
    bool censored[CONTENTION_SAMPLES_MAX];
    for (uint32_t v = 0; v < contention->answered; v++)
        longest = fmax(longest, exec[v] = length_of(&work->victims[v]));
    for (uint32_t i = 0; i < contention->count; i++) {
        const struct contention_answer *answer = &contention->answers[i];
        double own = answer->censored ? longest : exec[answer->victim];
        response[i] = answer->response_ns;
        wait[i] = fmax(answer->response_ns - own, 0);
        censored[i] = answer->censored;
    }
    struct arena *arena = work->run->arena;
    const struct preempt_responses responses =
        preempt_responses_sort(arena, response, censored, contention->count);
    visit_samples(visit, PREEMPT_METRIC_RESPONSE, response, contention->count, 1);
    visit_samples(visit, PREEMPT_METRIC_WAIT, wait, contention->count, step);
    if (contention->answered)
        visit_samples(visit, PREEMPT_METRIC_EXEC, exec, contention->answered, step);
    if (preempt_quantile_of(&responses, 0.5).at_least) {
        visit_at_least(visit, PREEMPT_METRIC_RESPONSE);
        visit_at_least(visit, PREEMPT_METRIC_WAIT);
    }
    report_quantile(&responses, visit, PREEMPT_METRIC_P90, 0.9);
    report_quantile(&responses, visit, PREEMPT_METRIC_MOST, 1);
}

static void report_metrics(const struct work *work, struct measure_visit *visit)
{
    uint32_t due = work->contention.due;
    report_responses(work, visit);
    report_one(visit, PREEMPT_METRIC_MISSES, (double)(due - work->contention.met) / due, 1.0 / due);
    report_one(visit, PREEMPT_METRIC_SLOWDOWN, slowdown_of(work), 0);
    report_one(visit, PREEMPT_METRIC_PAUSE, pause_of(work),
               work->run->session->clock.device_step_ns);
}

static void report_work(struct measure_visit *visit, const char *name, const struct load_work *load)
{
    if (load->draws) {
        visit_detail(visit, name, "%u draw%s of %u tiles of %d pixels, %u iterations each",
                     load->dispatches, load->dispatches == 1 ? "" : "s", load->groups,
                     PREEMPT_TILE * PREEMPT_TILE, load->iterations);
        return;
    }
    visit_detail(visit, name, "%u dispatch%s of %u workgroups of %d threads, %u iterations each",
                 load->dispatches, load->dispatches == 1 ? "" : "es", load->groups,
                 PREEMPT_WORKGROUP, load->iterations);
}

static void report_details(const struct work *work, struct measure_visit *visit)
{
    const struct preempt_history *history = work->history;
    visit_detail(visit, "queues", "%s", work->setup->queue_text);
    visit_detail(visit, "priority", "%s", work->setup->priority_text);
    report_work(visit, "victim", &history->victim);
    visit_detail(visit, "lane 0", "victim");
    if (work->has_hog) {
        report_work(visit, "hog", &history->hog);
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
                                   .samples = samples,
                                   .drops = work->drops};
    if (!recall(work, err) || !prepare(work, samples, err))
        return false;
    desc.alone = work->is_first;
    desc.hog_ns = work->history->alone_ns;
    desc.delay_ns = delay_of(work->history);
    if (!contention_run(&desc, &work->contention, err) || !judge(work, err))
        return false;
    remember_answers(work);
    report_metrics(work, visit);
    if (work->contention.late * LATE_PART > work->victim.submitted)
        visit_flag(visit, "late-victim",
                   "%u of %u victims were submitted late, because the host was busy",
                   work->contention.late, work->victim.submitted);
    report_details(work, visit);
    preempt_series_history(run->arena, work->history, visit);
    const struct preempt_scene scene = {work->victims, work->contention.answered, work->hogs,
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
    work->draws = case_find(run->bench_case, "victim") != NULL;   // no `victim` means a dispatch
    work->drops = case_find(run->bench_case, "arrivals") != NULL; // no `arrivals`: none is dropped
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
