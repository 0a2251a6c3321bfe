// SPDX-License-Identifier: MIT
// Adds the card's own sensors to each visit: clocks, power, temperature, throttling. They are read
// after the visit, never during it, and at most every 100 ms: a reading takes several driver calls,
// and cards update their sensors no more often (an H200's energy counter changes every 0.1 s).
#ifndef SUITE_CARD_H
#define SUITE_CARD_H

#include "gpu/gpu.h"
#include "measure/visit.h"

struct card;

// Opens the sensors of a device. NULL if it has none that fathom can read, which is no error.
struct card *card_open(struct arena *arena, const struct gpu_info *info);
void card_close(struct card *card); // NULL is legal

// Adds the sensor values to the visit. Flags it "throttled" if the card reports throttling and
// card_is_slowed, unless the benchmark's first metric is a plain count. The card's report covers
// the last tenths of a second, so also earlier visits: if the samples' own clock was not lower,
// the visit gets the detail "card" instead. With card = NULL nothing is added.
void card_note(struct card *card, const struct benchmark_info *info, struct measure_visit *visit);

// True if the core clock seen during samples is more than 1.5 % (about two clock steps) below the
// fastest one. True also if either is unknown (NaN or 0).
bool card_is_slowed(double seen_hz, double fastest_hz);

#endif
