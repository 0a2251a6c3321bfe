// SPDX-License-Identifier: MIT
#include "report/compare_report.h"

#include "base/text.h"

#include <math.h>

const struct compare_section compare_sections[COMPARE_SECTIONS] = {
    {COMPARE_SLOWER, true, false, PAINT_RED, "Slower"},
    {COMPARE_BROKEN, false, false, PAINT_RED, "Failed: measured in base, failed in new"},
    {COMPARE_FASTER, true, false, PAINT_GREEN, "Faster"},
    {COMPARE_CLOCK, true, false, PAINT_YELLOW, "Core clock changed: time and cycles disagree"},
    {COMPARE_OTHER, true, false, PAINT_YELLOW, "Changed: neither direction is better"},
    {COMPARE_REFUSED, false, false, PAINT_YELLOW, "Not comparable, see --across"},
    {COMPARE_CARD, true, true, PAINT_DIM, "Card-to-card: cards of one model differ by as much"},
    {COMPARE_UNSURE, true, true, PAINT_DIM,
     "Unsure: no interval, or one that crosses the threshold"},
    {COMPARE_MISSING, false, true, PAINT_DIM, "Gone: measured in base only"},
    {COMPARE_ADDED, false, true, PAINT_DIM, "Added: measured in new only"},
};

bool compare_is_reported(const struct compare_report *report, enum compare_word word)
{
    return !report->reference || (word != COMPARE_MISSING && word != COMPARE_ADDED);
}

static const char *percent_text(struct arena *arena, double ratio)
{
    double value = (ratio - 1) * 100;
    if (!isfinite(value))
        return "–";
    if (ratio >= 10)
        return arena_printf(arena, ratio < 1000 ? "×%.3g" : "×%.0f", ratio);
    return arena_printf(arena, fabs(value) < 99.95 ? "%+.1f%%" : "%+.0f%%", value);
}

static const char *interval_text(struct arena *arena, const struct ratio *ratio)
{
    if (!isfinite(ratio->low))
        return "";
    return arena_printf(arena, "%s … %s", percent_text(arena, ratio->low),
                        percent_text(arena, ratio->high));
}

void compare_numbers(struct arena *arena, const struct compare_row *row,
                     const char *numbers[COMPARE_NUMBERS])
{
    numbers[0] = percent_text(arena, row->ratio.value);
    numbers[1] = interval_text(arena, &row->ratio);
    numbers[2] = screen_median(arena, row->base_metric, "–");
    numbers[3] = screen_median(arena, row->now_metric, "–");
}

const char *compare_remarks(struct arena *arena, const struct compare_row *row)
{
    const char *text = "";
    if (row->word == COMPARE_CLOCK)
        text = arena_printf(arena, "(cycles %s)", percent_text(arena, row->cycles.value));
    double share = metric_share(row->now_metric, row->now_metric->median);
    if (isfinite(share))
        text =
            text_join(arena, text, " ", arena_printf(arena, "(%.1f%% of the limit)", 100 * share));
    return row->suspect ? text_join(arena, text, " ", "(suspect)") : text;
}

const char *compare_counts(struct arena *arena, const struct compare_report *report,
                           const size_t counts[COMPARE_WORD_COUNT], bool only_found)
{
    static const struct {
        enum compare_word word;
        const char *text;
    } shown[] = {{COMPARE_FASTER, "faster"},     {COMPARE_SLOWER, "slower"},
                 {COMPARE_SAME, "same"},         {COMPARE_UNSURE, "unsure"},
                 {COMPARE_ADDED, "added"},       {COMPARE_MISSING, "gone"},
                 {COMPARE_BROKEN, "failed"},     {COMPARE_REFUSED, "not comparable"},
                 {COMPARE_CARD, "card-to-card"}, {COMPARE_CLOCK, "other clock"},
                 {COMPARE_OTHER, "changed"}};
    const char *text = "";
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        size_t count = counts[shown[i].word];
        if ((count || (i < 4 && !only_found)) && compare_is_reported(report, shown[i].word))
            text =
                text_join(arena, text, " · ", arena_printf(arena, "%zu %s", count, shown[i].text));
    }
    return text;
}

const char *compare_verdict(struct arena *arena, const struct compare *compare)
{
    const size_t *counts = compare->counts;
    const char *than = arena_printf(arena, "%.3g%%", 100 * compare->threshold);
    size_t compared = 0, slower;
    for (size_t i = 0; i < COMPARE_SECTIONS; i++)
        compared += compare_sections[i].numbers ? counts[compare_sections[i].word] : 0;
    compared += counts[COMPARE_SAME];
    const struct compare_row **rows = compare_rows_of(arena, compare, COMPARE_SLOWER, &slower);
    const char *largest = "";
    for (size_t i = 0; i < slower && !*largest; i++)
        if (isfinite(rows[i]->ratio.value)) // a ratio is NaN if the base value is 0
            largest = arena_printf(arena, ", the largest change is %s",
                                   percent_text(arena, rows[i]->ratio.value));
    const char *text = arena_printf(arena, "%zu of %zu values got slower by more than %s%s", slower,
                                    compared, than, largest);
    size_t suspect = compare->suspect_slower;
    if (suspect)
        text = arena_printf(arena, "%s; %zu of them %s suspect%s", text, suspect,
                            suspect == 1 ? "is" : "are",
                            compare->strict ? ""
                            : suspect == 1  ? " and counts only with --strict"
                                            : " and count only with --strict");
    if (counts[COMPARE_BROKEN])
        text = arena_printf(arena, "%s; %s that base measured failed", text,
                            text_count(arena, counts[COMPARE_BROKEN], "case"));
    return arena_printf(arena, "%s: exit status %d.", text, compare_regressed(compare));
}

const char *compare_device(struct arena *arena, const struct run_device *device)
{
    const char *text = text_join(arena, device->id, " ", device->name ? device->name : "");
    return screen_also(arena, text, "driver ", device->driver);
}

const char *compare_card_note(const struct device_pair *pair)
{
    return compare_other_card(pair) ? "another card of the same model: values that differ by no "
                                      "more than such cards do, and single ones that differ by "
                                      "more, are card-to-card"
                                    : NULL;
}
