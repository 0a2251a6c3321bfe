// SPDX-License-Identifier: MIT
// Defines the OpenCL backend (struct gpu_backend), and destroys its objects.
#include "gpu/opencl/opencl.h"

void opencl_object_destroy(struct gpu_object *object)
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
        break; // nothing to destroy: OpenCL devices lack the capabilities GRAPHICS and RAYS
    }
}

const struct gpu_backend opencl_backend = {
    .name = "opencl",
#define X(slot) .slot = opencl_##slot,
    GPU_SLOTS(X)
#undef X
        .after_others = opencl_after_others,
};
