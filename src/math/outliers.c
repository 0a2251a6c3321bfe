// SPDX-License-Identifier: MIT
#include "math/outliers.h"
#include "math/stats.h"

#include <math.h>
#include <stdlib.h>

struct population population_of(double *values, size_t count)
{
    double n = (double)count;
    struct population population = {.count = count, .median = stats_median(values, count)};
    population.low = stats_quantile(values, count, 0.01);
    population.high = stats_quantile(values, count, 0.99);
    for (size_t i = 0; i < count; i++)
        values[i] = fabs(values[i] - population.median);
    population.mad = stats_median(values, count);
    population.sigma = 1.4826 * population.mad * n / (n - 0.8);
    population.freedom = fmax(1, 0.37 * (n - 1));
    return population;
}

// Returns the scale of distances. It includes the error of the median, 1.25 σ / √n (efficiency
// 2/π).
static double scale_of(const struct population *population, double least)
{
    return fmax(population->sigma, least) * sqrt(1 + 1.57 / (double)population->count);
}

// Returns the factor of Wallace's approximation, which converts Student's t into a normal value and
// back. Source: "Bounds on normal approximations to Student's and the chi-square distributions",
// Annals of Mathematical Statistics 30, 1959.
static double wallace_factor(double freedom)
{
    return (8 * freedom + 1) / (8 * freedom + 3);
}

double population_score(const struct population *population, double value, double least)
{
    double t = (value - population->median) / scale_of(population, least);
    double f = population->freedom;
    return copysign(wallace_factor(f) * sqrt(f * log1p(t * t / f)), t);
}

double population_distance(const struct population *population, double score, double least)
{
    double f = population->freedom, u = score / wallace_factor(f);
    return sqrt(f * expm1(u * u / f)) * scale_of(population, least);
}

double score_chance(double score)
{
    return erfc(score / sqrt(2)) / 2;
}

double score_of_chance(double chance)
{
    double low = 0, high = 38; // a normal value exceeds 38 with a chance of about 0
    for (int step = 0; step < 60; step++) {
        double middle = (low + high) / 2;
        if (score_chance(middle) > chance)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

size_t discoveries(const double *chances, size_t count, size_t tests, double rate)
{
    while (count > 0 && !(chances[count - 1] <= rate * (double)count / (double)tests))
        count--;
    return count;
}

// ---------------------------------------------------------------- ranks of values

struct ranked {
    double value;
    size_t place;
};

static int compare_ranked(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;
    return (x > y) - (x < y);
}

static double *ranks_of(struct arena *arena, const double *values, size_t count)
{
    struct ranked *sorted = ARENA_ARRAY(arena, count, struct ranked);
    double *ranks = ARENA_ARRAY(arena, count, double);
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct ranked){values[i], i};
    qsort(sorted, count, sizeof *sorted, compare_ranked);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && !(sorted[end].value > sorted[i].value); end++)
            ;
        for (size_t k = i; k < end; k++)
            ranks[sorted[k].place] = (double)(i + end - 1) / 2;
    }
    return ranks;
}

double rank_correlation(struct arena *arena, const double *x, const double *y, size_t count)
{
    if (count < 3)
        return NAN;
    struct arena_mark mark = arena_mark(arena);
    const double *rx = ranks_of(arena, x, count), *ry = ranks_of(arena, y, count);
    double mean = (double)(count - 1) / 2, xx = 0, yy = 0, xy = 0;
    for (size_t i = 0; i < count; i++) {
        xx += (rx[i] - mean) * (rx[i] - mean);
        yy += (ry[i] - mean) * (ry[i] - mean);
        xy += (rx[i] - mean) * (ry[i] - mean);
    }
    arena_rewind(arena, mark);
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}
