// SPDX-License-Identifier: MIT
// What the kernels of `what=code` have to come to: the host follows the chains step by step.
#ifndef BENCH_MAP_CODE_REPLAY_H
#define BENCH_MAP_CODE_REPLAY_H

#include "bench/map/code_kernels.h"

#include <stdbool.h>
#include <stdint.h>

// What threads with even and with odd numbers leave: the chains' ends and the hash over the laps.
struct code_ends {
    uint32_t words[2][CODE_KEPT];
};

// After `laps` laps of so many instructions each. Fused: each step rounds once; else a product,
// then a sum, which is what some compilers make of a GLSL fma() that need not be fused.
void code_replay(uint32_t instructions, uint64_t laps, bool fused, struct code_ends *ends);

#endif
