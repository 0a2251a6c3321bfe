// SPDX-License-Identifier: MIT
// Measures one workgroup on one core. The time comes from the core's own counter or, if kernels
// cannot read that counter and the device's clock, from the device's time stamps.
#include "bench/incore/session.h"
#include "math/stats.h"
#include "measure/pace.h"
#include "measure/unit.h"

#include <math.h>
#include <string.h>

enum {
    WARM_UP_ITERATIONS = 2,
    SIZING_ITERATIONS = 4,
    // Wanted number of counts of the core's counter in a sample, if it counts core cycles.
    CYCLES_WANTED = 1 << 16,
    // Wanted number of counts of the core's counter in a sample, if it counts another clock.
    TICKS_WANTED = 1 << 18,
    TRIES_MAX = 20,
    GROWTH_MAX = 16 // maximum factor by which a trial raises the number of iterations
};
// Maximum length in ns of a sample by the core's counter, so that no watchdog stops it.
static const double longest_ns = 100e6;
// If two cores may run a workgroup, their counters may differ by this share of a sample.
static const double counters_apart = 0.05;

// Data of a case that the session keeps: the number N of timed iterations, and the expected values
// of the results ("proofs"). words[0] is for dispatches of N iterations, words[1] for dispatches of
// 2 N iterations.
struct memory {
    uint32_t iterations;
    uint32_t words[INCORE_PROOFS][2 * INCORE_SLOTS];
};

struct core {
    struct bench_visit *run;
    struct incore_session *session;
    const struct incore_case *this_case;
    struct gpu_program *program;
    struct memory *memory;
    unsigned samples;
    // Length of each sample in counts of the core's counter (0 if not session->clocked) and in ns.
    double counts[INCORE_SAMPLES_MAX], ns[INCORE_SAMPLES_MAX];
    double device_ns; // length of the last sample by the device's clock, if session->clocked
    // Highest ratio, over all samples, of `counts` to the counts of the subgroup that took longest.
    double apart;
    bool separate;
};

// Returns the number of proofs (expected values) that the samples use: with the core's counter, all
// dispatches have N iterations; with time stamps, N or 2 N. Counted dispatches have both lengths.
static unsigned proof_count(const struct core *core)
{
    return core->session->clocked ? 1 : INCORE_PROOFS;
}

static void set_iterations(struct core *core, uint32_t iterations)
{
    const uint64_t chain_steps = incore_chain_steps(core->this_case);
    core->memory->iterations = iterations;
    for (uint32_t i = 0; i < INCORE_PROOFS; i++)
        incore_kind_fill(core->this_case->kind,
                         (WARM_UP_ITERATIONS + (i + 1) * iterations) * chain_steps,
                         core->memory->words[i]);
}

static void record_dispatch(struct core *core, struct gpu_batch *batch, unsigned sample,
                            unsigned proof)
{
    const struct incore_params params = {
        .lead = WARM_UP_ITERATIONS,
        .turns = core->memory->iterations * (proof + 1),
        .passes = 2,
        .chains = core->this_case->chains,
        .workers = core->this_case->subgroups * core->session->subgroup_threads,
        .subgroup_threads = core->session->subgroup_threads,
        .stamp = sample * INCORE_STAMPS,
        .never = 0x9e3779b9,
    };
    const struct gpu_dispatch dispatch = {
        .program = core->program, .params = &params, .params_bytes = sizeof params};
    incore_dispatch(core->session, batch, &dispatch, proof);
}

static struct gpu_batch *begin_batch(struct core *core, unsigned spans, struct error *err)
{
    const struct gpu_batch_desc desc = {.span_count = spans};
    struct gpu_batch *batch = gpu_batch_create(core->run->scope, &desc, err);
    for (unsigned i = 0; batch && i < INCORE_PROOFS; i++)
        incore_proof_record(core->session, i, core->memory->words[i], batch);
    return batch;
}

// Runs the batch. Fails if a result differs from the expected value, or if a workgroup did not end.
static bool end_batch(struct core *core, struct gpu_batch *batch, struct error *err)
{
    incore_results_record(core->session, batch);
    if (!gpu_batch_end(batch, err) || !gpu_batch_run(batch, core->run->request->timeout_ns, err))
        return false;
    for (unsigned i = 0; i < proof_count(core); i++) {
        struct incore_proven proven;
        if (!incore_proof_check(core->session, i, &proven, err))
            return false;
        if (proven.groups != core->samples)
            return error_set(err, ERROR_MISMATCH, "%u of %u workgroups ended", proven.groups,
                             core->samples);
        core->separate = core->separate || proven.separate;
    }
    return true;
}

// ---------------------------------------------------------------- by the core's counter

// Returns the counts of the core's counter from the first subgroup's start to the last one's end.
// Sets *longest to the counts of the subgroup that took longest, from its own start to its own end.
static double elapsed(const struct core *core, const uint32_t *stamps, double *longest)
{
    unsigned bits = measure_clock_low_bits(&core->run->session->clock);
    uint64_t half = UINT64_C(1) << (bits - 1);
    double first = 0, last = 0;
    *longest = 0;
    for (size_t i = 0; i < core->this_case->subgroups; i++) {
        uint64_t begin = measure_clock_delta(stamps[0], stamps[2 * i], bits);
        uint64_t end = measure_clock_delta(stamps[0], stamps[2 * i + 1], bits);
        // A subgroup may begin before subgroup 0, so a large (wrapped) difference is a negative
        // time.
        double late = begin < half ? (double)begin : (double)begin - 2 * (double)half;
        uint64_t own = measure_clock_delta(stamps[2 * i], stamps[2 * i + 1], bits);
        first = fmin(first, late);
        last = fmax(last, (double)end);
        *longest = fmax(*longest, (double)own);
    }
    return last - first;
}

// Returns how many ns the timed iterations of the first subgroup take by the device's clock.
static double device_ns(const struct core *core, const uint32_t *stamps)
{
    return measure_clock_elapsed_ns(&core->run->session->clock,
                                    measure_clock_stamp(stamps + (size_t)2 * INCORE_STAMP_BEGIN),
                                    measure_clock_stamp(stamps + (size_t)2 * INCORE_STAMP_END));
}

// Returns the length in ns of one count of the core's counter.
static double count_ns(const struct core *core, const uint32_t *stamps)
{
    const struct measure_clock *clock = &core->run->session->clock;
    if (!clock->counts_core_clock)
        return 1e9 / clock->counter_hz;
    const uint32_t *counts = stamps + (size_t)2 * INCORE_STAMP_COUNTS;
    return device_ns(core, stamps) /
           (double)measure_clock_delta(counts[0], counts[1], measure_clock_low_bits(clock));
}

// Fails with ERROR_UNSUPPORTED if the iterations may last half of the counter's range or longer,
// because `elapsed` takes such a time for a negative one.
static bool refuse_wrapped(const struct core *core, const uint32_t *stamps, struct error *err)
{
    const struct measure_clock *clock = &core->run->session->clock;
    double range = exp2(measure_clock_low_bits(clock) - 1.0);
    if (bench_counts_most(core->run->session, device_ns(core, stamps)) < range)
        return true;
    return error_set(err, ERROR_UNSUPPORTED,
                     "the core's counter of %u bits wraps within the %u iterations of this case",
                     measure_clock_low_bits(clock), core->memory->iterations);
}

static bool run_counted(struct core *core, uint64_t lead_ns, struct error *err)
{
    struct gpu_batch *batch = begin_batch(core, 0, err);
    if (!batch)
        return false;
    core->apart = 1;
    measure_clock_lead(&core->run->session->clock, batch, lead_ns);
    for (unsigned i = 0; i < core->samples; i++)
        record_dispatch(core, batch, i, 0);
    if (!end_batch(core, batch, err))
        return false;
    const char *map = gpu_buffer_map(core->session->readback);
    for (unsigned i = 0; i < core->samples; i++) {
        uint32_t stamps[2 * INCORE_STAMPS];
        memcpy(stamps, map + INCORE_STAMPS_OFFSET + i * sizeof stamps, sizeof stamps);
        if (!refuse_wrapped(core, stamps, err))
            return false;
        double longest;
        core->counts[i] = elapsed(core, stamps, &longest);
        core->apart = fmax(core->apart, core->counts[i] / fmax(longest, 1));
        core->device_ns = device_ns(core, stamps);
        core->ns[i] = core->counts[i] * count_ns(core, stamps);
    }
    return true;
}

// ---------------------------------------------------------------- by time stamps

// Takes samples by time stamps. A sample is the time of 2 N iterations minus the time of N
// iterations, so the cost of a dispatch cancels out.
static bool run_slopes(struct core *core, struct error *err)
{
    struct gpu_batch *batch = begin_batch(core, 2 * core->samples, err);
    if (!batch)
        return false;
    for (unsigned i = 0; i < 2 * core->samples; i++) {
        gpu_batch_span_begin(batch, i);
        record_dispatch(core, batch, i / 2, i % 2);
        gpu_batch_span_end(batch, i);
    }
    if (!end_batch(core, batch, err))
        return false;
    for (unsigned i = 0; i < core->samples; i++) {
        double brief, full;
        if (!gpu_batch_span_ns(batch, 2 * i, &brief, err) ||
            !gpu_batch_span_ns(batch, 2 * i + 1, &full, err))
            return false;
        core->ns[i] = full - brief;
    }
    return true;
}

// Takes all samples. Repeats this while a sample is 0 or less, which means that something delayed
// the shorter dispatch. After the last try, samples of 0 or less become NaN.
static bool run_until_positive(struct core *core, struct error *err)
{
    for (unsigned tries = 0; tries < TRIES_MAX; tries++) {
        double least = INFINITY;
        if (!run_slopes(core, err))
            return false;
        for (unsigned i = 0; i < core->samples; i++)
            least = fmin(least, core->ns[i]);
        if (least > 0)
            return true;
    }
    for (unsigned i = 0; i < core->samples; i++)
        core->ns[i] = core->ns[i] > 0 ? core->ns[i] : NAN;
    return true;
}

// ---------------------------------------------------------------- sizing

// Sets hz[i] to the core clock in Hz during sample i. Returns the clocks' relative error.
static double core_clocks(const struct core *core, double hz[INCORE_SAMPLES_MAX])
{
    for (unsigned i = 0; i < core->samples; i++)
        hz[i] = 1e9 * core->counts[i] / core->ns[i];
    return core->run->session->clock.device_step_ns / core->ns[0];
}

static bool ran_low(const struct core *core)
{
    double hz[INCORE_SAMPLES_MAX], error = core_clocks(core, hz);
    return pace_again(core->run->request->pace, measure_median(core->run->arena, hz, core->samples),
                      error);
}

// Takes the samples again while the core clock is too low. Samples of some µs do not raise the
// clock, so other work before them does (pace_lead_ns).
static bool run_paced(struct core *core, struct error *err)
{
    bool done;
    do
        done = run_counted(core, pace_lead_ns(core->run->request->pace, true), err);
    while (done && core->run->session->clock.counts_core_clock && ran_low(core));
    return done;
}

static bool run_samples(struct core *core, struct error *err)
{
    return core->session->clocked ? run_paced(core, err) : run_until_positive(core, err);
}

// Chooses the number of iterations from a trial run, so that a sample is much longer than a step of
// the core's counter. But no sample is longer than longest_ns, because the counter may hardly
// advance. The trial may have a low core clock, which does not change the number of cycles.
static bool size_by_counter(struct core *core, double most, struct error *err)
{
    bool cycles = core->run->session->clock.counts_core_clock;
    set_iterations(core, SIZING_ITERATIONS);
    if (!run_counted(core, 0, err))
        return false;
    double wanted = cycles ? CYCLES_WANTED : TICKS_WANTED, took = core->counts[0];
    double growth = took > 0 ? fmin(wanted / took, longest_ns / core->device_ns) : 1;
    double iterations = ceil(fmax(growth, 1) * SIZING_ITERATIONS);
    set_iterations(core, (uint32_t)fmin(iterations, most));
    return true;
}

// Raises the number of iterations until a sample lasts half as long as it should. A brief trial may
// take almost no time by chance, because it is the difference of two dispatches. So no trial raises
// the number by more than GROWTH_MAX. A watchdog would stop a sample that lasts seconds.
static bool size_by_stamps(struct core *core, double most, struct error *err)
{
    double wanted_ns = (double)core->run->request->sample_ns / 2, iterations = SIZING_ITERATIONS;
    for (double took_ns = 0;; took_ns = core->ns[0]) {
        set_iterations(core, (uint32_t)iterations);
        if (took_ns >= wanted_ns / 2 || iterations >= most)
            return true;
        if (!run_until_positive(core, err))
            return false;
        iterations =
            fmin(ceil(measure_unit_grow(iterations, wanted_ns, core->ns[0], 1, GROWTH_MAX)), most);
    }
}

static bool size(struct core *core, struct error *err)
{
    // the device's maximum number of iterations of a loop; 0: no limit
    const uint64_t loops = core->session->bench->info->limits.loop_iterations;
    const uint64_t allowed = loops / (INCORE_PROOFS + 1);
    const double most = loops ? (double)allowed : 1 << 24;
    const unsigned samples = core->samples;
    core->samples = 1;
    bool sized =
        core->session->clocked ? size_by_counter(core, most, err) : size_by_stamps(core, most, err);
    core->samples = samples;
    return sized;
}

// ---------------------------------------------------------------- the numbers

// Adds the metric's samples: each length ÷ `over` or, if `inverse` is true, `over` ÷ each length.
static void put(const struct core *core, struct measure_visit *visit, enum incore_metric metric,
                double over, bool inverse)
{
    const struct measure_clock *clock = &core->run->session->clock;
    bool counts = metric == INCORE_METRIC_CYCLES || metric == INCORE_METRIC_PER_CORE;
    double values[INCORE_SAMPLES_MAX] = {0};
    for (unsigned i = 0; i < core->samples; i++) {
        double took = counts ? core->counts[i] : core->ns[i];
        values[i] = inverse ? over / took : took / over;
    }
    double took = counts ? core->counts[0] : core->ns[0], step = clock->counter_step;
    if (!core->session->clocked)
        step = 2 * (double)core->session->bench->info->limits.stamp_step_ps / 1000;
    else if (!counts)
        step *= core->ns[0] / core->counts[0];
    visit_samples(visit, metric, values, core->samples, values[0] * step / took);
}

// Returns the number of cores on which the subgroups run; 0 if it is not known. On RDNA, a
// workgroup runs on two cores.
static unsigned cores_busy(const struct core *core)
{
    return core->this_case->subgroups > 1 ? core->session->bench->limits.group_cores : 1;
}

// Returns the number of steps of a thread in N timed iterations, over all its chains.
static double thread_steps(const struct core *core)
{
    return (double)core->memory->iterations * core->this_case->chains *
           (double)incore_chain_steps(core->this_case);
}

// Flags a case in which the counters of two cores may differ. On RDNA, two cores run a workgroup,
// and each may have its own counter. Then the counts from the first start to the last end contain
// the difference of the counters, which makes them too high. The counts of the longest subgroup
// come from one counter, and are never too high. So the true number lies between these two numbers,
// and a case is suspect if they differ. (They also differ if a core runs its subgroups one after
// another.)
static void flag_counters(const struct core *core, struct measure_visit *visit)
{
    if (cores_busy(core) != 1 && core->apart > 1 + counters_apart)
        visit_flag(visit, "clocks-disagree",
                   "all subgroups together took %.3g times as many counts as the longest of "
                   "them: two cores may have run the workgroup, and their counters may differ, or "
                   "subgroups ran one after another",
                   core->apart);
}

static void report(struct core *core, struct measure_visit *visit)
{
    const struct incore_session *session = core->session;
    const struct incore_case *this_case = core->this_case;
    double steps = thread_steps(core);
    double results =
        steps * this_case->subgroups * session->subgroup_threads * this_case->kind->results;
    // A barrier is one operation of the whole workgroup, not one of each subgroup.
    bool whole = this_case->kind->operation == INCORE_BARRIER;
    double operations = steps * (whole ? 1 : this_case->subgroups);
    bool cycles = session->clocked && session->bench->clock.counts_core_clock;
    put(core, visit, INCORE_METRIC_TIME, operations, false);
    if (!whole)
        put(core, visit, INCORE_METRIC_RATE, results * this_case->kind->arithmetic * 1e9, true);
    if (cycles) {
        put(core, visit, INCORE_METRIC_CYCLES, operations, false);
        if (!whole && cores_busy(core))
            put(core, visit, INCORE_METRIC_PER_CORE, results / cores_busy(core), true);
        double hz[INCORE_SAMPLES_MAX], error = core_clocks(core, hz);
        visit_core_clock(visit, hz, core->samples, error);
        visit->clock.load = MEASURE_ONE_CORE;
        visit_limit(visit, INCORE_METRIC_PER_CORE,
                    session->bench->limits.results_per_cycle[incore_kind_class(this_case->kind)]);
    }
    for (unsigned i = 0; i < core->samples; i++)
        visit->device_time_ns += (uint64_t)fmax(core->ns[i], 0);
    visit_detail(visit, "clock", "%s",
                 session->clocked ? "the core's counter" : "time stamps: 2 N iterations minus N");
    visit_detail(visit, "shape", "%u of %u threads in subgroups of %u, %.0f operations each",
                 this_case->subgroups * session->subgroup_threads,
                 gpu_program_kernel(core->program)->workgroup[0], session->subgroup_threads, steps);
    if (core->separate)
        visit_detail(visit, "fma", "rounds twice: a product and a sum");
    flag_counters(core, visit);
}

// ---------------------------------------------------------------- counters

static struct gpu_batch *batch_of_iterations(struct core *core, unsigned proof, struct error *err)
{
    struct gpu_batch *batch = gpu_batch_create(core->run->scope, &(struct gpu_batch_desc){0}, err);
    if (!batch)
        return NULL;
    record_dispatch(core, batch, 0, proof);
    return gpu_batch_end(batch, err) ? batch : NULL;
}

// Fails if a counted dispatch has another result than the host.
static bool check_counted(const struct core *core, struct error *err)
{
    struct gpu_batch *batch = gpu_batch_create(core->run->scope, &(struct gpu_batch_desc){0}, err);
    struct incore_proven unused;
    if (!batch)
        return false;
    incore_results_record(core->session, batch);
    return gpu_batch_end(batch, err) && gpu_batch_run(batch, core->run->request->timeout_ns, err) &&
           incore_proof_check(core->session, 0, &unused, err) &&
           incore_proof_check(core->session, 1, &unused, err);
}

// Counts events over N and over 2 N timed iterations; the difference belongs to N iterations.
static bool count(struct core *core, struct measure_visit *visit, struct error *err)
{
    const struct measure_request *request = core->run->request;
    if (!request->count)
        return true;
    struct measure_count_desc desc = {.units = 1, .timeout_ns = request->timeout_ns};
    if (!(desc.once = batch_of_iterations(core, 0, err)) ||
        !(desc.twice = batch_of_iterations(core, 1, err)) ||
        !measure_count_run(request->count, &desc, err) || !check_counted(core, err))
        return false;
    const struct incore_case *this_case = core->this_case;
    const struct measure_count_claims claims = incore_kind_claims(
        this_case->kind, this_case->chains, thread_steps(core) * this_case->subgroups);
    measure_count_report(request->count, &claims, visit);
    return true;
}

// ---------------------------------------------------------------- a visit

bool incore_core_visit(struct bench_visit *run, const struct incore_case *this_case,
                       struct measure_visit *visit, struct error *err)
{
    struct incore_session *session = run->session->state;
    struct core core = {
        .run = run, .session = session, .this_case = this_case, .memory = *run->memory};
    if (this_case->subgroups * session->subgroup_threads > INCORE_THREADS)
        return error_set(err, ERROR_UNSUPPORTED, "%u subgroups of %u are more than %d threads",
                         this_case->subgroups, session->subgroup_threads, INCORE_THREADS);
    core.samples = run->request->samples ? run->request->samples : 1;
    if (core.samples > INCORE_SAMPLES_MAX)
        core.samples = INCORE_SAMPLES_MAX;
    core.program = incore_program(session, this_case, err);
    if (!core.program)
        return false;
    if (!core.memory) {
        core.memory = ARENA_NEW(run->session->arena, struct memory);
        if (!size(&core, err))
            return false;
        *run->memory = core.memory;
    }
    if (!run_samples(&core, err))
        return false;
    report(&core, visit);
    if (!count(&core, visit, err))
        return false;
    visit->kernel = *measure_program_info(&session->bench->programs, core.program);
    return true;
}
