// SPDX-License-Identifier: MIT
// The result of comparing two runs: for a terminal, as Markdown for an issue or a merge request,
// and as JSON for programs.
#ifndef REPORT_COMPARE_REPORT_H
#define REPORT_COMPARE_REPORT_H

#include "analysis/compare.h"
#include "report/console.h"

struct compare_report {
    const struct compare *compare;
    const char *base_name, *now_name; // of the files
    bool reference; // base is a reference run: cases that only one run has are not reported
};

// Tables of at most desc->columns: what changed, what is unsure, a line a benchmark, a summary.
void compare_console(const struct compare_report *report, const struct console_desc *desc,
                     FILE *stream);

// GitHub's Markdown: a summary line, a table of the changes, a table of benchmarks. Texts of run
// files are escaped.
void compare_markdown(const struct compare_report *report, FILE *stream);

// {"schema":"fathom-compare/1", "base":{…}, "new":{…}, "threshold", "regressed",
// "counts":{word: n}, "benchmarks":[…], "rows":[{"word","key","device","metric","unit","base",
// "new","ratio","ratio_interval":[lo,hi],"cycles_ratio","suspect","text"}]}; members are only
// added. ERROR_IO where the stream refuses.
MUST_CHECK bool compare_json(const struct compare_report *report, FILE *stream, struct error *err);

#endif
