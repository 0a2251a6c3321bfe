// SPDX-License-Identifier: MIT
// The probes of `map` that are not chains of latency: a chain on each core at the same time, and
// straight-line code.
#ifndef BENCH_MAP_PROBES_H
#define BENCH_MAP_PROBES_H

#include "bench/bench.h"

// Cases `what=neighbours`: one workgroup on each core or, if the case has the parameter `chains`,
// on so many cores. All run at the same time, and each follows its own chain of `bytes` bytes.
// Cores that share a cache share its capacity, so their chains take longer.

// What the session keeps for all cases `what=neighbours` from one measurement to the next.
struct map_neighbours {
    struct gpu_program *program; // NULL before the first case `what=neighbours` is measured
};

// Measures a case `what=neighbours` once. Fails with ERROR_UNSUPPORTED if kernels cannot read a
// clock or the number of their core, or if two workgroups ran on one core.
MUST_CHECK bool map_neighbours_visit(struct map_neighbours *kept, struct bench_visit *run,
                                     struct measure_visit *visit, struct error *err);

// Cases `what=code`: one subgroup executes straight-line code of `instructions` multiply-adds,
// again and again. If the code does not fit in an instruction cache, each instruction takes longer.

enum {
    MAP_CODE_KERNELS = 3
};

// A kernel for laps of up to a certain number of instructions, compiled when it is first needed.
struct map_code_program {
    struct gpu_program *program; // NULL: not compiled yet
    struct kernel_info kernel;
    uint64_t compile_ns; // time that the driver took to compile the kernel
    // Bytes per instruction, computed from the size of the code that the driver reports; 0:
    // unknown.
    double instruction_bytes;
};

// What the session keeps for all cases `what=code` from one measurement to the next.
struct map_code {
    struct map_code_program programs[MAP_CODE_KERNELS];
    // core clock in Hz during the last run; before that, what the probe of the clocks found, or 0
    double warm_hz;
    // Duration of a lap without instructions, in counts of the core's counter; in ns if there is no
    // such counter.
    double empty;
};

// Measures a case `what=code` once. Fails with ERROR_USAGE if there is no code of that length.
// Fails with ERROR_UNSUPPORTED if this build lacks the kernel, if the driver took so long to
// compile a shorter one that this one is not tried, or if a lap that branches over all the code
// takes too long.
MUST_CHECK bool map_code_visit(struct map_code *kept, struct bench_visit *run,
                               struct measure_visit *visit, struct error *err);

#endif
