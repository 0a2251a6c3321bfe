// SPDX-License-Identifier: MIT
// Reads the current PCI Express link between a card and its host. Idle cards lower the link's
// speed, so read it right after some work.
#ifndef SENSORS_LINK_H
#define SENSORS_LINK_H

#include "sensors/sensors.h"

struct sensor_link {
    double transfers_hz; // transfers per second and lane: 32e9 for "32.0 GT/s"
    unsigned lanes;
    // Bandwidth of all lanes in one direction, without the overhead of the line code (8b/10b up to
    // 5 GT/s, 128b/130b above, 242 of 256 bytes of a flit at 64 GT/s). Packet headers are not
    // subtracted. (PCI Express Base Specification 6.0, 1.2 and 4.2)
    double bytes_per_s;
    const char *source; // "sysfs" or "NVML"
};

// Reads the link from sysfs, by the PCI address, else from NVML. Returns false if neither reports a
// link, as for software devices.
bool sensors_link_read(const struct sensors_desc *desc, struct sensor_link *link);

// Returns bytes_per_s of a link with this rate and number of lanes; 0 if PCI Express has no such
// link.
double sensors_link_rate(double transfers_hz, unsigned lanes);

#endif
