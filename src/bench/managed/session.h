// SPDX-License-Identifier: MIT
// A case of `managed` as a struct, the state of a session, and the arrays of one visit.
#ifndef BENCH_MANAGED_SESSION_H
#define BENCH_MANAGED_SESSION_H

#include "bench/bench.h"
#include "bench/managed/managed.h"
#include "gpu/managed.h"
#include "measure/card.h"

struct managed_case {
    bool host_touch; // true: the host writes the arrays first; false: the device writes them first
    bool prefetch;   // true: pages are moved to the device before the first pass
    bool advised;    // true: the driver gets `advice`; false: it gets no advice
    enum gpu_managed_advice advice;
    uint64_t bytes; // size in bytes of the three arrays together
};
void managed_case_read(const struct bench_case *c, struct managed_case *this_case);

enum {
    MANAGED_ARRAYS = 3 // number of arrays a, b and c of the triad a = b + factor × c
};

// What the cases of a session share; made by managed_open.
struct managed_session {
    struct bench_session *bench;
    struct gpu_program *fill, *check, *triad;
    // Buffer with the number of pairs that the kernel `check` found correct.
    struct gpu_buffer *right;
    struct measure_link link;
    uint32_t visits; // number of visits so far; each visit makes its seed from it
};

struct managed_params { // parameters of the kernels, which declare the same struct
    double factor;
    uint32_t count; // number of pairs of elements in each array
    uint32_t seed;
};

// The arrays of one visit, in the visit's scope.
struct managed_arrays {
    struct managed_session *session;
    struct gpu_scope *scope;
    struct gpu_buffer *at[MANAGED_ARRAYS];
    uint64_t bytes; // size in bytes of each array
    uint32_t pairs, seed;
};

MUST_CHECK bool managed_open(struct bench_session *bench, struct error *err);

// Allocates the arrays and gives the driver the case's advice. Fails with ERROR_OUT_OF_MEMORY,
// before it allocates anything, if the device, or a host that must hold the pages, has too little
// free memory.
MUST_CHECK bool managed_arrays_make(struct managed_arrays *arrays,
                                    const struct managed_case *this_case, struct error *err);

// Writes all arrays for the first time: from the host if `by_host`, else from the device.
MUST_CHECK bool managed_arrays_touch(struct managed_arrays *arrays, bool by_host,
                                     struct error *err);

// Records one pass of the triad.
void managed_arrays_record(const struct managed_arrays *arrays, double factor,
                           struct gpu_batch *batch);

// These two functions fail with ERROR_MISMATCH if an element of a is not b + factor × c. The device
// checks every element. The host checks a few elements, which moves their pages to the host.
MUST_CHECK bool managed_arrays_check_device(struct managed_arrays *arrays, double factor,
                                            struct error *err);
MUST_CHECK bool managed_arrays_check_host(const struct managed_arrays *arrays, double factor,
                                          struct error *err);

MUST_CHECK bool managed_visit(struct bench_visit *run, struct measure_visit *visit,
                              struct error *err);

#endif
