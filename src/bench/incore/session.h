// SPDX-License-Identifier: MIT
// The operations, the cases, what the cases of a session share, and the proof of the results.
#ifndef BENCH_INCORE_SESSION_H
#define BENCH_INCORE_SESSION_H

#include "bench/bench.h"
#include "bench/incore/incore.h"
#include "measure/claim.h"

// ---------------------------------------------------------------- operations

// The form of the kernel for the whole chip that was fastest on an H200 (METHOD.md).
struct incore_peak {
    unsigned chains; // chains per thread
    unsigned steps;  // steps of all chains of a thread in one iteration of the loop
};

struct incore_kind {
    const char *name;   // "fp32-fma"
    const char *kernel; // for one core; the kernel for the whole chip has "_peak" appended
    unsigned number;    // type: INCORE_F32 …
    unsigned operation; // INCORE_FMA …; if the type is INCORE_TILE: INCORE_TILE_F16 …
    unsigned steps; // steps of a thread in one iteration, on one core; 0: no kernel for one core
    gpu_caps caps;  // capabilities that a device must have
    // Results of a thread in one step: 1, or 2 if packed or mixed; tiles: number of products.
    unsigned results;
    unsigned arithmetic; // operations in a result: 2 for fma, mad and tiles, 3 for dot, 8 for dot4
    const struct incore_peak *peak; // NULL: no kernel for the whole chip
};

extern const struct incore_kind incore_kinds[]; // in the order of the choices of `op`
extern const size_t incore_kind_count;

// Returns the number (0, 1 …) of the barrier kernel for workgroups of `threads` threads; −1 if no
// kernel has that size.
int incore_barrier_kernel(unsigned threads);

// Returns the class of the arithmetic units that compute the operation.
enum measure_class incore_kind_class(const struct incore_kind *kind);

// Returns what hardware counters should count for so many steps of subgroups: each is one
// instruction, or for some tiles two. Nothing is claimed for operations of several instructions.
struct measure_count_claims incore_kind_claims(const struct incore_kind *kind, double steps);

// Fills the slots of a proof (INCORE_SLOTS of two words each): the constants a and b, the begin of
// each chain, and its end after `steps` steps of that chain, by the host's arithmetic. Functions
// that an API leaves inexact have the host's precision. Their chains settle within 1024 steps, so
// no more are computed.
void incore_kind_fill(const struct incore_kind *kind, uint64_t steps, uint32_t *words);

// ---------------------------------------------------------------- cases

enum {
    INCORE_SAMPLES_MAX = 16, // samples of a visit on one core
    INCORE_PROOFS = 2, // a batch has dispatches of at most two lengths, each with its own proof
    INCORE_PROOF_STRIDE = 1024 // bytes from one proof to the next
};

enum incore_metric {
    INCORE_METRIC_CYCLES,
    INCORE_METRIC_PER_CORE,
    INCORE_METRIC_TIME,
    INCORE_METRIC_RATE
};

struct incore_case {
    const struct incore_kind *kind;
    bool chip;                  // the whole chip; false: one core
    uint32_t chains, subgroups; // chains of a thread, and subgroups, on one core
};
void incore_case_read(const struct bench_case *c, struct incore_case *this_case);

// Returns the steps of each chain in one iteration of the loop: the steps of kind->steps that make
// whole rounds of two steps a chain.
uint64_t incore_chain_steps(const struct incore_case *this_case);

// Returns false if the operation has no kernel with that number of chains. Only common operations
// have numbers that are not powers of two.
bool incore_has_kernel(const struct incore_case *this_case);

// ---------------------------------------------------------------- the session

struct incore_session {
    struct bench_session *bench;
    bool clocked; // kernels read the core's counter and the device's clock
    bool awake;   // the last case of the whole chip had long enough samples
    uint32_t subgroup_threads;
    struct gpu_buffer *proofs, *stamps;
    struct gpu_buffer *upload;   // proofs
    struct gpu_buffer *readback; // proofs, then stamps
};

enum {
    // Where stamps begin in the readback buffer.
    INCORE_STAMPS_OFFSET = INCORE_PROOFS * INCORE_PROOF_STRIDE,
    INCORE_STAMPS_BYTES = INCORE_SAMPLES_MAX * INCORE_STAMPS * 8
};

// The parameters of a dispatch, as the kernels have them.
struct incore_params {
#define MEMBER(name) uint32_t name;
    INCORE_PARAMS(MEMBER)
#undef MEMBER
};

MUST_CHECK bool incore_open(struct bench_session *bench, struct error *err);

// Returns the program of the case; NULL with `err`, which is ERROR_UNSUPPORTED if the device or
// this build cannot run the case.
struct gpu_program *incore_program(struct incore_session *session,
                                   const struct incore_case *this_case, struct error *err);

// Records the copy of `words` (from incore_kind_fill) into proof number `proof` on the device. Call
// it before the dispatches.
void incore_proof_record(struct incore_session *session, unsigned proof, const uint32_t *words,
                         struct gpu_batch *batch);

// Records a dispatch that compares its results with that proof. `desc` needs no args.
void incore_dispatch(struct incore_session *session, struct gpu_batch *batch,
                     const struct gpu_dispatch *desc, unsigned proof);

// Records the copies of proofs and stamps back to the host. Call it after the dispatches.
void incore_results_record(struct incore_session *session, struct gpu_batch *batch);

struct incore_proven {
    uint32_t groups; // workgroups that ended
    bool separate;   // an fma rounded twice: its product, then its sum
};

// Reads a proof after its batch has run. Fails with ERROR_MISMATCH if a thread has another result
// than the host.
MUST_CHECK bool incore_proof_check(const struct incore_session *session, unsigned proof,
                                   struct incore_proven *proven, struct error *err);

// ---------------------------------------------------------------- functions of struct benchmark

// incore_core_visit visits a case on one core, incore_chip_visit a case on the whole chip.
MUST_CHECK bool incore_core_visit(struct bench_visit *run, const struct incore_case *this_case,
                                  struct measure_visit *visit, struct error *err);
MUST_CHECK bool incore_chip_visit(struct bench_visit *run, const struct incore_case *this_case,
                                  struct measure_visit *visit, struct error *err);
void incore_conclude(struct run *run, const char *device);

#endif
