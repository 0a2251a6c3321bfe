// SPDX-License-Identifier: MIT
// A card of fixed readings behind NVML's names. Its energy counter rises by 100 J a call.
#include <string.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device);
int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz);
int nvmlDeviceGetPowerUsage(void *device, unsigned *mw);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *degc);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *mj);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *set);
int nvmlDeviceGetCurrPcieLinkGeneration(void *device, unsigned *generation);
int nvmlDeviceGetCurrPcieLinkWidth(void *device, unsigned *lanes);

enum {
    SUCCESS = 0,
    NOT_FOUND = 6
};
static int card;
static unsigned long long energy_mj = 5000000;

int nvmlInit_v2(void)
{
    return SUCCESS;
}

int nvmlShutdown(void)
{
    return SUCCESS;
}

int nvmlDeviceGetHandleByUUID(const char *uuid, void **device)
{
    *device = &card;
    return strcmp(uuid, "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f") == 0 ? SUCCESS : NOT_FOUND;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device)
{
    *device = &card;
    return strcmp(pci, "0000:1b:00.0") == 0 ? SUCCESS : NOT_FOUND;
}

int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz)
{
    (void)device;
    *mhz = clock == 1 ? 1980 : 3201;
    return SUCCESS;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *mw)
{
    (void)device;
    *mw = 412500;
    return SUCCESS;
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *degc)
{
    (void)device;
    (void)sensor;
    *degc = 41;
    return SUCCESS;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *mj)
{
    (void)device;
    *mj = energy_mj += 100000;
    return SUCCESS;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *set)
{
    (void)device;
    *set = 0x04 | 0x40 | 0x01; // power cap, hardware thermal, and idle, which is none of ours
    return SUCCESS;
}

int nvmlDeviceGetCurrPcieLinkGeneration(void *device, unsigned *generation)
{
    (void)device;
    *generation = 5;
    return SUCCESS;
}

int nvmlDeviceGetCurrPcieLinkWidth(void *device, unsigned *lanes)
{
    (void)device;
    *lanes = 16;
    return SUCCESS;
}
