// SPDX-License-Identifier: MIT
// The interface of a driver that can set core clocks (NVML, amdgpu). Only files of sensors/ include
// this header.
#ifndef SENSORS_CLOCKS_SOURCE_H
#define SENSORS_CLOCKS_SOURCE_H

#include "sensors/clocks.h"

struct clocks_choices {
    // Core clocks in Hz that the card lists. A clock of INFINITY is never chosen.
    double hz[SENSOR_CLOCKS_MAX];
    size_t count;
};

struct clocks_source {
    const char *name;
    // Opens the card. Returns a handle, in `arena`, or NULL with the reason if the clock cannot be
    // set. Sets *choices to the clocks that can be locked, and *before to the state that `restore`
    // restores. If this interface (NVML or amdgpu) knows the card, sets *knows to true; the other
    // interface is then not tried.
    void *(*open)(struct arena *arena, const struct sensor_clocks_desc *desc,
                  struct clocks_choices *choices, const char **before, bool *knows,
                  struct error *err);
    void (*close)(void *handle); // closes the handle; NULL if freeing the arena is enough
    // Checks whether the card's clock may be set. It may not be set if other processes use the
    // card, if they cannot be listed, or if the card is divided (MIG, virtual GPUs). The function
    // then fails with ERROR_UNSUPPORTED and the reason.
    bool (*check)(void *handle, const struct sensor_clocks_desc *desc, struct error *err);
    // Returns the processes that use the card, as a text of the form "python3 (process 4711)".
    const char *(*users)(struct arena *arena, const struct sensor_clocks_desc *desc);
    // Locks the card's core clock at choices->hz[choice]. Sets *touched to true as soon as it has
    // changed a setting of the card, even if it fails later.
    bool (*lock)(void *handle, const struct clocks_choices *choices, size_t choice, bool *touched,
                 struct error *err);
    bool (*restore)(void *handle, const char *before, struct error *err);
};

extern const struct clocks_source clocks_nvml, clocks_amdgpu;

// Returns the path of procfs: desc->proc_root, or "/proc" if that is NULL.
const char *clocks_proc(const struct sensor_clocks_desc *desc);

// True if the process is desc->own_pid or one of its descendants. False if the process is not
// visible.
bool clocks_is_own(const struct sensor_clocks_desc *desc, long pid);

// Returns the ids of the processes that have the card open, as an array in `arena`, without
// desc->own_pid and its descendants. The line drm-pdev in /proc/PID/fdinfo names the card. Sets
// *barred to true if processes may be missing: access to one was denied, /proc cannot be read, or
// the card's PCI address is unknown.
const long *clocks_openers(struct arena *arena, const struct sensor_clocks_desc *desc,
                           size_t *count, bool *barred);

// Appends a process to the list `text`, as "python3 (process 4711)", and returns the list, in
// `arena`. NULL is an empty list. If the process is not visible, returns `text` unchanged.
const char *clocks_add_user(struct arena *arena, const struct sensor_clocks_desc *desc, long pid,
                            const char *text);

// Fails with ERROR_UNSUPPORTED; the message says that the process `pid` also uses the card.
bool clocks_refuse_other(const struct sensor_clocks_desc *desc, long pid, struct error *err);

#endif
