// SPDX-License-Identifier: MIT
// Which machines, cards and figures of the files a fleet has.
#include "report/fleet.h"
#include "results/json.h"
#include "results/reasons.h"
#include "synthetic.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct fleet *named_fleet(const char *const *hosts, size_t count)
{
    struct fleet *fleet = fleet_create();
    for (size_t i = 0; i < count; i++) {
        struct run *run = synthetic_run(&(struct synthetic){.seed = 1, .machines = 1}, 0);
        run->host[0].text = hosts[i];
        fleet_add_run(fleet, run, hosts[i]);
        run_destroy(run);
    }
    fleet_judge(fleet);
    return fleet;
}

static void machines_that_lack_between_others_are_named(void **state)
{
    (void)state;
    const char *const hosts[] = {"gpu-008.x", "gpu-009.x", "gpu-012.x",
                                 "gpu-013.x", "gpu-015.x", "login"};
    struct fleet *fleet = named_fleet(hosts, COUNT(hosts));
    assert_string_equal(synthetic_remark(fleet, "missing"),
                        "no file of these machines: gpu-010.x to gpu-011.x, gpu-014.x");
    fleet_destroy(fleet);
    const char *const sparse[] = {"n1", "n10", "n20", "n30"};
    fleet = named_fleet(sparse, COUNT(sparse));
    assert_null(synthetic_remark(fleet, "missing"));
    fleet_destroy(fleet);
}

static void machines_of_two_domains_are_rows_of_their_own(void **state)
{
    (void)state;
    const char *const hosts[] = {"n1.a", "n2.a", "n3.a", "n4.a",  "n5.a",  "n6.a",  "n7.a",
                                 "n8.a", "n9.a", "n1.b", "n10.b", "n11.b", "n12.b", "n10.a",
                                 "n2.b", "n3.b", "n4.b", "n5.b",  "n6.b",  "n8.b",  "n9.b"};
    struct fleet *fleet = named_fleet(hosts, COUNT(hosts));
    const char *text = synthetic_remark(fleet, "missing");
    assert_string_equal(text ? text : "none", "no file of these machines: n7.b");
    fleet_destroy(fleet);
}

static void each_card_counts_once(void **state)
{
    (void)state;
    struct fleet *fleet = fleet_create();
    const struct synthetic synthetic = {.seed = 2, .machines = 1, .expected = true};
    static const struct {
        const char *file, *started;
        bool shared;
    } files[] = {{"old", "2026-11-20T00:00:00Z", false},
                 {"rank1", "2026-11-24T00:00:00Z", true},
                 {"new", "2026-11-24T00:00:00Z", false}};
    for (size_t i = 0; i < COUNT(files); i++) {
        struct run *run = synthetic_run(&synthetic, 0);
        run->started = files[i].started;
        for (size_t k = 0; k < run->check_count; k++)
            run->checks[k].shared_check = files[i].shared;
        fleet_add_run(fleet, run, files[i].file);
        run_destroy(run);
    }
    fleet_judge(fleet);
    assert_int_equal(fleet->count, 8);
    assert_int_equal(fleet->shared, 8);
    for (size_t i = 0; i < fleet->count; i++)
        assert_string_equal(fleet->cards[i]->file, "new");
    assert_int_equal(fleet->left_count, 1);
    assert_string_equal(fleet->left[0].name, "old");
    assert_string_equal(fleet->left[0].text, "new has a later check of the same card");
    fleet_destroy(fleet);
}

static void a_run_without_checks_counts_by_its_card(void **state)
{
    (void)state;
    struct error err;
    struct run *run = run_read(TESTS_DIR "/../reference/h200-cuda-standard-3.json.gz", &err);
    assert_non_null(run);
    struct fleet *fleet = fleet_create();
    fleet_add_run(fleet, run, "folder/node7.json");
    run_destroy(run);
    fleet_judge(fleet);
    assert_int_equal(fleet->count, 1);
    assert_string_equal(fleet->cards[0]->host, "node7");
    assert_string_equal(fleet->cards[0]->api, "cuda");
    assert_true(fabs(fleet->cards[0]->points[CHECK_DRAM_READ].figure->value / 4.7e12 - 1) < 0.02);
    assert_true(fabs(fleet->cards[0]->points[CHECK_LATENCY_L1].figure->value / 16.2 - 1) < 0.02);
    assert_int_equal(fleet->cards[0]->grade, FLEET_UNKNOWN);
    fleet_destroy(fleet);
}

// Given a figure that a layer may have altered, then the card has no such figure here.
static void a_figure_that_something_altered_is_not_compared(void **state)
{
    (void)state;
    struct error err;
    struct reason altered = {.code = REASON_ALTERED, .text = "a layer"};
    for (int is_altered = 0; is_altered < 2; is_altered++) {
        struct run *run = run_read(TESTS_DIR "/../reference/h100-cuda-check.json.gz", &err);
        assert_non_null(run);
        for (size_t i = 0; is_altered && i < run->result_count; i++)
            if (strcmp(run->results[i]->benchmark, "bandwidth") == 0) {
                run->results[i]->reasons = &altered;
                run->results[i]->reason_count = 1;
            }
        struct fleet *fleet = fleet_create();
        fleet_add_run(fleet, run, "check.json");
        run_destroy(run);
        fleet_judge(fleet);
        assert_int_equal(fleet->cards[0]->points[CHECK_DRAM_READ].figure == NULL, is_altered);
        assert_non_null(fleet->cards[0]->points[CHECK_FP32].figure);
        fleet_destroy(fleet);
    }
}

// Returns the HTML page of a fleet; the caller frees it.
static char *page_of(struct fleet *fleet)
{
    struct error err;
    struct text_stream page;
    text_stream_open(&page);
    assert_true(fleet_html(fleet, page.file, &err));
    text_stream_close(&page);
    return page.text;
}

// Given a slow card with the only FP64 figure, then the page does not say how much worse this is.
static void a_figure_that_no_other_card_has_is_not_called_worse(void **state)
{
    (void)state;
    static const struct synthetic_plant plant = {.index = 3, .fault = FAULT_LINK};
    const struct synthetic synthetic = {
        .seed = 3, .machines = 1, .expected = true, .plants = &plant, .plant_count = 1};
    struct run *run = synthetic_run(&synthetic, 0);
    for (size_t i = 0; i < run->check_count; i++)
        for (size_t k = 0; i != plant.index && k < run->checks[i].figure_count; k++)
            if (run->checks[i].figures[k].metric == CHECK_FP64)
                run->checks[i].figures[k].value = NAN;
    struct fleet *fleet = fleet_create();
    fleet_add_run(fleet, run, "check.json");
    run_destroy(run);
    fleet_judge(fleet);
    char *page = page_of(fleet);
    assert_non_null(strstr(page, "<tr><td>FP64</td>"));
    assert_null(strstr(page, "999 %"));
    free(page);
    fleet_destroy(fleet);
}

// Given the check of one card, then no text calls the spread of its figures 0 %.
static void one_card_has_no_spread(void **state)
{
    (void)state;
    struct error err;
    struct run *run = run_read(TESTS_DIR "/../reference/h100-cuda-check-2.json.gz", &err);
    assert_non_null(run);
    struct fleet *fleet = fleet_create();
    fleet_add_run(fleet, run, "check.json");
    run_destroy(run);
    fleet_judge(fleet);
    char *page = page_of(fleet);
    assert_non_null(strstr(page, "1 card · spread – · "));
    struct text_stream screen;
    text_stream_open(&screen);
    fleet_console(fleet, &(const struct console_desc){.columns = 120}, screen.file);
    text_stream_close(&screen);
    assert_non_null(strstr(screen.text, "1 % … 99 %"));
    assert_null(strstr(screen.text, " 0.0 %"));
    assert_null(strstr(screen.text, " 0.00 %"));
    free(screen.text);
    free(page);
    fleet_destroy(fleet);
}

static void the_page_says_how_many_groups_it_leaves_out(void **state)
{
    (void)state;
    const char *const hosts[] = {"n1"};
    struct fleet *fleet = named_fleet(hosts, COUNT(hosts));
    fleet->group_count = 103;
    fleet->groups = ARENA_ARRAY(fleet->arena, fleet->group_count, struct fleet_group);
    for (size_t i = 0; i < fleet->group_count; i++)
        fleet->groups[i] = (struct fleet_group){.name = "rack r01", .count = 30, .effect = 0.03};
    char *page = page_of(fleet);
    assert_non_null(strstr(page, "and 3 more: see --json"));
    free(page);
    fleet_destroy(fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines_that_lack_between_others_are_named),
        cmocka_unit_test(machines_of_two_domains_are_rows_of_their_own),
        cmocka_unit_test(each_card_counts_once),
        cmocka_unit_test(a_run_without_checks_counts_by_its_card),
        cmocka_unit_test(a_figure_that_something_altered_is_not_compared),
        cmocka_unit_test(a_figure_that_no_other_card_has_is_not_called_worse),
        cmocka_unit_test(one_card_has_no_spread),
        cmocka_unit_test(the_page_says_how_many_groups_it_leaves_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
