// SPDX-License-Identifier: MIT
// Declares the operations and the cases of the benchmark incore, the data that the cases of a
// session share, and the check of the results.
#ifndef BENCH_INCORE_SESSION_H
#define BENCH_INCORE_SESSION_H

#include "bench/bench.h"
#include "bench/incore/incore.h"
#include "measure/claim.h"

// ---------------------------------------------------------------- operations

// Shape of a kernel for the whole chip. With these numbers, kernels were fastest on an H200
// (docs/evidence/incore.md).
struct incore_peak {
    unsigned chains; // chains per thread
    unsigned steps;  // steps per iteration of the loop, of all chains of a thread together
};

struct incore_kind {
    // Name in results, for example "fp32-fma". The kernel for one core is then incore_fp32_fma, and
    // the kernel for the whole chip is incore_fp32_fma_peak.
    const char *name;
    unsigned number;    // type of the numbers: INCORE_F32 …
    unsigned operation; // what a step does: INCORE_FMA …; for tiles the format: INCORE_TILE_F16 …
    // Maximum number of steps of a thread in one iteration, in the kernel for one core. 0: there is
    // no such kernel. incore_chain_steps() returns the exact number of steps of a chain.
    unsigned steps;
    gpu_caps caps; // capabilities that the operation needs
    // Number of results that a thread computes in one step: 2 for fp16x2-fma and for the mixed
    // operation, else 1. For matrix tiles: number of products of two scalars, per thread.
    unsigned results;
    // number of operations per result: 2 for fma, mad and tiles, 3 for dot, 8 for dot4, else 1
    unsigned arithmetic;
    // chains and steps of the kernel for the whole chip; NULL if there is no such kernel
    const struct incore_peak *peak;
};

// The operations, in the order of the choices of the parameter `op`.
extern const struct incore_kind incore_kinds[];
extern const size_t incore_kind_count;

// Returns true if there is a barrier kernel for workgroups of `threads` threads.
bool incore_has_barrier(uint64_t threads);

// Returns the class of arithmetic units that compute the operation.
enum measure_class incore_kind_class(const struct incore_kind *kind);

// Returns the instructions that hardware counters should count for `steps` steps of subgroups, with
// `chains` chains per thread; no count where the instructions of a step are unknown.
struct measure_count_claims incore_kind_claims(const struct incore_kind *kind, uint32_t chains,
                                               double steps);

// Fills `words`, INCORE_SLOTS slots of two words (incore.h), with a proof: the constants a and b
// and, for each chain, the first value and the value after `steps` steps (matrix tiles: an
// element's growth). Operations that an API does not define exactly may differ by
// INCORE_TOLERANCE_…; their chains settle, so the host computes at most 1025 steps.
void incore_kind_fill(const struct incore_kind *kind, uint64_t steps, uint32_t *words);

// ---------------------------------------------------------------- cases

enum {
    INCORE_SAMPLES_MAX = 16, // maximum number of samples of a case on one core
    // Maximum number of proofs (expected values) in a batch. Without clocks in kernels, a sample is
    // the time of 2 N iterations minus the time of N iterations, and each of the two dispatches has
    // its own proof.
    INCORE_PROOFS = 2,
    // bytes from the start of one proof to the start of the next
    INCORE_PROOF_STRIDE = 1024
};

enum incore_metric {
    INCORE_METRIC_CYCLES,
    INCORE_METRIC_PER_CORE,
    INCORE_METRIC_TIME,
    INCORE_METRIC_RATE
};

struct incore_case {
    const struct incore_kind *kind;
    bool chip; // true: the case runs on the whole chip; false: on one core
    // The shape of a case on one core: chains per thread, and subgroups that compute. On the whole
    // chip, both are 0.
    uint32_t chains, subgroups;
};
void incore_case_read(const struct bench_case *c, struct incore_case *this_case);

// Returns the steps of each chain in one iteration of the loop, on one core: an even number in each
// block, up to INCORE_BLOCK for all chains together.
uint64_t incore_chain_steps(const struct incore_case *this_case);

// Returns false if the case has 3, 5, 6 or 7 chains, and the operation has no kernel for these
// numbers. Only common operations have such a kernel.
bool incore_has_kernel(const struct incore_case *this_case);

// ---------------------------------------------------------------- the session

struct incore_session {
    struct bench_session *bench;
    bool clocked; // true: kernels can read the core's counter and the device's clock
    // True if the last case on the whole chip should have raised the core clock. Its samples were
    // long enough, or its dispatches had the maximum number of iterations.
    bool awake;
    uint32_t subgroup_threads;
    struct gpu_buffer *proofs, *stamps;
    // Host memory from which proofs are copied to the device. A proof has the values that kernels
    // must compute; kernels also count wrong results in it (incore.h).
    struct gpu_buffer *upload;
    // host memory for what kernels write: proofs with their counts, then time stamps
    struct gpu_buffer *readback;
};

enum {
    // offset in bytes of the time stamps in the buffer `readback`
    INCORE_STAMPS_OFFSET = INCORE_PROOFS * INCORE_PROOF_STRIDE,
    INCORE_STAMPS_BYTES = INCORE_SAMPLES_MAX * INCORE_STAMPS * 8
};

// The parameters of a dispatch. Kernels declare the same members in the same order.
struct incore_params {
#define MEMBER(name) uint32_t name;
    INCORE_PARAMS(MEMBER)
#undef MEMBER
};

MUST_CHECK bool incore_open(struct bench_session *bench, struct error *err);

// Returns the program that measures the case. On failure, returns NULL with `err`:
// ERROR_UNSUPPORTED if the device or this build cannot run the program.
struct gpu_program *incore_program(struct incore_session *session,
                                   const struct incore_case *this_case, struct error *err);

// The function `programs` of struct benchmark.
void incore_programs(struct bench_session *bench, const struct bench_case *c);

// Records a copy of `words` to the device, as proof number `proof`. `words` come from
// incore_kind_fill. Call this function before you record dispatches that use the proof.
void incore_proof_record(struct incore_session *session, unsigned proof, const uint32_t *words,
                         struct gpu_batch *batch);

// Records a dispatch that compares its results with proof number `proof`. Call incore_proof_record
// first. The function itself sets the arguments of the dispatch.
void incore_dispatch(struct incore_session *session, struct gpu_batch *batch,
                     const struct gpu_dispatch *desc, unsigned proof);

// Records copies of what kernels write to the host: counts in the proofs, and time stamps. Call
// this function after all dispatches are recorded.
void incore_results_record(struct incore_session *session, struct gpu_batch *batch);

struct incore_proven {
    uint32_t groups; // number of workgroups that ended, in all dispatches with this proof
    bool separate;   // true: an fma of the device rounded twice, first the product and then the sum
};

// Reads the counts in proof number `proof`, after the batch has ended. Fails with ERROR_MISMATCH if
// a thread's result differs from the host's, or if a thread made a wrong number of steps.
MUST_CHECK bool incore_proof_check(const struct incore_session *session, unsigned proof,
                                   struct incore_proven *proven, struct error *err);

// ---------------------------------------------------------------- functions of struct benchmark

// incore_core_visit measures a case on one core; incore_chip_visit measures one on the whole chip.
MUST_CHECK bool incore_core_visit(struct bench_visit *run, const struct incore_case *this_case,
                                  struct measure_visit *visit, struct error *err);
MUST_CHECK bool incore_chip_visit(struct bench_visit *run, const struct incore_case *this_case,
                                  struct measure_visit *visit, struct error *err);
void incore_conclude(struct run *run, const char *device);

#endif
