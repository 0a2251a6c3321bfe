// SPDX-License-Identifier: MIT
// The model GPU: a deterministic simulated device, described by a JSON file, on which everything
// that measures can be held against a truth that is known. `-d model:FILE` reaches it.
//
//   kernels   the same .cl as elsewhere, compiled for the host (bench/prelude/host.clh): loads,
//             clocks and barriers are calls into the simulator. Kernels that move more than that
//             tell what a dispatch reads and writes instead (bench/prelude/stream.clh), which is
//             solved in its steady state. Kernels without either form are unsupported here, and
//             their cases skipped
//   time      virtual: each thread has its own, in core cycles; a load lasts as long as the level
//             that has its line, a barrier until the last thread is there; groups take turns on
//             cores; a launch costs what the file says
//   memory    host memory; addresses that the simulator sees are the model's own, so that two runs
//             with the same seed are equal to the last cycle
//
//   {
//     "name": "two levels",
//     "source": "where its figures come from",           // optional
//     "cores": 4,
//     "core_threads": 2048,                              // that a core holds; optional
//     "core_clock_hz": 1.5e9,
//     "memory_bytes": 536870912,
//     "last_cache_bytes": 4194304,                       // what the driver would state; optional
//     "levels": [                                        // from the core outwards, at least one
//       { "capacity_bytes": 65536, "line_bytes": 128, "sector_bytes": 32, "ways": 4,
//         "latency_cycles": 32, "latency_ns": 0,         // by the core's clock, and beside it
//         "shared": "core",                              // or "chip", "near", or a number of cores
//         "sets": "hashed",                              // or "plain": by address bits
//         "replacement": "lru",                          // or "plru", "random"
//         "bandwidth": { "core_bytes_per_cycle": 64, "chip_bytes_per_cycle": 256 } }
//     ],
//     "memory": { "latency_cycles": 600, "latency_ns": 0,
//                 "clock_hz": 1.6e9, "latency_clocks": 0,      // what comes to it by its own clock
//                 "refresh": { "period_ns": 3900, "length_ns": 300 },
//                 "bandwidth": { "core_bytes_per_cycle": 16, "chip_bytes_per_cycle": 100 } },
//     "tlb": [ { "entries": 512, "page_bytes": 2097152, "ways": 8, "miss_cycles": 100 } ],
//     "launch_ns": 2000,
//     "clock_step_ns": 32,                               // of the device's clock
//     "noise": { "relative": 0.01, "correlation": 0.5, "outliers": 0.01, "seed": 1 },
//     "throttling": { "after_ns": 1e8, "period_ns": 5e7, "length_ns": 2e7, "core_clock_hz": 1e9 }
//   }
//
// near: a part of the next level, near to some of the cores: there are as many parts as make up
// that level, and as many groups of cores. noise: a factor on all latencies of a dispatch, AR(1)
// from one to the next; outliers: the part of dispatches that take 1.5 times as long. throttling:
// at the beginning of each period from `after_ns` on, dispatches begin and end with the slower
// clock. docs/MODELS.md says which members may be left out. An unknown member is an error, as is a
// level that is not larger and slower than the one before.
#ifndef GPU_MODEL_H
#define GPU_MODEL_H

#include "base/error.h"

// The environment's name for files of models, a line each: the backend lists them as model:0,
// model:1 …. Workers inherit it.
#define GPU_MODEL_VARIABLE "FATHOM_MODEL"

// ERROR_USAGE with the JSON path and the reason where the file describes no model.
MUST_CHECK bool gpu_model_check(const char *path, struct error *err);

#endif
