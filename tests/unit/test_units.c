// SPDX-License-Identifier: MIT
#include "results/names.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void every_unit_has_a_name_that_leads_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < UNIT_COUNT; i++) {
        unsigned unit;
        assert_true(words_find(&unit_words, unit_name((enum unit)i), &unit));
        assert_int_equal(unit, i);
    }
}

static void scaled_units_are_not_in_the_table(void **state)
{
    (void)state;
    static const char *const scaled[] = {"GB/s", "KB", "KiB", "ms", "us",
                                         "MHz",  "",   "b",   "NS", "FLOP/s"};
    unsigned unit;
    for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++)
        assert_false(words_find(&unit_words, scaled[i], &unit));
}

struct shown {
    double value;
    enum unit unit;
    const char *text;
};

static const struct shown shown[] = {
    {4.614e12, UNIT_BYTE_PER_S, "4.614 TB/s"},
    {32768, UNIT_BYTE, "32 KiB"},
    {32769, UNIT_BYTE, "32 KiB"},
    {235520, UNIT_BYTE, "230 KiB"},
    {1536, UNIT_BYTE, "1.5 KiB"},
    {1000, UNIT_BYTE, "1000 B"},
    {1024 * 1024 - 1, UNIT_BYTE, "1 MiB"},
    {4294967296, UNIT_BYTE, "4 GiB"},
    {0, UNIT_BYTE, "0 B"},
    {281.3, UNIT_NS, "281.3 ns"},
    {0.3125, UNIT_NS, "0.3125 ns"},
    {999.96, UNIT_NS, "1.000 µs"},
    {999.94, UNIT_NS, "999.9 ns"},
    {2.5e9, UNIT_NS, "2.500 s"},
    {7.2e12, UNIT_NS, "7200 s"},
    {32.2, UNIT_CYCLE, "32.20 cycles"},
    {1.98e9, UNIT_HZ, "1.980 GHz"},
    {127.9, UNIT_BYTE_PER_CYCLE, "127.9 B/cycle"},
    {6.6e13, UNIT_OP_PER_S, "66.00 Top/s"},
    {6.6e13, UNIT_FLOP_PER_S, "66.00 TFLOP/s"},
    {1.98e15, UNIT_FLOP_PER_S, "1.980 PFLOP/s"},
    {700, UNIT_WATT, "700.0 W"},
    {0.0125, UNIT_WATT, "12.50 mW"},
    {3e-7, UNIT_JOULE, "300.0 nJ"},
    {7.5e-12, UNIT_JOULE, "7.500 pJ"},
    {45, UNIT_DEGC, "45.00 °C"},
    {132, UNIT_NONE, "132"},
    {0.98765, UNIT_NONE, "0.9877"},
    {-1500, UNIT_NS, "-1.500 µs"},
    {0, UNIT_WATT, "0 W"},
    {NAN, UNIT_NS, "–"},
    {INFINITY, UNIT_BYTE, "–"},
};

static void values_are_scaled_to_four_digits(void **state)
{
    (void)state;
    char text[64];
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        assert_string_equal(unit_format(shown[i].value, shown[i].unit, text, sizeof text),
                            shown[i].text);
}

static void any_double_fits_and_ends(void **state)
{
    (void)state;
    static const double wild[] = {5e-324, -5e-324, 1.7e308, -1.7e308, 1e15, 123456789};
    for (unsigned unit = 0; unit < UNIT_SHOWN_COUNT; unit++) {
        for (size_t i = 0; i < sizeof wild / sizeof *wild; i++) {
            char text[8];
            memset(text, 'x', sizeof text);
            unit_format(wild[i], (enum unit)unit, text, sizeof text);
            assert_non_null(memchr(text, '\0', sizeof text));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_unit_has_a_name_that_leads_back),
        cmocka_unit_test(scaled_units_are_not_in_the_table),
        cmocka_unit_test(values_are_scaled_to_four_digits),
        cmocka_unit_test(any_double_fits_and_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
