// SPDX-License-Identifier: MIT
// What a device reports about itself, and the ways to open it.
#include "conformance.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

static void the_info_names_the_device(void **state)
{
    const struct conformance *t = *state;
    char id[sizeof t->info->id];
    snprintf(id, sizeof id, "%s:%u", t->info->api, t->info->index);
    assert_string_equal(t->info->id, id);
    assert_true(t->info->name[0] && t->info->vendor[0] && t->info->driver[0]);
    assert_true(t->info->api_version[0]);
    assert_non_null(gpu_kind_name(t->info->kind));
    assert_ptr_equal(gpu_system_find(t->system, id), t->info);
    assert_ptr_equal(gpu_device_info(t->device), t->info);
    assert_null(gpu_system_find(t->system, "nothing:0"));
    assert_null(gpu_system_info(t->system, gpu_system_device_count(t->system)));
}

static void the_limits_that_benchmarks_divide_by_are_there(void **state)
{
    const struct gpu_info *info = ((const struct conformance *)*state)->info;
    const struct gpu_limits *limits = &info->limits;
    assert_true(limits->memory_bytes >= 64 << 20);
    assert_true(limits->allocation_bytes && limits->allocation_bytes % 4 == 0);
    // 0: the API states no limit.
    assert_true(!limits->storage_range_bytes || limits->storage_range_bytes >= 1 << 20);
    assert_true(limits->params_bytes >= 64 && limits->params_bytes <= GPU_PARAMS_MAX_BYTES);
    assert_true(limits->workgroup_threads >= 64);
    assert_true(!limits->workgroup_count_x || limits->workgroup_count_x >= 65535);
    if (info->caps & GPU_CAP(STAMPS_INSIDE))
        assert_true(limits->stamp_step_ps && limits->stamp_bits);
    if (info->caps & GPU_CAP(SUBGROUPS))
        assert_true(limits->subgroup_threads_min <= limits->subgroup_threads &&
                    limits->subgroup_threads <= limits->subgroup_threads_max);
}

static void one_family_is_universal(void **state)
{
    const struct gpu_info *info = ((const struct conformance *)*state)->info;
    unsigned universal = 0;
    for (unsigned i = 0; i < info->family_count; i++) {
        assert_true(info->families[i].count > 0);
        universal += info->families[i].kind == GPU_QUEUE_UNIVERSAL;
    }
    assert_true(universal >= 1);
}

static void a_missing_capability_is_named(void **state)
{
    const struct conformance *t = *state;
    for (unsigned bit = 0; bit < GPU_CAP_BIT_COUNT; bit++) {
        struct error err = {0};
        gpu_caps cap = (gpu_caps)1 << bit;
        if (t->info->caps & cap)
            assert_true(gpu_require(t->info, cap, &err));
        else
            assert_refused(gpu_require(t->info, cap, &err), &err, ERROR_UNSUPPORTED,
                           gpu_cap_missing((enum gpu_cap_bit)bit));
    }
}

// Opens the device, checks `queue` with a copy and, if possible, a kernel, and closes the device.
static bool try_device(struct conformance *t, const struct gpu_device_desc *desc, unsigned queue,
                       struct error *err)
{
    struct conformance other = *t;
    other.device = gpu_device_open(t->system, t->info, desc, err);
    if (!other.device)
        return false;
    other.scope = gpu_scope_open(other.device);
    assert_non_null(gpu_device_queue(other.device, queue));
    struct gpu_buffer *words = make_filled(&other, 100, 7);
    struct gpu_buffer *copy = make_filled(&other, 100, 0);
    struct gpu_batch *batch = make_batch(
        &other, &(struct gpu_batch_desc){.queue = gpu_device_queue(other.device, queue)});
    gpu_batch_copy(batch, copy, 0, words, 0, 400);
    if (desc->queues[queue].kind != GPU_QUEUE_TRANSFER)
        gpu_batch_dispatch(batch,
                           &(struct gpu_dispatch){.program = make_program(&other, "conf_add"),
                                                  .groups = {groups_of_64(100)},
                                                  .args = {{.buffer = words}, {.buffer = copy}},
                                                  .params = (uint32_t[]){100, 5},
                                                  .params_bytes = 8});
    end_and_run(batch);
    assert_int_equal(read_word(copy, 396), desc->queues[queue].kind != GPU_QUEUE_TRANSFER ? 12 : 7);
    gpu_device_close(other.device); // while the scope is still open
    return true;
}

static bool has_kind(const struct gpu_info *info, enum gpu_queue_kind kind)
{
    for (unsigned i = 0; i < info->family_count; i++)
        if (info->families[i].kind == kind)
            return true;
    return false;
}

static void every_kind_of_queue_works_or_is_refused(void **state)
{
    struct conformance *t = *state;
    for (unsigned kind = 0; kind < GPU_QUEUE_KIND_COUNT; kind++) {
        struct error err = {0};
        struct gpu_device_desc desc = {
            .queues = {{.kind = (enum gpu_queue_kind)kind}, {.kind = GPU_QUEUE_UNIVERSAL}},
            .queue_count = kind == GPU_QUEUE_UNIVERSAL ? 1 : 2};
        bool ok = try_device(t, &desc, 0, &err);
        if (has_kind(t->info, (enum gpu_queue_kind)kind))
            assert_done(ok, &err);
        else
            assert_refused(ok, &err, ERROR_UNSUPPORTED, "queues, not 1");
    }
}

static void the_last_of_many_queues_works(void **state)
{
    struct conformance *t = *state;
    struct gpu_device_desc desc = {0};
    struct error err = {0};
    for (unsigned f = 0; f < t->info->family_count; f++)
        if (t->info->families[f].kind == GPU_QUEUE_UNIVERSAL && !desc.queue_count)
            desc.queue_count = t->info->families[f].count < GPU_QUEUES_MAX
                                   ? t->info->families[f].count
                                   : GPU_QUEUES_MAX;
    assert_done(try_device(t, &desc, desc.queue_count - 1, &err), &err);
}

static void too_many_queues_are_refused(void **state)
{
    struct conformance *t = *state;
    struct error err = {0};
    struct gpu_device_desc desc = {.queue_count = GPU_QUEUES_MAX + 1};
    assert_refused(gpu_device_open(t->system, t->info, &desc, &err), &err, ERROR_INTERNAL,
                   "at most");
}

static void priorities_work_or_are_refused(void **state)
{
    struct conformance *t = *state;
    static const enum gpu_priority priorities[] = {GPU_PRIORITY_LOW, GPU_PRIORITY_HIGH,
                                                   GPU_PRIORITY_REALTIME};
    for (unsigned i = 0; i < 3; i++) {
        struct error err = {0};
        struct gpu_device_desc desc = {.queues = {{.priority = priorities[i]}}, .queue_count = 1};
        if (!try_device(t, &desc, 0, &err))
            assert_refused(false, &err, ERROR_UNSUPPORTED, "priorit");
        else
            assert_true(t->info->caps & GPU_CAP(PRIORITY));
    }
}

static void a_robust_device_works_or_is_refused(void **state)
{
    struct conformance *t = *state;
    struct error err = {0};
    struct gpu_device_desc desc = {.robust = true};
    if (!try_device(t, &desc, 0, &err))
        assert_refused(false, &err, ERROR_UNSUPPORTED, "bounds-checked");
}

static void a_device_of_another_system_is_refused(void **state)
{
    struct conformance *t = *state;
    struct error err = {0};
    struct gpu_system *other =
        gpu_system_create(&(struct gpu_system_desc){.only_api = "no-such-api"});
    assert_int_equal(gpu_system_device_count(other), 0);
    assert_int_equal(gpu_system_unavailable_count(other), 1);
    assert_string_equal(gpu_system_unavailable(other, 0)->api, "no-such-api");
    assert_refused(gpu_device_open(other, t->info, NULL, &err), &err, ERROR_INTERNAL,
                   "not a device of this system");
    gpu_system_destroy(other);
}

static void a_moment_by_both_clocks_lies_within_the_call(void **state)
{
    struct conformance *t = *state;
    struct gpu_calibrated_timestamp moment, later;
    uint64_t before_ns = clock_now_ns();
    if (!gpu_device_calibrated_timestamp(t->device, &moment))
        skip();
    assert_true(moment.host_ns + moment.deviation_ns >= before_ns);
    assert_true(gpu_device_calibrated_timestamp(t->device, &later));
    assert_true(later.host_ns <= clock_now_ns() + later.deviation_ns);
    assert_true(later.device >= moment.device);
}

static const struct CMUnitTest tests[] = {
    CONFORMANCE_TEST(the_info_names_the_device),
    CONFORMANCE_TEST(the_limits_that_benchmarks_divide_by_are_there),
    CONFORMANCE_TEST(one_family_is_universal),
    CONFORMANCE_TEST(a_missing_capability_is_named),
    CONFORMANCE_TEST(every_kind_of_queue_works_or_is_refused),
    CONFORMANCE_TEST(the_last_of_many_queues_works),
    CONFORMANCE_TEST(too_many_queues_are_refused),
    CONFORMANCE_TEST(priorities_work_or_are_refused),
    CONFORMANCE_TEST(a_robust_device_works_or_is_refused),
    CONFORMANCE_TEST(a_device_of_another_system_is_refused),
    CONFORMANCE_TEST(a_moment_by_both_clocks_lies_within_the_call),
};
const struct suite device_suite = CONFORMANCE_SUITE("devices", tests);
