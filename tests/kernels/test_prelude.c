// SPDX-License-Identifier: MIT
// test_prelude API runs every name of the OpenCL C prelude on each device of that API, and compares
// the results with those of C. Exit status 77: there is no device.
#include "gpu/kernels.h"
#include "math/permute.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const uint64_t TIMEOUT_NS = UINT64_C(600000000000);

struct fixture {
    struct gpu_device *device;
    struct gpu_scope *scope;
};

static int open_scope(void **state)
{
    struct fixture *fixture = *state;
    fixture->scope = gpu_scope_open(fixture->device);
    return 0;
}

static int close_scope(void **state)
{
    struct fixture *fixture = *state;
    gpu_scope_close(fixture->scope);
    return gpu_device_live_objects(fixture->device) == 0 ? 0 : -1;
}

// An error ends the test with its message.
static void must(bool ok, const struct error *err)
{
    if (!ok)
        fail_msg("%s: %s", error_code_name(err->code), err->message);
}

static struct gpu_buffer *buffer_of(struct fixture *fixture, const void *data, uint64_t bytes)
{
    struct error err;
    struct gpu_buffer *buffer =
        gpu_buffer_create(fixture->scope, &(struct gpu_buffer_desc){.bytes = bytes}, &err);
    must(buffer, &err);
    if (data)
        must(gpu_buffer_write(buffer, 0, data, bytes, &err), &err);
    return buffer;
}

static void run(struct fixture *fixture, const char *kernel, struct gpu_dispatch *dispatch)
{
    struct error err;
    dispatch->program = gpu_program_create(
        fixture->scope, &(struct gpu_program_desc){.kernel = kernel_find(kernel)}, &err);
    must(dispatch->program, &err);
    struct gpu_batch *batch = gpu_batch_create(fixture->scope, NULL, &err);
    must(batch, &err);
    gpu_batch_dispatch(batch, dispatch);
    must(gpu_batch_end(batch, &err), &err);
    must(gpu_batch_run(batch, TIMEOUT_NS, &err), &err);
}

static void every_thread_knows_its_place(void **state)
{
    enum {
        GROUPS = 2 * 3 * 2,
        THREADS = 4 * 2 * 2
    };
    struct fixture *fixture = *state;
    static uint32_t words[GROUPS * THREADS][8];
    struct error err;
    memset(words, 0xff, sizeof words);
    struct gpu_buffer *out = buffer_of(fixture, words, sizeof words);
    run(fixture, "prelude_ids",
        &(struct gpu_dispatch){.groups = {2, 3, 2}, .args = {{.buffer = out}}});
    must(gpu_buffer_read(out, 0, words, sizeof words, &err), &err);
    for (uint32_t at = 0; at < GROUPS * THREADS; at++) {
        uint32_t group = at / THREADS, thread = at % THREADS;
        uint32_t local[] = {thread % 4, thread / 4 % 2, thread / 8};
        uint32_t groups[] = {group % 2, group / 2 % 3, group / 6};
        assert_int_equal(words[at][0], local[0] | local[1] << 8 | local[2] << 16);
        assert_int_equal(words[at][1], groups[0] | groups[1] << 8 | groups[2] << 16);
        assert_int_equal(words[at][2], 2 | 3 << 8 | 2 << 16);
        assert_int_equal(words[at][3], groups[0] * 4 + local[0]);
        assert_int_equal(words[at][4], thread);
        // This variant has neither core ids nor clocks.
        assert_int_equal(words[at][5], UINT32_MAX);
        assert_int_equal(words[at][6], 0);
        assert_int_equal(words[at][7], 0);
    }
}

static uint32_t data_word(uint32_t i)
{
    return i * UINT32_C(2654435761) + 1;
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void check_memory_words(const uint32_t *words, uint32_t id, uint32_t key)
{
    assert_int_equal(words[0], data_word(4 * id));
    assert_int_equal(words[1], data_word(4 * id + 1));
    assert_int_equal(words[2], data_word(4 * id + 2));
    assert_int_equal(words[3], data_word(4 * id + 1)); // the upper half of 8 bytes
    assert_int_equal(words[4], data_word(4 * id));
    assert_int_equal(words[5], data_word(4 * id + 1));
    assert_int_equal(words[6], data_word(4 * id + 3));
    assert_int_equal(words[7], data_word(4 * id));
    assert_int_equal(words[8], ~data_word(4 * id));
    assert_int_equal(words[9], ~data_word(15)); // a constant index
    assert_int_equal(words[10], 63 - id);
    assert_int_equal(words[11], (uint32_t)((uint64_t)key * (id << 20) >> 32));
    if (id < 61)
        assert_int_equal(words[12], permute_index(id, 61, key));
    assert_int_equal(words[13], float_bits((float)id * 3.0f + 0.5f));
}

static void loads_constants_atomics_and_arithmetic_are_right(void **state)
{
    struct fixture *fixture = *state;
    const struct gpu_info *info = gpu_device_info(fixture->device);
    uint32_t data[256], constants[256], words[16 * 65] = {0};
    const struct {
        uint32_t key, never;
    } params = {.key = 0x9e3779b9, .never = 0};
    struct error err;
    for (uint32_t i = 0; i < 256; i++) {
        data[i] = data_word(i);
        constants[i] = ~data_word(i);
    }
    struct gpu_buffer *out = buffer_of(fixture, words, sizeof words);
    struct gpu_dispatch dispatch = {
        .args = {{.buffer = out},
                 {.buffer = buffer_of(fixture, data, sizeof data)},
                 {.buffer = buffer_of(fixture, constants, sizeof constants)}},
        .params = &params,
        .params_bytes = sizeof params,
    };
    run(fixture, "prelude_memory", &dispatch);
    must(gpu_buffer_read(out, 0, words, sizeof words, &err), &err);
    // Each thread adds its id to a sum in shared memory, and then that sum to one in global memory.
    assert_int_equal(words[0], 63 * 64 / 2 * 64);
    for (uint32_t id = 0; id < 64; id++) {
        const uint32_t *mine = words + 16 * (id + 1);
        check_memory_words(mine, id, params.key);
        bool has_clock = info->caps & GPU_CAP(CORE_CLOCK);
        assert_int_equal(mine[14] != 0, has_clock);
        if (has_clock) // above 0 and below about a second
            assert_true(mine[14] < 1000000000);
    }
}

static void addresses_can_be_followed(void **state)
{
    struct fixture *fixture = *state;
    uint64_t chain[64], end = 0;
    struct error err;
    if (!(gpu_device_info(fixture->device)->caps & GPU_CAP(ADDRESSES)))
        skip();
    struct gpu_buffer *buffer = buffer_of(fixture, NULL, sizeof chain);
    struct gpu_buffer *out = buffer_of(fixture, NULL, sizeof end);
    for (uint32_t i = 0; i < 64; i++)
        chain[i] = gpu_buffer_address(buffer) + (i + 11) % 64 * sizeof *chain;
    must(gpu_buffer_write(buffer, 0, chain, sizeof chain, &err), &err);
    run(fixture, "prelude_pointer",
        &(struct gpu_dispatch){.args = {{.buffer = buffer}, {.buffer = out}}});
    must(gpu_buffer_read(out, 0, &end, sizeof end, &err), &err);
    assert_int_equal((end - gpu_buffer_address(buffer)) / sizeof *chain, 16 * 11 % 64);
}

// ---------------------------------------------------------------- images

static struct gpu_typed *typed_of(struct fixture *fixture, const void *data, uint64_t bytes,
                                  enum gpu_format format)
{
    struct error err;
    struct gpu_typed *typed = gpu_typed_create(fixture->scope, buffer_of(fixture, data, bytes),
                                               format, 0, bytes / gpu_format_bytes(format), &err);
    must(typed, &err);
    return typed;
}

static struct gpu_image *image_of(struct fixture *fixture, struct gpu_image_desc desc,
                                  const void *texels)
{
    struct error err;
    struct gpu_image *image = gpu_image_create(fixture->scope, &desc, &err);
    must(image, &err);
    uint64_t bytes = (uint64_t)desc.width * desc.height * gpu_format_bytes(desc.format);
    if (texels)
        must(gpu_image_write(image, 0, 0, texels, bytes, &err), &err);
    return image;
}

static void check_image_words(const uint32_t *words, uint32_t i, const uint8_t *unorm,
                              const uint32_t *ids)
{
    for (uint32_t channel = 0; channel < 4; channel++) {
        float value;
        memcpy(&value, words + channel, sizeof value);
        assert_float_equal(value, unorm[4 * i + channel] / 255.0f, 1e-6f);
        assert_int_equal(words[4 + channel], ids[4 * i + channel]);
    }
    // texels(i, 1) + ids(i, 1), as bits: both are exact
    assert_int_equal(words[8], float_bits((float)(8 + i)) + 1000 + i);
    // a sample in the middle of 2 × 2 texels is their mean
    float mean;
    memcpy(&mean, words + 12, sizeof mean);
    assert_float_equal(mean, 2.5f, 1.0f / 256);
}

static void textures_are_read_and_written(void **state)
{
    struct fixture *fixture = *state;
    const struct gpu_info *info = gpu_device_info(fixture->device);
    uint8_t unorm[32];
    uint32_t ids[32], image_ids[16], words[8 * 16];
    float texels[16], corners[4] = {1, 2, 3, 4};
    struct error err;
    if (!(info->caps & GPU_CAP(IMAGES)) || !(info->caps & GPU_CAP(TYPED)))
        skip();
    for (uint32_t i = 0; i < 32; i++) {
        unorm[i] = (uint8_t)(i * 7 + 3);
        ids[i] = data_word(i);
    }
    for (uint32_t i = 0; i < 16; i++) {
        texels[i] = (float)i;
        image_ids[i] = 992 + i;
    }
    struct gpu_image_desc row = {.width = 8, .height = 2, .format = GPU_FORMAT_R32_FLOAT};
    struct gpu_image_desc square = {.width = 2, .height = 2, .format = GPU_FORMAT_R32_FLOAT};
    struct gpu_image_desc id_row = {.width = 8, .height = 2, .format = GPU_FORMAT_R32_UINT};
    struct gpu_image_desc written = {
        .width = 8, .height = 1, .format = GPU_FORMAT_RGBA32_FLOAT, .storage = true};
    struct gpu_sampler *sampler = gpu_sampler_create(
        fixture->scope,
        &(struct gpu_sampler_desc){.filter = GPU_FILTER_LINEAR, .wrap = GPU_WRAP_CLAMP}, &err);
    must(sampler, &err);
    struct gpu_buffer *out = buffer_of(fixture, NULL, sizeof words);
    struct gpu_dispatch dispatch = {
        .args = {{.typed = typed_of(fixture, unorm, sizeof unorm, GPU_FORMAT_RGBA8_UNORM)},
                 {.typed = typed_of(fixture, ids, sizeof ids, GPU_FORMAT_RGBA32_UINT)},
                 {.image = image_of(fixture, row, texels)},
                 {.image = image_of(fixture, id_row, image_ids)},
                 {.image = image_of(fixture, square, corners), .sampler = sampler},
                 {.image = image_of(fixture, written, NULL)},
                 {.buffer = out}}};
    run(fixture, "prelude_images", &dispatch);
    must(gpu_buffer_read(out, 0, words, sizeof words, &err), &err);
    for (uint32_t i = 0; i < 8; i++)
        check_image_words(words + 16 * i, i, unorm, ids);
    // What was stored is read back.
    struct gpu_dispatch again = {.args = {dispatch.args[5], {.buffer = out}}};
    run(fixture, "prelude_stored", &again);
    must(gpu_buffer_read(out, 0, words, sizeof words, &err), &err);
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t wanted[4] = {float_bits((float)i), float_bits(1), float_bits(2),
                                    float_bits(3)};
        assert_memory_equal(words + 4 * i, wanted, sizeof wanted);
    }
}

static int check_device(struct gpu_system *system, const struct gpu_info *info)
{
    struct fixture fixture = {0};
    struct error err;
    printf("%s %s\n", info->id, info->name);
    fixture.device = gpu_device_open(system, info, NULL, &err);
    if (!fixture.device) {
        printf("%s\n", err.message);
        return 1;
    }
#define TEST(function)                                                                             \
    cmocka_unit_test_prestate_setup_teardown(function, open_scope, close_scope, &fixture)
    const struct CMUnitTest tests[] = {
        TEST(every_thread_knows_its_place),
        TEST(loads_constants_atomics_and_arithmetic_are_right),
        TEST(addresses_can_be_followed),
        TEST(textures_are_read_and_written),
    };
#undef TEST
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    gpu_device_close(fixture.device);
    return failed;
}

int main(int argc, char **argv)
{
    enum {
        SKIPPED = 77
    };
    struct gpu_system_desc desc = {.only_api = argc > 1 ? argv[1] : NULL};
    struct gpu_system *system = gpu_system_create(&desc);
    int failed = 0;
    size_t count = gpu_system_device_count(system);
    for (size_t i = 0; i < gpu_system_unavailable_count(system); i++)
        printf("%s\n", gpu_system_unavailable(system, i)->reason);
    for (size_t i = 0; i < count; i++)
        failed += check_device(system, gpu_system_info(system, i));
    gpu_system_destroy(system);
    return count ? failed != 0 : SKIPPED;
}
