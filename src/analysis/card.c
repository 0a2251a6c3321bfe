// SPDX-License-Identifier: MIT
#include "analysis/card.h"

#include "analysis/levels.h"
#include "analysis/pairing.h"
#include "base/text.h"
#include "results/reasons.h"

#include <math.h>
#include <string.h>

struct builder {
    struct arena *arena;
    struct card *card;
    const struct benchmark_info *info;
    const struct headline_info *headline;
};

// ---------------------------------------------------------------- levels of memory

// Returns the name of level k (L1, L2 or DRAM); CARD_LEVEL_ANY if the card has no row for it.
static enum card_level level_name(const struct level_curve *curve, size_t k)
{
    if (k + 1 == levels_count(curve) && isfinite(levels_memory(curve)))
        return CARD_LEVEL_DRAM;
    return k == 0 ? CARD_LEVEL_L1 : k == 1 ? CARD_LEVEL_L2 : CARD_LEVEL_ANY;
}

// A range of working sets, in bytes, that show the bandwidth of one level of memory.
struct working_sets {
    double least, most;
};

// Returns the range of working sets that show the bandwidth of a level. Sets of a cache fill at
// most half of it, and are at least four times the cache before it. If no set does, or if the
// latency curve does not show the level, the range is empty.
static struct working_sets level_sets(const struct level_curve *curve, enum card_level level)
{
    size_t count = levels_count(curve), k = level == CARD_LEVEL_L1 ? 0 : 1;
    if (level == CARD_LEVEL_ANY)
        return (struct working_sets){0, INFINITY};
    if (level == CARD_LEVEL_DRAM && isfinite(levels_memory(curve)))
        return (struct working_sets){levels_memory(curve), INFINITY};
    if (level != CARD_LEVEL_DRAM && k + 1 < count && level_name(curve, k) == level)
        return (struct working_sets){k ? 4 * levels_end(curve, k - 1) : 0,
                                     levels_end(curve, k) / 2};
    return (struct working_sets){1, 0};
}

// ---------------------------------------------------------------- adding rows and figures

// Returns the row with this section and label, added if needed; NULL if the card is full.
static struct card_row *row_get(struct card *card, enum card_section section, const char *label)
{
    size_t at = 0;
    for (; at < card->count; at++) {
        if (card->rows[at].section == section && strcmp(card->rows[at].label, label) == 0)
            return &card->rows[at];
        if (card->rows[at].section > section)
            break;
    }
    if (card->count == CARD_ROWS_MAX)
        return NULL;
    memmove(&card->rows[at + 1], &card->rows[at], (card->count - at) * sizeof *card->rows);
    card->count++;
    card->rows[at] = (struct card_row){.section = section, .label = label};
    return &card->rows[at];
}

// Returns true if the card shows `one` instead of `other`: if it has the better value or, for
// values at most CARD_NEAR apart, the better verdict.
static bool is_better(const struct card_figure *one, const struct card_figure *other)
{
    if (!isfinite(one->value) || !isfinite(other->value))
        return isfinite(one->value) || (!isfinite(other->value) && one->verdict > other->verdict);
    double gain = better_ratio(one->better, one->value, other->value) - 1;
    if (one->verdict != other->verdict && fabs(gain) <= CARD_NEAR)
        return one->verdict < other->verdict;
    return gain > 0;
}

// Adds the figure to its row. Of several figures with the same name, the row shows the best, and
// keeps the others in the list card_figure.other.
static void figure_add(const struct builder *b, const char *label, const struct card_figure *figure)
{
    struct card_row *row = row_get(b->card, b->headline->section, label);
    size_t at = 0;
    while (row && at < row->count && !text_same(row->figures[at].name, figure->name))
        at++;
    if (!row || at == CARD_FIGURES_MAX)
        return;
    struct card_figure *shown = &row->figures[at];
    if (at < row->count) {
        struct card_figure *worse = ARENA_NEW(b->arena, struct card_figure);
        bool better = is_better(figure, shown);
        *worse = better ? *shown : *figure;
        worse->other = shown->other;
        *shown = better ? *figure : *shown;
        shown->other = worse;
    } else {
        *shown = *figure;
    }
    shown->title = text_join(b->arena, label, " ", figure->name ? figure->name : "");
    row->count += at == row->count;
}

// Returns the headline's figure, still without a value.
static struct card_figure figure_of(const struct builder *b)
{
    const struct metric_info *metric = benchmark_metric(b->info, b->headline->metric);
    return (struct card_figure){.title = b->headline->title ? b->headline->title : metric->name,
                                .name = b->headline->name,
                                .benchmark = b->info->name,
                                .version = b->info->version,
                                .unit = metric->unit,
                                .better = metric->better,
                                .value = NAN,
                                .ci95 = {NAN, NAN},
                                .cycles = NAN,
                                .core_clock_hz = NAN,
                                .limit = NAN,
                                .share = NAN,
                                .reference = NAN};
}

static const char *reason_of(const struct result *result)
{
    if (result->verdict == VERDICT_OK)
        return NULL;
    return result->reason_count ? result->reasons[0].text : verdict_name(result->verdict);
}

// ---------------------------------------------------------------- figures of kind HEADLINE_BEST

static struct card_figure figure_of_result(const struct builder *b, const struct result *result)
{
    struct card_figure figure = figure_of(b);
    const struct metric *metric = result_metric(result, b->headline->metric);
    figure.key = result->key;
    figure.version = result->version;
    figure.verdict = result->verdict;
    figure.reason = reason_of(result);
    // A case with this reason has too few rounds so far. A run that still measures will visit it
    // again, so the figure may change. (The file of a killed run also has this reason.)
    figure.provisional = result_reason(result, REASON_UNFINISHED);
    if (!result_measured(result) || !metric || !isfinite(metric->median) || metric->median <= 0)
        return figure;
    figure.value = metric->median;
    memcpy(figure.ci95, metric->ci95, sizeof figure.ci95);
    figure.at_least = metric->at_least;
    figure.unit = metric_unit_shown(metric);
    figure.better = metric->better;
    figure.limit = metric->limit;
    figure.share = metric_share(metric, metric->median);
    figure.cycles = result_median(result, benchmark_cycles(b->info, b->headline->metric));
    const struct named_number *core_clock = result_sensor(result, "core_clock");
    figure.core_clock_hz = core_clock ? core_clock->value : NAN;
    return figure;
}

// Returns the working set of a case in bytes; NaN if the case has none.
static double working_set(const struct builder *b, const struct result *result)
{
    const struct case_value *bytes =
        b->headline->by ? case_find(&result->bench_case, b->headline->by) : NULL;
    return bytes ? (double)bytes->uint : NAN;
}

static bool is_described(const struct builder *b, const struct result *result,
                         const struct working_sets *sets)
{
    double bytes = working_set(b, result);
    return strcmp(result->benchmark, b->info->name) == 0 &&
           strcmp(result->device, b->card->device->id) == 0 &&
           case_matches(&result->bench_case, b->headline->where) &&
           (b->headline->level == CARD_LEVEL_ANY || (bytes >= sets->least && bytes <= sets->most));
}

// Returns the working sets that may give the headline's figure. For a cache, only the largest set
// counts, because smaller ones lie partly in caches nearer to the cores.
static struct working_sets wanted_sets(const struct builder *b)
{
    struct working_sets sets = level_sets(&b->card->curve, b->headline->level);
    double largest = sets.least;
    for (size_t i = 0; isfinite(sets.most) && i < b->card->run->result_count; i++) {
        const struct result *result = b->card->run->results[i];
        if (result_measured(result) && is_described(b, result, &sets))
            largest = fmax(largest, working_set(b, result));
    }
    sets.least = largest;
    return sets;
}

// Finds the best figure among the cases that the headline describes; returns false if there is
// none. A skipped or failed case gives a figure without a value.
static bool best_figure(const struct builder *b, struct card_figure *best)
{
    const struct run *run = b->card->run;
    const struct working_sets sets = wanted_sets(b);
    bool found = false;
    for (size_t i = 0; i < run->result_count; i++) {
        if (!is_described(b, run->results[i], &sets))
            continue;
        const struct card_figure figure = figure_of_result(b, run->results[i]);
        if (!isfinite(figure.value) && result_measured(run->results[i]))
            continue;
        if (!found || is_better(&figure, best))
            *best = figure;
        found = true;
    }
    return found;
}

// ---------------------------------------------------------------- figures of kind HEADLINE_LEVELS

// Returns the case with the median latency on level k of the latency curve. If at least half of the
// level's cases have the verdict ok, considers only these cases.
static const struct result *middle_case(const struct builder *b, size_t k)
{
    const struct plateau *level = &b->card->curve.fit.levels[k];
    size_t count = level->last - level->first + 1, ok = 0;
    for (size_t i = level->first; i <= level->last; i++)
        ok += b->card->curve.results[i]->verdict == VERDICT_OK;
    bool only_ok = 2 * ok >= count;
    struct level_curve sorted = level_curve_empty(b->arena, count);
    for (size_t i = level->first; i <= level->last; i++)
        if (!only_ok || b->card->curve.results[i]->verdict == VERDICT_OK)
            level_curve_insert(&sorted, b->card->curve.results[i], b->card->curve.ns[i],
                               b->card->curve.ns[i]);
    return sorted.results[(sorted.count - 1) / 2];
}

static void add_levels(const struct builder *b)
{
    static const char *const names[] = {
        [CARD_LEVEL_L1] = "L1", [CARD_LEVEL_L2] = "L2", [CARD_LEVEL_DRAM] = "DRAM"};
    for (size_t k = 0; k < levels_count(&b->card->curve); k++) {
        enum card_level level = level_name(&b->card->curve, k);
        if (level == CARD_LEVEL_ANY)
            continue;
        const char *label = arena_printf(b->arena, "%s %s", names[level], b->headline->row);
        const struct card_figure figure = figure_of_result(b, middle_case(b, k));
        figure_add(b, label, &figure);
    }
}

// Returns true if the card's latency curve has the benchmark and the metric of the headline.
static bool declares_curve(const struct builder *b)
{
    return b->headline->kind == HEADLINE_LEVELS && b->card->curve.count > 0 &&
           strcmp(b->card->curve.results[0]->benchmark, b->info->name) == 0 &&
           strcmp(b->card->curve.metric, b->headline->metric) == 0;
}

static void add_further(struct card *card, struct arena *arena, const struct card_figure *figure)
{
    card->further = arena_grow(arena, card->further, card->further_count, &card->further_capacity,
                               sizeof *card->further);
    card->further[card->further_count++] = *figure;
}

static void add_headline(const struct builder *b)
{
    const struct headline_info *headline = b->headline;
    bool on_card = headline->section != CARD_NONE && headline->section <= CARD_HOST;
    struct card_figure best;
    if (!benchmark_metric(b->info, headline->metric) || (on_card && !headline->row))
        return;
    if (on_card && declares_curve(b))
        add_levels(b);
    if (headline->kind != HEADLINE_BEST || !best_figure(b, &best))
        return;
    if (on_card)
        figure_add(b, headline->row, &best);
    else if (best.verdict != VERDICT_SKIPPED)
        add_further(b->card, b->arena, &best);
}

// Removes each row of the card whose figures were all skipped. A row with a failed case stays.
static void drop_empty_rows(struct card *card)
{
    size_t kept = 0;
    for (size_t i = 0; i < card->count; i++) {
        bool tells = false;
        for (size_t k = 0; k < card->rows[i].count; k++)
            tells |= card->rows[i].figures[k].verdict != VERDICT_SKIPPED;
        if (tells)
            card->rows[kept++] = card->rows[i];
    }
    card->count = kept;
}

// ---------------------------------------------------------------- the whole card

// Returns the warning that the card's device is a CPU and not a GPU; NULL if it is a GPU.
static const char *warning_of(const struct run *run, const struct run_device *device)
{
    if (!device->kind || strcmp(device->kind, "cpu") != 0)
        return NULL;
    for (size_t i = 0; i < run->finding_count; i++)
        if (strcmp(run->findings[i].code, CARD_NO_GPU) == 0)
            return run->findings[i].text;
    return "These are figures of a CPU, not of a GPU";
}

void card_build(struct arena *arena, const struct run *run, const char *device,
                const struct known_cards *known, struct card *card)
{
    *card = (struct card){.run = run, .device = run_find_device(run, device)};
    if (!card->device)
        return;
    card->api = device_api(arena, device);
    card->warning = warning_of(run, card->device);
    card->curve = levels_longest(arena, run, device);
    struct builder b = {.arena = arena, .card = card};
    for (size_t i = 0; i < run->benchmark_count; i++) {
        b.info = run->benchmarks[i];
        for (size_t h = 0; h < b.info->headline_count; h++) {
            b.headline = &b.info->headlines[h];
            add_headline(&b);
        }
    }
    drop_empty_rows(card);
    card_judge(arena, card, known);
}

const char *card_state(const struct card *card)
{
    static const char *const states[] = {
        [RUN_INTERRUPTED] = "This run was interrupted: not everything was measured.",
        [RUN_RUNNING] = "This run was still going on when the file was saved.",
    };
    const struct run *run = card->run;
    const struct run_counts counts = run_count(run, card->device->id, NULL);
    return !counts.all        ? "Nothing was measured on this device."
           : !counts.measured ? "No case of this device gave a number; the reasons stand below."
           : run->status < sizeof states / sizeof *states ? states[run->status]
                                                          : NULL;
}
