// SPDX-License-Identifier: MIT
// Makes the counted visits of measured cases. A counted visit reads hardware counters.
#include "base/text.h"
#include "suite/block.h"
#include "suite/interrupt.h"

enum {
    // Counted visits end after this many lost workers in a row.
    LOSSES_MAX = 2,
    // Maximum length in ns of the work in a counted visit. In 1 ms, a card with 1.1 TB/s moves 1
    // GiB, which is enough. The profiler may repeat the work up to three times in each of its
    // passes.
    COUNTED_NS = 1000 * 1000
};

static bool is_measured(const struct block *block, const struct entry *entry)
{
    return block_is_own(block, entry) && entry->verdict == VERDICT_OK &&
           collect_visits(entry->collect) > 0 && !collect_failed(entry->collect);
}

static void add_remark(const struct block *block, struct result *result, const char *why)
{
    result_flag(block->run->arena, result, VERDICT_OK, BLOCK_UNCOUNTED,
                "counters were not read: %s", why);
}

static void add_name(struct arena *arena, struct uncounted *uncounted,
                     const struct benchmark *benchmark)
{
    const char *names = uncounted->names ? uncounted->names : "";
    if (uncounted->never != benchmark)
        uncounted->names = text_join(arena, names, ", ", benchmark->info.name);
    uncounted->never = benchmark;
}

void block_await_count(const struct block *block, struct uncounted *uncounted)
{
    struct arena *arena = block->run->arena;
    for (size_t i = 0; i < block->count; i++) {
        const struct entry *entry = &block->entries[i];
        const struct benchmark *benchmark = entry->plan_case.benchmark;
        if (!is_measured(block, entry))
            continue;
        if (!benchmark->counted) {
            add_name(arena, uncounted, benchmark);
            continue;
        }
        if (entry->co_run) {
            add_remark(block, entry->result, "work on several devices at once is not counted");
            continue;
        }
        uncounted->cases = arena_grow(arena, uncounted->cases, uncounted->count,
                                      &uncounted->capacity, sizeof *uncounted->cases);
        uncounted->cases[uncounted->count++] = (struct uncounted_case){
            entry->plan_case, entry->result, collect_visits(entry->collect)};
    }
}

// Makes the counted visit of a case, and stores its hardware counters in the case's result.
static bool count_case(const struct block *block, const struct uncounted_case *one,
                       const struct visit_counting *counting, struct error *err)
{
    const struct budget *budget = block->budget;
    bool is_long = budget->sample_ns > COUNTED_NS;
    const struct measure_request request = {.samples = 1,
                                            .sample_ns = is_long ? COUNTED_NS : budget->sample_ns,
                                            .timeout_ns = budget->timeout_ns,
                                            .any_clock = true,
                                            .round = one->visits};
    const struct visit_order order = {.benchmark = one->plan_case.benchmark,
                                      .index = one->plan_case.index,
                                      .bench_case = &one->result->bench_case,
                                      .request = &request,
                                      .counting = counting};
    struct measure_visit *visit = NULL;
    if (!executor_visit(block->slots[0].executor, &order, block->run->arena, &visit, err))
        return false;
    one->result->counters = visit->counters;
    one->result->counter_count = visit->counter_count;
    if (visit->counter_count == 0)
        add_remark(block, one->result, "the counted visit has no counter");
    return true;
}

bool block_count(const struct block *block, struct uncounted *uncounted,
                 const struct visit_counting *counting, struct interrupt *interrupt,
                 struct error *err)
{
    const struct device_slot *slot = &block->slots[0];
    bool any = false, more = true;
    for (size_t i = 0; i < uncounted->count && more; i++) {
        const struct uncounted_case *one = &uncounted->cases[i];
        if (slot->given_up) {
            add_remark(block, one->result, slot->given_up);
            continue;
        }
        if (interrupt_count(interrupt) > 0) {
            more = error_set(err, ERROR_INTERRUPTED, "interrupted");
            break;
        }
        any = true;
        if (count_case(block, one, counting, err))
            continue;
        more = err->code != ERROR_UNSUPPORTED && err->code != ERROR_INTERRUPTED &&
               executor_losses(slot->executor) < LOSSES_MAX;
        if (more)
            add_remark(block, one->result, err->message);
    }
    uncounted->count = 0;
    if (any)
        executor_rest(slot->executor);
    return more;
}
