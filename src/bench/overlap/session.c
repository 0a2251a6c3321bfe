// SPDX-License-Identifier: MIT
#include "bench/overlap/session.h"

#include "bench/queue_pair.h"

#include <math.h>

enum {
    RESOLUTION_STEPS = 3
};

static const char *queue_text(const struct gpu_info *info, const struct overlap_session *session)
{
    if (!session->queues[OVERLAP_COMPUTE])
        return "one: the device has no second queue, so the compute queue's workloads follow on "
               "the direct queue";
    return queue_pair_kind(info) == GPU_QUEUE_COMPUTE
               ? "two: the direct queue is universal, the compute queue is of a compute-only family"
               : "two: both universal, as there is no compute-only family";
}

static bool session_fill(struct overlap_session *session, struct measure_programs *programs,
                         struct error *err)
{
    struct gpu_device *device = gpu_scope_device(programs->scope);
    const struct gpu_info *info = gpu_device_info(device);
    for (unsigned q = 0; q < OVERLAP_QUEUES_MAX; q++)
        session->queues[q] = gpu_device_queue(device, q);
    session->queue_text = queue_text(info, session);
    session->resolution_ns =
        fmax(RESOLUTION_STEPS * session->clock.device_step_ns, session->skew.behind_ns);
    session->has_cores = info->caps & GPU_CAP(CORE_ID);
    const char *name = session->has_cores ? "overlap_core" : "overlap";
    session->program = measure_program(programs, name, NULL, err);
    return session->program != NULL;
}

bool overlap_session_open(struct bench_session *bench, struct error *err)
{
    struct overlap_session *session = ARENA_NEW(bench->arena, struct overlap_session);
    bench->state = session;
    session->scope = bench->scope;
    return measure_clock_probe(bench->scope, &session->clock, err) &&
           overlap_skew_probe(bench->scope, &session->clock, &session->skew, err) &&
           session_fill(session, &bench->programs, err);
}

static void urgent_close(struct overlap_session *session)
{
    gpu_scope_close(session->scope);
    gpu_device_close(session->device);
}

static struct overlap_session *urgent_open(struct bench_session *bench,
                                           const struct gpu_device_desc *desc, struct error *err)
{
    const struct overlap_session *plain = bench->state;
    struct overlap_session *session = ARENA_NEW(bench->arena, struct overlap_session);
    session->device = gpu_device_open(bench->system, bench->info, desc, err);
    if (!session->device)
        return NULL;
    session->clock = plain->clock; // the chip's
    session->skew = plain->skew;
    session->clock.program = NULL;
    session->scope = gpu_scope_open(session->device);
    session->priority_text = "high for the compute queue's family: granted, in so far as the "
                             "driver made a device with it; more cannot be asked";
    struct measure_programs programs = {.arena = bench->arena, .scope = session->scope};
    if (session_fill(session, &programs, err))
        return session;
    urgent_close(session);
    return NULL;
}

struct overlap_session *overlap_session_urgent(struct bench_session *bench, struct error *err)
{
    struct overlap_session *plain = bench->state;
    struct gpu_device_desc desc = {0};
    if (plain->urgent)
        return plain->urgent;
    if (!gpu_require(bench->info, GPU_CAP(PRIORITY), err))
        return NULL;
    queue_pair_request(bench->info, &desc);
    if (desc.queue_count < 2) {
        error_set(err, ERROR_UNSUPPORTED,
                  "%s has one queue: there is none beside it to have a higher priority",
                  bench->info->id);
        return NULL;
    }
    desc.queues[OVERLAP_COMPUTE].priority = GPU_PRIORITY_HIGH;
    plain->urgent = urgent_open(bench, &desc, err);
    if (plain->urgent || err->code == ERROR_DEVICE_LOST)
        return plain->urgent;
    struct overlap_session *fallback = plain->urgent =
        ARENA_NEW(bench->arena, struct overlap_session);
    *fallback = *plain;
    fallback->urgent = NULL;
    fallback->refused = true;
    fallback->priority_text =
        arena_printf(bench->arena, "high was refused (%s): medium it is", err->message);
    return fallback;
}

void overlap_session_close(struct bench_session *bench)
{
    struct overlap_session *session = bench->state;
    if (session && session->urgent && session->urgent->device)
        urgent_close(session->urgent);
}
