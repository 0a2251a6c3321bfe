// SPDX-License-Identifier: MIT
#include "bench/bandwidth/bandwidth.h"
#include "bench/bandwidth/session.h"
#include "measure/unit.h"

#include <math.h>
#include <string.h>

enum {
    METRIC_BANDWIDTH,
    METRIC_PER_CORE
};

enum {
    // Maximum length in ms of one pass over the working set, because watchdogs stop a dispatch
    // after 2 s.
    DISPATCH_MS_MAX = 250,
    SAFE_BYTES = 32 << 20, // bytes that every device moves in less than DISPATCH_MS_MAX
    PASSES_MAX = 1 << 24,
    GROWTH_MAX = 64, // maximum factor by which the number of passes grows from one try to the next
    SIZE_RUNS = 2,
    SPEED_RUNS = 3,
    // maximum number of bytes whose sum the host computes, too, to check the device's sum
    HOST_CHECK_BYTES = 1 << 20,
    // sizes in bytes of the working sets that each round puts at another address
    MOVED_BYTES_MIN = 256 << 10,
    MOVED_BYTES_MAX = 256 << 20
};

// A shape replaces the chosen one if it is faster by this factor.
static const double faster_least = 1.01;

bool bandwidth_open(struct bench_session *session, struct error *err)
{
    struct bandwidth_store *store = ARENA_NEW(session->arena, struct bandwidth_store);
    session->state = store;
    return bench_clock_probe(session, err) && bandwidth_store_open(store, session, err);
}

void bandwidth_close(struct bench_session *session)
{
    if (session->state)
        bandwidth_store_close(session->state);
}

// A shape that the case may have.
struct candidate {
    struct bandwidth_shape shape;
    uint64_t passes;
    double speed;  // bandwidth in B/s: of a short try, or of a whole visit
    bool measured; // true if `speed` is of a whole visit
};

// Data of one case that the session keeps from round to round.
struct memory {
    bool ready;
    struct candidate candidates[BANDWIDTH_SHAPES_MAX];
    size_t count, chosen;
    uint64_t repeats;
    // Sum of the words of the working set, each counted once, if it begins at the offset sum_at.
    uint32_t sum;
    uint64_t sum_at;
};

// One case with one shape, and all that is needed to run it.
struct trial {
    struct bench_visit *run;
    struct bandwidth_store *store;
    const struct bandwidth_case *this_case;
    struct bandwidth_shape shape;
    struct bandwidth_work work;
    struct gpu_program *program;
    // The case reads the range `source` and writes the range `target`. The buffer of `source` is
    // NULL if the case reads no global memory; the buffer of `target` is NULL if it writes none.
    struct gpu_arg source, target;
    struct measure_span_desc desc; // how to time dispatches of `work`
};

// Returns true if each round puts the working set at another address. How far a line of the L2 is
// from a core depends on its address, so the confidence interval then includes this effect. A
// working set that an L1 may hold, or that has many pages, does not move.
static bool is_moved(const struct trial *trial)
{
    const struct bandwidth_case *this_case = trial->this_case;
    return trial->store->roam_bytes && !this_case->shared && this_case->bytes >= MOVED_BYTES_MIN &&
           this_case->bytes <= MOVED_BYTES_MAX;
}

static bool get_buffers(struct trial *trial, struct error *err)
{
    const struct bandwidth_case *this_case = trial->this_case;
    uint64_t bytes = bandwidth_stream_bytes(this_case);
    uint32_t key = is_moved(trial) ? bench_round_key(trial->run->request->round) : 0;
    bool reads = !this_case->shared && this_case->op != BANDWIDTH_WRITE;
    bool writes = !this_case->shared && this_case->op != BANDWIDTH_READ;
    return (!reads ||
            bandwidth_store_get(trial->store, BANDWIDTH_SOURCE, bytes, key, &trial->source, err)) &&
           (!writes ||
            bandwidth_store_get(trial->store, BANDWIDTH_TARGET, bytes, key, &trial->target, err));
}

// If the device lacks memory, frees the buffers of earlier cases and tries again.
static bool find_buffers(struct trial *trial, struct error *err)
{
    if (get_buffers(trial, err))
        return true;
    if (err->code != ERROR_OUT_OF_MEMORY)
        return false;
    bandwidth_store_close(trial->store);
    return get_buffers(trial, err);
}

// Sets trial->work to a dispatch of `passes` passes, or of as many passes as one dispatch can do.
static bool make_work(struct trial *trial, const struct bandwidth_case *this_case, uint64_t passes,
                      struct error *err)
{
    const struct bandwidth_work_desc desc = {
        .this_case = this_case,
        .shape = &trial->shape,
        .info = trial->run->session->info,
        .cores = trial->run->session->limits.cores,
        .passes = passes,
    };
    if (!bandwidth_work_make(&desc, &trial->work, err))
        return false;
    // op=write writes other data in each round, so that the check notices data of an earlier round.
    trial->work.params.seed = this_case->op == BANDWIDTH_READ
                                  ? BANDWIDTH_SEED_SOURCE
                                  : BANDWIDTH_MULTIPLIER_1 * (trial->run->request->round + 1);
    return true;
}

// Returns the percentage of a core's on-chip memory that a program requests as L1.
static unsigned l1_percent(const struct bandwidth_case *this_case)
{
    return this_case->shared ? 1 : 100;
}

static struct gpu_program *program_of(struct bench_session *session, struct arena *arena,
                                      const struct bandwidth_case *this_case,
                                      const struct bandwidth_shape *shape, struct error *err)
{
    const struct gpu_program_desc choices = {.l1_percent = l1_percent(this_case)};
    return measure_program(&session->programs, bandwidth_kernel_name(arena, this_case, shape),
                           &choices, err);
}

void bandwidth_programs(struct bench_session *session, const struct bench_case *c)
{
    struct bandwidth_case this_case;
    struct bandwidth_shape shapes[BANDWIDTH_SHAPES_MAX];
    struct error unused;
    bandwidth_case_read(c, &this_case);
    size_t count = bandwidth_shapes_allowed(session->arena, &this_case, session->info,
                                            &session->limits, shapes, &unused);
    for (size_t i = 0; i < count; i++)
        (void)program_of(session, session->arena, &this_case, &shapes[i], &unused);
}

// Gets the program and the buffers of the trial, and makes its dispatch of `passes` passes.
static bool prepare(struct trial *trial, uint64_t passes, struct error *err)
{
    trial->program =
        program_of(trial->run->session, trial->run->arena, trial->this_case, &trial->shape, err);
    return trial->program && make_work(trial, trial->this_case, passes, err) &&
           find_buffers(trial, err);
}

// Callback of type measure_record (measure/span.h): records `repeats` dispatches of trial->work.
static void record(void *context, struct gpu_batch *batch, uint64_t repeats)
{
    const struct trial *trial = context;
    struct gpu_dispatch dispatch = {
        .program = trial->program,
        .groups = {trial->work.grid[0], trial->work.grid[1], trial->work.grid[2]},
        .params = &trial->work.params,
        .params_bytes = sizeof trial->work.params,
    };
    // An address has no length. A storage buffer is bound only as far as it is used, because
    // devices limit the size of a binding.
    uint64_t bytes = trial->shape.address ? 0 : trial->work.stream_bytes;
    const struct gpu_arg ranges[] = {trial->source, trial->target};
    unsigned args = 0;
    for (size_t i = 0; i < COUNT(ranges); i++)
        if (ranges[i].buffer) {
            dispatch.args[args] = ranges[i];
            dispatch.args[args++].bytes = bytes;
        }
    dispatch.args[args++] = (struct gpu_arg){.buffer = trial->store->words};
    for (uint64_t i = 0; i < repeats; i++)
        gpu_batch_dispatch(batch, &dispatch);
}

// Fails with ERROR_UNSUPPORTED if one pass would last longer than DISPATCH_MS_MAX. The length is
// scaled up from a pass over a smaller working set.
static bool refuse_slow(struct trial *trial, struct error *err)
{
    double whole = (double)trial->work.moved_bytes, ns = 0;
    if (whole <= SAFE_BYTES)
        return true;
    struct bandwidth_case part = *trial->this_case;
    part.bytes = SAFE_BYTES;
    if (!part.apart && trial->work.groups > 1)
        part.bytes = BANDWIDTH_GRAIN_APART;
    if (part.bytes >= trial->this_case->bytes)
        return true;
    if (!make_work(trial, &part, 1, err) || !measure_unit_time(&trial->desc, 1, &ns, err))
        return false;
    double predicted_ms = ns * 1e-6 * whole / (double)trial->work.moved_bytes;
    if (predicted_ms > DISPATCH_MS_MAX)
        return error_set(
            err, ERROR_UNSUPPORTED,
            "one pass over the working set would take about %.0f ms on this device; more "
            "than %d ms is not safe: take fewer bytes",
            predicted_ms, DISPATCH_MS_MAX);
    return make_work(trial, trial->this_case, 1, err);
}

// Raises the number of passes, from `least` on, until a dispatch lasts as long as a sample should.
// Stops earlier if one dispatch can do no more passes. The work must already be prepared with one
// pass.
static bool size(struct trial *trial, uint64_t least, struct error *err)
{
    double wanted_ns = (double)trial->run->request->sample_ns, ns = 0;
    // The dispatch runs twice, because the first run is cold and too slow.
    if (!refuse_slow(trial, err) || !make_work(trial, trial->this_case, least, err) ||
        !measure_unit_time(&trial->desc, SIZE_RUNS, &ns, err))
        return false;
    while (ns < wanted_ns) {
        uint64_t passes = (uint64_t)ceil(
            measure_unit_grow((double)trial->work.passes, 1.1 * wanted_ns, ns, 1.1, GROWTH_MAX));
        if (passes > PASSES_MAX)
            break;
        if (!make_work(trial, trial->this_case, passes, err))
            return false;
        if (trial->work.passes < passes)
            break;
        if (!measure_unit_time(&trial->desc, SIZE_RUNS, &ns, err))
            return false;
    }
    return true;
}

// Returns true if the dispatches of a sample may overlap. Dispatches of workgroups in laps must not
// overlap, because a core would run more workgroups than the case asks for. Writes to DRAM that
// overlap were 2 % slower in one of two runs (docs/evidence/bandwidth.md).
static bool units_overlap(const struct bandwidth_case *this_case, const struct gpu_info *info)
{
    return this_case->scope == BANDWIDTH_DEVICE && this_case->apart &&
           this_case->op != BANDWIDTH_WRITE && info->caps & GPU_CAP(UNORDERED);
}

// ---------------------------------------------------------------- the shape

// Chooses the number of passes for each shape. To need fewer tries, each search begins at the
// number of passes of the shape before.
static bool find_candidates(struct trial *trial, struct memory *memory, struct error *err)
{
    struct bandwidth_shape shapes[BANDWIDTH_SHAPES_MAX];
    const struct bench_session *session = trial->run->session;
    memory->count = bandwidth_shapes_allowed(trial->run->arena, trial->this_case, session->info,
                                             &session->limits, shapes, err);
    uint64_t passes = 1;
    for (size_t i = 0; i < memory->count; i++) {
        trial->shape = shapes[i];
        if (!prepare(trial, 1, err) || !size(trial, passes, err))
            return false;
        passes = trial->work.passes;
        memory->candidates[i] = (struct candidate){.shape = shapes[i], .passes = passes};
    }
    return memory->count > 0;
}

static size_t fastest(const struct memory *memory)
{
    size_t best = 0;
    for (size_t i = 1; i < memory->count; i++)
        if (memory->candidates[i].speed > memory->candidates[best].speed)
            best = i;
    return best;
}

// Finds the shapes of the case. If there are several, times each, and chooses the fastest.
static bool choose_shape(struct trial *trial, struct memory *memory, struct error *err)
{
    double ns;
    if (!find_candidates(trial, memory, err))
        return false;
    for (size_t i = 0; memory->count > 1 && i < memory->count; i++) {
        struct candidate *candidate = &memory->candidates[i];
        trial->shape = candidate->shape;
        if (!prepare(trial, candidate->passes, err) ||
            !measure_unit_time(&trial->desc, SPEED_RUNS, &ns, err))
            return false;
        candidate->speed = (double)trial->work.moved_bytes / ns * 1e9;
    }
    memory->chosen = fastest(memory);
    return true;
}

// Stores the speed of the chosen shape in this visit. Returns true if the shape stays, else chooses
// the fastest shape. A short try can be faster than any visit, because part of the working set may
// be in the L1 by chance.
static bool stays(const struct trial *trial, struct memory *memory, const struct measure_span *span)
{
    struct candidate *chosen = &memory->candidates[memory->chosen];
    bool again = chosen->measured;
    chosen->measured = true;
    chosen->speed = (double)trial->work.moved_bytes * (double)span->repeats / span->sample_ns * 1e9;
    size_t best = fastest(memory);
    if (again || memory->candidates[best].speed < faster_least * chosen->speed)
        return true;
    memory->chosen = best;
    memory->repeats = 0;
    return false;
}

// ---------------------------------------------------------------- the proof

// Returns the seed whose element 0 has the data that `seed` gives to the element at `offset` bytes.
static uint32_t seed_at(uint32_t seed, uint64_t offset)
{
    return seed + (uint32_t)(offset / BANDWIDTH_ELEMENT_BYTES) * BANDWIDTH_MIX_STEP;
}

// If the case reads, sets memory->sum to the sum of the words in one walk through its working set.
// For global memory, the check kernel computes this sum; if the working set is small, the host
// confirms it. For shared memory, the host computes the sum.
static bool learn_sum(struct trial *trial, struct memory *memory, struct error *err)
{
    uint64_t bytes = trial->work.stream_bytes;
    uint32_t seed = trial->work.params.seed;
    if (trial->this_case->op != BANDWIDTH_READ)
        return true;
    if (trial->this_case->shared) {
        memory->sum = bandwidth_data_sum(bytes, seed);
        return true;
    }
    trial->source.bytes = bytes;
    memory->sum_at = trial->source.offset;
    if (!bandwidth_store_check(trial->store, &trial->source, seed, &memory->sum, err))
        return false;
    if (bytes <= HOST_CHECK_BYTES &&
        memory->sum != bandwidth_data_sum(bytes, seed_at(seed, trial->source.offset)))
        return error_set(err, ERROR_MISMATCH, "the device and the host compute different sums");
    return true;
}

// Prepares the check. For a read, sets the sum to 0. For a write or a copy, fills the target with
// wrong data.
static bool prepare_proof(struct trial *trial, struct error *err)
{
    if (!measure_words_clear(trial->store->words, err))
        return false;
    if (trial->this_case->op == BANDWIDTH_READ)
        return true;
    trial->target.bytes = trial->work.stream_bytes;
    return bandwidth_store_fill(trial->store, &trial->target, ~trial->work.params.seed, err);
}

// Checks how many dispatches ran and what they read or wrote. In reads, every workgroup counts
// itself. In writes and copies, only the last workgroup of every pass counts itself.
static bool verify(struct trial *trial, const struct memory *memory,
                   const struct measure_span *span, struct error *err)
{
    bool reads = trial->this_case->op == BANDWIDTH_READ;
    struct measure_words words;
    uint64_t units;
    if (!measure_words_read(trial->store->words, &words, err) ||
        !measure_unit_counted(words.count, reads ? trial->work.groups : trial->work.passes,
                              &span->ran, &units, err))
        return false;
    if (reads) {
        uint32_t expected = (uint32_t)(units * trial->work.times * memory->sum);
        return words.sum == expected ||
               error_set(err, ERROR_MISMATCH, "the sum of the words read is %08x, not %08x",
                         words.sum, expected);
    }
    // Seed whose element 0 has the data of the target's element at `target.offset`.
    uint32_t seed = trial->this_case->op == BANDWIDTH_COPY
                        ? seed_at(BANDWIDTH_SEED_SOURCE, trial->source.offset)
                        : trial->work.params.seed;
    return bandwidth_store_check(trial->store, &trial->target,
                                 seed - seed_at(0, trial->target.offset), NULL, err);
}

// ---------------------------------------------------------------- the numbers

static void report(struct trial *trial, const struct memory *memory,
                   const struct measure_span *span, struct measure_visit *visit)
{
    struct arena *arena = trial->run->arena;
    const struct bandwidth_work *work = &trial->work;
    const struct measure_limits *limits = &trial->run->session->limits;
    struct measure_claim claim =
        bandwidth_claim_of(trial->this_case, limits, (double)work->moved_bytes);
    const struct measure_account account = {&claim, limits, span, visit};
    measure_claim_report(&account, METRIC_BANDWIDTH, MEASURE_PER_SECOND, (double)work->moved_bytes);
    measure_claim_report(&account, METRIC_PER_CORE, MEASURE_PER_CORE_CYCLE,
                         (double)work->moved_bytes);
    measure_span_note(span, visit);
    // If the core clock is not known, the limit is computed for the highest core clock.
    if (!span->core_hz)
        visit_limit(
            visit, METRIC_BANDWIDTH,
            measure_claim_bound(&claim, limits, (double)work->moved_bytes, limits->core_clock_hz)
                .per_s);
    visit_detail(visit, "shape",
                 "%s: %llu workgroups of %u threads, %u × %u bytes per thread and step",
                 bandwidth_shape_name(arena, &trial->shape), (unsigned long long)work->groups,
                 trial->shape.threads, trial->shape.loads, trial->this_case->width);
    visit_detail(visit, "work",
                 "%u steps per workgroup, %llu bytes per dispatch, %llu dispatches per sample",
                 work->params.steps, (unsigned long long)work->moved_bytes,
                 (unsigned long long)span->repeats);
    if (trial->run->session->info->caps & GPU_CAP(L1_CHOICE))
        visit_detail(visit, "l1", "%u %% of the core's memory requested as L1",
                     l1_percent(trial->this_case));
    if (is_moved(trial))
        visit_detail(visit, "place", BENCH_PLACE_NOTE);
    const char *tried = "";
    for (size_t i = 0; memory->count > 1 && i < memory->count; i++)
        tried = arena_printf(arena, "%s%s%s %.4g", tried, i > 0 ? ", " : "",
                             bandwidth_shape_name(arena, &memory->candidates[i].shape),
                             memory->candidates[i].speed);
    if (*tried)
        visit_detail(visit, "tried", "%s", tried);
    visit_kernel(visit, trial->program);
}

static bool refuse_missing(const struct bench_visit *run, const struct bandwidth_case *this_case,
                           struct error *err)
{
    const struct gpu_limits *limits = &run->session->info->limits;
    if (this_case->doubles && !gpu_require(run->session->info, GPU_CAP(FLOAT64), err))
        return false;
    uint64_t stream_bytes = bandwidth_stream_bytes(this_case);
    if (!this_case->shared && limits->allocation_bytes && stream_bytes > limits->allocation_bytes)
        return error_set(err, ERROR_UNSUPPORTED, "a buffer of this device holds at most %llu bytes",
                         (unsigned long long)limits->allocation_bytes);
    if (this_case->shared && limits->shared_bytes < BANDWIDTH_SHARED_BYTES)
        return error_set(err, ERROR_UNSUPPORTED,
                         "a workgroup of this device has only %llu bytes of shared memory",
                         (unsigned long long)limits->shared_bytes);
    return true;
}

// Measures the case with the chosen shape, and verifies the results.
static bool measure(struct trial *trial, struct memory *memory, struct measure_span *span,
                    struct error *err)
{
    const struct candidate *chosen = &memory->candidates[memory->chosen];
    trial->shape = chosen->shape;
    trial->desc.repeats = memory->repeats;
    return prepare(trial, chosen->passes, err) &&
           ((memory->ready && memory->sum_at == trial->source.offset) ||
            learn_sum(trial, memory, err)) &&
           prepare_proof(trial, err) &&
           measure_span_run(trial->run->arena, &trial->desc, span, err) &&
           verify(trial, memory, span, err);
}

bool bandwidth_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct bandwidth_case this_case;
    bandwidth_case_read(run->bench_case, &this_case);
    struct trial trial = {
        .run = run,
        .store = run->session->state,
        .this_case = &this_case,
        .desc = bench_span_desc(run, record, &trial),
    };
    trial.store->timeout_ns = run->request->timeout_ns;
    trial.desc.unordered = units_overlap(&this_case, run->session->info);
    if (!refuse_missing(run, &this_case, err))
        return false;
    if (!*run->memory)
        *run->memory = ARENA_NEW(run->session->arena, struct memory);
    struct memory *memory = *run->memory;
    bool first = !memory->ready;
    if (first && !choose_shape(&trial, memory, err))
        return false;
    struct measure_span span;
    do
        if (!measure(&trial, memory, &span, err))
            return false;
    while (first && !stays(&trial, memory, &span));
    memory->repeats = span.repeats;
    memory->ready = true;
    run->session->warm = true;
    report(&trial, memory, &span, visit);
    return true;
}
