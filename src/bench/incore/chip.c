// SPDX-License-Identifier: MIT
// Measures operations on all cores of the chip at the same time.
#include "bench/incore/session.h"
#include "measure/unit.h"

#include <math.h>
#include <stdio.h>

enum {
    // Number of workgroups per core if they have INCORE_THREADS threads; smaller workgroups are
    // more in number. With 2, all cores end at the same time, whether a core runs both workgroups
    // together or one after the other.
    GROUPS_A_CORE = 2,
    CORES_UNKNOWN = 256, // assumed number of cores if the device does not report it
    SIZING_ITERATIONS = 4,
    SIZINGS_MAX = 64,
    SIZING_TRIES = 2,
    // Samples, except those of matrix units, last 3 times as long as requested, because each
    // dispatch adds 7 to 14 µs to them.
    SAMPLE_FACTOR = 3
};
static const double warm_ns = 15e6; // time in ns of the work after which the core clock has risen
// While the core clock rises, dispatches get faster per iteration by more than this share.
static const double still_rising = 0.01;

// Data of a case that the session keeps from one visit to the next.
struct memory {
    uint32_t iterations;
    uint64_t repeats; // number of dispatches in a sample
    // Constants of the operation, and the first and last value of each chain (incore_kind_fill).
    uint32_t words[2 * INCORE_SLOTS];
};

struct chip {
    struct bench_visit *run;
    struct incore_session *session;
    const struct incore_case *this_case;
    struct gpu_program *program;
    struct memory *memory;
    uint32_t groups;
    bool separate; // true: an fma of the device rounded twice, first the product and then the sum
};

static void set_iterations(struct chip *chip, uint32_t iterations)
{
    const struct incore_peak *peak = chip->this_case->kind->peak;
    chip->memory->iterations = iterations;
    incore_kind_fill(chip->this_case->kind, (uint64_t)iterations * peak->steps / peak->chains,
                     chip->memory->words);
}

static void record(void *context, struct gpu_batch *batch, uint64_t repeats)
{
    struct chip *chip = context;
    const struct incore_params params = {.turns = chip->memory->iterations,
                                         .subgroup_threads = chip->session->subgroup_threads,
                                         .never = 0x9e3779b9};
    const struct gpu_dispatch dispatch = {.program = chip->program,
                                          .groups = {chip->groups},
                                          .params = &params,
                                          .params_bytes = sizeof params};
    for (uint64_t i = 0; i < repeats; i++)
        incore_dispatch(chip->session, batch, &dispatch, 0);
}

// Copies the expected values to the device. If `fetch` is true, copies them back instead, with the
// kernels' counts.
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

// ---------------------------------------------------------------- sizing

// Returns the wanted length of a sample in ns. Longer samples of matrix units would reach the
// card's power limit and slow down the next cases.
static double wanted_ns(const struct chip *chip)
{
    double sample_ns = (double)chip->run->request->sample_ns;
    return chip->this_case->kind->number == INCORE_TILE ? sample_ns : SAMPLE_FACTOR * sample_ns;
}

// Returns the maximum number of iterations of a dispatch. It allows 8 iterations per ns of a
// sample, more than any processor runs. This limits the host's work if a broken device reports
// almost no time.
static double iterations_most(const struct chip *chip)
{
    uint64_t loops = chip->session->bench->info->limits.loop_iterations;
    return fmin(loops ? (double)loops - 1 : 1 << 24, 8 * wanted_ns(chip));
}

// Chooses the number of iterations of a sample. Runs dispatches until the core clock has risen,
// because the core clock of an idle chip can be six times lower.
static bool size(struct chip *chip, struct error *err)
{
    double most = iterations_most(chip), wanted = wanted_ns(chip), iterations = SIZING_ITERATIONS;
    double spent = chip->session->awake ? warm_ns : 0, ns, best = INFINITY;
    // number of successive dispatches that were not clearly faster than all dispatches before them
    unsigned calm = 0;
    const struct measure_span_desc desc = bench_span_desc(chip->run, record, chip);
    set_iterations(chip, SIZING_ITERATIONS);
    if (!move_proof(chip, false, err))
        return false;
    for (unsigned i = 0; i < SIZINGS_MAX && (calm < 2 || spent < warm_ns); i++) {
        // A trial dispatch: only its time is used. Its results are not checked.
        chip->memory->iterations = (uint32_t)iterations;
        if (!measure_unit_time(&desc, 1, &ns, err))
            return false;
        double each_ns = fmax(ns, 1) / iterations;
        calm = each_ns < best * (1 - still_rising) ? 0 : calm + 1;
        best = fmin(best, each_ns);
        spent += ns;
        iterations = fmin(fmax(ceil(wanted / best), SIZING_ITERATIONS), most);
    }
    set_iterations(chip, (uint32_t)iterations);
    return true;
}

static bool verify(struct chip *chip, const struct measure_span *span, struct error *err)
{
    struct incore_proven proven;
    if (!incore_proof_check(chip->session, 0, &proven, err))
        return false;
    chip->separate = proven.separate;
    uint64_t dispatches;
    return measure_unit_counted(proven.groups, chip->groups, &span->ran, &dispatches, err);
}

// ---------------------------------------------------------------- the numbers

static void report(struct chip *chip, const struct measure_span *span, struct measure_visit *visit)
{
    const struct incore_kind *kind = chip->this_case->kind;
    double steps = (double)chip->memory->iterations * kind->peak->steps;
    unsigned threads = gpu_program_kernel(chip->program)->workgroup[0];
    double results = steps * threads * chip->groups * kind->results;
    double subgroups = (double)threads / chip->session->subgroup_threads * chip->groups;
    const struct measure_count_claims counts = incore_kind_claims(kind, 1, steps * subgroups);
    struct measure_claim claim = {.cores = chip->run->session->limits.cores, .counts = &counts};
    claim.results[incore_kind_class(kind)] = results;
    // The limit needs the core clock. A counter of another clock gives no limit.
    bool is_clocked = chip->run->session->clock.counts_core_clock;
    const struct measure_account account = {&claim, is_clocked ? &chip->run->session->limits : NULL,
                                            span, visit};
    measure_claim_report(&account, INCORE_METRIC_RATE, MEASURE_PER_SECOND,
                         results * kind->arithmetic);
    if (is_clocked)
        measure_claim_report(&account, INCORE_METRIC_PER_CORE, MEASURE_PER_CORE_CYCLE, results);
    measure_span_note(span, visit);
    visit_detail(visit, "shape", "%u workgroups of %u threads, %u chains, %.0f operations each",
                 chip->groups, threads, kind->peak->chains, steps);
    if (chip->separate)
        visit_detail(visit, "fma", "rounds twice: a product and a sum");
    visit->kernel = *measure_program_info(&chip->session->bench->programs, chip->program);
}

// ---------------------------------------------------------------- a visit

static bool run_span(struct chip *chip, struct measure_span *span, struct error *err)
{
    struct measure_request request = *chip->run->request;
    request.sample_ns = (uint64_t)wanted_ns(chip);
    struct measure_span_desc desc = bench_span_desc(chip->run, record, chip);
    desc.request = &request;
    // one warm-up run is enough, because sizing and earlier cases have warmed the device
    desc.warm = true;
    desc.repeats = chip->memory->repeats;
    return move_proof(chip, false, err) && measure_span_run(chip->run->arena, &desc, span, err) &&
           move_proof(chip, true, err) && verify(chip, span, err);
}

// Takes the samples. If they last less than half of wanted_ns(), takes them again with a new number
// of iterations, unless the number is already the maximum.
static bool run_sized(struct chip *chip, struct measure_span *span, struct error *err)
{
    bool sized = chip->memory->iterations > 0, again = true;
    for (unsigned tries = 0; again; tries++) {
        if ((!sized && !size(chip, err)) || !run_span(chip, span, err))
            return false;
        sized = span->sample_ns >= wanted_ns(chip) / 2 ||
                chip->memory->iterations >= (uint32_t)iterations_most(chip);
        chip->session->awake = sized;
        again = !sized && tries < SIZING_TRIES;
    }
    chip->memory->repeats = span->repeats;
    return true;
}

bool incore_chip_visit(struct bench_visit *run, const struct incore_case *this_case,
                       struct measure_visit *visit, struct error *err)
{
    struct incore_session *session = run->session->state;
    struct chip chip = {.run = run,
                        .session = session,
                        .this_case = this_case,
                        .program = incore_program(session, this_case, err),
                        .memory = *run->memory};
    struct measure_span span;
    if (!chip.program)
        return false;
    uint32_t cores = session->bench->limits.cores ? session->bench->limits.cores : CORES_UNKNOWN;
    unsigned threads = gpu_program_kernel(chip.program)->workgroup[0];
    chip.groups = GROUPS_A_CORE * (INCORE_THREADS / threads) * cores;
    if (!chip.memory)
        chip.memory = ARENA_NEW(run->session->arena, struct memory);
    if (!run_sized(&chip, &span, err))
        return false;
    *run->memory = chip.memory;
    report(&chip, &span, visit);
    return true;
}
