// SPDX-License-Identifier: MIT
#include "analysis/compare.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const word_names[COMPARE_WORD_COUNT] = {
#define X(name, text) [COMPARE_##name] = text,
    COMPARE_WORDS(X)
#undef X
};

const char *compare_word_name(enum compare_word word)
{
    return (unsigned)word < COMPARE_WORD_COUNT ? word_names[word] : "?";
}

struct ratio ratio_of(const struct metric *base, const struct metric *now)
{
    struct ratio ratio = {NAN, NAN, NAN};
    if (!base || !now || !isfinite(base->median) || !isfinite(now->median))
        return ratio;
    if (base->median != 0)
        ratio.value = now->median / base->median;
    // The ratio has an interval only if the intervals of both medians lie above 0.
    if (base->ci95[0] > 0 && now->ci95[0] > 0) {
        ratio.low = now->ci95[0] / base->ci95[1];
        ratio.high = now->ci95[1] / base->ci95[0];
    }
    return ratio;
}

// ---------------------------------------------------------------- the word for one metric

// How a metric changed from base to new, by the threshold and the interval of the ratio.
enum side {
    SIDE_UNSURE,
    SIDE_SAME,
    SIDE_MORE,
    SIDE_LESS
};

// The same metric of one case in two runs: element 0 is from run base, element 1 from run new.
struct figure {
    const struct metric *of[2]; // the metric in base and in new; NULL if unknown
    // The metric that contains the metric in `of` (metric_info.part_of); NULL if there is none.
    const struct metric *whole[2];
};

// Returns true if `a` is surely below `b` by more than the threshold. The threshold is a share of
// `whole` if `a` is a part of `whole`, else of `a`.
static bool is_below(const struct metric *a, const struct metric *b, const struct metric *whole,
                     double threshold)
{
    return b->ci95[0] - a->ci95[1] > threshold * fabs(whole ? whole->ci95[1] : a->ci95[1]);
}

// Returns true if the change is surely at most the threshold, a share of the base. If the metric is
// a part of another metric, the threshold is a share of the containing metric.
static bool is_within(const struct figure *figure, double threshold)
{
    const struct metric *base = figure->of[0], *now = figure->of[1];
    if (figure->whole[0] && figure->whole[1]) {
        double least = fmin(figure->whole[0]->ci95[0], figure->whole[1]->ci95[0]);
        double most = fmax(now->ci95[1] - base->ci95[0], base->ci95[1] - now->ci95[0]);
        return most <= threshold * least;
    }
    struct ratio ratio = ratio_of(base, now);
    bool none = base->ci95[0] == 0 && base->ci95[1] == 0 && now->ci95[0] == 0 && now->ci95[1] == 0;
    return none || (ratio.low >= 1 / (1 + threshold) && ratio.high <= 1 + threshold);
}

static enum side side_of(const struct figure *figure, double threshold)
{
    const struct metric *base = figure->of[0], *now = figure->of[1];
    if (!base || !now || base->at_least || now->at_least)
        return SIDE_UNSURE;
    if (is_below(base, now, figure->whole[0], threshold))
        return SIDE_MORE;
    if (is_below(now, base, figure->whole[1], threshold))
        return SIDE_LESS;
    return is_within(figure, threshold) ? SIDE_SAME : SIDE_UNSURE;
}

static enum compare_word word_of(enum side side, enum better better)
{
    if (side == SIDE_UNSURE)
        return COMPARE_UNSURE;
    if (side == SIDE_SAME)
        return COMPARE_SAME;
    if (better == BETTER_NONE)
        return COMPARE_OTHER;
    return (side == SIDE_MORE) == (better == BETTER_HIGHER) ? COMPARE_FASTER : COMPARE_SLOWER;
}

// Returns the result's first metric whose name is in the list; NULL if there is none.
static const struct metric *first_of(const struct result *result, const char *list)
{
    for (size_t i = 0; i < result->metric_count; i++)
        if (text_list_has(list, result->metrics[i].name))
            return &result->metrics[i];
    return NULL;
}

const struct metric *metric_in_cycles(const struct benchmark_info *info,
                                      const struct result *result, const struct metric *metric)
{
    for (size_t i = 0; info && i < info->metric_count; i++) {
        const struct metric_info *cycles = &info->metrics[i];
        if (first_of(result, cycles->cycles_of) == metric &&
            isfinite(result_median(result, cycles->name)))
            return result_metric(result, cycles->name);
    }
    return NULL;
}

// Returns the metric of which `metric` is a part (metric_info.part_of); NULL if there is none.
static const struct metric *metric_whole(const struct benchmark_info *info,
                                         const struct result *result, const struct metric *metric)
{
    for (size_t i = 0; info && i < info->metric_count; i++)
        if (info->metrics[i].part_of && strcmp(info->metrics[i].name, metric->name) == 0)
            return result_metric(result, info->metrics[i].part_of);
    return NULL;
}

bool metric_is_twin(const struct benchmark_info *info, const struct result *result,
                    const struct metric *metric)
{
    for (size_t i = 0; i < result->metric_count; i++)
        if (metric_in_cycles(info, result, &result->metrics[i]) == metric)
            return true;
    return false;
}

// ---------------------------------------------------------------- rows of one case

struct comparing {
    struct arena *arena;
    struct compare *compare;
    const struct compare_desc *desc;
    // true if the two compared devices are different cards of one model
    bool other_card;
};

static struct compare_part *part_get(struct comparing *c, const char *benchmark)
{
    struct compare *compare = c->compare;
    for (size_t i = 0; i < compare->part_count; i++)
        if (strcmp(compare->parts[i].benchmark, benchmark) == 0)
            return &compare->parts[i];
    compare->parts = arena_grow(c->arena, compare->parts, compare->part_count,
                                &compare->part_capacity, sizeof *compare->parts);
    struct compare_part *part = &compare->parts[compare->part_count++];
    part->benchmark = benchmark;
    return part;
}

static void row_add(struct comparing *c, const struct compare_row *row)
{
    struct compare *compare = c->compare;
    compare->rows = arena_grow(c->arena, compare->rows, compare->row_count, &compare->row_capacity,
                               sizeof *compare->rows);
    compare->rows[compare->row_count++] = *row;
    compare->counts[row->word]++;
    compare->suspect_slower += row->word == COMPARE_SLOWER && row->suspect;
    struct compare_part *part = part_get(c, row->base ? row->base->benchmark : row->now->benchmark);
    part->counts[row->word]++;
    bool directed = row->base_metric && row->base_metric->better != BETTER_NONE && !row->is_part;
    if (directed && row->ratio.value > 0) {
        bool higher = row->base_metric->better == BETTER_HIGHER;
        part->geometric_mean += higher ? log(row->ratio.value) : -log(row->ratio.value);
        // geometric_mean is a sum of logarithms until parts_finish() has been called
        part->mean_count++;
    }
}

static void parts_finish(struct compare *compare)
{
    for (size_t i = 0; i < compare->part_count; i++) {
        struct compare_part *part = &compare->parts[i];
        part->geometric_mean =
            part->mean_count ? exp(part->geometric_mean / (double)part->mean_count) : NAN;
    }
}

// Returns true if the intervals of the ratios new ÷ base, in time and in cycles, do not overlap.
static bool ratios_apart(const struct figure *time, const struct figure *cycles)
{
    struct ratio a = ratio_of(time->of[0], time->of[1]);
    struct ratio b = ratio_of(cycles->of[0], cycles->of[1]);
    return a.low > b.high || b.low > a.high;
}

// Returns how the figure changed between two cards of one model, beyond what healthy cards differ.
static enum side side_beyond(const struct comparing *c, const char *benchmark,
                             const struct figure *figure)
{
    double spread = figure->of[0] ? card_spread_of(benchmark, figure->of[0]->unit) : 0;
    return side_of(figure, fmax(c->compare->threshold, spread));
}

// An outlier is a figure that by chance differs by more than card_spread_of between two healthy
// cards. In logarithms, it differs by at most this many times card_spread_of.
static const double outlier_most = 3;

// Returns true if the figure's change is small enough for an outlier (outlier_most).
static bool may_be_outlier(const char *benchmark, const struct figure *figure)
{
    double base = figure->of[0]->median, now = figure->of[1]->median;
    double change = figure->whole[0] ? log1p(fabs(now - base) / figure->whole[0]->median)
                                     : fabs(log(now / base));
    return change <= outlier_most * log1p(card_spread_of(benchmark, figure->of[0]->unit));
}

// Returns the word, such as "faster", for the change of `time`. `cycles` measures the same work.
static enum compare_word word_for(const struct comparing *c, const char *benchmark,
                                  const struct figure *time, const struct figure *cycles)
{
    double threshold = c->compare->threshold;
    enum side in_time = side_of(time, threshold);
    enum side in_cycles = side_of(cycles, threshold);
    if (in_time != SIDE_UNSURE && in_time != in_cycles &&
        (in_cycles != SIDE_UNSURE || ratios_apart(time, cycles)))
        return COMPARE_CLOCK;
    if (c->other_card && (in_time == SIDE_MORE || in_time == SIDE_LESS)) {
        if (side_beyond(c, benchmark, time) != in_time)
            return COMPARE_CARD;
        if (cycles->of[0] && cycles->of[1] && side_beyond(c, benchmark, cycles) != in_time)
            // The cards differ only in time. In core cycles, they differ no more than healthy
            // cards.
            return COMPARE_CLOCK;
    }
    return word_of(in_time, time->of[0]->better);
}

static void metrics_compare(struct comparing *c, const struct result *base,
                            const struct result *now)
{
    const struct benchmark_info *base_info = run_benchmark(c->compare->base, base->benchmark);
    const struct benchmark_info *now_info = run_benchmark(c->compare->now, now->benchmark);
    for (size_t i = 0; i < base->metric_count; i++) {
        const struct metric *metric = &base->metrics[i];
        const struct metric *other = result_metric(now, metric->name);
        if (!isfinite(metric->median) || metric_is_twin(base_info, base, metric))
            continue;
        bool has_number = other && isfinite(other->median);
        if (!has_number || other->unit != metric->unit) {
            const char *what = has_number ? "another unit" : "no number";
            row_add(c, &(struct compare_row){
                           .word = COMPARE_MISSING,
                           .base = base,
                           .now = now,
                           .base_metric = metric,
                           .text = arena_printf(c->arena, "%s has %s in new", metric->name, what)});
            continue;
        }
        const struct figure time = {
            .of = {metric, other},
            .whole = {metric_whole(base_info, base, metric), metric_whole(now_info, now, other)}};
        const struct figure cycles = {.of = {metric_in_cycles(base_info, base, metric),
                                             metric_in_cycles(now_info, now, other)}};
        struct compare_row row = {.word = word_for(c, base->benchmark, &time, &cycles),
                                  .base = base,
                                  .now = now,
                                  .base_metric = metric,
                                  .now_metric = other,
                                  .ratio = ratio_of(metric, other),
                                  .cycles = ratio_of(cycles.of[0], cycles.of[1]),
                                  .is_part = time.whole[0] != NULL};
        // If the core clock changed, only the cycles show how much the cards differ.
        row.is_outlier =
            c->other_card &&
            (may_be_outlier(base->benchmark, &time) ||
             (cycles.of[0] && cycles.of[1] && may_be_outlier(base->benchmark, &cycles))) &&
            (row.word == COMPARE_FASTER || row.word == COMPARE_SLOWER || row.word == COMPARE_OTHER);
        row.suspect = base->verdict == VERDICT_SUSPECT || now->verdict == VERDICT_SUSPECT;
        if (row.word == COMPARE_UNSURE && !isfinite(row.ratio.low))
            row.text = "no interval";
        row_add(c, &row);
    }
}

static void case_compare(struct comparing *c, const struct result *base, const struct result *now)
{
    struct compare_row whole = {.base = base, .now = now};
    const char *mismatch = now && !c->desc->across ? result_mismatch(c->arena, base, now) : NULL;
    if (!now || !result_measured(now)) {
        whole.word = now && now->verdict == VERDICT_FAILED ? COMPARE_BROKEN : COMPARE_MISSING;
        whole.text = now && now->reason_count ? now->reasons[0].text : NULL;
    } else if (mismatch) {
        whole.word = COMPARE_REFUSED;
        whole.text = mismatch;
    } else {
        metrics_compare(c, base, now);
        return;
    }
    row_add(c, &whole);
}

// ---------------------------------------------------------------- pairing the devices

static bool devices_pair(struct comparing *c, struct error *err)
{
    struct compare *compare = c->compare;
    compare->pairs = device_pairs_of(c->arena, compare->base, compare->now, c->desc->across);
    if (compare->pairs.count)
        return true;
    if (!compare->base->device_count || !compare->now->device_count)
        return error_set(err, ERROR_USAGE, "a run without a device cannot be compared");
    const struct run_device *base = &compare->base->devices[0], *now = &compare->now->devices[0];
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): checked above: both runs have devices
    return error_set(
        err, ERROR_USAGE,
        "different devices: base measured %s (%s), new %s (%s); --across compares them "
        "anyway",
        base->name ? base->name : "?", base->id, now->name ? now->name : "?", now->id);
}

// ---------------------------------------------------------------- comparing two runs

static void pair_compare(struct comparing *c, const struct device_pair *pair,
                         const struct result_index *base, const struct result_index *now)
{
    size_t count, first = c->compare->row_count;
    c->other_card = compare_other_card(pair);
    const struct result_place *places = result_index_device(base, pair->base->id, &count);
    for (size_t i = 0; i < count; i++) {
        const struct result *result = places[i].result;
        if (result_measured(result) &&
            result_index_find(base, result->device, result->key) == result)
            case_compare(c, result, result_index_find(now, pair->now->id, result->key));
    }
    places = result_index_device(now, pair->now->id, &count);
    for (size_t i = 0; i < count; i++) {
        const struct result *result = places[i].result;
        if (!result_measured(result) ||
            result_index_find(now, result->device, result->key) != result)
            continue;
        const struct result *former = result_index_find(base, pair->base->id, result->key);
        if (!former || !result_measured(former))
            row_add(c, &(struct compare_row){.word = COMPARE_ADDED, .now = result});
    }
    if (c->other_card)
        compare_excuse_outliers(c->arena, c->compare, pair, first);
}

// Adds a row for each measured result of each device without a partner in the other run.
static void unpaired_list(struct comparing *c, enum compare_word word,
                          const struct result_index *index)
{
    bool missing = word == COMPARE_MISSING;
    const struct device_pairs *pairs = &c->compare->pairs;
    const struct run *run = missing ? pairs->base : pairs->now;
    const bool *paired = missing ? pairs->base_paired : pairs->now_paired;
    for (size_t d = 0; d < run->device_count; d++) {
        size_t count = 0;
        const struct result_place *places =
            paired[d] ? NULL : result_index_device(index, run->devices[d].id, &count);
        for (size_t i = 0; i < count; i++) {
            const struct result *result = places[i].result;
            if (result_measured(result) &&
                result_index_find(index, result->device, result->key) == result)
                row_add(c, &(struct compare_row){.word = word,
                                                 .base = missing ? result : NULL,
                                                 .now = missing ? NULL : result,
                                                 .text = missing ? "new has no such device"
                                                                 : "base has no such device"});
        }
    }
}

static bool something_compared(const struct compare *compare, struct error *err)
{
    size_t whole = compare->counts[COMPARE_MISSING] + compare->counts[COMPARE_ADDED] +
                   compare->counts[COMPARE_REFUSED];
    if (compare->row_count > whole)
        return true;
    for (size_t i = 0; i < compare->row_count; i++)
        if (compare->rows[i].word == COMPARE_REFUSED)
            return error_set(err, ERROR_USAGE,
                             "nothing is comparable: %s; measure both with the same fathom, or "
                             "use --across",
                             compare->rows[i].text);
    return error_set(err, ERROR_USAGE, "nothing is comparable: the runs share no measured case");
}

bool compare_runs(struct arena *arena, const struct run *base, const struct run *now,
                  const struct compare_desc *desc, struct compare *compare, struct error *err)
{
    *compare = (struct compare){.base = base,
                                .now = now,
                                .threshold = desc->threshold > 0 ? desc->threshold : 0.02,
                                .strict = desc->strict};
    struct comparing comparing = {.arena = arena, .compare = compare, .desc = desc};
    if (!devices_pair(&comparing, err))
        return false;
    struct result_index base_index = result_index_of(arena, base);
    struct result_index now_index = result_index_of(arena, now);
    for (size_t i = 0; i < compare->pairs.count; i++)
        pair_compare(&comparing, &compare->pairs.list[i], &base_index, &now_index);
    unpaired_list(&comparing, COMPARE_MISSING, &base_index);
    unpaired_list(&comparing, COMPARE_ADDED, &now_index);
    parts_finish(compare);
    return something_compared(compare, err);
}

bool compare_regressed(const struct compare *compare)
{
    size_t ignored = compare->strict ? 0 : compare->suspect_slower;
    return compare->counts[COMPARE_SLOWER] > ignored || compare->counts[COMPARE_BROKEN] > 0;
}

const char *compare_row_case(struct arena *arena, const struct compare *compare,
                             const struct compare_row *row)
{
    const struct result *result = row->base ? row->base : row->now;
    if (compare->base->device_count < 2 && compare->now->device_count < 2)
        return result->key;
    return arena_printf(arena, "%s %s", result->device, result->key);
}

// Returns |log ratio|, by which rows are sorted; infinite if one value is 0, and 0 if both are.
static double change_of(const struct compare_row *row)
{
    if (row->ratio.value > 0)
        return fabs(log(row->ratio.value));
    bool differ = row->now_metric && row->base_metric->median != row->now_metric->median;
    return differ ? INFINITY : 0;
}

static int compare_changes(const void *left, const void *right)
{
    const struct compare_row *a = *(const struct compare_row *const *)left;
    const struct compare_row *b = *(const struct compare_row *const *)right;
    double x = change_of(a), y = change_of(b);
    if (x != y)
        return x < y ? 1 : -1;
    return (a > b) - (a < b); // rows with equal changes keep the order of compare.rows
}

const struct compare_row **compare_rows_of(struct arena *arena, const struct compare *compare,
                                           enum compare_word word, size_t *count)
{
    const struct compare_row **rows =
        ARENA_ARRAY(arena, compare->counts[word], const struct compare_row *);
    *count = 0;
    for (size_t i = 0; i < compare->row_count; i++)
        if (compare->rows[i].word == word)
            rows[(*count)++] = &compare->rows[i];
    if (*count)
        qsort(rows, *count, sizeof *rows, compare_changes);
    return rows;
}
