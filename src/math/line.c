// SPDX-License-Identifier: MIT
#include "math/line.h"

#include "math/stats.h"

#include <math.h>

static double weight_of(double y, bool relative)
{
    return relative ? 1 / (y * y) : 1;
}

static bool fit(const double *x, const double *y, size_t count, bool relative, struct line *line)
{
    double s = 0, sx = 0, sy = 0;
    bool varies = false;
    for (size_t i = 0; i < count; i++) {
        double weight = weight_of(y[i], relative);
        varies |= x[i] != x[0];
        s += weight;
        sx += weight * x[i];
        sy += weight * y[i];
    }
    if (count < 3 || !varies)
        return false;
    // The sums use x minus its mean; otherwise x of many orders of magnitude would lose precision.
    double middle = sx / s, sxx = 0, sxy = 0, left = 0;
    for (size_t i = 0; i < count; i++) {
        double weight = weight_of(y[i], relative), dx = x[i] - middle;
        sxx += weight * dx * dx;
        sxy += weight * dx * y[i];
    }
    if (!(sxx > 0))
        return false;
    line->slope = sxy / sxx;
    line->intercept = sy / s - line->slope * middle;
    for (size_t i = 0; i < count; i++) {
        double residual = y[i] - line->intercept - line->slope * x[i];
        left += weight_of(y[i], relative) * residual * residual;
    }
    double freedom = (double)(count - 2);
    double t = stats_t_quantile(0.975, (unsigned)(count - 2)) * sqrt(left / freedom);
    line->slope_half = t / sqrt(sxx);
    line->intercept_half = t * sqrt(1 / s + middle * middle / sxx);
    return true;
}

bool line_fit(const double *x, const double *y, size_t count, struct line *line)
{
    return fit(x, y, count, false, line);
}

bool line_fit_relative(const double *x, const double *y, size_t count, struct line *line)
{
    for (size_t i = 0; i < count; i++)
        if (!(y[i] > 0))
            return false;
    return fit(x, y, count, true, line);
}
