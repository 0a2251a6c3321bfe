// SPDX-License-Identifier: MIT
// Writes a description of a benchmark as JSON, for `fathom list --json` and the live page.
#include "bench/choices.h"
#include "results/codec.h"
#include "results/json.h"
#include "results/units.h"

static void put_bounds(struct json_out *out, const struct param_info *param)
{
    if (param->least)
        json_put_count(out, "least", param->least);
    if (param->most)
        json_put_count(out, "most", param->most);
    if (param->multiple)
        json_put_count(out, "multiple", param->multiple);
    if (param->power_of_two)
        json_put_bool(out, "power_of_two", true);
    if (param->takes_max)
        json_put_bool(out, "takes_max", true);
}

static void put_param(struct json_out *out, const struct param_info *param)
{
    static const char *const presets[] = {"quick", "standard", "full"};
    json_put_open(out, NULL, '{');
    json_put_text(out, "key", param->key);
    json_put_text(out, "type", words_name(&param_type_words, param->type));
    json_put_text(out, "role", words_name(&param_role_words, param->role));
    json_put_text(out, "unit", unit_name(param->unit));
    json_put_text(out, "help", param->help);
    json_put_text(out, "choices", param->choices);
    json_put_text(out, "when", param->when);
    put_bounds(out, param);
    json_put_open(out, "presets", '{');
    for (size_t i = 0; i < COUNT(presets); i++) {
        const char *values = choices_preset_values(param, presets[i]);
        json_put_text(out, presets[i], values ? values : "-");
    }
    json_put_close(out, '}');
    json_put_close(out, '}');
}

static void put_metric(struct json_out *out, const struct metric_info *metric)
{
    json_put_open(out, NULL, '{');
    json_put_text(out, "name", metric->name);
    json_put_text(out, "unit", unit_name(metric->unit));
    json_put_text(out, "better", words_name(&better_words, metric->better));
    json_put_text(out, "help", metric->help);
    json_put_close(out, '}');
}

void benchmark_describe(struct json_out *out, const struct benchmark *benchmark)
{
    const struct benchmark_info *info = &benchmark->info;
    json_put_open(out, NULL, '{');
    json_put_text(out, "name", info->name);
    json_put_count(out, "version", info->version);
    json_put_text(out, "title", info->title);
    json_put_text(out, "description", benchmark->description);
    json_put_open(out, "metrics", '[');
    for (size_t i = 0; i < info->metric_count; i++)
        put_metric(out, &info->metrics[i]);
    json_put_close(out, ']');
    json_put_open(out, "params", '[');
    for (size_t i = 0; i < info->param_count; i++)
        put_param(out, &info->params[i]);
    json_put_close(out, ']');
    json_put_member(out, &benchmark_table, "views", info);
    json_put_close(out, '}');
}
