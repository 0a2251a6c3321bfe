// SPDX-License-Identifier: MIT
// The programs of a device, for compute work and rays. Each is compiled only once, when it is first
// needed.
#ifndef MEASURE_PROGRAM_H
#define MEASURE_PROGRAM_H

#include "gpu/gpu.h"
#include "results/results.h"

struct measure_programs {
    struct arena *arena;            // memory for the list of programs; must live as long as `scope`
    struct gpu_scope *scope;        // owns the programs
    struct measure_program *newest; // last compiled program; NULL: none was compiled
    uint64_t compile_ns;            // time that making all these programs took, in ns
};

// Returns the program of the embedded kernel with the name `kernel`. `choices` (NULL: all zero)
// gives the other members of the program's description; its own member `kernel` is ignored. Each
// set of choices makes its own program. Returns NULL with ERROR_UNSUPPORTED if this build has no
// such kernel, or with the error of gpu_program_create.
struct gpu_program *measure_program(struct measure_programs *programs, const char *kernel,
                                    const struct gpu_program_desc *choices, struct error *err);

// Returns what the driver reports about a program that measure_program returned. The driver is
// asked only once per program, because it may compile the program again for its answer.
const struct kernel_info *measure_program_info(struct measure_programs *programs,
                                               const struct gpu_program *program);

#endif
