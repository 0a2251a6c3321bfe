// SPDX-License-Identifier: MIT
#include "analysis/audit.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const double gib = 1 << 30;

// A result of one unit of work whose counters are these.
static struct result *add_result(struct run *run, const char *key, struct counter *counters,
                                 size_t count)
{
    struct result *result = run_add_result(run);
    *result = (struct result){.key = key,
                              .benchmark = "bandwidth",
                              .device = "cuda:0",
                              .counters = counters,
                              .counter_count = count};
    return result;
}

static struct run *run_with_device(void)
{
    struct run *run = run_create();
    run_add_device(run)->id = "cuda:0";
    return run;
}

static bool agrees(const char *name, enum unit unit, double claimed, double ratio)
{
    struct counter counter = {name, unit, claimed * ratio, claimed, 1, 1};
    const struct result result = {.counters = &counter, .counter_count = 1};
    return audit_agrees(&result, &counter);
}

static void a_claim_of_a_gibibyte_holds_within_one_percent(void **state)
{
    (void)state;
    assert_true(agrees("l2_read", UNIT_BYTE, gib, 1.009));
    assert_false(agrees("l2_read", UNIT_BYTE, gib, 1.011));
    assert_true(agrees("l2_read", UNIT_BYTE, gib, 0.991));
    assert_false(agrees("l2_read", UNIT_BYTE, gib, 0.989));
}

static void a_smaller_claim_of_bytes_holds_within_three_percent(void **state)
{
    (void)state;
    assert_true(agrees("l2_read", UNIT_BYTE, gib / 2, 1.029));
    assert_false(agrees("l2_read", UNIT_BYTE, gib / 2, 1.031));
}

static void a_claim_of_events_holds_within_one_percent_whatever_their_number(void **state)
{
    (void)state;
    assert_true(agrees("l1_requests", UNIT_NONE, 1, 1.009));
    assert_false(agrees("l1_requests", UNIT_NONE, 1, 1.011));
}

static void a_counter_without_a_claim_agrees(void **state)
{
    (void)state;
    assert_true(agrees("l2_read", UNIT_BYTE, NAN, 1));
}

// True if a counter agrees with a claim of zero, beside a counter with a claim of `most`.
static bool zero_agrees(const char *name, enum unit unit, double each, double most)
{
    struct counter counters[] = {{name, unit, each, 0, 1000, 1},
                                 {"other", unit, most, most, 1000, 1}};
    const struct result result = {.counters = counters, .counter_count = 2};
    return audit_agrees(&result, &counters[0]);
}

static void a_claim_of_zero_bytes_holds_up_to_an_amount_of_all_units(void **state)
{
    (void)state;
    assert_true(zero_agrees("dram_read", UNIT_BYTE, 262, 32));
    assert_false(zero_agrees("dram_read", UNIT_BYTE, 263, 32));
    assert_true(zero_agrees("dram_read", UNIT_BYTE, -262, 32)); // noise of a difference
    assert_false(zero_agrees("dram_read", UNIT_BYTE, -263, 32));
}

static void a_claim_of_zero_holds_up_to_a_percent_of_the_largest_claim(void **state)
{
    (void)state;
    assert_true(zero_agrees("l2_read", UNIT_BYTE, 0.009 * gib, gib));
    assert_false(zero_agrees("l2_read", UNIT_BYTE, 0.011 * gib, gib));
    assert_true(zero_agrees("shared_conflicts", UNIT_NONE, 9, 1000));
    assert_false(zero_agrees("shared_conflicts", UNIT_NONE, 11, 1000));
    assert_false(zero_agrees("shared_conflicts", UNIT_NONE, 1, NAN));
}

// Memory may read less than claimed by what the L2 served, but never more than claimed.
static void memory_may_read_less_by_what_the_l2_held(void **state)
{
    (void)state;
    struct counter counters[] = {{"dram_read", UNIT_BYTE, 0.9 * gib, gib, 1, 1},
                                 {"l2_read_hit", UNIT_BYTE, 0.06 * gib, NAN, 1, 1},
                                 {"l2_far_hit", UNIT_BYTE, 0.04 * gib, NAN, 1, 1}};
    struct result result = {.counters = counters, .counter_count = 3};
    assert_true(audit_agrees(&result, &counters[0]));
    result.counter_count = 2;
    assert_false(audit_agrees(&result, &counters[0]));
    counters[0].counted = 1.05 * gib;
    result.counter_count = 3;
    assert_false(audit_agrees(&result, &counters[0]));
}

static void hits_of_both_halves_of_the_l2_are_hits(void **state)
{
    (void)state;
    struct counter counters[] = {{"l1_read", UNIT_BYTE, 32, NAN, 1, 1},
                                 {"l1_read_hit", UNIT_BYTE, 8, NAN, 1, 1},
                                 {"l2_read", UNIT_BYTE, 24, NAN, 1, 1},
                                 {"l2_read_hit", UNIT_BYTE, 6, NAN, 1, 1},
                                 {"l2_far_hit", UNIT_BYTE, 12, NAN, 1, 1}};
    struct result result = {.counters = counters, .counter_count = 5};
    assert_true(audit_hit_rate(&result, 1) == 0.25);
    assert_true(audit_hit_rate(&result, 2) == 0.75);
    // Without the counter of hits, the hit rate is not 0 but unknown.
    result.counter_count = 1;
    assert_true(isnan(audit_hit_rate(&result, 1)));
    result.counter_count = 0;
    assert_true(isnan(audit_hit_rate(&result, 1)));
}

static void findings_count_the_claims_and_name_the_cases_that_differ(void **state)
{
    (void)state;
    struct run *run = run_with_device();
    struct counter good[] = {{"l2_read", UNIT_BYTE, gib, gib, 1, 1}};
    struct counter bad[] = {{"l2_read", UNIT_BYTE, gib, gib, 1, 1},
                            {"dram_written", UNIT_BYTE, 0.5 * gib, gib, 1, 1}};
    add_result(run, "bandwidth/op=read", good, 1);
    add_result(run, "bandwidth/op=write", bad, 2);
    audit_add_findings(run);
    assert_int_equal(run->finding_count, 2);
    assert_string_equal(run->findings[0].code, "counted");
    assert_true(run->findings[0].value == 2.0 / 3);
    assert_non_null(strstr(run->findings[0].text, "2 of 3 claims of 2 cases"));
    assert_string_equal(run->findings[1].code, "claim-differs");
    assert_int_equal(run->findings[1].key_count, 1);
    assert_string_equal(run->findings[1].keys[0], "bandwidth/op=write");
    assert_non_null(strstr(run->findings[1].text, "dram_written of bandwidth/op=write is 0.5"));
    run_destroy(run);
}

static void a_claim_of_zero_that_differs_is_named_with_what_was_counted(void **state)
{
    (void)state;
    struct run *run = run_with_device();
    struct counter counters[] = {{"dram_read", UNIT_BYTE, gib, 0, 1, 1}};
    add_result(run, "bandwidth/op=read", counters, 1);
    audit_add_findings(run);
    assert_int_equal(run->finding_count, 2);
    assert_true(run->findings[0].value == 0);
    assert_non_null(strstr(run->findings[1].text, "dram_read of bandwidth/op=read is 1.07e+09, "
                                                  "not 0"));
    run_destroy(run);
}

static void what_memory_did_not_deliver_the_l2_served(void **state)
{
    (void)state;
    struct run *run = run_with_device();
    struct counter whole[] = {{"dram_read", UNIT_BYTE, gib, gib, 1, 5}};
    struct counter less[] = {{"dram_read", UNIT_BYTE, 0.94 * gib, gib, 1, 5},
                             {"l2_read_hit", UNIT_BYTE, 0.06 * gib, NAN, 1, 5}};
    struct counter more[] = {{"dram_read", UNIT_BYTE, 1.005 * gib, gib, 1, 5}};
    struct counter wrong[] = {{"dram_read", UNIT_BYTE, 0.5 * gib, gib, 1, 5}}; // without a cause
    add_result(run, "stream/op=read", whole, 1);
    add_result(run, "stream/op=triad", less, 2);
    add_result(run, "stream/op=copy", more, 1);
    add_result(run, "stream/op=init", wrong, 1);
    audit_add_findings(run);
    assert_int_equal(run->finding_count, 3);
    const struct finding *finding = &run->findings[1];
    assert_string_equal(finding->code, "l2-served");
    assert_true(fabs(finding->value - 0.06) < 1e-9);
    assert_string_equal(finding->keys[0], "stream/op=triad");
    assert_non_null(strstr(finding->text, "3 cases claim to read from memory, the L2 served at "
                                          "most 6 % (stream/op=triad)"));
    run_destroy(run);
}

static void a_result_beside_other_work_is_not_judged(void **state)
{
    (void)state;
    struct run *run = run_with_device();
    struct reason reason = {"shared-device", "other work"};
    struct counter bad[] = {{"dram_read", UNIT_BYTE, 2 * gib, gib, 1, 1}};
    struct result *result = add_result(run, "bandwidth/op=read", bad, 1);
    result->reasons = &reason;
    result->reason_count = 1;
    audit_add_findings(run);
    assert_int_equal(run->finding_count, 0);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_claim_of_a_gibibyte_holds_within_one_percent),
        cmocka_unit_test(a_smaller_claim_of_bytes_holds_within_three_percent),
        cmocka_unit_test(a_claim_of_events_holds_within_one_percent_whatever_their_number),
        cmocka_unit_test(a_counter_without_a_claim_agrees),
        cmocka_unit_test(a_claim_of_zero_bytes_holds_up_to_an_amount_of_all_units),
        cmocka_unit_test(a_claim_of_zero_holds_up_to_a_percent_of_the_largest_claim),
        cmocka_unit_test(memory_may_read_less_by_what_the_l2_held),
        cmocka_unit_test(hits_of_both_halves_of_the_l2_are_hits),
        cmocka_unit_test(findings_count_the_claims_and_name_the_cases_that_differ),
        cmocka_unit_test(a_claim_of_zero_that_differs_is_named_with_what_was_counted),
        cmocka_unit_test(what_memory_did_not_deliver_the_l2_served),
        cmocka_unit_test(a_result_beside_other_work_is_not_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
