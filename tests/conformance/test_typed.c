// SPDX-License-Identifier: MIT
// Typed views of buffers.
#include "conformance.h"

#include "texels.h"

#include <string.h>

enum {
    COUNT = 1000,
    FIRST = 512 // texels before the view; every known device accepts this offset
};

// NULL if the device lacks the format; then the error must name the format.
static struct gpu_typed *view_or_refusal(struct conformance *t, struct gpu_buffer *buffer,
                                         enum gpu_format format, uint64_t offset)
{
    struct error err = {0};
    struct gpu_typed *typed = gpu_typed_create(t->scope, buffer, format, offset, COUNT, &err);
    if (!typed) {
        assert_refused(false, &err, ERROR_UNSUPPORTED, gpu_format_name(format));
        print_message("%s\n", err.message);
    }
    return typed;
}

static uint32_t *read_texels(struct conformance *t, struct gpu_typed *typed, enum gpu_format format)
{
    const char *kernel = texel_is_uint(format) ? "conf_typed_uint" : "conf_typed_float";
    struct gpu_buffer *to = make_filled(t, (size_t)COUNT * 4, 0xdeadbeef);
    run_dispatch(t, &(struct gpu_dispatch){.program = make_program(t, kernel),
                                           .groups = {groups_of_64(COUNT)},
                                           .args = {{.typed = typed}, {.buffer = to}},
                                           .params = (uint32_t[]){COUNT},
                                           .params_bytes = 4});
    return read_words(t, to, 0, (size_t)COUNT * 4);
}

static void every_format_reads_its_values(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(TYPED));
    unsigned formats = 0;
    for (unsigned f = 0; f < GPU_FORMAT_RGBA8_SRGB; f++) {
        enum gpu_format format = (enum gpu_format)f;
        uint64_t bytes = (uint64_t)COUNT * gpu_format_bytes(format);
        uint64_t offset = (uint64_t)FIRST * gpu_format_bytes(format);
        struct error err = {0};
        struct gpu_buffer *buffer = make_buffer(t, offset + bytes, GPU_MEMORY_DEVICE);
        assert_done(
            gpu_buffer_write(buffer, offset, texel_pattern(t->arena, format, COUNT), bytes, &err),
            &err);
        struct gpu_typed *typed = view_or_refusal(t, buffer, format, offset);
        if (!typed) { // tries offset 0: PoCL allows no other
            assert_done(
                gpu_buffer_write(buffer, 0, texel_pattern(t->arena, format, COUNT), bytes, &err),
                &err);
            typed = view_or_refusal(t, buffer, format, 0);
        }
        if (!typed)
            continue;
        formats++;
        uint32_t *words = read_texels(t, typed, format);
        for (size_t i = 0; i < COUNT; i++)
            assert_texel(format, i, words + 4 * i);
    }
    // Every Vulkan device must have 9 of these formats, every OpenCL device 4.
    assert_true(formats >= (strcmp(t->info->api, "opencl") == 0 ? 4u : 9u));
}

static void every_format_is_written_or_said_not_to_be(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(TYPED));
    for (unsigned f = 0; f < GPU_FORMAT_RGBA8_SRGB; f++) {
        enum gpu_format format = (enum gpu_format)f;
        struct gpu_buffer *buffer =
            make_buffer(t, (uint64_t)COUNT * gpu_format_bytes(format), GPU_MEMORY_DEVICE);
        struct gpu_typed *typed = view_or_refusal(t, buffer, format, 0);
        if (!typed)
            continue;
        struct error err = {0};
        struct gpu_batch *batch = make_batch(t, NULL);
        gpu_batch_dispatch(
            batch, &(struct gpu_dispatch){.program = make_program(t, texel_is_uint(format)
                                                                         ? "conf_store_uint"
                                                                         : "conf_store_float"),
                                          .groups = {groups_of_64(COUNT)},
                                          .args = {{.typed = typed}},
                                          .params = (uint32_t[]){COUNT},
                                          .params_bytes = 4});
        if (!gpu_batch_end(batch, &err)) {
            assert_refused(false, &err, ERROR_UNSUPPORTED, "cannot write typed views");
            print_message("%s\n", err.message);
            continue;
        }
        run_batch(batch);
        uint32_t *words = read_texels(t, typed, format);
        for (size_t i = 0; i < COUNT; i++)
            assert_stored(format, i, words + 4 * i);
    }
}

static void the_largest_view_reaches_its_last_texel(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(TYPED));
    uint64_t most = t->info->limits.typed_elements;
    if (most == 0 || most + 4 > t->info->limits.allocation_bytes || most > UINT32_MAX / 2)
        skip();
    struct error err = {0};
    struct gpu_buffer *buffer = make_buffer(t, most + 4, GPU_MEMORY_DEVICE);
    unsigned char last = 255;
    assert_done(gpu_buffer_write(buffer, most - 1, &last, 1, &err), &err);
    struct gpu_typed *typed =
        gpu_typed_create(t->scope, buffer, GPU_FORMAT_R8_UNORM, 0, most, &err);
    assert_done(typed, &err);
    struct gpu_buffer *to = make_filled(t, 4, 0);
    run_dispatch(t, &(struct gpu_dispatch){.program = make_program(t, "conf_typed_at"),
                                           .args = {{.typed = typed}, {.buffer = to}},
                                           .params = (uint32_t[]){(uint32_t)most - 1},
                                           .params_bytes = 4});
    assert_int_equal(read_word(to, 0), 0x3f800000); // 1.0f
    assert_refused(gpu_typed_create(t->scope, buffer, GPU_FORMAT_R8_UNORM, 0, most + 1, &err), &err,
                   ERROR_UNSUPPORTED, "typed_elements");
}

static void views_that_do_not_fit_are_refused(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(TYPED));
    struct gpu_buffer *buffer = make_buffer(t, 1024, GPU_MEMORY_DEVICE);
    struct error err = {0};
    uint64_t align = t->info->limits.typed_align_bytes;
    assert_refused(gpu_typed_create(t->scope, buffer, GPU_FORMAT_R32_UINT, 0, 257, &err), &err,
                   ERROR_INTERNAL, "bytes 0 to 1028");
    assert_refused(gpu_typed_create(t->scope, buffer, GPU_FORMAT_R32_UINT, 0, 0, &err), &err,
                   ERROR_INTERNAL, "0 elements");
    assert_refused(gpu_typed_create(t->scope, buffer, GPU_FORMAT_COUNT, 0, 1, &err), &err,
                   ERROR_INTERNAL, "format 22");
    if (align > 1)
        assert_refused(gpu_typed_create(t->scope, buffer, GPU_FORMAT_R32_UINT, 1, 1, &err), &err,
                       ERROR_INTERNAL, "typed_align_bytes");
}

static const struct CMUnitTest tests[] = {
    CONFORMANCE_TEST(every_format_reads_its_values),
    CONFORMANCE_TEST(every_format_is_written_or_said_not_to_be),
    CONFORMANCE_TEST(the_largest_view_reaches_its_last_texel),
    CONFORMANCE_TEST(views_that_do_not_fit_are_refused),
};
const struct suite typed_suite = CONFORMANCE_SUITE("typed views", tests);
