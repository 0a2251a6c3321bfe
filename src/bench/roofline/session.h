// SPDX-License-Identifier: MIT
// What the cases of a session share, and how one is read.
#ifndef BENCH_ROOFLINE_SESSION_H
#define BENCH_ROOFLINE_SESSION_H

#include "bench/bench.h"
#include "bench/fma_chain.h"
#include "bench/roofline/roofline.h"
#include "measure/clock.h"
#include "measure/energy.h"
#include "measure/limits.h"
#include "measure/span.h"

enum {
    ROOFLINE_NUMBERS = 3
};

struct roofline_number {
    const char *name, *kernel;
    enum fma_number number;
    gpu_caps caps;
    unsigned chains;     // of a thread
    unsigned arithmetic; // operations of a step of a chain
};
extern const struct roofline_number roofline_numbers[ROOFLINE_NUMBERS];

struct roofline_case {
    const struct roofline_number *number;
    double intensity; // operations a byte
    double energy_s;  // of steady repeats; 0: none
};
void roofline_case_read(const struct bench_case *c, struct roofline_case *this_case);

// Steps of all chains of a thread together; 0 where no whole number of them has this intensity.
uint64_t roofline_steps(const struct roofline_case *this_case);

struct roofline_session {
    struct bench_session *bench;
    struct measure_clock clock;
    struct measure_limits limits;
    struct measure_energy *energy; // NULL: the device does not count it
    bool warm;
    struct gpu_buffer *words; // measure/words.h
    // Each number's own where memory is large, else all share the first.
    bool shares;
    struct gpu_buffer *sources[ROOFLINE_NUMBERS];          // NULL: not needed so far
    const struct roofline_number *holds[ROOFLINE_NUMBERS]; // whose data are there; NULL: nobody's
    struct gpu_buffer *source;                             // of the case at work
    uint64_t bytes;                                        // of each
    uint32_t constant[2];                                  // b of x·x + b
};

MUST_CHECK bool roofline_open(struct bench_session *bench, struct error *err);

void roofline_close(struct bench_session *bench);

// Puts the number's data into memory. Returns its program; NULL with `err`.
struct gpu_program *roofline_prepare(struct roofline_session *session,
                                     const struct roofline_number *number, struct error *err);

// What one reading of the first `bytes` adds up to after so many steps of a thread, with fma
// rounded once and twice.
struct roofline_sums {
    uint32_t fused, rounded;
};
struct roofline_sums roofline_expect(const struct roofline_number *number, uint64_t steps,
                                     uint64_t bytes);

// The plan, the visit and the conclusion of struct benchmark.
MUST_CHECK bool roofline_plan(const struct bench_request *request, struct bench_case_list *list,
                              struct error *err);
MUST_CHECK bool roofline_visit(struct bench_visit *run, struct measure_visit *visit,
                               struct error *err);
void roofline_conclude(struct run *run, const char *device);

#endif
