// SPDX-License-Identifier: MIT
#include "analysis/overlaps_pairs.h"

#include "analysis/compare.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// ---------------------------------------------------------------- kinds of barriers

void overlaps_ask_targets(const struct overlaps_subject *subject)
{
    static const char *const scenarios[] = {"default", "draws"};
    struct arena *arena = subject->run->arena;
    for (size_t s = 0; s < COUNT(scenarios); s++) {
        const struct result *target = overlaps_find(subject, scenarios[s], "target", "draw_gap");
        const struct result *buffer = overlaps_find(subject, scenarios[s], "buffer", "draw_gap");
        if (!target || !buffer)
            continue;
        const struct metric *a = overlaps_metric_of(buffer, "draw_gap"),
                            *b = overlaps_metric_of(target, "draw_gap");
        const double gaps[2][3] = {{b->median, b->ci95[0], b->ci95[1]},
                                   {a->median, a->ci95[0], a->ci95[1]}};
        const char *verdict = b->ci95[0] > a->ci95[1]   ? "yes"
                              : b->ci95[1] < a->ci95[0] ? "no, less"
                                                        : "no, alike as far as can be told";
        overlaps_tell(subject, &(struct overlaps_answer){
                                   .code = "target-barrier",
                                   .text = arena_printf(
                                       arena,
                                       "after a draw, a barrier of its render target costs more "
                                       "than one of a buffer: %s, %s against %s",
                                       verdict, overlaps_number(arena, gaps[0], UNIT_NS),
                                       overlaps_number(arena, gaps[1], UNIT_NS)),
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
static bool bystander_of(const struct result *result, double value[3])
{
    size_t at[AT_COUNT];
    const struct series *matrix = matrix_of(result, at);
    for (size_t row = 0; matrix && row < matrix->row_count; row++) {
        const double *cells = matrix->data + row * matrix->column_count;
        if (!is_bystander(matrix, at, cells))
            continue;
        memcpy(value, (double[]){cells[at[AT_OVERLAP]], cells[at[AT_LOW]], cells[at[AT_HIGH]]},
               3 * sizeof *value);
        return true;
    }
    return false;
}

void overlaps_ask_bystanders(const struct overlaps_subject *subject)
{
    struct arena *arena = subject->run->arena;
    bool told[2] = {false, false};
    for (size_t i = 0; i < subject->run->result_count; i++) {
        const struct result *result = subject->run->results[i];
        double value[3];
        bool split = case_says(&result->bench_case, "barrier", "split");
        if (told[split] || !overlaps_is_of(subject, result) || !bystander_of(result, value))
            continue;
        told[split] = true;
        const char *published =
            split ? "no on all; RX 460 with a driver of 2017 yes" : "no on all five";
        bool is_three = text_begins(overlaps_value_of(result, "scenario"), "three");
        overlaps_tell(subject,
                      &(struct overlaps_answer){
                          .code = "overlap-bystander",
                          .text = arena_printf(arena,
                                               "a workload overlaps the one before it, which it "
                                               "need not wait for, across a %s: %s",
                                               split ? "split barrier" : "barrier",
                                               overlaps_share(arena, value)),
                          .published = is_three ? published : NULL,
                          .value = value[0],
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

// The case ran without what it was to show: at medium, where the driver refused a high priority.
static bool is_refused(const struct result *result)
{
    for (size_t i = 0; i < result->reason_count; i++)
        if (strcmp(result->reasons[i].code, "priority-refused") == 0)
            return true;
    return false;
}

static void tell_refused(const struct overlaps_subject *subject,
                         const struct comparison *comparison, const struct result *other)
{
    overlaps_tell(subject,
                  &(struct overlaps_answer){
                      .code = comparison->code,
                      .text = arena_printf(subject->run->arena,
                                           "%s: not measured: high was refused", comparison->what),
                      .published = comparison->published,
                      .value = NAN,
                      .cases = {other}});
}

static void compare(const struct overlaps_subject *subject, const struct comparison *comparison)
{
    const struct result *base = overlaps_find(subject, comparison->base, NULL, "frame");
    const struct result *other = overlaps_find(subject, comparison->other, NULL, "frame");
    if (!base || !other)
        return;
    if (is_refused(other)) {
        tell_refused(subject, comparison, other);
        return;
    }
    const struct metric *a = overlaps_metric_of(base, "frame"),
                        *b = overlaps_metric_of(other, "frame");
    const struct ratio times = ratio_of(a, b);
    const double ratio[3] = {times.value, times.low, times.high};
    bool alike = times.low >= 1 / MATTERS && times.high <= MATTERS;
    const char *verdict = times.high < 1 / MATTERS ? "a shorter frame"
                          : times.low > MATTERS    ? "a longer frame"
                          : alike                  ? "no difference to speak of"
                                                   : "undecided";
    struct arena *arena = subject->run->arena;
    overlaps_tell(subject,
                  &(struct overlaps_answer){
                      .code = comparison->code,
                      .text = arena_printf(arena, "%s: %s, %s times as long", comparison->what,
                                           verdict, overlaps_number(arena, ratio, UNIT_NONE)),
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

void overlaps_ask_frames(const struct overlaps_subject *subject)
{
    for (size_t c = 0; c < COUNT(comparisons); c++)
        compare(subject, &comparisons[c]);
}
