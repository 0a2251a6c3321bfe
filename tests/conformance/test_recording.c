// SPDX-License-Identifier: MIT
// What a batch refuses to record, and with which message. A batch keeps its first error.
#include "conformance.h"

#include "gpu/kernels.h"

static void the_first_error_sticks_until_reset(void **state)
{
    struct conformance *t = *state;
    struct gpu_buffer *words = make_filled(t, 16, 0);
    struct gpu_batch *batch = make_batch(t, NULL);
    struct error err = {0};
    gpu_batch_fill(batch, words, 0, 64, 1);
    gpu_batch_fill(batch, words, 2, 4, 2);   // the first mistake
    gpu_batch_fill(batch, words, 0, 128, 3); // another mistake
    gpu_batch_fill(batch, words, 0, 64, 4);  // a valid fill
    assert_end_refused(batch, ERROR_INTERNAL, "fill of 4 bytes at 2");
    assert_refused(gpu_batch_submit(batch, NULL, &err), &err, ERROR_INTERNAL,
                   "fill of 4 bytes at 2");
    assert_done(gpu_batch_reset(batch, &err), &err);
    gpu_batch_fill(batch, words, 0, 64, 5);
    end_and_run(batch);
    assert_int_equal(read_word(words, 60), 5);
}

static void states_that_do_not_fit_are_refused(void **state)
{
    struct conformance *t = *state;
    struct gpu_buffer *words = make_filled(t, 16, 0);
    struct gpu_batch *batch = make_batch(t, NULL);
    struct error err = {0};
    gpu_batch_fill(batch, words, 0, 64, 1);
    assert_refused(gpu_batch_submit(batch, NULL, &err), &err, ERROR_INTERNAL, "being recorded");
    assert_refused(gpu_batch_wait(batch, 0, &err), &err, ERROR_INTERNAL, "was not submitted");
    end_batch(batch);
    assert_refused(gpu_batch_wait(batch, 0, &err), &err, ERROR_INTERNAL, "was not submitted");
    assert_end_refused(batch, ERROR_INTERNAL, "gpu_batch_end: the batch is ready");
    run_batch(batch);
    assert_done(gpu_batch_wait(batch, 0, &err), &err); // the batch has ended
    gpu_batch_fill(batch, words, 0, 64, 2);
    assert_refused(gpu_batch_submit(batch, NULL, &err), &err, ERROR_INTERNAL,
                   "after the end of its batch");
}

static void capabilities_that_lack_are_named(void **state)
{
    struct conformance *t = *state;
    struct error err = {0};
    if (!(t->info->caps & GPU_CAP(REPLAY)))
        assert_refused(gpu_batch_create(t->scope, &(struct gpu_batch_desc){.replay = true}, &err),
                       &err, ERROR_UNSUPPORTED, "replay");
    if (!(t->info->caps & GPU_CAP(UNORDERED)))
        assert_refused(
            gpu_batch_create(t->scope, &(struct gpu_batch_desc){.unordered = true}, &err), &err,
            ERROR_UNSUPPORTED, "commands may overlap");
    if (!(t->info->caps & GPU_CAP(HOLDS)))
        assert_refused(gpu_hold_create(t->scope, &err), &err, ERROR_UNSUPPORTED,
                       "wait for the host");
    struct gpu_buffer_desc managed = {.bytes = 64, .memory = GPU_MEMORY_MANAGED};
    if (!(t->info->caps & GPU_CAP(MANAGED)))
        assert_refused(gpu_buffer_create(t->scope, &managed, &err), &err, ERROR_UNSUPPORTED,
                       "has no managed");
}

static void copies_are_checked(void **state)
{
    struct conformance *t = *state;
    struct gpu_buffer *a = make_filled(t, 16, 0), *b = make_filled(t, 16, 0);
    static const struct {
        uint64_t to, from, bytes;
        bool same;
        const char *text;
    } cases[] = {
        {0, 0, 0, false, "0 bytes"},
        {4, 0, 64, false, "copy to: bytes 4 to 68"},
        {0, 4, 64, false, "copy from: bytes 4 to 68"},
        {0, 8, 16, true, "overlap"},
        {UINT64_MAX, 0, 4, false, "copy to"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gpu_batch *batch = make_batch(t, NULL);
        gpu_batch_copy(batch, a, cases[i].to, cases[i].same ? a : b, cases[i].from, cases[i].bytes);
        assert_end_refused(batch, ERROR_INTERNAL, cases[i].text);
    }
}

static void fills_are_checked(void **state)
{
    struct conformance *t = *state;
    struct gpu_buffer *words = make_filled(t, 16, 0);
    static const struct {
        uint64_t offset, bytes;
        const char *text;
    } cases[] = {{0, 0, "fill of 0 bytes"},
                 {1, 4, "multiples of 4"},
                 {0, 6, "multiples of 4"},
                 {60, 8, "bytes 60 to 68"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gpu_batch *batch = make_batch(t, NULL);
        gpu_batch_fill(batch, words, cases[i].offset, cases[i].bytes, 0);
        assert_end_refused(batch, ERROR_INTERNAL, cases[i].text);
    }
}

static void refuse_dispatch(struct conformance *t, const struct gpu_dispatch *dispatch,
                            enum error_code code, const char *text)
{
    struct gpu_batch *batch = make_batch(t, NULL);
    gpu_batch_dispatch(batch, dispatch);
    assert_end_refused(batch, code, text);
}

static void arguments_are_checked(void **state)
{
    struct conformance *t = *state;
    struct gpu_program *program = make_program(t, "conf_add");
    struct gpu_buffer *a = make_filled(t, 256, 0), *b = make_filled(t, 256, 0);
    struct gpu_dispatch good = {.program = program,
                                .args = {{.buffer = a}, {.buffer = b}},
                                .params = (uint32_t[]){1, 1},
                                .params_bytes = 8};
    struct gpu_dispatch bad = good;
    bad.program = NULL;
    refuse_dispatch(t, &bad, ERROR_INTERNAL, "program is missing");
    bad = good;
    bad.args[1].buffer = NULL;
    refuse_dispatch(t, &bad, ERROR_INTERNAL, "conf_add, argument 1: buffer is missing");
    bad = good;
    bad.args[0].bytes = 1028;
    refuse_dispatch(t, &bad, ERROR_INTERNAL, "argument 0: bytes 0 to 1028");
    bad = good;
    bad.args[0].offset = 1024;
    refuse_dispatch(t, &bad, ERROR_INTERNAL, "argument 0: bytes 1024");
    if (t->info->limits.storage_align_bytes > 1) {
        bad = good;
        bad.args[0].offset = 1;
        refuse_dispatch(t, &bad, ERROR_INTERNAL, "storage_align_bytes");
    }
    run_dispatch(t, &good);
}

static void params_are_checked(void **state)
{
    struct conformance *t = *state;
    uint32_t params[33] = {0};
    struct gpu_dispatch dispatch = {.program = make_program(t, "conf_params"),
                                    .args = {{.buffer = make_filled(t, 32, 0)}},
                                    .params = params,
                                    .params_bytes = 6};
    refuse_dispatch(t, &dispatch, ERROR_INTERNAL, "6 bytes of params");
    dispatch.params_bytes = (size_t)t->info->limits.params_bytes + 4;
    refuse_dispatch(t, &dispatch, ERROR_UNSUPPORTED, "params_bytes");
    dispatch.params = NULL;
    dispatch.params_bytes = 4;
    refuse_dispatch(t, &dispatch, ERROR_INTERNAL, "4 bytes of params");
}

static void addresses_take_no_length_and_count_as_params(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(ADDRESSES));
    uint32_t params[32] = {0};
    struct gpu_buffer *words = make_filled(t, 16, 0);
    struct gpu_dispatch dispatch = {.program = make_program(t, "conf_address"),
                                    .args = {{.buffer = words, .bytes = 4}, {.buffer = words}}};
    refuse_dispatch(t, &dispatch, ERROR_INTERNAL, "takes no length");
    dispatch.args[0] = (struct gpu_arg){.buffer = words, .offset = 64};
    refuse_dispatch(t, &dispatch, ERROR_INTERNAL, "byte 64 of a buffer of 64 bytes");
    dispatch.args[0].offset = 0;
    dispatch.params = params;
    dispatch.params_bytes =
        (size_t)t->info->limits.params_bytes - 12; // with two addresses: 4 bytes too many
    refuse_dispatch(t, &dispatch, ERROR_UNSUPPORTED, "bytes of addresses and params");
}

static void refuse_foreign_buffer_in_views(struct conformance *t, struct gpu_buffer *foreign)
{
    struct error err = {0};
    if (t->info->caps & GPU_CAP(TYPED))
        assert_refused(gpu_typed_create(t->scope, foreign, GPU_FORMAT_R32_UINT, 0, 16, &err), &err,
                       ERROR_INTERNAL, "typed view: buffer of another device");
    struct gpu_image_desc desc = {.format = GPU_FORMAT_R32_UINT, .width = 4, .height = 4};
    if (t->info->caps & GPU_CAP(IMAGES)) {
        struct gpu_image *image = gpu_image_create(t->scope, &desc, &err);
        assert_done(image, &err);
        assert_refused(gpu_image_copy_from(image, foreign, 0, &err), &err, ERROR_INTERNAL,
                       "gpu_image_copy_from: buffer of another device");
    }
}

static void refuse_foreign_hold(struct conformance *t, struct conformance *other,
                                struct gpu_buffer *own)
{
    struct error err = {0};
    if (!(t->info->caps & GPU_CAP(HOLDS)))
        return;
    struct gpu_batch *batch = make_batch(t, NULL);
    gpu_batch_fill(batch, own, 0, 64, 1);
    end_batch(batch);
    struct gpu_submit behind = {.hold = make_hold(other)};
    assert_refused(gpu_batch_submit(batch, behind.hold, &err), &err, ERROR_INTERNAL,
                   "the hold is of another device");
    assert_refused(gpu_batch_submit_after(batch, &behind, &err), &err, ERROR_INTERNAL,
                   "the hold is of another device");
    run_batch(batch); // refused calls changed nothing
}

static void objects_of_another_device_are_refused(void **state)
{
    struct conformance *t = *state;
    struct conformance other = *t;
    struct error err = {0};
    other.device = gpu_device_open(t->system, t->info, NULL, &err);
    assert_done(other.device, &err);
    other.scope = gpu_scope_open(other.device);
    struct gpu_buffer *foreign = make_filled(&other, 16, 0), *own = make_filled(t, 16, 0);
    refuse_dispatch(t,
                    &(struct gpu_dispatch){.program = make_program(t, "conf_add"),
                                           .args = {{.buffer = own}, {.buffer = foreign}},
                                           .params = (uint32_t[]){1, 1},
                                           .params_bytes = 8},
                    ERROR_INTERNAL, "argument 1: buffer of another device");
    refuse_dispatch(t,
                    &(struct gpu_dispatch){.program = make_program(&other, "conf_ids"),
                                           .args = {{.buffer = own}}},
                    ERROR_INTERNAL, "program of another device");
    struct gpu_batch *batch = make_batch(t, NULL);
    gpu_batch_copy(batch, own, 0, foreign, 0, 4);
    assert_end_refused(batch, ERROR_INTERNAL, "copy from: buffer of another device");
    assert_refused(
        gpu_batch_create(
            t->scope, &(struct gpu_batch_desc){.queue = gpu_device_queue(other.device, 0)}, &err),
        &err, ERROR_INTERNAL, "queue is of another device");
    refuse_foreign_buffer_in_views(t, foreign);
    refuse_foreign_hold(t, &other, own);
    gpu_device_close(other.device);
}

static void spans_are_checked(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(STAMPS_INSIDE));
    static const struct {
        int calls[4]; // n > 0: begin span n − 1; n < 0: end it
        const char *text;
    } cases[] = {
        {{1}, "span 0 was begun, but not ended"},
        {{-1}, "span 0 ends, but was not begun"},
        {{3, -3}, "span 2: the batch was made for 2"},
        {{1, 2}, "span 1 begins inside span 0"},
        {{1, -2}, "span 1 ends, but"},
        {{1, -1, 1, -1}, "span 0 was recorded before"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gpu_batch *batch = make_batch(t, &(struct gpu_batch_desc){.span_count = 2});
        for (size_t call = 0; call < 4; call++) {
            int n = cases[i].calls[call];
            if (n > 0)
                gpu_batch_span_begin(batch, (unsigned)n - 1);
            else if (n < 0)
                gpu_batch_span_end(batch, (unsigned)-n - 1);
        }
        assert_end_refused(batch, ERROR_INTERNAL, cases[i].text);
    }
    struct gpu_batch *none = make_batch(t, &(struct gpu_batch_desc){.span_count = 2});
    gpu_batch_span_end(none, UINT32_MAX); // UINT32_MAX must not mean "no span is open"
    assert_end_refused(none, ERROR_INTERNAL, "ends, but was not begun");
    struct error err = {0};
    assert_refused(gpu_batch_create(t->scope, &(struct gpu_batch_desc){.span_count = 65}, &err),
                   &err, ERROR_INTERNAL, "65 spans");
}

static void span_lengths_need_a_finished_submission(void **state)
{
    struct conformance *t = *state;
    need(t, GPU_CAP(STAMPS_INSIDE));
    struct gpu_batch *batch = make_batch(t, &(struct gpu_batch_desc){.span_count = 2});
    struct error err = {0};
    double ns = -1;
    gpu_batch_span_begin(batch, 0);
    gpu_batch_span_end(batch, 0);
    end_batch(batch);
    assert_refused(gpu_batch_span_ns(batch, 0, &ns, &err), &err, ERROR_INTERNAL,
                   "no submission of the batch is done");
    run_batch(batch);
    assert_done(gpu_batch_span_ns(batch, 0, &ns, &err), &err);
    assert_refused(gpu_batch_span_ns(batch, 1, &ns, &err), &err, ERROR_INTERNAL,
                   "span 1 was not recorded");
}

static const struct CMUnitTest tests[] = {
    CONFORMANCE_TEST(the_first_error_sticks_until_reset),
    CONFORMANCE_TEST(states_that_do_not_fit_are_refused),
    CONFORMANCE_TEST(capabilities_that_lack_are_named),
    CONFORMANCE_TEST(copies_are_checked),
    CONFORMANCE_TEST(fills_are_checked),
    CONFORMANCE_TEST(arguments_are_checked),
    CONFORMANCE_TEST(params_are_checked),
    CONFORMANCE_TEST(addresses_take_no_length_and_count_as_params),
    CONFORMANCE_TEST(objects_of_another_device_are_refused),
    CONFORMANCE_TEST(spans_are_checked),
    CONFORMANCE_TEST(span_lengths_need_a_finished_submission),
};
const struct suite recording_suite = CONFORMANCE_SUITE("recording", tests);
