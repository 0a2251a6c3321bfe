// SPDX-License-Identifier: MIT
#include "gpu/front.h"

#include <inttypes.h>

gpu_caps gpu_kernel_caps(const struct gpu_kernel *kernel)
{
    static const gpu_caps needed[GPU_ARG_KIND_COUNT] = {
        [GPU_ARG_ADDRESS] = GPU_CAP(ADDRESSES),
        [GPU_ARG_CONSTANT] = GPU_CAP(CONSTANT),
        [GPU_ARG_TYPED] = GPU_CAP(TYPED),
        [GPU_ARG_TYPED_RW] = GPU_CAP(TYPED),
        [GPU_ARG_IMAGE] = GPU_CAP(IMAGES),
        [GPU_ARG_IMAGE_RW] = GPU_CAP(IMAGES),
        [GPU_ARG_SAMPLED] = GPU_CAP(IMAGES) | GPU_CAP(SAMPLERS),
    };
    gpu_caps caps = 0;
    for (unsigned i = 0; i < kernel->arg_count; i++)
        caps |= needed[kernel->args[i]];
    return caps;
}

static bool check_workgroup(const struct gpu_info *info, const struct gpu_kernel *kernel,
                            struct error *err)
{
    const struct gpu_limits *limits = &info->limits;
    const uint64_t most[3] = {limits->workgroup_threads_x, limits->workgroup_threads_y,
                              limits->workgroup_threads_z};
    uint64_t threads = 1;
    for (int axis = 0; axis < 3; axis++) {
        threads *= kernel->workgroup[axis];
        if (most[axis] && kernel->workgroup[axis] > most[axis])
            return error_set(err, ERROR_UNSUPPORTED,
                             "workgroup of %" PRIu32 " threads along %c, %s allows %" PRIu64,
                             kernel->workgroup[axis], "xyz"[axis], info -> id, most[axis]);
    }
    if (limits->workgroup_threads && threads > limits->workgroup_threads)
        return error_set(err, ERROR_UNSUPPORTED,
                         "workgroup of %" PRIu64 " threads, %s allows %" PRIu64, threads, info->id,
                         limits->workgroup_threads);
    return true;
}

static bool check_subgroup(const struct gpu_info *info, uint32_t threads, struct error *err)
{
    if (threads == 0)
        return true;
    if (!gpu_require(info, GPU_CAP(SUBGROUP_CHOICE), err))
        return false;
    if (threads & (threads - 1) || threads < info->limits.subgroup_threads_min ||
        threads > info->limits.subgroup_threads_max)
        return error_set(err, ERROR_UNSUPPORTED,
                         "subgroups of %" PRIu32 " threads, %s allows powers of two from %" PRIu64
                         " to %" PRIu64,
                         threads, info->id, info->limits.subgroup_threads_min,
                         info->limits.subgroup_threads_max);
    return true;
}

static bool check_shared(const struct gpu_info *info, unsigned bytes, struct error *err)
{
    if (bytes == 0)
        return true;
    if (!gpu_require(info, GPU_CAP(SHARED_CHOICE), err))
        return false;
    return bytes <= info->limits.shared_choice_bytes ||
           error_set(err, ERROR_UNSUPPORTED, "%u bytes of shared memory, %s allows %" PRIu64, bytes,
                     info->id, info->limits.shared_choice_bytes);
}

// Checks that the device has what the kernel needs. The caller adds the kernel's name to the error.
static bool check_kernel(const struct gpu_info *info, const struct gpu_program_desc *desc,
                         struct error *err)
{
    const struct gpu_kernel *kernel = desc->kernel;
    if (kernel->arg_count > GPU_ARGS_MAX)
        return error_set(err, ERROR_INTERNAL, "%u arguments, at most %d", kernel->arg_count,
                         GPU_ARGS_MAX);
    return gpu_require(info, gpu_kernel_caps(kernel), err) && check_workgroup(info, kernel, err) &&
           check_subgroup(info, desc->subgroup_threads, err) &&
           check_shared(info, desc->shared_bytes, err);
}

static bool check_ray_kernel(const struct gpu_kernel *kernel, enum gpu_stage stage, bool needed,
                             struct error *err)
{
    if (kernel ? kernel->stage == stage && kernel->arg_count == 0 : !needed)
        return true;
    return error_set(err, ERROR_INTERNAL, "program of rays: %s",
                     !kernel             ? "its miss or closest-hit kernel is missing"
                     : kernel->arg_count ? "only the first kernel has arguments"
                                         : "a kernel is of another stage");
}

static bool check_stages(const struct gpu_info *info, const struct gpu_program_desc *desc,
                         struct error *err)
{
    if (desc->kernel->stage == GPU_STAGE_COMPUTE)
        return true;
    if (desc->kernel->stage == GPU_STAGE_RAYGEN)
        return gpu_require(info, GPU_CAP(RAY_PIPELINE), err) &&
               check_ray_kernel(desc->rays.miss, GPU_STAGE_MISS, true, err) &&
               check_ray_kernel(desc->rays.closest_hit, GPU_STAGE_CLOSEST_HIT, true, err) &&
               check_ray_kernel(desc->rays.any_hit, GPU_STAGE_ANY_HIT, false, err) &&
               check_ray_kernel(desc->rays.intersection, GPU_STAGE_INTERSECTION, false, err);
    return error_set(err, ERROR_INTERNAL,
                     "kernel %s is for draws (gpu/graphics.h) or a part of rays (gpu/rays.h)",
                     desc->kernel->name);
}

struct gpu_program *gpu_program_create(struct gpu_scope *scope, const struct gpu_program_desc *desc,
                                       struct error *err)
{
    struct gpu_device *device = scope->device;
    if (!gpu_device_check(device, err) || !check_stages(device->info, desc, err))
        return NULL;
    if (!check_kernel(device->info, desc, err)) {
        error_prefix(err, "kernel %s", desc->kernel->name);
        return NULL;
    }
    struct gpu_program *program = device->backend->program_create(scope, desc, err);
    if (!gpu_device_note(device, program, err))
        return NULL;
    program->kernel = desc->kernel;
    gpu_object_adopt(scope, &program->object, GPU_OBJECT_PROGRAM);
    return program;
}

const struct gpu_kernel *gpu_program_kernel(const struct gpu_program *program)
{
    return program->kernel;
}

bool gpu_program_stats(struct gpu_program *program, struct arena *arena,
                       struct gpu_program_stats *stats, struct error *err)
{
    struct gpu_device *device = program->object.scope->device;
    *stats = (struct gpu_program_stats){0};
    if (!gpu_device_check(device, err) || !gpu_require(device->info, GPU_CAP(KERNEL_STATS), err))
        return false;
    // Reads the statistics only once, because a driver may compile the kernel again to report them.
    if (!program->stats) {
        struct gpu_program_stats *kept =
            ARENA_NEW(program->object.scope->arena, struct gpu_program_stats);
        if (!gpu_device_note(
                device,
                device->backend->program_stats(program, program->object.scope->arena, kept, err),
                err))
            return false;
        program->stats = kept;
    }
    *stats = *program->stats;
    stats->text = stats->text ? arena_strdup(arena, stats->text) : NULL;
    return true;
}
