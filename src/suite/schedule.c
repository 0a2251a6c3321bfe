// SPDX-License-Identifier: MIT
#include "suite/schedule.h"

#include "base/clock.h"
#include "math/random.h"
#include "results/reasons.h"
#include "suite/forecast.h"
#include "suite/interrupt.h"
#include "suite/watcher.h"

#include <math.h>

struct scheduler {
    const struct schedule_desc *desc;
    struct watcher watcher; // watches desc->slots[0] for other work
    bool last_block, interrupted;
    struct random random;
    uint64_t saved_ns, saving_ns;      // end of the last save, and its duration in ns
    const struct benchmark *benchmark; // benchmark that the deadlines soft_ns and hard_ns belong to
    // Deadlines of the whole benchmark; struct block has the deadlines of a block.
    uint64_t soft_ns, hard_ns;
    size_t done;                // number of cases in finished blocks
    struct uncounted uncounted; // measured cases that wait for their counted visit
    // true: no more counted visits are made
    bool never_counted;
    double shown; // highest share of the work that was shown as done; the present share may be
                  // lower, because visits may be made again
    // estimates the time left; each benchmark is one part
    struct forecast forecast;
};

// ---------------------------------------------------------------- watching and saving

static double fraction_of(const struct scheduler *s, const struct entry *entry)
{
    if (!entry_wants_visit(entry))
        return 1;
    double share = collect_rounds(entry->collect) / (double)s->desc->budget->rounds_min;
    // An unfinished case may need more than rounds_min rounds, so it counts as at most 0.95 cases.
    return share < 0.95 ? share : 0.95;
}

static void show(struct scheduler *s, const struct block *block, const struct entry *entry)
{
    const struct schedule_desc *desc = s->desc;
    if (!desc->progress)
        return;
    struct schedule_state state = {.device = desc->slots->device->id,
                                   .plan_case = &entry->plan_case,
                                   .done = s->done,
                                   .total = desc->slots->plan->grows ? 0 : desc->slots->plan->total,
                                   .left_s = NAN};
    double work = 0;
    for (size_t i = 0; i < block->count; i++)
        if (block_is_own(block, &block->entries[i])) {
            work += fraction_of(s, &block->entries[i]);
            state.done += !entry_wants_visit(&block->entries[i]);
        }
    if (state.total) {
        state.fraction = s->shown = fmax(s->shown, ((double)s->done + work) / (double)state.total);
        state.benchmark_total = forecast_work(&s->forecast, desc->slots->plan,
                                              entry->plan_case.benchmark, block->own, work);
        state.left_s = forecast_left_s(&s->forecast);
    }
    desc->progress(desc->context, &state);
}

// True if the run may be saved now: the last save is at least save_ns ago. Unless save_ns is 0, it
// must also be SCHEDULE_SAVE_SHARE times its own duration ago.
static bool may_save(const struct scheduler *s)
{
    uint64_t least_ns = s->desc->save_ns, share_ns = SCHEDULE_SAVE_SHARE * s->saving_ns;
    if (least_ns && share_ns > least_ns)
        least_ns = share_ns;
    return s->desc->save && clock_now_ns() - s->saved_ns >= least_ns;
}

static void save(struct scheduler *s, struct block *block)
{
    const struct schedule_desc *desc = s->desc;
    if (!may_save(s))
        return;
    uint64_t began_ns = clock_now_ns();
    arena_destroy(block->provisional);
    block->provisional = arena_create();
    block_publish(block, block->provisional, BLOCK_AT_WORK);
    desc->save(desc->context);
    s->saved_ns = clock_now_ns();
    s->saving_ns = s->saved_ns - began_ns;
}

// ---------------------------------------------------------------- other work on the device

// Passes a text about the device to desc->notice and returns it. The text lives as long as the run.
static const char *tell(const struct scheduler *s, const char *what, const char *why,
                        const char *then)
{
    const struct schedule_desc *desc = s->desc;
    const char *text =
        arena_printf(desc->run->arena, "%s%s: %s%s", desc->slots->device->id, what, why, then);
    if (desc->notice)
        desc->notice(desc->context, text);
    return text;
}

// Watches the device for other work before the first visit, and waits at most wait_idle_ns for its
// end. If the other work goes on, adds a finding to the run. The measurement begins in any case.
static void watch_first(struct scheduler *s)
{
    static const uint64_t pause_ns = NS_PER_S / 10;
    static const char not_idle[] = " is not idle";
    const struct schedule_desc *desc = s->desc;
    uint64_t deadline_ns = clock_deadline_ns(desc->wait_idle_ns);
    struct watch_judgement now, around;
    bool is_busy = watcher_look(&s->watcher, &now, &around) && now.verdict == WATCH_BUSY;
    if (is_busy && desc->wait_idle_ns)
        tell(s, not_idle, now.text, "; waiting");
    while (is_busy && clock_left_ns(deadline_ns) && interrupt_count(desc->interrupt) == 0) {
        clock_sleep_ns(pause_ns);
        is_busy = watcher_look(&s->watcher, &now, &around) && now.verdict == WATCH_BUSY;
    }
    if (is_busy)
        run_add_note(desc->run, REASON_SHARED_DEVICE, NULL,
                     tell(s, not_idle, now.text, "; measured all the same, see --wait-idle"));
}

// ---------------------------------------------------------------- visiting cases

static void note_losses(struct block *block, const struct entry *entry, const struct error *last)
{
    struct device_slot *slot = entry->slot;
    if (executor_losses(slot->executor) >= SCHEDULE_LOSSES_MAX)
        block_give_up(block, slot,
                      arena_printf(block->run->arena,
                                   "%s was given up after %d workers lost in a row; the last: %s",
                                   slot->device->id, SCHEDULE_LOSSES_MAX, last->message));
}

static struct measure_request request_for(const struct scheduler *s, const struct entry *entry)
{
    const struct budget *budget = s->desc->budget;
    return (struct measure_request){
        .samples = budget->samples,
        .sample_ns = budget->sample_ns,
        .timeout_ns = budget->timeout_ns,
        .any_clock = entry->plan_case.any_clock,
        .round = collect_visits(entry->collect),
        .lacks_metric = collect_lacks_metric(entry->collect),
    };
}

// Adds the driver's time to compile programs to the hard deadlines. Otherwise no time might be left
// to measure, because NVIDIA's OpenCL needs more than 12 s for the kernels of the benchmark incore.
static void add_compile_time(struct scheduler *s, struct block *block, uint64_t compile_ns)
{
    if (s->hard_ns != UINT64_MAX)
        s->hard_ns += compile_ns;
    if (block->hard_ns != UINT64_MAX)
        block->hard_ns += compile_ns;
}

// Records the outcome of a visit; `visit` is NULL if it failed. In a co-run, a finished case is
// visited only to keep its device busy, so its samples are discarded.
static void note_visit(struct scheduler *s, struct block *block, struct entry *entry,
                       const struct measure_visit *visit, const struct error *failure)
{
    bool counts = entry_is_open(entry);
    if (visit)
        add_compile_time(s, block, visit->compile_ns);
    if (visit && counts) {
        collect_visit(entry->collect, visit);
    } else if (!visit && failure->code == ERROR_INTERRUPTED) {
        s->interrupted = true;
    } else if (!visit) {
        if (counts)
            collect_failure(entry->collect, failure);
        note_losses(block, entry, failure);
    }
}

static struct visit_order order_for(const struct entry *entry,
                                    const struct measure_request *request)
{
    return (struct visit_order){.benchmark = entry->plan_case.benchmark,
                                .index = entry->plan_case.index,
                                .bench_case = entry->plan_case.bench_case,
                                .request = request};
}

static void visit_alone(struct scheduler *s, struct block *block, struct entry *entry)
{
    const struct measure_request request = request_for(s, entry);
    struct visit_order order = order_for(entry, &request);
    struct arena *arena = arena_create();
    struct measure_visit *visit = NULL;
    struct error failure = {.code = ERROR_NONE};
    uint64_t began_ns = clock_now_ns();
    block_compile_ahead(block, &order);
    bool done = executor_visit(entry->slot->executor, &order, arena, &visit, &failure);
    bool is_model = entry->slot->device->caps & GPU_CAP(VIRTUAL_TIME);
    uint64_t took_ns = !is_model ? clock_now_ns() - began_ns : done ? visit->device_time_ns : 0;
    note_visit(s, block, entry, done ? visit : NULL, &failure);
    arena_destroy(arena);
    if (watcher_add(&s->watcher, took_ns))
        watcher_watch(&s->watcher, block);
}

// Adds the sensor "common_time" to the visits of a co-run: the share of a visit's sampling time
// during which all devices sampled. A share below SCHEDULE_COMMON_LEAST is suspect.
static void note_common(struct executor_part *parts, size_t count)
{
    uint64_t began_ns = 0, ended_ns = UINT64_MAX;
    size_t timed = 0;
    for (size_t i = 0; i < count; i++)
        if (parts[i].done && parts[i].visit->ended_ns) {
            const struct measure_visit *visit = parts[i].visit;
            began_ns = visit->began_ns > began_ns ? visit->began_ns : began_ns;
            ended_ns = visit->ended_ns < ended_ns ? visit->ended_ns : ended_ns;
            timed++;
        }
    double common_ns = ended_ns > began_ns ? (double)(ended_ns - began_ns) : 0;
    for (size_t i = 0; i < count && timed > 1; i++) {
        struct measure_visit *visit = parts[i].visit;
        if (!parts[i].done || visit->ended_ns <= visit->began_ns)
            continue;
        double share = common_ns / (double)(visit->ended_ns - visit->began_ns);
        visit_sensor(visit, "common_time", UNIT_NONE, share);
        if (share < SCHEDULE_COMMON_LEAST)
            visit_flag(visit, "apart",
                       "all devices sampled at the same time in only %.0f %% of this device's "
                       "sampling time",
                       100 * share);
    }
}

// Visits the cases of a co-run at the same time. A finished case is visited until all cases are
// finished, so that all samples are taken under the same load.
static void visit_together(struct scheduler *s, struct block *block, struct entry *first)
{
    struct executor_part parts[1 + PLAN_PEERS_MAX] = {{0}};
    struct measure_request requests[1 + PLAN_PEERS_MAX];
    struct entry *entries[1 + PLAN_PEERS_MAX];
    struct arena *arena = arena_create();
    size_t count = 0;
    for (struct entry *entry = first; entry; entry = entry->co_run) {
        if (entry->verdict != VERDICT_OK || collect_failed(entry->collect) || entry->slot->given_up)
            continue;
        requests[count] = request_for(s, entry);
        parts[count] = (struct executor_part){.executor = entry->slot->executor,
                                              .order = order_for(entry, &requests[count])};
        entries[count++] = entry;
    }
    executor_visit_together(parts, count, arena);
    note_common(parts, count);
    for (size_t i = 0; i < count; i++)
        note_visit(s, block, entries[i], parts[i].done ? parts[i].visit : NULL, &parts[i].failure);
    arena_destroy(arena);
}

// True if no case may be visited any more, because the time is used up or the user interrupted the
// run.
static bool is_over(struct scheduler *s, const struct block *block)
{
    s->interrupted |= interrupt_count(s->desc->interrupt) > 0;
    return s->interrupted || clock_now_ns() > block->hard_ns;
}

// Visits each unfinished case of the block once, in random order. Returns false if no further round
// may follow.
static bool run_round(struct scheduler *s, struct block *block)
{
    size_t order[PLAN_BLOCK_CASES], count = 0, visits = 0;
    for (size_t i = 0; i < block->count; i++)
        if (block_is_own(block, &block->entries[i]) && entry_wants_visit(&block->entries[i]))
            order[count++] = i;
    random_shuffle(&s->random, order, count);
    for (size_t i = 0; i < count; i++) {
        struct entry *entry = &block->entries[order[i]];
        if (is_over(s, block))
            return false;
        // the case's device may have been given up during this round
        if (!entry_wants_visit(entry) || !block_has_time(block, entry))
            continue;
        show(s, block, entry);
        if (entry->co_run)
            visit_together(s, block, entry);
        else
            visit_alone(s, block, entry);
        visits++;
        save(s, block);
    }
    return visits > 0;
}

// ---------------------------------------------------------------- measuring blocks

static uint64_t limit_ns(uint64_t ns)
{
    return ns ? clock_deadline_ns(ns) : UINT64_MAX;
}

static void set_times(struct scheduler *s, struct block *block)
{
    if (block->count == 0)
        return;
    const struct benchmark *benchmark = block->entries[0].plan_case.benchmark;
    if (s->benchmark != benchmark) {
        s->benchmark = benchmark;
        s->soft_ns = limit_ns(s->desc->budget->time_ns);
        s->hard_ns = limit_ns(s->desc->budget->time_most_ns);
    }
    block_begin(block, s->soft_ns, s->hard_ns,
                s->desc->slots->plan->left(s->desc->slots->plan, benchmark));
}

// Skips each case of the block that got no visit because no time was left. (A case that an
// interrupt left out has no result.)
static void settle(const struct scheduler *s, struct block *block)
{
    for (size_t i = 0; i < block->count && !s->interrupted; i++) {
        struct entry *entry = &block->entries[i];
        if (entry_is_open(entry) && collect_visits(entry->collect) == 0)
            entry_end(entry, VERDICT_SKIPPED, "out-of-time",
                      arena_printf(s->desc->run->arena,
                                   "the time budget of preset %s for %s was used up before this "
                                   "case: choose a longer preset or fewer values",
                                   s->desc->preset, entry->plan_case.benchmark->info.name));
    }
}

// True if the visits since the last watch must be judged before this block ends. This is so in the
// last block, if the benchmark's results are about to be shown, or if a watch adds little time.
static bool needs_watch(const struct scheduler *s, const struct block *block)
{
    const struct schedule_desc *desc = s->desc;
    if (s->interrupted || s->watcher.off || s->watcher.visited_ns == 0 || block->count == 0)
        return false;
    const struct benchmark *benchmark = block->entries[0].plan_case.benchmark;
    return s->last_block || s->watcher.visited_ns >= WATCHER_EVERY_NS / 2 ||
           (desc->benchmark_done && desc->slots->plan->left(desc->slots->plan, benchmark) == 0);
}

// Watches the device after a block; disturbed visits are usually repeated (watcher_watch). Returns
// true if a case still needs visits and has time.
static bool watch_rest(struct scheduler *s, struct block *block)
{
    if (!needs_watch(s, block))
        return false;
    watcher_watch(&s->watcher, block);
    for (size_t i = 0; i < block->count; i++)
        if (block_is_own(block, &block->entries[i]) && entry_wants_visit(&block->entries[i]))
            return !is_over(s, block);
    return false;
}

// True if the waiting counted visits must be made now: many cases wait, or no further cases of the
// benchmark can come.
static bool counts_now(const struct scheduler *s, const struct block *block)
{
    const struct plan *plan = s->desc->slots->plan;
    return s->last_block || s->uncounted.count >= UNCOUNTED_MOST ||
           (block->count > 0 && !plan->grows &&
            plan->left(plan, block->entries[0].plan_case.benchmark) == 0);
}

// Adds the block's cases to the cases that wait for a counted visit. Makes the counted visits if
// counts_now says so. If counters cannot be read, adds a finding, and later cases are not counted.
static void count_block(struct scheduler *s, const struct block *block)
{
    const struct schedule_desc *desc = s->desc;
    struct error why;
    if (!desc->counting || s->never_counted || s->interrupted)
        return;
    block_await_count(block, &s->uncounted);
    if (!counts_now(s, block) ||
        block_count(block, &s->uncounted, desc->counting, desc->interrupt, &why))
        return;
    s->interrupted |= why.code == ERROR_INTERRUPTED;
    s->never_counted = true;
    if (!s->interrupted)
        run_add_note(desc->run, BLOCK_UNCOUNTED, NULL,
                     tell(s, ": counters were not read", why.message, ""));
}

static void run_block(struct scheduler *s, struct block *block)
{
    set_times(s, block);
    do
        while (run_round(s, block))
            if (watcher_add_round(&s->watcher, s->desc->budget->rounds_min))
                watcher_watch(&s->watcher, block);
    while (watch_rest(s, block));
    settle(s, block);
    block_publish(block, s->desc->run->arena, s->interrupted ? BLOCK_INTERRUPTED : BLOCK_ENDED);
    watcher_block_end(&s->watcher, block);
    count_block(s, block);
    s->done += block->own;
}

static void report_if_done(const struct scheduler *s, const struct block *block)
{
    const struct schedule_desc *desc = s->desc;
    if (!desc->benchmark_done || block->count == 0)
        return;
    const struct benchmark *benchmark = block->entries[0].plan_case.benchmark;
    bool ends = s->interrupted || desc->slots->plan->left(desc->slots->plan, benchmark) == 0;
    if (ends)
        desc->benchmark_done(desc->context, desc->slots->device->id, benchmark->info.name);
    for (size_t p = 1; ends && benchmark->together && p < desc->slot_count; p++) {
        const struct device_slot *peer = &desc->slots[p];
        if (peer->plan->left(peer->plan, benchmark) == 0 &&
            run_count(desc->run, peer->device->id, benchmark->info.name).all)
            desc->benchmark_done(desc->context, peer->device->id, benchmark->info.name);
    }
}

// Fills the block from the plan until it is full or the plan pauses; returns false at the end.
static bool gather(struct plan *plan, struct block *block)
{
    while (block->own < PLAN_BLOCK_CASES) {
        struct plan_case plan_case;
        enum plan_step step = plan->next(plan, block->run, &plan_case);
        if (step != PLAN_CASE)
            return step == PLAN_PAUSE;
        block_add(block, &plan_case);
    }
    return true;
}

// Estimates the time of this device's plan and of the peers' plans, which are measured later.
static void start_forecast(struct scheduler *s)
{
    const struct schedule_desc *desc = s->desc;
    struct arena *arena = desc->run->arena;
    s->forecast = forecast_of_plan(arena, desc->slots->plan, desc->slots->device, desc->budget);
    for (size_t p = 1; p < desc->slot_count; p++) {
        const struct device_slot *peer = &desc->slots[p];
        struct forecast later = forecast_of_plan(arena, peer->plan, peer->device, desc->budget);
        forecast_add_later(&s->forecast, &later);
    }
}

bool schedule_run(const struct schedule_desc *desc)
{
    struct scheduler s = {.desc = desc, .saved_ns = clock_now_ns()};
    random_init(&s.random, desc->seed);
    for (size_t i = 0; i < desc->slot_count; i++)
        // the plan of another device may have given up this device when it was a peer
        desc->slots[i].given_up = NULL;
    watcher_init(&s.watcher, desc->slots->executor, desc->run->arena);
    watch_first(&s);
    start_forecast(&s);
    for (bool more = true; more && !s.interrupted;) {
        struct arena *arena = arena_create();
        struct block *block = ARENA_NEW(arena, struct block);
        *block = (struct block){.run = desc->run,
                                .budget = desc->budget,
                                .preset = desc->preset,
                                .slots = desc->slots,
                                .slot_count = desc->slot_count,
                                .arena = arena,
                                .base = desc->run->result_count};
        more = gather(desc->slots->plan, block);
        s.last_block = !more;
        run_block(&s, block);
        report_if_done(&s, block);
        arena_destroy(block->provisional);
        arena_destroy(arena);
    }
    if (s.uncounted.names && !s.never_counted)
        run_add_note(desc->run, BLOCK_UNCOUNTED, NULL,
                     tell(&s, ": fathom reads no counters of benchmarks", s.uncounted.names, ""));
    if (s.watcher.off)
        run_add_note(desc->run, "unwatched", NULL,
                     arena_printf(desc->run->arena, "other work on %s would go unnoticed: %s",
                                  desc->slots->device->id, s.watcher.why_off));
    watcher_fini(&s.watcher);
    return !s.interrupted;
}
