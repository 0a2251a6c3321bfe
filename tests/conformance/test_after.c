// SPDX-License-Identifier: MIT
// Batches that run after other batches: on two queues if the device has two, otherwise on one.
#include "conformance.h"

#define MS_NS UINT64_C(1000000)

enum {
    WORDS = 16,
    PRODUCED = 7
};

// A second open device, with two queues if it has two. `producer`, on the first queue, writes
// PRODUCED into words. `consumer`, on the second queue, copies words to where the host sees them.
struct relay {
    struct conformance t;
    struct gpu_buffer *words, *seen_buffer;
    volatile uint32_t *seen;
    struct gpu_batch *producer, *consumer;
};

static void open_two_queues(struct conformance *t)
{
    struct error err = {0};
    t->device =
        gpu_device_open(t->system, t->info, &(struct gpu_device_desc){.queue_count = 2}, &err);
    if (!t->device)
        t->device = gpu_device_open(t->system, t->info, NULL, &err);
    assert_done(t->device, &err);
    t->scope = gpu_scope_open(t->device);
}

static struct gpu_queue *second_queue(struct conformance *t)
{
    struct gpu_queue *second = gpu_device_queue(t->device, 1);
    return second ? second : gpu_device_queue(t->device, 0);
}

static struct gpu_batch *make_consumer(struct relay *r, struct conformance *t)
{
    struct gpu_batch *batch = make_batch(t, &(struct gpu_batch_desc){.queue = second_queue(t)});
    gpu_batch_copy(batch, r->seen_buffer, 0, r->words, 0, WORDS * 4);
    end_batch(batch);
    return batch;
}

static struct relay make_relay(const struct conformance *outer)
{
    struct relay r = {.t = *outer};
    open_two_queues(&r.t);
    r.words = make_filled(&r.t, WORDS, 1);
    r.seen_buffer = make_buffer(&r.t, WORDS * 4, GPU_MEMORY_READBACK);
    r.seen = gpu_buffer_map(r.seen_buffer);
    r.seen[0] = 0;
    r.producer = make_batch(&r.t, NULL);
    gpu_batch_fill(r.producer, r.words, 0, WORDS * 4, PRODUCED);
    end_batch(r.producer);
    r.consumer = make_consumer(&r, &r.t);
    return r;
}

static void submit(struct gpu_batch *batch, struct gpu_hold *hold)
{
    struct error err = {0};
    assert_done(gpu_batch_submit(batch, hold, &err), &err);
}

static void submit_after(struct gpu_batch *batch, struct gpu_batch *other)
{
    struct error err = {0};
    struct gpu_submit desc = {.after = {other}, .after_count = 1};
    assert_done(gpu_batch_submit_after(batch, &desc, &err), &err);
}

static void wait_for(struct gpu_batch *batch)
{
    struct error err = {0};
    assert_done(gpu_batch_wait(batch, WAIT_NS, &err), &err);
}

static void the_later_one_sees_what_the_earlier_one_wrote(void **state)
{
    struct relay r = make_relay(*state);
    for (uint32_t round = 0; round < 20; round++) {
        struct error err = {0};
        uint32_t old[WORDS] = {0};
        assert_done(gpu_buffer_write(r.words, 0, old, sizeof old, &err), &err);
        r.seen[WORDS - 1] = 1;
        submit(r.producer, NULL);
        submit_after(r.consumer, r.producer);
        wait_for(r.consumer);
        assert_int_equal(r.seen[WORDS - 1], PRODUCED);
        wait_for(r.producer);
    }
    gpu_device_close(r.t.device);
}

static void it_waits_while_the_other_is_held(void **state)
{
    need(*state, GPU_CAP(HOLDS));
    struct relay r = make_relay(*state);
    struct gpu_hold *hold = make_hold(&r.t);
    struct error err = {0};
    submit(r.producer, hold);
    submit_after(r.consumer, r.producer);
    assert_refused(gpu_batch_wait(r.consumer, 30 * MS_NS, &err), &err, ERROR_TIMEOUT, "0.03 s");
    assert_int_equal(r.seen[0], 0);
    release_hold(hold);
    wait_for(r.consumer); // the host never waited for the producer
    assert_int_equal(r.seen[0], PRODUCED);
    gpu_device_close(r.t.device);
}

static void a_batch_that_is_done_delays_nothing(void **state)
{
    struct relay r = make_relay(*state);
    run_batch(r.producer);
    submit_after(r.consumer, r.producer);
    wait_for(r.consumer);
    assert_int_equal(r.seen[0], PRODUCED);
    gpu_device_close(r.t.device);
}

static void impossible_predecessors_are_refused(void **state)
{
    struct conformance *t = *state;
    struct relay r = make_relay(t);
    struct gpu_batch *foreign = make_batch(t, NULL);
    struct error err = {0};
    struct gpu_submit after = {.after = {r.producer}, .after_count = 1};
    assert_refused(gpu_batch_submit_after(r.consumer, &after, &err), &err, ERROR_INTERNAL,
                   "was not submitted");
    after.after[0] = NULL;
    assert_refused(gpu_batch_submit_after(r.consumer, &after, &err), &err, ERROR_INTERNAL,
                   "batch 0 to wait for is missing");
    after.after[0] = r.consumer;
    assert_refused(gpu_batch_submit_after(r.consumer, &after, &err), &err, ERROR_INTERNAL,
                   "cannot wait for itself");
    end_and_run(foreign);
    after.after[0] = foreign;
    assert_refused(gpu_batch_submit_after(r.consumer, &after, &err), &err, ERROR_INTERNAL,
                   "another device");
    after.after_count = GPU_AFTER_MAX + 1;
    assert_refused(gpu_batch_submit_after(r.consumer, &after, &err), &err, ERROR_INTERNAL,
                   "at most");
    run_batch(r.producer);
    run_batch(r.consumer); // refused calls changed nothing
    gpu_device_close(r.t.device);
}

static void host_copies_behind_a_chain_that_is_held_are_refused(void **state)
{
    need(*state, GPU_CAP(HOLDS));
    struct relay r = make_relay(*state);
    struct gpu_hold *hold = make_hold(&r.t);
    struct gpu_batch *first = make_consumer(&r, &r.t); // on the second queue
    struct error err = {0};
    uint32_t word = 0;
    submit(first, hold);
    submit_after(r.producer, first); // on the queue that host copies use
    assert_refused(gpu_buffer_read(r.words, 0, &word, 4, &err), &err, ERROR_INTERNAL, "held batch");
    release_hold(hold);
    assert_int_equal(read_word(r.words, 0), PRODUCED);
    wait_for(r.producer);
    wait_for(first);
    gpu_device_close(r.t.device);
}

static void closing_the_scope_of_the_later_one_releases_the_chain(void **state)
{
    need(*state, GPU_CAP(HOLDS));
    struct relay r = make_relay(*state);
    struct conformance inner = r.t;
    inner.scope = gpu_scope_open(r.t.device);
    struct gpu_batch *late = make_consumer(&r, &inner);
    submit(r.producer, make_hold(&r.t));
    submit_after(late, r.producer);
    gpu_scope_close(inner.scope);
    assert_int_equal(r.seen[0], PRODUCED);
    wait_for(r.producer);
    gpu_device_close(r.t.device);
}

static void closing_the_scope_of_the_earlier_one_waits_for_the_later(void **state)
{
    need(*state, GPU_CAP(HOLDS));
    struct relay r = make_relay(*state);
    struct conformance inner = r.t;
    struct error err = {0};
    inner.scope = gpu_scope_open(r.t.device);
    struct gpu_batch *early = make_batch(&inner, NULL);
    gpu_batch_fill(early, r.words, 0, WORDS * 4, PRODUCED + 1);
    end_batch(early);
    submit(early, make_hold(&inner));
    submit_after(r.consumer, early);
    gpu_scope_close(inner.scope);
    assert_done(gpu_batch_wait(r.consumer, 0, &err), &err);
    assert_int_equal(r.seen[0], PRODUCED + 1);
    gpu_device_close(r.t.device);
}

static const struct CMUnitTest tests[] = {
    CONFORMANCE_TEST(the_later_one_sees_what_the_earlier_one_wrote),
    CONFORMANCE_TEST(it_waits_while_the_other_is_held),
    CONFORMANCE_TEST(a_batch_that_is_done_delays_nothing),
    CONFORMANCE_TEST(impossible_predecessors_are_refused),
    CONFORMANCE_TEST(host_copies_behind_a_chain_that_is_held_are_refused),
    CONFORMANCE_TEST(closing_the_scope_of_the_later_one_releases_the_chain),
    CONFORMANCE_TEST(closing_the_scope_of_the_earlier_one_waits_for_the_later),
};
const struct suite after_suite = CONFORMANCE_SUITE("batches after others", tests);
