// SPDX-License-Identifier: MIT
#include "measure/span.h"

#include "base/clock.h"
#include "math/stats.h"
#include "measure/clock_kernel.h"
#include "measure/count.h"
#include "measure/pace.h"
#include "measure/unit.h"

#include <math.h>

// ---------------------------------------------------------------- computed from times

static const double steps_wanted = 1000;
static const double still_rising = 0.005;

double span_wanted_ns(uint64_t asked_ns, double stamp_step_ns)
{
    double wanted_ns = fmax((double)asked_ns, steps_wanted * stamp_step_ns);
    return fmin(wanted_ns, SPAN_LONGEST_NS);
}

uint64_t span_next_repeats(const struct span_size *size, uint64_t repeats, double took_ns)
{
    if (took_ns >= size->wanted_ns || repeats >= size->repeats_max)
        return repeats;
    double shortest_ns = fmax(took_ns, 1), growth = 1.1 * size->wanted_ns / shortest_ns;
    double next = ceil((double)repeats * fmin(growth, 16));
    next = fmin(next, floor((double)repeats * (SPAN_LONGEST_NS / shortest_ns)));
    next = fmin(next, (double)size->repeats_max);
    return next > (double)repeats ? (uint64_t)next : repeats;
}

bool span_warm(struct span_warmth *warmth, double took_ns)
{
    bool faster = warmth->best_ns > 0 && took_ns < warmth->best_ns * (1 - still_rising);
    bool first = !(warmth->best_ns > 0);
    warmth->calm_runs = first || faster ? 0 : warmth->calm_runs + 1;
    warmth->best_ns = first ? took_ns : fmin(warmth->best_ns, took_ns);
    warmth->spent_ns += took_ns;
    unsigned wanted = warmth->calm_wanted ? warmth->calm_wanted : 2;
    return (warmth->calm_runs >= wanted && warmth->spent_ns >= warmth->least_ns) ||
           warmth->spent_ns >= SPAN_WARM_MOST_NS;
}

bool span_another(unsigned asked, uint64_t asked_ns, size_t taken, double spent_ns)
{
    if (taken >= (asked ? asked : 1))
        return false;
    return taken < SPAN_SAMPLES_LEAST || asked_ns == 0 ||
           spent_ns < (double)SPAN_LONG * asked * (double)asked_ns;
}

// Returns NaN if the counter may have wrapped more than once between the stamps.
static double hz_between(const struct measure_clock *clock, struct clock_stamp a,
                         struct clock_stamp b)
{
    double cycles = (double)measure_clock_delta(a.core, b.core, clock->counter_bits);
    double ns = measure_clock_elapsed_ns(clock, a.device, b.device);
    bool is_known = ns > 0 && ns * 1e-9 * clock->counter_hz < ldexp(1, (int)clock->counter_bits);
    return is_known ? cycles * 1e9 / ns : NAN;
}

// Fills `hz` with mean clocks during the whole sample, of cores on which the clock kernel ran
// before and after it (a core may give several). Returns their number.
static size_t hz_by_core(const struct measure_clock *clock, const struct span_stamps *stamps,
                         double *hz)
{
    size_t found = 0;
    for (uint32_t after = 0; after < stamps->groups; after++) {
        uint32_t core = clock_kernel_core(stamps->after, 1, after), before = 0;
        while (before < stamps->groups && clock_kernel_core(stamps->before, 1, before) != core)
            before++;
        if (before == stamps->groups)
            continue;
        double rate = hz_between(clock, clock_kernel_stamp(stamps->before, 1, before, 0),
                                 clock_kernel_stamp(stamps->after, 1, after, 0));
        if (isfinite(rate))
            hz[found++] = rate;
    }
    return found;
}

static size_t hz_by_wait(const struct measure_clock *clock, const uint32_t *words,
                         const struct span_stamps *stamps, double *hz)
{
    size_t found = 0;
    for (uint32_t group = 0; group < stamps->groups; group++) {
        double rate =
            hz_between(clock, clock_kernel_stamp(words, stamps->stamps, group, 0),
                       clock_kernel_stamp(words, stamps->stamps, group, stamps->stamps - 1));
        if (isfinite(rate))
            hz[found++] = rate;
    }
    return found;
}

double span_core_hz(struct arena *scratch, const struct measure_clock *clock,
                    const struct span_stamps *stamps)
{
    struct arena_mark mark = arena_mark(scratch);
    double *hz = ARENA_ARRAY(scratch, 2 * (size_t)stamps->groups, double);
    size_t found;
    if (stamps->stamps == 1) {
        found = hz_by_core(clock, stamps, hz);
    } else {
        found = hz_by_wait(clock, stamps->before, stamps, hz);
        found += hz_by_wait(clock, stamps->after, stamps, hz + found);
    }
    double median = stats_median(hz, found);
    arena_rewind(scratch, mark);
    return median;
}

// ---------------------------------------------------------------- taking the samples

enum {
    REPEATS_MAX = 4096
};
// Minimum warm-up in round 0 of a case, unless desc->warm is set: clocks rise slowly from idle.
static const double first_warm_ns = 15e6;
static const double clock_wait_ns = 20e3;
static const uint64_t timeout_default_ns = 10 * NS_PER_S;

// State of measure_span_run. Its batch is recorded again for each new number of units per sample.
struct worker {
    const struct measure_span_desc *desc;
    struct arena *arena;
    struct gpu_batch *batch;
    // buffer of the clock kernel's stamps; NULL if the core clock is not measured
    struct gpu_buffer *stamps;
    struct clock_dispatch clock;
    double stamp_step_ns;
    uint64_t timeout_ns;
    uint64_t repeats;
    double spent_ns;
    uint64_t units;   // number of units of work in all runs together
    double submit_ns; // host time in ns that the last call of gpu_batch_submit took
};

static const struct gpu_info *info_of(const struct worker *worker)
{
    return gpu_device_info(gpu_scope_device(worker->desc->scope));
}

// The stamps before the sample are at offset 0 of the same buffer.
static uint64_t after_offset(const struct clock_dispatch *clock)
{
    return clock_kernel_bytes(clock->groups, clock->stamps);
}

static bool prepare_clock(struct worker *worker, struct error *err)
{
    const struct measure_clock *clock = worker->desc->clock;
    if (!clock || !clock->program || !clock->counts_core_clock || !clock->has_device_clock)
        return true;
    const struct gpu_info *info = info_of(worker);
    bool by_core = info->caps & GPU_CAP(CORE_ID);
    worker->clock = (struct clock_dispatch){
        .program = clock->program,
        .groups = clock_kernel_groups(info),
        .stamps = by_core ? 1 : 2,
        .iterations =
            by_core ? 0 : (uint32_t)fmin(ceil(clock_wait_ns / fmax(clock->iteration_ns, 1)), 10000),
    };
    uint64_t bytes = 2 * after_offset(&worker->clock);
    const struct gpu_buffer_desc desc = {.bytes = bytes, .memory = GPU_MEMORY_READBACK};
    bool ready = clock->stamps && gpu_buffer_bytes(clock->stamps) >= bytes;
    worker->stamps = ready ? clock->stamps : gpu_buffer_create(worker->desc->scope, &desc, err);
    worker->clock.buffer = worker->stamps;
    return worker->stamps != NULL;
}

// Creates a batch for the work; `spans` is the number of spans (timed ranges of commands) in it.
static struct gpu_batch *make_batch(const struct worker *worker, unsigned spans, struct error *err)
{
    const struct measure_span_desc *desc = worker->desc;
    const struct gpu_batch_desc batch = {
        .queue = desc->queue,
        .span_count = spans,
        .unordered = desc->unordered,
        .draws = desc->draws,
        .rays = desc->rays,
    };
    return gpu_batch_create(desc->scope, &batch, err);
}

static void record_clock(struct worker *worker, uint64_t offset)
{
    if (!worker->stamps)
        return;
    worker->clock.offset = offset;
    clock_kernel_dispatch(worker->batch, &worker->clock);
}

// Records this submission's share of the lead, the light work in which the core clock can rise.
static void record_lead(struct worker *worker)
{
    const struct measure_request *request = worker->desc->request;
    if (worker->stamps)
        measure_clock_lead(worker->desc->clock, worker->batch,
                           pace_lead_ns(request->pace, false) / (request->samples + 1));
}

static bool record(struct worker *worker, uint64_t repeats, struct error *err)
{
    worker->repeats = repeats;
    if (!gpu_batch_reset(worker->batch, err))
        return false;
    record_lead(worker);
    record_clock(worker, 0);
    gpu_batch_span_begin(worker->batch, 0);
    worker->desc->record(worker->desc->context, worker->batch, repeats);
    gpu_batch_span_end(worker->batch, 0);
    record_clock(worker, after_offset(&worker->clock));
    return gpu_batch_end(worker->batch, err);
}

static bool run(struct worker *worker, double *took_ns, struct error *err)
{
    uint64_t began_ns = clock_now_ns();
    if (!gpu_batch_submit(worker->batch, NULL, err))
        return false;
    worker->submit_ns = (double)(clock_now_ns() - began_ns);
    if (!gpu_batch_wait(worker->batch, worker->timeout_ns, err) ||
        !gpu_batch_span_ns(worker->batch, 0, took_ns, err))
        return false;
    worker->spent_ns += *took_ns;
    worker->units += worker->repeats;
    return measure_unit_check(info_of(worker), *took_ns, began_ns, err);
}

// Finds the number of units that makes a sample long enough; tries `next` first. A run below 125 ms
// that is long enough may be slow by chance, so it is repeated, and the shorter time counts.
static bool find_repeats(struct worker *worker, uint64_t next, struct error *err)
{
    const struct measure_span_desc *desc = worker->desc;
    const struct span_size size = {
        .wanted_ns = span_wanted_ns(desc->request->sample_ns, worker->stamp_step_ns),
        .repeats_max = desc->repeats_max ? desc->repeats_max : REPEATS_MAX,
    };
    do {
        double took_ns, again_ns;
        if (!record(worker, next, err) || !run(worker, &took_ns, err))
            return false;
        if (took_ns >= size.wanted_ns && took_ns < SPAN_LONGEST_NS / 4.0) {
            if (!run(worker, &again_ns, err))
                return false;
            took_ns = fmin(took_ns, again_ns);
        }
        next = span_next_repeats(&size, worker->repeats, took_ns);
    } while (next != worker->repeats);
    return true;
}

static bool warm_up(struct worker *worker, struct error *err)
{
    bool first = worker->desc->request->round == 0 && !worker->desc->warm;
    struct span_warmth warmth = {.least_ns = first ? first_warm_ns : 0,
                                 .calm_wanted = worker->desc->repeats ? 1 : 2};
    // A device that reports 0 ns for each run is never warm, so the host's clock limits the loop.
    uint64_t end_ns = clock_deadline_ns(2 * (uint64_t)SPAN_WARM_MOST_NS);
    double took_ns;
    do {
        if (!run(worker, &took_ns, err))
            return false;
    } while (!span_warm(&warmth, took_ns) && !worker->desc->warm && clock_left_ns(end_ns));
    return true;
}

// Finds the number of units again after the warm-up, because the core clock has risen. An earlier
// visit may have found the number (desc->repeats).
static bool size_and_warm_up(struct worker *worker, struct error *err)
{
    if (worker->desc->repeats)
        return record(worker, worker->desc->repeats, err) && warm_up(worker, err);
    return find_repeats(worker, 1, err) && warm_up(worker, err) &&
           (worker->desc->warm || find_repeats(worker, worker->repeats, err));
}

// If the visit has a gate (struct measure_gate), waits there, then warms up with one more run.
static bool pass_gate(struct worker *worker, struct error *err)
{
    const struct measure_gate *gate = worker->desc->request->gate;
    double took_ns;
    if (!gate)
        return true;
    gate->pass(gate->context);
    return run(worker, &took_ns, err);
}

static void widen_range(struct measure_span *span, double hz)
{
    if (isfinite(hz)) {
        span->low_hz = span->low_hz > 0 ? fmin(span->low_hz, hz) : hz;
        span->high_hz = fmax(span->high_hz, hz);
    }
}

// Returns the core clock during the last sample; NaN if not known. Also widens the range of `span`
// to this clock or, with two stamps per workgroup, to the clocks before and after the sample.
static double core_hz_now(struct worker *worker, struct measure_span *span)
{
    const struct measure_clock *clock = worker->desc->clock;
    if (!worker->stamps)
        return NAN;
    const uint32_t *before = gpu_buffer_map(worker->stamps);
    const uint32_t *after = before + after_offset(&worker->clock) / sizeof *before;
    struct span_stamps stamps = {before, after, worker->clock.groups, worker->clock.stamps};
    double hz = span_core_hz(worker->arena, clock, &stamps);
    if (stamps.stamps == 1) {
        if (span->count == 0)
            span->cores_seen = clock_kernel_cores(worker->arena, before, stamps.groups);
        widen_range(span, hz);
    } else {
        stamps.after = before;
        widen_range(span, span_core_hz(worker->arena, clock, &stamps));
        stamps.before = stamps.after = after;
        widen_range(span, span_core_hz(worker->arena, clock, &stamps));
    }
    return hz;
}

static bool take_samples(struct worker *worker, struct measure_span *span, struct error *err)
{
    const struct measure_request *request = worker->desc->request;
    bool any_hz = false, is_model = info_of(worker)->caps & GPU_CAP(VIRTUAL_TIME);
    double spent_ns = 0;
    size_t bound = 0;
    span->count = 0;
    span->low_hz = span->high_hz = 0;
    for (; span_another(request->samples, request->sample_ns, span->count, spent_ns);
         span->count++) {
        size_t i = span->count;
        double took_ns = 0;
        bool host_bound = true;
        for (unsigned attempt = 0; host_bound && measure_attempt(request, attempt); attempt++) {
            if (!run(worker, &took_ns, err))
                return false;
            host_bound = !is_model && worker->submit_ns >= MEASURE_HOST_BOUND * took_ns;
        }
        span->unit_ns[i] = took_ns / (double)worker->repeats;
        span->core_hz[i] = core_hz_now(worker, span);
        any_hz = any_hz || isfinite(span->core_hz[i]);
        spent_ns += took_ns;
        bound += host_bound;
    }
    span->host_bound = 2 * bound > span->count;
    if (!any_hz)
        span->core_hz = NULL;
    return true;
}

// Returns the relative error of a sample's core clock: one step of the device-wide clock.
static double core_error(const struct worker *worker, const struct measure_span *span)
{
    double length_ns = worker->clock.stamps == 1 ? span->sample_ns : clock_wait_ns;
    return worker->stamps ? worker->desc->clock->device_step_ns / length_ns : 0;
}

// Returns true if the samples should be repeated because their core clock was too low.
static bool ran_low(const struct worker *worker, const struct measure_span *span)
{
    const struct measure_request *request = worker->desc->request;
    return !request->gate && pace_again(request->pace, span->low_hz, span->core_error);
}

// Repeats the samples while their core clock is too low, and finds the number of units again each
// time, because units get shorter when the clock rises.
static bool take_paced_samples(struct worker *worker, struct measure_span *span, struct error *err)
{
    for (;;) {
        span->began_ns = clock_now_ns();
        if (!take_samples(worker, span, err))
            return false;
        span->ended_ns = clock_now_ns();
        span->sample_ns =
            measure_median(worker->arena, span->unit_ns, span->count) * (double)worker->repeats;
        span->core_error = core_error(worker, span);
        if (!ran_low(worker, span))
            return true;
        if (!find_repeats(worker, worker->repeats, err))
            return false;
    }
}

// Returns a batch of the work alone, without clock kernel and time stamps; NULL with an error.
static struct gpu_batch *record_counted(const struct worker *worker, uint64_t repeats,
                                        struct error *err)
{
    struct gpu_batch *batch = make_batch(worker, 0, err);
    if (!batch)
        return NULL;
    worker->desc->record(worker->desc->context, batch, repeats);
    return gpu_batch_end(batch, err) ? batch : NULL;
}

// Counts the work of one sample and of two samples. If two samples last longer than
// SPAN_LONGEST_NS, counts the work of half a sample and of one.
static bool count_work(const struct worker *worker, struct measure_span *span, struct error *err)
{
    struct measure_count *count = worker->desc->request->count;
    uint64_t repeats = worker->repeats;
    if (!count)
        return true;
    if (span->sample_ns > SPAN_LONGEST_NS / 2.0 && repeats > 1)
        repeats /= 2;
    struct measure_count_desc desc = {.units = (double)repeats, .timeout_ns = worker->timeout_ns};
    desc.once = record_counted(worker, repeats, err);
    desc.twice = desc.once ? record_counted(worker, 2 * repeats, err) : NULL;
    if (!desc.twice || !measure_count_run(count, &desc, err))
        return false;
    span->counted = count;
    return true;
}

bool measure_span_run(struct arena *arena, const struct measure_span_desc *desc,
                      struct measure_span *span, struct error *err)
{
    uint64_t timeout_ns = desc->request->timeout_ns;
    struct worker worker = {
        .desc = desc, .arena = arena, .timeout_ns = timeout_ns ? timeout_ns : timeout_default_ns};
    worker.stamp_step_ns = fmax((double)info_of(&worker)->limits.stamp_step_ps / 1000,
                                desc->clock ? desc->clock->stamp_step_ns : 0);
    worker.batch = make_batch(&worker, 1, err);
    if (!worker.batch || !prepare_clock(&worker, err) || !size_and_warm_up(&worker, err))
        return false;
    size_t most = desc->request->samples ? desc->request->samples : 1;
    *span = (struct measure_span){.unit_ns = ARENA_ARRAY(arena, most, double),
                                  .core_hz = ARENA_ARRAY(arena, most, double),
                                  .cores_stated = (unsigned)info_of(&worker)->limits.cores};
    if (!pass_gate(&worker, err) || !take_paced_samples(&worker, span, err) ||
        !count_work(&worker, span, err))
        return false;
    span->clock = desc->clock;
    span->repeats = worker.repeats;
    span->step_ns = worker.stamp_step_ns / (double)span->repeats;
    span->device_time_ns = (uint64_t)worker.spent_ns;
    span->ran = (struct measure_ran){.units = worker.units, .or_more = span->counted != NULL};
    return true;
}

bool measure_span_cores_are_wrong(const struct measure_span *span)
{
    unsigned seen = span->cores_seen, stated = span->cores_stated;
    return seen > 0 && stated > 0 && (seen > stated || seen <= stated / 2);
}

void measure_stamps_note(const struct measure_clock *clock, struct measure_visit *visit)
{
    if (fabs(clock->stamps_off) > 0)
        visit_flag(visit, "clocks-disagree", "the device's time stamps say %.3g %% %s time than %s",
                   100 * fabs(clock->stamps_off), clock->stamps_off > 0 ? "more" : "less",
                   clock->has_device_clock ? "the clock that kernels read" : "the host's clock");
}

void measure_span_note(const struct measure_span *span, struct measure_visit *visit)
{
    if (span->core_hz)
        visit_core_clock(visit, span->core_hz, span->count, span->core_error);
    if (span->high_hz > 0) {
        visit->clock.low_hz = span->low_hz;
        visit->clock.high_hz = span->high_hz;
    }
    if (span->clock)
        measure_stamps_note(span->clock, visit);
    if (measure_span_cores_are_wrong(span))
        visit_detail(visit, "cores",
                     "kernels ran on %u cores, but the driver states %u: nothing is given per core",
                     span->cores_seen, span->cores_stated);
    visit->device_time_ns += span->device_time_ns;
    visit->began_ns = span->began_ns;
    visit->ended_ns = span->ended_ns;
}

void measure_span_rate(const struct measure_span *span, double amount, unsigned metric,
                       struct measure_visit *visit)
{
    double *rates = ARENA_ARRAY(visit->arena, span->count, double);
    for (size_t i = 0; i < span->count; i++)
        rates[i] = amount * 1e9 / span->unit_ns[i];
    double unit_ns = measure_median(visit->arena, span->unit_ns, span->count);
    visit_samples(visit, metric, rates, span->count,
                  amount * 1e9 * span->step_ns / unit_ns / unit_ns);
}
