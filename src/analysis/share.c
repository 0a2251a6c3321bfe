// SPDX-License-Identifier: MIT
#include "analysis/share.h"
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    NUMBER_BYTES = 32,
    // importance of a result that a headline may show; share_thin never removes such a result
    IMPORTANCE_FIGURE = 2
};

static double rounded(double value)
{
    char text[NUMBER_BYTES];
    snprintf(text, sizeof text, "%.4g", value);
    return isfinite(value) && text_parse_real(text, &value) ? value : NAN;
}

// Returns true if the text has an absolute path: a "/" that follows no letter, digit or ")".
static bool has_path(const char *text)
{
    for (const char *slash = strchr(text, '/'); slash; slash = strchr(slash + 1, '/'))
        if (slash == text || (!isalnum((unsigned char)slash[-1]) && slash[-1] != ')'))
            return true;
    return false;
}

// Returns true if the benchmark has a headline of kind HEADLINE_LEVELS; with `each_describes`, one
// whose parameter is the number of a level, as in `map`.
static bool has_levels(const struct benchmark_info *info, bool each_describes)
{
    for (size_t h = 0; info && h < info->headline_count; h++) {
        const struct param_info *by = benchmark_param(info, info->headlines[h].by);
        if (info->headlines[h].kind == HEADLINE_LEVELS &&
            (!each_describes || (by && by->type == PARAM_UINT)))
            return true;
    }
    return false;
}

// ---------------------------------------------------------------- removing results and findings

static void remove_findings(struct run *run)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->finding_count; i++) {
        const struct finding *finding = &run->findings[i];
        bool whole = finding->device && finding->key_count > 0 && !has_path(finding->text);
        for (size_t k = 0; whole && k < finding->key_count; k++)
            whole = run_find(run, finding->device, finding->keys[k]) != NULL;
        if (whole)
            run->findings[kept++] = *finding;
    }
    run->finding_count = kept;
}

static void remove_benchmarks(struct run *run)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->benchmark_count; i++)
        if (run_count(run, NULL, run->benchmarks[i]->name).all)
            run->benchmarks[kept++] = run->benchmarks[i];
    run->benchmark_count = kept;
}

// Removes the results less important than `least`, and the benchmarks and findings without results.
static void remove_results(struct run *run, const int *importance, int least)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->result_count; i++)
        if (importance[i] >= least)
            run->results[kept++] = run->results[i];
    run->result_count = kept;
    remove_benchmarks(run);
    remove_findings(run);
}

// ---------------------------------------------------------------- removing parts of a result

// Returns true if a value of the case is the name of a file, or the text of one, such as a
// scenario.
static bool names_file(const struct result *result)
{
    for (size_t i = 0; i < result->bench_case.value_count; i++) {
        const struct case_value *value = &result->bench_case.values[i];
        if (value->type == PARAM_TEXT && (text_ends(value->text, ".json") ||
                                          text_begins(value->text, "{") || has_path(value->text)))
            return true;
    }
    return false;
}

static bool is_publishable(const struct result *result)
{
    return result_measured(result) && result->metric_count > 0 && !names_file(result);
}

static void strip_details(struct result *result, bool keep)
{
    size_t kept = 0;
    for (size_t i = 0; keep && i < result->detail_count; i++)
        if (!has_path(result->details[i].text))
            result->details[kept++] = result->details[i];
    result->detail_count = kept;
}

static void strip_sensors(struct result *result)
{
    size_t kept = 0;
    for (size_t i = 0; i < result->sensor_count; i++)
        if (result->sensors[i].unit == UNIT_HZ) {
            result->sensors[i].value = rounded(result->sensors[i].value);
            result->sensors[kept++] = result->sensors[i];
        }
    result->sensor_count = kept;
}

static void strip_metric(struct metric *metric)
{
    metric->median = rounded(metric->median);
    metric->ci95[0] = rounded(metric->ci95[0]);
    metric->ci95[1] = rounded(metric->ci95[1]);
    metric->limit = rounded(metric->limit);
    metric->round_count = 0;
}

static void strip_result(const struct run *run, struct result *result)
{
    for (size_t i = 0; i < result->reason_count; i++)
        result->reasons[i].text = "text left out";
    for (size_t i = 0; i < result->metric_count; i++)
        strip_metric(&result->metrics[i]);
    // Only results that describe a level keep their details, because readers need these.
    strip_details(result, has_levels(run_benchmark(run, result->benchmark), true));
    strip_sensors(result);
    result->series_count = 0;
    result->kernel = (struct kernel_info){.registers = NAN, .spill_bytes = NAN, .loads = NAN};
}

// ---------------------------------------------------------------- removing parts of the run

static void strip_host(struct run *run)
{
    static const char kept_names[] = "os,architecture,cpu,cpu_threads";
    size_t kept = 0;
    for (size_t i = 0; i < run->host_count; i++)
        if (text_list_has(kept_names, run->host[i].name))
            run->host[kept++] = run->host[i];
    run->host_count = kept;
}

static const struct benchmark_info *without_sentences(struct arena *arena,
                                                      const struct benchmark_info *info)
{
    struct benchmark_info *copy = ARENA_NEW(arena, struct benchmark_info);
    struct param_info *params = ARENA_ARRAY(arena, info->param_count, struct param_info);
    struct metric_info *metrics = ARENA_ARRAY(arena, info->metric_count, struct metric_info);
    *copy = *info;
    copy->params = params;
    copy->metrics = metrics;
    for (size_t i = 0; i < info->param_count; i++) {
        params[i] = info->params[i];
        params[i].help = NULL;
        params[i].choices = NULL;
    }
    for (size_t i = 0; i < info->metric_count; i++) {
        metrics[i] = info->metrics[i];
        metrics[i].help = NULL;
    }
    return copy;
}

void share_strip(struct run *run)
{
    int *importance = ARENA_ARRAY(run->arena, run->result_count, int);
    run->command_count = run->check_count = 0;
    strip_host(run);
    for (size_t i = 0; i < run->device_count; i++)
        run->devices[i].uuid = run->devices[i].pci = NULL;
    for (size_t i = 0; i < run->benchmark_count; i++)
        run->benchmarks[i] = without_sentences(run->arena, run->benchmarks[i]);
    for (size_t i = 0; i < run->result_count; i++) {
        importance[i] = is_publishable(run->results[i]);
        strip_result(run, run->results[i]);
    }
    remove_results(run, importance, 1);
}

// ---------------------------------------------------------------- the importance of results

static bool is_better(const struct metric *metric, const struct metric *than)
{
    return !than || better_ratio(metric->better, metric->median, than->median) > 1;
}

// Marks the results that the headline may show: all if it has a parameter (headline_info.by), else
// the best result, and the best one with the verdict ok.
static void mark_headline(const struct run *run, const char *device,
                          const struct benchmark_info *info, const struct headline_info *headline,
                          int *importance)
{
    const struct metric *best = NULL, *best_ok = NULL;
    size_t at = 0, at_ok = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        const struct metric *metric = result_metric(result, headline->metric);
        if (!metric || !result_is_of(result, info->name, device) ||
            !case_matches(&result->bench_case, headline->where))
            continue;
        if (headline->by)
            importance[i] = IMPORTANCE_FIGURE;
        if (!isfinite(metric->median))
            continue;
        if (is_better(metric, best)) {
            best = metric;
            at = i;
        }
        if (result->verdict == VERDICT_OK && is_better(metric, best_ok)) {
            best_ok = metric;
            at_ok = i;
        }
    }
    if (best)
        importance[at] = IMPORTANCE_FIGURE;
    if (best_ok)
        importance[at_ok] = IMPORTANCE_FIGURE;
}

bool share_thin(struct run *run)
{
    int *importance = ARENA_ARRAY(run->arena, run->result_count, int);
    for (size_t i = 0; i < run->result_count; i++)
        importance[i] = has_levels(run_benchmark(run, run->results[i]->benchmark), false);
    for (size_t d = 0; d < run->device_count; d++)
        for (size_t b = 0; b < run->benchmark_count; b++)
            for (size_t h = 0; h < run->benchmarks[b]->headline_count; h++)
                mark_headline(run, run->devices[d].id, run->benchmarks[b],
                              &run->benchmarks[b]->headlines[h], importance);
    int least = IMPORTANCE_FIGURE;
    for (size_t i = 0; i < run->result_count; i++)
        least = importance[i] < least ? importance[i] : least;
    if (least == IMPORTANCE_FIGURE)
        return false;
    remove_results(run, importance, least + 1);
    return true;
}
