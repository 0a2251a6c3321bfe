// SPDX-License-Identifier: MIT
#include "bench/transfer/station.h"

#include "base/host_memory.h"
#include "bench/transfer/transfer.h"
#include "measure/limits.h"
#include "measure/unit.h"

#include <string.h>

enum {
    ELEMENT_BYTES = 16,
    PAGE_BYTES = 4096,
    GROUPS_MAX = 1024 // of the kernels that fill and check: they loop
};
static const uint64_t wait_ns = UINT64_C(20000000000);
static const uint64_t window_most = 256 << 20, cache_unknown = 32 << 20;

// Twice the last cache, in steps.
static uint64_t pinned_window(const struct gpu_info *info)
{
    struct measure_limits limits;
    measure_limits_of(info, &limits);
    uint64_t cache = limits.last_cache_bytes ? limits.last_cache_bytes : cache_unknown;
    uint64_t window = 2 * cache / TRANSFER_STEP_BYTES * TRANSFER_STEP_BYTES;
    if (info->kind == GPU_KIND_CPU || window < TRANSFER_WINDOW_BYTES)
        return TRANSFER_WINDOW_BYTES;
    return window < window_most ? window : window_most;
}

uint64_t transfer_station_window(const struct transfer_station *station, enum transfer_end end)
{
    return end == TRANSFER_PINNED_SOURCE ? station->pinned_window_bytes : TRANSFER_WINDOW_BYTES;
}

bool transfer_station_init(struct transfer_station *station, struct measure_programs *programs,
                           struct error *err)
{
    struct gpu_device *device = gpu_scope_device(programs->scope);
    *station = (struct transfer_station){.device = device, .info = gpu_device_info(device)};
    station->pinned_window_bytes = pinned_window(station->info);
    const struct gpu_buffer_desc words = {.bytes = ELEMENT_BYTES};
    return (station->copy = measure_program(programs, "transfer_copy", NULL, err)) &&
           (station->fill = measure_program(programs, "transfer_fill", NULL, err)) &&
           (station->check = measure_program(programs, "transfer_check", NULL, err)) &&
           (station->right = gpu_buffer_create(programs->scope, &words, err));
}

static void drop(struct transfer_station *station, enum transfer_end end)
{
    station->bytes[end] = 0;
    if (end < TRANSFER_BUFFERS) {
        gpu_scope_close(station->ends[end].scope);
        station->ends[end].scope = NULL;
    } else {
        arena_destroy(station->plain[end - TRANSFER_BUFFERS].arena);
        station->plain[end - TRANSFER_BUFFERS].arena = NULL;
    }
}

void transfer_station_fini(struct transfer_station *station)
{
    for (int end = 0; end < TRANSFER_ENDS; end++)
        drop(station, (enum transfer_end)end);
}

static bool run_whole(struct transfer_station *station, struct gpu_program *program,
                      struct gpu_buffer *buffer, const uint32_t params[2], struct error *err)
{
    uint32_t count = params[1], groups = (count + TRANSFER_THREADS - 1) / TRANSFER_THREADS;
    const struct gpu_dispatch dispatch = {
        .program = program,
        .groups = {groups < GROUPS_MAX ? groups : GROUPS_MAX},
        .args = {{.buffer = buffer, .bytes = (uint64_t)count * ELEMENT_BYTES},
                 {.buffer = program == station->check ? station->right : NULL}},
        .params = params,
        .params_bytes = 2 * sizeof *params,
    };
    return measure_unit_run(station->device, &dispatch, wait_ns, err);
}

void transfer_station_copy(struct transfer_station *station, struct gpu_batch *batch,
                           const struct gpu_arg *source, const struct gpu_arg *target,
                           uint64_t bytes)
{
    const uint64_t group_bytes = (uint64_t)TRANSFER_THREADS * TRANSFER_LOADS * ELEMENT_BYTES;
    uint64_t groups = (bytes + group_bytes - 1) / group_bytes;
    uint32_t count = (uint32_t)(bytes / ELEMENT_BYTES);
    struct gpu_dispatch dispatch = {
        .program = station->copy,
        .args = {*source, *target},
        .params = &count,
        .params_bytes = sizeof count,
    };
    measure_unit_grid(groups, station->info->limits.workgroup_count_x, dispatch.groups);
    gpu_batch_dispatch(batch, &dispatch);
}

// ---------------------------------------------------------------- memory

static bool is_source(enum transfer_end end)
{
    return end == TRANSFER_DEVICE_SOURCE || end == TRANSFER_PINNED_SOURCE ||
           end == TRANSFER_VISIBLE_SOURCE || end == TRANSFER_PLAIN_SOURCE;
}

static bool is_on_host(enum transfer_end end)
{
    return end == TRANSFER_PINNED_SOURCE || end == TRANSFER_PINNED_TARGET ||
           end >= TRANSFER_BUFFERS;
}

static bool make_buffer(struct transfer_station *station, enum transfer_end end, uint64_t bytes,
                        struct error *err)
{
    static const enum gpu_memory kinds[] = {
        [TRANSFER_DEVICE_SOURCE] = GPU_MEMORY_DEVICE,
        [TRANSFER_DEVICE_TARGET] = GPU_MEMORY_DEVICE,
        [TRANSFER_PINNED_SOURCE] = GPU_MEMORY_UPLOAD,
        [TRANSFER_PINNED_TARGET] = GPU_MEMORY_READBACK,
        [TRANSFER_VISIBLE_SOURCE] = GPU_MEMORY_VISIBLE,
        [TRANSFER_VISIBLE_TARGET] = GPU_MEMORY_VISIBLE,
    };
    station->ends[end].scope = gpu_scope_open(station->device);
    station->ends[end].buffer =
        gpu_buffer_create(station->ends[end].scope,
                          &(struct gpu_buffer_desc){.bytes = bytes, .memory = kinds[end]}, err);
    return station->ends[end].buffer != NULL;
}

static void make_plain(struct transfer_station *station, enum transfer_end end, uint64_t bytes)
{
    struct arena *arena = arena_create();
    unsigned char *memory = arena_alloc(arena, bytes + PAGE_BYTES);
    station->plain[end - TRANSFER_BUFFERS].arena = arena;
    station->plain[end - TRANSFER_BUFFERS].memory =
        memory + (PAGE_BYTES - (uintptr_t)memory % PAGE_BYTES) % PAGE_BYTES;
}

static bool fill(struct transfer_station *station, enum transfer_end end, uint64_t bytes,
                 struct error *err)
{
    const uint32_t params[2] = {0, (uint32_t)(bytes / ELEMENT_BYTES)};
    if (end == TRANSFER_PLAIN_SOURCE)
        transfer_pattern_fill(station->plain[end - TRANSFER_BUFFERS].memory, bytes, 0);
    else if (end == TRANSFER_PINNED_SOURCE)
        transfer_pattern_fill(gpu_buffer_map(station->ends[end].buffer), bytes, 0);
    else
        return run_whole(station, station->fill, station->ends[end].buffer, params, err);
    return true;
}

bool transfer_station_need(struct transfer_station *station, enum transfer_end end, uint64_t bytes,
                           struct error *err)
{
    if (station->bytes[end] >= bytes)
        return true;
    uint64_t whole = bytes + (is_source(end) ? transfer_station_window(station, end) : 0);
    drop(station, end);
    uint64_t left = is_on_host(end) ? host_memory_available_bytes(NULL) : 0;
    if (left && whole > left / 2)
        return error_set(err, ERROR_OUT_OF_MEMORY,
                         "the host has %llu MiB of memory left: too little for %llu MiB more",
                         (unsigned long long)left >> 20, (unsigned long long)whole >> 20);
    if (end >= TRANSFER_BUFFERS)
        make_plain(station, end, whole);
    else if (!make_buffer(station, end, whole, err))
        return false;
    if (is_source(end) && !fill(station, end, whole, err))
        return false;
    station->bytes[end] = bytes;
    return true;
}

// ---------------------------------------------------------------- the proof

static bool check_on_device(struct transfer_station *station, struct gpu_buffer *buffer,
                            const uint32_t params[2], struct error *err)
{
    uint32_t right = 0;
    if (!gpu_buffer_write(station->right, 0, &right, sizeof right, err) ||
        !run_whole(station, station->check, buffer, params, err) ||
        !gpu_buffer_read(station->right, 0, &right, sizeof right, err))
        return false;
    return right == params[1] ||
           error_set(err, ERROR_MISMATCH, "%u of %u elements of 16 bytes are not what was sent",
                     params[1] - right, params[1]);
}

bool transfer_station_check(struct transfer_station *station, enum transfer_end end, uint64_t bytes,
                            uint32_t first, struct transfer_look look, struct error *err)
{
    const uint32_t params[2] = {first, (uint32_t)(bytes / ELEMENT_BYTES)};
    if (end == TRANSFER_PLAIN_TARGET)
        return transfer_pattern_check(station->plain[end - TRANSFER_BUFFERS].memory, bytes, first,
                                      look, err);
    if (end == TRANSFER_PINNED_TARGET)
        return transfer_pattern_check(gpu_buffer_map(station->ends[end].buffer), bytes, first, look,
                                      err);
    return check_on_device(station, station->ends[end].buffer, params, err);
}
