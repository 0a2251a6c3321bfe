// SPDX-License-Identifier: MIT
#include "base/text.h"
#include "results/codec.h"
#include "results/results.h"

#include <ctype.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct case_value *case_find(const struct bench_case *c, const char *key)
{
    for (size_t i = 0; i < c->value_count; i++)
        if (strcmp(c->values[i].key, key) == 0)
            return &c->values[i];
    return NULL;
}

bool case_says(const struct bench_case *c, const char *key, const char *text)
{
    const struct case_value *value = case_find(c, key);
    return value && value->text && strcmp(value->text, text) == 0;
}

// ---------------------------------------------------------------- values of parameters

const struct param_info *benchmark_param(const struct benchmark_info *info, const char *key)
{
    for (size_t i = 0; info && key && i < info->param_count; i++)
        if (strcmp(info->params[i].key, key) == 0)
            return &info->params[i];
    return NULL;
}

const char *benchmark_cycles(const struct benchmark_info *info, const char *name)
{
    for (size_t i = 0; info && i < info->metric_count; i++)
        if (info->metrics[i].unit == UNIT_CYCLE && text_list_has(info->metrics[i].cycles_of, name))
            return info->metrics[i].name;
    return "";
}

const struct metric_info *benchmark_metric(const struct benchmark_info *info, const char *name)
{
    for (size_t i = 0; info && name && i < info->metric_count; i++)
        if (strcmp(info->metrics[i].name, name) == 0)
            return &info->metrics[i];
    return NULL;
}

struct case_value case_value_of(const struct param_info *param)
{
    return (struct case_value){.key = param->key, .type = param->type, .role = param->role};
}

// True for the text of a JSON file, or for a word that looks like a file's name.
static bool is_file(const char *word)
{
    size_t length = strlen(word);
    return *word == '{' || strchr(word, '/') ||
           (length > 5 && strcmp(word + length - 5, ".json") == 0);
}

// Sets *place to the index of `word` in a list such as "stride|banks"; 0 and false if not there.
static bool place_of(const char *list, size_t bytes, const char *word, unsigned *place)
{
    size_t length = strlen(word);
    *place = 0;
    for (const char *end = list + bytes; list < end; list++, ++*place) {
        size_t size = strcspn(list, "|,");
        if (size == length && strncmp(list, word, length) == 0)
            return true;
        list += size;
    }
    *place = 0;
    return false;
}

bool case_value_set_text(struct case_value *value, const struct param_info *param, const char *text)
{
    const char *choices = param->choices;
    value->text = text;
    value->choice = 0;
    return !choices ||
           (is_file(text) && place_of(choices, strlen(choices), "FILE", &value->choice)) ||
           place_of(choices, strlen(choices), text, &value->choice);
}

bool case_value_equal(const struct case_value *a, const struct case_value *b)
{
    if (a->type == PARAM_TEXT) // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): not NULL
        return strcmp(a->text, b->text) == 0;
    return a->type == PARAM_REAL ? !(a->real < b->real) && !(a->real > b->real)
                                 : a->uint == b->uint;
}

// ---------------------------------------------------------------- conditions for cases

// Returns the value of a parameter as text; a number is written to `text`.
static const char *value_format(const struct case_value *value, char text[REAL_BYTES])
{
    if (value->type == PARAM_TEXT)
        return value->text ? value->text : "";
    if (value->type == PARAM_REAL)
        real_format(value->real, text);
    else
        snprintf(text, REAL_BYTES, "%" PRIu64, value->uint);
    return text;
}

// True if the value, written as text, is a word in the list `texts`, such as "stride|banks".
static bool is_among(const struct case_value *value, const char *texts, size_t bytes)
{
    char number[REAL_BYTES];
    unsigned place;
    return place_of(texts, bytes, value_format(value, number), &place);
}

bool case_value_says(const struct case_value *value, const char *text)
{
    return is_among(value, text, strlen(text));
}

bool case_matches(const struct bench_case *c, const char *conditions)
{
    for (const char *at = conditions; at && *at; at += strcspn(at, ","), at += *at == ',') {
        size_t key = strcspn(at, "!=,"), sign = strspn(at + key, "!=");
        const char *texts = at + key + sign;
        bool has = false;
        for (size_t i = 0; i < c->value_count; i++)
            if (strlen(c->values[i].key) == key && strncmp(c->values[i].key, at, key) == 0)
                has = is_among(&c->values[i], texts, strcspn(texts, ","));
        if (sign && has != (at[key] == '='))
            return false;
    }
    return true;
}

// ---------------------------------------------------------------- values of a case

// Like case_find, but ends the process if the benchmark does not declare the parameter.
static const struct case_value *must_find(const struct bench_case *c, const char *key)
{
    const struct case_value *value = case_find(c, key);
    if (!value)
        __builtin_trap();
    return value;
}

unsigned case_choice(const struct bench_case *c, const char *key)
{
    const struct case_value *value = case_find(c, key);
    return value ? value->choice : 0;
}

uint64_t case_uint(const struct bench_case *c, const char *key)
{
    return must_find(c, key)->uint;
}

double case_real(const struct bench_case *c, const char *key)
{
    return must_find(c, key)->real;
}

const char *case_text(const struct bench_case *c, const char *key)
{
    return must_find(c, key)->text;
}

// Returns false if `value` certainly cannot be read back from `exact` after it has lost `cut` of
// its 17 digits. A text reads back as `value` only if it differs by at most half the distance of
// two doubles: at most 2^-53 of the value. `exact` itself differs by up to half of its last digit.
static bool may_read_back(double value, const char *exact, int cut)
{
    int lead = 0, rest = 0, place = 0, unit = cut == 1 ? 10 : 100;
    for (const char *at = exact; *at && *at != 'e'; at++) {
        if (!isdigit((unsigned char)*at) || (place == 0 && *at == '0'))
            continue;
        lead = place == 0 ? *at - '0' : lead;
        rest = place >= 17 - cut ? 10 * rest + *at - '0' : 0;
        place++;
    }
    if (place <= 17 - cut || fabs(value) < DBL_MIN)
        return true;
    rest *= cut == 2 && place == 16 ? 10 : 1;
    int away = rest < unit - rest ? rest : unit - rest;
    return away <= 0x1p-53 * 1e16 * (lead + 1) + 0.5;
}

void real_shorten(double value, char exact[REAL_BYTES])
{
    char text[REAL_BYTES];
    for (int digits = 15; digits < 17; digits++) {
        if (!may_read_back(value, exact, 17 - digits))
            continue;
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            memcpy(exact, text, sizeof text);
            return;
        }
    }
}

void real_format(double value, char text[REAL_BYTES])
{
    snprintf(text, REAL_BYTES, "%.17g", value);
    real_shorten(value, text);
}

const char *case_value_text(struct arena *arena, const struct case_value *value)
{
    char text[REAL_BYTES];
    if (value->type == PARAM_TEXT)
        return value_format(value, text);
    return arena_strdup(arena, value_format(value, text));
}

const char *case_value_shown(struct arena *arena, const struct case_value *value)
{
    if (value->type != PARAM_TEXT || !value->text || *value->text != '{')
        return case_value_text(arena, value);
    json_t *file = json_read_memory(value->text, strlen(value->text), value->key, NULL);
    const char *name = json_string_value(json_object_get(file, "name"));
    const char *shown = arena_strdup(arena, name && *name ? name : "unnamed");
    json_decref(file);
    return shown;
}

const char *case_key(struct arena *arena, const char *benchmark, const struct bench_case *c)
{
    const char *key = arena_strdup(arena, benchmark);
    for (size_t i = 0; i < c->value_count; i++)
        if (c->values[i].role == PARAM_AXIS)
            key = arena_printf(arena, "%s/%s=%s", key, c->values[i].key,
                               case_value_text(arena, &c->values[i]));
    return key;
}
