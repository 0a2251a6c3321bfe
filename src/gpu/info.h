// SPDX-License-Identifier: MIT
// What a device is and can do, as its API says: kind, names, capabilities, limits, queues. Nothing
// is opened for it. gpu/gpu.h has the devices themselves.
#ifndef GPU_INFO_H
#define GPU_INFO_H

#include "base/error.h"

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

// Capabilities: bit, short name in files, and what is missing where the bit is not set (the
// feature's own name, so that a skip says what to look for).
#define GPU_CAPS(X)                                                                                \
    X(CORE_CLOCK, "core-clock", "a cycle counter readable in kernels (shaderSubgroupClock)")       \
    X(DEVICE_CLOCK, "device-clock", "a device-wide clock readable in kernels (shaderDeviceClock)") \
    X(CORE_ID, "core-id", "the core's id readable in kernels (VK_NV_shader_sm_builtins)")          \
    X(STAMPS_INSIDE, "stamps-inside", "time stamps between commands of one batch")                 \
    X(ADDRESSES, "addresses", "64-bit addresses in kernels (bufferDeviceAddress)")                 \
    X(INT64, "int64", "64-bit integers in kernels (shaderInt64)")                                  \
    X(FLOAT64, "float64", "64-bit floats in kernels (shaderFloat64)")                              \
    X(FLOAT16, "float16", "16-bit floats in kernels (shaderFloat16)")                              \
    X(INT8, "int8", "8-bit integers in kernels (shaderInt8)")                                      \
    X(STORAGE16, "storage16", "16-bit storage buffers (storageBuffer16BitAccess)")                 \
    X(STORAGE8, "storage8", "8-bit storage buffers (storageBuffer8BitAccess)")                     \
    X(ATOMICS64, "atomics64", "64-bit buffer atomics (shaderBufferInt64Atomics)")                  \
    X(SUBGROUPS, "subgroups", "subgroup operations in compute kernels")                            \
    X(SHUFFLE, "shuffle", "shuffles within a subgroup (VK_SUBGROUP_FEATURE_SHUFFLE_BIT)")          \
    X(DOT4, "dot4", "dot products of four bytes (shaderIntegerDotProduct)")                        \
    X(SUBGROUP_CHOICE, "subgroup-choice", "a chosen subgroup size (subgroupSizeControl)")          \
    X(CONSTANT, "constant", "constant buffers")                                                    \
    X(TYPED, "typed", "typed buffers")                                                             \
    X(IMAGES, "images", "images")                                                                  \
    X(SAMPLERS, "samplers", "filtered sampling")                                                   \
    X(HOLDS, "holds", "submissions held by the host (timeline semaphores)")                        \
    X(UNORDERED, "unordered", "batches whose commands may overlap")                                \
    X(SPLITS, "splits", "barriers in two halves (events that commands set and wait for)")          \
    X(REPLAY, "replay", "replay of a whole batch as one object (graphs)")                          \
    X(PRIORITY, "priority", "queue priorities")                                                    \
    X(GRAPHICS, "graphics",                                                                        \
      "a graphics queue whose fragments write and know their subgroup (fragmentStoresAndAtomics)") \
    X(MANAGED, "managed", "managed (unified) memory")                                              \
    X(PEERS, "peers", "copies between devices")                                                    \
    X(PAGEABLE, "pageable", "copies from and to any host memory by the driver")                    \
    X(HOST_MEMORY, "host-memory",                                                                  \
      "kernels that use the host's memory where it lies (through OpenCL the driver may move it)")  \
    X(KERNEL_STATS, "kernel-stats", "statistics of compiled kernels")                              \
    X(MATRIX, "matrix", "matrix units (VK_NV_cooperative_matrix)")                                 \
    X(SHARED_CHOICE, "shared-choice", "shared memory whose size the host chooses (CUDA)")          \
    X(L1_CHOICE, "l1-choice", "a wish for how much of a core's memory is L1 (CUDA's carve-out)")   \
    X(VIRTUAL_TIME, "virtual-time", "time that passes only while a batch runs (models)")           \
    X(CLOCK_CHOICE, "clock-choice", "a core clock that is chosen with the device (models)")

enum gpu_cap_bit {
#define X(name, text, missing) GPU_CAP_BIT_##name,
    GPU_CAPS(X)
#undef X
    GPU_CAP_BIT_COUNT
};

typedef uint64_t gpu_caps; // a set of GPU_CAP(name)
#define GPU_CAP(name) ((gpu_caps)1 << GPU_CAP_BIT_##name)

// Limits, all in one table so that run files can list them by name. 0 = the API does not say.
#define GPU_LIMITS(X)                                                                              \
    X(memory_bytes)         /* device memory in all */                                             \
    X(allocation_bytes)     /* largest single buffer */                                            \
    X(storage_range_bytes)  /* largest range bound as GPU_ARG_BUFFER */                            \
    X(constant_range_bytes) /* largest range bound as GPU_ARG_CONSTANT */                          \
    X(typed_elements)       /* largest typed view */                                               \
    X(storage_align_bytes)  /* offsets of GPU_ARG_BUFFER are multiples of it */                    \
    X(constant_align_bytes) /* … of GPU_ARG_CONSTANT */                                          \
    X(typed_align_bytes)    /* … of typed views */                                               \
    X(image_1d)             /* texels a side */                                                    \
    X(image_2d)                                                                                    \
    X(image_3d)                                                                                    \
    X(image_layers)                                                                                \
    X(params_bytes) /* run-time arguments of a kernel, addresses included */                       \
    X(workgroup_threads)                                                                           \
    X(workgroup_threads_x)                                                                         \
    X(workgroup_threads_y)                                                                         \
    X(workgroup_threads_z)                                                                         \
    X(workgroup_count_x)                                                                           \
    X(workgroup_count_y)                                                                           \
    X(workgroup_count_z)                                                                           \
    X(loop_iterations)     /* a thread, all its loops together: then loops just end (llvmpipe) */  \
    X(shared_bytes)        /* shared memory a workgroup */                                         \
    X(shared_choice_bytes) /* the same where its size is chosen by the host */                     \
    X(subgroup_threads)    /* the size that a kernel gets by default */                            \
    X(subgroup_threads_min)                                                                        \
    X(subgroup_threads_max)                                                                        \
    X(cores)             /* SM, CU, WGP: what has an L1 of its own */                              \
    X(core_threads)      /* threads resident on a core */                                          \
    X(core_shared_bytes) /* shared memory of a core */                                             \
    X(core_registers)    /* 32-bit registers of a core */                                          \
    X(last_cache_bytes)  /* last-level cache, as the driver claims */                              \
    X(core_clock_hz)     /* highest, as the driver claims */                                       \
    X(memory_clock_hz)                                                                             \
    X(memory_bus_bits)                                                                             \
    X(stamp_step_ps) /* one unit of a time stamp, in picoseconds */                                \
    X(stamp_bits)    /* valid bits of a time stamp */

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
