// SPDX-License-Identifier: MIT
// Two benchmarks for the fake GPU, built like real ones: `sum` (bandwidth of reads) and `chase`
// (latency of dependent loads; needs 64-bit integers, which the second device lacks).
#include "bench/bench.h"
#include "fakes/fake.h"
#include "measure/program.h"

#include <inttypes.h>

enum {
    REPEATS = 4
};

// What a case keeps between visits.
struct memory {
    unsigned visits;
};

// ---------------------------------------------------------------- both

// Limits a size to the device's memory. True if the size fitted, or if the choice is max.
static bool fit_memory(const struct bench_pick *pick)
{
    uint64_t most = pick->request->device->limits.memory_bytes;
    if (pick->value->type != PARAM_BYTES || pick->value->uint <= most)
        return true;
    pick->value->uint = most;
    return pick->request->choices[pick->param].values[pick->at[pick->param]].uint == UINT64_MAX;
}

static bool plan(const struct bench_request *request, struct bench_case_list *list,
                 struct error *err)
{
    const struct bench_product product = {.request = request, .reach = fit_memory};
    return bench_plan_product(&product, list, err);
}

static bool remember(struct bench_visit *run)
{
    if (!*run->memory)
        *run->memory = ARENA_NEW(run->session->arena, struct memory);
    return ++((struct memory *)*run->memory)->visits > 0;
}

struct work {
    const char *kernel;
    const uint32_t *data;
    uint64_t bytes;
    uint32_t param, expected;
};

// Makes a program and a batch of REPEATS dispatches, submits it once a sample, checks it once.
static bool measure(struct bench_visit *run, const struct work *work, double *ns, struct error *err)
{
    struct measure_programs programs = {.arena = run->arena, .scope = run->scope};
    struct gpu_program *program = measure_program(&programs, work->kernel, NULL, err);
    run->session->programs.compile_ns += programs.compile_ns;
    struct gpu_buffer *in =
        program
            ? gpu_buffer_create(run->scope, &(struct gpu_buffer_desc){.bytes = work->bytes}, err)
            : NULL;
    struct gpu_buffer *out =
        in ? gpu_buffer_create(run->scope, &(struct gpu_buffer_desc){.bytes = 4}, err) : NULL;
    if (!out || !gpu_buffer_write(in, 0, work->data, work->bytes, err))
        return false;
    struct gpu_batch *batch =
        gpu_batch_create(run->scope, &(struct gpu_batch_desc){.span_count = 1}, err);
    if (!batch)
        return false;
    gpu_batch_span_begin(batch, 0);
    for (int i = 0; i < REPEATS; i++)
        gpu_batch_dispatch(batch, &(struct gpu_dispatch){.program = program,
                                                         .args = {{.buffer = in}, {.buffer = out}},
                                                         .params = &work->param,
                                                         .params_bytes = sizeof work->param});
    gpu_batch_span_end(batch, 0);
    if (!gpu_batch_end(batch, err))
        return false;
    for (unsigned i = 0; i < run->request->samples; i++)
        if (!gpu_batch_run(batch, run->request->timeout_ns, err) ||
            !gpu_batch_span_ns(batch, 0, &ns[i], err))
            return false;
    uint32_t got = 0;
    if (!gpu_buffer_read(out, 0, &got, sizeof got, err))
        return false;
    if (got != work->expected)
        return error_set(err, ERROR_MISMATCH, "the kernel gave %" PRIu32 " instead of %" PRIu32,
                         got, work->expected);
    return remember(run);
}

static bool is_too_large(const struct bench_visit *run, uint64_t bytes, struct error *err)
{
    if (bytes <= run->session->info->limits.memory_bytes)
        return false;
    error_set(err, ERROR_UNSUPPORTED, "%" PRIu64 " bytes are more than the device has", bytes);
    return true;
}

// ---------------------------------------------------------------- sum

static bool sum_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    uint64_t bytes = case_uint(run->bench_case, "bytes");
    if (is_too_large(run, bytes, err))
        return false;
    struct work work = {.kernel = "fake_sum", .bytes = bytes, .param = (uint32_t)(bytes / 4)};
    uint32_t *data = ARENA_ARRAY(run->arena, work.param, uint32_t);
    for (uint32_t i = 0; i < work.param; i++)
        work.expected += data[i] = i * 2654435761u;
    work.data = data;
    double *ns = ARENA_ARRAY(run->arena, run->request->samples, double);
    if (!measure(run, &work, ns, err))
        return false;
    for (unsigned i = 0; i < run->request->samples; i++) {
        visit->device_time_ns += (uint64_t)ns[i];
        ns[i] = (double)bytes * REPEATS / (ns[i] / 1e9);
    }
    visit_samples(visit, 0, ns, run->request->samples, 0);
    visit_limit(visit, 0, 1.1e12);
    visit_detail(visit, "shape", "%d dispatches", REPEATS);
    if (((const struct memory *)*run->memory)->visits <= fake_flags())
        visit_retake(visit, "shared-device", "other work");
    return true;
}

static const struct param_info sum_params[] = {
    {.key = "bytes",
     .type = PARAM_BYTES,
     .unit = UNIT_BYTE,
     .quick = "4KiB,1MiB",
     .standard = "4KiB..1MiB/1",
     .full = "4KiB..max/1",
     .role = PARAM_AXIS,
     .help = "Bytes that are read."},
};
static const struct metric_info sum_metrics[] = {
    {.name = "bandwidth",
     .unit = UNIT_BYTE_PER_S,
     .better = BETTER_HIGHER,
     .help = "Bytes read in a second."},
};
static const struct view_info sum_views[] = {
    {.kind = VIEW_CURVE,
     .title = "Read bandwidth",
     .x = "bytes",
     .metric = "bandwidth",
     .scale = "log2"},
};

static const struct benchmark bench_sum = {
    .info = {.name = "sum",
             .version = 1,
             .title = "Reading on the fake GPU",
             .params = sum_params,
             .param_count = 1,
             .metrics = sum_metrics,
             .metric_count = 1,
             .views = sum_views,
             .view_count = 1},
    .description = "Sums the words of a buffer.",
    .plan = plan,
    .visit = sum_visit,
};

// ---------------------------------------------------------------- chase

static bool chase_open(struct bench_session *session, struct error *err)
{
    // All cases share this buffer: what a session owns must outlive a visit.
    return gpu_buffer_create(session->scope, &(struct gpu_buffer_desc){.bytes = 64}, err) != NULL;
}

static bool chase_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    uint64_t bytes = case_uint(run->bench_case, "bytes");
    uint32_t stride = case_choice(run->bench_case, "order") == 0 ? 1 : 7;
    if (is_too_large(run, bytes, err))
        return false;
    uint32_t count = (uint32_t)(bytes / 4);
    struct work work = {.kernel = "fake_chase",
                        .bytes = bytes,
                        .param = (uint32_t)case_uint(run->bench_case, "hops")};
    uint32_t *next = ARENA_ARRAY(run->arena, count, uint32_t);
    for (uint32_t i = 0; i < count; i++)
        next[i] = (i + stride) % count;
    work.data = next;
    work.expected = (uint32_t)((uint64_t)work.param * stride % count);
    double *ns = ARENA_ARRAY(run->arena, run->request->samples, double);
    if (!measure(run, &work, ns, err))
        return false;
    for (unsigned i = 0; i < run->request->samples; i++) {
        visit->device_time_ns += (uint64_t)ns[i];
        ns[i] /= (double)REPEATS * work.param;
    }
    visit_samples(visit, 0, ns, run->request->samples, 0);
    visit_sensor(visit, "core_clock", UNIT_HZ, 1e9);
    return true;
}

static const struct param_info chase_params[] = {
    {.key = "order",
     .type = PARAM_TEXT,
     .standard = "forward,random",
     .quick = "random",
     .role = PARAM_AXIS,
     .choices = "forward|random",
     .help = "Where the next hop leads."},
    {.key = "bytes",
     .type = PARAM_BYTES,
     .unit = UNIT_BYTE,
     .quick = "4KiB,64KiB",
     .standard = "1KiB..1MiB/1",
     .role = PARAM_AXIS,
     .help = "Bytes that the hops visit."},
    {.key = "hops",
     .type = PARAM_UINT,
     .standard = "1000",
     .least = 1,
     .role = PARAM_METHOD,
     .help = "Hops of a sample."},
};
static const struct metric_info chase_metrics[] = {
    {.name = "latency",
     .unit = UNIT_NS,
     .better = BETTER_LOWER,
     .help = "Time of one dependent load."},
    {.name = "latency_cycles",
     .unit = UNIT_CYCLE,
     .better = BETTER_LOWER,
     .help = "The same in cycles; the fake GPU counts none."},
};
static const struct view_info chase_views[] = {
    {.kind = VIEW_CURVE,
     .title = "Load latency",
     .x = "bytes",
     .metric = "latency",
     .group = "order",
     .scale = "log2"},
};

static const struct benchmark bench_chase = {
    .info = {.name = "chase",
             .version = 3,
             .title = "Dependent loads on the fake GPU",
             .params = chase_params,
             .param_count = 3,
             .metrics = chase_metrics,
             .metric_count = 2,
             .views = chase_views,
             .view_count = 1},
    .description = "Follows a chain of indices through a buffer.",
    .needs = GPU_CAP(INT64),
    .plan = plan,
    .open = chase_open,
    .visit = chase_visit,
};

const struct benchmark *const benchmarks[] = {&bench_sum, &bench_chase, NULL};
