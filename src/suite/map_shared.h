// SPDX-License-Identifier: MIT
// What chains and loads of shared memory tell, as a result of `map`.
#ifndef SUITE_MAP_SHARED_H
#define SUITE_MAP_SHARED_H

#include "suite/map_finder.h"

void map_add_shared(const struct map_finder *f, const struct level_curve *curve);

#endif
