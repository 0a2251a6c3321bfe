// SPDX-License-Identifier: MIT
#include "analysis/compare.h"
#include "analysis/reference.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "report/compare_report.h"
#include "results/json.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PATH_BYTES = 4096
};

// Sets *threshold to the value of --threshold, "2%" or "0.02"; to 0 if the option was not given.
// Fails with ERROR_USAGE unless the value lies between 0 and 1.
static bool read_threshold(const struct cli *cli, double *threshold, struct error *err)
{
    const char *typed = options_value(cli->options, OPTION_THRESHOLD);
    *threshold = 0;
    if (!typed)
        return true;
    char *text = arena_strdup(cli->arena, typed);
    bool percent = text_ends(text, "%");
    if (percent)
        text[strlen(text) - 1] = '\0';
    bool fits = text_parse_real(text, threshold);
    *threshold /= percent ? 100 : 1;
    if (fits && *threshold > 0 && *threshold < 1)
        return true;
    return error_set(err, ERROR_USAGE,
                     "--threshold %s: expected a share between 0 and 100%%, "
                     "such as 2%%",
                     typed);
}

// ---------------------------------------------------------------- the reference run

// Returns the path of index.json, the list of the reference runs. Looks in the folder
// FATHOM_REFERENCE or, if this variable is not set, in `places`, relative to the folder of this
// binary. Returns NULL if no place has the file.
static const char *index_path(struct cli *cli)
{
    const char *set = getenv("FATHOM_REFERENCE");
    if (set && *set)
        return arena_printf(cli->arena, "%s/index.json", set);
    char binary[PATH_BYTES];
    ssize_t length = readlink("/proc/self/exe", binary, sizeof binary - 1);
    if (length <= 0)
        return NULL;
    binary[length] = '\0';
    char *slash = strrchr(binary, '/');
    if (slash)
        *slash = '\0';
    static const char *const places[] = {"../share/fathom/reference", "../reference", "reference"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *path = arena_printf(cli->arena, "%s/%s/index.json", binary, places[i]);
        if (access(path, R_OK) == 0)
            return path;
    }
    return NULL;
}

static const char *reference_path(struct cli *cli, const struct run *now, struct error *err)
{
    const char *path = index_path(cli);
    struct run_index index;
    const struct index_entry *entry;
    if (!path) {
        error_set(err, ERROR_USAGE,
                  "--reference: no reference runs are installed with this fathom: set "
                  "FATHOM_REFERENCE to their folder");
        return NULL;
    }
    if (!run_index_read(cli->arena, path, &index, err) ||
        !reference_choose(cli->arena, &index, now, &entry, err))
        return NULL;
    return entry->path;
}

// ---------------------------------------------------------------- comparing and printing

struct comparing {
    struct cli *cli;
    const char *base_path, *now_path;
    struct run *base, *now;
};

static bool read_runs(struct comparing *c, struct error *err)
{
    const struct options *options = c->cli->options;
    bool reference = options_has(options, OPTION_REFERENCE);
    if (options->operand_count != (reference ? 1 : 2))
        return error_set(err, ERROR_USAGE, "compare: expected %s",
                         reference ? "one run file with --reference"
                                   : "two run files: BASE.json NEW.json (or --reference NEW.json)");
    c->now_path = options->operands[options->operand_count - 1];
    c->now = run_read(c->now_path, err);
    if (!c->now)
        return false;
    c->base_path = reference ? reference_path(c->cli, c->now, err) : options->operands[0];
    c->base = c->base_path ? run_read(c->base_path, err) : NULL;
    return c->base != NULL;
}

static bool print(const struct cli *cli, const struct compare_report *report, struct error *err)
{
    const struct console_desc console = terminal_console(cli->out);
    if (options_has(cli->options, OPTION_JSON))
        return compare_json(report, cli->out, err);
    if (options_has(cli->options, OPTION_MARKDOWN))
        compare_markdown(report, cli->out);
    else
        compare_console(report, &console, cli->out);
    return true;
}

static bool compare(struct comparing *c, struct error *err)
{
    struct cli *cli = c->cli;
    struct compare_desc desc = {.across = options_has(cli->options, OPTION_ACROSS),
                                .strict = options_has(cli->options, OPTION_STRICT)};
    struct compare result;
    if (!read_threshold(cli, &desc.threshold, err) || !read_runs(c, err) ||
        !compare_runs(cli->arena, c->base, c->now, &desc, &result, err))
        return false;
    const struct compare_report report = {
        .compare = &result,
        .base_name = c->base_path,
        .now_name = c->now_path,
        .reference = options_has(cli->options, OPTION_REFERENCE),
        .all = options_has(cli->options, OPTION_ALL),
    };
    cli->status = compare_regressed(&result) ? EXIT_CASE_FAILED : EXIT_MEASURED;
    return print(cli, &report, err);
}

bool command_compare(struct cli *cli, struct error *err)
{
    if (options_has(cli->options, OPTION_JSON) && options_has(cli->options, OPTION_MARKDOWN))
        return error_set(err, ERROR_USAGE, "compare: --json and --markdown: give only one of them");
    struct comparing comparing = {.cli = cli};
    bool done = compare(&comparing, err);
    run_destroy(comparing.base);
    run_destroy(comparing.now);
    return done;
}
