// SPDX-License-Identifier: MIT
// Tests the verdict on a card and its cause: slow, broken, busy or not measured.
#include "golden/card_checks.h"

static void a_low_memory_clock_is_the_cause(void **state)
{
    (void)state;
    struct outcome o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 3.1e12);
    o.result->sensors[1].value = 1593e6;
    judge(&o);
    assert_outcome(&o, CHECK_SLOW, CHECK_MEMORY_CLOCK,
                   "DRAM read 3.100 of 4.600 TB/s: memory clock 1593 of 3201 MHz");
    end(&o);
}

static void a_core_clock_that_power_or_heat_lowers_is_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *throttle;
        enum check_code code;
        const char *cause;
    } rows[] = {
        {"none", CHECK_CORE_CLOCK, "DRAM read 3.680 of 4.600 TB/s: core clock 1500 of 1980 MHz"},
        {"power limit", CHECK_POWER_LIMIT,
         "DRAM read 3.680 of 4.600 TB/s: core clock 1500 of 1980 MHz, power-limited at 350 W"},
        {"thermal", CHECK_THERMAL,
         "DRAM read 3.680 of 4.600 TB/s: core clock 1500 of 1980 MHz, thermal limit at 88 °C"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12 * 0.8);
        o.result->sensors[0].value = 1500e6;
        o.check->state.throttle = rows[i].throttle;
        o.check->state.power_limit_w = 350;
        o.check->state.temperature_c = 88;
        judge(&o);
        assert_outcome(&o, CHECK_SLOW, rows[i].code, rows[i].cause);
        end(&o);
    }
}

static void set_rates(struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++) {
        run->results[i]->metrics[0].name = "rate";
        run->results[i]->metrics[0].unit = UNIT_OP_PER_S;
    }
}

// Checks count no operations but floating-point ones, and the card and the fleet call them so.
static void arithmetic_is_counted_in_flops(void **state)
{
    (void)state;
    static const char key[] = "incore/scope=device/op=fp32-fma";
    struct outcome o = begin(cards(8, key, 66e12, 0.001), key, 50e12);
    set_rates(o.run);
    set_rates(o.others);
    judge(&o);
    assert_outcome(&o, CHECK_SLOW, CHECK_BELOW_EXPECTATION,
                   "FP32 50.00 of 66.00 TFLOP/s: 24 % below the expectation, cause unknown");
    end(&o);
}

static void a_link_is_slow_by_its_lanes_or_its_generation(void **state)
{
    (void)state;
    struct outcome o = begin(cards(8, TO_DEVICE, 55e9, 0.001), TO_DEVICE, 27e9);
    o.check->state.link_width = 8;
    o.check->state.link_width_max = 16;
    judge(&o);
    assert_outcome(&o, CHECK_SLOW, CHECK_LINK_WIDTH,
                   "Host link to device 27.00 of 55.00 GB/s: PCIe x8 instead of x16");
    end(&o);
    o = begin(cards(8, TO_DEVICE, 55e9, 0.001), TO_DEVICE, 27e9);
    o.check->state.link_generation = 4;
    o.check->state.link_generation_max = 5;
    judge(&o);
    assert_outcome(&o, CHECK_SLOW, CHECK_LINK_GENERATION, NULL);
    end(&o);
    // A link that is as fast as those of other cards is fine, whatever it reports.
    o = begin(cards(8, TO_DEVICE, 55e9, 0.001), TO_DEVICE, 55e9);
    o.check->state.link_generation = 4;
    o.check->state.link_generation_max = 5;
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    end(&o);
}

#define PAIR(parts, from, to)                                                                      \
    "transfer/direction=peer" parts "/from=" from "/to=" to "/bytes=268435456"

static void set_way(struct run *run, struct result *result, const char *way)
{
    result->details = ARENA_NEW(run->arena, struct named_text);
    result->details[0] = (struct named_text){.name = "way", .text = way};
    result->detail_count = 1;
}

// A check of the first of two devices, whose copy to the second reaches `value`, against two other
// cards that copied to each other `directly`.
static struct outcome between_devices(const char *key, double value, const char *way)
{
    struct run *others = cards(2, PAIR("", "cuda:0", "cuda:0"), 2e12, 0);
    set_way(others, add_result(others, PAIR("", "cuda:1", "cuda:0"), 395e9), "direct");
    struct outcome o = begin(others, key, value);
    set_way(o.run, o.result, way);
    for (int i = 1; i < 4; i++)
        run_add_device(o.run)->id = arena_printf(o.run->arena, "cuda:%d", i);
    return o;
}

static void any_pair_of_the_model_is_the_expectation_of_a_pair(void **state)
{
    (void)state;
    struct outcome o = between_devices(PAIR("", "cuda:0", "cuda:3"), 394e9, "direct");
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_int_equal(o.check->figure_count, 1);
    assert_int_equal(o.check->figures[0].metric, CHECK_PEER);
    assert_true(o.check->figures[0].peer == 3 && o.check->figures[0].expected == 395e9);
    end(&o);
    o = between_devices(PAIR("", "cuda:0", "cuda:3"), 30e9, "direct");
    judge(&o);
    assert_outcome(&o, CHECK_SLOW, CHECK_BELOW_EXPECTATION,
                   "Copy to GPU 3: 30.00 of 395.0 GB/s: 92 % below the expectation, cause unknown");
    end(&o);
    // Copies through the host, or by the other device, are not comparable.
    o = between_devices(PAIR("", "cuda:0", "cuda:3"), 30e9, "through the host");
    judge(&o);
    assert_outcome(&o, CHECK_UNKNOWN, CHECK_NO_EXPECTATION, NULL);
    end(&o);
    o = between_devices(PAIR("/engine=target", "cuda:3", "cuda:0"), 30e9, "direct");
    judge(&o);
    assert_outcome(&o, CHECK_UNKNOWN, CHECK_NO_EXPECTATION, NULL);
    assert_int_equal(o.check->figures[0].metric, CHECK_PEER_READ);
    end(&o);
}

static void a_device_of_another_api_is_no_second_peer(void **state)
{
    (void)state;
    // given a copy to cuda:3, and a device of another API with the same number
    struct outcome o = between_devices(PAIR("", "cuda:0", "cuda:3"), 394e9, "direct");
    run_add_device(o.run)->id = "vulkan:3";
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_int_equal(o.check->figure_count, 1);
    end(&o);
}

static void a_shortened_result_is_as_good_an_expectation(void **state)
{
    (void)state;
    struct outcome o = between_devices(PAIR("", "cuda:0", "cuda:3"), 30e9, "direct");
    struct result *known = o.others->results[2];
    struct metric *metrics = ARENA_ARRAY(o.others->arena, 2, struct metric);
    metrics[0] = (struct metric){.name = "time", .median = 1};
    metrics[1] = known->metrics[0];
    known->metrics = metrics;
    known->metric_count = 2;
    result_flag(o.others->arena, known, VERDICT_SUSPECT, "imprecise", "why");
    assert_true(check_shorten(o.others->arena, known));
    assert_int_equal(known->metric_count, 1);
    assert_int_equal(known->reason_count, 0);
    judge(&o);
    assert_outcome(&o, CHECK_SLOW, CHECK_BELOW_EXPECTATION, NULL);
    assert_true(o.check->figures[0].expected == 395e9);
    result_flag(o.others->arena, known, VERDICT_SKIPPED, "unsupported", "why");
    assert_false(check_shorten(o.others->arena, known));
    end(&o);
}

static void a_slow_link_between_devices_has_lost_some_of_its_lanes(void **state)
{
    (void)state;
    struct outcome o = between_devices(PAIR("", "cuda:0", "cuda:1"), 197e9, "direct");
    o.check->state.nvlinks = 18;
    o.check->state.nvlinks_active = 9;
    judge(&o);
    assert_outcome(&o, CHECK_SLOW, CHECK_LINK_WIDTH,
                   "Copy to GPU 1: 197.0 of 395.0 GB/s: 9 of 18 NVLinks work");
    end(&o);
    // Fewer links than the chip has are no fault if they are as fast as those of other cards.
    o = between_devices(PAIR("", "cuda:0", "cuda:1"), 395e9, "direct");
    o.check->state.nvlinks = 18;
    o.check->state.nvlinks_active = 12;
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_string_equal(o.check->remarks[0], "12 of 18 NVLinks work");
    end(&o);
}

// Given a run of this very card, which the first device of its API made, when pairs are judged,
// then each pair is compared with itself.
static void a_pair_of_the_very_card_is_compared_with_itself(void **state)
{
    (void)state;
    struct run *own = cards(2, PAIR("", "cuda:0", "cuda:0"), 2e12, 0);
    own->devices[1].uuid = "ffffffffffffffffffffffffffffffff";
    set_way(own, add_result(own, PAIR("", "cuda:1", "cuda:0"), 395e9), "direct");
    set_way(own, add_result(own, PAIR("", "cuda:1", "cuda:2"), 200e9), "direct");
    own->results[2]->device = own->results[3]->device = own->devices[0].id;
    struct outcome o = begin(own, PAIR("", "cuda:0", "cuda:2"), 200e9);
    set_way(o.run, o.result, "direct");
    for (int i = 1; i < 3; i++)
        run_add_device(o.run)->id = arena_printf(o.run->arena, "cuda:%d", i);
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_true(o.check->figures[0].expected == 200e9);
    assert_int_equal(o.check->figures[0].cards, 1);
    end(&o);
}

static void data_lost_between_two_devices_break_these_two(void **state)
{
    (void)state;
    struct outcome o = between_devices(PAIR("", "cuda:2", "cuda:3"), 394e9, "direct");
    result_flag(o.run->arena, o.result, VERDICT_FAILED, "mismatch", "why");
    judge(&o);
    assert_outcome(&o, CHECK_UNKNOWN, CHECK_NOT_MEASURED, NULL);
    o.check->device = "cuda:3";
    judge(&o);
    assert_outcome(&o, CHECK_BROKEN, CHECK_WRONG_RESULTS, NULL);
    end(&o);
}

static void errors_are_broken_and_corrected_ones_a_remark(void **state)
{
    (void)state;
    struct outcome o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12);
    o.check->state.ecc_corrected = 3;
    o.check->state.ecc_uncorrected = 0;
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_string_equal(o.check->remarks[0], "3 corrected ECC errors during the check");
    end(&o);
    o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12);
    o.check->state.ecc_uncorrected = 1;
    judge(&o);
    assert_outcome(&o, CHECK_BROKEN, CHECK_ERRORS, "1 uncorrected ECC error during the check");
    end(&o);
}

static void memory_and_links_that_the_driver_counts_as_bad(void **state)
{
    (void)state;
    struct outcome o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12);
    o.check->state.remap_failed = 1;
    judge(&o);
    assert_outcome(&o, CHECK_BROKEN, CHECK_ERRORS,
                   "a row of memory failed and no spare row is left");
    end(&o);
    o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12);
    o.check->state.nvlink_recoveries = 2;
    judge(&o);
    assert_outcome(&o, CHECK_BROKEN, CHECK_ERRORS, "2 NVLink retrainings during the check");
    end(&o);
    o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 4.6e12);
    o.check->state.remap_failed = 0;
    o.check->state.remap_pending = 1;
    o.check->state.remapped_rows = 3;
    o.check->state.nvlink_replays = 7;
    o.check->state.retired_pages = 2;
    judge(&o);
    assert_outcome(&o, CHECK_HEALTHY, CHECK_OK, NULL);
    assert_int_equal(o.check->remark_count, 3);
    assert_string_equal(o.check->remarks[0], "7 NVLink replays during the check");
    assert_string_equal(o.check->remarks[1],
                        "a row of memory will be replaced at the next reset of the card");
    assert_string_equal(o.check->remarks[2], "2 pages of memory are retired");
    end(&o);
}

static void what_broke_comes_before_what_is_slow_or_busy(void **state)
{
    (void)state;
    static const struct {
        const char *reason;
        enum check_code code;
    } rows[] = {
        {"mismatch", CHECK_WRONG_RESULTS}, {"timeout", CHECK_HUNG}, {"device-lost", CHECK_LOST}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 1e12);
        result_flag(o.run->arena, o.result, VERDICT_SUSPECT, "shared-device", "pid 4711 python");
        struct result *failed = add_result(o.run, TO_DEVICE, 1);
        result_flag(o.run->arena, failed, VERDICT_FAILED, rows[i].reason, "why");
        judge(&o);
        assert_outcome(&o, CHECK_BROKEN, rows[i].code, TO_DEVICE ": why");
        end(&o);
    }
}

static void a_busy_card_is_not_called_slow(void **state)
{
    (void)state;
    struct outcome o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 1e12);
    result_flag(o.run->arena, o.result, VERDICT_SUSPECT, "shared-device", "pid 4711 python");
    judge(&o);
    assert_outcome(&o, CHECK_UNKNOWN, CHECK_BUSY, "busy: pid 4711 python");
    end(&o);
}

// Given a slow link on a busy host, then the card is not called slow. Given a link of the expected
// speed, then it is healthy. A link with too few lanes is slow even on a busy host.
static void a_busy_host_excuses_only_what_depends_on_it(void **state)
{
    (void)state;
    struct outcome o = begin(cards(8, TO_DEVICE, 55e9, 0.001), TO_DEVICE, 20e9);
    result_flag(o.run->arena, o.result, VERDICT_SUSPECT, "shared-host", "hc used it");
    judge(&o);
    assert_outcome(&o, CHECK_UNKNOWN, CHECK_BUSY, "busy: hc used it");
    end(&o);
    o = begin(cards(8, TO_DEVICE, 55e9, 0.001), TO_DEVICE, 55e9);
    result_flag(o.run->arena, o.result, VERDICT_SUSPECT, "shared-host", "hc used it");
    judge(&o);
    assert_int_equal(o.check->verdict, CHECK_HEALTHY);
    end(&o);
    o = begin(cards(8, TO_DEVICE, 55e9, 0.001), TO_DEVICE, 27e9);
    result_flag(o.run->arena, o.result, VERDICT_SUSPECT, "shared-host", "hc used it");
    o.check->state.link_width = 8;
    o.check->state.link_width_max = 16;
    judge(&o);
    assert_int_equal(o.check->verdict, CHECK_SLOW);
    assert_int_equal(o.check->code, CHECK_LINK_WIDTH);
    end(&o);
}

// Given a low figure behind a profiler, then the card is not called slow. Given an expected figure,
// then it is healthy, unless no other card is known: then nothing could be compared.
static void what_alters_the_driver_excuses_a_low_figure(void **state)
{
    (void)state;
    static const struct {
        size_t cards;
        double value;
        enum check_verdict verdict;
        enum check_code code;
        const char *cause;
    } rows[] = {{8, 4.4e12, CHECK_UNKNOWN, CHECK_ALTERED, "altered: a tool is there"},
                {8, 4.7e12, CHECK_HEALTHY, CHECK_OK, NULL},
                {0, 4.7e12, CHECK_UNKNOWN, CHECK_ALTERED, "altered: a tool is there"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome o =
            begin(cards(rows[i].cards, DRAM_READ, 4.7e12, 0.001), DRAM_READ, rows[i].value);
        result_flag(o.run->arena, o.result, VERDICT_SUSPECT, "altered", "a tool is there");
        judge(&o);
        assert_outcome(&o, rows[i].verdict, rows[i].code, rows[i].cause);
        end(&o);
    }
}

static void nothing_measured_is_unknown_with_the_reason(void **state)
{
    (void)state;
    struct outcome o = begin(cards(8, DRAM_READ, 4.6e12, 0.001), DRAM_READ, 1e12);
    o.result->metric_count = 0;
    result_flag(o.run->arena, o.result, VERDICT_SKIPPED, "out-of-memory", "no memory is left");
    judge(&o);
    assert_outcome(&o, CHECK_UNKNOWN, CHECK_NOT_MEASURED, "no memory is left");
    end(&o);
}

static void the_worst_verdict_counts(void **state)
{
    (void)state;
    struct check checks[4] = {{.verdict = CHECK_HEALTHY},
                              {.verdict = CHECK_UNKNOWN},
                              {.verdict = CHECK_SLOW},
                              {.verdict = CHECK_BROKEN}};
    assert_int_equal(check_worst(checks, 0), CHECK_UNKNOWN);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(check_worst(checks, i + 1), checks[i].verdict);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_low_memory_clock_is_the_cause),
        cmocka_unit_test(a_core_clock_that_power_or_heat_lowers_is_told_apart),
        cmocka_unit_test(arithmetic_is_counted_in_flops),
        cmocka_unit_test(a_link_is_slow_by_its_lanes_or_its_generation),
        cmocka_unit_test(any_pair_of_the_model_is_the_expectation_of_a_pair),
        cmocka_unit_test(a_device_of_another_api_is_no_second_peer),
        cmocka_unit_test(a_shortened_result_is_as_good_an_expectation),
        cmocka_unit_test(a_pair_of_the_very_card_is_compared_with_itself),
        cmocka_unit_test(data_lost_between_two_devices_break_these_two),
        cmocka_unit_test(errors_are_broken_and_corrected_ones_a_remark),
        cmocka_unit_test(memory_and_links_that_the_driver_counts_as_bad),
        cmocka_unit_test(a_slow_link_between_devices_has_lost_some_of_its_lanes),
        cmocka_unit_test(what_broke_comes_before_what_is_slow_or_busy),
        cmocka_unit_test(a_busy_card_is_not_called_slow),
        cmocka_unit_test(a_busy_host_excuses_only_what_depends_on_it),
        cmocka_unit_test(what_alters_the_driver_excuses_a_low_figure),
        cmocka_unit_test(nothing_measured_is_unknown_with_the_reason),
        cmocka_unit_test(the_worst_verdict_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
