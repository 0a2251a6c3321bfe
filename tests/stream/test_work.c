// SPDX-License-Identifier: MIT
// The cases that `stream` plans, those that it refuses, and its arithmetic.
#include "bench/stream/session.h"
#include "planned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const struct benchmark bench_stream;

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

static const struct gpu_info h200 = {
    .name = "NVIDIA H200",
    .kind = GPU_KIND_DISCRETE,
    .vendor_id = 0x10de,
    .caps = GPU_CAP(CORE_ID) | GPU_CAP(DEVICE_CLOCK),
    .limits = {.memory_bytes = 140 * GIB,
               .allocation_bytes = 4 * GIB - 2 * MIB,
               .storage_range_bytes = 4 * GIB - 1,
               .last_cache_bytes = 60 * MIB,
               .cores = 132,
               .core_threads = 2048,
               .core_shared_bytes = 228 << 10,
               .shared_choice_bytes = 227 << 10,
               .subgroup_threads = 32,
               .workgroup_count_x = 65535,
               .workgroup_count_z = 65535},
};

// ---------------------------------------------------------------- the plan

static int open_plan(void **state)
{
    static struct planned planned;
    planned = (struct planned){.benchmark = &bench_stream, .arena = arena_create(), .info = h200};
    *state = &planned;
    return 0;
}

static int close_plan(void **state)
{
    struct planned *planned = *state;
    arena_destroy(planned->arena);
    return 0;
}

static size_t count_of(const struct planned *planned, const char *kernel)
{
    size_t count = 0;
    for (size_t i = 0; i < planned->list.count; i++)
        count += strcmp(case_text(&planned->list.cases[i], "kernel"), kernel) == 0;
    return count;
}

static void standard_has_all_operations_and_occupancies(void **state)
{
    struct planned *planned = *state;
    assert_true(plan(planned, "standard", NULL));
    assert_int_equal(count_of(planned, "tuned"), 9 * 2);
    assert_int_equal(count_of(planned, "occupancy"), 4 * 7); // 32, 64 … 2048 threads a core
    for (size_t i = 0; i < planned->list.count; i++)
        assert_true(case_uint(&planned->list.cases[i], "bytes") == GIB);
    const struct bench_case *last = &planned->list.cases[planned->list.count - 1];
    assert_int_equal(case_uint(last, "threads"), 2048);
}

static void full_has_the_table_of_gpu_stream(void **state)
{
    struct planned *planned = *state;
    assert_true(plan(planned, "full", NULL));
    assert_int_equal(count_of(planned, "occupancy"), 4 * 7);
    assert_int_equal(count_of(planned, "single"), 0); // shared memory cannot be reserved
    planned->info.caps |= GPU_CAP(SHARED_CHOICE);
    assert_true(plan(planned, "full", NULL));
    // Six operations, two types, and workgroups of 32 or of 64, 128 … 1024 threads, two on a core
    assert_int_equal(count_of(planned, "single"), 6 * 2 * 17);
    planned->info.limits.core_threads = 1536;
    assert_true(plan(planned, "full", NULL));
    assert_int_equal(count_of(planned, "single"), 6 * 2 * 13);
}

static void quick_is_a_handful(void **state)
{
    struct planned *planned = *state;
    assert_true(plan(planned, "quick", NULL));
    assert_int_equal(planned->list.count, 4);
    assert_true(case_uint(&planned->list.cases[0], "bytes") == 256 * MIB);
}

static void arrays_grow_with_the_cache_and_end_with_the_memory(void **state)
{
    struct planned *planned = *state;
    planned->info.limits.last_cache_bytes = 512 * MIB;
    assert_true(plan(planned, "standard", NULL));
    assert_true(case_uint(&planned->list.cases[0], "bytes") == 2 * GIB);
    planned->info.limits.memory_bytes = 4 * GIB;
    assert_true(plan(planned, "standard", NULL));
    assert_true(case_uint(&planned->list.cases[0], "bytes") == 512 * MIB);
    planned->info.limits.storage_range_bytes = 128 * MIB; // the buffer also holds a pad
    assert_true(plan(planned, "standard", NULL));
    assert_true(case_uint(&planned->list.cases[0], "bytes") == 128 * MIB - STREAM_GRAIN_BYTES);
}

static void arrays_are_far_beyond_any_cache_that_nobody_states(void **state)
{
    struct planned *planned = *state;
    // given an AMD card that is not listed, and whose OpenCL states the first-level cache
    planned->info.vendor_id = 0x1002;
    planned->info.limits.last_cache_bytes = 16 << 10;
    strcpy(planned->info.name, "AMD Radeon unlisted");
    assert_true(plan(planned, "quick", NULL));
    assert_true(case_uint(&planned->list.cases[0], "bytes") == GIB);
}

static void what_makes_no_sense_is_refused(void **state)
{
    static const char *const sets[] = {"bytes=1000", "shape=best,default", "op=3pt"};
    for (size_t i = 0; i < 2; i++) {
        assert_false(plan(*state, "standard", sets[i]));
        assert_int_equal(((struct planned *)*state)->err.code, ERROR_USAGE);
    }
    assert_true(plan(*state, "standard", sets[2])); // op=3pt has no kernel that loops
    assert_int_equal(count_of(*state, "occupancy"), 0);
}

// ---------------------------------------------------------------- the work

static void a_working_set_that_caches_could_hold_is_refused(void **state)
{
    (void)state;
    const struct measure_limits limits = {.last_cache_bytes = 60 * MIB};
    struct stream_case this_case = {.op = &stream_ops[STREAM_TRIAD], .bytes = 80 * MIB};
    struct error err;
    assert_true(stream_refuse_cached(&this_case, &limits, &err)); // it has three arrays
    this_case.op = &stream_ops[STREAM_READ];
    assert_false(stream_refuse_cached(&this_case, &limits, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "62914560")); // bytes of the cache
    this_case.bytes = 240 * MIB;
    assert_true(stream_refuse_cached(&this_case, &limits, &err));
}

static void a_grid_covers_every_block_once_a_pass(void **state)
{
    (void)state;
    for (int op = 0; op < STREAM_OPS; op++) {
        const struct stream_case this_case = {.op = &stream_ops[op], .bytes = GIB};
        struct stream_shape shapes[STREAM_SHAPES_MAX];
        size_t count = stream_shapes(&this_case, &h200, shapes);
        assert_int_equal(count, 2);
        for (size_t i = 0; i < count; i++) {
            struct stream_work work;
            stream_work_make(&this_case, &shapes[i], &h200, 132, 3, &work);
            uint64_t vectors = (uint64_t)work.params.blocks * shapes[i].threads * shapes[i].loads;
            assert_true(vectors * STREAM_VECTOR_BYTES == GIB);
            const struct stream_params *walk = &work.params;
            assert_int_equal(walk->groups * shapes[i].steps, walk->blocks);
            assert_true(walk->advance == 1 && walk->pitch == shapes[i].steps);
            assert_int_equal(walk->reach,
                             shapes[i].steps); // from one workgroup's first block to the next one's
            assert_true((uint64_t)work.grid[0] * work.grid[1] >= work.params.groups);
            assert_true(work.grid[0] <= 65535 && work.grid[2] == 3);
            assert_true(work.moved_bytes == 3 * (this_case.op->reads + this_case.op->writes) * GIB);
        }
    }
}

static void residents_are_whole_workgroups_that_fit_side_by_side(void **state)
{
    (void)state;
    struct stream_case this_case = {
        .op = &stream_ops[STREAM_READ], .bytes = GIB, .core_threads = 32};
    struct stream_shape shape;
    struct error err;
    for (; this_case.core_threads <= 2048; this_case.core_threads *= 2) {
        assert_true(stream_resident_shape(&this_case, &h200, 132, &shape, &err));
        assert_int_equal(shape.core_groups * shape.threads, this_case.core_threads);
        assert_true(shape.core_groups <= 16 && shape.placed);
        struct stream_work work;
        stream_work_make(&this_case, &shape, &h200, 132, 2, &work);
        assert_int_equal(work.grid[0], 132 * shape.core_groups);
        assert_true(work.grid[1] == 1 && work.grid[2] == 1 && work.params.passes == 2);
        assert_true(work.params.pitch == 1 && work.params.advance == work.params.groups);
        assert_int_equal(work.params.reach, work.params.blocks);
    }
    assert_false(stream_resident_shape(&this_case, &h200, 132, &shape, &err)); // 4096 threads
    this_case.core_threads = 48;
    assert_false(stream_resident_shape(&this_case, &h200, 132, &shape, &err));
    this_case.core_threads = 64;
    assert_false(stream_resident_shape(&this_case, &h200, 0, &shape, &err));
}

static void a_core_holds_two_workgroups_of_single_threads(void **state)
{
    (void)state;
    struct gpu_info info = h200;
    struct stream_case this_case = {
        .op = &stream_ops[STREAM_READ], .bytes = GIB, .core_threads = 384};
    struct stream_shape shape;
    struct stream_work work;
    struct error err;
    assert_false(stream_single_shape(&this_case, &info, &shape, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    info.caps |= GPU_CAP(SHARED_CHOICE);
    for (int doubles = 0; doubles < 2; doubles++) {
        const uint64_t elements = GIB / (doubles ? 8 : 4);
        this_case.doubles = doubles;
        assert_true(stream_single_shape(&this_case, &info, &shape, &err));
        assert_int_equal(shape.threads, 192);
        const uint64_t held = shape.reserved_bytes + 1024; // with what the driver adds to each
        assert_true(2 * held <= info.limits.core_shared_bytes);
        assert_true(3 * shape.reserved_bytes > info.limits.core_shared_bytes);
        stream_work_make(&this_case, &shape, &info, 132, 3, &work);
        assert_true(work.params.blocks == elements && work.params.op == STREAM_READ);
        assert_int_equal(work.params.groups, (elements + 191) / 192); // the last one is not full
        assert_true((uint64_t)work.grid[0] * work.grid[1] >= work.params.groups);
        assert_true(work.grid[0] <= 65535 && work.grid[2] == 3);
        assert_true(work.moved_bytes == 3 * GIB);
    }
    // Threads number elements with 32 bits.
    static const struct {
        bool doubles, fits;
        uint64_t bytes;
    } sizes[] = {{false, true, 16 * GIB - STREAM_GRAIN_BYTES},
                 {false, false, 16 * GIB},
                 {true, true, 32 * GIB - STREAM_GRAIN_BYTES},
                 {true, false, 32 * GIB}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        this_case.doubles = sizes[i].doubles;
        this_case.bytes = sizes[i].bytes;
        if (stream_single_shape(&this_case, &info, &shape, &err) != sizes[i].fits)
            fail_msg("%s of %llu bytes", sizes[i].doubles ? "doubles" : "floats",
                     (unsigned long long)sizes[i].bytes);
    }
    this_case.bytes = GIB;
    static const unsigned wrong[] = {96, 383, 448, 2176};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        this_case.core_threads = wrong[i];
        assert_false(stream_single_shape(&this_case, &info, &shape, &err));
        assert_int_equal(err.code, ERROR_UNSUPPORTED);
    }
    this_case.core_threads = 384;
    info.limits.core_threads = 0; // not known
    assert_false(stream_single_shape(&this_case, &info, &shape, &err));
    assert_null(strstr(err.message, "at most 0 threads"));
}

static void residency_is_judged_by_core_and_time(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct stream_residency found;
    // The word of the clock wraps between the first begin and the first end.
    struct stream_place places[] = {
        {7, 0xfffffff0u, 100, 0}, {7, 0xfffffff8u, 110, 0}, {9, 4, 120, 0}, {9, 8, 90, 0}};
    stream_residency_judge(arena, places, 4, 2, &found);
    assert_true(found.cores == 2 && found.uneven == 0 && found.at_once);
    places[3].begin = 101; // after the first ended
    places[3].end = 200;
    stream_residency_judge(arena, places, 4, 2, &found);
    assert_false(found.at_once);
    places[3].core = 7;
    stream_residency_judge(arena, places, 4, 2, &found);
    assert_true(found.cores == 2 && found.uneven == 2);
    arena_destroy(arena);
}

// The weighted sum of an operation is exact: no order of additions changes it.
static void data_leave_room_for_exact_results(void **state)
{
    (void)state;
    for (uint32_t i = 2; i < 50000; i++) {
        double wide = 0;
        float narrow = 0, backward = 0;
        for (int w = 0; w < 5; w++) {
            uint32_t at = i + (uint32_t)w - 2;
            float weight = stream_ops[STREAM_STAR5].weights[w];
            double value = stream_value(false, at, STREAM_SEED_SOURCE);
            assert_true(value != 0 && fabs(value) < 1);
            wide += (double)weight * value;
            narrow += weight * (float)value;
            backward += stream_ops[STREAM_STAR5].weights[4 - w] *
                        (float)stream_value(false, i + 2 - (uint32_t)w, STREAM_SEED_SOURCE);
        }
        assert_true((double)narrow == wide && (double)backward == wide);
        double value = stream_value(true, i, STREAM_SEED_OTHER);
        assert_true(value != 0 && fabs(value) < 1);
        assert_true(fmod(ldexp(value, 43), 2) != 0 && floor(ldexp(value, 43)) == ldexp(value, 43));
    }
}

#define PLAN(test) cmocka_unit_test_setup_teardown(test, open_plan, close_plan)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAN(standard_has_all_operations_and_occupancies),
        PLAN(full_has_the_table_of_gpu_stream),
        PLAN(quick_is_a_handful),
        PLAN(arrays_grow_with_the_cache_and_end_with_the_memory),
        PLAN(arrays_are_far_beyond_any_cache_that_nobody_states),
        PLAN(what_makes_no_sense_is_refused),
        cmocka_unit_test(a_working_set_that_caches_could_hold_is_refused),
        cmocka_unit_test(a_grid_covers_every_block_once_a_pass),
        cmocka_unit_test(residents_are_whole_workgroups_that_fit_side_by_side),
        cmocka_unit_test(a_core_holds_two_workgroups_of_single_threads),
        cmocka_unit_test(residency_is_judged_by_core_and_time),
        cmocka_unit_test(data_leave_room_for_exact_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
