// SPDX-License-Identifier: MIT
#include "math/hinge.h"

#include <math.h>

struct work {
    const struct hinge *hinge;
    // at_low[i] is the cost of all points before point i, on the first plateau; at_high[i] is the
    // cost of point i alone, on the next plateau. The search needs them very often.
    double *at_low, *at_high;
};

static double point_cost(const struct hinge *hinge, size_t i, double expected)
{
    double off = (hinge->ln_y[i] - expected) / hinge->noise;
    // Huber's loss limits the influence of points that are far from the fitted line.
    double size = fabs(off);
    return hinge->weight[i] * (size < 3 ? off * off : 6 * size - 9);
}

static struct work work_of(struct arena *arena, const struct hinge *hinge)
{
    struct work work = {.hinge = hinge,
                        .at_low = ARENA_ARRAY(arena, hinge->count + 1, double),
                        .at_high = ARENA_ARRAY(arena, hinge->count, double)};
    double low = log(hinge->low), high = log(hinge->low + (hinge->high - hinge->low));
    for (size_t i = 0; i < hinge->count; i++) {
        work.at_low[i + 1] = work.at_low[i] + point_cost(hinge, i, low);
        work.at_high[i] = point_cost(hinge, i, high);
    }
    return work;
}

// Returns the cost of a fit whose first plateau ends at `end`, before point `first`; infinity if
// the cost exceeds `limit`.
static double cost_of(const struct work *work, double end, size_t first, double width, double limit)
{
    const struct hinge *hinge = work->hinge;
    double cost = work->at_low[first];
    size_t i = first;
    width = width > 1e-9 ? width : 1e-9;
    for (; i < hinge->count && cost <= limit; i++) {
        double t = (hinge->x[i] - end) / width;
        if (t >= 1)
            break;
        cost += point_cost(hinge, i, log(hinge->low + (hinge->high - hinge->low) * t));
    }
    for (; i < hinge->count && cost <= limit; i++)
        cost += work->at_high[i];
    return cost <= limit ? cost : (double)INFINITY;
}

// Tries `steps` + 1 widths from *width − reach to *width + reach. Sets *width to the best width,
// and returns the cost of this width. If every cost is above `limit`, returns infinity and leaves
// *width unchanged.
static double try_widths(const struct work *work, double end, double reach, int steps, double limit,
                         double *width)
{
    const struct hinge *hinge = work->hinge;
    double best = (double)INFINITY, middle = *width;
    size_t first = 0;
    while (first < hinge->count && hinge->x[first] <= end)
        first++;
    for (int step = 0; step <= steps; step++) {
        double candidate = middle + reach * (2.0 * step / steps - 1);
        if (candidate < 0 || candidate > hinge->width_max)
            continue;
        double cost = cost_of(work, end, first, candidate, limit);
        if (cost < best) {
            best = limit = cost;
            *width = candidate;
        }
    }
    return best;
}

// Finds the best width of the rise after `end`, and returns its cost. Searches coarsely, then
// finely, because often only one width in a hundred fits.
static double best_width(const struct work *work, double end, double *width)
{
    enum {
        COARSE = 30,
        FINE = 20
    };
    double half = work->hinge->width_max / 2;
    *width = half;
    double coarse = try_widths(work, end, half, COARSE, (double)INFINITY, width);
    // The fine search also tries the coarse search's best width, so it always finds a width.
    return try_widths(work, end, 2 * half / COARSE, FINE, coarse, width);
}

static void find_end(const struct work *work, struct plateaus_step *step)
{
    const struct hinge *hinge = work->hinge;
    enum {
        GRID = 200
    };
    double costs[GRID + 1], best = (double)INFINITY;
    for (int i = 0; i <= GRID; i++) {
        double end = hinge->from + (hinge->to - hinge->from) * i / GRID, width = 0;
        costs[i] = best_width(work, end, &width);
        if (costs[i] < best) {
            best = costs[i];
            step->end = end;
            step->width = width;
        }
    }
    // The ratio best / freedom widens the interval of a bad fit (Birge, Phys. Rev. 40, 207, 1932).
    double freedom = fmax((double)hinge->count - 3, 1);
    double worst = best + 3.84 * fmax(best / freedom, 1);
    step->end_low = step->end_high = step->end;
    for (int i = 0; i <= GRID; i++) {
        double end = hinge->from + (hinge->to - hinge->from) * i / GRID;
        if (costs[i] > worst)
            continue;
        step->end_low = fmin(step->end_low, end);
        step->end_high = fmax(step->end_high, end);
    }
}

// Widens the interval to the points on both sides, because a narrower interval would rely on a
// straight rise.
static void bracket_end(const struct hinge *hinge, struct plateaus_step *step)
{
    double before = step->end_low, after = step->end_high;
    for (size_t i = 0; i < hinge->count; i++) {
        if (hinge->x[i] <= step->end)
            before = hinge->x[i];
        if (hinge->x[i] > step->end) {
            after = hinge->x[i];
            break;
        }
    }
    step->end_low = fmin(step->end_low, before);
    step->end_high = fmax(step->end_high, after);
}

void hinge_fit(struct arena *arena, const struct hinge *hinge, struct plateaus_step *step)
{
    struct arena_mark mark = arena_mark(arena);
    const struct work work = work_of(arena, hinge);
    find_end(&work, step);
    bracket_end(hinge, step);
    arena_rewind(arena, mark);
}
