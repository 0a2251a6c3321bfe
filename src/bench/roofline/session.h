// SPDX-License-Identifier: MIT
// A case of `roofline` as a struct, and what the cases of a session share.
#ifndef BENCH_ROOFLINE_SESSION_H
#define BENCH_ROOFLINE_SESSION_H

#include "bench/bench.h"
#include "bench/fma_chain.h"
#include "bench/roofline/roofline.h"
#include "measure/energy.h"

enum {
    ROOFLINE_NUMBERS = 3
};

struct roofline_number {
    const char *name;
    // Names of two kernels: `kernel` reads ROOFLINE_BLOCKS blocks per workgroup, `once` one block.
    const char *kernel, *once;
    enum fma_number number;
    gpu_caps caps;
    unsigned chains;     // number of chains per thread
    unsigned arithmetic; // number of arithmetic operations in a step of a chain
};
extern const struct roofline_number roofline_numbers[ROOFLINE_NUMBERS];

struct roofline_case {
    const struct roofline_number *number;
    double intensity; // operations per byte read
    double energy_s;  // duration in s of the measurement of energy; 0 if energy is not measured
};
void roofline_case_read(const struct bench_case *c, struct roofline_case *this_case);

// Returns the number of steps for the case's intensity. A thread must make this many steps, over
// all its chains, for each block that it reads. Returns 0 if that is no whole number from 1 to
// 2^24.
uint64_t roofline_steps(const struct roofline_case *this_case);

struct roofline_session {
    struct bench_session *bench;
    struct measure_energy *energy; // counter of the device's energy; NULL if the device has none
    unsigned blocks;               // blocks that a workgroup reads one after another
    // Buffer for the sum and the count to which kernels add (measure/unit.h).
    struct gpu_buffer *words;
    // True: the types of numbers share the buffer sources[0]. False (if there is enough memory):
    // each type has its own buffer.
    bool shares;
    // Buffers for the data that kernels read; NULL if not created yet.
    struct gpu_buffer *sources[ROOFLINE_NUMBERS];
    // Type of the numbers with which each of `sources` is filled; NULL if it is not filled.
    const struct roofline_number *holds[ROOFLINE_NUMBERS];
    struct gpu_buffer *source; // the buffer, one of `sources`, that the current case reads
    uint64_t bytes;            // size in bytes of each of `sources`
};

MUST_CHECK bool roofline_open(struct bench_session *bench, struct error *err);

void roofline_close(struct bench_session *bench);

// Makes session->source hold the data of the type `number`. Returns the program that measures this
// type; NULL with `err` on failure.
struct gpu_program *roofline_prepare(struct roofline_session *session,
                                     const struct roofline_number *number, struct error *err);

// The sum of all results of a dispatch. `fused` is the sum if an fma rounds once. `rounded` is the
// sum if an fma rounds twice: first its product and then its sum.
struct roofline_sums {
    uint32_t fused, rounded;
};

// Returns the expected sums of a dispatch over `bytes` bytes, with `steps` steps (roofline_steps)
// per thread and block.
struct roofline_sums roofline_expect(const struct roofline_number *number, uint64_t steps,
                                     uint64_t bytes);

// The functions `visit` and `conclude` of struct benchmark.
MUST_CHECK bool roofline_visit(struct bench_visit *run, struct measure_visit *visit,
                               struct error *err);
void roofline_conclude(struct run *run, const char *device);

#endif
