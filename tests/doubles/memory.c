// SPDX-License-Identifier: MIT
// The double of libcuda: memory and copies. Each device has a limited amount of memory. An address
// belongs to the device on which it was allocated: copies between devices must name the right
// devices.
#include "doubles/world.h"

#include <stdlib.h>

#define X(name, args) int name args;
CUDA_REQUIRED(X)
CUDA_OPTIONAL(X)
#undef X

enum {
    ALLOCATIONS_MAX = 256,
    CU_INVALID_VALUE = 1
};

// The allocations of all devices; bytes 0: the entry is free.
static struct allocation {
    uint64_t address;
    size_t bytes;
    int device;
    bool managed;
} allocations[ALLOCATIONS_MAX];

static void *pointer(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

static size_t bytes_left(void)
{
    size_t left = (size_t)(fake_setting("FAKE_CUDA_MEMORY_MIB", 1024) -
                           // Memory that other processes hold.
                           fake_setting("FAKE_CUDA_OTHERS_MIB", 0))
                  << 20;
    for (int i = 0; i < ALLOCATIONS_MAX; i++)
        if (allocations[i].device == fake_device())
            left -= allocations[i].bytes;
    return left;
}

// Ends the program if managed memory is requested that does not fit: a real driver would grant it,
// and a GPU could hang over it, so fathom must never request it.
static int allocate(uint64_t *address, size_t bytes, bool managed)
{
    if (fake_setting("FAKE_CUDA_SILENT", 0)) {
        *address = 0;
        return CU_SUCCESS;
    }
    if (bytes > bytes_left()) {
        if (managed)
            abort();
        return CU_OUT_OF_MEMORY;
    }
    for (int i = 0; i < ALLOCATIONS_MAX; i++) {
        if (allocations[i].bytes)
            continue;
        *address = (uint64_t)(uintptr_t)fake_make(bytes);
        allocations[i] = (struct allocation){*address, bytes, fake_device(), managed};
        return CU_SUCCESS;
    }
    abort();
}

// The allocation that contains the whole range; NULL if none does.
static const struct allocation *holder(uint64_t address, size_t bytes)
{
    for (int i = 0; i < ALLOCATIONS_MAX; i++)
        if (allocations[i].bytes >= bytes && address >= allocations[i].address &&
            address - allocations[i].address <= allocations[i].bytes - bytes)
            return &allocations[i];
    return NULL;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    FAKE_ENTER();
    return allocate(address, bytes, false);
}

int cuMemAllocManaged(uint64_t *address, size_t bytes, unsigned flags)
{
    (void)flags;
    FAKE_ENTER();
    return allocate(address, bytes, true);
}

// Frees the memory. It is also freed if the call then reports an error, as in a real driver.
int cuMemFree_v2(uint64_t address)
{
    for (int i = 0; i < ALLOCATIONS_MAX; i++)
        if (allocations[i].bytes && allocations[i].address == address)
            allocations[i] = (struct allocation){0};
    fake_count(-1);
    free(pointer(address));
    return fake_enter(__func__);
}

int cuMemGetInfo_v2(size_t *left, size_t *whole)
{
    FAKE_ENTER();
    *left = bytes_left();
    *whole = (size_t)fake_setting("FAKE_CUDA_MEMORY_MIB", 1024) << 20;
    return CU_SUCCESS;
}

int cuMemAdvise(uint64_t address, size_t bytes, int advice, int device)
{
    FAKE_ENTER();
    const struct allocation *in = holder(address, bytes);
    bool known = advice == CU_ADVISE_READ_MOSTLY || advice == CU_ADVISE_PREFERRED_LOCATION ||
                 advice == CU_ADVISE_ACCESSED_BY;
    return in && in->managed && known && device >= CU_DEVICE_CPU ? CU_SUCCESS : CU_INVALID_VALUE;
}

int cuMemPrefetchAsync(uint64_t address, size_t bytes, int device, struct cu_stream *stream)
{
    (void)stream;
    FAKE_ENTER();
    const struct allocation *in = holder(address, bytes);
    return in && in->managed && device >= CU_DEVICE_CPU ? CU_SUCCESS : CU_INVALID_VALUE;
}

int cuMemHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    (void)flags;
    FAKE_ENTER();
    *memory = fake_setting("FAKE_CUDA_SILENT", 0) ? NULL : fake_make(bytes);
    return CU_SUCCESS;
}

int cuMemFreeHost(void *memory)
{
    fake_count(-1);
    free(memory);
    return fake_enter(__func__);
}

int cuMemHostGetDevicePointer_v2(uint64_t *address, void *memory, unsigned flags)
{
    (void)flags;
    FAKE_ENTER();
    *address = (uint64_t)(uintptr_t)memory;
    return CU_SUCCESS;
}

static int enqueue_copy(void *to, const void *from, size_t bytes, struct cu_stream *stream)
{
    struct fake_op *op = fake_op_create(FAKE_OP_COPY);
    op->to = to;
    op->from = from;
    op->bytes = bytes;
    fake_enqueue(stream, op);
    return CU_SUCCESS;
}

int cuMemcpyAsync(uint64_t to, uint64_t from, size_t bytes, struct cu_stream *stream)
{
    FAKE_ENTER();
    return enqueue_copy(pointer(to), pointer(from), bytes, stream);
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, struct cu_stream *stream)
{
    FAKE_ENTER();
    return enqueue_copy(pointer(to), from, bytes, stream);
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, struct cu_stream *stream)
{
    FAKE_ENTER();
    return enqueue_copy(to, pointer(from), bytes, stream);
}

int cuMemcpyPeerAsync(uint64_t to, struct cu_context *to_context, uint64_t from,
                      struct cu_context *from_context, size_t bytes, struct cu_stream *stream)
{
    FAKE_ENTER();
    const struct allocation *in = holder(to, bytes), *out = holder(from, bytes);
    if (!in || !out || in->device != to_context->device || out->device != from_context->device)
        return CU_INVALID_VALUE;
    if (out->device == fake_setting("FAKE_CUDA_PEERS_LOSE", -1))
        bytes = 0;
    return enqueue_copy(pointer(to), pointer(from), bytes, stream);
}

int cuMemcpy3DAsync_v2(const struct cu_copy *copy, struct cu_stream *stream)
{
    (void)copy;
    (void)stream;
    FAKE_ENTER();
    return CU_SUCCESS;
}

int cuMemsetD32Async(uint64_t to, unsigned word, size_t words, struct cu_stream *stream)
{
    FAKE_ENTER();
    struct fake_op *op = fake_op_create(FAKE_OP_FILL);
    op->to = pointer(to);
    op->word = word;
    op->bytes = words;
    fake_enqueue(stream, op);
    return CU_SUCCESS;
}
