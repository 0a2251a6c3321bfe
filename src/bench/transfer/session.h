// SPDX-License-Identifier: MIT
// The cases of `transfer`, the memory that they copy from and to, and one transfer of a visit.
#ifndef BENCH_TRANSFER_SESSION_H
#define BENCH_TRANSFER_SESSION_H

#include "bench/bench.h"
#include "measure/card.h"
#include "measure/limits.h"

// ---------------------------------------------------------------- cases

// Sizes of transfers are multiples of TRANSFER_ELEMENT_BYTES. The number of elements fits in 32
// bits.
#define TRANSFER_ELEMENT_BYTES 16
#define TRANSFER_BYTES_MOST    ((uint64_t)32 << 30)

// The members of the four enums below are in the same order as the choices of the parameters
// `direction`, `memory`, `by` and `ways`.
enum transfer_direction {
    TRANSFER_H2D,
    TRANSFER_D2H,
    TRANSFER_BOTH,  // copies from host to device and from device to host, at the same time
    TRANSFER_LOCAL, // copies from memory of a device to memory of the same device
    TRANSFER_PEER,  // copies from one device to another device
};

enum transfer_memory { // the memory at the host's end of a transfer
    TRANSFER_PINNED,   // pinned memory, which the driver allocates
    TRANSFER_PAGEABLE, // ordinary memory of the process
    // Ordinary memory, but the host's processor copies: it loads or stores mapped device memory.
    TRANSFER_MAPPED,
};

enum transfer_by {
    TRANSFER_BY_COPY,   // copy commands on a queue for copies, else on the universal queue
    TRANSFER_BY_QUEUE,  // copy commands on the universal queue
    TRANSFER_BY_KERNEL, // a kernel loads and stores the data
    TRANSFER_BY_HOST,   // the host copies the data, or calls a copying function
};

enum transfer_ways {    // which devices copy to which other devices
    TRANSFER_WAYS_ONE,  // one device copies to another device
    TRANSFER_WAYS_BOTH, // two devices copy to each other, at the same time
    TRANSFER_WAYS_ALL,  // all devices copy at the same time, each to every other one in turn
};

struct transfer_case {
    enum transfer_direction direction;
    enum transfer_memory memory;
    enum transfer_by by;
    bool single; // true if the host submits each transfer alone and waits for its end
    enum transfer_ways ways;
    // In copies between devices: true if a queue of the target device copies, false if a queue of
    // the source device copies. Not used in other cases.
    bool is_read;
    // Ids of source and target device in copies between two devices; NULL in all other cases. If
    // there is no second device, `to` is "another".
    const char *from, *to;
    uint64_t bytes;
};
void transfer_case_read(const struct bench_case *c, struct transfer_case *this_case);

// Returns true if a kernel copies the data. Between devices, copy commands always do so.
bool transfer_is_by_kernel(const struct transfer_case *this_case);

// Returns the largest size of a transfer in bytes. Presets use no larger transfer, and the word
// "max" means this size. It is a power of two. It is at most 1/4 of the device's memory and at most
// 1/8 of the host's available memory. On a CPU, it is at most 16 MiB.
uint64_t transfer_bytes_max(const struct gpu_info *info);

// ---------------------------------------------------------------- the data

// Writes bytes / 4 words of the data that transfer.h defines, from word number `first` on. `bytes`
// must be a multiple of 4.
void transfer_pattern_fill(void *memory, uint64_t bytes, uint32_t first);

enum {
    TRANSFER_SPARSE = 8,
    TRANSFER_SPARSE_BYTES = 16 << 20
};

// Fails with ERROR_MISMATCH if `memory` does not hold the data from word number `first` on; the
// message names the first wrong byte. Reads all bytes if `round` is 0 or `bytes` is at most
// TRANSFER_SPARSE_BYTES. Otherwise reads every TRANSFER_SPARSE-th block of 4 KiB, so that
// TRANSFER_SPARSE successive rounds read all bytes.
MUST_CHECK bool transfer_pattern_check(const void *memory, uint64_t bytes, uint32_t first,
                                       unsigned round, struct error *err);

// ---------------------------------------------------------------- stations

// A source is memory from which transfers copy; it holds the data of transfer.h from word 0 on.
// Successive jobs begin at different places in a range of the source, the window, so data from the
// previous job fail the check. A source is larger than a transfer by the size of its window.
//
// The window of pinned memory is twice the largest cache that the device may have, from 4 MiB to
// 256 MiB (on a CPU 4 MiB). Data in a small window may stay in caches: on an H200 through Vulkan,
// kernels seemed to copy from the host at 1.2 TB/s.
enum {
    TRANSFER_STEP_BYTES = 4096, // distance in bytes between places at which transfers may begin
    TRANSFER_STEPS = 1024,
    TRANSFER_WINDOW_BYTES = TRANSFER_STEP_BYTES * TRANSFER_STEPS
};

enum transfer_end {
    TRANSFER_DEVICE_SOURCE,
    TRANSFER_DEVICE_TARGET,
    TRANSFER_PINNED_SOURCE,
    TRANSFER_PINNED_TARGET,
    TRANSFER_VISIBLE_SOURCE, // device memory that the host has mapped
    TRANSFER_VISIBLE_TARGET,
    TRANSFER_BUFFERS,
    TRANSFER_PLAIN_SOURCE = TRANSFER_BUFFERS, // ordinary memory of the process
    TRANSFER_PLAIN_TARGET,
    TRANSFER_ENDS
};

// A device with its programs, and the memory for transfers on this device. Memory is allocated when
// first needed, and enlarged when necessary.
struct transfer_station {
    struct gpu_device *device;
    const struct gpu_info *info;
    struct gpu_program *copy, *fill, *check;
    // device buffer for the number of correct elements that the check kernel found
    struct gpu_buffer *right;
    // Device buffer in which the copying kernel counts its dispatches.
    struct gpu_buffer *dispatches;
    struct {
        struct gpu_scope *scope;
        struct gpu_buffer *buffer;
    } ends[TRANSFER_BUFFERS];
    struct {
        struct arena *arena;
        unsigned char *memory; // memory of the process, aligned to a page
    } plain[TRANSFER_ENDS - TRANSFER_BUFFERS];
    uint64_t bytes[TRANSFER_ENDS];
    uint64_t pinned_window_bytes;
};

// Returns the size in bytes of the window of the source `end`, the range where transfers begin.
uint64_t transfer_station_window(const struct transfer_station *station, enum transfer_end end);

// Makes a station for the device of `programs`, without memory for transfers. The scope of
// `programs` must outlive the station.
MUST_CHECK bool transfer_station_init(struct transfer_station *station,
                                      struct measure_programs *programs, struct error *err);
void transfer_station_fini(struct transfer_station *station);

// Makes the memory `end` of the station large enough for a transfer of `bytes` bytes. If transfers
// copy from this memory, fills it with the data of transfer.h. Fails with ERROR_OUT_OF_MEMORY if
// the host or the device has too little memory.
MUST_CHECK bool transfer_station_need(struct transfer_station *station, enum transfer_end end,
                                      uint64_t bytes, struct error *err);

// Returns the host's pointer to the memory `end` of the station; NULL if the host cannot access it.
unsigned char *transfer_station_memory(const struct transfer_station *station,
                                       enum transfer_end end);

// Records a dispatch of the kernel that copies `bytes` bytes from `source` to `target`.
void transfer_station_copy(struct transfer_station *station, struct gpu_batch *batch,
                           const struct gpu_arg *source, const struct gpu_arg *target,
                           uint64_t bytes);

// Checks `bytes` bytes of the memory `end` from byte `at` on, a multiple of TRANSFER_STEP_BYTES.
// Fails with ERROR_MISMATCH if they differ from the data from word `first` on. The device checks
// all bytes of its memory; the host checks host memory as transfer_pattern_check says.
MUST_CHECK bool transfer_station_check(struct transfer_station *station, enum transfer_end end,
                                       uint64_t at, uint64_t bytes, uint32_t first, unsigned round,
                                       struct error *err);

// ---------------------------------------------------------------- the session

enum {
    TRANSFER_QUEUES = 2, // maximum number of queues for copies, besides the universal queue
    TRANSFER_STAGES = 2
};

// Another device of the same API, opened for transfers between devices.
struct transfer_peer {
    struct transfer_peer *next;
    struct bench_session bench;
    struct transfer_station station;
};

struct transfer_session {
    struct bench_session *bench;
    struct transfer_station home;
    // Queues for copies, besides the universal queue. If the device has only one such queue,
    // queues[1] is NULL. If it has none, queues[0] is the universal queue, and queues[1] is NULL.
    struct gpu_queue *queues[TRANSFER_QUEUES];
    struct measure_link link;
    // Number of transfer jobs set up so far. A job's place in its source depends on this number, so
    // successive jobs begin at different places.
    uint32_t jobs;
    struct transfer_peer *peers; // other devices that the session has opened
    // Buffers ("stages") through which transfers of pageable memory go if the driver cannot copy
    // such memory. The host works on one stage while the device copies from or to the other.
    struct gpu_buffer *stages[2][TRANSFER_STAGES]; // first index: the direction, H2D or D2H
};

void transfer_device(const struct gpu_info *info, struct gpu_device_desc *desc);
const char *transfer_queue_name(const struct transfer_session *session,
                                const struct gpu_queue *queue);
MUST_CHECK bool transfer_open(struct bench_session *bench, struct error *err);
void transfer_close(struct bench_session *bench);

// Sets *station to the station (struct transfer_station) of the device with this id. The first call
// for a device opens it. Fails with ERROR_UNSUPPORTED if there is no such device.
MUST_CHECK bool transfer_station_of(struct transfer_session *session, const char *id,
                                    struct transfer_station **station, struct error *err);

// ---------------------------------------------------------------- one transfer

struct transfer_job {
    struct transfer_session *session;
    const struct transfer_case *this_case;
    const struct measure_request *request;
    struct gpu_scope *scope; // scope that owns the batches of `stages`
    struct transfer_station *from, *to;
    enum transfer_end source, target;
    uint64_t offset; // offset in bytes in the source at which the last recorded transfer begins
    // offset in bytes in the target; jobs with the same target write different parts
    uint64_t to_offset;
    struct gpu_queue *queue;
    // Buffers and batches that move pageable memory part by part. NULL if the memory is not
    // pageable or if the driver can copy it.
    struct transfer_stages *stages;
};

// A measure_record (measure/span.h): records `repeats` transfers of `job`, a struct transfer_job.
// From pinned memory, each transfer begins at the first multiple of TRANSFER_STEP_BYTES at or after
// the end of the previous transfer, modulo the size of the window.
void transfer_record(void *job, struct gpu_batch *batch, uint64_t repeats);

// Waits for the batch without sleeping, so that the host sees at once that the batch is done. If
// the device is a CPU, the host sleeps, because the work needs the processors. Fails with
// ERROR_TIMEOUT after the request's time-out.
MUST_CHECK bool transfer_wait(const struct transfer_job *job, struct gpu_batch *batch,
                              struct error *err);

// transfer_pageable_prepare makes buffers (stages) if the driver cannot copy pageable memory. Call
// it before transfer_pageable_once, which makes one transfer of pageable memory.
MUST_CHECK bool transfer_pageable_prepare(struct transfer_job *job, struct arena *arena,
                                          struct error *err);
MUST_CHECK bool transfer_pageable_once(const struct transfer_job *job, struct error *err);

// Makes one transfer: the host itself reads from, or writes to, mapped device memory.
void transfer_mapped_once(const struct transfer_job *job);

// The functions `plan` and `visit` of struct benchmark.
MUST_CHECK bool transfer_plan(const struct bench_request *request, struct bench_case_list *list,
                              struct error *err);
MUST_CHECK bool transfer_visit(struct bench_visit *run, struct measure_visit *visit,
                               struct error *err);

#endif
