// SPDX-License-Identifier: MIT
// The presets:
//
//   vector, its better chain, random and plru: every size
//   every other path, its better chain, random: sizes to twice the last-level cache, every second
//   vector by index, random: as the other paths, to compare equal chains (not in quick)
//   full: everything, at every size
//   quick where kernels read no clock: half of those sizes, since a latency is then the slope of
//   two dispatches and takes twice as long
//
// What the user sets is not thinned out. A path whose features are missing, or that the device has
// no byte for, keeps one case, which is then skipped with the reason. What only the preset asks for
// and the user's pitch or page rules out is left out.
#include "bench/latency/plan.h"

#include "bench/latency/case.h"
#include "bench/latency/latency.h"

#include <inttypes.h>
#include <string.h>

enum {
    GRAIN_BYTES = LATENCY_STRIDE_BYTES, // sizes are rounded down to it, the same for all paths
    PAGES_MIN = 4
};

#define UNKNOWN_CACHE_BYTES (UINT64_C(32) << 20) // where nobody says how large the last cache is
#define QUICK_CPU_BYTES     (UINT64_C(8) << 20)  // a CPU under `quick`: it builds chains slowly

struct plan {
    const struct bench_request *request;
    const struct bench_choice *choices[LATENCY_PARAM_COUNT];
    struct bench_case_list *list;
    struct measure_limits limits;
    bool quick, full;
    size_t tried; // combinations that a path can have
};

// As typed: a case holds 32 bits of them.
static bool check_steps(const struct bench_choice *pitch, const struct bench_choice *page,
                        struct error *err)
{
    for (size_t i = 0; i < pitch->value_count; i++)
        if (!latency_pitch_check(pitch->values[i].uint, err))
            return false;
    for (size_t i = 0; i < page->value_count; i++) {
        uint64_t bytes = page->values[i].uint;
        if (bytes == 0 || bytes & (bytes - 1) || bytes > UINT32_MAX)
            return error_set(err, ERROR_USAGE,
                             "page %" PRIu64 ": want a power of two, at most 2 GiB", bytes);
    }
    return true;
}

static bool plan_init(struct plan *plan, struct error *err)
{
    static const char *const keys[LATENCY_PARAM_COUNT] = {"path", "chain", "order", "bytes",
                                                          "load", "pitch", "page"};
    for (size_t i = 0; i < LATENCY_PARAM_COUNT; i++) {
        plan->choices[i] = bench_choice_find(plan->request, keys[i]);
        if (!plan->choices[i] || plan->choices[i]->value_count == 0)
            return error_set(err, ERROR_USAGE, "latency: no value for %s", keys[i]);
    }
    measure_limits_of(plan->request->device, &plan->limits);
    plan->quick = strcmp(plan->request->preset, "quick") == 0;
    plan->full = strcmp(plan->request->preset, "full") == 0;
    return check_steps(plan->choices[LATENCY_PARAM_PITCH], plan->choices[LATENCY_PARAM_PAGE], err);
}

static bool from_user(const struct plan *plan, enum latency_param param)
{
    return plan->choices[param]->from_user;
}

static bool has_caps(const struct plan *plan, enum latency_path path, bool pointer)
{
    gpu_caps needed = latency_caps(path, pointer);
    return (plan->request->device->caps & needed) == needed;
}

// The chain that a path is measured with when only one is wanted.
static bool better_chain_is_pointer(const struct plan *plan, enum latency_path path)
{
    return latency_path_has(path, true, LATENCY_ORDER_RANDOM) && has_caps(plan, path, true);
}

static bool is_main(const struct plan *plan, const struct latency_case *this_case)
{
    return this_case->path == LATENCY_VECTOR &&
           this_case->pointer == better_chain_is_pointer(plan, this_case->path);
}

// Whether the preset asks for this combination, as far as the user leaves the choice to it.
static bool wanted(const struct plan *plan, const struct latency_case *this_case)
{
    if (plan->full || is_main(plan, this_case))
        return true;
    bool compares = this_case->path == LATENCY_VECTOR && !this_case->pointer && !plan->quick;
    bool better = this_case->pointer == better_chain_is_pointer(plan, this_case->path);
    return (from_user(plan, LATENCY_PARAM_CHAIN) || better || compares) &&
           (from_user(plan, LATENCY_PARAM_ORDER) || this_case->order == LATENCY_ORDER_RANDOM);
}

// Largest size that the plan tries on its own.
static uint64_t plan_bytes_max(const struct plan *plan, const struct latency_case *this_case)
{
    const char *name = NULL;
    uint64_t bytes = latency_bytes_max(plan->request->device, this_case, &name);
    uint64_t cache = plan->limits.last_cache_bytes;
    if (!plan->full && !is_main(plan, this_case) &&
        2 * (cache ? cache : UNKNOWN_CACHE_BYTES) < bytes)
        bytes = 2 * (cache ? cache : UNKNOWN_CACHE_BYTES);
    if (plan->quick && plan->request->device->kind == GPU_KIND_CPU && QUICK_CPU_BYTES < bytes)
        bytes = QUICK_CPU_BYTES;
    return bytes;
}

static void add_case(struct plan *plan, const size_t pick[LATENCY_PARAM_COUNT], uint64_t bytes)
{
    struct bench_case c = {
        .values = ARENA_ARRAY(plan->request->arena, LATENCY_PARAM_COUNT, struct case_value),
        .value_count = LATENCY_PARAM_COUNT,
    };
    for (size_t i = 0; i < LATENCY_PARAM_COUNT; i++) {
        const struct param_info *param = plan->choices[i]->param;
        c.values[i] = plan->choices[i]->values[pick[i]];
        c.values[i].key = param->key;
        c.values[i].type = param->type;
        c.values[i].role = param->role;
    }
    c.values[LATENCY_PARAM_BYTES].uint = bytes;
    bench_case_add(plan->request->arena, plan->list, c);
}

// Of the preset's sizes only every n-th is taken.
static size_t size_step(const struct plan *plan, const struct latency_case *this_case)
{
    if (plan->full || from_user(plan, LATENCY_PARAM_BYTES))
        return 1;
    bool slopes = !(plan->request->device->caps & GPU_CAP(CORE_CLOCK));
    size_t step = is_main(plan, this_case) ? 1 : 2;
    return plan->quick && slopes ? 2 * step : step;
}

// The size that value number i stands for; 0: none. What the user names is kept, in reach or not;
// a range to `max` ends where the device does.
static uint64_t plan_size(const struct plan *plan, const struct latency_case *this_case, size_t i)
{
    const struct bench_choice *sizes = plan->choices[LATENCY_PARAM_BYTES];
    uint64_t bytes = sizes->values[i].uint, bytes_max = plan_bytes_max(plan, this_case);
    bool to_max = sizes->values[sizes->value_count - 1].uint == UINT64_MAX;
    if (sizes->from_user && !to_max)
        return bytes;
    bytes_max -= bytes_max % GRAIN_BYTES;
    if (bytes >= bytes_max)
        return bytes_max;
    if (i % size_step(plan, this_case) != 0)
        return 0;
    uint64_t bytes_min = GRAIN_BYTES;
    if (this_case->order == LATENCY_ORDER_PAGE)
        bytes_min = PAGES_MIN * (uint64_t)this_case->page;
    bytes -= bytes % GRAIN_BYTES;
    return bytes < bytes_min ? 0 : bytes;
}

// One case of a path that the device does not have: its visit says why.
static void plan_absent(struct plan *plan, size_t pick[LATENCY_PARAM_COUNT])
{
    uint64_t bytes = plan->choices[LATENCY_PARAM_BYTES]->values[0].uint;
    pick[LATENCY_PARAM_BYTES] = 0;
    add_case(plan, pick, bytes == UINT64_MAX ? GRAIN_BYTES : bytes);
}

// The sizes of one combination.
static void plan_sizes(struct plan *plan, size_t pick[LATENCY_PARAM_COUNT],
                       const struct latency_case *this_case)
{
    uint64_t last = 0;
    size_t count = plan->choices[LATENCY_PARAM_BYTES]->value_count;
    if (!has_caps(plan, this_case->path, this_case->pointer))
        count = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bytes = plan_size(plan, this_case, i);
        if (bytes == 0 || bytes == last)
            continue;
        pick[LATENCY_PARAM_BYTES] = i;
        last = bytes;
        add_case(plan, pick, bytes);
    }
    if (last == 0)
        plan_absent(plan, pick);
}

static bool plan_combination(struct plan *plan, size_t pick[LATENCY_PARAM_COUNT], struct error *err)
{
    const struct case_value *values[LATENCY_PARAM_COUNT];
    for (size_t i = 0; i < LATENCY_PARAM_COUNT; i++)
        values[i] = &plan->choices[i]->values[pick[i]];
    struct latency_case this_case = {
        .pointer = strcmp(values[LATENCY_PARAM_CHAIN]->text, "pointer") == 0,
        .order = latency_order(values[LATENCY_PARAM_ORDER]->text),
        .pitch = (uint32_t)values[LATENCY_PARAM_PITCH]->uint,
        .page = (uint32_t)values[LATENCY_PARAM_PAGE]->uint,
    };
    if (!latency_path_find(values[LATENCY_PARAM_PATH]->text, &this_case.path) ||
        !latency_path_has(this_case.path, this_case.pointer, this_case.order))
        return true;
    enum latency_param by =
        this_case.order == LATENCY_ORDER_PAGE ? LATENCY_PARAM_ORDER : LATENCY_PARAM_PATH;
    if (!latency_case_check(&this_case, from_user(plan, by) ? err : NULL))
        return !from_user(plan, by);
    plan->tried++;
    if (wanted(plan, &this_case))
        plan_sizes(plan, pick, &this_case);
    return true;
}

bool latency_plan(const struct bench_request *request, struct bench_case_list *list,
                  struct error *err)
{
    struct plan plan = {.request = request, .list = list};
    if (!plan_init(&plan, err))
        return false;
    // An odometer over all parameters but the size, the last one turning fastest.
    size_t pick[LATENCY_PARAM_COUNT] = {0};
    for (size_t wheel = LATENCY_PARAM_COUNT; wheel > 0;) {
        pick[LATENCY_PARAM_BYTES] = 0;
        if (!plan_combination(&plan, pick, err))
            return false;
        for (wheel = LATENCY_PARAM_COUNT; wheel > 0; wheel--) {
            size_t i = wheel - 1;
            if (i != LATENCY_PARAM_BYTES && ++pick[i] < plan.choices[i]->value_count)
                break;
            pick[i] = 0;
        }
    }
    if (plan.tried == 0)
        return error_set(err, ERROR_USAGE,
                         "latency: no path of these has such a chain: pointer chains are for "
                         "vector, scalar and atomic; image has order=random only; page is for "
                         "vector, scalar, atomic and texel");
    return true;
}
