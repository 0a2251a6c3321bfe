// SPDX-License-Identifier: MIT
// What a device is and can do, as its API says: kind, names, capabilities, limits, queues. Nothing
// is opened for it. gpu/gpu.h has the devices themselves.
#ifndef GPU_INFO_H
#define GPU_INFO_H

#include "base/error.h"
#include "gpu/tables.h"

#include <stdbool.h>
#include <stdint.h>

// PCI ids of vendors: gpu_info.vendor_id.
enum {
    GPU_VENDOR_AMD = 0x1002,
    GPU_VENDOR_NVIDIA = 0x10de,
    GPU_VENDOR_INTEL = 0x8086
};

enum gpu_kind {
    GPU_KIND_OTHER,
    GPU_KIND_DISCRETE,
    GPU_KIND_INTEGRATED,
    GPU_KIND_VIRTUAL,
    GPU_KIND_CPU
};

// Capabilities; GPU_CAPS lists them (gpu/tables.h).
enum gpu_cap_bit {
#define X(name, text, missing) GPU_CAP_BIT_##name,
    GPU_CAPS(X)
#undef X
    GPU_CAP_BIT_COUNT
};

typedef uint64_t gpu_caps; // a set of GPU_CAP(name)
#define GPU_CAP(name) ((gpu_caps)1 << GPU_CAP_BIT_##name)

// GPU_LIMITS lists them. 0 = the API does not say.
struct gpu_limits {
#define X(name) uint64_t name;
    GPU_LIMITS(X)
#undef X
};

enum gpu_queue_kind {
    GPU_QUEUE_UNIVERSAL,
    GPU_QUEUE_COMPUTE,
    GPU_QUEUE_TRANSFER,
    GPU_QUEUE_KIND_COUNT
};

struct gpu_queue_family {
    enum gpu_queue_kind kind; // UNIVERSAL can do all that the device can; COMPUTE no graphics
    bool graphics;
    unsigned count;      // queues to be had at once
    unsigned stamp_bits; // 0: no time stamps there
};

enum {
    GPU_FAMILIES_MAX = 8,
    GPU_NAME_BYTES = 256,
    GPU_UUID_BYTES = 16
};

struct gpu_pci {
    uint32_t domain, bus, device, function;
};

struct gpu_info {
    char id[32];     // "vulkan:0"
    const char *api; // "vulkan": the backend's name
    unsigned index;  // the number in id
    enum gpu_kind kind;
    char name[GPU_NAME_BYTES];
    char vendor[64];               // "NVIDIA", or the number where it is not known
    uint32_t vendor_id, device_id; // PCI ids; 0 = not known
    char driver[GPU_NAME_BYTES];   // name and version, one line
    char api_version[32];          // "1.3.230"
    bool has_uuid, has_pci;
    uint8_t uuid[GPU_UUID_BYTES]; // the same chip through another API has the same one
    struct gpu_pci pci;
    gpu_caps caps;
    struct gpu_limits limits;
    struct gpu_queue_family families[GPU_FAMILIES_MAX];
    unsigned family_count;
};

// Short name of a capability bit, and the sentence part that names what is missing.
const char *gpu_cap_name(enum gpu_cap_bit bit);
const char *gpu_cap_missing(enum gpu_cap_bit bit);
const char *gpu_kind_name(enum gpu_kind kind); // "discrete"

// False with ERROR_UNSUPPORTED naming the first missing capability of `needed`.
MUST_CHECK bool gpu_require(const struct gpu_info *info, gpu_caps needed, struct error *err);

// Visits limits by name: `limit` is 0 … count−1; NULL name past the end.
const char *gpu_limit_name(unsigned limit);
uint64_t gpu_limit_value(const struct gpu_limits *limits, unsigned limit);

#endif
