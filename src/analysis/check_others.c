// SPDX-License-Identifier: MIT
#include "analysis/check_others.h"

#include "analysis/pairing.h"
#include "base/text.h"
#include "math/stats.h"
#include "results/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum check_class check_class_of(enum check_metric metric)
{
    if (metric == CHECK_MATRIX_FP16)
        return CHECK_CLASS_MATRIX;
    if (metric == CHECK_DRAM_READ)
        return CHECK_CLASS_MEMORY;
    if (metric == CHECK_LATENCY_L2 || metric == CHECK_LATENCY_DRAM)
        return CHECK_CLASS_LATENCY;
    if (check_metric_is_host_link(metric))
        return CHECK_CLASS_HOST;
    return metric >= CHECK_PEER ? CHECK_CLASS_LINK : CHECK_CLASS_CHIP;
}

// One measured value of one figure.
struct seen {
    enum check_class class;
    // Model and API, with a tab between them; UUID of the card; what was measured (figure_text).
    const char *model, *card, *figure;
    double log_value;
};

struct pool {
    struct arena *arena;
    struct seen *list;
    size_t count, capacity;
};

// ---------------------------------------------------------------- collecting figures of all runs

// Returns a text that is equal for two results of one model if they can be compared.
static const char *figure_text(struct arena *arena, const struct check_case *of,
                               const struct result *result)
{
    const char *way = result_detail(result, "way"), *devices = result_detail(result, "devices");
    const char *text = arena_printf(arena, "%u", result->version);
    if (check_metric_is_pair(of->metric) || of->metric == CHECK_PEER_ALL)
        return arena_printf(arena, "%s %s %s %s", words_name(&check_metric_words, of->metric), text,
                            way ? way : "", devices ? devices : "");
    for (size_t i = 0; i < result->bench_case.value_count; i++)
        if (result->bench_case.values[i].role == PARAM_METHOD)
            text = arena_printf(arena, "%s %s", text,
                                case_value_text(arena, &result->bench_case.values[i]));
    return arena_printf(arena, "%s %s", result->key, text);
}

static void add_result(struct pool *pool, const struct run_device *device,
                       const struct result *result)
{
    const struct check_case *of = check_wanted(result);
    double value = of ? result_median(result, of->measured) : (double)NAN;
    if (!of || !device || !device->uuid || !device->name || !(value > 0))
        return;
    pool->list =
        arena_grow(pool->arena, pool->list, pool->count, &pool->capacity, sizeof *pool->list);
    pool->list[pool->count++] =
        (struct seen){.class = check_class_of(of->metric),
                      .model = arena_printf(pool->arena, "%s\t%s", device->name,
                                            device_api(pool->arena, device->id)),
                      .card = device->uuid,
                      .figure = figure_text(pool->arena, of, result),
                      .log_value = log(value)};
}

static int compare(const void *a, const void *b)
{
    const struct seen *one = a, *other = b;
    int order = (one->class > other->class) - (one->class < other->class);
    order = order ? order : strcmp(one->model, other->model);
    order = order ? order : strcmp(one->figure, other->figure);
    return order ? order : strcmp(one->card, other->card);
}

// ---------------------------------------------------------------- pooling the spreads

// Sums of squared deviations. `between`: each card from the mean of its model; `repeats`: each run
// from the mean of its card. Figures count by their logarithms.
struct sums {
    double between, repeats;
    // Degrees of freedom: the number of squared deviations minus the number of means.
    size_t between_count, repeats_count;
    // Cards with a figure that was also measured on another card of the same model.
    const char **cards;
    size_t card_count;
    // Cards that were measured in several runs. A card with n runs is n − 1 times in the list.
    const char **repeated;
    size_t repeated_count;
};

static size_t times_in(const char *const *texts, size_t count, const char *text)
{
    size_t times = 0;
    for (size_t i = 0; i < count; i++)
        times += strcmp(texts[i], text) == 0;
    return times;
}

static void note_cards(struct sums *sums, const struct seen *first, size_t runs, bool has_others)
{
    if (has_others && !times_in(sums->cards, sums->card_count, first->card))
        sums->cards[sums->card_count++] = first->card;
    for (size_t known = times_in(sums->repeated, sums->repeated_count, first->card);
         known + 1 < runs; known++)
        sums->repeated[sums->repeated_count++] = first->card;
}

// Adds the squared deviations of one figure on all cards of a model. `list` is sorted by card.
static void add_figure(struct sums *sums, const struct seen *list, size_t count, double *means)
{
    size_t cards = 0;
    bool has_others = strcmp(list[0].card, list[count - 1].card) != 0;
    for (size_t i = 0, end; i < count; i = end) {
        double mean = 0;
        for (end = i; end < count && strcmp(list[end].card, list[i].card) == 0; end++)
            mean += list[end].log_value;
        mean /= (double)(end - i);
        for (size_t r = i; r < end; r++)
            sums->repeats += pow(list[r].log_value - mean, 2);
        sums->repeats_count += end - i - 1;
        means[cards++] = mean;
        note_cards(sums, &list[i], end - i, has_others);
    }
    if (has_others) {
        sums->between += pow(stats_deviation(means, cards), 2) * (double)(cards - 1);
        sums->between_count += cards - 1;
    }
}

// Returns the spread of the figures of one class between cards of one model. Also adds the
// deviations between runs of one card to sums->repeats, a sum over all classes.
static struct check_spread pool_class(struct sums *sums, const struct seen *list, size_t count,
                                      double *means)
{
    const char *model = NULL;
    size_t models = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && strcmp(list[end].model, list[i].model) == 0 &&
                      strcmp(list[end].figure, list[i].figure) == 0;
             end++)
            continue;
        size_t cards = sums->card_count;
        add_figure(sums, list + i, end - i, means);
        size_t name = strcspn(list[i].model, "\t") + 1;
        if (sums->card_count > cards && (!model || strncmp(model, list[i].model, name) != 0)) {
            models++;
            model = list[i].model;
        }
    }
    struct check_spread spread = {.freedom = (unsigned)(sums->card_count - models)};
    if (sums->between_count)
        spread.deviation = sqrt(sums->between / (double)sums->between_count);
    return spread;
}

void check_spreads_of(struct run *const *runs, size_t run_count, struct check_spreads *spreads)
{
    struct pool pool = {.arena = arena_create()};
    for (size_t r = 0; r < run_count; r++)
        for (size_t i = 0; i < runs[r]->result_count; i++)
            add_result(&pool, run_find_device(runs[r], runs[r]->results[i]->device),
                       runs[r]->results[i]);
    if (pool.count)
        qsort(pool.list, pool.count, sizeof *pool.list, compare);
    *spreads = (struct check_spreads){0};
    struct sums sums = {.cards = ARENA_ARRAY(pool.arena, pool.count, const char *),
                        .repeated = ARENA_ARRAY(pool.arena, pool.count, const char *)};
    double *means = ARENA_ARRAY(pool.arena, pool.count, double);
    for (size_t i = 0, end; i < pool.count; i = end) {
        for (end = i; end < pool.count && pool.list[end].class == pool.list[i].class; end++)
            continue;
        sums.between = 0;
        sums.between_count = sums.card_count = 0;
        spreads->between[pool.list[i].class] = pool_class(&sums, pool.list + i, end - i, means);
    }
    if (sums.repeats_count)
        spreads->repeats = (struct check_spread){sqrt(sums.repeats / (double)sums.repeats_count),
                                                 (unsigned)sums.repeated_count};
    arena_destroy(pool.arena);
}

double check_spread_bound(const struct check_spread *spread, size_t count, double confidence)
{
    if (spread->freedom == 0)
        return NAN;
    double t = stats_t_quantile(confidence, spread->freedom);
    return expm1(t * spread->deviation * sqrt(1 + 1 / (double)count));
}

// ---------------------------------------------------------------- values of other cards

// Returns true if `device` and `other` are the same card. Both must have the same model name. Two
// simulated devices count as the same card, because only their name identifies them.
static bool is_itself(const struct run_device *device, const struct run_device *other)
{
    return device_same_chip(device, other) || text_begins(device->id, "model:");
}

// Returns the state of the card at the time of the run; NULL if the run does not record it.
static const struct check_state *state_of(const struct run *run, const struct run_device *card)
{
    for (size_t i = 0; i < run->check_count; i++)
        if (text_same(run->checks[i].device, card->id))
            return &run->checks[i].state;
    return NULL;
}

// Returns true if the cards differ in the power limit or in ECC. Both change the speed of a card.
static bool differs(const struct check_state *a, const struct check_state *b)
{
    // Drivers report whole watts: limits within 1 % count as equal.
    static const double same_power = 0.01;
    bool power = a && b && isfinite(a->power_limit_w) && isfinite(b->power_limit_w) &&
                 fabs(a->power_limit_w / b->power_limit_w - 1) > same_power;
    bool ecc = a && b && isfinite(a->ecc_enabled) && isfinite(b->ecc_enabled) &&
               (a->ecc_enabled > 0) != (b->ecc_enabled > 0);
    return power || ecc;
}

// Returns the first number in a driver's version, 580 for "NVIDIA 580.159.04"; 0 if it has none.
static unsigned long branch_of(const char *driver)
{
    const char *number = driver ? strpbrk(driver, "0123456789") : NULL;
    return number ? strtoul(number, NULL, 10) : 0;
}

// Returns the result of `run` on `card` that can be compared with `result`; NULL if there is none.
static const struct result *comparable(struct arena *arena, const struct run *run,
                                       const struct run_device *card, const struct check_case *of,
                                       const struct run_device *device, const struct result *result)
{
    const struct result *known = check_counterpart(run, card, of, device, result);
    bool usable = known && result_measured(known) && isfinite(result_median(known, of->measured));
    return usable && !result_mismatch(arena, known, result) ? known : NULL;
}

// Adds the value of another run. Each run of the judged device's own card adds a value; of another
// card, only the last run counts. All cards without a UUID share one value, because they may be one
// card.
static void add_other(struct check_others *others, const struct run_device *card,
                      const struct result *result, const struct metric *metric, double factor)
{
    size_t at = 0;
    const char *uuid = card->uuid ? card->uuid : "";
    while (at < others->count && (others->itself || strcmp(others->uuids[at], uuid) != 0))
        at++;
    if (at == CHECK_OTHERS_MAX)
        return;
    others->count += at == others->count;
    others->uuids[at] = uuid;
    others->drivers[at] = card->driver;
    others->values[at] = metric->median * factor;
    others->unsure = (metric->ci95[1] - metric->ci95[0]) / 2 / metric->median;
    others->core_hz[at] = check_sensor(result, "core_clock");
    others->memory_hz[at] = check_sensor(result, "card_memory_clock");
}

static void leave_out(struct check_others *others, const struct run_device *card)
{
    const char *uuid = card->uuid ? card->uuid : "";
    if (others->left_out < CHECK_OTHERS_MAX && !times_in(others->left, others->left_out, uuid))
        others->left[others->left_out++] = uuid;
}

static void add_same_model(struct arena *arena, const struct check_ask *ask,
                           const struct check_case *of, const struct result *result,
                           const struct run *run, struct check_others *others)
{
    for (size_t d = 0; d < run->device_count; d++) {
        const struct run_device *card = &run->devices[d];
        const struct result *known = card->name && text_same(card->name, ask->device->name) &&
                                             device_same_api(card, ask->device)
                                         ? comparable(arena, run, card, of, ask->device, result)
                                         : NULL;
        bool itself = is_itself(ask->device, card);
        if (!known || (others->itself && !itself))
            continue;
        if (differs(state_of(run, card), ask->state)) {
            leave_out(others, card);
            continue;
        }
        if (itself && !others->itself)
            others->count = 0;
        others->itself = itself;
        add_other(others, card, known, result_metric(known, of->measured), 1);
    }
}

// Stores a compared card's driver if its branch differs from the device's. Removes from
// others->left the cards that are compared; all if only the device itself is compared.
static void note_compared(const struct check_ask *ask, struct check_others *others)
{
    size_t kept = 0;
    for (size_t i = 0; i < others->count; i++)
        if (branch_of(others->drivers[i]) != branch_of(ask->device->driver))
            others->driver = others->drivers[i];
    for (size_t i = 0; i < others->left_out && !others->itself; i++)
        if (!times_in(others->uuids, others->count, others->left[i]))
            others->left[kept++] = others->left[i];
    others->left_out = kept;
}

// Returns true if the bandwidth of the memory or of the host link limits this figure. All models
// reach a similar share of it. Arithmetic is limited by power, and its share differs between
// models.
static bool is_bound_by_limit(enum check_metric metric)
{
    return metric == CHECK_DRAM_READ || check_metric_is_host_link(metric);
}

static void add_other_models(struct arena *arena, const struct check_ask *ask,
                             const struct check_case *of, const struct result *result,
                             const struct run *run, struct check_others *others)
{
    const struct metric *own = result_metric(result, of->measured);
    for (size_t d = 0; d < run->device_count; d++) {
        const struct run_device *card = &run->devices[d];
        const struct result *known =
            card->architecture && text_same(card->architecture, ask->device->architecture) &&
                    device_same_api(card, ask->device)
                ? comparable(arena, run, card, of, ask->device, result)
                : NULL;
        const struct metric *metric = known ? result_metric(known, of->measured) : NULL;
        if (metric && metric->limit > 0 && own && own->limit > 0)
            add_other(others, card, known, metric, own->limit / metric->limit);
    }
}

void check_others_of(struct arena *arena, const struct check_ask *ask, const struct check_case *of,
                     const struct result *result, struct check_others *others)
{
    *others = (struct check_others){.count = 0};
    for (size_t r = 0; r < ask->run_count; r++)
        add_same_model(arena, ask, of, result, ask->runs[r], others);
    note_compared(ask, others);
    if (others->count > 0 || others->left_out > 0 || !is_bound_by_limit(of->metric))
        return;
    for (size_t r = 0; r < ask->run_count; r++)
        add_other_models(arena, ask, of, result, ask->runs[r], others);
    others->by_limit = others->count > 0;
}
