// SPDX-License-Identifier: MIT
#include "bench/loads/kind.h"

#include <string.h>

// The kinds of loads in the tables of the tool perftest (sebbbi/perftest, README), with the order
// and the labels of these tables. The tables have two rows "Sample(bilinear) uniform" of RGBA32F.
// The second is a misprint: here, it is "Sample(nearest) uniform".
#define FORMATS(X, before, after, source, half, single)                                            \
    X(before "R8" after, source, 1, UNORM8, R8_UNORM, 0)                                           \
    X(before "RG8" after, source, 2, UNORM8, RG8_UNORM, 0)                                         \
    X(before "RGBA8" after, source, 4, UNORM8, RGBA8_UNORM, 0)                                     \
    X(before "R" half after, source, 1, FLOAT16, R16_FLOAT, 0)                                     \
    X(before "RG" half after, source, 2, FLOAT16, RG16_FLOAT, 0)                                   \
    X(before "RGBA" half after, source, 4, FLOAT16, RGBA16_FLOAT, 0)                               \
    X(before "R" single after, source, 1, FLOAT32, R32_FLOAT, 0)                                   \
    X(before "RG" single after, source, 2, FLOAT32, RG32_FLOAT, 0)                                 \
    X(before "RGBA" single after, source, 4, FLOAT32, RGBA32_FLOAT, 0)

#define PUBLISHED(X)                                                                               \
    FORMATS(X, "Buffer<", ">.Load", TYPED, "16f", "32f")                                           \
    X("ByteAddressBuffer.Load", RAW, 1, FLOAT32, R32_FLOAT, 0)                                     \
    X("ByteAddressBuffer.Load2", RAW, 2, FLOAT32, R32_FLOAT, 0)                                    \
    X("ByteAddressBuffer.Load3", RAW, 3, FLOAT32, R32_FLOAT, 0)                                    \
    X("ByteAddressBuffer.Load4", RAW, 4, FLOAT32, R32_FLOAT, 0)                                    \
    X("ByteAddressBuffer.Load2 unaligned", RAW, 2, FLOAT32, R32_FLOAT, 4)                          \
    X("ByteAddressBuffer.Load4 unaligned", RAW, 4, FLOAT32, R32_FLOAT, 4)                          \
    X("StructuredBuffer<float>.Load", STRUCTURED, 1, FLOAT32, R32_FLOAT, 0)                        \
    X("StructuredBuffer<float2>.Load", STRUCTURED, 2, FLOAT32, R32_FLOAT, 0)                       \
    X("StructuredBuffer<float4>.Load", STRUCTURED, 4, FLOAT32, R32_FLOAT, 0)                       \
    X("cbuffer{float4} load", CONSTANT, 4, FLOAT32, R32_FLOAT, 0)                                  \
    FORMATS(X, "Texture2D<", ">.Load", TEXTURE, "16F", "32F")                                      \
    FORMATS(X, "Texture2D<", ">.Sample(nearest)", NEAREST, "16F", "32F")                           \
    FORMATS(X, "Texture2D<", ">.Sample(bilinear)", BILINEAR, "16F", "32F")

// Kinds of loads and writes that are not in the published tables.
#define ADDED(X)                                                                                   \
    X("ByteAddressBuffer.Load2 natural", NATURAL, 2, FLOAT32, R32_FLOAT, 0)                        \
    X("ByteAddressBuffer.Load4 natural", NATURAL, 4, FLOAT32, R32_FLOAT, 0)                        \
    X("ByteAddressBuffer.Load4 aligned to 8", ALIGNED8, 4, FLOAT32, R32_FLOAT, 8)                  \
    X("ByteAddressBuffer.Load bound", BOUND, 1, FLOAT32, R32_FLOAT, 0)                             \
    X("ByteAddressBuffer.Load4 bound", BOUND, 4, FLOAT32, R32_FLOAT, 0)                            \
    X("RWByteAddressBuffer.Load", RAW_RW, 1, FLOAT32, R32_FLOAT, 0)                                \
    X("RWByteAddressBuffer.Load4", RAW_RW, 4, FLOAT32, R32_FLOAT, 0)                               \
    X("push constant float", PUSHED, 1, FLOAT32, R32_FLOAT, 0)                                     \
    X("StructuredBuffer<float3>.Load", STRUCTURED, 3, FLOAT32, R32_FLOAT, 0)                       \
    X("StructuredBuffer<half>.Load", HALF, 1, FLOAT16, R16_FLOAT, 0)                               \
    X("StructuredBuffer<half2>.Load", HALF, 2, FLOAT16, R16_FLOAT, 0)                              \
    X("StructuredBuffer<half4>.Load", HALF, 4, FLOAT16, R16_FLOAT, 0)                              \
    X("StructuredBuffer<uint8>.Load", BYTES, 1, UINT8, R8_UNORM, 0)                                \
    X("StructuredBuffer<uint8x4>.Load", BYTES, 4, UINT8, RGBA8_UNORM, 0)                           \
    X("StructuredBuffer<uint64>.Load", LONG, 2, FLOAT32, R32_FLOAT, 0)                             \
    X("RWStructuredBuffer<float>.Load", STORAGE, 1, FLOAT32, R32_FLOAT, 0)                         \
    X("RWStructuredBuffer<float2>.Load", STORAGE, 2, FLOAT32, R32_FLOAT, 0)                        \
    X("RWStructuredBuffer<float4>.Load", STORAGE, 4, FLOAT32, R32_FLOAT, 0)                        \
    X("StructuredBuffer<float4> host memory", HOST, 4, FLOAT32, R32_FLOAT, 0)                      \
    X("StructuredBuffer<float4> mapped", VISIBLE, 4, FLOAT32, R32_FLOAT, 0)                        \
    X("StructuredBuffer<float> broadcast", BROADCAST, 1, FLOAT32, R32_FLOAT, 0)                    \
    X("StructuredBuffer<float4> broadcast", BROADCAST, 4, FLOAT32, R32_FLOAT, 0)                   \
    X("StructuredBuffer<float> shuffle", SHUFFLE, 1, FLOAT32, R32_FLOAT, 0)                        \
    X("StructuredBuffer<float4> shuffle", SHUFFLE, 4, FLOAT32, R32_FLOAT, 0)                       \
    X("groupshared float", SHARED, 1, FLOAT32, R32_FLOAT, 0)                                       \
    X("groupshared float2", SHARED, 2, FLOAT32, R32_FLOAT, 0)                                      \
    X("groupshared float4", SHARED, 4, FLOAT32, R32_FLOAT, 0)                                      \
    X("Buffer<R32ui>.Load", TYPED, 1, UINT32, R32_UINT, 0)                                         \
    X("Buffer<RGBA32ui>.Load", TYPED, 4, UINT32, RGBA32_UINT, 0)                                   \
    X("RWBuffer<RGBA8>.Load", TYPED_RW, 4, UNORM8, RGBA8_UNORM, 0)                                 \
    X("RWBuffer<R32f>.Load", TYPED_RW, 1, FLOAT32, R32_FLOAT, 0)                                   \
    X("RWBuffer<RGBA32f>.Load", TYPED_RW, 4, FLOAT32, RGBA32_FLOAT, 0)                             \
    X("Texture2D<R32UI>.Load", TEXTURE, 1, UINT32, R32_UINT, 0)                                    \
    X("Texture2D<RGBA32UI>.Load", TEXTURE, 4, UINT32, RGBA32_UINT, 0)                              \
    X("RWTexture2D<RGBA8>.Load", TEXTURE_RW, 4, UNORM8, RGBA8_UNORM, 0)                            \
    X("RWTexture2D<R32F>.Load", TEXTURE_RW, 1, FLOAT32, R32_FLOAT, 0)                              \
    X("RWTexture2D<RGBA32F>.Load", TEXTURE_RW, 4, FLOAT32, RGBA32_FLOAT, 0)                        \
    X("Texture2D<RGBA8sRGB>.Load", TEXTURE, 4, PACKED, RGBA8_SRGB, 0)                              \
    X("Texture2D<RGB10A2>.Load", TEXTURE, 4, PACKED, RGB10A2_UNORM, 0)                             \
    X("Texture2D<RG11B10F>.Load", TEXTURE, 4, PACKED, RG11B10_FLOAT, 0)                            \
    X("Texture2D<RGBA8sRGB>.Sample(bilinear)", BILINEAR, 4, PACKED, RGBA8_SRGB, 0)                 \
    X("Texture2D<RGB10A2>.Sample(bilinear)", BILINEAR, 4, PACKED, RGB10A2_UNORM, 0)                \
    X("Texture2D<RG11B10F>.Sample(bilinear)", BILINEAR, 4, PACKED, RG11B10_FLOAT, 0)               \
    X("Texture2D<BC1>.Sample(bilinear)", BILINEAR, 4, PACKED, BC1_UNORM, 0)                        \
    X("Texture2D<BC2>.Sample(bilinear)", BILINEAR, 4, PACKED, BC2_UNORM, 0)                        \
    X("Texture2D<BC3>.Sample(bilinear)", BILINEAR, 4, PACKED, BC3_UNORM, 0)                        \
    X("Texture2D<BC4>.Sample(bilinear)", BILINEAR, 1, PACKED, BC4_UNORM, 0)                        \
    X("Texture2D<BC5>.Sample(bilinear)", BILINEAR, 2, PACKED, BC5_UNORM, 0)                        \
    X("Texture2D<BC6H>.Sample(bilinear)", BILINEAR, 4, PACKED, BC6H_UFLOAT, 0)                     \
    X("Texture2D<BC7>.Sample(bilinear)", BILINEAR, 4, PACKED, BC7_UNORM, 0)                        \
    X("Texture2D<RGBA8>.Sample(off-centre)", OFFSET, 4, UNORM8, RGBA8_UNORM, 0)                    \
    X("Texture2D<RGBA16F>.Sample(off-centre)", OFFSET, 4, FLOAT16, RGBA16_FLOAT, 0)                \
    X("Texture2D<RGBA32F>.Sample(off-centre)", OFFSET, 4, FLOAT32, RGBA32_FLOAT, 0)                \
    X("Texture2D<RGBA8>.Sample(trilinear)", TRILINEAR, 4, UNORM8, RGBA8_UNORM, 0)                  \
    X("Texture2D<RGBA16F>.Sample(trilinear)", TRILINEAR, 4, FLOAT16, RGBA16_FLOAT, 0)              \
    X("Texture2D<RGBA8>.Sample(anisotropic 4)", STRETCHED, 4, UNORM8, RGBA8_UNORM, 0)              \
    X("Texture2D<RGBA16F>.Sample(anisotropic 4)", STRETCHED, 4, FLOAT16, RGBA16_FLOAT, 0)          \
    X("Texture2D<RGBA8>.Sample(mip 1)", MIP, 4, UNORM8, RGBA8_UNORM, 0)                            \
    X("Texture2D<R8>.Gather", GATHER, 4, UNORM8, R8_UNORM, 0)                                      \
    X("Texture2D<RGBA8>.Gather", GATHER, 4, UNORM8, RGBA8_UNORM, 0)                                \
    X("Texture2D<R32F>.Gather", GATHER, 4, FLOAT32, R32_FLOAT, 0)                                  \
    X("Texture1D<RGBA8>.Load", ROW, 4, UNORM8, RGBA8_UNORM, 0)                                     \
    X("Texture2DArray<RGBA8>.Sample(bilinear)", ARRAY, 4, UNORM8, RGBA8_UNORM, 0)                  \
    X("Texture3D<RGBA8>.Sample(bilinear)", VOLUME, 4, UNORM8, RGBA8_UNORM, 0)                      \
    X("TextureCube<RGBA8>.Sample(bilinear)", CUBE, 4, UNORM8, RGBA8_UNORM, 0)                      \
    X("Texture2D<RGBA8>.Sample(divergent LOD)", LEVELS, 4, UNORM8, RGBA8_UNORM, 0)                 \
    X("RWStructuredBuffer<float> store", STORE, 1, FLOAT32, R32_FLOAT, 0)                          \
    X("RWStructuredBuffer<float2> store", STORE, 2, FLOAT32, R32_FLOAT, 0)                         \
    X("RWStructuredBuffer<float4> store", STORE, 4, FLOAT32, R32_FLOAT, 0)                         \
    X("RWStructuredBuffer<uint> atomic add", ATOMIC, 1, FLOAT32, R32_FLOAT, 0)                     \
    X("groupshared float store", SHARED_STORE, 1, FLOAT32, R32_FLOAT, 0)                           \
    X("groupshared float4 store", SHARED_STORE, 4, FLOAT32, R32_FLOAT, 0)                          \
    X("groupshared uint atomic add", SHARED_ATOMIC, 1, FLOAT32, R32_FLOAT, 0)

#define ROBUST(X)                                                                                  \
    X("Buffer<RGBA8>.Load robust", TYPED, 4, UNORM8, RGBA8_UNORM, 0)                               \
    X("Buffer<RGBA32f>.Load robust", TYPED, 4, FLOAT32, RGBA32_FLOAT, 0)                           \
    X("ByteAddressBuffer.Load bound robust", BOUND, 1, FLOAT32, R32_FLOAT, 0)                      \
    X("ByteAddressBuffer.Load4 bound robust", BOUND, 4, FLOAT32, R32_FLOAT, 0)                     \
    X("StructuredBuffer<float>.Load robust", STRUCTURED, 1, FLOAT32, R32_FLOAT, 0)                 \
    X("StructuredBuffer<float4>.Load robust", STRUCTURED, 4, FLOAT32, R32_FLOAT, 0)                \
    X("cbuffer{float4} load robust", CONSTANT, 4, FLOAT32, R32_FLOAT, 0)                           \
    X("Texture2D<RGBA8>.Load robust", TEXTURE, 4, UNORM8, RGBA8_UNORM, 0)                          \
    X("RWStructuredBuffer<float4> store robust", STORE, 4, FLOAT32, R32_FLOAT, 0)

const struct loads_kind loads_kinds[] = {
#define X(label, source, width, data, format, start)                                               \
    {label, LOADS_FROM_##source, width, LOADS_##data, GPU_FORMAT_##format, start, false},
    PUBLISHED(X) ADDED(X)
#undef X
#define X(label, source, width, data, format, start)                                               \
    {label, LOADS_FROM_##source, width, LOADS_##data, GPU_FORMAT_##format, start, true},
        ROBUST(X)
#undef X
};
const size_t loads_kind_count = COUNT(loads_kinds);

#define X(label, source, width, data, format, start) "," label
const char loads_labels_published[] = PUBLISHED(X);
const char loads_labels_all[] = PUBLISHED(X) ADDED(X) ROBUST(X);
#undef X
#define X(label, source, width, data, format, start) "|" label
const char loads_choices[] = PUBLISHED(X) ADDED(X) ROBUST(X);
#undef X

const struct loads_kind *loads_kind_find(const char *label)
{
    for (size_t i = 0; i < loads_kind_count; i++)
        if (strcmp(loads_kinds[i].label, label) == 0)
            return &loads_kinds[i];
    return NULL;
}

const struct loads_kind *loads_baseline(void)
{
    return loads_kind_find("Buffer<RGBA8>.Load");
}

// ---------------------------------------------------------------- what the rows of a source share

#define TILE .tile = true, .resource = LOADS_BY_IMAGE, .needs = GPU_CAP(IMAGES)
#define SAMPLED                                                                                    \
    .tile = true, .sampled = true, .resource = LOADS_BY_IMAGE,                                     \
    .needs = GPU_CAP(IMAGES) | GPU_CAP(SAMPLERS)
#define TYPED .resource = LOADS_BY_TYPED, .needs = GPU_CAP(TYPED)
#define LANES                                                                                      \
    .uniform = true, .needs = GPU_CAP(SUBGROUPS), .no_opencl = "OpenCL C 1.2 has no subgroups"
#define LEVELS(n) .levels = (n), .no_opencl = "OpenCL C 1.2 has no mip levels"

static const struct loads_traits traits[LOADS_SOURCE_COUNT] = {
    [LOADS_FROM_TYPED] = {.kernels = "typed", TYPED},
    [LOADS_FROM_RAW] = {.kernels = "raw", .direct = true},
    [LOADS_FROM_NATURAL] = {.kernels = "natural", .direct = true},
    [LOADS_FROM_STRUCTURED] = {.kernels = "structured", .direct = true},
    [LOADS_FROM_CONSTANT] = {.kernels = "constant", .needs = GPU_CAP(CONSTANT)},
    [LOADS_FROM_TEXTURE] = {.kernels = "texture", TILE},
    [LOADS_FROM_NEAREST] = {.kernels = "sampled", SAMPLED},
    [LOADS_FROM_BILINEAR] = {.kernels = "sampled", SAMPLED, .filters = 1},
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
    [LOADS_FROM_OFFSET] = {.kernels = "sampled", SAMPLED, .centre = 0.75f, .filters = 0.75},
    [LOADS_FROM_GATHER] = {.kernels = "gather",
                           SAMPLED,
                           .centre = 1, // kernels sample at the corner where four texels meet
                           .no_opencl = "OpenCL C 1.2 has no gathers"},
    [LOADS_FROM_TRILINEAR] = {.kernels = "trilinear", SAMPLED, LEVELS(2), .filters = 2},
    [LOADS_FROM_STRETCHED] = {.kernels = "stretched", SAMPLED, LEVELS(3), .filters = 2},
    [LOADS_FROM_MIP] = {.kernels = "mip", SAMPLED, LEVELS(2), .read_at = 1},
    [LOADS_FROM_ARRAY] = {.kernels = "array", SAMPLED, .filters = 1},
    [LOADS_FROM_VOLUME] = {.kernels = "volume", SAMPLED, .filters = 2},
    [LOADS_FROM_CUBE] = {.kernels = "cube",
                         SAMPLED,
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

const struct loads_traits *loads_traits_of(const struct loads_kind *kind)
{
    return &traits[kind->source];
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

const char *loads_kernel_name(struct arena *arena, const struct loads_case *this_case, bool bound,
                              bool control)
{
    const struct loads_kind *kind = this_case->kind;
    const char *form = this_case->peak ? "peak" : "original";
    if (control)
        return arena_printf(arena, "loads_control_%s_%u_%s",
                            loads_traits_of(kind)->sampled ? "sampled"
                            : loads_traits_of(kind)->tile  ? "texture"
                                                           : "buffer",
                            kind->width, form);
    // If raw buffers are arguments, loads of known alignment use the kernel of structured buffers,
    // which does the same.
    enum loads_source source = kind->source;
    if (bound && source == LOADS_FROM_RAW)
        source = LOADS_FROM_BOUND;
    else if (bound && source == LOADS_FROM_NATURAL)
        source = LOADS_FROM_STRUCTURED;
    // "u": loads integers. "n": the kernel must declare the format of its writable UNORM8 resource.
    bool integer = kind->data == LOADS_UINT32 || kind->data == LOADS_UINT8;
    bool named = traits[source].writable && kind->data == LOADS_UNORM8;
    return arena_printf(arena, "loads_%s_%u%s_%s_%s", traits[source].kernels, kind->width,
                        integer ? "u"
                        : named ? "n"
                                : "",
                        this_case->pattern == LOADS_UNIFORM ? "uniform" : "varying", form);
}
