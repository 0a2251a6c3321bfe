// SPDX-License-Identifier: MIT
// Each line registers one benchmark: BENCHMARK(name) is for `const struct benchmark bench_name` in
// bench/name/. `fathom list` and reports use this order.
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
