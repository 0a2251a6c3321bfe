// SPDX-License-Identifier: MIT
// Which cases of two devices are visited together, and what happens to cases without visits.
#include "suite/block.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct metric_info metrics[] = {{.name = "rate", .unit = UNIT_BYTE_PER_S}};
static const struct benchmark shared = {
    .info = {.name = "shared", .metrics = metrics, .metric_count = 1}, .together = true};

// Takes every case, as if the peer's plan had it.
static bool take_any(struct plan *plan, const char *key, struct plan_case *taken)
{
    (void)plan;
    *taken = (struct plan_case){.benchmark = &shared, .key = key, .index = 7};
    return true;
}

struct stage {
    struct arena *arena;
    struct gpu_info devices[2];
    struct plan peer_plan;
    struct budget budget;
    struct device_slot slots[2];
    struct block block;
    struct case_value together;
    struct bench_case bench_case;
};

// Creates two devices on different chips, and a case whose value of "together" is this one.
static struct stage *stage_create(const char *together)
{
    struct arena *arena = arena_create();
    struct stage *stage = ARENA_NEW(arena, struct stage);
    stage->arena = arena;
    for (unsigned i = 0; i < 2; i++) {
        stage->devices[i] = (struct gpu_info){.has_pci = true, .pci = {.bus = i}, .api = "fake"};
        memcpy(stage->devices[i].id, i ? "fake:1" : "fake:0", sizeof "fake:0");
        stage->slots[i].device = &stage->devices[i];
    }
    stage->peer_plan.take = take_any;
    stage->slots[1].plan = &stage->peer_plan;
    stage->budget.rounds_min = stage->budget.rounds_max = 5;
    stage->together = (struct case_value){.key = "together", .type = PARAM_TEXT, .text = together};
    stage->bench_case = (struct bench_case){&stage->together, 1};
    stage->block = (struct block){.run = run_create(),
                                  .budget = &stage->budget,
                                  .preset = "quick",
                                  .slots = stage->slots,
                                  .slot_count = 2,
                                  .arena = arena};
    return stage;
}

static void stage_add(struct stage *stage)
{
    block_add(&stage->block, &(struct plan_case){.benchmark = &shared,
                                                 .bench_case = &stage->bench_case,
                                                 .key = "shared/together"});
}

static void stage_destroy(struct stage *stage)
{
    run_destroy(stage->block.run);
    arena_destroy(stage->arena);
}

static void a_case_is_taken_out_of_the_plan_of_a_peer_on_another_chip(void **state)
{
    (void)state;
    struct stage *stage = stage_create("auto");
    stage_add(stage);
    const struct entry *entries = stage->block.entries;
    assert_int_equal(stage->block.count, 2);
    assert_int_equal(stage->block.own, 1);
    assert_ptr_equal(entries[0].co_run, &entries[1]);
    assert_int_equal(entries[1].plan_case.index, 7);
    assert_string_equal(entries[0].with, "fake:1");
    assert_string_equal(entries[1].with, "fake:0");
    stage_destroy(stage);
}

static void the_same_chip_through_two_apis_does_not_run_beside_itself_unless_asked(void **state)
{
    (void)state;
    static const struct {
        const char *together;
        size_t entries;
    } cases[] = {{"auto", 1}, {"yes", 2}, {"no", 1}};
    for (size_t i = 0; i < 3; i++) {
        struct stage *stage = stage_create(cases[i].together);
        stage->devices[1].pci = stage->devices[0].pci;
        stage_add(stage);
        assert_int_equal(stage->block.count, cases[i].entries);
        stage_destroy(stage);
    }
}

static void a_device_that_is_given_up_fails_its_cases_and_joins_no_other(void **state)
{
    (void)state;
    struct stage *stage = stage_create("yes");
    stage_add(stage);
    block_give_up(&stage->block, &stage->slots[1], "lost");
    assert_true(entry_is_open(&stage->block.entries[0]));
    assert_false(entry_is_open(&stage->block.entries[1]));
    stage_add(stage);
    assert_int_equal(stage->block.count, 3);
    assert_null(stage->block.entries[2].co_run);
    stage_destroy(stage);
}

// Makes five visits of four samples; one sample takes 1.7 times as long. Returns how many rounds.
static unsigned rounds_with_a_slow_sample(const struct benchmark *benchmark, enum gpu_kind kind)
{
    struct stage *stage = stage_create("no");
    stage->devices[0].kind = kind;
    block_add(&stage->block, &(struct plan_case){.benchmark = benchmark,
                                                 .bench_case = &stage->bench_case,
                                                 .key = "shared/together"});
    struct collect *collect = stage->block.entries[0].collect;
    for (unsigned i = 0; i < 5; i++) {
        struct measure_visit *visit = measure_visit_create(stage->arena);
        const double rates[] = {1e9, 1.001e9, i == 2 ? 0.6e9 : 1.002e9, 0.999e9};
        visit_samples(visit, 0, rates, 4, 1);
        collect_visit(collect, visit);
    }
    unsigned rounds = collect_rounds(collect);
    stage_destroy(stage);
    return rounds;
}

static void a_slow_sample_tells_of_other_work_only_if_the_host_has_no_part_in_it(void **state)
{
    (void)state;
    struct benchmark linked = shared;
    linked.link = true;
    assert_int_equal(rounds_with_a_slow_sample(&shared, GPU_KIND_DISCRETE), 4);
    assert_int_equal(rounds_with_a_slow_sample(&shared, GPU_KIND_CPU), 5);
    assert_int_equal(rounds_with_a_slow_sample(&linked, GPU_KIND_DISCRETE), 5);
}

static void only_cases_with_a_visit_or_an_end_become_results(void **state)
{
    (void)state;
    struct stage *stage = stage_create("no");
    stage_add(stage);
    stage_add(stage);
    entry_end(&stage->block.entries[1], VERDICT_SKIPPED, "out-of-time", "no time was left");
    block_publish(&stage->block, stage->block.run->arena, BLOCK_INTERRUPTED);
    assert_int_equal(stage->block.run->result_count, 1);
    const struct result *result = stage->block.run->results[0];
    assert_int_equal(result->verdict, VERDICT_SKIPPED);
    assert_string_equal(result->reasons[0].text, "no time was left");
    stage_destroy(stage);
}

static unsigned no_groups(const struct bench_case *c)
{
    (void)c;
    return 0;
}

static void measured_cases_are_counted_later_or_say_why_not(void **state)
{
    (void)state;
    struct benchmark counted = shared;
    counted.counted = no_groups;
    // Given cases of two devices, of one device, and of a benchmark without counted visits.
    static const char *const together[] = {"yes", "no", "no"};
    const struct benchmark *const of[] = {&counted, &counted, &shared};
    static const size_t waiting[] = {0, 1, 0}, remarks[] = {1, 0, 0};
    for (size_t i = 0; i < COUNT(together); i++) {
        struct stage *stage = stage_create(together[i]);
        block_add(&stage->block, &(struct plan_case){.benchmark = of[i],
                                                     .bench_case = &stage->bench_case,
                                                     .key = "shared/together"});
        struct measure_visit *visit = measure_visit_create(stage->arena);
        visit_samples(visit, 0, (const double[]){1e9}, 1, 1);
        collect_visit(stage->block.entries[0].collect, visit);
        block_publish(&stage->block, stage->block.run->arena, BLOCK_ENDED);
        struct result *result = stage->block.run->results[0];
        size_t before = result->reason_count;
        struct uncounted uncounted = {0};
        block_await_count(&stage->block, &uncounted);
        block_await_count(&stage->block, &uncounted);
        assert_int_equal(uncounted.count, 2 * waiting[i]);
        assert_int_equal(result->reason_count - before, remarks[i]);
        assert_int_equal(uncounted.names != NULL, of[i] == &shared);
        if (uncounted.names)
            assert_string_equal(uncounted.names, "shared");
        // When the device is given up, then the cases that wait for a count say so.
        struct error err;
        block_give_up(&stage->block, &stage->slots[0], "it was lost");
        assert_true(block_count(&stage->block, &uncounted, NULL, NULL, &err));
        assert_int_equal(result->reason_count - before, remarks[i] + waiting[i]);
        stage_destroy(stage);
    }
}

// Adds rounds whose medians differ by a factor of two.
static void add_rounds(struct entry *entry, unsigned rounds)
{
    struct arena *arena = arena_create();
    for (unsigned i = 0; i < rounds; i++) {
        struct measure_visit *visit = measure_visit_create(arena);
        double rate = collect_rounds(entry->collect) % 2 ? 2e9 : 1e9;
        const double values[] = {rate, 1.001 * rate, 1.002 * rate, 1.003 * rate};
        visit_samples(visit, 0, values, 4, 0);
        collect_visit(entry->collect, visit);
    }
    arena_destroy(arena);
}

// Given a block whose time is over, then each case gets five rounds. While late_ns lasts, an
// imprecise case gets ten rounds, and if it is still imprecise, twenty.
static void cases_that_are_not_precise_get_a_little_more_time(void **state)
{
    (void)state;
    struct stage *stage = stage_create("no");
    struct block *block = &stage->block;
    struct entry *entry = &block->entries[0];
    uint64_t minute_ns = 60 * NS_PER_S, now_ns = clock_now_ns();
    stage->budget.rounds_max = 40;
    stage->devices[0].kind = GPU_KIND_CPU; // on a GPU, slow samples would count as other work
    stage_add(stage);
    block_begin(block, now_ns, now_ns + minute_ns, 0);
    block->began_ns -= 5 * minute_ns;
    add_rounds(entry, 4);
    assert_true(block_has_time(block, entry));
    assert_int_equal(block->late_ns, 0);
    add_rounds(entry, 1);
    assert_true(block_has_time(block, entry));
    assert_true(block->late_ns >= now_ns + minute_ns);
    add_rounds(entry, 4);
    assert_true(block_has_time(block, entry));
    uint64_t late_ns = block->late_ns;
    block->late_ns = now_ns;
    assert_false(block_has_time(block, entry));
    block->late_ns = late_ns;
    add_rounds(entry, 10);
    assert_true(block_has_time(block, entry));
    add_rounds(entry, 1);
    assert_true(entry_is_open(entry));
    assert_false(block_has_time(block, entry));
    stage_destroy(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_that_are_not_precise_get_a_little_more_time),
        cmocka_unit_test(a_case_is_taken_out_of_the_plan_of_a_peer_on_another_chip),
        cmocka_unit_test(the_same_chip_through_two_apis_does_not_run_beside_itself_unless_asked),
        cmocka_unit_test(a_device_that_is_given_up_fails_its_cases_and_joins_no_other),
        cmocka_unit_test(a_slow_sample_tells_of_other_work_only_if_the_host_has_no_part_in_it),
        cmocka_unit_test(only_cases_with_a_visit_or_an_end_become_results),
        cmocka_unit_test(measured_cases_are_counted_later_or_say_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
