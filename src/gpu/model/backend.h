// SPDX-License-Identifier: MIT
// What the files of the model backend share.
//
//   backend.c  devices, buffers and programs
//   batch.c    recording and running batches, in virtual time
//   execute.c  runs the host form of a kernel, thread by thread
//   memory.c   where buffers lie, and what is remembered of them between dispatches
//   caches.c   simulates caches and TLBs;  steady.c  solves streams in their steady state
//   machine.c  reads the file that describes the machine
#ifndef GPU_MODEL_BACKEND_H
#define GPU_MODEL_BACKEND_H

#include "gpu/backend.h"
#include "gpu/model/caches.h"
#include "gpu/model/steady.h"

// ---------------------------------------------------------------- memory.c

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

enum {
    MODEL_PLACES_TABLES = 4,
    MODEL_PLACES_MAX = 1 << 24 // words of one
};

struct model_places {
    struct model_places_table {
        uint32_t n, key;
        uint32_t *words;   // n of them; NULL: none yet
        uint64_t dispatch; // that wanted it last
    } tables[MODEL_PLACES_TABLES];
    uint64_t dispatch; // under way; its tables stay where they are
};

// The words of `n` and `key`, zeros at first; NULL where they are too many, or this dispatch has
// all tables. The table of the oldest dispatch gives way.
uint32_t *model_places_find(struct model_places *places, uint32_t n, uint32_t key);

void model_places_free(struct model_places *places);

// ---------------------------------------------------------------- execute.c

// Of threads; made once a device, for so many cores, in `arena` but for the stacks themselves. NULL
// where the host has no memory for them.
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
    double start_cycles;                            // of the core's counter
    double start_ns;                                // of the device's clock
    double cycle_ns;                                // of the core's clock while it runs
    double slowness;                                // factor on every latency
    struct model_stream streams[MODEL_STREAMS_MAX]; // that a kernel told
    size_t stream_count;
};

// Runs all groups; *cycles is how long they took. A kernel that tells streams is called once, and
// they are solved (steady.h). ERROR_UNSUPPORTED where the kernel takes other arguments than the
// model passes on, has larger groups than it has stacks, or the machine's file does not tell the
// bandwidth of what serves its streams.
MUST_CHECK bool model_execute(struct model_execution *execution, double *cycles, struct error *err);

// ---------------------------------------------------------------- what kernels call: execute.c
//
// The functions that a kernel's host form calls. bench/prelude/host.clh declares the same. Each
// acts for the thread on whose stack it is called.

// 0–2: id within the group, 3–5: the group's, 6–8: number of groups; x, y, z.
uint32_t model_thread_id(uint32_t which);

void model_thread_barrier(void);

// The thread waits as long as a load from there takes.
void model_thread_load(const void *address);

// That a load from there comes soon. Costs the thread nothing, and the host less time later.
void model_thread_expect(const void *address);

// The thread waits as long as it computes.
void model_thread_compute(uint32_t cycles);

uint64_t model_thread_clock_core(void);   // cycles
uint64_t model_thread_clock_device(void); // ns
uint32_t model_thread_core(void);

// Of kernels that tell streams (bench/prelude/stream.clh): what the dispatch reads or writes, and
// the sum of the 32-bit words from there.
void model_thread_stream(const struct model_stream *stream);
uint32_t model_thread_sum(const void *from, uint64_t bytes);

// `n` words for what a kernel works out of `n` and `key` alone: zeros at first, kept from one
// dispatch to the next as long as few others are wanted, and at one place while a kernel runs.
// NULL where they would be too many.
uint32_t *model_thread_places(uint32_t n, uint32_t key);

// ---------------------------------------------------------------- backend.c

struct model_device {
    struct gpu_device device; // first
    struct gpu_queue queue;
    struct model_machine machine;
    struct model_caches *caches;
    struct model_stacks *stacks;
    struct model_memory memory;
    struct model_places places;
    uint64_t used_bytes;
    double chosen_hz;   // the core's clock at most; 0: the machine's
    double now_ns;      // virtual: what batches took so far
    double now_cycles;  // … as the cores' counters have it
    uint64_t random;    // state of the noise: splitmix64
    double disturbance; // … of its AR(1)
};

static inline struct model_device *model_device_of(const struct gpu_scope *scope)
{
    return (struct model_device *)scope->device;
}

// Where a buffer lies for the host: its address, which is what kernels are given.
static inline char *model_host_of(const struct gpu_buffer *buffer)
{
    return (char *)(uintptr_t)buffer->address; // NOLINT: it was made from a pointer
}

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
