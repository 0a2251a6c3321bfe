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

// The options that name an output. All name a file, but --json means the standard output.
static const enum option_id outputs[] = {
    OPTION_JSON,         OPTION_OUTPUT,     OPTION_REPORT_OUTPUT, OPTION_SHARE_OUTPUT,
    OPTION_CHECK_OUTPUT, OPTION_PROMETHEUS, OPTION_CSV,           OPTION_HTML,
    OPTION_TRACE,        OPTION_SVG,        OPTION_CARD_MARKDOWN};

// Returns the name of an option's output file ("-" for --json); NULL if the option was not given.
static const char *output_of(const struct options *options, enum option_id id)
{
    const char *value = options_value(options, id);
    return value && id == OPTION_JSON ? "-" : value;
}

bool cli_check_apart(const struct options *options, struct error *err)
{
    for (size_t i = 0; i < COUNT(outputs); i++) {
        const char *one = output_of(options, outputs[i]);
        for (size_t k = 0; one && k < i; k++) {
            const char *other = output_of(options, outputs[k]);
            if (other && file_save_same(one, other))
                return error_set(
                    err, ERROR_USAGE, "--%s %s and --%s %s are the same file: give each its own",
                    option_table[outputs[k]].name, other, option_table[outputs[i]].name, one);
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

bool cli_outputs_spare(const struct options *options, const char *command, const char *input,
                       struct error *err)
{
    for (size_t i = 0; i < COUNT(outputs); i++) {
        const char *output = output_of(options, outputs[i]);
        if (output && !file_save_is_standard(input) && file_save_same(input, output))
            return error_set(err, ERROR_USAGE,
                             "%s: --%s %s would replace that run file: give the output another "
                             "name",
                             command, option_table[outputs[i]].name, output);
    }
    return true;
}

// Returns true if a result of the run has a time line.
static bool has_lines(const struct run *run)
{
    struct spans spans;
    for (size_t i = 0; i < run->result_count; i++)
        if (spans_line(run->results[i], &spans))
            return true;
    return false;
}

// Returns true if the run has a chart or a time line.
static bool has_drawings(const struct run *run)
{
    struct arena *arena = arena_create();
    size_t count = 0;
    for (size_t i = 0; i < run->device_count && count == 0; i++)
        charts_of(arena, run, run->devices[i].id, NULL, &count);
    arena_destroy(arena);
    return count > 0 || has_lines(run);
}

// Writes the summary cards of all devices as Markdown.
static bool write_markdown(const struct run *run, FILE *stream, struct error *err)
{
    struct arena *arena = arena_create();
    struct card card;
    for (size_t i = 0; i < run->device_count; i++) {
        card_build(arena, run, run->devices[i].id, known_cards_builtin(arena), &card);
        console_card_markdown(&card, stream);
    }
    arena_destroy(arena);
    return export_end(stream, "the card", err);
}

// The forms in which an option can write a run, except HTML.
static const struct form {
    enum option_id option;
    run_writer *write;
    // Returns false if the form would show nothing of the run. NULL: the form shows every run.
    bool (*has_content)(const struct run *run);
    const char *content;
} forms[] = {{OPTION_CSV, csv_write, NULL, NULL},
             {OPTION_TRACE, trace_write, has_lines, "time line"},
             {OPTION_SVG, svg_write, has_drawings, "chart or a time line"},
             {OPTION_CARD_MARKDOWN, write_markdown, NULL, NULL}};

// Returns the path of the file to write, or NULL. Prints a note if the form would show nothing.
static const char *form_path(const struct cli *cli, const struct run *run, const struct form *form)
{
    const char *path = options_value(cli->options, form->option);
    if (!path || !form->has_content || form->has_content(run))
        return path;
    fprintf(cli->err, "fathom: note: --%s %s is not written: no result has a %s\n",
            option_table[form->option].name, path, form->content);
    return NULL;
}

const char *cli_form_asked(const struct options *options)
{
    for (size_t i = 0; i < COUNT(forms); i++)
        if (options_has(options, forms[i].option))
            return option_table[forms[i].option].name;
    return NULL;
}

bool cli_forms_check(const struct options *options, struct error *err)
{
    const char *html = options_value(options, OPTION_HTML);
    if (!cli_check_apart(options, err) || (html && !cli_report_check(html, err)))
        return false;
    for (size_t i = 0; i < COUNT(forms); i++) {
        const char *path = options_value(options, forms[i].option);
        if (path && !file_save_check(path, err))
            return false;
    }
    return true;
}

bool cli_forms_save(const struct cli *cli, const struct run *run, struct error *err)
{
    const char *html = options_value(cli->options, OPTION_HTML);
    struct error one;
    *err = (struct error){.code = ERROR_NONE};
    for (size_t i = 0; i < COUNT(forms); i++) {
        const char *path = form_path(cli, run, &forms[i]);
        if (path && !run_save_as(run, forms[i].write, path, &one))
            error_add(err, &one);
    }
    if (html && !html_save(&run, 1, html, &one))
        error_add(err, &one);
    else if (html && cli_shows_tables(cli->options) && terminal_is(cli->out))
        fprintf(cli->out, "Report: %s\n", html);
    return err->code == ERROR_NONE;
}
