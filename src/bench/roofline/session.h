// SPDX-License-Identifier: MIT
// Declares the cases of `roofline`, and what the cases of a session share.
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
    // Names of two kernels. Workgroups of `kernel` read ROOFLINE_BLOCKS blocks each, workgroups of
    // `once` read one block each.
    const char *kernel, *once;
    enum fma_number number;
    gpu_caps caps;
    unsigned chains;     // number of chains per thread
    unsigned arithmetic; // number of operations in a step of a chain
};
extern const struct roofline_number roofline_numbers[ROOFLINE_NUMBERS];

struct roofline_case {
    const struct roofline_number *number;
    double intensity; // arithmetic intensity: operations per byte read
    double energy_s;  // time in s for which energy is measured; 0: energy is not measured
};
void roofline_case_read(const struct bench_case *c, struct roofline_case *this_case);

enum {
    ROOFLINE_STEPS_MAX = 1 << 24 // maximum number of steps of a thread per block
};

// Returns how many steps a thread makes per block, over all its chains, for the case's intensity.
// Returns 0 if this number is not whole, or not from 1 to ROOFLINE_STEPS_MAX.
uint64_t roofline_steps(const struct roofline_case *this_case);

struct roofline_session {
    struct bench_session *bench;
    struct measure_energy *energy; // the device's counter of energy; NULL if it has none
    unsigned blocks;               // number of blocks that a workgroup reads
    // Words to which kernels add their sums and counts (measure/unit.h).
    struct gpu_buffer *words;
    // True: there is too little memory, so a type without a buffer uses an existing one. False:
    // each type of numbers has its own buffer.
    bool shares;
    // Buffers that kernels read; NULL if not created yet.
    struct gpu_buffer *sources[ROOFLINE_NUMBERS];
    // holds[i] is the type of numbers in sources[i]; NULL if this buffer is not filled.
    const struct roofline_number *holds[ROOFLINE_NUMBERS];
    struct gpu_buffer *source; // the current case's buffer, one of `sources`
    uint64_t bytes;            // size in bytes of each buffer in `sources`
};

MUST_CHECK bool roofline_open(struct bench_session *bench, struct error *err);

void roofline_close(struct bench_session *bench);

// Sets session->source to a buffer with data of the type `number`. Returns the program that
// measures this type; NULL with `err` on failure.
struct gpu_program *roofline_prepare(struct roofline_session *session,
                                     const struct roofline_number *number, struct error *err);

// The sum of all results of a dispatch: `fused` if an fma rounds once, `rounded` if an fma rounds
// twice, first the product and then the sum.
struct roofline_sums {
    uint32_t fused, rounded;
};

// Returns the expected sums of a dispatch that reads `bytes` bytes. Each thread makes `steps` steps
// per block (roofline_steps).
struct roofline_sums roofline_expect(const struct roofline_number *number, uint64_t steps,
                                     uint64_t bytes);

// The functions `visit` and `conclude` of struct benchmark.
MUST_CHECK bool roofline_visit(struct bench_visit *run, struct measure_visit *visit,
                               struct error *err);
void roofline_conclude(struct run *run, const char *device);

#endif
