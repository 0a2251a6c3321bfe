// SPDX-License-Identifier: MIT
// The core clock of a device that lets whoever opened it choose one, for itself alone. Needs
// CLOCK_CHOICE. Of what there is only models have it: no API of a real card takes a clock. There it
// is the whole machine's, and its driver's to set: sensors/clocks.h.
#ifndef GPU_CLOCKS_H
#define GPU_CLOCKS_H

#include "gpu/gpu.h"

// For batches that are submitted from now on; a clock beyond what the device reaches is the nearest
// that it does. 0: the device's own again.
MUST_CHECK bool gpu_clocks_choose(struct gpu_device *device, double core_hz, struct error *err);

#endif
