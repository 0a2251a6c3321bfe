// SPDX-License-Identifier: MIT
// What the rows of a source have in common, and which kernels they run.
#include "bench/loads/kind.h"

#define TILE .shape = LOADS_SHAPE_TEXELS, .resource = LOADS_BY_IMAGE, .needs = GPU_CAP(IMAGES)
#define SAMPLED                                                                                    \
    .shape = LOADS_SHAPE_COORDINATE, .resource = LOADS_BY_IMAGE,                                   \
    .needs = GPU_CAP(IMAGES) | GPU_CAP(SAMPLERS)
#define TYPED .resource = LOADS_BY_TYPED, .needs = GPU_CAP(TYPED)
#define LANES                                                                                      \
    .uniform = true, .needs = GPU_CAP(SUBGROUPS), .no_opencl = "OpenCL C 1.2 has no subgroups"
#define LEVELS(n) .levels = (n), .no_opencl = "OpenCL C 1.2 has no mip levels"

static const struct loads_way ways[LOADS_SOURCE_COUNT] = {
    [LOADS_FROM_TYPED] = {.kernels = "typed", TYPED},
    [LOADS_FROM_RAW] = {.kernels = "raw", .direct = true},
    [LOADS_FROM_NATURAL] = {.kernels = "natural", .direct = true},
    [LOADS_FROM_STRUCTURED] = {.kernels = "structured", .direct = true},
    [LOADS_FROM_CONSTANT] = {.kernels = "constant", .needs = GPU_CAP(CONSTANT)},
    [LOADS_FROM_TEXTURE] = {.kernels = "texture", TILE},
    [LOADS_FROM_NEAREST] = {.kernels = "sampled", SAMPLED},
    [LOADS_FROM_BILINEAR] = {.kernels = "sampled", SAMPLED, .smooth = true, .filters = 1},
    [LOADS_FROM_STORAGE] = {.kernels = "storage", .direct = true},
    [LOADS_FROM_ALIGNED8] = {.kernels = "aligned8", .direct = true, .needs = GPU_CAP(ADDRESSES)},
    [LOADS_FROM_BOUND] = {.kernels = "bound", .direct = true},
    [LOADS_FROM_RAW_RW] = {.kernels = "rawrw", .direct = true, .needs = GPU_CAP(ADDRESSES)},
    [LOADS_FROM_PUSHED] = {.kernels = "pushed", .resource = LOADS_BY_NOTHING, .uniform = true},
    [LOADS_FROM_HALF] = {.kernels = "half", .direct = true, .needs = GPU_CAP(STORAGE16)},
    [LOADS_FROM_BYTES] = {.kernels = "bytes", .direct = true, .needs = GPU_CAP(STORAGE8)},
    [LOADS_FROM_LONG] = {.kernels = "long", .direct = true, .needs = GPU_CAP(INT64)},
    [LOADS_FROM_HOST] = {.kernels = "structured"},
    [LOADS_FROM_VISIBLE] = {.kernels = "structured"},
    [LOADS_FROM_SHARED] = {.kernels = "shared", .shared = true},
    [LOADS_FROM_BROADCAST] = {.kernels = "broadcast", LANES},
    [LOADS_FROM_SHUFFLE] = {.kernels = "shuffle", LANES},
    [LOADS_FROM_TYPED_RW] = {.kernels = "typedrw",
                             TYPED,
                             .writable = true,
                             .no_opencl = "OpenCL C 1.2 cannot read what it may write",
                             .no_cuda = "CUDA has no surfaces over buffers"},
    [LOADS_FROM_TEXTURE_RW] = {.kernels = "texturerw",
                               TILE,
                               .writable = true,
                               .no_opencl = "OpenCL C 1.2 cannot read what it may write"},
    [LOADS_FROM_OFFSET] =
        {.kernels = "sampled", SAMPLED, .smooth = true, .centre = 0.75f, .filters = 0.75},
    [LOADS_FROM_GATHER] = {.kernels = "gather",
                           SAMPLED,
                           .centre = 1, // the corner of four
                           .no_opencl = "OpenCL C 1.2 has no gathers"},
    [LOADS_FROM_TRILINEAR] = {.kernels = "trilinear",
                              SAMPLED,
                              LEVELS(2),
                              .smooth = true,
                              .smooth_levels = true,
                              .filters = 2},
    [LOADS_FROM_STRETCHED] =
        {.kernels = "stretched", SAMPLED, LEVELS(3), .smooth = true, .filters = 2},
    [LOADS_FROM_MIP] = {.kernels = "mip", SAMPLED, LEVELS(2), .read_at = 1},
    [LOADS_FROM_ARRAY] = {.kernels = "array", SAMPLED, .smooth = true, .filters = 1},
    [LOADS_FROM_VOLUME] = {.kernels = "volume", SAMPLED, .smooth = true, .filters = 2},
    [LOADS_FROM_CUBE] = {.kernels = "cube",
                         SAMPLED,
                         .smooth = true,
                         .filters = 1,
                         .no_opencl = "OpenCL C 1.2 has no cubes"},
    [LOADS_FROM_ROW] = {.kernels = "row", .resource = LOADS_BY_IMAGE, .needs = GPU_CAP(IMAGES)},
    [LOADS_FROM_LEVELS] = {.kernels = "levels", SAMPLED, LEVELS(2)},
    [LOADS_FROM_STORE] = {.kernels = "store", .writes = true},
    [LOADS_FROM_ATOMIC] = {.kernels = "atomic", .writes = true, .atomic = true},
    [LOADS_FROM_SHARED_STORE] = {.kernels = "sharedstore",
                                 .shared = true,
                                 .resource = LOADS_BY_NOTHING,
                                 .writes = true},
    [LOADS_FROM_SHARED_ATOMIC] = {.kernels = "sharedatomic",
                                  .shared = true,
                                  .resource = LOADS_BY_NOTHING,
                                  .writes = true,
                                  .atomic = true},
};

const struct loads_way *loads_way_of(const struct loads_kind *kind)
{
    return &ways[kind->source];
}

bool loads_is_sampled(const struct loads_kind *kind)
{
    return loads_way_of(kind)->shape == LOADS_SHAPE_COORDINATE;
}

bool loads_is_texture(const struct loads_kind *kind)
{
    return loads_way_of(kind)->shape != LOADS_SHAPE_ROW;
}

double loads_bytes(const struct loads_kind *kind)
{
    static const double channel_bytes[] = {[LOADS_UNORM8] = 1,
                                           [LOADS_FLOAT16] = 2,
                                           [LOADS_FLOAT32] = 4,
                                           [LOADS_UINT32] = 4,
                                           [LOADS_UINT8] = 1};
    double side = gpu_format_block(kind->format);
    return kind->data == LOADS_PACKED ? gpu_format_bytes(kind->format) / (side * side)
                                      : kind->width * channel_bytes[kind->data];
}

// A raw buffer that is an argument is a structured one where its alignment is known.
static const char *family_of(const struct loads_form *form)
{
    enum loads_source source = form->kind->source;
    if (form->bound && source == LOADS_FROM_RAW)
        return "bound";
    if (form->bound && source == LOADS_FROM_NATURAL)
        source = LOADS_FROM_STRUCTURED;
    return ways[source].kernels;
}

// Kernels of integers and of named formats are their own.
static const char *suffix_of(const struct loads_kind *kind)
{
    bool integer = kind->data == LOADS_UINT32 || kind->data == LOADS_UINT8;
    return integer ? "u" : loads_way_of(kind)->writable && kind->data == LOADS_UNORM8 ? "n" : "";
}

const char *loads_kernel_name(struct arena *arena, const struct loads_form *form)
{
    return arena_printf(arena, "loads_%s_%u%s_%s_%s", family_of(form), form->kind->width,
                        suffix_of(form->kind), form->uniform ? "uniform" : "varying",
                        form->peak ? "peak" : "original");
}

const char *loads_control_name(struct arena *arena, const struct loads_form *form)
{
    const struct loads_kind *kind = form->kind;
    return arena_printf(arena, "loads_control_%s_%u_%s",
                        loads_is_sampled(kind)   ? "sampled"
                        : loads_is_texture(kind) ? "texture"
                                                 : "buffer",
                        kind->width, form->peak ? "peak" : "original");
}
