// SPDX-License-Identifier: MIT
#include "bench/values.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct parser {
    struct arena *arena;
    const struct param_info *param;
    struct value_list *list;
    struct error *err;
};

static bool is_integer(const struct param_info *param)
{
    return param->type == PARAM_UINT || param->type == PARAM_BYTES;
}

static bool add(struct parser *p, struct case_value value)
{
    struct value_list *list = p->list;
    value.key = p->param->key;
    value.type = p->param->type;
    value.role = p->param->role;
    for (size_t i = 0; i < list->count; i++)
        if (case_value_equal(&list->values[i], &value))
            return true;
    if (list->count >= VALUES_MAX)
        return error_set(p->err, ERROR_USAGE, "%s: more than %d values: take a coarser range",
                         p->param->key, VALUES_MAX);
    list->values =
        arena_grow(p->arena, list->values, list->count, &list->capacity, sizeof *list->values);
    list->values[list->count++] = value;
    return true;
}

// ---------------------------------------------------------------- single values

static bool parse_integer(const struct param_info *param, const char *text, uint64_t *value)
{
    if (strcmp(text, "max") == 0) {
        *value = UINT64_MAX;
        return true;
    }
    return param->type == PARAM_BYTES ? text_parse_bytes(text, value)
                                      : text_parse_uint(text, value);
}

static const char *expectation(enum param_type type)
{
    switch (type) {
    case PARAM_BYTES:
        return "bytes such as 32KiB, 4GiB or max, or a range such as 1KiB..max/4";
    case PARAM_UINT:
        return "a whole number or max, or a range such as 1..64";
    case PARAM_REAL:
        return "a number, or a range such as 0.25..64/2";
    case PARAM_TEXT:
        break;
    }
    return "a word";
}

static bool refuse(struct parser *p, const char *text)
{
    return error_set(p->err, ERROR_USAGE, "%s=%s: expected %s", p->param->key, text,
                     expectation(p->param->type));
}

// Fails because `word` is none of the parameter's choices. The message may suggest a similar one.
static bool refuse_choice(struct parser *p, const char *word)
{
    char *names = arena_strdup(p->arena, p->param->choices);
    struct text_guess guess = {.typed = word};
    for (char *at = names, *end; *at; at = end) {
        end = at + strcspn(at, "|");
        if (*end)
            *end++ = '\0';
        text_guess_offer(&guess, at);
    }
    return error_set(p->err, ERROR_USAGE, "%s=%s: no such choice; it is one of %s%s", p->param->key,
                     word, p->param->choices, text_guess_hint(p->arena, &guess));
}

static const char *spell(const struct parser *p, uint64_t value)
{
    return p->param->type == PARAM_BYTES ? text_bytes(p->arena, value)
                                         : arena_printf(p->arena, "%" PRIu64, value);
}

// Fails because the parameter does not allow `number`. The message says which numbers it allows.
static bool refuse_number(struct parser *p, const char *number)
{
    const struct param_info *param = p->param;
    const char *what = param->power_of_two ? "a power of two"
                       : param->multiple
                           ? arena_printf(p->arena, "a multiple of %s", spell(p, param->multiple))
                           : "a number";
    const char *most =
        param->most ? arena_printf(p->arena, " to %s", spell(p, param->most)) : " upwards";
    return error_set(p->err, ERROR_USAGE, "%s=%s: expected %s from %s%s%s", param->key, number,
                     what, spell(p, param->least), most, param->takes_max ? ", or max" : "");
}

// Adds the number to the list. Fails if the parameter does not allow the number.
static bool add_integer(struct parser *p, uint64_t uint)
{
    const struct param_info *param = p->param;
    struct case_value value = {.uint = uint}, word;
    if (param->choices) {
        const char *text = arena_printf(p->arena, "%" PRIu64, uint);
        if (!case_value_set_text(&word, param, text))
            return refuse_choice(p, text);
        value.choice = word.choice;
    }
    bool fits = uint >= param->least && (!param->most || uint <= param->most) &&
                (!param->multiple || uint % param->multiple == 0) &&
                (!param->power_of_two || (uint && (uint & (uint - 1)) == 0));
    if (!fits && !(param->takes_max && uint == UINT64_MAX))
        return refuse_number(p, uint == UINT64_MAX ? "max" : spell(p, uint));
    return add(p, value);
}

// Adds the number to the list. Fails if the parameter does not allow the number.
static bool add_real(struct parser *p, double real)
{
    const struct param_info *param = p->param;
    if (param->most && (real < (double)param->least || real > (double)param->most))
        return refuse_number(p, arena_printf(p->arena, "%g", real));
    return add(p, (struct case_value){.real = real});
}

static bool add_word(struct parser *p, const char *word)
{
    struct case_value value = {0};
    if (case_value_set_text(&value, p->param, arena_strdup(p->arena, word)) && *word != '\0')
        return add(p, value);
    return p->param->choices ? refuse_choice(p, word) : refuse(p, word);
}

static bool add_single(struct parser *p, const char *text)
{
    uint64_t uint;
    double real;
    if (p->param->type == PARAM_TEXT)
        return add_word(p, text);
    if (p->param->type == PARAM_REAL)
        return text_parse_real(text, &real) ? add_real(p, real) : refuse(p, text);
    return parse_integer(p->param, text, &uint) ? add_integer(p, uint) : refuse(p, text);
}

// ---------------------------------------------------------------- ranges

// Distance between the values of a range: "A..B/n" has n values per octave; in "A..B+s" the values
// are s apart. The last value may be closer to the value before it.
struct spacing {
    uint64_t values; // number of values per octave; 1 if the range has a `step` instead
    uint64_t step;   // distance between neighbouring values; 0 if the range has values per octave
};

// Returns base · 2^(step/n), 0 ≤ step < n, rounded as values.h says; UINT64_MAX from 2^63 on.
static uint64_t value_between(const struct param_info *param, uint64_t base, uint64_t step,
                              uint64_t n)
{
    if (step == 0)
        return base;
    double exact = (double)base * exp2((double)step / (double)n);
    double grain = param->type == PARAM_BYTES ? exp2(floor(log2(exact)) - 6) : 1;
    if (grain < 1)
        grain = 1;
    double rounded = floor(exact / grain + 0.5) * grain;
    return rounded >= 0x1p63 ? UINT64_MAX : (uint64_t)rounded;
}

// Returns the last value of a range that ends in `to`. If `to` is the word "max" and the parameter
// has an upper bound, this is the upper bound, else `to`.
static uint64_t last_value(const struct param_info *param, uint64_t to)
{
    return to == UINT64_MAX && param->takes_max && param->most ? param->most : to;
}

static bool add_integers(struct parser *p, uint64_t from, uint64_t to,
                         const struct spacing *spacing)
{
    uint64_t last = last_value(p->param, to), n = spacing->values;
    for (uint64_t base = from, apart; base <= last; base += apart) {
        for (uint64_t step = 0; step < n; step++) {
            uint64_t value = value_between(p->param, base, step, n);
            if (value < to && value <= last && !add_integer(p, value))
                return false;
        }
        apart = spacing->step ? spacing->step : base;
        if (apart > UINT64_MAX - base)
            break;
    }
    return add_integer(p, to);
}

static bool add_reals(struct parser *p, double from, double to, uint64_t n)
{
    for (uint64_t step = 0; step <= VALUES_MAX; step++) {
        double value = from * exp2((double)step / (double)n);
        if (value > to * (1 - 1e-9))
            break;
        if (!add_real(p, value))
            return false;
    }
    return add_real(p, to);
}

// Cuts the spacing (/N or +S) off the end of a range. A range without spacing gets one value per
// octave.
static bool cut_spacing(struct parser *p, const char *whole, char *end, struct spacing *spacing)
{
    *spacing = (struct spacing){.values = 1};
    // Only integers may have +S, because a real number may itself contain a +, as in 1e+3.
    char *sign = end + strcspn(end, is_integer(p->param) ? "/+" : "/");
    char kind = *sign;
    if (!kind)
        return true;
    *sign = '\0';
    if (kind == '+')
        return (parse_integer(p->param, sign + 1, &spacing->step) && spacing->step > 0) ||
               error_set(p->err, ERROR_USAGE, "%s=%s: expected a step above 0 after +",
                         p->param->key, whole);
    return (text_parse_uint(sign + 1, &spacing->values) && spacing->values > 0 &&
            spacing->values <= 64) ||
           error_set(p->err, ERROR_USAGE, "%s=%s: expected 1 to 64, the values an octave, after /",
                     p->param->key, whole);
}

static bool add_range(struct parser *p, const char *whole, char *text, char *dots)
{
    uint64_t from = 0, to = 0;
    double real_from = 0, real_to = 0;
    char *end = dots + 2;
    struct spacing spacing;
    *dots = '\0';
    if (!cut_spacing(p, whole, end, &spacing))
        return false;
    bool fits = is_integer(p->param)
                    ? parse_integer(p->param, text, &from) && parse_integer(p->param, end, &to)
                    : text_parse_real(text, &real_from) && text_parse_real(end, &real_to);
    if (!fits)
        return refuse(p, whole);
    bool upward =
        is_integer(p->param) ? from > 0 && from <= to : real_from > 0 && real_from <= real_to;
    if (!upward)
        return error_set(p->err, ERROR_USAGE, "%s=%s: a range must go upward from a value above 0",
                         p->param->key, whole);
    return is_integer(p->param) ? add_integers(p, from, to, &spacing)
                                : add_reals(p, real_from, real_to, spacing.values);
}

bool values_parse(struct arena *arena, const struct param_info *param, const char *text,
                  struct value_list *list, struct error *err)
{
    *list = (struct value_list){0};
    struct parser parser = {.arena = arena, .param = param, .list = list, .err = err};
    char *rest = arena_strdup(arena, text);
    // The content of a file (it begins with '{') is one value, even with commas.
    if (param->type == PARAM_TEXT && *text == '{')
        return add_word(&parser, text);
    while (rest) {
        char *part = rest, *comma = strchr(rest, ',');
        rest = comma ? comma + 1 : NULL;
        if (comma)
            *comma = '\0';
        char *dots = param->type == PARAM_TEXT ? NULL : strstr(part, "..");
        const char *whole = arena_strdup(arena, part);
        if (dots ? !add_range(&parser, whole, part, dots) : !add_single(&parser, part))
            return false;
    }
    return true;
}
