// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "bench/bench.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "results/names.h"

#include <jansson.h>
#include <string.h>

// What a preset says of a parameter: NULL there means the same as standard.
static const char *preset_or_standard(const struct param_info *param, const char *values)
{
    if (values)
        return values;
    return param->standard ? param->standard : "-";
}

// ---------------------------------------------------------------- for people

static void write_all(FILE *out)
{
    for (size_t i = 0; benchmarks[i]; i++) {
        fprintf(out, "%s", benchmarks[i]->info.name);
        help_wrap(out, benchmarks[i]->info.title, 12, strlen(benchmarks[i]->info.name));
    }
}

enum {
    VALUES_COLUMN = 26,
    VALUES_WIDTH = 80
};

// "quick     A,B,C", a new line before a value that would not fit.
static void write_values(FILE *out, const char *label, const char *values, const char *separator)
{
    size_t column = VALUES_COLUMN;
    fprintf(out, "%16s%-10s", "", label);
    while (*values) {
        size_t bytes = strcspn(values, separator);
        bytes += values[bytes] != '\0';
        if (column > VALUES_COLUMN && column + bytes > VALUES_WIDTH) {
            fprintf(out, "\n%*s", VALUES_COLUMN, "");
            column = VALUES_COLUMN;
        }
        fprintf(out, "%.*s", (int)bytes, values);
        column += bytes;
        values += bytes;
    }
    fputc('\n', out);
}

// Does a list of several values have all that there are to choose from?
static bool is_every_choice(const struct param_info *param, const char *values)
{
    const char *choice = param->choices;
    if (!choice || !strchr(choice, '|'))
        return false;
    for (; *choice && (*choice == *values || (*choice == '|' && *values == ',')); choice++)
        values++;
    return *choice == '\0' && *values == '\0';
}

static void write_preset(FILE *out, const char *preset, const struct param_info *param,
                         const char *values)
{
    const char *text = preset_or_standard(param, values);
    write_values(out, preset, is_every_choice(param, text) ? "all choices" : text, ",");
}

static void write_param(FILE *out, const struct param_info *param)
{
    fprintf(out, "\n  %s", param->key);
    help_wrap(out, param->help, 16, 2 + strlen(param->key));
    write_preset(out, "quick", param, param->quick);
    write_preset(out, "standard", param, param->standard);
    write_preset(out, "full", param, param->full);
    if (param->choices)
        write_values(out, "choices", param->choices, "|");
}

static void write_benchmark(FILE *out, const struct benchmark *benchmark)
{
    const struct benchmark_info *info = &benchmark->info;
    fprintf(out, "%s — %s (version %u)\n\n", info->name, info->title, info->version);
    help_wrap(out, benchmark->description, 0, 0);
    fprintf(out, "\nMetrics:\n");
    for (size_t i = 0; i < info->metric_count; i++) {
        fprintf(out, "  %s", info->metrics[i].name);
        help_wrap(out, info->metrics[i].help, 16, 2 + strlen(info->metrics[i].name));
    }
    fprintf(out, "\nParameters, for --set %s.KEY=VALUES:\n", info->name);
    for (size_t i = 0; i < info->param_count; i++)
        write_param(out, &info->params[i]);
}

// ---------------------------------------------------------------- for programs

static json_t *param_json(const struct param_info *param)
{
    json_t *json = json_object(), *presets = json_object();
    json_object_set_new(json, "key", json_string(param->key));
    json_object_set_new(json, "type", json_string(words_name(&param_type_words, param->type)));
    json_object_set_new(json, "role", json_string(words_name(&param_role_words, param->role)));
    json_object_set_new(json, "unit", json_string(unit_name(param->unit)));
    json_object_set_new(json, "help", json_string(param->help));
    if (param->choices)
        json_object_set_new(json, "choices", json_string(param->choices));
    json_object_set_new(presets, "quick", json_string(preset_or_standard(param, param->quick)));
    json_object_set_new(presets, "standard",
                        json_string(preset_or_standard(param, param->standard)));
    json_object_set_new(presets, "full", json_string(preset_or_standard(param, param->full)));
    json_object_set_new(json, "presets", presets);
    return json;
}

static json_t *metric_json(const struct metric_info *metric)
{
    json_t *json = json_object();
    json_object_set_new(json, "name", json_string(metric->name));
    json_object_set_new(json, "unit", json_string(unit_name(metric->unit)));
    json_object_set_new(json, "better", json_string(words_name(&better_words, metric->better)));
    json_object_set_new(json, "help", json_string(metric->help));
    return json;
}

static json_t *benchmark_json(const struct benchmark *benchmark)
{
    const struct benchmark_info *info = &benchmark->info;
    json_t *json = json_object(), *params = json_array(), *metrics = json_array();
    for (size_t i = 0; i < info->param_count; i++)
        json_array_append_new(params, param_json(&info->params[i]));
    for (size_t i = 0; i < info->metric_count; i++)
        json_array_append_new(metrics, metric_json(&info->metrics[i]));
    json_object_set_new(json, "name", json_string(info->name));
    json_object_set_new(json, "version", json_integer(info->version));
    json_object_set_new(json, "title", json_string(info->title));
    json_object_set_new(json, "description", json_string(benchmark->description));
    json_object_set_new(json, "metrics", metrics);
    json_object_set_new(json, "params", params);
    return json;
}

static json_t *list_json(const struct benchmark *only)
{
    json_t *list = json_array(), *document = json_object();
    for (size_t i = 0; benchmarks[i]; i++)
        if (!only || only == benchmarks[i])
            json_array_append_new(list, benchmark_json(benchmarks[i]));
    json_object_set_new(document, "benchmarks", list);
    return document;
}

bool cli_find_benchmark(struct cli *cli, const char *name, const struct benchmark **benchmark,
                        struct error *err)
{
    *benchmark = benchmark_find(name);
    if (*benchmark)
        return true;
    struct text_guess guess = {.typed = name};
    for (size_t i = 0; benchmarks[i]; i++)
        text_guess_offer(&guess, benchmarks[i]->info.name);
    return error_set(err, ERROR_USAGE, "no benchmark '%s'%s (`fathom list` shows all)", name,
                     text_guess_hint(cli->arena, &guess));
}

bool command_list(struct cli *cli, struct error *err)
{
    const struct benchmark *only = NULL;
    if (cli->options->operand_count &&
        !cli_find_benchmark(cli, cli->options->operands[0], &only, err))
        return false;
    if (options_has(cli->options, OPTION_JSON))
        return cli_write_json(cli->out, list_json(only), err);
    if (only)
        write_benchmark(cli->out, only);
    else
        write_all(cli->out);
    return true;
}
