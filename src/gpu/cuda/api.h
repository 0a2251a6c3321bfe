// SPDX-License-Identifier: MIT
// The part of the CUDA driver API that fathom uses, declared here so that no SDK is needed. Names
// (also suffixes such as _v2), values and layouts are those of NVIDIA's CUDA Driver API reference
// (docs.nvidia.com/cuda/cuda-driver-api), for 64-bit Linux.
#ifndef GPU_CUDA_API_H
#define GPU_CUDA_API_H

#include "base/dynlib.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

// Types of the handles that the CUDA driver returns.
struct cu_context;
struct cu_stream;
struct cu_event;
struct cu_module;
struct cu_function;
struct cu_graph;
struct cu_graph_exec;
struct cu_mipmap;
struct cu_array;

struct cu_uuid {
    uint8_t bytes[16];
};

// Values of CUresult, the driver's error codes.
enum {
    CU_SUCCESS = 0,
    CU_OUT_OF_MEMORY = 2,
    CU_DEINITIALIZED = 4,
    CU_STUB_LIBRARY = 34,
    CU_DEVICE_UNAVAILABLE = 46,
    CU_NO_DEVICE = 100,
    CU_NO_BINARY_FOR_GPU = 209,
    CU_ECC_UNCORRECTABLE = 214,
    CU_INVALID_PTX = 218,
    CU_UNSUPPORTED_PTX_VERSION = 222,
    CU_CONTAINED = 226,
    CU_NOT_FOUND = 500,
    CU_NOT_READY = 600,
    CU_ILLEGAL_ADDRESS = 700,
    CU_LAUNCH_OUT_OF_RESOURCES = 701,
    CU_LAUNCH_TIMEOUT = 702,
    CU_PEER_ACCESS_ALREADY_ENABLED = 704,
    CU_CONTEXT_IS_DESTROYED = 709,
    CU_ASSERT = 710,
    CU_HARDWARE_STACK_ERROR = 714,
    CU_LAUNCH_FAILED = 719,
    CU_TENSOR_MEMORY_LEAK = 721,
    CU_NOT_SUPPORTED = 801,
    CU_SYSTEM_NOT_READY = 802,
    CU_SYSTEM_DRIVER_MISMATCH = 803,
    CU_COMPAT_NOT_SUPPORTED = 804,
    CU_UNKNOWN = 999,
};

// Values of CUdevice_attribute that this backend reads.
enum {
    CU_ATTR_MAX_THREADS_PER_BLOCK = 1,
    CU_ATTR_MAX_BLOCK_DIM_X = 2, // attributes 3 and 4 are MAX_BLOCK_DIM_Y and MAX_BLOCK_DIM_Z
    CU_ATTR_MAX_GRID_DIM_X = 5,  // attributes 6 and 7 are MAX_GRID_DIM_Y and MAX_GRID_DIM_Z
    CU_ATTR_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CU_ATTR_TOTAL_CONSTANT_MEMORY = 9,
    CU_ATTR_WARP_SIZE = 10,
    CU_ATTR_CLOCK_RATE_KHZ = 13,
    CU_ATTR_TEXTURE_ALIGNMENT = 14,
    CU_ATTR_MULTIPROCESSOR_COUNT = 16,
    CU_ATTR_INTEGRATED = 18,
    CU_ATTR_COMPUTE_MODE = 20, // CU_COMPUTE_MODE_…
    CU_ATTR_TEXTURE1D_WIDTH = 21,
    CU_ATTR_TEXTURE2D_WIDTH = 22, // attribute 23 is TEXTURE2D_HEIGHT
    CU_ATTR_TEXTURE3D_WIDTH = 24, // attributes 25 and 26 are TEXTURE3D_HEIGHT and TEXTURE3D_DEPTH
    CU_ATTR_TEXTURE2D_LAYERS = 29,
    CU_ATTR_PCI_BUS_ID = 33,
    CU_ATTR_PCI_DEVICE_ID = 34,
    CU_ATTR_MEMORY_CLOCK_RATE_KHZ = 36,
    CU_ATTR_MEMORY_BUS_WIDTH = 37,
    CU_ATTR_L2_CACHE_SIZE = 38,
    CU_ATTR_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    CU_ATTR_PCI_DOMAIN_ID = 50,
    CU_ATTR_TEXTURE1D_LINEAR_WIDTH = 69,
    CU_ATTR_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_ATTR_COMPUTE_CAPABILITY_MINOR = 76,
    CU_ATTR_STREAM_PRIORITIES_SUPPORTED = 78,
    CU_ATTR_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
    CU_ATTR_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
    CU_ATTR_MANAGED_MEMORY = 83,
    CU_ATTR_CONCURRENT_MANAGED_ACCESS = 89,
    CU_ATTR_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
    // Only drivers older than CUDA 12 report CU_ATTR_CAN_USE_STREAM_MEM_OPS_V1.
    CU_ATTR_CAN_USE_STREAM_MEM_OPS_V1 = 92,
    CU_ATTR_CAN_USE_64_BIT_STREAM_MEM_OPS = 122,
};

// Values of flags and options that CUDA driver functions take.
enum {
    CU_STREAM_NON_BLOCKING = 1,
    CU_EVENT_DISABLE_TIMING = 2,
    CU_EVENT_RECORD_EXTERNAL = 1,
    CU_COMPUTE_MODE_DEFAULT = 0,
    CU_COMPUTE_MODE_PROHIBITED = 2,
    CU_MEMHOSTALLOC_PORTABLE = 1,
    CU_MEMHOSTALLOC_DEVICEMAP = 2,
    CU_MEM_ATTACH_GLOBAL = 1,
    CU_ADVISE_READ_MOSTLY = 1,
    CU_ADVISE_PREFERRED_LOCATION = 3,
    CU_ADVISE_ACCESSED_BY = 5,
    CU_DEVICE_CPU = -1,
    CU_STREAM_WAIT_VALUE_GEQ = 0,
    CU_STREAM_CAPTURE_RELAXED = 2,
    CU_JIT_INFO_LOG_BUFFER = 3,
    CU_JIT_INFO_LOG_BUFFER_BYTES = 4,
    CU_JIT_ERROR_LOG_BUFFER = 5,
    CU_JIT_ERROR_LOG_BUFFER_BYTES = 6,
    CU_JIT_LOG_VERBOSE = 12,
    CU_FUNC_SHARED_SIZE_BYTES = 1,
    CU_FUNC_LOCAL_SIZE_BYTES = 3,
    CU_FUNC_NUM_REGS = 4,
    CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
};

// Values of CUarray_format, CUmemorytype and CUresourcetype, and flags of arrays and textures.
enum {
    CU_FORMAT_UINT8 = 0x01,
    CU_FORMAT_UINT32 = 0x03,
    CU_FORMAT_HALF = 0x10,
    CU_FORMAT_FLOAT = 0x20,
    CU_MEMORY_HOST = 1,
    CU_MEMORY_DEVICE = 2,
    CU_MEMORY_ARRAY = 3,
    CU_RESOURCE_ARRAY = 0,
    CU_RESOURCE_MIPMAPPED_ARRAY = 1,
    CU_RESOURCE_LINEAR = 2,
    CU_ARRAY3D_LAYERED = 1,
    CU_ARRAY3D_SURFACE_LDST = 2,
    CU_ARRAY3D_CUBEMAP = 4,
    CU_ARRAY3D_TEXTURE_GATHER = 8,
    CU_ADDRESS_WRAP = 0,
    CU_ADDRESS_CLAMP = 1,
    CU_FILTER_POINT = 0,
    CU_FILTER_LINEAR = 1,
    CU_TEXTURE_READ_AS_INTEGER = 1,
    CU_TEXTURE_NORMALIZED_COORDINATES = 2,
};

struct cu_array_desc { // laid out in memory as the driver's struct CUDA_ARRAY3D_DESCRIPTOR
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

struct cu_copy_end {
    size_t x_bytes, y, z, level;
    int memory;
    // Pointer to host memory; unused unless `memory` is CU_MEMORY_HOST. The driver only reads this
    // memory if it is the source of a copy (cu_copy.from).
    void *host;
    uint64_t device;
    struct cu_array *array;
    void *reserved;
    size_t pitch, height;
};

struct cu_copy { // laid out in memory as the driver's struct CUDA_MEMCPY3D
    struct cu_copy_end from, to;
    size_t width_bytes, height, depth;
};

struct cu_resource { // laid out in memory as the driver's struct CUDA_RESOURCE_DESC
    int type;
    union {
        struct cu_array *array;
        struct cu_mipmap *mipmap;
        struct {
            uint64_t device;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        int reserved[32];
    } of;
    unsigned flags;
};

struct cu_texture { // laid out in memory as the driver's struct CUDA_TEXTURE_DESC
    int address[3];
    int filter;
    unsigned flags, anisotropy;
    int mip_filter;
    float mip_bias, mip_least, mip_most;
    float border[4];
    int reserved[12];
};

_Static_assert(sizeof(struct cu_copy) == 200, "CUDA_MEMCPY3D");
_Static_assert(sizeof(struct cu_resource) == 144, "CUDA_RESOURCE_DESC");
_Static_assert(sizeof(struct cu_texture) == 104, "CUDA_TEXTURE_DESC");

// The functions that the backend needs, with their arguments. All return a CUresult.
// clang-format off
#define CUDA_REQUIRED(X) \
    X(cuInit, (unsigned flags)) \
    X(cuDriverGetVersion, (int *version)) \
    X(cuGetErrorName, (int result, const char **name)) \
    X(cuGetErrorString, (int result, const char **text)) \
    X(cuDeviceGetCount, (int *count)) \
    X(cuDeviceGet, (int *device, int ordinal)) \
    X(cuDeviceGetName, (char *name, int bytes, int device)) \
    X(cuDeviceGetUuid, (struct cu_uuid *uuid, int device)) \
    X(cuDeviceTotalMem_v2, (size_t *bytes, int device)) \
    X(cuDeviceGetAttribute, (int *value, int attribute, int device)) \
    X(cuDevicePrimaryCtxRetain, (struct cu_context **context, int device)) \
    X(cuDevicePrimaryCtxRelease_v2, (int device)) \
    X(cuCtxSetCurrent, (struct cu_context *context)) \
    X(cuCtxGetStreamPriorityRange, (int *least, int *greatest)) \
    X(cuMemAlloc_v2, (uint64_t *address, size_t bytes)) \
    X(cuMemFree_v2, (uint64_t address)) \
    X(cuMemHostAlloc, (void **memory, size_t bytes, unsigned flags)) \
    X(cuMemFreeHost, (void *memory)) \
    X(cuMemHostGetDevicePointer_v2, (uint64_t *address, void *memory, unsigned flags)) \
    X(cuMemAllocManaged, (uint64_t *address, size_t bytes, unsigned flags)) \
    X(cuMemGetInfo_v2, (size_t *left, size_t *whole)) \
    X(cuMemcpyAsync, (uint64_t to, uint64_t from, size_t bytes, struct cu_stream *stream)) \
    X(cuMemcpyHtoDAsync_v2, (uint64_t to, const void *from, size_t bytes, \
                             struct cu_stream *stream)) \
    X(cuMemcpyDtoHAsync_v2, (void *to, uint64_t from, size_t bytes, struct cu_stream *stream)) \
    X(cuMemcpy3DAsync_v2, (const struct cu_copy *copy, struct cu_stream *stream)) \
    X(cuMemsetD32Async, (uint64_t to, unsigned word, size_t words, struct cu_stream *stream)) \
    X(cuStreamCreateWithPriority, (struct cu_stream **stream, unsigned flags, int priority)) \
    X(cuStreamDestroy_v2, (struct cu_stream *stream)) \
    X(cuStreamQuery, (struct cu_stream *stream)) \
    X(cuStreamWaitEvent, (struct cu_stream *stream, struct cu_event *event, unsigned flags)) \
    X(cuEventCreate, (struct cu_event **event, unsigned flags)) \
    X(cuEventDestroy_v2, (struct cu_event *event)) \
    X(cuEventRecord, (struct cu_event *event, struct cu_stream *stream)) \
    X(cuEventQuery, (struct cu_event *event)) \
    X(cuEventElapsedTime, (float *ms, struct cu_event *begin, struct cu_event *end)) \
    X(cuModuleLoadDataEx, (struct cu_module **module, const void *image, unsigned option_count, \
                           int *options, void **values)) \
    X(cuModuleUnload, (struct cu_module *module)) \
    X(cuModuleGetFunction, (struct cu_function **function, struct cu_module *module, \
                            const char *name)) \
    X(cuModuleGetGlobal_v2, (uint64_t *address, size_t *bytes, struct cu_module *module, \
                             const char *name)) \
    X(cuFuncGetAttribute, (int *value, int attribute, struct cu_function *function)) \
    X(cuFuncSetAttribute, (struct cu_function *function, int attribute, int value)) \
    X(cuLaunchKernel, (struct cu_function *function, unsigned grid_x, unsigned grid_y, \
                       unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z, \
                       unsigned shared_bytes, struct cu_stream *stream, void **arguments, \
                       void **extra)) \
    X(cuArray3DCreate_v2, (struct cu_array **array, const struct cu_array_desc *desc)) \
    X(cuArrayDestroy, (struct cu_array *array)) \
    X(cuMipmappedArrayCreate, (struct cu_mipmap **mipmap, const struct cu_array_desc *desc, \
                               unsigned levels)) \
    X(cuMipmappedArrayGetLevel, (struct cu_array **array, struct cu_mipmap *mipmap, \
                                 unsigned level)) \
    X(cuMipmappedArrayDestroy, (struct cu_mipmap *mipmap)) \
    X(cuTexObjectCreate, (uint64_t *object, const struct cu_resource *resource, \
                          const struct cu_texture *texture, const void *view)) \
    X(cuTexObjectDestroy, (uint64_t object)) \
    X(cuSurfObjectCreate, (uint64_t *object, const struct cu_resource *resource)) \
    X(cuSurfObjectDestroy, (uint64_t object))

// Functions that older drivers may lack. If a function is missing, fathom does not offer the
// features that need it.
#define CUDA_OPTIONAL(X) \
    X(cuDeviceCanAccessPeer, (int *can, int device, int other)) \
    X(cuCtxEnablePeerAccess, (struct cu_context *other, unsigned flags)) \
    X(cuMemcpyPeerAsync, (uint64_t to, struct cu_context *to_context, uint64_t from, \
                          struct cu_context *from_context, size_t bytes, \
                          struct cu_stream *stream)) \
    X(cuMemAdvise, (uint64_t address, size_t bytes, int advice, int device)) \
    X(cuMemPrefetchAsync, (uint64_t address, size_t bytes, int device, \
                           struct cu_stream *stream)) \
    X(cuStreamWaitValue32_v2, (struct cu_stream *stream, uint64_t address, uint32_t value, \
                               unsigned flags)) \
    X(cuEventRecordWithFlags, (struct cu_event *event, struct cu_stream *stream, \
                               unsigned flags)) \
    X(cuStreamBeginCapture_v2, (struct cu_stream *stream, int mode)) \
    X(cuStreamEndCapture, (struct cu_stream *stream, struct cu_graph **graph)) \
    X(cuGraphInstantiateWithFlags, (struct cu_graph_exec **exec, struct cu_graph *graph, \
                                    uint64_t flags)) \
    X(cuGraphUpload, (struct cu_graph_exec *exec, struct cu_stream *stream)) \
    X(cuGraphLaunch, (struct cu_graph_exec *exec, struct cu_stream *stream)) \
    X(cuGraphExecDestroy, (struct cu_graph_exec *exec)) \
    X(cuGraphDestroy, (struct cu_graph *graph))
// clang-format on

struct cuda_api {
#define X(name, args) int(*name) args; // each function pointer returns a CUresult
    CUDA_REQUIRED(X)
    CUDA_OPTIONAL(X)
#undef X
};

// Opens libcuda.so.1 and sets the function pointers in `api`. If this fails, returns NULL with
// ERROR_NO_DEVICE; the message is the dynamic linker's text or names the first missing symbol. The
// caller closes the library with dynlib_close.
struct dynlib *cuda_api_load(struct cuda_api *api, struct error *err);

// Returns true if the driver has all functions that CUDA graphs and stream capture need.
bool cuda_api_has_graphs(const struct cuda_api *api);

// Returns true if `result` is CU_SUCCESS. Otherwise fails with the error code that matches
// `result`. The message is "WHAT: CUDA_ERROR_… NUMBER (TEXT)"; WHAT is the argument `what`.
MUST_CHECK bool cuda_check(const struct cuda_api *api, int result, const char *what,
                           struct error *err);

// cuda_event_create and cuda_stream_create create an event and a stream. If this fails, the
// caller's pointer stays as it is, because the driver may write an invalid handle when memory runs
// out.
MUST_CHECK bool cuda_event_create(const struct cuda_api *api, struct cu_event **event,
                                  unsigned flags, struct error *err);
MUST_CHECK bool cuda_stream_create(const struct cuda_api *api, struct cu_stream **stream,
                                   int priority, struct error *err);

#endif
