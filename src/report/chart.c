// SPDX-License-Identifier: MIT
#include "report/chart.h"

#include "base/text.h"
#include "math/stats.h"
#include "report/screen.h"
#include "results/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    EDGE = 4,           // margin at the left and right of the drawing, in pixels
    LINE = 15,          // height of a title line, in pixels
    SMALL_LINE = 13,    // height of a line of small text, in pixels
    PLOT = 150,         // height of the area in which lines are drawn, in pixels
    BAR_ROW = 25,       // height of a bar with its label above it, in pixels
    LABELS_MOST = 150,  // maximum width of the labels to the right of the lines, in pixels
    LETTERS_MOST = 300, // maximum number of characters of a title, a subtitle or a label
    // width of the coloured dash before a line's label, with the gap behind it, in pixels
    SWATCH = 12,
    TICKS_MOST = 7,
    DOTS_MOST = 12, // a line of the chart with at most this many points gets a dot at every point
    // maximum number of successive segments that one straight segment of a drawn line replaces
    STRAIGHT_MOST = 256,
    TITLE_LINES = 3,
    FINE = 4 // number of positions per pixel: coordinates of lines are multiples of 1/4 pixel
};
static const double title_size = 12.5, small_size = 10.5;

const char chart_style[] =
    ".chart-still{--ink:#1f2328;--dim:#59636e;--rule:#d1d9e0;--bar:#2f6fde;background:none;"
    "font:10.5px system-ui,sans-serif}"
    ".chart-still text{fill:var(--dim)}.chart-still .t{fill:var(--ink);font-weight:600;"
    "font-size:12.5px}.chart-still .i{fill:var(--ink)}.chart-still .e{text-anchor:end}"
    ".chart-still .m{text-anchor:middle}.chart-still path{fill:none;stroke-width:1.75;"
    "stroke-linejoin:round;stroke-linecap:round;vector-effect:non-scaling-stroke}"
    ".chart-still .d{stroke-width:4.5}.chart-still .g{stroke:var(--rule);stroke-width:1}"
    ".chart-still .q{stroke:var(--dim);stroke-width:3.5}"
    ".chart-still rect{fill:var(--bar)}.chart-still .u{fill:var(--dim)}"
    ".l0{stroke:#2f6fde}.l1{stroke:#c9510c}.l2{stroke:#1a8a4a}.l3{stroke:#8250df}"
    ".l4{stroke:#bf3989}.l5{stroke:#137c8b}"
    "@media screen and (prefers-color-scheme:dark){.chart-still{--ink:#e6edf3;--dim:#9198a1;"
    "--rule:#3d444d;--bar:#5b9dff}.l0{stroke:#5b9dff}.l1{stroke:#f0883e}.l2{stroke:#3fb968}"
    ".l3{stroke:#ab7df8}.l4{stroke:#db61a2}.l5{stroke:#39c5cf}}";

struct drawing {
    struct arena *arena;
    FILE *out;
    const struct chart *chart;
    double y; // y coordinate at which the next part of the drawing begins, in pixels
};

// ---------------------------------------------------------------- writing text

// Returns an upper bound for a character's width in the usual fonts, as a share of the font size.
static double character_width(const char *text, size_t bytes)
{
    if (bytes > 1)
        // Characters whose first byte is 0xe3 or more (CJK and others) are wide.
        return bytes > 2 && (unsigned char)text[0] > 0xe2 ? 1.05 : 0.65;
    if (strchr("ijl.,:;'|!()[] ", *text))
        return 0.36;
    if (strchr("mwMW%@", *text))
        return 0.96;
    return *text >= 'A' && *text <= 'Z' ? 0.72 : 0.62;
}

double chart_text_width(const char *text, double size)
{
    double width = 0;
    while (*text) {
        size_t bytes = text_character(text);
        bytes = bytes ? bytes : 1;
        width += size * character_width(text, bytes);
        text += bytes;
    }
    return width;
}

static void text_put(const struct drawing *d, const char *class, double x, double y,
                     const char *text)
{
    fprintf(d->out, "<text class=\"%s\" x=\"%.4g\" y=\"%.4g\">%s</text>\n", class, x, y,
            text_markup(d->arena, text));
}

// Returns the text, cut with an ellipsis so that it is at most `width` pixels wide.
static const char *text_cut(struct arena *arena, const char *text, double size, double width)
{
    const char *cut = screen_quote(arena, text, LETTERS_MOST);
    for (size_t columns = screen_width(cut); columns > 1 && chart_text_width(cut, size) > width;)
        cut = screen_quote(arena, text, --columns);
    return cut;
}

// Writes the text, broken at blanks, in at most `lines` lines; cuts the last one if need be.
static void words_put(struct drawing *d, const char *class, const char *text, double size,
                      int lines)
{
    // titles have larger letters, so their lines are higher
    const double height = size > small_size ? LINE : SMALL_LINE;
    const double width = (CHART_WIDTH - 2 * EDGE) / (size > small_size ? 1.1 : 1);
    for (const char *rest = screen_quote(d->arena, text, LETTERS_MOST); *rest && lines > 0;
         lines--) {
        const char *line = rest, *next = rest + strlen(rest);
        for (const char *at = strchr(rest, ' '); lines > 1 && at; at = strchr(at + 1, ' ')) {
            const char *before = arena_printf(d->arena, "%.*s", (int)(at - rest), rest);
            if (chart_text_width(before, size) > width)
                break;
            line = before;
            next = at + 1;
        }
        if (chart_text_width(rest, size) <= width) {
            line = rest;
            next = rest + strlen(rest);
        }
        d->y += height;
        text_put(d, class, EDGE, d->y - 3, text_cut(d->arena, line, size, width));
        rest = next;
    }
}

// ---------------------------------------------------------------- axes and ticks

struct axis {
    // lowest and highest value on the axis; both are above 0 if the axis is logarithmic
    double low, high;
    bool log;
    double from, to; // positions of the values `low` and `high` in the drawing, in pixels
    double ticks[TICKS_MOST];
    size_t count;
};

static double axis_place(const struct axis *axis, double value)
{
    double share = axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                             : (value - axis->low) / (axis->high - axis->low);
    return axis->from + share * (axis->to - axis->from);
}

// Adds a tick (a labelled value), unless it is outside the axis; returns false if it has no room.
static bool tick_add(struct axis *axis, double value)
{
    double slack = 1e-9 * fabs(axis->high - axis->low);
    if (value < axis->low - slack || value > axis->high + slack)
        return true;
    if (axis->count == TICKS_MOST)
        return false;
    axis->ticks[axis->count++] = value;
    return true;
}

// Sets at most `most` + 1 ticks of a linear axis: multiples of 1, 2 or 5 times a power of ten.
static void ticks_linear(struct axis *axis, size_t most)
{
    static const double steps[] = {1, 2, 5, 10};
    double raw = (axis->high - axis->low) / (double)most, power = pow(10, floor(log10(raw)));
    double step = 10 * power;
    for (size_t i = 0; i < COUNT(steps) && step > steps[i] * power; i++)
        if (steps[i] * power >= raw)
            step = steps[i] * power;
    axis->count = 0;
    for (double k = ceil(axis->low / step); k * step <= axis->high;)
        if (!tick_add(axis, k++ * step))
            break;
}

// Sets at most `most` ticks on a logarithmic axis. With base 10, these are 1, 2 and 5 times every
// power if there is room, else every power, every second … If fewer than two lie on the axis,
// ticks_linear sets the ticks.
static void ticks_log(struct axis *axis, double base, size_t most)
{
    double first = floor(log(axis->low) / log(base)), last = ceil(log(axis->high) / log(base));
    for (int step = base > 2 ? 0 : 1; step < 64; step++) {
        bool room = true;
        axis->count = 0;
        double start = step ? ceil(first / step) * step : first;
        for (double k = start; k <= last && room; k += step ? step : 1)
            for (double times = 1; times <= (step ? 1 : 5) && room; times += times < 2 ? 1 : 3)
                room = tick_add(axis, times * pow(base, k));
        if (room && axis->count <= most)
            break;
    }
    if (axis->count < 2)
        ticks_linear(axis, most);
}

static const char *tick_text(struct arena *arena, double value, double factor)
{
    return arena_printf(arena, "%.6g", fabs(value * factor) < 1e-12 ? 0 : value * factor);
}

// Returns the metric with its unit, such as "latency, ns"; without a unit of the same name.
static const char *axis_name(const struct drawing *d, const char *unit)
{
    bool says = strcmp(d->chart->metric, unit) == 0;
    return text_join(d->arena, d->chart->metric, ", ", says ? "" : unit);
}

// ---------------------------------------------------------------- drawing lines

// True if the chart can show this point. Values from 1e300 on are not drawn, because their
// differences may overflow and no measured value is that large.
static bool is_drawn(const struct chart *chart, const struct chart_line *line, size_t i)
{
    return fabs(line->values[i]) < 1e300 && (!chart->log_y || line->values[i] > 0) &&
           (!chart->log_x || chart->xs[i] > 0);
}

// A point of a line, in quarter pixels, and whether its value is not trusted.
struct place {
    long x, y;
    bool flagged;
};

// True if the points `from` to `to` are on a straight line, up to a third of a pixel.
static bool is_straight(const struct place *places, size_t from, size_t to)
{
    double dx = (double)(places[to].x - places[from].x);
    double dy = (double)(places[to].y - places[from].y);
    for (size_t i = from + 1; i < to; i++)
        if (fabs(dx * (double)(places[i].y - places[from].y) -
                 dy * (double)(places[i].x - places[from].x)) >
            FINE / 3.0 * root_of_squares(dx, dy))
            return false;
    return true;
}

// Writes a line of the chart as one SVG path, without the points inside straight segments.
static void stroke_put(const struct drawing *d, size_t number, const struct place *places,
                       size_t count)
{
    fprintf(d->out, "<path class=\"l%zu\" transform=\"scale(%g)\" d=\"M%ld %ld", number, 1.0 / FINE,
            places[0].x, places[0].y);
    for (size_t from = 0, to; from + 1 < count; from = to) {
        for (to = from + 1;
             to + 1 < count && to - from < STRAIGHT_MOST && is_straight(places, from, to + 1);)
            to++;
        fprintf(d->out, "l%ld %ld", places[to].x - places[from].x, places[to].y - places[from].y);
    }
    fputs("\"/>\n", d->out);
}

// Draws dots at the untrusted points if `flagged` is true, else at the trusted points.
static void dots_put(const struct drawing *d, const char *class, const struct place *places,
                     size_t count, bool flagged)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (places[i].flagged != flagged)
            continue;
        if (!any)
            fprintf(d->out, "<path class=\"%s\" transform=\"scale(%g)\" d=\"", class, 1.0 / FINE);
        fprintf(d->out, "M%ld %ldh0", places[i].x, places[i].y);
        any = true;
    }
    fputs(any ? "\"/>\n" : "", d->out);
}

// Draws one line of the chart, with dots at its points. A long line has dots only at points that
// are not trusted. Returns the y of the last point; without points, the y of the y axis's lower
// end.
static double line_put(const struct drawing *d, size_t number, const struct axis *x,
                       const struct axis *y)
{
    const struct chart *chart = d->chart;
    const struct chart_line *line = &chart->lines[number];
    struct place *places = ARENA_ARRAY(d->arena, chart->x_count, struct place);
    size_t count = 0;
    for (size_t i = 0; i < chart->x_count; i++)
        if (is_drawn(chart, line, i))
            places[count++] =
                (struct place){lround(FINE * axis_place(x, chart->xs[i])),
                               lround(FINE * axis_place(y, line->values[i])), line->flagged[i]};
    if (count == 0)
        return y->from;
    if (count > 1)
        stroke_put(d, number, places, count);
    if (count <= DOTS_MOST)
        dots_put(d, arena_printf(d->arena, "d l%zu", number), places, count, false);
    dots_put(d, "q", places, count, true);
    return (double)places[count - 1].y / FINE;
}

// Writes the name of each line at the right edge, at the height of the line's last point. If names
// would overlap, moves them apart.
static void labels_put(const struct drawing *d, const double *ends, const struct axis *y, double x)
{
    double places[CHART_LINES_MAX], floor_y = y->from;
    size_t order[CHART_LINES_MAX], count = d->chart->line_count;
    for (size_t i = 0; i < count; i++) {
        size_t at = i;
        for (; at > 0 && ends[order[at - 1]] > ends[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (size_t i = 0; i < count; i++)
        places[i] = i && ends[order[i]] < places[i - 1] + SMALL_LINE ? places[i - 1] + SMALL_LINE
                                                                     : ends[order[i]];
    for (size_t i = count; i-- > 0; floor_y = places[i] - SMALL_LINE)
        places[i] = fmin(places[i], floor_y);
    for (size_t i = 0; i < count; i++) {
        fprintf(d->out, "<path class=\"l%zu\" d=\"M%.4g %.4gh%d\"/>\n", order[i], x, places[i],
                SWATCH - 4);
        text_put(d, "i", x + SWATCH, places[i] + 3.5,
                 text_cut(d->arena, d->chart->lines[order[i]].label, small_size, LABELS_MOST));
    }
}

static void axis_reach(struct axis *axis, double value)
{
    axis->low = fmin(axis->low, value);
    axis->high = fmax(axis->high, value);
}

// Widens the range of an axis if it is empty or nearly a single value, because an axis needs a
// length.
static void axis_widen(struct axis *axis)
{
    if (!(axis->low <= axis->high))
        axis->low = axis->high = 1;
    if (axis->high - axis->low > 1e-6 * fabs(axis->high))
        return;
    double room = axis->log ? 0 : fmax(1, fabs(axis->high)) / 2;
    axis->low = axis->log ? axis->low / 1.5 : axis->low - room;
    axis->high = axis->log ? axis->high * 1.5 : axis->high + room;
}

// Sets the ranges of both axes to the ranges of the drawn points. A linear y axis also includes 0.
static void axes_span(const struct chart *chart, struct axis *x, struct axis *y)
{
    x->low = y->low = INFINITY;
    x->high = y->high = -INFINITY;
    for (size_t k = 0; k < chart->line_count; k++)
        for (size_t i = 0; i < chart->x_count; i++)
            if (is_drawn(chart, &chart->lines[k], i)) {
                axis_reach(x, chart->xs[i]);
                axis_reach(y, chart->lines[k].values[i]);
            }
    if (!y->log)
        axis_reach(y, 0);
    axis_widen(x);
    axis_widen(y);
    y->low = y->log ? y->low / 1.1 : y->low;
    y->high = y->log ? y->high * 1.1 : y->high + 0.04 * (y->high - y->low);
}

// Sets as many ticks of the x axis as fit without overlap of their texts. Also sets the texts.
static void number_ticks(const struct drawing *d, struct axis *x, const char **texts)
{
    for (size_t most = TICKS_MOST; most > 1; most--) {
        double right = -INFINITY;
        bool room = true;
        if (x->log)
            ticks_log(x, 2, most);
        else
            ticks_linear(x, most - 1);
        for (size_t i = 0; i < x->count; i++) {
            texts[i] = d->chart->x_unit == UNIT_NONE
                           ? tick_text(d->arena, x->ticks[i], 1)
                           : unit_text(d->arena, x->ticks[i], d->chart->x_unit);
            double half = chart_text_width(texts[i], small_size) / 2;
            double at = axis_place(x, x->ticks[i]);
            room = room && at - half > right + 6 && at - half >= 0;
            right = at + half;
        }
        if (room && right <= CHART_WIDTH)
            return;
    }
}

// Draws the y axis: grid lines with their values, and the name of the axis above them.
static void value_axis_put(const struct drawing *d, const struct axis *x, const struct axis *y,
                           double factor, const char *unit)
{
    text_put(d, "", EDGE, y->to - 10, axis_name(d, unit));
    for (size_t i = 0; i < y->count; i++) {
        double at = axis_place(y, y->ticks[i]);
        fprintf(d->out, "<path class=\"g\" d=\"M%.4g %.4gH%.4g\"/>\n", x->from, at, x->to);
        text_put(d, "e", x->from - 5, at + 3.5, tick_text(d->arena, y->ticks[i], factor));
    }
}

static void number_axis_put(const struct drawing *d, struct axis *x, double bottom)
{
    const char *texts[TICKS_MOST];
    number_ticks(d, x, texts);
    for (size_t i = 0; i < x->count; i++)
        text_put(d, "m", axis_place(x, x->ticks[i]), bottom + 15, texts[i]);
    text_put(d, "m", (x->from + x->to) / 2, bottom + 29, d->chart->x_name);
}

static void lines_put(struct drawing *d)
{
    const struct chart *chart = d->chart;
    const char *unit;
    struct axis x = {.log = chart->log_x};
    struct axis y = {.log = chart->log_y, .from = d->y + 20 + PLOT, .to = d->y + 20};
    double ends[CHART_LINES_MAX], ticks = 0, labels = 0;
    axes_span(chart, &x, &y);
    if (y.log)
        ticks_log(&y, 10, 6);
    else
        ticks_linear(&y, 5);
    double factor = unit_scale(y.high, chart->unit, &unit) / y.high;
    for (size_t i = 0; i < y.count; i++)
        ticks = fmax(ticks, chart_text_width(tick_text(d->arena, y.ticks[i], factor), small_size));
    for (size_t i = 0; i < chart->line_count; i++)
        labels = fmax(labels, chart_text_width(chart->lines[i].label, small_size));
    x.from = EDGE + ticks + 6;
    x.to = CHART_WIDTH - EDGE - (labels > 0 ? fmin(labels, LABELS_MOST) + SWATCH + 6 : 20);
    value_axis_put(d, &x, &y, factor, unit);
    number_axis_put(d, &x, y.from);
    for (size_t i = 0; i < chart->line_count; i++)
        ends[i] = line_put(d, i, &x, &y);
    if (chart->line_count > 1)
        labels_put(d, ends, &y, x.to + 6);
    d->y = y.from + 34;
}

// ---------------------------------------------------------------- drawing bars

static void bars_put(struct drawing *d)
{
    const struct chart *chart = d->chart;
    const double width = CHART_WIDTH - 2 * EDGE;
    struct axis x = {.from = EDGE, .to = EDGE + width};
    const char *unit;
    for (size_t i = 0; i < chart->bar_count; i++)
        x.high = isfinite(chart->bars[i].value) ? fmax(x.high, chart->bars[i].value) : x.high;
    x.high = x.high > 0 ? x.high : 1;
    double factor = unit_scale(x.high, chart->unit, &unit) / x.high;
    for (size_t i = 0; i < chart->bar_count; i++, d->y += BAR_ROW) {
        const struct chart_bar *bar = &chart->bars[i];
        double room = width - chart_text_width(bar->text, small_size) - 8;
        text_put(d, "i", EDGE, d->y + 12, text_cut(d->arena, bar->label, small_size, room));
        text_put(d, bar->flagged ? "e" : "e i", EDGE + width, d->y + 12, bar->text);
        fprintf(d->out, "<rect class=\"%s\" x=\"%d\" y=\"%.4g\" width=\"%.4g\" height=\"6\"/>\n",
                bar->flagged ? "u" : "", EDGE, d->y + 16,
                fmax(axis_place(&x, fmax(bar->value, 0)) - x.from, 0.5));
    }
    ticks_linear(&x, 4);
    fprintf(d->out, "<path class=\"g\" d=\"M%.4g %.4gH%.4g", x.from, d->y + 2, x.to);
    for (size_t i = 0; i < x.count; i++)
        fprintf(d->out, "M%.4g %.4gv4", axis_place(&x, x.ticks[i]), d->y + 2);
    fputs("\"/>\n", d->out);
    for (size_t i = 0; i < x.count; i++) {
        double at = axis_place(&x, x.ticks[i]);
        const char *class = i == 0 ? "" : at > x.to - 20 ? "e" : "m";
        text_put(d, class, at, d->y + 17, tick_text(d->arena, x.ticks[i], factor));
    }
    text_put(d, "m", CHART_WIDTH / 2.0, d->y + 30, axis_name(d, unit));
    d->y += 35;
}

// ---------------------------------------------------------------- the whole drawing

double chart_put(struct arena *arena, const struct chart *chart, double x, double y, FILE *stream)
{
    struct text_stream body;
    text_stream_open(&body);
    struct drawing d = {.arena = arena, .out = body.file, .chart = chart, .y = 2};
    words_put(&d, "t", chart->title, title_size, TITLE_LINES);
    words_put(&d, "", chart->about, small_size, 2);
    d.y += 4;
    if (chart->bar_count > 0)
        bars_put(&d);
    else
        lines_put(&d);
    words_put(&d, "", chart->origin, small_size, 2);
    d.y += 4;
    text_stream_close(&body);
    fprintf(stream,
            "<svg class=\"chart-still\" role=\"img\" aria-label=\"%s\" x=\"%.4g\" y=\"%.5g\" "
            "width=\"%d\" height=\"%.4g\" viewBox=\"0 0 %d %.4g\">\n%s</svg>\n",
            text_markup(arena, screen_quote(arena, chart->title, LETTERS_MOST)), x, y, CHART_WIDTH,
            d.y, CHART_WIDTH, d.y, body.text);
    free(body.text);
    return d.y;
}
