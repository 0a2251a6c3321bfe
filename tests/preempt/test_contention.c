// SPDX-License-Identifier: MIT
// Deadlines beside a hog. Doubles replace the system's clock, the loads and the device, so every
// time is exact. A hog of 100 ms is submitted again and again; each test says how it lets victims
// in.
#include "base/clock.h"
#include "bench/preempt/contention.h"
#include "math/stats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum {
    SAMPLES = 60,
    AHEAD = 2
};

#define MS UINT64_C(1000000)

// The clock that all code below reads, and the device. The hog lets all waiting victims in at the
// same time, and in the order of their submission.
static struct {
    uint64_t now_ns;
    uint64_t hog_ns;    // period at which the hog lets victims in
    uint64_t open_ns;   // how long it lets victims in
    uint64_t victim_ns; // how long a victim takes once it is in
    uint64_t held_ns;   // how long a submission, of hog or victim, blocks its thread
    uint64_t done_ns[SAMPLES];
} world;

int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted,
                           struct timespec *left);
bool __wrap_load_prepare(struct load *load, struct error *err);
bool __wrap_load_submit(struct load *load, struct error *err);
bool __wrap_load_feed(struct load *load, uint64_t wait_ns, bool more, struct error *err);
bool __wrap_load_drain(struct load *load, struct error *err);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    *now = (struct timespec){.tv_sec = (time_t)(world.now_ns / NS_PER_S),
                             .tv_nsec = (long)(world.now_ns % NS_PER_S)};
    return 0;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted,
                           struct timespec *left)
{
    (void)clock, (void)flags, (void)left;
    world.now_ns += (uint64_t)wanted->tv_sec * NS_PER_S + (uint64_t)wanted->tv_nsec;
    return 0;
}

static bool is_hog(const struct load *load)
{
    return load->desc.work.ahead == AHEAD;
}

bool __wrap_load_prepare(struct load *load, struct error *err)
{
    (void)err;
    load->recorded++;
    return true;
}

bool __wrap_load_submit(struct load *load, struct error *err)
{
    (void)err;
    uint64_t phase = world.now_ns % world.hog_ns;
    uint64_t in_ns = phase < world.open_ns ? world.now_ns : world.now_ns - phase + world.hog_ns;
    if (!is_hog(load)) {
        assert_in_range(load->submitted, 0, SAMPLES - 1);
        world.done_ns[load->submitted] = in_ns + world.victim_ns;
    }
    world.now_ns += world.held_ns;
    load->submitted++;
    return true;
}

// At each look, one submission of the hog is done, and the next one takes its place.
static void feed_hog(struct load *hog, bool more, struct error *err)
{
    hog->finished += hog->finished < hog->submitted;
    if (more)
        assert_true(__wrap_load_submit(hog, err));
}

bool __wrap_load_feed(struct load *load, uint64_t wait_ns, bool more, struct error *err)
{
    if (is_hog(load)) {
        feed_hog(load, more, err);
        return true;
    }
    if (load->finished == load->submitted)
        return true;
    uint64_t done_ns = world.done_ns[load->finished], until_ns = world.now_ns + wait_ns;
    if (done_ns > world.now_ns)
        world.now_ns = done_ns < until_ns ? done_ns : until_ns;
    while (load->finished < load->submitted && world.done_ns[load->finished] <= world.now_ns)
        load->finished++;
    return true;
}

bool __wrap_load_drain(struct load *load, struct error *err)
{
    (void)err;
    load->finished = load->submitted;
    return true;
}

static double median_ms(const struct contention *result)
{
    double ns[SAMPLES];
    for (uint32_t i = 0; i < result->count; i++)
        ns[i] = result->answers[i].response_ns;
    return stats_median(ns, result->count) / 1e6;
}

// Runs the victim's thread with deadlines that wait for no answer.
static void arrive(uint64_t patience_ns, struct contention *result)
{
    struct load victim = {.desc = {.slots = SAMPLES, .work = {.ahead = SAMPLES}}};
    struct contention_arrivals arrivals = {.load = &victim,
                                           .samples = SAMPLES,
                                           .first_ns = world.now_ns + CONTENTION_PERIOD_NS,
                                           .patience_ns = patience_ns};
    struct error err;
    *result = (struct contention){0};
    assert_true(contention_arrive(&arrivals, result, &err));
    assert_int_equal(result->due, SAMPLES);
    assert_int_equal(result->count, SAMPLES);
}

static void drop(struct load *hog, struct contention *result)
{
    struct load victim = {
        .desc = {.slots = SAMPLES, .work = {.ahead = 1}, .timeout_ns = 1000 * MS}};
    const struct contention_desc desc = {
        .hog = hog, .victim = &victim, .samples = SAMPLES, .drops = true};
    struct contention_start start;
    struct error err;
    assert_true(contention_start(&desc, &start, &err));
    assert_true(contention_run(&desc, &start, result, NULL, &err));
    assert_in_range(result->count, 1, SAMPLES);
}

// ---------------------------------------------------------------- both loops

// After each of its submissions, the hog lets victims in for 25 ms. A victim then takes 3.65 ms.
static void dropped_deadlines_hide_how_long_the_others_would_have_waited(void **state)
{
    (void)state;
    struct contention open, closed;
    memset(&world, 0, sizeof world);
    world.hog_ns = 100 * MS, world.open_ns = 25 * MS, world.victim_ns = 3650000;
    // Given a thread that waits for each answer, then most answers come while victims get in,
    drop(NULL, &closed);
    assert_true(fabs(median_ms(&closed) - 3.65) < 1e-6);
    assert_true(closed.met < closed.due / 3); // although two of three deadlines are missed.
    // Given deadlines that wait for no answer, then the median takes about a quarter of the hog.
    world.now_ns = 0;
    arrive(1000 * MS, &open);
    assert_in_range((uint64_t)median_ms(&open), 24, 32);
    assert_in_range(open.met, SAMPLES / 5, SAMPLES / 2);
    assert_int_equal(open.answered, SAMPLES);
}

static void a_hog_that_lets_nobody_in_is_waited_for_by_half_on_average(void **state)
{
    (void)state;
    struct contention open;
    memset(&world, 0, sizeof world);
    world.hog_ns = 100 * MS;
    arrive(1000 * MS, &open);
    assert_in_range((uint64_t)median_ms(&open), 40, 60);
    for (uint32_t i = 0; i < open.count; i++) {
        // Deadline i comes at (i + 1) periods, and the answer at the next multiple of 100 ms.
        uint64_t due_ns = (i + 1) * CONTENTION_PERIOD_NS;
        uint64_t wanted_ns = 100 * MS - due_ns % (100 * MS);
        assert_true(open.answers[i].response_ns == (double)wanted_ns);
        assert_false(open.answers[i].censored);
        assert_int_equal(open.answers[i].victim, i);
    }
    assert_int_equal(open.late, 0);
}

// ---------------------------------------------------------------- what is not known

// A hog of 600 ms. Deadlines 32 to 53 find 32 victims pending; those before them are answered at
// 600 ms, those after them at 1200 ms.
static void deadlines_that_find_too_many_pending_are_bounded_by_the_newest(void **state)
{
    (void)state;
    struct contention open;
    memset(&world, 0, sizeof world);
    world.hog_ns = 600 * MS;
    arrive(1000 * MS, &open);
    uint32_t censored = 0;
    for (uint32_t i = 0; i < open.count; i++) {
        uint64_t due_ns = (i + 1) * CONTENTION_PERIOD_NS;
        uint64_t end_ns = due_ns < 600 * MS ? 600 * MS : 1200 * MS;
        bool full = i >= CONTENTION_PENDING_MAX && due_ns < 600 * MS;
        assert_int_equal(open.answers[i].censored, full);
        assert_true(open.answers[i].response_ns == (double)(end_ns - due_ns));
        censored += full;
    }
    assert_int_equal(censored, 22);
    assert_int_equal(open.answered, SAMPLES - censored);
    assert_int_equal(open.met, 0);
}

static void answers_that_do_not_come_are_bounded_by_the_end_of_patience(void **state)
{
    (void)state;
    struct contention open;
    memset(&world, 0, sizeof world);
    world.hog_ns = 100000 * MS;
    arrive(50 * MS, &open);
    assert_int_equal(open.answered, 0);
    uint64_t end_ns = (SAMPLES + 1) * CONTENTION_PERIOD_NS + 50 * MS;
    for (uint32_t i = 0; i < open.count; i++) {
        assert_true(open.answers[i].censored);
        assert_true(open.answers[i].response_ns ==
                    (double)(end_ns - (i + 1) * CONTENTION_PERIOD_NS));
    }
    assert_in_range(world.now_ns, end_ns, end_ns); // and no thread waits longer
}

// ---------------------------------------------------------------- frames

// A hog lets all waiting victims in every 100 ms. A display shows only the newest of them, so eight
// to ten frames a second. Without a hog, it shows all.
static void frames_that_come_together_are_shown_as_one(void **state)
{
    (void)state;
    struct contention open;
    memset(&world, 0, sizeof world);
    world.hog_ns = 100 * MS;
    arrive(1000 * MS, &open);
    assert_in_range((uint64_t)contention_frames(&open), 8, 10);
    memset(&world, 0, sizeof world);
    world.hog_ns = 1, world.open_ns = 1, world.victim_ns = 5 * MS;
    arrive(1000 * MS, &open);
    assert_true(contention_frames(&open) == 90);
}

// Each frame of the actor takes 1.5 periods. So the first of 60 periods shows none, and each frame
// is half a period late.
static void frames_that_come_late_are_shown_all_the_same(void **state)
{
    (void)state;
    struct contention open;
    memset(&world, 0, sizeof world);
    world.hog_ns = 1, world.open_ns = 1, world.victim_ns = CONTENTION_PERIOD_NS * 3 / 2;
    arrive(1000 * MS, &open);
    assert_int_equal(open.met, 0);
    assert_true(contention_frames(&open) == 90.0 * 59 / 60);
    for (uint32_t i = 0; i < open.count; i++)
        assert_in_range((uint64_t)contention_lateness_ns(&open.answers[i]),
                        CONTENTION_PERIOD_NS / 2 - 2, CONTENTION_PERIOD_NS / 2 + 2);
    open.answers[0].response_ns = 1;
    assert_true(contention_lateness_ns(&open.answers[0]) == 0);
}

static void frames_that_were_not_seen_are_not_counted(void **state)
{
    (void)state;
    struct contention open;
    memset(&world, 0, sizeof world);
    world.hog_ns = 100000 * MS;
    arrive(50 * MS, &open);
    assert_true(contention_frames(&open) == 0);
    open.due = 0;
    assert_true(isnan(contention_frames(&open)));
}

// Beside the victim, the application has its own deadlines, a quarter of a period earlier.
static void the_application_comes_a_quarter_of_a_period_before_the_victim(void **state)
{
    (void)state;
    struct contention_start start;
    struct load victim = {.desc = {.slots = SAMPLES, .work = {.ahead = SAMPLES}}};
    const struct contention_desc desc = {.victim = &victim, .samples = SAMPLES, .delay_ns = 7e6};
    struct error err;
    memset(&world, 0, sizeof world);
    world.now_ns = 1000;
    assert_true(contention_start(&desc, &start, &err));
    assert_int_equal(start.victim_ns, 1000 + CONTENTION_PERIOD_NS + 7 * MS);
    assert_int_equal(start.victim_ns - start.application_ns, CONTENTION_PERIOD_NS / 4);
}

// ---------------------------------------------------------------- a busy host

static void victims_whose_submission_takes_long_are_late(void **state)
{
    (void)state;
    struct contention open;
    memset(&world, 0, sizeof world);
    world.hog_ns = 1, world.open_ns = 1;
    world.held_ns = CONTENTION_PERIOD_NS / 4 + 1;
    arrive(50 * MS, &open);
    assert_int_equal(open.late, SAMPLES);
    world.held_ns -= 1;
    arrive(50 * MS, &open);
    assert_int_equal(open.late, 0);
}

// Given a device that answers at once, and a thread that is behind its deadlines and so does not
// look between them, then no deadline finds too many pending.
static void a_thread_that_did_not_look_takes_no_answer_for_pending(void **state)
{
    (void)state;
    struct contention open;
    memset(&world, 0, sizeof world);
    world.hog_ns = 1, world.open_ns = 1;
    world.held_ns = 2 * CONTENTION_PERIOD_NS;
    arrive(1000 * MS, &open);
    assert_int_equal(open.answered, SAMPLES);
    for (uint32_t i = 0; i < open.count; i++)
        assert_false(open.answers[i].censored);
}

static void dropping_victims_behind_a_held_thread_are_late(void **state)
{
    (void)state;
    struct contention result;
    struct load hog = {.desc = {.slots = 10000, .work = {.ahead = AHEAD}}};
    memset(&world, 0, sizeof world);
    world.hog_ns = 1, world.open_ns = 1;
    world.held_ns = 3 * CONTENTION_PERIOD_NS;
    drop(&hog, &result);
    assert_in_range(result.late, result.count / 2 + 1, result.count);
    assert_in_range(result.met, 0, result.count / 2); // although the device answers at once
    hog = (struct load){.desc = hog.desc};
    world.held_ns = 0;
    drop(&hog, &result);
    assert_int_equal(result.late, 0);
    assert_int_equal(result.met, SAMPLES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropped_deadlines_hide_how_long_the_others_would_have_waited),
        cmocka_unit_test(a_hog_that_lets_nobody_in_is_waited_for_by_half_on_average),
        cmocka_unit_test(deadlines_that_find_too_many_pending_are_bounded_by_the_newest),
        cmocka_unit_test(answers_that_do_not_come_are_bounded_by_the_end_of_patience),
        cmocka_unit_test(frames_that_come_together_are_shown_as_one),
        cmocka_unit_test(frames_that_come_late_are_shown_all_the_same),
        cmocka_unit_test(frames_that_were_not_seen_are_not_counted),
        cmocka_unit_test(the_application_comes_a_quarter_of_a_period_before_the_victim),
        cmocka_unit_test(victims_whose_submission_takes_long_are_late),
        cmocka_unit_test(a_thread_that_did_not_look_takes_no_answer_for_pending),
        cmocka_unit_test(dropping_victims_behind_a_held_thread_are_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
