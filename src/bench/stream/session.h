// SPDX-License-Identifier: MIT
// Declares the cases of the benchmark stream, the sizes of their dispatches, and the arrays that
// the cases of a session share.
#ifndef BENCH_STREAM_SESSION_H
#define BENCH_STREAM_SESSION_H

#include "bench/bench.h"
#include "bench/stream/stream.h"
#include "measure/claim.h"

enum {
    // Sizes of arrays are multiples of this number of bytes, which is a multiple of every block
    // size. So arrays consist of whole blocks.
    STREAM_GRAIN_BYTES = 128 << 10,
    // Bytes behind an array, because stencils read two vectors beyond its end.
    STREAM_PAD_BYTES = 256,
    STREAM_SHAPES_MAX = 2,
    // All arrays of a case together are at least this many times as large as the last-level cache
    // (if its size is known), so DRAM is measured.
    STREAM_CACHES = 4,
    STREAM_PASSES_MAX = 65535
};

// One operation of the list in stream.h.
struct stream_op {
    const char *name;
    // `reads` is the number of arrays that the operation reads: the source, then the other array.
    // `writes` is 1 if it writes the target, else 0.
    unsigned reads, writes;
    // Each number of the target is a weighted sum of numbers of the source and of the other array.
    // The last weight is a constant to add.
    float weights[STREAM_WEIGHTS];
    // Number of vectors before element 0 of the source. Stencils read them, too.
    unsigned shift;
    // The shapes of tuned kernels. The first shape that the device allows is the default shape.
    struct {
        unsigned threads, loads, steps; // a workgroup takes `steps` blocks, one after another
    } shapes[STREAM_SHAPES_MAX];
    bool resident; // true: there are kernels of the operation whose workgroups loop
    // True: there are kernels of the operation whose threads take one element each.
    bool single;
};

extern const struct stream_op stream_ops[STREAM_OPS]; // the indices are STREAM_INIT … (stream.h)

enum stream_kernel { // kinds of kernels, in the order of the choices of the parameter `kernel`
    STREAM_TUNED,
    STREAM_OCCUPANCY, // kernels whose workgroups loop
    STREAM_SINGLE     // kernels whose threads take one element each
};

struct stream_case {
    const struct stream_op *op;
    bool doubles;
    uint64_t bytes; // size of each array in bytes
    enum stream_kernel kernel;
    unsigned core_threads; // number of threads per core; 0 with STREAM_TUNED
    // With STREAM_TUNED: true if the fastest of all shapes is measured, false for the default
    // shape.
    bool best;
};

void stream_case_read(const struct bench_case *c, struct stream_case *this_case);

// The shape of a kernel: how its threads share the work.
struct stream_shape {
    unsigned threads, loads; // threads per workgroup, and vectors that a thread loads at once
    unsigned steps;          // neighbouring blocks per workgroup; only tuned kernels use this
    unsigned core_groups;    // number of looping workgroups per core; 0: workgroups do not loop
    bool single;             // true: each thread takes one element; false: it takes vectors
    // Bytes of shared memory that each workgroup reserves, only to limit the number of workgroups
    // on a core.
    unsigned reserved_bytes;
    bool placed; // true: each workgroup records its core, start and end
};

// Sets `shapes` to the shapes of the operation's tuned kernels that the device allows, in the order
// of stream_op.shapes. Returns their number.
size_t stream_shapes(const struct stream_case *this_case, const struct gpu_info *info,
                     struct stream_shape shapes[STREAM_SHAPES_MAX]);

// Sets `shape` to core_threads threads per core, in at most 16 workgroups of 32 or 128 threads.
// Fails with ERROR_UNSUPPORTED if the threads do not divide into such workgroups, if a core does
// not hold them, or if the number of cores is not known (`cores` is 0).
MUST_CHECK bool stream_resident_shape(const struct stream_case *this_case,
                                      const struct gpu_info *info, unsigned cores,
                                      struct stream_shape *shape, struct error *err);

// Sets `shape` to core_threads threads per core in two workgroups, with one element per thread.
// Each workgroup reserves so much shared memory that a core holds only two. Fails with
// ERROR_UNSUPPORTED if the device does not allow this reservation, if a core is not known to hold
// core_threads threads, if no kernel has workgroups of core_threads / 2 threads, or if an array has
// 2^32 elements or more.
MUST_CHECK bool stream_single_shape(const struct stream_case *this_case,
                                    const struct gpu_info *info, struct stream_shape *shape,
                                    struct error *err);

struct stream_params { // parameters of the kernels, in the order in which kernels declare them
    uint32_t blocks, groups, passes;
    // Workgroup g takes the blocks g × pitch, g × pitch + advance … All its blocks are less than
    // `reach` blocks after its first one. Kernels of the kind STREAM_SINGLE do not use these three
    // parameters.
    uint32_t pitch, advance, reach;
    float value, factor;
    uint32_t op; // index in stream_ops; only kernels of the kind STREAM_SINGLE get it
};

// The parameters and the size of one dispatch.
struct stream_work {
    struct stream_params params;
    uint32_t grid[3];
    uint64_t passes;
    // bytes that all passes read and write, for the metric bandwidth
    uint64_t moved_bytes;
};

void stream_work_make(const struct stream_case *this_case, const struct stream_shape *shape,
                      const struct gpu_info *info, unsigned cores, uint64_t passes,
                      struct stream_work *work);

// Returns the total size in bytes of the case's arrays.
uint64_t stream_set_bytes(const struct stream_case *this_case);

// Fails with ERROR_UNSUPPORTED if the case would measure the cache: its arrays together are smaller
// than STREAM_CACHES times the last-level cache.
MUST_CHECK bool stream_refuse_cached(const struct stream_case *this_case,
                                     const struct measure_limits *limits, struct error *err);

// Core and times of a workgroup, as kernels record them.
struct stream_place {
    // `begin` and `end` are the low words of the device's clock at the workgroup's start and end.
    uint32_t core, begin, end, unused;
};

struct stream_residency {
    unsigned cores;  // number of cores that ran workgroups
    unsigned uneven; // number of these cores that ran more or fewer than core_groups workgroups
    // True: all workgroups ran at the same time, because every workgroup began before any workgroup
    // ended.
    bool at_once;
};

void stream_residency_judge(struct arena *scratch, const struct stream_place *places,
                            uint32_t groups, unsigned core_groups, struct stream_residency *found);

// ---------------------------------------------------------------- the session and its arrays

enum stream_array {
    STREAM_SOURCE,
    STREAM_OTHER,
    STREAM_TARGET,
    STREAM_ARRAY_COUNT
};

struct stream_buffer {
    // Scope of the array's buffer only. It is closed before a larger buffer replaces this buffer,
    // and when the session ends.
    struct gpu_scope *scope;
    struct gpu_buffer *buffer;
    uint64_t bytes;
    // `filled`: true if the array holds the data of its seed; always false for STREAM_TARGET.
    // `doubles`: true if the data are doubles, false if they are floats.
    bool filled, doubles;
};

struct stream_session {
    struct bench_session *bench;
    uint64_t timeout_ns;      // time-out of each submission in ns
    struct gpu_buffer *words; // words to which kernels add sums and counts (measure/unit.h)
    struct stream_buffer arrays[STREAM_ARRAY_COUNT];
};

MUST_CHECK bool stream_open(struct bench_session *bench, struct error *err);
void stream_close(struct bench_session *bench);
MUST_CHECK bool stream_visit(struct bench_visit *run, struct measure_visit *visit,
                             struct error *err);

// Makes the case's arrays. Fills the arrays that the case reads, unless they hold the same data
// already. Fails with ERROR_UNSUPPORTED or ERROR_OUT_OF_MEMORY if an array is too large.
MUST_CHECK bool stream_arrays_prepare(struct stream_session *session,
                                      const struct stream_case *this_case, struct error *err);

// Fills the target with data of another seed. So the check detects numbers that a kernel did not
// write.
MUST_CHECK bool stream_arrays_spoil(struct stream_session *session,
                                    const struct stream_case *this_case, struct error *err);

// Compares every number of the target with the number that the case's operation should write
// (`value` if the operation is init). Fails with ERROR_MISMATCH if a number differs.
MUST_CHECK bool stream_arrays_check(struct stream_session *session,
                                    const struct stream_case *this_case, float value,
                                    struct error *err);

// Sets *sum to the sum that one pass of a reading operation should find with kernels of this shape.
// Another kernel computes this sum, and compares every number in the arrays with stream_value.
// Fails with ERROR_MISMATCH if a number differs.
MUST_CHECK bool stream_arrays_sum(struct stream_session *session,
                                  const struct stream_case *this_case,
                                  const struct stream_shape *shape, uint32_t *sum,
                                  struct error *err);

// Returns element `i` of the data that belong to a seed, in the precision of doubles or of floats.
double stream_value(bool doubles, uint32_t i, uint32_t seed);

#endif
