// SPDX-License-Identifier: MIT
#include "bench/stream/session.h"
#include "measure/unit.h"

#include <math.h>
#include <stddef.h>

enum {
    METRIC_BANDWIDTH
};

enum {
    SIZE_RUNS = 2,
    SPEED_RUNS = 3
};
// Wanted maximum length of a dispatch in ns. Drivers' watchdogs end dispatches of 2 s or more.
static const double dispatch_ns_max = 250e6;

// Data of a case that the session keeps from one visit to the next.
struct memory {
    struct stream_shape shape;
    uint64_t passes, repeats;
    uint32_t sum; // sum that one pass of a reading operation should find
    // Bandwidths in B/s of the shapes tried, "128x1: 4.61e12; …"; NULL if none were compared.
    char *tried;
};

// A case that is measured with one shape.
struct trial {
    struct bench_visit *run;
    struct stream_session *session;
    const struct stream_case *this_case;
    struct stream_shape shape;
    struct stream_work work;
    struct gpu_program *program;
    // buffer with a struct stream_place of each workgroup; NULL if workgroups record none
    struct gpu_buffer *places;
    struct measure_span_desc desc; // how the trial is timed; its unit of work is one dispatch
};

// ---------------------------------------------------------------- the work

// Returns a text like "256x8" for workgroups of 256 threads with 8 vectors in flight each. If a
// workgroup takes several steps, returns a text like "256x8, 4 steps".
static const char *shape_name(const struct trial *trial)
{
    const struct stream_shape *shape = &trial->shape;
    return arena_printf(trial->run->arena, shape->steps > 1 ? "%ux%u, %u steps" : "%ux%u",
                        shape->threads, shape->loads, shape->steps);
}

static const char *kernel_name(const struct trial *trial)
{
    const struct stream_case *this_case = trial->this_case;
    if (trial->shape.single)
        return arena_printf(trial->run->arena, "stream_single_%s_%u",
                            this_case->doubles ? "double" : "float", trial->shape.threads);
    if (trial->shape.core_groups)
        return arena_printf(trial->run->arena, "stream_%s_%s_%u",
                            trial->shape.placed ? "placed" : "stay", this_case->op->name,
                            trial->shape.threads);
    return arena_printf(trial->run->arena, "stream_once_%s_%s_%ux%u", this_case->op->name,
                        this_case->doubles ? "double" : "float", trial->shape.threads,
                        trial->shape.loads);
}

// Finds the program, sizes the work for `passes` passes, and makes a buffer for records.
static bool prepare(struct trial *trial, uint64_t passes, struct error *err)
{
    const struct gpu_program_desc choices = {.l1_percent = trial->shape.single ? 1 : 0,
                                             .shared_bytes = trial->shape.reserved_bytes};
    trial->program =
        measure_program(&trial->run->session->programs, kernel_name(trial), &choices, err);
    if (!trial->program)
        return false;
    stream_work_make(trial->this_case, &trial->shape, trial->run->session->info,
                     trial->run->session->limits.cores, passes, &trial->work);
    // init writes another value in each round, so that old values do not pass the check.
    trial->work.params.value = 0.625f + 0.0625f * (float)(trial->run->request->round % 64);
    if (!trial->shape.placed || trial->places)
        return true;
    trial->places =
        bench_buffer(trial->run->scope, sizeof(struct stream_place) * trial->work.params.groups,
                     GPU_MEMORY_DEVICE, err);
    return trial->places != NULL;
}

// Records `repeats` dispatches of the same work, as a measure_record (measure/span.h).
static void record(void *context, struct gpu_batch *batch, uint64_t repeats)
{
    const struct trial *trial = context;
    const struct stream_session *session = trial->session;
    const struct stream_op *op = trial->this_case->op;
    const bool used[STREAM_ARRAY_COUNT] = {op->reads > 0, op->reads > 1, op->writes > 0};
    struct gpu_dispatch dispatch = {
        .program = trial->program,
        .groups = {trial->work.grid[0], trial->work.grid[1], trial->work.grid[2]},
        .params = &trial->work.params,
        .params_bytes =
            trial->shape.single ? sizeof trial->work.params : offsetof(struct stream_params, op),
    };
    // APIs need a valid buffer for every argument, also for arguments that the kernel does not use.
    for (int i = 0; i < STREAM_ARRAY_COUNT; i++)
        dispatch.args[i].buffer = used[i] ? session->arrays[i].buffer : session->words;
    dispatch.args[STREAM_ARRAY_COUNT].buffer = session->words;
    if (!trial->shape.single)
        dispatch.args[STREAM_ARRAY_COUNT + 1].buffer =
            trial->places ? trial->places : session->words;
    for (uint64_t i = 0; i < repeats; i++)
        gpu_batch_dispatch(batch, &dispatch);
}

// Chooses the number of passes of a dispatch: as many passes as fill a sample, but at most as many
// as fit in dispatch_ns_max.
static bool size_work(struct trial *trial, struct error *err)
{
    double ns, wanted_ns = (double)trial->run->request->sample_ns;
    if (!prepare(trial, 1, err) || !measure_unit_time(&trial->desc, SIZE_RUNS, &ns, err))
        return false;
    double passes = ceil(fmin(wanted_ns, dispatch_ns_max) / fmax(ns, 1));
    return prepare(trial, (uint64_t)fmin(passes, STREAM_PASSES_MAX), err);
}

// ---------------------------------------------------------------- the shape

// Times the operation with each shape, and stores the fastest shape in `memory`.
static bool search(struct trial *trial, const struct stream_shape *shapes, size_t count,
                   struct memory *memory, struct error *err)
{
    const char *tried = "";
    double best = 0;
    uint64_t passes[STREAM_SHAPES_MAX];
    // All shapes are sized before they are compared, so that the core clock has risen.
    for (size_t i = 0; i < count; i++) {
        trial->shape = shapes[i];
        if (!size_work(trial, err))
            return false;
        passes[i] = trial->work.passes;
    }
    for (size_t i = 0; i < count; i++) {
        double ns;
        trial->shape = shapes[i];
        if (!prepare(trial, passes[i], err) ||
            !measure_unit_time(&trial->desc, SPEED_RUNS, &ns, err))
            return false;
        double speed = (double)trial->work.moved_bytes * 1e9 / fmax(ns, 1);
        tried = arena_printf(trial->run->arena, "%s%s%s: %.4g", tried, *tried ? "; " : "",
                             shape_name(trial), speed);
        if (speed > best) {
            best = speed;
            memory->shape = shapes[i];
            memory->passes = passes[i];
        }
    }
    memory->tried = arena_strdup(trial->run->session->arena, tried);
    return true;
}

static bool choose_shape(struct trial *trial, struct memory *memory, struct error *err)
{
    const struct gpu_info *info = trial->run->session->info;
    struct stream_shape shapes[STREAM_SHAPES_MAX];
    size_t count = 1;
    if (trial->this_case->kernel == STREAM_OCCUPANCY) {
        if (!stream_resident_shape(trial->this_case, info, trial->run->session->limits.cores,
                                   &shapes[0], err))
            return false;
    } else if (trial->this_case->kernel == STREAM_SINGLE) {
        if (!stream_single_shape(trial->this_case, info, &shapes[0], err))
            return false;
    } else {
        count = stream_shapes(trial->this_case, info, shapes);
        if (count > 1 && trial->this_case->best)
            return search(trial, shapes, count, memory, err);
    }
    if (count == 0)
        return error_set(err, ERROR_UNSUPPORTED, "no kernel fits this device's limits");
    trial->shape = memory->shape = shapes[0];
    if (!size_work(trial, err))
        return false;
    memory->passes = trial->work.passes;
    return true;
}

// ---------------------------------------------------------------- the proof

// Checks that no dispatch was lost, and that the dispatches wrote the right target or found the
// right sum.
static bool verify(struct trial *trial, const struct memory *memory,
                   const struct measure_span *span, struct error *err)
{
    struct measure_words words;
    const struct stream_work *work = &trial->work;
    bool writes = trial->this_case->op->writes > 0;
    // In each layer of the grid, every workgroup of a reading operation adds 1 to words.count at
    // its end. In a writing operation, only the last workgroup adds 1, even if it loops over
    // several passes.
    uint64_t counted = (uint64_t)work->grid[2] * (writes ? 1 : work->params.groups), dispatches;
    if (!measure_words_read(trial->session->words, &words, err) ||
        !measure_unit_counted(words.count, counted, &span->ran, &dispatches, err))
        return false;
    if (writes)
        return stream_arrays_check(trial->session, trial->this_case, work->params.value, err);
    uint32_t expected = (uint32_t)(dispatches * work->passes * memory->sum);
    return words.sum == expected ||
           error_set(err, ERROR_MISMATCH, "the sum of what was read is %08x, not %08x", words.sum,
                     expected);
}

// ---------------------------------------------------------------- residency

static bool report_residency(struct trial *trial, struct measure_visit *visit, struct error *err)
{
    uint32_t groups = trial->work.params.groups;
    struct stream_residency found;
    if (!trial->shape.placed) {
        visit_detail(visit, "resident", "not known: kernels cannot read the core's id and a clock");
        if (!trial->run->session->info->limits.core_threads)
            visit_flag(
                visit, "not-resident",
                "the workgroups may not have run at the same time, %u on each core: this API "
                "does not tell how many threads a core holds",
                trial->shape.core_groups);
        return true;
    }
    struct stream_place *places = ARENA_ARRAY(trial->run->arena, groups, struct stream_place);
    if (!gpu_buffer_read(trial->places, 0, places, sizeof *places * groups, err))
        return false;
    stream_residency_judge(trial->run->arena, places, groups, trial->shape.core_groups, &found);
    visit_detail(visit, "resident", "%u cores, %u of them with other than %u workgroups; %s",
                 found.cores, found.uneven, trial->shape.core_groups,
                 found.at_once ? "all began before the first ended"
                               : "some began after others had ended");
    if (found.uneven || !found.at_once || found.cores != trial->run->session->limits.cores)
        visit_flag(visit, "not-resident",
                   "the workgroups did not all run at the same time, %u on each of %u cores",
                   trial->shape.core_groups, trial->run->session->limits.cores);
    return true;
}

// ---------------------------------------------------------------- the visit

// Returns the hardware counts that the claim predicts. On NVIDIA, a workgroup of a stencil begins
// within a sector, so it reads one sector more.
static struct measure_count_claims counts_of(const struct trial *trial,
                                             const struct measure_claim *claim)
{
    static const double sector_bytes = 32; // bytes of a sector on NVIDIA
    const struct gpu_info *info = trial->run->session->info;
    struct measure_count_claims counts = measure_claim_counts(claim, info);
    if (trial->this_case->op->shift && !trial->shape.core_groups &&
        info->vendor_id == GPU_VENDOR_NVIDIA)
        counts.of[GPU_COUNTER_L2_READ] +=
            sector_bytes * trial->work.params.groups * (double)trial->work.passes;
    return counts;
}

static void report(struct trial *trial, const struct memory *memory,
                   const struct measure_span *span, struct measure_visit *visit)
{
    const struct stream_work *work = &trial->work;
    const struct stream_op *op = trial->this_case->op;
    const struct measure_limits *limits = &trial->run->session->limits;
    double array_bytes = (double)trial->this_case->bytes * (double)work->passes;
    struct measure_claim claim = {.read_bytes[MEASURE_DRAM] = op->reads * array_bytes,
                                  .written_bytes[MEASURE_DRAM] = op->writes * array_bytes,
                                  .cores = limits->cores};
    const struct measure_count_claims counts = counts_of(trial, &claim);
    claim.counts = &counts;
    measure_claim_report(&(struct measure_account){&claim, limits, span, visit}, METRIC_BANDWIDTH,
                         MEASURE_PER_SECOND, (double)work->moved_bytes);
    measure_claim_memory(visit, limits, stream_set_bytes(trial->this_case));
    measure_span_note(span, visit);
    visit_detail(visit, "shape", "%s, %u workgroups", shape_name(trial), work->params.groups);
    visit_detail(visit, "work", "%u arrays read, %u written, %llu times in a dispatch", op->reads,
                 op->writes, (unsigned long long)work->passes);
    if (memory->tried)
        visit_detail(visit, "tried", "%s", memory->tried);
    visit_kernel(visit, trial->program);
}

bool stream_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct stream_case this_case;
    struct stream_session *session = run->session->state;
    struct trial trial = {
        .run = run,
        .session = session,
        .this_case = &this_case,
        .desc = bench_span_desc(run, record, &trial),
    };
    stream_case_read(run->bench_case, &this_case);
    session->timeout_ns = run->request->timeout_ns;
    if ((this_case.doubles && !gpu_require(run->session->info, GPU_CAP(FLOAT64), err)) ||
        !stream_refuse_cached(&this_case, &run->session->limits, err) ||
        !stream_arrays_prepare(session, &this_case, err))
        return false;
    bool writes = this_case.op->writes > 0;
    struct memory *memory = *run->memory;
    if (!memory) {
        memory = ARENA_NEW(run->session->arena, struct memory);
        if (!choose_shape(&trial, memory, err) ||
            (!writes && !stream_arrays_sum(session, &this_case, &memory->shape, &memory->sum, err)))
            return false;
        *run->memory = memory;
    }
    trial.shape = memory->shape;
    if (!prepare(&trial, memory->passes, err) ||
        (writes && !stream_arrays_spoil(session, &this_case, err)) ||
        !measure_words_clear(session->words, err))
        return false;
    trial.desc.repeats = memory->repeats;
    struct measure_span span;
    run->session->warm = measure_span_run(run->arena, &trial.desc, &span, err);
    if (!run->session->warm || !verify(&trial, memory, &span, err) ||
        (trial.shape.core_groups && !report_residency(&trial, visit, err)))
        return false;
    memory->repeats = span.repeats;
    report(&trial, memory, &span, visit);
    return true;
}
