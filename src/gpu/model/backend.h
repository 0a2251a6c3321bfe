// SPDX-License-Identifier: MIT
// What the files of the model backend share.
//
//   backend.c  devices, buffers and programs
//   batch.c    recording and running batches, in virtual time
//   execute.c  runs the host form of a kernel, thread by thread
//   memory.c   addresses of buffers; sums and tables that are kept between dispatches
//   caches.c   simulates caches and TLBs;  steady.c  computes the duration of streams
//   machine.c  reads the file that describes the machine
//   counters.c counts what the simulated caches served and what streams moved
#ifndef GPU_MODEL_BACKEND_H
#define GPU_MODEL_BACKEND_H

#include "gpu/backend.h"
#include "gpu/model/caches.h"
#include "gpu/model/steady.h"

// ---------------------------------------------------------------- memory.c

struct model_range {
    const char *host;
    uint64_t bytes, address;
    bool own;           // device memory: only commands and gpu_buffer_write write to it
    uint32_t *sums;     // [i]: sum of all words before byte 2048 i of the range; NULL: none
    uint64_t sum_count; // number of sums that are valid
};

struct model_memory {
    struct model_range *ranges;
    size_t count, capacity;
    uint64_t next;    // address of the next buffer
    size_t last_used; // index of the range that the last search found
};

// Returns the range that contains this byte; NULL if there is none.
struct model_range *model_memory_find(struct model_memory *memory, const void *host);

// Returns the address of this byte in the simulation; 0 if no buffer contains the byte.
uint64_t model_memory_address(struct model_memory *memory, const void *host);

// Returns the sum modulo 2^32 of the 32-bit words in the `bytes` bytes from `from` on; `bytes` is a
// multiple of 4. Sums over device memory are kept until that memory may have been written.
uint32_t model_memory_sum(struct model_memory *memory, const void *from, uint64_t bytes);

// Discards the remembered sums of the buffer that contains `host`, because something may have
// written to it. If no buffer contains `host`, or `host` is NULL, discards the sums of all buffers.
void model_memory_forget(struct model_memory *memory, const void *host);

// Frees the remembered sums of a range.
void model_range_free(struct model_range *range);

enum {
    MODEL_PLACES_TABLES = 4,
    MODEL_PLACES_MAX = 1 << 24 // largest number of words in a table
};

// Tables that kernels ask for (model_thread_places), kept between dispatches.
struct model_places {
    struct model_places_table {
        uint32_t n, key;
        uint32_t *words;   // n words; NULL: not in use
        uint64_t dispatch; // number of the last dispatch that used it
    } tables[MODEL_PLACES_TABLES];
    uint64_t dispatch; // number of the current dispatch; its tables must not move
};

// Returns the table of `n` words that belongs to `n` and `key`. A new table is zeroed and replaces
// the least recently used one. NULL if n is 0 or above MODEL_PLACES_MAX, if the current dispatch
// uses all tables, or if the host has no memory.
uint32_t *model_places_find(struct model_places *places, uint32_t n, uint32_t key);

void model_places_free(struct model_places *places);

// ---------------------------------------------------------------- execute.c

// Creates the stacks for the threads of a device with `cores` cores. NULL if the host has no memory
// for them.
struct model_stacks;
struct model_stacks *model_stacks_create(struct arena *arena, uint32_t cores);
void model_stacks_destroy(struct model_stacks *stacks);

struct model_execution {
    struct model_stacks *stacks;
    const struct model_machine *machine;
    struct model_caches *caches;
    struct model_memory *memory;
    struct model_places *places;
    const struct gpu_kernel *kernel;
    uint32_t groups[3];
    void *args[GPU_ARGS_MAX];
    uint32_t params[GPU_PARAMS_MAX_BYTES / 4];
    double start_cycles; // start of the dispatch by the core's counter
    double start_ns;     // start of the dispatch by the device's clock
    double cycle_ns;     // duration of a core cycle during the dispatch
    double slowness;     // noise: factor on all latencies and on the duration of streams
    struct model_stream streams[MODEL_STREAMS_MAX]; // the streams that the kernel described
    size_t stream_count;
    uint32_t stream_level; // the level that served them; level_count: memory
};

// Runs all groups and sets `*cycles` to the duration of the dispatch. A kernel that describes
// streams is called once, and model_steady_solve computes the duration. Fails with
// ERROR_UNSUPPORTED if the kernel does not take one or two buffers, if its host form has more than
// 256 threads per group, or if the machine's file lacks a bandwidth that its streams need.
MUST_CHECK bool model_execute(struct model_execution *execution, double *cycles, struct error *err);

// ---------------------------------------------------------------- what kernels call: execute.c
//
// The functions that the host form of a kernel calls; bench/prelude/host.clh declares them, too.
// Each acts for the thread that calls it.

// Returns the thread's id within its group (`which` 0–2 for x, y, z), the id of its group (3–5), or
// the number of groups (6–8).
uint32_t model_thread_id(uint32_t which);

void model_thread_barrier(void);

// Advances the thread's time by the duration of a load from this address.
void model_thread_load(const void *address);

// Announces a load from this address, which makes the later load faster on the host. Takes no
// virtual time.
void model_thread_expect(const void *address);

// Advances the thread's time by the cycles of a computation.
void model_thread_compute(uint32_t cycles);

uint64_t model_thread_clock_core(void);   // cycles
uint64_t model_thread_clock_device(void); // ns
uint32_t model_thread_core(void);

// For kernels that describe streams (bench/prelude/stream.clh): model_thread_stream describes what
// the dispatch reads or writes; model_thread_sum returns the sum of 32-bit words in a buffer.
void model_thread_stream(const struct model_stream *stream);
uint32_t model_thread_sum(const void *from, uint64_t bytes);

// Returns a table of `n` words for values that a kernel derives from `n` and `key` alone; NULL as
// for model_places_find. Its content is kept between dispatches until a new table replaces it.
uint32_t *model_thread_places(uint32_t n, uint32_t key);

// ---------------------------------------------------------------- backend.c

struct model_device {
    struct gpu_device device; // must be the first member
    struct gpu_queue queue;
    struct model_machine machine;
    struct model_caches *caches;
    struct model_stacks *stacks;
    struct model_memory memory;
    struct model_places places;
    uint64_t used_bytes;
    double chosen_hz;                   // upper limit of the core clock; 0: the machine's clock
    double now_ns;                      // virtual time: the total duration of all batches
    double now_cycles;                  // the same time in cycles of the cores' counters
    uint64_t random;                    // state of the noise generator (splitmix64)
    double disturbance;                 // state of the noise's AR(1) series
    double streamed[GPU_COUNTER_COUNT]; // bytes that streams have moved so far
};

static inline struct model_device *model_device_of(const struct gpu_scope *scope)
{
    return (struct model_device *)scope->device;
}

// The host pointer of a buffer. It is also the address that kernels get.
static inline char *model_host_of(const struct gpu_buffer *buffer)
{
    return (char *)(uintptr_t)buffer->address; // NOLINT: the address was made from a pointer
}

// ---------------------------------------------------------------- counters.c

extern const struct gpu_counting model_counting;

// Adds the bytes that the streams of a dispatch moved to device->streamed.
void model_count_streams(struct model_device *device, const struct model_execution *execution);

// ---------------------------------------------------------------- batch.c

struct gpu_batch *model_batch_create(struct gpu_scope *scope, const struct gpu_batch_desc *desc,
                                     struct error *err);
bool model_batch_dispatch(struct gpu_batch *batch, const struct gpu_dispatch *dispatch,
                          struct error *err);
bool model_batch_copy(struct gpu_batch *batch, struct gpu_buffer *to, uint64_t to_offset,
                      struct gpu_buffer *from, uint64_t from_offset, uint64_t bytes,
                      struct error *err);
bool model_batch_fill(struct gpu_batch *batch, struct gpu_buffer *buffer, uint64_t offset,
                      uint64_t bytes, uint32_t word, struct error *err);
bool model_batch_barrier(struct gpu_batch *batch, enum gpu_barrier barrier, struct error *err);
bool model_batch_span(struct gpu_batch *batch, unsigned span, bool end, struct error *err);
bool model_batch_end(struct gpu_batch *batch, struct error *err);
bool model_batch_reset(struct gpu_batch *batch, struct error *err);
bool model_batch_submit(struct gpu_batch *batch, struct gpu_hold *hold, struct error *err);
bool model_batch_wait(struct gpu_batch *batch, uint64_t timeout_ns, struct error *err);
bool model_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns, struct error *err);

#endif
