// SPDX-License-Identifier: MIT
#include "measure/yardsticks.h"

#include "math/stats.h"
#include "measure/card.h"
#include "measure/clock_kernel.h"

#include <math.h>
#include <string.h>

enum {
    // Number of workgroups per core in the timed arithmetic: enough to keep the core's units busy.
    CORE_GROUPS = 16,
    // Workgroups per core to count how many run at the same time; more than any core holds.
    PLACE_GROUPS = 64,
    RUNS = 2,
    PASSES_MAX = 64, // maximum number of copies within the last cache that are timed together
    READ_MAX = 512   // maximum number of workgroups whose cycle counts are read
};
static const uint64_t copy_bytes = UINT64_C(64) << 20, link_bytes = UINT64_C(4) << 20;
static const uint64_t cache_least_bytes = UINT64_C(1) << 20;
// maximum time in ns that all copies within the last cache should take together
static const double passes_most_ns = 100e3;

struct yardstick_copy {
    struct gpu_buffer *to, *from;
    uint64_t bytes;
    uint32_t passes; // number of copies that are timed together; 0 if the copy is not measured
};

struct yardsticks {
    struct arena *arena;
    struct yardsticks_desc desc;
    struct gpu_buffer *words;
    struct gpu_batch *batch;
    // Limit of copies over the link in bytes per second; NaN if not known, 0 before it was read.
    double link_limit;
    // Highest core clock in Hz of all earlier runs of the yardsticks; 0 if not known.
    double fastest_hz;
    // one copy per yardstick; WATCH_CORES and WATCH_PLACES copy nothing and do not use theirs
    struct yardstick_copy copies[WATCH_YARDSTICKS];
};

// ---------------------------------------------------------------- computed from rates

void yardsticks_drop_slow_clock(double core_hz, double *fastest_hz, struct watch_finding *finding)
{
    static const double awake_least = 0.9;
    if (!(core_hz > 0))
        return;
    *fastest_hz = fmax(*fastest_hz, core_hz);
    if (core_hz < awake_least * *fastest_hz)
        finding->rates[WATCH_MEMORY] = finding->rates[WATCH_CACHE] = NAN;
}

uint64_t yardsticks_cache_bytes(const struct measure_limits *limits)
{
    static const uint64_t share = 8, page = 4096;
    if (!limits->last_cache_known || limits->last_cache_bytes < cache_least_bytes)
        return 0;
    uint64_t bytes = limits->last_cache_bytes / share / page * page;
    return bytes < copy_bytes ? bytes : copy_bytes;
}

uint32_t yardsticks_cache_passes(uint32_t passes, uint64_t bytes,
                                 const double rates[WATCH_YARDSTICKS])
{
    double wanted_ns = fmin((double)copy_bytes * 1e9 / rates[WATCH_MEMORY], passes_most_ns);
    double fitted = wanted_ns * rates[WATCH_CACHE] / ((double)bytes * 1e9);
    return (uint32_t)fmin(fmax(fitted, passes), PASSES_MAX); // fmax ignores a `fitted` that is NaN
}

// ---------------------------------------------------------------- creating the yardsticks

// Returns the offset in `words` of the stamps for WATCH_PLACES, which lie behind the arithmetic's
// stamps.
static uint64_t places_offset(const struct yardsticks *y)
{
    return clock_kernel_bytes(y->desc.groups * CORE_GROUPS, 2);
}

static struct gpu_buffer *make_buffer(struct yardsticks *y, uint64_t bytes, enum gpu_memory memory,
                                      struct error *err)
{
    return gpu_buffer_create(y->desc.scope,
                             &(struct gpu_buffer_desc){.bytes = bytes, .memory = memory}, err);
}

// All watches use the same buffers, because the rate of a cache depends on where the data lies. No
// copy is measured if the device has less than 4 GiB or a buffer cannot be created.
static void make_copies(struct yardsticks *y)
{
    struct measure_limits limits;
    measure_limits_of(y->desc.info, &limits);
    uint64_t cache_bytes = yardsticks_cache_bytes(&limits);
    struct gpu_buffer *from, *to, *upload, *readback;
    struct error no_room;
    if (y->desc.info->limits.memory_bytes < 64 * copy_bytes ||
        !(from = make_buffer(y, copy_bytes, GPU_MEMORY_DEVICE, &no_room)) ||
        !(to = make_buffer(y, copy_bytes, GPU_MEMORY_DEVICE, &no_room)) ||
        !(upload = make_buffer(y, link_bytes, GPU_MEMORY_UPLOAD, &no_room)) ||
        !(readback = make_buffer(y, link_bytes, GPU_MEMORY_READBACK, &no_room)))
        return;
    y->copies[WATCH_MEMORY] = (struct yardstick_copy){to, from, copy_bytes, 1};
    y->copies[WATCH_CACHE] = (struct yardstick_copy){to, from, cache_bytes, cache_bytes ? 1 : 0};
    y->copies[WATCH_TO_DEVICE] = (struct yardstick_copy){to, upload, link_bytes, 1};
    y->copies[WATCH_TO_HOST] = (struct yardstick_copy){readback, from, link_bytes, 1};
}

struct yardsticks *yardsticks_create(struct arena *arena, const struct yardsticks_desc *desc,
                                     struct error *err)
{
    struct yardsticks *y = ARENA_NEW(arena, struct yardsticks);
    *y = (struct yardsticks){.arena = arena, .desc = *desc};
    if (desc->info->caps & GPU_CAP(VIRTUAL_TIME))
        return y;
    y->batch = gpu_batch_create(desc->scope,
                                &(struct gpu_batch_desc){.span_count = WATCH_YARDSTICKS}, err);
    uint64_t bytes = places_offset(y) + clock_kernel_bytes(desc->groups * PLACE_GROUPS, 2);
    if (!y->batch || !(y->words = make_buffer(y, bytes, GPU_MEMORY_READBACK, err)))
        return NULL;
    make_copies(y);
    return y;
}

// ---------------------------------------------------------------- recording

static void record_copy(struct yardsticks *y, unsigned span)
{
    const struct yardstick_copy *copy = &y->copies[span];
    if (!copy->passes)
        return;
    if (span == WATCH_CACHE) // the timed copies then find the data in the cache
        gpu_batch_copy(y->batch, copy->to, 0, copy->from, 0, copy->bytes);
    gpu_batch_span_begin(y->batch, span);
    for (uint32_t pass = 0; pass < copy->passes; pass++)
        gpu_batch_copy(y->batch, copy->to, 0, copy->from, 0, copy->bytes);
    gpu_batch_span_end(y->batch, span);
}

// Returns true if fathom counts the workgroups that run at the same time. Workgroups of another
// process lower the count. Only clients of CUDA's context server (MPS) share a core. Through
// Vulkan, the count shows only noise (1 % on an idle H200).
static bool counts_places(const struct yardsticks *y)
{
    return y->desc.method == WATCH_GAPS && strcmp(y->desc.info->api, "cuda") == 0;
}

static void dispatch(struct yardsticks *y, uint64_t offset, uint32_t groups, uint32_t iterations)
{
    clock_kernel_dispatch(y->batch, &(struct clock_dispatch){.program = y->desc.program,
                                                             .buffer = y->words,
                                                             .offset = offset,
                                                             .groups = groups,
                                                             .stamps = 2,
                                                             .iterations = iterations});
}

static bool record(struct yardsticks *y, uint32_t iterations, struct error *err)
{
    if (!gpu_batch_reset(y->batch, err))
        return false;
    gpu_batch_span_begin(y->batch, WATCH_CORES);
    dispatch(y, 0, y->desc.groups * CORE_GROUPS, iterations);
    gpu_batch_span_end(y->batch, WATCH_CORES);
    if (counts_places(y))
        dispatch(y, places_offset(y), y->desc.groups * PLACE_GROUPS, (iterations + 3) / 4);
    for (unsigned i = WATCH_MEMORY; i <= WATCH_TO_HOST; i++)
        record_copy(y, i);
    return gpu_batch_end(y->batch, err);
}

// ---------------------------------------------------------------- reading

// Sets *core_hz to the core clock, and *rate to the iterations of all cores per core cycle. If
// kernels cannot read the core clock, sets *core_hz to NaN and *rate to the iterations per second.
static bool read_arithmetic(struct yardsticks *y, uint32_t iterations, double *rate,
                            double *core_hz, struct error *err)
{
    double span_ns;
    uint32_t groups = y->desc.groups * CORE_GROUPS;
    if (!gpu_batch_span_ns(y->batch, WATCH_CORES, &span_ns, err))
        return false;
    *rate = (double)iterations * groups * 1e9 / span_ns;
    *core_hz = NAN;
    if (!y->desc.clock->counts_core_clock)
        return true;
    struct arena_mark mark = arena_mark(y->arena);
    const uint32_t *words = gpu_buffer_map(y->words);
    uint32_t some = groups < READ_MAX ? groups : READ_MAX;
    double *cycles = ARENA_ARRAY(y->arena, some, double);
    for (uint32_t group = 0; group < some; group++)
        cycles[group] = (double)measure_clock_delta(clock_kernel_stamp(words, 2, group, 0).core,
                                                    clock_kernel_stamp(words, 2, group, 1).core,
                                                    y->desc.clock->counter_bits);
    const double median = stats_median(cycles, some);
    *rate = (double)iterations * groups / median;
    // this clock is a little too low: the workgroups run for less time than the span
    *core_hz = median * 1e9 / span_ns;
    arena_rewind(y->arena, mark);
    return true;
}

// Returns how many workgroups began before any workgroup ended; NaN if they are not counted.
static double read_places(const struct yardsticks *y)
{
    if (!counts_places(y))
        return NAN;
    const uint32_t *words = gpu_buffer_map(y->words);
    words += places_offset(y) / sizeof *words;
    uint64_t origin = clock_kernel_stamp(words, 2, 0, 0).device;
    double first_end_ns = (double)INFINITY, places = 0;
    for (uint32_t group = 0; group < y->desc.groups * PLACE_GROUPS; group++)
        first_end_ns = fmin(first_end_ns,
                            measure_clock_offset_ns(y->desc.clock, origin,
                                                    clock_kernel_stamp(words, 2, group, 1).device));
    for (uint32_t group = 0; group < y->desc.groups * PLACE_GROUPS; group++)
        places +=
            measure_clock_offset_ns(y->desc.clock, origin,
                                    clock_kernel_stamp(words, 2, group, 0).device) < first_end_ns;
    return places;
}

static bool read_copy(struct yardsticks *y, unsigned span, double *rate, struct error *err)
{
    double ns;
    const struct yardstick_copy *copy = &y->copies[span];
    *rate = NAN;
    if (!copy->passes)
        return true;
    if (!gpu_batch_span_ns(y->batch, span, &ns, err))
        return false;
    *rate = ns > 0 ? (double)copy->bytes * copy->passes * 1e9 / ns : NAN;
    return true;
}

// ---------------------------------------------------------------- running

// Keeps the best values of all runs: the highest, but the lowest for WATCH_PLACES. fmax ignores the
// NaN of a rate that is not measured.
static bool run_once(struct yardsticks *y, uint32_t iterations, double rates[WATCH_YARDSTICKS],
                     double *most_hz, struct error *err)
{
    double rate, core_hz;
    if (!gpu_batch_run(y->batch, y->desc.timeout_ns, err) ||
        !read_arithmetic(y, iterations, &rate, &core_hz, err))
        return false;
    rates[WATCH_CORES] = fmax(rates[WATCH_CORES], rate);
    // fmin ignores the NaN of workgroups that were not counted
    rates[WATCH_PLACES] = fmin(rates[WATCH_PLACES], read_places(y));
    *most_hz = fmax(*most_hz, core_hz);
    for (unsigned i = WATCH_MEMORY; i <= WATCH_TO_HOST; i++) {
        if (!read_copy(y, i, &rate, err))
            return false;
        rates[i] = fmax(rates[i], rate);
    }
    return true;
}

// The best of RUNS runs counts, because an idle link is still slow at the first one.
static bool measure(struct yardsticks *y, uint32_t iterations, double rates[WATCH_YARDSTICKS],
                    double *most_hz, struct error *err)
{
    if (!record(y, iterations, err))
        return false;
    for (int run = 0; run < RUNS; run++)
        if (!run_once(y, iterations, rates, most_hz, err))
            return false;
    struct yardstick_copy *cached = &y->copies[WATCH_CACHE];
    if (cached->passes)
        cached->passes = yardsticks_cache_passes(cached->passes, cached->bytes, rates);
    return true;
}

// Returns the limit of copies over the link; NaN if not known. Other yardsticks get no limit,
// because an H200 copies within memory at only 83 % of the limit through CUDA, and 17 % through
// Vulkan.
static double find_link_limit(const struct yardsticks *y)
{
    struct arena_mark mark = arena_mark(y->arena);
    struct measure_link link;
    measure_link_of(y->arena, y->desc.info, &link);
    arena_rewind(y->arena, mark);
    return link.bytes_per_s > 0 ? link.bytes_per_s : NAN;
}

bool yardsticks_run(struct yardsticks *y, uint32_t iterations, struct watch_finding *finding,
                    struct error *err)
{
    double most_hz = NAN;
    for (unsigned i = 0; i < WATCH_YARDSTICKS; i++)
        finding->rates[i] = finding->limits[i] = NAN;
    if (y->batch && iterations && !measure(y, iterations, finding->rates, &most_hz, err))
        return false;
    yardsticks_drop_slow_clock(most_hz, &y->fastest_hz, finding);
    if (y->link_limit == 0)
        // read after the copies, because an idle card slows its link down
        y->link_limit = find_link_limit(y);
    finding->limits[WATCH_TO_DEVICE] = finding->limits[WATCH_TO_HOST] = y->link_limit;
    // All cores hold equally many workgroups, so the limit is a multiple of the number of cores.
    if (y->desc.info->limits.cores == y->desc.groups)
        finding->limits[WATCH_PLACES] =
            ceil(finding->rates[WATCH_PLACES] / y->desc.groups) * y->desc.groups;
    return true;
}
