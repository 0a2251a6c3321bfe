// SPDX-License-Identifier: MIT
// A double of libcuda.so.1, found through LD_LIBRARY_PATH: the driver API as far as fathom uses it,
// with memory of the host and commands that run when they are enqueued. See world.h.
#include "doubles/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct cu_module {
    struct fake_function function;
    char constant[64];
    void *constant_memory;
    size_t constant_bytes;
};

struct cu_function {
    int unused;
};

enum {
    DEVICES_MAX = 8
};

// A handle without content, which is only counted: for mipmapped arrays, their levels and textures.
struct cu_mipmap {
    char level[8];
};

// Declares each function of api.h, so that the double must define it with the same arguments.
#define X(name, args) int name args;
CUDA_REQUIRED(X)
CUDA_OPTIONAL(X)
#undef X

// Frees the memory. It is also freed if the call then reports an error, as in a real driver.
static int give_back(const char *function, void *memory)
{
    if (memory)
        fake_count(-1);
    free(memory);
    return fake_enter(function);
}

static void *pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

// ---------------------------------------------------------------- driver and devices

int cuInit(unsigned flags)
{
    (void)flags;
    FAKE_ENTER();
    return CU_SUCCESS;
}

int cuDriverGetVersion(int *version)
{
    FAKE_ENTER();
    *version = fake_setting("FAKE_CUDA_VERSION", 13000);
    return CU_SUCCESS;
}

// The next two functions are not counted as calls, because they are called after a failure.
int cuGetErrorName(int result, const char **name)
{
    *name = result == CU_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_FAKE";
    return CU_SUCCESS;
}

int cuGetErrorString(int result, const char **text)
{
    *text = result == CU_OUT_OF_MEMORY ? "out of memory" : "as the test wanted";
    return CU_SUCCESS;
}

int cuDeviceGetCount(int *count)
{
    FAKE_ENTER();
    *count = fake_setting("FAKE_CUDA_DEVICES", 1);
    return CU_SUCCESS;
}

int cuDeviceGet(int *device, int ordinal)
{
    FAKE_ENTER();
    *device = ordinal;
    return CU_SUCCESS;
}

int cuDeviceGetName(char *name, int bytes, int device)
{
    FAKE_ENTER();
    snprintf(name, (size_t)bytes, "Fake GPU %d", device);
    return CU_SUCCESS;
}

int cuDeviceGetUuid(struct cu_uuid *uuid, int device)
{
    FAKE_ENTER();
    memset(uuid->bytes, 0xa0 + device, sizeof uuid->bytes);
    return CU_SUCCESS;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    FAKE_ENTER();
    *bytes = (size_t)fake_setting("FAKE_CUDA_MEMORY_MIB", 1024) << 20;
    return CU_SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    static const int values[128] = {
        [CU_ATTR_MAX_THREADS_PER_BLOCK] = 1024,
        [CU_ATTR_MAX_BLOCK_DIM_X] = 1024,
        [CU_ATTR_MAX_BLOCK_DIM_X + 1] = 1024,
        [CU_ATTR_MAX_BLOCK_DIM_X + 2] = 64,
        [CU_ATTR_MAX_GRID_DIM_X] = 0x7fffffff,
        [CU_ATTR_MAX_GRID_DIM_X + 1] = 65535,
        [CU_ATTR_MAX_GRID_DIM_X + 2] = 65535,
        [CU_ATTR_MAX_SHARED_MEMORY_PER_BLOCK] = 49152,
        [CU_ATTR_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN] = 232448,
        [CU_ATTR_TOTAL_CONSTANT_MEMORY] = 65536,
        [CU_ATTR_WARP_SIZE] = 32,
        [CU_ATTR_CLOCK_RATE_KHZ] = 1980000,
        [CU_ATTR_TEXTURE_ALIGNMENT] = 512,
        [CU_ATTR_MULTIPROCESSOR_COUNT] = 4,
        [CU_ATTR_TEXTURE1D_WIDTH] = 131072,
        [CU_ATTR_TEXTURE2D_WIDTH] = 131072,
        [CU_ATTR_TEXTURE2D_WIDTH + 1] = 65536,
        [CU_ATTR_TEXTURE3D_WIDTH] = 16384,
        [CU_ATTR_TEXTURE3D_WIDTH + 1] = 16384,
        [CU_ATTR_TEXTURE3D_WIDTH + 2] = 16384,
        [CU_ATTR_TEXTURE2D_LAYERS] = 2048,
        [CU_ATTR_PCI_BUS_ID] = 0x19,
        [CU_ATTR_L2_CACHE_SIZE] = 1 << 20,
        [CU_ATTR_TEXTURE1D_LINEAR_WIDTH] = 1 << 28,
        [CU_ATTR_STREAM_PRIORITIES_SUPPORTED] = 1,
        [CU_ATTR_MANAGED_MEMORY] = 1,
        [CU_ATTR_CONCURRENT_MANAGED_ACCESS] = 1,
        [CU_ATTR_CAN_USE_64_BIT_STREAM_MEM_OPS] = 1,
    };
    FAKE_ENTER();
    *value = attribute == CU_ATTR_COMPUTE_CAPABILITY_MAJOR ? fake_setting("FAKE_CUDA_MAJOR", 9)
             : attribute == CU_ATTR_COMPUTE_MODE ? fake_setting("FAKE_CUDA_COMPUTE_MODE", 0)
             : attribute == CU_ATTR_PCI_BUS_ID   ? values[attribute] + device
                                                 : values[attribute];
    return CU_SUCCESS;
}

static struct cu_context contexts[DEVICES_MAX];
static struct cu_context *current;

int fake_device(void)
{
    return current ? current->device : 0;
}

int cuDevicePrimaryCtxRetain(struct cu_context **context, int device)
{
    FAKE_ENTER();
    if (fake_setting("FAKE_CUDA_COMPUTE_MODE", 0) != 0)
        return CU_DEVICE_UNAVAILABLE;
    fake_count(1);
    contexts[device].device = device;
    *context = &contexts[device];
    return CU_SUCCESS;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    fake_count(-1);
    return fake_enter(__func__);
}

int cuCtxSetCurrent(struct cu_context *context)
{
    FAKE_ENTER();
    current = context;
    return CU_SUCCESS;
}

int cuDeviceCanAccessPeer(int *can, int device, int other)
{
    FAKE_ENTER();
    *can = device != other;
    return CU_SUCCESS;
}

int cuCtxEnablePeerAccess(struct cu_context *other, unsigned flags)
{
    static bool enabled[DEVICES_MAX][DEVICES_MAX];
    (void)flags;
    FAKE_ENTER();
    bool *link = &enabled[fake_device()][other->device];
    if (*link)
        return CU_PEER_ACCESS_ALREADY_ENABLED;
    *link = true;
    return CU_SUCCESS;
}

int cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    FAKE_ENTER();
    *least = fake_setting("FAKE_CUDA_PRIORITY_LEAST", 0);
    *greatest = fake_setting("FAKE_CUDA_PRIORITY_GREATEST", -5);
    return CU_SUCCESS;
}

// ---------------------------------------------------------------- arrays

int cuArray3DCreate_v2(struct cu_array **array, const struct cu_array_desc *desc)
{
    (void)desc;
    FAKE_ENTER();
    *array = fake_make(1);
    return CU_SUCCESS;
}

int cuArrayDestroy(struct cu_array *array)
{
    return give_back(__func__, array);
}

int cuMipmappedArrayCreate(struct cu_mipmap **mipmap, const struct cu_array_desc *desc,
                           unsigned levels)
{
    (void)desc;
    (void)levels;
    FAKE_ENTER();
    *mipmap = fake_make(sizeof **mipmap);
    return CU_SUCCESS;
}

int cuMipmappedArrayGetLevel(struct cu_array **array, struct cu_mipmap *mipmap, unsigned level)
{
    (void)level;
    FAKE_ENTER();
    *array = (struct cu_array *)mipmap->level;
    return CU_SUCCESS;
}

int cuMipmappedArrayDestroy(struct cu_mipmap *mipmap)
{
    return give_back(__func__, mipmap);
}

int cuTexObjectCreate(uint64_t *object, const struct cu_resource *resource,
                      const struct cu_texture *texture, const void *view)
{
    (void)resource;
    (void)texture;
    (void)view;
    FAKE_ENTER();
    *object = (uint64_t)(uintptr_t)fake_make(1);
    return CU_SUCCESS;
}

int cuTexObjectDestroy(uint64_t object)
{
    return give_back(__func__, pointer(object));
}

int cuSurfObjectCreate(uint64_t *object, const struct cu_resource *resource)
{
    (void)resource;
    FAKE_ENTER();
    *object = (uint64_t)(uintptr_t)fake_make(1);
    return CU_SUCCESS;
}

int cuSurfObjectDestroy(uint64_t object)
{
    return give_back(__func__, pointer(object));
}

// ---------------------------------------------------------------- modules

// Reads from the PTX the sizes of the parameters of the module's only entry.
static void read_entry(const char *ptx, struct fake_function *function)
{
    const char *at = strstr(ptx, ".visible .entry ");
    if (!at || sscanf(at, ".visible .entry %63[^(]", function->name) != 1)
        return;
    const char *end = strchr(at, ')');
    while ((at = strstr(at, ".param ")) && at < end) {
        unsigned bytes = 8;
        at += strlen(".param ");
        if (strncmp(at, ".u32", 4) == 0)
            bytes = 4;
        else if (strncmp(at, ".align", 6) == 0)
            bytes = (unsigned)strtoul(strchr(at, '[') + 1, NULL, 10);
        if (function->param_count < FAKE_PARAMS_MAX)
            function->param_bytes[function->param_count++] = bytes;
    }
}

static bool is_taken(const char *kernel)
{
    const char *word = getenv("FAKE_CUDA_KERNELS");
    if (!word)
        return true;
    for (size_t length;; word += length + 1) {
        length = strcspn(word, " ");
        if (strncmp(kernel, word, length) == 0)
            return true;
        if (word[length] == '\0')
            return false;
    }
}

int cuModuleLoadDataEx(struct cu_module **module, const void *image, unsigned option_count,
                       int *options, void **values)
{
    FAKE_ENTER();
    const char *refused = getenv("FAKE_CUDA_PTX_LOG");
    for (unsigned i = 0; refused && *refused && i < option_count; i++) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER) {
            snprintf(values[i], (size_t)(uintptr_t)values[i + 1], "%s", refused);
            return CU_INVALID_PTX;
        }
    }
    struct fake_function function = {.param_count = 0};
    read_entry(image, &function);
    if (!is_taken(function.name))
        return CU_UNSUPPORTED_PTX_VERSION;
    *module = fake_make(sizeof **module);
    (*module)->function = function;
    const char *constant = strstr(image, ".visible .const ");
    unsigned long bytes = 0;
    if (constant && sscanf(constant, ".visible .const .align %*u .b8 %63[^[][%lu]",
                           (*module)->constant, &bytes) == 2) {
        (*module)->constant_memory = calloc(1, bytes);
        (*module)->constant_bytes = bytes;
    }
    return CU_SUCCESS;
}

int cuModuleUnload(struct cu_module *module)
{
    free(module->constant_memory);
    return give_back(__func__, module);
}

int cuModuleGetFunction(struct cu_function **function, struct cu_module *module, const char *name)
{
    FAKE_ENTER();
    if (strcmp(name, module->function.name) != 0)
        return CU_NOT_FOUND;
    *function = (struct cu_function *)&module->function;
    return CU_SUCCESS;
}

int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, struct cu_module *module,
                         const char *name)
{
    FAKE_ENTER();
    if (strcmp(name, module->constant) != 0)
        return CU_NOT_FOUND;
    *address = (uint64_t)(uintptr_t)module->constant_memory;
    *bytes = module->constant_bytes;
    return CU_SUCCESS;
}

int cuFuncGetAttribute(int *value, int attribute, struct cu_function *function)
{
    (void)attribute;
    (void)function;
    FAKE_ENTER();
    *value = 16;
    return CU_SUCCESS;
}

int cuFuncSetAttribute(struct cu_function *function, int attribute, int value)
{
    (void)function;
    (void)attribute;
    (void)value;
    FAKE_ENTER();
    return CU_SUCCESS;
}

int cuLaunchKernel(struct cu_function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                   struct cu_stream *stream, void **arguments, void **extra)
{
    (void)shared_bytes;
    (void)extra;
    FAKE_ENTER();
    struct fake_op *op = fake_op_create(FAKE_OP_LAUNCH);
    op->function = *(const struct fake_function *)function;
    op->grid[0] = grid_x, op->grid[1] = grid_y, op->grid[2] = grid_z;
    op->block[0] = block_x, op->block[1] = block_y, op->block[2] = block_z;
    for (int i = 0; i < op->function.param_count; i++) {
        op->params[i] = malloc(op->function.param_bytes[i]);
        if (!op->params[i])
            abort();
        memcpy(op->params[i], arguments[i], op->function.param_bytes[i]);
    }
    fake_enqueue(stream, op);
    return CU_SUCCESS;
}
