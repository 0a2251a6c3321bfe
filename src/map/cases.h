// SPDX-License-Identifier: MIT
// Cases of a map's plan that are those of other benchmarks: made as `fathom run BENCHMARK --set
// KEY=VALUES …` would make them, with the same keys and the same sizes.
#ifndef MAP_CASES_H
#define MAP_CASES_H

#include "bench/bench.h"

enum {
    MAP_CASES_TEXTS = 10
};

struct map_cases {
    struct arena *arena; // the cases live there
    const struct gpu_info *device;
    const struct benchmark *benchmark;
    const char *const *texts; // KEY=VALUES, at most MAP_CASES_TEXTS
    size_t count;
};

// What does not go together on this device makes none.
void map_cases_make(const struct map_cases *asked, struct bench_case_list *list);

// The largest value of `key` among them.
uint64_t map_cases_largest(const struct map_cases *asked, const char *key);

// Sizes, as --set takes them, up to `most`: four an octave to twice the last cache, three to six
// times. Behind it nothing but translation is left to see: one an octave there. Where lines are
// short, a chain's nodes fill that cache no sooner than in a region four times as large.
const char *map_cases_coarse(struct arena *arena, uint64_t last_cache_bytes, uint64_t most);

#endif
