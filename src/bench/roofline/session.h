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
    const char *kernel, *once; // kernel: ROOFLINE_BLOCKS blocks per workgroup; once: one block
    enum fma_number number;
    gpu_caps caps;
    unsigned chains;     // chains per thread
    unsigned arithmetic; // operations per step of a chain
};
extern const struct roofline_number roofline_numbers[ROOFLINE_NUMBERS];

struct roofline_case {
    const struct roofline_number *number;
    double intensity; // operations per byte read
    double energy_s;  // how many seconds energy is measured; 0: it is not measured
};
void roofline_case_read(const struct bench_case *c, struct roofline_case *this_case);

// Returns the number of steps of a thread, over all its chains, that gives this intensity; 0 if no
// whole number from 1 to 2^24 gives it.
uint64_t roofline_steps(const struct roofline_case *this_case);

struct roofline_session {
    struct bench_session *bench;
    struct measure_energy *energy; // NULL: the device does not count energy
    unsigned blocks;               // blocks that a workgroup reads one after another
    struct gpu_buffer *words;      // buffer for a sum and a count (measure/words.h)
    // True: all types share sources[0]. False (if there is enough memory): each type has its own
    // buffer.
    bool shares;
    struct gpu_buffer *sources[ROOFLINE_NUMBERS]; // NULL: this buffer was not made yet
    // Type of the numbers in each buffer; NULL: none.
    const struct roofline_number *holds[ROOFLINE_NUMBERS];
    struct gpu_buffer *source; // the buffer for the current case
    uint64_t bytes;            // size of each buffer
    uint32_t constant[2];      // b of x·x + b
};

MUST_CHECK bool roofline_open(struct bench_session *bench, struct error *err);

void roofline_close(struct bench_session *bench);

// Makes session->source hold the data of that type. Returns its program; NULL with `err`.
struct gpu_program *roofline_prepare(struct roofline_session *session,
                                     const struct roofline_number *number, struct error *err);

// The sum of all results of a dispatch: `fused` if an fma rounds once, `rounded` if it rounds
// twice, first its product and then its sum.
struct roofline_sums {
    uint32_t fused, rounded;
};

// Returns the expected sums of a dispatch over `bytes` bytes, with `steps` steps per thread.
struct roofline_sums roofline_expect(const struct roofline_number *number, uint64_t steps,
                                     uint64_t bytes);

// The functions `visit` and `conclude` of struct benchmark.
MUST_CHECK bool roofline_visit(struct bench_visit *run, struct measure_visit *visit,
                               struct error *err);
void roofline_conclude(struct run *run, const char *device);

#endif
