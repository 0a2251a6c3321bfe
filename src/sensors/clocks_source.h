// SPDX-License-Identifier: MIT
// What can set core clocks; known to sensors/ only.
#ifndef SENSORS_CLOCKS_SOURCE_H
#define SENSORS_CLOCKS_SOURCE_H

#include "sensors/clocks.h"

struct clocks_choices {
    double hz[SENSOR_CLOCKS_MAX]; // infinite: listed, but no choice
    size_t count;
};

struct clocks_source {
    const char *name;
    // The handle of a card whose clock can be set, in memory of `arena`, with its choices and what
    // was there before. NULL with the reason; *knows: the card is this source's, no other is asked.
    void *(*open)(struct arena *arena, const struct sensor_clocks_desc *desc,
                  struct clocks_choices *choices, const char **before, bool *knows,
                  struct error *err);
    void (*close)(void *handle);
    // Whether anybody else has a part of the card. ERROR_UNSUPPORTED says who.
    bool (*check)(void *handle, const struct sensor_clocks_desc *desc, struct error *err);
    // *touched: something is set, be it all or, where that fails, a part.
    bool (*lock)(void *handle, const struct clocks_choices *choices, size_t choice, bool *touched,
                 struct error *err);
    bool (*restore)(void *handle, const char *before, struct error *err);
};

extern const struct clocks_source clocks_nvml, clocks_amdgpu;

// Whether the process is desc->own_pid or was started by it or by its children; false where it is
// not to be seen.
bool clocks_is_own(const struct sensor_clocks_desc *desc, long pid);

// "python3", in `arena`; "?" where it is not to be seen.
const char *clocks_process_name(struct arena *arena, const struct sensor_clocks_desc *desc,
                                long pid);

// ERROR_UNSUPPORTED that names the process.
bool clocks_refuse_other(const struct sensor_clocks_desc *desc, long pid, struct error *err);

#endif
