// SPDX-License-Identifier: MIT
// Locks the core clock of a card that nobody else uses, and restores it. The calling process must
// outlive the process that measures (sensors/guard.h). All functions except sensor_clocks_users are
// called only if the user asked for clocks.
//
// NVML: nvmlDeviceSetGpuLockedClocks(f, f) needs root and Volta or newer. The driver does not
// report an earlier lock, so nvmlDeviceResetGpuLockedClocks restores the default. (NVML API
// reference, "Device Commands" and "Device Queries", R535)
//
// amdgpu: writes `manual` to power_dpm_force_performance_level, then the number of a state to
// pp_dpm_sclk. The level before the lock is restored. If this level is `manual`, nothing is set,
// because the states chosen before could not be restored. (Linux,
// Documentation/gpu/amdgpu/thermal.rst, "GPU sysfs Power State Interfaces")
//
// The clock of a shared card is never set. So MIG, virtual GPUs and cards that other processes use
// are refused, and so are containers, where other processes are invisible. Processes are found in
// NVML's lists, or by drm-pdev in /proc/PID/fdinfo (Linux, Documentation/gpu/drm-usage-stats.rst).
#ifndef SENSORS_CLOCKS_H
#define SENSORS_CLOCKS_H

#include "sensors/sensors.h"

enum {
    SENSOR_CLOCKS_MAX = 512 // maximum number of core clocks of a card that are read
};

struct sensor_clocks_desc {
    struct sensors_desc card;
    const char *proc_root; // path of procfs; NULL means "/proc"; tests use another folder
    long own_pid;          // the process with this id and its descendants may use the card
    // State that sensor_clocks_open restores first, because an earlier guard process died and left
    // the clock locked. NULL if no guard died.
    const char *undo;
};

struct sensor_clocks;

// Opens a card to set its clock. If desc->undo is not NULL, restores this state at once. Returns
// NULL with ERROR_UNSUPPORTED if the clock cannot or must not be set; the message says why and what
// to do. sensor_clocks_close accepts NULL and does not restore the clock.
struct sensor_clocks *sensor_clocks_open(const struct sensor_clocks_desc *desc, struct error *err);
void sensor_clocks_close(struct sensor_clocks *clocks);

// Locks the card's clock to the supported clock nearest to `hz`, and sets *granted_hz to that
// clock. Fails if another process now uses the card. A failed call restores the clock, even if an
// earlier call had locked it. If restoring fails, too, the message says so.
MUST_CHECK bool sensor_clocks_lock(struct sensor_clocks *clocks, double hz, double *granted_hz,
                                   struct error *err);

// Returns the state that sensor_clocks_restore restores, as one word. For amdgpu, this is the
// performance level before the lock, such as "auto". For NVML, it is always "default", because NVML
// does not report an earlier state.
const char *sensor_clocks_before(const struct sensor_clocks *clocks);

// Restores the clock if it is locked. Returns false with the reason if it stays locked.
MUST_CHECK bool sensor_clocks_restore(struct sensor_clocks *clocks, struct error *err);

// Returns the processes that use a card, as a text in `arena`: "python3 (process 4711), blender
// (process 815)"; NULL if no such process is visible. A container hides processes, and only root
// sees the fdinfo of other users. Leaves out desc->own_pid and its descendants. Looks in NVML's
// lists, then in /proc/PID/fdinfo. A listed process may be idle.
const char *sensor_clocks_users(struct arena *arena, const struct sensor_clocks_desc *desc);

#endif
