// SPDX-License-Identifier: MIT
// `fathom show` prints a saved run: checks and maps as their commands do, and any other run with
// its cards, tables and findings.
#include "analysis/card.h"
#include "base/text.h"
#include "bench/bench.h"
#include "cli/cli.h"
#include "cli/state.h"
#include "cli/terminal.h"
#include "report/console.h"
#include "results/codec.h"

#include <string.h>
#include <unistd.h>

// The run file to show, and the benchmarks whose results are shown.
struct shown {
    const char *path;
    const char *const *names; // names of the benchmarks; if `count` is 0, all benchmarks are shown
    size_t count;
};

// Finds the run file and the benchmarks to show. The first operand is the run file, unless it names
// a benchmark and no file. Without a run file, takes the newest kept run.
static bool find_shown(const struct cli *cli, struct shown *shown, struct error *err)
{
    const struct options *options = cli->options;
    bool no_file = options->operand_count == 0 || (benchmark_find(options->operands[0]) &&
                                                   access(options->operands[0], F_OK) != 0);
    *shown = (struct shown){.names = options->operands, .count = options->operand_count};
    if (no_file) {
        shown->path = state_last(cli->arena);
        return shown->path || error_set(err, ERROR_USAGE,
                                        "show: no run was kept here: measure one with `fathom run` "
                                        "or name a file: fathom show RUN.json");
    }
    shown->path = *shown->names++;
    shown->count--;
    return true;
}

// Fails if the user named a benchmark that the run does not have.
static bool check_names(struct cli *cli, const struct shown *shown, const struct run *run,
                        struct error *err)
{
    for (size_t i = 0; i < shown->count; i++) {
        const char *name = shown->names[i];
        struct text_guess guess = {.typed = name};
        if (run_benchmark(run, name))
            continue;
        for (size_t b = 0; b < run->benchmark_count; b++)
            text_guess_offer(&guess, run->benchmarks[b]->name);
        return error_set(err, ERROR_USAGE,
                         "show: %s has no benchmark '%s'%s (`fathom show %s` shows all)",
                         shown->path, name, text_guess_hint(cli->arena, &guess), shown->path);
    }
    return true;
}

static const struct card *card_of(const struct cli *cli, const struct run *run, size_t device)
{
    struct card *card = ARENA_NEW(cli->arena, struct card);
    card_build(cli->arena, run, run->devices[device].id, known_cards_builtin(cli->arena), card);
    return card;
}

static void print(const struct cli *cli, const struct shown *shown, const struct run *run)
{
    struct console_desc desc = terminal_console(cli->out);
    desc.benchmarks = shown->names;
    desc.benchmark_count = shown->count;
    if (run->check_count && desc.benchmark_count == 0) {
        check_console(run, cli->out);
        return;
    }
    if (desc.benchmark_count || !run->preset || strcmp(run->preset, "map") != 0) {
        console_run(run, &desc, cli->out);
        return;
    }
    console_head(run, &desc, cli->out);
    console_map(run, cli->out);
    console_end(run, &desc, cli->out);
}

// Prints the summary cards of all devices as a JSON array.
static bool print_json(const struct cli *cli, const struct run *run, struct error *err)
{
    struct json_out out = {.arena = cli->arena, .stream = cli->out, .indent = 2};
    json_put_open(&out, NULL, '[');
    for (size_t i = 0; i < run->device_count; i++)
        card_put(&out, NULL, card_of(cli, run, i));
    json_put_close(&out, ']');
    return json_out_end(&out, "the cards", err);
}

bool command_show(struct cli *cli, struct error *err)
{
    struct shown shown;
    if (!find_shown(cli, &shown, err) ||
        !cli_outputs_spare(cli->options, "show", shown.path, err) ||
        !cli_forms_check(cli->options, err))
        return false;
    struct run *run = cli_read_run(shown.path, err);
    bool done = run && check_names(cli, &shown, run, err);
    if (done) {
        if (cli_shows_tables(cli->options))
            print(cli, &shown, run);
        done = (!options_has(cli->options, OPTION_JSON) || print_json(cli, run, err)) &&
               cli_forms_save(cli, run, err);
    }
    run_destroy(run);
    return done;
}
