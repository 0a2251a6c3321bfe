// SPDX-License-Identifier: MIT
#include "sensors/health.h"

#include "base/text.h"
#include "sensors/nvml_card.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Values of nvmlMemoryErrorType_t and nvmlEccCounterType_t (VOLATILE: since the driver was loaded).
enum {
    NVML_CORRECTED = 0,
    NVML_UNCORRECTED = 1,
    NVML_VOLATILE = 0
};

// Values of NVML's nvmlNvLinkErrorCounter_t, and its maximum number of NVLinks.
enum {
    NVML_NVLINK_REPLAY = 0,
    NVML_NVLINK_RECOVERY = 1,
    NVML_NVLINKS_MAX = 18
};

// Values of NVML's enum nvmlPageRetirementCause_t.
enum {
    NVML_RETIRED_CORRECTED = 0,
    NVML_RETIRED_UNCORRECTED = 1
};

struct health_api {
    int (*nvmlDeviceGetPowerUsage)(struct nvml_device *device, unsigned *mw);
    int (*nvmlDeviceGetEnforcedPowerLimit)(struct nvml_device *device, unsigned *mw);
    int (*nvmlDeviceGetCurrPcieLinkWidth)(struct nvml_device *device, unsigned *lanes);
    int (*nvmlDeviceGetMaxPcieLinkWidth)(struct nvml_device *device, unsigned *lanes);
    int (*nvmlDeviceGetCurrPcieLinkGeneration)(struct nvml_device *device, unsigned *generation);
    int (*nvmlDeviceGetMaxPcieLinkGeneration)(struct nvml_device *device, unsigned *generation);
    int (*nvmlDeviceGetPcieReplayCounter)(struct nvml_device *device, unsigned *count);
    int (*nvmlDeviceGetTotalEccErrors)(struct nvml_device *device, int type, int counter,
                                       unsigned long long *count);
    int (*nvmlDeviceGetEccMode)(struct nvml_device *device, int *now, int *pending);
    int (*nvmlDeviceGetNvLinkState)(struct nvml_device *device, unsigned link, int *active);
    int (*nvmlDeviceGetNvLinkErrorCounter)(struct nvml_device *device, unsigned link, int counter,
                                           unsigned long long *count);
    int (*nvmlDeviceGetRemappedRows)(struct nvml_device *device, unsigned *corrected,
                                     unsigned *uncorrected, unsigned *pending, unsigned *failed);
    int (*nvmlDeviceGetVbiosVersion)(struct nvml_device *device, char *version, unsigned bytes);
    int (*nvmlDeviceGetRetiredPages)(struct nvml_device *device, int cause, unsigned *count,
                                     unsigned long long *addresses);
};

#define OPTIONAL_SYMBOL(member) DYNLIB_OPTIONAL(struct health_api, member)
static const struct dynlib_symbol symbols[] = {
    OPTIONAL_SYMBOL(nvmlDeviceGetPowerUsage),
    OPTIONAL_SYMBOL(nvmlDeviceGetEnforcedPowerLimit),
    OPTIONAL_SYMBOL(nvmlDeviceGetCurrPcieLinkWidth),
    OPTIONAL_SYMBOL(nvmlDeviceGetMaxPcieLinkWidth),
    OPTIONAL_SYMBOL(nvmlDeviceGetCurrPcieLinkGeneration),
    OPTIONAL_SYMBOL(nvmlDeviceGetMaxPcieLinkGeneration),
    OPTIONAL_SYMBOL(nvmlDeviceGetPcieReplayCounter),
    OPTIONAL_SYMBOL(nvmlDeviceGetTotalEccErrors),
    OPTIONAL_SYMBOL(nvmlDeviceGetEccMode),
    OPTIONAL_SYMBOL(nvmlDeviceGetNvLinkState),
    OPTIONAL_SYMBOL(nvmlDeviceGetNvLinkErrorCounter),
    OPTIONAL_SYMBOL(nvmlDeviceGetRemappedRows),
    OPTIONAL_SYMBOL(nvmlDeviceGetVbiosVersion),
    OPTIONAL_SYMBOL(nvmlDeviceGetRetiredPages),
};
#undef OPTIONAL_SYMBOL

typedef int read_number(struct nvml_device *device, unsigned *number);

static double number_of(read_number *read, struct nvml_device *device)
{
    unsigned number = 0;
    return read && read(device, &number) == NVML_SUCCESS ? (double)number : (double)NAN;
}

static double ecc_errors(const struct health_api *api, struct nvml_device *device, int type)
{
    unsigned long long count = 0;
    bool known =
        api->nvmlDeviceGetTotalEccErrors &&
        api->nvmlDeviceGetTotalEccErrors(device, type, NVML_VOLATILE, &count) == NVML_SUCCESS;
    return known ? (double)count : (double)NAN;
}

static double ecc_mode(const struct health_api *api, struct nvml_device *device)
{
    int now = 0, pending = 0;
    bool known = api->nvmlDeviceGetEccMode &&
                 api->nvmlDeviceGetEccMode(device, &now, &pending) == NVML_SUCCESS;
    return known ? (double)(now != 0) : (double)NAN;
}

// Adds an error counter of one NVLink to *sum, which is NaN until the first counter is added.
static void add_counter(const struct health_api *api, struct nvml_device *device, unsigned link,
                        int counter, double *sum)
{
    unsigned long long count = 0;
    if (api->nvmlDeviceGetNvLinkErrorCounter &&
        api->nvmlDeviceGetNvLinkErrorCounter(device, link, counter, &count) == NVML_SUCCESS)
        *sum = (isfinite(*sum) ? *sum : 0) + (double)count;
}

static void read_nvlinks(const struct health_api *api, struct nvml_device *device,
                         struct sensor_health *health)
{
    for (unsigned link = 0; api->nvmlDeviceGetNvLinkState && link < NVML_NVLINKS_MAX; link++) {
        int active = 0;
        if (api->nvmlDeviceGetNvLinkState(device, link, &active) != NVML_SUCCESS)
            continue; // the card has no link with this number
        if (!isfinite(health->nvlinks))
            health->nvlinks = health->nvlinks_active = 0;
        health->nvlinks++;
        health->nvlinks_active += active != 0;
        add_counter(api, device, link, NVML_NVLINK_REPLAY, &health->nvlink_replays);
        add_counter(api, device, link, NVML_NVLINK_RECOVERY, &health->nvlink_recoveries);
    }
}

static void read_memory(const struct health_api *api, struct nvml_device *device,
                        struct sensor_health *health)
{
    unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
    if (api->nvmlDeviceGetRemappedRows &&
        api->nvmlDeviceGetRemappedRows(device, &corrected, &uncorrected, &pending, &failed) ==
            NVML_SUCCESS) {
        health->remapped_rows = (double)corrected + (double)uncorrected;
        health->remap_pending = pending != 0;
        health->remap_failed = failed != 0;
    }
    for (int cause = NVML_RETIRED_CORRECTED;
         api->nvmlDeviceGetRetiredPages && cause <= NVML_RETIRED_UNCORRECTED; cause++) {
        // If NVML gets room for 0 page addresses, it only returns the number of retired pages.
        unsigned pages = 0;
        int status = api->nvmlDeviceGetRetiredPages(device, cause, &pages, NULL);
        if (status == NVML_SUCCESS || status == NVML_INSUFFICIENT_SIZE)
            health->retired_pages =
                (isfinite(health->retired_pages) ? health->retired_pages : 0) + pages;
    }
}

static void read_vbios(const struct health_api *api, struct nvml_device *device,
                       struct sensor_health *health)
{
    char version[sizeof health->vbios] = "";
    if (api->nvmlDeviceGetVbiosVersion &&
        api->nvmlDeviceGetVbiosVersion(device, version, sizeof version - 1) == NVML_SUCCESS)
        memcpy(health->vbios, version, sizeof version);
}

// Opens the card in NVML. Fills `api` with the functions that the driver has.
static bool open_nvml(const struct sensors_desc *desc, struct nvml_card *card,
                      struct health_api *api)
{
    struct error err;
    return nvml_card_open(
        card, desc,
        &(struct dynlib_desc){.symbols = symbols, .symbol_count = COUNT(symbols), .table = api},
        &err);
}

static void read_nvml(const struct sensors_desc *desc, struct sensor_health *health)
{
    struct health_api api;
    struct nvml_card card;
    if (!open_nvml(desc, &card, &api))
        return;
    health->power_w = number_of(api.nvmlDeviceGetPowerUsage, card.device) * 1e-3;
    health->power_limit_w = number_of(api.nvmlDeviceGetEnforcedPowerLimit, card.device) * 1e-3;
    health->lanes = number_of(api.nvmlDeviceGetCurrPcieLinkWidth, card.device);
    health->lanes_max = number_of(api.nvmlDeviceGetMaxPcieLinkWidth, card.device);
    health->generation = number_of(api.nvmlDeviceGetCurrPcieLinkGeneration, card.device);
    health->generation_max = number_of(api.nvmlDeviceGetMaxPcieLinkGeneration, card.device);
    health->link_replays = number_of(api.nvmlDeviceGetPcieReplayCounter, card.device);
    health->ecc_corrected = ecc_errors(&api, card.device, NVML_CORRECTED);
    health->ecc_uncorrected = ecc_errors(&api, card.device, NVML_UNCORRECTED);
    health->ecc_enabled = ecc_mode(&api, card.device);
    read_nvlinks(&api, card.device, health);
    read_memory(&api, card.device, health);
    read_vbios(&api, card.device, health);
    nvml_card_close(&card);
}

// ---------------------------------------------------------------- files in sysfs

static bool read_line(const struct sensors_desc *desc, const char *name, char *line, size_t bytes)
{
    return desc->pci &&
           text_read_line(line, bytes, "%s/bus/pci/devices/%s/%s",
                          desc->sysfs_root ? desc->sysfs_root : "/sys", desc->pci, name);
}

// Reads a positive number from a one-line file of the device. Returns NaN for any other text, such
// as "Unknown".
static double device_number(const struct sensors_desc *desc, const char *name)
{
    char line[64];
    double number = read_line(desc, name, line, sizeof line) ? strtod(line, NULL) : 0;
    return number > 0 ? number : (double)NAN;
}

// Transfers per second of one lane. The index is the generation of PCI Express.
static const double rates_hz[] = {0, 2.5e9, 5e9, 8e9, 16e9, 32e9, 64e9};

// Returns the generation of PCI Express whose lanes have this rate; NaN if no generation has it.
static double generation_of(double transfers_hz)
{
    for (size_t i = 1; i < COUNT(rates_hz); i++)
        if (fabs(transfers_hz - rates_hz[i]) < 0.1e9)
            return (double)i;
    return (double)NAN;
}

static void read_sysfs(const struct sensors_desc *desc, struct sensor_health *health)
{
    if (!desc->pci)
        return;
    health->lanes = device_number(desc, "current_link_width");
    health->lanes_max = device_number(desc, "max_link_width");
    health->generation = generation_of(device_number(desc, "current_link_speed") * 1e9);
    health->generation_max = generation_of(device_number(desc, "max_link_speed") * 1e9);
    if (!*health->vbios && !read_line(desc, "vbios_version", health->vbios, sizeof health->vbios))
        *health->vbios = '\0';
}

void sensors_health_read(const struct sensors_desc *desc, struct sensor_health *health)
{
    *health = (struct sensor_health){.power_w = NAN,
                                     .power_limit_w = NAN,
                                     .lanes = NAN,
                                     .lanes_max = NAN,
                                     .generation = NAN,
                                     .generation_max = NAN,
                                     .ecc_corrected = NAN,
                                     .ecc_uncorrected = NAN,
                                     .link_replays = NAN,
                                     .ecc_enabled = NAN,
                                     .nvlinks = NAN,
                                     .nvlinks_active = NAN,
                                     .nvlink_replays = NAN,
                                     .nvlink_recoveries = NAN,
                                     .remapped_rows = NAN,
                                     .remap_pending = NAN,
                                     .remap_failed = NAN,
                                     .retired_pages = NAN};
    read_nvml(desc, health);
    if (!isfinite(health->lanes))
        read_sysfs(desc, health);
}

// ---------------------------------------------------------------- the link alone

enum {
    LANES_MAX = 32
};

double sensors_link_rate(double transfers_hz, unsigned lanes)
{
    if (!(transfers_hz >= 2.5e9 && transfers_hz <= 64e9) || lanes == 0 || lanes > LANES_MAX)
        return 0;
    double code = transfers_hz <= 5e9 ? 8.0 / 10 : transfers_hz < 64e9 ? 128.0 / 130 : 242.0 / 256;
    return transfers_hz * lanes * code / 8;
}

// Returns false if PCI Express has no such rate or number of lanes, or if the rate or the number is
// not known (NaN).
static bool set_link(struct sensor_link *link, const char *source, double transfers_hz,
                     double lanes)
{
    *link = (struct sensor_link){.transfers_hz = transfers_hz,
                                 .lanes = lanes > 0 && lanes <= LANES_MAX ? (unsigned)lanes : 0,
                                 .source = source};
    link->bytes_per_s = sensors_link_rate(transfers_hz, link->lanes);
    return link->bytes_per_s > 0;
}

bool sensors_link_read(const struct sensors_desc *desc, struct sensor_link *link)
{
    struct nvml_card card;
    struct health_api api;
    if (set_link(link, "sysfs", device_number(desc, "current_link_speed") * 1e9,
                 device_number(desc, "current_link_width")))
        return true;
    if (!open_nvml(desc, &card, &api))
        return false;
    double generation = number_of(api.nvmlDeviceGetCurrPcieLinkGeneration, card.device);
    double lanes = number_of(api.nvmlDeviceGetCurrPcieLinkWidth, card.device);
    nvml_card_close(&card);
    bool known = generation >= 1 && (size_t)generation < COUNT(rates_hz);
    return set_link(link, "NVML", known ? rates_hz[(size_t)generation] : (double)NAN, lanes);
}
