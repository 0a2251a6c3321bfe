// SPDX-License-Identifier: MIT
// The memory that `bandwidth` measures in, kept through a session, and the check of what is in it.
#ifndef BENCH_BANDWIDTH_STORE_H
#define BENCH_BANDWIDTH_STORE_H

#include "bench/bandwidth/bandwidth.h"
#include "bench/bench.h"

#include <stdint.h>

enum bandwidth_buffer {
    BANDWIDTH_SOURCE, // data of BANDWIDTH_SEED_SOURCE; only read after that
    BANDWIDTH_TARGET, // what is written; undefined in between
    BANDWIDTH_BUFFER_COUNT
};

struct bandwidth_store {
    struct gpu_device *device;
    struct gpu_buffer *words; // measure/words.h
    struct gpu_program *fill, *check;
    uint64_t timeout_ns;
    struct {
        struct gpu_scope *scope; // its own: a buffer that grows leaves alone
        struct gpu_buffer *buffer;
        uint64_t bytes;
    } buffers[BANDWIDTH_BUFFER_COUNT];
};

MUST_CHECK bool bandwidth_store_open(struct bandwidth_store *store, struct bench_session *session,
                                     struct error *err);

// Frees the buffers; harmless on a store that never opened.
void bandwidth_store_close(struct bandwidth_store *store);

// The buffer, with at least `bytes` in it; NULL with ERROR_OUT_OF_MEMORY. A larger one takes the
// place of the former one, which then is gone.
struct gpu_buffer *bandwidth_store_get(struct bandwidth_store *store, enum bandwidth_buffer which,
                                       uint64_t bytes, struct error *err);

// Writes the data of a seed to the first `bytes` (a multiple of 16).
MUST_CHECK bool bandwidth_store_fill(struct bandwidth_store *store, struct gpu_buffer *buffer,
                                     uint64_t bytes, uint32_t seed, struct error *err);

// Compares the first `bytes` with the data of a seed, element by element; ERROR_MISMATCH where they
// differ. *sum (may be NULL): the sum of all words seen, modulo 2^32.
MUST_CHECK bool bandwidth_store_check(struct bandwidth_store *store, struct gpu_buffer *buffer,
                                      uint64_t bytes, uint32_t seed, uint32_t *sum,
                                      struct error *err);

// The same data on the host: 16-byte element `element`, and the sum of the words of the first
// `bytes`.
void bandwidth_data(uint32_t element, uint32_t seed, uint32_t words[4]);
uint32_t bandwidth_data_sum(uint64_t bytes, uint32_t seed);

#endif
