// SPDX-License-Identifier: MIT
// Tables that benchmarks index by a choice must be in the order of the choices. Also tests which
// benchmarks time submissions, and limits of values.
#include "bench/incore/session.h"
#include "bench/latency/case.h"
#include "bench/loads/kind.h"
#include "bench/overlap/scenario.h"
#include "bench/raster/session.h"
#include "bench/roofline/session.h"
#include "bench/stream/session.h"
#include "bench/values.h"
#include "case_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// Returns choice number `place` of a parameter; "" after the last.
static const char *choice_of(struct arena *arena, const char *benchmark, const char *key,
                             size_t place)
{
    const char *at = benchmark_param(&benchmark_find(benchmark)->info, key)->choices;
    for (; place && *at; place--) {
        at += strcspn(at, "|");
        at += *at == '|';
    }
    return arena_printf(arena, "%.*s", (int)strcspn(at, "|"), at);
}

#define ASSERT_TABLE(benchmark, key, count, name_of_i)                                             \
    for (size_t i = 0; i <= (count); i++)                                                          \
    assert_string_equal(choice_of(arena, benchmark, key, i), i < (count) ? (name_of_i) : "")

static void tables_are_in_the_order_of_choices(void **state)
{
    static const char *const barriers[] = {[OVERLAP_BARRIER_MEMORY] = "memory",
                                           [OVERLAP_BARRIER_EXECUTION] = "execution",
                                           [OVERLAP_BARRIER_BUFFER] = "buffer",
                                           [OVERLAP_BARRIER_IMAGE] = "image",
                                           [OVERLAP_BARRIER_FULL] = "full",
                                           [OVERLAP_BARRIER_SPLIT] = "split",
                                           [OVERLAP_BARRIER_SEMAPHORE] = "semaphore",
                                           [OVERLAP_BARRIER_TARGET] = "target",
                                           [OVERLAP_BARRIER_NONE] = "none"};
    struct arena *arena = arena_create();
    (void)state;
    ASSERT_TABLE("incore", "op", incore_kind_count, incore_kinds[i].name);
    ASSERT_TABLE("loads", "load", loads_kind_count, loads_kinds[i].label);
    ASSERT_TABLE("stream", "op", STREAM_OPS, stream_ops[i].name);
    ASSERT_TABLE("roofline", "type", ROOFLINE_NUMBERS, roofline_numbers[i].name);
    ASSERT_TABLE("latency", "path", LATENCY_PATH_COUNT, latency_path_name((enum latency_path)i));
    ASSERT_TABLE("overlap", "barrier", COUNT(barriers), barriers[i]);
    arena_destroy(arena);
}

// Given a parameter that a case keeps in 32 bits, when the user asks for a larger number, then it
// is refused. Otherwise the low bits would be measured under its name.
static void a_number_that_32_bits_cannot_hold_is_refused(void **state)
{
    static const char *const params[][2] = {
        {"bandwidth", "workgroups"}, {"launch", "elements"}, {"occupancy", "subgroup"}};
    struct arena *arena = arena_create();
    (void)state;
    for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
        const struct param_info *param =
            benchmark_param(&benchmark_find(params[i][0])->info, params[i][1]);
        struct value_list list;
        struct error err;
        assert_true(values_parse(arena, param, "4294967295", &list, &err));
        assert_false(values_parse(arena, param, "4294967297", &list, &err));
        assert_int_equal(err.code, ERROR_USAGE);
    }
    arena_destroy(arena);
}

static void every_format_is_drawn_into_by_its_name(void **state)
{
    struct arena *arena = arena_create();
    (void)state;
    for (size_t i = 0; *choice_of(arena, "raster", "format", i); i++) {
        const char *name = choice_of(arena, "raster", "format", i);
        struct case_value format = case_text_of(benchmark_find("raster"), "format", name);
        struct raster_case this_case;
        raster_case_read(&(struct bench_case){&format, 1}, &this_case);
        assert_string_equal(gpu_format_name(this_case.format), name);
    }
    arena_destroy(arena);
}

static void benchmarks_of_links_and_queues_time_submissions(void **state)
{
    (void)state;
    static const char *const expected[] = {"launch", "transfer", "managed", "overlap", "preempt"};
    size_t count = 0;
    for (size_t i = 0; benchmarks[i]; i++)
        count += benchmark_times_submissions(benchmarks[i]);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(benchmark_times_submissions(benchmark_find(expected[i])));
    assert_int_equal(count, sizeof expected / sizeof *expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_in_the_order_of_choices),
        cmocka_unit_test(a_number_that_32_bits_cannot_hold_is_refused),
        cmocka_unit_test(every_format_is_drawn_into_by_its_name),
        cmocka_unit_test(benchmarks_of_links_and_queues_time_submissions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
