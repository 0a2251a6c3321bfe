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

// Stores in `loads` the loads of the innermost loop that has the most. Returns false if no
// innermost loop has a load.
//
// Loads of descriptors do not count: an s_load of 4 or 8 words counts as one if the loop also
// accesses memory by other instructions.
bool isa_loop_loads(struct arena *arena, const char *assembly, struct isa_loads *loads);

#endif
