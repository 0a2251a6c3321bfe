// SPDX-License-Identifier: MIT
// Counts the loads of a kernel's innermost loop in the assembly that a driver prints. Only AMD's
// instructions are understood, as Mesa's RADV prints them ("BB2:" before a block, and branches to
// such names). Other assembly gives no result, which is no error.
#ifndef MEASURE_ISA_H
#define MEASURE_ISA_H

#include "base/arena.h"

#include <stdbool.h>

struct isa_loads {
    unsigned count;
    // The loads as text, such as "8 × buffer_load_dwordx4", with the most frequent load first; in
    // `arena`.
    const char *text;
};

// Looks at all innermost loops (loops that contain no other loop), takes the one with the most
// loads, and stores its loads in `loads`. Returns false if no innermost loop has a load.
//
// Loads of descriptors do not count. In a loop with other accesses to memory than s_load, each
// s_load of 4 or 8 words is taken for a load of a descriptor.
bool isa_loop_loads(struct arena *arena, const char *assembly, struct isa_loads *loads);

#endif
