// SPDX-License-Identifier: MIT
// The backend `model`, which simulates GPUs: its devices, memory and programs. The files that
// describe the devices are listed in the environment variable GPU_MODEL_VARIABLE.
#include "gpu/model/backend.h"

#include "base/divisor.h"
#include "base/pages.h"
#include "gpu/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Smallest alignment, in bytes, of a buffer's simulated address (align_address).
static const uint64_t page_bytes = UINT64_C(2) << 20;
// Largest alignment, in bytes, of a buffer's simulated address.
static const uint64_t most_step = UINT64_C(1) << 40;
static const double least_hz = 1e6; // lowest core clock that can be chosen, in Hz

// Largest size, in bytes, of a buffer that gets huge host pages. A larger buffer gets small pages,
// because kernels touch only a few places in it.
static const uint64_t dense_bytes = UINT64_C(600) << 20;

struct state {
    struct arena *arena;
    struct model_machine *machines;
    size_t count, capacity;
};

// ---------------------------------------------------------------- devices

static struct gpu_info info_of(const struct model_machine *machine)
{
    struct gpu_info info = {
        .kind = GPU_KIND_VIRTUAL,
        .vendor = "fathom",
        .driver = "simulated",
        .api_version = "1",
        .caps = GPU_CAP(CORE_CLOCK) | GPU_CAP(DEVICE_CLOCK) | GPU_CAP(CORE_ID) |
                GPU_CAP(STAMPS_INSIDE) | GPU_CAP(ADDRESSES) | GPU_CAP(INT64) |
                GPU_CAP(VIRTUAL_TIME) | GPU_CAP(CLOCK_CHOICE),
        .families = {{.kind = GPU_QUEUE_UNIVERSAL, .count = 1, .stamp_bits = 64}},
        .family_count = 1,
    };
    snprintf(info.name, sizeof info.name, "%s", machine->name);
    info.limits = (struct gpu_limits){
        .memory_bytes = machine->memory_bytes,
        .allocation_bytes = machine->memory_bytes,
        .storage_range_bytes = machine->memory_bytes,
        .storage_align_bytes = 16,
        .params_bytes = GPU_PARAMS_MAX_BYTES,
        .workgroup_threads = 1024,
        .workgroup_threads_x = 1024,
        .workgroup_threads_y = 1024,
        .workgroup_threads_z = 1024,
        .workgroup_count_x = UINT32_MAX,
        .workgroup_count_y = 65535,
        .workgroup_count_z = 65535,
        .subgroup_threads = 1,
        .subgroup_threads_min = 1,
        .subgroup_threads_max = 1,
        .cores = machine->cores,
        .core_threads = machine->core_threads,
        .last_cache_bytes = machine->last_cache_bytes,
        .core_clock_hz = (uint64_t)machine->core_clock_hz,
        .stamp_step_ps = 1000,
        .stamp_bits = 64,
    };
    return info;
}

static void load_file(struct gpu_enumeration *to, struct state *state, const char *path)
{
    struct error err;
    struct model_machine machine;
    if (!model_machine_read(state->arena, path, &machine, &err)) {
        to->add_unavailable(to, err.message, "docs/MODELS.md describes the format of the file");
        return;
    }
    state->machines = arena_grow(state->arena, state->machines, state->count, &state->capacity,
                                 sizeof *state->machines);
    state->machines[state->count++] = machine;
    const struct gpu_info info = info_of(&machine);
    to->add_device(to, &info);
}

static void *load(struct gpu_enumeration *to)
{
    const char *files = getenv(GPU_MODEL_VARIABLE);
    if (!files || !*files)
        return NULL; // the user asked for no model: neither devices nor a reason are reported
    struct state *state = ARENA_NEW(to->arena, struct state);
    state->arena = to->arena;
    for (const char *at = files; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        int length = (int)strcspn(at, "\n");
        if (length > 0)
            load_file(to, state, arena_printf(to->arena, "%.*s", length, at));
    }
    return state->count ? state : NULL;
}

static void unload(void *state)
{
    (void)state; // nothing to free, because the state lives in the system's arena
}

// Rounds up to a multiple of 2 MiB and of the size of one way of each level; leaves out a level
// whose way would raise the alignment above most_step. So a buffer begins in the first set of each
// level that is not hashed.
static uint64_t align_address(const struct model_machine *machine, uint64_t address)
{
    uint64_t step = page_bytes;
    for (uint32_t i = 0; i < machine->level_count; i++) {
        uint64_t way = machine->levels[i].capacity_bytes / machine->levels[i].ways;
        uint64_t common = divisor_common(step, way); // `common` >= 1, because `step` >= 1
        bool fits = way > 0 && step / common <= most_step / way;
        uint64_t multiple = fits ? step / common * way : 0;
        if (multiple > step)
            step = multiple;
    }
    return (address + step - 1) / step * step;
}

static struct gpu_device *device_open(void *opaque, const struct gpu_info *info,
                                      const struct gpu_device_desc *desc, struct arena *arena,
                                      struct error *err)
{
    const struct state *state = opaque;
    if (desc->robust || desc->queue_count > 1) {
        error_set(err, ERROR_UNSUPPORTED, "a model has one queue, and no bounds checks");
        return NULL;
    }
    struct model_device *device = ARENA_NEW(arena, struct model_device);
    device->machine = state->machines[info->index];
    device->caches = model_caches_create(arena, &device->machine);
    device->stacks = model_stacks_create(arena, device->machine.cores);
    if (!device->stacks) {
        error_set(err, ERROR_OUT_OF_MEMORY, "no host memory for the threads of a model");
        return NULL;
    }
    device->memory.next = align_address(&device->machine, 1);
    device->random = device->machine.seed;
    device->queue = (struct gpu_queue){.device = &device->device, .request = desc->queues[0]};
    device->device.queues[0] = &device->queue;
    device->device.queue_count = 1;
    return &device->device;
}

static void device_close(struct gpu_device *device)
{
    // Only the host stacks of threads and the tables of `places` are not in the device's arena.
    struct model_device *model = (struct model_device *)device;
    model_stacks_destroy(model->stacks);
    model_places_free(&model->places);
}

// Limits the core clock, as a clock lock does on a real card: throttling can still lower the clock.
static bool device_choose_clock(struct gpu_device *device, double core_hz, struct error *err)
{
    (void)err;
    ((struct model_device *)device)->chosen_hz = core_hz > 0 ? fmax(core_hz, least_hz) : 0;
    return true;
}

// ---------------------------------------------------------------- memory

static char *alloc_host(uint64_t bytes)
{
    return bytes <= dense_bytes ? pages_alloc(bytes) : pages_alloc_sparse(bytes);
}

static struct gpu_buffer *buffer_create(struct gpu_scope *scope, const struct gpu_buffer_desc *desc,
                                        struct error *err)
{
    struct model_device *device = model_device_of(scope);
    struct model_memory *memory = &device->memory;
    if (desc->memory == GPU_MEMORY_VISIBLE) {
        error_set(err, ERROR_UNSUPPORTED, "a model has no host-visible device memory");
        return NULL;
    }
    // A simulated address is never used twice, so addresses can run out although memory is free.
    uint64_t end = model_caches_end(device->caches);
    bool fits = desc->bytes <= device->machine.memory_bytes - device->used_bytes &&
                memory->next <= end && desc->bytes <= end - memory->next;
    char *host = fits ? alloc_host(desc->bytes) : NULL;
    if (!host) {
        error_set(err, ERROR_OUT_OF_MEMORY, "model memory: %llu bytes requested, %llu left",
                  (unsigned long long)desc->bytes,
                  (unsigned long long)(device->machine.memory_bytes - device->used_bytes));
        return NULL;
    }
    struct gpu_buffer *buffer = ARENA_NEW(scope->arena, struct gpu_buffer);
    buffer->mapped = desc->memory == GPU_MEMORY_DEVICE ? NULL : host;
    buffer->address = (uint64_t)(uintptr_t)host;
    memory->ranges = arena_grow(device->device.arena, memory->ranges, memory->count,
                                &memory->capacity, sizeof *memory->ranges);
    memory->ranges[memory->count++] =
        (struct model_range){.host = host,
                             .bytes = desc->bytes,
                             .address = memory->next,
                             .own = desc->memory == GPU_MEMORY_DEVICE};
    memory->next = align_address(&device->machine, memory->next + desc->bytes);
    device->used_bytes += desc->bytes;
    return buffer;
}

static void free_buffer(struct model_device *device, struct gpu_buffer *buffer)
{
    struct model_memory *memory = &device->memory;
    for (size_t i = 0; i < memory->count; i++) {
        if (memory->ranges[i].host != model_host_of(buffer))
            continue;
        model_range_free(&memory->ranges[i]);
        memory->ranges[i] = memory->ranges[--memory->count];
        break;
    }
    memory->last_used = 0;
    device->used_bytes -= buffer->bytes;
    pages_free(model_host_of(buffer), buffer->bytes);
}

static bool buffer_write(struct gpu_buffer *buffer, uint64_t offset, const void *data,
                         uint64_t bytes, struct error *err)
{
    (void)err;
    memcpy(model_host_of(buffer) + offset, data, bytes);
    model_memory_forget(&model_device_of(buffer->object.scope)->memory, model_host_of(buffer));
    return true;
}

static bool buffer_read(struct gpu_buffer *buffer, uint64_t offset, void *data, uint64_t bytes,
                        struct error *err)
{
    (void)err;
    memcpy(data, model_host_of(buffer) + offset, bytes);
    return true;
}

// ---------------------------------------------------------------- programs

static struct gpu_program *program_create(struct gpu_scope *scope,
                                          const struct gpu_program_desc *desc, struct error *err)
{
    if (desc->kernel->host || desc->kernel->stream)
        return ARENA_NEW(scope->arena, struct gpu_program);
    error_set(err, ERROR_UNSUPPORTED, "%s: a model only runs kernels that have a host form",
              desc->kernel->name);
    return NULL;
}

static void object_destroy(struct gpu_object *object)
{
    if (object->kind == GPU_OBJECT_BUFFER)
        free_buffer(model_device_of(object->scope), (struct gpu_buffer *)object);
}

const struct gpu_backend model_backend = {
    .name = "model",
    .no_driver = true,
    .load = load,
    .unload = unload,
    .device_open = device_open,
    .device_close = device_close,
    .device_choose_clock = device_choose_clock,
    .buffer_create = buffer_create,
    .buffer_write = buffer_write,
    .buffer_read = buffer_read,
    .program_create = program_create,
    .batch_create = model_batch_create,
    .batch_dispatch = model_batch_dispatch,
    .batch_copy = model_batch_copy,
    .batch_fill = model_batch_fill,
    .batch_barrier = model_batch_barrier,
    .batch_span = model_batch_span,
    .batch_end = model_batch_end,
    .batch_reset = model_batch_reset,
    .batch_submit = model_batch_submit,
    .batch_wait = model_batch_wait,
    .batch_span_ns = model_batch_span_ns,
    .object_destroy = object_destroy,
    .counting = &model_counting,
};
