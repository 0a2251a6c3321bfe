// SPDX-License-Identifier: MIT
// Computes on the host what the kernels of `what=code` must compute, step by step.
#ifndef BENCH_MAP_CODE_REPLAY_H
#define BENCH_MAP_CODE_REPLAY_H

#include "bench/map/code_kernels.h"

#include <stdbool.h>
#include <stdint.h>

// What the kernel must store for threads with even numbers (words[0]) and with odd numbers
// (words[1]): the last values of their chains, and their hash.
struct code_ends {
    uint32_t words[2][CODE_KEPT];
};

// Computes what threads must store after `laps` laps of `instructions` instructions. If `fused` is
// true, each step of a chain rounds once. Otherwise each step rounds the product and then the sum,
// as some compilers do for fma() in GLSL.
void code_replay(uint32_t instructions, uint64_t laps, bool fused, struct code_ends *ends);

#endif
