// SPDX-License-Identifier: MIT
// Holds, time-outs, and scopes that close while a batch is in flight.
#include "conformance.h"

#include <string.h>

#define MS_NS UINT64_C(1000000)

// The batch sets word 0 of `buffer` to 1. The host reads this word as *flag.
struct flagged {
    struct gpu_buffer *buffer;
    volatile uint32_t *flag;
    struct gpu_batch *batch;
};

static struct flagged make_flagged(struct conformance *t)
{
    struct flagged f = {.buffer = make_buffer(t, 64, GPU_MEMORY_READBACK)};
    f.flag = gpu_buffer_map(f.buffer);
    *f.flag = 0;
    f.batch = make_batch(t, NULL);
    gpu_batch_fill(f.batch, f.buffer, 0, 64, 1);
    end_batch(f.batch);
    return f;
}

static void submit(struct gpu_batch *batch, struct gpu_hold *hold)
{
    struct error err = {0};
    assert_done(gpu_batch_submit(batch, hold, &err), &err);
}

static void nothing_starts_before_the_release(void **state)
{
    struct conformance *t = *state;
    struct gpu_hold *hold = make_hold(t);
    struct flagged f = make_flagged(t);
    struct error err = {0};
    submit(f.batch, hold);
    sleep_ms(30);
    assert_int_equal(*f.flag, 0);
    release_hold(hold);
    assert_done(gpu_batch_wait(f.batch, WAIT_NS, &err), &err);
    assert_int_equal(*f.flag, 1);
    release_hold(hold); // a second release is legal
}

static void a_released_hold_holds_no_more(void **state)
{
    struct conformance *t = *state;
    struct gpu_hold *hold = make_hold(t);
    struct flagged f = make_flagged(t);
    struct error err = {0};
    release_hold(hold);
    submit(f.batch, hold);
    assert_done(gpu_batch_wait(f.batch, WAIT_NS, &err), &err);
    assert_int_equal(*f.flag, 1);
}

static void waiting_for_a_held_batch_times_out(void **state)
{
    struct conformance *t = *state;
    struct gpu_hold *hold = make_hold(t);
    struct flagged f = make_flagged(t);
    struct error err = {0};
    submit(f.batch, hold);
    uint64_t begin_ns = now_ns();
    assert_refused(gpu_batch_wait(f.batch, 20 * MS_NS, &err), &err, ERROR_TIMEOUT, "0.02 s");
    uint64_t waited_ns = now_ns() - begin_ns;
    assert_true(waited_ns >= 19 * MS_NS);
    assert_refused(gpu_batch_wait(f.batch, 0, &err), &err, ERROR_TIMEOUT, "not done");
    release_hold(hold);
    assert_done(gpu_batch_wait(f.batch, WAIT_NS, &err), &err); // waiting again is legal
    assert_int_equal(*f.flag, 1);
}

static void a_batch_in_flight_is_left_alone(void **state)
{
    struct conformance *t = *state;
    struct gpu_hold *hold = make_hold(t);
    struct flagged f = make_flagged(t);
    struct error err = {0};
    submit(f.batch, hold);
    assert_refused(gpu_batch_submit(f.batch, NULL, &err), &err, ERROR_INTERNAL, "in flight");
    assert_refused(gpu_batch_reset(f.batch, &err), &err, ERROR_INTERNAL, "in flight");
    assert_refused(gpu_batch_end(f.batch, &err), &err, ERROR_INTERNAL, "in flight");
    release_hold(hold);
    assert_done(gpu_batch_wait(f.batch, WAIT_NS, &err), &err);
    *f.flag = 0;
    run_batch(f.batch); // the batch can be used again
    assert_int_equal(*f.flag, 1);
}

static void recording_into_a_batch_in_flight_fails_it_afterwards(void **state)
{
    struct conformance *t = *state;
    struct gpu_hold *hold = make_hold(t);
    struct flagged f = make_flagged(t);
    struct error err = {0};
    submit(f.batch, hold);
    gpu_batch_fill(f.batch, f.buffer, 0, 64, 2);
    // A batch in flight can neither be submitted nor ended, but it can be waited for.
    assert_refused(gpu_batch_submit(f.batch, NULL, &err), &err, ERROR_INTERNAL, "in flight");
    assert_refused(gpu_batch_end(f.batch, &err), &err, ERROR_INTERNAL, "in flight");
    release_hold(hold);
    assert_done(gpu_batch_wait(f.batch, WAIT_NS, &err), &err);
    assert_int_equal(*f.flag, 1);
    assert_refused(gpu_batch_submit(f.batch, NULL, &err), &err, ERROR_INTERNAL,
                   "after the end of its batch");
}

static void one_hold_keeps_several_batches(void **state)
{
    struct conformance *t = *state;
    struct gpu_hold *hold = make_hold(t);
    struct flagged f[3];
    struct error err = {0};
    for (unsigned i = 0; i < 3; i++) {
        f[i] = make_flagged(t);
        submit(f[i].batch, hold);
    }
    sleep_ms(10);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(*f[i].flag, 0);
    release_hold(hold);
    for (unsigned i = 0; i < 3; i++) {
        assert_done(gpu_batch_wait(f[i].batch, WAIT_NS, &err), &err);
        assert_int_equal(*f[i].flag, 1);
    }
}

static void host_copies_behind_a_held_batch_are_refused(void **state)
{
    struct conformance *t = *state;
    struct gpu_hold *hold = make_hold(t);
    struct flagged f = make_flagged(t);
    struct gpu_buffer *words = make_filled(t, 16, 3);
    struct error err = {0};
    uint32_t word = 0;
    submit(f.batch, hold);
    assert_refused(gpu_buffer_read(words, 0, &word, 4, &err), &err, ERROR_INTERNAL, "held batch");
    assert_refused(gpu_buffer_write(words, 0, &word, 4, &err), &err, ERROR_INTERNAL, "held batch");
    release_hold(hold);
    assert_int_equal(read_word(words, 0), 3);
    assert_done(gpu_batch_wait(f.batch, WAIT_NS, &err), &err);
}

static void closing_a_scope_releases_its_holds(void **state)
{
    struct conformance *t = *state, inner = *t;
    size_t before = gpu_device_live_objects(t->device);
    need(t, GPU_CAP(HOLDS));
    inner.scope = gpu_scope_open(t->device);
    submit(make_flagged(&inner).batch, make_hold(&inner));
    gpu_scope_close(inner.scope);
    assert_int_equal(gpu_device_live_objects(t->device), before);
    // If a close waits for held work in vain, it gives up the device. Here the device still works.
    run_batch(make_flagged(t).batch);
}

static void closing_the_scope_of_a_hold_lets_batches_of_others_go(void **state)
{
    struct conformance *t = *state, inner = *t;
    struct error err = {0};
    need(t, GPU_CAP(HOLDS));
    inner.scope = gpu_scope_open(t->device);
    struct flagged f = make_flagged(t);
    submit(f.batch, make_hold(&inner));
    gpu_scope_close(inner.scope);
    assert_done(gpu_batch_wait(f.batch, 0, &err), &err);
    assert_int_equal(*f.flag, 1);
}

static void closing_a_scope_behind_a_hold_of_another_releases_it(void **state)
{
    struct conformance *t = *state, inner = *t;
    struct error err = {0};
    struct gpu_hold *hold = make_hold(t);
    struct flagged f = make_flagged(t);
    submit(f.batch, hold);
    inner.scope = gpu_scope_open(t->device);
    submit(make_flagged(&inner).batch, NULL); // runs after f on the same queue
    gpu_scope_close(inner.scope);
    assert_done(gpu_batch_wait(f.batch, WAIT_NS, &err), &err);
}

static void closing_a_device_with_a_held_batch_does_not_hang(void **state)
{
    struct conformance *t = *state, other = *t;
    struct error err = {0};
    need(t, GPU_CAP(HOLDS));
    other.device = gpu_device_open(t->system, t->info, NULL, &err);
    assert_done(other.device, &err);
    other.scope = gpu_scope_open(other.device);
    submit(make_flagged(&other).batch, make_hold(&other));
    gpu_device_close(other.device);
    gpu_device_close(NULL);
}

static void two_queues_are_held_together(void **state)
{
    struct conformance *t = *state, other = *t;
    struct error err = {0};
    need(t, GPU_CAP(HOLDS));
    struct gpu_device_desc desc = {.queue_count = 2};
    other.device = gpu_device_open(t->system, t->info, &desc, &err);
    if (!other.device) {
        assert_refused(false, &err, ERROR_UNSUPPORTED, "queues, not 2");
        skip();
    }
    other.scope = gpu_scope_open(other.device);
    struct flagged first = make_flagged(&other), second = make_flagged(&other);
    second.batch =
        make_batch(&other, &(struct gpu_batch_desc){.queue = gpu_device_queue(other.device, 1)});
    gpu_batch_fill(second.batch, second.buffer, 0, 64, 1);
    end_batch(second.batch);
    struct gpu_hold *hold = make_hold(&other);
    submit(first.batch, hold);
    submit(second.batch, NULL); // on another queue: need not wait for the first
    assert_done(gpu_batch_wait(second.batch, WAIT_NS, &err), &err);
    assert_true(*second.flag == 1 && *first.flag == 0);
    release_hold(hold);
    assert_done(gpu_batch_wait(first.batch, WAIT_NS, &err), &err);
    gpu_device_close(other.device);
}

static const struct CMUnitTest tests[] = {
    CONFORMANCE_TEST(nothing_starts_before_the_release),
    CONFORMANCE_TEST(a_released_hold_holds_no_more),
    CONFORMANCE_TEST(waiting_for_a_held_batch_times_out),
    CONFORMANCE_TEST(a_batch_in_flight_is_left_alone),
    CONFORMANCE_TEST(recording_into_a_batch_in_flight_fails_it_afterwards),
    CONFORMANCE_TEST(one_hold_keeps_several_batches),
    CONFORMANCE_TEST(host_copies_behind_a_held_batch_are_refused),
    CONFORMANCE_TEST(closing_a_scope_releases_its_holds),
    CONFORMANCE_TEST(closing_the_scope_of_a_hold_lets_batches_of_others_go),
    CONFORMANCE_TEST(closing_a_scope_behind_a_hold_of_another_releases_it),
    CONFORMANCE_TEST(closing_a_device_with_a_held_batch_does_not_hang),
    CONFORMANCE_TEST(two_queues_are_held_together),
};
const struct suite hold_suite = CONFORMANCE_SUITE("holds", tests);
