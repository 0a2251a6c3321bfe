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

// Reads the run whose text is that of `from` with one part replaced.
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
    // Fewer cycles are better, so twice the limit is a share of a half.
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
        cmocka_unit_test(every_cut_of_a_file_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
