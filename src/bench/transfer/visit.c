// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "bench/transfer/session.h"
#include "gpu/peers.h"
#include "measure/claim.h"

#include <math.h>

enum {
    METRIC_BANDWIDTH,
    METRIC_TIME
};

enum {
    PASSES_MAX = 4096, // transfers in a sample that the host times
    SINGLES = 16       // single transfers in a sample
};
// Longest time of all samples together. If a transfer is slow, more samples would show little.
static const double sample_most_ns = 32e6;

// What a case keeps from its first visit.
struct memory {
    uint64_t passes; // transfers in a sample
    bool is_slow;    // a transfer lasts longer than sample_most_ns: too long for a warm-up
};

// One visit.
struct trial {
    struct bench_visit *run;
    struct transfer_session *session;
    struct transfer_job jobs[2]; // BOTH: host to device, device to host
    unsigned job_count;
    struct gpu_batch *batches[2]; // the batches of a case that the host times
    bool is_direct;               // PEER: copies do not go through the host
    uint64_t passes;              // transfers in a sample
    bool is_slow;                 // memory.is_slow of an earlier visit
    struct measure_span span;     // a unit is one transfer; BOTH: one in each direction
};

// ---------------------------------------------------------------- what goes where

static void set_ends(struct transfer_job *job, enum transfer_end source, enum transfer_end target)
{
    job->source = source;
    job->target = target;
}

static void choose_host_ends(struct transfer_job *job, bool is_up)
{
    bool pinned = job->this_case->memory == TRANSFER_PINNED;
    bool mapped = job->this_case->memory == TRANSFER_MAPPED;
    if (is_up)
        set_ends(job, pinned ? TRANSFER_PINNED_SOURCE : TRANSFER_PLAIN_SOURCE,
                 mapped ? TRANSFER_VISIBLE_TARGET : TRANSFER_DEVICE_TARGET);
    else
        set_ends(job, mapped ? TRANSFER_VISIBLE_SOURCE : TRANSFER_DEVICE_SOURCE,
                 pinned ? TRANSFER_PINNED_TARGET : TRANSFER_PLAIN_TARGET);
}

static bool prepare_job(struct trial *trial, struct transfer_job *job, struct error *err)
{
    uint64_t bytes = job->this_case->bytes;
    return transfer_station_need(job->from, job->source, bytes, err) &&
           transfer_station_need(job->to, job->target, bytes, err) &&
           (job->this_case->memory != TRANSFER_PAGEABLE ||
            transfer_pageable_prepare(job, trial->run->arena, err));
}

// Returns the queue of job number `job`: session->queues[job] if by=copy or memory=pageable. Else
// job 0 has the universal queue, and job 1 the first queue for copies.
static struct gpu_queue *queue_of(const struct transfer_session *session,
                                  const struct transfer_case *this_case, unsigned job)
{
    if (this_case->by == TRANSFER_BY_COPY || this_case->memory == TRANSFER_PAGEABLE)
        return session->queues[job];
    return job ? session->queues[0] : gpu_device_queue(session->bench->device, 0);
}

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
        .offset = step * TRANSFER_STEP_BYTES,
        .queue = queue_of(session, this_case, trial->job_count),
    };
    trial->job_count++;
    return job;
}

static bool prepare_peers(struct trial *trial, const struct transfer_case *this_case,
                          struct error *err)
{
    if (!gpu_require(trial->session->bench->info, GPU_CAP(PEERS), err))
        return false;
    struct transfer_job *job = add_job(trial, this_case);
    if (!transfer_station_of(trial->session, this_case->from, &job->from, err) ||
        !transfer_station_of(trial->session, this_case->to, &job->to, err))
        return false;
    job->queue = gpu_device_queue(job->from->device, 0);
    set_ends(job, TRANSFER_DEVICE_SOURCE, TRANSFER_DEVICE_TARGET);
    return job->from == job->to ||
           gpu_peers_connect(job->from->device, job->to->device, &trial->is_direct, err);
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
        set_ends(add_job(trial, this_case), TRANSFER_DEVICE_SOURCE, TRANSFER_DEVICE_TARGET);
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

static bool time_row(struct trial *trial, struct error *err)
{
    const struct measure_span_desc desc = {
        .scope = trial->jobs[0].from == &trial->session->home
                     ? trial->run->scope
                     : gpu_scope_open(trial->jobs[0].from->device),
        .queue = trial->jobs[0].queue,
        .record = transfer_record,
        .context = &trial->jobs[0],
        .request = trial->run->request,
        .repeats = trial->passes,
        .warm = true,
    };
    bool done = measure_span_run(trial->run->arena, &desc, &trial->span, err);
    if (desc.scope != trial->run->scope)
        gpu_scope_close(desc.scope);
    if (done)
        trial->passes = trial->span.repeats;
    return done;
}

// ---------------------------------------------------------------- by the host's clock

static bool make_batches(struct trial *trial, uint64_t repeats, struct error *err)
{
    for (unsigned i = 0; i < trial->job_count; i++) {
        const struct gpu_batch_desc desc = {.queue = trial->jobs[i].queue};
        trial->batches[i] = gpu_batch_create(trial->run->scope, &desc, err);
        if (!trial->batches[i])
            return false;
        transfer_record(&trial->jobs[i], trial->batches[i], repeats);
        if (!gpu_batch_end(trial->batches[i], err))
            return false;
    }
    return true;
}

static bool run_batches(struct trial *trial, struct error *err)
{
    for (unsigned i = 0; i < trial->job_count; i++)
        if (!gpu_batch_submit(trial->batches[i], NULL, err))
            return false;
    for (unsigned i = 0; i < trial->job_count; i++)
        if (!transfer_wait(&trial->jobs[i], trial->batches[i], err))
            return false;
    return true;
}

// Sets *ns to the time per transfer of trial->passes transfers, one after another. Both directions
// at once take one submission per direction; other cases take one submission per transfer.
static bool time_passes(struct trial *trial, double *ns, struct error *err)
{
    const struct transfer_job *job = &trial->jobs[0];
    bool is_row = job->this_case->direction == TRANSFER_BOTH;
    uint64_t start_ns = clock_now_ns();
    for (uint64_t i = 0; i < (is_row ? 1 : trial->passes); i++) {
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
    *ns = (double)(clock_now_ns() - start_ns) / (double)trial->passes;
    return true;
}

// Chooses the number of transfers so that a sample is as long as requested; SINGLES if mode=single.
static bool size_passes(struct trial *trial, struct error *err)
{
    double wanted_ns = (double)trial->run->request->sample_ns, ns = 0;
    bool is_row = trial->jobs[0].this_case->direction == TRANSFER_BOTH;
    bool is_known = trial->passes > 0;
    if (!is_known)
        trial->passes = trial->jobs[0].this_case->single ? SINGLES : 1;
    for (;;) {
        bool has_batches = trial->jobs[0].this_case->memory == TRANSFER_PINNED;
        if (has_batches && (!trial->batches[0] || is_row) &&
            !make_batches(trial, is_row ? trial->passes : 1, err))
            return false;
        if (is_known && trial->is_slow)
            return true;
        if (!time_passes(trial, &ns, err)) // a warm-up, if the number of transfers is already known
            return false;
        double needed = wanted_ns / fmax(ns, 1);
        if (is_known || trial->jobs[0].this_case->single || (double)trial->passes >= needed ||
            trial->passes == PASSES_MAX)
            return true;
        uint64_t next = needed < PASSES_MAX ? (uint64_t)ceil(needed) : PASSES_MAX;
        trial->passes = next > 16 * trial->passes ? 16 * trial->passes : next;
    }
}

static bool time_by_host(struct trial *trial, struct error *err)
{
    struct measure_span *span = &trial->span;
    uint64_t start_ns = clock_now_ns();
    unsigned wanted = trial->run->request->samples ? trial->run->request->samples : 1;
    *span = (struct measure_span){.unit_ns = ARENA_ARRAY(trial->run->arena, wanted, double)};
    if (!size_passes(trial, err))
        return false;
    double spent_ns = 0;
    while (span->count < wanted && (span->count == 0 || spent_ns < sample_most_ns)) {
        if (!time_passes(trial, &span->unit_ns[span->count], err))
            return false;
        spent_ns += span->unit_ns[span->count++] * (double)trial->passes;
    }
    span->step_ns = 1 / (double)trial->passes;
    span->device_time_ns = clock_now_ns() - start_ns;
    return true;
}

static bool is_host_timed(const struct transfer_case *this_case)
{
    return this_case->single || this_case->direction == TRANSFER_BOTH ||
           this_case->memory != TRANSFER_PINNED;
}

// ---------------------------------------------------------------- proof and numbers

// Checks what the transfers wrote. The first visit checks every byte. The host checks a GiB more
// slowly than it copies one, so each later visit checks only an eighth of large host memory, a
// different eighth each time.
static bool verify(const struct trial *trial, struct error *err)
{
    unsigned round = trial->run->request->round;
    const struct transfer_look look = {.sparse = round > 0, .turn = round - 1};
    for (unsigned i = 0; i < trial->job_count; i++) {
        const struct transfer_job *job = &trial->jobs[i];
        uint32_t first = (uint32_t)(job->offset / sizeof(uint32_t));
        if (!transfer_station_check(job->to, job->target, job->this_case->bytes, first, look, err))
            return false;
    }
    return true;
}

// Returns the claim of one transfer (BOTH: one in each direction). Small copies within the device
// may stay in the last-level cache, and are counted as its traffic.
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
    switch (job->this_case->memory) {
    case TRANSFER_PAGEABLE:
        return job->stages
                   ? "two stages of 4 MiB: the host fills one while the device copies the other"
                   : "the driver's own copy";
    case TRANSFER_MAPPED:
        return "memcpy by one thread of the host";
    case TRANSFER_PINNED:
        break;
    }
    if (job->from != job->to)
        return trial->is_direct ? "direct"
                                : "through the host: the devices cannot access each other's memory";
    return job->this_case->by == TRANSFER_BY_KERNEL ? "a kernel, 4 x 16 bytes a thread"
                                                    : "copy commands";
}

static void report_details(const struct trial *trial, struct measure_visit *visit)
{
    const struct transfer_session *session = trial->session;
    const struct transfer_case *this_case = trial->jobs[0].this_case;
    visit_detail(visit, "clock", "%s", is_host_timed(this_case) ? "host" : "device");
    visit_detail(visit, "way", "%s", way_of(trial));
    visit_detail(visit, "passes", "%llu transfers in a sample", (unsigned long long)trial->passes);
    const char *queue = transfer_queue_name(session, trial->jobs[0].queue);
    if (trial->job_count > 1)
        visit_detail(visit, "queue", "%s and %s", queue,
                     transfer_queue_name(session, trial->jobs[1].queue));
    else if (this_case->by != TRANSFER_BY_HOST && this_case->direction != TRANSFER_PEER)
        visit_detail(visit, "queue", "%s", queue);
    if (session->link.text && this_case->direction < TRANSFER_LOCAL)
        visit_detail(visit, "link", "%s", session->link.text);
    if (this_case->by == TRANSFER_BY_KERNEL)
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
    visit->device_time_ns += span->device_time_ns;
    report_details(trial, visit);
}

bool transfer_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct transfer_case this_case;
    transfer_case_read(run->bench_case, &this_case);
    if (!*run->memory)
        *run->memory = ARENA_NEW(run->session->arena, struct memory);
    struct memory *memory = *run->memory;
    struct trial trial = {.run = run,
                          .session = run->session->state,
                          .passes = memory->passes,
                          .is_slow = memory->is_slow};
    if (!prepare(&trial, &this_case, err) ||
        !(is_host_timed(&this_case) ? time_by_host(&trial, err) : time_row(&trial, err)) ||
        !verify(&trial, err))
        return false;
    memory->passes = trial.passes;
    memory->is_slow = trial.span.unit_ns[0] > sample_most_ns;
    report(&trial, visit);
    return true;
}
