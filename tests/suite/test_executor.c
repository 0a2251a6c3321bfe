// SPDX-License-Identifier: MIT
// How long an executor waits for a worker that never answers. No test waits for a time limit: the
// times that matter are set, and all others are an hour away.
#define _GNU_SOURCE // kill, mkstemp
#include "suite/executor.h"

#include "base/clock.h"
#include "suite/interrupt.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *const silent_worker[] = {"/bin/sh", "-c", "exec sleep 3600", NULL};
static const uint64_t hour_ns = 3600 * NS_PER_S;

struct waiting {
    struct interrupt interrupt;
    void (*then)(struct waiting *waiting); // called when the run says that it waits
    unsigned said;
};

static void say(void *context, const char *device_id)
{
    struct waiting *waiting = context;
    assert_string_equal(device_id, "fake:0");
    waiting->said++;
    waiting->then(waiting);
}

static void second_signal(struct waiting *waiting)
{
    waiting->interrupt.first_ns += hour_ns;
    kill(getpid(), SIGINT);
}

static void time_is_over(struct waiting *waiting)
{
    waiting->interrupt.first_ns -= EXECUTOR_LEAVE_S * NS_PER_S;
}

// Sends a first signal, then asks the worker. `then` is called during the wait.
static void expect_interrupted(void (*then)(struct waiting *waiting))
{
    struct arena *arena = arena_create();
    struct waiting waiting = {.then = then};
    struct watch_finding finding;
    struct error err = {0};
    assert_true(interrupt_init(&waiting.interrupt, &err));
    interrupt_watch(&waiting.interrupt);
    struct executor *executor =
        executor_create(arena, &(struct executor_desc){.device_id = "fake:0",
                                                       .worker_argv = silent_worker,
                                                       .silence_ns = hour_ns,
                                                       .interrupt = &waiting.interrupt,
                                                       .waiting = say,
                                                       .context = &waiting});
    kill(getpid(), SIGTERM);
    assert_false(executor_watch(executor, 0, arena, &finding, &err));
    assert_int_equal(err.code, ERROR_INTERRUPTED);
    assert_int_equal(waiting.said, 1);
    assert_int_equal(executor_losses(executor), 1);
    executor_destroy(executor);
    interrupt_fini(&waiting.interrupt);
    arena_destroy(arena);
}

static void a_second_signal_ends_the_wait_at_once(void **state)
{
    (void)state;
    expect_interrupted(second_signal);
}

static void after_one_signal_the_wait_is_short(void **state)
{
    (void)state;
    expect_interrupted(time_is_over);
}

// Asks the worker for a watch, and expects that it is given up with this error.
static void expect_given_up(const char *const *argv, uint64_t silence_ns, enum error_code code,
                            const char *message)
{
    struct arena *arena = arena_create();
    struct watch_finding finding;
    struct error err = {0};
    struct executor *executor = executor_create(
        arena, &(struct executor_desc){
                   .device_id = "fake:0", .worker_argv = argv, .silence_ns = silence_ns});
    assert_false(executor_watch(executor, 0, arena, &finding, &err));
    assert_int_equal(err.code, code);
    assert_non_null(strstr(err.message, message));
    assert_int_equal(executor_losses(executor), 1);
    executor_destroy(executor);
    arena_destroy(arena);
}

static void a_silent_worker_is_given_up(void **state)
{
    (void)state;
    expect_given_up(silent_worker, NS_PER_MS, ERROR_TIMEOUT, "");
}

// Given a worker whose answer never ends, when it is asked, then it is ended and counts as lost.
static void a_worker_that_babbles_is_ended(void **state)
{
    (void)state;
    static const char *const babbler[] = {"/bin/sh", "-c", "exec 3>&0; yes | tr -d '\\n' >&3",
                                          NULL};
    expect_given_up(babbler, hour_ns, ERROR_INTERNAL, "endless line");
}

// Given an interrupt without signals and a leave time, when it is raised, then a silent worker is
// ended after that time, and nobody is told of the wait. After it is cleared, it works again.
static void an_interrupt_of_its_own_ends_the_wait(void **state)
{
    (void)state;
    struct arena *arena = arena_create();
    struct interrupt interrupt;
    struct watch_finding finding;
    struct error err = {0};
    assert_true(interrupt_init_own(&interrupt, &err));
    struct executor *executor =
        executor_create(arena, &(struct executor_desc){.device_id = "fake:0",
                                                       .worker_argv = silent_worker,
                                                       .silence_ns = hour_ns,
                                                       .leave_ns = 1,
                                                       .interrupt = &interrupt});
    for (int i = 0; i < 2; i++) {
        assert_int_equal(interrupt_count(&interrupt), 0);
        interrupt_raise(&interrupt);
        assert_false(executor_watch(executor, 0, arena, &finding, &err));
        assert_int_equal(err.code, ERROR_INTERRUPTED);
        assert_int_equal(interrupt_count(&interrupt), 1);
        interrupt_raise(&interrupt);
        assert_int_equal(interrupt_count(&interrupt), 2);
        interrupt_clear(&interrupt);
    }
    executor_destroy(executor);
    interrupt_fini(&interrupt);
    arena_destroy(arena);
}

// Given a worker that ends its visit when it is asked to, when the wait is interrupted, then the
// worker keeps running.
static void a_worker_that_leaves_early_stays(void **state)
{
    (void)state;
    static const char *const worker[] = {
        "/bin/sh", "-c",
        "read order; read leave; test \"$leave\" = '{\"leave\":{}}' && "
        "echo '{\"failure\":{\"code\":\"interrupted\",\"message\":\"left\"}}' >&0; "
        "exec sleep 3600",
        NULL};
    struct arena *arena = arena_create();
    struct interrupt interrupt;
    struct watch_finding finding;
    struct error err = {0};
    assert_true(interrupt_init_own(&interrupt, &err));
    struct executor *executor =
        executor_create(arena, &(struct executor_desc){.device_id = "fake:0",
                                                       .worker_argv = worker,
                                                       .silence_ns = hour_ns,
                                                       .leave_ns = hour_ns,
                                                       .interrupt = &interrupt});
    interrupt_raise(&interrupt);
    assert_false(executor_watch(executor, 0, arena, &finding, &err));
    assert_int_equal(err.code, ERROR_INTERRUPTED);
    assert_string_equal(err.message, "left");
    assert_int_equal(executor_losses(executor), 0);
    executor_destroy(executor);
    interrupt_fini(&interrupt);
    arena_destroy(arena);
}

#define MARK_PATTERN "/tmp/fathom-executor-XXXXXX"

// Makes the file by which a worker's script sees that it is the first one: the script removes it.
// `mark` holds MARK_PATTERN, and then the file's name.
static void make_mark(char mark[])
{
    int fd = mkstemp(mark);
    assert_true(fd >= 0);
    close(fd);
}

// Given a worker that dies at its first order, when the next worker answers, then there are 0
// losses in a row, but one loss is remembered: nobody may have asked between the orders.
static void a_loss_is_remembered_after_the_next_answer(void **state)
{
    (void)state;
    char mark[] = MARK_PATTERN;
    make_mark(mark);
    static const char script[] =
        "read order; test -e \"$0\" && rm \"$0\" && exit 3; "
        "echo '{\"failure\":{\"code\":\"unsupported\",\"message\":\"no\"}}' >&0; exec sleep 3600";
    const char *const worker[] = {"/bin/sh", "-c", script, mark, NULL};
    struct arena *arena = arena_create();
    struct watch_finding finding;
    struct error err = {0};
    struct executor *executor =
        executor_create(arena, &(struct executor_desc){.device_id = "fake:0",
                                                       .worker_argv = worker,
                                                       .silence_ns = hour_ns,
                                                       .leave_ns = hour_ns});
    assert_false(executor_watch(executor, 0, arena, &finding, &err));
    assert_int_equal(executor_losses(executor), 1);
    err = (struct error){0};
    assert_false(executor_watch(executor, 0, arena, &finding, &err));
    assert_string_equal(err.message, "no");
    assert_int_equal(executor_losses(executor), 0);
    assert_int_equal(executor_losses_ever(executor), 1);
    executor_destroy(executor);
    arena_destroy(arena);
}

// Given a worker that dies when it compiles programs ahead, when it gets such an order, then the
// visit is made again without these programs, and the number of losses in a row is 0.
static void a_visit_is_made_again_without_the_programs_of_other_cases(void **state)
{
    (void)state;
    static const char *const worker[] = {
        "/bin/sh", "-c",
        "read order; case $order in *ahead*) exit 3;; esac; "
        "echo '{\"failure\":{\"code\":\"unsupported\",\"message\":\"alone\"}}' >&0; "
        "exec sleep 3600",
        NULL};
    const struct bench_case none = {0}, *const ahead[] = {&none};
    const struct measure_request request = {.samples = 1};
    const struct visit_order order = {.benchmark = benchmark_find("sum"),
                                      .bench_case = &none,
                                      .request = &request,
                                      .ahead = ahead,
                                      .ahead_count = 1};
    struct arena *arena = arena_create();
    struct measure_visit *visit;
    struct error err = {0};
    struct executor *executor = executor_create(
        arena, &(struct executor_desc){
                   .device_id = "fake:0", .worker_argv = worker, .silence_ns = hour_ns});
    assert_false(executor_visit(executor, &order, arena, &visit, &err));
    assert_string_equal(err.message, "alone");
    assert_int_equal(executor_losses(executor), 0);
    assert_int_equal(executor_losses_ever(executor), 1);
    executor_destroy(executor);
    arena_destroy(arena);
}

// Given a worker that was lost before, when a visit with programs of other cases fails and no
// worker is lost, then the visit is not made again.
static void a_visit_that_fails_without_a_loss_is_not_made_again(void **state)
{
    (void)state;
    char mark[] = MARK_PATTERN;
    make_mark(mark);
    static const char script[] =
        "read order; test -e \"$0\" && rm \"$0\" && exit 3; for answer in first again; do "
        "echo '{\"failure\":{\"code\":\"unsupported\",\"message\":\"'$answer'\"}}' >&0; "
        "read order; done; exec sleep 3600";
    const char *const worker[] = {"/bin/sh", "-c", script, mark, NULL};
    const struct bench_case none = {0}, *const ahead[] = {&none};
    const struct measure_request request = {.samples = 1};
    const struct visit_order order = {.benchmark = benchmark_find("sum"),
                                      .bench_case = &none,
                                      .request = &request,
                                      .ahead = ahead,
                                      .ahead_count = 1};
    struct arena *arena = arena_create();
    struct measure_visit *visit;
    struct watch_finding finding;
    struct error err = {0};
    struct executor *executor = executor_create(
        arena, &(struct executor_desc){
                   .device_id = "fake:0", .worker_argv = worker, .silence_ns = hour_ns});
    assert_false(executor_watch(executor, 0, arena, &finding, &err));
    assert_int_equal(executor_losses(executor), 1);
    assert_false(executor_visit(executor, &order, arena, &visit, &err));
    assert_string_equal(err.message, "first");
    assert_int_equal(executor_losses(executor), 0);
    executor_destroy(executor);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_signal_ends_the_wait_at_once),
        cmocka_unit_test(after_one_signal_the_wait_is_short),
        cmocka_unit_test(a_silent_worker_is_given_up),
        cmocka_unit_test(a_worker_that_babbles_is_ended),
        cmocka_unit_test(an_interrupt_of_its_own_ends_the_wait),
        cmocka_unit_test(a_worker_that_leaves_early_stays),
        cmocka_unit_test(a_loss_is_remembered_after_the_next_answer),
        cmocka_unit_test(a_visit_is_made_again_without_the_programs_of_other_cases),
        cmocka_unit_test(a_visit_that_fails_without_a_loss_is_not_made_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
