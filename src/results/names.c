// SPDX-License-Identifier: MIT
#include "results/names.h"

#include <string.h>

bool words_find(const struct words *words, const char *word, unsigned *index)
{
    for (*index = 0; *index < words->count; ++*index)
        if (strcmp(words->names[*index], word) == 0)
            return true;
    return false;
}

const char *words_name(const struct words *words, unsigned index)
{
    return index < words->count ? words->names[index] : "?";
}

#define WORDS(prefix, what, ...)                                                                   \
    static const char *const prefix##_names[] = {__VA_ARGS__};                                     \
    const struct words prefix##_words = {                                                          \
        .names = prefix##_names,                                                                   \
        .count = sizeof prefix##_names / sizeof *prefix##_names,                                   \
        .expected = (what),                                                                        \
    };

WORDS(better, "lower, higher or none", [BETTER_NONE] = "none", [BETTER_LOWER] = "lower",
      [BETTER_HIGHER] = "higher")
WORDS(card_level, NULL, [CARD_LEVEL_ANY] = "any", [CARD_LEVEL_L1] = "L1", [CARD_LEVEL_L2] = "L2",
      [CARD_LEVEL_DRAM] = "DRAM")
WORDS(card_section, NULL, [CARD_NONE] = "none", [CARD_LATENCY] = "latency",
      [CARD_BANDWIDTH] = "bandwidth", [CARD_ARITHMETIC] = "arithmetic", [CARD_HOST] = "host")
WORDS(headline_kind, NULL, [HEADLINE_BEST] = "best", [HEADLINE_LEVELS] = "levels")
WORDS(param_role, "axis, method or display", [PARAM_AXIS] = "axis", [PARAM_METHOD] = "method",
      [PARAM_DISPLAY] = "display")
WORDS(param_type, "uint, bytes, real or text", [PARAM_UINT] = "uint", [PARAM_BYTES] = "bytes",
      [PARAM_REAL] = "real", [PARAM_TEXT] = "text")
WORDS(run_status, "running, complete or interrupted", [RUN_RUNNING] = "running",
      [RUN_COMPLETE] = "complete", [RUN_INTERRUPTED] = "interrupted")
WORDS(verdict, "ok, suspect, skipped or failed", [VERDICT_OK] = "ok", [VERDICT_SUSPECT] = "suspect",
      [VERDICT_SKIPPED] = "skipped", [VERDICT_FAILED] = "failed")
WORDS(view_kind, NULL, [VIEW_CURVE] = "curve", [VIEW_BARS] = "bars", [VIEW_HEATMAP] = "heatmap",
      [VIEW_TABLE] = "table", [VIEW_TIMELINE] = "timeline", [VIEW_LINES] = "lines")
#define X(name, text) [UNIT_##name] = text,
WORDS(unit, "a unit of run files", UNITS(X))
#undef X

const char *verdict_name(enum verdict verdict)
{
    return words_name(&verdict_words, verdict);
}
