// SPDX-License-Identifier: MIT
// Declares the cases of the benchmark stream, the sizes of their dispatches, and the arrays that
// the cases of a session share.
#ifndef BENCH_STREAM_SESSION_H
#define BENCH_STREAM_SESSION_H

#include "bench/bench.h"
#include "bench/stream/stream.h"
#include "measure/claim.h"

enum {
    // Array sizes in bytes are multiples of this number. It is a multiple of the size of every
    // block, so arrays consist of whole blocks.
    STREAM_GRAIN_BYTES = 128 << 10,
    STREAM_PAD_BYTES = 256, // bytes behind an array, because stencils read a vector beyond its end
    STREAM_SHAPES_MAX = 2,
    // All arrays together are at least this many times as large as the last-level cache, so that
    // DRAM is measured.
    STREAM_CACHES = 4,
    STREAM_PASSES_MAX = 65535
};

// One of the operations that stream.h lists.
struct stream_op {
    const char *name;
    // Numbers of arrays that the operation reads and writes. Of the arrays read, the first is the
    // source, and the second is the other array. The array written is the target.
    unsigned reads, writes;
    // Each number of the target is a weighted sum of numbers of the source and of the other array.
    // The last weight is a constant that is added.
    float weights[STREAM_WEIGHTS];
    // Number of vectors of the source before its element 0. Stencils read these vectors.
    unsigned shift;
    struct {
        unsigned threads, loads, steps; // a workgroup takes `steps` blocks one after another
    } shapes[STREAM_SHAPES_MAX];        // shapes[0] is the default shape
    bool resident; // true if the operation also has kernels whose workgroups loop
    // True if the operation also has kernels in which each thread takes one element.
    bool single;
};

extern const struct stream_op stream_ops[STREAM_OPS]; // the indices are STREAM_INIT … (stream.h)

enum stream_kernel { // kinds of kernels, in the order of the choices of `kernel`
    STREAM_TUNED,
    STREAM_OCCUPANCY, // a kernel whose workgroups loop
    STREAM_SINGLE     // a kernel in which each thread takes one element
};

struct stream_case {
    const struct stream_op *op;
    bool doubles;
    uint64_t bytes; // size of each array in bytes
    enum stream_kernel kernel;
    unsigned core_threads; // number of threads on each core; 0 with STREAM_TUNED
    bool best;             // true if all shapes are tried, and the fastest is measured
};

void stream_case_read(const struct bench_case *c, struct stream_case *this_case);

// The shape of a kernel: how it divides its work among threads.
struct stream_shape {
    unsigned threads, loads; // threads per workgroup; vectors that a thread loads at the same time
    unsigned steps;          // neighbouring blocks per workgroup; not used if workgroups loop
    unsigned core_groups;    // looping workgroups per core; 0 if workgroups do not loop
    bool single;             // true if each thread takes one element
    // Each workgroup reserves this many bytes of shared memory and does not use them. So few
    // workgroups fit on a core.
    unsigned reserved_bytes;
    bool placed; // true if each workgroup records its core, its begin and its end
};

// Sets `shapes` to the shapes of a tuned kernel that the device allows; the default shape is the
// first. Returns the number of shapes.
size_t stream_shapes(const struct stream_case *this_case, const struct gpu_info *info,
                     struct stream_shape shapes[STREAM_SHAPES_MAX]);

// Sets `shape` to core_threads threads per core, in at most 16 workgroups of 32 or of 128 threads.
// Fails with ERROR_UNSUPPORTED if the threads do not divide into such workgroups, if they are more
// than a core holds, or if the number of cores is not known (`cores` is 0).
MUST_CHECK bool stream_resident_shape(const struct stream_case *this_case,
                                      const struct gpu_info *info, unsigned cores,
                                      struct stream_shape *shape, struct error *err);

// Sets `shape` to core_threads threads per core in two workgroups, with one element per thread.
// Each workgroup reserves so much shared memory that a core holds no third workgroup. Fails with
// ERROR_UNSUPPORTED if the device does not allow that, if no kernel has workgroups of core_threads
// / 2 threads, or if an array has more than 2^32 elements.
MUST_CHECK bool stream_single_shape(const struct stream_case *this_case,
                                    const struct gpu_info *info, struct stream_shape *shape,
                                    struct error *err);

struct stream_params { // parameters of the kernels, which declare them in the same order
    uint32_t blocks, groups, passes;
    // `pitch`, `advance` and `reach` are numbers of blocks. Workgroup g takes block g × pitch and
    // every advance-th block after it, as long as the distance from block g × pitch is less than
    // `reach`.
    uint32_t pitch, advance, reach;
    float value, factor;
    uint32_t op; // index of the operation in stream_ops, used by kernels of kind STREAM_SINGLE
};

// The parameters and the size of one dispatch.
struct stream_work {
    struct stream_params params;
    uint32_t grid[3];
    uint64_t passes;
    // Number of bytes that all passes read and write, as the metric bandwidth counts them.
    uint64_t moved_bytes;
};

void stream_work_make(const struct stream_case *this_case, const struct stream_shape *shape,
                      const struct gpu_info *info, unsigned cores, uint64_t passes,
                      struct stream_work *work);

// Returns the size in bytes of all arrays of the case together.
uint64_t stream_set_bytes(const struct stream_case *this_case);

// Fails with ERROR_UNSUPPORTED if all arrays of the case together are smaller than STREAM_CACHES
// times the last-level cache. The case would then measure the cache.
MUST_CHECK bool stream_refuse_cached(const struct stream_case *this_case,
                                     const struct measure_limits *limits, struct error *err);

// The core and the times of a workgroup, as kernels record them.
struct stream_place {
    // begin, end: low word of the device's clock when the workgroup began and ended.
    uint32_t core, begin, end, unused;
};

struct stream_residency {
    unsigned cores;  // number of cores that ran workgroups
    unsigned uneven; // number of cores that ran more or fewer than core_groups workgroups
    // True if all workgroups ran at the same time: the last began before the first ended.
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
    // Scope that owns only the buffer of this array. The scope is closed when a larger buffer
    // replaces this buffer.
    struct gpu_scope *scope;
    struct gpu_buffer *buffer;
    uint64_t bytes;
    // `filled` is true if the array holds the data of its seed. `doubles` is true if these data are
    // doubles, false if they are floats.
    bool filled, doubles;
};

struct stream_session {
    struct bench_session *bench;
    uint64_t timeout_ns;      // time-out of each submission
    struct gpu_buffer *words; // buffer in which kernels add up sums and counts; see measure/unit.h
    struct stream_buffer arrays[STREAM_ARRAY_COUNT];
};

MUST_CHECK bool stream_open(struct bench_session *bench, struct error *err);
void stream_close(struct bench_session *bench);
MUST_CHECK bool stream_visit(struct bench_visit *run, struct measure_visit *visit,
                             struct error *err);

// Makes the arrays that the case needs. Fills the arrays that the case reads, unless they already
// hold their data. Fails with ERROR_UNSUPPORTED or ERROR_OUT_OF_MEMORY if an array is too large.
MUST_CHECK bool stream_arrays_prepare(struct stream_session *session,
                                      const struct stream_case *this_case, struct error *err);

// Fills the target with data of another seed than those of the arrays that operations read. So the
// check detects numbers that a kernel did not write.
MUST_CHECK bool stream_arrays_spoil(struct stream_session *session,
                                    const struct stream_case *this_case, struct error *err);

// Compares every number of the target with what the case's operation must have written. `value` is
// used only for the operation init (STREAM_INIT), which writes this number everywhere. Fails with
// ERROR_MISMATCH if a number differs.
MUST_CHECK bool stream_arrays_check(struct stream_session *session,
                                    const struct stream_case *this_case, float value,
                                    struct error *err);

// Sets *sum to the sum that a kernel of this shape must find in one pass of an operation that only
// reads. Another kernel computes this sum, and compares every number in the arrays with
// stream_value. Fails with ERROR_MISMATCH if a number differs.
MUST_CHECK bool stream_arrays_sum(struct stream_session *session,
                                  const struct stream_case *this_case,
                                  const struct stream_shape *shape, uint32_t *sum,
                                  struct error *err);

// Returns element `i` of the data that belong to `seed`, as an array of doubles or of floats holds
// it.
double stream_value(bool doubles, uint32_t i, uint32_t seed);

#endif
