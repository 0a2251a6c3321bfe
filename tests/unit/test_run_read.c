// SPDX-License-Identifier: MIT
// Tests what is read of run files that an older or newer fathom, or something else, has written.
#include "results/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "{\"schema\":\"fathom-run/1\",\"status\":\"complete\""
#define RESULT                                                                                     \
    "{\"key\":\"b/x=1\",\"benchmark\":\"b\",\"version\":1,\"device\":\"d\",\"verdict\":\"ok\""

static struct run *read_of(const char *text, struct error *err)
{
    *err = (struct error){0};
    return run_read_text(text, strlen(text), "FILE", err);
}

static void files_of_before_headlines_get_what_was_declared_since(void **state)
{
    (void)state;
    struct error err;
    struct run *run = read_of(HEAD ",\"benchmarks\":[{\"name\":\"latency\",\"version\":1,"
                                   "\"metrics\":[{\"name\":\"latency\"},"
                                   "{\"name\":\"latency_cycles\"}]}]}",
                              &err);
    assert_string_equal(err.message, "");
    const struct benchmark_info *latency = run->benchmarks[0];
    assert_null(latency->metrics[0].cycles_of);
    assert_string_equal(latency->metrics[1].cycles_of, "latency");
    assert_int_equal(latency->headline_count, 1);
    assert_int_equal(latency->headlines[0].kind, HEADLINE_LEVELS);
    assert_string_equal(latency->headlines[0].by, "bytes");
    run_destroy(run);
}

static void a_figure_that_was_refuted_since_is_suspect(void **state)
{
    (void)state;
    struct error err;
    struct run *run = read_of(
        HEAD ",\"results\":[{\"key\":\"incore/op=fp8-mma\",\"benchmark\":\"incore\",\"version\":2,"
             "\"device\":\"d\",\"verdict\":\"ok\",\"case\":{\"op\":\"fp8-mma\"}},"
             "{\"key\":\"incore/op=fp8-wgmma\",\"benchmark\":\"incore\",\"version\":2,"
             "\"device\":\"d\",\"verdict\":\"ok\",\"case\":{\"op\":\"fp8-wgmma\"}}]}",
        &err);
    assert_string_equal(err.message, "");
    assert_int_equal(run->results[0]->verdict, VERDICT_SUSPECT);
    assert_string_equal(run->results[0]->reasons[0].code, "refuted");
    assert_int_equal(run->results[1]->verdict, VERDICT_OK);
    run_destroy(run);
}

static void unknown_members_and_views_are_ignored(void **state)
{
    (void)state;
    struct error err;
    struct run *run = read_of(
        HEAD ",\"moon\":{\"a\":[1]},\"tool\":{\"version\":\"9\",\"colour\":1},"
             "\"benchmarks\":[{\"name\":\"b\",\"version\":1,\"views\":[{\"kind\":\"hologram\"},"
             "{\"kind\":\"table\",\"title\":\"t\"}],\"headlines\":["
             "{\"kind\":\"hologram\",\"metric\":\"n\"},"
             "{\"kind\":\"best\",\"metric\":\"n\"}]}],"
             "\"results\":[" RESULT ",\"case\":{\"x\":1,\"m\":\"t\",\"r\":0.5},\"new\":null,"
             "\"metrics\":[{\"name\":\"n\",\"median\":null}]}]}",
        &err);
    assert_string_equal(err.message, "");
    assert_string_equal(run->tool_version, "9");
    assert_int_equal(run->benchmarks[0]->view_count, 1);
    assert_string_equal(run->benchmarks[0]->views[0].title, "t");
    assert_int_equal(run->benchmarks[0]->headline_count, 1);
    assert_int_equal(run->benchmarks[0]->headlines[0].kind, HEADLINE_BEST);
    assert_true(isnan(run->results[0]->metrics[0].median));
    const struct bench_case *bench_case = &run->results[0]->bench_case;
    assert_int_equal(case_find(bench_case, "x")->type, PARAM_UINT);
    assert_int_equal(case_find(bench_case, "x")->role, PARAM_AXIS);
    assert_int_equal(case_find(bench_case, "m")->role, PARAM_METHOD);
    assert_int_equal(case_find(bench_case, "r")->type, PARAM_REAL);
    run_destroy(run);
}

struct bad {
    const char *text;
    const char *message; // the error must contain this text
};

static const struct bad bad_files[] = {
    {"", "line 1: the file is cut short"},
    {HEAD ",\n\"results\":[\n" RESULT ",\n\"metr", "line 4: the file is cut short"},
    {"hello", "line 1, column 5: not valid JSON"},
    {"[1]", "FILE: expected an object, found an array"},
    {"{}", "not a run file of fathom"},
    {"{\"schema\":\"coco/1\"}", "not a run file of fathom"},
    {"{\"schema\":7}", "schema: expected a string, found a number"},
    {"{\"schema\":\"fathom-run/2\"}", "its schema is fathom-run/2, this fathom reads fathom-run/1"},
    {"{\"schema\":\"fathom-run/1\"}", "status: missing"},
    {"{\"schema\":\"fathom-run/1\",\"status\":\"done\"}", "status: \"done\" is not running"},
    {HEAD ",\"status\":\"running\"}", "duplicate"},
    {HEAD ",\"started\":NaN}", "not valid JSON"},
    {HEAD ",\"started\":\"\\u0000\"}", "not valid JSON"},
    {HEAD ",\"started\":\"\xff\"}", "not valid JSON"},
    {HEAD ",\"started\":1e999}", "not valid JSON"},
    {HEAD ",\"results\":{}}", "results: expected an array, found an object"},
    {HEAD ",\"results\":[null]}", "results[0].key: missing"},
    {HEAD ",\"results\":[3]}", "results[0]: expected an object, found a number"},
    {HEAD ",\"command\":[\"a\",1]}", "command[1]: expected a string, found a number"},
    {HEAD ",\"host\":{\"os\":1}}", "host.os: expected a string"},
    {HEAD ",\"devices\":[{}]}", "devices[0].id: missing"},
    {HEAD ",\"devices\":[{\"id\":\"v\",\"limits\":{\"a\":{\"value\":\"x\"}}}]}",
     "devices[0].limits.a.value: expected a number, found a string"},
    {HEAD ",\"benchmarks\":[{\"name\":\"b\"}]}", "benchmarks[0].version: missing"},
    {HEAD ",\"benchmarks\":[{\"name\":\"b\",\"version\":99999999999}]}", "too large"},
    {HEAD ",\"benchmarks\":[{\"name\":\"b\",\"version\":-1}]}",
     "benchmarks[0].version: expected a whole number, not negative"},
    {HEAD ",\"benchmarks\":[{\"name\":\"b\",\"version\":1,\"params\":[{\"key\":\"k\","
          "\"type\":\"complex\",\"role\":\"axis\"}]}]}",
     "benchmarks[0].params[0].type: \"complex\" is not uint, bytes, real or text"},
    {HEAD ",\"benchmarks\":[{\"name\":\"b\",\"version\":1,\"params\":[{\"key\":\"k\","
          "\"type\":\"uint\",\"role\":\"extra\"}]}]}",
     "benchmarks[0].params[0].role: \"extra\" is not axis"},
    {HEAD ",\"benchmarks\":[{\"name\":\"b\",\"version\":1,\"metrics\":[{\"name\":\"m\","
          "\"unit\":\"GB/s\"}]}]}",
     "benchmarks[0].metrics[0].unit: \"GB/s\" is not a unit"},
    {HEAD ",\"results\":[" RESULT ",\"verdict\":\"fine\"}]}", "duplicate"},
    {HEAD ",\"results\":[" RESULT "},{\"key\":\"k\",\"benchmark\":\"b\",\"version\":1,"
          "\"device\":\"d\",\"verdict\":\"fine\"}]}",
     "results[1].verdict: \"fine\" is not ok, suspect, skipped or failed"},
    {HEAD ",\"results\":[" RESULT ",\"metrics\":[{\"name\":\"m\",\"median\":\"fast\"}]}]}",
     "results[0].metrics[0].median: expected a number, found a string"},
    {HEAD ",\"results\":[" RESULT ",\"metrics\":[{\"name\":\"m\",\"better\":\"up\"}]}]}",
     "results[0].metrics[0].better: \"up\" is not lower"},
    {HEAD ",\"results\":[" RESULT ",\"metrics\":[{\"name\":\"m\",\"ci95\":[1]}]}]}",
     "results[0].metrics[0].ci95: expected two numbers"},
    {HEAD ",\"results\":[" RESULT ",\"metrics\":[{\"name\":\"m\",\"n\":1.5}]}]}",
     "results[0].metrics[0].n: expected a whole number"},
    {HEAD ",\"results\":[" RESULT ",\"series\":[{\"name\":\"s\",\"columns\":[\"a\",\"b\"],"
          "\"data\":[[1,2],[3]]}]}]}",
     "results[0].series[0].data[1]: expected 2 numbers"},
    {HEAD ",\"results\":[" RESULT ",\"reasons\":[{\"code\":\"c\"}]}]}",
     "results[0].reasons[0].text: missing"},
    {HEAD ",\"findings\":[{\"code\":\"c\",\"text\":\"t\",\"keys\":[null]}]}",
     "findings[0].keys[0]: missing"},
};

static void bad_files_are_refused_with_the_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_files / sizeof *bad_files; i++) {
        struct error err;
        assert_null(read_of(bad_files[i].text, &err));
        assert_int_equal(err.code, ERROR_USAGE);
        assert_int_equal(strncmp(err.message, "FILE", 4), 0);
        if (!strstr(err.message, bad_files[i].message))
            assert_string_equal(err.message, bad_files[i].message);
        assert_null(strchr(err.message, '\n'));
    }
}

// Results are read one at a time, after the members that declare their types, whatever their order
// in the file.
static void results_may_stand_before_what_declares_them(void **state)
{
    (void)state;
    static const char text[] =
        "{ \"results\" : [ {\"key\":\"a/x=1\",\"benchmark\":\"a\",\"version\":1,"
        "\"device\":\"d]\\\"[\",\"case\":{\"x\":1},\"verdict\":\"ok\"} , \n"
        "{\"key\":\"a/x=2\",\"benchmark\":\"a\",\"version\":1,\"device\":\"d\","
        "\"case\":{\"x\":2},\"verdict\":\"ok\"} ] ,"
        "\"benchmarks\":[{\"name\":\"a\",\"version\":1,\"params\":"
        "[{\"key\":\"x\",\"type\":\"bytes\",\"role\":\"axis\"}]}],"
        "\"status\":\"complete\",\"schema\":\"fathom-run/1\"}";
    struct error err = {0};
    struct run *run = read_of(text, &err);
    assert_string_equal(err.message, "");
    assert_int_equal(run->result_count, 2);
    assert_string_equal(run->results[0]->device, "d]\"[");
    assert_int_equal(run->results[1]->bench_case.values[0].type, PARAM_BYTES);
    run_destroy(run);
}

static void a_wrong_list_of_results_is_refused_with_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *results, *message;
    } wrong[] = {
        {"[{},]", "line 2"},
        {"[{}\n{}]", "line 3"},
        {"[,{}]", "line 2"},
        {"[{}]]", "line 2"},
        {"[{]}", "line 2"},
        {"[{}] [{}]", "line 2"},
        {"[{},\n\n{\"a\":}]", "line 4"},
        {"[],\"results\":[]", "line 2"},
        {"[{},[]]", "results[0].key"},
        {"[nul]", "line 2"},
    };
    struct arena *arena = arena_create();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct error err = {0};
        const char *text = arena_printf(arena,
                                        "{\"schema\":\"fathom-run/1\",\"status\":\"complete\",\n"
                                        "\"results\":%s}",
                                        wrong[i].results);
        assert_null(read_of(text, &err));
        assert_int_equal(err.code, ERROR_USAGE);
        if (!strstr(err.message, wrong[i].message))
            assert_string_equal(err.message, wrong[i].message);
    }
    arena_destroy(arena);
}

static void messages_quote_no_control_characters(void **state)
{
    (void)state;
    struct error err;
    assert_null(read_of(HEAD ",\"host\":{\"a\\u001b[31m\\u009b\":1}}", &err));
    assert_null(strchr(err.message, '\x1b'));
    assert_null(strstr(err.message, "\xc2\x9b"));
    assert_non_null(strstr(err.message, "host.a?[31m"));
}

static void deep_nesting_is_an_error_not_a_crash(void **state)
{
    (void)state;
    size_t depth = 1000000;
    char *text = malloc(depth + 1);
    memset(text, '[', depth);
    text[depth] = '\0';
    struct error err;
    assert_null(read_of(text, &err));
    assert_int_equal(err.code, ERROR_USAGE);
    free(text);
}

static void a_file_that_is_not_there_is_named(void **state)
{
    (void)state;
    struct error err = {0};
    assert_null(run_read("/nonexistent/run.json", &err));
    assert_int_equal(err.code, ERROR_IO);
    assert_non_null(strstr(err.message, "/nonexistent/run.json"));
    assert_null(run_read("/", &err));
    assert_int_equal(err.code, ERROR_IO);
    assert_non_null(strstr(err.message, "directory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_before_headlines_get_what_was_declared_since),
        cmocka_unit_test(a_figure_that_was_refuted_since_is_suspect),
        cmocka_unit_test(unknown_members_and_views_are_ignored),
        cmocka_unit_test(bad_files_are_refused_with_the_place),
        cmocka_unit_test(results_may_stand_before_what_declares_them),
        cmocka_unit_test(a_wrong_list_of_results_is_refused_with_the_line),
        cmocka_unit_test(messages_quote_no_control_characters),
        cmocka_unit_test(deep_nesting_is_an_error_not_a_crash),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
