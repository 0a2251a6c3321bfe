// SPDX-License-Identifier: MIT
// Declares a case of the benchmark managed as a struct, the state of a session, and the arrays of
// one visit.
#ifndef BENCH_MANAGED_SESSION_H
#define BENCH_MANAGED_SESSION_H

#include "bench/bench.h"
#include "bench/managed/managed.h"
#include "gpu/managed.h"
#include "measure/card.h"

struct managed_case {
    bool host_touch; // true: the host writes the arrays first; false: the device writes them first
    bool prefetch;   // true: the driver moves the pages to the device before the first pass
    bool advised;    // true: the driver gets `advice`; false: it gets no advice
    enum gpu_managed_advice advice;
    uint64_t bytes; // size in bytes of the three arrays together
};
void managed_case_read(const struct bench_case *c, struct managed_case *this_case);

enum {
    MANAGED_ARRAYS = 3 // number of arrays a, b and c of the triad a = b + factor × c
};

// The state that all cases of a session share; managed_open makes it.
struct managed_session {
    struct bench_session *bench;
    struct gpu_program *fill, *check, *triad;
    // Buffer that holds one number: how many pairs of elements the kernel `check` found correct.
    struct gpu_buffer *right;
    struct gpu_buffer *passes; // buffer that holds the number of passes that the triad has counted
    struct measure_link link;
    // number of visits so far that have begun to make arrays; a visit makes its seed from this
    // number
    uint32_t visits;
};

struct managed_params { // parameters of the kernels, which declare the same struct
    double factor;
    uint32_t count; // number of pairs of elements in each array
    uint32_t seed;
};

// The three arrays of one visit. `scope` owns them.
struct managed_arrays {
    struct managed_session *session;
    struct gpu_scope *scope;
    struct gpu_buffer *at[MANAGED_ARRAYS];
    uint64_t bytes; // size in bytes of each array
    uint32_t pairs, seed;
};

MUST_CHECK bool managed_open(struct bench_session *bench, struct error *err);

// Allocates the three arrays and gives the driver the case's advice. If memory is short, fails with
// ERROR_OUT_OF_MEMORY before any allocation. The arrays may take 9/10 of the device's free memory.
// If the host writes them first or should keep them, they may also take at most half of the host's
// available memory, if this is known.
MUST_CHECK bool managed_arrays_make(struct managed_arrays *arrays,
                                    const struct managed_case *this_case, struct error *err);

// Writes all arrays for the first time. If `by_host` is true, the host writes them, else the
// device.
MUST_CHECK bool managed_arrays_touch(struct managed_arrays *arrays, bool by_host,
                                     struct error *err);

// Records one pass of the triad a = b + factor × c over the arrays.
void managed_arrays_record(const struct managed_arrays *arrays, double factor,
                           struct gpu_batch *batch);

// managed_arrays_check_device lets the device check every element of array a.
// managed_arrays_check_host checks a few elements on the host, which may move their pages to the
// host. If a checked element is not b + factor × c, the check fails with ERROR_MISMATCH.
MUST_CHECK bool managed_arrays_check_device(struct managed_arrays *arrays, double factor,
                                            struct error *err);
MUST_CHECK bool managed_arrays_check_host(const struct managed_arrays *arrays, double factor,
                                          struct error *err);

MUST_CHECK bool managed_visit(struct bench_visit *run, struct measure_visit *visit,
                              struct error *err);

#endif
