// SPDX-License-Identifier: MIT
// What `latency` keeps between visits: the memory of chains, and chases over them.
#ifndef BENCH_LATENCY_SESSION_H
#define BENCH_LATENCY_SESSION_H

#include "bench/latency/case.h"
#include "bench/latency/latency.h"

// In the order of the benchmark's parameters. A case has its values in the same order.
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

// In the order of the benchmark's metrics.
enum latency_metric {
    LATENCY_METRIC_NS,
    LATENCY_METRIC_CYCLES,
    LATENCY_METRIC_CONTROL_NS,
    LATENCY_METRIC_CONTROL_CYCLES,
    LATENCY_METRIC_COUNT
};

// ---------------------------------------------------------------- the session

enum {
    LATENCY_RUNS_MAX = 4,      // chases that one batch can report
    LATENCY_OUT_STRIDE = 8192, // bytes from one chase's result to the next
    LATENCY_OUT_BYTES = LATENCY_RUNS_MAX * LATENCY_OUT_STRIDE,
    LATENCY_STREAM_BYTES = 1 << 26, // memory that load=keep-awake reads
    LATENCY_CHUNKS_MAX = 1024
};

// The memory that chains are built in. It is one buffer; or, for pointer chains over pages, which
// may be larger than the largest allocation, several chunks of the same size. Kernels read the
// addresses of the chunks from the directory.
struct latency_region {
    struct gpu_scope *scope; // scope of the chunks; NULL: none
    struct gpu_buffer *chunks[LATENCY_CHUNKS_MAX];
    uint64_t addresses[LATENCY_CHUNKS_MAX]; // where the chain's part of each chunk begins
    size_t chunk_count;
    uint64_t chunk_bytes;
    struct gpu_buffer *directory; // the addresses; NULL if the device lacks ADDRESSES
};

struct latency_session {
    struct bench_session *bench;
    bool clocked; // kernels read the core's counter and the device's clock
    // Regions are made at first use and shared by all cases, because making 4 GiB takes longer than
    // measuring in it. If memory is short, making one region frees the others.
    struct latency_region *small, *large; // one buffer each
    struct latency_region *paged;         // several chunks
    struct gpu_buffer *constants, *stream;
    struct gpu_buffer *out, *readback; // results of chases
    uint32_t token;                    // identifies the last chase
    double stamp_counts;               // counts between two stamps without a hop; 0: not known yet
};

// The function `open` of struct benchmark.
MUST_CHECK bool latency_open(struct bench_session *bench, struct error *err);

// The function `close` of struct benchmark.
void latency_close(struct bench_session *bench);

// Returns the program of the embedded kernel of that name; NULL with `err`.
struct gpu_program *latency_program(struct latency_session *session, const char *kernel,
                                    struct error *err);

// Returns the percentage of a core's memory that the kernel requests as L1 (gpu_program_desc): 1
// for chains in shared memory, which need no L1; else 100.
unsigned latency_l1_percent(const char *kernel);

// Both return a buffer that the first call makes: latency_constants for path=constant, and
// latency_stream for load=keep-awake. NULL with `err`.
struct gpu_buffer *latency_constants(struct latency_session *session, struct error *err);
struct gpu_buffer *latency_stream(struct latency_session *session, struct error *err);

// Returns memory for the case's chain of `bytes`; NULL with `err`. It belongs to the session; the
// next visit overwrites it.
struct latency_region *latency_region(struct latency_session *session,
                                      const struct latency_case *this_case, uint64_t bytes,
                                      struct error *err);

// ---------------------------------------------------------------- chases

// A chase: first what to run, then its results. It has LATENCY_UNROLL × (untimed + windows ×
// repeats) hops.
struct latency_run {
    bool control;              // only the index arithmetic, without loads
    bool touch;                // the workgroup first reads a word in each page
    uint32_t start;            // number of the first hop
    uint32_t warm;             // hops before `start` that are read first, as warm-up; 0: none
    uint32_t untimed;          // repeats before the timed windows
    uint32_t windows, repeats; // timed windows, and the repeats in each

    uint32_t count;         // counts by the core's counter, from the first window to the last
    double device_ns;       // time of these counts by the device's clock
    double span_ns;         // time of the whole dispatch, by the device's time stamps
    const uint32_t *counts; // counts of each window; valid until the next batch
};

// A chain of one case, for one visit.
struct latency_chase {
    struct latency_session *session;
    const struct bench_visit *visit;
    struct latency_case this_case;
    struct latency_chain chain;
    struct gpu_program *program;
    struct gpu_program *control; // NULL: this path has no control
    struct gpu_program *awake;   // NULL without load=keep-awake
    unsigned control_shift;
    uint64_t lead_ns;      // length of the lead before the next submission (measure/pace.h)
    struct gpu_arg region; // the argument by which kernels reach the chain
    bool has_region;       // false: shared memory
    const struct latency_region *memory; // NULL: shared or constant memory
};

// Makes the programs and the memory, and builds the chain on the device. Fails with
// ERROR_UNSUPPORTED, which names a limit or a feature that the device lacks.
MUST_CHECK bool latency_chase_init(struct latency_chase *chase, struct latency_session *session,
                                   const struct bench_visit *visit, struct error *err);

// Runs the chases one after another in one submission, each in its own span, after chase->lead_ns
// of other work. Fails with ERROR_MISMATCH if a chase does not end where the closed formula says.
MUST_CHECK bool latency_chase_run(struct latency_chase *chase, struct latency_run *runs,
                                  unsigned count, struct error *err);

// Counts the chase with the visit's counters, per hop: the difference between `run` and a chase
// with twice its repeats. The shorter one of both runs before each pass; if run->warm is 0, a fill
// of more memory than the caches hold, which replaces the lines that the previous pass left in
// them.
MUST_CHECK bool latency_chase_count(struct latency_chase *chase, const struct latency_run *run,
                                    struct error *err);

// Returns the number of hops of the chase, timed and untimed.
uint64_t latency_run_hops(const struct latency_run *run);

// ---------------------------------------------------------------- visits

enum {
    LATENCY_RATIOS_MAX = 64
};

// What a case keeps from its first visit.
struct latency_memory {
    bool warm;         // the measuring workgroup warms up by a lap; false: it touches every page
    double hop_ns;     // rough time of a hop
    double hop_counts; // rough counts by the core's counter in a hop; 0: no counter
    uint32_t untimed, windows, repeats; // the hops of a chase, as in struct latency_run
    uint64_t walked;                    // hops of all chases so far: the next chase begins there
    // Time by time stamps ÷ time by the counter, one ratio for each round (the cross-check).
    double ratios[LATENCY_RATIOS_MAX];
    size_t ratio_count;
};

// The functions `plan` and `visit` of struct benchmark.
MUST_CHECK bool latency_plan(const struct bench_request *request, struct bench_case_list *list,
                             struct error *err);
MUST_CHECK bool latency_visit(struct bench_visit *run, struct measure_visit *visit,
                              struct error *err);

#endif
