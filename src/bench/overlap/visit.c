// SPDX-License-Identifier: MIT
#include "bench/overlap/overlap.h"
#include "bench/overlap/tally.h"
#include "math/stats.h"
#include "measure/unit.h"

#include <math.h>

enum {
    FRAMES = 16, // minimum number of measured frames per visit; three visits give 48
    FRAMES_MAX = 64,
    WARM_FRAMES = 2,
    ALONE_FRAMES = 3,
    TUNINGS = 2
};
// Wanted length in ns of 64 iterations alone; gaps between workloads are much shorter (some µs).
static const double workload_ns = 200e3;

struct work {
    struct overlap_stage stage;
    struct bench_visit *run;
    // Scope on the device whose compute queue has high priority; NULL if the visit uses run->scope.
    struct gpu_scope *scope;
    struct overlap_history *history;
    // Why the driver does not hold the device's clock stable; ERROR_NONE if the driver holds it, or
    // if the scenario does not ask for a stable clock.
    struct error clock_refusal;
    uint32_t all; // bit set of all workloads
    double alone_ns[OVERLAP_WORKLOADS_MAX];
    struct overlap_frame frames[FRAMES_MAX];
    size_t frame_count;
    struct overlap_frame marked;
    double device_ns; // sum of the lengths in ns of all frames without markers
};

static bool run_frame(struct work *work, uint32_t which, bool groups, struct overlap_frame *frame,
                      struct error *err)
{
    const struct overlap_frame_desc desc = {
        .which = which, .groups = groups, .arena = work->run->arena};
    if (!measure_goes_on(work->run->request, err) ||
        !overlap_frame_run(&work->stage, &desc, frame, err))
        return false;
    work->device_ns += frame->length_ns;
    return true;
}

// Runs the visit's only frame with markers. The frame gives no samples, because polling could
// disturb it.
static bool run_marked(struct work *work, struct error *err)
{
    const struct overlap_frame_desc desc = {.which = work->all, .marked = true};
    if (!overlap_frame_run(&work->stage, &desc, &work->marked, err))
        return false;
    const struct overlap_agreement agreement = overlap_markers_agree(&work->stage, &work->marked);
    overlap_polling_add(&work->history->polling, &agreement, &work->marked,
                        &work->stage.session->clock);
    return true;
}

// Runs only workload `w`, several times, and sets *ns to the median of its times.
static bool run_alone(struct work *work, size_t w, double *ns, struct error *err)
{
    double samples[ALONE_FRAMES];
    for (int i = 0; i < ALONE_FRAMES; i++) {
        struct overlap_frame frame;
        if (!run_frame(work, UINT32_C(1) << w, false, &frame, err))
            return false;
        samples[i] = frame.length_ns;
    }
    *ns = stats_median(samples, ALONE_FRAMES);
    return true;
}

// Raises *repeats so that 64 iterations of workload `w` take about workload_ns, within the longest
// loop that the device allows.
static bool tune(struct work *work, size_t w, uint32_t *repeats, struct error *err)
{
    const struct overlap_scenario *scenario = work->stage.scenario;
    uint64_t loops = work->run->session->info->limits.loop_iterations, iterations = 1;
    for (size_t i = 0; i < scenario->count; i++)
        if (scenario->workloads[i].iterations > iterations)
            iterations = scenario->workloads[i].iterations;
    uint64_t allowed = loops / iterations;
    double most = loops ? (double)allowed - 2 : 4096;
    for (int i = 0; i < TUNINGS; i++) {
        double ns;
        if (!run_alone(work, w, &ns, err))
            return false;
        double wanted_ns = workload_ns * scenario->workloads[w].iterations / 64;
        *repeats =
            (uint32_t)fmin(round(measure_unit_grow(*repeats, wanted_ns, ns, 1, INFINITY)), most);
    }
    return true;
}

// Tunes the first dispatch for all dispatches, and the first draw for all draws, because a device
// may use fewer cores for a draw.
static bool tune_all(struct work *work, struct error *err)
{
    const struct overlap_scenario *scenario = work->stage.scenario;
    for (int draw = 0; draw < 2; draw++) {
        size_t w = 0;
        while (w < scenario->count && scenario->workloads[w].draw != draw)
            w++;
        if (w < scenario->count && !tune(work, w, &work->stage.repeats[draw], err))
            return false;
        work->history->repeats[draw] = work->stage.repeats[draw];
    }
    return true;
}

// Sets work->history to the history of earlier visits, or to a new one. The history keeps the
// scenario, so that later visits do not read the file again.
static bool recall(struct work *work, struct error *err)
{
    struct bench_visit *run = work->run;
    work->history = *run->memory;
    if (work->history)
        return true;
    work->history = ARENA_NEW(run->session->arena, struct overlap_history);
    work->history->repeats[0] = work->history->repeats[1] = 1;
    work->history->polling.offset_ns = work->history->polling.known_ns = NAN;
    work->history->scenario =
        overlap_scenario_get(run->session->arena, case_text(run->bench_case, "scenario"), err);
    return work->history->scenario != NULL;
}

// Asks the driver to hold the device's clock stable or, for other scenarios, to release the clock
// on both devices of this chip. The clock stays held between visits, because it takes time to
// settle. A refusal is no error; work->clock_refusal keeps it. Fails only if the device is lost.
static bool set_clock(struct work *work, const struct gpu_scope *scope, struct error *err)
{
    const struct overlap_session *plain = work->run->session->state;
    work->clock_refusal = (struct error){.code = ERROR_NONE};
    if (!work->history->scenario->stable) {
        gpu_device_free_clock(work->run->session->device);
        if (plain->urgent && plain->urgent->own.device)
            gpu_device_free_clock(plain->urgent->own.device);
        return true;
    }
    if (gpu_device_hold_clock(gpu_scope_device(scope), err))
        return true;
    work->clock_refusal = *err;
    return err->code != ERROR_DEVICE_LOST;
}

static bool prepare(struct work *work, struct error *err)
{
    struct bench_visit *run = work->run;
    if (!recall(work, err))
        return false;
    struct overlap_session *session = work->history->scenario->urgent
                                          ? overlap_session_urgent(run->session, err)
                                          : run->session->state;
    if (!session)
        return false;
    if (session->own.device)
        work->scope = gpu_scope_open(session->own.device);
    if (!set_clock(work, session->scope, err))
        return false;
    work->stage = (struct overlap_stage){
        .scenario = work->history->scenario,
        .session = session,
        .scope = work->scope ? work->scope : run->scope,
        .arena = run->arena,
        .repeats = {work->history->repeats[0], work->history->repeats[1]},
        .barrier = (enum overlap_barrier)case_choice(run->bench_case, "barrier"),
        .barrier_first = case_choice(run->bench_case, "place") == 1,
        .timeout_ns = run->request->timeout_ns,
    };
    if (!overlap_stage_init(&work->stage, err))
        return false;
    if (work->stage.barrier == OVERLAP_BARRIER_TARGET &&
        !overlap_scenario_waits_for_draw(work->stage.scenario))
        return error_set(err, ERROR_UNSUPPORTED,
                         "barrier=target: no workload of %s waits for a draw on this device",
                         work->stage.scenario->name);
    work->all = (UINT32_C(1) << work->stage.scenario->count) - 1;
    if (*run->memory)
        return true;
    if (!tune_all(work, err))
        return false;
    *run->memory = work->history;
    return true;
}

// Returns the first workload on the queue of `w` that does the same work; it may be `w` itself.
static size_t first_alike(const struct work *work, size_t w)
{
    const struct overlap_workload *workloads = work->stage.scenario->workloads;
    size_t first = 0;
    while (workloads[first].queue != workloads[w].queue ||
           workloads[first].draw != workloads[w].draw ||
           workloads[first].blocks != workloads[w].blocks ||
           workloads[first].iterations != workloads[w].iterations)
        first++;
    return first;
}

// Sets work->alone_ns. If several workloads do the same work on the same queue, runs only the first
// of them.
static bool run_each_alone(struct work *work, struct error *err)
{
    for (size_t w = 0; w < work->stage.scenario->count; w++) {
        size_t first = first_alike(work, w);
        if (first == w && !run_alone(work, w, &work->alone_ns[w], err))
            return false;
        work->alone_ns[w] = work->alone_ns[first];
    }
    return true;
}

static bool run_frames(struct work *work, struct error *err)
{
    struct overlap_frame warm;
    for (int i = 0; i < WARM_FRAMES; i++)
        if (!run_frame(work, work->all, false, &warm, err))
            return false;
    if (!run_each_alone(work, err))
        return false;
    if (!run_marked(work, err))
        return false;
    unsigned wanted = work->run->request->samples;
    wanted = wanted < FRAMES ? FRAMES : wanted > FRAMES_MAX ? FRAMES_MAX : wanted;
    while (work->frame_count < wanted) {
        struct overlap_frame *frame = &work->frames[work->frame_count];
        if (!run_frame(work, work->all, true, frame, err))
            return false;
        overlap_history_add(work->history, work->stage.scenario, frame);
        work->frame_count++;
    }
    return true;
}

// ---------------------------------------------------------------- reporting

// Adds to the visit the samples of each metric that has a number in every frame.
static void report_metrics(const struct work *work, struct measure_visit *visit)
{
    double values[OVERLAP_METRIC_COUNT][FRAMES_MAX];
    bool missing[OVERLAP_METRIC_COUNT] = {false};
    for (size_t i = 0; i < work->frame_count; i++) {
        const struct overlap_tally tally =
            overlap_tally_of(work->stage.scenario, work->alone_ns, &work->frames[i]);
        for (int m = 0; m < OVERLAP_METRIC_COUNT; m++) {
            values[m][i] = tally.of[m];
            missing[m] = missing[m] || !isfinite(tally.of[m]);
        }
    }
    double step_ns = work->stage.session->clock.device_step_ns;
    double share = step_ns / work->alone_ns[0];
    const double steps[OVERLAP_METRIC_COUNT] = {step_ns, share, share, step_ns, step_ns,
                                                share,   share, share, share,   step_ns};
    for (unsigned m = 0; m < OVERLAP_METRIC_COUNT; m++)
        if (!missing[m])
            visit_samples(visit, m, values[m], work->frame_count, steps[m]);
}

static const char *size_text(const struct work *work, size_t w)
{
    const struct overlap_workload *workload = &work->stage.scenario->workloads[w];
    if (workload->draw)
        return arena_printf(work->run->arena, "a draw of %d x %u pixels, %u repeats an iteration",
                            OVERLAP_BLOCK_THREADS, workload->blocks, work->stage.repeats[true]);
    return arena_printf(work->run->arena, "%u threads%s", workload->blocks * OVERLAP_BLOCK_THREADS,
                        work->history->scenario->workloads[w].draw
                            ? ", a dispatch instead of a draw: only the first queue draws"
                            : "");
}

static void report_clock(const struct overlap_session *session,
                         const struct overlap_polling *polling, struct measure_visit *visit)
{
    const struct overlap_skew *skew = &session->skew;
    visit_detail(visit, "clock", "timer resolution: %.4g ns (ticks of %.4g ns, steps of %.4g ns)",
                 session->resolution_ns, session->clock.device_tick_ns,
                 session->clock.device_step_ns);
    visit_detail(
        visit, "clock-skew",
        "no core's clock lags another's by more than %.4g ns, in %llu readings on %u cores "
        "(0: not known); a lag below %.4g ns cannot be seen",
        skew->behind_ns, (unsigned long long)skew->seen, skew->cores, skew->reach_ns);
    if (isfinite(polling->known_ns))
        visit_detail(visit, "clock-offset", "device clock minus host clock: %.6f s ± %.3g us",
                     polling->offset_ns * 1e-9, polling->known_ns * 1e-3);
    visit_detail(visit, "markers",
                 "the polling host saw %zu of %zu markers, %zu of them on time (polls at most "
                 "%.3g us apart); polled and stamped lengths differ by up to %.3g us; a first "
                 "marker was written up to %.3g us after the first start",
                 polling->seen, polling->markers, polling->agreed, polling->sweep_ns * 1e-3,
                 polling->bars_ns * 1e-3, polling->held_ns * 1e-3);
}

static void report_details(const struct work *work, struct measure_visit *visit)
{
    const struct overlap_scenario *scenario = work->stage.scenario;
    visit_detail(visit, "queues", "%s", work->stage.session->queue_text);
    if (work->stage.session->priority_text)
        visit_detail(visit, "priority", "%s", work->stage.session->priority_text);
    if (scenario->stable)
        visit_detail(
            visit, "stable-clock", "%s",
            work->clock_refusal.code == ERROR_NONE
                ? "granted: the driver accepted it (RADV: peak clocks, with Linux 5.17 or later)"
                : "not available: the clocks are free");
    report_clock(work->stage.session, &work->history->polling, visit);
    visit_detail(visit, "work", "%u repeats of %d xorshift rounds an iteration",
                 work->stage.repeats[false], OVERLAP_ROUNDS);
    for (size_t w = 0; w < scenario->count; w++) {
        visit_detail(visit, arena_printf(work->run->arena, "lane %zu", w),
                     "%s, on %s, alone %.4g us, %s", scenario->workloads[w].name,
                     scenario->workloads[w].queue == OVERLAP_COMPUTE ? "the compute queue"
                                                                     : "the direct queue",
                     work->alone_ns[w] / 1000, size_text(work, w));
    }
}

// Returns the frame whose length is nearest to the median length.
static const struct overlap_frame *typical_frame(const struct work *work)
{
    double lengths[FRAMES_MAX];
    for (size_t i = 0; i < work->frame_count; i++)
        lengths[i] = work->frames[i].length_ns;
    double median = stats_median(lengths, work->frame_count);
    size_t best = 0;
    for (size_t i = 1; i < work->frame_count; i++)
        if (fabs(work->frames[i].length_ns - median) < fabs(work->frames[best].length_ns - median))
            best = i;
    return &work->frames[best];
}

bool overlap_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct work *work = ARENA_NEW(run->arena, struct work);
    work->run = run;
    bool done = prepare(work, err) && run_frames(work, err);
    gpu_scope_close(work->scope);
    if (!done)
        return false;
    report_metrics(work, visit);
    report_details(work, visit);
    overlap_series_add(&work->stage, work->history, typical_frame(work), &work->marked, visit);
    const struct overlap_polling *polling = &work->history->polling;
    if (polling->agreed < polling->seen)
        visit_flag(
            visit, "markers",
            "%zu of %zu markers reached the host at another time than the device's clock allows",
            polling->seen - polling->agreed, polling->seen);
    if (work->stage.session->refused)
        visit_flag(visit, "priority-refused", "%s", work->stage.session->priority_text);
    if (work->clock_refusal.code != ERROR_NONE)
        visit_flag(visit, "clock-refused", "no stable clock: %s", work->clock_refusal.message);
    visit_kernel(visit, work->stage.session->program);
    visit->device_time_ns += (uint64_t)work->device_ns;
    return true;
}
