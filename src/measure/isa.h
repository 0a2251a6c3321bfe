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

// Fills `loads` from the innermost loop with the most loads. (An innermost loop contains no other
// loop.) Returns false if no innermost loop has a load. Loads of descriptors do not count. If the
// loop also accesses memory in another way, each s_load of 4 or 8 words counts as a load of a
// descriptor.
bool isa_loop_loads(struct arena *arena, const char *assembly, struct isa_loads *loads);

#endif
