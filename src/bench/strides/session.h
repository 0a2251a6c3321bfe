// SPDX-License-Identifier: MIT
// Declares a case of `strides` as a struct, the functions that say where its threads load and what
// the loads must add up to, and the data that the cases of a session share.
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

enum strides_pattern { // the patterns, in the order of the parameter's choices
    STRIDES_STRIDE, // pattern "stride": neighbouring threads load elements at a constant distance
    STRIDES_BLOCK,  // pattern "block": threads load from rows of a two-dimensional array
    STRIDES_BANKS   // pattern "banks": like STRIDES_STRIDE, but the elements are in shared memory
};

enum {
    // Maximum of the parameter `stride`. With this stride, all addresses of the widest subgroup
    // still lie in the buffer.
    STRIDES_STRIDE_MAX = 1024,
    STRIDES_SHARED_STRIDE_MAX = 128, // maximum of `stride` in shared memory, in words of 4 bytes
    STRIDES_ACROSS_MAX = 1024,
    // Number of threads whose loads together count as one load in the metrics `cycles` and `time`.
    STRIDES_LANES = 32,
    STRIDES_SECTOR_BYTES = 32,
    // Maximum number of threads with different addresses, except with STRIDES_BLOCK.
    STRIDES_LANES_MAX = 64,
    // Maximum number of iterations in a dispatch. lavapipe ends a thread's loop after 65534
    // iterations.
    STRIDES_ITERATIONS_MAX = 60000,
    STRIDES_BUFFER_BYTES = 4 << 20,
    STRIDES_WORDS = STRIDES_THREADS + 1
};

enum strides_offset { // the offsets, in the order of the parameter's choices
    // All loads of a thread lie at the same place within their cache lines. For thread 0, this
    // place is the beginning of the line.
    STRIDES_LINE,
    // A thread has eight loads in flight, 0, 4, … 28 elements after its first element, as in the
    // program gpu-strides.
    STRIDES_ORIGINAL,
    STRIDES_RANDOM // each load of a thread lies at a different place within its cache line
};

struct strides_case {
    enum strides_pattern pattern;
    unsigned width; // bytes per load
    // Stride in elements; with STRIDES_BANKS in words of 4 bytes; with STRIDES_BLOCK 0.
    uint32_t stride;
    // With STRIDES_BLOCK: number of neighbouring threads that load from one row of the array. With
    // other patterns: number of threads that have different addresses.
    uint32_t across;
    // Where the loads that a thread has in flight lie within their cache lines: all at the same
    // place, 4 elements apart, or each at a different place. Used only with STRIDES_STRIDE.
    enum strides_offset offset;
    unsigned loads; // loads in flight per thread
    bool address;   // true: loads use a 64-bit address; false: a storage buffer
};

// Sets *this_case to the values of `c`. If the value of `route` is auto, `info` decides between a
// 64-bit address and a storage buffer. In most patterns, `info` also decides how many threads have
// different addresses: as many as a subgroup has, but at least STRIDES_LANES and at most
// STRIDES_LANES_MAX.
void strides_case_read(const struct bench_case *c, const struct gpu_info *info,
                       struct strides_case *this_case);

const char *strides_kernel_name(struct arena *arena, const struct strides_case *this_case);

// The parameters of the kernels, in the order in which kernels declare them.
struct strides_params {
    uint32_t across, step;
    uint32_t pitch; // elements from one row of the array to the next; 0 if there is no array
    // Always 0, but compilers cannot know this, so they repeat all loads; called `turn` in kernels.
    uint32_t unknown_0;
    uint32_t iterations; // number of turns of the loop; called `turns` in kernels
};
struct strides_params strides_params_of(const struct strides_case *this_case, uint32_t iterations);

// Returns the index of the element that thread `t` loads as number `k` of its loads in flight.
uint32_t strides_element(const struct strides_case *this_case, uint32_t t, uint32_t k);

// Returns the total size in bytes of all 128-byte lines from which threads load. A cache of that
// size holds all these lines. Returns 0 for STRIDES_BANKS.
uint64_t strides_footprint_bytes(const struct strides_case *this_case);

// What a load of STRIDES_LANES threads costs in the cache or in shared memory. The numbers are
// averages over all subgroups and over the loads in flight.
struct strides_traffic {
    double sectors; // number of 32-byte sectors that a load reads; 0 for STRIDES_BANKS
    // With STRIDES_BANKS: number of turns that a load takes, because each bank gives only one word
    // per turn. With other patterns 0.
    double wavefronts;
};
struct strides_traffic strides_traffic_of(const struct strides_case *this_case);

// Returns word number `i` of the memory from which threads load.
uint32_t strides_data(uint32_t i);

// Checks the words that the dispatches wrote. words[STRIDES_THREADS] must be the number of
// dispatches, and at least `runs_least`. words[t] must be the product of this number, `iterations`,
// and the sum of what thread t loads in one iteration, modulo 2^32. Fails with ERROR_MISMATCH if a
// word is wrong.
MUST_CHECK bool strides_check(const struct strides_case *this_case, uint32_t iterations,
                              const uint32_t words[STRIDES_WORDS], uint64_t runs_least,
                              struct error *err);

struct strides_session {
    struct gpu_buffer *source, *words;
};

MUST_CHECK bool strides_open(struct bench_session *session, struct error *err);
MUST_CHECK bool strides_visit(struct bench_visit *run, struct measure_visit *visit,
                              struct error *err);

#endif
