// SPDX-License-Identifier: MIT
// Asserts that two runs are equal member by member.
#ifndef GOLDEN_SAME_RUN_H
#define GOLDEN_SAME_RUN_H

#include "results/check.h"
#include "results/results.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static inline void same_text(const char *a, const char *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a)
        assert_string_equal(a, b);
}

// Asserts that both have the same bits, or that both are absent.
static inline void same_real(double a, double b)
{
    assert_int_equal(isfinite(a) != 0, isfinite(b) != 0);
    if (isfinite(a))
        assert_memory_equal(&a, &b, sizeof a);
}

static inline void same_texts(const struct named_text *a, const struct named_text *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        same_text(a[i].name, b[i].name);
        same_text(a[i].text, b[i].text);
    }
}

static inline void same_numbers(const struct named_number *a, const struct named_number *b,
                                size_t count)
{
    for (size_t i = 0; i < count; i++) {
        same_text(a[i].name, b[i].name);
        assert_int_equal(a[i].unit, b[i].unit);
        same_real(a[i].value, b[i].value);
    }
}

static inline void same_device(const struct run_device *a, const struct run_device *b)
{
    same_text(a->id, b->id);
    same_text(a->name, b->name);
    same_text(a->vendor, b->vendor);
    same_text(a->driver, b->driver);
    same_text(a->api_version, b->api_version);
    same_text(a->kind, b->kind);
    same_text(a->architecture, b->architecture);
    same_text(a->uuid, b->uuid);
    same_text(a->pci, b->pci);
    assert_int_equal(a->limit_count, b->limit_count);
    same_numbers(a->limits, b->limits, a->limit_count);
}

static inline void same_benchmark(const struct benchmark_info *a, const struct benchmark_info *b)
{
    same_text(a->name, b->name);
    assert_int_equal(a->version, b->version);
    same_text(a->title, b->title);
    assert_int_equal(a->param_count, b->param_count);
    for (size_t i = 0; i < a->param_count; i++) {
        same_text(a->params[i].key, b->params[i].key);
        assert_int_equal(a->params[i].type, b->params[i].type);
        assert_int_equal(a->params[i].unit, b->params[i].unit);
        assert_int_equal(a->params[i].role, b->params[i].role);
        same_text(a->params[i].choices, b->params[i].choices);
        same_text(a->params[i].help, b->params[i].help);
    }
    assert_int_equal(a->metric_count, b->metric_count);
    for (size_t i = 0; i < a->metric_count; i++) {
        same_text(a->metrics[i].name, b->metrics[i].name);
        assert_int_equal(a->metrics[i].unit, b->metrics[i].unit);
        assert_int_equal(a->metrics[i].better, b->metrics[i].better);
        same_text(a->metrics[i].help, b->metrics[i].help);
    }
    assert_int_equal(a->view_count, b->view_count);
    for (size_t i = 0; i < a->view_count; i++) {
        assert_int_equal(a->views[i].kind, b->views[i].kind);
        same_text(a->views[i].title, b->views[i].title);
        same_text(a->views[i].x, b->views[i].x);
        same_text(a->views[i].y, b->views[i].y);
        same_text(a->views[i].metric, b->views[i].metric);
        same_text(a->views[i].group, b->views[i].group);
        same_text(a->views[i].scale, b->views[i].scale);
        same_text(a->views[i].where, b->views[i].where);
        same_text(a->views[i].sensors, b->views[i].sensors);
    }
}

static inline void same_metric(const struct metric *a, const struct metric *b)
{
    same_text(a->name, b->name);
    assert_int_equal(a->unit, b->unit);
    assert_int_equal(a->better, b->better);
    same_real(a->median, b->median);
    same_real(a->ci95[0], b->ci95[0]);
    same_real(a->ci95[1], b->ci95[1]);
    assert_int_equal(a->n, b->n);
    same_real(a->limit, b->limit);
    assert_int_equal(a->floating, b->floating);
    assert_int_equal(a->round_count, b->round_count);
    for (size_t i = 0; i < a->round_count; i++)
        same_real(a->round_medians[i], b->round_medians[i]);
}

static inline void same_case(const struct bench_case *a, const struct bench_case *b)
{
    assert_int_equal(a->value_count, b->value_count);
    for (size_t i = 0; i < a->value_count; i++) {
        same_text(a->values[i].key, b->values[i].key);
        assert_int_equal(a->values[i].type, b->values[i].type);
        assert_int_equal(a->values[i].role, b->values[i].role);
        assert_true(a->values[i].uint == b->values[i].uint);
        same_real(a->values[i].real, b->values[i].real);
        same_text(a->values[i].text, b->values[i].text);
    }
}

static inline void same_series(const struct series *a, const struct series *b)
{
    same_text(a->name, b->name);
    assert_int_equal(a->column_count, b->column_count);
    assert_int_equal(a->row_count, b->row_count);
    for (size_t i = 0; i < a->column_count; i++)
        same_text(a->columns[i], b->columns[i]);
    for (size_t i = 0; i < a->column_count * a->row_count; i++)
        same_real(a->data[i], b->data[i]);
}

static inline void same_result(const struct result *a, const struct result *b)
{
    same_text(a->key, b->key);
    same_text(a->benchmark, b->benchmark);
    assert_int_equal(a->version, b->version);
    same_text(a->device, b->device);
    same_case(&a->bench_case, &b->bench_case);
    assert_int_equal(a->verdict, b->verdict);
    assert_int_equal(a->reason_count, b->reason_count);
    for (size_t i = 0; i < a->reason_count; i++) {
        same_text(a->reasons[i].code, b->reasons[i].code);
        same_text(a->reasons[i].text, b->reasons[i].text);
    }
    assert_int_equal(a->metric_count, b->metric_count);
    for (size_t i = 0; i < a->metric_count; i++)
        same_metric(&a->metrics[i], &b->metrics[i]);
    assert_int_equal(a->detail_count, b->detail_count);
    same_texts(a->details, b->details, a->detail_count);
    assert_int_equal(a->sensor_count, b->sensor_count);
    same_numbers(a->sensors, b->sensors, a->sensor_count);
    assert_int_equal(a->series_count, b->series_count);
    for (size_t i = 0; i < a->series_count; i++)
        same_series(&a->series[i], &b->series[i]);
    same_text(a->kernel.hash, b->kernel.hash);
    same_text(a->kernel.source, b->kernel.source);
    same_real(a->kernel.registers, b->kernel.registers);
    same_real(a->kernel.spill_bytes, b->kernel.spill_bytes);
    same_real(a->kernel.loads, b->kernel.loads);
}

static inline void same_check_figure(const struct check_figure *a, const struct check_figure *b)
{
    assert_int_equal(a->metric, b->metric);
    assert_int_equal(a->unit, b->unit);
    assert_int_equal(a->cards, b->cards);
    assert_int_equal(a->basis, b->basis);
    assert_int_equal(a->judgement, b->judgement);
    const double numbers[][2] = {
        {a->peer, b->peer},
        {a->value, b->value},
        {a->low, b->low},
        {a->high, b->high},
        {a->noise, b->noise},
        {a->expected, b->expected},
        {a->expected_low, b->expected_low},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        same_real(numbers[i][0], numbers[i][1]);
}

static inline void same_check_state(const struct check_state *a, const struct check_state *b)
{
    const double numbers[][2] = {
        {a->core_clock_hz, b->core_clock_hz},
        {a->memory_clock_hz, b->memory_clock_hz},
        {a->power_w, b->power_w},
        {a->power_limit_w, b->power_limit_w},
        {a->temperature_c, b->temperature_c},
        {a->link_width, b->link_width},
        {a->link_width_max, b->link_width_max},
        {a->link_generation, b->link_generation},
        {a->link_generation_max, b->link_generation_max},
        {a->ecc_corrected, b->ecc_corrected},
        {a->ecc_uncorrected, b->ecc_uncorrected},
        {a->link_replays, b->link_replays},
        {a->nvlink_replays, b->nvlink_replays},
        {a->nvlink_recoveries, b->nvlink_recoveries},
        {a->nvlinks, b->nvlinks},
        {a->nvlinks_active, b->nvlinks_active},
        {a->ecc_enabled, b->ecc_enabled},
        {a->remapped_rows, b->remapped_rows},
        {a->remap_pending, b->remap_pending},
        {a->remap_failed, b->remap_failed},
        {a->retired_pages, b->retired_pages},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        same_real(numbers[i][0], numbers[i][1]);
    same_text(a->throttle, b->throttle);
}

static inline void same_check(const struct check *a, const struct check *b)
{
    same_text(a->device, b->device);
    assert_int_equal(a->index, b->index);
    same_text(a->uuid, b->uuid);
    same_text(a->pci, b->pci);
    assert_int_equal(a->verdict, b->verdict);
    assert_int_equal(a->code, b->code);
    same_text(a->cause, b->cause);
    assert_int_equal(a->remark_count, b->remark_count);
    for (size_t i = 0; i < a->remark_count; i++)
        same_text(a->remarks[i], b->remarks[i]);
    assert_int_equal(a->shared_check, b->shared_check);
    assert_int_equal(a->figure_count, b->figure_count);
    for (size_t i = 0; i < a->figure_count; i++)
        same_check_figure(&a->figures[i], &b->figures[i]);
    same_check_state(&a->state, &b->state);
}

static inline void same_run(const struct run *a, const struct run *b)
{
    assert_int_equal(a->status, b->status);
    same_text(a->tool_version, b->tool_version);
    same_text(a->tool_commit, b->tool_commit);
    same_text(a->tool_build, b->tool_build);
    same_text(a->started, b->started);
    same_text(a->preset, b->preset);
    assert_int_equal(a->command_count, b->command_count);
    for (size_t i = 0; i < a->command_count; i++)
        same_text(a->command[i], b->command[i]);
    assert_int_equal(a->host_count, b->host_count);
    same_texts(a->host, b->host, a->host_count);
    assert_int_equal(a->device_count, b->device_count);
    for (size_t i = 0; i < a->device_count; i++)
        same_device(&a->devices[i], &b->devices[i]);
    assert_int_equal(a->benchmark_count, b->benchmark_count);
    for (size_t i = 0; i < a->benchmark_count; i++)
        same_benchmark(a->benchmarks[i], b->benchmarks[i]);
    assert_int_equal(a->result_count, b->result_count);
    for (size_t i = 0; i < a->result_count; i++)
        same_result(a->results[i], b->results[i]);
    assert_int_equal(a->finding_count, b->finding_count);
    for (size_t i = 0; i < a->finding_count; i++) {
        same_text(a->findings[i].code, b->findings[i].code);
        same_text(a->findings[i].text, b->findings[i].text);
        same_text(a->findings[i].device, b->findings[i].device);
        same_real(a->findings[i].value, b->findings[i].value);
        assert_int_equal(a->findings[i].key_count, b->findings[i].key_count);
        for (size_t j = 0; j < a->findings[i].key_count; j++)
            same_text(a->findings[i].keys[j], b->findings[i].keys[j]);
    }
    assert_int_equal(a->check_count, b->check_count);
    for (size_t i = 0; i < a->check_count; i++)
        same_check(&a->checks[i], &b->checks[i]);
}

#endif
