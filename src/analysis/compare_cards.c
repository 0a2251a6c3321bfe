// SPDX-License-Identifier: MIT
// Compares two cards of one model: how far healthy cards are apart, and which outliers do not count
// as a change.
#include "analysis/card.h"
#include "analysis/compare.h"

#include <math.h>
#include <string.h>

double card_spread_of(const char *benchmark, enum unit unit)
{
    double most = 0;
    for (size_t i = 0; i < card_spread_count; i++) {
        const struct card_spread *spread = &card_spreads[i];
        if (spread->unit == unit && strcmp(spread->benchmark, benchmark) == 0)
            return fmax(spread->most, RESULTS_CLOCK_STEPS);
        most = fmax(most, spread->most);
    }
    return most;
}

bool compare_other_card(const struct device_pair *pair)
{
    const struct run_device *base = pair->base, *now = pair->now;
    return base->name && now->name && strcmp(base->name, now->name) == 0 &&
           device_same_api(base, now) && base->uuid && now->uuid &&
           strcmp(base->uuid, now->uuid) != 0;
}

// If more than this share of a benchmark's figures are outliers (compare_row.is_outlier), chance
// does not explain them.
static const double outlier_share = 0.05;

// Returns true if `card`, the summary of a device's most important figures, shows the row's case.
static bool is_on_card(const struct card *card, const struct compare_row *row)
{
    for (size_t i = 0; i < card->count; i++)
        for (size_t f = 0; f < card->rows[i].count; f++)
            if (card->rows[i].figures[f].key &&
                strcmp(card->rows[i].figures[f].key, row->base->key) == 0)
                return true;
    return false;
}

// Gives the word "card" to the outliers of one benchmark, in the rows from index `first` on, unless
// they are more than outlier_share of the benchmark's figures.
static void excuse_part(struct compare *compare, struct compare_part *part, size_t first)
{
    size_t figures = 0, outliers = 0;
    for (size_t i = first; i < compare->row_count; i++) {
        const struct compare_row *row = &compare->rows[i];
        bool is_own = row->now_metric && strcmp(row->base->benchmark, part->benchmark) == 0;
        figures += is_own;
        outliers += is_own && row->is_outlier;
    }
    if ((double)outliers > outlier_share * (double)figures)
        return;
    for (size_t i = first; i < compare->row_count; i++) {
        struct compare_row *row = &compare->rows[i];
        if (!row->is_outlier || strcmp(row->base->benchmark, part->benchmark) != 0)
            continue;
        part->counts[row->word]--;
        compare->counts[row->word]--;
        row->word = COMPARE_CARD;
        part->counts[COMPARE_CARD]++;
        compare->counts[COMPARE_CARD]++;
    }
}

void compare_excuse_outliers(struct arena *arena, struct compare *compare,
                             const struct device_pair *pair, size_t first)
{
    struct card base, now;
    card_build(arena, compare->base, pair->base->id, NULL, &base);
    card_build(arena, compare->now, pair->now->id, NULL, &now);
    for (size_t i = first; i < compare->row_count; i++) {
        struct compare_row *row = &compare->rows[i];
        if (row->is_outlier && (is_on_card(&base, row) || is_on_card(&now, row)))
            row->is_outlier = false;
    }
    for (size_t i = 0; i < compare->part_count; i++)
        excuse_part(compare, &compare->parts[i], first);
}
