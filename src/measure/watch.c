// SPDX-License-Identifier: MIT
#include "measure/watch.h"

#include "gpu/kernels.h"
#include "measure/clock_kernel.h"
#include "measure/visit.h"
#include "measure/yardsticks.h"

#include <math.h>

enum {
    // A watch reads the stamps of several dispatches as one series: some drivers start other work
    // only between dispatches (Vulkan on an H200), others also within one (CUDA). Readings are 8 µs
    // apart in a watch of 5 ms, so gaps of 40 µs show.
    STAMPS = 40,
    DISPATCHES = 16,
    READINGS = STAMPS * DISPATCHES,
    // number of dispatches that are timed one by one; a batch cannot time more
    LENGTHS = 64,
    ITERATIONS_MAX = 1 << 20,
    FITTINGS_MAX = 4, // maximum number of attempts until a watch is long enough
    GROUPS_UNKNOWN = 64,
    GROUPS_MAX = 512 // maximum number of workgroups whose stamps are read
};
static const double part_ns = 5e6;
static const uint64_t timeout_ns = UINT64_C(10000000000);
// An interval shows other work if it is more than gap_factor times the usual one, and gap_least_ns
// longer than it. A rising core clock makes a loop at most 5.7 times faster (345 to 1980 MHz on an
// H200).
static const double gap_factor = 6, gap_least_ns = 20e3;
static const double between_most_ns = 270e3;
// An interval also shows other work if it exceeds the intervals on both sides by half of their
// length and gap_beside_ns.
static const double gap_beside_ns = 40e3;
// A gap shorter than this counts only if the series has another gap, because a card may pause once
// by itself, for example while it changes a clock. Idle H200s never paused so long.
static const double gap_alone_ns = 225e3;
// Maximum step in ns of a device-wide clock that can show interruptions by other work.
static const double step_most_ns = 5e3;
static const double arithmetic_ns = 200e3;

struct measure_watch {
    struct arena *arena;
    struct measure_clock clock;
    struct yardsticks_desc desc; // description of the watch and of its yardsticks
    struct gpu_buffer *words;
    struct gpu_batch *batch;
    struct yardsticks *yardsticks;
    uint32_t iterations, arithmetic_iterations;
};

// ---------------------------------------------------------------- computed from times

// Takes the shorter of the two intervals before an interval, and the shorter of the two after it.
// Returns the longer of both, because a changing core clock makes no interval longer than the
// intervals on both sides.
static double beside_ns(const double *intervals_ns, size_t i, size_t count)
{
    if (i < 2 || i + 2 >= count)
        return (double)INFINITY;
    return fmax(fmin(intervals_ns[i - 2], intervals_ns[i - 1]),
                fmin(intervals_ns[i + 1], intervals_ns[i + 2]));
}

void watch_add_intervals(const double *intervals_ns, size_t count, double usual_ns,
                         struct watch_finding *finding, double *away_ns)
{
    double most_ns = fmax(gap_factor * usual_ns, usual_ns + gap_least_ns);
    double gaps_ns = 0, longest_ns = 0;
    for (size_t i = 0; i < count; i++) {
        double own_ns = intervals_ns[i] > most_ns ? usual_ns : beside_ns(intervals_ns, i, count);
        double gap_ns = intervals_ns[i] - own_ns;
        finding->watched_ns += intervals_ns[i];
        if (!(intervals_ns[i] > most_ns || gap_ns > own_ns / 2 + gap_beside_ns))
            continue;
        gaps_ns += gap_ns;
        longest_ns = fmax(longest_ns, gap_ns);
    }
    bool is_alone = gaps_ns == longest_ns;
    if (is_alone && longest_ns < gap_alone_ns)
        return;
    *away_ns += gaps_ns;
    finding->longest_ns = fmax(finding->longest_ns, longest_ns);
}

// ---------------------------------------------------------------- looking for gaps

static void dispatch(struct measure_watch *watch, uint64_t offset, uint32_t stamps)
{
    clock_kernel_dispatch(watch->batch, &(struct clock_dispatch){.program = watch->desc.program,
                                                                 .buffer = watch->words,
                                                                 .offset = offset,
                                                                 .groups = watch->desc.groups,
                                                                 .stamps = stamps,
                                                                 .iterations = watch->iterations});
}

static void record_gaps(struct measure_watch *watch)
{
    for (unsigned i = 0; i < DISPATCHES; i++)
        dispatch(watch, i * clock_kernel_bytes(watch->desc.groups, STAMPS), STAMPS);
}

static void record_lengths(struct measure_watch *watch)
{
    for (unsigned i = 0; i < LENGTHS; i++) {
        gpu_batch_span_begin(watch->batch, i);
        dispatch(watch, 0, 2);
        gpu_batch_span_end(watch->batch, i);
    }
}

static bool submit(struct measure_watch *watch, struct error *err)
{
    if (!gpu_batch_reset(watch->batch, err))
        return false;
    if (watch->desc.method == WATCH_GAPS)
        record_gaps(watch);
    else
        record_lengths(watch);
    return gpu_batch_end(watch->batch, err) && gpu_batch_run(watch->batch, timeout_ns, err);
}

// Leaves out the intervals between two dispatches, because some drivers need longer there than the
// kernel waits. Keeps such an interval if it is longer than gap_factor times the shortest of them,
// or than between_most_ns. Returns the number of intervals that are left.
static size_t drop_between(double intervals_ns[READINGS - 1])
{
    double shortest_ns = between_most_ns / gap_factor;
    size_t kept = 0;
    for (uint32_t r = STAMPS; r < READINGS; r += STAMPS)
        shortest_ns = fmin(shortest_ns, intervals_ns[r - 1]);
    for (uint32_t r = 1; r < READINGS; r++)
        if (r % STAMPS != 0 || intervals_ns[r - 1] > gap_factor * shortest_ns)
            intervals_ns[kept++] = intervals_ns[r - 1];
    return kept;
}

// Makes one series for each workgroup number. The workgroup may change its core between dispatches,
// but all cores share the device-wide clock.
static void read_gaps(struct measure_watch *watch, struct watch_finding *finding, double *away_ns)
{
    const uint32_t *words = gpu_buffer_map(watch->words);
    uint64_t pitch = clock_kernel_bytes(watch->desc.groups, STAMPS) / sizeof *words;
    double intervals_ns[READINGS - 1], usual_ns = 0;
    for (uint32_t group = 0; group < watch->desc.groups; group++) {
        uint64_t before = 0;
        for (uint32_t r = 0; r < READINGS; r++) {
            uint64_t now =
                clock_kernel_stamp(words + r / STAMPS * pitch, STAMPS, group, r % STAMPS).device;
            if (r > 0)
                intervals_ns[r - 1] = measure_clock_elapsed_ns(&watch->clock, before, now);
            before = now;
        }
        size_t count = drop_between(intervals_ns);
        // All workgroups wait equally long, and sorting the intervals of each would take time.
        if (group == 0)
            usual_ns = measure_median(watch->arena, intervals_ns, count);
        watch_add_intervals(intervals_ns, count, usual_ns, finding, away_ns);
    }
    // All workgroups watched at the same time, so the sums are divided by the number of workgroups.
    finding->watched_ns /= watch->desc.groups;
    *away_ns /= watch->desc.groups;
}

static bool read_lengths(struct measure_watch *watch, struct watch_finding *finding,
                         double *away_ns, struct error *err)
{
    double lengths_ns[LENGTHS];
    for (unsigned i = 0; i < LENGTHS; i++)
        if (!gpu_batch_span_ns(watch->batch, i, &lengths_ns[i], err))
            return false;
    double median_ns = measure_median(watch->arena, lengths_ns, LENGTHS);
    watch_add_intervals(lengths_ns, LENGTHS, median_ns, finding, away_ns);
    return true;
}

static bool take(struct measure_watch *watch, struct watch_finding *finding, double *away_ns,
                 struct error *err)
{
    *away_ns = 0;
    *finding = (struct watch_finding){.method = watch->desc.method,
                                      .link_traffic = NAN,
                                      .others_traffic = NAN,
                                      .memory_change = NAN,
                                      .host_used = NAN,
                                      .host_waited = NAN};
    if (!submit(watch, err))
        return false;
    if (watch->desc.method == WATCH_LENGTHS)
        return read_lengths(watch, finding, away_ns, err);
    read_gaps(watch, finding, away_ns);
    return true;
}

// Repeats a part that was shorter than 90 % of part_ns, without the time of other work, because the
// core clock may have risen. The last of FITTINGS_MAX attempts counts in any case.
static bool take_long_enough(struct measure_watch *watch, struct watch_finding *finding,
                             double *away_ns, struct error *err)
{
    for (int fitting = 0; fitting < FITTINGS_MAX; fitting++) {
        if (!take(watch, finding, away_ns, err))
            return false;
        double own_ns = fmax(finding->watched_ns - *away_ns, 1);
        unsigned waits = watch->desc.method == WATCH_GAPS ? READINGS - DISPATCHES : LENGTHS;
        double iteration_ns = own_ns / waits / watch->iterations;
        double fitted = ceil(watch->iterations * fmin(1.05 * part_ns / own_ns, 100));
        watch->iterations = (uint32_t)fmin(fmax(fitted, 1), ITERATIONS_MAX);
        if (own_ns < 0.9 * part_ns)
            continue;
        if (!watch->arithmetic_iterations)
            watch->arithmetic_iterations =
                (uint32_t)fmin(fmax(arithmetic_ns / iteration_ns, 1), ITERATIONS_MAX);
        return true;
    }
    return true;
}

// ---------------------------------------------------------------- running a watch

// name of a kernel that waits like the clock kernel but reads no clock
static const char kernel_without_clocks[] = "measure_clock_none";

bool measure_watch_check(const struct gpu_info *info, struct error *err)
{
    if (info->kind == GPU_KIND_CPU)
        return error_set(err, ERROR_UNSUPPORTED, "the device is the host's CPU");
    return kernel_find(kernel_without_clocks) ||
           error_set(err, ERROR_UNSUPPORTED, "kernel %s is not in this build",
                     kernel_without_clocks);
}

static bool choose_program(struct measure_watch *watch, struct error *err)
{
    const struct measure_clock *clock = &watch->clock;
    bool tells_gaps = clock->has_device_clock && clock->device_step_ns <= step_most_ns;
    watch->desc.method = tells_gaps ? WATCH_GAPS : WATCH_LENGTHS;
    watch->desc.program = clock->program;
    if (!watch->desc.program)
        watch->desc.program = gpu_program_create(
            watch->desc.scope,
            &(struct gpu_program_desc){.kernel = kernel_find(kernel_without_clocks)}, err);
    return watch->desc.program != NULL;
}

struct measure_watch *measure_watch_open(struct arena *arena, struct gpu_scope *scope,
                                         struct error *err)
{
    const struct gpu_info *info = gpu_device_info(gpu_scope_device(scope));
    // On a model, other work takes all cores at once, and simulating more than one takes time.
    bool is_model = info->caps & GPU_CAP(VIRTUAL_TIME);
    uint64_t cores = info->limits.cores ? info->limits.cores : GROUPS_UNKNOWN;
    uint32_t groups = is_model ? 1 : (uint32_t)(cores < GROUPS_MAX ? cores : GROUPS_MAX);
    const struct gpu_buffer_desc words = {.bytes = DISPATCHES * clock_kernel_bytes(groups, STAMPS),
                                          .memory = GPU_MEMORY_READBACK};
    struct measure_watch *watch = ARENA_NEW(arena, struct measure_watch);
    *watch = (struct measure_watch){.arena = arena,
                                    .desc = {.scope = scope,
                                             .info = info,
                                             .clock = &watch->clock,
                                             .groups = groups,
                                             .timeout_ns = timeout_ns},
                                    .iterations = 64};
    watch->batch = gpu_batch_create(scope, &(struct gpu_batch_desc){.span_count = LENGTHS}, err);
    bool ready = watch->batch && measure_clock_probe(scope, NULL, &watch->clock, err) &&
                 choose_program(watch, err) &&
                 (watch->words = gpu_buffer_create(scope, &words, err)) &&
                 (watch->yardsticks = yardsticks_create(arena, &watch->desc, err));
    return ready ? watch : NULL;
}

bool measure_watch_run(struct measure_watch *watch, uint64_t least_ns,
                       struct watch_finding *finding, struct error *err)
{
    // The watch runs in parts, because in a longer part readings are farther apart and show only
    // longer gaps.
    uint64_t parts = (uint64_t)fmax(round((double)least_ns / part_ns), 1);
    double away_ns = 0, watched_ns = 0, longest_ns = 0;
    for (uint64_t part = 0; part < parts; part++) {
        double part_away_ns;
        if (!take_long_enough(watch, finding, &part_away_ns, err))
            return false;
        away_ns += part_away_ns;
        watched_ns += finding->watched_ns;
        longest_ns = fmax(longest_ns, finding->longest_ns);
    }
    finding->watched_ns = watched_ns;
    finding->longest_ns = longest_ns;
    finding->share = watched_ns > 0 ? away_ns / watched_ns : 0;
    return yardsticks_run(watch->yardsticks, watch->arithmetic_iterations, finding, err);
}

bool watch_memory_changes(const struct watch_finding *finding)
{
    return finding->memory_change > 0;
}

bool watch_traffic_is_high(const struct watch_finding *finding)
{
    static const double share_most = 0.02, most_bytes_per_s = 5e8;
    double limit = finding->limits[WATCH_TO_DEVICE];
    return finding->link_traffic > share_most * limit && finding->link_traffic > most_bytes_per_s;
}
