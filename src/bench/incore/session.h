// SPDX-License-Identifier: MIT
// Declares the operations and the cases of the benchmark incore, the data that the cases of a
// session share, and the check of the results.
#ifndef BENCH_INCORE_SESSION_H
#define BENCH_INCORE_SESSION_H

#include "bench/bench.h"
#include "bench/incore/incore.h"
#include "measure/claim.h"

// ---------------------------------------------------------------- operations

// Numbers of chains and steps of a kernel for the whole chip. On an H200, the kernels were fastest
// with the chosen numbers (docs/evidence/incore.md).
struct incore_peak {
    unsigned chains; // chains per thread
    unsigned steps;  // steps of all chains of a thread in one iteration of the loop
};

struct incore_kind {
    // Name in results, for example "fp32-fma". The kernel for one core is then incore_fp32_fma, and
    // the kernel for the whole chip is incore_fp32_fma_peak.
    const char *name;
    unsigned number;    // type of the numbers: INCORE_F32 …
    unsigned operation; // what a step does: INCORE_FMA …; for tiles the format: INCORE_TILE_F16 …
    // Maximum number of steps of a thread in one iteration of the loop of the kernel for one core.
    // 0 if there is no such kernel. incore_chain_steps() computes the exact number.
    unsigned steps;
    gpu_caps caps; // capabilities that a device must have
    // Number of results that a thread computes in one step: 1, or 2 if the operation is packed or
    // mixed. For matrix tiles, it is the number of products of two scalars.
    unsigned results;
    // number of operations per result: 2 for fma, mad and tiles, 3 for dot, 8 for dot4, else 1
    unsigned arithmetic;
    // Numbers of chains and steps of the kernel for the whole chip. NULL if the operation has no
    // kernel for the whole chip.
    const struct incore_peak *peak;
};

// The operations, in the same order as the choices of the parameter `op`.
extern const struct incore_kind incore_kinds[];
extern const size_t incore_kind_count;

// Returns true if there is a barrier kernel whose workgroups have `threads` threads.
bool incore_has_barrier(uint64_t threads);

// Returns the class of the arithmetic units that compute this operation.
enum measure_class incore_kind_class(const struct incore_kind *kind);

// Returns the counts that hardware counters should show after subgroups executed `steps` steps.
// `chains` is the number of chains of each thread. A step of most operations is one instruction,
// two, or half of one. Operations with more instructions per step have no predicted counts.
struct measure_count_claims incore_kind_claims(const struct incore_kind *kind, uint32_t chains,
                                               double steps);

// Fills `words` with the values against which kernels check their results. Such a set of values is
// called a proof. It has the constants a and b and, for each chain, the first value and the value
// after `steps` steps. `words` has INCORE_SLOTS slots of two words (incore.h).
// If an API does not define an operation exactly, kernels must agree with the host only up to
// INCORE_TOLERANCE_…. Chains of such operations settle: after 1024 steps, x stays the same or
// alternates between two values. So the host computes at most 1025 steps of such chains.
void incore_kind_fill(const struct incore_kind *kind, uint64_t steps, uint32_t *words);

// ---------------------------------------------------------------- cases

enum {
    INCORE_SAMPLES_MAX = 16, // maximum number of samples of a case on one core
    // Maximum number of proofs in a batch. A proof is the set of values that kernels must compute;
    // it depends on the number of iterations. Dispatches have N or 2 N iterations, so a batch needs
    // at most two proofs.
    INCORE_PROOFS = 2,
    INCORE_PROOF_STRIDE = 1024 // bytes from one set of expected values to the next in their buffer
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
    // On one core: the number of chains of a thread, and the number of subgroups that compute. Both
    // are 0 on the whole chip.
    uint32_t chains, subgroups;
};
void incore_case_read(const struct bench_case *c, struct incore_case *this_case);

// Returns the number of steps that each chain does in one iteration of the loop, on one core. The
// iteration consists of blocks of up to INCORE_BLOCK steps. In a block, all chains do the same
// number of steps, and this number is even.
uint64_t incore_chain_steps(const struct incore_case *this_case);

// Returns true if there is a kernel for the operation and the number of chains of this case. Only
// common operations have kernels for numbers of chains that are not powers of two.
bool incore_has_kernel(const struct incore_case *this_case);

// ---------------------------------------------------------------- the session

struct incore_session {
    struct bench_session *bench;
    bool clocked; // true: kernels can read the core's counter and the device's clock
    // True if the core clock should be high after the last case on the whole chip. Then the samples
    // of this case lasted at least half as long as wanted, or its dispatches had the maximum number
    // of iterations (run_sized in chip.c).
    bool awake;
    uint32_t subgroup_threads;
    struct gpu_buffer *proofs, *stamps;
    // Memory of the host with expected values (proofs) that are copied to the device.
    struct gpu_buffer *upload;
    // Memory of the host for data that kernels wrote: first proofs with counts, then time stamps.
    struct gpu_buffer *readback;
};

enum {
    // Offset in bytes of the stamps in the readback buffer.
    INCORE_STAMPS_OFFSET = INCORE_PROOFS * INCORE_PROOF_STRIDE,
    INCORE_STAMPS_BYTES = INCORE_SAMPLES_MAX * INCORE_STAMPS * 8
};

// The parameters of a dispatch, in the order in which kernels read them.
struct incore_params {
#define MEMBER(name) uint32_t name;
    INCORE_PARAMS(MEMBER)
#undef MEMBER
};

MUST_CHECK bool incore_open(struct bench_session *bench, struct error *err);

// Returns the program that measures the case. Returns NULL with `err` on failure: ERROR_UNSUPPORTED
// if the device, or this build of fathom, cannot run the program.
struct gpu_program *incore_program(struct incore_session *session,
                                   const struct incore_case *this_case, struct error *err);

// The function `programs` of struct benchmark.
void incore_programs(struct bench_session *bench, const struct bench_case *c);

// Records a copy of `words` to the device, where `words` becomes proof number `proof`.
// `words` are expected values from incore_kind_fill. This function must be called before the
// dispatches that use the proof are recorded.
void incore_proof_record(struct incore_session *session, unsigned proof, const uint32_t *words,
                         struct gpu_batch *batch);

// Records a dispatch whose kernel compares its results with proof number `proof`.
// incore_proof_record must have recorded the copy of this proof. The function sets the arguments
// (args) of the dispatch.
void incore_dispatch(struct incore_session *session, struct gpu_batch *batch,
                     const struct gpu_dispatch *desc, unsigned proof);

// Records copies to the host of what kernels write: the counts in the proofs, and time stamps. Must
// be called after the dispatches are recorded.
void incore_results_record(struct incore_session *session, struct gpu_batch *batch);

struct incore_proven {
    uint32_t groups; // number of workgroups that ended
    bool separate;   // true: the device rounded fma twice, first the product and then the sum
};

// Reads the counts that the kernels of a finished batch left in proof number `proof`. Fails with
// ERROR_MISMATCH if the result of a thread differs from the host's result, or if a thread did too
// few steps.
MUST_CHECK bool incore_proof_check(const struct incore_session *session, unsigned proof,
                                   struct incore_proven *proven, struct error *err);

// ---------------------------------------------------------------- functions of struct benchmark

// incore_core_visit measures a case on one core, incore_chip_visit a case on the whole chip.
MUST_CHECK bool incore_core_visit(struct bench_visit *run, const struct incore_case *this_case,
                                  struct measure_visit *visit, struct error *err);
MUST_CHECK bool incore_chip_visit(struct bench_visit *run, const struct incore_case *this_case,
                                  struct measure_visit *visit, struct error *err);
void incore_conclude(struct run *run, const char *device);

#endif
