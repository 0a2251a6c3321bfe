// SPDX-License-Identifier: MIT
#include "analysis/audit.h"
#include "analysis/levels.h"
#include "bench/bench.h"
#include "cli/cli.h"
#include "report/export.h"
#include "results/json.h"

#include <string.h>

static bool has_card(const struct benchmark_info *info)
{
    for (size_t i = 0; i < info->headline_count; i++)
        if (info->headlines[i].section != CARD_NONE)
            return true;
    return false;
}

// Returns the description of a benchmark. If its headlines name no places on the summary card, as
// in files of early versions, returns a copy with this program's headlines.
static const struct benchmark_info *with_headlines(struct arena *arena,
                                                   const struct benchmark_info *info)
{
    const struct benchmark *known = has_card(info) ? NULL : benchmark_find(info->name);
    if (!known)
        return info;
    struct benchmark_info *copy = ARENA_NEW(arena, struct benchmark_info);
    *copy = *info;
    copy->headlines = known->info.headlines;
    copy->headline_count = known->info.headline_count;
    return copy;
}

// Completes a run from a file of an early version. Benchmarks get this program's headlines
// (with_headlines), and their metrics that count floating-point operations get a mark.
static void declare_headlines(struct run *run)
{
    for (size_t i = 0; i < run->benchmark_count; i++) {
        const struct benchmark_info *was = run->benchmarks[i];
        const struct benchmark *known = benchmark_find(was->name);
        run->benchmarks[i] = with_headlines(run->arena, was);
        for (size_t k = 0; run->benchmarks[i] != was && k < run->result_count; k++)
            if (strcmp(run->results[k]->benchmark, was->name) == 0)
                result_mark_floating(&known->info, run->results[k]);
    }
}

struct run *cli_read_run(const char *path, struct error *err)
{
    struct run *run = run_read(path, err);
    if (run)
        declare_headlines(run);
    // Adds findings about cache levels and cache hits, if the file lacks them.
    for (size_t d = 0; run && d < run->device_count; d++) {
        levels_add_findings(run, run->devices[d].id);
        hits_add_findings(run, run->devices[d].id);
    }
    return run;
}

static bool check_request(const struct options *options, const char *page, struct error *err)
{
    const char *form = cli_form_asked(options);
    if (options->operand_count == 0 || !(page || form))
        return error_set(err, ERROR_USAGE,
                         "report: expected run files and the page to write: "
                         "fathom report RUN.json… -o REPORT.html (`fathom show` prints a run)");
    if (form && options->operand_count > 1)
        return error_set(err, ERROR_USAGE, "report: --%s is a form of one run: name one run file",
                         form);
    for (size_t i = 0; i < options->operand_count; i++)
        if (!cli_outputs_spare(options, "report", options->operands[i], err))
            return false;
    return cli_forms_check(options, err);
}

bool command_report(struct cli *cli, struct error *err)
{
    const struct options *options = cli->options;
    const char *page = options_value(options, OPTION_REPORT_OUTPUT);
    if (!check_request(options, page, err))
        return false;
    struct run **runs = ARENA_ARRAY(cli->arena, options->operand_count, struct run *);
    size_t count = 0;
    while (count < options->operand_count &&
           (runs[count] = cli_read_run(options->operands[count], err)) != NULL)
        count++;
    bool done = count == options->operand_count &&
                (!page || html_save((const struct run *const *)runs, count, page, err)) &&
                cli_forms_save(cli, runs[0], err);
    while (count > 0)
        run_destroy(runs[--count]);
    return done;
}
