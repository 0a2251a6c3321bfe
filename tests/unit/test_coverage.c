// SPDX-License-Identifier: MIT
// Shows by simulation that the 95 % intervals of measure/collect.h are right for the whole
// procedure: rounds, looks and stopping. Samples follow each other within a round; between two
// rounds the process continues unseen while other cases are visited. Seeds are fixed.
#include "math/random.h"
#include "math/stats.h"
#include "measure/collect.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum {
    SAMPLES = 4, // samples per round, as in the presets
    ROUNDS_MAX = 40,
    TRIALS = 2500
};

// When the rule looks: as in `standard`, and as in `quick`.
static const struct looks {
    unsigned rounds_min, rounds_max;
} looks[] = {{5, ROUNDS_MAX}, {3, 6}};

static const double level = 100, goal = 0.005;
static const double required = 0.93;

struct process {
    const char *name;
    double memory; // ρ of the AR(1) noise
    double slope;  // relative rise over the longest run
    bool skewed;   // exponential noise: a lowest value and a tail, as timings have
};

struct outcome {
    double covered, precise, rounds;
};

static double draw_normal(struct random *random)
{
    double radius = sqrt(-2 * log(1 - random_unit(random)));
    return radius * cos(2 * 3.14159265358979323846 * random_unit(random));
}

// A process in time: the state of its noise, and the time that has passed, in samples.
struct walk {
    const struct process *process;
    struct random *random;
    double remembered;
    int time;
};

// Returns the noise of the next sample, with variance 1 and median 0.
static double walk_step(struct walk *walk)
{
    walk->time++;
    if (walk->process->skewed)
        return -log(1 - random_unit(walk->random)) - log(2);
    double memory = walk->process->memory, fresh = sqrt(1 - memory * memory);
    walk->remembered = memory * walk->remembered + fresh * draw_normal(walk->random);
    return walk->remembered;
}

static double walk_level(const struct walk *walk)
{
    return level * (1 + walk->process->slope * walk->time / (ROUNDS_MAX * 9.0 * SAMPLES));
}

// Returns how long other cases take between two visits of this case. Their order is random, so that
// is from almost nothing to twice the mean.
static int gap_between_rounds(struct random *random)
{
    return (int)random_below(random, UINT64_C(16) * SAMPLES);
}

static const struct metric_info metric = {.name = "value", .better = BETTER_LOWER};
static const struct benchmark_info info = {.name = "walk", .metrics = &metric, .metric_count = 1};

// Makes one more round. Returns the level that the round should find: the level in its middle.
static double visit_round(struct arena *arena, struct walk *walk, double noise,
                          struct collect *collect)
{
    for (int i = gap_between_rounds(walk->random); i > 0; i--)
        walk_step(walk);
    double samples[SAMPLES], levels[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        levels[i] = walk_level(walk);
        samples[i] = levels[i] + level * noise * walk_step(walk);
    }
    struct measure_visit *visit = measure_visit_create(arena);
    visit_samples(visit, 0, samples, SAMPLES, 0);
    collect_visit(collect, visit);
    return stats_mean(levels, SAMPLES);
}

// Runs one case from the first to the last visit. True if the interval contains the true level: the
// middle of the process's levels while it was measured.
static bool run_case(struct arena *arena, const struct looks *when, struct walk walk, double noise,
                     struct outcome *outcome)
{
    const struct collect_rule rule = {
        .goal = goal, .rounds_min = when->rounds_min, .rounds_max = when->rounds_max};
    struct collect *collect = collect_create(arena, &info, &rule);
    walk.remembered = draw_normal(walk.random);
    double truths[ROUNDS_MAX];
    while (!collect_done(collect)) {
        unsigned round = collect_rounds(collect);
        truths[round] = visit_round(arena, &walk, noise, collect);
    }
    struct result result = {0};
    collect_result(collect, arena, &result);
    const double *ci95 = result.metrics[0].ci95;
    double truth = stats_median(truths, collect_rounds(collect));
    outcome->rounds += (double)collect_rounds(collect) / TRIALS;
    outcome->precise +=
        ((ci95[1] - ci95[0]) / 2 <= goal * result.metrics[0].median) / (double)TRIALS;
    return ci95[0] <= truth && truth <= ci95[1];
}

static void assert_covers_with(const struct looks *when, const struct process *process)
{
    static const double noises[] = {0.001, 0.003, 0.006, 0.012, 0.03};
    struct random random;
    random_init(&random, 20);
    struct arena *arena = arena_create();
    for (size_t n = 0; n < sizeof noises / sizeof noises[0]; n++) {
        struct outcome outcome = {0};
        for (int trial = 0; trial < TRIALS; trial++) {
            struct arena_mark mark = arena_mark(arena);
            struct walk walk = {.process = process, .random = &random};
            outcome.covered += run_case(arena, when, walk, noises[n], &outcome) / (double)TRIALS;
            arena_rewind(arena, mark);
        }
        print_message("%-24s from %u rounds, noise %4.1f %%: covers %5.1f %%, reaches the goal "
                      "%5.1f %%, %4.1f rounds\n",
                      process->name, when->rounds_min, 100 * noises[n], 100 * outcome.covered,
                      100 * outcome.precise, outcome.rounds);
        assert_true(outcome.covered >= required);
    }
    arena_destroy(arena);
}

static void assert_covers(const struct process *process)
{
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++)
        assert_covers_with(&looks[i], process);
}

static void independent_samples_are_covered(void **state)
{
    (void)state;
    assert_covers(&(struct process){.name = "independent"});
}

static void correlated_samples_are_covered(void **state)
{
    (void)state;
    assert_covers(&(struct process){.name = "AR(1) 0.5", .memory = 0.5});
    assert_covers(&(struct process){.name = "AR(1) 0.9", .memory = 0.9});
}

static void a_ramp_is_covered(void **state)
{
    (void)state;
    assert_covers(&(struct process){.name = "ramp of 2 %", .slope = 0.02});
    assert_covers(
        &(struct process){.name = "ramp of 2 %, AR(1) 0.9", .slope = 0.02, .memory = 0.9});
}

static void skewed_samples_are_covered(void **state)
{
    (void)state;
    assert_covers(&(struct process){.name = "exponential", .skewed = true});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_samples_are_covered),
        cmocka_unit_test(correlated_samples_are_covered),
        cmocka_unit_test(a_ramp_is_covered),
        cmocka_unit_test(skewed_samples_are_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
