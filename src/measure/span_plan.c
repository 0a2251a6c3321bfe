// SPDX-License-Identifier: MIT
#include "measure/span_plan.h"

#include "math/stats.h"

#include <math.h>

static const double steps_wanted = 1000;
static const double still_rising = 0.005;

double span_wanted_ns(uint64_t asked_ns, double stamp_step_ns)
{
    double wanted_ns = fmax((double)asked_ns, steps_wanted * stamp_step_ns);
    return fmin(wanted_ns, SPAN_LONGEST_NS);
}

uint64_t span_next_repeats(const struct span_size *size, uint64_t repeats, double took_ns)
{
    if (took_ns >= size->wanted_ns || repeats >= size->repeats_max)
        return repeats;
    double shortest_ns = fmax(took_ns, 1), growth = 1.1 * size->wanted_ns / shortest_ns;
    growth = fmin(fmax(growth, 2), 16);
    double next = ceil((double)repeats * growth);
    next = fmin(next, floor((double)repeats * (SPAN_LONGEST_NS / shortest_ns)));
    next = fmin(next, (double)size->repeats_max);
    return next > (double)repeats ? (uint64_t)next : repeats;
}

bool span_warm(struct span_warmth *warmth, double took_ns)
{
    bool faster = warmth->best_ns > 0 && took_ns < warmth->best_ns * (1 - still_rising);
    bool first = !(warmth->best_ns > 0);
    warmth->calm_runs = first || faster ? 0 : warmth->calm_runs + 1;
    warmth->best_ns = first ? took_ns : fmin(warmth->best_ns, took_ns);
    warmth->spent_ns += took_ns;
    unsigned wanted = warmth->calm_wanted ? warmth->calm_wanted : 2;
    return (warmth->calm_runs >= wanted && warmth->spent_ns >= warmth->least_ns) ||
           warmth->spent_ns >= SPAN_WARM_MOST_NS;
}

bool span_another(unsigned asked, uint64_t asked_ns, size_t taken, double spent_ns)
{
    if (taken >= (asked ? asked : 1))
        return false;
    return taken < SPAN_SAMPLES_LEAST || asked_ns == 0 ||
           spent_ns < (double)SPAN_LONG * asked * (double)asked_ns;
}

static double hz_between(const struct measure_clock *clock, struct clock_stamp a,
                         struct clock_stamp b)
{
    double cycles = (double)measure_clock_delta(a.core, b.core, clock->counter_bits);
    double ticks = (double)measure_clock_delta(a.device, b.device, clock->device_bits);
    return ticks > 0 ? cycles * 1e9 / (ticks * clock->device_tick_ns) : NAN;
}

// Rates over the whole span, of each core that stamped on both sides.
static size_t hz_by_core(const struct measure_clock *clock, const struct span_stamps *stamps,
                         double *hz)
{
    size_t found = 0;
    for (uint32_t after = 0; after < stamps->groups; after++) {
        uint32_t core = clock_kernel_core(stamps->after, 1, after), before = 0;
        while (before < stamps->groups && clock_kernel_core(stamps->before, 1, before) != core)
            before++;
        if (before == stamps->groups)
            continue;
        double rate = hz_between(clock, clock_kernel_stamp(stamps->before, 1, before, 0),
                                 clock_kernel_stamp(stamps->after, 1, after, 0));
        if (isfinite(rate))
            hz[found++] = rate;
    }
    return found;
}

static size_t hz_by_wait(const struct measure_clock *clock, const uint32_t *words,
                         const struct span_stamps *stamps, double *hz)
{
    size_t found = 0;
    for (uint32_t group = 0; group < stamps->groups; group++) {
        double rate =
            hz_between(clock, clock_kernel_stamp(words, stamps->stamps, group, 0),
                       clock_kernel_stamp(words, stamps->stamps, group, stamps->stamps - 1));
        if (isfinite(rate))
            hz[found++] = rate;
    }
    return found;
}

double span_core_hz(struct arena *scratch, const struct measure_clock *clock,
                    const struct span_stamps *stamps)
{
    struct arena_mark mark = arena_mark(scratch);
    double *hz = ARENA_ARRAY(scratch, 2 * (size_t)stamps->groups, double);
    size_t found;
    if (stamps->stamps == 1) {
        found = hz_by_core(clock, stamps, hz);
    } else {
        found = hz_by_wait(clock, stamps->before, stamps, hz);
        found += hz_by_wait(clock, stamps->after, stamps, hz + found);
    }
    double median = stats_median(hz, found);
    arena_rewind(scratch, mark);
    return median;
}
