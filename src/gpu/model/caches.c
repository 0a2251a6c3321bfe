// SPDX-License-Identifier: MIT
// Most of a simulation's time goes into laps over regions of 10⁵ to 10⁷ lines: a line is one word,
// no division and no branch that could be spared.
#include "gpu/model/caches.h"

#include <math.h>
#include <string.h>

struct line {
    uint32_t tag;     // plus one; 0: none
    uint32_t present; // sectors, a bit each
};

struct cache {
    struct line *lines; // sets × ways; LRU: the newest first
    uint64_t *trees;    // PLRU: bits of each set
    uint64_t random;
};

// All caches of a level alike.
struct level {
    const struct model_cache_desc *desc;
    uint64_t sets;
    double sets_inverse;
    unsigned line_shift, sector_shift;
    uint32_t sharers, ways;
    struct cache *caches; // by core / sharers
};

struct model_caches {
    struct arena *arena;
    const struct model_machine *machine;
    double cycle_ns;
    uint32_t level_count, tlb_count;
    struct level levels[MODEL_LEVELS_MAX], tlbs[MODEL_TLBS_MAX];
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
                            .sharers = desc->sharers ? desc->sharers : cores,
                            .ways = desc->ways};
    level->sets_inverse = 1 / (double)level->sets;
    size_t count = (cores + level->sharers - 1) / level->sharers;
    level->caches = ARENA_ARRAY(caches->arena, count, struct cache);
}

static struct cache *cache_of(const struct model_caches *caches, const struct level *level,
                              uint32_t core)
{
    struct cache *cache = &level->caches[level->sharers == 1 ? core : core / level->sharers];
    if (cache->lines)
        return cache;
    cache->random = 1;
    cache->lines = ARENA_ARRAY(caches->arena, level->sets * level->ways, struct line);
    if (level->desc->replacement == MODEL_PLRU)
        cache->trees = ARENA_ARRAY(caches->arena, level->sets, uint64_t);
    return cache;
}

struct place {
    uint64_t set;
    uint32_t tag;
};

// Consecutive lines take all sets in turn; with a hash, each run of them begins elsewhere.
static struct place place_of(const struct level *level, uint64_t address)
{
    uint64_t line = address >> level->line_shift, sets = level->sets;
    uint64_t run = (uint64_t)((double)line * level->sets_inverse);
    // Rounding may be one off.
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

// The way that the tree's bits lead to.
static uint32_t plru_victim(uint64_t tree, uint32_t ways)
{
    uint32_t node = 1;
    while (node < ways)
        node = 2 * node + (uint32_t)(tree >> node & 1);
    return node - ways;
}

// Points every bit on the way to `way` elsewhere.
static void plru_touch(uint64_t *tree, uint32_t ways, uint32_t way)
{
    for (uint32_t node = way + ways; node > 1; node /= 2) {
        uint64_t bit = UINT64_C(1) << (node / 2 & 63); // of ways <= MODEL_WAYS_MAX
        *tree = node % 2 ? *tree & ~bit : *tree | bit;
    }
}

static uint32_t victim_of(const struct level *level, struct cache *cache, uint64_t set,
                          const struct line *lines)
{
    uint32_t ways = level->ways;
    if (level->desc->replacement == MODEL_LRU)
        return ways - 1; // the oldest, or free: those are filled from the front
    for (uint32_t way = 0; way < ways; way++)
        if (lines[way].tag == 0)
            return way;
    if (level->desc->replacement == MODEL_PLRU)
        return plru_victim(cache->trees[set], ways);
    cache->random ^= cache->random << 13; // xorshift64 (Marsaglia, J. Stat. Softw. 8, 2003)
    cache->random ^= cache->random >> 7;
    cache->random ^= cache->random << 17;
    return ways ? (uint32_t)(cache->random % ways) : 0;
}

// True where the sector is there; afterwards it is.
static bool level_access(const struct model_caches *caches, const struct level *level,
                         uint32_t core, uint64_t address)
{
    struct cache *cache = cache_of(caches, level, core);
    const struct place place = place_of(level, address);
    uint32_t in_line = (uint32_t)address & (level->desc->line_bytes - 1);
    uint32_t sector = (uint32_t)1 << (in_line >> level->sector_shift), way = 0;
    struct line *lines = cache->lines + place.set * level->ways;
    while (way < level->ways && lines[way].tag != place.tag)
        way++;
    if (way == level->ways) {
        way = victim_of(level, cache, place.set, lines);
        lines[way] = (struct line){place.tag, 0};
    }
    bool hit = lines[way].present & sector;
    lines[way].present |= sector;
    if (level->desc->replacement == MODEL_PLRU) {
        plru_touch(&cache->trees[place.set], level->ways, way);
    } else if (level->desc->replacement == MODEL_LRU && way > 0) {
        struct line newest = lines[way];
        memmove(lines + 1, lines, way * sizeof *lines);
        lines[0] = newest;
    }
    return hit;
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
        if (level_access(caches, &caches->levels[i], core, address))
            return translation + latency_of(caches, caches->levels[i].desc);
    return translation + memory_cycles(caches, now);
}

void model_caches_expect(const struct model_caches *caches, uint32_t core, uint64_t address)
{
    for (uint32_t i = 1; i < caches->level_count; i++) {
        const struct level *level = &caches->levels[i];
        const struct cache *cache = cache_of(caches, level, core);
        __builtin_prefetch(cache->lines + place_of(level, address).set * level->ways, 1);
    }
}
