// SPDX-License-Identifier: MIT
// What `fathom map` concludes from the points of real devices (reference/). The levels of an H200
// must stay found, even if a change is better on simulated machines.
#include "map/writer.h"
#include "results/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// The runs whose points are judged anew, and the expected first-level cache of each: what shared
// memory leaves of 256 KiB.
static const struct {
    const char *file;
    double first[2], first_ns;
} runs[] = {
    {REFERENCE "/h200-vulkan-map.json", {182 << 10, 200 << 10}, 16.2},
    {REFERENCE "/h200-cuda-map.json", {206 << 10, 226 << 10}, 16.2},
    {REFERENCE "/h200-vulkan-map-2.json.gz", {178 << 10, 226 << 10}, 16.2},
    {REFERENCE "/h200-cuda-map-2.json.gz", {178 << 10, 226 << 10}, 16.2},
    {REFERENCE "/h200-vulkan-map-3.json.gz", {178 << 10, 226 << 10}, 16.2},
    {REFERENCE "/h200-vulkan-map-6.json.gz", {178 << 10, 250 << 10}, 16.2},
    {REFERENCE "/h200-cuda-map-6.json.gz", {178 << 10, 226 << 10}, 16.2},
    {REFERENCE "/h200-opencl-map.json", {206 << 10, 226 << 10}, 19.9},
};

// True for the results that a map adds at its end. They have no samples of their own.
static bool is_conclusion(const struct result *result)
{
    static const char *const whats[] = {MAP_HIERARCHY, MAP_LEVEL, MAP_MEMORY, MAP_TLB, MAP_SHARED};
    for (size_t i = 0; strcmp(result->benchmark, "map") == 0 && i < 5; i++)
        if (case_says(&result->bench_case, "what", whats[i]))
            return true;
    return false;
}

static struct run *measured(const char *file)
{
    struct error err = {.code = ERROR_NONE};
    struct run *run = run_read(file, &err);
    if (!run)
        fail_msg("%s", err.message);
    size_t kept = 0;
    for (size_t i = 0; i < run->result_count; i++)
        if (!is_conclusion(run->results[i]))
            run->results[kept++] = run->results[i];
    run->result_count = kept;
    return run;
}

static void judge(struct run *run)
{
    struct gpu_info device = {.api = "vulkan",
                              .kind = GPU_KIND_DISCRETE,
                              .vendor_id = GPU_VENDOR_NVIDIA,
                              .caps = ~GPU_CAP(VIRTUAL_TIME)};
    snprintf(device.id, sizeof device.id, "%s", run->devices[0].id);
    device.limits.memory_bytes = UINT64_C(140) << 30;
    device.limits.cores = 132;
    device.limits.last_cache_bytes = 60 << 20;
    map_add_results(run, &device);
}

static struct run *judged_anew(const char *file)
{
    struct run *run = measured(file);
    judge(run);
    return run;
}

static const struct metric *metric_of(const struct run *run, const char *key, const char *name)
{
    const struct result *result = run_find(run, run->devices[0].id, key);
    const struct metric *metric = result ? result_metric(result, name) : NULL;
    if (!metric || !isfinite(metric->median))
        fail_msg("no %s of %s: %s", name, key,
                 !result                ? "no such result"
                 : result->reason_count ? result->reasons[0].text
                                        : result_detail(result, name));
    return metric;
}

static void is_within(const struct metric *metric, double low, double high)
{
    if (!(metric->median >= low && metric->median <= high))
        fail_msg("%s %g, not from %g to %g", metric->name, metric->median, low, high);
}

static void the_levels_of_an_h200_are_found_in_its_points(void **state)
{
    (void)state;
    static const char level_1[] = "map/what=level/path=vector/level=1",
                      level_2[] = "map/what=level/path=vector/level=2",
                      level_3[] = "map/what=level/path=vector/level=3",
                      memory[] = "map/what=memory/path=vector";
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct run *run = judged_anew(runs[i].file);
        print_message("%s\n", runs[i].file);
        is_within(metric_of(run, "map/what=hierarchy/path=vector", "levels"), 3, 3);
        is_within(metric_of(run, level_1, "latency"), runs[i].first_ns * 0.98,
                  runs[i].first_ns * 1.02);
        is_within(metric_of(run, level_1, "size"), runs[i].first[0], runs[i].first[1]);
        is_within(metric_of(run, level_1, "line"), 128, 128);
        is_within(metric_of(run, level_2, "latency"), 140, 148);
        is_within(metric_of(run, level_2, "size"), 26e6, 32e6);
        is_within(metric_of(run, level_2, "line"), 128, 128);
        is_within(metric_of(run, level_3, "latency"), 255, 275);
        is_within(metric_of(run, level_3, "size"), 56e6, 65e6);
        is_within(metric_of(run, memory, "latency"), 325, 360);
        run_destroy(run);
    }
}

// Each core has its own level 1, the L2 has two halves. A number may be open, but not wrong.
static void no_wrong_number_of_cores_shares_a_level_of_an_h200(void **state)
{
    (void)state;
    static const double truth[] = {1, 66, 132};
    size_t known = 0;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct run *run = judged_anew(runs[i].file);
        for (size_t k = 0; k < 3; k++) {
            char key[64];
            snprintf(key, sizeof key, "map/what=level/path=vector/level=%zu", k + 1);
            const struct result *level = run_find(run, run->devices[0].id, key);
            const struct metric *sharers = level ? result_metric(level, "sharers") : NULL;
            if (sharers)
                is_within(sharers, truth[k], truth[k]);
            known += k == 0 && sharers;
        }
        run_destroy(run);
    }
    // Runs before version 5 lack most of the probes; OpenCL has none.
    assert_true(known >= 2);
}

static void nothing_is_asserted_from_points_that_other_work_disturbed(void **state)
{
    (void)state;
    // Given a map of which other work disturbed every point,
    struct run *run = measured(REFERENCE "/h200-cuda-map-6.json.gz");
    size_t points = run->result_count;
    for (size_t i = 0; i < points; i++)
        result_flag(run->arena, run->results[i], VERDICT_SUSPECT, "shared-device", "%s", "10 %");
    // when it is judged,
    judge(run);
    // then no conclusion has a metric but the size of shared memory, a bound: the chain fitted.
    assert_true(run->result_count > points);
    for (size_t i = points; i < run->result_count; i++)
        for (size_t m = 0; m < run->results[i]->metric_count; m++)
            if (!case_says(&run->results[i]->bench_case, "what", MAP_SHARED) ||
                strcmp(run->results[i]->metrics[m].name, "size") != 0)
                fail_msg("%s: %s", run->results[i]->key, run->results[i]->metrics[m].name);
    run_destroy(run);
}

static enum verdict verdict_of(const struct run *run, const char *key)
{
    const struct result *result = run_find(run, run->devices[0].id, key);
    if (!result)
        fail_msg("no %s", key);
    return result->verdict;
}

static void a_level_whose_cases_are_mostly_suspect_is_suspect(void **state)
{
    (void)state;
    // Given a map whose cases of code and of small regions are suspect, each for a reason of its
    // own,
    struct run *run = measured(REFERENCE "/h200-cuda-map-6.json.gz");
    for (size_t i = 0; i < run->result_count; i++) {
        struct result *result = run->results[i];
        const struct case_value *bytes = case_find(&result->bench_case, "bytes");
        if (case_says(&result->bench_case, "what", MAP_CODE) || (bytes && bytes->uint < 1 << 20))
            result_flag(run->arena, result, VERDICT_SUSPECT, "imprecise", "%s", "noisy");
    }
    // when it is judged,
    judge(run);
    // then the first level and the instruction caches are suspect, but no level behind them.
    assert_int_equal(verdict_of(run, "map/what=level/path=instruction/level=1"), VERDICT_SUSPECT);
    assert_int_equal(verdict_of(run, "map/what=memory/path=instruction"), VERDICT_SUSPECT);
    assert_int_equal(verdict_of(run, "map/what=level/path=vector/level=1"), VERDICT_SUSPECT);
    assert_int_equal(verdict_of(run, "map/what=level/path=vector/level=3"), VERDICT_OK);
    assert_int_equal(verdict_of(run, "map/what=memory/path=vector"), VERDICT_OK);
    run_destroy(run);
}

static void the_far_half_of_the_l2_has_room_for_reads(void **state)
{
    (void)state;
    // given a near half whose interval ends at 33.2 MB, and 60.9 MB in all
    struct run *run = judged_anew(REFERENCE "/h200-vulkan-map-3.json.gz");
    const struct result *level =
        run_find(run, run->devices[0].id, "map/what=level/path=vector/level=3");
    // then only the reads of the far half are missing, which that run does not have
    assert_non_null(level);
    assert_non_null(strstr(result_detail(level, "bandwidth"), "too few reads"));
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_levels_of_an_h200_are_found_in_its_points),
        cmocka_unit_test(the_far_half_of_the_l2_has_room_for_reads),
        cmocka_unit_test(nothing_is_asserted_from_points_that_other_work_disturbed),
        cmocka_unit_test(a_level_whose_cases_are_mostly_suspect_is_suspect),
        cmocka_unit_test(no_wrong_number_of_cores_shares_a_level_of_an_h200),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
