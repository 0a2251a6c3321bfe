// SPDX-License-Identifier: MIT
// The cases, what the cases of a session share, and the kernels that a visit launches.
#ifndef BENCH_LAUNCH_SESSION_H
#define BENCH_LAUNCH_SESSION_H

#include "bench/bench.h"
#include "bench/launch/launch.h"

// The members of enum launch_between and enum launch_mode have the order of the choices of the
// parameters `between` and `mode`.
enum launch_between { // what separates two kernels
    LAUNCH_ORDER,     // the API's own order
    LAUNCH_NOTHING,   // nothing: kernels may overlap
    LAUNCH_EXECUTION, // an execution barrier
    LAUNCH_MEMORY,    // a memory barrier
    LAUNCH_BUFFER,    // a barrier for the buffer that the kernels write
    LAUNCH_FULL,      // a barrier of all stages
    LAUNCH_SPLIT,     // a split barrier: a signal and, right after it, the wait for it
};

enum launch_mode {     // the time that a case measures
    LAUNCH_BATCH,      // device time per kernel of a batch that one call submits
    LAUNCH_REPLAY,     // device time per kernel of a batch that is a graph
    LAUNCH_SUBMIT,     // host time per kernel, one submission each, without waiting in between
    LAUNCH_ROUND_TRIP, // host time of one submission and of the wait for its end
    LAUNCH_ONE_WAY,    // time from the host's call to the kernel's first instruction
    LAUNCH_QUEUES,     // host time per kernel: a batch on each of several queues
    LAUNCH_SIGNAL,     // host time per kernel: each submission waits for the one before
};

struct launch_case {
    bool scales;       // kernels scale elements; false: they are empty
    uint64_t elements; // number of elements; 0 for empty kernels
    enum launch_between between;
    enum launch_mode mode;
    unsigned queues; // number of queues in the modes QUEUES and SIGNAL; else 0
};
void launch_case_read(const struct bench_case *c, struct launch_case *this_case);

struct launch_session {
    struct bench_session *bench;
    struct gpu_program *scale, *fill, *check, *empty;
    struct gpu_buffer *words; // word 0: number of empty kernels that ran, or of wrong elements
    struct gpu_batch *warm;   // work that raises the core clock; NULL on a CPU
    // A pair of buffers, made by launch_prepare. A scaling kernel reads one and writes the other;
    // the next kernel does the opposite.
    struct gpu_scope *pair;
    struct gpu_buffer *ends[2];
    uint64_t pair_bytes; // size of each buffer
    // NULL until the first case that uses these programs and buffers makes them.
    struct gpu_program *stamp, *answer;
    struct gpu_buffer *question, *reply; // buffers in host memory for questions and answers
    struct launch_wide *wide;
    bool api_refuted; // true: the API's timestamps come from another clock than kernels read
};

// The same device, opened again with all queues that it may have, so that these queues do not slow
// down other cases. It stays open during the session.
struct launch_wide {
    struct bench_session bench;
    struct launch_session session; // has only the objects that empty kernels need
};

MUST_CHECK bool launch_open(struct bench_session *bench, struct error *err);
void launch_close(struct bench_session *bench);

// Makes both buffers large enough for `elements`. Fills the first with the data that launch.h
// defines, and the second with twice these values. No kernel writes such values, so launch_check
// fails if no kernel ran.
MUST_CHECK bool launch_prepare(struct launch_session *session, uint64_t elements,
                               struct error *err);

// Keeps the device busy for 10 ms, because empty kernels alone do not raise the core clock. Does
// nothing on a CPU.
MUST_CHECK bool launch_warm_up(struct launch_session *session, struct error *err);

// Fails with ERROR_MISMATCH unless the first `elements` elements of session->ends[end] have the
// values of the data × `factor`.
MUST_CHECK bool launch_check(struct launch_session *session, unsigned end, uint64_t elements,
                             float factor, struct error *err);

// Each empty kernel adds 1 to a count. launch_count_clear sets it to 0, and launch_count reads it.
MUST_CHECK bool launch_count_clear(struct launch_session *session, struct error *err);
MUST_CHECK bool launch_count(struct launch_session *session, uint32_t *count, struct error *err);

// Records kernel number `number` of a sample. A scaling kernel reads ends[number % 2] and writes
// the other buffer; it multiplies by −1 if `number` is even, else by 1.
void launch_record(struct launch_session *session, const struct launch_case *this_case,
                   uint64_t number, struct gpu_batch *batch);

// Returns the number of queues that launch_wide_open can get on this device.
unsigned launch_queue_count(const struct gpu_info *info);

// Opens session->wide if it is not open yet.
MUST_CHECK bool launch_wide_open(struct launch_session *session, struct error *err);

// Returns the largest number of elements of a kernel: 128 Mi (on a CPU 1 Mi), or less if the
// device's limits require it or a buffer would take more than a quarter of its memory.
uint64_t launch_elements_max(const struct gpu_info *info);

// ---------------------------------------------------------------- a visit

enum {
    LAUNCH_IN_FLIGHT = 64,  // most submissions in flight
    LAUNCH_ROUND_TRIPS = 16 // round trips in a sample
};

// The kernels of a sample. Depending on the mode, one batch has all of them, each kernel has its
// own batch, or each queue has one batch.
struct launch_row {
    struct bench_visit *run;
    struct launch_session *session;
    struct gpu_scope *scope; // owns the batches
    const struct launch_case *this_case;
    uint64_t kernels; // kernels in a sample; with mode=queues: in the batch of each queue
    struct gpu_batch *batches[LAUNCH_IN_FLIGHT];
    size_t batch_count;
    uint64_t done;    // kernels run since launch_prepare or launch_count_clear
    float signs[2];   // session->ends[i] holds its data times signs[i]; 0 if no kernel wrote it
    double submit_ns; // host time of the submitting calls, per kernel
};

struct launch_reach {
    // Samples in ns. `to`: from the host's call to the kernel's first instruction; `back`: from
    // that instruction until the host knows that the kernel ended.
    double *to, *back;
    double half_ns; // uncertainty (±) in ns of the relation between the clocks
    // Number of answers that related the clocks; 0: the API related them.
    unsigned answers;
};

// Takes `count` samples of one kernel alone: `to` is the time from the host's call to the kernel's
// first instruction, `back` from that instruction until the host knows that the kernel ended.
MUST_CHECK bool launch_reach_take(struct launch_row *row, unsigned count,
                                  struct launch_reach *reach, struct error *err);

// The functions `visit` and `conclude` of struct benchmark.
MUST_CHECK bool launch_visit(struct bench_visit *run, struct measure_visit *visit,
                             struct error *err);
void launch_conclude(struct run *run, const char *device);

#endif
