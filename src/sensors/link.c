// SPDX-License-Identifier: MIT
#include "sensors/link.h"

#include "base/text.h"
#include "sensors/source.h"

#include <stdlib.h>

enum {
    LANES_MAX = 32
};

// Reads the number at the beginning of a one-line file of the device. Returns 0 if the line does
// not begin with a number, for example if it is "Unknown".
static double device_number(const struct sensors_desc *desc, const char *name)
{
    char line[64];
    bool read = text_read_line(line, sizeof line, "%s/bus/pci/devices/%s/%s",
                               desc->sysfs_root ? desc->sysfs_root : "/sys", desc->pci, name);
    return read ? strtod(line, NULL) : 0;
}

double sensors_link_rate(double transfers_hz, unsigned lanes)
{
    if (!(transfers_hz >= 2.5e9 && transfers_hz <= 64e9) || lanes == 0 || lanes > LANES_MAX)
        return 0;
    double code = transfers_hz <= 5e9 ? 8.0 / 10 : transfers_hz < 64e9 ? 128.0 / 130 : 242.0 / 256;
    return transfers_hz * lanes * code / 8;
}

bool sensors_link_read(const struct sensors_desc *desc, struct sensor_link *link)
{
    *link = (struct sensor_link){.source = "sysfs"};
    if (desc->pci) {
        link->transfers_hz = device_number(desc, "current_link_speed") * 1e9;
        double lanes = device_number(desc, "current_link_width");
        link->lanes = lanes > 0 && lanes <= LANES_MAX ? (unsigned)lanes : 0;
    }
    link->bytes_per_s = sensors_link_rate(link->transfers_hz, link->lanes);
    if (link->bytes_per_s > 0)
        return true;
    *link = (struct sensor_link){.source = "NVML"};
    if (!sensors_nvml_link(desc, &link->transfers_hz, &link->lanes))
        return false;
    link->bytes_per_s = sensors_link_rate(link->transfers_hz, link->lanes);
    return link->bytes_per_s > 0;
}
