// SPDX-License-Identifier: MIT
// Answers of the process beside, as process.h says they are, and malformed ones. This program is
// that process, too: to the line that it gets it sends what the environment says.
#include "bench/preempt/process.h"

#include "base/child_channel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char answer[] = "FATHOM_TEST_ANSWER";

static struct process *process_that_answers(struct arena *arena, const char *text)
{
    static const struct gpu_info device = {.id = "fake:0"};
    struct error err;
    setenv(answer, text, 1);
    struct process *process = process_create(arena, &device, &err);
    assert_non_null(process);
    return process;
}

static bool answers_of(const char *text, struct contention *result, struct error *err)
{
    struct arena *arena = arena_create();
    struct process *process = process_that_answers(arena, text);
    bool read = process_arrive(process, 1, err) && process_answers(process, result, err);
    process_destroy(process);
    arena_destroy(arena);
    return read;
}

static void answers_are_read_whole_or_refused(void **state)
{
    static const struct {
        const char *text, *reason;
    } wrong[] = {{"answers 1 2", "cannot be read"},       {"answers 1 2 3", "cannot be read"},
                 {"answers 1 2 3 4 5", "cannot be read"}, {"answers 1 2 3 4 5 x", "cannot be read"},
                 {"error no memory", "error no memory"},  {"", "the other process: "}};
    struct contention result;
    struct error err;
    (void)state;
    assert_true(answers_of("answers 1 2 3 4e6 0 0 5e6 1 1", &result, &err));
    assert_int_equal(result.count, 2);
    assert_true(result.answers[1].response_ns == 5e6 && result.answers[1].censored);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(answers_of(wrong[i].text, &result, &err));
        assert_int_equal(err.code, ERROR_IO);
        if (!strstr(err.message, wrong[i].reason))
            fail_msg("%s: %s", wrong[i].text, err.message);
    }
}

static bool records_of(const char *text, struct arena *arena, uint32_t *count, struct error *err)
{
    uint64_t base;
    struct load_run *runs;
    struct process *process = process_that_answers(arena, text);
    bool read = process_stop(process, arena, &base, &runs, count, err);
    process_destroy(process);
    return read;
}

static void records_are_read_whole_or_refused(void **state)
{
    static const struct {
        const char *text, *reason;
    } wrong[] = {{"bass 1", "bass 1"},
                 {"base x\nend", "no number: x"},
                 {"base 1\nrun\nend", "a record cannot be read"},
                 {"base 1\nrun 1 2 3\nend", "a record cannot be read"},
                 {"base 1\nrun 1 2 x 4\nend", "a record cannot be read"},
                 {"base 1\nruns", "a record cannot be read"},
                 {"base 1\nfin", "the other process: fin"},
                 {"base 1", "is gone"}};
    struct arena *arena = arena_create();
    struct error err;
    uint32_t count;
    (void)state;
    assert_true(records_of("base 7\nrun 1 2 3 4 5 6 7 8\nrun 1 2 3 4\nend", arena, &count, &err));
    assert_int_equal(count, 2);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(records_of(wrong[i].text, arena, &count, &err));
        assert_int_equal(err.code, ERROR_IO);
        if (!strstr(err.message, wrong[i].reason))
            fail_msg("%s: %s", wrong[i].text, err.message);
    }
    arena_destroy(arena);
}

static int serve(void)
{
    struct child_channel channel;
    struct error err;
    child_channel_init(&channel, STDIN_FILENO);
    bool done =
        child_channel_read(&channel, 100) && child_channel_write(&channel, getenv(answer), &err);
    child_channel_fini(&channel);
    return done ? 0 : 1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_read_whole_or_refused),
        cmocka_unit_test(records_are_read_whole_or_refused),
    };
    if (argc > 1 && strcmp(argv[1], "__beside") == 0)
        return serve();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
