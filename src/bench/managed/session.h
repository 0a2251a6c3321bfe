// SPDX-License-Identifier: MIT
// What the cases of a session share, and the arrays of one visit.
#ifndef BENCH_MANAGED_SESSION_H
#define BENCH_MANAGED_SESSION_H

#include "bench/bench.h"
#include "bench/managed/managed.h"
#include "gpu/managed.h"
#include "measure/card.h"

struct managed_case {
    bool host_touch; // the host writes the arrays first; else the device
    bool prefetch;
    bool advised;
    enum gpu_managed_advice advice;
    uint64_t bytes; // of the three arrays together
    uint64_t rest;  // oversubscribed: device memory left for them; 0: they fit
};
void managed_case_read(const struct bench_case *c, struct managed_case *this_case);

enum {
    MANAGED_ARRAYS = 3 // a, b, c
};

// Made by managed_open.
struct managed_session {
    struct bench_session *bench;
    struct gpu_program *fill, *check, *triad;
    struct gpu_buffer *right; // what `check` counts
    struct measure_link link;
    uint32_t visits; // so far: the seed of the next
};

struct managed_params { // as in the kernels
    double factor;
    uint32_t count; // pairs
    uint32_t seed;
};

// The arrays of one visit, in its scope.
struct managed_arrays {
    struct managed_session *session;
    struct gpu_scope *scope;
    struct gpu_buffer *at[MANAGED_ARRAYS];
    uint64_t bytes; // each
    uint32_t pairs, seed;
};

MUST_CHECK bool managed_open(struct bench_session *bench, struct error *err);

// Allocates and advises, having filled the device down to point->rest where that is asked for.
// ERROR_OUT_OF_MEMORY where device (unless oversubscribed) or host have not so much free.
MUST_CHECK bool managed_arrays_make(struct managed_arrays *arrays,
                                    const struct managed_case *this_case, struct error *err);

// Writes all three for the first time.
MUST_CHECK bool managed_arrays_touch(struct managed_arrays *arrays, bool by_host,
                                     struct error *err);

// Records one pass of the triad.
void managed_arrays_record(const struct managed_arrays *arrays, double factor,
                           struct gpu_batch *batch);

// Every sum is that of `factor`, as the device sees it; some of them as the host does, which moves
// their pages. Else ERROR_MISMATCH.
MUST_CHECK bool managed_arrays_check_device(struct managed_arrays *arrays, double factor,
                                            struct error *err);
MUST_CHECK bool managed_arrays_check_host(const struct managed_arrays *arrays, double factor,
                                          struct error *err);

// The plan and the visit of struct benchmark.
MUST_CHECK bool managed_plan(const struct bench_request *request, struct bench_case_list *list,
                             struct error *err);
MUST_CHECK bool managed_visit(struct bench_visit *run, struct measure_visit *visit,
                              struct error *err);

#endif
