// SPDX-License-Identifier: MIT
#include "bench/strides/session.h"
#include "measure/claim.h"
#include "measure/unit.h"

#include <math.h>

enum {
    TURNS_FIRST = 4,
    SIZE_RUNS = 2,
    GROWTH_MAX = 32,       // of turns, from one try to the next
    SAMPLE_SHARE = 4,      // there are many cases: a quarter of a usual sample each …
    STRIDE_FULL_SAMPLE = 1 // … but for the one that tells what the core can do
};

// What a case keeps from its first visit.
struct memory {
    uint32_t turns;
    uint64_t repeats;
};

struct work {
    struct bench_visit *run;
    struct strides_session *session;
    struct strides_case this_case;
    struct gpu_program *program;
    struct strides_params params;
};

// ---------------------------------------------------------------- the session

static bool fill(struct bench_session *bench, struct strides_session *session, struct error *err)
{
    struct arena *scratch = arena_create();
    size_t count = STRIDES_BUFFER_BYTES / sizeof(uint32_t);
    uint32_t *data = ARENA_ARRAY(scratch, count, uint32_t);
    for (size_t i = 0; i < count; i++)
        data[i] = strides_data((uint32_t)i);
    session->source = gpu_buffer_create(
        bench->scope, &(struct gpu_buffer_desc){.bytes = STRIDES_BUFFER_BYTES}, err);
    bool done =
        session->source && gpu_buffer_write(session->source, 0, data, STRIDES_BUFFER_BYTES, err);
    arena_destroy(scratch);
    return done;
}

bool strides_open(struct bench_session *bench, struct error *err)
{
    struct strides_session *session = ARENA_NEW(bench->arena, struct strides_session);
    bench->state = session;
    measure_limits_of(bench->info, &session->limits);
    session->words = gpu_buffer_create(
        bench->scope, &(struct gpu_buffer_desc){.bytes = sizeof(uint32_t[STRIDES_WORDS])}, err);
    return session->words && fill(bench, session, err) &&
           measure_clock_probe(bench->scope, &session->clock, err);
}

static struct gpu_program *find_program(struct work *work, struct error *err)
{
    // All of the core's memory as L1, or none of it.
    const struct gpu_program_desc choices = {
        .l1_percent = work->this_case.pattern == STRIDES_BANKS ? 1 : 100};
    return measure_program(&work->run->session->programs,
                           strides_kernel_name(work->run->arena, &work->this_case), &choices, err);
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

// So many turns that one dispatch is a whole sample: else launches would be part of it.
static bool find_turns(struct work *work, double wanted_ns, uint32_t *turns, struct error *err)
{
    const struct measure_unit unit = {.scope = work->run->scope,
                                      .record = record,
                                      .context = work,
                                      .timeout_ns = work->run->request->timeout_ns};
    for (*turns = TURNS_FIRST;;) {
        double ns;
        work->params = strides_params_of(&work->this_case, *turns);
        if (!measure_unit_time(&unit, SIZE_RUNS, &ns, err))
            return false;
        if (ns >= wanted_ns || *turns == STRIDES_TURNS_MAX)
            return true;
        double next = ceil(measure_unit_grow(*turns, 1.1 * wanted_ns, ns, 1.1, GROWTH_MAX));
        *turns = (uint32_t)fmin(next, STRIDES_TURNS_MAX);
    }
}

static bool refuse_missing(const struct work *work, struct error *err)
{
    const struct gpu_limits *limits = &work->run->session->info->limits;
    const struct strides_case *this_case = &work->this_case;
    if (limits->workgroup_threads && limits->workgroup_threads < STRIDES_THREADS)
        return error_set(err, ERROR_UNSUPPORTED,
                         "a workgroup here has at most %llu threads, not %d",
                         (unsigned long long)limits->workgroup_threads, STRIDES_THREADS);
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

// Loads are of a subgroup's width: STRIDES_LANES threads.
static void report_metrics(const struct work *work, const struct measure_span *span,
                           struct measure_visit *visit)
{
    double bytes = (double)strides_bytes(&work->this_case, work->params.turns);
    double loads = (double)strides_loads(work->params.turns) / STRIDES_LANES;
    bool is_shared = work->this_case.pattern == STRIDES_BANKS;
    struct measure_claim claim = {.cores = 1};
    claim.read_bytes[is_shared ? MEASURE_SHARED : MEASURE_CORE_CACHE] = bytes;
    const struct measure_account account = {&claim, &work->session->limits, span, visit};
    measure_claim_report(&account, STRIDES_BANDWIDTH, MEASURE_PER_SECOND, bytes);
    measure_claim_report(&account, STRIDES_TIME, MEASURE_NS_EACH, loads);
    measure_claim_report(&account, STRIDES_CYCLES, MEASURE_CYCLES_EACH, loads);
    measure_claim_report(&account, STRIDES_PER_CORE, MEASURE_PER_CORE_CYCLE, bytes);
    measure_span_note(span, visit);
}

static void report(struct work *work, const struct measure_span *span, struct measure_visit *visit)
{
    const struct strides_case *this_case = &work->this_case;
    uint64_t footprint = strides_footprint_bytes(this_case), cache = work->session->limits.l1_bytes;
    report_metrics(work, span, visit);
    visit_detail(visit, "shape",
                 "1 workgroup of %d threads, %u loads in flight, %u turns of %d, %llu dispatches",
                 STRIDES_THREADS, this_case->loads, work->params.turns, STRIDES_TURN_LOADS,
                 (unsigned long long)span->repeats);
    if (footprint) {
        visit_detail(visit, "footprint", "%llu bytes in lines of 128",
                     (unsigned long long)footprint);
        visit_detail(visit, "route", "%s", this_case->address ? "address" : "storage buffer");
    }
    if (cache && footprint > cache)
        visit_flag(visit, "beyond-cache",
                   "the lines touched are %llu bytes, the core's cache holds %llu at most",
                   (unsigned long long)footprint, (unsigned long long)cache);
    visit_kernel(visit, work->program);
}

// ---------------------------------------------------------------- the visit

static bool clear_words(struct work *work, struct error *err)
{
    static const uint32_t zeros[STRIDES_WORDS];
    return gpu_buffer_write(work->session->words, 0, zeros, sizeof zeros, err);
}

static bool verify(struct work *work, const struct measure_span *span, struct error *err)
{
    uint32_t words[STRIDES_WORDS];
    return gpu_buffer_read(work->session->words, 0, words, sizeof words, err) &&
           strides_check(&work->this_case, work->params.turns, words, span->repeats * span->count,
                         err);
}

bool strides_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct work work = {.run = run, .session = run->session->state};
    strides_case_read(run->bench_case, run->session->info, &work.this_case);
    work.program = refuse_missing(&work, err) ? find_program(&work, err) : NULL;
    if (!work.program)
        return false;
    struct measure_request request = *run->request;
    if (work.this_case.stride != STRIDE_FULL_SAMPLE)
        request.sample_ns /= SAMPLE_SHARE;
    struct memory *memory = *run->memory;
    if (!memory) {
        memory = ARENA_NEW(run->session->arena, struct memory);
        if (!find_turns(&work, (double)request.sample_ns, &memory->turns, err))
            return false;
        *run->memory = memory;
    }
    work.params = strides_params_of(&work.this_case, memory->turns);
    const struct measure_span_desc desc = {
        .scope = run->scope,
        .record = record,
        .context = &work,
        .clock = &work.session->clock,
        .request = &request,
        .repeats = memory->repeats,
        .warm = work.session->warm, // cases follow each other without a pause
    };
    struct measure_span span;
    if (!clear_words(&work, err) || !measure_span_run(run->arena, &desc, &span, err) ||
        !verify(&work, &span, err))
        return false;
    memory->repeats = span.repeats;
    work.session->warm = true;
    report(&work, &span, visit);
    return true;
}
