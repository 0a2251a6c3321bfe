// SPDX-License-Identifier: MIT
// The fit works on ln y, because the noise of ln y is about the same everywhere. Sums over segments
// come from prefix sums. Outliers have weight 0, all other points have weight 1.
#include "math/plateaus.h"

#include "math/hinge.h"
#include "math/stats.h"

#include <math.h>
#include <string.h>

// relative noise of the points on a rise, where sets of a cache fill unevenly
static const double rise_noise = 0.02;

struct sums {
    double w, x, y, xx, xy, yy;
};

struct work {
    const struct plateaus_desc *desc;
    size_t n;
    double rise_part; // weight of a squared deviation on a rise; on a plateau this weight is 1
    double *ln_y;
    double *weight;
    // Prefix sums (element i: all points before i) of ln y, and of y with the weight 1 / y².
    struct sums *prefix;
    struct sums *linear;
    // best[level][j] is the minimum cost of the points 0…j if plateau `level` ends at point j. This
    // plateau begins at first[level][j], and the plateau before it ends at before[level][j].
    double *best;
    size_t *first;
    size_t *before;
    // entry[i] is the minimum cost of the points before i if the next plateau begins at i.
    double *entry;
    size_t *entry_from;
    double *scratch;
};

// ---------------------------------------------------------------- noise and outliers

static double robust_deviation(double *values, size_t count)
{
    // Normal noise has a standard deviation of 1.4826 times its median absolute value.
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i]);
    return count ? 1.4826 * stats_median(values, count) : 0;
}

double plateaus_noise(const double *x, const double *y, size_t count, double *scratch)
{
    size_t differences = 0;
    for (size_t i = 1; i + 1 < count; i++) {
        double left = x[i] - x[i - 1], right = x[i + 1] - x[i];
        if (left + right <= 0)
            continue;
        double t = left / (left + right);
        double middle = (1 - t) * log(y[i - 1]) + t * log(y[i + 1]);
        scratch[differences++] = (log(y[i]) - middle) / sqrt(1 + t * t + (1 - t) * (1 - t));
    }
    return robust_deviation(scratch, differences);
}

// Gives outliers the weight 0. An outlier is far from the median of its five nearest points, and
// clearly above both its neighbours or clearly below both.
static void weigh(struct work *work, double noise)
{
    for (size_t i = 0; i < work->n; i++) {
        size_t from = i < 2 ? 0 : i - 2;
        size_t to = i + 3 > work->n ? work->n : i + 3;
        double window[5], median;
        memcpy(window, work->ln_y + from, (to - from) * sizeof *window);
        median = stats_median(window, to - from);
        double off = work->ln_y[i] - median;
        double before = i ? work->ln_y[i - 1] : median;
        double after = i + 1 < work->n ? work->ln_y[i + 1] : median;
        bool alone = fabs(off) > 5 * noise && (work->ln_y[i] > fmax(before, after) + 4 * noise ||
                                               work->ln_y[i] < fmin(before, after) - 4 * noise);
        work->weight[i] = alone ? 0 : 1;
    }
}

static void make_prefix(struct work *work)
{
    for (size_t i = 0; i < work->n; i++) {
        double w = work->weight[i], x = work->desc->x[i], y = work->ln_y[i];
        struct sums s = work->prefix[i];
        work->prefix[i + 1] = (struct sums){s.w + w,          s.x + w * x,      s.y + w * y,
                                            s.xx + w * x * x, s.xy + w * x * y, s.yy + w * y * y};
        y = work->desc->y[i];
        w /= y * y;
        s = work->linear[i];
        work->linear[i + 1] = (struct sums){s.w + w,          s.x + w * x,      s.y + w * y,
                                            s.xx + w * x * x, s.xy + w * x * y, s.yy + w * y * y};
    }
}

// ---------------------------------------------------------------- costs of segments

static struct sums between(const struct sums *prefix, size_t from, size_t to)
{
    struct sums a = prefix[from], b = prefix[to];
    return (struct sums){b.w - a.w, b.x - a.x, b.y - a.y, b.xx - a.xx, b.xy - a.xy, b.yy - a.yy};
}

// Returns the sum of squared deviations of points [from, to) from their mean.
static double flat_cost(const struct work *work, size_t from, size_t to)
{
    struct sums s = between(work->prefix, from, to);
    return s.w > 0 ? fmax(s.yy - s.y * s.y / s.w, 0) : 0;
}

// Returns the cost of a straight rise through the points [from, to). The line is fitted to y, not
// to ln y: while more and more loads miss, the latency rises linearly.
static double line_cost(const struct work *work, size_t from, size_t to)
{
    if (between(work->prefix, from, to).w < 3)
        return 0;
    struct sums s = between(work->linear, from, to);
    double xx = s.xx - s.x * s.x / s.w, xy = s.xy - s.x * s.y / s.w, yy = s.yy - s.y * s.y / s.w;
    return work->rise_part * fmax(xx > 0 ? yy - xy * xy / xx : yy, 0);
}

static bool long_enough(const struct work *work, size_t from, size_t to, bool outermost)
{
    if (to - from < 3)
        return false;
    double length = work->desc->x[to - 1] - work->desc->x[from];
    return length >= (outermost ? work->desc->length_min / 2 : work->desc->length_min);
}

// ---------------------------------------------------------------- segmentation

static void first_level(struct work *work)
{
    for (size_t j = 0; j < work->n; j++) {
        bool fits = long_enough(work, 0, j + 1, true);
        work->best[j] = fits ? flat_cost(work, 0, j + 1) : (double)INFINITY;
        work->first[j] = 0;
        work->before[j] = 0;
    }
}

// Sets entry[i] for each point i at which plateau `level` may begin.
static void make_entries(struct work *work, size_t level)
{
    const double *below = work->best + (level - 1) * work->n;
    for (size_t i = 1; i < work->n; i++) {
        work->entry[i] = (double)INFINITY;
        for (size_t end = i; end-- > 0;) {
            if (work->desc->x[i] - work->desc->x[end] > work->desc->ramp_max && end + 1 < i)
                break;
            double cost = below[end] + line_cost(work, end + 1, i);
            if (cost < work->entry[i]) {
                work->entry[i] = cost;
                work->entry_from[i] = end;
            }
        }
    }
    work->entry[0] = (double)INFINITY;
}

static void next_level(struct work *work, size_t level)
{
    make_entries(work, level);
    for (size_t j = 0; j < work->n; j++) {
        size_t at = level * work->n + j;
        work->best[at] = (double)INFINITY;
        for (size_t i = 1; i <= j; i++) {
            if (!long_enough(work, i, j + 1, j + 1 == work->n))
                break;
            double cost = work->entry[i] + flat_cost(work, i, j + 1);
            if (cost < work->best[at]) {
                work->best[at] = cost;
                work->first[at] = i;
                work->before[at] = work->entry_from[i];
            }
        }
    }
}

static double plateau_height(const struct work *work, size_t first, size_t last)
{
    size_t count = last - first + 1;
    memcpy(work->scratch, work->desc->y + first, count * sizeof(double));
    return stats_median(work->scratch, count);
}

// Reads the best division into `levels` plateaus. Returns false if the step to one of the plateaus
// is below ratio_min.
static bool trace_back(struct work *work, size_t levels, struct plateaus *fit)
{
    size_t last = work->n - 1;
    for (size_t level = levels; level-- > 0;) {
        size_t at = level * work->n + last;
        size_t first = work->first[at];
        fit->levels[level] = (struct plateau){.height = plateau_height(work, first, last),
                                              .x_first = work->desc->x[first],
                                              .x_last = work->desc->x[last],
                                              .first = first,
                                              .last = last};
        last = work->before[at];
    }
    fit->count = levels;
    for (size_t level = 1; level < levels; level++)
        if (fit->levels[level].height < fit->levels[level - 1].height * work->desc->ratio_min)
            return false;
    return true;
}

// Chooses the number of levels with the lowest cost plus penalty.
static void choose_levels(struct work *work, double noise, struct plateaus *fit)
{
    struct plateaus candidate = *fit;
    double penalty = 3 * log((double)work->n) + 6;
    double best = (double)INFINITY;
    for (size_t levels = 1; levels <= PLATEAUS_MAX; levels++) {
        if (levels == 1)
            first_level(work);
        else
            next_level(work, levels - 1);
        double cost = work->best[levels * work->n - 1] / (noise * noise);
        double total = cost + penalty * (double)levels;
        if (!(total < best) || !trace_back(work, levels, &candidate))
            continue;
        best = total;
        memcpy(fit->levels, candidate.levels, sizeof fit->levels);
        fit->count = levels;
    }
}

static bool work_init(struct work *work, struct arena *arena, const struct plateaus_desc *desc)
{
    size_t n = desc->count;
    *work = (struct work){
        .desc = desc,
        .n = n,
        .ln_y = ARENA_ARRAY(arena, n, double),
        .weight = ARENA_ARRAY(arena, n, double),
        .prefix = ARENA_ARRAY(arena, n + 1, struct sums),
        .linear = ARENA_ARRAY(arena, n + 1, struct sums),
        .best = ARENA_ARRAY(arena, n * PLATEAUS_MAX, double),
        .first = ARENA_ARRAY(arena, n * PLATEAUS_MAX, size_t),
        .before = ARENA_ARRAY(arena, n * PLATEAUS_MAX, size_t),
        .entry = ARENA_ARRAY(arena, n, double),
        .entry_from = ARENA_ARRAY(arena, n, size_t),
        .scratch = ARENA_ARRAY(arena, n, double),
    };
    for (size_t i = 0; i < n; i++) {
        if (!(desc->y[i] > 0))
            return false;
        work->ln_y[i] = log(desc->y[i]);
    }
    return n >= 5;
}

// ---------------------------------------------------------------- ends of plateaus

// Returns the median y within ramp_max of the plateau's end, of at least three points.
static double height_at_end(const struct work *work, const struct plateau *plateau)
{
    size_t first = plateau->last;
    while (first > plateau->first &&
           (plateau->last - first < 2 ||
            work->desc->x[first - 1] >= plateau->x_last - work->desc->ramp_max))
        first--;
    return plateau_height(work, first, plateau->last);
}

// Fits the ends by the heights near them, because address translation may cause a slow rise
// (creep).
static void fit_steps(struct arena *arena, const struct work *work, struct plateaus *fit)
{
    const struct plateaus_desc *desc = work->desc;
    for (size_t k = 0; k + 1 < fit->count; k++) {
        const struct plateau *below = &fit->levels[k], *above = &fit->levels[k + 1];
        size_t first = (below->first + below->last) / 2;
        double low = height_at_end(work, below);
        const struct hinge hinge = {
            .x = desc->x + first,
            .ln_y = work->ln_y + first,
            .weight = work->weight + first,
            .count = (above->first + above->last) / 2 + 1 - first,
            .low = low,
            .high = above->height,
            // half of the slow rise (creep) counts as noise, because the creep is no part of the
            // steep rise
            .noise = fmax(fit->noise, fabs(log(low / below->height)) / 2),
            .width_max = desc->ramp_max,
            .from = fmax(below->x_last - desc->ramp_max / 2, below->x_first),
            .to = above->x_first,
        };
        hinge_fit(arena, &hinge, &fit->steps[k]);
    }
}

// ---------------------------------------------------------------- the whole

static double residual_noise(struct work *work, const struct plateaus *fit)
{
    size_t count = 0;
    for (size_t k = 0; k < fit->count; k++)
        for (size_t i = fit->levels[k].first; i <= fit->levels[k].last; i++)
            if (work->weight[i] > 0)
                work->scratch[count++] = work->ln_y[i] - log(fit->levels[k].height);
    double noise = robust_deviation(work->scratch, count);
    return fmax(noise, work->desc->noise_min);
}

// Returns how much ln y rises along plateau k, without the steep rise before it.
static double rise_along(const struct work *work, const struct plateaus *fit, size_t k)
{
    const struct plateau *plateau = &fit->levels[k];
    const double *x = work->desc->x;
    size_t first = plateau->first;
    double top = k > 0 ? fit->steps[k - 1].end + fit->steps[k - 1].width : x[first];
    while (first + 2 < plateau->last && x[first] < top)
        first++;
    struct sums s = between(work->prefix, first, plateau->last + 1);
    double xx = s.w > 0 ? s.xx - s.x * s.x / s.w : 0;
    double slope = xx > 0 ? (s.xy - s.x * s.y / s.w) / xx : 0;
    return slope * (plateau->x_last - x[first]);
}

static double step_above(const struct plateaus *fit, size_t k)
{
    return log(fit->levels[k + 1].height / fit->levels[k].height);
}

// Returns the slope of ln y between levels k and k + 1.
static double steepness_above(const struct plateaus *fit, size_t k)
{
    double width = fit->levels[k + 1].x_first - fit->levels[k].x_last;
    return step_above(fit, k) / fmax(width, 1e-6);
}

// Without this test of a level's rise, a curve that rises everywhere could be divided anywhere.
static bool is_flat(const struct work *work, const struct plateaus *fit, size_t k)
{
    bool alone = fit->count == 1;
    double step = alone ? 3 * log(work->desc->ratio_min) : (double)INFINITY, steepness = step;
    for (size_t edge = k ? k - 1 : 0; edge <= k && edge + 1 < fit->count; edge++) {
        step = fmin(step, step_above(fit, edge));
        steepness = fmin(steepness, steepness_above(fit, edge));
    }
    const struct plateau *level = &fit->levels[k];
    double rise = fabs(rise_along(work, fit, k)), length = level->x_last - level->x_first;
    return rise < step / 3 || (!alone && rise < 0.75 * step && rise < 0.1 * steepness * length);
}

static void judge(const struct work *work, double noise, struct plateaus *fit)
{
    if (noise > log(work->desc->ratio_min))
        fit->reason = "the noise is as large as the smallest step";
    else if (fit->count == 0)
        fit->reason = "the curve has no flat parts";
    while (!fit->reason && fit->flat < fit->count && is_flat(work, fit, fit->flat))
        fit->flat++;
    if (!fit->reason && fit->flat < fit->count)
        fit->reason = "the curve rises without flat parts";
    fit->decided = !fit->reason;
}

void plateaus_fit(struct arena *arena, const struct plateaus_desc *desc, struct plateaus *fit)
{
    *fit = (struct plateaus){.reason = NULL};
    struct arena_mark mark = arena_mark(arena);
    struct work work;
    if (!work_init(&work, arena, desc)) {
        fit->reason = "too few points";
        arena_rewind(arena, mark);
        return;
    }
    double noise =
        fmax(plateaus_noise(desc->x, desc->y, desc->count, work.scratch), desc->noise_min);
    weigh(&work, noise);
    work.rise_part = fmin(noise * noise / (rise_noise * rise_noise), 1);
    make_prefix(&work);
    choose_levels(&work, noise, fit);
    fit->noise = residual_noise(&work, fit);
    fit_steps(arena, &work, fit);
    judge(&work, fit->count > 1 ? fit->noise : noise, fit);
    arena_rewind(arena, mark);
}
