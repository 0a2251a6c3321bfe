// SPDX-License-Identifier: MIT
#include "map/lines.h"

#include "math/stats.h"

#include <math.h>

enum {
    SIZES = 6,
    FILLINGS = 5,
    // Number of pairs of a line size (32, 64, 128, 256 bytes) and a sector size up to it.
    SECTORS_OF_LINES = 1 + 2 + 3 + 4,
    CANDIDATES_MAX = 2 * SECTORS_OF_LINES * SIZES * FILLINGS,
    PROBES_MAX = 16,
    SECTORS_MOST = 8, // maximum number of sector sizes that are compared (32 bytes to 4 KiB)
    // Number of capacities tried for a sector: 0.6 to 1.63 times the capacity found before, in
    // steps of 8 %.
    SCALES = 14,
    POWERS = 64
};

// An answer is excluded if its cost is more than the minimum cost plus this margin. A cost is −2 ln
// of a likelihood. 9 is 2 ln 90, so the best answer is at least 90 times as likely.
static const double margin = 9;
// The margin for an answer with another sector than the best answer. It is larger, because fewer
// probes show a sector.
static const double sector_margin = 11;

// Additional costs of an answer (line, sector and capacity) whose size, or whose way to fill sets,
// does not follow from the end of the level on the latency curve.
static const double odd_size = 12, odd_filling = 6;
// Factor for odd_size and odd_filling at a slow rise, which says less about size and sets.
static const double odd_slow = 0.4;

// Standard error of the model, as a share of the latency step between the level and the next one.
// No real machine has ideal LRU replacement or exactly cyclic laps.
static const double model_error = 0.06;
// Additional standard error where half of the loads miss, as a share of the latency step; 0 where
// all hit or all miss. random_error is for the shape of a cache that replaces random lines,
// slow_error for other slow rises.
static const double random_error = 0.15, slow_error = 0.07;

// Standard error for chains that show only the sector, as a share of the latency step.
static const double sector_error = 0.05;
// lines_sector returns the best sector only if the cost of every other sector is higher by this
// margin: agreed_margin if lines_judge found the same sector, alone_margin if lines_judge found no
// sector.
static const double agreed_margin = 3, alone_margin = 6;

// If a lap touches more than this many times the lines that fit in the cache, all sets overflow.
static const double uneven_most = 4;

// Above this misfit, as a share of the latency step, lines_judge gives no answer.
static const double misfit_max = 0.3;

const struct lines_chain lines_plan[] = {{1.4, 416},  {2.3, 416}, {4.6, 416},  {9.2, 416},
                                         {0.7, 32},   {0.35, 32}, {0.177, 32}, {1.5, 32},
                                         {1.5, 64},   {2.2, 32},  {2.2, 64},   {2.3, 1696},
                                         {4.6, 1696}, {0.85, 64}, {0.4, 64}};
const size_t lines_plan_count = sizeof lines_plan / sizeof *lines_plan;

// ---------------------------------------------------------------- what is expected

// The gaps between the loads of one line: `nodes` loads divide a lap of length 1 at random.
// `longest` is a limit for a gap. power[i], for i < known, keeps (1 − i × longest)^(nodes − 1).
struct gaps {
    unsigned nodes, known;
    double longest, power[POWERS];
};

static double power_of(struct gaps *gaps, unsigned i)
{
    if (i < gaps->known)
        return gaps->power[i];
    double power = pow(1 - i * gaps->longest, gaps->nodes - 1.0);
    if (i == gaps->known && i < POWERS)
        gaps->power[gaps->known++] = power;
    return power;
}

// Returns the probability that `count` successive gaps are all shorter than gaps->longest.
static double all_shorter(struct gaps *gaps, unsigned count)
{
    double share = 0, binomial = 1;
    for (unsigned i = 0; i <= count && i * gaps->longest < 1; i++) {
        share += (i % 2 ? -binomial : binomial) * power_of(gaps, i);
        binomial = binomial * (count - i) / (i + 1.0);
    }
    return share;
}

// Returns the mean probability that a line survives from one of its `nodes` loads in a lap to the
// next. It survives a part g of the lap with the probability exp(−rate × g).
static double survival(unsigned nodes, double rate)
{
    if (nodes == 1 || rate < 1e-3)
        return exp(-rate / nodes);
    // A gap has the density (nodes − 1) (1 − g)^(nodes − 2). `integral` is the integral of (1 −
    // g)^k exp(−rate × g) from 0 to 1. Integration by parts gives it from the integral for k − 1.
    double integral = (1 - exp(-rate)) / rate;
    for (unsigned k = 1; k + 2 <= nodes; k++)
        integral = (1 - k * integral) / rate;
    return (nodes - 1) * integral;
}

// Returns the share of loads that miss a cache that replaces a random line, if a lap touches x
// times as many lines as the cache holds. The share and the parameter `rate` of survival() depend
// on each other, so a loop approaches the rate from above.
static double random_miss_share(unsigned in_line, unsigned in_sector, double x)
{
    double rate = x * in_line, before = 2 * rate;
    for (int i = 0; i < 40 && before - rate > 1e-3 * rate; i++) {
        before = rate;
        rate = x * in_line * (1 - survival(in_line, rate));
    }
    return 1 - survival(in_sector, rate);
}

// Returns the share of the chain's loads that miss the cache if the sets fill evenly. A lap touches
// x times as many lines as the cache holds.
static double miss_share_at(const struct lines_cache *cache, const struct lines_chain *chain,
                            double x)
{
    if (x <= 1)
        return 0;
    unsigned in_line = (unsigned)fmax(cache->line / chain->stride, 1);
    unsigned in_sector = (unsigned)fmax(cache->sector / chain->stride, 1);
    if (cache->random)
        return random_miss_share(in_line, in_sector, x);
    struct gaps gaps;
    gaps.nodes = in_line;
    gaps.known = 0;
    gaps.longest = 1 - pow(1 - 1 / x, 1.0 / in_line);
    double hits = 0, not_yet = 1;
    // Term j of the sum: the last load from the same sector was j loads of this line ago.
    for (unsigned j = 1; j <= in_line; j++) {
        double is_it = j == in_line ? 1 : (in_sector - 1.0) / (in_line - j);
        if (not_yet * is_it != 0)
            hits += not_yet * is_it * all_shorter(&gaps, j);
        not_yet *= 1 - is_it;
    }
    return 1 - hits;
}

static double miss_share(const struct lines_cache *cache, const struct lines_chain *chain)
{
    double x = chain->region / fmax(chain->stride, cache->line) * cache->line / cache->capacity;
    double mean = x * cache->spread, probability = exp(-mean), share = 0;
    if (!(cache->spread > 0) || x > uneven_most)
        return miss_share_at(cache, chain, x);
    // The set of a line contains k other lines. k has a Poisson distribution.
    for (unsigned k = 0; k < mean + 8 * sqrt(mean) + 8; k++) {
        share += probability * miss_share_at(cache, chain, (k + 1) / cache->spread);
        probability *= mean / (k + 1);
    }
    return share;
}

double lines_expected(const struct lines_cache *caches, size_t count,
                      const struct lines_chain *chain)
{
    double latency = count ? caches[0].latency : 0, beyond = 1;
    for (size_t k = 0; k + 1 < count; k++) {
        beyond = fmin(beyond, miss_share(&caches[k], chain));
        latency += beyond * (caches[k + 1].latency - caches[k].latency);
    }
    return latency;
}

// ---------------------------------------------------------------- answers and their likelihoods

struct candidate {
    double line, sector, capacity;
    // Ways of sets that fill unevenly; 0 if they fill evenly. `sparse` is for chains whose nodes
    // are farther apart than a line, `dense` for all other chains.
    double sparse, dense;
    // True if chains with one node per line are assumed to rise as the curve does at the level's
    // end.
    bool as_seen;
    bool random; // true if the cache replaces a random line of a set, false if the oldest one
    double cost; // −2 ln of the candidate's likelihood, up to a constant
};

struct candidates {
    struct candidate at[CANDIDATES_MAX];
    size_t count;
};

// True if the probe's nodes, 2, 4, … lines apart, may fall into every second, fourth, … set only.
// Such a probe says little about the capacity.
static bool leaves_sets_out(const struct lines_probe *probe, double line)
{
    return probe->chain.stride > line &&
           exp2(round(log2(probe->chain.stride))) == probe->chain.stride;
}

// How a probe's chain uses the caches nearer to the core: the part of the mean latency from loads
// that hit them (`latency`), and the share of loads that miss all of them (`beyond`).
struct inner {
    double latency, beyond;
};

static struct inner inner_of(const struct lines_question *question, const struct lines_chain *chain)
{
    struct inner inner = {0, 1};
    for (size_t k = 0; k < question->level; k++) {
        double beyond = fmin(inner.beyond, miss_share(&question->caches[k], chain));
        inner.latency += (inner.beyond - beyond) * question->caches[k].latency;
        inner.beyond = beyond;
    }
    return inner;
}

// True if the curve's shape is that of a cache that replaces random lines. A cache that replaces
// the oldest line may have this shape, too, if its sets fill unevenly.
static bool may_be_random(const struct lines_question *question)
{
    return question->shapes && step_shape_is_random(question->shape);
}

// Returns the share of the chain's loads that miss the cache that `candidate` describes.
static double share_of(const struct lines_question *question, const struct candidate *candidate,
                       const struct lines_chain *chain)
{
    bool is_sparse = chain->stride > candidate->line;
    const struct lines_cache cache = {.capacity = candidate->capacity,
                                      .line = candidate->line,
                                      .sector = candidate->sector,
                                      .random = candidate->random,
                                      .spread = is_sparse ? candidate->sparse : candidate->dense};
    if (!candidate->as_seen || !question->shapes || chain->stride < candidate->line)
        return miss_share(&cache, chain);
    double lines = chain->region / chain->stride * candidate->line;
    return step_shapes_share(question->shapes, step_shape_single(question->shape),
                             log2(lines / candidate->capacity));
}

// Returns the additional standard error where half of the loads miss; 0 if the rise is not slow.
static double slow_error_of(const struct lines_question *question)
{
    return !question->shapes                       ? 0
           : step_shape_is_random(question->shape) ? random_error
           : step_shape_is_slow(question->shape)   ? slow_error
                                                   : 0;
}

// True if loads of the probe may miss the next level, too, because the probe's chain covers nearly
// the region at which the next level ends (beyond_end). A chain with a smaller stride than the
// curve's may touch as many lines in a smaller region, because the lines of the next level are at
// least as long as the candidate's. So a smaller region is allowed, but only for probes that are
// slower than the next level. Candidates whose sets fill otherwise than the curve shows get no such
// allowance, because they would then explain too much.
static bool may_pass(const struct lines_question *question, const struct candidate *candidate,
                     const struct lines_probe *probe)
{
    double step = question->beyond - question->latency, end = question->beyond_end;
    double error = root_of_squares(question->noise * question->beyond, model_error * step);
    if (candidate->as_seen && probe->latency > question->beyond + 3 * error)
        end *= fmin(fmax(probe->chain.stride, candidate->line) / question->stride, 1);
    return end > 0 && probe->chain.region > 0.9 * end;
}

// Returns how badly the candidate explains the probes, as a cost. `slow` is from slow_error_of.
static double cost_of(const struct lines_question *question, const struct inner *inner,
                      const struct candidate *candidate, double slow)
{
    double cost = 0, step = question->beyond - question->latency;
    for (size_t i = 0; i < question->probe_count; i++) {
        const struct lines_probe *probe = &question->probes[i];
        if (leaves_sets_out(probe, candidate->line))
            continue;
        double beyond = fmin(inner[i].beyond, share_of(question, candidate, &probe->chain));
        double expected = inner[i].latency + inner[i].beyond * question->latency + beyond * step;
        double off = probe->latency - expected;
        // In truth, the next level may end, and loads that miss it take longer. So a latency above
        // the model's is no deviation near this end. It is also no deviation if nearly all loads
        // miss the judged level.
        bool passes =
            expected > question->latency + 0.02 * step && may_pass(question, candidate, probe);
        if (off > 0 && (passes || expected >= question->latency + 0.98 * step))
            off = 0;
        double error = root_of_squares(model_error, 4 * beyond * (1 - beyond) * slow) * step;
        double size = fabs(off) / root_of_squares(question->noise * expected, error);
        // Huber's loss keeps one probe with a large deviation from deciding alone.
        cost += size < 3 ? size * size : 6 * size - 9;
    }
    return cost;
}

// Capacities that are tried, as factors. 0 means the region where the level ends. It is right if
// address bits choose the sets, or if a line is at least as long as the stride. The other factors
// are for shorter lines in sets that a hash chooses: multiples of the lines that the chain touches
// in that region. Sets that fill unevenly overflow early, so factors above 1 are needed.
static const double size_factors[SIZES] = {0, 1, 1.19, 1.41, 1.68, 2};

// Numbers of ways that are tried: for chains whose nodes are farther apart than a line, and for all
// other chains. 0 means that the sets fill evenly, as a hash of aligned blocks fills them for the
// other chains. The first pair is special: the sets fill as the end of the latency curve shows.
static const double fillings[FILLINGS][2] = {{0, 0}, {6, 0}, {6, 6}, {16, 0}, {16, 16}};

static bool is_possible(const struct lines_question *question, double line, size_t size,
                        size_t filling)
{
    if (line >= question->stride)
        return size == 0;
    return size == 0 ? filling == 0 : size == 1 || filling > 0;
}

static void add_candidates(const struct lines_question *question, const struct inner *inner,
                           double line, double sector, bool random, struct candidates *all)
{
    bool slow = question->shapes && step_shape_is_slow(question->shape);
    double odd = slow ? odd_slow : 1;
    for (size_t size = 0; size < SIZES; size++)
        for (size_t filling = 0; filling < FILLINGS; filling++) {
            struct candidate *candidate = &all->at[all->count];
            if (!is_possible(question, line, size, filling))
                continue;
            *candidate = (struct candidate){
                .line = line,
                .sector = sector,
                .capacity = size ? question->end * line / question->stride * size_factors[size]
                                 : question->end,
                .sparse = filling ? fillings[filling][0] : question->spread,
                .dense = filling ? fillings[filling][1] : question->spread,
                .as_seen = filling == 0,
                .random = random,
            };
            candidate->cost = cost_of(question, inner, candidate, slow_error_of(question)) +
                              odd * ((size > 1 ? odd_size : 0) + (filling ? odd_filling : 0));
            all->count++;
        }
}

static void make_candidates(const struct lines_question *question, const struct inner *inner,
                            struct candidates *all)
{
    all->count = 0;
    for (unsigned line = LINES_MIN_BYTES; line <= LINES_MAX_BYTES; line *= 2)
        for (unsigned sector = LINES_MIN_BYTES; sector <= line; sector *= 2)
            for (int random = 0; random <= may_be_random(question); random++)
                add_candidates(question, inner, line, sector, random, all);
}

// Returns the root mean square of the probes' deviations from a candidate, divided by the latency
// step to the next level. Large deviations count less (Huber's loss).
static double misfit(const struct lines_question *question, const struct inner *inner,
                     const struct candidate *candidate)
{
    double step = question->beyond - question->latency;
    double scale = root_of_squares(question->noise * question->beyond / step, model_error);
    return scale * sqrt(cost_of(question, inner, candidate, 0) / (double)question->probe_count);
}

struct lines_answer lines_judge(const struct lines_question *question)
{
    struct candidates all;
    struct inner inner[PROBES_MAX];
    struct lines_answer answer = {.why = "its probes were not measured or were disturbed"};
    if (question->probe_count == 0 || question->probe_count > PROBES_MAX)
        return answer;
    for (size_t i = 0; i < question->probe_count; i++)
        inner[i] = inner_of(question, &question->probes[i].chain);
    make_candidates(question, inner, &all);
    const struct candidate *candidates = all.at;
    size_t best = 0;
    for (size_t i = 1; i < all.count; i++)
        if (candidates[i].cost < candidates[best].cost)
            best = i;
    if (misfit(question, inner, &candidates[best]) > misfit_max) {
        answer.why = "no line size from 32 to 256 bytes explains its probes";
        answer.misfit = true;
        return answer;
    }
    answer = (struct lines_answer){candidates[best].line, candidates[best].sector,
                                   candidates[best].capacity, "its probes fit more than one answer",
                                   false};
    // If even the best answer explains the probes badly, the margins become larger.
    double scale = fmax(sqrt(candidates[best].cost / (2 * (double)question->probe_count)), 1);
    for (size_t i = 0; i < all.count; i++) {
        if (candidates[i].cost > candidates[best].cost + scale * sector_margin)
            continue;
        answer.sector = candidates[i].sector == candidates[best].sector ? answer.sector : 0;
        if (candidates[i].cost > candidates[best].cost + scale * margin)
            continue;
        answer.line = candidates[i].line == candidates[best].line ? answer.line : 0;
        bool same_size = fabs(candidates[i].capacity / candidates[best].capacity - 1) < 0.01;
        answer.capacity = same_size ? answer.capacity : 0;
    }
    return answer;
}

// ---------------------------------------------------------------- sectors

// Returns how badly a cache with this sector explains the probes (a sum of Huber's losses).
static double sector_cost(const struct lines_question *question, const struct lines_cache *cache)
{
    double cost = 0, step = question->beyond - question->latency;
    for (size_t i = 0; i < question->probe_count; i++) {
        const struct lines_probe *probe = &question->probes[i];
        const struct inner inner = inner_of(question, &probe->chain);
        double beyond = fmin(inner.beyond, miss_share(cache, &probe->chain));
        double expected = inner.latency + inner.beyond * question->latency + beyond * step;
        // The latency of hits in nearer caches is uncertain: their sectors may be unknown.
        double before = (1 - inner.beyond) * question->latency;
        double sigma = root_of_squares(question->noise * expected, sector_error * step);
        double size = fabs(probe->latency - expected) / root_of_squares(sigma, before);
        cost += size < 3 ? size * size : 6 * size - 9;
    }
    return cost;
}

// Returns the minimum cost of a cache with this sector and a capacity near `capacity`.
static double least_sector_cost(const struct lines_question *question, double line, double sector,
                                double capacity)
{
    double least = (double)INFINITY;
    for (int random = 0; random <= may_be_random(question); random++)
        for (int filling = 0; filling < 2; filling++) {
            double scale = 0.6;
            for (int i = 0; i < SCALES; i++, scale *= 1.08) {
                const struct lines_cache cache = {.capacity = scale * capacity,
                                                  .line = line,
                                                  .sector = sector,
                                                  .random = random,
                                                  .spread = filling ? question->spread : 0};
                double off = log(scale) / 0.15;
                least = fmin(least, sector_cost(question, &cache) + off * off);
            }
        }
    return least;
}

double lines_sector(const struct lines_question *question, double line, double capacity,
                    double judged)
{
    double costs[SECTORS_MOST], best = (double)INFINITY, answer = 0;
    size_t count = 0;
    for (; count < SECTORS_MOST && ldexp(LINES_MIN_BYTES, (int)count) <= line; count++) {
        double sector = ldexp(LINES_MIN_BYTES, (int)count);
        costs[count] = least_sector_cost(question, line, sector, capacity);
        if (costs[count] < best) {
            best = costs[count];
            answer = sector;
        }
    }
    // The sector is unknown if the best sector differs from the probes by more than a standard
    // error on average.
    if (best > (double)question->probe_count)
        return 0;
    if (judged > 0 && judged != answer)
        return 0;
    size_t near = 0;
    for (size_t i = 0; i < count; i++)
        near += costs[i] < best + (judged > 0 ? agreed_margin : alone_margin);
    return near == 1 ? answer : 0;
}

struct lines_cache lines_cache_of(const struct lines_question *question,
                                  const struct lines_answer *answer)
{
    return (struct lines_cache){
        .latency = question->latency,
        .capacity = answer->capacity > 0 ? answer->capacity : question->end,
        .line = answer->line > 0 ? answer->line : question->stride,
        .sector = answer->sector > 0 ? answer->sector : LINES_MIN_BYTES,
        .spread = question->spread,
        .random = may_be_random(question),
    };
}
