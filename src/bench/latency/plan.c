// SPDX-License-Identifier: MIT
// Lists the cases of the benchmark latency. The better chain of a path has pointers as links. If
// the path or the device does not allow pointers, this chain has indices. The presets choose these
// cases:
//
//   vector       better chain, in random and plru order (quick: only random): every size
//   other paths  better chain, in random order: every second size (quick: every third), up to
//                twice the largest cache that the device may have; also vector with index chains,
//                for comparison (not in quick)
//   full         every path with every possible chain and order, at every size
//   quick        half of these sizes if kernels cannot read the core's counter, because a latency
//                then takes two dispatches
//
// The plan uses all values that the user sets. But in a list that ends in "max", it limits sizes as
// in presets. If the device does not allow a path, or pointers on a path, one case of each order
// remains. This case is skipped, and its result tells the reason. A chain for which only the preset
// asks is left out if the user's pitch or page does not allow it.
#include "bench/latency/session.h"

#include "bench/latency/case.h"
#include "bench/latency/latency.h"

#include <string.h>

enum {
    // reach() rounds chain sizes down to a multiple of this number of bytes.
    GRAIN_BYTES = LATENCY_STRIDE_BYTES,
    PAGES_MIN = 4
};

// Maximum size in bytes of a chain in the preset quick on a CPU, which builds chains slowly.
#define QUICK_CPU_BYTES (UINT64_C(8) << 20)

// Data for the callbacks replace, reach and keep of struct bench_product.
struct latency_plan {
    const struct bench_request *request;
    struct measure_limits limits;
    bool quick, full;
};

static bool from_user(const struct latency_plan *plan, enum latency_param param)
{
    return plan->request->choices[param].from_user;
}

static bool has_caps(const struct latency_plan *plan, enum latency_path path, bool pointer)
{
    gpu_caps needed = latency_caps(path, pointer);
    return (plan->request->device->caps & needed) == needed;
}

// Returns true if the path and the device allow pointers. Pointers are better than indices, which
// need address arithmetic.
static bool better_chain_is_pointer(const struct latency_plan *plan, enum latency_path path)
{
    return latency_path_has(path, true, LATENCY_ORDER_RANDOM) && has_caps(plan, path, true);
}

static bool is_main(const struct latency_plan *plan, const struct latency_case *this_case)
{
    return this_case->path == LATENCY_VECTOR &&
           this_case->pointer == better_chain_is_pointer(plan, this_case->path);
}

// Returns true if the preset or the user asks for this combination of path, chain and order.
static bool is_wanted(const struct latency_plan *plan, const struct latency_case *this_case)
{
    if (plan->full || is_main(plan, this_case))
        return true;
    bool compares = this_case->path == LATENCY_VECTOR && !this_case->pointer && !plan->quick;
    bool better = this_case->pointer == better_chain_is_pointer(plan, this_case->path);
    return (from_user(plan, LATENCY_PARAM_CHAIN) || better || compares) &&
           (from_user(plan, LATENCY_PARAM_ORDER) || this_case->order == LATENCY_ORDER_RANDOM);
}

// Returns the largest size in bytes of a chain in the plan; 0 if there is none.
static uint64_t plan_bytes_max(const struct latency_plan *plan,
                               const struct latency_case *this_case)
{
    const char *name = NULL;
    uint64_t bytes = latency_bytes_max(plan->request->device, this_case, &name);
    uint64_t most = 2 * measure_limits_cache_most(&plan->limits);
    if (!plan->full && !is_main(plan, this_case) && most < bytes)
        bytes = most;
    if (plan->quick && plan->request->device->kind == GPU_KIND_CPU && QUICK_CPU_BYTES < bytes)
        bytes = QUICK_CPU_BYTES;
    return bytes - bytes % GRAIN_BYTES;
}

// Returns n if the plan uses only every n-th of the chain sizes that the preset lists.
static size_t size_step(const struct latency_plan *plan, const struct latency_case *this_case)
{
    if (plan->full || from_user(plan, LATENCY_PARAM_BYTES))
        return 1;
    bool slopes = !(plan->request->device->caps & GPU_CAP(CORE_CLOCK));
    size_t step = is_main(plan, this_case) ? 1 : plan->quick ? 3 : 2;
    return plan->quick && slopes ? 2 * step : step;
}

// If the device lacks a capability, replaces each size by the first size. So one case of each order
// remains; the run skips this case and says why.
static void replace(const struct bench_pick *pick)
{
    struct latency_case this_case;
    if (pick->param != LATENCY_PARAM_BYTES)
        return;
    latency_case_read(&pick->c, &this_case);
    if (!has_caps(pick->context, this_case.path, this_case.pointer))
        pick->value->uint = pick->request->choices[LATENCY_PARAM_BYTES].values[0].uint;
}

// Returns false if the plan should leave out this size. If the device allows no chain on this path,
// only the first size stays.
static bool reach(const struct bench_pick *pick)
{
    const struct latency_plan *plan = pick->context;
    struct latency_case this_case;
    if (pick->param != LATENCY_PARAM_BYTES)
        return true;
    latency_case_read(&pick->c, &this_case);
    uint64_t bytes = pick->value->uint, bytes_max = plan_bytes_max(plan, &this_case);
    if (!has_caps(plan, this_case.path, this_case.pointer) || bytes_max == 0) {
        if (pick->at[pick->param] == 0 && bytes == UINT64_MAX)
            pick->value->uint = GRAIN_BYTES;
        return pick->at[pick->param] == 0;
    }
    if (bytes < bytes_max && pick->at[pick->param] % size_step(plan, &this_case) != 0)
        return false;
    uint64_t bytes_min = GRAIN_BYTES;
    if (this_case.order == LATENCY_ORDER_PAGE)
        bytes_min = PAGES_MIN * plan->request->choices[LATENCY_PARAM_PAGE].values[0].uint;
    pick->value->uint = bytes < bytes_max ? bytes - bytes % GRAIN_BYTES : bytes_max;
    return bytes >= bytes_max || pick->value->uint >= bytes_min;
}

// Returns true if the plan should contain this case: its path has this order and link
// (latency_path_has), its stride and page fit (latency_case_check), and the preset or the user asks
// for it. A stride or page that does not fit is an error if the user set `order` (for order=page)
// or `path` (for other orders).
static bool keep(const struct bench_pick *pick, struct error *err)
{
    const struct latency_plan *plan = pick->context;
    struct latency_case this_case;
    struct error unreturned;
    latency_case_read(&pick->c, &this_case);
    if (!latency_path_has(this_case.path, this_case.pointer, this_case.order))
        return false;
    enum latency_param by =
        this_case.order == LATENCY_ORDER_PAGE ? LATENCY_PARAM_ORDER : LATENCY_PARAM_PATH;
    return latency_case_check(&this_case, from_user(plan, by) ? err : &unreturned) &&
           is_wanted(plan, &this_case);
}

bool latency_plan(const struct bench_request *request, struct bench_case_list *list,
                  struct error *err)
{
    struct latency_plan plan = {.request = request,
                                .quick = strcmp(request->preset, "quick") == 0,
                                .full = strcmp(request->preset, "full") == 0};
    const struct bench_product product = {
        .request = request, .context = &plan, .replace = replace, .reach = reach, .keep = keep};
    measure_limits_of(request->device, &plan.limits);
    return bench_plan_product(&product, list, err);
}
