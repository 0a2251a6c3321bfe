// SPDX-License-Identifier: MIT
// The closed lists of gpu.h: capabilities, limits, formats. Each is expanded into its enum or
// struct there and into its names in tables.c.
#ifndef GPU_TABLES_H
#define GPU_TABLES_H

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

// Formats: name, bytes a texel (of a block for BC), channels. The name is the file spelling. Those
// from RGBA8_SRGB on are read by Vulkan kernels only: their channels are not whole words that stand
// for themselves.
#define GPU_FORMATS(X)                                                                             \
    X(R8_UNORM, "r8_unorm", 1, 1)                                                                  \
    X(RG8_UNORM, "rg8_unorm", 2, 2)                                                                \
    X(RGBA8_UNORM, "rgba8_unorm", 4, 4)                                                            \
    X(R16_FLOAT, "r16_float", 2, 1)                                                                \
    X(RG16_FLOAT, "rg16_float", 4, 2)                                                              \
    X(RGBA16_FLOAT, "rgba16_float", 8, 4)                                                          \
    X(R32_FLOAT, "r32_float", 4, 1)                                                                \
    X(RG32_FLOAT, "rg32_float", 8, 2)                                                              \
    X(RGBA32_FLOAT, "rgba32_float", 16, 4)                                                         \
    X(R32_UINT, "r32_uint", 4, 1)                                                                  \
    X(RG32_UINT, "rg32_uint", 8, 2)                                                                \
    X(RGBA32_UINT, "rgba32_uint", 16, 4)                                                           \
    X(RGBA8_SRGB, "rgba8_srgb", 4, 4)                                                              \
    X(RGB10A2_UNORM, "rgb10a2_unorm", 4, 4)                                                        \
    X(RG11B10_FLOAT, "rg11b10_float", 4, 3)                                                        \
    X(BC1_UNORM, "bc1_unorm", 8, 4)                                                                \
    X(BC2_UNORM, "bc2_unorm", 16, 4)                                                               \
    X(BC3_UNORM, "bc3_unorm", 16, 4)                                                               \
    X(BC4_UNORM, "bc4_unorm", 8, 1)                                                                \
    X(BC5_UNORM, "bc5_unorm", 16, 2)                                                               \
    X(BC6H_UFLOAT, "bc6h_ufloat", 16, 3)                                                           \
    X(BC7_UNORM, "bc7_unorm", 16, 4)

#endif
