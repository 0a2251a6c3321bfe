// SPDX-License-Identifier: MIT
#include "bench/preempt/judge.h"

#include <math.h>

static const char *const names[JUDGE_COUNT] = {
    [JUDGE_ALONE] = "alone",
    [JUDGE_CO_RESIDENT] = "co-resident",
    [JUDGE_MID_SHADER] = "mid-shader",
    [JUDGE_IN_TURNS] = "in turns",
    [JUDGE_BOUNDARY] = "at a boundary",
    [JUDGE_WAITED] = "after a submission",
};

const char *judge_name(enum judge_entry entry)
{
    return names[entry];
}

// Workgroups of a submission that were there while the victim ran, and of them those that stood
// still all the time.
static void count_beside(const struct load_run *victim, const struct load_run *hog,
                         const struct judge_limits *limits, size_t *beside, size_t *still)
{
    double stop_ns = fmax(JUDGE_STILL * (victim->end_ns - victim->start_ns), limits->pause_ns);
    for (size_t g = 0; g < hog->group_count; g++) {
        const struct load_group *group = &hog->groups[g];
        if (group->start_ns >= victim->end_ns - limits->resolution_ns ||
            group->end_ns <= victim->start_ns + limits->resolution_ns)
            continue;
        ++*beside;
        *still += group->pause_ns > stop_ns;
    }
}

static double common_ns(const struct load_run *a, const struct load_run *b)
{
    return fmax(fmin(a->end_ns, b->end_ns) - fmax(a->start_ns, b->start_ns), 0);
}

// Is the submission around this victim longer than alone by what the victims took?
static bool is_drawn_out(const struct load_run *victim, const struct load_run *hogs,
                         size_t hog_count, const struct judge_limits *limits)
{
    for (size_t h = 0; h < hog_count; h++) {
        double victims_ns = 0;
        if (common_ns(victim, &hogs[h]) <= 0)
            continue;
        for (size_t v = 0; v < limits->victim_count; v++)
            victims_ns += common_ns(&limits->victims[v], &hogs[h]);
        if (hogs[h].end_ns - hogs[h].start_ns - limits->alone_ns >= JUDGE_STILL * victims_ns)
            return true;
    }
    return false;
}

enum judge_entry judge_entry_of(const struct load_run *victim, const struct load_run *hogs,
                                size_t hog_count, const struct judge_limits *limits)
{
    size_t beside = 0, still = 0;
    bool within = false, before = false;
    for (size_t h = 0; h < hog_count; h++) {
        count_beside(victim, &hogs[h], limits, &beside, &still);
        before = before || hogs[h].start_ns < victim->start_ns;
        within = within || (hogs[h].start_ns < victim->start_ns && hogs[h].end_ns > victim->end_ns);
    }
    bool hidden = limits->pause_ns > JUDGE_STILL * (victim->end_ns - victim->start_ns);
    if (beside && (2 * still >= beside || (hidden && limits->alone_ns > 0 &&
                                           is_drawn_out(victim, hogs, hog_count, limits))))
        return JUDGE_MID_SHADER;
    if (beside && victim->pause_ns >= JUDGE_STOPPED * (victim->end_ns - victim->start_ns))
        return JUDGE_IN_TURNS;
    if (beside)
        return JUDGE_CO_RESIDENT;
    return within ? JUDGE_BOUNDARY : before ? JUDGE_WAITED : JUDGE_ALONE;
}
