// SPDX-License-Identifier: MIT
// How fast the link between a device and its host is, by what the system says of it.
#ifndef MEASURE_LINK_H
#define MEASURE_LINK_H

#include "gpu/gpu.h"

struct measure_link {
    double bytes_per_s; // one way, before packets have headers; 0 = not known
    const char *text;   // "PCIe at 32 GT/s x16 (sysfs)"; NULL = not known. Lives in the arena
};

// Read it after some work: idle cards lower their links.
void measure_link_of(struct arena *arena, const struct gpu_info *info, struct measure_link *link);

#endif
