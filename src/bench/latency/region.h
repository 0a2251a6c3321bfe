// SPDX-License-Identifier: MIT
// The memory that chains are built in, kept between visits and shared by all cases: made for every
// case, 4 GiB would cost more than measuring in them.
#ifndef BENCH_LATENCY_REGION_H
#define BENCH_LATENCY_REGION_H

#include "bench/latency/case.h"

enum {
    LATENCY_REGION_CLASSES = 3, // what most cases need, what the largest need, what pages need
    LATENCY_CHUNKS_MAX = 1024
};

// One buffer, or, for pointer chains over pages, which go beyond the largest allocation, as many
// chunks of one size as it takes. Kernels find the chunks' addresses in the directory.
struct latency_region {
    struct gpu_buffer *chunks[LATENCY_CHUNKS_MAX];
    uint64_t addresses[LATENCY_CHUNKS_MAX]; // where the chain's part in it begins
    size_t chunk_count;
    uint64_t chunk_bytes;
    struct gpu_buffer *directory; // NULL where the device has no ADDRESSES
};

struct latency_regions {
    struct latency_region *classes[LATENCY_REGION_CLASSES]; // NULL: not needed yet
};

// Memory for the point's chain of `bytes`; what it holds lasts until the next visit. Objects belong
// to `session`'s scope.
struct latency_region *latency_region(struct latency_regions *regions,
                                      struct bench_session *session,
                                      const struct latency_case *this_case, uint64_t bytes,
                                      struct error *err);

#endif
