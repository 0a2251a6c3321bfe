// SPDX-License-Identifier: MIT
// Reads what a driver reports to every user about a card's health: power and power limit, the link
// to the host, the best possible link, error counters, and the firmware. Also reads the rate of the
// link alone.
#ifndef SENSORS_HEALTH_H
#define SENSORS_HEALTH_H

#include "sensors/sensors.h"

// What a driver reports about a card's health. A number that the driver does not report is NaN.
struct sensor_health {
    double power_w, power_limit_w;
    // The card's PCI Express link: present and maximum number of lanes, present and maximum
    // generation. NVML reports the maxima of card and host together; sysfs reports the maxima of
    // the card. An idle card lowers the generation, so read it right after some work.
    double lanes, lanes_max, generation, generation_max;
    // Three numbers since the driver was loaded: corrected ECC errors, uncorrected ECC errors, and
    // packets that the PCI Express link sent again. The difference of two readings counts new ones.
    double ecc_corrected, ecc_uncorrected, link_replays;
    double ecc_enabled; // 1 if error correction (ECC) is on, 0 if it is off
    // Number of the card's NVLinks, and how many are active. The replays (packets sent again) and
    // the recoveries of links are sums over all links since the driver was loaded.
    double nvlinks, nvlinks_active, nvlink_replays, nvlink_recoveries;
    // remapped_rows: memory rows that failed and were replaced by spare rows, since the card was
    // made. remap_pending: 1 if a replacement takes effect only after a reset of the card.
    // remap_failed: 1 if no spare row was left. retired_pages: failed pages that the driver no
    // longer uses, on cards before Ampere, which have no spare rows.
    double remapped_rows, remap_pending, remap_failed, retired_pages;
    char vbios[32]; // version of the card's firmware, such as "96.00.74.00.01"; "" if not known
};

// Reads the values from NVML. If NVML does not report the number of lanes, reads the link from
// sysfs, and the firmware's version unless NVML reported it.
void sensors_health_read(const struct sensors_desc *desc, struct sensor_health *health);

// The current PCI Express link between a card and its host. Idle cards lower the link's speed, so
// the link should be read right after some work.
struct sensor_link {
    double transfers_hz; // transfers per second of one lane: 32e9 for "32.0 GT/s"
    unsigned lanes;
    // Bandwidth of all lanes in one direction. The overhead of the line code is subtracted: 8b/10b
    // up to 5 GT/s, 128b/130b above; at 64 GT/s, 242 of 256 bytes of a flit count. The overhead of
    // packet headers is not subtracted. (PCI Express Base Specification 6.0, 1.2 and 4.2)
    double bytes_per_s;
    const char *source; // where the values come from: "sysfs" or "NVML"
};

// Reads the link from sysfs, by the card's PCI address. If sysfs does not report the link, reads it
// from NVML. Returns false if neither reports a link, as for software devices.
bool sensors_link_read(const struct sensors_desc *desc, struct sensor_link *link);

// Returns the bandwidth of a link, like sensor_link.bytes_per_s; 0 if PCI Express has no such rate
// or number of lanes.
double sensors_link_rate(double transfers_hz, unsigned lanes);

#endif
