// SPDX-License-Identifier: MIT
// What `overlap` is: its parameters, metrics and views, and the queues that it wants. METHOD.md
// says how it measures.
#include "bench/overlap/visit.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct param_info params[] = {
    {.key = "scenario",
     .type = PARAM_TEXT,
     .standard = "default,no-barriers,three",
     .choices = "default|no-barriers|three",
     .help = "default: two chains of workloads on two queues; no-barriers: the same, none waits; "
             "three: C waits for A, B stands between them"},
    {.key = "barrier",
     .type = PARAM_TEXT,
     .standard = "memory",
     .full = "memory,execution",
     .choices = "memory|execution",
     .help = "what stands before a workload that waits: a memory barrier, or one of execution "
             "alone"},
};

static const struct metric_info metrics[OVERLAP_METRIC_COUNT] = {
    [OVERLAP_METRIC_FRAME] = {"frame", UNIT_NS, BETTER_LOWER,
                              "from the first workgroup's start to the last one's end"},
    [OVERLAP_METRIC_SAME_QUEUE] = {"same_queue", UNIT_NONE, BETTER_HIGHER,
                                   "overlap of neighbours on a queue neither of which waits: 0 one "
                                   "after the other, 1 at once"},
    [OVERLAP_METRIC_CROSS_QUEUE] = {"cross_queue", UNIT_NONE, BETTER_HIGHER,
                                    "time in which both queues work, over the shorter of their "
                                    "working times"},
    [OVERLAP_METRIC_GAP] = {"barrier_gap", UNIT_NS, BETTER_LOWER,
                            "from the end of a workload to the start of the one that waits for it"},
    [OVERLAP_METRIC_SKEW] = {"release_skew", UNIT_NS, BETTER_LOWER,
                             "between the first starts of the two queues, released together"},
    [OVERLAP_METRIC_STRETCH] = {"stretch", UNIT_NONE, BETTER_LOWER,
                                "a workload's length in the frame over its length alone"},
    [OVERLAP_METRIC_GAIN] = {"gain", UNIT_NONE, BETTER_HIGHER,
                             "the workloads' lengths alone, summed, over the frame's length"},
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

static bool plan(const struct bench_request *request, struct bench_case_list *list,
                 struct error *err)
{
    (void)err;
    const struct bench_choice *scenario = bench_choice_find(request, "scenario");
    const struct bench_choice *barrier = bench_choice_find(request, "barrier");
    for (size_t s = 0; s < scenario->value_count; s++)
        for (size_t b = 0; b < barrier->value_count; b++) {
            bool none = strcmp(scenario->values[s].text, "no-barriers") == 0;
            if (b > 0 && none)
                continue;
            struct case_value *values = ARENA_ARRAY(request->arena, 2, struct case_value);
            values[0] = scenario->values[s];
            values[1] = barrier->values[b];
            if (none)
                values[1].text = "none";
            bench_case_add(request->arena, list,
                           (struct bench_case){.values = values, .value_count = 2});
        }
    return true;
}

// How many queues of a kind the device has.
static unsigned queues_of(const struct gpu_info *info, enum gpu_queue_kind kind)
{
    unsigned count = 0;
    for (unsigned f = 0; f < info->family_count; f++)
        if (info->families[f].kind == kind)
            count += info->families[f].count;
    return count;
}

// A compute queue beside the universal one, else a second universal one, else just that.
static void device(const struct gpu_info *info, struct gpu_device_desc *desc)
{
    desc->queue_count = 1;
    if (queues_of(info, GPU_QUEUE_COMPUTE) > 0)
        desc->queues[desc->queue_count++].kind = GPU_QUEUE_COMPUTE;
    else if (queues_of(info, GPU_QUEUE_UNIVERSAL) > 1)
        desc->queue_count++;
}

static const char *queue_text(const struct gpu_info *info, const struct overlap_session *session)
{
    if (!session->queues[OVERLAP_COMPUTE])
        return "one: the device has no second queue, so the compute queue's workloads follow on "
               "the direct queue";
    return queues_of(info, GPU_QUEUE_COMPUTE) > 0
               ? "two: the direct queue is universal, the compute queue is of a compute-only family"
               : "two: both universal, as there is no compute-only family";
}

static bool open(struct bench_session *bench, struct error *err)
{
    struct overlap_session *session = ARENA_NEW(bench->arena, struct overlap_session);
    bench->state = session;
    for (unsigned q = 0; q < OVERLAP_QUEUES_MAX; q++)
        session->queues[q] = gpu_device_queue(bench->device, q);
    session->queue_text = queue_text(bench->info, session);
    session->has_cores = bench->info->caps & GPU_CAP(CORE_ID);
    const char *name = session->has_cores ? "overlap_core" : "overlap";
    const struct gpu_program_desc program = {.kernel = kernel_find(name)};
    if (!program.kernel)
        return error_set(err, ERROR_UNSUPPORTED, "kernel %s is not in this build", name);
    if (!measure_clock_probe(bench->scope, &session->clock, err))
        return false;
    session->program = gpu_program_create(bench->scope, &program, err);
    return session->program != NULL;
}

const struct benchmark bench_overlap = {
    .info = {.name = "overlap",
             .version = 1,
             .title = "What overlaps, and what a barrier costs",
             .params = params,
             .param_count = COUNT(params),
             .metrics = metrics,
             .metric_count = COUNT(metrics),
             .views = views,
             .view_count = COUNT(views)},
    .description =
        "Workloads on one or two queues, held back by a semaphore and released together. Every "
        "workgroup writes down when it began and ended, by the device's own clock, and on which "
        "core: so the time line shows what ran beside what, how long a barrier keeps the device "
        "idle, and whether two queues share it. Each frame is checked: every record is there, no "
        "workload begins before one that it waits for, and sees what that one wrote.",
    .needs = GPU_CAP(DEVICE_CLOCK) | GPU_CAP(HOLDS) | GPU_CAP(UNORDERED),
    .device = device,
    .plan = plan,
    .open = open,
    .visit = overlap_visit,
};
