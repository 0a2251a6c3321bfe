// SPDX-License-Identifier: MIT
// What chains and loads of shared memory tell, as a result of `map`.
#ifndef MAP_SHARED_H
#define MAP_SHARED_H

#include "map/found.h"

void map_add_shared(const struct map_finder *f, const struct level_curve *curve);

#endif
