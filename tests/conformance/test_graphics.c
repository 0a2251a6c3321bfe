// SPDX-License-Identifier: MIT
// Draws: targets, draw programs, passes, and kernels that read what was drawn.
#include "conformance.h"

#include "gpu/graphics.h"
#include "gpu/kernels.h"

#include <string.h>

enum {
    WIDTH = 64,
    HEIGHT = 32,
    PIXELS = WIDTH * HEIGHT
};

struct triangle_params { // of triangle.vert
    float color[4];
    float depth;
    uint32_t flip;
};

struct layers_params { // of layers.vert
    float step[4];
    float farthest, nearer;
};

static struct gpu_target *make_target(struct conformance *t, enum gpu_format format, bool depth)
{
    struct error err = {0};
    need(t, GPU_CAP(GRAPHICS));
    struct gpu_target *target =
        gpu_target_create(t->scope,
                          &(struct gpu_target_desc){
                              .format = format, .width = WIDTH, .height = HEIGHT, .depth = depth},
                          &err);
    assert_done(target, &err);
    return target;
}

struct pair {
    const char *vertex, *fragment;
};

static struct gpu_draw_program *make_draw_program(struct conformance *t, struct pair names,
                                                  struct gpu_draw_program_desc desc)
{
    struct error err = {0};
    desc.vertex = kernel_find(names.vertex);
    desc.fragment = names.fragment ? kernel_find(names.fragment) : NULL;
    struct gpu_draw_program *program = gpu_draw_program_create(t->scope, &desc, &err);
    assert_done(program, &err);
    return program;
}

static struct gpu_batch *make_draws(struct conformance *t)
{
    return make_batch(t, &(struct gpu_batch_desc){.draws = true});
}

// Runs the batch with a copy of the target at its end. Returns the target's pixels as words.
static uint32_t *run_and_read(struct conformance *t, struct gpu_batch *batch,
                              struct gpu_target *target, unsigned words_a_pixel)
{
    size_t count = (size_t)PIXELS * words_a_pixel;
    struct gpu_buffer *copy = make_filled(t, count, 0xdeadbeef);
    gpu_batch_copy_target(batch, copy, 0, target);
    end_and_run(batch);
    return read_words(t, copy, 0, count);
}

static bool in_triangle(unsigned x, unsigned y) // true if the pixel's centre is above the diagonal
{
    return ((float)x + 0.5f) / WIDTH + ((float)y + 0.5f) / HEIGHT < 1.0f;
}

static bool on_edge(unsigned x, unsigned y)
{
    return (2 * x + 1) * HEIGHT + (2 * y + 1) * WIDTH == 2 * WIDTH * HEIGHT;
}

static void assert_triangle(const uint32_t *pixels, uint32_t inside, uint32_t outside)
{
    for (unsigned y = 0; y < HEIGHT; y++)
        for (unsigned x = 0; x < WIDTH; x++)
            if (!on_edge(x, y))
                assert_int_equal(pixels[y * WIDTH + x], in_triangle(x, y) ? inside : outside);
}

static const struct triangle_params red = {.color = {1, 0, 0, 1}, .depth = 0.5f};
static const struct triangle_params red_flipped = {.color = {1, 0, 0, 1}, .depth = 0.5f, .flip = 1};
#define RED UINT32_C(0xff0000ff) // r8g8b8a8 as a little-endian word

static void a_triangle_covers_the_pixels_whose_centres_it_covers(void **state)
{
    struct conformance *t = *state;
    struct gpu_target *target = make_target(t, GPU_FORMAT_RGBA8_UNORM, false);
    struct gpu_draw_program *program =
        make_draw_program(t, (struct pair){"conf_triangle", "conf_color"},
                          (struct gpu_draw_program_desc){.target = target});
    struct gpu_batch *batch = make_draws(t);
    gpu_batch_draw(batch, &(struct gpu_draw){.program = program,
                                             .target = target,
                                             .vertices = 3,
                                             .load = GPU_LOAD_CLEAR,
                                             .params = &red,
                                             .params_bytes = sizeof red});
    assert_triangle(run_and_read(t, batch, target, 1), RED, 0);
    // The second run starts with a target that the first run left.
    run_batch(batch);
}

static void counter_clockwise_triangles_are_culled(void **state)
{
    struct conformance *t = *state;
    struct gpu_target *target = make_target(t, GPU_FORMAT_RGBA8_UNORM, false);
    struct gpu_draw_program *program =
        make_draw_program(t, (struct pair){"conf_triangle", "conf_color"},
                          (struct gpu_draw_program_desc){.target = target, .cull = true});
    const struct triangle_params *const params[] = {&red_flipped, &red};
    const uint32_t seen[] = {0, RED};
    for (unsigned i = 0; i < 2; i++) {
        struct gpu_batch *batch = make_draws(t);
        gpu_batch_draw(batch, &(struct gpu_draw){.program = program,
                                                 .target = target,
                                                 .vertices = 3,
                                                 .load = GPU_LOAD_CLEAR,
                                                 .params = params[i],
                                                 .params_bytes = sizeof red});
        assert_triangle(run_and_read(t, batch, target, 1), seen[i], 0);
    }
}

// The full-screen layers that check_layers draws, and the colour that each pixel must have then.
struct layers {
    struct gpu_draw_program_desc desc;
    struct layers_params params;
    uint32_t instances;
    float expected[4];
};

static void check_layers(struct conformance *t, const struct layers *layers)
{
    struct gpu_target *target =
        make_target(t, GPU_FORMAT_RGBA32_FLOAT, layers->desc.depth != GPU_DEPTH_OFF);
    struct gpu_draw_program_desc desc = layers->desc;
    if (desc.blend != GPU_BLEND_NONE && !gpu_target_blends(target)) {
        print_message("no blending into %s\n", gpu_format_name(GPU_FORMAT_RGBA32_FLOAT));
        skip();
    }
    desc.target = target;
    struct gpu_draw_program *program =
        make_draw_program(t, (struct pair){"conf_layers", "conf_color"}, desc);
    struct gpu_batch *batch = make_draws(t);
    gpu_batch_draw(batch, &(struct gpu_draw){.program = program,
                                             .target = target,
                                             .vertices = 3,
                                             .instances = layers->instances,
                                             .load = GPU_LOAD_CLEAR,
                                             .params = &layers->params,
                                             .params_bytes = sizeof layers->params});
    uint32_t *words = run_and_read(t, batch, target, 4);
    for (size_t i = 0; i < PIXELS; i++)
        assert_memory_equal(words + 4 * i, layers->expected, sizeof layers->expected);
}

static void the_last_of_the_layers_is_seen(void **state)
{
    check_layers(*state, &(struct layers){.params = {.step = {1, 2, 3, 4}},
                                          .instances = 5,
                                          .expected = {5, 10, 15, 20}});
}

static void added_layers_are_summed(void **state)
{
    check_layers(*state, &(struct layers){.desc = {.blend = GPU_BLEND_ADD},
                                          .params = {.step = {1, 2, 3, 4}},
                                          .instances = 4,
                                          .expected = {10, 20, 30, 40}});
}

static void alpha_mixes_new_and_old(void **state)
{
    // alpha 0.25, then 0.5: 8 · 0.25 = 2, then 16 · 0.5 + 2 · 0.5 = 9
    check_layers(*state, &(struct layers){.desc = {.blend = GPU_BLEND_ALPHA},
                                          .params = {.step = {8, 0, 0, 0.25f}},
                                          .instances = 2,
                                          .expected = {9, 0, 0, 0.28125f}});
}

static void what_lies_behind_is_hidden_by_written_depth(void **state)
{
    // Each layer is farther than the one before it, so only the first one is visible.
    check_layers(*state,
                 &(struct layers){.desc = {.depth = GPU_DEPTH_WRITE},
                                  .params = {{1, 2, 3, 4}, .farthest = 0.25f, .nearer = -0.125f},
                                  .instances = 4,
                                  .expected = {1, 2, 3, 4}});
}

static void a_test_without_write_hides_nothing_of_what_comes_later(void **state)
{
    check_layers(*state,
                 &(struct layers){.desc = {.depth = GPU_DEPTH_TEST},
                                  .params = {{1, 2, 3, 4}, .farthest = 0.25f, .nearer = -0.125f},
                                  .instances = 4,
                                  .expected = {4, 8, 12, 16}});
}

static void a_depth_only_draw_leaves_colours_and_hides_what_follows(void **state)
{
    struct conformance *t = *state;
    struct gpu_target *target = make_target(t, GPU_FORMAT_RGBA8_UNORM, true);
    struct gpu_draw_program *depth_only = make_draw_program(
        t, (struct pair){"conf_triangle", NULL},
        (struct gpu_draw_program_desc){.target = target, .depth = GPU_DEPTH_WRITE});
    struct gpu_draw_program *layers = make_draw_program(
        t, (struct pair){"conf_layers", "conf_color"},
        (struct gpu_draw_program_desc){.target = target, .depth = GPU_DEPTH_TEST});
    const struct layers_params behind = {.step = {1, 0, 0, 1}, .farthest = 0.75f};
    struct gpu_batch *batch = make_draws(t);
    gpu_batch_draw(batch, &(struct gpu_draw){.program = depth_only,
                                             .target = target,
                                             .vertices = 3,
                                             .load = GPU_LOAD_CLEAR,
                                             .params = &red,
                                             .params_bytes = sizeof red});
    gpu_batch_draw(batch, &(struct gpu_draw){.program = layers,
                                             .target = target,
                                             .vertices = 3,
                                             .params = &behind,
                                             .params_bytes = sizeof behind});
    assert_triangle(run_and_read(t, batch, target, 1), 0, RED);
}

static void every_format_is_drawn_into_or_refused(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(GRAPHICS));
    unsigned drawn = 0;
    for (unsigned f = 0; f < GPU_FORMAT_COUNT; f++) {
        enum gpu_format format = (enum gpu_format)f;
        struct error err = {0};
        const struct gpu_target_desc desc = {.format = format, .width = WIDTH, .height = HEIGHT};
        struct gpu_target *target = gpu_target_create(t->scope, &desc, &err);
        if (!target) {
            assert_refused(false, &err, ERROR_UNSUPPORTED, gpu_format_name(format));
            continue;
        }
        bool is_uint = strstr(gpu_format_name(format), "uint");
        struct gpu_draw_program *program = make_draw_program(
            t, (struct pair){"conf_triangle", is_uint ? "conf_color_uint" : "conf_color"},
            (struct gpu_draw_program_desc){.target = target});
        struct gpu_batch *batch = make_draws(t);
        gpu_batch_draw(batch, &(struct gpu_draw){.program = program,
                                                 .target = target,
                                                 .vertices = 3,
                                                 .load = GPU_LOAD_CLEAR,
                                                 .params = &red,
                                                 .params_bytes = sizeof red});
        unsigned bytes = gpu_format_bytes(format);
        struct gpu_buffer *copy = make_filled(t, (size_t)PIXELS * 4, 0xdeadbeef);
        gpu_batch_copy_target(batch, copy, 0, target);
        end_and_run(batch);
        const uint8_t *texels = (const uint8_t *)read_words(t, copy, 0, (size_t)PIXELS * 4);
        const uint8_t *lower_right = texels + (size_t)(PIXELS - 1) * bytes;
        assert_memory_not_equal(texels, lower_right, bytes); // the last is not drawn
        drawn++;
    }
    assert_true(drawn >= 8);
}

static void fragments_write_buffers(void **state)
{
    struct conformance *t = *state;
    struct gpu_target *target = make_target(t, GPU_FORMAT_RGBA8_UNORM, false);
    struct gpu_draw_program *program =
        make_draw_program(t, (struct pair){"conf_layers", "conf_count"},
                          (struct gpu_draw_program_desc){.target = target});
    struct gpu_buffer *rows = make_filled(t, HEIGHT, 0);
    const struct layers_params params = {.step = {1, 1, 1, 1}};
    struct gpu_batch *batch = make_draws(t);
    gpu_batch_draw(batch, &(struct gpu_draw){.program = program,
                                             .target = target,
                                             .vertices = 3,
                                             .instances = 3,
                                             .load = GPU_LOAD_DISCARD,
                                             .args = {{.buffer = rows}},
                                             .params = &params,
                                             .params_bytes = sizeof params});
    end_and_run(batch);
    uint32_t *words = read_words(t, rows, 0, HEIGHT);
    for (unsigned y = 0; y < HEIGHT; y++)
        assert_int_equal(words[y], 3 * WIDTH);
}

// Twice in one batch: draws the target, then reads it in a kernel.
static void kernels_read_what_was_drawn(void **state)
{
    struct conformance *t = *state;
    struct gpu_target *target = make_target(t, GPU_FORMAT_RGBA32_FLOAT, false);
    struct gpu_draw_program *program =
        make_draw_program(t, (struct pair){"conf_layers", "conf_color"},
                          (struct gpu_draw_program_desc){.target = target});
    struct gpu_program *read = make_program(t, "conf_image_float");
    struct gpu_batch *batch = make_draws(t);
    struct gpu_buffer *seen[2];
    for (unsigned i = 0; i < 2; i++) {
        const struct layers_params params = {.step = {1, 2, 3, 4}};
        seen[i] = make_filled(t, (size_t)PIXELS * 4, 0);
        gpu_batch_draw(batch, &(struct gpu_draw){.program = program,
                                                 .target = target,
                                                 .vertices = 3,
                                                 .instances = i + 1,
                                                 .load = GPU_LOAD_DISCARD,
                                                 .params = &params,
                                                 .params_bytes = sizeof params});
        gpu_batch_barrier_target(batch, target);
        gpu_batch_barrier_target(batch, target); // a second barrier is legal
        gpu_batch_dispatch(batch,
                           &(struct gpu_dispatch){
                               .program = read,
                               .groups = {groups_of_64(PIXELS)},
                               .args = {{.image = gpu_target_image(target)}, {.buffer = seen[i]}},
                               .params = (uint32_t[]){WIDTH, HEIGHT, 0},
                               .params_bytes = 12});
    }
    end_and_run(batch);
    run_batch(batch);
    for (unsigned i = 0; i < 2; i++) {
        float expected[] = {1, 2, 3, 4};
        for (unsigned c = 0; c < 4; c++)
            expected[c] *= (float)(i + 1);
        uint32_t *words = read_words(t, seen[i], 0, (size_t)PIXELS * 4);
        for (size_t pixel = 0; pixel < PIXELS; pixel++)
            assert_memory_equal(words + 4 * pixel, expected, sizeof expected);
    }
}

static void draws_of_an_unordered_batch_keep_their_order_in_a_pass(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(UNORDERED));
    struct gpu_target *target = make_target(t, GPU_FORMAT_RGBA32_FLOAT, false);
    struct gpu_draw_program *program =
        make_draw_program(t, (struct pair){"conf_layers", "conf_color"},
                          (struct gpu_draw_program_desc){.target = target});
    struct gpu_batch *batch =
        make_batch(t, &(struct gpu_batch_desc){.draws = true, .unordered = true, .span_count = 1});
    gpu_batch_span_begin(batch, 0);
    for (unsigned i = 1; i <= 20; i++) {
        const struct layers_params params = {.step = {(float)i, 0, 0, 1}};
        gpu_batch_draw(batch, &(struct gpu_draw){.program = program,
                                                 .target = target,
                                                 .vertices = 3,
                                                 .load = i == 1 ? GPU_LOAD_CLEAR : GPU_LOAD_KEEP,
                                                 .params = &params,
                                                 .params_bytes = sizeof params});
    }
    gpu_batch_span_end(batch, 0);
    const float expected[] = {20, 0, 0, 1};
    uint32_t *words = run_and_read(t, batch, target, 4);
    for (size_t i = 0; i < PIXELS; i++)
        assert_memory_equal(words + 4 * i, expected, sizeof expected);
    struct error err = {0};
    double ns = 0;
    assert_done(gpu_batch_span_ns(batch, 0, &ns, &err), &err);
    assert_true(ns > 0);
}

static void a_device_without_graphics_says_so(void **state)
{
    struct conformance *t = *state;
    struct error err = {0};
    if (t->info->caps & GPU_CAP(GRAPHICS))
        skip();
    const struct gpu_target_desc desc = {
        .format = GPU_FORMAT_RGBA8_UNORM, .width = WIDTH, .height = HEIGHT};
    assert_refused(gpu_target_create(t->scope, &desc, &err), &err, ERROR_UNSUPPORTED, "graphics");
    assert_refused(gpu_batch_create(t->scope, &(struct gpu_batch_desc){.draws = true}, &err), &err,
                   ERROR_UNSUPPORTED, "graphics");
}

static void wrong_draw_programs_are_refused(void **state)
{
    struct conformance *t = *state;
    struct gpu_target *target = make_target(t, GPU_FORMAT_RGBA32_UINT, false);
    const struct gpu_kernel *vertex = kernel_find("conf_triangle");
    const struct gpu_kernel *fragment = kernel_find("conf_color_uint");
    struct error err = {0};
    struct gpu_draw_program_desc desc = {
        .vertex = fragment, .fragment = fragment, .target = target};
    assert_refused(gpu_draw_program_create(t->scope, &desc, &err), &err, ERROR_INTERNAL,
                   "not a vertex kernel");
    desc.vertex = kernel_find("conf_raygen");
    assert_refused(gpu_draw_program_create(t->scope, &desc, &err), &err, ERROR_INTERNAL,
                   "conf_raygen is not a vertex kernel");
    desc = (struct gpu_draw_program_desc){.vertex = vertex, .fragment = fragment};
    assert_refused(gpu_draw_program_create(t->scope, &desc, &err), &err, ERROR_INTERNAL,
                   "target is missing");
    desc.target = target;
    desc.depth = GPU_DEPTH_TEST;
    assert_refused(gpu_draw_program_create(t->scope, &desc, &err), &err, ERROR_INTERNAL,
                   "without depth");
    desc.depth = GPU_DEPTH_OFF;
    desc.blend = GPU_BLEND_ADD;
    assert_refused(gpu_draw_program_create(t->scope, &desc, &err), &err, ERROR_UNSUPPORTED,
                   "cannot blend into rgba32_uint");
    assert_refused(gpu_program_create(t->scope, &(struct gpu_program_desc){.kernel = vertex}, &err),
                   &err, ERROR_INTERNAL, "is for draws");
}

static void wrong_draws_are_refused(void **state)
{
    struct conformance *t = *state;
    struct gpu_target *target = make_target(t, GPU_FORMAT_RGBA8_UNORM, false);
    struct gpu_target *other = make_target(t, GPU_FORMAT_RGBA8_UNORM, true);
    struct gpu_draw good = {.program =
                                make_draw_program(t, (struct pair){"conf_triangle", "conf_color"},
                                                  (struct gpu_draw_program_desc){.target = target}),
                            .target = target,
                            .vertices = 3,
                            .params = &red,
                            .params_bytes = sizeof red};
    const struct {
        struct gpu_draw_program *program;
        struct gpu_target *target;
        uint32_t vertices;
        const char *text;
    } wrong[] = {
        {NULL, target, 3, "program is missing"},
        {good.program, NULL, 3, "target is missing"},
        {good.program, other, 3, "targets of rgba8_unorm"},
        {good.program, target, 4, "three a triangle"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct gpu_batch *batch = make_draws(t);
        struct gpu_draw draw = good;
        draw.program = wrong[i].program;
        draw.target = wrong[i].target;
        draw.vertices = wrong[i].vertices;
        gpu_batch_draw(batch, &draw);
        assert_end_refused(batch, ERROR_INTERNAL, wrong[i].text);
    }
    struct gpu_batch *plain = make_batch(t, NULL);
    gpu_batch_draw(plain, &good);
    assert_end_refused(plain, ERROR_INTERNAL, "not made for draws");
    struct gpu_batch *small = make_draws(t);
    gpu_batch_copy_target(small, make_filled(t, PIXELS - 1, 0), 0, target);
    assert_end_refused(small, ERROR_INTERNAL, "copy of a target");
}

static const struct CMUnitTest tests[] = {
    CONFORMANCE_TEST(a_triangle_covers_the_pixels_whose_centres_it_covers),
    CONFORMANCE_TEST(counter_clockwise_triangles_are_culled),
    CONFORMANCE_TEST(the_last_of_the_layers_is_seen),
    CONFORMANCE_TEST(added_layers_are_summed),
    CONFORMANCE_TEST(alpha_mixes_new_and_old),
    CONFORMANCE_TEST(what_lies_behind_is_hidden_by_written_depth),
    CONFORMANCE_TEST(a_test_without_write_hides_nothing_of_what_comes_later),
    CONFORMANCE_TEST(a_depth_only_draw_leaves_colours_and_hides_what_follows),
    CONFORMANCE_TEST(every_format_is_drawn_into_or_refused),
    CONFORMANCE_TEST(fragments_write_buffers),
    CONFORMANCE_TEST(kernels_read_what_was_drawn),
    CONFORMANCE_TEST(draws_of_an_unordered_batch_keep_their_order_in_a_pass),
    CONFORMANCE_TEST(a_device_without_graphics_says_so),
    CONFORMANCE_TEST(wrong_draw_programs_are_refused),
    CONFORMANCE_TEST(wrong_draws_are_refused),
};

const struct suite graphics_suite = CONFORMANCE_SUITE("graphics", tests);
