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

// Bits of NVML's nvmlClocksThrottleReasons, the reasons for a lower clock.
enum {
    NVML_SW_POWER_CAP = 0x04,
    NVML_HW_SLOWDOWN = 0x08,
    NVML_SW_THERMAL = 0x20,
    NVML_HW_THERMAL = 0x40,
    NVML_HW_POWER_BRAKE = 0x80,
};

// Limits that lower the clock: nvmlPerfPolicyType_t. The struct is nvmlViolationTime_t.
enum {
    NVML_POLICY_POWER = 0,
    NVML_POLICY_THERMAL = 1
};
struct nvml_violation {
    unsigned long long reference_us, violation_ns;
};

// Fields of nvmlDeviceGetFieldValues (nvmlFieldValue_t). NVLINK: KiB over all NVLinks since the
// driver was loaded, in 64 bits. PCIE: bytes of the card, in 32 bits (drivers since 555).
enum {
    NVML_NVLINK_SENT = 138,
    NVML_NVLINK_RECEIVED = 139,
    NVML_PCIE_SENT = 197,
    NVML_PCIE_RECEIVED = 198
};
struct nvml_field {
    unsigned id, scope;
    long long timestamp_us, latency_us;
    int type, status;
    unsigned long long value;
};

// Layout of NVML's nvmlMemory_t.
struct nvml_memory {
    unsigned long long total_bytes, free_bytes, used_bytes;
};

struct nvml_api {
    int (*nvmlDeviceGetClockInfo)(struct nvml_device *device, int clock, unsigned *mhz);
    int (*nvmlDeviceGetTemperature)(struct nvml_device *device, int sensor, unsigned *degc);
    int (*nvmlDeviceGetTotalEnergyConsumption)(struct nvml_device *device, unsigned long long *mj);
    int (*nvmlDeviceGetCurrentClocksThrottleReasons)(struct nvml_device *device,
                                                     unsigned long long *set);
    int (*nvmlDeviceGetViolationStatus)(struct nvml_device *device, int policy,
                                        struct nvml_violation *violation);
    int (*nvmlDeviceGetPcieThroughput)(struct nvml_device *device, int counter,
                                       unsigned *kib_per_s);
    int (*nvmlDeviceGetFieldValues)(struct nvml_device *device, int count,
                                    struct nvml_field *fields);
    int (*nvmlDeviceGetMemoryInfo)(struct nvml_device *device, struct nvml_memory *memory);
    int (*nvmlDeviceGetMigMode)(struct nvml_device *device, unsigned *now, unsigned *pending);
    int (*nvmlDeviceGetCount_v2)(unsigned *count);
    int (*nvmlDeviceGetHandleByIndex_v2)(unsigned index, struct nvml_device **device);
};

#define SYMBOL(member)          DYNLIB_SYMBOL(struct nvml_api, member)
#define OPTIONAL_SYMBOL(member) DYNLIB_OPTIONAL(struct nvml_api, member)
static const struct dynlib_symbol symbols[] = {
    SYMBOL(nvmlDeviceGetClockInfo),
    SYMBOL(nvmlDeviceGetTemperature),
    OPTIONAL_SYMBOL(nvmlDeviceGetTotalEnergyConsumption),
    OPTIONAL_SYMBOL(nvmlDeviceGetCurrentClocksThrottleReasons),
    OPTIONAL_SYMBOL(nvmlDeviceGetViolationStatus),
    OPTIONAL_SYMBOL(nvmlDeviceGetPcieThroughput),
    OPTIONAL_SYMBOL(nvmlDeviceGetFieldValues),
    OPTIONAL_SYMBOL(nvmlDeviceGetMemoryInfo),
    OPTIONAL_SYMBOL(nvmlDeviceGetMigMode),
    OPTIONAL_SYMBOL(nvmlDeviceGetCount_v2),
    OPTIONAL_SYMBOL(nvmlDeviceGetHandleByIndex_v2),
};
#undef SYMBOL
#undef OPTIONAL_SYMBOL

enum {
    OTHERS_MAX = 31
};

struct nvml {
    struct nvml_card card;
    struct nvml_api api;
    bool is_divided;                        // true: the card is divided into instances (MIG)
    struct nvml_device *others[OTHERS_MAX]; // the host's other cards, as far as NVML shows them
    unsigned other_count;
};

// Lists the host's other cards. Lists no card if the card is divided (MIG), because its own handle
// would then look like another card.
static void find_others(struct nvml *nvml)
{
    const struct nvml_api *api = &nvml->api;
    unsigned count = 0;
    if (nvml->is_divided || !api->nvmlDeviceGetCount_v2 || !api->nvmlDeviceGetHandleByIndex_v2 ||
        api->nvmlDeviceGetCount_v2(&count) != NVML_SUCCESS)
        return;
    for (unsigned i = 0; i < count && nvml->other_count < OTHERS_MAX; i++) {
        struct nvml_device *device;
        if (api->nvmlDeviceGetHandleByIndex_v2(i, &device) == NVML_SUCCESS &&
            device != nvml->card.device)
            nvml->others[nvml->other_count++] = device;
    }
}

static void *nvml_open(struct arena *arena, const struct sensors_desc *desc, struct error *err)
{
    struct nvml *nvml = ARENA_NEW(arena, struct nvml);
    const struct dynlib_desc calls = {
        .symbols = symbols, .symbol_count = sizeof symbols / sizeof *symbols, .table = &nvml->api};
    if (!nvml_card_open(&nvml->card, desc, &calls, err))
        return NULL;
    unsigned mig = 0, pending;
    nvml->is_divided =
        nvml->api.nvmlDeviceGetMigMode &&
        nvml->api.nvmlDeviceGetMigMode(nvml->card.device, &mig, &pending) == NVML_SUCCESS && mig;
    find_others(nvml);
    return nvml;
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

// Returns the seconds for which `policy` has lowered the clock since the driver was loaded; NaN if
// not known.
static double limited_s(const struct nvml *nvml, int policy)
{
    struct nvml_violation violation = {0};
    bool known = nvml->api.nvmlDeviceGetViolationStatus &&
                 nvml->api.nvmlDeviceGetViolationStatus(nvml->card.device, policy, &violation) ==
                     NVML_SUCCESS;
    return known ? (double)violation.violation_ns * 1e-9 : (double)NAN;
}

// Reads how much of the card's memory is free and used. Returns false if the numbers are not known,
// or if instances (MIG) share the card.
static bool read_memory(const struct nvml *nvml, struct nvml_memory *memory)
{
    *memory = (struct nvml_memory){0};
    return !nvml->is_divided && nvml->api.nvmlDeviceGetMemoryInfo &&
           nvml->api.nvmlDeviceGetMemoryInfo(nvml->card.device, memory) == NVML_SUCCESS &&
           memory->total_bytes > 0;
}

// Returns the bytes of memory in use; NaN if not known.
static double nvml_used_memory(void *handle)
{
    struct nvml_memory memory;
    return read_memory(handle, &memory) ? (double)memory.used_bytes : (double)NAN;
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
    struct nvml_memory memory;
    if (read_memory(nvml, &memory))
        values[SENSOR_MEMORY_FREE] = (double)memory.free_bytes;
    values[SENSOR_THROTTLE] = throttle_set(nvml);
    values[SENSOR_POWER_LIMITED] = limited_s(nvml, NVML_POLICY_POWER);
    values[SENSOR_THERMAL_LIMITED] = limited_s(nvml, NVML_POLICY_THERMAL);
}

// Traffic counters of a card's PCI Express link and of its NVLinks. All are read at one time.
struct link_counts {
    uint64_t at_ns;
    bool has_pcie, has_nvlink;
    uint32_t pcie_bytes[2];
    double nvlink_bytes;
};

enum {
    // Number of PCI Express counters. count_links reads them before the NVLink counters.
    PCIE_COUNTERS = 2,
    ALL_COUNTERS = 4
};

static void count_links(const struct nvml *nvml, struct nvml_device *device, int field_count,
                        struct link_counts *counts)
{
    const unsigned all_links = UINT_MAX;
    const int unread = NVML_NOT_SUPPORTED;
    struct nvml_field fields[] = {
        {.id = NVML_PCIE_SENT, .status = unread},
        {.id = NVML_PCIE_RECEIVED, .status = unread},
        {.id = NVML_NVLINK_SENT, .scope = all_links, .status = unread},
        {.id = NVML_NVLINK_RECEIVED, .scope = all_links, .status = unread}};
    *counts = (struct link_counts){.at_ns = clock_now_ns()};
    if (!nvml->api.nvmlDeviceGetFieldValues ||
        nvml->api.nvmlDeviceGetFieldValues(device, field_count, fields) != NVML_SUCCESS)
        return;
    counts->has_pcie = fields[0].status == NVML_SUCCESS && fields[1].status == NVML_SUCCESS;
    counts->has_nvlink = fields[2].status == NVML_SUCCESS && fields[3].status == NVML_SUCCESS;
    for (unsigned i = 0; i < 2; i++)
        counts->pcie_bytes[i] = (uint32_t)fields[i].value;
    counts->nvlink_bytes = 1024.0 * ((double)fields[2].value + (double)fields[3].value);
}

// Returns the PCI Express traffic in bytes per second, both directions together; NaN if not known.
// A counter overflows at most once between the readings, because 4 GiB take at least 30 ms.
static double pcie_traffic(const struct link_counts *before, const struct link_counts *after)
{
    double bytes = 0;
    for (unsigned i = 0; i < 2; i++)
        bytes += (uint32_t)(after->pcie_bytes[i] - before->pcie_bytes[i]);
    bool known = before->has_pcie && after->has_pcie;
    return known ? bytes * NS_PER_S / (double)(after->at_ns - before->at_ns) : (double)NAN;
}

// Returns the same as pcie_traffic, for drivers that count no bytes (before 555). Takes 20 ms per
// direction.
static double slow_pcie_traffic(const struct nvml *nvml)
{
    enum {
        FROM_DEVICE, // values of NVML's enum nvmlPcieUtilCounter_t
        TO_DEVICE
    };
    const struct nvml_api *api = &nvml->api;
    unsigned kib_per_s[2] = {0, 0};
    for (int counter = FROM_DEVICE; counter <= TO_DEVICE; counter++)
        if (!api->nvmlDeviceGetPcieThroughput ||
            api->nvmlDeviceGetPcieThroughput(nvml->card.device, counter, &kib_per_s[counter]) !=
                NVML_SUCCESS)
            return (double)NAN;
    return 1024.0 * ((double)kib_per_s[FROM_DEVICE] + (double)kib_per_s[TO_DEVICE]);
}

static double nvml_traffic(void *handle)
{
    const struct nvml *nvml = handle;
    struct link_counts before, after;
    count_links(nvml, nvml->card.device, ALL_COUNTERS, &before);
    clock_sleep_ns(clock_left_ns(before.at_ns + NS_PER_MS));
    count_links(nvml, nvml->card.device, ALL_COUNTERS, &after);
    double pcie = pcie_traffic(&before, &after);
    if (isnan(pcie))
        pcie = slow_pcie_traffic(nvml);
    if (!before.has_nvlink || !after.has_nvlink)
        return pcie;
    double nvlink = (after.nvlink_bytes - before.nvlink_bytes) * NS_PER_S /
                    (double)(after.at_ns - before.at_ns);
    return isnan(pcie) ? nvlink : pcie + nvlink;
}

static double others_traffic_now(const struct nvml *nvml)
{
    struct link_counts before[OTHERS_MAX], after;
    double sum = nvml->other_count ? 0 : (double)NAN;
    for (unsigned i = 0; i < nvml->other_count; i++)
        count_links(nvml, nvml->others[i], PCIE_COUNTERS, &before[i]);
    if (nvml->other_count)
        clock_sleep_ns(clock_left_ns(before[0].at_ns + NS_PER_MS));
    for (unsigned i = 0; i < nvml->other_count; i++) {
        count_links(nvml, nvml->others[i], PCIE_COUNTERS, &after);
        sum += pcie_traffic(&before[i], &after);
    }
    return sum;
}

// Returns the traffic of the host's other cards. Above 1 GB/s, reads the traffic again and returns
// the smaller value, because another fathom copies for 0.2 ms when it watches its card.
static double nvml_others_traffic(void *handle)
{
    static const double brief_bytes_per_s = 1e9;
    double traffic = others_traffic_now(handle);
    return traffic > brief_bytes_per_s ? fmin(traffic, others_traffic_now(handle)) : traffic;
}

const struct sensors_source sensors_nvml = {
    .name = "NVML",
    .open = nvml_open,
    .close = nvml_close,
    .read = nvml_read,
    .traffic = nvml_traffic,
    .others_traffic = nvml_others_traffic,
    .used_memory = nvml_used_memory,
};
