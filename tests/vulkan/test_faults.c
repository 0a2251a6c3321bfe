// SPDX-License-Identifier: MIT
// Each Vulkan call in the whole life of a device fails once for want of memory, and once with a
// lost device. Each time, there is an error with the right code that names a cause, nothing leaks
// (the validation layer would report that when the device is destroyed), and nothing crashes.
#include "faults.h"

#include "gpu/kernels.h"
#include "gpu/vulkan/api.h"
#include "gpu/vulkan/functions.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define WAIT_NS UINT64_C(600000000000)

static struct faults *open_control(void)
{
    void *library = dlopen(FAULTS_LIBRARY, RTLD_NOW); // the loader has it open too
    if (!library)
        fail_msg("%s", dlerror());
    faults_control *control = NULL;
    void *symbol = dlsym(library, FAULTS_CONTROL);
    assert_non_null(symbol);
    memcpy(&control, &symbol, sizeof control);
    return control();
}

static bool use_memory(struct gpu_scope *scope, struct gpu_buffer **buffer, struct error *err)
{
    uint32_t word = 7;
    *buffer = gpu_buffer_create(scope, &(struct gpu_buffer_desc){.bytes = 4096}, err);
    return *buffer &&
           gpu_buffer_create(
               scope, &(struct gpu_buffer_desc){.bytes = 64, .memory = GPU_MEMORY_READBACK}, err) &&
           gpu_buffer_write(*buffer, 0, &word, 4, err) &&
           gpu_buffer_read(*buffer, 0, &word, 4, err) &&
           gpu_typed_create(scope, *buffer, GPU_FORMAT_R32_UINT, 0, 16, err);
}

static bool use_images(struct gpu_scope *scope, struct error *err)
{
    uint32_t texels[16] = {0};
    struct gpu_image *image = gpu_image_create(
        scope, &(struct gpu_image_desc){.format = GPU_FORMAT_R32_UINT, .width = 4, .height = 4},
        err);
    return image && gpu_image_write(image, 0, 0, texels, sizeof texels, err) &&
           gpu_sampler_create(scope, &(struct gpu_sampler_desc){0}, err);
}

static bool use_batches(struct gpu_scope *scope, struct gpu_buffer *buffer, struct error *err)
{
    double ns;
    struct gpu_program *program = gpu_program_create(
        scope, &(struct gpu_program_desc){.kernel = kernel_find("conf_ids")}, err);
    struct gpu_hold *hold = program ? gpu_hold_create(scope, err) : NULL;
    struct gpu_batch *batch =
        hold ? gpu_batch_create(scope, &(struct gpu_batch_desc){.span_count = 1}, err) : NULL;
    if (!batch)
        return false;
    for (unsigned round = 0; round < 2; round++) {
        gpu_batch_span_begin(batch, 0);
        gpu_batch_dispatch(batch, &(struct gpu_dispatch){.program = program,
                                                         .args = {{.buffer = buffer}},
                                                         .params = (uint32_t[]){1, 1, 1},
                                                         .params_bytes = 12});
        gpu_batch_span_end(batch, 0);
        if (!gpu_batch_end(batch, err) || !gpu_batch_submit(batch, hold, err) ||
            !gpu_hold_release(hold, err) || !gpu_batch_wait(batch, WAIT_NS, err) ||
            !gpu_batch_span_ns(batch, 0, &ns, err) || !gpu_batch_reset(batch, err))
            return false;
    }
    return true;
}

static bool live_a_life(struct gpu_device *device, struct error *err)
{
    struct gpu_buffer *buffer = NULL;
    struct gpu_scope *scope = gpu_scope_open(device);
    bool ok = use_memory(scope, &buffer, err) && use_images(scope, err) &&
              use_batches(scope, buffer, err);
    gpu_scope_close(scope);
    assert_int_equal(gpu_device_live_objects(device), 0);
    return ok;
}

static void assert_silent(const struct gpu_device *device, const struct faults *faults)
{
    const char *first = NULL;
    if (gpu_device_validation_messages(device, &first))
        fail_msg("after call %u (%s) failed: %s", faults->fail_at, faults->failed, first);
}

// Uses a new device while its call `fail_at` fails. Returns false if an error was reported.
static bool live_with_fault(struct gpu_system *system, struct faults *faults, unsigned fail_at,
                            VkResult result, struct error *err)
{
    *faults = (struct faults){.fail_at = fail_at, .result = result};
    struct gpu_device *device = gpu_device_open(system, gpu_system_info(system, 0), NULL, err);
    if (!device)
        return false;
    bool ok = live_a_life(device, err);
    assert_silent(device, faults);
    gpu_device_close(device);
    return ok;
}

static void fail_every_call(VkResult result, enum error_code code)
{
    struct faults *faults = open_control();
    *faults = (struct faults){0};
    struct gpu_system *system =
        gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan", .validation = true});
    assert_true(gpu_system_device_count(system) > 0);
    struct error err = {0};
    unsigned calls = 0;
    for (unsigned call = 1; !live_with_fault(system, faults, call, result, &err); call++) {
        calls++;
        if (err.code != code || !faults->failed)
            fail_msg("call %u (%s) failed: %s: %s", call, faults->failed, error_code_name(err.code),
                     err.message);
        err = (struct error){0};
    }
    assert_null(faults->failed); // the last life had fewer calls
    print_message("%u calls failed one by one\n", calls);
    assert_true(calls > 60);
    *faults = (struct faults){0};
    // Leaks are reported when a device is destroyed, so one more device shows them.
    struct gpu_device *device = gpu_device_open(system, gpu_system_info(system, 0), NULL, &err);
    assert_non_null(device);
    assert_silent(device, faults);
    gpu_device_close(device);
    gpu_system_destroy(system);
}

static void want_of_memory_at_every_call_is_an_ordinary_error(void **state)
{
    (void)state;
    fail_every_call(VK_ERROR_OUT_OF_DEVICE_MEMORY, ERROR_OUT_OF_MEMORY);
}

static void a_device_lost_at_every_call_says_so(void **state)
{
    (void)state;
    fail_every_call(VK_ERROR_DEVICE_LOST, ERROR_DEVICE_LOST);
}

static void an_exhausted_descriptor_pool_is_followed_by_another(void **state)
{
    (void)state;
    struct faults *faults = open_control();
    struct gpu_system *system =
        gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan", .validation = true});
    struct error err = {0};
    // Find the number of vkAllocateDescriptorSets by letting one call after another fail.
    unsigned call = 1;
    do
        live_with_fault(system, faults, call, VK_ERROR_OUT_OF_POOL_MEMORY, &err);
    while (strcmp(faults->failed, "vkAllocateDescriptorSets") != 0 && ++call);
    err = (struct error){0};
    // If a fresh pool has no room for its first set, giving up is right, and the error says why.
    assert_false(live_with_fault(system, faults, call, VK_ERROR_OUT_OF_POOL_MEMORY, &err));
    assert_int_equal(err.code, ERROR_OUT_OF_MEMORY);
    // In its second life, the batch finds its pool full and takes another.
    err = (struct error){0};
    do
        live_with_fault(system, faults, ++call, VK_ERROR_OUT_OF_POOL_MEMORY, &err);
    while (strcmp(faults->failed, "vkAllocateDescriptorSets") != 0);
    err = (struct error){0};
    assert_true(live_with_fault(system, faults, call, VK_ERROR_OUT_OF_POOL_MEMORY, &err));
    gpu_system_destroy(system);
}

static VKAPI_ATTR VkResult VKAPI_CALL run_backwards(VkDevice device, VkQueryPool pool,
                                                    uint32_t first, uint32_t count, size_t bytes,
                                                    void *to, VkDeviceSize stride,
                                                    VkQueryResultFlags flags)
{
    struct vulkan_stamp *stamps = to;
    (void)device, (void)pool, (void)first, (void)bytes, (void)stride, (void)flags;
    for (uint32_t i = 0; i < count; i++)
        stamps[i] = (struct vulkan_stamp){.value = 1000 - i, .available = 1};
    return VK_SUCCESS;
}

static void a_clock_that_runs_backwards_gives_no_span(void **state)
{
    (void)state;
    *open_control() = (struct faults){0};
    struct gpu_system *system = gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan"});
    struct error err = {0};
    struct gpu_device *device = gpu_device_open(system, gpu_system_info(system, 0), NULL, &err);
    assert_non_null(device);
    ((struct vulkan_device *)device)->vk.vkGetQueryPoolResults = run_backwards;
    assert_false(live_a_life(device, &err));
    assert_int_equal(err.code, ERROR_INTERNAL);
    assert_non_null(strstr(err.message, "its driver's time stamps are wrong"));
    gpu_device_close(device);
    gpu_system_destroy(system);
}

static VKAPI_ATTR VkResult VKAPI_CALL map_nothing(VkDevice device, VkDeviceMemory memory,
                                                  VkDeviceSize offset, VkDeviceSize bytes,
                                                  VkMemoryMapFlags flags, void **to)
{
    (void)device, (void)memory, (void)offset, (void)bytes, (void)flags, (void)to;
    return VK_SUCCESS;
}

static void VKAPI_CALL list_endless_types(VkPhysicalDevice device,
                                          VkPhysicalDeviceMemoryProperties *memory)
{
    (void)device;
    memory->memoryTypeCount = UINT32_MAX;
}

// Given a driver that maps memory nowhere, or that states other types of memory than when it was
// listed, then the buffer is refused, or is made of the types that were checked.
static void memory_is_what_the_driver_stated_first_and_has_an_address(void **state)
{
    (void)state;
    *open_control() = (struct faults){0};
    struct gpu_system *system = gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan"});
    struct error err = {0};
    PFN_vkGetPhysicalDeviceMemoryProperties really = vkGetPhysicalDeviceMemoryProperties;
    vkGetPhysicalDeviceMemoryProperties = list_endless_types;
    struct gpu_device *device = gpu_device_open(system, gpu_system_info(system, 0), NULL, &err);
    vkGetPhysicalDeviceMemoryProperties = really;
    assert_non_null(device);
    assert_true(live_a_life(device, &err));
    struct gpu_scope *scope = gpu_scope_open(device);
    ((struct vulkan_device *)device)->vk.vkMapMemory = map_nothing;
    assert_null(gpu_buffer_create(
        scope, &(struct gpu_buffer_desc){.bytes = 64, .memory = GPU_MEMORY_READBACK}, &err));
    assert_int_equal(err.code, ERROR_OUT_OF_MEMORY);
    gpu_scope_close(scope);
    gpu_device_close(device);
    gpu_system_destroy(system);
}

// The loader offers these functions itself, whether or not the driver has them.
static bool is_of_the_loader(const char *name)
{
    return strcmp(name, "vkAllocateCommandBuffers") == 0 || strcmp(name, "vkDestroyDevice") == 0 ||
           strcmp(name, "vkGetDeviceQueue") == 0;
}

static void assert_refused_without(struct gpu_system *system, struct faults *faults,
                                   const char *function)
{
    struct error err = {0};
    faults->hidden = function;
    struct gpu_device *device = gpu_device_open(system, gpu_system_info(system, 0), NULL, &err);
    faults->hidden = NULL;
    if (device || err.code != ERROR_UNSUPPORTED || !strstr(err.message, function))
        fail_msg("without %s: %s", function, err.message);
}

// Given a driver that lacks a function of Vulkan 1.3, or of an extension that it states, when its
// device is opened, then there is an error that names the function, whichever function it is.
static void a_driver_without_a_function_is_refused(void **state)
{
    (void)state;
    struct faults *faults = open_control();
    *faults = (struct faults){0};
    struct gpu_system *system =
        gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan", .validation = true});
    struct error err = {0};
    struct gpu_device *device = gpu_device_open(system, gpu_system_info(system, 0), NULL, &err);
    assert_non_null(device);
    const struct vulkan_extensions there = ((struct vulkan_device *)device)->physical->extensions;
    gpu_device_close(device);
    const struct {
        const char *name;
        bool needed;
    } functions[] = {
#define X(name) {#name, true},
        VULKAN_CORE_FUNCTIONS(X)
#undef X
#define X(extension, name) {#name, there.extension},
            VULKAN_EXTENSION_FUNCTIONS(X)
#undef X
    };
    for (size_t i = 0; i < COUNT(functions); i++)
        if (functions[i].needed && !is_of_the_loader(functions[i].name))
            assert_refused_without(system, faults, functions[i].name);
    gpu_system_destroy(system);
}

static void an_instance_that_fails_is_unavailable(void **state)
{
    (void)state;
    struct faults *faults = open_control();
    static const char *const names[] = {"vkCreateInstance", "vkEnumeratePhysicalDevices"};
    for (unsigned call = 1; call <= 2; call++) {
        *faults = (struct faults){.fail_at = call, .result = VK_ERROR_OUT_OF_HOST_MEMORY};
        struct gpu_system *system =
            gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan"});
        assert_int_equal(gpu_system_device_count(system), 0);
        assert_true(gpu_system_unavailable_count(system) > 0);
        assert_non_null(strstr(gpu_system_unavailable(system, 0)->reason, names[call - 1]));
        assert_non_null(gpu_system_unavailable(system, 0)->remedy);
        gpu_system_destroy(system);
    }
}

// Returns whether something alters the first device's driver; checks that this is the layer.
static bool is_altered_by_the_layer(bool validation)
{
    struct gpu_system *system = gpu_system_create(
        &(struct gpu_system_desc){.only_api = "vulkan", .validation = validation});
    struct error err;
    struct gpu_device *device = gpu_device_open(system, gpu_system_info(system, 0), NULL, &err);
    assert_non_null(device);
    struct arena *arena = arena_create();
    struct gpu_alteration alteration = gpu_device_alteration(device, arena);
    bool altered = alteration.text != NULL;
    if (altered) {
        assert_non_null(strstr(alteration.text, "libVkLayer_fathom_faults.so stands between"));
        assert_false(alteration.submissions_only);
    }
    arena_destroy(arena);
    gpu_device_close(device);
    gpu_system_destroy(system);
    return altered;
}

// Given a device that cannot be created, then the message names its free memory: drivers fail with
// any error when another process has filled it.
static void a_device_that_cannot_be_created_states_its_free_memory(void **state)
{
    (void)state;
    struct faults *faults = open_control();
    *faults = (struct faults){0};
    struct gpu_system *system = gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan"});
    const struct gpu_info *info = gpu_system_info(system, 0);
    struct error err = {0};
    *faults = (struct faults){.fail_at = 1, .result = VK_ERROR_INITIALIZATION_FAILED};
    assert_null(gpu_device_open(system, info, NULL, &err));
    *faults = (struct faults){0};
    assert_non_null(strstr(err.message, "VK_ERROR_INITIALIZATION_FAILED"));
    assert_int_equal(strstr(err.message, " MiB of its memory are free)") != NULL,
                     info->memory_free_bytes != 0);
    gpu_system_destroy(system);
}

static void a_layer_between_fathom_and_the_driver_is_named(void **state)
{
    (void)state;
    *open_control() = (struct faults){0};
    assert_true(is_altered_by_the_layer(true));  // the validation layer is behind this one
    assert_true(is_altered_by_the_layer(false)); // no layer is
    unsetenv("VK_INSTANCE_LAYERS");              // the loader reads it for each instance
    assert_false(is_altered_by_the_layer(false));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(want_of_memory_at_every_call_is_an_ordinary_error),
        cmocka_unit_test(a_device_lost_at_every_call_says_so),
        cmocka_unit_test(an_exhausted_descriptor_pool_is_followed_by_another),
        cmocka_unit_test(a_clock_that_runs_backwards_gives_no_span),
        cmocka_unit_test(memory_is_what_the_driver_stated_first_and_has_an_address),
        cmocka_unit_test(a_driver_without_a_function_is_refused),
        cmocka_unit_test(an_instance_that_fails_is_unavailable),
        cmocka_unit_test(a_device_that_cannot_be_created_states_its_free_memory),
        cmocka_unit_test(a_layer_between_fathom_and_the_driver_is_named), // last: removes the layer
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
