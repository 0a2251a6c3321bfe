// SPDX-License-Identifier: MIT
#include "gpu/gpu.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_library_that_is_too_old_is_unavailable_that_names_what_is_missing(void **state)
{
    (void)state;
    struct gpu_system *system = gpu_system_create(&(struct gpu_system_desc){.only_api = "cuda"});
    assert_int_equal(gpu_system_device_count(system), 0);
    assert_int_equal(gpu_system_unavailable_count(system), 1);
    const char *reason = gpu_system_unavailable(system, 0)->reason;
    assert_non_null(strstr(reason, "libcuda.so.1"));
    assert_non_null(strstr(reason, "cuDriverGetVersion"));
    gpu_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_that_is_too_old_is_unavailable_that_names_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
