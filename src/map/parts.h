// SPDX-License-Identifier: MIT
// The parts of a map with cases and results of their own: address translation, bandwidth, the
// instruction caches, and how the latency of a level depends on the core clock.
#ifndef MAP_PARTS_H
#define MAP_PARTS_H

#include "map/cases.h"
#include "map/writer.h"

// What a stage of the plan uses to choose further cases.
struct map_look {
    struct map_cases *cases; // list to which the stage adds its cases
    const struct run *run;   // the results so far
    struct arena *scratch;   // memory for data that only this stage needs
    // The caches of vector loads. Their latency curve has no points in stages that do not use it,
    // and before it is measured.
    const struct map_caches *caches;
    const struct level_curve *pages; // latency of chains with one node per page of 2 MiB, or NULL
    const double *clocks_hz;         // the core clocks that the user asked for
    size_t clock_count;
    bool again; // true: an earlier stage of the same function has added its first cases
};

// ---------------------------------------------------------------- address translation
// The reach of a TLB is the memory whose translations fit into it. The latency of a chain with one
// node in each page of 2 MiB is flat up to this reach. Chains with other distances between nodes
// show the size of a page: one entry of the TLB is enough for all nodes in one page.

// Default distance in bytes between the pages that a latency chain visits. Chains with this
// distance show the reach of a TLB.
#define MAP_PAGE_BYTES (UINT64_C(2) << 20)

// Adds latency cases with one node per page of 2 MiB. Their regions range from 16 MiB to half of
// the device's memory, or to the largest region that such a chain can address if this is smaller.
// Adds none on a CPU, because its operating system chooses the page size.
void map_translation_add_cases(const struct map_look *look);

// Adds the chains that show the page size of a TLB. Adds none if look->pages does not show the
// reach of a TLB.
void map_pages_add_cases(const struct map_look *look);

// If the probes of map_pages_add_cases show that pages are smaller than 2 MiB, adds chains with one
// node in each page. These chains show the reach of a TLB for such pages.
void map_reach_add_cases(const struct map_look *look);

// Adds the results `what=tlb` from `curve`, the latency curve of chains with one node per page. If
// pages are smaller than 2 MiB and the chains of map_reach_add_cases show an end, uses these chains
// instead. Each flat part that ends gives one result, because its end is the reach of a TLB. A last
// flat part gives a result without a level number, for loads that miss all TLBs. If nothing ends,
// adds only a skipped result with the reason.
void map_add_translation(const struct map_writer *w, const struct level_curve *curve);

// ---------------------------------------------------------------- bandwidth
// The bandwidth of a level is what reads of neighbouring sizes within the level have in common (a
// plateau). Each cache of a level must get all data that is read, but a scheduler may assign
// workgroups to 2, 3, 4, 6, 8 … caches in turn. So the data is read in a number of parts that is
// not divisible by 2 or 3.

// Adds the bandwidth cases: reads within each level of the latency curve, and reads of memory far
// beyond the last level.
void map_bandwidth_add_cases(const struct map_look *look);

// Adds two read bandwidths of level k (counted from 0) to `result`: one for the whole device, and
// one for one workgroup. If a bandwidth is unknown, adds the reason. The last level is memory. For
// a cache, also adds the number of such caches on the device; `result` must already have the metric
// `sharers` or the reason why it is unknown.
void map_add_bandwidth(const struct map_writer *w, struct result *result,
                       const struct level_curve *curve, const struct map_size *sizes, size_t k);

// ---------------------------------------------------------------- caches of instructions

// Adds cases of straight-line code with the lengths that the instruction curve (time per
// instruction over the code's length) needs next: first 64 to 32768 instructions, then lengths
// around each end of a level that is not known to 3 %. Adds none on CPUs and simulated GPUs, where
// code shows no instruction caches.
void map_code_add_cases(const struct map_look *look);

// Adds the results of the path "instruction": its levels (the instruction caches) and the memory
// after them, or the reason why no level is known.
void map_add_code(const struct map_writer *w);

// ---------------------------------------------------------------- clocks
// Each level's latency is fitted as a + b / core clock. If the user asked for core clocks, the fit
// uses chains within the level at each of these clocks. Otherwise it uses the curve's cases and the
// clocks at which they ran.

// Reads the core clocks of the setting clock=LIST (MHz) from the request. Stores them in Hz in *hz
// (in `arena`) and their number in *count. Without this setting, both stay unchanged.
//
// Fails with ERROR_USAGE if there is any other setting, if LIST has more than 16 clocks, if a clock
// is not from 1 to 100000 MHz, or if the highest is less than 5 % above the lowest.
MUST_CHECK bool map_clocks_read(struct arena *arena, const struct choice_request *request,
                                const double **hz, size_t *count, struct error *err);

// Adds latency chains at each of the core clocks that the user asked for: within each level of the
// curve, and in memory. For each level they have one or two region sizes.
void map_clocks_add_cases(const struct map_look *look);

// Adds to `result` how the latency of level k (counted from 0) depends on the core clock: the
// metrics `fixed` and `clocked` and the detail "clock domain". If the user asked for core clocks,
// the detail "clocks" lists each of them with the clock at which the device ran.
void map_add_clock(const struct map_writer *w, struct result *result,
                   const struct level_curve *curve, size_t k);

// Adds the remark `low-clock` to each result from index `first` on whose latency in ns was measured
// below the highest core clock. The latency in cycles gets no remark, because for a level that runs
// at the core clock it does not depend on this clock.
void map_remark_low_clocks(const struct map_writer *w, size_t first);

// Adds a finding "clock-not-reached" for each requested clock that the device missed by more than 2
// %. The finding's value is the clock in Hz at which the device ran.
void map_add_unreached_clocks(const struct map_writer *w);

#endif
