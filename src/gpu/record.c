// SPDX-License-Identifier: MIT
// Records dispatches, copies, fills, barriers and spans into a batch. Each command is checked when
// it is recorded, so that backends and submissions need not check it.
#include "gpu/front.h"

#include <inttypes.h>

bool gpu_record_check(const struct gpu_batch *batch, struct error *err)
{
    if (batch->state == GPU_BATCH_RECORDING)
        return true;
    return error_set(err, ERROR_INTERNAL,
                     "a command was recorded after the end of its batch: reset the batch first");
}

void gpu_record_fail(struct gpu_batch *batch, const struct error *err)
{
    if (batch->first_error.code == ERROR_NONE)
        batch->first_error = *err;
    if (batch->state == GPU_BATCH_READY)
        batch->state = GPU_BATCH_FAILED;
    gpu_device_note(gpu_batch_device(batch), false, err);
}

void gpu_record_count(struct gpu_batch *batch, bool ok, const struct error *err)
{
    if (ok)
        batch->commands++;
    else
        gpu_record_fail(batch, err);
}

// ---------------------------------------------------------------- arguments of a dispatch

// The functions below check one argument of a dispatch or a draw.

// Checks the range of a buffer. If the length of the range is 0, sets the length.
static bool check_range(const struct gpu_device *device, uint64_t most, uint64_t align,
                        const char *limit, struct gpu_arg *arg, struct error *err)
{
    if (!gpu_object_check(device, arg->buffer, "buffer", err))
        return false;
    if (align && arg->offset % align)
        return error_set(err, ERROR_INTERNAL,
                         "offset %" PRIu64 " is not a multiple of %" PRIu64 " (%s_align_bytes)",
                         arg->offset, align, limit);
    if (arg->offset >= arg->buffer->bytes || arg->bytes > arg->buffer->bytes - arg->offset)
        return error_set(err, ERROR_INTERNAL,
                         "bytes %" PRIu64 " to %" PRIu64 " of a buffer of %" PRIu64 " bytes",
                         arg->offset, arg->offset + arg->bytes, arg->buffer->bytes);
    if (most && arg->bytes > most)
        return error_set(err, ERROR_UNSUPPORTED,
                         "a range of %" PRIu64 " bytes, %s allows %" PRIu64 " (%s_range_bytes)",
                         arg->bytes, device->info->id, most, limit);
    if (arg->bytes == 0) {
        arg->bytes = arg->buffer->bytes - arg->offset;
        if (most && arg->bytes > most)
            arg->bytes = most / 4 * 4;
    }
    return true;
}

static bool check_address(const struct gpu_device *device, const struct gpu_arg *arg,
                          struct error *err)
{
    if (!gpu_object_check(device, arg->buffer, "buffer", err))
        return false;
    if (arg->bytes)
        return error_set(err, ERROR_INTERNAL, "an address takes no length, only an offset");
    return arg->offset < arg->buffer->bytes ||
           error_set(err, ERROR_INTERNAL,
                     "the address of byte %" PRIu64 " of a buffer of %" PRIu64 " bytes",
                     arg->offset, arg->buffer->bytes);
}

static bool check_typed(const struct gpu_device *device, bool written, const struct gpu_arg *arg,
                        struct error *err)
{
    if (!gpu_object_check(device, arg->typed, "typed view", err))
        return false;
    return !written || arg->typed->writable ||
           error_set(err, ERROR_UNSUPPORTED, "%s cannot write typed views of %s", device->info->id,
                     gpu_format_name(arg->typed->format));
}

static bool check_image(const struct gpu_device *device, enum gpu_arg_kind kind,
                        const struct gpu_arg *arg, struct error *err)
{
    if (!gpu_object_check(device, arg->image, "image", err))
        return false;
    if (kind == GPU_ARG_IMAGE_RW && !arg->image->desc.storage)
        return error_set(err, ERROR_INTERNAL, "the image was made without `storage`");
    if (kind != GPU_ARG_SAMPLED)
        return true;
    if (!gpu_object_check(device, arg->sampler, "sampler", err))
        return false;
    const struct gpu_sampler_desc *sampler = &arg->sampler->desc;
    bool linear = sampler->filter == GPU_FILTER_LINEAR ||
                  sampler->mip_filter == GPU_FILTER_LINEAR || sampler->anisotropy > 1.0f;
    return !linear || arg->image->filterable ||
           error_set(err, ERROR_UNSUPPORTED, "%s cannot filter %s", device->info->id,
                     gpu_format_name(arg->image->desc.format));
}

static bool check_arg(const struct gpu_device *device, enum gpu_arg_kind kind, struct gpu_arg *arg,
                      struct error *err)
{
    const struct gpu_limits *limits = &device->info->limits;
    switch (kind) {
    case GPU_ARG_BUFFER:
        return check_range(device, limits->storage_range_bytes, limits->storage_align_bytes,
                           "storage", arg, err);
    case GPU_ARG_CONSTANT:
        return check_range(device, limits->constant_range_bytes, limits->constant_align_bytes,
                           "constant", arg, err);
    case GPU_ARG_ADDRESS:
        return check_address(device, arg, err);
    case GPU_ARG_TYPED:
    case GPU_ARG_TYPED_RW:
        return check_typed(device, kind == GPU_ARG_TYPED_RW, arg, err);
    case GPU_ARG_IMAGE:
    case GPU_ARG_IMAGE_RW:
    case GPU_ARG_SAMPLED:
        return check_image(device, kind, arg, err);
    case GPU_ARG_KIND_COUNT:
        break;
    }
    return error_set(err, ERROR_INTERNAL, "no such kind of argument");
}

bool gpu_args_equal(const struct gpu_kernel *kernel, const struct gpu_arg *a,
                    const struct gpu_arg *b)
{
    for (unsigned i = 0; i < kernel->arg_count; i++)
        if (kernel->args[i] != GPU_ARG_ADDRESS &&
            (a[i].buffer != b[i].buffer || a[i].offset != b[i].offset || a[i].bytes != b[i].bytes ||
             a[i].typed != b[i].typed || a[i].image != b[i].image || a[i].sampler != b[i].sampler))
            return false;
    return true;
}

// ---------------------------------------------------------------- dispatches

static bool check_params(const struct gpu_device *device, const struct gpu_kernel *kernel,
                         const struct gpu_arguments *given, struct error *err)
{
    size_t bytes = given->params_bytes;
    uint64_t most = device->info->limits.params_bytes;
    if (bytes % 4 || (bytes && !given->params))
        return error_set(
            err, ERROR_INTERNAL,
            "kernel %s: %zu bytes of params: must be a multiple of 4, with params not NULL",
            kernel->name, bytes);
    for (unsigned i = 0; i < kernel->arg_count; i++)
        if (kernel->args[i] == GPU_ARG_ADDRESS)
            bytes += sizeof(uint64_t);
    if (bytes > GPU_PARAMS_MAX_BYTES || (most && bytes > most))
        return error_set(err, ERROR_UNSUPPORTED,
                         "kernel %s: %zu bytes of addresses and params, %s allows %" PRIu64
                         " (params_bytes)",
                         kernel->name, bytes, device->info->id,
                         most && most < GPU_PARAMS_MAX_BYTES ? most : GPU_PARAMS_MAX_BYTES);
    return true;
}

bool gpu_arguments_check(const struct gpu_device *device, const struct gpu_kernel *kernel,
                         const struct gpu_arguments *given, struct error *err)
{
    if (!check_params(device, kernel, given, err))
        return false;
    for (unsigned i = 0; i < kernel->arg_count; i++)
        if (!check_arg(device, kernel->args[i], &given->args[i], err))
            return error_prefix(err, "kernel %s, argument %u", kernel->name, i);
    return true;
}

static bool check_groups(const struct gpu_device *device, struct gpu_dispatch *dispatch,
                         struct error *err)
{
    const struct gpu_limits *limits = &device->info->limits;
    const uint64_t most[3] = {limits->workgroup_count_x, limits->workgroup_count_y,
                              limits->workgroup_count_z};
    const char *name = dispatch->program->kernel->name, *id = device->info->id;
    for (int axis = 0; axis < 3; axis++) {
        if (dispatch->groups[axis] == 0)
            dispatch->groups[axis] = 1;
        if (most[axis] && dispatch->groups[axis] > most[axis])
            return error_set(err, ERROR_UNSUPPORTED,
                             "kernel %s: %" PRIu32 " workgroups along %c, %s allows %" PRIu64, name,
                             dispatch->groups[axis], "xyz"[axis], id, most[axis]);
    }
    return true;
}

static bool check_dispatch(const struct gpu_batch *batch, struct gpu_dispatch *dispatch,
                           struct error *err)
{
    const struct gpu_device *device = gpu_batch_device(batch);
    if (batch->queue->request.kind == GPU_QUEUE_TRANSFER)
        return error_set(err, ERROR_INTERNAL, "a transfer queue runs no kernels");
    if (!gpu_object_check(device, dispatch->program, "dispatch: program", err))
        return false;
    const struct gpu_kernel *kernel = dispatch->program->kernel;
    const struct gpu_arguments given = {
        .args = dispatch->args, .params = dispatch->params, .params_bytes = dispatch->params_bytes};
    return check_groups(device, dispatch, err) && gpu_arguments_check(device, kernel, &given, err);
}

void gpu_batch_dispatch(struct gpu_batch *batch, const struct gpu_dispatch *dispatch)
{
    struct error err;
    struct gpu_dispatch resolved = *dispatch;
    bool ok = gpu_record_check(batch, &err) && check_dispatch(batch, &resolved, &err) &&
              gpu_batch_device(batch)->backend->batch_dispatch(batch, &resolved, &err);
    gpu_record_count(batch, ok, &err);
}

// ---------------------------------------------------------------- copies, fills, barriers, spans

static bool check_copy(const struct gpu_buffer *to, uint64_t to_offset,
                       const struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes,
                       struct error *err)
{
    if (bytes == 0)
        return error_set(err, ERROR_INTERNAL, "copy of 0 bytes");
    if (!gpu_range_check(to, to_offset, bytes, "copy to", err) ||
        !gpu_range_check(from, from_offset, bytes, "copy from", err))
        return false;
    if (to == from && to_offset < from_offset + bytes && from_offset < to_offset + bytes)
        return error_set(err, ERROR_INTERNAL, "copy: the ranges overlap");
    return true;
}

void gpu_batch_copy(struct gpu_batch *batch, struct gpu_buffer *to, uint64_t to_offset,
                    struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes)
{
    struct error err;
    bool ok = gpu_record_check(batch, &err) &&
              gpu_object_check(gpu_batch_device(batch), to, "copy to: buffer", &err) &&
              gpu_object_check(gpu_batch_device(batch), from, "copy from: buffer", &err) &&
              check_copy(to, to_offset, from, from_offset, bytes, &err) &&
              gpu_batch_device(batch)->backend->batch_copy(batch, to, to_offset, from, from_offset,
                                                           bytes, &err);
    gpu_record_count(batch, ok, &err);
}

static bool check_fill(const struct gpu_buffer *buffer, uint64_t offset, uint64_t bytes,
                       struct error *err)
{
    if (bytes == 0 || offset % 4 || bytes % 4)
        return error_set(err, ERROR_INTERNAL,
                         "fill of %" PRIu64 " bytes at %" PRIu64
                         ": both must be multiples of 4, bytes > 0",
                         bytes, offset);
    return gpu_range_check(buffer, offset, bytes, "fill", err);
}

void gpu_batch_fill(struct gpu_batch *batch, struct gpu_buffer *buffer, uint64_t offset,
                    uint64_t bytes, uint32_t word)
{
    struct error err;
    bool ok =
        gpu_record_check(batch, &err) &&
        gpu_object_check(gpu_batch_device(batch), buffer, "fill: buffer", &err) &&
        check_fill(buffer, offset, bytes, &err) &&
        gpu_batch_device(batch)->backend->batch_fill(batch, buffer, offset, bytes, word, &err);
    gpu_record_count(batch, ok, &err);
}

void gpu_batch_barrier(struct gpu_batch *batch, enum gpu_barrier barrier)
{
    struct error err;
    if (!gpu_record_check(batch, &err) ||
        !gpu_batch_device(batch)->backend->batch_barrier(batch, barrier, &err))
        gpu_record_fail(batch, &err);
}

void gpu_batch_barrier_buffer(struct gpu_batch *batch, struct gpu_buffer *buffer)
{
    struct error err;
    bool ok = gpu_record_check(batch, &err) &&
              gpu_object_check(gpu_batch_device(batch), buffer, "barrier: buffer", &err);
    const struct gpu_backend *backend = gpu_batch_device(batch)->backend;
    if (ok && backend->batch_barrier_buffer)
        ok = backend->batch_barrier_buffer(batch, buffer, &err);
    else if (ok)
        ok = backend->batch_barrier(batch, GPU_BARRIER_MEMORY, &err);
    if (!ok)
        gpu_record_fail(batch, &err);
}

static bool check_split(const struct gpu_batch *batch, unsigned split, bool wait, struct error *err)
{
    if (split >= batch->desc.split_count)
        return error_set(err, ERROR_INTERNAL, "split %u: the batch was made for %u", split,
                         batch->desc.split_count);
    if (wait && !(batch->splits_set >> split & 1))
        return error_set(err, ERROR_INTERNAL, "split %u is waited for, but was not set", split);
    if ((wait ? batch->splits_waited : batch->splits_set) >> split & 1)
        return error_set(err, ERROR_INTERNAL, "split %u was %s before", split,
                         wait ? "waited for" : "set");
    return true;
}

static bool record_split(struct gpu_batch *batch, unsigned split, bool wait)
{
    struct error err;
    bool ok = gpu_record_check(batch, &err) && check_split(batch, split, wait, &err) &&
              gpu_batch_device(batch)->backend->batch_split(batch, split, wait, &err);
    if (!ok)
        gpu_record_fail(batch, &err);
    return ok;
}

void gpu_batch_split_set(struct gpu_batch *batch, unsigned split)
{
    if (record_split(batch, split, false))
        batch->splits_set |= UINT64_C(1) << split;
}

void gpu_batch_split_wait(struct gpu_batch *batch, unsigned split)
{
    if (record_split(batch, split, true))
        batch->splits_waited |= UINT64_C(1) << split;
}

static bool check_span_begin(const struct gpu_batch *batch, unsigned span, struct error *err)
{
    if (span >= batch->desc.span_count)
        return error_set(err, ERROR_INTERNAL, "span %u: the batch was made for %u", span,
                         batch->desc.span_count);
    if (batch->open_span >= 0)
        return error_set(err, ERROR_INTERNAL, "span %u begins inside span %d: spans do not nest",
                         span, batch->open_span);
    if (batch->spans_recorded >> span & 1)
        return error_set(err, ERROR_INTERNAL, "span %u was recorded before", span);
    return true;
}

void gpu_batch_span_begin(struct gpu_batch *batch, unsigned span)
{
    struct error err;
    if (!gpu_record_check(batch, &err) || !check_span_begin(batch, span, &err) ||
        !gpu_batch_device(batch)->backend->batch_span(batch, span, false, &err))
        gpu_record_fail(batch, &err);
    else
        batch->open_span = (int)span;
}

void gpu_batch_span_end(struct gpu_batch *batch, unsigned span)
{
    struct error err;
    bool ok = gpu_record_check(batch, &err);
    if (ok && (batch->open_span < 0 || (unsigned)batch->open_span != span))
        ok = error_set(&err, ERROR_INTERNAL, "span %u ends, but was not begun", span);
    if (!ok || !gpu_batch_device(batch)->backend->batch_span(batch, span, true, &err)) {
        gpu_record_fail(batch, &err);
        return;
    }
    batch->open_span = -1;
    batch->spans_recorded |= UINT64_C(1) << span;
}
