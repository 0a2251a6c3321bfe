// SPDX-License-Identifier: MIT
// How arguments reach kernels, and which programs are refused.
#include "conformance.h"

#include "gpu/kernels.h"

#include <string.h>

enum {
    COUNT = 1000
};

static uint32_t *numbers(struct conformance *t, uint32_t factor)
{
    uint32_t *words = ARENA_ARRAY(t->arena, COUNT, uint32_t);
    for (uint32_t i = 0; i < COUNT; i++)
        words[i] = i * factor;
    return words;
}

static void every_thread_of_a_grid_runs_once(void **state)
{
    struct conformance *t = *state;
    enum {
        THREADS = 20 * 6 * 14
    };
    struct gpu_buffer *words = make_filled(t, THREADS, 0xffffffff);
    run_dispatch(t, &(struct gpu_dispatch){.program = make_program(t, "conf_ids_grid"),
                                           .groups = {5, 3, 7},
                                           .args = {{.buffer = words}}});
    uint32_t *seen = read_words(t, words, 0, THREADS), at = 0;
    for (uint32_t z = 0; z < 14; z++)
        for (uint32_t y = 0; y < 6; y++)
            for (uint32_t x = 0; x < 20; x++)
                assert_int_equal(seen[at++], z * 10000 + y * 100 + x);
}

static void params_arrive_word_by_word(void **state)
{
    struct conformance *t = *state;
    if (t->info->limits.params_bytes < GPU_PARAMS_MAX_BYTES)
        skip();
    uint32_t params[32];
    for (uint32_t i = 0; i < 32; i++)
        params[i] = 0x01010101u * i;
    struct gpu_buffer *words = make_filled(t, 32, 0xffffffff);
    struct gpu_batch *batch = make_batch(t, NULL);
    gpu_batch_dispatch(batch, &(struct gpu_dispatch){.program = make_program(t, "conf_params"),
                                                     .args = {{.buffer = words}},
                                                     .params = params,
                                                     .params_bytes = sizeof params});
    memset(params, 0, sizeof params); // the batch has its own copy
    end_and_run(batch);
    uint32_t *seen = read_words(t, words, 0, 32);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(seen[i], 0x01010101u * i);
}

static void ranges_of_buffers_are_bound(void **state)
{
    struct conformance *t = *state;
    uint64_t align = t->info->limits.storage_align_bytes;
    uint64_t offset = align > 256 ? align : 256;
    struct gpu_buffer *from = make_words(t, numbers(t, 1), COUNT);
    struct gpu_buffer *to = make_filled(t, COUNT, 0);
    run_dispatch(t, &(struct gpu_dispatch){.program = make_program(t, "conf_add"),
                                           .args = {{.buffer = from, .offset = offset, .bytes = 40},
                                                    {.buffer = to, .offset = 2 * offset}},
                                           .params = (uint32_t[]){10, 1000},
                                           .params_bytes = 8});
    uint32_t *seen = read_words(t, to, 0, COUNT), first = (uint32_t)offset / 4;
    assert_int_equal(seen[2 * first - 1], 0);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(seen[2 * first + i], first + i + 1000);
    assert_int_equal(seen[2 * first + 10], 0);
}

static void addresses_are_pointers(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(ADDRESSES));
    struct gpu_buffer *from = make_words(t, numbers(t, 7), COUNT);
    struct gpu_buffer *to = make_filled(t, COUNT, 0);
    run_dispatch(t, &(struct gpu_dispatch){.program = make_program(t, "conf_address"),
                                           .groups = {groups_of_64(COUNT)},
                                           .args = {{.buffer = from}, {.buffer = to}},
                                           .params = (uint32_t[]){COUNT, 5},
                                           .params_bytes = 8});
    uint32_t *seen = read_words(t, to, 0, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(seen[i], 21 * i + 5);
}

static void addresses_begin_at_an_offset(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(ADDRESSES));
    struct gpu_buffer *from = make_words(t, numbers(t, 7), COUNT);
    struct gpu_buffer *to = make_filled(t, COUNT, 0);
    run_dispatch(t, &(struct gpu_dispatch){
                        .program = make_program(t, "conf_address"),
                        .groups = {groups_of_64(10)},
                        .args = {{.buffer = from, .offset = 64}, {.buffer = to, .offset = 32}},
                        .params = (uint32_t[]){10, 5},
                        .params_bytes = 8});
    uint32_t *seen = read_words(t, to, 0, COUNT);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(seen[8 + i], 21 * (16 + i) + 5);
    assert_int_equal(seen[7], 0);
    assert_int_equal(seen[18], 0);
}

static void constants_are_read(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(CONSTANT));
    enum {
        WORDS = 4096,
        TWICE = 2 * WORDS
    };
    uint32_t *table = ARENA_ARRAY(t->arena, TWICE, uint32_t);
    for (uint32_t i = 0; i < TWICE; i++)
        table[i] = i * 31 + 1;
    struct gpu_buffer *constants = make_words(t, table, TWICE);
    struct gpu_buffer *to = make_filled(t, WORDS, 0);
    run_dispatch(t, &(struct gpu_dispatch){.program = make_program(t, "conf_constant"),
                                           .groups = {groups_of_64(WORDS)},
                                           .args = {{.buffer = constants,
                                                     .offset = (uint64_t)WORDS * 4,
                                                     .bytes = (uint64_t)WORDS * 4},
                                                    {.buffer = to}},
                                           .params = (uint32_t[]){WORDS},
                                           .params_bytes = 4});
    assert_memory_equal(read_words(t, to, 0, WORDS), table + WORDS, (size_t)WORDS * 4);
}

static void kinds_of_argument_mix(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(ADDRESSES) | GPU_CAP(CONSTANT));
    struct gpu_buffer *e = make_filled(t, COUNT, 0);
    run_dispatch(t, &(struct gpu_dispatch){.program = make_program(t, "conf_args"),
                                           .groups = {groups_of_64(COUNT)},
                                           .args = {{.buffer = make_words(t, numbers(t, 1), COUNT)},
                                                    {.buffer = make_words(t, numbers(t, 2), COUNT)},
                                                    {.buffer = make_filled(t, 64, 3)},
                                                    {.buffer = make_words(t, numbers(t, 5), COUNT)},
                                                    {.buffer = e}},
                                           .params = (uint32_t[]){COUNT, 9},
                                           .params_bytes = 8});
    uint32_t *seen = read_words(t, e, 0, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(seen[i], i + 20 * i + 300 + 5000 * i + 9);
}

static void a_kernel_without_arguments_runs(void **state)
{
    struct conformance *t = *state;
    struct gpu_program *program = make_program(t, "conf_nothing");
    assert_string_equal(gpu_program_kernel(program)->name, "conf_nothing");
    run_dispatch(t, &(struct gpu_dispatch){.program = program});
}

static void a_kernel_without_a_form_is_refused(void **state)
{
    struct conformance *t = *state;
    struct gpu_kernel empty = {.name = "formless", .workgroup = {1, 1, 1}};
    struct error err = {0};
    assert_refused(gpu_program_create(t->scope, &(struct gpu_program_desc){.kernel = &empty}, &err),
                   &err, ERROR_UNSUPPORTED, "formless");
}

static void workgroups_beyond_the_limit_are_refused(void **state)
{
    struct conformance *t = *state;
    struct gpu_kernel large = *kernel_find("conf_nothing");
    large.workgroup[0] = (uint32_t)t->info->limits.workgroup_threads + 1;
    struct error err = {0};
    assert_refused(gpu_program_create(t->scope, &(struct gpu_program_desc){.kernel = &large}, &err),
                   &err, ERROR_UNSUPPORTED, "workgroup of");
}

static void a_chosen_subgroup_size_is_what_the_kernel_sees(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(SUBGROUP_CHOICE));
    const struct gpu_limits *limits = &t->info->limits;
    make_program(t, "conf_subgroup"); // skips if the API has no form of this kernel
    for (uint32_t size = (uint32_t)limits->subgroup_threads_min;
         size <= limits->subgroup_threads_max; size *= 2) {
        struct error err = {0};
        struct gpu_program_desc desc = {.kernel = kernel_find("conf_subgroup"),
                                        .subgroup_threads = size};
        struct gpu_buffer *words = make_filled(t, 64, 0);
        struct gpu_program *program = gpu_program_create(t->scope, &desc, &err);
        assert_done(program, &err);
        run_dispatch(t, &(struct gpu_dispatch){.program = program, .args = {{.buffer = words}}});
        assert_int_equal(read_word(words, 0), size);
        assert_int_equal(read_word(words, 252), size);
    }
}

static void subgroup_sizes_that_cannot_be_are_refused(void **state)
{
    struct conformance *t = *state;
    struct error err = {0};
    struct gpu_program_desc desc = {.kernel = kernel_find("conf_nothing"), .subgroup_threads = 3};
    bool choice = t->info->caps & GPU_CAP(SUBGROUP_CHOICE);
    assert_refused(gpu_program_create(t->scope, &desc, &err), &err, ERROR_UNSUPPORTED,
                   choice ? "powers of two" : "subgroupSizeControl");
    desc.subgroup_threads = 2 * (uint32_t)t->info->limits.subgroup_threads_max + 2;
    assert_refused(gpu_program_create(t->scope, &desc, &err), &err, ERROR_UNSUPPORTED,
                   "conf_nothing");
}

static void shared_memory_is_chosen_within_the_limit(void **state)
{
    struct conformance *t = *state;
    struct error err;
    struct gpu_program_desc desc = {.kernel = kernel_find("conf_nothing"), .shared_bytes = 4096};
    if (!(t->info->caps & GPU_CAP(SHARED_CHOICE))) {
        assert_refused(gpu_program_create(t->scope, &desc, &err), &err, ERROR_UNSUPPORTED,
                       "shared memory");
        return;
    }
    desc.shared_bytes = (unsigned)t->info->limits.shared_choice_bytes;
    struct gpu_program *program = gpu_program_create(t->scope, &desc, &err);
    if (!program)
        fail_msg("%s", err.message);
    run_dispatch(t, &(struct gpu_dispatch){.program = program});
    desc.shared_bytes += 4;
    assert_refused(gpu_program_create(t->scope, &desc, &err), &err, ERROR_UNSUPPORTED,
                   "shared memory");
}

static void the_driver_describes_its_code_or_is_said_not_to(void **state)
{
    struct conformance *t = *state;
    struct gpu_program_stats stats;
    struct error err = {0};
    bool ok = gpu_program_stats(make_program(t, "conf_spin"), t->arena, &stats, &err);
    if (!(t->info->caps & GPU_CAP(KERNEL_STATS))) {
        assert_refused(ok, &err, ERROR_UNSUPPORTED, "statistics of compiled kernels");
        return;
    }
    assert_done(ok, &err);
    assert_true(stats.has_registers || stats.has_spills || stats.has_shared || stats.text);
    if (stats.has_registers)
        assert_in_range(stats.registers, 1, 1024);
    if (stats.has_spills)
        assert_int_equal(stats.spill_bytes, 0);
}

static const struct CMUnitTest tests[] = {
    CONFORMANCE_TEST(every_thread_of_a_grid_runs_once),
    CONFORMANCE_TEST(params_arrive_word_by_word),
    CONFORMANCE_TEST(ranges_of_buffers_are_bound),
    CONFORMANCE_TEST(addresses_are_pointers),
    CONFORMANCE_TEST(addresses_begin_at_an_offset),
    CONFORMANCE_TEST(constants_are_read),
    CONFORMANCE_TEST(kinds_of_argument_mix),
    CONFORMANCE_TEST(a_kernel_without_arguments_runs),
    CONFORMANCE_TEST(a_kernel_without_a_form_is_refused),
    CONFORMANCE_TEST(workgroups_beyond_the_limit_are_refused),
    CONFORMANCE_TEST(a_chosen_subgroup_size_is_what_the_kernel_sees),
    CONFORMANCE_TEST(subgroup_sizes_that_cannot_be_are_refused),
    CONFORMANCE_TEST(shared_memory_is_chosen_within_the_limit),
    CONFORMANCE_TEST(the_driver_describes_its_code_or_is_said_not_to),
};
const struct suite program_suite = CONFORMANCE_SUITE("programs", tests);
