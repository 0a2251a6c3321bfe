// SPDX-License-Identifier: MIT
// The cases, what the cases of a session share, and the kernels that a visit launches.
#ifndef BENCH_LAUNCH_SESSION_H
#define BENCH_LAUNCH_SESSION_H

#include "bench/bench.h"
#include "bench/launch/launch.h"

// The members of both enums are in the order of the parameters' choices.
enum launch_between { // what separates two kernels
    LAUNCH_ORDER,     // the API's own order
    LAUNCH_NOTHING,   // nothing: kernels may overlap
    LAUNCH_EXECUTION, // an execution barrier
    LAUNCH_MEMORY,    // a memory barrier
    LAUNCH_BUFFER,    // a barrier for the buffer that the kernels write
    LAUNCH_FULL,      // a barrier of all stages
    LAUNCH_SPLIT,     // a split barrier: set, then waited for at once
};

enum launch_mode {     // the time that a case measures
    LAUNCH_BATCH,      // device time per kernel of a batch that one call submits
    LAUNCH_REPLAY,     // device time per kernel of a batch that is a graph
    LAUNCH_SUBMIT,     // host time per kernel: each in its own submission, all in flight
    LAUNCH_ROUND_TRIP, // host time of one submission, with the wait for its end
    LAUNCH_ONE_WAY,    // time from the host's call to the kernel's first instruction
    LAUNCH_QUEUES,     // host time per kernel: a batch on each of several queues
    LAUNCH_SIGNAL,     // host time per kernel: each submission waits for the one before
};

struct launch_case {
    bool scales;       // kernels scale elements; false: they are empty
    uint64_t elements; // 0 for empty kernels
    enum launch_between between;
    enum launch_mode mode;
    unsigned queues; // number of queues, with QUEUES and SIGNAL; else 0
};
void launch_case_read(const struct bench_case *c, struct launch_case *this_case);

struct launch_session {
    struct bench_session *bench;
    struct gpu_program *scale, *fill, *check, *empty;
    struct gpu_buffer *words; // [0]: count of empty kernels, or of wrong elements
    struct gpu_batch *warm;   // work that raises the core clock; NULL on a CPU
    // Made by launch_prepare. Each scaling kernel reads one buffer and writes the other; the next
    // kernel swaps them.
    struct gpu_scope *pair;
    struct gpu_buffer *ends[2];
    uint64_t pair_bytes; // size of each buffer
    // NULL until the first case that uses them makes them.
    struct gpu_program *stamp, *answer;
    struct gpu_buffer *question, *reply; // host memory
    struct launch_wide *wide;
    bool api_refuted; // the API's timestamps show another device clock than kernels read
};

// A second logical device, opened with all queues that it may have, so that these queues do not
// slow down other cases. It stays open during the session.
struct launch_wide {
    struct bench_session bench;
    struct launch_session session; // holds only what empty kernels need
};

MUST_CHECK bool launch_open(struct bench_session *bench, struct error *err);
void launch_close(struct bench_session *bench);

// Makes both buffers large enough for `elements`. Fills the first one with the data of launch.h,
// and the second one with twice these data: no kernel writes this, so launch_check fails if no
// kernel runs.
MUST_CHECK bool launch_prepare(struct launch_session *session, uint64_t elements,
                               struct error *err);

// Keeps the device busy for 10 ms: empty kernels alone do not raise the core clock. Does nothing on
// a CPU.
MUST_CHECK bool launch_warm_up(struct launch_session *session, struct error *err);

// Fails with ERROR_MISMATCH unless each of the first `elements` elements of ends[end] is `factor`
// times its data.
MUST_CHECK bool launch_check(struct launch_session *session, unsigned end, uint64_t elements,
                             float factor, struct error *err);

// Empty kernels count themselves: launch_count_clear sets this count to 0, and launch_count reads
// it.
MUST_CHECK bool launch_count_clear(struct launch_session *session, struct error *err);
MUST_CHECK bool launch_count(struct launch_session *session, uint32_t *count, struct error *err);

// Records kernel number `number` of a row. A scaling kernel reads ends[number % 2] and writes the
// other buffer; it multiplies by −1 if the number is even, else by 1.
void launch_record(struct launch_session *session, const struct launch_case *this_case,
                   uint64_t number, struct gpu_batch *batch);

// Returns the number of queues that launch_wide_open can get on this device.
unsigned launch_queue_count(const struct gpu_info *info);

// Opens session->wide if it is not open yet.
MUST_CHECK bool launch_wide_open(struct launch_session *session, struct error *err);

// Returns the largest number of elements of a kernel: each of its two buffers takes at most a
// quarter of the memory, and has at most 128 Mi elements (on a CPU 1 Mi).
uint64_t launch_elements_max(const struct gpu_info *info);

// ---------------------------------------------------------------- a visit

enum {
    LAUNCH_IN_FLIGHT = 64,  // most submissions in flight
    LAUNCH_ROUND_TRIPS = 16 // round trips in a sample
};

// The kernels of a sample. They are in one batch, each in a batch of its own, or in one batch on
// each of several queues.
struct launch_row {
    struct bench_visit *run;
    struct launch_session *session;
    struct gpu_scope *scope; // the scope of the batches
    const struct launch_case *this_case;
    uint64_t kernels; // kernels in a sample; with mode=queues: in each batch
    struct gpu_batch *batches[LAUNCH_IN_FLIGHT];
    size_t batch_count;
    uint64_t done;  // kernels that ran since launch_prepare or launch_count_clear
    float signs[2]; // factor of the data in each of session->ends; [1] is 0 before the first kernel
    double submit_ns; // host time per kernel of the submitting calls
};

struct launch_reach {
    double *to, *back; // in ns, one value for each sample
    double half_ns;    // uncertainty (±) of the relation between the clocks
    // Number of answers from which the relation was made; 0: the API relates the clocks.
    unsigned answers;
};

// Takes `count` samples of one kernel alone: the time from the host's call to the kernel's first
// instruction, and from that instruction until the host knows that the kernel ended.
MUST_CHECK bool launch_reach_take(struct launch_row *row, unsigned count,
                                  struct launch_reach *reach, struct error *err);

// The functions `visit` and `conclude` of struct benchmark.
MUST_CHECK bool launch_visit(struct bench_visit *run, struct measure_visit *visit,
                             struct error *err);
void launch_conclude(struct run *run, const char *device);

#endif
