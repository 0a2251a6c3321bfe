// SPDX-License-Identifier: MIT
#include "analysis/card.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "report/chart.h"
#include "report/console.h"
#include "report/export.h"
#include "report/spans.h"
#include "results/json.h"
#include "results/save.h"

#include <errno.h>
#include <string.h>

bool cli_report_check(const char *path, struct error *err)
{
    const char *reason;
    if (!html_available(&reason))
        return error_set(err, ERROR_USAGE,
                         "the report page is not in this build, because %s; `make kit` or a build "
                         "where npm is installed has it",
                         reason);
    return file_save_check(path, err);
}

// The file that the option writes; NULL: the option was not given.
static const char *output_of(const struct options *options, enum option_id id)
{
    const char *value = options_value(options, id);
    return value && id == OPTION_JSON ? "-" : value;
}

// Refuses to write two outputs to one file, as `-o run.json --csv run.json` would.
static bool check_apart(const struct options *options, struct error *err)
{
    static const enum option_id ids[] = {OPTION_JSON, OPTION_OUTPUT,       OPTION_REPORT_OUTPUT,
                                         OPTION_CSV,  OPTION_HTML,         OPTION_TRACE,
                                         OPTION_SVG,  OPTION_CARD_MARKDOWN};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        const char *one = output_of(options, ids[i]);
        for (size_t k = 0; one && k < i; k++) {
            const char *other = output_of(options, ids[k]);
            if (other && file_save_same(one, other))
                return error_set(err, ERROR_USAGE,
                                 "--%s %s and --%s %s are the same file: give each its own",
                                 option_table[ids[k]].name, other, option_table[ids[i]].name, one);
        }
    }
    return true;
}

bool cli_shows_tables(const struct options *options)
{
    if (options_has(options, OPTION_QUIET) || options_has(options, OPTION_JSON))
        return false;
    for (size_t i = 0; i < options->use_count; i++)
        if (option_table[options->uses[i].option].kind == WORD_FILE &&
            file_save_is_standard(options->uses[i].value))
            return false;
    return true;
}

bool cli_would_replace(const char *input, const char *output)
{
    return !file_save_is_standard(input) && file_save_same(input, output);
}

bool cli_forms_check(const struct options *options, struct error *err)
{
    const char *csv = options_value(options, OPTION_CSV);
    const char *html = options_value(options, OPTION_HTML);
    const char *trace = options_value(options, OPTION_TRACE);
    const char *svg = options_value(options, OPTION_SVG);
    const char *markdown = options_value(options, OPTION_CARD_MARKDOWN);
    return check_apart(options, err) && (!csv || file_save_check(csv, err)) &&
           (!html || cli_report_check(html, err)) && (!trace || file_save_check(trace, err)) &&
           (!svg || file_save_check(svg, err)) && (!markdown || file_save_check(markdown, err));
}

static void add_failure(struct error *all, const struct error *one)
{
    if (all->code == ERROR_NONE)
        *all = *one;
    else
        error_prefix(all, "%s; and", one->message);
}

// True if the run has charts, which an SVG shows.
static bool has_charts(const struct run *run)
{
    struct arena *arena = arena_create();
    size_t count = 0;
    for (size_t i = 0; i < run->device_count && count == 0; i++)
        charts_of(arena, run, run->devices[i].id, NULL, &count);
    arena_destroy(arena);
    return count > 0;
}

// True if the run has time lines, which a trace or an SVG shows.
static bool has_lines(const struct run *run)
{
    struct spans spans;
    for (size_t i = 0; i < run->result_count; i++)
        if (spans_line(run->results[i], &spans))
            return true;
    return false;
}

// The file that the option names, for a form that shows time lines; an SVG also shows charts. NULL
// if the option was not given or, after a note, if there is nothing to show.
static const char *drawing_path(const struct cli *cli, const struct run *run, enum option_id option)
{
    const char *path = options_value(cli->options, option);
    if (!path || has_lines(run) || (option == OPTION_SVG && has_charts(run)))
        return path;
    fprintf(cli->err, "fathom: note: --%s %s is not written: no result has a %stime line\n",
            option_table[option].name, path, option == OPTION_SVG ? "chart or a " : "");
    return NULL;
}

// Writes the cards of all devices.
static bool write_markdown(const struct run *run, FILE *stream, struct error *err)
{
    struct arena *arena = arena_create();
    struct card card;
    for (size_t i = 0; i < run->device_count; i++) {
        card_build(arena, run, run->devices[i].id, known_cards_builtin(arena), &card);
        console_card_markdown(&card, stream);
    }
    arena_destroy(arena);
    errno = EIO;
    if (fflush(stream) != 0 || ferror(stream))
        return error_set(err, ERROR_IO, "cannot write the card: %s", strerror(errno));
    return true;
}

bool cli_forms_save(const struct cli *cli, const struct run *run, struct error *err)
{
    const char *csv = options_value(cli->options, OPTION_CSV);
    const char *html = options_value(cli->options, OPTION_HTML);
    const char *trace = drawing_path(cli, run, OPTION_TRACE);
    const char *svg = drawing_path(cli, run, OPTION_SVG);
    const char *markdown = options_value(cli->options, OPTION_CARD_MARKDOWN);
    struct error one;
    *err = (struct error){.code = ERROR_NONE};
    if (csv && !run_save_as(run, csv_write, csv, &one))
        add_failure(err, &one);
    if (html && !html_save(&run, 1, html, &one))
        add_failure(err, &one);
    else if (html && cli_shows_tables(cli->options) && terminal_is(cli->out))
        fprintf(cli->out, "Report: %s\n", html);
    if (trace && !run_save_as(run, trace_write, trace, &one))
        add_failure(err, &one);
    if (svg && !run_save_as(run, svg_write, svg, &one))
        add_failure(err, &one);
    if (markdown && !run_save_as(run, write_markdown, markdown, &one))
        add_failure(err, &one);
    return err->code == ERROR_NONE;
}
