// SPDX-License-Identifier: MIT
#include "measure/rounds.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
    VISITS = 6,
    SAMPLES = 4
};

static const struct metric_info metrics[] = {
    {.name = "bandwidth", .unit = UNIT_BYTE_PER_S, .better = BETTER_HIGHER},
};
static const struct benchmark_info info = {.name = "fake", .metrics = metrics, .metric_count = 1};

struct fixture {
    struct arena *arena;
    struct rounds *rounds;
    struct measure_visit *visits[VISITS];
};

// Six rounds of four samples of 100, ± `noise`; the samples of the first `hit` visits begin
// with 50.
static struct fixture begin(unsigned hit, double noise)
{
    struct fixture f = {.arena = arena_create()};
    f.rounds = rounds_create(f.arena, &info);
    for (unsigned v = 0; v < VISITS; v++) {
        double values[SAMPLES];
        for (unsigned i = 0; i < SAMPLES; i++)
            values[i] = i == 0 && v < hit ? 50 : 100 + ((i + v) % 2 ? noise : -noise);
        f.visits[v] = measure_visit_create(f.arena);
        visit_samples(f.visits[v], 0, values, SAMPLES, 0);
        rounds_add(f.rounds, f.visits[v]);
    }
    return f;
}

static size_t hits_of(struct fixture *f)
{
    return rounds_flag_hits(f->rounds, f->visits, VISITS);
}

static void a_visit_with_a_sample_far_from_the_others_is_hit(void **state)
{
    (void)state;
    struct fixture f = begin(2, 0.5);
    assert_int_equal(hits_of(&f), 2);
    assert_int_equal(f.visits[0]->retake_count, 1);
    assert_string_equal(f.visits[1]->retakes[0].code, "shared-device");
    assert_int_equal(f.visits[2]->retake_count, 0);
    arena_destroy(f.arena);
}

static void a_case_that_is_often_slow_is_not_hit_but_is_so(void **state)
{
    (void)state;
    struct fixture f = begin(4, 0.5);
    assert_int_equal(hits_of(&f), 0);
    arena_destroy(f.arena);
}

static void samples_that_do_not_agree_are_no_witnesses(void **state)
{
    (void)state;
    struct fixture f = begin(1, 20);
    assert_int_equal(hits_of(&f), 0);
    arena_destroy(f.arena);
}

static void quiet_rounds_are_not_hit(void **state)
{
    (void)state;
    struct fixture f = begin(0, 2);
    assert_int_equal(hits_of(&f), 0);
    assert_int_equal(f.rounds->count, VISITS);
    assert_int_equal(f.rounds->metrics[0].samples, VISITS * SAMPLES);
    arena_destroy(f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_visit_with_a_sample_far_from_the_others_is_hit),
        cmocka_unit_test(a_case_that_is_often_slow_is_not_hit_but_is_so),
        cmocka_unit_test(samples_that_do_not_agree_are_no_witnesses),
        cmocka_unit_test(quiet_rounds_are_not_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
