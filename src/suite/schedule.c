// SPDX-License-Identifier: MIT
#include "suite/schedule.h"

#include "base/clock.h"
#include "math/random.h"
#include "measure/collect.h"
#include "suite/interrupt.h"
#include "suite/together.h"

// A case of the block at work.
struct entry {
    struct plan_case planned;
    const struct schedule_peer *peer; // whose case it is; NULL: the schedule's own device's
    struct entry *beside;             // the next one visited at the same time; NULL: none
    const char *with;                 // names the others; NULL: it is visited alone
    struct collect *collect;
    struct result *result;
    // Ended by something else than its collect: VERDICT_OK here = it was not.
    enum verdict verdict;
    const char *code, *why;
};

struct block {
    struct arena *arena;       // as long as the block
    struct arena *provisional; // results of the block as they stand; NULL: nobody asked
    struct entry entries[PLAN_BLOCK_CASES * (1 + SCHEDULE_PEERS_MAX)];
    size_t count;
    size_t own;                // of them the schedule's own device's
    size_t base;               // results in the run before it
    uint64_t soft_ns, hard_ns; // when its time ends: after enough rounds, and anyway
};

struct scheduler {
    const struct schedule_desc *desc;
    struct random random;
    uint64_t start_ns, saved_ns;
    const struct benchmark *benchmark; // whose time runs
    uint64_t soft_ns, hard_ns;         // when it ends
    size_t done;                       // cases of finished blocks
    bool interrupted;
    const char *given_up; // why no more visits are made on this device; NULL: they are
};

// ---------------------------------------------------------------- entries

static bool is_open(const struct entry *entry)
{
    return entry->verdict == VERDICT_OK && !collect_done(entry->collect);
}

// One of those that are visited together still wants it.
static bool wants_visit(const struct entry *entry)
{
    for (; entry; entry = entry->beside)
        if (is_open(entry))
            return true;
    return false;
}

static const struct gpu_info *device_of(const struct scheduler *s, const struct entry *entry)
{
    return entry->peer ? entry->peer->device : s->desc->device;
}

static struct executor *executor_of(const struct scheduler *s, const struct entry *entry)
{
    return entry->peer ? entry->peer->executor : s->desc->executor;
}

static void end_entry(struct entry *entry, enum verdict verdict, const char *code, const char *why)
{
    entry->verdict = verdict;
    entry->code = code;
    entry->why = why;
}

static struct entry *open_entry(const struct scheduler *s, struct block *block,
                                const struct plan_case *planned, const struct schedule_peer *peer)
{
    const struct schedule_desc *desc = s->desc;
    const struct collect_rule rule = {
        .goal = effort_goal(&planned->benchmark->info),
        .rounds_max = desc->effort->rounds_max,
        .budget_ns = desc->effort->case_ns,
    };
    struct entry *entry = &block->entries[block->count++];
    *entry = (struct entry){
        .planned = *planned,
        .peer = peer,
        .collect = collect_create(block->arena, &planned->benchmark->info, &rule),
        .result = run_add_result(desc->run),
        .verdict = VERDICT_OK,
    };
    struct error missing;
    block->own += peer == NULL;
    if (s->given_up)
        end_entry(entry, VERDICT_FAILED, "device-given-up", s->given_up);
    else if (!gpu_require(device_of(s, entry), planned->benchmark->needs, &missing))
        end_entry(entry, VERDICT_SKIPPED, error_code_name(missing.code),
                  arena_strdup(desc->run->arena, missing.message));
    return entry;
}

// Why a case that still wanted visits gets no more: it says so beside its numbers.
static void say_cut_short(const struct scheduler *s, const struct entry *entry, struct arena *arena)
{
    unsigned rounds = collect_rounds(entry->collect);
    enum verdict verdict = rounds < COLLECT_ROUNDS_MIN ? VERDICT_SUSPECT : VERDICT_OK;
    if (s->interrupted)
        result_doubt(arena, entry->result, verdict, "interrupted",
                     "the run was interrupted after %u rounds of this case", rounds);
    else
        result_doubt(arena, entry->result, verdict, "out-of-time",
                     "the %s preset's time for %s ended after %u rounds of this case",
                     s->desc->preset, entry->planned.benchmark->info.name, rounds);
}

static void fill_result(const struct scheduler *s, struct entry *entry, struct arena *arena,
                        bool is_final)
{
    const struct benchmark_info *info = &entry->planned.benchmark->info;
    *entry->result = (struct result){.key = entry->planned.key,
                                     .benchmark = info->name,
                                     .version = info->version,
                                     .device = device_of(s, entry)->id,
                                     .point = *entry->planned.point};
    if (entry->with)
        schedule_add_with(arena, &entry->result->point, entry->with);
    if (entry->verdict != VERDICT_OK) {
        result_doubt(arena, entry->result, entry->verdict, entry->code, "%s", entry->why);
        return;
    }
    collect_result(entry->collect, arena, entry->result);
    if (is_final && is_open(entry))
        say_cut_short(s, entry, arena);
}

// Puts what is known of the block's cases into the run, in the order of the plan.
static void publish(const struct scheduler *s, struct block *block, struct arena *arena,
                    bool is_final)
{
    struct run *run = s->desc->run;
    run->result_count = block->base;
    for (size_t i = 0; i < block->count; i++) {
        struct entry *entry = &block->entries[i];
        if (entry->verdict == VERDICT_OK && collect_rounds(entry->collect) == 0 &&
            !collect_done(entry->collect))
            continue; // nothing to say about it
        fill_result(s, entry, arena, is_final);
        run->results[run->result_count++] = entry->result;
    }
}

// ---------------------------------------------------------------- watching and saving

static double fraction_of(const struct entry *entry)
{
    if (!wants_visit(entry))
        return 1;
    double share = collect_rounds(entry->collect) / (double)COLLECT_ROUNDS_MIN;
    return share < 0.95 ? share : 0.95; // more rounds than that may follow
}

static void show(const struct scheduler *s, const struct block *block, const char *key)
{
    const struct schedule_desc *desc = s->desc;
    if (!desc->progress)
        return;
    struct schedule_state state = {.device = desc->device->id,
                                   .key = key,
                                   .done = s->done,
                                   .total = desc->plan->total,
                                   .elapsed_ns = clock_now_ns() - s->start_ns};
    double work = (double)s->done;
    for (size_t i = 0; i < block->count; i++)
        if (!block->entries[i].peer) {
            work += fraction_of(&block->entries[i]);
            state.done += !wants_visit(&block->entries[i]);
        }
    if (state.total)
        state.fraction = work / (double)state.total;
    desc->progress(desc->context, &state);
}

static void save(struct scheduler *s, struct block *block)
{
    const struct schedule_desc *desc = s->desc;
    if (!desc->save || clock_now_ns() - s->saved_ns < desc->save_ns)
        return;
    arena_destroy(block->provisional);
    block->provisional = arena_create();
    publish(s, block, block->provisional, false);
    desc->save(desc->context);
    s->saved_ns = clock_now_ns();
}

// ---------------------------------------------------------------- visits

static void note_losses(struct scheduler *s, const struct entry *entry, const struct error *last)
{
    if (executor_losses(executor_of(s, entry)) < SCHEDULE_LOSSES_MAX)
        return;
    s->given_up = arena_printf(s->desc->run->arena,
                               "%s was given up after %d workers lost in a row; the last: %s",
                               device_of(s, entry)->id, SCHEDULE_LOSSES_MAX, last->message);
}

static struct measure_request request_for(const struct scheduler *s, const struct entry *entry)
{
    const struct effort *effort = s->desc->effort;
    return (struct measure_request){
        .samples = effort->samples,
        .sample_ns = effort->sample_ns,
        .timeout_ns = effort->timeout_ns,
        .round = collect_rounds(entry->collect),
    };
}

static void note_visit(struct scheduler *s, struct entry *entry, const struct measure_visit *visit,
                       const struct error *failure)
{
    if (visit) {
        collect_visit(entry->collect, visit);
    } else if (failure->code == ERROR_INTERRUPTED) {
        s->interrupted = true;
    } else {
        collect_failure(entry->collect, failure);
        note_losses(s, entry, failure);
    }
}

static void visit_alone(struct scheduler *s, struct entry *entry)
{
    const struct measure_request request = request_for(s, entry);
    struct arena *arena = arena_create();
    struct measure_visit *brought = NULL;
    struct error failure = {.code = ERROR_NONE};
    bool done =
        executor_visit(executor_of(s, entry), entry->planned.benchmark, entry->planned.index,
                       entry->planned.point, &request, arena, &brought, &failure);
    note_visit(s, entry, done ? brought : NULL, &failure);
    arena_destroy(arena);
}

// Those that want no more visits are visited all the same: the others keep their company.
static void visit_together(struct scheduler *s, struct entry *first)
{
    struct executor_part parts[1 + SCHEDULE_PEERS_MAX] = {{0}};
    struct measure_request requests[1 + SCHEDULE_PEERS_MAX];
    struct entry *entries[1 + SCHEDULE_PEERS_MAX];
    struct arena *arena = arena_create();
    size_t count = 0;
    for (struct entry *entry = first; entry; entry = entry->beside) {
        if (entry->verdict != VERDICT_OK || collect_failed(entry->collect))
            continue;
        requests[count] = request_for(s, entry);
        parts[count] = (struct executor_part){.executor = executor_of(s, entry),
                                              .index = entry->planned.index,
                                              .point = entry->planned.point,
                                              .request = &requests[count]};
        entries[count++] = entry;
    }
    executor_visit_together(first->planned.benchmark, parts, count, arena);
    schedule_note_common(parts, count);
    for (size_t i = 0; i < count; i++)
        if (is_open(entries[i]))
            note_visit(s, entries[i], parts[i].done ? parts[i].visit : NULL, &parts[i].failure);
    arena_destroy(arena);
}

static void visit(struct scheduler *s, struct entry *entry)
{
    if (entry->beside)
        visit_together(s, entry);
    else
        visit_alone(s, entry);
}

static bool is_over(struct scheduler *s, const struct block *block, unsigned round)
{
    s->interrupted |= interrupt_count(s->desc->interrupt) > 0;
    uint64_t end_ns = round < COLLECT_ROUNDS_MIN ? block->hard_ns : block->soft_ns;
    return s->interrupted || s->given_up || clock_now_ns() > end_ns;
}

// One round; false when no other one is wanted.
static bool run_round(struct scheduler *s, struct block *block, unsigned round)
{
    size_t order[PLAN_BLOCK_CASES], count = 0;
    for (size_t i = 0; i < block->count; i++)
        if (!block->entries[i].peer && wants_visit(&block->entries[i]))
            order[count++] = i;
    random_shuffle(&s->random, order, count);
    for (size_t i = 0; i < count; i++) {
        if (is_over(s, block, round))
            return false;
        show(s, block, block->entries[order[i]].planned.key);
        visit(s, &block->entries[order[i]]);
        save(s, block);
    }
    return count > 0;
}

// ---------------------------------------------------------------- blocks

static uint64_t limit_ns(uint64_t ns)
{
    return ns ? clock_deadline_ns(ns) : UINT64_MAX;
}

// `cases` of `left` cases get that share of what is left until `end_ns`.
static uint64_t share_ns(uint64_t end_ns, size_t cases, size_t left)
{
    return end_ns == UINT64_MAX ? end_ns : clock_deadline_ns(clock_left_ns(end_ns) / left * cases);
}

// Cases are not equally long: for the fewest rounds a block may take half as much again as its
// share. What the cheap ones leave would otherwise be time that nobody used.
static uint64_t generous_share_ns(uint64_t end_ns, size_t cases, size_t left)
{
    size_t generous = cases + cases / 2;
    return share_ns(end_ns, generous < left ? generous : left, left);
}

static void set_times(struct scheduler *s, struct block *block)
{
    if (block->count == 0)
        return;
    const struct benchmark *benchmark = block->entries[0].planned.benchmark;
    if (s->benchmark != benchmark) {
        s->benchmark = benchmark;
        s->soft_ns = limit_ns(s->desc->effort->time_ns);
        s->hard_ns = limit_ns(s->desc->effort->time_most_ns);
    }
    size_t left = block->own + s->desc->plan->left(s->desc->plan, benchmark);
    block->soft_ns = share_ns(s->soft_ns, block->own, left);
    block->hard_ns = generous_share_ns(s->hard_ns, block->own, left);
}

// What was never visited: skipped for lack of time, failed with the device, or left out.
static void settle(const struct scheduler *s, struct block *block)
{
    for (size_t i = 0; i < block->count; i++) {
        struct entry *entry = &block->entries[i];
        if (!is_open(entry))
            continue;
        if (s->given_up)
            end_entry(entry, VERDICT_FAILED, "device-given-up", s->given_up);
        else if (!s->interrupted && collect_rounds(entry->collect) == 0)
            end_entry(entry, VERDICT_SKIPPED, "out-of-time",
                      arena_printf(s->desc->run->arena,
                                   "the %s preset's time for %s ended before this case: take a "
                                   "longer preset, or fewer values",
                                   s->desc->preset, entry->planned.benchmark->info.name));
    }
}

static void run_block(struct scheduler *s, struct block *block)
{
    set_times(s, block);
    for (unsigned round = 0; run_round(s, block, round); round++)
        continue;
    settle(s, block);
    publish(s, block, s->desc->run->arena, true);
    s->done += block->own;
}

static void tell_if_done(const struct scheduler *s, const struct block *block)
{
    const struct schedule_desc *desc = s->desc;
    if (!desc->benchmark_done || block->count == 0)
        return;
    const struct benchmark *benchmark = block->entries[0].planned.benchmark;
    bool ends = s->interrupted || desc->plan->left(desc->plan, benchmark) == 0;
    if (ends)
        desc->benchmark_done(desc->context, desc->device->id, benchmark->info.name);
    for (size_t p = 0; ends && benchmark->together && p < desc->peer_count; p++)
        if (desc->peers[p].plan->left(desc->peers[p].plan, benchmark) == 0 &&
            schedule_has_results(desc->run, desc->peers[p].device->id, benchmark))
            desc->benchmark_done(desc->context, desc->peers[p].device->id, benchmark->info.name);
}

// The same case of other devices, to be visited at the same time.
static void find_company(const struct scheduler *s, struct block *block, struct entry *first)
{
    const struct schedule_desc *desc = s->desc;
    struct entry *last = first;
    if (!first->planned.benchmark->together)
        return;
    for (size_t p = 0; p < desc->peer_count; p++) {
        const struct schedule_peer *peer = &desc->peers[p];
        struct plan_case planned;
        bool welcome = true;
        for (const struct entry *entry = first; entry && welcome; entry = entry->beside)
            welcome = schedule_may_join(first->planned.point, device_of(s, entry), peer->device);
        if (welcome && peer->plan->take &&
            peer->plan->take(peer->plan, first->planned.key, &planned))
            last = last->beside = open_entry(s, block, &planned, peer);
    }
    for (struct entry *entry = first; first->beside && entry; entry = entry->beside)
        for (const struct entry *other = first; other; other = other->beside)
            if (other != entry)
                entry->with =
                    arena_printf(desc->run->arena, "%s%s%s", entry->with ? entry->with : "",
                                 entry->with ? "," : "", device_of(s, other)->id);
}

// Fills the block until the plan pauses or ends; false when the plan has ended.
static bool gather(const struct scheduler *s, struct block *block)
{
    struct plan *plan = s->desc->plan;
    while (block->own < PLAN_BLOCK_CASES) {
        struct plan_case planned;
        enum plan_step step = plan->next(plan, s->desc->run, &planned);
        if (step != PLAN_CASE)
            return step == PLAN_PAUSE;
        find_company(s, block, open_entry(s, block, &planned, NULL));
    }
    return true;
}

bool schedule_run(const struct schedule_desc *desc)
{
    struct scheduler s = {.desc = desc, .start_ns = clock_now_ns()};
    s.saved_ns = s.start_ns;
    random_init(&s.random, desc->seed);
    for (bool more = true; more && !s.interrupted;) {
        struct arena *arena = arena_create();
        struct block *block = ARENA_NEW(arena, struct block);
        block->arena = arena;
        block->base = desc->run->result_count;
        more = gather(&s, block);
        run_block(&s, block);
        tell_if_done(&s, block);
        arena_destroy(block->provisional);
        arena_destroy(arena);
    }
    return !s.interrupted;
}
