// SPDX-License-Identifier: MIT
// The cases that `bandwidth` plans on a device like an H200, for each preset and user's choice.
#include "bench/bandwidth/session.h"
#include "case_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_bandwidth;

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

enum {
    PARAMS_MAX = 16,
    VALUES_MAX = 96
};

// A request. Its choices begin as those of the preset, written by hand below.
struct fixture {
    struct arena *arena;
    struct gpu_info info;
    struct bench_choice choices[PARAMS_MAX];
    struct bench_request request;
    struct bench_case_list list;
    struct error err;
};

static struct bench_choice *choice(struct fixture *f, const char *key)
{
    for (size_t i = 0; i < f->request.choice_count; i++)
        if (strcmp(f->choices[i].param->key, key) == 0)
            return &f->choices[i];
    fail_msg("no parameter %s", key);
    return NULL;
}

static void add_value(struct fixture *f, const char *key, struct case_value value)
{
    struct bench_choice *c = choice(f, key);
    if (!c->values)
        c->values = ARENA_ARRAY(f->arena, VALUES_MAX, struct case_value);
    value.key = c->param->key;
    value.type = c->param->type;
    value.role = c->param->role;
    c->values[c->value_count++] = value;
}

static void texts(struct fixture *f, const char *key, const char *list)
{
    choice(f, key)->value_count = 0;
    char *copy = arena_strdup(f->arena, list), *rest = copy;
    for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        add_value(f, key, case_text_of(&bench_bandwidth, key, word));
}

static void number(struct fixture *f, const char *key, uint64_t value)
{
    add_value(f, key, (struct case_value){.uint = value});
}

static void by_user(struct fixture *f, const char *key)
{
    choice(f, key)->from_user = true;
}

static int open_fixture(void **state)
{
    static struct fixture f;
    f = (struct fixture){.arena = arena_create()};
    f.info = (struct gpu_info){
        .name = "NVIDIA H200",
        .kind = GPU_KIND_DISCRETE,
        .vendor_id = 0x10de,
        .limits = {.memory_bytes = 140 * GIB,
                   .allocation_bytes = 4 * GIB - 2 * MIB,
                   .cores = 132,
                   .workgroup_threads = 1024},
    };
    const struct benchmark_info *info = &bench_bandwidth.info;
    f.request = (struct bench_request){.arena = f.arena,
                                       .device = &f.info,
                                       .preset = "standard",
                                       .choices = f.choices,
                                       .choice_count = info->param_count};
    for (size_t i = 0; i < info->param_count; i++)
        f.choices[i].param = &info->params[i];
    texts(&f, "op", "read,write,copy");
    texts(&f, "path", "global,shared");
    texts(&f, "scope", "device,workgroup,scaling");
    texts(&f, "access", "same,apart");
    texts(&f, "type", "float,double");
    texts(&f, "shape", "best");
    for (uint64_t power = 8 * KIB; power <= 4 * GIB; power *= 2)
        for (int quarter = 0; quarter < 4; quarter++)
            number(&f, "bytes", power + power / 4 * (uint64_t)quarter);
    for (uint64_t width = 4; width <= 16; width *= 2)
        number(&f, "width", width);
    for (uint64_t groups = 1; groups <= 4096; groups *= 2)
        number(&f, "workgroups", groups);
    number(&f, "workgroups", UINT64_MAX);
    *state = &f;
    return 0;
}

static int close_fixture(void **state)
{
    struct fixture *f = *state;
    arena_destroy(f->arena);
    return 0;
}

static void plan(struct fixture *f)
{
    f->list = (struct bench_case_list){0};
    if (!bandwidth_plan(&f->request, &f->list, &f->err))
        fail_msg("%s", f->err.message);
}

static bool has(const struct fixture *f, const char *key)
{
    for (size_t i = 0; i < f->list.count; i++)
        if (strcmp(case_key(f->arena, "bandwidth", &f->list.cases[i]), key) == 0)
            return true;
    return false;
}

static size_t count_of(const struct fixture *f, const char *part)
{
    size_t count = 0;
    for (size_t i = 0; i < f->list.count; i++)
        count += strstr(case_key(f->arena, "bandwidth", &f->list.cases[i]), part) != NULL;
    return count;
}

static void standard_has_the_cases_that_are_known_by_name(void **state)
{
    struct fixture *f = *state;
    plan(f);
    static const char *const keys[] = {
        "op=read/path=global/scope=device/access=same/bytes=8192/width=16/type=float",
        "op=read/path=global/scope=device/access=same/bytes=196608/width=16/type=float",
        "op=read/path=global/scope=device/access=apart/bytes=8388608/width=16/type=float",
        "op=read/path=global/scope=device/access=apart/bytes=25165824/width=16/type=float",
        "op=read/path=global/scope=device/access=apart/bytes=41943040/width=16/type=float",
        "op=read/path=global/scope=device/access=apart/bytes=2147483648/width=16/type=float",
        "op=read/path=global/scope=device/access=apart/bytes=2147483648/width=8/type=double",
        "op=write/path=global/scope=device/access=apart/bytes=2147483648/width=16/type=float",
        "op=copy/path=global/scope=device/access=apart/bytes=2147483648/width=16/type=float",
        "op=read/path=shared/scope=device/access=same/bytes=16384/width=16/type=float",
        "op=read/path=global/scope=workgroup/access=same/bytes=8192/width=16/type=float",
        "op=read/path=global/scope=scaling/access=same/bytes=16384/width=16/type=float/"
        "workgroups=1",
        "op=read/path=global/scope=scaling/access=apart/bytes=8388608/width=16/type=float/"
        "workgroups=64",
        "op=read/path=global/scope=scaling/access=apart/bytes=268435456/width=16/type=float/"
        "workgroups=132",
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!has(f, arena_printf(f->arena, "bandwidth/%s", keys[i])))
            fail_msg("missing: %s", keys[i]);
    // Then no case is larger than a buffer, no size splits a grain, and the cases are few.
    assert_int_equal(count_of(f, "bytes=4294967296"), 0);
    assert_int_equal(count_of(f, "bytes=10240/"), 0);
    assert_int_equal(count_of(f, "access=apart/bytes=1310720/"), 0);
    assert_in_range(f->list.count, 100, 200);
}

static void no_case_is_planned_twice(void **state)
{
    struct fixture *f = *state;
    f->request.preset = "full";
    plan(f);
    for (size_t i = 0; i < f->list.count; i++)
        for (size_t k = i + 1; k < f->list.count; k++)
            assert_string_not_equal(case_key(f->arena, "bandwidth", &f->list.cases[i]),
                                    case_key(f->arena, "bandwidth", &f->list.cases[k]));
}

static void quick_is_a_handful(void **state)
{
    struct fixture *f = *state;
    f->request.preset = "quick";
    texts(f, "scope", "device,workgroup");
    texts(f, "type", "float");
    choice(f, "bytes")->value_count = choice(f, "width")->value_count = 0;
    number(f, "bytes", 16 * KIB);
    number(f, "width", 16);
    plan(f);
    assert_in_range(f->list.count, 6, 10);
    assert_int_equal(count_of(f, "op=write"), 1);
    assert_int_equal(count_of(f, "op=copy"), 1);
    assert_int_equal(count_of(f, "path=shared"), 1);
}

static void sizes_of_the_user_are_measured_as_they_are(void **state)
{
    struct fixture *f = *state;
    choice(f, "bytes")->value_count = 0;
    number(f, "bytes", 5 * MIB);
    number(f, "bytes", 8 * GIB); // larger than a buffer: planned, and skipped later
    by_user(f, "bytes");
    plan(f);
    assert_true(has(f, "bandwidth/op=read/path=global/scope=device/access=apart/bytes=5242880/"
                       "width=4/type=float"));
    assert_true(has(f, "bandwidth/op=write/path=global/scope=device/access=apart/bytes=8589934592/"
                       "width=16/type=float"));
    assert_int_equal(count_of(f, "bytes=16384/"), 0);
}

// Given sizes of 0 to 3 bytes, when the user chooses them, then each has its cases, which are
// skipped later.
static void the_smallest_sizes_are_planned_too(void **state)
{
    struct fixture *f = *state;
    choice(f, "bytes")->value_count = 0;
    for (uint64_t bytes = 0; bytes < 4; bytes++)
        number(f, "bytes", bytes);
    by_user(f, "bytes");
    plan(f);
    for (int bytes = 0; bytes < 4; bytes++)
        assert_true(has(f, arena_printf(f->arena,
                                        "bandwidth/op=read/path=global/scope=workgroup/access=same/"
                                        "bytes=%d/width=16/type=float",
                                        bytes)));
}

static void values_that_do_not_go_together_are_an_error_of_usage(void **state)
{
    struct fixture *f = *state;
    texts(f, "op", "write");
    texts(f, "path", "shared");
    by_user(f, "path");
    assert_false(bandwidth_plan(&f->request, &f->list, &f->err));
    assert_int_equal(f->err.code, ERROR_USAGE);
}

static void a_shape_that_there_is_not_is_an_error_of_usage(void **state)
{
    struct fixture *f = *state;
    texts(f, "shape", "beast");
    assert_false(bandwidth_plan(&f->request, &f->list, &f->err));
    assert_int_equal(f->err.code, ERROR_USAGE);
    texts(f, "shape", "best");
    assert_true(bandwidth_plan(&f->request, &f->list, &f->err));
}

// Given a device with little memory and a small cache, then no case takes more than a quarter of
// the memory. Of 128 MiB, a quarter is less than a DRAM case should have.
static void a_small_device_is_asked_for_what_it_has(void **state)
{
    struct fixture *f = *state;
    for (uint64_t memory = 128 * MIB; memory <= GIB; memory *= 8) {
        f->info = (struct gpu_info){.name = "small",
                                    .kind = GPU_KIND_DISCRETE,
                                    .vendor_id = GPU_VENDOR_NVIDIA,
                                    .limits = {.memory_bytes = memory,
                                               .allocation_bytes = memory / 2,
                                               .last_cache_bytes = MIB,
                                               .workgroup_threads = 256}};
        plan(f);
        for (size_t i = 0; i < f->list.count; i++)
            assert_in_range(case_uint(&f->list.cases[i], "bytes"), 1, memory / 4);
        assert_true(count_of(f, "op=copy") > 0);
    }
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(standard_has_the_cases_that_are_known_by_name),
        EACH(no_case_is_planned_twice),
        EACH(quick_is_a_handful),
        EACH(sizes_of_the_user_are_measured_as_they_are),
        EACH(the_smallest_sizes_are_planned_too),
        EACH(values_that_do_not_go_together_are_an_error_of_usage),
        EACH(a_shape_that_there_is_not_is_an_error_of_usage),
        EACH(a_small_device_is_asked_for_what_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
