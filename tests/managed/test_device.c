// SPDX-License-Identifier: MIT
// Verifies every way to touch, send and advise managed memory on the device that is there. Tests
// the verification, too, and arrays that do not fit, which are never requested.
#include "bench/managed/session.h"
#include "planned.h"
#include "workbench.h"

#include <string.h>

extern const struct benchmark bench_managed;

enum {
    METRICS = 3,
    SMALL_BYTES = 6 << 20
};

static struct planned planned_of(const struct workbench *bench)
{
    return (struct planned){
        .benchmark = &bench_managed, .arena = bench->session.arena, .info = *bench->session.info};
}

// Visits all cases with small sizes.
static void visit_all(struct workbench *bench, const struct bench_case_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct bench_case *this_case = &list->cases[i];
        for (size_t v = 0; v < this_case->value_count; v++)
            if (strcmp(this_case->values[v].key, "bytes") == 0)
                this_case->values[v].uint = SMALL_BYTES;
        if (!workbench_visit_case(bench, this_case))
            fail_msg("%s: %s", case_key(bench->session.arena, "managed", this_case),
                     bench->err.message);
        bool has_prefetch = case_says(this_case, "pages", "prefetched");
        for (unsigned m = 0; m < METRICS; m++)
            if (bench->seen->metrics[m].count > 0 || m < METRICS - 1 || has_prefetch)
                workbench_samples(bench, m);
    }
}

static void every_way_gives_every_sum(void **state)
{
    struct workbench *bench = *state;
    struct planned planned = planned_of(bench);
    assert_true(plan(&planned, "standard", NULL));
    assert_true(planned.list.count >= 20);
    visit_all(bench, &planned.list);
}

static void rates_from_time_stamps_of_a_wrong_unit_are_suspect(void **state)
{
    struct workbench *bench = *state;
    bench->session.clock.stamps_off = 0.6;
    assert_true(workbench_visit(
        bench, "touch=host/pages=faulted/advise=none/bytes=%d/oversubscribe=0", SMALL_BYTES));
    assert_int_equal(bench->seen->reason_count, 1);
    assert_string_equal(bench->seen->reasons[0].code, "clocks-disagree");
}

static void quick_is_a_handful(void **state)
{
    struct planned planned = planned_of(*state);
    assert_true(plan(&planned, "quick", NULL));
    assert_int_equal(planned.list.count, 4);
}

static struct managed_arrays small_arrays(struct workbench *bench, struct gpu_scope *scope)
{
    struct managed_arrays arrays = {.session = bench->session.state, .scope = scope};
    const struct managed_case this_case = {.bytes = SMALL_BYTES};
    struct error err;
    assert_true(managed_arrays_make(&arrays, &this_case, &err));
    assert_true(managed_arrays_touch(&arrays, true, &err));
    return arrays;
}

static void sums_that_are_wrong_are_a_mismatch(void **state)
{
    struct workbench *bench = *state;
    struct error err;
    struct gpu_scope *scope = gpu_scope_open(bench->session.device);
    struct managed_arrays arrays = small_arrays(bench, scope);
    struct gpu_batch *batch = gpu_batch_create(scope, &(struct gpu_batch_desc){0}, &err);
    assert_non_null(batch);
    managed_arrays_record(&arrays, 1.25, batch);
    assert_true(gpu_batch_end(batch, &err));
    assert_false(managed_arrays_check_device(&arrays, 1.25, &err)); // the batch did not run yet
    assert_int_equal(err.code, ERROR_MISMATCH);
    assert_true(gpu_batch_run(batch, UINT64_C(10000000000), &err));
    assert_true(managed_arrays_check_device(&arrays, 1.25, &err));
    assert_true(managed_arrays_check_host(&arrays, 1.25, &err));
    assert_false(managed_arrays_check_device(&arrays, 1.5, &err));
    assert_false(managed_arrays_check_host(&arrays, 1.5, &err));
    double *sums = gpu_buffer_map(arrays.at[0]);
    sums[2 * arrays.pairs - 1] += 1e-9;
    assert_false(managed_arrays_check_device(&arrays, 1.25, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    gpu_scope_close(scope);
}

static void more_than_is_free_is_not_asked_for(void **state)
{
    struct workbench *bench = *state;
    struct error err;
    struct gpu_scope *scope = gpu_scope_open(bench->session.device);
    uint64_t left = 0;
    assert_true(gpu_managed_free_bytes(bench->session.device, &left, &err));
    struct managed_arrays arrays = {.session = bench->session.state, .scope = scope};
    const struct managed_case this_case = {.bytes = left};
    assert_false(managed_arrays_make(&arrays, &this_case, &err));
    assert_int_equal(err.code, ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(err.message, "the device has"));
    gpu_scope_close(scope);
}

// If more memory is requested than is free, the double of libcuda ends the program.
static void oversubscribed_cases_are_refused_before_anything_is_allocated(void **state)
{
    struct workbench *bench = *state;
    struct planned planned = planned_of(bench);
    const struct bench_case_list *list = &planned.list;
    struct error err;
    uint64_t before = 0, after = 0, whole = bench->session.info->limits.memory_bytes;
    assert_true(plan(&planned, "standard", "oversubscribe=1"));
    assert_true(list->count >= 4);
    assert_true(gpu_managed_free_bytes(bench->session.device, &before, &err));
    for (size_t i = 0; i < list->count; i++) {
        assert_int_equal(case_uint(&list->cases[i], "bytes"), 2 * whole);
        assert_false(workbench_visit_case(bench, &list->cases[i]));
        assert_int_equal(bench->err.code, ERROR_OUT_OF_MEMORY);
        assert_non_null(strstr(bench->err.message, "can hang a GPU"));
    }
    assert_true(gpu_managed_free_bytes(bench->session.device, &after, &err));
    assert_int_equal(before, after);
}

static void what_makes_no_sense_is_refused(void **state)
{
    static const char *const sets[] = {"bytes=1KiB", "oversubscribe=2", "bytes=192GiB"};
    struct planned planned = planned_of(*state);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        assert_false(plan(&planned, "standard", sets[i]));
        assert_int_equal(planned.err.code, ERROR_USAGE);
    }
}

#define EACH(test) WORKBENCH_TEST(bench_managed, test)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(every_way_gives_every_sum),
        EACH(rates_from_time_stamps_of_a_wrong_unit_are_suspect),
        EACH(quick_is_a_handful),
        EACH(sums_that_are_wrong_are_a_mismatch),
        EACH(more_than_is_free_is_not_asked_for),
        EACH(oversubscribed_cases_are_refused_before_anything_is_allocated),
        EACH(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
