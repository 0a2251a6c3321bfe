// SPDX-License-Identifier: MIT
// From a case to a dispatch: what each operation moves, the shapes of its kernels, and the grid.
// Arithmetic only.
#ifndef BENCH_STREAM_WORK_H
#define BENCH_STREAM_WORK_H

#include "bench/stream/stream.h"
#include "gpu/gpu.h"
#include "measure/claim.h"
#include "results/results.h"

enum {
    STREAM_GRAIN_BYTES = 128 << 10, // arrays are multiples of it: every shape's blocks divide it
    STREAM_PAD_BYTES = 256,         // behind an array: the stencils read one vector more
    STREAM_SHAPES_MAX = 2,
    STREAM_CACHES = 4, // arrays together are so many last-level caches, or no DRAM is measured
    STREAM_PASSES_MAX = 65535
};

// What an operation is.
struct stream_op {
    const char *name;
    unsigned reads, writes; // arrays that count
    bool source, other, target;
    float weights[STREAM_WEIGHTS]; // of what the target must hold; the constant is the visit's own
    unsigned shift;                // vectors between an element of the source and its own number
    struct {
        unsigned threads, loads;
    } shapes[STREAM_SHAPES_MAX]; // the default first
    bool resident;               // has kernels that loop
};

extern const struct stream_op stream_ops[STREAM_OPS]; // by number, as in stream.h

// A case, decoded.
struct stream_case {
    const struct stream_op *op;
    bool doubles;
    uint64_t bytes;        // an array
    unsigned core_threads; // OCCUPANCY: threads a core; 0: a tuned kernel
    const char *shape;     // "best", "default", "256x8"
};

void stream_case_read(const struct bench_case *c, struct stream_case *this_case);

// How one kernel does it.
struct stream_shape {
    unsigned threads, loads; // of a workgroup; vectors in flight a thread
    unsigned core_groups;    // OCCUPANCY: workgroups a core; else 0
    bool placed;             // OCCUPANCY: leaves where and when it was
};

// The shapes of a tuned kernel that fit the device, the default first.
size_t stream_shapes(const struct stream_case *this_case, const struct gpu_info *info,
                     struct stream_shape shapes[STREAM_SHAPES_MAX]);

// The shape for an occupancy, at most 16 workgroups a core. ERROR_UNSUPPORTED where the threads do
// not divide into workgroups of whole subgroups, or cores are not known.
MUST_CHECK bool stream_resident_shape(const struct stream_case *this_case,
                                      const struct gpu_info *info, unsigned cores,
                                      struct stream_shape *shape, struct error *err);

const char *stream_shape_name(struct arena *arena, const struct stream_shape *shape);
const char *stream_kernel_name(struct arena *arena, const struct stream_case *this_case,
                               const struct stream_shape *shape);

struct stream_params { // as in the kernels
    uint32_t blocks, groups, passes;
    float value, factor;
};

// One dispatch.
struct stream_work {
    struct stream_params params;
    uint32_t grid[3];
    uint64_t passes;
    uint64_t moved_bytes; // what counts, of all passes
};

void stream_work_make(const struct stream_case *this_case, const struct stream_shape *shape,
                      const struct gpu_info *info, unsigned cores, uint64_t passes,
                      struct stream_work *work);

// What a dispatch moves.
struct measure_claim stream_claim_of(const struct stream_case *this_case,
                                     const struct stream_work *work, unsigned cores);

// Bytes of the arrays that the operation touches.
uint64_t stream_working_set(const struct stream_case *this_case);

// ERROR_UNSUPPORTED, with the numbers, where caches might hold a good part of the working set.
MUST_CHECK bool stream_refuse_cached(const struct stream_case *this_case,
                                     const struct measure_limits *limits, struct error *err);

// Where and when a workgroup was, as the kernels leave it.
struct stream_place {
    uint32_t core, begin, end, unused; // low words of the device's clock
};

struct stream_residency {
    unsigned cores;  // that had workgroups
    unsigned uneven; // of them: not as many as wanted
    bool at_once;    // all began before the first ended
};

void stream_residency_judge(struct arena *scratch, const struct stream_place *places,
                            uint32_t groups, unsigned core_groups, struct stream_residency *found);

#endif
