// SPDX-License-Identifier: MIT
// Reads hardware counters: bytes that each memory level moved, instructions of each kind, cycles.
// The counters in the table GPU_COUNTERS have the same names on all devices; all other counters
// have only their vendor's names. A counter set is a list of counters that are read together. A
// device may need several passes for one set, each with the same batches.
//
// While counters are open, the device may be slower, so times of a run with counters are not used.
// Counters that belong to the whole device (DRAM, L2) also count the work of other processes.
#ifndef GPU_COUNTERS_H
#define GPU_COUNTERS_H

#include "gpu/gpu.h"

enum gpu_counter_unit {
    GPU_COUNTER_BYTES,
    GPU_COUNTER_EVENTS,
    GPU_COUNTER_CYCLES,
    // unit of averages and shares; their value does not grow with the amount of work
    GPU_COUNTER_RATIO,
};

// The table of the counters: name in C, name in files, unit, meaning. On NVIDIA, bytes in caches
// count whole sectors. An instruction or a request of a subgroup counts once. A wavefront is here
// one pass of a request through a unit, not a subgroup of AMD.
#define GPU_COUNTERS(X)                                                                            \
    X(DRAM_READ, "dram_read", BYTES, "bytes read from the device's memory")                        \
    X(DRAM_WRITTEN, "dram_written", BYTES, "bytes written to the device's memory")                 \
    X(L2_READ, "l2_read", BYTES, "bytes that cores read from the L2, or through it")               \
    X(L2_READ_HIT, "l2_read_hit", BYTES,                                                           \
      "part of l2_read that the L2 held (where it has two halves: the half that was asked first)") \
    X(L2_FAR_HIT, "l2_far_hit", BYTES, "bytes read that the far half of the L2 held")              \
    X(L2_WRITTEN, "l2_written", BYTES, "bytes that cores wrote to the L2, or through it")          \
    X(L2_FAR, "l2_far", BYTES, "bytes that moved between the two halves of the L2")                \
    X(L1_READ, "l1_read", BYTES, "bytes that loads from global memory read through the L1")        \
    X(L1_READ_HIT, "l1_read_hit", BYTES, "part of l1_read that the L1 held")                       \
    X(L1_READ_MISS, "l1_read_miss", BYTES, "part of l1_read that the L1 did not hold")             \
    X(L1_WRITTEN, "l1_written", BYTES, "bytes that stores to global memory wrote")                 \
    X(L1_REQUESTS, "l1_requests", EVENTS, "loads from global memory, one for each subgroup")       \
    X(L1_DATA, "l1_data", EVENTS, "wavefronts of the L1's data: loads, stores and shared memory")  \
    X(LOAD_RETURNS, "load_returns", CYCLES,                                                        \
      "cycles in which loads brought data to registers, added up over the cores")                  \
    X(TEXTURE_FILTER, "texture_filter", EVENTS,                                                    \
      "wavefronts of the filters of the texture units, which all texture loads take")              \
    X(TEXTURE_RETURNS, "texture_returns", CYCLES,                                                  \
      "cycles in which texture units brought data to registers, added up over the cores")          \
    X(TEXTURE_READ, "texture_read", BYTES, "bytes that texture instructions read")                 \
    X(SHARED_WAVEFRONTS, "shared_wavefronts", EVENTS,                                              \
      "wavefronts of shared memory; one moves at most 128 bytes on NVIDIA")                        \
    X(SHARED_CONFLICTS, "shared_conflicts", EVENTS,                                                \
      "part of shared_wavefronts that bank conflicts added")                                       \
    X(INSTRUCTIONS, "instructions", EVENTS, "instructions of all kinds")                           \
    X(INSTRUCTIONS_FP32, "instructions_fp32", EVENTS,                                              \
      "instructions that compute with 32-bit floats, in whole subgroups of 32 threads")            \
    X(INSTRUCTIONS_FMA, "instructions_fma", EVENTS,                                                \
      "instructions of the FP32 units (on NVIDIA also integer multiply-adds)")                     \
    X(INSTRUCTIONS_FP64, "instructions_fp64", EVENTS, "instructions of the FP64 units")            \
    X(INSTRUCTIONS_FP16, "instructions_fp16", EVENTS,                                              \
      "instructions that compute with 16-bit floats")                                              \
    X(INSTRUCTIONS_INT, "instructions_int", EVENTS,                                                \
      "instructions of the units for integers and logic")                                          \
    X(INSTRUCTIONS_MATRIX, "instructions_matrix", EVENTS, "instructions of the matrix units")      \
    X(INSTRUCTIONS_MEMORY, "instructions_memory", EVENTS,                                          \
      "instructions of the units for loads and stores")                                            \
    X(INSTRUCTIONS_TEXTURE, "instructions_texture", EVENTS, "instructions of the texture units")   \
    X(ACTIVE_CYCLES, "active_cycles", CYCLES,                                                      \
      "cycles in which a core had work, added up over the cores")                                  \
    X(RESIDENT_CYCLES, "resident_cycles", CYCLES,                                                  \
      "cycles that subgroups were resident, added up over the subgroups")                          \
    X(ISSUE_SLOTS, "issue_slots", CYCLES,                                                          \
      "cycles in which a scheduler issued an instruction, added up over the schedulers")           \
    X(STALL_MEMORY, "stall_memory", CYCLES,                                                        \
      "cycles that subgroups waited for memory, added up over the subgroups, as below")            \
    X(STALL_SHARED, "stall_shared", CYCLES,                                                        \
      "cycles that subgroups waited for shared memory or a slow unit")                             \
    X(STALL_QUEUE, "stall_queue", CYCLES,                                                          \
      "cycles that subgroups waited because the queue to memory was full")                         \
    X(STALL_UNITS, "stall_units", CYCLES, "cycles that subgroups waited for a busy unit")          \
    X(STALL_BARRIER, "stall_barrier", CYCLES, "cycles that subgroups waited at a barrier")         \
    X(STALL_FETCH, "stall_fetch", CYCLES, "cycles that subgroups waited for instructions")

enum gpu_counter {
#define X(counter, name, unit, help) GPU_COUNTER_##counter,
    GPU_COUNTERS(X)
#undef X
    GPU_COUNTER_COUNT
};

struct gpu_counter_info {
    const char *name;
    enum gpu_counter_unit unit;
    const char *help;
};

const struct gpu_counter_info *gpu_counter_info(enum gpu_counter counter);

// The vendor's own (native) counter from which fathom computes a counter of GPU_COUNTERS.
struct gpu_counter_source {
    const char *native; // name of the native counter
    double factor;      // value of the counter = factor · value of the native counter
};

struct gpu_counters;

// Opens the hardware counters of a device; they must not be open already. Returns NULL with
// ERROR_UNSUPPORTED if the API or the device has no counters, a library is missing or fails, the
// user may not read counters, or another program reads them. If a library or the permission is
// missing, the message says what to do. gpu_counters_close accepts NULL.
struct gpu_counters *gpu_counters_open(struct gpu_device *device, struct error *err);
void gpu_counters_close(struct gpu_counters *counters);

// Returns the native counter from which `counter` is computed; NULL if the device lacks `counter`.
const struct gpu_counter_source *gpu_counters_source(const struct gpu_counters *counters,
                                                     enum gpu_counter counter);

// Returns an array with the names of the native counters that fathom lists, and sets *count to its
// length. The names live as long as `counters`.
const char *const *gpu_counters_natives(const struct gpu_counters *counters, size_t *count);

// Returns the unit of a native counter; GPU_COUNTER_EVENTS if the unit is not known.
enum gpu_counter_unit gpu_counters_native_unit(const struct gpu_counters *counters,
                                               const char *native);

// Creates a set of `count` counters. The set lives as long as `counters`. Fails with
// ERROR_UNSUPPORTED if the device lacks one of these counters.
struct gpu_counter_set;
struct gpu_counter_set *gpu_counter_set_create(struct gpu_counters *counters,
                                               const struct gpu_counter_source *sources,
                                               size_t count, struct error *err);

// Returns the number of passes that the device needs to read all counters of the set. The batches
// run once in each pass.
unsigned gpu_counter_set_passes(const struct gpu_counter_set *set);

enum {
    GPU_COUNTER_BATCHES_MAX = 2 // maximum number of batches that one run can count
};

struct gpu_counter_run {
    // The batches to count. Each must be ready, created while the counters were open, and for the
    // device's first queue, which must have no other work.
    struct gpu_batch *batches[GPU_COUNTER_BATCHES_MAX];
    size_t count; // number of elements of `batches`
    // A batch that runs before each counted batch in each pass, to bring the caches into the same
    // state each time. It is not counted. NULL if no such batch is needed.
    struct gpu_batch *before;
    uint64_t timeout_ns; // time limit, in ns, for the wait for one submission
};

// Runs the batches one after the other in each pass, and counts. Sets values[b · n + i] to the
// value of counter i for batch b; n is the number of counters of the set. Two batches in one run
// take about half the time of two runs, because a pass takes long to begin.
MUST_CHECK bool gpu_counter_set_run(struct gpu_counter_set *set, const struct gpu_counter_run *run,
                                    double *values, struct error *err);

#endif
