// SPDX-License-Identifier: MIT
#include "golden/golden.h"
#include "golden/pair_runs.h"
#include "report/compare_report.h"
#include "report/screen.h"

#include <jansson.h>

// Two runs with one case of each kind: slower, faster, other clock, unsure, broken, refused,
// missing, and one with a missing metric.
struct scene {
    struct arena *arena;
    struct run *base, *now;
    struct compare compare;
    struct compare_report report;
};

static void scale(struct result *result, size_t metrics, double factor)
{
    for (size_t i = 0; i < metrics; i++) {
        result->metrics[i].median *= factor;
        result->metrics[i].ci95[0] *= factor;
        result->metrics[i].ci95[1] *= factor;
    }
}

static int scene_make(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    scene->arena = arena_create();
    scene->base = pair_run((struct pair_desc){.seed = 1});
    scene->now = pair_run((struct pair_desc){.seed = 2});
    struct result **results = scene->now->results;
    scale(results[0], 2, 1.5);
    scale(results[1], 2, 0.5);
    results[1]->metrics[0].limit = results[1]->metrics[0].median / 4;
    scale(results[2], 1, 1.2);
    scale(results[3], 2, 1.02);
    result_flag(scene->now->arena, results[0], VERDICT_SUSPECT, "correlated", "lag");
    result_flag(scene->now->arena, results[4], VERDICT_FAILED, "mismatch", "hop 3 | is at @4");
    results[5]->version = 2;
    results[6]->metrics[2].median = NAN;
    scene->now->result_count--;
    struct error err = {0};
    struct compare_desc desc = {0};
    if (!compare_runs(scene->arena, scene->base, scene->now, &desc, &scene->compare, &err))
        return -1;
    scene->report = (struct compare_report){
        .compare = &scene->compare, .base_name = "base.json", .now_name = "<new>.json"};
    *state = scene;
    return 0;
}

static int scene_drop(void **state)
{
    struct scene *scene = *state;
    run_destroy(scene->base);
    run_destroy(scene->now);
    arena_destroy(scene->arena);
    free(scene);
    return 0;
}

static char *console_text(const struct scene *scene, struct console_desc desc)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    compare_console(&scene->report, &desc, stream);
    fclose(stream);
    return text;
}

static void contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in\n%s", part, text);
}

static void a_verdict_with_the_exit_status_comes_first_then_the_counts(void **state)
{
    const struct scene *scene = *state;
    char *text = console_text(scene, (struct console_desc){.columns = 200});
    contains(text, "1 of ");
    assert_ptr_equal(strstr(text, "1 of "), text);
    contains(text, " values got slower by more than 2%, the largest change is +");
    contains(text, "%; 1 of them is suspect and counts only with --strict; "
                   "1 case that base measured failed: exit status 1.\n1 faster · 1 slower · ");
    contains(text, " same · 1 unsure · 2 gone · 1 failed · 1 not comparable · 1 other clock\n");
    free(text);
}

static void nothing_slower_is_exit_status_0(void **state)
{
    struct scene *scene = *state;
    struct compare same;
    struct error err = {0};
    struct compare_desc desc = {0};
    assert_true(compare_runs(scene->arena, scene->base, scene->base, &desc, &same, &err));
    scene->report.compare = &same;
    char *text = console_text(scene, (struct console_desc){0});
    assert_ptr_equal(strstr(text, "0 of 60 values got slower by more than 2%: exit status 0.\n"
                                  "0 faster · 0 slower · 60 same · 0 unsure\n"),
                     text);
    free(text);
}

// Compares the scene's runs anew. Returns the verdict, which lives in the scene's arena.
static const char *verdict_of(struct scene *scene, struct compare_desc desc)
{
    struct error err = {0};
    assert_true(compare_runs(scene->arena, scene->base, scene->now, &desc, &scene->compare, &err));
    return compare_verdict(scene->arena, &scene->compare);
}

static void a_suspect_case_that_is_slower_counts_only_with_strict(void **state)
{
    struct scene *scene = *state;
    struct result **base = scene->base->results, **now = scene->now->results;
    now[4]->verdict = VERDICT_OK;
    contains(verdict_of(scene, (struct compare_desc){0}),
             "%; 1 of them is suspect and counts only with --strict: exit status 0.");
    contains(verdict_of(scene, (struct compare_desc){.strict = true}),
             "%; 1 of them is suspect: exit status 1.");

    // The second slower case is suspect in the base run only.
    scale(now[7], 2, 1.5);
    result_flag(scene->base->arena, base[7], VERDICT_SUSPECT, "few", "3 samples");
    contains(verdict_of(scene, (struct compare_desc){0}),
             "%; 2 of them are suspect and count only with --strict: exit status 0.");
    assert_false(compare_regressed(&scene->compare));
    base[7]->verdict = VERDICT_OK;
    contains(verdict_of(scene, (struct compare_desc){0}),
             "%; 1 of them is suspect and counts only with --strict: exit status 1.");
    assert_true(compare_regressed(&scene->compare));
}

static void the_console_shows_each_change_under_its_word(void **state)
{
    const struct scene *scene = *state;
    char *text = console_text(scene, (struct console_desc){.columns = 120});
    contains(text, "Slower (1)\n  change, its interval, base, new, parameters that vary\n"
                   "  pair latency · bytes=1 KiB\n    +");
    contains(text, "  (suspect)\n");
    contains(text, "Faster (1)\n  pair latency · bytes=1.5 KiB\n    -");
    contains(text, "  (25.0% of the limit)\n");
    contains(text, "Core clock changed: time and cycles disagree (1)\n");
    contains(text, "  (cycles ");
    contains(text, "Failed: measured in base, failed in new (1)\n  pair 3 KiB: hop 3 | is at @4\n");
    contains(text, "Not comparable, see --across (1)\n  pair 3.5 KiB: pair version 1 against 2");
    free(text);
}

static void what_did_not_change_for_certain_is_counted_and_listed_with_all(void **state)
{
    struct scene *scene = *state;
    char *text = console_text(scene, (struct console_desc){0});
    contains(text, "\n--all also lists: 1 unsure · 2 gone\n");
    assert_null(strstr(text, "Unsure"));
    assert_null(strstr(text, "Gone"));
    free(text);
    scene->report.all = true;
    text = console_text(scene, (struct console_desc){0});
    assert_null(strstr(text, "--all also"));
    contains(text, "\nUnsure: no interval, or one that crosses the threshold (1)\n");
    contains(text, "\nGone: measured in base only (2)\n"
                   "  pair 4 KiB: bandwidth has no number in new\n  pair 10.5 KiB\n");
    free(text);
}

// Makes the first `count` cases of the new run slower.
static void slow_down(struct scene *scene, size_t count)
{
    struct error err = {0};
    struct compare_desc desc = {0};
    for (size_t i = 0; i < count; i++)
        scale(scene->now->results[i], 2, 3);
    assert_true(compare_runs(scene->arena, scene->base, scene->now, &desc, &scene->compare, &err));
}

static void a_row_names_only_the_parameters_that_vary_beside_it(void **state)
{
    struct scene *scene = *state;
    slow_down(scene, 3);
    char *text = console_text(scene, (struct console_desc){.columns = 120});
    contains(text, "  pair latency\n    ");
    contains(text, "  1.5 KiB (");
    contains(text, "  2 KiB\n");
    free(text);
}

static void a_long_list_is_cut_unless_all_is_wanted(void **state)
{
    struct scene *scene = *state;
    run_destroy(scene->base);
    run_destroy(scene->now);
    scene->base = pair_run((struct pair_desc){.seed = 1, .cases = 50});
    scene->now = pair_run((struct pair_desc){.seed = 2, .cases = 50});
    slow_down(scene, 50);
    char *text = console_text(scene, (struct console_desc){0});
    contains(text, "Slower (50)\n");
    contains(text, "    … and 10 more: --all lists them\n");
    free(text);
    scene->report.all = true;
    text = console_text(scene, (struct console_desc){0});
    assert_null(strstr(text, " more: --all"));
    free(text);
}

static void no_line_is_wider_than_the_screen(void **state)
{
    struct scene *scene = *state;
    for (unsigned columns = 60; columns <= 120; columns += 20) {
        scene->report.all = columns % 40 == 0;
        char *text = console_text(scene, (struct console_desc){.columns = columns});
        for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
            *end = '\0';
            assert_true(screen_width(line) <= columns);
        }
        free(text);
    }
}

static void a_reference_is_not_missed(void **state)
{
    struct scene *scene = *state;
    scene->report.reference = true;
    char *text = console_text(scene, (struct console_desc){0});
    assert_null(strstr(text, "gone"));
    contains(text, "reference  base.json");
    free(text);
}

static char *markdown_text(const struct scene *scene)
{
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    compare_markdown(&scene->report, stream);
    fclose(stream);
    return text;
}

static void markdown_is_a_table_that_no_text_can_break(void **state)
{
    const struct scene *scene = *state;
    char *text = markdown_text(scene);
    contains(text, "**1 of ");
    contains(text, ": exit status 1.** 1 faster · ");
    contains(text, "| slower | +");
    contains(text, "- new: &lt;new\\>.json · 2026-01-02T03:04:05Z · vulkan:0 Made-up GPU");
    contains(text, "- broken: pair/bytes=3072: hop 3 \\| is at &#64;4\n");
    contains(text, "| pair | ×");
    free(text);
    scene->now->started = NULL; // a run file need not say when it was started
    text = markdown_text(scene);
    contains(text, "- new: &lt;new\\>.json · vulkan:0 Made-up GPU");
    free(text);
}

static void json_says_the_same(void **state)
{
    const struct scene *scene = *state;
    char *text = NULL;
    size_t bytes;
    struct error err = {0};
    FILE *stream = open_memstream(&text, &bytes);
    assert_true(compare_json(&scene->report, stream, &err));
    fclose(stream);
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    assert_string_equal(json_string_value(json_object_get(json, "schema")), "fathom-compare/1");
    assert_true(json_is_true(json_object_get(json, "regressed")));
    json_t *rows = json_object_get(json, "rows"), *first = json_array_get(rows, 0);
    assert_int_equal(json_array_size(rows), scene->compare.row_count);
    assert_string_equal(json_string_value(json_object_get(first, "word")), "slower");
    assert_true(json_real_value(json_object_get(first, "ratio")) ==
                scene->compare.rows[0].ratio.value);
    assert_non_null(json_object_get(first, "new"));
    for (size_t i = 0; i < json_array_size(rows); i++) {
        json_t *row = json_array_get(rows, i);
        if (strcmp(json_string_value(json_object_get(row, "word")), "missing") == 0)
            assert_null(json_object_get(row, "new"));
    }
    json_decref(json);
    free(text);
}

#define WITH_SCENE(test) cmocka_unit_test_setup_teardown(test, scene_make, scene_drop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SCENE(a_verdict_with_the_exit_status_comes_first_then_the_counts),
        WITH_SCENE(nothing_slower_is_exit_status_0),
        WITH_SCENE(a_suspect_case_that_is_slower_counts_only_with_strict),
        WITH_SCENE(the_console_shows_each_change_under_its_word),
        WITH_SCENE(what_did_not_change_for_certain_is_counted_and_listed_with_all),
        WITH_SCENE(a_row_names_only_the_parameters_that_vary_beside_it),
        WITH_SCENE(a_long_list_is_cut_unless_all_is_wanted),
        WITH_SCENE(no_line_is_wider_than_the_screen),
        WITH_SCENE(a_reference_is_not_missed),
        WITH_SCENE(markdown_is_a_table_that_no_text_can_break),
        WITH_SCENE(json_says_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
