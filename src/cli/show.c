// SPDX-License-Identifier: MIT
// `fathom show` prints a saved run as the command that measured it did.
#include "base/text.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "report/console.h"

#include <string.h>

// Refuses a name of which the run has no results.
static bool check_names(struct cli *cli, const struct run *run, struct error *err)
{
    const struct options *options = cli->options;
    for (size_t i = 1; i < options->operand_count; i++) {
        const char *name = options->operands[i];
        struct text_guess guess = {.typed = name};
        if (run_benchmark(run, name))
            continue;
        for (size_t b = 0; b < run->benchmark_count; b++)
            text_guess_offer(&guess, run->benchmarks[b]->name);
        return error_set(err, ERROR_USAGE, "show: %s has no benchmark '%s'%s", options->operands[0],
                         name, text_guess_hint(cli->arena, &guess));
    }
    return true;
}

// Refuses an output that would replace the run file.
static bool check_outputs(const struct options *options, struct error *err)
{
    const char *path = options->operands[0];
    for (size_t i = 0; i < options->use_count; i++) {
        const struct option_info *option = &option_table[options->uses[i].option];
        const char *output = options->uses[i].value;
        if (option->kind == WORD_FILE && cli_would_replace(path, output))
            return error_set(err, ERROR_USAGE,
                             "show: --%s %s would replace the run file: give it another name",
                             option->name, output);
    }
    return cli_forms_check(options, err);
}

static void print(const struct cli *cli, const struct run *run)
{
    const struct console_desc desc = {
        .colour = terminal_has_colour(cli->out),
        .columns = terminal_columns(cli->out, CLI_COLUMNS),
        .benchmarks = cli->options->operands + 1,
        .benchmark_count = cli->options->operand_count - 1,
    };
    if (desc.benchmark_count || !run->preset || strcmp(run->preset, "map") != 0) {
        console_run(run, &desc, cli->out);
        return;
    }
    console_head(run, &desc, cli->out);
    console_map(run, cli->out);
    console_end(run, &desc, cli->out);
}

bool command_show(struct cli *cli, struct error *err)
{
    if (cli->options->operand_count == 0)
        return error_set(err, ERROR_USAGE,
                         "show: expected a run file: fathom show RUN.json [BENCHMARK…]");
    if (!check_outputs(cli->options, err))
        return false;
    struct run *run = cli_read_run(cli->options->operands[0], err);
    bool done = run && check_names(cli, run, err);
    if (done) {
        if (cli_shows_tables(cli->options))
            print(cli, run);
        done = cli_forms_save(cli, run, err);
    }
    run_destroy(run);
    return done;
}
