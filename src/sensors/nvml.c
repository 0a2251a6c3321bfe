// SPDX-License-Identifier: MIT
// NVML, the management library of NVIDIA's driver, loaded at run time. Declarations are our own:
// names, argument order and bit values as in NVIDIA's NVML API reference (R580).
#include "base/dynlib.h"
#include "sensors/source.h"

#include <math.h>
#include <stdio.h>

struct nvml_device;

enum {
    NVML_SUCCESS = 0
};
enum {
    NVML_CLOCK_SM = 1,
    NVML_CLOCK_MEM = 2
};
enum {
    NVML_TEMPERATURE_GPU = 0
};

// nvmlClocksThrottleReasons bits.
enum {
    NVML_SW_POWER_CAP = 0x04,
    NVML_HW_SLOWDOWN = 0x08,
    NVML_SW_THERMAL = 0x20,
    NVML_HW_THERMAL = 0x40,
    NVML_HW_POWER_BRAKE = 0x80,
};

struct nvml_api {
    int (*nvmlInit_v2)(void);
    int (*nvmlShutdown)(void);
    int (*nvmlDeviceGetHandleByUUID)(const char *uuid, struct nvml_device **device);
    int (*nvmlDeviceGetHandleByPciBusId_v2)(const char *pci, struct nvml_device **device);
    int (*nvmlDeviceGetClockInfo)(struct nvml_device *device, int clock, unsigned *mhz);
    int (*nvmlDeviceGetPowerUsage)(struct nvml_device *device, unsigned *mw);
    int (*nvmlDeviceGetTemperature)(struct nvml_device *device, int sensor, unsigned *degc);
    int (*nvmlDeviceGetTotalEnergyConsumption)(struct nvml_device *device, unsigned long long *mj);
    int (*nvmlDeviceGetCurrentClocksThrottleReasons)(struct nvml_device *device,
                                                     unsigned long long *set);
    int (*nvmlDeviceGetCurrPcieLinkGeneration)(struct nvml_device *device, unsigned *generation);
    int (*nvmlDeviceGetCurrPcieLinkWidth)(struct nvml_device *device, unsigned *lanes);
};

#define SYMBOL(member) DYNLIB_SYMBOL(struct nvml_api, member)
#define OPTIONAL_SYMBOL(member)                                                                    \
    {                                                                                              \
        .name = #member, .offset = offsetof(struct nvml_api, member), .optional = true             \
    }
static const struct dynlib_symbol symbols[] = {
    SYMBOL(nvmlInit_v2),
    SYMBOL(nvmlShutdown),
    SYMBOL(nvmlDeviceGetHandleByUUID),
    SYMBOL(nvmlDeviceGetHandleByPciBusId_v2),
    SYMBOL(nvmlDeviceGetClockInfo),
    SYMBOL(nvmlDeviceGetPowerUsage),
    SYMBOL(nvmlDeviceGetTemperature),
    OPTIONAL_SYMBOL(nvmlDeviceGetTotalEnergyConsumption),
    OPTIONAL_SYMBOL(nvmlDeviceGetCurrentClocksThrottleReasons),
    OPTIONAL_SYMBOL(nvmlDeviceGetCurrPcieLinkGeneration),
    OPTIONAL_SYMBOL(nvmlDeviceGetCurrPcieLinkWidth),
};
#undef SYMBOL
#undef OPTIONAL_SYMBOL

static const char *const files[] = {"libnvidia-ml.so.1", NULL};

struct nvml {
    struct nvml_api api;
    struct dynlib *library;
    struct nvml_device *device;
};

const char *sensors_nvml_uuid(struct arena *arena, const uint8_t *uuid)
{
    const char *text = "GPU";
    for (int i = 0; i < 16; i++) {
        bool dash = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
        text = arena_printf(arena, "%s%s%02x", text, dash ? "-" : "", uuid[i]);
    }
    return text;
}

static bool find_device(struct nvml *nvml, struct arena *arena, const struct sensors_desc *desc)
{
    if (desc->uuid && nvml->api.nvmlDeviceGetHandleByUUID(sensors_nvml_uuid(arena, desc->uuid),
                                                          &nvml->device) == NVML_SUCCESS)
        return true;
    return desc->pci &&
           nvml->api.nvmlDeviceGetHandleByPciBusId_v2(desc->pci, &nvml->device) == NVML_SUCCESS;
}

static void *nvml_open(struct arena *arena, const struct sensors_desc *desc, struct error *err)
{
    struct nvml *nvml = ARENA_NEW(arena, struct nvml);
    const struct dynlib_desc library = {.files = files,
                                        .symbols = symbols,
                                        .symbol_count = sizeof symbols / sizeof *symbols,
                                        .table = &nvml->api};
    nvml->library = dynlib_open(&library, err);
    if (!nvml->library)
        return NULL;
    int status = nvml->api.nvmlInit_v2();
    if (status != NVML_SUCCESS) {
        error_set(err, ERROR_UNSUPPORTED, "nvmlInit: error %d", status);
        dynlib_close(nvml->library);
        return NULL;
    }
    if (find_device(nvml, arena, desc))
        return nvml;
    error_set(err, ERROR_UNSUPPORTED, "it does not know the device");
    nvml->api.nvmlShutdown();
    dynlib_close(nvml->library);
    return NULL;
}

static void nvml_close(void *handle)
{
    struct nvml *nvml = handle;
    nvml->api.nvmlShutdown();
    dynlib_close(nvml->library);
}

static double clock_hz(const struct nvml *nvml, int clock)
{
    unsigned mhz = 0;
    bool known = nvml->api.nvmlDeviceGetClockInfo(nvml->device, clock, &mhz) == NVML_SUCCESS;
    return known ? mhz * 1e6 : (double)NAN;
}

static double throttle_set(const struct nvml *nvml)
{
    unsigned long long bits = 0;
    if (!nvml->api.nvmlDeviceGetCurrentClocksThrottleReasons ||
        nvml->api.nvmlDeviceGetCurrentClocksThrottleReasons(nvml->device, &bits) != NVML_SUCCESS)
        return (double)NAN;
    unsigned set = 0;
    if (bits & NVML_SW_POWER_CAP)
        set |= SENSOR_THROTTLE_POWER;
    if (bits & (NVML_SW_THERMAL | NVML_HW_THERMAL))
        set |= SENSOR_THROTTLE_THERMAL;
    if (bits & (NVML_HW_SLOWDOWN | NVML_HW_POWER_BRAKE))
        set |= SENSOR_THROTTLE_HARDWARE;
    return set;
}

static void nvml_read(void *handle, double values[SENSOR_VALUE_COUNT])
{
    const struct nvml *nvml = handle;
    values[SENSOR_CORE_CLOCK] = clock_hz(nvml, NVML_CLOCK_SM);
    values[SENSOR_MEMORY_CLOCK] = clock_hz(nvml, NVML_CLOCK_MEM);
    unsigned number = 0;
    if (nvml->api.nvmlDeviceGetPowerUsage(nvml->device, &number) == NVML_SUCCESS)
        values[SENSOR_POWER] = number * 1e-3;
    if (nvml->api.nvmlDeviceGetTemperature(nvml->device, NVML_TEMPERATURE_GPU, &number) ==
        NVML_SUCCESS)
        values[SENSOR_TEMPERATURE] = number;
    unsigned long long mj = 0;
    if (nvml->api.nvmlDeviceGetTotalEnergyConsumption &&
        nvml->api.nvmlDeviceGetTotalEnergyConsumption(nvml->device, &mj) == NVML_SUCCESS)
        values[SENSOR_ENERGY] = (double)mj * 1e-3;
    values[SENSOR_THROTTLE] = throttle_set(nvml);
}

const struct sensors_source sensors_nvml = {
    .name = "NVML",
    .open = nvml_open,
    .close = nvml_close,
    .read = nvml_read,
};

bool sensors_nvml_link(const struct sensors_desc *desc, double *transfers_hz, unsigned *lanes)
{
    static const double rates_hz[] = {0, 2.5e9, 5e9, 8e9, 16e9, 32e9, 64e9}; // by generation
    struct arena *arena = arena_create();
    struct error err;
    unsigned generation = 0;
    struct nvml *nvml = nvml_open(arena, desc, &err);
    bool known =
        nvml && nvml->api.nvmlDeviceGetCurrPcieLinkGeneration &&
        nvml->api.nvmlDeviceGetCurrPcieLinkWidth &&
        nvml->api.nvmlDeviceGetCurrPcieLinkGeneration(nvml->device, &generation) == NVML_SUCCESS &&
        nvml->api.nvmlDeviceGetCurrPcieLinkWidth(nvml->device, lanes) == NVML_SUCCESS &&
        generation < sizeof rates_hz / sizeof *rates_hz;
    if (known)
        *transfers_hz = rates_hz[generation];
    if (nvml)
        nvml_close(nvml);
    arena_destroy(arena);
    return known;
}
