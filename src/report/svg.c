// SPDX-License-Identifier: MIT
#include "report/export.h"

#include "base/text.h"
#include "report/chart.h"
#include "report/picture.h"
#include "report/spans.h"
#include "results/units.h"

#include <math.h>
#include <stdlib.h>

enum {
    WIDTH = 1200,
    LEFT = 170, // width of the labels at the left, in pixels
    RIGHT = 30,
    ROW = 24,
    BAR = 16,
    CURVE = 60,  // height of the curve that shows how many spans run at the same time, in pixels
    CORE = 4,    // height of the row of a core, in pixels
    GAP = 14,    // gap between two parts of the drawing, in pixels
    HEAD = 34,   // height of the title of a result, in pixels
    COLOURS = 8, // number of colours for lanes: the CSS classes c0 … c7
    CORES_MAX = 4096
};

struct svg {
    struct arena *arena;
    // The drawing. It is kept in memory, because an SVG file begins with the drawing's height.
    FILE *out;
    double y; // y coordinate at which the next part of the drawing begins, in pixels
};

static const char style[] =
    "svg{background:#fff;color:#1f2328;font:13px system-ui,sans-serif}"
    ".t{font-weight:600}.m{fill:#59636e}text{fill:currentColor}"
    ".a{stroke:#59636e;fill:none;stroke-dasharray:3 3}.g{stroke:#d1d9e0}"
    ".u{fill:#8c959f;fill-opacity:.45}"
    ".c0{fill:#2f6fde}.c1{fill:#1a8a4a}.c2{fill:#c9510c}.c3{fill:#8250df}"
    ".c4{fill:#bf3989}.c5{fill:#137c8b}.c6{fill:#9a6700}.c7{fill:#cf222e}"
    "@media(prefers-color-scheme:dark){svg{background:#0d1117;color:#e6edf3}"
    ".m{fill:#9198a1}.a{stroke:#9198a1}.g{stroke:#3d444d}"
    ".c0{fill:#5b9dff}.c1{fill:#3fb968}.c2{fill:#f0883e}.c3{fill:#ab7df8}"
    ".c4{fill:#db61a2}.c5{fill:#39c5cf}.c6{fill:#d29922}.c7{fill:#ff7b72}}";

static double x_of(const struct spans *line, double ns)
{
    double share = (ns - line->from_ns) / (line->to_ns - line->from_ns);
    return LEFT + fmax(0, fmin(share, 1)) * (WIDTH - LEFT - RIGHT);
}

static void label_put(struct svg *svg, double y, const char *class, const char *text)
{
    fprintf(svg->out, "<text x=\"%d\" y=\"%.1f\" class=\"%s\" text-anchor=\"end\">%s</text>\n",
            LEFT - 10, y, class, text_markup(svg->arena, text));
}

// Draws a span as a bar with a tool-tip. The top edge of the bar is at y[0], its height is y[1].
static void bar_put(struct svg *svg, const struct spans *line, const struct spans *spans,
                    size_t row, const double y[2])
{
    double start = spans_cell(spans, row, spans->start, 0);
    double end = spans_cell(spans, row, spans->end, 0);
    size_t lane = (size_t)spans_cell(spans, row, spans->lane, 0);
    double x = x_of(line, start), width = fmax(x_of(line, end) - x, 0.5);
    fprintf(svg->out,
            "<rect class=\"c%zu\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\">"
            "<title>%s: %s from %s</title></rect>\n",
            lane % COLOURS, x, y[0], width, y[1],
            text_markup(svg->arena, spans_label(svg->arena, spans->result, lane)),
            unit_text(svg->arena, end - start, UNIT_NS),
            unit_text(svg->arena, start - line->from_ns, UNIT_NS));
}

// ---------------------------------------------------------------- drawing a time line

// Returns the row in which a lane is drawn: lanes are in the order of their first spans.
static double lane_row(const struct spans *line, double lane)
{
    double row = 0;
    for (size_t i = 0; i < line->series->row_count; i++) {
        if (spans_cell(line, i, line->lane, 0) == lane)
            break;
        row += spans_first_of_lane(line, i);
    }
    return row;
}

static double lane_y(const struct svg *svg, const struct spans *line, size_t row)
{
    return svg->y + ROW * (lane_row(line, spans_cell(line, row, line->lane, 0)) + 0.5);
}

static void arrow_put(struct svg *svg, const struct spans *line, const struct spans_edge *edge)
{
    fprintf(svg->out, "<path class=\"a\" marker-end=\"url(#arrow)\" d=\"M%.2f %.1fL%.2f %.1f\"/>\n",
            x_of(line, spans_cell(line, edge->from, line->end, 0)), lane_y(svg, line, edge->from),
            x_of(line, spans_cell(line, edge->to, line->start, 0)), lane_y(svg, line, edge->to));
}

static void lanes_put(struct svg *svg, const struct spans *line)
{
    double rows = 0;
    for (size_t i = 0; i < line->series->row_count; i++) {
        double lane = spans_cell(line, i, line->lane, 0);
        double y = svg->y + ROW * lane_row(line, lane);
        if (spans_first_of_lane(line, i)) {
            label_put(svg, y + BAR, "", spans_label(svg->arena, line->result, (size_t)lane));
            rows++;
        }
        bar_put(svg, line, line, i, (double[]){y + (double)(ROW - BAR) / 2, BAR});
    }
    size_t count;
    const struct spans_edge *edges = spans_edges(svg->arena, line, &count);
    for (size_t i = 0; i < count; i++)
        arrow_put(svg, line, &edges[i]);
    svg->y += ROW * rows + GAP;
}

// Draws a scale of 1, 2 or 5 times a power of ten ns, at most a fifth of the time line long.
static void scale_put(struct svg *svg, const struct spans *line)
{
    double fifth = (line->to_ns - line->from_ns) / 5, power = pow(10, floor(log10(fifth)));
    double length = power * (fifth / power >= 5 ? 5 : fifth / power >= 2 ? 2 : 1);
    double width = x_of(line, line->from_ns + length) - LEFT;
    fprintf(svg->out,
            "<path stroke=\"currentColor\" fill=\"none\" d=\"M%d %.1fv6h%.2fv-6\"/>\n"
            "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n",
            LEFT, svg->y, width, LEFT + width + 8, svg->y + 8,
            unit_text(svg->arena, length, UNIT_NS));
    svg->y += GAP + 10;
}

static void curve_put(struct svg *svg, const struct spans *line, const struct spans *crowd)
{
    enum {
        STEPS = (WIDTH - LEFT - RIGHT) / 2
    };
    double *counts = spans_at_once(svg->arena, crowd, line->from_ns, line->to_ns, STEPS), most = 1;
    for (size_t i = 0; i < STEPS; i++)
        most = fmax(most, counts[i]);
    label_put(svg, svg->y + 14, "m", arena_printf(svg->arena, "%s at once", crowd->series->name));
    label_put(svg, svg->y + 32, "m", arena_printf(svg->arena, "up to %.0f", most));
    fprintf(svg->out, "<path class=\"u\" d=\"M%d %.1f", LEFT, svg->y + CURVE);
    for (size_t i = 0; i < STEPS; i++)
        fprintf(svg->out, "V%.1fh2", svg->y + CURVE * (1 - counts[i] / most));
    fprintf(svg->out, "V%.1fz\"/>\n", svg->y + CURVE);
    svg->y += CURVE + GAP;
}

// Draws one row for each core below CORES_MAX that has spans. Spans on one core may overlap, so
// they are half transparent.
static void cores_put(struct svg *svg, const struct spans *line, const struct spans *crowd)
{
    double *place = ARENA_ARRAY(svg->arena, CORES_MAX, double), cores = 0;
    for (size_t i = 0; i < crowd->series->row_count; i++) {
        double core = spans_cell(crowd, i, crowd->core, -1);
        if (core >= 0 && core < CORES_MAX)
            place[(size_t)core] = 1;
    }
    for (size_t c = 0; c < CORES_MAX; c++)
        if (place[c] > 0)
            place[c] = ++cores;
    if (cores == 0)
        return;
    label_put(svg, svg->y + 14, "m", text_count(svg->arena, (size_t)cores, "core"));
    fputs("<g fill-opacity=\"0.5\">\n", svg->out);
    for (size_t i = 0; i < crowd->series->row_count; i++) {
        double core = spans_cell(crowd, i, crowd->core, -1);
        if (core >= 0 && core < CORES_MAX)
            bar_put(svg, line, crowd, i,
                    (double[]){svg->y + CORE * (place[(size_t)core] - 1), CORE - 1});
    }
    fputs("</g>\n", svg->out);
    svg->y += CORE * cores + GAP;
}

static void result_put(struct svg *svg, const struct result *result)
{
    struct spans line, crowd;
    if (!spans_line(result, &line))
        return;
    const char *length = unit_text(svg->arena, line.to_ns - line.from_ns, UNIT_NS);
    fprintf(svg->out, "<text class=\"t\" x=\"10\" y=\"%.1f\">%s</text>\n", svg->y + 20,
            text_markup(svg->arena, arena_printf(svg->arena, "%s · %s · %s", result->device,
                                                 result->key, length)));
    svg->y += HEAD;
    lanes_put(svg, &line);
    scale_put(svg, &line);
    if (spans_crowd(result, &crowd)) {
        curve_put(svg, &line, &crowd);
        cores_put(svg, &line, &crowd);
    }
    svg->y += GAP;
}

// ---------------------------------------------------------------- drawing charts

// Draws the charts of all benchmarks of a device, in rows of COLUMNS charts.
static void charts_put(struct svg *svg, const struct run *run, const char *device)
{
    enum {
        COLUMNS = WIDTH / (CHART_WIDTH + GAP)
    };
    size_t count;
    double height = 0;
    const struct level_curve curve = levels_longest(svg->arena, run, device);
    const struct chart *charts = charts_of(svg->arena, run, device, &curve, &count);
    for (size_t i = 0; i < count; i++) {
        double x = GAP + (double)(i % COLUMNS * (CHART_WIDTH + GAP));
        height = fmax(height, chart_put(svg->arena, &charts[i], x, svg->y, svg->out));
        if (i + 1 < count && (i + 1) % COLUMNS > 0)
            continue;
        svg->y += height + GAP;
        height = 0;
    }
}

// ---------------------------------------------------------------- the SVG file

bool svg_write(const struct run *run, FILE *stream, struct error *err)
{
    struct text_stream body;
    text_stream_open(&body);
    struct svg svg = {.arena = arena_create(), .out = body.file, .y = GAP};
    for (size_t i = 0; i < run->device_count; i++) {
        svg.y += picture_put(svg.arena, run, run->devices[i].id, svg.y, WIDTH, svg.out);
        charts_put(&svg, run, run->devices[i].id);
    }
    for (size_t i = 0; i < run->result_count; i++)
        result_put(&svg, run->results[i]);
    text_stream_close(&body);
    if (svg.y == GAP) {
        svg.y = HEAD;
        fprintf(stream, "<!-- no result of this run has a number or a time line -->\n");
    }
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
            "height=\"%.0f\" role=\"group\" aria-label=\"Key figures, "
            "charts and time lines\">\n<style>%s%s%s</style>\n"
            "<defs><marker id=\"arrow\" viewBox=\"0 0 6 6\" refX=\"6\" refY=\"3\" "
            "markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path class=\"m\" "
            "d=\"M0 0L6 3L0 6z\"/></marker></defs>\n%s</svg>\n",
            WIDTH, svg.y, WIDTH, svg.y, style, chart_style, picture_style, body.text);
    bool done = export_end(stream, "the SVG", err);
    free(body.text);
    arena_destroy(svg.arena);
    return done;
}
