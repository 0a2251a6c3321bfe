// SPDX-License-Identifier: MIT
// Reads the current PCI Express link between a card and its host. Idle cards lower the link's
// speed, so the link should be read right after some work.
#ifndef SENSORS_LINK_H
#define SENSORS_LINK_H

#include "sensors/sensors.h"

struct sensor_link {
    double transfers_hz; // transfers per second of one lane: 32e9 for "32.0 GT/s"
    unsigned lanes;
    // Bandwidth of all lanes in one direction, without the overhead of the line code. The line code
    // is 8b/10b up to 5 GT/s and 128b/130b above; at 64 GT/s, 242 of 256 bytes of a flit count. The
    // overhead of packet headers is not subtracted. (PCI Express Base Specification 6.0, 1.2 and
    // 4.2)
    double bytes_per_s;
    const char *source; // where the values come from: "sysfs" or "NVML"
};

// Reads the link from sysfs, by the card's PCI address. If sysfs does not report the link, reads it
// from NVML. Returns false if neither reports a link, as for software devices.
bool sensors_link_read(const struct sensors_desc *desc, struct sensor_link *link);

// Returns the bandwidth, like sensor_link.bytes_per_s, of a link with this rate and number of
// lanes; 0 if PCI Express has no such rate or number.
double sensors_link_rate(double transfers_hz, unsigned lanes);

#endif
