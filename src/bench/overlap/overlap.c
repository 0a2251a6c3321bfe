// SPDX-License-Identifier: MIT
// What `overlap` is: its parameters, metrics and views, and the queues that it wants. METHOD.md
// says how it measures.
#include "bench/overlap/scenario_file.h"
#include "bench/overlap/session.h"
#include "bench/overlap/visit.h"
#include "bench/queue_pair.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct param_info params[] = {
    {.key = "scenario",
     .type = PARAM_TEXT,
     .quick = "default,no-barriers,three,three-split",
     .standard = "default,no-barriers,three,three-split,high-priority,cross-queue,draws",
     .choices = "default|no-barriers|three|three-split|high-priority|cross-queue|draws|FILE",
     .help = "default: two chains of workloads on two queues; no-barriers: the same, none waits; "
             "three: C waits for A, B stands between them; three-split: the same with split "
             "barriers; high-priority: default, the compute queue at high priority; cross-queue: "
             "a chain from queue to queue; draws: two that wait for nobody, and a dispatch after "
             "them; FILE: as METHOD.md shows"},
    {.key = "barrier",
     .type = PARAM_TEXT,
     .quick = "memory",
     .standard = "memory,execution,buffer,image,full,split,semaphore,target",
     .full = "memory,execution,buffer,image,full,split,semaphore,target,none",
     .choices = "memory|execution|buffer|image|full|split|semaphore|target|none",
     .help = "what stands between a workload and one that waits for it: a barrier of memory, of "
             "execution alone, of the buffer's memory, of an image, of all stages and memory, one "
             "in two halves, a timeline semaphore between submissions, or after a draw of its "
             "target's colours; none: nothing waits"},
    {.key = "place",
     .type = PARAM_TEXT,
     .standard = "before",
     .full = "before,after",
     .choices = "before|after",
     .help = "where a barrier stands: right before what waits, or right after what is waited for"},
};

static const struct metric_info metrics[OVERLAP_METRIC_COUNT] = {
    [OVERLAP_METRIC_FRAME] = {.name = "frame",
                              .unit = UNIT_NS,
                              .better = BETTER_LOWER,
                              .help = "from the first workgroup's start to the last one's end"},
    [OVERLAP_METRIC_SAME_QUEUE] =
        {.name = "same_queue",
         .better = BETTER_HIGHER,
         .help = "overlap of dispatches that are neighbours on a queue and wait "
                 "for none: 0 one "
                 "after the other, 1 at once"},
    [OVERLAP_METRIC_CROSS_QUEUE] = {.name = "cross_queue",
                                    .better = BETTER_HIGHER,
                                    .help =
                                        "time in which both queues work, over the shorter of their "
                                        "working times"},
    [OVERLAP_METRIC_GAP] =
        {.name = "barrier_gap",
         .unit = UNIT_NS,
         .better = BETTER_LOWER,
         .help = "from the end of a dispatch to the start of the one that waits for it"},
    [OVERLAP_METRIC_SKEW] = {.name = "release_skew",
                             .unit = UNIT_NS,
                             .better = BETTER_LOWER,
                             .help =
                                 "between the first starts of the two queues, released together, "
                                 "where neither waits for the other"},
    [OVERLAP_METRIC_STRETCH] = {.name = "stretch",
                                .better = BETTER_LOWER,
                                .help = "a workload's length in the frame over its length alone"},
    [OVERLAP_METRIC_GAIN] = {.name = "gain",
                             .better = BETTER_HIGHER,
                             .help =
                                 "the workloads' lengths alone, summed, over the frame's length"},
    [OVERLAP_METRIC_DRAW_DISPATCH] =
        {.name = "draw_dispatch",
         .better = BETTER_HIGHER,
         .help = "overlap of a draw and a dispatch that are such neighbours"},
    [OVERLAP_METRIC_DRAW_DRAW] = {.name = "draw_draw",
                                  .better = BETTER_HIGHER,
                                  .help = "overlap of two draws that are such neighbours"},
    [OVERLAP_METRIC_DRAW_GAP] =
        {.name = "draw_gap",
         .unit = UNIT_NS,
         .better = BETTER_LOWER,
         .help = "from the end of a draw to the start of the dispatch that waits "
                 "for it"},
};

static const struct view_info views[] = {
    {.kind = VIEW_BARS,
     .title = "Length of a frame",
     .x = "scenario",
     .metric = "frame",
     .group = "barrier",
     .scale = "linear"},
    {.kind = VIEW_BARS,
     .title = "Workloads alone, summed, over the frame: above 1 they overlap",
     .x = "scenario",
     .metric = "gain",
     .group = "barrier",
     .scale = "linear"},
    {.kind = VIEW_TIMELINE,
     .title = "A typical frame",
     .x = "scenario",
     .metric = "frame",
     .group = "barrier"},
};

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_BEST,
     .title = "Overlap of two queues",
     .metric = "cross_queue",
     .where = "scenario=default"},
    {.kind = HEADLINE_BEST,
     .title = "Gap at a memory barrier",
     .metric = "barrier_gap",
     .where = "scenario=default,barrier=memory"},
};

// A case of these values; of kinds and places of barriers only what the scenario can tell apart.
struct combination {
    const struct overlap_scenario *scenario;
    const struct case_value *name, *barrier, *place;
};

// Every kind of barrier would be the same where the scenario leaves no choice.
static bool is_fixed(const struct overlap_scenario *scenario)
{
    return !overlap_scenario_stays(scenario) || scenario->split;
}

static enum overlap_barrier kind_of(const struct combination *c)
{
    if (!overlap_scenario_waits(c->scenario))
        return OVERLAP_BARRIER_NONE;
    if (c->scenario->split)
        return OVERLAP_BARRIER_SPLIT;
    return overlap_scenario_stays(c->scenario) ? overlap_barrier_find(c->barrier->text)
                                               : OVERLAP_BARRIER_SEMAPHORE;
}

// Splits stand in both places, semaphores between submissions.
static bool has_place(enum overlap_barrier kind)
{
    return kind != OVERLAP_BARRIER_NONE && kind != OVERLAP_BARRIER_SPLIT &&
           kind != OVERLAP_BARRIER_SEMAPHORE;
}

static bool is_case(const struct combination *c, size_t b, size_t p)
{
    return (b == 0 || !(is_fixed(c->scenario) || c->scenario->urgent)) &&
           (p == 0 || has_place(kind_of(c)));
}

// Of what a draw left in its target: only where something waits for a draw.
static bool has_target(const struct bench_request *request, const struct combination *c)
{
    return request->device->caps & GPU_CAP(GRAPHICS) &&
           overlap_scenario_waits_for_draw(c->scenario);
}

static void add_case(const struct bench_request *request, struct bench_case_list *list,
                     const struct combination *c, enum overlap_barrier kind)
{
    struct case_value *values = ARENA_ARRAY(request->arena, 3, struct case_value);
    values[0] = *c->name;
    values[1] = *c->barrier;
    values[1].text = overlap_barrier_name(kind);
    values[2] = *c->place;
    bench_case_add(request->arena, list, (struct bench_case){.values = values, .value_count = 3});
}

static void plan_scenario(const struct bench_request *request, struct bench_case_list *list,
                          const struct overlap_scenario *scenario, const struct case_value *name)
{
    const struct bench_choice *barrier = bench_choice_find(request, "barrier");
    const struct bench_choice *place = bench_choice_find(request, "place");
    // Streams know one kind of barrier, beside the events between them.
    bool kinds = request->device->caps & GPU_CAP(SPLITS);
    for (size_t b = 0; b < barrier->value_count; b++)
        for (size_t p = 0; p < place->value_count; p++) {
            const struct combination c = {scenario, name, &barrier->values[b], &place->values[p]};
            enum overlap_barrier kind = kind_of(&c);
            bool differs = kinds || b == 0 || kind == OVERLAP_BARRIER_SEMAPHORE ||
                           kind == OVERLAP_BARRIER_NONE || barrier->from_user;
            bool wanted = is_case(&c, b, p) && differs;
            if (kind == OVERLAP_BARRIER_TARGET && !barrier->from_user)
                wanted = wanted && has_target(request, &c);
            if (wanted)
                add_case(request, list, &c, kind);
        }
}

static bool plan(const struct bench_request *request, struct bench_case_list *list,
                 struct error *err)
{
    const struct bench_choice *scenario = bench_choice_find(request, "scenario");
    for (size_t s = 0; s < scenario->value_count; s++) {
        const struct case_value *name = &scenario->values[s];
        const struct overlap_scenario *found =
            overlap_scenario_get(request->arena, name->text, err);
        if (!found)
            return false;
        plan_scenario(request, list, found, name);
    }
    return true;
}

const struct benchmark bench_overlap = {
    .info = {.name = "overlap",
             .version = 2,
             .title = "What overlaps, and what a barrier costs",
             .params = params,
             .param_count = COUNT(params),
             .metrics = metrics,
             .metric_count = COUNT(metrics),
             .views = views,
             .view_count = COUNT(views),
             .headlines = headlines,
             .headline_count = COUNT(headlines)},
    .description =
        "Workloads on one or two queues, held back by a semaphore and released together. Every "
        "workgroup writes down when it began and ended, by the device's own clock, and on which "
        "core: so the time line shows what ran beside what, how long a barrier keeps the device "
        "idle, and whether two queues share it. Each frame is checked: every record is there, no "
        "workload begins before one that it waits for, and sees what that one wrote.",
    .needs = GPU_CAP(DEVICE_CLOCK) | GPU_CAP(HOLDS) | GPU_CAP(UNORDERED),
    .device = queue_pair_wish,
    .plan = plan,
    .open = overlap_session_open,
    .close = overlap_session_close,
    .visit = overlap_visit,
    .conclude = overlap_conclude,
};
