// SPDX-License-Identifier: MIT
#include "suite/protocol.h"

#include "math/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct arena *arena;

static int make_arena(void **state)
{
    (void)state;
    arena = arena_create();
    return 0;
}

static int drop_arena(void **state)
{
    (void)state;
    arena_destroy(arena);
    return 0;
}

// A visit with every kind of content.
static const struct measure_visit *rich_visit(void)
{
    struct measure_visit *visit = measure_visit_create(arena);
    static const char *columns[] = {"time", "clock"};
    static double rows[] = {0, 1.5e9, 0.001, NAN};
    visit_samples(visit, 0, (const double[]){0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308}, 4, 0.5);
    visit_limit(visit, 0, 100);
    visit_samples(visit, 1, NULL, 0, 0);
    visit_flag(visit, "slow", "it was \"slow\"\n\t");
    visit_retake(visit, "shared-device", "other work");
    visit_remark(visit, "power-limited", "1.78 GHz");
    visit_detail(visit, "shape", "grid %d × %d", 3, 4);
    visit_sensor(visit, "core_clock", UNIT_HZ, 1.98e9);
    visit_counter(visit, &(struct counter){"dram_read", UNIT_BYTE, 1024, NAN, 8, 5});
    memcpy(visit_series(visit, "clock", columns, 2, 2)->data, rows, sizeof rows);
    visit_half(visit, 0, 0.25);
    visit_by_host(visit, 0);
    visit->kernel.hash = "0123";
    visit->kernel.source = "a.comp";
    visit->kernel.registers = 18;
    visit->device_time_ns = UINT64_C(9007199254740993); // 2^53 + 1
    return visit;
}

static const struct benchmark_info *info(void)
{
    return &benchmark_find("chase")->info; // has two metrics
}

static const char *rich_line(void)
{
    return protocol_write_visit(arena, rich_visit());
}

static void a_watch_comes_through(void **state)
{
    (void)state;
    uint64_t least_ns = 0;
    assert_true(protocol_is_watch(protocol_write_watch(arena, 7000000), &least_ns));
    assert_int_equal(least_ns, 7000000);
    assert_false(protocol_is_watch(rich_line(), &least_ns));
    const struct watch_finding sent = {.method = WATCH_LENGTHS,
                                       .share = 0.49,
                                       .longest_ns = 2.48e6,
                                       .watched_ns = 5e6,
                                       .rates = {1, NAN, 3, 4, 5},
                                       .limits = {NAN, NAN, NAN, 63e9, 62e9},
                                       .link_traffic = 52e9,
                                       .memory_change = 4194304,
                                       .others_traffic = 55e9,
                                       .host_used = 0.5,
                                       .host_waited = NAN,
                                       .throttled = true,
                                       .who = "python3 (process 4711)"};
    struct watch_finding got = {0};
    struct error err = {0};
    const char *line = protocol_write_finding(arena, &sent);
    assert_int_equal(protocol_read_finding(arena, line, &got, &err), PROTOCOL_VISIT);
    assert_int_equal(got.method, WATCH_LENGTHS);
    assert_true(got.share == sent.share && got.longest_ns == sent.longest_ns);
    assert_true(got.rates[0] == 1 && isnan(got.rates[1]) && got.rates[4] == 5);
    assert_true(isnan(got.limits[2]) && got.limits[3] == 63e9 && got.limits[4] == 62e9);
    assert_true(got.link_traffic == sent.link_traffic);
    assert_true(got.memory_change == sent.memory_change);
    assert_true(got.others_traffic == sent.others_traffic);
    assert_true(got.throttled && got.host_used == sent.host_used && isnan(got.host_waited));
    assert_string_equal(got.who, sent.who);
}

static void an_answer_that_is_no_finding_is_told_from_a_failure(void **state)
{
    (void)state;
    struct watch_finding got = {0};
    struct error err = {0}, failure = {.code = ERROR_UNSUPPORTED, .message = "no clock"};
    const char *line = protocol_write_failure(arena, &failure);
    assert_int_equal(protocol_read_finding(arena, line, &got, &err), PROTOCOL_FAILURE);
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    static const char *const garbage[] = {
        "{}",
        "{\"watch\":1}",
        "{\"watch\":{\"share\":0}}",
        "{\"watch\":{\"share\":0,\"rates\":[1,2],\"limits\":[1,2]}}",
        "{\"watch\":{\"rates\":[1,2,3,4,5,6],\"limits\":[1,2,3,4,5,6]}}",
        "{\"watch\""};
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++)
        assert_int_equal(protocol_read_finding(arena, garbage[i], &got, &err), PROTOCOL_GARBAGE);
}

static void a_visit_comes_through_with_every_bit(void **state)
{
    (void)state;
    struct measure_visit *got = NULL;
    struct error err = {0};
    const struct measure_visit *sent = rich_visit();
    const char *line = rich_line();
    assert_null(strchr(line, '\n'));
    assert_int_equal(protocol_read_answer(arena, line, info(), &got, &err), PROTOCOL_VISIT);
    assert_int_equal(got->metrics[0].count, 4);
    assert_memory_equal(got->metrics[0].values, sent->metrics[0].values, 4 * sizeof(double));
    assert_true(got->metrics[0].step == 0.5 && got->metrics[0].limit == 100);
    assert_true(got->metrics[0].half == 0.25 && got->metrics[0].by_host);
    assert_non_null(got->metrics[1].values);
    assert_int_equal(got->metrics[1].count, 0);
    assert_string_equal(got->reasons[0].text, "it was \"slow\"\n\t");
    assert_int_equal(got->retake_count, 1);
    assert_string_equal(got->retakes[0].code, "shared-device");
    assert_int_equal(got->remark_count, 1);
    assert_string_equal(got->remarks[0].text, "1.78 GHz");
    assert_string_equal(got->details[0].text, "grid 3 × 4");
    assert_int_equal(got->sensors[0].unit, UNIT_HZ);
    assert_int_equal(got->series[0].row_count, 2);
    assert_string_equal(got->series[0].columns[1], "clock");
    assert_true(isnan(got->series[0].data[3]));
    assert_int_equal(got->counter_count, 1);
    assert_string_equal(got->counters[0].name, "dram_read");
    assert_true(got->counters[0].counted == 1024 && isnan(got->counters[0].claimed));
    assert_int_equal(got->counters[0].passes, 5);
    assert_string_equal(got->kernel.source, "a.comp");
    assert_true(got->kernel.registers == 18 && isnan(got->kernel.loads));
    assert_true(got->device_time_ns == sent->device_time_ns);
}

static void a_metric_that_does_not_exist_stays_away(void **state)
{
    (void)state;
    struct measure_visit *got = NULL;
    struct error err = {0};
    struct measure_visit *visit = measure_visit_create(arena);
    visit_samples(visit, 0, (const double[]){1}, 1, 0);
    const char *line = protocol_write_visit(arena, visit);
    assert_int_equal(protocol_read_answer(arena, line, info(), &got, &err), PROTOCOL_VISIT);
    assert_null(got->metrics[1].values);
}

static void an_order_comes_through_with_every_bit(void **state)
{
    (void)state;
    struct case_value values[] = {
        {.key = "order", .type = PARAM_TEXT, .text = "random"},
        {.key = "bytes", .type = PARAM_BYTES, .uint = UINT64_MAX},
        {.key = "hops", .type = PARAM_UINT, .uint = 3, .role = PARAM_METHOD},
    };
    const struct bench_case bench_case = {values, 3};
    const struct measure_request request = {.samples = 4,
                                            .sample_ns = 2000000,
                                            .timeout_ns = UINT64_C(1) << 62,
                                            .round = 7,
                                            .lacks_metric = true};
    const char *const natives[] = {"dram__bytes_read.sum"};
    const struct visit_counting counting = {natives, 1};
    const struct bench_case next = {values, 1}, *const ahead[] = {&bench_case, &next};
    const struct visit_order sent = {.benchmark = benchmark_find("chase"),
                                     .index = 42,
                                     .bench_case = &bench_case,
                                     .request = &request,
                                     .waits = true,
                                     .counting = &counting,
                                     .ahead = ahead,
                                     .ahead_count = 2};
    struct visit_order got;
    struct error err = {0};
    if (!protocol_read_order(arena, protocol_write_order(arena, &sent), &got, &err))
        fail_msg("%s", err.message);
    assert_ptr_equal(got.benchmark, sent.benchmark);
    assert_int_equal(got.index, 42);
    assert_string_equal(case_text(got.bench_case, "order"), "random");
    assert_true(case_uint(got.bench_case, "bytes") == UINT64_MAX);
    assert_int_equal(got.bench_case->values[2].role, PARAM_METHOD);
    assert_int_equal(got.request->samples, 4);
    assert_int_equal(got.request->round, 7);
    assert_true(got.request->lacks_metric);
    assert_true(got.waits);
    assert_int_equal(got.counting->native_count, 1);
    assert_string_equal(got.counting->natives[0], "dram__bytes_read.sum");
    assert_int_equal(got.ahead_count, 2);
    assert_true(case_uint(got.ahead[0], "bytes") == UINT64_MAX);
    assert_int_equal(got.ahead[1]->value_count, 1);
    assert_true(protocol_is_gate(protocol_write_gate(arena)));
    assert_false(protocol_is_gate("garbage"));
    assert_true(protocol_is_leave(protocol_write_leave(arena)));
    assert_false(protocol_is_leave(protocol_write_gate(arena)));
    assert_true(got.request->sample_ns == request.sample_ns);
    assert_true(got.request->timeout_ns == request.timeout_ns);
}

static void a_failure_comes_through_with_its_code(void **state)
{
    (void)state;
    struct measure_visit *got = NULL;
    struct error err = {0}, sent;
    for (enum error_code code = ERROR_USAGE; code < ERROR_CODE_COUNT; code++) {
        error_set(&sent, code, "driver said \xff\xfe\"%d\"", code); // not UTF-8
        const char *line = protocol_write_failure(arena, &sent);
        assert_int_equal(protocol_read_answer(arena, line, info(), &got, &err), PROTOCOL_FAILURE);
        assert_int_equal(err.code, code);
        assert_non_null(strstr(err.message, "driver said \xef\xbf\xbd\xef\xbf\xbd\""));
    }
}

static void a_line_cut_anywhere_is_garbage(void **state)
{
    (void)state;
    const char *line = rich_line();
    for (size_t length = 0; length < strlen(line); length++) {
        struct measure_visit *got = NULL;
        struct error err = {0};
        char *cut = arena_strdup(arena, line);
        cut[length] = '\0';
        assert_int_equal(protocol_read_answer(arena, cut, info(), &got, &err), PROTOCOL_GARBAGE);
        assert_int_equal(err.code, ERROR_INTERNAL);
        assert_non_null(*err.message ? err.message : NULL);
        assert_null(got);
    }
}

static void messages_of_the_wrong_shape_are_garbage(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "{\"visit\":7}",
        "{\"failure\":{}}",
        "{\"failure\":{\"code\":\"internal\"}}",
        "{\"visit\":{\"metrics\":[{\"metric\":2,\"values\":[]}]}}",
        "{\"visit\":{\"metrics\":[{\"metric\":-1,\"values\":[]}]}}",
        "{\"visit\":{\"metrics\":[{\"metric\":0,\"values\":[\"1\"]}]}}",
        "{\"visit\":{\"metrics\":{}}}",
        "{\"visit\":{\"sensors\":[{\"name\":\"a\",\"unit\":\"GB/s\",\"value\":1}]}}",
        "{\"visit\":{\"series\":[{\"name\":\"s\",\"columns\":[\"a\"],\"data\":[[1],[]]}]}}",
        "{\"visit\":{\"series\":[{\"name\":\"s\",\"columns\":[],\"data\":[]}]}}",
        "{\"visit\":{\"reasons\":[{\"code\":\"x\"}]}}",
        "{\"visit\":{\"device_time_ns\":-5}}",
        "{\"visit\":{},\"visit\":{}}",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct measure_visit *got = NULL;
        struct error err = {0};
        if (protocol_read_answer(arena, lines[i], info(), &got, &err) != PROTOCOL_GARBAGE)
            fail_msg("taken: %s", lines[i]);
        assert_int_equal(err.code, ERROR_INTERNAL);
    }
}

static void a_line_with_changed_bytes_never_crashes(void **state)
{
    (void)state;
    struct random random;
    random_init(&random, 7);
    const char *line = rich_line();
    size_t length = strlen(line);
    for (int i = 0; i < 3000; i++) {
        struct measure_visit *got = NULL;
        struct error err = {0};
        struct arena_mark mark = arena_mark(arena);
        char *changed = arena_strdup(arena, line);
        for (uint64_t flips = 1 + random_below(&random, 3); flips; flips--)
            changed[random_below(&random, length)] = (char)(1 + random_below(&random, 255));
        if (protocol_read_answer(arena, changed, info(), &got, &err) != PROTOCOL_VISIT)
            assert_true(err.code != ERROR_NONE);
        arena_rewind(arena, mark);
    }
}

static void a_good_answer_leaves_the_error_alone(void **state)
{
    (void)state;
    struct error err = {.code = ERROR_NONE, .message = "of\nsomebody else"};
    struct measure_visit *visit = NULL;
    assert_int_equal(protocol_read_answer(arena, rich_line(), info(), &visit, &err),
                     PROTOCOL_VISIT);
    assert_string_equal(err.message, "of\nsomebody else");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_visit_comes_through_with_every_bit),
        cmocka_unit_test(a_watch_comes_through),
        cmocka_unit_test(an_answer_that_is_no_finding_is_told_from_a_failure),
        cmocka_unit_test(a_metric_that_does_not_exist_stays_away),
        cmocka_unit_test(an_order_comes_through_with_every_bit),
        cmocka_unit_test(a_failure_comes_through_with_its_code),
        cmocka_unit_test(a_line_cut_anywhere_is_garbage),
        cmocka_unit_test(messages_of_the_wrong_shape_are_garbage),
        cmocka_unit_test(a_line_with_changed_bytes_never_crashes),
        cmocka_unit_test(a_good_answer_leaves_the_error_alone),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
