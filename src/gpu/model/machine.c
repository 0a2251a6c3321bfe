// SPDX-License-Identifier: MIT
#include "gpu/model/machine.h"

#include "base/text.h"
#include "gpu/model.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- members of JSON objects
// A failed check gives ERROR_USAGE with the file's name, the JSON path and the reason.

// A JSON object, and its path in the file for error messages.
struct member_place {
    json_t *object;
    const char *path; // path of the object in the file, such as "levels[1]."; "" for the root
    const char *file;
    struct arena *arena;
    struct error *err;
};

struct member_range {
    double least, most;
    bool optional; // true: the member may be missing; its variable then keeps its value
};

static struct member_range required(double least, double most)
{
    return (struct member_range){least, most, false};
}

static struct member_range optional(double least, double most)
{
    return (struct member_range){least, most, true};
}

static bool member_refuse(const struct member_place *place, const char *key, const char *reason)
{
    size_t path = strlen(place->path);
    if (!*key && path > 0)
        path--; // an error of the object itself: its path is printed without the last dot
    return error_set(place->err, ERROR_USAGE, "%s: %.*s%s%s%s", place->file, (int)path, place->path,
                     key, path > 0 || *key ? ": " : "", reason);
}

// Fails if the JSON value is not an object, or has a member that the list `known` ("a,b,c") lacks.
static bool members_check(const struct member_place *place, const char *known)
{
    const char *key;
    json_t *value;
    if (!json_is_object(place->object))
        return member_refuse(place, "", "expected an object");
    json_object_foreach(place->object, key, value)
    {
        if (!text_list_has(known, key))
            return member_refuse(place, key, "no such member");
    }
    return true;
}

static bool member_number(const struct member_place *place, const char *key,
                          struct member_range range, double *value)
{
    const json_t *member = json_object_get(place->object, key);
    if (!member)
        return range.optional || member_refuse(place, key, "missing");
    if (!json_is_number(member))
        return member_refuse(place, key, "expected a number");
    double number = json_number_value(member);
    if (number < range.least || number > range.most)
        return member_refuse(
            place, key,
            arena_printf(place->arena, "expected %.15g to %.15g", range.least, range.most));
    *value = number;
    return true;
}

static bool member_whole(const struct member_place *place, const char *key,
                         struct member_range range, uint64_t *value)
{
    double number = (double)*value;
    if (!member_number(place, key, range, &number))
        return false;
    *value = (uint64_t)number;
    return (double)*value >= number || member_refuse(place, key, "expected a whole number");
}

static bool member_u32(const struct member_place *place, const char *key, struct member_range range,
                       uint32_t *value)
{
    uint64_t whole = *value;
    bool good = member_whole(place, key, range, &whole);
    *value = (uint32_t)whole;
    return good;
}

static bool member_is_power(uint64_t value)
{
    return value && (value & (value - 1)) == 0;
}

static bool member_power(const struct member_place *place, const char *key,
                         struct member_range range, uint32_t *value)
{
    return member_u32(place, key, range, value) &&
           (member_is_power(*value) || member_refuse(place, key, "expected a power of two"));
}

static bool member_word(const struct member_place *place, const char *key, const char *const *words,
                        unsigned *which)
{
    const json_t *member = json_object_get(place->object, key);
    const char *text = member ? json_string_value(member) : words[0];
    for (*which = 0; text && words[*which]; ++*which)
        if (strcmp(text, words[*which]) == 0)
            return true;
    const char *all = words[0];
    for (size_t i = 1; words[i]; i++)
        all = arena_printf(place->arena, "%s, %s", all, words[i]);
    return member_refuse(place, key, arena_printf(place->arena, "expected one of %s", all));
}

static struct member_place member_inside(const struct member_place *place, json_t *object,
                                         const char *path)
{
    struct member_place inner = *place;
    inner.object = object;
    inner.path = path;
    return inner;
}

static struct member_place element_of(const struct member_place *root, const char *list, uint32_t i)
{
    return member_inside(root, NULL, arena_printf(root->arena, "%s[%u].", list, i));
}

// ---------------------------------------------------------------- caches

static bool read_ways(const struct member_place *place, struct model_cache_desc *cache,
                      uint64_t lines)
{
    if (!member_u32(place, "ways", required(1, MODEL_WAYS_MAX), &cache->ways))
        return false;
    if (lines % cache->ways != 0)
        return member_refuse(place, "ways", "the lines do not make whole sets of that many");
    return cache->replacement != MODEL_PLRU || member_is_power(cache->ways) ||
           member_refuse(place, "ways", "plru wants a power of two");
}

// Reads how many cores share a cache. If the file says "near", check_sharing sets the number later.
static bool read_sharers(const struct member_place *place, struct model_cache_desc *level)
{
    static const char *const words[] = {"chip", "core", "near", NULL};
    static const uint32_t sharers[] = {0, 1, UINT32_MAX};
    unsigned which;
    if (json_is_number(json_object_get(place->object, "shared")))
        return member_u32(place, "shared", required(1, 4096), &level->sharers);
    if (!member_word(place, "shared", words, &which))
        return false;
    level->sharers = sharers[which];
    return true;
}

// Reads a level's bandwidths. A core's bandwidth that the file lacks is computed later.
static bool read_bandwidth(const struct member_place *place, struct model_cache_desc *level)
{
    json_t *object = json_object_get(place->object, "bandwidth");
    struct member_place inner =
        member_inside(place, object, arena_printf(place->arena, "%sbandwidth.", place->path));
    return !object || (members_check(&inner, "core_bytes_per_cycle,chip_bytes_per_cycle") &&
                       member_number(&inner, "core_bytes_per_cycle", optional(1e-3, 1e9),
                                     &level->core_bytes_per_cycle) &&
                       member_number(&inner, "chip_bytes_per_cycle", required(1e-3, 1e9),
                                     &level->chip_bytes_per_cycle));
}

// Reads the two parts of a latency: core cycles, and ns that do not depend on the core clock.
static bool read_latency(const struct member_place *place, struct model_cache_desc *level)
{
    return member_u32(place, "latency_cycles", required(1, 1e6), &level->latency_cycles) &&
           member_number(place, "latency_ns", optional(0, 1e6), &level->latency_ns);
}

static bool read_level(const struct member_place *place, struct model_cache_desc *level)
{
    static const char *const sets[] = {"hashed", "plain", NULL};
    static const char *const replacements[] = {"lru", "plru", "random", NULL};
    unsigned plain, replacement;
    if (!members_check(place, "capacity_bytes,line_bytes,sector_bytes,ways,latency_cycles,"
                              "latency_ns,shared,sets,bandwidth,replacement") ||
        !member_whole(place, "capacity_bytes", required(1024, 1e12), &level->capacity_bytes) ||
        !member_power(place, "line_bytes", required(16, 4096), &level->line_bytes))
        return false;
    level->sector_bytes = level->line_bytes;
    double sector_least = (double)level->line_bytes / MODEL_SECTORS_MAX;
    if (!member_power(place, "sector_bytes", optional(sector_least, level->line_bytes),
                      &level->sector_bytes) ||
        !read_latency(place, level) || !read_sharers(place, level) ||
        !read_bandwidth(place, level) || !member_word(place, "sets", sets, &plain) ||
        !member_word(place, "replacement", replacements, &replacement))
        return false;
    level->hashed = !plain;
    level->replacement = (enum model_replacement)replacement;
    if (level->capacity_bytes % level->line_bytes != 0)
        return member_refuse(place, "capacity_bytes", "not a multiple of line_bytes");
    return read_ways(place, level, level->capacity_bytes / level->line_bytes);
}

static bool read_tlb(const struct member_place *place, struct model_cache_desc *tlb)
{
    uint64_t entries = 0;
    *tlb = (struct model_cache_desc){.sharers = 1, .hashed = true, .replacement = MODEL_LRU};
    if (!members_check(place, "entries,page_bytes,ways,miss_cycles") ||
        !member_whole(place, "entries", required(1, 1 << 20), &entries) ||
        !member_power(place, "page_bytes", required(4096, 1 << 30), &tlb->line_bytes) ||
        !member_u32(place, "miss_cycles", required(1, 1e6), &tlb->latency_cycles))
        return false;
    tlb->sector_bytes = tlb->line_bytes;
    tlb->capacity_bytes = entries * tlb->line_bytes;
    return read_ways(place, tlb, entries);
}

static bool is_beyond(const struct member_place *place, const struct model_cache_desc *level)
{
    const struct model_cache_desc *inner = level - 1;
    if (level->capacity_bytes <= inner->capacity_bytes)
        return member_refuse(place, "capacity_bytes", "not larger than that of the level before");
    if (level->latency_cycles < inner->latency_cycles || level->latency_ns < inner->latency_ns ||
        level->latency_cycles + level->latency_ns <= inner->latency_cycles + inner->latency_ns)
        return member_refuse(place, "latency_cycles", "not longer than that of the level before");
    return true;
}

// Reads an array of cache levels or TLBs; a level must be larger and slower than the level before
// it.
static bool read_caches(const struct member_place *root, const char *key, uint32_t most,
                        bool (*read)(const struct member_place *, struct model_cache_desc *),
                        struct model_cache_desc *caches, uint32_t *count)
{
    json_t *array = json_object_get(root->object, key), *object;
    size_t i;
    if (array && (!json_is_array(array) || json_array_size(array) > most))
        return member_refuse(root, key,
                             arena_printf(root->arena, "expected an array of at most %u", most));
    json_array_foreach(array, i, object)
    {
        struct member_place place =
            member_inside(root, object, arena_printf(root->arena, "%s[%zu].", key, i));
        if (!read(&place, &caches[i]))
            return false;
        if (i > 0 && read == read_level && !is_beyond(&place, &caches[i]))
            return false;
    }
    *count = (uint32_t)json_array_size(array);
    return true;
}

// ---------------------------------------------------------------- the whole

static bool read_refresh(const struct member_place *root, json_t *object,
                         struct model_machine *machine)
{
    struct member_place place = member_inside(root, object, "memory.refresh.");
    return !object ||
           (members_check(&place, "period_ns,length_ns") &&
            member_number(&place, "period_ns", required(1, 1e9), &machine->refresh_period_ns) &&
            member_number(&place, "length_ns", required(0, machine->refresh_period_ns),
                          &machine->refresh_length_ns));
}

static bool read_memory(const struct member_place *root, struct model_machine *machine)
{
    json_t *object = json_object_get(root->object, "memory");
    struct member_place place = member_inside(root, object, "memory.");
    if (!object)
        return member_refuse(root, "memory", "missing");
    const struct model_cache_desc *last = &machine->levels[machine->level_count - 1];
    struct model_cache_desc *memory = &machine->memory;
    double clock_hz = 1e9, clocks = 0;
    if (!members_check(&place,
                       "latency_cycles,latency_ns,clock_hz,latency_clocks,bandwidth,refresh") ||
        !read_latency(&place, memory) ||
        !member_number(&place, "clock_hz", optional(1e6, 1e11), &clock_hz) ||
        !member_number(&place, "latency_clocks", optional(0, 1e6), &clocks))
        return false;
    memory->latency_ns += clocks * 1e9 / clock_hz;
    double cycle_ns = 1e9 / machine->core_clock_hz;
    if (memory->latency_cycles * cycle_ns + memory->latency_ns <=
        last->latency_cycles * cycle_ns + last->latency_ns)
        return member_refuse(&place, "latency_cycles", "not longer than that of the last level");
    return read_bandwidth(&place, memory) &&
           read_refresh(&place, json_object_get(object, "refresh"), machine);
}

// Reads "throttling": from after_ns on, the core clock is core_clock_hz in the first length_ns of
// each period.
static bool read_throttling(const struct member_place *root, struct model_machine *machine)
{
    json_t *object = json_object_get(root->object, "throttling");
    struct member_place place = member_inside(root, object, "throttling.");
    return !object ||
           (members_check(&place, "after_ns,period_ns,length_ns,core_clock_hz") &&
            member_number(&place, "after_ns", optional(0, 1e15), &machine->throttle_after_ns) &&
            member_number(&place, "period_ns", required(1, 1e15), &machine->throttle_period_ns) &&
            member_number(&place, "length_ns", required(1, machine->throttle_period_ns),
                          &machine->throttle_length_ns) &&
            member_number(&place, "core_clock_hz", required(1e6, machine->core_clock_hz),
                          &machine->throttle_clock_hz));
}

static bool read_company(const struct member_place *root, struct model_machine *machine)
{
    json_t *object = json_object_get(root->object, "company");
    struct member_place place = member_inside(root, object, "company.");
    return !object ||
           (members_check(&place, "after_ns,period_ns,length_ns,slice_ns") &&
            member_number(&place, "after_ns", optional(0, 1e15), &machine->company_after_ns) &&
            member_number(&place, "period_ns", required(1, 1e15), &machine->company_period_ns) &&
            member_number(&place, "length_ns", required(1, machine->company_period_ns),
                          &machine->company_length_ns) &&
            member_number(&place, "slice_ns", required(1, machine->company_length_ns),
                          &machine->company_slice_ns));
}

double model_company_ns(const struct model_machine *machine, double own_ns)
{
    double since_ns = own_ns - machine->company_after_ns, slice_ns = machine->company_slice_ns;
    if (!(machine->company_period_ns > 0) || since_ns < 0)
        return 0;
    // In the first length_ns of a period, other processes and this process use the device in turn,
    // the other processes first.
    double length_ns = machine->company_length_ns;
    double pairs = floor(length_ns / (2 * slice_ns));
    double away_ns = pairs * slice_ns + fmin(length_ns - 2 * slice_ns * pairs, slice_ns);
    double own_period_ns = machine->company_period_ns - away_ns;
    if (own_period_ns < 1)
        own_period_ns = 1; // avoids a division by 0 if other work takes (nearly) the whole period
    double periods = floor(since_ns / own_period_ns);
    double rest_ns = since_ns - periods * own_period_ns;
    double begun = fmin((floor(rest_ns / slice_ns) + 1) * slice_ns, away_ns);
    return periods * away_ns + begun;
}

// Sets the number of cores that share one near cache: an equal part of the cores that share the
// next level.
static bool resolve_near(const struct member_place *level_place, struct model_cache_desc *level,
                         const struct model_cache_desc *next, uint32_t cores)
{
    uint64_t parts = next ? next->capacity_bytes / level->capacity_bytes : 0;
    if (parts < 2)
        return member_refuse(level_place, "shared",
                             "near, but not of a next level that is twice as large");
    uint64_t of = next->sharers ? next->sharers : cores;
    level->sharers = (uint32_t)((of + parts - 1) / parts);
    level->is_near = true;
    return true;
}

static bool check_lines(const struct member_place *place, const char *key,
                        const struct model_cache_desc *cache, uint32_t cores)
{
    uint64_t sharers = cache->sharers ? cache->sharers : cores;
    uint64_t caches = (cores + sharers - 1) / sharers;
    return cache->capacity_bytes <= MODEL_LINES_MAX / caches * cache->line_bytes ||
           member_refuse(place, key, "more than 2^28 lines in all caches of the level");
}

// Replaces "near" by a number of cores. Checks the numbers of cores and of lines of each level.
static bool check_sharing(const struct member_place *root, struct model_machine *machine)
{
    for (uint32_t i = machine->level_count; i-- > 0;) {
        struct model_cache_desc *level = &machine->levels[i];
        const struct model_cache_desc *next = i + 1 < machine->level_count ? level + 1 : NULL;
        struct member_place place = element_of(root, "levels", i),
                            after = element_of(root, "levels", i + 1);
        if (level->sharers == UINT32_MAX && !resolve_near(&place, level, next, machine->cores))
            return false;
        if (level->sharers > machine->cores)
            return member_refuse(&place, "shared", "more cores than there are");
        if (next && next->sharers && (!level->sharers || level->sharers > next->sharers))
            return member_refuse(&after, "shared",
                                 "fewer cores have it than have the level before");
        if (!check_lines(&place, "capacity_bytes", level, machine->cores))
            return false;
    }
    return true;
}

static bool check_tlbs(const struct member_place *root, const struct model_machine *machine)
{
    for (uint32_t i = 0; i < machine->tlb_count; i++) {
        struct member_place place = element_of(root, "tlb", i);
        if (!check_lines(&place, "entries", &machine->tlbs[i], machine->cores))
            return false;
    }
    return true;
}

static void share_bandwidth(struct model_cache_desc *level, uint32_t cores)
{
    if (!(level->core_bytes_per_cycle > 0))
        level->core_bytes_per_cycle = level->chip_bytes_per_cycle / cores;
}

static bool share_bandwidths(struct model_machine *machine)
{
    for (uint32_t i = 0; i < machine->level_count; i++)
        share_bandwidth(&machine->levels[i], machine->cores);
    share_bandwidth(&machine->memory, machine->cores);
    return true;
}

static bool read_noise(const struct member_place *root, struct model_machine *machine)
{
    json_t *object = json_object_get(root->object, "noise");
    struct member_place place = member_inside(root, object, "noise.");
    machine->seed = 1;
    return !object ||
           (members_check(&place, "relative,correlation,outliers,seed") &&
            member_number(&place, "relative", optional(0, 0.5), &machine->noise) &&
            member_number(&place, "correlation", optional(0, 0.999), &machine->correlation) &&
            member_number(&place, "outliers", optional(0, 1), &machine->outliers) &&
            member_whole(&place, "seed", optional(0, 1e15), &machine->seed));
}

static bool read_root(const struct member_place *root, struct model_machine *machine)
{
    *machine = (struct model_machine){.core_threads = 2048, .launch_ns = 2000, .clock_step_ns = 1};
    if (!members_check(root,
                       "name,cores,core_threads,core_clock_hz,memory_bytes,last_cache_bytes,levels,"
                       "memory,tlb,launch_ns,clock_step_ns,noise,source,throttling,company"))
        return false;
    const char *name = json_string_value(json_object_get(root->object, "name"));
    if (!name || !*name)
        return member_refuse(root, "name", "expected a text");
    machine->name = arena_strdup(root->arena, name);
    return member_u32(root, "cores", required(1, 4096), &machine->cores) &&
           member_u32(root, "core_threads", optional(32, 65536), &machine->core_threads) &&
           member_number(root, "core_clock_hz", required(1e6, 1e11), &machine->core_clock_hz) &&
           member_whole(root, "memory_bytes", required(1 << 20, 1e13), &machine->memory_bytes) &&
           member_whole(root, "last_cache_bytes", optional(0, 1e12), &machine->last_cache_bytes) &&
           read_caches(root, "levels", MODEL_LEVELS_MAX, read_level, machine->levels,
                       &machine->level_count) &&
           (machine->level_count > 0 || member_refuse(root, "levels", "expected at least one")) &&
           check_sharing(root, machine) && read_memory(root, machine) &&
           share_bandwidths(machine) && read_throttling(root, machine) &&
           read_company(root, machine) &&
           read_caches(root, "tlb", MODEL_TLBS_MAX, read_tlb, machine->tlbs, &machine->tlb_count) &&
           check_tlbs(root, machine) &&
           member_number(root, "launch_ns", optional(0, 1e9), &machine->launch_ns) &&
           member_u32(root, "clock_step_ns", optional(1, 1e6), &machine->clock_step_ns) &&
           read_noise(root, machine);
}

static bool read_file(struct arena *arena, const char *path, struct model_machine *machine,
                      struct error *err)
{
    json_error_t broken = {.line = 0};
    // jansson allocates with arena_malloc, because it would report a failed malloc as wrong JSON.
    json_set_alloc_funcs(arena_malloc, free);
    FILE *file = fopen(path, "r");
    json_t *document = file ? json_loadf(file, JSON_REJECT_DUPLICATES, &broken) : NULL;
    int unread = !file || ferror(file) ? errno : 0; // jansson takes a folder for an empty file
    if (file)
        fclose(file);
    if (unread) {
        json_decref(document);
        return error_set(err, ERROR_USAGE, "cannot read %s: %s", path, strerror(unread));
    }
    if (!document)
        return error_set(err, ERROR_USAGE, "%s: line %d: %s", path, broken.line, broken.text);
    const struct member_place root = {document, "", path, arena, err};
    bool good = read_root(&root, machine);
    json_decref(document);
    return good;
}

bool model_machine_read(struct arena *arena, const char *path, struct model_machine *machine,
                        struct error *err)
{
    bool good = read_file(arena, path, machine, err);
    if (!good)
        error_clean(err);
    return good;
}

bool gpu_model_check(const char *path, struct error *err)
{
    struct arena *arena = arena_create();
    struct model_machine machine;
    bool good = model_machine_read(arena, path, &machine, err);
    arena_destroy(arena);
    return good;
}
