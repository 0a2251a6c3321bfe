// SPDX-License-Identifier: MIT
// Every benchmark of the program declares headlines, and these name only what it has.
#include "analysis/card.h"
#include "bench/bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct metric_info *metric_of(const struct benchmark_info *info, const char *name)
{
    for (size_t i = 0; i < info->metric_count; i++)
        if (strcmp(info->metrics[i].name, name) == 0)
            return &info->metrics[i];
    fail_msg("%s has no metric %s", info->name, name);
    return NULL;
}

static const struct param_info *param_of(const struct benchmark_info *info, const char *key)
{
    for (size_t i = 0; i < info->param_count; i++)
        if (strcmp(info->params[i].key, key) == 0)
            return &info->params[i];
    fail_msg("%s has no parameter %s", info->name, key);
    return NULL;
}

// Checks "key=value|value" of a declared parameter. If it has choices, the values are among them.
static void assert_item(const struct benchmark_info *info, char *item)
{
    char *values = strchr(item, '=');
    assert_non_null(values);
    *values++ = '\0';
    item[strcspn(item, "!")] = '\0'; // or "key!=value|value"
    const struct param_info *param = param_of(info, item);
    assert_int_equal(param->role, PARAM_AXIS);
    for (char *value = strtok(values, "|"); value && param->choices; value = strtok(NULL, "|")) {
        char choices[4096], wanted[128];
        snprintf(choices, sizeof choices, "|%s|", param->choices);
        snprintf(wanted, sizeof wanted, "|%s|", value);
        if (!strstr(choices, wanted))
            fail_msg("%s: %s is never %s", info->name, param->key, value);
    }
}

static void assert_where(const struct benchmark_info *info, const char *where)
{
    while (where && *where) {
        char item[256];
        int length = (int)strcspn(where, ",");
        snprintf(item, sizeof item, "%.*s", length, where);
        assert_item(info, item);
        where += length;
        where += *where == ',';
    }
}

static void headlines_name_metrics_parameters_and_values_that_are_declared(void **state)
{
    (void)state;
    for (size_t b = 0; benchmarks[b]; b++) {
        const struct benchmark_info *info = &benchmarks[b]->info;
        if (info->headline_count == 0)
            fail_msg("%s has no headline", info->name);
        for (size_t h = 0; h < info->headline_count; h++) {
            const struct headline_info *headline = &info->headlines[h];
            const struct metric_info *metric = metric_of(info, headline->metric);
            assert_non_null(headline->title);
            assert_where(info, headline->where);
            if (headline->kind == HEADLINE_LEVELS)
                param_of(info, headline->by);
            else if (metric->better == BETTER_NONE)
                fail_msg("%s: no %s is the best", info->name, metric->name);
        }
    }
}

static bool is_listed(const char *const *rows, size_t count, const char *row)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(rows[i], row) == 0)
            return true;
    return false;
}

static void what_stands_on_the_card_has_a_row_and_all_rows_fit(void **state)
{
    (void)state;
    const char *rows[2 * CARD_ROWS_MAX];
    size_t count = 0, levels = 0;
    for (size_t b = 0; benchmarks[b]; b++) {
        const struct benchmark_info *info = &benchmarks[b]->info;
        for (size_t h = 0; h < info->headline_count; h++) {
            const struct headline_info *headline = &info->headlines[h];
            assert_true(!headline->row == (headline->section == CARD_NONE));
            if (headline->level != CARD_LEVEL_ANY)
                assert_int_equal(param_of(info, headline->by)->type, PARAM_BYTES);
            if (!headline->row || is_listed(rows, count, headline->row))
                continue;
            assert_true(count < 2 * CARD_ROWS_MAX);
            rows[count++] = headline->row;
            levels += headline->kind == HEADLINE_LEVELS ? 2 : 0; // L1, L2 and DRAM are three rows
        }
    }
    if (count + levels > CARD_ROWS_MAX)
        fail_msg("the card has %zu rows, at most %d fit", count + levels, CARD_ROWS_MAX);
}

// An operation of incore is floating-point if its name begins with its type, as in "fp32-fma", or
// with the type of its elements.
static void rates_of_floats_are_declared_floating(void **state)
{
    (void)state;
    for (size_t b = 0; benchmarks[b]; b++) {
        const struct benchmark_info *info = &benchmarks[b]->info;
        for (size_t m = 0; m < info->metric_count; m++) {
            if (!info->metrics[m].floating)
                continue;
            assert_int_equal(info->metrics[m].unit, UNIT_OP_PER_S);
            char where[1024];
            snprintf(where, sizeof where, "%s", info->metrics[m].floating);
            assert_item(info, where);
        }
        if (strcmp(info->name, "incore") != 0)
            continue;
        char ops[1024];
        snprintf(ops, sizeof ops, "%s", param_of(info, "op")->choices);
        for (char *op = strtok(ops, "|"); op; op = strtok(NULL, "|")) {
            struct case_value value = {.key = "op", .type = PARAM_TEXT, .text = op};
            const struct bench_case with = {&value, 1};
            bool is_float = (strncmp(op, "fp", 2) == 0 || strncmp(op, "bf", 2) == 0 ||
                             strncmp(op, "e4m3", 4) == 0) &&
                            strcmp(op, "fp32-int32-mixed") != 0;
            if (case_matches(&with, metric_of(info, "rate")->floating) != is_float)
                fail_msg("%s", op);
        }
    }
}

static void figures_in_cycles_are_of_metrics_that_are_declared(void **state)
{
    (void)state;
    for (size_t b = 0; benchmarks[b]; b++) {
        const struct benchmark_info *info = &benchmarks[b]->info;
        for (size_t m = 0; m < info->metric_count; m++) {
            char list[128];
            const char *cycles_of = info->metrics[m].cycles_of;
            snprintf(list, sizeof list, "%s", cycles_of ? cycles_of : "");
            for (char *name = strtok(list, ","); name; name = strtok(NULL, ","))
                metric_of(info, name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_on_the_card_has_a_row_and_all_rows_fit),
        cmocka_unit_test(headlines_name_metrics_parameters_and_values_that_are_declared),
        cmocka_unit_test(rates_of_floats_are_declared_floating),
        cmocka_unit_test(figures_in_cycles_are_of_metrics_that_are_declared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
