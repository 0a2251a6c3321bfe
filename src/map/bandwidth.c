// SPDX-License-Identifier: MIT
#include "map/parts.h"

#include "results/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    POINTS = 5,              // number of sizes within a level that the whole device reads
    GROUP_POINTS = 5,        // number of sizes that one workgroup reads, and of reads from memory
    PLATEAU_LEAST = 2,       // least reads in a plateau: 16 KiB hold three sizes, one may be noisy
    PIECE_BYTES = 256 << 10, // largest part that one workgroup of `bandwidth` walks through
    // Sizes are multiples of one of these: of GRAIN_BYTES below LARGE_BYTES and of
    // LARGE_GRAIN_BYTES above, if all workgroups read everything (a lap of 32 rows of threads is
    // then one walk); of MEMORY_GRAIN_BYTES for reads from memory, in which workgroups of 1024
    // threads walk through 512 KiB.
    GRAIN_BYTES = 4 << 10,
    LARGE_GRAIN_BYTES = 128 << 10,
    MEMORY_GRAIN_BYTES = 512 << 10,
    LARGE_BYTES = 2 << 20,
    READS_MAX = 256,
    CORES_UNKNOWN = 64,
    CORE_BYTES = 64 << 10,       // with this per core, two cores rarely read a line at once
    CORE_BYTES_LEAST = 16 << 10, // least bytes per core, if the level is small
    MEMORY_CACHES = 16,          // size of a read from memory, in sizes of the last level
    UNIT_TEXT = 32
};

#define MEMORY_BYTES (UINT64_C(2) << 30) // most bytes that are read from memory

// A region lies in a level alone if it is larger than both `beyond` times the previous level and
// `beyond_most` times the most that the previous level may hold, and smaller than `within` times
// the level itself: some sets of a hashed cache fill before its end. The sets of first levels fill
// evenly, so `within_first` is larger.
static const double beyond = 1.25, beyond_most = 1.05, within = 0.7, within_first = 0.85;
static const double apart_from_caches = 4; // least region in memory, divided by the last cache
static const double least_width = 2.5;     // largest to smallest size, if the level has room
static const double rounding = 1.05;       // a rounded size may leave its span by this factor
static const double plateau_ratio = 1.05;  // largest to smallest bandwidth of a plateau, at most
static const double least_part_of_end = 0.125; // smallest to largest size read in the first level

struct span {
    double from, to; // bytes; from > to: no read lies within the level alone
    const char *why; // the reason if from > to
};

// ---------------------------------------------------------------- which sizes

static double least_beyond(const struct map_size *before)
{
    return fmax(beyond * sqrt(before->low * before->high), beyond_most * before->high);
}

// Returns the sizes at which one workgroup reads from level k alone.
static struct span group_span(const struct level_curve *curve, const struct map_size *sizes,
                              size_t k)
{
    struct span span = {.why = "the level ends too soon after the previous one for a read that "
                               "lies in it alone"};
    bool is_memory = k + 1 == curve->fit.count;
    double part = k ? within : within_first;
    span.to = is_memory ? INFINITY : part * sizes[k].low;
    if (k == 0)
        span.from = is_memory ? 0 : fmax(GRAIN_BYTES, least_part_of_end * span.to);
    else
        span.from = is_memory ? apart_from_caches * sizes[k - 1].high : least_beyond(&sizes[k - 1]);
    return span;
}

// Returns the sizes at which the whole device reads from level k alone. In the first level all
// cores read the same bytes.
static struct span device_span(const struct level_curve *curve, const struct map_size *sizes,
                               size_t k, unsigned cores)
{
    struct span span = group_span(curve, sizes, k);
    double count = cores ? cores : CORES_UNKNOWN;
    if (k == 0 || !isfinite(span.to) || span.from > span.to)
        return span;
    span.from = fmax(span.from, fmin(CORE_BYTES * count, span.to / least_width));
    if (CORE_BYTES_LEAST * count > span.to) {
        span.from = INFINITY;
        span.why = "the level is too small to give every core a part of its own to read";
    }
    return span;
}

// Returns the size nearest to `bytes` whose number of pieces is at least 5 and has no factor 2 or
// 3.
static uint64_t odd_size(double bytes)
{
    double pieces = bytes / PIECE_BYTES;
    uint64_t best = 5;
    for (uint64_t n = 5; (double)n < pieces + 4; n += n % 3 == 1 ? 4 : 2)
        if (fabs((double)n - pieces) < fabs((double)best - pieces))
            best = n;
    return best * PIECE_BYTES;
}

static uint64_t rounded(double bytes, uint64_t grain)
{
    return (uint64_t)(bytes / (double)grain + 0.5) * grain;
}

static uint64_t grain_size(double bytes)
{
    return rounded(bytes, bytes < LARGE_BYTES ? GRAIN_BYTES : LARGE_GRAIN_BYTES);
}

static uint64_t memory_size(double bytes)
{
    return rounded(bytes, MEMORY_GRAIN_BYTES);
}

static bool is_in_span(double bytes, const struct span *span)
{
    return bytes * rounding >= span->from && bytes <= span->to * rounding;
}

// Adds up to `count` reads. Their sizes rise by a constant factor across the span and are rounded
// by `round_to`; a size that then lies outside the span is left out. If `round_to` is grain_size,
// all workgroups read everything, else each reads a part of its own.
static void add_reads(struct map_cases *cases, const char *scope, uint64_t (*round_to)(double),
                      struct span span, unsigned count)
{
    for (unsigned i = 0; span.from <= span.to && i < count; i++) {
        double bytes = span.from * pow(span.to / span.from, (double)i / (count - 1));
        uint64_t size = round_to(bytes);
        if (is_in_span((double)size, &span))
            map_cases_add_read(cases, scope, round_to != grain_size, size);
    }
}

// Returns the bytes of the largest read from memory, if the last cache ends at `end`.
static double largest_read(const struct map_cases *cases, double end)
{
    double most = map_cases_of_cpu(cases) ? (double)MAP_CPU_BYTES : (double)MEMORY_BYTES;
    uint64_t memory = cases->device->limits.memory_bytes;
    return fmin(fmin(MEMORY_CACHES * end, most), memory ? (double)memory / 2 : INFINITY);
}

static void add_memory_reads(struct map_cases *cases, const struct level_curve *curve,
                             const struct map_size *sizes)
{
    size_t k = curve->fit.count - 1;
    struct span span = group_span(curve, sizes, k);
    span.to = largest_read(cases, k ? sizes[k - 1].high : INFINITY);
    span.from = fmax(span.from, span.to / 2);
    add_reads(cases, "device", memory_size, span, GROUP_POINTS);
    add_reads(cases, "workgroup", grain_size, span, GROUP_POINTS);
}

void map_bandwidth_add_cases(struct map_cases *cases, const struct level_curve *curve,
                             const struct map_size *sizes)
{
    for (size_t k = 0; curve && k + 1 < curve->fit.flat; k++) {
        add_reads(cases, "device", k ? odd_size : grain_size,
                  device_span(curve, sizes, k, cases->limits.cores), POINTS);
        add_reads(cases, "workgroup", grain_size, group_span(curve, sizes, k), GROUP_POINTS);
    }
    if (curve && curve->fit.decided)
        add_memory_reads(cases, curve, sizes);
}

// ---------------------------------------------------------------- the plateau

struct reads {
    const struct result *at[READS_MAX]; // sorted by size
    size_t count;
    const char *why; // why one of the reads does not count; NULL if all count
};

// True if the result is a read by `scope` with a size in `span`, measured or not.
static bool is_read(const struct map_writer *w, const struct result *result, const char *scope,
                    const struct span *span)
{
    const struct bench_case *bench_case = &result->bench_case;
    if (strcmp(result->benchmark, "bandwidth") != 0 || strcmp(result->device, w->device->id) != 0 ||
        !case_says(bench_case, "op", "read") || !case_says(bench_case, "path", "global") ||
        !case_says(bench_case, "scope", scope))
        return false;
    return is_in_span((double)case_uint(bench_case, "bytes"), span);
}

static double bytes_of(const struct result *read)
{
    return (double)case_uint(&read->bench_case, "bytes");
}

static int compare_bytes(const void *a, const void *b)
{
    double first = bytes_of(*(const struct result *const *)a);
    double second = bytes_of(*(const struct result *const *)b);
    return (first > second) - (first < second);
}

// Finds the reads with verdict `ok`, the only ones that count.
static void find_reads(const struct map_writer *w, const char *scope, const struct span *span,
                       struct reads *reads)
{
    *reads = (struct reads){.why = NULL};
    for (size_t i = 0; i < w->run->result_count && reads->count < READS_MAX; i++) {
        const struct result *read = w->run->results[i];
        if (!is_read(w, read, scope, span))
            continue;
        const struct metric *metric = result_metric(read, "bandwidth");
        if (read->verdict == VERDICT_OK && metric && isfinite(metric->median))
            reads->at[reads->count++] = read;
        else if (read->reason_count)
            reads->why = read->reasons[0].text;
    }
    qsort(reads->at, reads->count, sizeof *reads->at, compare_bytes);
}

static const struct metric *bandwidth_of(const struct reads *reads, size_t i)
{
    return result_metric(reads->at[i], "bandwidth");
}

struct run_of_reads {
    size_t first, count;
};

// Returns the longest series of sizes with nearly equal bandwidth. Among equally long ones the
// largest sizes win: if cores have few bytes each, they ask for the same line at the same time.
static struct run_of_reads plateau_of(const struct reads *reads)
{
    struct run_of_reads best = {0};
    for (size_t first = 0; first < reads->count; first++) {
        double low = INFINITY, high = 0;
        for (size_t i = first; i < reads->count; i++) {
            low = fmin(low, bandwidth_of(reads, i)->median);
            high = fmax(high, bandwidth_of(reads, i)->median);
            if (high > plateau_ratio * low)
                break;
            if (i + 1 - first >= best.count)
                best = (struct run_of_reads){first, i + 1 - first};
        }
    }
    return best;
}

static int compare_doubles(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static double median_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

// Returns the median of the plateau's reads. Its interval contains all their medians, and reaches
// at least from the median of their lower bounds to that of their upper bounds: so one noisy read
// among several that agree does not widen it.
static struct level_height height_of(const struct map_writer *w, const struct reads *reads,
                                     struct run_of_reads run)
{
    double *medians = ARENA_ARRAY(w->scratch, run.count, double);
    double *lows = ARENA_ARRAY(w->scratch, run.count, double);
    double *highs = ARENA_ARRAY(w->scratch, run.count, double);
    struct level_height height = {0};
    for (size_t i = 0; i < run.count; i++) {
        const struct metric *metric = bandwidth_of(reads, run.first + i);
        medians[i] = metric->median;
        lows[i] = metric->ci95[0];
        highs[i] = metric->ci95[1];
        height.count += metric->n;
    }
    height.median = median_of(medians, run.count); // this also sorts the medians
    height.ci95[0] = fmin(medians[0], median_of(lows, run.count));
    height.ci95[1] = fmax(medians[run.count - 1], median_of(highs, run.count));
    return height;
}

static const char *why_unknown(const struct map_writer *w, const struct reads *reads,
                               const struct span *span)
{
    char from[UNIT_TEXT], to[UNIT_TEXT], low[UNIT_TEXT], high[UNIT_TEXT];
    double least = INFINITY, most = 0;
    if (span->from > span->to)
        return span->why;
    if (reads->count < PLATEAU_LEAST)
        return reads->why ? reads->why : "too few reads within the level alone were measured";
    for (size_t i = 0; i < reads->count; i++) {
        least = fmin(least, bandwidth_of(reads, i)->median);
        most = fmax(most, bandwidth_of(reads, i)->median);
    }
    unit_format(bytes_of(reads->at[0]), UNIT_BYTE, from, sizeof from);
    unit_format(bytes_of(reads->at[reads->count - 1]), UNIT_BYTE, to, sizeof to);
    unit_format(least, UNIT_BYTE_PER_S, low, sizeof low);
    unit_format(most, UNIT_BYTE_PER_S, high, sizeof high);
    return arena_printf(w->scratch, "reads of %s to %s have no plateau: %s to %s", from, to, low,
                        high);
}

static void add_plateau(const struct map_writer *w, struct result *result, enum map_metric which,
                        const char *scope, struct span span)
{
    struct reads reads;
    find_reads(w, scope, &span, &reads);
    struct run_of_reads run = plateau_of(&reads);
    if (run.count < PLATEAU_LEAST || span.from > span.to) {
        map_add_known(w, result, which, 0, why_unknown(w, &reads, &span));
        return;
    }
    struct level_height height = height_of(w, &reads, run);
    map_add_metric(w, result, which, &height);
}

// Adds the number of caches of this kind on the device: cores divided by the cores that share one.
static void add_instances(const struct map_writer *w, struct result *result)
{
    const struct metric *sharers = result_metric(result, "sharers");
    double cores = w->limits.cores;
    if (!sharers || !(cores > 0)) {
        map_add_known(w, result, MAP_METRIC_INSTANCES, 0,
                      "it is not known how many cores share the level");
        return;
    }
    map_add_metric(w, result, MAP_METRIC_INSTANCES,
                   &(struct level_height){
                       fmax(round(cores / sharers->median), 1),
                       {fmax(floor(cores / sharers->ci95[1]), 1), ceil(cores / sharers->ci95[0])},
                       sharers->n});
}

void map_add_bandwidth(const struct map_writer *w, struct result *result,
                       const struct level_curve *curve, const struct map_size *sizes, size_t k)
{
    if (k + 1 < curve->fit.count)
        add_instances(w, result);
    add_plateau(w, result, MAP_METRIC_BANDWIDTH, "device",
                device_span(curve, sizes, k, w->limits.cores));
    add_plateau(w, result, MAP_METRIC_GROUP_BANDWIDTH, "workgroup", group_span(curve, sizes, k));
}
