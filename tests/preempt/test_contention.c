// SPDX-License-Identifier: MIT
// What waits where a hog's submission holds the thread that submits its victim too: the loads are
// stood in for, the clock is the host's.
#include "base/clock.h"
#include "bench/preempt/contention.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum {
    SAMPLES = 24,
    AHEAD = 2
};

// What the hog's submission holds the thread for.
static uint64_t held_ns;

bool __wrap_load_prepare(struct load *load, struct error *err);
bool __wrap_load_submit(struct load *load, struct error *err);
bool __wrap_load_feed(struct load *load, uint64_t wait_ns, bool more, struct error *err);
bool __wrap_load_drain(struct load *load, struct error *err);

bool __wrap_load_prepare(struct load *load, struct error *err)
{
    (void)err;
    load->prepared = true;
    return true;
}

bool __wrap_load_submit(struct load *load, struct error *err)
{
    (void)err;
    load->submitted++;
    return true;
}

// A victim is done at once; one submission of the hog is done at each look, and the next one takes
// its place.
bool __wrap_load_feed(struct load *load, uint64_t wait_ns, bool more, struct error *err)
{
    (void)wait_ns;
    (void)err;
    load->finished += load->finished < load->submitted;
    if (!more || load->desc.shape.ahead == 0)
        return true;
    clock_sleep_ns(held_ns);
    load->submitted++;
    return true;
}

bool __wrap_load_drain(struct load *load, struct error *err)
{
    (void)err;
    load->finished = load->submitted;
    return true;
}

static void run_contention(struct contention *result)
{
    struct load hog = {.desc = {.slots = 10000, .shape = {.ahead = AHEAD}}};
    struct load victim = {.desc = {.slots = SAMPLES, .timeout_ns = UINT64_C(1000000000)}};
    const struct contention_desc desc = {.hog = &hog, .victim = &victim, .samples = SAMPLES};
    struct error err;
    assert_true(contention_run(&desc, result, &err));
    assert_in_range(result->count, 1, SAMPLES);
}

static void victims_behind_a_held_thread_are_late(void **state)
{
    (void)state;
    struct contention result;
    held_ns = 3 * CONTENTION_PERIOD_NS;
    run_contention(&result);
    assert_in_range(result.late, result.count / 2 + 1, result.count);
    assert_in_range(result.met, 0, result.count / 2); // though the answers themselves come at once
    assert_in_range(result.count, 1, SAMPLES / 2);
}

// A machine whose processors are busy makes some late.
static void victims_beside_a_free_thread_are_on_time(void **state)
{
    (void)state;
    struct contention result;
    held_ns = 0;
    run_contention(&result);
    assert_in_range(result.late, 0, result.count / 2);
    assert_in_range(result.met, result.count / 2, result.count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(victims_behind_a_held_thread_are_late),
        cmocka_unit_test(victims_beside_a_free_thread_are_on_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
