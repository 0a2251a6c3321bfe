// SPDX-License-Identifier: MIT
// Lists the cases of the benchmark bandwidth: combinations of the chosen values. Leaves out
// combinations that cannot be measured. Also leaves out combinations for which neither the preset
// nor the user asks.
#include "bench/bandwidth/session.h"
#include "bench/values.h"

#include <string.h>

enum {
    SMALL_BYTES = 16 << 10, // bytes of a working set that fits the L1 cache of any core
    APART_BYTES_MIN = 1 << 20,
    APART_BYTES_MAX = 4 << 20,
    APART_CORE_BYTES = 16 << 10,
    // maximum working set in bytes of presets if all workgroups read the same memory
    SAME_BYTES_MAX = 1 << 20,
    MIDDLE_BYTES_MAX = 32 << 20,
    DRAM_BYTES_MIN = 64 << 20,
    // maximum working set in bytes of presets and "max" on a CPU, which fills memory slowly
    CPU_BYTES_MAX = 64 << 20,
    CORES_UNKNOWN = 64
};
enum { // indices of parameters in the array `params` of bandwidth.c
    BANDWIDTH_PARAM_BYTES = 4,
    BANDWIDTH_PARAM_WORKGROUPS = 7
};
static const uint64_t gibibyte = (uint64_t)1 << 30;

// Sizes in bytes of the working sets that presets use.
struct regions {
    // Minimum working set of presets for access=apart. In a smaller one, two cores would often read
    // the same line at the same time, and one access to the L2 cache would serve both.
    uint64_t apart;
    uint64_t small; // a working set that fits a core's own cache
    // A quarter of the last-level cache, rounded down to a power of two; from `apart` to 32 MiB.
    uint64_t middle;
    // Working set for DRAM: the largest power of two up to `max`; in the preset quick `least`.
    uint64_t dram;
    // Smallest power of two from 64 MiB to `max` that fits no cache (measure_limits_is_dram).
    uint64_t least;
    // Maximum: the least of 4 GiB (CPU: 64 MiB), a quarter of the device's memory and the largest
    // allocation, rounded down to 1, 1.25, 1.5 or 1.75 times a power of two.
    uint64_t max;
};

// Data for the callbacks reach, keep and first of struct bench_product.
struct bandwidth_plan {
    const struct bench_request *request;
    struct regions regions;
    struct measure_limits limits;
    bool quick, full;
};

static uint64_t floor_power(uint64_t value)
{
    uint64_t power = 1;
    while (power <= value / 2)
        power *= 2;
    return power;
}

static uint64_t ceil_power(uint64_t value)
{
    uint64_t power = floor_power(value);
    return power < value ? power * 2 : power;
}

// Returns the number from `low` to `high` that is nearest to `value`. If `low` > `high`, returns
// `high`.
static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
    uint64_t raised = value < low ? low : value;
    return raised < high ? raised : high;
}

static uint64_t largest_bytes(const struct gpu_info *info)
{
    const struct gpu_limits *device = &info->limits;
    uint64_t max = 4 * gibibyte;
    if (device->memory_bytes && max > device->memory_bytes / 4)
        max = device->memory_bytes / 4;
    if (device->allocation_bytes && max > device->allocation_bytes)
        max = device->allocation_bytes;
    if (info->kind == GPU_KIND_CPU && max > CPU_BYTES_MAX)
        max = CPU_BYTES_MAX;
    uint64_t quarter = floor_power(max) / 4;
    return quarter ? max / quarter * quarter : max;
}

static void find_regions(const struct bandwidth_plan *p, struct regions *regions)
{
    uint64_t cache = p->limits.last_cache_bytes;
    regions->max = largest_bytes(p->request->device);
    regions->small = SMALL_BYTES;
    regions->apart = clamp(ceil_power((uint64_t)APART_CORE_BYTES * p->limits.cores),
                           APART_BYTES_MIN, APART_BYTES_MAX);
    regions->middle = clamp(floor_power(cache / 4), regions->apart, MIDDLE_BYTES_MAX);
    uint64_t largest = floor_power(regions->max);
    regions->least = clamp(ceil_power(MEASURE_DRAM_CACHES * measure_limits_cache_most(&p->limits)),
                           DRAM_BYTES_MIN, largest);
    regions->dram = p->quick ? regions->least : largest;
}

// Rounds a size to 1, 1.25, 1.5 or 1.75 times a power of two. Curves with 1, 2 and 4 sizes per
// octave then have sizes in common.
static uint64_t round_bytes(uint64_t bytes)
{
    uint64_t power = floor_power(bytes), quarter = power / 4;
    if (!quarter)
        return bytes;
    return (bytes + quarter / 2) / quarter * quarter;
}

// ---------------------------------------------------------------- which combinations

static bool is_dram(const struct bandwidth_plan *p, const struct bandwidth_case *this_case)
{
    return this_case->bytes == p->regions.dram && this_case->apart;
}

static bool is_region(const struct bandwidth_plan *p, const struct bandwidth_case *this_case)
{
    return (this_case->bytes == p->regions.small && !this_case->apart) ||
           (this_case->bytes == p->regions.middle && this_case->apart) || is_dram(p, this_case);
}

// Returns true if this benchmark can measure this combination of values.
static bool is_possible(const struct bandwidth_case *this_case)
{
    bool plain = this_case->width == 16 && !this_case->doubles;
    if (this_case->doubles && this_case->width < 8)
        return false;
    if (this_case->shared)
        return this_case->op == BANDWIDTH_READ && !this_case->apart && !this_case->doubles &&
               this_case->scope != BANDWIDTH_SCALING && this_case->bytes == BANDWIDTH_SHARED_BYTES;
    if (this_case->op != BANDWIDTH_READ &&
        !(plain && this_case->apart && this_case->scope == BANDWIDTH_DEVICE))
        return false;
    if (this_case->scope == BANDWIDTH_WORKGROUP)
        return !this_case->apart;
    return true;
}

static bool from_user(const struct bandwidth_plan *p, const char *key)
{
    const struct bench_choice *choice = bench_choice_find(p->request, key);
    return choice && choice->from_user;
}

static bool is_wanted_scaling(const struct bandwidth_plan *p,
                              const struct bandwidth_case *this_case)
{
    if (p->quick && !from_user(p, "scope") && !from_user(p, "workgroups"))
        return false;
    if (this_case->width != 16 || this_case->doubles)
        return false;
    if (from_user(p, "bytes"))
        return this_case->apart == (this_case->bytes >= p->regions.apart);
    return this_case->apart
               ? this_case->bytes == p->regions.least || this_case->bytes == p->regions.middle
               : this_case->bytes == p->regions.small;
}

// Returns true if the plan should contain this case of op=read. If the user sets no size, width or
// type, the plan contains these reads of global memory by the whole device, at sizes that suit
// `access`:
// - quick: 16-byte loads of floats, at the sizes small, middle and dram (is_region)
// - standard: 16-byte loads of floats at all sizes; all other loads at small, middle and dram
// - full: all loads at all sizes
static bool is_wanted_read(const struct bandwidth_plan *p, const struct bandwidth_case *this_case)
{
    bool chosen = from_user(p, "bytes");
    if (this_case->shared)
        return this_case->scope == BANDWIDTH_DEVICE &&
               (!p->quick || this_case->width == 16 || from_user(p, "width"));
    if (this_case->scope == BANDWIDTH_WORKGROUP) {
        bool curve = !p->quick && this_case->bytes <= p->regions.least &&
                     (p->full || 2 * this_case->bytes % floor_power(this_case->bytes) == 0);
        return this_case->width == 16 && !this_case->doubles &&
               (chosen || curve || this_case->bytes == p->regions.small);
    }
    if (!from_user(p, "access") && !(this_case->apart ? this_case->bytes >= p->regions.apart
                                                      : this_case->bytes <= SAME_BYTES_MAX))
        return false;
    if (this_case->width == 16 && !this_case->doubles)
        return chosen || !p->quick || is_region(p, this_case);
    if (p->quick)
        return (from_user(p, "width") || from_user(p, "type")) &&
               (chosen || is_region(p, this_case));
    return chosen || p->full || is_region(p, this_case);
}

static bool is_wanted(const struct bandwidth_plan *p, const struct bandwidth_case *this_case)
{
    if (this_case->scope == BANDWIDTH_SCALING)
        return is_wanted_scaling(p, this_case);
    if (this_case->op == BANDWIDTH_READ)
        return is_wanted_read(p, this_case);
    return from_user(p, "bytes") || is_dram(p, this_case) ||
           (p->full && this_case->bytes >= p->regions.apart);
}

// ---------------------------------------------------------------- the list

static void add_sorted(struct arena *arena, struct value_list *list, struct case_value value)
{
    size_t at = 0;
    while (at < list->count && list->values[at].uint < value.uint)
        at++;
    if (at < list->count && list->values[at].uint == value.uint)
        return;
    list->values =
        arena_grow(arena, list->values, list->count, &list->capacity, sizeof *list->values);
    memmove(list->values + at + 1, list->values + at, (list->count++ - at) * sizeof *list->values);
    list->values[at] = value;
}

// Returns the values of the parameter `bytes`. A preset's values are rounded, and the regions'
// sizes are added. Of a user's values, only the word max (UINT64_MAX) changes: it becomes
// regions.max.
static struct bench_choice plan_bytes(const struct bandwidth_plan *p)
{
    const struct bench_choice *given = bench_choice_find(p->request, "bytes");
    struct case_value value = case_value_of(given->param);
    const uint64_t regions[] = {p->regions.small, p->regions.middle, p->regions.dram,
                                p->regions.least, BANDWIDTH_SHARED_BYTES};
    struct value_list list = {0};
    for (size_t i = 0; i < given->value_count; i++) {
        value.uint = given->values[i].uint;
        if (value.uint == UINT64_MAX)
            value.uint = p->regions.max;
        else if (!given->from_user)
            value.uint = round_bytes(value.uint);
        if (given->from_user || value.uint <= p->regions.max)
            add_sorted(p->request->arena, &list, value);
    }
    for (size_t i = 0; !given->from_user && i < COUNT(regions); i++) {
        value.uint = regions[i];
        add_sorted(p->request->arena, &list, value);
    }
    return (struct bench_choice){given->param, list.values, list.count, given->from_user};
}

static bool keep(const struct bench_pick *pick, struct error *err)
{
    const struct bandwidth_plan *p = pick->context;
    struct bandwidth_case this_case;
    (void)err;
    bandwidth_case_read(&pick->c, &this_case);
    uint64_t grain = this_case.apart ? BANDWIDTH_GRAIN_APART : BANDWIDTH_GRAIN_SAME;
    bool whole =
        from_user(p, "bytes") ? !this_case.shared : bandwidth_stream_bytes(&this_case) % grain == 0;
    return whole && is_possible(&this_case) && is_wanted(p, &this_case);
}

static bool reach(const struct bench_pick *pick)
{
    const struct bandwidth_plan *p = pick->context;
    uint64_t cores = p->limits.cores ? p->limits.cores : CORES_UNKNOWN;
    if (pick->param == BANDWIDTH_PARAM_WORKGROUPS && pick->value->uint > cores)
        pick->value->uint = cores;
    return true;
}

static bool is_first(const struct bench_product *product, const struct bench_case *c)
{
    struct bandwidth_case this_case;
    bandwidth_case_read(c, &this_case);
    return this_case.scope == BANDWIDTH_DEVICE &&
           (this_case.shared || this_case.op != BANDWIDTH_READ ||
            is_region(product->context, &this_case));
}

bool bandwidth_plan(const struct bench_request *request, struct bench_case_list *list,
                    struct error *err)
{
    struct bandwidth_plan p = {.request = request,
                               .quick = strcmp(request->preset, "quick") == 0,
                               .full = strcmp(request->preset, "full") == 0};
    struct bench_choice *choices =
        ARENA_ARRAY(request->arena, request->choice_count, struct bench_choice);
    struct bench_request sized = *request;
    measure_limits_of(request->device, &p.limits);
    find_regions(&p, &p.regions);
    const char *shape = bench_choice_find(request, "shape")->values[0].text;
    if (strcmp(shape, "best") != 0 && strcmp(shape, "default") != 0 &&
        !bandwidth_shape_known(request->arena, shape, err))
        return false;
    memcpy(choices, request->choices, request->choice_count * sizeof *choices);
    choices[BANDWIDTH_PARAM_BYTES] = plan_bytes(&p);
    sized.choices = choices;
    const struct bench_product product = {
        .request = &sized, .context = &p, .reach = reach, .keep = keep, .first = is_first};
    return bench_plan_product(&product, list, err);
}
