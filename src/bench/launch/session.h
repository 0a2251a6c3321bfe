// SPDX-License-Identifier: MIT
// What the cases of a session share, and one way of launching at work.
#ifndef BENCH_LAUNCH_SESSION_H
#define BENCH_LAUNCH_SESSION_H

#include "bench/bench.h"
#include "bench/launch/launch.h"

// Both in the order of the choices.
enum launch_between { // kernels
    LAUNCH_ORDER,     // whatever the API has by itself
    LAUNCH_NOTHING,   // they may overlap
    LAUNCH_EXECUTION, // an execution barrier
    LAUNCH_MEMORY,    // a memory barrier
    LAUNCH_BUFFER,    // one of the buffer that they write
    LAUNCH_FULL,      // one of all stages
    LAUNCH_SPLIT,     // a barrier in two halves, set and waited for side by side
};

enum launch_mode {
    LAUNCH_BATCH,      // recorded once, submitted with one call: device time of a kernel
    LAUNCH_REPLAY,     // the same as a graph
    LAUNCH_SUBMIT,     // a submission each, all in flight: host time of a kernel
    LAUNCH_ROUND_TRIP, // one submission, waited for: host time
    LAUNCH_ONE_WAY,    // the same, from the host's call to its first instruction
    LAUNCH_QUEUES,     // a batch on each of several queues: host time of a kernel of them all
    LAUNCH_SIGNAL,     // submissions, each behind the one before, on queues in turn: host time
};

struct launch_case {
    bool scales; // elements; else the kernels are empty
    uint64_t elements;
    enum launch_between between;
    enum launch_mode mode;
    unsigned queues; // 0: the first alone
};
void launch_case_read(const struct bench_case *c, struct launch_case *this_case);

// Made by launch_open.
struct launch_session {
    struct bench_session *bench;
    struct gpu_program *scale, *fill, *check, *empty;
    struct gpu_program *stamp, *answer;  // NULL: until the first case that wants them
    struct gpu_buffer *question, *reply; // host memory
    bool api_refuted; // the API relates another clock to the host's than the one kernels read
    struct gpu_buffer *words;   // counts
    struct gpu_scope *pair;     // of the two below
    struct gpu_buffer *ends[2]; // kernels go from one to the other and back
    uint64_t pair_bytes;        // each
    struct gpu_batch *warm;     // work that raises the clock; NULL on a CPU
    struct launch_wide *wide;   // NULL: until the first case that wants it
};

MUST_CHECK bool launch_open(struct bench_session *bench, struct error *err);
void launch_close(struct bench_session *bench);

// The two buffers, at least so large, with fresh data in the first and twice them in the second.
MUST_CHECK bool launch_prepare(struct launch_session *session, uint64_t elements,
                               struct error *err);

// Keeps the device busy for some ms: empty kernels alone do not raise its clock.
MUST_CHECK bool launch_warm_up(struct launch_session *session, struct error *err);

// Every element of ends[end] is factor times its data; else ERROR_MISMATCH.
MUST_CHECK bool launch_check(struct launch_session *session, unsigned end, uint64_t elements,
                             float factor, struct error *err);

// The number that empty kernels have counted up to since it was cleared.
MUST_CHECK bool launch_count_clear(struct launch_session *session, struct error *err);
MUST_CHECK bool launch_count(struct launch_session *session, uint32_t *count, struct error *err);

// Records kernel number `number` of a row of them: scaling goes from ends[number % 2] to the other,
// by −1 where the number is even and by 1 where it is odd.
void launch_record(struct launch_session *session, const struct launch_case *this_case,
                   uint64_t number, struct gpu_batch *batch);

// Queues that a device of its own can have for them.
unsigned launch_queue_count(const struct gpu_info *info);

// Another device on the same chip, opened with all those queues: what they may cost is not to be in
// the other cases. It stays open with the session, idle while others are visited.
struct launch_wide {
    struct bench_session bench;
    struct launch_session session; // only what empty kernels need
};
MUST_CHECK bool launch_wide_need(struct launch_session *session, struct error *err);

// Largest number of elements that this device can hold twice.
uint64_t launch_elements_max(const struct gpu_info *info);

// The plan, the visit and the conclusion of struct benchmark.
MUST_CHECK bool launch_plan(const struct bench_request *request, struct bench_case_list *list,
                            struct error *err);
MUST_CHECK bool launch_visit(struct bench_visit *run, struct measure_visit *visit,
                             struct error *err);
void launch_conclude(struct run *run, const char *device);

#endif
