// SPDX-License-Identifier: MIT
// Makes the resources from which kernels load: buffers, views and textures, one for each kind of
// load, when a case first needs it. Also makes the buffers to which kernels write.
#include "bench/loads/session.h"

#include <string.h>

enum {
    // Maximum number of copies of the elements to which kernels write: 64 MiB of four floats. If a
    // device reports more cores, which only a wrong driver does, several cores share a copy.
    COPIES_MAX = 4096
};

static struct gpu_buffer *make_buffer(struct loads_session *session, const struct loads_kind *kind,
                                      struct error *err)
{
    enum gpu_memory memory = kind->source == LOADS_FROM_HOST      ? GPU_MEMORY_UPLOAD
                             : kind->source == LOADS_FROM_VISIBLE ? GPU_MEMORY_VISIBLE
                                                                  : GPU_MEMORY_DEVICE;
    size_t bytes;
    const void *data = loads_encode(session->bench->arena, kind, &bytes);
    struct gpu_buffer *buffer = bench_buffer(session->bench->scope, bytes, memory, err);
    return buffer && gpu_buffer_write(buffer, 0, data, bytes, err) ? buffer : NULL;
}

static struct gpu_image_desc image_desc(const struct loads_kind *kind)
{
    struct gpu_image_desc desc = {.format = kind->format,
                                  .width = LOADS_SIDE,
                                  .height = LOADS_SIDE,
                                  .mips = loads_levels(kind),
                                  .storage = loads_traits_of(kind)->writable,
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
    } else if (loads_traits_of(kind)->read_at == 1) {
        desc.width = desc.height = 2 * LOADS_SIDE;
    }
    return desc;
}

// Fills level 0 with four copies of level 1, shifted by 4 bytes. Kernels must read only level 1, so
// a read of level 0 gives a wrong sum.
static bool fill_level_above(struct gpu_image *image, const unsigned char *texels, size_t size,
                             struct arena *arena, struct error *err)
{
    unsigned char *all = ARENA_ARRAY(arena, 4 * size, unsigned char);
    for (size_t byte = 0; byte < 4 * size; byte++)
        all[byte] = texels[(byte + 4) % size];
    return gpu_image_write(image, 0, 0, all, 4 * size, err);
}

// Fills the slice or layer that kernels must read. The other slices or layers get the same texels,
// shifted, so that a read of them gives a wrong sum.
static bool fill_layers(struct gpu_image *image, const struct gpu_image_desc *desc,
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

// Writes all levels of detail. If kernels must not read level 0, writes wrong texels to level 0.
static bool fill_levels(struct gpu_image *image, const struct loads_kind *kind,
                        const unsigned char *texels, struct arena *arena, struct error *err)
{
    unsigned above = loads_traits_of(kind)->read_at, levels = loads_levels(kind);
    size_t side = gpu_format_block(kind->format);
    size_t size = (size_t)LOADS_ELEMENTS / (side * side) * gpu_format_bytes(kind->format);
    if (above && !fill_level_above(image, texels, size, arena, err))
        return false;
    for (unsigned level = above; level < levels; level++) {
        if (!gpu_image_write(image, level, 0, texels, size, err))
            return false;
        texels += size;
        size /= 4;
    }
    return true;
}

static bool make_texture(struct loads_session *session, const struct loads_kind *kind,
                         struct gpu_arg *arg, struct error *err)
{
    struct bench_session *bench = session->bench;
    const struct loads_traits *traits = loads_traits_of(kind);
    const struct gpu_image_desc desc = image_desc(kind);
    const struct gpu_sampler_desc sampler = {
        .filter = traits->filters > 0 ? GPU_FILTER_LINEAR : GPU_FILTER_NEAREST,
        .mip_filter = kind->source == LOADS_FROM_TRILINEAR ? GPU_FILTER_LINEAR : GPU_FILTER_NEAREST,
        .anisotropy = kind->source == LOADS_FROM_STRETCHED ? LOADS_ANISOTROPY : 0,
    };
    bool layered = desc.layers || desc.depth || desc.kind == GPU_IMAGE_CUBE;
    size_t bytes;
    const unsigned char *texels = loads_encode(bench->arena, kind, &bytes);
    arg->image = gpu_image_create(bench->scope, &desc, err);
    if (!arg->image || !(layered ? fill_layers(arg->image, &desc, texels, bench->arena, err)
                                 : fill_levels(arg->image, kind, texels, bench->arena, err)))
        return false;
    if (traits->sampled)
        arg->sampler = gpu_sampler_create(bench->scope, &sampler, err);
    return arg->sampler || !traits->sampled;
}

static bool make(struct loads_session *session, const struct loads_kind *kind, struct gpu_arg *arg,
                 struct error *err)
{
    enum loads_resource resource = loads_traits_of(kind)->resource;
    if (resource == LOADS_BY_IMAGE)
        return make_texture(session, kind, arg, err);
    struct gpu_buffer *buffer = make_buffer(session, kind, err);
    if (resource == LOADS_BY_BUFFER)
        arg->buffer = buffer;
    else if (buffer)
        arg->typed =
            gpu_typed_create(session->bench->scope, buffer, kind->format, 0, LOADS_ELEMENTS, err);
    return arg->buffer || arg->typed;
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

// ---------------------------------------------------------------- targets

bool loads_target_make(struct loads_work *work, struct gpu_scope *scope,
                       const struct loads_case *this_case, struct error *err)
{
    struct loads_session *session = work->session;
    struct arena *arena = session->bench->arena;
    struct arena_mark mark = arena_mark(arena);
    uint32_t most = work->groups < COPIES_MAX ? work->groups : COPIES_MAX;
    work->params.start = session->cores < most ? session->cores : most;
    uint64_t words = (uint64_t)work->params.start * LOADS_ELEMENTS * this_case->kind->width;
    const void *zeros = ARENA_ARRAY(arena, words, uint32_t);
    work->target = *this_case;
    uint64_t bytes = words * sizeof(uint32_t);
    work->source.buffer = bench_buffer(scope, bytes, GPU_MEMORY_DEVICE, err);
    bool written =
        work->source.buffer && gpu_buffer_write(work->source.buffer, 0, zeros, bytes, err);
    arena_rewind(arena, mark);
    return written;
}

// Checks one copy of the elements. Each of `times` workgroups wrote hits[e] times to element e.
static bool verify_copy(const struct loads_work *work, const uint32_t *words, const uint32_t *hits,
                        uint32_t times, struct error *err)
{
    const struct loads_kind *kind = work->target.kind;
    for (uint32_t e = 0; e < LOADS_ELEMENTS; e++)
        for (uint32_t c = 0; c < kind->width; c++) {
            uint32_t wanted = loads_traits_of(kind)->atomic ? times * hits[e] : hits[e] ? e + 1 : 0;
            uint32_t found = words[e * kind->width + c];
            if (found != wanted)
                return error_set(err, ERROR_MISMATCH, "%s: element %u holds %u, not %u",
                                 gpu_program_kernel(work->program)->name, e, found, wanted);
        }
    return true;
}

bool loads_target_verify(struct loads_work *work, uint32_t dispatches, struct error *err)
{
    struct arena *arena = work->session->bench->arena;
    struct arena_mark mark = arena_mark(arena);
    uint32_t copies = work->params.start, groups = work->groups;
    size_t copy_words = (size_t)LOADS_ELEMENTS * work->target.kind->width;
    uint32_t *words = ARENA_ARRAY(arena, copies * copy_words, uint32_t);
    uint32_t hits[LOADS_ELEMENTS];
    loads_count_writes(work->target.kind, work->target.pattern, hits);
    bool ok =
        gpu_buffer_read(work->source.buffer, 0, words, copies * copy_words * sizeof *words, err);
    for (uint32_t copy = 0; ok && copy < copies; copy++) {
        uint32_t users = groups / copies + (copy < groups % copies);
        ok = verify_copy(work, words + copy * copy_words, hits, dispatches * users, err);
    }
    arena_rewind(arena, mark);
    return ok;
}
