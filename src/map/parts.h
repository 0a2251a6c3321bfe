// SPDX-License-Identifier: MIT
// The parts of a map that have cases and results of their own: address translation, bandwidth, the
// instruction caches, and the clock that a level runs by.
#ifndef MAP_PARTS_H
#define MAP_PARTS_H

#include "map/cases.h"
#include "map/writer.h"

// ---------------------------------------------------------------- address translation
// The reach of a TLB is the region up to which the latency of a chain with one node in each page of
// 2 MiB is flat. The size of its pages comes from chains over pages that are nearer to each other
// or farther apart: one entry serves as many of them as lie in one page.

#define MAP_PAGE_BYTES (UINT64_C(2) << 20) // default `page` of latency; its chain shows the reach

// Adds the chains from 16 MiB to the largest region that chains over pages may cover; none on a
// CPU, where the operating system chooses the size of a page.
void map_translation_add_cases(struct map_cases *cases);

// Adds the chains that show the size of a page, for the reach that the curve shows; none if it
// shows no reach or `curve` is NULL.
void map_pages_add_cases(struct map_cases *cases, const struct level_curve *curve);

// Adds one result for each end of the curve, with the size of the region up to which the TLB
// reaches; then a result without a level, for loads that no TLB serves. If the curve shows no end,
// the result without a level is skipped, and its reason says why.
void map_add_translation(const struct map_writer *w, const struct level_curve *curve);

// ---------------------------------------------------------------- bandwidth
// The bandwidth of a level is the plateau of reads with several sizes within the level. Where
// several caches form a level, each of them has to hold all that is read: the number of parts that
// workgroups read has no factor 2 or 3, so a scheduler that deals workgroups to 2, 3, 4, 6, 8 …
// caches in turn brings every part to every cache.

// Adds reads within each level of the curve and far beyond the last; none if `curve` is NULL.
// `sizes`: from map_level_sizes.
void map_bandwidth_add_cases(struct map_cases *cases, const struct level_curve *curve,
                             const struct map_size *sizes);

// Adds the bandwidth of level k, counted from 0, or of what follows the last: of the whole device
// and of one workgroup, or why they are unknown. To be called after the level's sharers are known.
void map_add_bandwidth(const struct map_writer *w, struct result *result,
                       const struct level_curve *curve, const struct map_size *sizes, size_t k);

// ---------------------------------------------------------------- caches of instructions

// The curve of the time per instruction over log2 of the code's length, in `arena`. Its count is 0
// if no code was measured.
struct level_curve map_code_curve(struct arena *arena, const struct run *run, const char *device);

// Adds code of the lengths that the curve needs next. If the curve has no points: four lengths per
// octave from 64 to 32768 instructions; else more lengths about each end that is not known to 3 %.
// None on CPUs and models, where code shows no caches.
void map_code_add_cases(struct map_cases *cases, const struct level_curve *curve);

// Adds the levels of the path "instruction" and the memory after them, or why no level is known.
void map_add_code(const struct map_writer *w);

// ---------------------------------------------------------------- clocks
// latency = a + b / core clock, for each level. The fit uses chains within the level at each core
// clock that the user asked for; without such clocks, the curve's cases and the clocks at which
// they ran.

// The clocks, in Hz, of clock=LIST among the request's settings, in `arena`. Without that setting,
// *count is not changed. ERROR_USAGE as map_settings_check.
MUST_CHECK bool map_clocks_read(struct arena *arena, const struct choice_request *request,
                                const double **hz, size_t *count, struct error *err);

// Adds chains of two regions in each level and beyond the last, at each of the clocks `hz`; none if
// `curve` is NULL.
void map_clocks_add_cases(struct map_cases *cases, const struct level_curve *curve,
                          const double *hz, size_t count);

// Adds `fixed`, `clocked` and the detail "clock domain" of level k, counted from 0; and the detail
// "clocks", if clocks were asked for: these clocks, and those at which the device ran.
void map_add_clock(const struct map_writer *w, struct result *result,
                   const struct level_curve *curve, size_t k);

// Adds a finding "clock-not-reached" for each requested clock that the device missed by over 2 %.
// Its value is the clock in Hz at which the device ran.
void map_add_unreached_clocks(const struct map_writer *w);

#endif
