// SPDX-License-Identifier: MIT
// What the findings of watches mean. Needs no device.
#include "measure/yardsticks.h"
#include "results/reasons.h"
#include "suite/watcher.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define ALL_UNKNOWN                                                                                \
    {                                                                                              \
        NAN, NAN, NAN, NAN, NAN, NAN                                                               \
    }

static struct watch_finding idle_finding(void)
{
    return (struct watch_finding){.method = WATCH_GAPS,
                                  .watched_ns = 5e6,
                                  .rates = {100, 2e12, 2.4e12, 50e9, 50e9},
                                  .limits = {NAN, NAN, NAN, 63e9, 63e9},
                                  .link_traffic = NAN,
                                  .memory_change = NAN,
                                  .host_used = 0.02,
                                  .host_waited = 0.001};
}

static struct watch_judgement judged(struct arena *arena, const struct watch_finding *finding,
                                     double memory_best)
{
    double best[WATCH_YARDSTICKS] = {100, memory_best, 2.5e12, 50e9, 50e9};
    return watcher_judge(arena, finding, best);
}

static void an_idle_device_gives_no_reason(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    const struct watch_finding finding = idle_finding();
    struct watch_judgement judgement = judged(arena, &finding, 2.05e12);
    assert_int_equal(judgement.verdict, WATCH_CLEAN);
    assert_int_equal(judgement.link, WATCH_CLEAN);
    assert_null(judgement.text);
    arena_destroy(arena);
}

static void a_stolen_percent_is_the_border_between_remark_and_flag(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct watch_finding finding = idle_finding();
    finding.share = 0.009;
    assert_int_equal(judged(arena, &finding, 2e12).verdict, WATCH_REMARK);
    finding.share = 0.01;
    assert_int_equal(judged(arena, &finding, 2e12).verdict, WATCH_BUSY);
    finding.share = 0.49;
    finding.who = "python3 (process 4711)";
    struct watch_judgement judgement = judged(arena, &finding, 2e12);
    assert_string_equal(judgement.text,
                        "other work took 49 % of the device's time: python3 (process 4711)");
    assert_int_equal(judgement.link, WATCH_BUSY);
    arena_destroy(arena);
}

static void threads_of_a_cpu_device_may_wait_a_little(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct watch_finding finding = {
        .method = WATCH_QUEUE, .watched_ns = 5e6, .rates = ALL_UNKNOWN, .limits = ALL_UNKNOWN};
    static const struct {
        double share;
        enum watch_verdict verdict;
    } cases[] = {{0, WATCH_CLEAN}, {0.11, WATCH_CLEAN}, {0.33, WATCH_BUSY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        finding.share = cases[i].share;
        struct watch_judgement judgement = judged(arena, &finding, NAN);
        assert_int_equal(judgement.verdict, cases[i].verdict);
        assert_int_equal(judgement.link, cases[i].verdict);
    }
    finding.throttled = true;
    assert_string_equal(judged(arena, &finding, NAN).text,
                        "the processor limit of fathom's container took 33 % of the device's time");
    arena_destroy(arena);
}

static void a_slow_yardstick_shows_what_leaves_no_gap(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct watch_finding finding = idle_finding();
    finding.rates[WATCH_MEMORY] = 1.5e12;
    struct watch_judgement judgement = judged(arena, &finding, 2e12);
    assert_int_equal(judgement.verdict, WATCH_BUSY);
    assert_non_null(strstr(judgement.text, "75 % of its best rate"));
    arena_destroy(arena);
}

static void company_from_the_start_is_seen_by_the_limit(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    double best[WATCH_YARDSTICKS] = ALL_UNKNOWN; // there was no watch before
    struct watch_finding finding = idle_finding();
    finding.rates[WATCH_TO_DEVICE] = 26e9;
    struct watch_judgement judgement = watcher_judge(arena, &finding, best);
    assert_int_equal(judgement.verdict, WATCH_CLEAN);
    assert_int_equal(judgement.link, WATCH_BUSY);
    assert_non_null(strstr(judgement.link_text, "41 % of the limit"));
    arena_destroy(arena);
}

static void a_busy_link_concerns_only_what_uses_it(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct watch_finding finding = idle_finding();
    finding.rates[WATCH_TO_HOST] = 26e9;
    struct watch_judgement judgement = judged(arena, &finding, 2e12);
    assert_int_equal(judgement.verdict, WATCH_CLEAN);
    assert_int_equal(judgement.link, WATCH_BUSY);
    assert_non_null(strstr(judgement.link_text, "a copy to the host ran at 52 %"));
    arena_destroy(arena);
}

static void a_busy_cache_concerns_all_but_the_link(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct watch_finding finding = idle_finding();
    // Given a rate that differs only as places in the cache do, then it is no sign of other work.
    finding.rates[WATCH_CACHE] = 0.82 * 2.5e12;
    assert_int_equal(judged(arena, &finding, 2e12).verdict, WATCH_CLEAN);
    // When it falls to 70 %, then all visits are flagged except those that use the link.
    finding.rates[WATCH_CACHE] = 0.7 * 2.5e12;
    struct watch_judgement judgement = judged(arena, &finding, 2e12);
    assert_int_equal(judgement.verdict, WATCH_BUSY);
    assert_string_equal(judgement.text, "a copy in the last cache ran at 70 % of its best rate, so "
                                        "other work used the device");
    assert_int_equal(judgement.link, WATCH_CLEAN);
    assert_null(judgement.link_text);
    arena_destroy(arena);
}

static void a_cache_without_a_yardstick_is_not_judged(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct watch_finding finding = idle_finding();
    finding.rates[WATCH_CACHE] = NAN;
    assert_int_equal(judged(arena, &finding, 2e12).verdict, WATCH_CLEAN);
    arena_destroy(arena);
}

static void a_place_that_is_taken_concerns_all_but_the_link(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct watch_finding finding = idle_finding();
    double best[WATCH_YARDSTICKS] = ALL_UNKNOWN; // there was no watch before
    // Given cores with room for 4224 workgroups, when all of them run, then nothing is flagged.
    finding.limits[WATCH_PLACES] = finding.rates[WATCH_PLACES] = 4224;
    assert_int_equal(watcher_judge(arena, &finding, best).verdict, WATCH_CLEAN);
    // When two of them find no place, then other work occupies a core.
    finding.rates[WATCH_PLACES] = 4222;
    struct watch_judgement judgement = watcher_judge(arena, &finding, best);
    assert_int_equal(judgement.verdict, WATCH_BUSY);
    assert_string_equal(judgement.text, "the cores held 4222 workgroups instead of 4224, so other "
                                        "work has a place on a core");
    assert_int_equal(judgement.link, WATCH_CLEAN);
    arena_destroy(arena);
}

static void traffic_over_the_link_concerns_all_visits(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct watch_finding finding = idle_finding();
    // Given a link of 63 GB/s, then 0.4 GB/s of traffic are no sign of other work.
    finding.link_traffic = 0.4e9;
    assert_int_equal(judged(arena, &finding, 2e12).verdict, WATCH_CLEAN);
    // When 52 GB/s pass over it, then no visit is trusted.
    finding.link_traffic = 52e9;
    struct watch_judgement judgement = judged(arena, &finding, 2e12);
    assert_int_equal(judgement.verdict, WATCH_BUSY);
    assert_int_equal(judgement.link, WATCH_BUSY);
    assert_string_equal(judgement.text, "other work moved 52 GB/s over the card's links");
    arena_destroy(arena);
}

// Given that nobody else allocates, then the used memory does not change, which is no sign of other
// work. When another process allocates, then no visit is trusted.
static void memory_that_others_allocate_concerns_all_visits(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct watch_finding finding = idle_finding();
    finding.memory_change = 0;
    assert_int_equal(judged(arena, &finding, 2e12).verdict, WATCH_CLEAN);
    finding.memory_change = 512.0 * (1 << 20);
    finding.who = "python3 (process 7)";
    struct watch_judgement judgement = judged(arena, &finding, 2e12);
    assert_int_equal(judgement.verdict, WATCH_BUSY);
    assert_int_equal(judgement.link, WATCH_BUSY);
    assert_string_equal(judgement.text,
                        "other work allocated or freed 512 MiB of the card's memory: "
                        "python3 (process 7)");
    arena_destroy(arena);
}

// Given a link of one lane, 1 GB/s, then the traffic of reading the counters is no sign of other
// work, although it is more than 2 % of the link.
static void reading_the_counters_is_no_other_work(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct watch_finding finding = idle_finding();
    finding.limits[WATCH_TO_DEVICE] = finding.limits[WATCH_TO_HOST] = 1e9;
    finding.rates[WATCH_TO_DEVICE] = finding.rates[WATCH_TO_HOST] = 0.9e9;
    finding.link_traffic = 0.17e9;
    assert_int_equal(judged(arena, &finding, 2e12).verdict, WATCH_CLEAN);
    finding.link_traffic = 0.7e9;
    assert_int_equal(judged(arena, &finding, 2e12).verdict, WATCH_BUSY);
    arena_destroy(arena);
}

static void a_busy_host_concerns_only_what_uses_the_link(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    static const struct {
        double used, waited, others_traffic;
        enum watch_verdict link;
        const char *text;
        bool throttled;
    } cases[] = {
        {NAN, NAN, NAN, WATCH_CLEAN, NULL, false}, // nothing is known
        {0.09, 0.04, 1e9, WATCH_CLEAN, NULL, true},
        {0.5, 0, NAN, WATCH_BUSY, "other processes used 50 % of the host's processors", false},
        // another process uses one of many processors of the host: that which fathom uses
        {0.01, 0.5, NAN, WATCH_BUSY,
         "fathom waited for a processor of the host for 50 % of the time", false},
        {0.01, 0.5, NAN, WATCH_BUSY,
         "fathom waited for a processor of the host for 50 % of the time: its container has a "
         "processor limit",
         true},
        {0.03, 0, 55e9, WATCH_BUSY, "other cards of this host moved 55 GB/s over PCI Express",
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct watch_finding finding = idle_finding();
        finding.host_used = cases[i].used;
        finding.host_waited = cases[i].waited;
        finding.others_traffic = cases[i].others_traffic;
        finding.throttled = cases[i].throttled;
        struct watch_judgement judgement = judged(arena, &finding, 2e12);
        assert_int_equal(judgement.verdict, WATCH_CLEAN);
        assert_int_equal(judgement.link, cases[i].link);
        assert_int_equal(judgement.link_is_host, cases[i].text != NULL);
        if (cases[i].text)
            assert_string_equal(judgement.link_text, cases[i].text);
    }
    arena_destroy(arena);
}

// Given a busy host, then a case of the device gets a remark only if a metric depends on the host,
// and cases that use the link are suspect.
static void a_metric_by_the_host_gets_a_remark(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    const struct benchmark device = {.link = false}, link = {.link = true};
    struct watch_finding finding = idle_finding();
    struct reason reason;
    finding.host_used = 0.5;
    struct watch_judgement busy = judged(arena, &finding, 2e12);
    assert_int_equal(watcher_verdict(arena, &device, NULL, &busy, &reason), WATCH_CLEAN);
    assert_int_equal(watcher_verdict(arena, &link, NULL, &busy, &reason), WATCH_BUSY);
    assert_int_equal(watcher_verdict(arena, &device, "skew", &busy, &reason), WATCH_REMARK);
    assert_string_equal(reason.code, REASON_SHARED_HOST);
    assert_string_equal(reason.text, "skew: other processes used 50 % of the host's processors");
    // Given other work on the device as well, then the case is suspect because of that work.
    finding.share = 0.5;
    busy = judged(arena, &finding, 2e12);
    assert_int_equal(watcher_verdict(arena, &device, "skew", &busy, &reason), WATCH_BUSY);
    assert_string_equal(reason.code, REASON_SHARED_DEVICE);
    arena_destroy(arena);
}

// Given other work on the device and on the host, then the reason names the device.
static void a_busy_device_comes_before_a_busy_host(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct watch_finding finding = idle_finding();
    finding.share = 0.49;
    finding.host_used = 0.5;
    struct watch_judgement judgement = judged(arena, &finding, 2e12);
    assert_int_equal(judgement.link, WATCH_BUSY);
    assert_false(judgement.link_is_host);
    assert_string_equal(judgement.link_text, "other work took 49 % of the device's time");
    arena_destroy(arena);
}

static void the_best_rates_are_kept(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    double best[WATCH_YARDSTICKS] = {NAN, NAN, NAN, 60e9, NAN};
    const struct watch_finding finding = idle_finding();
    watcher_judge(arena, &finding, best);
    assert_true(best[WATCH_CORES] == 100 && best[WATCH_TO_DEVICE] == 60e9);
    arena_destroy(arena);
}

static void a_watch_is_due_after_the_given_time_of_visits(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct watcher watcher;
    watcher_init(&watcher, NULL, arena);
    assert_false(watcher_add(&watcher, WATCHER_EVERY_NS - 1));
    assert_true(watcher_add(&watcher, 1));
    watcher.off = true;
    assert_false(watcher_add(&watcher, 1));
    watcher_fini(&watcher);
    arena_destroy(arena);
}

static void a_watch_lies_between_the_first_and_the_last_of_the_rounds(void **state)
{
    (void)state;
    struct watcher watcher = {.off = false};
    // Given rounds so short that no watch is due by time, then one is due before the last of three
    // or five rounds.
    for (unsigned rounds_min = 3; rounds_min <= 5; rounds_min += 2) {
        watcher.rounds = 0;
        for (unsigned round = 1; round < rounds_min - 1; round++)
            assert_false(watcher_add_round(&watcher, rounds_min));
        assert_true(watcher_add_round(&watcher, rounds_min));
    }
    watcher.off = true;
    assert_false(watcher_add_round(&watcher, 3));
}

// ---------------------------------------------------------------- intervals of the clock

static void one_gap_is_counted_with_its_length(void **state)
{
    (void)state;
    double intervals_ns[100], away_ns = 0;
    struct watch_finding finding = {.method = WATCH_GAPS};
    for (int i = 0; i < 100; i++)
        intervals_ns[i] = 40e3 + 64 * (i % 3);
    intervals_ns[41] += 2.48e6;
    watch_add_intervals(intervals_ns, 100, 40e3 + 64, &finding, &away_ns);
    assert_true(fabs(away_ns - 2.48e6) < 200 && fabs(finding.longest_ns - 2.48e6) < 200);
    assert_true(fabs(finding.watched_ns - 6.48e6) < 20e3);
}

static void short_gaps_count_unless_there_is_only_one(void **state)
{
    (void)state;
    double intervals_ns[100], away_ns = 0;
    struct watch_finding finding = {.method = WATCH_GAPS};
    // Given readings 8 µs apart, when a card pauses once for 60 µs, then that is no other work.
    for (int i = 0; i < 100; i++)
        intervals_ns[i] = 8e3;
    intervals_ns[41] += 60e3;
    watch_add_intervals(intervals_ns, 100, 8e3, &finding, &away_ns);
    assert_true(away_ns == 0 && finding.longest_ns == 0);
    // When it pauses twice, then both pauses count.
    intervals_ns[73] += 50e3;
    watch_add_intervals(intervals_ns, 100, 8e3, &finding, &away_ns);
    assert_true(fabs(away_ns - 110e3) < 1 && fabs(finding.longest_ns - 60e3) < 1);
}

static void a_changing_clock_is_no_gap(void **state)
{
    (void)state;
    double intervals_ns[100], away_ns = 0;
    struct watch_finding finding = {.method = WATCH_LENGTHS};
    // Given a clock that begins at the idle clock, and later falls to a third for a while.
    for (int i = 0; i < 100; i++)
        intervals_ns[i] = 78e3 * (i < 10 ? 1980.0 / 345 : i < 60 || i > 80 ? 1 : 3);
    watch_add_intervals(intervals_ns, 100, 78e3, &finding, &away_ns);
    assert_true(away_ns == 0 && finding.longest_ns == 0);
    // When intervals are longer than those on both sides, even two in a row, then these are gaps.
    intervals_ns[40] += 100e3;
    intervals_ns[41] += 100e3;
    intervals_ns[90] += 100e3;
    watch_add_intervals(intervals_ns, 100, 78e3, &finding, &away_ns);
    assert_true(fabs(away_ns - 300e3) < 1 && fabs(finding.longest_ns - 100e3) < 1);
}

static void a_copy_on_a_card_that_dozes_says_nothing(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    for (unsigned copy = WATCH_MEMORY; copy <= WATCH_CACHE; copy++) {
        double fastest_hz = 0, best[WATCH_YARDSTICKS] = ALL_UNKNOWN;
        struct watch_finding awake = {
            .method = WATCH_GAPS, .rates = {1, 100e9, 100e9, NAN, NAN}, .limits = ALL_UNKNOWN};
        struct watch_finding dozing = awake, shared = awake;
        dozing.rates[copy] = shared.rates[copy] = 63e9;
        // Given a copy at full clock, a copy at 802 of 1980 MHz, and a slow copy at full clock.
        yardsticks_drop_slow_clock(1980e6, &fastest_hz, &awake);
        assert_int_equal(watcher_judge(arena, &awake, best).verdict, WATCH_CLEAN);
        yardsticks_drop_slow_clock(802e6, &fastest_hz, &dozing);
        assert_int_equal(watcher_judge(arena, &dozing, best).verdict, WATCH_CLEAN);
        // Then only the slow copy shows other work, even if its clock is not known.
        yardsticks_drop_slow_clock(1965e6, &fastest_hz, &shared);
        yardsticks_drop_slow_clock(NAN, &fastest_hz, &shared);
        assert_int_equal(watcher_judge(arena, &shared, best).verdict, WATCH_BUSY);
    }
    arena_destroy(arena);
}

// ---------------------------------------------------------------- the copy within the last cache

static void a_copy_in_the_cache_takes_a_quarter_of_it(void **state)
{
    (void)state;
    static const struct {
        uint64_t cache, bytes;
        bool known;
    } cases[] = {
        {UINT64_C(60) << 20, UINT64_C(7680) << 10, true}, // an H200
        {UINT64_C(1) << 20, UINT64_C(128) << 10, true},
        {(UINT64_C(33) << 20) + 1000, UINT64_C(4224) << 10, true},
        {UINT64_C(2) << 30, UINT64_C(64) << 20, true}, // limited by the size of the buffers
        {UINT64_C(512) << 10, 0, true},
        {UINT64_C(60) << 20, 0, false},
        {0, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct measure_limits limits = {.last_cache_bytes = cases[i].cache,
                                              .last_cache_known = cases[i].known};
        assert_int_equal(yardsticks_cache_bytes(&limits), cases[i].bytes);
    }
}

static void a_copy_in_the_cache_lasts_as_long_as_one_in_memory(void **state)
{
    (void)state;
    const uint64_t bytes = UINT64_C(8) << 20; // an eighth of the copy in memory
    double rates[WATCH_YARDSTICKS] = {1, 2e12, 4e12, NAN, NAN};
    assert_int_equal(yardsticks_cache_passes(1, bytes, rates), 16);
    // When a later watch finds lower rates, then the number of copies stays.
    rates[WATCH_CACHE] = 1e12;
    assert_int_equal(yardsticks_cache_passes(16, bytes, rates), 16);
    // Given a slow memory, then copies last 0.1 ms. Given a tiny cache, then there are 64 at most.
    rates[WATCH_MEMORY] = 20e9;
    assert_int_equal(yardsticks_cache_passes(1, bytes, rates), 11);
    assert_int_equal(yardsticks_cache_passes(1, 4096, rates), 64);
    // Given no rates, then the number of copies stays.
    rates[WATCH_MEMORY] = rates[WATCH_CACHE] = NAN;
    assert_int_equal(yardsticks_cache_passes(3, bytes, rates), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_on_a_card_that_dozes_says_nothing),
        cmocka_unit_test(an_idle_device_gives_no_reason),
        cmocka_unit_test(a_stolen_percent_is_the_border_between_remark_and_flag),
        cmocka_unit_test(threads_of_a_cpu_device_may_wait_a_little),
        cmocka_unit_test(a_slow_yardstick_shows_what_leaves_no_gap),
        cmocka_unit_test(company_from_the_start_is_seen_by_the_limit),
        cmocka_unit_test(a_busy_link_concerns_only_what_uses_it),
        cmocka_unit_test(a_busy_cache_concerns_all_but_the_link),
        cmocka_unit_test(a_cache_without_a_yardstick_is_not_judged),
        cmocka_unit_test(a_copy_in_the_cache_takes_a_quarter_of_it),
        cmocka_unit_test(a_copy_in_the_cache_lasts_as_long_as_one_in_memory),
        cmocka_unit_test(a_place_that_is_taken_concerns_all_but_the_link),
        cmocka_unit_test(traffic_over_the_link_concerns_all_visits),
        cmocka_unit_test(memory_that_others_allocate_concerns_all_visits),
        cmocka_unit_test(reading_the_counters_is_no_other_work),
        cmocka_unit_test(a_busy_host_concerns_only_what_uses_the_link),
        cmocka_unit_test(a_metric_by_the_host_gets_a_remark),
        cmocka_unit_test(a_busy_device_comes_before_a_busy_host),
        cmocka_unit_test(the_best_rates_are_kept),
        cmocka_unit_test(a_watch_is_due_after_the_given_time_of_visits),
        cmocka_unit_test(a_watch_lies_between_the_first_and_the_last_of_the_rounds),
        cmocka_unit_test(one_gap_is_counted_with_its_length),
        cmocka_unit_test(short_gaps_count_unless_there_is_only_one),
        cmocka_unit_test(a_changing_clock_is_no_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
