// SPDX-License-Identifier: MIT
// Defines the CUDA backend (struct gpu_backend), and destroys its objects.
#include "gpu/cuda/cuda.h"

#include "base/dynlib.h"

#include <string.h>

void cuda_object_destroy(struct gpu_object *object)
{
    // Continues even if the context is lost: the driver's functions then only return errors.
    bool entered = cuda_enter(cuda_device_of(object), NULL);
    (void)entered;
    switch (object->kind) {
    case GPU_OBJECT_BUFFER:
        cuda_buffer_destroy((struct gpu_buffer *)object);
        break;
    case GPU_OBJECT_TYPED:
        cuda_typed_destroy((struct cuda_typed *)object);
        break;
    case GPU_OBJECT_IMAGE:
        cuda_image_destroy((struct cuda_image *)object);
        break;
    case GPU_OBJECT_SAMPLER:
        break; // nothing to destroy: a sampler is only a description and has no CUDA object
    case GPU_OBJECT_PROGRAM:
        cuda_program_destroy((struct cuda_program *)object);
        break;
    case GPU_OBJECT_BATCH:
        cuda_batch_destroy((struct gpu_batch *)object);
        break;
    case GPU_OBJECT_HOLD:
        cuda_hold_destroy((struct cuda_hold *)object);
        break;
    case GPU_OBJECT_TARGET:
    case GPU_OBJECT_DRAW_PROGRAM:
    case GPU_OBJECT_TREE:
        break; // nothing to destroy: CUDA devices lack the capabilities GRAPHICS and RAYS
    }
}

// Returns the path of a library that replaces the driver's functions; NULL if there is none.
static const char *interceptor(const struct gpu_device *base)
{
    const struct cuda_state *state = ((const struct cuda_device *)base)->state;
    const char *path = dynlib_path_of((void (*)(void))state->api.cuLaunchKernel);
    const char *driver = dynlib_path(state->lib);
    return path && driver && strcmp(path, driver) != 0 ? path : NULL;
}

static const struct gpu_peers peers = {
    .connect = cuda_peers_connect,
    .batch_copy = cuda_peers_batch_copy,
};

static const struct gpu_managed managed = {
    .free_bytes = cuda_managed_free_bytes,
    .advise = cuda_managed_advise,
    .batch_prefetch = cuda_managed_batch_prefetch,
};

const struct gpu_backend cuda_backend = {
    .name = "cuda",
#define X(slot) .slot = cuda_##slot,
    GPU_SLOTS(X)
#undef X
        .interceptor = interceptor,
    .program_stats = cuda_program_stats,
    .peers = &peers,
    .counting = &cuda_counting,
    .managed = &managed,
};
