// SPDX-License-Identifier: MIT
// What a card reports while it works: clocks, energy, temperature, and what lowers its clock. The
// sources are NVML (opened at run time) and amdgpu's hwmon files. A value that a source does not
// have, or that is impossible, is absent.
//
// A reading takes several driver calls, so the caller chooses when: after a visit, never while
// something is timed (measure/card.h). Only energy is read while work runs, and that work is not
// timed (measure/energy.h).
#ifndef SENSORS_SENSORS_H
#define SENSORS_SENSORS_H

#include "base/arena.h"

#include <stdint.h>

// The names are those in run files.
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

// Reasons for a lower core clock. Idle and application clocks are normal, and not listed.
enum sensor_throttle {
    SENSOR_THROTTLE_POWER = 1,    // the power limit
    SENSOR_THROTTLE_THERMAL = 2,  // temperature
    SENSOR_THROTTLE_HARDWARE = 4, // hardware slowdown or external power brake
};

struct sensor_reading {
    uint64_t at_ns;                    // CLOCK_MONOTONIC
    double values[SENSOR_VALUE_COUNT]; // not finite: absent
};

const char *sensor_name(enum sensor_value value);

// The reasons in a set of enum sensor_throttle, for example "power limit, thermal"; "none" for 0.
// In `arena`.
const char *sensor_throttle_text(struct arena *arena, unsigned set);

struct sensors_desc {
    const uint8_t *uuid;    // 16 bytes; NULL: unknown
    const char *pci;        // "0000:1b:00.0"; NULL: unknown
    const char *sysfs_root; // NULL: "/sys"; tests use a folder of their own
};

struct sensors;

// Opens the sensors of the card with this uuid or PCI address. NULL with ERROR_UNSUPPORTED and the
// reason if no source knows the card. The caller owns it; sensors_close(NULL) is legal.
struct sensors *sensors_open(const struct sensors_desc *desc, struct error *err);
void sensors_close(struct sensors *sensors);

// "NVML" or "amdgpu hwmon".
const char *sensors_source(const struct sensors *sensors);

// Reads all sensors. Values that cannot be read, or are impossible (0 Hz, 10 kW, 200 degC), are
// absent.
void sensors_read(struct sensors *sensors, struct sensor_reading *reading);

#endif
