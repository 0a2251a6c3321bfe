// SPDX-License-Identifier: MIT
// Runs one frame: submits the workloads of a scenario, one batch per segment. A hold
// (gpu_hold_create) keeps the device from starting them until the host releases it, so they can
// start together. Then the host reads and checks the records.
//
// A frame that breaks one of these rules fails with ERROR_MISMATCH and gives no numbers. All but
// the first rule allow for the resolution of the device's clock.
//   every workgroup left a record with this frame's token, and did not end before it started;
//   the subgroups of a draw that left records drew all its pixels;
//   a sample of the result words equals what the host computes, from the same words of awaited
//   workloads;
//   no workload started before the end of one that it waits for;
//   the frame is at most 1 % longer than the host's time from release to end;
//   in a frame with markers, the host read none before the device can have written it.
#ifndef BENCH_OVERLAP_FRAME_H
#define BENCH_OVERLAP_FRAME_H

#include "bench/overlap/session.h"

// ---------------------------------------------------------------- markers

// Markers are a second way to observe a frame. For each workload, the first workgroup to start and
// the last one to end (of a draw: subgroups) write a word into host memory, which the host polls.
// Only frames that are not measured leave markers. They serve to compare the device's time stamps
// with the host's clock.
enum overlap_mark {
    OVERLAP_MARK_START,
    OVERLAP_MARK_END,
    OVERLAP_MARK_COUNT
};

// What the host saw of one marker, in ns since it released the hold; and the two times between
// which the device wrote the marker, in ns since the first start of a workload in the frame.
struct overlap_poll {
    bool seen;
    double seen_ns; // time at which the host found the marker
    // Time at which the host began its last read that did not yet find the marker; 0: the first
    // read found it.
    double look_ns;
    double since_ns, until_ns; // device time just before and just after the write of the marker
};

struct overlap_markers {
    struct gpu_buffer *counters, *words;
    const volatile uint32_t *map; // the memory of the buffer `words`, mapped for the host
    // Number of frames with markers so far. The buffer `counters` is never reset: over all these
    // frames, it counts the parts of workloads (workgroups, or pixels of a draw) that began or
    // ended.
    uint32_t frames;
    // What the host saw of each marker in the last frame with markers.
    struct overlap_poll polls[OVERLAP_WORKLOADS_MAX][OVERLAP_MARK_COUNT];
};

MUST_CHECK bool overlap_markers_init(struct overlap_markers *markers, struct gpu_scope *scope,
                                     struct error *err);

struct overlap_poll_desc {
    uint32_t workloads;   // bit w is set if workload w leaves markers
    uint32_t token;       // the frame's token, which the device writes as a marker
    uint64_t released_ns; // host time when the hold was released
    struct gpu_batch *batches[OVERLAP_WORKLOADS_MAX];
    size_t batch_count;
    uint64_t timeout_ns;
};

// Reads the markers repeatedly and writes to markers->polls what the host saw. Stops when all
// markers were seen, all batches are done, a batch failed, or timeout_ns has passed.
void overlap_markers_poll(struct overlap_markers *markers, const struct overlap_poll_desc *desc);

// Sets since_ns and until_ns of all markers in markers->polls. Call it when the frame is done. The
// first workload of the frame started `start_ns` after the value `base` of the device's clock.
void overlap_markers_date(struct overlap_markers *markers, const struct measure_clock *clock,
                          uint64_t base, double start_ns);

// How the polled times agree with the device's clock. Host time is device time plus an offset. The
// offset has a lower bound, because no workload starts before the release, and an upper bound,
// because no marker is read before it is written. A marker agrees if both of these are true:
//   it was not written before the start or end for which it stands;
//   the host read it no later than at the sum of until_ns, the upper bound, the time since the
//   host's previous read, the distance between the bounds, and the clock's resolution.
// A marker may be written much later than the start for which it stands: a subgroup that has begun
// on a full core can wait there for its first instructions.
struct overlap_agreement {
    // Numbers of markers: all, those that the host saw, and those that agreed.
    size_t markers, seen, agreed;
    // Bounds of the offset: (host time since the release) − (device time since the first start).
    // offset_high_ns is INFINITY if the host saw no marker.
    double offset_low_ns, offset_high_ns;
    double sweep_ns; // longest time between the read that found a marker and the read before it
    // How well polling measures lengths: the largest difference, over all workloads, between the
    // length that the host saw in the markers and the length by the device's time stamps.
    double bars_ns;
    // Longest time from the start of a workload, by its stamp, until its start marker was written.
    double held_ns;
    // True: the upper bound of the offset is below the lower one by more than the clock's
    // resolution, which is a contradiction.
    bool early;
};

struct overlap_bars {
    // start_ns[w], end_ns[w]: when workload w started and ended, by the device's stamps, in ns
    // since the first start of a workload.
    const double *start_ns, *end_ns;
    uint32_t workloads; // bit w is set if workload w leaves markers
    double resolution_ns;
};
struct overlap_agreement overlap_markers_agree(const struct overlap_markers *markers,
                                               const struct overlap_bars *bars);

// ---------------------------------------------------------------- the stage

// Workloads of one queue that are submitted together. The workloads of a queue are cut into
// segments wherever a semaphore is needed.
struct overlap_segment {
    unsigned queue;     // index of the segment's queue in session->queues
    uint32_t workloads; // bit w is set if workload w is in the segment
    uint32_t after;     // bit s is set if this segment waits for the earlier segment s
    struct gpu_batch *batch;
};

// The state and the memory that all frames of a scenario use. The buffers and batches belong to
// `scope`.
struct overlap_stage {
    const struct overlap_scenario *scenario;
    struct overlap_session *session;
    struct gpu_scope *scope;
    struct arena *arena;
    // batches[q][i]: batch number i of queue q; NULL: not made yet.
    struct gpu_batch *batches[OVERLAP_QUEUES_MAX][OVERLAP_WORKLOADS_MAX];
    struct overlap_segment segments[OVERLAP_WORKLOADS_MAX]; // segments of the last recorded frame
    size_t segment_count;
    struct gpu_buffer *results, *records;
    struct gpu_image *image; // image of the barrier OVERLAP_BARRIER_IMAGE; NULL: other kinds
    // targets[w]: the render target of a draw; NULL if workload w is a dispatch.
    struct gpu_target *targets[OVERLAP_WORKLOADS_MAX];
    struct overlap_markers markers;
    bool marked;            // true while a frame that leaves markers is recorded
    uint32_t *words;        // host copy of the words that all workloads of a frame computed
    uint32_t *record_words; // copy of all records of a frame, on the host
    uint32_t first_record[OVERLAP_WORKLOADS_MAX + 1]; // [w]: index of workload w's first record
    uint32_t stride;                                  // result words per workload in `results`
    // Turns of the inner loop in one iteration of the work loop: `repeats` for dispatches,
    // draw_repeats for draws. The numbers may differ, because a device may use fewer cores for a
    // draw.
    uint32_t repeats, draw_repeats;
    enum overlap_barrier barrier;
    // Where a barrier is recorded. true: right after the workload that is waited for; false: right
    // before the workload that waits.
    bool barrier_first;
    uint64_t timeout_ns;
    uint32_t token; // token of the frame that was recorded last
};

// Returns the scenario in the form that the device can run. In this form, a draw becomes a dispatch
// if the device has no graphics, or if the draw would run on the device's second queue. If nothing
// changes, returns `scenario` itself, otherwise a copy in `arena`.
const struct overlap_scenario *overlap_scenario_settle(struct arena *arena,
                                                       const struct overlap_session *session,
                                                       const struct gpu_info *info,
                                                       const struct overlap_scenario *scenario);

// Makes the buffers and targets, and settles the scenario (overlap_scenario_settle). These members
// must be set before: scenario, session, scope, arena, repeats, draw_repeats, barrier,
// barrier_first, timeout_ns.
MUST_CHECK bool overlap_stage_init(struct overlap_stage *stage, struct error *err);

// Returns the index in session->queues of the queue on which workload `w` runs: 0 if the device
// lacks the queue that the scenario names.
unsigned overlap_stage_queue(const struct overlap_stage *stage, size_t w);

// Returns stage->draw_repeats if workload `w` is a draw, otherwise stage->repeats.
uint32_t overlap_stage_repeats(const struct overlap_stage *stage, size_t w);

// ---------------------------------------------------------------- recording

// Cuts the workloads in the bit set `which` into stage->segments, but makes no batches. A segment
// ends after a workload for which others wait by semaphore. A workload that waits by semaphore
// begins a new segment. Of each queue, a segment waits for at most one segment: the newest of those
// that have an awaited workload.
void overlap_segments_cut(struct overlap_stage *stage, uint32_t which);

// Cuts the workloads in the bit set `which` into segments, and records a batch for each segment.
MUST_CHECK bool overlap_record(struct overlap_stage *stage, uint32_t which, struct error *err);

// Returns the bit set of the workloads whose words workload `w` reads in a frame of the workloads
// `which`. These are the workloads for which `w` waits, if the barrier makes their words visible.
// Returns 0 if `w` runs alone.
uint32_t overlap_record_reads(const struct overlap_stage *stage, uint32_t which, size_t w);

// ---------------------------------------------------------------- the frame

// The record of a workgroup, or of a draw's subgroup. Times are in ns since the first start in the
// frame.
struct overlap_group {
    double start_ns, end_ns;
    // group: number of the workgroup in its workload or, in a draw, of the subgroup's first pixel;
    // core: UINT32_MAX if unknown.
    uint32_t workload, group, core;
};

struct overlap_frame {
    // start_ns[w], end_ns[w]: when workload w started and ended, if it ran, in ns since the first
    // start of a workload.
    double start_ns[OVERLAP_WORKLOADS_MAX], end_ns[OVERLAP_WORKLOADS_MAX];
    double length_ns;             // time in ns from the first start of a workload to the last end
    double first_ns;              // time of the first start, by the device's clock
    double released_ns;           // time of the hold's release, by the host's clock
    struct overlap_group *groups; // all records, sorted by workload; NULL if not requested
    size_t group_count;
};

struct overlap_frame_desc {
    // Bit set of the workloads to run. A workload that runs alone waits for no other, and reads no
    // words of others.
    uint32_t which;
    bool groups; // true: overlap_frame_run sets frame->groups, allocated in `arena`
    bool marked; // true: the frame leaves markers, and the host polls them; all workloads must run
    struct arena *arena;
};
// Warms the device up, runs one frame, reads its times into `frame` and checks them.
MUST_CHECK bool overlap_frame_run(struct overlap_stage *stage,
                                  const struct overlap_frame_desc *desc,
                                  struct overlap_frame *frame, struct error *err);

// Returns how the times at which the host saw markers agree with the device's stamps in `frame`,
// which must be the last frame with markers.
struct overlap_agreement overlap_stage_agreement(const struct overlap_stage *stage,
                                                 const struct overlap_frame *frame);

#endif
