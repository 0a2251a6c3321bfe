// SPDX-License-Identifier: MIT
// Buffers and host copies.
#include "conformance.h"

#include <string.h>

static uint32_t pattern(uint64_t i)
{
    return (uint32_t)(i * 2654435761u + 12345u);
}

static uint32_t *pattern_words(struct conformance *t, size_t count)
{
    uint32_t *words = ARENA_ARRAY(t->arena, count, uint32_t);
    for (size_t i = 0; i < count; i++)
        words[i] = pattern(i);
    return words;
}

static void what_is_written_is_read(void **state)
{
    struct conformance *t = *state;
    enum {
        COUNT = 3 * 1024 * 1024 + 17,
        BYTES = COUNT * 4
    }; // larger than any staging buffer, and an odd number of words
    uint32_t *words = pattern_words(t, COUNT);
    struct gpu_buffer *buffer = make_words(t, words, COUNT);
    assert_int_equal(gpu_buffer_bytes(buffer), BYTES);
    assert_null(gpu_buffer_map(buffer));
    assert_memory_equal(read_words(t, buffer, 0, COUNT), words, BYTES);
}

static void parts_are_written_and_read_at_any_byte(void **state)
{
    struct conformance *t = *state;
    struct error err = {0};
    struct gpu_buffer *buffer = make_filled(t, 64, 0x11111111);
    assert_done(gpu_buffer_write(buffer, 5, "abc", 3, &err), &err);
    char bytes[8];
    assert_done(gpu_buffer_read(buffer, 3, bytes, sizeof bytes, &err), &err);
    assert_memory_equal(bytes,
                        "\x11\x11"
                        "abc\x11\x11\x11",
                        8);
    assert_done(gpu_buffer_write(buffer, 256, bytes, 0, &err), &err); // 0 bytes: legal
}

static void copies_beyond_the_end_are_refused(void **state)
{
    struct conformance *t = *state;
    struct gpu_buffer *buffer = make_filled(t, 16, 0);
    char bytes[65] = {0};
    struct error err = {0};
    assert_refused(gpu_buffer_write(buffer, 0, bytes, 65, &err), &err, ERROR_INTERNAL,
                   "of a buffer of 64 bytes");
    assert_refused(gpu_buffer_read(buffer, 63, bytes, 2, &err), &err, ERROR_INTERNAL,
                   "bytes 63 to 65");
    assert_refused(gpu_buffer_read(buffer, UINT64_MAX, bytes, 4, &err), &err, ERROR_INTERNAL,
                   "of a buffer of 64 bytes");
}

static void sizes_that_are_not_words_are_refused(void **state)
{
    struct conformance *t = *state;
    static const uint64_t sizes[] = {0, 1, 6};
    for (size_t i = 0; i < 3; i++) {
        struct error err = {0};
        assert_refused(
            gpu_buffer_create(t->scope, &(struct gpu_buffer_desc){.bytes = sizes[i]}, &err), &err,
            ERROR_INTERNAL, "multiple of 4");
    }
}

// The host and kernels read each other's data in mapped memory, without copies.
static void mapped_memory_is_seen_by_both_sides(void **state)
{
    struct conformance *t = *state;
    enum {
        COUNT = 1000,
        BYTES = COUNT * 4
    };
    struct gpu_buffer *from = make_buffer(t, BYTES, GPU_MEMORY_UPLOAD);
    struct gpu_buffer *to = make_buffer(t, BYTES, GPU_MEMORY_READBACK);
    uint32_t *in = gpu_buffer_map(from), *out = gpu_buffer_map(to);
    assert_true(in && out);
    struct gpu_batch *batch = make_batch(t, NULL);
    gpu_batch_dispatch(batch, &(struct gpu_dispatch){.program = make_program(t, "conf_add"),
                                                     .groups = {groups_of_64(COUNT)},
                                                     .args = {{.buffer = from}, {.buffer = to}},
                                                     .params = (uint32_t[]){COUNT, 1},
                                                     .params_bytes = 8});
    end_batch(batch);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < COUNT; i++)
            in[i] = pattern(i + round);
        memset(out, 0, BYTES);
        run_batch(batch);
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(out[i], pattern(i + round) + 1);
    }
}

static void mapped_buffers_take_host_copies_too(void **state)
{
    struct conformance *t = *state;
    struct error err = {0};
    static const enum gpu_memory kinds[] = {GPU_MEMORY_UPLOAD, GPU_MEMORY_READBACK};
    for (size_t i = 0; i < 2; i++) {
        struct gpu_buffer *buffer = make_buffer(t, 64, kinds[i]);
        assert_done(gpu_buffer_write(buffer, 8, "mapped!", 8, &err), &err);
        assert_memory_equal((char *)gpu_buffer_map(buffer) + 8, "mapped!", 8);
        char back[8];
        assert_done(gpu_buffer_read(buffer, 8, back, 8, &err), &err);
        assert_memory_equal(back, "mapped!", 8);
    }
}

static void visible_device_memory_is_mapped_or_refused(void **state)
{
    struct conformance *t = *state;
    struct error err = {0};
    struct gpu_buffer *buffer = gpu_buffer_create(
        t->scope, &(struct gpu_buffer_desc){.bytes = 4096, .memory = GPU_MEMORY_VISIBLE}, &err);
    if (!buffer) {
        assert_refused(false, &err, ERROR_UNSUPPORTED, "memory");
        return;
    }
    struct gpu_buffer *copy = make_filled(t, 1024, 0);
    uint32_t *words = gpu_buffer_map(buffer);
    for (uint32_t i = 0; i < 1024; i++)
        words[i] = pattern(i);
    struct gpu_batch *batch = make_batch(t, NULL);
    gpu_batch_copy(batch, copy, 0, buffer, 0, 4096);
    end_and_run(batch);
    assert_int_equal(read_word(copy, 4092), pattern(1023));
}

static void buffers_do_not_share_addresses(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(ADDRESSES));
    struct gpu_buffer *a = make_buffer(t, 4096, GPU_MEMORY_DEVICE);
    struct gpu_buffer *b = make_buffer(t, 4096, GPU_MEMORY_READBACK);
    uint64_t at_a = gpu_buffer_address(a), at_b = gpu_buffer_address(b);
    assert_true(at_a && at_b && at_a % 16 == 0 && at_b % 16 == 0);
    assert_true(at_a + 4096 <= at_b || at_b + 4096 <= at_a);
}

static void scopes_close_in_any_order(void **state)
{
    struct conformance *t = *state;
    struct error err = {0};
    struct gpu_scope *first = gpu_scope_open(t->device), *second = gpu_scope_open(t->device);
    assert_ptr_equal(gpu_scope_device(first), t->device);
    struct gpu_buffer_desc desc = {.bytes = 1 << 20};
    size_t before = gpu_device_live_objects(t->device);
    assert_done(gpu_buffer_create(first, &desc, &err), &err);
    struct gpu_buffer *kept = gpu_buffer_create(second, &desc, &err);
    assert_done(kept, &err);
    assert_int_equal(gpu_device_live_objects(t->device), before + 2);
    gpu_scope_close(first);
    assert_int_equal(gpu_device_live_objects(t->device), before + 1);
    assert_done(gpu_buffer_write(kept, 0, "still", 5, &err), &err);
    gpu_scope_close(second);
    assert_int_equal(gpu_device_live_objects(t->device), before);
    gpu_scope_close(NULL);
}

static const struct CMUnitTest tests[] = {
    CONFORMANCE_TEST(what_is_written_is_read),
    CONFORMANCE_TEST(parts_are_written_and_read_at_any_byte),
    CONFORMANCE_TEST(copies_beyond_the_end_are_refused),
    CONFORMANCE_TEST(sizes_that_are_not_words_are_refused),
    CONFORMANCE_TEST(mapped_memory_is_seen_by_both_sides),
    CONFORMANCE_TEST(mapped_buffers_take_host_copies_too),
    CONFORMANCE_TEST(visible_device_memory_is_mapped_or_refused),
    CONFORMANCE_TEST(buffers_do_not_share_addresses),
    CONFORMANCE_TEST(scopes_close_in_any_order),
};
const struct suite memory_suite = CONFORMANCE_SUITE("memory", tests);
