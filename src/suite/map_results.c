// SPDX-License-Identifier: MIT
#include "suite/map_results.h"

#include "analysis/levels.h"
#include "bench/bench.h"
#include "bench/map.h"
#include "measure/limits.h"

#include <math.h>
#include <string.h>

enum {
    DETAILS_MAX = 8,
    BEHIND = 4 // from so many times the last level on, next to nothing is found in it
};

struct finder {
    struct run *run;
    struct arena *scratch;
    const struct gpu_info *device;
    const struct benchmark_info *info; // of map
    struct measure_limits limits;
};

// ---------------------------------------------------------------- putting results together

static struct result *add_result(const struct finder *f, const char *what, const char *path,
                                 size_t level)
{
    struct arena *arena = f->run->arena;
    struct case_value *values = ARENA_ARRAY(arena, 3, struct case_value);
    values[MAP_PARAM_WHAT].text = what;
    values[MAP_PARAM_PATH].text = arena_strdup(arena, path);
    values[MAP_PARAM_LEVEL].uint = level;
    size_t count = level ? 3 : 2;
    for (size_t i = 0; i < count; i++) {
        values[i].key = f->info->params[i].key;
        values[i].type = f->info->params[i].type;
        values[i].role = f->info->params[i].role;
    }
    struct result *result = run_add_result(f->run);
    result->benchmark = f->info->name;
    result->version = f->info->version;
    result->device = f->device->id;
    result->point = (struct bench_case){.values = values, .value_count = count};
    result->key = case_key(arena, f->info->name, &result->point);
    result->metrics = ARENA_ARRAY(arena, MAP_METRIC_COUNT, struct metric);
    result->details = ARENA_ARRAY(arena, DETAILS_MAX, struct named_text);
    return result;
}

static void add_metric(const struct finder *f, struct result *result, enum map_metric which,
                       const struct level_height *value)
{
    if (!isfinite(value->median))
        return;
    const struct metric_info *info = &f->info->metrics[which];
    result->metrics[result->metric_count++] = (struct metric){
        .name = info->name,
        .unit = info->unit,
        .better = info->better,
        .median = value->median,
        .ci95 = {value->ci95[0], value->ci95[1]},
        .n = value->count,
        .limit = NAN,
    };
}

static void add_plain(const struct finder *f, struct result *result, enum map_metric which,
                      double value)
{
    add_metric(f, result, which, &(struct level_height){value, {NAN, NAN}, 1});
}

static void add_detail(const struct finder *f, struct result *result, const char *name,
                       const char *text)
{
    (void)f;
    if (result->detail_count < DETAILS_MAX)
        result->details[result->detail_count++] = (struct named_text){name, text};
}

static void add_claim(const struct finder *f, struct result *result, uint64_t bytes)
{
    if (bytes)
        add_plain(f, result, MAP_METRIC_CLAIM, (double)bytes);
}

static void add_heights(const struct finder *f, struct result *result,
                        const struct level_curve *curve, size_t k)
{
    struct level_height ns = levels_height(f->scratch, curve, k, "latency");
    struct level_height cycles = levels_height(f->scratch, curve, k, "latency_cycles");
    add_metric(f, result, MAP_METRIC_LATENCY, &ns);
    add_metric(f, result, MAP_METRIC_CYCLES, &cycles);
}

// ---------------------------------------------------------------- bandwidth

struct span {
    double from, to; // bytes: (from, to]
};

static bool is_read(const struct finder *f, const struct result *result, const char *scope)
{
    if (strcmp(result->benchmark, "bandwidth") != 0 || strcmp(result->device, f->device->id) != 0 ||
        result->verdict > VERDICT_SUSPECT)
        return false;
    const struct bench_case *point = &result->point;
    return strcmp(case_text(point, "op"), "read") == 0 &&
           strcmp(case_text(point, "path"), "global") == 0 &&
           strcmp(case_text(point, "scope"), scope) == 0;
}

// Adds the fastest read within the span; a detail says why where there is none.
static void add_bandwidth(const struct finder *f, struct result *result, enum map_metric which,
                          const char *scope, struct span span)
{
    const struct metric *best = NULL;
    for (size_t i = 0; i < f->run->result_count; i++) {
        const struct result *read = f->run->results[i];
        if (!is_read(f, read, scope))
            continue;
        double bytes = (double)case_uint(&read->point, "bytes");
        const struct metric *metric = result_metric(read, "bandwidth");
        if (bytes > span.from && bytes <= span.to && metric && isfinite(metric->median) &&
            (!best || metric->median > best->median))
            best = metric;
    }
    if (best)
        add_metric(f, result, which,
                   &(struct level_height){best->median, {best->ci95[0], best->ci95[1]}, best->n});
    else
        add_detail(f, result, f->info->metrics[which].name,
                   "unknown: no size within the level was measured that every core can read a "
                   "part of");
}

// ---------------------------------------------------------------- lines

// Latencies of a level's probes, in the order of their sizes.
static size_t find_probes(const struct finder *f, size_t level, double *ns)
{
    size_t count = 0;
    for (size_t i = 0; i < f->run->result_count && count < MAP_PROBE_COUNT; i++) {
        const struct result *probe = f->run->results[i];
        if (strcmp(probe->benchmark, f->info->name) != 0 ||
            strcmp(probe->device, f->device->id) != 0 ||
            strcmp(case_text(&probe->point, "what"), MAP_PROBE) != 0 ||
            case_uint(&probe->point, "level") != level)
            continue;
        const struct metric *metric = result_metric(probe, "latency");
        if (metric && isfinite(metric->median))
            ns[count++] = metric->median;
    }
    return count;
}

static void add_line(const struct finder *f, struct result *result, const struct level_curve *curve,
                     size_t k)
{
    double ns[MAP_PROBE_COUNT];
    if (find_probes(f, k + 1, ns) < MAP_PROBE_COUNT) {
        add_detail(f, result, "line", "unknown: its probes were not all measured");
        return;
    }
    double middle = sqrt(curve->fit.levels[k].height * curve->fit.levels[k + 1].height);
    unsigned fitting = 0, in_order = 0;
    for (unsigned i = 0; i < MAP_PROBE_COUNT; i++) {
        fitting += ns[i] < middle;
        in_order += ns[i] < middle && in_order == i;
    }
    if (fitting != in_order)
        add_detail(f, result, "line", "unknown: its probes contradict each other");
    else if (fitting == 0)
        add_detail(f, result, "line", "unknown: more than 256 bytes, or whole pages are taken");
    else
        add_metric(f, result, MAP_METRIC_LINE,
                   &(struct level_height){map_line_bytes(fitting), {NAN, NAN}, MAP_PROBE_COUNT});
}

// ---------------------------------------------------------------- levels

static void add_level(const struct finder *f, const struct level_curve *curve, const char *path,
                      size_t k)
{
    const struct plateaus_step *step = &curve->fit.steps[k];
    struct result *result = add_result(f, MAP_LEVEL, path, k + 1);
    add_heights(f, result, curve, k);
    add_metric(f, result, MAP_METRIC_SIZE,
               &(struct level_height){
                   exp2(step->end), {exp2(step->end_low), exp2(step->end_high)}, curve->count});
    if (strcmp(path, "vector") != 0)
        return;
    struct span span = {k ? exp2(curve->fit.steps[k - 1].end_high) : 0, exp2(step->end_low)};
    add_line(f, result, curve, k);
    add_bandwidth(f, result, MAP_METRIC_BANDWIDTH, "device", span);
    add_bandwidth(f, result, MAP_METRIC_GROUP_BANDWIDTH, "workgroup", span);
    bool last = k + 2 == curve->fit.count;
    if (k == 0 && f->limits.l1_bytes)
        add_claim(f, result, f->limits.l1_bytes);
    else if (last)
        add_claim(f, result, f->limits.last_cache_bytes);
    add_detail(f, result, "sector", "unknown: no probe of this version tells it");
    add_detail(f, result, "associativity", "unknown: no probe of this version tells it");
    add_detail(f, result, "sharing", "unknown: one core chased alone");
}

static void add_memory(const struct finder *f, const struct level_curve *curve, const char *path)
{
    size_t k = curve->fit.count - 1;
    struct result *result = add_result(f, MAP_MEMORY, path, 0);
    add_heights(f, result, curve, k);
    if (strcmp(path, "vector") != 0)
        return;
    struct span span = {BEHIND * (k ? exp2(curve->fit.steps[k - 1].end) : 0), INFINITY};
    add_bandwidth(f, result, MAP_METRIC_BANDWIDTH, "device", span);
    add_bandwidth(f, result, MAP_METRIC_GROUP_BANDWIDTH, "workgroup",
                  (struct span){k ? exp2(curve->fit.steps[k - 1].end_high) : 0, INFINITY});
    add_claim(f, result, f->device->limits.memory_bytes);
    add_detail(f, result, "clock domain", "unknown: one clock was seen");
}

static void add_hierarchy(const struct finder *f, const struct level_curve *curve, const char *path)
{
    struct result *result = add_result(f, MAP_HIERARCHY, path, 0);
    if (!curve->fit.decided) {
        result_doubt(f->run->arena, result, VERDICT_SKIPPED, "unknown",
                     "the levels of path %s are not told from its latencies: %s", path,
                     curve->fit.reason);
        return;
    }
    add_plain(f, result, MAP_METRIC_LEVELS, (double)(curve->fit.count - 1));
    for (size_t k = 0; k + 1 < curve->fit.count; k++)
        add_level(f, curve, path, k);
    add_memory(f, curve, path);
}

static void add_tlb(const struct finder *f, const struct level_curve *curve, const char *path)
{
    if (!curve->fit.decided) {
        struct result *result = add_result(f, MAP_TLB, path, 0);
        result_doubt(f->run->arena, result, VERDICT_SKIPPED, "unknown",
                     "the reach of the TLB is not told from chains over pages: %s",
                     curve->fit.reason);
        return;
    }
    for (size_t k = 0; k < curve->fit.count; k++) {
        struct result *result = add_result(f, MAP_TLB, path, k + 1);
        const struct plateaus_step *step = &curve->fit.steps[k];
        add_heights(f, result, curve, k);
        if (k + 1 < curve->fit.count)
            add_metric(f, result, MAP_METRIC_SIZE,
                       &(struct level_height){exp2(step->end),
                                              {exp2(step->end_low), exp2(step->end_high)},
                                              curve->count});
        else
            add_detail(f, result, "size", "unknown: beyond what was measured");
    }
}

// A core's shared memory has no levels: one latency, and the size that the driver states.
static void add_shared(const struct finder *f, const struct level_curve *curve, const char *path)
{
    struct result *result = add_result(f, MAP_SHARED, path, 0);
    struct level_curve all = *curve;
    all.fit.levels[0] = (struct plateau){.first = 0, .last = curve->count - 1};
    add_heights(f, result, &all, 0);
    add_claim(f, result, f->device->limits.shared_bytes);
    add_detail(f, result, "banks", "unknown: no probe of this version tells it");
}

void map_add_results(struct run *run, const struct gpu_info *device)
{
    const struct benchmark *map = benchmark_find("map");
    if (!map)
        return;
    struct arena *scratch = arena_create();
    struct finder f = {.run = run, .scratch = scratch, .device = device, .info = &map->info};
    measure_limits_of(device, &f.limits);
    struct level_curves all = levels_of(scratch, run, device->id);
    for (size_t i = 0; i < all.count; i++) {
        const struct level_curve *curve = &all.curves[i];
        const struct bench_case *point = &curve->results[0]->point;
        const char *path = case_text(point, "path"), *order = case_text(point, "order");
        if (strcmp(path, "shared") == 0)
            add_shared(&f, curve, path);
        else if (strcmp(order, "page") == 0)
            add_tlb(&f, curve, path);
        else
            add_hierarchy(&f, curve, path);
    }
    arena_destroy(scratch);
}
