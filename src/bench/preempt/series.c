// SPDX-License-Identifier: MIT
#include "bench/preempt/series.h"

#include "math/stats.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
    BINS_AN_OCTAVE_MIN = 4,
    BINS_AN_OCTAVE_MAX = 64,
    BINS_MOST = 40,
    SCENE_VICTIMS = 8,
    SCENE_ROWS = 32
};

void preempt_history_add(struct preempt_history *history, double response_ns,
                         enum judge_entry entry)
{
    if (history->count == PREEMPT_HISTORY_MAX)
        return;
    history->responses_ns[history->count++] = response_ns;
    history->entries[entry]++;
}

void preempt_series_entered(struct arena *arena, const struct preempt_history *history,
                            struct measure_visit *visit)
{
    const char *columns[JUDGE_COUNT];
    double *counts = ARENA_ARRAY(arena, JUDGE_COUNT, double);
    for (int e = 0; e < JUDGE_COUNT; e++) {
        columns[e] = judge_name((enum judge_entry)e);
        counts[e] = (double)history->entries[e];
    }
    const struct series series = {.name = "entered",
                                  .columns = columns,
                                  .column_count = JUDGE_COUNT,
                                  .data = counts,
                                  .row_count = 1};
    visit_series(visit, &series);
}

static double *sorted_of(struct arena *arena, const struct preempt_history *history)
{
    double *sorted = ARENA_ARRAY(arena, history->count, double);
    memcpy(sorted, history->responses_ns, history->count * sizeof *sorted);
    stats_sort(sorted, history->count);
    return sorted;
}

// Ranks around n p that enclose the quantile with 95 %, by the normal approximation of the binomial
// (David and Nagaraja, "Order Statistics", 7.1); NaN where they lie outside of the sample.
static double bound(const double *sorted, size_t count, double p, double side)
{
    double rank = (double)count * p + side * 1.96 * sqrt((double)count * p * (1 - p));
    rank = side < 0 ? floor(rank) : ceil(rank) + 1;
    return rank >= 1 && rank <= (double)count ? sorted[(size_t)rank - 1] : NAN;
}

void preempt_series_quantiles(struct arena *arena, const struct preempt_history *history,
                              struct measure_visit *visit)
{
    static const struct {
        double p;
        size_t least; // samples
    } quantiles[] = {{0, 1}, {0.5, 1}, {0.9, 10}, {0.95, 20}, {0.99, 100}, {0.999, 1000}, {1, 1}};
    const char *columns[] = {"p", "response", "low", "high", "samples"};
    const double *sorted = sorted_of(arena, history);
    struct series series = {
        .name = "quantiles", .columns = columns, .column_count = COUNT(columns)};
    double *cell = series.data = ARENA_ARRAY(arena, COUNT(quantiles) * COUNT(columns), double);
    for (size_t q = 0; q < COUNT(quantiles); q++) {
        double p = quantiles[q].p;
        if (history->count < quantiles[q].least)
            continue;
        *cell++ = p;
        *cell++ = stats_quantile(sorted, history->count, p);
        *cell++ = p > 0 && p < 1 ? bound(sorted, history->count, p, -1) : NAN;
        *cell++ = p > 0 && p < 1 ? bound(sorted, history->count, p, 1) : NAN;
        *cell++ = (double)history->count;
        series.row_count++;
    }
    visit_series(visit, &series);
}

// The finest bins of which there are not too many from the shortest to the longest, nor for so many
// answers: most lie close together, and a few far away.
static double bins_an_octave(const double *sorted, size_t count)
{
    double bins = BINS_AN_OCTAVE_MAX, most = fmin(BINS_MOST, 2 * sqrt((double)count));
    double least = log2(sorted[0]), longest = log2(sorted[count - 1]);
    while (bins > BINS_AN_OCTAVE_MIN && floor(longest * bins) - floor(least * bins) >= most)
        bins /= 2;
    return bins;
}

void preempt_series_histogram(struct arena *arena, const struct preempt_history *history,
                              struct measure_visit *visit)
{
    const char *columns[] = {"low", "high", "count"};
    const double *sorted = sorted_of(arena, history);
    if (history->count == 0)
        return;
    double fine = bins_an_octave(sorted, history->count);
    double first = floor(log2(sorted[0]) * fine);
    double last = floor(log2(sorted[history->count - 1]) * fine);
    size_t bins = (size_t)(last - first) + 1;
    struct series series = {
        .name = "histogram", .columns = columns, .column_count = COUNT(columns), .row_count = bins};
    series.data = ARENA_ARRAY(arena, bins * COUNT(columns), double);
    for (size_t b = 0; b < bins; b++) {
        series.data[3 * b] = exp2((first + (double)b) / fine);
        series.data[3 * b + 1] = exp2((first + (double)b + 1) / fine);
    }
    for (size_t i = 0; i < history->count; i++) {
        double bin = floor(log2(sorted[i]) * fine) - first;
        series.data[3 * (size_t)bin + 2]++;
    }
    visit_series(visit, &series);
}

static size_t scene_add(double *cells, size_t rows, const struct load_run *run, double from,
                        double to, double lane)
{
    double start = fmax(run->start_ns, from), end = fmin(run->end_ns, to);
    if (rows == SCENE_ROWS || start >= end)
        return rows;
    cells[3 * rows] = start - from;
    cells[3 * rows + 1] = end - from;
    cells[3 * rows + 2] = lane;
    return rows + 1;
}

void preempt_series_timeline(struct arena *arena, const struct preempt_scene *scene,
                             struct measure_visit *visit)
{
    const char *columns[] = {"start", "end", "lane"};
    if (scene->victim_count == 0)
        return;
    size_t first = scene->victim_count / 2;
    first = first > SCENE_VICTIMS / 2 ? first - SCENE_VICTIMS / 2 : 0;
    size_t last =
        first + SCENE_VICTIMS < scene->victim_count ? first + SCENE_VICTIMS : scene->victim_count;
    double from = scene->victims[first].start_ns - 1e6;
    double to = scene->victims[last - 1].end_ns + 1e6;
    struct series series = {.name = "timeline", .columns = columns, .column_count = COUNT(columns)};
    series.data = ARENA_ARRAY(arena, (size_t)SCENE_ROWS * COUNT(columns), double);
    for (size_t v = first; v < last; v++)
        series.row_count =
            scene_add(series.data, series.row_count, &scene->victims[v], from, to, 0);
    for (size_t h = 0; h < scene->hog_count; h++)
        series.row_count = scene_add(series.data, series.row_count, &scene->hogs[h], from, to, 1);
    visit_series(visit, &series);
}
