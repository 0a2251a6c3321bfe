// SPDX-License-Identifier: MIT
// The card behind a device, as its sensors know it.
#ifndef MEASURE_CARD_H
#define MEASURE_CARD_H

#include "gpu/info.h"
#include "sensors/sensors.h"

// By what the API tells of the UUID and the PCI address ("0000:1b:00.0", in the arena), NULL where
// it does not. Valid as long as `info`.
struct sensors_desc measure_card_of(struct arena *arena, const struct gpu_info *info);

#endif
