// SPDX-License-Identifier: MIT
#include "gpu/model/steady.h"

#include <math.h>

static bool holds(const struct model_machine *machine, const struct model_cache_desc *level,
                  const struct model_stream *stream)
{
    uint32_t sharers = level->sharers ? level->sharers : machine->cores;
    uint64_t common = stream->cores < sharers ? stream->cores : sharers;
    return stream->region_bytes <= level->capacity_bytes / common;
}

// The least of the bandwidths that are told.
static double at_most(double rate, double bandwidth)
{
    return bandwidth > 0 ? fmin(rate, bandwidth) : rate;
}

struct model_steady model_steady_solve(const struct model_machine *machine,
                                       const struct model_stream *stream)
{
    struct model_steady steady = {.level = 0};
    double core = (double)INFINITY, chip = (double)INFINITY;
    const struct model_cache_desc *level = &machine->levels[0];
    for (;; level++) {
        bool is_memory = steady.level == machine->level_count;
        if (is_memory)
            level = &machine->memory;
        core = at_most(core, level->core_bytes_per_cycle);
        chip = at_most(chip, level->chip_bytes_per_cycle);
        if (is_memory || holds(machine, level, stream))
            break;
        steady.level++;
    }
    double latency = level->latency_cycles + level->latency_ns * machine->core_clock_hz / 1e9;
    core = at_most(core, (double)stream->in_flight_bytes / latency);
    double all = fmin(core * stream->cores, chip);
    steady.bytes_per_cycle = isfinite(all) ? all : 0;
    return steady;
}
