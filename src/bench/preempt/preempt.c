// SPDX-License-Identifier: MIT
// Describes `preempt`: its parameters, metrics, views and headlines, and which cases it plans.
// METHOD.md says how it measures.
#include "bench/preempt/process.h"
#include "bench/preempt/session.h"
#include "bench/queue_pair.h"

#include <string.h>

static const struct param_info params[] = {
    {.key = "hog",
     .type = PARAM_TEXT,
     .quick = "none,big-dispatch",
     .standard = "none,baseline,many-draws,many-dispatches,big-dispatch,slow-shader",
     .choices = "none|baseline|many-draws|many-dispatches|big-dispatch|slow-shader",
     .help = "what keeps the device busy. baseline: frames of eight dispatches; many-draws, "
             "many-dispatches: many small ones a submission; big-dispatch: one dispatch of many "
             "workgroups; slow-shader: one dispatch of workgroups that each take 100 ms"},
    {.key = "setting",
     .type = PARAM_TEXT,
     .quick = "nearest",
     .standard = "queues,devices,processes",
     .choices = "queues|devices|processes|nearest",
     .help =
         "where the victim runs: on another queue of the hog's device, on a logical device of its "
         "own, or in another process; nearest: the first of these that the device has"},
    {.key = "priority",
     .type = PARAM_TEXT,
     .quick = "medium",
     .standard = "medium,highest",
     .full = "low,medium,high,realtime",
     .choices = "low|medium|high|realtime|highest",
     .help = "global priority of the victim's queue; the hog's queue has medium priority"},
    {.key = "actors",
     .type = PARAM_TEXT,
     .quick = "two",
     .standard = "two,three",
     .choices = "two|three",
     .unsaid = "two",
     .help = "two: hog and victim. three: hog, an application that has a frame ready for each "
             "refresh of a 90 Hz display, at medium priority, and as the victim a compositor of "
             "0.3 ms; unless you choose it, only in a few cases, at the highest priority"},
    {.key = "victim",
     .type = PARAM_TEXT,
     .quick = "dispatch",
     .standard = "dispatch,draw",
     .choices = "dispatch|draw",
     .unsaid = "dispatch",
     .when = "actors!=three",
     .help =
         "what the urgent work is; a draw needs a second universal queue, or another device; the "
         "standard preset has it in a few cases, the full one in all"},
    {.key = "arrivals",
     .type = PARAM_TEXT,
     .quick = "open",
     .standard = "open,closed",
     .choices = "open|closed",
     .unsaid = "open",
     .when = "actors!=three",
     .help =
         "open: each deadline brings a victim, whatever is awaited, up to 32 pending. closed: a "
         "deadline that passes while an answer is awaited is dropped, as a compositor drops "
         "frames; unless you choose it, only a few cases have that"},
    {.key = "samples",
     .type = PARAM_UINT,
     .role = PARAM_METHOD,
     .quick = "10", // two visits give 20 samples; with fewer, percentiles are unreliable
     .standard = "60",
     .full = "200",
     .least = 1,
     .most = 256,
     .help = "deadlines of the victim in one visit, 90 a second; a case has at least five visits"},
    {.key = "frame_ms",
     .type = PARAM_UINT,
     .role = PARAM_METHOD,
     .standard = "5",
     .least = 1,
     .most = 100,
     .when = "actors=three",
     .help = "length of the application's frame alone, in ms"},
};

static const struct metric_info metrics[PREEMPT_METRIC_COUNT] = {
    [PREEMPT_METRIC_RESPONSE] = {.name = "response",
                                 .unit = UNIT_NS,
                                 .better = BETTER_LOWER,
                                 .help =
                                     "from the victim's deadline to when the host sees it done"},
    [PREEMPT_METRIC_FRAMES] = {.name = "frames",
                               .unit = UNIT_HZ,
                               .better = BETTER_HIGHER,
                               .help = "new frames of the compositor that a 90 Hz display shows"},
    [PREEMPT_METRIC_APP_MISSES] = {.name = "app_misses",
                                   .better = BETTER_LOWER,
                                   .help = "the same as misses, of the application"},
    [PREEMPT_METRIC_APP_LATENESS] =
        {.name = "app_late",
         .unit = UNIT_NS,
         .better = BETTER_LOWER,
         .help = "how long after the next deadline a frame of the application came (median); 0 if "
                 "it came before"},
    [PREEMPT_METRIC_APP_LATENESS_P99] = {.name = "app_late_p99",
                                         .unit = UNIT_NS,
                                         .better = BETTER_LOWER,
                                         .help = "99 % of the frames of a visit were less late"},
    [PREEMPT_METRIC_APP_FRAMES] = {.name = "app_frames",
                                   .unit = UNIT_HZ,
                                   .better = BETTER_HIGHER,
                                   .help =
                                       "new frames of the application that a 90 Hz display shows"},
    [PREEMPT_METRIC_LATENESS] = {.name = "late",
                                 .unit = UNIT_NS,
                                 .better = BETTER_LOWER,
                                 .help = "the same as app_late, of the compositor"},
    [PREEMPT_METRIC_LATENESS_P99] = {.name = "late_p99",
                                     .unit = UNIT_NS,
                                     .better = BETTER_LOWER,
                                     .help = "the same as app_late_p99, of the compositor"},
    [PREEMPT_METRIC_P90] = {.name = "response_p90",
                            .unit = UNIT_NS,
                            .better = BETTER_LOWER,
                            .help = "90 % of the responses of a visit are shorter"},
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
                             .help = "the response time without the victim's own run"},
    [PREEMPT_METRIC_MISSES] =
        {.name = "misses",
         .better = BETTER_LOWER,
         .help =
             "share of the deadlines, 11.1 ms apart, that were missed: the answer came after the "
             "next deadline, or not at all"},
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
     .group = "setting,priority,victim,arrivals",
     .scale = "linear",
     .where = "actors!=three"},
    {.kind = VIEW_BARS,
     .title = "Longest response",
     .x = "hog",
     .metric = "response_max",
     .group = "setting,priority,victim,arrivals",
     .scale = "linear",
     .where = "actors!=three"},
    {.kind = VIEW_TIMELINE,
     .title = "Hog and victim",
     .x = "hog",
     .metric = "response",
     .group = "setting,priority,victim,arrivals",
     .where = "actors!=three"},
    {.kind = VIEW_BARS,
     .title = "Frames of the application",
     .x = "hog",
     .metric = "app_frames",
     .group = "setting,priority",
     .scale = "linear",
     .where = "actors=three"},
    {.kind = VIEW_BARS,
     .title = "Frames of the compositor",
     .x = "hog",
     .metric = "frames",
     .group = "setting,priority",
     .scale = "linear",
     .where = "actors=three"},
    {.kind = VIEW_TIMELINE,
     .title = "Hog, application and compositor",
     .x = "hog",
     .metric = "app_frames",
     .group = "setting,priority",
     .where = "actors=three"},
};

// Condition of all headlines without an application: a dispatch of medium priority at each
// deadline. A program that requests no priority has medium priority.
#define TWO_MEDIUM "priority=medium,actors!=three,victim!=draw,arrivals!=closed"

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_BEST,
     .title = "Response of an idle device",
     .metric = "response",
     .where = "hog=none," TWO_MEDIUM},
    {.kind = HEADLINE_BEST,
     .title = "Behind big dispatch: own queue",
     .metric = "response",
     .where = "hog=big-dispatch,setting=queues," TWO_MEDIUM},
    {.kind = HEADLINE_BEST,
     .title = "Behind big dispatch: own device",
     .metric = "response",
     .where = "hog=big-dispatch,setting=devices," TWO_MEDIUM},
    {.kind = HEADLINE_BEST,
     .title = "Behind big dispatch: own process",
     .metric = "response",
     .where = "hog=big-dispatch,setting=processes," TWO_MEDIUM},
    {.kind = HEADLINE_BEST,
     .title = "Big dispatch: application",
     .metric = "app_frames",
     .where = "hog=big-dispatch,setting=processes,actors=three"},
    {.kind = HEADLINE_BEST,
     .title = "Big dispatch: compositor",
     .metric = "frames",
     .where = "hog=big-dispatch,setting=processes,actors=three"},
};

enum preempt_param { // indices of parameters in the array `params`
    PREEMPT_PARAM_HOG,
    PREEMPT_PARAM_SETTING,
    PREEMPT_PARAM_PRIORITY,
    PREEMPT_PARAM_ACTORS,
    PREEMPT_PARAM_VICTIM,
    PREEMPT_PARAM_ARRIVALS
};

// The choices that the plan uses, as indices in the lists of choices of their parameters.
enum {
    HOG_NONE = 0,
    HOG_MANY_DRAWS = 2,
    HOG_MANY_DISPATCHES = 3,
    HOG_BIG_DISPATCH = 4,
    HOG_SLOW_SHADER = 5,
    ACTORS_THREE = 1,
    VICTIM_DRAW = 1,
    ARRIVALS_CLOSED = 1
};

// Replaces setting=nearest by "queues" if the device has a second queue, else by "devices".
static void replace(const struct bench_pick *pick)
{
    if (pick->param == PREEMPT_PARAM_SETTING && pick->value->choice == PREEMPT_NEAREST)
        (void)case_value_set_text(pick->value, &params[pick->param],
                                  queue_pair_has_second(pick->request->device) ? "queues"
                                                                               : "devices");
}

static bool reach(const struct bench_pick *pick)
{
    bool draws = (pick->param == PREEMPT_PARAM_HOG && pick->value->choice == HOG_MANY_DRAWS) ||
                 (pick->param == PREEMPT_PARAM_VICTIM && pick->value->choice == VICTIM_DRAW);
    return !draws || pick->request->device->caps & GPU_CAP(GRAPHICS);
}

static bool is_chosen(const struct bench_pick *pick, enum preempt_param param)
{
    return pick->request->choices[param].from_user;
}

// Sets the priority of a case with an application to "highest" or, if a compositor cannot have
// this, to "medium". Called if a preset chose the priorities. All of them then give the same case,
// so the function returns true only for the first.
static bool replace_priority(const struct bench_pick *pick)
{
    bool remote = case_choice(&pick->c, "setting") == PREEMPT_PROCESSES;
    gpu_caps needed = GPU_CAP(PRIORITY) | (remote ? GPU_CAP(PRIORITY_GLOBAL) : 0);
    bool has = (pick->request->device->caps & needed) == needed;
    if (pick->at[PREEMPT_PARAM_PRIORITY] > 0)
        return false;
    (void)case_value_set_text(&pick->c.values[PREEMPT_PARAM_PRIORITY],
                              &params[PREEMPT_PARAM_PRIORITY], has ? "highest" : "medium");
    return true;
}

// True if the plan keeps this case, which has an application:
// - If a preset chose the priorities, only one of them gives a case (replace_priority).
// - If the user chose `actors`, the plan keeps every case.
// - If the user did not choose `actors`, but priority, victim or arrivals, it keeps no case.
// - Otherwise, the plan keeps all hogs except many-dispatches on three processes (as in the article
//   that METHOD.md names). On three queues, it keeps big-dispatch and slow-shader.
static bool is_wanted_of_three(const struct bench_pick *pick)
{
    unsigned hog = case_choice(&pick->c, "hog"), setting = case_choice(&pick->c, "setting");
    bool longest = hog == HOG_BIG_DISPATCH || hog == HOG_SLOW_SHADER;
    if (!is_chosen(pick, PREEMPT_PARAM_PRIORITY) && !replace_priority(pick))
        return false;
    if (is_chosen(pick, PREEMPT_PARAM_ACTORS))
        return true;
    return !is_chosen(pick, PREEMPT_PARAM_PRIORITY) && !is_chosen(pick, PREEMPT_PARAM_VICTIM) &&
           !is_chosen(pick, PREEMPT_PARAM_ARRIVALS) &&
           ((setting == PREEMPT_PROCESSES && hog != HOG_MANY_DISPATCHES) ||
            (setting == PREEMPT_QUEUES && longest));
}

// True if the plan keeps the case. Deadlines come at a fixed rate, so all cases take the same time.
// So the plan leaves out cases that teach little, unless the user chose the value:
// - arrivals=closed and actors=three, except in some cases (docs/evidence/preempt.md lists them)
// - victim=draw, except in some cases; the preset "full" keeps all
// - hog=none with setting=processes, which is like setting=devices; "full" keeps it
// - hog=none with a priority other than medium, which overtakes no work; "full" keeps it
static bool is_wanted(const struct bench_pick *pick, struct error *err)
{
    const struct bench_case *c = &pick->c;
    (void)err;
    if (case_choice(c, "actors") == ACTORS_THREE)
        return is_wanted_of_three(pick);
    unsigned hog = case_choice(c, "hog");
    bool full = strcmp(pick->request->preset, "full") == 0;
    bool draws = case_choice(c, "victim") == VICTIM_DRAW;
    bool remote = case_choice(c, "setting") == PREEMPT_PROCESSES;
    bool medium = case_choice(c, "priority") == PREEMPT_MEDIUM;
    if (hog == HOG_NONE && remote && !full && !is_chosen(pick, PREEMPT_PARAM_SETTING))
        return false;
    if (hog == HOG_NONE && !medium && !full && !is_chosen(pick, PREEMPT_PARAM_PRIORITY))
        return false;
    if (case_choice(c, "arrivals") == ARRIVALS_CLOSED && !is_chosen(pick, PREEMPT_PARAM_ARRIVALS) &&
        (remote || !medium || draws || (hog != HOG_BIG_DISPATCH && hog != HOG_SLOW_SHADER)))
        return false;
    return !draws || full || is_chosen(pick, PREEMPT_PARAM_VICTIM) ||
           (!remote && medium && (hog == HOG_MANY_DRAWS || hog == HOG_BIG_DISPATCH));
}

const struct benchmark bench_preempt = {
    .info = {.name = "preempt",
             .version = 3,
             .title = "How long urgent work waits behind a hog",
             BENCHMARK_TABLE(param, params),
             BENCHMARK_TABLE(metric, metrics),
             BENCHMARK_TABLE(view, views),
             BENCHMARK_TABLE(headline, headlines),
             .distribution = true},
    .description =
        "A hog keeps the device busy without a break. 90 times a second a small dispatch or draw, "
        "the victim, is submitted on another queue, at its own priority. The host measures how "
        "long each answer takes. Workgroups of both record when they ran, by the device's clock, "
        "and the longest time that they stood still. This shows whether the victim ran beside the "
        "hog, between its workgroups, while they were stopped, or only after a submission. With "
        "three actors an application wants a frame for each deadline beside that, and the victim "
        "is a compositor: who keeps its 90 frames a second?",
    .needs = GPU_CAP(DEVICE_CLOCK),
    // For the preset standard, in which a visit waits for 60 deadlines at 90 per second. In full, a
    // visit waits for 200 deadlines.
    .slowness = 44,
    .quick_slowness = 14, // in the preset quick, a visit waits for 10 deadlines
    .device = queue_pair_request,
    .product = {.replace = replace, .reach = reach, .keep = is_wanted},
    .open = preempt_session_open,
    .close = preempt_session_close,
    .serve = process_serve,
    .visit = preempt_visit,
    .conclude = preempt_conclude,
};
