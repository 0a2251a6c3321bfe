// SPDX-License-Identifier: MIT
#include "analysis/check_cases.h"
#include "base/text.h"
#include "report/fleet.h"
#include "report/screen.h"
#include "results/units.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- sentences about a fleet

static const char *slower(double effect)
{
    return effect > 0 ? "slower" : "faster";
}

// Returns the name of a kind of cards, " of NVIDIA H200 (cuda)"; "" if there is only one kind.
static const char *kind_text(struct arena *arena, const struct fleet *fleet, size_t kind)
{
    const struct fleet_kind *info = &fleet->kinds[kind];
    return fleet->kind_count < 2 ? "" : arena_printf(arena, " of %s (%s)", info->name, info->api);
}

const char *fleet_group_text(struct arena *arena, const struct fleet *fleet,
                             const struct fleet_group *group)
{
    const char *shrunk = group->count < FLEET_GROUP_FULL ? "; shrunk, because they are few" : "";
    return arena_printf(arena, "%s: %s%s %s %s than the fleet (%s%s)", group->name,
                        fleet_metric_title(group->metric), kind_text(arena, fleet, group->kind),
                        fleet_percent(arena, fabs(group->effect)), slower(group->effect),
                        text_count(arena, group->count, "card"), shrunk);
}

const char *fleet_relation_text(struct arena *arena, const struct fleet *fleet,
                                const struct fleet_relation *relation)
{
    return arena_printf(
        arena,
        "%s%s: the quarter of the cards with the highest %s is %s %s than the lowest "
        "(rank correlation %.2f)",
        fleet_metric_title(relation->metric), kind_text(arena, fleet, relation->kind),
        relation->with, fleet_percent(arena, fabs(relation->quarters)), slower(relation->quarters),
        relation->rank);
}

const char *fleet_extent(struct arena *arena, const struct fleet *fleet)
{
    const char *left =
        fleet->left_count ? arena_printf(arena, ", %zu left out", fleet->left_count) : "";
    return arena_printf(arena, "%s, %s, %s%s", text_count(arena, fleet->hosts, "machine"),
                        text_count(arena, fleet->count, "card"),
                        text_count(arena, fleet->files, "file"), left);
}

const char *fleet_counts(struct arena *arena, const struct fleet *fleet)
{
    const char *text = "";
    for (unsigned grade = FLEET_GRADE_COUNT; grade-- > 0;)
        if (fleet->grades[grade])
            text = text_join(arena, text, ", ",
                             arena_printf(arena, "%zu %s", fleet->grades[grade],
                                          fleet_grade_name((enum fleet_grade)grade)));
    return text;
}

const char *fleet_spread_text(struct arena *arena, const struct fleet_metric *metric)
{
    const struct population *population = &metric->population;
    return population->count < 2
               ? "–"
               : arena_printf(arena, "%.2f %%", 100 * fmin(population->sigma, 9.99));
}

// ---------------------------------------------------------------- the list of cards to look at

static enum screen_paint grade_paint(enum fleet_grade grade)
{
    return grade == FLEET_BROKEN ? PAINT_RED : grade == FLEET_HEALTHY ? PAINT_GREEN : PAINT_YELLOW;
}

static void entry_print(struct screen *screen, const struct fleet_entry *entry, size_t rank)
{
    const struct fleet_card *card = entry->card;
    struct arena *arena = screen->arena;
    fprintf(screen->stream, "  %zu. ", rank);
    screen_paint(screen, PAINT_BOLD,
                 screen_quote(arena, arena_printf(arena, "%s %s", card->host, entry->cards),
                              screen->columns / 2));
    fputs(" · ", screen->stream);
    screen_paint(screen, grade_paint(card->grade), fleet_grade_name(card->grade));
    fprintf(screen->stream, " · %s\n", card->code);
    if (!*card->cause)
        return;
    fputs("     ", screen->stream);
    screen_wrap(screen, screen_quote(arena, card->cause, 400), 5, 5);
}

static void list_print(struct screen *screen, const struct fleet *fleet)
{
    if (fleet->list_count == 0)
        return;
    screen_title(screen, "Look at these first");
    for (size_t i = 0; i < fleet->list_count && i < FLEET_FIRST; i++)
        entry_print(screen, &fleet->list[i], i + 1);
    if (fleet->list_count > FLEET_FIRST)
        fprintf(screen->stream, "     and %zu more: --csv and --json have them all\n",
                fleet->list_count - FLEET_FIRST);
}

// ---------------------------------------------------------------- the table of metrics

enum {
    COLUMNS = 8
};

static void metric_cells(struct arena *arena, const struct fleet_kind *kind, enum check_metric m,
                         const char *cells[COLUMNS])
{
    const struct fleet_metric *metric = &kind->metrics[m];
    double expected = fmin(metric->median / metric->expected, 9.99);
    cells[0] = fleet_metric_title(m);
    cells[1] = arena_printf(arena, "%zu", metric->count);
    cells[2] = metric->slow ? arena_printf(arena, "%zu", metric->slow) : "";
    cells[3] = unit_text(arena, metric->median, check_unit(metric->unit));
    cells[4] = isfinite(metric->expected) ? arena_printf(arena, "%.0f %%", 100 * expected) : "–";
    cells[5] = fleet_spread_text(arena, metric);
    cells[6] = isfinite(metric->found) ? fleet_percent(arena, metric->found) : "–";
    cells[7] =
        metric->population.count < 2
            ? "–"
            : arena_printf(arena, "%s … %s", fleet_percent(arena, metric->low / metric->median - 1),
                           fleet_percent(arena, metric->high / metric->median - 1));
}

// Prints a line of the table of metrics: the first cell, and as many others as fit the screen.
static void cells_print(struct screen *screen, const char *const cells[COLUMNS],
                        const size_t widths[COLUMNS], enum screen_paint paint)
{
    size_t used = 2 + widths[0];
    fputs("  ", screen->stream);
    screen_paint_left(screen, paint, cells[0], widths[0]);
    for (size_t i = 1; i < COLUMNS && (used += 2 + widths[i]) <= screen->columns; i++) {
        fputs("  ", screen->stream);
        screen_paint_right(screen, paint, cells[i], widths[i]);
    }
    fputc('\n', screen->stream);
}

static void metrics_print(struct screen *screen, const struct fleet_kind *kind)
{
    static const char *const heads[COLUMNS] = {
        "", "cards", "slow", "median", "of expected", "spread", "found from", "1 % … 99 %"};
    const char *cells[CHECK_METRIC_COUNT][COLUMNS];
    size_t widths[COLUMNS] = {0};
    fputc('\n', screen->stream);
    screen_paint(screen, PAINT_BOLD, screen_quote(screen->arena, kind->name, 60));
    fprintf(screen->stream, " (%s), %s\n", screen_quote(screen->arena, kind->api, 20),
            text_count(screen->arena, kind->count, "card"));
    for (unsigned m = 0; m < CHECK_METRIC_COUNT; m++)
        metric_cells(screen->arena, kind, (enum check_metric)m, cells[m]);
    for (size_t i = 0; i < COLUMNS; i++) {
        screen_widen(&widths[i], heads[i]);
        for (unsigned m = 0; m < CHECK_METRIC_COUNT; m++)
            if (kind->metrics[m].count)
                screen_widen(&widths[i], cells[m][i]);
    }
    cells_print(screen, heads, widths, PAINT_DIM);
    for (unsigned m = 0; m < CHECK_METRIC_COUNT; m++)
        if (kind->metrics[m].count)
            cells_print(screen, cells[m], widths, PAINT_NONE);
}

// ---------------------------------------------------------------- groups and files left out

enum {
    SHOWN = 10 // maximum number of entries in each list: groups, correlations, files left out
};

static void point_print(struct screen *screen, const char *text)
{
    screen_point(screen, screen_quote(screen->arena, text, 1000));
}

static void more_print(struct screen *screen, size_t count)
{
    if (count > SHOWN)
        fprintf(screen->stream, "    and %zu more (--json)\n", count - SHOWN);
}

static void patterns_print(struct screen *screen, const struct fleet *fleet)
{
    struct arena *arena = screen->arena;
    if (fleet->group_count + fleet->relation_count)
        screen_title(screen, "Groups that differ, and what goes with a loss");
    for (size_t i = 0; i < fleet->group_count && i < SHOWN; i++)
        point_print(screen, fleet_group_text(arena, fleet, &fleet->groups[i]));
    more_print(screen, fleet->group_count);
    for (size_t i = 0; i < fleet->relation_count && i < SHOWN; i++)
        point_print(screen, fleet_relation_text(arena, fleet, &fleet->relations[i]));
    more_print(screen, fleet->relation_count);
}

static void remarks_print(struct screen *screen, const struct fleet *fleet)
{
    if (fleet->remark_count)
        screen_title(screen, "Also");
    for (size_t i = 0; i < fleet->remark_count; i++)
        point_print(screen, fleet->remarks[i].text);
    if (fleet->left_count)
        screen_title(screen, "Files that were left out");
    for (size_t i = 0; i < fleet->left_count && i < SHOWN; i++)
        point_print(screen, arena_printf(screen->arena, "%s: %s", fleet->left[i].name,
                                         fleet->left[i].text));
    more_print(screen, fleet->left_count);
}

void fleet_console(const struct fleet *fleet, const struct console_desc *desc, FILE *stream)
{
    struct screen screen;
    screen_init(&screen, desc->colour, desc->columns);
    fprintf(screen.stream, "%s\n", fleet_extent(screen.arena, fleet));
    screen_paint(&screen, fleet_failed(fleet) ? PAINT_RED : PAINT_GREEN,
                 fleet_counts(screen.arena, fleet));
    fprintf(screen.stream, ": exit status %d\n", fleet_failed(fleet));
    list_print(&screen, fleet);
    for (size_t i = 0; i < fleet->kind_count; i++)
        metrics_print(&screen, &fleet->kinds[i]);
    patterns_print(&screen, fleet);
    remarks_print(&screen, fleet);
    screen_finish(&screen, stream);
}
