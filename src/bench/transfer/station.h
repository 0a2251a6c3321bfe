// SPDX-License-Identifier: MIT
// One end of transfers: a device with its programs and the memory that data come from or go to.
// Memory is made when it is first needed and grown; what data come from is filled then. It holds
// the words 0, 1 … and a window more than a transfer takes, so that each visit can begin elsewhere:
// no visit leaves what another would find right. The window of pinned memory is larger than the
// device's caches, which may keep what they have loaded from the host (seen on an H200 through
// Vulkan: kernels that seemed to copy at 1.2 TB/s).
#ifndef BENCH_TRANSFER_STATION_H
#define BENCH_TRANSFER_STATION_H

#include "bench/transfer/pattern.h"
#include "measure/program.h"

enum {
    TRANSFER_STEP_BYTES = 4096, // between beginnings
    TRANSFER_STEPS = 1024,
    TRANSFER_WINDOW_BYTES = TRANSFER_STEP_BYTES * TRANSFER_STEPS
};

enum transfer_end {
    TRANSFER_DEVICE_SOURCE,
    TRANSFER_DEVICE_TARGET,
    TRANSFER_PINNED_SOURCE,
    TRANSFER_PINNED_TARGET,
    TRANSFER_VISIBLE_SOURCE, // device memory that the host maps
    TRANSFER_VISIBLE_TARGET,
    TRANSFER_BUFFERS,
    TRANSFER_PLAIN_SOURCE = TRANSFER_BUFFERS, // ordinary memory of the host
    TRANSFER_PLAIN_TARGET,
    TRANSFER_ENDS
};

struct transfer_station {
    struct gpu_device *device;
    const struct gpu_info *info;
    struct gpu_program *copy, *fill, *check;
    struct gpu_buffer *right; // what `check` counts
    struct {
        struct gpu_scope *scope;
        struct gpu_buffer *buffer;
    } ends[TRANSFER_BUFFERS];
    struct {
        struct arena *arena;
        unsigned char *memory; // at the beginning of a page
    } plain[TRANSFER_ENDS - TRANSFER_BUFFERS];
    uint64_t bytes[TRANSFER_ENDS];
    uint64_t pinned_window_bytes;
};

// How far apart the beginnings of transfers from that end may lie.
uint64_t transfer_station_window(const struct transfer_station *station, enum transfer_end end);

// On the device of `programs`, whose scope outlives the station.
MUST_CHECK bool transfer_station_init(struct transfer_station *station,
                                      struct measure_programs *programs, struct error *err);
void transfer_station_fini(struct transfer_station *station);

// Makes the memory of that end large enough for a transfer of `bytes`.
MUST_CHECK bool transfer_station_need(struct transfer_station *station, enum transfer_end end,
                                      uint64_t bytes, struct error *err);

// Records one pass of the copying kernel.
void transfer_station_copy(struct transfer_station *station, struct gpu_batch *batch,
                           const struct gpu_arg *source, const struct gpu_arg *target,
                           uint64_t bytes);

// The end's first `bytes` bytes are the words from `first` on; else ERROR_MISMATCH. Device memory
// is looked at by the device, all of it; host memory by the host, as `look` says.
MUST_CHECK bool transfer_station_check(struct transfer_station *station, enum transfer_end end,
                                       uint64_t bytes, uint32_t first, struct transfer_look look,
                                       struct error *err);

#endif
