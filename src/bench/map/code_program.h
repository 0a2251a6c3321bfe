// SPDX-License-Identifier: MIT
// The kernels of `what=code`, by the most instructions that a lap of theirs may have.
#ifndef BENCH_MAP_CODE_PROGRAM_H
#define BENCH_MAP_CODE_PROGRAM_H

#include "bench/bench.h"

enum {
    MAP_CODE_SIZES = 3
};

// A kernel of so many stretches (code_kernels.h), compiled when it is first needed.
struct map_code_program {
    struct gpu_program *program; // NULL: not yet
    struct kernel_info kernel;
    uint64_t compile_ns;      // what the driver took for it
    double instruction_bytes; // by what the driver says of the code's size; 0: it does not
};

// How many stretches (bench/map.h) so many instructions are; 0: no lap is so long.
uint32_t map_code_steps(uint64_t instructions);

// The shortest one that is so long; those before it show whether it would take too long to compile.
// NULL with ERROR_UNSUPPORTED where it would, or where the build lacks it.
struct map_code_program *map_code_program(struct map_code_program programs[MAP_CODE_SIZES],
                                          const struct bench_session *session, uint32_t steps,
                                          struct error *err);

#endif
