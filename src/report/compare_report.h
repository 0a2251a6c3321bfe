// SPDX-License-Identifier: MIT
// Prints the comparison of two runs: as tables for a terminal, as Markdown for an issue or a merge
// request, and as JSON for programs.
#ifndef REPORT_COMPARE_REPORT_H
#define REPORT_COMPARE_REPORT_H

#include "analysis/compare.h"
#include "report/console.h"

struct compare_report {
    const struct compare *compare;
    const char *base_name, *now_name; // file names of the two runs
    // true if base is a reference run: cases that only one run has are then not reported
    bool reference;
    // True (--all): a terminal also shows minor sections, and all rows of long sections.
    bool all;
};

// Prints the comparison for a terminal. Begins with the verdict, the exit status, the counts and
// the two runs. Then come the rows by kind of change, one line per benchmark, and what only --all
// lists. A row with numbers is part of a group, and names only the parameters that differ there.
void compare_console(const struct compare_report *report, const struct console_desc *desc,
                     FILE *stream);

// Writes the comparison as GitHub's Markdown. It has a summary line, the runs with their devices, a
// table of the rows with numbers, a list of the rows without (compare_section.numbers), and a table
// of the benchmarks. Long tables and lists are cut. Texts from run files are escaped.
void compare_markdown(const struct compare_report *report, FILE *stream);

// Writes the comparison as JSON in this form: {"schema":"fathom-compare/1", "base":{…}, "new":{…},
// "threshold", "regressed", "other_cards", "counts":{word: n}, "benchmarks":[…],
// "rows":[{"word","key","device","metric",
// "unit","base","new","ratio","ratio_interval":[lo,hi],"cycles_ratio","suspect","text"}]}.
// other_cards is the number of devices that are compared with another card of their model. Later
// versions only add members. Fails with ERROR_IO if writing to the stream fails.
MUST_CHECK bool compare_json(const struct compare_report *report, FILE *stream, struct error *err);

#endif
