// SPDX-License-Identifier: MIT
#include "simulated.h"

#include "chain.h"
#include "fakes/map_run.h"

#include "bench/map.h"
#include "math/stats.h"

#include <math.h>
#include <string.h>

enum {
    PAGE_LAP_NODES = 8192, // a lap over pages touches about 1 MiB
    ROUNDS_LEAST = 4,
    ROUNDS_MOST = 5,
    PER_ROUND = 4
};

static double uniform(struct random *random, double low, double high)
{
    return low + (high - low) * random_unit(random);
}

static bool chance(struct random *random, double share)
{
    return random_unit(random) < share;
}

static double normal(struct random *random)
{
    double u = 1 - random_unit(random), v = random_unit(random);
    return sqrt(-2 * log(u)) * cos(2 * acos(-1.0) * v);
}

// ---------------------------------------------------------------- making a machine

// Makes a cache of about `bytes`. The number of its sets is 1, 3, 5 or 7 times a power of two.
static void make_sets(struct random *random, double bytes, struct simulated_cache *cache)
{
    static const unsigned ways[] = {4, 5, 8, 8, 12, 16, 16, 20, 24, 32}, odd[] = {1, 1, 1, 3, 5, 7};
    cache->ways = ways[random_below(random, sizeof ways / sizeof *ways)];
    double factor = odd[random_below(random, sizeof odd / sizeof *odd)];
    double power = round(log2(bytes / cache->line / cache->ways / factor));
    cache->sets = (uint64_t)(factor * exp2(fmax(power, 4)));
    cache->capacity = cache->sets * cache->ways * cache->line;
}

static void make_level(struct random *random, struct simulated *machine, size_t k, double bytes,
                       unsigned cores)
{
    struct simulated_cache *cache = &machine->levels[k];
    uint32_t shortest = k ? machine->levels[k - 1].line : 32;
    cache->line = shortest;
    while (cache->line < 256 && chance(random, k ? 0.2 : 0.6))
        cache->line *= 2;
    cache->sector = cache->line;
    while (cache->sector > 32 && chance(random, 0.5))
        cache->sector /= 2;
    make_sets(random, bytes, cache);
    cache->choice = (enum simulated_sets)random_below(random, 3);
    if (cache->choice == SETS_RANDOM && cache->ways < 8)
        cache->choice = SETS_PLAIN; // with so few ways, hashed sets would stay partly empty
    cache->random = chance(random, 0.1);
    bool last = k + 1 == machine->level_count;
    unsigned least = k ? machine->levels[k - 1].sharers : 1;
    cache->sharers = k == 0 && !last ? 1 + (chance(random, 0.1) ? 1 : 0) : last ? cores : least;
    while (k > 0 && !last && cache->sharers < cores && chance(random, 0.6))
        cache->sharers += least;
    if (k > 0 && !last && chance(random, 0.4))
        cache->sharers = cores / 2; // the near half of a partitioned cache
    if (cores % cache->sharers)
        cache->sharers = cores;
}

// Returns the region of a chain that fills the cache with a node every 128 bytes.
static uint64_t region_of(const struct simulated_cache *cache)
{
    bool spared = cache->choice != SETS_PLAIN && cache->line < 128;
    return spared ? cache->capacity / cache->line * 128 : cache->capacity;
}

static bool is_fair(const struct simulated *machine)
{
    for (size_t k = 0; k < machine->level_count; k++) {
        const struct simulated_cache *outer = &machine->levels[k], *inner = outer - 1;
        if (outer->capacity < 6144 || outer->capacity > 96 << 20)
            return false;
        if (k && (outer->capacity < 3 * inner->capacity ||
                  2 * region_of(outer) < 5 * region_of(inner) || outer->sharers < inner->sharers ||
                  outer->capacity / outer->line < 3 * inner->capacity / inner->line))
            return false;
    }
    return true;
}

static void draw_levels(struct random *random, struct simulated *machine, unsigned cores)
{
    double sizes[SIMULATED_LEVELS_MAX];
    for (size_t k = 0; k < machine->level_count; k++)
        sizes[k] = exp2(uniform(random, 13, 26));
    stats_sort(sizes, machine->level_count);
    for (size_t k = 0; k < machine->level_count; k++)
        make_level(random, machine, k, sizes[k], cores);
}

static void draw_latencies(struct random *random, struct simulated *machine)
{
    double whole = uniform(random, 20, 130);
    for (size_t k = 0; k <= machine->level_count; k++) {
        double part = k == 0 ? 1 : chance(random, 0.5) ? uniform(random, 0.4, 1) : 1;
        double cycles = part * whole, ns = (1 - part) * whole / 1.98;
        if (k < machine->level_count) {
            machine->levels[k].cycles = cycles;
            machine->levels[k].ns = ns;
        } else {
            machine->memory_cycles = cycles;
            machine->memory_ns = ns;
        }
        whole *= 1.3 * exp2(uniform(random, 0, 2));
    }
}

static void draw_translation(struct random *random, struct simulated *machine)
{
    machine->page = UINT64_C(4096) << random_below(random, 10);
    machine->scattered = chance(random, 0.5);
    machine->tlb_count = random_below(random, SIMULATED_TLBS_MAX + 1);
    uint64_t entries = 32u << random_below(random, 4);
    for (size_t k = 0; k < machine->tlb_count; k++) {
        struct simulated_cache *tlb = &machine->tlbs[k];
        *tlb = (struct simulated_cache){.line = (uint32_t)machine->page,
                                        .sector = (uint32_t)machine->page,
                                        .ways = entries < 64 ? (uint32_t)entries : 8,
                                        .choice = SETS_FOLDED,
                                        .cycles = uniform(random, 10, 60) * (k ? 4 : 1),
                                        .sharers = 1};
        tlb->sets = entries / tlb->ways;
        tlb->capacity = entries * machine->page;
        entries *= 8u << random_below(random, 3);
    }
}

void simulated_make(struct random *random, struct simulated *machine, struct gpu_info *device)
{
    static const unsigned cores[] = {4, 8, 12, 16, 20, 24, 36, 40, 60, 64, 80, 108, 132};
    *machine = (struct simulated){.level_count = 1 + random_below(random, SIMULATED_LEVELS_MAX),
                                  .seed = random_next(random)};
    unsigned count = cores[random_below(random, sizeof cores / sizeof *cores)];
    do
        draw_levels(random, machine, count);
    while (!is_fair(machine));
    draw_latencies(random, machine);
    draw_translation(random, machine);
    machine->clocks_hz[0] = machine->clocks_hz[1] = 1.98e9;
    if (chance(random, 0.15))
        machine->clocks_hz[1] = 1.755e9;
    machine->noise = 0.001 * exp2(uniform(random, 0, 4));
    machine->correlation = uniform(random, 0, 0.9);
    *device = map_run_device();
    device->limits.cores = count;
    if (chance(random, 0.6))
        device->limits.last_cache_bytes = machine->levels[machine->level_count - 1].capacity;
    else if (chance(random, 0.2))
        device->limits.last_cache_bytes = 16 << 10; // as AMD's OpenCL states it
}

double simulated_latency(const struct simulated *machine, size_t k, double clock_hz)
{
    bool memory = k == machine->level_count;
    double cycles = memory ? machine->memory_cycles : machine->levels[k].cycles;
    return cycles / clock_hz * 1e9 + (memory ? machine->memory_ns : machine->levels[k].ns);
}

// ---------------------------------------------------------------- cases

// Makes the chain of a case. False if the machine does not have what the case measures.
static bool chain_of(const struct bench_case *bench_case, unsigned cores, struct chain *chain)
{
    const char *what = case_find(bench_case, "what") ? case_text(bench_case, "what") : "";
    const char *order = case_find(bench_case, "order") ? case_text(bench_case, "order") : "";
    if (!case_find(bench_case, "path") || strcmp(case_text(bench_case, "path"), "vector") != 0 ||
        !case_find(bench_case, "pitch") || strcmp(what, MAP_CLOCKS) == 0)
        return false;
    uint64_t bytes = case_uint(bench_case, "bytes");
    const struct case_value *parallel = case_find(bench_case, "chains");
    *chain = (struct chain){.stride = case_uint(bench_case, "pitch"),
                            .turns = 1,
                            .count = strcmp(what, MAP_NEIGHBOURS) ? 1
                                     : parallel                   ? (unsigned)parallel->uint
                                                                  : cores,
                            .cores = cores};
    bool pages = strcmp(order, "page") == 0 || strcmp(what, MAP_PAGES) == 0;
    if (strcmp(order, "page") == 0)
        chain->stride = case_uint(bench_case, "page");
    chain->in_order = strcmp(what, MAP_LOCAL) == 0;
    if (chain->in_order)
        chain->stride = 32; // a lap touches every 32 bytes
    chain->nodes = bytes / chain->stride;
    if (pages && chain->nodes)
        chain->turns = (PAGE_LAP_NODES + chain->nodes / 2) / chain->nodes;
    chain->turns += chain->turns == 0;
    chain->nodes *= chain->turns;
    return chain->nodes > 1;
}

// Returns one sample in ns.
static double sample(const struct simulated *machine, const struct latency *latency,
                     double clock_hz, double *disturbance, struct random *random)
{
    double rho = machine->correlation;
    *disturbance = rho * *disturbance + sqrt(1 - rho * rho) * normal(random);
    double ns = latency->cycles / clock_hz * 1e9 + latency->ns;
    ns *= 1 + machine->noise * *disturbance;
    return chance(random, 0.01) ? ns * uniform(random, 2, 10) : ns;
}

static void add_metric(struct result *result, const char *name, enum unit unit, double *rounds,
                       size_t count)
{
    struct interval found = interval_of_median(rounds, count, 0.95);
    result->metrics[result->metric_count++] = (struct metric){.name = name,
                                                              .unit = unit,
                                                              .median = found.median,
                                                              .ci95 = {found.low, found.high},
                                                              .n = count * PER_ROUND,
                                                              .limit = NAN};
}

// True if a run would end the case: half of the interval is within 1 % after `count` rounds.
static bool is_precise(const double *rounds, size_t count)
{
    double copy[ROUNDS_MOST];
    memcpy(copy, rounds, count * sizeof *copy);
    struct interval found = interval_of_median(copy, count, 0.975);
    return found.high - found.low <= 2 * 0.01 * found.median;
}

static void measure(const struct simulated *machine, const struct latency *latency,
                    struct random *random, struct arena *arena, struct result *result)
{
    double ns[ROUNDS_MOST], cycles[ROUNDS_MOST];
    size_t rounds = 0;
    for (; rounds < ROUNDS_LEAST || (rounds < ROUNDS_MOST && !is_precise(ns, rounds)); rounds++) {
        double visit[PER_ROUND], disturbance = normal(random);
        double clock_hz = machine->clocks_hz[random_below(random, 2)];
        for (size_t i = 0; i < PER_ROUND; i++)
            visit[i] = sample(machine, latency, clock_hz, &disturbance, random);
        ns[rounds] = stats_median(visit, PER_ROUND);
        cycles[rounds] = ns[rounds] * clock_hz / 1e9;
    }
    result->metrics = ARENA_ARRAY(arena, 2, struct metric);
    add_metric(result, "latency", UNIT_NS, ns, rounds);
    add_metric(result, "latency_cycles", UNIT_CYCLE, cycles, rounds);
    const struct metric *first = result->metrics;
    if (first->ci95[1] - first->ci95[0] > 0.1 * first->median)
        result_flag(arena, result, VERDICT_SUSPECT, "imprecise", "noisy");
}

void simulated_answer(const struct simulated *machine, const struct gpu_info *device,
                      struct random *random, struct arena *arena, struct result *result)
{
    struct chain chain;
    if (!chain_of(&result->bench_case, (unsigned)device->limits.cores, &chain)) {
        result_flag(arena, result, VERDICT_SKIPPED, "unsupported", "the machine has none");
        return;
    }
    struct latency latency = {0};
    if (machine->slope > 0)
        latency.ns = 20 * pow((double)(chain.nodes * chain.stride) / 1024, machine->slope);
    else
        latency = chain_simulate(machine, &chain, random);
    measure(machine, &latency, random, arena, result);
}
