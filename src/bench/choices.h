// SPDX-License-Identifier: MIT
// Finds the values of all parameters of a benchmark, from a preset and the settings of --set.
#ifndef BENCH_CHOICES_H
#define BENCH_CHOICES_H

#include "bench/bench.h"

// One setting from the command line: --set [BENCHMARK.]KEY=VALUES.
struct setting {
    // benchmark that the setting names; NULL: every benchmark with the parameter `key`
    const char *benchmark;
    const char *key;
    const char *values; // values as text, in the grammar of bench/values.h
    const char *text;   // the setting as the user typed it
};

// What a run measures: benchmarks, a preset, and settings. If one setting names the benchmark and
// another one does not, the later one counts.
struct choice_request {
    const struct benchmark *const *benchmarks;
    size_t benchmark_count;
    // Name of the preset. `fathom run` has "quick", "standard" and "full"; `fathom map` has "map";
    // `fathom check` has presets of its own (suite/check_plan.c).
    const char *preset;
    const struct setting *settings;
    size_t setting_count;
    // All devices, also those that the run does not measure; NULL if the devices are not known.
    const struct gpu_system *system;
};

// PRESET_NAMES are the presets for help texts. PRESET_DEFAULT is the preset if the user names none.
#define PRESET_NAMES   "quick|standard|full"
#define PRESET_DEFAULT "standard"

// Parses the text of one --set. Fails with ERROR_USAGE if it is not [BENCHMARK.]KEY=VALUES.
MUST_CHECK bool setting_parse(struct arena *arena, const char *text, struct setting *setting,
                              struct error *err);

// Returns the values of the parameter in this preset, in the grammar of bench/values.h. If the
// preset has no values for the parameter, returns the values of the preset standard, or NULL if
// standard has no values either.
const char *choices_preset_values(const struct param_info *param, const char *preset);

// Checks the whole request. Fails with ERROR_USAGE if the preset is unknown, a setting names an
// unknown benchmark or parameter (the message may suggest a similar one), or choices_make fails.
MUST_CHECK bool choices_check(struct arena *arena, const struct choice_request *request,
                              struct error *err);

// Finds the chosen values of each parameter of `benchmark`. Fails with ERROR_USAGE if a value does
// not parse, a parameter without the role PARAM_AXIS gets several values, or --set has more than
// 65,536 combinations.
MUST_CHECK bool choices_make(struct arena *arena, const struct choice_request *request,
                             const struct benchmark *benchmark, struct bench_choice **choices,
                             struct error *err);

#endif
