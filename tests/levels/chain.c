// SPDX-License-Identifier: MIT
#include "chain.h"

#include "math/permute.h"

#include <stdlib.h>
#include <string.h>

enum {
    NODES_MAX = 6144,     // simulated nodes of one chain
    TOGETHER_MAX = 49152, // the same, of several chains together
    BLOCK_SHIFT = 8,      // blocks of 256 bytes are simulated or left out
    ORDERED_BYTES = 512   // between loads of a chain that visits pages in order
};

// ---------------------------------------------------------------- one cache

struct cache {
    const struct simulated_cache *desc;
    uint64_t sets; // simulated sets of one instance
    uint64_t seed;
    unsigned line_shift, power; // sets = odd × 2^power
    unsigned sampled;           // lowest bits of block numbers that all lines share
    uint64_t *lines;            // [instance][set][way]: line + 1, then a bit a sector; newest first
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
    uint64_t sets = (desc->sets + (UINT64_C(1) << sampled >> 1)) >> sampled;
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
    if (cache->sampled) { // take out the bits that all lines share
        unsigned below = BLOCK_SHIFT - cache->line_shift;
        line = line >> (below + cache->sampled) << below | (line & ((UINT64_C(1) << below) - 1));
    }
    if (cache->desc->choice == SETS_FOLDED)
        line ^= mix(line >> cache->power) & ((UINT64_C(1) << cache->power) - 1);
    return line % cache->sets;
}

// Loads a sector. True if the cache had the sector; afterwards it has it.
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
    unsigned chain;
};

struct lap {
    struct load *loads;
    size_t count, most;
    uint64_t mask, chosen; // a block is simulated if its number & mask is `chosen`
};

// Adds the simulated nodes of the page that begins at the virtual address `page`.
static void add_page(const struct simulated *machine, const struct chain *chain, uint64_t page,
                     uint64_t bytes, struct lap *lap)
{
    uint64_t physical = physical_of(machine, page), total = chain->nodes * chain->count;
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
    uint64_t total = chain->nodes * chain->count;
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

// Sorts loads, one in every 32 bytes, that come in the order of addresses. First comes one load of
// each 512 bytes, then the next one of each, and so on. Within 512 bytes, the order is
// bit-reversed, as in latency's order=plru.
static void put_in_order(struct arena *arena, struct lap *lap)
{
    static const unsigned slots[] = {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15};
    struct load *sorted = ARENA_ARRAY(arena, lap->most, struct load);
    size_t count = 0;
    for (size_t turn = 0; turn < sizeof slots / sizeof *slots; turn++)
        for (size_t i = 0; i < lap->count; i++)
            if (lap->loads[i].address % ORDERED_BYTES / 32 == slots[turn])
                sorted[count++] = lap->loads[i];
    lap->loads = sorted;
}

// Returns the simulated loads of a lap, in random order or in the order of pages. One block in
// 2^*sampled is simulated.
static struct lap lap_of(struct arena *arena, const struct simulated *machine,
                         const struct chain *chain, struct random *random, unsigned *sampled)
{
    uint64_t total = chain->nodes * chain->count;
    *sampled = 0;
    uint64_t most = chain->count > 1 ? TOGETHER_MAX : NODES_MAX;
    while ((chain->stride < 4096 || chain->turns > 1) && total >> *sampled > most)
        ++*sampled;
    struct lap lap = {.most = (size_t)(total >> *sampled) * 2 + 4096,
                      .mask = (UINT64_C(1) << *sampled) - 1};
    lap.chosen = mix(machine->seed ^ total) & lap.mask;
    lap.loads = ARENA_ARRAY(arena, lap.most, struct load);
    add_nodes(machine, chain, &lap);
    if (chain->in_order) {
        put_in_order(arena, &lap);
        return lap;
    }
    for (size_t i = lap.count; i > 1; i--) {
        size_t j = random_next(random) % i;
        struct load swap = lap.loads[i - 1];
        lap.loads[i - 1] = lap.loads[j];
        lap.loads[j] = swap;
    }
    return lap;
}

// Returns the core that follows chain `i`.
static unsigned core_of(const struct chain *chain, unsigned i)
{
    return (unsigned)((uint64_t)i * chain->cores / chain->count);
}

static void init_caches(struct arena *arena, const struct simulated *machine,
                        const struct chain *chain, unsigned sampled, struct cache *caches)
{
    unsigned last = core_of(chain, chain->count - 1);
    for (size_t k = 0; k < machine->level_count; k++) {
        cache_init(arena, &machine->levels[k], sampled, last / machine->levels[k].sharers + 1,
                   &caches[k]);
        caches[k].seed = machine->seed + k;
    }
}

// Returns the number of laps that warm the caches before the counted lap.
static unsigned warm_laps(const struct simulated *machine, size_t nodes)
{
    unsigned warm = 1;
    for (size_t k = 0; k < machine->level_count; k++)
        warm = machine->levels[k].random ? 4 : warm;
    while (nodes && nodes * (warm + 1) < 512)
        warm++;
    return warm;
}

// Sets hits[chain][k] to the number of the chain's loads that hit level k. The last k is memory.
static void simulate_caches(struct arena *arena, const struct simulated *machine,
                            const struct chain *chain, struct random *random,
                            double (*hits)[SIMULATED_LEVELS_MAX + 1])
{
    struct cache caches[SIMULATED_LEVELS_MAX];
    unsigned sampled;
    const struct lap lap = lap_of(arena, machine, chain, random, &sampled);
    const struct load *loads = lap.loads;
    init_caches(arena, machine, chain, sampled, caches);
    unsigned warm = warm_laps(machine, lap.count);
    for (unsigned round = 0; round <= warm; round++)
        for (size_t i = 0; i < lap.count; i++) {
            unsigned core = core_of(chain, loads[i].chain);
            size_t k = 0;
            while (k < machine->level_count &&
                   !cache_load(&caches[k], core / machine->levels[k].sharers, loads[i].address,
                               random))
                k++;
            hits[loads[i].chain][k] += round == warm;
        }
}

// Returns the core cycles of address translation a load. If a chain visits pages in order, only its
// first load in a page can miss a TLB.
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
    uint64_t pages = (places * chain->stride + (chain->in_order ? apart - 1 : 0)) / apart;
    // Enough loads to bring in all pages that the TLBs can hold.
    uint64_t warm = 12 * (pages < 2 * most ? pages : 2 * most) + 64;
    uint64_t in_page = chain->in_order ? machine->page / ORDERED_BYTES : 1;
    uint32_t key = (uint32_t)random_next(random);
    for (uint64_t i = 0; i < warm + LOADS && machine->tlb_count; i++) {
        uint64_t place = permute_index((uint32_t)(i % places), (uint32_t)places, key);
        uint64_t address = chain->in_order ? i % pages * machine->page : place * chain->stride;
        for (size_t k = 0; k < machine->tlb_count; k++) {
            if (cache_load(&tlbs[k], 0, address, random))
                break;
            cycles += i >= warm ? machine->tlbs[k].cycles / (double)(LOADS * in_page) : 0;
        }
    }
    return cycles;
}

// Returns the mean latency of loads; hits[k] is how many hit level k.
static struct latency latency_of(const struct simulated *machine, const double *hits)
{
    struct latency latency = {0, 0};
    double all = 0;
    for (size_t k = 0; k <= machine->level_count; k++) {
        bool memory = k == machine->level_count;
        latency.cycles += hits[k] * (memory ? machine->memory_cycles : machine->levels[k].cycles);
        latency.ns += hits[k] * (memory ? machine->memory_ns : machine->levels[k].ns);
        all += hits[k];
    }
    return all > 0 ? (struct latency){latency.cycles / all, latency.ns / all} : latency;
}

static int by_latency(const void *a, const void *b)
{
    const struct latency *x = a, *y = b;
    double first = x->cycles + x->ns, second = y->cycles + y->ns;
    return (first > second) - (first < second);
}

struct latency chain_simulate(const struct simulated *machine, const struct chain *chain,
                              struct random *random)
{
    struct arena *arena = arena_create();
    double(*hits)[SIMULATED_LEVELS_MAX + 1] = arena_alloc(arena, chain->count * sizeof *hits);
    struct latency *all = ARENA_ARRAY(arena, chain->count, struct latency);
    simulate_caches(arena, machine, chain, random, hits);
    for (unsigned i = 0; i < chain->count; i++)
        all[i] = latency_of(machine, hits[i]);
    qsort(all, chain->count, sizeof *all, by_latency);
    struct latency latency = all[chain->count / 2];
    latency.cycles += simulate_tlbs(arena, machine, chain, random);
    arena_destroy(arena);
    return latency;
}
