// SPDX-License-Identifier: MIT
// The arithmetic of `bandwidth`: every shape visits every block of the working set exactly as often
// as it claims. The test repeats the walk of the kernels (walk.glsl) block by block.
#include "bench/bandwidth/work.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

static struct gpu_info device(void)
{
    return (struct gpu_info){
        .kind = GPU_KIND_DISCRETE,
        .caps = GPU_CAP(ADDRESSES) | GPU_CAP(INT64) | GPU_CAP(SUBGROUPS),
        .limits = {.workgroup_threads = 1024,
                   .workgroup_count_x = 65535,
                   .workgroup_count_z = 65535,
                   .core_threads = 2048,
                   .storage_range_bytes = 1 << 30},
    };
}

// Counts the visits of one workgroup as walk.glsl and the kernels do: reads go round within their
// part, writes and copies go straight on.
static void walk_group(const struct bandwidth_work_desc *desc, const struct bandwidth_params *p,
                       uint32_t group, uint32_t *visits)
{
    bool round = desc->this_case->op == BANDWIDTH_READ;
    uint32_t place = (round ? group % p->chunks : group) * p->pitch;
    for (uint32_t row = 0; row < desc->shape->threads / BANDWIDTH_LANES; row++) {
        uint32_t at = row;
        if (round)
            at = (group / p->chunks * p->turn % p->extent + row) % p->extent;
        for (uint32_t step = 0; step < p->steps; step++) {
            visits[place + at]++;
            at += p->advance;
            if (round && at >= p->extent)
                at -= p->extent;
        }
    }
}

static void check_walk(const struct bandwidth_work_desc *desc)
{
    struct bandwidth_work work;
    struct error err;
    if (!bandwidth_work_make(desc, &work, &err))
        fail_msg("%s", err.message);
    uint64_t block_bytes = (uint64_t)BANDWIDTH_LANES * desc->shape->loads * desc->this_case->width;
    uint64_t blocks = bandwidth_stream_bytes(desc->this_case) / block_bytes;
    uint32_t *visits = calloc(blocks, sizeof *visits);
    assert_non_null(visits);
    for (uint32_t pass = 0; pass < work.grid[2]; pass++)
        for (uint32_t group = 0; group < work.grid[0] * work.grid[1]; group++)
            if (group < work.params.groups)
                walk_group(desc, &work.params, group, visits);
    for (uint64_t block = 0; block < blocks; block++)
        assert_int_equal(visits[block], block < work.stream_bytes / block_bytes ? work.times : 0);
    free(visits);
    assert_int_equal(work.groups, (uint64_t)work.params.groups * work.grid[2]);
    assert_int_equal(work.moved_bytes, work.stream_bytes * work.times *
                                           (desc->this_case->op == BANDWIDTH_COPY ? 2 : 1));
    assert_true(work.grid[0] <= 65535 && work.grid[1] <= 65535 && work.grid[2] <= 65535);
}

// Checks every shape of the case with several numbers of passes.
static void check_point(const struct bandwidth_case *this_case)
{
    const struct gpu_info info = device();
    const struct measure_limits limits = {
        .cores = 5, .last_cache_bytes = 8 * MIB, .last_cache_known = true};
    static const uint64_t passes[] = {0, 1, 2, 7};
    struct bandwidth_shape shapes[BANDWIDTH_SHAPES_MAX];
    size_t count = bandwidth_shapes(this_case, &info, &limits, shapes);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < COUNT(passes); k++) {
            const struct bandwidth_work_desc desc = {.this_case = this_case,
                                                     .shape = &shapes[i],
                                                     .info = &info,
                                                     .cores = limits.cores,
                                                     .passes = passes[k]};
            check_walk(&desc);
        }
}

static void workgroups_that_read_all_read_every_block_equally_often(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {4 * KIB, 12 * KIB, 16 * KIB, 20 * KIB, 192 * KIB, MIB};
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (unsigned width = 4; width <= 16; width *= 2) {
            struct bandwidth_case this_case = {.bytes = sizes[i], .width = width};
            check_point(&this_case);
            this_case.scope = BANDWIDTH_WORKGROUP;
            check_point(&this_case);
        }
}

static void workgroups_with_parts_of_their_own_read_each_block_from_one_place(void **state)
{
    (void)state;
    static const unsigned workgroups[] = {1, 2, 3, 64, 77, 132};
    for (size_t i = 0; i < COUNT(workgroups); i++) {
        check_point(&(struct bandwidth_case){.bytes = 2 * MIB,
                                             .width = 16,
                                             .apart = true,
                                             .scope = BANDWIDTH_SCALING,
                                             .workgroups = workgroups[i]});
    }
}

static void passes_read_write_and_copy_every_block_once_each(void **state)
{
    (void)state;
    // Sizes that a cache of 8 MiB holds, larger ones, and DRAM.
    static const uint64_t sizes[] = {MIB, 3 * MIB + 512 * KIB, 12 * MIB, 32 * MIB};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        for (unsigned width = 4; width <= 16; width *= 2)
            check_point(&(struct bandwidth_case){.bytes = sizes[i], .width = width, .apart = true});
        for (int op = BANDWIDTH_WRITE; op <= BANDWIDTH_COPY; op++)
            check_point(&(struct bandwidth_case){
                .op = (enum bandwidth_op)op, .bytes = 2 * sizes[i], .width = 16, .apart = true});
    }
}

static void a_grid_too_wide_for_one_row_has_rows_and_idle_workgroups(void **state)
{
    (void)state;
    const struct gpu_info info = device();
    const struct bandwidth_case this_case = {
        .op = BANDWIDTH_WRITE, .bytes = 1024 * MIB, .width = 16, .apart = true};
    const struct bandwidth_shape shape = {true, 256, 1, BANDWIDTH_ONCE};
    const struct bandwidth_work_desc desc = {
        .this_case = &this_case, .shape = &shape, .info = &info};
    struct bandwidth_work work;
    assert_true(bandwidth_work_make(&desc, &work, NULL));
    assert_int_equal(work.params.groups, 262144);
    assert_true(work.grid[1] > 1 && work.grid[0] <= 65535);
    assert_true((uint64_t)work.grid[0] * work.grid[1] >= work.params.groups);
}

static void a_working_set_that_does_not_divide_is_refused_with_the_grain(void **state)
{
    (void)state;
    const struct gpu_info info = device();
    const struct bandwidth_case this_case = {.bytes = 5000, .width = 16};
    const struct bandwidth_shape shape = {true, 1024, 8, BANDWIDTH_LOOP};
    const struct bandwidth_work_desc desc = {
        .this_case = &this_case, .shape = &shape, .info = &info};
    struct bandwidth_work work;
    struct error err;
    assert_false(bandwidth_work_make(&desc, &work, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "4096"));
}

static void without_addresses_or_large_workgroups_what_is_left_is_taken(void **state)
{
    (void)state;
    struct gpu_info info = device();
    const struct measure_limits limits = {.last_cache_bytes = 8 * MIB, .last_cache_known = true};
    const struct bandwidth_case this_case = {.bytes = 64 * MIB, .width = 16, .apart = true};
    struct bandwidth_shape shapes[BANDWIDTH_SHAPES_MAX];
    const size_t all = bandwidth_shapes(&this_case, &info, &limits, shapes);
    info.limits.workgroup_threads = 0; // a limit that is not known
    assert_int_equal(bandwidth_shapes(&this_case, &info, &limits, shapes), all);
    info.caps = GPU_CAP(SUBGROUPS);
    info.limits.workgroup_threads = 256;
    size_t count = bandwidth_shapes(&this_case, &info, &limits, shapes);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++)
        assert_true(!shapes[i].address && shapes[i].threads <= 256);

    // If the size is beyond the range of a storage buffer, no shape is left.
    info.limits.storage_range_bytes = 32 * MIB;
    assert_int_equal(bandwidth_shapes(&this_case, &info, &limits, shapes), 0);
}

static struct measure_bound bound_of(const struct bandwidth_case *this_case,
                                     const struct measure_limits *limits, double core_hz)
{
    struct measure_claim claim = bandwidth_claim_of(this_case, limits, 1e6);
    return measure_claim_bound(&claim, limits, 1e6, core_hz);
}

static void limits_are_those_of_the_level_that_a_case_is_about(void **state)
{
    (void)state;
    const struct measure_limits h200 = {.cores = 132,
                                        .group_cores = 1,
                                        .core_clock_hz = 1980e6,
                                        .dram_bytes_per_s = 4814e9,
                                        .l1_bytes_per_cycle = 128,
                                        .shared_bytes_per_cycle = 128,
                                        .l1_bytes = 256 * KIB,
                                        .last_cache_bytes = 60 * MIB,
                                        .last_cache_known = true};
    const struct bandwidth_case l1 = {.bytes = 16 * KIB},
                                one = {.bytes = 16 * KIB, .scope = BANDWIDTH_WORKGROUP},
                                cache = {.bytes = 8 * MIB, .apart = true},
                                dram = {.bytes = 256 * MIB, .apart = true};
    assert_true(fabs(bound_of(&l1, &h200, 1980e6).per_s - 128 * 132 * 1980e6) < 1);
    assert_true(fabs(bound_of(&one, &h200, 1e9).per_s - 128e9) < 1);
    assert_true(bound_of(&cache, &h200, 1980e6).per_s <= 0);
    assert_true(bound_of(&cache, &h200, 1980e6).per_cycle <= 0);
    assert_true(fabs(bound_of(&dram, &h200, 0).per_s - 4814e9) < 1);
    assert_true(fabs(bound_of(&dram, &h200, 1980e6).per_cycle - 4814e9 / 132 / 1980e6) < 1e-9);
}

static void a_workgroup_on_two_compute_units_has_both_counted(void **state)
{
    (void)state;
    const struct bandwidth_case one = {.scope = BANDWIDTH_WORKGROUP},
                                some = {.scope = BANDWIDTH_SCALING, .workgroups = 30},
                                all = {.scope = BANDWIDTH_SCALING, .workgroups = 80};
    const struct measure_limits rdna = {.cores = 80, .group_cores = 2},
                                other = {.cores = 80, .group_cores = 1}, unknown = {.cores = 80};
    assert_int_equal(bandwidth_claim_of(&one, &rdna, 1).cores, 2);
    assert_int_equal(bandwidth_claim_of(&some, &rdna, 1).cores, 60);
    assert_int_equal(bandwidth_claim_of(&all, &rdna, 1).cores, 80);
    assert_int_equal(bandwidth_claim_of(&one, &other, 1).cores, 1);
    assert_int_equal(bandwidth_claim_of(&one, &unknown, 1).cores, 0); // no bytes per cycle
}

static void memory_is_far_beyond_every_cache_that_nobody_states(void **state)
{
    (void)state;
    // given a driver that states a cache of 16 KiB, and one that states none
    const uint64_t stated[] = {16 * KIB, 0};
    for (size_t i = 0; i < COUNT(stated); i++) {
        const struct measure_limits limits = {.dram_bytes_per_s = 512e9,
                                              .last_cache_bytes = stated[i]};
        const struct bandwidth_case cached = {.bytes = 64 * MIB, .apart = true},
                                    dram = {.bytes = 1024 * MIB, .apart = true};
        // then DRAM is no limit for what a cache of 256 MiB may hold
        assert_false(bandwidth_is_dram(&cached, &limits));
        assert_true(bound_of(&cached, &limits, 0).per_s <= 0);
        assert_true(bandwidth_is_dram(&dram, &limits));
        assert_true(fabs(bound_of(&dram, &limits, 0).per_s - 512e9) < 1);
    }
}

static void misspelt_shapes_are_refused_with_the_nearest(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct error err;
    assert_true(bandwidth_shape_known(arena, "storage-256x8-once", &err));
    assert_false(bandwidth_shape_known(arena, "storage-256x8-one", &err));
    assert_int_equal(err.code, ERROR_USAGE);
    assert_non_null(strstr(err.message, "storage-256x8-once"));
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workgroups_that_read_all_read_every_block_equally_often),
        cmocka_unit_test(workgroups_with_parts_of_their_own_read_each_block_from_one_place),
        cmocka_unit_test(passes_read_write_and_copy_every_block_once_each),
        cmocka_unit_test(a_grid_too_wide_for_one_row_has_rows_and_idle_workgroups),
        cmocka_unit_test(a_working_set_that_does_not_divide_is_refused_with_the_grain),
        cmocka_unit_test(without_addresses_or_large_workgroups_what_is_left_is_taken),
        cmocka_unit_test(limits_are_those_of_the_level_that_a_case_is_about),
        cmocka_unit_test(a_workgroup_on_two_compute_units_has_both_counted),
        cmocka_unit_test(memory_is_far_beyond_every_cache_that_nobody_states),
        cmocka_unit_test(misspelt_shapes_are_refused_with_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
