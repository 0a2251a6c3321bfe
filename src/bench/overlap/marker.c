// SPDX-License-Identifier: MIT
#include "base/clock.h"
#include "bench/overlap/frame.h"
#include "bench/overlap/overlap.h"

#include <math.h>
#include <string.h>

enum {
    // Number of sweeps over all markers between two checks whether the batches are done.
    SWEEPS_A_CHECK = 4096
};

bool overlap_markers_init(struct overlap_markers *markers, struct gpu_scope *scope,
                          struct error *err)
{
    const uint32_t zeros[OVERLAP_WORKLOADS_MAX * OVERLAP_MARK_COUNT] = {0};
    const uint64_t bytes = OVERLAP_MARKER_WORDS * sizeof zeros;
    *markers = (struct overlap_markers){0};
    markers->counters = bench_buffer(scope, sizeof zeros, GPU_MEMORY_DEVICE, err);
    if (!markers->counters ||
        !(markers->words = bench_buffer(scope, bytes, GPU_MEMORY_READBACK, err)))
        return false;
    // The memory is cleared, because its old content could be equal to a token of a later frame.
    markers->map = memset(gpu_buffer_map(markers->words), 0, bytes);
    return gpu_buffer_write(markers->counters, 0, zeros, sizeof zeros, err);
}

static const volatile uint32_t *words_of(const struct overlap_markers *markers, size_t w, int mark)
{
    return markers->map + (w * OVERLAP_MARK_COUNT + (size_t)mark) * OVERLAP_MARKER_WORDS;
}

// Reads all markers not seen so far. Returns the number of markers that are still missing.
static size_t sweep(struct overlap_stage *stage, uint64_t released_ns)
{
    struct overlap_markers *markers = &stage->markers;
    size_t missing = 0;
    for (size_t w = 0; w < stage->scenario->count; w++)
        for (int mark = 0; mark < OVERLAP_MARK_COUNT; mark++) {
            struct overlap_poll *poll = &markers->polls[w][mark];
            if (poll->seen)
                continue;
            double before_ns = (double)(clock_now_ns() - released_ns);
            poll->seen = *words_of(markers, w, mark) == stage->token;
            if (poll->seen)
                poll->seen_ns = (double)(clock_now_ns() - released_ns);
            else
                poll->look_ns = before_ns;
            missing += !poll->seen;
        }
    return missing;
}

// True if the host can stop polling markers. The error of a failed batch is reported when the host
// waits for that batch.
static bool is_over(const struct overlap_stage *stage, uint64_t end_ns)
{
    if (!clock_left_ns(end_ns))
        return true;
    for (size_t i = 0; i < stage->segment_count; i++) {
        struct error late;
        if (!gpu_batch_wait(stage->segments[i].batch, 0, &late))
            return late.code != ERROR_TIMEOUT;
    }
    return true;
}

void overlap_markers_poll(struct overlap_stage *stage, uint64_t released_ns)
{
    uint64_t end_ns = clock_deadline_ns(stage->timeout_ns);
    memset(stage->markers.polls, 0, sizeof stage->markers.polls);
    for (unsigned sweeps = 1; sweep(stage, released_ns); sweeps++) {
        if (sweeps % SWEEPS_A_CHECK || !is_over(stage, end_ns))
            continue;
        // this last sweep finds markers that were written since the previous sweep
        sweep(stage, released_ns);
        return;
    }
}

static double date_of(const volatile uint32_t *words, const struct measure_clock *clock,
                      uint64_t base)
{
    const uint32_t stamp[] = {words[0], words[1]};
    return measure_clock_offset_ns(clock, base, measure_clock_stamp(stamp));
}

void overlap_markers_date(struct overlap_markers *markers, const struct measure_clock *clock,
                          uint64_t base, double start_ns)
{
    for (size_t w = 0; w < OVERLAP_WORKLOADS_MAX; w++)
        for (int mark = 0; mark < OVERLAP_MARK_COUNT; mark++) {
            const volatile uint32_t *words = words_of(markers, w, mark);
            struct overlap_poll *poll = &markers->polls[w][mark];
            poll->since_ns = date_of(words + OVERLAP_MARKER_SINCE, clock, base) - start_ns;
            poll->until_ns = date_of(words + OVERLAP_MARKER_UNTIL, clock, base) - start_ns;
        }
}

// ---------------------------------------------------------------- polling against stamps

static void find_offset(const struct overlap_stage *stage, struct overlap_agreement *found)
{
    found->offset_high_ns = INFINITY;
    for (size_t w = 0; w < stage->scenario->count; w++)
        for (int mark = 0; mark < OVERLAP_MARK_COUNT; mark++) {
            const struct overlap_poll *poll = &stage->markers.polls[w][mark];
            found->markers++;
            if (!poll->seen)
                continue;
            found->seen++;
            found->offset_high_ns = fmin(found->offset_high_ns, poll->seen_ns - poll->since_ns);
        }
    found->early = found->offset_high_ns < found->offset_low_ns - stage->session->resolution_ns;
}

static bool agrees(const struct overlap_poll *poll, double stamp_ns,
                   const struct overlap_agreement *found, double resolution_ns)
{
    double known_ns = fmax(found->offset_high_ns - found->offset_low_ns, 0);
    return poll->since_ns >= stamp_ns - resolution_ns &&
           poll->seen_ns - poll->until_ns - found->offset_high_ns <=
               poll->seen_ns - poll->look_ns + known_ns + resolution_ns;
}

struct overlap_agreement overlap_markers_agree(const struct overlap_stage *stage,
                                               const struct overlap_frame *frame)
{
    struct overlap_agreement found = {0};
    find_offset(stage, &found);
    for (size_t w = 0; w < stage->scenario->count; w++) {
        const struct overlap_poll *polls = stage->markers.polls[w];
        const double stamps_ns[] = {frame->start_ns[w], frame->end_ns[w]};
        for (int mark = 0; mark < OVERLAP_MARK_COUNT; mark++) {
            if (!polls[mark].seen)
                continue;
            found.agreed +=
                agrees(&polls[mark], stamps_ns[mark], &found, stage->session->resolution_ns);
            found.sweep_ns = fmax(found.sweep_ns, polls[mark].seen_ns - polls[mark].look_ns);
        }
        if (polls[OVERLAP_MARK_START].seen)
            found.held_ns = fmax(found.held_ns, polls[OVERLAP_MARK_START].until_ns - stamps_ns[0]);
        double polled = polls[OVERLAP_MARK_END].seen_ns - polls[OVERLAP_MARK_START].seen_ns;
        if (polls[OVERLAP_MARK_START].seen && polls[OVERLAP_MARK_END].seen)
            found.bars_ns = fmax(found.bars_ns, fabs(polled - (stamps_ns[1] - stamps_ns[0])));
    }
    return found;
}
