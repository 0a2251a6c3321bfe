// SPDX-License-Identifier: MIT
// Tests the cases that are made from chosen values and the declarations of parameters.
#include "bench/choices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

// A benchmark that consists only of parameters.
static const struct param_info params[] = {
    {.key = "work", .type = PARAM_TEXT, .standard = "copy,add", .choices = "copy|add|none"},
    {.key = "width",
     .type = PARAM_UINT,
     .standard = "4,8",
     .choices = "4|8|16",
     .when = "work=copy|none"},
    {.key = "mode",
     .type = PARAM_TEXT,
     .standard = "row",
     .choices = "row|single",
     .unsaid = "row"},
    {.key = "bytes",
     .type = PARAM_BYTES,
     .standard = "1KiB,2KiB,4KiB",
     .when = "mode!=single",
     .takes_max = true},
    {.key = "message",
     .type = PARAM_BYTES,
     .standard = "64",
     .when = "mode=single",
     .said_as = "bytes"},
    {.key = "route", .type = PARAM_TEXT, .standard = "auto", .role = PARAM_METHOD},
};

static const struct benchmark bench_made = {
    .info = {.name = "made", .params = params, .param_count = sizeof params / sizeof *params}};

enum {
    PARAM_WORK,
    PARAM_WIDTH,
    PARAM_MODE,
    PARAM_SIZE
};

struct planned {
    struct arena *arena;
    const struct gpu_info *device;
    struct bench_product product; // all but its request
    struct bench_case_list list;
    struct error err;
};

static int start(void **state)
{
    static const struct gpu_info device = {.limits = {.memory_bytes = 2048}};
    struct planned *planned = *state = test_calloc(1, sizeof *planned);
    planned->arena = arena_create();
    planned->device = &device;
    return 0;
}

static int end(void **state)
{
    struct planned *planned = *state;
    arena_destroy(planned->arena);
    test_free(planned);
    return 0;
}

// Plans with the user's settings: "work=add bytes=1KiB", or "" for none.
static bool plan(struct planned *p, const char *settings)
{
    enum {
        SETTINGS_MAX = 4
    };
    const struct benchmark *const list[] = {&bench_made};
    struct setting set[SETTINGS_MAX];
    struct choice_request asked = {
        .benchmarks = list, .benchmark_count = 1, .preset = "standard", .settings = set};
    char *rest = arena_strdup(p->arena, settings);
    for (char *word = strtok_r(rest, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        assert_true(setting_parse(p->arena, word, &set[asked.setting_count++], &p->err));
    struct bench_choice *choices;
    if (!choices_make(p->arena, &asked, &bench_made, &choices, &p->err))
        return false;
    const struct bench_request request = {.arena = p->arena,
                                          .device = p->device,
                                          .preset = "standard",
                                          .choices = choices,
                                          .choice_count = bench_made.info.param_count};
    p->list = (struct bench_case_list){0};
    p->product.request = &request;
    return bench_plan_product(&p->product, &p->list, &p->err);
}

static void assert_keys(struct planned *p, const char *settings, const char *const *keys,
                        size_t count)
{
    if (!plan(p, settings))
        fail_msg("%s: %s", settings, p->err.message);
    for (size_t i = 0; i < count && i < p->list.count; i++)
        assert_string_equal(case_key(p->arena, "made", &p->list.cases[i]), keys[i]);
    assert_int_equal(p->list.count, count);
}

#define ASSERT_KEYS(planned, settings, ...)                                                        \
    assert_keys(planned, settings, (const char *const[]){__VA_ARGS__},                             \
                sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void the_last_parameter_changes_fastest_and_each_is_where_it_applies(void **state)
{
    ASSERT_KEYS(*state, "", "made/work=copy/width=4/bytes=1024",
                "made/work=copy/width=4/bytes=2048", "made/work=copy/width=4/bytes=4096",
                "made/work=copy/width=8/bytes=1024", "made/work=copy/width=8/bytes=2048",
                "made/work=copy/width=8/bytes=4096", "made/work=add/bytes=1024",
                "made/work=add/bytes=2048", "made/work=add/bytes=4096");
    struct planned *p = *state;
    // This value is not in the key.
    assert_string_equal(case_text(&p->list.cases[0], "route"), "auto");
}

static void a_case_may_leave_a_value_unsaid_or_say_it_as_another(void **state)
{
    ASSERT_KEYS(*state, "work=add mode=row,single bytes=1KiB", "made/work=add/bytes=1024",
                "made/work=add/mode=single/bytes=64");
}

static void a_parameter_that_is_in_no_key_takes_one_value(void **state)
{
    struct planned *p = *state;
    assert_false(plan(p, "route=auto,storage"));
    assert_int_equal(p->err.code, ERROR_USAGE);
    assert_non_null(strstr(p->err.message, "route takes one value, not a list"));
}

static bool fit_memory(const struct bench_pick *pick)
{
    uint64_t most = pick->request->device->limits.memory_bytes;
    if (pick->param == PARAM_SIZE && pick->value->uint > most)
        pick->value->uint = most;
    return pick->param != PARAM_WIDTH || pick->value->uint <= most;
}

static void presets_are_cut_to_the_device_and_users_are_not(void **state)
{
    struct planned *p = *state;
    p->product = (struct bench_product){.reach = fit_memory};
    // Two values that became equal give one case.
    ASSERT_KEYS(p, "work=add", "made/work=add/bytes=1024", "made/work=add/bytes=2048");
    ASSERT_KEYS(p, "work=add bytes=8KiB", "made/work=add/bytes=8192");
    ASSERT_KEYS(p, "work=add bytes=1KiB..max", "made/work=add/bytes=1024",
                "made/work=add/bytes=2048");
}

static void where_the_device_can_have_nothing_it_says_so(void **state)
{
    static const struct gpu_info none = {.kind = GPU_KIND_CPU};
    struct planned *p = *state;
    p->device = &none;
    p->product = (struct bench_product){.reach = fit_memory};
    assert_false(plan(p, "work=copy"));
    assert_int_equal(p->err.code, ERROR_UNSUPPORTED);
}

static void say_none(const struct bench_pick *pick)
{
    if (pick->param == PARAM_WORK)
        (void)case_value_set_text(pick->value, &params[PARAM_WORK], "none");
}

static void a_value_is_replaced_whoever_chose_it(void **state)
{
    struct planned *p = *state;
    p->product = (struct bench_product){.replace = say_none};
    ASSERT_KEYS(p, "work=add,copy width=16 bytes=1KiB", "made/work=none/width=16/bytes=1024");
    assert_int_equal(case_choice(&p->list.cases[0], "work"), 2);
}

// Keeps `add` only with the second size; refuses a width of 16.
static bool is_wanted(const struct bench_pick *pick, struct error *err)
{
    if (case_matches(&pick->c, "width=16"))
        return error_set(err, ERROR_USAGE, "no width of 16");
    return case_choice(&pick->c, "work") != 1 || pick->at[PARAM_SIZE] == 1;
}

static void a_rule_keeps_cases_drops_them_or_refuses_all(void **state)
{
    struct planned *p = *state;
    p->product = (struct bench_product){.keep = is_wanted};
    ASSERT_KEYS(p, "width=4 bytes=1KiB,2KiB", "made/work=copy/width=4/bytes=1024",
                "made/work=copy/width=4/bytes=2048", "made/work=add/bytes=2048");
    assert_false(plan(p, "width=4,16"));
    assert_string_equal(p->err.message, "no width of 16");
    assert_false(plan(p, "work=add bytes=1KiB"));
    assert_int_equal(p->err.code, ERROR_USAGE);
    assert_non_null(strstr(p->err.message, "do not go together"));
}

static bool adds(const struct bench_product *product, const struct bench_case *c)
{
    (void)product;
    return case_choice(c, "work") == 1;
}

static void some_cases_come_first_and_the_order_stays(void **state)
{
    struct planned *p = *state;
    p->product = (struct bench_product){.first = adds};
    ASSERT_KEYS(p, "width=4 bytes=2KiB,1KiB", "made/work=add/bytes=2048",
                "made/work=add/bytes=1024", "made/work=copy/width=4/bytes=2048",
                "made/work=copy/width=4/bytes=1024");
}

static void conditions_are_about_the_values_of_a_case(void **state)
{
    (void)state;
    struct case_value values[] = {{.key = "op", .type = PARAM_TEXT, .text = "read"},
                                  {.key = "width", .type = PARAM_UINT, .uint = 16}};
    const struct bench_case c = {values, 2};
    assert_true(case_matches(&c, NULL) && case_matches(&c, ""));
    assert_true(case_matches(&c, "op=read") && case_matches(&c, "op=write|read,width=8|16"));
    assert_false(case_matches(&c, "op=rea") || case_matches(&c, "op=read,width=1"));
    assert_false(case_matches(&c, "path=shared") || case_matches(&c, "op!=read|write"));
    assert_true(case_matches(&c, "path!=shared") && case_matches(&c, "op!=write"));
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(the_last_parameter_changes_fastest_and_each_is_where_it_applies),
        EACH(a_case_may_leave_a_value_unsaid_or_say_it_as_another),
        EACH(a_parameter_that_is_in_no_key_takes_one_value),
        EACH(presets_are_cut_to_the_device_and_users_are_not),
        EACH(where_the_device_can_have_nothing_it_says_so),
        EACH(a_value_is_replaced_whoever_chose_it),
        EACH(a_rule_keeps_cases_drops_them_or_refuses_all),
        EACH(some_cases_come_first_and_the_order_stays),
        cmocka_unit_test(conditions_are_about_the_values_of_a_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
