// SPDX-License-Identifier: MIT
#include "map/parts.h"

#include "math/stats.h"
#include "results/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    // maximum number of reads by the whole device for each cache level
    POINTS = 5,
    // Maximum number of reads by one workgroup for each level; also of reads by the whole device
    // for memory.
    GROUP_POINTS = 5,
    // Minimum number of sizes in a plateau. (A level of 16 KiB has room for only 3 sizes, and one
    // of them may be noisy.)
    PLATEAU_LEAST = 2,
    // Size of a piece. Each workgroup reads one piece in a pass (walk `long` of the benchmark
    // bandwidth).
    PIECE_BYTES = 256 << 10,
    // The size of a read is a multiple of one of these numbers of bytes:
    // - GRAIN_BYTES, from LARGE_BYTES on LARGE_GRAIN_BYTES: one workgroup reads, or all read the
    //   same
    // - PIECE_BYTES: the whole device reads a cache after the first one (odd_size)
    // - MEMORY_GRAIN_BYTES, the part of one workgroup: the whole device reads memory
    GRAIN_BYTES = 4 << 10,
    LARGE_GRAIN_BYTES = 128 << 10,
    MEMORY_GRAIN_BYTES = 512 << 10,
    LARGE_BYTES = 2 << 20,
    READS_MAX = 256,
    CORES_UNKNOWN = 64,
    // From this many bytes per core on, two cores rarely read the same line at the same time.
    CORE_BYTES = 64 << 10,
    // minimum number of bytes per core for reads by the whole device (not in the first level)
    CORE_BYTES_LEAST = 16 << 10,
    // Maximum size of a read from memory, as a multiple of the size of the last cache.
    MEMORY_CACHES = 16,
    UNIT_TEXT = 32
};

// maximum size in bytes of a read from a GPU's memory
#define MEMORY_BYTES (UINT64_C(2) << 30)

// Maximum size of a read in the first level, as a share of the level. The share is smaller for
// other levels (map_level_alone), because some sets may be full before the whole cache.
static const double within_first = 0.85;
// Minimum size of a read from memory, divided by the size of the last cache.
static const double apart_from_caches = 4;
// For reads by the whole device, the smallest size in a level is raised to CORE_BYTES per core, but
// at most to the largest size divided by this number.
static const double least_width = 2.5;
// Rounding may move the size of a read out of its range by up to this factor.
static const double rounding = 1.05;
// Maximum ratio of the largest to the smallest bandwidth of a plateau.
static const double plateau_ratio = 1.05;
// Ratio of the smallest to the largest size of the reads in the first level.
static const double least_part_of_end = 0.125;

struct span {
    // allowed sizes of reads in bytes; from > to if no size lies in the level alone
    double from, to;
    const char *why; // reason why no size is allowed (from > to), as text for the user
};

// ---------------------------------------------------------------- which sizes

// Returns the range of sizes at which reads of one workgroup lie in level k alone.
static struct span group_span(const struct level_curve *curve, const struct map_size *sizes,
                              size_t k)
{
    struct span span = {.why = "the level ends too soon after the previous one for a read that "
                               "lies in it alone"};
    bool is_memory = k + 1 == curve->fit.count;
    if (is_memory) {
        span.from = k ? apart_from_caches * sizes[k - 1].high : 0;
        span.to = INFINITY;
    } else if (k == 0) {
        span.to = within_first * sizes[0].low;
        span.from = fmax(GRAIN_BYTES, least_part_of_end * span.to);
    } else {
        const struct map_size alone = map_level_alone(curve, sizes, k);
        span.from = alone.low;
        span.to = alone.high;
    }
    return span;
}

// Returns the range of sizes at which reads of the whole device lie in level k alone. In the first
// level all cores read the same bytes. In later levels each core reads a part of its own.
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

// Returns the nearest size of n pieces; n is at least 5, and not divisible by 2 or 3 (map/parts.h).
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

// Adds up to `count` reads of global memory, with sizes in a geometric series over the span. Leaves
// out a size that `round_to` moves out of the span. With grain_size, all workgroups read the same
// bytes, otherwise each workgroup reads its own part.
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

// Returns the size in bytes of the largest read from memory. `end` is the size of the last cache.
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

void map_bandwidth_add_cases(const struct map_look *look)
{
    struct map_cases *cases = look->cases;
    const struct level_curve *curve = &look->caches->steps.curve;
    struct map_size sizes[PLATEAUS_MAX];
    map_level_sizes(look->caches, sizes);
    for (size_t k = 0; k + 1 < curve->fit.flat; k++) {
        add_reads(cases, "device", k ? odd_size : grain_size,
                  device_span(curve, sizes, k, cases->limits.cores), POINTS);
        add_reads(cases, "workgroup", grain_size, group_span(curve, sizes, k), GROUP_POINTS);
    }
    if (curve->fit.decided)
        add_memory_reads(cases, curve, sizes);
}

// ---------------------------------------------------------------- the plateau

struct reads {
    const struct result *at[READS_MAX]; // the reads with the verdict ok, sorted by size
    size_t count;
    // the most frequent reason of the reads with another verdict; NULL if there is none
    const char *why;
};

// True if the result, measured or skipped, is a read by `scope` with a size in `span`.
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

// Returns the text of the reason whose code is most frequent in `results`; NULL if there is none.
static const char *usual_reason(const struct result *const *results, size_t count)
{
    const char *usual = NULL;
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        size_t alike = 0;
        for (size_t k = 0; k < count; k++)
            alike += result_reason(results[k], results[i]->reasons[0].code) != NULL;
        if (alike > most) {
            most = alike;
            usual = results[i]->reasons[0].text;
        }
    }
    return usual;
}

// Stores the reads with the verdict ok, and the most frequent reason of all other reads in
// reads->why.
static void find_reads(const struct map_writer *w, const char *scope, const struct span *span,
                       struct reads *reads)
{
    const struct result *others[READS_MAX];
    size_t other_count = 0;
    *reads = (struct reads){.why = NULL};
    for (size_t i = 0; i < w->run->result_count && reads->count < READS_MAX; i++) {
        const struct result *read = w->run->results[i];
        if (!is_read(w, read, scope, span))
            continue;
        const struct metric *metric = result_metric(read, "bandwidth");
        if (read->verdict == VERDICT_OK && metric && isfinite(metric->median))
            reads->at[reads->count++] = read;
        else if (read->reason_count && other_count < READS_MAX)
            others[other_count++] = read;
    }
    reads->why = usual_reason(others, other_count);
    qsort(reads->at, reads->count, sizeof *reads->at, compare_bytes);
}

static const struct metric *bandwidth_of(const struct reads *reads, size_t i)
{
    return result_metric(reads->at[i], "bandwidth");
}

struct run_of_reads {
    size_t first, count;
};

// Returns the longest series of neighbouring sizes with nearly equal bandwidth. If several are
// equally long, returns the series with the largest sizes, because in small reads several cores
// request the same line at once.
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

// Returns the median bandwidth of the plateau's reads. The interval contains all medians of the
// reads, and reaches to the median of their lower bounds and the median of their upper bounds. So
// one noisy read does not widen it.
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
    // stats_median has sorted the medians, so the first and the last are minimum and maximum.
    height.median = stats_median(medians, run.count);
    height.ci95[0] = fmin(medians[0], stats_median(lows, run.count));
    height.ci95[1] = fmax(medians[run.count - 1], stats_median(highs, run.count));
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

// Copies remarks about a low core clock from the plateau's reads to the result, one remark of each
// code.
static void add_clock_remarks(const struct map_writer *w, struct result *result,
                              const struct reads *reads, struct run_of_reads run)
{
    static const char *const codes[] = {"low-clock", "throttled"};
    for (size_t i = run.first; i < run.first + run.count; i++)
        for (size_t k = 0; k < COUNT(codes); k++) {
            const struct reason *remark = result_reason(reads->at[i], codes[k]);
            if (remark && !result_reason(result, codes[k]))
                result_flag(w->run->arena, result, VERDICT_OK, codes[k], "bandwidth: %s",
                            remark->text);
        }
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
    add_clock_remarks(w, result, &reads, run);
}

// Adds the metric `instances`: the number of cores divided by the cores that share one cache.
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
