// SPDX-License-Identifier: MIT
// Compares lines, sectors and sizes that are found from probes with those of caches that are
// simulated load by load.
#include "map/lines.h"
#include "math/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
    WAYS = 8,
    SETS_MAX = 1024,
    NODES_MAX = 1 << 15,
    LAPS = 6
};

// One cache of 8 ways in front of the memory.
struct cache {
    unsigned sets, line, sector;
    bool hashed;                   // a hash of the address selects the set; false: address bits do
    bool random;                   // it replaces a random line of the set; false: the oldest one
    uint64_t replaced;             // number of lines that were replaced
    uint64_t tags[SETS_MAX][WAYS]; // line number + 1, newest first
    unsigned present[SETS_MAX][WAYS]; // sectors that are present, one bit each
};

static const double near_latency = 30, far_latency = 200;

static double capacity_of(const struct cache *cache)
{
    return (double)cache->sets * WAYS * cache->line;
}

// Every aligned block of `sets` lines uses each set once.
static unsigned set_of(const struct cache *cache, uint64_t line)
{
    uint64_t above = line / cache->sets;
    uint64_t mixed = above * UINT64_C(0x9E3779B97F4A7C15);
    return (unsigned)((line ^ (cache->hashed ? mixed >> 40 : 0)) % cache->sets);
}

// Simulates a load. True if the line and the sector were in the cache.
static bool cache_load(struct cache *cache, uint64_t address)
{
    uint64_t line = address / cache->line;
    unsigned set = set_of(cache, line), way = 0;
    unsigned sector = 1U << address % cache->line / cache->sector;
    while (way < WAYS - 1 && cache->tags[set][way] != line + 1)
        way++;
    bool found = cache->tags[set][way] == line + 1;
    if (!found && cache->random)
        way = (unsigned)(++cache->replaced * UINT64_C(0x9E3779B97F4A7C15) >> 61);
    unsigned present = found ? cache->present[set][way] : 0;
    memmove(&cache->tags[set][1], &cache->tags[set][0], way * sizeof(uint64_t));
    memmove(&cache->present[set][1], &cache->present[set][0], way * sizeof(unsigned));
    cache->tags[set][0] = line + 1;
    cache->present[set][0] = present | sector;
    return present & sector;
}

// Returns the mean latency of the last lap of a chain in random order.
static double chase(struct cache *cache, const struct lines_chain *chain)
{
    static size_t order[NODES_MAX];
    size_t nodes = (size_t)(chain->region / chain->stride), hits = 0;
    struct random random;
    assert_true(nodes > 0 && nodes <= NODES_MAX);
    memset(cache->tags, 0, sizeof cache->tags);
    random_init(&random, nodes);
    for (size_t i = 0; i < nodes; i++)
        order[i] = i;
    random_shuffle(&random, order, nodes);
    for (size_t lap = 0; lap < LAPS; lap++) {
        hits = 0;
        for (size_t i = 0; i < nodes; i++)
            hits += cache_load(cache, (uint64_t)(order[i] * (size_t)chain->stride));
    }
    double share = (double)hits / (double)nodes;
    return share * near_latency + (1 - share) * far_latency;
}

static struct cache cache_of(unsigned line, unsigned sector, bool hashed)
{
    struct cache cache = {.line = line, .sector = sector, .hashed = hashed};
    cache.sets = (64 << 10) / (WAYS * line);
    return cache;
}

static void the_expected_latency_is_that_of_a_simulated_cache(void **state)
{
    (void)state;
    const struct lines_chain chains[] = {{0.5, 416}, {2, 416},  {0.5, 32}, {1.5, 32},
                                         {2, 32},    {1.5, 64}, {3, 64},   {1.6, 128}};
    for (unsigned line = 32; line <= 256; line *= 2)
        for (unsigned sector = 32; sector <= line; sector *= 2) {
            for (int i = 0; i < 2 * (int)(sizeof chains / sizeof *chains); i++) {
                struct cache cache = cache_of(line, sector, true);
                cache.random = i % 2;
                const struct lines_cache caches[] = {
                    {near_latency, capacity_of(&cache), line, sector, 0, cache.random},
                    {far_latency, INFINITY, 32, 32, 0, false}};
                struct lines_chain chain = chains[i / 2];
                chain.region *= capacity_of(&cache) * fmax(chain.stride / line, 1);
                double step = far_latency - near_latency;
                double off = chase(&cache, &chain) - lines_expected(caches, 2, &chain);
                assert_true(fabs(off) < 0.08 * step);
            }
        }
}

// Returns what the plan's probes find out about a cache whose end a chain with this stride has
// found.
static struct lines_answer answer_of(struct cache *cache, double end, double stride)
{
    struct lines_probe probes[16];
    assert_true(lines_plan_count <= 16);
    for (size_t i = 0; i < lines_plan_count; i++) {
        probes[i].chain = lines_plan[i];
        probes[i].chain.region *= end;
        probes[i].latency = chase(cache, &probes[i].chain);
    }
    const struct lines_question question = {.latency = near_latency,
                                            .beyond = far_latency,
                                            .end = end,
                                            .stride = stride,
                                            .noise = 0.005,
                                            .probes = probes,
                                            .probe_count = lines_plan_count};
    return lines_judge(&question);
}

static void assert_answer(const struct cache *cache, const struct lines_answer *answer)
{
    assert_int_equal(answer->line, cache->line);
    assert_int_equal(answer->sector, cache->sector);
    assert_true(fabs(answer->capacity / capacity_of(cache) - 1) < 0.01);
}

static void lines_sectors_and_sizes_of_hashed_caches_are_found(void **state)
{
    (void)state;
    for (unsigned line = 32; line <= 256; line *= 2)
        for (unsigned sector = 32; sector <= line; sector *= 2) {
            struct cache cache = cache_of(line, sector, true);
            // A node every 128 bytes occupies a whole line of each cache with shorter lines.
            double end = capacity_of(&cache) * fmax(128.0 / line, 1);
            struct lines_answer answer = answer_of(&cache, end, 128);
            assert_answer(&cache, &answer);
        }
}

static void lines_of_caches_with_plain_sets_are_found(void **state)
{
    (void)state;
    for (unsigned line = 32; line <= 256; line *= 2) {
        struct cache cache = cache_of(line, line, false);
        // At least every second set stays empty, so the chain ends where its region is as large as
        // the cache.
        struct lines_answer answer = answer_of(&cache, capacity_of(&cache), 128);
        assert_answer(&cache, &answer);
    }
}

static void an_end_before_the_capacity_makes_no_line_longer(void **state)
{
    (void)state;
    // given sets that a hash fills unevenly, because nodes leave lines out: a chain with a node
    // every 128 bytes ends before the cache is full
    for (unsigned line = 32; line <= 64; line *= 2)
        for (int percent = 55; percent <= 75; percent += 5) {
            struct cache cache = cache_of(line, line, true);
            double end = percent / 100.0 * capacity_of(&cache) * 128 / line;
            struct lines_answer answer = answer_of(&cache, end, 128);
            assert_int_equal(answer.line, line);
        }
}

static void probes_that_no_line_explains_leave_it_open(void **state)
{
    (void)state;
    struct lines_probe probes[16];
    for (size_t i = 0; i < lines_plan_count; i++)
        probes[i] = (struct lines_probe){{lines_plan[i].region * 65536, lines_plan[i].stride},
                                         i % 2 ? near_latency : far_latency};
    struct lines_question question = {.latency = near_latency,
                                      .beyond = far_latency,
                                      .end = 65536,
                                      .stride = 128,
                                      .noise = 0.005,
                                      .probes = probes,
                                      .probe_count = lines_plan_count};
    struct lines_answer answer = lines_judge(&question);
    assert_true(answer.line == 0 && answer.sector == 0 && answer.capacity == 0);
    assert_non_null(strstr(answer.why, "no line"));
    question.probe_count = 0;
    answer = lines_judge(&question);
    assert_true(answer.line == 0 && answer.capacity == 0);
    assert_non_null(strstr(answer.why, "not measured"));
}

static void noise_as_large_as_the_step_leaves_it_open(void **state)
{
    (void)state;
    struct cache cache = cache_of(128, 32, true);
    struct lines_probe probes[16];
    for (size_t i = 0; i < lines_plan_count; i++) {
        probes[i].chain = lines_plan[i];
        probes[i].chain.region *= capacity_of(&cache);
        probes[i].latency = 100 + 0.01 * chase(&cache, &probes[i].chain);
    }
    const struct lines_question question = {.latency = 100.3,
                                            .beyond = 102,
                                            .end = capacity_of(&cache),
                                            .stride = 128,
                                            .noise = 0.05,
                                            .probes = probes,
                                            .probe_count = lines_plan_count};
    struct lines_answer answer = lines_judge(&question);
    assert_true(answer.line == 0 && answer.sector == 0);
}

// Given two caches with lines of 64 bytes, where the second has 2.4 times the size of the first,
// then the first is found, although chains with a node every 32 bytes fill the second one in half
// the region in which the curve's chain, with a node every 128 bytes, does.
static void dense_chains_that_fill_the_next_cache_leave_the_size_known(void **state)
{
    (void)state;
    const double size = 64 << 10, next = 2.4 * size;
    const struct lines_cache caches[] = {{360, size, 64, 64, 0, false},
                                         {1500, next, 64, 64, 0, false},
                                         {3800, INFINITY, 32, 32, 0, false}};
    struct lines_probe probes[16];
    for (size_t i = 0; i < lines_plan_count; i++) {
        probes[i].chain = lines_plan[i];
        probes[i].chain.region *= 2 * size;
        probes[i].latency = lines_expected(caches, 3, &probes[i].chain);
    }
    const struct lines_question question = {.latency = caches[0].latency,
                                            .beyond = caches[1].latency,
                                            .beyond_end = 2 * next,
                                            .end = 2 * size,
                                            .stride = 128,
                                            .noise = 0.005,
                                            .probes = probes,
                                            .probe_count = lines_plan_count};
    const struct lines_answer answer = lines_judge(&question);
    assert_true(answer.line == 64 && answer.sector == 64);
    assert_true(fabs(answer.capacity / size - 1) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_expected_latency_is_that_of_a_simulated_cache),
        cmocka_unit_test(lines_sectors_and_sizes_of_hashed_caches_are_found),
        cmocka_unit_test(lines_of_caches_with_plain_sets_are_found),
        cmocka_unit_test(an_end_before_the_capacity_makes_no_line_longer),
        cmocka_unit_test(probes_that_no_line_explains_leave_it_open),
        cmocka_unit_test(dense_chains_that_fill_the_next_cache_leave_the_size_known),
        cmocka_unit_test(noise_as_large_as_the_step_leaves_it_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
