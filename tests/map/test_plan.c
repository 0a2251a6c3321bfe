// SPDX-License-Identifier: MIT
// The plan of `fathom map` goes where the answers point, and its results say what they were: each
// case is answered from a machine that is written down here.
#include "analysis/lines.h"
#include "bench/bench.h"
#include "bench/map.h"
#include "results/results.h"
#include "suite/map_plan.h"
#include "suite/map_results.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum {
    LEVELS_MAX = 3,
    CASES_MAX = 2000
};

struct machine {
    size_t levels;
    double capacity[LEVELS_MAX], latency[LEVELS_MAX + 1]; // bytes, ns
    double line, sector;                                  // bytes
    double sharers[LEVELS_MAX];                           // cores that have a level in common
    bool hashed;                                          // how lines choose their sets
    double entries, page;                                 // of the TLB; bytes of an entry
    double rises_from; // bytes; 0: never. Beyond, latency rises without levels
    double slope;      // of a machine without levels: the latency's exponent over bytes
    double code[LEVELS_MAX], fetch[LEVELS_MAX + 1]; // instructions that levels hold; their time, ns
    double code_bytes;                              // of one, as the driver says; 0: it does not
    double code_most;                               // longer code is skipped; 0: none is
};

static const struct machine hopper = {
    .levels = 3,
    .capacity = {200 << 10, 28e6, 60e6},
    .latency = {16, 140, 260, 335},
    .sharers = {1, 66, 132},
    .line = 128,
    .sector = 32,
    .hashed = true,
    .entries = 1024,
    .page = 2 << 20,
    .code = {1024, 8192, INFINITY},
    .fetch = {0.5, 0.7, 2.1},
};

static struct gpu_info device_of(enum gpu_kind kind)
{
    struct gpu_info info = {.id = "vulkan:0", .api = "vulkan", .kind = kind};
    info.caps = ~GPU_CAP(VIRTUAL_TIME);
    info.limits = (struct gpu_limits){.memory_bytes = UINT64_C(64) << 30,
                                      .allocation_bytes = UINT64_C(4) << 30,
                                      .storage_range_bytes = UINT64_C(4) << 30,
                                      .constant_range_bytes = 64 << 10,
                                      .typed_elements = 1 << 27,
                                      .image_2d = 16384,
                                      .shared_bytes = 48 << 10,
                                      .workgroup_threads = 1024,
                                      .cores = 132,
                                      .last_cache_bytes = 60 << 20};
    return info;
}

// ---------------------------------------------------------------- answers

static double latency_of(const struct machine *m, const struct lines_chain *chain)
{
    struct lines_cache caches[LEVELS_MAX + 1];
    if (m->slope > 0)
        return 10 * pow(chain->region / 1024, m->slope);
    for (size_t k = 0; k <= m->levels; k++)
        caches[k] = (struct lines_cache){m->latency[k], k < m->levels ? m->capacity[k] : INFINITY,
                                         m->line, m->sector};
    double rise = m->rises_from > 0 ? fmax(log2(chain->region / m->rises_from), 0) : 0;
    return lines_expected(caches, m->levels + 1, chain) * exp2(0.4 * rise);
}

// Of a chain over pages: as many entries as pages, or pages of the chain, whichever are larger.
static double translated(const struct machine *m, double region, double apart)
{
    return m->latency[1] + (region / fmax(apart, m->page) > m->entries ? 100 : 0);
}

// Of a chain that runs on every core at the same time.
static double crowded(const struct machine *m, double bytes)
{
    size_t k = 0;
    while (k < m->levels && bytes * m->sharers[k] > m->capacity[k])
        k++;
    return m->latency[k];
}

static double chase_ns(const struct machine *m, const struct bench_case *point)
{
    double bytes = (double)case_uint(point, "bytes"), pitch = (double)case_uint(point, "pitch");
    const struct case_value *order = case_find(point, "order"), *what = case_find(point, "what");
    if (strcmp(case_text(point, "path"), "shared") == 0)
        return 15;
    if (order && strcmp(order->text, "page") == 0)
        return translated(m, bytes, (double)case_uint(point, "page"));
    if (what && strcmp(what->text, MAP_PAGES) == 0)
        return translated(m, bytes, pitch);
    if (what && strcmp(what->text, MAP_NEIGHBOURS) == 0)
        return crowded(m, bytes);
    // With plain sets, nodes two or four lines apart leave as many sets out: as if lines were as
    // long as the largest power of two in the pitch.
    struct machine seen = *m;
    uint64_t odd = (uint64_t)pitch & (~(uint64_t)pitch + 1);
    if (!m->hashed && (double)odd > m->line)
        seen.line = (double)odd;
    return latency_of(&seen, &(struct lines_chain){bytes, pitch});
}

static double fetch_ns(const struct machine *m, const struct bench_case *point)
{
    size_t k = 0;
    while ((double)case_uint(point, "instructions") > m->code[k])
        k++;
    return m->fetch[k];
}

static void answer(struct run *run, const char *device, const struct plan_case *asked,
                   const struct machine *m)
{
    const struct benchmark_info *info = &asked->benchmark->info;
    struct result *result = run_add_result(run);
    result->benchmark = info->name;
    result->version = info->version;
    result->device = device;
    result->point = *asked->point;
    result->key = asked->key;
    result->metrics = ARENA_NEW(run->arena, struct metric);
    bool is_chase = strcmp(info->name, "latency") == 0 || strcmp(info->name, "map") == 0;
    // One part in a thousand of noise, by the case's number.
    double noise = 1 + 0.001 * sin(12.9898 * (double)asked->index);
    const struct case_value *bytes = case_find(asked->point, "bytes");
    const struct case_value *what = case_find(asked->point, "what");
    bool is_code = what && strcmp(what->text, MAP_CODE) == 0;
    double value = noise * (is_code    ? fetch_ns(m, asked->point)
                            : is_chase ? chase_ns(m, asked->point)
                                       : 1e18 / (bytes ? (double)bytes->uint : 1));
    result->sensors = ARENA_NEW(run->arena, struct named_number);
    result->sensors[0] = (struct named_number){MAP_CODE_SENSOR, UNIT_BYTE, m->code_bytes};
    result->sensor_count = is_code;
    *result->metrics = (struct metric){.name = is_code    ? "fetch"
                                               : is_chase ? "latency"
                                                          : "bandwidth",
                                       .unit = is_chase ? UNIT_NS : UNIT_BYTE_PER_S,
                                       .median = value,
                                       .ci95 = {value * 0.999, value * 1.001},
                                       .n = 20};
    result->metric_count = 1;
    if (is_code && m->code_most > 0 &&
        (double)case_uint(asked->point, "instructions") > m->code_most) {
        result->metric_count = 0;
        result_doubt(run->arena, result, VERDICT_SKIPPED, "unsupported", "it takes too long");
    }
}

// `fathom map` on that machine, ended after `most` cases.
static struct run *map_run(const struct gpu_info *device, const struct machine *machine,
                           size_t most, size_t *cases)
{
    struct run *run = run_create();
    struct error err = {.code = ERROR_NONE};
    for (size_t i = 0; map_benchmarks[i]; i++)
        run_add_benchmark(run, &benchmark_find(map_benchmarks[i])->info);
    run_add_device(run)->id = device->id;
    struct plan *plan = plan_map_create(run->arena, device, &err);
    assert_non_null(plan);
    struct plan_case asked;
    *cases = 0;
    for (enum plan_step step;
         *cases < most && (step = plan->next(plan, run, &asked)) != PLAN_END;) {
        assert_true(*cases < CASES_MAX);
        if (step == PLAN_CASE) {
            answer(run, device->id, &asked, machine);
            ++*cases;
        }
    }
    map_add_results(run, device);
    return run;
}

static struct run *map_of(const struct gpu_info *device, const struct machine *machine,
                          size_t *cases)
{
    return map_run(device, machine, SIZE_MAX, cases);
}

static struct run *map_up_to(const struct gpu_info *device, const struct machine *machine,
                             size_t most)
{
    size_t cases;
    return map_run(device, machine, most, &cases);
}

// ---------------------------------------------------------------- what came out

static const struct result *found(const struct run *run, const char *key)
{
    const struct result *result = run_find(run, "vulkan:0", key);
    if (!result)
        fail_msg("no result %s", key);
    return result;
}

static double value(const struct result *result, const char *metric)
{
    const struct metric *found = result_metric(result, metric);
    return found ? found->median : NAN;
}

static const char *detail(const struct result *result, const char *name)
{
    for (size_t i = 0; i < result->detail_count; i++)
        if (strcmp(result->details[i].name, name) == 0)
            return result->details[i].text;
    return "";
}

static void assert_level(const struct run *run, const struct machine *m, size_t level)
{
    char key[64];
    snprintf(key, sizeof key, "map/what=level/path=vector/level=%zu", level);
    const struct result *result = found(run, key);
    const struct metric *size = result_metric(result, "size");
    double truth = m->capacity[level - 1];
    assert_true(fabs(size->median / truth - 1) < 0.05);
    assert_true(size->ci95[0] <= truth && truth <= size->ci95[1]);
    assert_true(fabs(value(result, "latency") / m->latency[level - 1] - 1) < 0.01);
    assert_true(value(result, "group_bandwidth") > 0);
    assert_int_equal(value(result, "line"), m->line);
    assert_int_equal(value(result, "sector"), m->sector);
}

static void every_level_of_a_machine_is_found_with_its_size_and_line(void **state)
{
    (void)state;
    struct gpu_info device = device_of(GPU_KIND_DISCRETE);
    for (unsigned line = 32; line <= 128; line *= 2) {
        struct machine m = hopper;
        m.line = line;
        m.hashed = line != 64;
        size_t cases;
        struct run *run = map_of(&device, &m, &cases);
        assert_int_equal(value(found(run, "map/what=hierarchy/path=vector"), "levels"), 3);
        for (size_t level = 1; level <= m.levels; level++)
            assert_level(run, &m, level);
        assert_true(fabs(value(found(run, "map/what=memory/path=vector"), "latency") / 335 - 1) <
                    0.01);
        run_destroy(run);
    }
}

static void the_plan_asks_for_few_cases(void **state)
{
    (void)state;
    struct gpu_info device = device_of(GPU_KIND_DISCRETE);
    size_t cases;
    struct run *run = map_of(&device, &hopper, &cases);
    assert_true(cases < 350);
    run_destroy(run);
}

static void the_reach_of_the_tlb_is_told_from_pages(void **state)
{
    (void)state;
    struct gpu_info device = device_of(GPU_KIND_DISCRETE);
    size_t cases;
    struct run *run = map_of(&device, &hopper, &cases);
    const struct result *first = found(run, "map/what=tlb/path=vector/level=1");
    const struct result *second = found(run, "map/what=tlb/path=vector/level=2");
    assert_true(fabs(value(first, "size") / (hopper.entries * hopper.page) - 1) < 0.05);
    assert_true(fabs(value(second, "latency") - value(first, "latency") - 100) < 2);
    assert_true(isnan(value(second, "size")));
    assert_non_null(strstr(detail(second, "size"), "unknown: "));
    run_destroy(run);
}

static void pages_are_told_by_how_many_share_an_entry(void **state)
{
    (void)state;
    struct gpu_info device = device_of(GPU_KIND_DISCRETE);
    const struct {
        unsigned kib;
        const char *unknown; // NULL: it is told
    } pages[] = {{64, "less than 512 KiB"},
                 {512, NULL},
                 {1024, NULL},
                 {2048, NULL},
                 {4096, NULL},
                 {8192, NULL},
                 {16384, NULL},
                 {65536, "more than 16 MiB"}};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        struct machine m = hopper;
        m.page = pages[i].kib * 1024.0;
        m.entries = 2e9 / fmax(m.page, 2 << 20);
        size_t cases;
        struct run *run = map_of(&device, &m, &cases);
        const struct result *tlb = found(run, "map/what=tlb/path=vector/level=1");
        if (pages[i].unknown)
            assert_non_null(strstr(detail(tlb, "page"), pages[i].unknown));
        else
            assert_int_equal(value(tlb, "page"), m.page);
        run_destroy(run);
    }
}

static void assert_code_level(const struct run *run, size_t level, double bytes)
{
    char key[64];
    snprintf(key, sizeof key, "map/what=level/path=instruction/level=%zu", level);
    const struct result *result = found(run, key);
    const struct metric *length = result_metric(result, "instructions");
    double truth = hopper.code[level - 1];
    assert_true(fabs(length->median / truth - 1) < 0.05);
    assert_true(length->ci95[0] <= truth && truth <= length->ci95[1]);
    assert_true(fabs(value(result, "fetch") / hopper.fetch[level - 1] - 1) < 0.01);
    if (bytes > 0)
        assert_true(fabs(value(result, "size") / (bytes * length->median) - 1.025) < 0.01);
    else
        assert_non_null(strstr(detail(result, "size"), "unknown: how many bytes"));
}

static void caches_of_instructions_are_told_in_bytes_where_the_encoding_is_known(void **state)
{
    (void)state;
    const struct {
        uint32_t vendor, device;
        double said, bytes;                    // by the driver; what is to come of it
    } chips[] = {{0x10de, 0x2335, 0, 16},      // H200
                 {0x10de, 0x2335, 16.2, 16.2}, // whose driver says more
                 {0x10de, 0x1b80, 0, 0},       // GTX 1080: before Volta
                 {0x1002, 0x73bf, 8.2, 8.2},
                 {0x8086, 0x56a0, 0, 0}};
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
        struct gpu_info device = device_of(GPU_KIND_DISCRETE);
        struct machine m = hopper;
        device.vendor_id = chips[i].vendor;
        device.device_id = chips[i].device;
        m.code_bytes = chips[i].said;
        size_t cases;
        struct run *run = map_of(&device, &m, &cases);
        assert_int_equal(value(found(run, "map/what=hierarchy/path=instruction"), "levels"), 2);
        assert_code_level(run, 1, chips[i].bytes);
        assert_code_level(run, 2, chips[i].bytes);
        const struct result *beyond = found(run, "map/what=memory/path=instruction");
        assert_true(fabs(value(beyond, "fetch") / hopper.fetch[2] - 1) < 0.01);
        run_destroy(run);
    }
}

static void code_whose_instructions_all_take_as_long_shows_no_cache(void **state)
{
    (void)state;
    struct gpu_info device = device_of(GPU_KIND_DISCRETE);
    struct machine m = hopper;
    m.code[0] = INFINITY;
    size_t cases;
    struct run *run = map_of(&device, &m, &cases);
    const struct result *result = found(run, "map/what=hierarchy/path=instruction");
    assert_non_null(strstr(detail(result, "levels"), "unknown: 32768 instructions take as long"));
    assert_null(run_find(run, "vulkan:0", "map/what=level/path=instruction/level=1"));
    run_destroy(run);
}

static void code_that_is_cut_short_is_a_bound(void **state)
{
    (void)state;
    struct gpu_info device = device_of(GPU_KIND_DISCRETE);
    struct machine m = hopper;
    m.code_most = 4096;
    size_t cases;
    struct run *run = map_of(&device, &m, &cases);
    assert_code_level(run, 1, 0);
    const struct result *last = found(run, "map/what=level/path=instruction/level=2");
    assert_non_null(strstr(detail(last, "size"), "more than 4096 instructions"));
    assert_non_null(strstr(detail(last, "size"), "it takes too long"));
    assert_true(isnan(value(last, "instructions")));
    assert_null(run_find(run, "vulkan:0", "map/what=memory/path=instruction"));
    assert_non_null(strstr(detail(found(run, "map/what=hierarchy/path=instruction"), "levels"),
                           "unknown: at least 2"));
    run_destroy(run);
}

static void cpus_and_models_are_asked_for_no_code_and_say_why(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct gpu_info device = device_of(i ? GPU_KIND_DISCRETE : GPU_KIND_CPU);
        if (i)
            device.caps |= GPU_CAP(VIRTUAL_TIME);
        size_t cases;
        struct run *run = map_of(&device, &hopper, &cases);
        const struct result *result = found(run, "map/what=hierarchy/path=instruction");
        assert_int_equal(result->verdict, VERDICT_SKIPPED);
        assert_non_null(strstr(result->reasons[0].text, i ? "a model" : "a CPU"));
        for (size_t k = 0; k < run->result_count; k++)
            assert_null(strstr(run->results[k]->key, "what=code"));
        run_destroy(run);
    }
}

static void a_curve_that_merely_rises_is_unknown_and_says_why(void **state)
{
    (void)state;
    struct gpu_info device = device_of(GPU_KIND_DISCRETE);
    const struct machine ramp = {.slope = 0.3, .line = 128, .latency = {10, 100}};
    size_t cases;
    struct run *run = map_of(&device, &ramp, &cases);
    const struct result *result = found(run, "map/what=hierarchy/path=vector");
    assert_int_equal(result->verdict, VERDICT_SKIPPED);
    assert_non_null(strstr(result->reasons[0].text, "not told from its latencies: "));
    assert_null(run_find(run, "vulkan:0", "map/what=level/path=vector/level=1"));
    assert_null(run_find(run, "vulkan:0", "map/what=memory/path=vector"));
    run_destroy(run);
}

static void a_staircase_that_ends_in_a_rise_keeps_its_stairs(void **state)
{
    (void)state;
    struct gpu_info device = device_of(GPU_KIND_DISCRETE);
    struct machine m = hopper;
    m.rises_from = 64 << 20;
    size_t cases;
    struct run *run = map_of(&device, &m, &cases);
    const struct result *result = found(run, "map/what=hierarchy/path=vector");
    assert_int_equal(result->verdict, VERDICT_SKIPPED);
    assert_non_null(strstr(result->reasons[0].text, "rises without flat parts"));
    assert_non_null(strstr(result->reasons[0].text, " beyond "));
    for (size_t level = 1; level <= 2; level++)
        assert_level(run, &m, level);
    assert_null(run_find(run, "vulkan:0", "map/what=memory/path=vector"));
    run_destroy(run);
}

static void who_shares_a_level_is_told_and_so_are_its_halves(void **state)
{
    (void)state;
    struct gpu_info device = device_of(GPU_KIND_DISCRETE);
    size_t cases;
    struct run *run = map_of(&device, &hopper, &cases);
    const struct result *near = found(run, "map/what=level/path=vector/level=2");
    assert_int_equal(value(found(run, "map/what=level/path=vector/level=1"), "sharers"), 1);
    assert_int_equal(value(near, "sharers"), 66);
    assert_non_null(strstr(detail(near, "partition"), "66 of the 132 cores"));
    assert_int_equal(value(found(run, "map/what=level/path=vector/level=3"), "sharers"), 132);
    run_destroy(run);
}

static void a_level_larger_than_what_can_be_allocated_is_a_bound(void **state)
{
    (void)state;
    struct gpu_info device = device_of(GPU_KIND_DISCRETE);
    device.limits.allocation_bytes = device.limits.storage_range_bytes = 16 << 20;
    device.limits.memory_bytes = 64 << 20;
    size_t cases;
    struct run *run = map_of(&device, &hopper, &cases);
    const struct result *last = found(run, "map/what=level/path=vector/level=2");
    assert_true(isnan(value(last, "size")));
    assert_non_null(strstr(detail(last, "size"), "unknown: more than "));
    assert_non_null(strstr(detail(found(run, "map/what=hierarchy/path=vector"), "levels"),
                           "unknown: at least 2"));
    assert_level(run, &hopper, 1);
    assert_null(run_find(run, "vulkan:0", "map/what=memory/path=vector"));
    run_destroy(run);
}

static void a_sweep_that_was_cut_short_invents_nothing(void **state)
{
    (void)state;
    struct gpu_info device = device_of(GPU_KIND_DISCRETE);
    for (size_t most = 0; most < 60; most += 3) {
        struct run *run = map_up_to(&device, &hopper, most);
        for (size_t i = 0; i < run->result_count; i++) {
            const struct result *result = run->results[i];
            const struct metric *size = result_metric(result, "size");
            if (strcmp(result->benchmark, "map") != 0 || !size)
                continue;
            size_t level = (size_t)case_uint(&result->point, "level");
            assert_true(level >= 1 && level <= hopper.levels);
            assert_true(size->ci95[0] <= hopper.capacity[level - 1] * 1.01 &&
                        hopper.capacity[level - 1] <= size->ci95[1] * 1.01);
        }
        assert_null(run_find(run, "vulkan:0", "map/what=memory/path=vector"));
        run_destroy(run);
    }
}

static void what_no_probe_tells_is_said_to_be_unknown(void **state)
{
    (void)state;
    struct gpu_info device = device_of(GPU_KIND_DISCRETE);
    device.caps &= ~GPU_CAP(CORE_ID);
    size_t cases;
    struct run *run = map_of(&device, &hopper, &cases);
    const struct result *level = found(run, "map/what=level/path=vector/level=1");
    const char *const names[] = {"ways", "sharers", "clock domain"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_non_null(strstr(detail(level, names[i]), "unknown: "));
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_of_a_machine_is_found_with_its_size_and_line),
        cmocka_unit_test(the_plan_asks_for_few_cases),
        cmocka_unit_test(the_reach_of_the_tlb_is_told_from_pages),
        cmocka_unit_test(pages_are_told_by_how_many_share_an_entry),
        cmocka_unit_test(caches_of_instructions_are_told_in_bytes_where_the_encoding_is_known),
        cmocka_unit_test(code_whose_instructions_all_take_as_long_shows_no_cache),
        cmocka_unit_test(code_that_is_cut_short_is_a_bound),
        cmocka_unit_test(cpus_and_models_are_asked_for_no_code_and_say_why),
        cmocka_unit_test(a_staircase_that_ends_in_a_rise_keeps_its_stairs),
        cmocka_unit_test(a_curve_that_merely_rises_is_unknown_and_says_why),
        cmocka_unit_test(who_shares_a_level_is_told_and_so_are_its_halves),
        cmocka_unit_test(a_level_larger_than_what_can_be_allocated_is_a_bound),
        cmocka_unit_test(a_sweep_that_was_cut_short_invents_nothing),
        cmocka_unit_test(what_no_probe_tells_is_said_to_be_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
