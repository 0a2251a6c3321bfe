// SPDX-License-Identifier: MIT
#include "bench/launch/session.h"
#include "base/clock.h"
#include "bench/queue_pair.h"
#include "measure/limits.h"
#include "measure/unit.h"

#include <math.h>

enum {
    MEMORY_SHARE = 4, // each of the two buffers takes at most 1/4 of the device's memory
    // Maximum number of elements of a kernel on a CPU. With more elements, a launch would cost too
    // little in comparison to be seen.
    CPU_ELEMENTS_MAX = 1 << 20,
    WARM_ELEMENTS = 1 << 20,
    WARM_KERNELS = 64,
    WARM_MS = 2,
    QUEUES_MAX = 4
};
static const uint64_t elements_max = 128 << 20;
static const uint64_t wait_ns = UINT64_C(10000000000);

struct params { // parameters of the kernels fill, check and scale, which declare the same struct
    uint32_t count;
    float factor;
};

void launch_case_read(const struct bench_case *c, struct launch_case *this_case)
{
    const struct case_value *queues = case_find(c, "queues");
    const struct case_value *elements = case_find(c, "elements");
    *this_case = (struct launch_case){
        .between = (enum launch_between)case_choice(c, "between"),
        .mode = (enum launch_mode)case_choice(c, "mode"),
        .elements = elements ? elements->uint : 0,
        .queues = queues ? (unsigned)queues->uint : 0,
    };
}

uint64_t launch_elements_max(const struct gpu_info *info)
{
    uint64_t max = info->kind == GPU_KIND_CPU ? CPU_ELEMENTS_MAX : elements_max;
    return measure_limits_buffer(&info->limits, max * LAUNCH_ELEMENT_BYTES, MEMORY_SHARE) /
           LAUNCH_ELEMENT_BYTES;
}

// Sets `grid` to a grid with at least one thread for each element.
static void set_grid(const struct launch_session *session, uint64_t elements, uint32_t grid[2])
{
    measure_unit_grid((elements + LAUNCH_THREADS - 1) / LAUNCH_THREADS,
                      session->bench->info->limits.workgroup_count_x, grid);
}

// Returns a dispatch of `program` over the first params->count elements of `range`; `params` must
// live until the dispatch is recorded.
static struct gpu_dispatch whole_dispatch(const struct launch_session *session,
                                          struct gpu_program *program, struct gpu_buffer *range,
                                          const struct params *params)
{
    struct gpu_dispatch dispatch = {
        .program = program,
        .args = {{.buffer = range, .bytes = (uint64_t)params->count * LAUNCH_ELEMENT_BYTES},
                 {.buffer = program == session->check ? session->words : NULL}},
        .params = params,
        .params_bytes = sizeof *params,
    };
    set_grid(session, params->count, dispatch.groups);
    return dispatch;
}

static bool run_once(struct launch_session *session, struct gpu_program *program,
                     struct gpu_buffer *range, const struct params *params, struct error *err)
{
    const struct gpu_dispatch dispatch = whole_dispatch(session, program, range, params);
    return measure_unit_run(session->bench->device, &dispatch, wait_ns, err);
}

static bool make_warm(struct launch_session *session, struct error *err)
{
    struct bench_session *bench = session->bench;
    if (bench->info->kind == GPU_KIND_CPU)
        return true;
    const uint64_t bytes = (uint64_t)WARM_ELEMENTS * LAUNCH_ELEMENT_BYTES;
    struct gpu_buffer *buffer = bench_buffer(bench->scope, bytes, GPU_MEMORY_DEVICE, err);
    if (!buffer)
        return false;
    session->warm = gpu_batch_create(bench->scope, &(struct gpu_batch_desc){0}, err);
    const struct params params = {WARM_ELEMENTS, 1};
    const struct gpu_dispatch fill = whole_dispatch(session, session->fill, buffer, &params);
    for (int i = 0; session->warm && i < WARM_KERNELS; i++)
        gpu_batch_dispatch(session->warm, &fill);
    return session->warm && gpu_batch_end(session->warm, err);
}

bool launch_warm_up(struct launch_session *session, struct error *err)
{
    uint64_t end_ns = clock_deadline_ns(WARM_MS * NS_PER_MS);
    while (session->warm && clock_left_ns(end_ns))
        if (!gpu_batch_run(session->warm, wait_ns, err))
            return false;
    return true;
}

// ---------------------------------------------------------------- queues

// Requests the queues of bench/queue_pair.h and, if there are two, more of the second one's kind.
static void request_queues(const struct gpu_info *info, struct gpu_device_desc *desc)
{
    enum gpu_queue_kind kind = queue_pair_kind(info);
    unsigned available = 0;
    queue_pair_request(info, desc);
    for (unsigned f = 0; f < info->family_count; f++)
        if (info->families[f].kind == kind)
            available += info->families[f].count;
    unsigned used = kind == GPU_QUEUE_UNIVERSAL ? desc->queue_count : desc->queue_count - 1;
    for (; desc->queue_count > 1 && desc->queue_count < QUEUES_MAX && used < available; used++)
        desc->queues[desc->queue_count++].kind = kind;
}

unsigned launch_queue_count(const struct gpu_info *info)
{
    struct gpu_device_desc desc = {0};
    request_queues(info, &desc);
    return desc.queue_count;
}

static bool make_empty(struct launch_session *session, struct error *err)
{
    session->empty = measure_program(&session->bench->programs, "launch_empty", NULL, err);
    return session->empty &&
           (session->words = bench_buffer(session->bench->scope, 16, GPU_MEMORY_DEVICE, err));
}

bool launch_wide_open(struct launch_session *session, struct error *err)
{
    const struct bench_session *bench = session->bench;
    if (session->wide)
        return true;
    struct gpu_device_desc desc = {0};
    request_queues(bench->info, &desc);
    struct launch_wide *wide = ARENA_NEW(bench->arena, struct launch_wide);
    if (!bench_session_open(&wide->bench, bench->system, bench->info, &desc, err))
        return false;
    wide->session.bench = &wide->bench;
    if (make_empty(&wide->session, err)) {
        session->wide = wide;
        return true;
    }
    bench_session_close(&wide->bench);
    return false;
}

// ---------------------------------------------------------------- the session

void launch_close(struct bench_session *bench)
{
    struct launch_session *session = bench->state;
    if (!session)
        return;
    gpu_scope_close(session->pair);
    if (session->wide)
        bench_session_close(&session->wide->bench);
}

bool launch_open(struct bench_session *bench, struct error *err)
{
    struct launch_session *session = ARENA_NEW(bench->arena, struct launch_session);
    session->bench = bench;
    bench->state = session;
    return (session->scale = measure_program(&bench->programs, "launch_scale", NULL, err)) &&
           (session->fill = measure_program(&bench->programs, "launch_fill", NULL, err)) &&
           (session->check = measure_program(&bench->programs, "launch_check", NULL, err)) &&
           make_empty(session, err) && make_warm(session, err) && bench_stamps_probe(bench, err);
}

bool launch_prepare(struct launch_session *session, uint64_t elements, struct error *err)
{
    uint64_t bytes = elements * LAUNCH_ELEMENT_BYTES;
    if (session->pair_bytes < bytes) {
        gpu_scope_close(session->pair);
        session->pair_bytes = 0;
        session->pair = gpu_scope_open(session->bench->device);
        const struct gpu_buffer_desc desc = {.bytes = bytes};
        for (int end = 0; end < 2; end++) {
            session->ends[end] = gpu_buffer_create(session->pair, &desc, err);
            if (!session->ends[end])
                return false;
        }
        session->pair_bytes = bytes;
    }
    return run_once(session, session->fill, session->ends[0],
                    &(struct params){(uint32_t)elements, 1}, err) &&
           run_once(session, session->fill, session->ends[1],
                    &(struct params){(uint32_t)elements, 3}, err);
}

bool launch_count_clear(struct launch_session *session, struct error *err)
{
    const uint32_t zero[4] = {0};
    return gpu_buffer_write(session->words, 0, zero, sizeof zero, err);
}

bool launch_count(struct launch_session *session, uint32_t *count, struct error *err)
{
    return gpu_buffer_read(session->words, 0, count, sizeof *count, err);
}

static bool count_wrong(struct launch_session *session, unsigned end, const struct params *params,
                        uint32_t *wrong, struct error *err)
{
    return launch_count_clear(session, err) &&
           run_once(session, session->check, session->ends[end], params, err) &&
           launch_count(session, wrong, err);
}

// First checks for a factor that no element has, so all elements must be wrong. Without this, a
// check that did not run would find nothing wrong.
bool launch_check(struct launch_session *session, unsigned end, uint64_t elements, float factor,
                  struct error *err)
{
    uint32_t wrong = 0, count = (uint32_t)elements;
    if (!count_wrong(session, end, &(struct params){count, 4 * factor}, &wrong, err))
        return false;
    if (wrong != count)
        return error_set(err, ERROR_MISMATCH, "the check looked at %u of %u elements", wrong,
                         count);
    if (!count_wrong(session, end, &(struct params){count, factor}, &wrong, err))
        return false;
    return wrong == 0 ||
           error_set(err, ERROR_MISMATCH, "%u of %u elements are wrong", wrong, count);
}

// Products with powers of two are exact, and each kernel changes its target. If a kernel did not
// run, the factor of one even kernel is missing. The exponents are 1 to 3, in an order that does
// not repeat. Each is followed by its negative, so values stay near 1. Even if a row always loses
// the same kernels, the lost factors seldom cancel each other.
float launch_factor(uint64_t number)
{
    uint32_t mixed = (uint32_t)(number / 4 + 1) * LAUNCH_MIX;
    int exponent = 1 + (int)((mixed >> 16) % 3);
    return number % 2 ? 1 : -(float)ldexp(1, number % 4 == 0 ? exponent : -exponent);
}

void launch_record(struct launch_session *session, const struct launch_case *this_case,
                   uint64_t number, struct gpu_batch *batch)
{
    if (!this_case->elements) {
        gpu_batch_dispatch(batch, &(struct gpu_dispatch){.program = session->empty,
                                                         .args = {{.buffer = session->words}}});
        return;
    }
    const struct params params = {(uint32_t)this_case->elements, launch_factor(number)};
    uint64_t bytes = this_case->elements * LAUNCH_ELEMENT_BYTES;
    struct gpu_dispatch dispatch = {
        .program = session->scale,
        .args = {{.buffer = session->ends[number % 2], .bytes = bytes},
                 {.buffer = session->ends[1 - number % 2], .bytes = bytes}},
        .params = &params,
        .params_bytes = sizeof params,
    };
    set_grid(session, this_case->elements, dispatch.groups);
    gpu_batch_dispatch(batch, &dispatch);
}
