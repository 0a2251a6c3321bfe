// SPDX-License-Identifier: MIT
#include "results/check.h"
#include "results/codec.h"

#include <math.h>
#include <string.h>

enum better check_metric_better(enum check_metric metric)
{
    return metric >= CHECK_LATENCY_L1 && metric <= CHECK_LATENCY_DRAM ? BETTER_LOWER
                                                                      : BETTER_HIGHER;
}

bool check_metric_is_host_link(enum check_metric metric)
{
    return metric >= CHECK_HOST_TO_DEVICE && metric <= CHECK_LINK_ALL_AT_ONCE;
}

bool check_metric_is_pair(enum check_metric metric)
{
    return metric >= CHECK_PEER && metric <= CHECK_PEER_BOTH;
}

// ---------------------------------------------------------------- the check in a run file

// Drops figures of metrics that only a later version of fathom knows.
static bool figure_keep(const void *object)
{
    return ((const struct check_figure *)object)->metric < CHECK_METRIC_COUNT;
}

static const struct json_field figure_fields[] = {
    {"metric", FIELD_WORD, JSON_AT(struct check_figure, metric), .required = true,
     .words = &check_metric_words},
    {"peer", FIELD_REAL, JSON_AT(struct check_figure, peer)},
    {"value", FIELD_REAL, JSON_AT(struct check_figure, value)},
    {"low", FIELD_REAL, JSON_AT(struct check_figure, low)},
    {"high", FIELD_REAL, JSON_AT(struct check_figure, high)},
    {"unit", FIELD_WORD, JSON_AT(struct check_figure, unit), .words = &unit_words},
    {"noise", FIELD_REAL, JSON_AT(struct check_figure, noise)},
    {"expected", FIELD_REAL, JSON_AT(struct check_figure, expected)},
    {"expected_low", FIELD_REAL, JSON_AT(struct check_figure, expected_low)},
    {"cards", FIELD_COUNT, JSON_AT(struct check_figure, cards), .omit_zero = true},
    {"basis", FIELD_WORD, JSON_AT(struct check_figure, basis), .omit_zero = true,
     .words = &check_basis_words},
    {"verdict", FIELD_WORD, JSON_AT(struct check_figure, judgement), .required = true,
     .words = &check_judgement_words},
};
static const struct json_table figure_table = {JSON_TABLE(struct check_figure, figure_fields),
                                               .keep = figure_keep};

static const struct json_field state_fields[] = {
    {"core_clock_hz", FIELD_REAL, JSON_AT(struct check_state, core_clock_hz)},
    {"memory_clock_hz", FIELD_REAL, JSON_AT(struct check_state, memory_clock_hz)},
    {"power_w", FIELD_REAL, JSON_AT(struct check_state, power_w)},
    {"power_limit_w", FIELD_REAL, JSON_AT(struct check_state, power_limit_w)},
    {"temperature_c", FIELD_REAL, JSON_AT(struct check_state, temperature_c)},
    {"link_width", FIELD_REAL, JSON_AT(struct check_state, link_width)},
    {"link_width_max", FIELD_REAL, JSON_AT(struct check_state, link_width_max)},
    {"link_generation", FIELD_REAL, JSON_AT(struct check_state, link_generation)},
    {"link_generation_max", FIELD_REAL, JSON_AT(struct check_state, link_generation_max)},
    {"ecc_corrected", FIELD_REAL, JSON_AT(struct check_state, ecc_corrected)},
    {"ecc_uncorrected", FIELD_REAL, JSON_AT(struct check_state, ecc_uncorrected)},
    {"link_replays", FIELD_REAL, JSON_AT(struct check_state, link_replays)},
    {"nvlink_replays", FIELD_REAL, JSON_AT(struct check_state, nvlink_replays)},
    {"nvlink_recoveries", FIELD_REAL, JSON_AT(struct check_state, nvlink_recoveries)},
    {"nvlinks", FIELD_REAL, JSON_AT(struct check_state, nvlinks)},
    {"nvlinks_active", FIELD_REAL, JSON_AT(struct check_state, nvlinks_active)},
    {"ecc_enabled", FIELD_REAL, JSON_AT(struct check_state, ecc_enabled)},
    {"remapped_rows", FIELD_REAL, JSON_AT(struct check_state, remapped_rows)},
    {"remap_pending", FIELD_REAL, JSON_AT(struct check_state, remap_pending)},
    {"remap_failed", FIELD_REAL, JSON_AT(struct check_state, remap_failed)},
    {"retired_pages", FIELD_REAL, JSON_AT(struct check_state, retired_pages)},
    {"throttle", FIELD_TEXT, JSON_AT(struct check_state, throttle)},
    {"vbios", FIELD_TEXT, JSON_AT(struct check_state, vbios)},
};
static const struct json_table state_table = {JSON_TABLE(struct check_state, state_fields)};

static const struct json_field check_fields[] = {
    {"device", FIELD_TEXT, JSON_AT(struct check, device)},
    {"index", FIELD_COUNT, JSON_AT(struct check, index)},
    {"uuid", FIELD_TEXT, JSON_AT(struct check, uuid)},
    {"pci", FIELD_TEXT, JSON_AT(struct check, pci)},
    {"verdict", FIELD_WORD, JSON_AT(struct check, verdict), .required = true,
     .words = &check_verdict_words},
    {"code", FIELD_WORD, JSON_AT(struct check, code), .required = true, .words = &check_code_words},
    {"cause", FIELD_TEXT, JSON_AT(struct check, cause)},
    {"remarks", FIELD_TEXTS, JSON_LIST_AT(struct check, remarks, remark_count)},
    {"shared_check", FIELD_FLAG, JSON_AT(struct check, shared_check)},
    {"figures", FIELD_LIST, JSON_LIST_AT(struct check, figures, figure_count),
     .table = &figure_table},
    {"state", FIELD_OBJECT, JSON_AT(struct check, state), .table = &state_table},
};
const struct json_table check_table = {JSON_TABLE(struct check, check_fields)};

// ---------------------------------------------------------------- checks without numbers

// Sets all real numbers of a struct to NaN.
static void clear_numbers(const struct json_table *table, void *object)
{
    const double unknown = NAN;
    for (size_t i = 0; i < table->count; i++)
        if (table->fields[i].kind == FIELD_REAL)
            memcpy((char *)object + table->fields[i].offset, &unknown, sizeof unknown);
}

struct check check_empty(void)
{
    struct check check = {.verdict = CHECK_UNKNOWN, .code = CHECK_NOT_MEASURED};
    clear_numbers(&state_table, &check.state);
    return check;
}

struct check_figure check_figure_empty(enum check_metric metric)
{
    struct check_figure figure = {.metric = metric, .judgement = CHECK_FIGURE_UNKNOWN};
    clear_numbers(&figure_table, &figure);
    return figure;
}

struct check *run_add_check(struct run *run)
{
    run->checks = arena_grow(run->arena, run->checks, run->check_count, &run->check_capacity,
                             sizeof *run->checks);
    run->checks[run->check_count] = check_empty();
    return &run->checks[run->check_count++];
}

enum check_verdict check_worst(const struct check *checks, size_t count)
{
    static const int badness[CHECK_VERDICT_COUNT] = {
        [CHECK_HEALTHY] = 0, [CHECK_UNKNOWN] = 1, [CHECK_SLOW] = 2, [CHECK_BROKEN] = 3};
    enum check_verdict worst = count ? CHECK_HEALTHY : CHECK_UNKNOWN;
    for (size_t i = 0; i < count; i++)
        if (badness[checks[i].verdict] > badness[worst])
            worst = checks[i].verdict;
    return worst;
}
