// SPDX-License-Identifier: MIT
#include "measure/clock_evidence.h"

#include "base/divisor.h"
#include "math/stats.h"

#include <math.h>

static const double snap = 0.02;
static const uint64_t no_narrow_counter = UINT64_C(1) << 25;
static const double slowest_core_hz = 150e6;

enum which_clock {
    CORE,
    DEVICE
};

static uint64_t reading(const struct clock_run *run, size_t stamp, enum which_clock which)
{
    return which == CORE ? run->stamps[stamp].core : run->stamps[stamp].device;
}

static uint64_t highest_reading(const struct clock_run *runs, size_t count, enum which_clock which)
{
    uint64_t highest = 0;
    for (size_t r = 0; r < count; r++)
        for (size_t s = 0; s < runs[r].count; s++)
            if (reading(&runs[r], s, which) > highest)
                highest = reading(&runs[r], s, which);
    return highest;
}

static bool has_wrapped(const struct clock_run *runs, size_t count, uint64_t highest)
{
    for (size_t r = 0; r < count; r++)
        for (size_t s = 0; s + 1 < runs[r].count; s++) {
            uint64_t now = runs[r].stamps[s].core, next = runs[r].stamps[s + 1].core;
            if (next < now && now - next > highest / 2)
                return true;
        }
    return false;
}

unsigned clock_evidence_bits(const struct clock_run *runs, size_t count)
{
    uint64_t highest = highest_reading(runs, count, CORE);
    if (highest > UINT32_MAX)
        return 64;
    if (has_wrapped(runs, count, highest)) {
        unsigned bits = 0;
        for (; highest; highest >>= 1)
            bits++;
        return bits;
    }
    return highest >= no_narrow_counter ? 32 : 0;
}

static double step_of(const struct clock_run *runs, size_t count, enum which_clock which,
                      unsigned bits)
{
    uint64_t step = 0;
    for (size_t r = 0; r < count; r++)
        for (size_t s = 0; s + 1 < runs[r].count; s++)
            step = divisor_common(step, measure_clock_delta(reading(&runs[r], s, which),
                                                            reading(&runs[r], s + 1, which), bits));
    return (double)step;
}

// Ticks from stamp `first` to `last`, wraps in between counted.
static double ticks_between(const struct clock_run *run, size_t first, size_t last,
                            enum which_clock which, unsigned bits)
{
    double ticks = 0;
    for (size_t s = first; s < last; s++)
        ticks +=
            (double)measure_clock_delta(reading(run, s, which), reading(run, s + 1, which), bits);
    return ticks;
}

static double all_ticks(const struct clock_run *run, unsigned bits)
{
    return ticks_between(run, 0, run->count - 1, CORE, bits);
}

static uint32_t most_turns(const struct clock_run *runs, size_t count)
{
    uint32_t most = 0;
    for (size_t r = 0; r < count; r++)
        if (runs[r].turns > most)
            most = runs[r].turns;
    return most;
}

// Smallest (span − overhead) / ticks of the runs with `turns` turns.
static double smallest_tick_ns(const struct clock_run *runs, size_t count, unsigned bits,
                               uint32_t turns, double overhead_ns)
{
    double smallest = INFINITY;
    for (size_t r = 0; r < count; r++)
        if (runs[r].turns == turns)
            smallest = fmin(smallest, (runs[r].span_ns - overhead_ns) / all_ticks(&runs[r], bits));
    return smallest;
}

static double tick_against_spans(const struct clock_run *runs, size_t count, unsigned bits)
{
    uint32_t turns = most_turns(runs, count);
    double tick_ns = smallest_tick_ns(runs, count, bits, turns, 0), overhead_ns = INFINITY;
    for (size_t r = 0; r < count; r++)
        if (runs[r].turns == 0)
            overhead_ns = fmin(overhead_ns, runs[r].span_ns - tick_ns * all_ticks(&runs[r], bits));
    return smallest_tick_ns(runs, count, bits, turns, fmax(overhead_ns, 0));
}

static double snapped_to(double value, double nominal)
{
    return fabs(value - nominal) <= snap * nominal ? nominal : value;
}

// The device's last reading in a run, as ticks since its first reading of all.
static double ticks_since_begin(const struct clock_run *runs, size_t run, unsigned bits)
{
    const struct clock_run *at = &runs[run];
    return (double)measure_clock_delta(runs[0].stamps[0].device, at->stamps[at->count - 1].device,
                                       bits);
}

// Of runs first … end−1, the one that the host saw done soonest after its last stamp.
static size_t soonest_seen(const struct clock_run *runs, size_t first, size_t end, unsigned bits,
                           double tick_ns)
{
    size_t best = first;
    double least = INFINITY;
    for (size_t r = first; r < end; r++) {
        double late_ns = runs[r].seen_ns - ticks_since_begin(runs, r, bits) * tick_ns;
        if (late_ns < least) {
            least = late_ns;
            best = r;
        }
    }
    return best;
}

static double tick_between(const struct clock_run *runs, size_t a, size_t b, unsigned bits)
{
    return (runs[b].seen_ns - runs[a].seen_ns) /
           (ticks_since_begin(runs, b, bits) - ticks_since_begin(runs, a, bits));
}

static double tick_against_host(const struct clock_run *runs, size_t count, unsigned bits)
{
    double tick_ns = tick_between(runs, 0, count - 1, bits);
    size_t a = soonest_seen(runs, 0, count / 3, bits, tick_ns);
    size_t b = soonest_seen(runs, count - count / 3, count, bits, tick_ns);
    return tick_between(runs, a, b, bits);
}

static double core_ticks_per_device_tick(struct arena *scratch, const struct clock_run *runs,
                                         size_t count, const struct measure_clock *clock)
{
    uint32_t turns = most_turns(runs, count);
    size_t room = 0, found = 0;
    for (size_t r = 0; r < count; r++)
        room += runs[r].count;
    struct arena_mark mark = arena_mark(scratch);
    double *ratios = ARENA_ARRAY(scratch, room, double);
    for (size_t r = 0; r < count; r++) {
        const struct clock_run *run = &runs[r];
        size_t half = run->count / 2;
        for (size_t s = 0; run->turns == turns && s + half < run->count; s++) {
            double device = ticks_between(run, s, s + half, DEVICE, clock->device_bits);
            if (device > 0)
                ratios[found++] =
                    ticks_between(run, s, s + half, CORE, clock->counter_bits) / device;
        }
    }
    double median = stats_median(ratios, found);
    arena_rewind(scratch, mark);
    return median;
}

static bool counts_core_clock(const struct measure_clock *clock)
{
    if (!clock->has_counter || clock->counter_hz < slowest_core_hz)
        return false;
    if (!clock->has_device_clock)
        return fabs(clock->counter_hz / 1e9 - 1) > 5e-3;
    double step_ns = clock->counter_step * clock->device_tick_ns;
    return fabs(clock->counter_hz * clock->device_tick_ns / 1e9 - 1) > 1e-4 ||
           step_ns != clock->device_step_ns;
}

static double shortest_span_ns(const struct clock_run *runs, size_t count, uint32_t turns)
{
    double shortest = INFINITY;
    for (size_t r = 0; r < count; r++)
        if (runs[r].turns == turns)
            shortest = fmin(shortest, runs[r].span_ns);
    return shortest;
}

void clock_evidence_judge(struct arena *scratch, const struct clock_run *runs, size_t count,
                          double stamp_step_ns, struct measure_clock *clock)
{
    uint32_t turns = most_turns(runs, count);
    double waits = (double)turns * (double)(runs[0].count - 1);
    clock->turn_ns =
        (shortest_span_ns(runs, count, turns) - shortest_span_ns(runs, count, 0)) / waits;
    if (clock->has_device_clock) {
        clock->device_bits = highest_reading(runs, count, DEVICE) > UINT32_MAX ? 64 : 32;
        double tick_ns = tick_against_host(runs, count, clock->device_bits);
        tick_ns = stamp_step_ns > 0 ? snapped_to(tick_ns, stamp_step_ns) : tick_ns;
        clock->device_tick_ns = snapped_to(tick_ns, 1);
        clock->device_step_ns =
            step_of(runs, count, DEVICE, clock->device_bits) * clock->device_tick_ns;
    }
    if (clock->has_counter) {
        unsigned bits = clock_evidence_bits(runs, count);
        clock->counter_bits = bits ? bits : 32;
        clock->counter_step = step_of(runs, count, CORE, clock->counter_bits);
        clock->counter_hz = clock->has_device_clock
                                ? core_ticks_per_device_tick(scratch, runs, count, clock) * 1e9 /
                                      clock->device_tick_ns
                                : 1e9 / tick_against_spans(runs, count, clock->counter_bits);
    }
    clock->counts_core_clock = counts_core_clock(clock);
}
