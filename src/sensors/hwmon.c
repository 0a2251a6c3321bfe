// SPDX-License-Identifier: MIT
// Reads sensors from amdgpu's hwmon files (Linux, Documentation/gpu/amdgpu/thermal.rst):
// freq1_input and freq2_input (core and memory clock in Hz), temp1_input (1/1000 °C). The power of
// hwmon is not used: it is an average over up to a second, longer than most samples.
// mem_info_vram_total and mem_info_vram_used are the card's memory and its used part, in bytes
// (Documentation/gpu/amdgpu/driver-misc.rst).
#include "base/text.h"
#include "sensors/source.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>

struct hwmon {
    const char *folder; // the card's folder …/hwmon/hwmonN in sysfs
};

// Returns the number in a one-line file, times `scale`; NaN if there is no such number.
static double file_number(const struct hwmon *hwmon, const char *name, double scale)
{
    char line[64] = "", *end = line;
    if (!text_read_line(line, sizeof line, "%s/%s", hwmon->folder, name))
        return (double)NAN;
    double value = strtod(line, &end);
    return end == line ? (double)NAN : value * scale;
}

static bool is_amdgpu(const struct hwmon *hwmon)
{
    char line[64];
    return text_read_line(line, sizeof line, "%s/name", hwmon->folder) &&
           text_begins(line, "amdgpu");
}

static void *hwmon_open(struct arena *arena, const struct sensors_desc *desc, struct error *err)
{
    if (!desc->pci) {
        error_set(err, ERROR_UNSUPPORTED, "PCI address not known");
        return NULL;
    }
    const char *root = desc->sysfs_root ? desc->sysfs_root : "/sys";
    const char *parent = arena_printf(arena, "%s/bus/pci/devices/%s/hwmon", root, desc->pci);
    DIR *folder = opendir(parent);
    if (!folder) {
        error_set(err, ERROR_UNSUPPORTED, "no %s", parent);
        return NULL;
    }
    struct hwmon *found = NULL;
    for (struct dirent *entry = readdir(folder); entry && !found; entry = readdir(folder)) {
        struct hwmon candidate = {.folder = arena_printf(arena, "%s/%s", parent, entry->d_name)};
        if (!text_begins(entry->d_name, "hwmon") || !is_amdgpu(&candidate))
            continue;
        found = ARENA_NEW(arena, struct hwmon);
        *found = candidate;
    }
    closedir(folder);
    if (!found)
        error_set(err, ERROR_UNSUPPORTED, "no amdgpu under %s", parent);
    return found;
}

static double hwmon_used_memory(void *handle)
{
    return file_number(handle, "device/mem_info_vram_used", 1);
}

static void hwmon_read(void *handle, double values[SENSOR_VALUE_COUNT])
{
    const struct hwmon *hwmon = handle;
    values[SENSOR_CORE_CLOCK] = file_number(hwmon, "freq1_input", 1);
    values[SENSOR_MEMORY_CLOCK] = file_number(hwmon, "freq2_input", 1);
    values[SENSOR_TEMPERATURE] = file_number(hwmon, "temp1_input", 1e-3);
    values[SENSOR_MEMORY_FREE] =
        file_number(hwmon, "device/mem_info_vram_total", 1) - hwmon_used_memory(handle);
}

const struct sensors_source sensors_hwmon = {
    .name = "amdgpu hwmon",
    .open = hwmon_open,
    .read = hwmon_read,
    .used_memory = hwmon_used_memory,
};
