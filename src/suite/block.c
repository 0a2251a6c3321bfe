// SPDX-License-Identifier: MIT
#include "suite/block.h"

#include "suite/together.h"

// ---------------------------------------------------------------- entries

bool block_is_own(const struct block *block, const struct entry *entry)
{
    return entry->party == &block->parties[0];
}

bool entry_is_open(const struct entry *entry)
{
    return entry->verdict == VERDICT_OK && !collect_done(entry->collect);
}

bool entry_wants_visit(const struct entry *entry)
{
    for (; entry; entry = entry->beside)
        if (entry_is_open(entry))
            return true;
    return false;
}

void entry_end(struct entry *entry, enum verdict verdict, const char *code, const char *why)
{
    entry->verdict = verdict;
    entry->code = code;
    entry->why = why;
}

static void fail_given_up(struct entry *entry)
{
    entry_end(entry, VERDICT_FAILED, "device-given-up", entry->party->given_up);
}

void block_give_up(struct block *block, struct party *party, const char *why)
{
    party->given_up = why;
    for (size_t i = 0; i < block->count; i++)
        if (block->entries[i].party == party && entry_is_open(&block->entries[i]))
            fail_given_up(&block->entries[i]);
}

// ---------------------------------------------------------------- opening them

static struct entry *open_entry(struct block *block, const struct plan_case *planned,
                                struct party *party)
{
    const struct schedule_desc *desc = block->desc;
    const struct collect_rule rule = {
        .goal = budget_goal(&planned->benchmark->info),
        .rounds_max = desc->budget->rounds_max,
        .budget_ns = desc->budget->case_ns,
    };
    struct entry *entry = &block->entries[block->count++];
    *entry = (struct entry){
        .planned = *planned,
        .party = party,
        .collect = collect_create(block->arena, &planned->benchmark->info, &rule),
        .result = run_add_result(desc->run),
        .verdict = VERDICT_OK,
    };
    struct error missing;
    block->own += block_is_own(block, entry);
    if (party->given_up)
        fail_given_up(entry);
    else if (!gpu_require(party->device, planned->benchmark->needs, &missing))
        entry_end(entry, VERDICT_SKIPPED, error_code_name(missing.code),
                  arena_strdup(desc->run->arena, missing.message));
    return entry;
}

static bool is_welcome(const struct entry *first, const struct party *guest)
{
    for (const struct entry *entry = first; entry; entry = entry->beside)
        if (entry->party->given_up ||
            !schedule_may_join(first->planned.bench_case, entry->party->device, guest->device))
            return false;
    return !guest->given_up && guest->plan->take;
}

// Each of those visited together names the others.
static void name_company(const struct block *block, struct entry *first)
{
    for (struct entry *entry = first; first->beside && entry; entry = entry->beside)
        for (const struct entry *other = first; other; other = other->beside)
            if (other != entry)
                entry->with =
                    arena_printf(block->desc->run->arena, "%s%s%s", entry->with ? entry->with : "",
                                 entry->with ? "," : "", other->party->device->id);
}

void block_add(struct block *block, const struct plan_case *planned)
{
    struct entry *first = open_entry(block, planned, &block->parties[0]), *last = first;
    if (!planned->benchmark->together)
        return;
    for (size_t p = 1; p <= block->desc->peer_count; p++) {
        struct party *guest = &block->parties[p];
        struct plan_case taken;
        if (is_welcome(first, guest) && guest->plan->take(guest->plan, planned->key, &taken))
            last = last->beside = open_entry(block, &taken, guest);
    }
    name_company(block, first);
}

// ---------------------------------------------------------------- their results

// A case that still wants visits and gets no more says why beside its numbers. So does one with too
// few of them while the run goes on: a run that is killed leaves its file as it is.
static void say_cut_short(const struct block *block, const struct entry *entry, struct arena *arena,
                          enum block_stage stage)
{
    unsigned rounds = collect_rounds(entry->collect);
    enum verdict verdict = rounds < COLLECT_ROUNDS_MIN ? VERDICT_SUSPECT : VERDICT_OK;
    if (stage == BLOCK_AT_WORK && verdict != VERDICT_OK)
        result_flag(arena, entry->result, verdict, "unfinished",
                    "the run had not finished this case: %u rounds of it", rounds);
    else if (stage == BLOCK_INTERRUPTED)
        result_flag(arena, entry->result, verdict, "interrupted",
                    "the run was interrupted after %u rounds of this case", rounds);
    else if (stage == BLOCK_ENDED)
        result_flag(arena, entry->result, verdict, "out-of-time",
                    "the %s preset's time for %s ended after %u rounds of this case",
                    block->desc->preset, entry->planned.benchmark->info.name, rounds);
}

static void fill_result(const struct block *block, struct entry *entry, struct arena *arena,
                        enum block_stage stage)
{
    const struct benchmark_info *info = &entry->planned.benchmark->info;
    *entry->result = (struct result){.key = entry->planned.key,
                                     .benchmark = info->name,
                                     .version = info->version,
                                     .device = entry->party->device->id,
                                     .bench_case = *entry->planned.bench_case};
    if (entry->with)
        schedule_add_with(arena, &entry->result->bench_case, entry->with);
    if (entry->verdict != VERDICT_OK) {
        result_flag(arena, entry->result, entry->verdict, entry->code, "%s", entry->why);
        return;
    }
    collect_result(entry->collect, arena, entry->result);
    if (entry_is_open(entry))
        say_cut_short(block, entry, arena, stage);
}

void block_publish(struct block *block, struct arena *arena, enum block_stage stage)
{
    struct run *run = block->desc->run;
    run->result_count = block->base;
    for (size_t i = 0; i < block->count; i++) {
        struct entry *entry = &block->entries[i];
        if (entry_is_open(entry) && collect_rounds(entry->collect) == 0)
            continue; // nothing to say about it
        fill_result(block, entry, arena, stage);
        run->results[run->result_count++] = entry->result;
    }
}
