// SPDX-License-Identifier: MIT
// The largest value that a limit allows works. The next one is refused with a message that names
// the limit.
#include "conformance.h"

#include <inttypes.h>

static void the_largest_range_is_bound_to_its_last_word(void **state)
{
    struct conformance *t = *state;
    uint64_t most = t->info->limits.storage_range_bytes / 4 * 4;
    if (most == 0 || most + 4 > t->info->limits.allocation_bytes)
        skip();
    struct gpu_buffer *words = make_buffer(t, most + 4, GPU_MEMORY_DEVICE);
    struct gpu_buffer *last = make_filled(t, 1, 0);
    struct gpu_program *reverse = make_program(t, "conf_reverse");
    struct error err = {0};
    uint32_t marks[2] = {17, 0};
    assert_done(gpu_buffer_write(words, most - 4, marks, sizeof marks, &err), &err);
    // One thread sets last[0] = 3 · words[count − 1] + 1. It reads `words` through an open range
    // (bytes 0), which is cut to the limit, and through a range of exactly the limit.
    for (uint64_t bytes = 0; bytes <= most; bytes += most) {
        run_dispatch(
            t, &(struct gpu_dispatch){.program = reverse,
                                      .args = {{.buffer = words, .bytes = bytes}, {.buffer = last}},
                                      .params = (uint32_t[]){(uint32_t)(most / 4)},
                                      .params_bytes = 4});
        assert_int_equal(read_word(last, 0), 3 * 17 + 1);
    }
}

static void a_range_beyond_the_limit_is_refused(void **state)
{
    struct conformance *t = *state;
    uint64_t most = t->info->limits.storage_range_bytes / 4 * 4;
    if (most == 0 || most + 4 > t->info->limits.allocation_bytes)
        skip();
    struct gpu_buffer *words = make_buffer(t, most + 4, GPU_MEMORY_DEVICE);
    struct gpu_batch *batch = make_batch(t, NULL);
    gpu_batch_dispatch(batch, &(struct gpu_dispatch){.program = make_program(t, "conf_ids"),
                                                     .args = {{.buffer = words, .bytes = most + 4}},
                                                     .params = (uint32_t[]){1, 1, 1},
                                                     .params_bytes = 12});
    assert_end_refused(batch, ERROR_UNSUPPORTED, "storage_range_bytes");
}

static void the_largest_constant_range_is_bound(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(CONSTANT));
    uint64_t most = t->info->limits.constant_range_bytes;
    struct gpu_buffer *constants = make_filled(t, (size_t)(most + 16) / 4, 8);
    struct gpu_buffer *to = make_filled(t, 4096, 0);
    struct gpu_program *program = make_program(t, "conf_constant");
    struct gpu_dispatch dispatch = {.program = program,
                                    .groups = {64},
                                    .args = {{.buffer = constants, .bytes = most}, {.buffer = to}},
                                    .params = (uint32_t[]){4096},
                                    .params_bytes = 4};
    if (most < 16384)
        skip();
    run_dispatch(t, &dispatch);
    assert_int_equal(read_word(to, 16380), 8);
    struct gpu_batch *batch = make_batch(t, NULL);
    dispatch.args[0].bytes = most + 16;
    gpu_batch_dispatch(batch, &dispatch);
    assert_end_refused(batch, ERROR_UNSUPPORTED, "constant_range_bytes");
}

static void a_buffer_beyond_the_limit_is_refused(void **state)
{
    struct conformance *t = *state;
    struct error err = {0};
    struct gpu_buffer_desc desc = {.bytes = t->info->limits.allocation_bytes + 4};
    assert_refused(gpu_buffer_create(t->scope, &desc, &err), &err, ERROR_UNSUPPORTED,
                   "allocation_bytes");
    desc.bytes = UINT64_MAX - 3;
    assert_refused(gpu_buffer_create(t->scope, &desc, &err), &err, ERROR_UNSUPPORTED,
                   "allocation_bytes");
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// If the device allows it, the buffer is larger than 32-bit offsets reach.
static void addresses_reach_the_end_of_large_buffers(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(ADDRESSES));
    const struct gpu_limits *limits = &t->info->limits;
    uint64_t bytes = smaller(limits->allocation_bytes, limits->memory_bytes / 2);
    bytes = smaller(bytes, UINT64_C(6) << 30) / 4 * 4;
    struct gpu_buffer *large = make_buffer(t, bytes, GPU_MEMORY_DEVICE);
    struct gpu_buffer *seen = make_filled(t, 1, 0);
    struct gpu_program *program = make_program(t, "conf_far");
    const uint64_t places[] = {0, bytes / 2 / 4 * 4, bytes - 4};
    for (uint32_t i = 0; i < 3; i++) {
        struct error err = {0};
        uint32_t mark = 100 + i;
        assert_done(gpu_buffer_write(large, places[i], &mark, 4, &err), &err);
        run_dispatch(
            t, &(struct gpu_dispatch){.program = program,
                                      .args = {{.buffer = large}, {.buffer = seen}},
                                      .params = (uint32_t[]){(uint32_t)places[i],
                                                             (uint32_t)(places[i] >> 32), 200 + i},
                                      .params_bytes = 12});
        assert_int_equal(read_word(seen, 0), 100 + i);
        assert_int_equal(read_word(large, places[i]), 200 + i);
    }
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(read_word(large, places[i]), 200 + i);
}

static void copies_and_fills_reach_the_end_of_large_buffers(void **state)
{
    struct conformance *t = *state;
    const struct gpu_limits *limits = &t->info->limits;
    // A software device fills memory on the host, so it gets a smaller buffer.
    uint64_t most = t->info->kind == GPU_KIND_CPU ? UINT64_C(64) << 20 : UINT64_C(5) << 30;
    uint64_t bytes =
        smaller(smaller(limits->allocation_bytes, limits->memory_bytes / 4), most) / 4 * 4;
    struct gpu_buffer *a = make_buffer(t, bytes, GPU_MEMORY_DEVICE);
    struct gpu_buffer *b = make_buffer(t, bytes, GPU_MEMORY_DEVICE);
    struct gpu_batch *batch = make_batch(t, NULL);
    gpu_batch_fill(batch, a, 0, bytes - 4, 5);
    gpu_batch_fill(batch, a, bytes - 4, 4, 6);
    gpu_batch_copy(batch, b, 0, a, 0, bytes);
    end_and_run(batch);
    assert_int_equal(read_word(b, 0), 5);
    assert_int_equal(read_word(b, bytes - 8), 5);
    assert_int_equal(read_word(b, bytes - 4), 6);
}

static void the_most_workgroups_run(void **state)
{
    struct conformance *t = *state;
    const struct gpu_limits *limits = &t->info->limits;
    struct gpu_program *program = make_program(t, "conf_nothing");
    const uint64_t most[3] = {limits->workgroup_count_x, limits->workgroup_count_y,
                              limits->workgroup_count_z};
    for (unsigned axis = 0; axis < 3; axis++) {
        struct gpu_dispatch dispatch = {.program = program};
        dispatch.groups[axis] = (uint32_t)smaller(most[axis], 1 << 20);
        run_dispatch(t, &dispatch);
        if (most[axis] == 0 || most[axis] >= UINT32_MAX)
            continue;
        struct gpu_batch *batch = make_batch(t, NULL);
        dispatch.groups[axis] = (uint32_t)most[axis] + 1;
        gpu_batch_dispatch(batch, &dispatch);
        assert_end_refused(batch, ERROR_UNSUPPORTED, "workgroups along");
    }
}

// Fills the memory with the largest buffers. The error must name the size; later calls must work.
static void memory_that_does_not_fit_is_an_ordinary_error(void **state)
{
    struct conformance *t = *state;
    const struct gpu_limits *limits = &t->info->limits;
    struct gpu_scope *scope = gpu_scope_open(t->device);
    struct gpu_buffer_desc desc = {.bytes = limits->allocation_bytes};
    struct error err = {0};
    unsigned made = 0, enough = (unsigned)(limits->memory_bytes / limits->allocation_bytes) + 2;
    if (t->info->kind != GPU_KIND_CPU) // software devices promise more memory than the host has
        while (made < enough && gpu_buffer_create(scope, &desc, &err))
            made++;
    gpu_scope_close(scope);
    if (t->info->kind == GPU_KIND_CPU)
        skip();
    assert_true(made < enough);
    assert_refused(false, &err, ERROR_OUT_OF_MEMORY, "bytes");
    make_filled(t, 1024, 0);
}

static void every_limit_has_a_name_and_a_value(void **state)
{
    const struct gpu_info *info = ((const struct conformance *)*state)->info;
    unsigned count = 0;
    bool seen = false;
    for (; gpu_limit_name(count); count++)
        seen |= gpu_limit_value(&info->limits, count) == info->limits.allocation_bytes;
    assert_int_equal(count, sizeof info->limits / sizeof(uint64_t));
    assert_true(seen);
    assert_int_equal(gpu_limit_value(&info->limits, count), 0);
}

static const struct CMUnitTest tests[] = {
    CONFORMANCE_TEST(the_largest_range_is_bound_to_its_last_word),
    CONFORMANCE_TEST(a_range_beyond_the_limit_is_refused),
    CONFORMANCE_TEST(the_largest_constant_range_is_bound),
    CONFORMANCE_TEST(a_buffer_beyond_the_limit_is_refused),
    CONFORMANCE_TEST(addresses_reach_the_end_of_large_buffers),
    CONFORMANCE_TEST(copies_and_fills_reach_the_end_of_large_buffers),
    CONFORMANCE_TEST(the_most_workgroups_run),
    CONFORMANCE_TEST(memory_that_does_not_fit_is_an_ordinary_error),
    CONFORMANCE_TEST(every_limit_has_a_name_and_a_value),
};
const struct suite limit_suite = CONFORMANCE_SUITE("limits", tests);
