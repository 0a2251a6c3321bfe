// SPDX-License-Identifier: MIT
#include "bench/strides/session.h"
#include "measure/claim.h"
#include "measure/unit.h"

#include <math.h>

enum {
    ITERATIONS_FIRST = 4,
    SIZE_RUNS = 2,
    GROWTH_MAX = 32,  // maximum factor by which a trial run raises the number of iterations
    SAMPLE_SHARE = 4, // samples last 1/4 of the requested time, because there are many cases
    // Stride whose samples last the full time, because it shows a core's maximum rate of loads.
    STRIDE_FULL_SAMPLE = 1
};

// Data of a case that the session keeps from one visit to the next.
struct memory {
    uint32_t iterations; // number of iterations of the loop in a dispatch
    uint64_t repeats;    // number of dispatches per sample
};

struct work {
    struct bench_visit *run;
    struct strides_session *session;
    struct strides_case this_case;
    struct gpu_program *program;
    struct strides_params params;
};

bool strides_open(struct bench_session *bench, struct error *err)
{
    const uint64_t words = sizeof(uint32_t[STRIDES_WORDS]), source = STRIDES_BUFFER_BYTES;
    struct strides_session *session = ARENA_NEW(bench->arena, struct strides_session);
    struct arena *scratch = arena_create();
    uint32_t *data = ARENA_ARRAY(scratch, STRIDES_BUFFER_BYTES / sizeof *data, uint32_t);
    for (uint32_t i = 0; i < STRIDES_BUFFER_BYTES / sizeof *data; i++)
        data[i] = strides_data(i);
    bench->state = session;
    bool done = (session->words = bench_buffer(bench->scope, words, GPU_MEMORY_DEVICE, err)) &&
                (session->source = bench_buffer(bench->scope, source, GPU_MEMORY_DEVICE, err)) &&
                gpu_buffer_write(session->source, 0, data, STRIDES_BUFFER_BYTES, err) &&
                bench_clock_probe(bench, err);
    arena_destroy(scratch);
    return done;
}

// ---------------------------------------------------------------- the work

static void record(void *context, struct gpu_batch *batch, uint64_t repeats)
{
    const struct work *work = context;
    struct gpu_dispatch dispatch = {
        .program = work->program,
        .groups = {1},
        .params = &work->params,
        .params_bytes = sizeof work->params,
    };
    unsigned args = 0;
    if (work->this_case.pattern != STRIDES_BANKS)
        dispatch.args[args++] = (struct gpu_arg){.buffer = work->session->source};
    dispatch.args[args] = (struct gpu_arg){.buffer = work->session->words};
    for (uint64_t i = 0; i < repeats; i++)
        gpu_batch_dispatch(batch, &dispatch);
}

// Finds the number of iterations with which one dispatch lasts as long as a sample. Several
// dispatches would add the time of their launches.
static bool find_iterations(struct work *work, const struct measure_span_desc *desc,
                            uint32_t *iterations, struct error *err)
{
    double wanted_ns = (double)desc->request->sample_ns;
    for (*iterations = ITERATIONS_FIRST;;) {
        double ns;
        work->params = strides_params_of(&work->this_case, *iterations);
        if (!measure_unit_time(desc, SIZE_RUNS, &ns, err))
            return false;
        if (ns >= wanted_ns || *iterations == STRIDES_ITERATIONS_MAX)
            return true;
        double next = ceil(measure_unit_grow(*iterations, 1.1 * wanted_ns, ns, 1.1, GROWTH_MAX));
        *iterations = (uint32_t)fmin(next, STRIDES_ITERATIONS_MAX);
    }
}

// Fails with ERROR_UNSUPPORTED if the device lacks what the case needs.
static bool refuse_missing(const struct work *work, struct error *err)
{
    const struct gpu_limits *limits = &work->run->session->info->limits;
    const struct strides_case *this_case = &work->this_case;
    if (this_case->address &&
        !gpu_require(work->run->session->info, GPU_CAP(ADDRESSES) | GPU_CAP(INT64), err))
        return false;
    if (this_case->pattern != STRIDES_BANKS)
        return true;
    if (limits->shared_bytes < sizeof(uint32_t[STRIDES_SHARED_WORDS]))
        return error_set(
            err, ERROR_UNSUPPORTED, "a workgroup here has %llu bytes of shared memory, not %zu",
            (unsigned long long)limits->shared_bytes, sizeof(uint32_t[STRIDES_SHARED_WORDS]));
    return this_case->stride <= STRIDES_SHARED_STRIDE_MAX ||
           error_set(err, ERROR_UNSUPPORTED, "in shared memory there is room for strides up to %d",
                     STRIDES_SHARED_STRIDE_MAX);
}

// ---------------------------------------------------------------- the numbers

// Returns what hardware counters should show for `loads` loads of STRIDES_LANES threads each.
static struct measure_count_claims counts_of(const struct strides_case *this_case,
                                             const struct measure_limits *limits, double loads)
{
    struct strides_traffic traffic = strides_traffic_of(this_case);
    struct measure_count_claims claims = measure_count_no_claims;
    if (traffic.sectors > 0) {
        claims.of[GPU_COUNTER_L1_REQUESTS] = loads;
        claims.of[GPU_COUNTER_L1_READ] = loads * traffic.sectors * STRIDES_SECTOR_BYTES;
        measure_claim_held(limits, strides_footprint_bytes(this_case), &claims);
    }
    if (traffic.wavefronts > 0) {
        claims.of[GPU_COUNTER_SHARED_WAVEFRONTS] = loads * traffic.wavefronts;
        claims.of[GPU_COUNTER_SHARED_CONFLICTS] = loads * (traffic.wavefronts - 1);
    }
    return claims;
}

// Reports the metrics of one core. On RDNA, two cores share the loads of a workgroup. If the number
// of cores that run a workgroup is not known, one core is assumed, and no metric is per core cycle.
static void report_metrics(const struct work *work, const struct measure_span *span,
                           struct measure_visit *visit)
{
    const struct measure_limits *limits = &work->run->session->limits;
    const double cores = limits->group_cores ? limits->group_cores : 1;
    double thread_loads =
        (double)STRIDES_THREADS * STRIDES_TURN_LOADS * work->params.iterations / cores;
    double bytes = thread_loads * work->this_case.width, loads = thread_loads / STRIDES_LANES;
    bool is_shared = work->this_case.pattern == STRIDES_BANKS;
    struct measure_count_claims counts;
    struct measure_claim claim = {.cores = limits->group_cores ? 1 : 0};
    // Only counted spans get predicted counts. Computing these takes longer than the samples.
    if (span->counted) {
        counts = counts_of(&work->this_case, limits, loads * cores);
        claim.counts = &counts;
    }
    claim.read_bytes[is_shared ? MEASURE_SHARED : MEASURE_CORE_CACHE] = bytes;
    const struct measure_account account = {&claim, limits, span, visit};
    measure_claim_report(&account, STRIDES_BANDWIDTH, MEASURE_PER_SECOND, bytes);
    measure_claim_report(&account, STRIDES_TIME, MEASURE_NS_EACH, loads);
    measure_claim_report(&account, STRIDES_CYCLES, MEASURE_CYCLES_EACH, loads);
    measure_claim_report(&account, STRIDES_PER_CORE, MEASURE_PER_CORE_CYCLE, bytes);
    measure_span_note(span, visit);
}

static void report(struct work *work, const struct measure_span *span, struct measure_visit *visit)
{
    const struct strides_case *this_case = &work->this_case;
    uint64_t footprint = strides_footprint_bytes(this_case),
             cache = work->run->session->limits.l1_bytes;
    report_metrics(work, span, visit);
    visit_detail(
        visit, "shape",
        "1 workgroup of %d threads, %u loads in flight, %u iterations of %d loads, %llu dispatches",
        STRIDES_THREADS, this_case->loads, work->params.iterations, STRIDES_TURN_LOADS,
        (unsigned long long)span->repeats);
    if (footprint) {
        visit_detail(visit, "footprint", "%llu bytes in lines of 128",
                     (unsigned long long)footprint);
        visit_detail(visit, "route", "%s", this_case->address ? "address" : "storage buffer");
    }
    if (cache && footprint > cache)
        visit_flag(visit, "beyond-cache",
                   "the threads load from lines of %llu bytes in all, but the core's cache holds "
                   "at most %llu",
                   (unsigned long long)footprint, (unsigned long long)cache);
    visit_kernel(visit, work->program);
}

// ---------------------------------------------------------------- the visit

static struct gpu_program *program_of(struct bench_session *session, struct arena *arena,
                                      const struct strides_case *this_case, struct error *err)
{
    // The kernel of STRIDES_BANKS needs shared memory; other kernels request all memory as L1.
    const struct gpu_program_desc choices = {.l1_percent =
                                                 this_case->pattern == STRIDES_BANKS ? 1 : 100};
    return measure_program(&session->programs, strides_kernel_name(arena, this_case), &choices,
                           err);
}

void strides_programs(struct bench_session *session, const struct bench_case *c)
{
    struct strides_case this_case;
    struct error unused;
    strides_case_read(c, session->info, &this_case);
    (void)program_of(session, session->arena, &this_case, &unused);
}

bool strides_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    static const uint32_t zeros[STRIDES_WORDS];
    struct strides_session *session = run->session->state;
    struct work work = {.run = run, .session = session};
    strides_case_read(run->bench_case, run->session->info, &work.this_case);
    if (!refuse_missing(&work, err))
        return false;
    work.program = program_of(run->session, run->arena, &work.this_case, err);
    if (!work.program)
        return false;
    struct measure_request request = *run->request;
    if (work.this_case.stride != STRIDE_FULL_SAMPLE)
        request.sample_ns /= SAMPLE_SHARE;
    struct measure_span_desc desc = bench_span_desc(run, record, &work);
    desc.request = &request;
    struct memory *memory = *run->memory;
    if (!memory) {
        memory = ARENA_NEW(run->session->arena, struct memory);
        if (!find_iterations(&work, &desc, &memory->iterations, err))
            return false;
        *run->memory = memory;
    }
    work.params = strides_params_of(&work.this_case, memory->iterations);
    desc.repeats = memory->repeats;
    struct measure_span span;
    uint32_t words[STRIDES_WORDS];
    if (!gpu_buffer_write(session->words, 0, zeros, sizeof zeros, err) ||
        !measure_span_run(run->arena, &desc, &span, err) ||
        !gpu_buffer_read(session->words, 0, words, sizeof words, err) ||
        !strides_check(&work.this_case, memory->iterations, words, &span.ran, err))
        return false;
    memory->repeats = span.repeats;
    run->session->warm = true;
    report(&work, &span, visit);
    return true;
}
