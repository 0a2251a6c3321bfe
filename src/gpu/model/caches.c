// SPDX-License-Identifier: MIT
// Simulates caches and TLBs. Most of the time goes to pointer chases over 10⁵ to 10⁷ lines, where
// the host waits for its own memory. So a simulated line is one 32-bit word, and a set of 16 ways
// fits into one line of the host's cache. The code avoids divisions and branches.
#include "gpu/model/caches.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct cache {
    // A word for each line, set after set: the tag (0 if there is no line), then a bit for each
    // sector that is present. With LRU, the lines of a set are sorted by their last use, the latest
    // first.
    uint32_t *lines;
    // trees[set]: bits of the PLRU tree of the set; NULL unless the replacement is PLRU
    uint64_t *trees;
    uint64_t random;
};

enum {
    HOST_LINE_WORDS = 16
};

// Four words that the host compares with one instruction (vector extension of gcc and clang).
typedef uint32_t four __attribute__((vector_size(16)));
struct eight {
    four low, high;
};

// The caches of one level, or the TLBs of one level. All of them have the same size and shape.
struct level {
    const struct model_cache_desc *desc;
    uint64_t sets;
    double sets_inverse;
    unsigned line_shift, sector_shift, sectors;
    uint32_t sharers, ways;
    struct cache *caches;   // the caches of the level; core c uses caches[c / sharers]
    struct cache **of_core; // of_core[c] is the cache that core c uses; NULL before its first use
};

struct model_caches {
    struct arena *arena;
    const struct model_machine *machine;
    double cycle_ns;
    uint32_t level_count, tlb_count;
    struct level levels[MODEL_LEVELS_MAX], tlbs[MODEL_TLBS_MAX];
    uint64_t served[MODEL_LEVELS_MAX + 1];
};

// ---------------------------------------------------------------- one cache

static unsigned shift_of(uint32_t power)
{
    unsigned shift = 0;
    while (power >> shift > 1)
        shift++;
    return shift;
}

static void level_init(struct model_caches *caches, struct level *level,
                       const struct model_cache_desc *desc)
{
    uint64_t lines = desc->capacity_bytes / desc->line_bytes;
    const uint32_t cores = caches->machine->cores;
    *level = (struct level){.desc = desc,
                            .sets = lines / desc->ways,
                            .line_shift = shift_of(desc->line_bytes),
                            .sector_shift = shift_of(desc->sector_bytes),
                            .sectors = desc->line_bytes / desc->sector_bytes,
                            .sharers = desc->sharers ? desc->sharers : cores,
                            .ways = desc->ways};
    level->sets_inverse = 1 / (double)level->sets;
    size_t count = (cores + level->sharers - 1) / level->sharers;
    level->caches = ARENA_ARRAY(caches->arena, count, struct cache);
    level->of_core = ARENA_ARRAY(caches->arena, cores, struct cache *);
}

static struct cache *first_of(const struct model_caches *caches, const struct level *level,
                              uint32_t core)
{
    struct cache *cache = level->of_core[core] = &level->caches[core / level->sharers];
    if (cache->lines)
        return cache;
    uint32_t *lines =
        ARENA_ARRAY(caches->arena, level->sets * level->ways + HOST_LINE_WORDS, uint32_t);
    cache->random = 1;
    cache->lines = lines + (HOST_LINE_WORDS - (uintptr_t)lines / sizeof *lines % HOST_LINE_WORDS);
    if (level->desc->replacement == MODEL_PLRU)
        cache->trees = ARENA_ARRAY(caches->arena, level->sets, uint64_t);
    return cache;
}

static inline struct cache *cache_of(const struct model_caches *caches, const struct level *level,
                                     uint32_t core)
{
    struct cache *cache = level->of_core[core];
    return cache ? cache : first_of(caches, level, core);
}

struct place {
    uint64_t set;
    uint32_t tag;
};

// Returns the set and the tag of an address. Consecutive lines belong to consecutive sets; in a
// hashed level, each pass through all sets begins at a hashed set.
static inline struct place place_of(const struct level *level, uint64_t address)
{
    uint64_t line = address >> level->line_shift, sets = level->sets;
    uint64_t run = (uint64_t)((double)line * level->sets_inverse);
    // sets_inverse is rounded, so the quotient `run` may be wrong by one. This is corrected here.
    if (run * sets > line)
        run--;
    else if (line - run * sets >= sets)
        run++;
    uint64_t set = line - run * sets;
    if (level->desc->hashed) {
        set += (run * UINT64_C(0x9E3779B97F4A7C15) >> 32) * sets >> 32;
        set -= set >= sets ? sets : 0;
    }
    return (struct place){set, (uint32_t)run + 1};
}

// Returns the way to which the bits of the PLRU tree lead: the way that is replaced next.
static uint32_t plru_victim(uint64_t tree, uint32_t ways)
{
    uint32_t node = 1;
    while (node < ways)
        node = 2 * node + (uint32_t)(tree >> node & 1);
    return node - ways;
}

// Records a use of `way`: the bits of the PLRU tree on the path to `way` then point away from it.
static void plru_touch(uint64_t *tree, uint32_t ways, uint32_t way)
{
    for (uint32_t node = way + ways; node > 1; node /= 2) {
        // node / 2 is below 64, because ways <= MODEL_WAYS_MAX.
        uint64_t bit = UINT64_C(1) << (node / 2 & 63);
        *tree = node % 2 ? *tree & ~bit : *tree | bit;
    }
}

static uint32_t victim_of(const struct level *level, struct cache *cache, uint64_t set,
                          const uint32_t *lines)
{
    uint32_t ways = level->ways;
    for (uint32_t way = 0; way < ways; way++)
        if (lines[way] == 0)
            return way;
    if (level->desc->replacement == MODEL_PLRU)
        return plru_victim(cache->trees[set], ways);
    // Chooses a random way with xorshift64 (Marsaglia, J. Stat. Softw. 8, 2003).
    cache->random ^= cache->random << 13;
    cache->random ^= cache->random >> 7;
    cache->random ^= cache->random << 17;
    return ways ? (uint32_t)(cache->random % ways) : 0;
}

// Returns true if the upper bits of one of the first eight words of `lines` equal `tag`.
static inline bool any_of_eight(const uint32_t *lines, uint32_t tag, uint32_t upper)
{
    struct eight eight;
    memcpy(&eight, lines, sizeof eight);
    const four none = {0};
    four same =
        (four)(((eight.low ^ tag) & upper) == none) | (four)(((eight.high ^ tag) & upper) == none);
    uint64_t halves[2];
    memcpy(halves, &same, sizeof halves);
    return (halves[0] | halves[1]) != 0;
}

// Returns the way whose line has this tag; the number of ways if no line has it.
static inline uint32_t find_way(const struct level *level, const uint32_t *lines, uint32_t tag)
{
    const uint32_t ways = level->ways, upper = UINT32_MAX << level->sectors;
    uint32_t way = 0;
    tag <<= level->sectors;
    while (way + 8 <= ways && !any_of_eight(lines + way, tag, upper))
        way += 8;
    while (way < ways && (lines[way] & upper) != tag)
        way++;
    return way;
}

static bool access_in_place(const struct level *level, struct cache *cache, struct place place,
                            uint32_t sector)
{
    uint32_t *lines = cache->lines + place.set * level->ways;
    uint32_t way = find_way(level, lines, place.tag);
    if (way == level->ways) {
        way = victim_of(level, cache, place.set, lines);
        lines[way] = place.tag << level->sectors;
    }
    bool hit = lines[way] & sector;
    lines[way] |= sector;
    if (level->desc->replacement == MODEL_PLRU)
        plru_touch(&cache->trees[place.set], level->ways, way);
    return hit;
}

// Returns true if the set has the sector; otherwise adds it. Keeps `lines`, the lines of the set,
// sorted by their last use, the latest first.
static inline bool access_newest_first(const struct level *level, uint32_t *lines, uint32_t tag,
                                       uint32_t sector)
{
    uint32_t way = find_way(level, lines, tag), newest = tag << level->sectors;
    if (way < level->ways)
        newest = lines[way];
    else
        way--;
    memmove(lines + 1, lines, way * sizeof *lines);
    lines[0] = newest | sector;
    return newest & sector;
}

// Simulates a load in one cache level. If the cache lacks the sector, adds it and returns false.
static inline bool level_access(const struct model_caches *caches, const struct level *level,
                                uint32_t core, uint64_t address)
{
    struct cache *cache = cache_of(caches, level, core);
    const struct place place = place_of(level, address);
    uint32_t in_line = (uint32_t)address & (level->desc->line_bytes - 1);
    uint32_t sector = (uint32_t)1 << (in_line >> level->sector_shift);
    if (level->desc->replacement != MODEL_LRU)
        return access_in_place(level, cache, place, sector);
    return access_newest_first(level, cache->lines + place.set * level->ways, place.tag, sector);
}

// ---------------------------------------------------------------- the whole

struct model_caches *model_caches_create(struct arena *arena, const struct model_machine *machine)
{
    struct model_caches *caches = ARENA_NEW(arena, struct model_caches);
    *caches = (struct model_caches){.arena = arena,
                                    .machine = machine,
                                    .cycle_ns = 1e9 / machine->core_clock_hz,
                                    .level_count = machine->level_count,
                                    .tlb_count = machine->tlb_count};
    for (uint32_t i = 0; i < machine->level_count; i++)
        level_init(caches, &caches->levels[i], &machine->levels[i]);
    for (uint32_t i = 0; i < machine->tlb_count; i++)
        level_init(caches, &caches->tlbs[i], &machine->tlbs[i]);
    return caches;
}

uint64_t model_caches_end(const struct model_caches *caches)
{
    uint64_t end = UINT64_MAX;
    for (uint32_t i = 0; i < caches->level_count + caches->tlb_count; i++) {
        const struct level *level =
            i < caches->level_count ? &caches->levels[i] : &caches->tlbs[i - caches->level_count];
        uint64_t runs = UINT32_MAX >> level->sectors, way = level->sets << level->line_shift;
        if (runs < end / way)
            end = runs * way;
    }
    return end;
}

void model_caches_clock(struct model_caches *caches, double cycle_ns)
{
    caches->cycle_ns = cycle_ns;
}

static double latency_of(const struct model_caches *caches, const struct model_cache_desc *desc)
{
    return desc->latency_cycles + desc->latency_ns / caches->cycle_ns;
}

static double memory_cycles(const struct model_caches *caches, double now)
{
    const struct model_machine *machine = caches->machine;
    double wait = 0, period = machine->refresh_period_ns, ns = now * caches->cycle_ns;
    if (period > 0) {
        double into = ns - floor(ns / period) * period;
        wait = fmax(machine->refresh_length_ns - into, 0) / caches->cycle_ns;
    }
    return latency_of(caches, &machine->memory) + wait;
}

double model_caches_load(struct model_caches *caches, uint32_t core, uint64_t address, double now)
{
    double translation = 0;
    for (uint32_t i = 0; i < caches->tlb_count; i++) {
        if (level_access(caches, &caches->tlbs[i], core, address))
            break;
        translation += latency_of(caches, caches->tlbs[i].desc);
    }
    for (uint32_t i = 0; i < caches->level_count; i++)
        if (level_access(caches, &caches->levels[i], core, address)) {
            caches->served[i]++;
            return translation + latency_of(caches, caches->levels[i].desc);
        }
    caches->served[caches->level_count]++;
    return translation + memory_cycles(caches, now);
}

const uint64_t *model_caches_served(const struct model_caches *caches)
{
    return caches->served;
}

void model_caches_fill(struct model_caches *caches, uint64_t bytes)
{
    for (uint32_t i = 0; i < caches->level_count; i++) {
        struct level *level = &caches->levels[i];
        uint32_t cores = caches->machine->cores;
        for (uint32_t c = 0; level->desc->capacity_bytes <= bytes && c * level->sharers < cores;
             c++)
            if (level->caches[c].lines)
                memset(level->caches[c].lines, 0,
                       level->sets * level->ways * sizeof *level->caches[c].lines);
    }
}

void model_caches_expect(const struct model_caches *caches, uint32_t core, uint64_t address)
{
    for (uint32_t i = 1; i < caches->level_count; i++) {
        const struct level *level = &caches->levels[i];
        const struct cache *cache = cache_of(caches, level, core);
        __builtin_prefetch(cache->lines + place_of(level, address).set * level->ways, 1);
    }
}
