// SPDX-License-Identifier: MIT
// The simulated memory alone: which loads hit, and how long they take.
#include "gpu/model/caches.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum {
    L1 = 30,
    L2 = 200,
    DRAM = 500
};

// Two cores, each with an L1 of 4 KiB (64-byte lines, 4 ways); behind them, 64 KiB for both.
static struct model_machine machine_of(enum model_replacement replacement)
{
    return (struct model_machine){
        .cores = 2,
        .core_clock_hz = 1e9,
        .level_count = 2,
        .levels = {{.capacity_bytes = 4096,
                    .line_bytes = 64,
                    .sector_bytes = 32,
                    .ways = 4,
                    .latency_cycles = L1,
                    .sharers = 1,
                    .replacement = replacement},
                   {.capacity_bytes = 65536,
                    .line_bytes = 64,
                    .sector_bytes = 64,
                    .ways = 8,
                    .latency_cycles = L2}},
        .memory = {.latency_cycles = DRAM},
    };
}

struct stage {
    struct arena *arena;
    struct model_machine machine;
    struct model_caches *caches;
};

static void stage_init(struct stage *stage, const struct model_machine *machine)
{
    stage->arena = arena_create();
    stage->machine = *machine;
    stage->caches = model_caches_create(stage->arena, &stage->machine);
}

static int load(const struct stage *stage, uint32_t core, uint64_t address)
{
    return (int)model_caches_load(stage->caches, core, address, 0);
}

// Loads so many lines twice. Returns how many loads of the second lap take `cycles`.
static int second_lap(const struct stage *stage, uint64_t lines, int cycles)
{
    int count = 0;
    for (uint64_t lap = 0; lap < 2; lap++)
        for (uint64_t i = 0; i < lines; i++)
            count += load(stage, 0, 64 * i) == cycles && lap == 1;
    return count;
}

static void a_load_takes_as_long_as_the_nearest_level_that_has_it(void **state)
{
    (void)state;
    struct stage stage;
    const struct model_machine machine = machine_of(MODEL_LRU);
    stage_init(&stage, &machine);
    assert_int_equal(load(&stage, 0, 0), DRAM);
    assert_int_equal(load(&stage, 0, 8), L1);
    assert_int_equal(load(&stage, 0, 32), L2); // the line is there, but not its other sector
    assert_int_equal(load(&stage, 0, 40), L1);
    assert_int_equal(load(&stage, 1, 0), L2); // not in the other core's L1, but in the same L2
    assert_int_equal(load(&stage, 1, 0), L1);
    arena_destroy(stage.arena);
}

static void lru_keeps_all_that_fits_and_nothing_of_a_lap_that_does_not(void **state)
{
    (void)state;
    const struct model_machine machine = machine_of(MODEL_LRU);
    struct stage fits, passes;
    stage_init(&fits, &machine);
    stage_init(&passes, &machine);
    assert_int_equal(second_lap(&fits, 64, L1), 64);
    // Each set gets five lines, but holds four.
    assert_int_equal(second_lap(&passes, 80, L2), 80);
    arena_destroy(fits.arena);
    arena_destroy(passes.arena);
}

static void the_others_keep_some_of_a_lap_that_does_not_fit(void **state)
{
    (void)state;
    for (int r = MODEL_PLRU; r <= MODEL_RANDOM; r++) {
        const struct model_machine machine = machine_of((enum model_replacement)r);
        struct stage fits, passes;
        stage_init(&fits, &machine);
        stage_init(&passes, &machine);
        assert_int_equal(second_lap(&fits, 64, L1), 64);
        int kept = second_lap(&passes, 80, L1);
        assert_true(kept > 0 && kept < 64);
        arena_destroy(fits.arena);
        arena_destroy(passes.arena);
    }
}

static void a_hash_spreads_what_address_bits_crowd(void **state)
{
    (void)state;
    struct model_machine machine = machine_of(MODEL_LRU);
    for (int hashed = 0; hashed < 2; hashed++) {
        struct stage stage;
        machine.levels[0].hashed = hashed;
        stage_init(&stage, &machine);
        int hits = 0;
        for (int lap = 0; lap < 2; lap++)
            for (uint64_t i = 0; i < 16; i++) // without a hash, these addresses share a set
                hits += load(&stage, 0, 1024 * i) == L1;
        assert_true(hashed ? hits > 4 : hits == 0);
        arena_destroy(stage.arena);
    }
}

static void a_page_that_no_entry_has_is_looked_up(void **state)
{
    (void)state;
    struct model_machine machine = machine_of(MODEL_LRU);
    machine.tlb_count = 1;
    machine.tlbs[0] = (struct model_cache_desc){.capacity_bytes = 4 * 4096,
                                                .line_bytes = 4096,
                                                .sector_bytes = 4096,
                                                .ways = 4,
                                                .latency_cycles = 70,
                                                .sharers = 1};
    struct stage stage;
    stage_init(&stage, &machine);
    assert_int_equal(load(&stage, 0, 0), DRAM + 70);
    assert_int_equal(load(&stage, 0, 64), DRAM);
    for (uint64_t page = 1; page <= 4; page++)
        assert_int_equal(load(&stage, 0, 4096 * page + 64 * page), DRAM + 70);
    assert_int_equal(load(&stage, 0, 0), L1 + 70);
    arena_destroy(stage.arena);
}

static void dram_waits_for_its_refresh(void **state)
{
    (void)state;
    struct model_machine machine = machine_of(MODEL_LRU);
    machine.refresh_period_ns = 4000;
    machine.refresh_length_ns = 300;
    struct stage stage;
    stage_init(&stage, &machine);
    assert_int_equal(lround(model_caches_load(stage.caches, 0, 0, 8100)), DRAM + 200);
    assert_int_equal(lround(model_caches_load(stage.caches, 0, 4096, 9000)), DRAM);
    arena_destroy(stage.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_load_takes_as_long_as_the_nearest_level_that_has_it),
        cmocka_unit_test(lru_keeps_all_that_fits_and_nothing_of_a_lap_that_does_not),
        cmocka_unit_test(the_others_keep_some_of_a_lap_that_does_not_fit),
        cmocka_unit_test(a_hash_spreads_what_address_bits_crowd),
        cmocka_unit_test(a_page_that_no_entry_has_is_looked_up),
        cmocka_unit_test(dram_waits_for_its_refresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
