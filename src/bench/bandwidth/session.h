// SPDX-License-Identifier: MIT
// Declares what a session of the benchmark bandwidth keeps: the memory that is measured, and the
// check of its contents.
#ifndef BENCH_BANDWIDTH_SESSION_H
#define BENCH_BANDWIDTH_SESSION_H

#include "bench/bandwidth/work.h"
#include "bench/bench.h"

enum {
    BANDWIDTH_ELEMENT_BYTES = 16
}; // size of an element; the data are a hash of the element's number

enum bandwidth_buffer {
    // Buffer that timed kernels only read. It contains the data of the seed BANDWIDTH_SEED_SOURCE.
    BANDWIDTH_SOURCE,
    BANDWIDTH_TARGET, // buffer that measured kernels write
    BANDWIDTH_BUFFER_COUNT
};

struct bandwidth_store {
    struct gpu_device *device;
    // Buffer with the sum and the count to which kernels add (measure/unit.h). Kernels that write
    // add only to the count.
    struct gpu_buffer *words;
    struct gpu_program *fill, *check;
    uint64_t timeout_ns;
    // Extra bytes of a buffer in which a working set moves; 0 if no working set moves.
    uint64_t roam_bytes;
    struct {
        // Scope that owns only this buffer. It is closed before a larger buffer replaces this one,
        // and by bandwidth_store_close.
        struct gpu_scope *scope;
        struct gpu_buffer *buffer;
        uint64_t bytes;
    } buffers[BANDWIDTH_BUFFER_COUNT];
};

MUST_CHECK bool bandwidth_store_open(struct bandwidth_store *store, struct bench_session *session,
                                     struct error *err);

// Frees the source buffer and the target buffer. bandwidth_store_get creates them again when a case
// needs them. Does nothing for a store that was never opened.
void bandwidth_store_close(struct bandwidth_store *store);

// Sets *range to `bytes` bytes of the buffer `which` of the store, at the place that `key` selects
// (bench_place). A buffer that is too small is freed and replaced. A new BANDWIDTH_SOURCE is filled
// with its data. Fails with ERROR_OUT_OF_MEMORY if the device lacks memory.
MUST_CHECK bool bandwidth_store_get(struct bandwidth_store *store, enum bandwidth_buffer which,
                                    uint64_t bytes, uint32_t key, struct gpu_arg *range,
                                    struct error *err);

// Fills the range with the data that `seed` determines. Its offset and length are multiples of 16.
// Elements are counted from the beginning of the buffer.
MUST_CHECK bool bandwidth_store_fill(struct bandwidth_store *store, const struct gpu_arg *range,
                                     uint32_t seed, struct error *err);

// Compares the range with the data that bandwidth_store_fill writes. Fails with ERROR_MISMATCH if
// they differ. Sets *sum to the sum of all words in the range, modulo 2^32; `sum` may be NULL.
MUST_CHECK bool bandwidth_store_check(struct bandwidth_store *store, const struct gpu_arg *range,
                                      uint32_t seed, uint32_t *sum, struct error *err);

// Compute on the host the data that `seed` determines: the four words of element number `element`,
// and the sum, modulo 2^32, of all words in the first `bytes` bytes.
void bandwidth_data(uint32_t element, uint32_t seed, uint32_t words[4]);
uint32_t bandwidth_data_sum(uint64_t bytes, uint32_t seed);

// The functions open, close, visit and plan of this benchmark (struct benchmark).
MUST_CHECK bool bandwidth_open(struct bench_session *session, struct error *err);
void bandwidth_close(struct bench_session *session);
void bandwidth_programs(struct bench_session *session, const struct bench_case *c);
MUST_CHECK bool bandwidth_visit(struct bench_visit *run, struct measure_visit *visit,
                                struct error *err);
MUST_CHECK bool bandwidth_plan(const struct bench_request *request, struct bench_case_list *list,
                               struct error *err);

#endif
