// SPDX-License-Identifier: MIT
#include "bench/latency/size.h"

#include <math.h>

enum {
    HOPS = 65536,         // timed in a visit
    HURRIED_HOPS = 16384, // where samples may be short
    WINDOWS = 64,         // that they are cut into, where the counter allows
    WINDOWS_MIN = 16,
    STEPS_MIN = 1000, // of the counter in a window
    LEAD_HOPS = 4096, // untimed, at most: a lap of every first-level cache
    COLD_LEAD_HOPS = 256,
    TRY_HOPS = 1024,
    TRY_WARM = 8192,
    CACHES_WARM = 4 // up to so many last-level caches a lap is warmed
};

static const uint64_t hurried_sample_ns = 1000000;
static const double stamp_share_allowed = 0.001; // of a window may be the stamps themselves
static const double chase_ns_max = 100e6;        // a dispatch: far from any watchdog
static const double warm_ns_max = 100e6;
static const uint64_t unknown_cache_bytes = UINT64_C(32) << 20; // where nobody says how large

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
    uint64_t cache = chase->session->limits.last_cache_bytes;
    return chase->shape.footprint_bytes <= CACHES_WARM * (cache ? cache : unknown_cache_bytes) &&
           chase->shape.lap * place_ns <= warm_ns_max;
}

// Windows long enough for the counter's step, short enough for its width.
static void size_windows(const struct latency_chase *chase, const struct measure_request *request,
                         struct latency_memory *memory)
{
    const struct measure_clock *clock = &chase->session->clock;
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

// Without a counter: a window, of which the longer of two dispatches has two, so that it lasts as
// long as a sample should; long enough for the time stamps' step, too.
static void size_sample(const struct latency_chase *chase, uint64_t sample_ns,
                        struct latency_memory *memory)
{
    double step_ns = (double)chase->session->bench->info->limits.stamp_step_ps / 1000;
    double least_ns = fmax(STEPS_MIN * step_ns, 1e5);
    double length_ns = fmin(fmax((double)sample_ns / 2, least_ns), chase_ns_max / 2);
    memory->repeats = repeats_for(length_ns / memory->hop_ns);
    memory->windows = 1;
}

bool latency_size(struct latency_chase *chase, struct latency_memory *memory, struct error *err)
{
    uint32_t warm = chase->shape.lap < TRY_WARM ? chase->shape.lap : TRY_WARM;
    struct latency_run runs[] = {
        {.lead = 1}, // software GPUs compile now
        {.warm = warm},
        {.warm = warm, .windows = 1, .repeats = TRY_HOPS / LATENCY_UNROLL},
    };
    if (!latency_chase_run(chase, runs, 3, err))
        return false;
    const struct latency_run *timed = &runs[2];
    const struct measure_clock *clock = &chase->session->clock;
    bool clocked = chase->session->clocked && timed->device_ns >= 4 * clock->device_step_ns;
    memory->hop_ns = (clocked ? timed->device_ns : timed->span_ns) / TRY_HOPS;
    memory->hop_ns = fmax(memory->hop_ns, 0.1);
    memory->hop_counts = chase->session->clocked ? (double)timed->count / TRY_HOPS : 0;
    memory->warm = may_warm(chase, runs[1].span_ns / warm);
    uint32_t lap = chase->shape.lap < LEAD_HOPS ? chase->shape.lap : LEAD_HOPS;
    memory->lead = repeats_for(memory->warm ? lap : COLD_LEAD_HOPS);
    const struct measure_request *request = chase->visit->request;
    if (chase->session->clocked)
        size_windows(chase, request, memory);
    else
        size_sample(chase, request->sample_ns, memory);
    return true;
}

bool latency_stamp_counts(struct latency_chase *chase, struct error *err)
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
