// SPDX-License-Identifier: MIT
// Locks the core clock of a card that nobody else uses, and restores it. The caller must be a
// process that outlives the measuring one: see sensors/guard.h. Nothing here is called unless the
// user asked for clocks.
//
//   NVML     sets with nvmlDeviceSetGpuLockedClocks(f, f), which needs root and Volta or newer.
//            nvmlDeviceGetSupportedGraphicsClocks lists the clocks. The driver does not report an
//            earlier lock, so nvmlDeviceResetGpuLockedClocks restores the default.
//            (NVML API reference, "Device Commands" and "Device Queries", R535)
//   amdgpu   sets power_dpm_force_performance_level to manual, then pp_dpm_sclk to the number of a
//            state. The level that was there before is restored. If that is already `manual`,
//            nothing is set, because its states could not be restored.
//            (Linux, Documentation/gpu/amdgpu/thermal.rst, "GPU sysfs Power State Interfaces")
//
// The clock of a shared card is never set. These are refused: MIG; virtual GPUs; cards that other
// processes use (by NVML's lists, or by drm-pdev in /proc/PID/fdinfo: Linux,
// Documentation/gpu/drm-usage-stats.rst); and containers, where other processes are invisible.
#ifndef SENSORS_CLOCKS_H
#define SENSORS_CLOCKS_H

#include "sensors/sensors.h"

enum {
    SENSOR_CLOCKS_MAX = 512 // largest number of clocks of a card
};

struct sensor_clocks_desc {
    struct sensors_desc card;
    const char *proc_root; // NULL: "/proc"; tests use a folder of their own
    long own_pid;          // this process and its descendants may use the card
    const char *undo;      // state to restore first, saved by an earlier guard; NULL: none
};

struct sensor_clocks;

// Opens a card whose clock can be set. Changes nothing, except that it restores desc->undo. NULL
// with ERROR_UNSUPPORTED if the clock cannot or must not be set; the message says what, why and
// what to do. The caller owns it. sensor_clocks_close does not restore the clock; NULL is legal
// there.
struct sensor_clocks *sensor_clocks_open(const struct sensor_clocks_desc *desc, struct error *err);
void sensor_clocks_close(struct sensor_clocks *clocks);

// Locks the card's clock that is nearest to `hz`, and returns that clock in *granted_hz. First
// checks again that nobody else uses the card. If the call fails, the clock is restored, also if an
// earlier call locked it.
MUST_CHECK bool sensor_clocks_lock(struct sensor_clocks *clocks, double hz, double *granted_hz,
                                   struct error *err);

// The state that is restored, in one word: the level before the lock ("auto"), or "default" if the
// driver does not report it.
const char *sensor_clocks_before(const struct sensor_clocks *clocks);

// Restores the clock if it is locked. False with the reason if it stays locked.
MUST_CHECK bool sensor_clocks_restore(struct sensor_clocks *clocks, struct error *err);

// The processes that use a card, without desc->own_pid and its descendants, for example "python3
// (process 4711), blender (process 815)", in `arena`: as NVML lists them, else those that name the
// card in their fdinfo. NULL if none is seen: a container hides them, and the fdinfo of other
// users' processes needs root. That a process is listed does not mean that it keeps the card busy.
const char *sensor_clocks_users(struct arena *arena, const struct sensor_clocks_desc *desc);

#endif
