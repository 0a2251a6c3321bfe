// SPDX-License-Identifier: MIT
#include "gpu/model/caches.h"

#include <math.h>
#include <string.h>

struct line {
    uint64_t number;  // plus one; 0: none
    uint32_t present; // sectors, a bit each
};

struct cache {
    const struct model_cache_desc *desc;
    uint64_t sets;
    struct line *lines; // sets × ways; LRU: the newest first
    uint64_t *trees;    // PLRU: bits of each set
    uint64_t random;
};

struct model_caches {
    struct arena *arena;
    const struct model_machine *machine;
    struct cache *levels; // [level][core]; of the chip: core 0
    struct cache *tlbs;
};

// ---------------------------------------------------------------- one cache

static void cache_init(struct arena *arena, struct cache *cache,
                       const struct model_cache_desc *desc)
{
    uint64_t lines = desc->capacity_bytes / desc->line_bytes;
    *cache = (struct cache){.desc = desc, .sets = lines / desc->ways, .random = 1};
    cache->lines = ARENA_ARRAY(arena, lines, struct line);
    cache->trees = ARENA_ARRAY(arena, cache->sets, uint64_t);
}

// Consecutive lines take all sets in turn; with a hash, each run of them begins elsewhere.
static uint64_t set_of(const struct cache *cache, uint64_t line)
{
    uint64_t run = line / cache->sets;
    uint64_t shift = cache->desc->hashed ? (run * UINT64_C(0x9E3779B97F4A7C15)) >> 20 : 0;
    return (line + shift) % cache->sets;
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

static uint32_t victim_of(struct cache *cache, uint64_t set, const struct line *lines)
{
    uint32_t ways = cache->desc->ways;
    for (uint32_t way = 0; way < ways; way++)
        if (lines[way].number == 0)
            return way;
    if (cache->desc->replacement == MODEL_PLRU)
        return plru_victim(cache->trees[set], ways);
    if (cache->desc->replacement == MODEL_LRU)
        return ways - 1;
    cache->random ^= cache->random << 13; // xorshift64 (Marsaglia, J. Stat. Softw. 8, 2003)
    cache->random ^= cache->random >> 7;
    cache->random ^= cache->random << 17;
    return ways ? (uint32_t)(cache->random % ways) : 0;
}

// True where the sector is there; afterwards it is.
static bool cache_access(struct cache *cache, uint64_t address)
{
    const struct model_cache_desc *desc = cache->desc;
    uint64_t number = address / desc->line_bytes + 1, set = set_of(cache, number - 1);
    uint32_t sector = (uint32_t)1 << address % desc->line_bytes / desc->sector_bytes, way = 0;
    struct line *lines = cache->lines + set * desc->ways;
    while (way < desc->ways && lines[way].number != number)
        way++;
    if (way == desc->ways) {
        way = victim_of(cache, set, lines);
        lines[way] = (struct line){number, 0};
    }
    bool hit = lines[way].present & sector;
    lines[way].present |= sector;
    if (desc->replacement == MODEL_PLRU) {
        plru_touch(&cache->trees[set], desc->ways, way);
    } else if (desc->replacement == MODEL_LRU && way > 0) {
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
    *caches = (struct model_caches){
        .arena = arena,
        .machine = machine,
        .levels = ARENA_ARRAY(arena, (size_t)machine->level_count * machine->cores, struct cache),
        .tlbs = ARENA_ARRAY(arena, (size_t)MODEL_TLBS_MAX * machine->cores, struct cache),
    };
    return caches;
}

static struct cache *cache_at(const struct model_caches *caches, struct cache *first,
                              const struct model_cache_desc *desc, uint32_t level, uint32_t core)
{
    struct cache *cache = first + (size_t)level * caches->machine->cores;
    if (desc->per_core)
        cache += core;
    if (!cache->lines)
        cache_init(caches->arena, cache, desc);
    return cache;
}

static double memory_cycles(const struct model_machine *machine, double now)
{
    double wait = 0, cycle_ns = 1e9 / machine->core_clock_hz;
    if (machine->refresh_period_ns > 0) {
        double into = fmod(now * cycle_ns, machine->refresh_period_ns);
        wait = fmax(machine->refresh_length_ns - into, 0) / cycle_ns;
    }
    return machine->memory_cycles + wait;
}

double model_caches_load(struct model_caches *caches, uint32_t core, uint64_t address, double now)
{
    const struct model_machine *machine = caches->machine;
    double translation = 0;
    for (uint32_t i = 0; i < machine->tlb_count; i++) {
        if (cache_access(cache_at(caches, caches->tlbs, &machine->tlbs[i], i, core), address))
            break;
        translation += machine->tlbs[i].latency_cycles;
    }
    for (uint32_t i = 0; i < machine->level_count; i++)
        if (cache_access(cache_at(caches, caches->levels, &machine->levels[i], i, core), address))
            return translation + machine->levels[i].latency_cycles;
    return translation + memory_cycles(machine, now);
}
