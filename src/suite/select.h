// SPDX-License-Identifier: MIT
// Chooses the devices for a run, and finds GPUs that no API can open.
#ifndef SUITE_SELECT_H
#define SUITE_SELECT_H

#include "gpu/gpu.h"

struct device_list {
    const struct gpu_info **devices; // chosen devices, each at most once; gpu_system owns them
    size_t count, capacity;
};

struct select_request {
    const struct gpu_system *system;
    const char *const *names; // values of -d: an id, an API, a part of a name, a UUID, or "all"
    size_t name_count;        // number of names; 0 chooses the best device
    // Value of --api: an API; "all" uses each chip through all its APIs; NULL allows any API.
    const char *api;
    gpu_caps prefer; // capabilities that decide which device of a chip the name "all" chooses
};

// Fills `list` with the devices that the user named, in the order of the names:
// - A name chooses one device: the device with this id, else the first device of the best kind
//   that matches the name. Kinds from best to worst: discrete, integrated, virtual, other GPU, CPU.
// - "all" chooses every chip once: through the first API that has the capabilities `prefer`; if
//   no API has them, through the first API.
// - If request->api is "all", the other APIs of each chosen chip follow.
// Fails with ERROR_USAGE if no device matches a name; the message lists the devices. Fails with
// ERROR_NO_DEVICE if the system, or the API that the user named, has no device.
MUST_CHECK bool select_devices(struct arena *arena, const struct select_request *request,
                               struct device_list *list, struct error *err);

// True if both devices are the same chip: equal UUIDs, equal PCI addresses, or two CPU devices of
// different APIs.
bool select_same_chip(const struct gpu_info *a, const struct gpu_info *b);

// Removes NVIDIA cards that CUDA_VISIBLE_DEVICES hides from CUDA, but not from Vulkan. (Schedulers
// set this variable for a job that gets only some of a machine's cards.) If the list has a CUDA
// device, removes the NVIDIA devices of other APIs, because the list must have one device per card.
// If the list has no CUDA device, removes nothing.
void select_leave_hidden_out(struct device_list *list);

// A GPU in this machine that no API can open, so it is not a device of the gpu_system.
struct unreached_gpu {
    const char *text;   // description: "an NVIDIA GPU (10de:2335) at 0000:1b:00.0"
    const char *remedy; // what the user can do, as a sentence without a full stop
    // true: this user has no permission to open /dev/nvidia0 or, for AMD and Intel,
    // /dev/dri/renderD128
    bool forbidden;
};

// Finds GPUs of NVIDIA, AMD and Intel that are in this machine but not in `system`. Searches sysfs;
// if sysfs lists no NVIDIA GPU, the device file /dev/nvidia0 counts as one. Sets *gpus and returns
// their number. `root` is put before all paths; "" means this machine.
size_t select_unreached(struct arena *arena, const struct gpu_system *system, const char *root,
                        struct unreached_gpu **gpus);

// True if CUDA_VISIBLE_DEVICES, with the value `visible` (NULL: not set), hides an NVIDIA GPU of
// this machine from CUDA. CUDA uses the GPUs up to the first entry that names no further GPU. With
// a value, also true if /dev/nvidia0 exists although sysfs lists no NVIDIA GPU: probably a sandbox
// hides sysfs. `root` is put before all paths; "" means this machine.
bool select_cards_hidden(struct arena *arena, const char *root, const char *visible);

// Returns the device's PCI address ("0000:1b:00.0"); NULL if it is not known.
const char *select_pci(struct arena *arena, const struct gpu_info *info);

#endif
