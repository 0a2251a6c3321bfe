// SPDX-License-Identifier: MIT
// Decides which cards of a fleet are slow, and says why.
#include "analysis/check_cases.h"
#include "analysis/fleet.h"
#include "base/text.h"
#include "math/stats.h"
#include "results/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- verdicts of the checks

// Returns what the host link lacks, and sets *code; NULL if no lane and no generation is missing.
static const char *link_cause(struct arena *arena, const struct check_state *state,
                              enum check_code *code)
{
    if (state->link_width < state->link_width_max) {
        *code = CHECK_LINK_WIDTH;
        return arena_printf(arena, "the host link has %.0f of %.0f lanes", state->link_width,
                            state->link_width_max);
    }
    if (state->link_generation < state->link_generation_max) {
        *code = CHECK_LINK_GENERATION;
        return arena_printf(arena, "the host link runs at generation %.0f of %.0f",
                            state->link_generation, state->link_generation_max);
    }
    return NULL;
}

// The rule that decides whether a figure beyond a bound from many cards makes its card slow: its
// loss is at least `factor` times the loss at the bound, because chance puts one healthy figure in
// a thousand beyond it. With `often`, each figure counts, because chance does not explain so many.
struct bounds {
    double factor;
    bool often;
};

static bool is_quantile(const struct check_figure *figure)
{
    return figure->basis != CHECK_BASIS_NONE && figure->cards >= FLEET_BOUND_CARDS;
}

static struct bounds find_bounds(const struct fleet *fleet)
{
    size_t count = 0, broken = 0;
    for (size_t i = 0; i < fleet->count; i++)
        for (size_t k = 0; k < fleet->cards[i]->check.figure_count; k++) {
            const struct check_figure *figure = &fleet->cards[i]->check.figures[k];
            count += is_quantile(figure);
            broken += is_quantile(figure) && figure->judgement == CHECK_FIGURE_SLOW;
        }
    double n = fmax(1, (double)count);
    return (struct bounds){.factor = score_of_chance(FLEET_ERROR / n) /
                                     score_of_chance(FLEET_BOUND_CHANCE),
                           .often = n >= 1 / FLEET_BOUND_CHANCE &&
                                    FLEET_BOUND_CHANCE <= FLEET_DISCOVERIES * (double)broken / n};
}

// Returns true if chance may explain a check's verdict slow, because each slow figure is just
// beyond a bound from many cards. Returns false if the host link is the cause, or if bounds->often
// is set.
static bool may_be_chance(const struct check *check, const struct bounds *bounds)
{
    bool any = false,
         link = check->code == CHECK_LINK_WIDTH || check->code == CHECK_LINK_GENERATION;
    if (check->verdict != CHECK_SLOW || link || bounds->often)
        return false;
    for (size_t i = 0; i < check->figure_count; i++) {
        const struct check_figure *figure = &check->figures[i];
        if (figure->judgement != CHECK_FIGURE_SLOW)
            continue;
        double loss = fleet_loss(figure->metric, figure->value, figure->expected);
        double bound = fleet_loss(figure->metric, figure->expected_low, figure->expected);
        if (!is_quantile(figure) || !(loss < bounds->factor * bound))
            return false;
        any = true;
    }
    return any;
}

static void take_check(struct fleet *fleet, struct fleet_card *card, const struct bounds *bounds)
{
    static const enum fleet_grade grades[CHECK_VERDICT_COUNT] = {
        [CHECK_HEALTHY] = FLEET_HEALTHY,
        [CHECK_SLOW] = FLEET_SLOW,
        [CHECK_BROKEN] = FLEET_BROKEN,
        [CHECK_UNKNOWN] = FLEET_UNKNOWN,
    };
    const struct check *check = &card->check;
    enum check_code code = check->code;
    card->grade = grades[check->verdict];
    card->cause = check->cause ? check->cause : "";
    if (check->verdict == CHECK_UNKNOWN && code == CHECK_NO_EXPECTATION) {
        const char *cause = link_cause(fleet->arena, &check->state, &code);
        card->grade = cause ? FLEET_SLOW : FLEET_HEALTHY;
        card->cause = cause ? cause : "";
    }
    if (may_be_chance(check, bounds))
        card->grade = FLEET_DOUBTFUL;
    card->code = words_name(&check_code_words, code);
    card->compared = card->grade == FLEET_HEALTHY || card->grade == FLEET_DOUBTFUL;
}

// ---------------------------------------------------------------- why a card is slow

// Returns true if a number from the driver is below the normal one by more than FLEET_EFFECT.
static bool is_below(double value, double normal)
{
    return value < normal * (1 - FLEET_EFFECT);
}

static const char *clock_text(struct arena *arena, const char *what, double value, double normal)
{
    return arena_printf(arena, "%s clock %.0f of %.0f MHz", what, value / 1e6, normal / 1e6);
}

static const char *throttle_code(const char *throttle)
{
    enum check_code code = CHECK_OK;
    if (throttle && text_contains(throttle, "therm"))
        code = CHECK_THERMAL;
    else if (throttle && text_contains(throttle, "power"))
        code = CHECK_POWER_LIMIT;
    return code == CHECK_OK ? NULL : words_name(&check_code_words, code);
}

static const char *why_link(struct arena *arena, const struct check_state *state,
                            const struct check_state *normal, const char **code)
{
    enum check_code found = CHECK_OK;
    const char *cause = link_cause(arena, state, &found);
    if (!cause && is_below(state->link_width, normal->link_width)) {
        found = CHECK_LINK_WIDTH;
        cause = arena_printf(arena, "%.0f lanes, the other cards have %.0f", state->link_width,
                             normal->link_width);
    } else if (!cause && is_below(state->link_generation, normal->link_generation)) {
        found = CHECK_LINK_GENERATION;
        cause = arena_printf(arena, "link of generation %.0f, the other cards have %.0f",
                             state->link_generation, normal->link_generation);
    }
    if (cause)
        *code = words_name(&check_code_words, found);
    return cause ? cause : "";
}

static const char *why_chip(struct arena *arena, const struct check_state *state,
                            const struct check_state *normal, bool memory, const char **code)
{
    const char *throttle = throttle_code(state->throttle);
    if (memory && is_below(state->memory_clock_hz, normal->memory_clock_hz)) {
        *code = words_name(&check_code_words, CHECK_MEMORY_CLOCK);
        return clock_text(arena, "memory", state->memory_clock_hz, normal->memory_clock_hz);
    }
    bool slower = is_below(state->core_clock_hz, normal->core_clock_hz);
    const char *clock =
        slower ? clock_text(arena, "core", state->core_clock_hz, normal->core_clock_hz) : "";
    if (throttle) {
        *code = throttle;
        return text_join(arena, clock, ", ", arena_printf(arena, "throttled: %s", state->throttle));
    }
    if (is_below(state->power_limit_w, normal->power_limit_w)) {
        *code = words_name(&check_code_words, CHECK_POWER_LIMIT);
        return text_join(arena, clock, ", ",
                         arena_printf(arena, "power limit %.0f of %.0f W", state->power_limit_w,
                                      normal->power_limit_w));
    }
    if (slower)
        *code = words_name(&check_code_words, CHECK_CORE_CLOCK);
    return clock;
}

static bool is_memory(enum check_metric metric)
{
    return metric == CHECK_DRAM_READ || metric == CHECK_LATENCY_DRAM;
}

static const char *loss_text(struct arena *arena, const struct fleet_card *card,
                             enum check_metric metric)
{
    const struct fleet_point *point = &card->points[metric];
    return arena_printf(arena, "%s %s, %s worse than the other cards", fleet_metric_title(metric),
                        unit_text(arena, point->figure->value, check_unit(point->figure->unit)),
                        fleet_percent(arena, point->loss));
}

// Sets the code and the cause: the slow figure, and the numbers from the driver that explain it.
static void explain(struct fleet *fleet, struct fleet_card *card, enum check_metric worst,
                    size_t metrics)
{
    struct arena *arena = fleet->arena;
    const struct check_state *state = &card->check.state;
    const struct check_state *normal = &fleet->kinds[card->kind].normal;
    card->code = "below-fleet";
    const char *why = worst >= CHECK_PEER ? ""
                      : check_metric_is_host_link(worst)
                          ? why_link(arena, state, normal, &card->code)
                          : why_chip(arena, state, normal, is_memory(worst), &card->code);
    const char *others = metrics > 1 ? arena_printf(arena, " (and %zu more)", metrics - 1) : "";
    card->cause = text_join(
        arena, arena_printf(arena, "%s%s", loss_text(arena, card, worst), others), ": ", why);
}

// ---------------------------------------------------------------- grades of cards

// Returns the largest probability (fleet_point.chance) with which a figure can make its card
// doubtful (FLEET_DISCOVERIES); 0 if no figure can.
static double discovery_limit(struct fleet *fleet)
{
    double *chances = ARENA_ARRAY(fleet->arena, fleet->tests, double);
    size_t count = 0;
    for (size_t i = 0; i < fleet->count; i++)
        for (size_t m = 0; m < CHECK_METRIC_COUNT; m++)
            if (fleet->cards[i]->points[m].chance <= FLEET_DISCOVERIES)
                chances[count++] = fleet->cards[i]->points[m].chance;
    stats_sort(chances, count);
    size_t found = discoveries(chances, count, fleet->tests, FLEET_DISCOVERIES);
    return found ? chances[found - 1] : 0;
}

// Gives the card the grade if a figure has at least the loss FLEET_EFFECT, and at most this chance.
static void grade(struct fleet *fleet, struct fleet_card *card, enum fleet_grade grade,
                  double chance)
{
    enum check_metric worst = CHECK_METRIC_COUNT;
    size_t metrics = 0;
    for (unsigned m = 0; m < CHECK_METRIC_COUNT; m++) {
        struct fleet_point *point = &card->points[m];
        if (!(point->chance <= chance) || !(point->loss >= FLEET_EFFECT))
            continue;
        metrics++;
        point->slow |= grade == FLEET_SLOW;
        if (worst == CHECK_METRIC_COUNT || point->loss > card->points[worst].loss)
            worst = (enum check_metric)m;
    }
    if (!metrics)
        return;
    card->grade = grade;
    explain(fleet, card, worst, metrics);
}

// Returns the largest loss of the figures that made the card slow or doubtful. If the kind has no
// median, a loss is relative to the expected value.
static double largest_loss(const struct fleet_card *card)
{
    double most = 0;
    for (unsigned m = 0; m < CHECK_METRIC_COUNT; m++) {
        const struct fleet_point *point = &card->points[m];
        bool doubtful = card->grade == FLEET_DOUBTFUL && point->loss >= FLEET_EFFECT;
        if (!point->figure || !(point->slow || doubtful))
            continue;
        double loss = point->loss;
        if (!isfinite(loss))
            loss = fleet_loss((enum check_metric)m, point->figure->value, point->figure->expected);
        most = fmax(most, loss);
    }
    return most;
}

static void find_smallest_loss(const struct fleet *fleet, struct fleet_kind *kind,
                               enum check_metric metric)
{
    struct fleet_metric *summary = &kind->metrics[metric];
    summary->found = NAN;
    if (summary->count < FLEET_LEAST)
        return;
    double limit = population_distance(
        &summary->population, score_of_chance(FLEET_ERROR / (double)fleet->tests), summary->scale);
    limit = fmax(limit, FLEET_EFFECT);
    limit += score_of_chance(FLEET_MISSED) * summary->scale;
    summary->found = check_metric_better(metric) == BETTER_LOWER ? expm1(limit) : -expm1(-limit);
}

static void count_slow(struct fleet *fleet)
{
    for (size_t i = 0; i < fleet->count; i++)
        for (unsigned m = 0; m < CHECK_METRIC_COUNT && fleet->cards[i]->kind != SIZE_MAX; m++)
            fleet->kinds[fleet->cards[i]->kind].metrics[m].slow += fleet->cards[i]->points[m].slow;
}

// ---------------------------------------------------------------- noisy cards

static double noise_of(const struct fleet_card *card, enum check_metric metric)
{
    const struct check_figure *figure = card->points[metric].figure;
    return figure && figure->noise > 0 ? figure->noise : NAN;
}

static void find_noise(struct fleet *fleet, const struct fleet_kind *kind, enum check_metric metric)
{
    const struct fleet_metric *summary = &kind->metrics[metric];
    double *logs = ARENA_ARRAY(fleet->arena, summary->count, double);
    size_t count = 0;
    for (size_t i = 0; i < summary->count; i++)
        if (isfinite(noise_of(summary->cards[i], metric)))
            logs[count++] = log(noise_of(summary->cards[i], metric));
    const struct population usual = population_of(logs, count);
    for (size_t i = 0; count >= FLEET_LEAST && i < summary->count; i++) {
        struct fleet_card *card = summary->cards[i];
        double noise = noise_of(card, metric), least = log(FLEET_NOISE) / 6;
        double chance = score_chance(population_score(&usual, log(noise), least));
        if (card->grade != FLEET_HEALTHY || !(noise >= FLEET_NOISE * exp(usual.median)) ||
            !(chance <= FLEET_ERROR / (double)fleet->tests))
            continue;
        card->grade = FLEET_NOISY;
        card->code = "noisy";
        card->cause = arena_printf(fleet->arena,
                                   "%s: the samples spread by %s, those of the other cards by %s",
                                   fleet_metric_title(metric), fleet_percent(fleet->arena, noise),
                                   fleet_percent(fleet->arena, exp(usual.median)));
    }
}

// ---------------------------------------------------------------- the list of cards to look at

static const char *cards_text(struct arena *arena, struct fleet_card *const *cards, size_t count,
                              const struct fleet_entry *entry)
{
    const char *text = "";
    if (entry->count == count && count > 1)
        return arena_printf(arena, "all %zu cards", count);
    for (size_t i = 0; i < count; i++)
        if (cards[i]->grade == entry->card->grade && strcmp(cards[i]->code, entry->card->code) == 0)
            text = text_join(arena, text, ", ", arena_printf(arena, "%zu", cards[i]->check.index));
    return arena_printf(arena, "%s %s", entry->count > 1 ? "cards" : "card", text);
}

// Lists a host's cards that are not healthy. Cards with the same grade and code share an entry.
static void list_host(struct fleet *fleet, struct fleet_card *const *cards, size_t count)
{
    size_t first = fleet->list_count;
    for (size_t i = 0; i < count; i++) {
        if (cards[i]->grade == FLEET_HEALTHY)
            continue;
        struct fleet_entry *entry = &fleet->list[first];
        struct fleet_entry *end = &fleet->list[fleet->list_count];
        while (entry < end && (entry->card->grade != cards[i]->grade ||
                               strcmp(entry->card->code, cards[i]->code) != 0))
            entry++;
        if (entry == end) {
            *entry = (struct fleet_entry){.card = cards[i]};
            fleet->list_count++;
        }
        entry->count++;
        if (cards[i]->loss > entry->card->loss)
            entry->card = cards[i];
    }
    for (size_t i = first; i < fleet->list_count; i++)
        fleet->list[i].cards = cards_text(fleet->arena, cards, count, &fleet->list[i]);
}

static int compare_entries(const void *a, const void *b)
{
    const struct fleet_entry *x = a, *y = b;
    if (x->card->grade != y->card->grade)
        return x->card->grade > y->card->grade ? -1 : 1;
    if (x->card->loss < y->card->loss || x->card->loss > y->card->loss)
        return x->card->loss > y->card->loss ? -1 : 1;
    return strcmp(x->card->host, y->card->host);
}

static void make_list(struct fleet *fleet)
{
    fleet->list = ARENA_ARRAY(fleet->arena, fleet->count + 1, struct fleet_entry);
    for (size_t i = 0, end; i < fleet->count; i = end) {
        for (end = i + 1;
             end < fleet->count && strcmp(fleet->cards[i]->host, fleet->cards[end]->host) == 0;)
            end++;
        list_host(fleet, fleet->cards + i, end - i);
    }
    if (fleet->list_count)
        qsort(fleet->list, fleet->list_count, sizeof *fleet->list, compare_entries);
}

// ---------------------------------------------------------------- judging the whole fleet

// Returns true if the card has no expected values and was not compared with other cards.
static bool is_unjudged(const struct fleet_card *card)
{
    bool any = card->grade != FLEET_HEALTHY || card->check.code != CHECK_NO_EXPECTATION;
    for (size_t m = 0; m < CHECK_METRIC_COUNT; m++)
        any |= isfinite(card->points[m].chance);
    return !any;
}

static void grade_all(struct fleet *fleet)
{
    double slow = FLEET_ERROR / (double)fleet->tests, doubtful = discovery_limit(fleet);
    for (size_t i = 0; i < fleet->count; i++) {
        grade(fleet, fleet->cards[i], FLEET_DOUBTFUL, doubtful);
        grade(fleet, fleet->cards[i], FLEET_SLOW, slow);
    }
    for (size_t k = 0; k < fleet->kind_count; k++)
        for (unsigned m = 0; m < CHECK_METRIC_COUNT; m++) {
            find_noise(fleet, &fleet->kinds[k], (enum check_metric)m);
            find_smallest_loss(fleet, &fleet->kinds[k], (enum check_metric)m);
        }
    count_slow(fleet);
    for (size_t i = 0; i < fleet->count; i++) {
        struct fleet_card *card = fleet->cards[i];
        if (is_unjudged(card)) {
            card->grade = FLEET_UNKNOWN;
            card->cause = card->check.cause ? card->check.cause : "";
        }
        card->loss = largest_loss(card);
        fleet->grades[card->grade]++;
    }
}

void fleet_judge(struct fleet *fleet)
{
    fleet_keep_each_once(fleet);
    const struct bounds bounds = find_bounds(fleet);
    for (size_t i = 0; i < fleet->count; i++)
        take_check(fleet, fleet->cards[i], &bounds);
    fleet_compare(fleet);
    grade_all(fleet);
    make_list(fleet);
    fleet_find_patterns(fleet);
}

bool fleet_failed(const struct fleet *fleet)
{
    return fleet->grades[FLEET_SLOW] + fleet->grades[FLEET_BROKEN] > 0;
}
