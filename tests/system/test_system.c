// SPDX-License-Identifier: MIT
// Which backends a system loads, in which order, and which devices it shows.
#include "gpu/backend.h"
#include "gpu/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct {
    char text[64]; // "first shy " …
    bool shy_wants_others;
} loaded;

static void *load(struct gpu_enumeration *to, const char *name)
{
    struct gpu_info info = {.kind = GPU_KIND_DISCRETE};
    strncat(loaded.text, name, sizeof loaded.text - strlen(loaded.text) - 1);
    to->add_device(to, &info);
    to->add_unavailable(to, "another one is not there", NULL);
    return &loaded;
}

static void *first_load(struct gpu_enumeration *to)
{
    return load(to, "first ");
}

static void *shy_load(struct gpu_enumeration *to)
{
    return load(to, "shy ");
}

static void *last_load(struct gpu_enumeration *to)
{
    return load(to, "last ");
}

static bool shy_after_others(void)
{
    return loaded.shy_wants_others;
}

static void unload(void *state)
{
    (void)state;
}

static const struct gpu_backend first = {.name = "first", .load = first_load, .unload = unload};
static const struct gpu_backend shy = {
    .name = "shy", .load = shy_load, .unload = unload, .after_others = shy_after_others};
static const struct gpu_backend last = {.name = "last", .load = last_load, .unload = unload};
const struct gpu_backend *const gpu_backends[] = {&first, &shy, &last, NULL};
const struct gpu_kernel *const kernels[] = {NULL};

static struct gpu_system *system_of(const char *only_api)
{
    loaded.text[0] = '\0';
    return gpu_system_create(&(struct gpu_system_desc){.only_api = only_api});
}

static void all_are_loaded_in_the_order_of_the_list(void **state)
{
    (void)state;
    struct gpu_system *system = system_of(NULL);
    assert_string_equal(loaded.text, "first shy last ");
    assert_int_equal(gpu_system_device_count(system), 3);
    assert_int_equal(gpu_system_unavailable_count(system), 3);
    gpu_system_destroy(system);
}

static void one_api_alone_loads_nothing_else(void **state)
{
    (void)state;
    loaded.shy_wants_others = false;
    struct gpu_system *system = system_of("shy");
    assert_string_equal(loaded.text, "shy ");
    assert_int_equal(gpu_system_device_count(system), 1);
    gpu_system_destroy(system);
}

static void one_that_comes_after_others_has_them_loaded_but_not_listed(void **state)
{
    (void)state;
    loaded.shy_wants_others = true;
    struct gpu_system *system = system_of("shy");
    assert_string_equal(loaded.text, "first shy ");
    assert_int_equal(gpu_system_device_count(system), 1);
    assert_string_equal(gpu_system_info(system, 0)->id, "shy:0");
    assert_int_equal(gpu_system_unavailable_count(system), 1);
    assert_string_equal(gpu_system_unavailable(system, 0)->api, "shy");
    gpu_system_destroy(system);
    system = system_of("last"); // which asks for no company
    assert_string_equal(loaded.text, "last ");
    gpu_system_destroy(system);
}

static void an_unknown_api_is_unavailable(void **state)
{
    (void)state;
    struct gpu_system *system = system_of("none");
    assert_string_equal(loaded.text, "");
    assert_int_equal(gpu_system_device_count(system), 0);
    assert_int_equal(gpu_system_unavailable_count(system), 1);
    gpu_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_loaded_in_the_order_of_the_list),
        cmocka_unit_test(one_api_alone_loads_nothing_else),
        cmocka_unit_test(one_that_comes_after_others_has_them_loaded_but_not_listed),
        cmocka_unit_test(an_unknown_api_is_unavailable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
