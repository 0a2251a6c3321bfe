// SPDX-License-Identifier: MIT
#include "serve/live.h"

#include "analysis/cross.h"
#include "base/clock.h"
#include "serve/answer.h"
#include "suite/plan.h"

#include <string.h>

struct live {
    const struct live_desc *desc;
    // arena of this struct and of the message that the measuring thread is sending
    struct arena *arena;
    struct arena_mark before_messages;
    pthread_t thread;
    // Signal that ends the current measurement early. It is raised at most once per measurement.
    struct interrupt interrupt;

    // lock `mutex` to use the members down to `ends`, which the threads share
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct request next; // request that waits for the thread; next.arena is NULL if none waits
    bool busy, raised, ends;

    // Only the measuring thread uses the members below.
    struct arena *worker_arena; // arena in which `executor` lives
    // executor that starts the worker process; NULL before the first measurement
    struct executor *executor;
    const struct gpu_info *device;
    size_t cases; // number of cases that the present worker has got, over all measurements
};

// ---------------------------------------------------------------- requests of callers

// Interrupts the current measurement, if there is one. The caller must hold the mutex.
static void interrupt_work(struct live *live)
{
    if (live->busy && !live->raised)
        interrupt_raise(&live->interrupt);
    live->raised = true;
}

static void ask(struct live *live, const struct request *next, bool ends)
{
    pthread_mutex_lock(&live->mutex);
    arena_destroy(live->next.arena);
    live->next = *next;
    live->ends |= ends;
    interrupt_work(live);
    pthread_cond_signal(&live->changed);
    pthread_mutex_unlock(&live->mutex);
}

void live_measure(struct live *live, const struct request *request)
{
    ask(live, request, false);
}

void live_cancel(struct live *live)
{
    ask(live, &(struct request){.arena = NULL}, false);
}

// Waits for a request, whose arena the caller destroys. Returns false if the thread should end.
static bool take_request(struct live *live, struct request *request)
{
    pthread_mutex_lock(&live->mutex);
    live->busy = false;
    while (!live->next.arena && !live->ends)
        pthread_cond_wait(&live->changed, &live->mutex);
    *request = live->next;
    live->next.arena = NULL;
    interrupt_clear(&live->interrupt);
    live->busy = true;
    live->raised = false;
    bool goes_on = !live->ends;
    pthread_mutex_unlock(&live->mutex);
    return goes_on;
}

// Returns true if another measurement waits to start. Then the end of the current measurement must
// not be announced.
static bool is_replaced(struct live *live)
{
    pthread_mutex_lock(&live->mutex);
    bool replaced = live->next.arena != NULL;
    pthread_mutex_unlock(&live->mutex);
    return replaced;
}

// ---------------------------------------------------------------- messages to pages

// Sends a message to every page, and frees it. The message lives in live->arena.
static void say(const struct live *live, const char *message)
{
    live->desc->say(live->desc->context, message);
    arena_rewind(live->arena, live->before_messages);
}

// ---------------------------------------------------------------- starting and ending the worker

static void end_worker(struct live *live)
{
    executor_destroy(live->executor);
    arena_destroy(live->worker_arena);
    live->executor = NULL;
    live->worker_arena = NULL;
    live->cases = 0;
}

// Prepares live->executor to measure on the device. Replaces the executor and its worker if the
// executor is for another device, or if the worker was lost or has got LIVE_CASES_KEPT cases.
static void prepare_worker(struct live *live, const struct gpu_info *device,
                           const struct budget *budget)
{
    const struct runner_desc *desc = &live->desc->runner;
    // If a cancelled visit does not end in time, its worker is killed. The executor counts this as
    // a loss, and gives the device up after a few losses in a row. So a new executor is made.
    bool is_cut = live->executor && executor_losses(live->executor) > 0;
    if (live->device != device || live->cases >= LIVE_CASES_KEPT || is_cut)
        end_worker(live);
    if (live->executor)
        return;
    live->device = device;
    live->worker_arena = arena_create();
    live->executor = executor_create(
        live->worker_arena,
        &(struct executor_desc){
            .device_id = device->id,
            .in_process = desc->in_process,
            .worker_argv = runner_worker_argv(live->worker_arena, desc->worker_argv,
                                              desc->choices.system, device),
            .worker_environment = desc->worker_environment,
            .silence_ns = desc->silence_ns ? desc->silence_ns : 6 * budget->timeout_ns,
            .interrupt = &live->interrupt,
            .leave_ns = LIVE_LEAVE_NS,
        });
    say(live, answer_status(live->arena, "a worker process starts"));
}

// ---------------------------------------------------------------- one frame

// A plan whose cases get new numbers, because the worker keeps data by number and must not reuse
// old data.
struct numbered_plan {
    // Must be the first member, because a pointer to `plan` is cast to a pointer to struct
    // numbered_plan.
    struct plan plan;
    struct plan *cases;
    size_t first;
};

static enum plan_step next_numbered(struct plan *plan, const struct run *so_far,
                                    struct plan_case *next)
{
    const struct numbered_plan *numbered = (const struct numbered_plan *)plan;
    enum plan_step step = numbered->cases->next(numbered->cases, so_far, next);
    if (step == PLAN_CASE)
        next->index += numbered->first;
    return step;
}

static size_t left_numbered(const struct plan *plan, const struct benchmark *benchmark)
{
    const struct numbered_plan *numbered = (const struct numbered_plan *)plan;
    return numbered->cases->left(numbered->cases, benchmark);
}

struct frame {
    struct live *live;
    const struct request *request;
    uint64_t number;
    struct run *run;
    struct numbered_plan plan;
    const char *key; // key of the case that is being measured
    unsigned losses; // number of workers that were lost up to the end of the last visit
    bool lost;       // true if a worker was lost in this frame
};

static void say_result(const struct frame *frame, const struct result *result)
{
    say(frame->live, answer_result(frame->live->arena, frame->request->id, frame->number, result));
}

static void say_loss(struct frame *frame, const struct result *result)
{
    struct live *live = frame->live;
    // If the worker was lost during a visit, the last reason in `result` says why.
    bool in_visit = executor_losses(live->executor) > 0;
    const char *why = in_visit && result && result->reason_count
                          ? result->reasons[result->reason_count - 1].text
                          : "it ended";
    frame->lost = true;
    say(live, answer_error(live->arena, frame->request->id,
                           arena_printf(live->arena, "%s was lost: %s; its worker is started again",
                                        frame->request->device->id, why)));
}

// Callback for schedule_desc.progress: stores the key of the case that is measured next.
static void begin_visit(void *context, const struct schedule_state *state)
{
    struct frame *frame = context;
    frame->key = state->plan_case->key;
}

// Callback for schedule_desc.save: after each visit, sends the case's result so far to the pages.
// If the visit lost the worker, also sends an error. Sends nothing after an interrupt.
static void end_visit(void *context)
{
    struct frame *frame = context;
    struct live *live = frame->live;
    const struct result *result = run_find(frame->run, live->device->id, frame->key);
    unsigned losses = executor_losses_ever(live->executor);
    if (interrupt_count(&live->interrupt))
        return;
    if (losses > frame->losses)
        say_loss(frame, result);
    frame->losses = losses;
    if (result)
        say_result(frame, result);
}

static bool open_frame(struct frame *frame, struct error *err)
{
    const struct live_desc *desc = frame->live->desc;
    const struct gpu_info *devices[] = {frame->request->device};
    const struct device_list list = {.devices = devices, .count = 1};
    struct runner_desc runner = desc->runner;
    runner.devices = &list;
    runner.choices = frame->request->choices;
    runner.seed = 1 + clock_now_ns() / 1000 % 1000000;
    frame->run = run_create();
    runner_describe(frame->run, &runner, desc->argc, desc->argv);
    struct plan *cases = plan_preset_create(frame->run->arena, &frame->request->choices, devices[0],
                                            frame->run, err);
    if (!cases)
        return false;
    frame->plan = (struct numbered_plan){
        .plan = {.next = next_numbered, .total = cases->total, .left = left_numbered},
        .cases = cases,
        .first = frame->live->cases};
    if (cases->total)
        return true;
    const char *why = frame->run->finding_count ? frame->run->findings[0].text : "no case is left";
    return error_set(err, ERROR_UNSUPPORTED, "%s", why);
}

// Measures one frame: one run of all cases. Returns false if the run was interrupted.
static bool measure_frame(struct frame *frame, const struct budget *budget)
{
    struct live *live = frame->live;
    const struct benchmark *benchmark = frame->request->choices.benchmarks[0];
    struct device_slot slot = {
        .device = frame->request->device, .plan = &frame->plan.plan, .executor = live->executor};
    const struct schedule_desc schedule = {
        .run = frame->run,
        .slots = &slot,
        .slot_count = 1,
        .budget = budget,
        .preset = frame->request->choices.preset,
        .seed = frame->run->seed,
        .interrupt = &live->interrupt,
        .progress = begin_visit,
        .save = end_visit,
        .context = frame,
    };
    bool done = schedule_run(&schedule);
    frame->run->status = done ? RUN_COMPLETE : RUN_INTERRUPTED;
    for (size_t i = 0; done && i < frame->run->result_count; i++)
        say_result(frame, frame->run->results[i]);
    if (benchmark->conclude)
        benchmark->conclude(frame->run, live->device->id);
    cross_add_findings(frame->run);
    return done;
}

// ---------------------------------------------------------------- one measurement

static void say_done(const struct frame *frame, const struct run *run, bool whole)
{
    const struct answer_end end = {
        .id = frame->request->id, .frame = frame->number, .run = run, .whole = whole};
    say(frame->live, answer_done(frame->live->arena, &end));
}

// Measures one frame, or frame after frame until an interrupt. A frame that loses the worker is
// repeated; LIVE_ATTEMPTS such frames in a row end the measurement.
static void measure_frames(struct frame *frame, const struct budget *budget)
{
    bool continuous = frame->request->continuous, goes_on = true;
    struct run *last = NULL; // run of the last complete frame that lost no worker
    unsigned attempts = 0;
    struct error err;
    while (goes_on) {
        frame->lost = false;
        bool done = measure_frame(frame, budget);
        bool whole = done && !frame->lost;
        attempts = frame->lost ? attempts + 1 : 0;
        goes_on = done && attempts < LIVE_ATTEMPTS && (continuous || frame->lost);
        if (whole && goes_on)
            say_done(frame, frame->run, false);
        else if (!goes_on && !is_replaced(frame->live))
            say_done(frame, done || !last ? frame->run : last, true);
        run_destroy(whole ? last : frame->run);
        last = whole ? frame->run : last;
        frame->run = NULL;
        frame->number += whole;
        if (goes_on && !open_frame(frame, &err)) {
            say(frame->live, answer_error(frame->live->arena, frame->request->id, err.message));
            goes_on = false;
        }
    }
    // if open_frame failed, it left an unfinished run
    run_destroy(frame->run);
    run_destroy(last);
}

static void measure(struct live *live, const struct request *request)
{
    struct frame frame = {.live = live, .request = request};
    struct budget budget;
    struct error err;
    budget_of(request->choices.preset, request->device, &budget);
    prepare_worker(live, request->device, &budget);
    frame.losses = executor_losses_ever(live->executor);
    if (!open_frame(&frame, &err)) {
        say(live, answer_error(live->arena, request->id, err.message));
        run_destroy(frame.run);
        return;
    }
    size_t cases = frame.plan.plan.total;
    say(live, answer_started(live->arena, request->id, cases));
    measure_frames(&frame, &budget);
    live->cases += cases;
}

static void *work(void *context)
{
    struct live *live = context;
    struct request request;
    while (take_request(live, &request)) {
        measure(live, &request);
        arena_destroy(request.arena);
    }
    arena_destroy(request.arena);
    end_worker(live);
    return NULL;
}

// ---------------------------------------------------------------- the measuring thread

struct live *live_start(const struct live_desc *desc, struct error *err)
{
    struct arena *arena = arena_create();
    struct live *live = ARENA_NEW(arena, struct live);
    *live = (struct live){.desc = desc, .arena = arena, .before_messages = arena_mark(arena)};
    pthread_mutex_init(&live->mutex, NULL);
    pthread_cond_init(&live->changed, NULL);
    if (interrupt_init_own(&live->interrupt, err)) {
        int failure = pthread_create(&live->thread, NULL, work, live);
        if (failure == 0)
            return live;
        error_set(err, ERROR_IO, "cannot start a thread: %s", strerror(failure));
    }
    interrupt_fini(&live->interrupt);
    arena_destroy(arena);
    return NULL;
}

void live_stop(struct live *live)
{
    if (!live)
        return;
    ask(live, &(struct request){.arena = NULL}, true);
    pthread_join(live->thread, NULL);
    interrupt_fini(&live->interrupt);
    pthread_cond_destroy(&live->changed);
    pthread_mutex_destroy(&live->mutex);
    arena_destroy(live->arena);
}
