// SPDX-License-Identifier: MIT
// Turns a case into dispatches: the case as data, the shapes that its grid may have, and one unit
// of work. Arithmetic only: no function here uses a device.
#ifndef BENCH_BANDWIDTH_WORK_H
#define BENCH_BANDWIDTH_WORK_H

#include "bench/bandwidth/bandwidth.h"
#include "gpu/gpu.h"
#include "measure/claim.h"
#include "results/results.h"

// The members of bandwidth_op and bandwidth_scope are in the order of the choices of `op` and
// `scope`.
enum bandwidth_op {
    BANDWIDTH_READ,
    BANDWIDTH_WRITE,
    BANDWIDTH_COPY
};

enum bandwidth_scope {
    BANDWIDTH_DEVICE,    // as many workgroups as the shape has
    BANDWIDTH_WORKGROUP, // one workgroup
    BANDWIDTH_SCALING    // as many workgroups as `workgroups` says
};

struct bandwidth_case {
    enum bandwidth_op op;
    enum bandwidth_scope scope;
    bool shared;  // shared memory; false: global memory
    bool apart;   // workgroups read different parts; false: all of them read everything, repeatedly
    bool doubles; // elements are doubles; false: floats
    uint64_t bytes;      // the working set; of a copy: source and target together
    unsigned width;      // bytes per load
    unsigned workgroups; // SCALING: number of workgroups; else 0
    const char *shape;   // "default", "best" or the name of a shape
};

void bandwidth_case_read(const struct bench_case *c, struct bandwidth_case *this_case);

// How a grid walks through memory.
enum bandwidth_walk {
    BANDWIDTH_LOOP,  // every workgroup walks through all of the memory, in laps
    BANDWIDTH_PART,  // every workgroup walks through its own part, in laps
    BANDWIDTH_LONG,  // every workgroup walks once through BANDWIDTH_LONG_BYTES
    BANDWIDTH_CHUNK, // every thread walks once through BANDWIDTH_CHUNK_THREAD_BYTES
    BANDWIDTH_ONCE,  // every thread does one step
    BANDWIDTH_WALK_COUNT
};

enum {
    BANDWIDTH_LONG_BYTES = 256 << 10,
    BANDWIDTH_CHUNK_THREAD_BYTES = 512,
    BANDWIDTH_SHAPES_MAX = 16
};

// A preset takes only working sets whose buffers are multiples of GRAIN_SAME (access=same) or
// GRAIN_APART (access=apart). Walk PART leaves a remainder unread.
enum {
    BANDWIDTH_GRAIN_SAME = 4 << 10,
    BANDWIDTH_GRAIN_APART = 512 << 10
};

// The form of a grid. Its reads of global memory bypass the core's own cache, except with walk
// BANDWIDTH_LOOP and in copies.
struct bandwidth_shape {
    bool address; // the kernel gets a 64-bit address; false: a storage buffer
    unsigned threads, loads;
    enum bandwidth_walk walk;
};

// Returns "address-1024x8-chunk": route, threads of a workgroup × loads in flight, walk.
const char *bandwidth_shape_name(struct arena *arena, const struct bandwidth_shape *shape);

// True if there is a shape with that name. Else fails with ERROR_USAGE and a hint at the nearest
// name.
MUST_CHECK bool bandwidth_shape_known(struct arena *arena, const char *name, struct error *err);

// Returns the name of the kernel for that case and shape.
const char *bandwidth_kernel_name(struct arena *arena, const struct bandwidth_case *this_case,
                                  const struct bandwidth_shape *shape);

// Fills `shapes` with the shapes that the case may take on the device, the one that should be
// fastest first. Returns their number.
size_t bandwidth_shapes(const struct bandwidth_case *this_case, const struct gpu_info *info,
                        const struct measure_limits *limits,
                        struct bandwidth_shape shapes[BANDWIDTH_SHAPES_MAX]);

// The parameters of the kernels, in the order of walk.glsl.
struct bandwidth_params {
    uint32_t groups, chunks, pitch, turn, extent, advance, steps, seed;
};

// A unit of work: one dispatch.
struct bandwidth_work {
    struct bandwidth_params params;
    uint32_t grid[3];
    uint64_t passes;       // passes as requested; fewer if a dispatch cannot hold them all
    uint64_t groups;       // workgroups of all passes
    uint64_t moved_bytes;  // bytes that the unit reads and writes
    uint64_t stream_bytes; // bytes that the unit walks through in each buffer, from the start
    uint64_t times;        // number of walks through stream_bytes
};

struct bandwidth_work_desc {
    const struct bandwidth_case *this_case;
    const struct bandwidth_shape *shape;
    const struct gpu_info *info;
    unsigned cores;  // 0: not known
    uint64_t passes; // passes in the unit; 0 means 1
};

// Makes the unit. Fails with ERROR_UNSUPPORTED if the working set does not divide into this shape's
// blocks, is too small for the workgroups, or has more than 2^32 elements.
MUST_CHECK bool bandwidth_work_make(const struct bandwidth_work_desc *desc,
                                    struct bandwidth_work *work, struct error *err);

// Returns the bytes of each buffer: half of the working set for a copy, else all of it.
uint64_t bandwidth_stream_bytes(const struct bandwidth_case *this_case);

// True if the working set must be in DRAM: access=apart, and measure_limits_is_dram.
bool bandwidth_is_dram(const struct bandwidth_case *this_case, const struct measure_limits *limits);

// Returns what a unit that moves `bytes` claims to move, at the level that holds the working set.
struct measure_claim bandwidth_claim_of(const struct bandwidth_case *this_case,
                                        const struct measure_limits *limits, double bytes);

// Returns the percentage of a core's memory to request as L1 (gpu_program_desc): 1 for shared
// memory, else 100.
unsigned bandwidth_l1_percent(const struct bandwidth_case *this_case);

#endif
