// SPDX-License-Identifier: MIT
// What the kernels of `what=code` must compute: the host follows the chains step by step.
#ifndef BENCH_MAP_CODE_REPLAY_H
#define BENCH_MAP_CODE_REPLAY_H

#include "bench/map/code_kernels.h"

#include <stdbool.h>
#include <stdint.h>

// What threads with even numbers ([0]) and with odd numbers ([1]) store: the chains' ends and the
// hash over the laps.
struct code_ends {
    uint32_t words[2][CODE_KEPT];
};

// Computes the ends after `laps` laps of `instructions` instructions each. If `fused` is true, each
// step rounds once; else it is a product, then a sum, each rounded, as some compilers translate
// fma() of GLSL.
void code_replay(uint32_t instructions, uint64_t laps, bool fused, struct code_ends *ends);

#endif
