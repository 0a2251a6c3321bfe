// SPDX-License-Identifier: MIT
// Buffers, views and textures to load from: one of each kind a session, made when first wanted.
#include "bench/loads/source.h"

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
    bool nearest = kind->source == LOADS_FROM_NEAREST || kind->source == LOADS_FROM_GATHER;
    const struct gpu_sampler_desc desc = {
        .filter = nearest ? GPU_FILTER_NEAREST : GPU_FILTER_LINEAR,
        .mip_filter =
            kind->source == LOADS_FROM_TRILINEAR ? GPU_FILTER_LINEAR : GPU_FILTER_NEAREST};
    arg->sampler = gpu_sampler_create(session->bench->scope, &desc, err);
    return arg->sampler != NULL;
}

static size_t texel_bytes(const struct loads_kind *kind)
{
    unsigned side = gpu_format_block(kind->format);
    return (size_t)LOADS_ELEMENTS / (side * side) * gpu_format_bytes(kind->format);
}

static bool make_texture(struct loads_session *session, const struct loads_kind *kind,
                         struct gpu_arg *arg, struct error *err)
{
    struct bench_session *bench = session->bench;
    unsigned levels = loads_levels(kind);
    const struct gpu_image_desc desc = {.format = kind->format,
                                        .width = LOADS_SIDE,
                                        .height = LOADS_SIDE,
                                        .mips = levels,
                                        .storage = kind->source == LOADS_FROM_TEXTURE_RW};
    size_t bytes, offset = 0;
    const unsigned char *texels = loads_encode(bench->arena, kind, &bytes);
    arg->image = gpu_image_create(bench->scope, &desc, err);
    for (unsigned level = 0; arg->image && level < levels; level++) {
        size_t size = texel_bytes(kind) >> 2 * level;
        if (!gpu_image_write(arg->image, level, 0, texels + offset, size, err))
            return false;
        offset += size;
    }
    return arg->image && (!loads_is_sampled(kind) || make_sampler(session, kind, arg, err));
}

static gpu_caps caps_of(const struct loads_kind *kind)
{
    static const gpu_caps needed[LOADS_SOURCE_COUNT] = {
        [LOADS_FROM_TYPED] = GPU_CAP(TYPED),       [LOADS_FROM_TYPED_RW] = GPU_CAP(TYPED),
        [LOADS_FROM_CONSTANT] = GPU_CAP(CONSTANT), [LOADS_FROM_HALF] = GPU_CAP(STORAGE16),
        [LOADS_FROM_LONG] = GPU_CAP(INT64),        [LOADS_FROM_BROADCAST] = GPU_CAP(SUBGROUPS),
    };
    return needed[kind->source] | (loads_is_texture(kind) ? GPU_CAP(IMAGES) : 0) |
           (loads_is_sampled(kind) ? GPU_CAP(SAMPLERS) : 0);
}

static bool make(struct loads_session *session, const struct loads_kind *kind, struct gpu_arg *arg,
                 struct error *err)
{
    if (!gpu_require(session->bench->info, caps_of(kind), err))
        return false;
    if (loads_is_texture(kind))
        return make_texture(session, kind, arg, err);
    if (kind->source == LOADS_FROM_TYPED || kind->source == LOADS_FROM_TYPED_RW)
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
