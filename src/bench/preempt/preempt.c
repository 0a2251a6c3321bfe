// SPDX-License-Identifier: MIT
// What `preempt` is: its parameters, metrics and views. METHOD.md says how it measures.
#include "bench/preempt/process.h"
#include "bench/preempt/rig.h"
#include "bench/preempt/visit.h"
#include "bench/queue_pair.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct param_info params[] = {
    {.key = "hog",
     .type = PARAM_TEXT,
     .quick = "none,big-dispatch",
     .standard = "none,baseline,many-draws,many-dispatches,big-dispatch,slow-shader",
     .choices = "none|baseline|many-draws|many-dispatches|big-dispatch|slow-shader",
     .help = "what keeps the device busy: frames of moderate dispatches; submissions of many small "
             "draws or dispatches, of one of many workgroups, of one whose workgroups each take as "
             "long as all"},
    {.key = "setting",
     .type = PARAM_TEXT,
     .quick = "nearest",
     .standard = "queues,devices,processes",
     .choices = "queues|devices|processes|nearest",
     .help = "where the victim runs: on another queue of the hog's device, on a device of its own, "
             "or in another process than the hog; nearest: the first of these that there is"},
    {.key = "priority",
     .type = PARAM_TEXT,
     .quick = "medium,highest",
     .standard = "medium,highest",
     .full = "low,medium,high,realtime",
     .choices = "low|medium|high|realtime|highest",
     .help = "of the victim's queue among all of the system; the hog's is medium"},
    {.key = "victim",
     .type = PARAM_TEXT,
     .quick = "dispatch",
     .standard = "dispatch,draw",
     .choices = "dispatch|draw",
     .help =
         "what the urgent work is; a draw needs a second universal queue, or another device; the "
         "standard preset has it in a few cases, the full one in all"},
    {.key = "samples",
     .type = PARAM_UINT,
     .role = PARAM_METHOD,
     .quick = "8",
     .standard = "60",
     .full = "200",
     .help = "deadlines of the victim in one visit, 90 a second; a case has at least five visits; "
             "at most 256"},
};

static const struct metric_info metrics[PREEMPT_METRIC_COUNT] = {
    [PREEMPT_METRIC_RESPONSE] = {.name = "response",
                                 .unit = UNIT_NS,
                                 .better = BETTER_LOWER,
                                 .help =
                                     "from the victim's submission to when the host sees it done"},
    [PREEMPT_METRIC_P90] = {.name = "response_p90",
                            .unit = UNIT_NS,
                            .better = BETTER_LOWER,
                            .help = "what nine in ten responses of a visit stay below"},
    [PREEMPT_METRIC_MOST] = {.name = "response_max",
                             .unit = UNIT_NS,
                             .better = BETTER_LOWER,
                             .help = "the longest response of a visit"},
    [PREEMPT_METRIC_EXEC] = {.name = "victim",
                             .unit = UNIT_NS,
                             .better = BETTER_LOWER,
                             .help =
                                 "from the first start to the last end of the victim's workgroups"},
    [PREEMPT_METRIC_WAIT] = {.name = "wait",
                             .unit = UNIT_NS,
                             .better = BETTER_LOWER,
                             .help = "what of the response was not the victim's own run"},
    [PREEMPT_METRIC_MISSES] =
        {.name = "misses",
         .better = BETTER_LOWER,
         .help = "share of the deadlines, 11.1 ms apart, that were not met: the answer came after "
                 "the next "
                 "one, or none could be asked for as an earlier one was still awaited"},
    [PREEMPT_METRIC_SLOWDOWN] = {.name = "hog_slowdown",
                                 .better = BETTER_LOWER,
                                 .help =
                                     "length of a submission of the hog beside the victim over its "
                                     "length alone"},
    [PREEMPT_METRIC_PAUSE] = {.name = "hog_pause",
                              .unit = UNIT_NS,
                              .better = BETTER_LOWER,
                              .help = "the longest time that a workgroup of the hog stood still"},
};

static const struct view_info views[] = {
    {.kind = VIEW_BARS,
     .title = "Response of urgent work, median",
     .x = "hog",
     .metric = "response",
     .group = "setting,priority,victim",
     .scale = "linear"},
    {.kind = VIEW_BARS,
     .title = "Longest response",
     .x = "hog",
     .metric = "response_max",
     .group = "setting,priority,victim",
     .scale = "linear"},
    {.kind = VIEW_TIMELINE,
     .title = "Hog and victim",
     .x = "hog",
     .metric = "response",
     .group = "setting,priority,victim"},
};

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_BEST,
     .title = "Response of an idle device",
     .metric = "response",
     .where = "hog=none"},
    {.kind = HEADLINE_BEST,
     .title = "Response behind a big dispatch",
     .metric = "response",
     .where = "hog=big-dispatch"},
};

// "nearest" is no setting but the first that the device has.
static const char *setting_of(const struct bench_request *request, const char *setting)
{
    if (strcmp(setting, "nearest") != 0)
        return setting;
    return queue_pair_has_second(request->device) ? "queues" : "devices";
}

// What the preset leaves out where the device cannot draw.
static bool is_left_out(const struct bench_request *request, const struct bench_choice *choice,
                        const char *value)
{
    bool draws = strcmp(value, "many-draws") == 0 || strcmp(value, "draw") == 0;
    return draws && !choice->from_user && !(request->device->caps & GPU_CAP(GRAPHICS));
}

// Every case costs the same time, its deadlines: of the draws the standard preset takes those that
// tell most (METHOD.md says why), the full preset and who asks for them all.
static bool is_for_full(const struct bench_request *request, const char *hog, const char *setting,
                        const char *priority)
{
    bool telling = (strcmp(hog, "many-draws") == 0 || strcmp(hog, "big-dispatch") == 0) &&
                   strcmp(setting, "processes") != 0 && strcmp(priority, "medium") == 0;
    return !telling && strcmp(request->preset, "full") != 0 &&
           !bench_choice_find(request, "victim")->from_user;
}

// One of each hog; a victim that is a dispatch is not said, as before there were draws.
static void add_hogs(const struct bench_request *request, struct bench_case_list *list,
                     const struct case_value *setting, const struct case_value *priority,
                     const struct case_value *victim)
{
    const struct bench_choice *hog = bench_choice_find(request, "hog");
    bool draw = strcmp(victim->text, "draw") == 0;
    for (size_t h = 0; h < hog->value_count; h++) {
        struct case_value *values = ARENA_ARRAY(request->arena, 5, struct case_value);
        size_t count = 0;
        if (is_left_out(request, hog, hog->values[h].text) ||
            (draw && is_for_full(request, hog->values[h].text, setting->text, priority->text)))
            continue;
        values[count++] = hog->values[h];
        values[count] = *setting;
        values[count++].text = setting_of(request, setting->text);
        values[count++] = *priority;
        if (draw)
            values[count++] = *victim;
        values[count++] = bench_choice_find(request, "samples")->values[0];
        bench_case_add(request->arena, list,
                       (struct bench_case){.values = values, .value_count = count});
    }
}

static bool plan(const struct bench_request *request, struct bench_case_list *list,
                 struct error *err)
{
    const struct bench_choice *setting = bench_choice_find(request, "setting");
    const struct bench_choice *priority = bench_choice_find(request, "priority");
    const struct bench_choice *victim = bench_choice_find(request, "victim");
    const struct bench_choice *samples = bench_choice_find(request, "samples");
    if (samples->value_count != 1 || samples->values[0].uint < 1 || samples->values[0].uint > 256)
        return error_set(err, ERROR_USAGE, "samples: one number from 1 to 256 is expected");
    for (size_t v = 0; v < victim->value_count; v++)
        for (size_t s = 0; s < setting->value_count; s++)
            for (size_t p = 0; p < priority->value_count; p++)
                if (!is_left_out(request, victim, victim->values[v].text))
                    add_hogs(request, list, &setting->values[s], &priority->values[p],
                             &victim->values[v]);
    return true;
}

const struct benchmark bench_preempt = {
    .info = {.name = "preempt",
             .version = 2,
             .title = "How long urgent work waits behind a hog",
             .params = params,
             .param_count = COUNT(params),
             .metrics = metrics,
             .metric_count = COUNT(metrics),
             .views = views,
             .view_count = COUNT(views),
             .headlines = headlines,
             .headline_count = COUNT(headlines),
             .distribution = true},
    .description =
        "A hog keeps the device busy without a break; 90 times a second a small dispatch, or draw, "
        "comes in "
        "on another queue, at its own priority. The host tells how long each took to be answered. "
        "Workgroups of both write down when they ran, by the device's clock, and the longest time "
        "that they stood still: so it shows whether the victim ran beside the hog, between its "
        "workgroups, in their midst, or only when a submission was over.",
    .needs = GPU_CAP(DEVICE_CLOCK),
    .device = queue_pair_wish,
    .plan = plan,
    .open = rig_session_open,
    .close = rig_session_close,
    .serve = process_serve,
    .visit = preempt_visit,
    .conclude = preempt_conclude,
};
