// SPDX-License-Identifier: MIT
#include "golden/golden.h"
#include "golden/rich_run.h"
#include "report/export.h"

static char *written(const struct run *run)
{
    char *text = NULL;
    size_t bytes;
    struct error err = {0};
    FILE *stream = open_memstream(&text, &bytes);
    assert_true(csv_write(run, stream, &err));
    fclose(stream);
    return text;
}

static void the_demo_is_tidy(void **state)
{
    (void)state;
    struct run *run = golden_run(TESTS_DIR "/golden/demo.json");
    char *text = written(run);
    golden_compare(TESTS_DIR "/golden/demo.csv", text);
    free(text);
    run_destroy(run);
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static void every_metric_is_a_row_and_so_is_a_case_without_one(void **state)
{
    (void)state;
    struct run *run = rich_run();
    char *text = written(run);
    assert_int_equal(lines_of(text), 1 + 2 + 2 + 1 + 1);
    assert_non_null(strstr(text, ",failed,mismatch,,,,,,3,{},quick,"));
    assert_non_null(strstr(text, ",latency_cycles,32.274,,,cycle,"));
    assert_non_null(strstr(text, ",ok,,lower,false,320,28,0.8675714197186589,3,"
                                 "\"{\"\"core_clock\"\":1980000000,\"\"power\"\":123.456}\","
                                 "quick,2026-01-02T03:04:05Z,0.1.0,fathom-csv/2\n"));
    free(text);
    run_destroy(run);
}

static void fields_with_commas_quotes_and_lines_are_quoted(void **state)
{
    (void)state;
    struct run *run = rich_run();
    run->devices[0].name = "A \"big\", new\nGPU";
    run->result_count = 1;
    char *text = written(run);
    assert_non_null(strstr(text, ",vulkan:0,\"A \"\"big\"\", new\nGPU\",ok,"));
    free(text);
    run_destroy(run);
}

static void columns_are_the_same_for_every_run(void **state)
{
    (void)state;
    struct run *empty = run_create(), *rich = rich_run();
    char *head = written(empty), *text = written(rich);
    assert_int_equal(lines_of(head), 1);
    assert_memory_equal(text, head, strlen(head));
    free(head);
    free(text);
    run_destroy(empty);
    run_destroy(rich);
}

static void a_lower_bound_is_marked(void **state)
{
    (void)state;
    struct run *run = rich_run();
    run->result_count = run->results[0]->metric_count = 1;
    run->results[0]->metrics[0].at_least = true;
    char *text = written(run);
    assert_non_null(strstr(text, ",ok,,lower,true,320,"));
    free(text);
    run_destroy(run);
}

static void a_full_disk_is_an_error(void **state)
{
    (void)state;
    struct run *run = golden_run(TESTS_DIR "/golden/demo.json");
    struct error err = {0};
    assert_false(run_save_as(run, csv_write, "/dev/full", &err));
    assert_int_equal(err.code, ERROR_IO);
    assert_non_null(strstr(err.message, "No space left"));
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_demo_is_tidy),
        cmocka_unit_test(every_metric_is_a_row_and_so_is_a_case_without_one),
        cmocka_unit_test(fields_with_commas_quotes_and_lines_are_quoted),
        cmocka_unit_test(columns_are_the_same_for_every_run),
        cmocka_unit_test(a_lower_bound_is_marked),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
