// SPDX-License-Identifier: MIT
// Declares the cases of the benchmark launch, the data that the cases of a session share, and the
// kernels that a visit launches.
#ifndef BENCH_LAUNCH_SESSION_H
#define BENCH_LAUNCH_SESSION_H

#include "bench/bench.h"
#include "bench/launch/launch.h"

// The members of enum launch_between and enum launch_mode have the order of the choices of the
// parameters `between` and `mode`.
enum launch_between { // what separates two successive kernels of a batch
    LAUNCH_ORDER,     // no barrier: the API itself orders the kernels
    LAUNCH_NOTHING,   // no barrier, and no order: kernels may overlap
    LAUNCH_EXECUTION, // an execution barrier: it orders kernels, but not their memory accesses
    LAUNCH_MEMORY,    // a barrier for all memory
    LAUNCH_BUFFER,    // a barrier for the buffer that the kernels write
    LAUNCH_FULL,      // a barrier for all memory and all pipeline stages of the API
    LAUNCH_SPLIT,     // a split barrier: a signal and, right after it, the wait for it
};

enum launch_mode { // how a case launches kernels, and which time it measures
    LAUNCH_BATCH,  // device time per kernel of a batch that one call submits
    LAUNCH_REPLAY, // device time per kernel of a batch that the driver replays as a graph
    // Host time per kernel if each kernel is a submission of its own. The host waits only for the
    // last submission.
    LAUNCH_SUBMIT,
    // Host time of one submission: from the host's call until the host has seen its end.
    LAUNCH_ROUND_TRIP,
    // Time from the host's call that submits a kernel to the kernel's first instruction.
    LAUNCH_ONE_WAY,
    LAUNCH_QUEUES, // host time per kernel if each of several queues runs a batch
    LAUNCH_SIGNAL, // host time per kernel if each submission waits for the one before it
};

struct launch_case {
    // Number of elements that a kernel scales; 0 for empty kernels, which only add to a count or
    // store the time.
    uint64_t elements;
    enum launch_between between;
    enum launch_mode mode;
    unsigned queues; // number of queues, for mode=queues and mode=signal; else 0
};
void launch_case_read(const struct bench_case *c, struct launch_case *this_case);

struct launch_session {
    struct bench_session *bench;
    struct gpu_program *scale, *fill, *check, *empty;
    // Buffer whose word 0 is a count: of the empty kernels that ran, or of the wrong elements that
    // a check found.
    struct gpu_buffer *words;
    struct gpu_batch *warm; // batch whose work raises the core clock; NULL on a CPU
    // A pair of buffers, made by launch_prepare. A scaling kernel reads one buffer of the pair and
    // writes the other. For the next kernel, the two buffers are exchanged.
    struct gpu_scope *pair;
    struct gpu_buffer *ends[2];
    uint64_t pair_bytes; // size in bytes of each of the two buffers
    // The members from `stamp` to `wide` are NULL until the first case that needs them.
    struct gpu_program *stamp, *answer;
    // Buffers in host memory. The host writes questions into one; kernels write answers and times
    // into the other.
    struct gpu_buffer *question, *reply;
    struct launch_wide *wide;
    bool api_refuted; // true: the API's timestamps come from a clock that kernels do not read
};

// The session's device, opened a second time with several queues (launch_queue_count). In the first
// opening, so many queues would slow down other cases. It stays open until the session ends.
struct launch_wide {
    struct bench_session bench;
    // session on the second opening, with only the objects that empty kernels need
    struct launch_session session;
};

MUST_CHECK bool launch_open(struct bench_session *bench, struct error *err);
void launch_close(struct bench_session *bench);

// Makes both buffers of the pair large enough for `elements` elements. Fills the first buffer with
// the data that launch.h defines, and the second with twice these values. No kernel writes these
// doubled values. So launch_check finds them if no kernel ran.
MUST_CHECK bool launch_prepare(struct launch_session *session, uint64_t elements,
                               struct error *err);

// Keeps the device busy for 2 ms, because empty kernels alone do not raise the core clock. Does
// nothing on a CPU.
MUST_CHECK bool launch_warm_up(struct launch_session *session, struct error *err);

// Checks the first `elements` elements of session->ends[end]. Fails with ERROR_MISMATCH if they are
// not the data that launch.h defines, multiplied by `factor`.
MUST_CHECK bool launch_check(struct launch_session *session, unsigned end, uint64_t elements,
                             float factor, struct error *err);

// Each empty kernel adds 1 to a count. launch_count_clear sets the count to 0. launch_count reads
// it.
MUST_CHECK bool launch_count_clear(struct launch_session *session, struct error *err);
MUST_CHECK bool launch_count(struct launch_session *session, uint32_t *count, struct error *err);

// Records kernel number `number` of a sample. A scaling kernel reads ends[number % 2] and writes
// the other buffer of the pair. It multiplies by −1 if `number` is even, else by 1.
void launch_record(struct launch_session *session, const struct launch_case *this_case,
                   uint64_t number, struct gpu_batch *batch);

// Returns the number of queues with which launch_wide_open opens this device.
unsigned launch_queue_count(const struct gpu_info *info);

// Opens the device a second time, with several queues, and sets session->wide. Does nothing if it
// is already open in this way.
MUST_CHECK bool launch_wide_open(struct launch_session *session, struct error *err);

// Returns the maximum number of elements of a kernel: 128 Mi, or 1 Mi on a CPU. The number is lower
// if the device's limits require it, or if a buffer would need more than a quarter of the device's
// memory.
uint64_t launch_elements_max(const struct gpu_info *info);

// ---------------------------------------------------------------- a visit

enum {
    LAUNCH_IN_FLIGHT = 64,  // maximum number of submissions in flight
    LAUNCH_ROUND_TRIPS = 16 // number of round trips in a sample
};

// The batches with the kernels of a sample. The mode decides how many batches there are:
// - batch, replay: one batch with all kernels.
// - submit, signal: one batch for each kernel.
// - queues: one batch for each queue.
// - round-trip, one-way: one batch with one kernel. A sample runs it LAUNCH_ROUND_TRIPS times.
struct launch_row {
    struct bench_visit *run;
    struct launch_session *session;
    struct gpu_scope *scope; // scope that owns `batches`
    const struct launch_case *this_case;
    uint64_t kernels; // number of kernels in all batches
    struct gpu_batch *batches[LAUNCH_IN_FLIGHT];
    size_t batch_count;
    uint64_t done; // number of kernels run since launch_prepare or launch_count_clear
    // signs[i] is the sign that the data in session->ends[i] should have. Before the first kernel,
    // signs[0] is 1, because launch_prepare wrote positive data. signs[1] is 0 until a kernel has
    // written ends[1].
    float signs[2];
    double submit_ns; // host time in ns of the calls that submit, divided by `kernels`
};

struct launch_reach {
    // Samples in ns. `to` is the time from the host's call to the kernel's first instruction.
    // `back` is the time from that instruction until the host knows that the kernel ended.
    double *to, *back;
    double half_ns; // uncertainty (±) in ns of device times that are converted to the host's clock
    // Kernels answer the host's questions with the device's clock: one kernel before the samples,
    // one after them. This is the number of all answers. The quickest answer of each kernel relates
    // the two clocks. 0 if the API's timestamps relate them.
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
