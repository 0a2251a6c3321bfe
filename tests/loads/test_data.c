// SPDX-License-Identifier: MIT
// The table of loads and the data that loads find, without a device.
#include "bench/loads/session.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_loads;

static size_t count_of(const char *labels, char separator)
{
    size_t count = 0;
    for (; *labels; labels++)
        count += *labels == separator;
    return count;
}

static void the_published_table_has_46_rows_and_3_patterns(void **state)
{
    (void)state;
    assert_int_equal(count_of(loads_labels_published, ','), 46);
    assert_int_equal(count_of(loads_labels_all, ','), loads_kind_count);
    assert_int_equal(count_of(loads_choices, '|'), loads_kind_count);
    assert_int_equal(count_of(bench_loads.info.params[1].standard, ',') + 1, 3);
    assert_int_equal(count_of(bench_loads.info.params[1].full, ',') + 1, 4);
}

static void every_label_is_one_row(void **state)
{
    (void)state;
    for (size_t i = 0; i < loads_kind_count; i++)
        assert_ptr_equal(loads_kind_find(loads_kinds[i].label), &loads_kinds[i]);
    assert_null(loads_kind_find("Buffer<R9>.Load"));
    assert_int_equal(loads_baseline()->format, GPU_FORMAT_RGBA8_UNORM);
    assert_int_equal(loads_baseline()->source, LOADS_FROM_TYPED);
}

static void formats_and_widths_agree(void **state)
{
    (void)state;
    for (size_t i = 0; i < loads_kind_count; i++) {
        const struct loads_kind *kind = &loads_kinds[i];
        enum loads_resource resource = loads_traits_of(kind)->resource;
        if ((resource != LOADS_BY_TYPED && resource != LOADS_BY_IMAGE) ||
            kind->source == LOADS_FROM_GATHER || kind->data == LOADS_PACKED)
            continue;
        assert_int_equal(gpu_format_channels(kind->format), kind->width);
        assert_int_equal(gpu_format_bytes(kind->format), (unsigned)loads_bytes(kind));
    }
}

// Returns the value of a half by its definition.
static double half_value(uint16_t bits)
{
    double mantissa = 1 + (bits & 1023) / 1024.0;
    double value = ldexp(mantissa, (bits >> 10 & 31) - 15);
    return bits >> 15 ? -value : value;
}

static double decode(const struct loads_kind *kind, const unsigned char *memory, unsigned number)
{
    uint16_t half;
    float single;
    uint32_t word;
    switch (kind->data) {
    case LOADS_UNORM8:
        return memory[number] / 255.0;
    case LOADS_FLOAT16:
        memcpy(&half, memory + number * sizeof half, sizeof half);
        return half_value(half);
    case LOADS_FLOAT32:
        memcpy(&single, memory + number * sizeof single, sizeof single);
        return (double)single;
    case LOADS_UINT32:
        memcpy(&word, memory + number * sizeof word, sizeof word);
        return word;
    case LOADS_UINT8:
        return memory[number];
    case LOADS_PACKED:
        break;
    }
    return NAN;
}

static void memory_holds_the_values_none_of_them_zero(void **state)
{
    (void)state;
    for (size_t i = 0; i < loads_kind_count; i++) {
        const struct loads_kind *kind = &loads_kinds[i];
        if (kind->data == LOADS_PACKED)
            continue; // only devices decode them
        struct arena *arena = arena_create();
        size_t bytes;
        unsigned char *memory = loads_encode(arena, kind, &bytes);
        // A gather returns one channel of four texels.
        unsigned channels =
            kind->source == LOADS_FROM_GATHER ? gpu_format_channels(kind->format) : kind->width;
        unsigned elements = LOADS_ELEMENTS;
        for (unsigned level = 1; level < loads_levels(kind); level++)
            elements += (unsigned)LOADS_ELEMENTS >> 2 * level;
        assert_true(bytes >= kind->start_bytes + (size_t)elements * channels *
                                                     (size_t)loads_bytes(kind) / kind->width);
        for (unsigned number = 0; number < elements * channels; number++) {
            double value = decode(kind, memory + kind->start_bytes, number);
            assert_true(value != 0 && isfinite(value));
            assert_true(value == loads_value(kind, number / channels, number % channels));
        }
        arena_destroy(arena);
    }
}

static bool is_filtered(const struct loads_kind *kind)
{
    return loads_traits_of(kind)->filters > 0;
}

// A filtered sum lies between the sums of the least and of the greatest value.
static void filters_blend_what_the_format_holds(void **state)
{
    (void)state;
    float sums[LOADS_THREADS], centred[LOADS_THREADS];
    for (size_t i = 0; i < loads_kind_count; i++) {
        const struct loads_kind *kind = &loads_kinds[i];
        if (!is_filtered(kind))
            continue;
        double least = INFINITY, most = -INFINITY, weight = kind->width * kind->width;
        for (unsigned e = 0; e < LOADS_ELEMENTS * 5 / 4; e++)
            for (unsigned c = 0; c < kind->width; c++) {
                least = fmin(least, loads_value(kind, e, c));
                most = fmax(most, loads_value(kind, e, c));
            }
        loads_expect(kind, LOADS_LINEAR, sums);
        for (unsigned id = 0; id < LOADS_THREADS; id++) {
            assert_true((double)sums[id] > LOADS_A_THREAD * weight * least);
            assert_true((double)sums[id] < LOADS_A_THREAD * weight * most);
        }
    }
    // The result of a wrong filter is beyond the tolerance for at least one thread.
    const struct loads_kind *trilinear = loads_kind_find("Texture2D<RGBA8>.Sample(trilinear)");
    const struct loads_kind *offset = loads_kind_find("Texture2D<RGBA8>.Sample(off-centre)");
    loads_expect(loads_kind_find("Texture2D<RGBA8>.Sample(bilinear)"), LOADS_LINEAR, centred);
    const struct loads_kind *const others[] = {trilinear, offset};
    for (size_t i = 0; i < 2; i++) {
        unsigned apart = 0;
        loads_expect(others[i], LOADS_LINEAR, sums);
        for (unsigned id = 0; id < LOADS_THREADS; id++)
            apart += fabsf(sums[id] - centred[id]) > loads_tolerance(others[i]);
        assert_true(apart > 0);
    }
}

// Every value is above 0, and many differ from the first value of their block.
static void packed_formats_hold_more_than_one_value_a_block(void **state)
{
    (void)state;
    for (size_t i = 0; i < loads_kind_count; i++) {
        const struct loads_kind *kind = &loads_kinds[i];
        if (kind->data != LOADS_PACKED)
            continue;
        unsigned different = 0;
        for (unsigned e = 0; e < LOADS_ELEMENTS; e++) {
            unsigned corner = e / LOADS_SIDE / 4 * 4 * LOADS_SIDE + e % LOADS_SIDE / 4 * 4;
            double value = loads_value(kind, e, 0);
            assert_true(value > 0 && value <= 2);
            different +=
                value < loads_value(kind, corner, 0) || value > loads_value(kind, corner, 0);
        }
        assert_true(different > LOADS_ELEMENTS / 4);
    }
}

// A filter may weigh the texels around a point in any way, if it weighs alike everywhere: a tile
// has the same sum. Texels of further levels would give another sum.
static void what_an_anisotropic_sample_finds_does_not_depend_on_its_weights(void **state)
{
    (void)state;
    for (size_t i = 0; i < loads_kind_count; i++) {
        const struct loads_kind *kind = &loads_kinds[i];
        float sums[LOADS_THREADS], random[LOADS_THREADS];
        if (kind->source != LOADS_FROM_STRETCHED)
            continue;
        loads_expect(kind, LOADS_LINEAR, sums);
        loads_expect(kind, LOADS_RANDOM, random);
        double small = 0, weight = 0;
        for (unsigned c = 0; c < kind->width; c++) {
            weight = 1 + 2 * c;
            for (unsigned e = 0; e < LOADS_ELEMENTS / 4; e++)
                small += weight * loads_value(kind, LOADS_ELEMENTS + e, c);
        }
        for (unsigned id = 0; id < LOADS_THREADS; id++) {
            assert_float_equal(sums[id], sums[0], 0.001f);
            assert_float_equal(random[id], sums[0], 0.001f);
        }
        assert_true((double)sums[0] - small > (double)loads_tolerance(kind));
    }
}

// Each begins at one of 256; by chance, 256 × (1 − 1/e) = 162 are used, and neighbours are apart.
static void scattered_threads_begin_anywhere(void **state)
{
    (void)state;
    unsigned used = 0, steps = 0;
    bool seen[LOADS_THREADS] = {false};
    struct loads_start start =
        loads_start_of(loads_kind_find("Buffer<RGBA8>.Load"), LOADS_SCATTERED);
    for (unsigned id = 0; id < LOADS_THREADS; id++) {
        unsigned first = loads_first(start, id, id), next = loads_first(start, id + 1, id + 1);
        assert_true(first < LOADS_THREADS);
        used += !seen[first];
        seen[first] = true;
        steps += next == first + 1;
    }
    assert_in_range(used, 140, 185);
    assert_in_range(steps, 0, 5);
}

static void threads_begin_where_the_published_tool_lets_them(void **state)
{
    (void)state;
    static const unsigned random[] = {0, 3, 6, 9, 12, 15, 2, 5, 8, 11, 14, 1, 4, 7, 10, 13};
    static const unsigned tile[] = {0, 0, 4, 0, 4, 4, 0, 4};
    const struct loads_kind *row = loads_kind_find("Buffer<RGBA8>.Load");
    const struct loads_kind *texture = loads_kind_find("Texture2D<R8>.Load");
    struct loads_start start = loads_start_of(row, LOADS_RANDOM);
    for (unsigned id = 0; id < LOADS_THREADS; id++)
        assert_int_equal((id * start.multiplier) & start.keep, random[id % 16]);
    start = loads_start_of(texture, LOADS_RANDOM);
    for (unsigned id = 0; id < LOADS_TILE; id++)
        assert_int_equal((id * start.multiplier) & start.keep, tile[id % 8]);
    start = loads_start_of(row, LOADS_UNIFORM);
    assert_int_equal((77 * start.multiplier) & start.keep, 0);
}

// Sums of floats are exact in whatever order a kernel adds: all partial sums are multiples of 1/64,
// at most 2^24 times 1/64.
static void sums_of_floats_are_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < loads_kind_count; i++) {
        const struct loads_kind *kind = &loads_kinds[i];
        if (kind->data == LOADS_UNORM8 || kind->data == LOADS_PACKED)
            continue;
        double most = 0;
        for (unsigned c = 0; c < kind->width; c++)
            for (unsigned e = 0; e < LOADS_ELEMENTS; e++)
                most = fmax(most, fabs(loads_value(kind, e, c)));
        double weight = kind->width * kind->width; // sum of the weights 1, 3, 5, …
        double grain = kind->data == LOADS_UINT32 || kind->data == LOADS_UINT8 ? 1 : 64;
        assert_true(most * grain * LOADS_A_THREAD * weight <= ldexp(1, 24));
        if (!is_filtered(kind))
            assert_true(loads_tolerance(kind) <= 0);
    }
}

// For many threads, two patterns differ by more than the tolerance for normalised numbers.
static void sums_of_different_patterns_are_told_apart(void **state)
{
    (void)state;
    for (size_t i = 0; i < loads_kind_count; i++) {
        const struct loads_kind *kind = &loads_kinds[i];
        float linear[LOADS_THREADS], random[LOADS_THREADS];
        unsigned apart = 0;
        if (kind->source == LOADS_FROM_STRETCHED || kind->source == LOADS_FROM_PUSHED)
            continue; // all patterns find the same
        loads_expect(kind, LOADS_LINEAR, linear);
        loads_expect(kind, LOADS_RANDOM, random);
        for (unsigned id = 0; id < LOADS_THREADS; id++)
            apart += fabsf(linear[id] - random[id]) > loads_tolerance(kind);
        assert_true(apart > LOADS_THREADS / (is_filtered(kind) ? 16 : 2));
    }
}

// If a trial of a dispatch was slow, fewer workgroups remain, so the rest ends in time.
static void slow_devices_get_smaller_dispatches(void **state)
{
    (void)state;
    const double ms = 1e6;
    assert_int_equal(loads_groups_within(4096, 128, 0.02 * ms), 4096);
    assert_int_equal(loads_groups_within(4096, 128, 300 * ms / 32), 682);
    assert_int_equal(loads_groups_within(4096, 128, 300 * ms), 21);
    assert_int_equal(loads_groups_within(4096, 128, 1e6 * ms), 1);
    for (uint32_t took_us = 100; took_us < 6400000; took_us += took_us / 3)
        assert_true(loads_groups_within(4096, 128, took_us * 1e3) * (took_us * 1e3 / 128) <=
                    LOADS_LONGEST_NS);
}

// ---------------------------------------------------------------- claims

// Returns the claims for two workgroups on a card with large enough caches.
static struct measure_count_claims claims_of(const char *label, enum loads_pattern pattern,
                                             uint32_t vendor_id)
{
    const struct gpu_info info = {.vendor_id = vendor_id};
    struct bench_session bench = {
        .info = &info,
        .limits = {.l1_bytes = 1 << 18, .last_cache_bytes = 1 << 25, .last_cache_known = true}};
    const struct loads_session session = {.bench = &bench};
    const struct loads_case this_case = {
        .kind = loads_kind_find(label), .pattern = pattern, .peak = true};
    assert_non_null(this_case.kind);
    return loads_claims(&session, &this_case, 2);
}

static void check_loads(const char *label, enum loads_pattern pattern, double parts, double sectors)
{
    // Each of 8 subgroups does 256 loads, and at the end loads its expected sum.
    const double loads = 2 * 8 * 256, proof_requests = 2 * 8, proof_bytes = 2 * 1024;
    const struct measure_count_claims claims = claims_of(label, pattern, GPU_VENDOR_NVIDIA);
    assert_true(claims.of[GPU_COUNTER_L1_REQUESTS] == loads * parts + proof_requests);
    assert_true(fabs(claims.of[GPU_COUNTER_L1_READ] - loads * parts * sectors * 32 - proof_bytes) <
                1);
    assert_true(claims.of[GPU_COUNTER_DRAM_READ] == 0);
    assert_true(claims.of[GPU_COUNTER_L2_READ] == 0);
}

// The sectors of a request, by hand. In one of eight loads, 32 neighbouring elements of 4 bytes
// begin with a sector and fill four; in the others, they reach into a fifth.
static void direct_loads_claim_the_sectors_of_their_addresses(void **state)
{
    (void)state;
    check_loads("StructuredBuffer<float>.Load", LOADS_LINEAR, 1, 4 + 7.0 / 8);
    check_loads("StructuredBuffer<float4>.Load", LOADS_LINEAR, 1, 16 + 1.0 / 2);
    check_loads("StructuredBuffer<float4>.Load", LOADS_UNIFORM, 1, 1);
    // A sector holds two words that lie 16 bytes apart.
    check_loads("ByteAddressBuffer.Load4", LOADS_LINEAR, 4, 16 + 1.0 / 2);
    check_loads("ByteAddressBuffer.Load", LOADS_UNIFORM, 1, 1);
    // The threads load sixteen different elements of 4 bytes.
    check_loads("ByteAddressBuffer.Load", LOADS_RANDOM, 1, 2 + 7.0 / 8);
}

static void stores_claim_what_they_write(void **state)
{
    (void)state;
    const struct measure_count_claims claims =
        claims_of("RWStructuredBuffer<float4> store", LOADS_UNIFORM, GPU_VENDOR_NVIDIA);
    assert_true(claims.of[GPU_COUNTER_L1_WRITTEN] == 2.0 * 8 * 256 * 32);
    assert_true(isnan(claims.of[GPU_COUNTER_L1_READ]));
    assert_true(isnan(claims.of[GPU_COUNTER_DRAM_READ]));
}

static void textures_claim_an_instruction_for_each_load(void **state)
{
    (void)state;
    static const char *const labels[] = {"Buffer<RGBA8>.Load", "Texture2D<RGBA32F>.Load",
                                         "Texture2D<R8>.Sample(bilinear)"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        const struct measure_count_claims claims =
            claims_of(labels[i], LOADS_RANDOM, GPU_VENDOR_NVIDIA);
        assert_true(claims.of[GPU_COUNTER_INSTRUCTIONS_TEXTURE] == 2.0 * 8 * 256);
        assert_true(isnan(claims.of[GPU_COUNTER_L1_REQUESTS]));
        assert_true(isnan(claims.of[GPU_COUNTER_L2_READ])); // because a dispatch fills the caches
    }
}

static void shared_memory_claims_the_turns_of_loads_without_conflicts(void **state)
{
    (void)state;
    struct measure_count_claims claims =
        claims_of("groupshared float4", LOADS_LINEAR, GPU_VENDOR_NVIDIA);
    assert_true(claims.of[GPU_COUNTER_SHARED_WAVEFRONTS] == 2.0 * (8 * 256 * 4 + 32 * 4));
    assert_true(claims.of[GPU_COUNTER_SHARED_CONFLICTS] == 0);
    claims = claims_of("groupshared float4", LOADS_RANDOM, GPU_VENDOR_NVIDIA);
    assert_true(isnan(claims.of[GPU_COUNTER_SHARED_WAVEFRONTS]));
}

static void nothing_is_claimed_of_other_vendors_instructions(void **state)
{
    (void)state;
    const struct measure_count_claims claims =
        claims_of("ByteAddressBuffer.Load", LOADS_LINEAR, GPU_VENDOR_AMD);
    for (int i = 0; i < GPU_COUNTER_COUNT; i++)
        assert_true(isnan(claims.of[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_table_has_46_rows_and_3_patterns),
        cmocka_unit_test(every_label_is_one_row),
        cmocka_unit_test(formats_and_widths_agree),
        cmocka_unit_test(memory_holds_the_values_none_of_them_zero),
        cmocka_unit_test(filters_blend_what_the_format_holds),
        cmocka_unit_test(packed_formats_hold_more_than_one_value_a_block),
        cmocka_unit_test(what_an_anisotropic_sample_finds_does_not_depend_on_its_weights),
        cmocka_unit_test(scattered_threads_begin_anywhere),
        cmocka_unit_test(threads_begin_where_the_published_tool_lets_them),
        cmocka_unit_test(slow_devices_get_smaller_dispatches),
        cmocka_unit_test(direct_loads_claim_the_sectors_of_their_addresses),
        cmocka_unit_test(stores_claim_what_they_write),
        cmocka_unit_test(textures_claim_an_instruction_for_each_load),
        cmocka_unit_test(shared_memory_claims_the_turns_of_loads_without_conflicts),
        cmocka_unit_test(nothing_is_claimed_of_other_vendors_instructions),
        cmocka_unit_test(sums_of_floats_are_exact),
        cmocka_unit_test(sums_of_different_patterns_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
