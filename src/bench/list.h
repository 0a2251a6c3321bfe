// SPDX-License-Identifier: MIT
// Each line registers one benchmark. BENCHMARK(name) registers `const struct benchmark bench_name`,
// which a file in bench/name/ defines. `fathom list` shows the benchmarks in this order.
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
BENCHMARK(rays)
BENCHMARK(occupancy)
