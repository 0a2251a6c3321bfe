// SPDX-License-Identifier: MIT
// Reads what a card reports while it works: clocks, energy, temperature, and the reasons for a
// lower clock. The sources are NVML (opened at run time) and amdgpu's hwmon files. A value that a
// source does not have, or that is impossible, is NaN.
//
// A reading takes several driver calls, so the caller chooses its time: after a visit, never while
// work is timed (measure/card.h). Only energy is read while work runs, and that work is not timed
// (measure/energy.h).
#ifndef SENSORS_SENSORS_H
#define SENSORS_SENSORS_H

#include "base/arena.h"

#include <stdint.h>

// The sensors and their names in run files.
#define SENSOR_VALUES(X)                                                                           \
    X(CORE_CLOCK, "card_core_clock")     /* Hz, as the card reports it */                          \
    X(MEMORY_CLOCK, "card_memory_clock") /* Hz */                                                  \
    X(ENERGY, "energy")                  /* J since the driver was loaded: use differences */      \
    X(TEMPERATURE, "temperature")        /* degC */                                                \
    X(THROTTLE, "throttle")              /* set of enum sensor_throttle */                         \
    /* s in which a limit lowered the clock, since the driver was loaded: use differences */       \
    X(POWER_LIMITED, "power_limited")                                                              \
    X(THERMAL_LIMITED, "thermal_limited")

enum sensor_value {
#define X(name, text) SENSOR_##name,
    SENSOR_VALUES(X)
#undef X
    SENSOR_VALUE_COUNT
};

// Reasons for a lower core clock. Idle and application clocks are normal and do not count.
enum sensor_throttle {
    SENSOR_THROTTLE_POWER = 1,    // power limit
    SENSOR_THROTTLE_THERMAL = 2,  // temperature
    SENSOR_THROTTLE_HARDWARE = 4, // hardware slowdown or external power brake
};

struct sensor_reading {
    uint64_t at_ns;                    // CLOCK_MONOTONIC
    double values[SENSOR_VALUE_COUNT]; // NaN: not known
};

const char *sensor_name(enum sensor_value value);

// Returns the reasons in a set of enum sensor_throttle, in `arena`: "power limit, thermal"; "none"
// for 0.
const char *sensor_throttle_text(struct arena *arena, unsigned set);

struct sensors_desc {
    const uint8_t *uuid;    // 16 bytes; NULL: unknown
    const char *pci;        // "0000:1b:00.0"; NULL: unknown
    const char *sysfs_root; // NULL: "/sys"; tests set a different folder
};

struct sensors;

// Opens the sensors of the card with this uuid or PCI address. Returns NULL with ERROR_UNSUPPORTED
// and the reason if no source knows the card. The caller owns the result; sensors_close accepts
// NULL.
struct sensors *sensors_open(const struct sensors_desc *desc, struct error *err);
void sensors_close(struct sensors *sensors);

// Returns "NVML" or "amdgpu hwmon".
const char *sensors_source(const struct sensors *sensors);

// Reads all sensors. A value that cannot be read, or is impossible (0 Hz, 200 degC), becomes NaN.
void sensors_read(struct sensors *sensors, struct sensor_reading *reading);

#endif
