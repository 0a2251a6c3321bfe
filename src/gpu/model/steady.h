// SPDX-License-Identifier: MIT
// What a stream of loads reaches on a model in its steady state, from a description of it: as many
// loads as a measurement of bandwidth makes nobody can simulate one by one.
#ifndef GPU_MODEL_STEADY_H
#define GPU_MODEL_STEADY_H

#include "gpu/model/machine.h"

// Cores that go round and round through a region each, line after line.
struct model_stream {
    uint32_t cores;
    uint64_t region_bytes;    // of each core
    uint64_t in_flight_bytes; // of each core, under way at a time; 0: as many as it takes
};

struct model_steady {
    uint32_t level;         // that has what is loaded; level_count: memory
    double bytes_per_cycle; // of all cores together; 0: the file tells no bandwidth
};

// In a lap through more than a cache holds, the line that is wanted next is the one that was
// dropped last: so a level serves all of the stream or nothing of it. Then the rate is the least of
//   what is under way over the latency of the level that serves (Little, Operations Research 9,
//   1961), and each core's and the chip's bandwidth of that level and of all before it.
struct model_steady model_steady_solve(const struct model_machine *machine,
                                       const struct model_stream *stream);

#endif
