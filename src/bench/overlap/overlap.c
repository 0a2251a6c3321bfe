// SPDX-License-Identifier: MIT
// Declares the benchmark overlap: its parameters, metrics, views and headlines, and the plan of its
// cases. METHOD.md explains how it measures.
#include "bench/overlap/session.h"
#include "bench/queue_pair.h"

static const struct param_info params[] = {
    {.key = "scenario",
     .type = PARAM_TEXT,
     .quick = "default,no-barriers,three,three-split",
     .standard = "default,no-barriers,three,three-split,high-priority,cross-queue,draws",
     .choices = "default|no-barriers|three|three-split|high-priority|cross-queue|draws|FILE",
     .help =
         "default: two chains of workloads on two queues; no-barriers: the same without waiting; "
         "three: C waits for A, B stands between them; three-split: the same with split "
         "barriers; high-priority: default, the compute queue at high priority; cross-queue: "
         "a chain from queue to queue; draws: two unordered draws and a dispatch after the "
         "second; FILE: a JSON file of your own, or its text"},
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
     .help = "where a barrier stands: right before the workload that waits, or right after the one "
             "that "
             "it waits for"},
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
                             .part_of = "frame",
                             .by_host = true,
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

enum overlap_param { // indices of the parameters in `params`
    OVERLAP_PARAM_SCENARIO,
    OVERLAP_PARAM_BARRIER,
    OVERLAP_PARAM_PLACE
};

// Returns the scenario of the case. pick->context must be the array of the chosen scenarios.
static const struct overlap_scenario *scenario_of(const struct bench_pick *pick)
{
    const struct overlap_scenario *const *scenarios = pick->context;
    return scenarios[pick->at[OVERLAP_PARAM_SCENARIO]];
}

// Returns the only kind of barrier that the scenario allows; NULL if it allows all.
static const char *only_kind(const struct overlap_scenario *scenario)
{
    if (!overlap_scenario_waits(scenario))
        return "none";
    if (scenario->split)
        return "split";
    return overlap_scenario_stays(scenario) ? NULL : "semaphore";
}

// Returns true if the parameter `place` has an effect: it puts a barrier after the awaited workload
// or before the waiting workload. A split barrier is in both places, a semaphore between
// submissions.
static bool has_place(unsigned kind)
{
    return kind != OVERLAP_BARRIER_NONE && kind != OVERLAP_BARRIER_SPLIT &&
           kind != OVERLAP_BARRIER_SEMAPHORE;
}

static void replace(const struct bench_pick *pick)
{
    if (pick->param == OVERLAP_PARAM_BARRIER) {
        const char *only = only_kind(scenario_of(pick));
        if (only)
            (void)case_value_set_text(pick->value, &params[pick->param], only);
    }
    if (pick->param == OVERLAP_PARAM_PLACE && !has_place(case_choice(&pick->c, "barrier")))
        *pick->value = pick->request->choices[pick->param].values[0];
}

// Returns false for barriers that the plan leaves out:
// - a barrier of a render target, if the device has no graphics or no workload waits for a draw
// - all barriers within a queue but the first, if the API has no split barriers (GPU_CAP(SPLITS)),
//   because all these barriers are then the same
static bool reach(const struct bench_pick *pick)
{
    gpu_caps caps = pick->request->device->caps;
    if (pick->param != OVERLAP_PARAM_BARRIER)
        return true;
    if (pick->value->choice == OVERLAP_BARRIER_TARGET &&
        !(caps & GPU_CAP(GRAPHICS) && overlap_scenario_waits_for_draw(scenario_of(pick))))
        return false;
    return caps & GPU_CAP(SPLITS) || pick->at[pick->param] == 0 ||
           pick->value->choice == OVERLAP_BARRIER_SEMAPHORE ||
           pick->value->choice == OVERLAP_BARRIER_NONE;
}

static bool is_wanted(const struct bench_pick *pick, struct error *err)
{
    (void)err;
    return pick->at[OVERLAP_PARAM_BARRIER] == 0 || !scenario_of(pick)->urgent;
}

static bool plan(const struct bench_request *request, struct bench_case_list *list,
                 struct error *err)
{
    const struct bench_choice *chosen = &request->choices[OVERLAP_PARAM_SCENARIO];
    const struct overlap_scenario **scenarios =
        ARENA_ARRAY(request->arena, chosen->value_count, const struct overlap_scenario *);
    for (size_t s = 0; s < chosen->value_count; s++) {
        scenarios[s] = overlap_scenario_get(request->arena, chosen->values[s].text, err);
        if (!scenarios[s])
            return false;
    }
    const struct bench_product product = {.request = request,
                                          .context = scenarios,
                                          .replace = replace,
                                          .reach = reach,
                                          .keep = is_wanted};
    return bench_plan_product(&product, list, err);
}

const struct benchmark bench_overlap = {
    .info = {.name = "overlap",
             .version = 3,
             .title = "What overlaps, and what a barrier costs",
             BENCHMARK_TABLE(param, params),
             BENCHMARK_TABLE(metric, metrics),
             BENCHMARK_TABLE(view, views),
             BENCHMARK_TABLE(headline, headlines)},
    .description =
        "Workloads on one or two queues wait at a semaphore and are released together. Every "
        "workgroup records its core and when it started and ended, by the device's clock. The "
        "time line then shows what ran at the same time, how long a barrier keeps the device idle, "
        "and whether two queues share the device. Each frame is checked: every record is there, no "
        "workload starts before one that it waits for, and each sees what that one wrote.",
    .slowness = 5,
    .needs = GPU_CAP(DEVICE_CLOCK) | GPU_CAP(HOLDS) | GPU_CAP(UNORDERED),
    .device = queue_pair_request,
    .plan = plan,
    .open = overlap_session_open,
    .close = overlap_session_close,
    .visit = overlap_visit,
    .put_scenarios = overlap_scenarios_put,
    .conclude = overlap_conclude,
};
