// SPDX-License-Identifier: MIT
#include "bench/occupancy/session.h"

#include <stdlib.h>

void occupancy_stays_of(const struct measure_clock *clock, const uint32_t *records, size_t count,
                        struct occupancy_stay *stays)
{
    const uint64_t first = measure_clock_stamp(records + OCCUPANCY_RECORD_START);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *record = records + i * OCCUPANCY_RECORD_WORDS;
        uint64_t start = measure_clock_stamp(record + OCCUPANCY_RECORD_START);
        uint64_t end = measure_clock_stamp(record + OCCUPANCY_RECORD_END);
        stays[i] = (struct occupancy_stay){.start_ns = measure_clock_offset_ns(clock, first, start),
                                           .end_ns = measure_clock_offset_ns(clock, first, end),
                                           .core = record[OCCUPANCY_RECORD_CORE]};
    }
}

struct event {
    double at_ns;
    uint32_t core;
    int change; // +1: a workgroup begins, −1: it ends
};

// Orders changes by time. If a workgroup ends when another one begins, the end comes first, because
// it may have made room for the other workgroup.
static int compare_times(const void *a, const void *b)
{
    const struct event *one = a, *other = b;
    if (one->at_ns != other->at_ns)
        return one->at_ns < other->at_ns ? -1 : 1;
    return (one->change > other->change) - (one->change < other->change);
}

static int compare_cores(const void *a, const void *b)
{
    const struct event *one = a, *other = b;
    if (one->core != other->core)
        return one->core < other->core ? -1 : 1;
    return compare_times(a, b);
}

// The workgroups of one core or of the whole chip: the maximum number at the same time, when this
// maximum was first reached, and whether another workgroup began later.
struct sweep {
    unsigned most;
    double full_ns;
    bool refilled;
};

static struct sweep sweep_of(const struct event *events, size_t count)
{
    struct sweep sweep = {0};
    int alive = 0;
    for (size_t i = 0; i < count; i++) {
        alive += events[i].change;
        if (events[i].change > 0)
            sweep.refilled = true;
        if (alive > (int)sweep.most)
            sweep = (struct sweep){.most = (unsigned)alive, .full_ns = events[i].at_ns};
    }
    return sweep;
}

static void note_core(struct occupancy_tally *tally, const struct event *events, size_t count)
{
    struct sweep core = sweep_of(events, count);
    if (tally->cores++ == 0 || core.most < tally->least)
        tally->least = core.most;
    if (core.most > tally->most) {
        tally->most = core.most;
        tally->fullest = 0;
        tally->fill_ns = core.full_ns - events[0].at_ns;
        tally->refilled = core.refilled;
    }
    tally->fullest += core.most == tally->most;
}

struct occupancy_tally occupancy_tally_of(struct arena *scratch, const struct occupancy_stay *stays,
                                          size_t count)
{
    struct arena_mark mark = arena_mark(scratch);
    struct event *events = ARENA_ARRAY(scratch, 2 * count, struct event);
    struct occupancy_tally tally = {0};
    for (size_t i = 0; i < count; i++) {
        events[2 * i] = (struct event){stays[i].start_ns, stays[i].core, 1};
        events[2 * i + 1] = (struct event){stays[i].end_ns, stays[i].core, -1};
    }
    qsort(events, 2 * count, sizeof *events, compare_times);
    tally.chip = sweep_of(events, 2 * count).most;
    qsort(events, 2 * count, sizeof *events, compare_cores);
    for (size_t begin = 0, end; begin < 2 * count; begin = end) {
        for (end = begin; end < 2 * count && events[end].core == events[begin].core;)
            end++;
        note_core(&tally, events + begin, end - begin);
    }
    arena_rewind(scratch, mark);
    return tally;
}
