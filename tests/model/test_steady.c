// SPDX-License-Identifier: MIT
// A stream solved in its steady state against the same one simulated load by load.
#include "gpu/model/caches.h"
#include "gpu/model/steady.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum {
    LINE = 128,
    CORES = 4,
    SLOTS_MAX = 32,  // loads that a core has under way
    LOADS_MIN = 8192 // and four laps, of which the latter half counts
};

static const struct model_machine machine = {
    .cores = CORES,
    .core_clock_hz = 1e9,
    .level_count = 2,
    .levels = {{.capacity_bytes = 16384,
                .line_bytes = LINE,
                .sector_bytes = LINE,
                .ways = 4,
                .latency_cycles = 30,
                .sharers = 1,
                .core_bytes_per_cycle = 64,
                .chip_bytes_per_cycle = 256},
               {.capacity_bytes = 262144,
                .line_bytes = LINE,
                .sector_bytes = LINE,
                .ways = 16,
                .latency_cycles = 200,
                .core_bytes_per_cycle = 32,
                .chip_bytes_per_cycle = 80}},
    .memory = {.latency_cycles = 500, .core_bytes_per_cycle = 16, .chip_bytes_per_cycle = 20},
};

// ---------------------------------------------------------------- load by load

// When the ports that a load goes through are free again, in cycles.
struct ports {
    double core[CORES][3], chip[3];
};

static uint32_t level_of(double latency)
{
    uint32_t level = 0;
    while (level < machine.level_count && latency > machine.levels[level].latency_cycles)
        level++;
    return level;
}

static double pass(double *free_at, double now, double bandwidth)
{
    double begun = fmax(*free_at, now);
    *free_at = begun + LINE / bandwidth;
    return begun;
}

// A load that starts at `now` at the earliest: when its line is there.
static double load(struct model_caches *caches, struct ports *ports, uint32_t core,
                   uint64_t address, double now)
{
    double latency = model_caches_load(caches, core, address, now), begun = now;
    for (uint32_t i = 0; i <= level_of(latency); i++) {
        const struct model_cache_desc *level =
            i < machine.level_count ? &machine.levels[i] : &machine.memory;
        begun = fmax(begun, pass(&ports->core[core][i], now, level->core_bytes_per_cycle));
        begun = fmax(begun, pass(&ports->chip[i], now, level->chip_bytes_per_cycle));
    }
    return begun + latency;
}

// The core and slot that are free first.
static uint32_t first_free(double free_at[CORES][SLOTS_MAX], uint32_t cores, uint32_t slots,
                           uint32_t *slot)
{
    uint32_t core = 0;
    *slot = 0;
    for (uint32_t c = 0; c < cores; c++)
        for (uint32_t s = 0; s < slots; s++)
            if (free_at[c][s] < free_at[core][*slot]) {
                core = c;
                *slot = s;
            }
    return core;
}

static double simulate(const struct model_stream *stream)
{
    struct arena *arena = arena_create();
    struct model_caches *caches = model_caches_create(arena, &machine);
    struct ports ports = {.chip = {0}};
    double free_at[CORES][SLOTS_MAX] = {{0}}, warm = 0, end = 0;
    uint64_t lines = stream->region_bytes / LINE, made[CORES] = {0}, all = 0;
    uint64_t laps = 4 * lines > LOADS_MIN ? 4 : LOADS_MIN / lines;
    uint64_t total = lines * stream->cores * laps;
    uint32_t slots = (uint32_t)(stream->in_flight_bytes / LINE), slot;
    for (; all < total; all++) {
        uint32_t core = first_free(free_at, stream->cores, slots, &slot);
        uint64_t line = core * lines + made[core]++ % lines;
        double done = load(caches, &ports, core, line * LINE, free_at[core][slot]);
        free_at[core][slot] = done;
        end = fmax(end, done);
        if (all < total / 2)
            warm = end;
    }
    arena_destroy(arena);
    uint64_t bytes = total / 2 * LINE; // of the second half
    return (double)bytes / (end - warm);
}

// ---------------------------------------------------------------- the tests

static void what_is_solved_is_what_load_by_load_comes_out(void **state)
{
    (void)state;
    static const uint64_t regions[] = {4096, 16384, 32768, 65536, 131072, 262144, 524288};
    static const uint32_t cores[] = {1, 2, 4}, lines[] = {1, 4, 32};
    for (size_t r = 0; r < sizeof regions / sizeof *regions; r++)
        for (size_t c = 0; c < 3; c++)
            for (size_t l = 0; l < 3; l++) {
                const struct model_stream stream = {cores[c], regions[r], lines[l] * LINE};
                struct model_steady solved = model_steady_solve(&machine, &stream);
                double simulated = simulate(&stream);
                if (fabs(solved.bytes_per_cycle / simulated - 1) > 0.06)
                    fail_msg("%u cores, %llu bytes, %u lines: %.2f solved, %.2f simulated",
                             stream.cores, (unsigned long long)stream.region_bytes, lines[l],
                             solved.bytes_per_cycle, simulated);
            }
}

static void a_level_serves_what_all_its_cores_have_in_it(void **state)
{
    (void)state;
    struct model_stream stream = {4, 16384, 0};
    assert_int_equal(model_steady_solve(&machine, &stream).level, 0);
    stream.region_bytes = 65536;
    assert_int_equal(model_steady_solve(&machine, &stream).level, 1);
    stream.region_bytes = 65536 + LINE;
    assert_int_equal(model_steady_solve(&machine, &stream).level, 2);
    stream.cores = 1;
    assert_int_equal(model_steady_solve(&machine, &stream).level, 1);
}

static void without_bandwidths_nothing_is_told(void **state)
{
    (void)state;
    struct model_machine bare = machine;
    bare.levels[0].core_bytes_per_cycle = bare.levels[0].chip_bytes_per_cycle = 0;
    const struct model_stream stream = {1, 4096, 0};
    assert_true(model_steady_solve(&bare, &stream).bytes_per_cycle <= 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_solved_is_what_load_by_load_comes_out),
        cmocka_unit_test(a_level_serves_what_all_its_cores_have_in_it),
        cmocka_unit_test(without_bandwidths_nothing_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
