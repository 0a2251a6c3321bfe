// SPDX-License-Identifier: MIT
// Opening and closing a device, its queues, and waiting with an end.
#include "base/clock.h"
#include "gpu/opencl/opencl.h"

#include <string.h>

enum {
    DRAIN_S = 30,            // a host copy waits this long for what was queued before it
    POLL_SPIN_NS = 50000,    // at first without sleep: short work should not wait for a timer
    POLL_SLEEP_NS = 20000,   // then between two looks
    POLL_SLEEP_MOST = 500000 // growing to this
};

// ---------------------------------------------------------------- waiting

static bool is_complete(const struct opencl_device *device, cl_event event, bool *done,
                        struct error *err)
{
    cl_int status = 0;
    cl_int result = device->api->clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                sizeof status, &status, NULL);
    if (!opencl_check(result, "clGetEventInfo", err))
        return false;
    *done = status == CL_COMPLETE;
    if (status >= 0)
        return true;
    if (!opencl_check(status, "a command ended", err) && err)
        err->code = ERROR_DEVICE_LOST; // whatever the code is: what it did is not known
    return false;
}

bool opencl_event_wait(const struct opencl_device *device, cl_event event, uint64_t timeout_ns,
                       struct error *err)
{
    uint64_t start_ns = clock_now_ns(), deadline_ns = clock_deadline_ns(timeout_ns);
    uint64_t sleep_ns = POLL_SLEEP_NS;
    for (;;) {
        bool done = false;
        if (!is_complete(device, event, &done, err))
            return false;
        if (done)
            return true;
        uint64_t left_ns = clock_left_ns(deadline_ns);
        if (left_ns == 0)
            return error_set(err, ERROR_TIMEOUT, "%s: not done after %.3g s", device->base.info->id,
                             (double)timeout_ns / 1e9);
        if (clock_now_ns() - start_ns < POLL_SPIN_NS)
            continue;
        clock_sleep_ns(sleep_ns < left_ns ? sleep_ns : left_ns);
        sleep_ns = sleep_ns * 2 < POLL_SLEEP_MOST ? sleep_ns * 2 : POLL_SLEEP_MOST;
    }
}

bool opencl_host_begin(const struct opencl_device *device, struct error *err)
{
    const struct opencl_queue *queue = (const struct opencl_queue *)device->base.queues[0];
    return !queue->last || opencl_event_wait(device, queue->last, DRAIN_S * NS_PER_S, err);
}

bool opencl_host_end(const struct opencl_device *device, cl_int result, cl_event event,
                     const char *what, struct error *err)
{
    if (!opencl_check(result, what, err))
        return false;
    bool ok = opencl_check(device->api->clFlush(device->host), "clFlush", err) &&
              opencl_event_wait(device, event, DRAIN_S * NS_PER_S, err);
    device->api->clReleaseEvent(event);
    return ok || error_prefix(err, "%s", what);
}

// ---------------------------------------------------------------- opening and closing

static bool create_queue(const struct opencl_device *device, cl_command_queue *queue,
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
        if (!create_queue(device, &queue->ordered, CL_QUEUE_PROFILING_ENABLE, err))
            return false;
        device->base.queues[device->base.queue_count++] = &queue->base;
    }
    return create_queue(device, &device->host, 0, err);
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
        return; // releasing a queue may wait for what hangs
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
