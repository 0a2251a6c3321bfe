// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "gpu/front.h"

static const char *queue_kind_name(enum gpu_queue_kind kind)
{
    static const char *const names[GPU_QUEUE_KIND_COUNT] = {"universal", "compute", "transfer"};
    return names[kind];
}

static bool check_queues(const struct gpu_info *info, const struct gpu_device_desc *desc,
                         struct error *err)
{
    unsigned wanted[GPU_QUEUE_KIND_COUNT] = {0}, there[GPU_QUEUE_KIND_COUNT] = {0};
    if (desc->queue_count > GPU_QUEUES_MAX)
        return error_set(err, ERROR_INTERNAL, "%s: %u queues asked for, at most %d", info->id,
                         desc->queue_count, GPU_QUEUES_MAX);
    for (unsigned i = 0; i < desc->queue_count; i++) {
        if ((unsigned)desc->queues[i].kind >= GPU_QUEUE_KIND_COUNT)
            return error_set(err, ERROR_INTERNAL, "%s: queue %u: no such kind %d", info->id, i,
                             (int)desc->queues[i].kind);
        if (desc->queues[i].priority != GPU_PRIORITY_MEDIUM &&
            !gpu_require(info, GPU_CAP(PRIORITY), err))
            return false;
        wanted[desc->queues[i].kind]++;
    }
    for (unsigned i = 0; i < info->family_count; i++)
        there[info->families[i].kind] += info->families[i].count;
    for (unsigned kind = 0; kind < GPU_QUEUE_KIND_COUNT; kind++)
        if (wanted[kind] > there[kind])
            return error_set(err, ERROR_UNSUPPORTED, "%s has %u %s queues, not %u", info->id,
                             there[kind], queue_kind_name((enum gpu_queue_kind)kind), wanted[kind]);
    return true;
}

struct gpu_device *gpu_device_open(struct gpu_system *system, const struct gpu_info *info,
                                   const struct gpu_device_desc *desc, struct error *err)
{
    struct gpu_device_desc resolved = desc ? *desc : (struct gpu_device_desc){0};
    if (resolved.queue_count == 0) {
        resolved.queues[0] = (struct gpu_queue_request){0};
        resolved.queue_count = 1;
    }
    void *state = NULL;
    const struct gpu_backend *backend = gpu_system_backend(system, info, &state);
    if (!backend) {
        error_set(err, ERROR_INTERNAL, "%s: not a device of this system", info->id);
        return NULL;
    }
    if (!check_queues(info, &resolved, err))
        return NULL;
    struct arena *arena = arena_create();
    struct gpu_device *device = backend->device_open(state, info, &resolved, arena, err);
    if (!device) {
        arena_destroy(arena);
        return NULL;
    }
    device->backend = backend;
    device->info = info;
    device->arena = arena;
    return device;
}

void gpu_device_close(struct gpu_device *device)
{
    if (!device)
        return;
    while (device->scopes)
        gpu_scope_close(device->scopes);
    struct arena *arena = device->arena;
    gpu_device_free_clock(device);
    device->backend->device_close(device);
    arena_destroy(arena);
}

const struct gpu_info *gpu_device_info(const struct gpu_device *device)
{
    return device->info;
}

struct gpu_queue *gpu_device_queue(struct gpu_device *device, unsigned queue)
{
    return queue < device->queue_count ? device->queues[queue] : NULL;
}

size_t gpu_device_live_objects(const struct gpu_device *device)
{
    return device->live_objects;
}

size_t gpu_device_validation_messages(const struct gpu_device *device, const char **first)
{
    if (first)
        *first = NULL;
    if (!device->backend->validation_messages)
        return 0;
    return device->backend->validation_messages(device, first);
}

bool gpu_device_calibrated_timestamp(struct gpu_device *device,
                                     struct gpu_calibrated_timestamp *timestamp)
{
    uint64_t before_ns = clock_now_ns();
    if (device->lost || !device->backend->device_calibrated_timestamp ||
        !device->backend->device_calibrated_timestamp(device, timestamp))
        return false;
    return timestamp->host_ns + timestamp->deviation_ns >= before_ns &&
           timestamp->host_ns <= clock_now_ns() + timestamp->deviation_ns;
}

bool gpu_device_choose_clock(struct gpu_device *device, double core_hz, struct error *err)
{
    if (!gpu_device_check(device, err) || !gpu_require(device->info, GPU_CAP(CLOCK_CHOICE), err))
        return false;
    if (!(core_hz >= 0))
        return error_set(err, ERROR_INTERNAL, "a core clock of %g Hz", core_hz);
    return gpu_device_note(device, device->backend->device_choose_clock(device, core_hz, err), err);
}

bool gpu_device_hold_clock(struct gpu_device *device, struct error *err)
{
    if (device->clock_held)
        return true;
    if (!gpu_device_check(device, err) || !gpu_require(device->info, GPU_CAP(STABLE_CLOCK), err))
        return false;
    device->clock_held = device->backend->device_hold_clock(device, err);
    return gpu_device_note(device, device->clock_held, err);
}

void gpu_device_free_clock(struct gpu_device *device)
{
    if (device->clock_held && !device->hung)
        device->backend->device_free_clock(device);
    device->clock_held = false;
}
