// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "bench/occupancy/session.h"
#include "measure/unit.h"

#include <math.h>
#include <string.h>

enum {
    METRIC_WORKGROUPS,
    METRIC_SUBGROUPS,
    METRIC_THREADS,
    METRIC_CHIP,
    METRIC_REGISTERS
};

enum {
    ITERATIONS = 4,
    // A thread reads the words of shared memory that are this many places behind the words that it
    // wrote. If there are enough threads, other threads wrote the words that it reads.
    SHIFT = 61,
    POLLS = 1 << 20,
    // The first run assumes that at most this many workgroups fit on a core, and starts twice as
    // many.
    GROUPS_A_CORE = 32,
    GROUPS_ELSE = 256, // number of workgroups in the first run if the number of cores is unknown
    GROUPS_MAX = 1 << 16,
    TRIES = 8,
    WAVES = 3, // a run needs at most 3 times the workgroups that the chip holds at once
};
static const double hold_ns = 100e3, hold_most_ns = 2e6;

// Data of one case that the session keeps from the first visit of the case on.
struct memory {
    struct gpu_program *program;
    struct kernel_info kernel;
    uint32_t groups;
    double hold_ns;
};

struct work {
    struct bench_visit *run;
    struct occupancy_session *session;
    struct occupancy_case this_case;
    struct memory *memory;
    struct occupancy_params params; // parameters of the last run
    struct gpu_buffer *results, *records;
    struct occupancy_tally tally;
    uint64_t took_ns;
};

// ---------------------------------------------------------------- one run

static bool read_stays(struct work *work, struct occupancy_stay *stays, struct error *err)
{
    uint32_t groups = work->memory->groups;
    size_t bytes = (size_t)groups * OCCUPANCY_RECORD_WORDS * sizeof(uint32_t);
    uint32_t *records = arena_alloc(work->run->arena, bytes);
    if (!gpu_buffer_read(work->records, 0, records, bytes, err))
        return false;
    for (uint32_t g = 0; g < groups; g++)
        if (records[(size_t)g * OCCUPANCY_RECORD_WORDS + OCCUPANCY_RECORD_TOKEN] !=
            work->params.token + g)
            return error_set(err, ERROR_MISMATCH, "workgroup %u of %u left no record", g, groups);
    occupancy_stays_of(&work->run->session->clock, records, groups, stays);
    return true;
}

static bool run_once(struct work *work, struct error *err)
{
    const struct gpu_info *info = work->session->bench->info;
    uint64_t loops = info->limits.loop_iterations;
    work->params = (struct occupancy_params){
        .token = ++work->session->runs * GROUPS_MAX,
        .hold = (uint32_t)(work->memory->hold_ns / work->run->session->clock.device_tick_ns),
        .polls = loops && loops / 2 < POLLS ? (uint32_t)loops / 2 : POLLS,
        .turns = ITERATIONS,
        .shared_words = (uint32_t)(work->this_case.shared_bytes / 4),
        .shift = SHIFT};
    const struct gpu_dispatch dispatch = {.program = work->memory->program,
                                          .groups = {work->memory->groups},
                                          .args = {{.buffer = work->session->data},
                                                   {.buffer = work->results},
                                                   {.buffer = work->records}},
                                          .params = &work->params,
                                          .params_bytes = sizeof work->params};
    uint64_t start_ns = clock_now_ns();
    bool done = measure_unit_run(work->session->bench->device, &dispatch,
                                 work->run->request->timeout_ns, err);
    work->took_ns += clock_now_ns() - start_ns;
    if (!done)
        return false;
    struct arena_mark mark = arena_mark(work->run->arena);
    struct occupancy_stay *stays =
        ARENA_ARRAY(work->run->arena, work->memory->groups, struct occupancy_stay);
    done = read_stays(work, stays, err);
    if (done)
        work->tally = occupancy_tally_of(work->run->arena, stays, work->memory->groups);
    arena_rewind(work->run->arena, mark);
    return done;
}

// Compares the word that each thread wrote in the last run with the expected word.
static bool verify(struct work *work, struct error *err)
{
    uint32_t threads = work->this_case.threads, groups = work->memory->groups;
    uint32_t *expected = ARENA_ARRAY(work->run->arena, threads, uint32_t);
    size_t bytes = (size_t)groups * threads * sizeof(uint32_t);
    uint32_t *results = arena_alloc(work->run->arena, bytes);
    occupancy_expect(work->session, &work->this_case, &work->params, expected);
    if (!gpu_buffer_read(work->results, 0, results, bytes, err))
        return false;
    for (uint32_t g = 0; g < groups; g++)
        for (uint32_t t = 0; t < threads; t++)
            if (results[(size_t)g * threads + t] != expected[t])
                return error_set(err, ERROR_MISMATCH,
                                 "thread %u of workgroup %u has %08x, not %08x: its values were "
                                 "not kept",
                                 t, g, results[(size_t)g * threads + t], expected[t]);
    return true;
}

// ---------------------------------------------------------------- sizing

static bool make_buffers(struct work *work, struct error *err)
{
    uint64_t groups = work->memory->groups;
    const struct gpu_buffer_desc results = {.bytes = groups * work->this_case.threads * 4},
                                 records = {.bytes = groups * OCCUPANCY_RECORD_WORDS * 4};
    work->results = gpu_buffer_create(work->run->scope, &results, err);
    work->records = work->results ? gpu_buffer_create(work->run->scope, &records, err) : NULL;
    return work->records != NULL;
}

// Returns the maximum number of workgroups: at most GROUPS_MAX, and not more than a dispatch on
// this device, or a buffer with a word for each thread, can have.
static uint64_t most_groups(const struct work *work)
{
    const struct gpu_limits *limits = &work->session->bench->info->limits;
    const uint64_t group_bytes = (uint64_t)work->this_case.threads * sizeof(uint32_t);
    uint64_t most = measure_limits_buffer(limits, GROUPS_MAX * group_bytes, 0) / group_bytes;
    return limits->workgroup_count_x && limits->workgroup_count_x < most ? limits->workgroup_count_x
                                                                         : most;
}

static uint32_t first_groups(const struct work *work)
{
    const struct gpu_limits *limits = &work->session->bench->info->limits;
    uint64_t fit = limits->core_threads / work->this_case.threads, most = most_groups(work);
    uint64_t groups = limits->cores * (fit && fit < GROUPS_A_CORE ? fit : GROUPS_A_CORE) * 2;
    if (!limits->cores)
        groups = GROUPS_ELSE;
    return (uint32_t)(groups < most ? groups : most);
}

static bool is_slow(const struct work *work)
{
    return work->tally.fill_ns > work->memory->hold_ns / 2;
}

// Chooses the number of workgroups and the time that each stays (hold_ns), in at most TRIES runs.
// Doubles the number until the fullest core gets another workgroup after it was full. Doubles
// hold_ns until this core fills within half of it. At last, lowers the number to WAVES times the
// workgroups that the chip held at once.
static bool size_run(struct work *work, struct error *err)
{
    struct memory *memory = work->memory;
    for (int i = 0; i < TRIES; i++) {
        if (!make_buffers(work, err) || !run_once(work, err))
            return false;
        if (i == TRIES - 1)
            break; // the buffers are made for this number of workgroups
        if (!work->tally.refilled && memory->groups <= most_groups(work) / 2)
            memory->groups *= 2;
        else if (is_slow(work) && memory->hold_ns * 2 <= hold_most_ns)
            memory->hold_ns *= 2;
        else
            break;
    }
    uint32_t enough = WAVES * work->tally.chip;
    if (work->tally.refilled && enough < memory->groups)
        memory->groups = enough;
    return true;
}

// Makes the buffers. At the case's first visit, also finds the program, and sizes the run.
static bool recall(struct work *work, struct error *err)
{
    work->memory = *work->run->memory;
    if (work->memory)
        return make_buffers(work, err);
    struct memory *memory = ARENA_NEW(work->run->session->arena, struct memory);
    work->memory = memory;
    memory->program = occupancy_program(work->session, &work->this_case, err);
    memory->groups = first_groups(work);
    memory->hold_ns = hold_ns;
    if (!memory->program || !size_run(work, err))
        return false;
    memory->kernel = *measure_program_info(&work->run->session->programs, memory->program);
    *work->run->memory = memory;
    return true;
}

// ---------------------------------------------------------------- the numbers

// Returns the maximum number of workgroups on a core that the driver's limits allow; NaN if the
// limits are not known or allow no workgroup. Fewer workgroups may fit, because a core may allocate
// registers and shared memory in larger units, or limit workgroups itself.
static double limit_of(const struct work *work)
{
    const struct gpu_limits *limits = &work->session->bench->info->limits;
    const struct occupancy_case *this_case = &work->this_case;
    double registers = work->memory->kernel.registers * this_case->threads, most = INFINITY;
    if (limits->core_threads)
        most = fmin(most, (double)limits->core_threads / this_case->threads);
    if (limits->core_shared_bytes && this_case->shared_bytes)
        most = fmin(most, (double)limits->core_shared_bytes / (double)this_case->shared_bytes);
    if (limits->core_registers && registers > 0)
        most = fmin(most, (double)limits->core_registers / registers);
    return isfinite(most) && most >= 1 ? floor(most) : NAN;
}

// Adds samples of a metric: workgroups × `factor`. `most` is the limit of the workgroups; NaN if it
// is unknown.
static void put(struct measure_visit *visit, unsigned metric, const double *workgroups,
                unsigned count, double factor, double most)
{
    double *values = ARENA_ARRAY(visit->arena, count, double);
    for (unsigned i = 0; i < count; i++)
        values[i] = workgroups[i] * factor;
    visit_samples(visit, metric, values, count, 0);
    visit_limit(visit, metric, most * factor);
}

static void flag(const struct work *work, struct measure_visit *visit)
{
    const struct memory *memory = work->memory;
    if (!work->tally.refilled)
        visit_flag(
            visit, "never-full",
            "no workgroup had to wait for another: %u workgroups were too few to fill a core",
            memory->groups);
    else if (is_slow(work))
        visit_flag(visit, "slow-start",
                   "a core took %.0f us to fill, and workgroups stayed only %.0f us: more may fit",
                   work->tally.fill_ns / 1e3, memory->hold_ns / 1e3);
    if (memory->kernel.registers < work->this_case.values && !(memory->kernel.spill_bytes > 0))
        visit_flag(visit, "few-registers",
                   "the driver reports %g registers, but each thread keeps %u values",
                   memory->kernel.registers, work->this_case.values);
}

struct samples {
    // Workgroups at once in each dispatch, on the fullest core and on the whole chip. If kernels
    // cannot read their core's number, core[i] is chip[i] / the number of cores.
    double *core, *chip;
    unsigned count;
};

static void describe(const struct work *work, bool by_id, struct measure_visit *visit)
{
    const struct occupancy_tally *tally = &work->tally;
    if (by_id)
        visit_detail(visit, "cores", "%u had workgroups, %u of them %u at once, none fewer than %u",
                     tally->cores, tally->fullest, tally->most, tally->least);
    else
        visit_detail(
            visit, "cores",
            "kernels cannot read the core's id: workgroups of the whole chip divided by its cores");
    visit_detail(visit, "shape", "%u workgroups of %u threads that stay %.0f us",
                 work->memory->groups, work->this_case.threads, work->memory->hold_ns / 1e3);
    if (work->memory->kernel.spill_bytes > 0)
        visit_detail(visit, "spilled", "%g bytes a thread: not all values were in registers",
                     work->memory->kernel.spill_bytes);
}

static void report(const struct work *work, const struct samples *samples,
                   struct measure_visit *visit)
{
    const struct gpu_info *info = work->session->bench->info;
    const struct occupancy_case *this_case = &work->this_case;
    bool by_id = info->caps & GPU_CAP(CORE_ID);
    double most = limit_of(work), registers = work->memory->kernel.registers;
    if (by_id || info->limits.cores) {
        put(visit, METRIC_WORKGROUPS, samples->core, samples->count, 1, most);
        put(visit, METRIC_THREADS, samples->core, samples->count, this_case->threads, most);
        if (this_case->subgroup)
            put(visit, METRIC_SUBGROUPS, samples->core, samples->count,
                ceil((double)this_case->threads / this_case->subgroup), most);
    }
    put(visit, METRIC_CHIP, samples->chip, samples->count, 1, NAN);
    if (isfinite(registers))
        visit_samples(visit, METRIC_REGISTERS, &registers, 1, 0);
    describe(work, by_id, visit);
    visit->kernel = work->memory->kernel;
    visit->device_time_ns += work->took_ns;
}

bool occupancy_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct work work = {.run = run, .session = run->session->state};
    occupancy_case_read(run->bench_case, &work.this_case);
    const struct gpu_info *info = run->session->info;
    struct samples samples = {.count = run->request->samples ? run->request->samples : 1};
    samples.core = ARENA_ARRAY(run->arena, samples.count, double);
    samples.chip = ARENA_ARRAY(run->arena, samples.count, double);
    if (!recall(&work, err))
        return false;
    for (unsigned i = 0; i < samples.count; i++) {
        if (!run_once(&work, err))
            return false;
        samples.chip[i] = work.tally.chip;
        samples.core[i] = info->caps & GPU_CAP(CORE_ID)
                              ? work.tally.most
                              : (double)work.tally.chip / (double)info->limits.cores;
    }
    if (!verify(&work, err))
        return false;
    flag(&work, visit);
    report(&work, &samples, visit);
    return true;
}
