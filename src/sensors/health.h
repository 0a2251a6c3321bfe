// SPDX-License-Identifier: MIT
// Reads what a driver reports to every user about a card's health: its power and power limit, its
// link to the host, the best link that card and host can have, error counters, and its firmware.
#ifndef SENSORS_HEALTH_H
#define SENSORS_HEALTH_H

#include "sensors/sensors.h"

// A value that the driver does not report is not finite.
struct sensor_health {
    double power_w, power_limit_w;
    // PCI Express, now and at most. An idle card lowers the generation, so read right after some
    // work.
    double lanes, lanes_max, generation, generation_max;
    // Counts since the driver was loaded: use differences.
    double ecc_corrected, ecc_uncorrected, link_replays;
    double ecc_enabled; // 1: on; 0: off
    // NVLink: number of links of the card, and of active ones. Summed over all links, since the
    // driver was loaded: packets that were sent again, and recoveries of a link.
    double nvlinks, nvlinks_active, nvlink_replays, nvlink_recoveries;
    // remapped_rows: memory rows that failed and were replaced by spare rows, since the card was
    // made. remap_pending: 1 if a replacement waits for a reset of the card. remap_failed: 1 if no
    // spare row was left. retired_pages: failed pages; cards before Ampere have no spare rows.
    double remapped_rows, remap_pending, remap_failed, retired_pages;
    char vbios[32]; // version of the card's firmware: "96.00.74.00.01"; "": not known
};

// Reads the values from NVML. If NVML does not know the card, reads the link and the version of the
// firmware from sysfs, where amdgpu reports it.
void sensors_health_read(const struct sensors_desc *desc, struct sensor_health *health);

#endif
