// SPDX-License-Identifier: MIT
// Opens and closes devices and their queues, waits with a time limit, and frees driver objects.
#include "gpu/cuda/cuda.h"
#include "gpu/wait.h"

bool cuda_enter(const struct cuda_device *device, struct error *err)
{
    return cuda_check(device->api, device->api->cuCtxSetCurrent(device->context), "cuCtxSetCurrent",
                      err);
}

// ---------------------------------------------------------------- waiting

struct awaited {
    const struct cuda_api *api;
    struct cu_stream *stream; // stream whose work the host waits for, unless `event` is set
    struct cu_event *event;
};

static enum gpu_wait_answer ask(void *context, struct error *err)
{
    const struct awaited *awaited = context;
    int result = awaited->event ? awaited->api->cuEventQuery(awaited->event)
                                : awaited->api->cuStreamQuery(awaited->stream);
    if (result == CU_NOT_READY)
        return GPU_WAIT_NOT_YET;
    return cuda_check(awaited->api, result, "waiting for the device", err) ? GPU_WAIT_DONE
                                                                           : GPU_WAIT_FAILED;
}

static bool await(const struct cuda_device *device, struct awaited awaited, uint64_t timeout_ns,
                  struct error *err)
{
    return gpu_wait(
        &(struct gpu_wait_desc){
            .id = device->base.info->id, .timeout_ns = timeout_ns, .ask = ask, .context = &awaited},
        err);
}

bool cuda_stream_drain(const struct cuda_device *device, struct cu_stream *stream,
                       struct error *err)
{
    return await(device, (struct awaited){.api = device->api, .stream = stream}, GPU_WAIT_DRAIN_NS,
                 err);
}

bool cuda_event_wait(const struct cuda_device *device, struct cu_event *event, uint64_t timeout_ns,
                     struct error *err)
{
    return await(device, (struct awaited){.api = device->api, .event = event}, timeout_ns, err);
}

// ---------------------------------------------------------------- freeing

static void free_now(const struct cuda_api *api, const struct cuda_owned *owned)
{
    if (owned->memory)
        api->cuMemFree_v2(owned->memory);
    if (owned->host)
        api->cuMemFreeHost(owned->host);
    if (owned->module)
        api->cuModuleUnload(owned->module);
    if (owned->mipmap)
        api->cuMipmappedArrayDestroy(owned->mipmap);
    if (owned->array)
        api->cuArrayDestroy(owned->array);
}

void cuda_free(struct cuda_device *device, struct cuda_owned owned)
{
    if (device->held == 0) {
        free_now(device->api, &owned);
        return;
    }
    struct cuda_deferred *deferred = ARENA_NEW(device->base.arena, struct cuda_deferred);
    *deferred = (struct cuda_deferred){.next = device->deferred, .owned = owned};
    device->deferred = deferred;
}

void cuda_free_deferred(struct cuda_device *device)
{
    for (; device->deferred; device->deferred = device->deferred->next)
        free_now(device->api, &device->deferred->owned);
}

// ---------------------------------------------------------------- opening and closing

// CUDA's priorities go from `greatest` (negative; 0 if the device has none) to `least` (0). The sum
// has 64 bits, because a driver may report any range.
static int stream_priority(enum gpu_priority priority, int least, int greatest)
{
    switch (priority) {
    case GPU_PRIORITY_LOW:
        return least;
    case GPU_PRIORITY_HIGH:
    case GPU_PRIORITY_REALTIME:
        return greatest;
    case GPU_PRIORITY_MEDIUM:
        break;
    }
    return (int)(((int64_t)least + greatest) / 2);
}

static bool create_queues(struct cuda_device *device, const struct gpu_device_desc *desc,
                          struct arena *arena, struct error *err)
{
    const struct cuda_api *api = device->api;
    int least = 0, greatest = 0;
    if (!cuda_check(api, api->cuCtxGetStreamPriorityRange(&least, &greatest),
                    "cuCtxGetStreamPriorityRange", err))
        return false;
    for (unsigned i = 0; i < desc->queue_count; i++) {
        struct cuda_queue *queue = ARENA_NEW(arena, struct cuda_queue);
        queue->base = (struct gpu_queue){.device = &device->base,
                                         .request = desc->queues[i],
                                         .family = (unsigned)desc->queues[i].kind};
        queue->priority = stream_priority(desc->queues[i].priority, least, greatest);
        if (!cuda_stream_create(api, &queue->stream, queue->priority, err))
            return false;
        device->base.queues[device->base.queue_count++] = &queue->base;
    }
    return true;
}

static void destroy_queue(const struct cuda_api *api, struct cuda_queue *queue)
{
    for (int i = 0; i < CUDA_SIDES; i++) {
        if (queue->sides[i])
            api->cuStreamDestroy_v2(queue->sides[i]);
        if (queue->joined[i])
            api->cuEventDestroy_v2(queue->joined[i]);
    }
    if (queue->fork)
        api->cuEventDestroy_v2(queue->fork);
    api->cuStreamDestroy_v2(queue->stream);
}

void cuda_device_close(struct gpu_device *base)
{
    struct cuda_device *device = (struct cuda_device *)base;
    // If the device hangs, frees nothing, because the driver's functions might wait for ever.
    if (base->hung)
        return;
    // If the device is lost, cuda_enter and the calls below fail, which does no harm.
    bool entered = cuda_enter(device, NULL);
    (void)entered;
    cuda_free_deferred(device);
    for (unsigned i = 0; i < base->queue_count; i++)
        destroy_queue(device->api, (struct cuda_queue *)base->queues[i]);
    device->api->cuCtxSetCurrent(NULL);
    device->api->cuDevicePrimaryCtxRelease_v2(device->device);
}

// Makes the device's context. By the compute mode, which an administrator sets, a device may refuse
// it: no process may have a context, or only one process at a time.
static bool retain_context(struct cuda_device *device, struct error *err)
{
    const struct cuda_api *api = device->api;
    int mode = CU_COMPUTE_MODE_DEFAULT;
    int result = api->cuDevicePrimaryCtxRetain(&device->context, device->device);
    if (cuda_check(api, result, "cuDevicePrimaryCtxRetain", err))
        return true;
    if (result != CU_DEVICE_UNAVAILABLE ||
        api->cuDeviceGetAttribute(&mode, CU_ATTR_COMPUTE_MODE, device->device) != CU_SUCCESS ||
        mode == CU_COMPUTE_MODE_DEFAULT)
        return false;
    return error_prefix(err, mode == CU_COMPUTE_MODE_PROHIBITED
                                 ? "its compute mode allows no process: run nvidia-smi -c DEFAULT"
                                 : "its compute mode allows only one process: end the other "
                                   "process, or run nvidia-smi -c DEFAULT");
}

struct gpu_device *cuda_device_open(void *state_pointer, const struct gpu_info *info,
                                    const struct gpu_device_desc *desc, struct arena *arena,
                                    struct error *err)
{
    struct cuda_state *state = state_pointer;
    struct cuda_device *device = ARENA_NEW(arena, struct cuda_device);
    device->base.info = info;
    device->state = state;
    device->api = &state->api;
    device->device = state->devices[info->index];
    device->moves_pages = cuda_moves_pages(device->api, device->device);
    if (desc->robust) {
        error_set(err, ERROR_UNSUPPORTED, "%s: CUDA has no bounds-checked buffer access", info->id);
        return NULL;
    }
    if (!retain_context(device, err)) {
        error_prefix(err, "%s", info->id);
        return NULL;
    }
    if (cuda_enter(device, err) && create_queues(device, desc, arena, err))
        return &device->base;
    error_prefix(err, "%s", info->id);
    cuda_device_close(&device->base);
    return NULL;
}
