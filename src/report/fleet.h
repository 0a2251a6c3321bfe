// SPDX-License-Identifier: MIT
// Shows a fleet that is judged (analysis/fleet.h): on a terminal, as JSON, CSV and an HTML page.
#ifndef REPORT_FLEET_H
#define REPORT_FLEET_H

#include "analysis/fleet.h"
#include "report/console.h"

#include <stdio.h>

enum {
    FLEET_FIRST = 5 // entries that are shown with their reasons
};

// Prints what to look at first, the metrics, the groups, what is missing and what was left out.
void fleet_console(const struct fleet *fleet, const struct console_desc *desc, FILE *stream);

// "rack r01: FP32 1.5 % slower than the rest of the fleet (160 cards)", and for a relation. The
// texts live in `arena`.
const char *fleet_group_text(struct arena *arena, const struct fleet *fleet,
                             const struct fleet_group *group);
const char *fleet_relation_text(struct arena *arena, const struct fleet *fleet,
                                const struct fleet_relation *relation);

// "1000 machines, 8000 cards, 1000 files, 3 left out"; then "3 broken, 1 slow, 7996 healthy".
const char *fleet_extent(struct arena *arena, const struct fleet *fleet);
const char *fleet_counts(struct arena *arena, const struct fleet *fleet);

// Writes the judgement as JSON: everything but the cards without a finding. ERROR_IO if a write
// fails.
MUST_CHECK bool fleet_json(const struct fleet *fleet, FILE *stream, struct error *err);

// Writes one row for each card and metric, and one for each card without any. The columns are those
// of docs/FLEET.md. `fleet` is a const struct fleet; as file_write (results/save.h).
MUST_CHECK bool fleet_csv(void *fleet, FILE *stream, struct error *err);

// Writes a page without scripts that loads nothing: what to look at first, one strip a metric with
// each card as a dot, a map of the machines, and the figures of the worst cards beside the median's
// card. As fleet_csv.
MUST_CHECK bool fleet_html(void *fleet, FILE *stream, struct error *err);

#endif
