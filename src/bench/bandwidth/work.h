// SPDX-License-Identifier: MIT
// Defines a case as a struct, the shapes that its grid may have, and the unit of work (a dispatch).
// The functions only compute; none of them uses a device.
#ifndef BENCH_BANDWIDTH_WORK_H
#define BENCH_BANDWIDTH_WORK_H

#include "bench/bandwidth/bandwidth.h"
#include "gpu/gpu.h"
#include "measure/claim.h"
#include "results/results.h"

// The members of enum bandwidth_op and enum bandwidth_scope have the order of the choices of the
// parameters `op` and `scope`.
enum bandwidth_op {
    BANDWIDTH_READ,
    BANDWIDTH_WRITE,
    BANDWIDTH_COPY
};

enum bandwidth_scope {
    // The case uses as many workgroups as its shape needs for the whole device.
    BANDWIDTH_DEVICE,
    BANDWIDTH_WORKGROUP, // the case uses one workgroup
    BANDWIDTH_SCALING    // the case uses as many workgroups as its parameter `workgroups` says
};

struct bandwidth_case {
    enum bandwidth_op op;
    enum bandwidth_scope scope;
    bool shared; // true: the case reads shared memory; false: it accesses global memory
    // True if each workgroup accesses its own part of the working set, false if each reads all of
    // it.
    bool apart;
    bool doubles; // true: elements are doubles; false: floats
    // Size of the working set in bytes; for a copy, of source and target together.
    uint64_t bytes;
    unsigned width;      // number of bytes of one load or store
    unsigned workgroups; // number of workgroups of the case if its scope is `scaling`; else 0
    const char *shape;   // "default", "best" or the name of a shape
};

void bandwidth_case_read(const struct bench_case *c, struct bandwidth_case *this_case);

// How a grid walks through memory.
enum bandwidth_walk {
    BANDWIDTH_LOOP,  // every workgroup walks through all of the memory, in laps
    BANDWIDTH_PART,  // every workgroup walks through its own part of the memory, in laps
    BANDWIDTH_LONG,  // every workgroup walks once through its own BANDWIDTH_LONG_BYTES bytes
    BANDWIDTH_CHUNK, // every thread walks once through its own BANDWIDTH_CHUNK_THREAD_BYTES bytes
    BANDWIDTH_ONCE,  // every thread accesses `loads` elements, once
    BANDWIDTH_WALK_COUNT
};

enum {
    BANDWIDTH_LONG_BYTES = 256 << 10,
    BANDWIDTH_CHUNK_THREAD_BYTES = 512,
    BANDWIDTH_SHAPES_MAX = 16
};

// In presets, the size of each buffer is a multiple of BANDWIDTH_GRAIN_SAME bytes (access=same) or
// BANDWIDTH_GRAIN_APART bytes (access=apart). This is a whole number of blocks for every shape.
enum {
    BANDWIDTH_GRAIN_SAME = 4 << 10,
    BANDWIDTH_GRAIN_APART = 512 << 10
};

// How a grid accesses memory. Copies, and reads of global memory with the walk BANDWIDTH_LOOP, use
// the core's own cache. All other reads of global memory bypass this cache.
struct bandwidth_shape {
    bool address; // true: kernels reach memory by a 64-bit address; false: as a storage buffer
    unsigned threads, loads;
    enum bandwidth_walk walk;
};

// Returns the name of a shape: its route, the threads of a workgroup × the loads in flight, and the
// walk, for example "address-1024x8-chunk".
const char *bandwidth_shape_name(struct arena *arena, const struct bandwidth_shape *shape);

// Returns true if there is a shape with the name `name`. Otherwise fails with ERROR_USAGE; the
// message may suggest a similar name.
MUST_CHECK bool bandwidth_shape_known(struct arena *arena, const char *name, struct error *err);

// Returns the name of the kernel that measures the case with the shape.
const char *bandwidth_kernel_name(struct arena *arena, const struct bandwidth_case *this_case,
                                  const struct bandwidth_shape *shape);

// Fills `shapes` with the shapes with which the device can run the case. The shape that should be
// fastest comes first. Returns the number of shapes.
size_t bandwidth_shapes(const struct bandwidth_case *this_case, const struct gpu_info *info,
                        const struct measure_limits *limits,
                        struct bandwidth_shape shapes[BANDWIDTH_SHAPES_MAX]);

// Fills `shapes` with the shapes that the parameter `shape` allows and for which this build has
// kernels. Returns their number; 0 with `err` if there are none.
size_t bandwidth_shapes_allowed(struct arena *arena, const struct bandwidth_case *this_case,
                                const struct gpu_info *info, const struct measure_limits *limits,
                                struct bandwidth_shape shapes[BANDWIDTH_SHAPES_MAX],
                                struct error *err);

// The parameters of the kernels, in the order in which walk.glsl declares them.
struct bandwidth_params {
    uint32_t groups, chunks, pitch, turn, extent, advance, steps, seed;
};

// A unit of work: one dispatch.
struct bandwidth_work {
    struct bandwidth_params params;
    uint32_t grid[3];
    // Number of passes over the working set. With walks in laps, a pass is the smallest number of
    // steps that makes whole laps. If one dispatch cannot do as many passes as requested, the
    // number is lower.
    uint64_t passes;
    uint64_t groups;       // number of workgroups that do work, in all passes together
    uint64_t moved_bytes;  // number of bytes that the dispatch reads and writes
    uint64_t stream_bytes; // number of bytes, from the start of each buffer, that one walk covers
    // number of times that the dispatch walks through the first `stream_bytes` bytes
    uint64_t times;
};

struct bandwidth_work_desc {
    const struct bandwidth_case *this_case;
    const struct bandwidth_shape *shape;
    const struct gpu_info *info;
    unsigned cores;  // number of cores; 0 if it is not known
    uint64_t passes; // number of passes of the dispatch over the working set; 0 means 1
};

// Makes the dispatch (a unit of work) that `desc` describes. Fails with ERROR_UNSUPPORTED if a
// buffer has 2^32 elements or more, fewer blocks than workgroups with a part of their own, or no
// whole number of chunks (walks in laps: of blocks).
MUST_CHECK bool bandwidth_work_make(const struct bandwidth_work_desc *desc,
                                    struct bandwidth_work *work, struct error *err);

// Returns the size in bytes of each buffer of the case: the working set, or half of it for a copy.
uint64_t bandwidth_stream_bytes(const struct bandwidth_case *this_case);

// Returns true if the working set certainly lies in DRAM: each workgroup reads its own part, and
// measure_limits_is_dram says that no cache can hold the working set.
bool bandwidth_is_dram(const struct bandwidth_case *this_case, const struct measure_limits *limits);

// Returns the claim that the case reads or writes `bytes` bytes in the memory level of its working
// set. A copy reads half of the bytes and writes the other half.
struct measure_claim bandwidth_claim_of(const struct bandwidth_case *this_case,
                                        const struct measure_limits *limits, double bytes);

#endif
