// SPDX-License-Identifier: MIT
// Tests what people and Prometheus read about a check, with the checks of the rich run.
#include "base/text.h"
#include "golden/rich_run.h"
#include "report/console.h"
#include "report/export.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *console_of(const struct run *run)
{
    struct text_stream stream;
    text_stream_open(&stream);
    check_console(run, stream.file);
    text_stream_close(&stream);
    return stream.text;
}

static char *metrics_of(const struct run *run)
{
    struct text_stream stream;
    text_stream_open(&stream);
    check_prometheus(run, 2000, 1000, stream.file);
    text_stream_close(&stream);
    return stream.text;
}

static void each_device_is_one_line(void **state)
{
    (void)state;
    struct run *run = rich_run();
    char *text = console_of(run);
    const char *line = strstr(text, "slow: DRAM 3.1 of 4.6 TB/s: memory clock 1593 of 3201 MHz; "
                                    "expectation from 3 cards\n");
    assert_non_null(line);
    assert_int_equal(strncmp(text, "vulkan:0  ", 10), 0);
    assert_non_null(strstr(line, "\n-         "));
    assert_string_equal(strstr(line, "unknown"), "unknown\n");
    free(text);
    run_destroy(run);
}

static void without_an_expectation_the_figures_follow(void **state)
{
    (void)state;
    struct run *run = rich_run();
    run->checks[0].code = CHECK_NO_EXPECTATION;
    char *text = console_of(run);
    assert_non_null(strstr(text, "\n    DRAM read 3.100 TB/s"));
    free(text);
    run_destroy(run);
}

static void a_figure_with_another_device_names_it(void **state)
{
    (void)state;
    struct run *run = rich_run();
    struct check_figure *pair = &run->checks[0].figures[1];
    assert_int_equal(pair->metric, CHECK_PEER);
    pair->peer = 3;
    pair->value = 395e9;
    pair->unit = UNIT_BYTE_PER_S;
    run->checks[0].code = CHECK_NO_EXPECTATION;
    char *text = console_of(run);
    assert_non_null(strstr(text, " · Copy to GPU 3 395.0 GB/s\n"));
    free(text);
    text = metrics_of(run);
    assert_non_null(strstr(text, "metric=\"peer\",peer=\"3\"} 3.95e+11\n"));
    free(text);
    run_destroy(run);
}

static void a_hostile_name_prints_as_one_line(void **state)
{
    (void)state;
    struct run *run = rich_run();
    run->devices[0].name = "\x1b[2Ja\nb";
    run->devices[0].id = run->checks[0].device = "\x1b[2Jcuda:0";
    char *text = console_of(run);
    assert_null(strchr(text, '\x1b'));
    assert_non_null(strchr(text, '\n'));
    assert_string_equal(strchr(strchr(text, '\n') + 1, '\n'), "\n");
    free(text);
    run_destroy(run);
}

static void assert_line(const char *text, const char *line)
{
    if (!strstr(text, line))
        assert_string_equal(text, line);
}

static void metrics_have_base_units_and_the_labels_of_the_device(void **state)
{
    (void)state;
    struct run *run = rich_run();
    run->checks[0].figures[1] = run->checks[0].figures[0];
    run->checks[0].figures[1].metric = CHECK_LATENCY_DRAM;
    run->checks[0].figures[1].unit = UNIT_NS;
    run->checks[0].figures[1].value = 350;
    char *text = metrics_of(run);
#define LABELS "{uuid=\"00112233445566778899aabbccddeeff\",index=\"1\""
    assert_line(text, "\nfathom_check_status" LABELS ",status=\"slow\"} 1\n");
    assert_line(text, "\nfathom_check_status" LABELS ",status=\"healthy\"} 0\n");
    assert_line(text, "\nfathom_check_bytes_per_second" LABELS ",metric=\"dram_read\"} 3.1e+12\n");
    assert_line(text, "\nfathom_check_bytes_per_second_expected" LABELS
                      ",metric=\"dram_read\"} 4.6e+12\n");
    assert_line(text,
                "\nfathom_check_latency_seconds" LABELS ",metric=\"latency_dram\"} 3.5e-07\n");
    assert_line(text, "\nfathom_check_power_limit_watts" LABELS "} 700\n");
    assert_line(text, "\nfathom_check_time_seconds 2000\n");
    assert_line(text, "\nfathom_check_last_success_seconds 1000\n");
    free(text);
    run_destroy(run);
}

// Every sample follows the HELP and the TYPE of its metric, and each metric has them once.
static void every_metric_is_described_before_its_samples(void **state)
{
    (void)state;
    struct run *run = rich_run();
    char *text = metrics_of(run), *save = NULL;
    char help[128] = "", type[128] = "";
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (sscanf(line, "# HELP %127s", help) == 1)
            continue;
        if (sscanf(line, "# TYPE %127s gauge", type) == 1) {
            assert_string_equal(type, help);
            continue;
        }
        size_t length = strcspn(line, "{ ");
        assert_int_equal(length, strlen(type));
        assert_int_equal(strncmp(line, type, length), 0);
    }
    free(text);
    run_destroy(run);
}

static void labels_are_escaped(void **state)
{
    (void)state;
    struct run *run = rich_run();
    run->devices[0].name = "a \"b\" \\ c\nd";
    char *text = metrics_of(run);
    assert_line(text, "name=\"a \\\"b\\\" \\\\ c\\nd\"} 1\n");
    free(text);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_device_is_one_line),
        cmocka_unit_test(without_an_expectation_the_figures_follow),
        cmocka_unit_test(a_figure_with_another_device_names_it),
        cmocka_unit_test(a_hostile_name_prints_as_one_line),
        cmocka_unit_test(metrics_have_base_units_and_the_labels_of_the_device),
        cmocka_unit_test(every_metric_is_described_before_its_samples),
        cmocka_unit_test(labels_are_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
