// SPDX-License-Identifier: MIT
#include "base/version.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void the_build_names_itself(void **state)
{
    (void)state;
    assert_string_equal(fathom_version.version, EXPECTED_VERSION);
    assert_true(strlen(fathom_version.commit) >= strlen("unknown"));
    assert_non_null(strstr(fathom_version.build, EXPECTED_COMPILER));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_build_names_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
