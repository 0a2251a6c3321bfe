// SPDX-License-Identifier: MIT
#include "bench/stream/session.h"

#include <math.h>

enum {
    SIZE_RUNS = 2,
    SPEED_RUNS = 3
};
static const double dispatch_ns_max = 250e6; // watchdogs end what is longer, from 2 s on

bool stream_open(struct bench_session *bench, struct error *err)
{
    struct stream_session *session = ARENA_NEW(bench->arena, struct stream_session);
    bench->state = session;
    measure_limits_of(bench->info, &session->limits);
    return measure_clock_probe(bench->scope, &session->clock, err) &&
           stream_store_open(&session->store, bench, err);
}

void stream_close(struct bench_session *bench)
{
    struct stream_session *session = bench->state;
    if (session)
        stream_store_close(&session->store);
}

static struct gpu_program *find_program(struct stream_trial *trial, struct error *err)
{
    struct bench_session *bench = trial->run->session;
    struct stream_session *session = trial->session;
    const char *name = stream_kernel_name(trial->run->arena, trial->this_case, &trial->shape);
    const struct gpu_program_desc desc = {.kernel = kernel_find(name)};
    if (!desc.kernel) {
        error_set(err, ERROR_UNSUPPORTED, "this build has no kernel %s", name);
        return NULL;
    }
    for (size_t i = 0; i < session->program_count; i++)
        if (gpu_program_kernel(session->programs[i]) == desc.kernel)
            return session->programs[i];
    struct gpu_program *program = gpu_program_create(bench->scope, &desc, err);
    if (!program)
        return NULL;
    session->programs = arena_grow(bench->arena, session->programs, session->program_count,
                                   &session->program_capacity, sizeof(struct gpu_program *));
    session->programs[session->program_count++] = program;
    return program;
}

bool stream_trial_prepare(struct stream_trial *trial, uint64_t passes, struct error *err)
{
    trial->program = find_program(trial, err);
    if (!trial->program)
        return false;
    stream_work_make(trial->this_case, &trial->shape, trial->run->session->info,
                     trial->session->limits.cores, passes, &trial->work);
    // Each visit writes another value: what an earlier one left would not pass for its own.
    trial->work.params.value = 0.625f + 0.0625f * (float)(trial->run->request->round % 64);
    if (!trial->shape.placed || trial->places)
        return true;
    const struct gpu_buffer_desc places = {.bytes = sizeof(struct stream_place) *
                                                    trial->work.params.groups};
    trial->places = gpu_buffer_create(trial->run->scope, &places, err);
    return trial->places != NULL;
}

// measure_record: `repeats` dispatches of the same work.
static void record(void *context, struct gpu_batch *batch, uint64_t repeats)
{
    const struct stream_trial *trial = context;
    const struct stream_store *store = &trial->session->store;
    const struct stream_op *op = trial->this_case->op;
    const bool used[STREAM_ARRAY_COUNT] = {op->source, op->other, op->target};
    struct gpu_dispatch dispatch = {
        .program = trial->program,
        .groups = {trial->work.grid[0], trial->work.grid[1], trial->work.grid[2]},
        .params = &trial->work.params,
        .params_bytes = sizeof trial->work.params,
    };
    // What a kernel does not use must still be something.
    for (int i = 0; i < STREAM_ARRAY_COUNT; i++)
        dispatch.args[i].buffer = used[i] ? store->arrays[i].buffer : store->words;
    dispatch.args[STREAM_ARRAY_COUNT].buffer = store->words;
    dispatch.args[STREAM_ARRAY_COUNT + 1].buffer = trial->places ? trial->places : store->words;
    for (uint64_t i = 0; i < repeats; i++)
        gpu_batch_dispatch(batch, &dispatch);
}

static bool time_best(struct stream_trial *trial, int runs, double *ns, struct error *err)
{
    struct gpu_batch *batch =
        gpu_batch_create(trial->run->scope, &(struct gpu_batch_desc){.span_count = 1}, err);
    if (!batch)
        return false;
    gpu_batch_span_begin(batch, 0);
    record(trial, batch, 1);
    gpu_batch_span_end(batch, 0);
    if (!gpu_batch_end(batch, err))
        return false;
    *ns = INFINITY;
    for (int i = 0; i < runs; i++) {
        double once;
        if (!gpu_batch_run(batch, trial->run->request->timeout_ns, err) ||
            !gpu_batch_span_ns(batch, 0, &once, err))
            return false;
        *ns = fmin(*ns, once);
    }
    return true;
}

bool stream_trial_size(struct stream_trial *trial, struct error *err)
{
    double ns, wanted_ns = (double)trial->run->request->sample_ns;
    if (!stream_trial_prepare(trial, 1, err) || !time_best(trial, SIZE_RUNS, &ns, err))
        return false;
    double passes = ceil(fmin(wanted_ns, dispatch_ns_max) / fmax(ns, 1));
    return stream_trial_prepare(trial, (uint64_t)fmin(passes, STREAM_PASSES_MAX), err);
}

bool stream_trial_speed(struct stream_trial *trial, double *bytes_per_s, struct error *err)
{
    double ns;
    if (!time_best(trial, SPEED_RUNS, &ns, err))
        return false;
    *bytes_per_s = (double)trial->work.moved_bytes * 1e9 / fmax(ns, 1);
    return true;
}

bool stream_trial_run(struct stream_trial *trial, uint64_t repeats, struct measure_span *span,
                      struct error *err)
{
    const struct measure_span_desc desc = {
        .scope = trial->run->scope,
        .record = record,
        .context = trial,
        .clock = &trial->session->clock,
        .request = trial->run->request,
        .repeats = repeats,
        .warm = trial->session->warm, // cases follow each other without a pause
    };
    trial->session->warm = measure_span_run(trial->run->arena, &desc, span, err);
    return trial->session->warm;
}
