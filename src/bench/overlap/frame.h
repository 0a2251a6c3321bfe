// SPDX-License-Identifier: MIT
// Runs one frame: submits the workloads of a scenario, with one batch per segment. A hold
// (gpu_hold_create) keeps the device from starting the workloads until the host releases the hold.
// So the workloads can start together. At the end, the host reads and checks the records of the
// frame.
//
// If a frame breaks one of these rules, it fails with ERROR_MISMATCH and gives no numbers. The last
// three rules allow for the resolution of the device's clock.
// - Every workgroup of a dispatch left a record with this frame's token. No record ends before it
//   starts.
// - The subgroups of a draw that left records drew all its pixels.
// - The result words that the host checks are right. The words that a workload reads
//   (overlap_record_reads) enter into them.
// - No workload started before the end of a workload for which it waits.
// - The frame is at most 1 % longer than the host's time from release to end.
// - In a frame with markers, the host read no marker before the device can have written it.
#ifndef BENCH_OVERLAP_FRAME_H
#define BENCH_OVERLAP_FRAME_H

#include "bench/overlap/session.h"

// ---------------------------------------------------------------- markers

// A marker lies in memory that the host can read. The device writes the frame's token into the
// marker while the host polls it. So the host can compare the device's time stamps with its own
// clock. The first workgroup of a workload that starts writes one marker; the last workgroup that
// ends writes another. (In a draw, subgroups write markers.) Only frames that are not measured
// leave markers.
enum overlap_mark {
    OVERLAP_MARK_START,
    OVERLAP_MARK_END,
    OVERLAP_MARK_COUNT
};

// What the host saw of one marker. seen_ns and look_ns are in ns since the host released the hold.
// since_ns and until_ns are in ns since the first start of a workload.
struct overlap_poll {
    bool seen;
    double seen_ns; // time at which the host found the marker
    // Start of the host's last read that did not find the marker; 0 if there was no such read.
    double look_ns;
    double since_ns, until_ns; // the device wrote the marker after since_ns and before until_ns
};

struct overlap_markers {
    struct gpu_buffer *counters, *words;
    const volatile uint32_t *map; // the memory of the buffer `words`, mapped for the host
    // Number of frames with markers so far. The buffer `counters` is never reset. It counts the
    // workgroups (in draws: pixels) that began or ended in all these frames.
    uint32_t frames;
    // What the host saw of each marker in the last frame with markers.
    struct overlap_poll polls[OVERLAP_WORKLOADS_MAX][OVERLAP_MARK_COUNT];
};

MUST_CHECK bool overlap_markers_init(struct overlap_markers *markers, struct gpu_scope *scope,
                                     struct error *err);

// Sets since_ns and until_ns of all markers in markers->polls. Call it when the frame is done. The
// first workload started `start_ns` ns after the value `base` of the device's clock.
void overlap_markers_date(struct overlap_markers *markers, const struct measure_clock *clock,
                          uint64_t base, double start_ns);

// Compares the times at which the host saw markers with the device's clock. Host time is device
// time plus an unknown offset. The offset has a lower bound, because no workload starts before the
// release, and an upper bound, because no marker is seen before it is written. Up to the clock's
// resolution, a marker agrees if
// - the device did not write it before the start or the end that it marks;
// - the host saw it by until_ns + the upper bound + the distance between the bounds + the time
//   since the host's previous read.
//
// On a full core, a subgroup that has begun can wait for its first instructions, so a start marker
// may be much later than the start.
struct overlap_agreement {
    // `markers` counts all markers, `seen` those that the host saw, `agreed` those that agree.
    size_t markers, seen, agreed;
    // Bounds of the offset in ns: host time since the release − device time since the first start.
    // offset_high_ns is INFINITY if the host saw no marker.
    double offset_low_ns, offset_high_ns;
    double sweep_ns; // longest time in ns from look_ns to seen_ns of a marker (struct overlap_poll)
    // Largest difference in ns between the polled length of a workload and its length by the
    // device's time stamps. It shows how well polling measures lengths.
    double bars_ns;
    // Longest time in ns from a workload's start (time stamp) to until_ns of its start marker.
    double held_ns;
    // True if the bounds of the offset contradict each other: the upper bound is below the lower
    // bound by more than the clock's resolution.
    bool early;
};

// ---------------------------------------------------------------- the stage

// Workloads of one queue that are submitted together. Semaphores divide the workloads of a queue
// into several segments.
struct overlap_segment {
    unsigned queue;     // index of the segment's queue in session->queues
    uint32_t workloads; // bit w is set if workload w is in the segment
    uint32_t after;     // bit s is set if this segment waits for the earlier segment s
    struct gpu_batch *batch;
};

// The state and the memory that the frames of a visit use. `scope` owns the device objects.
struct overlap_stage {
    const struct overlap_scenario *scenario;
    struct overlap_session *session;
    struct gpu_scope *scope;
    struct arena *arena;
    // batches[q][i] is the batch of the i-th segment of queue q; NULL if it is not made yet.
    struct gpu_batch *batches[OVERLAP_QUEUES_MAX][OVERLAP_WORKLOADS_MAX];
    struct overlap_segment segments[OVERLAP_WORKLOADS_MAX]; // segments of the last recorded frame
    size_t segment_count;
    struct gpu_buffer *results, *records;
    // Image for barriers of the kind OVERLAP_BARRIER_IMAGE; NULL for other kinds.
    struct gpu_image *image;
    // targets[w] is the render target of workload w; NULL if workload w is a dispatch.
    struct gpu_target *targets[OVERLAP_WORKLOADS_MAX];
    struct overlap_markers markers;
    bool marked;            // true while the host records a frame that leaves markers
    uint32_t *words;        // host copy of the words that all workloads of a frame computed
    uint32_t *record_words; // host copy of all records of a frame
    // first_record[w] is the index of the first record of workload w.
    uint32_t first_record[OVERLAP_WORKLOADS_MAX + 1];
    uint32_t stride; // number of words per workload in `results`
    // Iterations of the inner loop per iteration of the work loop: [0] in dispatches, [1] in draws,
    // for which a device may use fewer cores.
    uint32_t repeats[2];
    enum overlap_barrier barrier;
    // True: barriers come right after the awaited workload. False: right before the waiting one.
    // Has no effect on split barriers and semaphores.
    bool barrier_first;
    uint64_t timeout_ns;
    uint32_t token; // token of the frame or warm-up that was recorded last
};

// Returns a copy of the scenario, in `arena`, that the device can run with this kind of barrier.
// The workloads of a queue that the device lacks run on the direct queue. A draw becomes a dispatch
// if the device has no graphics, or if the draw would run on the device's second queue. With
// OVERLAP_BARRIER_NONE, no workload waits for another.
const struct overlap_scenario *overlap_scenario_settle(struct arena *arena,
                                                       const struct overlap_session *session,
                                                       enum overlap_barrier barrier,
                                                       const struct overlap_scenario *scenario);

// Makes the buffers, the render targets and the image. Replaces the scenario by one that the device
// can run (overlap_scenario_settle). The caller must have set these members, and all others to 0:
// scenario, session, scope, arena, repeats, barrier, barrier_first, timeout_ns.
MUST_CHECK bool overlap_stage_init(struct overlap_stage *stage, struct error *err);

// Reads the frame's markers repeatedly, and writes to stage->markers.polls what the host saw. The
// hold was released at released_ns (host's clock). Stops when all markers were seen, when all
// batches are done, when the first unfinished batch has failed, or at the stage's time-out.
void overlap_markers_poll(struct overlap_stage *stage, uint64_t released_ns);

// ---------------------------------------------------------------- recording

// Divides the workloads in the bit set `which` into stage->segments, without batches. A workload
// that waits by semaphore begins a segment. A workload for which another workload waits by
// semaphore ends a segment. If a segment waits for several segments of one queue, only the newest
// of these counts.
void overlap_segments_cut(struct overlap_stage *stage, uint32_t which);

// Divides the workloads in the bit set `which` into segments, and records a batch for each segment.
MUST_CHECK bool overlap_record(struct overlap_stage *stage, uint32_t which, struct error *err);

// Returns the bit set of the workloads in `which` whose words workload `w` reads. `w` waits for
// these workloads, and the barrier makes their words visible. Returns 0 if `w` runs alone.
uint32_t overlap_record_reads(const struct overlap_stage *stage, uint32_t which, size_t w);

// ---------------------------------------------------------------- the frame

// The record of a workgroup, or of a draw's subgroup. Times are in ns since the frame's first
// start.
struct overlap_group {
    double start_ns, end_ns;
    // `group` is the number of the workgroup in its workload or, in a draw, the number of the
    // subgroup's first pixel. `core` is the number of the core; UINT32_MAX if it is not known.
    uint32_t workload, group, core;
};

struct overlap_frame {
    // start_ns[w] and end_ns[w] are the times at which workload w started and ended, in ns since
    // the first start of a workload. They have no meaning if workload w did not run.
    double start_ns[OVERLAP_WORKLOADS_MAX], end_ns[OVERLAP_WORKLOADS_MAX];
    double length_ns;             // time in ns from the first start of a workload to the last end
    double first_ns;              // time in ns of the first start, by the device's clock
    double released_ns;           // time in ns of the hold's release, by the host's clock
    struct overlap_group *groups; // all records, sorted by workload; NULL if not requested
    size_t group_count;
};

struct overlap_frame_desc {
    // Bit set of the workloads to run. A workload that runs alone waits for no other workload, and
    // reads no words of other workloads.
    uint32_t which;
    bool groups; // true: overlap_frame_run sets frame->groups, an array in `arena`
    // True: the frame leaves markers, which the host polls. `which` must contain all workloads.
    bool marked;
    struct arena *arena;
};
// Warms the device up (except a CPU), runs one frame, reads its times into `frame`, and checks the
// frame.
MUST_CHECK bool overlap_frame_run(struct overlap_stage *stage,
                                  const struct overlap_frame_desc *desc,
                                  struct overlap_frame *frame, struct error *err);

// Compares the times at which the host saw markers with the device's stamps in `frame`. `frame`
// must be the last frame with markers.
struct overlap_agreement overlap_markers_agree(const struct overlap_stage *stage,
                                               const struct overlap_frame *frame);

#endif
