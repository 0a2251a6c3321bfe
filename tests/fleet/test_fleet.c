// SPDX-License-Identifier: MIT
// The findings about fleets whose truth is known.
#include "synthetic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// A change that a test makes in the run of a machine.
typedef void run_change(struct run *run, size_t machine);

static struct fleet *fleet_of_pattern(size_t machines, bool expected, const char *pattern,
                                      run_change *change)
{
    const struct synthetic synthetic = {.seed = 11, .machines = machines, .expected = expected};
    struct fleet *fleet = fleet_create();
    struct error err;
    assert_true(!pattern || fleet_group_by(fleet, pattern, &err));
    for (size_t i = 0; i < machines; i++) {
        struct run *run = synthetic_run(&synthetic, i);
        if (change)
            change(run, i);
        fleet_add_run(fleet, run, arena_printf(run->arena, "%zu.json", i));
        run_destroy(run);
    }
    fleet_judge(fleet);
    return fleet;
}

static struct fleet *fleet_of(size_t machines, bool expected, run_change *change)
{
    return fleet_of_pattern(machines, expected, NULL, change);
}

static void scale(struct check *check, enum check_metric metric, double factor)
{
    for (size_t i = 0; i < check->figure_count; i++)
        if (check->figures[i].metric == metric) {
            check->figures[i].value *= factor;
            check->figures[i].low *= factor;
            check->figures[i].high *= factor;
        }
}

static const struct fleet_group *find_group(const struct fleet *fleet, const char *name)
{
    for (size_t i = 0; i < fleet->group_count; i++)
        if (strcmp(fleet->groups[i].name, name) == 0)
            return &fleet->groups[i];
    return NULL;
}

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.6g is not %.6g", value, expected);
}

// ---------------------------------------------------------------- slow or not

static void a_healthy_fleet_has_no_finding(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_of(40, true, NULL);
    assert_int_equal(fleet->hosts, 40);
    assert_int_equal(fleet->count, 320);
    assert_int_equal(fleet->grades[FLEET_HEALTHY], 320);
    assert_false(fleet_failed(fleet));
    assert_int_equal(fleet->list_count + fleet->group_count + fleet->relation_count, 0);
    assert_int_equal(fleet->remark_count, 0);
    const struct fleet_metric *dram = &fleet->kinds[0].metrics[CHECK_DRAM_READ];
    assert_near(dram->median / 4.71e12, 1, 0.001);
    assert_near(dram->population.sigma, 0.003, 0.0006);
    assert_true(dram->low < dram->median && dram->median < dram->high);
    fleet_destroy(fleet);
}

static void halve_links(struct run *run, size_t machine)
{
    for (size_t i = 0; machine % 4 && i < run->check_count; i++) {
        run->checks[i].state.link_width = 8;
        scale(&run->checks[i], CHECK_HOST_TO_DEVICE, 0.5);
    }
}

static void three_quarters_of_a_fleet_at_half_a_link_are_not_the_median(void **state)
{
    (void)state;
    // These cards have no expectation: their links report that they have half of their lanes.
    struct fleet *fleet = fleet_of(40, false, halve_links);
    assert_int_equal(fleet->grades[FLEET_SLOW], 240);
    assert_int_equal(fleet->grades[FLEET_HEALTHY], 80);
    assert_near(fleet->kinds[0].metrics[CHECK_HOST_TO_DEVICE].median / 55.5e9, 1, 0.002);
    assert_int_equal(fleet->list_count, 30); // one entry for each machine
    assert_string_equal(fleet->list[0].cards, "all 8 cards");
    assert_string_equal(fleet->list[0].card->code, "link-width");
    assert_near(fleet->list[0].card->points[CHECK_HOST_TO_DEVICE].loss, 0.5, 0.01);
    fleet_destroy(fleet);
}

static void slow_down(struct run *run, size_t machine)
{
    if (machine == 3)
        scale(&run->checks[2], CHECK_DRAM_READ, 0.95);
    if (machine == 4)
        scale(&run->checks[2], CHECK_LATENCY_DRAM, 1.05);
    if (machine == 5)
        scale(&run->checks[2], CHECK_DRAM_READ, 1.05);
}

static void what_is_worse_is_slow_and_what_is_better_is_not(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_of(20, true, slow_down);
    assert_int_equal(fleet->grades[FLEET_SLOW], 2);
    assert_int_equal(fleet->cards[3 * 8 + 2]->grade, FLEET_SLOW);
    assert_int_equal(fleet->cards[4 * 8 + 2]->grade, FLEET_SLOW);
    assert_int_equal(fleet->cards[5 * 8 + 2]->grade, FLEET_HEALTHY);
    assert_near(fleet->cards[3 * 8 + 2]->loss, 0.05, 0.01);
    assert_true(fleet->kinds[0].metrics[CHECK_DRAM_READ].slow == 1);
    assert_non_null(strstr(fleet->cards[3 * 8 + 2]->cause, "DRAM read 4.4"));
    fleet_destroy(fleet);
}

static void call_slow(struct check *check)
{
    check->figures[CHECK_DRAM_READ].judgement = CHECK_FIGURE_SLOW;
    check->verdict = CHECK_SLOW;
    check->code = CHECK_BELOW_EXPECTATION;
    check->cause = "DRAM read below what is expected";
}

// Makes the expectation that of many cards: 99.9 % of healthy figures are above its lower bound.
static void bound_tightly(struct check *check)
{
    struct check_figure *figure = &check->figures[CHECK_DRAM_READ];
    figure->cards = 100;
    figure->expected_low = figure->expected * (1 - 3.09 * 0.003);
    if (figure->value < figure->expected_low)
        call_slow(check);
}

static void bound_all_tightly(struct run *run, size_t machine)
{
    (void)machine;
    for (size_t i = 0; i < run->check_count; i++)
        bound_tightly(&run->checks[i]);
}

static void slow_half_a_little(struct run *run, size_t machine)
{
    for (size_t i = 0; machine % 2 && i < run->check_count; i++)
        scale(&run->checks[i], CHECK_DRAM_READ, 0.984);
    bound_all_tightly(run, machine);
}

static void slow_one_much(struct run *run, size_t machine)
{
    if (machine == 9)
        scale(&run->checks[4], CHECK_DRAM_READ, 0.97);
    bound_all_tightly(run, machine);
}

static void a_bound_that_healthy_figures_break_fails_no_fleet(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_of(250, true, bound_all_tightly);
    assert_true(fleet->grades[FLEET_DOUBTFUL] >= 1); // two of 2000 healthy figures are below it
    assert_string_equal(fleet->list[0].card->code, "below-expectation");
    assert_false(fleet_failed(fleet));
    fleet_destroy(fleet);
    fleet = fleet_of(250, true, slow_one_much);
    assert_int_equal(fleet->grades[FLEET_SLOW], 1);
    assert_int_equal(fleet->cards[9 * 8 + 4]->grade, FLEET_SLOW);
    fleet_destroy(fleet);
    // If so many cards are slow, this is no chance, however small the loss is.
    fleet = fleet_of(250, true, slow_half_a_little);
    assert_true(fleet->grades[FLEET_SLOW] > 900);
    fleet_destroy(fleet);
}

static void widen(struct run *run, size_t machine)
{
    if (machine != 3)
        return;
    struct check_figure *figure = &run->checks[2].figures[CHECK_DRAM_READ];
    scale(&run->checks[2], CHECK_DRAM_READ, 0.96);
    figure->low = figure->value * 0.97;
    figure->high = figure->value * 1.03;
}

static void a_loss_within_the_own_interval_is_not_slow(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_of(20, true, widen);
    assert_false(fleet_failed(fleet));
    fleet_destroy(fleet);
}

static void step_clocks(struct run *run, size_t machine)
{
    for (size_t i = 0; i < run->check_count; i++) {
        run->checks[i].state.core_clock_hz = 1.98e9 - 60e6 * (double)(i % 2);
        if (machine == 3 && i == 2) {
            scale(&run->checks[i], CHECK_L2_READ, 0.95);
            scale(&run->checks[i], CHECK_DRAM_READ, 0.95);
        }
    }
}

static void a_step_of_the_clock_excuses_what_the_clock_drives(void **state)
{
    (void)state;
    // A clock step is 3 %, so a loss of 5 % in L2 may be two steps. DRAM has its own clock.
    struct fleet *fleet = fleet_of(20, true, step_clocks);
    const struct fleet_card *card = fleet->cards[3 * 8 + 2];
    assert_near(fleet->kinds[0].clock_step, 60.0 / 1950, 0.001);
    assert_true(card->points[CHECK_DRAM_READ].slow);
    assert_false(card->points[CHECK_L2_READ].slow);
    fleet_destroy(fleet);
}

static void slow_one_link(struct run *run, size_t machine)
{
    struct check *check = &run->checks[6];
    for (size_t i = 0; machine == 7 && i < check->figure_count; i++)
        if (check->figures[i].metric == CHECK_PEER && fabs(check->figures[i].peer - 5) < 0.5)
            check->figures[i].value *= 0.9;
}

static void one_slow_link_of_seven_is_found(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_of(20, true, slow_one_link);
    assert_int_equal(fleet->grades[FLEET_SLOW], 1);
    assert_true(fleet->cards[7 * 8 + 6]->points[CHECK_PEER].slow);
    assert_near(fleet->cards[7 * 8 + 6]->points[CHECK_PEER].figure->peer, 5, 0);
    fleet_destroy(fleet);
}

static void cards_are_compared_from_eight_on(void **state)
{
    (void)state;
    struct fleet *one = fleet_of(1, false, NULL);
    assert_true(one->tests > 0);
    assert_null(synthetic_remark(one, "few"));
    fleet_destroy(one);

    struct fleet *fleet = fleet_create();
    struct run *run = synthetic_run(&(struct synthetic){.seed = 1, .machines = 1}, 0);
    run->check_count = 7;
    scale(&run->checks[1], CHECK_DRAM_READ, 0.5);
    call_slow(&run->checks[2]);
    fleet_add_run(fleet, run, "x");
    run_destroy(run);
    fleet_judge(fleet);
    assert_int_equal(fleet->grades[FLEET_UNKNOWN], 6);
    assert_int_equal(fleet->grades[FLEET_SLOW], 1);
    assert_int_equal(fleet->kinds[0].metrics[CHECK_DRAM_READ].slow, 1); // slow by its own check
    assert_non_null(strstr(synthetic_remark(fleet, "few"), "6 to compare"));
    assert_true(isnan(fleet->kinds[0].metrics[CHECK_DRAM_READ].found));
    fleet_destroy(fleet);
}

// ---------------------------------------------------------------- groups

static void cool_rack_one(struct run *run, size_t machine)
{
    for (size_t i = 0; i < run->check_count; i++) {
        if (machine / 20 == 1)
            scale(&run->checks[i], CHECK_DRAM_READ, 0.994);
        run->devices[i].driver = machine == 5 ? "NVIDIA 570.1" : "NVIDIA 580.2";
        if (machine == 5)
            scale(&run->checks[i], CHECK_FP32, 0.98);
    }
}

static void groups_that_differ_are_reported_and_stay_in_the_comparison(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_of(100, true, cool_rack_one);
    const struct fleet_group *rack = find_group(fleet, "rack r01");
    assert_true(rack && rack->metric == CHECK_DRAM_READ && rack->count == 160);
    assert_near(rack->effect, 0.006, 0.0015); // a fifth of the cards also moves the fleet's median
    assert_null(find_group(fleet, "rack r02"));
    // Eight cards are few, so 8/20 of their 2 % are shown.
    const struct fleet_group *driver = find_group(fleet, "driver NVIDIA 570.1");
    assert_non_null(driver);
    assert_int_equal(driver->metric, CHECK_FP32);
    assert_near(driver->effect, 0.02 * 8 / 20, 0.003);
    assert_non_null(strstr(synthetic_remark(fleet, "version"), "570.1 on 8 cards (r00n05 …)"));
    assert_false(fleet_failed(fleet));
    fleet_destroy(fleet);
}

static void machines_are_grouped_by_a_pattern_in_place_of_racks(void **state)
{
    (void)state;
    struct error err;
    const char *const patterns[] = {"^r01n", "r0(1)n[0-9]+$"};
    const char *const names[] = {"group r01n", "group 1"};
    for (size_t i = 0; i < 2; i++) {
        struct fleet *fleet = fleet_of_pattern(100, true, patterns[i], cool_rack_one);
        const struct fleet_group *group = find_group(fleet, names[i]);
        assert_non_null(group);
        assert_int_equal(group->count, 160);
        assert_near(group->effect, 0.006, 0.0015);
        assert_null(find_group(fleet, "rack r01"));
        assert_null(synthetic_remark(fleet, "group"));
        fleet_destroy(fleet);
    }
    struct fleet *fleet = fleet_of_pattern(100, true, "^blue", cool_rack_one);
    assert_non_null(synthetic_remark(fleet, "group"));
    assert_null(find_group(fleet, "no group"));
    assert_false(fleet_group_by(fleet, "r(01", &err));
    assert_int_equal(err.code, ERROR_USAGE);
    fleet_destroy(fleet);
}

static void flash_three(struct run *run, size_t machine)
{
    for (size_t i = 0; i < run->check_count; i++) {
        run->checks[i].state.vbios = machine < 3 ? "96.00.A5.00.01" : "96.00.74.00.01";
        if (machine < 3)
            scale(&run->checks[i], CHECK_DRAM_READ, 0.99);
    }
}

static void cards_with_other_firmware_are_a_group(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_of(100, true, flash_three);
    const struct fleet_group *group = find_group(fleet, "VBIOS 96.00.A5.00.01");
    assert_non_null(group);
    assert_int_equal(group->metric, CHECK_DRAM_READ);
    assert_int_equal(group->count, 24);
    assert_near(group->effect, 0.01, 0.002);
    assert_string_equal(synthetic_remark(fleet, "version"),
                        "versions differ: VBIOS 96.00.74.00.01 on 776 cards (r00n03 …), "
                        "VBIOS 96.00.A5.00.01 on 24 cards (r00n00 …)");
    fleet_destroy(fleet);
}

// Given files that are read in the opposite order of their machines, when versions differ, then the
// remark names the first machine with each version, wherever its cards lie in memory.
static void versions_name_the_first_machine_in_whatever_order_files_are_read(void **state)
{
    (void)state;
    const struct synthetic synthetic = {.seed = 11, .machines = 10};
    struct fleet *fleet = fleet_create();
    for (size_t i = synthetic.machines; i-- > 0;) {
        struct run *run = synthetic_run(&synthetic, i);
        flash_three(run, i);
        fleet_add_run(fleet, run, arena_printf(run->arena, "%zu.json", i));
        run_destroy(run);
    }
    fleet_judge(fleet);
    assert_string_equal(synthetic_remark(fleet, "version"),
                        "versions differ: VBIOS 96.00.74.00.01 on 56 cards (r00n03 …), "
                        "VBIOS 96.00.A5.00.01 on 24 cards (r00n00 …)");
    fleet_destroy(fleet);
}

static void heat(struct run *run, size_t machine)
{
    for (size_t i = 0; i < run->check_count; i++) {
        double share = (double)((machine * 5 + i * 3) % 40) / 40;
        run->checks[i].state.temperature_c = 40 + 30 * share;
        scale(&run->checks[i], CHECK_MATRIX_FP16, 1 - 0.02 * share);
    }
}

static void a_loss_that_goes_with_heat_is_said_so(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_of(40, true, heat);
    assert_true(fleet->relation_count >= 1);
    assert_string_equal(fleet->relations[0].with, "temperature");
    assert_int_equal(fleet->relations[0].metric, CHECK_MATRIX_FP16);
    assert_near(fleet->relations[0].quarters, 0.015, 0.004);
    assert_true(fleet->relations[0].rank > 0.4);
    fleet_destroy(fleet);
}

// ---------------------------------------------------------------- files and machines

static void lose_card(struct run *run, size_t machine)
{
    run->check_count -= machine % 11 == 1;
}

static void a_machine_with_fewer_cards_is_named(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_of(20, true, lose_card);
    assert_string_equal(synthetic_remark(fleet, "missing"),
                        "18 machines have 8 cards, but r00n01 has 7, r00n12 has 7");
    fleet_destroy(fleet);
    // The remark names twenty cards. If there are more, it ends with "…".
    for (size_t lacking = 20; lacking <= 21; lacking++) {
        fleet = fleet_of(11 * lacking, true, lose_card);
        const char *text = synthetic_remark(fleet, "missing");
        assert_true((strstr(text, " …") != NULL) == (lacking > 20));
        fleet_destroy(fleet);
    }
}

// Adds checks of the same cards through another API, except on the machine that loses a card.
static void add_api(struct run *run, size_t machine)
{
    size_t cards = run->check_count;
    run->check_count -= machine == 5;
    for (size_t i = 0; i < cards && machine != 5; i++) {
        struct run_device device = run->devices[i];
        struct check check = run->checks[i];
        device.id = check.device = arena_printf(run->arena, "vulkan:%zu", i);
        *run_add_device(run) = device;
        *run_add_check(run) = check;
    }
}

static void a_card_through_two_apis_is_one_card_of_its_machine(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_of(20, true, add_api);
    assert_string_equal(synthetic_remark(fleet, "missing"),
                        "19 machines have 8 cards, but r00n05 has 7");
    fleet_destroy(fleet);
}

static void a_share_that_is_not_known_is_no_number(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    assert_string_equal(fleet_percent(arena, 0.027), "2.7 %");
    assert_string_equal(fleet_percent(arena, -0.0006), "-0.1 %");
    assert_string_equal(fleet_percent(arena, -0.0004), "0.0 %");
    assert_string_equal(fleet_percent(arena, 10), "over 999 %");
    assert_string_equal(fleet_percent(arena, -10), "under -999 %");
    assert_string_equal(fleet_percent(arena, (double)NAN), "–");
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_healthy_fleet_has_no_finding),
        cmocka_unit_test(three_quarters_of_a_fleet_at_half_a_link_are_not_the_median),
        cmocka_unit_test(what_is_worse_is_slow_and_what_is_better_is_not),
        cmocka_unit_test(a_bound_that_healthy_figures_break_fails_no_fleet),
        cmocka_unit_test(a_loss_within_the_own_interval_is_not_slow),
        cmocka_unit_test(a_step_of_the_clock_excuses_what_the_clock_drives),
        cmocka_unit_test(one_slow_link_of_seven_is_found),
        cmocka_unit_test(cards_are_compared_from_eight_on),
        cmocka_unit_test(groups_that_differ_are_reported_and_stay_in_the_comparison),
        cmocka_unit_test(machines_are_grouped_by_a_pattern_in_place_of_racks),
        cmocka_unit_test(cards_with_other_firmware_are_a_group),
        cmocka_unit_test(versions_name_the_first_machine_in_whatever_order_files_are_read),
        cmocka_unit_test(a_loss_that_goes_with_heat_is_said_so),
        cmocka_unit_test(a_machine_with_fewer_cards_is_named),
        cmocka_unit_test(a_card_through_two_apis_is_one_card_of_its_machine),
        cmocka_unit_test(a_share_that_is_not_known_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
