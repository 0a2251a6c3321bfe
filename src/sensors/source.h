// SPDX-License-Identifier: MIT
// What a source of sensors implements; known to sensors/ only.
#ifndef SENSORS_SOURCE_H
#define SENSORS_SOURCE_H

#include "sensors/sensors.h"

struct sensors_source {
    const char *name;
    // The source's handle for the device, in memory of `arena`; NULL with the reason where it does
    // not know it.
    void *(*open)(struct arena *arena, const struct sensors_desc *desc, struct error *err);
    void (*close)(void *handle);
    // Fills what it can; the rest stays absent. Plausibility is the caller's check.
    void (*read)(void *handle, double values[SENSOR_VALUE_COUNT]);
};

extern const struct sensors_source sensors_nvml, sensors_hwmon;

// The card's PCI Express link as NVML tells it; false where it does not.
bool sensors_nvml_link(const struct sensors_desc *desc, double *transfers_hz, unsigned *lanes);

#endif
