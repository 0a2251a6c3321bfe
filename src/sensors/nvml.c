// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "sensors/nvml_card.h"
#include "sensors/source.h"

#include <limits.h>
#include <math.h>

enum {
    NVML_CLOCK_SM = 1,
    NVML_CLOCK_MEM = 2
};
enum {
    NVML_TEMPERATURE_GPU = 0
};

// Bits of NVML's bit set nvmlClocksThrottleReasons.
enum {
    NVML_SW_POWER_CAP = 0x04,
    NVML_HW_SLOWDOWN = 0x08,
    NVML_SW_THERMAL = 0x20,
    NVML_HW_THERMAL = 0x40,
    NVML_HW_POWER_BRAKE = 0x80,
};

// Values of NVML's enum nvmlPerfPolicyType_t. The struct after them has the layout of
// nvmlViolationTime_t.
enum {
    NVML_POLICY_POWER = 0,
    NVML_POLICY_THERMAL = 1
};
struct nvml_violation {
    unsigned long long reference_us, violation_ns;
};

// Fields of nvmlDeviceGetFieldValues: KiB of data that all NVLinks sent and received since the
// driver was loaded. The struct has the layout of nvmlFieldValue_t; the value is an unsigned 64-bit
// number.
enum {
    NVML_NVLINK_SENT = 138,
    NVML_NVLINK_RECEIVED = 139
};
struct nvml_field {
    unsigned id, scope;
    long long timestamp_us, latency_us;
    int type, status;
    unsigned long long value;
};

struct nvml_api {
    int (*nvmlDeviceGetClockInfo)(struct nvml_device *device, int clock, unsigned *mhz);
    int (*nvmlDeviceGetTemperature)(struct nvml_device *device, int sensor, unsigned *degc);
    int (*nvmlDeviceGetTotalEnergyConsumption)(struct nvml_device *device, unsigned long long *mj);
    int (*nvmlDeviceGetCurrentClocksThrottleReasons)(struct nvml_device *device,
                                                     unsigned long long *set);
    int (*nvmlDeviceGetViolationStatus)(struct nvml_device *device, int policy,
                                        struct nvml_violation *violation);
    int (*nvmlDeviceGetCurrPcieLinkGeneration)(struct nvml_device *device, unsigned *generation);
    int (*nvmlDeviceGetCurrPcieLinkWidth)(struct nvml_device *device, unsigned *lanes);
    int (*nvmlDeviceGetPcieThroughput)(struct nvml_device *device, int counter,
                                       unsigned *kib_per_s);
    int (*nvmlDeviceGetFieldValues)(struct nvml_device *device, int count,
                                    struct nvml_field *fields);
};

#define SYMBOL(member) DYNLIB_SYMBOL(struct nvml_api, member)
#define OPTIONAL_SYMBOL(member)                                                                    \
    {                                                                                              \
        .name = #member, .offset = offsetof(struct nvml_api, member), .optional = true             \
    }
static const struct dynlib_symbol symbols[] = {
    SYMBOL(nvmlDeviceGetClockInfo),
    SYMBOL(nvmlDeviceGetTemperature),
    OPTIONAL_SYMBOL(nvmlDeviceGetTotalEnergyConsumption),
    OPTIONAL_SYMBOL(nvmlDeviceGetCurrentClocksThrottleReasons),
    OPTIONAL_SYMBOL(nvmlDeviceGetViolationStatus),
    OPTIONAL_SYMBOL(nvmlDeviceGetCurrPcieLinkGeneration),
    OPTIONAL_SYMBOL(nvmlDeviceGetCurrPcieLinkWidth),
    OPTIONAL_SYMBOL(nvmlDeviceGetPcieThroughput),
    OPTIONAL_SYMBOL(nvmlDeviceGetFieldValues),
};
#undef SYMBOL
#undef OPTIONAL_SYMBOL

struct nvml {
    struct nvml_card card;
    struct nvml_api api;
};

static void *nvml_open(struct arena *arena, const struct sensors_desc *desc, struct error *err)
{
    struct nvml *nvml = ARENA_NEW(arena, struct nvml);
    const struct dynlib_desc calls = {
        .symbols = symbols, .symbol_count = sizeof symbols / sizeof *symbols, .table = &nvml->api};
    return nvml_card_open(&nvml->card, desc, &calls, err) ? nvml : NULL;
}

static void nvml_close(void *handle)
{
    nvml_card_close(&((struct nvml *)handle)->card);
}

static double clock_hz(const struct nvml *nvml, int clock)
{
    unsigned mhz = 0;
    bool known = nvml->api.nvmlDeviceGetClockInfo(nvml->card.device, clock, &mhz) == NVML_SUCCESS;
    return known ? mhz * 1e6 : (double)NAN;
}

static double throttle_set(const struct nvml *nvml)
{
    unsigned long long bits = 0;
    if (!nvml->api.nvmlDeviceGetCurrentClocksThrottleReasons ||
        nvml->api.nvmlDeviceGetCurrentClocksThrottleReasons(nvml->card.device, &bits) !=
            NVML_SUCCESS)
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

// Returns the seconds since the driver was loaded in which `policy` (the power or the thermal
// limit) lowered the clock. NaN if the driver does not report this time.
static double limited_s(const struct nvml *nvml, int policy)
{
    struct nvml_violation violation = {0};
    bool known = nvml->api.nvmlDeviceGetViolationStatus &&
                 nvml->api.nvmlDeviceGetViolationStatus(nvml->card.device, policy, &violation) ==
                     NVML_SUCCESS;
    return known ? (double)violation.violation_ns * 1e-9 : (double)NAN;
}

static void nvml_read(void *handle, double values[SENSOR_VALUE_COUNT])
{
    const struct nvml *nvml = handle;
    values[SENSOR_CORE_CLOCK] = clock_hz(nvml, NVML_CLOCK_SM);
    values[SENSOR_MEMORY_CLOCK] = clock_hz(nvml, NVML_CLOCK_MEM);
    unsigned number = 0;
    if (nvml->api.nvmlDeviceGetTemperature(nvml->card.device, NVML_TEMPERATURE_GPU, &number) ==
        NVML_SUCCESS)
        values[SENSOR_TEMPERATURE] = number;
    unsigned long long mj = 0;
    if (nvml->api.nvmlDeviceGetTotalEnergyConsumption &&
        nvml->api.nvmlDeviceGetTotalEnergyConsumption(nvml->card.device, &mj) == NVML_SUCCESS)
        values[SENSOR_ENERGY] = (double)mj * 1e-3;
    values[SENSOR_THROTTLE] = throttle_set(nvml);
    values[SENSOR_POWER_LIMITED] = limited_s(nvml, NVML_POLICY_POWER);
    values[SENSOR_THERMAL_LIMITED] = limited_s(nvml, NVML_POLICY_THERMAL);
}

const struct sensors_source sensors_nvml = {
    .name = "NVML",
    .open = nvml_open,
    .close = nvml_close,
    .read = nvml_read,
};

bool sensors_nvml_link(const struct sensors_desc *desc, double *transfers_hz, unsigned *lanes)
{
    static const double rates_hz[] = {
        // Transfers per second of one lane; the index is the generation of PCI Express.
        0, 2.5e9, 5e9, 8e9, 16e9, 32e9, 64e9};
    struct arena *arena = arena_create();
    struct error err;
    unsigned generation = 0;
    struct nvml *nvml = nvml_open(arena, desc, &err);
    bool known =
        nvml && nvml->api.nvmlDeviceGetCurrPcieLinkGeneration &&
        nvml->api.nvmlDeviceGetCurrPcieLinkWidth &&
        nvml->api.nvmlDeviceGetCurrPcieLinkGeneration(nvml->card.device, &generation) ==
            NVML_SUCCESS &&
        nvml->api.nvmlDeviceGetCurrPcieLinkWidth(nvml->card.device, lanes) == NVML_SUCCESS &&
        generation < sizeof rates_hz / sizeof *rates_hz;
    if (known)
        *transfers_hz = rates_hz[generation];
    if (nvml)
        nvml_close(nvml);
    arena_destroy(arena);
    return known;
}

// Returns how many bytes per second pass over PCI Express, in both directions; NaN if not known.
// The driver counts for 20 ms in each direction.
static double pcie_traffic(const struct nvml *nvml)
{
    enum {
        FROM_DEVICE, // nvmlPcieUtilCounter_t
        TO_DEVICE
    };
    unsigned from_device = 0, to_device = 0;
    bool known = nvml->api.nvmlDeviceGetPcieThroughput &&
                 nvml->api.nvmlDeviceGetPcieThroughput(nvml->card.device, FROM_DEVICE,
                                                       &from_device) == NVML_SUCCESS &&
                 nvml->api.nvmlDeviceGetPcieThroughput(nvml->card.device, TO_DEVICE, &to_device) ==
                     NVML_SUCCESS;
    return known ? 1024.0 * ((double)from_device + to_device) : NAN;
}

// Returns how many bytes all NVLinks of the card have moved, in both directions; NaN if the card
// has none.
static double nvlink_bytes(const struct nvml *nvml)
{
    const unsigned all_links = UINT_MAX;
    struct nvml_field fields[] = {{.id = NVML_NVLINK_SENT, .scope = all_links},
                                  {.id = NVML_NVLINK_RECEIVED, .scope = all_links}};
    bool known = nvml->api.nvmlDeviceGetFieldValues &&
                 nvml->api.nvmlDeviceGetFieldValues(nvml->card.device, 2, fields) == NVML_SUCCESS &&
                 fields[0].status == NVML_SUCCESS && fields[1].status == NVML_SUCCESS;
    return known ? 1024.0 * ((double)fields[0].value + (double)fields[1].value) : NAN;
}

double sensors_nvml_traffic(const struct sensors_desc *desc)
{
    struct arena *arena = arena_create();
    struct error err;
    struct nvml *nvml = nvml_open(arena, desc, &err);
    double traffic = NAN;
    if (nvml) {
        uint64_t begin_ns = clock_now_ns();
        double before = nvlink_bytes(nvml);
        traffic = pcie_traffic(nvml);
        double moved = nvlink_bytes(nvml) - before;
        if (!isnan(moved))
            traffic += moved * 1e9 / (double)(clock_now_ns() - begin_ns);
        nvml_close(nvml);
    }
    arena_destroy(arena);
    return traffic;
}
