// SPDX-License-Identifier: MIT
#include "bench/overlap/tally.h"

#include "math/stats.h"

#include <math.h>

static double length_of(const struct overlap_frame *frame, size_t w)
{
    return frame->end_ns[w] - frame->start_ns[w];
}

double overlap_of(const struct overlap_frame *frame, size_t a, size_t b)
{
    double both =
        fmin(frame->end_ns[a], frame->end_ns[b]) - fmax(frame->start_ns[a], frame->start_ns[b]);
    double shorter = fmin(length_of(frame, a), length_of(frame, b));
    return both > 0 && shorter > 0 ? both / shorter : 0;
}

// True if the list has no workload of the two queues between `a` and the later `b`. The list does
// not order workloads of different queues.
static bool are_neighbours(const struct overlap_workload *workloads, size_t a, size_t b)
{
    for (size_t w = a + 1; w < b; w++)
        if (workloads[w].queue == workloads[a].queue || workloads[w].queue == workloads[b].queue)
            return false;
    return a < b;
}

// True if `a` and `b` are neighbours on one queue and neither waits for any workload.
static bool are_free(const struct overlap_workload *workloads, size_t a, size_t b)
{
    return workloads[a].queue == workloads[b].queue && are_neighbours(workloads, a, b) &&
           !workloads[a].after && !workloads[b].after;
}

// Returns the mean overlap of two neighbours on one queue that wait for no workload. Only pairs
// with `draws` draws (0, 1 or 2) count. Returns NaN if there is no such pair.
static double free_pairs_of(const struct overlap_scenario *scenario,
                            const struct overlap_frame *frame, int draws)
{
    const struct overlap_workload *workloads = scenario->workloads;
    double sum = 0;
    size_t pairs = 0;
    for (size_t b = 1; b < scenario->count; b++)
        for (size_t a = 0; a < b; a++) {
            if (!are_free(workloads, a, b) || workloads[a].draw + workloads[b].draw != draws)
                continue;
            sum += overlap_of(frame, a, b);
            pairs++;
        }
    return pairs ? sum / (double)pairs : NAN;
}

// Returns the time in ns in which all queues in `wanted` run workloads. The set of busy queues
// changes only when a workload starts or ends. So the middle of each interval between these times
// is tested.
static double busy_ns(const struct overlap_scenario *scenario, const struct overlap_frame *frame,
                      unsigned wanted)
{
    double borders[2 * OVERLAP_WORKLOADS_MAX], sum = 0;
    size_t count = scenario->count;
    for (size_t w = 0; w < count; w++) {
        borders[2 * w] = frame->start_ns[w];
        borders[2 * w + 1] = frame->end_ns[w];
    }
    stats_sort(borders, 2 * count);
    for (size_t i = 0; i + 1 < 2 * count; i++) {
        double middle = (borders[i] + borders[i + 1]) / 2;
        unsigned busy = 0;
        for (size_t w = 0; w < count; w++)
            if (frame->start_ns[w] <= middle && middle <= frame->end_ns[w])
                busy |= 1u << scenario->workloads[w].queue;
        if ((busy & wanted) == wanted)
            sum += borders[i + 1] - borders[i];
    }
    return sum;
}

// Of the workloads for which `w` waits, returns the workload that ended last. If `w` waits for no
// workload, returns `w`.
static size_t awaited_of(const struct overlap_scenario *scenario, const struct overlap_frame *frame,
                         size_t w)
{
    size_t last = w;
    for (size_t p = 0; p < w; p++)
        if (scenario->workloads[w].after >> p & 1 &&
            (last == w || frame->end_ns[p] >= frame->end_ns[last]))
            last = p;
    return last;
}

// Returns the median gap in ns from the end of a workload (a draw if `after_draw`, else a dispatch)
// to the start of a neighbouring dispatch that waits for this workload; NaN if there is no gap. If
// a dispatch waits for several workloads, the workload that ends last counts.
static double gap_of(const struct overlap_scenario *scenario, const struct overlap_frame *frame,
                     bool after_draw)
{
    double gaps[OVERLAP_WORKLOADS_MAX];
    size_t count = 0;
    for (size_t w = 1; w < scenario->count; w++) {
        size_t before = awaited_of(scenario, frame, w);
        if (are_neighbours(scenario->workloads, before, w) && !scenario->workloads[w].draw &&
            scenario->workloads[before].draw == after_draw)
            gaps[count++] = frame->start_ns[w] - frame->end_ns[before];
    }
    return count ? stats_median(gaps, count) : NAN;
}

// True if the first workload of each queue waits for no workload, so that all queues start at the
// release.
static bool begins_free(const struct overlap_scenario *scenario)
{
    bool seen[OVERLAP_QUEUES_MAX] = {false};
    for (size_t w = 0; w < scenario->count; w++) {
        const struct overlap_workload *workload = &scenario->workloads[w];
        if (!seen[workload->queue] && workload->after)
            return false;
        seen[workload->queue] = true;
    }
    return true;
}

struct overlap_tally overlap_tally_of(const struct overlap_scenario *scenario,
                                      const double *alone_ns, const struct overlap_frame *frame)
{
    struct overlap_tally tally = {
        {[OVERLAP_METRIC_FRAME] = frame->length_ns,
         [OVERLAP_METRIC_SAME_QUEUE] = free_pairs_of(scenario, frame, 0),
         [OVERLAP_METRIC_DRAW_DISPATCH] = free_pairs_of(scenario, frame, 1),
         [OVERLAP_METRIC_DRAW_DRAW] = free_pairs_of(scenario, frame, 2),
         [OVERLAP_METRIC_CROSS_QUEUE] = NAN,
         [OVERLAP_METRIC_GAP] = gap_of(scenario, frame, false),
         [OVERLAP_METRIC_DRAW_GAP] = gap_of(scenario, frame, true),
         [OVERLAP_METRIC_SKEW] = NAN}};
    double first[OVERLAP_QUEUES_MAX] = {INFINITY, INFINITY}, alone = 0;
    for (size_t w = 0; w < scenario->count; w++) {
        double *begin = &first[scenario->workloads[w].queue];
        *begin = fmin(*begin, frame->start_ns[w]);
        tally.of[OVERLAP_METRIC_STRETCH] +=
            length_of(frame, w) / alone_ns[w] / (double)scenario->count;
        alone += alone_ns[w];
    }
    tally.of[OVERLAP_METRIC_GAIN] = alone / frame->length_ns;
    if (isfinite(first[0]) && isfinite(first[1])) {
        double direct = busy_ns(scenario, frame, 1), compute = busy_ns(scenario, frame, 2);
        if (begins_free(scenario))
            tally.of[OVERLAP_METRIC_SKEW] = fabs(first[1] - first[0]);
        tally.of[OVERLAP_METRIC_CROSS_QUEUE] = busy_ns(scenario, frame, 3) / fmin(direct, compute);
    }
    return tally;
}
