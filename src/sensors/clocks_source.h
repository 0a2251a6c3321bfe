// SPDX-License-Identifier: MIT
// The interface of a driver that can set core clocks (NVML, amdgpu). Only files of sensors/ include
// this header.
#ifndef SENSORS_CLOCKS_SOURCE_H
#define SENSORS_CLOCKS_SOURCE_H

#include "sensors/clocks.h"

struct clocks_choices {
    // Core clocks in Hz that the card lists. INFINITY marks a clock that must not be chosen.
    double hz[SENSOR_CLOCKS_MAX];
    size_t count;
};

struct clocks_source {
    const char *name;
    // Opens the card and returns a handle, in `arena`. Sets *choices to the clocks that can be
    // locked, and *before to the state that `restore` restores. If the clock cannot be set, returns
    // NULL with the reason. Sets *knows to true if this interface (NVML or amdgpu) knows the card;
    // then no other interface is tried.
    void *(*open)(struct arena *arena, const struct sensor_clocks_desc *desc,
                  struct clocks_choices *choices, const char **before, bool *knows,
                  struct error *err);
    // closes the handle; the pointer is NULL if freeing the arena is enough
    void (*close)(void *handle);
    // Fails with ERROR_UNSUPPORTED and the reason if the card's clock must not be set: other
    // processes use the card, they cannot be listed, or the card is divided (MIG, virtual GPUs).
    bool (*check)(void *handle, const struct sensor_clocks_desc *desc, struct error *err);
    // Returns the processes that use the card, as a text such as "python3 (process 4711)"; NULL if
    // no other process is visible. Leaves out desc->own_pid and its descendants.
    const char *(*users)(struct arena *arena, const struct sensor_clocks_desc *desc);
    // Locks the card's core clock at choices->hz[choice]. If any setting of the card was changed,
    // sets *touched to true, even if the function then fails.
    bool (*lock)(void *handle, const struct clocks_choices *choices, size_t choice, bool *touched,
                 struct error *err);
    bool (*restore)(void *handle, const char *before, struct error *err);
};

extern const struct clocks_source clocks_nvml, clocks_amdgpu;

// Returns the path of procfs: desc->proc_root, or "/proc" if proc_root is NULL.
const char *clocks_proc(const struct sensor_clocks_desc *desc);

// True if the process is desc->own_pid or a visible descendant of it.
bool clocks_is_own(const struct sensor_clocks_desc *desc, long pid);

// Returns the ids of the processes that have the card open (drm-pdev in /proc/PID/fdinfo), in
// `arena`, without desc->own_pid and its descendants. Sets *barred to true if some processes may be
// missing, because access was denied, /proc cannot be read, or the card's PCI address is unknown.
const long *clocks_openers(struct arena *arena, const struct sensor_clocks_desc *desc,
                           size_t *count, bool *barred);

// Appends a process to the list `text`, as "python3 (process 4711)". Returns the new list, in
// `arena`. If the list is empty, `text` is NULL. If the process is not visible, returns `text`.
const char *clocks_add_user(struct arena *arena, const struct sensor_clocks_desc *desc, long pid,
                            const char *text);

// Always fails, with ERROR_UNSUPPORTED. The message says that the process `pid` also uses the card.
bool clocks_refuse_other(const struct sensor_clocks_desc *desc, long pid, struct error *err);

#endif
