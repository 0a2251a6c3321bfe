// SPDX-License-Identifier: MIT
#include "bench/overlap/tally.h"

#include "math/stats.h"

#include <math.h>
#include <string.h>

void overlap_history_add(struct overlap_history *history, const struct overlap_scenario *scenario,
                         const struct overlap_frame *frame)
{
    size_t slot = history->frames++ % OVERLAP_HISTORY_MAX, pair = 0;
    for (size_t b = 1; b < scenario->count; b++)
        for (size_t a = 0; a < b; a++)
            history->overlaps[pair++][slot] = overlap_of(frame, a, b);
}

void overlap_polling_add(struct overlap_polling *polling, const struct overlap_agreement *agreement,
                         const struct overlap_frame *frame, const struct measure_clock *clock)
{
    double known_ns = (agreement->offset_high_ns - agreement->offset_low_ns) / 2;
    double middle_ns = (agreement->offset_high_ns + agreement->offset_low_ns) / 2;
    polling->markers += agreement->markers;
    polling->seen += agreement->seen;
    polling->agreed += agreement->agreed;
    polling->sweep_ns = fmax(polling->sweep_ns, agreement->sweep_ns);
    polling->bars_ns = fmax(polling->bars_ns, agreement->bars_ns);
    polling->held_ns = fmax(polling->held_ns, agreement->held_ns);
    if (isfinite(known_ns) && !(polling->known_ns <= known_ns)) {
        polling->known_ns = known_ns;
        polling->offset_ns = frame->first_ns - (frame->released_ns + middle_ns);
        // The device's clock wraps to 0 after range_ns, so the offset is known modulo range_ns.
        if (clock->device_bits < 64) {
            double range_ns = ldexp(clock->device_tick_ns, (int)clock->device_bits);
            polling->offset_ns = remainder(polling->offset_ns, range_ns);
        }
    }
}

static void add_timeline(const struct overlap_scenario *scenario, const struct overlap_frame *frame,
                         struct measure_visit *visit)
{
    const char *columns[] = {"start", "end", "lane", "queue", "after"};
    double *cell = visit_series(visit, "timeline", columns, COUNT(columns), scenario->count)->data;
    for (size_t w = 0; w < scenario->count; w++) {
        double after = -1;
        for (size_t p = 0; p < w; p++)
            if (scenario->workloads[w].after >> p & 1)
                after = (double)p;
        *cell++ = frame->start_ns[w];
        *cell++ = frame->end_ns[w];
        *cell++ = (double)w;
        *cell++ = scenario->workloads[w].queue;
        *cell++ = after;
    }
}

static void add_groups(const struct overlap_frame *frame, bool cores, struct measure_visit *visit)
{
    const char *columns[] = {"start", "end", "lane", "group", "core"};
    double *cell =
        visit_series(visit, "workgroups", columns, COUNT(columns) - !cores, frame->group_count)
            ->data;
    for (size_t g = 0; g < frame->group_count; g++) {
        const struct overlap_group *group = &frame->groups[g];
        *cell++ = group->start_ns;
        *cell++ = group->end_ns;
        *cell++ = group->workload;
        *cell++ = group->group;
        if (cores)
            *cell++ = group->core;
    }
}

static void add_edges(const struct overlap_scenario *scenario, struct measure_visit *visit)
{
    const char *columns[] = {"from", "to"};
    if (!overlap_scenario_waits(scenario))
        return;
    struct series *edges = visit_series(visit, "edges", columns, COUNT(columns), OVERLAP_PAIRS_MAX);
    double *cell = edges->data;
    for (size_t w = 0; w < scenario->count; w++)
        for (size_t p = 0; p < w; p++)
            if (scenario->workloads[w].after >> p & 1) {
                *cell++ = (double)p;
                *cell++ = (double)w;
            }
    edges->row_count = (size_t)(cell - edges->data) / COUNT(columns);
}

static void add_calibration(const struct overlap_session *session,
                            const struct overlap_polling *polling, struct measure_visit *visit)
{
    const char *columns[] = {"tick",  "step",    "resolution", "behind", "reach", "offset",
                             "known", "markers", "seen",       "agreed", "sweep", "bars"};
    const double row[] = {session->clock.device_tick_ns,
                          session->clock.device_step_ns,
                          session->resolution_ns,
                          session->skew.behind_ns,
                          session->skew.reach_ns,
                          polling->offset_ns,
                          polling->known_ns,
                          (double)polling->markers,
                          (double)polling->seen,
                          (double)polling->agreed,
                          polling->sweep_ns,
                          polling->bars_ns};
    memcpy(visit_series(visit, "calibration", columns, COUNT(columns), 1)->data, row, sizeof row);
}

static void add_markers(const struct overlap_stage *stage, const struct overlap_frame *frame,
                        struct measure_visit *visit)
{
    const char *columns[] = {"lane",       "stamped_start", "stamped_end", "polled_start",
                             "polled_end", "marked_start",  "marked_end"};
    struct overlap_agreement agreement = overlap_markers_agree(stage, frame);
    size_t count = stage->scenario->count;
    double *cell = visit_series(visit, "markers", columns, COUNT(columns), count)->data;
    for (size_t w = 0; w < count; w++) {
        const struct overlap_poll *polls = stage->markers.polls[w];
        *cell++ = (double)w;
        *cell++ = frame->start_ns[w];
        *cell++ = frame->end_ns[w];
        for (int mark = 0; mark < OVERLAP_MARK_COUNT; mark++)
            *cell++ = polls[mark].seen ? polls[mark].seen_ns - agreement.offset_high_ns : NAN;
        for (int mark = 0; mark < OVERLAP_MARK_COUNT; mark++)
            *cell++ = polls[mark].seen ? polls[mark].until_ns : NAN;
    }
}

// Sets row[0] to the median overlap of a pair of workloads. Sets row[1] and row[2] to the 95 %
// interval of the median or, if there are too few frames, to the extremes.
static void matrix_row(struct arena *scratch, const struct overlap_history *history, size_t pair,
                       double row[3])
{
    size_t count =
        history->frames < OVERLAP_HISTORY_MAX ? history->frames : (size_t)OVERLAP_HISTORY_MAX;
    double *sorted = ARENA_ARRAY(scratch, count, double);
    memcpy(sorted, history->overlaps[pair], count * sizeof *sorted);
    row[0] = stats_median(sorted, count);
    size_t rank = stats_median_rank(count, 0.95);
    row[1] = sorted[rank ? rank - 1 : 0];
    row[2] = sorted[rank ? count - rank : count - 1];
}

static void add_matrix(const struct overlap_scenario *scenario,
                       const struct overlap_history *history, struct measure_visit *visit)
{
    const char *columns[] = {"a",    "b",       "overlap",      "low",
                             "high", "ordered", "queue_shared", "frames"};
    size_t pairs = scenario->count * (scenario->count - 1) / 2, pair = 0;
    double *cell = visit_series(visit, "matrix", columns, COUNT(columns), pairs)->data;
    for (size_t b = 1; b < scenario->count; b++)
        for (size_t a = 0; a < b; a++) {
            *cell++ = (double)a;
            *cell++ = (double)b;
            matrix_row(visit->arena, history, pair++, cell);
            cell += 3;
            *cell++ = overlap_scenario_before(scenario, b) >> a & 1;
            *cell++ = scenario->workloads[a].queue == scenario->workloads[b].queue;
            *cell++ = (double)history->frames;
        }
}

void overlap_series_add(const struct overlap_stage *stage, const struct overlap_history *history,
                        const struct overlap_frame *frame, const struct overlap_frame *marked,
                        struct measure_visit *visit)
{
    add_timeline(stage->scenario, frame, visit);
    if (frame->group_count <= OVERLAP_GROUPS_SHOWN)
        add_groups(frame, stage->session->has_cores, visit);
    add_edges(stage->scenario, visit);
    add_calibration(stage->session, &history->polling, visit);
    add_markers(stage, marked, visit);
    add_matrix(stage->scenario, history, visit);
}
