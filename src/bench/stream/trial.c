// SPDX-License-Identifier: MIT
#include "bench/stream/session.h"

#include "measure/unit.h"

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

bool stream_trial_prepare(struct stream_trial *trial, uint64_t passes, struct error *err)
{
    const char *name = stream_kernel_name(trial->run->arena, trial->this_case, &trial->shape);
    trial->program = measure_program(&trial->run->session->programs, name, NULL, err);
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

// The shortest of some runs of one dispatch.
static bool time_unit(struct stream_trial *trial, unsigned runs, double *ns, struct error *err)
{
    const struct measure_unit unit = {.scope = trial->run->scope,
                                      .record = record,
                                      .context = trial,
                                      .timeout_ns = trial->run->request->timeout_ns};
    return measure_unit_time(&unit, runs, ns, err);
}

bool stream_trial_size(struct stream_trial *trial, struct error *err)
{
    double ns, wanted_ns = (double)trial->run->request->sample_ns;
    if (!stream_trial_prepare(trial, 1, err) || !time_unit(trial, SIZE_RUNS, &ns, err))
        return false;
    double passes = ceil(fmin(wanted_ns, dispatch_ns_max) / fmax(ns, 1));
    return stream_trial_prepare(trial, (uint64_t)fmin(passes, STREAM_PASSES_MAX), err);
}

bool stream_trial_speed(struct stream_trial *trial, double *bytes_per_s, struct error *err)
{
    double ns;
    if (!time_unit(trial, SPEED_RUNS, &ns, err))
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
