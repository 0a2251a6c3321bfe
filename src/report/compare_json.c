// SPDX-License-Identifier: MIT
#include "report/compare_report.h"
#include "results/codec.h"

#include <math.h>

static void file_put(struct json_out *out, const char *name, const char *file,
                     const struct run *run)
{
    json_put_open(out, name, '{');
    json_put_text(out, "file", file);
    json_put_text(out, "started", run->started);
    json_put_text(out, "tool_version", run->tool_version);
    json_put_text(out, "preset", run->preset);
    json_put_open(out, "devices", '[');
    for (size_t i = 0; i < run->device_count; i++) {
        json_put_open(out, NULL, '{');
        json_put_text(out, "id", run->devices[i].id);
        json_put_text(out, "name", run->devices[i].name);
        json_put_text(out, "driver", run->devices[i].driver);
        json_put_close(out, '}');
    }
    json_put_close(out, ']');
    json_put_close(out, '}');
}

static void counts_put(struct json_out *out, const size_t counts[COMPARE_WORD_COUNT])
{
    json_put_open(out, "counts", '{');
    for (unsigned word = 0; word < COMPARE_WORD_COUNT; word++)
        json_put_count(out, compare_word_name((enum compare_word)word), counts[word]);
    json_put_close(out, '}');
}

static void metric_put(struct json_out *out, const char *name, const struct metric *metric)
{
    json_put_open(out, name, '{');
    json_put_real(out, "median", metric->median);
    if (isfinite(metric->ci95[0]) && isfinite(metric->ci95[1]))
        json_put_reals(out, "ci95", metric->ci95, 2);
    json_put_count(out, "n", metric->n);
    json_put_close(out, '}');
}

static void numbers_put(struct json_out *out, const struct compare_row *row)
{
    json_put_text(out, "metric", row->base_metric->name);
    json_put_text(out, "unit", unit_name(row->base_metric->unit));
    metric_put(out, "base", row->base_metric);
    if (!row->now_metric)
        return;
    metric_put(out, "new", row->now_metric);
    json_put_real(out, "ratio", row->ratio.value);
    if (isfinite(row->ratio.low))
        json_put_reals(out, "ratio_interval", (const double[]){row->ratio.low, row->ratio.high}, 2);
    json_put_real(out, "cycles_ratio", row->cycles.value);
}

static void row_put(struct json_out *out, const struct compare_row *row)
{
    const struct result *result = row->base ? row->base : row->now;
    json_put_open(out, NULL, '{');
    json_put_text(out, "word", compare_word_name(row->word));
    json_put_text(out, "key", result->key);
    json_put_text(out, "device", result->device);
    if (row->base_metric)
        numbers_put(out, row);
    if (row->suspect)
        json_put_bool(out, "suspect", true);
    json_put_text(out, "text", row->text);
    json_put_close(out, '}');
}

bool compare_json(const struct compare_report *report, FILE *stream, struct error *err)
{
    const struct compare *compare = report->compare;
    struct json_out out = {.arena = arena_create(), .stream = stream, .lines = true};
    json_put_open(&out, NULL, '{');
    json_put_text(&out, "schema", "fathom-compare/1");
    file_put(&out, "base", report->base_name, compare->base);
    file_put(&out, "new", report->now_name, compare->now);
    json_put_real(&out, "threshold", compare->threshold);
    json_put_bool(&out, "regressed", compare_regressed(compare));
    counts_put(&out, compare->counts);
    json_put_open(&out, "benchmarks", '[');
    for (size_t i = 0; i < compare->part_count; i++) {
        const struct compare_part *part = &compare->parts[i];
        json_put_open(&out, NULL, '{');
        json_put_text(&out, "benchmark", part->benchmark);
        json_put_real(&out, "speed", part->geometric_mean);
        counts_put(&out, part->counts);
        json_put_close(&out, '}');
    }
    json_put_close(&out, ']');
    json_put_open(&out, "rows", '[');
    for (size_t i = 0; i < compare->row_count; i++)
        row_put(&out, &compare->rows[i]);
    json_put_close(&out, ']');
    json_put_close(&out, '}');
    bool written = json_out_end(&out, "the comparison", err);
    arena_destroy(out.arena);
    return written;
}
