// SPDX-License-Identifier: MIT
// The solution for a stream in its steady state, compared with a simulation load by load.
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
    PORTS = 4,             // levels, and memory
    SLOTS_MAX = 64,        // loads of a core in flight
    CORE_LINES_MIN = 16384 // lines that a core loads at least; the latter half counts
};

static const double tolerance = 0.06; // between the solution and the simulation

static const struct model_machine machine = {
    .cores = CORES,
    .core_threads = 256,
    .core_clock_hz = 1e9,
    .level_count = 3,
    .levels = {{.capacity_bytes = 16384,
                .line_bytes = LINE,
                .sector_bytes = LINE,
                .ways = 4,
                .hashed = true,
                .latency_cycles = 30,
                .sharers = 1,
                .core_bytes_per_cycle = 64,
                .chip_bytes_per_cycle = 256},
               {.capacity_bytes = 65536,
                .line_bytes = LINE,
                .sector_bytes = LINE,
                .ways = 8,
                .hashed = true,
                .latency_cycles = 100,
                .sharers = 2,
                .core_bytes_per_cycle = 32,
                .chip_bytes_per_cycle = 100},
               {.capacity_bytes = 262144,
                .line_bytes = LINE,
                .sector_bytes = LINE,
                .ways = 16,
                .hashed = true,
                .latency_cycles = 200,
                .core_bytes_per_cycle = 28,
                .chip_bytes_per_cycle = 80}},
    .memory = {.latency_cycles = 500, .core_bytes_per_cycle = 16, .chip_bytes_per_cycle = 20},
};

// ---------------------------------------------------------------- load by load

// When the ports of a load are free again, in cycles: those of a core for each level, and those of
// the caches, each with its share of the chip's bandwidth.
struct ports {
    double core[CORES][PORTS], cache[CORES][PORTS];
};

static const struct model_cache_desc *level_at(uint32_t i)
{
    return i < machine.level_count ? &machine.levels[i] : &machine.memory;
}

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

// Starts a load at `now` or later. Returns when its line is there.
static double load(struct model_caches *caches, struct ports *ports, uint32_t core,
                   uint64_t address, double now)
{
    double latency = model_caches_load(caches, core, address, now), begun = now;
    for (uint32_t i = 0; i <= level_of(latency); i++) {
        const struct model_cache_desc *level = level_at(i);
        uint32_t sharers = level->sharers ? level->sharers : CORES;
        double *cache = &ports->cache[core / sharers][i];
        begun = fmax(begun, pass(&ports->core[core][i], now, level->core_bytes_per_cycle));
        begun = fmax(begun, pass(cache, now, level->chip_bytes_per_cycle * sharers / CORES));
    }
    return begun + latency;
}

// Returns the core, and sets the slot, that are free first.
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

// Returns the address of load number `made` of a core. Its groups come one after the other, each
// round and round in its place. Groups in one place begin at different lines.
static uint64_t address_of(const struct model_stream *stream, uint64_t core, uint64_t made)
{
    uint64_t lines = stream->group_bytes / LINE, place_lines = stream->place_bytes / LINE;
    uint64_t group = core + CORES * (made / lines);
    uint64_t begin = stream->places == 1 ? group % CORES * place_lines / CORES : 0;
    uint64_t line = (begin + made % lines) % place_lines;
    return (group % stream->places * place_lines + line) * LINE;
}

// Returns the bytes per cycle of a dispatch without an end.
static double simulate(const struct model_stream *stream, uint32_t slots)
{
    struct arena *arena = arena_create();
    struct model_caches *caches = model_caches_create(arena, &machine);
    struct ports ports = {.core = {{0}}};
    double free_at[CORES][SLOTS_MAX] = {{0}}, warm = 0, end = 0;
    uint32_t cores = stream->groups < CORES ? (uint32_t)stream->groups : CORES, slot;
    uint64_t made[CORES] = {0}, place_lines = stream->place_bytes * stream->places / LINE;
    uint64_t total = cores * (6 * place_lines > CORE_LINES_MIN ? 6 * place_lines : CORE_LINES_MIN);
    for (uint64_t all = 0; all < total; all++) {
        uint32_t core = first_free(free_at, cores, slots, &slot);
        uint64_t address = address_of(stream, core, made[core]++);
        uint32_t at = core * CORES / cores; // if there are fewer groups than cores, they are spread
        double done = load(caches, &ports, at, address, free_at[core][slot]);
        free_at[core][slot] = done;
        end = fmax(end, done);
        if (all < total / 2)
            warm = end;
    }
    arena_destroy(arena);
    uint64_t counted = total - total / 2;
    return (double)counted * LINE / (end - warm);
}

// ---------------------------------------------------------------- the tests

static double solve(const struct model_stream *stream)
{
    struct model_steady steady = model_steady_solve(&machine, stream, 1, 1e9);
    const struct model_cache_desc *level = level_at(steady.level);
    assert_true(steady.has_bandwidth);
    return (double)(stream->groups * stream->group_bytes) / (steady.cycles - level->latency_cycles);
}

static void compare(struct model_stream stream, uint32_t lines)
{
    stream.in_flight_bytes = (uint64_t)lines * LINE;
    stream.group_threads = 256; // one group a core
    double solved = solve(&stream), simulated = simulate(&stream, lines);
    if (fabs(solved / simulated - 1) > tolerance)
        fail_msg("%llu groups, %llu places of %llu bytes, %u lines: %.2f solved, %.2f simulated",
                 (unsigned long long)stream.groups, (unsigned long long)stream.places,
                 (unsigned long long)stream.place_bytes, lines, solved, simulated);
}

static const uint64_t regions[] = {4096,  12288,  16384,  20480,  32768, 40960,
                                   65536, 131072, 262144, 294912, 524288};
static const uint32_t under_way[] = {1, 4, 64};

enum {
    REGIONS = sizeof regions / sizeof *regions,
    LAPS = 1024 // so many that the end of the dispatch does not matter
};

static void parts_of_one_s_own_are_solved_as_load_by_load(void **state)
{
    (void)state;
    for (size_t r = 0; r < REGIONS; r++)
        for (uint64_t cores = 1; cores <= CORES; cores *= 2)
            for (size_t l = 0; l < 3; l++)
                compare((struct model_stream){.groups = cores,
                                              .group_bytes = regions[r] * LAPS,
                                              .places = cores,
                                              .place_bytes = regions[r]},
                        under_way[l]);
}

// Up to the caches that cores share, the solution agrees with the simulation. Beyond, it may be
// slower: a simulated core may follow another closely and find its lines in a cache.
static void what_all_cores_read_is_solved_as_load_by_load(void **state)
{
    (void)state;
    for (size_t r = 0; r < REGIONS; r++)
        for (size_t l = 0; l < 3; l++) {
            struct model_stream stream = {.groups = CORES,
                                          .group_bytes = regions[r] * LAPS,
                                          .places = 1,
                                          .place_bytes = regions[r]};
            if (regions[r] <= machine.levels[1].capacity_bytes) {
                compare(stream, under_way[l]);
                continue;
            }
            stream.in_flight_bytes = (uint64_t)under_way[l] * LINE;
            assert_true(solve(&stream) <= simulate(&stream, under_way[l]) * (1 + tolerance));
        }
}

// Chunks that lie apart fill sets unevenly, so no size here is exactly that of a level.
static void passes_over_chunks_are_solved_as_load_by_load(void **state)
{
    (void)state;
    static const uint64_t places[] = {3, 4, 6, 16, 44, 96, 101, 192, 193};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        for (size_t l = 0; l < 3; l++)
            compare((struct model_stream){.groups = places[i] * CORES * LAPS,
                                          .group_bytes = 2048,
                                          .places = places[i],
                                          .place_bytes = 2048},
                    under_way[l]);
}

static uint32_t level_serving(const struct model_stream *stream)
{
    return model_steady_solve(&machine, stream, 1, 1e9).level;
}

static void a_level_serves_what_all_its_cores_have_in_it(void **state)
{
    (void)state;
    struct model_stream stream = {.groups = 4, .group_bytes = 1 << 20, .places = 4};
    stream.place_bytes = 16384;
    assert_int_equal(level_serving(&stream), 0);
    stream.place_bytes = 32768;
    assert_int_equal(level_serving(&stream), 1);
    stream.place_bytes = 65536;
    assert_int_equal(level_serving(&stream), 2);
    stream.place_bytes = 65536 + LINE;
    assert_int_equal(level_serving(&stream), 3);
    stream.groups = stream.places = 1;
    assert_int_equal(level_serving(&stream), 2);
}

static void what_goes_past_the_core_is_not_served_by_its_cache(void **state)
{
    (void)state;
    const struct model_stream stream = {
        .groups = 4, .group_bytes = 1 << 20, .places = 4, .place_bytes = 4096, .past_core = 1};
    assert_int_equal(level_serving(&stream), 1);
}

static void two_streams_have_a_level_in_common(void **state)
{
    (void)state;
    const struct model_stream one = {
        .groups = 4, .group_bytes = 1 << 20, .places = 4, .place_bytes = 12288};
    const struct model_stream both[] = {one, one};
    assert_int_equal(model_steady_solve(&machine, both, 2, 1e9).level, 1);
    assert_true(model_steady_solve(&machine, both, 2, 1e9).cycles >
                2 * model_steady_solve(&machine, both, 1, 1e9).cycles);
}

static void a_level_without_bandwidth_is_reported(void **state)
{
    (void)state;
    struct model_machine bare = machine;
    const struct model_stream all = {
        .groups = 4, .group_bytes = 1 << 20, .places = 4, .place_bytes = 4096};
    bare.levels[0].core_bytes_per_cycle = 0;
    assert_true(model_steady_solve(&bare, &all, 1, 1e9).has_bandwidth);
    bare.levels[0].chip_bytes_per_cycle = 0;
    assert_false(model_steady_solve(&bare, &all, 1, 1e9).has_bandwidth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_one_s_own_are_solved_as_load_by_load),
        cmocka_unit_test(what_all_cores_read_is_solved_as_load_by_load),
        cmocka_unit_test(passes_over_chunks_are_solved_as_load_by_load),
        cmocka_unit_test(a_level_serves_what_all_its_cores_have_in_it),
        cmocka_unit_test(what_goes_past_the_core_is_not_served_by_its_cache),
        cmocka_unit_test(two_streams_have_a_level_in_common),
        cmocka_unit_test(a_level_without_bandwidth_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
