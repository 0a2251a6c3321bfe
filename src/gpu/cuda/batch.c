// SPDX-License-Identifier: MIT
// Creates batches and records their commands. submit.c submits the batches.
#include "gpu/cuda/cuda.h"

#include <string.h>

enum {
    BLOCK_BYTES = 16 * 1024,
    ALIGN_BYTES = 16,
};

// ---------------------------------------------------------------- making

// Creates the side streams over which an unordered batch distributes its commands.
static bool add_sides(const struct cuda_device *device, struct cuda_queue *queue, struct error *err)
{
    const struct cuda_api *api = device->api;
    if (!queue->fork && !cuda_event_create(api, &queue->fork, CU_EVENT_DISABLE_TIMING, err))
        return false;
    for (int i = 0; i < CUDA_SIDES; i++)
        if ((!queue->sides[i] &&
             !cuda_stream_create(api, &queue->sides[i], queue->priority, err)) ||
            (!queue->joined[i] &&
             !cuda_event_create(api, &queue->joined[i], CU_EVENT_DISABLE_TIMING, err)))
            return false;
    return true;
}

static bool create_events(const struct cuda_api *api, struct cuda_batch *batch, struct error *err)
{
    if (!cuda_event_create(api, &batch->done, CU_EVENT_DISABLE_TIMING, err))
        return false;
    for (unsigned i = 0; i < batch->base.desc.span_count; i++)
        if (!cuda_event_create(api, &batch->spans[i].begin, 0, err) ||
            !cuda_event_create(api, &batch->spans[i].end, 0, err))
            return false;
    return true;
}

struct gpu_batch *cuda_batch_create(struct gpu_scope *scope, const struct gpu_batch_desc *desc,
                                    struct error *err)
{
    struct cuda_device *device = (struct cuda_device *)scope->device;
    struct cuda_batch *batch = ARENA_NEW(scope->arena, struct cuda_batch);
    // The scope and the number of spans are set first, because cuda_batch_destroy reads them.
    batch->base = (struct gpu_batch){.object.scope = scope, .desc = *desc};
    batch->queue = (struct cuda_queue *)desc->queue;
    batch->spans = ARENA_ARRAY(scope->arena, desc->span_count, struct cuda_span);
    if (!cuda_enter(device, err))
        return NULL;
    if ((!batch->base.desc.unordered || add_sides(device, batch->queue, err)) &&
        create_events(device->api, batch, err))
        return &batch->base;
    cuda_batch_destroy(&batch->base);
    return NULL;
}

static void drop_recorded(const struct cuda_api *api, struct cuda_batch *batch)
{
    if (batch->graph)
        api->cuGraphExecDestroy(batch->graph);
    batch->graph = NULL;
    for (size_t i = 0; i < batch->sampled_count; i++)
        api->cuTexObjectDestroy(batch->sampled[i].texture);
    batch->sampled_count = batch->upload_count = batch->command_count = 0;
    for (batch->block = batch->blocks; batch->block && batch->block->used;
         batch->block = batch->block->next)
        batch->block->used = 0;
    batch->block = batch->blocks;
}

void cuda_batch_destroy(struct gpu_batch *base)
{
    struct cuda_batch *batch = (struct cuda_batch *)base;
    const struct cuda_api *api = cuda_device_of(&base->object)->api;
    drop_recorded(api, batch);
    for (unsigned i = 0; i < batch->base.desc.span_count; i++) {
        if (batch->spans[i].begin)
            api->cuEventDestroy_v2(batch->spans[i].begin);
        if (batch->spans[i].end)
            api->cuEventDestroy_v2(batch->spans[i].end);
    }
    if (batch->done)
        api->cuEventDestroy_v2(batch->done);
}

bool cuda_batch_reset(struct gpu_batch *base, struct error *err)
{
    struct cuda_device *device = cuda_device_of(&base->object);
    if (!cuda_enter(device, err))
        return false;
    drop_recorded(device->api, (struct cuda_batch *)base);
    return true;
}

// ---------------------------------------------------------------- recording

// Returns zeroed memory for a recorded command, which is valid until the batch is reset.
static void *command_alloc(struct cuda_batch *batch, size_t bytes)
{
    bytes = (bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
    while (!batch->block || BLOCK_BYTES - batch->block->used < bytes) {
        if (batch->block && batch->block->next) {
            batch->block = batch->block->next;
            continue;
        }
        struct cuda_block *block =
            arena_alloc(batch->base.object.scope->arena, sizeof *block + BLOCK_BYTES);
        if (batch->block)
            batch->block->next = block;
        else
            batch->blocks = block;
        batch->block = block;
    }
    void *memory = batch->block->data + batch->block->used;
    batch->block->used += bytes;
    return memset(memory, 0, bytes);
}

static struct cuda_command *add_command(struct cuda_batch *batch, enum cuda_command_kind kind)
{
    batch->commands =
        arena_grow(batch->base.object.scope->arena, batch->commands, batch->command_count,
                   &batch->command_capacity, sizeof *batch->commands);
    struct cuda_command *command = &batch->commands[batch->command_count++];
    *command = (struct cuda_command){.kind = kind};
    return command;
}

static bool sampled_texture(struct cuda_batch *batch, const struct gpu_arg *arg, uint64_t *texture,
                            struct error *err)
{
    for (size_t i = 0; i < batch->sampled_count; i++) {
        if (batch->sampled[i].image == arg->image && batch->sampled[i].sampler == arg->sampler) {
            *texture = batch->sampled[i].texture;
            return true;
        }
    }
    if (!cuda_texture_sampled(cuda_device_of(&batch->base.object), (struct cuda_image *)arg->image,
                              arg->sampler, texture, err))
        return false;
    batch->sampled =
        arena_grow(batch->base.object.scope->arena, batch->sampled, batch->sampled_count,
                   &batch->sampled_capacity, sizeof *batch->sampled);
    batch->sampled[batch->sampled_count++] =
        (struct cuda_sampled){.image = arg->image, .sampler = arg->sampler, .texture = *texture};
    return true;
}

// Records a copy of a constant argument to the symbol where the kernel reads it. The copy runs
// before all commands. If a later command needs another range at this symbol, an ordered batch
// copies again, and an unordered batch fails.
static bool add_upload(struct cuda_batch *batch, const struct cuda_constant *constant,
                       const struct gpu_arg *arg, struct error *err)
{
    struct cuda_range_copy copy = {
        .to = constant->address,
        .from = arg->buffer->address + arg->offset,
        .bytes = arg->bytes < constant->bytes ? arg->bytes : constant->bytes,
    };
    struct cuda_upload *upload = NULL;
    if (copy.to == 0)
        return true;
    for (size_t i = 0; i < batch->upload_count; i++)
        if (batch->uploads[i].first.to == copy.to)
            upload = &batch->uploads[i];
    if (!upload) {
        batch->uploads =
            arena_grow(batch->base.object.scope->arena, batch->uploads, batch->upload_count,
                       &batch->upload_capacity, sizeof *batch->uploads);
        batch->uploads[batch->upload_count++] = (struct cuda_upload){.first = copy, .last = copy};
        return true;
    }
    if (upload->last.from == copy.from && upload->last.bytes == copy.bytes)
        return true;
    if (batch->base.desc.unordered)
        return error_set(err, ERROR_UNSUPPORTED,
                         "CUDA: one program with two constant buffers in an unordered batch: make "
                         "two programs");
    upload->last = copy;
    add_command(batch, CUDA_COMMAND_COPY)->as.copy = copy;
    return true;
}

// Sets *value to the 64-bit value that the kernel gets for one argument: an address, or a handle.
static bool argument_value(struct cuda_batch *batch, const struct cuda_program *program,
                           unsigned position, const struct gpu_arg *arg, uint64_t *value,
                           struct error *err)
{
    const struct cuda_image *image = (const struct cuda_image *)arg->image;
    switch (program->base.kernel->args[position]) {
    case GPU_ARG_BUFFER:
    case GPU_ARG_ADDRESS:
        *value = arg->buffer->address + arg->offset;
        return true;
    case GPU_ARG_CONSTANT:
        *value = arg->buffer->address + arg->offset;
        return add_upload(batch, &program->constants[position], arg, err);
    case GPU_ARG_TYPED:
        *value = ((const struct cuda_typed *)arg->typed)->texture;
        return true;
    case GPU_ARG_IMAGE:
        *value = image->texture;
        return true;
    case GPU_ARG_IMAGE_RW:
        *value = image->surface;
        return true;
    case GPU_ARG_SAMPLED:
        return sampled_texture(batch, arg, value, err);
    // GPU_ARG_TYPED_RW cannot occur: typed views of this backend are not writable.
    case GPU_ARG_TYPED_RW:
    case GPU_ARG_KIND_COUNT:
        break;
    }
    return error_set(err, ERROR_INTERNAL, "kernel %s: argument %u", program->base.kernel->name,
                     position);
}

bool cuda_batch_dispatch(struct gpu_batch *base, const struct gpu_dispatch *dispatch,
                         struct error *err)
{
    struct cuda_batch *batch = (struct cuda_batch *)base;
    const struct cuda_program *program = (const struct cuda_program *)dispatch->program;
    const struct gpu_kernel *kernel = program->base.kernel;
    void **arguments = command_alloc(batch, (kernel->arg_count + 1) * sizeof *arguments);
    uint64_t *values = command_alloc(batch, kernel->arg_count * sizeof *values);
    if (!cuda_enter(cuda_device_of(&base->object), err))
        return false;
    for (unsigned i = 0; i < kernel->arg_count; i++) {
        arguments[i] = &values[i];
        if (!argument_value(batch, program, i, &dispatch->args[i], &values[i], err))
            return false;
    }
    // The driver reads as many bytes as the kernel declares, even if the dispatch has fewer params.
    arguments[kernel->arg_count] = command_alloc(batch, GPU_PARAMS_MAX_BYTES);
    if (dispatch->params_bytes)
        memcpy(arguments[kernel->arg_count], dispatch->params, dispatch->params_bytes);
    struct cuda_launch *launch = &add_command(batch, CUDA_COMMAND_LAUNCH)->as.launch;
    *launch = (struct cuda_launch){.function = program->function,
                                   .block = kernel->workgroup,
                                   .shared_bytes = program->shared_bytes,
                                   .arguments = arguments};
    memcpy(launch->grid, dispatch->groups, sizeof launch->grid);
    return true;
}

bool cuda_batch_copy(struct gpu_batch *base, struct gpu_buffer *to, uint64_t to_offset,
                     struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes,
                     struct error *err)
{
    (void)err;
    add_command((struct cuda_batch *)base, CUDA_COMMAND_COPY)->as.copy = (struct cuda_range_copy){
        .to = to->address + to_offset,
        .from = from->address + from_offset,
        .bytes = bytes,
    };
    return true;
}

bool cuda_batch_fill(struct gpu_batch *base, struct gpu_buffer *buffer, uint64_t offset,
                     uint64_t bytes, uint32_t word, struct error *err)
{
    (void)err;
    struct cuda_command *command = add_command((struct cuda_batch *)base, CUDA_COMMAND_FILL);
    command->as.fill.to = buffer->address + offset;
    command->as.fill.words = bytes / 4;
    command->as.fill.word = word;
    return true;
}

bool cuda_peers_batch_copy(struct gpu_batch *batch, const struct gpu_peers_copy *copy,
                           struct error *err)
{
    (void)err;
    add_command((struct cuda_batch *)batch, CUDA_COMMAND_PEER_COPY)->as.peer =
        (struct cuda_peer_copy){
            .range = {.to = copy->to->address + copy->to_offset,
                      .from = copy->from->address + copy->from_offset,
                      .bytes = copy->bytes},
            .to = cuda_device_of(&copy->to->object)->context,
            .from = cuda_device_of(&copy->from->object)->context,
        };
    return true;
}

bool cuda_managed_batch_prefetch(struct gpu_batch *batch, const struct gpu_managed_range *range,
                                 struct error *err)
{
    const struct cuda_device *device = cuda_device_of(&batch->object);
    if (!cuda_pages_check(device, err))
        return false;
    add_command((struct cuda_batch *)batch, CUDA_COMMAND_PREFETCH)->as.prefetch =
        (struct cuda_prefetch){
            .address = range->buffer->address + range->offset,
            .bytes = range->bytes,
            .to = range->to_host ? CU_DEVICE_CPU : device->device,
        };
    return true;
}

// Records a barrier in an unordered batch. An ordered batch needs no barrier, because its stream
// runs commands in order.
bool cuda_batch_barrier(struct gpu_batch *base, enum gpu_barrier barrier, struct error *err)
{
    (void)barrier;
    (void)err;
    if (base->desc.unordered)
        add_command((struct cuda_batch *)base, CUDA_COMMAND_BARRIER);
    return true;
}

bool cuda_batch_span(struct gpu_batch *base, unsigned span, bool end, struct error *err)
{
    (void)err;
    struct cuda_batch *batch = (struct cuda_batch *)base;
    add_command(batch, CUDA_COMMAND_STAMP)->as.stamp =
        end ? batch->spans[span].end : batch->spans[span].begin;
    return true;
}
