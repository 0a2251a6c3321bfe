// SPDX-License-Identifier: MIT
// What runs beside what, in words: a verdict for each question that the cases of a run answer, with
// its interval, beside what was published for other GPUs ("Breaking Down Barriers, Part 6",
// M. Pettineo, 2018: by eye, from time lines of Direct3D 12 under Windows).
#include "analysis/compare.h"
#include "base/text.h"
#include "bench/overlap/visit.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum {
    UNIT_TEXT = 32
};

// A share of time is called "no" where the upper end of its interval is at most the first of these,
// "yes" where the lower end is at least the second, "partly" where all lies between them, and
// "undecided" otherwise.
static const double share_no = 0.05, share_yes = 0.5;

// Whose cases are asked.
struct subject {
    struct run *run;
    const char *device;
};

// ---------------------------------------------------------------- finding cases

static bool is_of(const struct subject *subject, const struct result *result)
{
    return result_is_of(result, "overlap", subject->device);
}

// The text of a case's value; "" where it has none.
static const char *value_of(const struct result *result, const char *key)
{
    const struct case_value *value = case_find(&result->bench_case, key);
    return value && value->text ? value->text : "";
}

static bool is_scenario(const struct result *result, const char *name)
{
    return case_says(&result->bench_case, "scenario", name);
}

// NULL where the case has no such metric, or no number for it.
static const struct metric *metric_of(const struct result *result, const char *name)
{
    const struct metric *metric = result_metric(result, name);
    return metric && isfinite(metric->median) ? metric : NULL;
}

// The first case with a metric, of a scenario (NULL: of any) and a barrier (NULL: any); NULL: there
// is none.
static const struct result *find(const struct subject *subject, const char *scenario,
                                 const char *barrier, const char *metric)
{
    for (size_t i = 0; i < subject->run->result_count; i++) {
        const struct result *result = subject->run->results[i];
        if (is_of(subject, result) && metric_of(result, metric) &&
            (!scenario || is_scenario(result, scenario)) &&
            (!barrier || case_says(&result->bench_case, "barrier", barrier)))
            return result;
    }
    return NULL;
}

// ---------------------------------------------------------------- words

static const char *verdict_of(double low, double high)
{
    if (high <= share_no)
        return "no";
    if (low >= share_yes)
        return "yes";
    return low > share_no && high < share_yes ? "partly" : "undecided";
}

// "0.931 [0.925, 0.94]"; without an interval (not finite) just the number.
static const char *number_text(struct arena *arena, const struct metric *metric)
{
    char median[UNIT_TEXT], low[UNIT_TEXT], high[UNIT_TEXT];
    unit_format(metric->median, metric->unit, median, sizeof median);
    if (!isfinite(metric->ci95[0]) || !isfinite(metric->ci95[1]))
        return arena_strdup(arena, median);
    unit_format(metric->ci95[0], metric->unit, low, sizeof low);
    unit_format(metric->ci95[1], metric->unit, high, sizeof high);
    return arena_printf(arena, "%s [%s, %s]", median, low, high);
}

// "yes, 0.93 [0.92, 0.94]": a share of time with the verdict on it.
static const char *share_text(struct arena *arena, const struct metric *share)
{
    double low = isfinite(share->ci95[0]) ? share->ci95[0] : share->median;
    double high = isfinite(share->ci95[1]) ? share->ci95[1] : share->median;
    return arena_printf(arena, "%s, %.2f [%.2f, %.2f]", verdict_of(low, high), share->median,
                        fmax(low, 0), fmin(high, 1));
}

struct answer {
    const char *code, *text, *published; // published: NULL: nothing was
    double value;
    const struct result *cases[2]; // the second may be NULL
};

// Adds the finding "vulkan:0: TEXT (scenario, barrier; published: …)".
static void report(const struct subject *subject, const struct answer *answer)
{
    struct arena *arena = subject->run->arena;
    const char *barrier = value_of(answer->cases[0], "barrier");
    const char *text =
        arena_printf(arena, "%s (%s%s%s", answer->text, value_of(answer->cases[0], "scenario"),
                     *barrier ? ", " : "", barrier);
    if (answer->published)
        text = arena_printf(arena, "%s; published: %s", text, answer->published);
    run_add_conclusion(subject->run,
                       &(struct finding){.code = answer->code,
                                         .text = arena_printf(arena, "%s)", text),
                                         .value = answer->value},
                       answer->cases[0], answer->cases[1]);
}

// ---------------------------------------------------------------- questions of one case

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
     "async compute: the direct and the compute queue overlap", "",
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

// Without a case of two queues, the answer about two queues is that the device has one. Other
// questions stay open.
static void report_missing(const struct subject *subject, const struct question *question)
{
    const struct result *any = find(subject, question->scenario, NULL, "frame");
    if (!any || strcmp(question->code, "overlap-queues") != 0)
        return;
    report(subject,
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
    const struct result *result = find(subject, question->scenario, NULL, question->metric);
    if (question->only && result && !metric_of(result, "cross_queue"))
        return;
    if (!result && !question->only)
        result = find(subject, NULL, NULL, question->metric);
    if (!result) {
        report_missing(subject, question);
        return;
    }
    const struct metric *metric = metric_of(result, question->metric);
    const char *answer =
        question->scale == SCALE_SHARE ? share_text(arena, metric) : number_text(arena, metric);
    report(subject, &(struct answer){.code = question->code,
                                     .text = arena_printf(arena, "%s%s %s%s", question->text,
                                                          question->scale == SCALE_SHARE ? ":" : "",
                                                          answer, question->rest),
                                     .published = is_scenario(result, question->scenario)
                                                      ? question->published
                                                      : NULL,
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

// NULL for a barrier of the target: none stands between dispatches.
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
    const struct result *first = find(subject, "default", NULL, "barrier_gap");
    first = first ? first : find(subject, NULL, NULL, "barrier_gap");
    for (size_t i = 0; first && i < subject->run->result_count; i++) {
        const struct result *result = subject->run->results[i];
        const struct metric *metric = metric_of(result, "barrier_gap");
        // Between two queues this is the finding overlap-hand-over.
        bool between = is_scenario(result, "cross-queue") && metric_of(result, "cross_queue");
        const char *barrier = barrier_text(value_of(result, "barrier"));
        if (!is_of(subject, result) || !metric || between || !barrier ||
            !is_scenario(result, value_of(first, "scenario")))
            continue;
        double resolution_ns = overlap_resolution_ns(result);
        const char *reason = metric->ci95[0] > resolution_ns ? ""
                             : metric->median > resolution_ns
                                 ? ", below the noise: the frames differ too much"
                                 : ", below the clock's resolution";
        report(subject,
               &(struct answer){.code = "barrier-gap",
                                .text = arena_printf(
                                    arena,
                                    "%s costs %s from the end of a workload to the start of the "
                                    "one that waits for it%s",
                                    barrier, number_text(arena, metric), reason),
                                .value = metric->median,
                                .cases = {result}});
    }
}

// ---------------------------------------------------------------- kinds of barriers

// target-barrier: after a draw, a barrier of what is in its target against one of a buffer.
static void ask_targets(const struct subject *subject)
{
    static const char *const scenarios[] = {"default", "draws"};
    struct arena *arena = subject->run->arena;
    for (size_t s = 0; s < COUNT(scenarios); s++) {
        const struct result *target = find(subject, scenarios[s], "target", "draw_gap");
        const struct result *buffer = find(subject, scenarios[s], "buffer", "draw_gap");
        if (!target || !buffer)
            continue;
        const struct metric *a = metric_of(buffer, "draw_gap"), *b = metric_of(target, "draw_gap");
        const char *verdict = b->ci95[0] > a->ci95[1]   ? "yes"
                              : b->ci95[1] < a->ci95[0] ? "no, less"
                                                        : "no, there is no measurable difference";
        report(subject,
               &(struct answer){
                   .code = "target-barrier",
                   .text = arena_printf(arena,
                                        "after a draw, a barrier of its render target costs more "
                                        "than one of a buffer: %s, %s against %s",
                                        verdict, number_text(arena, b), number_text(arena, a)),
                   .value = b->median - a->median,
                   .cases = {target, buffer}});
        return;
    }
}

// ---------------------------------------------------------------- pairs of workloads

enum {
    AT_A,
    AT_B,
    AT_OVERLAP,
    AT_LOW,
    AT_HIGH,
    AT_ORDERED,
    AT_SHARED,
    AT_COUNT
};

static const struct series *matrix_of(const struct result *result, size_t columns[AT_COUNT])
{
    static const char *const names[AT_COUNT] = {"a",    "b",       "overlap",     "low",
                                                "high", "ordered", "queue_shared"};
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

// Does `b` follow right after `a` on a queue of theirs, wait not for it, but for one before both?
// The other queue's workloads have no part in that: between queues no barrier stands.
static bool is_bystander(const struct series *matrix, const size_t at[AT_COUNT],
                         const double *cells)
{
    bool follows = cells[at[AT_SHARED]] == 1, waits = false;
    for (size_t row = 0; row < matrix->row_count; row++) {
        const double *other = matrix->data + row * matrix->column_count;
        if (other[at[AT_B]] != cells[at[AT_B]] || other[at[AT_SHARED]] != 1)
            continue;
        follows = follows && other[at[AT_A]] <= cells[at[AT_A]];
        waits = waits || (other[at[AT_A]] < cells[at[AT_A]] && other[at[AT_ORDERED]] == 1);
    }
    return follows && waits && cells[at[AT_ORDERED]] == 0;
}

// The pair of neighbours on a queue of which the second waits for another one before both: what a
// barrier that waits for all keeps apart without need. False where the case has none.
static bool bystander_of(const struct result *result, struct metric *share)
{
    size_t at[AT_COUNT];
    const struct series *matrix = matrix_of(result, at);
    for (size_t row = 0; matrix && row < matrix->row_count; row++) {
        const double *cells = matrix->data + row * matrix->column_count;
        if (!is_bystander(matrix, at, cells))
            continue;
        *share = (struct metric){.median = cells[at[AT_OVERLAP]],
                                 .ci95 = {cells[at[AT_LOW]], cells[at[AT_HIGH]]}};
        return true;
    }
    return false;
}

// overlap-bystander: plain barriers once, split ones once, by the first case that has such a pair.
static void ask_bystanders(const struct subject *subject)
{
    struct arena *arena = subject->run->arena;
    bool told[2] = {false, false};
    for (size_t i = 0; i < subject->run->result_count; i++) {
        const struct result *result = subject->run->results[i];
        struct metric share;
        bool split = case_says(&result->bench_case, "barrier", "split");
        if (told[split] || !is_of(subject, result) || !bystander_of(result, &share))
            continue;
        told[split] = true;
        const char *published =
            split ? "no on all; RX 460 with a driver of 2017 yes" : "no on all five";
        bool is_three = text_begins(value_of(result, "scenario"), "three");
        report(subject,
               &(struct answer){.code = "overlap-bystander",
                                .text = arena_printf(
                                    arena,
                                    "a workload overlaps the one before it, which it "
                                    "need not wait for, across a %s: %s",
                                    split ? "split barrier" : "barrier", share_text(arena, &share)),
                                .published = is_three ? published : NULL,
                                .value = share.median,
                                .cases = {result}});
    }
}

// ---------------------------------------------------------------- one case against another

struct comparison {
    const char *code, *base, *other; // scenarios
    const char *what, *published;
};

// Frames of two scenarios whose whole interval is less than this apart are alike: three runs of one
// card agreed to 0.1 % through Vulkan and to 4 % through CUDA, where intervals of a run alone said
// less.
#define MATTERS 1.05

// True if the driver refused the high priority that the case asked for: it ran at medium.
static bool is_refused(const struct result *result)
{
    for (size_t i = 0; i < result->reason_count; i++)
        if (strcmp(result->reasons[i].code, "priority-refused") == 0)
            return true;
    return false;
}

static void report_refused(const struct subject *subject, const struct comparison *comparison,
                           const struct result *other)
{
    report(subject, &(struct answer){.code = comparison->code,
                                     .text = arena_printf(
                                         subject->run->arena,
                                         "%s: not measured, as the driver refused high priority",
                                         comparison->what),
                                     .published = comparison->published,
                                     .value = NAN,
                                     .cases = {other}});
}

static void compare(const struct subject *subject, const struct comparison *comparison)
{
    const struct result *base = find(subject, comparison->base, NULL, "frame");
    const struct result *other = find(subject, comparison->other, NULL, "frame");
    if (!base || !other)
        return;
    if (is_refused(other)) {
        report_refused(subject, comparison, other);
        return;
    }
    const struct metric *a = metric_of(base, "frame"), *b = metric_of(other, "frame");
    const struct ratio times = ratio_of(a, b);
    const struct metric ratio = {.median = times.value, .ci95 = {times.low, times.high}};
    bool alike = times.low >= 1 / MATTERS && times.high <= MATTERS;
    const char *verdict = times.high < 1 / MATTERS ? "a shorter frame"
                          : times.low > MATTERS    ? "a longer frame"
                          : alike                  ? "no difference"
                                                   : "undecided";
    struct arena *arena = subject->run->arena;
    report(subject, &(struct answer){.code = comparison->code,
                                     .text = arena_printf(arena, "%s: %s, %s times as long",
                                                          comparison->what, verdict,
                                                          number_text(arena, &ratio)),
                                     .published = comparison->published,
                                     .value = times.value,
                                     .cases = {other, base}});
}

static const struct comparison comparisons[] = {
    {"split-barrier", "three", "three-split", "split barriers instead of plain ones",
     "no benefit on all; RX 460 with a driver of 2017 a wait at the begin"},
    {"queue-priority", "default", "high-priority", "high priority for the compute queue",
     "little difference; HD 530 runs the compute list first"},
};

// ---------------------------------------------------------------- all

//   overlap-clock       what the clock can tell, and what the polling host saw
//   overlap-dispatches  do dispatches on one queue overlap where nothing orders them
//   overlap-draw-dispatch, overlap-draws  … a draw and dispatches, two draws
//   overlap-queues      do two queues work at once
//   overlap-hand-over   how long one queue's work waits for the end of another queue's
//   release-skew, overlap-stretch, overlap-gain
//   barrier-gap         how long the device idles at a barrier, one finding a kind of barrier
//   target-barrier      does a barrier of a render target cost more than one of a buffer
//   overlap-bystander   does a barrier also wait for work that nobody depends on
//   split-barrier       is a frame shorter with split barriers
//   queue-priority      does the compute queue's priority change a frame; not measured (value NaN)
//                       where it was refused
// Keys: the cases that say so; value: what the text gives.
void overlap_conclude(struct run *run, const char *device)
{
    const struct subject subject = {run, device};
    overlap_conclude_clock(run, device);
    for (size_t q = 0; q < COUNT(questions); q++)
        ask(&subject, &questions[q]);
    ask_gaps(&subject);
    ask_targets(&subject);
    ask_bystanders(&subject);
    for (size_t c = 0; c < COUNT(comparisons); c++)
        compare(&subject, &comparisons[c]);
}
