// SPDX-License-Identifier: MIT
// Locks the core clock of a card that is one's own, and gives it back. Whoever uses this should be
// a process that outlives the one that measures: sensors/guard.h. Nothing here is called unless the
// user asked for clocks.
//
//   NVML     nvmlDeviceSetGpuLockedClocks(f, f), which wants root and Volta or newer;
//            nvmlDeviceGetSupportedGraphicsClocks has the choices. The driver does not tell a lock
//            that was there before: given back is nvmlDeviceResetGpuLockedClocks, the default.
//            (NVML API reference, "Device Commands" and "Device Queries", R535)
//   amdgpu   power_dpm_force_performance_level = manual, then the number of a state of pp_dpm_sclk.
//            Given back is the level that was there before. Where that is already `manual`, its
//            states could not be given back, and nothing is set.
//            (Linux, Documentation/gpu/amdgpu/thermal.rst, "GPU sysfs Power State Interfaces")
//
// Never on a card that is shared: refused are MIG, virtual GPUs, other processes on the card
// (NVML's lists of them; drm-pdev in /proc/PID/fdinfo: Linux,
// Documentation/gpu/drm-usage-stats.rst), and containers, from which other processes cannot be
// seen.
#ifndef SENSORS_CLOCKS_H
#define SENSORS_CLOCKS_H

#include "sensors/sensors.h"

enum {
    SENSOR_CLOCKS_MAX = 512 // choices of a card
};

struct sensor_clocks_desc {
    struct sensors_desc card;
    const char *proc_root; // NULL = "/proc"; tests give a folder of their own
    long own_pid;          // it and all that it started are not others
    const char *undo;      // given back to before anything else: what another one found; NULL: -
};

struct sensor_clocks;

// NULL where the clock cannot be set, or must not: ERROR_UNSUPPORTED with what, why, what to do.
// Sets nothing (but for desc->undo). Owned by the caller; sensor_clocks_close(NULL) is legal, and
// does not restore.
struct sensor_clocks *sensor_clocks_open(const struct sensor_clocks_desc *desc, struct error *err);
void sensor_clocks_close(struct sensor_clocks *clocks);

// Locks the card's choice that is nearest to `hz`, *granted_hz. Looks first whether the card is
// still nobody else's. Where it fails the clock is given back, if anything was set before or now.
MUST_CHECK bool sensor_clocks_lock(struct sensor_clocks *clocks, double hz, double *granted_hz,
                                   struct error *err);

// What the clock is given back to, one word: the level that was there before ("auto"), or "default"
// where the driver does not tell it.
const char *sensor_clocks_before(const struct sensor_clocks *clocks);

// Gives it back where it is locked. False: it stays locked, and why.
MUST_CHECK bool sensor_clocks_restore(struct sensor_clocks *clocks, struct error *err);

#endif
