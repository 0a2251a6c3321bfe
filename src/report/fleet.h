// SPDX-License-Identifier: MIT
// Shows a judged fleet (analysis/fleet.h): on a terminal, as JSON, as CSV and as an HTML page.
#ifndef REPORT_FLEET_H
#define REPORT_FLEET_H

#include "analysis/fleet.h"
#include "report/console.h"

#include <stdio.h>

enum {
    // A terminal prints at most this many entries of the list of cards to look at first. The HTML
    // page lists more entries, but compares at most this many cards with the median card.
    FLEET_FIRST = 5
};

// Prints a judged fleet, in this order: its size and the exit status, the cards to look at first,
// the metrics, the groups that differ, remarks such as missing machines, and the files that were
// left out.
void fleet_console(const struct fleet *fleet, const struct console_desc *desc, FILE *stream);

// fleet_group_text returns a sentence about a group of cards that differs from the fleet: "rack
// r01: FP32 1.5 % slower than the fleet (160 cards)". fleet_relation_text returns a sentence about
// a quantity, such as the temperature, that correlates with a loss. Both texts live in `arena`.
const char *fleet_group_text(struct arena *arena, const struct fleet *fleet,
                             const struct fleet_group *group);
const char *fleet_relation_text(struct arena *arena, const struct fleet *fleet,
                                const struct fleet_relation *relation);

// fleet_extent returns the size of the fleet as text: "1000 machines, 8000 cards, 1000 files, 3
// left out". fleet_counts returns the number of cards by grade: "3 broken, 1 slow, 7996 healthy".
const char *fleet_extent(struct arena *arena, const struct fleet *fleet);
const char *fleet_counts(struct arena *arena, const struct fleet *fleet);

// Returns how much the figures of a metric's cards differ, as text: "0.30 %", or "–" for fewer than
// two figures. The text lives in `arena`.
const char *fleet_spread_text(struct arena *arena, const struct fleet_metric *metric);

// Writes the judged fleet as JSON. Lists only the cards of fleet->list, which somebody should look
// at first. Fails with ERROR_IO if a write fails.
MUST_CHECK bool fleet_json(const struct fleet *fleet, FILE *stream, struct error *err);

// Writes the judged fleet as CSV: one row for each card and metric, and one row for each card
// without metrics. docs/FLEET.md explains the columns. `fleet` points to a const struct fleet; its
// type is void *, so that the function has the type file_write (results/save.h).
MUST_CHECK bool fleet_csv(void *fleet, FILE *stream, struct error *err);

// Writes the judged fleet as an HTML page that has no scripts and loads nothing. `fleet` is a const
// struct fleet, as for fleet_csv. The page shows, in this order:
// - what to look at first
// - a map of the machines
// - for each model and API, one strip per metric with each card as a dot
// - the worst cards, each beside the median card of its worst metric
// - groups that differ, and quantities that correlate with a loss
// - remarks
// - files that were left out
MUST_CHECK bool fleet_html(void *fleet, FILE *stream, struct error *err);

#endif
