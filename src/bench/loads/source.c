// SPDX-License-Identifier: MIT
// Buffers, views and textures to load from: one of each kind a session, made when first wanted.
#include "bench/loads/source.h"

#include <string.h>

bool loads_is_bound(const struct gpu_info *info)
{
    return !(info->caps & GPU_CAP(ADDRESSES));
}

static struct gpu_buffer *make_buffer(struct loads_session *session, const struct loads_kind *kind,
                                      struct error *err)
{
    struct bench_session *bench = session->bench;
    struct gpu_buffer_desc desc = {.memory = kind->source == LOADS_FROM_HOST ? GPU_MEMORY_UPLOAD
                                             : kind->source == LOADS_FROM_VISIBLE
                                                 ? GPU_MEMORY_VISIBLE
                                                 : GPU_MEMORY_DEVICE};
    size_t bytes;
    void *memory = loads_encode(bench->arena, kind, &bytes);
    desc.bytes = bytes;
    struct gpu_buffer *buffer = gpu_buffer_create(bench->scope, &desc, err);
    return buffer && gpu_buffer_write(buffer, 0, memory, bytes, err) ? buffer : NULL;
}

static bool make_typed(struct loads_session *session, const struct loads_kind *kind,
                       struct gpu_arg *arg, struct error *err)
{
    struct gpu_buffer *buffer = make_buffer(session, kind, err);
    if (buffer)
        arg->typed =
            gpu_typed_create(session->bench->scope, buffer, kind->format, 0, LOADS_ELEMENTS, err);
    return arg->typed != NULL;
}

static bool make_sampler(struct loads_session *session, const struct loads_kind *kind,
                         struct gpu_arg *arg, struct error *err)
{
    const struct loads_way *way = loads_way_of(kind);
    const struct gpu_sampler_desc desc = {
        .filter = way->smooth ? GPU_FILTER_LINEAR : GPU_FILTER_NEAREST,
        .mip_filter = way->smooth_levels ? GPU_FILTER_LINEAR : GPU_FILTER_NEAREST,
        .anisotropy = kind->source == LOADS_FROM_STRETCHED ? LOADS_ANISOTROPY : 0,
    };
    arg->sampler = gpu_sampler_create(session->bench->scope, &desc, err);
    return arg->sampler != NULL;
}

static size_t texel_bytes(const struct loads_kind *kind)
{
    size_t side = gpu_format_block(kind->format);
    return (size_t)LOADS_ELEMENTS / (side * side) * gpu_format_bytes(kind->format);
}

static struct gpu_image_desc image_desc(const struct loads_kind *kind)
{
    struct gpu_image_desc desc = {.format = kind->format,
                                  .width = LOADS_SIDE,
                                  .height = LOADS_SIDE,
                                  .mips = loads_levels(kind),
                                  .storage = loads_way_of(kind)->writable,
                                  .gather = kind->source == LOADS_FROM_GATHER};
    if (kind->source == LOADS_FROM_ARRAY) {
        desc.layers = LOADS_DEPTH;
    } else if (kind->source == LOADS_FROM_CUBE) {
        desc.kind = GPU_IMAGE_CUBE;
    } else if (kind->source == LOADS_FROM_VOLUME) {
        desc.kind = GPU_IMAGE_3D;
        desc.depth = LOADS_DEPTH;
    } else if (kind->source == LOADS_FROM_ROW) {
        desc.kind = GPU_IMAGE_1D;
        desc.width = LOADS_ELEMENTS;
        desc.height = 1;
    } else if (loads_way_of(kind)->read_at == 1) {
        desc.width = desc.height = 2 * LOADS_SIDE;
    }
    return desc;
}

// A level that nobody reads, above the one that is: the same four times, moved by a texel.
static bool fill_level_above(struct gpu_image *image, const unsigned char *texels, size_t size,
                             struct arena *arena, struct error *err)
{
    unsigned char *all = ARENA_ARRAY(arena, 4 * size, unsigned char);
    for (size_t byte = 0; byte < 4 * size; byte++)
        all[byte] = texels[(byte + 4) % size];
    return gpu_image_write(image, 0, 0, all, 4 * size, err);
}

// Slices and layers that nobody reads hold something else: the same, moved by a few texels.
static bool fill_image(struct gpu_image *image, const struct gpu_image_desc *desc,
                       const unsigned char *texels, struct arena *arena, struct error *err)
{
    size_t size = (size_t)desc->width * desc->height * gpu_format_bytes(desc->format);
    unsigned slices = desc->depth ? desc->depth : 1;
    unsigned layers = desc->kind == GPU_IMAGE_CUBE ? 6 : desc->layers ? desc->layers : 1;
    unsigned char *all = ARENA_ARRAY(arena, size * slices, unsigned char);
    for (unsigned layer = 0; layer < layers; layer++) {
        for (unsigned slice = 0; slice < slices; slice++) {
            bool read = layer + slice == LOADS_READ_LAYER;
            size_t moved = read ? 0 : 16 * (layer + slice + 1);
            memcpy(all + slice * size, texels + moved, size - moved);
            memcpy(all + slice * size + size - moved, texels, moved);
        }
        if (!gpu_image_write(image, 0, layer, all, size * slices, err))
            return false;
    }
    return true;
}

static bool make_texture(struct loads_session *session, const struct loads_kind *kind,
                         struct gpu_arg *arg, struct error *err)
{
    struct bench_session *bench = session->bench;
    const struct gpu_image_desc desc = image_desc(kind);
    size_t bytes, offset = 0;
    const unsigned char *texels = loads_encode(bench->arena, kind, &bytes);
    arg->image = gpu_image_create(bench->scope, &desc, err);
    if (arg->image && (desc.layers || desc.depth || desc.kind == GPU_IMAGE_CUBE)) {
        if (!fill_image(arg->image, &desc, texels, bench->arena, err))
            return false;
    } else {
        unsigned above = loads_way_of(kind)->read_at;
        if (arg->image && above &&
            !fill_level_above(arg->image, texels, texel_bytes(kind), bench->arena, err))
            return false;
        for (unsigned level = above; arg->image && level < desc.mips; level++) {
            size_t size = texel_bytes(kind) >> 2 * (level - above);
            if (!gpu_image_write(arg->image, level, 0, texels + offset, size, err))
                return false;
            offset += size;
        }
    }
    return arg->image && (!loads_is_sampled(kind) || make_sampler(session, kind, arg, err));
}

static bool make(struct loads_session *session, const struct loads_kind *kind, struct gpu_arg *arg,
                 struct error *err)
{
    const struct loads_way *way = loads_way_of(kind);
    if (way->resource == LOADS_BY_IMAGE)
        return make_texture(session, kind, arg, err);
    if (way->resource == LOADS_BY_TYPED)
        return make_typed(session, kind, arg, err);
    arg->buffer = make_buffer(session, kind, err);
    return arg->buffer != NULL;
}

bool loads_source_find(struct loads_session *session, const struct loads_kind *kind,
                       struct gpu_arg *arg, struct error *err)
{
    struct gpu_arg *kept = &session->sources[kind - loads_kinds];
    if (!kept->buffer && !kept->typed && !kept->image) {
        struct gpu_arg made = {.buffer = NULL};
        if (!make(session, kind, &made, err))
            return error_prefix(err, "%s", kind->label);
        *kept = made;
    }
    *arg = *kept;
    return true;
}
