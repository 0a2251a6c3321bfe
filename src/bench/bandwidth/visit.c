// SPDX-License-Identifier: MIT
#include "bench/bandwidth/session.h"
#include "measure/unit.h"
#include "measure/words.h"

#include <string.h>

enum {
    HOST_CHECK_BYTES = 1 << 20 // the host works the sum out again up to here
};

enum {
    METRIC_BANDWIDTH,
    METRIC_PER_CORE
};

// What a case keeps from its first visit.
struct memory {
    bool ready;
    struct bandwidth_shape shape;
    uint64_t passes, repeats;
    uint32_t sum; // of the words that the work walks through
    char *tried;  // "NAME 4.61e12, …": B/s of every shape, or NULL
};

// ---------------------------------------------------------------- the shape

// Drops the shapes that this build has no kernel for: not every width and type has them all.
static size_t built_shapes(struct bench_visit *run, const struct bandwidth_case *this_case,
                           struct bandwidth_shape *shapes, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kernel_find(bandwidth_kernel_name(run->arena, this_case, &shapes[i])))
            shapes[kept++] = shapes[i];
    return kept;
}

// Every shape that the case's value of `shape` allows.
static size_t allowed_shapes(struct bench_visit *run, const struct bandwidth_case *this_case,
                             struct bandwidth_shape shapes[BANDWIDTH_SHAPES_MAX], struct error *err)
{
    const struct bandwidth_session *session = run->session->state;
    size_t count =
        built_shapes(run, this_case, shapes,
                     bandwidth_shapes(this_case, run->session->info, &session->limits, shapes));
    if (count == 0) {
        error_set(err, ERROR_UNSUPPORTED, "no kernel fits this device's limits");
        return 0;
    }
    if (strcmp(this_case->shape, "best") == 0)
        return count;
    if (strcmp(this_case->shape, "default") == 0)
        return 1;
    for (size_t i = 0; i < count; i++)
        if (strcmp(this_case->shape, bandwidth_shape_name(run->arena, &shapes[i])) == 0) {
            shapes[0] = shapes[i];
            return 1;
        }
    error_set(err, ERROR_UNSUPPORTED, "the shape %s is not for this case", this_case->shape);
    return 0;
}

// One shape of a case at its turn in the search.
struct candidate {
    struct bandwidth_shape shape;
    uint64_t passes;
};

// Sizes every shape, then times one after the other: by then the clock has risen for all.
static bool search(struct bandwidth_trial *trial, struct candidate *candidates, size_t count,
                   struct memory *memory, struct error *err)
{
    struct bench_visit *run = trial->run;
    const char *tried = "";
    double best = 0;
    for (size_t i = 0; i < count; i++) {
        trial->shape = candidates[i].shape;
        if (!bandwidth_trial_prepare(trial, 1, err) || !bandwidth_trial_size(trial, err))
            return false;
        candidates[i].passes = trial->work.passes;
    }
    for (size_t i = 0; i < count; i++) {
        double speed;
        trial->shape = candidates[i].shape;
        if (!bandwidth_trial_prepare(trial, candidates[i].passes, err) ||
            !bandwidth_trial_speed(trial, &speed, err))
            return false;
        tried = arena_printf(run->arena, "%s%s%s %.4g", tried, *tried ? ", " : "",
                             bandwidth_shape_name(run->arena, &trial->shape), speed);
        if (speed > best) {
            best = speed;
            memory->shape = candidates[i].shape;
            memory->passes = candidates[i].passes;
        }
    }
    memory->tried = arena_strdup(run->session->arena, tried);
    return true;
}

// Takes the fastest of the shapes allowed.
static bool choose_shape(struct bandwidth_trial *trial, struct memory *memory, struct error *err)
{
    struct bandwidth_shape shapes[BANDWIDTH_SHAPES_MAX];
    struct candidate candidates[BANDWIDTH_SHAPES_MAX];
    size_t count = allowed_shapes(trial->run, trial->this_case, shapes, err);
    for (size_t i = 0; i < count; i++)
        candidates[i] = (struct candidate){.shape = shapes[i]};
    if (count > 1)
        return search(trial, candidates, count, memory, err);
    if (count == 0)
        return false;
    trial->shape = memory->shape = shapes[0];
    if (!bandwidth_trial_prepare(trial, 1, err) || !bandwidth_trial_size(trial, err))
        return false;
    memory->passes = trial->work.passes;
    return true;
}

// ---------------------------------------------------------------- the proof

// What one unit's words add up to, from a reading of the memory that has nothing in common with
// the timed one, and, where that takes no time, from the formula alone.
static bool learn_sum(struct bandwidth_trial *trial, struct memory *memory, struct error *err)
{
    uint64_t bytes = trial->work.stream_bytes;
    uint32_t seed = trial->work.params.seed;
    if (trial->this_case->op != BANDWIDTH_READ)
        return true;
    if (trial->this_case->shared) {
        memory->sum = bandwidth_data_sum(bytes, seed);
        return true;
    }
    if (!bandwidth_store_check(&trial->session->store, trial->source, bytes, seed, &memory->sum,
                               err))
        return false;
    if (bytes <= HOST_CHECK_BYTES && memory->sum != bandwidth_data_sum(bytes, seed))
        return error_set(err, ERROR_MISMATCH, "the sum on the device is not that on the host");
    return true;
}

static bool verify_read(struct bandwidth_trial *trial, const struct memory *memory,
                        const struct measure_span *span, struct error *err)
{
    struct measure_words words;
    uint64_t units;
    if (!measure_words_read(trial->session->store.words, &words, err) ||
        !measure_unit_counted(words.count, trial->work.groups, span->repeats * span->count, &units,
                              err))
        return false;
    uint32_t expected = (uint32_t)(units * trial->work.times * memory->sum);
    if (words.sum != expected)
        return error_set(err, ERROR_MISMATCH, "what was read adds up to %08x, not to %08x",
                         words.sum, expected);
    return true;
}

// Before a write or a copy is timed, its target holds something else.
static bool prepare_proof(struct bandwidth_trial *trial, struct error *err)
{
    struct bandwidth_store *store = &trial->session->store;
    if (trial->this_case->op == BANDWIDTH_READ)
        return measure_words_clear(store->words, err);
    return bandwidth_store_fill(store, trial->target, trial->work.stream_bytes,
                                ~trial->work.params.seed, err);
}

static bool verify(struct bandwidth_trial *trial, const struct memory *memory,
                   const struct measure_span *span, struct error *err)
{
    if (trial->this_case->op == BANDWIDTH_READ)
        return verify_read(trial, memory, span, err);
    uint32_t seed =
        trial->this_case->op == BANDWIDTH_COPY ? BANDWIDTH_SEED_SOURCE : trial->work.params.seed;
    return bandwidth_store_check(&trial->session->store, trial->target, trial->work.stream_bytes,
                                 seed, NULL, err);
}

// ---------------------------------------------------------------- the numbers

static void report(struct bandwidth_trial *trial, const struct memory *memory,
                   const struct measure_span *span, struct measure_visit *visit)
{
    struct arena *arena = trial->run->arena;
    const struct bandwidth_work *work = &trial->work;
    const struct measure_limits *limits = &trial->session->limits;
    struct measure_claim claim =
        bandwidth_claim_of(trial->this_case, limits, (double)work->moved_bytes);
    const struct measure_account account = {&claim, limits, span, visit};
    measure_claim_report(&account, METRIC_BANDWIDTH, MEASURE_PER_SECOND, (double)work->moved_bytes);
    measure_claim_report(&account, METRIC_PER_CORE, MEASURE_PER_CORE_CYCLE,
                         (double)work->moved_bytes);
    measure_span_note(span, visit);
    if (!span->core_hz) // the highest clock stands in for the one that no sample saw
        visit_limit(
            visit, METRIC_BANDWIDTH,
            measure_claim_bound(&claim, limits, (double)work->moved_bytes, limits->core_clock_hz)
                .per_s);
    visit_detail(visit, "shape",
                 "%s: %llu workgroups of %u threads, %u × %u bytes a thread and step",
                 bandwidth_shape_name(arena, &trial->shape), (unsigned long long)work->groups,
                 trial->shape.threads, trial->shape.loads, trial->this_case->width);
    visit_detail(visit, "work", "%u steps a workgroup, %llu bytes a dispatch, %llu dispatches",
                 work->params.steps, (unsigned long long)work->moved_bytes,
                 (unsigned long long)span->repeats);
    if (trial->run->session->info->caps & GPU_CAP(L1_CHOICE))
        visit_detail(visit, "l1", "%u %% of the core's memory asked for as L1",
                     bandwidth_l1_percent(trial->this_case));
    if (memory->tried)
        visit_detail(visit, "tried", "%s", memory->tried);
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
        return error_set(err, ERROR_UNSUPPORTED, "a buffer here holds at most %llu bytes",
                         (unsigned long long)limits->allocation_bytes);
    if (this_case->shared && limits->shared_bytes < BANDWIDTH_SHARED_BYTES)
        return error_set(err, ERROR_UNSUPPORTED, "a workgroup here has %llu bytes of shared memory",
                         (unsigned long long)limits->shared_bytes);
    return true;
}

bool bandwidth_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct bandwidth_case this_case;
    bandwidth_case_read(run->bench_case, &this_case);
    struct bandwidth_session *session = run->session->state;
    session->store.timeout_ns = run->request->timeout_ns;
    struct bandwidth_trial trial = {.run = run, .session = session, .this_case = &this_case};
    if (!refuse_missing(run, &this_case, err))
        return false;
    if (!*run->memory)
        *run->memory = ARENA_NEW(run->session->arena, struct memory);
    struct memory *memory = *run->memory;
    bool first = !memory->ready;
    if (first && !choose_shape(&trial, memory, err))
        return false;
    trial.shape = memory->shape;
    struct measure_span span;
    if (!bandwidth_trial_prepare(&trial, memory->passes, err) ||
        (first && !learn_sum(&trial, memory, err)) || !prepare_proof(&trial, err) ||
        !bandwidth_trial_run(&trial, run->request->samples, memory->repeats, &span, err) ||
        !verify(&trial, memory, &span, err))
        return false;
    memory->repeats = span.repeats;
    memory->ready = true;
    report(&trial, memory, &span, visit);
    return true;
}
