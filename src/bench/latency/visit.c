// SPDX-License-Identifier: MIT
#include "bench/latency/visit.h"

#include "bench/latency/size.h"
#include "math/stats.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    SHORT_PART = 8, // the cross-check's shorter chase has this part of the windows
    TRIES_MAX = 50,
    PAIRS_MAX = 5,  // samples a visit where nothing counts
    RATIOS_MIN = 5, // rounds before the cross-check speaks
    CONTROL_WINDOWS = 16,
    CONTROL_REPEATS = LATENCY_CONTROL_UNROLL / LATENCY_UNROLL
};

static const double disagreement_allowed = 0.05;

struct measured {
    struct latency_chase *chase;
    struct latency_memory *memory;
    struct measure_visit *visit;
};

// The untimed first run brings caches to the state that a lap leaves; the others then find the
// same.
static void prepare_runs(const struct measured *m, struct latency_run *runs, unsigned count)
{
    const struct latency_chase *chase = m->chase;
    struct latency_memory *memory = m->memory;
    // A cold chase goes on where the last one ended, in the half of the cycle that was built
    // first: the other half's end is what the building left in the caches.
    uint32_t lap =
        memory->warm || chase->shape.nodes < 2 ? chase->shape.nodes : chase->shape.nodes / 2;
    uint64_t start = memory->walked % lap;
    for (unsigned i = 0; i < count; i++) {
        runs[i].start = latency_chase_hop(chase, (uint32_t)(start % chase->shape.nodes), 0);
        runs[i].warm = memory->warm ? chase->shape.lap : 0;
        runs[i].touch = !memory->warm;
        start += latency_run_hops(&runs[i]);
        memory->walked += latency_run_hops(&runs[i]);
    }
}

static void count_time(const struct measured *m, const struct latency_run *runs, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        m->visit->device_time_ns += (uint64_t)fmax(runs[i].span_ns, 0);
}

// ---------------------------------------------------------------- by the core's counter

// Nanoseconds that one count lasted during the run.
static double count_ns(const struct measured *m, const struct latency_run *run)
{
    const struct measure_clock *clock = &m->chase->session->clock;
    return clock->counts_core_clock ? run->device_ns / run->count : 1e9 / clock->counter_hz;
}

static void fill_windows(const struct measured *m, const struct latency_run *run,
                         unsigned ns_metric, unsigned cycles_metric)
{
    const struct measure_clock *clock = &m->chase->session->clock;
    double hops = (double)run->repeats * LATENCY_UNROLL, ns = count_ns(m, run);
    double *values = ARENA_ARRAY(m->visit->arena, run->windows, double);
    for (uint32_t i = 0; i < run->windows; i++)
        values[i] = run->counts[i] / hops;
    double step = clock->counter_step / hops;
    if (clock->counts_core_clock)
        visit_samples(m->visit, cycles_metric, values, run->windows, step);
    for (uint32_t i = 0; i < run->windows; i++)
        values[i] *= ns;
    double clock_step = clock->counts_core_clock ? clock->device_step_ns / run->device_ns : 0;
    visit_samples(m->visit, ns_metric, values, run->windows,
                  fmax(step * ns, values[0] * clock_step));
}

// Time stamps against counters, over the hops that the long run has more than the short one. One
// round may be disturbed; only what all rounds say is a doubt.
static void cross_check(const struct measured *m, const struct latency_run *brief,
                        const struct latency_run *full)
{
    struct latency_memory *memory = m->memory;
    double stamped_ns = full->span_ns - brief->span_ns;
    double counted_ns = full->count * count_ns(m, full) - brief->count * count_ns(m, brief);
    if (memory->ratio_count < LATENCY_RATIOS_MAX && counted_ns > 0)
        memory->ratios[memory->ratio_count++] = stamped_ns / counted_ns;
    if (memory->ratio_count < RATIOS_MIN)
        return;
    double sorted[LATENCY_RATIOS_MAX];
    memcpy(sorted, memory->ratios, memory->ratio_count * sizeof *sorted);
    stats_sort(sorted, memory->ratio_count);
    double step_ns = (double)m->chase->session->bench->info->limits.stamp_step_ps / 1000;
    double allowed = disagreement_allowed + 2 * step_ns / counted_ns;
    double least = sorted[0], most = sorted[memory->ratio_count - 1];
    if (least > 1 + allowed || most < 1 - allowed)
        visit_flag(m->visit, "clocks-disagree",
                   "the device's time stamps say at least %.1f %% %s than the core's counter: "
                   "something else ran, or the counter's rate is not what was probed",
                   100 * (least > 1 ? least - 1 : 1 - most), least > 1 ? "more" : "less");
}

static void describe_windows(const struct measured *m, const struct latency_run *run)
{
    const struct latency_session *session = m->chase->session;
    double hops = (double)run->repeats * LATENCY_UNROLL;
    double counts = m->memory->hop_counts * hops;
    visit_detail(m->visit, "window",
                 "%.0f hops between stamps, which count %.0f themselves (%.2g %%)", hops,
                 session->stamp_counts, counts > 0 ? 100 * session->stamp_counts / counts : 0);
    if (session->clock.counts_core_clock)
        visit_sensor(m->visit, "core_clock", UNIT_HZ, 1e9 * run->count / run->device_ns);
}

static uint32_t control_repeats(const struct latency_memory *memory)
{
    return (memory->repeats + CONTROL_REPEATS - 1) / CONTROL_REPEATS * CONTROL_REPEATS;
}

static bool measure_by_counter(const struct measured *m, struct error *err)
{
    const struct latency_memory *memory = m->memory;
    uint32_t part = memory->windows / SHORT_PART;
    struct latency_run runs[] = {
        {0},
        {.lead = memory->lead, .windows = part, .repeats = memory->repeats},
        {.lead = memory->lead, .windows = memory->windows, .repeats = memory->repeats},
        {.control = true,
         .start = 1,
         .lead = CONTROL_REPEATS,
         .windows = CONTROL_WINDOWS,
         .repeats = control_repeats(memory)},
    };
    unsigned count = m->chase->control ? 4 : 3;
    prepare_runs(m, runs, 3);
    // A model's caches are after one lap as after two, and its laps are most of the host's work.
    unsigned first = m->chase->session->bench->info->caps & GPU_CAP(VIRTUAL_TIME) ? 1 : 0;
    if (!latency_chase_run(m->chase, runs + first, count - first, err))
        return false;
    count_time(m, runs, count);
    fill_windows(m, &runs[2], LATENCY_METRIC_NS, LATENCY_METRIC_CYCLES);
    if (m->chase->control)
        fill_windows(m, &runs[3], LATENCY_METRIC_CONTROL_NS, LATENCY_METRIC_CONTROL_CYCLES);
    cross_check(m, &runs[1], &runs[2]);
    describe_windows(m, &runs[2]);
    return true;
}

// ---------------------------------------------------------------- by time stamps alone

// (T(2N) − T(N)) / N, where everything but N hops is the same in both.
static bool slope(const struct measured *m, bool control, double *hop_ns, struct error *err)
{
    const struct latency_memory *memory = m->memory;
    uint32_t lead = control ? CONTROL_REPEATS : memory->lead;
    uint32_t repeats = control ? control_repeats(memory) : memory->repeats;
    struct latency_run runs[] = {
        {.control = control, .start = 1},
        {.control = control, .start = 1, .lead = lead, .windows = 1, .repeats = repeats},
        {.control = control, .start = 1, .lead = lead, .windows = 2, .repeats = repeats},
    };
    if (!control)
        prepare_runs(m, runs, 3);
    if (!latency_chase_run(m->chase, runs, 3, err))
        return false;
    count_time(m, runs, 3);
    *hop_ns = (runs[2].span_ns - runs[1].span_ns) / ((double)repeats * LATENCY_UNROLL);
    return true;
}

static bool slopes(const struct measured *m, bool control, unsigned metric, struct error *err)
{
    double values[PAIRS_MAX];
    unsigned samples = m->chase->visit->request->samples, count = 0;
    for (unsigned tries = 0; count < PAIRS_MAX && (count == 0 || count < samples); tries++) {
        if (!slope(m, control, &values[count], err))
            return false;
        // More hops in less time: something else held the device. Said, where it goes on so.
        if (values[count] > 0 || tries >= TRIES_MAX)
            count++;
    }
    for (unsigned i = 0; i < count; i++)
        if (!(values[i] > 0))
            values[i] = NAN;
    double step_ns = (double)m->chase->session->bench->info->limits.stamp_step_ps / 1000;
    visit_samples(m->visit, metric, values, count,
                  2 * step_ns / ((double)m->memory->repeats * LATENCY_UNROLL));
    return true;
}

static bool measure_by_stamps(const struct measured *m, struct error *err)
{
    visit_detail(m->visit, "window", "%.0f hops more or less between time stamps",
                 (double)m->memory->repeats * LATENCY_UNROLL);
    return slopes(m, false, LATENCY_METRIC_NS, err) &&
           (!m->chase->control || slopes(m, true, LATENCY_METRIC_CONTROL_NS, err));
}

// ---------------------------------------------------------------- the visit

static void describe(const struct measured *m)
{
    const struct latency_shape *shape = &m->chase->shape;
    if (m->chase->session->bench->info->caps & GPU_CAP(L1_CHOICE))
        visit_detail(m->visit, "l1", "%u %% of the core's memory asked for as L1",
                     latency_l1_percent(gpu_program_kernel(m->chase->program)->name));
    visit_detail(m->visit, "region", "%" PRIu64 " bytes, %" PRIu32 " nodes", shape->bytes,
                 shape->nodes);
    if (m->memory->warm)
        visit_detail(m->visit, "warm-up", "a lap by the measuring workgroup");
    else
        visit_detail(m->visit, "warm-up", "none: a cold cycle after each page was touched");
}

bool latency_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct latency_session *session = run->session->state;
    struct latency_chase chase;
    if (!latency_chase_init(&chase, session, run, err))
        return false;
    struct latency_memory *memory = *run->memory;
    if (!memory) {
        memory = ARENA_NEW(run->session->arena, struct latency_memory);
        if (!latency_stamp_counts(&chase, err) || !latency_size(&chase, memory, err))
            return false;
        *run->memory = memory;
        visit->kernel = *measure_program_info(&run->session->programs, chase.program);
    }
    struct measured measured = {.chase = &chase, .memory = memory, .visit = visit};
    describe(&measured);
    return session->clocked ? measure_by_counter(&measured, err)
                            : measure_by_stamps(&measured, err);
}
