// SPDX-License-Identifier: MIT
// Adds the findings of the benchmark overlap. If the cases of a run answer a question, a finding
// gives a verdict or a number, with the interval of the measured value if there is one. Some
// findings also quote published results of other GPUs ("Breaking Down Barriers, Part 6", M.
// Pettineo, 2018, read by eye from time lines of Direct3D 12 under Windows).
#include "analysis/compare.h"
#include "base/text.h"
#include "bench/overlap/session.h"
#include "results/names.h"

#include <math.h>
#include <string.h>

// Verdict on a share of time, from its 95 % interval: "no" if the interval ends at or below
// share_no, "yes" if it starts at or above share_yes, "partly" if it lies between them, else
// "undecided".
static const double share_no = 0.05, share_yes = 0.5;

// The run to which findings are added, and the device that they describe.
struct subject {
    struct run *run;
    const char *device;
};

// ---------------------------------------------------------------- finding cases

static bool is_of(const struct subject *subject, const struct result *result)
{
    return result_is_of(result, "overlap", subject->device);
}

static bool is_scenario(const struct result *result, const char *name)
{
    return case_says(&result->bench_case, "scenario", name);
}

// Returns the metric called `name`; NULL if the result has no such metric or no number for it.
static const struct metric *metric_of(const struct result *result, const char *name)
{
    const struct metric *metric = result_metric(result, name);
    return metric && isfinite(metric->median) ? metric : NULL;
}

// Returns the first result that has a number for the metric; NULL if there is none. A `scenario` or
// `barrier` of NULL matches all.
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

// Returns the value in this row and column of a series; NaN if the series has no such column.
static double cell_of(const struct series *series, size_t row, const char *column)
{
    for (size_t c = 0; c < series->column_count; c++)
        if (strcmp(series->columns[c], column) == 0)
            return series->data[row * series->column_count + c];
    return NAN;
}

static const struct series *calibration_of(const struct result *result)
{
    const struct series *series = result_series(result, "calibration");
    return series && series->row_count == 1 ? series : NULL;
}

// Returns the resolution in ns of the device's clock; 0 if the result does not contain it.
static double resolution_of(const struct result *result)
{
    const struct series *calibration = calibration_of(result);
    double resolution = calibration ? cell_of(calibration, 0, "resolution") : 0;
    return isfinite(resolution) ? resolution : 0;
}

// ---------------------------------------------------------------- words

static bool has_interval(const struct metric *metric)
{
    return isfinite(metric->ci95[0]) && isfinite(metric->ci95[1]);
}

// Returns the median and its interval, if there is one: "0.931 [0.925, 0.94]".
static const char *number_text(struct arena *arena, const struct metric *metric)
{
    const char *median = unit_text(arena, metric->median, metric->unit);
    if (!has_interval(metric))
        return median;
    return arena_printf(arena, "%s [%s, %s]", median,
                        unit_text(arena, metric->ci95[0], metric->unit),
                        unit_text(arena, metric->ci95[1], metric->unit));
}

// Returns the verdict on a share of time, and the share: "yes, 93 % [92 %, 94 %]".
static const char *share_text(struct arena *arena, const struct metric *share)
{
    double low = isfinite(share->ci95[0]) ? share->ci95[0] : share->median;
    double high = isfinite(share->ci95[1]) ? share->ci95[1] : share->median;
    const char *verdict = high <= share_no                     ? "no"
                          : low >= share_yes                   ? "yes"
                          : low > share_no && high < share_yes ? "partly"
                                                               : "undecided";
    return arena_printf(arena, "%s, %.0f %% [%.0f %%, %.0f %%]", verdict, 100 * share->median,
                        100 * fmax(low, 0), 100 * fmin(high, 1));
}

// Adds a finding about `first` and, if it is not NULL, `second`. Its text is "vulkan:0: TEXT
// (SCENARIO, BARRIER; published: …)", and `format` makes TEXT. `published` tells results of other
// GPUs; it may be NULL.
static void PRINTF_LIKE(7, 8)
    report(struct run *run, const char *code, double value, const struct result *first,
           const struct result *second, const char *published, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const struct case_value *scenario = case_find(&first->bench_case, "scenario");
    const char *barrier = result_value(first, "barrier");
    run_add_conclusion(run, code, value, first, second, "%s (%s%s%s%s%s)",
                       arena_vprintf(run->arena, format, args),
                       scenario ? case_value_shown(run->arena, scenario) : "", *barrier ? ", " : "",
                       barrier, published ? "; published: " : "", published ? published : "");
    va_end(args);
}

// ---------------------------------------------------------------- questions of one case

struct question {
    const char *code, *metric;
    // Scenario that answers. If it has no number, the first scenario with a number answers, unless
    // `only` is true.
    const char *scenario;
    bool is_share; // true: the number is written as a verdict and a percentage (share_text)
    const char *text, *rest; // `text` comes before the number in the finding, `rest` after it
    const char *published;   // published results of other GPUs; NULL if there are none
    // true: no other scenario may answer, and a device with one queue gives no answer
    bool only;
};

static const struct question questions[] = {
    {"overlap-dispatches", "same_queue", "no-barriers", true,
     "unordered dispatches of one queue overlap", "",
     "GTX 980, GTX 1070, Titan V yes; RX 460 all; HD 530 some", false},
    {"overlap-draw-dispatch", "draw_dispatch", "no-barriers", true,
     "an unordered draw and dispatch of one queue overlap", "",
     "RX 460 yes; GTX 980, GTX 1070, Titan V, HD 530 no", false},
    {"overlap-draws", "draw_draw", "draws", true, "unordered draws of one queue overlap", "", NULL,
     false},
    {"overlap-queues", "cross_queue", "default", true, "async compute works", " overlap",
     "GTX 980, HD 530 no; GTX 1070, Titan V partly; RX 460 yes", false},
    {"release-skew", "release_skew", "default", false,
     "two queues that are released together start", " apart", NULL, false},
    {"overlap-hand-over", "barrier_gap", "cross-queue", false,
     "work that waits for another queue starts", " after that queue's work has ended", NULL, true},
    {"overlap-stretch", "stretch", "default", false, "a workload beside others takes",
     " times as long as alone", "longer on GTX 1070, Titan V where the queues overlap", false},
    {"overlap-gain", "gain", "no-barriers", false, "without overlap the workloads would take",
     " times as long as their frame", "on RX 460 this frame took 0.6 of the one with barriers",
     false},
};

// Answers "overlap-queues" for a device with one queue, if its scenario was measured.
static void report_missing(const struct subject *subject, const struct question *question)
{
    const struct result *any = find(subject, question->scenario, NULL, "frame");
    if (!any || strcmp(question->code, "overlap-queues") != 0)
        return;
    report(subject->run, question->code, NAN, any, NULL, question->published,
           "%s: no, there is one queue", question->text);
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
        question->is_share ? share_text(arena, metric) : number_text(arena, metric);
    report(subject->run, question->code, metric->median, result, NULL,
           is_scenario(result, question->scenario) ? question->published : NULL, "%s%s %s%s",
           question->text, question->is_share ? ":" : "", answer, question->rest);
}

// Adds a finding barrier-gap for each case of "default". If "default" has no gaps, uses the first
// scenario with gaps. Leaves out barriers of render targets and gaps between two queues.
static void ask_gaps(const struct subject *subject)
{
    struct arena *arena = subject->run->arena;
    const struct result *first = find(subject, "default", NULL, "barrier_gap");
    first = first ? first : find(subject, NULL, NULL, "barrier_gap");
    for (size_t i = 0; first && i < subject->run->result_count; i++) {
        const struct result *result = subject->run->results[i];
        const struct metric *metric = metric_of(result, "barrier_gap");
        // The finding overlap-hand-over reports the gap between two queues.
        bool between = is_scenario(result, "cross-queue") && metric_of(result, "cross_queue");
        const char *barrier = result_value(result, "barrier");
        if (!is_of(subject, result) || !metric || between || !*barrier ||
            strcmp(barrier, "target") == 0 || !is_scenario(result, result_value(first, "scenario")))
            continue;
        barrier = strcmp(barrier, "semaphore") == 0 ? "timeline semaphore"
                                                    : arena_printf(arena, "%s barrier", barrier);
        double resolution_ns = resolution_of(result);
        const char *number = number_text(arena, metric);
        const char *text =
            (has_interval(metric) ? metric->ci95[0] : metric->median) > resolution_ns
                ? arena_printf(arena, "%s until the workload that waits starts", number)
            : metric->median > resolution_ns
                ? arena_printf(arena, "below the noise (%s)", number)
                : arena_printf(arena, "below the clock's resolution (%s)", number);
        report(subject->run, "barrier-gap", metric->median, result, NULL, NULL, "%s: %s", barrier,
               text);
    }
}

// ---------------------------------------------------------------- kinds of barriers

// Adds the finding target-barrier: the metric draw_gap of barrier=target against barrier=buffer.
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
        const char *verdict = !has_interval(a) || !has_interval(b) ? "undecided"
                              : b->ci95[0] > a->ci95[1]            ? "yes"
                              : b->ci95[1] < a->ci95[0]            ? "no, less"
                                                        : "no, there is no measurable difference";
        report(subject->run, "target-barrier", b->median - a->median, target, buffer, NULL,
               "after a draw, a barrier of its render target costs more than one of a buffer: %s, "
               "%s against %s",
               verdict, number_text(arena, b), number_text(arena, a));
        return;
    }
}

// ---------------------------------------------------------------- pairs of workloads

// Returns true if workload `b` of the row comes right after `a` on one queue and waits for an
// earlier workload, but not for `a`. A barrier for all work then makes `b` wait for `a` without
// need.
static bool is_bystander(const struct series *matrix, size_t row)
{
    bool follows = cell_of(matrix, row, "queue_shared") == 1, waits = false;
    for (size_t other = 0; other < matrix->row_count; other++) {
        if (cell_of(matrix, other, "b") != cell_of(matrix, row, "b") ||
            cell_of(matrix, other, "queue_shared") != 1)
            continue;
        double a = cell_of(matrix, other, "a");
        follows = follows && a <= cell_of(matrix, row, "a");
        waits = waits || (a < cell_of(matrix, row, "a") && cell_of(matrix, other, "ordered") == 1);
    }
    return follows && waits && cell_of(matrix, row, "ordered") == 0;
}

// Sets *share to the overlap of the first pair that is_bystander finds. Returns false if none.
static bool bystander_of(const struct result *result, struct metric *share)
{
    const struct series *matrix = result_series(result, "matrix");
    for (size_t row = 0; matrix && row < matrix->row_count; row++) {
        if (!is_bystander(matrix, row))
            continue;
        *share =
            (struct metric){.median = cell_of(matrix, row, "overlap"),
                            .ci95 = {cell_of(matrix, row, "low"), cell_of(matrix, row, "high")}};
        return true;
    }
    return false;
}

// Adds one finding overlap-bystander for split barriers and one for other barriers. Each finding
// comes from the first case with such a barrier.
static void ask_bystanders(const struct subject *subject)
{
    bool reported[2] = {false, false};
    for (size_t i = 0; i < subject->run->result_count; i++) {
        const struct result *result = subject->run->results[i];
        struct metric share;
        bool split = case_says(&result->bench_case, "barrier", "split");
        if (reported[split] || !is_of(subject, result) || !bystander_of(result, &share))
            continue;
        reported[split] = true;
        const char *published =
            split ? "no on all; RX 460 with a driver of 2017 yes" : "no on all five";
        bool is_three = text_begins(result_value(result, "scenario"), "three");
        report(subject->run, "overlap-bystander", share.median, result, NULL,
               is_three ? published : NULL,
               "across a %s, a workload overlaps the unrelated one before it: %s",
               split ? "split barrier" : "barrier", share_text(subject->run->arena, &share));
    }
}

// ---------------------------------------------------------------- one case against another

struct comparison {
    const char *code, *base, *other; // `base` and `other` are names of scenarios
    const char *what, *published;
};

// Two frames are equally long if the interval of the ratio of their times lies between 1 / MATTERS
// and MATTERS. Three runs of one card differed by 4 % through CUDA (0.1 % through Vulkan).
#define MATTERS 1.05

static void compare(const struct subject *subject, const struct comparison *comparison)
{
    const struct result *base = find(subject, comparison->base, NULL, "frame");
    const struct result *other = find(subject, comparison->other, NULL, "frame");
    if (!base || !other)
        return;
    // the case then ran at medium priority
    if (result_reason(other, "priority-refused")) {
        report(subject->run, comparison->code, NAN, other, NULL, comparison->published,
               "%s: not measured, as the driver refused high priority", comparison->what);
        return;
    }
    const struct ratio times = ratio_of(metric_of(base, "frame"), metric_of(other, "frame"));
    const struct metric ratio = {.median = times.value, .ci95 = {times.low, times.high}};
    bool alike = times.low >= 1 / MATTERS && times.high <= MATTERS;
    const char *verdict = times.high < 1 / MATTERS ? "a shorter frame"
                          : times.low > MATTERS    ? "a longer frame"
                          : alike                  ? "no difference"
                                                   : "undecided";
    report(subject->run, comparison->code, times.value, other, base, comparison->published,
           "%s: %s, %s times as long", comparison->what, verdict,
           number_text(subject->run->arena, &ratio));
}

static const struct comparison comparisons[] = {
    {"split-barrier", "three", "three-split", "split barriers instead of plain ones",
     "no benefit on all; RX 460 with a driver of 2017 a wait at the begin"},
    {"queue-priority", "default", "high-priority", "high priority for the compute queue",
     "little difference; HD 530 runs the compute list first"},
};

// ---------------------------------------------------------------- the clock

struct polled {
    double markers, seen, agreed, known_ns, bars_ns;
};

static const char *polled_text(struct arena *arena, const struct polled *polled)
{
    if (!(polled->markers > 0))
        return "";
    const char *offset =
        isfinite(polled->known_ns)
            ? arena_printf(arena, "the offset to the host's clock is known to ±%s; ",
                           unit_text(arena, polled->known_ns, UNIT_NS))
            : "";
    return arena_printf(arena,
                        "; %sthe polling host saw %.0f of %.0f markers, %.0f of them on time; "
                        "polled and stamped lengths differ by up to %s",
                        offset, polled->seen, polled->markers, polled->agreed,
                        unit_text(arena, polled->bars_ns, UNIT_NS));
}

// Adds overlap-clock: the clock's resolution, its lag between cores, and how well it agrees with
// the markers that the polling host saw.
static void report_clock(const struct subject *subject)
{
    struct run *run = subject->run;
    const struct result *first = NULL;
    struct polled polled = {.known_ns = INFINITY};
    for (size_t i = 0; i < run->result_count; i++) {
        const struct series *calibration = calibration_of(run->results[i]);
        if (!is_of(subject, run->results[i]) || !calibration)
            continue;
        first = first ? first : run->results[i];
        polled.markers += cell_of(calibration, 0, "markers");
        polled.seen += cell_of(calibration, 0, "seen");
        polled.agreed += cell_of(calibration, 0, "agreed");
        polled.known_ns = fmin(polled.known_ns, cell_of(calibration, 0, "known"));
        polled.bars_ns = fmax(polled.bars_ns, cell_of(calibration, 0, "bars"));
    }
    if (!first)
        return;
    struct arena *arena = run->arena;
    const struct series *calibration = calibration_of(first);
    double behind_ns = cell_of(calibration, 0, "behind");
    const char *reach = unit_text(arena, cell_of(calibration, 0, "reach"), UNIT_NS);
    const char *lag =
        behind_ns > 0 ? arena_printf(arena, "a core's clock lags another's by up to %s",
                                     unit_text(arena, behind_ns, UNIT_NS))
                      : arena_printf(arena, "no core's clock lags another's by %s or more", reach);
    run_add_conclusion(run, "overlap-clock", resolution_of(first), first, NULL,
                       "timer resolution: %s (ticks of %s, steps of %s); %s%s",
                       unit_text(arena, resolution_of(first), UNIT_NS),
                       unit_text(arena, cell_of(calibration, 0, "tick"), UNIT_NS),
                       unit_text(arena, cell_of(calibration, 0, "step"), UNIT_NS), lag,
                       polled_text(arena, &polled));
}

// ---------------------------------------------------------------- all

// Adds the findings below. The keys are the cases of a finding. The value is the number in its
// text; NaN if there is none. For target-barrier, it is the difference of both numbers.
//   overlap-clock          resolution of the device's clock (see report_clock); its key is the
//                          first case with a calibration
//   overlap-dispatches     do unordered dispatches of one queue overlap
//   overlap-draw-dispatch  do an unordered draw and an unordered dispatch of one queue overlap
//   overlap-draws          do unordered draws of one queue overlap
//   overlap-queues         do two queues work at the same time
//   overlap-hand-over      time from the end of work on one queue to the start of waiting work
//                          on the other queue
//   release-skew, overlap-stretch, overlap-gain  the metrics of these names
//   barrier-gap            time from the end of a dispatch to the start of a waiting dispatch, for
//                          each kind of barrier except barriers of render targets
//   target-barrier         does a barrier of a render target cost more than one of a buffer
//   overlap-bystander      does work after a barrier overlap work for which it does not wait
//   split-barrier          is a frame shorter with split barriers
//   queue-priority         does high priority change the length of a frame; NaN if it was refused
void overlap_conclude(struct run *run, const char *device)
{
    const struct subject subject = {run, device};
    report_clock(&subject);
    for (size_t q = 0; q < COUNT(questions); q++)
        ask(&subject, &questions[q]);
    ask_gaps(&subject);
    ask_targets(&subject);
    ask_bystanders(&subject);
    for (size_t c = 0; c < COUNT(comparisons); c++)
        compare(&subject, &comparisons[c]);
}
