// SPDX-License-Identifier: MIT
// What an interface for setting core clocks implements. Private to sensors/.
#ifndef SENSORS_CLOCKS_SOURCE_H
#define SENSORS_CLOCKS_SOURCE_H

#include "sensors/clocks.h"

struct clocks_choices {
    double hz[SENSOR_CLOCKS_MAX]; // infinite: listed by the driver, but cannot be chosen
    size_t count;
};

struct clocks_source {
    const char *name;
    // Returns a handle for a card whose clock can be set, in memory of `arena`, and fills the
    // clocks to choose from and the state before a lock. NULL with the reason. `*knows` becomes
    // true if this interface knows the card; then no other interface is tried.
    void *(*open)(struct arena *arena, const struct sensor_clocks_desc *desc,
                  struct clocks_choices *choices, const char **before, bool *knows,
                  struct error *err);
    void (*close)(void *handle);
    // False with ERROR_UNSUPPORTED and the reason if other processes use the card or a part of it.
    bool (*check)(void *handle, const struct sensor_clocks_desc *desc, struct error *err);
    // The processes that use the card, as sensor_clocks_users returns them.
    const char *(*users)(struct arena *arena, const struct sensor_clocks_desc *desc);
    // `*touched` becomes true if anything was set, also if the call then failed.
    bool (*lock)(void *handle, const struct clocks_choices *choices, size_t choice, bool *touched,
                 struct error *err);
    bool (*restore)(void *handle, const char *before, struct error *err);
};

extern const struct clocks_source clocks_nvml, clocks_amdgpu;

// The folder of the processes: desc->proc_root or "/proc".
const char *clocks_proc(const struct sensor_clocks_desc *desc);

// True if the process is desc->own_pid or one of its descendants. False if it is not visible.
bool clocks_is_own(const struct sensor_clocks_desc *desc, long pid);

// The processes that have the card open by drm-pdev in their /proc/PID/fdinfo, without our own, in
// `arena`. `*barred` becomes true if some process may not be looked at.
const long *clocks_openers(struct arena *arena, const struct sensor_clocks_desc *desc,
                           size_t *count, bool *barred);

// Adds "python3 (process 4711)" to a list, `text` (NULL: empty), in `arena`. Returns `text` if the
// process is not visible.
const char *clocks_add_user(struct arena *arena, const struct sensor_clocks_desc *desc, long pid,
                            const char *text);

// Returns false with ERROR_UNSUPPORTED and a message that names the process.
bool clocks_refuse_other(const struct sensor_clocks_desc *desc, long pid, struct error *err);

#endif
