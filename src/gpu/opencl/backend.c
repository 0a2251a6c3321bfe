// SPDX-License-Identifier: MIT
// Defines the OpenCL backend (struct gpu_backend), and destroys its objects.
#include "gpu/opencl/opencl.h"

static void object_destroy(struct gpu_object *object)
{
    switch (object->kind) {
    case GPU_OBJECT_BUFFER:
        opencl_buffer_destroy((struct opencl_buffer *)object);
        break;
    case GPU_OBJECT_TYPED:
        opencl_typed_destroy((struct opencl_typed *)object);
        break;
    case GPU_OBJECT_IMAGE:
        opencl_image_destroy((struct opencl_image *)object);
        break;
    case GPU_OBJECT_SAMPLER:
        opencl_sampler_destroy((struct opencl_sampler *)object);
        break;
    case GPU_OBJECT_PROGRAM:
        opencl_program_destroy((struct opencl_program *)object);
        break;
    case GPU_OBJECT_BATCH:
        opencl_batch_destroy((struct gpu_batch *)object);
        break;
    case GPU_OBJECT_HOLD:
        opencl_hold_destroy((struct opencl_hold *)object);
        break;
    case GPU_OBJECT_TARGET:
    case GPU_OBJECT_DRAW_PROGRAM:
    case GPU_OBJECT_TREE:
        break; // OpenCL devices lack the capabilities GRAPHICS and RAYS, so no such object exists
    }
}

const struct gpu_backend opencl_backend = {
    .name = "opencl",
    .load = opencl_load,
    .after_others = opencl_after_others,
    .unload = opencl_unload,
    .device_open = opencl_device_open,
    .device_close = opencl_device_close,
    .buffer_create = opencl_buffer_create,
    .buffer_write = opencl_buffer_write,
    .buffer_read = opencl_buffer_read,
    .typed_create = opencl_typed_create,
    .image_create = opencl_image_create,
    .image_write = opencl_image_write,
    .image_copy_from = opencl_image_copy_from,
    .sampler_create = opencl_sampler_create,
    .program_create = opencl_program_create,
    .batch_create = opencl_batch_create,
    .batch_dispatch = opencl_batch_dispatch,
    .batch_copy = opencl_batch_copy,
    .batch_fill = opencl_batch_fill,
    .batch_barrier = opencl_batch_barrier,
    .batch_span = opencl_batch_span,
    .batch_end = opencl_batch_end,
    .batch_reset = opencl_batch_reset,
    .batch_submit = opencl_batch_submit,
    .batch_wait = opencl_batch_wait,
    .batch_span_ns = opencl_batch_span_ns,
    .hold_create = opencl_hold_create,
    .hold_release = opencl_hold_release,
    .object_destroy = object_destroy,
};
