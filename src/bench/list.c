// SPDX-License-Identifier: MIT
#include "bench/bench.h"

#define BENCHMARK(name) extern const struct benchmark bench_##name;
#include "bench/list.h"
#undef BENCHMARK

const struct benchmark *const benchmarks[] = {
#define BENCHMARK(name) &bench_##name,
#include "bench/list.h"
#undef BENCHMARK
    NULL,
};
