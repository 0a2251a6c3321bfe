// SPDX-License-Identifier: MIT
// Reports the metrics, flags, details and series of a visit.
#include "bench/preempt/work.h"

#include "bench/preempt/preempt.h"
#include "math/stats.h"

#include <math.h>

enum {
    // A case is flagged (late-victim) if the host made more than 1 / LATE_PART of an actor's
    // submissions too late.
    LATE_PART = 20
};

double work_length_ns(const struct load_run *run)
{
    return run->end_ns - run->start_ns;
}

// Returns the median length of the hog's submissions beside victims ÷ their length alone.
// Submissions count if they ran at some time between the start of the first victim and the end of
// the last answered victim. Returns NaN if no submission counts.
static double slowdown_of(const struct work *work)
{
    double beside[WORK_HOG_SLOTS_MAX];
    size_t count = 0;
    if (!work->has_hog || !work->answers.answered)
        return NAN;
    double from = work->victim.runs[0].start_ns;
    double to = work->victim.runs[work->answers.answered - 1].end_ns;
    for (uint32_t i = work->alone_count; i < work->hog.count; i++)
        if (work->hog.runs[i].end_ns > from && work->hog.runs[i].start_ns < to)
            beside[count++] = work_length_ns(&work->hog.runs[i]);
    return count ? stats_median(beside, count) / work->history->alone_ns : NAN;
}

// Returns the longest pause of a workgroup of the hog beside victims; NaN without a hog.
static double pause_of(const struct work *work)
{
    double longest = NAN;
    for (uint32_t i = work->alone_count; work->has_hog && i < work->hog.count; i++)
        longest = fmax(longest, work->hog.runs[i].pause_ns);
    return longest;
}

static void report_one(struct measure_visit *visit, enum preempt_metric metric, double value,
                       double step)
{
    if (isfinite(value))
        visit_samples(visit, metric, &value, 1, step);
}

// Reports quantile `p` of response times, or of the times from the next deadline to late answers.
static void report_quantile(const struct preempt_responses *responses, struct measure_visit *visit,
                            enum preempt_metric metric, double p)
{
    struct preempt_quantile quantile = preempt_quantile_of(responses, p);
    report_one(visit, metric, quantile.ns, 1);
    if (quantile.at_least)
        visit_at_least(visit, metric);
}

// Reports the victims' response times, run times and waits (response − run time). A censored
// response counts as its lower bound, and its run time as the longest run time.
static void report_responses(const struct work *work, struct measure_visit *visit)
{
    const struct contention *contention = &work->answers;
    double response[CONTENTION_SAMPLES_MAX], exec[CONTENTION_SAMPLES_MAX],
        wait[CONTENTION_SAMPLES_MAX], longest = 0, step = work->run->session->clock.device_step_ns;
    bool censored[CONTENTION_SAMPLES_MAX];
    for (uint32_t v = 0; v < contention->answered; v++)
        longest = fmax(longest, exec[v] = work_length_ns(&work->victim.runs[v]));
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

// The metrics of an actor: how many of its frames a display shows, and how late its frames are.
struct actor_metrics {
    enum preempt_metric frames, lateness, lateness_p99;
};

static void report_actor(const struct work *work, const struct contention *result,
                         const struct actor_metrics *metrics, struct measure_visit *visit)
{
    double late[CONTENTION_SAMPLES_MAX];
    bool censored[CONTENTION_SAMPLES_MAX];
    for (uint32_t i = 0; i < result->count; i++) {
        late[i] = contention_lateness_ns(&result->answers[i]);
        censored[i] = result->answers[i].censored;
    }
    const struct preempt_responses lateness =
        preempt_responses_sort(work->run->arena, late, censored, result->count);
    report_one(visit, metrics->frames, contention_frames(result), 90.0 / result->due);
    report_quantile(&lateness, visit, metrics->lateness, 0.5);
    report_quantile(&lateness, visit, metrics->lateness_p99, 0.99);
}

static void report_misses(const struct contention *result, enum preempt_metric metric,
                          struct measure_visit *visit)
{
    report_one(visit, metric, (double)(result->due - result->met) / result->due, 1.0 / result->due);
}

static void report_metrics(const struct work *work, struct measure_visit *visit)
{
    static const struct actor_metrics victim = {PREEMPT_METRIC_FRAMES, PREEMPT_METRIC_LATENESS,
                                                PREEMPT_METRIC_LATENESS_P99},
                                      application = {PREEMPT_METRIC_APP_FRAMES,
                                                     PREEMPT_METRIC_APP_LATENESS,
                                                     PREEMPT_METRIC_APP_LATENESS_P99};
    report_responses(work, visit);
    report_misses(&work->answers, PREEMPT_METRIC_MISSES, visit);
    if (work->three) {
        report_actor(work, &work->answers, &victim, visit);
        report_actor(work, &work->frames, &application, visit);
        report_misses(&work->frames, PREEMPT_METRIC_APP_MISSES, visit);
    }
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
    visit_detail(visit, "lane 0", work->three ? "compositor" : "victim");
    if (work->has_hog) {
        report_work(visit, "hog", &history->hog);
        visit_detail(visit, "hog-alone", "%.4g ms a submission; its longest pause %.4g us",
                     history->alone_ns / 1e6, history->pause_alone_ns / 1e3);
        visit_detail(visit, "lane 1", "hog");
    }
    if (work->three) {
        report_work(visit, "application", &history->application);
        visit_detail(visit, "lane 2", "application");
    }
}

static void report_late(const struct work_part *part, const struct contention *result,
                        const char *what, struct measure_visit *visit)
{
    if (result->late * LATE_PART > part->count)
        visit_flag(visit, "late-victim",
                   "%u of %u %s were submitted late, because the host was busy", result->late,
                   part->count, what);
}

void work_report(const struct work *work, struct measure_visit *visit)
{
    const struct preempt_lane lanes[PREEMPT_LANES] = {
        {work->victim.runs, work->answers.answered},
        {work->hog.runs, work->hog.count},
        {work->application.runs, work->frames.answered}};
    report_metrics(work, visit);
    report_late(&work->victim, &work->answers, "victims", visit);
    report_late(&work->application, &work->frames, "frames of the application", visit);
    report_details(work, visit);
    preempt_series_history(work->run->arena, work->history, visit);
    preempt_series_timeline(lanes, visit);
    if (!work->draws)
        visit_kernel(visit, work->setup->victim.program);
    for (uint32_t i = 0; i < work->hog.count; i++)
        visit->device_time_ns += (uint64_t)work_length_ns(&work->hog.runs[i]);
}
