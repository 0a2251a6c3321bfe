// SPDX-License-Identifier: MIT
// What a model's file may contain. A refusal names the path of the member and the reason.
#include "gpu/model/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define ROOT "\"name\": \"m\", \"cores\": 2, \"core_clock_hz\": 1e9, \"memory_bytes\": 67108864, "
#define L1                                                                                         \
    "{\"capacity_bytes\": 65536, \"line_bytes\": 128, \"sector_bytes\": 32, \"ways\": 4, "         \
    "\"latency_cycles\": 30, \"shared\": \"core\", \"replacement\": \"plru\"}"
#define L2                                                                                         \
    "{\"capacity_bytes\": 1048576, \"line_bytes\": 128, \"ways\": 16, \"latency_cycles\": 200}"
#define LEVEL(bytes, shared)                                                                       \
    "{\"capacity_bytes\": " #bytes ", \"line_bytes\": 128, \"ways\": 16, \"latency_cycles\": "     \
    "40, \"shared\": " shared "}"
#define LATER(bytes, cycles, shared)                                                               \
    "{\"capacity_bytes\": " #bytes                                                                 \
    ", \"line_bytes\": 128, \"ways\": 16, \"latency_cycles\": " #cycles ", \"shared\": " shared    \
    "}"
#define MEMORY "\"memory\": {\"latency_cycles\": 500}"

// Reads the text as a model's file. Returns the message of a refusal, or "".
static const char *read_text(struct arena *arena, const char *text, struct model_machine *machine)
{
    char path[] = "/tmp/fathom-model-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    struct error err = {.code = ERROR_NONE};
    bool good = model_machine_read(arena, path, machine, &err);
    unlink(path);
    assert_int_equal(good ? ERROR_NONE : ERROR_USAGE, err.code);
    return good ? "" : arena_strdup(arena, err.message);
}

static void a_machine_is_what_its_file_says(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct model_machine m;
    const char *text =
        "{" ROOT "\"levels\": [" L1 ", " L2 "], " MEMORY ", \"tlb\": [{\"entries\": 64, "
        "\"page_bytes\": 65536, \"ways\": 8, \"miss_cycles\": 90}]}";
    assert_string_equal(read_text(arena, text, &m), "");
    assert_string_equal(m.name, "m");
    assert_int_equal(m.level_count, 2);
    assert_int_equal(m.levels[0].sector_bytes, 32);
    assert_true(m.levels[0].sharers == 1 && m.levels[0].hashed);
    assert_int_equal(m.levels[0].replacement, MODEL_PLRU);
    assert_int_equal(m.levels[1].sector_bytes, 128);
    assert_int_equal(m.levels[1].sharers, 0);
    assert_int_equal(m.memory.latency_cycles, 500);
    assert_int_equal(m.tlbs[0].capacity_bytes, 64 * 65536);
    arena_destroy(arena);
}

static void levels_are_shared_as_the_file_has_it(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct model_machine m;
    const char *text =
        "{\"name\": \"m\", \"cores\": 5, \"core_clock_hz\": 1e9, \"memory_bytes\": 67108864, "
        "\"levels\": [" LEVEL(65536, "2") ", {\"capacity_bytes\": 1048576, \"line_bytes\": 128, "
                                          "\"ways\": 16, \"latency_cycles\": 200, \"shared\": "
                                          "\"near\"}, {\"capacity_bytes\": "
                                          "2097152, \"line_bytes\": 128, \"ways\": 16, "
                                          "\"latency_cycles\": 300, \"latency_ns\": 7}], "
                                          "\"memory\": {\"latency_cycles\": 300, \"clock_hz\": "
                                          "5e8, \"latency_clocks\": 100}}";
    assert_string_equal(read_text(arena, text, &m), "");
    assert_int_equal(m.levels[0].sharers, 2);
    assert_int_equal(m.levels[1].sharers, 3); // two parts share five cores: three and two
    assert_int_equal(m.levels[2].sharers, 0);
    assert_true(m.levels[2].latency_ns > 6.9 && m.memory.latency_ns > 199);
    arena_destroy(arena);
}

static void a_malformed_file_is_refused_by_path_and_reason(void **state)
{
    (void)state;
    const struct {
        const char *text, *message;
    } cases[] = {
        {"{", "line 1: "},
        {"[]", "expected an object"},
        {"{" ROOT MEMORY "}", "levels: expected at least one"},
        {"{" ROOT "\"levels\": 3, " MEMORY "}", "levels: expected an array"},
        {"{" ROOT "\"levels\": [" L1 "]}", "memory: missing"},
        {"{" ROOT "\"levels\": [" L1 "], \"memory\": {\"latency_cycles\": 30}}",
         "memory.latency_cycles: not longer"},
        {"{" ROOT "\"levels\": [" L2 ", " L1 "], " MEMORY "}",
         "levels[1].capacity_bytes: not larger"},
        {"{" ROOT "\"levels\": [{\"capacity_bytes\": 65536}], " MEMORY "}",
         "levels[0].line_bytes: missing"},
        {"{" ROOT "\"levels\": [{\"capacity\": 65536}], " MEMORY "}",
         "levels[0].capacity: no such member"},
        {"{" ROOT "\"levels\": [{\"capacity_bytes\": \"64 KiB\"}], " MEMORY "}",
         "levels[0].capacity_bytes: expected a number"},
        {"{" ROOT "\"levels\": [{\"capacity_bytes\": 65536, \"line_bytes\": 96}], " MEMORY "}",
         "levels[0].line_bytes: expected a power of two"},
        {"{" ROOT "\"levels\": [" L1 "], " MEMORY ", \"tlb\": [{\"entries\": 7, \"page_bytes\": "
         "4096, \"ways\": 2, \"miss_cycles\": 9}]}",
         "tlb[0].ways: the lines do not make whole sets"},
        {"{" ROOT "\"levels\": [" L1 "], " MEMORY ", \"noise\": {\"relative\": -1}}",
         "noise.relative: expected 0 to 0.5"},
        {"{" ROOT "\"levels\": [" L1 "], " MEMORY ", \"cores\": 3}", "duplicate"},
        {"{" ROOT "\"levels\": [" LEVEL(1048576, "\"near\"") "], " MEMORY "}",
         "levels[0].shared: near, but not of a next level"},
        {"{" ROOT "\"levels\": [" LEVEL(1048576, "\"gpu\"") "], " MEMORY "}",
         "levels[0].shared: expected one of chip, core, near"},
        {"{" ROOT "\"levels\": [" LEVEL(65536, "2") ", " LEVEL(1048576, "1") "], " MEMORY "}",
         "levels[1]."},
        {"{" ROOT "\"levels\": [" LATER(65536, 40, "2") ", " LATER(
             1048576, 50, "\"near\"") ", " LATER(2097152, 60, "\"chip\"") "], " MEMORY "}",
         "levels[1].shared: fewer cores have it than"},
        {"{" ROOT "\"levels\": [" LEVEL(65536, "3") "], " MEMORY "}",
         "levels[0].shared: more cores than there are"},
        {"{" ROOT "\"levels\": [" LATER(819200000000, 40, "\"chip\"") "], " MEMORY "}",
         "levels[0].capacity_bytes: more than 2^28 lines"},
        {"{" ROOT "\"levels\": [" LATER(34359738368, 40, "1") "], " MEMORY "}",
         "levels[0].capacity_bytes: more than 2^28 lines"},
        {"{\"name\": \"m\", \"cores\": 4096, \"core_clock_hz\": 1e9, \"memory_bytes\": 67108864, "
         "\"levels\": [" L1 "], " MEMORY ", \"tlb\": [{\"entries\": 1048576, \"page_bytes\": "
         "4096, \"ways\": 2, \"miss_cycles\": 9}]}",
         "tlb[0].entries: more than 2^28 lines"},
        {"{" ROOT "\"levels\": [" L1 "], \"memory\": {\"latency_cycles\": 500, \"bandwidth\": "
         "{\"core_bytes_per_cycle\": 8}}}",
         "memory.bandwidth.chip_bytes_per_cycle: missing"},
        {"{" ROOT "\"levels\": [" L1 "], " MEMORY ", \"company\": {\"period_ns\": 100, "
         "\"length_ns\": 50, \"slice_ns\": 60}}",
         "company.slice_ns: expected 1 to 50"},
        {"{" ROOT "\"levels\": [" L1 "], " MEMORY ", \"throttling\": {\"period_ns\": 100, "
         "\"length_ns\": 200, \"core_clock_hz\": 1e8}}",
         "throttling.length_ns: expected 1 to 100"},
        {"{" ROOT "\"levels\": [" L1 "], " MEMORY ", \"throttling\": {\"period_ns\": 100, "
         "\"length_ns\": 50, \"core_clock_hz\": 2e9}}",
         "throttling.core_clock_hz: expected 1000000 to 1000000000"},
        {"{\"name\": \"\", \"levels\": [" L1 "], " MEMORY "}", "name: expected a text"},
    };
    struct arena *arena = arena_create();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model_machine m;
        const char *message = read_text(arena, cases[i].text, &m);
        if (!strstr(message, cases[i].message))
            fail_msg("\"%s\" does not hold \"%s\"", message, cases[i].message);
        assert_null(strchr(message, '\n'));
    }
    arena_destroy(arena);
}

static void near_parts_of_near_parts_have_cores_of_their_own(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct model_machine m;
    const char *text =
        "{\"name\": \"m\", \"cores\": 8, \"core_clock_hz\": 1e9, \"memory_bytes\": "
        "67108864, \"levels\": [" LATER(65536, 40, "\"near\"") ", " LATER(
            131072, 50, "\"near\"") ", " LATER(262144, 60, "\"chip\"") "], " MEMORY "}";
    assert_string_equal(read_text(arena, text, &m), "");
    assert_int_equal(m.levels[0].sharers, 2);
    assert_int_equal(m.levels[1].sharers, 4);
    arena_destroy(arena);
}

// Returns the message without the file's name.
static const char *reason_of(const char *message)
{
    const char *reason = strchr(message, ' ');
    assert_non_null(reason);
    return reason + 1;
}

static void a_message_names_the_path_and_shows_no_control_characters(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct model_machine m;
    const struct {
        const char *text, *reason;
    } cases[] = {
        {"[]", "expected an object"},
        {"{" ROOT "\"levels\": [3], " MEMORY "}", "levels[0]: expected an object"},
        {"{" ROOT "\"levels\": [" L1 "], " MEMORY ", \"throttling\": 3}",
         "throttling: expected an object"},
        {"{\"\\u001b[31mred\\u009b\": 1}", "?[31mred??: no such member"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(reason_of(read_text(arena, cases[i].text, &m)), cases[i].reason);
    arena_destroy(arena);
}

static void a_file_that_is_not_there_is_refused(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct model_machine m;
    struct error err = {.code = ERROR_NONE};
    assert_false(model_machine_read(arena, "/nowhere/m.json", &m, &err));
    assert_int_equal(err.code, ERROR_USAGE);
    assert_non_null(strstr(err.message, "/nowhere/m.json"));
    arena_destroy(arena);
}

// From 10 on, each 100 begin with a burst of 5: other work gets 2, we get 2, other work gets 1.
static void company_takes_every_second_slice(void **state)
{
    (void)state;
    const struct model_machine machine = {.company_after_ns = 10,
                                          .company_period_ns = 100,
                                          .company_length_ns = 5,
                                          .company_slice_ns = 2};
    assert_true(model_company_ns(&machine, 9.5) == 0);
    assert_true(model_company_ns(&machine, 10) == 2);
    assert_true(model_company_ns(&machine, 11.5) == 2);
    assert_true(model_company_ns(&machine, 12) == 3);
    assert_true(model_company_ns(&machine, 10 + 96.5) == 3);
    assert_true(model_company_ns(&machine, 10 + 97) == 5); // next period, after 97 of our own
    const struct model_machine alone = {.company_period_ns = 0};
    assert_true(model_company_ns(&alone, 1e9) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(company_takes_every_second_slice),
        cmocka_unit_test(a_machine_is_what_its_file_says),
        cmocka_unit_test(levels_are_shared_as_the_file_has_it),
        cmocka_unit_test(a_malformed_file_is_refused_by_path_and_reason),
        cmocka_unit_test(near_parts_of_near_parts_have_cores_of_their_own),
        cmocka_unit_test(a_message_names_the_path_and_shows_no_control_characters),
        cmocka_unit_test(a_file_that_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
