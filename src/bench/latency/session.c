// SPDX-License-Identifier: MIT
#include "bench/latency/session.h"

#include "bench/latency/latency.h"

#include <inttypes.h>

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
    struct gpu_program_desc desc = {.kernel = code};
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

// Few sizes of memory, each made once, when first needed; made for every case, 4 GiB would cost
// more than measuring in them. Pages have their own: they go to half of the device's memory.
static uint64_t region_class(const struct gpu_info *info, const struct latency_point *point,
                             uint64_t bytes, size_t *class)
{
    static const uint64_t small_bytes = UINT64_C(256) << 20;
    const char *name = NULL;
    struct latency_point widest = {.pointer = true, .order = point->order}; // of all paths
    uint64_t room = latency_bytes_max(info, &widest, &name) / 4 * 4;
    bool page = point->order == LATENCY_ORDER_PAGE;
    uint64_t small = page ? room / 8 : small_bytes < room ? small_bytes : room;
    *class = (page ? 2u : 0u) + (bytes <= small ? 0u : 1u);
    return bytes <= small ? small / 4 * 4 : bytes < room ? room : bytes;
}

struct gpu_buffer *latency_region(struct latency_session *session,
                                  const struct latency_point *point, uint64_t bytes,
                                  uint32_t *offset, struct error *err)
{
    size_t class = 0;
    uint64_t want = region_class(session->bench->info, point, bytes, &class);
    struct gpu_buffer **region = &session->regions[class];
    struct error refused = {0};
    if (!*region || gpu_buffer_bytes(*region) < bytes)
        *region = make_buffer(session, want, GPU_MEMORY_DEVICE, &refused);
    if (!*region && refused.code == ERROR_OUT_OF_MEMORY && bytes < want)
        *region = make_buffer(session, bytes, GPU_MEMORY_DEVICE, &refused);
    if (!*region) {
        *err = refused;
        error_prefix(err, "a region of %" PRIu64 " bytes", bytes);
        return NULL;
    }
    bool aligned = point->pointer && point->order == LATENCY_ORDER_PAGE;
    uint64_t past = aligned ? gpu_buffer_address(*region) % point->page : 0;
    uint64_t to_page = past ? point->page - past : 0;
    *offset = to_page <= gpu_buffer_bytes(*region) - bytes ? (uint32_t)to_page : 0;
    return *region;
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
