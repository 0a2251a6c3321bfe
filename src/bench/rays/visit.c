// SPDX-License-Identifier: MIT
// Measures rays through scenes: all side by side, or one after another. Also reports the size of
// the kernels that trace rays, opens the session, and selects the function that measures a case.
#include "bench/rays/session.h"
#include "measure/claim.h"

#include <string.h>

enum {
    // log2 of the rays in a dispatch: almost twice the threads that an H200 runs at once.
    SCENE_RAYS = 19,
    ROW_RAYS = 17,
    CHAIN_RAYS = 12, // log2 of the number of rays in a chain; each ray waits for the one before it
    SCENE_RAYS_CPU = 10,
    ROW_RAYS_CPU = 7,
    CHAIN_RAYS_CPU = 8
};

struct memory {
    uint64_t repeats, control_repeats;
};

static bool make_scene(struct bench_visit *run, struct rays_tree *tree, uint32_t kind, bool opaque,
                       struct error *err)
{
    uint32_t count = (uint32_t)case_uint(run->bench_case, "primitives");
    if (kind == RAYS_BALLS) // one ball replaces each sphere of the scene RAYS_SPHERES
        count = count < RAYS_SPHERE ? 1 : count / RAYS_SPHERE;
    tree->scene = rays_scene_of(kind, count);
    tree->desc =
        (struct gpu_tree_desc){.kind = kind == RAYS_BALLS ? GPU_TREE_BOXES : GPU_TREE_TRIANGLES,
                               .opaque = opaque,
                               .compacts = true};
    return rays_tree_make(run, tree, err);
}

static void record_compact(void *context, struct gpu_batch *batch)
{
    struct gpu_tree **trees = context;
    gpu_batch_tree_copy(batch, trees[0], trees[1], true);
}

// Replaces tree->tree by a compacted copy.
static bool compact(struct bench_visit *run, struct rays_tree *tree, struct error *err)
{
    uint64_t bytes;
    struct gpu_tree *trees[2] = {NULL, tree->tree};
    if (!gpu_tree_compact_bytes(tree->tree, &bytes, err) ||
        !(trees[0] = gpu_tree_create_copy(run->scope, tree->tree, bytes, err)) ||
        !rays_run(run, record_compact, trees, err))
        return false;
    tree->tree = trees[0];
    return rays_tree_top(run, tree, err);
}

static struct memory *memory_of(struct bench_visit *run)
{
    if (!*run->memory)
        *run->memory = ARENA_NEW(run->session->arena, struct memory);
    return *run->memory;
}

// Makes a scene, measures the rays of `beam` through it, and checks the hits. `together` becomes a
// part of the detail "shape".
static bool trace(struct bench_visit *run, struct rays_beam *beam, uint32_t kind,
                  const char *together, struct measure_span *span, struct measure_visit *visit,
                  struct error *err)
{
    struct rays_tree *tree = ARENA_NEW(run->arena, struct rays_tree);
    uint32_t misses;
    beam->tree = tree;
    beam->pipeline = rays_by_pipeline(run);
    if (!make_scene(run, tree, kind, beam->mode == RAYS_OPAQUE, err) || !compact(run, tree, err) ||
        !rays_beam_prepare(run, beam, err) ||
        !rays_beam_measure(run, beam, &memory_of(run)->repeats, span, err) ||
        !rays_beam_check(run, beam, &misses, err))
        return false;
    const uint32_t rays = 1u << beam->rays_log2;
    const uint64_t bytes = gpu_tree_bytes(tree->tree);
    const double each_bytes = (double)bytes / tree->scene.count;
    measure_span_note(span, visit);
    visit_samples(visit, RAYS_TREE_BYTES, &each_bytes, 1, 0);
    visit_detail(visit, "tree", "%u primitives in %llu bytes, compacted", tree->scene.count,
                 (unsigned long long)bytes);
    visit_detail(visit, "shape", "%u rays%s, %.1f %% of them hit nothing", rays, together,
                 100.0 * misses / rays);
    visit_kernel(visit, beam->dispatch.program);
    return true;
}

// ---------------------------------------------------------------- rays side by side

static uint32_t mode_of(const struct bench_visit *run)
{
    return case_says(run->bench_case, "hits", "opaque") ? RAYS_OPAQUE : RAYS_ASKED;
}

// Measures the control, the same kernel without tracing, and reports its time ÷ the rays' time.
static bool measure_control(struct bench_visit *run, const struct rays_beam *beam, double unit_ns,
                            struct measure_visit *visit, struct error *err)
{
    struct rays_beam control = *beam;
    struct measure_span span;
    control.mode = RAYS_NONE;
    if (!rays_beam_prepare(run, &control, err) ||
        !rays_beam_measure(run, &control, &memory_of(run)->control_repeats, &span, err))
        return false;
    double share = measure_median(run->arena, span.unit_ns, span.count) / unit_ns;
    visit->device_time_ns += span.device_time_ns;
    visit_detail(visit, "control", "the kernel without its rays takes %.1f %% of the time",
                 100 * share);
    return true;
}

static bool visit_rays(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    static const uint32_t orders[] = {RAYS_CAMERA, RAYS_ORDERED, RAYS_RANDOM};
    const struct rays_session *session = run->session->state;
    const bool procedural = case_says(run->bench_case, "hits", "procedural");
    struct rays_beam beam = {.rays = orders[case_choice(run->bench_case, "order")],
                             .rays_log2 = session->scene_rays_log2,
                             .mode = mode_of(run)};
    struct measure_span span;
    if (!trace(run, &beam, procedural ? RAYS_BALLS : case_choice(run->bench_case, "scene"), "",
               &span, visit, err))
        return false;
    const double rays = (double)(1u << beam.rays_log2);
    // MEASURE_OTHER is the class without a limit. No limit is known for the rate of rays.
    const struct measure_claim claim = {.results[MEASURE_OTHER] = rays};
    const struct measure_account account = {.claim = &claim, .span = &span, .visit = visit};
    measure_claim_report(&account, RAYS_RATE, MEASURE_PER_SECOND, rays);
    return run->request->round > 0 ||
           measure_control(run, &beam, measure_median(run->arena, span.unit_ns, span.count), visit,
                           err);
}

// ---------------------------------------------------------------- one ray after another

static bool visit_latency(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    const struct rays_session *session = run->session->state;
    struct rays_beam beam = {
        .rays = RAYS_CHAIN, .rays_log2 = session->chain_rays_log2, .mode = RAYS_OPAQUE};
    struct measure_span span;
    if (!trace(run, &beam, RAYS_SOUP, ", one after another", &span, visit, err))
        return false;
    const double rays = (double)(1u << beam.rays_log2);
    const struct measure_claim claim = {.results[MEASURE_OTHER] = rays, .cores = 1};
    const struct measure_account account = {.claim = &claim, .span = &span, .visit = visit};
    measure_claim_report(&account, RAYS_LATENCY, MEASURE_NS_EACH, rays);
    measure_claim_report(&account, RAYS_LATENCY_CYCLES, MEASURE_CYCLES_EACH, rays);
    return true;
}

// ---------------------------------------------------------------- the size of the kernels

// Returns the driver's statistics about kernels as one line, without the kernels' code.
static const char *list_statistics(struct arena *arena, const char *text)
{
    const char *list = "";
    while (text && *text) {
        const size_t length = strcspn(text, "\n");
        // Skips a listing of machine code, up to the next executable.
        if (strncmp(text, "----", 4) == 0)
            text = strstr(text, "\n== ");
        else
            list = arena_printf(arena, "%s%s%.*s", list, *list ? ", " : "", (int)length, text);
        text = text && text[strcspn(text, "\n")] ? strchr(text, '\n') + 1 : NULL;
    }
    return list;
}

// Reports what the driver says about the kernels of work=rays with the same `hits` and `through`.
static bool visit_size(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    const bool boxes = case_says(run->bench_case, "hits", "procedural");
    const struct rays_tree tree = {.desc.kind = boxes ? GPU_TREE_BOXES : GPU_TREE_TRIANGLES};
    const struct rays_beam beam = {.tree = &tree,
                                   .rays = RAYS_RANDOM,
                                   .mode = mode_of(run),
                                   .pipeline = rays_by_pipeline(run)};
    struct gpu_program *program = rays_beam_program(run, &beam, err);
    struct gpu_program_stats stats;
    if (!program || !gpu_program_stats(program, run->arena, &stats, err))
        return false;
    // For ray pipelines, NVIDIA's driver reports only a stack size, which is always 0.
    if (!stats.has_registers && !stats.has_spills && !stats.stack_bytes)
        return error_set(err, ERROR_UNSUPPORTED,
                         "the driver tells neither registers nor local memory of these kernels%s",
                         stats.has_stack ? ", and 0 bytes for their stack" : "");
    const double registers = stats.registers, local = stats.spill_bytes,
                 stack = (double)stats.stack_bytes;
    if (stats.has_registers)
        visit_samples(visit, RAYS_REGISTERS, &registers, 1, 0);
    if (stats.has_spills)
        visit_samples(visit, RAYS_LOCAL_BYTES, &local, 1, 0);
    if (stats.has_stack)
        visit_samples(visit, RAYS_STACK_BYTES, &stack, 1, 0);
    visit_detail(visit, "statistics", "%s", list_statistics(run->arena, stats.text));
    visit_kernel(visit, program);
    return true;
}

// ---------------------------------------------------------------- all

// Adds the detail "units" if the architecture has no hardware units for rays.
static void report_units(const struct bench_visit *run, struct measure_visit *visit)
{
    static const char *const without[] = {"Volta", "Ampere GA100", "Hopper", "Blackwell GB100",
                                          "CDNA",  "CDNA 2",       "CDNA 3", "CDNA 4",
                                          "GCN 5", "RDNA"};
    const char *architecture = run->session->limits.architecture;
    for (size_t i = 0; architecture && i < COUNT(without); i++)
        if (strcmp(architecture, without[i]) == 0)
            visit_detail(visit, "units", "%s has no units for rays: the cores do the tests",
                         architecture);
}

static bool visit_work(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    switch ((enum rays_work)case_choice(run->bench_case, "work")) {
    case RAYS_WORK_TRIANGLE:
    case RAYS_WORK_BOX:
    case RAYS_WORK_ANY_HIT:
    case RAYS_WORK_PROCEDURAL:
        return rays_visit_row(run, visit, err);
    case RAYS_WORK_RAYS:
        return visit_rays(run, visit, err);
    case RAYS_WORK_LATENCY:
        return visit_latency(run, visit, err);
    case RAYS_WORK_SIZE:
        return visit_size(run, visit, err);
    case RAYS_WORK_BUILD:
        return rays_visit_build(run, visit, err);
    }
    return error_set(err, ERROR_INTERNAL, "no such work");
}

bool rays_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    if (!visit_work(run, visit, err))
        return false;
    report_units(run, visit);
    return true;
}

bool rays_open(struct bench_session *bench, struct error *err)
{
    struct rays_session *session = ARENA_NEW(bench->arena, struct rays_session);
    const bool cpu = bench->info->kind == GPU_KIND_CPU;
    bench->state = session;
    session->scene_rays_log2 = cpu ? SCENE_RAYS_CPU : SCENE_RAYS;
    session->row_rays_log2 = cpu ? ROW_RAYS_CPU : ROW_RAYS;
    session->chain_rays_log2 = cpu ? CHAIN_RAYS_CPU : CHAIN_RAYS;
    return (session->scene = measure_program(&bench->programs, "rays_scene", NULL, err)) &&
           (session->check_all = measure_program(&bench->programs, "rays_check_all", NULL, err)) &&
           (session->check_nearer =
                measure_program(&bench->programs, "rays_check_nearer", NULL, err)) &&
           (session->hits = bench_buffer(bench->scope,
                                         (sizeof(struct rays_hit) << session->scene_rays_log2) +
                                             sizeof(struct rays_hit),
                                         GPU_MEMORY_DEVICE, err)) &&
           (session->result =
                bench_buffer(bench->scope, sizeof(uint32_t[5]), GPU_MEMORY_DEVICE, err)) &&
           bench_clock_probe(bench, err);
}
