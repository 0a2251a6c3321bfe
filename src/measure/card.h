// SPDX-License-Identifier: MIT
// The card of a device: its address, its link to the host, the values of its sensors, and the
// verdict on its core clock for each visit.
#ifndef MEASURE_CARD_H
#define MEASURE_CARD_H

#include "measure/pace.h"
#include "sensors/sensors.h"

// Returns the UUID and the PCI address ("0000:1b:00.0", in `arena`) by which sensors find the card
// of a device; each is NULL if the API does not report it. Valid as long as `info`.
struct sensors_desc measure_card_of(struct arena *arena, const struct gpu_info *info);

struct measure_link {
    // Bandwidth of one direction, without the cost of packet headers; 0: not known.
    double bytes_per_s;
    const char *text; // "PCIe at 32 GT/s x16 (sysfs)"; lives in the arena. NULL: not known
};

// Reads how fast the link between the device and the host is at this time. Idle cards slow their
// links down: call it right after some work.
void measure_link_of(struct arena *arena, const struct gpu_info *info, struct measure_link *link);

// Returns the processes that use the card of a device, without own_pid and its descendants, in the
// form of sensor_clocks_users.
const char *measure_card_users(struct arena *arena, const struct gpu_info *info, long own_pid);

// ---------------------------------------------------------------- sensors and clock of visits

// Judges the core clock of each visit and adds the values of the card's sensors. Sensors are read
// before and after a visit, or while its samples are judged, never while something is timed, and at
// most every 250 ms unless the clock was low: a reading takes several driver calls (on an H200 one
// limiter time alone takes 1 ms), and cards update their sensors hardly more often (an H200's
// energy counter every 0.1 s).
struct measure_card;

// Opens the sensors of a device. The device may have none that fathom can read; its core clock is
// still judged.
struct measure_card *measure_card_open(struct arena *arena, const struct gpu_info *info);
void measure_card_close(struct measure_card *card); // accepts NULL

// Begins a visit. Returns what is known about the core clock, as the `pace` of struct
// measure_request. *case_hz belongs to the case (pace_begin).
struct measure_pace *measure_card_begin(struct measure_card *card, double *case_hz);

// Ends a visit: adds the sensor values, and judges the core clock of its samples (pace_judge). A
// clock that fell, or that is too low for this kind of load, is a reason to take the visit again
// (`low-clock`). If the card says that it limits its clock, or if the load always has this clock,
// the visit gets a remark instead (`throttled` or `low-clock`). Nothing is judged if any_clock is
// set, or if the benchmark's first metric is a plain count (UNIT_NONE).
void measure_card_note(struct measure_card *card, const struct benchmark_info *info, bool any_clock,
                       struct measure_visit *visit);

// ---------------------------------------------------------------- from readings alone

// Returns what limited the core clock between two readings, as a set of enum sensor_throttle. A
// limiter counts if the card's limiter times say that it was active for at least a fiftieth of the
// time. On cards without limiter times, the reasons named at the second reading count.
unsigned measure_card_limiter(const struct sensor_reading *from, const struct sensor_reading *to);

// Returns the power in watts, from the energy counter, of work that kept the device busy for
// busy_ns between the readings. NaN if busy_ns is less than nine tenths of that time, or if the
// time is shorter than 2 s, because the counter is up to 0.1 s late.
double measure_card_watts(const struct sensor_reading *from, const struct sensor_reading *to,
                          uint64_t busy_ns);

#endif
