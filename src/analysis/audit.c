// SPDX-License-Identifier: MIT
#include "analysis/audit.h"
#include "results/reasons.h"

#include <math.h>
#include <string.h>

static const double close_bound = 0.01, wide_bound = 0.03;
// If a claim is below this many bytes in total, the count may differ from it by 3 % instead of 1 %.
static const double close_bytes = 1 << 30;

enum {
    // Maximum number of claims that the text of the finding "claim-differs" lists.
    NAMED_MAX = 3
};

const double *audit_counted(const struct result *result, const char *name)
{
    for (size_t i = 0; i < result->counter_count; i++)
        if (strcmp(result->counters[i].name, name) == 0)
            return &result->counters[i].counted;
    return NULL;
}

// Returns the value of the hardware counter `name`; 0 if the result lacks the counter.
static double counted(const struct result *result, const char *name)
{
    const double *value = audit_counted(result, name);
    return value ? *value : 0;
}

double audit_ratio(const struct counter *counter)
{
    return counter->claimed > 0 ? counter->counted / counter->claimed : NAN;
}

static double bound_of(const struct counter *counter)
{
    bool is_small =
        counter->unit == UNIT_BYTE && !(counter->claimed * counter->units >= close_bytes);
    return is_small ? wide_bound : close_bound;
}

// Returns how large a count, which is per unit of work, may be if its claim is zero.
static double zero_bound(const struct result *result, const struct counter *counter)
{
    double most = 0;
    for (size_t i = 0; i < result->counter_count; i++)
        if (result->counters[i].unit == counter->unit)
            // If a counter has no claim, its claim is NaN, which fmax ignores.
            most = fmax(most, result->counters[i].claimed);
    double noise = counter->unit == UNIT_BYTE ? AUDIT_ZERO_BYTES / counter->units : 0;
    return fmax(noise, close_bound * most);
}

bool audit_agrees(const struct result *result, const struct counter *counter)
{
    if (counter->claimed == 0)
        return fabs(counter->counted) <= zero_bound(result, counter);
    double ratio = audit_ratio(counter), bound = bound_of(counter), served = 0;
    if (!isfinite(ratio))
        return true;
    if (strcmp(counter->name, "dram_read") == 0)
        served = counted(result, "l2_read_hit") + counted(result, "l2_far_hit");
    return ratio <= 1 + bound && ratio + served / counter->claimed >= 1 - bound;
}

double audit_hit_rate(const struct result *result, unsigned level)
{
    double read = counted(result, level == 1 ? "l1_read" : "l2_read");
    const double *hit = audit_counted(result, level == 1 ? "l1_read_hit" : "l2_read_hit");
    double far = level == 1 ? 0 : counted(result, "l2_far_hit");
    return read >= 1 && hit ? fmin(fmax((*hit + far) / read, 0), 1) : NAN;
}

// ---------------------------------------------------------------- findings about the claims

struct tally {
    const char *device;
    size_t cases, claims, agreeing;
    // text that lists the first claims (predicted counts) that differ from the counts
    const char *named;
    size_t named_count;
    const char **keys; // keys of the results in which a claim differs from the count
    size_t key_count, key_capacity;
    // Number of cases that claim reads from memory (`dram_read`) and whose claim agrees.
    size_t memory_cases;
    // Largest share, 0 to 1, of a case's claimed `dram_read` that the L2 served instead of memory.
    double served;
    const struct result *served_by;
};

static void name_claim(struct run *run, struct tally *tally, const struct result *result,
                       const struct counter *counter)
{
    if (tally->key_count == 0 || strcmp(tally->keys[tally->key_count - 1], result->key) != 0) {
        tally->keys = arena_grow(run->arena, tally->keys, tally->key_count, &tally->key_capacity,
                                 sizeof *tally->keys);
        tally->keys[tally->key_count++] = result->key;
    }
    if (tally->named_count++ >= NAMED_MAX)
        return;
    double ratio = audit_ratio(counter);
    const char *differs = isfinite(ratio)
                              ? arena_printf(run->arena, "%.3g times its claim", ratio)
                              : arena_printf(run->arena, "%.3g, not 0", counter->counted);
    tally->named = arena_printf(run->arena, "%s%s%s of %s is %s", tally->named ? tally->named : "",
                                tally->named ? ", " : "", counter->name, result->key, differs);
}

// Counts cases that claim reads from memory, and keeps the case of which the L2 served the largest
// share.
static void tally_served(struct tally *tally, const struct result *result,
                         const struct counter *counter)
{
    double served = fmax(1 - audit_ratio(counter), 0);
    if (strcmp(counter->name, "dram_read") != 0 || counter->claimed == 0)
        return;
    if (tally->memory_cases++ == 0 || served > tally->served) {
        tally->served = served;
        tally->served_by = result;
    }
}

static void tally_result(struct run *run, struct tally *tally, const struct result *result)
{
    bool any = false;
    for (size_t i = 0; i < result->counter_count; i++) {
        const struct counter *counter = &result->counters[i];
        if (!isfinite(counter->claimed))
            continue;
        any = true;
        tally->claims++;
        if (!audit_agrees(result, counter)) {
            name_claim(run, tally, result, counter);
            continue;
        }
        tally->agreeing++;
        tally_served(tally, result, counter);
    }
    tally->cases += any;
}

static void report_served(struct run *run, const struct tally *tally)
{
    run_add_conclusion(run, "l2-served", tally->served, tally->served_by, NULL,
                       "of the bytes that %zu cases claim to read from memory, the L2 served at "
                       "most %.2g %% (%s)",
                       tally->memory_cases, 100 * tally->served, tally->served_by->key);
}

static void report(struct run *run, const struct tally *tally)
{
    if (tally->claims == 0)
        return;
    *run_add_finding(run) = (struct finding){
        .code = "counted",
        .device = tally->device,
        .value = (double)tally->agreeing / (double)tally->claims,
        .text = arena_printf(run->arena,
                             "%s: hardware counters agree with %zu of %zu claims of %zu cases, "
                             "within 1 %% (3 %% where less than 1 GiB moved)",
                             tally->device, tally->agreeing, tally->claims, tally->cases)};
    if (tally->memory_cases > 0)
        report_served(run, tally);
    if (tally->key_count == 0)
        return;
    size_t more = tally->named_count > NAMED_MAX ? tally->named_count - NAMED_MAX : 0;
    *run_add_finding(run) = (struct finding){
        .code = "claim-differs",
        .device = tally->device,
        .value = (double)tally->named_count,
        .text = arena_printf(run->arena, "%s: counted is not claimed: %s%s", tally->device,
                             tally->named,
                             more ? arena_printf(run->arena, ", and %zu more", more) : ""),
        .keys = tally->keys,
        .key_count = tally->key_count};
}

void audit_add_findings(struct run *run)
{
    for (size_t d = 0; d < run->device_count; d++) {
        struct tally tally = {.device = run->devices[d].id};
        for (size_t i = 0; i < run->result_count; i++)
            if (strcmp(run->results[i]->device, tally.device) == 0 &&
                !result_reason(run->results[i], REASON_SHARED_DEVICE))
                tally_result(run, &tally, run->results[i]);
        report(run, &tally);
    }
}
