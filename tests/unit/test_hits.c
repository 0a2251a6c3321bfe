// SPDX-License-Identifier: MIT
// Tests where the hits of a cache end on a latency curve, and the findings about that.
#include "analysis/audit.h"
#include "analysis/levels.h"
#include "golden/golden.h"

#include <math.h>
#include <stdint.h>

static const struct param_info params[] = {
    {.key = "bytes", .type = PARAM_BYTES, .unit = UNIT_BYTE, .role = PARAM_AXIS},
};
static const struct metric_info metrics[] = {
    {.name = "latency", .unit = UNIT_NS, .better = BETTER_LOWER},
};
static const struct headline_info headlines[] = {
    {.kind = HEADLINE_LEVELS, .metric = "latency", .by = "bytes"},
};
static const struct benchmark_info latency = {.name = "latency",
                                              .version = 1,
                                              .params = params,
                                              .param_count = 1,
                                              .metrics = metrics,
                                              .metric_count = 1,
                                              .headlines = headlines,
                                              .headline_count = 1};

enum {
    PER_OCTAVE = 4,
    L1_OCTAVE = 15, // 32 KiB by latency
    L2_OCTAVE = 22  // 4 MiB by latency
};

// What the counters of the two caches show: the octave up to which all reads hit, and the number of
// passes that counted them (0: not known).
struct counted {
    double l1_octave, l2_octave;
    unsigned l1_passes, l2_passes;
};

static const struct counted as_by_latency = {L1_OCTAVE, L2_OCTAVE, 1, 1};

static void add_case(struct run *run, double octave, const struct counted *counted)
{
    struct result *result = run_add_result(run);
    struct case_value *bytes = ARENA_NEW(run->arena, struct case_value);
    double ns = octave <= L1_OCTAVE ? 10 : octave <= L2_OCTAVE ? 50 : 200;
    double l1_hit = octave <= counted->l1_octave ? 32 : 0;
    double l2_hit = octave <= counted->l2_octave ? 32 - l1_hit : 0;
    const struct counter counters[] = {
        {"l1_read", UNIT_BYTE, 32, NAN, 1, counted->l1_passes},
        {"l1_read_hit", UNIT_BYTE, l1_hit, NAN, 1, counted->l1_passes},
        {"l2_read", UNIT_BYTE, 32 - l1_hit, NAN, 1, counted->l2_passes},
        {"l2_read_hit", UNIT_BYTE, l2_hit, NAN, 1, counted->l2_passes},
    };
    *bytes = (struct case_value){.key = "bytes",
                                 .type = PARAM_BYTES,
                                 .role = PARAM_AXIS,
                                 .uint = (uint64_t)round(exp2(octave))};
    *result = (struct result){.benchmark = "latency",
                              .version = 1,
                              .device = "cuda:0",
                              .bench_case = {.values = bytes, .value_count = 1},
                              .metrics = ARENA_NEW(run->arena, struct metric),
                              .metric_count = 1,
                              .counters = ARENA_ARRAY(run->arena, COUNT(counters), struct counter),
                              .counter_count = COUNT(counters)};
    result->key = case_key(run->arena, "latency", &result->bench_case);
    *result->metrics = (struct metric){.name = "latency",
                                       .unit = UNIT_NS,
                                       .median = ns,
                                       .ci95 = {ns * 0.999, ns * 1.001},
                                       .n = 16};
    memcpy(result->counters, counters, sizeof counters);
}

// A run whose latency has the levels above, from 1 KiB to 64 MiB.
static struct run *run_with(const struct counted *counted)
{
    struct run *run = run_create();
    run_add_benchmark(run, &latency);
    run_add_device(run)->id = "cuda:0";
    for (int i = 10 * PER_OCTAVE; i <= 26 * PER_OCTAVE; i++)
        add_case(run, (double)i / PER_OCTAVE, counted);
    hits_add_findings(run, "cuda:0");
    return run;
}

static void a_rate_whose_parts_are_of_different_passes_is_none(void **state)
{
    (void)state;
    struct counter counters[] = {{"l1_read", UNIT_BYTE, 32, NAN, 1, 0},
                                 {"l1_read_hit", UNIT_BYTE, 8, NAN, 1, 0},
                                 {"l2_read", UNIT_BYTE, 24, NAN, 1, 1},
                                 {"l2_read_hit", UNIT_BYTE, 6, NAN, 1, 1},
                                 {"l2_far_hit", UNIT_BYTE, 12, NAN, 1, 1}};
    const struct result result = {.counters = counters, .counter_count = COUNT(counters)};
    // Given: counters of unknown passes, and counters of one pass.
    assert_true(hits_rate(&result, 1) == 0.25);
    assert_true(hits_rate(&result, 2) == 0.75);
    // When the passes of the L2 are not known, or there are several.
    counters[2].passes = 0;
    assert_true(isnan(hits_rate(&result, 2)));
    counters[2].passes = counters[0].passes = 5;
    assert_true(isnan(hits_rate(&result, 2)));
    assert_true(isnan(hits_rate(&result, 1)));
}

static void a_rate_of_different_passes_counts_if_hits_and_misses_add_up(void **state)
{
    (void)state;
    struct counter counters[] = {{"l1_read", UNIT_BYTE, 32, NAN, 1, 7},
                                 {"l1_read_hit", UNIT_BYTE, 8, NAN, 1, 7},
                                 {"l1_read_miss", UNIT_BYTE, 24.3, NAN, 1, 7}};
    const struct result result = {.counters = counters, .counter_count = COUNT(counters)};
    assert_true(hits_rate(&result, 1) == 0.25);
    counters[2].counted = 24.4; // hits and misses are 1.3 % too many
    assert_true(isnan(hits_rate(&result, 1)));
}

static void hits_that_end_where_the_levels_end_agree_with_them(void **state)
{
    (void)state;
    struct run *run = run_with(&as_by_latency);
    assert_int_equal(run->finding_count, 2);
    for (size_t i = 0; i < run->finding_count; i++) {
        const struct finding *finding = &run->findings[i];
        assert_string_equal(finding->code, "hits-end");
        assert_string_equal(finding->device, "cuda:0");
        assert_true(finding->value == 1);
        assert_int_equal(finding->key_count, 2);
        assert_non_null(strstr(finding->text, "both agree within a factor of 1.25"));
    }
    assert_non_null(
        strstr(run->findings[0].text, "hits of the L1 end between 32 KiB and 38.05 KiB"));
    assert_string_equal(run->findings[0].keys[0], "latency/bytes=32768");
    assert_non_null(strstr(run->findings[1].text, "hits of the L2 end between 4 MiB and "));
    run_destroy(run);
}

static void hits_that_end_elsewhere_are_said_to_differ(void **state)
{
    (void)state;
    // Given: hits of the L1 that end two octaves before its level, those of the L2 one octave
    // after.
    struct run *run = run_with(&(struct counted){L1_OCTAVE - 2, L2_OCTAVE + 1, 1, 1});
    assert_int_equal(run->finding_count, 2);
    const double octaves[] = {2, 1};
    for (size_t i = 0; i < run->finding_count; i++) {
        const double off = log2(run->findings[i].value) - octaves[i];
        assert_true(fabs(off) <= 1.5 / PER_OCTAVE);
        assert_non_null(strstr(run->findings[i].text, "they differ by a factor of "));
    }
    run_destroy(run);
}

static void counters_that_see_no_end_say_nothing(void **state)
{
    (void)state;
    // Given: an L1 that holds all sizes, so that the L2 is never read.
    struct run *run = run_with(&(struct counted){99, 99, 1, 1});
    assert_int_equal(run->finding_count, 0);
    run_destroy(run);
    // Given: hits of the L2 that may have been counted in another pass than its reads.
    run = run_with(&(struct counted){L1_OCTAVE, L2_OCTAVE, 0, 5});
    assert_int_equal(run->finding_count, 1);
    assert_non_null(strstr(run->findings[0].text, "hits of the L1 "));
    run_destroy(run);
}

static void an_end_that_the_latency_does_not_show_is_told(void **state)
{
    (void)state;
    // Given: a curve that is too short for levels.
    struct run *run = run_create();
    run_add_benchmark(run, &latency);
    run_add_device(run)->id = "cuda:0";
    for (int octave = L1_OCTAVE - 1; octave <= L1_OCTAVE + 1; octave++)
        add_case(run, octave, &as_by_latency);
    hits_add_findings(run, "cuda:0");
    assert_int_equal(run->finding_count, 1);
    assert_true(isnan(run->findings[0].value));
    assert_non_null(strstr(run->findings[0].text, "the latency does not show where the L1 ends"));
    run_destroy(run);
}

// Given: chains beyond the L2, and the bytes of memory that each of their hops reads.
static void what_a_missing_load_reads_is_said(void **state)
{
    (void)state;
    struct run *run = run_create();
    run_add_benchmark(run, &latency);
    run_add_device(run)->id = "cuda:0";
    const double memory[] = {66, 64, 70, 60, 63};
    for (int octave = L1_OCTAVE; octave <= L2_OCTAVE + 5; octave++) {
        add_case(run, octave, &as_by_latency);
        struct result *result = run->results[run->result_count - 1];
        struct counter *counters = ARENA_ARRAY(run->arena, 5, struct counter);
        memcpy(counters, result->counters, 4 * sizeof *counters);
        counters[4] = (struct counter){"dram_read", UNIT_BYTE, 0, NAN, 1, 5};
        if (octave > L2_OCTAVE)
            counters[4].counted = memory[octave - L2_OCTAVE - 1];
        result->counters = counters;
        result->counter_count = 5;
    }
    hits_add_findings(run, "cuda:0");
    const struct finding *last = &run->findings[run->finding_count - 1];
    assert_string_equal(last->code, "over-fetch");
    assert_true(last->value == 64);
    assert_non_null(strstr(last->text, "reads 32 B through the L2 and 64 B of memory, however few "
                                       "it needs (median of 5 chains from 8 MiB on)"));
    assert_string_equal(last->keys[0], "latency/bytes=8388608");
    run_destroy(run);
}

static void a_run_that_has_the_findings_gets_no_more(void **state)
{
    (void)state;
    struct run *run = run_with(&as_by_latency);
    hits_add_findings(run, "cuda:0");
    assert_int_equal(run->finding_count, 2);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rate_whose_parts_are_of_different_passes_is_none),
        cmocka_unit_test(a_rate_of_different_passes_counts_if_hits_and_misses_add_up),
        cmocka_unit_test(hits_that_end_where_the_levels_end_agree_with_them),
        cmocka_unit_test(hits_that_end_elsewhere_are_said_to_differ),
        cmocka_unit_test(counters_that_see_no_end_say_nothing),
        cmocka_unit_test(an_end_that_the_latency_does_not_show_is_told),
        cmocka_unit_test(what_a_missing_load_reads_is_said),
        cmocka_unit_test(a_run_that_has_the_findings_gets_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
