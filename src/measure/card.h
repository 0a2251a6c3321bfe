// SPDX-License-Identifier: MIT
// The card of a device: its address, its link to the host, and the values of its own sensors for
// each visit.
#ifndef MEASURE_CARD_H
#define MEASURE_CARD_H

#include "measure/visit.h"
#include "sensors/sensors.h"

// The UUID and the PCI address ("0000:1b:00.0", in `arena`) by which sensors find the card of a
// device; NULL if the API does not report them. Valid as long as `info`.
struct sensors_desc measure_card_of(struct arena *arena, const struct gpu_info *info);

struct measure_link {
    double bytes_per_s; // in one direction, without the cost of packet headers; 0 = not known
    const char *text;   // "PCIe at 32 GT/s x16 (sysfs)"; NULL = not known. Lives in the arena
};

// Reads how fast the link between the device and the host is at this time. Idle cards slow their
// links down: call it right after some work.
void measure_link_of(struct arena *arena, const struct gpu_info *info, struct measure_link *link);

// The processes that use the card of a device, without own_pid and its descendants: as
// sensor_clocks_users.
const char *measure_card_users(struct arena *arena, const struct gpu_info *info, long own_pid);

// ---------------------------------------------------------------- sensors beside visits

// Adds a card's clocks, power, temperature and throttling to each visit. They are read after a
// visit, never during it, and at most every 100 ms (until then, visits get the last reading): a
// reading takes several driver calls, and cards update their sensors no more often (an H200's
// energy counter changes every 0.1 s).
struct measure_card;

// Opens the sensors of a device. NULL if it has none that fathom can read, which is no error.
struct measure_card *measure_card_open(struct arena *arena, const struct gpu_info *info);
void measure_card_close(struct measure_card *card); // NULL is legal

// Adds the sensor values to the visit. Flags it "throttled" if the card reports throttling and
// measure_card_is_slowed, unless the benchmark's first metric is a plain count (UNIT_NONE). The
// card's report covers some tenths of a second, so it includes earlier visits: if the core clock
// during the samples was not lower, the visit gets the detail "card" instead of the flag. With
// card = NULL nothing is added.
void measure_card_note(struct measure_card *card, const struct benchmark_info *info,
                       struct measure_visit *visit);

// True if the core clock during the samples (seen_hz) is more than 1.5 % (about two clock steps)
// below fastest_hz. True also if either is unknown (NaN or 0).
bool measure_card_is_slowed(double seen_hz, double fastest_hz);

#endif
