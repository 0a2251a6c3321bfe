// SPDX-License-Identifier: MIT
#include "bench/occupancy/tally.h"

#include <stdlib.h>

struct moment {
    double at_ns;
    uint32_t core;
    int change; // +1: a workgroup begins, −1: it ends
};

// Ends first: at the same reading of the clock one may have made room for the other.
static int compare_times(const void *a, const void *b)
{
    const struct moment *one = a, *other = b;
    if (one->at_ns != other->at_ns)
        return one->at_ns < other->at_ns ? -1 : 1;
    return (one->change > other->change) - (one->change < other->change);
}

static int compare_cores(const void *a, const void *b)
{
    const struct moment *one = a, *other = b;
    if (one->core != other->core)
        return one->core < other->core ? -1 : 1;
    return compare_times(a, b);
}

struct sweep {
    unsigned most;
    double full_ns;
    bool refilled;
};

static struct sweep sweep_of(const struct moment *moments, size_t count)
{
    struct sweep sweep = {0};
    int alive = 0;
    for (size_t i = 0; i < count; i++) {
        alive += moments[i].change;
        if (moments[i].change > 0)
            sweep.refilled = true;
        if (alive > (int)sweep.most)
            sweep = (struct sweep){.most = (unsigned)alive, .full_ns = moments[i].at_ns};
    }
    return sweep;
}

static size_t end_of_core(const struct moment *moments, size_t count, size_t begin)
{
    size_t end = begin;
    while (end < count && moments[end].core == moments[begin].core)
        end++;
    return end;
}

static void note_core(struct occupancy_tally *tally, const struct moment *moments, size_t count)
{
    struct sweep core = sweep_of(moments, count);
    if (tally->cores++ == 0 || core.most < tally->least)
        tally->least = core.most;
    if (core.most > tally->most) {
        tally->most = core.most;
        tally->fullest = 0;
        tally->fill_ns = core.full_ns - moments[0].at_ns;
        tally->refilled = core.refilled;
    }
    tally->fullest += core.most == tally->most;
}

struct occupancy_tally occupancy_tally_of(struct arena *scratch, const struct occupancy_stay *stays,
                                          size_t count)
{
    struct arena_mark mark = arena_mark(scratch);
    struct moment *moments = ARENA_ARRAY(scratch, 2 * count, struct moment);
    struct occupancy_tally tally = {0};
    for (size_t i = 0; i < count; i++) {
        moments[2 * i] = (struct moment){stays[i].start_ns, stays[i].core, 1};
        moments[2 * i + 1] = (struct moment){stays[i].end_ns, stays[i].core, -1};
    }
    qsort(moments, 2 * count, sizeof *moments, compare_times);
    tally.chip = sweep_of(moments, 2 * count).most;
    qsort(moments, 2 * count, sizeof *moments, compare_cores);
    for (size_t begin = 0, end; begin < 2 * count; begin = end) {
        end = end_of_core(moments, 2 * count, begin);
        note_core(&tally, moments + begin, end - begin);
    }
    arena_rewind(scratch, mark);
    return tally;
}
