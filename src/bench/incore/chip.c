// SPDX-License-Identifier: MIT
// All cores of the chip.
#include "bench/incore/session.h"
#include "math/stats.h"

#include <math.h>
#include <string.h>

enum {
    GROUPS_A_CORE = 2,   // all of a size: whether one or two fit at a time, all cores end at once
    CORES_UNKNOWN = 256, // assumed: many short workgroups even out
    SIZING_TURNS = 4
};

// Found by a case's first visit.
struct memory {
    uint32_t turns;
    uint64_t repeats;
    uint32_t words[2 * INCORE_SLOTS];
};

struct chip {
    struct bench_visit *run;
    struct incore_session *session;
    const struct incore_point *point;
    struct incore_program *program;
    struct memory *memory;
    uint32_t groups;
};

static uint32_t groups_of(const struct chip *chip)
{
    unsigned threads = gpu_program_kernel(chip->program->program)->workgroup[0];
    uint32_t cores = chip->session->limits.cores;
    return GROUPS_A_CORE * (INCORE_THREADS / threads) * (cores ? cores : CORES_UNKNOWN);
}

static void learn(struct chip *chip, uint32_t turns)
{
    const struct incore_kind *kind = chip->point->kind;
    uint64_t steps = (uint64_t)turns * incore_kind_peak_steps(kind) / incore_kind_peak_chains(kind);
    chip->memory->turns = turns;
    incore_kind_fill(kind, steps, chip->memory->words);
}

static void record(void *context, struct gpu_batch *batch, uint64_t repeats)
{
    struct chip *chip = context;
    const struct incore_params params = {.turns = chip->memory->turns,
                                         .subgroup_threads = chip->session->subgroup_threads,
                                         .never = 0x9e3779b9};
    const struct gpu_dispatch dispatch = {.program = chip->program->program,
                                          .groups = {chip->groups},
                                          .params = &params,
                                          .params_bytes = sizeof params};
    for (uint64_t i = 0; i < repeats; i++)
        incore_dispatch(chip->session, batch, &dispatch, 0);
}

// Puts the proof on the device, or fetches it.
static bool move_proof(struct chip *chip, bool fetch, struct error *err)
{
    struct gpu_batch *batch = gpu_batch_create(chip->run->scope, &(struct gpu_batch_desc){0}, err);
    if (!batch)
        return false;
    if (fetch)
        incore_results_record(chip->session, batch);
    else
        incore_proof_record(chip->session, 0, chip->memory->words, batch);
    return gpu_batch_end(batch, err) && gpu_batch_run(batch, chip->run->request->timeout_ns, err);
}

// So many turns that one dispatch is a sample: what a launch costs is nothing beside it.
static bool size(struct chip *chip, struct error *err)
{
    uint64_t loops = chip->session->bench->info->limits.loop_iterations;
    double most = loops ? (double)loops - 1 : 1 << 24, ns;
    learn(chip, SIZING_TURNS);
    struct gpu_batch *batch =
        gpu_batch_create(chip->run->scope, &(struct gpu_batch_desc){.span_count = 2}, err);
    if (!batch)
        return false;
    incore_proof_record(chip->session, 0, chip->memory->words, batch);
    for (unsigned i = 0; i < 2; i++) { // the first one warms up
        gpu_batch_span_begin(batch, i);
        record(chip, batch, 1);
        gpu_batch_span_end(batch, i);
    }
    if (!gpu_batch_end(batch, err) || !gpu_batch_run(batch, chip->run->request->timeout_ns, err) ||
        !gpu_batch_span_ns(batch, 1, &ns, err))
        return false;
    double turns = ceil((double)chip->run->request->sample_ns / fmax(ns, 1) * SIZING_TURNS);
    learn(chip, (uint32_t)fmin(fmax(turns, SIZING_TURNS), most));
    return true;
}

static bool verify(const struct chip *chip, const struct measure_span *span, bool *separate,
                   struct error *err)
{
    struct incore_proven proven;
    if (!incore_proof_check(chip->session, 0, &proven, err))
        return false;
    *separate = proven.separate;
    if (proven.groups % chip->groups == 0 &&
        proven.groups >= span->repeats * span->count * chip->groups)
        return true;
    return error_set(err, ERROR_MISMATCH,
                     "%u workgroups came to their end, not a multiple of %u and at least %llu",
                     proven.groups, chip->groups,
                     (unsigned long long)(span->repeats * span->count * chip->groups));
}

// ---------------------------------------------------------------- the numbers

static void report_per_core(const struct chip *chip, const struct measure_span *span,
                            double results, struct measure_visit *visit)
{
    unsigned cores = chip->session->limits.cores;
    if (!span->core_hz || !cores || !chip->session->clock.counts_core_clock)
        return;
    double *values = ARENA_ARRAY(visit->arena, span->count, double);
    for (size_t i = 0; i < span->count; i++)
        values[i] = results / span->unit_ns[i] * 1e9 / span->core_hz[i] / cores;
    visit_samples(visit, INCORE_METRIC_PER_CORE, values, span->count,
                  values[0] * span->step_ns / span->unit_ns[0]);
    double limit = incore_kind_limit(chip->point->kind, &chip->session->limits);
    if (!(limit > 0))
        return;
    memcpy(values, span->core_hz, span->count * sizeof *values);
    double hz = stats_median(values, span->count);
    visit_limit(visit, INCORE_METRIC_PER_CORE, limit);
    visit_limit(visit, INCORE_METRIC_RATE, limit * chip->point->kind->arithmetic * cores * hz);
}

static void report(struct chip *chip, const struct measure_span *span, bool separate,
                   struct measure_visit *visit)
{
    const struct incore_kind *kind = chip->point->kind;
    double steps = (double)chip->memory->turns * incore_kind_peak_steps(kind);
    unsigned threads = gpu_program_kernel(chip->program->program)->workgroup[0];
    double results = steps * threads * chip->groups * kind->results;
    measure_span_report(span, results * kind->arithmetic, INCORE_METRIC_RATE, visit);
    report_per_core(chip, span, results, visit);
    visit_detail(visit, "shape", "%u workgroups of %u threads, %u chains, %.0f operations each",
                 chip->groups, threads, incore_kind_peak_chains(kind), steps);
    if (separate)
        visit_detail(visit, "fma", "rounds twice: a product and a sum");
    visit->kernel = *incore_kernel_info(chip->session, chip->program);
}

bool incore_chip_visit(struct bench_visit *run, const struct incore_point *point,
                       struct measure_visit *visit, struct error *err)
{
    struct incore_session *session = run->session->state;
    struct chip chip = {.run = run,
                        .session = session,
                        .point = point,
                        .program = incore_program(session, point, err),
                        .memory = *run->memory};
    bool first = !chip.memory, separate;
    if (!chip.program)
        return false;
    chip.groups = groups_of(&chip);
    if (first)
        chip.memory = ARENA_NEW(run->session->arena, struct memory);
    if (first && !size(&chip, err))
        return false;
    *run->memory = chip.memory;
    struct measure_request request = *run->request;
    if (session->warm && request.round == 0)
        request.round = 1; // cases follow each other without a pause
    const struct measure_span_desc desc = {.scope = run->scope,
                                           .record = record,
                                           .context = &chip,
                                           .clock = &session->clock,
                                           .request = &request,
                                           .repeats = chip.memory->repeats};
    struct measure_span span;
    if (!move_proof(&chip, false, err) || !measure_span_run(run->arena, &desc, &span, err) ||
        !move_proof(&chip, true, err) || !verify(&chip, &span, &separate, err))
        return false;
    session->warm = true;
    chip.memory->repeats = span.repeats;
    report(&chip, &span, separate, visit);
    return true;
}
