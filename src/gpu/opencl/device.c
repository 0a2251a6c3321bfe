// SPDX-License-Identifier: MIT
// Opens and closes devices and their queues, and waits for events with a time limit.
#include "gpu/opencl/opencl.h"
#include "gpu/wait.h"

#include <string.h>

// ---------------------------------------------------------------- waiting

struct awaited {
    const struct opencl_device *device;
    cl_event event;
};

static enum gpu_wait_answer ask(void *context, struct error *err)
{
    const struct awaited *awaited = context;
    cl_int status = 0;
    cl_int result = awaited->device->api->clGetEventInfo(
        awaited->event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    if (!opencl_check(result, "clGetEventInfo", err))
        return GPU_WAIT_FAILED;
    if (status >= 0)
        return status == CL_COMPLETE ? GPU_WAIT_DONE : GPU_WAIT_NOT_YET;
    if (!opencl_check(status, "a command ended", err) && err)
        // a failed command may have left the device's memory in any state
        err->code = ERROR_DEVICE_LOST;
    return GPU_WAIT_FAILED;
}

bool opencl_event_wait(const struct opencl_device *device, cl_event event, uint64_t timeout_ns,
                       struct error *err)
{
    struct awaited awaited = {device, event};
    return gpu_wait(
        &(struct gpu_wait_desc){
            .id = device->base.info->id, .timeout_ns = timeout_ns, .ask = ask, .context = &awaited},
        err);
}

bool opencl_host_begin(const struct opencl_device *device, struct error *err)
{
    const struct opencl_queue *queue = (const struct opencl_queue *)device->base.queues[0];
    return !queue->last || opencl_event_wait(device, queue->last, GPU_WAIT_DRAIN_NS, err);
}

bool opencl_host_end(struct opencl_device *device, cl_int result, cl_event event, const char *what,
                     struct error *err)
{
    struct error why = {0};
    if (!opencl_check(result, what, err))
        return false;
    bool ok = opencl_check(device->api->clFlush(device->host), "clFlush", &why) &&
              opencl_event_wait(device, event, GPU_WAIT_DRAIN_NS, &why);
    device->api->clReleaseEvent(event);
    if (ok)
        return true;
    // The command may still run, and use memory that the caller frees.
    device->base.lost = true;
    device->base.hung = why.code != ERROR_DEVICE_LOST;
    return error_set(err, why.code, "%s: %s", what, why.message);
}

// ---------------------------------------------------------------- opening and closing

bool opencl_queue_create(const struct opencl_device *device, cl_command_queue *queue,
                         cl_command_queue_properties properties, struct error *err)
{
    cl_int result = CL_SUCCESS;
    *queue =
        device->api->clCreateCommandQueue(device->context, device->device, properties, &result);
    return opencl_check(result, "clCreateCommandQueue", err);
}

static bool create_queues(struct opencl_device *device, const struct gpu_device_desc *desc,
                          struct arena *arena, struct error *err)
{
    for (unsigned i = 0; i < desc->queue_count; i++) {
        struct opencl_queue *queue = ARENA_NEW(arena, struct opencl_queue);
        queue->base = (struct gpu_queue){.device = &device->base,
                                         .request = desc->queues[i],
                                         .family = (unsigned)desc->queues[i].kind};
        if (!opencl_queue_create(device, &queue->ordered, CL_QUEUE_PROFILING_ENABLE, err))
            return false;
        device->base.queues[device->base.queue_count++] = &queue->base;
    }
    return opencl_queue_create(device, &device->host, 0, err);
}

static void release_queue(const struct opencl_api *api, struct opencl_queue *queue)
{
    if (queue->last)
        api->clReleaseEvent(queue->last);
    if (queue->unordered)
        api->clReleaseCommandQueue(queue->unordered);
    api->clReleaseCommandQueue(queue->ordered);
}

void opencl_device_close(struct gpu_device *base)
{
    struct opencl_device *device = (struct opencl_device *)base;
    if (base->hung)
        return; // on a device that hangs, the release of a queue might never return
    for (unsigned i = 0; i < base->queue_count; i++)
        release_queue(device->api, (struct opencl_queue *)base->queues[i]);
    if (device->host)
        device->api->clReleaseCommandQueue(device->host);
    if (device->context)
        device->api->clReleaseContext(device->context);
}

struct gpu_device *opencl_device_open(void *state_pointer, const struct gpu_info *info,
                                      const struct gpu_device_desc *desc, struct arena *arena,
                                      struct error *err)
{
    struct opencl_state *state = state_pointer;
    struct opencl_device *device = ARENA_NEW(arena, struct opencl_device);
    cl_int result = CL_SUCCESS;
    device->base.info = info;
    device->state = state;
    device->api = &state->api;
    device->device = state->devices[info->index];
    device->pocl = strstr(info->driver, "Portable Computing Language");
    if (desc->robust) {
        error_set(err, ERROR_UNSUPPORTED, "%s: OpenCL has no bounds-checked buffer access",
                  info->id);
        return NULL;
    }
    device->context = device->api->clCreateContext(NULL, 1, &device->device, NULL, NULL, &result);
    if (opencl_check(result, "clCreateContext", err) && create_queues(device, desc, arena, err))
        return &device->base;
    error_prefix(err, "%s", info->id);
    opencl_device_close(&device->base);
    return NULL;
}
