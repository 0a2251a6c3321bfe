// SPDX-License-Identifier: MIT
#include "analysis/arithmetic.h"

#include "math/interval.h"

#include <math.h>
#include <string.h>

enum {
    UNIT_TEXT = 32
};
static const double units_least = 0.95;       // of them that results come to
static const double leg_distances[] = {4, 2}; // from the ridge, the first that leaves points
static const double leg_confidence = 0.975;

// ---------------------------------------------------------------- what a benchmark draws

static const struct metric_info *metric_of(const struct benchmark_info *info, const char *name,
                                           enum unit unit)
{
    for (size_t i = 0; i < info->metric_count; i++)
        if (info->metrics[i].unit == unit && (!name || strcmp(info->metrics[i].name, name) == 0))
            return &info->metrics[i];
    return NULL;
}

static const struct view_info *view_of(const struct benchmark_info *info, enum view_kind kind,
                                       enum unit unit)
{
    for (size_t i = 0; i < info->view_count; i++)
        if (info->views[i].kind == kind && info->views[i].group &&
            metric_of(info, info->views[i].metric, unit))
            return &info->views[i];
    return NULL;
}

static bool is_told(const struct run *run, const char *code, const char *device)
{
    for (size_t i = 0; i < run->finding_count; i++)
        if (strcmp(run->findings[i].code, code) == 0 && run->findings[i].device &&
            strcmp(run->findings[i].device, device) == 0)
            return true;
    return false;
}

static double median_of(const struct result *result, const char *name)
{
    const struct metric *metric = result_metric(result, name);
    return metric ? metric->median : NAN;
}

// All results of one device and one value of the view's group.
struct row {
    const struct run *run;
    const struct benchmark_info *info;
    const struct view_info *view;
    const char *device, *name; // of the group: "fp32-fma"
};

static bool is_in(const struct row *row, const struct result *result)
{
    const struct case_value *group = case_find(&result->bench_case, row->view->group);
    return strcmp(result->benchmark, row->info->name) == 0 &&
           strcmp(result->device, row->device) == 0 && group && group->text &&
           (!row->name || strcmp(group->text, row->name) == 0);
}

// The result of the row with the most of a metric; NULL: none has it.
static const struct result *most_of(const struct row *row, const char *metric)
{
    const struct result *best = NULL;
    for (size_t i = 0; i < row->run->result_count; i++) {
        const struct result *result = row->run->results[i];
        double value = is_in(row, result) ? median_of(result, metric) : NAN;
        if (isfinite(value) && (!best || value > median_of(best, metric)))
            best = result;
    }
    return best;
}

static void add_finding(struct run *run, const struct finding *finding, const struct result *first,
                        const struct result *second)
{
    struct finding *added = run_add_finding(run);
    *added = *finding;
    added->device = first->device;
    added->key_count = 2;
    added->keys = ARENA_ARRAY(run->arena, 2, const char *);
    added->keys[0] = first->key;
    added->keys[1] = second->key;
}

// ---------------------------------------------------------------- operations

static const struct result *lone_chain(const struct row *row)
{
    for (size_t i = 0; i < row->run->result_count; i++) {
        const struct result *result = row->run->results[i];
        const struct case_value *x = case_find(&result->bench_case, row->view->x);
        const struct case_value *y = case_find(&result->bench_case, row->view->y);
        if (is_in(row, result) && x && y && x->uint == 1 && y->uint == 1 &&
            isfinite(median_of(result, row->view->metric)))
            return result;
    }
    return NULL;
}

static double units_of(double per_cycle)
{
    double units = exp2(ceil(log2(per_cycle) - 1e-3));
    return per_cycle >= units_least * units ? units : 0;
}

static void tell_operation(struct run *run, const struct row *row)
{
    const struct metric_info *rate = metric_of(row->info, NULL, UNIT_OP_PER_CYCLE);
    const struct result *alone = lone_chain(row), *full = rate ? most_of(row, rate->name) : NULL;
    char latency[UNIT_TEXT], results[UNIT_TEXT];
    if (!alone || !full)
        return;
    double cycles = median_of(alone, row->view->metric), per_cycle = median_of(full, rate->name);
    unit_format(cycles, UNIT_CYCLE, latency, sizeof latency);
    number_format(per_cycle, results, sizeof results);
    const char *text = arena_printf(run->arena, "%s: %s: latency %s, %s results a cycle of a core",
                                    row->device, row->name, latency, results);
    if (units_of(per_cycle) > 0)
        text = arena_printf(run->arena, "%s: %.0f units", text, units_of(per_cycle));
    add_finding(run, &(struct finding){.code = "operation", .text = text, .value = cycles}, alone,
                full);
}

// ---------------------------------------------------------------- the ridge

// Intensities from below half the ridge to above twice it were measured.
static bool is_seen_around(const struct row *row, double ridge)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < row->run->result_count; i++) {
        const struct result *result = row->run->results[i];
        const struct case_value *x = case_find(&result->bench_case, row->view->x);
        if (!is_in(row, result) || !x || !isfinite(median_of(result, row->view->metric)))
            continue;
        least = fmin(least, x->real);
        most = fmax(most, x->real);
    }
    return least <= ridge / 2 && most >= ridge * 2;
}

// The flat part of a metric, from x of `least` to `most`; NaN where nothing was measured there.
static struct interval leg_of(const struct row *row, const char *metric, double least, double most)
{
    struct arena *scratch = arena_create();
    double *values = ARENA_ARRAY(scratch, row->run->result_count, double);
    size_t count = 0;
    for (size_t i = 0; i < row->run->result_count; i++) {
        const struct result *result = row->run->results[i];
        const struct case_value *x = case_find(&result->bench_case, row->view->x);
        if (is_in(row, result) && x && x->real >= least && x->real <= most &&
            isfinite(median_of(result, metric)))
            values[count++] = median_of(result, metric);
    }
    struct interval leg = {NAN, NAN, NAN};
    if (count > 0)
        leg = interval_of_median(values, count, leg_confidence);
    arena_destroy(scratch);
    return leg;
}

struct ridge {
    struct interval rate, speed; // of the two legs
    struct interval at;
};

// The roofs are fitted where they are flat, away from where they meet. The interval of their
// quotient is the widest that their own allow; both at 97.5 %, so it is one of 95 %.
static struct ridge ridge_of(const struct row *row, const char *bandwidth, double about,
                             double distance)
{
    struct ridge ridge = {
        .rate = leg_of(row, row->view->metric, about * distance, INFINITY),
        .speed = leg_of(row, bandwidth, 0, about / distance),
    };
    ridge.at = (struct interval){.median = ridge.rate.median / ridge.speed.median,
                                 .low = ridge.rate.low / ridge.speed.high,
                                 .high = ridge.rate.high / ridge.speed.low};
    return ridge;
}

static void tell_ridge(struct run *run, const struct row *row)
{
    const struct metric_info *bandwidth = metric_of(row->info, NULL, UNIT_BYTE_PER_S);
    const struct result *high = most_of(row, row->view->metric);
    const struct result *low = bandwidth ? most_of(row, bandwidth->name) : NULL;
    char operations[UNIT_TEXT], bytes[UNIT_TEXT], number[3][UNIT_TEXT];
    if (!high || !low)
        return;
    double about = median_of(high, row->view->metric) / median_of(low, bandwidth->name);
    struct ridge ridge = ridge_of(row, bandwidth->name, about, leg_distances[0]);
    if (!isfinite(ridge.at.median))
        ridge = ridge_of(row, bandwidth->name, about, leg_distances[1]);
    if (!is_seen_around(row, about) || !isfinite(ridge.at.median))
        return;
    unit_format(ridge.rate.median, UNIT_OP_PER_S, operations, sizeof operations);
    unit_format(ridge.speed.median, UNIT_BYTE_PER_S, bytes, sizeof bytes);
    number_format(ridge.at.median, number[0], sizeof number[0]);
    number_format(ridge.at.low, number[1], sizeof number[1]);
    number_format(ridge.at.high, number[2], sizeof number[2]);
    const char *within = isfinite(ridge.at.low) && isfinite(ridge.at.high)
                             ? arena_printf(run->arena, " (%s to %s)", number[1], number[2])
                             : "";
    const char *text = arena_printf(run->arena,
                                    "%s: %s: memory is the bound (%s) up to %s%s operations a "
                                    "byte, then the units (%s)",
                                    row->device, row->name, bytes, number[0], within, operations);
    add_finding(run, &(struct finding){.code = "ridge", .text = text, .value = ridge.at.median},
                low, high);
}

// ---------------------------------------------------------------- all of them

typedef void tell_row(struct run *run, const struct row *row);

static void tell_rows(struct run *run, struct row *row, tell_row *tell)
{
    size_t count = run->result_count;
    for (size_t i = 0; i < count; i++) {
        row->name = NULL;
        if (!is_in(row, run->results[i]))
            continue;
        const char *name = case_find(&run->results[i]->bench_case, row->view->group)->text;
        bool known = false;
        row->name = name;
        for (size_t j = 0; j < i && !known; j++)
            known = is_in(row, run->results[j]);
        if (!known)
            tell(run, row);
    }
}

static void tell_view(struct run *run, const struct benchmark_info *info,
                      const struct view_info *view, const char *code, tell_row *tell)
{
    for (size_t d = 0; view && d < run->device_count; d++) {
        struct row row = {.run = run, .info = info, .view = view, .device = run->devices[d].id};
        if (!is_told(run, code, row.device))
            tell_rows(run, &row, tell);
    }
}

void arithmetic_add_findings(struct run *run)
{
    for (size_t i = 0; i < run->benchmark_count; i++) {
        const struct benchmark_info *info = run->benchmarks[i];
        const struct view_info *map = view_of(info, VIEW_HEATMAP, UNIT_CYCLE);
        const struct view_info *curve = view_of(info, VIEW_CURVE, UNIT_OP_PER_S);
        tell_view(run, info, map && map->y ? map : NULL, "operation", tell_operation);
        tell_view(run, info, curve, "ridge", tell_ridge);
    }
}
