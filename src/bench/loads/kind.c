// SPDX-License-Identifier: MIT
#include "bench/loads/kind.h"

#include <string.h>

// The order and the words are those of the published tables (sebbbi/perftest, README); its second
// "Sample(bilinear) uniform" of RGBA32F was the nearest one's, and is called so here.
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

#define ADDED(X)                                                                                   \
    X("ByteAddressBuffer.Load2 natural", NATURAL, 2, FLOAT32, R32_FLOAT, 0)                        \
    X("ByteAddressBuffer.Load4 natural", NATURAL, 4, FLOAT32, R32_FLOAT, 0)

const struct loads_kind loads_kinds[] = {
#define X(label, source, width, data, format, start)                                               \
    {label, LOADS_FROM_##source, width, LOADS_##data, GPU_FORMAT_##format, start},
    PUBLISHED(X) ADDED(X)
#undef X
};
const size_t loads_kind_count = sizeof loads_kinds / sizeof loads_kinds[0];

#define X(label, source, width, data, format, start) "," label
const char loads_labels_published[] = PUBLISHED(X);
const char loads_labels_all[] = PUBLISHED(X) ADDED(X);
#undef X
#define X(label, source, width, data, format, start) "|" label
const char loads_choices[] = PUBLISHED(X) ADDED(X);
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

const char *loads_source_name(enum loads_source source)
{
    static const char *const names[] = {
        [LOADS_FROM_TYPED] = "typed",       [LOADS_FROM_RAW] = "raw",
        [LOADS_FROM_NATURAL] = "natural",   [LOADS_FROM_STRUCTURED] = "structured",
        [LOADS_FROM_CONSTANT] = "constant", [LOADS_FROM_TEXTURE] = "texture",
        [LOADS_FROM_NEAREST] = "nearest",   [LOADS_FROM_BILINEAR] = "bilinear"};
    return names[source];
}

static bool is_sampled(const struct loads_kind *kind)
{
    return kind->source == LOADS_FROM_NEAREST || kind->source == LOADS_FROM_BILINEAR;
}

bool loads_is_texture(const struct loads_kind *kind)
{
    return kind->source == LOADS_FROM_TEXTURE || is_sampled(kind);
}

unsigned loads_bytes(const struct loads_kind *kind)
{
    static const unsigned channel_bytes[] = {1, 2, 4};
    return kind->width * channel_bytes[kind->data];
}

// A raw buffer that is an argument is a structured one where its alignment is known.
static const char *family_of(const struct loads_form *form)
{
    enum loads_source source = form->kind->source;
    if (is_sampled(form->kind))
        return "sampled";
    if (form->bound && source == LOADS_FROM_RAW)
        return "bound";
    if (form->bound && source == LOADS_FROM_NATURAL)
        source = LOADS_FROM_STRUCTURED;
    return loads_source_name(source);
}

const char *loads_kernel_name(struct arena *arena, const struct loads_form *form)
{
    return arena_printf(arena, "loads_%s_%u_%s_%s", family_of(form), form->kind->width,
                        form->uniform ? "uniform" : "varying", form->peak ? "peak" : "original");
}

const char *loads_control_name(struct arena *arena, const struct loads_form *form)
{
    const struct loads_kind *kind = form->kind;
    return arena_printf(arena, "loads_control_%s_%u_%s",
                        is_sampled(kind)         ? "sampled"
                        : loads_is_texture(kind) ? "texture"
                                                 : "buffer",
                        kind->width, form->peak ? "peak" : "original");
}
