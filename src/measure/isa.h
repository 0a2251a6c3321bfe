// SPDX-License-Identifier: MIT
// What a kernel's innermost loop loads, read off the assembly that a driver shows. Known: AMD's
// instructions as Mesa's RADV prints them ("BB2:" before a block, targets of branches by those
// names). Anything else is not understood, which is no error: nothing is said then.
#ifndef MEASURE_ISA_H
#define MEASURE_ISA_H

#include "base/arena.h"

#include <stdbool.h>

struct isa_loads {
    unsigned count;
    const char *text; // "8 × buffer_load_dwordx4", most frequent first; in the caller's arena
};

// Of all loops that hold no other one, that with most loads. Fetches of descriptors do not count
// (s_load of 4 or 8 words beside accesses that may need one). False where there is no
// such loop.
bool isa_loop_loads(struct arena *arena, const char *assembly, struct isa_loads *loads);

#endif
