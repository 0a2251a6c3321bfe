// SPDX-License-Identifier: MIT
// The cases that `strides` plans, the places of their loads, and the check of results.
#include "bench/strides/session.h"
#include "case_text.h"
#include "planned.h"

#include <stdlib.h>
#include <string.h>

extern const struct benchmark bench_strides;

// ---------------------------------------------------------------- the plan

static struct planned begin(void)
{
    return (struct planned){
        .benchmark = &bench_strides, .arena = arena_create(), .info = {.kind = GPU_KIND_DISCRETE}};
}

static size_t count_of(const struct planned *planned, const char *pattern)
{
    size_t count = 0;
    for (size_t i = 0; i < planned->list.count; i++)
        count += strcmp(case_text(&planned->list.cases[i], "pattern"), pattern) == 0;
    return count;
}

static void standard_has_the_whole_tableau(void **state)
{
    (void)state;
    struct planned planned = begin();
    assert_true(plan(&planned, "standard", NULL));
    assert_int_equal(count_of(&planned, "stride"), 3 * 128);
    assert_int_equal(count_of(&planned, "block"), 3 * 7);
    assert_int_equal(count_of(&planned, "banks"), 64 + 1);
    arena_destroy(planned.arena);
}

static void full_has_it_at_every_offset(void **state)
{
    (void)state;
    struct planned planned = begin();
    size_t said = 0;
    assert_true(plan(&planned, "full", NULL));
    assert_int_equal(count_of(&planned, "stride"), 3 * 3 * 128);
    assert_int_equal(count_of(&planned, "block"), 3 * 7);
    for (size_t i = 0; i < planned.list.count; i++)
        said += case_find(&planned.list.cases[i], "offset") != NULL;
    assert_int_equal(said, 2 * 3 * 128); // loads at the start of lines keep their keys
    arena_destroy(planned.arena);
}

static void quick_is_a_handful(void **state)
{
    (void)state;
    struct planned planned = begin();
    assert_true(plan(&planned, "quick", NULL));
    assert_true(planned.list.count <= 25);
    assert_int_equal(count_of(&planned, "banks"), 7);
    arena_destroy(planned.arena);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const char *const sets[] = {"width=12", "stride=1025", "across=0", "route=auto,storage"};
    struct planned planned = begin();
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        assert_false(plan(&planned, "standard", sets[i]));
        assert_int_equal(planned.err.code, ERROR_USAGE);
    }
    arena_destroy(planned.arena);
}

// ---------------------------------------------------------------- the work

static const struct gpu_info warps = {.kind = GPU_KIND_DISCRETE,
                                      .caps = GPU_CAP(ADDRESSES) | GPU_CAP(INT64),
                                      .limits = {.subgroup_threads = 32}};

// If `offset` is NULL, the case has none.
static struct strides_case offset_point_of(const char *pattern, unsigned width, unsigned place,
                                           const char *offset, const struct gpu_info *info)
{
    bool block = strcmp(pattern, "block") == 0;
    struct case_value values[] = {
        case_text_of(&bench_strides, "pattern", pattern),
        {.key = "width", .type = PARAM_UINT, .uint = width},
        {.key = block ? "across" : "stride", .type = PARAM_UINT, .uint = place},
        case_text_of(&bench_strides, "route", "auto"),
        case_text_of(&bench_strides, "offset", offset ? offset : "line"),
    };
    struct strides_case this_case;
    strides_case_read(&(struct bench_case){values, offset ? 5 : 4}, info, &this_case);
    return this_case;
}

static struct strides_case point_of(const char *pattern, unsigned width, unsigned place,
                                    const struct gpu_info *info)
{
    return offset_point_of(pattern, width, place, NULL, info);
}

static void a_subgroup_has_addresses_of_its_own(void **state)
{
    (void)state;
    struct gpu_info info = warps;
    struct strides_case this_case = point_of("stride", 4, 3, &info);
    assert_true(this_case.across == 32 && this_case.stride == 3 && this_case.address);
    info.limits.subgroup_threads = 8;
    assert_int_equal(point_of("stride", 4, 3, &info).across, 32);
    info.limits.subgroup_threads = 0; // not known
    assert_int_equal(point_of("stride", 4, 3, &info).across, 64);
    info.kind = GPU_KIND_CPU;
    assert_false(point_of("stride", 4, 3, &info).address);
}

static void the_footprint_is_the_lines_touched(void **state)
{
    (void)state;
    struct strides_case this_case = point_of("stride", 4, 1, &warps);
    assert_int_equal(strides_footprint_bytes(&this_case),
                     32 * 128); // 32 loads, each of one line of 32 floats
    this_case = point_of("stride", 4, 32, &warps);
    assert_int_equal(strides_footprint_bytes(&this_case), (32 + 31) * 128);
    this_case = point_of("stride", 16, 128, &warps);
    assert_int_equal(strides_footprint_bytes(&this_case), 32 * 8 * 128);
    this_case = point_of("block", 16, 1024, &warps); // the last load begins 28 elements later
    assert_int_equal(strides_footprint_bytes(&this_case), (1024 + 28) * 16 / 128 * 128 + 128);
    this_case = point_of("banks", 4, 1, &warps);
    assert_int_equal(strides_footprint_bytes(&this_case), 0);
}

// No case loads beyond the buffer.
static void the_farthest_load_is_within_the_buffer(void **state)
{
    (void)state;
    struct gpu_info waves = warps;
    waves.limits.subgroup_threads = 64;
    const struct strides_case points[] = {
        point_of("stride", 16, STRIDES_STRIDE_MAX, &waves),
        offset_point_of("stride", 16, STRIDES_STRIDE_MAX, "original", &waves),
        offset_point_of("stride", 16, STRIDES_STRIDE_MAX, "random", &waves),
        point_of("block", 16, 1, &waves), point_of("block", 16, STRIDES_ACROSS_MAX, &waves)};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        struct strides_params p = strides_params_of(&points[i], 1);
        uint64_t rows =
            STRIDES_THREADS / p.across < STRIDES_ROWS ? STRIDES_THREADS / p.across : STRIDES_ROWS;
        uint64_t last = (uint64_t)(p.across - 1) * p.step + (rows - 1) * p.pitch;
        assert_true(last * 16 + (points[i].loads + 1) * STRIDES_LINE_BYTES <= STRIDES_BUFFER_BYTES);
    }
    assert_true((STRIDES_LANES_MAX - 1) * STRIDES_SHARED_STRIDE_MAX +
                    (point_of("banks", 4, 1, &waves).loads - 1) * STRIDES_SHARED_APART <
                STRIDES_SHARED_WORDS);
}

// Where the loads of a thread begin, in elements after its first one, by hand.
static void loads_lie_where_the_offset_says(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *offset;
        unsigned width, loads;
        uint32_t after[4]; // of loads 0, 1, 2 and the last
    } expected[] = {
        {"stride", NULL, 4, 32, {0, 32, 64, 31 * 32}},
        {"stride", "line", 8, 16, {0, 16, 32, 15 * 16}},
        {"stride", "original", 4, 8, {0, 4, 8, 28}},
        {"stride", "original", 16, 8, {0, 4, 8, 28}},
        {"stride", "random", 4, 32, {5, 32 + 16, 64 + 27, 31 * 32 + (31 * 11 + 5) % 32}},
        {"block", NULL, 4, 32, {0, 4, 8, 124}},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct strides_case this_case =
            offset_point_of(expected[i].pattern, expected[i].width, 3, expected[i].offset, &warps);
        const uint32_t numbers[] = {0, 1, 2, expected[i].loads - 1};
        assert_int_equal(this_case.loads, expected[i].loads);
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(strides_element(&this_case, 0, numbers[k]), expected[i].after[k]);
    }
    // In the original, 64 threads have addresses of their own, even if a subgroup has 32.
    assert_int_equal(offset_point_of("stride", 4, 3, "original", &warps).across, 64);
}

// 32 loads begin at all 32 floats of a line.
static void random_offsets_are_all_places_of_a_line(void **state)
{
    (void)state;
    struct strides_case this_case = offset_point_of("stride", 4, 3, "random", &warps);
    uint32_t seen = 0;
    for (uint32_t k = 0; k < 32; k++)
        seen |= 1u << strides_element(&this_case, 0, k) % 32;
    assert_true(seen == 0xffffffff);
}

// Computes what the kernels do.
static void load(const struct strides_case *this_case, uint32_t iterations, uint32_t *words)
{
    for (uint32_t t = 0; t < STRIDES_THREADS; t++)
        for (uint32_t i = 0; i < iterations * STRIDES_TURN_LOADS / this_case->loads; i++)
            for (uint32_t k = 0; k < this_case->loads; k++) {
                uint32_t byte =
                    t % 32 * this_case->stride * this_case->width + k * STRIDES_LINE_BYTES;
                for (uint32_t w = 0; w < this_case->width / 4; w++)
                    words[t] += strides_data(byte / 4 + w);
            }
    words[STRIDES_THREADS]++;
}

static void sums_are_checked_thread_by_thread(void **state)
{
    (void)state;
    struct error err;
    struct strides_case this_case = point_of("stride", 16, 5, &warps);
    uint32_t words[STRIDES_WORDS] = {0};
    load(&this_case, 3, words);
    load(&this_case, 3, words);
    const struct measure_ran one = {.units = 1}, two = {.units = 2}, three = {.units = 3};
    assert_true(strides_check(&this_case, 3, words, &two, &err));
    assert_false(strides_check(&this_case, 3, words, &three, &err)); // the words are of fewer runs
    assert_int_equal(err.code, ERROR_MISMATCH);
    assert_false(strides_check(&this_case, 3, words, &one, &err)); // the words are of more runs
    assert_int_equal(err.code, ERROR_MISMATCH);
    // the words are of fewer iterations
    assert_false(strides_check(&this_case, 4, words, &two, &err));
    words[1000] ^= 1;
    assert_false(strides_check(&this_case, 3, words, &two, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    assert_non_null(strstr(err.message, "thread 1000"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_has_the_whole_tableau),
        cmocka_unit_test(full_has_it_at_every_offset),
        cmocka_unit_test(quick_is_a_handful),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(a_subgroup_has_addresses_of_its_own),
        cmocka_unit_test(the_footprint_is_the_lines_touched),
        cmocka_unit_test(the_farthest_load_is_within_the_buffer),
        cmocka_unit_test(loads_lie_where_the_offset_says),
        cmocka_unit_test(random_offsets_are_all_places_of_a_line),
        cmocka_unit_test(sums_are_checked_thread_by_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
