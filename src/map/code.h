// SPDX-License-Identifier: MIT
// The caches of instructions: which lengths of straight-line code `map` runs (bench/map/code.h),
// and what the curve over them says.
#ifndef MAP_CODE_H
#define MAP_CODE_H

#include "map/found.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MAP_CODE_LENGTHS_MAX = 64
};

// Whether the device is asked; else *why is a sentence part.
bool map_code_is_asked(const struct gpu_info *device, const char **why);

// The cases that the curve, as far as it is measured, asks for, in `arena`: of four lengths an
// octave, from 64 instructions to 32768, where it has no points; then of more lengths about the
// ends that it shows, where they are not known to 3 %. Returns how many.
size_t map_code_plan(struct arena *arena, const struct gpu_info *device,
                     const struct benchmark_info *map, const struct level_curve *curve,
                     struct bench_case *cases[MAP_CODE_LENGTHS_MAX]);

// The time of an instruction over log2 of the length, in `arena`; .count 0 where nothing was
// measured.
struct level_curve map_code_curve(struct arena *arena, const struct run *run, const char *device);

// Bytes of an instruction of that code; 0: not known.
//   what the driver says of the compiled code, where it does (AMD's differ: 8 or 12 bytes)
//   NVIDIA since Volta, the oldest in the table of architectures: 16 (Jia, Maggioni, Staiger,
//   Scarpazza, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking",
//   arXiv:1804.06826, 2018: words of 128 bits)
double map_code_instruction_bytes(const struct map_finder *f, const struct level_curve *curve);

// Bytes of the first so many multiply-adds of the code and of the two instructions after each
// stretch that ask whether it was the last.
double map_code_bytes(double instructions, double instruction_bytes);

// Adds what was found: levels of the path "instruction", and what lies behind them; or why none is
// told.
void map_add_code(const struct map_finder *f);

#endif
