// SPDX-License-Identifier: MIT
// What a device is and can do, as its API reports it: kind, names, capabilities, limits, queues.
// All this is known before the device is opened (gpu/gpu.h).
#ifndef GPU_INFO_H
#define GPU_INFO_H

#include "base/arena.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

// PCI ids of vendors, which are values of gpu_info.vendor_id.
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

// The table of capabilities: name in C, name in files, text for devices that lack the capability.
// The text completes the sentence "vulkan:0 has no …". It names the feature of the API in
// parentheses, if there is one.
#define GPU_CAPS(X)                                                                                \
    X(CORE_CLOCK, "core-clock", "cycle counter readable in kernels (shaderSubgroupClock)")         \
    X(DEVICE_CLOCK, "device-clock", "device-wide clock readable in kernels (shaderDeviceClock)")   \
    X(CORE_ID, "core-id", "core id readable in kernels (VK_NV_shader_sm_builtins)")                \
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
    X(SUBGROUP_CHOICE, "subgroup-choice", "choice of the subgroup size (subgroupSizeControl)")     \
    X(CONSTANT, "constant", "constant buffers")                                                    \
    X(TYPED, "typed", "typed buffers")                                                             \
    X(IMAGES, "images", "images")                                                                  \
    X(SAMPLERS, "samplers", "filtered sampling")                                                   \
    X(HOLDS, "holds", "submissions that wait for the host (timeline semaphores)")                  \
    X(UNORDERED, "unordered", "batches whose commands may overlap")                                \
    X(SPLITS, "splits", "split barriers (events that commands set and wait for)")                  \
    X(REPLAY, "replay", "replay of a batch as one graph")                                          \
    X(PRIORITY, "priority", "queue priorities")                                                    \
    X(PRIORITY_GLOBAL, "priority-global",                                                          \
      "queue priorities among processes (VK_KHR_global_priority)")                                 \
    X(CONTEXTS, "contexts", "contexts of their own for two opened devices of one process")         \
    X(GRAPHICS, "graphics",                                                                        \
      "graphics queue whose fragment kernels can write and know their subgroup "                   \
      "(fragmentStoresAndAtomics)")                                                                \
    X(RAYS, "rays", "trees to trace rays through (VK_KHR_acceleration_structure)")                 \
    X(RAY_QUERY, "ray-query", "rays in compute kernels (VK_KHR_ray_query)")                        \
    X(RAY_PIPELINE, "ray-pipeline", "kernels of their own for rays (VK_KHR_ray_tracing_pipeline)") \
    X(MANAGED, "managed", "managed (unified) memory")                                              \
    X(PEERS, "peers", "copies between devices")                                                    \
    X(PAGEABLE, "pageable", "copies between devices and pageable host memory")                     \
    X(HOST_MEMORY, "host-memory",                                                                  \
      "kernel access to host memory in place (an OpenCL driver may move it)")                      \
    X(KERNEL_STATS, "kernel-stats", "statistics of compiled kernels")                              \
    X(MATRIX, "matrix", "matrix units (VK_NV_cooperative_matrix)")                                 \
    X(SHARED_CHOICE, "shared-choice", "choice of the size of shared memory (CUDA)")                \
    X(L1_CHOICE, "l1-choice", "choice of the size of L1 (CUDA's carve-out)")                       \
    X(VIRTUAL_TIME, "virtual-time", "virtual time, which passes only while a batch runs (models)") \
    X(CLOCK_CHOICE, "clock-choice", "choice of the core clock (models)")                           \
    X(STABLE_CLOCK, "stable-clock", "stable clock for programs (only Mesa's RADV grants one)")

enum gpu_cap_bit {
#define X(name, text, missing) GPU_CAP_BIT_##name,
    GPU_CAPS(X)
#undef X
    GPU_CAP_BIT_COUNT
};

typedef uint64_t gpu_caps; // a set of capabilities, for example GPU_CAP(RAYS) | GPU_CAP(TYPED)
#define GPU_CAP(name) ((gpu_caps)1 << GPU_CAP_BIT_##name)

// The table of limits. Run files list the limits by the names in this table. A limit is 0 if it is
// not known. loop_iterations is 0 if there is no such limit.
#define GPU_LIMITS(X)                                                                              \
    X(memory_bytes)         /* total device memory, in bytes */                                    \
    X(allocation_bytes)     /* size of the largest buffer, in bytes */                             \
    X(storage_range_bytes)  /* largest range bound as GPU_ARG_BUFFER, in bytes */                  \
    X(constant_range_bytes) /* largest range bound as GPU_ARG_CONSTANT, in bytes */                \
    X(typed_elements)       /* number of texels of the largest typed view */                       \
    X(storage_align_bytes)  /* offsets of GPU_ARG_BUFFER must be multiples of this */              \
    X(constant_align_bytes) /* offsets of GPU_ARG_CONSTANT must be multiples of this */            \
    X(typed_align_bytes)    /* offsets of typed views must be multiples of this */                 \
    X(image_1d)             /* longest side of a 1-D image, in texels */                           \
    X(image_2d)             /* longest side of 2-D and cube images, in texels */                   \
    X(image_3d)             /* longest side of a 3-D image, in texels */                           \
    X(image_layers)                                                                                \
    X(params_bytes) /* maximum size of a kernel's params and addresses, in bytes */                \
    X(workgroup_threads)                                                                           \
    X(workgroup_threads_x)                                                                         \
    X(workgroup_threads_y)                                                                         \
    X(workgroup_threads_z)                                                                         \
    X(workgroup_count_x)                                                                           \
    X(workgroup_count_y)                                                                           \
    X(workgroup_count_z)                                                                           \
    X(loop_iterations)     /* maximum iterations of a thread's loops, for llvmpipe only */         \
    X(shared_bytes)        /* maximum shared memory of a workgroup, in bytes */                    \
    X(shared_choice_bytes) /* maximum shared memory, if the host chooses it (SHARED_CHOICE) */     \
    X(subgroup_threads)    /* number of threads of a subgroup, by default */                       \
    X(subgroup_threads_min)                                                                        \
    X(subgroup_threads_max)                                                                        \
    X(cores)             /* number of cores: SM, CU or WGP, with an L1 each */                     \
    X(core_threads)      /* maximum number of threads on a core at a time */                       \
    X(core_shared_bytes) /* bytes of shared memory of a core */                                    \
    X(core_registers)    /* number of 32-bit registers of a core */                                \
    X(last_cache_bytes)  /* bytes of the last-level cache, as the driver reports it */             \
    X(core_clock_hz)     /* highest core clock in Hz, as the driver reports it */                  \
    X(memory_clock_hz)                                                                             \
    X(memory_bus_bits)                                                                             \
    X(stamp_step_ps) /* unit or resolution of time stamps, in picoseconds */                       \
    X(stamp_bits)    /* number of valid bits of a time stamp */

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
    // UNIVERSAL queues take all work, but draws only if `graphics` is true. COMPUTE queues take no
    // draws. TRANSFER queues take only copies and fills.
    enum gpu_queue_kind kind;
    bool graphics;
    unsigned count;      // number of queues that can be created in the family
    unsigned stamp_bits; // number of valid bits of a time stamp; 0 if the family has no time stamps
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
    char id[32];     // id of the device, for example "vulkan:0"
    const char *api; // name of the backend, for example "vulkan"
    // index among the devices that the backend reported, in the process that loaded the backend
    unsigned index;
    enum gpu_kind kind;
    char name[GPU_NAME_BYTES];
    // name of the vendor, for example "NVIDIA"; for a vendor unknown to fathom, Vulkan's number or
    // OpenCL's text
    char vendor[64];
    // PCI ids of vendor and device; 0 if they are not known. For a vendor without a PCI id, OpenCL
    // may report an id from Khronos as vendor_id.
    uint32_t vendor_id, device_id;
    char driver[GPU_NAME_BYTES]; // name and version of the driver, in one line
    char api_version[32];        // version of the API, for example "1.3.230"
    bool has_uuid, has_pci;
    // UUID of the chip, valid if has_uuid is true. NVIDIA's APIs report the same UUID for a chip.
    uint8_t uuid[GPU_UUID_BYTES];
    struct gpu_pci pci;
    // number of devices of the same API that are listed before this one and have the same UUID (or
    // PCI address, if neither has a UUID)
    unsigned twin;
    // part of limits.memory_bytes that was free when the device was listed; 0 if it is not known
    uint64_t memory_free_bytes;
    gpu_caps caps;
    struct gpu_limits limits;
    struct gpu_queue_family families[GPU_FAMILIES_MAX];
    unsigned family_count;
};

// Names of capabilities (GPU_CAPS). gpu_cap_name returns the short name. gpu_cap_missing returns
// the text for a device that lacks the capability. Both functions return NULL if `bit` is no
// capability.
const char *gpu_cap_name(enum gpu_cap_bit bit);
const char *gpu_cap_missing(enum gpu_cap_bit bit);
// Returns the name of a kind of device, for example "discrete".
const char *gpu_kind_name(enum gpu_kind kind);

// Returns true if the device has all capabilities in `needed`. Otherwise fails with
// ERROR_UNSUPPORTED and a message that names the first capability that the device lacks.
MUST_CHECK bool gpu_require(const struct gpu_info *info, gpu_caps needed, struct error *err);

// Returns the device's UUID as 32 hexadecimal digits, in `arena`; NULL if it is not known.
const char *gpu_info_uuid(struct arena *arena, const struct gpu_info *info);

// Returns the identity of a device, in `arena`, by which other processes find the device. It is the
// id, "=", and the UUID (or else the PCI address), for example
// "cuda:0=00112233445566778899aabbccddeeff"; only the id if neither is known. If devices have equal
// UUIDs, the second gets "+1" at the end, the third "+2". The id alone is not reliable, because
// drivers may change the order of their devices, for example when a card is lost.
const char *gpu_info_identity(struct arena *arena, const struct gpu_info *info);

// Checks limits and queue families, before fathom computes with them. If a value cannot be true,
// fails with ERROR_UNSUPPORTED and the message "driver reports …". A limit may be 0 (not reported),
// but stamp_step_ps must be above 0 if the device has time stamps.
MUST_CHECK bool gpu_info_check(const struct gpu_info *info, struct error *err);

// gpu_limit_name and gpu_limit_value return the name and the value of row `limit` of the table
// GPU_LIMITS; the first row is 0. If there is no such row, they return NULL and 0.
const char *gpu_limit_name(unsigned limit);
uint64_t gpu_limit_value(const struct gpu_limits *limits, unsigned limit);

#endif
