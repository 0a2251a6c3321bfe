// SPDX-License-Identifier: MIT
// A case decoded, where its threads load, and what the loads must add up to. Arithmetic only.
#ifndef BENCH_STRIDES_WORK_H
#define BENCH_STRIDES_WORK_H

#include "bench/strides/strides.h"
#include "gpu/gpu.h"
#include "results/results.h"

enum strides_pattern { // in the order of the choices
    STRIDES_STRIDE,    // neighbours so many elements apart
    STRIDES_BLOCK,     // threads in rows of a 2-D array
    STRIDES_BANKS      // as STRIDE, in shared memory
};

enum {
    STRIDES_STRIDE_MAX = 1024,       // what the buffer holds for the widest subgroup
    STRIDES_SHARED_STRIDE_MAX = 128, // what the pool holds for it
    STRIDES_ACROSS_MAX = 1024,
    STRIDES_LANES = 32,        // cycles and ns are given for so many loads
    STRIDES_LANES_MAX = 64,    // threads of the widest subgroup
    STRIDES_TURNS_MAX = 60000, // lavapipe ends the loops of a thread after 65534
    STRIDES_BUFFER_BYTES = 4 << 20,
    STRIDES_WORDS = STRIDES_THREADS + 1
};

struct strides_case {
    enum strides_pattern pattern;
    unsigned width;  // bytes a load
    uint32_t stride; // STRIDE: elements; BANKS: words
    uint32_t across; // BLOCK: threads side by side; else those with an address of their own
    unsigned loads;  // of a thread in flight, each from a line of its own
    bool address;    // by 64-bit address, else as a storage buffer
};

// `info` decides between address and storage buffer where the case's `route` is auto, and how many
// threads have an address of their own: a subgroup's, at least STRIDES_LANES.
void strides_case_read(const struct bench_case *c, const struct gpu_info *info,
                       struct strides_case *this_case);

const char *strides_kernel_name(struct arena *arena, const struct strides_case *this_case);

// The run-time arguments of the kernels.
struct strides_params {
    uint32_t across, step, pitch, turn, turns;
};
struct strides_params strides_params_of(const struct strides_case *this_case, uint32_t turns);

// Loads of a whole dispatch, and the bytes that they bring.
uint64_t strides_loads(uint32_t turns);
uint64_t strides_bytes(const struct strides_case *this_case, uint32_t turns);

// What the cache must hold for all loads to be its own: the lines of 128 bytes that are touched. 0
// for BANKS.
uint64_t strides_footprint_bytes(const struct strides_case *this_case);

// Word number `i` of the memory that is loaded.
uint32_t strides_data(uint32_t i);

// Checks what the kernels left: words[t] = runs × turns × what thread t adds up in a turn,
// words[STRIDES_THREADS] = runs, at least `runs_least`. ERROR_MISMATCH otherwise.
MUST_CHECK bool strides_check(const struct strides_case *this_case, uint32_t turns,
                              const uint32_t words[STRIDES_WORDS], uint64_t runs_least,
                              struct error *err);

#endif
