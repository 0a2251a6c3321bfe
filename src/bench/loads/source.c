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
    size_t bytes;
    void *memory = loads_encode(bench->arena, kind, &bytes);
    struct gpu_buffer *buffer =
        gpu_buffer_create(bench->scope, &(struct gpu_buffer_desc){.bytes = bytes}, err);
    return buffer && gpu_buffer_write(buffer, 0, memory, bytes, err) ? buffer : NULL;
}

static bool make_typed(struct loads_session *session, const struct loads_kind *kind,
                       struct gpu_arg *arg, struct error *err)
{
    struct gpu_buffer *buffer = gpu_require(session->bench->info, GPU_CAP(TYPED), err)
                                    ? make_buffer(session, kind, err)
                                    : NULL;
    if (buffer)
        arg->typed =
            gpu_typed_create(session->bench->scope, buffer, kind->format, 0, LOADS_ELEMENTS, err);
    return arg->typed != NULL;
}

static bool make_texture(struct loads_session *session, const struct loads_kind *kind,
                         struct gpu_arg *arg, struct error *err)
{
    struct bench_session *bench = session->bench;
    bool sampled = kind->source != LOADS_FROM_TEXTURE;
    const struct gpu_image_desc desc = {
        .format = kind->format, .width = LOADS_SIDE, .height = LOADS_SIDE};
    const struct gpu_sampler_desc sampler = {
        .filter = kind->source == LOADS_FROM_BILINEAR ? GPU_FILTER_LINEAR : GPU_FILTER_NEAREST};
    size_t bytes;
    void *texels = loads_encode(bench->arena, kind, &bytes);
    if (!gpu_require(bench->info, GPU_CAP(IMAGES) | (sampled ? GPU_CAP(SAMPLERS) : 0), err))
        return false;
    arg->image = gpu_image_create(bench->scope, &desc, err);
    if (!arg->image || !gpu_image_write(arg->image, 0, 0, texels, bytes, err))
        return false;
    if (!sampled)
        return true;
    arg->sampler = gpu_sampler_create(bench->scope, &sampler, err);
    return arg->sampler != NULL;
}

static bool make(struct loads_session *session, const struct loads_kind *kind, struct gpu_arg *arg,
                 struct error *err)
{
    if (loads_is_texture(kind))
        return make_texture(session, kind, arg, err);
    if (kind->source == LOADS_FROM_TYPED)
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
