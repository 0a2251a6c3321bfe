// SPDX-License-Identifier: MIT
#include "math/permute.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_bijection(uint32_t n, uint32_t key)
{
    unsigned char *seen = calloc(n, 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = permute_index(i, n, key);
        assert_in_range(at, 0, n - 1);
        assert_int_equal(seen[at]++, 0);
    }
    free(seen);
}

static void every_value_is_hit_exactly_once(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 300; n++)
        for (uint32_t key = 0; key < 4; key++)
            assert_bijection(n, key);
    assert_bijection(1u << 16, 7);
    assert_bijection((1u << 16) + 1, 7);
    assert_bijection(1000003, 0xdeadbeef);
}

// The specification in permute.h must not change: chains that older kernels built must stay
// checkable.
static void values_are_those_of_the_specification(void **state)
{
    (void)state;
    const struct {
        uint32_t i, n, key, expected;
    } vectors[] = {
        {0, 1, 99, 0},
        {0, 8, 0x0, 0u},
        {7, 8, 0x1, 7u},
        {5, 13, 0x2a, 2u},
        {999, 1000, 0x7, 655u},
        {12345, 65536, 0x12345678, 21328u},
        {8388608, 33554432, 0x1, 15014305u},
        {33554431, 33554432, 0xffffffff, 25524341u},
        {3000000000u, 4000000000u, 0x2, 3073643500u},
        {0, 0, 0x0, 439648187u},
        {4294967295u, 0, 0x9, 3302180060u},
    };
    for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; v++)
        assert_int_equal(permute_index(vectors[v].i, vectors[v].n, vectors[v].key),
                         vectors[v].expected);
}

static void the_full_32_bit_domain_works(void **state)
{
    (void)state;
    // Given n = 2^32, which is written as 0, when a range is mapped, then no two values are equal.
    enum {
        COUNT = 4096
    };
    static uint32_t seen[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        seen[i] = permute_index(UINT32_MAX - i, 0, 5);
        for (uint32_t j = 0; j < i; j++)
            assert_int_not_equal(seen[i], seen[j]);
    }
}

// Chi-square test, over many keys, that each index is mapped to all n places equally often. 0.1 %
// critical value by Wilson and Hilferty's approximation.
static void keys_spread_every_index_over_all_places(void **state)
{
    (void)state;
    enum {
        KEYS = 20000
    };
    const uint32_t sizes[] = {2, 3, 8, 13, 32, 64, 100};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        uint32_t n = sizes[s];
        double freedom = n - 1.0, spread = 2 / (9 * freedom);
        double critical = freedom * pow(1 - spread + 3.09 * sqrt(spread), 3);
        for (uint32_t i = 0; i < n; i += n / 2) {
            double counts[100] = {0}, chi2 = 0, expected = (double)KEYS / n;
            for (uint32_t key = 0; key < KEYS; key++)
                counts[permute_index(i, n, key)]++;
            for (uint32_t place = 0; place < n; place++)
                chi2 += (counts[place] - expected) * (counts[place] - expected) / expected;
            assert_true(chi2 < critical);
        }
    }
}

static void neighbours_land_far_apart(void **state)
{
    (void)state;
    // Given places that are independent and uniform, then the mean distance is n/3, and one hop in
    // 64 ends within about n/128 of its start.
    const uint32_t n = 100000;
    double sum = 0, near = 0;
    for (uint32_t i = 0; i + 1 < n; i++) {
        double distance = fabs((double)permute_index(i, n, 3) - permute_index(i + 1, n, 3));
        sum += distance / n;
        near += distance < n / 128.0;
    }
    assert_true(fabs(sum / n - 1 / 3.0) < 0.005);
    assert_true(fabs(near / n - 1 / 64.0) < 0.002);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_value_is_hit_exactly_once),
        cmocka_unit_test(values_are_those_of_the_specification),
        cmocka_unit_test(the_full_32_bit_domain_works),
        cmocka_unit_test(keys_spread_every_index_over_all_places),
        cmocka_unit_test(neighbours_land_far_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
