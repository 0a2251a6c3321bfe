// SPDX-License-Identifier: MIT
// One frame: the workloads of a scenario are submitted behind a hold, one batch a queue, and then
// released together. The host then reads every workgroup's record and checks it.
//
// A frame fails with ERROR_MISMATCH, and gives no number, unless
//   every workgroup left one record, with this frame's token, and ended after it started;
//   sampled words match the formula, started from the words of the workloads waited for;
//   no workload started before one that it waits for had ended, within the clock's resolution;
//   the frame is no longer than the host's time from release to end;
//   in a frame with markers, the host read none before the device can have written it.
#ifndef BENCH_OVERLAP_FRAME_H
#define BENCH_OVERLAP_FRAME_H

#include "bench/overlap/session.h"

// ---------------------------------------------------------------- markers

// A second observer, as in the published tool. The first workgroup (in a draw: subgroup) of a
// workload to start and the last to end each write a word into host memory, which the host polls.
// Only unmeasured frames leave markers: they compare the device's stamps with the host's clock.
enum overlap_mark {
    OVERLAP_MARK_START,
    OVERLAP_MARK_END,
    OVERLAP_MARK_COUNT
};

// What polling found for one marker, in ns since the release of the hold.
struct overlap_poll {
    bool seen;
    double seen_ns; // when the host read the marker
    double look_ns; // start of the last read that did not find it
};

struct overlap_markers {
    struct gpu_buffer *counters, *words;
    const volatile uint32_t *map; // of words
    uint32_t frames;              // with markers so far; the counters count on from frame to frame
    struct overlap_poll polls[OVERLAP_WORKLOADS_MAX][OVERLAP_MARK_COUNT]; // of the last such frame
};

MUST_CHECK bool overlap_markers_init(struct overlap_markers *markers, struct gpu_scope *scope,
                                     struct error *err);

struct overlap_poll_desc {
    uint32_t workloads;   // bit set of those that leave markers
    uint32_t token;       // the value of a written marker
    uint64_t released_ns; // by the host's clock
    struct gpu_batch *batches[OVERLAP_WORKLOADS_MAX];
    size_t batch_count;
    uint64_t timeout_ns;
};

// Polls until all markers were seen, the batches are done, or the time is over.
void overlap_markers_poll(struct overlap_markers *markers, const struct overlap_poll_desc *desc);

// How polling and stamps agree. Host time is device time plus an offset. No workload starts before
// the release, which gives the least offset; no marker is read before it is written, which gives
// the largest. A marker agrees if it was read no later than its stamp, the time since the last
// read, the uncertainty of the offset and the stamps' resolution allow.
struct overlap_agreement {
    size_t markers, seen, agreed;
    double offset_low_ns, offset_high_ns; // host since release, minus device since its first start
    double sweep_ns;                      // the longest time between two reads of a marker
    double bars_ns; // the largest difference between a workload's length as polled and as stamped
    bool early;     // the host read a marker before the release allows
};

struct overlap_bars {
    const double *start_ns, *end_ns; // by the device's stamps, since the first start
    uint32_t workloads;              // bit set of those that leave markers
    double resolution_ns;
};
struct overlap_agreement overlap_markers_agree(const struct overlap_markers *markers,
                                               const struct overlap_bars *bars);

// ---------------------------------------------------------------- the stage

// Workloads of one queue that are submitted together. A queue's work is cut where a semaphore must
// stand.
struct overlap_segment {
    unsigned queue;
    uint32_t workloads; // bit set
    uint32_t after;     // bit set of earlier segments
    struct gpu_batch *batch;
};

// What makes frames of one scenario; its buffers and batches live in a scope.
struct overlap_stage {
    const struct overlap_scenario *scenario;
    struct overlap_session *session;
    struct gpu_scope *scope;
    struct arena *arena;
    struct gpu_batch *batches[OVERLAP_QUEUES_MAX][OVERLAP_WORKLOADS_MAX]; // made when needed
    struct overlap_segment segments[OVERLAP_WORKLOADS_MAX];               // of the last recording
    size_t segment_count;
    struct gpu_buffer *results, *records;
    struct gpu_image *image; // for barriers of images; NULL: the barrier is another
    struct gpu_target *targets[OVERLAP_WORKLOADS_MAX]; // of draws
    struct overlap_markers markers;
    bool marked;     // the frame being recorded leaves markers
    uint32_t *words; // of a whole frame, read back
    uint32_t *record_words;
    uint32_t first_record[OVERLAP_WORKLOADS_MAX + 1]; // the last element is the number of records
    uint32_t stride;                                  // words of a workload in `results`
    uint32_t repeats, draw_repeats; // of the work in an iteration: few cores may be able to draw
    enum overlap_barrier barrier;
    bool barrier_first; // it stands right after what is waited for, not right before what waits
    uint64_t timeout_ns;
    uint32_t token;
};

// The scenario as the device can run it: a draw becomes a dispatch if the device has no graphics,
// or if its queue is not universal. Returns `scenario` itself if nothing changes.
const struct overlap_scenario *overlap_scenario_settle(struct arena *arena,
                                                       const struct overlap_session *session,
                                                       const struct gpu_info *info,
                                                       const struct overlap_scenario *scenario);

// Makes the buffers and targets, and settles the scenario. The caller has set scenario, session,
// scope, arena, repeats, draw_repeats, barrier, barrier_first and timeout_ns.
MUST_CHECK bool overlap_stage_init(struct overlap_stage *stage, struct error *err);

// The queue that workload `w` runs on, as an index of session->queues.
unsigned overlap_stage_queue(const struct overlap_stage *stage, size_t w);

// repeats or draw_repeats, by the kind of workload `w`.
uint32_t overlap_stage_repeats(const struct overlap_stage *stage, size_t w);

// ---------------------------------------------------------------- recording

// Fills stage->segments for the workloads of the bit set `which`, without their batches. A workload
// that others wait for by semaphore ends its segment; one that waits by semaphore begins a segment.
// A segment comes after at most one segment of each queue, the newest that it must wait for.
void overlap_segments_cut(struct overlap_stage *stage, uint32_t which);

// Cuts the workloads of the bit set `which` into segments and records a batch for each.
MUST_CHECK bool overlap_record(struct overlap_stage *stage, uint32_t which, struct error *err);

// The workloads whose words workload `w` reads in a frame of `which`: those that it waits for, if
// the stage's barrier makes their words visible.
uint32_t overlap_record_reads(const struct overlap_stage *stage, uint32_t which, size_t w);

// ---------------------------------------------------------------- the frame

// The record of a workgroup, or of a subgroup of a draw; times in ns since the frame's first start.
struct overlap_group {
    double start_ns, end_ns;
    uint32_t workload, group, core; // core: UINT32_MAX = not known
};

struct overlap_frame {
    double start_ns[OVERLAP_WORKLOADS_MAX], end_ns[OVERLAP_WORKLOADS_MAX];
    double length_ns;
    double first_ns;              // the first start, by the device's clock
    double released_ns;           // the release of the hold, by the host's clock
    struct overlap_group *groups; // by workload; NULL if the frame did not keep them
    size_t group_count;
};

struct overlap_frame_desc {
    uint32_t which; // workloads to run; a single one waits for nothing and reads no other's words
    bool groups;    // keep the workgroups, in `arena`
    bool marked;    // leave markers and poll them; only with all workloads
    struct arena *arena;
};
MUST_CHECK bool overlap_frame_run(struct overlap_stage *stage,
                                  const struct overlap_frame_desc *desc,
                                  struct overlap_frame *frame, struct error *err);

// How the stamps of the last frame, which left markers, agree with what the host polled.
struct overlap_agreement overlap_stage_agreement(const struct overlap_stage *stage,
                                                 const struct overlap_frame *frame);

#endif
