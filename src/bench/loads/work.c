// SPDX-License-Identifier: MIT
#include "bench/loads/source.h"
#include "bench/loads/write.h"
#include "measure/unit.h"

#include <stddef.h>
#include <string.h>

enum {
    GROUPS_A_CORE = 32, // four waves of full cores where 2048 threads are resident
    GROUPS_A_PROCESSOR = 4,
    CORES_UNKNOWN = 16,
    L1_BESIDE_SHARED = 25, // percent: eight workgroups of 16 KiB are at once on a core
    ONE_BITS = 0x3f800000  // of 1.0f: makes a float a little above 1 of an index
};

struct proof { // as in params.glsl
    uint32_t groups, wrong, unused[2];
    float expected[LOADS_THREADS];
};

bool loads_open(struct bench_session *bench, struct error *err)
{
    struct loads_session *session = ARENA_NEW(bench->arena, struct loads_session);
    session->bench = bench;
    bench->state = session;
    measure_limits_of(bench->info, &session->limits);
    session->sources = ARENA_ARRAY(bench->arena, loads_kind_count, struct gpu_arg);
    uint32_t cores = session->limits.cores ? session->limits.cores : CORES_UNKNOWN;
    session->groups =
        cores * (bench->info->kind == GPU_KIND_CPU ? GROUPS_A_PROCESSOR : GROUPS_A_CORE);
    return measure_clock_probe(bench->scope, &session->clock, err);
}

// What a control's thread adds up, from 0, 1, 2, 3: 256 times a float a little above 1, or, in the
// sampled form, the coordinates that it computes.
static float control_sum(const struct loads_case *this_case, const struct loads_start *start,
                         unsigned id)
{
    double weight = 0, first = 0, sum = LOADS_A_THREAD;
    for (unsigned c = 0; c < this_case->kind->width; c++) {
        weight += 1 + 2 * c;
        first += c * (1 + 2 * c);
    }
    if (loads_is_sampled(this_case->kind)) {
        double x = id % LOADS_TILE & start->keep, y = id / LOADS_TILE & start->keep;
        sum *= (x + y + LOADS_TILE) / LOADS_SIDE; // columns and rows are 7.5 in the middle
    }
    return (float)(sum * weight + first);
}

static void prepare_control(struct loads_work *work, const struct loads_case *this_case,
                            struct proof *proof)
{
    bool sampled = loads_is_sampled(this_case->kind);
    struct loads_start start = loads_start_of(this_case->kind, LOADS_LINEAR);
    work->params = (struct loads_params){
        .mask = sampled ? 0 : ONE_BITS,
        .multiplier = start.multiplier,
        .keep = start.keep,
        .tolerance = 1, // 1024 × 2^-23 a load, and the rounding of 256 additions
        .centre = 0.5f / LOADS_SIDE,
    };
    for (unsigned id = 0; id < LOADS_THREADS; id++)
        proof->expected[id] = control_sum(this_case, &start, id);
}

static void prepare_loads(struct loads_work *work, const struct loads_case *this_case,
                          struct proof *proof)
{
    struct loads_start start = loads_start_of(this_case->kind, this_case->pattern);
    work->params = (struct loads_params){
        .multiplier = start.multiplier,
        .keep = start.keep,
        .start = this_case->kind->start_bytes,
        .tolerance = loads_tolerance(this_case->kind),
        .centre = loads_centre(this_case->kind) / LOADS_SIDE,
        .scatter = start.scatter,
    };
    for (unsigned e = 0; e < LOADS_PUSHED_ELEMENTS; e++)
        work->params.pushed[e] = (float)loads_value(this_case->kind, e, 0);
    loads_expect(this_case->kind, this_case->pattern, proof->expected);
}

static bool prepare_writes(struct loads_work *work, struct gpu_scope *scope,
                           const struct loads_case *this_case, struct proof *proof,
                           struct error *err)
{
    struct loads_start start = loads_start_of(this_case->kind, this_case->pattern);
    work->params = (struct loads_params){
        .multiplier = start.multiplier, .keep = start.keep, .scatter = start.scatter};
    loads_expect_writes(this_case->kind, this_case->pattern, proof->expected);
    return !work->has_source || loads_target_make(work, scope, this_case, err);
}

// The kernel of a point, or of its control; says what is missing where there is none.
static const struct gpu_kernel *find_kernel(struct loads_session *session,
                                            const struct loads_case *this_case, bool control,
                                            struct error *err)
{
    const struct gpu_info *info = session->bench->info;
    const struct loads_way *way = loads_way_of(this_case->kind);
    const struct loads_form form = {.kind = this_case->kind,
                                    .uniform = this_case->pattern == LOADS_UNIFORM,
                                    .peak = this_case->peak,
                                    .bound = loads_is_bound(info)};
    struct arena *arena = session->bench->arena;
    struct arena_mark mark = arena_mark(arena);
    const struct gpu_kernel *kernel =
        kernel_find(control ? loads_control_name(arena, &form) : loads_kernel_name(arena, &form));
    arena_rewind(arena, mark);
    if (!gpu_require(info, way->needs, err)) {
        error_prefix(err, "%s", this_case->kind->label);
        return NULL;
    }
    bool vulkan = strcmp(info->api, "vulkan") == 0;
    const char *missing = strcmp(info->api, "opencl") == 0 ? way->no_opencl
                          : strcmp(info->api, "cuda") == 0 ? way->no_cuda
                                                           : NULL;
    if (!this_case->peak && (!vulkan || !kernel))
        missing = vulkan ? "the published tool has no such loop"
                         : "the published loop runs through Vulkan only";
    else if (!missing && !kernel)
        missing = "this build has no kernel for it";
    if (missing)
        error_set(err, ERROR_UNSUPPORTED, "%s: %s", this_case->kind->label, missing);
    return missing ? NULL : kernel;
}

bool loads_work_make(struct loads_session *session, struct gpu_scope *scope,
                     const struct loads_case *this_case, bool control, struct loads_work *work,
                     struct error *err)
{
    struct proof proof = {0};
    const struct loads_way *way = loads_way_of(this_case->kind);
    *work =
        (struct loads_work){.session = session,
                            .groups = this_case->groups ? this_case->groups : session->groups,
                            .has_source = !control && way->resource != LOADS_BY_NOTHING,
                            .has_pushed = !control && this_case->kind->source == LOADS_FROM_PUSHED};
    const struct gpu_kernel *kernel = find_kernel(session, this_case, control, err);
    if (!kernel)
        return false;
    if (control) {
        prepare_control(work, this_case, &proof);
    } else if (way->writes) {
        if (!prepare_writes(work, scope, this_case, &proof, err))
            return false;
    } else {
        if (work->has_source && !loads_source_find(session, this_case->kind, &work->source, err))
            return false;
        prepare_loads(work, this_case, &proof);
    }
    const struct gpu_program_desc choices = {
        .subgroup_threads = this_case->subgroup_threads,
        .l1_percent = way->shared ? L1_BESIDE_SHARED : 100,
    };
    work->program = measure_program(&session->bench->programs, kernel->name, &choices, err);
    if (!work->program)
        return false;
    if (!session->proof)
        session->proof = gpu_buffer_create(session->bench->scope,
                                           &(struct gpu_buffer_desc){.bytes = sizeof proof}, err);
    return session->proof && gpu_buffer_write(session->proof, 0, &proof, sizeof proof, err);
}

void loads_work_record(void *context, struct gpu_batch *batch, uint64_t repeats)
{
    const struct loads_work *work = context;
    struct gpu_dispatch dispatch = {
        .program = work->program,
        .groups = {work->groups},
        .params = &work->params,
        .params_bytes =
            work->has_pushed ? sizeof work->params : offsetof(struct loads_params, pushed),
    };
    unsigned args = 0;
    if (work->has_source)
        dispatch.args[args++] = work->source;
    dispatch.args[args] = (struct gpu_arg){.buffer = work->session->proof};
    for (uint64_t i = 0; i < repeats; i++)
        gpu_batch_dispatch(batch, &dispatch);
}

bool loads_work_verify(struct loads_work *work, uint64_t least, struct error *err)
{
    struct proof proof;
    if (!gpu_buffer_read(work->session->proof, 0, &proof, sizeof proof, err))
        return false;
    const char *kernel = gpu_program_kernel(work->program)->name;
    if (proof.wrong)
        return error_set(err, ERROR_MISMATCH, "%s: %u threads did not find the sum of their data",
                         kernel, proof.wrong);
    uint64_t dispatches;
    if (!measure_unit_counted(proof.groups, work->groups, least, &dispatches, err))
        return error_prefix(err, "%s", kernel);
    return !work->target.kind || loads_target_verify(work, (uint32_t)dispatches, err);
}
