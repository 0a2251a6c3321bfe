// SPDX-License-Identifier: MIT
// From a case to dispatches, in numbers: what the case asks for, the shapes that its grid may have,
// and one unit of work. Arithmetic only: nothing here uses a device.
#ifndef BENCH_BANDWIDTH_WORK_H
#define BENCH_BANDWIDTH_WORK_H

#include "bench/bandwidth/bandwidth.h"
#include "gpu/gpu.h"
#include "measure/claim.h"
#include "results/results.h"

// In the order of the choices, as bandwidth_scope.
enum bandwidth_op {
    BANDWIDTH_READ,
    BANDWIDTH_WRITE,
    BANDWIDTH_COPY
};

enum bandwidth_scope {
    BANDWIDTH_DEVICE,    // as many workgroups as the shape has
    BANDWIDTH_WORKGROUP, // one
    BANDWIDTH_SCALING    // as many as `workgroups`
};

struct bandwidth_case {
    enum bandwidth_op op;
    enum bandwidth_scope scope;
    bool shared;  // shared memory, not global
    bool apart;   // workgroups read different parts; false: all of them read everything, repeatedly
    bool doubles; // elements are doubles; false: floats
    uint64_t bytes;      // the working set; of a copy: source and target together
    unsigned width;      // bytes a load
    unsigned workgroups; // SCALING: how many; else 0
    const char *shape;   // "default", "best" or a name
};

void bandwidth_case_read(const struct bench_case *c, struct bandwidth_case *this_case);

// How a grid walks through memory.
enum bandwidth_walk {
    BANDWIDTH_LOOP,  // every workgroup through all of it, in laps
    BANDWIDTH_PART,  // every workgroup through its own part, in laps
    BANDWIDTH_LONG,  // every workgroup once through BANDWIDTH_LONG_BYTES
    BANDWIDTH_CHUNK, // every thread once through BANDWIDTH_CHUNK_THREAD_BYTES
    BANDWIDTH_ONCE,  // every thread does one step
    BANDWIDTH_WALK_COUNT
};

enum {
    BANDWIDTH_LONG_BYTES = 256 << 10,
    BANDWIDTH_CHUNK_THREAD_BYTES = 512,
    BANDWIDTH_DRAM_CACHES = 4, // working sets of so many last-level caches or more are in DRAM
    BANDWIDTH_SHAPES_MAX = 16
};

// Working sets are multiples of these. (Walk PART leaves a remainder unread.)
enum {
    BANDWIDTH_GRAIN_SAME = 4 << 10,
    BANDWIDTH_GRAIN_APART = 512 << 10
};

// Loads bypass the core's own cache, except those of BANDWIDTH_LOOP.
struct bandwidth_shape {
    bool address; // the kernel gets a 64-bit address; false: a storage buffer
    unsigned threads, loads;
    enum bandwidth_walk walk;
};

// "address-1024x8-chunk": route, threads of a workgroup × loads of a thread in flight, walk.
const char *bandwidth_shape_name(struct arena *arena, const struct bandwidth_shape *shape);

// True if there is a shape of that name. Else ERROR_USAGE with a hint at the nearest name.
MUST_CHECK bool bandwidth_shape_known(struct arena *arena, const char *name, struct error *err);

// The name of the kernel for that case and shape.
const char *bandwidth_kernel_name(struct arena *arena, const struct bandwidth_case *this_case,
                                  const struct bandwidth_shape *shape);

// Fills `shapes` with those that the case may take on the device, the one that should be fastest
// first. Returns their number.
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
    uint64_t passes;       // as requested, or as many as a dispatch can hold
    uint64_t groups;       // workgroups of all passes
    uint64_t moved_bytes;  // its traffic
    uint64_t stream_bytes; // of each buffer that it walks through, from its start
    uint64_t times;        // number of walks through them
};

struct bandwidth_work_desc {
    const struct bandwidth_case *this_case;
    const struct bandwidth_shape *shape;
    const struct gpu_info *info;
    unsigned cores;  // 0 = not known
    uint64_t passes; // how often the smallest unit is done; 0 means 1
};

// ERROR_UNSUPPORTED if the working set does not divide into this shape's blocks.
MUST_CHECK bool bandwidth_work_make(const struct bandwidth_work_desc *desc,
                                    struct bandwidth_work *work, struct error *err);

// The bytes of each buffer: of a copy half of the working set, else all of it.
uint64_t bandwidth_stream_bytes(const struct bandwidth_case *this_case);

// True if the working set is so large that it must be in DRAM.
bool bandwidth_is_dram(const struct bandwidth_case *this_case, const struct measure_limits *limits);

// The claim of a unit that moves `bytes`: at the level of memory that holds the working set.
struct measure_claim bandwidth_claim_of(const struct bandwidth_case *this_case,
                                        const struct measure_limits *limits, double bytes);

// How much of a core's memory the kernel should have as L1 (gpu_program_desc).
unsigned bandwidth_l1_percent(const struct bandwidth_case *this_case);

#endif
