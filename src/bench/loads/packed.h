// SPDX-License-Identifier: MIT
// Data of formats whose channels are not whole bytes that stand for themselves: packed words, sRGB,
// and blocks (BC). Blocks use their two end points only, which every decoder must give exactly;
// what lies between is rounded as each pleases.
//
// Sources: Vulkan specification, "Formats"; Khronos Data Format Specification 1.3, "S3TC", "RGTC"
// and "BPTC" compressed texture image formats.
#ifndef BENCH_LOADS_PACKED_H
#define BENCH_LOADS_PACKED_H

#include "bench/loads/kind.h"

// Channel of texel x + y × LOADS_SIDE; 1 for an alpha that the format lacks.
double loads_packed_value(enum gpu_format format, unsigned element, unsigned channel);

// A texture of LOADS_SIDE × LOADS_SIDE as it stands in memory; `bytes` is all of it.
void *loads_packed_encode(struct arena *arena, enum gpu_format format, size_t *bytes);

#endif
