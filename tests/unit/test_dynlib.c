// SPDX-License-Identifier: MIT
#include "base/dynlib.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct maths {
    double (*cos)(double);
    double (*no_such_function)(double);
};

static const char *const libm[] = {"libdoes-not-exist.so.9", "libm.so.6", NULL};

static void the_first_library_that_loads_fills_the_table(void **state)
{
    (void)state;
    static const struct dynlib_symbol symbols[] = {
        DYNLIB_SYMBOL(struct maths, cos),
        {.name = "no_such_function",
         .offset = offsetof(struct maths, no_such_function),
         .optional = true},
    };
    struct maths maths = {0};
    struct error err = {0};
    struct dynlib *lib = dynlib_open(
        &(struct dynlib_desc){
            .files = libm, .symbols = symbols, .symbol_count = 2, .table = &maths},
        &err);

    assert_non_null(lib);
    assert_true(maths.cos(0.0) > 0.999 && maths.cos(0.0) < 1.001);
    assert_null(maths.no_such_function);
    dynlib_close(lib);
}

static void a_missing_required_symbol_is_named(void **state)
{
    (void)state;
    static const struct dynlib_symbol symbols[] = {
        DYNLIB_SYMBOL(struct maths, cos),
        DYNLIB_SYMBOL(struct maths, no_such_function),
    };
    struct maths maths = {0};
    struct error err = {0};
    struct dynlib *lib = dynlib_open(
        &(struct dynlib_desc){
            .files = libm, .symbols = symbols, .symbol_count = 2, .table = &maths},
        &err);

    assert_null(lib);
    assert_int_equal(err.code, ERROR_NO_DEVICE);
    assert_non_null(strstr(err.message, "libm.so.6"));
    assert_non_null(strstr(err.message, "no_such_function"));
}

static void a_missing_library_is_named(void **state)
{
    (void)state;
    static const char *const nowhere[] = {"libdoes-not-exist.so.9", "libnor-this.so", NULL};
    struct error err = {0};
    struct dynlib *lib = dynlib_open(&(struct dynlib_desc){.files = nowhere}, &err);

    assert_null(lib);
    assert_int_equal(err.code, ERROR_NO_DEVICE);
    assert_non_null(strstr(err.message, "libdoes-not-exist.so.9"));
    dynlib_close(NULL);
}

static void a_function_leads_to_its_file(void **state)
{
    (void)state;
    static const struct dynlib_symbol symbols[] = {DYNLIB_SYMBOL(struct maths, cos)};
    struct maths maths = {0};
    struct error err = {0};
    struct dynlib *lib = dynlib_open(
        &(struct dynlib_desc){
            .files = libm, .symbols = symbols, .symbol_count = 1, .table = &maths},
        &err);
    const char *of_library = dynlib_path_of((void (*)(void))maths.cos);
    const char *of_test = dynlib_path_of((void (*)(void))a_function_leads_to_its_file);

    assert_string_equal(of_library, dynlib_path(lib));
    assert_non_null(strstr(of_library, "libm.so.6"));
    assert_string_not_equal(of_library, of_test);
    assert_true(dynlib_exports(of_library, "cos"));
    assert_false(dynlib_exports(of_library, "no_such_function"));
    assert_false(dynlib_exports("libdoes-not-exist.so.9", "cos"));
    assert_string_equal(dynlib_loaded("ibm.so."), of_library);
    assert_null(dynlib_loaded("does-not-exist"));
    dynlib_close(lib);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_library_that_loads_fills_the_table),
        cmocka_unit_test(a_missing_required_symbol_is_named),
        cmocka_unit_test(a_missing_library_is_named),
        cmocka_unit_test(a_function_leads_to_its_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
