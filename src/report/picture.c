// SPDX-License-Identifier: MIT
#include "report/picture.h"

#include "analysis/card.h"
#include "analysis/levels.h"
#include "base/text.h"
#include "report/chart.h"
#include "report/screen.h"
#include "results/units.h"

#include <math.h>
#include <string.h>

enum {
    ROW = 50,     // height of a row of the card, in pixels
    GAP = 10,     // gap between the parts of the card, in pixels
    STEP = 74,    // height of a level in the drawing of the memory levels, in pixels
    STEP_GAP = 6, // vertical gap between two memory levels, in pixels
    LEVELS_MAX = PLATEAUS_MAX,
    EDGE = 14, // margin at the left and right of the drawings in an SVG file, in pixels
    FONT = 14,
    LINE = 19, // distance between lines of text, in pixels
    TITLE = 30 // height of the line with the device's name, in pixels
};
#define EDGE_TEXT "14" // the number EDGE as text, for attributes of SVG elements

const char picture_style[] =
    ".first{--ink:#1d2329;--dim:#56616a;--rule:#d5dbe0;--bar:#0067a3;font:14px "
    "system-ui,sans-serif}"
    ".first svg{overflow:visible}.first text{fill:var(--ink);stroke:none}.first "
    ".h{font-size:22px;font-weight:600}"
    ".first .n{font-weight:600}.first .v{font-weight:600;font-size:15px}"
    ".first .m{fill:var(--dim);font-size:11.5px}.first .g{fill:var(--dim);font-weight:400}"
    ".first .r{text-anchor:end}.first .c{text-anchor:middle}"
    ".first .a{fill:var(--bar);stroke:none}.first .l{fill:var(--rule)}"
    ".first .s{fill:var(--bar);stroke:var(--bar);fill-opacity:.08}.first .s1{fill-opacity:.13}"
    ".first .s2{fill-opacity:.18}.first .s3,.first .s4{fill-opacity:.23}"
    "@media screen and (prefers-color-scheme:dark){.first{--ink:#e7ebee;--dim:#9aa5ae;"
    "--rule:#3a424a;--bar:#56b4e9}}";

struct picture {
    struct arena *arena;
    FILE *out;
};

static const char *markup(const struct picture *picture, const char *text)
{
    return text_markup(picture->arena, text ? text : "");
}

// ---------------------------------------------------------------- the card

// Returns the value as text, in parentheses if it is not trusted, because grey alone is easily
// overlooked.
static const char *figure_text(const struct picture *picture, const struct card_figure *figure)
{
    const char *text = arena_printf(picture->arena, "%s%s", figure->at_least ? "≥ " : "",
                                    screen_short(picture->arena, figure->value, figure->unit));
    return card_figure_trusted(figure) || !isfinite(figure->value)
               ? text
               : arena_printf(picture->arena, "(%s)", text);
}

// Small text below a figure. In a row of two figures, a narrow HTML page hides the part `wide`,
// which follows `text`.
struct remark {
    const char *text, *wide;
};

// Returns the first line below a figure: its name, and its share of the limit, else its cycles. An
// untrusted figure has a word instead.
static struct remark about(const struct picture *picture, const struct card_figure *figure)
{
    struct remark remark = {figure->name ? figure->name : "", ""};
    const char *more = "";
    if (!card_figure_trusted(figure))
        more = isfinite(figure->value) ? "flagged" : "not measured";
    else if (isfinite(figure->share))
        more = arena_printf(picture->arena, "%.0f %% of limit", 100 * figure->share);
    else if (isfinite(figure->cycles))
        more = screen_short(picture->arena, figure->cycles, UNIT_CYCLE);
    if (!*remark.text)
        remark.text = more;
    else if (*more)
        remark.wide = arena_printf(picture->arena, " · %s", more);
    return remark;
}

// Returns the second line below a figure: its interval, and how it compares with the reference.
static struct remark margin(const struct picture *picture, const struct card_figure *figure)
{
    double gain = card_figure_gain(figure);
    struct remark remark = {screen_margin(picture->arena, figure->value, figure->ci95), ""};
    if (!card_figure_trusted(figure) || !isfinite(gain))
        return remark;
    const char *mark = *remark.text ? " · " : "";
    remark.wide = fabs(gain) < 0.005
                      ? arena_printf(picture->arena, "%slike the reference", mark)
                      : arena_printf(picture->arena, "%s%.1f %% %s", mark, 100 * fabs(gain),
                                     gain > 0 ? "better" : "worse");
    return remark;
}

static void text_put(const struct picture *picture, const char *class, const char *x, int y,
                     const char *text)
{
    if (*text)
        fprintf(picture->out, "<text class=\"%s\" x=\"%s\" y=\"%d\">%s</text>\n", class, x, y,
                markup(picture, text));
}

static void remark_put(const struct picture *picture, const char *x, int y,
                       const struct remark *remark, bool hides)
{
    fprintf(picture->out, "<text class=\"r m\" x=\"%s\" y=\"%d\">%s<tspan%s>%s</tspan></text>\n", x,
            y, markup(picture, remark->text), hides ? " class=\"wide\"" : "",
            markup(picture, remark->wide));
}

// Writes, below a row's label, the core clock at which the row's first figure was measured.
static void clock_put(const struct picture *picture, const struct card_row *row, int y)
{
    double hz = row->figures[0].core_clock_hz;
    if (isfinite(hz))
        text_put(picture, "m", "0", y + 30,
                 text_join(picture->arena, "core clock", " ",
                           screen_short(picture->arena, hz, UNIT_HZ)));
}

// Draws the one or two figures of a card's row, each with two lines of small text (about, margin).
static void figures_put(const struct picture *picture, const struct card_row *row, int y)
{
    for (size_t i = 0; i < row->count; i++) {
        const struct card_figure *figure = &row->figures[i];
        bool trusted = card_figure_trusted(figure);
        const char *x = i + 1 == row->count ? "100%" : "64%";
        text_put(picture, trusted ? "r v" : "r v g", x, y + 16, figure_text(picture, figure));
        const struct remark first = about(picture, figure), second = margin(picture, figure);
        remark_put(picture, x, y + 30, &first, row->count > 1);
        remark_put(picture, x, y + 43, &second, row->count > 1);
    }
}

// Draws a line under a row of the card. On it, a bar shows the share of the limit that the row's
// first figure reaches, if that is known and trusted.
static void share_put(const struct picture *picture, const struct card_row *row, int y)
{
    const struct card_figure *figure = &row->figures[0];
    fprintf(picture->out, "<rect class=\"l\" y=\"%d\" width=\"100%%\" height=\"1\"/>\n",
            y + ROW - 2);
    if (isfinite(figure->share) && card_figure_trusted(figure))
        fprintf(picture->out, "<rect class=\"a\" y=\"%d\" width=\"%.1f%%\" height=\"3\"/>\n",
                y + ROW - 3, 100 * fmin(fmax(figure->share, 0), 1));
}

static int rows_height(const struct card *card)
{
    int height = 0;
    for (size_t i = 0; i < card->count; i++)
        height += ROW + (i && card->rows[i].section != card->rows[i - 1].section ? GAP : 0);
    return height;
}

static void rows_put(const struct picture *picture, const struct card *card)
{
    int y = 0;
    fprintf(picture->out,
            "<svg class=\"card\" width=\"100%%\" height=\"%d\" role=\"group\" "
            "aria-label=\"Figures of %s\">\n",
            rows_height(card), markup(picture, card->device->id));
    for (size_t i = 0; i < card->count; i++) {
        const struct card_row *row = &card->rows[i];
        if (i && row->section != card->rows[i - 1].section)
            y += GAP;
        text_put(picture, "n", "0", y + 16, row->label);
        clock_put(picture, row, y);
        figures_put(picture, row, y);
        share_put(picture, row, y);
        y += ROW;
    }
    fputs("</svg>\n", picture->out);
}

// ---------------------------------------------------------------- the levels of memory

struct step {
    const char *name; // name of the level: "L1", "near L2", "DRAM"
    double bytes;     // size of the cache or of the memory, in bytes; not finite if not known
    double ns, cycles;
    // Read bandwidth of the level. NULL if the bandwidth is not known, or if the level before has
    // already shown it.
    const struct card_figure *bandwidth;
};

// Returns the read bandwidth of a level: the first figure of the bandwidth row whose label begins
// with `level`. Returns NULL if it is not trusted or missing.
static const struct card_figure *bandwidth_of(const struct card *card, const char *level)
{
    for (size_t i = 0; i < card->count; i++)
        if (card->rows[i].section == CARD_BANDWIDTH && text_begins(card->rows[i].label, level) &&
            card_figure_trusted(&card->rows[i].figures[0]))
            return &card->rows[i].figures[0];
    return NULL;
}

// Returns the size of the last level in bytes, if it is memory; else NaN.
static double last_bytes(const struct level_curve *curve, const struct run_device *device)
{
    return isfinite(levels_memory(curve)) ? run_device_limit(device, "memory_bytes") : NAN;
}

// Fills `steps` with the levels of memory and returns their number; 0 for fewer than two levels.
static size_t steps_of(const struct picture *picture, const struct card *card, struct step *steps)
{
    const struct level_curve *curve = &card->curve;
    size_t count = curve->count ? levels_count(curve) : 0;
    // A size by `map` is better, if the map found the same number of caches: a chain with a stride
    // longer than a line goes on beyond the cache's size.
    const struct metric *sizes[PLATEAUS_MAX];
    size_t mapped = levels_mapped(card->run, card->device->id, sizes, PLATEAUS_MAX);
    // The halves of the previous level's cache ("L2" for "near L2") have one bandwidth, shown once.
    const char *before = "";
    for (size_t k = 0; count > 1 && k < count; k++) {
        const char *name = levels_name(picture->arena, curve, k), *half = strchr(name, ' ');
        const char *level = half ? half + 1 : name;
        bool is_mapped = mapped + 1 == count && k < mapped && sizes[k];
        steps[k] = (struct step){
            .name = name,
            .bytes = k + 1 == count ? last_bytes(curve, card->device)
                     : is_mapped    ? sizes[k]->median
                                    : levels_end(curve, k),
            .ns = levels_height(picture->arena, curve, k, curve->metric).median,
            .cycles = levels_cycles(picture->arena, card->run, curve, k),
            .bandwidth = strcmp(level, before) == 0 ? NULL : bandwidth_of(card, level),
        };
        before = level;
    }
    return count > 1 ? count : 0;
}

static void step_put(const struct picture *picture, const struct step *step, size_t k, size_t count)
{
    double width = 100 - 45.0 * (double)(count - 1 - k) / (double)(count - 1);
    int y = (int)k * (STEP + STEP_GAP);
    const char *size = screen_short(picture->arena, step->bytes, UNIT_BYTE);
    const char *head = k + 1 < count ? arena_printf(picture->arena, "%s to %s", step->name, size)
                       : isfinite(step->bytes)
                           ? arena_printf(picture->arena, "%s, %s", step->name, size)
                           : step->name;
    const char *latency = screen_short(picture->arena, step->ns, UNIT_NS);
    if (isfinite(step->cycles))
        latency = screen_also(picture->arena, latency, "",
                              screen_short(picture->arena, step->cycles, UNIT_CYCLE));
    fprintf(picture->out,
            "<rect class=\"s s%zu\" x=\"%.1f%%\" y=\"%d\" width=\"%.1f%%\" height=\"%d\" "
            "rx=\"6\"/>\n",
            k < 4 ? k : 4, (100 - width) / 2, y, width, STEP);
    // without a bandwidth, the text moves down by this many pixels to stay in the middle
    int down = step->bandwidth ? 0 : 10;
    text_put(picture, "c n", "50%", y + 22 + down, head);
    text_put(picture, "c v", "50%", y + 42 + down, latency);
    if (step->bandwidth)
        text_put(picture, "c", "50%", y + 61,
                 arena_printf(picture->arena, "read at %s", figure_text(picture, step->bandwidth)));
}

static size_t steps_height(size_t count)
{
    return count * (STEP + STEP_GAP) - STEP_GAP;
}

static void steps_put(const struct picture *picture, const struct card *card,
                      const struct step *steps, size_t count)
{
    fprintf(picture->out,
            "<svg class=\"pyramid\" width=\"100%%\" height=\"%zu\" role=\"group\" "
            "aria-label=\"Levels of memory of %s\">\n",
            steps_height(count), markup(picture, card->device->id));
    for (size_t k = 0; k < count; k++)
        step_put(picture, &steps[k], k, count);
    fputs("</svg>\n", picture->out);
}

// ---------------------------------------------------------------- the summary of a device

static const char steps_title[] = "Memory: size, latency and bandwidth of each level";
static const char notes_title[] = "What stands out";

static const char *rows_title(const struct picture *picture, const struct card *card)
{
    const char *title = "Key figures (± half the 95 % interval)";
    const struct known_card *known = card->reference;
    return known ? arena_printf(picture->arena, "%s; reference: a run of %s (%s)", title,
                                known->device, known->api)
                 : title;
}

static void pyramid_put(const struct picture *picture, const struct card *card)
{
    struct step steps[LEVELS_MAX];
    size_t count = steps_of(picture, card, steps);
    if (!count)
        return;
    fprintf(picture->out, "<figure><figcaption>%s</figcaption>\n", steps_title);
    steps_put(picture, card, steps, count);
    fputs("</figure>\n", picture->out);
}

static void notes_put(const struct picture *picture, const struct card *card)
{
    if (card->count == 0)
        return;
    size_t count;
    const char *const *texts = card_sentences(picture->arena, card, &count);
    fprintf(picture->out, "<div class=\"notes\"><h3>%s</h3><ul>\n", notes_title);
    for (size_t i = 0; i < count; i++)
        fprintf(picture->out, "<li>%s</li>\n", markup(picture, texts[i]));
    fputs("</ul></div>\n", picture->out);
}

static void warnings_put(const struct picture *picture, const struct card *card)
{
    const char *texts[] = {card->warning, card_state(card)};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i])
            fprintf(picture->out, "<p class=\"warning\">%s</p>\n", markup(picture, texts[i]));
}

// Returns the subtitle of a device: "vulkan:0 · driver 580.1 · preset standard ·
// 2026-01-02T03:04:05Z · fathom 1.0 · cases: 12 ok · 1 failed".
static const char *origin_text(const struct picture *picture, const struct run *run,
                               const struct run_device *device)
{
    struct arena *arena = picture->arena;
    const char *text = screen_also(arena, device->id, "driver ", device->driver);
    text = screen_also(arena, text, "preset ", run->preset);
    text = screen_also(arena, text, "", run->started);
    text = screen_also(arena, text, "fathom ", run->tool_version);
    const struct run_counts counts = run_count(run, device->id, NULL);
    return screen_also(arena, text, "cases: ", screen_counts(arena, &counts));
}

static void device_put(const struct picture *picture, const struct card *card, size_t number)
{
    const struct run_device *device = card->device;
    fprintf(picture->out,
            "<article data-subject=\"%zu\">\n<%s>%s</%s>\n<p class=\"subtitle\">%s</p>\n", number,
            number ? "h2" : "h1", markup(picture, device->name ? device->name : device->id),
            number ? "h2" : "h1", markup(picture, origin_text(picture, card->run, device)));
    warnings_put(picture, card);
    fputs("<div class=\"pair\">\n", picture->out);
    if (card->count) {
        fprintf(picture->out, "<figure><figcaption>%s</figcaption>\n",
                markup(picture, rows_title(picture, card)));
        rows_put(picture, card);
        fputs("</figure>\n", picture->out);
    }
    fputs("<div>", picture->out); // without a newline: the page hides it if it stays empty
    pyramid_put(picture, card);
    notes_put(picture, card);
    fputs("</div></div></article>\n", picture->out);
}

// ---------------------------------------------------------------- the SVG file

// Returns the bytes of the first line: as many words as fit into `width`, but at least one.
static size_t line_bytes(const struct picture *picture, const char *text, double width)
{
    size_t fits = strcspn(text, " ");
    while (text[fits]) {
        size_t next = fits + 1 + strcspn(text + fits + 1, " ");
        const char *line = arena_printf(picture->arena, "%.*s", (int)next, text);
        if (chart_text_width(line, FONT) > width)
            break;
        fits = next;
    }
    return fits;
}

// Writes the text in lines (line_bytes), from y on. Returns the y below the last line.
static double sentence_put(const struct picture *picture, const char *class, double y, double width,
                           const char *text)
{
    while (*text) {
        size_t bytes = line_bytes(picture, text, width);
        y += LINE;
        text_put(picture, class, EDGE_TEXT, (int)y - 5,
                 arena_printf(picture->arena, "%.*s", (int)bytes, text));
        text += bytes + (text[bytes] == ' ');
    }
    return y;
}

// Begins a part: writes its title at `place` (x, y), and below it opens an <svg> element of the
// given size, which the caller closes.
static void part_begin(const struct picture *picture, const char *title, const double place[2],
                       double width, double height)
{
    text_put(picture, "m", arena_printf(picture->arena, "%.0f", place[0]), (int)place[1] + LINE - 5,
             title);
    fprintf(picture->out, "<svg x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\">\n", place[0],
            place[1] + LINE + 3, width, height);
}

// Draws the rows of the card and, to the right, the levels of memory; returns the y below them.
static double pair_put(const struct picture *picture, const struct card *card, double y,
                       double width)
{
    struct step steps[LEVELS_MAX];
    size_t count = steps_of(picture, card, steps);
    double left = (width - 3 * EDGE) * 0.55, height = rows_height(card);
    part_begin(picture, rows_title(picture, card), (double[]){EDGE, y}, left, height);
    rows_put(picture, card);
    fputs("</svg>\n", picture->out);
    if (count) {
        double below = (double)steps_height(count);
        part_begin(picture, steps_title, (double[]){left + 2 * EDGE, y}, width - left - 3 * EDGE,
                   below);
        steps_put(picture, card, steps, count);
        fputs("</svg>\n", picture->out);
        height = fmax(height, below);
    }
    return y + LINE + 3 + height + GAP;
}

double picture_put(struct arena *arena, const struct run *run, const char *device, double y,
                   double width, FILE *stream)
{
    const struct picture picture = {.arena = arena, .out = stream};
    struct card card;
    card_build(arena, run, device, known_cards_builtin(arena), &card);
    if (card.count == 0)
        return 0;
    const double top = y, room = width - 2 * EDGE;
    const char *name = card.device->name ? card.device->name : device;
    fputs("<g class=\"first\">\n", stream);
    text_put(&picture, "h", EDGE_TEXT, (int)y + TITLE - 8, name);
    y = sentence_put(&picture, "m", y + TITLE, room, origin_text(&picture, run, card.device));
    const char *warnings[] = {card.warning, card_state(&card)};
    for (size_t i = 0; i < sizeof warnings / sizeof *warnings; i++)
        y = sentence_put(&picture, "n", y, room, warnings[i] ? warnings[i] : "");
    y = pair_put(&picture, &card, y + GAP, width);
    size_t count;
    const char *const *texts = card_sentences(arena, &card, &count);
    if (count)
        y = sentence_put(&picture, "m", y, room, notes_title);
    for (size_t i = 0; i < count; i++)
        y = sentence_put(&picture, "", y, room, arena_printf(arena, "• %s", texts[i]));
    fputs("</g>\n", stream);
    return y + GAP - top;
}

// ---------------------------------------------------------------- the summary of the page

// Writes the charts of a device for readers without a script; the script draws its own charts.
static void charts_put(const struct picture *picture, const struct card *card)
{
    size_t count;
    const struct chart *charts =
        charts_of(picture->arena, card->run, card->device->id, &card->curve, &count);
    for (size_t i = 0; i < count; i++)
        chart_put(picture->arena, &charts[i], 0, 0, picture->out);
}

// Returns the cards of all devices with results; of all devices if no run has results.
static const struct card *cards_of(struct arena *arena, const struct run *const *runs, size_t count,
                                   size_t *card_count)
{
    size_t most = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        most += runs[i]->device_count;
        all += runs[i]->result_count;
    }
    struct card *cards = ARENA_ARRAY(arena, most, struct card);
    *card_count = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t d = 0; d < runs[i]->device_count; d++) {
            const char *device = runs[i]->devices[d].id;
            if (all == 0 || run_count(runs[i], device, NULL).all > 0)
                card_build(arena, runs[i], device, known_cards_builtin(arena),
                           &cards[(*card_count)++]);
        }
    return cards;
}

void picture_write(const struct run *const *runs, size_t count, FILE *stream)
{
    struct picture picture = {.arena = arena_create(), .out = stream};
    size_t card_count;
    const struct card *cards = cards_of(picture.arena, runs, count, &card_count);
    fputs("<section id=\"first\" aria-label=\"Summary\">\n", stream);
    for (size_t i = 0; i < card_count; i++)
        device_put(&picture, &cards[i], i);
    fprintf(stream, "</section>\n<noscript><style>%s</style><section class=\"still\">\n",
            chart_style);
    for (size_t i = 0; i < card_count; i++)
        charts_put(&picture, &cards[i]);
    fputs("</section></noscript>\n", stream);
    arena_destroy(picture.arena);
}
