// SPDX-License-Identifier: MIT
// Declares the cases of the benchmark strides, the functions that compute addresses and expected
// sums, and the data that the cases of a session share.
#ifndef BENCH_STRIDES_SESSION_H
#define BENCH_STRIDES_SESSION_H

#include "bench/bench.h"
#include "bench/strides/strides.h"

enum strides_metric { // the metrics, in the order of the list in strides.c
    STRIDES_BANDWIDTH,
    STRIDES_PER_CORE,
    STRIDES_CYCLES,
    STRIDES_TIME
};

enum strides_pattern { // the patterns, in the order of the choices of the parameter `pattern`
    STRIDES_STRIDE, // pattern "stride": neighbouring threads load elements at a constant distance
    STRIDES_BLOCK,  // pattern "block": threads load from rows of a two-dimensional array
    STRIDES_BANKS   // pattern "banks": like STRIDES_STRIDE, but the elements are in shared memory
};

enum {
    // Maximum of the parameter `stride`. The buffer holds all addresses of the widest subgroup with
    // this stride.
    STRIDES_STRIDE_MAX = 1024,
    STRIDES_SHARED_STRIDE_MAX = 128, // maximum of `stride` in shared memory, in words of 4 bytes
    STRIDES_ACROSS_MAX = 1024,
    // Number of threads whose loads count as one load in the metrics `cycles` and `time`.
    STRIDES_LANES = 32,
    STRIDES_SECTOR_BYTES = 32,
    // Maximum number of threads with different addresses, except with STRIDES_BLOCK.
    STRIDES_LANES_MAX = 64,
    // Maximum number of iterations of the loop in a dispatch. lavapipe ends a loop after 65534
    // iterations.
    STRIDES_ITERATIONS_MAX = 60000,
    STRIDES_BUFFER_BYTES = 4 << 20,
    STRIDES_WORDS = STRIDES_THREADS + 1
};

enum strides_offset { // the offsets, in the order of the choices of the parameter `offset`
    // All loads of a thread have the same place within their cache lines. Thread 0 loads from the
    // beginning of its lines.
    STRIDES_LINE,
    // A thread's eight loads in flight are 0, 4, … 28 elements after its first element, as in the
    // program gpu-strides.
    STRIDES_ORIGINAL,
    STRIDES_RANDOM // each load of a thread is at a different place within its line
};

struct strides_case {
    enum strides_pattern pattern;
    unsigned width; // bytes per load
    // The stride: in elements with STRIDES_STRIDE, in words of 4 bytes with STRIDES_BANKS, else 0.
    uint32_t stride;
    // With STRIDES_BLOCK, the number of neighbouring threads that load from one row of the array.
    // With other patterns, the number of threads with different addresses.
    uint32_t across;
    // Where a thread's loads in flight lie within their cache lines: all at the same place, 4
    // elements apart, or each at a different place. Only STRIDES_STRIDE uses this.
    enum strides_offset offset;
    unsigned loads; // number of loads in flight per thread
    // true: loads use a 64-bit address; false: a storage buffer or, with STRIDES_BANKS, shared
    // memory
    bool address;
};

// Sets *this_case to the values of `c`. `info` decides the number of threads with different
// addresses and, if `route` is auto, the kind of address.
void strides_case_read(const struct bench_case *c, const struct gpu_info *info,
                       struct strides_case *this_case);

const char *strides_kernel_name(struct arena *arena, const struct strides_case *this_case);

// Parameters of the kernels, in the order in which kernels declare them.
struct strides_params {
    uint32_t across, step;
    uint32_t pitch; // distance in elements between two rows of the array; 0 without STRIDES_BLOCK
    // A 0 that compilers do not know, so they do not remove repeated loads. Kernels call it `turn`.
    uint32_t unknown_0;
    uint32_t iterations; // number of iterations of the loop; kernels call it `turns`
};
struct strides_params strides_params_of(const struct strides_case *this_case, uint32_t iterations);

// Returns the index of the element that is load number `k` of thread `t`.
uint32_t strides_element(const struct strides_case *this_case, uint32_t t, uint32_t k);

// Returns the total size in bytes of the 128-byte lines from which threads load; 0 for
// STRIDES_BANKS.
uint64_t strides_footprint_bytes(const struct strides_case *this_case);

// What a load of STRIDES_LANES threads costs in the cache or in shared memory: the mean over all
// groups of STRIDES_LANES threads and all loads in flight.
struct strides_traffic {
    double sectors; // number of 32-byte sectors that the load reads; 0 for STRIDES_BANKS
    // Number of passes that the load needs with STRIDES_BANKS, else 0. In a pass, each bank gives
    // one word.
    double wavefronts;
};
struct strides_traffic strides_traffic_of(const struct strides_case *this_case);

// Returns word `i` of the memory from which threads load.
uint32_t strides_data(uint32_t i);

// Checks the words that dispatches wrote. words[STRIDES_THREADS] must be the number of dispatches
// that ran. words[t] must be this number × `iterations` × the sum of thread t's loads in one
// iteration, modulo 2^32. Fails with ERROR_MISMATCH if a word is wrong.
MUST_CHECK bool strides_check(const struct strides_case *this_case, uint32_t iterations,
                              const uint32_t words[STRIDES_WORDS], const struct measure_ran *ran,
                              struct error *err);

struct strides_session {
    struct gpu_buffer *source, *words;
};

MUST_CHECK bool strides_open(struct bench_session *session, struct error *err);
void strides_programs(struct bench_session *session, const struct bench_case *c);
MUST_CHECK bool strides_visit(struct bench_visit *run, struct measure_visit *visit,
                              struct error *err);

#endif
