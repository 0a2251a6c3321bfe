// SPDX-License-Identifier: MIT
#include "simulated.h"

#include "bench/map.h"
#include "math/permute.h"
#include "math/stats.h"

#include <math.h>
#include <string.h>

enum {
    NODES_MAX = 6144,      // simulated nodes of a chain
    PAGE_LAP_NODES = 8192, // a lap over pages touches at least 1 MiB
    BLOCK_SHIFT = 8,       // blocks of 256 bytes are simulated or left out
    ROUNDS = 5,
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

// A cache of about `bytes`: 1, 3, 5 or 7 times a power of two sets.
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
        cache->choice = SETS_PLAIN; // a hash of each line would leave much of so few ways unused
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

// The region of a chain with a node in each 128 bytes that fills the cache.
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
    *device = (struct gpu_info){.id = "vulkan:0", .api = "vulkan", .kind = GPU_KIND_DISCRETE};
    device->caps = ~GPU_CAP(VIRTUAL_TIME);
    device->limits = (struct gpu_limits){.memory_bytes = UINT64_C(64) << 30,
                                         .allocation_bytes = UINT64_C(4) << 30,
                                         .storage_range_bytes = UINT64_C(4) << 30,
                                         .constant_range_bytes = 64 << 10,
                                         .typed_elements = 1 << 27,
                                         .image_2d = 16384,
                                         .shared_bytes = 48 << 10,
                                         .workgroup_threads = 1024,
                                         .cores = count};
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

// ---------------------------------------------------------------- one cache

struct cache {
    const struct simulated_cache *desc;
    uint64_t sets; // per instance, as far as they are simulated
    uint64_t seed;
    unsigned line_shift, power; // sets = odd × 2^power
    unsigned sampled;           // of the block's number these lowest bits are the same in all lines
    uint64_t *lines;            // [instance][set][way]: line + 1 above a bit a sector, newest first
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static unsigned shift_of(uint64_t power)
{
    unsigned shift = 0;
    while (power >> shift > 1)
        shift++;
    return shift;
}

static void cache_init(struct arena *arena, const struct simulated_cache *desc, unsigned sampled,
                       unsigned instances, struct cache *cache)
{
    uint64_t sets = desc->sets >> sampled;
    *cache = (struct cache){.desc = desc,
                            .sets = sets ? sets : 1,
                            .line_shift = shift_of(desc->line),
                            .sampled = sampled};
    while (cache->sets >> cache->power % 64 && !(cache->sets >> cache->power & 1))
        cache->power++;
    cache->lines = ARENA_ARRAY(arena, instances * cache->sets * desc->ways, uint64_t);
}

static uint64_t set_of(const struct cache *cache, uint64_t line)
{
    if (cache->desc->choice == SETS_RANDOM)
        return mix(line ^ cache->seed) % cache->sets;
    if (cache->sampled) { // take out the bits that are the same in all lines
        unsigned below = BLOCK_SHIFT - cache->line_shift;
        line = line >> (below + cache->sampled) << below | (line & ((UINT64_C(1) << below) - 1));
    }
    if (cache->desc->choice == SETS_FOLDED)
        line ^= mix(line >> cache->power) & ((UINT64_C(1) << cache->power) - 1);
    return line % cache->sets;
}

// True if the sector was there; else it is there afterwards.
static bool cache_load(const struct cache *cache, unsigned instance, uint64_t address,
                       struct random *random)
{
    const struct simulated_cache *desc = cache->desc;
    uint64_t line = address >> cache->line_shift, tag = (line + 1) << 8;
    uint64_t sector = UINT64_C(1) << (address & (desc->line - 1)) / desc->sector;
    uint64_t *set = cache->lines + (instance * cache->sets + set_of(cache, line)) * desc->ways;
    uint32_t way = 0;
    while (way < desc->ways && set[way] >> 8 != line + 1 && set[way])
        way++;
    if (way < desc->ways && set[way]) {
        bool hit = set[way] & sector;
        tag = set[way] | sector;
        memmove(set + 1, set, way * sizeof *set);
        set[0] = tag;
        return hit;
    }
    if (way == desc->ways)
        way = desc->random ? (uint32_t)random_below(random, desc->ways) : desc->ways - 1;
    memmove(set + 1, set, way * sizeof *set);
    set[0] = tag | sector;
    return false;
}

// ---------------------------------------------------------------- chains

struct chain {
    uint64_t nodes, stride; // of a core; bytes from one node to the next
    uint64_t turns;         // nodes of each place: > 1 for chains over pages
    unsigned cores;         // so many follow a chain in a region of their own
};

static uint64_t virtual_of(const struct simulated *machine, const struct chain *chain,
                           unsigned core, uint64_t node)
{
    uint64_t place = core * chain->nodes + node / chain->turns;
    if (chain->turns == 1)
        return place * chain->stride;
    return place * chain->stride + mix(node ^ machine->seed) % (chain->stride / 128) * 128;
}

static uint64_t physical_of(const struct simulated *machine, uint64_t address)
{
    if (!machine->scattered)
        return address + (UINT64_C(1) << 36);
    uint64_t page = mix(address / machine->page ^ machine->seed) & 0xffffff;
    return page * machine->page + address % machine->page;
}

struct load {
    uint64_t address;
    unsigned core;
};

struct lap {
    struct load *loads;
    size_t count, most;
    uint64_t mask, chosen; // of a block's number
};

// Adds the nodes of the chain in the page that begins at the virtual address `page`.
static void add_page(const struct simulated *machine, const struct chain *chain, uint64_t page,
                     uint64_t bytes, struct lap *lap)
{
    uint64_t physical = physical_of(machine, page), total = chain->nodes * chain->cores;
    uint64_t first = (lap->chosen - (physical >> BLOCK_SHIFT)) & lap->mask;
    for (uint64_t at = first << BLOCK_SHIFT; at < bytes; at += (lap->mask + 1) << BLOCK_SHIFT)
        for (uint64_t node = (page + at + chain->stride - 1) / chain->stride;
             node < total && node * chain->stride < page + at + (1 << BLOCK_SHIFT) &&
             lap->count < lap->most;
             node++)
            lap->loads[lap->count++] = (struct load){physical + (node * chain->stride - page),
                                                     (unsigned)(node / chain->nodes)};
}

static void add_nodes(const struct simulated *machine, const struct chain *chain, struct lap *lap)
{
    uint64_t total = chain->nodes * chain->cores;
    if (chain->turns > 1 || chain->stride > 512) {
        for (uint64_t i = 0; i < total && lap->count < lap->most; i++) {
            uint64_t at =
                virtual_of(machine, chain, (unsigned)(i / chain->nodes), i % chain->nodes);
            at = physical_of(machine, at);
            if ((at >> BLOCK_SHIFT & lap->mask) == lap->chosen)
                lap->loads[lap->count++] = (struct load){at, (unsigned)(i / chain->nodes)};
        }
        return;
    }
    uint64_t page = machine->scattered ? machine->page : total * chain->stride;
    page = (page + (1 << BLOCK_SHIFT) - 1) >> BLOCK_SHIFT << BLOCK_SHIFT;
    for (uint64_t at = 0; at < total * chain->stride; at += page)
        add_page(machine, chain, at, page, lap);
}

// The simulated loads of a lap, in random order. *sampled: of the blocks one in 2^sampled.
static struct lap lap_of(struct arena *arena, const struct simulated *machine,
                         const struct chain *chain, struct random *random, unsigned *sampled)
{
    uint64_t total = chain->nodes * chain->cores;
    *sampled = 0;
    while ((chain->stride < 4096 || chain->turns > 1) && total >> *sampled > NODES_MAX)
        ++*sampled;
    struct lap lap = {.most = (size_t)(total >> *sampled) * 2 + 4096,
                      .mask = (UINT64_C(1) << *sampled) - 1};
    lap.chosen = mix(machine->seed ^ total) & lap.mask;
    lap.loads = ARENA_ARRAY(arena, lap.most, struct load);
    add_nodes(machine, chain, &lap);
    for (size_t i = lap.count; i > 1; i--) {
        size_t j = random_next(random) % i;
        struct load swap = lap.loads[i - 1];
        lap.loads[i - 1] = lap.loads[j];
        lap.loads[j] = swap;
    }
    return lap;
}

// `depth` gets the shares of loads that hit level 0, 1, … and memory.
static void simulate_caches(struct arena *arena, const struct simulated *machine,
                            const struct chain *chain, struct random *random, double *depth)
{
    struct cache caches[SIMULATED_LEVELS_MAX];
    unsigned sampled;
    bool random_lines = false;
    const struct lap lap = lap_of(arena, machine, chain, random, &sampled);
    const struct load *loads = lap.loads;
    size_t count = lap.count;
    for (size_t k = 0; k < machine->level_count; k++) {
        cache_init(arena, &machine->levels[k], sampled,
                   (chain->cores - 1) / machine->levels[k].sharers + 1, &caches[k]);
        caches[k].seed = machine->seed + k;
        random_lines |= machine->levels[k].random;
    }
    for (size_t k = 0; k <= machine->level_count; k++)
        depth[k] = 0;
    unsigned warm = random_lines ? 4 : 1;
    while (count && count * (warm + 1) < 512)
        warm++;
    for (unsigned round = 0; round <= warm; round++)
        for (size_t i = 0; i < count; i++) {
            size_t k = 0;
            while (k < machine->level_count &&
                   !cache_load(&caches[k], loads[i].core / machine->levels[k].sharers,
                               loads[i].address, random))
                k++;
            depth[k] += round == warm ? 1 / (double)count : 0;
        }
}

// Core cycles of translation a load.
static double simulate_tlbs(struct arena *arena, const struct simulated *machine,
                            const struct chain *chain, struct random *random)
{
    enum {
        LOADS = 2048
    };
    struct cache tlbs[SIMULATED_TLBS_MAX];
    uint64_t most = 0;
    double cycles = 0;
    for (size_t k = 0; k < machine->tlb_count; k++) {
        cache_init(arena, &machine->tlbs[k], 0, 1, &tlbs[k]);
        most = machine->tlbs[k].capacity / machine->page;
    }
    uint64_t places = chain->nodes / chain->turns, apart = machine->page;
    apart = chain->stride > apart ? chain->stride : apart;
    uint64_t pages = places * chain->stride / apart;
    // Long enough for all pages that the TLBs can hold to be there.
    uint64_t warm = 12 * (pages < 2 * most ? pages : 2 * most) + 64;
    uint32_t key = (uint32_t)random_next(random);
    for (uint64_t i = 0; i < warm + LOADS && machine->tlb_count; i++) {
        uint64_t place = permute_index((uint32_t)(i % places), (uint32_t)places, key);
        uint64_t address = place * chain->stride;
        for (size_t k = 0; k < machine->tlb_count; k++) {
            if (cache_load(&tlbs[k], 0, address, random))
                break;
            cycles += i >= warm ? machine->tlbs[k].cycles / LOADS : 0;
        }
    }
    return cycles;
}

// The latency of a chain in core cycles and in ns of other clocks.
struct latency {
    double cycles, ns;
};

static struct latency simulate(const struct simulated *machine, const struct chain *chain,
                               struct random *random)
{
    struct arena *arena = arena_create();
    double depth[SIMULATED_LEVELS_MAX + 1];
    simulate_caches(arena, machine, chain, random, depth);
    size_t last = machine->level_count;
    struct latency latency = {depth[last] * machine->memory_cycles,
                              depth[last] * machine->memory_ns};
    for (size_t k = 0; k < last; k++) {
        latency.cycles += depth[k] * machine->levels[k].cycles;
        latency.ns += depth[k] * machine->levels[k].ns;
    }
    latency.cycles += simulate_tlbs(arena, machine, chain, random);
    arena_destroy(arena);
    return latency;
}

// ---------------------------------------------------------------- cases

// The chain of a case. False if the machine does not have what the case measures.
static bool chain_of(const struct bench_case *bench_case, unsigned cores, struct chain *chain)
{
    const char *what = case_find(bench_case, "what") ? case_text(bench_case, "what") : "";
    const char *order = case_find(bench_case, "order") ? case_text(bench_case, "order") : "";
    if (!case_find(bench_case, "path") || strcmp(case_text(bench_case, "path"), "vector") != 0 ||
        !case_find(bench_case, "pitch") || strcmp(what, MAP_CLOCKS) == 0)
        return false;
    uint64_t bytes = case_uint(bench_case, "bytes");
    *chain = (struct chain){.stride = case_uint(bench_case, "pitch"),
                            .turns = 1,
                            .cores = strcmp(what, MAP_NEIGHBOURS) == 0 ? cores : 1};
    bool pages = strcmp(order, "page") == 0 || strcmp(what, MAP_PAGES) == 0;
    if (strcmp(order, "page") == 0)
        chain->stride = case_uint(bench_case, "page");
    chain->nodes = bytes / chain->stride;
    while (pages && chain->nodes * chain->turns < PAGE_LAP_NODES)
        chain->turns *= 2;
    chain->nodes *= chain->turns;
    return chain->nodes > 1;
}

// One sample in ns.
static double sample(const struct simulated *machine, const struct latency *latency,
                     double clock_hz, double *disturbance, struct random *random)
{
    double rho = machine->correlation;
    *disturbance = rho * *disturbance + sqrt(1 - rho * rho) * normal(random);
    double ns = latency->cycles / clock_hz * 1e9 + latency->ns;
    ns *= 1 + machine->noise * *disturbance;
    return chance(random, 0.01) ? ns * uniform(random, 2, 10) : ns;
}

static void add_metric(struct result *result, const char *name, enum unit unit, double *rounds)
{
    struct interval found = interval_of_median(rounds, ROUNDS, 0.95);
    result->metrics[result->metric_count++] = (struct metric){.name = name,
                                                              .unit = unit,
                                                              .median = found.median,
                                                              .ci95 = {found.low, found.high},
                                                              .n = ROUNDS * PER_ROUND,
                                                              .limit = NAN};
}

static void measure(const struct simulated *machine, const struct latency *latency,
                    struct random *random, struct arena *arena, struct result *result)
{
    double ns[ROUNDS], cycles[ROUNDS];
    for (size_t round = 0; round < ROUNDS; round++) {
        double visit[PER_ROUND], disturbance = normal(random);
        double clock_hz = machine->clocks_hz[random_below(random, 2)];
        for (size_t i = 0; i < PER_ROUND; i++)
            visit[i] = sample(machine, latency, clock_hz, &disturbance, random);
        ns[round] = stats_median(visit, PER_ROUND);
        cycles[round] = ns[round] * clock_hz / 1e9;
    }
    result->metrics = ARENA_ARRAY(arena, 2, struct metric);
    add_metric(result, "latency", UNIT_NS, ns);
    add_metric(result, "latency_cycles", UNIT_CYCLE, cycles);
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
        latency = simulate(machine, &chain, random);
    measure(machine, &latency, random, arena, result);
}
