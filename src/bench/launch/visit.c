// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "bench/launch/row.h"
#include "measure/span.h"

#include <math.h>

enum {
    METRIC_TIME,
    METRIC_BANDWIDTH,
    METRIC_BACK,
    METRIC_HOST
};

enum {
    KERNELS_MAX = 4096, // in a batch
    SPLITS_MAX = 64,    // split barriers in a batch
    WARM_RUNS = 2
};

// What a case keeps from its first visit: kernels in a batch.
struct memory {
    uint64_t kernels;
};

static bool is_host_timed(const struct launch_case *this_case)
{
    return this_case->mode >= LAUNCH_SUBMIT;
}

static bool is_unordered(const struct launch_case *this_case)
{
    return this_case->between != LAUNCH_ORDER;
}

// What stands between kernels k − 1 and k.
static void record_between(struct launch_row *row, uint64_t k, struct gpu_batch *batch)
{
    switch (row->this_case->between) {
    case LAUNCH_ORDER:
    case LAUNCH_NOTHING:
        break;
    case LAUNCH_EXECUTION:
        gpu_batch_barrier(batch, GPU_BARRIER_EXECUTION);
        break;
    case LAUNCH_MEMORY:
        gpu_batch_barrier(batch, GPU_BARRIER_MEMORY);
        break;
    case LAUNCH_BUFFER:
        gpu_batch_barrier_buffer(batch, row->session->words);
        break;
    case LAUNCH_FULL:
        gpu_batch_barrier(batch, GPU_BARRIER_FULL);
        break;
    case LAUNCH_SPLIT:
        gpu_batch_split_set(batch, (unsigned)k - 1);
        gpu_batch_split_wait(batch, (unsigned)k - 1);
        break;
    }
}

static uint64_t kernels_max(const struct launch_row *row)
{
    return row->this_case->between == LAUNCH_SPLIT ? SPLITS_MAX : KERNELS_MAX;
}

static void record_row(struct launch_row *row, struct gpu_batch *batch)
{
    gpu_batch_span_begin(batch, 0);
    for (uint64_t k = 0; k < row->kernels; k++) {
        if (k)
            record_between(row, k, batch);
        launch_record(row->session, row->this_case, k, batch);
    }
    gpu_batch_span_end(batch, 0);
}

static bool make_row(struct launch_row *row, uint64_t length, struct error *err)
{
    if (row->this_case->mode == LAUNCH_QUEUES)
        return launch_queues_make(row, length, err);
    bool splits = row->this_case->between == LAUNCH_SPLIT;
    const struct gpu_batch_desc desc = {.span_count = 1,
                                        .split_count = splits ? (unsigned)length : 0,
                                        .unordered = is_unordered(row->this_case),
                                        .replay = row->this_case->mode == LAUNCH_REPLAY};
    row->kernels = length;
    row->batch_count = 1;
    row->batches[0] = gpu_batch_create(row->scope, &desc, err);
    if (!row->batches[0])
        return false;
    record_row(row, row->batches[0]);
    return gpu_batch_end(row->batches[0], err);
}

static bool make_singles(struct launch_row *row, size_t count, struct error *err)
{
    row->kernels = row->batch_count = count;
    for (size_t i = 0; i < count; i++) {
        row->batches[i] = gpu_batch_create(row->scope, &(struct gpu_batch_desc){0}, err);
        if (!row->batches[i])
            return false;
        launch_record(row->session, row->this_case, i, row->batches[i]);
        if (!gpu_batch_end(row->batches[i], err))
            return false;
    }
    return true;
}

// ---------------------------------------------------------------- one sample: time of a kernel

// Kernels 0 … count − 1 of a row ran.
static void note_done(struct launch_row *row, uint64_t count)
{
    float first = count / 2 % 2 ? -row->signs[0] : row->signs[0];
    row->signs[0] = first;
    row->signs[1] = count % 2 ? -first : first;
    row->done += count;
}

static bool time_row(struct launch_row *row, double *ns, struct error *err)
{
    uint64_t start_ns = clock_now_ns();
    if (!gpu_batch_submit(row->batches[0], NULL, err))
        return false;
    row->submit_ns = (double)(clock_now_ns() - start_ns) / (double)row->kernels;
    if (!gpu_batch_wait(row->batches[0], row->run->request->timeout_ns, err) ||
        !gpu_batch_span_ns(row->batches[0], 0, ns, err))
        return false;
    *ns /= (double)row->kernels;
    note_done(row, row->kernels);
    return true;
}

static bool time_submissions(struct launch_row *row, double *ns, struct error *err)
{
    uint64_t timeout_ns = row->run->request->timeout_ns, start_ns = clock_now_ns();
    for (size_t i = 0; i < row->batch_count; i++)
        if (!gpu_batch_submit(row->batches[i], NULL, err))
            return false;
    for (size_t i = row->batch_count; i-- > 0;)
        if (!gpu_batch_wait(row->batches[i], timeout_ns, err))
            return false;
    *ns = (double)(clock_now_ns() - start_ns) / (double)row->batch_count;
    note_done(row, row->batch_count);
    return true;
}

static bool time_round_trips(struct launch_row *row, double *ns, struct error *err)
{
    uint64_t start_ns = clock_now_ns();
    for (int i = 0; i < LAUNCH_ROUND_TRIPS; i++)
        if (!gpu_batch_run(row->batches[0], row->run->request->timeout_ns, err))
            return false;
    *ns = (double)(clock_now_ns() - start_ns) / LAUNCH_ROUND_TRIPS;
    for (int i = 0; i < LAUNCH_ROUND_TRIPS; i++)
        note_done(row, 1);
    return true;
}

static bool time_once(struct launch_row *row, double *ns, struct error *err)
{
    switch (row->this_case->mode) {
    case LAUNCH_BATCH:
    case LAUNCH_REPLAY:
        return time_row(row, ns, err);
    case LAUNCH_SUBMIT:
        return time_submissions(row, ns, err);
    case LAUNCH_ROUND_TRIP:
        return time_round_trips(row, ns, err);
    case LAUNCH_QUEUES:
        return launch_queues_time(row, ns, err);
    case LAUNCH_SIGNAL:
        return launch_signal_time(row, ns, err);
    case LAUNCH_ONE_WAY:
        break; // by launch_reach_take
    }
    return error_set(err, ERROR_INTERNAL, "no such way to launch");
}

// ---------------------------------------------------------------- sizing and samples

// What the last of some runs took.
static bool time_warm(struct launch_row *row, double *ns, struct error *err)
{
    for (int i = 0; i < WARM_RUNS; i++)
        if (!time_once(row, ns, err))
            return false;
    return true;
}

// As many as a sample wants, since long kernels keep the device busy with few.
static bool size_singles(struct launch_row *row, uint64_t known, struct error *err)
{
    double wanted_ns = (double)row->run->request->sample_ns, ns = 0;
    if (!make_singles(row, known ? known : LAUNCH_IN_FLIGHT_LEAST, err))
        return false;
    if (known)
        return true;
    if (!time_warm(row, &ns, err))
        return false;
    double needed = ceil(wanted_ns / fmax(ns, 1));
    if (needed <= LAUNCH_IN_FLIGHT_LEAST)
        return true;
    return make_singles(row, (size_t)fmin(needed, LAUNCH_IN_FLIGHT), err);
}

// So many kernels that a sample lasts as long as was asked for.
static bool size_row(struct launch_row *row, uint64_t known, struct error *err)
{
    double wanted_ns = (double)row->run->request->sample_ns, ns = 0;
    if (row->this_case->mode == LAUNCH_SUBMIT)
        return size_singles(row, known, err);
    if (row->this_case->mode == LAUNCH_ROUND_TRIP)
        return make_singles(row, 1, err);
    if (row->this_case->mode == LAUNCH_SIGNAL)
        return launch_signal_make(row, err);
    uint64_t length = known ? known : 2;
    for (;;) {
        if (!make_row(row, length, err))
            return false;
        if (known)
            return true;
        if (!time_warm(row, &ns, err))
            return false;
        double needed = wanted_ns / fmax(ns, 1);
        if ((double)length >= needed || length >= kernels_max(row))
            return true;
        uint64_t most = kernels_max(row);
        uint64_t next = needed < (double)most ? (uint64_t)needed / 2 * 2 + 2 : most;
        length = next > 16 * length ? 16 * length : next;
        length = length > most ? most : length;
    }
}

struct samples {
    double *ns, *submit_ns;
    unsigned count;
};

static bool take_samples(struct launch_row *row, const struct samples *samples, struct error *err)
{
    double ns;
    if (!time_warm(row, &ns, err))
        return false;
    for (unsigned i = 0; i < samples->count; i++) {
        if (!time_once(row, &samples->ns[i], err))
            return false;
        samples->submit_ns[i] = row->submit_ns;
    }
    return true;
}

static bool prepare(struct launch_row *row, struct error *err)
{
    row->signs[0] = 1;
    return row->this_case->scales ? launch_prepare(row->session, row->this_case->elements, err)
                                  : launch_count_clear(row->session, err);
}

static bool verify(struct launch_row *row, struct error *err)
{
    if (row->this_case->scales)
        return launch_check(row->session, 0, row->this_case->elements, row->signs[0], err) &&
               launch_check(row->session, 1, row->this_case->elements, row->signs[1], err);
    uint32_t count = 0;
    if (!launch_count(row->session, &count, err))
        return false;
    return count == (uint32_t)row->done ||
           error_set(err, ERROR_MISMATCH, "%u kernels counted themselves, not %llu", count,
                     (unsigned long long)row->done);
}

// ---------------------------------------------------------------- the numbers

static double step_of(const struct launch_row *row)
{
    double stamp_ns = (double)row->run->session->info->limits.stamp_step_ps / 1000;
    return is_host_timed(row->this_case) ? 1 : stamp_ns / (double)row->kernels;
}

static void report(struct launch_row *row, const struct samples *taken, struct measure_visit *visit)
{
    const struct launch_case *this_case = row->this_case;
    const double *samples = taken->ns;
    unsigned count = taken->count;
    double step = step_of(row);
    visit_samples(visit, METRIC_TIME, samples, count, step);
    if (!is_host_timed(this_case))
        visit_samples(visit, METRIC_HOST, taken->submit_ns, count, 1 / (double)row->kernels);
    visit_detail(visit, "clock", "%s", is_host_timed(this_case) ? "host" : "device");
    visit_detail(visit, "kernels", "%llu a sample",
                 (unsigned long long)(this_case->mode == LAUNCH_ROUND_TRIP ? LAUNCH_ROUND_TRIPS
                                                                           : row->kernels));
    visit_kernel(visit, this_case->scales ? row->session->scale : row->session->empty);
    if (!this_case->scales)
        return;
    const struct measure_span span = {.unit_ns = taken->ns, .count = count, .step_ns = step};
    measure_span_rate(&span, 2.0 * LAUNCH_ELEMENT_BYTES * (double)this_case->elements,
                      METRIC_BANDWIDTH, visit);
}

// Of a lone kernel: there, and back.
static bool reach(struct launch_row *row, unsigned count, struct measure_visit *visit,
                  struct error *err)
{
    struct launch_reach reach;
    if (!launch_reach_take(row, count, &reach, err) || !verify(row, err))
        return false;
    visit_samples(visit, METRIC_TIME, reach.to, count, reach.half_ns);
    visit_samples(visit, METRIC_BACK, reach.back, count, reach.half_ns);
    visit_detail(visit, "clock", "device, related to the host's");
    if (reach.answers)
        visit_detail(visit, "relation",
                     "known to ±%.0f ns, from %u answers of a kernel to the host", reach.half_ns,
                     reach.answers);
    else
        visit_detail(visit, "relation", "known to ±%.0f ns, as the API says", reach.half_ns);
    visit_detail(visit, "kernels", "%d a sample", LAUNCH_ROUND_TRIPS);
    visit_kernel(visit, row->session->stamp);
    return true;
}

static bool refuse_missing(const struct bench_visit *run, const struct launch_case *this_case,
                           struct error *err)
{
    const struct gpu_info *info = run->session->info;
    if (is_unordered(this_case) && !gpu_require(info, GPU_CAP(UNORDERED), err))
        return false;
    if (this_case->between == LAUNCH_SPLIT && !gpu_require(info, GPU_CAP(SPLITS), err))
        return false;
    if (this_case->mode == LAUNCH_REPLAY && !gpu_require(info, GPU_CAP(REPLAY), err))
        return false;
    if (this_case->scales && this_case->elements > launch_elements_max(info))
        return error_set(err, ERROR_UNSUPPORTED, "this device holds at most %llu elements twice",
                         (unsigned long long)launch_elements_max(info));
    return true;
}

// Everything but the device that it runs on.
static bool visit_row(struct launch_row *row, struct measure_visit *visit, struct error *err)
{
    struct bench_visit *run = row->run;
    struct memory *memory = *run->memory;
    unsigned count = run->request->samples ? run->request->samples : 1;
    const struct samples samples = {ARENA_ARRAY(run->arena, count, double),
                                    ARENA_ARRAY(run->arena, count, double), count};
    if (!prepare(row, err) || !launch_warm_up(run->session->state, err))
        return false;
    if (row->this_case->mode == LAUNCH_ONE_WAY)
        return reach(row, count, visit, err);
    if (!size_row(row, memory->kernels, err) || !take_samples(row, &samples, err) ||
        !verify(row, err))
        return false;
    memory->kernels = row->kernels;
    report(row, &samples, visit);
    return true;
}

static bool visit_wide(const struct launch_row *plain, struct measure_visit *visit,
                       struct error *err)
{
    struct launch_row row = *plain;
    if (!launch_wide_need(plain->session, err))
        return false;
    struct launch_wide *wide = plain->session->wide;
    struct gpu_scope *scope = gpu_scope_open(wide->bench.device);
    row.session = &wide->session;
    row.scope = scope;
    bool done = visit_row(&row, visit, err);
    gpu_scope_close(scope);
    return done;
}

bool launch_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct launch_case this_case;
    launch_case_read(run->bench_case, &this_case);
    if (!refuse_missing(run, &this_case, err))
        return false;
    if (!*run->memory)
        *run->memory = ARENA_NEW(run->session->arena, struct memory);
    struct launch_row row = {
        .run = run, .session = run->session->state, .scope = run->scope, .this_case = &this_case};
    return this_case.mode >= LAUNCH_QUEUES ? visit_wide(&row, visit, err)
                                           : visit_row(&row, visit, err);
}
