// SPDX-License-Identifier: MIT
#include "analysis/compare.h"
#include "golden/pair_runs.h"
#include "results/results.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum {
    CASES = 20 // cases of a device
};

// Runs of some devices each, and the result of comparing them.
struct scene {
    struct arena *arena;
    struct run *base, *now;
    struct compare compare;
};

static struct run *run_of(const struct pair_desc *devices, size_t count)
{
    struct run *run = pair_run(devices[0]);
    for (size_t i = 1; i < count; i++)
        pair_device(run, devices[i]);
    return run;
}

#define RUN_OF(...)                                                                                \
    run_of((const struct pair_desc[]){__VA_ARGS__},                                                \
           sizeof((const struct pair_desc[]){__VA_ARGS__}) / sizeof(struct pair_desc))

static struct scene scene_of(struct run *base, struct run *now, struct compare_desc desc)
{
    struct scene scene = {.arena = arena_create(), .base = base, .now = now};
    struct error err = {0};
    assert_true(compare_runs(scene.arena, base, now, &desc, &scene.compare, &err));
    return scene;
}

static void scene_end(struct scene *scene)
{
    run_destroy(scene->base);
    run_destroy(scene->now);
    arena_destroy(scene->arena);
}

static void pair_is(const struct scene *scene, size_t i, const char *base, const char *now)
{
    assert_true(i < scene->compare.pairs.count);
    assert_string_equal(scene->compare.pairs.list[i].base->id, base);
    assert_string_equal(scene->compare.pairs.list[i].now->id, now);
}

static void the_second_card_of_another_host_is_compared_too(void **state)
{
    (void)state;
    // Given two cards of one model in each run, when the second card of the new run is slower
    struct scene scene =
        scene_of(RUN_OF({.device_id = "cuda:0", .uuid = "a"}, {.device_id = "cuda:1", .uuid = "b"}),
                 RUN_OF({.device_id = "cuda:0", .uuid = "c"},
                        {.device_id = "cuda:1", .uuid = "d", .work = 2}),
                 (struct compare_desc){0});
    // then each card is compared with one card, by its id, and the slower one is found.
    assert_int_equal(scene.compare.pairs.count, 2);
    pair_is(&scene, 0, "cuda:0", "cuda:0");
    pair_is(&scene, 1, "cuda:1", "cuda:1");
    assert_int_equal(scene.compare.counts[COMPARE_SLOWER], 2 * CASES); // latency and bandwidth
    assert_true(compare_regressed(&scene.compare));
    size_t count;
    const struct compare_row **rows =
        compare_rows_of(scene.arena, &scene.compare, COMPARE_SLOWER, &count);
    const char *name = compare_row_case(scene.arena, &scene.compare, rows[0]);
    assert_non_null(strstr(name, "cuda:1 pair/bytes="));
    scene_end(&scene);
}

static void a_card_is_known_by_its_uuid_before_its_number(void **state)
{
    (void)state;
    // Given two cards whose numbers changed, when one of them was measured alone in the first run
    struct scene scene =
        scene_of(RUN_OF({.device_id = "cuda:0", .uuid = "x"}, {.device_id = "cuda:1", .uuid = "a"}),
                 RUN_OF({.device_id = "cuda:0", .uuid = "a"},
                        {.device_id = "cuda:1", .uuid = "y", .work = 2}),
                 (struct compare_desc){0});
    // then this card is compared with itself, and the other card with the remaining one.
    assert_int_equal(scene.compare.pairs.count, 2);
    pair_is(&scene, 0, "cuda:1", "cuda:0");
    pair_is(&scene, 1, "cuda:0", "cuda:1");
    scene_end(&scene);
}

// Compares a run of card "a" with a run of card `uuid`, on which the work takes `work` times as
// many cycles at a clock of `clock_hz`. The clock of card "a" is 2 GHz.
static struct compare between(const char *uuid, double work, double clock_hz)
{
    struct scene scene = scene_of(
        RUN_OF({.device_id = "cuda:0", .uuid = "a", .seed = 1}),
        RUN_OF(
            {.device_id = "cuda:0", .uuid = uuid, .work = work, .clock_hz = clock_hz, .seed = 2}),
        (struct compare_desc){0});
    struct compare compare = scene.compare;
    assert_int_equal(compare_other_card(&compare.pairs.list[0]), strcmp(uuid, "a") != 0);
    scene_end(&scene);
    return compare;
}

static void another_card_is_slower_only_beyond_what_cards_of_one_model_differ_by(void **state)
{
    (void)state;
    // Given how much cards differ in metrics without a class of their own (the largest known
    // spread)
    double spread = card_spread_of("pair", UNIT_NS);
    assert_true(spread > 0.05 && spread < 1);
    // when the work takes longer by half of this spread, or by twice the spread,
    struct compare near = between("b", 1 + spread / 2, 2e9),
                   far = between("b", 1 + 2 * spread, 2e9);
    struct compare same = between("a", 1 + spread / 2, 2e9);
    // then it is slower on the same card, but between two cards only beyond the spread.
    assert_int_equal(near.counts[COMPARE_CARD], 3 * CASES); // latency, bandwidth, depth
    assert_int_equal(near.counts[COMPARE_SLOWER], 0);
    assert_false(compare_regressed(&near));
    assert_int_equal(far.counts[COMPARE_SLOWER], 2 * CASES);
    assert_true(compare_regressed(&far));
    assert_int_equal(same.counts[COMPARE_SLOWER], 2 * CASES);
    assert_true(compare_regressed(&same));
}

static void scale(struct metric *metric, double factor)
{
    metric->median *= factor;
    metric->ci95[0] *= factor;
    metric->ci95[1] *= factor;
}

// Compares runs of two cards with 20 cases of three figures. In the first `cases` cases of the
// second card, bandwidth is `factor` times as high. The card shows `headline` (NULL: nothing).
// Returns how many figures are called slower.
static size_t slower_of(size_t cases, double factor, const struct headline_info *headline)
{
    struct run *now = RUN_OF({.device_id = "cuda:0", .uuid = "b", .seed = 2});
    for (size_t i = 0; i < cases; i++)
        scale(&now->results[i]->metrics[2], factor);
    struct run *base = RUN_OF({.device_id = "cuda:0", .uuid = "a", .seed = 1});
    struct benchmark_info info = *base->benchmarks[0];
    info.headlines = headline;
    info.headline_count = headline != NULL;
    base->benchmarks[0] = now->benchmarks[0] = &info;
    struct scene scene = scene_of(base, now, (struct compare_desc){0});
    size_t slower = scene.compare.counts[COMPARE_SLOWER];
    assert_int_equal(scene.compare.counts[COMPARE_CARD], cases - slower);
    assert_int_equal(scene.compare.parts[0].counts[COMPARE_SLOWER], slower);
    scene_end(&scene);
    return slower;
}

static void few_figures_may_lie_a_little_beyond_what_cards_differ_by(void **state)
{
    (void)state;
    double spread = 1 + card_spread_of("pair", UNIT_BYTE_PER_S);
    assert_int_equal(slower_of(3, 1 / (spread * spread), NULL), 0); // 5 % of the figures
    assert_int_equal(slower_of(4, 1 / (spread * spread), NULL), 4); // more of them
    assert_int_equal(slower_of(1, 1 / (spread * spread * spread * spread), NULL),
                     1); // much further beyond the spread
    // The first case has the highest bandwidth, so it is the figure of the card.
    const struct headline_info best = {.kind = HEADLINE_BEST,
                                       .title = "Best",
                                       .metric = "bandwidth",
                                       .section = CARD_LATENCY,
                                       .row = "Best"};
    assert_int_equal(slower_of(1, 1 / (spread * spread), &best), 1);
}

static void a_figure_at_another_clock_is_judged_by_its_cycles(void **state)
{
    (void)state;
    // Given one case of two cards that takes three times as long, when its cycles differ by twice,
    // or by four times, what healthy cards differ by
    double spread = 1 + card_spread_of("pair", UNIT_CYCLE);
    for (int times = 2; times <= 4; times += 2) {
        struct run *base = RUN_OF({.device_id = "cuda:0", .uuid = "a", .seed = 1});
        struct run *now = RUN_OF({.device_id = "cuda:0", .uuid = "b", .seed = 2});
        scale(&now->results[0]->metrics[0], 3);
        scale(&now->results[0]->metrics[1], pow(spread, times));
        struct scene scene = scene_of(base, now, (struct compare_desc){0});
        // then a single such figure is no regression only in the first case.
        assert_int_equal(scene.compare.counts[COMPARE_SLOWER], times == 2 ? 0 : 1);
        scene_end(&scene);
    }
}

static void another_card_that_is_asleep_is_told_by_its_clock(void **state)
{
    (void)state;
    // Given a card whose work takes a few more cycles, as cards differ, when its clock is half as
    // high
    double spread = card_spread_of("pair", UNIT_CYCLE);
    struct compare compare = between("b", 1 + spread / 2, 1e9);
    // then the difference in time is attributed to the clock; bandwidth and depth differ as cards
    // do.
    assert_int_equal(compare.counts[COMPARE_CLOCK], CASES);
    assert_int_equal(compare.counts[COMPARE_CARD], 2 * CASES);
    assert_false(compare_regressed(&compare));
}

static void a_class_with_enough_cards_has_its_own_spread(void **state)
{
    (void)state;
    double most = 0;
    for (size_t i = 0; i < card_spread_count; i++) {
        const struct card_spread *spread = &card_spreads[i];
        assert_true(spread->most > 0);
        assert_true(card_spread_of(spread->benchmark, spread->unit) ==
                    fmax(spread->most, RESULTS_CLOCK_STEPS));
        most = spread->most > most ? spread->most : most;
    }
    assert_true(card_spread_of("latency", UNIT_DEGC) == most);
}

static void across_pairs_those_of_one_model_first_and_the_others_in_order(void **state)
{
    (void)state;
    struct scene scene =
        scene_of(RUN_OF({.device_id = "cuda:0", .device_name = "Old"}, {.device_id = "cuda:1"}),
                 RUN_OF({.device_id = "cuda:0"}, {.device_id = "cuda:1", .device_name = "New"}),
                 (struct compare_desc){.across = true});
    assert_int_equal(scene.compare.pairs.count, 2);
    pair_is(&scene, 0, "cuda:1", "cuda:0");
    pair_is(&scene, 1, "cuda:0", "cuda:1");
    scene_end(&scene);
}

static void cases_are(const struct scene *scene, enum compare_word word, const char *device)
{
    size_t count;
    const struct compare_row **rows = compare_rows_of(scene->arena, &scene->compare, word, &count);
    assert_int_equal(count, CASES);
    for (size_t i = 0; i < count; i++) {
        const char *name = compare_row_case(scene->arena, &scene->compare, rows[i]);
        assert_true(strncmp(name, device, strlen(device)) == 0);
        assert_non_null(strstr(rows[i]->text, "no such device"));
    }
}

static void the_cases_of_a_device_that_is_gone_are_missing(void **state)
{
    (void)state;
    // Given two devices in the first run, when the second run has one of them and one of another
    // model
    struct scene scene = scene_of(
        RUN_OF({.device_id = "cuda:0"}, {.device_id = "vulkan:0"}),
        RUN_OF({.device_id = "cuda:0"}, {.device_id = "opencl:0", .device_name = "Other GPU"}),
        (struct compare_desc){0});
    // then each case of the unmatched devices is listed as missing or new, with its device.
    assert_int_equal(scene.compare.pairs.count, 1);
    cases_are(&scene, COMPARE_MISSING, "vulkan:0");
    cases_are(&scene, COMPARE_ADDED, "opencl:0");
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_second_card_of_another_host_is_compared_too),
        cmocka_unit_test(a_card_is_known_by_its_uuid_before_its_number),
        cmocka_unit_test(another_card_is_slower_only_beyond_what_cards_of_one_model_differ_by),
        cmocka_unit_test(few_figures_may_lie_a_little_beyond_what_cards_differ_by),
        cmocka_unit_test(a_figure_at_another_clock_is_judged_by_its_cycles),
        cmocka_unit_test(another_card_that_is_asleep_is_told_by_its_clock),
        cmocka_unit_test(a_class_with_enough_cards_has_its_own_spread),
        cmocka_unit_test(across_pairs_those_of_one_model_first_and_the_others_in_order),
        cmocka_unit_test(the_cases_of_a_device_that_is_gone_are_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
