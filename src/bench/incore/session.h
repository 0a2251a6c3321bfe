// SPDX-License-Identifier: MIT
// What the cases of a session share, and how one is read.
#ifndef BENCH_INCORE_SESSION_H
#define BENCH_INCORE_SESSION_H

#include "bench/bench.h"
#include "bench/incore/kind.h"
#include "measure/clock.h"
#include "measure/limits.h"
#include "measure/span.h"

enum {
    INCORE_SAMPLES_MAX = 16,   // of one core, in a visit
    INCORE_PROOFS = 2,         // dispatches of different length that one batch proves
    INCORE_PROOF_STRIDE = 1024 // bytes from one proof to the next
};

enum incore_metric {
    INCORE_METRIC_CYCLES,
    INCORE_METRIC_PER_CORE,
    INCORE_METRIC_TIME,
    INCORE_METRIC_RATE
};

struct incore_case {
    const struct incore_kind *kind;
    bool chip; // the whole of it; else one core
    uint32_t chains, subgroups;
};
void incore_case_read(const struct bench_case *c, struct incore_case *this_case);

struct incore_session {
    struct bench_session *bench;
    struct measure_clock clock;
    struct measure_limits limits;
    bool clocked;        // kernels read the core's counter and the device's clock
    double core_hz_most; // of the data sheet, or seen
    bool awake;          // the last peak found the clock risen
    uint32_t subgroup_threads;
    struct gpu_buffer *proofs, *stamps;
    struct gpu_buffer *upload, *readback; // proofs; proofs' heads and stamps
};

// Of the readback buffer.
enum {
    INCORE_STAMPS_OFFSET = INCORE_PROOFS * INCORE_PROOF_STRIDE,
    INCORE_STAMPS_BYTES = INCORE_SAMPLES_MAX * INCORE_STAMPS * 8
};

// A dispatch as the kernels know it (INCORE_PARAMS).
struct incore_params {
#define MEMBER(name) uint32_t name;
    INCORE_PARAMS(MEMBER)
#undef MEMBER
};

MUST_CHECK bool incore_open(struct bench_session *bench, struct error *err);

// The case's program; NULL with ERROR_UNSUPPORTED naming what the device lacks.
struct gpu_program *incore_program(struct incore_session *session,
                                   const struct incore_case *this_case, struct error *err);

// Puts what a dispatch with these parameters must come to into proof number `proof`, and the copies
// of it to the device into the batch: before the dispatches. `words` are a case's slots.
void incore_proof_record(struct incore_session *session, unsigned proof, const uint32_t *words,
                         struct gpu_batch *batch);
void incore_dispatch(struct incore_session *session, struct gpu_batch *batch,
                     const struct gpu_dispatch *desc, unsigned proof);
// … and the copies back, after them.
void incore_results_record(struct incore_session *session, struct gpu_batch *batch);

// After the batch: ERROR_MISMATCH unless all threads had what they should.
struct incore_proven {
    uint32_t groups; // workgroups that came to their end
    bool separate;   // fma rounded twice
};
MUST_CHECK bool incore_proof_check(const struct incore_session *session, unsigned proof,
                                   struct incore_proven *proven, struct error *err);

// The plan and the visit of struct benchmark, and the visit's two kinds.
MUST_CHECK bool incore_plan(const struct bench_request *request, struct bench_case_list *list,
                            struct error *err);
MUST_CHECK bool incore_visit(struct bench_visit *run, struct measure_visit *visit,
                             struct error *err);
void incore_conclude(struct run *run, const char *device);
MUST_CHECK bool incore_core_visit(struct bench_visit *run, const struct incore_case *this_case,
                                  struct measure_visit *visit, struct error *err);
MUST_CHECK bool incore_chip_visit(struct bench_visit *run, const struct incore_case *this_case,
                                  struct measure_visit *visit, struct error *err);

#endif
