// SPDX-License-Identifier: MIT
// One transfer: commands recorded in a batch, or a copy by the host.
#include "bench/transfer/session.h"

#include "base/clock.h"
#include "gpu/peers.h"

#include <stdatomic.h>
#include <string.h>

enum {
    STAGE_BYTES = 4 << 20
};

// Returns a pointer to the job's data in the source; NULL if the host cannot access the source.
static unsigned char *host_source(const struct transfer_job *job)
{
    unsigned char *memory = transfer_station_memory(job->from, job->source);
    return memory ? memory + job->offset : NULL;
}

static unsigned char *host_target(const struct transfer_job *job)
{
    return transfer_station_memory(job->to, job->target);
}

static void record_once(const struct transfer_job *job, struct gpu_batch *batch)
{
    struct gpu_buffer *source = job->from->ends[job->source].buffer;
    struct gpu_buffer *target = job->to->ends[job->target].buffer;
    uint64_t bytes = job->this_case->bytes;
    if (job->from != job->to)
        gpu_peers_copy(batch, &(struct gpu_peers_copy){.to = target,
                                                       .from = source,
                                                       .to_offset = job->to_offset,
                                                       .from_offset = job->offset,
                                                       .bytes = bytes});
    else if (transfer_is_by_kernel(job->this_case))
        transfer_station_copy(
            job->from, batch,
            &(struct gpu_arg){.buffer = source, .offset = job->offset, .bytes = bytes},
            &(struct gpu_arg){.buffer = target, .bytes = bytes}, bytes);
    else
        gpu_batch_copy(batch, target, 0, source, job->offset, bytes);
}

void transfer_record(void *context, struct gpu_batch *batch, uint64_t repeats)
{
    struct transfer_job *job = context;
    uint64_t window = transfer_station_window(job->from, job->source);
    uint64_t steps = (job->this_case->bytes + TRANSFER_STEP_BYTES - 1) / TRANSFER_STEP_BYTES;
    for (uint64_t i = 0; i < repeats; i++) {
        if (job->source == TRANSFER_PINNED_SOURCE)
            job->offset = (job->offset + steps * TRANSFER_STEP_BYTES) % window;
        record_once(job, batch);
    }
}

bool transfer_wait(const struct transfer_job *job, struct gpu_batch *batch, struct error *err)
{
    uint64_t end_ns = clock_deadline_ns(job->request->timeout_ns);
    // If the device is a CPU, its work needs the processors, so the host sleeps while it waits.
    if (job->session->bench->info->kind == GPU_KIND_CPU)
        return gpu_batch_wait(batch, job->request->timeout_ns, err);
    while (!gpu_batch_wait(batch, 0, err))
        if (err->code != ERROR_TIMEOUT || !clock_left_ns(end_ns))
            return false;
    return true;
}

// ---------------------------------------------------------------- pageable memory through stages

struct transfer_stages {
    const struct transfer_job *job;
    struct gpu_buffer **buffers;
    struct gpu_batch *batches[TRANSFER_STAGES];
    bool busy[TRANSFER_STAGES];
};

bool transfer_pageable_prepare(struct transfer_job *job, struct arena *arena, struct error *err)
{
    struct transfer_session *session = job->session;
    bool is_up = job->this_case->direction == TRANSFER_H2D;
    enum gpu_memory memory = is_up ? GPU_MEMORY_UPLOAD : GPU_MEMORY_READBACK;
    if (session->bench->info->caps & GPU_CAP(PAGEABLE))
        return true;
    job->stages = ARENA_NEW(arena, struct transfer_stages);
    job->stages->job = job;
    job->stages->buffers = session->stages[job->this_case->direction];
    for (int i = 0; i < TRANSFER_STAGES; i++) {
        struct gpu_buffer **buffer = &job->stages->buffers[i];
        if (!*buffer)
            *buffer = bench_buffer(session->bench->scope, STAGE_BYTES, memory, err);
        if (!*buffer)
            return false;
        job->stages->batches[i] =
            gpu_batch_create(job->scope, &(struct gpu_batch_desc){.queue = job->queue}, err);
        if (!job->stages->batches[i])
            return false;
    }
    return true;
}

static uint64_t part_bytes(const struct transfer_job *job, uint64_t part)
{
    uint64_t left = job->this_case->bytes - part * STAGE_BYTES;
    return left < STAGE_BYTES ? left : STAGE_BYTES;
}

static bool submit_part(struct transfer_stages *stages, uint64_t part, struct error *err)
{
    const struct transfer_job *job = stages->job;
    unsigned i = part % TRANSFER_STAGES;
    uint64_t at = part * STAGE_BYTES, bytes = part_bytes(job, part);
    if (!gpu_batch_reset(stages->batches[i], err))
        return false;
    if (job->this_case->direction == TRANSFER_H2D)
        gpu_batch_copy(stages->batches[i], job->to->ends[job->target].buffer, at,
                       stages->buffers[i], 0, bytes);
    else
        gpu_batch_copy(stages->batches[i], stages->buffers[i], 0,
                       job->from->ends[job->source].buffer, job->offset + at, bytes);
    stages->busy[i] =
        gpu_batch_end(stages->batches[i], err) && gpu_batch_submit(stages->batches[i], NULL, err);
    return stages->busy[i];
}

static bool wait_part(struct transfer_stages *stages, unsigned i, struct error *err)
{
    bool done = !stages->busy[i] || transfer_wait(stages->job, stages->batches[i], err);
    stages->busy[i] = false;
    return done;
}

// Transfers pageable memory part by part through two buffers that the driver can copy (stages).
// While the device copies one part, the host copies another part: to the device, the next part;
// from the device, the previous part.
static bool move_parts(struct transfer_stages *stages, struct error *err)
{
    const struct transfer_job *job = stages->job;
    bool is_up = job->this_case->direction == TRANSFER_H2D;
    uint64_t parts = (job->this_case->bytes + STAGE_BYTES - 1) / STAGE_BYTES;
    if (!is_up && !submit_part(stages, 0, err))
        return false;
    for (uint64_t part = 0; part < parts; part++) {
        unsigned i = part % TRANSFER_STAGES;
        void *stage = gpu_buffer_map(stages->buffers[i]);
        uint64_t at = part * STAGE_BYTES, bytes = part_bytes(job, part);
        if (!is_up && part + 1 < parts && !submit_part(stages, part + 1, err))
            return false;
        if (!wait_part(stages, i, err))
            return false;
        if (is_up)
            memcpy(stage, host_source(job) + at, bytes);
        else
            memcpy(host_target(job) + at, stage, bytes);
        if (is_up && !submit_part(stages, part, err))
            return false;
    }
    for (unsigned i = 0; i < TRANSFER_STAGES; i++)
        if (!wait_part(stages, i, err))
            return false;
    return true;
}

bool transfer_pageable_once(const struct transfer_job *job, struct error *err)
{
    uint64_t bytes = job->this_case->bytes;
    if (job->stages)
        return move_parts(job->stages, err);
    if (job->this_case->direction == TRANSFER_H2D)
        return gpu_buffer_write(job->to->ends[job->target].buffer, 0, host_source(job), bytes, err);
    return gpu_buffer_read(job->from->ends[job->source].buffer, job->offset, host_target(job),
                           bytes, err);
}

void transfer_mapped_once(const struct transfer_job *job)
{
    memcpy(host_target(job), host_source(job), job->this_case->bytes);
    // The processor may delay stores in order to combine them. The fence makes it send them now.
    atomic_thread_fence(memory_order_seq_cst);
}
