// SPDX-License-Identifier: MIT
// From a preset and what --set said to the values of every parameter of a benchmark.
#ifndef BENCH_CHOICES_H
#define BENCH_CHOICES_H

#include "bench/bench.h"

// One --set: [BENCHMARK.]KEY=VALUES.
struct setting {
    const char *benchmark; // NULL: every benchmark of the run that has the key
    const char *key;
    const char *values; // grammar of bench/values.h
    const char *text;   // as it was typed
};

// The benchmarks of a run, the preset and the settings, which come later = weigh more.
struct choice_request {
    const struct benchmark *const *benchmarks;
    size_t benchmark_count;
    const char *preset; // "quick", "standard", "full"
    const struct setting *settings;
    size_t setting_count;
    const struct gpu_system *system; // with all devices, also those not measured; may be NULL
};

// "quick|standard|full": the names of presets.
#define PRESET_NAMES   "quick|standard|full"
#define PRESET_DEFAULT "standard"

// Splits the text of one --set. ERROR_USAGE where it is not of that form.
MUST_CHECK bool setting_parse(struct arena *arena, const char *text, struct setting *setting,
                              struct error *err);

// ERROR_USAGE where the preset is unknown or a setting names a benchmark that is not in the run, a
// key that none of them has, or values that do not parse; the nearest right name is suggested.
MUST_CHECK bool choices_check(struct arena *arena, const struct choice_request *request,
                              struct error *err);

// One choice a parameter of `benchmark`, in the order of its params. ERROR_USAGE where values do
// not parse, or what is set has more combinations than anybody waits for.
MUST_CHECK bool choices_make(struct arena *arena, const struct choice_request *request,
                             const struct benchmark *benchmark, struct bench_choice **choices,
                             struct error *err);

#endif
