// SPDX-License-Identifier: MIT
#include "gpu/graphics.h"

#include "gpu/front.h"

#include <inttypes.h>

// ---------------------------------------------------------------- targets

static bool check_target(struct gpu_device *device, const struct gpu_target_desc *desc,
                         struct error *err)
{
    uint64_t side = device->info->limits.image_2d;
    if (!gpu_require(device->info, GPU_CAP(GRAPHICS) | GPU_CAP(IMAGES), err))
        return error_prefix(err, "target");
    if ((unsigned)desc->format >= GPU_FORMAT_COUNT || desc->width == 0 || desc->height == 0)
        return error_set(err, ERROR_INTERNAL,
                         "target of %" PRIu32 "x%" PRIu32 " pixels of format %d", desc->width,
                         desc->height, (int)desc->format);
    if (side && (desc->width > side || desc->height > side))
        return error_set(err, ERROR_UNSUPPORTED,
                         "target of %" PRIu32 "x%" PRIu32 " pixels: %s allows %" PRIu64 " a side",
                         desc->width, desc->height, device->info->id, side);
    return gpu_host_copy_check(device, err);
}

struct gpu_target *gpu_target_create(struct gpu_scope *scope, const struct gpu_target_desc *desc,
                                     struct error *err)
{
    struct gpu_device *device = scope->device;
    if (!gpu_device_check(device, err) || !check_target(device, desc, err))
        return NULL;
    struct gpu_target *target = device->backend->graphics->target_create(scope, desc, err);
    if (!gpu_device_note(device, target, err))
        return NULL;
    target->desc = *desc;
    target->image->object = (struct gpu_object){.kind = GPU_OBJECT_IMAGE, .scope = scope};
    target->image->desc = (struct gpu_image_desc){.format = desc->format,
                                                  .width = desc->width,
                                                  .height = desc->height,
                                                  .depth = 1,
                                                  .mips = 1,
                                                  .layers = 1};
    gpu_object_adopt(scope, &target->object, GPU_OBJECT_TARGET);
    return target;
}

struct gpu_image *gpu_target_image(struct gpu_target *target)
{
    return target->image;
}

bool gpu_target_blends(const struct gpu_target *target)
{
    return target->blends;
}

// ---------------------------------------------------------------- draw programs

static bool check_stage(const struct gpu_kernel *kernel, enum gpu_stage stage, struct error *err)
{
    const char *name = stage == GPU_STAGE_VERTEX ? "vertex" : "fragment";
    if (!kernel)
        return error_set(err, ERROR_INTERNAL, "draw program: the %s kernel is missing", name);
    return kernel->stage == stage ||
           error_set(err, ERROR_INTERNAL, "draw program: %s is not a %s kernel", kernel->name,
                     name);
}

// Returns the kernel with more arguments; NULL with the error if the kernels' lists of arguments do
// not agree.
static const struct gpu_kernel *join_args(const struct gpu_draw_program_desc *desc,
                                          struct error *err)
{
    const struct gpu_kernel *longer = desc->vertex, *shorter = desc->fragment;
    if (!shorter)
        return longer;
    if (shorter->arg_count > longer->arg_count) {
        longer = desc->fragment;
        shorter = desc->vertex;
    }
    bool same = longer->arg_count <= GPU_ARGS_MAX;
    for (unsigned i = 0; same && i < shorter->arg_count; i++)
        same = shorter->args[i] == longer->args[i];
    if (same)
        return longer;
    error_set(err, ERROR_INTERNAL, "draw program: the arguments of %s and %s do not agree",
              desc->vertex->name, desc->fragment->name);
    return NULL;
}

static bool check_program(const struct gpu_device *device, const struct gpu_draw_program_desc *desc,
                          struct error *err)
{
    if (!gpu_require(device->info, GPU_CAP(GRAPHICS), err))
        return error_prefix(err, "draw program");
    if (!check_stage(desc->vertex, GPU_STAGE_VERTEX, err) ||
        (desc->fragment && !check_stage(desc->fragment, GPU_STAGE_FRAGMENT, err)))
        return false;
    if (!gpu_object_check(device, desc->target, "draw program: target", err))
        return false;
    if (desc->depth != GPU_DEPTH_OFF && !desc->target->desc.depth)
        return error_set(err, ERROR_INTERNAL, "draw program: its target was made without depth");
    if (desc->blend != GPU_BLEND_NONE && !desc->target->blends)
        return error_set(err, ERROR_UNSUPPORTED, "draw program: %s cannot blend into %s",
                         device->info->id, gpu_format_name(desc->target->desc.format));
    return true;
}

struct gpu_draw_program *gpu_draw_program_create(struct gpu_scope *scope,
                                                 const struct gpu_draw_program_desc *desc,
                                                 struct error *err)
{
    struct gpu_device *device = scope->device;
    if (!gpu_device_check(device, err) || !check_program(device, desc, err))
        return NULL;
    const struct gpu_kernel *args = join_args(desc, err);
    if (!args)
        return NULL;
    if (!gpu_require(device->info, gpu_kernel_caps(args), err)) {
        error_prefix(err, "kernel %s", args->name);
        return NULL;
    }
    struct gpu_draw_program *program =
        device->backend->graphics->program_create(scope, desc, args, err);
    if (!gpu_device_note(device, program, err))
        return NULL;
    program->args = args;
    program->format = desc->target->desc.format;
    program->depth = desc->target->desc.depth;
    gpu_object_adopt(scope, &program->object, GPU_OBJECT_DRAW_PROGRAM);
    return program;
}

// ---------------------------------------------------------------- recording

static bool check_batch(const struct gpu_batch *batch, const struct gpu_target *target,
                        struct error *err)
{
    if (!gpu_record_check(batch, err))
        return false;
    if (!batch->desc.draws)
        return error_set(err, ERROR_INTERNAL, "the batch was not made for draws");
    return gpu_object_check(gpu_batch_device(batch), target, "draw: target", err);
}

static bool check_draw(const struct gpu_batch *batch, struct gpu_draw *draw, struct error *err)
{
    const struct gpu_device *device = gpu_batch_device(batch);
    if (!check_batch(batch, draw->target, err))
        return false;
    const struct gpu_draw_program *program = draw->program;
    if (!gpu_object_check(device, program, "draw: program", err))
        return false;
    if (program->format != draw->target->desc.format || program->depth != draw->target->desc.depth)
        return error_set(err, ERROR_INTERNAL, "draw: its program is for targets of %s%s",
                         gpu_format_name(program->format), program->depth ? " with depth" : "");
    if (draw->vertices == 0 || draw->vertices % 3)
        return error_set(err, ERROR_INTERNAL, "draw of %" PRIu32 " vertices: three a triangle",
                         draw->vertices);
    if (draw->instances == 0)
        draw->instances = 1;
    const struct gpu_arguments given = {
        .args = draw->args, .params = draw->params, .params_bytes = draw->params_bytes};
    return gpu_arguments_check(device, program->args, &given, err);
}

void gpu_batch_draw(struct gpu_batch *batch, const struct gpu_draw *draw)
{
    struct error err;
    struct gpu_draw resolved = *draw;
    bool ok = check_draw(batch, &resolved, &err) &&
              gpu_batch_device(batch)->backend->graphics->batch_draw(batch, &resolved, &err);
    gpu_record_count(batch, ok, &err);
}

void gpu_batch_barrier_image(struct gpu_batch *batch, struct gpu_image *image)
{
    struct error err;
    struct gpu_device *device = gpu_batch_device(batch);
    bool ok =
        gpu_record_check(batch, &err) && gpu_object_check(device, image, "barrier: image", &err);
    if (ok && device->backend->batch_barrier_image)
        ok = device->backend->batch_barrier_image(batch, image, &err);
    else if (ok)
        ok = device->backend->batch_barrier(batch, GPU_BARRIER_MEMORY, &err);
    if (!ok)
        gpu_record_fail(batch, &err);
}

void gpu_batch_barrier_target(struct gpu_batch *batch, struct gpu_target *target)
{
    struct error err;
    if (!check_batch(batch, target, &err) ||
        !gpu_batch_device(batch)->backend->graphics->batch_barrier_target(batch, target, &err))
        gpu_record_fail(batch, &err);
}

static bool check_copy(const struct gpu_batch *batch, const struct gpu_buffer *to,
                       uint64_t to_offset, const struct gpu_target *target, struct error *err)
{
    if (!check_batch(batch, target, err))
        return false;
    unsigned texel = gpu_format_bytes(target->desc.format);
    uint64_t bytes = (uint64_t)target->desc.width * target->desc.height * texel;
    if (!gpu_object_check(gpu_batch_device(batch), to, "copy of a target: buffer", err))
        return false;
    if (to_offset % texel || to_offset % 4)
        return error_set(err, ERROR_INTERNAL,
                         "copy of a target: offset %" PRIu64 " is no multiple of its texel or of 4",
                         to_offset);
    return gpu_range_check(to, to_offset, bytes, "copy of a target", err);
}

void gpu_batch_copy_target(struct gpu_batch *batch, struct gpu_buffer *to, uint64_t to_offset,
                           struct gpu_target *target)
{
    struct error err;
    bool ok = check_copy(batch, to, to_offset, target, &err) &&
              gpu_batch_device(batch)->backend->graphics->batch_copy_target(batch, to, to_offset,
                                                                            target, &err);
    gpu_record_count(batch, ok, &err);
}
