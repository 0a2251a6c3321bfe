// SPDX-License-Identifier: MIT
// What the card says of itself while it works: clocks, power, energy, temperature, and why it runs
// slower than it could. Sources: NVML (dlopen, no SDK) and amdgpu's hwmon files. A value that a
// source does not give is absent; one that is impossible is dropped, never printed.
//
// A reading takes several driver calls, and who wants one says when: after a visit, never while
// something is timed (measure/card.h); energy alone while work runs, which is not timed then
// (measure/energy.h).
#ifndef SENSORS_SENSORS_H
#define SENSORS_SENSORS_H

#include "base/arena.h"

#include <stdint.h>

// Names are those of run files.
#define SENSOR_VALUES(X)                                                                           \
    X(CORE_CLOCK, "card_core_clock")     /* Hz, as the card reports it */                          \
    X(MEMORY_CLOCK, "card_memory_clock") /* Hz */                                                  \
    X(POWER, "power")                    /* W; NVML averages over up to a second */                \
    X(ENERGY, "energy")                  /* J since the driver was loaded: differences count */    \
    X(TEMPERATURE, "temperature")        /* degC */                                                \
    X(THROTTLE, "throttle")              /* set of enum sensor_throttle */

enum sensor_value {
#define X(name, text) SENSOR_##name,
    SENSOR_VALUES(X)
#undef X
    SENSOR_VALUE_COUNT
};

// Reasons that lower the core clock. Idle and application clocks are normal and not listed.
enum sensor_throttle {
    SENSOR_THROTTLE_POWER = 1,    // the power limit
    SENSOR_THROTTLE_THERMAL = 2,  // temperature
    SENSOR_THROTTLE_HARDWARE = 4, // hardware slowdown or external power brake
};

struct sensor_reading {
    uint64_t at_ns;                    // CLOCK_MONOTONIC
    double values[SENSOR_VALUE_COUNT]; // non-finite = absent
};

const char *sensor_name(enum sensor_value value);

// "power limit, thermal" for a set of enum sensor_throttle; "none" for 0. Lives in `arena`.
const char *sensor_throttle_text(struct arena *arena, unsigned set);

struct sensors_desc {
    const uint8_t *uuid;    // 16 bytes; NULL = not known
    const char *pci;        // "0000:1b:00.0"; NULL = not known
    const char *sysfs_root; // NULL = "/sys"; tests give a folder of their own
};

struct sensors;

// The sensors of the device with that uuid or PCI address; NULL with the reason in `err`
// (ERROR_UNSUPPORTED) where no source knows it. Owned by the caller; sensors_close(NULL) is legal.
struct sensors *sensors_open(const struct sensors_desc *desc, struct error *err);
void sensors_close(struct sensors *sensors);

// "NVML" or "amdgpu hwmon".
const char *sensors_source(const struct sensors *sensors);

// One reading, now. Values that fail or are impossible (0 Hz, 10 kW, 200 degC) are absent.
void sensors_read(struct sensors *sensors, struct sensor_reading *reading);

#endif
