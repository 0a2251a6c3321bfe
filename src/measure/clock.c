// SPDX-License-Identifier: MIT
#include "measure/clock.h"

#include "base/divisor.h"
#include "math/stats.h"
#include "measure/clock_kernel.h"

#include <math.h>
#include <stdlib.h>

uint64_t measure_clock_delta(uint64_t a, uint64_t b, unsigned bits)
{
    uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    return (b - a) & mask;
}

unsigned measure_clock_low_bits(const struct measure_clock *clock)
{
    return clock->counter_bits == 0 || clock->counter_bits > 32 ? 32 : clock->counter_bits;
}

uint64_t measure_clock_stamp(const uint32_t words[2])
{
    return words[0] | (uint64_t)words[1] << 32;
}

double measure_clock_elapsed_ns(const struct measure_clock *clock, uint64_t from, uint64_t to)
{
    return (double)measure_clock_delta(from, to, clock->device_bits) * clock->device_tick_ns;
}

double measure_clock_offset_ns(const struct measure_clock *clock, uint64_t from, uint64_t to)
{
    uint64_t ticks = measure_clock_delta(from, to, clock->device_bits);
    uint64_t back = measure_clock_delta(to, from, clock->device_bits);
    return (ticks <= back ? (double)ticks : -(double)back) * clock->device_tick_ns;
}

// ---------------------------------------------------------------- the clock kernel

enum {
    STAMP_WORDS = 4,
    // Maximum number of loop iterations in one invocation, at most stamps × (iterations + 9). After
    // 65535, Mesa's software GPU ends all loops without an error (LP_MAX_TGSI_LOOP_ITERATIONS).
    LOOPS_MAX = 65000,
    // Stamps per workgroup in a lead. The kernel's wait between them is the light work.
    LEAD_STAMPS = 2,
    // number of workgroups of the clock kernel if the number of cores is not known
    GROUPS_UNKNOWN = 64,
    GROUPS_MAX = 1024,
    // Alignment of buffer offsets in bytes, enough for all devices whose kernels can read clocks.
    ALIGN_BYTES = 256
};

struct clock_params {
    uint32_t stamps, iterations, never;
};

static uint64_t group_words(uint32_t stamps)
{
    return 1 + (uint64_t)STAMP_WORDS * stamps;
}

uint64_t clock_kernel_bytes(uint32_t groups, uint32_t stamps)
{
    uint64_t bytes = groups * group_words(stamps) * sizeof(uint32_t);
    return (bytes + ALIGN_BYTES - 1) / ALIGN_BYTES * ALIGN_BYTES;
}

uint32_t clock_kernel_iterations(uint32_t stamps)
{
    return LOOPS_MAX / stamps - 9;
}

uint32_t clock_kernel_groups(const struct gpu_info *info)
{
    uint64_t groups = info->limits.cores ? 2 * info->limits.cores : GROUPS_UNKNOWN;
    return groups < GROUPS_MAX ? (uint32_t)groups : GROUPS_MAX;
}

void clock_kernel_dispatch(struct gpu_batch *batch, const struct clock_dispatch *dispatch)
{
    const struct clock_params params = {.stamps = dispatch->stamps,
                                        .iterations = dispatch->iterations};
    gpu_batch_dispatch(
        batch, &(struct gpu_dispatch){
                   .program = dispatch->program,
                   .groups = {dispatch->groups},
                   .args = {{.buffer = dispatch->buffer,
                             .offset = dispatch->offset,
                             .bytes = clock_kernel_bytes(dispatch->groups, dispatch->stamps)}},
                   .params = &params,
                   .params_bytes = sizeof params,
               });
}

uint32_t clock_kernel_core(const uint32_t *words, uint32_t stamps, uint32_t group)
{
    return words[group * group_words(stamps)];
}

struct clock_stamp clock_kernel_stamp(const uint32_t *words, uint32_t stamps, uint32_t group,
                                      uint32_t stamp)
{
    const uint32_t *at = words + group * group_words(stamps) + 1 + (uint64_t)STAMP_WORDS * stamp;
    return (struct clock_stamp){
        .core = measure_clock_stamp(at),
        .device = measure_clock_stamp(at + 2),
    };
}

static int compare_ids(const void *a, const void *b)
{
    const uint32_t *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

unsigned clock_kernel_cores(struct arena *scratch, const uint32_t *words, uint32_t groups)
{
    struct arena_mark mark = arena_mark(scratch);
    uint32_t *ids = ARENA_ARRAY(scratch, groups, uint32_t);
    unsigned cores = 0;
    for (uint32_t group = 0; group < groups; group++)
        ids[group] = clock_kernel_core(words, 1, group);
    qsort(ids, groups, sizeof *ids, compare_ids);
    for (uint32_t i = 0; i < groups; i++)
        cores += i == 0 || ids[i] != ids[i - 1];
    bool all_known = groups > 0 && ids[groups - 1] != UINT32_MAX;
    arena_rewind(scratch, mark);
    return all_known ? cores : 0;
}

// ---------------------------------------------------------------- leads

void measure_clock_lead(const struct measure_clock *clock, struct gpu_batch *batch, uint64_t ns)
{
    if (!clock->program || !clock->stamps || ns == 0)
        return;
    const struct clock_dispatch longest = {
        .program = clock->program,
        .buffer = clock->stamps,
        .groups = (uint32_t)(gpu_buffer_bytes(clock->stamps) / 2 / sizeof(uint32_t) /
                             group_words(LEAD_STAMPS)),
        .stamps = LEAD_STAMPS,
        .iterations = clock_kernel_iterations(LEAD_STAMPS)};
    uint64_t left = (uint64_t)ceil((double)ns / fmax(clock->iteration_ns, 1));
    while (left > 0) {
        struct clock_dispatch dispatch = longest;
        if (left < longest.iterations)
            dispatch.iterations = (uint32_t)left;
        left -= dispatch.iterations;
        clock_kernel_dispatch(batch, &dispatch);
        gpu_batch_barrier(batch, GPU_BARRIER_MEMORY);
    }
}

// ---------------------------------------------------------------- computed from the stamps alone

static const double snap = 0.02;
static const uint64_t no_narrow_counter = UINT64_C(1) << 25;
static const double slowest_core_hz = 150e6;
// The limits are wide, because the host may notice the end of a run late. The host's clock measures
// the device clock and, without a device clock, the time stamps.
static const double stamps_off_allowed = 0.1, dispatch_most_ns = 1e5;

enum {
    // Width in bits of the widest known counter below 64 bits (Arm's generic timer).
    NARROW_BITS_MOST = 56
};

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

static bool advances(const struct clock_run *runs, size_t count, enum which_clock which)
{
    for (size_t r = 0; r < count; r++)
        for (size_t s = 0; s < runs[r].count; s++)
            if (reading(&runs[r], s, which) != reading(&runs[0], 0, which))
                return true;
    return false;
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

static unsigned bits_of(uint64_t value)
{
    unsigned bits = 0;
    for (; value; value >>= 1)
        bits++;
    return bits;
}

// Above NARROW_BITS_MOST the width is 64, because no known counter has between 57 and 63 bits.
static unsigned wide_bits(uint64_t highest)
{
    unsigned bits = bits_of(highest);
    return bits > NARROW_BITS_MOST ? 64 : bits;
}

unsigned clock_evidence_bits(const struct clock_run *runs, size_t count)
{
    uint64_t highest = highest_reading(runs, count, CORE);
    if (highest > UINT32_MAX)
        return wide_bits(highest);
    if (has_wrapped(runs, count, highest))
        return bits_of(highest);
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

// The clock wraps at most once between two successive stamps.
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

static uint32_t most_iterations(const struct clock_run *runs, size_t count)
{
    uint32_t most = 0;
    for (size_t r = 0; r < count; r++)
        if (runs[r].iterations > most)
            most = runs[r].iterations;
    return most;
}

// Returns the length of one tick of the core's counter in ns. Each run with `iterations` iterations
// gives a quotient (span − overhead) / ticks. The result is the smallest quotient.
static double smallest_tick_ns(const struct clock_run *runs, size_t count, unsigned bits,
                               uint32_t iterations, double overhead_ns)
{
    double smallest = INFINITY;
    for (size_t r = 0; r < count; r++)
        if (runs[r].iterations == iterations)
            smallest = fmin(smallest, (runs[r].span_ns - overhead_ns) / all_ticks(&runs[r], bits));
    return smallest;
}

static double tick_against_spans(const struct clock_run *runs, size_t count, unsigned bits)
{
    uint32_t iterations = most_iterations(runs, count);
    double tick_ns = smallest_tick_ns(runs, count, bits, iterations, 0), overhead_ns = INFINITY;
    for (size_t r = 0; r < count; r++)
        if (runs[r].iterations == 0)
            overhead_ns = fmin(overhead_ns, runs[r].span_ns - tick_ns * all_ticks(&runs[r], bits));
    return smallest_tick_ns(runs, count, bits, iterations, fmax(overhead_ns, 0));
}

static double snapped_to(double value, double nominal)
{
    return fabs(value - nominal) <= snap * nominal ? nominal : value;
}

// Returns the ticks of the device clock from the first run's first stamp to this run's last stamp.
static double ticks_since_begin(const struct clock_run *runs, size_t run, unsigned bits)
{
    const struct clock_run *at = &runs[run];
    return (double)measure_clock_delta(runs[0].stamps[0].device, at->stamps[at->count - 1].device,
                                       bits);
}

// Returns the index of the run (of the clock kernel) whose end the host noticed with the least
// delay. Compares the runs `first` to `end` − 1.
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

// Returns measure_clock.stamps_off: `off`, or 0 if it may be an error of measurement. All clocks
// measured about length_ns.
static double stamps_off(double off, double length_ns, double stamp_step_ns)
{
    double allowed = stamps_off_allowed + (dispatch_most_ns + 2 * stamp_step_ns) / length_ns;
    return isfinite(off) && fabs(off) > allowed ? off : 0;
}

static double stamps_off_device(const struct clock_run *runs, size_t count, double stamp_step_ns,
                                const struct measure_clock *clock)
{
    double off = INFINITY, elapsed_ns = 0;
    for (size_t r = 0; r < count; r++) {
        if (runs[r].iterations != most_iterations(runs, count))
            continue;
        elapsed_ns = ticks_between(&runs[r], 0, runs[r].count - 1, DEVICE, clock->device_bits) *
                     clock->device_tick_ns;
        off = fmin(off, runs[r].span_ns / elapsed_ns - 1);
    }
    return stamps_off(off, elapsed_ns, stamp_step_ns);
}

static double core_ticks_per_device_tick(struct arena *scratch, const struct clock_run *runs,
                                         size_t count, const struct measure_clock *clock)
{
    uint32_t iterations = most_iterations(runs, count);
    size_t room = 0, found = 0;
    for (size_t r = 0; r < count; r++)
        room += runs[r].count;
    struct arena_mark mark = arena_mark(scratch);
    double *ratios = ARENA_ARRAY(scratch, room, double);
    for (size_t r = 0; r < count; r++) {
        const struct clock_run *run = &runs[r];
        size_t half = run->count / 2;
        for (size_t s = 0; run->iterations == iterations && s + half < run->count; s++) {
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

static double shortest_span_ns(const struct clock_run *runs, size_t count, uint32_t iterations)
{
    double shortest = INFINITY;
    for (size_t r = 0; r < count; r++)
        if (runs[r].iterations == iterations)
            shortest = fmin(shortest, runs[r].span_ns);
    return shortest;
}

static double shortest_wait_ns(const struct clock_run *runs, size_t count, uint32_t iterations)
{
    double shortest = INFINITY;
    for (size_t r = 0; r < count; r++)
        if (runs[r].iterations == iterations)
            shortest = fmin(shortest, runs[r].seen_ns - runs[r].asked_ns);
    return shortest;
}

static double stamps_off_host(const struct clock_run *runs, size_t count, double stamp_step_ns)
{
    uint32_t most = most_iterations(runs, count);
    double span_ns = shortest_span_ns(runs, count, most) - shortest_span_ns(runs, count, 0);
    double host_ns = shortest_wait_ns(runs, count, most) - shortest_wait_ns(runs, count, 0);
    return host_ns > 0 ? stamps_off(span_ns / host_ns - 1, host_ns, stamp_step_ns) : 0;
}

// Returns the step of the time stamps in ns; 0 if no run lasted a step. `unit_ns` is the unit that
// the driver states.
static double stamp_step_of(const struct clock_run *runs, size_t count, double unit_ns)
{
    uint64_t units = 0;
    for (size_t r = 0; r < count && unit_ns > 0; r++)
        units = divisor_common(units, (uint64_t)llround(fmax(runs[r].span_ns, 0) / unit_ns));
    return (double)units * unit_ns;
}

void clock_evidence_judge(struct arena *scratch, const struct clock_run *runs, size_t count,
                          double stamp_step_ns, struct measure_clock *clock)
{
    uint32_t iterations = most_iterations(runs, count);
    double waits = (double)iterations * (double)(runs[0].count - 1);
    clock->stamp_step_ns = stamp_step_of(runs, count, stamp_step_ns);
    clock->iteration_ns =
        (shortest_span_ns(runs, count, iterations) - shortest_span_ns(runs, count, 0)) / waits;
    clock->has_device_clock = clock->has_device_clock && advances(runs, count, DEVICE);
    clock->has_counter = clock->has_counter && advances(runs, count, CORE);
    if (clock->has_device_clock) {
        uint64_t highest = highest_reading(runs, count, DEVICE);
        clock->device_bits = highest > UINT32_MAX ? wide_bits(highest) : 32;
        double tick_ns = tick_against_host(runs, count, clock->device_bits);
        tick_ns = stamp_step_ns > 0 ? snapped_to(tick_ns, stamp_step_ns) : tick_ns;
        clock->device_tick_ns = snapped_to(tick_ns, 1);
        clock->device_step_ns =
            step_of(runs, count, DEVICE, clock->device_bits) * clock->device_tick_ns;
        clock->stamps_off = stamps_off_device(runs, count, stamp_step_ns, clock);
    } else {
        clock->stamps_off = stamps_off_host(runs, count, stamp_step_ns);
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
