// SPDX-License-Identifier: MIT
// The compute programs of a device: each is compiled when it is first needed, and only once.
#ifndef MEASURE_PROGRAM_H
#define MEASURE_PROGRAM_H

#include "gpu/gpu.h"
#include "results/results.h"

struct measure_programs {
    struct arena *arena;            // lives as long as `scope`
    struct gpu_scope *scope;        // the programs belong to it
    struct measure_program *newest; // NULL: no program was compiled yet
};

// Returns the program of the embedded kernel with that name. `choices` (NULL: all zero) holds the
// other members of the program's description; choices->kernel is ignored. Different choices make
// different programs. Returns NULL with ERROR_UNSUPPORTED if this build has no such kernel, or with
// the error of gpu_program_create.
struct gpu_program *measure_program(struct measure_programs *programs, const char *kernel,
                                    const struct gpu_program_desc *choices, struct error *err);

// Returns what the driver reports about a program from measure_program. The driver is asked only
// once per program, because its answer may need a compilation.
const struct kernel_info *measure_program_info(struct measure_programs *programs,
                                               const struct gpu_program *program);

#endif
