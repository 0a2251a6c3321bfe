// SPDX-License-Identifier: MIT
// What chains over pages tell of address translation, as results of `map`.
#ifndef MAP_TRANSLATION_H
#define MAP_TRANSLATION_H

#include "map/found.h"

// One result for each end that the curve shows, with the memory that is reached up to there; one
// without a level for what lies behind the last of them: loads that no TLB serves. A curve without
// an end has none: it is skipped, and says so.
void map_add_translation(const struct map_finder *f, const struct level_curve *curve);

#endif
