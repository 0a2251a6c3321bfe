// SPDX-License-Identifier: MIT
// The model GPU: a deterministic simulated device that a JSON file describes (docs/MODELS.md).
// Measurements on it can be compared with what the file says. `-d model:FILE` selects it.
//
//   kernels   the .cl files of the other APIs, compiled for the host (bench/prelude/host.clh).
//             Their loads, clocks and barriers are calls into the simulator. Kernels that move too
//             much data only describe what a dispatch reads and writes (bench/prelude/stream.clh),
//             and the model computes how long this takes. Other kernels are unsupported
//   time      virtual. Each thread has its own time, in core cycles. A load takes the latency of
//             the level that has its data; a barrier waits for the last thread; the workgroups of
//             a core run one after another; a launch takes launch_ns
//   memory    host memory. The simulator uses addresses of its own, so that two runs with the same
//             seed are equal to the last cycle
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
