// SPDX-License-Identifier: MIT
#include "base/processors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// The processors that this process may use, as the kernel lists them.
static void allowed(char list[256])
{
    FILE *file = fopen("/proc/self/status", "r");
    assert_non_null(file);
    *list = '\0';
    char line[512];
    while (fgets(line, sizeof line, file))
        sscanf(line, "Cpus_allowed_list: %255s", list);
    fclose(file);
}

static void a_process_is_bound_to_the_list(void **state)
{
    (void)state;
    char all[256], first[32], now[256];
    allowed(all);
    snprintf(first, sizeof first, "%lu", strtoul(all, NULL, 10));
    assert_true(processors_bind(first));
    allowed(now);
    assert_string_equal(now, first);
    assert_true(processors_bind(all)); // ranges and commas read back
    allowed(now);
    assert_string_equal(now, all);
}

static void a_list_that_is_none_changes_nothing(void **state)
{
    (void)state;
    static const char *const lists[] = {"", "none", "0x", "0-3;5", "-"};
    char before[256], after[256];
    allowed(before);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        assert_false(processors_bind(lists[i]));
    allowed(after);
    assert_string_equal(after, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_is_bound_to_the_list),
        cmocka_unit_test(a_list_that_is_none_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
