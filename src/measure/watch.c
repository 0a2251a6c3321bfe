// SPDX-License-Identifier: MIT
#include "measure/watch.h"

#include "gpu/kernels.h"
#include "math/stats.h"
#include "measure/card.h"
#include "measure/clock_kernel.h"
#include "measure/visit.h"

#include <math.h>
#include <string.h>

enum {
    // Some drivers interrupt a dispatch for other work (CUDA). Others change to other work only
    // between dispatches (Vulkan on an H200). So a watch is a sequence of dispatches, and the
    // stamps of all of them are read as one series.
    STAMPS = 8,
    DISPATCHES = 16,
    READINGS = STAMPS * DISPATCHES,
    // Number of dispatches that are timed one by one: the largest number of spans in a batch.
    LENGTHS = 64,
    ITERATIONS_MAX = 1 << 20,
    FITTINGS_MAX = 4, // maximum number of attempts, if watches turn out too short
    // Workgroups per core in the arithmetic yardstick, enough to keep the core's units busy.
    CORE_GROUPS = 16,
    // Workgroups per core in the yardstick of places, more than any core holds at a time.
    PLACE_GROUPS = 64,
    YARDSTICK_RUNS = 2,
    PASSES_MAX = 64, // maximum number of copies within the last cache that are timed together
    GROUPS_UNKNOWN = 64,
    GROUPS_MAX = 512 // maximum number of workgroups whose stamps are read
};
static const uint64_t least_default_ns = 5000000;
static const uint64_t timeout_ns = UINT64_C(10000000000);
// A gap is an interval of more than gap_factor times the median of all intervals, and at least
// gap_least_ns longer than the median. A rising core clock makes no such gap: from idle to full
// speed (345 to 1980 MHz on an H200) a loop gets 5.7 times faster.
static const double gap_factor = 6, gap_least_ns = 20e3;
// A device-wide clock with a larger step than this cannot show gaps.
static const double step_most_ns = 5e3;
static const double arithmetic_ns = 200e3;
static const uint64_t copy_bytes = UINT64_C(64) << 20, link_bytes = UINT64_C(4) << 20;
static const uint64_t cache_least_bytes = UINT64_C(1) << 20;
static const double passes_most_ns = 100e3; // maximum time of the copies within the last cache

struct watch_copy {
    struct gpu_buffer *to, *from;
    uint64_t bytes;
    uint32_t passes; // number of copies that are timed together; 0: the copy is not measured
    bool is_warmed;  // true: one untimed copy goes before the timed ones
};

struct measure_watch {
    struct arena *arena;
    struct gpu_scope *scope;
    const struct gpu_info *info;
    struct measure_clock clock;
    enum watch_method method;
    struct gpu_program *program;
    struct gpu_buffer *words;
    struct gpu_batch *batch, *yardsticks;
    uint32_t groups, iterations, arithmetic_iterations;
    double limits[WATCH_YARDSTICKS];
    bool limits_known;
    // Fastest core clock that was measured together with the yardsticks; 0: not known.
    double fastest_hz;
    struct watch_copy copies[WATCH_YARDSTICKS]; // WATCH_CORES is none
};

// ---------------------------------------------------------------- computed from times

void watch_add_intervals(struct arena *scratch, const double *intervals_ns, size_t count,
                         struct watch_finding *finding, double *away_ns)
{
    double median_ns = measure_median(scratch, intervals_ns, count);
    double most_ns = fmax(gap_factor * median_ns, median_ns + gap_least_ns);
    for (size_t i = 0; i < count; i++) {
        finding->watched_ns += intervals_ns[i];
        if (!(intervals_ns[i] > most_ns))
            continue;
        *away_ns += intervals_ns[i] - median_ns;
        finding->longest_ns = fmax(finding->longest_ns, intervals_ns[i] - median_ns);
    }
}

// ---------------------------------------------------------------- looking for gaps

// Returns where the stamps of the yardstick of places begin: after those of the arithmetic.
static uint64_t places_offset(const struct measure_watch *watch)
{
    return clock_kernel_bytes(watch->groups * CORE_GROUPS, 2);
}

static bool make_words(struct measure_watch *watch, struct error *err)
{
    uint64_t most = DISPATCHES * clock_kernel_bytes(watch->groups, STAMPS);
    uint64_t busy = places_offset(watch) + clock_kernel_bytes(watch->groups * PLACE_GROUPS, 2);
    watch->words = gpu_buffer_create(watch->scope,
                                     &(struct gpu_buffer_desc){.bytes = most > busy ? most : busy,
                                                               .memory = GPU_MEMORY_READBACK},
                                     err);
    return watch->words != NULL;
}

struct watch_dispatch {
    uint64_t offset;
    uint32_t groups, stamps, iterations;
};

static void dispatch(struct measure_watch *watch, const struct watch_dispatch *desc,
                     struct gpu_batch *batch)
{
    clock_kernel_dispatch(batch, &(struct clock_dispatch){.program = watch->program,
                                                          .buffer = watch->words,
                                                          .offset = desc->offset,
                                                          .groups = desc->groups,
                                                          .stamps = desc->stamps,
                                                          .iterations = desc->iterations});
}

static void record_gaps(struct measure_watch *watch)
{
    for (unsigned i = 0; i < DISPATCHES; i++)
        dispatch(watch,
                 &(struct watch_dispatch){.offset = i * clock_kernel_bytes(watch->groups, STAMPS),
                                          .groups = watch->groups,
                                          .stamps = STAMPS,
                                          .iterations = watch->iterations},
                 watch->batch);
}

static void record_lengths(struct measure_watch *watch)
{
    for (unsigned i = 0; i < LENGTHS; i++) {
        gpu_batch_span_begin(watch->batch, i);
        dispatch(watch,
                 &(struct watch_dispatch){
                     .groups = watch->groups, .stamps = 2, .iterations = watch->iterations},
                 watch->batch);
        gpu_batch_span_end(watch->batch, i);
    }
}

static bool submit(struct measure_watch *watch, struct error *err)
{
    if (!gpu_batch_reset(watch->batch, err))
        return false;
    if (watch->method == WATCH_GAPS)
        record_gaps(watch);
    else
        record_lengths(watch);
    return gpu_batch_end(watch->batch, err) && gpu_batch_run(watch->batch, timeout_ns, err);
}

// Reads the stamps of all dispatches as one series for each workgroup number. The workgroup with
// the same number may run on another core in the next dispatch, but all cores share the device-wide
// clock.
static void read_gaps(struct measure_watch *watch, struct watch_finding *finding, double *away_ns)
{
    const uint32_t *words = gpu_buffer_map(watch->words);
    uint64_t pitch = clock_kernel_bytes(watch->groups, STAMPS) / sizeof *words;
    double intervals_ns[READINGS - 1];
    for (uint32_t group = 0; group < watch->groups; group++) {
        uint64_t before = 0;
        for (uint32_t r = 0; r < READINGS; r++) {
            uint64_t now =
                clock_kernel_stamp(words + r / STAMPS * pitch, STAMPS, group, r % STAMPS).device;
            if (r > 0)
                intervals_ns[r - 1] = measure_clock_elapsed_ns(&watch->clock, before, now);
            before = now;
        }
        watch_add_intervals(watch->arena, intervals_ns, READINGS - 1, finding, away_ns);
    }
    // The sum over all workgroups becomes a mean, because all workgroups watched the same time.
    finding->watched_ns /= watch->groups;
    *away_ns /= watch->groups;
}

static bool read_lengths(struct measure_watch *watch, struct watch_finding *finding,
                         double *away_ns, struct error *err)
{
    double lengths_ns[LENGTHS];
    for (unsigned i = 0; i < LENGTHS; i++)
        if (!gpu_batch_span_ns(watch->batch, i, &lengths_ns[i], err))
            return false;
    watch_add_intervals(watch->arena, lengths_ns, LENGTHS, finding, away_ns);
    return true;
}

static bool take(struct measure_watch *watch, struct watch_finding *finding, double *away_ns,
                 struct error *err)
{
    *away_ns = 0;
    *finding = (struct watch_finding){.method = watch->method, .link_traffic = NAN};
    if (!submit(watch, err))
        return false;
    if (watch->method == WATCH_LENGTHS)
        return read_lengths(watch, finding, away_ns, err);
    read_gaps(watch, finding, away_ns);
    return true;
}

// Takes a watch that lasts at least 90 % of least_ns, without the time of other work. The core
// clock may have changed since the last watch, so a watch that was too short is repeated with more
// iterations. After FITTINGS_MAX watches, the last one is used in any case.
static bool take_long_enough(struct measure_watch *watch, double least_ns,
                             struct watch_finding *finding, double *away_ns, struct error *err)
{
    for (int fitting = 0; fitting < FITTINGS_MAX; fitting++) {
        if (!take(watch, finding, away_ns, err))
            return false;
        double own_ns = fmax(finding->watched_ns - *away_ns, 1);
        unsigned waits = watch->method == WATCH_GAPS ? READINGS - DISPATCHES : LENGTHS;
        double iteration_ns = own_ns / waits / watch->iterations;
        double fitted = ceil(watch->iterations * fmin(1.05 * least_ns / own_ns, 100));
        watch->iterations = (uint32_t)fmin(fmax(fitted, 1), ITERATIONS_MAX);
        if (own_ns < 0.9 * least_ns)
            continue;
        if (!watch->arithmetic_iterations)
            watch->arithmetic_iterations =
                (uint32_t)fmin(fmax(arithmetic_ns / iteration_ns, 1), ITERATIONS_MAX);
        return true;
    }
    return true;
}

void watch_drop_slow_clock(double core_hz, double *fastest_hz, struct watch_finding *finding)
{
    static const double awake_least = 0.9;
    if (!(core_hz > 0))
        return;
    *fastest_hz = fmax(*fastest_hz, core_hz);
    if (core_hz < awake_least * *fastest_hz)
        finding->rates[WATCH_MEMORY] = finding->rates[WATCH_CACHE] = NAN;
}

uint64_t watch_cache_bytes(const struct measure_limits *limits)
{
    static const uint64_t share = 8, page = 4096;
    if (!limits->last_cache_known || limits->last_cache_bytes < cache_least_bytes)
        return 0;
    uint64_t bytes = limits->last_cache_bytes / share / page * page;
    return bytes < copy_bytes ? bytes : copy_bytes;
}

uint32_t watch_cache_passes(uint32_t passes, uint64_t bytes, const double rates[WATCH_YARDSTICKS])
{
    double wanted_ns = fmin((double)copy_bytes * 1e9 / rates[WATCH_MEMORY], passes_most_ns);
    double fitted = wanted_ns * rates[WATCH_CACHE] / ((double)bytes * 1e9);
    return (uint32_t)fmin(fmax(fitted, passes), PASSES_MAX); // fmax ignores a NaN
}

// ---------------------------------------------------------------- the yardsticks (watch.h)

static struct gpu_buffer *make_buffer(struct measure_watch *watch, uint64_t bytes,
                                      enum gpu_memory memory)
{
    struct error no_room;
    return gpu_buffer_create(watch->scope,
                             &(struct gpu_buffer_desc){.bytes = bytes, .memory = memory}, &no_room);
}

// Creates the copies within memory, within the last cache and over the link. All watches use the
// same buffers, because the rate of a cache depends on the place of the data. If there is not
// enough memory for a buffer, no copy is measured.
static void make_copies(struct measure_watch *watch)
{
    struct measure_limits limits;
    measure_limits_of(watch->info, &limits);
    uint64_t cache_bytes = watch_cache_bytes(&limits);
    bool roomy = watch->info->limits.memory_bytes >= 64 * copy_bytes;
    struct gpu_buffer *from = roomy ? make_buffer(watch, copy_bytes, GPU_MEMORY_DEVICE) : NULL;
    struct gpu_buffer *to = from ? make_buffer(watch, copy_bytes, GPU_MEMORY_DEVICE) : NULL;
    struct gpu_buffer *upload = to ? make_buffer(watch, link_bytes, GPU_MEMORY_UPLOAD) : NULL;
    struct gpu_buffer *readback =
        upload ? make_buffer(watch, link_bytes, GPU_MEMORY_READBACK) : NULL;
    if (!readback)
        return;
    watch->copies[WATCH_MEMORY] = (struct watch_copy){to, from, copy_bytes, 1, false};
    watch->copies[WATCH_CACHE] =
        (struct watch_copy){to, from, cache_bytes, cache_bytes ? 1 : 0, true};
    watch->copies[WATCH_TO_DEVICE] = (struct watch_copy){to, upload, link_bytes, 1, false};
    watch->copies[WATCH_TO_HOST] = (struct watch_copy){readback, from, link_bytes, 1, false};
}

// Creates the yardsticks, small fixed pieces of work (watch.h). A model (a simulated device) has
// none.
static bool make_yardsticks(struct measure_watch *watch, struct error *err)
{
    if (watch->info->caps & GPU_CAP(VIRTUAL_TIME))
        return true;
    watch->yardsticks = gpu_batch_create(
        watch->scope, &(struct gpu_batch_desc){.span_count = WATCH_YARDSTICKS}, err);
    make_copies(watch);
    return watch->yardsticks != NULL;
}

static void record_copy(struct measure_watch *watch, unsigned span)
{
    const struct watch_copy *copy = &watch->copies[span];
    if (!copy->passes)
        return;
    if (copy->is_warmed)
        gpu_batch_copy(watch->yardsticks, copy->to, 0, copy->from, 0, copy->bytes);
    gpu_batch_span_begin(watch->yardsticks, span);
    for (uint32_t pass = 0; pass < copy->passes; pass++)
        gpu_batch_copy(watch->yardsticks, copy->to, 0, copy->from, 0, copy->bytes);
    gpu_batch_span_end(watch->yardsticks, span);
}

// True if the places on the cores are counted. Other processes hold a place beside fathom's work
// only as clients of one context server, which only CUDA has. Through Vulkan, the number of places
// varies by 1 % on an idle H200.
static bool counts_places(const struct measure_watch *watch)
{
    return watch->method == WATCH_GAPS && strcmp(watch->info->api, "cuda") == 0;
}

static bool record_yardsticks(struct measure_watch *watch, uint32_t iterations, struct error *err)
{
    if (!gpu_batch_reset(watch->yardsticks, err))
        return false;
    gpu_batch_span_begin(watch->yardsticks, WATCH_CORES);
    dispatch(watch,
             &(struct watch_dispatch){
                 .groups = watch->groups * CORE_GROUPS, .stamps = 2, .iterations = iterations},
             watch->yardsticks);
    gpu_batch_span_end(watch->yardsticks, WATCH_CORES);
    if (counts_places(watch))
        dispatch(watch,
                 &(struct watch_dispatch){.offset = places_offset(watch),
                                          .groups = watch->groups * PLACE_GROUPS,
                                          .stamps = 2,
                                          .iterations = (iterations + 3) / 4},
                 watch->yardsticks);
    for (unsigned i = WATCH_MEMORY; i <= WATCH_TO_HOST; i++)
        record_copy(watch, i);
    return gpu_batch_end(watch->yardsticks, err);
}

// Sets *rate to the number of iterations that all cores make per core cycle, which does not depend
// on the core clock, and *core_hz to the core clock. If kernels cannot read the core clock, sets
// *rate to the iterations per second, and *core_hz to NaN.
static bool read_arithmetic(struct measure_watch *watch, uint32_t iterations, double *rate,
                            double *core_hz, struct error *err)
{
    double span_ns;
    uint32_t groups = watch->groups * CORE_GROUPS;
    if (!gpu_batch_span_ns(watch->yardsticks, WATCH_CORES, &span_ns, err))
        return false;
    *rate = (double)iterations * groups * 1e9 / span_ns;
    *core_hz = NAN;
    if (!watch->clock.counts_core_clock)
        return true;
    struct arena_mark mark = arena_mark(watch->arena);
    const uint32_t *words = gpu_buffer_map(watch->words);
    uint32_t some = groups < GROUPS_MAX ? groups : GROUPS_MAX;
    double *cycles = ARENA_ARRAY(watch->arena, some, double);
    for (uint32_t group = 0; group < some; group++)
        cycles[group] = (double)measure_clock_delta(clock_kernel_stamp(words, 2, group, 0).core,
                                                    clock_kernel_stamp(words, 2, group, 1).core,
                                                    watch->clock.counter_bits);
    const double median = stats_median(cycles, some);
    *rate = (double)iterations * groups / median;
    *core_hz = median * 1e9 / span_ns; // an estimate: the workgroups run for almost the whole span
    arena_rewind(watch->arena, mark);
    return true;
}

// Returns the number of workgroups that began before the first one of the dispatch ended: so many
// had a place on the cores at the same time. NaN if places are not counted.
static double read_places(const struct measure_watch *watch)
{
    if (!counts_places(watch))
        return NAN;
    const uint32_t *words = gpu_buffer_map(watch->words);
    words += places_offset(watch) / sizeof *words;
    uint64_t origin = clock_kernel_stamp(words, 2, 0, 0).device;
    double first_end_ns = (double)INFINITY, places = 0;
    for (uint32_t group = 0; group < watch->groups * PLACE_GROUPS; group++)
        first_end_ns = fmin(first_end_ns,
                            measure_clock_offset_ns(&watch->clock, origin,
                                                    clock_kernel_stamp(words, 2, group, 1).device));
    for (uint32_t group = 0; group < watch->groups * PLACE_GROUPS; group++)
        places +=
            measure_clock_offset_ns(&watch->clock, origin,
                                    clock_kernel_stamp(words, 2, group, 0).device) < first_end_ns;
    return places;
}

static bool read_copy(struct measure_watch *watch, unsigned span, double *rate, struct error *err)
{
    double ns;
    const struct watch_copy *copy = &watch->copies[span];
    *rate = NAN;
    if (!copy->passes)
        return true;
    if (!gpu_batch_span_ns(watch->yardsticks, span, &ns, err))
        return false;
    *rate = ns > 0 ? (double)copy->bytes * copy->passes * 1e9 / ns : NAN;
    return true;
}

// Runs all yardsticks once. Raises each of `rates` to the measured rate and *most_hz to the
// measured core clock, if these are higher; the number of places is lowered if it is lower. A
// yardstick that is not measured leaves its rate as it is, because fmax ignores a NaN.
static bool run_yardsticks(struct measure_watch *watch, uint32_t iterations,
                           double rates[WATCH_YARDSTICKS], double *most_hz, struct error *err)
{
    double rate, core_hz;
    if (!gpu_batch_run(watch->yardsticks, timeout_ns, err) ||
        !read_arithmetic(watch, iterations, &rate, &core_hz, err))
        return false;
    rates[WATCH_CORES] = fmax(rates[WATCH_CORES], rate);
    rates[WATCH_PLACES] = fmin(rates[WATCH_PLACES], read_places(watch)); // fmin ignores a NaN
    *most_hz = fmax(*most_hz, core_hz);
    for (unsigned i = WATCH_MEMORY; i <= WATCH_TO_HOST; i++) {
        if (!read_copy(watch, i, &rate, err))
            return false;
        rates[i] = fmax(rates[i], rate);
    }
    return true;
}

// Runs each yardstick (a small fixed piece of work) YARDSTICK_RUNS times and keeps its highest
// rate, because an idle link is still slow at the first run.
static bool take_yardsticks(struct measure_watch *watch, struct watch_finding *finding,
                            struct error *err)
{
    for (unsigned i = 0; i < WATCH_YARDSTICKS; i++)
        finding->rates[i] = NAN;
    if (!watch->yardsticks || !watch->arithmetic_iterations)
        return true;
    uint32_t iterations = watch->arithmetic_iterations;
    if (!record_yardsticks(watch, iterations, err))
        return false;
    double most_hz = NAN;
    for (int run = 0; run < YARDSTICK_RUNS; run++)
        if (!run_yardsticks(watch, iterations, finding->rates, &most_hz, err))
            return false;
    struct watch_copy *cached = &watch->copies[WATCH_CACHE];
    if (cached->passes)
        cached->passes = watch_cache_passes(cached->passes, cached->bytes, finding->rates);
    watch_drop_slow_clock(most_hz, &watch->fastest_hz, finding);
    return true;
}

// ---------------------------------------------------------------- running a watch

static const char kernel_without_clocks[] = "measure_clock_none"; // a kernel that reads no clock

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
    watch->method = tells_gaps ? WATCH_GAPS : WATCH_LENGTHS;
    watch->program = clock->program;
    if (!watch->program)
        watch->program = gpu_program_create(
            watch->scope, &(struct gpu_program_desc){.kernel = kernel_find(kernel_without_clocks)},
            err);
    return watch->program != NULL;
}

// Sets the limits of the rates over the link. The other yardsticks get no limit: the limit of the
// last cache is not known, and arithmetic and copies within memory do not come near their limits. A
// copy within the memory of an H200 reaches 83 % of its limit through CUDA, and 17 % through
// Vulkan.
static void find_limits(struct measure_watch *watch)
{
    struct arena_mark mark = arena_mark(watch->arena);
    struct measure_link link;
    measure_link_of(watch->arena, watch->info, &link);
    watch->limits_known = true;
    for (unsigned i = 0; i < WATCH_YARDSTICKS; i++)
        watch->limits[i] = NAN;
    if (link.bytes_per_s > 0)
        watch->limits[WATCH_TO_DEVICE] = watch->limits[WATCH_TO_HOST] = link.bytes_per_s;
    arena_rewind(watch->arena, mark);
}

struct measure_watch *measure_watch_open(struct arena *arena, struct gpu_scope *scope,
                                         struct error *err)
{
    struct measure_watch *watch = ARENA_NEW(arena, struct measure_watch);
    watch->arena = arena;
    watch->scope = scope;
    watch->info = gpu_device_info(gpu_scope_device(scope));
    // On a model (a simulated device), other work takes all cores at once, so it is enough to watch
    // one core. Each further core would take time to simulate.
    bool is_model = watch->info->caps & GPU_CAP(VIRTUAL_TIME);
    uint64_t cores = watch->info->limits.cores ? watch->info->limits.cores : GROUPS_UNKNOWN;
    watch->groups = is_model ? 1 : (uint32_t)(cores < GROUPS_MAX ? cores : GROUPS_MAX);
    watch->iterations = 64;
    watch->batch = gpu_batch_create(scope, &(struct gpu_batch_desc){.span_count = LENGTHS}, err);
    bool ready = watch->batch && measure_clock_probe(scope, &watch->clock, err) &&
                 choose_program(watch, err) && make_words(watch, err) &&
                 make_yardsticks(watch, err);
    return ready ? watch : NULL;
}

bool measure_watch_run(struct measure_watch *watch, uint64_t least_ns,
                       struct watch_finding *finding, struct error *err)
{
    double away_ns, wanted_ns = (double)(least_ns ? least_ns : least_default_ns);
    if (!take_long_enough(watch, wanted_ns, finding, &away_ns, err))
        return false;
    finding->share = finding->watched_ns > 0 ? away_ns / finding->watched_ns : 0;
    if (!take_yardsticks(watch, finding, err))
        return false;
    if (!watch->limits_known)
        find_limits(watch); // after the copies, because an idle card slows its link down
    memcpy(finding->limits, watch->limits, sizeof finding->limits);
    // All cores hold the same number of workgroups.
    if (watch->info->limits.cores == watch->groups)
        finding->limits[WATCH_PLACES] =
            ceil(finding->rates[WATCH_PLACES] / watch->groups) * watch->groups;
    return true;
}
