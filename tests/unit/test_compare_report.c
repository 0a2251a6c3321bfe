// SPDX-License-Identifier: MIT
#include "golden/golden.h"
#include "golden/pair_runs.h"
#include "report/compare_report.h"
#include "report/screen.h"

#include <jansson.h>

// Two runs with one of each: slower, faster, another clock, unsure, broken, refused, missing,
// and a metric that is.
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

static void the_console_shows_each_change_under_its_word(void **state)
{
    const struct scene *scene = *state;
    char *text = console_text(scene, (struct console_desc){0});
    contains(text, "Slower (1)\n");
    contains(text, "pair/bytes=1024 latency (suspect)");
    contains(text, "Faster (1)\n");
    contains(text, "pair/bytes=1536 latency (25.0% of the limit)\n");
    contains(text, "Core clock changed: time and cycles disagree (1)\n");
    contains(text, "pair/bytes=2048 latency (cycles ");
    contains(text, "Unsure: no interval, or one that crosses the threshold (1)\n");
    contains(text, "Broken: measured in base, failed now (1)\n  pair/bytes=3072: hop 3 |");
    contains(text, "Refused: another version or method; see --across (1)\n"
                   "  pair/bytes=3584: pair version 1 against 2");
    contains(text, "Missing in new (2)\n"
                   "  pair/bytes=4096: bandwidth has no number in new\n"
                   "  pair/bytes=10752\n");
    contains(text, "1 faster · 1 slower · 1 clock · 1 unsure · 2 missing · 1 broken · 1 refused");
    free(text);
}

static void no_line_is_wider_than_the_screen(void **state)
{
    const struct scene *scene = *state;
    for (unsigned columns = 60; columns <= 120; columns += 20) {
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
    assert_null(strstr(text, "issing"));
    contains(text, "reference  base.json");
    free(text);
}

static void markdown_is_a_table_that_no_text_can_break(void **state)
{
    const struct scene *scene = *state;
    char *text = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&text, &bytes);
    compare_markdown(&scene->report, stream);
    fclose(stream);
    contains(text, "| slower | +");
    contains(text, "- new: &lt;new\\>.json · vulkan:0 Made-up GPU");
    contains(text, "- broken: pair/bytes=3072: hop 3 \\| is at &#64;4\n");
    contains(text, "| pair | ×");
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
        WITH_SCENE(the_console_shows_each_change_under_its_word),
        WITH_SCENE(no_line_is_wider_than_the_screen),
        WITH_SCENE(a_reference_is_not_missed),
        WITH_SCENE(markdown_is_a_table_that_no_text_can_break),
        WITH_SCENE(json_says_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
