// SPDX-License-Identifier: MIT
// What the cases of a session share, and what one case is.
#ifndef BENCH_TRANSFER_SESSION_H
#define BENCH_TRANSFER_SESSION_H

#include "bench/bench.h"
#include "bench/transfer/station.h"
#include "measure/card.h"
#include "measure/limits.h"

// Sizes of transfers are multiples of the first; elements are counted in 32 bits.
#define TRANSFER_ELEMENT_BYTES 16
#define TRANSFER_BYTES_MOST    ((uint64_t)32 << 30)

// These are in the order of the choices.
enum transfer_direction {
    TRANSFER_H2D,
    TRANSFER_D2H,
    TRANSFER_BOTH,  // at once
    TRANSFER_LOCAL, // within the device
    TRANSFER_PEER,  // from one device to another
};

enum transfer_memory { // of the host
    TRANSFER_PINNED,
    TRANSFER_PAGEABLE, // ordinary
    TRANSFER_MAPPED,   // none: the host loads and stores device memory
};

enum transfer_by {
    TRANSFER_BY_COPY,   // copy commands on a queue for transfers, where there is one
    TRANSFER_BY_QUEUE,  // copy commands on the universal queue
    TRANSFER_BY_KERNEL, // loads and stores of a kernel
    TRANSFER_BY_HOST,   // by the host, or by a call of it
};

struct transfer_case {
    enum transfer_direction direction;
    enum transfer_memory memory;
    enum transfer_by by;
    bool single;           // one transfer, submitted and waited for; else many in a row
    const char *from, *to; // PEER: ids of devices
    uint64_t bytes;
};
void transfer_case_read(const struct bench_case *c, struct transfer_case *this_case);

// Largest transfer that this device, and this host, have room for; a power of two.
uint64_t transfer_bytes_max(const struct gpu_info *info);

enum {
    TRANSFER_QUEUES = 2, // for copies, beside the device's first
    TRANSFER_STAGES = 2
};

// Another device of the same API.
struct transfer_peer {
    struct transfer_peer *next;
    struct transfer_station station;
};

struct transfer_session {
    struct bench_session *bench;
    struct transfer_station home;
    struct gpu_queue *queues[TRANSFER_QUEUES]; // [1] is NULL where there is but one
    const char *queue_names[TRANSFER_QUEUES];
    struct measure_link link;
    struct measure_limits limits; // with the link's
    uint32_t visits;              // so far
    struct transfer_peer *peers;  // opened so far
    // For pageable memory where the driver copies none: the host fills one while the other is
    // copied.
    struct gpu_buffer *stages[2][TRANSFER_STAGES]; // [TRANSFER_H2D], [TRANSFER_D2H]
};

void transfer_device(const struct gpu_info *info, struct gpu_device_desc *desc);
const char *transfer_queue_name(const struct transfer_session *session,
                                const struct gpu_queue *queue);
MUST_CHECK bool transfer_open(struct bench_session *bench, struct error *err);
void transfer_close(struct bench_session *bench);

// The station of a device by its id: home, or a peer that is opened first.
MUST_CHECK bool transfer_station_of(struct transfer_session *session, const char *id,
                                    struct transfer_station **station, struct error *err);

// ---------------------------------------------------------------- one transfer

// From where to where, ready to be copied.
struct transfer_job {
    struct transfer_session *session;
    const struct transfer_case *this_case;
    const struct measure_request *request;
    struct gpu_scope *scope; // of batches
    struct transfer_station *from, *to;
    enum transfer_end source, target;
    uint64_t offset; // in the source, of the transfer that was recorded last
    struct gpu_queue *queue;
    struct transfer_stages *stages; // of pageable memory that the driver does not copy
};

// Where a job's bytes begin on the host: plain or mapped memory; NULL for device memory.
unsigned char *transfer_host_source(const struct transfer_job *job);
unsigned char *transfer_host_target(const struct transfer_job *job);

// Records the transfer so often, from pinned memory each from behind the one before.
void transfer_record(struct transfer_job *job, struct gpu_batch *batch, uint64_t repeats);

// Waits without sleeping, for at most the request's time-out: so that the host's clock tells when
// it was done.
MUST_CHECK bool transfer_wait(const struct transfer_job *job, struct gpu_batch *batch,
                              struct error *err);

// Pageable memory: made ready, then moved by the driver's own copy or through stages.
MUST_CHECK bool transfer_pageable_prepare(struct transfer_job *job, struct arena *arena,
                                          struct error *err);
MUST_CHECK bool transfer_pageable_once(const struct transfer_job *job, struct error *err);

// Loads or stores mapped device memory once.
void transfer_mapped_once(const struct transfer_job *job);

// The plan and the visit of struct benchmark.
MUST_CHECK bool transfer_plan(const struct bench_request *request, struct bench_case_list *list,
                              struct error *err);
MUST_CHECK bool transfer_visit(struct bench_visit *run, struct measure_visit *visit,
                               struct error *err);

#endif
