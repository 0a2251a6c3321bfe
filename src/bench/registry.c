// SPDX-License-Identifier: MIT
#include "bench/bench.h"

#include <string.h>

bool benchmark_times_submissions(const struct benchmark *benchmark)
{
    return benchmark->link || benchmark->device;
}

const struct benchmark *benchmark_find(const char *name)
{
    for (size_t i = 0; benchmarks[i]; i++)
        if (strcmp(benchmarks[i]->info.name, name) == 0)
            return benchmarks[i];
    return NULL;
}

const struct benchmark *benchmark_session_of(const struct benchmark *benchmark, struct error *err)
{
    if (!benchmark->session_of)
        return benchmark;
    const struct benchmark *owner = benchmark_find(benchmark->session_of);
    if (!owner)
        error_set(err, ERROR_UNSUPPORTED, "this build lacks the benchmark %s, which it needs",
                  benchmark->session_of);
    return owner;
}

const struct bench_choice *bench_choice_find(const struct bench_request *request, const char *key)
{
    for (size_t i = 0; i < request->choice_count; i++)
        if (strcmp(request->choices[i].param->key, key) == 0)
            return &request->choices[i];
    return NULL;
}

void bench_case_add(struct arena *arena, struct bench_case_list *list, struct bench_case c)
{
    list->cases = arena_grow(arena, list->cases, list->count, &list->capacity, sizeof c);
    list->cases[list->count++] = c;
}
