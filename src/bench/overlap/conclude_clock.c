// SPDX-License-Identifier: MIT
#include "bench/overlap/visit.h"

#include <math.h>
#include <string.h>

enum {
    UNIT_TEXT = 32
};

static const struct series *calibration_of(const struct result *result)
{
    for (size_t s = 0; s < result->series_count; s++)
        if (strcmp(result->series[s].name, "calibration") == 0 && result->series[s].row_count == 1)
            return &result->series[s];
    return NULL;
}

// NaN where there is no such column.
static double cell_of(const struct series *series, const char *column)
{
    for (size_t c = 0; c < series->column_count; c++)
        if (strcmp(series->columns[c], column) == 0)
            return series->data[c];
    return NAN;
}

double overlap_resolution_ns(const struct result *result)
{
    const struct series *calibration = calibration_of(result);
    double resolution = calibration ? cell_of(calibration, "resolution") : 0;
    return isfinite(resolution) ? resolution : 0;
}

static const char *ns_text(struct arena *arena, double ns)
{
    char text[UNIT_TEXT];
    return arena_strdup(arena, unit_format(ns, UNIT_NS, text, sizeof text));
}

struct polled {
    double markers, seen, agreed, known_ns, bars_ns;
};

static void polled_add(struct polled *polled, const struct series *calibration)
{
    polled->markers += cell_of(calibration, "markers");
    polled->seen += cell_of(calibration, "seen");
    polled->agreed += cell_of(calibration, "agreed");
    polled->known_ns = fmin(polled->known_ns, cell_of(calibration, "known"));
    polled->bars_ns = fmax(polled->bars_ns, cell_of(calibration, "bars"));
}

static const char *polled_text(struct arena *arena, const struct polled *polled)
{
    if (!(polled->markers > 0))
        return "";
    return arena_printf(arena,
                        "; its offset to the host's is known to ±%s; the polling host saw %.0f of "
                        "%.0f markers, %.0f of them no later than the stamps and "
                        "its looks allow, and bars as long as stamped but for %s",
                        ns_text(arena, polled->known_ns), polled->seen, polled->markers,
                        polled->agreed, ns_text(arena, polled->bars_ns));
}

void overlap_conclude_clock(struct run *run, const char *device)
{
    const struct result *first = NULL;
    struct polled polled = {.known_ns = INFINITY};
    for (size_t i = 0; i < run->result_count; i++) {
        const struct series *calibration = calibration_of(run->results[i]);
        if (!result_is_of(run->results[i], "overlap", device) || !calibration)
            continue;
        first = first ? first : run->results[i];
        polled_add(&polled, calibration);
    }
    if (!first)
        return;
    struct arena *arena = run->arena;
    const struct series *calibration = calibration_of(first);
    double behind_ns = cell_of(calibration, "behind");
    const char *behind =
        behind_ns > 0 ? arena_printf(arena, "more than %s ", ns_text(arena, behind_ns)) : "";
    const char *text = arena_printf(
        arena,
        "timer resolution: %s (ticks of %s, steps of %s); no core's clock was seen %sbehind "
        "another's "
        "(less "
        "than %s would not show)%s",
        ns_text(arena, overlap_resolution_ns(first)), ns_text(arena, cell_of(calibration, "tick")),
        ns_text(arena, cell_of(calibration, "step")), behind,
        ns_text(arena, cell_of(calibration, "reach")), polled_text(arena, &polled));
    run_add_conclusion(run,
                       &(struct finding){.code = "overlap-clock",
                                         .text = text,
                                         .value = overlap_resolution_ns(first)},
                       first, NULL);
}
