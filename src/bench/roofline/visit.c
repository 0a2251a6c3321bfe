// SPDX-License-Identifier: MIT
#include "bench/roofline/session.h"
#include "measure/claim.h"
#include "measure/unit.h"

#include <math.h>

enum {
    METRIC_RATE,
    METRIC_BANDWIDTH,
    METRIC_ENERGY_OP,
    METRIC_ENERGY_BYTE,
    METRIC_DRAWN
};

enum {
    REPEATS_MAX = 4096,
    ENERGY_VISITS_MAX = 3 // maximum number of visits of a case that measure energy
};

// Above this intensity, a CPU reads only a part of the buffer, to save time.
static const double cpu_intensity = 16;

// Intended length in ns of each submission while energy is measured.
static const double burst_ns = 5e6;

// Data of a case that the session keeps from one visit to the next.
struct memory {
    uint64_t repeats;
    struct roofline_sums sums;
    unsigned energy_visits; // number of visits that measured energy, or tried to
};

struct params {
#define MEMBER(name) uint32_t name;
    ROOFLINE_PARAMS(MEMBER)
#undef MEMBER
};

struct work {
    struct roofline_session *session;
    const struct roofline_case *this_case;
    struct gpu_program *program;
    uint64_t steps;
    uint32_t grid[2]; // numbers of workgroups in x and y
    uint64_t bytes;
};

// ---------------------------------------------------------------- one reading of the memory

// Chooses the grid of a dispatch. Each row reads whole periods of the data. All rows together read
// the buffer, except perhaps a remainder. On a CPU above cpu_intensity, they read only a part of
// it.
static void set_grid(struct work *work)
{
    const struct gpu_info *info = work->session->bench->info;
    const uint32_t group_bytes = work->session->blocks * ROOFLINE_BLOCK_BYTES,
                   period = ROOFLINE_PERIOD * 16 / group_bytes;
    double bytes = (double)work->session->bytes;
    if (info->kind == GPU_KIND_CPU && work->this_case->intensity > cpu_intensity)
        bytes *= cpu_intensity / work->this_case->intensity;
    uint64_t groups = (uint64_t)bytes / group_bytes, most = info->limits.workgroup_count_x;
    uint64_t rows = groups && most ? (groups + most - 1) / most : 1;
    uint64_t row = groups / rows / period * period;
    work->grid[0] = (uint32_t)(row ? row : period);
    work->grid[1] = (uint32_t)rows;
    work->bytes = (uint64_t)work->grid[0] * work->grid[1] * group_bytes;
}

static void record(void *context, struct gpu_batch *batch, uint64_t repeats)
{
    const struct work *work = context;
    const struct roofline_session *session = work->session;
    uint64_t steps = work->steps / work->this_case->number->chains;
    uint64_t constant = fma_chain_constant(work->this_case->number->number);
    const struct params params = {
        .longs = (uint32_t)(steps / ROOFLINE_LONG),
        .shorts = (uint32_t)(steps % ROOFLINE_LONG / ROOFLINE_SHORT),
        .singles = (uint32_t)(steps % ROOFLINE_SHORT),
        .partial = (uint32_t)(work->steps % work->this_case->number->chains),
        .row = work->grid[0],
        .low = (uint32_t)constant,
        .high = (uint32_t)(constant >> 32),
    };
    const struct gpu_dispatch dispatch = {
        .program = work->program,
        .groups = {work->grid[0], work->grid[1]},
        .args = {{.buffer = session->source, .bytes = work->bytes}, {.buffer = session->words}},
        .params = &params,
        .params_bytes = sizeof params,
    };
    for (uint64_t i = 0; i < repeats; i++)
        gpu_batch_dispatch(batch, &dispatch);
}

// Checks the sum of all results. Sets *separate to true if every fma rounded twice.
static bool verify(const struct work *work, const struct memory *memory,
                   const struct measure_ran *ran, bool *separate, struct error *err)
{
    struct measure_words words;
    uint64_t groups = (uint64_t)work->grid[0] * work->grid[1], units;
    if (!measure_words_read(work->session->words, &words, err) ||
        !measure_unit_counted(words.count, groups, ran, &units, err))
        return false;
    const uint32_t fused = (uint32_t)units * memory->sums.fused,
                   rounded = (uint32_t)units * memory->sums.rounded;
    *separate = words.sum == rounded && words.sum != fused;
    return words.sum == fused || *separate ||
           error_set(err, ERROR_MISMATCH, "the sum of all results is %08x, not %08x", words.sum,
                     fused);
}

// ---------------------------------------------------------------- energy

// Measures the energy of a dispatch, in at most ENERGY_VISITS_MAX visits of a case. Without a
// measurement, result->unit_j is NaN.
static bool take_energy(struct work *work, const struct bench_visit *run, double unit_ns,
                        struct measure_energy_result *result, struct error *err)
{
    struct memory *memory = *run->memory;
    *result = (struct measure_energy_result){.unit_j = NAN};
    if (!run->request->lacks_metric || memory->energy_visits == ENERGY_VISITS_MAX ||
        !work->session->energy || !(work->this_case->energy_s > 0))
        return true;
    memory->energy_visits++;
    const struct measure_energy_desc desc = {
        .energy = work->session->energy,
        .scope = run->scope,
        .record = record,
        .context = work,
        .repeats = (uint64_t)fmin(fmax(ceil(burst_ns / unit_ns), 1), REPEATS_MAX),
        .unordered = (work->session->bench->info->caps & GPU_CAP(UNORDERED)) != 0,
        .length_ns = (uint64_t)(work->this_case->energy_s * 1e9),
        .timeout_ns = run->request->timeout_ns};
    return measure_energy_run(&desc, result, err);
}

static void report_energy(const struct work *work, const struct measure_energy_result *energy,
                          struct measure_visit *visit)
{
    if (!isfinite(energy->unit_j))
        return;
    double byte_j = energy->unit_j / (double)work->bytes,
           op_j = byte_j / work->this_case->intensity;
    visit_samples(visit, METRIC_ENERGY_OP, &op_j, 1, 0);
    visit_samples(visit, METRIC_ENERGY_BYTE, &byte_j, 1, 0);
    visit_samples(visit, METRIC_DRAWN, &energy->watts, 1, 0);
    visit_sensor(visit, "power", UNIT_WATT, energy->watts);
    if (isfinite(energy->half)) {
        visit_half(visit, METRIC_ENERGY_OP, op_j * energy->half);
        visit_half(visit, METRIC_ENERGY_BYTE, byte_j * energy->half);
        visit_half(visit, METRIC_DRAWN, energy->watts * energy->half);
    }
    visit_detail(visit, "energy", "the card's counter changed %u times in %.2f s", energy->changes,
                 energy->length_ns / 1e9);
}

// ---------------------------------------------------------------- the numbers

// Returns the claim of one dispatch: the bytes that it reads, and the number of its fma results.
static struct measure_claim claim_of(const struct work *work)
{
    static const enum measure_class classes[] = {
        [FMA_F32] = MEASURE_FP32, [FMA_F64] = MEASURE_FP64, [FMA_F16X2] = MEASURE_FP16};
    struct measure_claim claim = {.read_bytes[MEASURE_DRAM] = (double)work->bytes,
                                  .cores = work->session->bench->limits.cores};
    claim.results[classes[work->this_case->number->number]] =
        (double)work->bytes * work->this_case->intensity / 2;
    return claim;
}

static void report(const struct work *work, const struct measure_span *span, bool separate,
                   struct measure_visit *visit)
{
    const struct measure_claim claim = claim_of(work);
    const struct measure_account account = {&claim, &work->session->bench->limits, span, visit};
    double bytes = (double)work->bytes;
    measure_claim_report(&account, METRIC_RATE, MEASURE_PER_SECOND,
                         bytes * work->this_case->intensity);
    measure_claim_report(&account, METRIC_BANDWIDTH, MEASURE_PER_SECOND, bytes);
    measure_claim_memory(visit, account.limits, work->bytes);
    measure_span_note(span, visit);
    visit_detail(visit, "shape",
                 "%u workgroups of %d threads, %u times %d bytes and %llu steps each",
                 work->grid[0] * work->grid[1], ROOFLINE_THREADS, work->session->blocks,
                 ROOFLINE_THREAD_BYTES, (unsigned long long)work->steps);
    visit_detail(visit, "work", "%llu bytes, %llu times", (unsigned long long)work->bytes,
                 (unsigned long long)span->repeats);
    if (separate)
        visit_detail(visit, "fma", "each fma rounds twice: its product and its sum");
    visit->kernel = *measure_program_info(&work->session->bench->programs, work->program);
}

bool roofline_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct roofline_session *session = run->session->state;
    struct roofline_case this_case;
    roofline_case_read(run->bench_case, &this_case);
    struct work work = {
        .session = session, .this_case = &this_case, .steps = roofline_steps(&this_case)};
    struct memory *memory = *run->memory;
    bool separate = false;
    work.program = roofline_prepare(session, this_case.number, err);
    if (!work.program)
        return false;
    set_grid(&work);
    if (!memory) {
        memory = ARENA_NEW(run->session->arena, struct memory);
        memory->sums = roofline_expect(this_case.number, work.steps, work.bytes);
        *run->memory = memory;
    }
    struct measure_span_desc desc = bench_span_desc(run, record, &work);
    desc.unordered = (run->session->info->caps & GPU_CAP(UNORDERED)) != 0;
    desc.repeats = memory->repeats;
    struct measure_span span;
    struct measure_energy_result energy;
    if (!measure_words_clear(session->words, err) ||
        !measure_span_run(run->arena, &desc, &span, err) ||
        !take_energy(&work, run, measure_median(run->arena, span.unit_ns, span.count), &energy,
                     err))
        return false;
    struct measure_ran ran = span.ran;
    ran.units += energy.ran_units;
    if (!verify(&work, memory, &ran, &separate, err))
        return false;
    run->session->warm = true;
    memory->repeats = span.repeats;
    report(&work, &span, separate, visit);
    report_energy(&work, &energy, visit);
    return true;
}
