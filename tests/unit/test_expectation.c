// SPDX-License-Identifier: MIT
// Tests what is expected of a card, and how far below that it counts as slow.
#include "analysis/check_others.h"
#include "analysis/compare.h"
#include "analysis/reference.h"
#include "golden/card_checks.h"

// Given two cards of this model, and `others` of another model, which differ by steps of 0.5 %.
static struct outcome few_cards(double value, size_t others)
{
    struct outcome o = begin(cards(2, DRAM_READ, 4.6e12, 0), DRAM_READ, value);
    o.references = cards(others, DRAM_READ, 2e12, 0.005);
    for (size_t i = 0; i < others; i++) {
        o.references->devices[i].name = "another model";
        o.references->devices[i].uuid = arena_printf(o.references->arena, "b%zu", i);
    }
    return o;
}

static void few_cards_bound_by_the_spread_of_all_models(void **state)
{
    (void)state;
    // Given seven degrees of freedom (1 of this model, 6 of the other), then what these cards show
    // is the bound. Given fewer, then it is the known spread of bandwidths.
    double spread = card_spread_of("bandwidth", UNIT_BYTE_PER_S);
    for (size_t others = 6; others <= 7; others++) {
        struct outcome inside = few_cards(4.6e12, others);
        struct check_spreads spreads;
        check_spreads_of((struct run *[]){inside.others, inside.references}, 2, &spreads);
        double class = check_spread_bound(&spreads.between[CHECK_CLASS_MEMORY], 2, 0.999);
        assert_true(class > 0.04 && class < spread);
        double bound = others == 7 ? class : spread;
        judge(&inside);
        assert_outcome(&inside, CHECK_HEALTHY, CHECK_OK, NULL);
        assert_int_equal(inside.check->figures[0].cards, 2);
        assert_true(fabs(inside.check->figures[0].expected_low - 4.6e12 / (1 + bound)) < 1e9);
        assert_string_equal(inside.check->remarks[0], "expectation from 2 cards");
        end(&inside);
        struct outcome outside = few_cards(4.6e12 / (1 + bound) * 0.99, others);
        judge(&outside);
        assert_outcome(&outside, CHECK_SLOW, CHECK_BELOW_EXPECTATION, NULL);
        end(&outside);
    }
}

static void one_card_bounds_as_compare_does(void **state)
{
    (void)state;
    double spread = card_spread_of("bandwidth", UNIT_BYTE_PER_S);
    struct outcome o = begin(cards(1, DRAM_READ, 4.6e12, 0), DRAM_READ, 4.6e12 * 0.97);
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_true(fabs(o.check->figures[0].expected_low - 4.6e12 / (1 + spread)) < 1e9);
    end(&o);
}

static void classes_pool_what_is_comparable(void **state)
{
    (void)state;
    struct check_spreads spreads;
    struct run *run = cards(4, DRAM_READ, 4.6e12, 0.01); // steps of 1 % have a deviation of 1.29 %
    check_spreads_of(&run, 1, &spreads);
    const struct check_spread *memory = &spreads.between[CHECK_CLASS_MEMORY];
    assert_true(fabs(memory->deviation - 0.0129) < 0.0002);
    assert_int_equal(memory->freedom, 3);
    assert_int_equal(spreads.repeats.freedom, 0);
    assert_int_equal(spreads.between[CHECK_CLASS_LINK].freedom, 0);
    // Two runs of one card give the spread of repeats, but count as one card.
    run->devices[1].uuid = run->devices[0].uuid;
    check_spreads_of(&run, 1, &spreads);
    assert_int_equal(memory->freedom, 2);
    assert_int_equal(spreads.repeats.freedom, 1);
    assert_true(fabs(spreads.repeats.deviation - 0.01 / sqrt(2)) < 0.0002);
    // Another version of the benchmark is not comparable.
    run->results[0]->version = run->results[1]->version = 7;
    check_spreads_of(&run, 1, &spreads);
    assert_int_equal(memory->freedom, 1);
    assert_int_equal(spreads.repeats.freedom, 1);
    run_destroy(run);
}

static void own_runs_bound_by_how_they_repeat(void **state)
{
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        struct run *own = cards(5, DRAM_READ, 4.6e12, 0.001);
        for (size_t i = 0; i < 5; i++)
            own->devices[i].uuid = "ffffffffffffffffffffffffffffffff";
        struct outcome o = begin(own, DRAM_READ, 4.6e12 * (slow ? 0.98 : 0.996));
        judge(&o); // a deviation of 0.16 % with 4 degrees of freedom: a bound of 1.2 %
        assert_outcome(&o, slow ? CHECK_SLOW : CHECK_HEALTHY,
                       slow ? CHECK_BELOW_EXPECTATION : CHECK_OK, NULL);
        assert_int_equal(o.check->figures[0].cards, 1);
        end(&o);
    }
}

static void eight_cards_bound_by_their_own_spread(void **state)
{
    (void)state;
    struct outcome slow = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12 * 0.97);
    judge(&slow);
    assert_outcome(&slow, CHECK_SLOW, CHECK_BELOW_EXPECTATION,
                   "DRAM read 4.462 of 4.600 TB/s: 3 % below the expectation, cause unknown");
    assert_int_equal(slow.check->remark_count, 0);
    end(&slow);
    struct outcome within = begin(cards(8, DRAM_READ, 4.6e12, 0.004), DRAM_READ, 4.6e12 * 0.97);
    judge(&within);
    assert_outcome(&within, CHECK_HEALTHY, CHECK_OK, NULL);
    end(&within);
}

static void set_latencies(struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++) {
        struct metric *metric = &run->results[i]->metrics[0];
        metric->name = "latency";
        metric->unit = UNIT_NS;
        metric->better = BETTER_LOWER;
    }
}

static void a_long_latency_is_above_the_expectation(void **state)
{
    (void)state;
    static const char key[] =
        "latency/path=vector/chain=pointer/order=random/load=idle/bytes=268435456";
    struct outcome o = begin(cards(8, key, 600, 0.001), key, 900);
    set_latencies(o.others);
    set_latencies(o.run);
    judge(&o);
    assert_outcome(&o, CHECK_SLOW, CHECK_BELOW_EXPECTATION,
                   "DRAM latency 900.0 of 600.0 ns: 50 % above the expectation, cause unknown");
    end(&o);
}

static void cards_of_another_power_limit_or_ecc_state_are_left_out(void **state)
{
    (void)state;
    for (int ecc = 0; ecc < 2; ecc++) {
        struct outcome o = begin(cards(3, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12);
        o.others->devices[2].uuid = o.others->devices[0].uuid; // the first card again
        *run_add_check(o.others) = (struct check){
            .device = o.others->devices[2].id, .state = {.power_limit_w = 700, .ecc_enabled = 1}};
        struct check *other = run_add_check(o.others);
        other->device = o.others->devices[0].id;
        other->state.power_limit_w = o.check->state.power_limit_w = 700;
        other->state.ecc_enabled = o.check->state.ecc_enabled = 1;
        if (ecc)
            o.check->state.ecc_enabled = 0;
        else
            o.check->state.power_limit_w = 600;
        judge(&o);
        assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
        assert_int_equal(o.check->figures[0].cards, 1); // the other card's limit is not known
        assert_string_equal(o.check->remarks[1],
                            "1 card left out: another power limit or ECC state");
        end(&o);
    }
}

static void another_branch_of_the_driver_is_a_remark(void **state)
{
    (void)state;
    static const struct {
        const char *driver;
        size_t remarks;
    } rows[] = {{"NVIDIA 580.95.05", 1}, {"NVIDIA 570.172.08", 2}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct outcome o = begin(cards(2, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12);
        o.run->devices[0].driver = "NVIDIA 580.159.04";
        o.others->devices[0].driver = o.others->devices[1].driver = rows[i].driver;
        judge(&o);
        assert_int_equal(o.check->remark_count, rows[i].remarks);
        if (rows[i].remarks > 1)
            assert_string_equal(o.check->remarks[1], "expectation from driver NVIDIA 570.172.08");
        end(&o);
    }
}

static void cards_that_are_not_compared_give_no_remark(void **state)
{
    (void)state;
    // given a card with an older driver and a card with another power limit, and then a run of the
    // very card that is checked
    struct outcome o = begin(cards(3, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12);
    o.run->devices[0].driver = o.others->devices[1].driver = "NVIDIA 580.159.04";
    o.others->devices[0].driver = "NVIDIA 570.172.08";
    o.others->devices[2].driver = o.run->devices[0].driver;
    o.others->devices[2].uuid = o.run->devices[0].uuid;
    *run_add_check(o.others) =
        (struct check){.device = o.others->devices[1].id, .state = {.power_limit_w = 600}};
    o.check->state.power_limit_w = 700;
    // when the card is judged
    judge(&o);
    // then nothing is said about the two others, because the card is compared with itself
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_int_equal(o.check->remark_count, 1);
    assert_string_equal(o.check->remarks[0], "expectation from 1 card");
    end(&o);
}

// Given two H200 that reach 96 % of the limit of their memory, when a card of another model is
// checked, then the same share of its own limit is expected if its architecture is theirs.
static struct outcome another_model(double value, const char *architecture)
{
    struct outcome o = begin(cards(2, DRAM_READ, 4.608e12, 0.001), DRAM_READ, value);
    o.run->devices[0].name = "NVIDIA H100";
    o.run->devices[0].architecture = architecture;
    o.result->metrics[0].limit = 3.35e12;
    for (size_t i = 0; i < 2; i++) {
        o.others->devices[i].architecture = "Hopper";
        o.others->results[i]->metrics[0].limit = 4.8e12;
    }
    return o;
}

static void the_share_of_a_limit_is_that_of_the_architecture(void **state)
{
    (void)state;
    struct outcome o = another_model(3.2e12, "Hopper");
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_int_equal(o.check->figures[0].basis, CHECK_BASIS_LIMIT);
    assert_true(fabs(o.check->figures[0].expected - 0.96 * 3.35e12) < 1e9);
    assert_string_equal(o.check->remarks[1],
                        "no run of this model: the share of the limit that others of Hopper reach");
    end(&o);
    o = another_model(2e12, "Hopper");
    judge(&o);
    assert_outcome(&o, CHECK_SLOW, CHECK_BELOW_EXPECTATION, NULL);
    end(&o);
    o = another_model(2e12, "Blackwell");
    judge(&o);
    assert_outcome(&o, CHECK_UNKNOWN, CHECK_NO_EXPECTATION, NULL);
    end(&o);
    o = another_model(2e12, NULL);
    judge(&o);
    assert_outcome(&o, CHECK_UNKNOWN, CHECK_NO_EXPECTATION, NULL);
    end(&o);
}

static void runs_of_one_card_are_one_card(void **state)
{
    (void)state;
    struct run *others = cards(9, DRAM_READ, 4.6e12, 0.001);
    for (size_t i = 0; i < others->device_count; i++)
        others->devices[i].uuid = i % 2 ? "00000000000000000000000000000001" : NULL;
    struct outcome o = begin(others, DRAM_READ, 4.6e12);
    judge(&o);
    assert_int_equal(o.check->figures[0].cards, 2);
    end(&o);
}

static void other_work_of_the_host_slows_rounds_of_a_link_and_a_fault_slows_all(void **state)
{
    (void)state;
    for (int faulty = 0; faulty < 2; faulty++) {
        struct outcome o = begin(cards(8, TO_DEVICE, 55e9, 0.001), TO_DEVICE, 30e9);
        double rounds[] = {20e9, 30e9, faulty ? 35e9 : 54e9};
        o.result->metrics[0].round_medians = rounds;
        o.result->metrics[0].round_count = 3;
        judge(&o);
        assert_int_equal(o.check->verdict, faulty ? CHECK_SLOW : CHECK_HEALTHY);
        end(&o);
    }
}

static void an_l2_that_other_places_of_the_cores_make_slower_is_healthy(void **state)
{
    (void)state;
    // Given eight cards that agree within 0.1 %, and one that is 2.6 or 5 % slower.
    for (int slow = 0; slow < 2; slow++) {
        struct outcome o =
            begin(cards(8, L2_READ, 10e12, 0.0001), L2_READ, 10e12 * (slow ? 0.95 : 0.974));
        judge(&o);
        assert_int_equal(o.check->verdict, slow ? CHECK_SLOW : CHECK_HEALTHY);
        end(&o);
    }
}

static void a_link_to_the_host_is_slow_from_halfway_to_its_half(void **state)
{
    (void)state;
    for (int slow = 0; slow < 2; slow++) {
        struct outcome o = begin(cards(8, TO_DEVICE, 55e9, 0.001), TO_DEVICE,
                                 55e9 / sqrt(2) * (slow ? 0.99 : 1.01));
        judge(&o);
        assert_int_equal(o.check->verdict, slow ? CHECK_SLOW : CHECK_HEALTHY);
        end(&o);
    }
}

static void the_program_has_references_of_the_h200(void **state)
{
    (void)state;
    struct outcome o = begin(reference_checks_run(), DRAM_READ, 4.6e12);
    assert_non_null(o.others);
    struct case_value shape = text_value("shape", "best");
    shape.role = PARAM_METHOD;
    o.result->bench_case.values[o.result->bench_case.value_count++] = shape;
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_true(o.check->figures[0].cards >= 4);
    assert_int_equal(o.check->figures[0].basis, CHECK_BASIS_REFERENCE);
    end(&o);
}

// Leaves out the devices of the run with this UUID.
static void forget(struct run *run, const char *uuid)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->device_count; i++)
        if (strcmp(run->devices[i].uuid, uuid) != 0)
            run->devices[kept++] = run->devices[i];
    run->device_count = kept;
}

static void no_card_of_the_references_is_slow_against_the_others(void **state)
{
    (void)state;
    size_t judged = 0;
    struct run *run = reference_checks_run();
    for (size_t i = 0; i < run->device_count; i++) {
        struct run *others = reference_checks_run();
        forget(others, run->devices[i].uuid);
        const struct expectation expectation = {
            .runs = &others, .run_count = 1, .basis = CHECK_BASIS_REFERENCE};
        struct check *check = run_add_check(run);
        check->device = run->devices[i].id;
        check_take_figures(run, check);
        expectation_judge(run, &expectation, check);
        for (size_t f = 0; f < check->figure_count; f++)
            judged += check->figures[f].judgement == CHECK_FIGURE_OK;
        if (check->verdict == CHECK_SLOW)
            print_message("%s\n", check->cause);
        if (check->verdict != CHECK_HEALTHY && check->figure_count > 0)
            assert_int_equal(check->code, CHECK_NO_EXPECTATION);
        run_destroy(others);
    }
    print_message("%zu figures judged\n", judged);
    assert_true(judged > 50);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_pool_what_is_comparable),
        cmocka_unit_test(own_runs_bound_by_how_they_repeat),
        cmocka_unit_test(one_card_bounds_as_compare_does),
        cmocka_unit_test(few_cards_bound_by_the_spread_of_all_models),
        cmocka_unit_test(eight_cards_bound_by_their_own_spread),
        cmocka_unit_test(a_long_latency_is_above_the_expectation),
        cmocka_unit_test(cards_of_another_power_limit_or_ecc_state_are_left_out),
        cmocka_unit_test(another_branch_of_the_driver_is_a_remark),
        cmocka_unit_test(cards_that_are_not_compared_give_no_remark),
        cmocka_unit_test(the_share_of_a_limit_is_that_of_the_architecture),
        cmocka_unit_test(runs_of_one_card_are_one_card),
        cmocka_unit_test(other_work_of_the_host_slows_rounds_of_a_link_and_a_fault_slows_all),
        cmocka_unit_test(an_l2_that_other_places_of_the_cores_make_slower_is_healthy),
        cmocka_unit_test(a_link_to_the_host_is_slow_from_halfway_to_its_half),
        cmocka_unit_test(the_program_has_references_of_the_h200),
        cmocka_unit_test(no_card_of_the_references_is_slow_against_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
