// SPDX-License-Identifier: MIT
// The parts of a map with cases and results of their own: address translation, bandwidth, the
// instruction caches, and the clock that a level runs by.
#ifndef MAP_PARTS_H
#define MAP_PARTS_H

#include "map/cases.h"
#include "map/writer.h"

// ---------------------------------------------------------------- address translation
// The reach of a TLB is the region up to which the latency of a chain with one node in each page of
// 2 MiB is flat. The size of its pages comes from chains whose nodes are nearer together or farther
// apart: one entry serves all nodes that lie in one page.

#define MAP_PAGE_BYTES (UINT64_C(2) << 20) // default `page` of latency: shows the reach

// Adds the chains over pages, from 16 MiB to the largest region that such chains may cover. Adds
// none on a CPU, where the operating system chooses the size of a page.
void map_translation_add_cases(struct map_cases *cases);

// Adds the chains that show the size of a page, for the reach that the curve shows. Adds none if
// the curve shows no reach or `curve` is NULL.
void map_pages_add_cases(struct map_cases *cases, const struct level_curve *curve);

// Adds one result for each end of the curve, with the size of the region up to which the TLB
// reaches. Then adds a result without a level, for loads that no TLB serves; if the curve shows no
// end, this result is skipped, and its reason says why.
void map_add_translation(const struct map_writer *w, const struct level_curve *curve);

// ---------------------------------------------------------------- bandwidth
// The bandwidth of a level is the plateau of reads with several sizes within the level. If several
// caches form a level, each of them has to hold everything that is read. So the number of parts
// that workgroups read has no factor 2 or 3: a scheduler that deals workgroups to 2, 3, 4, 6, 8 …
// caches in turn then brings every part to every cache.

// Adds reads within each level of the curve and far beyond the last level; none if `curve` is NULL.
// `sizes` comes from map_level_sizes.
void map_bandwidth_add_cases(struct map_cases *cases, const struct level_curve *curve,
                             const struct map_size *sizes);

// Adds the bandwidth of level k, counted from 0, or of the memory after the last level: for the
// whole device and for one workgroup, or why it is unknown. Call it when the level's sharers are
// known.
void map_add_bandwidth(const struct map_writer *w, struct result *result,
                       const struct level_curve *curve, const struct map_size *sizes, size_t k);

// ---------------------------------------------------------------- caches of instructions

// Returns the curve of the time per instruction over log2 of the code's length, in `arena`. Its
// count is 0 if no code was measured.
struct level_curve map_code_curve(struct arena *arena, const struct run *run, const char *device);

// Adds code of the lengths that the curve needs next. If the curve has no points, these are four
// lengths per octave from 64 to 32768 instructions; else they are lengths around each end that is
// not known to 3 %. Adds none on CPUs and models, where code shows no caches.
void map_code_add_cases(struct map_cases *cases, const struct level_curve *curve);

// Adds the levels of the path "instruction" and the memory after them, or the reason why no level
// is known.
void map_add_code(const struct map_writer *w);

// ---------------------------------------------------------------- clocks
// Each level's latency is fitted as a + b / core clock. The fit uses chains within the level at
// each core clock that the user asked for. If none was asked for, it uses the curve's cases and the
// clocks at which they ran.

// Reads the clocks of the setting clock=LIST of the request, in Hz, into `arena`. Without this
// setting, *count is not changed. Fails with ERROR_USAGE like map_settings_check.
MUST_CHECK bool map_clocks_read(struct arena *arena, const struct choice_request *request,
                                const double **hz, size_t *count, struct error *err);

// Adds chains of two regions in each level and beyond the last one, at each of the clocks `hz`.
// Adds none if `curve` is NULL.
void map_clocks_add_cases(struct map_cases *cases, const struct level_curve *curve,
                          const double *hz, size_t count);

// Adds the metrics `fixed` and `clocked` and the detail "clock domain" for level k, counted from 0.
// If clocks were asked for, also adds the detail "clocks": these clocks, and those at which the
// device ran.
void map_add_clock(const struct map_writer *w, struct result *result,
                   const struct level_curve *curve, size_t k);

// Adds a finding "clock-not-reached" for each requested clock that the device missed by more than 2
// %. The finding's value is the clock in Hz at which the device ran.
void map_add_unreached_clocks(const struct map_writer *w);

#endif
