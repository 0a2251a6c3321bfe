// SPDX-License-Identifier: MIT
// Creates batches and records their commands. submit.c submits the batches.
#include "gpu/opencl/opencl.h"

#include <string.h>

enum {
    // number of newest kernel objects that a dispatch checks, to use one of them again
    BOUND_LOOK_BACK = 8,
};

// ---------------------------------------------------------------- making

struct gpu_batch *opencl_batch_create(struct gpu_scope *scope, const struct gpu_batch_desc *desc,
                                      struct error *err)
{
    struct opencl_queue *queue = (struct opencl_queue *)desc->queue;
    struct opencl_batch *batch = ARENA_NEW(scope->arena, struct opencl_batch);
    batch->queue = queue;
    batch->open_span = -1;
    batch->spans = ARENA_ARRAY(scope->arena, desc->span_count, struct opencl_span);
    if (desc->unordered && !queue->unordered &&
        !opencl_queue_create((struct opencl_device *)scope->device, &queue->unordered,
                             CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                             err))
        return NULL;
    return &batch->base;
}

void opencl_batch_drop_events(struct opencl_batch *batch)
{
    const struct opencl_api *api = opencl_device_of(&batch->base.object)->api;
    for (unsigned i = 0; i < batch->base.desc.span_count; i++) {
        for (size_t k = 0; k < batch->spans[i].count; k++) {
            if (batch->spans[i].events[k])
                api->clReleaseEvent(batch->spans[i].events[k]);
            batch->spans[i].events[k] = NULL;
        }
    }
    if (batch->done)
        api->clReleaseEvent(batch->done);
    batch->done = NULL;
}

static void drop_recorded(struct opencl_batch *batch)
{
    const struct opencl_api *api = opencl_device_of(&batch->base.object)->api;
    opencl_batch_drop_events(batch);
    for (size_t i = 0; i < batch->bound_count; i++)
        api->clReleaseKernel(batch->bound[i].kernel);
    for (size_t i = 0; i < batch->range_count; i++)
        api->clReleaseMemObject(batch->ranges[i]);
    for (unsigned i = 0; i < batch->base.desc.span_count; i++)
        batch->spans[i] = (struct opencl_span){0};
    batch->command_count = batch->bound_count = batch->range_count = batch->lent_count = 0;
    batch->open_span = -1;
}

void opencl_batch_destroy(struct gpu_batch *batch)
{
    drop_recorded((struct opencl_batch *)batch);
}

bool opencl_batch_reset(struct gpu_batch *batch, struct error *err)
{
    (void)err;
    drop_recorded((struct opencl_batch *)batch);
    return true;
}

// ---------------------------------------------------------------- host buffers for the device

bool opencl_batch_lends(const struct opencl_batch *batch, const struct opencl_buffer *buffer)
{
    for (size_t i = 0; i < batch->lent_count; i++)
        if (batch->lent[i] == buffer)
            return true;
    return false;
}

static void lend(struct opencl_batch *batch, struct gpu_buffer *base)
{
    struct opencl_buffer *buffer = (struct opencl_buffer *)base;
    if (!base->mapped || opencl_batch_lends(batch, buffer))
        return;
    batch->lent = arena_grow(batch->base.object.scope->arena, batch->lent, batch->lent_count,
                             &batch->lent_capacity, sizeof(struct opencl_buffer *));
    batch->lent[batch->lent_count++] = buffer;
}

// ---------------------------------------------------------------- arguments

struct binding {
    struct opencl_batch *batch;
    const struct opencl_api *api;
    const struct gpu_kernel *source;
    cl_kernel kernel;
    // index of the next kernel argument; a sampled image takes two, the image and the sampler
    cl_uint next;
};

static bool set_arg(struct binding *binding, size_t bytes, const void *value, struct error *err)
{
    cl_int result = binding->api->clSetKernelArg(binding->kernel, binding->next, bytes, value);
    if (!opencl_check(result, "clSetKernelArg", err))
        return error_prefix(err, "kernel %s, argument %u", binding->source->name, binding->next);
    binding->next++;
    return true;
}

// Binds a range of a buffer. If a storage range begins at offset 0, binds the whole buffer, which
// needs no sub-buffer. Does not do so for constant ranges, because a whole constant buffer may
// exceed the device's limit.
static bool bind_buffer(struct binding *binding, const struct gpu_arg *arg, bool constant,
                        struct error *err)
{
    struct opencl_buffer *buffer = (struct opencl_buffer *)arg->buffer;
    struct opencl_batch *batch = binding->batch;
    uint64_t bytes = arg->offset || constant ? arg->bytes : buffer->base.bytes;
    cl_mem range = NULL;
    bool made = false;
    lend(batch, arg->buffer);
    if (!opencl_buffer_range(buffer, arg->offset, bytes, &range, &made, err))
        return false;
    if (made) {
        batch->ranges = arena_grow(batch->base.object.scope->arena, batch->ranges,
                                   batch->range_count, &batch->range_capacity, sizeof(cl_mem));
        batch->ranges[batch->range_count++] = range;
    }
    return set_arg(binding, sizeof range, &range, err);
}

static bool bind_arg(struct binding *binding, enum gpu_arg_kind kind, const struct gpu_arg *arg,
                     struct error *err)
{
    const struct opencl_image *image = (const struct opencl_image *)arg->image;
    switch (kind) {
    case GPU_ARG_BUFFER:
    case GPU_ARG_CONSTANT:
        return bind_buffer(binding, arg, kind == GPU_ARG_CONSTANT, err);
    case GPU_ARG_TYPED:
    case GPU_ARG_TYPED_RW:
        lend(binding->batch, arg->typed->buffer);
        return set_arg(binding, sizeof(cl_mem), &((struct opencl_typed *)arg->typed)->image, err);
    case GPU_ARG_IMAGE:
    case GPU_ARG_IMAGE_RW:
        return set_arg(binding, sizeof(cl_mem), &image->image, err);
    case GPU_ARG_SAMPLED:
        return set_arg(binding, sizeof(cl_mem), &image->image, err) &&
               set_arg(binding, sizeof(cl_sampler),
                       &((struct opencl_sampler *)arg->sampler)->sampler, err);
    // GPU_ARG_ADDRESS cannot occur: OpenCL devices lack the capability ADDRESSES.
    case GPU_ARG_ADDRESS:
    case GPU_ARG_KIND_COUNT:
        break;
    }
    return error_set(err, ERROR_INTERNAL, "kernel %s: argument kind %d", binding->source->name,
                     (int)kind);
}

static bool bind_all(struct binding *binding, const struct gpu_dispatch *dispatch,
                     struct error *err)
{
    for (unsigned i = 0; i < binding->source->arg_count; i++)
        if (!bind_arg(binding, binding->source->args[i], &dispatch->args[i], err))
            return false;
    return dispatch->params_bytes == 0 ||
           set_arg(binding, dispatch->params_bytes, dispatch->params, err);
}

// ---------------------------------------------------------------- recording

static bool is_same(const struct opencl_bound *bound, const struct gpu_dispatch *dispatch)
{
    const struct gpu_kernel *kernel = dispatch->program->kernel;
    if (bound->dispatch.program != dispatch->program ||
        bound->dispatch.params_bytes != dispatch->params_bytes ||
        (dispatch->params_bytes &&
         memcmp(bound->params, dispatch->params, dispatch->params_bytes) != 0))
        return false;
    return gpu_args_equal(kernel, bound->dispatch.args, dispatch->args);
}

static bool find_kernel(struct opencl_batch *batch, const struct gpu_dispatch *dispatch,
                        cl_kernel *kernel, struct error *err)
{
    const struct opencl_api *api = opencl_device_of(&batch->base.object)->api;
    const struct opencl_program *program = (const struct opencl_program *)dispatch->program;
    for (size_t back = 1; back <= BOUND_LOOK_BACK && back <= batch->bound_count; back++) {
        struct opencl_bound *bound = &batch->bound[batch->bound_count - back];
        if (is_same(bound, dispatch)) {
            *kernel = bound->kernel;
            return true;
        }
    }
    cl_int result = CL_SUCCESS;
    *kernel = api->clCreateKernel(program->program, program->entry, &result);
    if (!opencl_check(result, "clCreateKernel", err))
        return error_prefix(err, "kernel %s", program->base.kernel->name);
    batch->bound = arena_grow(batch->base.object.scope->arena, batch->bound, batch->bound_count,
                              &batch->bound_capacity, sizeof *batch->bound);
    struct opencl_bound *bound = &batch->bound[batch->bound_count++];
    *bound = (struct opencl_bound){.dispatch = *dispatch, .kernel = *kernel};
    if (dispatch->params_bytes)
        memcpy(bound->params, dispatch->params, dispatch->params_bytes);
    struct binding binding = {
        .batch = batch, .api = api, .source = program->base.kernel, .kernel = *kernel};
    return bind_all(&binding, dispatch, err);
}

static struct opencl_command *add_command(struct opencl_batch *batch, enum opencl_command_kind kind)
{
    batch->commands =
        arena_grow(batch->base.object.scope->arena, batch->commands, batch->command_count,
                   &batch->command_capacity, sizeof *batch->commands);
    struct opencl_command *command = &batch->commands[batch->command_count++];
    *command = (struct opencl_command){.kind = kind, .span = batch->open_span};
    return command;
}

bool opencl_batch_dispatch(struct gpu_batch *base, const struct gpu_dispatch *dispatch,
                           struct error *err)
{
    struct opencl_batch *batch = (struct opencl_batch *)base;
    cl_kernel kernel = NULL;
    if (!find_kernel(batch, dispatch, &kernel, err))
        return false;
    struct opencl_command *command = add_command(batch, OPENCL_COMMAND_LAUNCH);
    command->kernel = kernel;
    for (int axis = 0; axis < 3; axis++) {
        command->local[axis] = dispatch->program->kernel->workgroup[axis];
        command->global[axis] = command->local[axis] * dispatch->groups[axis];
    }
    return true;
}

bool opencl_batch_copy(struct gpu_batch *base, struct gpu_buffer *to, uint64_t to_offset,
                       struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes,
                       struct error *err)
{
    (void)err;
    struct opencl_batch *batch = (struct opencl_batch *)base;
    struct opencl_command *command = add_command(batch, OPENCL_COMMAND_COPY);
    command->to = (struct opencl_buffer *)to;
    command->from = (struct opencl_buffer *)from;
    command->to_offset = to_offset;
    command->from_offset = from_offset;
    command->bytes = bytes;
    // The device copies between two host buffers, so the batch must unmap both buffers.
    if (to->mapped && from->mapped) {
        lend(batch, to);
        lend(batch, from);
    }
    return true;
}

bool opencl_batch_fill(struct gpu_batch *base, struct gpu_buffer *buffer, uint64_t offset,
                       uint64_t bytes, uint32_t word, struct error *err)
{
    (void)err;
    struct opencl_batch *batch = (struct opencl_batch *)base;
    struct opencl_command *command = add_command(batch, OPENCL_COMMAND_FILL);
    command->to = (struct opencl_buffer *)buffer;
    command->to_offset = offset;
    command->bytes = bytes;
    command->word = word;
    lend(batch, buffer);
    return true;
}

// Records a barrier in an unordered batch. An ordered batch needs no barrier, because its queue is
// in-order.
bool opencl_batch_barrier(struct gpu_batch *base, enum gpu_barrier barrier, struct error *err)
{
    (void)barrier;
    (void)err;
    struct opencl_batch *batch = (struct opencl_batch *)base;
    if (batch->base.desc.unordered)
        add_command(batch, OPENCL_COMMAND_BARRIER);
    return true;
}

bool opencl_batch_span(struct gpu_batch *base, unsigned span, bool end, struct error *err)
{
    struct opencl_batch *batch = (struct opencl_batch *)base;
    bool ok = opencl_batch_barrier(base, GPU_BARRIER_EXECUTION, err);
    batch->open_span = end ? -1 : (int)span;
    return ok;
}

// ---------------------------------------------------------------- ending

static bool is_timed(const struct opencl_command *command, unsigned span)
{
    return command->span == (int)span && command->kind != OPENCL_COMMAND_BARRIER;
}

// Chooses the commands of a span whose events are stored. In an ordered batch, these are the first
// and the last command. In an unordered batch, they are all commands, because any command may begin
// first or end last.
static void place_events(struct opencl_batch *batch, unsigned span)
{
    struct opencl_command *first = NULL, *last = NULL;
    size_t count = 0;
    for (size_t i = 0; i < batch->command_count; i++) {
        if (!is_timed(&batch->commands[i], span))
            continue;
        last = &batch->commands[i];
        first = first ? first : last;
        count++;
    }
    if (!first)
        return; // the span contains no command that has an event
    if (!batch->base.desc.unordered && count > 2)
        count = 2;
    struct opencl_span *events = &batch->spans[span];
    events->events = ARENA_ARRAY(batch->base.object.scope->arena, count, cl_event);
    events->count = 0;
    for (size_t i = 0; i < batch->command_count; i++) {
        struct opencl_command *command = &batch->commands[i];
        if (is_timed(command, span) &&
            (batch->base.desc.unordered || command == first || command == last))
            command->event = &events->events[events->count++];
    }
}

bool opencl_batch_end(struct gpu_batch *base, struct error *err)
{
    (void)err;
    struct opencl_batch *batch = (struct opencl_batch *)base;
    for (unsigned span = 0; span < batch->base.desc.span_count; span++)
        place_events(batch, span);
    return true;
}
