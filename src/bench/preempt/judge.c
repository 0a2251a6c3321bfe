// SPDX-License-Identifier: MIT
#include "bench/preempt/judge.h"

#include "math/stats.h"

#include <float.h>
#include <math.h>

enum {
    BINS_AN_OCTAVE_MIN = 4,
    BINS_AN_OCTAVE_MAX = 64,
    BINS_MOST = 40,
    SCENE_VICTIMS = 8,
    SCENE_ROWS = 48
};

const char *const judge_names[JUDGE_COUNT] = {
    [JUDGE_ALONE] = "alone",
    [JUDGE_CO_RESIDENT] = "co-resident",
    [JUDGE_MID_SHADER] = "mid-shader",
    [JUDGE_IN_TURNS] = "in turns",
    [JUDGE_BOUNDARY] = "at a boundary",
    [JUDGE_WAITED] = "after a submission",
};

// Adds to *beside the number of workgroups of a submission `hog` that were present
// (judge_entry_of). Adds to *still the number of present workgroups that paused for long enough to
// count as interrupted.
static void count_beside(const struct load_run *victim, const struct load_run *hog,
                         const struct judge_limits *limits, size_t *beside, size_t *still)
{
    double stop_ns = fmax(JUDGE_STILL * (victim->end_ns - victim->start_ns), limits->pause_ns);
    for (size_t g = 0; g < hog->group_count; g++) {
        const struct load_group *group = &hog->groups[g];
        if (group->start_ns >= victim->end_ns - limits->resolution_ns ||
            group->end_ns <= victim->start_ns + limits->resolution_ns)
            continue;
        ++*beside;
        *still += group->pause_ns > stop_ns;
    }
}

static double common_ns(const struct load_run *a, const struct load_run *b)
{
    return fmax(fmin(a->end_ns, b->end_ns) - fmax(a->start_ns, b->start_ns), 0);
}

// True if the victim overlapped a submission of the hog that took longer than limits->alone_ns, by
// at least JUDGE_STILL of the time in which victims ran during this submission.
static bool is_drawn_out(const struct load_run *victim, const struct load_run *hogs,
                         size_t hog_count, const struct judge_limits *limits)
{
    for (size_t h = 0; h < hog_count; h++) {
        double victims_ns = 0;
        if (common_ns(victim, &hogs[h]) <= 0)
            continue;
        for (size_t v = 0; v < limits->victim_count; v++)
            victims_ns += common_ns(&limits->victims[v], &hogs[h]);
        if (hogs[h].end_ns - hogs[h].start_ns - limits->alone_ns >= JUDGE_STILL * victims_ns)
            return true;
    }
    return false;
}

enum judge_entry judge_entry_of(const struct load_run *victim, const struct load_run *hogs,
                                size_t hog_count, const struct judge_limits *limits)
{
    size_t beside = 0, still = 0;
    bool within = false, before = false;
    for (size_t h = 0; h < hog_count; h++) {
        count_beside(victim, &hogs[h], limits, &beside, &still);
        before = before || hogs[h].start_ns < victim->start_ns;
        within = within || (hogs[h].start_ns < victim->start_ns && hogs[h].end_ns > victim->end_ns);
    }
    bool hidden = limits->pause_ns > JUDGE_STILL * (victim->end_ns - victim->start_ns);
    if (beside && (2 * still >= beside || (hidden && limits->alone_ns > 0 &&
                                           is_drawn_out(victim, hogs, hog_count, limits))))
        return JUDGE_MID_SHADER;
    if (beside && victim->pause_ns >= JUDGE_STOPPED * (victim->end_ns - victim->start_ns))
        return JUDGE_IN_TURNS;
    if (beside)
        return JUDGE_CO_RESIDENT;
    return within ? JUDGE_BOUNDARY : before ? JUDGE_WAITED : JUDGE_ALONE;
}

// ---------------------------------------------------------------- series

void preempt_history_add(struct preempt_history *history, double response_ns, bool censored)
{
    if (history->count == PREEMPT_HISTORY_MAX)
        return;
    history->censored[history->count] = censored;
    history->responses_ns[history->count++] = response_ns;
}

struct preempt_responses preempt_responses_sort(struct arena *arena, const double *ns,
                                                const bool *censored, size_t count)
{
    double *shortest = ARENA_ARRAY(arena, count, double);
    double *longest = ARENA_ARRAY(arena, count, double);
    for (size_t i = 0; i < count; i++) {
        shortest[i] = ns[i];
        longest[i] = censored[i] ? DBL_MAX : ns[i];
    }
    stats_sort(shortest, count);
    stats_sort(longest, count);
    return (struct preempt_responses){shortest, longest, count};
}

// A censored response counts as its lower bound. at_least is true if the quantile would be longer
// if censored responses never ended.
struct preempt_quantile preempt_quantile_of(const struct preempt_responses *responses, double p)
{
    double least = stats_quantile(responses->ns, responses->count, p);
    double most = stats_quantile(responses->longest_ns, responses->count, p);
    return (struct preempt_quantile){least, responses->count > 0 && !(most <= least)};
}

static void add_entered(const struct preempt_history *history, struct measure_visit *visit)
{
    double *counts = visit_series(visit, "entered", judge_names, JUDGE_COUNT, 1)->data;
    for (int e = 0; e < JUDGE_COUNT; e++)
        counts[e] = (double)history->entries[e];
}

// Returns the lower (`side` is −1) or the upper bound (1) of the 95 % interval of quantile `p`; NaN
// if there is none, or the upper bound is censored. The bound's rank is 1.96 standard deviations
// from the rank of p, for a binomial distribution of `events` independent events (David and
// Nagaraja, "Order Statistics", 7.1).
static double bound(const struct preempt_responses *responses, size_t events, double p, double side)
{
    double count = (double)responses->count;
    double rank = count * (p + side * 1.96 * sqrt(p * (1 - p) / (double)events));
    rank = side < 0 ? floor(rank) : ceil(rank) + 1;
    if (!(rank >= 1 && rank <= count))
        return NAN;
    double value = (side < 0 ? responses->ns : responses->longest_ns)[(size_t)rank - 1];
    return value < DBL_MAX ? value : NAN;
}

static void add_quantiles(const struct preempt_responses *responses, size_t events,
                          struct measure_visit *visit)
{
    static const struct {
        double p;
        size_t least; // minimum number of responses with which a case reports the quantile
    } quantiles[] = {{0, 1},       {0.5, 1},       {0.9, 100}, {0.95, 300},
                     {0.99, 1000}, {0.999, 10000}, {1, 1}};
    const char *columns[] = {"p", "response", "low", "high", "samples", "at_least"};
    struct series *series =
        visit_series(visit, "quantiles", columns, COUNT(columns), COUNT(quantiles));
    double *cell = series->data;
    for (size_t q = 0; q < COUNT(quantiles); q++) {
        double p = quantiles[q].p;
        if (responses->count < quantiles[q].least)
            continue;
        struct preempt_quantile quantile = preempt_quantile_of(responses, p);
        *cell++ = p;
        *cell++ = quantile.ns;
        *cell++ = p > 0 && p < 1 ? bound(responses, events, p, -1) : NAN;
        *cell++ = p > 0 && p < 1 ? bound(responses, events, p, 1) : NAN;
        *cell++ = (double)responses->count;
        *cell++ = quantile.at_least;
    }
    series->row_count = (size_t)(cell - series->data) / COUNT(columns);
}

// Returns the number of bins per octave of a histogram. Most answers are close together, and a few
// are far away. So this is the largest power of 2 with which all answers need at most BINS_MOST
// bins and at most 2 √count bins.
static double bins_an_octave(const double *sorted, size_t count)
{
    double bins = BINS_AN_OCTAVE_MAX, most = fmin(BINS_MOST, 2 * sqrt((double)count));
    double least = log2(sorted[0]), longest = log2(sorted[count - 1]);
    while (bins > BINS_AN_OCTAVE_MIN && floor(longest * bins) - floor(least * bins) >= most)
        bins /= 2;
    return bins;
}

static void add_histogram(const double *sorted, size_t count, struct measure_visit *visit)
{
    const char *columns[] = {"low", "high", "count"};
    double fine = bins_an_octave(sorted, count);
    double first = floor(log2(sorted[0]) * fine);
    double last = floor(log2(sorted[count - 1]) * fine);
    size_t bins = (size_t)(last - first) + 1;
    double *cells = visit_series(visit, "histogram", columns, COUNT(columns), bins)->data;
    for (size_t b = 0; b < bins; b++) {
        cells[3 * b] = exp2((first + (double)b) / fine);
        cells[3 * b + 1] = exp2((first + (double)b + 1) / fine);
    }
    for (size_t i = 0; i < count; i++) {
        double bin = floor(log2(sorted[i]) * fine) - first;
        cells[3 * (size_t)bin + 2]++;
    }
}

void preempt_series_history(struct arena *scratch, const struct preempt_history *history,
                            struct measure_visit *visit)
{
    const struct preempt_responses responses =
        preempt_responses_sort(scratch, history->responses_ns, history->censored, history->count);
    add_quantiles(&responses, history->events, visit);
    if (history->count)
        add_histogram(responses.ns, history->count, visit);
    add_entered(history, visit);
}

// The rows of the series "timeline", and what they show. Times in rows count from from_ns.
struct window {
    struct series *rows;
    double from_ns, to_ns;
};

// Appends a row for each submission that overlaps the window, up to SCENE_ROWS rows. A row has only
// the part in the window.
static void lane_add(const struct window *window, const struct preempt_lane *lane, unsigned number)
{
    const struct load_run *runs = lane->runs;
    struct series *rows = window->rows;
    for (size_t i = 0; i < lane->count && rows->row_count < SCENE_ROWS; i++) {
        double start_ns = fmax(runs[i].start_ns, window->from_ns);
        double end_ns = fmin(runs[i].end_ns, window->to_ns);
        if (start_ns >= end_ns)
            continue;
        double *cells = rows->data + rows->column_count * rows->row_count++;
        cells[0] = start_ns - window->from_ns;
        cells[1] = end_ns - window->from_ns;
        cells[2] = number;
    }
}

void preempt_series_timeline(const struct preempt_lane lanes[PREEMPT_LANES],
                             struct measure_visit *visit)
{
    const char *columns[] = {"start", "end", "lane"};
    const struct load_run *victims = lanes[0].runs;
    size_t count = lanes[0].count, first = count / 2;
    if (count == 0)
        return;
    first = first > SCENE_VICTIMS / 2 ? first - SCENE_VICTIMS / 2 : 0;
    size_t last = first + SCENE_VICTIMS < count ? first + SCENE_VICTIMS : count;
    const struct preempt_lane some = {victims + first, last - first};
    const struct window window = {
        .rows = visit_series(visit, "timeline", columns, COUNT(columns), SCENE_ROWS),
        .from_ns = victims[first].start_ns - 1e6,
        .to_ns = victims[last - 1].end_ns + 1e6};
    window.rows->row_count = 0;
    for (unsigned lane = 0; lane < PREEMPT_LANES; lane++)
        lane_add(&window, lane == 0 ? &some : &lanes[lane], lane);
}
