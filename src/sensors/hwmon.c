// SPDX-License-Identifier: MIT
// amdgpu's hwmon files, as the kernel documents them (Documentation/gpu/amdgpu/thermal.rst):
// freq1_input core and freq2_input memory clock in Hz, power1_average (some: power1_input) in µW,
// temp1_input in thousandths of a degree. There is no energy counter and no throttle reason there.
#include "sensors/source.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hwmon {
    const char *folder; // …/hwmon/hwmonN
};

static FILE *file_open(const struct hwmon *hwmon, const char *name)
{
    char path[512];
    int length = snprintf(path, sizeof path, "%s/%s", hwmon->folder, name);
    return length > 0 && (size_t)length < sizeof path ? fopen(path, "r") : NULL;
}

// The number in a one-line file times `scale`; NaN where there is none.
static double file_number(const struct hwmon *hwmon, const char *name, double scale)
{
    FILE *file = file_open(hwmon, name);
    if (!file)
        return (double)NAN;
    char line[64] = "", *end = line;
    double value = fgets(line, sizeof line, file) ? strtod(line, &end) : 0;
    fclose(file);
    return end == line ? (double)NAN : value * scale;
}

static bool is_amdgpu(const struct hwmon *hwmon)
{
    FILE *file = file_open(hwmon, "name");
    if (!file)
        return false;
    char line[64] = "";
    bool is = fgets(line, sizeof line, file) && strncmp(line, "amdgpu", strlen("amdgpu")) == 0;
    fclose(file);
    return is;
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
        if (strncmp(entry->d_name, "hwmon", strlen("hwmon")) != 0 || !is_amdgpu(&candidate))
            continue;
        found = ARENA_NEW(arena, struct hwmon);
        *found = candidate;
    }
    closedir(folder);
    if (!found)
        error_set(err, ERROR_UNSUPPORTED, "no amdgpu under %s", parent);
    return found;
}

static void hwmon_close(void *handle)
{
    (void)handle; // memory of the arena, and every read closes its file
}

static void hwmon_read(void *handle, double values[SENSOR_VALUE_COUNT])
{
    const struct hwmon *hwmon = handle;
    values[SENSOR_CORE_CLOCK] = file_number(hwmon, "freq1_input", 1);
    values[SENSOR_MEMORY_CLOCK] = file_number(hwmon, "freq2_input", 1);
    values[SENSOR_POWER] = file_number(hwmon, "power1_average", 1e-6);
    if (!isfinite(values[SENSOR_POWER]))
        values[SENSOR_POWER] = file_number(hwmon, "power1_input", 1e-6);
    values[SENSOR_TEMPERATURE] = file_number(hwmon, "temp1_input", 1e-3);
}

const struct sensors_source sensors_hwmon = {
    .name = "amdgpu hwmon",
    .open = hwmon_open,
    .close = hwmon_close,
    .read = hwmon_read,
};
