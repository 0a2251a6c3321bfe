// SPDX-License-Identifier: MIT
// Scenarios that users write. If one is wrong, the message says where and why.
#include "bench/overlap/scenario.h"
#include "results/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void what_is_left_out_has_the_published_values(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct error err;
    const struct overlap_scenario *scenario =
        overlap_scenario_parse(arena, "{\"workloads\": [{\"name\": \"A\"}]}", "mine.json", &err);
    assert_non_null(scenario);
    assert_string_equal(scenario->name, "mine.json");
    assert_int_equal(scenario->count, 1);
    assert_string_equal(scenario->workloads[0].name, "A");
    assert_int_equal(scenario->workloads[0].queue, OVERLAP_DIRECT);
    assert_int_equal(scenario->workloads[0].blocks, 8);
    assert_int_equal(scenario->workloads[0].iterations, 64);
    assert_int_equal(scenario->workloads[0].after, 0);
    assert_false(scenario->urgent);
    assert_false(scenario->stable);
    arena_destroy(arena);
}

static void all_members_are_understood(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct error err;
    const struct overlap_scenario *scenario = overlap_scenario_parse(
        arena,
        "{\"name\": \"all\", \"priority\": \"high\", \"clock\": \"stable\", \"workloads\": ["
        "{\"name\": \"A\", \"queue\": \"compute\", \"groups\": 256, \"iterations\": 128},"
        "{\"name\": \"B\", \"queue\": \"compute\", \"kind\": \"draw\"},"
        "{\"name\": \"C\", \"queue\": \"compute\", \"after\": [\"A\", \"B\"]}]}",
        "mine.json", &err);
    assert_non_null(scenario);
    assert_string_equal(scenario->help, "all");
    assert_true(scenario->urgent);
    assert_true(scenario->stable);
    assert_int_equal(scenario->workloads[0].queue, OVERLAP_COMPUTE);
    assert_int_equal(scenario->workloads[0].blocks, 256);
    assert_int_equal(scenario->workloads[0].iterations, 128);
    assert_true(scenario->workloads[1].draw);
    assert_int_equal(scenario->workloads[2].after, 3);
    arena_destroy(arena);
}

static void what_waits_may_be_on_the_other_queue(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct error err;
    const struct overlap_scenario *scenario =
        overlap_scenario_parse(arena,
                               "{\"workloads\": [{\"name\": \"A\"},"
                               "{\"name\": \"B\", \"queue\": \"compute\", \"after\": [\"A\"]}]}",
                               "mine.json", &err);
    assert_non_null(scenario);
    assert_true(overlap_scenario_waits(scenario));
    assert_false(overlap_scenario_stays(scenario));
    arena_destroy(arena);
}

// If a workload is disabled, those that waited for it wait for nothing, as in the published tool.
static void a_workload_that_is_not_enabled_is_as_if_it_were_not_there(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct error err;
    const struct overlap_scenario *scenario = overlap_scenario_parse(
        arena,
        "{\"workloads\": [{\"name\": \"A\", \"enabled\": false}, {\"name\": \"B\"},"
        "{\"name\": \"C\", \"after\": [\"A\"]}, {\"name\": \"D\", \"after\": [\"B\", \"A\"]}]}",
        "mine.json", &err);
    assert_non_null(scenario);
    assert_int_equal(scenario->count, 3);
    assert_string_equal(scenario->workloads[0].name, "B");
    assert_int_equal(scenario->workloads[1].after, 0);
    assert_int_equal(scenario->workloads[2].after, 1);
    arena_destroy(arena);
}

static const struct {
    const char *workloads, *place, *reason;
} wrong[] = {
    {"{\"name\": \"A\"}, {\"name\": \"B\", \"after\": [\"Aa\"]}", "workloads[1].after[0]",
     "there is no workload 'Aa'"},
    {"{\"name\": \"A\", \"after\": [\"C\"]}, {\"name\": \"B\", \"after\": [\"A\"]},"
     "{\"name\": \"C\", \"after\": [\"B\"]}",
     "workloads[0].after", "waits for itself"},
    {"{\"name\": \"A\", \"after\": [\"A\"]}", "workloads[0].after", "waits for itself"},
    {"{\"name\": \"A\", \"after\": [\"B\"]}, {\"name\": \"B\"}", "workloads[0].after",
     "stands behind it"},
    {"{\"name\": \"A\", \"queue\": \"grpahics\"}", "workloads[0].queue", "'grpahics' is not known"},
    {"{\"name\": \"A\", \"kind\": \"copy\"}", "workloads[0].kind", "\"dispatch\" or \"draw\""},
    {"{\"name\": \"A\", \"groups\": -1}", "workloads[0].groups", ""},
    {"{\"name\": \"A\", \"groups\": 257}", "workloads[0].groups", "must be 1 to 256"},
    {"{\"name\": \"A\", \"iterations\": 0}", "workloads[0].iterations", "must be 1 to 128"},
    {"{\"name\": \"A\", \"iterations\": 1.5}", "workloads[0].iterations", ""},
    {"{\"name\": \"A\", \"enabled\": 1}", "workloads[0].enabled", "true or false"},
    {"{\"name\": \"A\", \"enabled\": false}", "workloads", "none of its workloads"},
    {"{\"queue\": \"direct\"}", "workloads[0].name", ""},
    {"{\"name\": \"\"}", "workloads[0].name", "empty"},
    {"{\"name\": \"A\"}, {\"name\": \"A\"}", "workloads[1].name", "earlier workload"},
    {"{\"name\": \"A\", \"grups\": 3}", "workloads[0]", "did you mean 'groups'?"},
    {"", "workloads", "0 workloads"},
    {"7", "workloads[0]", ""},
};

static void whatever_is_wrong_is_named_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct arena *arena = arena_create();
        struct error err;
        const char *text = arena_printf(arena, "{\"workloads\": [%s]}", wrong[i].workloads);
        if (overlap_scenario_parse(arena, text, "mine.json", &err))
            fail_msg("understood: %s", text);
        assert_int_equal(err.code, ERROR_USAGE);
        if (!strstr(err.message, "mine.json") || !strstr(err.message, wrong[i].place) ||
            !strstr(err.message, wrong[i].reason))
            fail_msg("%s: %s", text, err.message);
        arena_destroy(arena);
    }
}

static void a_document_that_is_no_scenario_is_refused(void **state)
{
    (void)state;
    static const char *const documents[] = {"[]", "{}", "{\"workloads\": {}}", "{",
                                            "{\"workloads\": [], \"barier\": \"split\"}"};
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        struct arena *arena = arena_create();
        struct error err;
        assert_null(overlap_scenario_parse(arena, documents[i], "mine.json", &err));
        assert_int_equal(err.code, ERROR_USAGE);
        assert_null(strstr(err.message, "measure")); // a user writes these files
        arena_destroy(arena);
    }
}

// Given the built-in scenarios as a page gets them, when each text is read like a file, then it
// gives the same scenario. A file cannot ask for split barriers, so `set` does.
static void built_in_scenarios_read_back_from_what_is_written(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct json_out out = {.arena = arena};
    struct error err;
    json_put_open(&out, NULL, '[');
    overlap_scenarios_put(&out);
    json_put_close(&out, ']');
    const char *text = json_out_text(&out);
    json_t *list = json_read_memory(text, strlen(text), "list", &err);
    assert_int_equal(json_array_size(list), overlap_scenario_count);
    for (size_t i = 0; i < overlap_scenario_count; i++) {
        const struct overlap_scenario *built_in = &overlap_scenarios[i];
        const json_t *one = json_array_get(list, i);
        struct json_node content = {.value = json_object_get(one, "scenario")};
        const struct overlap_scenario *read =
            overlap_scenario_get(arena, json_compact(arena, &content), &err);
        assert_non_null(read);
        assert_string_equal(read->help, built_in->name);
        assert_int_equal(read->urgent, built_in->urgent);
        assert_int_equal(json_object_get(one, "set") != NULL, built_in->split);
        assert_int_equal(read->count, built_in->count);
        for (size_t w = 0; w < read->count; w++) {
            const struct overlap_workload *a = &read->workloads[w], *b = &built_in->workloads[w];
            assert_string_equal(a->name, b->name);
            assert_int_equal(a->queue, b->queue);
            assert_int_equal(a->draw, b->draw);
            assert_int_equal(a->blocks, b->blocks);
            assert_int_equal(a->iterations, b->iterations);
            assert_int_equal(a->after, b->after);
        }
    }
    json_decref(list);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_out_has_the_published_values),
        cmocka_unit_test(all_members_are_understood),
        cmocka_unit_test(what_waits_may_be_on_the_other_queue),
        cmocka_unit_test(a_workload_that_is_not_enabled_is_as_if_it_were_not_there),
        cmocka_unit_test(whatever_is_wrong_is_named_with_its_place),
        cmocka_unit_test(a_document_that_is_no_scenario_is_refused),
        cmocka_unit_test(built_in_scenarios_read_back_from_what_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
