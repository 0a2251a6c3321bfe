// SPDX-License-Identifier: MIT
#include "analysis/check_spread.h"

#include "analysis/pairing.h"
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
    if (metric == CHECK_LATENCY_DRAM)
        return CHECK_CLASS_MEMORY_LATENCY;
    return metric >= CHECK_HOST_TO_DEVICE ? CHECK_CLASS_LINK : CHECK_CLASS_CHIP;
}

// One figure of one run of a card.
struct seen {
    enum check_class class;
    const char *model, *card, *figure; // model: its name, a tab, and the API
    double log_value;
};

struct pool {
    struct arena *arena;
    struct seen *list;
    size_t count, capacity;
};

// ---------------------------------------------------------------- the figures of all runs

// What must be the same in two results that are compared, but for the model.
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

// ---------------------------------------------------------------- pooling

// Sums of squares, and the cards that they come from.
struct sums {
    double between, repeats;
    size_t between_count, repeats_count; // terms beyond the means
    const char **cards;                  // with one more card of the model
    size_t card_count;
    const char **repeated; // a card once for each further run of it
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

// Adds a figure of one model. The runs of a card are neighbours.
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

// The spread between cards of one class; what repeats add to the sums stays there.
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
            add_result(&pool, check_device(runs[r], runs[r]->results[i]->device),
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
