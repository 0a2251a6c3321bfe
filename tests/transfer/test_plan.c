// SPDX-License-Identifier: MIT
// The cases that `transfer` plans.
#include "bench/transfer/session.h"
#include "planned.h"

#include <stdlib.h>
#include <string.h>

extern const struct benchmark bench_transfer;

static int start(void **state)
{
    struct planned *planned = *state = test_calloc(1, sizeof *planned);
    planned->benchmark = &bench_transfer;
    planned->arena = arena_create();
    planned->info = (struct gpu_info){.id = "cuda:0", .api = "cuda", .kind = GPU_KIND_DISCRETE};
    return 0;
}

static int end(void **state)
{
    struct planned *planned = *state;
    arena_destroy(planned->arena);
    test_free(planned);
    return 0;
}

static size_t count_of(const struct planned *planned, const char *key, const char *text)
{
    size_t count = 0;
    for (size_t i = 0; i < planned->list.count; i++) {
        const struct case_value *value = case_find(&planned->list.cases[i], key);
        count += value && strcmp(value->text, text) == 0;
    }
    return count;
}

static void standard_has_every_way_and_says_that_a_device_is_alone(void **state)
{
    struct planned *planned = *state;
    assert_true(plan(planned, "standard", NULL));
    static const char *const directions[] = {"h2d", "d2h", "both", "local"};
    for (size_t i = 0; i < 4; i++)
        assert_true(count_of(planned, "direction", directions[i]) >= 11);
    assert_true(count_of(planned, "memory", "pageable") == 22);
    assert_true(count_of(planned, "mode", "single") == 2);
    assert_true(count_of(planned, "to", "another") >= 1);
    assert_int_equal(count_of(planned, "by", "queue"), 4 * 2);
}

static void quick_is_a_handful(void **state)
{
    struct planned *planned = *state;
    assert_true(plan(planned, "quick", NULL));
    assert_true(planned->list.count <= 12);
    assert_int_equal(count_of(planned, "direction", "peer"), 0);
}

// Given a kind of copy that quick leaves out, when the user asks for it, then quick has it.
static void quick_has_what_a_user_asks_for(void **state)
{
    struct planned *planned = *state;
    assert_true(plan(planned, "quick", "direction=peer"));
    assert_true(count_of(planned, "direction", "peer") >= 1);
    assert_true(plan(planned, "quick", "by=queue"));
    assert_int_equal(count_of(planned, "by", "queue"), 4 + 2); // two are single messages
}

static void what_does_not_fit_becomes_the_largest_that_does(void **state)
{
    struct planned *planned = *state;
    planned->info.limits.memory_bytes = UINT64_C(512) << 20;
    assert_true(plan(planned, "standard", NULL));
    uint64_t most = transfer_bytes_max(&planned->info);
    assert_true(most <= 64 << 20 && (most & (most - 1)) == 0);
    bool has_most = false;
    for (size_t i = 0; i < planned->list.count; i++) {
        uint64_t bytes = case_uint(&planned->list.cases[i], "bytes");
        assert_true(bytes <= most);
        has_most = has_most || bytes == most;
    }
    assert_true(has_most);
}

static void what_a_user_asks_for_stays(void **state)
{
    struct planned *planned = *state;
    planned->info.limits.memory_bytes = UINT64_C(512) << 20;
    assert_true(plan(planned, "standard", "bytes=4GiB"));
    for (size_t i = 0; i < planned->list.count; i++)
        if (!case_find(&planned->list.cases[i], "mode") ||
            strcmp(case_text(&planned->list.cases[i], "mode"), "row") == 0)
            assert_true(case_uint(&planned->list.cases[i], "bytes") == UINT64_C(4) << 30);
}

static void what_makes_no_sense_is_refused(void **state)
{
    static const char *const sets[] = {"bytes=24", "bytes=0", "bytes=64GiB", "message=1"};
    struct planned *planned = *state;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        assert_false(plan(planned, "standard", sets[i]));
        assert_int_equal(planned->err.code, ERROR_USAGE);
    }
}

static void a_device_asks_for_queues_that_only_copy(void **state)
{
    struct gpu_info info = {.families = {{.kind = GPU_QUEUE_UNIVERSAL, .count = 16},
                                         {.kind = GPU_QUEUE_TRANSFER, .count = 1},
                                         {.kind = GPU_QUEUE_COMPUTE, .count = 8}},
                            .family_count = 3};
    struct gpu_device_desc desc = {0};
    (void)state;
    transfer_device(&info, &desc);
    assert_int_equal(desc.queue_count, 3);
    assert_int_equal(desc.queues[1].kind, GPU_QUEUE_TRANSFER);
    assert_int_equal(desc.queues[2].kind, GPU_QUEUE_COMPUTE);
    info.families[0].count = 1;
    info.family_count = 1;
    transfer_device(&info, &desc);
    assert_int_equal(desc.queue_count, 1);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(standard_has_every_way_and_says_that_a_device_is_alone),
        EACH(quick_is_a_handful),
        EACH(quick_has_what_a_user_asks_for),
        EACH(what_does_not_fit_becomes_the_largest_that_does),
        EACH(what_a_user_asks_for_stays),
        EACH(what_makes_no_sense_is_refused),
        EACH(a_device_asks_for_queues_that_only_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
