// SPDX-License-Identifier: MIT
// Chooses how long the chases of a case are.
#include "bench/latency/session.h"

#include <math.h>

enum {
    // Wanted number of timed hops of a chase, if samples may last more than 1 ms.
    HOPS = 32768,
    HURRIED_HOPS = 8192, // wanted number of timed hops of a chase, if samples last at most 1 ms
    // Wanted number of timed windows of a chase. If windows must be longer, a chase has fewer.
    WINDOWS = 64,
    WINDOWS_MIN = 16,
    // Minimum length of a window (with the core's counter) or of a dispatch (with time stamps), in
    // steps of the clock.
    STEPS_MIN = 1000,
    // Maximum number of untimed hops of a chase after a warm-up lap.
    UNTIMED_HOPS = 4096,
    COLD_UNTIMED_HOPS = 256,
    TRY_HOPS = 1024,
    TRY_WARM = 8192,
    // Maximum size of a chain with a warm-up lap, as a multiple of the largest cache.
    CACHES_WARM = 4
};
static const uint64_t hurried_sample_ns = 1000000;
// Maximum share of a window's time that the two readings of the core's counter may take.
static const double stamp_share_allowed = 0.001;
// Intended maximum length in ns of a chase's timed hops: so short that no watchdog stops the chase.
static const double chase_ns_max = 100e6;
static const double warm_ns_max = 100e6;

static uint32_t at_most(double value, uint32_t most)
{
    return value < most ? (uint32_t)value : most;
}

static uint32_t repeats_for(double hops)
{
    double repeats = ceil(hops / LATENCY_UNROLL);
    return repeats < 1 ? 1 : at_most(repeats, UINT32_MAX);
}

static bool may_warm(const struct latency_chase *chase, double place_ns)
{
    uint64_t most = measure_limits_cache_most(&chase->session->bench->limits);
    return chase->chain.footprint_bytes <= CACHES_WARM * most &&
           chase->chain.lap * place_ns <= warm_ns_max;
}

// Sizes a chase that is timed with the core's counter. A window must last much longer than a step
// of the counter, and less than its range.
static void size_windows(const struct latency_chase *chase, const struct measure_request *request,
                         struct latency_memory *memory)
{
    const struct measure_clock *clock = &chase->session->bench->clock;
    double most = request->sample_ns > hurried_sample_ns ? HOPS : HURRIED_HOPS;
    double hops = fmin(most, chase_ns_max / memory->hop_ns);
    double window = hops / WINDOWS;
    if (memory->hop_counts > 0) {
        double steps = fmax(STEPS_MIN * clock->counter_step,
                            chase->session->stamp_counts / stamp_share_allowed);
        window = fmax(window, steps / memory->hop_counts);
        window = fmin(window, ldexp(1, (int)clock->counter_bits - 2) / memory->hop_counts);
    }
    memory->repeats = repeats_for(window);
    double windows = hops / (memory->repeats * (double)LATENCY_UNROLL);
    windows = fmax(windows, request->samples > WINDOWS_MIN ? request->samples : WINDOWS_MIN);
    memory->windows = at_most(windows, LATENCY_WINDOWS_MAX);
}

// Sizes a chase that is timed with time stamps only. Two windows should last as long as a sample,
// and much longer than a step of the time stamps.
static void size_sample(const struct latency_chase *chase, uint64_t sample_ns,
                        struct latency_memory *memory)
{
    double step_ns = (double)chase->session->bench->info->limits.stamp_step_ps / 1000;
    double least_ns = fmax(STEPS_MIN * step_ns, 1e5);
    double length_ns = fmin(fmax((double)sample_ns / 2, least_ns), chase_ns_max / 2);
    memory->repeats = repeats_for(length_ns / memory->hop_ns);
    memory->windows = 1;
}

// Returns the counts of the core's counter per hop. If the counter may have wrapped, returns the
// largest number that its rate allows, because with too small a number later windows would wrap,
// too.
static double hop_counts(const struct bench_session *bench, const struct latency_run *timed)
{
    double most = bench_counts_most(bench, timed->device_ns);
    bool wraps = most >= ldexp(1, (int)measure_clock_low_bits(&bench->clock) - 1);
    return (wraps ? most : timed->count) / TRY_HOPS;
}

// Sets session->stamp_counts, once, to the counts of the shortest of WINDOWS_MIN windows without
// hops.
static bool find_stamp_counts(struct latency_chase *chase, struct error *err)
{
    struct latency_session *session = chase->session;
    if (!session->clocked || session->stamp_counts > 0)
        return true;
    struct latency_chase bare = *chase;
    bare.control = latency_program(session, "latency_control_vector_clock", err);
    struct latency_run run = {.control = true, .windows = WINDOWS_MIN};
    if (!bare.control || !latency_chase_run(&bare, &run, 1, err))
        return false;
    uint32_t least = run.counts[0];
    for (uint32_t i = 1; i < run.windows; i++)
        if (run.counts[i] < least)
            least = run.counts[i];
    session->stamp_counts = least;
    return true;
}

bool latency_chase_size(struct latency_chase *chase, struct latency_memory *memory,
                        struct error *err)
{
    uint32_t warm = chase->chain.lap < TRY_WARM ? chase->chain.lap : TRY_WARM;
    struct latency_run runs[] = {
        // The first dispatch may also compile the kernel, so its time is not used.
        {.untimed = 1},
        {.warm = warm},
        {.warm = warm, .windows = 1, .repeats = TRY_HOPS / LATENCY_UNROLL},
    };
    if (!find_stamp_counts(chase, err) || !latency_chase_run(chase, runs, 3, err))
        return false;
    const struct latency_run *timed = &runs[2];
    const struct measure_clock *clock = &chase->session->bench->clock;
    bool clocked = chase->session->clocked && timed->device_ns >= 4 * clock->device_step_ns;
    memory->hop_ns = (clocked ? timed->device_ns : timed->span_ns) / TRY_HOPS;
    memory->hop_ns = fmax(memory->hop_ns, 0.1);
    memory->hop_counts = chase->session->clocked ? hop_counts(chase->session->bench, timed) : 0;
    memory->warm = may_warm(chase, runs[1].span_ns / warm);
    uint32_t lap = chase->chain.lap < UNTIMED_HOPS ? chase->chain.lap : UNTIMED_HOPS;
    memory->untimed = repeats_for(memory->warm ? lap : COLD_UNTIMED_HOPS);
    const struct measure_request *request = chase->visit->request;
    if (chase->session->clocked)
        size_windows(chase, request, memory);
    else
        size_sample(chase, request->sample_ns, memory);
    return true;
}
