// SPDX-License-Identifier: MIT
// The second handle of a device: one that checks the bounds of every access.
#include "bench/loads/session.h"

struct bench_session *loads_robust(struct loads_session *session, struct error *err)
{
    const struct bench_session *plain = session->bench;
    if (session->robust)
        return session->robust;
    struct gpu_device *device =
        gpu_device_open(plain->system, plain->info, &(struct gpu_device_desc){.robust = true}, err);
    if (!device)
        return NULL;
    struct bench_session *robust = ARENA_NEW(plain->arena, struct bench_session);
    *robust = *plain;
    robust->device = device;
    robust->scope = gpu_scope_open(device);
    robust->programs = (struct measure_programs){.arena = plain->arena, .scope = robust->scope};
    session->robust = robust; // loads_close frees it, whatever comes
    if (loads_open(robust, err))
        return robust;
    loads_close(session->bench);
    return NULL;
}

void loads_close(struct bench_session *bench)
{
    struct loads_session *session = bench->state;
    if (!session || !session->robust)
        return;
    gpu_scope_close(session->robust->scope);
    gpu_device_close(session->robust->device);
    session->robust = NULL;
}
