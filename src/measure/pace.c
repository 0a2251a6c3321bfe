// SPDX-License-Identifier: MIT
#include "measure/pace.h"

#include <math.h>
#include <string.h>

// Core clocks of NVIDIA's cards are multiples of this step; other cards have smaller steps.
static const double step_hz = 15e6;
static const double rise_that_counts = 0.005;

bool pace_is_lower(double hz, double than_hz, double error)
{
    double margin_hz = fmax(fmax(RESULTS_CLOCK_STEPS, error) * than_hz, step_hz);
    return hz > 0 && than_hz > 0 && hz < than_hz - margin_hz;
}

// A clock above stated_hz by less than PACE_STATED_MARGIN counts as stated_hz.
static double counted_hz(const struct measure_pace *pace, double hz)
{
    bool is_stated = hz > pace->stated_hz && hz < pace->stated_hz * (1 + PACE_STATED_MARGIN);
    return is_stated ? pace->stated_hz : hz;
}

// ---------------------------------------------------------------- leads before samples

void pace_begin(struct measure_pace *pace, double *case_hz)
{
    pace->case_hz = case_hz;
    pace->seen_hz = pace->most_hz = 0;
    pace->lead_ns = pace->spent_ns = 0;
    pace->sparse = false;
    pace->visits++;
    if (!pace->patience_ns)
        pace->patience_ns = PACE_PATIENCE_NS;
}

uint64_t pace_lead_ns(struct measure_pace *pace, bool sparse)
{
    if (!pace)
        return 0;
    pace->sparse = sparse;
    return sparse && pace->sparse_ns > pace->lead_ns ? pace->sparse_ns : pace->lead_ns;
}

// Adapts the first lead of visits with sparse work, once the samples have the right core clock. A
// further lead in a visit makes it longer; PACE_CALM visits without one make it shorter.
static void adapt_sparse_lead(struct measure_pace *pace)
{
    if (!pace->sparse)
        return;
    if (pace->spent_ns) {
        uint64_t longer_ns = pace->sparse_ns ? 2 * pace->sparse_ns : PACE_LEAD_FIRST_NS / 4;
        pace->sparse_ns = longer_ns < PACE_SPARSE_MOST_NS ? longer_ns : PACE_SPARSE_MOST_NS;
        pace->calm = 0;
    } else if (++pace->calm >= PACE_CALM) {
        pace->sparse_ns -= pace->sparse_ns / 4;
        pace->calm = 0;
    }
}

// Accepts a low core clock for the case. Returns false, the result of pace_again: do not repeat.
static bool settle(struct measure_pace *pace)
{
    *pace->case_hz = pace->most_hz;
    return false;
}

bool pace_again(struct measure_pace *pace, double seen_hz, double error)
{
    if (!pace || !pace->case_hz || !(seen_hz > 0))
        return false;
    seen_hz = counted_hz(pace, seen_hz);
    double aim_hz = *pace->case_hz > 0 ? *pace->case_hz : pace->fastest_hz;
    bool rose = pace->spent_ns && seen_hz > pace->seen_hz * (1 + rise_that_counts);
    pace->seen_hz = seen_hz;
    pace->most_hz = fmax(pace->most_hz, seen_hz);
    if (!pace_is_lower(seen_hz, aim_hz, error)) {
        if (pace->spent_ns)
            pace->patience_ns = PACE_PATIENCE_NS;
        if (*pace->case_hz > 0)
            *pace->case_hz = fmax(*pace->case_hz, seen_hz);
        adapt_sparse_lead(pace);
        return false;
    }
    if (pace->limited && pace->limited(pace->context))
        return settle(pace);
    if (pace->spent_ns >= (rose ? PACE_SPENT_MOST_NS : pace->patience_ns)) {
        pace->patience_ns = pace->patience_ns / 2 + 1;
        return settle(pace);
    }
    pace->lead_ns = pace->lead_ns ? 4 * pace->lead_ns : PACE_LEAD_FIRST_NS;
    if (pace->lead_ns > PACE_LEAD_MOST_NS)
        pace->lead_ns = PACE_LEAD_MOST_NS;
    pace->spent_ns += pace->lead_ns;
    return true;
}

// ---------------------------------------------------------------- the clock that each load keeps

// Returns the entry of a kind of load. A new entry may replace the one seen longest ago.
static struct pace_load *load_of(struct measure_pace *pace, uint32_t load)
{
    struct pace_load *oldest = &pace->loads[0];
    for (size_t i = 0; i < pace->load_count; i++) {
        if (pace->loads[i].load == load)
            return &pace->loads[i];
        if (pace->loads[i].last_seen < oldest->last_seen)
            oldest = &pace->loads[i];
    }
    struct pace_load *place =
        pace->load_count < PACE_LOADS ? &pace->loads[pace->load_count++] : oldest;
    *place = (struct pace_load){.load = load};
    return place;
}

// Counts successive visits with the same core clock. Returns true from `visits` visits on.
static bool lasts(struct pace_row *row, double hz, double error, unsigned visits)
{
    bool same =
        row->visits && !pace_is_lower(hz, row->hz, error) && !pace_is_lower(row->hz, hz, error);
    row->visits = same ? row->visits + 1 : 1;
    row->hz = same ? fmin(row->hz, hz) : hz;
    return row->visits >= visits;
}

// Raises *known_hz, the highest known core clock, only after PACE_HIGHER successive visits. A
// single reading may be too high by a percent or two, and then the true clock would look low.
static void raise_known(double *known_hz, struct pace_row *higher, double hz, double error)
{
    if (!(hz > 0))
        return;
    if (*known_hz > 0 && !pace_is_lower(*known_hz, hz, error))
        higher->visits = 0;
    else if (!(*known_hz > 0))
        *known_hz = hz;
    else if (lasts(higher, hz, error, PACE_HIGHER))
        *known_hz = higher->hz;
}

// Returns true if this kind of load normally runs faster than `hz`. After PACE_LASTING successive
// visits at the same lower clock, that clock is the normal one.
static bool keeps_higher(struct pace_load *load, double hz, double error)
{
    if (!pace_is_lower(hz, load->kept_hz, error)) {
        raise_known(&load->kept_hz, &load->higher, hz, error);
        load->lower.visits = 0;
        return false;
    }
    load->higher.visits = 0;
    if (!lasts(&load->lower, hz, error, PACE_LASTING))
        return true;
    load->kept_hz = hz;
    load->lower.visits = 0;
    return false;
}

static enum pace_verdict try_again(struct measure_pace *pace, enum pace_verdict verdict)
{
    if (pace->case_hz)
        *pace->case_hz = 0;
    pace->patience_ns = PACE_PATIENCE_NS;
    return verdict;
}

enum pace_verdict pace_judge(struct measure_pace *pace, double hz, const struct visit_clock *clock,
                             double *kept_hz)
{
    if (pace_is_lower(clock->low_hz, clock->high_hz, clock->error))
        return try_again(pace, PACE_FELL);
    hz = counted_hz(pace, hz);
    if (clock->load) {
        struct pace_load *load = load_of(pace, clock->load);
        load->last_seen = pace->visits;
        *kept_hz = load->kept_hz;
        if (keeps_higher(load, hz, clock->error))
            return try_again(pace, PACE_LOW);
    }
    if (pace_is_lower(hz, pace->fastest_hz, clock->error))
        return PACE_LOWER;
    raise_known(&pace->fastest_hz, &pace->higher, hz, clock->error);
    return PACE_KEPT;
}

// ---------------------------------------------------------------- comparing the visits of a case

static bool is_limited(const struct measure_visit *visit)
{
    for (size_t i = 0; i < visit->remark_count; i++)
        if (strcmp(visit->remarks[i].code, "throttled") == 0)
            return true;
    return false;
}

// If the card limits most visits, the case's work causes the limit, and repeating would not help.
static bool limit_lasts(struct measure_visit *const *visits, size_t count)
{
    size_t limited = 0;
    for (size_t i = 0; i < count; i++)
        limited += is_limited(visits[i]);
    return 2 * limited > count;
}

size_t pace_flag_low(struct measure_visit *const *visits, size_t count)
{
    bool lasts = limit_lasts(visits, count);
    size_t found = 0;
    double most_hz = 0;
    for (size_t i = 0; i < count; i++)
        if (!lasts || !is_limited(visits[i]))
            // fmax ignores the NaN of a visit without a core clock
            most_hz = fmax(most_hz, visit_sensor_value(visits[i], "core_clock"));
    for (size_t i = 0; i < count; i++) {
        double hz = visit_sensor_value(visits[i], "core_clock");
        if (visits[i]->retake_count > 0 || (lasts && is_limited(visits[i])) ||
            !pace_is_lower(hz, most_hz, 0))
            continue;
        visit_retake(visits[i], "low-clock", "%.2f GHz; other rounds ran at %.2f GHz", hz / 1e9,
                     most_hz / 1e9);
        found++;
    }
    return found;
}
