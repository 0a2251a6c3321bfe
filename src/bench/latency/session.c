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
    const struct gpu_kernel *code = kernel_find(kernel);
    if (!code) {
        error_set(err, ERROR_UNSUPPORTED, "kernel %s is not in this build", kernel);
        return NULL;
    }
    for (size_t i = 0; i < session->program_count; i++)
        if (gpu_program_kernel(session->programs[i]) == code)
            return session->programs[i];
    if (session->program_count == LATENCY_PROGRAMS_MAX) {
        error_set(err, ERROR_INTERNAL, "latency: more than %d programs", LATENCY_PROGRAMS_MAX);
        return NULL;
    }
    struct gpu_program_desc desc = {.kernel = code, .l1_percent = latency_l1_percent(kernel)};
    struct gpu_program *program = gpu_program_create(session->bench->scope, &desc, err);
    if (program)
        session->programs[session->program_count++] = program;
    return program;
}

const struct kernel_info *latency_kernel_info(struct latency_session *session,
                                              struct gpu_program *program)
{
    size_t i = 0;
    while (session->programs[i] != program)
        i++;
    if (!session->kernels[i].hash) {
        struct measure_visit *visit = measure_visit_create(session->bench->arena);
        visit_kernel(visit, program);
        session->kernels[i] = visit->kernel;
    }
    return &session->kernels[i];
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
