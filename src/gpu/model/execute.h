// SPDX-License-Identifier: MIT
// Runs a kernel's host form (bench/prelude/host.clh), thread by thread, in virtual time. Threads
// that wait at a barrier keep a stack each; a kernel without barriers needs only one. Groups of up
// to 32 threads that have a core each run side by side: what one of them does to a common cache the
// others see at that time. All others take turns.
#ifndef GPU_MODEL_EXECUTE_H
#define GPU_MODEL_EXECUTE_H

#include "gpu/backend.h"
#include "gpu/model/caches.h"
#include "gpu/model/memory.h"
#include "gpu/model/places.h"
#include "gpu/model/steady.h"

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
    size_t params_bytes;
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

#endif
