// SPDX-License-Identifier: MIT
// What the card's own sensors say beside each visit: clocks, power, temperature, throttling. Read
// after the visit, never during it, and at most every 100 ms: a reading takes several driver calls,
// and cards look at themselves no more often (an H200's energy counter changes each 0.1 s).
#ifndef SUITE_CARD_H
#define SUITE_CARD_H

#include "gpu/gpu.h"
#include "measure/visit.h"

struct card;

// The sensors of a device; NULL where it has none that are known (a normal absence).
struct card *card_open(struct arena *arena, const struct gpu_info *info);
void card_close(struct card *card); // NULL is legal

// Adds what the card says to the visit, and a doubt ("throttled") where it says that something
// holds it back, card_is_slowed, and what the benchmark measures first is no mere count. Such a
// word is of the last tenths of a second, which other visits had their share in: where the samples'
// own clock was not lower it is a detail ("card"). NULL adds nothing.
void card_note(struct card *card, const struct benchmark_info *info, struct measure_visit *visit);

// Whether a core clock seen during samples is less than the fastest known by more than 1.5 %, some
// two steps of it. True where either is not known (NaN or 0).
bool card_is_slowed(double seen_hz, double fastest_hz);

#endif
