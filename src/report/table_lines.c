// SPDX-License-Identifier: MIT
// Lines: a case each, in the form of a published table, so that both can be laid side by side.
#include "report/tables.h"
#include "results/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *key_text(struct arena *arena, const struct result *result, const char *key)
{
    const struct case_value *value = key ? case_find(&result->bench_case, key) : NULL;
    return value ? case_value_text(arena, value) : "";
}

// "0.377ms", "3.908x".
static const char *number_text(struct arena *arena, const struct metric *metric, double times)
{
    if (!metric || !isfinite(metric->median))
        return "–";
    return metric->unit == UNIT_NS ? arena_printf(arena, "%.3fms", metric->median * times / 1e6)
                                   : arena_printf(arena, "%.3fx", metric->median);
}

static void line_print(struct screen *screen, const struct view_info *view,
                       const struct result *result, double times)
{
    struct arena *arena = screen->arena;
    fprintf(screen->stream, "%s %s:", key_text(arena, result, view->y),
            key_text(arena, result, view->x));
    if (result->verdict > VERDICT_SUSPECT) {
        fprintf(screen->stream, " %s\n", verdict_name(result->verdict));
        return;
    }
    for (const char *names = view->metric; *names;) {
        size_t length = strcspn(names, ",");
        const char *name = arena_printf(arena, "%.*s", (int)length, names);
        fprintf(screen->stream, " %s", number_text(arena, result_metric(result, name), times));
        names += length;
        names += *names == ',';
    }
    fputc('\n', screen->stream);
}

void lines_print(struct screen *screen, const struct view_info *view,
                 const struct result *const *results, size_t count)
{
    double times = view->scale ? strtod(view->scale, NULL) : 1;
    fprintf(screen->stream, "\n%s\n", view->title);
    for (size_t i = 0; i < count; i++)
        line_print(screen, view, results[i], times);
}
