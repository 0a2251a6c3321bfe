// SPDX-License-Identifier: MIT
#include "results/units.h"
#include "results/names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *unit_name(enum unit unit)
{
    return words_name(&unit_words, unit);
}

// Each unit in `names` is `base` times the unit before it; names[home] is the unscaled unit.
struct scale {
    double base;
    unsigned home, count;
    const char *names[8];
};

static const struct scale scales[UNIT_SHOWN_COUNT] = {
    [UNIT_NONE] = {1, 0, 1, {""}},
    [UNIT_NS] = {1000, 0, 4, {"ns", "µs", "ms", "s"}},
    [UNIT_CYCLE] = {1000, 0, 4, {"cycles", "kcycles", "Mcycles", "Gcycles"}},
    [UNIT_BYTE] = {1024, 0, 6, {"B", "KiB", "MiB", "GiB", "TiB", "PiB"}},
    [UNIT_BYTE_PER_S] = {1000, 0, 6, {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"}},
    [UNIT_BYTE_PER_CYCLE] = {1000, 0, 2, {"B/cycle", "kB/cycle"}},
    [UNIT_OP_PER_S] = {1000, 0, 6, {"op/s", "kop/s", "Mop/s", "Gop/s", "Top/s", "Pop/s"}},
    [UNIT_OP_PER_CYCLE] = {1000, 0, 2, {"op/cycle", "kop/cycle"}},
    [UNIT_HZ] = {1000, 0, 4, {"Hz", "kHz", "MHz", "GHz"}},
    [UNIT_WATT] = {1000, 1, 4, {"mW", "W", "kW", "MW"}},
    [UNIT_JOULE] = {1000, 4, 7, {"pJ", "nJ", "µJ", "mJ", "J", "kJ", "MJ"}},
    [UNIT_DEGC] = {1, 0, 1, {"°C"}},
    [UNIT_FLOP_PER_S] = {1000,
                         0,
                         6,
                         {"FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"}},
};

// Returns the value rounded to four significant digits, as screens show it.
static double round_shown(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.3e", value);
    return strtod(text, NULL);
}

static int decimals_of(double shown)
{
    double size = fabs(shown);
    if (size >= 1000 || size == 0)
        return 0;
    return size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : size >= 0.1 ? 4 : 5;
}

static void trim_zeros(char *number)
{
    if (!strchr(number, '.'))
        return;
    char *end = number + strlen(number);
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.')
        end[-1] = '\0';
}

double unit_scale(double value, enum unit unit, const char **name)
{
    const struct scale *scale = &scales[(unsigned)unit < UNIT_SHOWN_COUNT ? unit : UNIT_NONE];
    unsigned at = scale->home;
    while (at + 1 < scale->count && fabs(round_shown(value)) >= scale->base) {
        value /= scale->base;
        at++;
    }
    while (at > 0 && value != 0 && fabs(round_shown(value)) < 1) {
        value *= scale->base;
        at--;
    }
    *name = scale->names[at];
    return value;
}

const char *number_format(double value, char *text, size_t bytes)
{
    double shown = round_shown(value);
    if (fabs(shown) >= 1e15 || (shown != 0 && fabs(shown) < 1e-4))
        snprintf(text, bytes, "%.3e", value);
    else
        snprintf(text, bytes, "%.*f", decimals_of(shown), value);
    return text;
}

const char *unit_format(double value, enum unit unit, char *text, size_t bytes)
{
    if (!isfinite(value)) {
        snprintf(text, bytes, "–");
        return text;
    }
    const char *name;
    double scaled = unit_scale(value, unit, &name);
    char number[40];
    number_format(scaled, number, sizeof number);
    // most sizes and counts are whole numbers: 32 KiB, not 32.00 KiB
    if ((unit == UNIT_BYTE || unit == UNIT_NONE) && !strchr(number, 'e'))
        trim_zeros(number);
    snprintf(text, bytes, "%s%s%s", number, *name ? " " : "", name);
    return text;
}

const char *unit_text(struct arena *arena, double value, enum unit unit)
{
    char text[64];
    return arena_strdup(arena, unit_format(value, unit, text, sizeof text));
}
