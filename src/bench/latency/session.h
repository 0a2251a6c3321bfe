// SPDX-License-Identifier: MIT
// What the visits of the benchmark latency share: the memory in which chains are built, and the
// functions that run chases over a chain.
#ifndef BENCH_LATENCY_SESSION_H
#define BENCH_LATENCY_SESSION_H

#include "bench/latency/case.h"
#include "bench/latency/latency.h"

// The parameters of the benchmark. The values of a case are in the same order.
enum latency_param {
    LATENCY_PARAM_PATH,
    LATENCY_PARAM_CHAIN,
    LATENCY_PARAM_ORDER,
    LATENCY_PARAM_BYTES,
    LATENCY_PARAM_LOAD,
    LATENCY_PARAM_PITCH,
    LATENCY_PARAM_PAGE,
    LATENCY_PARAM_COUNT
};

// The metrics of the benchmark, in the order of their declaration.
enum latency_metric {
    LATENCY_METRIC_NS,
    LATENCY_METRIC_CYCLES,
    LATENCY_METRIC_CONTROL_NS,
    LATENCY_METRIC_CONTROL_CYCLES,
    LATENCY_METRIC_COUNT
};

// ---------------------------------------------------------------- the session

enum {
    LATENCY_RUNS_MAX = 4,      // maximum number of chases in one batch
    LATENCY_OUT_STRIDE = 8192, // bytes from one chase's result to the next
    LATENCY_OUT_BYTES = LATENCY_RUNS_MAX * LATENCY_OUT_STRIDE,
    LATENCY_STREAM_BYTES = 1 << 26, // bytes of memory that the kernel of load=keep-awake reads
    LATENCY_CHUNKS_MAX = 1024
};

// The memory in which chains are built. Most regions are one buffer. Pointer chains with order=page
// may be larger than the largest allocation, so their region has several buffers of equal size
// ("chunks"), whose addresses kernels read from `directory`.
struct latency_region {
    struct gpu_scope *scope; // scope that owns the chunks; may be NULL if there are no chunks
    struct gpu_buffer *chunks[LATENCY_CHUNKS_MAX];
    uint64_t addresses[LATENCY_CHUNKS_MAX]; // address at which the chain begins in each chunk
    size_t chunk_count;
    uint64_t chunk_bytes;
    // Buffer from which kernels read the addresses of the chunks. NULL if not created yet, or if
    // the device has no 64-bit addresses (ADDRESSES).
    struct gpu_buffer *directory;
};

struct latency_session {
    struct bench_session *bench;
    bool clocked; // true: kernels can read the core's counter and the device's clock
    // Memory for chains. A region is allocated when a case first needs it. All cases share the
    // regions, because allocating 4 GiB takes longer than a measurement. If the device lacks memory
    // for one region, the other regions are freed.
    struct latency_region small, large; // regions of one buffer each, for small and large chains
    // Region of one or several chunks, for pointer chains with order=page.
    struct latency_region paged;
    struct gpu_buffer *constants, *stream;
    struct gpu_buffer *out, *readback; // results of chases, on the device and on the host
    uint32_t token;                    // a number that identifies the last chase that was recorded
    // Shortest window without hops, in counts of the core's counter; 0 if not measured yet.
    double stamp_counts;
};

// The function `open` of struct benchmark.
MUST_CHECK bool latency_open(struct bench_session *bench, struct error *err);

// The function `close` of struct benchmark.
void latency_close(struct bench_session *bench);

// Returns the program of the embedded kernel with the name `kernel`; NULL with `err` on failure.
struct gpu_program *latency_program(struct latency_session *session, const char *kernel,
                                    struct error *err);

// The function `programs` of struct benchmark.
void latency_programs(struct bench_session *bench, const struct bench_case *c);

// Returns the percentage of a core's on-chip memory that the kernel requests as L1
// (gpu_program_desc): 1 for chains in shared memory, which need no L1; else 100.
unsigned latency_l1_percent(const char *kernel);

// latency_constants returns a buffer for path=constant, latency_stream the buffer that the kernel
// of load=keep-awake reads. The first call creates the buffer; the session owns it. On failure,
// both functions return NULL with `err`.
struct gpu_buffer *latency_constants(struct latency_session *session, struct error *err);
struct gpu_buffer *latency_stream(struct latency_session *session, struct error *err);

// Returns a region of at least `bytes` bytes for the chain of the case; NULL with `err` on failure.
// The session owns the region. Later visits overwrite its contents.
struct latency_region *latency_region(struct latency_session *session,
                                      const struct latency_case *this_case, uint64_t bytes,
                                      struct error *err);

// Sets *offset to the place that `key` selects for a chain of `bytes` bytes in a region of one
// buffer (bench_place). Writes the address of the chain to the region's directory.
MUST_CHECK bool latency_region_place(struct latency_region *region, struct latency_session *session,
                                     uint64_t bytes, uint32_t key, uint64_t *offset,
                                     struct error *err);

// ---------------------------------------------------------------- chases

// One chase, of LATENCY_UNROLL × (untimed + windows × repeats) hops. The members before `count` say
// what to run; the members from `count` on receive the results.
struct latency_run {
    bool control;   // true: the chase does only the index arithmetic of hops, and loads nothing
    bool touch;     // true: before the chase, the workgroup reads a word in each page
    uint32_t start; // index of the first hop in the chain
    // Number of links just before `start` in the chain that are loaded first, to fill the caches.
    uint32_t warm;
    // number of untimed repeats (LATENCY_UNROLL hops each) before the first window
    uint32_t untimed;
    // Number of timed windows, and number of repeats (LATENCY_UNROLL hops each) in each window.
    uint32_t windows, repeats;

    // Time from before the first window to after the last one, in counts of the core's counter.
    uint32_t count;
    double device_ns; // the same time in ns, by the device's clock
    double span_ns;   // time in ns of the whole dispatch, by the device's time stamps
    // Length of each window in counts of the core's counter; valid until the next batch.
    const uint32_t *counts;
};

// The programs and the memory with which a visit chases the chain of its case.
struct latency_chase {
    struct latency_session *session;
    const struct bench_visit *visit;
    struct latency_case this_case;
    struct latency_chain chain;
    struct gpu_program *program;
    // Kernel with only the index arithmetic of hops. NULL if hops have no such arithmetic
    // (latency_control_name).
    struct gpu_program *control;
    // Kernel that keeps the device busy during the chase. NULL without load=keep-awake.
    struct gpu_program *awake;
    // duration in ns of the lead, light work that runs before the chases (measure/pace.h)
    uint64_t lead_ns;
    // The argument through which kernels reach the chain; not used if the chain is in shared memory
    struct gpu_arg region;
    bool moves; // true: each round puts the chain at another address
    // Memory of the chain; NULL if the chain is in shared or constant memory.
    const struct latency_region *memory;
};

// Makes the programs and the memory of a chase, and builds the chain on the device. Fails with
// ERROR_USAGE if the values of the case do not fit each other. Fails with ERROR_UNSUPPORTED if the
// device does not allow the case; the message names the limit or the missing feature.
MUST_CHECK bool latency_chase_init(struct latency_chase *chase, struct latency_session *session,
                                   const struct bench_visit *visit, struct error *err);

// Runs `count` chases in one submission, one after the other. Each chase has its own time stamps. A
// lead of chase->lead_ns runs before the first one. Fails with ERROR_MISMATCH if a chase does not
// end at the link that the host computes.
MUST_CHECK bool latency_chase_run(struct latency_chase *chase, struct latency_run *runs,
                                  unsigned count, struct error *err);

// Counts the hardware events per hop, as the difference of two chases: `run`, and the same chase
// with twice as many repeats. Before each of the two chases, `run` brings the caches into the same
// state. If run->warm is 0, the device instead fills a buffer larger than the caches, which removes
// the chain's lines.
MUST_CHECK bool latency_chase_count(struct latency_chase *chase, const struct latency_run *run,
                                    struct error *err);

// Returns the number of hops of the chase, timed and untimed. Loads before the first hop (`touch`,
// `warm`) do not count.
uint64_t latency_run_hops(const struct latency_run *run);

// ---------------------------------------------------------------- visits

// Data of one case that the session keeps between visits.
struct latency_memory {
    // True: each chase begins with a warm-up lap; false: it begins by reading a word of each page.
    bool warm;
    double hop_ns; // estimated time of a hop in ns
    // estimated counts of the core's counter per hop; 0 if latency_session.clocked is false
    double hop_counts;
    // As in struct latency_run: a chase has LATENCY_UNROLL × (untimed + windows × repeats) hops.
    uint32_t untimed, windows, repeats;
    // Hops of all chases that prepare_runs (visit.c) has prepared. The next chase begins at hop
    // `walked` modulo the number of nodes (without warm-up laps: modulo half of this number).
    uint64_t walked;
    // Comparison of two clocks: the device's time stamps and the core's counter.
    struct latency_clocks {
        // True once the clocks agreed in a visit, or differed in opposite directions and so by
        // chance. Later visits do not compare them.
        bool agree;
        // number of visits in which the two clocks differed, all in the same direction
        unsigned visits;
        // Of these visits' differences (time by the time stamps ÷ time by the core's counter, − 1),
        // the value closest to 0.
        double difference;
    } clocks;
};

// Sets all members of `memory` except `walked` and `clocks`, from the times of short chases. If
// session->clocked is true and session->stamp_counts is 0, also measures session->stamp_counts.
MUST_CHECK bool latency_chase_size(struct latency_chase *chase, struct latency_memory *memory,
                                   struct error *err);

// The functions `plan` and `visit` of struct benchmark.
MUST_CHECK bool latency_plan(const struct bench_request *request, struct bench_case_list *list,
                             struct error *err);
MUST_CHECK bool latency_visit(struct bench_visit *run, struct measure_visit *visit,
                              struct error *err);

#endif
