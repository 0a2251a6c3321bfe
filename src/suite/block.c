// SPDX-License-Identifier: MIT
#include "suite/block.h"

#include "base/clock.h"
#include "base/text.h"
#include "results/reasons.h"
#include "suite/select.h"

#include <string.h>

// ---------------------------------------------------------------- cases of a block

bool block_is_own(const struct block *block, const struct entry *entry)
{
    return entry->slot == &block->slots[0];
}

bool entry_is_open(const struct entry *entry)
{
    return entry->verdict == VERDICT_OK && !collect_done(entry->collect);
}

bool entry_wants_visit(const struct entry *entry)
{
    for (; entry; entry = entry->co_run)
        if (entry_is_open(entry))
            return true;
    return false;
}

// True if an unfinished case of `entry`, or of a later entry of its co-run, lacks rounds.
static bool lacks_rounds(const struct entry *entry, unsigned least)
{
    for (; entry; entry = entry->co_run)
        if (entry_is_open(entry) && collect_rounds(entry->collect) < least)
            return true;
    return false;
}

// True if an unfinished case, of `entry` or of a later entry of its co-run, should get late rounds:
// rounds beyond `least`, up to 4 × `least`. The interval decides only after `least` and 2 × `least`
// rounds, because after each round too many intervals would be narrow by chance.
static bool lacks_late_rounds(const struct entry *entry, unsigned least)
{
    for (; entry; entry = entry->co_run) {
        unsigned rounds = collect_rounds(entry->collect);
        bool decides = rounds == least || rounds == 2 * least;
        if (entry_is_open(entry) && rounds < 4 * least &&
            !(decides && collect_precise(entry->collect)))
            return true;
    }
    return false;
}

// Returns the end of the time for `cases` of `left` cases. These cases share the time until end_ns
// equally.
static uint64_t share_ns(uint64_t end_ns, size_t cases, size_t left)
{
    return end_ns == UINT64_MAX ? end_ns : clock_deadline_ns(clock_left_ns(end_ns) / left * cases);
}

void block_begin(struct block *block, uint64_t soft_ns, uint64_t hard_ns, size_t left)
{
    left += block->own;
    block->began_ns = clock_now_ns();
    block->soft_ns = share_ns(soft_ns, block->own, left);
    // The hard deadline is more generous, because some cases need the time for rounds_min rounds,
    // and other blocks may need less than their share.
    size_t generous = block->own + block->own / 2;
    block->hard_ns = share_ns(hard_ns, generous < left ? generous : left, left);
}

bool block_has_time(struct block *block, const struct entry *entry)
{
    static const uint64_t late_part = 5;
    uint64_t now_ns = clock_now_ns();
    unsigned least = block->budget->rounds_min;
    if (now_ns <= block->soft_ns || lacks_rounds(entry, least))
        return true;
    if (!block->late_ns)
        block->late_ns = now_ns + (now_ns - block->began_ns) / late_part;
    return now_ns <= block->late_ns && lacks_late_rounds(entry, least);
}

void block_compile_ahead(struct block *block, struct visit_order *order)
{
    if (block->compiled || !order->benchmark->programs)
        return;
    block->compiled = true;
    const struct bench_case **cases =
        ARENA_ARRAY(block->arena, block->count, const struct bench_case *);
    order->ahead = cases;
    for (size_t i = 0; i < block->count; i++)
        if (block_is_own(block, &block->entries[i]) && entry_is_open(&block->entries[i]))
            cases[order->ahead_count++] = block->entries[i].plan_case.bench_case;
}

void entry_end(struct entry *entry, enum verdict verdict, const char *code, const char *why)
{
    entry->verdict = verdict;
    entry->code = code;
    entry->why = why;
}

static void fail_given_up(struct entry *entry)
{
    entry_end(entry, VERDICT_FAILED, "device-given-up", entry->slot->given_up);
}

void block_give_up(struct block *block, struct device_slot *slot, const char *why)
{
    slot->given_up = why;
    for (size_t i = 0; i < block->count; i++)
        if (block->entries[i].slot == slot && entry_is_open(&block->entries[i]))
            fail_given_up(&block->entries[i]);
}

// ---------------------------------------------------------------- adding cases

static struct entry *open_entry(struct block *block, const struct plan_case *plan_case,
                                struct device_slot *slot)
{
    const struct collect_rule rule = {
        .goal = budget_goal(plan_case->benchmark),
        .rounds_min = block->budget->rounds_min,
        .rounds_max = block->budget->rounds_max,
        .budget_ns = block->budget->case_ns,
        .alone = slot->device->kind != GPU_KIND_CPU && !plan_case->benchmark->link,
        .any_clock = plan_case->any_clock,
    };
    struct entry *entry = &block->entries[block->count++];
    *entry = (struct entry){
        .plan_case = *plan_case,
        .slot = slot,
        .collect = collect_create(block->arena, &plan_case->benchmark->info, &rule),
        .result = run_add_result(block->run),
        .verdict = VERDICT_OK,
    };
    struct error missing;
    block->own += block_is_own(block, entry);
    if (slot->given_up)
        fail_given_up(entry);
    else if (!gpu_require(slot->device, plan_case->benchmark->needs, &missing))
        entry_end(entry, VERDICT_SKIPPED, error_code_name(missing.code),
                  arena_strdup(block->run->arena, missing.message));
    return entry;
}

// True if the case's value "together" lets these devices measure it together. "auto" allows
// different chips, and "yes" allows any devices. "no" or a missing value forbids it.
static bool may_co_run(const struct bench_case *bench_case, const struct gpu_info *device,
                       const struct gpu_info *other)
{
    const struct case_value *together = case_find(bench_case, "together");
    if (!together || strcmp(together->text, "no") == 0)
        return false;
    return strcmp(together->text, "yes") == 0 || !select_same_chip(device, other);
}

static bool peer_may_join(const struct entry *first, const struct device_slot *peer)
{
    for (const struct entry *entry = first; entry; entry = entry->co_run)
        if (entry->slot->given_up ||
            !may_co_run(first->plan_case.bench_case, entry->slot->device, peer->device))
            return false;
    return !peer->given_up && peer->plan->take;
}

// Stores the ids of the other devices of a co-run in entry->with of each entry.
static void name_co_run(const struct block *block, struct entry *first)
{
    for (struct entry *entry = first; first->co_run && entry; entry = entry->co_run)
        for (const struct entry *other = first; other; other = other->co_run)
            if (other != entry)
                entry->with = text_join(block->run->arena, entry->with ? entry->with : "", ",",
                                        other->slot->device->id);
}

void block_add(struct block *block, const struct plan_case *plan_case)
{
    struct entry *first = open_entry(block, plan_case, &block->slots[0]), *last = first;
    if (!plan_case->benchmark->together)
        return;
    for (size_t i = 1; i < block->slot_count; i++) {
        struct device_slot *peer = &block->slots[i];
        struct plan_case taken;
        if (peer_may_join(first, peer) && peer->plan->take(peer->plan, plan_case->key, &taken))
            last = last->co_run = open_entry(block, &taken, peer);
    }
    name_co_run(block, first);
}

// ---------------------------------------------------------------- results of cases

// Adds a reason to the result of an unfinished case:
// - "unfinished" in a block at work, if the case has few rounds; a killed run keeps this reason
// - "interrupted" after an interrupt
// - "out-of-time" if the block has ended and the case is imprecise or has few rounds
//
// A case with few rounds (fewer than rounds_min) also gets the verdict "suspect".
static void flag_cut_short(const struct block *block, const struct entry *entry,
                           struct arena *arena, enum block_stage stage)
{
    unsigned rounds = collect_rounds(entry->collect);
    const char *after = text_count(arena, rounds, "round");
    enum verdict verdict = rounds < block->budget->rounds_min ? VERDICT_SUSPECT : VERDICT_OK;
    if (stage == BLOCK_AT_WORK && verdict != VERDICT_OK)
        result_flag(arena, entry->result, verdict, REASON_UNFINISHED, "not finished: %s measured",
                    after);
    else if (stage == BLOCK_INTERRUPTED)
        result_flag(arena, entry->result, verdict, "interrupted", "interrupted after %s", after);
    else if (stage == BLOCK_ENDED && (verdict != VERDICT_OK || !collect_precise(entry->collect)))
        result_flag(arena, entry->result, verdict, "out-of-time",
                    "the time budget of preset %s for %s was used up after %s", block->preset,
                    entry->plan_case.benchmark->info.name, after);
}

// Adds the value "with" to a copy of the case's values, because the originals belong to the plan.
static void add_with(struct arena *arena, struct bench_case *bench_case, const char *with)
{
    struct case_value *values = ARENA_ARRAY(arena, bench_case->value_count + 1, struct case_value);
    memcpy(values, bench_case->values, bench_case->value_count * sizeof *values);
    values[bench_case->value_count] =
        (struct case_value){.key = "with", .type = PARAM_TEXT, .role = PARAM_METHOD, .text = with};
    bench_case->values = values;
    bench_case->value_count++;
}

static void fill_result(const struct block *block, struct entry *entry, struct arena *arena,
                        enum block_stage stage)
{
    const struct benchmark_info *info = &entry->plan_case.benchmark->info;
    *entry->result = (struct result){.key = entry->plan_case.key,
                                     .benchmark = info->name,
                                     .version = info->version,
                                     .device = entry->slot->device->id,
                                     .bench_case = *entry->plan_case.bench_case};
    if (entry->with)
        add_with(arena, &entry->result->bench_case, entry->with);
    if (entry->verdict != VERDICT_OK) {
        result_flag(arena, entry->result, entry->verdict, entry->code, "%s", entry->why);
        return;
    }
    collect_result(entry->collect, arena, entry->result);
    result_mark_floating(info, entry->result);
    if (entry_is_open(entry))
        flag_cut_short(block, entry, arena, stage);
}

void block_publish(struct block *block, struct arena *arena, enum block_stage stage)
{
    struct run *run = block->run;
    run->result_count = block->base;
    for (size_t i = 0; i < block->count; i++) {
        struct entry *entry = &block->entries[i];
        if (entry_is_open(entry) && collect_visits(entry->collect) == 0)
            continue;
        fill_result(block, entry, arena, stage);
        run->results[run->result_count++] = entry->result;
    }
}
