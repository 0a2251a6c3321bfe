// SPDX-License-Identifier: MIT
// The link between a card and its host, as it is now: cards lower it while they idle, so read it
// after some work.
#ifndef SENSORS_LINK_H
#define SENSORS_LINK_H

#include "sensors/sensors.h"

struct sensor_link {
    double transfers_hz; // a lane: 32e9 for "32.0 GT/s"
    unsigned lanes;
    // What both lead to in one direction, less the line code (8b/10b up to 5 GT/s, then 128b/130b,
    // at 64 GT/s 242 of 256 bytes of a flit), before packets have headers: PCI Express Base
    // Specification 6.0, 1.2 and 4.2.
    double bytes_per_s;
    const char *source; // "sysfs", "NVML"
};

// From sysfs, by PCI address, else from NVML. False where neither tells, as for software devices.
bool sensors_link_read(const struct sensors_desc *desc, struct sensor_link *link);

// bytes_per_s of such a link; 0 where it is none that PCI Express has.
double sensors_link_rate(double transfers_hz, unsigned lanes);

#endif
