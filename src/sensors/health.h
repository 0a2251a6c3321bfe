// SPDX-License-Identifier: MIT
// What a driver tells every user about a card's health: its power and power limit, its link to the
// host, the best link that card and host can have, counts of errors, and its firmware.
#ifndef SENSORS_HEALTH_H
#define SENSORS_HEALTH_H

#include "sensors/sensors.h"

// A value that the driver does not tell is not finite.
struct sensor_health {
    double power_w, power_limit_w;
    // PCI Express. An idle card lowers the generation, so read it right after some work.
    double lanes, lanes_max, generation, generation_max;
    // Counts since the driver was loaded: use differences.
    double ecc_corrected, ecc_uncorrected, link_replays;
    double ecc_enabled; // 1: on; 0: off
    // NVLink: how many links the card has and how many work; of all links together, how often a
    // packet was sent again, and how often a link had to recover (since the driver was loaded).
    double nvlinks, nvlinks_active, nvlink_replays, nvlink_recoveries;
    // Rows of memory that failed and were replaced by spare ones, since the card was made; 1 if one
    // waits for a reset of the card; 1 if no spare row was left. Cards before Ampere retire pages.
    double remapped_rows, remap_pending, remap_failed, retired_pages;
    char vbios[32]; // version of the card's firmware: "96.00.74.00.01"; "": not known
};

// Reads NVML. If NVML does not know the card, the link is read from sysfs, and
// so is the firmware, which amdgpu tells there.
void sensors_health_read(const struct sensors_desc *desc, struct sensor_health *health);

#endif
