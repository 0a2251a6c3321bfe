// SPDX-License-Identifier: MIT
// What `fathom map` prints, from the results of an invented machine.
#include "machine.h"

#include "report/console.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Returns the drawing of a map; the caller frees it.
static char *drawing_of(const struct run *run)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream = open_memstream(&text, &bytes);
    assert_non_null(stream);
    console_map(run, stream);
    fclose(stream);
    return text;
}

// Returns the drawing of the machine's map; the caller frees it.
static char *drawn(const struct gpu_info *device, const struct machine *machine)
{
    struct run *run = machine_map(device, machine, NULL);
    char *text = drawing_of(run);
    run_destroy(run);
    return text;
}

static size_t times_in(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

static void every_level_is_a_box_and_a_line_of_the_table(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    char *text = drawn(&device, &machine_hopper);
    // three levels of memory, two of instructions, and two boxes for what lies beyond
    assert_int_equal(times_in(text, "┌"), 7);
    assert_int_equal(times_in(text, "│ beyond"), 2);
    assert_true(times_in(text, "\n  vector level ") >= 3); // a note may repeat a level
    assert_int_equal(times_in(text, "\n  instruction cache "), 2);
    assert_int_equal(times_in(text, "line 128 B, sector 32 B"), 3);
    assert_int_equal(times_in(text, "each core its own"), 1);
    assert_int_equal(times_in(text, "shared by 66 cores"), 1);
    assert_int_equal(times_in(text, "\n  shared memory "), 1);
    assert_int_equal(times_in(text, "\n  translation level 1 "), 1);
    free(text);
}

static void what_is_unknown_of_several_levels_is_one_line(void **state)
{
    (void)state;
    // given a device whose kernels do not know their core
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    device.caps &= ~GPU_CAP(CORE_ID);
    char *text = drawn(&device, &machine_hopper);
    assert_int_equal(times_in(text, "shared by"), 0);
    assert_int_equal(
        times_in(text, "• vector level 1 and vector level 2 and vector level 3, sharers: "), 1);
    free(text);
}

static void a_path_without_levels_says_why(void **state)
{
    (void)state;
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    struct machine rising = machine_hopper;
    rising.slope = 0.3;
    char *text = drawn(&device, &rising);
    assert_int_equal(times_in(text, "\n  vector level "), 0);
    assert_non_null(strstr(text, ": no level was found\n"));
    assert_non_null(strstr(text, "\nUnknown\n  • could not separate the levels of path vector"));
    free(text);
}

// A run file may hold anything, so odd levels are drawn, too.
static void odd_levels_are_drawn_all_the_same(void **state)
{
    (void)state;
    static struct case_value values[] = {
        {.key = "what", .type = PARAM_TEXT, .text = "level"},
        {.key = "level", .type = PARAM_UINT, .uint = UINT64_MAX},
        {.key = "path", .type = PARAM_TEXT, .text = "vector"},
    };
    static struct metric size = {
        .name = "size", .unit = UNIT_BYTE, .median = 1e300, .ci95 = {NAN, NAN}};
    struct run *run = run_create();
    run_add_device(run)->id = "cuda:0";
    for (size_t count = 2; count <= 3; count++) // the first result has no path
        *run_add_result(run) = (struct result){.key = "map",
                                               .device = "cuda:0",
                                               .bench_case = {values, count},
                                               .metrics = &size,
                                               .metric_count = 1};
    char *text = drawing_of(run);
    assert_int_equal(times_in(text, "│ level 18446744073709551615 "), 1);
    assert_int_equal(times_in(text, "level 18446744073709551615"), 3);
    free(text);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_is_a_box_and_a_line_of_the_table),
        cmocka_unit_test(what_is_unknown_of_several_levels_is_one_line),
        cmocka_unit_test(a_path_without_levels_says_why),
        cmocka_unit_test(odd_levels_are_drawn_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
