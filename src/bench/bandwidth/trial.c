// SPDX-License-Identifier: MIT
#include "bench/bandwidth/session.h"
#include "measure/unit.h"

enum {
    DISPATCH_MS_MAX = 250, // watchdogs end what is longer, from 2 s on
    SAFE_BYTES = 32 << 20, // no device needs so long for these
    PASSES_MAX = 1 << 24,
    GROWTH_LEAST = 2, // from one try to the next
    GROWTH_MAX = 64,
    SIZE_RUNS = 2,
    SPEED_RUNS = 3
};

bool bandwidth_open(struct bench_session *session, struct error *err)
{
    struct bandwidth_session *own = ARENA_NEW(session->arena, struct bandwidth_session);
    measure_limits_of(session->info, &own->limits);
    session->state = own;
    return measure_clock_probe(session->scope, &own->clock, err) &&
           bandwidth_store_open(&own->store, session, err);
}

void bandwidth_close(struct bench_session *session)
{
    struct bandwidth_session *own = session->state;
    if (own)
        bandwidth_store_close(&own->store);
}

static bool find_buffers(struct bandwidth_trial *trial, struct error *err)
{
    const struct bandwidth_case *this_case = trial->this_case;
    struct bandwidth_store *store = &trial->session->store;
    uint64_t bytes = bandwidth_stream_bytes(this_case);
    trial->source = trial->target = NULL;
    if (this_case->shared)
        return true;
    if (this_case->op != BANDWIDTH_WRITE) {
        trial->source = bandwidth_store_get(store, BANDWIDTH_SOURCE, bytes, err);
        if (!trial->source)
            return false;
    }
    if (this_case->op != BANDWIDTH_READ) {
        trial->target = bandwidth_store_get(store, BANDWIDTH_TARGET, bytes, err);
        if (!trial->target)
            return false;
    }
    return true;
}

static bool make_work(struct bandwidth_trial *trial, const struct bandwidth_case *this_case,
                      uint64_t passes, struct error *err)
{
    const struct bandwidth_work_desc desc = {
        .this_case = this_case,
        .shape = &trial->shape,
        .info = trial->run->session->info,
        .cores = trial->session->limits.cores,
        .passes = passes,
    };
    if (!bandwidth_work_make(&desc, &trial->work, err))
        return false;
    // Each visit writes other data: what an earlier one left would not pass for its own.
    trial->work.params.seed = this_case->op == BANDWIDTH_READ
                                  ? BANDWIDTH_SEED_SOURCE
                                  : BANDWIDTH_MULTIPLIER_1 * (trial->run->request->round + 1);
    return true;
}

bool bandwidth_trial_prepare(struct bandwidth_trial *trial, uint64_t passes, struct error *err)
{
    const char *name = bandwidth_kernel_name(trial->run->arena, trial->this_case, &trial->shape);
    const struct gpu_program_desc choices = {.l1_percent = bandwidth_l1_percent(trial->this_case)};
    trial->program = measure_program(&trial->run->session->programs, name, &choices, err);
    return trial->program && make_work(trial, trial->this_case, passes, err) &&
           find_buffers(trial, err);
}

// measure_record: `repeats` dispatches of the same work.
static void record(void *context, struct gpu_batch *batch, uint64_t repeats)
{
    const struct bandwidth_trial *trial = context;
    const struct bandwidth_case *this_case = trial->this_case;
    struct gpu_dispatch dispatch = {
        .program = trial->program,
        .groups = {trial->work.grid[0], trial->work.grid[1], trial->work.grid[2]},
        .params = &trial->work.params,
        .params_bytes = sizeof trial->work.params,
    };
    // An address is that of the whole buffer; a storage buffer is bound as far as it is used, which
    // a device's limit on ranges may demand.
    uint64_t range = trial->shape.address ? 0 : trial->work.stream_bytes;
    unsigned args = 0;
    if (trial->source)
        dispatch.args[args++] = (struct gpu_arg){.buffer = trial->source, .bytes = range};
    if (trial->target)
        dispatch.args[args++] = (struct gpu_arg){.buffer = trial->target, .bytes = range};
    if (this_case->op == BANDWIDTH_READ)
        dispatch.args[args++] = (struct gpu_arg){.buffer = trial->session->store.words};
    for (uint64_t i = 0; i < repeats; i++)
        gpu_batch_dispatch(batch, &dispatch);
}

// The shortest of some runs of one unit.
static bool time_unit(struct bandwidth_trial *trial, unsigned runs, double *ns, struct error *err)
{
    const struct measure_unit unit = {.scope = trial->run->scope,
                                      .record = record,
                                      .context = trial,
                                      .timeout_ns = trial->run->request->timeout_ns};
    return measure_unit_time(&unit, runs, ns, err);
}

// Tries a large unit on a part of its memory first.
static bool refuse_slow(struct bandwidth_trial *trial, struct error *err)
{
    double whole = (double)trial->work.moved_bytes, ns = 0;
    if (whole <= SAFE_BYTES)
        return true;
    struct bandwidth_case part = *trial->this_case;
    part.bytes = SAFE_BYTES;
    if (!part.apart && trial->work.groups > 1)
        part.bytes = BANDWIDTH_GRAIN_APART;
    if (part.bytes >= trial->this_case->bytes)
        return true;
    if (!make_work(trial, &part, 1, err) || !time_unit(trial, 1, &ns, err))
        return false;
    double predicted_ms = ns * 1e-6 * whole / (double)trial->work.moved_bytes;
    if (predicted_ms > DISPATCH_MS_MAX)
        return error_set(err, ERROR_UNSUPPORTED,
                         "going once through the working set would hold this device for about "
                         "%.0f ms, more than the %d ms that are safe: take fewer bytes",
                         predicted_ms, DISPATCH_MS_MAX);
    return make_work(trial, trial->this_case, 1, err);
}

bool bandwidth_trial_size(struct bandwidth_trial *trial, struct error *err)
{
    double target = (double)trial->run->request->sample_ns, ns = 0;
    // A first run is cold: what looks long enough once may be short, and many short units would
    // measure the barriers between them.
    if (!refuse_slow(trial, err) || !time_unit(trial, SIZE_RUNS, &ns, err))
        return false;
    while (ns < target / 2) {
        uint64_t passes = (uint64_t)measure_unit_grow((double)trial->work.passes, target, ns,
                                                      GROWTH_LEAST, GROWTH_MAX);
        if (passes > PASSES_MAX)
            break;
        if (!make_work(trial, trial->this_case, passes, err))
            return false;
        if (trial->work.passes < passes)
            break;
        if (!time_unit(trial, SIZE_RUNS, &ns, err))
            return false;
    }
    return true;
}

bool bandwidth_trial_speed(struct bandwidth_trial *trial, double *bytes_per_s, struct error *err)
{
    double ns;
    if (!time_unit(trial, SPEED_RUNS, &ns, err))
        return false;
    *bytes_per_s = (double)trial->work.moved_bytes / ns * 1e9;
    return true;
}

bool bandwidth_trial_run(struct bandwidth_trial *trial, unsigned samples, uint64_t repeats,
                         struct measure_span *span, struct error *err)
{
    struct measure_request request = *trial->run->request;
    request.samples = samples;
    const struct measure_span_desc desc = {
        .scope = trial->run->scope,
        .record = record,
        .context = trial,
        .clock = &trial->session->clock,
        .request = &request,
        // Loops side by side would be more workgroups a core than the case wants; writes side by
        // side may take turns, which costs DRAM 2 % (METHOD.md).
        .unordered = trial->this_case->scope == BANDWIDTH_DEVICE && trial->this_case->apart &&
                     trial->this_case->op != BANDWIDTH_WRITE &&
                     (trial->run->session->info->caps & GPU_CAP(UNORDERED)) != 0,
        .repeats = repeats,
    };
    return measure_span_run(trial->run->arena, &desc, span, err);
}
