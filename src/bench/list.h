// SPDX-License-Identifier: MIT
// One line a benchmark: BENCHMARK(name) for `const struct benchmark bench_name` in bench/name/.
// The order is that of `fathom list` and of reports.
BENCHMARK(latency)
BENCHMARK(bandwidth)
BENCHMARK(loads)
BENCHMARK(stream)
BENCHMARK(strides)
BENCHMARK(launch)
BENCHMARK(transfer)
BENCHMARK(managed)
BENCHMARK(overlap)
BENCHMARK(preempt)
BENCHMARK(map)
BENCHMARK(incore)
BENCHMARK(roofline)
BENCHMARK(raster)
BENCHMARK(occupancy)
