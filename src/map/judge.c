// SPDX-License-Identifier: MIT
#include "map/judge.h"

#include "bench/map.h"
#include "math/line.h"
#include "math/stats.h"

#include <math.h>

// Chains on several cores may overflow the next level if they cover more than this many times its
// size.
static const double crowded_out = 1.6;

enum {
    REGION_MIN = 2048,
    // A probe for sharers runs several chains at a time. Their regions together cover at most
    // CROWD_MOST times the level or CROWD_LEAST bytes, whichever is more.
    CROWD_MOST = 8,
    CROWD_LEAST = 256 << 20,
    // A number of sharers counts as possible if its cost (sharers_cost) is at most this much above
    // the minimum cost. The margin is large, because the true shape of a rise is never known well.
    SHARERS_MARGIN = 16
};

double map_curve_ns(const struct level_curve *curve, double bytes)
{
    double x = log2(bytes);
    size_t i = 0;
    while (i + 2 < curve->count && curve->octaves[i + 1] < x)
        i++;
    double width = curve->octaves[i + 1] - curve->octaves[i];
    double t = fmin(fmax((x - curve->octaves[i]) / width, 0), 1);
    return curve->ns[i] + t * (curve->ns[i + 1] - curve->ns[i]);
}

// ---------------------------------------------------------------- ways

const unsigned map_ways_plan[] = {2,  3,  4,  5,  6,  7,  8,  9,  10, 12,
                                  13, 16, 17, 20, 21, 24, 25, 32, 33};
const size_t map_ways_count = sizeof map_ways_plan / sizeof *map_ways_plan;

uint64_t map_ways_stride(double end)
{
    uint64_t stride = 1024;
    while ((double)stride < end * 0.97)
        stride *= 2;
    return stride;
}

unsigned map_ways_judge(const struct map_level *level, const double *latency, const char **why)
{
    double middle = sqrt(level->within * level->beyond);
    size_t fit = 0;
    *why = "its probes were not measured or were disturbed";
    for (size_t i = 0; i < map_ways_count; i++)
        if (!isfinite(latency[i]))
            return 0;
    while (fit < map_ways_count && latency[fit] < middle)
        fit++;
    *why =
        "lines a power of two apart do not conflict: the cache hashes its set index, or has more "
        "than 33 ways";
    if (fit == map_ways_count) {
        if (latency[fit - 1] < sqrt(level->before * level->within))
            *why = "the level before it holds all lines of the probes";
        return 0;
    }
    *why = "two lines a power of two apart already miss, which no set-associative cache explains";
    if (fit == 0)
        return 0;
    *why = "the level before it holds all lines that fit";
    if (latency[fit - 1] < sqrt(level->before * level->within))
        return 0;
    *why = "its probes contradict each other";
    for (size_t i = fit; i < map_ways_count; i++)
        if (latency[i] < middle)
            return 0;
    *why = "one line more than fits makes only some of the loads miss: it does not replace the "
           "oldest line";
    if (latency[fit] < level->within + 0.7 * (level->beyond - level->within))
        return 0;
    *why = "the number of ways lies between two probes";
    return map_ways_plan[fit] == map_ways_plan[fit - 1] + 1 ? map_ways_plan[fit - 1] : 0;
}

// ---------------------------------------------------------------- cores that share a level

// Region of a chain, as a share of the level's size: a cache holds one such chain, but not two.
static const double fitting_part = 0.75;

// Returns the number of chains of the next probe: 2, 4, 8, 16 …, half of the cores, all cores.
static unsigned more_chains(unsigned chains, unsigned cores)
{
    unsigned half = cores / 2, next = 2 * chains;
    if (chains >= half)
        return cores;
    return next > half * 7 / 10 ? half : next;
}

// Adds a probe of `chains` chains, each over `part` of the level's size. Leaves the probe out if
// its region is too small, if the level before can hold its region, or if all its regions together
// exceed `most` bytes.
static void add_sharers_probe(const struct map_level *level, double part, unsigned chains,
                              double most, struct map_sharers_probe *probes, size_t *count)
{
    double region = floor(part * level->end / MAP_NODE_BYTES) * MAP_NODE_BYTES;
    for (size_t i = 0; i < *count; i++)
        if (probes[i].region == region && probes[i].chains == chains)
            return;
    if (*count < MAP_SHARERS_MAX && region >= REGION_MIN && region > level->before_end &&
        region * chains <= most)
        probes[(*count)++] = (struct map_sharers_probe){region, chains};
}

size_t map_sharers_plan(const struct map_level *level, unsigned cores,
                        struct map_sharers_probe probes[MAP_SHARERS_MAX])
{
    size_t count = 0;
    double most = fmax(CROWD_MOST * level->end, CROWD_LEAST);
    for (unsigned chains = 1; chains < cores;) {
        chains = more_chains(chains, cores);
        add_sharers_probe(level, fitting_part, chains, most, probes, &count);
    }
    // A probe on all cores whose regions exceed `most` bytes together was not added. Instead,
    // probes with smaller regions on all cores show whether a few cores share the level.
    for (unsigned n = 2; n < cores && fitting_part * level->end * cores > most; n *= 2)
        add_sharers_probe(level, fitting_part / n, cores, most, probes, &count);
    return count;
}

size_t map_sharers_plan_again(const struct map_level *level, const struct map_sharers *found,
                              unsigned cores, struct map_sharers_probe probes[MAP_SHARERS_MAX])
{
    enum {
        COUNT = 5
    };
    size_t count = 0;
    double most = fmax(CROWD_MOST * level->end, CROWD_LEAST);
    for (size_t i = 0; i < COUNT && found->low < found->high; i++) {
        double n = found->low * pow((double)found->high / found->low, ((double)i + 0.5) / COUNT);
        double chains = fmin(ceil(1.33 * cores / n), cores);
        add_sharers_probe(level, fitting_part, (unsigned)chains, most, probes, &count);
        add_sharers_probe(level, 1 / n, cores, most, probes, &count);
    }
    return count;
}

unsigned map_sharers_together(const struct map_sharers_probe *probe, unsigned cores,
                              unsigned sharers, double part)
{
    unsigned groups = (cores + sharers - 1) / sharers;
    unsigned together = probe->chains * sharers / cores;
    for (;; together++) {
        unsigned chains = 0, first = 0;
        for (unsigned g = 1; g <= groups; g++) {
            uint64_t end = ((uint64_t)g * sharers * probe->chains + cores - 1) / cores;
            unsigned next = end < probe->chains ? (unsigned)end : probe->chains;
            chains += next - first <= together ? next - first : 0;
            first = next;
        }
        if (chains >= part * probe->chains || together >= probe->chains)
            return together ? together : 1;
    }
}

// Returns the expected latency of chains that cover `bytes` together, on cores that share one
// cache: by the latency curve of a single core (level->alone), else for a cache of `end` bytes.
static double shared_ns(const struct map_level *level, double end, double bytes)
{
    double share = bytes > end ? 1 : 0;
    if (level->alone)
        return fmin(fmax(map_curve_ns(level->alone, bytes), level->within), level->beyond);
    if (level->shapes)
        share = step_shapes_share(level->shapes, level->shape, log2(bytes / end));
    return level->within + share * (level->beyond - level->within);
}

// Returns how far a probe's latency is from `ns`, the expected latency if all misses hit the next
// level. If the chains overflow the next level, a miss takes longer, which is no deviation.
static double off_of(const struct map_level *level, const struct map_sharers_probe *probe,
                     double latency, double ns)
{
    double most = ns, share = (ns - level->within) / (level->beyond - level->within);
    if (probe->region * probe->chains > crowded_out * level->next_end)
        most += share * fmax(level->slowest - level->beyond, 0);
    double off = fmin(latency, fmax(level->beyond, most)) - ns;
    return off > 0 ? fmax(off - (most - ns), 0) : off;
}

// All probes of one level with their latencies, and the number of cores of the device.
struct crowd {
    const struct map_sharers_probe *probes;
    const double *latency;
    size_t count;
    unsigned cores;
};

// Returns how far a probe's latency is from *ns, the latency expected if `sharers` cores share a
// cache. Some chains may share their cache with more chains than others do. A latency between the
// latencies expected for few chains and for many is no deviation.
static double off_of_sharers(const struct map_level *level, double end, double crowding,
                             const struct map_sharers_probe *probe, double latency,
                             const struct crowd *crowd, unsigned sharers, double *ns)
{
    double bytes = crowding * probe->region, low, high;
    low = shared_ns(level, end, bytes * map_sharers_together(probe, crowd->cores, sharers, 0.4));
    high = shared_ns(level, end, bytes * map_sharers_together(probe, crowd->cores, sharers, 0.6));
    *ns = latency < high ? low : high;
    return latency > low && latency < high ? 0 : off_of(level, probe, latency, *ns);
}

// Returns how badly the probes fit if `sharers` cores share a level of `end` bytes (Huber's loss).
// Regions are multiplied by `crowding` (1 or more), because chains that run at the same time may
// evict each other's lines before the level is full.
static double sharers_cost_at(const struct map_level *level, double end, double crowding,
                              const struct crowd *crowd, unsigned sharers)
{
    double cost = 0, least = sqrt(level->before * level->within), ns;
    double step = level->beyond - level->within;
    for (size_t i = 0; i < crowd->count; i++) {
        double latency = crowd->latency[i];
        if (!(latency > least))
            continue;
        double off =
            off_of_sharers(level, end, crowding, &crowd->probes[i], latency, crowd, sharers, &ns);
        double size = fabs(off) / root_of_squares(0.04 * ns, 0.12 * step);
        cost += size < 3 ? size * size : 6 * size - 9;
    }
    return cost;
}

static double sharers_cost(const struct map_level *level, const struct crowd *crowd,
                           unsigned sharers)
{
    double cost = sharers_cost_at(level, level->end, 1, crowd, sharers);
    if (!level->shapes)
        return cost;
    if (level->alone)
        return fmin(cost, sharers_cost_at(level, level->end, 1.1, crowd, sharers));
    double low = fmin(level->end_low, 0.9 * level->end);
    cost = fmin(cost, sharers_cost_at(level, low, 1, crowd, sharers));
    return fmin(cost, sharers_cost_at(level, level->end_high, 1, crowd, sharers));
}

// Sets answer->sharers if only one possible number divides the number of cores. The probes must
// also exclude all other divisors near to this number, by a larger margin.
static void choose_sharers(const struct map_level *level, const struct crowd *crowd, double best,
                           struct map_sharers *answer)
{
    static const double near = 1.3;
    unsigned divisors = 0, divisor = 0;
    answer->why = "its probes fit more than one number";
    for (unsigned n = answer->low ? answer->low : 1; n <= answer->high; n++)
        if (crowd->cores % n == 0) {
            divisors++;
            divisor = n;
        }
    for (unsigned n = 1; n <= crowd->cores && divisors == 1; n++)
        if (crowd->cores % n == 0 && n != divisor && n * near > divisor && n < divisor * near &&
            sharers_cost(level, crowd, n) < best + 4 * SHARERS_MARGIN)
            return;
    if (divisors == 1)
        answer->sharers = divisor;
}

struct map_sharers map_sharers_judge(const struct map_level *level,
                                     const struct map_sharers_probe *probes, const double *latency,
                                     size_t count, unsigned cores)
{
    struct map_sharers answer = {.low = 1, .high = cores};
    const struct crowd crowd = {probes, latency, count, cores};
    double best = (double)INFINITY, least = sqrt(level->before * level->within);
    size_t telling = 0;
    answer.why = "its probes were not all measured";
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(latency[i]))
            return answer;
        telling += latency[i] > least;
    }
    answer.why = "no region was small enough for all cores at once and too large for the level "
                 "before it";
    if (telling < 2)
        return answer;
    for (unsigned n = 1; n <= cores; n++)
        best = fmin(best, sharers_cost(level, &crowd, n));
    answer.why = "its probes contradict each other";
    if (best > 4 * (double)telling)
        return answer;
    answer.low = 0;
    for (unsigned n = 1; n <= cores; n++)
        if (sharers_cost(level, &crowd, n) <= best + SHARERS_MARGIN) {
            answer.low = answer.low ? answer.low : n;
            answer.high = n;
        }
    choose_sharers(level, &crowd, best, &answer);
    return answer;
}

// ---------------------------------------------------------------- clocks

bool map_clocks_judge(const double *ns, const double *hz, size_t count, struct map_clocks *clocks,
                      const char **why)
{
    enum {
        POINTS_MAX = 256
    };
    double x[POINTS_MAX], y[POINTS_MAX], least = (double)INFINITY, most = 0;
    size_t n = 0;
    for (size_t i = 0; i < count && n < POINTS_MAX; i++) {
        if (!(hz[i] > 0) || !isfinite(ns[i]))
            continue;
        least = fmin(least, hz[i]);
        most = fmax(most, hz[i]);
        x[n] = 1e9 / hz[i];
        y[n++] = ns[i];
    }
    *why = n == 0  ? "the core clock is unknown"
           : n < 3 ? "the core clock is known for fewer than three latencies"
                   : "the core clock did not change";
    struct line line;
    if (n < 3 || most < MAP_CLOCKS_APART * least || !line_fit_relative(x, y, n, &line))
        return false;
    double middle = 1e9 / sqrt(least * most), whole = line.intercept + line.slope * middle;
    *why = "the core clock changed too little to separate fixed time from core cycles";
    if (!(whole > 0) || line.intercept_half > 0.25 * whole)
        return false;
    double part = line.intercept / whole;
    *clocks = (struct map_clocks){.fixed_ns = line.intercept,
                                  .fixed_half = line.intercept_half,
                                  .cycles = line.slope,
                                  .cycles_half = line.slope_half,
                                  .domain = part < 0.2   ? "the core's clock"
                                            : part > 0.8 ? "another clock than the core's"
                                                         : "the core's clock and another"};
    return true;
}
