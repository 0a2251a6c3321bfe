// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "base/text.h"
#include "bench/choices.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "results/codec.h"
#include "suite/budget.h"

#include <inttypes.h>
#include <string.h>

// ---------------------------------------------------------------- output for people

static void write_preset_time(FILE *out, const char *preset)
{
    struct budget budget;
    budget_of(preset, &(struct gpu_info){0}, &budget);
    fprintf(out, "  %-10s", preset);
    if (!budget.time_ns)
        fprintf(out, "as long as it takes\n");
    else
        fprintf(out, "%" PRIu64 " s, then only the fewest rounds; at most %" PRIu64 " s\n",
                budget.time_ns / NS_PER_S, budget.time_most_ns / NS_PER_S);
}

static void write_all(FILE *out)
{
    for (size_t i = 0; benchmarks[i]; i++)
        help_entry(out, 12, benchmarks[i]->info.title, "%s", benchmarks[i]->info.name);
    fprintf(out,
            "\nTime of a benchmark on one device, by --preset (less if its cases are done):\n");
    write_preset_time(out, "quick");
    write_preset_time(out, "standard");
    write_preset_time(out, "full");
    fprintf(out,
            "On an H200 (Vulkan) all took 13 s with quick, 18 s the first time; with standard\n"
            "all but preempt took 3:01.\n");
}

enum {
    VALUES_COLUMN = 26,
    VALUES_WIDTH = 80
};

// Prints a label and a list of values, such as "quick     A,B,C", broken between values.
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

// Returns true if `values` has all choices of the parameter, in the same order, and more than one.
static bool is_every_choice(const struct param_info *param, const char *values)
{
    const char *choice = param->choices;
    if (!choice || !strchr(choice, '|'))
        return false;
    for (; *choice && (*choice == *values || (*choice == '|' && *values == ',')); choice++)
        values++;
    return *choice == '\0' && *values == '\0';
}

static void write_preset(FILE *out, const char *preset, const struct param_info *param)
{
    const char *text = choices_preset_values(param, preset);
    if (!text)
        text = "-";
    write_values(out, preset, is_every_choice(param, text) ? "all choices" : text, ",");
}

// Writes a value to `text` and returns `text`: "16" or, for a number of bytes, "1 MiB".
static const char *spell(const struct param_info *param, uint64_t value, char *text, size_t bytes)
{
    if (param->type == PARAM_BYTES)
        return unit_format((double)value, UNIT_BYTE, text, bytes);
    snprintf(text, bytes, "%" PRIu64, value);
    return text;
}

static void write_range(FILE *out, const struct param_info *param)
{
    char text[32];
    if (!param->least && !param->most)
        return;
    fprintf(out, "%16s%-10sfrom %s", "", "range", spell(param, param->least, text, sizeof text));
    if (param->most)
        fprintf(out, " to %s", spell(param, param->most, text, sizeof text));
    if (param->multiple)
        fprintf(out, ", multiples of %s", spell(param, param->multiple, text, sizeof text));
    fprintf(out, "%s\n", param->power_of_two ? ", powers of two" : "");
}

static void write_param(FILE *out, const struct param_info *param)
{
    fputc('\n', out);
    help_entry(out, 16, param->help, "  %s", param->key);
    write_preset(out, "quick", param);
    write_preset(out, "standard", param);
    write_preset(out, "full", param);
    if (param->choices)
        write_values(out, "choices", param->choices, "|");
    write_range(out, param);
    if (param->when)
        write_values(out, "only with", param->when, ",");
}

static void write_benchmark(FILE *out, const struct benchmark *benchmark)
{
    const struct benchmark_info *info = &benchmark->info;
    fprintf(out, "%s — %s (version %u)\n\n", info->name, info->title, info->version);
    help_text(out, benchmark->description);
    fprintf(out, "\nMetrics:\n");
    for (size_t i = 0; i < info->metric_count; i++)
        help_entry(out, 16, info->metrics[i].help, "  %s", info->metrics[i].name);
    fprintf(out, "\nParameters, for --set %s.KEY=VALUES:\n", info->name);
    for (size_t i = 0; i < info->param_count; i++)
        write_param(out, &info->params[i]);
}

// ---------------------------------------------------------------- output for programs

static bool write_json(struct cli *cli, const struct benchmark *only, struct error *err)
{
    struct json_out out = {.arena = cli->arena, .stream = cli->out, .indent = 2};
    json_put_open(&out, NULL, '{');
    json_put_open(&out, "benchmarks", '[');
    for (size_t i = 0; benchmarks[i]; i++)
        if (!only || only == benchmarks[i])
            benchmark_describe(&out, benchmarks[i]);
    json_put_close(&out, ']');
    json_put_close(&out, '}');
    return json_out_end(&out, "the list", err);
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
    bool joined = strchr(name, ',') && command_table[cli->options->command].operand_max > 1;
    return error_set(err, ERROR_USAGE, "no benchmark '%s'%s (`fathom list` shows all)", name,
                     joined ? "; blanks separate names, not commas"
                            : text_guess_hint(cli->arena, &guess));
}

bool command_list(struct cli *cli, struct error *err)
{
    const struct benchmark *only = NULL;
    if (cli->options->operand_count &&
        !cli_find_benchmark(cli, cli->options->operands[0], &only, err))
        return false;
    if (options_has(cli->options, OPTION_JSON))
        return write_json(cli, only, err);
    if (only)
        write_benchmark(cli->out, only);
    else
        write_all(cli->out);
    return true;
}
