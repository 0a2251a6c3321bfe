// SPDX-License-Identifier: MIT
#include "bench/rays/session.h"

#include <math.h>

// Returns the first result with the metric "rays" (a rate), opaque hits and this order of rays, in
// the scene of `like` and with its number of primitives. If `like` has the parameter `through`, the
// result has the same value of it. Returns NULL if there is no such result.
static const struct result *find(const struct run *run, const char *device, const char *order,
                                 const struct result *like)
{
    const char *scene = case_text(&like->bench_case, "scene");
    const struct case_value *through = case_find(&like->bench_case, "through");
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (result_is_of(result, "rays", device) && result_metric(result, "rays") &&
            case_says(&result->bench_case, "scene", scene) &&
            (!through || case_says(&result->bench_case, "through", through->text)) &&
            case_says(&result->bench_case, "order", order) &&
            case_says(&result->bench_case, "hits", "opaque") &&
            case_uint(&result->bench_case, "primitives") ==
                case_uint(&like->bench_case, "primitives"))
            return result;
    }
    return NULL;
}

// Adds the finding no-ray-units if the device lacks units for rays, so that its cores do the tests
// of boxes and triangles.
static void conclude_units(struct run *run, const char *device)
{
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        const char *units =
            result_is_of(result, "rays", device) ? result_detail(result, "units") : NULL;
        if (!units)
            continue;
        run_add_conclusion(run, "no-ray-units", NAN, result, NULL, "%s", units);
        return;
    }
}

// Adds the finding rays-order: how much the order of the same rays matters. Value: rate in random
// order ÷ rate in order. It comes from the scene with the most primitives; if several have as many,
// from the first.
static void conclude_order(struct run *run, const char *device)
{
    const struct result *random = NULL, *ordered = NULL;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!result_is_of(result, "rays", device) ||
            !case_matches(&result->bench_case, "work=rays,order=random,hits=opaque") ||
            !find(run, device, "ordered", result) || !result_metric(result, "rays") ||
            (random && case_uint(&result->bench_case, "primitives") <=
                           case_uint(&random->bench_case, "primitives")))
            continue;
        random = result;
        ordered = find(run, device, "ordered", result);
    }
    if (!random)
        return;
    const double ratio = result_median(random, "rays") / result_median(ordered, "rays");
    run_add_conclusion(run, "rays-order", ratio, random, ordered,
                       "rays in random order reach %.2f times the rate of the same rays in order "
                       "(%s of %llu triangles)",
                       ratio, case_text(&random->bench_case, "scene"),
                       (unsigned long long)case_uint(&random->bench_case, "primitives"));
}

void rays_conclude(struct run *run, const char *device)
{
    conclude_units(run, device);
    conclude_order(run, device);
}
