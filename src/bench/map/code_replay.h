// SPDX-License-Identifier: MIT
// Computes on the host what the kernels of `what=code` must compute, step by step.
#ifndef BENCH_MAP_CODE_REPLAY_H
#define BENCH_MAP_CODE_REPLAY_H

#include "bench/map/code_kernels.h"

#include <stdbool.h>
#include <stdint.h>

// What threads with even numbers ([0]) and with odd numbers ([1]) must store: the last values of
// their chains, and their hash.
struct code_ends {
    uint32_t words[2][CODE_KEPT];
};

// Computes what threads must store after `laps` laps of `instructions` instructions. If `fused` is
// true, each step rounds once. Otherwise it rounds the product, then the sum, as code of some
// compilers does for fma() of GLSL.
void code_replay(uint32_t instructions, uint64_t laps, bool fused, struct code_ends *ends);

#endif
