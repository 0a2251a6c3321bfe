// SPDX-License-Identifier: MIT
#include "gpu/front.h"

enum {
    CLOSE_WAIT_S = 5
};

struct gpu_scope *gpu_scope_open(struct gpu_device *device)
{
    struct arena *arena = arena_create();
    struct gpu_scope *scope = ARENA_NEW(arena, struct gpu_scope);
    *scope = (struct gpu_scope){.device = device, .arena = arena, .older = device->scopes};
    device->scopes = scope;
    return scope;
}

struct gpu_device *gpu_scope_device(const struct gpu_scope *scope)
{
    return scope->device;
}

bool gpu_object_check(const struct gpu_device *device, const void *object, const char *what,
                      struct error *err)
{
    const struct gpu_object *checked = object;
    if (checked && checked->scope->device == device)
        return true;
    return error_set(err, ERROR_INTERNAL, "%s %s", what,
                     checked ? "of another device" : "is missing");
}

static struct gpu_batch *first_in_flight(struct gpu_object *object, struct gpu_scope *scope)
{
    for (;;) {
        for (; object; object = object->older) {
            if (object->kind != GPU_OBJECT_BATCH)
                continue;
            // The cast is valid, because the object is the first member of the batch.
            struct gpu_batch *batch = (struct gpu_batch *)object;
            if (batch->state == GPU_BATCH_IN_FLIGHT)
                return batch;
        }
        scope = scope->older;
        if (!scope)
            return NULL;
        object = scope->newest;
    }
}

struct gpu_batch *gpu_batch_next_in_flight(struct gpu_device *device, struct gpu_batch *batch)
{
    if (batch)
        return first_in_flight(batch->object.older, batch->object.scope);
    return device->scopes ? first_in_flight(device->scopes->newest, device->scopes) : NULL;
}

static void release_holds(struct gpu_scope *scope)
{
    for (struct gpu_object *object = scope->newest; object; object = object->older)
        if (object->kind == GPU_OBJECT_HOLD)
            gpu_hold_let_go((struct gpu_hold *)object);
}

static uint32_t queue_bit(const struct gpu_queue *queue)
{
    unsigned q = 0;
    while (queue->device->queues[q] != queue)
        q++;
    return UINT32_C(1) << q;
}

bool gpu_batch_is_on(const struct gpu_batch *batch, uint32_t queues)
{
    return batch->state == GPU_BATCH_IN_FLIGHT && (queue_bit(batch->queue) & queues);
}

uint32_t gpu_queue_behind(struct gpu_device *device, const struct gpu_queue *queue)
{
    uint32_t queues = queue_bit(queue), before = 0;
    while (queues != before) {
        before = queues;
        struct gpu_batch *batch = NULL;
        while ((batch = gpu_batch_next_in_flight(device, batch)))
            for (unsigned i = 0; gpu_batch_is_on(batch, before) && i < batch->after_count; i++)
                queues |= queue_bit(batch->after[i]->queue);
    }
    return queues;
}

// Releases the holds of any scope that can block the work of `queue`.
static void release_queue(struct gpu_device *device, const struct gpu_queue *queue)
{
    uint32_t queues = gpu_queue_behind(device, queue);
    struct gpu_batch *batch = NULL;
    while ((batch = gpu_batch_next_in_flight(device, batch)))
        if (gpu_batch_is_on(batch, queues))
            gpu_hold_let_go(batch->hold);
}

static bool uses_scope(const struct gpu_batch *batch, const struct gpu_scope *scope)
{
    if (batch->object.scope == scope || (batch->hold && batch->hold->object.scope == scope))
        return true;
    for (unsigned i = 0; i < batch->after_count; i++)
        if (batch->after[i]->object.scope == scope)
            return true;
    return false;
}

void gpu_batch_finish(struct gpu_batch *batch)
{
    struct gpu_device *device = gpu_batch_device(batch);
    struct error err = {0};
    release_queue(device, batch->queue);
    if (!gpu_batch_wait(batch, CLOSE_WAIT_S * UINT64_C(1000000000), &err) &&
        err.code != ERROR_DEVICE_LOST)
        device->lost = device->hung = true;
}

static void wait_for_batches(struct gpu_scope *scope)
{
    struct gpu_device *device = scope->device;
    struct gpu_batch *batch = NULL;
    while (!device->hung && (batch = gpu_batch_next_in_flight(device, batch)))
        if (uses_scope(batch, scope))
            gpu_batch_finish(batch);
}

static void unlink_scope(struct gpu_scope *scope)
{
    struct gpu_scope **link = &scope->device->scopes;
    while (*link != scope) // NOLINT(clang-analyzer-core.NullDereference): the scope is in the list
        link = &(*link)->older;
    *link = scope->older;
}

void gpu_scope_close(struct gpu_scope *scope)
{
    if (!scope)
        return;
    struct gpu_device *device = scope->device;
    if (!device->lost) {
        release_holds(scope);
        wait_for_batches(scope);
    }
    while (scope->newest) {
        struct gpu_object *object = scope->newest;
        scope->newest = object->older;
        if (!device->hung)
            device->backend->object_destroy(object);
        device->live_objects--;
    }
    unlink_scope(scope);
    arena_destroy(scope->arena);
}
