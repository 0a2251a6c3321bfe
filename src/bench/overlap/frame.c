// SPDX-License-Identifier: MIT
#include "bench/overlap/frame.h"

#include "base/clock.h"
#include "bench/overlap/overlap.h"
#include "measure/unit.h"

#include <math.h>

enum {
    WORDS_CHECKED = 3 // number of result words checked per workload and frame
};
// Time in ns between the submission of a frame and the release of its hold, so that all submissions
// reach the device before it starts.
static const uint64_t settle_ns = 20000;
// Minimum length in ns of the warm-up before each frame. (The core clock falls between frames.)
static const uint64_t warm_ns = 1000000;

static uint32_t threads_of(const struct overlap_workload *workload)
{
    return workload->blocks * OVERLAP_BLOCK_THREADS;
}

// ---------------------------------------------------------------- running

// Submits the segments in order. If there are two segments and neither waits, the second one comes
// first, as in M. Pettineo's tool (METHOD.md). In the built-in scenarios, the second segment is
// that of the compute queue.
static bool submit_all(struct overlap_stage *stage, struct gpu_hold *hold, struct error *err)
{
    bool reverse = stage->segment_count == 2 && !stage->segments[1].after;
    for (size_t i = 0; i < stage->segment_count; i++) {
        const struct overlap_segment *segment = &stage->segments[reverse ? 1 - i : i];
        struct gpu_submit submit = {.hold = hold};
        for (size_t s = 0; s < stage->segment_count; s++)
            if (segment->after >> s & 1)
                submit.after[submit.after_count++] = stage->segments[s].batch;
        if (!gpu_batch_submit_after(segment->batch, &submit, err))
            return false;
    }
    return true;
}

static bool wait_all(struct overlap_stage *stage, struct error *err)
{
    for (size_t i = 0; i < stage->segment_count; i++)
        if (!gpu_batch_wait(stage->segments[i].batch, stage->timeout_ns, err))
            return false;
    return true;
}

// Repeats the frame's work, without a hold, for at least warm_ns, so that the core clock rises. Its
// records have another token than the frame's records.
static bool warm_up(struct overlap_stage *stage, uint32_t which, struct error *err)
{
    if (gpu_device_info(gpu_scope_device(stage->scope))->kind == GPU_KIND_CPU)
        return true;
    uint64_t end_ns = clock_deadline_ns(warm_ns);
    stage->token = ++stage->session->token;
    if (!overlap_record(stage, which, err))
        return false;
    do
        if (!submit_all(stage, NULL, err) || !wait_all(stage, err))
            return false;
    while (clock_left_ns(end_ns));
    return true;
}

// Warms up and runs one frame behind a hold. Sets *host_ns to the time from the release of the hold
// to the end of the frame, by the host's clock. After an error, closing the scope releases the
// hold, too.
static bool run_held(struct overlap_stage *stage, const struct overlap_frame_desc *desc,
                     struct overlap_frame *frame, double *host_ns, struct error *err)
{
    if (!warm_up(stage, desc->which, err))
        return false;
    stage->token = ++stage->session->token;
    stage->marked = desc->marked;
    bool recorded = overlap_record(stage, desc->which, err);
    stage->marked = false;
    if (!recorded)
        return false;
    struct gpu_scope *scope = gpu_scope_open(gpu_scope_device(stage->scope));
    struct gpu_hold *hold = gpu_hold_create(scope, err);
    bool ok = hold && submit_all(stage, hold, err);
    if (ok)
        clock_sleep_ns(settle_ns);
    uint64_t released_ns = clock_now_ns();
    ok = ok && gpu_hold_release(hold, err);
    if (ok && desc->marked)
        overlap_markers_poll(stage, released_ns);
    ok = ok && wait_all(stage, err);
    stage->markers.frames += desc->marked;
    *host_ns = (double)(clock_now_ns() - released_ns);
    frame->released_ns = (double)released_ns;
    gpu_scope_close(scope);
    return ok;
}

// ---------------------------------------------------------------- reading

static const uint32_t *record_of(const struct overlap_stage *stage, size_t w, uint32_t group)
{
    return stage->record_words + (size_t)(stage->first_record[w] + group) * OVERLAP_RECORD_WORDS;
}

// Returns true if element `g` of workload `w` holds a record of this frame. In a draw, the places
// of records change, so some elements hold records of earlier frames.
static bool is_record(const struct overlap_stage *stage, size_t w, uint32_t g)
{
    const uint32_t *record = record_of(stage, w, g);
    return record[OVERLAP_RECORD_TOKEN] == stage->token &&
           (stage->scenario->workloads[w].draw || record[OVERLAP_RECORD_GROUP] == g);
}

static bool read_workload(const struct overlap_stage *stage, size_t w, uint64_t base,
                          struct overlap_frame *frame, struct error *err)
{
    const struct overlap_workload *workload = &stage->scenario->workloads[w];
    uint32_t groups = stage->first_record[w + 1] - stage->first_record[w];
    uint32_t pixels = 0;
    bool first = true;
    for (uint32_t g = 0; g < groups; g++) {
        const uint32_t *record = record_of(stage, w, g);
        bool found = is_record(stage, w, g);
        if (!found && workload->draw)
            continue;
        if (!found)
            return error_set(err, ERROR_MISMATCH,
                             "%s: workgroup %u of %u left no record of this frame", workload->name,
                             g, groups);
        double start = measure_clock_offset_ns(&stage->session->clock, base,
                                               measure_clock_stamp(record + OVERLAP_RECORD_START));
        double end = measure_clock_offset_ns(&stage->session->clock, base,
                                             measure_clock_stamp(record + OVERLAP_RECORD_END));
        if (end < start)
            return error_set(
                err, ERROR_MISMATCH,
                "%s: workgroup %u ended %.0f ns before it began, by the device's clock",
                workload->name, g, start - end);
        pixels += record[OVERLAP_RECORD_GROUP];
        frame->start_ns[w] = first ? start : fmin(frame->start_ns[w], start);
        frame->end_ns[w] = first ? end : fmax(frame->end_ns[w], end);
        first = false;
        if (frame->groups)
            frame->groups[frame->group_count++] =
                (struct overlap_group){start, end, (uint32_t)w, g, record[OVERLAP_RECORD_CORE]};
    }
    return !workload->draw || pixels == threads_of(workload) ||
           error_set(err, ERROR_MISMATCH,
                     "%s: the subgroups that left a record of this frame drew %u pixels of %u",
                     workload->name, pixels, threads_of(workload));
}

static bool read_groups(struct overlap_stage *stage, const struct overlap_frame_desc *desc,
                        struct overlap_frame *frame, struct error *err)
{
    size_t count = stage->scenario->count, first = 0;
    while (!(desc->which >> first & 1))
        first++;
    uint32_t g = 0, records = stage->first_record[first + 1] - stage->first_record[first];
    while (g + 1 < records && !is_record(stage, first, g))
        g++;
    uint64_t base = measure_clock_stamp(record_of(stage, first, g) + OVERLAP_RECORD_START);
    if (desc->groups)
        frame->groups = ARENA_ARRAY(desc->arena, stage->first_record[count], struct overlap_group);
    double start = 0, end = 0;
    for (size_t w = 0; w < count; w++) {
        if (!(desc->which >> w & 1))
            continue;
        if (!read_workload(stage, w, base, frame, err))
            return false;
        start = w == first ? frame->start_ns[w] : fmin(start, frame->start_ns[w]);
        end = w == first ? frame->end_ns[w] : fmax(end, frame->end_ns[w]);
    }
    for (size_t w = 0; w < count; w++) {
        frame->start_ns[w] -= start;
        frame->end_ns[w] -= start;
    }
    for (size_t i = 0; i < frame->group_count; i++) {
        frame->groups[i].start_ns -= start;
        frame->groups[i].end_ns -= start;
    }
    if (desc->marked)
        overlap_markers_date(&stage->markers, &stage->session->clock, base, start);
    frame->length_ns = end - start;
    frame->first_ns = (double)base * stage->session->clock.device_tick_ns + start;
    return true;
}

// ---------------------------------------------------------------- checking

static bool check_words(const struct overlap_stage *stage, uint32_t which, size_t w,
                        struct error *err)
{
    const struct overlap_workload *workload = &stage->scenario->workloads[w];
    uint32_t threads = threads_of(workload);
    for (uint32_t i = 0; i < WORDS_CHECKED; i++) {
        uint32_t id = i + 1 == WORDS_CHECKED
                          ? threads - 1
                          : (stage->token * 7919 + i * (threads / WORDS_CHECKED)) % threads;
        uint32_t x = stage->token * 0x9e3779b9u + (uint32_t)w * 0x85ebca6bu + id;
        for (size_t p = 0; p < w; p++)
            if (overlap_record_reads(stage, which, w) >> p & 1)
                x += stage->words[p * stage->stride + id % OVERLAP_BLOCK_THREADS];
        uint32_t wanted = measure_words_mix(x, (uint64_t)workload->iterations *
                                                   stage->repeats[workload->draw] * OVERLAP_ROUNDS);
        uint32_t found = stage->words[w * stage->stride + id];
        if (found != wanted)
            return error_set(err, ERROR_MISMATCH,
                             "%s: thread %u left %08x instead of %08x: the result is wrong, or "
                             "the words that it waited for were not visible",
                             workload->name, id, found, wanted);
    }
    return true;
}

static bool check_order(const struct overlap_stage *stage, uint32_t which, size_t w,
                        const struct overlap_frame *frame, struct error *err)
{
    double resolution = stage->session->resolution_ns;
    for (size_t p = 0; p < w; p++)
        if (stage->scenario->workloads[w].after >> p & which >> p & 1 &&
            frame->start_ns[w] < frame->end_ns[p] - resolution)
            return error_set(err, ERROR_MISMATCH,
                             "barrier violation: %s began %.0f ns before %s, which it waits for, "
                             "had ended",
                             stage->scenario->workloads[w].name,
                             frame->end_ns[p] - frame->start_ns[w],
                             stage->scenario->workloads[p].name);
    return true;
}

static bool check_frame(const struct overlap_stage *stage, uint32_t which, double host_ns,
                        const struct overlap_frame *frame, struct error *err)
{
    double resolution = stage->session->resolution_ns;
    // A difference of 1 % is allowed, because the length of the device's tick is known to about
    // 10⁻⁴.
    if (frame->length_ns > host_ns * 1.01 + resolution)
        return error_set(err, ERROR_MISMATCH,
                         "the frame lasted %.0f ns by the device's clock, but only %.0f ns passed "
                         "between its release and its end: something began before the release",
                         frame->length_ns, host_ns);
    for (size_t w = 0; w < stage->scenario->count; w++)
        if (which >> w & 1 &&
            (!check_words(stage, which, w, err) || !check_order(stage, which, w, frame, err)))
            return false;
    return true;
}

static bool check_markers(const struct overlap_stage *stage, const struct overlap_frame *frame,
                          struct error *err)
{
    struct overlap_agreement found = overlap_markers_agree(stage, frame);
    return !found.early ||
           error_set(err, ERROR_MISMATCH,
                     "a marker was seen %.0f ns before the release allows: stamps and markers "
                     "contradict each other",
                     found.offset_low_ns - found.offset_high_ns);
}

bool overlap_frame_run(struct overlap_stage *stage, const struct overlap_frame_desc *desc,
                       struct overlap_frame *frame, struct error *err)
{
    double host_ns;
    size_t records = (size_t)stage->first_record[stage->scenario->count] * OVERLAP_RECORD_WORDS;
    size_t words = stage->scenario->count * (size_t)stage->stride;
    *frame = (struct overlap_frame){0};
    return run_held(stage, desc, frame, &host_ns, err) &&
           gpu_buffer_read(stage->records, 0, stage->record_words, records * sizeof(uint32_t),
                           err) &&
           gpu_buffer_read(stage->results, 0, stage->words, words * sizeof(uint32_t), err) &&
           read_groups(stage, desc, frame, err) &&
           check_frame(stage, desc->which, host_ns, frame, err) &&
           (!desc->marked || check_markers(stage, frame, err));
}
