// SPDX-License-Identifier: MIT
// A driver refuses a command in the middle of a submission: the host gets its memory back, and the
// next case works. By cl_khr_icd, every object of a driver begins with the address of its table of
// functions, through which the loader calls. The test replaces a function there.
#include "gpu/kernels.h"

#include "gpu/backend.h"
#include "gpu/opencl/api.h"

#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum {
    WORDS = 64,
    EXIT_SKIP = 77
};
#define WAIT_NS UINT64_C(600000000000)

struct world {
    struct gpu_system *system;
    struct gpu_device *device;
    struct gpu_scope *scope; // lives longer than any batch
    struct gpu_buffer *buffers[2];
    struct gpu_program *program;
    cl_icd_dispatch *driver;
};

static cl_api_clEnqueueUnmapMemObject unmap_really;
static cl_api_clGetEventProfilingInfo times_really;
static unsigned unmaps;

static cl_icd_dispatch *find_driver(void)
{
    struct error err;
    struct opencl_api api;
    struct dynlib *library = opencl_api_load(&api, &err);
    cl_platform_id platform = NULL;
    assert_non_null(library);
    assert_int_equal(api.clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    dynlib_close(library); // the system keeps it open
    cl_icd_dispatch *table;
    memcpy(&table, platform, sizeof table);
    return table;
}

static cl_int refuse_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                            const size_t *offset, const size_t *global, const size_t *local,
                            cl_uint count, const cl_event *events, cl_event *event)
{
    (void)queue, (void)kernel, (void)dimensions, (void)offset, (void)global, (void)local;
    (void)count, (void)events, (void)event;
    return CL_INVALID_WORK_GROUP_SIZE;
}

static cl_int refuse_second_unmap(cl_command_queue queue, cl_mem memory, void *mapped,
                                  cl_uint count, const cl_event *events, cl_event *event)
{
    if (++unmaps == 2)
        return CL_OUT_OF_RESOURCES;
    return unmap_really(queue, memory, mapped, count, events, event);
}

static void check(bool ok, const struct error *err)
{
    if (!ok)
        fail_msg("%s: %s", error_code_name(err->code), err->message);
}

// Runs a case in a scope of its own. It sets both buffers to 0, factor, 2 · factor, …
static bool run_case(const struct world *w, uint32_t factor, struct gpu_hold *hold,
                     struct error *err)
{
    struct gpu_scope *scope = gpu_scope_open(w->device);
    struct gpu_batch *batch = gpu_batch_create(scope, NULL, err);
    check(batch, err);
    for (unsigned i = 0; i < 2; i++)
        gpu_batch_dispatch(batch, &(struct gpu_dispatch){.program = w->program,
                                                         .args = {{.buffer = w->buffers[i]}},
                                                         .params = (uint32_t[]){WORDS, factor, 0},
                                                         .params_bytes = 12});
    check(gpu_batch_end(batch, err), err);
    bool ok = gpu_batch_submit(batch, hold, err) && gpu_batch_wait(batch, WAIT_NS, err);
    gpu_scope_close(scope);
    return ok;
}

static void assert_next_case_runs(const struct world *w)
{
    struct error err = {0};
    check(run_case(w, 3, NULL, &err), &err);
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t *words = gpu_buffer_map(w->buffers[i]);
        assert_int_equal(words[0], 0);
        assert_int_equal(words[WORDS - 1], 3 * (WORDS - 1));
    }
}

// Given host memory and a hold that outlive a case, when a launch on the memory is refused, then
// the next case can use the memory, and does not wait for the hold.
static void a_refused_launch_gives_the_host_its_memory_back(void **state)
{
    struct world *w = *state;
    struct error err = {0};
    cl_api_clEnqueueNDRangeKernel really = w->driver->clEnqueueNDRangeKernel;
    w->driver->clEnqueueNDRangeKernel = refuse_launch;
    bool ran = run_case(w, 2, gpu_hold_create(w->scope, &err), &err);
    w->driver->clEnqueueNDRangeKernel = really;
    assert_false(ran);
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "CL_INVALID_WORK_GROUP_SIZE"));
    assert_next_case_runs(w);
}

// … when the second of two buffers cannot be lent to the device, then only the first is given back.
static void only_what_was_lent_comes_back(void **state)
{
    struct world *w = *state;
    struct error err = {0};
    unmap_really = w->driver->clEnqueueUnmapMemObject;
    unmaps = 0;
    w->driver->clEnqueueUnmapMemObject = refuse_second_unmap;
    bool ran = run_case(w, 2, NULL, &err);
    w->driver->clEnqueueUnmapMemObject = unmap_really;
    assert_false(ran);
    assert_int_equal(err.code, ERROR_OUT_OF_MEMORY);
    assert_int_equal(unmaps, 2);
    assert_next_case_runs(w);
}

static cl_int swap_times(cl_event event, cl_profiling_info which, size_t room, void *to,
                         size_t *size)
{
    const cl_profiling_info other =
        which == CL_PROFILING_COMMAND_START ? CL_PROFILING_COMMAND_END : CL_PROFILING_COMMAND_START;
    return times_really(event, other, room, to, size);
}

static cl_int start_long_ago(cl_event event, cl_profiling_info which, size_t room, void *to,
                             size_t *size)
{
    static const cl_ulong zero;
    cl_int result = times_really(event, which, room, to, size);
    if (which == CL_PROFILING_COMMAND_START)
        memcpy(to, &zero, sizeof zero);
    return result;
}

static cl_int write_no_time(cl_event event, cl_profiling_info which, size_t room, void *to,
                            size_t *size)
{
    (void)event, (void)which, (void)room, (void)to, (void)size;
    return CL_SUCCESS;
}

// Given a driver whose events end before they start, last longer than the host waited, or have no
// times, then the span has no length, and the error says why.
static void times_that_cannot_be_true_are_no_span(void **state)
{
    struct world *w = *state;
    const cl_api_clGetEventProfilingInfo wrong[] = {swap_times, start_long_ago, write_no_time};
    struct error err = {0};
    double ns;
    struct gpu_batch *batch =
        gpu_batch_create(w->scope, &(struct gpu_batch_desc){.span_count = 1}, &err);
    check(batch, &err);
    gpu_batch_span_begin(batch, 0);
    gpu_batch_fill(batch, w->buffers[0], 0, sizeof(uint32_t[WORDS]), 7);
    gpu_batch_span_end(batch, 0);
    check(gpu_batch_end(batch, &err) && gpu_batch_run(batch, WAIT_NS, &err), &err);
    check(gpu_batch_span_ns(batch, 0, &ns, &err), &err);
    times_really = w->driver->clGetEventProfilingInfo;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        w->driver->clGetEventProfilingInfo = wrong[i];
        bool known = gpu_batch_span_ns(batch, 0, &ns, &err);
        w->driver->clGetEventProfilingInfo = times_really;
        assert_false(known);
        assert_int_equal(err.code, ERROR_INTERNAL);
        assert_non_null(strstr(err.message, "its driver's time stamps are wrong"));
    }
}

static cl_int refuse_build(cl_program program, cl_uint count, const cl_device_id *devices,
                           const char *options, void (*done)(cl_program, void *), void *context)
{
    (void)program, (void)count, (void)devices, (void)options, (void)done, (void)context;
    return CL_BUILD_PROGRAM_FAILURE;
}

static cl_int state_an_endless_log(cl_program program, cl_device_id device,
                                   cl_program_build_info which, size_t room, void *to, size_t *size)
{
    (void)program, (void)device, (void)which, (void)room, (void)to;
    if (size)
        *size = SIZE_MAX / 4;
    return CL_SUCCESS;
}

// Given a compiler that fails and states a log that no memory holds, then the error is the
// compiler's.
static void an_endless_build_log_is_left_out(void **state)
{
    const struct world *w = *state;
    const struct gpu_program_desc ids = {.kernel = kernel_find("conf_ids")};
    struct error err = {0};
    cl_api_clBuildProgram build = w->driver->clBuildProgram;
    cl_api_clGetProgramBuildInfo log = w->driver->clGetProgramBuildInfo;
    w->driver->clBuildProgram = refuse_build;
    w->driver->clGetProgramBuildInfo = state_an_endless_log;
    const struct gpu_program *made = gpu_program_create(w->scope, &ids, &err);
    w->driver->clBuildProgram = build;
    w->driver->clGetProgramBuildInfo = log;
    assert_null(made);
    assert_int_equal(err.code, ERROR_INTERNAL);
    assert_non_null(strstr(err.message, "CL_BUILD_PROGRAM_FAILURE"));
}

static void *map_nothing(cl_command_queue queue, cl_mem memory, cl_bool waits, cl_map_flags flags,
                         size_t offset, size_t bytes, cl_uint count, const cl_event *events,
                         cl_event *event, cl_int *result)
{
    (void)queue, (void)memory, (void)waits, (void)flags, (void)offset, (void)bytes, (void)count;
    (void)events, (void)event;
    *result = CL_SUCCESS;
    return NULL;
}

static void a_buffer_without_an_address_is_refused(void **state)
{
    const struct world *w = *state;
    const struct gpu_buffer_desc desc = {.bytes = 64, .memory = GPU_MEMORY_READBACK};
    struct error err = {0};
    cl_api_clEnqueueMapBuffer really = w->driver->clEnqueueMapBuffer;
    w->driver->clEnqueueMapBuffer = map_nothing;
    const struct gpu_buffer *made = gpu_buffer_create(w->scope, &desc, &err);
    w->driver->clEnqueueMapBuffer = really;
    assert_null(made);
    assert_int_equal(err.code, ERROR_OUT_OF_MEMORY);
}

static cl_int refuse_formats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                             cl_uint room, cl_image_format *formats, cl_uint *count)
{
    (void)context, (void)flags, (void)type, (void)room, (void)formats, (void)count;
    return CL_OUT_OF_HOST_MEMORY;
}

// States a list that no memory holds, and writes what there is room for.
static cl_int list_endless_formats(cl_context context, cl_mem_flags flags, cl_mem_object_type type,
                                   cl_uint room, cl_image_format *formats, cl_uint *count)
{
    (void)context, (void)flags, (void)type;
    for (cl_uint i = 0; i < room; i++)
        formats[i] = (cl_image_format){CL_A, CL_FLOAT};
    if (count)
        *count = UINT32_MAX;
    return CL_SUCCESS;
}

// Given a driver that cannot list its formats, then the error is the driver's. A format that it
// does not list is unsupported, however long its list is.
static void formats_that_cannot_be_listed_are_not_unsupported(void **state)
{
    const struct world *w = *state;
    const struct gpu_image_desc desc = {.format = GPU_FORMAT_R32_UINT, .width = 4};
    struct error err = {0};
    if (!gpu_image_create(w->scope, &desc, &err))
        skip();
    cl_api_clGetSupportedImageFormats really = w->driver->clGetSupportedImageFormats;
    w->driver->clGetSupportedImageFormats = refuse_formats;
    assert_null(gpu_image_create(w->scope, &desc, &err));
    assert_int_equal(err.code, ERROR_OUT_OF_MEMORY);
    assert_null(gpu_typed_create(w->scope, w->buffers[0], GPU_FORMAT_R32_UINT, 0, 4, &err));
    assert_int_equal(err.code, ERROR_OUT_OF_MEMORY);
    w->driver->clGetSupportedImageFormats = list_endless_formats;
    assert_null(gpu_image_create(w->scope, &desc, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    w->driver->clGetSupportedImageFormats = really;
}

static cl_int tell_no_state(cl_event event, cl_event_info which, size_t room, void *to,
                            size_t *size)
{
    (void)event, (void)which, (void)room, (void)to, (void)size;
    return CL_OUT_OF_HOST_MEMORY;
}

// Given a driver that does not tell whether a copy is done, then the error is the driver's, and the
// device counts as lost: the copy may still write to the memory of the caller.
static void a_copy_whose_end_is_unknown_loses_the_device(void **state)
{
    const struct world *w = *state;
    struct error err = {0};
    uint32_t word = 7;
    struct gpu_buffer *buffer =
        gpu_buffer_create(w->scope, &(struct gpu_buffer_desc){.bytes = 64}, &err);
    check(buffer, &err);
    cl_api_clGetEventInfo really = w->driver->clGetEventInfo;
    w->driver->clGetEventInfo = tell_no_state;
    bool read = gpu_buffer_read(buffer, 0, &word, sizeof word, &err);
    w->driver->clGetEventInfo = really;
    assert_false(read);
    assert_int_equal(err.code, ERROR_OUT_OF_MEMORY);
    assert_non_null(strstr(err.message, "clEnqueueReadBuffer: clGetEventInfo"));
    assert_false(gpu_buffer_read(buffer, 0, &word, sizeof word, &err));
    assert_int_equal(err.code, ERROR_DEVICE_LOST);
    w->device->hung = false; // the copy is done, so the objects can be destroyed
}

static cl_api_clGetDeviceInfo info_really;
static cl_device_info refused_info;

// A device with cl_nv_device_attribute_query, at 0001:02:03.4, that does not tell refused_info.
static cl_int tell_pci(cl_device_id device, cl_device_info which, size_t room, void *to,
                       size_t *size)
{
    enum {
        BUS_NV = 0x4008,
        SLOT_NV = 0x4009,
        DOMAIN_NV = 0x400A
    };
    static const char extensions[] = "cl_nv_device_attribute_query";
    const cl_uint number = which == DOMAIN_NV ? 1 : which == BUS_NV ? 2 : 3 << 3 | 4;
    const bool is_pci = which == DOMAIN_NV || which == BUS_NV || which == SLOT_NV;
    const void *value = is_pci ? (const void *)&number : extensions;
    const size_t bytes = is_pci ? sizeof number : sizeof extensions;
    if (which == refused_info)
        return CL_INVALID_VALUE;
    if (!is_pci && which != CL_DEVICE_EXTENSIONS)
        return info_really(device, which, room, to, size);
    if (to)
        memcpy(to, value, bytes);
    if (size)
        *size = bytes;
    return CL_SUCCESS;
}

// Given a driver that does not tell a part of a PCI address, then the device has no PCI address.
static void a_pci_address_is_whole_or_unknown(void **state)
{
    const struct world *w = *state;
    static const cl_device_info parts[] = {0, 0x4008, 0x4009, 0x400A};
    info_really = w->driver->clGetDeviceInfo;
    for (size_t i = 0; i < COUNT(parts); i++) {
        refused_info = parts[i];
        w->driver->clGetDeviceInfo = tell_pci;
        struct gpu_system *system =
            gpu_system_create(&(struct gpu_system_desc){.only_api = "opencl"});
        w->driver->clGetDeviceInfo = info_really;
        const struct gpu_info *info = gpu_system_info(system, 0);
        assert_non_null(info);
        assert_int_equal(info->has_pci, i == 0);
        assert_true(i > 0 || (info->pci.domain == 1 && info->pci.bus == 2 &&
                              info->pci.device == 3 && info->pci.function == 4));
        gpu_system_destroy(system);
    }
}

static int open_world(void **state)
{
    struct world *w = *state;
    struct error err = {0};
    w->device = gpu_device_open(w->system, gpu_system_info(w->system, 0), NULL, &err);
    check(w->device, &err);
    w->scope = gpu_scope_open(w->device);
    struct gpu_buffer_desc desc = {.bytes = WORDS * 4, .memory = GPU_MEMORY_READBACK};
    for (unsigned i = 0; i < 2; i++)
        check((w->buffers[i] = gpu_buffer_create(w->scope, &desc, &err)), &err);
    const struct gpu_program_desc ids = {.kernel = kernel_find("conf_ids")};
    check((w->program = gpu_program_create(w->scope, &ids, &err)), &err);
    w->driver = find_driver();
    return 0;
}

static int close_world(void **state)
{
    struct world *w = *state;
    gpu_scope_close(w->scope);
    assert_int_equal(gpu_device_live_objects(w->device), 0);
    gpu_device_close(w->device);
    return 0;
}

int main(void)
{
    struct world world = {.system =
                              gpu_system_create(&(struct gpu_system_desc){.only_api = "opencl"})};
    struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_refused_launch_gives_the_host_its_memory_back, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(only_what_was_lent_comes_back, open_world, close_world),
        cmocka_unit_test_setup_teardown(times_that_cannot_be_true_are_no_span, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(a_buffer_without_an_address_is_refused, open_world,
                                        close_world),
        cmocka_unit_test_setup_teardown(an_endless_build_log_is_left_out, open_world, close_world),
        cmocka_unit_test_setup_teardown(formats_that_cannot_be_listed_are_not_unsupported,
                                        open_world, close_world),
        cmocka_unit_test_setup_teardown(a_pci_address_is_whole_or_unknown, open_world, close_world),
        cmocka_unit_test_setup_teardown(a_copy_whose_end_is_unknown_loses_the_device, open_world,
                                        close_world),
    };
    bool none = gpu_system_device_count(world.system) == 0;
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        tests[i].initial_state = &world;
    int failed = none ? EXIT_SKIP : cmocka_run_group_tests(tests, NULL, NULL);
    gpu_system_destroy(world.system);
    return failed;
}
