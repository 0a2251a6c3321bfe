// SPDX-License-Identifier: MIT
// Describes `rays`: its parameters, metrics, views and headlines, which cases it plans, and what it
// concludes.
#include "bench/rays/session.h"

#include <math.h>
#include <string.h>

enum {
    CPU_PRIMITIVES = 4096, // maximum number of primitives that presets use on a CPU
    INSTANCES = 1 << 20    // maximum number of instances that presets use
};

static const struct param_info params[] = {
    {.key = "work",
     .type = PARAM_TEXT,
     .quick = "triangle,box,rays,build",
     .standard = "triangle,box,any-hit,procedural,rays,latency,size,build",
     .choices = "triangle|box|any-hit|procedural|rays|latency|size|build",
     .help = "rays through a row of triangles or boxes, with no kernel called, or with a kernel "
             "called for each; rays through scenes, side by side or one after another; the size of "
             "the kernels that trace them; or builds"},
    {.key = "through",
     .type = PARAM_TEXT,
     .standard = "query,pipeline",
     .choices = "query|pipeline",
     .when = "work!=build",
     .unsaid = "query",
     .help = "rays by queries in a kernel, or by a pipeline that calls kernels; the presets quick "
             "and standard take a pipeline where the device lacks queries"},
    {.key = "flag",
     .type = PARAM_TEXT,
     .quick = "fast-trace",
     .standard = "fast-trace,fast-build",
     .choices = "fast-trace|fast-build",
     .when = "work=triangle|box|any-hit|procedural",
     .help = "what the driver is told that the row's tree is for"},
    {.key = "scene",
     .type = PARAM_TEXT,
     .quick = "soup",
     .standard = "spheres,soup,thin",
     .choices = "spheres|soup|thin",
     .when = "work=rays",
     .help = "a grid of spheres, triangles at random places, or long thin ones"},
    {.key = "order",
     .type = PARAM_TEXT,
     .quick = "camera,random",
     .standard = "camera,ordered,random",
     .choices = "camera|ordered|random",
     .when = "work=rays",
     .help = "rays from one point through a picture, from neighbouring points in all directions, "
             "or the same in random order"},
    {.key = "hits",
     .type = PARAM_TEXT,
     .quick = "opaque",
     .standard = "opaque,any-hit,procedural",
     .choices = "opaque|any-hit|procedural",
     .when = "work=rays|size",
     .help = "no kernel is called, one accepts each triangle, or one intersects the sphere in each "
             "box"},
    {.key = "of",
     .type = PARAM_TEXT,
     .quick = "triangles",
     .standard = "triangles,boxes,instances",
     .choices = "triangles|boxes|instances",
     .when = "work=build",
     .help = "what the tree is built of"},
    {.key = "task",
     .type = PARAM_TEXT,
     .quick = "fast-trace",
     .standard = "fast-trace,fast-build,update,copy,compact",
     .choices = "fast-trace|fast-build|update|copy|compact",
     .when = "work=build",
     .help =
         "a build for fast rays, a fast build, an update after everything has moved, a copy, or "
         "a compacting copy"},
    {.key = "primitives",
     .type = PARAM_UINT,
     .quick = "65536",
     .standard = "1024,32768,1048576",
     .full = "1024,8192,65536,524288,4194304,8388608",
     .when = "work=rays|latency|build",
     .least = 128,
     .most = 1 << 24,
     .help = "triangles, boxes or instances in the tree; of spheres, triangles of all of them"},
};

static const struct metric_info metrics[] = {
    [RAYS_CROSSING] = {.name = "crossing",
                       .unit = UNIT_NS,
                       .better = BETTER_LOWER,
                       .help =
                           "device time of one more primitive that a ray crosses, over all rays"},
    [RAYS_CYCLES] = {.name = "cycles",
                     .unit = UNIT_CYCLE,
                     .better = BETTER_LOWER,
                     .help = "the same in cycles of one core",
                     .cycles_of = "crossing"},
    [RAYS_CROSSINGS] = {.name = "crossings",
                        .unit = UNIT_OP_PER_S,
                        .better = BETTER_HIGHER,
                        .help = "crossed primitives per second of device time"},
    [RAYS_PER_CYCLE] = {.name = "per_cycle",
                        .unit = UNIT_OP_PER_CYCLE,
                        .better = BETTER_HIGHER,
                        .help = "crossed primitives per cycle of one core",
                        .cycles_of = "crossings"},
    [RAYS_RATE] = {.name = "rays",
                   .unit = UNIT_OP_PER_S,
                   .better = BETTER_HIGHER,
                   .help = "rays per second of device time"},
    [RAYS_LATENCY] = {.name = "latency",
                      .unit = UNIT_NS,
                      .better = BETTER_LOWER,
                      .help = "device time of one ray when each waits for the last one"},
    [RAYS_LATENCY_CYCLES] = {.name = "latency_cycles",
                             .unit = UNIT_CYCLE,
                             .better = BETTER_LOWER,
                             .help = "the same in core cycles",
                             .cycles_of = "latency"},
    [RAYS_REGISTERS] = {.name = "registers",
                        .better = BETTER_LOWER,
                        .help =
                            "32-bit registers of a thread, as the driver reports; of a pipeline "
                            "the most of its kernels"},
    [RAYS_LOCAL_BYTES] = {.name = "local_bytes",
                          .unit = UNIT_BYTE,
                          .better = BETTER_LOWER,
                          .help = "memory of a thread beside its registers, as the driver reports"},
    [RAYS_STACK_BYTES] = {.name = "stack_bytes",
                          .unit = UNIT_BYTE,
                          .better = BETTER_LOWER,
                          .help = "stack of a ray of a pipeline, as the driver reports"},
    [RAYS_BUILD_RATE] = {.name = "primitives",
                         .unit = UNIT_OP_PER_S,
                         .better = BETTER_HIGHER,
                         .help = "primitives built, updated or copied per second of device time"},
    [RAYS_TREE_BYTES] = {.name = "bytes",
                         .unit = UNIT_BYTE,
                         .better = BETTER_LOWER,
                         .help = "bytes of the tree for each primitive"},
    [RAYS_AFTER_UPDATE] = {.name = "after_update",
                           .better = BETTER_HIGHER,
                           .help = "rays per second after an update, as a share of those after a "
                                   "build with the same primitives"},
};

static const struct view_info views[] = {
    {.kind = VIEW_BARS,
     .title = "Time of a crossed primitive",
     .x = "work",
     .metric = "crossing",
     .group = "flag",
     .scale = "linear",
     .where = "work=triangle|box|any-hit|procedural"},
    {.kind = VIEW_CURVE,
     .title = "Rays by size of the scene",
     .x = "primitives",
     .metric = "rays",
     .group = "scene,order,hits",
     .scale = "log2-log10",
     .where = "work=rays"},
    {.kind = VIEW_CURVE,
     .title = "One ray after another by size of the scene",
     .x = "primitives",
     .metric = "latency",
     .scale = "log2-log10",
     .where = "work=latency"},
    {.kind = VIEW_BARS,
     .title = "Registers of the kernels that trace rays",
     .x = "hits",
     .metric = "registers",
     .group = "through",
     .scale = "linear",
     .where = "work=size"},
    {.kind = VIEW_BARS,
     .title = "Stack of a ray",
     .x = "hits",
     .metric = "stack_bytes",
     .group = "through",
     .scale = "linear",
     .where = "work=size"},
    {.kind = VIEW_CURVE,
     .title = "Builds by size",
     .x = "primitives",
     .metric = "primitives",
     .group = "of,task",
     .scale = "log2-log10",
     .where = "work=build"},
};

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_BEST,
     .title = "Triangle crossed",
     .metric = "crossing",
     .where = "work=triangle"},
    {.kind = HEADLINE_BEST, .title = "Box crossed", .metric = "crossing", .where = "work=box"},
    {.kind = HEADLINE_BEST, .title = "Rays", .metric = "rays", .where = "work=rays"},
    {.kind = HEADLINE_BEST,
     .title = "Triangles built",
     .metric = "primitives",
     .where = "work=build,of=triangles,task=fast-trace|fast-build"},
};

// Returns true if the preset traces rays in this way. Presets use queries or, if the device has
// only pipelines, pipelines. The preset full uses both.
static bool has_way(const struct bench_pick *pick)
{
    const gpu_caps caps = pick->request->device->caps;
    const bool query = caps & GPU_CAP(RAY_QUERY), pipeline = caps & GPU_CAP(RAY_PIPELINE);
    if (strcmp(pick->value->text, "query") == 0)
        return query || !pipeline;
    return pipeline && (!query || strcmp(pick->request->preset, "full") == 0);
}

// Returns false if the plan leaves out pick->value; lowers primitives to CPU_PRIMITIVES on a CPU.
static bool reach(const struct bench_pick *pick)
{
    const struct bench_choice *choice = &pick->request->choices[pick->param];
    if (choice->from_user)
        return true;
    if (strcmp(choice->param->key, "through") == 0)
        return has_way(pick);
    if (strcmp(choice->param->key, "primitives") != 0)
        return true;
    if (pick->request->device->kind == GPU_KIND_CPU && pick->value->uint > CPU_PRIMITIVES)
        pick->value->uint = CPU_PRIMITIVES;
    return !case_says(&pick->c, "of", "instances") || pick->value->uint <= INSTANCES;
}

static bool from_user(const struct bench_pick *pick, const char *key)
{
    const struct bench_choice *choice = bench_choice_find(pick->request, key);
    return choice && choice->from_user;
}

// Returns true if the plan should contain the case:
// - Only the scene of spheres can have hits=procedural.
// - hits=any-hit and hits=procedural need spheres and random rays, unless the user chose `hits`.
// - Updates, copies and compactions need trees of triangles, unless the user chose `task`.
static bool keep(const struct bench_pick *pick, struct error *err)
{
    const struct bench_case *c = &pick->c;
    (void)err;
    if (case_matches(c, "work=rays,hits=procedural,scene!=spheres"))
        return false;
    if (case_matches(c, "work=rays,hits=any-hit|procedural") &&
        !case_matches(c, "scene=spheres,order=random"))
        return from_user(pick, "hits");
    return !case_matches(c, "task=update|copy|compact,of!=triangles") || from_user(pick, "task");
}

// ---------------------------------------------------------------- findings

// Returns the first result with a rate, opaque hits and this order of rays, in the scene, size and
// way (queries or pipeline) of `like`; NULL if there is none.
static const struct result *find(const struct run *run, const char *device, const char *order,
                                 const struct result *like)
{
    const char *scene = case_text(&like->bench_case, "scene");
    const bool pipeline = case_says(&like->bench_case, "through", "pipeline");
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (result_is_of(result, "rays", device) && result_metric(result, "rays") &&
            case_says(&result->bench_case, "scene", scene) &&
            case_says(&result->bench_case, "through", "pipeline") == pipeline &&
            case_says(&result->bench_case, "order", order) &&
            case_says(&result->bench_case, "hits", "opaque") &&
            case_uint(&result->bench_case, "primitives") ==
                case_uint(&like->bench_case, "primitives"))
            return result;
    }
    return NULL;
}

// Adds no-ray-units if a result says that cores test boxes and triangles, without hardware units.
static void conclude_units(struct run *run, const char *device)
{
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        const char *units =
            result_is_of(result, "rays", device) ? result_detail(result, "units") : NULL;
        if (!units)
            continue;
        run_add_conclusion(run, "no-ray-units", NAN, result, NULL, "%s", units);
        return;
    }
}

// Adds rays-order. Value: the rate in random order ÷ the rate of the same rays in order, in the
// scene with the most primitives.
static void conclude_order(struct run *run, const char *device)
{
    const struct result *random = NULL, *ordered = NULL;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!result_is_of(result, "rays", device) ||
            !case_matches(&result->bench_case, "work=rays,order=random,hits=opaque") ||
            !find(run, device, "ordered", result) || !result_metric(result, "rays") ||
            (random && case_uint(&result->bench_case, "primitives") <=
                           case_uint(&random->bench_case, "primitives")))
            continue;
        random = result;
        ordered = find(run, device, "ordered", result);
    }
    if (!random)
        return;
    const double ratio = result_median(random, "rays") / result_median(ordered, "rays");
    run_add_conclusion(run, "rays-order", ratio, random, ordered,
                       "rays in random order reach %.2f times the rate of the same rays in order "
                       "(%s of %llu triangles)",
                       ratio, case_text(&random->bench_case, "scene"),
                       (unsigned long long)case_uint(&random->bench_case, "primitives"));
}

static void conclude(struct run *run, const char *device)
{
    conclude_units(run, device);
    conclude_order(run, device);
}

const struct benchmark bench_rays = {
    .info = {.name = "rays",
             .version = 3,
             .title = "What ray tracing costs",
             BENCHMARK_TABLE(param, params),
             BENCHMARK_TABLE(metric, metrics),
             BENCHMARK_TABLE(view, views),
             BENCHMARK_TABLE(headline, headlines)},
    .description =
        "Rays through rows of boxes and of triangles: the time of one more that a ray crosses. "
        "Rays "
        "per second through three scenes, side by side and in random order, and the time of a ray "
        "that waits for the last one. Building, updating and copying the trees that rays go "
        "through. Every ray's hit is checked.",
    .needs = GPU_CAP(RAYS) | GPU_CAP(ADDRESSES),
    .product = {.reach = reach, .keep = keep},
    .open = rays_open,
    .visit = rays_visit,
    .conclude = conclude,
};
