// SPDX-License-Identifier: MIT
#include "bench/transfer/session.h"

#include "base/host_memory.h"
#include "bench/transfer/transfer.h"
#include "measure/unit.h"

#include <string.h>

enum {
    ELEMENT_BYTES = 16,
    PAGE_BYTES = 4096,
    BLOCK_WORDS = 1024,
    // Maximum workgroups of the kernels that fill or check a buffer; their threads loop.
    GROUPS_MAX = 1024
};
static const uint64_t wait_ns = UINT64_C(20000000000);
static const uint64_t window_most = 256 << 20;

// ---------------------------------------------------------------- the data

// Returns word number n of the data; `mixed` is n × TRANSFER_MIX. Loops of constant length that
// compute `mixed` as a running sum become vector code. So the host checks a GiB in less time than a
// slow copy takes.
static uint32_t word_of(uint32_t mixed)
{
    return mixed ^ (mixed >> TRANSFER_SHIFT);
}

static void fill_words(uint32_t *words, uint64_t count, uint32_t mixed)
{
    for (uint64_t i = 0; i < count; i++, mixed += TRANSFER_MIX)
        words[i] = word_of(mixed);
}

void transfer_pattern_fill(void *memory, uint64_t bytes, uint32_t first)
{
    uint32_t *words = memory;
    uint64_t count = bytes / sizeof *words, at = 0;
    for (; at + BLOCK_WORDS <= count; at += BLOCK_WORDS)
        fill_words(words + at, BLOCK_WORDS, (first + (uint32_t)at) * TRANSFER_MIX);
    fill_words(words + at, count - at, (first + (uint32_t)at) * TRANSFER_MIX);
}

static uint32_t differences(const uint32_t *words, uint64_t count, uint32_t mixed)
{
    uint32_t all = 0;
    for (uint64_t i = 0; i < count; i++, mixed += TRANSFER_MIX)
        all |= words[i] ^ word_of(mixed);
    return all;
}

bool transfer_pattern_check(const void *memory, uint64_t bytes, uint32_t first, unsigned round,
                            struct error *err)
{
    const uint32_t *words = memory;
    bool sparse = round > 0 && bytes > TRANSFER_SPARSE_BYTES;
    uint64_t count = bytes / sizeof *words,
             skip = (uint64_t)(sparse ? TRANSFER_SPARSE : 1) * BLOCK_WORDS;
    uint64_t begin = sparse ? (uint64_t)(round % TRANSFER_SPARSE) * BLOCK_WORDS : 0;
    for (uint64_t at = begin; at < count; at += skip) {
        uint32_t mixed = (first + (uint32_t)at) * TRANSFER_MIX;
        uint64_t part = count - at < BLOCK_WORDS ? count - at : BLOCK_WORDS;
        if (part == BLOCK_WORDS ? !differences(words + at, BLOCK_WORDS, mixed)
                                : !differences(words + at, part, mixed))
            continue;
        uint64_t i = at;
        while (words[i] == word_of((first + (uint32_t)i) * TRANSFER_MIX))
            i++;
        return error_set(err, ERROR_MISMATCH, "byte %llu of %llu is not what was sent",
                         (unsigned long long)i * sizeof *words, (unsigned long long)bytes);
    }
    return true;
}

// ---------------------------------------------------------------- a station

// Returns the size in bytes of the window of pinned memory, the range in which transfers begin:
// twice the largest cache that the device may have, within bounds.
static uint64_t pinned_window(const struct gpu_info *info)
{
    struct measure_limits limits;
    measure_limits_of(info, &limits);
    uint64_t window =
        2 * measure_limits_cache_most(&limits) / TRANSFER_STEP_BYTES * TRANSFER_STEP_BYTES;
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
    return (station->copy = measure_program(programs, "transfer_copy", NULL, err)) &&
           (station->fill = measure_program(programs, "transfer_fill", NULL, err)) &&
           (station->check = measure_program(programs, "transfer_check", NULL, err)) &&
           (station->right =
                bench_buffer(programs->scope, ELEMENT_BYTES, GPU_MEMORY_DEVICE, err)) &&
           (station->dispatches =
                bench_buffer(programs->scope, ELEMENT_BYTES, GPU_MEMORY_DEVICE, err));
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
                      const struct gpu_arg *words, const uint32_t params[2], struct error *err)
{
    uint32_t count = params[1], groups = (count + TRANSFER_THREADS - 1) / TRANSFER_THREADS;
    const struct gpu_dispatch dispatch = {
        .program = program,
        .groups = {groups < GROUPS_MAX ? groups : GROUPS_MAX},
        .args = {{.buffer = words->buffer,
                  .offset = words->offset,
                  .bytes = (uint64_t)count * ELEMENT_BYTES},
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
        .args = {*source, *target, {.buffer = station->dispatches}},
        .params = &count,
        .params_bytes = sizeof count,
    };
    measure_unit_grid(groups, station->info->limits.workgroup_count_x, dispatch.groups);
    gpu_batch_dispatch(batch, &dispatch);
}

// ---------------------------------------------------------------- memory

static const struct {
    enum gpu_memory memory; // kind of memory of the buffer; not used for ordinary memory
    bool is_source, is_on_host;
} kinds[TRANSFER_ENDS] = {
    [TRANSFER_DEVICE_SOURCE] = {.memory = GPU_MEMORY_DEVICE, .is_source = true},
    [TRANSFER_DEVICE_TARGET] = {.memory = GPU_MEMORY_DEVICE},
    [TRANSFER_PINNED_SOURCE] = {.memory = GPU_MEMORY_UPLOAD, .is_source = true, .is_on_host = true},
    [TRANSFER_PINNED_TARGET] = {.memory = GPU_MEMORY_READBACK, .is_on_host = true},
    [TRANSFER_VISIBLE_SOURCE] = {.memory = GPU_MEMORY_VISIBLE, .is_source = true},
    [TRANSFER_VISIBLE_TARGET] = {.memory = GPU_MEMORY_VISIBLE},
    [TRANSFER_PLAIN_SOURCE] = {.is_source = true, .is_on_host = true},
    [TRANSFER_PLAIN_TARGET] = {.is_on_host = true},
};

static bool make_buffer(struct transfer_station *station, enum transfer_end end, uint64_t bytes,
                        struct error *err)
{
    station->ends[end].scope = gpu_scope_open(station->device);
    station->ends[end].buffer =
        bench_buffer(station->ends[end].scope, bytes, kinds[end].memory, err);
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

unsigned char *transfer_station_memory(const struct transfer_station *station,
                                       enum transfer_end end)
{
    if (end >= TRANSFER_BUFFERS)
        return station->plain[end - TRANSFER_BUFFERS].memory;
    return gpu_buffer_map(station->ends[end].buffer);
}

static bool fill(struct transfer_station *station, enum transfer_end end, uint64_t bytes,
                 struct error *err)
{
    const uint32_t params[2] = {0, (uint32_t)(bytes / ELEMENT_BYTES)};
    if (!kinds[end].is_on_host)
        return run_whole(station, station->fill,
                         &(struct gpu_arg){.buffer = station->ends[end].buffer}, params, err);
    transfer_pattern_fill(transfer_station_memory(station, end), bytes, 0);
    return true;
}

bool transfer_station_need(struct transfer_station *station, enum transfer_end end, uint64_t bytes,
                           struct error *err)
{
    if (station->bytes[end] >= bytes)
        return true;
    uint64_t whole = bytes + (kinds[end].is_source ? transfer_station_window(station, end) : 0);
    drop(station, end);
    uint64_t left = kinds[end].is_on_host ? host_memory_available_bytes(NULL) : 0;
    if (left && whole > left / 2)
        return error_set(err, ERROR_OUT_OF_MEMORY,
                         "the host has %llu MiB of free memory: too little for %llu MiB more",
                         (unsigned long long)left >> 20, (unsigned long long)whole >> 20);
    if (end >= TRANSFER_BUFFERS)
        make_plain(station, end, whole);
    else if (!make_buffer(station, end, whole, err))
        return false;
    if (kinds[end].is_source && !fill(station, end, whole, err))
        return false;
    station->bytes[end] = bytes;
    return true;
}

// ---------------------------------------------------------------- the proof

bool transfer_station_check(struct transfer_station *station, enum transfer_end end, uint64_t at,
                            uint64_t bytes, uint32_t first, unsigned round, struct error *err)
{
    if (kinds[end].is_on_host)
        return transfer_pattern_check(transfer_station_memory(station, end) + at, bytes, first,
                                      round, err);
    const struct gpu_arg words = {.buffer = station->ends[end].buffer, .offset = at};
    const uint32_t params[2] = {first, (uint32_t)(bytes / ELEMENT_BYTES)};
    uint32_t right = 0;
    if (!gpu_buffer_write(station->right, 0, &right, sizeof right, err) ||
        !run_whole(station, station->check, &words, params, err) ||
        !gpu_buffer_read(station->right, 0, &right, sizeof right, err))
        return false;
    return right == params[1] ||
           error_set(err, ERROR_MISMATCH, "%u of %u elements of 16 bytes are not what was sent",
                     params[1] - right, params[1]);
}
