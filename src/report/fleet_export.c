// SPDX-License-Identifier: MIT
// Writes a fleet as JSON and as CSV.
#include "report/export.h"
#include "report/fleet.h"
#include "results/codec.h"

#include <math.h>

// ---------------------------------------------------------------- the fleet as JSON

static void texts_put(struct json_out *out, const char *name, const char *first,
                      const struct named_text *texts, size_t count)
{
    json_put_open(out, name, '[');
    for (size_t i = 0; i < count; i++) {
        json_put_open(out, NULL, '{');
        json_put_text(out, first, texts[i].name);
        json_put_text(out, "text", texts[i].text);
        json_put_close(out, '}');
    }
    json_put_close(out, ']');
}

static void counts_put(struct json_out *out, const struct fleet *fleet)
{
    json_put_open(out, "cards", '{');
    for (unsigned grade = 0; grade < FLEET_GRADE_COUNT; grade++)
        json_put_count(out, fleet_grade_name((enum fleet_grade)grade), fleet->grades[grade]);
    json_put_close(out, '}');
}

static void list_put(struct json_out *out, const struct fleet *fleet)
{
    json_put_open(out, "list", '[');
    for (size_t i = 0; i < fleet->list_count; i++) {
        const struct fleet_card *card = fleet->list[i].card;
        json_put_open(out, NULL, '{');
        json_put_text(out, "host", card->host);
        json_put_text(out, "cards", fleet->list[i].cards);
        json_put_text(out, "grade", fleet_grade_name(card->grade));
        json_put_text(out, "code", card->code);
        json_put_text(out, "cause", card->cause);
        json_put_real(out, "loss", card->loss);
        json_put_text(out, "file", card->file);
        json_put_close(out, '}');
    }
    json_put_close(out, ']');
}

static void metric_put(struct json_out *out, const struct fleet_metric *metric, unsigned name)
{
    json_put_open(out, NULL, '{');
    json_put_text(out, "metric", words_name(&check_metric_words, name));
    json_put_text(out, "unit", unit_name(metric->unit));
    json_put_count(out, "cards", metric->count);
    json_put_real(out, "median", metric->median);
    json_put_real(out, "mad", metric->population.mad * metric->median);
    json_put_real(out, "percentile_1", metric->low);
    json_put_real(out, "percentile_99", metric->high);
    json_put_real(out, "expected", metric->expected);
    json_put_real(out, "smallest_loss", metric->found);
    json_put_count(out, "slow", metric->slow);
    json_put_close(out, '}');
}

static void kinds_put(struct json_out *out, const struct fleet *fleet)
{
    json_put_open(out, "kinds", '[');
    for (size_t i = 0; i < fleet->kind_count; i++) {
        const struct fleet_kind *kind = &fleet->kinds[i];
        json_put_open(out, NULL, '{');
        json_put_text(out, "device", kind->name);
        json_put_text(out, "api", kind->api);
        json_put_count(out, "cards", kind->count);
        json_put_open(out, "metrics", '[');
        for (unsigned m = 0; m < CHECK_METRIC_COUNT; m++)
            if (kind->metrics[m].count)
                metric_put(out, &kind->metrics[m], m);
        json_put_close(out, ']');
        json_put_close(out, '}');
    }
    json_put_close(out, ']');
}

static void pattern_put(struct json_out *out, const char *name, unsigned metric, double loss,
                        const char *text)
{
    json_put_open(out, NULL, '{');
    json_put_text(out, "name", name);
    json_put_text(out, "metric", words_name(&check_metric_words, metric));
    json_put_real(out, "loss", loss);
    json_put_text(out, "text", text);
    json_put_close(out, '}');
}

bool fleet_json(const struct fleet *fleet, FILE *stream, struct error *err)
{
    struct json_out out = {.arena = arena_create(), .stream = stream, .lines = true};
    json_put_open(&out, NULL, '{');
    json_put_text(&out, "schema", "fathom-fleet/1");
    json_put_count(&out, "exit_status", fleet_failed(fleet));
    json_put_count(&out, "machines", fleet->hosts);
    json_put_count(&out, "files", fleet->files);
    json_put_count(&out, "shared_checks", fleet->shared);
    counts_put(&out, fleet);
    list_put(&out, fleet);
    kinds_put(&out, fleet);
    json_put_open(&out, "groups", '[');
    for (size_t i = 0; i < fleet->group_count; i++)
        pattern_put(&out, fleet->groups[i].name, fleet->groups[i].metric, fleet->groups[i].effect,
                    fleet_group_text(out.arena, fleet, &fleet->groups[i]));
    json_put_close(&out, ']');
    json_put_open(&out, "relations", '[');
    for (size_t i = 0; i < fleet->relation_count; i++)
        pattern_put(&out, fleet->relations[i].with, fleet->relations[i].metric,
                    fleet->relations[i].quarters,
                    fleet_relation_text(out.arena, fleet, &fleet->relations[i]));
    json_put_close(&out, ']');
    texts_put(&out, "remarks", "code", fleet->remarks, fleet->remark_count);
    texts_put(&out, "left_out", "file", fleet->left, fleet->left_count);
    json_put_close(&out, '}');
    bool written = json_out_end(&out, "the fleet", err);
    arena_destroy(out.arena);
    return written;
}

// ---------------------------------------------------------------- the fleet as CSV

// The names of the CSV columns, which docs/FLEET.md explains.
static const char columns[] = "host,index,metric,value,low,high,unit,loss,score,expected,verdict,"
                              "code,cause,device,uuid,driver,started,file\n";

static void text_put(const char *text, char end, FILE *stream)
{
    csv_field(text ? text : "", stream);
    fputc(end, stream);
}

static void real_put(double value, FILE *stream)
{
    char text[REAL_BYTES] = "";
    if (isfinite(value))
        real_format(value, text);
    text_put(text, ',', stream);
}

static void row_put(const struct fleet_card *card, unsigned metric, FILE *stream)
{
    static const struct fleet_point none = {.loss = NAN, .score = NAN};
    bool any = metric < CHECK_METRIC_COUNT;
    const struct fleet_point *point = any ? &card->points[metric] : &none;
    const struct check_figure empty = check_figure_empty(CHECK_DRAM_READ);
    const struct check_figure *figure = any ? point->figure : &empty;
    text_put(card->host, ',', stream);
    fprintf(stream, "%zu,", card->check.index);
    text_put(any ? words_name(&check_metric_words, metric) : "", ',', stream);
    real_put(figure->value, stream);
    real_put(figure->low, stream);
    real_put(figure->high, stream);
    text_put(any ? unit_name(figure->unit) : "", ',', stream);
    real_put(point->loss, stream);
    real_put(point->score, stream);
    real_put(figure->expected, stream);
    text_put(fleet_grade_name(card->grade), ',', stream);
    text_put(card->code, ',', stream);
    text_put(card->cause, ',', stream);
    text_put(card->name, ',', stream);
    text_put(card->check.uuid, ',', stream);
    text_put(card->driver, ',', stream);
    text_put(card->started, ',', stream);
    text_put(card->file, '\n', stream);
}

bool fleet_csv(void *context, FILE *stream, struct error *err)
{
    const struct fleet *fleet = context;
    fputs(columns, stream);
    for (size_t i = 0; i < fleet->count; i++) {
        size_t rows = 0;
        for (unsigned m = 0; m < CHECK_METRIC_COUNT; m++)
            if (fleet->cards[i]->points[m].figure) {
                row_put(fleet->cards[i], m, stream);
                rows++;
            }
        if (rows == 0)
            row_put(fleet->cards[i], CHECK_METRIC_COUNT, stream);
    }
    return export_end(stream, "the CSV", err);
}
