// SPDX-License-Identifier: MIT
// The cases, what the cases of a session share, and the kernels that a visit launches.
#ifndef BENCH_LAUNCH_SESSION_H
#define BENCH_LAUNCH_SESSION_H

#include "bench/bench.h"
#include "bench/launch/launch.h"

// Both in the order of the choices of the parameters.
enum launch_between { // what stands between kernels
    LAUNCH_ORDER,     // the API's own order
    LAUNCH_NOTHING,   // nothing: kernels may overlap
    LAUNCH_EXECUTION, // an execution barrier
    LAUNCH_MEMORY,    // a memory barrier
    LAUNCH_BUFFER,    // a barrier of the buffer that they write
    LAUNCH_FULL,      // a barrier of all stages
    LAUNCH_SPLIT,     // a split barrier: set, then waited for at once
};

enum launch_mode {     // what a case times
    LAUNCH_BATCH,      // device time of a kernel: recorded once, submitted with one call
    LAUNCH_REPLAY,     // the same of a batch that is a graph
    LAUNCH_SUBMIT,     // host time of a kernel: one submission each, all in flight
    LAUNCH_ROUND_TRIP, // host time of one submission, with the wait for its end
    LAUNCH_ONE_WAY,    // from the host's call to the kernel's first instruction
    LAUNCH_QUEUES,     // host time of a kernel: a batch on each of several queues
    LAUNCH_SIGNAL,     // host time of a kernel: submissions that wait for the one before
};

struct launch_case {
    bool scales;       // kernels scale elements; false: they are empty
    uint64_t elements; // 0 if they are empty
    enum launch_between between;
    enum launch_mode mode;
    unsigned queues; // of QUEUES and SIGNAL; else 0
};
void launch_case_read(const struct bench_case *c, struct launch_case *this_case);

struct launch_session {
    struct bench_session *bench;
    struct gpu_program *scale, *fill, *check, *empty;
    struct gpu_buffer *words; // counts
    struct gpu_batch *warm;   // work that raises the core clock; NULL on a CPU
    // Made by launch_prepare: kernels go from one buffer to the other and back.
    struct gpu_scope *pair;
    struct gpu_buffer *ends[2];
    uint64_t pair_bytes; // of each
    // Made by the first case that uses them; NULL before.
    struct gpu_program *stamp, *answer;
    struct gpu_buffer *question, *reply; // host memory
    struct launch_wide *wide;
    bool api_refuted; // the device clock of the API's timestamps is not the one that kernels read
};

// A second logical device, opened with all queues that it may have, so that these queues do not
// slow the other cases. It stays open with the session.
struct launch_wide {
    struct bench_session bench;
    struct launch_session session; // only what empty kernels need
};

MUST_CHECK bool launch_open(struct bench_session *bench, struct error *err);
void launch_close(struct bench_session *bench);

// Makes both buffers at least that large. Fills the first with its data, and the second with twice
// the data: no kernel writes that, so the proof fails if no kernel runs.
MUST_CHECK bool launch_prepare(struct launch_session *session, uint64_t elements,
                               struct error *err);

// Keeps the device busy for 10 ms. Empty kernels alone do not raise the core clock.
MUST_CHECK bool launch_warm_up(struct launch_session *session, struct error *err);

// ERROR_MISMATCH unless every element of ends[end] is `factor` times its data.
MUST_CHECK bool launch_check(struct launch_session *session, unsigned end, uint64_t elements,
                             float factor, struct error *err);

// Empty kernels count themselves: sets the count to 0, and reads it.
MUST_CHECK bool launch_count_clear(struct launch_session *session, struct error *err);
MUST_CHECK bool launch_count(struct launch_session *session, uint32_t *count, struct error *err);

// Records kernel number `number` of a row. A scaling kernel reads ends[number % 2] and writes the
// other; it multiplies by −1 if the number is even, else by 1.
void launch_record(struct launch_session *session, const struct launch_case *this_case,
                   uint64_t number, struct gpu_batch *batch);

// Number of queues that launch_wide_open can get on this device.
unsigned launch_queue_count(const struct gpu_info *info);

// Opens session->wide if it is not open yet.
MUST_CHECK bool launch_wide_open(struct launch_session *session, struct error *err);

// The largest number of elements of which the device can hold two buffers.
uint64_t launch_elements_max(const struct gpu_info *info);

// ---------------------------------------------------------------- a visit

enum {
    LAUNCH_IN_FLIGHT = 64,  // submissions in flight, at most
    LAUNCH_ROUND_TRIPS = 16 // in a sample
};

// The kernels of a sample: in one batch, each in its own batch, or a batch on each of several
// queues.
struct launch_row {
    struct bench_visit *run;
    struct launch_session *session;
    struct gpu_scope *scope; // of the batches
    const struct launch_case *this_case;
    uint64_t kernels; // in a sample; with mode=queues: in each batch
    struct gpu_batch *batches[LAUNCH_IN_FLIGHT];
    size_t batch_count;
    uint64_t done;  // kernels that ran since launch_prepare or launch_count_clear
    float signs[2]; // factors of the data in ends[0] and ends[1]; [1] is 0 before the first kernel
    double submit_ns; // host time of the call that submits a batch or graph, for each kernel
};

struct launch_reach {
    double *to, *back; // ns, of each sample
    double half_ns;    // uncertainty of the relation between the clocks
    unsigned answers; // number of answers that the relation rests on; 0: the API relates the clocks
};

// Takes `count` samples of one kernel alone: the time until its first instruction, and from there
// until the host knows that it ended.
MUST_CHECK bool launch_reach_take(struct launch_row *row, unsigned count,
                                  struct launch_reach *reach, struct error *err);

// The visit and the conclusion of struct benchmark.
MUST_CHECK bool launch_visit(struct bench_visit *run, struct measure_visit *visit,
                             struct error *err);
void launch_conclude(struct run *run, const char *device);

#endif
