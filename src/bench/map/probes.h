// SPDX-License-Identifier: MIT
// Probes of the benchmark map that are not cases of latency: chains on several cores at the same
// time, and straight-line code.
#ifndef BENCH_MAP_PROBES_H
#define BENCH_MAP_PROBES_H

#include "bench/bench.h"
#include "bench/map/code_kernels.h"

// Cases `what=neighbours`: several cores (parameter `chains`; without it, all cores) follow a chain
// each, of `bytes` bytes. Cores that share a cache share its capacity, so their chains take longer.

// Data that the session keeps for all cases `what=neighbours`.
struct map_neighbours {
    // program of the kernel map_neighbours; NULL before the first case `what=neighbours`
    struct gpu_program *program;
};

// Measures a case `what=neighbours` once. Fails with ERROR_MISMATCH if a workgroup did not finish,
// or its chain ended at a wrong link. Fails with ERROR_UNSUPPORTED if
// - this build lacks the kernel;
// - kernels cannot read the core's counter (of known rate) or the number of their core;
// - there are fewer than two chains, or a chain has fewer than two nodes;
// - a storage buffer cannot contain all chains;
// - two workgroups ran on one core.
MUST_CHECK bool map_neighbours_visit(struct map_neighbours *kept, struct bench_visit *run,
                                     struct measure_visit *visit, struct error *err);

// Cases `what=code`: one subgroup executes straight-line code of `instructions` multiply-adds,
// again and again. If the code does not fit in an instruction cache, each instruction takes longer.

enum {
    MAP_CODE_KERNELS = 3
};

// A kernel that can run laps of up to a certain number of instructions. It is compiled when a case
// first needs this kernel or a longer one.
struct map_code_program {
    struct gpu_program *program; // program of the kernel; NULL until it is compiled
    struct kernel_info kernel;
    uint64_t compile_ns; // time that the driver took to compile the kernel
    // Number of bytes per instruction, computed from the size of the code that the driver reports;
    // 0 if the driver reports no size.
    double instruction_bytes;
};

// Data that the session keeps for all cases `what=code`.
struct map_code {
    struct map_code_program programs[MAP_CODE_KERNELS];
    // Duration of a lap without instructions, in counts of the core's counter. If kernels cannot
    // read that counter, the duration is in ns.
    double empty;
};

// Measures a case `what=code` once. Fails with ERROR_USAGE if there is no code of that length.
// Fails with ERROR_UNSUPPORTED if one of these conditions is true:
// - This build lacks the kernel.
// - The driver took too long to compile a shorter kernel.
// - A lap that only branches over all the code takes too long.
// - The kernels are for Vulkan, and cannot read both clocks.
MUST_CHECK bool map_code_visit(struct map_code *kept, struct bench_visit *run,
                               struct measure_visit *visit, struct error *err);

// ---------------------------------------------------------------- the host (code_replay.c)

// The words that a thread must store: the last values of its chains, and their hash. words[0] is
// for threads with even numbers, words[1] for threads with odd numbers.
struct code_ends {
    uint32_t words[2][CODE_KEPT];
};

// Computes the words that threads must store after `laps` laps of `instructions` instructions, each
// one step of a chain, x · x + constant. If `fused` is false, a step rounds twice, as some
// compilers do for fma() in GLSL.
void code_replay(uint32_t instructions, uint64_t laps, bool fused, struct code_ends *ends);

#endif
