// SPDX-License-Identifier: MIT
// A view of a benchmark turned into panels of series over x: what a console table or a chart
// shows. Knows no benchmark: only the parameters and metrics that the run file declares.
#ifndef REPORT_VIEW_H
#define REPORT_VIEW_H

#include "results/results.h"

struct view_series {
    const char *label;             // "vector random"; "" where there is only one
    const struct result **results; // one for each x of the grid; NULL = no such case
};

// A heat map has a panel for each value of what is neither x nor y; all else has one.
struct view_panel {
    const char *label; // "" where there is only one
    struct view_series *series;
    size_t series_count;
};

struct view_grid {
    const struct benchmark_info *info;
    const struct view_info *view;
    const struct metric_info *metric;
    const struct param_info *x, *y; // y: heat maps, else NULL
    struct case_value *xs;          // ascending; texts in order of appearance
    size_t x_count;
    struct view_panel *panels;
    size_t panel_count;
    const char *common; // what all its cases share: "path=vector, load=idle"; "" = nothing
};

// The cases that a view shows of one device, in the order of the run; `count` of them.
const struct result **view_select(struct arena *arena, const struct run *run, const char *device,
                                  const struct view_info *view, const struct benchmark_info *info,
                                  size_t *count);

// Axes that take more than one value among the results, in the order of the benchmark.
const struct param_info **view_varying(struct arena *arena, const struct benchmark_info *info,
                                       const struct result *const *results, size_t count,
                                       size_t *varying_count);

// "vector random width=16": the values of the keys that tell cases apart.
const char *view_label(struct arena *arena, const struct result *result,
                       const struct param_info *const *keys, size_t count);

// "path=vector, load=idle": the axes on which all of the results agree, without x and y of the
// view, which may be NULL.
const char *view_common(struct arena *arena, const struct benchmark_info *info,
                        const struct view_info *view, const struct result *const *results,
                        size_t count);

// False where the view shows nothing of this device, or names an x or metric that is not declared.
// Axes that vary but that the view does not name are added to its groups, so no case hides another.
bool view_grid_build(struct arena *arena, const struct run *run, const char *device,
                     const struct benchmark_info *info, const struct view_info *view,
                     struct view_grid *grid);

// The metric that the grid draws of a result; NULL where it has none or no median.
const struct metric *view_metric(const struct view_grid *grid, const struct result *result);

// A value as people read it: "32 KiB", "64", "vector".
const char *view_value_text(struct arena *arena, const struct case_value *value,
                            const struct param_info *param);

// Is `scale` ("log2-linear", one word for both) logarithmic in x, in y?
bool view_log_x(const struct view_info *view);
bool view_log_y(const struct view_info *view);

#endif
