// SPDX-License-Identifier: MIT
#include "suite/executor.h"

#include "base/child.h"
#include "base/clock.h"
#include "suite/clock_lock.h"
#include "suite/interrupt.h"
#include "suite/visitor.h"

static const uint64_t silence_default_ns = 60 * NS_PER_S;
// If a worker has not ended this time after its socket was closed, it is killed.
static const uint64_t grace_ns = 2 * NS_PER_S;
static const uint64_t send_ns = 10 * NS_PER_S;
// If the worker has not answered this time after the user's first signal, desc.waiting is called.
static const uint64_t patience_ns = NS_PER_S / 2;

struct executor {
    struct executor_desc desc;
    struct child *worker;    // the worker process; NULL if no worker is running
    struct visitor *visitor; // makes the visits in this process; NULL if no visitor is open
    unsigned losses, losses_ever;
    bool hurries; // true: after the user's first signal, the worker is asked to end its visit
};

struct executor *executor_create(struct arena *arena, const struct executor_desc *desc)
{
    struct executor *executor = ARENA_NEW(arena, struct executor);
    executor->desc = *desc;
    if (!executor->desc.silence_ns)
        executor->desc.silence_ns = silence_default_ns;
    executor->hurries = desc->leave_ns > 0;
    if (!executor->desc.leave_ns)
        executor->desc.leave_ns = EXECUTOR_LEAVE_S * NS_PER_S;
    return executor;
}

void executor_rest(struct executor *executor)
{
    child_destroy(executor->worker, grace_ns);
    visitor_destroy(executor->visitor);
    executor->worker = NULL;
    executor->visitor = NULL;
}

void executor_destroy(struct executor *executor)
{
    if (executor)
        executor_rest(executor);
}

unsigned executor_losses(const struct executor *executor)
{
    return executor->losses;
}

unsigned executor_losses_ever(const struct executor *executor)
{
    return executor->losses_ever;
}

static void note_loss(struct executor *executor)
{
    executor->losses++;
    executor->losses_ever++;
}

// ---------------------------------------------------------------- visits in a worker

static bool lose_worker(struct executor *executor)
{
    note_loss(executor);
    child_destroy(executor->worker, 0);
    executor->worker = NULL;
    return false;
}

// Waits for a line from the worker until `until_ns` or `deadline_ns` (CHILD_TIMEOUT), or until a
// signal of the user (CHILD_WOKEN).
static enum child_answer receive(struct executor *executor, uint64_t deadline_ns, uint64_t until_ns,
                                 const char **line)
{
    const struct interrupt *interrupt = executor->desc.interrupt;
    uint64_t left_ns = clock_left_ns(until_ns < deadline_ns ? until_ns : deadline_ns);
    return child_receive(executor->worker, left_ns, interrupt ? interrupt->fd : -1, line);
}

// Asks the worker to end its visit early. await() notices if the worker has ended.
static void hurry(const struct executor *executor)
{
    struct arena *arena = arena_create();
    struct error unsent;
    if (!child_send(executor->worker, protocol_write_leave(arena), send_ns, &unsent))
        unsent.code = ERROR_NONE;
    arena_destroy(arena);
}

// Waits for the worker's answer. After the user's first signal, the answer must come within
// desc.leave_ns. If it does not, or after a second signal, returns CHILD_WOKEN. Calls desc.waiting
// after patience_ns.
static enum child_answer await(struct executor *executor, const char **line)
{
    struct interrupt *interrupt = executor->desc.interrupt;
    uint64_t deadline_ns = clock_deadline_ns(executor->desc.silence_ns);
    bool reported = !executor->desc.waiting, hurried = !executor->hurries;
    enum child_answer answer = CHILD_WOKEN;
    // A second signal may have come during an earlier wait, so signals are counted first.
    while (answer == CHILD_WOKEN && interrupt_count(interrupt) < 2) {
        bool interrupted = interrupt_count(interrupt) > 0;
        if (interrupted && !hurried)
            hurry(executor);
        hurried |= interrupted;
        uint64_t leave = interrupted ? interrupt->first_ns + executor->desc.leave_ns : UINT64_MAX;
        uint64_t report = interrupted && !reported ? interrupt->first_ns + patience_ns : UINT64_MAX;
        answer = receive(executor, leave < deadline_ns ? leave : deadline_ns, report, line);
        if (answer != CHILD_TIMEOUT || !interrupted)
            continue;
        answer = CHILD_WOKEN;
        if (clock_left_ns(leave) == 0 || clock_left_ns(deadline_ns) == 0)
            break;
        if (!reported)
            executor->desc.waiting(executor->desc.context, executor->desc.device_id);
        reported = true;
    }
    return answer;
}

// Where the answer is stored: in `visit` after an order to visit, in `finding` after an order to
// watch. The other pointer is NULL.
struct answer_desc {
    const struct benchmark_info *info;
    struct arena *arena;
    struct measure_visit **visit;
    struct watch_finding *finding;
};

static enum protocol_answer read_answer(const char *line, const struct answer_desc *desc,
                                        struct error *err)
{
    return desc->finding ? protocol_read_finding(desc->arena, line, desc->finding, err)
                         : protocol_read_answer(desc->arena, line, desc->info, desc->visit, err);
}

static bool take_line(struct executor *executor, const char *line, const struct answer_desc *desc,
                      struct error *err)
{
    switch (read_answer(line, desc, err)) {
    case PROTOCOL_VISIT:
        executor->losses = 0;
        return true;
    case PROTOCOL_FAILURE:
        if (visitor_is_lost(err))
            return lose_worker(executor);
        executor->losses = 0;
        return false;
    case PROTOCOL_GARBAGE:
        break;
    }
    return lose_worker(executor);
}

static bool judge_answer(struct executor *executor, enum child_answer answer, const char *line,
                         const struct answer_desc *desc, struct error *err)
{
    switch (answer) {
    case CHILD_LINE:
        return take_line(executor, line, desc, err);
    case CHILD_TIMEOUT:
        error_set(err, ERROR_TIMEOUT,
                  "no answer for %.0f s: the driver hangs; the worker was ended",
                  (double)executor->desc.silence_ns / 1e9);
        break;
    case CHILD_WOKEN:
        error_set(err, ERROR_INTERRUPTED, "interrupted");
        break;
    case CHILD_GONE:
        error_set(err, ERROR_INTERNAL, "the worker process died: %s",
                  child_end_text(executor->worker));
        break;
    case CHILD_MALFORMED:
        error_set(err, ERROR_INTERNAL, "the worker sent an endless line: it was ended");
        break;
    }
    return lose_worker(executor);
}

static bool take_answer(struct executor *executor, const struct visit_order *order,
                        struct arena *arena, struct measure_visit **visit, struct error *err)
{
    const char *line = NULL;
    enum child_answer answer = await(executor, &line);
    return judge_answer(executor, answer, line,
                        &(struct answer_desc){&order->benchmark->info, arena, visit, NULL}, err);
}

static bool send_line(struct executor *executor, const char *line, struct error *err)
{
    struct error unsent;
    if (child_send(executor->worker, line, send_ns, &unsent))
        return true;
    error_set(err, ERROR_INTERNAL, "the worker process died: %s", child_end_text(executor->worker));
    return lose_worker(executor);
}

// Sends an order to the worker. Starts a worker first if none is running.
static bool send_order(struct executor *executor, const char *order, struct error *err)
{
    if (!executor->worker)
        executor->worker =
            child_create(&(struct child_desc){.argv = executor->desc.worker_argv,
                                              .environment = executor->desc.worker_environment},
                         err);
    if (!executor->worker) {
        note_loss(executor);
        return false;
    }
    return send_line(executor, order, err);
}

// ---------------------------------------------------------------- visits in several workers

// Waits until the worker reaches the gate, where visits of a co-run wait, or ends its visit.
static void await_gate(struct executor_part *part, struct arena *arena)
{
    const char *line = NULL;
    enum child_answer answer = await(part->executor, &line);
    part->waits = answer == CHILD_LINE && protocol_is_gate(line);
    if (!part->waits)
        part->done = judge_answer(
            part->executor, answer, line,
            &(struct answer_desc){&part->order.benchmark->info, arena, &part->visit, NULL},
            &part->failure);
}

void executor_visit_together(struct executor_part *parts, size_t count, struct arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        parts[i].order.waits = true;
        parts[i].failure = (struct error){.code = ERROR_NONE};
        parts[i].waits = send_order(parts[i].executor, protocol_write_order(arena, &parts[i].order),
                                    &parts[i].failure);
    }
    for (size_t i = 0; i < count; i++)
        if (parts[i].waits)
            await_gate(&parts[i], arena);
    for (size_t i = 0; i < count; i++)
        if (parts[i].waits)
            parts[i].waits =
                send_line(parts[i].executor, protocol_write_gate(arena), &parts[i].failure);
    for (size_t i = 0; i < count; i++)
        if (parts[i].waits)
            parts[i].done = take_answer(parts[i].executor, &parts[i].order, arena, &parts[i].visit,
                                        &parts[i].failure);
}

// ---------------------------------------------------------------- visits in this process

static bool open_here(struct executor *executor, struct error *err)
{
    if (!executor->visitor)
        executor->visitor =
            visitor_create(&(struct visitor_desc){.device = executor->desc.device_id,
                                                  .family_pid = executor->desc.family_pid,
                                                  .validation = executor->desc.validation},
                           err);
    if (!executor->visitor)
        note_loss(executor);
    return executor->visitor != NULL;
}

// Handles the outcome of a visit or watch in this process. Closes the device if it was lost;
// otherwise sets the number of losses in a row to 0.
static bool note_here(struct executor *executor, bool done, const struct error *err)
{
    if (done || !visitor_is_lost(err)) {
        executor->losses = 0;
        return done;
    }
    note_loss(executor);
    visitor_destroy(executor->visitor);
    executor->visitor = NULL;
    return false;
}

static bool visit_once(struct executor *executor, const struct visit_order *order,
                       struct arena *arena, struct measure_visit **visit, struct error *err)
{
    if (!clock_lock_follow(executor->desc.clocks, order->bench_case, err))
        return false;
    if (executor->desc.in_process)
        return open_here(executor, err) &&
               note_here(executor, visitor_visit(executor->visitor, order, arena, visit, err), err);
    return send_order(executor, protocol_write_order(arena, order), err) &&
           take_answer(executor, order, arena, visit, err);
}

bool executor_visit(struct executor *executor, const struct visit_order *order, struct arena *arena,
                    struct measure_visit **visit, struct error *err)
{
    const unsigned losses = executor->losses, losses_ever = executor->losses_ever;
    if (visit_once(executor, order, arena, visit, err))
        return true;
    if (order->ahead_count == 0 || executor->losses_ever == losses_ever ||
        err->code == ERROR_INTERRUPTED)
        return false;
    // The worker may have crashed while it compiled the program of another case.
    executor->losses = losses;
    struct visit_order alone = *order;
    alone.ahead_count = 0;
    return visit_once(executor, &alone, arena, visit, err);
}

bool executor_watch(struct executor *executor, uint64_t least_ns, struct arena *arena,
                    struct watch_finding *finding, struct error *err)
{
    if (executor->desc.in_process)
        return open_here(executor, err) &&
               note_here(executor, visitor_watch(executor->visitor, least_ns, arena, finding, err),
                         err);
    const char *line = NULL;
    if (!send_order(executor, protocol_write_watch(arena, least_ns), err))
        return false;
    enum child_answer answer = await(executor, &line);
    return judge_answer(executor, answer, line,
                        &(struct answer_desc){.arena = arena, .finding = finding}, err);
}
