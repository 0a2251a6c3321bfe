// SPDX-License-Identifier: MIT
// Prints reports on screens of every width: no line may be wider than the screen.
#include "analysis/card.h"
#include "golden/golden.h"
#include "report/compare_report.h"
#include "report/fleet.h"

static void lines_fit(const char *text, size_t columns)
{
    for (; *text; text += strcspn(text, "\n") + 1) {
        char line[4096];
        size_t bytes = strcspn(text, "\n");
        assert_true(bytes < sizeof line);
        memcpy(line, text, bytes);
        line[bytes] = '\0';
        if (screen_width(line) > columns)
            fail_msg("%zu columns on %zu: %s", screen_width(line), columns, line);
        assert_true(bytes == 0 || line[bytes - 1] != ' ');
    }
}

// Prints everything about a run on a screen of this width.
static void print_all(const struct run *run, unsigned columns, FILE *stream)
{
    const struct console_desc desc = {.columns = columns, .elapsed_s = 12};
    struct arena *arena = arena_create();
    console_head(run, &desc, stream);
    console_run(run, &desc, stream);
    for (size_t i = 0; i < run->device_count; i++) {
        struct card card;
        card_build(arena, run, run->devices[i].id, known_cards_builtin(arena), &card);
        console_headlines(&card, &desc, stream);
    }
    struct compare compare;
    struct error err = {0};
    assert_true(compare_runs(arena, run, run, &(const struct compare_desc){0}, &compare, &err));
    const struct compare_report report = {
        .compare = &compare, .base_name = "before.json", .now_name = "after.json", .all = true};
    compare_console(&report, &desc, stream);
    arena_destroy(arena);
}

static void every_report_fits_every_screen(void **state)
{
    const char *path = *state;
    struct run *run = golden_run(path);
    run->status = RUN_RUNNING; // the longest summary
    for (unsigned columns = 40; columns < 100; columns += 7) {
        char *text = NULL;
        size_t bytes;
        FILE *stream = open_memstream(&text, &bytes);
        print_all(run, columns, stream);
        fclose(stream);
        lines_fit(text, columns);
        free(text);
    }
    run_destroy(run);
}

static void a_fleet_fits_every_screen(void **state)
{
    struct run *run = golden_run(*state);
    struct fleet *fleet = fleet_create();
    fleet_add_run(fleet, run, "a-rather-long-name-of-a-folder/and-of-a-file-in-it.json");
    fleet_leave_out(fleet, "another-file.json", "it is not valid JSON, because it was cut short");
    fleet_judge(fleet);
    for (unsigned columns = 40; columns < 100; columns++) {
        char *text = NULL;
        size_t bytes;
        FILE *stream = open_memstream(&text, &bytes);
        fleet_console(fleet, &(const struct console_desc){.columns = columns}, stream);
        fclose(stream);
        lines_fit(text, columns);
        free(text);
    }
    fleet_destroy(fleet);
    run_destroy(run);
}

#define OF(test, path)                                                                             \
    {                                                                                              \
        path, test, NULL, NULL, (void *)(path)                                                     \
    }
#define REFERENCE(name) TESTS_DIR "/../reference/" name

int main(void)
{
    const struct CMUnitTest tests[] = {
        OF(every_report_fits_every_screen, TESTS_DIR "/golden/demo.json"),
        OF(every_report_fits_every_screen, TESTS_DIR "/golden/rich.json"),
        OF(every_report_fits_every_screen, TESTS_DIR "/golden/fake_failing.json"),
        OF(every_report_fits_every_screen, REFERENCE("h200-cuda-quick.json.gz")),
        OF(every_report_fits_every_screen, REFERENCE("h200-cuda-counters.json.gz")),
        OF(a_fleet_fits_every_screen, REFERENCE("h100-cuda-check.json.gz")),
        OF(a_fleet_fits_every_screen, REFERENCE("h200-cuda-all.json")),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
