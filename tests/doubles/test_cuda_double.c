// SPDX-License-Identifier: MIT
// Tests the CUDA backend on the double: what it reports of devices, and of devices that it cannot
// use.
#include "gpu/kernels.h"
#include "gpu/managed.h"
#include "gpu/peers.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const settings[] = {"FAKE_CUDA_FAIL_CALL",   "FAKE_CUDA_FAIL_RESULT",
                                       "FAKE_CUDA_VERSION",     "FAKE_CUDA_MAJOR",
                                       "FAKE_CUDA_DEVICES",     "FAKE_CUDA_PTX_LOG",
                                       "CUDA_LAUNCH_BLOCKING",  "CUDA_DEVICE_MAX_CONNECTIONS",
                                       "CUDA_INJECTION64_PATH", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                                       "FAKE_CUDA_COMPUTE_MODE"};

static int forget_settings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        unsetenv(settings[i]);
    return 0;
}

static struct gpu_system *system_of_cuda(void)
{
    return gpu_system_create(&(struct gpu_system_desc){.only_api = "cuda"});
}

static void check_unavailable(const char *in_reason)
{
    struct gpu_system *system = system_of_cuda();
    assert_int_equal(gpu_system_device_count(system), 0);
    assert_int_equal(gpu_system_unavailable_count(system), 1);
    const struct gpu_unavailable *unavailable = gpu_system_unavailable(system, 0);
    if (!strstr(unavailable->reason, in_reason))
        fail_msg("'%s' is not in: %s", in_reason, unavailable->reason);
    gpu_system_destroy(system);
}

static void devices_are_described_as_the_driver_does(void **state)
{
    (void)state;
    setenv("FAKE_CUDA_DEVICES", "2", 1);
    struct gpu_system *system = system_of_cuda();
    assert_int_equal(gpu_system_device_count(system), 2);
    const struct gpu_info *info = gpu_system_info(system, 1);
    assert_string_equal(info->id, "cuda:1");
    assert_string_equal(info->name, "Fake GPU 1");
    assert_string_equal(info->api_version, "13.0");
    assert_int_equal(info->kind, GPU_KIND_DISCRETE);
    assert_true(info->has_uuid && info->has_pci);
    assert_int_equal(info->uuid[0], 0xa1);
    assert_int_equal(info->pci.bus, 0x1a);
    assert_int_equal(info->limits.core_clock_hz, UINT64_C(1980000000));
    assert_int_equal(info->limits.image_2d, 65536);
    assert_true(info->caps & GPU_CAP(HOLDS));
    assert_true(info->caps & GPU_CAP(REPLAY));
    gpu_system_destroy(system);
}

// Given a driver that places memory anywhere, then buffers of the device begin at multiples of 64
// KiB, and their last bytes can be used.
static void buffers_of_the_device_are_aligned(void **state)
{
    (void)state;
    static const uint64_t sizes[] = {4, 512, 65536, 65540, 3 << 20};
    struct error err = {0};
    struct gpu_system *system = system_of_cuda();
    struct gpu_device *device = gpu_device_open(system, gpu_system_info(system, 0), NULL, &err);
    assert_non_null(device);
    struct gpu_scope *scope = gpu_scope_open(device);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint32_t sent = 17, back = 0;
        struct gpu_buffer *buffer =
            gpu_buffer_create(scope, &(struct gpu_buffer_desc){.bytes = sizes[i]}, &err);
        assert_non_null(buffer);
        assert_int_equal(gpu_buffer_address(buffer) % 65536, 0);
        assert_true(gpu_buffer_write(buffer, sizes[i] - 4, &sent, 4, &err));
        assert_true(gpu_buffer_read(buffer, sizes[i] - 4, &back, 4, &err));
        assert_int_equal(back, sent);
    }
    gpu_scope_close(scope);
    gpu_device_close(device);
    gpu_system_destroy(system);
}

// Given launches that return only when their kernel has ended, then the device has no holds.
static void nothing_is_held_where_launches_block(void **state)
{
    (void)state;
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    struct gpu_system *system = system_of_cuda();
    assert_int_equal(gpu_system_device_count(system), 1);
    assert_false(gpu_system_info(system, 0)->caps & GPU_CAP(HOLDS));
    gpu_system_destroy(system);
}

static void a_driver_that_refuses_is_unavailable_with_its_code(void **state)
{
    (void)state;
    setenv("FAKE_CUDA_FAIL_CALL", "1", 1);
    setenv("FAKE_CUDA_FAIL_RESULT", "803", 1);
    check_unavailable("cuInit: CUDA_ERROR_FAKE 803");
}

static void a_library_for_other_cards_is_unavailable_with_the_remedy(void **state)
{
    (void)state;
    setenv("FAKE_CUDA_FAIL_CALL", "1", 1);
    setenv("FAKE_CUDA_FAIL_RESULT", "804", 1);
    struct gpu_system *system = system_of_cuda();
    const struct gpu_unavailable *unavailable = gpu_system_unavailable(system, 0);
    assert_true(unavailable && unavailable->remedy);
    assert_non_null(strstr(unavailable->remedy, "cuda-compat"));
    gpu_system_destroy(system);
}

// Given a device whose compute mode is exclusive, when it has no room for this process, then the
// error names the mode.
static void a_device_that_another_process_has_is_refused_with_its_compute_mode(void **state)
{
    (void)state;
    struct error err = {0};
    struct gpu_system *system = system_of_cuda();
    setenv("FAKE_CUDA_COMPUTE_MODE", "3", 1);
    assert_null(gpu_device_open(system, gpu_system_info(system, 0), NULL, &err));
    if (!strstr(err.message, "compute mode") || !strstr(err.message, "nvidia-smi"))
        fail_msg("%s", err.message);
    gpu_system_destroy(system);
}

static void a_driver_for_an_older_cuda_is_unavailable_with_both_versions(void **state)
{
    (void)state;
    setenv("FAKE_CUDA_VERSION", "10020", 1);
    check_unavailable("CUDA 10.2; 11.0 or newer");
}

static void a_chip_that_is_too_old_is_unavailable_with_its_capability(void **state)
{
    (void)state;
    setenv("FAKE_CUDA_MAJOR", "6", 1);
    check_unavailable("compute capability 6.0");
}

static void a_driver_without_devices_is_unavailable(void **state)
{
    (void)state;
    setenv("FAKE_CUDA_DEVICES", "0", 1);
    check_unavailable("no device");
}

static void refused_ptx_is_an_error_with_the_drivers_log(void **state)
{
    (void)state;
    struct error err = {0};
    setenv("FAKE_CUDA_PTX_LOG", "ptxas fatal: line 7;\nsyntax error near 'ld'", 1);
    struct gpu_system *system = system_of_cuda();
    struct gpu_device *device = gpu_device_open(system, gpu_system_info(system, 0), NULL, &err);
    assert_non_null(device);
    struct gpu_scope *scope = gpu_scope_open(device);
    struct gpu_program_desc desc = {.kernel = kernel_find("prelude_ids")};
    assert_null(gpu_program_create(scope, &desc, &err));
    assert_int_equal(err.code, ERROR_INTERNAL);
    assert_non_null(strstr(err.message, "prelude_ids"));
    assert_non_null(strstr(err.message, "line 7; syntax error near 'ld'"));
    gpu_device_close(device);
    gpu_system_destroy(system);
}

// The double's chip is sm_90.
static void ptx_for_another_chip_is_refused_by_name_before_the_driver_sees_it(void **state)
{
    static const struct {
        // The word that the error must contain; NULL: the kernel is accepted.
        const char *ptx, *named;
    } cases[] = {
        {".version 7.0\n.target sm_80\n.visible .entry prelude_ids()", NULL},
        {".version 8.0\n.target sm_90\n.visible .entry prelude_ids()", NULL},
        {".version 8.0\n.target sm_90a\n.visible .entry prelude_ids()", NULL},
        {".version 8.6\n.target sm_100\n", "sm_100 and newer"},
        {".version 7.0\n.target sm_80a\n", "sm_80a, which no other chip runs"},
    };
    (void)state;
    struct error err = {0};
    struct gpu_system *system = system_of_cuda();
    struct gpu_device *device = gpu_device_open(system, gpu_system_info(system, 0), NULL, &err);
    assert_non_null(device);
    struct gpu_scope *scope = gpu_scope_open(device);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gpu_kernel kernel = *kernel_find("prelude_ids");
        kernel.ptx = cases[i].ptx;
        setenv("FAKE_CUDA_PTX_LOG", cases[i].named ? "the driver saw it" : "", 1);
        struct gpu_program *program =
            gpu_program_create(scope, &(struct gpu_program_desc){.kernel = &kernel}, &err);
        assert_int_equal(program != NULL, cases[i].named == NULL);
        if (cases[i].named) {
            assert_int_equal(err.code, ERROR_UNSUPPORTED);
            assert_non_null(strstr(err.message, cases[i].named));
        }
    }
    gpu_device_close(device);
    gpu_system_destroy(system);
}

static struct gpu_batch *held_ids(struct gpu_scope *scope, struct gpu_buffer *out,
                                  const struct gpu_batch_desc *desc, struct gpu_hold *hold)
{
    struct error err = {0};
    struct gpu_program_desc program_desc = {.kernel = kernel_find("prelude_ids")};
    struct gpu_program *program = gpu_program_create(scope, &program_desc, &err);
    assert_non_null(program);
    struct gpu_batch *batch = gpu_batch_create(scope, desc, &err);
    assert_non_null(batch);
    gpu_batch_dispatch(
        batch,
        &(struct gpu_dispatch){.program = program, .groups = {2, 1, 1}, .args = {{.buffer = out}}});
    assert_true(gpu_batch_end(batch, &err));
    assert_true(gpu_batch_submit(batch, hold, &err));
    return batch;
}

static void run_held(const struct gpu_batch_desc *desc)
{
    struct error err = {0};
    struct gpu_system *system = system_of_cuda();
    struct gpu_device *device = gpu_device_open(system, gpu_system_info(system, 0), NULL, &err);
    assert_non_null(device);
    struct gpu_scope *scope = gpu_scope_open(device), *other = gpu_scope_open(device);
    struct gpu_buffer_desc buffer_desc = {.bytes = 2 * 16 * 32, .memory = GPU_MEMORY_READBACK};
    struct gpu_buffer *out = gpu_buffer_create(scope, &buffer_desc, &err);
    struct gpu_buffer *freed = gpu_buffer_create(other, &buffer_desc, &err);
    struct gpu_hold *hold = gpu_hold_create(scope, &err);
    assert_true(out && freed && hold);
    uint32_t *words = gpu_buffer_map(out);

    struct gpu_batch *batch = held_ids(scope, out, desc, hold);
    assert_false(gpu_batch_wait(batch, 2000000, &err));
    assert_int_equal(err.code, ERROR_TIMEOUT);
    assert_int_equal(words[8 + 4], 0);
    gpu_scope_close(other); // must not wait for the batch

    assert_true(gpu_hold_release(hold, &err));
    assert_true(gpu_batch_wait(batch, 1000000000, &err));
    assert_int_equal(words[8 + 4], 1); // thread 1 stores its own position
    assert_int_equal(words[16 * 8 + 1], 1);
    gpu_scope_close(scope);
    gpu_device_close(device);
    gpu_system_destroy(system);
    assert_string_equal(getenv("FAKE_CUDA_LEAKS"), "0");
}

static void a_held_batch_starts_when_it_is_released(void **state)
{
    (void)state;
    run_held(NULL);
}

static void a_held_graph_starts_when_it_is_released(void **state)
{
    (void)state;
    run_held(&(struct gpu_batch_desc){.replay = true});
}

static void a_batch_after_a_held_one_on_another_stream_waits_for_it(void **state)
{
    (void)state;
    struct error err = {0};
    struct gpu_system *system = system_of_cuda();
    const struct gpu_device_desc desc = {.queue_count = 2};
    struct gpu_device *device = gpu_device_open(system, gpu_system_info(system, 0), &desc, &err);
    assert_non_null(device);
    struct gpu_scope *scope = gpu_scope_open(device);
    struct gpu_buffer_desc buffer_desc = {.bytes = 2 * 16 * 32, .memory = GPU_MEMORY_READBACK};
    struct gpu_buffer *out = gpu_buffer_create(scope, &buffer_desc, &err);
    struct gpu_buffer *copy = gpu_buffer_create(scope, &buffer_desc, &err);
    struct gpu_hold *hold = gpu_hold_create(scope, &err);
    assert_true(out && copy && hold);
    const uint32_t *words = gpu_buffer_map(copy);

    struct gpu_submit after = {.after = {held_ids(scope, out, NULL, hold)}, .after_count = 1};
    struct gpu_batch_desc second = {.queue = gpu_device_queue(device, 1)};
    struct gpu_batch *late = gpu_batch_create(scope, &second, &err);
    assert_non_null(late);
    gpu_batch_copy(late, copy, 0, out, 0, buffer_desc.bytes);
    assert_true(gpu_batch_end(late, &err));
    assert_true(gpu_batch_submit_after(late, &after, &err));
    assert_false(gpu_batch_wait(late, 2000000, &err));
    assert_int_equal(words[8 + 4], 0);
    assert_true(gpu_hold_release(hold, &err));
    assert_true(gpu_batch_wait(late, 1000000000, &err));
    assert_int_equal(words[8 + 4], 1);
    gpu_device_close(device);
    gpu_system_destroy(system);
    assert_string_equal(getenv("FAKE_CUDA_LEAKS"), "0");
}

// ---------------------------------------------------------------- peers and managed memory

struct pair {
    struct gpu_system *system;
    struct gpu_device *devices[2];
    struct gpu_scope *scopes[2];
    struct gpu_buffer *buffers[2];
};

static struct pair pair_open(void)
{
    struct pair pair;
    struct error err;
    setenv("FAKE_CUDA_DEVICES", "2", 1);
    pair.system = system_of_cuda();
    for (unsigned i = 0; i < 2; i++) {
        pair.devices[i] = gpu_device_open(pair.system, gpu_system_info(pair.system, i), NULL, &err);
        assert_non_null(pair.devices[i]);
        pair.scopes[i] = gpu_scope_open(pair.devices[i]);
        pair.buffers[i] =
            gpu_buffer_create(pair.scopes[i], &(struct gpu_buffer_desc){.bytes = 1024}, &err);
        assert_non_null(pair.buffers[i]);
    }
    return pair;
}

static void pair_close(const struct pair *pair)
{
    for (unsigned i = 0; i < 2; i++)
        gpu_device_close(pair->devices[i]);
    gpu_system_destroy(pair->system);
    assert_string_equal(getenv("FAKE_CUDA_LEAKS"), "0");
}

// Records one copy. If the batch can be ended, runs it and returns true.
static bool copies(const struct pair *pair, const struct gpu_peers_copy *copy, struct error *err)
{
    struct gpu_batch *batch = gpu_batch_create(pair->scopes[0], &(struct gpu_batch_desc){0}, err);
    assert_non_null(batch);
    gpu_peers_copy(batch, copy);
    return gpu_batch_end(batch, err) && gpu_batch_run(batch, 1000000000, err);
}

static void a_copy_between_devices_arrives_at_its_place(void **state)
{
    (void)state;
    struct pair pair = pair_open();
    struct error err;
    uint32_t words[3] = {1, 2, 3}, seen[3];
    bool direct = false;
    assert_true(gpu_peers_connect(pair.devices[0], pair.devices[1], &direct, &err));
    // Connecting again is legal.
    assert_true(gpu_peers_connect(pair.devices[0], pair.devices[1], &direct, &err));
    assert_true(direct);
    assert_true(gpu_buffer_write(pair.buffers[0], 100, words, sizeof words, &err));
    assert_true(copies(&pair,
                       &(struct gpu_peers_copy){.to = pair.buffers[1],
                                                .from = pair.buffers[0],
                                                .to_offset = 200,
                                                .from_offset = 100,
                                                .bytes = sizeof words},
                       &err));
    assert_true(gpu_buffer_read(pair.buffers[1], 200, seen, sizeof seen, &err));
    assert_memory_equal(seen, words, sizeof words);
    pair_close(&pair);
}

static void a_copy_that_is_none_between_devices_is_refused(void **state)
{
    (void)state;
    struct pair pair = pair_open();
    struct error err;
    bool direct;
    const struct gpu_peers_copy wrong[] = {
        {.to = pair.buffers[0], .from = pair.buffers[0], .bytes = 4},
        {.to = pair.buffers[1], .bytes = 4},
        {.to = pair.buffers[1], .from = pair.buffers[0]},
        {.to = pair.buffers[1], .from = pair.buffers[0], .to_offset = 1020, .bytes = 8},
        {.to = pair.buffers[1], .from = pair.buffers[0], .from_offset = 1024, .bytes = 4},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(copies(&pair, &wrong[i], &err));
        assert_int_equal(err.code, ERROR_INTERNAL);
    }
    assert_false(gpu_peers_connect(pair.devices[0], pair.devices[0], &direct, &err));
    assert_int_equal(err.code, ERROR_INTERNAL);
    pair_close(&pair);
}

static void only_managed_memory_is_sent_or_advised(void **state)
{
    (void)state;
    struct pair pair = pair_open();
    struct error err;
    assert_false(gpu_managed_advise(pair.buffers[0], GPU_MANAGED_READ_MOSTLY, &err));
    assert_int_equal(err.code, ERROR_INTERNAL);
    struct gpu_batch *batch = gpu_batch_create(pair.scopes[0], &(struct gpu_batch_desc){0}, &err);
    assert_non_null(batch);
    gpu_managed_prefetch(batch,
                         &(struct gpu_managed_range){.buffer = pair.buffers[0], .bytes = 1024});
    assert_false(gpu_batch_end(batch, &err));
    assert_int_equal(err.code, ERROR_INTERNAL);
    pair_close(&pair);
}

static void variables_that_alter_the_driver_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *name, *value, *text; // text: NULL if the value changes nothing
        bool submissions_only;
    } cases[] = {
        {"CUDA_LAUNCH_BLOCKING", "1", "CUDA_LAUNCH_BLOCKING=1 is set: each launch waits", true},
        {"CUDA_LAUNCH_BLOCKING", "0", NULL, false},
        {"CUDA_DEVICE_MAX_CONNECTIONS", "1", "CUDA_DEVICE_MAX_CONNECTIONS=1 is set", true},
        {"CUDA_DEVICE_MAX_CONNECTIONS", "8", NULL, false},
        {"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "50", "only this share of the cores", false},
        {"CUDA_INJECTION64_PATH", "/tool.so", "CUDA_INJECTION64_PATH=/tool.so is set", false},
        {"OPENCL_LAYERS", "layer.so", NULL, false}, // CUDA ignores this variable
    };
    struct gpu_system *system = system_of_cuda();
    struct error err;
    struct gpu_device *device = gpu_device_open(system, gpu_system_info(system, 0), NULL, &err);
    assert_non_null(device);
    struct arena *arena = arena_create();
    assert_null(gpu_device_alteration(device, arena).text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv(cases[i].name, cases[i].value, 1);
        struct gpu_alteration alteration = gpu_device_alteration(device, arena);
        unsetenv(cases[i].name);
        assert_int_equal(alteration.text != NULL, cases[i].text != NULL);
        if (cases[i].text)
            assert_non_null(strstr(alteration.text, cases[i].text));
        assert_int_equal(alteration.submissions_only, cases[i].submissions_only);
    }
    arena_destroy(arena);
    gpu_device_close(device);
    gpu_system_destroy(system);
}

static void a_tool_in_the_process_is_named(void **state)
{
    (void)state;
    struct gpu_system *system = system_of_cuda();
    struct error err;
    struct gpu_device *device = gpu_device_open(system, gpu_system_info(system, 0), NULL, &err);
    assert_non_null(device);
    struct arena *arena = arena_create();
    void *tool = dlopen(TOOL, RTLD_NOW);
    assert_non_null(tool);
    struct gpu_alteration alteration = gpu_device_alteration(device, arena);
    assert_string_equal(alteration.text,
                        "libcuda-injection.so stands between fathom and the driver");
    assert_false(alteration.submissions_only);
    dlclose(tool);
    assert_null(gpu_device_alteration(device, arena).text);
    arena_destroy(arena);
    gpu_device_close(device);
    gpu_system_destroy(system);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, forget_settings, forget_settings)
    const struct CMUnitTest tests[] = {
        TEST(devices_are_described_as_the_driver_does),
        TEST(buffers_of_the_device_are_aligned),
        TEST(nothing_is_held_where_launches_block),
        TEST(a_driver_that_refuses_is_unavailable_with_its_code),
        TEST(a_library_for_other_cards_is_unavailable_with_the_remedy),
        TEST(a_device_that_another_process_has_is_refused_with_its_compute_mode),
        TEST(a_driver_for_an_older_cuda_is_unavailable_with_both_versions),
        TEST(a_chip_that_is_too_old_is_unavailable_with_its_capability),
        TEST(a_driver_without_devices_is_unavailable),
        TEST(refused_ptx_is_an_error_with_the_drivers_log),
        TEST(ptx_for_another_chip_is_refused_by_name_before_the_driver_sees_it),
        TEST(a_held_batch_starts_when_it_is_released),
        TEST(a_held_graph_starts_when_it_is_released),
        TEST(a_batch_after_a_held_one_on_another_stream_waits_for_it),
        TEST(a_copy_between_devices_arrives_at_its_place),
        TEST(a_copy_that_is_none_between_devices_is_refused),
        TEST(only_managed_memory_is_sent_or_advised),
        TEST(variables_that_alter_the_driver_are_named),
        TEST(a_tool_in_the_process_is_named),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
