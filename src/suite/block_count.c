// SPDX-License-Identifier: MIT
// Counted visits of a block's cases.
#include "suite/block.h"
#include "suite/interrupt.h"

enum {
    LOSSES_MAX = 2 // after so many lost workers in a row, no further case is counted
};

static bool wants_count(const struct block *block, const struct entry *entry)
{
    return block_is_own(block, entry) && entry->plan_case.benchmark->counted && !entry->co_run &&
           entry->verdict == VERDICT_OK && collect_visits(entry->collect) > 0 &&
           !collect_failed(entry->collect) && !entry->slot->given_up;
}

// Makes the counted visit of a case. Its counters live as long as the run.
static bool count_entry(struct block *block, struct entry *entry,
                        const struct visit_counting *counting, struct error *err)
{
    const struct budget *budget = block->budget;
    const struct measure_request request = {.samples = 1,
                                            .sample_ns = budget->sample_ns,
                                            .timeout_ns = budget->timeout_ns,
                                            .any_clock = true,
                                            .round = collect_visits(entry->collect)};
    const struct visit_order order = {.benchmark = entry->plan_case.benchmark,
                                      .index = entry->plan_case.index,
                                      .bench_case = entry->plan_case.bench_case,
                                      .request = &request,
                                      .counting = counting};
    struct measure_visit *visit = NULL;
    if (!executor_visit(entry->slot->executor, &order, block->run->arena, &visit, err))
        return false;
    entry->counters = visit->counters;
    entry->counter_count = visit->counter_count;
    return true;
}

static void remark(struct block *block, struct entry *entry, const struct error *why)
{
    const struct reason reason = {
        .code = BLOCK_UNCOUNTED,
        .text = arena_printf(block->run->arena, "counters were not read: %s", why->message)};
    collect_remark(entry->collect, 0, &reason);
}

bool block_count(struct block *block, const struct visit_counting *counting,
                 struct interrupt *interrupt, struct error *err)
{
    bool any = false, more = true;
    for (size_t i = 0; i < block->count && more; i++) {
        struct entry *entry = &block->entries[i];
        if (!wants_count(block, entry))
            continue;
        if (interrupt_count(interrupt) > 0) {
            more = error_set(err, ERROR_INTERRUPTED, "interrupted");
            break;
        }
        any = true;
        if (count_entry(block, entry, counting, err))
            continue;
        more = err->code != ERROR_UNSUPPORTED && err->code != ERROR_INTERRUPTED &&
               executor_losses(entry->slot->executor) < LOSSES_MAX;
        if (more)
            remark(block, entry, err);
    }
    if (any)
        executor_rest(block->slots[0].executor);
    return more;
}
