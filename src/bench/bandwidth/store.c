// SPDX-License-Identifier: MIT
#include "bench/bandwidth/bandwidth.h"
#include "bench/bandwidth/session.h"
#include "measure/unit.h"

enum {
    // Maximum number of bytes that one dispatch of the fill kernel or the check kernel processes.
    // Every device allows a storage buffer of this size. Even on a slow device, such a dispatch
    // ends before a watchdog stops it.
    SLICE_BYTES = 64 << 20,
    SLICE_GROUPS = 4096,
    // Extra bytes of a buffer in which a working set moves: ROAM_BYTES, but at most the device's
    // memory divided by ROAM_SHARE.
    ROAM_BYTES = 1 << 30,
    ROAM_SHARE = 8
};

_Static_assert(BANDWIDTH_SLOTS == MEASURE_WORDS_SLOTS, "kernels add to as many words");

// Time-out in ns of submissions before the first visit. Each visit sets its own time-out.
static const uint64_t timeout_default_ns = UINT64_C(10000000000);

void bandwidth_data(uint32_t element, uint32_t seed, uint32_t words[4])
{
    static const uint32_t multipliers[4] = {1, BANDWIDTH_MULTIPLIER_1, BANDWIDTH_MULTIPLIER_2,
                                            BANDWIDTH_MULTIPLIER_3};
    uint32_t h = element * BANDWIDTH_MIX_STEP + seed;
    h ^= h >> 15;
    h *= BANDWIDTH_MIX_SCATTER;
    h ^= h >> 13;
    for (int k = 0; k < 4; k++)
        words[k] = ((h * multipliers[k]) & BANDWIDTH_KEEP) | BANDWIDTH_EXPONENT;
}

uint32_t bandwidth_data_sum(uint64_t bytes, uint32_t seed)
{
    uint32_t sum = 0, words[4];
    for (uint64_t e = 0; e < bytes / BANDWIDTH_ELEMENT_BYTES; e++) {
        bandwidth_data((uint32_t)e, seed, words);
        sum += words[0] + words[1] + words[2] + words[3];
    }
    return sum;
}

bool bandwidth_store_open(struct bandwidth_store *store, struct bench_session *session,
                          struct error *err)
{
    uint64_t share = session->info->limits.memory_bytes / ROAM_SHARE;
    *store = (struct bandwidth_store){.device = session->device, .timeout_ns = timeout_default_ns};
    // A CPU would fill the larger buffer slowly. In a simulation, all places are equally fast.
    if (session->info->kind != GPU_KIND_CPU && !(session->info->caps & GPU_CAP(VIRTUAL_TIME)))
        store->roam_bytes = share && share < ROAM_BYTES ? share : ROAM_BYTES;
    return (store->fill = measure_program(&session->programs, "bandwidth_fill", NULL, err)) &&
           (store->check = measure_program(&session->programs, "bandwidth_check", NULL, err)) &&
           (store->words = measure_words_create(session->scope, err));
}

// ---------------------------------------------------------------- slices

struct data_params {
    uint32_t first, count, seed;
};

static bool run_slice(struct bandwidth_store *store, struct gpu_program *program,
                      const struct gpu_arg *range, uint32_t seed, struct error *err)
{
    const struct data_params params = {
        .first = (uint32_t)(range->offset / BANDWIDTH_ELEMENT_BYTES),
        .count = (uint32_t)(range->bytes / BANDWIDTH_ELEMENT_BYTES),
        .seed = seed,
    };
    uint32_t threads = gpu_program_kernel(program)->workgroup[0];
    uint32_t groups = (params.count + threads - 1) / threads;
    const struct gpu_dispatch dispatch = {
        .program = program,
        .groups = {groups < SLICE_GROUPS ? groups : SLICE_GROUPS},
        .args = {*range, {.buffer = program == store->check ? store->words : NULL}},
        .params = &params,
        .params_bytes = sizeof params,
    };
    return measure_unit_run(store->device, &dispatch, store->timeout_ns, err);
}

// Fills or checks a buffer in several short submissions, because a watchdog could stop a long one.
static bool run_slices(struct bandwidth_store *store, struct gpu_program *program,
                       struct gpu_arg range, uint32_t seed, struct error *err)
{
    uint64_t end = range.offset + range.bytes;
    for (; range.offset < end; range.offset += SLICE_BYTES) {
        uint64_t left = end - range.offset;
        range.bytes = left < SLICE_BYTES ? left : SLICE_BYTES;
        if (!run_slice(store, program, &range, seed, err))
            return false;
    }
    return true;
}

bool bandwidth_store_fill(struct bandwidth_store *store, const struct gpu_arg *range, uint32_t seed,
                          struct error *err)
{
    return run_slices(store, store->fill, *range, seed, err);
}

bool bandwidth_store_check(struct bandwidth_store *store, const struct gpu_arg *range,
                           uint32_t seed, uint32_t *sum, struct error *err)
{
    struct measure_words words;
    if (!measure_words_clear(store->words, err) ||
        !run_slices(store, store->check, *range, seed, err) ||
        !measure_words_read(store->words, &words, err))
        return false;
    uint64_t elements = range->bytes / BANDWIDTH_ELEMENT_BYTES;
    if (words.count != elements)
        return error_set(
            err, ERROR_MISMATCH, "%llu of %llu elements of 16 bytes are not what was written",
            (unsigned long long)(elements - words.count), (unsigned long long)elements);
    if (sum)
        *sum = words.sum;
    return true;
}

void bandwidth_store_close(struct bandwidth_store *store)
{
    for (int i = 0; i < BANDWIDTH_BUFFER_COUNT; i++) {
        gpu_scope_close(store->buffers[i].scope);
        store->buffers[i].scope = NULL;
        store->buffers[i].bytes = 0;
    }
}

// Replaces the buffer by a buffer of `bytes` bytes.
static bool replace(struct bandwidth_store *store, enum bandwidth_buffer which, uint64_t bytes,
                    struct error *err)
{
    gpu_scope_close(store->buffers[which].scope);
    store->buffers[which].bytes = 0;
    store->buffers[which].scope = gpu_scope_open(store->device);
    struct gpu_buffer *buffer = gpu_buffer_create(store->buffers[which].scope,
                                                  &(struct gpu_buffer_desc){.bytes = bytes}, err);
    const struct gpu_arg all = {.buffer = buffer, .bytes = bytes};
    if (!buffer || (which == BANDWIDTH_SOURCE &&
                    !bandwidth_store_fill(store, &all, BANDWIDTH_SEED_SOURCE, err)))
        return false;
    store->buffers[which].buffer = buffer;
    store->buffers[which].bytes = bytes;
    return true;
}

bool bandwidth_store_get(struct bandwidth_store *store, enum bandwidth_buffer which, uint64_t bytes,
                         uint32_t key, struct gpu_arg *range, struct error *err)
{
    uint64_t roam = key ? store->roam_bytes : 0;
    if (store->buffers[which].bytes < bytes + roam && !replace(store, which, bytes + roam, err)) {
        if (!roam || !replace(store, which, bytes, err))
            return false;
        store->roam_bytes = 0; // the device lacks memory for the extra bytes
    }
    uint64_t place = bench_place(key, store->buffers[which].bytes, bytes);
    *range =
        (struct gpu_arg){.buffer = store->buffers[which].buffer, .offset = place, .bytes = bytes};
    return true;
}
