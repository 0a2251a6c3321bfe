// SPDX-License-Identifier: MIT
#include "bench/transfer/session.h"

#include "base/clock.h"

#include <string.h>

enum {
    WARM_MS = 20,
    WARM_BYTES = 4 << 20
};

// ---------------------------------------------------------------- queues

// Requests the universal queue and up to two more queues for copies. Queues of families that only
// transfer come first, because these queues are the copy engines.
void transfer_device(const struct gpu_info *info, struct gpu_device_desc *desc)
{
    static const enum gpu_queue_kind preferred[] = {GPU_QUEUE_TRANSFER, GPU_QUEUE_COMPUTE,
                                                    GPU_QUEUE_UNIVERSAL};
    desc->queue_count = 1;
    for (size_t k = 0; k < COUNT(preferred); k++) {
        unsigned left = 0;
        for (unsigned f = 0; f < info->family_count; f++)
            if (info->families[f].kind == preferred[k])
                left += info->families[f].count;
        if (preferred[k] == GPU_QUEUE_UNIVERSAL && left > 0)
            left--; // queue 0, which is already requested, is a queue of this kind
        for (; left > 0 && desc->queue_count <= TRANSFER_QUEUES; left--)
            desc->queues[desc->queue_count++].kind = preferred[k];
    }
}

static void find_queues(struct transfer_session *session)
{
    struct gpu_device *device = session->bench->device;
    for (unsigned i = 0; i < TRANSFER_QUEUES; i++)
        session->queues[i] = gpu_device_queue(device, i + 1);
    if (!session->queues[0])
        session->queues[0] = gpu_device_queue(device, 0);
}

const char *transfer_queue_name(const struct transfer_session *session,
                                const struct gpu_queue *queue)
{
    static const char *const names[GPU_QUEUE_KIND_COUNT] = {[GPU_QUEUE_UNIVERSAL] = "universal",
                                                            [GPU_QUEUE_COMPUTE] = "compute",
                                                            [GPU_QUEUE_TRANSFER] = "transfer"};
    struct gpu_device_desc desc = {0};
    transfer_device(session->bench->info, &desc);
    unsigned number = TRANSFER_QUEUES;
    while (number > 0 && gpu_device_queue(session->bench->device, number) != queue)
        number--;
    return names[desc.queues[number].kind];
}

// ---------------------------------------------------------------- the session

// Copies for 20 ms, because the clocks and the link of an idle card are slow.
static bool warm_up(struct transfer_session *session, struct error *err)
{
    struct transfer_station *home = &session->home;
    if (session->bench->info->kind == GPU_KIND_CPU)
        return true;
    if (!transfer_station_need(home, TRANSFER_PINNED_SOURCE, WARM_BYTES, err) ||
        !transfer_station_need(home, TRANSFER_DEVICE_TARGET, WARM_BYTES, err))
        return false;
    struct gpu_scope *scope = gpu_scope_open(home->device);
    struct gpu_batch *batch =
        gpu_batch_create(scope, &(struct gpu_batch_desc){.queue = session->queues[0]}, err);
    if (batch)
        gpu_batch_copy(batch, home->ends[TRANSFER_DEVICE_TARGET].buffer, 0,
                       home->ends[TRANSFER_PINNED_SOURCE].buffer, 0, WARM_BYTES);
    bool done = batch && gpu_batch_end(batch, err);
    uint64_t end_ns = clock_deadline_ns(WARM_MS * NS_PER_MS);
    while (done && clock_left_ns(end_ns))
        done = gpu_batch_run(batch, 10 * NS_PER_S, err);
    gpu_scope_close(scope);
    return done;
}

bool transfer_open(struct bench_session *bench, struct error *err)
{
    struct transfer_session *session = ARENA_NEW(bench->arena, struct transfer_session);
    session->bench = bench;
    bench->state = session;
    find_queues(session);
    if (!transfer_station_init(&session->home, &bench->programs, err) || !warm_up(session, err) ||
        !bench_stamps_probe(bench, err))
        return false;
    measure_link_of(bench->arena, bench->info, &session->link);
    bench->limits.link_bytes_per_s = session->link.bytes_per_s;
    return true;
}

void transfer_close(struct bench_session *bench)
{
    struct transfer_session *session = bench->state;
    if (!session)
        return;
    transfer_station_fini(&session->home);
    for (struct transfer_peer *peer = session->peers; peer; peer = peer->next) {
        transfer_station_fini(&peer->station);
        bench_session_close(&peer->bench);
    }
    session->peers = NULL;
}

// ---------------------------------------------------------------- other devices

static bool open_peer(struct transfer_session *session, const struct gpu_info *info,
                      struct transfer_station **station, struct error *err)
{
    struct transfer_peer *peer = ARENA_NEW(session->bench->arena, struct transfer_peer);
    if (!bench_session_open(&peer->bench, session->bench->system, info, NULL, err))
        return false;
    if (!transfer_station_init(&peer->station, &peer->bench.programs, err)) {
        bench_session_close(&peer->bench);
        return false;
    }
    peer->next = session->peers;
    session->peers = peer;
    *station = &peer->station;
    return true;
}

bool transfer_station_of(struct transfer_session *session, const char *id,
                         struct transfer_station **station, struct error *err)
{
    const struct gpu_info *info = gpu_system_find(session->bench->system, id);
    if (!info)
        return error_set(err, ERROR_UNSUPPORTED, "no second device: %s has only %s",
                         session->bench->info->api, session->bench->info->id);
    *station = &session->home;
    if (info == session->bench->info)
        return true;
    for (struct transfer_peer *peer = session->peers; peer; peer = peer->next)
        if (peer->station.info == info) {
            *station = &peer->station;
            return true;
        }
    return open_peer(session, info, station, err);
}
