// SPDX-License-Identifier: MIT
// What the card's own sensors say beside each visit: clocks, power, temperature, throttling. Read
// after the visit, never during it, and at most every 50 ms: a reading takes a driver call.
#ifndef SUITE_CARD_H
#define SUITE_CARD_H

#include "gpu/gpu.h"
#include "measure/visit.h"

struct card;

// The sensors of a device; NULL where it has none that are known (a normal absence).
struct card *card_open(struct arena *arena, const struct gpu_info *info);
void card_close(struct card *card); // NULL is legal

// Adds what the card says to the visit, and a doubt ("throttled") where it runs slower than it
// could. NULL adds nothing.
void card_note(struct card *card, struct measure_visit *visit);

#endif
