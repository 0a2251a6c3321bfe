// SPDX-License-Identifier: MIT
// What a map gains from chains that visit few pages at a time: latencies without translation, and
// rises that may be translation.
#include "machine.h"

#include "bench/map.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct run *map_of(const struct machine *machine)
{
    const struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    return machine_map(&device, machine, NULL);
}

static void latencies_are_those_without_translation(void **state)
{
    (void)state;
    // given small TLBs: in the second level and in memory, random loads take longer than chains
    // that visit few pages at a time
    struct machine m = machine_hopper;
    m.local[1] = 126;
    m.local[3] = 310;
    struct run *run = map_of(&m);
    // then these two latencies are those of the chains, and the others those of the curve
    const char *const keys[] = {
        "map/what=level/path=vector/level=1", "map/what=level/path=vector/level=2",
        "map/what=level/path=vector/level=3", "map/what=memory/path=vector"};
    const double wanted[] = {16, 126, 260, 310};
    for (size_t i = 0; i < 4; i++) {
        const struct result *found = machine_found(run, keys[i]);
        assert_true(fabs(machine_value(found, "latency") / wanted[i] - 1) < 0.01);
        assert_int_equal(m.local[i] > 0, strstr(machine_detail(found, "latency"),
                                                "visits few pages at a time") != NULL);
    }
    run_destroy(run);
}

static void a_latency_is_unknown_if_faster_chains_disagree(void **state)
{
    (void)state;
    struct machine m = machine_hopper;
    m.local[1] = 126;
    m.local_rises = true;
    struct run *run = map_of(&m);
    const struct result *level = machine_found(run, "map/what=level/path=vector/level=2");
    assert_true(isnan(machine_value(level, "latency")));
    assert_non_null(strstr(machine_detail(level, "latency"), "faster, but do not agree"));
    run_destroy(run);
}

static void a_rise_that_only_random_chains_show_may_be_translation(void **state)
{
    (void)state;
    // given a second level as fast as the first for chains that visit few pages at a time
    struct machine m = machine_hopper;
    m.local[1] = m.latency[0];
    struct run *run = map_of(&m);
    const struct result *hierarchy = machine_found(run, "map/what=hierarchy/path=vector");
    assert_true(isnan(machine_value(hierarchy, "levels")));
    assert_non_null(strstr(machine_detail(hierarchy, "levels"), "it may be address translation"));
    run_destroy(run);
}

static void chains_over_almost_the_same_region_of_memory_show_nothing(void **state)
{
    (void)state;
    // given so little memory that its regions differ by less than half, where chains that visit few
    // pages at a time still hit the second level
    struct machine m = machine_hopper;
    m.local[3] = m.latency[1];
    struct gpu_info device = machine_device(GPU_KIND_DISCRETE);
    device.limits.memory_bytes = UINT64_C(1) << 30;
    struct run *run = machine_map(&device, &m, NULL);
    // then such chains change neither the latency of memory nor the number of levels
    const struct result *memory = machine_found(run, "map/what=memory/path=vector");
    const struct result *hierarchy = machine_found(run, "map/what=hierarchy/path=vector");
    assert_true(fabs(machine_value(memory, "latency") / m.latency[3] - 1) < 0.01);
    assert_true(machine_value(hierarchy, "levels") == 3);
    run_destroy(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies_are_those_without_translation),
        cmocka_unit_test(a_latency_is_unknown_if_faster_chains_disagree),
        cmocka_unit_test(a_rise_that_only_random_chains_show_may_be_translation),
        cmocka_unit_test(chains_over_almost_the_same_region_of_memory_show_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
