// SPDX-License-Identifier: MIT
#include "report/compare_report.h"
#include "results/json_text.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static json_t *file_of(const char *name, const struct run *run)
{
    json_t *object = json_object(), *devices = json_array();
    json_put_text(object, "file", name);
    json_put_text(object, "started", run->started);
    json_put_text(object, "tool_version", run->tool_version);
    json_put_text(object, "preset", run->preset);
    for (size_t i = 0; i < run->device_count; i++) {
        json_t *device = json_object();
        json_put_text(device, "id", run->devices[i].id);
        json_put_text(device, "name", run->devices[i].name);
        json_put_text(device, "driver", run->devices[i].driver);
        json_array_append_new(devices, device);
    }
    json_object_set_new(object, "devices", devices);
    return object;
}

static json_t *counts_of(const size_t counts[COMPARE_WORD_COUNT])
{
    json_t *object = json_object();
    for (unsigned word = 0; word < COMPARE_WORD_COUNT; word++)
        json_object_set_new(object, compare_word_name((enum compare_word)word),
                            json_integer((json_int_t)counts[word]));
    return object;
}

static json_t *part_of(const struct compare_part *part)
{
    json_t *object = json_object();
    json_put_text(object, "benchmark", part->benchmark);
    json_put_number(object, "speed", part->geometric_mean);
    json_object_set_new(object, "counts", counts_of(part->counts));
    return object;
}

static json_t *metric_of(const struct metric *metric)
{
    json_t *object = json_object();
    json_put_number(object, "median", metric->median);
    if (isfinite(metric->ci95[0]) && isfinite(metric->ci95[1]))
        json_object_set_new(
            object, "ci95",
            json_pack("[oo]", json_number_of(metric->ci95[0]), json_number_of(metric->ci95[1])));
    json_object_set_new(object, "n", json_integer((json_int_t)metric->n));
    return object;
}

static void put_numbers(json_t *object, const struct compare_row *row)
{
    json_put_text(object, "metric", row->base_metric->name);
    json_put_text(object, "unit", unit_name(row->base_metric->unit));
    json_object_set_new(object, "base", metric_of(row->base_metric));
    if (!row->now_metric)
        return;
    json_object_set_new(object, "new", metric_of(row->now_metric));
    json_put_number(object, "ratio", row->ratio.value);
    if (isfinite(row->ratio.low))
        json_object_set_new(
            object, "ratio_interval",
            json_pack("[oo]", json_number_of(row->ratio.low), json_number_of(row->ratio.high)));
    json_put_number(object, "cycles_ratio", row->cycles.value);
}

static json_t *row_of(const struct compare_row *row)
{
    const struct result *result = row->base ? row->base : row->now;
    json_t *object = json_object();
    json_put_text(object, "word", compare_word_name(row->word));
    json_put_text(object, "key", result->key);
    json_put_text(object, "device", result->device);
    if (row->base_metric)
        put_numbers(object, row);
    if (row->suspect)
        json_object_set_new(object, "suspect", json_true());
    json_put_text(object, "text", row->text);
    return object;
}

bool compare_json(const struct compare_report *report, FILE *stream, struct error *err)
{
    const struct compare *compare = report->compare;
    fputs("{\"schema\":\"fathom-compare/1\",\n\"base\":", stream);
    json_put(file_of(report->base_name, compare->base), stream);
    fputs(",\n\"new\":", stream);
    json_put(file_of(report->now_name, compare->now), stream);
    fputs(",\n\"threshold\":", stream);
    json_put(json_number_of(compare->threshold), stream);
    fputs(",\n\"regressed\":", stream);
    json_put(json_boolean(compare_regressed(compare)), stream);
    fputs(",\n\"counts\":", stream);
    json_put(counts_of(compare->counts), stream);
    fputs(",\n\"benchmarks\":[", stream);
    for (size_t i = 0; i < compare->part_count; i++) {
        fputs(i ? ",\n" : "\n", stream);
        json_put(part_of(&compare->parts[i]), stream);
    }
    fputs("],\n\"rows\":[", stream);
    for (size_t i = 0; i < compare->row_count; i++) {
        fputs(i ? ",\n" : "\n", stream);
        json_put(row_of(&compare->rows[i]), stream);
    }
    fputs("]}\n", stream);
    errno = EIO;
    if (fflush(stream) != 0 || ferror(stream))
        return error_set(err, ERROR_IO, "cannot write the comparison: %s", strerror(errno));
    return true;
}
