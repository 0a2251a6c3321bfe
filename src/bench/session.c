// SPDX-License-Identifier: MIT
// Begins and ends sessions of benchmarks. Also has functions that all visits in a session use.
#include "bench/bench.h"

#include <math.h>

struct bench_session bench_session_begin(struct gpu_system *system, struct gpu_device *device)
{
    struct bench_session session = {.arena = arena_create(),
                                    .system = system,
                                    .device = device,
                                    .info = gpu_device_info(device),
                                    .scope = gpu_scope_open(device)};
    session.programs = (struct measure_programs){.arena = session.arena, .scope = session.scope};
    measure_limits_of(session.info, &session.limits);
    return session;
}

void bench_session_end(struct bench_session *session)
{
    gpu_scope_close(session->scope);
    measure_programs_close(&session->programs);
    arena_destroy(session->arena);
}

bool bench_session_open(struct bench_session *session, struct gpu_system *system,
                        const struct gpu_info *info, const struct gpu_device_desc *desc,
                        struct error *err)
{
    struct gpu_device *device = gpu_device_open(system, info, desc, err);
    if (device)
        *session = bench_session_begin(system, device);
    return device != NULL;
}

void bench_session_close(struct bench_session *session)
{
    if (!session->device)
        return;
    bench_session_end(session);
    gpu_device_close(session->device);
    session->device = NULL;
}

bool bench_clock_probe(struct bench_session *session, struct error *err)
{
    return measure_clock_probe(session->scope, &session->known_clock, &session->clock, err);
}

bool bench_device_clock_probe(struct bench_session *session, struct error *err)
{
    return bench_clock_probe(session, err) &&
           (session->clock.has_device_clock ||
            error_set(err, ERROR_UNSUPPORTED,
                      "the clock of %s that kernels read stands still: update its driver",
                      session->info->id));
}

bool bench_stamps_probe(struct bench_session *session, struct error *err)
{
    struct error why;
    if (bench_clock_probe(session, &why))
        return true;
    session->clock = (struct measure_clock){0};
    if (why.code != ERROR_DEVICE_LOST && why.code != ERROR_TIMEOUT)
        return true;
    *err = why;
    return false;
}

double bench_counts_most(const struct bench_session *session, double ns)
{
    double hz = session->clock.counter_hz;
    // The measured rate may be that of an idle device, whose clock is low. The highest clock is a
    // safe maximum.
    if (session->clock.counts_core_clock)
        hz = fmax(hz, session->limits.core_clock_hz);
    return ns * hz / 1e9;
}

struct gpu_buffer *bench_buffer(struct gpu_scope *scope, uint64_t bytes, enum gpu_memory memory,
                                struct error *err)
{
    const struct gpu_buffer_desc desc = {.bytes = bytes, .memory = memory};
    return gpu_buffer_create(scope, &desc, err);
}

uint32_t bench_round_key(unsigned round)
{
    return UINT32_C(0x9e3779b9) * (round + 1); // 2^32 divided by the golden ratio
}

uint64_t bench_place(uint32_t key, uint64_t buffer_bytes, uint64_t bytes)
{
    uint64_t places = (buffer_bytes - bytes) / BENCH_PLACE_BYTES + 1;
    return (key * places >> 32) * BENCH_PLACE_BYTES;
}

struct measure_span_desc bench_span_desc(const struct bench_visit *run, measure_record *record,
                                         void *context)
{
    return (struct measure_span_desc){.scope = run->scope,
                                      .record = record,
                                      .context = context,
                                      .clock = &run->session->clock,
                                      .request = run->request,
                                      .warm = run->session->warm};
}
