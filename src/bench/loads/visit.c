// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "bench/loads/run.h"
#include "measure/claim.h"

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
    CONTROL_SHARE = 4 // of a sample's time is enough to tell a loop without loads
};

static const double loads_a_group = (double)LOADS_THREADS * LOADS_A_THREAD;

// What the published tool loads in one dispatch.
static const double published_loads = 1024.0 * 1024 * 256;

// Below this the loop itself may be what was measured.
static const double control_least = 1.2;

// The share of the control that its additions take: it has at most two instructions a load beside
// them. What takes less than that, and a tenth for noise, does not add up what it loads.
static double arithmetic_floor(unsigned width)
{
    return 0.9 * width / (width + 2);
}

// The baseline is timed anew where it is older than that.
static const uint64_t baseline_age_ns = 100 * NS_PER_MS;

// Found by a case's first visit.
struct memory {
    struct loads_size size;
    double control_ns; // a workgroup of the control
};

// One sample of what the case is compared with, beside it: the clock is the same then.
static bool run_beside(struct bench_visit *visit, struct loads_run *run, double *group_ns,
                       struct error *err)
{
    struct measure_request request = *visit->request;
    request.samples = 1;
    request.sample_ns /= run->control ? CONTROL_SHARE : 1;
    request.round = request.round ? request.round : 1; // the case itself warms up
    run->request = &request;
    if (!loads_run(visit, run, err))
        return false;
    *group_ns = run->span.unit_ns[0];
    return true;
}

// Once a case: what the loop costs does not change with the rounds.
static bool find_control(struct bench_visit *visit, const struct loads_case *this_case,
                         struct memory *memory, struct error *err)
{
    struct loads_size size = {0};
    struct loads_run run = {.this_case = this_case, .control = true, .size = &size};
    return memory->control_ns > 0 || run_beside(visit, &run, &memory->control_ns, err);
}

// A device without typed buffers has no baseline, but loads all the same.
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
    if (seen->missing || (seen->tried && clock_now_ns() - seen->at_ns < baseline_age_ns))
        return true;
    seen->tried = true;
    struct loads_run beside = {.this_case = &this_case, .size = &seen->size};
    if (!run_beside(run, &beside, &seen->group_ns, err)) {
        seen->missing = err->code == ERROR_UNSUPPORTED;
        return seen->missing || error_prefix(err, "the baseline");
    }
    seen->at_ns = clock_now_ns();
    return true;
}

// ---------------------------------------------------------------- the numbers

// What a workgroup loads. A load occupies 4 bytes of the way or more.
static struct measure_claim claim_of(const struct loads_session *session,
                                     const struct loads_kind *kind)
{
    struct measure_claim claim = {.cores = session->limits.cores};
    double bytes = loads_a_group * fmax(loads_bytes(kind), 4);
    enum measure_level level = kind->source == LOADS_FROM_SHARED ? MEASURE_SHARED
                               : loads_way_of(kind)->direct      ? MEASURE_CORE_CACHE
                                                                 : MEASURE_CACHE;
    *(loads_way_of(kind)->writes ? &claim.written_bytes[level] : &claim.read_bytes[level]) = bytes;
    return claim;
}

static void report_control(const struct measure_span *span, double control_ns, unsigned width,
                           struct measure_visit *visit)
{
    double over = measure_median(visit->arena, span->unit_ns, span->count) / control_ns;
    if (over < arithmetic_floor(width))
        visit_flag(visit, "work-removed",
                   "takes %.2f times as long as the same loop without its loads, less than its "
                   "additions alone: the compiler found another way to the sums",
                   over);
    else if (over < control_least)
        visit_flag(visit, "issue-bound",
                   "takes %.2f times as long as the same loop without its loads, less than %.1f: "
                   "instructions may be the bound, not loads",
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
    const struct measure_claim claim = claim_of(session, kind);
    // Only where the pattern gives each lane bytes of its own, the way's width is a limit.
    bool is_limited = seen->this_case->pattern != LOADS_UNIFORM;
    const struct measure_account plain = {.claim = &claim, .span = span, .visit = visit},
                                 limited = {&claim, is_limited ? &session->limits : NULL, span,
                                            visit};
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

// Where a case runs: here, or on the handle of the device that checks bounds.
static bool find_place(struct bench_visit *run, bool robust, struct bench_visit *place,
                       struct error *err)
{
    *place = *run;
    if (!robust)
        return true;
    place->session = loads_robust(run->session->state, err);
    if (!place->session)
        return error_prefix(err, "robust access");
    place->scope = gpu_scope_open(place->session->device);
    return true;
}

static bool measure(struct bench_visit *run, struct bench_visit *place,
                    const struct loads_case *this_case, struct measure_visit *visit,
                    struct error *err)
{
    if (!*run->memory)
        *run->memory = ARENA_NEW(run->session->arena, struct memory);
    struct memory *memory = *run->memory;
    struct loads_session *session = place->session->state, *plain = run->session->state;
    struct loads_run seen = {
        .this_case = this_case, .request = run->request, .size = &memory->size};
    if (!find_control(place, this_case, memory, err) || !loads_run(place, &seen, err))
        return false;
    session->warm = plain->warm = true;
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
    struct bench_visit place;
    loads_case_read(run->bench_case, &this_case);
    if (!find_place(run, this_case.kind->robust, &place, err))
        return false;
    bool done = measure(run, &place, &this_case, visit, err);
    if (place.scope != run->scope)
        gpu_scope_close(place.scope);
    return done;
}
