// SPDX-License-Identifier: MIT
// A double of NVML with a card of fixed readings. Its energy counter rises by 100 J a call. Each
// change of its clock is written to the file NVML_DOUBLE_LOG: "lock 1500 1500 by PID" or "reset by
// PID". If NVML_DOUBLE_ANY is set, every UUID is this card. NVML_DOUBLE is the number of a process
// that uses the card, or says what is wrong:
//
//   permission, unsupported  no lock of the clock    mig, vgpu  divided into instances; virtual
//   half      half of the lanes of its link          nvlink     one of its NVLinks is off
//   rows      a row of memory was not replaced       recovers   recoveries of a link rise
//   pending   a row is replaced at the next reset    replays    replays of a link rise
//   limited   power lowers its clock all the time    volta      it has retired pages, no rows
//   once      one uncorrected error after its errors were first read
//   uncorrected  its uncorrected errors rise       allocates  512 MiB more or less each time
//   neighbour    the host has another card, which moves 64 MiB between two readings
//   clocks, users   says that it wrote a million of them, wherever there was room for fewer
//   full      600 MiB of its memory are free         empty      it does not write its memory
//   old, older   it counts no bytes of traffic; only "old" states a rate over PCI Express
#define _POSIX_C_SOURCE 200809L // for setenv
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct process {
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance, compute_instance;
};

const char *nvmlErrorString(int status);
int nvmlDeviceGetSupportedMemoryClocks(void *device, unsigned *count, unsigned *mhz);
int nvmlDeviceGetSupportedGraphicsClocks(void *device, unsigned memory_mhz, unsigned *count,
                                         unsigned *mhz);
int nvmlDeviceSetGpuLockedClocks(void *device, unsigned low_mhz, unsigned high_mhz);
int nvmlDeviceResetGpuLockedClocks(void *device);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count,
                                            struct process *processes);
int nvmlDeviceGetGraphicsRunningProcesses_v3(void *device, unsigned *count,
                                             struct process *processes);
int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *pending);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
int nvmlDeviceGetVirtualizationMode(void *device, int *mode);

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetHandleByPciBusId_v2(const char *pci, void **device);
int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *degc);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *mj);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *set);
int nvmlDeviceGetViolationStatus(void *device, int policy, unsigned long long violation[2]);
int nvmlDeviceGetCurrPcieLinkGeneration(void *device, unsigned *generation);
int nvmlDeviceGetCurrPcieLinkWidth(void *device, unsigned *lanes);
int nvmlDeviceGetPcieThroughput(void *device, int counter, unsigned *kib_per_s);
struct field {
    unsigned id, scope;
    long long timestamp_us, latency_us;
    int type, status;
    unsigned long long value;
};
int nvmlDeviceGetFieldValues(void *device, int count, struct field *fields);
struct memory {
    unsigned long long total_bytes, free_bytes, used_bytes;
};
int nvmlDeviceGetMemoryInfo(void *device, struct memory *memory);
int nvmlDeviceGetMaxPcieLinkGeneration(void *device, unsigned *generation);
int nvmlDeviceGetMaxPcieLinkWidth(void *device, unsigned *lanes);
int nvmlDeviceGetPcieReplayCounter(void *device, unsigned *count);
int nvmlDeviceGetPowerUsage(void *device, unsigned *mw);
int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *mw);
int nvmlDeviceGetTotalEccErrors(void *device, int type, int counter, unsigned long long *count);
int nvmlDeviceGetEccMode(void *device, int *now, int *pending);
int nvmlDeviceGetNvLinkState(void *device, unsigned link, int *active);
int nvmlDeviceGetNvLinkErrorCounter(void *device, unsigned link, int counter,
                                    unsigned long long *count);
int nvmlDeviceGetRemappedRows(void *device, unsigned *corrected, unsigned *uncorrected,
                              unsigned *pending, unsigned *failed);
int nvmlDeviceGetRetiredPages(void *device, int cause, unsigned *count,
                              unsigned long long *addresses);
int nvmlDeviceGetVbiosVersion(void *device, char *version, unsigned bytes);

enum {
    SUCCESS = 0,
    NOT_SUPPORTED = 3,
    NO_PERMISSION = 4,
    NOT_FOUND = 6,
    INSUFFICIENT_SIZE = 7
};
static int card, neighbour;
static unsigned long long energy_mj = 5000000;

static int is_wrong(const char *what)
{
    const char *wrong = getenv("NVML_DOUBLE");
    return wrong && strcmp(wrong, what) == 0;
}

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
    if (getenv("NVML_DOUBLE_ANY"))
        return SUCCESS;
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
    *set = 0x04 | 0x40 | 0x01; // power cap, hardware thermal, idle (which fathom ignores)
    return SUCCESS;
}

int nvmlDeviceGetViolationStatus(void *device, int policy, unsigned long long violation[2])
{
    static unsigned long long calls;
    (void)device;
    violation[0] = 1763848000000000;                    // the host's time in µs
    violation[1] = policy == 0 ? 2500000000 : 40000000; // limited by power or temperature, in ns
    if (is_wrong("limited") && policy == 0)
        violation[1] += 1000000000 * calls++;
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
    *lanes = is_wrong("half") ? 8 : 16;
    return SUCCESS;
}

// Only the driver "old", which counts no bytes, has this function. So a test sees which function
// was used.
int nvmlDeviceGetPcieThroughput(void *device, int counter, unsigned *kib_per_s)
{
    (void)device;
    *kib_per_s = counter == 0 ? 3000 : 1000; // from the device, to the device
    return is_wrong("old") && counter < 2 ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = is_wrong("neighbour") ? 2 : 1;
    return SUCCESS;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    *device = index == 0 ? &card : &neighbour;
    return SUCCESS;
}

// Between two calls the card sends 3 MiB and receives 1 MiB over PCI Express. The counters have 32
// bits, and the first one overflows at the second call. NVLinks, if it has any, move 1 GiB in each
// direction. The drivers "old" and "older" count no bytes.
int nvmlDeviceGetFieldValues(void *device, int count, struct field *fields)
{
    static const unsigned mib = 1 << 20;
    static unsigned calls;
    calls++;
    if (device == &neighbour) {
        for (int i = 0; i < count; i++) {
            fields[i].status = fields[i].id == 197 || fields[i].id == 198 ? SUCCESS : NOT_SUPPORTED;
            fields[i].value = 32 * mib * calls;
        }
        return SUCCESS;
    }
    for (int i = 0; i < count; i++) {
        bool link = is_wrong("nvlink") && fields[i].scope == UINT_MAX;
        unsigned id = is_wrong("old") || is_wrong("older") ? 0 : fields[i].id;
        fields[i].status = SUCCESS;
        if (id == 197)
            fields[i].value = 3 * mib * calls - 4 * mib; // overflows like the counter
        else if (id == 198)
            fields[i].value = mib * calls;
        else if (link && (id == 138 || id == 139))
            fields[i].value = (unsigned long long)mib * calls; // in KiB
        else
            fields[i].status = NOT_SUPPORTED;
    }
    return SUCCESS;
}

int nvmlDeviceGetMemoryInfo(void *device, struct memory *memory)
{
    static const unsigned long long mib = 1 << 20;
    static unsigned calls;
    (void)device;
    calls++;
    if (is_wrong("empty"))
        return SUCCESS;
    *memory = (struct memory){143771 * mib, 143156 * mib, 615 * mib};
    if (is_wrong("full"))
        *memory = (struct memory){143771 * mib, 600 * mib, 143171 * mib};
    if (is_wrong("allocates") && calls % 2) {
        memory->free_bytes -= 512 * mib;
        memory->used_bytes += 512 * mib;
    }
    return is_wrong("old") ? NOT_SUPPORTED : SUCCESS;
}

int nvmlDeviceGetMaxPcieLinkGeneration(void *device, unsigned *generation)
{
    (void)device;
    *generation = 5;
    return SUCCESS;
}

int nvmlDeviceGetMaxPcieLinkWidth(void *device, unsigned *lanes)
{
    (void)device;
    *lanes = 16;
    return SUCCESS;
}

int nvmlDeviceGetPcieReplayCounter(void *device, unsigned *count)
{
    (void)device;
    *count = 2;
    return SUCCESS;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *mw)
{
    (void)device;
    *mw = 312500;
    return SUCCESS;
}

int nvmlDeviceGetEnforcedPowerLimit(void *device, unsigned *mw)
{
    (void)device;
    *mw = 700000;
    return SUCCESS;
}

// Milliseconds: a count that rises, even after the library was closed.
static unsigned long long rising(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (unsigned long long)now.tv_sec * 1000 + (unsigned long long)now.tv_nsec / 1000000;
}

int nvmlDeviceGetTotalEccErrors(void *device, int type, int counter, unsigned long long *count)
{
    (void)device;
    *count = type == 0 && counter == 0 ? 3 : 0; // corrected errors
    if (type == 1 && is_wrong("uncorrected"))
        *count = rising();
    if (type == 1 && is_wrong("once")) {
        *count = getenv("NVML_DOUBLE_READ") != NULL; // 1 even after the library was closed
        setenv("NVML_DOUBLE_READ", "1", 1);
    }
    return SUCCESS;
}

int nvmlDeviceGetEccMode(void *device, int *now, int *pending)
{
    (void)device;
    *now = *pending = 1;
    return SUCCESS;
}

// ---------------------------------------------------------------- its NVLinks and its memory

enum {
    NVLINKS = 4
};

int nvmlDeviceGetNvLinkState(void *device, unsigned link, int *active)
{
    (void)device;
    *active = !(is_wrong("nvlink") && link == 2);
    return link < NVLINKS ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetNvLinkErrorCounter(void *device, unsigned link, int counter,
                                    unsigned long long *count)
{
    (void)device;
    *count = counter == 0 ? 10 : 0; // replays of each link
    if (link == 1 && (counter == 0 ? is_wrong("replays") : is_wrong("recovers")))
        *count += rising();
    return link < NVLINKS && counter < 2 ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetRemappedRows(void *device, unsigned *corrected, unsigned *uncorrected,
                              unsigned *pending, unsigned *failed)
{
    (void)device;
    *corrected = 1;
    *uncorrected = 2;
    *pending = is_wrong("pending") ? 1 : 0;
    *failed = is_wrong("rows") ? 1 : 0;
    return is_wrong("volta") ? NOT_SUPPORTED : SUCCESS;
}

int nvmlDeviceGetRetiredPages(void *device, int cause, unsigned *count,
                              unsigned long long *addresses)
{
    unsigned had = *count;
    (void)device;
    (void)addresses;
    if (!is_wrong("volta"))
        return NOT_SUPPORTED;
    *count = cause == 0 ? 5 : 0;
    return had < *count ? INSUFFICIENT_SIZE : SUCCESS;
}

// ---------------------------------------------------------------- its clock

static void write_down(const char *text)
{
    const char *path = getenv("NVML_DOUBLE_LOG");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return;
    fprintf(file, "%s by %ld\n", text, (long)getpid());
    fclose(file);
}

const char *nvmlErrorString(int status)
{
    return status == NO_PERMISSION ? "Insufficient Permissions" : "Not Supported";
}

static int give_list(const unsigned *from, unsigned from_count, unsigned *count, unsigned *to)
{
    int fits = *count >= from_count;
    for (unsigned i = 0; fits && i < from_count; i++)
        to[i] = from[i];
    *count = from_count;
    return fits ? SUCCESS : INSUFFICIENT_SIZE;
}

int nvmlDeviceGetSupportedMemoryClocks(void *device, unsigned *count, unsigned *mhz)
{
    static const unsigned clocks[] = {3201, 1593};
    (void)device;
    return give_list(clocks, 2, count, mhz);
}

int nvmlDeviceGetSupportedGraphicsClocks(void *device, unsigned memory_mhz, unsigned *count,
                                         unsigned *mhz)
{
    static const unsigned clocks[] = {1980, 1965, 1500, 1200, 345};
    (void)device;
    int status = memory_mhz == 3201 ? give_list(clocks, 5, count, mhz) : NOT_FOUND;
    if (is_wrong("clocks"))
        *count = 1000000;
    return status;
}

int nvmlDeviceSetGpuLockedClocks(void *device, unsigned low_mhz, unsigned high_mhz)
{
    char text[64];
    (void)device;
    snprintf(text, sizeof text, "lock %u %u", low_mhz, high_mhz);
    write_down(text);
    if (is_wrong("permission"))
        return NO_PERMISSION;
    return is_wrong("unsupported") ? NOT_SUPPORTED : SUCCESS;
}

int nvmlDeviceResetGpuLockedClocks(void *device)
{
    (void)device;
    write_down("reset");
    return is_wrong("permission") ? NO_PERMISSION : SUCCESS;
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count,
                                            struct process *processes)
{
    (void)device;
    const char *wrong = getenv("NVML_DOUBLE");
    long pid = wrong ? strtol(wrong, NULL, 10) : 0;
    *count = is_wrong("users") ? 1000000 : pid > 0;
    if (pid > 0)
        processes[0] = (struct process){.pid = (unsigned)pid};
    return SUCCESS;
}

int nvmlDeviceGetGraphicsRunningProcesses_v3(void *device, unsigned *count,
                                             struct process *processes)
{
    (void)device;
    (void)processes;
    *count = 0;
    return SUCCESS;
}

int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *pending)
{
    (void)device;
    *now = *pending = is_wrong("mig") ? 1 : 0;
    return SUCCESS;
}

int nvmlDeviceGetVirtualizationMode(void *device, int *mode)
{
    (void)device;
    *mode = is_wrong("vgpu") ? 2 : 0;
    return SUCCESS;
}

int nvmlDeviceGetVbiosVersion(void *device, char *version, unsigned bytes)
{
    (void)device;
    snprintf(version, bytes, "96.00.74.00.01");
    return SUCCESS;
}
