// SPDX-License-Identifier: MIT
// The interface of a source of sensor values (NVML, hwmon). Only files of sensors/ include this
// header.
#ifndef SENSORS_SOURCE_H
#define SENSORS_SOURCE_H

#include "sensors/sensors.h"

struct sensors_source {
    const char *name;
    // Opens the source for the card. Returns a handle, in `arena`. If this source does not know the
    // card, returns NULL with the reason.
    void *(*open)(struct arena *arena, const struct sensors_desc *desc, struct error *err);
    // closes the handle; the pointer is NULL if freeing the arena is enough
    void (*close)(void *handle);
    // Sets the elements of `values` that this source can read. The caller checks whether the values
    // are possible.
    void (*read)(void *handle, double values[SENSOR_VALUE_COUNT]);
    // Returns the traffic of the card's links, like sensors_traffic. The pointer is NULL if this
    // source counts no traffic.
    double (*traffic)(void *handle);
    // Returns the traffic of the host's other cards, like sensors_others_traffic. The pointer is
    // NULL if this source does not count this traffic.
    double (*others_traffic)(void *handle);
    // Returns the number of bytes of the card's memory that are in use; NaN if it is not known.
    double (*used_memory)(void *handle);
};

extern const struct sensors_source sensors_nvml, sensors_hwmon;

#endif
