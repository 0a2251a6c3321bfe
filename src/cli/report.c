// SPDX-License-Identifier: MIT
#include "analysis/levels.h"
#include "cli/cli.h"
#include "report/export.h"
#include "results/json.h"

struct run *cli_read_run(const char *path, struct error *err)
{
    struct run *run = run_read(path, err);
    // Run files of early versions of fathom have no findings about levels.
    for (size_t d = 0; run && d < run->device_count; d++)
        levels_add_findings(run, run->devices[d].id);
    return run;
}

// Refuses `report -o run.json run.json`, which would overwrite the run.
static bool check_request(const struct options *options, const char *output, struct error *err)
{
    if (options->operand_count == 0 || !output)
        return error_set(err, ERROR_USAGE,
                         "report: expected run files and the page to write: "
                         "fathom report RUN.json… -o REPORT.html");
    for (size_t i = 0; i < options->operand_count; i++)
        if (cli_would_replace(options->operands[i], output))
            return error_set(err, ERROR_USAGE,
                             "report: -o %s would replace that run file: give the page another "
                             "name",
                             output);
    return cli_report_check(output, err);
}

bool command_report(struct cli *cli, struct error *err)
{
    const struct options *options = cli->options;
    const char *output = options_value(options, OPTION_REPORT_OUTPUT);
    if (!check_request(options, output, err))
        return false;
    struct run **runs = ARENA_ARRAY(cli->arena, options->operand_count, struct run *);
    size_t count = 0;
    while (count < options->operand_count &&
           (runs[count] = cli_read_run(options->operands[count], err)) != NULL)
        count++;
    bool done = count == options->operand_count &&
                html_save((const struct run *const *)runs, count, output, err);
    while (count > 0)
        run_destroy(runs[--count]);
    return done;
}
