// SPDX-License-Identifier: MIT
#include "analysis/card.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "report/chart.h"
#include "report/console.h"
#include "report/export.h"
#include "report/spans.h"
#include "results/json.h"
#include "results/save.h"

#include <string.h>

// Fails if the file of an option has the ending of another form: a form that another option writes,
// or a form that people expect but no option writes.
static bool ending_check(const struct options *options, enum option_id id, const char *path,
                         struct error *err)
{
    const char *dot = strrchr(text_file_name(path), '.'), *by = NULL;
    bool known = dot && text_list_has("pdf,png", dot + 1);
    for (unsigned i = 0; dot && i < OPTION_COUNT; i++) {
        bool fits = text_list_has(option_table[i].endings, dot + 1);
        known |= fits;
        if (fits && i == id)
            return true;
        if (fits && !by && option_table[i].commands & 1u << options->command)
            by = option_table[i].name;
    }
    const char *own = option_table[id].endings;
    return !known ||
           error_set(err, ERROR_USAGE, "--%s %s: this option writes .%.*s; %s%s writes %s",
                     option_table[id].name, path, (int)strcspn(own, ","), own, by ? "--" : "",
                     by ? by : "no option", dot);
}

bool cli_output_check(const struct options *options, enum option_id id, struct error *err)
{
    const char *path = options_value(options, id);
    return !path || (ending_check(options, id, path, err) && file_save_check(path, err));
}

// Returns the name of an option's output file ("-" for --json, which means the standard output);
// NULL if the option was not given or names no output.
static const char *output_of(const struct options *options, enum option_id id)
{
    const char *value = options_value(options, id);
    if (value && id == OPTION_JSON)
        return "-";
    return option_table[id].endings ? value : NULL;
}

bool cli_check_apart(const struct options *options, struct error *err)
{
    for (unsigned i = 0; i < OPTION_COUNT; i++) {
        const char *one = output_of(options, (enum option_id)i);
        for (unsigned k = 0; one && k < i; k++) {
            const char *other = output_of(options, (enum option_id)k);
            if (other && file_save_same(one, other))
                return error_set(err, ERROR_USAGE,
                                 "--%s %s and --%s %s are the same file: give each its own",
                                 option_table[k].name, other, option_table[i].name, one);
        }
    }
    return true;
}

bool cli_shows_tables(const struct options *options)
{
    if (options_has(options, OPTION_QUIET) || options_has(options, OPTION_JSON))
        return false;
    for (size_t i = 0; i < options->use_count; i++)
        if (option_table[options->uses[i].option].endings &&
            file_save_is_standard(options->uses[i].value))
            return false;
    return true;
}

bool cli_outputs_spare(const struct options *options, const char *command, const char *input,
                       struct error *err)
{
    for (unsigned i = 0; i < OPTION_COUNT; i++) {
        const char *output = output_of(options, (enum option_id)i);
        if (output && !file_save_is_standard(input) && file_save_same(input, output))
            return error_set(err, ERROR_USAGE,
                             "%s: --%s %s would replace that run file: give the output another "
                             "name",
                             command, option_table[i].name, output);
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
    const char *reason;
    bool page = options_has(options, OPTION_HTML) || options_has(options, OPTION_REPORT_OUTPUT);
    if (page && !html_available(&reason))
        return error_set(err, ERROR_USAGE,
                         "the report page is not in this build, because %s; `make kit` or a build "
                         "where npm is installed has it",
                         reason);
    bool done = cli_check_apart(options, err) && cli_output_check(options, OPTION_HTML, err) &&
                cli_output_check(options, OPTION_REPORT_OUTPUT, err);
    for (size_t i = 0; done && i < COUNT(forms); i++)
        done = cli_output_check(options, forms[i].option, err);
    return done;
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
