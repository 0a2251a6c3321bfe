// SPDX-License-Identifier: MIT
#include "sensors/clocks_source.h"
#include "sensors/nvml_card.h"

#include <string.h>

enum {
    // Smallest nvmlGpuVirtualizationMode_t of a card that is a virtual GPU or hosts virtual GPUs.
    VIRTUAL_VGPU = 2,
    PROCESSES_MAX = 256
};

// Layout of nvmlProcessInfo_t in those NVML functions whose names end with _v2 or _v3.
struct nvml_process {
    unsigned pid;
    unsigned long long used_bytes;
    unsigned gpu_instance, compute_instance;
};

struct clocks_api {
    const char *(*nvmlErrorString)(int status);
    int (*nvmlDeviceGetSupportedMemoryClocks)(struct nvml_device *device, unsigned *count,
                                              unsigned *mhz);
    int (*nvmlDeviceGetSupportedGraphicsClocks)(struct nvml_device *device, unsigned memory_mhz,
                                                unsigned *count, unsigned *mhz);
    int (*nvmlDeviceSetGpuLockedClocks)(struct nvml_device *device, unsigned low_mhz,
                                        unsigned high_mhz);
    int (*nvmlDeviceResetGpuLockedClocks)(struct nvml_device *device);
    int (*nvmlDeviceGetComputeRunningProcesses_v3)(struct nvml_device *device, unsigned *count,
                                                   struct nvml_process *processes);
    int (*nvmlDeviceGetGraphicsRunningProcesses_v3)(struct nvml_device *device, unsigned *count,
                                                    struct nvml_process *processes);
    int (*nvmlDeviceGetMPSComputeRunningProcesses_v3)(struct nvml_device *device, unsigned *count,
                                                      struct nvml_process *processes);
    int (*nvmlDeviceGetMigMode)(struct nvml_device *device, unsigned *now, unsigned *pending);
    int (*nvmlDeviceGetVirtualizationMode)(struct nvml_device *device, int *mode);
};

#define SYMBOL(member)          DYNLIB_SYMBOL(struct clocks_api, member)
#define OPTIONAL_SYMBOL(member) DYNLIB_OPTIONAL(struct clocks_api, member)
static const struct dynlib_symbol symbols[] = {
    SYMBOL(nvmlErrorString),
    SYMBOL(nvmlDeviceGetSupportedMemoryClocks),
    SYMBOL(nvmlDeviceGetSupportedGraphicsClocks),
    SYMBOL(nvmlDeviceSetGpuLockedClocks),
    SYMBOL(nvmlDeviceResetGpuLockedClocks),
    SYMBOL(nvmlDeviceGetComputeRunningProcesses_v3),
    SYMBOL(nvmlDeviceGetGraphicsRunningProcesses_v3),
    OPTIONAL_SYMBOL(nvmlDeviceGetMPSComputeRunningProcesses_v3),
    OPTIONAL_SYMBOL(nvmlDeviceGetMigMode),
    OPTIONAL_SYMBOL(nvmlDeviceGetVirtualizationMode),
};
#undef SYMBOL
#undef OPTIONAL_SYMBOL

struct nvml_clocks {
    struct nvml_card card;
    struct clocks_api api;
};

static bool refuse(const struct nvml_clocks *nvml, const char *call, int status, struct error *err)
{
    const char *text = nvml->api.nvmlErrorString(status);
    const char *remedy = "";
    if (status == NVML_NO_PERMISSION)
        remedy = ": start fathom as root, or leave clock out";
    else if (status == NVML_NOT_SUPPORTED)
        remedy =
            ": this card or driver does not let it be set (Volta or newer do); leave clock out";
    return error_set(err, ERROR_UNSUPPORTED, "NVML, %s: %s%s", call, text ? text : "failed",
                     remedy);
}

// ---------------------------------------------------------------- opening

// Reads the core clocks at the highest memory clock, which NVML lists first.
static bool read_choices(const struct nvml_clocks *nvml, struct clocks_choices *choices,
                         struct error *err)
{
    unsigned memory_mhz[64] = {0}, memories = 64;
    unsigned mhz[SENSOR_CLOCKS_MAX] = {0}, count = SENSOR_CLOCKS_MAX;
    int status =
        nvml->api.nvmlDeviceGetSupportedMemoryClocks(nvml->card.device, &memories, memory_mhz);
    if (status != NVML_SUCCESS || memories == 0)
        return refuse(nvml, "the memory clocks it has", status, err);
    status = nvml->api.nvmlDeviceGetSupportedGraphicsClocks(nvml->card.device, memory_mhz[0],
                                                            &count, mhz);
    if (status != NVML_SUCCESS || count == 0)
        return refuse(nvml, "the core clocks it has", status, err);
    if (count > SENSOR_CLOCKS_MAX)
        return error_set(err, ERROR_UNSUPPORTED,
                         "NVML states %u core clocks, which cannot be true: leave clock out",
                         count);
    choices->count = count;
    for (size_t i = 0; i < count; i++)
        choices->hz[i] = mhz[i] * 1e6;
    return true;
}

static void nvml_close(void *handle)
{
    nvml_card_close(&((struct nvml_clocks *)handle)->card);
}

static void *nvml_open(struct arena *arena, const struct sensor_clocks_desc *desc,
                       struct clocks_choices *choices, const char **before, bool *knows,
                       struct error *err)
{
    struct nvml_clocks *nvml = ARENA_NEW(arena, struct nvml_clocks);
    const struct dynlib_desc calls = {
        .symbols = symbols, .symbol_count = sizeof symbols / sizeof *symbols, .table = &nvml->api};
    *before = "default"; // NVML does not report an earlier lock, so the default is restored
    *knows = nvml_card_open(&nvml->card, &desc->card, &calls, err);
    if (!*knows)
        return NULL;
    if (read_choices(nvml, choices, err))
        return nvml;
    nvml_close(nvml);
    return NULL;
}

// ---------------------------------------------------------------- who else uses the card

static bool check_parts(const struct nvml_clocks *nvml, struct error *err)
{
    unsigned now = 0, pending = 0;
    int mode = 0;
    if (nvml->api.nvmlDeviceGetMigMode &&
        nvml->api.nvmlDeviceGetMigMode(nvml->card.device, &now, &pending) == NVML_SUCCESS && now)
        return error_set(err, ERROR_UNSUPPORTED,
                         "the card is in parts (MIG), and all of them run by one clock: leave "
                         "clock out");
    if (nvml->api.nvmlDeviceGetVirtualizationMode &&
        nvml->api.nvmlDeviceGetVirtualizationMode(nvml->card.device, &mode) == NVML_SUCCESS &&
        mode >= VIRTUAL_VGPU)
        return error_set(err, ERROR_UNSUPPORTED,
                         "it is a virtual GPU or has some, and all run by one clock: leave clock "
                         "out");
    return true;
}

static bool check_processes(const struct nvml_clocks *nvml, const struct sensor_clocks_desc *desc,
                            int (*list)(struct nvml_device *, unsigned *, struct nvml_process *),
                            struct error *err)
{
    struct nvml_process processes[PROCESSES_MAX];
    unsigned count = PROCESSES_MAX;
    int status = list(nvml->card.device, &count, processes);
    if (status == NVML_INSUFFICIENT_SIZE || (status == NVML_SUCCESS && count > PROCESSES_MAX))
        return error_set(err, ERROR_UNSUPPORTED,
                         "more than %d processes use the card: leave clock out", PROCESSES_MAX);
    if (status != NVML_SUCCESS)
        return refuse(nvml, "who uses the card", status, err);
    for (unsigned i = 0; i < count; i++)
        if (!clocks_is_own(desc, (long)processes[i].pid))
            return clocks_refuse_other(desc, (long)processes[i].pid, err);
    return true;
}

static bool nvml_check(void *handle, const struct sensor_clocks_desc *desc, struct error *err)
{
    const struct nvml_clocks *nvml = handle;
    const struct clocks_api *api = &nvml->api;
    return check_parts(nvml, err) &&
           check_processes(nvml, desc, api->nvmlDeviceGetComputeRunningProcesses_v3, err) &&
           check_processes(nvml, desc, api->nvmlDeviceGetGraphicsRunningProcesses_v3, err) &&
           (!api->nvmlDeviceGetMPSComputeRunningProcesses_v3 ||
            check_processes(nvml, desc, api->nvmlDeviceGetMPSComputeRunningProcesses_v3, err));
}

// Appends the processes of an NVML list that are visible in /proc, except fathom's own processes.
static const char *add_users(struct arena *arena, const struct nvml_clocks *nvml,
                             const struct sensor_clocks_desc *desc,
                             int (*list)(struct nvml_device *, unsigned *, struct nvml_process *),
                             const char *text)
{
    struct nvml_process processes[PROCESSES_MAX];
    unsigned count = PROCESSES_MAX;
    if (list(nvml->card.device, &count, processes) != NVML_SUCCESS)
        return text;
    for (unsigned i = 0; i < count && i < PROCESSES_MAX; i++) {
        long pid = (long)processes[i].pid;
        if (!clocks_is_own(desc, pid))
            text = clocks_add_user(arena, desc, pid, text);
    }
    return text;
}

static const char *nvml_users(struct arena *arena, const struct sensor_clocks_desc *desc)
{
    struct nvml_clocks nvml;
    const struct dynlib_desc calls = {
        .symbols = symbols, .symbol_count = sizeof symbols / sizeof *symbols, .table = &nvml.api};
    struct error no_card;
    if (!nvml_card_open(&nvml.card, &desc->card, &calls, &no_card))
        return NULL;
    const char *text =
        add_users(arena, &nvml, desc, nvml.api.nvmlDeviceGetComputeRunningProcesses_v3, NULL);
    text = add_users(arena, &nvml, desc, nvml.api.nvmlDeviceGetGraphicsRunningProcesses_v3, text);
    if (nvml.api.nvmlDeviceGetMPSComputeRunningProcesses_v3)
        text = add_users(arena, &nvml, desc, nvml.api.nvmlDeviceGetMPSComputeRunningProcesses_v3,
                         text);
    nvml_card_close(&nvml.card);
    return text;
}

// ---------------------------------------------------------------- setting the clock

static bool nvml_lock(void *handle, const struct clocks_choices *choices, size_t choice,
                      bool *touched, struct error *err)
{
    const struct nvml_clocks *nvml = handle;
    unsigned mhz = (unsigned)(choices->hz[choice] / 1e6 + 0.5);
    int status = nvml->api.nvmlDeviceSetGpuLockedClocks(nvml->card.device, mhz, mhz);
    *touched = status == NVML_SUCCESS;
    return *touched || refuse(nvml, "locking the core clock", status, err);
}

static bool nvml_restore(void *handle, const char *before, struct error *err)
{
    (void)before;
    const struct nvml_clocks *nvml = handle;
    int status = nvml->api.nvmlDeviceResetGpuLockedClocks(nvml->card.device);
    return status == NVML_SUCCESS || refuse(nvml, "giving the core clock back", status, err);
}

const struct clocks_source clocks_nvml = {
    .name = "NVML",
    .open = nvml_open,
    .close = nvml_close,
    .check = nvml_check,
    .users = nvml_users,
    .lock = nvml_lock,
    .restore = nvml_restore,
};
