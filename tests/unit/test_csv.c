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
    assert_non_null(strstr(text, "scalar,65536,0.1,1,failed,mismatch,,,,,,,,,,quick,"));
    assert_non_null(strstr(text, "vector,32768,0.1,1,ok,,latency_cycles,cycle,lower,32.274,,,320,"
                                 "28,,quick,2026-01-02T03:04:05Z,0.1.0,0.8675714197186589,"
                                 "1980000000,123.456\n"));
    assert_non_null(strstr(text, "tool_version,share,core_clock,power\n"));
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
    assert_non_null(strstr(text, "vulkan:0,\"A \"\"big\"\", new\nGPU\",latency,3,"));
    free(text);
    run_destroy(run);
}

static void parameters_of_all_benchmarks_are_columns_once(void **state)
{
    (void)state;
    struct run *run = golden_run(TESTS_DIR "/golden/demo.json");
    char *text = written(run);
    text[strcspn(text, "\n")] = '\0';
    assert_string_equal(text, "device,device_name,benchmark,version,key,path,order,bytes,scope,"
                              "groups,width,pattern,verdict,reasons,metric,unit,better,median,"
                              "ci95_low,ci95_high,n,limit,of_limit,preset,started,tool_version,"
                              "share");
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
        cmocka_unit_test(parameters_of_all_benchmarks_are_columns_once),
        cmocka_unit_test(a_full_disk_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
