// SPDX-License-Identifier: MIT
#include "golden/rich_run.h"
#include "golden/same_run.h"
#include "results/json.h"

#include <stdlib.h>
#include <string.h>

// Returns the text of a run; the caller frees it.
static char *written(const struct run *run, size_t *bytes)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, bytes);
    struct error err = {0};
    assert_true(run_write(run, stream, &err));
    fclose(stream);
    return text;
}

static struct run *again(const struct run *run)
{
    size_t bytes;
    struct error err = {0};
    char *text = written(run, &bytes);
    struct run *copy = run_read_text(text, bytes, "memory", &err);
    free(text);
    assert_string_equal(err.message, "");
    assert_non_null(copy);
    return copy;
}

static void a_rich_run_comes_back_member_by_member(void **state)
{
    (void)state;
    struct run *run = rich_run();
    struct run *copy = again(run);
    same_run(run, copy);
    run_destroy(copy);
    run_destroy(run);
}

static void a_lower_bound_is_still_one_when_it_comes_back(void **state)
{
    (void)state;
    struct run *run = rich_run();
    run->results[0]->metrics[1].at_least = true;
    struct run *copy = again(run);
    assert_false(copy->results[0]->metrics[0].at_least);
    assert_true(copy->results[0]->metrics[1].at_least);
    run_destroy(copy);
    run_destroy(run);
}

static void an_empty_run_comes_back(void **state)
{
    (void)state;
    struct run *run = run_create();
    struct run *copy = again(run);
    same_run(run, copy);
    run_destroy(copy);
    run_destroy(run);
}

// Golden files must stay readable for ever; a difference in this test is a change of the schema.
static void the_golden_file_reads_and_writes_the_same(void **state)
{
    (void)state;
    struct error err = {0};
    struct run *golden = run_read(TESTS_DIR "/golden/rich.json", &err);
    assert_string_equal(err.message, "");
    struct run *run = rich_run();
    same_run(run, golden);

    size_t bytes, golden_bytes;
    char *text = written(run, &bytes), *golden_text = written(golden, &golden_bytes);
    assert_int_equal(bytes, golden_bytes);
    assert_memory_equal(text, golden_text, bytes);
    FILE *file = fopen(TESTS_DIR "/golden/rich.json", "r");
    char *kept = calloc(1, bytes + 2);
    assert_int_equal(fread(kept, 1, bytes + 1, file), bytes);
    fclose(file);
    assert_string_equal(text, kept);
    free(kept);
    free(text);
    free(golden_text);
    run_destroy(golden);
    run_destroy(run);
}

// Returns the run that is described by the text of `from` with one part of the text replaced.
static struct run *edited(const struct run *from, const char *part, const char *with)
{
    size_t bytes;
    char *text = written(from, &bytes), *at = strstr(text, part);
    assert_non_null(at);
    struct arena *arena = arena_create();
    const char *edit =
        arena_printf(arena, "%.*s%s%s", (int)(at - text), text, with, at + strlen(part));
    struct error err = {0};
    struct run *run = run_read_text(edit, strlen(edit), "edited", &err);
    assert_string_equal(err.message, "");
    arena_destroy(arena);
    free(text);
    return run;
}

static void a_share_is_computed_from_the_limit_also_where_the_file_has_none(void **state)
{
    (void)state;
    struct run *run = rich_run();
    struct metric *metric = &run->results[0]->metrics[1];
    // Cycles, of which fewer are better: half of the share that the limit of 28 would be.
    metric->median = 56;
    struct run *older = edited(run, ",\"limit\":28,\"share\":0.5", ",\"limit\":28,\"of_limit\":2");
    const struct metric *read = &older->results[0]->metrics[1];
    assert_true(metric_share(read, read->median) == 0.5);
    metric->better = BETTER_HIGHER;
    struct run *higher = edited(run, "\"limit\":28,\"of_limit\":2,\"share\":2", "\"limit\":28");
    read = &higher->results[0]->metrics[1];
    assert_true(metric_share(read, read->median) == 2);
    metric->limit = NAN;
    assert_true(isnan(metric_share(metric, metric->median)));
    run_destroy(higher);
    run_destroy(older);
    run_destroy(run);
}

static void floating_point_operations_are_op_per_s_in_files_and_flop_per_s_on_screens(void **state)
{
    (void)state;
    struct run *run = rich_run();
    struct metric *metric = &run->results[0]->metrics[0];
    metric->unit = UNIT_OP_PER_S;
    metric->floating = true;
    size_t bytes;
    char *text = written(run, &bytes);
    assert_non_null(strstr(text, "\"unit\":\"op/s\",\"better\":\"lower\",\"floating\":true,"));
    free(text);
    struct run *copy = again(run);
    same_run(run, copy);
    assert_int_equal(metric_unit_shown(&copy->results[0]->metrics[0]), UNIT_FLOP_PER_S);
    struct run *older = edited(run, "\"floating\":true,", "");
    assert_int_equal(metric_unit_shown(&older->results[0]->metrics[0]), UNIT_OP_PER_S);
    run_destroy(older);
    run_destroy(copy);
    run_destroy(run);
}

static void hard_numbers_keep_every_bit(void **state)
{
    (void)state;
    struct run *run = rich_run();
    struct metric *metric = &run->results[0]->metrics[0];
    double rounds[] = {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0, 9007199254740993.0};
    metric->round_medians = rounds;
    metric->round_count = sizeof rounds / sizeof *rounds;
    metric->median = INFINITY;
    const uint64_t large[] = {UINT64_C(1) << 63, UINT64_MAX}; // in a case, UINT64_MAX means "max"
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        run->results[0]->bench_case.values[1].uint = large[i];
        struct run *copy = again(run);
        same_run(run, copy);
        run_destroy(copy);
    }
    run_destroy(run);
}

static void what_is_not_a_number_is_not_written(void **state)
{
    (void)state;
    struct run *run = rich_run();
    run->results[0]->metrics[0].median = NAN;
    size_t bytes;
    char *text = written(run, &bytes);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "NaN"));
    free(text);
    run_destroy(run);
}

static void hostile_strings_survive(void **state)
{
    (void)state;
    struct run *run = rich_run();
    size_t huge = 10u << 20;
    char *long_text = malloc(huge + 1);
    memset(long_text, 'x', huge);
    long_text[huge] = '\0';
    run->devices[0].name = long_text;
    run->devices[0].driver = "</script><script>alert(1)</script><!--";
    run->devices[0].vendor = "\x01\x02\x1b[31m\"\\\n\t\x7f";
    run->results[0]->reasons = NULL;
    struct run *copy = again(run);
    same_run(run, copy);
    run_destroy(copy);
    run_destroy(run);
    free(long_text);
}

static void text_that_is_not_utf8_is_repaired(void **state)
{
    (void)state;
    struct run *run = rich_run();
    run->devices[0].name = "GPU \xae 9\xc3\xa9";
    run->results[0]->details = &(struct named_text){.name = "dri\xff"
                                                            "ver",
                                                    .text = "\xe2\x82"};
    run->results[0]->detail_count = 1;
    struct run *copy = again(run);
    assert_string_equal(copy->devices[0].name, "GPU \xef\xbf\xbd 9\xc3\xa9");
    assert_string_equal(copy->results[0]->details[0].name, "dri\xef\xbf\xbdver");
    assert_string_equal(copy->results[0]->details[0].text, "\xef\xbf\xbd\xef\xbf\xbd");
    run_destroy(copy);
    run_destroy(run);
}

static void display_parameters_are_not_recorded(void **state)
{
    (void)state;
    struct run *run = rich_run();
    run->results[0]->bench_case.values[3].role = PARAM_DISPLAY;
    struct run *copy = again(run);
    assert_null(case_find(&copy->results[0]->bench_case, "laps"));
    run_destroy(copy);
    run_destroy(run);
}

// ---------------------------------------------------------------- files of others

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

static void every_cut_of_a_file_is_refused(void **state)
{
    (void)state;
    struct run *run = rich_run();
    size_t bytes;
    char *text = written(run, &bytes);
    struct error err = {0};
    for (size_t cut = 0; cut + 2 < bytes; cut += 7) {
        assert_null(run_read_text(text, cut, "FILE", &err));
        assert_int_equal(err.code, ERROR_USAGE);
    }
    free(text);
    run_destroy(run);
}

// Results are read one at a time, after the members that declare their types, wherever in the file
// those members are.
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
        cmocka_unit_test(a_rich_run_comes_back_member_by_member),
        cmocka_unit_test(a_lower_bound_is_still_one_when_it_comes_back),
        cmocka_unit_test(an_empty_run_comes_back),
        cmocka_unit_test(the_golden_file_reads_and_writes_the_same),
        cmocka_unit_test(a_share_is_computed_from_the_limit_also_where_the_file_has_none),
        cmocka_unit_test(floating_point_operations_are_op_per_s_in_files_and_flop_per_s_on_screens),
        cmocka_unit_test(hard_numbers_keep_every_bit),
        cmocka_unit_test(what_is_not_a_number_is_not_written),
        cmocka_unit_test(hostile_strings_survive),
        cmocka_unit_test(text_that_is_not_utf8_is_repaired),
        cmocka_unit_test(display_parameters_are_not_recorded),
        cmocka_unit_test(files_of_before_headlines_get_what_was_declared_since),
        cmocka_unit_test(a_figure_that_was_refuted_since_is_suspect),
        cmocka_unit_test(unknown_members_and_views_are_ignored),
        cmocka_unit_test(bad_files_are_refused_with_the_place),
        cmocka_unit_test(every_cut_of_a_file_is_refused),
        cmocka_unit_test(results_may_stand_before_what_declares_them),
        cmocka_unit_test(a_wrong_list_of_results_is_refused_with_the_line),
        cmocka_unit_test(messages_quote_no_control_characters),
        cmocka_unit_test(deep_nesting_is_an_error_not_a_crash),
        cmocka_unit_test(a_file_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
