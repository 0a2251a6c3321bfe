// SPDX-License-Identifier: MIT
// One frame: the workloads of a scenario are submitted behind a hold, one batch per segment, and
// then released together. The host then reads every workgroup's record and checks it.
//
// All of these must be true. Otherwise the frame fails with ERROR_MISMATCH and gives no numbers:
//   every workgroup left a record with this frame's token, and did not end before it started;
//   the subgroups that left a record of a draw drew all its pixels;
//   sampled result words equal those that the host computes, also from words of awaited workloads;
//   no workload started before the end of one that it waits for, within the clock's resolution;
//   the frame is not longer than the host's time from release to end;
//   in a frame with markers, the host read none before the device can have written it.
#ifndef BENCH_OVERLAP_FRAME_H
#define BENCH_OVERLAP_FRAME_H

#include "bench/overlap/session.h"

// ---------------------------------------------------------------- markers

// Markers observe a frame a second time, as in the published tool. The first workgroup (of a draw:
// subgroup) of a workload to start and the last one to end each write a word into host memory,
// which the host polls. Only frames that are not measured leave markers. They serve to compare the
// device's time stamps with the host's clock.
enum overlap_mark {
    OVERLAP_MARK_START,
    OVERLAP_MARK_END,
    OVERLAP_MARK_COUNT
};

// What polling found for one marker, in ns since the release of the hold, and between which two
// times the device wrote it, in ns since the frame's first start.
struct overlap_poll {
    bool seen;
    double seen_ns; // when the host read the marker
    double look_ns; // start of the last read that did not find the marker; 0: there was none
    double since_ns, until_ns; // the writing thread's clock before and after the write
};

struct overlap_markers {
    struct gpu_buffer *counters, *words;
    const volatile uint32_t *map; // mapped memory of `words`
    uint32_t frames; // number of frames with markers so far; counters are not reset between them
    // What polling found in the last frame with markers.
    struct overlap_poll polls[OVERLAP_WORKLOADS_MAX][OVERLAP_MARK_COUNT];
};

MUST_CHECK bool overlap_markers_init(struct overlap_markers *markers, struct gpu_scope *scope,
                                     struct error *err);

struct overlap_poll_desc {
    uint32_t workloads;   // bit set of the workloads that leave markers
    uint32_t token;       // word that the device writes as a marker
    uint64_t released_ns; // when the hold was released, by the host's clock
    struct gpu_batch *batches[OVERLAP_WORKLOADS_MAX];
    size_t batch_count;
    uint64_t timeout_ns;
};

// Polls until all markers are seen, all batches are done or one failed, or timeout_ns has passed.
void overlap_markers_poll(struct overlap_markers *markers, const struct overlap_poll_desc *desc);

// Sets since_ns and until_ns of all markers, once the frame is done. The frame's first start is
// `start_ns` after clock value `base`.
void overlap_markers_date(struct overlap_markers *markers, const struct measure_clock *clock,
                          uint64_t base, double start_ns);

// How the polled times agree with the device's clock. Host time is device time plus an offset.
// The offset's lower bound follows from the release, because no workload starts before it. Its
// upper bound follows from the markers, because none is read before it is written. A marker agrees
// if it was not written before the workload's first start or last end, and if it was read no later
// than until_ns plus the upper bound, the time since the last read, the width between the bounds
// and the clock's resolution. It may be written much later than the start that it stands for: a
// subgroup that has begun on a full core can wait there for its first instructions.
struct overlap_agreement {
    size_t markers, seen, agreed; // numbers of markers
    // Bounds of: host time since the release − device time since the first start. The upper one is
    // INFINITY if no marker was seen.
    double offset_low_ns, offset_high_ns;
    double sweep_ns; // the longest time between two reads of a marker
    double bars_ns;  // the largest difference between polled and stamped length of a workload
    double held_ns;  // the longest time from a workload's first start until its marker was written
    bool early;      // contradiction: the upper bound is below the lower one
};

struct overlap_bars {
    // [w]: start and end of workload w since the first start, by the device's stamps.
    const double *start_ns, *end_ns;
    uint32_t workloads; // bit set of the workloads that leave markers
    double resolution_ns;
};
struct overlap_agreement overlap_markers_agree(const struct overlap_markers *markers,
                                               const struct overlap_bars *bars);

// ---------------------------------------------------------------- the stage

// Workloads of one queue that are submitted together. A queue's work is cut into segments where a
// semaphore is needed.
struct overlap_segment {
    unsigned queue;     // index in session->queues
    uint32_t workloads; // bit set
    uint32_t after;     // bit set of the earlier segments that this one waits for
    struct gpu_batch *batch;
};

// Everything that frames of one scenario need. Its buffers and batches live in `scope`.
struct overlap_stage {
    const struct overlap_scenario *scenario;
    struct overlap_session *session;
    struct gpu_scope *scope;
    struct arena *arena;
    struct gpu_batch *batches[OVERLAP_QUEUES_MAX][OVERLAP_WORKLOADS_MAX]; // NULL: not needed yet
    struct overlap_segment segments[OVERLAP_WORKLOADS_MAX]; // segments of the last recorded frame
    size_t segment_count;
    struct gpu_buffer *results, *records;
    struct gpu_image *image; // the image of OVERLAP_BARRIER_IMAGE; NULL for any other barrier
    // [w]: the target of a draw; NULL for a dispatch.
    struct gpu_target *targets[OVERLAP_WORKLOADS_MAX];
    struct overlap_markers markers;
    bool marked;            // true: the frame that is recorded now leaves markers
    uint32_t *words;        // all results of a frame, read back
    uint32_t *record_words; // all records of a frame, read back
    uint32_t first_record[OVERLAP_WORKLOADS_MAX + 1]; // [w]: of workload w; [count]: record count
    uint32_t stride;                                  // words per workload in `results`
    // How often the work loop repeats in an iteration, of a dispatch and of a draw. They differ
    // because few cores may be able to draw.
    uint32_t repeats, draw_repeats;
    enum overlap_barrier barrier;
    bool barrier_first; // right after the awaited workload; false: right before the waiting one
    uint64_t timeout_ns;
    uint32_t token; // token of the frame recorded last
};

// Returns the scenario as the device can run it: a draw becomes a dispatch if the device has no
// graphics, or if the draw runs on the second queue. Returns `scenario` itself if nothing changes,
// otherwise a copy in `arena`.
const struct overlap_scenario *overlap_scenario_settle(struct arena *arena,
                                                       const struct overlap_session *session,
                                                       const struct gpu_info *info,
                                                       const struct overlap_scenario *scenario);

// Makes the buffers and targets, and settles the scenario. The caller has set scenario, session,
// scope, arena, repeats, draw_repeats, barrier, barrier_first and timeout_ns.
MUST_CHECK bool overlap_stage_init(struct overlap_stage *stage, struct error *err);

// Returns the queue of workload `w`, as an index in session->queues: 0 if the device lacks the
// workload's own queue.
unsigned overlap_stage_queue(const struct overlap_stage *stage, size_t w);

// Returns stage->draw_repeats if workload `w` is a draw, otherwise stage->repeats.
uint32_t overlap_stage_repeats(const struct overlap_stage *stage, size_t w);

// ---------------------------------------------------------------- recording

// Fills stage->segments for the workloads of the bit set `which`, without their batches. A workload
// that others wait for by semaphore ends its segment; one that waits by semaphore begins a segment.
// A segment waits for at most one segment of each queue: the newest one on which it depends.
void overlap_segments_cut(struct overlap_stage *stage, uint32_t which);

// Cuts the workloads of the bit set `which` into segments and records a batch for each.
MUST_CHECK bool overlap_record(struct overlap_stage *stage, uint32_t which, struct error *err);

// Returns the bit set of the workloads whose words workload `w` reads in a frame of `which`: the
// workloads that it waits for, if the stage's barrier makes their words visible. 0 if `w` runs
// alone.
uint32_t overlap_record_reads(const struct overlap_stage *stage, uint32_t which, size_t w);

// ---------------------------------------------------------------- the frame

// The record of a workgroup, or of a subgroup of a draw; times in ns since the frame's first start.
struct overlap_group {
    double start_ns, end_ns;
    uint32_t workload, group, core; // group: number in its workload; core: UINT32_MAX: not known
};

struct overlap_frame {
    // [w]: start and end of workload w, if it ran, in ns since the frame's first start.
    double start_ns[OVERLAP_WORKLOADS_MAX], end_ns[OVERLAP_WORKLOADS_MAX];
    double length_ns;             // time from the first start to the last end
    double first_ns;              // time of the first start, by the device's clock
    double released_ns;           // time of the hold's release, by the host's clock
    struct overlap_group *groups; // in the order of workloads; NULL if they were not kept
    size_t group_count;
};

struct overlap_frame_desc {
    uint32_t which; // bit set of workloads to run; a single one neither waits nor reads
    bool groups;    // fill frame->groups, in `arena`
    bool marked;    // leave markers and poll them; only allowed with all workloads
    struct arena *arena;
};
// Warms the device up, then runs one frame, reads it into `frame` and checks it.
MUST_CHECK bool overlap_frame_run(struct overlap_stage *stage,
                                  const struct overlap_frame_desc *desc,
                                  struct overlap_frame *frame, struct error *err);

// Returns how the stamps of `frame`, the last frame with markers, agree with the polled times.
struct overlap_agreement overlap_stage_agreement(const struct overlap_stage *stage,
                                                 const struct overlap_frame *frame);

#endif
