// SPDX-License-Identifier: MIT
// How well levels are found, where the truth is known: `levels [SEED [COUNT]]` makes random
// hierarchies (1–4 caches of 4 KiB–256 MiB, capacity ratio ≥ 2, latency ratio ≥ 1.2, rises up to
// half an octave wide, AR(1) noise up to 5 %, 1 % outliers × 2–10), sees them as a run does (rounds
// in random order, medians, then more points at the knees), prints the confusion table and fails
// where fewer are right than fathom promises.
#include "math/plateaus.h"
#include "math/random.h"
#include "math/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LEVELS_MAX = 4,
    POINTS_MAX = 4000
};

struct hierarchy {
    size_t levels;                  // caches; memory comes behind them
    double capacity[LEVELS_MAX];    // bytes
    double latency[LEVELS_MAX + 1]; // cycles
    double ramp[LEVELS_MAX];        // octaves
    double noise, correlation;      // relative, AR(1)
};

struct probe {
    struct random random;
    const struct hierarchy *truth;
    double disturbance; // state of the AR(1) noise
};

static double uniform(struct random *random, double low, double high)
{
    return low + (high - low) * random_unit(random);
}

static double normal(struct random *random)
{
    double u = 1 - random_unit(random), v = random_unit(random);
    return sqrt(-2 * log(u)) * cos(2 * acos(-1.0) * v);
}

static void make_hierarchy(struct random *random, struct hierarchy *h)
{
    h->levels = 1 + random_below(random, LEVELS_MAX);
    double octaves = 16; // 4 KiB to 256 MiB
    for (;;) {
        for (size_t k = 0; k < h->levels; k++)
            h->capacity[k] = 4096 * exp2(uniform(random, 0, octaves));
        stats_sort(h->capacity, h->levels);
        bool apart = true;
        for (size_t k = 1; k < h->levels; k++)
            apart = apart && h->capacity[k] >= 2 * h->capacity[k - 1];
        if (apart)
            break;
    }
    h->latency[0] = uniform(random, 20, 130);
    for (size_t k = 1; k <= h->levels; k++)
        h->latency[k] = h->latency[k - 1] * 1.2 * exp2(uniform(random, 0, 2.5));
    for (size_t k = 0; k < h->levels; k++)
        h->ramp[k] = uniform(random, 0, 0.5);
    h->noise = uniform(random, 0, 0.05);
    h->correlation = uniform(random, 0, 0.9);
}

static double true_latency(const struct hierarchy *h, double x)
{
    double latency = h->latency[0];
    for (size_t k = 0; k < h->levels; k++) {
        double t = (x - log2(h->capacity[k])) / fmax(h->ramp[k], 1e-6);
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        latency += t * (h->latency[k + 1] - h->latency[k]);
    }
    return latency;
}

static double one_sample(struct probe *probe, double x)
{
    double rho = probe->truth->correlation;
    probe->disturbance = rho * probe->disturbance + sqrt(1 - rho * rho) * normal(&probe->random);
    double y = true_latency(probe->truth, x) * (1 + probe->truth->noise * probe->disturbance);
    if (random_unit(&probe->random) < 0.01)
        y *= uniform(&probe->random, 2, 10);
    return y;
}

struct curve {
    double x[POINTS_MAX], y[POINTS_MAX]; // octaves, cycles
    size_t count;
};

// Visits new points in random rounds, as a run does, and keeps the median of each.
static void add_points(struct probe *probe, struct curve *curve, const double *x, size_t count)
{
    enum {
        ROUNDS = 5,
        PER_ROUND = 4
    };
    double samples[POINTS_MAX][ROUNDS];
    size_t order[POINTS_MAX];
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t round = 0; round < ROUNDS; round++) {
        random_shuffle(&probe->random, order, count);
        for (size_t i = 0; i < count; i++) {
            double visit[PER_ROUND];
            for (size_t s = 0; s < PER_ROUND; s++)
                visit[s] = one_sample(probe, x[order[i]]);
            samples[order[i]][round] = stats_median(visit, PER_ROUND);
        }
    }
    for (size_t i = 0; i < count && curve->count < POINTS_MAX; i++) {
        double y = stats_median(samples[i], ROUNDS);
        size_t at = curve->count++;
        while (at > 0 && curve->x[at - 1] > x[i]) {
            curve->x[at] = curve->x[at - 1];
            curve->y[at] = curve->y[at - 1];
            at--;
        }
        curve->x[at] = x[i];
        curve->y[at] = y;
    }
}

static void fit_curve(struct arena *arena, const struct curve *curve, struct plateaus *fit)
{
    plateaus_fit(arena,
                 &(struct plateaus_desc){.x = curve->x,
                                         .y = curve->y,
                                         .count = curve->count,
                                         .ratio_min = 1.12,
                                         .ramp_max = 0.75,
                                         .length_min = 0.25,
                                         .noise_min = 0.002},
                 fit);
}

static void measure(struct arena *arena, struct probe *probe, struct curve *curve,
                    struct plateaus *fit)
{
    enum {
        COARSE = 12,
        FINE = 24,
        PASSES = 4
    };
    double x[POINTS_MAX];
    size_t count = 0;
    for (int at = 10 * COARSE; at <= 30 * COARSE; at++)
        x[count++] = at / (double)COARSE;
    add_points(probe, curve, x, count);
    fit_curve(arena, curve, fit);
    for (int pass = 0; pass < PASSES; pass++) {
        count = 0;
        for (size_t k = 0; k + 1 < fit->count; k++) {
            const struct plateaus_step *s = &fit->steps[k];
            if (s->end_high - s->end_low < 0.04)
                continue;
            double from = s->end_low - 0.15, to = s->end_high + s->width + 0.1;
            for (int i = 0; i < FINE; i++)
                x[count++] = uniform(&probe->random, from, to);
        }
        if (!count)
            break;
        add_points(probe, curve, x, count);
        fit_curve(arena, curve, fit);
    }
}

struct score {
    size_t table[LEVELS_MAX + 1][PLATEAUS_MAX]; // [truth][found]
    size_t curves, right, extra;
    size_t steps, close;
    size_t points;
};

static void judge(const struct hierarchy *truth, const struct plateaus *fit, struct score *score)
{
    size_t levels = fit->decided ? fit->count - 1 : 0;
    score->curves++;
    score->table[truth->levels][levels]++;
    score->right += levels == truth->levels;
    score->extra += levels > truth->levels;
    for (size_t k = 0; k < levels; k++) {
        double off = (double)INFINITY;
        for (size_t t = 0; t < truth->levels; t++)
            off = fmin(off, fabs(fit->steps[k].end - log2(truth->capacity[t])));
        score->steps++;
        score->close += off < log2(1.05);
    }
}

static double share(size_t part, size_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static bool print_score(const struct score *score)
{
    printf("found:      ");
    for (size_t found = 0; found < PLATEAUS_MAX; found++)
        printf("%5zu", found);
    printf("\n");
    for (size_t truth = 1; truth <= LEVELS_MAX; truth++) {
        printf("truth %zu     ", truth);
        for (size_t found = 0; found < PLATEAUS_MAX; found++)
            printf("%5zu", score->table[truth][found]);
        printf("\n");
    }
    double right = share(score->right, score->curves), close = share(score->close, score->steps);
    double extra = share(score->extra, score->curves);
    printf("number of levels right  %5.1f %%  (at least 97)\n", right);
    printf("size within 5 %%         %5.1f %%  (at least 97) of %zu\n", close, score->steps);
    printf("levels that are not     %5.1f %%  (at most 1)\n", extra);
    printf("%zu points a curve\n", score->points / score->curves);
    return right >= 97 && close >= 97 && extra <= 1;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    size_t total = argc > 2 ? strtoull(argv[2], NULL, 10) : 200;
    struct arena *arena = arena_create();
    struct curve *curve = ARENA_NEW(arena, struct curve);
    struct random random;
    struct score score = {.curves = 0};
    random_init(&random, seed);
    for (size_t i = 0; i < total; i++) {
        struct hierarchy truth;
        struct plateaus fit;
        make_hierarchy(&random, &truth);
        struct probe probe = {.truth = &truth};
        random_init(&probe.random, random_next(&random));
        curve->count = 0;
        measure(arena, &probe, curve, &fit);
        score.points += curve->count;
        judge(&truth, &fit, &score);
    }
    bool good = total > 0 && print_score(&score);
    arena_destroy(arena);
    return good ? 0 : 1;
}
