// SPDX-License-Identifier: MIT
#include "bench/preempt/work.h"
#include "math/stats.h"

#include <math.h>
#include <string.h>

enum {
    HOG_SLOTS_SPARE = 64, // number of spare slots of the hog, for the wait for late answers
    HOG_RECORDS = 512,    // maximum number of records that a submission of the hog leaves
    FRAME_RECORDS = 128,  // maximum number of records that a frame of the application leaves
    RESOLUTION_STEPS = 3,
    PAUSE_MARGIN = 2
};

// ---------------------------------------------------------------- before

static struct load_desc desc_of(const struct preempt_side *side, const struct bench_visit *run)
{
    return (struct load_desc){.scope = gpu_scope_open(side->device),
                              .queue = side->queue,
                              .program = side->program,
                              .timeout_ns = run->request->timeout_ns};
}

// Sets work->history to the history of earlier visits. The first visit finds the sizes of the
// loads.
static bool recall(struct work *work, struct error *err)
{
    struct bench_visit *run = work->run;
    work->history = *run->memory;
    if (!work->history) {
        struct preempt_history *history = ARENA_NEW(run->session->arena, struct preempt_history);
        const char *victim = work->three   ? PREEMPT_COMPOSITOR
                             : work->draws ? PREEMPT_VICTIM_DRAW
                                           : PREEMPT_VICTIM;
        if (!preempt_size_find(run, &work->victim.desc, victim, &history->victim, err) ||
            (work->three && !preempt_size_find(run, &work->application.desc, PREEMPT_APPLICATION,
                                               &history->application, err)) ||
            (work->has_hog &&
             !preempt_size_find(run, &work->hog.desc, case_text(run->bench_case, "hog"),
                                &history->hog, err)))
            return false;
        work->history = *run->memory = history;
    }
    work->is_first = work->has_hog && work->history->alone_ns == 0;
    return true;
}

// Returns the hog's slots in a visit: five per deadline and some more. Five are enough if a
// submission lasts a fifth of a period (2.2 ms) or longer.
static uint32_t hog_slots(uint32_t samples)
{
    uint64_t slots =
        CONTENTION_ALONE + samples * (CONTENTION_PERIOD_NS / 2000000) + HOG_SLOTS_SPARE;
    return (uint32_t)(slots < WORK_HOG_SLOTS_MAX ? slots : WORK_HOG_SLOTS_MAX);
}

// Sets the load of `part`: the work `load`, in at most `slots` submissions with at most `records`
// records each. Reserves a token for each submission.
static void describe(struct work *work, struct work_part *part, const struct load_work *load,
                     uint32_t slots, uint32_t records)
{
    part->desc.work = *load;
    part->desc.slots = slots;
    part->desc.records = records;
    part->token = work->session->token + 1;
    work->session->token += slots;
}

// Creates the load of this part; if `all` is true, also records all its submissions.
static bool create(struct work_part *part, bool all, struct error *err)
{
    const struct process_start start = {.load = part->desc, .token = part->token, .prepares = true};
    if (part->process)
        return process_start(part->process, &start, err);
    if (!load_init(&part->load, &part->desc, err))
        return false;
    load_restart(&part->load, part->token);
    for (uint32_t i = 0; i < part->desc.slots && all; i++)
        if (!load_prepare(&part->load, err))
            return false;
    return true;
}

// Creates all loads. Starts a hog in another process last, because recording can need memory, which
// a driver may map slowly while the hog runs.
static bool prepare(struct work *work, uint32_t samples, struct error *err)
{
    const struct preempt_history *history = work->history;
    struct work_part *hog = &work->hog, *victim = &work->victim, *application = &work->application;
    describe(work, hog, &history->hog, hog_slots(samples), HOG_RECORDS);
    describe(work, victim, &history->victim, samples, history->victim.groups);
    victim->desc.work.ahead = work->drops ? 1 : samples;
    describe(work, application, &history->application, samples, FRAME_RECORDS);
    application->desc.work.ahead = samples;
    if (!create(victim, !work->drops, err) || (work->three && !create(application, true, err)))
        return false;
    if (!hog->process)
        return !work->has_hog || create(hog, false, err);
    const struct process_start start = {
        .load = hog->desc, .token = hog->token, .alone = work->is_first ? CONTENTION_ALONE : 0};
    return process_start(hog->process, &start, err);
}

// ---------------------------------------------------------------- meanwhile

// Waits for all submissions of a part and reads their records; times count from work->base.
static bool read_part(struct work *work, struct work_part *part, struct error *err)
{
    const struct measure_clock *clock = &work->run->session->clock;
    struct arena *arena = work->run->arena;
    uint64_t base = 0;
    if (!part->process) {
        part->count = part->load.submitted;
        return load_drain(&part->load, err) &&
               load_read(&part->load, clock, &work->base, arena, &part->runs, err);
    }
    if (!process_stop(part->process, arena, &base, &part->runs, &part->count, err))
        return false;
    if (work->base == 0)
        work->base = base;
    for (uint32_t i = 0; i < part->count; i++)
        load_run_shift(&part->runs[i], measure_clock_offset_ns(clock, work->base, base));
    return true;
}

// Runs hog, victim and application at the same time, and reads their records. The hog ends first,
// because submissions without an answer may wait for it.
static bool contend(struct work *work, const struct contention_desc *desc, struct error *err)
{
    struct process *application = work->application.process;
    struct contention_start start;
    return contention_start(desc, &start, err) &&
           (!application || process_arrive(application, start.application_ns, err)) &&
           contention_run(desc, &start, &work->answers, &work->frames, err) &&
           (!application || process_answers(application, &work->frames, err)) &&
           (!work->has_hog || read_part(work, &work->hog, err)) &&
           read_part(work, &work->victim, err) &&
           (!work->three || read_part(work, &work->application, err));
}

// ---------------------------------------------------------------- after

// Keeps the median length and the longest pause of the hog's submissions without victims.
static void remember_alone(struct work *work)
{
    double alone[CONTENTION_ALONE], longest = 0;
    uint32_t count = work->hog.count < CONTENTION_ALONE ? work->hog.count : CONTENTION_ALONE;
    for (uint32_t i = 0; i < count; i++) {
        alone[i] = work_length_ns(&work->hog.runs[i]);
        longest = fmax(longest, work->hog.runs[i].pause_ns);
    }
    work->alone_count = count;
    work->history->pause_alone_ns = longest;
    work->history->alone_ns = fmax(stats_median(alone, count), 1);
}

// Returns a list of all submissions that may interrupt the hog: victims and application frames.
static struct load_run *guests_of(const struct work *work, size_t *count)
{
    const struct work_part *victim = &work->victim, *application = &work->application;
    *count = victim->count + application->count;
    struct load_run *runs = ARENA_ARRAY(work->run->arena, *count, struct load_run);
    for (uint32_t i = 0; i < victim->count; i++)
        runs[i] = victim->runs[i];
    for (uint32_t i = 0; i < application->count; i++)
        runs[victim->count + i] = application->runs[i];
    return runs;
}

// Fails if a submission ran longer, by the device's clock, than its whole response took by the
// host's clock. A difference of 1 % plus the clock's resolution is allowed.
static bool check_part(const struct work_part *part, const struct contention *result,
                       double resolution_ns, struct error *err)
{
    for (uint32_t i = 0; i < result->count; i++) {
        const struct contention_answer *answer = &result->answers[i];
        double exec = work_length_ns(&part->runs[answer->victim]);
        if (!answer->censored && exec > answer->response_ns * 1.01 + resolution_ns)
            return error_set(err, ERROR_MISMATCH,
                             "a submission ran %.0f ns by the device's clock, but the host had it "
                             "back after %.0f ns",
                             exec, answer->response_ns);
    }
    return true;
}

static bool judge(struct work *work, struct error *err)
{
    const struct measure_clock *clock = &work->run->session->clock;
    if (work->is_first)
        remember_alone(work);
    struct judge_limits limits = {
        .resolution_ns = RESOLUTION_STEPS * clock->device_step_ns,
        .pause_ns = PAUSE_MARGIN * work->history->pause_alone_ns,
        .alone_ns = work->history->alone_ns,
    };
    limits.victims = guests_of(work, &limits.victim_count);
    if (!check_part(&work->victim, &work->answers, limits.resolution_ns, err) ||
        !check_part(&work->application, &work->frames, limits.resolution_ns, err))
        return false;
    for (uint32_t v = 0; v < work->answers.answered; v++)
        work->entries[v] =
            judge_entry_of(&work->victim.runs[v], work->hog.runs, work->hog.count, &limits);
    return true;
}

// Adds the answers to the history. Successive answers that waited for the same submission of the
// hog are one event. Without a hog, each answer is an event.
static void remember_answers(struct work *work)
{
    struct preempt_history *history = work->history;
    uint32_t last = UINT32_MAX;
    for (uint32_t i = 0; i < work->answers.count; i++) {
        const struct contention_answer *answer = &work->answers.answers[i];
        uint32_t event = 0;
        for (uint32_t h = 0; h < work->hog.count; h++)
            event += work->hog.runs[h].end_ns <= work->victim.runs[answer->victim].end_ns;
        history->events += !work->has_hog || event != last;
        last = event;
        preempt_history_add(history, answer->response_ns, answer->censored);
    }
    for (uint32_t v = 0; v < work->answers.answered; v++)
        history->entries[work->entries[v]]++;
}

// Returns the delay in ns of a visit's first deadline, a share of the length of a hog's submission.
// Without the delay, the first victim of each visit would come at the same point of a submission.
// The shares are fractional parts of multiples of the golden ratio, which are spread evenly for any
// number of visits.
static double delay_of(struct preempt_history *history)
{
    double share = (double)history->visits++ * 0.6180339887498949;
    return (share - floor(share)) * history->alone_ns;
}

static bool run_visit(struct work *work, struct measure_visit *visit, struct error *err)
{
    struct bench_visit *run = work->run;
    uint32_t samples = (uint32_t)case_uint(run->bench_case, "samples");
    struct contention_desc desc = {
        .hog = work->has_hog && !work->hog.process ? &work->hog.load : NULL,
        .victim = &work->victim.load,
        .application = work->three && !work->application.process ? &work->application.load : NULL,
        .samples = samples,
        .drops = work->drops};
    if (!recall(work, err) || !prepare(work, samples, err))
        return false;
    desc.alone = work->is_first;
    desc.hog_ns = work->history->alone_ns;
    desc.delay_ns = delay_of(work->history);
    if (!contend(work, &desc, err) || !judge(work, err))
        return false;
    remember_answers(work);
    work_report(work, visit);
    return true;
}

// Starts *process if it does not run yet. This part's load then runs in that process.
static bool start_process(struct work *work, struct work_part *part, struct process **process,
                          struct error *err)
{
    struct bench_session *session = work->run->session;
    if (!*process)
        *process = process_create(session->arena, session->info, err);
    part->process = *process;
    return *process != NULL;
}

static bool start_processes(struct work *work, struct error *err)
{
    struct preempt_setup *setup = work->setup;
    if (setup->request.setting != PREEMPT_PROCESSES)
        return true;
    return (!work->has_hog || start_process(work, &work->hog, &setup->process, err)) &&
           (!work->three ||
            start_process(work, &work->application, &setup->application_process, err));
}

// Ends the processes, even if their loads still run.
static void end_processes(struct preempt_setup *setup)
{
    process_destroy(setup->process);
    process_destroy(setup->application_process);
    setup->process = setup->application_process = NULL;
}

bool preempt_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct work *work = ARENA_NEW(run->arena, struct work);
    const struct bench_case *c = run->bench_case;
    work->run = run;
    work->session = run->session->state;
    work->has_hog = strcmp(case_text(c, "hog"), "none") != 0;
    // Without these parameters: no application, dispatches as victims, no dropped deadlines.
    work->three = case_find(c, "actors") != NULL;
    work->draws = case_find(c, "victim") != NULL;
    work->drops = case_find(c, "arrivals") != NULL;
    const struct preempt_setup_request request = {
        .setting = (enum preempt_setting)case_choice(c, "setting"),
        .priority = (enum preempt_priority)case_choice(c, "priority"),
        .draws = work->draws,
        .three = work->three};
    work->setup = preempt_setup_get(run->session, &request, err);
    if (!work->setup)
        return false;
    work->hog.desc = desc_of(&work->setup->hog, run);
    work->victim.desc = desc_of(&work->setup->victim, run);
    work->application.desc = desc_of(&work->setup->application, run);
    bool done = start_processes(work, err) && run_visit(work, visit, err);
    if (!done)
        end_processes(work->setup);
    gpu_scope_close(work->hog.desc.scope);
    gpu_scope_close(work->victim.desc.scope);
    gpu_scope_close(work->application.desc.scope);
    return done;
}
