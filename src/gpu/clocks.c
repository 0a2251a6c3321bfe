// SPDX-License-Identifier: MIT
#include "gpu/clocks.h"
#include "gpu/front.h"

bool gpu_clocks_choose(struct gpu_device *device, double core_hz, struct error *err)
{
    if (!gpu_device_check(device, err) || !gpu_require(device->info, GPU_CAP(CLOCK_CHOICE), err))
        return false;
    if (!(core_hz >= 0))
        return error_set(err, ERROR_INTERNAL, "a core clock of %g Hz", core_hz);
    return gpu_device_note(device, device->backend->clocks->choose(device, core_hz, err), err);
}
