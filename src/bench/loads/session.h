// SPDX-License-Identifier: MIT
// Declares the state of a session of the benchmark loads, and the functions that prepare, size, run
// and verify its kernels.
#ifndef BENCH_LOADS_SESSION_H
#define BENCH_LOADS_SESSION_H

#include "bench/bench.h"
#include "bench/loads/kind.h"
#include "measure/claim.h"

void loads_case_read(const struct bench_case *c, struct loads_case *this_case);

// The parameters of a kernel, without the address of a raw buffer. params.glsl explains them.
struct loads_params {
    uint32_t mask, multiplier, keep, start;
    float tolerance, centre;
    uint32_t scatter;
    float pushed[LOADS_PUSHED_ELEMENTS]; // values that kernels load from push constants
};

struct loads_size {   // sizes of dispatches and samples, which the first run of a kernel finds
    uint32_t groups;  // number of workgroups per dispatch; 0 if not known yet
    uint64_t repeats; // number of dispatches per sample; 0 if not known yet
};

// The last measurement of the baseline (Buffer<RGBA8>.Load random).
struct loads_baseline_seen {
    uint32_t subgroup_threads; // loads_case.subgroup_threads of the measurement
    bool missing;              // true: the device cannot run the baseline
    double group_ns; // device time in ns of one workgroup of the baseline; 0 if not measured yet
    uint64_t at_ns;  // host time in ns at which the baseline was measured (base/clock.h)
    struct loads_size size;
};

// The state that all cases of a session share; loads_open makes it.
struct loads_session {
    struct bench_session *bench;
    // Buffer for a struct proof (work.c): the sums that threads must compute, the number of
    // workgroups that ran, and the number of wrong sums. NULL until a kernel needs it.
    struct gpu_buffer *proof;
    // sources[i] is the resource from which row i of loads_kinds loads. The first kernel that needs
    // the resource makes it.
    struct gpu_arg *sources;
    uint32_t cores; // number of cores; 16 if it is not known
    // Number of workgroups per dispatch. A case has fewer if its dispatch would last too long.
    uint32_t groups;
    // Session with bounds checks (loads_robust); NULL until a case needs it.
    struct bench_session *robust;
    // The last measurement of the baseline: [0] with fidelity=original, [1] with fidelity=peak.
    struct loads_baseline_seen baseline[2];
};

MUST_CHECK bool loads_open(struct bench_session *bench, struct error *err);
void loads_close(struct bench_session *bench);

// Returns a session on the same device, opened a second time so that it checks the bounds of every
// access. The first call opens this session; loads_close closes it. Returns NULL with `err` if the
// device cannot check bounds or cannot be opened.
struct bench_session *loads_robust(struct loads_session *session, struct error *err);

// ---------------------------------------------------------------- one kernel at work

// A kernel with its arguments, ready to run.
struct loads_work {
    struct loads_session *session;
    struct gpu_program *program;
    uint32_t groups;       // number of workgroups per dispatch
    bool has_source;       // true: `source` is an argument of the kernel
    struct gpu_arg source; // the resource from which the kernel loads, or to which it writes
    struct loads_params params;
    size_t params_bytes; // number of bytes that the kernel takes from the start of `params`
    // If the kernel writes to `source`, a copy of the case; otherwise all zeros.
    struct loads_case target;
};

// Makes the programs of a case (see `programs` in bench.h); makes none for robust access.
void loads_programs(struct bench_session *bench, const struct bench_case *c);

// Prepares `groups` workgroups of the case's kernel or, if `control` is true, of the same loop
// without loads. The session owns the memory, but the visit's scope owns a buffer that the kernel
// writes. All kernels share loads_session.proof, so only the last one that was prepared can be run
// and verified.
MUST_CHECK bool loads_work_make(struct bench_visit *visit, const struct loads_case *this_case,
                                bool control, uint32_t groups, struct loads_work *work,
                                struct error *err);

// Records `repeats` dispatches of `work` into the batch. This is a function of the type
// measure_record (measure/span.h).
void loads_work_record(void *work, struct gpu_batch *batch, uint64_t repeats);

// Checks the results of all dispatches of `work` that ran (units of work in `ran`). Fails with
// ERROR_MISMATCH if a thread computed a wrong sum, if a written element is wrong, or if the
// workgroups counted another number of dispatches.
MUST_CHECK bool loads_work_verify(struct loads_work *work, const struct measure_ran *ran,
                                  struct error *err);

// Sets `arg` to the resource from which the kernels of this kind load. The resource lives as long
// as the session. Fails with ERROR_UNSUPPORTED if the device lacks the resource, the format or the
// filter.
MUST_CHECK bool loads_source_find(struct loads_session *session, const struct loads_kind *kind,
                                  struct gpu_arg *arg, struct error *err);

// Makes a buffer of zeros for a kernel to write; `scope` owns the buffer. The buffer has one copy
// of the elements per core, but no more copies than workgroups, and at most 4096. Sets
// work->source, work->target, and work->params.start, the number of copies.
MUST_CHECK bool loads_target_make(struct loads_work *work, struct gpu_scope *scope,
                                  const struct loads_case *this_case, struct error *err);

// Checks the buffer that loads_target_make made. Fails with ERROR_MISMATCH unless each element has
// the value that `dispatches` dispatches of the kernel leave there.
MUST_CHECK bool loads_target_verify(struct loads_work *work, uint32_t dispatches,
                                    struct error *err);

// ---------------------------------------------------------------- visits

struct loads_run {
    // The caller of loads_run sets the following members.
    const struct loads_case *this_case;
    bool control; // true: the loop without loads runs instead of the case's kernel
    const struct measure_request *request;
    // Sizes of dispatches and samples, which the first run of the kernel finds.
    struct loads_size *size;
    // loads_run sets the following members.
    struct loads_work work;
    // Measured times of one workgroup, that is, of LOADS_THREADS × LOADS_A_THREAD loads.
    struct measure_span span;
};

// Measures the kernel and verifies its results. If run->size is still all 0, the function first
// finds how many workgroups a dispatch has and how many dispatches a sample has.
MUST_CHECK bool loads_run(struct bench_visit *visit, struct loads_run *run, struct error *err);

enum {
    LOADS_LONGEST_NS = 50 * 1000 * 1000 // wanted maximum length in ns of a dispatch
};

// Returns how many workgroups a dispatch may have so that it lasts at most LOADS_LONGEST_NS: from 1
// to `all`. The estimate follows from a run of `trial` workgroups that took `took_ns`. Drivers stop
// a dispatch after 0.5 to 10 s, and a desktop stutters from 0.1 s on.
uint32_t loads_groups_within(uint32_t all, uint32_t trial, double took_ns);

// Returns what hardware counters should show for `groups` workgroups of the case.
struct measure_count_claims loads_claims(const struct loads_session *session,
                                         const struct loads_case *this_case, double groups);

// loads_visit measures a case, and loads_conclude adds the findings about a device.
MUST_CHECK bool loads_visit(struct bench_visit *run, struct measure_visit *visit,
                            struct error *err);
void loads_conclude(struct run *run, const char *device);

#endif
