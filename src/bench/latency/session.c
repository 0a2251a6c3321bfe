// SPDX-License-Identifier: MIT
#include "bench/latency/session.h"

#include <inttypes.h>
#include <string.h>

static const uint64_t small_bytes = UINT64_C(256) << 20;

bool latency_open(struct bench_session *bench, struct error *err)
{
    struct latency_session *session = ARENA_NEW(bench->arena, struct latency_session);
    session->bench = bench;
    bench->state = session;
    if (!bench_clock_probe(bench, err))
        return false;
    session->clocked = bench->clock.has_counter && bench->clock.has_device_clock;
    return (session->out = bench_buffer(bench->scope, LATENCY_OUT_BYTES, GPU_MEMORY_DEVICE, err)) &&
           (session->readback =
                bench_buffer(bench->scope, LATENCY_OUT_BYTES, GPU_MEMORY_READBACK, err));
}

unsigned latency_l1_percent(const char *kernel)
{
    return strstr(kernel, "shared") ? 1 : 100;
}

struct gpu_program *latency_program(struct latency_session *session, const char *kernel,
                                    struct error *err)
{
    const struct gpu_program_desc choices = {.l1_percent = latency_l1_percent(kernel)};
    return measure_program(&session->bench->programs, kernel, &choices, err);
}

struct gpu_buffer *latency_constants(struct latency_session *session, struct error *err)
{
    if (!session->constants)
        session->constants = bench_buffer(session->bench->scope, 65536, GPU_MEMORY_DEVICE, err);
    return session->constants;
}

struct gpu_buffer *latency_stream(struct latency_session *session, struct error *err)
{
    if (!session->stream)
        session->stream =
            bench_buffer(session->bench->scope, LATENCY_STREAM_BYTES, GPU_MEMORY_DEVICE, err);
    return session->stream;
}

// ---------------------------------------------------------------- the memory of chains

// Writes the addresses of the chunks where kernels read them, if the device has 64-bit addresses.
static bool write_directory(struct latency_region *region, struct latency_session *session,
                            struct error *err)
{
    if (!(session->bench->info->caps & GPU_CAP(ADDRESSES)))
        return true;
    if (!region->directory)
        region->directory =
            bench_buffer(session->bench->scope, sizeof region->addresses, GPU_MEMORY_DEVICE, err);
    return region->directory &&
           gpu_buffer_write(region->directory, 0, region->addresses,
                            region->chunk_count * sizeof *region->addresses, err);
}

static void release(struct latency_region *region)
{
    gpu_scope_close(region->scope);
    region->scope = NULL;
    region->chunk_count = 0;
}

// Frees all regions except `region`. They are allocated again when needed.
static void release_others(struct latency_session *session, const struct latency_region *region)
{
    struct latency_region *const all[] = {&session->small, &session->large, &session->paged};
    for (size_t i = 0; i < COUNT(all); i++)
        if (all[i] != region)
            release(all[i]);
}

static bool add_chunk(struct latency_region *region, struct latency_session *session,
                      uint64_t bytes, struct error *err)
{
    const struct gpu_buffer_desc desc = {.bytes = bytes};
    if (!region->scope)
        region->scope = gpu_scope_open(session->bench->device);
    struct gpu_buffer *chunk = gpu_buffer_create(region->scope, &desc, err);
    if (!chunk)
        return error_prefix(err, "a region of %" PRIu64 " bytes", bytes);
    region->chunks[region->chunk_count] = chunk;
    region->addresses[region->chunk_count++] = gpu_buffer_address(chunk);
    return true;
}

// Adds a chunk to the region. If the device lacks memory, frees all other regions and tries again.
static bool add_chunk_surely(struct latency_region *region, struct latency_session *session,
                             uint64_t bytes, struct error *err)
{
    if (add_chunk(region, session, bytes, err))
        return true;
    if (err->code != ERROR_OUT_OF_MEMORY)
        return false;
    release_others(session, region);
    return add_chunk(region, session, bytes, err);
}

// Makes sure that the region has one buffer: of `preferred` bytes if possible, else of at least
// `bytes`. If `preferred` is more than half of the free memory, the buffer has exactly `bytes`
// bytes, to leave memory for the image of path=image.
static bool need_buffer(struct latency_region *region, struct latency_session *session,
                        uint64_t bytes, uint64_t preferred, struct error *err)
{
    uint64_t free_bytes = session->bench->info->memory_free_bytes;
    bool is_short = free_bytes && preferred > free_bytes / 2;
    if (region->chunk_count > 0 &&
        (is_short ? region->chunk_bytes == bytes : region->chunk_bytes >= bytes))
        return true;
    release(region);
    if (!is_short && preferred > bytes) {
        region->chunk_bytes = preferred;
        if (add_chunk(region, session, preferred, err))
            return true;
        if (err->code != ERROR_OUT_OF_MEMORY)
            return false;
    }
    region->chunk_bytes = bytes;
    return add_chunk_surely(region, session, bytes, err);
}

static bool need_chunks(struct latency_region *region, struct latency_session *session,
                        uint64_t bytes, struct error *err)
{
    region->chunk_bytes = latency_chunk_bytes(session->bench->info);
    uint64_t count = (bytes + region->chunk_bytes - 1) / region->chunk_bytes;
    if (count > LATENCY_CHUNKS_MAX)
        return error_set(err, ERROR_UNSUPPORTED,
                         "%" PRIu64 " chunks of memory are too many: at most %d", count,
                         LATENCY_CHUNKS_MAX);
    while (region->chunk_count < count) {
        if (!add_chunk_surely(region, session, region->chunk_bytes + BENCH_PLACE_BYTES, err))
            return false;
        uint64_t *address = &region->addresses[region->chunk_count - 1];
        *address = (*address + BENCH_PLACE_BYTES - 1) / BENCH_PLACE_BYTES * BENCH_PLACE_BYTES;
    }
    // An earlier call may have failed after it made chunks and before it wrote their addresses.
    return write_directory(region, session, err);
}

bool latency_region_place(struct latency_region *region, struct latency_session *session,
                          uint64_t bytes, uint32_t key, uint64_t *offset, struct error *err)
{
    *offset = bench_place(key, region->chunk_bytes, bytes);
    region->addresses[0] = gpu_buffer_address(region->chunks[0]) + *offset;
    return write_directory(region, session, err);
}

void latency_close(struct bench_session *bench)
{
    struct latency_session *session = bench->state;
    if (session)
        release_others(session, NULL);
}

struct latency_region *latency_region(struct latency_session *session,
                                      const struct latency_case *this_case, uint64_t bytes,
                                      struct error *err)
{
    const char *name = NULL;
    // The large region should hold any pointer chain in random order; only index chains with
    // order=page can be larger.
    struct latency_case widest = {.pointer = true};
    uint64_t most = latency_bytes_max(session->bench->info, &widest, &name) / 4 * 4;
    bool paged = this_case->pointer && this_case->order == LATENCY_ORDER_PAGE;
    bool small = bytes <= small_bytes && small_bytes < most;
    struct latency_region *region = paged   ? &session->paged
                                    : small ? &session->small
                                            : &session->large;
    bool made = paged ? need_chunks(region, session, bytes, err)
                      : need_buffer(region, session, bytes, small ? small_bytes : most, err);
    return made ? region : NULL;
}
