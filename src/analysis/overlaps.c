// SPDX-License-Identifier: MIT
#include "analysis/overlaps.h"

#include "analysis/overlaps_clock.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
    UNIT_TEXT = 32
};

// Whose cases are asked.
struct subject {
    struct run *run;
    const char *device, *benchmark;
};

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

// ---------------------------------------------------------------- finding cases

static bool is_subject(const struct benchmark_info *info)
{
    bool same = false, cross = false;
    for (size_t i = 0; i < info->metric_count; i++) {
        same = same || strcmp(info->metrics[i].name, "same_queue") == 0;
        cross = cross || strcmp(info->metrics[i].name, "cross_queue") == 0;
    }
    return same && cross;
}

static bool is_of(const struct subject *subject, const struct result *result)
{
    return strcmp(result->device, subject->device) == 0 &&
           strcmp(result->benchmark, subject->benchmark) == 0 && result->verdict <= VERDICT_SUSPECT;
}

static const char *value_of(const struct result *result, const char *key)
{
    const struct case_value *value = case_find(&result->point, key);
    return value && value->text ? value->text : "";
}

static bool is_scenario(const struct result *result, const char *name)
{
    return strcmp(value_of(result, "scenario"), name) == 0;
}

static const struct metric *metric_of(const struct result *result, const char *name)
{
    const struct metric *metric = result_metric(result, name);
    return metric && isfinite(metric->median) ? metric : NULL;
}

// The first case of a scenario (NULL: of any) that has the metric; NULL: none has.
static const struct result *case_with(const struct subject *subject, const char *scenario,
                                      const char *metric)
{
    for (size_t i = 0; i < subject->run->result_count; i++) {
        const struct result *result = subject->run->results[i];
        if (is_of(subject, result) && metric_of(result, metric) &&
            (!scenario || is_scenario(result, scenario)))
            return result;
    }
    return NULL;
}

// ---------------------------------------------------------------- words

static const char *verdict_of(double low, double high)
{
    if (high <= OVERLAPS_NO)
        return "no";
    if (low >= OVERLAPS_YES)
        return "yes";
    return low > OVERLAPS_NO && high < OVERLAPS_YES ? "partly" : "undecided";
}

// "0.931 [0.925, 0.94]"; without an interval just the number.
static const char *number_text(struct arena *arena, const double value[3], enum unit unit)
{
    char median[UNIT_TEXT], low[UNIT_TEXT], high[UNIT_TEXT];
    unit_format(value[0], unit, median, sizeof median);
    if (!isfinite(value[1]) || !isfinite(value[2]))
        return arena_strdup(arena, median);
    unit_format(value[1], unit, low, sizeof low);
    unit_format(value[2], unit, high, sizeof high);
    return arena_printf(arena, "%s [%s, %s]", median, low, high);
}

static const char *share_text(struct arena *arena, const double value[3])
{
    double low = isfinite(value[1]) ? value[1] : value[0];
    double high = isfinite(value[2]) ? value[2] : value[0];
    return arena_printf(arena, "%s, %.2f [%.2f, %.2f]", verdict_of(low, high), value[0],
                        fmax(low, 0), fmin(high, 1));
}

struct answer {
    const char *code, *text, *published;
    double value;
    const struct result *cases[2]; // the second may be NULL
};

// "vulkan:0: TEXT (scenario, barrier; published: …)"
static void tell(const struct subject *subject, const struct answer *answer)
{
    struct arena *arena = subject->run->arena;
    const char *barrier = value_of(answer->cases[0], "barrier");
    const char *text =
        arena_printf(arena, "%s: %s (%s%s%s", subject->device, answer->text,
                     value_of(answer->cases[0], "scenario"), *barrier ? ", " : "", barrier);
    if (answer->published)
        text = arena_printf(arena, "%s; published: %s", text, answer->published);
    const char **keys = ARENA_ARRAY(arena, 2, const char *);
    size_t count = 0;
    for (size_t i = 0; i < 2; i++)
        if (answer->cases[i])
            keys[count++] = answer->cases[i]->key;
    *run_add_finding(subject->run) = (struct finding){.code = answer->code,
                                                      .text = arena_printf(arena, "%s)", text),
                                                      .device = subject->device,
                                                      .value = answer->value,
                                                      .keys = keys,
                                                      .key_count = count};
}

// ---------------------------------------------------------------- questions of one case

// Only the question of two queues is answered by there being no such case: there is one queue.
static void tell_missing(const struct subject *subject, const struct question *question)
{
    const struct result *any = case_with(subject, question->scenario, "frame");
    if (!any || strcmp(question->code, "overlap-queues") != 0)
        return;
    tell(subject,
         &(struct answer){.code = question->code,
                          .text = arena_printf(subject->run->arena, "%s: no, there is one queue",
                                               question->text),
                          .published = question->published,
                          .value = NAN,
                          .cases = {any}});
}

static void ask(const struct subject *subject, const struct question *question)
{
    struct arena *arena = subject->run->arena;
    const struct result *result = case_with(subject, question->scenario, question->metric);
    if (question->only && result && !metric_of(result, "cross_queue"))
        return;
    if (!result && !question->only)
        result = case_with(subject, NULL, question->metric);
    if (!result) {
        tell_missing(subject, question);
        return;
    }
    const struct metric *metric = metric_of(result, question->metric);
    const double value[3] = {metric->median, metric->ci95[0], metric->ci95[1]};
    const char *answer = question->scale == SCALE_SHARE ? share_text(arena, value)
                                                        : number_text(arena, value, metric->unit);
    tell(subject,
         &(struct answer){.code = question->code,
                          .text = arena_printf(arena, "%s%s %s%s", question->text,
                                               question->scale == SCALE_SHARE ? ":" : "", answer,
                                               question->rest),
                          .published =
                              is_scenario(result, question->scenario) ? question->published : NULL,
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
static void ask_gaps(const struct subject *subject)
{
    struct arena *arena = subject->run->arena;
    const struct result *first = case_with(subject, "default", "barrier_gap");
    first = first ? first : case_with(subject, NULL, "barrier_gap");
    for (size_t i = 0; first && i < subject->run->result_count; i++) {
        const struct result *result = subject->run->results[i];
        const struct metric *metric = metric_of(result, "barrier_gap");
        // That is a hand-over, and told as one.
        bool between = is_scenario(result, "cross-queue") && metric_of(result, "cross_queue");
        const char *barrier = barrier_text(value_of(result, "barrier"));
        if (!is_of(subject, result) || !metric || between || !barrier ||
            !is_scenario(result, value_of(first, "scenario")))
            continue;
        const double value[3] = {metric->median, metric->ci95[0], metric->ci95[1]};
        double resolution_ns = overlaps_resolution_ns(result);
        const char *doubt = metric->ci95[0] > resolution_ns ? ""
                            : metric->median > resolution_ns
                                ? ", not told apart from none: the frames differ too much"
                                : ", not told apart from none by this clock";
        tell(subject,
             &(struct answer){
                 .code = "barrier-gap",
                 .text = arena_printf(arena,
                                      "%s costs %s from the end of a workload to the start of the "
                                      "one that waits for it%s",
                                      barrier, number_text(arena, value, UNIT_NS), doubt),
                 .value = metric->median,
                 .cases = {result}});
    }
}

// The case of a scenario with that barrier and metric; NULL: there is none.
static const struct result *case_of(const struct subject *subject, const char *scenario,
                                    const char *barrier, const char *metric)
{
    for (size_t i = 0; i < subject->run->result_count; i++) {
        const struct result *result = subject->run->results[i];
        if (is_of(subject, result) && metric_of(result, metric) && is_scenario(result, scenario) &&
            strcmp(value_of(result, "barrier"), barrier) == 0)
            return result;
    }
    return NULL;
}

// After a draw: a barrier of what is in its target against one of a buffer.
static void ask_targets(const struct subject *subject)
{
    static const char *const scenarios[] = {"default", "draws"};
    struct arena *arena = subject->run->arena;
    for (size_t s = 0; s < COUNT(scenarios); s++) {
        const struct result *target = case_of(subject, scenarios[s], "target", "draw_gap");
        const struct result *buffer = case_of(subject, scenarios[s], "buffer", "draw_gap");
        if (!target || !buffer)
            continue;
        const struct metric *a = metric_of(buffer, "draw_gap"), *b = metric_of(target, "draw_gap");
        const double gaps[2][3] = {{b->median, b->ci95[0], b->ci95[1]},
                                   {a->median, a->ci95[0], a->ci95[1]}};
        const char *verdict = b->ci95[0] > a->ci95[1]   ? "yes"
                              : b->ci95[1] < a->ci95[0] ? "no, less"
                                                        : "no, alike as far as can be told";
        tell(subject,
             &(struct answer){
                 .code = "target-barrier",
                 .text = arena_printf(arena,
                                      "after a draw, a barrier of its render target costs more "
                                      "than one of a buffer: %s, %s against %s",
                                      verdict, number_text(arena, gaps[0], UNIT_NS),
                                      number_text(arena, gaps[1], UNIT_NS)),
                 .value = b->median - a->median,
                 .cases = {target, buffer}});
        return;
    }
}

// ---------------------------------------------------------------- questions of pairs

static const struct series *matrix_of(const struct result *result, size_t columns[6])
{
    static const char *const names[] = {"a", "b", "overlap", "low", "high", "ordered"};
    for (size_t s = 0; s < result->series_count; s++) {
        const struct series *series = &result->series[s];
        size_t found = 0;
        for (size_t n = 0; n < COUNT(names); n++)
            for (size_t c = 0; c < series->column_count; c++)
                if (strcmp(series->columns[c], names[n]) == 0) {
                    columns[n] = c;
                    found++;
                }
        if (found == COUNT(names) && strcmp(series->name, "matrix") == 0)
            return series;
    }
    return NULL;
}

// The pair of neighbours of which the second waits for another one before both: what a barrier that
// waits for all keeps apart without need. False where the case has none.
static bool bystander_of(const struct result *result, double value[3])
{
    size_t at[6];
    const struct series *matrix = matrix_of(result, at);
    for (size_t row = 0; matrix && row < matrix->row_count; row++) {
        const double *cells = matrix->data + row * matrix->column_count;
        if (cells[at[1]] - cells[at[0]] != 1 || cells[at[5]] != 0)
            continue;
        for (size_t other = 0; other < matrix->row_count; other++) {
            const double *pair = matrix->data + other * matrix->column_count;
            if (pair[at[1]] == cells[at[1]] && pair[at[0]] < cells[at[0]] && pair[at[5]] == 1) {
                memcpy(value, (double[]){cells[at[2]], cells[at[3]], cells[at[4]]},
                       3 * sizeof *value);
                return true;
            }
        }
    }
    return false;
}

// Plain barriers once, split ones once: by the first case that has such a pair.
static void ask_bystanders(const struct subject *subject)
{
    struct arena *arena = subject->run->arena;
    bool told[2] = {false, false};
    for (size_t i = 0; i < subject->run->result_count; i++) {
        const struct result *result = subject->run->results[i];
        double value[3];
        bool split = strcmp(value_of(result, "barrier"), "split") == 0;
        if (told[split] || !is_of(subject, result) || !bystander_of(result, value))
            continue;
        told[split] = true;
        const char *published =
            split ? "no on all; RX 460 with a driver of 2017 yes" : "no on all five";
        bool is_three = text_begins(value_of(result, "scenario"), "three");
        tell(subject,
             &(struct answer){.code = "overlap-bystander",
                              .text = arena_printf(
                                  arena,
                                  "a workload overlaps the one before it, which it "
                                  "need not wait for, across a %s: %s",
                                  split ? "split barrier" : "barrier", share_text(arena, value)),
                              .published = is_three ? published : NULL,
                              .value = value[0],
                              .cases = {result}});
    }
}

// ---------------------------------------------------------------- one case against another

// Without its interval where one side's reaches down to nothing.
static const char *ratio_text(struct arena *arena, const double ratio[3], const char *verdict)
{
    bool open = strcmp(verdict, "undecided") == 0;
    return number_text(arena, open ? (const double[]){ratio[0], NAN, NAN} : ratio, UNIT_NONE);
}

struct comparison {
    const char *code, *base, *other; // scenarios
    const char *what, *published;
};

// Frames of two scenarios that are less than this apart are alike: three runs of one card agreed to
// 0.1 % through Vulkan and to 4 % through CUDA, where intervals of a run alone said less.
#define MATTERS 1.05

static void compare(const struct subject *subject, const struct comparison *comparison)
{
    const struct result *base = case_with(subject, comparison->base, "frame");
    const struct result *other = case_with(subject, comparison->other, "frame");
    if (!base || !other)
        return;
    const struct metric *a = metric_of(base, "frame"), *b = metric_of(other, "frame");
    const double ratio[3] = {b->median / a->median, b->ci95[0] / a->ci95[1],
                             b->ci95[1] / a->ci95[0]};
    const char *verdict = a->ci95[0] <= 0 || b->ci95[0] <= 0 ? "undecided"
                          : ratio[2] < 1 / MATTERS           ? "a shorter frame"
                          : ratio[1] > MATTERS               ? "a longer frame"
                                                             : "no difference to speak of";
    struct arena *arena = subject->run->arena;
    tell(subject,
         &(struct answer){.code = comparison->code,
                          .text = arena_printf(arena, "%s: %s, %s times as long", comparison->what,
                                               verdict, ratio_text(arena, ratio, verdict)),
                          .published = comparison->published,
                          .value = ratio[0],
                          .cases = {other, base}});
}

static const struct comparison comparisons[] = {
    {"split-barrier", "three", "three-split", "split barriers instead of plain ones",
     "no benefit on all; RX 460 with a driver of 2017 a wait at the begin"},
    {"queue-priority", "default", "high-priority", "high priority for the compute queue",
     "little difference; HD 530 runs the compute list first"},
};

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
        const struct subject subject = {run, run->devices[d].id, run->benchmarks[b]->name};
        if (is_told(run, subject.device))
            continue;
        overlaps_add_clock(run, subject.device);
        for (size_t q = 0; q < COUNT(questions); q++)
            ask(&subject, &questions[q]);
        ask_gaps(&subject);
        ask_targets(&subject);
        ask_bystanders(&subject);
        for (size_t c = 0; c < COUNT(comparisons); c++)
            compare(&subject, &comparisons[c]);
    }
}
