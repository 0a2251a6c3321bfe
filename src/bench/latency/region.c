// SPDX-License-Identifier: MIT
#include "bench/latency/region.h"

#include "bench/latency/latency.h"

#include <inttypes.h>

enum {
    ADDRESS_ALIGN = 1 << 21 // drivers give large buffers 2 MiB pages: chunks begin where one does
};

static const uint64_t small_bytes = UINT64_C(256) << 20;

static struct gpu_buffer *make_buffer(struct bench_session *session, uint64_t bytes,
                                      struct error *err)
{
    struct gpu_buffer_desc desc = {.bytes = bytes, .memory = GPU_MEMORY_DEVICE};
    struct gpu_buffer *buffer = gpu_buffer_create(session->scope, &desc, err);
    if (!buffer)
        error_prefix(err, "a region of %" PRIu64 " bytes", bytes);
    return buffer;
}

// Tells the kernels where the chunks are.
static bool write_directory(struct latency_region *region, struct bench_session *session,
                            struct error *err)
{
    if (!(session->info->caps & GPU_CAP(ADDRESSES)))
        return true;
    if (!region->directory)
        region->directory = make_buffer(session, sizeof region->addresses, err);
    return region->directory &&
           gpu_buffer_write(region->directory, 0, region->addresses,
                            region->chunk_count * sizeof *region->addresses, err);
}

static bool add_chunk(struct latency_region *region, struct bench_session *session, uint64_t bytes,
                      struct error *err)
{
    struct gpu_buffer *chunk = make_buffer(session, bytes, err);
    if (!chunk)
        return false;
    region->chunks[region->chunk_count] = chunk;
    region->addresses[region->chunk_count++] = gpu_buffer_address(chunk);
    return true;
}

// ---------------------------------------------------------------- one buffer

static bool need_buffer(struct latency_region *region, struct bench_session *session,
                        uint64_t bytes, uint64_t wish, struct error *err)
{
    if (region->chunk_count > 0 && region->chunk_bytes >= bytes)
        return true;
    // What there was stays with the scope: only where `wish` was not to be had.
    region->chunk_count = 0;
    region->chunk_bytes = bytes < wish ? wish : bytes;
    if (!add_chunk(region, session, region->chunk_bytes, err)) {
        if (err->code != ERROR_OUT_OF_MEMORY || bytes >= wish)
            return false;
        region->chunk_bytes = bytes;
        if (!add_chunk(region, session, bytes, err))
            return false;
    }
    return write_directory(region, session, err);
}

// ---------------------------------------------------------------- chunks

static bool need_chunks(struct latency_region *region, struct bench_session *session,
                        uint64_t bytes, struct error *err)
{
    region->chunk_bytes = latency_chunk_bytes(session->info);
    uint64_t count = (bytes + region->chunk_bytes - 1) / region->chunk_bytes;
    if (count > LATENCY_CHUNKS_MAX)
        return error_set(err, ERROR_UNSUPPORTED, "%" PRIu64 " chunks of memory: %d at most", count,
                         LATENCY_CHUNKS_MAX);
    size_t before = region->chunk_count;
    while (region->chunk_count < count) {
        if (!add_chunk(region, session, region->chunk_bytes + ADDRESS_ALIGN, err))
            return false;
        uint64_t *address = &region->addresses[region->chunk_count - 1];
        *address = (*address + ADDRESS_ALIGN - 1) / ADDRESS_ALIGN * ADDRESS_ALIGN;
    }
    return region->chunk_count == before || write_directory(region, session, err);
}

struct latency_region *latency_region(struct latency_regions *regions,
                                      struct bench_session *session,
                                      const struct latency_case *this_case, uint64_t bytes,
                                      struct error *err)
{
    const char *name = NULL;
    struct latency_case widest = {.pointer = true}; // of all paths
    uint64_t most = latency_bytes_max(session->info, &widest, &name) / 4 * 4;
    bool pages = this_case->pointer && this_case->order == LATENCY_ORDER_PAGE;
    bool small = bytes <= small_bytes && small_bytes < most;
    struct latency_region **region = &regions->classes[pages ? 2 : small ? 0 : 1];
    if (!*region)
        *region = ARENA_NEW(session->arena, struct latency_region);
    bool made = pages ? need_chunks(*region, session, bytes, err)
                      : need_buffer(*region, session, bytes, small ? small_bytes : most, err);
    return made ? *region : NULL;
}
