// SPDX-License-Identifier: MIT
// One frame: all workloads of a scenario submitted behind a hold, one batch a queue, then released
// together; afterwards every workgroup's record is read, checked and put in order.
//
// What a frame must stand up to (ERROR_MISMATCH otherwise, and no number):
//   every workgroup left exactly its record, with this frame's token, and began before it ended;
//   sampled words are what the formula gives, from the words of the workloads waited for;
//   no workload began before one that it waits for had ended, as far as the clock tells;
//   the frame is no longer than what the host saw between release and end: nothing began early;
//   in a frame with markers, none was seen before the release lets its stamp be.
#ifndef BENCH_OVERLAP_FRAME_H
#define BENCH_OVERLAP_FRAME_H

#include "bench/bench.h"
#include "bench/overlap/marker.h"
#include "bench/overlap/scenario.h"
#include "bench/overlap/skew.h"
#include "measure/clock.h"

struct overlap_session {
    struct gpu_device *device; // of its own; NULL: that of the benchmark's session
    struct gpu_scope *scope;
    struct overlap_session *urgent; // with a compute queue of high priority; NULL: not opened yet
    const char *priority_text;      // what became of a priority; NULL: none was asked for
    bool refused;                   // high was asked for, and medium it is
    struct measure_clock clock;
    struct overlap_skew skew;
    double resolution_ns; // what is nearer than this is not told apart
    struct gpu_program *program;
    struct gpu_draw_program *draw_program;        // NULL: not needed yet
    struct gpu_queue *queues[OVERLAP_QUEUES_MAX]; // of the device; NULL: it has no such queue
    const char *queue_text;                       // which these are, for people
    bool has_cores;
    uint32_t token; // of the last frame: no two frames of a session share one
};

// A workgroup, or a subgroup of a draw, as the device saw it: ns since the frame's first began.
struct overlap_group {
    double start_ns, end_ns;
    uint32_t workload, group, core; // core: UINT32_MAX = not known
};

struct overlap_frame {
    double start_ns[OVERLAP_WORKLOADS_MAX], end_ns[OVERLAP_WORKLOADS_MAX];
    double length_ns;
    double first_ns,
        released_ns; // the first start by the device's clock, the release by the host's
    struct overlap_group *groups; // by workload; NULL where they were not wanted
    size_t group_count;
};

// Workloads of one queue that are submitted together: a queue's work is cut where another queue
// must come between, or where semaphores are what orders (segment.h).
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
    struct gpu_image *image; // for barriers of images; NULL: not asked for
    struct gpu_target *targets[OVERLAP_WORKLOADS_MAX]; // of draws
    struct overlap_markers markers;
    bool marked;     // the frame under way leaves them
    uint32_t *words; // of a whole frame, read back
    uint32_t *record_words;
    uint32_t first_record[OVERLAP_WORKLOADS_MAX + 1]; // and, last, the number of all
    uint32_t stride;
    uint32_t turns, draw_turns;   // of an iteration; few cores may draw: draws are sized alone
    enum overlap_barrier barrier; // EXECUTION, IMAGE: show no results, so nobody reads another's
    bool barrier_first;           // it stands right after what is waited for, not before what waits
    uint64_t timeout_ns;
    uint32_t token;
};

// Settles what is a draw (draw.h) and fills what is not given: needs scenario, session, scope,
// arena, turns, draw_turns, barrier and timeout_ns.
MUST_CHECK bool overlap_stage_init(struct overlap_stage *stage, struct error *err);

// The queue that workload `w` runs on, as an index of session->queues.
unsigned overlap_stage_queue(const struct overlap_stage *stage, size_t w);

// Turns of an iteration of workload `w`.
uint32_t overlap_stage_turns(const struct overlap_stage *stage, size_t w);

// Runs the workloads of the bit set `which`. Alone (a single one), it waits for nobody and reads
// nobody's words. With `groups` the frame keeps its workgroups, in `arena`.
struct overlap_frame_desc {
    uint32_t which;
    bool groups;
    bool marked; // with markers, which the host looks at: only with all workloads
    struct arena *arena;
};
MUST_CHECK bool overlap_frame_run(struct overlap_stage *stage,
                                  const struct overlap_frame_desc *desc,
                                  struct overlap_frame *frame, struct error *err);

// How the stamps of a frame with markers, the last one run, agree with what the host saw.
struct overlap_agreement overlap_stage_agreement(const struct overlap_stage *stage,
                                                 const struct overlap_frame *frame);

// The word that thread `id` of a workload leaves, begun from `x`: as overlap.comp has it.
uint32_t overlap_word(uint32_t x, uint64_t turns);

#endif
