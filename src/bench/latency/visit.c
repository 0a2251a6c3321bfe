// SPDX-License-Identifier: MIT
#include "bench/latency/session.h"
#include "measure/claim.h"
#include "measure/pace.h"

#include <inttypes.h>
#include <math.h>

enum {
    // Index of the chase whose windows become samples, among the chases that a visit prepares.
    TIMED_CHASE = 2,
    // A chase for hardware counters has about 1 / COUNTED_PART of the hops of a timed chase.
    COUNTED_PART = 4,
    // The clocks are compared over two chases; the shorter has 1 / SHORT_PART of the windows.
    SHORT_PART = 8,
    TRIES_MAX = 50,
    PAIRS_MAX = 5, // maximum samples of a visit if latency_session.clocked is false
    // Visits in which the clocks must disagree before the case is flagged as clocks-disagree.
    DISAGREEMENTS_MIN = 3,
    CONTROL_WINDOWS = 16,
    CONTROL_REPEATS = LATENCY_CONTROL_UNROLL / LATENCY_UNROLL
};
static const double disagreement_allowed = 0.05;

// ---------------------------------------------------------------- chases of a visit

struct measured {
    struct latency_chase *chase;
    struct latency_memory *memory;
    struct measure_visit *visit;
};

// Sets where each chase begins, and how it warms the caches: by a whole lap, or by one word of each
// page.
static void prepare_runs(const struct measured *m, struct latency_run *runs, unsigned count)
{
    const struct latency_chase *chase = m->chase;
    struct latency_memory *memory = m->memory;
    // A chase begins where the one before it ended. Without warm-up laps, the first chase begins in
    // the half of the chain that was built first, because the caches may still hold the other half.
    uint32_t starts = memory->warm ? chase->chain.nodes : chase->chain.nodes / 2;
    uint64_t start = memory->walked % starts;
    for (unsigned i = 0; i < count; i++) {
        runs[i].start = (uint32_t)(start % chase->chain.nodes);
        runs[i].warm = memory->warm ? chase->chain.lap : 0;
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

// Returns the length in ns of one count of the core's counter during the chase.
static double count_ns(const struct measured *m, const struct latency_run *run)
{
    const struct measure_clock *clock = &m->chase->session->bench->clock;
    return clock->counts_core_clock ? run->device_ns / run->count : 1e9 / clock->counter_hz;
}

static void fill_windows(const struct measured *m, const struct latency_run *run,
                         unsigned ns_metric, unsigned cycles_metric)
{
    const struct measure_clock *clock = &m->chase->session->bench->clock;
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

// Compares the device's time stamps with the core's counter. By both clocks, the additional hops of
// `full` should take the same time. Other work may disturb one visit, so only DISAGREEMENTS_MIN
// visits that differ in the same direction flag the case.
static void cross_check(const struct measured *m, const struct latency_run *brief,
                        const struct latency_run *full)
{
    struct latency_clocks *clocks = &m->memory->clocks;
    double stamped_ns = full->span_ns - brief->span_ns;
    double counted_ns = full->count * count_ns(m, full) - brief->count * count_ns(m, brief);
    if (!(counted_ns > 0))
        return;
    double step_ns = (double)m->chase->session->bench->info->limits.stamp_step_ps / 1000;
    double allowed = disagreement_allowed + 2 * step_ns / counted_ns;
    double difference = stamped_ns / counted_ns - 1;
    clocks->agree = fabs(difference) <= allowed ||
                    (clocks->visits > 0 && (difference > 0) != (clocks->difference > 0));
    if (clocks->agree)
        return;
    if (clocks->visits++ == 0 || fabs(difference) < fabs(clocks->difference))
        clocks->difference = difference;
    if (clocks->visits >= DISAGREEMENTS_MIN)
        visit_flag(
            m->visit, "clocks-disagree",
            "by the device's time stamps the chase took at least %.1f %% %s than by the core's "
            "counter: other work ran, or the counter changed its rate",
            100 * fabs(clocks->difference), clocks->difference > 0 ? "more" : "less");
}

static double core_hz(const struct latency_run *run)
{
    return 1e9 * run->count / run->device_ns;
}

static void describe_windows(const struct measured *m, const struct latency_run *run)
{
    const struct latency_session *session = m->chase->session;
    double hops = (double)run->repeats * LATENCY_UNROLL;
    double counts = m->memory->hop_counts * hops;
    visit_detail(m->visit, "window",
                 "%.0f hops between two stamps; the stamps themselves take %.0f counts (%.2g %%)",
                 hops, session->stamp_counts,
                 counts > 0 ? 100 * session->stamp_counts / counts : 0);
    if (session->bench->clock.counts_core_clock) {
        double hz = core_hz(run);
        visit_core_clock(m->visit, &hz, 1, session->bench->clock.device_step_ns / run->device_ns);
        m->visit->clock.load = MEASURE_ONE_CORE;
    }
}

static uint32_t control_repeats(const struct latency_memory *memory)
{
    return (memory->repeats + CONTROL_REPEATS - 1) / CONTROL_REPEATS * CONTROL_REPEATS;
}

// Runs the chases from index `first` on. Runs them again while the core clock of TIMED_CHASE was
// too low.
static bool run_paced(const struct measured *m, struct latency_run *runs, unsigned first,
                      unsigned count, struct error *err)
{
    const struct measure_clock *clock = &m->chase->session->bench->clock;
    struct measure_pace *pace = m->chase->visit->request->pace;
    do {
        prepare_runs(m, runs, TIMED_CHASE + 1);
        m->chase->lead_ns = pace_lead_ns(pace, false);
        if (!latency_chase_run(m->chase, runs + first, count - first, err))
            return false;
    } while (clock->counts_core_clock &&
             pace_again(pace, core_hz(&runs[TIMED_CHASE]),
                        clock->device_step_ns / runs[TIMED_CHASE].device_ns));
    return true;
}

static bool measure_by_counter(const struct measured *m, struct error *err)
{
    const struct latency_memory *memory = m->memory;
    uint32_t part = memory->windows / SHORT_PART;
    struct latency_run runs[] = {
        {0},
        {.untimed = memory->untimed, .windows = part, .repeats = memory->repeats},
        {.untimed = memory->untimed, .windows = memory->windows, .repeats = memory->repeats},
        {.control = true,
         .start = 1,
         .untimed = CONTROL_REPEATS,
         .windows = CONTROL_WINDOWS,
         .repeats = control_repeats(memory)},
    };
    unsigned count = m->chase->control ? 4 : 3;
    // A simulated device does not need the first chase, which only warms the caches. It does not
    // need the short chase either, because its clocks always agree.
    bool is_model = m->chase->session->bench->info->caps & GPU_CAP(VIRTUAL_TIME);
    unsigned first = is_model ? 1 : 0;
    bool agree = is_model || memory->clocks.agree;
    if (agree) {
        // If the clocks are not compared, the first chase takes the place of the short one.
        runs[1] = runs[0];
        first++;
    }
    if (!run_paced(m, runs, first, count, err))
        return false;
    count_time(m, runs, count);
    fill_windows(m, &runs[TIMED_CHASE], LATENCY_METRIC_NS, LATENCY_METRIC_CYCLES);
    if (m->chase->control)
        fill_windows(m, &runs[3], LATENCY_METRIC_CONTROL_NS, LATENCY_METRIC_CONTROL_CYCLES);
    if (!agree)
        cross_check(m, &runs[1], &runs[TIMED_CHASE]);
    describe_windows(m, &runs[TIMED_CHASE]);
    return true;
}

// ---------------------------------------------------------------- by time stamps alone

// Sets *hop_ns to (T(2 N) − T(N)) / N, where T(N) is the time of a dispatch with N timed hops.
static bool slope(const struct measured *m, bool control, double *hop_ns, struct error *err)
{
    const struct latency_memory *memory = m->memory;
    uint32_t untimed = control ? CONTROL_REPEATS : memory->untimed;
    uint32_t repeats = control ? control_repeats(memory) : memory->repeats;
    struct latency_run runs[] = {
        {.control = control, .start = 1},
        {.control = control, .start = 1, .untimed = untimed, .windows = 1, .repeats = repeats},
        {.control = control, .start = 1, .untimed = untimed, .windows = 2, .repeats = repeats},
    };
    if (!control)
        prepare_runs(m, runs, 3);
    if (!latency_chase_run(m->chase, runs, 3, err))
        return false;
    count_time(m, runs, 3);
    *hop_ns = (runs[2].span_ns - runs[1].span_ns) / ((double)repeats * LATENCY_UNROLL);
    return true;
}

// Repeats slope() while the sample is not positive, which means that something delayed the shorter
// dispatch. After TRIES_MAX tries, the sample is NaN.
static bool positive_slope(const struct measured *m, bool control, double *hop_ns,
                           struct error *err)
{
    for (unsigned tries = 0; tries < TRIES_MAX; tries++) {
        if (!slope(m, control, hop_ns, err))
            return false;
        if (*hop_ns > 0)
            return true;
    }
    *hop_ns = NAN;
    return true;
}

static bool slopes(const struct measured *m, bool control, unsigned metric, struct error *err)
{
    double values[PAIRS_MAX];
    unsigned samples = m->chase->visit->request->samples, count = 0;
    do {
        if (!positive_slope(m, control, &values[count++], err))
            return false;
    } while (count < PAIRS_MAX && count < samples);
    double step_ns = (double)m->chase->session->bench->info->limits.stamp_step_ps / 1000;
    visit_samples(m->visit, metric, values, count,
                  2 * step_ns / ((double)m->memory->repeats * LATENCY_UNROLL));
    return true;
}

static bool measure_by_stamps(const struct measured *m, struct error *err)
{
    visit_detail(m->visit, "window", "difference of two dispatches: %.0f hops",
                 (double)m->memory->repeats * LATENCY_UNROLL);
    return slopes(m, false, LATENCY_METRIC_NS, err) &&
           (!m->chase->control || slopes(m, true, LATENCY_METRIC_CONTROL_NS, err));
}

// ---------------------------------------------------------------- the visit

static void describe(const struct measured *m)
{
    const struct latency_chain *chain = &m->chase->chain;
    if (m->chase->session->bench->info->caps & GPU_CAP(L1_CHOICE))
        visit_detail(m->visit, "l1", "%u %% of the core's memory requested as L1",
                     latency_l1_percent(gpu_program_kernel(m->chase->program)->name));
    visit_detail(m->visit, "region", "%" PRIu64 " bytes, %" PRIu32 " nodes", chain->bytes,
                 chain->nodes);
    if (m->chase->moves && m->chase->this_case.path == LATENCY_IMAGE)
        visit_detail(m->visit, "place", "each round a new image, after a buffer of another size");
    else if (m->chase->moves)
        visit_detail(m->visit, "place", BENCH_PLACE_NOTE);
    if (m->memory->warm)
        visit_detail(m->visit, "warm-up", "a lap by the measuring workgroup");
    else
        visit_detail(m->visit, "warm-up", "each page touched once; no lap");
}

// Predicts the counters of an NVIDIA GPU per hop. A cache transfers a link as one sector. A chain
// in random order that is much larger than the L1 mostly misses it.
static void claim_nvidia(const struct measured *m, struct measure_count_claims *claims)
{
    static const double sector_bytes = 32, beyond = 4;
    const struct latency_chase *chase = m->chase;
    enum latency_path path = chase->this_case.path;
    bool loads = path == LATENCY_VECTOR || path == LATENCY_SCALAR,
         texture = path == LATENCY_TEXEL || path == LATENCY_IMAGE;
    claims->of[GPU_COUNTER_INSTRUCTIONS_MEMORY] =
        loads || latency_on_chip(path) || path == LATENCY_ATOMIC;
    if (texture) {
        claims->of[GPU_COUNTER_INSTRUCTIONS_TEXTURE] = 1;
        claims->of[GPU_COUNTER_TEXTURE_READ] = sector_bytes;
    }
    if (path == LATENCY_SHARED) {
        claims->of[GPU_COUNTER_SHARED_WAVEFRONTS] = 1;
        claims->of[GPU_COUNTER_SHARED_CONFLICTS] = 0;
    }
    if (loads) {
        claims->of[GPU_COUNTER_L1_REQUESTS] = 1;
        claims->of[GPU_COUNTER_L1_READ] = sector_bytes;
    }
    double l1_bytes = (double)chase->session->bench->limits.l1_bytes;
    bool misses = l1_bytes > 0 && (double)chase->chain.bytes >= beyond * l1_bytes &&
                  chase->this_case.order == LATENCY_ORDER_RANDOM;
    if ((loads || texture) && misses)
        claims->of[GPU_COUNTER_L2_READ] = sector_bytes;
}

// Returns the predicted counters per hop. With load=keep-awake, there is no prediction, because
// counters also count the kernel beside the chase.
static struct measure_count_claims claims_of(const struct measured *m)
{
    const struct latency_chase *chase = m->chase;
    const struct bench_session *bench = chase->session->bench;
    struct measure_count_claims claims = measure_count_no_claims;
    if (chase->this_case.keep_awake)
        return claims;
    if (chase->this_case.path == LATENCY_VECTOR)
        claims.of[GPU_COUNTER_L1_REQUESTS] = 1;
    if (m->memory->warm)
        measure_claim_held(&bench->limits, chase->chain.footprint_bytes, &claims);
    if (bench->info->vendor_id == GPU_VENDOR_NVIDIA)
        claim_nvidia(m, &claims);
    return claims;
}

// Counts the hardware events per hop. A chase shorter than the timed one is enough, because the
// number per hop hardly depends on the number of hops.
static bool count(const struct measured *m, struct error *err)
{
    const struct latency_chase *chase = m->chase;
    const struct latency_memory *memory = m->memory;
    if (!chase->visit->request->count)
        return true;
    struct latency_run runs[TIMED_CHASE + 1] = {
        [TIMED_CHASE] = {.untimed = memory->untimed,
                         .windows = memory->windows,
                         .repeats = (memory->repeats + COUNTED_PART - 1) / COUNTED_PART}};
    prepare_runs(m, runs, TIMED_CHASE + 1);
    if (!latency_chase_count(m->chase, &runs[TIMED_CHASE], err))
        return false;
    const struct measure_count_claims claims = claims_of(m);
    measure_count_report(chase->visit->request->count, &claims, m->visit);
    return true;
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
        if (!latency_chase_size(&chase, memory, err))
            return false;
        *run->memory = memory;
    }
    visit->kernel = *measure_program_info(&run->session->programs, chase.program);
    struct measured measured = {.chase = &chase, .memory = memory, .visit = visit};
    describe(&measured);
    return (session->clocked ? measure_by_counter(&measured, err)
                             : measure_by_stamps(&measured, err)) &&
           count(&measured, err);
}
