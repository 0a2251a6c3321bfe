// SPDX-License-Identifier: MIT
#include "gpu/model/steady.h"

#include "base/divisor.h"

#include <math.h>

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

// Returns the largest number of workgroups that `sharers` neighbouring cores run in all. An
// incomplete last round is spread evenly over the cores.
static uint64_t groups_of(const struct model_machine *machine, uint64_t groups, uint64_t sharers)
{
    uint64_t cores = machine->cores, last = groups % cores;
    return groups / cores * sharers + (last * sharers + cores - 1) / cores;
}

static uint64_t sharers_of(const struct model_machine *machine,
                           const struct model_cache_desc *level)
{
    return level->sharers ? level->sharers : machine->cores;
}

// Returns the bytes of the stream that the cores of one cache access. Bytes that several of these
// cores access count once.
static double footprint(const struct model_machine *machine, const struct model_cache_desc *level,
                        const struct model_stream *stream)
{
    uint64_t sharers = sharers_of(machine, level);
    uint64_t row = divisor_common(stream->places, machine->cores);
    uint64_t seen = stream->places / row * least(sharers, row);
    return (double)least(seen, groups_of(machine, stream->groups, sharers)) *
           (double)stream->place_bytes;
}

static bool serves(const struct model_machine *machine, const struct model_cache_desc *level,
                   const struct model_stream *streams, size_t count)
{
    double all = 0;
    for (size_t i = 0; i < count; i++) {
        if (streams[i].past_core && level->sharers == 1)
            return false;
        all += footprint(machine, level, &streams[i]);
    }
    return all <= (double)level->capacity_bytes;
}

// Returns the bytes in flight of all groups on a core; 0 if there is no limit.
static double in_flight(const struct model_machine *machine, const struct model_stream *streams,
                        size_t count)
{
    double all = 0;
    for (size_t i = 0; i < count; i++) {
        const struct model_stream *stream = &streams[i];
        uint64_t room = stream->group_threads && stream->group_threads <= machine->core_threads
                            ? machine->core_threads / stream->group_threads
                            : 1;
        if (!stream->in_flight_bytes)
            return 0;
        all +=
            (double)(least(room, groups_of(machine, stream->groups, 1)) * stream->in_flight_bytes);
    }
    return all;
}

// Returns the number of cycles that a level needs if each workgroup moves `moved` bytes. This is
// the larger of two numbers: the cycles at the bandwidth of a core, and the cycles at the bandwidth
// of the chip. An unknown bandwidth gives 0 cycles.
static double cycles_of(const struct model_machine *machine, const struct model_cache_desc *level,
                        uint64_t groups, double moved)
{
    uint64_t sharers = sharers_of(machine, level);
    double caches = ceil((double)machine->cores / (double)sharers), core = 0, chip = 0;
    if (level->core_bytes_per_cycle > 0)
        core = (double)groups_of(machine, groups, 1) * moved / level->core_bytes_per_cycle;
    if (level->chip_bytes_per_cycle > 0)
        chip = (double)groups_of(machine, groups, sharers) * moved * caches /
               level->chip_bytes_per_cycle;
    return fmax(core, chip);
}

struct model_steady model_steady_solve(const struct model_machine *machine,
                                       const struct model_stream *streams, size_t count,
                                       double core_hz)
{
    struct model_steady steady = {.level = 0};
    const struct model_cache_desc *level = &machine->levels[0];
    uint64_t groups = count ? streams[0].groups : 0;
    double moved = 0;
    for (size_t i = 0; i < count; i++)
        moved += (double)streams[i].group_bytes;
    for (;; level++) {
        bool is_memory = steady.level == machine->level_count;
        if (is_memory)
            level = &machine->memory;
        steady.cycles = fmax(steady.cycles, cycles_of(machine, level, groups, moved));
        if (is_memory || serves(machine, level, streams, count))
            break;
        steady.level++;
    }
    double latency = level->latency_cycles + level->latency_ns * core_hz / 1e9;
    double under_way = in_flight(machine, streams, count);
    if (under_way > 0)
        steady.cycles = fmax(steady.cycles,
                             (double)groups_of(machine, groups, 1) * moved / under_way * latency);
    steady.cycles += latency;
    steady.has_bandwidth =
        groups > 0 && (level->core_bytes_per_cycle > 0 || level->chip_bytes_per_cycle > 0);
    return steady;
}
