// SPDX-License-Identifier: MIT
// Images and samplers.
#include "conformance.h"

#include "texels.h"

#include <math.h>
#include <string.h>

enum {
    WIDTH = 37, // no power of two; a row is no multiple of 4 bytes
    HEIGHT = 19,
    TEXELS = WIDTH * HEIGHT
};

// NULL if the device lacks the format; then the error must name the format.
static struct gpu_image *image_or_refusal(struct conformance *t, const struct gpu_image_desc *desc)
{
    struct error err = {0};
    struct gpu_image *image = gpu_image_create(t->scope, desc, &err);
    if (!image) {
        assert_refused(false, &err, ERROR_UNSUPPORTED, gpu_format_name(desc->format));
        print_message("%s\n", err.message);
    }
    return image;
}

static struct gpu_image *make_image(struct conformance *t, const struct gpu_image_desc *desc)
{
    struct error err = {0};
    need(t, GPU_CAP(IMAGES));
    struct gpu_image *image = gpu_image_create(t->scope, desc, &err);
    // Vulkan always has mip levels, cubes and arrays; other APIs may lack them.
    if (!image && err.code == ERROR_UNSUPPORTED && strcmp(t->info->api, "vulkan") != 0) {
        print_message("%s\n", err.message);
        skip();
    }
    assert_done(image, &err);
    return image;
}

static uint32_t *read_texels(struct conformance *t, struct gpu_image *image, enum gpu_format format,
                             uint32_t width, uint32_t height, uint32_t mip)
{
    const char *kernel = texel_is_uint(format) ? "conf_image_uint" : "conf_image_float";
    size_t words = (size_t)width * height * 4;
    struct gpu_buffer *to = make_filled(t, words, 0xdeadbeef);
    run_dispatch(t, &(struct gpu_dispatch){.program = make_program(t, kernel),
                                           .groups = {groups_of_64(words / 4)},
                                           .args = {{.image = image}, {.buffer = to}},
                                           .params = (uint32_t[]){width, height, mip},
                                           .params_bytes = 12});
    return read_words(t, to, 0, words);
}

static void every_format_reads_its_values(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(IMAGES));
    unsigned formats = 0;
    for (unsigned f = 0; f < GPU_FORMAT_RGBA8_SRGB; f++) {
        enum gpu_format format = (enum gpu_format)f;
        struct error err = {0};
        struct gpu_image *image = image_or_refusal(
            t, &(struct gpu_image_desc){.format = format, .width = WIDTH, .height = HEIGHT});
        if (!image)
            continue;
        formats++;
        assert_done(gpu_image_write(image, 0, 0, texel_pattern(t->arena, format, TEXELS),
                                    (uint64_t)TEXELS * gpu_format_bytes(format), &err),
                    &err);
        uint32_t *words = read_texels(t, image, format, WIDTH, HEIGHT, 0);
        for (size_t i = 0; i < TEXELS; i++)
            assert_texel(format, i, words + 4 * i);
    }
    assert_true(formats >= (strcmp(t->info->api, "opencl") == 0 ? 4u : 10u));
}

static void every_format_is_written_by_kernels_or_refused(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(IMAGES));
    for (unsigned f = 0; f < GPU_FORMAT_RGBA8_SRGB; f++) {
        enum gpu_format format = (enum gpu_format)f;
        struct gpu_image *image = image_or_refusal(
            t, &(struct gpu_image_desc){
                   .format = format, .width = WIDTH, .height = HEIGHT, .storage = true});
        if (!image)
            continue;
        const char *kernel = texel_is_uint(format) ? "conf_image_rw_uint" : "conf_image_rw_float";
        run_dispatch(t, &(struct gpu_dispatch){.program = make_program(t, kernel),
                                               .groups = {(WIDTH + 7) / 8, (HEIGHT + 7) / 8},
                                               .args = {{.image = image}},
                                               .params = (uint32_t[]){WIDTH, HEIGHT},
                                               .params_bytes = 8});
        uint32_t *words = read_texels(t, image, format, WIDTH, HEIGHT, 0);
        for (size_t i = 0; i < TEXELS; i++)
            assert_stored(format, i, words + 4 * i);
    }
}

static void mip_levels_are_written_one_by_one(void **state)
{
    struct conformance *t = *state;
    struct gpu_image *image =
        make_image(t, &(struct gpu_image_desc){
                          .format = GPU_FORMAT_R32_UINT, .width = 16, .height = 8, .mips = 5});
    for (uint32_t mip = 0; mip < 5; mip++) {
        uint32_t width = 16u >> mip, height = 8u >> mip ? 8u >> mip : 1, words[16 * 8];
        struct error err = {0};
        for (uint32_t i = 0; i < width * height; i++)
            words[i] = 1000 * mip + i;
        assert_done(gpu_image_write(image, mip, 0, words, (uint64_t)width * height * 4, &err),
                    &err);
    }
    // Without a sampler, OpenCL C reads only level 0.
    uint32_t readable = strcmp(t->info->api, "vulkan") == 0 ? 5 : 1;
    for (uint32_t mip = 0; mip < readable; mip++) {
        uint32_t width = 16u >> mip, height = 8u >> mip ? 8u >> mip : 1;
        uint32_t *words = read_texels(t, image, GPU_FORMAT_R32_UINT, width, height, mip);
        for (uint32_t i = 0; i < width * height; i++)
            assert_int_equal(words[(size_t)4 * i], 1000 * mip + i);
    }
}

// Fills images larger than any staging buffer, from the host and from a device buffer.
static void large_images_are_filled(void **state)
{
    struct conformance *t = *state;
    enum {
        SIDE = 1100
    };
    uint32_t *texels = ARENA_ARRAY(t->arena, (size_t)SIDE * SIDE, uint32_t);
    struct error err = {0};
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        texels[i] = i * 2654435761u;
    struct gpu_image_desc desc = {.format = GPU_FORMAT_R32_UINT, .width = SIDE, .height = SIDE};
    struct gpu_image *by_host = make_image(t, &desc), *by_device = make_image(t, &desc);
    struct gpu_buffer *source = make_words(t, texels, (size_t)SIDE * SIDE);
    assert_done(gpu_image_write(by_host, 0, 0, texels, (uint64_t)SIDE * SIDE * 4, &err), &err);
    assert_done(gpu_image_copy_from(by_device, source, 0, &err), &err);
    uint32_t *a = read_texels(t, by_host, desc.format, SIDE, SIDE, 0);
    uint32_t *b = read_texels(t, by_device, desc.format, SIDE, SIDE, 0);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        assert_int_equal(a[4 * i], texels[i]);
        assert_int_equal(b[4 * i], texels[i]);
    }
}

static void other_shapes_are_read(void **state)
{
    struct conformance *t = *state;
    static const struct {
        const char *kernel;
        struct gpu_image_desc desc;
    } shapes[] = {
        {"conf_shape_1d", {.kind = GPU_IMAGE_1D, .width = 100}},
        {"conf_shape_array", {.kind = GPU_IMAGE_2D, .width = 5, .height = 4, .layers = 3}},
        {"conf_shape_3d", {.kind = GPU_IMAGE_3D, .width = 6, .height = 5, .depth = 4}},
    };
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        struct gpu_image_desc desc = shapes[s].desc;
        desc.format = GPU_FORMAT_R32_UINT;
        struct gpu_image *image = make_image(t, &desc);
        uint32_t height = desc.height ? desc.height : 1, layers = desc.layers ? desc.layers : 1;
        uint32_t depth = desc.depth ? desc.depth : 1, slice = desc.width * height * depth;
        struct error err = {0};
        for (uint32_t layer = 0; layer < layers; layer++) {
            uint32_t words[128];
            for (uint32_t i = 0; i < slice; i++)
                words[i] = 7 * (layer * slice + i);
            assert_done(gpu_image_write(image, 0, layer, words, (uint64_t)slice * 4, &err), &err);
        }
        uint32_t count = slice * layers;
        struct gpu_buffer *to = make_filled(t, count, 0);
        run_dispatch(
            t, &(struct gpu_dispatch){.program = make_program(t, shapes[s].kernel),
                                      .groups = {groups_of_64(count)},
                                      .args = {{.image = image}, {.buffer = to}},
                                      .params = (uint32_t[]){desc.width, height, depth * layers},
                                      .params_bytes = 12});
        uint32_t *seen = read_words(t, to, 0, count);
        for (uint32_t i = 0; i < count; i++)
            assert_int_equal(seen[i], 7 * i);
    }
}

static void a_cube_has_six_faces(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(SAMPLERS));
    struct error err = {0};
    struct gpu_program *program = make_program(t, "conf_shape_cube");
    struct gpu_image *image = make_image(
        t, &(struct gpu_image_desc){
               .kind = GPU_IMAGE_CUBE, .format = GPU_FORMAT_R32_UINT, .width = 3, .height = 3});
    for (uint32_t face = 0; face < 6; face++) {
        uint32_t words[9] = {[4] = face + 50}; // the middle texel
        assert_done(gpu_image_write(image, 0, face, words, sizeof words, &err), &err);
    }
    struct gpu_sampler *sampler =
        gpu_sampler_create(t->scope, &(struct gpu_sampler_desc){.wrap = GPU_WRAP_CLAMP}, &err);
    assert_done(sampler, &err);
    struct gpu_buffer *to = make_filled(t, 6, 0);
    run_dispatch(
        t, &(struct gpu_dispatch){.program = program,
                                  .args = {{.image = image, .sampler = sampler}, {.buffer = to}}});
    for (uint32_t face = 0; face < 6; face++)
        assert_int_equal(read_word(to, (uint64_t)face * 4), face + 50);
}

// ---------------------------------------------------------------- samplers

// Samples a 4 × 4 float image at one place. Texel (x, y) is 10 y + x; the texels of mip 1 are 100.
static float sample(struct conformance *t, const struct gpu_sampler_desc *desc, float u, float v,
                    float lod)
{
    struct error err = {0};
    need(t, GPU_CAP(SAMPLERS));
    struct gpu_program *program = make_program(t, lod > 0 ? "conf_sampled_lod" : "conf_sampled");
    struct gpu_image_desc shape = {
        .format = GPU_FORMAT_R16_FLOAT, .width = 4, .height = 4, .mips = lod > 0 ? 2 : 1};
    struct gpu_image *image = image_or_refusal(t, &shape);
    static const uint16_t halves[16] = {// 0 1 2 3, 10 11 12 13, 20 21 22 23, 30 31 32 33
                                        0x0000, 0x3c00, 0x4000, 0x4200, 0x4900, 0x4980,
                                        0x4a00, 0x4a80, 0x4d00, 0x4d40, 0x4d80, 0x4dc0,
                                        0x4f80, 0x4fc0, 0x5000, 0x5020};
    static const uint16_t hundred[4] = {0x5640, 0x5640, 0x5640, 0x5640};
    if (!image) { // floats are second choice: some devices cannot filter them
        float floats[16];
        for (unsigned i = 0; i < 16; i++) {
            unsigned row = i / 4, column = i % 4;
            floats[i] = (float)(10 * row + column);
        }
        shape.format = GPU_FORMAT_R32_FLOAT;
        image = make_image(t, &shape);
        assert_done(gpu_image_write(image, 0, 0, floats, sizeof floats, &err), &err);
    } else {
        assert_done(gpu_image_write(image, 0, 0, halves, sizeof halves, &err), &err);
    }
    if (lod > 0)
        assert_done(gpu_image_write(image, 1, 0, hundred, sizeof hundred, &err), &err);
    struct gpu_sampler *sampler = gpu_sampler_create(t->scope, desc, &err);
    assert_done(sampler, &err);
    float at[4] = {u, v, lod, 0};
    uint32_t words[4];
    memcpy(words, at, sizeof words);
    struct gpu_buffer *to = make_filled(t, 1, 0);
    run_dispatch(t, &(struct gpu_dispatch){.program = program,
                                           .args = {{.image = image, .sampler = sampler},
                                                    {.buffer = make_words(t, words, 4)},
                                                    {.buffer = to}},
                                           .params = (uint32_t[]){1},
                                           .params_bytes = 4});
    uint32_t word = read_word(to, 0);
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static void assert_sample(struct conformance *t, const struct gpu_sampler_desc *desc, float u,
                          float v, float lod, float expected)
{
    float seen = sample(t, desc, u, v, lod);
    // Known drivers compute filter weights with at least 8 bits after the binary point.
    if (!(fabsf(seen - expected) <= 0.05f))
        fail_msg("at %g, %g, level %g: %g, not %g", (double)u, (double)v, (double)lod, (double)seen,
                 (double)expected);
}

static void nearest_sampling_gives_texels(void **state)
{
    struct conformance *t = *state;
    struct gpu_sampler_desc desc = {.filter = GPU_FILTER_NEAREST, .wrap = GPU_WRAP_CLAMP};
    assert_sample(t, &desc, 0.125f, 0.125f, 0, 0);
    assert_sample(t, &desc, 0.45f, 0.60f, 0, 21);
    assert_sample(t, &desc, 1.60f, -0.3f, 0, 3); // clamped
    desc.wrap = GPU_WRAP_REPEAT;
    assert_sample(t, &desc, 1.60f, -0.3f, 0, 22); // wraps to 0.6, 0.7
}

static void linear_sampling_mixes_neighbours(void **state)
{
    struct conformance *t = *state;
    struct gpu_sampler_desc desc = {.filter = GPU_FILTER_LINEAR, .wrap = GPU_WRAP_CLAMP};
    assert_sample(t, &desc, 0.375f, 0.375f, 0, 11);     // the middle of a texel
    assert_sample(t, &desc, 0.5f, 0.5f, 0, 16.5f);      // between four texels
    assert_sample(t, &desc, 0.3125f, 0.125f, 0, 0.75f); // three quarters of the way
    assert_sample(t, &desc, 0.0f, 0.0f, 0, 0.0f);       // the clamped corner
    desc.wrap = GPU_WRAP_REPEAT;
    assert_sample(t, &desc, 0.0f, 0.0f, 0, 16.5f); // the mean of the four corners
}

static void levels_are_chosen_and_mixed(void **state)
{
    struct conformance *t = *state;
    struct gpu_sampler_desc desc = {.wrap = GPU_WRAP_CLAMP};
    assert_sample(t, &desc, 0.125f, 0.125f, 1.0f, 100);
    assert_sample(t, &desc, 0.125f, 0.125f, 0.25f, 0);
    desc.mip_filter = GPU_FILTER_LINEAR;
    assert_sample(t, &desc, 0.125f, 0.125f, 0.5f, 50);
}

static void anisotropy_works_or_is_refused(void **state)
{
    struct conformance *t = *state;
    struct error err = {0};
    need(t, GPU_CAP(SAMPLERS));
    struct gpu_sampler_desc desc = {
        .filter = GPU_FILTER_LINEAR, .mip_filter = GPU_FILTER_LINEAR, .anisotropy = 4};
    if (!gpu_sampler_create(t->scope, &desc, &err))
        assert_refused(false, &err, ERROR_UNSUPPORTED, "anisotrop");
    desc.anisotropy = 1e6f;
    assert_refused(gpu_sampler_create(t->scope, &desc, &err), &err, ERROR_UNSUPPORTED, "anisotrop");
    desc.anisotropy = -1;
    assert_refused(gpu_sampler_create(t->scope, &desc, &err), &err, ERROR_INTERNAL,
                   "anisotropy -1");
}

// ---------------------------------------------------------------- what is refused

static void shapes_that_cannot_be_are_refused(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(IMAGES));
    static const struct {
        struct gpu_image_desc desc;
        const char *text;
    } cases[] = {
        {{.kind = GPU_IMAGE_1D, .width = 4, .height = 4}, "height must be 1"},
        {{.width = 4, .height = 4, .depth = 2}, "depth must be 1"},
        {{.kind = GPU_IMAGE_3D, .width = 4, .layers = 2}, "layers must be 1"},
        {{.kind = GPU_IMAGE_CUBE, .width = 4, .height = 2}, "square"},
        {{.kind = GPU_IMAGE_CUBE, .width = 4, .height = 4, .layers = 5}, "multiple of 6"},
        {{.width = 8, .height = 8, .mips = 5}, "mip levels"},
        {{.width = 8, .mips = 40}, "mip levels"},
        {{.width = 8, .format = GPU_FORMAT_COUNT}, "format 22"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error err = {0};
        assert_refused(gpu_image_create(t->scope, &cases[i].desc, &err), &err, ERROR_INTERNAL,
                       cases[i].text);
    }
}

static void the_widest_image_works_and_a_wider_one_is_refused(void **state)
{
    struct conformance *t = *state;
    uint32_t most = (uint32_t)t->info->limits.image_2d;
    need(t, GPU_CAP(IMAGES));
    struct gpu_image_desc desc = {.format = GPU_FORMAT_R32_UINT, .width = most};
    struct gpu_image *image = make_image(t, &desc);
    uint32_t *words = ARENA_ARRAY(t->arena, most, uint32_t);
    struct error err = {0};
    for (uint32_t i = 0; i < most; i++)
        words[i] = i + 5;
    assert_done(gpu_image_write(image, 0, 0, words, (uint64_t)most * 4, &err), &err);
    uint32_t *seen = read_texels(t, image, desc.format, most, 1, 0);
    assert_int_equal(seen[(size_t)4 * (most - 1)], most + 4);
    desc.width = most + 1;
    assert_refused(gpu_image_create(t->scope, &desc, &err), &err, ERROR_UNSUPPORTED, "allows");
    desc.width = 4;
    desc.layers = (uint32_t)t->info->limits.image_layers + 1;
    assert_refused(gpu_image_create(t->scope, &desc, &err), &err, ERROR_UNSUPPORTED, "layers");
}

static void uses_that_do_not_fit_are_refused(void **state)
{
    struct conformance *t = *state;
    struct error err = {0};
    uint32_t words[16] = {0};
    struct gpu_image_desc desc = {.format = GPU_FORMAT_R32_UINT, .width = 4, .height = 4};
    struct gpu_image *image = make_image(t, &desc);
    assert_refused(gpu_image_write(image, 1, 0, words, 64, &err), &err, ERROR_INTERNAL, "mip 1");
    assert_refused(gpu_image_write(image, 0, 1, words, 64, &err), &err, ERROR_INTERNAL, "layer 1");
    assert_refused(gpu_image_write(image, 0, 0, words, 60, &err), &err, ERROR_INTERNAL,
                   "which has 64");
    struct gpu_buffer *source = make_filled(t, 16, 0);
    assert_refused(gpu_image_copy_from(image, source, 4, &err), &err, ERROR_INTERNAL,
                   "bytes 4 to 68");
    assert_refused(gpu_image_copy_from(image, source, 2, &err), &err, ERROR_INTERNAL,
                   "multiple of 4");
    struct gpu_batch *batch = make_batch(t, NULL);
    gpu_batch_dispatch(batch,
                       &(struct gpu_dispatch){.program = make_program(t, "conf_image_rw_uint"),
                                              .args = {{.image = image}},
                                              .params = words,
                                              .params_bytes = 8});
    assert_end_refused(batch, ERROR_INTERNAL, "without `storage`");
}

static void integers_are_not_filtered(void **state)
{
    struct conformance *t = *state;
    struct error err = {0};
    need(t, GPU_CAP(SAMPLERS));
    struct gpu_image *image = make_image(
        t, &(struct gpu_image_desc){
               .kind = GPU_IMAGE_CUBE, .format = GPU_FORMAT_R32_UINT, .width = 4, .height = 4});
    struct gpu_sampler *sampler =
        gpu_sampler_create(t->scope, &(struct gpu_sampler_desc){.filter = GPU_FILTER_LINEAR}, &err);
    assert_done(sampler, &err);
    struct gpu_batch *batch = make_batch(t, NULL);
    gpu_batch_dispatch(batch, &(struct gpu_dispatch){.program = make_program(t, "conf_shape_cube"),
                                                     .args = {{.image = image, .sampler = sampler},
                                                              {.buffer = make_filled(t, 6, 0)}}});
    assert_end_refused(batch, ERROR_UNSUPPORTED, "cannot filter r32_uint");
}

static const struct CMUnitTest tests[] = {
    CONFORMANCE_TEST(every_format_reads_its_values),
    CONFORMANCE_TEST(every_format_is_written_by_kernels_or_refused),
    CONFORMANCE_TEST(mip_levels_are_written_one_by_one),
    CONFORMANCE_TEST(large_images_are_filled),
    CONFORMANCE_TEST(other_shapes_are_read),
    CONFORMANCE_TEST(a_cube_has_six_faces),
    CONFORMANCE_TEST(nearest_sampling_gives_texels),
    CONFORMANCE_TEST(linear_sampling_mixes_neighbours),
    CONFORMANCE_TEST(levels_are_chosen_and_mixed),
    CONFORMANCE_TEST(anisotropy_works_or_is_refused),
    CONFORMANCE_TEST(shapes_that_cannot_be_are_refused),
    CONFORMANCE_TEST(the_widest_image_works_and_a_wider_one_is_refused),
    CONFORMANCE_TEST(uses_that_do_not_fit_are_refused),
    CONFORMANCE_TEST(integers_are_not_filtered),
};
const struct suite image_suite = CONFORMANCE_SUITE("images", tests);
