// SPDX-License-Identifier: MIT
// A case of `strides` as data, where its threads load, what the loads must add up to, and what the
// cases of a session share.
#ifndef BENCH_STRIDES_SESSION_H
#define BENCH_STRIDES_SESSION_H

#include "bench/bench.h"
#include "bench/strides/strides.h"

enum strides_metric { // in the order of the list in strides.c
    STRIDES_BANDWIDTH,
    STRIDES_PER_CORE,
    STRIDES_CYCLES,
    STRIDES_TIME
};

enum strides_pattern { // in the order of the parameter's choices
    STRIDES_STRIDE,    // neighbouring threads load elements at a constant distance
    STRIDES_BLOCK,     // threads load from rows of a 2-D array
    STRIDES_BANKS      // the same as STRIDE, but in shared memory
};

enum {
    STRIDES_STRIDE_MAX = 1024,       // largest stride at which the buffer holds the widest subgroup
    STRIDES_SHARED_STRIDE_MAX = 128, // largest stride in shared memory
    STRIDES_ACROSS_MAX = 1024,
    STRIDES_LANES = 32, // the metrics `cycles` and `time` are per load of this many threads
    STRIDES_SECTOR_BYTES = 32,
    STRIDES_LANES_MAX = 64,         // threads of the widest subgroup
    STRIDES_ITERATIONS_MAX = 60000, // lavapipe ends a thread's loops after 65534 iterations
    STRIDES_BUFFER_BYTES = 4 << 20,
    STRIDES_WORDS = STRIDES_THREADS + 1
};

enum strides_offset { // in the order of the parameter's choices
    STRIDES_LINE,     // all at the same place of their lines; those of thread 0 begin lines
    STRIDES_ORIGINAL, // eight loads, 0, 4, … 28 elements into a line, as gpu-strides does
    STRIDES_RANDOM    // at random places of the line, which differ from load to load
};

struct strides_case {
    enum strides_pattern pattern;
    unsigned width;  // bytes per load
    uint32_t stride; // STRIDE: in elements; BANKS: in words of 4 bytes; BLOCK: 0
    // BLOCK: threads in a row of the array; else number of threads with addresses of their own.
    uint32_t across;
    enum strides_offset offset; // STRIDE: where in their lines a thread's loads in flight begin
    unsigned loads;             // loads in flight per thread
    bool address;               // true: loads by 64-bit address; false: from a storage buffer
};

// Reads the case. `info` decides between address and storage buffer if the case's `route` is auto.
// It also decides how many threads have an address of their own: the threads of a subgroup, at
// least STRIDES_LANES, at most (and if not known) STRIDES_LANES_MAX; with STRIDES_ORIGINAL always
// STRIDES_LANES_MAX.
void strides_case_read(const struct bench_case *c, const struct gpu_info *info,
                       struct strides_case *this_case);

const char *strides_kernel_name(struct arena *arena, const struct strides_case *this_case);

// The run-time parameters of the kernels, in the order in which the kernels declare them.
struct strides_params {
    uint32_t across, step;
    uint32_t pitch;      // elements from one row of a block to the next
    uint32_t unknown_0;  // always 0, but compilers cannot know that; the kernels call it `turn`
    uint32_t iterations; // `turns` in the kernels
};
struct strides_params strides_params_of(const struct strides_case *this_case, uint32_t iterations);

// Returns the number of loads of all threads in one dispatch.
uint64_t strides_loads(uint32_t iterations);

// Returns the element that thread `t` loads in number `k` of its loads in flight.
uint32_t strides_element(const struct strides_case *this_case, uint32_t t, uint32_t k);

// Returns the size in bytes of all 128-byte lines that the threads load from: a cache of that size
// serves every load. 0 for BANKS.
uint64_t strides_footprint_bytes(const struct strides_case *this_case);

// What the loads of one subgroup of STRIDES_LANES threads take, on average over all subgroups and
// over the loads in flight.
struct strides_traffic {
    double sectors;    // sectors of 32 bytes that a load reads from; 0 for BANKS
    double wavefronts; // BANKS with loads of 4 bytes: turns that a load takes; else 0
};
struct strides_traffic strides_traffic_of(const struct strides_case *this_case);

// Returns word number `i` of the memory that the threads load from.
uint32_t strides_data(uint32_t i);

// Checks what the kernels wrote: words[t] = runs × iterations × the sum of thread t in one
// iteration; words[STRIDES_THREADS] = runs, at least `runs_least`. Fails with
// ERROR_MISMATCH if a word is wrong. Sums are modulo 2^32.
MUST_CHECK bool strides_check(const struct strides_case *this_case, uint32_t iterations,
                              const uint32_t words[STRIDES_WORDS], uint64_t runs_least,
                              struct error *err);

struct strides_session {
    struct gpu_buffer *source, *words;
};

MUST_CHECK bool strides_open(struct bench_session *session, struct error *err);
MUST_CHECK bool strides_visit(struct bench_visit *run, struct measure_visit *visit,
                              struct error *err);
void strides_conclude(struct run *run, const char *device);

#endif
