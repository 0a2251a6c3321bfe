// SPDX-License-Identifier: MIT
#include "suite/forecast.h"

#include "base/clock.h"

#include <math.h>

// In the mean duration of a case, the expected duration has the weight of this many measured cases.
static const double trusted_cases = 2;

void forecast_plan(struct forecast *forecast, size_t part, const struct benchmark *benchmark,
                   size_t cases, const struct gpu_info *device, const struct budget *budget)
{
    double samples_s = (double)budget->samples * (double)budget->sample_ns / NS_PER_S;
    double visit_s = device->kind == GPU_KIND_CPU ? 0.025 : 0.012 + samples_s;
    bool is_quick = budget->rounds_max <= 2 * budget->rounds_min;
    double rounds = is_quick ? (budget->rounds_min + budget->rounds_max) / 2.0 : budget->rounds_min;
    double declared =
        is_quick && benchmark->quick_slowness > 0 ? benchmark->quick_slowness : benchmark->slowness;
    double slowness = declared > 0 ? declared : 1;
    struct error missing;
    bool is_skipped = !gpu_require(device, benchmark->needs, &missing);
    forecast->parts[part] = (struct forecast_part){
        .cases = cases,
        .case_s = is_skipped ? 0 : rounds * visit_s * slowness,
        .most_s = (double)budget->time_most_ns / NS_PER_S,
    };
}

void forecast_note(struct forecast *forecast, size_t part, double done, uint64_t now_ns)
{
    if (forecast->at < forecast->count) {
        struct forecast_part *last = &forecast->parts[forecast->at];
        last->spent_s += (double)(now_ns - forecast->now_ns) / NS_PER_S;
        // The part of the last call counts as finished, unless this call is about the same part.
        last->done = (double)last->cases;
    }
    forecast->parts[part].done = done;
    forecast->at = part;
    forecast->now_ns = now_ns;
}

static double part_left_s(const struct forecast_part *part)
{
    double case_s = (part->spent_s + trusted_cases * part->case_s) / (part->done + trusted_cases);
    double left_s = fmax(0, (double)part->cases - part->done) * case_s;
    return part->most_s > 0 ? fmin(left_s, fmax(0, part->most_s - part->spent_s)) : left_s;
}

double forecast_left_s(const struct forecast *forecast)
{
    double left_s = forecast->later_s;
    for (size_t i = 0; i < forecast->count; i++)
        left_s += part_left_s(&forecast->parts[i]);
    bool silent = forecast->now_ns - forecast->start_ns < FORECAST_SILENT_S * NS_PER_S;
    return silent ? NAN : left_s;
}

struct forecast forecast_of_plan(struct arena *arena, const struct plan *plan,
                                 const struct gpu_info *device, const struct budget *budget)
{
    struct forecast forecast = {.start_ns = clock_now_ns()};
    while (benchmarks[forecast.count])
        forecast.count++;
    forecast.at = forecast.count;
    forecast.now_ns = forecast.start_ns;
    forecast.parts = ARENA_ARRAY(arena, forecast.count, struct forecast_part);
    for (size_t i = 0; !plan->grows && i < forecast.count; i++)
        forecast_plan(&forecast, i, benchmarks[i], plan->left(plan, benchmarks[i]), device, budget);
    return forecast;
}

void forecast_add_later(struct forecast *forecast, const struct forecast *later)
{
    for (size_t i = 0; i < later->count; i++)
        forecast->later_s += part_left_s(&later->parts[i]);
}

size_t forecast_work(struct forecast *forecast, const struct plan *plan,
                     const struct benchmark *benchmark, size_t taken, double work)
{
    size_t at = 0, ahead = taken + plan->left(plan, benchmark);
    while (benchmarks[at] != benchmark)
        at++;
    size_t cases = forecast->parts[at].cases;
    forecast_note(forecast, at, work + (cases > ahead ? (double)(cases - ahead) : 0),
                  clock_now_ns());
    return cases;
}
