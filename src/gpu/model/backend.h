// SPDX-License-Identifier: MIT
// Declarations that the files of the model backend share (gpu/model.h).
//
//   backend.c  devices, buffers and programs
//   batch.c    recording and running batches, in virtual time
//   execute.c  runs the host form of a kernel, thread by thread
//   memory.c   addresses of buffers; sums and tables that are kept between dispatches
//   caches.c   simulates caches and TLBs;  steady.c  computes the duration of streams
//   machine.c  reads the file that describes the machine
//   counters.c counts what the simulated caches served and what streams moved
//
// A stream is all that a dispatch reads from, or writes to, one buffer. The kernel describes the
// stream (gpu/model/steady.h); the stream's single loads and stores are not simulated.
#ifndef GPU_MODEL_BACKEND_H
#define GPU_MODEL_BACKEND_H

#include "gpu/backend.h"
#include "gpu/model/caches.h"
#include "gpu/model/steady.h"

// ---------------------------------------------------------------- memory.c

struct model_range {
    const char *host;
    uint64_t bytes, address;
    bool own; // true: device memory, which only commands and gpu_buffer_write can change
    // sums[i] is the sum of the words in the first i × 2048 bytes; NULL until the first sum is
    // stored
    uint32_t *sums;
    uint64_t sum_count; // number of valid elements of `sums`
};

struct model_memory {
    struct model_range *ranges;
    size_t count, capacity;
    uint64_t next;    // simulated address of the next buffer that is created
    size_t last_used; // index of the range with which the next search for an address begins
};

// Returns the simulated address of the byte at `host`; 0 if no buffer contains this byte.
uint64_t model_memory_address(struct model_memory *memory, const void *host);

// Returns the sum modulo 2^32 of the 32-bit words in the `bytes` bytes that begin at `from`.
// `bytes` must be a multiple of 4. Sums of words in device memory may be stored for later calls,
// until something may have written to that memory.
uint32_t model_memory_sum(struct model_memory *memory, const void *from, uint64_t bytes);

// Discards the stored sums of the buffer that contains `host`, because something may have written
// to the buffer. If `host` is NULL or lies in no buffer, discards the sums of all buffers.
void model_memory_forget(struct model_memory *memory, const void *host);

// Frees the stored sums of a range.
void model_range_free(struct model_range *range);

enum {
    MODEL_PLACES_TABLES = 4,
    MODEL_PLACES_MAX = 1 << 24 // maximum number of words in a table of struct model_places
};

// Tables of words that kernels compute and get from model_thread_places. The tables keep their
// contents from one dispatch to the next.
struct model_places {
    struct model_places_table {
        uint32_t n, key;
        uint32_t *words;   // array of n words; NULL if the table is not in use
        uint64_t dispatch; // number of the last dispatch that used the table
    } tables[MODEL_PLACES_TABLES];
    // number of the current dispatch; while it runs, its tables are not replaced
    uint64_t dispatch;
};

// Returns the table of `n` words that belongs to `n` and `key`. If there is no such table, creates
// a zeroed table, which may replace the least recently used table. Returns NULL if n is 0 or above
// MODEL_PLACES_MAX, the current dispatch uses all tables, or the host has no memory.
uint32_t *model_places_find(struct model_places *places, uint32_t n, uint32_t key);

void model_places_free(struct model_places *places);

// ---------------------------------------------------------------- execute.c

// Creates the host stacks for the simulated threads of a device with `cores` cores. Returns NULL if
// the host has no memory for the stacks.
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
    // virtual time at which the dispatch starts, in core cycles and in ns
    double start_cycles;
    double start_ns;
    double cycle_ns; // duration of a core cycle in ns during the dispatch
    // Random factor (noise) for the latencies of all loads and for the duration of the streams.
    double slowness;
    // the kernel's descriptions of its buffer accesses (streams)
    struct model_stream streams[MODEL_STREAMS_MAX];
    size_t stream_count;
    // Index of the cache level that served the streams. The index level_count means memory.
    uint32_t stream_level;
};

// Simulates a dispatch and sets *cycles to its duration in core cycles. A kernel that only
// describes its buffer accesses (model_thread_stream) is called once, and model_steady_solve
// computes the duration. Fails with ERROR_UNSUPPORTED in these cases:
// - the kernel does not have one or two arguments
// - threads are simulated, and a workgroup has more than 256 threads
// - accesses are described, and the model's file lacks a bandwidth for them
MUST_CHECK bool model_execute(struct model_execution *execution, double *cycles, struct error *err);

// ---------------------------------------------------------------- what kernels call: execute.c
//
// The functions that a kernel calls when it is compiled for the host; bench/prelude/host.clh
// declares them, too. Each function acts for the simulated thread that calls it.

// model_thread_id returns an id or a size, which `which` selects. The values 0, 1, 2 select the
// thread's id in its workgroup along x, y, z. The values 3, 4, 5 select the workgroup's id, and 6,
// 7, 8 the number of workgroups.
uint32_t model_thread_id(uint32_t which);

void model_thread_barrier(void);

// Simulates a load from `address`. Adds the duration of the load to the thread's time.
void model_thread_load(const void *address);

// Announces that the thread will load from `address`. The host can then prefetch the data with
// which it simulates the load. Takes no virtual time.
void model_thread_expect(const void *address);

// Adds `cycles`, the duration of a computation in core cycles, to the thread's time.
void model_thread_compute(uint32_t cycles);

uint64_t model_thread_clock_core(void);   // returns the core's cycle counter
uint64_t model_thread_clock_device(void); // returns the device's clock in ns
uint32_t model_thread_core(void);

// Functions for kernels that only describe their buffer accesses (bench/prelude/stream.clh).
// model_thread_stream describes what the dispatch reads from or writes to one buffer.
// model_thread_sum returns the sum of 32-bit words in a buffer.
void model_thread_stream(const struct model_stream *stream);
uint32_t model_thread_sum(const void *from, uint64_t bytes);

// Returns a table of `n` words for values that depend only on `n` and `key`. A later dispatch may
// find the values that a kernel stored in the table. Returns NULL if model_places_find returns
// NULL.
uint32_t *model_thread_places(uint32_t n, uint32_t key);

// ---------------------------------------------------------------- backend.c

struct model_device {
    // first member, so that a gpu_device pointer can be cast to this struct
    struct gpu_device device;
    struct gpu_queue queue;
    struct model_machine machine;
    struct model_caches *caches;
    struct model_stacks *stacks;
    struct model_memory memory;
    struct model_places places;
    uint64_t used_bytes;
    // highest allowed core clock in Hz; 0 means the clock of the model's file
    double chosen_hz;
    double now_ns; // virtual time in ns: the sum of the durations of all batches so far
    // virtual time in core cycles
    double now_cycles;
    uint64_t random;    // state of the random number generator for the noise (splitmix64)
    double disturbance; // latest value of the noise, which is an AR(1) series
    // streamed[c] is the part of counter c that comes from streams (described buffer accesses)
    double streamed[GPU_COUNTER_COUNT];
};

static inline struct model_device *model_device_of(const struct gpu_scope *scope)
{
    return (struct model_device *)scope->device;
}

// Returns the buffer's memory on the host. Simulated kernels run on the host, so this pointer is
// also the address that they get.
static inline char *model_host_of(const struct gpu_buffer *buffer)
{
    return (char *)(uintptr_t)buffer->address; // NOLINT: the address was made from a pointer
}

// ---------------------------------------------------------------- counters.c

extern const struct gpu_counting model_counting;

// Adds the bytes that the streams (described buffer accesses) of a dispatch move to the counters
// device->streamed.
void model_count_streams(struct model_device *device, const struct model_execution *execution);

// ---------------------------------------------------------------- batch.c

GPU_SLOT(gpu_backend, batch_create) model_batch_create;
GPU_SLOT(gpu_backend, batch_dispatch) model_batch_dispatch;
GPU_SLOT(gpu_backend, batch_copy) model_batch_copy;
GPU_SLOT(gpu_backend, batch_fill) model_batch_fill;
GPU_SLOT(gpu_backend, batch_barrier) model_batch_barrier;
GPU_SLOT(gpu_backend, batch_span) model_batch_span;
GPU_SLOT(gpu_backend, batch_end) model_batch_end;
GPU_SLOT(gpu_backend, batch_reset) model_batch_reset;
GPU_SLOT(gpu_backend, batch_submit) model_batch_submit;
GPU_SLOT(gpu_backend, batch_wait) model_batch_wait;
GPU_SLOT(gpu_backend, batch_span_ns) model_batch_span_ns;

#endif
