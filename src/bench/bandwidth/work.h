// SPDX-License-Identifier: MIT
// From a case to dispatches: what the case asks for (point), the ways of asking it (shapes), and
// what one unit of work then is, in numbers. Arithmetic only: nothing here touches a device.
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
    BANDWIDTH_DEVICE,    // as many workgroups as the shape wants
    BANDWIDTH_WORKGROUP, // one
    BANDWIDTH_SCALING    // as many as the case says
};

// A case, decoded.
struct bandwidth_case {
    enum bandwidth_op op;
    enum bandwidth_scope scope;
    bool shared;         // shared memory, not global
    bool apart;          // workgroups read different parts; else all read the same, again and again
    bool doubles;        // the element's type; else float
    uint64_t bytes;      // the working set; of a copy: read and written together
    unsigned width;      // bytes a load
    unsigned workgroups; // SCALING: how many; else 0
    const char *shape;   // "default", "best" or a name
};

void bandwidth_case_read(const struct bench_case *c, struct bandwidth_case *this_case);

// How a grid goes through memory.
enum bandwidth_walk {
    BANDWIDTH_LOOP,  // every workgroup round and round through all of it
    BANDWIDTH_PART,  // every workgroup round and round through a part of its own
    BANDWIDTH_LONG,  // every workgroup once through BANDWIDTH_LONG_BYTES
    BANDWIDTH_CHUNK, // every thread once through BANDWIDTH_CHUNK_THREAD_BYTES
    BANDWIDTH_ONCE,  // every thread does one step
    BANDWIDTH_WALK_COUNT
};

enum {
    BANDWIDTH_LONG_BYTES = 256 << 10,
    BANDWIDTH_CHUNK_THREAD_BYTES = 512,
    BANDWIDTH_DRAM_CACHES = 4, // so many last-level caches and more are taken for DRAM
    BANDWIDTH_SHAPES_MAX = 16
};

// Working sets are multiples of this (but of PART, which leaves a rest unread).
enum {
    BANDWIDTH_GRAIN_SAME = 4 << 10,
    BANDWIDTH_GRAIN_APART = 512 << 10
};

// All loads of PART and of what walks once bypass the core's own cache.
struct bandwidth_shape {
    bool address; // by 64-bit address, else as a storage buffer
    unsigned threads, loads;
    enum bandwidth_walk walk;
};

// "address-1024x8-chunk": route, threads of a workgroup × loads in flight, walk.
const char *bandwidth_shape_name(struct arena *arena, const struct bandwidth_shape *shape);

// The shape of that name among all that there are; false, with a hint at the nearest in `err`,
// where there is none.
MUST_CHECK bool bandwidth_shape_known(struct arena *arena, const char *name, struct error *err);

// The name of the kernel that does `point` in `shape`.
const char *bandwidth_kernel_name(struct arena *arena, const struct bandwidth_case *this_case,
                                  const struct bandwidth_shape *shape);

// The shapes to try for `point` on a device, the best guess first; all of them fit its limits.
// Returns how many (at most BANDWIDTH_SHAPES_MAX).
size_t bandwidth_shapes(const struct bandwidth_case *this_case, const struct gpu_info *info,
                        const struct measure_limits *limits,
                        struct bandwidth_shape shapes[BANDWIDTH_SHAPES_MAX]);

// The run-time arguments of the kernels: walk.glsl, in its order.
struct bandwidth_params {
    uint32_t groups, chunks, pitch, turn, extent, advance, steps, seed;
};

// One unit of work: one dispatch.
struct bandwidth_work {
    struct bandwidth_params params;
    uint32_t grid[3];
    uint64_t passes;       // as asked for, or fewer where a dispatch cannot hold so many
    uint64_t groups;       // workgroups of all passes
    uint64_t moved_bytes;  // what counts as its traffic
    uint64_t stream_bytes; // from the start of each buffer that it walks through …
    uint64_t times;        // … so often
};

struct bandwidth_work_desc {
    const struct bandwidth_case *this_case;
    const struct bandwidth_shape *shape;
    const struct gpu_info *info;
    unsigned cores;  // 0 = not known
    uint64_t passes; // how often the smallest unit is done; 0 counts as 1
};

// ERROR_UNSUPPORTED where the working set does not divide into this shape's blocks.
MUST_CHECK bool bandwidth_work_make(const struct bandwidth_work_desc *desc,
                                    struct bandwidth_work *work, struct error *err);

// The bytes that are read or written where they lie: of a copy, half of its working set.
uint64_t bandwidth_stream_bytes(const struct bandwidth_case *this_case);

// Whether the working set is large enough to be DRAM for certain.
bool bandwidth_is_dram(const struct bandwidth_case *this_case, const struct measure_limits *limits);

// What `bytes` of the case's traffic move, and where: at the level that its working set is in for
// certain.
struct measure_claim bandwidth_claim_of(const struct bandwidth_case *this_case,
                                        const struct measure_limits *limits, double bytes);

// How much of a core's memory the kernel should have as L1, as in gpu_program_desc.
unsigned bandwidth_l1_percent(const struct bandwidth_case *this_case);

// Cores at work; 0 = not known.
unsigned bandwidth_cores_busy(const struct bandwidth_case *this_case,
                              const struct measure_limits *limits);

#endif
