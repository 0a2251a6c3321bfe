// SPDX-License-Identifier: MIT
// The parts of a map that have cases and results of their own: address translation, the caches of
// instructions, and the clock that a level runs by.
#ifndef MAP_PARTS_H
#define MAP_PARTS_H

#include "map/cases.h"
#include "map/writer.h"

// ---------------------------------------------------------------- address translation
// The reach of a TLB is where a chain with one node in each page of 2 MiB is no longer flat. The
// size of its pages comes from chains over pages that are nearer to each other or farther apart:
// one entry serves as many of them as lie in one page.

#define MAP_PAGE_BYTES (UINT64_C(2) << 20) // latency's default, by which the reach is found

// Adds the chains from 16 MiB to the largest region that chains over pages may cover; none on a
// CPU, where the operating system chooses the size of a page.
void map_translation_add_cases(struct map_cases *cases);

// Adds the chains that show the size of a page, for the reach that the curve shows; `curve` may be
// NULL.
void map_pages_add_cases(struct map_cases *cases, const struct level_curve *curve);

// Adds one result for each end of the curve, with the memory that is reached up to there; then one
// without a level, for loads that no TLB serves. If the curve shows no end, that one is skipped,
// and its reason says why.
void map_add_translation(const struct map_writer *w, const struct level_curve *curve);

// ---------------------------------------------------------------- caches of instructions

// The time of an instruction over log2 of the length of the code, in `arena`; count 0 if no code
// was measured.
struct level_curve map_code_curve(struct arena *arena, const struct run *run, const char *device);

// Adds code of the lengths that the curve, as far as it is measured, asks for: four lengths an
// octave, from 64 instructions to 32768, while it has no points; then more lengths about the ends
// that it shows and that are not known to 3 %. None where code shows no caches: on CPUs and models.
void map_code_add_cases(struct map_cases *cases, const struct level_curve *curve);

// Adds the levels of the path "instruction" and what lies behind them, or why none is known.
void map_add_code(const struct map_writer *w);

// ---------------------------------------------------------------- clocks
// latency = a + b / core clock, for each level: from chains within the level at each core clock
// that the user asked for; without such clocks from the clocks that the cases of the curve ran at.

// The clocks, in Hz, of clock=LIST among the request's settings, in `arena`. Without that setting
// *count stays. ERROR_USAGE as map_settings_check.
MUST_CHECK bool map_clocks_read(struct arena *arena, const struct choice_request *request,
                                const double **hz, size_t *count, struct error *err);

// Adds chains of two regions in each level and behind the last, at each of the clocks; `curve` may
// be NULL.
void map_clocks_add_cases(struct map_cases *cases, const struct level_curve *curve,
                          const double *hz, size_t count);

// Adds `fixed`, `clocked` and the detail "clock domain" of level k, counted from 0; and the detail
// "clocks", if clocks were asked for: which, and what the device ran at.
void map_add_clock(const struct map_writer *w, struct result *result,
                   const struct level_curve *curve, size_t k);

// Adds a finding "clock-not-reached" for each clock that was asked for while the device ran at
// another one, more than 2 % away; value: that other clock, Hz.
void map_add_unreached_clocks(const struct map_writer *w);

#endif
