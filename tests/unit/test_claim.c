// SPDX-License-Identifier: MIT
// Tests that metrics are computed from a claim, and that the claim gives their limits.
#include "measure/claim.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// True if the numbers are equal except for the last bits, which depend on the order of operations.
#define SAME(a, b) assert_true(fabs((a) - (b)) <= 4 * DBL_EPSILON * fabs(b))

static const struct measure_limits h200 = {.cores = 132,
                                           .core_clock_hz = 1980e6,
                                           .dram_bytes_per_s = 4814e9,
                                           .link_bytes_per_s = 63e9,
                                           .l1_bytes_per_cycle = 128,
                                           .shared_bytes_per_cycle = 128,
                                           .results_per_cycle[MEASURE_FP32] = 128,
                                           .results_per_cycle[MEASURE_FP64] = 64};
static const double hz = 1723456789;

static void cores_limit_what_every_core_has(void **state)
{
    (void)state;
    const struct measure_claim claim = {.read_bytes[MEASURE_CORE_CACHE] = 3e9, .cores = 132};
    struct measure_bound bytes = measure_claim_bound(&claim, &h200, 3e9, hz);
    assert_true(bytes.per_cycle == 128 && bytes.per_s == 128.0 * 132 * hz);
    // loads of 12 bytes: 128 / 12 of them per cycle
    struct measure_bound loads = measure_claim_bound(&claim, &h200, 3e9 / 12, hz);
    SAME(loads.per_cycle, 128 / 12.0);
    // Without the core clock, the rate per second is not known.
    assert_true(measure_claim_bound(&claim, &h200, 3e9, 0).per_s <= 0);
}

static void memory_limits_what_is_read_and_written_together(void **state)
{
    (void)state;
    const struct measure_claim copy = {
        .read_bytes[MEASURE_DRAM] = 1e9, .written_bytes[MEASURE_DRAM] = 1e9, .cores = 132};
    struct measure_bound moved = measure_claim_bound(&copy, &h200, 2e9, hz);
    assert_true(moved.per_s == 4814e9 && moved.per_cycle == 4814e9 / (hz * 132));
    assert_true(measure_claim_bound(&copy, &h200, 1e9, 0).per_s == 4814e9 / 2);
}

static void a_link_moves_both_ways_at_once(void **state)
{
    (void)state;
    const struct measure_claim up = {.read_bytes[MEASURE_LINK] = 1e9},
                               both = {.read_bytes[MEASURE_LINK] = 1e9,
                                       .written_bytes[MEASURE_LINK] = 1e9};
    assert_true(measure_claim_bound(&up, &h200, 1e9, 0).per_s == 63e9);
    assert_true(measure_claim_bound(&both, &h200, 2e9, 0).per_s == 2 * 63e9);
}

static void the_lowest_limit_is_the_roof(void **state)
{
    (void)state;
    // Given fma of floats, two operations each, at 1 and at 100 operations per byte.
    static const double intensities[] = {1, 100};
    for (size_t i = 0; i < sizeof intensities / sizeof *intensities; i++) {
        double intensity = intensities[i], bytes = 4e9, operations = bytes * intensity;
        const struct measure_claim claim = {.read_bytes[MEASURE_DRAM] = bytes,
                                            .results[MEASURE_FP32] = operations / 2,
                                            .cores = 132};
        double compute = h200.results_per_cycle[MEASURE_FP32] * 2 * 132 * hz,
               memory = 4814e9 * intensity;
        struct measure_bound roof = measure_claim_bound(&claim, &h200, operations, hz);
        assert_true(roof.per_s == fmin(compute, memory));
        SAME(measure_claim_bound(&claim, &h200, bytes, hz).per_s,
             fmin(compute, memory) / intensity);
    }
}

static void what_is_not_known_leaves_no_limit(void **state)
{
    (void)state;
    const struct measure_claim nothing = {.cores = 132},
                               cache = {.read_bytes[MEASURE_CACHE] = 1, .cores = 132},
                               half = {.read_bytes[MEASURE_DRAM] = 1,
                                       .results[MEASURE_OTHER] = 1,
                                       .cores = 132};
    assert_true(measure_claim_bound(&nothing, &h200, 1, hz).per_s <= 0);
    assert_true(measure_claim_bound(&cache, &h200, 1, hz).per_s <= 0);
    assert_true(measure_claim_bound(&half, &h200, 1, hz).per_s <= 0);
    assert_true(measure_claim_bound(&half, &h200, 1, hz).per_cycle <= 0);
}

static void every_form_is_divided_from_the_same_samples(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct measure_visit *visit = measure_visit_create(arena);
    double unit_ns[] = {1000.5, 1001.25, 999.75}, core_hz[] = {1.7e9, 1.71e9, 1.69e9};
    const struct measure_span span = {
        .unit_ns = unit_ns, .core_hz = core_hz, .count = 3, .step_ns = 0.25};
    const struct measure_claim claim = {.read_bytes[MEASURE_SHARED] = 1e6, .cores = 2};
    const struct measure_account account = {&claim, &h200, &span, visit};
    measure_claim_report(&account, 0, MEASURE_PER_SECOND, 1e6);
    measure_claim_report(&account, 1, MEASURE_PER_CORE_CYCLE, 1e6);
    measure_claim_report(&account, 2, MEASURE_NS_EACH, 1e3);
    measure_claim_report(&account, 3, MEASURE_CYCLES_EACH, 1e3);
    const struct measure_samples *metrics = visit->metrics;
    for (int i = 0; i < 3; i++) {
        assert_true(metrics[0].values[i] == 1e6 * 1e9 / unit_ns[i]);
        assert_true(metrics[1].values[i] == 1e6 / unit_ns[i] * 1e9 / core_hz[i] / 2);
        assert_true(metrics[2].values[i] == unit_ns[i] / 1e3);
        assert_true(metrics[3].values[i] == unit_ns[i] / 1e3 * core_hz[i] / 1e9);
    }
    for (int metric = 0; metric < 4; metric++)
        SAME(metrics[metric].step / metrics[metric].values[0], 0.25 / unit_ns[0]);
    SAME(metrics[0].limit, 128 * 2 * 1.7e9);
    SAME(metrics[1].limit, 128.0);
    SAME(metrics[2].limit, 1e9 / (128 * 2 * 1.7e9 / 1e3));
    SAME(metrics[3].limit, 1 / (128 / 1e3));
    arena_destroy(arena);
}

static void without_a_clock_there_are_no_cycles(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct measure_visit *visit = measure_visit_create(arena);
    double unit_ns[] = {1000};
    const struct measure_span span = {.unit_ns = unit_ns, .count = 1};
    const struct measure_claim claim = {.read_bytes[MEASURE_DRAM] = 1e6, .cores = 132};
    const struct measure_account account = {&claim, &h200, &span, visit};
    measure_claim_report(&account, 0, MEASURE_PER_SECOND, 1e6);
    measure_claim_report(&account, 1, MEASURE_PER_CORE_CYCLE, 1e6);
    measure_claim_report(&account, 2, MEASURE_CYCLES_EACH, 1e6);
    assert_true(visit->metrics[0].limit == 4814e9);
    assert_null(visit->metrics[1].values);
    assert_null(visit->metrics[2].values);
    arena_destroy(arena);
}

// Given a driver that states fewer cores than kernels ran on, then nothing is per core, and the
// cores give no limit. What runs on one core of several does not depend on their number.
static void a_wrong_number_of_cores_leaves_no_rate_per_core(void **state)
{
    static const struct {
        unsigned stated, claimed;
        bool is_given;
    } cases[] = {{132, 132, true}, {66, 66, false}, {66, 1, true}, {1, 1, false}};
    (void)state;
    struct arena *arena = arena_create();
    double unit_ns[] = {1000}, core_hz[] = {1.7e9};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct measure_span span = {.unit_ns = unit_ns,
                                          .core_hz = core_hz,
                                          .count = 1,
                                          .cores_seen = 132,
                                          .cores_stated = cases[i].stated};
        struct measure_visit *visit = measure_visit_create(arena);
        const struct measure_claim claim = {.read_bytes[MEASURE_SHARED] = 1e6,
                                            .cores = cases[i].claimed};
        const struct measure_account account = {&claim, &h200, &span, visit};
        measure_claim_report(&account, 0, MEASURE_PER_SECOND, 1e6);
        measure_claim_report(&account, 1, MEASURE_PER_CORE_CYCLE, 1e6);
        assert_int_equal(visit->metrics[0].count, 1);
        assert_int_equal(visit->metrics[1].count, cases[i].is_given);
        assert_int_equal(visit->metrics[0].limit > 0, cases[i].is_given);
    }
    arena_destroy(arena);
}

static void loads_of_one_kind_have_the_same_cores_levels_units_and_balance(void **state)
{
    (void)state;
    const struct measure_claim one_core = {.read_bytes[MEASURE_SHARED] = 10, .cores = 1},
                               other_core = {.results[MEASURE_FP64] = 10, .cores = 1},
                               unknown = {.results[MEASURE_FP64] = 10};
    assert_int_equal(measure_claim_load(&one_core), MEASURE_ONE_CORE);
    assert_int_equal(measure_claim_load(&other_core), MEASURE_ONE_CORE);
    assert_int_equal(measure_claim_load(&unknown), 0);
    // Given the whole chip, then the kind of load does not depend on the amount of work.
    struct measure_claim chip = {
        .read_bytes[MEASURE_DRAM] = 1e9, .results[MEASURE_FP32] = 1e10, .cores = 132};
    const uint32_t load = measure_claim_load(&chip);
    chip.read_bytes[MEASURE_DRAM] = 3e9;
    chip.results[MEASURE_FP32] = 3.03e10;
    assert_int_equal(measure_claim_load(&chip), load);
    // It depends on the balance, the unit, the level and the number of cores.
    chip.results[MEASURE_FP32] = 6e10;
    assert_int_not_equal(measure_claim_load(&chip), load);
    struct measure_claim others[] = {
        {.read_bytes[MEASURE_DRAM] = 1e9, .results[MEASURE_FP64] = 1e10, .cores = 132},
        {.written_bytes[MEASURE_CACHE] = 1e9, .results[MEASURE_FP32] = 1e10, .cores = 132},
        {.read_bytes[MEASURE_DRAM] = 1e9, .results[MEASURE_FP32] = 1e10, .cores = 66}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_not_equal(measure_claim_load(&others[i]), load);
}

static void what_may_be_in_an_unseen_cache_is_not_called_memory(void **state)
{
    (void)state;
    const struct {
        struct measure_limits limits;
        uint64_t mib;
        bool flagged;
    } results[] = {
        {{.last_cache_bytes = UINT64_C(60) << 20, .last_cache_known = true}, 256, false},
        {{.last_cache_bytes = UINT64_C(16) << 10}, 256, true}, // AMD's OpenCL states this
        {{.last_cache_bytes = 0}, 256, true},
        {{.last_cache_bytes = 0}, 1024, false},
    };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        struct arena *arena = arena_create();
        struct measure_visit *visit = measure_visit_create(arena);
        measure_claim_memory(visit, &results[i].limits, results[i].mib << 20);
        assert_int_equal(visit->reason_count, results[i].flagged);
        if (results[i].flagged)
            assert_string_equal(visit->reasons[0].code, "unseen-cache");
        arena_destroy(arena);
    }
}

// A larger set than half of the L1, or than 3/4 of half of the last cache, may lack some lines.
static void what_a_cache_surely_holds_claims_no_reads_behind_it(void **state)
{
    (void)state;
    struct measure_limits limits = {
        .l1_bytes = 1 << 18, .last_cache_bytes = 1 << 25, .last_cache_known = true};
    struct measure_count_claims claims = measure_count_no_claims;
    measure_claim_held(&limits, 1 << 17, &claims);
    assert_true(claims.of[GPU_COUNTER_L2_READ] == 0 && claims.of[GPU_COUNTER_DRAM_READ] == 0);
    claims = measure_count_no_claims;
    measure_claim_held(&limits, (1 << 17) + 1, &claims);
    assert_true(isnan(claims.of[GPU_COUNTER_L2_READ]) && claims.of[GPU_COUNTER_DRAM_READ] == 0);
    claims = measure_count_no_claims;
    measure_claim_held(&limits, 3 << 22, &claims);
    assert_true(claims.of[GPU_COUNTER_DRAM_READ] == 0);
    claims = measure_count_no_claims;
    measure_claim_held(&limits, (3 << 22) + 1, &claims);
    assert_true(isnan(claims.of[GPU_COUNTER_DRAM_READ]));
    limits.last_cache_known = false;
    measure_claim_held(&limits, 1 << 20, &claims);
    assert_true(isnan(claims.of[GPU_COUNTER_DRAM_READ]));
}

// Given an H100 by its PCI id: subgroups of 32, 128 bytes of shared memory in a turn.
static void counters_should_count_what_follows_from_the_claim(void **state)
{
    (void)state;
    const struct gpu_info info = {.vendor_id = GPU_VENDOR_NVIDIA,
                                  .device_id = 0x2330,
                                  .kind = GPU_KIND_DISCRETE,
                                  .limits = {.subgroup_threads = 32, .last_cache_bytes = 1 << 25}};
    struct measure_claim claim = {.read_bytes[MEASURE_SHARED] = 12800,
                                  .results[MEASURE_FP32] = 3200,
                                  .results[MEASURE_FP16] = 6400,
                                  .set_bytes = 1 << 14};
    struct measure_count_claims counts = measure_claim_counts(&claim, &info);
    assert_true(counts.of[GPU_COUNTER_SHARED_WAVEFRONTS] == 100);
    assert_true(counts.of[GPU_COUNTER_INSTRUCTIONS_FP32] == 100);
    assert_true(counts.of[GPU_COUNTER_INSTRUCTIONS_FP16] == 100);
    assert_true(isnan(counts.of[GPU_COUNTER_INSTRUCTIONS_FMA]));
    assert_true(counts.of[GPU_COUNTER_L2_READ] == 0 && counts.of[GPU_COUNTER_DRAM_READ] == 0);
    // Reads from memory pass the L2. If the claim has its own counts, these are used.
    claim = (struct measure_claim){.read_bytes[MEASURE_DRAM] = 1e9};
    counts = measure_claim_counts(&claim, &info);
    assert_true(counts.of[GPU_COUNTER_L2_READ] == 1e9 && counts.of[GPU_COUNTER_DRAM_READ] == 1e9);
    claim.counts = &measure_count_no_claims;
    assert_true(isnan(measure_claim_counts(&claim, &info).of[GPU_COUNTER_L2_READ]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_limit_what_every_core_has),
        cmocka_unit_test(memory_limits_what_is_read_and_written_together),
        cmocka_unit_test(a_link_moves_both_ways_at_once),
        cmocka_unit_test(the_lowest_limit_is_the_roof),
        cmocka_unit_test(what_is_not_known_leaves_no_limit),
        cmocka_unit_test(every_form_is_divided_from_the_same_samples),
        cmocka_unit_test(without_a_clock_there_are_no_cycles),
        cmocka_unit_test(a_wrong_number_of_cores_leaves_no_rate_per_core),
        cmocka_unit_test(loads_of_one_kind_have_the_same_cores_levels_units_and_balance),
        cmocka_unit_test(what_may_be_in_an_unseen_cache_is_not_called_memory),
        cmocka_unit_test(what_a_cache_surely_holds_claims_no_reads_behind_it),
        cmocka_unit_test(counters_should_count_what_follows_from_the_claim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
