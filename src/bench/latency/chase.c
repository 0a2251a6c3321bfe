// SPDX-License-Identifier: MIT
#include "bench/latency/chase.h"

#include <inttypes.h>

enum {
    TOUCH_BYTES = 65536,      // no page of a device's memory is smaller
    AWAKE_POLLS_MAX = 1 << 18 // each about a microsecond
};

static struct latency_params chase_params(const struct latency_chase *chase)
{
    struct latency_params params = latency_params_of(chase);
    params.mask = UINT32_MAX >> (32 - measure_clock_low_bits(&chase->session->clock));
    params.never = UINT32_MAX;
    return params;
}

uint64_t latency_run_hops(const struct latency_run *run)
{
    return LATENCY_UNROLL * ((uint64_t)run->lead + (uint64_t)run->windows * run->repeats);
}

uint32_t latency_chase_hop(const struct latency_chase *chase, uint32_t start, uint64_t hops)
{
    return (uint32_t)((start + hops) % chase->shape.nodes);
}

// ---------------------------------------------------------------- recording

static void record_awake(struct latency_chase *chase, struct gpu_batch *batch,
                         const struct gpu_arg *out, uint32_t token)
{
    struct latency_params params = chase_params(chase);
    params.nodes = LATENCY_STREAM_BYTES / LATENCY_STRIDE_BYTES;
    params.windows = AWAKE_POLLS_MAX;
    params.repeats = 64;
    params.token = token;
    struct gpu_dispatch dispatch = {
        .program = chase->awake,
        .args = {*out, {.buffer = chase->session->stream}},
        .params = &params,
        .params_bytes = sizeof params,
    };
    gpu_batch_dispatch(batch, &dispatch);
}

static void record_run(struct latency_chase *chase, struct gpu_batch *batch, unsigned slot,
                       const struct latency_run *run)
{
    struct latency_session *session = chase->session;
    struct latency_params params = chase_params(chase);
    params.start = run->start;
    params.warm = run->warm;
    if (run->touch) {
        params.touch_step =
            chase->shape.block_bytes < TOUCH_BYTES ? TOUCH_BYTES / chase->shape.block_bytes : 1;
        params.touch =
            (uint32_t)(chase->shape.bytes / chase->shape.block_bytes / params.touch_step);
    }
    params.lead = run->lead;
    params.windows = run->windows;
    params.repeats = run->repeats;
    params.token = ++session->token;
    struct gpu_arg out = {.buffer = session->out,
                          .offset = (uint64_t)slot * LATENCY_OUT_STRIDE,
                          .bytes = (uint64_t)LATENCY_OUT_WORDS * 4};
    struct gpu_dispatch dispatch = {
        .program = run->control ? chase->control : chase->program,
        .params = &params,
        .params_bytes = sizeof params,
    };
    bool region = chase->has_region && !run->control;
    if (region)
        dispatch.args[0] = chase->region;
    dispatch.args[region ? 1 : 0] = out;
    gpu_batch_dispatch(batch, &dispatch);
    if (chase->awake && !run->control)
        record_awake(chase, batch, &out, params.token);
}

static bool record(struct latency_chase *chase, struct gpu_batch *batch,
                   const struct latency_run *runs, unsigned count, struct error *err)
{
    for (unsigned i = 0; i < count; i++) {
        gpu_batch_span_begin(batch, i);
        record_run(chase, batch, i, &runs[i]);
        gpu_batch_span_end(batch, i);
        if (chase->awake)
            gpu_batch_barrier(batch, GPU_BARRIER_MEMORY);
    }
    gpu_batch_copy(batch, chase->session->readback, 0, chase->session->out, 0,
                   (uint64_t)count * LATENCY_OUT_STRIDE);
    return gpu_batch_end(batch, err);
}

// ---------------------------------------------------------------- checking

// Two hops: x → (x + (x << shift)) ^ key.
static uint32_t control_end(const struct latency_chase *chase, const struct latency_run *run)
{
    uint32_t link = run->start;
    for (uint64_t hop = 0; hop < latency_run_hops(run); hop += 2)
        link = (link + (link << chase->control_shift)) ^ chase->shape.key;
    return link;
}

static bool check_run(const struct latency_chase *chase, const struct latency_run *run,
                      const uint32_t *words, uint32_t token, struct error *err)
{
    if (words[LATENCY_OUT_DONE] != token)
        return error_set(err, ERROR_MISMATCH, "the kernel did not come to its end");
    uint32_t expected[2] = {0};
    uint32_t hop = latency_chase_hop(chase, run->start, latency_run_hops(run));
    if (run->control)
        expected[0] = control_end(chase, run);
    else
        latency_link(&chase->this_case, &chase->shape,
                     chase->memory ? chase->memory->addresses : NULL, hop, expected);
    const uint32_t *seen = words + LATENCY_OUT_LINK;
    if (seen[0] == expected[0] && seen[1] == expected[1])
        return true;
    return error_set(err, ERROR_MISMATCH,
                     "after %" PRIu64 " hops from number %" PRIu32 " the chase is at %08" PRIx32
                     "%08" PRIx32 " instead of %08" PRIx32 "%08" PRIx32 ", where hop %" PRIu32
                     " of %" PRIu32 " is",
                     latency_run_hops(run), run->start, seen[1], seen[0], expected[1], expected[0],
                     hop, chase->shape.nodes);
}

static void read_run(const struct latency_chase *chase, struct latency_run *run,
                     const uint32_t *words)
{
    const uint32_t *device = words + LATENCY_OUT_DEVICE;
    run->counts = words + LATENCY_OUT_WINDOWS;
    run->count = words[LATENCY_OUT_COUNT];
    run->device_ns = measure_clock_elapsed_ns(&chase->session->clock, measure_clock_stamp(device),
                                              measure_clock_stamp(device + 2));
}

bool latency_chase_run(struct latency_chase *chase, struct latency_run *runs, unsigned count,
                       struct error *err)
{
    const struct bench_visit *visit = chase->visit;
    struct gpu_batch_desc desc = {.span_count = count, .unordered = chase->awake != NULL};
    struct gpu_batch *batch = gpu_batch_create(visit->scope, &desc, err);
    uint32_t token = chase->session->token;
    if (!batch || !record(chase, batch, runs, count, err) ||
        !gpu_batch_run(batch, visit->request->timeout_ns, err))
        return false;
    const char *map = gpu_buffer_map(chase->session->readback);
    for (unsigned i = 0; i < count; i++) {
        const void *result = map + (size_t)i * LATENCY_OUT_STRIDE;
        if (!gpu_batch_span_ns(batch, i, &runs[i].span_ns, err) ||
            !check_run(chase, &runs[i], result, token + i + 1, err))
            return false;
        read_run(chase, &runs[i], result);
    }
    return true;
}
