// SPDX-License-Identifier: MIT
#include "bench/latency/session.h"

#include "bench/latency/latency.h"

#include <string.h>

static struct gpu_buffer *make_buffer(struct latency_session *session, uint64_t bytes,
                                      enum gpu_memory memory, struct error *err)
{
    struct gpu_buffer_desc desc = {.bytes = bytes, .memory = memory};
    return gpu_buffer_create(session->bench->scope, &desc, err);
}

bool latency_open(struct bench_session *bench, struct error *err)
{
    struct latency_session *session = ARENA_NEW(bench->arena, struct latency_session);
    session->bench = bench;
    bench->state = session;
    measure_limits_of(bench->info, &session->limits);
    if (!measure_clock_probe(bench->scope, &session->clock, err))
        return false;
    session->clocked = session->clock.has_counter && session->clock.has_device_clock;
    session->out = make_buffer(session, LATENCY_OUT_BYTES, GPU_MEMORY_DEVICE, err);
    if (!session->out)
        return false;
    session->readback = make_buffer(session, LATENCY_OUT_BYTES, GPU_MEMORY_READBACK, err);
    return session->readback != NULL;
}

unsigned latency_l1_percent(const char *kernel)
{
    return strstr(kernel, "shared") ? 1 : 100;
}

struct gpu_program *latency_program(struct latency_session *session, const char *kernel,
                                    struct error *err)
{
    const struct gpu_program_desc choices = {.l1_percent = latency_l1_percent(kernel)};
    return measure_program(&session->bench->programs, kernel, &choices, err);
}

struct gpu_buffer *latency_constants(struct latency_session *session, struct error *err)
{
    if (!session->constants)
        session->constants = make_buffer(session, 65536, GPU_MEMORY_DEVICE, err);
    return session->constants;
}

struct gpu_buffer *latency_stream(struct latency_session *session, struct error *err)
{
    if (!session->stream)
        session->stream = make_buffer(session, LATENCY_STREAM_BYTES, GPU_MEMORY_DEVICE, err);
    return session->stream;
}
