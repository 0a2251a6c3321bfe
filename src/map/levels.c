// SPDX-License-Identifier: MIT
#include "analysis/levels.h"
#include "analysis/banks.h"
#include "bench/bench.h"
#include "bench/map.h"
#include "map/caches.h"
#include "map/judge.h"
#include "map/parts.h"
#include "map/writer.h"
#include "measure/limits.h"
#include "results/units.h"

#include <math.h>
#include <string.h>

enum {
    UNIT_TEXT = 32,
    BANKS_POINTS_MAX = 64,
    BEHIND = 4 // in a region of this many times a level's size, loads rarely hit the level
};

// Maximum width of the interval of a memory latency that contains address translation, as a share
// of the median. If the interval is wider, translation makes the curve rise, and the latency is
// unknown.
static const double translated_width = 0.1;

static const char no_end[] = "chains with a node in each line do not show its end";

// The ways are unknown if the control chain is slower than the level by more than this share of the
// latency step to the next level, because address translation may slow the chain.
static const double beside_part = 0.15;

// Adds the size in bytes that the driver states, as the metric `claim`; adds nothing if it is 0.
static void add_claim(const struct map_writer *w, struct result *result, uint64_t bytes)
{
    if (bytes)
        map_add_plain(w, result, MAP_METRIC_CLAIM, (double)bytes);
}

// ---------------------------------------------------------------- levels

// Adds the size of level k: the region at which the level ends on the curve, times `scale`.
static void add_size(const struct map_writer *w, struct result *result,
                     const struct level_curve *curve, size_t k, struct map_scale scale)
{
    const struct plateaus_step *step = &curve->fit.steps[k];
    const struct level_height size = {
        scale.size * exp2(step->end),
        {scale.least * exp2(step->end_low), scale.size * exp2(step->end_high)},
        curve->count};
    map_add_metric(w, result, MAP_METRIC_SIZE, &size);
}

// Returns why the size of level k is unknown; NULL if it is known.
static const char *why_unsized(const struct map_caches *caches, size_t k)
{
    const struct lines_answer *line = &caches->lines[k];
    unsigned shape = caches->steps.all.steps[caches->steps.step[k]].shape;
    if (map_caches_near_translation(caches, k))
        return "address translation makes a rise near the end of the level";
    if (map_caches_may_go_on(caches, k))
        return "the next rise may belong to the same cache";
    if (caches->sized[k])
        return NULL;
    if (line->line > 0 && line->line != MAP_NODE_BYTES)
        return caches->ends[k]
                   ? "no known cache explains how chains with a node in each line rise at its end"
                   : no_end;
    if (!(line->capacity > 0) && (step_shape_is_gradual(shape) || step_shape_is_random(shape)))
        return "latency rises slowly at its end, because it replaces lines at random or its lines "
               "hold several nodes; its line is unknown";
    return NULL;
}

static void add_probed_size(const struct map_writer *w, struct result *result,
                            const struct level_curve *curve, size_t k,
                            const struct lines_answer *line)
{
    double stride = (double)case_uint(&curve->results[0]->bench_case, "pitch");
    const char *why = why_unsized(w->caches, k);
    if (why) {
        map_add_unknown(w, result, "size", "%s", why);
        return;
    }
    if (w->caches->sized[k]) {
        const struct staircase_step *size = &w->caches->sizes[k];
        map_add_metric(w, result, MAP_METRIC_SIZE,
                       &(struct level_height){exp2(size->end),
                                              {exp2(size->end_low), exp2(size->end_high)},
                                              map_caches_region_count});
        return;
    }
    add_size(w, result, curve, k, map_level_scale(w->caches, k));
    if (line->capacity > 0)
        return;
    map_add_detail(result, "size",
                   arena_printf(w->run->arena,
                                "the region of a chain with a node every %.0f bytes; if lines are "
                                "shorter than that, the level is smaller",
                                stride));
}

static void add_level_claim(const struct map_writer *w, struct result *result,
                            const struct level_curve *curve, size_t k)
{
    if (k == 0)
        add_claim(w, result, w->limits.l1_bytes);
    else if (k + 2 == curve->fit.count)
        add_claim(w, result, w->limits.last_cache_bytes);
}

// ---------------------------------------------------------------- ways, sharers

// Returns the ways of level k by chains with this stride; 0 and the reason in *why if unknown.
static unsigned ways_at(const struct map_writer *w, const struct map_level *level, size_t k,
                        uint64_t stride, const char **why)
{
    double *ns = ARENA_ARRAY(w->scratch, map_ways_count, double);
    for (size_t i = 0; i < map_ways_count; i++)
        ns[i] = map_chain_ns(w, MAP_WAYS, k + 1, (double)(stride * map_ways_plan[i]), stride);
    return map_ways_judge(level, ns, why);
}

static void add_ways(const struct map_writer *w, struct result *result, size_t k)
{
    const struct map_level level = map_caches_level(w->caches, k);
    uint64_t stride = map_ways_stride(level.end);
    const char *why = NULL;
    unsigned ways = ways_at(w, &level, k, stride, &why);
    unsigned most = map_ways_plan[map_ways_count - 1];
    double all = map_chain_ns(w, MAP_WAYS, k + 1, (double)(stride * most), stride);
    double beside = map_chain_ns(w, MAP_WAYS, k + 1, (double)((stride + MAP_WAYS_BESIDE) * most),
                                 stride + MAP_WAYS_BESIDE);
    const char *unknown = NULL;
    if (beside > level.within + beside_part * (level.beyond - level.within))
        unknown = "lines so far apart do not fit even in different sets: translation may be the "
                  "reason";
    else if (all < sqrt(level.within * level.beyond))
        unknown = "lines a power of two apart do not conflict: the cache hashes its set index, or "
                  "has more than 33 ways";
    else if (ways && ways != ways_at(w, &level, k, 3 * stride, &why))
        unknown = "its sets are no power of two, or a hash chooses them";
    if (stride > MAP_WAYS_STRIDE_MOST)
        unknown = "ways are not probed above 4 MiB";
    map_add_known(w, result, MAP_METRIC_WAYS, unknown ? 0 : ways, unknown ? unknown : why);
}

// Adds the detail "partition" if level k looks like the near half of the next cache: it ends at
// half of the only cache that the driver states, and several cores, but not all, share it.
static void add_part(const struct map_writer *w, struct result *result,
                     const struct level_curve *curve, size_t k, const struct map_sharers *sharers)
{
    double stated = (double)w->limits.last_cache_bytes;
    unsigned cores = (unsigned)w->device->limits.cores;
    if (k + 3 != curve->fit.count || stated <= 0)
        return;
    double here = exp2(curve->fit.steps[k].end), next = exp2(curve->fit.steps[k + 1].end);
    if (fabs(log2(next / stated)) > 0.25 || fabs(log2(here / stated) + 1) > 0.25)
        return;
    if (!sharers->sharers)
        map_add_detail(result, "partition",
                       "perhaps the near half of the next level: it ends at half of the one cache "
                       "that the driver states");
    else if (sharers->sharers > 1 && sharers->high < cores)
        map_add_detail(
            result, "partition",
            arena_printf(w->run->arena,
                         "the near half of the next level: it ends at half of the one cache "
                         "that the driver states, and %u of the %u cores share it",
                         sharers->sharers, cores));
}

static void add_sharers(const struct map_writer *w, struct result *result,
                        const struct level_curve *curve, size_t k)
{
    unsigned cores = (unsigned)w->device->limits.cores;
    struct map_sharers_probe probes[2 * MAP_SHARERS_MAX];
    size_t count;
    struct map_sharers found =
        map_caches_sharers(w->caches, w->run, k, cores, true, probes, &count);
    for (size_t i = 0; i < k; i++)
        if (w->caches->unsure[i])
            found = (struct map_sharers){.why = "it is unknown which caches come before it"};
    if (found.sharers)
        map_add_metric(w, result, MAP_METRIC_SHARERS,
                       &(struct level_height){found.sharers, {found.low, found.high}, count});
    else
        map_add_known(w, result, MAP_METRIC_SHARERS, 0, found.why);
    add_part(w, result, curve, k, &found);
}

// ---------------------------------------------------------------- the hierarchy

// Adds the results of level k of the curve; `number` is the level number in the results.
static void add_level(const struct map_writer *w, const struct level_curve *curve, const char *path,
                      size_t k, size_t number, const struct map_caches *caches,
                      const struct map_size *sizes)
{
    struct result *result = map_add_result(w, MAP_LEVEL, path, number);
    if (!caches) {
        map_add_heights(w, result, curve, k);
        add_size(w, result, curve, k, (struct map_scale){1, 1});
        return;
    }
    map_add_flat_heights(w, result, curve, k);
    struct lines_answer line = caches->lines[k];
    add_probed_size(w, result, curve, k, &line);
    bool is_sized = !why_unsized(caches, k);
    bool has_end = caches->ends[k] || line.line == MAP_NODE_BYTES;
    map_add_known(w, result, MAP_METRIC_LINE, has_end ? line.line : 0,
                  line.line > 0 ? no_end : line.why);
    map_add_known(w, result, MAP_METRIC_SECTOR, is_sized ? line.sector : 0,
                  line.sector > 0 ? "its size is unknown" : line.why);
    add_level_claim(w, result, curve, k);
    add_ways(w, result, k);
    add_sharers(w, result, curve, k);
    map_add_bandwidth(w, result, curve, sizes, k);
    map_add_clock(w, result, curve, k);
}

static double largest_region(const struct level_curve *curve)
{
    return exp2(curve->octaves[curve->count - 1]);
}

// True if the largest region measured is smaller than 0.9 times the last cache that the driver
// states. The last part of the curve then shows this cache, not memory.
static bool is_cut_short(const struct map_writer *w, const struct level_curve *curve)
{
    return largest_region(curve) < 0.9 * (double)w->limits.last_cache_bytes;
}

// True if a cache that no driver states could hold all measured regions. A stated size below half
// of the last level does not count: some drivers state the first cache (AMD's OpenCL).
static bool is_open(const struct map_writer *w, const struct level_curve *curve)
{
    size_t count = curve->fit.count;
    double last = count > 1 ? exp2(curve->fit.steps[count - 2].end) : 0;
    double stated = (double)w->limits.last_cache_bytes;
    double most = (double)measure_limits_cache_most(&w->limits);
    return (stated <= 0 || stated < last / 2) &&
           largest_region(curve) < fmax(BEHIND * last, 2 * most);
}

// Adds a result for the last level. Its size is unknown: more than the largest region measured.
// Called only if the driver states a larger last cache (is_cut_short).
static void add_bound(const struct map_writer *w, const struct level_curve *curve, const char *path)
{
    size_t k = curve->fit.count - 1;
    char most[UNIT_TEXT];
    struct result *result = map_add_result(w, MAP_LEVEL, path, k + 1);
    map_add_heights(w, result, curve, k);
    add_claim(w, result, w->limits.last_cache_bytes);
    unit_format(largest_region(curve), UNIT_BYTE, most, sizeof most);
    map_add_unknown(w, result, "size", "more than %s, the largest region measured", most);
}

static void add_memory_latency(const struct map_writer *w, struct result *result,
                               const struct level_curve *curve, size_t k)
{
    const struct plateau *level = &curve->fit.levels[k];
    const struct level_height ns = levels_height(w->scratch, curve, k, "latency");
    // If a further cache may end beyond the last known one, the curve's last part may be this
    // cache. Only chains over few pages at a time then show the latency of memory.
    bool unsure = k > 0 && w->caches->unsure[k - 1];
    if (map_add_local_height(w, result, k, ns.count && !unsure ? ns.median : INFINITY))
        return;
    if (level->first > level->last) {
        map_add_unknown(w, result, "latency", "no size shows memory alone");
    } else if (map_steps_translation(&w->caches->steps, exp2(level->x_first)) <
               0.03 * level->height) {
        map_add_heights(w, result, curve, k);
    } else if (ns.ci95[1] - ns.ci95[0] < translated_width * ns.median) {
        map_add_heights(w, result, curve, k);
        map_add_detail(result, "latency", "address translation is a part of it");
    } else {
        map_add_unknown(w, result, "latency", "address translation makes the curve rise there");
    }
}

static void add_memory(const struct map_writer *w, const struct level_curve *curve,
                       const char *path, const struct map_size *sizes)
{
    size_t k = curve->fit.count - 1;
    struct result *result = map_add_result(w, MAP_MEMORY, path, 0);
    if (strcmp(path, "vector") != 0) {
        map_add_heights(w, result, curve, k);
        return;
    }
    add_memory_latency(w, result, curve, k);
    map_add_bandwidth(w, result, curve, sizes, k);
    if (is_open(w, curve))
        result_flag(w->run->arena, result, VERDICT_SUSPECT, "unknown",
                    "memory, or a cache larger than the largest region measured");
    else
        add_claim(w, result, w->device->limits.memory_bytes);
    map_add_clock(w, result, curve, k);
}

static void add_level_count(const struct map_writer *w, const struct level_curve *curve,
                            const char *path, struct result *result)
{
    const struct plateaus *fit = &curve->fit;
    struct arena *arena = w->run->arena;
    bool vector = strcmp(path, "vector") == 0;
    char at[UNIT_TEXT] = "";
    size_t first = fit->count; // index of the first level that may not be a separate cache
    for (size_t k = fit->flat; vector && k-- > 0;)
        first = w->caches->unsure[k] ? k : first;
    if (!fit->decided) {
        if (fit->flat > 1)
            unit_format(exp2(fit->steps[fit->flat - 2].end), UNIT_BYTE, at, sizeof at);
        result_flag(arena, result, VERDICT_SKIPPED, "unknown",
                    "could not separate the levels of path %s%s%s: %s", path, *at ? " beyond " : "",
                    at, fit->reason);
    } else if (first < fit->count) {
        unit_format(exp2(fit->steps[first].end), UNIT_BYTE, at, sizeof at);
        map_add_unknown(w, result, "levels", "the latency rises at %s, but %s", at,
                        w->caches->unsure[first]);
    } else if (vector && is_cut_short(w, curve)) {
        map_add_unknown(w, result, "levels",
                        "at least %zu; the end of the last one was not reached", fit->count);
    } else if (vector && is_open(w, curve)) {
        unit_format(largest_region(curve), UNIT_BYTE, at, sizeof at);
        map_add_unknown(w, result, "levels",
                        "at least %zu. No region above %s was measured and no "
                        "driver states the last cache: what lies beyond may be a cache or memory",
                        fit->count - 1, at);
    } else {
        map_add_plain(w, result, MAP_METRIC_LEVELS, (double)(fit->count - 1));
    }
}

// Adds the results of a path. `caches` describes the caches if the path is "vector"; else it is
// NULL.
static void add_hierarchy(const struct map_writer *w, const struct level_curve *curve,
                          const char *path, const struct map_caches *caches)
{
    struct map_size sizes[PLATEAUS_MAX];
    const struct plateaus *fit = &curve->fit;
    struct result *result = map_add_result(w, MAP_HIERARCHY, path, 0);
    bool bound = fit->decided && strcmp(path, "vector") == 0 && is_cut_short(w, curve);
    add_level_count(w, curve, path, result);
    if (caches)
        map_level_sizes(caches, sizes);
    size_t number = 0;
    bool is_unsure = false;
    for (size_t k = 0; k + 1 < fit->flat; k++) {
        is_unsure |= caches && caches->unsure[k];
        // After a rise that may not be the end of a separate cache, the number of a level is
        // uncertain. The level is then added only if its size is known and identifies it.
        if (!is_unsure ||
            (!caches->unsure[k] && caches->lines[k].capacity > 0 && !why_unsized(caches, k)))
            add_level(w, curve, path, k, ++number, caches, sizes);
    }
    if (bound)
        add_bound(w, curve, path);
    else if (fit->decided)
        add_memory(w, curve, path, sizes);
}

// ---------------------------------------------------------------- shared memory

// Returns the number of banks by the undisturbed loads of the benchmark strides; 0 if unknown.
static unsigned banks_of(const struct map_writer *w)
{
    double strides[BANKS_POINTS_MAX], ns[BANKS_POINTS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < w->run->result_count && count < BANKS_POINTS_MAX; i++) {
        const struct result *load = w->run->results[i];
        const struct metric *time = result_metric(load, "time");
        if (strcmp(load->benchmark, "strides") != 0 || strcmp(load->device, w->device->id) != 0 ||
            strcmp(case_text(&load->bench_case, "pattern"), "banks") != 0 || !time ||
            !isfinite(time->median) || result_disturbed(load))
            continue;
        strides[count] = (double)case_uint(&load->bench_case, "stride");
        ns[count++] = time->median;
    }
    return banks_count(&(struct banks_curve){strides, ns, count});
}

// Adds the result of shared memory: one latency, the size and the number of banks.
static void add_shared(const struct map_writer *w, const struct level_curve *curve)
{
    struct result *result = map_add_result(w, MAP_SHARED, "shared", 0);
    struct level_curve all = *curve;
    all.fit.levels[0] = (struct plateau){.first = 0, .last = curve->count - 1};
    if (curve->disturbed)
        map_add_unknown(w, result, "latency", "%s", curve->fit.reason);
    else
        map_add_heights(w, result, &all, 0);
    add_claim(w, result, w->device->limits.shared_bytes);
    // The largest chain that was measured fits, so its region is a lower bound of the size.
    map_add_plain(w, result, MAP_METRIC_SIZE, exp2(curve->octaves[curve->count - 1]));
    map_add_known(w, result, MAP_METRIC_BANKS, banks_of(w),
                  "threads a power of two words apart do not conflict, or were disturbed");
}

// ---------------------------------------------------------------- all curves

void map_add_results(struct run *run, const struct gpu_info *device)
{
    const struct benchmark *map = benchmark_find("map");
    if (!map)
        return;
    struct arena *scratch = arena_create();
    struct map_caches caches = {.steps.explained = false};
    struct map_writer w = {
        .run = run, .scratch = scratch, .device = device, .info = &map->info, .caches = &caches};
    measure_limits_of(device, &w.limits);
    struct level_curves all = levels_of(scratch, run, device->id);
    const size_t measured = run->result_count;
    for (size_t i = 0; i < all.count; i++) {
        const struct level_curve *curve = &all.curves[i];
        const struct bench_case *bench_case = &curve->results[0]->bench_case;
        const char *path = case_text(bench_case, "path"), *order = case_text(bench_case, "order");
        if (strcmp(path, "shared") == 0)
            add_shared(&w, curve);
        else if (strcmp(order, "page") == 0)
            map_add_translation(&w, curve);
        else if (strcmp(path, "vector") != 0)
            add_hierarchy(&w, curve, path, NULL);
        else {
            map_caches_of(scratch, run, curve, (double)measure_limits_cache_most(&w.limits),
                          &caches);
            map_level_judge(scratch, run, &caches);
            add_hierarchy(&w, &caches.steps.curve, path, &caches);
        }
    }
    map_add_code(&w);
    map_remark_low_clocks(&w, measured);
    map_add_unreached_clocks(&w);
    arena_destroy(scratch);
}
