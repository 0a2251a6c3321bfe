// SPDX-License-Identifier: MIT
// The host's arithmetic, with which kernels are compared. The tests use known properties of the
// results, and do not compute them a second time.
#include "bench/incore/session.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static uint32_t words[2 * INCORE_SLOTS];

static uint64_t slot(unsigned number)
{
    return words[2 * number] | (uint64_t)words[2 * number + 1] << 32;
}

static float f32(unsigned number)
{
    float value;
    memcpy(&value, &words[2 * number], sizeof value);
    return value;
}

static double f64(unsigned number)
{
    uint64_t bits = slot(number);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// IEEE 754 binary16.
static double half(uint32_t bits)
{
    double sign = bits & 0x8000 ? -1 : 1;
    int exponent = bits >> 10 & 31;
    double mantissa = bits & 0x3ff;
    return sign * (exponent ? ldexp(1 + mantissa / 1024, exponent - 15) : ldexp(mantissa, -24));
}

static const struct incore_kind *kind_of(const char *name)
{
    for (size_t i = 0; i < incore_kind_count; i++)
        if (strcmp(incore_kinds[i].name, name) == 0)
            return &incore_kinds[i];
    fail_msg("no operation %s", name);
    return NULL;
}

static void no_steps_leave_what_was_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < incore_kind_count; i++) {
        const struct incore_kind *kind = &incore_kinds[i];
        bool integer = kind->number == INCORE_I32 || kind->number == INCORE_I64;
        bool pair = integer && kind->operation <= INCORE_MUL;
        if (kind->number == INCORE_TILE)
            continue; // for tiles, the words are what is added
        incore_kind_fill(kind, 0, words);
        for (unsigned chain = 0; chain < INCORE_PEAK_CHAINS; chain++)
            if (slot(INCORE_FUSED + chain) != slot((pair ? INCORE_SECOND : INCORE_START) + chain))
                fail_msg("%s: chain %u", kind->name, chain);
    }
}

static void chains_are_different_and_stay_so_where_they_should(void **state)
{
    static const char *const names[] = {"fp32-fma",  "fp64-fma",  "fp32-add",  "fp32-mul",
                                        "int32-add", "int32-mad", "int32-mul", "int64-mul"};
    (void)state;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        incore_kind_fill(kind_of(names[n]), 100000, words);
        for (unsigned a = 0; a < INCORE_PEAK_CHAINS; a++)
            for (unsigned b = 0; b < a; b++)
                if (slot(INCORE_FUSED + a) == slot(INCORE_FUSED + b))
                    fail_msg("%s: chains %u and %u end alike", names[n], a, b);
    }
}

static void fused_and_rounded_part_ways_and_stay_bounded(void **state)
{
    (void)state;
    incore_kind_fill(kind_of("fp32-fma"), 1000, words);
    for (unsigned chain = 0; chain < INCORE_PEAK_CHAINS; chain++) {
        assert_true(fabsf(f32(INCORE_FUSED + chain)) < 2);
        assert_true(fabsf(f32(INCORE_ROUNDED + chain)) < 2);
        assert_int_not_equal(slot(INCORE_FUSED + chain), slot(INCORE_ROUNDED + chain));
    }
    incore_kind_fill(kind_of("fp64-fma"), 1000000, words);
    assert_true(fabs(f64(INCORE_FUSED)) < 2 && fabs(f64(INCORE_FUSED)) > 1e-9);
}

static void a_half_is_the_nearest_one(void **state)
{
    (void)state;
    incore_kind_fill(kind_of("fp16x2-fma"), 1, words);
    for (unsigned i = 0; i < 2 * INCORE_PEAK_CHAINS; i++) {
        unsigned chain = i / 2, shift = i % 2 * 16;
        double x = half((uint32_t)slot(INCORE_START + chain) >> shift & 0xffff);
        double b = half((uint32_t)slot(INCORE_B) >> shift & 0xffff);
        double seen = half((uint32_t)slot(INCORE_FUSED + chain) >> shift & 0xffff);
        double exact = x * x + b;
        assert_true(fabs(seen - exact) <= ldexp(1, ilogb(exact) - 11));
    }
    incore_kind_fill(kind_of("fp16-fma"), 1, words);
    assert_int_equal(slot(INCORE_FUSED) >> 16, 0);
}

static void functions_come_to_their_fixed_values(void **state)
{
    (void)state;
    incore_kind_fill(kind_of("fp32-exp2"), 100000, words);
    assert_true(fabsf(f32(INCORE_FUSED) - 0.6411857f) < 1e-6f); // 2^−x = x
    incore_kind_fill(kind_of("fp32-sqrt"), 100000, words);
    assert_true(fabsf(f32(INCORE_FUSED) - 1) < 1e-6f);
    incore_kind_fill(kind_of("fp32-sin"), 100000, words);
    assert_true(fabsf(f32(INCORE_FUSED) - 0.7681691f) < 1e-6f); // cos sin x = x
    incore_kind_fill(kind_of("fp64-div"), 100001, words);
    assert_true(fabs(f64(INCORE_FUSED) - 3.1 / f64(INCORE_START)) < 1e-12); // odd number of steps
    incore_kind_fill(kind_of("fp32-add-rcp"), 100000, words);
    assert_true(fabsf(f32(INCORE_FUSED) - 0.2945867f) < 1e-6f); // 1 / (x + 3.1) = x
    incore_kind_fill(kind_of("int32-popcount"), 100, words);
    assert_int_equal(slot(INCORE_FUSED), 1);
}

static void integers_step_as_written(void **state)
{
    (void)state;
    incore_kind_fill(kind_of("int32-mad"), 1, words);
    assert_int_equal((uint32_t)slot(INCORE_FUSED),
                     (uint32_t)slot(INCORE_START) * (uint32_t)slot(INCORE_A) +
                         (uint32_t)slot(INCORE_B));
    incore_kind_fill(kind_of("int32-shift"), 64, words);
    assert_int_equal(slot(INCORE_FUSED), slot(INCORE_START) & 0x1fffffff);
    incore_kind_fill(kind_of("int64-add"), 4, words); // x + y, x + 2y, 2x + 3y, 3x + 5y
    assert_true(slot(INCORE_FUSED) == 3 * slot(INCORE_START) + 5 * slot(INCORE_SECOND));
    incore_kind_fill(kind_of("int32-mul"), 2, words); // xy, xy²
    uint32_t x = (uint32_t)slot(INCORE_START), y = (uint32_t)slot(INCORE_SECOND);
    assert_int_equal((uint32_t)slot(INCORE_FUSED), x * y * y);
}

static void dot_products_are_sums_of_products(void **state)
{
    (void)state;
    incore_kind_fill(kind_of("int8-dot4"), 1, words);
    uint32_t x = (uint32_t)slot(INCORE_START + 2), sum = (uint32_t)slot(INCORE_B);
    for (unsigned byte = 0; byte < 4; byte++)
        sum += ((const uint8_t *)&x)[byte] * ((const uint8_t *)&words[2 * INCORE_A])[byte];
    assert_int_equal(slot(INCORE_FUSED + 2), sum);
    double d = 8, e = 26; // of the eighth chain
    for (unsigned steps = 0; steps < 20; steps++) {
        incore_kind_fill(kind_of("fp16x2-dot"), steps, words);
        uint32_t seen = (uint32_t)slot(INCORE_FUSED + 7);
        assert_true(half(seen & 0xffff) == d && half(seen >> 16) == e);
        double a = half(words[2 * INCORE_A] & 0xffff), b = half(words[2 * INCORE_A] >> 16);
        double next = d * a + e * b;
        e = d;
        d = next;
    }
}

static void two_numbers_step_side_by_side(void **state)
{
    (void)state;
    incore_kind_fill(kind_of("fp32-int32-mixed"), 1, words);
    float began = f32(INCORE_START + 1), ended = f32(INCORE_FUSED + 1);
    assert_true(ended == fmaf(began, began, f32(INCORE_B)));
    assert_int_equal(words[2 * INCORE_FUSED + 3], words[2 * INCORE_START + 3] << 3);
    incore_kind_fill(kind_of("fp32-int32-mixed"), 4, words);
    assert_int_equal(words[2 * INCORE_FUSED + 3], words[2 * INCORE_START + 3] & 0x1fffffff);
}

static void lanes_of_a_subgroup_step_together(void **state)
{
    (void)state;
    incore_kind_fill(kind_of("subgroup-shuffle"), 7, words);
    assert_int_equal(slot(INCORE_FUSED + 4), slot(INCORE_START + 5));
    incore_kind_fill(kind_of("subgroup-vote"), 7, words);
    assert_int_equal(slot(INCORE_FUSED + 4), slot(INCORE_START + 4) ^ 5);
    incore_kind_fill(kind_of("subgroup-min"), 7, words);
    assert_int_equal(slot(INCORE_FUSED + 4), slot(INCORE_START + 4) + 21);
    for (unsigned chain = 0; chain < INCORE_PEAK_CHAINS; chain++) // no sum wraps
        assert_true(slot(INCORE_START + chain) < UINT32_MAX / 2);
}

static void tiles_grow_by_what_rows_and_columns_give(void **state)
{
    (void)state;
    incore_kind_fill(kind_of("fp16-mma"), 1000, words);
    assert_true(half((uint32_t)slot(INCORE_A) & 0xffff) == 0.25);
    assert_true(half((uint32_t)(slot(INCORE_B) >> 32) & 0xffff) == 0.5);
    assert_true(f32(INCORE_SECOND) == 1000 * 16 * 0.25f * 0.25f);
    incore_kind_fill(kind_of("bf16-wgmma"), 1000, words);
    assert_int_equal(slot(INCORE_A) & 0xffff, 0x3e80); // 0.25 in BF16: upper half of its FP32 bits
    assert_true(f32(INCORE_SECOND) == 1000 * 16 * 0.25f * 0.25f);
    incore_kind_fill(kind_of("fp8-wgmma"), 1000, words);
    assert_true(f32(INCORE_SECOND) == 32 * 0.25f * 0.25f); // every second step subtracts
}

static double limit_of(const char *name, const struct measure_limits *limits)
{
    return limits->results_per_cycle[incore_kind_class(kind_of(name))];
}

static void limits_belong_to_what_the_units_do(void **state)
{
    const struct measure_limits limits = {.results_per_cycle[MEASURE_FP32] = 128,
                                          .results_per_cycle[MEASURE_FP64] = 64,
                                          .results_per_cycle[MEASURE_FP16] = 256,
                                          .results_per_cycle[MEASURE_INT32_MAD] = 63,
                                          .results_per_cycle[MEASURE_FP16_MATRIX] = 2048,
                                          .results_per_cycle[MEASURE_FP8_MATRIX] = 4096};
    (void)state;
    assert_true(limit_of("fp32-mul", &limits) == 128);
    assert_true(limit_of("fp64-fma", &limits) == 64);
    assert_true(limit_of("fp16x2-fma", &limits) == 256);
    assert_true(limit_of("int32-mad", &limits) == 63);
    assert_true(limit_of("bf16-mma", &limits) == 2048);
    assert_true(limit_of("fp8-wgmma", &limits) == 4096);
    assert_true(limit_of("fp16x2-dot", &limits) == 0);
    assert_true(limit_of("fp32-int32-mixed", &limits) == 0);
    assert_true(limit_of("fp32-add-rcp", &limits) == 0);
    assert_true(limit_of("int32-add", &limits) == 0);
}

static double claimed_by(const char *name, uint32_t chains, enum gpu_counter counter)
{
    for (size_t i = 0; i < incore_kind_count; i++)
        if (strcmp(incore_kinds[i].name, name) == 0)
            return incore_kind_claims(&incore_kinds[i], chains, 1000).of[counter];
    fail_msg("no operation %s", name);
    return 0;
}

static double claimed(const char *name, enum gpu_counter counter)
{
    return claimed_by(name, 1, counter);
}

// Counted on an H200: 2, 4 or 8 chains take half as many instructions as one.
static void two_chains_of_single_halves_share_instructions(void **state)
{
    (void)state;
    assert_true(claimed_by("fp16-fma", 8, GPU_COUNTER_INSTRUCTIONS_FP16) == 500);
    assert_true(claimed_by("fp16-fma", 1, GPU_COUNTER_INSTRUCTIONS_FP16) == 1000);
    assert_true(claimed_by("fp16x2-fma", 8, GPU_COUNTER_INSTRUCTIONS_FP16) == 1000);
    assert_true(claimed_by("fp32-fma", 8, GPU_COUNTER_INSTRUCTIONS_FP32) == 1000);
}

// This includes FP16: a single value or a pair is one instruction.
static void a_step_claims_one_instruction_of_its_class(void **state)
{
    (void)state;
    assert_true(claimed("fp32-fma", GPU_COUNTER_INSTRUCTIONS_FP32) == 1000);
    assert_true(claimed("fp32-add", GPU_COUNTER_INSTRUCTIONS_FP32) == 1000);
    assert_true(claimed("fp64-mul", GPU_COUNTER_INSTRUCTIONS_FP64) == 1000);
    assert_true(claimed("fp16-fma", GPU_COUNTER_INSTRUCTIONS_FP16) == 1000);
    assert_true(claimed("fp16x2-fma", GPU_COUNTER_INSTRUCTIONS_FP16) == 1000);
    assert_true(claimed("int32-mad", GPU_COUNTER_INSTRUCTIONS_FMA) == 1000);
    assert_true(claimed("int8-dot4", GPU_COUNTER_INSTRUCTIONS_FMA) == 1000);
    assert_true(claimed("int32-shift", GPU_COUNTER_INSTRUCTIONS_INT) == 1000);
    assert_true(claimed("subgroup-shuffle", GPU_COUNTER_INSTRUCTIONS_MEMORY) == 1000);
    assert_true(isnan(claimed("fp32-sin", GPU_COUNTER_INSTRUCTIONS_FP32)));
    assert_true(isnan(claimed("fp32-fma", GPU_COUNTER_INSTRUCTIONS_FMA)));
}

// An instruction of the matrix units computes 16 × 8 × 16 products.
static void a_tile_claims_an_instruction_for_each_sixteen_by_eight(void **state)
{
    (void)state;
    assert_true(claimed("fp16-matrix", GPU_COUNTER_INSTRUCTIONS_MATRIX) == 2000);
    assert_true(claimed("bf16-mma", GPU_COUNTER_INSTRUCTIONS_MATRIX) == 1000);
    assert_true(claimed("fp8-wgmma", GPU_COUNTER_INSTRUCTIONS_MATRIX) == 1000);
    assert_true(isnan(claimed("e4m3-mma", GPU_COUNTER_INSTRUCTIONS_MATRIX)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_claims_one_instruction_of_its_class),
        cmocka_unit_test(two_chains_of_single_halves_share_instructions),
        cmocka_unit_test(a_tile_claims_an_instruction_for_each_sixteen_by_eight),
        cmocka_unit_test(no_steps_leave_what_was_there),
        cmocka_unit_test(chains_are_different_and_stay_so_where_they_should),
        cmocka_unit_test(fused_and_rounded_part_ways_and_stay_bounded),
        cmocka_unit_test(a_half_is_the_nearest_one),
        cmocka_unit_test(functions_come_to_their_fixed_values),
        cmocka_unit_test(integers_step_as_written),
        cmocka_unit_test(dot_products_are_sums_of_products),
        cmocka_unit_test(two_numbers_step_side_by_side),
        cmocka_unit_test(lanes_of_a_subgroup_step_together),
        cmocka_unit_test(tiles_grow_by_what_rows_and_columns_give),
        cmocka_unit_test(limits_belong_to_what_the_units_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
