// SPDX-License-Identifier: MIT
// Compares the figures of each card of a fleet with those of the cards of the same kind.
#include "analysis/fleet.h"
#include "math/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- kinds of cards

static size_t kind_of(struct fleet *fleet, const struct fleet_card *card)
{
    size_t i = 0;
    while (i < fleet->kind_count && (strcmp(fleet->kinds[i].name, card->name) != 0 ||
                                     strcmp(fleet->kinds[i].api, card->api) != 0))
        i++;
    if (i == fleet->kind_count)
        fleet->kinds[fleet->kind_count++] =
            (struct fleet_kind){.name = card->name, .api = card->api};
    return i;
}

// Sets the card's figure of each metric. Of several links, the slowest counts.
static void take_figures(struct fleet_card *card)
{
    for (size_t i = 0; i < card->check.figure_count; i++) {
        const struct check_figure *figure = &card->check.figures[i];
        struct fleet_point *point = &card->points[figure->metric];
        if (isfinite(figure->value) && figure->value > 0 &&
            (!point->figure || figure->value < point->figure->value))
            point->figure = figure;
        point->slow |= figure->judgement == CHECK_FIGURE_SLOW;
    }
}

static void sort_into_kinds(struct fleet *fleet)
{
    fleet->kinds = ARENA_ARRAY(fleet->arena, fleet->count, struct fleet_kind);
    for (size_t i = 0; i < fleet->count; i++) {
        struct fleet_card *card = fleet->cards[i];
        fleet->hosts += i == 0 || strcmp(card->host, fleet->cards[i - 1]->host) != 0;
        take_figures(card);
        for (size_t m = 0; m < CHECK_METRIC_COUNT; m++)
            card->points[m].loss = card->points[m].score = card->points[m].chance = NAN;
        card->kind = card->name ? kind_of(fleet, card) : SIZE_MAX;
        card->compared &= card->kind != SIZE_MAX;
        if (card->kind != SIZE_MAX)
            fleet->kinds[card->kind].count++;
    }
}

// ---------------------------------------------------------------- one metric of one kind

// Returns how bad the figure is, as a logarithm: ln(value) if lower is better, else −ln(value).
static double log_loss(const struct check_figure *figure)
{
    double l = log(figure->value);
    return check_metric_better(figure->metric) == BETTER_LOWER ? l : -l;
}

double fleet_loss(enum check_metric metric, double value, double other)
{
    return check_metric_better(metric) == BETTER_LOWER ? value / other - 1 : 1 - value / other;
}

static double own_interval(const struct check_figure *figure)
{
    double half = (figure->high - figure->low) / (2 * figure->value);
    return isfinite(half) ? half : 0;
}

static bool core_drives(enum check_metric metric)
{
    return (metric >= CHECK_L2_READ && metric <= CHECK_LATENCY_L2);
}

static double least_scale(const struct fleet_kind *kind, enum check_metric metric, double interval)
{
    return fmax(fmax(interval, FLEET_RESOLUTION), core_drives(metric) ? kind->clock_step : 0);
}

struct measured {
    struct fleet_card *card;
    double loss;
};

static int compare_measured(const void *a, const void *b)
{
    double x = ((const struct measured *)a)->loss, y = ((const struct measured *)b)->loss;
    return (x > y) - (x < y);
}

// Lists the compared cards of this kind that measured the metric, the best first.
static void gather_cards(struct fleet *fleet, size_t kind, enum check_metric metric)
{
    struct fleet_metric *summary = &fleet->kinds[kind].metrics[metric];
    struct measured *list = ARENA_ARRAY(fleet->arena, fleet->kinds[kind].count, struct measured);
    for (size_t i = 0; i < fleet->count; i++) {
        struct fleet_card *card = fleet->cards[i];
        if (card->kind == kind && card->compared && card->points[metric].figure)
            list[summary->count++] = (struct measured){card, log_loss(card->points[metric].figure)};
    }
    if (summary->count)
        qsort(list, summary->count, sizeof *list, compare_measured);
    summary->cards = ARENA_ARRAY(fleet->arena, summary->count, struct fleet_card *);
    for (size_t i = 0; i < summary->count; i++)
        summary->cards[i] = list[i].card;
}

// A function that computes one number from a figure, such as the expected value.
typedef double figure_number(const struct check_figure *figure);

static double expectation(const struct check_figure *figure)
{
    return figure->expected > 0 ? figure->expected : NAN;
}

// Stores the finite numbers of the metric's figures in `values`, and returns how many there are.
static size_t gather_numbers(const struct fleet_metric *summary, enum check_metric metric,
                             figure_number *number, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < summary->count; i++) {
        const struct check *check = &summary->cards[i]->check;
        for (size_t k = 0; k < check->figure_count; k++)
            if (check->figures[k].metric == metric && check->figures[k].value > 0) {
                values[count] = number(&check->figures[k]);
                count += isfinite(values[count]) ? 1 : 0;
            }
    }
    return count;
}

// Returns the value for which log_loss returns `loss`.
static double value_at(enum check_metric metric, double loss)
{
    return exp(check_metric_better(metric) == BETTER_LOWER ? loss : -loss);
}

static void summarise(struct fleet *fleet, size_t kind, enum check_metric metric, double *values)
{
    struct fleet_metric *summary = &fleet->kinds[kind].metrics[metric];
    gather_cards(fleet, kind, metric);
    if (summary->count)
        summary->unit = summary->cards[0]->points[metric].figure->unit;
    size_t count = gather_numbers(summary, metric, own_interval, values);
    double interval = stats_median(values, count);
    count = gather_numbers(summary, metric, expectation, values);
    summary->expected = stats_median(values, count);
    count = gather_numbers(summary, metric, log_loss, values);
    summary->population = population_of(values, count);
    summary->median = value_at(metric, summary->population.median);
    double best = value_at(metric, summary->population.low);
    double worst = value_at(metric, summary->population.high);
    summary->low = fmin(best, worst);
    summary->high = fmax(best, worst);
    summary->scale =
        fmax(summary->population.sigma, least_scale(&fleet->kinds[kind], metric, interval));
}

// Sets how much worse the card is than its kind (point.loss) and, with at least FLEET_LEAST cards,
// how rare this is (point.score). For a compared card also sets point.chance, the probability of
// such a score, and counts the tests.
static void score(struct fleet *fleet, struct fleet_card *card, enum check_metric metric)
{
    const struct fleet_kind *kind = &fleet->kinds[card->kind];
    const struct population *population = &kind->metrics[metric].population;
    struct fleet_point *point = &card->points[metric];
    if (!point->figure || kind->metrics[metric].count == 0)
        return;
    point->loss = fleet_loss(metric, point->figure->value, kind->metrics[metric].median);
    if (kind->metrics[metric].count < FLEET_LEAST)
        return;
    double loss = log_loss(point->figure);
    double least = least_scale(kind, metric, own_interval(point->figure));
    point->score = population_score(population, loss, least);
    if (card->compared) {
        point->chance = score_chance(point->score);
        for (size_t i = 0; i < card->check.figure_count; i++)
            fleet->tests += card->check.figures[i].metric == metric;
    }
}

// ---------------------------------------------------------------- numbers from the driver

// Returns the address of number i of the state's numbers that may explain a slow card; NULL if i is
// too large.
static double *state_number(struct check_state *state, size_t i)
{
    double *const numbers[] = {&state->core_clock_hz, &state->memory_clock_hz,
                               &state->power_limit_w, &state->link_width, &state->link_generation};
    return i < COUNT(numbers) ? numbers[i] : NULL;
}

static void find_normal_state(struct fleet *fleet, size_t kind)
{
    struct check_state *normal = &fleet->kinds[kind].normal;
    double *values = ARENA_ARRAY(fleet->arena, fleet->kinds[kind].count, double), *number;
    *normal = check_empty().state;
    for (size_t i = 0; (number = state_number(normal, i)) != NULL; i++) {
        size_t count = 0;
        for (size_t c = 0; c < fleet->count; c++) {
            double value = *state_number(&fleet->cards[c]->check.state, i);
            if (fleet->cards[c]->kind == kind && fleet->cards[c]->compared && isfinite(value))
                values[count++] = value;
        }
        *number = stats_median(values, count);
    }
}

// Returns the step of the core clock as a share of the clock: the greatest common divisor of the
// clocks of all cards of the kind. Returns 0 if it is at most 1 MHz, or at least a tenth of the
// clock.
static double find_clock_step(const struct fleet *fleet, size_t kind)
{
    uint64_t step = 0;
    for (size_t i = 0; i < fleet->count; i++) {
        double clock = fleet->cards[i]->check.state.core_clock_hz;
        if (fleet->cards[i]->kind != kind || !(clock > 0) || !(clock < 1e12))
            continue;
        for (uint64_t rest = (uint64_t)llrint(clock / 1e6); rest;) {
            uint64_t next = step % rest;
            step = rest;
            rest = next;
        }
    }
    double clock = fleet->kinds[kind].normal.core_clock_hz;
    return step > 1 && (double)step * 1e6 < clock / 10 ? (double)step * 1e6 / clock : 0;
}

void fleet_compare(struct fleet *fleet)
{
    sort_into_kinds(fleet);
    size_t figures = 0;
    for (size_t i = 0; i < fleet->count; i++)
        figures += fleet->cards[i]->check.figure_count;
    double *values = ARENA_ARRAY(fleet->arena, figures, double);
    for (size_t k = 0; k < fleet->kind_count; k++) {
        find_normal_state(fleet, k);
        fleet->kinds[k].clock_step = find_clock_step(fleet, k);
        for (unsigned m = 0; m < CHECK_METRIC_COUNT; m++)
            summarise(fleet, k, (enum check_metric)m, values);
    }
    for (size_t i = 0; i < fleet->count; i++)
        for (unsigned m = 0; m < CHECK_METRIC_COUNT && fleet->cards[i]->kind != SIZE_MAX; m++)
            score(fleet, fleet->cards[i], (enum check_metric)m);
}
