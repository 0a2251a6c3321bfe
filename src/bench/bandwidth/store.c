// SPDX-License-Identifier: MIT
#include "bench/bandwidth/store.h"

enum {
    ELEMENT_BYTES = 16,
    // One dispatch of the fill and check kernels: a slow device stays far from its watchdog, and
    // any storage buffer range holds it.
    SLICE_BYTES = 64 << 20,
    SLICE_GROUPS = 4096
};

static const uint64_t timeout_default_ns = UINT64_C(10000000000); // until a visit says otherwise

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
    for (uint64_t e = 0; e < bytes / ELEMENT_BYTES; e++) {
        bandwidth_data((uint32_t)e, seed, words);
        sum += words[0] + words[1] + words[2] + words[3];
    }
    return sum;
}

bool bandwidth_store_open(struct bandwidth_store *store, struct bench_session *session,
                          struct error *err)
{
    const struct gpu_program_desc fill = {.kernel = kernel_find("bandwidth_fill")};
    const struct gpu_program_desc check = {.kernel = kernel_find("bandwidth_check")};
    const struct gpu_buffer_desc words = {.bytes = sizeof(uint32_t[2 * BANDWIDTH_SLOTS])};
    *store = (struct bandwidth_store){.device = session->device, .timeout_ns = timeout_default_ns};
    store->fill = gpu_program_create(session->scope, &fill, err);
    store->check = store->fill ? gpu_program_create(session->scope, &check, err) : NULL;
    store->words = store->check ? gpu_buffer_create(session->scope, &words, err) : NULL;
    return store->words != NULL;
}

// ---------------------------------------------------------------- slices

struct data_params {
    uint32_t first, count, seed;
};

static void record_slice(struct bandwidth_store *store, struct gpu_batch *batch,
                         struct gpu_program *program, const struct gpu_arg *range, uint32_t seed)
{
    const struct data_params params = {
        .first = (uint32_t)(range->offset / ELEMENT_BYTES),
        .count = (uint32_t)(range->bytes / ELEMENT_BYTES),
        .seed = seed,
    };
    uint32_t threads = gpu_program_kernel(program)->workgroup[0];
    uint32_t groups = (params.count + threads - 1) / threads;
    struct gpu_dispatch dispatch = {
        .program = program,
        .groups = {groups < SLICE_GROUPS ? groups : SLICE_GROUPS},
        .args = {*range, {.buffer = program == store->check ? store->words : NULL}},
        .params = &params,
        .params_bytes = sizeof params,
    };
    gpu_batch_dispatch(batch, &dispatch);
}

// Runs fill or check over the first `bytes`, a submission a slice: each is short.
static bool run_slices(struct bandwidth_store *store, struct gpu_program *program,
                       struct gpu_arg range, uint32_t seed, struct error *err)
{
    uint64_t end = range.bytes;
    struct gpu_scope *scope = gpu_scope_open(store->device);
    bool done = true;
    for (range.offset = 0; done && range.offset < end; range.offset += SLICE_BYTES) {
        uint64_t left = end - range.offset;
        range.bytes = left < SLICE_BYTES ? left : SLICE_BYTES;
        struct gpu_batch *batch = gpu_batch_create(scope, &(struct gpu_batch_desc){0}, err);
        done = batch != NULL;
        if (done) {
            record_slice(store, batch, program, &range, seed);
            done = gpu_batch_end(batch, err) && gpu_batch_run(batch, store->timeout_ns, err);
        }
    }
    gpu_scope_close(scope);
    return done;
}

bool bandwidth_store_fill(struct bandwidth_store *store, struct gpu_buffer *buffer, uint64_t bytes,
                          uint32_t seed, struct error *err)
{
    return run_slices(store, store->fill, (struct gpu_arg){.buffer = buffer, .bytes = bytes}, seed,
                      err);
}

bool bandwidth_store_check(struct bandwidth_store *store, struct gpu_buffer *buffer, uint64_t bytes,
                           uint32_t seed, uint32_t *sum, struct error *err)
{
    const struct gpu_arg range = {.buffer = buffer, .bytes = bytes};
    struct bandwidth_words words;
    if (!bandwidth_words_clear(store, err) || !run_slices(store, store->check, range, seed, err) ||
        !bandwidth_words_read(store, &words, err))
        return false;
    uint64_t elements = bytes / ELEMENT_BYTES;
    if (words.groups != elements)
        return error_set(
            err, ERROR_MISMATCH, "%llu of %llu elements of 16 bytes are not what was written",
            (unsigned long long)(elements - words.groups), (unsigned long long)elements);
    if (sum)
        *sum = words.sum;
    return true;
}

void bandwidth_store_close(struct bandwidth_store *store)
{
    for (int i = 0; i < BANDWIDTH_BUFFER_COUNT; i++)
        gpu_scope_close(store->buffers[i].scope);
}

struct gpu_buffer *bandwidth_store_get(struct bandwidth_store *store, enum bandwidth_buffer which,
                                       uint64_t bytes, struct error *err)
{
    if (store->buffers[which].bytes >= bytes)
        return store->buffers[which].buffer;
    gpu_scope_close(store->buffers[which].scope);
    store->buffers[which].bytes = 0;
    store->buffers[which].scope = gpu_scope_open(store->device);
    struct gpu_buffer *buffer = gpu_buffer_create(store->buffers[which].scope,
                                                  &(struct gpu_buffer_desc){.bytes = bytes}, err);
    if (!buffer)
        return NULL;
    if (which == BANDWIDTH_SOURCE &&
        !bandwidth_store_fill(store, buffer, bytes, BANDWIDTH_SEED_SOURCE, err))
        return NULL;
    store->buffers[which].buffer = buffer;
    store->buffers[which].bytes = bytes;
    return buffer;
}

// ---------------------------------------------------------------- words

bool bandwidth_words_clear(struct bandwidth_store *store, struct error *err)
{
    static const uint32_t zeros[2 * BANDWIDTH_SLOTS];
    return gpu_buffer_write(store->words, 0, zeros, sizeof zeros, err);
}

bool bandwidth_words_read(struct bandwidth_store *store, struct bandwidth_words *words,
                          struct error *err)
{
    uint32_t seen[2 * BANDWIDTH_SLOTS];
    if (!gpu_buffer_read(store->words, 0, seen, sizeof seen, err))
        return false;
    *words = (struct bandwidth_words){0};
    for (size_t slot = 0; slot < BANDWIDTH_SLOTS; slot++) {
        words->sum += seen[slot];
        words->groups += seen[BANDWIDTH_SLOTS + slot];
    }
    return true;
}
