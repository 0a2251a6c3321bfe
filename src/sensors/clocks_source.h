// SPDX-License-Identifier: MIT
// The interface that each way to set core clocks implements. Private to sensors/.
#ifndef SENSORS_CLOCKS_SOURCE_H
#define SENSORS_CLOCKS_SOURCE_H

#include "sensors/clocks.h"

struct clocks_choices {
    double hz[SENSOR_CLOCKS_MAX]; // infinite: the driver lists the clock, but it cannot be chosen
    size_t count;
};

struct clocks_source {
    const char *name;
    // Returns a handle for a card whose clock can be set, in `arena`. Sets *choices to the clocks
    // that can be locked, and *before to the state before a lock. Returns NULL with the reason if
    // the clock cannot be set. Sets *knows to true if this interface knows the card; no other
    // interface is then tried.
    void *(*open)(struct arena *arena, const struct sensor_clocks_desc *desc,
                  struct clocks_choices *choices, const char **before, bool *knows,
                  struct error *err);
    void (*close)(void *handle);
    // Fails with ERROR_UNSUPPORTED and the reason if other processes use the card, if it is divided
    // (MIG, virtual GPUs), or if its users cannot be listed.
    bool (*check)(void *handle, const struct sensor_clocks_desc *desc, struct error *err);
    // Returns the processes that use the card, in the form of sensor_clocks_users.
    const char *(*users)(struct arena *arena, const struct sensor_clocks_desc *desc);
    // Locks a clock. Sets *touched to true if anything was set, even if the call then failed.
    bool (*lock)(void *handle, const struct clocks_choices *choices, size_t choice, bool *touched,
                 struct error *err);
    bool (*restore)(void *handle, const char *before, struct error *err);
};

extern const struct clocks_source clocks_nvml, clocks_amdgpu;

// Returns the folder of the processes: desc->proc_root, or "/proc" if that is NULL.
const char *clocks_proc(const struct sensor_clocks_desc *desc);

// True if the process is desc->own_pid or one of its descendants. False if the process is not
// visible.
bool clocks_is_own(const struct sensor_clocks_desc *desc, long pid);

// Returns the ids of the processes that have the card open, by drm-pdev in their /proc/PID/fdinfo,
// without desc->own_pid and its descendants, in `arena`. Sets *barred to true if the list may lack
// processes: access to one was denied, /proc cannot be read, or the PCI address is unknown.
const long *clocks_openers(struct arena *arena, const struct sensor_clocks_desc *desc,
                           size_t *count, bool *barred);

// Adds "python3 (process 4711)" to the list `text` (NULL: empty), in `arena`. Returns `text`
// unchanged if the process is not visible.
const char *clocks_add_user(struct arena *arena, const struct sensor_clocks_desc *desc, long pid,
                            const char *text);

// Returns false with ERROR_UNSUPPORTED and a message that names the process.
bool clocks_refuse_other(const struct sensor_clocks_desc *desc, long pid, struct error *err);

#endif
