// SPDX-License-Identifier: MIT
// The card of a device. Finds the card's sensors, reads their values and the speed of the card's
// link to the host, and judges the card's clocks in each visit.
#ifndef MEASURE_CARD_H
#define MEASURE_CARD_H

#include "measure/pace.h"
#include "sensors/sensors.h"

// Returns the UUID (in `info`) and the PCI address ("0000:1b:00.0", in `arena`) by which sensors
// find the card of a device. A value that the API does not report is NULL.
struct sensors_desc measure_card_of(struct arena *arena, const struct gpu_info *info);

struct measure_link {
    // Bandwidth of the link between device and host in one direction, in bytes per second, with
    // packet headers (sensor_link.bytes_per_s); 0 if not known.
    double bytes_per_s;
    // Kind and speed of the link as text, such as "PCIe at 32 GT/s x16 (sysfs)", in the arena; NULL
    // if the speed is not known.
    const char *text;
};

// Sets `link` to the present speed of the link between device and host. Call this function right
// after some work, because an idle card slows its link down.
void measure_link_of(struct arena *arena, const struct gpu_info *info, struct measure_link *link);

// Returns the names and ids of the processes that use the card of a device, as one text (see
// sensor_clocks_users). The process own_pid and its descendants are left out.
const char *measure_card_users(struct arena *arena, const struct gpu_info *info, long own_pid);

// ---------------------------------------------------------------- sensors and core clock of visits

// Judges the clocks of each visit and adds sensor values to the visit. Sensors are never read while
// something is timed, and at most every 250 ms while the core clock is not low, because one value
// may take 1 ms (H200).
struct measure_card;

// Opens the sensors of a device. If fathom can read none of them, the result can still judge the
// core clock, because a kernel measures this clock.
struct measure_card *measure_card_open(struct arena *arena, const struct gpu_info *info);
void measure_card_close(struct measure_card *card); // closes the sensors; `card` may be NULL

// Traffic in bytes per second; NaN if not known. `card`: over the links of this card
// (sensors_traffic). `others`: over the links of the host's other cards (sensors_others_traffic).
struct measure_traffic {
    double card, others;
};

// Returns the traffic over the links: the last measurement if it is recent, else a new one. A
// measurement that took d ns is recent until 25 × d ns after its beginning.
struct measure_traffic measure_card_traffic(struct measure_card *card);

// Observes the card's used memory and returns its change in bytes (sensors_memory_change); NaN if
// the card has no such sensor. Takes 2 ms; the first call, and each call after a seen change, takes
// 20 ms.
double measure_card_memory_change(struct measure_card *card);

// Begins a visit. The caller stores the result in measure_request.pace. For *case_hz see
// pace_begin.
struct measure_pace *measure_card_begin(struct measure_card *card, double *case_hz);

// Ends a visit: adds the sensor values, and judges the card's free memory and the clocks. Does not
// judge the clocks if any_clock is set or the benchmark's first metric is a plain count
// (UNIT_NONE).
// - The card's memory was almost full: the visit should be repeated (reason `shared-device`).
// - The core clock changed during the samples, or is too low for this kind of load: the visit
//   should be repeated (reason `low-clock`).
// - The core clock is lower than under other loads, but not too low for this one: remark
//   `low-clock`.
// - The card reports what limits the core clock: in both cases, only the remark `throttled`.
// - The visit uses memory, and the memory clock was higher earlier in the run: the visit should be
//   repeated.
void measure_card_note(struct measure_card *card, const struct benchmark_info *info, bool any_clock,
                       struct measure_visit *visit);

// ---------------------------------------------------------------- computed from sensor readings

// Returns what limited the core clock between two readings, as a set of enum sensor_throttle. A
// limiter counts if it was active for at least 2 % of the time. If the card does not report how
// long limiters were active, the limiters that are active at the second reading count.
unsigned measure_card_limiter(const struct sensor_reading *from, const struct sensor_reading *to);

// Returns the mean power in watts between two readings of the energy counter; NaN if
// - the counter did not rise, or cannot be read;
// - the readings are less than 2 s apart (the counter may lag by 0.1 s);
// - work kept the device busy (busy_ns) for less than 90 % of this time.
double measure_card_watts(const struct sensor_reading *from, const struct sensor_reading *to,
                          uint64_t busy_ns);

#endif
