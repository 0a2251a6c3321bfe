// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "bench/launch/session.h"
#include "measure/span.h"

#include <math.h>

enum {
    METRIC_TIME,
    METRIC_BANDWIDTH,
    METRIC_BACK,
    METRIC_HOST
};

enum {
    KERNELS_MAX = 4096, // maximum number of kernels in a batch
    SPLITS_MAX = 64,    // maximum number of split barriers in a batch
    WARM_RUNS = 2,
    IN_FLIGHT_LEAST = 8
};

static bool is_host_timed(const struct launch_case *this_case)
{
    return this_case->mode >= LAUNCH_SUBMIT;
}

static bool is_unordered(const struct launch_case *this_case)
{
    return this_case->between != LAUNCH_ORDER;
}

// Records what the case has between kernels `k` − 1 and `k` of a batch, for example a barrier.
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

// Makes `count` batches of `length` kernels each, which go to the case's queues in turn.
static bool make_batches(struct launch_row *row, size_t count, uint64_t length, struct error *err)
{
    const struct launch_case *this_case = row->this_case;
    bool stamped = !is_host_timed(this_case);
    unsigned queues = this_case->queues ? this_case->queues : 1;
    row->kernels = count * length;
    row->batch_count = count;
    for (size_t i = 0; i < count; i++) {
        const struct gpu_batch_desc desc = {
            .queue = gpu_device_queue(row->session->bench->device, (unsigned)i % queues),
            .span_count = stamped ? 1 : 0,
            .split_count = this_case->between == LAUNCH_SPLIT ? (unsigned)length : 0,
            .unordered = is_unordered(this_case),
            .replay = this_case->mode == LAUNCH_REPLAY};
        struct gpu_batch *batch = gpu_batch_create(row->scope, &desc, err);
        row->batches[i] = batch;
        if (!batch)
            return false;
        if (stamped)
            gpu_batch_span_begin(batch, 0);
        for (uint64_t k = 0; k < length; k++) {
            if (k)
                record_between(row, k, batch);
            launch_record(row->session, this_case, i * length + k, batch);
        }
        if (stamped)
            gpu_batch_span_end(batch, 0);
        if (!gpu_batch_end(batch, err))
            return false;
    }
    return true;
}

// ---------------------------------------------------------------- one sample: the time of a kernel

// Updates `row` after the kernels 0 to `count` − 1 ran once more.
static void note_done(struct launch_row *row, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++)
        row->factors[1 - k % 2] = row->factors[k % 2] * launch_factor(k);
    row->done += count;
}

// Submits the batches of mode=signal. The first batch waits for `hold`, and each other batch waits
// for the one before it.
static bool submit_chain(struct launch_row *row, struct gpu_hold *hold, struct error *err)
{
    for (size_t i = 0; i < row->batch_count; i++) {
        const struct gpu_submit submit = {.hold = i == 0 ? hold : NULL,
                                          .after = {i == 0 ? NULL : row->batches[i - 1]},
                                          .after_count = i > 0};
        if (!gpu_batch_submit_after(row->batches[i], &submit, err))
            return false;
    }
    return true;
}

static bool submit_all(struct launch_row *row, struct error *err)
{
    for (size_t i = 0; i < row->batch_count; i++)
        if (!gpu_batch_submit(row->batches[i], NULL, err))
            return false;
    return true;
}

// Waits for all batches and sets *ns to the time per kernel. Except with mode=queues, the host
// takes the time when the last batch has ended: waits for the other batches would add up to a third
// of a submission's time per kernel.
static bool wait_all(struct launch_row *row, uint64_t start_ns, double *ns, struct error *err)
{
    uint64_t end_ns = 0;
    for (size_t i = row->batch_count; i-- > 0;) {
        if (!gpu_batch_wait(row->batches[i], row->run->request->timeout_ns, err))
            return false;
        if (row->this_case->mode == LAUNCH_QUEUES || !end_ns)
            end_ns = clock_now_ns();
    }
    *ns = (double)(end_ns - start_ns);
    if (!is_host_timed(row->this_case) && !gpu_batch_span_ns(row->batches[0], 0, ns, err))
        return false;
    *ns = *ns > 0 ? *ns / (double)row->kernels : NAN; // NaN if the device's clock stands still
    note_done(row, row->kernels);
    return true;
}

static bool time_batches(struct launch_row *row, double *ns, struct error *err)
{
    uint64_t start_ns = clock_now_ns();
    if (!submit_all(row, err))
        return false;
    row->submit_ns = (double)(clock_now_ns() - start_ns) / (double)row->kernels;
    return wait_all(row, start_ns, ns, err);
}

static bool time_chain(struct launch_row *row, double *ns, struct error *err)
{
    bool held = row->session->bench->info->caps & GPU_CAP(HOLDS);
    struct gpu_scope *scope = gpu_scope_open(row->session->bench->device);
    struct gpu_hold *hold = held ? gpu_hold_create(scope, err) : NULL;
    uint64_t start_ns = clock_now_ns();
    bool done = (!held || hold) && submit_chain(row, hold, err);
    if (done && held) {
        start_ns = clock_now_ns();
        done = gpu_hold_release(hold, err);
    }
    done = done && wait_all(row, start_ns, ns, err);
    gpu_scope_close(scope);
    return done;
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
    case LAUNCH_SUBMIT:
    case LAUNCH_QUEUES:
        return time_batches(row, ns, err);
    case LAUNCH_ROUND_TRIP:
        return time_round_trips(row, ns, err);
    case LAUNCH_SIGNAL:
        return time_chain(row, ns, err);
    case LAUNCH_ONE_WAY: // launch_reach_take measures mode=one-way
        break;
    }
    return error_set(err, ERROR_INTERNAL, "no such way to launch");
}

// ---------------------------------------------------------------- sizing and samples

// Runs the kernels of a sample WARM_RUNS times. Sets *ns to the time per kernel of the last run.
static bool time_warm(struct launch_row *row, double *ns, struct error *err)
{
    for (int i = 0; i < WARM_RUNS; i++)
        if (!time_once(row, ns, err))
            return false;
    return true;
}

// Chooses the number of submissions in flight; together they should last as long as a sample.
static bool size_singles(struct launch_row *row, uint64_t known, struct error *err)
{
    double ns = 0;
    if (known)
        return make_batches(row, known, 1, err);
    if (!make_batches(row, IN_FLIGHT_LEAST, 1, err) || !time_warm(row, &ns, err))
        return false;
    double needed = ceil((double)row->run->request->sample_ns / fmax(ns, 1));
    return needed <= IN_FLIGHT_LEAST ||
           make_batches(row, (size_t)fmin(needed, LAUNCH_IN_FLIGHT), 1, err);
}

// Chooses the number of kernels in a batch, so that a sample lasts as long as requested.
static bool size_rows(struct launch_row *row, uint64_t known, struct error *err)
{
    uint64_t most = row->this_case->between == LAUNCH_SPLIT ? SPLITS_MAX : KERNELS_MAX;
    size_t batches = row->this_case->mode == LAUNCH_QUEUES ? row->this_case->queues : 1;
    if (known)
        return make_batches(row, batches, known / batches, err);
    for (uint64_t length = 2;;) {
        double ns = 0;
        if (!make_batches(row, batches, length, err) || !time_warm(row, &ns, err))
            return false;
        double needed = (double)row->run->request->sample_ns / fmax(ns, 1);
        if ((double)length >= needed || length >= most)
            return true;
        uint64_t next = needed < (double)most ? (uint64_t)needed / 2 * 2 + 2 : most;
        length = next > 16 * length ? 16 * length : next;
        length = length > most ? most : length;
    }
}

// Makes the batches of a sample. `known` is row->kernels of an earlier visit of the case, or 0.
static bool size(struct launch_row *row, uint64_t known, struct error *err)
{
    switch (row->this_case->mode) {
    case LAUNCH_SUBMIT:
        return size_singles(row, known, err);
    case LAUNCH_ROUND_TRIP:
        return make_batches(row, 1, 1, err);
    case LAUNCH_SIGNAL:
        return make_batches(row, LAUNCH_IN_FLIGHT, 1, err);
    case LAUNCH_BATCH:
    case LAUNCH_REPLAY:
    case LAUNCH_QUEUES:
    case LAUNCH_ONE_WAY:
        break;
    }
    return size_rows(row, known, err);
}

struct samples {
    double *ns, *submit_ns;
    unsigned count;
};

// Returns true if the host timed the kernels, or if the device waited for the host's calls (a model
// never waits).
static bool is_by_host(const struct launch_row *row, double submit_ns, double ns)
{
    bool is_model = row->run->session->info->caps & GPU_CAP(VIRTUAL_TIME);
    return is_host_timed(row->this_case) || (!is_model && submit_ns >= MEASURE_HOST_BOUND * ns);
}

static bool take_samples(struct launch_row *row, const struct samples *samples, struct error *err)
{
    double ns;
    if (!time_warm(row, &ns, err))
        return false;
    for (unsigned i = 0; i < samples->count; i++) {
        bool by_host = true;
        for (unsigned k = 0; by_host && measure_attempt(row->run->request, k); k++) {
            if (!time_once(row, &samples->ns[i], err))
                return false;
            by_host = is_by_host(row, row->submit_ns, samples->ns[i]);
        }
        samples->submit_ns[i] = row->submit_ns;
    }
    return true;
}

static bool prepare(struct launch_row *row, struct error *err)
{
    row->factors[0] = 1;
    return row->this_case->elements ? launch_prepare(row->session, row->this_case->elements, err)
                                    : launch_count_clear(row->session, err);
}

static bool verify(struct launch_row *row, struct error *err)
{
    if (row->this_case->elements)
        return launch_check(row->session, 0, row->this_case->elements, row->factors[0], err) &&
               launch_check(row->session, 1, row->this_case->elements, row->factors[1], err);
    uint32_t count = 0;
    if (!launch_count(row->session, &count, err))
        return false;
    return count == (uint32_t)row->done ||
           error_set(err, ERROR_MISMATCH, "%u kernels ran, not %llu", count,
                     (unsigned long long)row->done);
}

// ---------------------------------------------------------------- the numbers

static void report(struct launch_row *row, const struct samples *taken, struct measure_visit *visit)
{
    struct arena *scratch = row->run->arena;
    const struct launch_case *this_case = row->this_case;
    double stamp_ns = (double)row->run->session->info->limits.stamp_step_ps / 1000;
    double step = is_host_timed(this_case) ? 1 : stamp_ns / (double)row->kernels;
    visit_samples(visit, METRIC_TIME, taken->ns, taken->count, step);
    visit_by_host(visit, METRIC_HOST);
    if (is_by_host(row, measure_median(scratch, taken->submit_ns, taken->count),
                   measure_median(scratch, taken->ns, taken->count))) {
        visit_by_host(visit, METRIC_TIME);
        visit_by_host(visit, METRIC_BANDWIDTH);
    }
    if (!is_host_timed(this_case) || this_case->mode == LAUNCH_SUBMIT)
        visit_samples(visit, METRIC_HOST, taken->submit_ns, taken->count, 1 / (double)row->kernels);
    if (!is_host_timed(this_case))
        measure_stamps_note(&row->session->bench->clock, visit);
    visit_detail(visit, "clock", "%s", is_host_timed(this_case) ? "host" : "device");
    visit_detail(visit, "kernels", "%llu a sample",
                 (unsigned long long)(this_case->mode == LAUNCH_ROUND_TRIP ? LAUNCH_ROUND_TRIPS
                                                                           : row->kernels));
    visit_kernel(visit, this_case->elements ? row->session->scale : row->session->empty);
    if (!this_case->elements)
        return;
    const struct measure_span span = {.unit_ns = taken->ns, .count = taken->count, .step_ns = step};
    measure_span_rate(&span, 2.0 * LAUNCH_ELEMENT_BYTES * (double)this_case->elements,
                      METRIC_BANDWIDTH, visit);
}

// Measures mode=one-way: the time from the host's call to the kernel's first instruction, and the
// time from there until the host knows that the kernel has ended.
static bool visit_one_way(struct launch_row *row, unsigned count, struct measure_visit *visit,
                          struct error *err)
{
    struct launch_reach reach;
    if (!launch_reach_take(row, count, &reach, err) || !verify(row, err))
        return false;
    visit_samples(visit, METRIC_TIME, reach.to, count, reach.half_ns);
    visit_samples(visit, METRIC_BACK, reach.back, count, reach.half_ns);
    visit_by_host(visit, METRIC_TIME);
    visit_by_host(visit, METRIC_BACK);
    visit_detail(visit, "clock", "device, related to the host's clock");
    if (reach.answers)
        visit_detail(visit, "relation", "±%.0f ns, from %u answers of a kernel to the host",
                     reach.half_ns, reach.answers);
    else
        visit_detail(visit, "relation", "±%.0f ns, as the API reports", reach.half_ns);
    visit_detail(visit, "kernels", "%d a sample", LAUNCH_ROUND_TRIPS);
    visit_kernel(visit, row->session->stamp);
    return true;
}

static bool refuse_missing(const struct bench_visit *run, const struct launch_case *this_case,
                           struct error *err)
{
    const struct gpu_info *info = run->session->info;
    gpu_caps needed = (is_unordered(this_case) ? GPU_CAP(UNORDERED) : 0) |
                      (this_case->between == LAUNCH_SPLIT ? GPU_CAP(SPLITS) : 0) |
                      (this_case->mode == LAUNCH_REPLAY ? GPU_CAP(REPLAY) : 0);
    if (!gpu_require(info, needed, err))
        return false;
    if (this_case->elements > launch_elements_max(info))
        return error_set(err, ERROR_UNSUPPORTED,
                         "two buffers of this device hold at most %llu elements",
                         (unsigned long long)launch_elements_max(info));
    unsigned queues = launch_queue_count(info);
    return this_case->queues <= queues ||
           error_set(err, ERROR_UNSUPPORTED, "%s has %u queues, not %u", info->id, queues,
                     this_case->queues);
}

// Makes a visit of the case row->this_case on the device of row->session.
static bool visit_row(struct launch_row *row, struct measure_visit *visit, struct error *err)
{
    struct bench_visit *run = row->run;
    uint64_t *known = *run->memory; // row->kernels of an earlier visit; 0 if there was none
    unsigned count = run->request->samples ? run->request->samples : 1;
    const struct samples samples = {ARENA_ARRAY(run->arena, count, double),
                                    ARENA_ARRAY(run->arena, count, double), count};
    if (!prepare(row, err) || !launch_warm_up(run->session->state, err))
        return false;
    if (row->this_case->mode == LAUNCH_ONE_WAY)
        return visit_one_way(row, count, visit, err);
    if (!size(row, *known, err) || !take_samples(row, &samples, err) || !verify(row, err))
        return false;
    *known = row->kernels;
    report(row, &samples, visit);
    return true;
}

bool launch_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct launch_case this_case;
    launch_case_read(run->bench_case, &this_case);
    if (!refuse_missing(run, &this_case, err))
        return false;
    if (!*run->memory)
        *run->memory = ARENA_NEW(run->session->arena, uint64_t);
    struct launch_row row = {
        .run = run, .session = run->session->state, .scope = run->scope, .this_case = &this_case};
    if (this_case.mode < LAUNCH_QUEUES)
        return visit_row(&row, visit, err);
    if (!launch_wide_open(row.session, err))
        return false;
    row.session = &row.session->wide->session;
    row.scope = gpu_scope_open(row.session->bench->device);
    bool done = visit_row(&row, visit, err);
    gpu_scope_close(row.scope);
    return done;
}
