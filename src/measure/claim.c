// SPDX-License-Identifier: MIT
#include "measure/claim.h"

#include <math.h>

// ---------------------------------------------------------------- limits of the claimed work

// lower_by_core and lower_by_memory lower `bound` to one limit of the cores, or of a memory or
// link. A limit of 0 (unknown) makes the bound unknown (0), too.
static void lower_by_core(struct measure_bound *bound, const struct measure_claim *claim,
                          double per_cycle, double core_hz)
{
    bound->per_cycle = fmin(bound->per_cycle, per_cycle);
    bound->per_s = fmin(bound->per_s, per_cycle * claim->cores * core_hz);
}

static void lower_by_memory(struct measure_bound *bound, const struct measure_claim *claim,
                            double per_s, double core_hz)
{
    double cycles = core_hz * claim->cores;
    bound->per_cycle = fmin(bound->per_cycle, cycles > 0 ? per_s / cycles : 0);
    bound->per_s = fmin(bound->per_s, per_s);
}

static double bytes_of(const struct measure_claim *claim, enum measure_level level)
{
    double read = claim->read_bytes[level], written = claim->written_bytes[level];
    return level == MEASURE_LINK ? fmax(read, written) : read + written;
}

struct measure_bound measure_claim_bound(const struct measure_claim *claim,
                                         const struct measure_limits *limits, double amount,
                                         double core_hz)
{
    const double memory[MEASURE_LEVEL_COUNT] = {
        [MEASURE_DRAM] = limits->dram_bytes_per_s, [MEASURE_LINK] = limits->link_bytes_per_s};
    const double core[MEASURE_LEVEL_COUNT] = {
        [MEASURE_CORE_CACHE] = limits->l1_bytes_per_cycle,
        [MEASURE_SHARED] = limits->shared_bytes_per_cycle,
    };
    struct measure_bound bound = {INFINITY, INFINITY};
    for (int level = 0; level < MEASURE_LEVEL_COUNT; level++) {
        double bytes = bytes_of(claim, (enum measure_level)level);
        if (!(bytes > 0))
            continue;
        if (level == MEASURE_CORE_CACHE || level == MEASURE_SHARED)
            lower_by_core(&bound, claim, core[level] * (amount / bytes), core_hz);
        else
            lower_by_memory(&bound, claim, memory[level] * (amount / bytes), core_hz);
    }
    for (int which = 0; which < MEASURE_CLASS_COUNT; which++)
        if (claim->results[which] > 0)
            lower_by_core(&bound, claim,
                          limits->results_per_cycle[which] * (amount / claim->results[which]),
                          core_hz);
    return isfinite(bound.per_s) ? bound : (struct measure_bound){0, 0};
}

// ---------------------------------------------------------------- the kind of load

uint32_t measure_claim_load(const struct measure_claim *claim)
{
    double bytes = 0, results = 0;
    uint32_t load = 0;
    if (claim->cores <= 1)
        return claim->cores ? MEASURE_ONE_CORE : 0;
    for (int level = 0; level < MEASURE_LEVEL_COUNT; level++) {
        double moved = bytes_of(claim, (enum measure_level)level);
        bytes += moved;
        load = load << 1 | (moved > 0);
    }
    for (int which = 0; which < MEASURE_CLASS_COUNT; which++) {
        results += claim->results[which];
        load = load << 1 | (claim->results[which] > 0);
    }
    // log2 of results per byte, in steps of a quarter octave. 7 bits hold 2^-16 to almost 2^16.
    double balance = bytes > 0 && results > 0 ? 4 * log2(results / bytes) + 64 : 0;
    load = load << 7 | (uint32_t)fmin(fmax(round(balance), 0), 127);
    return load << 13 | (claim->cores & 0x1fff);
}

// ---------------------------------------------------------------- claims about hardware counters

static void add_claim(double *claim, double amount)
{
    if (amount > 0)
        *claim = isfinite(*claim) ? *claim + amount : amount;
}

// Predicts the bytes at each memory level, and the cycles for which shared memory is busy. Bytes of
// the device's memory also pass through the L2, but kernels can bypass the L1.
static void claim_bytes(const struct measure_claim *claim, const struct measure_limits *limits,
                        struct measure_count_claims *claims)
{
    const double *read = claim->read_bytes, *written = claim->written_bytes;
    add_claim(&claims->of[GPU_COUNTER_DRAM_READ], read[MEASURE_DRAM]);
    add_claim(&claims->of[GPU_COUNTER_DRAM_WRITTEN], written[MEASURE_DRAM]);
    if (!claim->merges)
        add_claim(&claims->of[GPU_COUNTER_L2_READ], read[MEASURE_DRAM] + read[MEASURE_CACHE]);
    add_claim(&claims->of[GPU_COUNTER_L2_WRITTEN], written[MEASURE_DRAM] + written[MEASURE_CACHE]);
    add_claim(&claims->of[GPU_COUNTER_L1_READ], read[MEASURE_CORE_CACHE]);
    add_claim(&claims->of[GPU_COUNTER_L1_WRITTEN], written[MEASURE_CORE_CACHE]);
    if (limits->shared_bytes_per_cycle > 0)
        add_claim(&claims->of[GPU_COUNTER_SHARED_WAVEFRONTS],
                  bytes_of(claim, MEASURE_SHARED) / limits->shared_bytes_per_cycle);
}

void measure_claim_held(const struct measure_limits *limits, uint64_t set_bytes,
                        struct measure_count_claims *claims)
{
    if (set_bytes <= limits->l1_bytes / 2)
        claims->of[GPU_COUNTER_L2_READ] = 0;
    // A larger set may not fit: each half of a divided L2 may hold a copy of every line, and a
    // cache's sets fill unevenly. The 25 MiB of half an H100's L2 did not hold all of 24 MiB
    // (reference/h100-cuda-counters.json.gz).
    if (limits->last_cache_known && set_bytes <= limits->last_cache_bytes / 8 * 3)
        claims->of[GPU_COUNTER_DRAM_READ] = 0;
}

// An instruction computes one result per thread of a subgroup, or two in FP16.
static void claim_results(const struct measure_claim *claim, double lanes,
                          struct measure_count_claims *claims)
{
    const double *results = claim->results;
    if (!(lanes > 0))
        return;
    add_claim(&claims->of[GPU_COUNTER_INSTRUCTIONS_FP32], results[MEASURE_FP32] / lanes);
    add_claim(&claims->of[GPU_COUNTER_INSTRUCTIONS_FMA], results[MEASURE_INT32_MAD] / lanes);
    add_claim(&claims->of[GPU_COUNTER_INSTRUCTIONS_FP64], results[MEASURE_FP64] / lanes);
    add_claim(&claims->of[GPU_COUNTER_INSTRUCTIONS_FP16], results[MEASURE_FP16] / lanes / 2);
}

struct measure_count_claims measure_claim_counts(const struct measure_claim *claim,
                                                 const struct gpu_info *info)
{
    struct measure_count_claims claims = measure_count_no_claims;
    struct measure_limits limits;
    if (claim->counts)
        return *claim->counts;
    measure_limits_of(info, &limits);
    if (claim->set_bytes)
        measure_claim_held(&limits, claim->set_bytes, &claims);
    claim_bytes(claim, &limits, &claims);
    claim_results(claim, (double)info->limits.subgroup_threads, &claims);
    return claims;
}

// ---------------------------------------------------------------- metrics of the claimed work

// Returns the claim. If it is about all cores, and the driver states a wrong number of cores, the
// number becomes unknown (0). A claim about one core of several stays as it is.
static struct measure_claim trusted_claim(const struct measure_account *account)
{
    struct measure_claim claim = *account->claim;
    bool is_one_of_several = claim.cores == 1 && account->span->cores_stated > 1;
    if (!is_one_of_several && measure_span_cores_are_wrong(account->span))
        claim.cores = 0;
    return claim;
}

static void report_samples(const struct measure_account *account, unsigned metric,
                           enum measure_form form, double amount)
{
    const struct measure_span *span = account->span;
    struct arena *arena = account->visit->arena;
    double *values = ARENA_ARRAY(arena, span->count, double);
    for (size_t i = 0; i < span->count; i++) {
        values[i] = span->unit_ns[i] / amount;
        if (form == MEASURE_CYCLES_EACH)
            values[i] = values[i] * span->core_hz[i] / 1e9;
        if (form == MEASURE_PER_CORE_CYCLE)
            values[i] = amount / span->unit_ns[i] * 1e9 / span->core_hz[i] / account->claim->cores;
    }
    double middle = measure_median(arena, values, span->count);
    double step = span->step_ns / measure_median(arena, span->unit_ns, span->count);
    if (form == MEASURE_CYCLES_EACH || form == MEASURE_PER_CORE_CYCLE)
        step += span->core_error;
    visit_samples(account->visit, metric, values, span->count, middle * step);
}

void measure_claim_report(const struct measure_account *account, unsigned metric,
                          enum measure_form form, double amount)
{
    const struct measure_span *span = account->span;
    const struct measure_claim claim = trusted_claim(account);
    if (span->counted) {
        const struct measure_count_claims claims =
            measure_claim_counts(&claim, measure_count_info(span->counted));
        measure_count_report(span->counted, &claims, account->visit);
    }
    account->visit->clock.load = measure_claim_load(&claim);
    account->visit->clock.uses_memory = bytes_of(&claim, MEASURE_DRAM) > 0;
    bool by_cycle = form == MEASURE_PER_CORE_CYCLE || form == MEASURE_CYCLES_EACH;
    if (by_cycle && (!span->core_hz || !claim.cores))
        return;
    if (form == MEASURE_PER_SECOND)
        measure_span_rate(span, amount, metric, account->visit);
    else
        report_samples(account, metric, form, amount);
    if (!account->limits)
        return;
    double hz =
        span->core_hz ? measure_median(account->visit->arena, span->core_hz, span->count) : 0;
    struct measure_bound bound = measure_claim_bound(&claim, account->limits, amount, hz);
    const double limits[] = {
        [MEASURE_PER_SECOND] = bound.per_s,
        [MEASURE_PER_CORE_CYCLE] = bound.per_cycle,
        [MEASURE_NS_EACH] = 1e9 / bound.per_s,
        [MEASURE_CYCLES_EACH] = 1 / bound.per_cycle,
    };
    visit_limit(account->visit, metric, limits[form]);
}

void measure_claim_memory(struct measure_visit *visit, const struct measure_limits *limits,
                          uint64_t bytes)
{
    if (limits->last_cache_known || measure_limits_is_dram(limits, bytes))
        return;
    visit_flag(visit, "unseen-cache",
               "nobody states how large the last cache of this device is: %llu MiB may be in it; "
               "more than %llu MiB cannot",
               (unsigned long long)(bytes >> 20),
               (unsigned long long)(MEASURE_DRAM_CACHES * measure_limits_cache_most(limits) >> 20));
}
