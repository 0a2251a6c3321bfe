// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "bench/loads/session.h"
#include "measure/unit.h"

#include <math.h>

enum {
    METRIC_RATE,
    METRIC_BANDWIDTH,
    METRIC_PER_CORE,
    METRIC_TIME,
    METRIC_RATIO,
    METRIC_OVER_CONTROL,
    METRIC_BASELINE
};

enum {
    // A trial run has 1 / TRIAL_SHARE of the workgroups of a dispatch: on a GPU, one per core.
    TRIAL_SHARE = 32,
    // A sample of the loop without loads lasts 1 / CONTROL_SHARE of a sample of the case.
    CONTROL_SHARE = 4,
};

static const double loads_a_group = (double)LOADS_THREADS * LOADS_A_THREAD;

// Number of loads in a dispatch of the published tool perftest, whose time is the metric `time`.
static const double published_loads = 1024.0 * 1024 * 256;

// If a case takes less than this many times as long as the loop alone, the loop may limit the case.
static const double control_least = 1.2;

// The baseline is measured again if its last sample is more than 100 ms old.
static const uint64_t baseline_age_ns = 100 * NS_PER_MS;

// Data of one case that the session keeps from visit to visit.
struct memory {
    struct loads_size size;
    // Time in ns of one workgroup of the loop without loads; 0 if not measured yet.
    double control_ns;
};

uint32_t loads_groups_within(uint32_t all, uint32_t trial, double took_ns)
{
    double fit = floor(trial * (LOADS_LONGEST_NS / fmax(took_ns, 1)));
    return fit < all ? (uint32_t)fmax(fit, 1) : all;
}

// Finds how many workgroups a dispatch may have. A first run can be slow for many reasons, so the
// trial is repeated if not all workgroups fit.
static bool find_groups(struct bench_visit *visit, struct loads_run *run, struct error *err)
{
    const struct loads_session *session = visit->session->state;
    uint32_t all = session->groups, trial = all > TRIAL_SHARE ? all / TRIAL_SHARE : 1;
    struct measure_ran ran = {.units = 1};
    double took_ns, again_ns;
    if (!loads_work_make(visit, run->this_case, run->control, trial, &run->work, err))
        return false;
    const struct measure_span_desc once = {.scope = visit->scope,
                                           .record = loads_work_record,
                                           .context = &run->work,
                                           .request = visit->request};
    if (!measure_unit_time(&once, 1, &took_ns, err))
        return false;
    if (loads_groups_within(all, trial, took_ns) < all) {
        if (!measure_unit_time(&once, 1, &again_ns, err))
            return false;
        took_ns = fmin(took_ns, again_ns);
        ran.units++;
    }
    run->size->groups = loads_groups_within(all, trial, took_ns);
    return loads_work_verify(&run->work, &ran, err);
}

bool loads_run(struct bench_visit *visit, struct loads_run *run, struct error *err)
{
    if ((!run->size->groups && !find_groups(visit, run, err)) ||
        !loads_work_make(visit, run->this_case, run->control, run->size->groups, &run->work, err))
        return false;
    struct measure_span_desc desc = bench_span_desc(visit, loads_work_record, &run->work);
    desc.request = run->request;
    desc.unordered = (visit->session->info->caps & GPU_CAP(UNORDERED)) != 0;
    desc.repeats = run->size->repeats;
    if (!measure_span_run(visit->arena, &desc, &run->span, err) ||
        !loads_work_verify(&run->work, &run->span.ran, err))
        return false;
    run->size->repeats = run->span.repeats;
    for (size_t i = 0; i < run->span.count; i++)
        run->span.unit_ns[i] /= run->work.groups;
    run->span.step_ns /= run->work.groups;
    return true;
}

// Takes one sample of the loop without loads or of the baseline, right before or after the case, so
// that the core clock is the same.
static bool run_beside(struct bench_visit *visit, struct loads_run *run, double *group_ns,
                       struct error *err)
{
    struct measure_request request = *visit->request;
    request.samples = 1;
    request.count = NULL;
    request.sample_ns /= run->control ? CONTROL_SHARE : 1;
    // In round 0, loads_run would warm up first.
    request.round = request.round ? request.round : 1;
    run->request = &request;
    if (!loads_run(visit, run, err))
        return false;
    *group_ns = run->span.unit_ns[0];
    return true;
}

// Measures the baseline (Buffer<RGBA8>.Load random), unless its last sample is recent. Does not
// fail if the device cannot run the baseline.
static bool find_baseline(struct bench_visit *run, const struct loads_case *like, struct error *err)
{
    struct loads_session *session = run->session->state;
    struct loads_baseline_seen *seen = &session->baseline[like->peak];
    const struct loads_case this_case = {
        .kind = loads_baseline(),
        .pattern = LOADS_RANDOM,
        .peak = like->peak,
        .subgroup_threads = like->subgroup_threads,
    };
    if (seen->subgroup_threads != like->subgroup_threads)
        *seen = (struct loads_baseline_seen){.subgroup_threads = like->subgroup_threads};
    if (seen->missing || (seen->group_ns > 0 && clock_now_ns() - seen->at_ns < baseline_age_ns))
        return true;
    struct loads_run beside = {.this_case = &this_case, .size = &seen->size};
    if (!run_beside(run, &beside, &seen->group_ns, err)) {
        seen->missing = err->code == ERROR_UNSUPPORTED;
        return seen->missing || error_prefix(err, "the baseline");
    }
    seen->at_ns = clock_now_ns();
    return true;
}

// ---------------------------------------------------------------- the numbers

// Returns the claim of a workgroup: its bytes at the memory level that serves them. A load of less
// than 4 bytes counts as 4 bytes, because it occupies the data path as long as these.
static struct measure_claim claim_of(const struct loads_session *session,
                                     const struct loads_kind *kind)
{
    struct measure_claim claim = {.cores = session->bench->limits.cores};
    double bytes = loads_a_group * fmax(loads_bytes(kind), 4);
    enum measure_level level = loads_traits_of(kind)->shared   ? MEASURE_SHARED
                               : loads_traits_of(kind)->direct ? MEASURE_CORE_CACHE
                                                               : MEASURE_CACHE;
    *(loads_traits_of(kind)->writes ? &claim.written_bytes[level] : &claim.read_bytes[level]) =
        bytes;
    return claim;
}

static void report_control(const struct measure_span *span, double control_ns, unsigned width,
                           struct measure_visit *visit)
{
    double over = measure_median(visit->arena, span->unit_ns, span->count) / control_ns;
    // For each load, the loop without loads has `width` additions and at most two other
    // instructions. So a case takes at least width / (width + 2) of this loop's time. 10 % are for
    // noise.
    if (over < 0.9 * width / (width + 2))
        visit_flag(visit, "work-removed",
                   "takes only %.2f times as long as the same loop without loads, less than its "
                   "additions alone take: the compiler optimised the loads away",
                   over);
    else if (over < control_least)
        visit_flag(visit, "issue-bound",
                   "takes only %.2f times as long as the same loop without loads (less than %.1f): "
                   "the rate of instructions may limit it, not the loads",
                   over, control_least);
}

static void report_baseline(struct bench_visit *run, const struct loads_case *this_case,
                            const struct measure_span *span, struct measure_visit *visit)
{
    const struct loads_session *session = run->session->state;
    const struct loads_baseline_seen *seen = &session->baseline[this_case->peak];
    if (seen->missing)
        return;
    double *ratios = ARENA_ARRAY(run->arena, span->count, double);
    for (size_t i = 0; i < span->count; i++)
        ratios[i] = seen->group_ns / span->unit_ns[i];
    double middle = measure_median(run->arena, ratios, span->count);
    double unit_ns = measure_median(run->arena, span->unit_ns, span->count);
    visit_samples(visit, METRIC_RATIO, ratios, span->count, middle * span->step_ns / unit_ns);
    double rate = loads_a_group * 1e9 / seen->group_ns;
    visit_samples(visit, METRIC_BASELINE, &rate, 1, rate * span->step_ns / seen->group_ns);
}

static void report(const struct loads_session *session, const struct loads_run *seen,
                   double control_ns, struct measure_visit *visit)
{
    const struct measure_span *span = &seen->span;
    const struct loads_kind *kind = seen->this_case->kind;
    // Lanes can share bytes of `claim`, so hardware counters have predictions of their own.
    struct measure_claim claim = claim_of(session, kind);
    const struct measure_count_claims counts =
        span->counted ? loads_claims(session, seen->this_case, seen->work.groups)
                      : measure_count_no_claims;
    claim.counts = &counts;
    // With the pattern uniform, all lanes load the same bytes, so the data path is no limit.
    bool is_limited = seen->this_case->pattern != LOADS_UNIFORM;
    const struct measure_account plain = {.claim = &claim, .span = span, .visit = visit},
                                 limited = {&claim, is_limited ? &session->bench->limits : NULL,
                                            span, visit};
    measure_claim_report(&limited, METRIC_RATE, MEASURE_PER_SECOND, loads_a_group);
    measure_claim_report(&plain, METRIC_BANDWIDTH, MEASURE_PER_SECOND,
                         loads_a_group * loads_bytes(kind));
    measure_claim_report(&limited, METRIC_PER_CORE, MEASURE_PER_CORE_CYCLE, loads_a_group);
    measure_claim_report(&plain, METRIC_TIME, MEASURE_NS_EACH, loads_a_group / published_loads);
    measure_claim_report(&plain, METRIC_OVER_CONTROL, MEASURE_NS_EACH, control_ns);
    measure_span_note(span, visit);
    visit_detail(visit, "shape", "%u workgroups of %d threads, %d loads each, %llu dispatches",
                 seen->work.groups, LOADS_THREADS, LOADS_A_THREAD,
                 (unsigned long long)span->repeats);
    visit_kernel(visit, seen->work.program);
}

// Measures the case on the device of `place`. For robust access, this device checks the bounds of
// every access. Else it is the device of `run`.
static bool measure(struct bench_visit *run, struct bench_visit *place,
                    const struct loads_case *this_case, struct measure_visit *visit,
                    struct error *err)
{
    if (!*run->memory)
        *run->memory = ARENA_NEW(run->session->arena, struct memory);
    struct memory *memory = *run->memory;
    struct loads_session *session = place->session->state;
    struct loads_size control_size = {0};
    struct loads_run control = {.this_case = this_case, .control = true, .size = &control_size};
    struct loads_run seen = {
        .this_case = this_case, .request = run->request, .size = &memory->size};
    // The loop without loads takes the same time in every round, so one sample is enough.
    if ((!(memory->control_ns > 0) && !run_beside(place, &control, &memory->control_ns, err)) ||
        !loads_run(place, &seen, err))
        return false;
    place->session->warm = run->session->warm = true;
    if (!find_baseline(run, this_case, err))
        return false;
    report(session, &seen, memory->control_ns, visit);
    report_control(&seen.span, memory->control_ns, this_case->kind->width, visit);
    report_baseline(run, this_case, &seen.span, visit);
    return true;
}

bool loads_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct loads_case this_case;
    struct bench_visit place = *run;
    loads_case_read(run->bench_case, &this_case);
    if (!this_case.kind->robust)
        return measure(run, &place, &this_case, visit, err);
    place.session = loads_robust(run->session->state, err);
    if (!place.session)
        return error_prefix(err, "robust access");
    place.scope = gpu_scope_open(place.session->device);
    bool done = measure(run, &place, &this_case, visit, err);
    gpu_scope_close(place.scope);
    return done;
}
