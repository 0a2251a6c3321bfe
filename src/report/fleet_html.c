// SPDX-License-Identifier: MIT
// Writes a fleet as one page of HTML and SVG, without a script.
#include "analysis/check_cases.h"
#include "base/text.h"
#include "report/export.h"
#include "report/fleet.h"
#include "results/units.h"

#include <math.h>
#include <string.h>

enum {
    LISTED = 50,  // maximum number of entries in the list of cards to look at first
    SHOWN = 100,  // maximum number of groups, of correlations, of remarks, and of files left out
    STRIP = 46,   // height of a strip, which shows one metric, in pixels
    CELL = 10,    // distance between the squares of neighbouring cards on the map, in pixels
    ACROSS = 110, // number of machines in a row of the map
    ROW_GAP = 6   // vertical gap between rows of the map, in pixels
};

struct page {
    struct arena *arena;
    const struct fleet *fleet;
    FILE *out;
};

static const char style[] =
    ":root{color-scheme:light dark;--text:#1d2329;--muted:#56616a;--line:#d5dbe0;--ground:#fff;"
    "--page:#f3f5f7;--dot:#0067a3;--noisy:#7a5bb5;--unknown:#8a949c;--doubtful:#b88700;"
    "--slow:#d15700;--broken:#b3261e;--fine:#bfd9e8}"
    "@media(prefers-color-scheme:dark){:root{--text:#e7ebee;--muted:#9aa5ae;--line:#3a424a;"
    "--ground:#191e23;--page:#101418;--dot:#56b4e9;--noisy:#b79cf0;--unknown:#78828a;"
    "--doubtful:#e3b341;--slow:#ff9d4d;--broken:#ff6b60;--fine:#2c4a5c}}"
    "*{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--text);"
    "font:15px/1.45 system-ui,sans-serif}main{max-width:1180px;margin:0 auto;padding:16px}"
    "section{background:var(--ground);border:1px solid var(--line);border-radius:8px;"
    "padding:16px;margin:16px 0;overflow-x:auto}h1{margin:8px 0 0;font-size:1.5rem}"
    "h2{margin:0 0 8px;font-size:1.125rem}h3{margin:16px 0 4px;font-size:1rem}"
    "p{margin:4px 0}.m{color:var(--muted)}li{margin:6px 0;overflow-wrap:anywhere}"
    "table{border-collapse:collapse}td,th{padding:2px 12px 2px 0;text-align:right;"
    "white-space:nowrap}td:first-child,th:first-child{text-align:left}th{font-weight:600;"
    "color:var(--muted)}svg{display:block}svg text{fill:var(--muted);font-size:12px}"
    ".strip{margin-bottom:14px}.axis{stroke:var(--line)}"
    ".limit{stroke:var(--slow);stroke-dasharray:3 3}circle{fill:var(--dot)}"
    ".key{display:inline-block;width:10px;height:10px;border-radius:2px;margin:0 4px 0 12px}"
    ".k0{background:var(--fine)}.k1{background:var(--noisy)}.k2{background:var(--unknown)}"
    ".k3{background:var(--doubtful)}.k4{background:var(--slow)}.k5{background:var(--broken);"
    "outline:2px solid var(--text);outline-offset:-2px}"
    "rect.g0{fill:var(--fine)}.g1{fill:var(--noisy)}.g2{fill:var(--unknown)}"
    ".g3{fill:var(--doubtful)}.g4{fill:var(--slow)}.g5{fill:var(--broken)}"
    // readers who see no red have the frame of a broken card
    "rect.g5,circle.g5{stroke:var(--text);stroke-width:1.5}"
    "circle.g1,circle.g2,circle.g3,circle.g4,circle.g5{fill-opacity:1}"
    "b.g1,b.g2,b.g3,b.g4,b.g5{font-weight:600}"
    "b.g1{color:var(--noisy)}b.g2{color:var(--unknown)}b.g3{color:var(--doubtful)}"
    "b.g4{color:var(--slow)}b.g5{color:var(--broken)}";

static const char *markup(const struct page *page, const char *text)
{
    return text_markup(page->arena, text ? text : "");
}

// ---------------------------------------------------------------- the list of cards to look at

static void list_put(const struct page *page)
{
    const struct fleet *fleet = page->fleet;
    if (fleet->list_count == 0)
        return;
    fputs("<section><h2>Look at these first</h2><ol>\n", page->out);
    for (size_t i = 0; i < fleet->list_count && i < LISTED; i++) {
        const struct fleet_card *card = fleet->list[i].card;
        fprintf(page->out, "<li><b>%s %s</b> · <b class=\"g%d\">%s</b> · %s<br>%s</li>\n",
                markup(page, card->host), fleet->list[i].cards, (int)card->grade,
                fleet_grade_name(card->grade), markup(page, card->code), markup(page, card->cause));
    }
    fputs("</ol>\n", page->out);
    if (fleet->list_count > LISTED)
        fprintf(page->out, "<p class=\"m\">and %zu more: see --csv and --json</p>\n",
                fleet->list_count - LISTED);
    fputs("</section>\n", page->out);
}

// ---------------------------------------------------------------- the map of machines

static void legend_put(const struct page *page)
{
    fputs("<p class=\"m\">one column a machine, one row a card:", page->out);
    for (unsigned grade = 0; grade < FLEET_GRADE_COUNT; grade++)
        if (page->fleet->grades[grade])
            fprintf(page->out, "<span class=\"key k%u\"></span>%s", grade,
                    fleet_grade_name((enum fleet_grade)grade));
    fputs("</p>\n", page->out);
}

static bool same_host(const struct fleet *fleet, size_t i, size_t k)
{
    return strcmp(fleet->cards[i]->host, fleet->cards[k]->host) == 0;
}

// Returns the largest number of cards that one machine has.
static size_t map_rows(const struct fleet *fleet)
{
    size_t most = 1, cards = 0;
    for (size_t i = 0; i < fleet->count; i++) {
        cards = i && same_host(fleet, i, i - 1) ? cards + 1 : 1;
        most = cards > most ? cards : most;
    }
    return most;
}

static void map_put(const struct page *page)
{
    const struct fleet *fleet = page->fleet;
    size_t rows = map_rows(fleet), host = 0, place = 0;
    size_t lines = (fleet->hosts + ACROSS - 1) / ACROSS, height = rows * CELL + ROW_GAP;
    fputs("<section><h2>The machines</h2>\n", page->out);
    legend_put(page);
    fprintf(page->out,
            "<svg width=\"%zu\" height=\"%zu\" role=\"img\" aria-label=\"Map of the cards\">\n",
            (fleet->hosts < ACROSS ? fleet->hosts : ACROSS) * CELL, lines * height);
    for (size_t i = 0; i < fleet->count; i++) {
        const struct fleet_card *card = fleet->cards[i];
        bool next = i && !same_host(fleet, i, i - 1);
        host += next;
        place = i == 0 || next ? 0 : place + 1;
        fprintf(page->out,
                "<rect class=\"g%d\" x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\">"
                "<title>%s card %zu: %s, %s</title></rect>\n",
                (int)card->grade, host % ACROSS * CELL, host / ACROSS * height + place * CELL,
                CELL - 1, CELL - 1, markup(page, card->host), card->check.index,
                fleet_grade_name(card->grade), markup(page, card->code));
    }
    fputs("</svg></section>\n", page->out);
}

// ---------------------------------------------------------------- strips of dots, one per metric

// Returns the loss at the left end of a metric's strip; the right end is an equal gain.
static double strip_range(const struct fleet_metric *metric)
{
    double range = fmax(1.5 * metric->found, 6 * metric->scale);
    return isfinite(range) && range > 0 ? range : 0.1;
}

static double strip_x(double loss, double range)
{
    return 50 - 49 * fmax(-1, fmin(loss / range, 1));
}

// Draws one card as a dot. Its height depends on `i`, so that equal dots rarely hide each other.
static void dot_put(const struct page *page, size_t i, enum check_metric m, double range)
{
    const struct fleet_card *card = page->fleet->cards[i];
    const struct fleet_point *point = &card->points[m];
    bool marked = card->grade != FLEET_HEALTHY;
    double y = 5 + (STRIP - 24) * fmod((double)i * 0.618034, 1);
    fprintf(page->out, "<circle");
    if (marked)
        fprintf(page->out, " class=\"g%d\"", (int)card->grade);
    fprintf(page->out,
            " cx=\"%.2f%%\" cy=\"%.0f\" r=\"%s\"><title>%s card %zu: %s</title></circle>\n",
            strip_x(point->loss, range), y, marked ? "3.5" : "2", markup(page, card->host),
            card->check.index,
            unit_text(page->arena, point->figure->value, check_unit(point->figure->unit)));
}

// Draws the dots of one kind of card: the healthy cards or, if `marked` is true, the others.
static void dots_put(const struct page *page, size_t kind, enum check_metric m, double range,
                     bool marked)
{
    const struct fleet *fleet = page->fleet;
    for (size_t i = 0; i < fleet->count; i++) {
        const struct fleet_card *card = fleet->cards[i];
        struct arena_mark mark = arena_mark(page->arena);
        if (card->kind == kind && isfinite(card->points[m].loss) &&
            (card->grade != FLEET_HEALTHY) == marked)
            dot_put(page, i, m, range);
        arena_rewind(page->arena, mark);
    }
}

static void label_put(const struct page *page, const char *anchor, double x, const char *text)
{
    fprintf(page->out, "<text x=\"%.1f%%\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", x, STRIP - 4,
            anchor, text);
}

static void axis_put(const struct page *page, const struct fleet_metric *metric, double range)
{
    struct arena *arena = page->arena;
    fprintf(page->out,
            "<line class=\"axis\" x1=\"0\" x2=\"100%%\" y1=\"%d\" y2=\"%d\"/>\n"
            "<line class=\"axis\" x1=\"50%%\" x2=\"50%%\" y1=\"0\" y2=\"%d\"/>\n",
            STRIP - 17, STRIP - 17, STRIP - 17);
    if (metric->found < range)
        fprintf(page->out,
                "<line class=\"limit\" x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"%d\">"
                "<title>a loss of %s would be found</title></line>\n",
                strip_x(metric->found, range), strip_x(metric->found, range), STRIP - 17,
                fleet_percent(arena, metric->found));
    label_put(page, "start", 0, arena_printf(arena, "%s worse", fleet_percent(arena, range)));
    label_put(page, "middle", 50, unit_text(arena, metric->median, check_unit(metric->unit)));
    label_put(page, "end", 100, arena_printf(arena, "%s better", fleet_percent(arena, range)));
}

static const char *metric_line(struct arena *arena, const struct fleet_metric *metric,
                               enum check_metric m)
{
    const char *text =
        arena_printf(arena, "%s · spread %s", text_count(arena, metric->count, "card"),
                     fleet_spread_text(arena, metric));
    if (isfinite(metric->expected))
        text = arena_printf(arena, "%s · %.0f %% of what is expected", text,
                            100 * metric->median / metric->expected);
    if (isfinite(metric->found))
        text = arena_printf(arena, "%s · a loss of %s would be found", text,
                            fleet_percent(arena, metric->found));
    if (check_metric_is_pair(m))
        text = arena_printf(arena, "%s · dots are the slowest link of each card", text);
    return metric->slow ? arena_printf(arena, "%s · %zu slow", text, metric->slow) : text;
}

static void strip_put(const struct page *page, size_t kind, enum check_metric m)
{
    const struct fleet *fleet = page->fleet;
    const struct fleet_metric *metric = &fleet->kinds[kind].metrics[m];
    double range = strip_range(metric);
    fprintf(page->out,
            "<h3>%s</h3><p class=\"m\">%s</p>\n"
            "<svg class=\"strip\" width=\"100%%\" height=\"%d\" role=\"img\" aria-label=\"%s\">\n",
            fleet_metric_title(m), metric_line(page->arena, metric, m), STRIP,
            fleet_metric_title(m));
    axis_put(page, metric, range);
    fprintf(page->out, "<g fill-opacity=\"%.2f\">\n",
            fmax(0.12, fmin(150 / (double)metric->count, 0.45)));
    dots_put(page, kind, m, range, false);
    fputs("</g>\n", page->out);
    dots_put(page, kind, m, range, true);
    fputs("</svg>\n", page->out);
}

static void strips_put(const struct page *page)
{
    for (size_t k = 0; k < page->fleet->kind_count; k++) {
        const struct fleet_kind *kind = &page->fleet->kinds[k];
        fprintf(page->out,
                "<section><h2>%s (%s)</h2><p class=\"m\">each card is a dot; dots at an edge lie "
                "beyond the scale</p>\n",
                markup(page, kind->name), markup(page, kind->api));
        for (unsigned m = 0; m < CHECK_METRIC_COUNT; m++)
            if (kind->metrics[m].count)
                strip_put(page, k, (enum check_metric)m);
        fputs("</section>\n", page->out);
    }
}

// ---------------------------------------------------------------- worst cards beside the median

// Returns the metric of the card's largest loss; CHECK_METRIC_COUNT if no loss is known.
static enum check_metric worst_metric(const struct fleet_card *card)
{
    unsigned worst = CHECK_METRIC_COUNT;
    for (unsigned m = 0; m < CHECK_METRIC_COUNT; m++)
        if (isfinite(card->points[m].loss) &&
            (worst == CHECK_METRIC_COUNT || card->points[m].loss > card->points[worst].loss))
            worst = m;
    return (enum check_metric)worst;
}

static const char *figure_text(const struct page *page, const struct fleet_card *card, unsigned m)
{
    const struct check_figure *figure = card->points[m].figure;
    return figure ? unit_text(page->arena, figure->value, check_unit(figure->unit)) : "–";
}

static void state_row(const struct page *page, const char *name, double value, double usual,
                      enum unit unit)
{
    if (isfinite(value))
        fprintf(page->out, "<tr><td>%s</td><td>%s</td><td>%s</td><td></td></tr>\n", name,
                unit_text(page->arena, value, unit), unit_text(page->arena, usual, unit));
}

static void beside_put(const struct page *page, const struct fleet_card *card)
{
    enum check_metric worst = worst_metric(card);
    if (worst == CHECK_METRIC_COUNT)
        return;
    const struct fleet_metric *metric = &page->fleet->kinds[card->kind].metrics[worst];
    const struct fleet_card *usual = metric->cards[metric->count / 2];
    const struct check_state *is = &card->check.state, *of = &usual->check.state;
    fprintf(page->out,
            "<h3>%s card %zu</h3><p class=\"m\">beside %s card %zu, the median in %s</p>\n"
            "<table><tr><th></th><th>this card</th><th>median's card</th><th>worse by</th></tr>\n",
            markup(page, card->host), card->check.index, markup(page, usual->host),
            usual->check.index, fleet_metric_title(worst));
    for (unsigned m = 0; m < CHECK_METRIC_COUNT; m++)
        if (card->points[m].figure)
            fprintf(page->out, "<tr><td>%s</td><td>%s</td><td>%s</td><td%s>%s</td></tr>\n",
                    fleet_metric_title((enum check_metric)m), figure_text(page, card, m),
                    figure_text(page, usual, m),
                    card->points[m].slow ? " style=\"color:var(--slow)\"" : "",
                    fleet_percent(page->arena, card->points[m].loss));
    state_row(page, "Core clock", is->core_clock_hz, of->core_clock_hz, UNIT_HZ);
    state_row(page, "Memory clock", is->memory_clock_hz, of->memory_clock_hz, UNIT_HZ);
    state_row(page, "Power", is->power_w, of->power_w, UNIT_WATT);
    state_row(page, "Power limit", is->power_limit_w, of->power_limit_w, UNIT_WATT);
    state_row(page, "Temperature", is->temperature_c, of->temperature_c, UNIT_DEGC);
    state_row(page, "Lanes of the host link", is->link_width, of->link_width, UNIT_NONE);
    state_row(page, "Generation of the host link", is->link_generation, of->link_generation,
              UNIT_NONE);
    fputs("</table>\n", page->out);
}

static void besides_put(const struct page *page)
{
    size_t shown = 0;
    for (size_t i = 0; i < page->fleet->list_count && shown < FLEET_FIRST; i++) {
        if (worst_metric(page->fleet->list[i].card) == CHECK_METRIC_COUNT)
            continue;
        if (shown++ == 0)
            fputs("<section><h2>The first of the list beside the median's card</h2>\n", page->out);
        beside_put(page, page->fleet->list[i].card);
    }
    if (shown)
        fputs("</section>\n", page->out);
}

// ---------------------------------------------------------------- groups and files left out

static void item_put(const struct page *page, const char *text)
{
    fprintf(page->out, "<li>%s</li>\n", markup(page, text));
}

static void more_put(const struct page *page, size_t count)
{
    if (count > SHOWN)
        fprintf(page->out, "<li>and %zu more: see --json</li>\n", count - SHOWN);
}

static void patterns_put(const struct page *page)
{
    const struct fleet *fleet = page->fleet;
    if (fleet->group_count + fleet->relation_count == 0)
        return;
    fputs("<section><h2>Groups that differ, and what goes with a loss</h2><ul>\n", page->out);
    for (size_t i = 0; i < fleet->group_count && i < SHOWN; i++)
        item_put(page, fleet_group_text(page->arena, fleet, &fleet->groups[i]));
    more_put(page, fleet->group_count);
    for (size_t i = 0; i < fleet->relation_count && i < SHOWN; i++)
        item_put(page, fleet_relation_text(page->arena, fleet, &fleet->relations[i]));
    more_put(page, fleet->relation_count);
    fputs("</ul></section>\n", page->out);
}

static void texts_put(const struct page *page, const char *head, const struct named_text *texts,
                      size_t count, bool named)
{
    if (count)
        fprintf(page->out, "<section><h2>%s</h2><ul>\n", head);
    for (size_t i = 0; i < count && i < SHOWN; i++)
        item_put(page, named ? arena_printf(page->arena, "%s: %s", texts[i].name, texts[i].text)
                             : texts[i].text);
    more_put(page, count);
    if (count)
        fputs("</ul></section>\n", page->out);
}

bool fleet_html(void *context, FILE *stream, struct error *err)
{
    const struct fleet *fleet = context;
    const struct page page = {.arena = arena_create(), .fleet = fleet, .out = stream};
    fprintf(stream,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
            "<title>%s</title>\n<style>%s</style>\n</head>\n<body><main>\n<h1>%s</h1>\n"
            "<p>%s: exit status %d</p>\n",
            fleet_extent(page.arena, fleet), style, fleet_extent(page.arena, fleet),
            fleet_counts(page.arena, fleet), fleet_failed(fleet));
    list_put(&page);
    map_put(&page);
    strips_put(&page);
    besides_put(&page);
    patterns_put(&page);
    texts_put(&page, "Also", fleet->remarks, fleet->remark_count, false);
    texts_put(&page, "Files that were left out", fleet->left, fleet->left_count, true);
    fputs("</main></body>\n</html>\n", stream);
    arena_destroy(page.arena);
    return export_end(stream, "the page", err);
}
