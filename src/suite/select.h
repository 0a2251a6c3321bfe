// SPDX-License-Identifier: MIT
// Which devices a run measures on, and the GPUs of the machine that none of its APIs reaches.
#ifndef SUITE_SELECT_H
#define SUITE_SELECT_H

#include "gpu/gpu.h"

struct device_list {
    const struct gpu_info **devices; // the system's; none twice
    size_t count, capacity;
};

struct select_request {
    const struct gpu_system *system;
    const char *const
        *names; // of -d: an id, an API, a part of a name, a UUID, all; none = the best
    size_t name_count;
    const char *api; // of --api: only that one; "all" = each chosen chip through all; NULL = any
};

// Chooses in the order of the names. The best of several: discrete before integrated before CPU,
// then as the system lists them. `all` is every chip once, through the first API that has it.
// ERROR_USAGE for a name that fits nothing, with what there is; ERROR_NO_DEVICE where there is no
// device at all (or none of that API, be it --api's or the name's), with the reason of each
// absence.
MUST_CHECK bool select_devices(struct arena *arena, const struct select_request *request,
                               struct device_list *list, struct error *err);

// True where both are one chip: equal UUID or PCI address, or the host's processors through two
// APIs.
bool select_same_chip(const struct gpu_info *a, const struct gpu_info *b);

// A GPU that is in the machine but not among the system's devices.
struct unreached_gpu {
    const char *text;   // "an NVIDIA GPU (10de:2335) at 0000:1b:00.0"
    const char *remedy; // what to do, a sentence without its full stop
};

// GPUs of NVIDIA, AMD and Intel that sysfs and the device files under `root` ("" = this machine)
// show and that no device of the system but a CPU stands for. Returns their number.
size_t select_unreached(struct arena *arena, const struct gpu_system *system, const char *root,
                        struct unreached_gpu **gpus);

// "00112233445566778899aabbccddeeff" and "0000:1b:00.0"; NULL where it is not known.
const char *select_uuid(struct arena *arena, const struct gpu_info *info);
const char *select_pci(struct arena *arena, const struct gpu_info *info);

#endif
