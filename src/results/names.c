// SPDX-License-Identifier: MIT
#include "results/names.h"
#include "results/check.h"
#include "results/reasons.h"

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
WORDS(check_basis, NULL, [CHECK_BASIS_NONE] = "none", [CHECK_BASIS_REFERENCE] = "reference",
      [CHECK_BASIS_LIMIT] = "limit", [CHECK_BASIS_OWN] = "own")
WORDS(check_code, NULL, [CHECK_OK] = "ok", [CHECK_MEMORY_CLOCK] = "memory-clock",
      [CHECK_CORE_CLOCK] = "core-clock", [CHECK_POWER_LIMIT] = "power-limit",
      [CHECK_THERMAL] = "thermal", [CHECK_LINK_WIDTH] = "link-width",
      [CHECK_LINK_GENERATION] = "link-generation", [CHECK_BELOW_EXPECTATION] = "below-expectation",
      [CHECK_WRONG_RESULTS] = "wrong-results", [CHECK_HUNG] = "hung", [CHECK_LOST] = "lost",
      [CHECK_MISSING] = "missing", [CHECK_ERRORS] = "errors", [CHECK_BUSY] = "busy",
      [CHECK_ALTERED] = REASON_ALTERED, [CHECK_NO_EXPECTATION] = "no-expectation",
      [CHECK_NO_PERMISSION] = "no-permission", [CHECK_NOT_MEASURED] = "not-measured")
WORDS(check_judgement, "ok, slow or unknown", [CHECK_FIGURE_OK] = "ok",
      [CHECK_FIGURE_SLOW] = "slow", [CHECK_FIGURE_UNKNOWN] = "unknown")
WORDS(
    check_metric,
    NULL, [CHECK_DRAM_READ] = "dram_read", [CHECK_L2_READ] = "l2_read", [CHECK_FP32] = "fp32",
    [CHECK_FP64] = "fp64", [CHECK_FP16] = "fp16", [CHECK_MATRIX_FP16] = "matrix_fp16",
    [CHECK_LATENCY_L1] = "latency_l1", [CHECK_LATENCY_L2] = "latency_l2",
    [CHECK_LATENCY_DRAM] = "latency_dram", [CHECK_HOST_TO_DEVICE] = "host_to_device",
    [CHECK_DEVICE_TO_HOST] = "device_to_host", [CHECK_LINK_BOTH] = "link_both",
    [CHECK_LINK_ALL_AT_ONCE] = "link_all_at_once", [CHECK_PEER] = "peer",
    [CHECK_PEER_READ] = "peer_read", [CHECK_PEER_BOTH] = "peer_both", [CHECK_PEER_ALL] = "peer_all")
WORDS(check_verdict, "healthy, slow, broken or unknown", [CHECK_HEALTHY] = "healthy",
      [CHECK_SLOW] = "slow", [CHECK_BROKEN] = "broken", [CHECK_UNKNOWN] = "unknown")
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
