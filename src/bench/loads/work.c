// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "bench/loads/session.h"
#include "measure/unit.h"

#include <stddef.h>
#include <string.h>

enum {
    // Workgroups per core of a GPU: 8192 threads, four times as many as a core with room for 2048
    // threads runs at once.
    GROUPS_A_CORE = 32,
    GROUPS_A_PROCESSOR = 4,
    CORES_UNKNOWN = 16,
    // Percentage of a core's on-chip memory as L1 for kernels with shared memory; 100 for others.
    L1_BESIDE_SHARED = 25,
    // 1.0f; with a small index in its low bits, a float just above 1.
    ONE_BITS = 0x3f800000
};

struct proof { // this struct has the same layout as struct Proof in params.glsl
    uint32_t groups, wrong, unused[2];
    float expected[LOADS_THREADS];
};

void loads_case_read(const struct bench_case *c, struct loads_case *this_case)
{
    *this_case = (struct loads_case){
        .kind = &loads_kinds[case_choice(c, "load")],
        .pattern = (enum loads_pattern)case_choice(c, "pattern"),
        .peak = case_choice(c, "fidelity") == 0,
    };
    const struct case_value *subgroup = case_find(c, "subgroup");
    uint64_t threads = 0;
    if (subgroup && text_parse_uint(subgroup->text, &threads))
        this_case->subgroup_threads = (uint32_t)threads;
}

bool loads_open(struct bench_session *bench, struct error *err)
{
    struct loads_session *session = ARENA_NEW(bench->arena, struct loads_session);
    session->bench = bench;
    bench->state = session;
    session->sources = ARENA_ARRAY(bench->arena, loads_kind_count, struct gpu_arg);
    session->cores = bench->limits.cores ? bench->limits.cores : CORES_UNKNOWN;
    session->groups =
        session->cores * (bench->info->kind == GPU_KIND_CPU ? GROUPS_A_PROCESSOR : GROUPS_A_CORE);
    return bench_clock_probe(bench, err);
}

struct bench_session *loads_robust(struct loads_session *session, struct error *err)
{
    const struct bench_session *plain = session->bench;
    if (session->robust)
        return session->robust;
    const struct gpu_device_desc desc = {.robust = true};
    struct bench_session *robust = ARENA_NEW(plain->arena, struct bench_session);
    if (!bench_session_open(robust, plain->system, plain->info, &desc, err))
        return NULL;
    // session->robust is set first, so that loads_close closes the session if loads_open fails.
    session->robust = robust;
    if (loads_open(robust, err))
        return robust;
    loads_close(session->bench);
    return NULL;
}

void loads_close(struct bench_session *bench)
{
    struct loads_session *session = bench->state;
    if (!session || !session->robust)
        return;
    bench_session_close(session->robust);
    session->robust = NULL;
}

// ---------------------------------------------------------------- what threads must find

// Returns the sum of thread `id` in the loop without loads: the channels start at 0, 1, 2 and 3,
// and the loop adds 256 numbers to each. A number is the sum of the normalised coordinates, or a
// float just above 1.
static float control_sum(const struct loads_kind *kind, const struct loads_start *start,
                         unsigned id)
{
    double weight = 0, first = 0, sum = LOADS_A_THREAD;
    for (unsigned c = 0; c < kind->width; c++) {
        weight += 1 + 2 * c;
        first += c * (1 + 2 * c);
    }
    if (loads_traits_of(kind)->sampled) {
        double x = id % LOADS_TILE & start->keep, y = id / LOADS_TILE & start->keep;
        // On each axis, the mean of the texels' centres is the tile's start plus half a tile.
        sum *= (x + y + LOADS_TILE) / LOADS_SIDE;
    }
    return (float)(sum * weight + first);
}

static void prepare_control(struct loads_work *work, const struct loads_kind *kind,
                            float expected[LOADS_THREADS])
{
    struct loads_start start = loads_start_of(kind, LOADS_LINEAR);
    work->params = (struct loads_params){
        .mask = loads_traits_of(kind)->sampled ? 0 : ONE_BITS,
        .multiplier = start.multiplier,
        .keep = start.keep,
        // Covers the rounding of each addition, and numbers that are up to 1024 × 2^-23 above 1,
        // because their low bits are an index.
        .tolerance = 1,
        .centre = 0.5f / LOADS_SIDE,
    };
    for (unsigned id = 0; id < LOADS_THREADS; id++)
        expected[id] = control_sum(kind, &start, id);
}

static bool prepare_case(struct loads_work *work, struct gpu_scope *scope,
                         const struct loads_case *this_case, float expected[LOADS_THREADS],
                         struct error *err)
{
    const struct loads_kind *kind = this_case->kind;
    struct loads_start start = loads_start_of(kind, this_case->pattern);
    work->params = (struct loads_params){
        .multiplier = start.multiplier,
        .keep = start.keep,
        .start = kind->start_bytes,
        .tolerance = loads_tolerance(kind),
        .centre = loads_centre(kind) / LOADS_SIDE,
        .scatter = start.scatter,
    };
    for (unsigned e = 0; e < LOADS_PUSHED_ELEMENTS; e++)
        work->params.pushed[e] = (float)loads_value(kind, e, 0);
    if (kind->source == LOADS_FROM_PUSHED)
        work->params_bytes = sizeof work->params;
    if (!loads_traits_of(kind)->writes) {
        loads_expect(kind, this_case->pattern, expected);
        return !work->has_source || loads_source_find(work->session, kind, &work->source, err);
    }
    loads_expect_writes(kind, this_case->pattern, expected);
    return !work->has_source || loads_target_make(work, scope, this_case, err);
}

// ---------------------------------------------------------------- the work

// Returns the kernel of the case or, if `control` is true, the kernel with the same loop without
// loads. Returns NULL with `err` if the device, the API or this build cannot run it.
static const struct gpu_kernel *find_kernel(struct loads_session *session,
                                            const struct loads_case *this_case, bool control,
                                            struct error *err)
{
    const struct gpu_info *info = session->bench->info;
    const struct loads_traits *traits = loads_traits_of(this_case->kind);
    bool bound = !(info->caps & GPU_CAP(ADDRESSES));
    struct arena *arena = session->bench->arena;
    struct arena_mark mark = arena_mark(arena);
    const struct gpu_kernel *kernel =
        kernel_find(loads_kernel_name(arena, this_case, bound, control));
    arena_rewind(arena, mark);
    if (!gpu_require(info, traits->needs, err)) {
        error_prefix(err, "%s", this_case->kind->label);
        return NULL;
    }
    bool vulkan = strcmp(info->api, "vulkan") == 0;
    const char *missing = strcmp(info->api, "opencl") == 0 ? traits->no_opencl
                          : strcmp(info->api, "cuda") == 0 ? traits->no_cuda
                                                           : NULL;
    if (!this_case->peak && (!vulkan || !kernel))
        missing = vulkan ? "the published tool has no such loop"
                         : "the published loop is for Vulkan only";
    else if (!missing && !kernel)
        missing = "this build has no kernel for it";
    if (missing)
        error_set(err, ERROR_UNSUPPORTED, "%s: %s", this_case->kind->label, missing);
    return missing ? NULL : kernel;
}

static struct gpu_program *make_program(struct loads_session *session,
                                        const struct loads_case *this_case, bool control,
                                        struct error *err)
{
    const struct gpu_kernel *kernel = find_kernel(session, this_case, control, err);
    const struct gpu_program_desc choices = {
        .subgroup_threads = this_case->subgroup_threads,
        .l1_percent = loads_traits_of(this_case->kind)->shared ? L1_BESIDE_SHARED : 100,
    };
    return kernel ? measure_program(&session->bench->programs, kernel->name, &choices, err) : NULL;
}

void loads_programs(struct bench_session *bench, const struct bench_case *c)
{
    struct loads_case this_case;
    struct error unused;
    loads_case_read(c, &this_case);
    if (this_case.kind->robust) // a second session makes the programs of this case
        return;
    (void)make_program(bench->state, &this_case, false, &unused);
    (void)make_program(bench->state, &this_case, true, &unused);
}

bool loads_work_make(struct bench_visit *visit, const struct loads_case *this_case, bool control,
                     uint32_t groups, struct loads_work *work, struct error *err)
{
    struct loads_session *session = visit->session->state;
    const struct loads_traits *traits = loads_traits_of(this_case->kind);
    struct gpu_program *program = make_program(session, this_case, control, err);
    struct proof proof = {0};
    if (!program)
        return false;
    *work = (struct loads_work){.session = session,
                                .program = program,
                                .groups = groups,
                                .has_source = !control && traits->resource != LOADS_BY_NOTHING,
                                .params_bytes = offsetof(struct loads_params, pushed)};
    if (control)
        prepare_control(work, this_case->kind, proof.expected);
    else if (!prepare_case(work, visit->scope, this_case, proof.expected, err))
        return false;
    if (!session->proof)
        session->proof = bench_buffer(session->bench->scope, sizeof proof, GPU_MEMORY_DEVICE, err);
    return session->proof && gpu_buffer_write(session->proof, 0, &proof, sizeof proof, err);
}

void loads_work_record(void *context, struct gpu_batch *batch, uint64_t repeats)
{
    const struct loads_work *work = context;
    struct gpu_dispatch dispatch = {
        .program = work->program,
        .groups = {work->groups},
        .params = &work->params,
        .params_bytes = work->params_bytes,
    };
    unsigned args = 0;
    if (work->has_source)
        dispatch.args[args++] = work->source;
    dispatch.args[args] = (struct gpu_arg){.buffer = work->session->proof};
    for (uint64_t i = 0; i < repeats; i++)
        gpu_batch_dispatch(batch, &dispatch);
}

bool loads_work_verify(struct loads_work *work, const struct measure_ran *ran, struct error *err)
{
    struct proof proof;
    if (!gpu_buffer_read(work->session->proof, 0, &proof, sizeof proof, err))
        return false;
    const char *kernel = gpu_program_kernel(work->program)->name;
    if (proof.wrong)
        return error_set(err, ERROR_MISMATCH, "%s: the sums of %u threads are wrong", kernel,
                         proof.wrong);
    uint64_t dispatches;
    if (!measure_unit_counted(proof.groups, work->groups, ran, &dispatches, err))
        return error_prefix(err, "%s", kernel);
    return !work->target.kind || loads_target_verify(work, (uint32_t)dispatches, err);
}
