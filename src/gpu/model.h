// SPDX-License-Identifier: MIT
// The model GPU: a deterministic simulated device that a JSON file describes. Measurements on it
// can be compared with what the file says. `-d model:FILE` selects it.
//
//   kernels   the .cl files of the other APIs, compiled for the host (bench/prelude/host.clh).
//             Their loads, clocks and barriers are calls into the simulator. Some kernels move too
//             much data to be simulated. They only describe what a dispatch reads and writes
//             (bench/prelude/stream.clh), and the model computes how long this takes in the steady
//             state. A kernel without either form is unsupported, and its cases are skipped
//   time      virtual. Each thread has its own time, in core cycles. A load takes the latency of
//             the level that has its data; a barrier waits for the last thread; the workgroups of
//             a core run one after another; a launch takes launch_ns
//   memory    host memory. The simulator uses addresses of its own, so that two runs with the same
//             seed are equal to the last cycle
//
// {
//   "name": "two levels",
//   "source": "where its figures come from",           // optional
//   "cores": 4,
//   "core_threads": 2048,                              // most threads on a core; optional
//   "core_clock_hz": 1.5e9,
//   "memory_bytes": 536870912,
//   "last_cache_bytes": 4194304,                       // as a driver would report it; optional
//   "levels": [                                        // from the core outwards, at least one
//     { "capacity_bytes": 65536, "line_bytes": 128, "sector_bytes": 32, "ways": 4,
//       "latency_cycles": 32, "latency_ns": 0,         // the latency is the sum of both
//       "shared": "core",                              // or "chip", "near", or a number of cores
//       "sets": "hashed",                              // or "plain": chosen by address bits
//       "replacement": "lru",                          // or "plru", "random"
//       "bandwidth": { "core_bytes_per_cycle": 64, "chip_bytes_per_cycle": 256 } }
//   ],
//   "memory": { "latency_cycles": 600, "latency_ns": 0,
//               "clock_hz": 1.6e9, "latency_clocks": 0,      // added: cycles of clock_hz
//               "refresh": { "period_ns": 3900, "length_ns": 300 },
//               "bandwidth": { "core_bytes_per_cycle": 16, "chip_bytes_per_cycle": 100 } },
//   "tlb": [ { "entries": 512, "page_bytes": 2097152, "ways": 8, "miss_cycles": 100 } ],
//   "launch_ns": 2000,
//   "clock_step_ns": 32,                               // step of the device's clock
//   "noise": { "relative": 0.01, "correlation": 0.5, "outliers": 0.01, "seed": 1 },
//   "throttling": { "after_ns": 1e8, "period_ns": 5e7, "length_ns": 2e7, "core_clock_hz": 1e9 }
// }
//
// A level with "near" has several caches that together make up the next level; each of them belongs
// to a group of cores. "noise" multiplies all latencies of a dispatch by a random factor, an AR(1)
// series over the dispatches; "outliers" is the share of dispatches that take 1.5 times as long.
// "throttling": from `after_ns` on, the dispatches that start in the first `length_ns` of each
// period run with the `core_clock_hz` of this object. docs/MODELS.md lists the optional members.
// Unknown members are errors. Each level must be larger and slower than the level before it.
#ifndef GPU_MODEL_H
#define GPU_MODEL_H

#include "base/error.h"

// The environment variable that has the paths of the models' files, one path a line. The model
// backend lists these models as the devices model:0, model:1, …. Worker processes inherit the
// variable.
#define GPU_MODEL_VARIABLE "FATHOM_MODEL"

// Checks a model's file. If the file cannot be read or does not describe a model, fails with
// ERROR_USAGE, and the message has the reason.
MUST_CHECK bool gpu_model_check(const char *path, struct error *err);

#endif
