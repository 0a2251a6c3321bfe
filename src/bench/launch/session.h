// SPDX-License-Identifier: MIT
// Declares the cases of the benchmark launch, the data that the cases of a session share, and the
// kernels that a visit launches.
#ifndef BENCH_LAUNCH_SESSION_H
#define BENCH_LAUNCH_SESSION_H

#include "bench/bench.h"
#include "bench/launch/launch.h"

// enum launch_between and enum launch_mode have the order of the choices of the parameters
// `between` and `mode`.
enum launch_between { // what is between two successive kernels of a batch
    LAUNCH_ORDER,     // no barrier: the API orders the kernels
    LAUNCH_NOTHING,   // no barrier, and no order: kernels may overlap
    LAUNCH_EXECUTION, // a barrier that orders kernels, but not their memory accesses
    LAUNCH_MEMORY,    // a barrier for all memory
    LAUNCH_BUFFER,    // a barrier for the buffer that the kernels write
    LAUNCH_FULL,      // a barrier for all memory and all pipeline stages of the API
    LAUNCH_SPLIT,     // a split barrier: a signal, directly followed by the wait for it
};

enum launch_mode { // how a case launches kernels, and which time is measured
    LAUNCH_BATCH,  // one call submits a batch of kernels; measures the device time per kernel
    LAUNCH_REPLAY, // the driver replays a batch as a graph; measures the device time per kernel
    // Each kernel is a submission of its own. Measures the host time per kernel, until the last one
    // has ended.
    LAUNCH_SUBMIT,
    // Measures the host time from the submission of a kernel until the host has seen its end.
    LAUNCH_ROUND_TRIP,
    // Measures the time from the submission of a kernel until its first instruction.
    LAUNCH_ONE_WAY,
    LAUNCH_QUEUES, // several queues run a batch each; measures the host time per kernel
    LAUNCH_SIGNAL, // each submission waits for the one before it; measures host time per kernel
};

struct launch_case {
    // Number of elements that a kernel scales. If it is 0, kernels are empty: they only add 1 to a
    // count. With mode=one-way, they also store the time.
    uint64_t elements;
    enum launch_between between;
    enum launch_mode mode;
    unsigned queues; // number of queues, for mode=queues and mode=signal; 0 for other modes
};
void launch_case_read(const struct bench_case *c, struct launch_case *this_case);

struct launch_session {
    struct bench_session *bench;
    struct gpu_program *scale, *fill, *check, *empty;
    // Buffer whose word 0 is a count: of the empty kernels that ran, or of the wrong elements.
    struct gpu_buffer *words;
    struct gpu_batch *warm; // batch that raises the core clock; NULL on a CPU
    // A pair of buffers, made by launch_prepare. Scaling kernels alternate: one reads ends[0] and
    // writes ends[1], the next one reads ends[1] and writes ends[0].
    struct gpu_scope *pair;
    struct gpu_buffer *ends[2];
    uint64_t pair_bytes; // size in bytes of each of the two buffers
    // The members from `stamp` to `wide` are NULL until a case needs them.
    struct gpu_program *stamp, *answer;
    // Buffers in host memory: `question` for the host's questions, `reply` for the answers and
    // times that kernels write.
    struct gpu_buffer *question, *reply;
    struct launch_wide *wide;
    bool api_refuted; // true: kernels read another clock than the API's timestamps
};

// The session's device, opened a second time with launch_queue_count queues, until the session
// ends. If the first opening had so many queues, other cases would be slower.
struct launch_wide {
    struct bench_session bench;
    // session on the second opening of the device; it has only what empty kernels need
    struct launch_session session;
};

MUST_CHECK bool launch_open(struct bench_session *bench, struct error *err);
void launch_close(struct bench_session *bench);

// Makes both buffers of the pair large enough for `elements` elements. The first gets the data of
// launch.h, the second three times these values. No scaling kernel writes tripled values, so
// launch_check of ends[1] fails if no kernel ran.
MUST_CHECK bool launch_prepare(struct launch_session *session, uint64_t elements,
                               struct error *err);

// Keeps the device busy for at least 2 ms, because empty kernels alone do not raise the core clock.
// Does nothing on a CPU.
MUST_CHECK bool launch_warm_up(struct launch_session *session, struct error *err);

// Checks the first `elements` elements of session->ends[end]. Fails with ERROR_MISMATCH if they
// differ from the data of launch.h times `factor`.
MUST_CHECK bool launch_check(struct launch_session *session, unsigned end, uint64_t elements,
                             float factor, struct error *err);

// Each empty kernel adds 1 to a count. launch_count_clear sets this count to 0; launch_count reads
// it.
MUST_CHECK bool launch_count_clear(struct launch_session *session, struct error *err);
MUST_CHECK bool launch_count(struct launch_session *session, uint32_t *count, struct error *err);

// Returns the factor of scaling kernel number `number` of a sample: 1 if the number is odd, else
// minus a power of two (from −8 to −1/8).
float launch_factor(uint64_t number);

// Records kernel number `number` of a sample. A scaling kernel reads ends[number % 2], multiplies
// by launch_factor(number), and writes the other buffer of the pair.
void launch_record(struct launch_session *session, const struct launch_case *this_case,
                   uint64_t number, struct gpu_batch *batch);

// Returns the number of queues that launch_wide_open requests from the device.
unsigned launch_queue_count(const struct gpu_info *info);

// Opens the device a second time, with launch_queue_count queues, and sets session->wide. If
// session->wide is set already, does nothing.
MUST_CHECK bool launch_wide_open(struct launch_session *session, struct error *err);

// Returns the maximum number of elements of a kernel: 128 Mi, or 1 Mi on a CPU. It is lower if the
// device's limits or a quarter of its memory do not allow such a buffer.
uint64_t launch_elements_max(const struct gpu_info *info);

// ---------------------------------------------------------------- a visit

enum {
    LAUNCH_IN_FLIGHT = 64,  // maximum number of submissions in flight
    LAUNCH_ROUND_TRIPS = 16 // number of round trips or one-way launches in a sample
};

// The batches with the kernels of a sample. Their number depends on the mode:
// - batch, replay: one batch has all kernels
// - submit, signal: each kernel has a batch of its own
// - queues: each queue has one batch
// - round-trip, one-way: one batch has one kernel, and a sample runs it LAUNCH_ROUND_TRIPS times
struct launch_row {
    struct bench_visit *run;
    struct launch_session *session;
    struct gpu_scope *scope; // scope that owns `batches`
    const struct launch_case *this_case;
    uint64_t kernels; // number of kernels in all batches together
    struct gpu_batch *batches[LAUNCH_IN_FLIGHT];
    size_t batch_count;
    uint64_t done; // number of kernels run since launch_prepare or launch_count_clear
    // The data in session->ends[i] should be those of launch.h times factors[i]. factors[1] is 0
    // until a kernel has written ends[1].
    float factors[2];
    // host time in ns per kernel of the calls that submit; 0 for round-trip, one-way and signal
    double submit_ns;
};

struct launch_reach {
    // Samples in ns. `to` is the time from the host's call to the kernel's first instruction.
    // `back` is the time from this instruction until the host knows that the kernel has ended.
    double *to, *back;
    double half_ns; // uncertainty (±) in ns of times that are converted to the host's clock
    // Number of answers from kernels that relate the device's clock to the host's clock. 0: the
    // API's timestamps relate the clocks.
    unsigned answers;
};

// Takes `count` samples of launches of a kernel that runs alone (struct launch_reach). Each sample
// is the mean of LAUNCH_ROUND_TRIPS launches.
MUST_CHECK bool launch_reach_take(struct launch_row *row, unsigned count,
                                  struct launch_reach *reach, struct error *err);

// The functions `visit` and `conclude` of struct benchmark.
MUST_CHECK bool launch_visit(struct bench_visit *run, struct measure_visit *visit,
                             struct error *err);
void launch_conclude(struct run *run, const char *device);

#endif
