// SPDX-License-Identifier: MIT
// Hardware counters of the Vulkan backend, on the layer that offers VK_KHR_performance_query
// (counters_layer.c). Between backend and layer are the layer that makes calls fail, and the
// validation layer, which sees every use of the extension.
#include "faults.h"

#include "gpu/kernels.h"
#include "gpu/vulkan/api.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define WAIT_NS UINT64_C(600000000000)

enum {
    CALLS_LEAST = 30
};

struct world {
    struct faults *faults;
    struct gpu_system *system;
    struct gpu_device *device;
    struct gpu_scope *scope;
    struct gpu_buffer *out;
    struct gpu_program *program;
    char log[64]; // file of what the layer complains about
};

static struct faults *open_control(void)
{
    void *library = dlopen(FAULTS_LIBRARY, RTLD_NOW); // the loader has it open too
    faults_control *control = NULL;
    void *symbol = library ? dlsym(library, FAULTS_CONTROL) : NULL;
    assert_non_null(symbol);
    memcpy(&control, &symbol, sizeof control);
    return control();
}

static bool open_world(struct world *world, struct error *err)
{
    const struct gpu_buffer_desc out = {.bytes = 4096, .memory = GPU_MEMORY_READBACK};
    const struct gpu_program_desc program = {.kernel = kernel_find("conf_ids")};
    world->device = gpu_device_open(world->system, gpu_system_info(world->system, 0), NULL, err);
    if (!world->device)
        return false;
    world->scope = gpu_scope_open(world->device);
    world->out = gpu_buffer_create(world->scope, &out, err);
    world->program = world->out ? gpu_program_create(world->scope, &program, err) : NULL;
    return world->program != NULL;
}

static int begin(void **state)
{
    static const char *const settings[] = {"FATHOM_LAYER_LOCK", "FATHOM_LAYER_COUNTERS",
                                           "FATHOM_LAYER_PASSES", "FATHOM_LAYER_DRIVER"};
    static struct world world;
    struct error err;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        unsetenv(settings[i]);
    world = (struct world){.faults = open_control(), .log = "/tmp/fathom-counters-XXXXXX"};
    *world.faults = (struct faults){0};
    int file = mkstemp(world.log);
    if (file < 0)
        return -1;
    close(file);
    setenv("FATHOM_LAYER_LOG", world.log, 1);
    world.system =
        gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan", .validation = true});
    *state = &world;
    return gpu_system_device_count(world.system) > 0 && open_world(&world, &err) ? 0 : -1;
}

static void close_device(struct world *world)
{
    gpu_device_close(world->device);
    world->device = NULL;
}

// Neither the layer nor the validation layer has complained.
static void check_silence(const struct world *world)
{
    char line[256] = "";
    const char *first = NULL;
    FILE *file = fopen(world->log, "r");
    assert_non_null(file);
    bool complained = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    if (complained)
        fail_msg("call %u (%s) failed: %s", world->faults->fail_at, world->faults->failed, line);
    if (world->device && gpu_device_validation_messages(world->device, &first))
        fail_msg("call %u (%s) failed: %s", world->faults->fail_at, world->faults->failed, first);
}

static int end(void **state)
{
    struct world *world = *state;
    check_silence(world);
    close_device(world);
    check_silence(world);
    gpu_system_destroy(world->system);
    unlink(world->log);
    return 0;
}

// ---------------------------------------------------------------- work

// Creates a batch of so many dispatches, each with three workgroups.
static struct gpu_batch *batch_of(const struct world *world, unsigned dispatches, struct error *err)
{
    struct gpu_batch *batch = gpu_batch_create(world->scope, &(struct gpu_batch_desc){0}, err);
    for (unsigned i = 0; batch && i < dispatches; i++)
        gpu_batch_dispatch(batch, &(struct gpu_dispatch){.program = world->program,
                                                         .groups = {3},
                                                         .args = {{.buffer = world->out}},
                                                         .params = (uint32_t[]){3, 1, 1},
                                                         .params_bytes = 12});
    return batch && gpu_batch_end(batch, err) ? batch : NULL;
}

static const struct gpu_counter_source each_storage[] = {
    {"VRAM read size", 1},         {"VRAM write size", 1},    {"Instructions", 2},
    {"VMEM Load Instructions", 1}, {"L2 cache hit ratio", 1}, {"Owed dispatches", 1},
    {"VRAM read size", 10}, // the same counter with another factor
};
enum {
    COUNTERS = sizeof each_storage / sizeof *each_storage
};

// Opens counters. In one run, counts a batch of one dispatch and a batch of two.
static bool count_both(const struct world *world, double values[2][COUNTERS], unsigned *passes,
                       struct error *err)
{
    struct gpu_counters *counters = gpu_counters_open(world->device, err);
    if (!counters)
        return false;
    struct gpu_counter_set *set = gpu_counter_set_create(counters, each_storage, COUNTERS, err);
    struct gpu_counter_run run = {.count = 2, .timeout_ns = WAIT_NS};
    bool done = set != NULL;
    for (unsigned i = 0; done && i < run.count; i++)
        done = (run.batches[i] = batch_of(world, i + 1, err)) != NULL;
    done = done && gpu_counter_set_run(set, &run, values[0], err);
    *passes = set ? gpu_counter_set_passes(set) : 0;
    gpu_counters_close(counters);
    return done;
}

static void check_values(double values[2][COUNTERS])
{
    for (unsigned i = 0; i < 2; i++) {
        const double groups = 3.0 * (i + 1);
        assert_true(values[i][0] == 1000 * groups);    // FLOAT64
        assert_true(values[i][1] == 500 * groups);     // UINT64
        assert_true(values[i][2] == 2 * 100 * groups); // INT64, and a factor
        assert_true(values[i][3] == 10 * groups);      // UINT32
        assert_true(values[i][4] == 87.5);             // FLOAT32
        assert_true(values[i][5] == -1.0 - i);         // INT32
        assert_true(values[i][6] == 10000 * groups);
    }
}

static void check_refused(const struct world *world, const char *in_message)
{
    struct error err = {0};
    assert_null(gpu_counters_open(world->device, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    if (!strstr(err.message, in_message))
        fail_msg("'%s' is not in: %s", in_message, err.message);
}

// ---------------------------------------------------------------- counting

static void values_of_each_storage_are_those_of_the_batch_alone(void **state)
{
    struct error err = {0};
    double values[2][COUNTERS];
    unsigned passes;
    if (!count_both(*state, values, &passes, &err))
        fail_msg("%s", err.message);
    assert_int_equal(passes, 2); // six counters, three in each pass
    check_values(values);
}

static void a_set_that_misses_a_pass_has_no_values(void **state)
{
    const struct world *world = *state;
    struct error err = {0};
    struct gpu_counters *counters = gpu_counters_open(world->device, &err);
    struct gpu_counter_set *set = gpu_counter_set_create(counters, each_storage, 1, &err);
    double value;
    setenv("FATHOM_LAYER_PASSES", "2", 1); // the driver now needs more passes than it said
    const struct gpu_counter_run run = {
        .batches = {batch_of(world, 1, &err)}, .count = 1, .timeout_ns = WAIT_NS};
    assert_false(gpu_counter_set_run(set, &run, &value, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "after 1 pass"));
    gpu_counters_close(counters);
}

static void batches_compute_the_same_while_counters_are_open(void **state)
{
    const struct world *world = *state;
    struct error err = {0};
    struct gpu_counters *counters = gpu_counters_open(world->device, &err);
    struct gpu_counter_set *set = gpu_counter_set_create(counters, each_storage, COUNTERS, &err);
    struct gpu_batch *batch = batch_of(world, 1, &err);
    const struct gpu_counter_run run = {.batches = {batch}, .count = 1, .timeout_ns = WAIT_NS};
    uint32_t *out = gpu_buffer_map(world->out), seen[2][64];
    double values[COUNTERS];
    memset(out, 0xff, 4096);
    assert_true(gpu_batch_run(batch, WAIT_NS, &err));
    memcpy(seen[0], out, sizeof seen[0]);
    memset(out, 0xff, 4096);
    assert_true(gpu_counter_set_run(set, &run, values, &err));
    memcpy(seen[1], out, sizeof seen[1]);
    assert_memory_equal(seen[0], seen[1], sizeof seen[0]);
    assert_int_not_equal(seen[1][0], UINT32_MAX);
    assert_true(gpu_batch_reset(batch, &err) && gpu_batch_end(batch, &err));
    assert_true(gpu_counter_set_run(set, &run, values, &err));
    assert_true(values[0] == 0); // after the reset, the batch records nothing
    gpu_counters_close(counters);
    assert_non_null(batch_of(world, 1, &err)); // batches are ordinary again
}

static void a_batch_that_is_older_than_the_counters_is_refused(void **state)
{
    const struct world *world = *state;
    struct error err = {0};
    const struct gpu_counter_run run = {
        .batches = {batch_of(world, 1, &err)}, .count = 1, .timeout_ns = WAIT_NS};
    struct gpu_counters *counters = gpu_counters_open(world->device, &err);
    struct gpu_counter_set *set = gpu_counter_set_create(counters, each_storage, 1, &err);
    double value;
    assert_false(gpu_counter_set_run(set, &run, &value, &err));
    assert_int_equal(err.code, ERROR_INTERNAL);
    gpu_counters_close(counters);
    assert_true(gpu_batch_run(run.batches[0], WAIT_NS, &err));
}

// Objects of destroyed batches are kept for later ones, but not all of them can be counted.
static void batches_take_no_objects_of_the_other_kind(void **state)
{
    struct world world = *(const struct world *)*state;
    struct error err = {0};
    double values[2][COUNTERS];
    unsigned passes;
    for (unsigned round = 0; round < 2; round++) {
        world.scope = gpu_scope_open(world.device);
        assert_true(gpu_batch_run(batch_of(&world, 1, &err), WAIT_NS, &err));
        gpu_scope_close(world.scope);
        world.scope = gpu_scope_open(world.device);
        assert_true(count_both(&world, values, &passes, &err));
        check_values(values);
        gpu_scope_close(world.scope);
    }
}

// ---------------------------------------------------------------- what there is

static void neutral_counters_are_those_with_the_names_of_a_known_driver(void **state)
{
    struct error err = {0};
    struct gpu_counters *counters = gpu_counters_open(((struct world *)*state)->device, &err);
    const struct gpu_counter_source *read = gpu_counters_source(counters, GPU_COUNTER_DRAM_READ);
    assert_non_null(read);
    assert_string_equal(read->native, "VRAM read size");
    assert_null(gpu_counters_source(counters, GPU_COUNTER_L2_READ));
    // A percentage is not a number of bytes, although the driver says so.
    assert_int_equal(gpu_counters_native_unit(counters, "L2 cache hit ratio"), GPU_COUNTER_RATIO);
    assert_int_equal(gpu_counters_native_unit(counters, "VRAM read size"), GPU_COUNTER_BYTES);
    assert_int_equal(gpu_counters_native_unit(counters, "Groups"), GPU_COUNTER_EVENTS);
    gpu_counters_close(counters);
}

static void a_counter_of_time_or_of_another_name_is_refused(void **state)
{
    static const char *const names[] = {"GPU Time Elapsed", "no such"};
    struct error err = {0};
    struct gpu_counters *counters = gpu_counters_open(((struct world *)*state)->device, &err);
    size_t count;
    const char *const *natives = gpu_counters_natives(counters, &count);
    assert_int_equal(count, 8);
    assert_string_equal(natives[6], "Groups");
    assert_string_equal(natives[7], "Test again/Groups");
    for (unsigned i = 0; i < 2; i++) {
        const struct gpu_counter_source source = {.native = names[i], .factor = 1};
        assert_null(gpu_counter_set_create(counters, &source, 1, &err));
        assert_int_equal(err.code, ERROR_UNSUPPORTED);
        assert_non_null(strstr(err.message, names[i]));
    }
    gpu_counters_close(counters);
}

static void a_refused_lock_is_told_with_the_remedy(void **state)
{
    setenv("FATHOM_LAYER_LOCK", "no", 1);
    check_refused(*state, "run as root");
    unsetenv("FATHOM_LAYER_LOCK");
    struct error err = {0};
    gpu_counters_close(gpu_counters_open(((struct world *)*state)->device, &err));
}

// ---------------------------------------------------------------- the stable clock

static void only_radv_holds_a_stable_clock(void **state)
{
    const struct world *world = *state;
    struct error err = {0};
    assert_false(gpu_device_hold_clock(world->device, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "has no stable clock"));
    gpu_device_free_clock(world->device);
}

// The layer complains if the lock is acquired twice, or is still held when the device is destroyed.
static void radv_holds_a_stable_clock_also_while_counters_run(void **state)
{
    struct world *world = *state;
    struct error err = {0};
    double values[2][COUNTERS];
    unsigned passes;
    close_device(world);
    gpu_system_destroy(world->system);
    setenv("FATHOM_LAYER_DRIVER", "radv", 1);
    world->system =
        gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan", .validation = true});
    assert_true(open_world(world, &err));
    assert_true(gpu_device_hold_clock(world->device, &err));
    assert_true(gpu_device_hold_clock(world->device, &err));
    assert_true(count_both(world, values, &passes, &err));
    gpu_device_free_clock(world->device);
    gpu_device_free_clock(world->device);
    // A refusal is reported. A clock that is held to the end is freed with the device.
    setenv("FATHOM_LAYER_LOCK", "no", 1);
    assert_false(gpu_device_hold_clock(world->device, &err));
    assert_non_null(strstr(err.message, "refuses the profiling lock"));
    assert_false(gpu_device_hold_clock(world->device, NULL));
    unsetenv("FATHOM_LAYER_LOCK");
    assert_true(gpu_device_hold_clock(world->device, &err));
}

// ---------------------------------------------------------------- what the driver lacks

static void a_driver_that_lists_no_counters_has_none(void **state)
{
    setenv("FATHOM_LAYER_COUNTERS", "0", 1);
    check_refused(*state, "the driver lists 0 hardware counters");
}

static void a_set_that_the_driver_cannot_read_is_refused(void **state)
{
    struct error err = {0};
    struct gpu_counters *counters = gpu_counters_open(((struct world *)*state)->device, &err);
    setenv("FATHOM_LAYER_PASSES", "0", 1);
    assert_null(gpu_counter_set_create(counters, each_storage, 1, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    gpu_counters_close(counters);
}

// ---------------------------------------------------------------- failures

// Counts in a new device while call `fail_at` fails. Returns false if the count failed.
static bool count_with_fault(struct world *world, unsigned fail_at, VkResult result,
                             struct error *err)
{
    double values[2][COUNTERS];
    unsigned passes;
    close_device(world);
    *world->faults = (struct faults){.fail_at = fail_at, .result = result};
    bool done = open_world(world, err) && count_both(world, values, &passes, err);
    if (done)
        check_values(values);
    check_silence(world);
    return done;
}

static void fail_each_call(struct world *world, VkResult result, enum error_code code)
{
    struct error err = {0};
    unsigned calls = 0;
    for (; !count_with_fault(world, calls + 1, result, &err); calls++) {
        if (err.code != code || !world->faults->failed)
            fail_msg("call %u (%s) failed: %s: %s", calls + 1, world->faults->failed,
                     error_code_name(err.code), err.message);
        err = (struct error){0};
    }
    assert_null(world->faults->failed); // the last time had fewer calls
    assert_true(calls > CALLS_LEAST);
}

static void want_of_memory_at_every_call_is_told_and_cleaned_up(void **state)
{
    fail_each_call(*state, VK_ERROR_OUT_OF_DEVICE_MEMORY, ERROR_OUT_OF_MEMORY);
}

static void a_device_lost_at_every_call_says_so(void **state)
{
    fail_each_call(*state, VK_ERROR_DEVICE_LOST, ERROR_DEVICE_LOST);
}

static PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR list_really;

static VKAPI_ATTR VkResult VKAPI_CALL list_endlessly(VkPhysicalDevice device, uint32_t family,
                                                     uint32_t *count,
                                                     VkPerformanceCounterKHR *counters,
                                                     VkPerformanceCounterDescriptionKHR *texts)
{
    VkResult result = list_really(device, family, count, counters, texts);
    if (counters)
        *count = UINT32_MAX;
    return result;
}

// Given a driver that states more counters when they are read than when they were counted, then
// those are listed for which there was room.
static void a_list_that_grows_is_read_as_far_as_there_is_room(void **state)
{
    const struct world *world = *state;
    struct error err = {0};
    size_t count = 0;
    list_really = vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR;
    vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR = list_endlessly;
    struct gpu_counters *counters = gpu_counters_open(world->device, &err);
    vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR = list_really;
    assert_non_null(counters);
    gpu_counters_natives(counters, &count);
    assert_int_equal(count, 8); // all but the time
    gpu_counters_close(counters);
}

static VKAPI_ATTR VkResult VKAPI_CALL write_nothing(VkDevice device, VkQueryPool pool,
                                                    uint32_t first, uint32_t count, size_t bytes,
                                                    void *to, VkDeviceSize stride,
                                                    VkQueryResultFlags flags)
{
    (void)device, (void)pool, (void)first, (void)count, (void)bytes, (void)to, (void)stride;
    (void)flags;
    return VK_SUCCESS;
}

// Given a driver that reports success, but writes no values, then values of earlier batches, or
// zeros, are not taken for those of this batch.
static void values_that_were_not_written_are_none(void **state)
{
    const struct world *world = *state;
    struct error err = {0};
    double values[2][COUNTERS];
    unsigned passes;
    ((struct vulkan_device *)world->device)->vk.vkGetQueryPoolResults = write_nothing;
    assert_false(count_both(world, values, &passes, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "wrote no value of its hardware counter VRAM read size"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(values_of_each_storage_are_those_of_the_batch_alone),
        TEST(a_set_that_misses_a_pass_has_no_values),
        TEST(batches_compute_the_same_while_counters_are_open),
        TEST(a_batch_that_is_older_than_the_counters_is_refused),
        TEST(batches_take_no_objects_of_the_other_kind),
        TEST(neutral_counters_are_those_with_the_names_of_a_known_driver),
        TEST(a_counter_of_time_or_of_another_name_is_refused),
        TEST(a_refused_lock_is_told_with_the_remedy),
        TEST(only_radv_holds_a_stable_clock),
        TEST(radv_holds_a_stable_clock_also_while_counters_run),
        TEST(a_driver_that_lists_no_counters_has_none),
        TEST(a_list_that_grows_is_read_as_far_as_there_is_room),
        TEST(values_that_were_not_written_are_none),
        TEST(a_set_that_the_driver_cannot_read_is_refused),
        TEST(want_of_memory_at_every_call_is_told_and_cleaned_up),
        TEST(a_device_lost_at_every_call_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
