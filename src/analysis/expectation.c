// SPDX-License-Identifier: MIT
#include "analysis/expectation.h"

#include "analysis/check_others.h"
#include "analysis/compare.h"
#include "base/text.h"
#include "math/stats.h"
#include "results/reasons.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- judging the figures

// A device whose check is judged, and what its figures are compared with.
struct judging {
    struct run *run;
    const struct expectation *expectation;
    struct check_ask ask;
    struct check *check;
    struct check_spreads spreads;
    size_t left_out; // largest number of cards left out for one figure (check_others.left_out)
    // Driver of a compared card that has another driver branch; NULL if there is none.
    const char *driver;
};

static double median_of(const double *values, size_t count)
{
    double known[CHECK_OTHERS_MAX];
    size_t known_count = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i]))
            known[known_count++] = values[i];
    return stats_median(known, known_count);
}

// Returns how much figures of healthy cards may differ, as a factor − 1 (see expectation.h).
static double spread_of(const struct check_others *others, const struct check_spreads *spreads,
                        const struct check_case *of, enum unit unit)
{
    double logs[CHECK_OTHERS_MAX];
    size_t count = others->count;
    double repeats = check_spread_bound(&spreads->repeats, count, EXPECTATION_CONFIDENCE);
    enum check_class which = check_class_of(of->metric);
    bool has_kinds = which == CHECK_CLASS_MEMORY || which == CHECK_CLASS_LATENCY;
    const struct check_spread *class = &spreads->between[which];
    double between = card_spread_of(of->benchmark, unit);
    if (class->freedom >= (has_kinds ? CHECK_SPREAD_FREEDOM_KINDS : CHECK_SPREAD_FREEDOM))
        between = fmin(between, check_spread_bound(class, count, EXPECTATION_CONFIDENCE));
    if (others->itself)
        return fmin(repeats, between) + (count == 1 && others->unsure > 0 ? others->unsure : 0);
    if (count < EXPECTATION_CARDS)
        return between;
    for (size_t i = 0; i < count; i++)
        logs[i] = log(others->values[i]);
    const struct check_spread own = {stats_deviation(logs, count), (unsigned)count - 1};
    return fmax(repeats, check_spread_bound(&own, count, EXPECTATION_CONFIDENCE));
}

// Returns how far a healthy figure may be from the expected value, as a factor − 1 (0.03: 3 %).
static double bound_of(const struct check_others *others, const struct check_spreads *spreads,
                       const struct check_case *of, enum unit unit)
{
    switch (check_class_of(of->metric)) {
    case CHECK_CLASS_HOST:
        // A faulty link falls to half its speed. In logarithms, the bound is halfway to this speed.
        return sqrt(2) - 1;
    case CHECK_CLASS_CHIP:
    case CHECK_CLASS_MATRIX:
        return fmax(spread_of(others, spreads, of, unit),
                    of->metric == CHECK_L2_READ ? EXPECTATION_L2_LEAST : RESULTS_CLOCK_STEPS);
    case CHECK_CLASS_MEMORY:
    case CHECK_CLASS_LATENCY:
    case CHECK_CLASS_LINK:
    case CHECK_CLASS_COUNT:
        break;
    }
    return spread_of(others, spreads, of, unit);
}

// Returns the better end of the figure's interval. For a link to the host, the best round counts,
// because other work of the host slows only some rounds, and a faulty link slows all.
static double best_of(const struct judging *j, const struct check_figure *figure)
{
    bool lower = check_metric_better(figure->metric) == BETTER_LOWER;
    double best = lower ? figure->low : figure->high;
    if (!isfinite(best))
        best = figure->value;
    if (!check_metric_is_host_link(figure->metric))
        return best;
    const struct result *result = check_result(j->run, j->ask.device, figure->metric, figure->peer);
    const struct metric *metric = result_metric(result, check_case_of(figure->metric)->measured);
    for (size_t i = 0; i < metric->round_count; i++)
        best = fmax(best, metric->round_medians[i]);
    return best;
}

static void judge_by(const struct judging *j, const struct check_others *others,
                     struct check_figure *figure)
{
    const struct check_case *of = check_case_of(figure->metric);
    double bound = 1 + bound_of(others, &j->spreads, of, figure->unit);
    bool lower = check_metric_better(figure->metric) == BETTER_LOWER;
    double best = best_of(j, figure);
    figure->basis = others->by_limit ? CHECK_BASIS_LIMIT : j->expectation->basis;
    figure->cards = others->itself ? 1 : others->count;
    figure->expected = median_of(others->values, others->count);
    figure->expected_low = lower ? figure->expected * bound : figure->expected / bound;
    bool slow = lower ? best > figure->expected_low : best < figure->expected_low;
    figure->judgement = slow ? CHECK_FIGURE_SLOW : CHECK_FIGURE_OK;
}

static struct check_others others_of(const struct judging *j, const struct check_figure *figure)
{
    struct check_others others;
    const struct result *result = check_result(j->run, j->ask.device, figure->metric, figure->peer);
    check_others_of(j->run->arena, &j->ask, check_case_of(figure->metric), result, &others);
    return others;
}

static void judge_figure(struct judging *j, struct check_figure *figure)
{
    const struct check_others others = others_of(j, figure);
    if (others.left_out > j->left_out)
        j->left_out = others.left_out;
    if (others.driver)
        j->driver = others.driver;
    if (others.count > 0)
        judge_by(j, &others, figure);
}

// Returns the natural logarithm of the factor by which the figure is worse than expected.
static double deficit_of(const struct check_figure *figure)
{
    double deficit = log(figure->expected / figure->value);
    return check_metric_better(figure->metric) == BETTER_LOWER ? -deficit : deficit;
}

// ---------------------------------------------------------------- the cause of a slow figure

static void conclude(struct check *check, enum check_verdict verdict, enum check_code code,
                     const char *cause)
{
    check->verdict = verdict;
    check->code = code;
    check->cause = cause;
}

static void remark(struct run *run, struct check *check, const char *text)
{
    const char **more = ARENA_ARRAY(run->arena, check->remark_count + 1, const char *);
    for (size_t i = 0; i < check->remark_count; i++)
        more[i] = check->remarks[i];
    more[check->remark_count++] = text;
    check->remarks = more;
}

// Returns the figure's title. If the figure is about several devices, the title may end with a
// number ("Copy to GPU 1"), and a colon separates the value.
static const char *titled(struct arena *arena, const struct check_figure *figure)
{
    const char *title = check_title(arena, figure);
    return figure->metric < CHECK_LINK_ALL_AT_ONCE ? title : arena_printf(arena, "%s:", title);
}

// Returns a figure's value and its expected value as a text: "DRAM read 3.1 of 4.6 TB/s".
static const char *figure_text(struct arena *arena, const struct check_figure *figure)
{
    const char *name;
    double scale = unit_scale(figure->expected, check_unit(figure->unit), &name) / figure->expected;
    char value[32], expected[32];
    number_format(figure->value * scale, value, sizeof value);
    number_format(figure->expected * scale, expected, sizeof expected);
    return arena_printf(arena, "%s %s of %s %s", titled(arena, figure), value, expected, name);
}

// Returns true if the clock explains at least half of the deficit, in logarithms; false for NaN.
static bool explains(double hz, double expected_hz, const struct check_figure *figure)
{
    return log(expected_hz / hz) >= deficit_of(figure) / 2;
}

// Gives the verdict slow and returns true if the host link lacks lanes or has a lower generation.
static bool find_link_cause(struct run *run, struct check *check, const char *what)
{
    const struct check_state *state = &check->state;
    if (state->link_width < state->link_width_max)
        conclude(check, CHECK_SLOW, CHECK_LINK_WIDTH,
                 arena_printf(run->arena, "%sPCIe x%.0f instead of x%.0f", what, state->link_width,
                              state->link_width_max));
    else if (state->link_generation < state->link_generation_max)
        conclude(check, CHECK_SLOW, CHECK_LINK_GENERATION,
                 arena_printf(run->arena, "%sPCIe generation %.0f instead of %.0f", what,
                              state->link_generation, state->link_generation_max));
    else
        return false;
    return true;
}

static void find_clock_cause(struct run *run, struct check *check,
                             const struct check_others *others, const struct result *result,
                             const struct check_figure *figure)
{
    struct arena *arena = run->arena;
    const struct check_state *state = &check->state;
    const char *what = figure_text(arena, figure), *throttle = state->throttle;
    double core_hz = check_sensor(result, "core_clock");
    double memory_hz = check_sensor(result, "card_memory_clock");
    double core_expected_hz = median_of(others->core_hz, others->count);
    double memory_expected_hz = median_of(others->memory_hz, others->count);
    bool uses_memory = figure->metric == CHECK_DRAM_READ || figure->metric == CHECK_LATENCY_DRAM;
    const char *clock =
        arena_printf(arena, "core clock %.0f of %.0f MHz", core_hz / 1e6, core_expected_hz / 1e6);
    if (uses_memory && explains(memory_hz, memory_expected_hz, figure))
        conclude(check, CHECK_SLOW, CHECK_MEMORY_CLOCK,
                 arena_printf(arena, "%s: memory clock %.0f of %.0f MHz", what, memory_hz / 1e6,
                              memory_expected_hz / 1e6));
    else if (!explains(core_hz, core_expected_hz, figure))
        conclude(check, CHECK_SLOW, CHECK_BELOW_EXPECTATION,
                 arena_printf(arena, "%s: %.0f %% %s the expectation, cause unknown", what,
                              100 * fabs(figure->value / figure->expected - 1),
                              figure->value < figure->expected ? "below" : "above"));
    else if (throttle && strstr(throttle, "power"))
        conclude(check, CHECK_SLOW, CHECK_POWER_LIMIT,
                 isfinite(state->power_limit_w)
                     ? arena_printf(arena, "%s: %s, power-limited at %.0f W", what, clock,
                                    state->power_limit_w)
                     : arena_printf(arena, "%s: %s, power-limited", what, clock));
    else if (throttle && strstr(throttle, "thermal"))
        conclude(check, CHECK_SLOW, CHECK_THERMAL,
                 isfinite(state->temperature_c)
                     ? arena_printf(arena, "%s: %s, thermal limit at %.0f °C", what, clock,
                                    state->temperature_c)
                     : arena_printf(arena, "%s: %s, thermal limit", what, clock));
    else
        conclude(check, CHECK_SLOW, CHECK_CORE_CLOCK, arena_printf(arena, "%s: %s", what, clock));
}

// ---------------------------------------------------------------- the verdict of the check

// Returns the first reason with this code in a result with this verdict whose text contains `part`,
// and its result in *of; NULL if there is none.
static const struct reason *reason_of(const struct run *run, const struct check *check,
                                      enum verdict verdict, const char *code, const char *part,
                                      const struct result **of)
{
    for (size_t i = 0; i < run->result_count; i++) {
        *of = run->results[i];
        if (!check_concerns(*of, check->device) || (*of)->verdict != verdict)
            continue;
        for (size_t r = 0; r < (*of)->reason_count; r++)
            if (strcmp((*of)->reasons[r].code, code) == 0 && strstr((*of)->reasons[r].text, part))
                return &(*of)->reasons[r];
    }
    return NULL;
}

// Returns a text like "1 uncorrected ECC error during the check".
static const char *count_text(struct run *run, double count, const char *what)
{
    return arena_printf(run->arena, "%s during the check",
                        text_count(run->arena, (size_t)count, what));
}

// Gives the verdict broken and returns true if the driver reports one of these errors.
static bool find_errors(struct run *run, struct check *check)
{
    const struct check_state *state = &check->state;
    const char *cause = NULL;
    if (state->ecc_uncorrected > 0)
        cause = count_text(run, state->ecc_uncorrected, "uncorrected ECC error");
    else if (state->remap_failed > 0)
        cause = "a row of memory failed and no spare row is left";
    else if (state->nvlink_recoveries > 0)
        cause = count_text(run, state->nvlink_recoveries, "NVLink retraining");
    if (cause)
        conclude(check, CHECK_BROKEN, CHECK_ERRORS, cause);
    return cause != NULL;
}

static bool find_breakage(struct run *run, struct check *check)
{
    static const struct {
        const char *reason, *part;
        enum check_code code;
    } kinds[] = {{"mismatch", "", CHECK_WRONG_RESULTS},
                 {"device-lost", "", CHECK_LOST},
                 {"internal", "process died", CHECK_LOST},
                 {"timeout", "", CHECK_HUNG}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct result *failed = NULL;
        const struct reason *reason =
            reason_of(run, check, VERDICT_FAILED, kinds[i].reason, kinds[i].part, &failed);
        if (!reason)
            continue;
        conclude(check, CHECK_BROKEN, kinds[i].code,
                 arena_printf(run->arena, "%s: %s", failed->key, reason->text));
        return true;
    }
    return check->verdict == CHECK_BROKEN || find_errors(run, check);
}

// Gives the verdict unknown and returns true if other work disturbed a result about the device.
static bool find_busy(struct run *run, struct check *check)
{
    const struct result *result;
    const struct reason *reason =
        reason_of(run, check, VERDICT_SUSPECT, REASON_SHARED_DEVICE, "", &result);
    if (reason)
        conclude(check, CHECK_UNKNOWN, CHECK_BUSY,
                 arena_printf(run->arena, "busy: %s", reason->text));
    return reason != NULL;
}

// Returns a text like "17 of 18 NVLinks work" if only some links work; otherwise NULL. Missing
// links need not be a fault, because some boards have fewer bridges than the card has links.
static const char *nvlinks_text(struct run *run, const struct check *check)
{
    const struct check_state *state = &check->state;
    bool some = state->nvlinks_active > 0 && state->nvlinks_active < state->nvlinks;
    return some ? arena_printf(run->arena, "%.0f of %.0f NVLinks work", state->nvlinks_active,
                               state->nvlinks)
                : NULL;
}

static void note_counts(struct run *run, struct check *check)
{
    const struct check_state *state = &check->state;
    if (state->ecc_corrected > 0)
        remark(run, check, count_text(run, state->ecc_corrected, "corrected ECC error"));
    if (state->link_replays > 0)
        remark(run, check, count_text(run, state->link_replays, "PCIe replay"));
    if (state->nvlink_replays > 0)
        remark(run, check, count_text(run, state->nvlink_replays, "NVLink replay"));
    if (state->remap_pending > 0)
        remark(run, check, "a row of memory will be replaced at the next reset of the card");
    if (state->retired_pages > 0)
        remark(run, check,
               arena_printf(run->arena, "%.0f pages of memory are retired", state->retired_pages));
    if (nvlinks_text(run, check))
        remark(run, check, nvlinks_text(run, check));
    size_t cards = 0;
    const char *unknown = "";
    for (size_t i = 0; i < check->figure_count; i++) {
        const struct check_figure *figure = &check->figures[i];
        cards = figure->cards > cards ? figure->cards : cards;
        if (figure->judgement == CHECK_FIGURE_UNKNOWN)
            unknown = text_join(run->arena, unknown, ", ", check_title(run->arena, figure));
    }
    if (cards > 0 && cards < EXPECTATION_CARDS)
        remark(
            run, check,
            arena_printf(run->arena, "expectation from %s", text_count(run->arena, cards, "card")));
    if (cards > 0 && *unknown)
        remark(run, check, arena_printf(run->arena, "no expectation of %s", unknown));
}

// Returns why nothing was measured: the first reason of the device, else the check's cause.
static const char *why_nothing(const struct run *run, const struct check *check)
{
    for (size_t i = 0; i < run->result_count; i++)
        if (strcmp(run->results[i]->device, check->device) == 0 && run->results[i]->reason_count)
            return run->results[i]->reasons[0].text;
    return check->cause ? check->cause : "no figure was measured";
}

// Gives the check the verdict unknown, with the excuse as its cause.
static void conclude_excused(const struct judging *j, const struct reason *excuse)
{
    bool altered = strcmp(excuse->code, REASON_ALTERED) == 0;
    conclude(
        j->check, CHECK_UNKNOWN, altered ? CHECK_ALTERED : CHECK_BUSY,
        arena_printf(j->run->arena, "%s: %s", altered ? REASON_ALTERED : "busy", excuse->text));
}

// Applies the first of these rules that fits; returns false if none does.
// - Slow: a figure is slow and has no excuse (check_excuse). Of several, the one with the largest
//   deficit gives the cause.
// - Slow: the host link lacks lanes or generation, and no figure of the link is ok.
// - Unknown: a slow figure has an excuse.
static bool find_slow(const struct judging *j)
{
    struct run *run = j->run;
    struct check *check = j->check;
    const struct check_figure *worst = NULL;
    const struct reason *excuse = NULL;
    bool link_is_fine = false;
    for (size_t i = 0; i < check->figure_count; i++) {
        struct check_figure *figure = &check->figures[i];
        link_is_fine |=
            check_metric_is_host_link(figure->metric) && figure->judgement == CHECK_FIGURE_OK;
        if (figure->judgement != CHECK_FIGURE_SLOW)
            continue;
        const struct reason *own = check_excuse(run, j->ask.device, figure);
        if (own)
            excuse = own;
        else if (!worst || deficit_of(figure) > deficit_of(worst))
            worst = figure;
    }
    if (!worst && !link_is_fine && find_link_cause(run, check, ""))
        return true;
    if (!worst && excuse)
        conclude_excused(j, excuse);
    if (!worst)
        return excuse != NULL;
    const char *what = arena_printf(run->arena, "%s: ", figure_text(run->arena, worst));
    if (check_metric_is_host_link(worst->metric) && find_link_cause(run, check, what))
        return true;
    const char *nvlinks = nvlinks_text(run, check);
    if (worst->metric >= CHECK_PEER && nvlinks) {
        conclude(check, CHECK_SLOW, CHECK_LINK_WIDTH,
                 arena_printf(run->arena, "%s%s", what, nvlinks));
        return true;
    }
    const struct check_others others = others_of(j, worst);
    find_clock_cause(run, check, &others,
                     check_result(run, j->ask.device, worst->metric, worst->peer), worst);
    return true;
}

// If all figures have an excuse, gives the check the verdict unknown and returns true.
static bool find_excused(const struct judging *j)
{
    const struct reason *excuse = NULL;
    for (size_t i = 0; i < j->check->figure_count; i++) {
        excuse = check_excuse(j->run, j->ask.device, &j->check->figures[i]);
        if (!excuse)
            return false;
    }
    if (excuse)
        conclude_excused(j, excuse);
    return excuse != NULL;
}

// Returns how much figures differ between cards of one model, and between runs of one card.
static struct check_spreads spreads_of(struct arena *arena, const struct expectation *expectation)
{
    struct check_spreads spreads;
    struct run **runs = ARENA_ARRAY(arena, expectation->run_count + 1, struct run *);
    size_t count = 0;
    for (size_t i = 0; i < expectation->run_count; i++)
        runs[count++] = expectation->runs[i];
    if (expectation->references)
        runs[count++] = expectation->references;
    check_spreads_of(runs, count, &spreads);
    return spreads;
}

// Adds remarks about the runs with which the device was compared.
static void note_runs(const struct judging *j)
{
    struct arena *arena = j->run->arena;
    if (j->left_out)
        remark(j->run, j->check,
               arena_printf(arena, "%s left out: another power limit or ECC state",
                            text_count(arena, j->left_out, "card")));
    if (j->driver)
        remark(j->run, j->check, arena_printf(arena, "expectation from driver %s", j->driver));
    for (size_t i = 0; i < j->check->figure_count; i++)
        if (j->check->figures[i].basis == CHECK_BASIS_LIMIT) {
            remark(j->run, j->check,
                   arena_printf(arena,
                                "no run of this model: the share of the limit that others "
                                "of %s reach",
                                j->ask.device->architecture));
            break;
        }
}

void expectation_judge(struct run *run, const struct expectation *expectation, struct check *check)
{
    const struct run_device *device = run_find_device(run, check->device);
    size_t known = 0;
    if (!device)
        return;
    struct judging j = {.run = run,
                        .expectation = expectation,
                        .ask = {.runs = expectation->runs,
                                .run_count = expectation->run_count,
                                .device = device,
                                .state = &check->state},
                        .check = check,
                        .spreads = spreads_of(run->arena, expectation)};
    for (size_t i = 0; i < check->figure_count; i++) {
        judge_figure(&j, &check->figures[i]);
        known += check->figures[i].judgement != CHECK_FIGURE_UNKNOWN;
    }
    note_counts(run, check);
    note_runs(&j);
    if (find_breakage(run, check) || find_busy(run, check) || find_slow(&j) ||
        (known == 0 && find_excused(&j)))
        return;
    if (check->figure_count == 0)
        conclude(check, CHECK_UNKNOWN, check->code, why_nothing(run, check));
    else if (known == 0)
        conclude(check, CHECK_UNKNOWN, CHECK_NO_EXPECTATION,
                 "no reference of this model, driver API and method: see --expect");
    else
        conclude(check, CHECK_HEALTHY, CHECK_OK, NULL);
}
