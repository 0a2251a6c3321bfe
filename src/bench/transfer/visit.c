// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "bench/transfer/session.h"
#include "gpu/peers.h"
#include "measure/claim.h"
#include "measure/unit.h"

#include <math.h>
#include <string.h>

enum {
    METRIC_BANDWIDTH,
    METRIC_TIME
};

enum {
    PASSES_MAX = 4096, // maximum number of transfers in a sample that the host times
    SINGLES = 16,      // number of transfers in a sample with mode=single
    // Samples in which several devices copy at the same time last this many times as long.
    AT_ONCE_SAMPLES = 4
};
// A visit whose transfers the host times takes no further sample after this many ns of samples.
static const double sample_most_ns = 32e6;

// Data of one case that the session keeps from visit to visit.
struct memory {
    uint64_t passes; // number of transfers in a sample
    // True if one transfer takes longer than sample_most_ns. Later visits then skip the warm-up.
    bool is_slow;
};

// The state of one visit of a case.
struct trial {
    struct bench_visit *run;
    struct transfer_session *session;
    // One job, or one for each direction (TRANSFER_BOTH, TRANSFER_WAYS_BOTH), or one from each
    // device to every other (TRANSFER_WAYS_ALL). Jobs of the same queue are neighbours.
    struct transfer_job *jobs;
    unsigned job_count;
    // One batch for each queue, if the host times transfers; none for mapped or pageable memory.
    struct gpu_batch **batches;
    unsigned batch_count;
    // scopes that own the batches on devices other than the session's device
    struct gpu_scope **scopes;
    unsigned scope_count;
    bool is_direct; // true if copies between devices do not pass through host memory
    struct memory kept;
    // Host time in ns that the last call of run_batches needed to submit its batches.
    double submit_ns;
    uint64_t recorded, ran; // transfers of each job: in a batch, and in all calls of run_batches
    // The times of the samples; unit_ns is the time in which each job made one transfer.
    struct measure_span span;
};

// ---------------------------------------------------------------- what goes where

static void choose_host_ends(struct transfer_job *job, bool is_up)
{
    bool pinned = job->this_case->memory == TRANSFER_PINNED;
    bool mapped = job->this_case->memory == TRANSFER_MAPPED;
    if (is_up) {
        job->source = pinned ? TRANSFER_PINNED_SOURCE : TRANSFER_PLAIN_SOURCE;
        job->target = mapped ? TRANSFER_VISIBLE_TARGET : TRANSFER_DEVICE_TARGET;
    } else {
        job->source = mapped ? TRANSFER_VISIBLE_SOURCE : TRANSFER_DEVICE_SOURCE;
        job->target = pinned ? TRANSFER_PINNED_TARGET : TRANSFER_PLAIN_TARGET;
    }
}

static bool prepare_job(struct trial *trial, struct transfer_job *job, struct error *err)
{
    uint64_t bytes = job->this_case->bytes;
    return transfer_station_need(job->from, job->source, bytes, err) &&
           transfer_station_need(job->to, job->target, job->to_offset + bytes, err) &&
           (job->this_case->memory != TRANSFER_PAGEABLE ||
            transfer_pageable_prepare(job, trial->run->arena, err));
}

// Returns the queue of job number `job`:
// - Copies between devices: NULL. add_peers sets their queue.
// - by=copy or memory=pageable: the queue for copies with the job's number. Without queues for
//   copies, job 0 gets the universal queue. With fewer than two queues for copies, job 1 gets NULL.
// - All other cases: job 0 gets the universal queue, job 1 the first queue for copies (the
//   universal queue if there is no queue for copies).
static struct gpu_queue *queue_of(const struct transfer_session *session,
                                  const struct transfer_case *this_case, unsigned job)
{
    if (this_case->direction == TRANSFER_PEER)
        return NULL;
    if (this_case->by == TRANSFER_BY_COPY || this_case->memory == TRANSFER_PAGEABLE)
        return session->queues[job];
    return job ? session->queues[0] : gpu_device_queue(session->bench->device, 0);
}

static void make_room(struct trial *trial, unsigned jobs)
{
    trial->jobs = ARENA_ARRAY(trial->run->arena, jobs, struct transfer_job);
    trial->batches = ARENA_ARRAY(trial->run->arena, jobs, struct gpu_batch *);
    trial->scopes = ARENA_ARRAY(trial->run->arena, jobs, struct gpu_scope *);
}

// Adds a job that copies from device memory to device memory.
static struct transfer_job *add_job(struct trial *trial, const struct transfer_case *this_case)
{
    struct transfer_session *session = trial->session;
    struct transfer_job *job = &trial->jobs[trial->job_count];
    uint64_t step = session->jobs++ % TRANSFER_STEPS;
    *job = (struct transfer_job){
        .session = session,
        .this_case = this_case,
        .request = trial->run->request,
        .scope = trial->run->scope,
        .from = &session->home,
        .to = &session->home,
        .source = TRANSFER_DEVICE_SOURCE,
        .target = TRANSFER_DEVICE_TARGET,
        .offset = step * TRANSFER_STEP_BYTES,
        .queue = queue_of(session, this_case, trial->job_count),
    };
    trial->job_count++;
    return job;
}

// Adds a job that copies into part number `part` of the target. trial->is_direct stays true while
// no copy passes through host memory.
static bool add_peers(struct trial *trial, const struct transfer_case *this_case, const char *from,
                      const char *to, unsigned part, struct error *err)
{
    struct transfer_job *job = add_job(trial, this_case);
    uint64_t steps = (this_case->bytes + TRANSFER_STEP_BYTES - 1) / TRANSFER_STEP_BYTES;
    bool is_direct = true;
    if (!transfer_station_of(trial->session, from, &job->from, err) ||
        !transfer_station_of(trial->session, to, &job->to, err))
        return false;
    job->queue = gpu_device_queue((this_case->is_read ? job->to : job->from)->device, 0);
    job->to_offset = part * steps * TRANSFER_STEP_BYTES;
    if (job->from != job->to &&
        !gpu_peers_connect(job->from->device, job->to->device, &is_direct, err))
        return false;
    trial->is_direct = is_direct && (trial->is_direct || trial->job_count == 1);
    return true;
}

// Adds a job from each device of the API to every other device, first to the next device, and so
// on. If all copies take the same time, each device always receives from only one other device.
static bool prepare_all_peers(struct trial *trial, const struct transfer_case *this_case,
                              struct error *err)
{
    const struct bench_session *bench = trial->session->bench;
    size_t count = gpu_system_device_count(bench->system), own = 0;
    const char **ids = ARENA_ARRAY(trial->run->arena, count, const char *);
    for (size_t i = 0; i < count; i++) {
        const struct gpu_info *info = gpu_system_info(bench->system, i);
        if (strcmp(info->api, bench->info->api) == 0)
            ids[own++] = info->id;
    }
    make_room(trial, (unsigned)(own * (own - 1)));
    for (size_t i = 0; i < own; i++)
        for (size_t step = 1; step < own; step++)
            if (!add_peers(trial, this_case, ids[i], ids[(i + step) % own], (unsigned)step - 1,
                           err))
                return false;
    return own > 1 || error_set(err, ERROR_UNSUPPORTED, "no second device: %s has only %s",
                                bench->info->api, bench->info->id);
}

static bool prepare_peers(struct trial *trial, const struct transfer_case *this_case,
                          struct error *err)
{
    if (!gpu_require(trial->session->bench->info, GPU_CAP(PEERS), err))
        return false;
    if (this_case->ways == TRANSFER_WAYS_ALL)
        return prepare_all_peers(trial, this_case, err);
    return add_peers(trial, this_case, this_case->from, this_case->to, 0, err) &&
           (this_case->ways == TRANSFER_WAYS_ONE ||
            add_peers(trial, this_case, this_case->to, this_case->from, 0, err));
}

static bool prepare(struct trial *trial, const struct transfer_case *this_case, struct error *err)
{
    switch (this_case->direction) {
    case TRANSFER_H2D:
    case TRANSFER_D2H:
        if (this_case->by == TRANSFER_BY_KERNEL &&
            !gpu_require(trial->session->bench->info, GPU_CAP(HOST_MEMORY), err))
            return false;
        choose_host_ends(add_job(trial, this_case), this_case->direction == TRANSFER_H2D);
        break;
    case TRANSFER_BOTH:
        choose_host_ends(add_job(trial, this_case), true);
        choose_host_ends(add_job(trial, this_case), false);
        if (!trial->jobs[1].queue || trial->jobs[0].queue == trial->jobs[1].queue)
            return error_set(err, ERROR_UNSUPPORTED, "%s has one queue; both directions need two",
                             trial->session->bench->info->id);
        break;
    case TRANSFER_LOCAL:
        add_job(trial, this_case);
        break;
    case TRANSFER_PEER:
        if (!prepare_peers(trial, this_case, err))
            return false;
        break;
    }
    for (unsigned i = 0; i < trial->job_count; i++)
        if (!prepare_job(trial, &trial->jobs[i], err))
            return false;
    return true;
}

// ---------------------------------------------------------------- rows, by the device's clock

// Returns the scope that owns the job's batches: run->scope if the session's device copies, else a
// new scope on the device that copies. end_scopes closes new scopes.
static struct gpu_scope *scope_of(struct trial *trial, const struct transfer_job *job)
{
    const struct transfer_station *owner = job->this_case->is_read ? job->to : job->from;
    if (owner == &trial->session->home)
        return trial->run->scope;
    return trial->scopes[trial->scope_count++] = gpu_scope_open(owner->device);
}

static void end_scopes(struct trial *trial)
{
    while (trial->scope_count > 0)
        gpu_scope_close(trial->scopes[--trial->scope_count]);
}

static bool time_row(struct trial *trial, struct error *err)
{
    const struct measure_span_desc desc = {
        .scope = scope_of(trial, &trial->jobs[0]),
        .queue = trial->jobs[0].queue,
        .record = transfer_record,
        .context = &trial->jobs[0],
        .request = trial->run->request,
        .repeats = trial->kept.passes,
        .warm = true,
    };
    if (!measure_span_run(trial->run->arena, &desc, &trial->span, err))
        return false;
    trial->kept.passes = trial->span.repeats;
    return true;
}

// ---------------------------------------------------------------- by the host's clock

static bool make_batches(struct trial *trial, uint64_t repeats, struct error *err)
{
    trial->recorded = repeats;
    trial->batch_count = 0;
    end_scopes(trial);
    for (unsigned i = 0; i < trial->job_count;) {
        struct gpu_queue *queue = trial->jobs[i].queue;
        struct gpu_batch *batch = gpu_batch_create(scope_of(trial, &trial->jobs[i]),
                                                   &(struct gpu_batch_desc){.queue = queue}, err);
        if (!batch)
            return false;
        for (; i < trial->job_count && trial->jobs[i].queue == queue; i++)
            transfer_record(&trial->jobs[i], batch, repeats);
        if (!gpu_batch_end(batch, err))
            return false;
        trial->batches[trial->batch_count++] = batch;
    }
    return true;
}

static bool run_batches(struct trial *trial, struct error *err)
{
    uint64_t start_ns = clock_now_ns();
    for (unsigned i = 0; i < trial->batch_count; i++)
        if (!gpu_batch_submit(trial->batches[i], NULL, err))
            return false;
    trial->submit_ns = (double)(clock_now_ns() - start_ns);
    for (unsigned i = 0; i < trial->batch_count; i++)
        if (!transfer_wait(&trial->jobs[0], trial->batches[i], err))
            return false;
    trial->ran += trial->recorded;
    return true;
}

// Returns true if the case's transfers use several queues at the same time.
static bool is_at_once(const struct transfer_case *this_case)
{
    return this_case->direction == TRANSFER_BOTH || this_case->ways != TRANSFER_WAYS_ONE;
}

// Makes trial->kept.passes transfers of each job, and sets *ns to the time of one. Queues that work
// at the same time get one submission each. Otherwise each transfer begins after the previous one.
static bool time_passes(struct trial *trial, double *ns, struct error *err)
{
    const struct transfer_job *job = &trial->jobs[0];
    bool is_row = is_at_once(job->this_case);
    uint64_t start_ns = clock_now_ns();
    for (uint64_t i = 0; i < (is_row ? 1 : trial->kept.passes); i++) {
        bool done = true;
        if (job->this_case->memory == TRANSFER_MAPPED)
            transfer_mapped_once(job);
        else if (job->this_case->memory == TRANSFER_PAGEABLE)
            done = transfer_pageable_once(job, err);
        else
            done = run_batches(trial, err);
        if (!done)
            return false;
    }
    *ns = (double)(clock_now_ns() - start_ns) / (double)trial->kept.passes;
    return true;
}

// Sets trial->kept.passes: SINGLES with mode=single, else as many transfers as fill a sample. If an
// earlier visit set the number, keeps it and warms up, unless transfers are slow.
static bool size_passes(struct trial *trial, struct error *err)
{
    const struct transfer_case *this_case = trial->jobs[0].this_case;
    double wanted_ns = (double)trial->run->request->sample_ns, ns = 0;
    bool is_row = is_at_once(this_case);
    // Submissions to several devices begin some µs apart, so their samples must last longer.
    if (this_case->direction == TRANSFER_PEER)
        wanted_ns *= AT_ONCE_SAMPLES;
    bool is_known = trial->kept.passes > 0;
    if (!is_known)
        trial->kept.passes = this_case->single ? SINGLES : 1;
    for (;;) {
        if (this_case->memory == TRANSFER_PINNED && (!trial->batches[0] || is_row) &&
            !make_batches(trial, is_row ? trial->kept.passes : 1, err))
            return false;
        if (is_known && trial->kept.is_slow)
            return true;
        if (!time_passes(trial, &ns, err))
            return false;
        double needed = wanted_ns / fmax(ns, 1);
        if (is_known || this_case->single || (double)trial->kept.passes >= needed ||
            trial->kept.passes == PASSES_MAX)
            return true;
        uint64_t next = needed < PASSES_MAX ? (uint64_t)ceil(needed) : PASSES_MAX;
        trial->kept.passes = next > 16 * trial->kept.passes ? 16 * trial->kept.passes : next;
    }
}

// If the visit has a gate (struct measure_gate), waits at the gate and then warms up again.
static bool pass_gate(struct trial *trial, struct error *err)
{
    const struct measure_gate *gate = trial->run->request->gate;
    double ns;
    if (!gate)
        return true;
    gate->pass(gate->context);
    return time_passes(trial, &ns, err);
}

static bool time_by_host(struct trial *trial, struct error *err)
{
    struct measure_span *span = &trial->span;
    uint64_t start_ns = clock_now_ns();
    unsigned wanted = trial->run->request->samples ? trial->run->request->samples : 1;
    *span = (struct measure_span){.unit_ns = ARENA_ARRAY(trial->run->arena, wanted, double)};
    if (!size_passes(trial, err) || !pass_gate(trial, err))
        return false;
    double spent_ns = 0;
    size_t bound = 0;
    span->began_ns = clock_now_ns();
    while (span->count < wanted && (span->count == 0 || spent_ns < sample_most_ns)) {
        for (unsigned k = 0; measure_attempt(trial->run->request, k); k++)
            if (!time_passes(trial, &span->unit_ns[span->count], err))
                return false;
        double sample_ns = span->unit_ns[span->count++] * (double)trial->kept.passes;
        spent_ns += sample_ns;
        bound += trial->submit_ns >= MEASURE_HOST_BOUND * sample_ns;
    }
    span->ended_ns = clock_now_ns();
    // The host limits the speed of transfers that it times. With direction=both, this is true only
    // if submitting takes at least the share MEASURE_HOST_BOUND of the time in most samples.
    span->host_bound =
        trial->jobs[0].this_case->direction != TRANSFER_BOTH || 2 * bound > span->count;
    span->step_ns = 1 / (double)trial->kept.passes;
    span->device_time_ns = span->ended_ns - start_ns;
    span->ran.units = trial->ran;
    return true;
}

static bool is_host_timed(const struct transfer_case *this_case)
{
    return this_case->single || is_at_once(this_case) || this_case->memory != TRANSFER_PINNED;
}

// ---------------------------------------------------------------- proof and numbers

// Checks the data in all targets. The first visit checks every byte. Each later visit checks
// another eighth of large host memory.
static bool verify(struct trial *trial, struct error *err)
{
    if (transfer_is_by_kernel(trial->jobs[0].this_case) &&
        !measure_unit_count_check(trial->session->home.dispatches, 0, &trial->span.ran, err))
        return false;
    for (unsigned i = 0; i < trial->job_count; i++) {
        const struct transfer_job *job = &trial->jobs[i];
        uint32_t first = (uint32_t)(job->offset / sizeof(uint32_t));
        if (!transfer_station_check(job->to, job->target, job->to_offset, job->this_case->bytes,
                                    first, trial->run->request->round, err))
            return false;
    }
    return true;
}

// Returns a claim with the bytes of one transfer (both directions: of one in each; between devices:
// no bytes). A copy within the device that may stay in the last-level cache counts there.
static struct measure_claim claim_of(const struct trial *trial)
{
    const struct transfer_case *this_case = trial->jobs[0].this_case;
    double bytes = (double)this_case->bytes;
    struct measure_claim claim = {0};
    if (this_case->direction == TRANSFER_LOCAL) {
        bool is_dram = measure_limits_is_dram(&trial->run->session->limits, 2 * this_case->bytes);
        enum measure_level level = is_dram ? MEASURE_DRAM : MEASURE_CACHE;
        claim.read_bytes[level] = claim.written_bytes[level] = bytes;
    } else if (this_case->direction != TRANSFER_PEER) {
        claim.read_bytes[MEASURE_LINK] = this_case->direction == TRANSFER_D2H ? 0 : bytes;
        claim.written_bytes[MEASURE_LINK] = this_case->direction == TRANSFER_H2D ? 0 : bytes;
    }
    return claim;
}

static const char *way_of(const struct trial *trial)
{
    const struct transfer_job *job = &trial->jobs[0];
    if (job->this_case->memory == TRANSFER_MAPPED)
        return "memcpy by one thread of the host";
    if (job->this_case->memory == TRANSFER_PAGEABLE)
        return job->stages
                   ? "two stages of 4 MiB: the host fills one while the device copies the other"
                   : "the driver's own copy";
    if (job->from != job->to)
        return trial->is_direct ? "direct"
                                : "through the host: the devices cannot access each other's memory";
    return transfer_is_by_kernel(job->this_case) ? "a kernel, 4 x 16 bytes a thread"
                                                 : "copy commands";
}

static void report_details(const struct trial *trial, struct measure_visit *visit)
{
    const struct transfer_session *session = trial->session;
    const struct transfer_case *this_case = trial->jobs[0].this_case;
    visit_detail(visit, "clock", "%s", is_host_timed(this_case) ? "host" : "device");
    visit_detail(visit, "way", "%s", way_of(trial));
    visit_detail(visit, "passes", "%llu transfers in a sample",
                 (unsigned long long)trial->kept.passes);
    const char *queue = transfer_queue_name(session, trial->jobs[0].queue);
    if (this_case->direction == TRANSFER_BOTH)
        visit_detail(visit, "queue", "%s and %s", queue,
                     transfer_queue_name(session, trial->jobs[1].queue));
    else if (this_case->by != TRANSFER_BY_HOST && this_case->direction != TRANSFER_PEER)
        visit_detail(visit, "queue", "%s", queue);
    if (this_case->ways == TRANSFER_WAYS_ALL)
        visit_detail(visit, "devices", "%u", trial->batch_count);
    if (session->link.text && this_case->direction < TRANSFER_LOCAL)
        visit_detail(visit, "link", "%s", session->link.text);
    if (transfer_is_by_kernel(this_case))
        visit_kernel(visit, session->home.copy);
}

static void report(const struct trial *trial, struct measure_visit *visit)
{
    const struct measure_span *span = &trial->span;
    const struct measure_claim claim = claim_of(trial);
    const struct measure_account account = {&claim, &trial->run->session->limits, span, visit};
    measure_claim_report(&account, METRIC_BANDWIDTH, MEASURE_PER_SECOND,
                         (double)trial->jobs[0].this_case->bytes * trial->job_count);
    visit_samples(visit, METRIC_TIME, span->unit_ns, span->count, span->step_ns);
    if (span->host_bound) {
        visit_by_host(visit, METRIC_BANDWIDTH);
        visit_by_host(visit, METRIC_TIME);
    }
    measure_span_note(span, visit);
    if (!is_host_timed(trial->jobs[0].this_case))
        measure_stamps_note(&trial->run->session->clock, visit);
    report_details(trial, visit);
}

bool transfer_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct transfer_case this_case;
    transfer_case_read(run->bench_case, &this_case);
    if (!*run->memory)
        *run->memory = ARENA_NEW(run->session->arena, struct memory);
    struct memory *memory = *run->memory;
    struct trial trial = {.run = run, .session = run->session->state, .kept = *memory};
    make_room(&trial, 2);
    bool timed = prepare(&trial, &this_case, err) &&
                 (!transfer_is_by_kernel(&this_case) ||
                  measure_unit_count_clear(trial.session->home.dispatches, 0, err)) &&
                 (is_host_timed(&this_case) ? time_by_host(&trial, err) : time_row(&trial, err));
    end_scopes(&trial);
    if (!timed || !verify(&trial, err))
        return false;
    memory->passes = trial.kept.passes;
    memory->is_slow = trial.span.unit_ns[0] > sample_most_ns;
    report(&trial, visit);
    return true;
}
