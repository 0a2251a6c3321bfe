// SPDX-License-Identifier: MIT
#include "bench/overlap/segment.h"

#define BIT(number) (UINT32_C(1) << (number))

enum {
    NOWHERE = -1
};

bool overlap_segments_meet(const struct overlap_stage *stage, uint32_t which, size_t earlier,
                           size_t later)
{
    return which & BIT(later) && stage->scenario->workloads[later].after & which & BIT(earlier) &&
           (stage->barrier == OVERLAP_BARRIER_SEMAPHORE ||
            overlap_stage_queue(stage, earlier) != overlap_stage_queue(stage, later));
}

// The newest segment of each queue among those that hold what `w` waits for by semaphore.
static uint32_t after_of(const struct overlap_stage *stage, uint32_t which, size_t w)
{
    int newest[OVERLAP_QUEUES_MAX] = {NOWHERE, NOWHERE};
    uint32_t after = 0;
    for (size_t s = 0; s < stage->segment_count; s++)
        for (size_t p = 0; p < w; p++)
            if (stage->segments[s].workloads & BIT(p) && overlap_segments_meet(stage, which, p, w))
                newest[stage->segments[s].queue] = (int)s;
    for (unsigned q = 0; q < OVERLAP_QUEUES_MAX; q++)
        if (newest[q] != NOWHERE)
            after |= BIT(newest[q]);
    return after;
}

static bool is_met(const struct overlap_stage *stage, uint32_t which, size_t w)
{
    for (size_t later = w + 1; later < stage->scenario->count; later++)
        if (overlap_segments_meet(stage, which, w, later))
            return true;
    return false;
}

void overlap_segments_cut(struct overlap_stage *stage, uint32_t which)
{
    int open[OVERLAP_QUEUES_MAX] = {NOWHERE, NOWHERE};
    stage->segment_count = 0;
    for (size_t w = 0; w < stage->scenario->count; w++) {
        if (!(which & BIT(w)))
            continue;
        unsigned queue = overlap_stage_queue(stage, w);
        uint32_t after = after_of(stage, which, w);
        if (open[queue] == NOWHERE || after) {
            open[queue] = (int)stage->segment_count++;
            stage->segments[open[queue]] = (struct overlap_segment){.queue = queue, .after = after};
        }
        stage->segments[open[queue]].workloads |= BIT(w);
        if (is_met(stage, which, w))
            open[queue] = NOWHERE;
    }
}
