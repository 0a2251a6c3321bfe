// SPDX-License-Identifier: MIT The programs of a device, for compute work and rays. A program is
// compiled when it is first needed, or earlier, together with other programs. Compiled programs are
// kept.
#ifndef MEASURE_PROGRAM_H
#define MEASURE_PROGRAM_H

#include "gpu/gpu.h"
#include "results/results.h"

enum {
    MEASURE_COMPILERS = 8 // maximum number of programs that are compiled at the same time
};

struct measure_programs {
    struct arena *arena;            // owns the list of programs; must live as long as `scope`
    struct gpu_scope *scope;        // owns the programs that measure_program compiled
    struct measure_program *newest; // compiled programs, the newest first; NULL if there is none
    uint64_t compile_ns;            // time in ns that it took to create all programs
    // The programs that measure_programs_compile will compile. While `listing` is true,
    // measure_program adds to this list.
    struct measure_program *listed;
    bool listing;
    // One scope per compiling thread, which owns the programs compiled there; NULL if not open.
    struct gpu_scope *scopes[MEASURE_COMPILERS];
};

// Returns the program of the embedded kernel named `kernel`; each set of `choices` (NULL: all zero)
// gives another program. The member `kernel` of `choices` is ignored. Returns NULL with
// ERROR_UNSUPPORTED if this build has no such kernel, or with the error of gpu_program_create.
struct gpu_program *measure_program(struct measure_programs *programs, const char *kernel,
                                    const struct gpu_program_desc *choices, struct error *err);

// Compile programs at the same time, before they are needed. After measure_programs_list,
// measure_program only lists each program that does not exist yet and returns NULL with
// ERROR_INTERNAL. measure_programs_compile compiles the listed ones, with one thread per processor
// that the caller may use, but at most MEASURE_COMPILERS. After 5 s, no thread begins another
// program. measure_program compiles a program that is still missing when it is needed, and only
// then reports an error.
void measure_programs_list(struct measure_programs *programs);
void measure_programs_compile(struct measure_programs *programs);

// Frees the programs that measure_programs_compile made. Close `scope` before this call, because
// batches of the scope use these programs.
void measure_programs_close(struct measure_programs *programs);

// Returns what the driver reports about a program that measure_program returned. The driver is
// asked only once per program, because it may compile the program again for its answer.
const struct kernel_info *measure_program_info(struct measure_programs *programs,
                                               const struct gpu_program *program);

#endif
