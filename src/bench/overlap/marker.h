// SPDX-License-Identifier: MIT
// The published tool's way of seeing: the first workgroup of a workload, or subgroup of a draw, to
// begin, and the last one to end, write a word into host memory, and the host looks at these words
// without a break. Frames that leave markers are apart from those that are measured; they are there
// to hold the device's stamps against the host's clock.
#ifndef BENCH_OVERLAP_MARKER_H
#define BENCH_OVERLAP_MARKER_H

#include "base/error.h"
#include "bench/overlap/scenario.h"
#include "gpu/gpu.h"

enum overlap_mark {
    OVERLAP_MARK_START,
    OVERLAP_MARK_END,
    OVERLAP_MARK_COUNT
};

// In ns since the hold was released: when the marker was seen, be it only when all was done, and
// when it was last looked for in vain.
struct overlap_sight {
    bool seen;
    double seen_ns, look_ns;
};

struct overlap_markers {
    struct gpu_buffer *counters, *words;
    const volatile uint32_t *map; // of words
    uint32_t frames;              // marked so far: each counts every workgroup, or pixel, once more
    struct overlap_sight sights[OVERLAP_WORKLOADS_MAX][OVERLAP_MARK_COUNT]; // of the last frame
};

MUST_CHECK bool overlap_markers_init(struct overlap_markers *markers, struct gpu_scope *scope,
                                     struct error *err);

struct overlap_watch {
    uint32_t workloads;   // bit set of those that leave markers
    uint32_t token;       // what a marker becomes
    uint64_t released_ns; // by the host's clock
    struct gpu_batch *batches[OVERLAP_WORKLOADS_MAX];
    size_t batch_count;
    uint64_t timeout_ns;
};

// Looks until all markers were seen, the batches are done, or the time is over.
void overlap_markers_watch(struct overlap_markers *markers, const struct overlap_watch *watch);

// How sights and stamps agree. A device moment d is the host's moment d + offset, where the offset
// is at least what the release gives (nothing begins before it) and at most what the earliest sight
// gives (nothing is seen before it is). A sight agrees where it comes no later than the time since
// the last look, plus what the offset is not known to, plus the stamps' own resolution.
struct overlap_agreement {
    size_t markers, seen, agreed;
    double offset_low_ns, offset_high_ns; // host since release, minus device since its first start
    double sweep_ns;                      // the longest time between two looks at a marker
    double bars_ns;                       // the largest difference between lengths of a bar
    bool early;                           // a marker was seen before the release allows
};

struct overlap_bars {
    const double *start_ns, *end_ns; // by the device's stamps, since the first start
    uint32_t workloads;              // bit set of those that leave markers
    double resolution_ns;
};
struct overlap_agreement overlap_markers_agree(const struct overlap_markers *markers,
                                               const struct overlap_bars *bars);

#endif
