// SPDX-License-Identifier: MIT
// Measures operations on all cores of the chip at the same time.
#include "bench/incore/session.h"
#include "measure/unit.h"

#include <math.h>
#include <stdio.h>

enum {
    // Number of workgroups of INCORE_THREADS threads per core; more if workgroups are smaller. With
    // 2 per core, all cores end at the same time, whether a core runs both workgroups together or
    // one after the other.
    GROUPS_A_CORE = 2,
    CORES_UNKNOWN = 256, // number of cores to assume if the device does not report it
    SIZING_ITERATIONS = 4,
    SIZINGS_MAX = 64,
    SIZING_TRIES = 2,
    // Except for matrix units, samples last 3 times as long as requested, because each dispatch
    // adds 7 to 14 µs.
    SAMPLE_FACTOR = 3
};
static const double warm_ns = 15e6; // after 15 ms of work, the core clock has risen
// The core clock is still rising if a dispatch needs less time per iteration than the fastest
// dispatch before it, by more than this share.
static const double still_rising = 0.01;

// Data of one case that the session keeps from round to round.
struct memory {
    uint32_t iterations;
    uint64_t repeats; // dispatches in a sample
    // The values against which a kernel checks its results (a "proof", incore_kind_fill): the
    // constants, and the first and the last value of each chain.
    uint32_t words[2 * INCORE_SLOTS];
};

struct chip {
    struct bench_visit *run;
    struct incore_session *session;
    const struct incore_case *this_case;
    struct gpu_program *program;
    struct memory *memory;
    uint32_t groups;
    bool separate; // true: the device rounded an fma twice (incore_proven)
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

// If `fetch` is false, copies the expected values (the proof) to the device. If `fetch` is true,
// copies the proof back to the host, with the kernels' counts of wrong results.
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

// Returns the wanted length of a sample in ns: SAMPLE_FACTOR times the requested length. For matrix
// units, it returns the requested length itself, because longer samples bring a card to its power
// limit, which slows down the following cases.
static double wanted_ns(const struct chip *chip)
{
    double sample_ns = (double)chip->run->request->sample_ns;
    return chip->this_case->kind->number == INCORE_TILE ? sample_ns : SAMPLE_FACTOR * sample_ns;
}

// Returns the maximum number of iterations of a dispatch: one less than the device's limit for a
// loop, or 2^24 if the device has no limit. The maximum is also 8 iterations per ns of the wanted
// sample, because no processor begins more. Without this maximum, the host would compute far too
// many expected values for a broken device that takes almost no time.
static double iterations_most(const struct chip *chip)
{
    uint64_t loops = chip->session->bench->info->limits.loop_iterations;
    return fmin(loops ? (double)loops - 1 : 1 << 24, 8 * wanted_ns(chip));
}

// Chooses the number of iterations so that one dispatch lasts as long as a sample. For this, it
// runs dispatches until the core clock has risen: an idle chip can run at a sixth of its full
// clock.
static bool size(struct chip *chip, struct error *err)
{
    double most = iterations_most(chip), wanted = wanted_ns(chip), iterations = SIZING_ITERATIONS;
    double spent = chip->session->awake ? warm_ns : 0, ns, best = INFINITY;
    // number of dispatches since the last one that was clearly faster than all dispatches before it
    unsigned calm = 0;
    const struct measure_span_desc desc = bench_span_desc(chip->run, record, chip);
    set_iterations(chip, SIZING_ITERATIONS);
    if (!move_proof(chip, false, err))
        return false;
    for (unsigned i = 0; i < SIZINGS_MAX && (calm < 2 || spent < warm_ns); i++) {
        chip->memory->iterations = (uint32_t)iterations; // the results are not checked here
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
    return measure_unit_counted(proven.groups, chip->groups, span->repeats * span->count,
                                &dispatches, err);
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
    // The theoretical limit of the throughput is computed from the core clock. If the counter that
    // kernels read counts another clock, the core clock is not known, and no limit is reported.
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
    desc.warm = true; // one warm-up run is enough, because earlier runs have warmed the device
    desc.repeats = chip->memory->repeats;
    return move_proof(chip, false, err) && measure_span_run(chip->run->arena, &desc, span, err) &&
           move_proof(chip, true, err) && verify(chip, span, err);
}

// Takes the samples of a visit. Repeats this, at most SIZING_TRIES times, until a sample lasts at
// least half of wanted_ns() or a dispatch has iterations_most() iterations.
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
