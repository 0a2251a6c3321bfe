// SPDX-License-Identifier: MIT
// Measures how well levels are found. `levels [SEED [COUNT]]` makes random hierarchies whose truth
// is known (machine.h) and measures them as `fathom map` does: rounds in random order, medians,
// more points where levels end, then probes of lines. It prints how often levels, sizes and lines
// were right. It fails if fewer were right than fathom promises.
#include "analysis/levels.h"
#include "machine.h"
#include "map/lines.h"
#include "math/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    POINTS_MAX = 4000,
    COARSE = 12, // points an octave
    FINE = 24,   // points at an end, added in each pass
    PASSES = 4,
    ROUNDS = 4,
    PROBE_ROUNDS = 15,
    PER_ROUND = 4,
    PROBES = 16 // at least lines_plan_count
};

struct chain_point {
    double octave, stride;
};

struct curve {
    double x[POINTS_MAX], y[POINTS_MAX]; // octaves of bytes; cycles
    size_t count;
    double stride;
};

// ---------------------------------------------------------------- measuring

// Visits points in rounds of random order, as a run does. `y` gets each point's median.
static void visit_points(struct machine_view *view, const struct chain_point *points, size_t count,
                         size_t rounds, double *y)
{
    static double samples[POINTS_MAX][PROBE_ROUNDS];
    static size_t order[POINTS_MAX];
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    for (size_t round = 0; round < rounds; round++) {
        random_shuffle(&view->random, order, count);
        for (size_t i = 0; i < count; i++) {
            const struct chain_point *bench_case = &points[order[i]];
            double visit[PER_ROUND];
            for (size_t s = 0; s < PER_ROUND; s++)
                visit[s] = machine_sample(view, exp2(bench_case->octave), bench_case->stride);
            samples[order[i]][round] = stats_median(visit, PER_ROUND);
        }
    }
    for (size_t i = 0; i < count; i++)
        y[i] = stats_median(samples[i], rounds);
}

static void add_points(struct machine_view *view, struct curve *curve, const double *x,
                       size_t count)
{
    static struct chain_point points[POINTS_MAX];
    static double y[POINTS_MAX];
    for (size_t i = 0; i < count; i++)
        points[i] = (struct chain_point){x[i], curve->stride};
    visit_points(view, points, count, ROUNDS, y);
    for (size_t i = 0; i < count && curve->count < POINTS_MAX; i++) {
        size_t at = curve->count++;
        while (at > 0 && curve->x[at - 1] > x[i]) {
            curve->x[at] = curve->x[at - 1];
            curve->y[at] = curve->y[at - 1];
            at--;
        }
        curve->x[at] = x[i];
        curve->y[at] = y[i];
    }
}

static void fit_curve(struct arena *arena, const struct curve *curve, struct plateaus *fit)
{
    levels_fit(arena, curve->x, curve->y, curve->count, fit);
}

static void measure_coarse(struct arena *arena, struct machine_view *view, struct curve *curve,
                           struct plateaus *fit)
{
    static double x[POINTS_MAX];
    size_t count = 0;
    for (int at = 10 * COARSE; at <= 32 * COARSE; at++)
        x[count++] = at / (double)COARSE;
    add_points(view, curve, x, count);
    fit_curve(arena, curve, fit);
}

// Adds points at the ends of levels until each end is known to 3 %.
static void measure_ends(struct arena *arena, struct machine_view *view, struct curve *curve,
                         struct plateaus *fit)
{
    static double x[POINTS_MAX];
    for (int pass = 0; pass < PASSES; pass++) {
        size_t count = 0;
        for (size_t k = 0; k + 1 < fit->count; k++) {
            const struct plateaus_step *s = &fit->steps[k];
            if (s->end_high - s->end_low < 0.04)
                continue;
            double from = s->end_low - 0.15, to = s->end_high + s->width + 0.1;
            for (int i = 0; i < FINE; i++)
                x[count++] = from + (to - from) * random_unit(&view->random);
        }
        if (!count)
            break;
        add_points(view, curve, x, count);
        fit_curve(arena, curve, fit);
    }
}

// Sets answers[] to what the probes of each level show, from the core outwards.
static void measure_lines(struct machine_view *view, const struct curve *curve,
                          const struct plateaus *fit, struct lines_answer *answers)
{
    struct lines_cache caches[PLATEAUS_MAX];
    for (size_t k = 0; k + 1 < fit->count; k++) {
        struct chain_point points[PROBES];
        struct lines_probe probes[PROBES];
        double y[PROBES], end = exp2(fit->steps[k].end);
        for (size_t i = 0; i < lines_plan_count; i++)
            points[i] =
                (struct chain_point){log2(end * lines_plan[i].region), lines_plan[i].stride};
        visit_points(view, points, lines_plan_count, PROBE_ROUNDS, y);
        for (size_t i = 0; i < lines_plan_count; i++)
            probes[i] = (struct lines_probe){{exp2(points[i].octave), points[i].stride}, y[i]};
        const struct lines_question question = {
            .caches = caches,
            .level = k,
            .latency = fit->levels[k].height,
            .beyond = fit->levels[k + 1].height,
            .beyond_end = k + 2 < fit->count ? exp2(fit->steps[k + 1].end) : 0,
            .end = end,
            .stride = curve->stride,
            .noise = fit->noise,
            .probes = probes,
            .probe_count = lines_plan_count};
        answers[k] = lines_judge(&question);
        caches[k] = lines_cache_of(&question, &answers[k]);
    }
}

static bool has_long_lines(const struct plateaus *fit, const struct lines_answer *answers,
                           double stride)
{
    for (size_t k = 0; k + 1 < fit->count; k++)
        if (answers[k].line > stride)
            return true;
    return false;
}

static void measure(struct arena *arena, struct machine_view *view, struct curve *curve,
                    struct plateaus *fit, struct lines_answer *answers)
{
    for (curve->stride = 128; curve->stride <= LINES_MAX_BYTES; curve->stride *= 2) {
        curve->count = 0;
        measure_coarse(arena, view, curve, fit);
        measure_lines(view, curve, fit, answers);
        if (fit->decided && !has_long_lines(fit, answers, curve->stride))
            break;
    }
    curve->stride = fmin(curve->stride, LINES_MAX_BYTES);
    measure_ends(arena, view, curve, fit);
    measure_lines(view, curve, fit, answers);
}

// ---------------------------------------------------------------- judging

struct score {
    size_t table[MACHINE_LEVELS_MAX + 1][PLATEAUS_MAX]; // curves: [true number of levels][found]
    size_t curves, right, extra;
    size_t steps, close, lines, sectors, wrong_sizes, wrong_lines, wrong_sectors;
    size_t points;
};

static const struct machine_level *nearest(const struct machine *machine, double capacity)
{
    const struct machine_level *best = &machine->level[0];
    for (size_t k = 1; k < machine->levels; k++)
        if (fabs(log(machine->level[k].capacity / capacity)) < fabs(log(best->capacity / capacity)))
            best = &machine->level[k];
    return best;
}

static void judge(const struct machine *truth, const struct plateaus *fit,
                  const struct lines_answer *answers, struct score *score)
{
    size_t levels = fit->flat ? fit->flat - 1 : 0;
    score->curves++;
    score->table[truth->levels][levels]++;
    score->right += levels == truth->levels;
    score->extra += levels > truth->levels;
    score->steps += levels;
    for (size_t k = 0; k < levels; k++) {
        if (!(answers[k].capacity > 0))
            continue;
        const struct machine_level *level = nearest(truth, answers[k].capacity);
        bool is_close = fabs(log2(answers[k].capacity / level->capacity)) < log2(1.05);
        score->close += is_close;
        score->wrong_sizes += !is_close;
        score->lines += answers[k].line == level->line;
        score->wrong_lines += answers[k].line > 0 && answers[k].line != level->line;
        score->sectors += answers[k].sector == level->sector;
        score->wrong_sectors += answers[k].sector > 0 && answers[k].sector != level->sector;
    }
}

static double share(size_t part, size_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_table(const struct score *score)
{
    printf("found:      ");
    for (size_t found = 0; found < PLATEAUS_MAX; found++)
        printf("%5zu", found);
    printf("\n");
    for (size_t truth = 1; truth <= MACHINE_LEVELS_MAX; truth++) {
        printf("truth %zu     ", truth);
        for (size_t found = 0; found < PLATEAUS_MAX; found++)
            printf("%5zu", score->table[truth][found]);
        printf("\n");
    }
}

static bool print_score(const struct score *score)
{
    double right = share(score->right, score->curves), close = share(score->close, score->steps);
    double extra = share(score->extra, score->curves), lines = share(score->lines, score->steps);
    double wrong_sizes = share(score->wrong_sizes, score->steps);
    double wrong_lines = share(score->wrong_lines, score->steps);
    print_table(score);
    printf("number of levels right  %5.1f %%  (at least 97)\n", right);
    printf("size within 5 %%         %5.1f %%  (at least 97) of %zu, wrong %.1f %% (at most 0.5)\n",
           close, score->steps, wrong_sizes);
    printf("line exact              %5.1f %%  (at least 97), wrong %.1f %% (at most 0.5)\n", lines,
           wrong_lines);
    printf("sector exact            %5.1f %%  wrong %.1f %%\n", share(score->sectors, score->steps),
           share(score->wrong_sectors, score->steps));
    printf("levels that are not     %5.1f %%  (at most 1)\n", extra);
    printf("%zu points a curve\n", score->points / score->curves);
    return right >= 97 && close >= 97 && lines >= 97 && wrong_sizes <= 0.5 && wrong_lines <= 0.5 &&
           extra <= 1;
}

// ---------------------------------------------------------------- the whole

static void try_machine(struct arena *arena, struct machine_view *view, struct score *score)
{
    static struct curve curve;
    struct plateaus fit;
    struct lines_answer answers[PLATEAUS_MAX];
    measure(arena, view, &curve, &fit, answers);
    score->points += curve.count;
    judge(view->machine, &fit, answers, score);
}

// Outside the bounds, levels need not be found, but none may be invented. Tried are curves that
// rise everywhere, and noise of 10 to 20 %.
static bool try_outside(struct arena *arena, struct random *random, size_t total)
{
    struct score rising = {.curves = 0}, noisy = {.curves = 0};
    for (size_t i = 0; i < total; i++) {
        struct machine truth;
        machine_make(random, &truth);
        truth.noise = 0.1 + 0.1 * random_unit(random);
        struct machine_view view = {.machine = &truth};
        random_init(&view.random, random_next(random));
        try_machine(arena, &view, &noisy);
        truth.levels = 0;
        truth.noise = 0.05 * random_unit(random);
        view.slope = 0.1 + 0.4 * random_unit(random);
        try_machine(arena, &view, &rising);
    }
    double invented = share(rising.extra + noisy.extra, rising.curves + noisy.curves);
    printf("outside the bounds: levels that are not %5.1f %%  (at most 1) of %zu curves;\n"
           "                    with noise of 10-20 %% all levels found in %.1f %%\n",
           invented, rising.curves + noisy.curves, share(noisy.right, noisy.curves));
    return invented <= 1;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    size_t total = argc > 2 ? strtoull(argv[2], NULL, 10) : 200;
    struct arena *arena = arena_create();
    struct random random;
    struct score score = {.curves = 0};
    random_init(&random, seed);
    for (size_t i = 0; i < total; i++) {
        struct machine truth;
        machine_make(&random, &truth);
        struct machine_view view = {.machine = &truth};
        random_init(&view.random, random_next(&random));
        try_machine(arena, &view, &score);
    }
    bool good = total > 0 && print_score(&score);
    good = try_outside(arena, &random, total / 10) && good;
    arena_destroy(arena);
    return good ? 0 : 1;
}
