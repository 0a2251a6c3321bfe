// SPDX-License-Identifier: MIT
// The cases, what the cases of a session share, and the kernels that a visit launches.
#ifndef BENCH_LAUNCH_SESSION_H
#define BENCH_LAUNCH_SESSION_H

#include "bench/bench.h"
#include "bench/launch/launch.h"

// The members of enum launch_between and enum launch_mode have the order of the choices of the
// parameters `between` and `mode`.
enum launch_between { // what separates two successive kernels of a batch
    LAUNCH_ORDER,     // only the API's own order of kernels
    LAUNCH_NOTHING,   // nothing: kernels may overlap
    LAUNCH_EXECUTION, // an execution barrier: it orders kernels, but not their memory accesses
    LAUNCH_MEMORY,    // a barrier for all memory
    LAUNCH_BUFFER,    // a barrier for the buffer that the kernels write
    LAUNCH_FULL,      // a barrier for all memory and all pipeline stages of the API
    LAUNCH_SPLIT,     // a split barrier: a signal and, right after it, the wait for it
};

enum launch_mode { // what a case measures, by the way in which it launches kernels
    LAUNCH_BATCH,  // device time per kernel of a batch that one call submits
    LAUNCH_REPLAY, // device time per kernel of a batch that the driver replays as a graph
    // Host time per kernel, if each kernel is a submission and the host waits only for the last.
    LAUNCH_SUBMIT,
    // Host time of a submission, from the call until the host has waited for its end.
    LAUNCH_ROUND_TRIP,
    LAUNCH_ONE_WAY, // time from the host's call to the kernel's first instruction
    LAUNCH_QUEUES,  // host time per kernel: a batch on each of several queues
    LAUNCH_SIGNAL,  // host time per kernel: each submission waits for the one before
};

struct launch_case {
    bool scales;       // true: kernels scale elements; false: they only count, or store the time
    uint64_t elements; // number of elements; 0 for empty kernels
    enum launch_between between;
    enum launch_mode mode;
    unsigned queues; // number of queues in the modes QUEUES and SIGNAL; else 0
};
void launch_case_read(const struct bench_case *c, struct launch_case *this_case);

struct launch_session {
    struct bench_session *bench;
    struct gpu_program *scale, *fill, *check, *empty;
    // Buffer whose word 0 counts the empty kernels that ran or, when data are checked, the wrong
    // elements.
    struct gpu_buffer *words;
    struct gpu_batch *warm; // work that raises the core clock; NULL on a CPU
    // A pair of buffers, made by launch_prepare. A scaling kernel reads one and writes the other;
    // the next kernel does the opposite.
    struct gpu_scope *pair;
    struct gpu_buffer *ends[2];
    uint64_t pair_bytes; // size in bytes of each of the two buffers
    // The members from `stamp` to `wide` are NULL until the first case that uses them creates them.
    struct gpu_program *stamp, *answer;
    struct gpu_buffer *question, *reply; // buffers in host memory for questions and answers
    struct launch_wide *wide;
    bool api_refuted; // true: the API's timestamps come from another clock than kernels read
};

// The session's device, opened a second time with several queues (as many as launch_queue_count
// says), so that these queues do not slow down other cases. It stays open until the session ends.
struct launch_wide {
    struct bench_session bench;
    // Session on the device opened again, with only the objects that empty kernels need.
    struct launch_session session;
};

MUST_CHECK bool launch_open(struct bench_session *bench, struct error *err);
void launch_close(struct bench_session *bench);

// Makes the pair of buffers large enough for `elements` elements. Fills the first buffer with the
// data that launch.h defines, and the second with twice these values. No kernel writes such values,
// so launch_check fails if no kernel ran.
MUST_CHECK bool launch_prepare(struct launch_session *session, uint64_t elements,
                               struct error *err);

// Keeps the device busy for 2 ms, because empty kernels alone do not raise the core clock. Does
// nothing on a CPU.
MUST_CHECK bool launch_warm_up(struct launch_session *session, struct error *err);

// Fails with ERROR_MISMATCH unless the first `elements` elements of session->ends[end] equal the
// data that launch.h defines, multiplied by `factor`.
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

// Opens the device a second time, as session->wide, if it is not open there yet.
MUST_CHECK bool launch_wide_open(struct launch_session *session, struct error *err);

// Returns the maximum number of elements of a kernel: 128 Mi (on a CPU 1 Mi), or less if the
// device's limits require it or a buffer would take more than a quarter of the device's memory.
uint64_t launch_elements_max(const struct gpu_info *info);

// ---------------------------------------------------------------- a visit

enum {
    LAUNCH_IN_FLIGHT = 64,  // maximum number of submissions in flight
    LAUNCH_ROUND_TRIPS = 16 // round trips in a sample
};

// The kernels of a sample. Depending on the mode, one batch has all of them, each kernel has its
// own batch, or each queue has one batch.
struct launch_row {
    struct bench_visit *run;
    struct launch_session *session;
    struct gpu_scope *scope; // scope that owns `batches`
    const struct launch_case *this_case;
    uint64_t kernels; // number of kernels in a sample; with mode=queues: in the batch of each queue
    struct gpu_batch *batches[LAUNCH_IN_FLIGHT];
    size_t batch_count;
    uint64_t done; // number of kernels run since launch_prepare or launch_count_clear
    // The sign that the data in each of session->ends should have. At first signs[0] is 1, as
    // launch_prepare left the data; signs[1] is 0 until a kernel of the case has written ends[1].
    float signs[2];
    double submit_ns; // host time in ns of the submitting calls, per kernel
};

struct launch_reach {
    // Samples in ns. `to`: from the host's call to the kernel's first instruction; `back`: from
    // that instruction until the host knows that the kernel ended.
    double *to, *back;
    double half_ns; // uncertainty (±) in ns of device times that are converted to the host's clock
    // Number of answers of a kernel by which the device's clock was related to the host's clock; 0:
    // the API related them.
    unsigned answers;
};

// Takes `count` samples (struct launch_reach) of launches of a kernel that runs alone. A sample is
// the mean of LAUNCH_ROUND_TRIPS launches.
MUST_CHECK bool launch_reach_take(struct launch_row *row, unsigned count,
                                  struct launch_reach *reach, struct error *err);

// The functions `visit` and `conclude` of struct benchmark.
MUST_CHECK bool launch_visit(struct bench_visit *run, struct measure_visit *visit,
                             struct error *err);
void launch_conclude(struct run *run, const char *device);

#endif
