// SPDX-License-Identifier: MIT
// Computes on the host what the kernels of cases `what=code` must compute, instruction by
// instruction.
#ifndef BENCH_MAP_CODE_REPLAY_H
#define BENCH_MAP_CODE_REPLAY_H

#include "bench/map/code_kernels.h"

#include <stdbool.h>
#include <stdint.h>

// The words that a thread must store: the last values of its chains, and their hash. words[0] is
// for threads with even numbers, words[1] for threads with odd numbers.
struct code_ends {
    uint32_t words[2][CODE_KEPT];
};

// Computes the words that threads must store after `laps` laps of `instructions` instructions. If
// `fused` is true, each step of a chain rounds once. Otherwise it rounds twice, the product and
// then the sum, as some compilers do for fma() in GLSL.
void code_replay(uint32_t instructions, uint64_t laps, bool fused, struct code_ends *ends);

#endif
