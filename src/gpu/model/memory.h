// SPDX-License-Identifier: MIT
// The memory of a model: where its buffers lie, for the host's pointers and for the simulator, and
// what the words of a stretch add up to.
#ifndef GPU_MODEL_MEMORY_H
#define GPU_MODEL_MEMORY_H

#include "base/arena.h"
#include "gpu/backend.h"

struct model_range {
    const char *host;
    uint64_t bytes, address;
    bool own;           // nobody writes to it but by commands and gpu_buffer_write
    uint32_t *sums;     // of all words before each step of some bytes; NULL: none yet
    uint64_t sum_count; // of them that hold
};

struct model_memory {
    struct model_range *ranges;
    size_t count, capacity;
    uint64_t next;    // address of the next buffer
    size_t last_used; // where the range before was found
};

// The range that has this byte; NULL: none.
struct model_range *model_memory_find(struct model_memory *memory, const void *host);

// Where the simulator has this byte; 0 outside of all buffers.
uint64_t model_memory_address(struct model_memory *memory, const void *host);

// The sum of the 32-bit words from there, modulo 2^32; `bytes` is a multiple of 4. Sums of what
// nobody wrote to since are remembered.
uint32_t model_memory_sum(struct model_memory *memory, const void *from, uint64_t bytes);

// Somebody wrote to this buffer, or might have; NULL: to any.
void model_memory_forget(struct model_memory *memory, const void *host);

// Frees what is remembered of a range.
void model_range_free(struct model_range *range);

#endif
