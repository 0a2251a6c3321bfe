// SPDX-License-Identifier: MIT
#include "math/plateaus_end.h"

#include <math.h>

static double hinge_cost(const struct plateaus_rise *rise, double end, double width)
{
    double cost = 0;
    for (size_t i = 0; i < rise->count; i++) {
        double t = (rise->x[i] - end) / (width > 1e-9 ? width : 1e-9);
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        double expected = log(rise->low + (rise->high - rise->low) * t);
        double off = (rise->ln_y[i] - expected) / rise->noise;
        // Huber's loss: a point far off pulls with bounded force.
        double size = fabs(off);
        cost += rise->weight[i] * (size < 3 ? off * off : 6 * size - 9);
    }
    return cost;
}

// Tries `steps` widths about *width, as far as `reach` from it, and keeps the best.
static double try_widths(const struct plateaus_rise *rise, double end, double reach, int steps,
                         double *width)
{
    double best = (double)INFINITY, middle = *width;
    for (int step = 0; step <= steps; step++) {
        double candidate = middle + reach * (2.0 * step / steps - 1);
        if (candidate < 0 || candidate > rise->width_max)
            continue;
        double cost = hinge_cost(rise, end, candidate);
        if (cost < best) {
            best = cost;
            *width = candidate;
        }
    }
    return best;
}

// Coarse, then fine: with few points on the rise one width in a hundred meets them.
static double best_width(const struct plateaus_rise *rise, double end, double *width)
{
    enum {
        COARSE = 30,
        FINE = 20
    };
    double half = rise->width_max / 2;
    *width = half;
    try_widths(rise, end, half, COARSE, width);
    return try_widths(rise, end, 2 * half / COARSE, FINE, width);
}

static void fit_end(const struct plateaus_rise *rise, struct plateaus_step *step)
{
    enum {
        GRID = 200
    };
    double costs[GRID + 1], best = (double)INFINITY;
    for (int i = 0; i <= GRID; i++) {
        double end = rise->from + (rise->to - rise->from) * i / GRID, width = 0;
        costs[i] = best_width(rise, end, &width);
        if (costs[i] < best) {
            best = costs[i];
            step->end = end;
            step->width = width;
        }
    }
    // Where a straight rise explains the points worse than their noise does, the interval is wider
    // by as much (Birge, Phys. Rev. 40, 207, 1932).
    double freedom = fmax((double)rise->count - 3, 1);
    double worst = best + 3.84 * fmax(best / freedom, 1);
    step->end_low = step->end_high = step->end;
    for (int i = 0; i <= GRID; i++) {
        double end = rise->from + (rise->to - rise->from) * i / GRID;
        if (costs[i] > worst)
            continue;
        step->end_low = fmin(step->end_low, end);
        step->end_high = fmax(step->end_high, end);
    }
}

// The rise is a straight line in the model only: what the points alone say is that the plateau ends
// between the last of them before the fitted end and the first after it.
static void bracket_end(const struct plateaus_rise *rise, struct plateaus_step *step)
{
    double before = step->end_low, after = step->end_high;
    for (size_t i = 0; i < rise->count; i++) {
        if (rise->x[i] <= step->end)
            before = rise->x[i];
        if (rise->x[i] > step->end) {
            after = rise->x[i];
            break;
        }
    }
    step->end_low = fmin(step->end_low, before);
    step->end_high = fmax(step->end_high, after);
}

void plateaus_fit_end(const struct plateaus_rise *rise, struct plateaus_step *step)
{
    fit_end(rise, step);
    bracket_end(rise, step);
}
