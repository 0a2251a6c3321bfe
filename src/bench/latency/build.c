// SPDX-License-Identifier: MIT
// Makes the chain of a visit: its programs, its memory, and the links in it.
#include "bench/latency/chase.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    BUILD_NODES = 1 << 22, // a submission: far from any watchdog, even in software
    NAME_BYTES = 64
};

// ---------------------------------------------------------------- programs

static bool on_chip(const struct latency_case *this_case)
{
    return this_case->path == LATENCY_SHARED || this_case->path == LATENCY_ATOMIC_SHARED;
}

static struct gpu_program *chase_program(struct latency_chase *chase, struct error *err)
{
    const struct latency_case *this_case = &chase->this_case;
    char name[NAME_BYTES], kind[16] = "index";
    if (this_case->pointer)
        snprintf(kind, sizeof kind, "pointer");
    else if (on_chip(this_case)) // the least array that holds the region
        snprintf(kind, sizeof kind, "%uk", (unsigned)((chase->shape.bytes + 16383) / 16384 * 16));
    const char *path = this_case->path == LATENCY_ATOMIC_SHARED
                           ? "atomic_shared"
                           : latency_path_name(this_case->path);
    snprintf(name, sizeof name, "latency_%s_%s%s", path, kind,
             chase->session->clocked ? "_clock" : "");
    return latency_program(chase->session, name, err);
}

// Index chains compute an address a hop, except where the instruction takes the index as it is.
static const char *control_name(const struct latency_case *this_case)
{
    if (this_case->pointer)
        return NULL;
    switch (this_case->path) {
    case LATENCY_VECTOR:
    case LATENCY_SHARED:
    case LATENCY_ATOMIC:
    case LATENCY_ATOMIC_SHARED:
        return "vector";
    case LATENCY_SCALAR:
        return "scalar";
    case LATENCY_CONSTANT:
        return "constant";
    case LATENCY_TEXEL:
    case LATENCY_IMAGE:
    case LATENCY_PATH_COUNT:
        return NULL;
    }
    return NULL;
}

static bool find_programs(struct latency_chase *chase, struct error *err)
{
    chase->program = chase_program(chase, err);
    if (!chase->program)
        return false;
    const char *control = control_name(&chase->this_case);
    if (control) {
        char name[NAME_BYTES];
        snprintf(name, sizeof name, "latency_control_%s%s", control,
                 chase->session->clocked ? "_clock" : "");
        chase->control = latency_program(chase->session, name, err);
        chase->control_shift = 2 + chase->shape.link_shift;
        if (!chase->control)
            return false;
    }
    if (!chase->this_case.keep_awake)
        return true;
    chase->awake = latency_program(chase->session, "latency_awake", err);
    return chase->awake && latency_stream(chase->session, err);
}

// ---------------------------------------------------------------- building

struct latency_params latency_params_of(const struct latency_chase *chase)
{
    const struct latency_shape *shape = &chase->shape;
    return (struct latency_params){
        .order = shape->order,
        .nodes = shape->nodes,
        .block_bytes = shape->block_bytes,
        .slots = shape->slots,
        .slot_bytes = shape->slot_bytes,
        .key = shape->key,
        .link_shift = shape->link_shift,
        .image_columns = shape->image_columns,
        .turns = shape->turns,
        .chunk_shift = shape->chunk_shift,
    };
}

static bool build_links(const struct latency_chase *chase, struct gpu_program *builder,
                        const struct gpu_arg *region, struct error *err)
{
    const struct bench_visit *visit = chase->visit;
    struct gpu_batch *batch = gpu_batch_create(visit->scope, &(struct gpu_batch_desc){0}, err);
    if (!batch)
        return false;
    struct latency_params params = latency_params_of(chase);
    for (uint32_t left = params.nodes; left > 0; left = params.nodes - params.start) {
        uint32_t count = left < BUILD_NODES ? left : BUILD_NODES;
        struct gpu_dispatch dispatch = {
            .program = builder,
            .groups = {(count + LATENCY_WORKGROUP - 1) / LATENCY_WORKGROUP},
            .args = {*region},
            .params = &params,
            .params_bytes = sizeof params,
        };
        if (params.start > 0 && !gpu_batch_reset(batch, err))
            return false;
        gpu_batch_dispatch(batch, &dispatch);
        if (!gpu_batch_end(batch, err) || !gpu_batch_run(batch, visit->request->timeout_ns, err))
            return false;
        params.start += count;
    }
    return true;
}

static const char *builder_name(const struct latency_case *this_case)
{
    if (this_case->pointer)
        return "latency_chain_pointer";
    return this_case->path == LATENCY_IMAGE ? "latency_chain_image" : "latency_chain_index";
}

// The memory of the chain, as the argument by which builder and chase reach it.
static bool find_memory(struct latency_chase *chase, struct error *err)
{
    struct latency_session *session = chase->session;
    const struct latency_case *this_case = &chase->this_case;
    struct latency_shape *shape = &chase->shape;
    if (this_case->path == LATENCY_CONSTANT) {
        chase->region = (struct gpu_arg){.buffer = latency_constants(session, err)};
        return chase->region.buffer != NULL;
    }
    bool chunks = this_case->pointer && this_case->order == LATENCY_ORDER_PAGE;
    if (chunks && this_case->page > latency_chunk_bytes(session->bench->info))
        return error_set(err, ERROR_UNSUPPORTED, "pages of %" PRIu32 " bytes: %" PRIu64 " at most",
                         this_case->page, latency_chunk_bytes(session->bench->info));
    struct latency_region *memory =
        latency_region(&session->regions, session->bench, this_case, shape->bytes, err);
    if (!memory)
        return false;
    chase->memory = memory;
    if (!this_case->pointer)
        chase->region = (struct gpu_arg){.buffer = memory->chunks[0], .bytes = shape->bytes};
    else
        chase->region = (struct gpu_arg){.buffer = memory->directory};
    if (chunks)
        shape->chunk_shift = latency_log2(memory->chunk_bytes / shape->block_bytes);
    return true;
}

// Builds in memory that all cases share; typed views and images are made of it.
static bool build(struct latency_chase *chase, struct error *err)
{
    chase->has_region = find_memory(chase, err);
    struct gpu_program *builder =
        chase->has_region ? latency_program(chase->session, builder_name(&chase->this_case), err)
                          : NULL;
    return builder && build_links(chase, builder, &chase->region, err);
}

static bool make_views(struct latency_chase *chase, struct error *err)
{
    struct gpu_scope *scope = chase->visit->scope;
    struct gpu_arg *region = &chase->region;
    if (chase->this_case.path == LATENCY_TEXEL) {
        region->typed = gpu_typed_create(scope, region->buffer, GPU_FORMAT_R32_UINT, region->offset,
                                         chase->shape.bytes / 4, err);
        return region->typed != NULL;
    }
    if (chase->this_case.path != LATENCY_IMAGE)
        return true;
    uint32_t columns = chase->shape.image_columns;
    struct gpu_image_desc desc = {
        .format = GPU_FORMAT_RG32_UINT,
        .width = columns * LATENCY_IMAGE_SIDE,
        .height = chase->shape.nodes / columns * LATENCY_IMAGE_SIDE,
    };
    region->image = gpu_image_create(scope, &desc, err);
    return region->image && gpu_image_copy_from(region->image, region->buffer, region->offset, err);
}

bool latency_chase_init(struct latency_chase *chase, struct latency_session *session,
                        const struct bench_visit *visit, struct error *err)
{
    *chase = (struct latency_chase){.session = session, .visit = visit};
    struct latency_case *this_case = &chase->this_case;
    latency_case_read(visit->bench_case, this_case);
    const char *name = NULL;
    uint64_t bytes_max = latency_bytes_max(session->bench->info, this_case, &name);
    if (!latency_path_has(this_case->path, this_case->pointer, this_case->order))
        return error_set(err, ERROR_USAGE, "path %s has no such chain",
                         latency_path_name(this_case->path));
    if (!gpu_require(session->bench->info, latency_caps(this_case->path, this_case->pointer),
                     err) ||
        (this_case->keep_awake && !gpu_require(session->bench->info, GPU_CAP(UNORDERED), err)))
        return false;
    if (this_case->bytes > bytes_max)
        return error_set(err, ERROR_UNSUPPORTED,
                         "%" PRIu64 " bytes: path %s reaches %" PRIu64 " here (%s)",
                         this_case->bytes, latency_path_name(this_case->path), bytes_max, name);
    // Another bijection each round, so that the interval covers the choice of it.
    uint32_t key = UINT32_C(0x9e3779b9) * (visit->request->round + 1);
    if (!latency_shape_of(this_case, key, &chase->shape, err) || !find_programs(chase, err))
        return false;
    return on_chip(this_case) || (build(chase, err) && make_views(chase, err));
}
