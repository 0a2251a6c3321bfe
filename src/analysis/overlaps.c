// SPDX-License-Identifier: MIT
#include "analysis/overlaps.h"

#include "analysis/overlaps_clock.h"
#include "analysis/overlaps_pairs.h"
#include "analysis/overlaps_tell.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// What a number is, and so how it is answered.
enum scale {
    SCALE_SHARE, // yes or no
    SCALE_TIME,
    SCALE_FACTOR
};

struct question {
    const char *code, *metric;
    const char *scenario; // that answers it best; another one's answer is taken where it has none
    enum scale scale;
    const char *text, *rest; // before and after the number
    const char *published;   // NULL: nothing was
    bool only;               // no other scenario answers it, and that only with two queues
};

static const struct question questions[] = {
    {"overlap-dispatches", "same_queue", "no-barriers", SCALE_SHARE,
     "dispatches on one queue overlap where nothing orders them", "",
     "GTX 980, GTX 1070, Titan V yes; RX 460 all; HD 530 some", false},
    {"overlap-draw-dispatch", "draw_dispatch", "no-barriers", SCALE_SHARE,
     "a draw and dispatches of its queue overlap where nothing orders them", "",
     "RX 460 yes; GTX 980, GTX 1070, Titan V, HD 530 no", false},
    {"overlap-draws", "draw_draw", "draws", SCALE_SHARE,
     "draws on one queue overlap where nothing orders them", "", NULL, false},
    {"overlap-queues", "cross_queue", "default", SCALE_SHARE,
     "the direct and the compute queue work at once", "",
     "GTX 980, HD 530 no; GTX 1070, Titan V partly; RX 460 yes", false},
    {"release-skew", "release_skew", "default", SCALE_TIME,
     "two queues that one semaphore releases start", " apart", NULL, false},
    {"overlap-hand-over", "barrier_gap", "cross-queue", SCALE_TIME,
     "from the end of a workload to the start of one on the other queue that waits for it:", "",
     NULL, true},
    {"overlap-stretch", "stretch", "default", SCALE_FACTOR, "a workload beside others takes",
     " times as long as alone", "longer on GTX 1070, Titan V where the queues overlap", false},
    {"overlap-gain", "gain", "no-barriers", SCALE_FACTOR,
     "the workloads one after another, each alone, would take", " times as long as their frame",
     "on RX 460 this frame took 0.6 of the one with barriers", false},
};

static bool is_subject(const struct benchmark_info *info)
{
    bool same = false, cross = false;
    for (size_t i = 0; i < info->metric_count; i++) {
        same = same || strcmp(info->metrics[i].name, "same_queue") == 0;
        cross = cross || strcmp(info->metrics[i].name, "cross_queue") == 0;
    }
    return same && cross;
}

// ---------------------------------------------------------------- questions of one case

// Only the question of two queues is answered by there being no such case: there is one queue.
static void tell_missing(const struct overlaps_subject *subject, const struct question *question)
{
    const struct result *any = overlaps_find(subject, question->scenario, NULL, "frame");
    if (!any || strcmp(question->code, "overlap-queues") != 0)
        return;
    overlaps_tell(subject, &(struct overlaps_answer){
                               .code = question->code,
                               .text = arena_printf(subject->run->arena,
                                                    "%s: no, there is one queue", question->text),
                               .published = question->published,
                               .value = NAN,
                               .cases = {any}});
}

static void ask(const struct overlaps_subject *subject, const struct question *question)
{
    struct arena *arena = subject->run->arena;
    const struct result *result =
        overlaps_find(subject, question->scenario, NULL, question->metric);
    if (question->only && result && !overlaps_metric_of(result, "cross_queue"))
        return;
    if (!result && !question->only)
        result = overlaps_find(subject, NULL, NULL, question->metric);
    if (!result) {
        tell_missing(subject, question);
        return;
    }
    const struct metric *metric = overlaps_metric_of(result, question->metric);
    const double value[3] = {metric->median, metric->ci95[0], metric->ci95[1]};
    const char *answer = question->scale == SCALE_SHARE
                             ? overlaps_share(arena, value)
                             : overlaps_number(arena, value, metric->unit);
    overlaps_tell(
        subject,
        &(struct overlaps_answer){
            .code = question->code,
            .text = arena_printf(arena, "%s%s %s%s", question->text,
                                 question->scale == SCALE_SHARE ? ":" : "", answer, question->rest),
            .published =
                overlaps_is_scenario(result, question->scenario) ? question->published : NULL,
            .value = metric->median,
            .cases = {result}});
}

static const struct {
    const char *barrier, *text;
} barrier_texts[] = {
    {"memory", "a barrier of memory"},     {"execution", "a barrier of execution alone"},
    {"buffer", "a barrier of one buffer"}, {"image", "a barrier of one image"},
    {"full", "a barrier of all with all"}, {"split", "a split barrier"},
    {"semaphore", "a timeline semaphore"},
};

// NULL: of the target's barriers there are none between dispatches.
static const char *barrier_text(const char *barrier)
{
    for (size_t i = 0; i < COUNT(barrier_texts); i++)
        if (strcmp(barrier_texts[i].barrier, barrier) == 0)
            return barrier_texts[i].text;
    return NULL;
}

// One finding for each kind of barrier, from the first case that has it.
static void ask_gaps(const struct overlaps_subject *subject)
{
    struct arena *arena = subject->run->arena;
    const struct result *first = overlaps_find(subject, "default", NULL, "barrier_gap");
    first = first ? first : overlaps_find(subject, NULL, NULL, "barrier_gap");
    for (size_t i = 0; first && i < subject->run->result_count; i++) {
        const struct result *result = subject->run->results[i];
        const struct metric *metric = overlaps_metric_of(result, "barrier_gap");
        // That is a hand-over, and told as one.
        bool between = overlaps_is_scenario(result, "cross-queue") &&
                       overlaps_metric_of(result, "cross_queue");
        const char *barrier = barrier_text(overlaps_value_of(result, "barrier"));
        if (!overlaps_is_of(subject, result) || !metric || between || !barrier ||
            !overlaps_is_scenario(result, overlaps_value_of(first, "scenario")))
            continue;
        const double value[3] = {metric->median, metric->ci95[0], metric->ci95[1]};
        double resolution_ns = overlaps_resolution_ns(result);
        const char *reason = metric->ci95[0] > resolution_ns ? ""
                             : metric->median > resolution_ns
                                 ? ", not told apart from none: the frames differ too much"
                                 : ", not told apart from none by this clock";
        overlaps_tell(subject, &(struct overlaps_answer){
                                   .code = "barrier-gap",
                                   .text = arena_printf(
                                       arena,
                                       "%s costs %s from the end of a workload to the start of the "
                                       "one that waits for it%s",
                                       barrier, overlaps_number(arena, value, UNIT_NS), reason),
                                   .value = metric->median,
                                   .cases = {result}});
    }
}

// ---------------------------------------------------------------- all

static bool is_told(const struct run *run, const char *device)
{
    for (size_t i = 0; i < run->finding_count; i++) {
        const struct finding *finding = &run->findings[i];
        if (!finding->device || strcmp(finding->device, device) != 0)
            continue;
        for (size_t q = 0; q < COUNT(questions); q++)
            if (strcmp(finding->code, questions[q].code) == 0)
                return true;
    }
    return false;
}

void overlaps_add_findings(struct run *run)
{
    size_t b = 0;
    while (b < run->benchmark_count && !is_subject(run->benchmarks[b]))
        b++;
    if (b == run->benchmark_count)
        return;
    for (size_t d = 0; d < run->device_count; d++) {
        const struct overlaps_subject subject = {run, run->devices[d].id, run->benchmarks[b]->name};
        if (is_told(run, subject.device))
            continue;
        overlaps_add_clock(run, subject.device);
        for (size_t q = 0; q < COUNT(questions); q++)
            ask(&subject, &questions[q]);
        ask_gaps(&subject);
        overlaps_ask_targets(&subject);
        overlaps_ask_bystanders(&subject);
        overlaps_ask_frames(&subject);
    }
}
