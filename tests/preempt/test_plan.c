// SPDX-License-Identifier: MIT
// The cases that `preempt` plans: those that the standard preset promises, on a device with all
// that they need, and on one that cannot draw.
#include "planned.h"

#include <string.h>

extern const struct benchmark bench_preempt;

static const char *const hogs[] = {"none",         "baseline",    "many-draws",
                                   "big-dispatch", "slow-shader", "many-dispatches"};
static const char *const settings[] = {"queues", "devices", "processes"};
static const char *const priorities[] = {"medium", "highest"};

static struct bench_case_list cases_of(struct arena *arena, const char *preset, gpu_caps caps)
{
    struct planned planned = {.benchmark = &bench_preempt, .arena = arena, .info = {.caps = caps}};
    if (!plan(&planned, preset, NULL))
        fail_msg("%s", planned.err.message);
    return planned.list;
}

static size_t count_of(struct arena *arena, const struct bench_case_list *list, const char *part)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += strstr(case_key(arena, "preempt", &list->cases[i]), part) != NULL;
    return count;
}

static void standard_has_every_hog_setting_and_two_priorities_with_300_deadlines(void **state)
{
    struct arena *arena = arena_create();
    struct bench_case_list list = cases_of(arena, "standard", GPU_CAP(GRAPHICS));
    (void)state;
    for (size_t h = 0; h < sizeof hogs / sizeof *hogs; h++)
        for (size_t s = 0; s < sizeof settings / sizeof *settings; s++)
            for (size_t p = 0; p < sizeof priorities / sizeof *priorities; p++) {
                const char *key = arena_printf(arena, "preempt/hog=%s/setting=%s/priority=%s",
                                               hogs[h], settings[s], priorities[p]);
                // Without a hog there is no other process, and no work to overtake.
                bool same = strcmp(hogs[h], "none") == 0 &&
                            (strcmp(settings[s], "processes") == 0 || p == 1);
                assert_int_equal(
                    count_of(arena, &list, key) -
                            count_of(arena, &list, arena_printf(arena, "%s/actors", key)) >
                        0,
                    !same);
            }
    for (size_t i = 0; i < list.count; i++)
        assert_int_equal(case_uint(&list.cases[i], "samples"), 60); // in each of five visits
    assert_int_equal(count_of(arena, &list, "victim=draw"), 4);
    assert_int_equal(count_of(arena, &list, "arrivals=closed"), 4);
    assert_int_equal(count_of(arena, &list, "actors=three"), 5 + 2);
    assert_int_equal(list.count, 6 * 3 * 2 - 4 + 4 + 4 + 7);
    arena_destroy(arena);
}

static void where_nothing_can_be_drawn_no_draws_are_planned(void **state)
{
    struct arena *arena = arena_create();
    struct bench_case_list list = cases_of(arena, "standard", 0);
    (void)state;
    assert_int_equal(count_of(arena, &list, "draw"), 0);
    assert_int_equal(list.count, 5 * 3 * 2 - 4 + 4 + 6);
    arena_destroy(arena);
}

static void full_is_the_whole_matrix_with_1000_deadlines(void **state)
{
    struct arena *arena = arena_create();
    struct bench_case_list list = cases_of(arena, "full", GPU_CAP(GRAPHICS));
    (void)state;
    assert_int_equal(count_of(arena, &list, "arrivals=closed"), 4);
    assert_int_equal(list.count, 6 * 3 * 4 * 2 + 4 + 7);
    assert_int_equal(count_of(arena, &list, "victim=draw"), 6 * 3 * 4);
    assert_int_equal(case_uint(&list.cases[0], "samples"), 200);
    arena_destroy(arena);
}

// A compositor has the highest priority that has an effect in its setting.
static void three_actors_have_the_highest_priority_that_the_api_has(void **state)
{
    static const struct {
        gpu_caps caps;
        const char *queues, *processes;
    } apis[] = {{0, "medium", "medium"},
                {GPU_CAP(PRIORITY), "highest", "medium"},
                {GPU_CAP(PRIORITY) | GPU_CAP(PRIORITY_GLOBAL), "highest", "highest"}};
    struct arena *arena = arena_create();
    (void)state;
    for (size_t i = 0; i < sizeof apis / sizeof *apis; i++) {
        struct bench_case_list list = cases_of(arena, "standard", apis[i].caps);
        const char *key = "preempt/hog=big-dispatch/setting=%s/priority=%s/actors=three";
        assert_int_equal(count_of(arena, &list, "actors=three"), 4 + 2);
        assert_int_equal(count_of(arena, &list, arena_printf(arena, key, "queues", apis[i].queues)),
                         1);
        assert_int_equal(
            count_of(arena, &list, arena_printf(arena, key, "processes", apis[i].processes)), 1);
    }
    arena_destroy(arena);
}

static void three_actors_have_no_axis_of_the_victim(void **state)
{
    struct arena *arena = arena_create();
    struct planned planned = {.benchmark = &bench_preempt,
                              .arena = arena,
                              .info = {.caps = GPU_CAP(PRIORITY) | GPU_CAP(GRAPHICS)}};
    (void)state;
    // When three actors are chosen, then every preset has them, once for each hog and setting.
    assert_true(plan(&planned, "quick", "actors=three"));
    assert_int_equal(planned.list.count, 2);
    assert_int_equal(case_uint(&planned.list.cases[0], "frame_ms"), 5);
    assert_true(plan(&planned, "standard", "actors=three"));
    assert_int_equal(planned.list.count, 6 * 3);
    assert_int_equal(count_of(arena, &planned.list, "victim="), 0);
    assert_int_equal(count_of(arena, &planned.list, "arrivals="), 0);
    // When the kind of victim or its priority is chosen, then no case has three actors.
    assert_true(plan(&planned, "standard", "victim=draw"));
    assert_int_equal(count_of(arena, &planned.list, "actors="), 0);
    assert_true(plan(&planned, "standard", "priority=low"));
    assert_int_equal(count_of(arena, &planned.list, "actors="), 0);
    arena_destroy(arena);
}

static void quick_has_what_its_headlines_show(void **state)
{
    struct arena *arena = arena_create();
    struct bench_case_list list = cases_of(arena, "quick", GPU_CAP(PRIORITY));
    (void)state;
    // The device has one queue, so the victim is on a device of its own.
    assert_int_equal(list.count, 2);
    for (size_t i = 0; i < list.count; i++) {
        size_t shown = 0;
        for (size_t h = 0; h < bench_preempt.info.headline_count; h++)
            shown += case_matches(&list.cases[i], bench_preempt.info.headlines[h].where);
        assert_int_equal(shown, 1);
    }
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standard_has_every_hog_setting_and_two_priorities_with_300_deadlines),
        cmocka_unit_test(where_nothing_can_be_drawn_no_draws_are_planned),
        cmocka_unit_test(full_is_the_whole_matrix_with_1000_deadlines),
        cmocka_unit_test(three_actors_have_the_highest_priority_that_the_api_has),
        cmocka_unit_test(three_actors_have_no_axis_of_the_victim),
        cmocka_unit_test(quick_has_what_its_headlines_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
