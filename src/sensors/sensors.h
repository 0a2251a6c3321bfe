// SPDX-License-Identifier: MIT
// Reads what a card reports while it works: clocks, energy, temperature, and the reasons for a
// lower clock, from NVML (opened at run time) or amdgpu's hwmon files. A value that a source does
// not have, or that is impossible, is NaN.
//
// A reading needs several driver calls, so no reading may be made while work is timed
// (measure/card.h); work whose energy is measured is not timed (measure/energy.h).
#ifndef SENSORS_SENSORS_H
#define SENSORS_SENSORS_H

#include "base/arena.h"

#include <stdint.h>

// The sensors, with their names in run files and their units.
#define SENSOR_VALUES(X)                                                                           \
    X(CORE_CLOCK, "card_core_clock")     /* core clock in Hz, as the card reports it */            \
    X(MEMORY_CLOCK, "card_memory_clock") /* memory clock, in Hz */                                 \
    X(ENERGY, "energy") /* energy in J since the driver was loaded; use differences of readings */ \
    X(TEMPERATURE, "temperature") /* in degrees Celsius */                                         \
    X(MEMORY_FREE, "memory_free") /* memory that no process of the card uses, in bytes */          \
    X(THROTTLE, "throttle")       /* why the clock is lowered: bit set of enum sensor_throttle */  \
    /* seconds since the driver was loaded in which the power limit or the thermal limit lowered   \
     * the clock; use differences of readings */                                                   \
    X(POWER_LIMITED, "power_limited")                                                              \
    X(THERMAL_LIMITED, "thermal_limited")

enum sensor_value {
#define X(name, text) SENSOR_##name,
    SENSOR_VALUES(X)
#undef X
    SENSOR_VALUE_COUNT
};

// Reasons for which the card lowers its core clock. A low clock is normal if the card is idle or
// application clocks are set, so these two reasons are not listed.
enum sensor_throttle {
    SENSOR_THROTTLE_POWER = 1,    // the card is at its power limit
    SENSOR_THROTTLE_THERMAL = 2,  // the card is too hot
    SENSOR_THROTTLE_HARDWARE = 4, // hardware slowdown, or the power supply's brake signal
};

struct sensor_reading {
    uint64_t at_ns; // time of the reading in ns (CLOCK_MONOTONIC)
    // Values of the sensors, indexed by enum sensor_value. A value that is not known is NaN.
    double values[SENSOR_VALUE_COUNT];
};

const char *sensor_name(enum sensor_value value);

// Returns the names of the reasons in `set`, a bit set of enum sensor_throttle, such as "power
// limit, thermal". Returns "none" if the set is empty. Other texts live in `arena`.
const char *sensor_throttle_text(struct arena *arena, unsigned set);

struct sensors_desc {
    const uint8_t *uuid;    // UUID of the card, 16 bytes; NULL if not known
    const char *pci;        // PCI address, "0000:1b:00.0"; NULL if not known
    const char *sysfs_root; // path of sysfs; NULL means "/sys"; tests use another folder
};

struct sensors;

// Opens the sensors of the card with this uuid or PCI address. Returns NULL with ERROR_UNSUPPORTED
// and the reason if neither NVML nor hwmon knows the card. The caller closes the result with
// sensors_close, which accepts NULL.
struct sensors *sensors_open(const struct sensors_desc *desc, struct error *err);
void sensors_close(struct sensors *sensors);

// Returns the name of the source: "NVML" or "amdgpu hwmon".
const char *sensors_source(const struct sensors *sensors);

// Reads all sensors. A value that cannot be read, or is impossible (0 Hz, 200 °C), becomes NaN.
void sensors_read(struct sensors *sensors, struct sensor_reading *reading);

// Returns the present traffic of the card's PCI Express and NVLinks in bytes per second, both
// directions together. Takes 2 ms on an H200, but 40 ms with NVIDIA's drivers before 555. Returns
// NaN if the source has no such counters.
double sensors_traffic(struct sensors *sensors);

// Returns the present PCI Express traffic of the host's other cards in bytes per second, both
// directions together. Cards that the source does not show are not counted. Returns NaN if there is
// no other card, or if another card has no such counters. With one other card, takes at least 1.5
// ms.
double sensors_others_traffic(struct sensors *sensors);

// Watches for `ns` nanoseconds how many bytes of the card's memory are in use. Returns the largest
// number minus the smallest; NaN if the source does not report the numbers. If the caller allocates
// and frees nothing meanwhile, another process caused the difference.
double sensors_memory_change(struct sensors *sensors, uint64_t ns);

#endif
