// SPDX-License-Identifier: MIT
// Each call of the driver fails once. Each time the CUDA backend must end with a clear message,
// release everything and not crash. (Tests that are built with ASan also find errors of memory.)
#include "gpu/cuda/api.h"
#include "gpu/kernels.h"
#include "gpu/managed.h"
#include "gpu/peers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    CALLS_MAX = 2000,
    BUFFER_BYTES = 64 * 1024,
};
static const uint64_t TIMEOUT_NS = UINT64_C(1000000000);

// ---------------------------------------------------------------- everything that a device does

struct things {
    struct gpu_scope *scope;
    struct gpu_buffer *device, *upload, *readback, *managed;
    struct gpu_typed *typed;
    struct gpu_image *image, *stored, *levels;
    struct gpu_sampler *sampler;
    struct gpu_program *ids, *memory, *images;
    struct gpu_hold *hold;
};

static struct gpu_buffer *make_buffer(struct things *things, enum gpu_memory memory,
                                      struct error *err)
{
    struct gpu_buffer_desc desc = {.bytes = BUFFER_BYTES, .memory = memory};
    return gpu_buffer_create(things->scope, &desc, err);
}

static struct gpu_program *make_program(struct things *things, const char *name, unsigned l1,
                                        struct error *err)
{
    struct gpu_program_desc desc = {.kernel = kernel_find(name), .l1_percent = l1};
    return gpu_program_create(things->scope, &desc, err);
}

static bool make_images(struct things *t, struct error *err)
{
    const float texels[4] = {0};
    struct gpu_image_desc desc = {.width = 2, .height = 2, .format = GPU_FORMAT_R32_FLOAT};
    struct gpu_image_desc levels = {
        .width = 2, .height = 2, .mips = 2, .format = GPU_FORMAT_R32_FLOAT};
    struct gpu_image_desc stored = {
        .width = 8, .height = 1, .format = GPU_FORMAT_RGBA32_FLOAT, .storage = true};
    return (t->typed = gpu_typed_create(t->scope, t->device, GPU_FORMAT_RGBA32_UINT, 0, 8, err)) &&
           (t->image = gpu_image_create(t->scope, &desc, err)) &&
           (t->stored = gpu_image_create(t->scope, &stored, err)) &&
           (t->levels = gpu_image_create(t->scope, &levels, err)) &&
           gpu_image_write(t->levels, 1, 0, texels, sizeof *texels, err) &&
           gpu_image_write(t->image, 0, 0, texels, sizeof texels, err) &&
           gpu_image_copy_from(t->image, t->upload, 0, err) &&
           (t->sampler = gpu_sampler_create(t->scope, &(struct gpu_sampler_desc){0}, err));
}

static bool make_things(struct things *t, struct error *err)
{
    const uint32_t word = 7;
    return (t->device = make_buffer(t, GPU_MEMORY_DEVICE, err)) &&
           (t->upload = make_buffer(t, GPU_MEMORY_UPLOAD, err)) &&
           (t->readback = make_buffer(t, GPU_MEMORY_READBACK, err)) &&
           (t->managed = make_buffer(t, GPU_MEMORY_MANAGED, err)) &&
           gpu_managed_advise(t->managed, GPU_MANAGED_PREFER_HOST, err) &&
           gpu_buffer_write(t->device, 0, &word, sizeof word, err) && make_images(t, err) &&
           (t->ids = make_program(t, "prelude_ids", 100, err)) &&
           (t->memory = make_program(t, "prelude_memory", 0, err)) &&
           (t->images = make_program(t, "prelude_images", 0, err)) &&
           (t->hold = gpu_hold_create(t->scope, err));
}

static void record(struct things *t, struct gpu_batch *batch, bool two_constants)
{
    const uint32_t params[2] = {1, 2};
    struct gpu_dispatch ids = {
        .program = t->ids, .groups = {2, 1, 1}, .args = {{.buffer = t->device}}};
    struct gpu_dispatch memory = {.program = t->memory,
                                  .args = {{.buffer = t->device},
                                           {.buffer = t->upload},
                                           {.buffer = t->device, .bytes = 1024}},
                                  .params = params,
                                  .params_bytes = sizeof params};
    struct gpu_dispatch images = {.program = t->images,
                                  .args = {{.typed = t->typed},
                                           {.typed = t->typed},
                                           {.image = t->image},
                                           {.image = t->image},
                                           {.image = t->image, .sampler = t->sampler},
                                           {.image = t->stored},
                                           {.buffer = t->device}}};
    gpu_batch_copy(batch, t->device, 0, t->upload, 0, 4096);
    gpu_batch_span_begin(batch, 0);
    gpu_batch_dispatch(batch, &ids);
    gpu_batch_dispatch(batch, &memory);
    memory.args[2].offset = two_constants ? 1024 : 0;
    gpu_batch_dispatch(batch, &memory);
    gpu_batch_barrier(batch, GPU_BARRIER_MEMORY);
    gpu_batch_dispatch(batch, &images);
    gpu_batch_span_end(batch, 0);
    gpu_batch_fill(batch, t->device, 0, 64, 5);
    gpu_managed_prefetch(batch,
                         &(struct gpu_managed_range){.buffer = t->managed, .bytes = BUFFER_BYTES});
    gpu_batch_copy(batch, t->readback, 0, t->device, 0, 4096);
}

static bool run_batch(struct things *t, const struct gpu_batch_desc *desc, struct gpu_hold *hold,
                      struct error *err)
{
    double ns = 0;
    struct gpu_batch *batch = gpu_batch_create(t->scope, desc, err);
    if (!batch)
        return false;
    record(t, batch, !desc->unordered);
    if (!gpu_batch_end(batch, err) || !gpu_batch_submit(batch, hold, err) ||
        (hold && !gpu_hold_release(hold, err)) || !gpu_batch_wait(batch, TIMEOUT_NS, err) ||
        !gpu_batch_span_ns(batch, 0, &ns, err) || !gpu_batch_reset(batch, err))
        return false;
    record(t, batch, false);
    return gpu_batch_end(batch, err) && gpu_batch_run(batch, TIMEOUT_NS, err);
}

static bool use_device(struct gpu_device *device, struct arena *arena, struct error *err)
{
    uint32_t word = 0;
    struct gpu_program_stats stats;
    struct things things = {.scope = gpu_scope_open(device)};
    bool ok =
        make_things(&things, err) &&
        run_batch(&things, &(struct gpu_batch_desc){.span_count = 1}, things.hold, err) &&
        run_batch(&things, &(struct gpu_batch_desc){.span_count = 1, .unordered = true}, NULL,
                  err) &&
        run_batch(&things,
                  &(struct gpu_batch_desc){
                      .queue = gpu_device_queue(device, 1), .span_count = 1, .replay = true},
                  NULL, err) &&
        run_batch(&things,
                  &(struct gpu_batch_desc){.span_count = 1, .replay = true, .unordered = true},
                  NULL, err) &&
        gpu_program_stats(things.ids, arena, &stats, err) &&
        gpu_buffer_read(things.device, 0, &word, sizeof word, err);
    gpu_scope_close(things.scope);
    assert_int_equal(gpu_device_live_objects(device), 0);
    return ok;
}

// The device of the buffer counts as lost, without another call of the driver.
static void assert_known_lost(struct gpu_buffer *buffer)
{
    const uint32_t word = 7;
    struct error err;
    assert_false(gpu_buffer_write(buffer, 0, &word, sizeof word, &err));
    assert_non_null(strstr(err.message, "was lost"));
}

// Copies to the second device; the first device makes the copy.
static bool use_pair(struct gpu_device *first, struct gpu_device *second, struct error *err)
{
    bool direct = false;
    uint64_t left = 0;
    struct things here = {.scope = gpu_scope_open(first)},
                  there = {.scope = gpu_scope_open(second)};
    struct gpu_buffer *from = make_buffer(&here, GPU_MEMORY_DEVICE, err);
    struct gpu_buffer *to = from ? make_buffer(&there, GPU_MEMORY_DEVICE, err) : NULL;
    bool ready = to && gpu_managed_free_bytes(second, &left, err);
    bool ok = ready && gpu_peers_connect(first, second, &direct, err);
    if (ready && !ok && err->code == ERROR_DEVICE_LOST)
        assert_known_lost(to);
    struct gpu_batch *batch =
        ok ? gpu_batch_create(here.scope, &(struct gpu_batch_desc){0}, err) : NULL;
    if (batch)
        gpu_peers_copy(batch, &(struct gpu_peers_copy){.to = to, .from = from, .bytes = 4096});
    ok = batch && gpu_batch_end(batch, err) && gpu_batch_run(batch, TIMEOUT_NS, err);
    gpu_scope_close(here.scope);
    gpu_scope_close(there.scope);
    return ok;
}

static bool use_second(struct gpu_system *system, struct gpu_device *first, struct error *err)
{
    if (gpu_system_device_count(system) < 2)
        return error_set(err, ERROR_NO_DEVICE, "%s", gpu_system_unavailable(system, 0)->reason);
    struct gpu_device *second = gpu_device_open(system, gpu_system_info(system, 1), NULL, err);
    bool ok = second && use_pair(first, second, err);
    gpu_device_close(second);
    return ok;
}

static bool use_system(struct gpu_system *system, struct error *err)
{
    struct gpu_device_desc desc = {.queues = {{0}, {.priority = GPU_PRIORITY_HIGH}},
                                   .queue_count = 2};
    if (gpu_system_device_count(system) == 0)
        return error_set(err, ERROR_NO_DEVICE, "%s", gpu_system_unavailable(system, 0)->reason);
    struct gpu_device *device = gpu_device_open(system, gpu_system_info(system, 0), &desc, err);
    if (!device)
        return false;
    struct arena *arena = arena_create();
    bool ok = use_device(device, arena, err) && use_second(system, device, err);
    // An object that could not be created for lack of memory can be created later.
    struct error later;
    if (!ok && err->code == ERROR_OUT_OF_MEMORY && strstr(err->message, "Create") &&
        !use_device(device, arena, &later))
        fail_msg("after %s: %s", err->message, later.message);
    arena_destroy(arena);
    gpu_device_close(device);
    return ok;
}

// ---------------------------------------------------------------- each call fails once

static void set(const char *name, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    setenv(name, text, 1);
}

static int get(const char *name)
{
    const char *text = getenv(name);
    return text ? (int)strtol(text, NULL, 10) : -1;
}

// True for calls whose failure need not be reported: calls that release something, and queries of
// facts about a device that the backend can do without.
static bool may_be_silent(const char *function)
{
    static const char *const parts[] = {"Destroy", "Free",         "Unload",
                                        "Release", "GetAttribute", "GetName",
                                        "GetUuid", "TotalMem",     "SetCurrent"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(function, parts[i]))
            return true;
    return false;
}

static void check_outcome(int call, int result, bool ok, const struct error *err)
{
    const char *failed = getenv("FAKE_CUDA_FAILED");
    if (get("FAKE_CUDA_LEAKS") != 0)
        fail_msg("call %d (%s) fails: %d objects not given back", call, failed,
                 get("FAKE_CUDA_LEAKS"));
    if (ok) {
        if (*failed && !may_be_silent(failed))
            fail_msg("call %d (%s) fails: nothing was said", call, failed);
        return;
    }
    const char *name = result == 2 ? "CUDA_ERROR_OUT_OF_MEMORY 2" : "CUDA_ERROR_FAKE";
    // A missing attribute can make the device look too old; the message then says so.
    if (!strstr(err->message, name) && !may_be_silent(failed))
        fail_msg("call %d (%s) fails: the message does not tell: %s", call, failed, err->message);
    if (result == 719 && !may_be_silent(failed) && err->code != ERROR_DEVICE_LOST &&
        err->code != ERROR_NO_DEVICE)
        fail_msg("call %d (%s) breaks the context: code %s: %s", call, failed,
                 error_code_name(err->code), err->message);
}

static void fail_each_call(int result)
{
    int calls = CALLS_MAX;
    for (int call = 0; call <= calls; call++) { // call 0: no call fails
        struct error err = {0};
        set("FAKE_CUDA_DEVICES", 2);
        set("FAKE_CUDA_FAIL_CALL", call);
        set("FAKE_CUDA_FAIL_RESULT", result);
        struct gpu_system *system =
            gpu_system_create(&(struct gpu_system_desc){.only_api = "cuda"});
        bool ok = use_system(system, &err);
        gpu_system_destroy(system);
        if (call == 0) {
            if (!ok)
                fail_msg("without a failure: %s", err.message);
            calls = get("FAKE_CUDA_CALLS");
            assert_in_range(calls, 200, CALLS_MAX);
        }
        check_outcome(call, result, ok, &err);
    }
}

static void each_call_that_is_out_of_memory_is_told_and_cleaned_up(void **state)
{
    (void)state;
    fail_each_call(2);
}

static void each_call_that_loses_the_device_is_told_and_cleaned_up(void **state)
{
    (void)state;
    fail_each_call(719);
}

static void each_call_that_is_refused_is_told_and_cleaned_up(void **state)
{
    (void)state;
    fail_each_call(1);
}

// A worker ends when its device is lost. So only errors that break the context may count as a lost
// device.
static void only_errors_that_break_the_context_lose_the_device(void **state)
{
    (void)state;
    static const struct {
        int result;
        enum error_code code;
    } cases[] = {
        {214, ERROR_DEVICE_LOST}, // uncorrectable memory error
        {226, ERROR_DEVICE_LOST}, // a memory error that was contained
        {700, ERROR_DEVICE_LOST}, // illegal address
        {701, ERROR_UNSUPPORTED}, // launch out of resources
        {702, ERROR_DEVICE_LOST}, // launch timed out
        {703, ERROR_INTERNAL},    // incompatible texturing
        {705, ERROR_INTERNAL},    // peer access not enabled
        {708, ERROR_INTERNAL},    // primary context active
        {709, ERROR_DEVICE_LOST}, // context is destroyed
        {710, ERROR_DEVICE_LOST}, // assert
        {711, ERROR_INTERNAL},    // too many peers
        {713, ERROR_INTERNAL},    // host memory not registered
        {714, ERROR_DEVICE_LOST}, // hardware stack error
        {719, ERROR_DEVICE_LOST}, // launch failed
        {720, ERROR_INTERNAL},    // cooperative launch too large
        {721, ERROR_DEVICE_LOST}, // tensor memory leak
    };
    struct error err;
    struct cuda_api api;
    set("FAKE_CUDA_FAIL_CALL", 0);
    struct dynlib *library = cuda_api_load(&api, &err);
    assert_non_null(library);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_false(cuda_check(&api, cases[i].result, "cuLaunchKernel", &err));
        if (err.code != cases[i].code)
            fail_msg("%d is %s", cases[i].result, error_code_name(err.code));
    }
    dynlib_close(library);
}

static struct gpu_batch *make_fill_and_hold(struct things *t, struct error *err)
{
    struct gpu_batch *batch = NULL;
    if (!(t->device = make_buffer(t, GPU_MEMORY_DEVICE, err)) ||
        !(t->hold = gpu_hold_create(t->scope, err)) ||
        !(batch = gpu_batch_create(t->scope, NULL, err)))
        return NULL;
    gpu_batch_fill(batch, t->device, 0, 64, 5);
    return gpu_batch_end(batch, err) ? batch : NULL;
}

static struct gpu_device *open_failing(int call, int result, struct gpu_system **system)
{
    struct error err;
    set("FAKE_CUDA_DEVICES", 1);
    set("FAKE_CUDA_FAIL_CALL", call);
    set("FAKE_CUDA_FAIL_RESULT", result);
    *system = gpu_system_create(&(struct gpu_system_desc){.only_api = "cuda"});
    return gpu_system_device_count(*system)
               ? gpu_device_open(*system, gpu_system_info(*system, 0), NULL, &err)
               : NULL;
}

// Loses the device at a call of the driver. Returns true if this was after the submission of a held
// batch; a copy behind this batch must then tell of the loss, not of the hold.
static bool lose_behind_a_hold(int call)
{
    struct error err = {0};
    struct gpu_system *system = NULL;
    struct gpu_device *device = open_failing(call, 719, &system);
    struct things things = {.scope = device ? gpu_scope_open(device) : NULL};
    struct gpu_batch *batch = device ? make_fill_and_hold(&things, &err) : NULL;
    bool submitted = batch && gpu_batch_submit(batch, things.hold, &err);
    if (submitted) {
        assert_null(make_buffer(&things, GPU_MEMORY_UPLOAD, &err));
        assert_int_equal(err.code, ERROR_DEVICE_LOST);
        assert_known_lost(things.device);
    }
    gpu_device_close(device);
    gpu_system_destroy(system);
    return submitted;
}

static void a_copy_behind_a_hold_tells_that_the_device_is_lost(void **state)
{
    (void)state;
    int call = 1;
    while (!lose_behind_a_hold(call))
        assert_in_range(++call, 1, CALLS_MAX);
}

// Lets a call of the driver fail. Returns true if this was in a submission with a hold; the next
// submission must then not wait for that hold.
static bool refuse_behind_a_hold(int call)
{
    struct error err = {0};
    struct gpu_system *system = NULL;
    struct gpu_device *device = open_failing(call, 2, &system);
    struct things things = {.scope = device ? gpu_scope_open(device) : NULL};
    struct gpu_batch *batch = device ? make_fill_and_hold(&things, &err) : NULL;
    bool refused = batch && !gpu_batch_submit(batch, things.hold, &err);
    if (refused && !gpu_batch_run(batch, TIMEOUT_NS, &err))
        fail_msg("after call %d failed: %s", call, err.message);
    gpu_device_close(device);
    gpu_system_destroy(system);
    return refused;
}

static void after_a_submission_that_failed_nothing_waits_for_its_hold(void **state)
{
    (void)state;
    int call = 1, refused = 0;
    while (refused < 4) { // the context, the wait for the hold, the fill, and the event at the end
        refused += refuse_behind_a_hold(call);
        assert_in_range(++call, 1, CALLS_MAX);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_call_that_is_out_of_memory_is_told_and_cleaned_up),
        cmocka_unit_test(each_call_that_loses_the_device_is_told_and_cleaned_up),
        cmocka_unit_test(each_call_that_is_refused_is_told_and_cleaned_up),
        cmocka_unit_test(only_errors_that_break_the_context_lose_the_device),
        cmocka_unit_test(a_copy_behind_a_hold_tells_that_the_device_is_lost),
        cmocka_unit_test(after_a_submission_that_failed_nothing_waits_for_its_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
