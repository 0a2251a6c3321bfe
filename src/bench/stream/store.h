// SPDX-License-Identifier: MIT
// The arrays of `stream`, kept through a session; their data; and the check of what came of them.
#ifndef BENCH_STREAM_STORE_H
#define BENCH_STREAM_STORE_H

#include "bench/bench.h"
#include "bench/stream/work.h"

enum stream_array {
    STREAM_SOURCE,
    STREAM_OTHER,
    STREAM_TARGET,
    STREAM_ARRAY_COUNT
};

struct stream_store {
    struct bench_session *bench;
    uint64_t timeout_ns;
    struct gpu_buffer *words; // measure/words.h
    struct {
        struct gpu_scope *scope; // its own: an array that grows leaves alone
        struct gpu_buffer *buffer;
        uint64_t bytes;
        bool filled, doubles; // with the data of the array's seed
    } arrays[STREAM_ARRAY_COUNT];
};

MUST_CHECK bool stream_store_open(struct stream_store *store, struct bench_session *bench,
                                  struct error *err);

// Frees the arrays; harmless on a store that never opened.
void stream_store_close(struct stream_store *store);

// Makes the arrays that the case needs, and fills those that it reads where they hold other data.
// ERROR_UNSUPPORTED or ERROR_OUT_OF_MEMORY where they do not fit.
MUST_CHECK bool stream_store_prepare(struct stream_store *store,
                                     const struct stream_case *this_case, struct error *err);

// Fills the target with what no operation gives.
MUST_CHECK bool stream_store_spoil(struct stream_store *store, const struct stream_case *this_case,
                                   struct error *err);

// Compares every number of the target with what the operation must have left; `value` is init's.
MUST_CHECK bool stream_store_check(struct stream_store *store, const struct stream_case *this_case,
                                   float value, struct error *err);

// What the reading kernels of this shape must add up to in one pass: found by another reading that
// also compares every number of what is read with its formula.
MUST_CHECK bool stream_store_sum(struct stream_store *store, const struct stream_case *this_case,
                                 const struct stream_shape *shape, uint32_t *sum,
                                 struct error *err);

// Number `i` of the data of a seed.
double stream_value(bool doubles, uint32_t i, uint32_t seed);

#endif
