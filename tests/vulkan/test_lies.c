// SPDX-License-Identifier: MIT
// A driver whose functions report success, but write nothing, or longer lists and texts than they
// announced. The test replaces functions in the table of the device.
#include "gpu/kernels.h"
#include "gpu/vulkan/api.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    EXIT_SKIP = 77
};
#define WAIT_NS UINT64_C(600000000000)

struct world {
    struct gpu_system *system;
    struct gpu_device *device;
    struct gpu_scope *scope;
    struct vulkan_functions *driver;
};

static void check(bool ok, const struct error *err)
{
    if (!ok)
        fail_msg("%s: %s", error_code_name(err->code), err->message);
}

// ---------------------------------------------------------------- time stamps

static VKAPI_ATTR VkResult VKAPI_CALL write_nothing(VkDevice device, VkQueryPool pool,
                                                    uint32_t first, uint32_t count, size_t bytes,
                                                    void *to, VkDeviceSize stride,
                                                    VkQueryResultFlags flags)
{
    (void)device, (void)pool, (void)first, (void)count, (void)bytes, (void)to, (void)stride;
    (void)flags;
    return VK_SUCCESS;
}

// Given a batch whose span has a length, when it runs again and the driver writes no time stamps,
// then the span has no length: that of the first run is not that of the second.
static void time_stamps_of_an_earlier_run_are_no_span(void **state)
{
    const struct world *w = *state;
    struct error err = {0};
    double ns;
    const struct gpu_buffer_desc desc = {.bytes = 4096};
    struct gpu_buffer *buffer = gpu_buffer_create(w->scope, &desc, &err);
    check(buffer, &err);
    struct gpu_batch *batch =
        gpu_batch_create(w->scope, &(struct gpu_batch_desc){.span_count = 1}, &err);
    check(batch, &err);
    gpu_batch_span_begin(batch, 0);
    gpu_batch_fill(batch, buffer, 0, 4096, 7);
    gpu_batch_span_end(batch, 0);
    check(gpu_batch_end(batch, &err) && gpu_batch_run(batch, WAIT_NS, &err), &err);
    check(gpu_batch_span_ns(batch, 0, &ns, &err), &err);
    w->driver->vkGetQueryPoolResults = write_nothing;
    check(gpu_batch_run(batch, WAIT_NS, &err), &err);
    assert_false(gpu_batch_span_ns(batch, 0, &ns, &err));
    assert_int_equal(err.code, ERROR_INTERNAL);
    assert_non_null(strstr(err.message, "wrote no time stamps"));
}

static VKAPI_ATTR VkResult VKAPI_CALL list_endless_domains(VkPhysicalDevice device, uint32_t *count,
                                                           VkTimeDomainEXT *list)
{
    (void)device;
    for (uint32_t i = 0; list && i < *count; i++)
        list[i] = VK_TIME_DOMAIN_CLOCK_MONOTONIC_RAW_EXT;
    *count = UINT32_MAX;
    return VK_SUCCESS;
}

// Given a driver that states more clocks than there was room for, none of which is the device's,
// then the clocks cannot be read together.
static void clocks_are_read_as_far_as_there_is_room(void **state)
{
    const struct world *w = *state;
    struct gpu_calibrated_timestamp timestamp;
    PFN_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT really =
        vkGetPhysicalDeviceCalibrateableTimeDomainsEXT;
    vkGetPhysicalDeviceCalibrateableTimeDomainsEXT = list_endless_domains;
    bool related = gpu_device_calibrated_timestamp(w->device, &timestamp);
    vkGetPhysicalDeviceCalibrateableTimeDomainsEXT = really;
    assert_false(related);
}

// Given a device with two families of queues, of which only the second has time stamps, then a
// queue is of the second.
static void a_queue_with_time_stamps_is_preferred(void **state)
{
    const struct world *w = *state;
    struct error err = {0};
    struct gpu_info info = *gpu_system_info(w->system, 0);
    info.families[1] = info.families[0];
    info.families[0].stamp_bits = 0;
    info.family_count = 2;
    struct gpu_device *device = gpu_device_open(w->system, &info, NULL, &err);
    check(device, &err);
    unsigned family = gpu_device_queue(device, 0)->family;
    gpu_device_close(device);
    assert_int_equal(family, 1);
}

// ---------------------------------------------------------------- images

// Given an image whose rows are longer than the staging buffer, when it is written, then the error
// says so.
static void a_row_that_is_longer_than_the_staging_buffer_is_refused(void **state)
{
    const struct world *w = *state;
    struct error err = {0};
    const struct gpu_image_desc desc = {.format = GPU_FORMAT_RGBA32_FLOAT, .width = 4};
    const size_t bytes = VULKAN_STAGING_BYTES + 16;
    struct gpu_image *image = gpu_image_create(w->scope, &desc, &err);
    check(image, &err);
    void *texels = calloc(1, bytes);
    assert_non_null(texels);
    // No driver here has such images: the front end is told of one.
    image->desc.width = (uint32_t)(bytes / 16);
    bool written = gpu_image_write(image, 0, 0, texels, bytes, &err);
    free(texels);
    assert_false(written);
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "a row of 4194320 bytes"));
}

// ---------------------------------------------------------------- statistics of kernels

static VKAPI_ATTR VkResult VKAPI_CALL list_executables(VkDevice device,
                                                       const VkPipelineInfoKHR *info,
                                                       uint32_t *count,
                                                       VkPipelineExecutablePropertiesKHR *list)
{
    (void)device, (void)info;
    *count = list ? UINT32_MAX : 1;
    return VK_SUCCESS;
}

// States one more statistic than there was room for. No text has an end.
static VKAPI_ATTR VkResult VKAPI_CALL list_statistics(VkDevice device,
                                                      const VkPipelineExecutableInfoKHR *info,
                                                      uint32_t *count,
                                                      VkPipelineExecutableStatisticKHR *list)
{
    (void)device, (void)info;
    *count = list ? UINT32_MAX : 1;
    if (!list)
        return VK_SUCCESS;
    memset(list->name, 'n', sizeof list->name);
    memset(list->description, 'd', sizeof list->description);
    list->format = VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR;
    list->value.u64 = 5;
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
list_texts(VkDevice device, const VkPipelineExecutableInfoKHR *info, uint32_t *count,
           VkPipelineExecutableInternalRepresentationKHR *list)
{
    (void)device, (void)info;
    *count = list && list->pData ? UINT32_MAX : 2;
    for (uint32_t i = 0; list && i < 2; i++) {
        memset(list[i].name, i == 0 ? 'a' : 'b', sizeof list[i].name);
        list[i].isText = VK_TRUE;
        if (list[i].pData)
            memcpy(list[i].pData, "code", list[i].dataSize);
        list[i].dataSize = i == 0 ? 4 : SIZE_MAX / 4;
    }
    return VK_SUCCESS;
}

// Given a driver whose lists are longer when they are read than when they were counted, whose names
// have no end, and which states a text that no memory holds, then fathom reads what there is room
// for.
static void statistics_are_read_as_far_as_there_is_room(void **state)
{
    const struct world *w = *state;
    struct error err = {0};
    struct gpu_program_stats stats = {.text = NULL};
    struct arena *arena = arena_create();
    struct gpu_program *program = gpu_program_create(
        w->scope, &(struct gpu_program_desc){.kernel = kernel_find("conf_add")}, &err);
    check(program, &err);
    w->driver->vkGetPipelineExecutablePropertiesKHR = list_executables;
    w->driver->vkGetPipelineExecutableStatisticsKHR = list_statistics;
    w->driver->vkGetPipelineExecutableInternalRepresentationsKHR = list_texts;
    check(vulkan_program_stats(program, arena, &stats, &err), &err);
    assert_non_null(stats.text);
    assert_int_equal(strspn(stats.text, "n"), VK_MAX_DESCRIPTION_SIZE - 1);
    assert_non_null(strstr(stats.text, "n: 5\n"));
    assert_non_null(strstr(stats.text, "a\ncode\n"));
    assert_null(strstr(stats.text, "bbb"));
    arena_destroy(arena);
}

static int open_world(void **state)
{
    struct world *w = *state;
    struct error err = {0};
    w->device = gpu_device_open(w->system, gpu_system_info(w->system, 0), NULL, &err);
    check(w->device, &err);
    w->scope = gpu_scope_open(w->device);
    w->driver = &((struct vulkan_device *)w->device)->vk;
    return 0;
}

static int close_world(void **state)
{
    gpu_device_close(((struct world *)*state)->device);
    return 0;
}

int main(void)
{
    struct world world = {.system =
                              gpu_system_create(&(struct gpu_system_desc){.only_api = "vulkan"})};
    struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(time_stamps_of_an_earlier_run_are_no_span, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(clocks_are_read_as_far_as_there_is_room, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(a_queue_with_time_stamps_is_preferred, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(a_row_that_is_longer_than_the_staging_buffer_is_refused,
                                        open_world, close_world),
        cmocka_unit_test_setup_teardown(statistics_are_read_as_far_as_there_is_room, open_world,
                                        close_world),
    };
    bool none = gpu_system_device_count(world.system) == 0;
    for (size_t i = 0; i < COUNT(tests); i++)
        tests[i].initial_state = &world;
    int failed = none ? EXIT_SKIP : cmocka_run_group_tests(tests, NULL, NULL);
    gpu_system_destroy(world.system);
    return failed;
}
