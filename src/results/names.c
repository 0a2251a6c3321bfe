// SPDX-License-Identifier: MIT
#include "results/names.h"

#include <string.h>

static const char *const better_names[] = {
    [BETTER_NONE] = "none", [BETTER_LOWER] = "lower", [BETTER_HIGHER] = "higher"};
static const char *const role_names[] = {
    [PARAM_AXIS] = "axis", [PARAM_METHOD] = "method", [PARAM_DISPLAY] = "display"};
static const char *const type_names[] = {
    [PARAM_UINT] = "uint", [PARAM_BYTES] = "bytes", [PARAM_REAL] = "real", [PARAM_TEXT] = "text"};
static const char *const view_names[] = {
    [VIEW_CURVE] = "curve", [VIEW_BARS] = "bars",         [VIEW_HEATMAP] = "heatmap",
    [VIEW_TABLE] = "table", [VIEW_TIMELINE] = "timeline", [VIEW_LINES] = "lines"};
static const char *const status_names[] = {
    [RUN_RUNNING] = "running", [RUN_COMPLETE] = "complete", [RUN_INTERRUPTED] = "interrupted"};
static const char *const verdict_names[] = {[VERDICT_OK] = "ok",
                                            [VERDICT_SUSPECT] = "suspect",
                                            [VERDICT_SKIPPED] = "skipped",
                                            [VERDICT_FAILED] = "failed"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool find(const char *const *names, size_t count, const char *name, size_t *index)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            *index = i;
            return true;
        }
    }
    return false;
}

// Both directions of one enumeration.
#define NAMES(type, prefix, table)                                                                 \
    const char *prefix##_name(type value)                                                          \
    {                                                                                              \
        return (size_t)value < COUNT(table) ? table[value] : "?";                                  \
    }                                                                                              \
    bool prefix##_from_name(const char *name, type *value)                                         \
    {                                                                                              \
        size_t index;                                                                              \
        if (!find(table, COUNT(table), name, &index))                                              \
            return false;                                                                          \
        *value = (type)index;                                                                      \
        return true;                                                                               \
    }

NAMES(enum better, better, better_names)
NAMES(enum param_role, param_role, role_names)
NAMES(enum param_type, param_type, type_names)
NAMES(enum view_kind, view_kind, view_names)
NAMES(enum run_status, run_status, status_names)
NAMES(enum verdict, verdict, verdict_names)
#undef NAMES
