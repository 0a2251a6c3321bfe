// SPDX-License-Identifier: MIT
#include "bench/incore/session.h"

#include <stdio.h>
#include <string.h>

enum {
    NAME_BYTES = 64,
    HEAD_BYTES = INCORE_HEAD * 4,
    SLOT_BYTES = INCORE_SLOTS * 8,
    TILE_LANES = 32 // number of threads that compute a matrix tile together, except with wgmma
};

// ---------------------------------------------------------------- operations

#define BLOCKS(count)                   ((count)*INCORE_BLOCK)
#define SUBGROUP(name, operation, caps) name, INCORE_I32, operation, BLOCKS(1), caps, 1, 1, NULL
#define IN64                            GPU_CAP(FLOAT64)
#define IN16                            GPU_CAP(FLOAT16)

// The shapes of kernels for the whole chip: chains per thread, and a thread's steps in one
// iteration. These numbers must agree with kernels.txt and the kernels' sources.
static const struct incore_peak wide = {16, 1024}, narrow = {8, 1024};
static const struct incore_peak wmma = {4, 64}, mma = {8, 64}, wgmma = {1, 32};

// An operation of the matrix units multiplies two tiles. `products` is the number of products of
// two scalars, per thread and step. With wgmma, four subgroups of 32 threads compute a tile
// together.
#define TILES(name, format, peak, products)                                                        \
    name, INCORE_TILE, format, 0, GPU_CAP(MATRIX), products, 2, &(peak)

// The operations, in the order of the choices of the parameter `op`. The argument of BLOCKS() must
// agree with -DLENGTH in kernels.txt.
const struct incore_kind incore_kinds[] = {
    {"fp32-fma", INCORE_F32, INCORE_FMA, BLOCKS(8), 0, 1, 2, &narrow},
    {"fp32-add", INCORE_F32, INCORE_ADD, BLOCKS(8), 0, 1, 1, NULL},
    {"fp32-mul", INCORE_F32, INCORE_MUL, BLOCKS(8), 0, 1, 1, NULL},
    {"fp32-div", INCORE_F32, INCORE_DIV, BLOCKS(1), 0, 1, 1, NULL},
    {"fp32-sqrt", INCORE_F32, INCORE_SQRT, BLOCKS(1), 0, 1, 1, NULL},
    {"fp32-add-rcp", INCORE_F32, INCORE_RCP, BLOCKS(1), 0, 1, 1, NULL},
    {"fp32-rsqrt", INCORE_F32, INCORE_RSQRT, BLOCKS(1), 0, 1, 1, NULL},
    {"fp32-exp2", INCORE_F32, INCORE_EXP2, BLOCKS(1), 0, 1, 1, NULL},
    {"fp32-sin", INCORE_F32, INCORE_SIN, BLOCKS(1), 0, 1, 1, NULL},
    {"fp64-fma", INCORE_F64, INCORE_FMA, BLOCKS(4), IN64, 1, 2, &wide},
    {"fp64-add", INCORE_F64, INCORE_ADD, BLOCKS(4), IN64, 1, 1, NULL},
    {"fp64-mul", INCORE_F64, INCORE_MUL, BLOCKS(4), IN64, 1, 1, NULL},
    {"fp64-div", INCORE_F64, INCORE_DIV, BLOCKS(1), IN64, 1, 1, NULL},
    {"fp64-sqrt", INCORE_F64, INCORE_SQRT, BLOCKS(1), IN64, 1, 1, NULL},
    {TILES("fp16-matrix", INCORE_TILE_F16, wmma, 16 * 16 * 16 / 32)},
    {TILES("fp16-mma", INCORE_TILE_F16, mma, 16 * 8 * 16 / 32)},
    {TILES("bf16-mma", INCORE_TILE_BF16, mma, 16 * 8 * 16 / 32)},
    {TILES("e4m3-mma", INCORE_TILE_E4M3, mma, 16 * 8 * 32 / 32)},
    {TILES("fp16-wgmma", INCORE_TILE_F16, wgmma, 64 * 256 * 16 / 128)},
    {TILES("bf16-wgmma", INCORE_TILE_BF16, wgmma, 64 * 256 * 16 / 128)},
    {TILES("fp8-wgmma", INCORE_TILE_E4M3, wgmma, 64 * 256 * 32 / 128)},
    {"fp16-fma", INCORE_F16, INCORE_FMA, BLOCKS(8), IN16, 1, 2, NULL},
    {"fp16x2-fma", INCORE_F16X2, INCORE_FMA, BLOCKS(8), IN16, 2, 2, &wide},
    {"fp16x2-dot", INCORE_F16X2, INCORE_DOT, BLOCKS(4), IN16, 1, 3, NULL},
    {"int8-dot4", INCORE_I32, INCORE_DOT4, BLOCKS(4), GPU_CAP(DOT4), 1, 8, &wide},
    {"fp32-int32-mixed", INCORE_F32, INCORE_MIXED, BLOCKS(4), 0, 2, 1, NULL},
    {"int32-add", INCORE_I32, INCORE_ADD, BLOCKS(8), 0, 1, 1, NULL},
    {"int32-mul", INCORE_I32, INCORE_MUL, BLOCKS(4), 0, 1, 1, NULL},
    {"int32-mad", INCORE_I32, INCORE_MAD, BLOCKS(4), 0, 1, 2, &wide},
    {"int32-div", INCORE_I32, INCORE_DIV, BLOCKS(1), 0, 1, 1, NULL},
    {"int32-shift", INCORE_I32, INCORE_SHIFT, BLOCKS(4), 0, 1, 1, NULL},
    {"int32-popcount", INCORE_I32, INCORE_POPCOUNT, BLOCKS(1), 0, 1, 1, NULL},
    {"int64-add", INCORE_I64, INCORE_ADD, BLOCKS(1), GPU_CAP(INT64), 1, 1, NULL},
    {"int64-mul", INCORE_I64, INCORE_MUL, BLOCKS(1), GPU_CAP(INT64), 1, 1, NULL},
    {SUBGROUP("subgroup-shuffle", INCORE_SHUFFLE, GPU_CAP(SUBGROUPS) | GPU_CAP(SHUFFLE))},
    {SUBGROUP("subgroup-vote", INCORE_VOTE, GPU_CAP(SUBGROUPS))},
    {SUBGROUP("subgroup-min", INCORE_LEAST, GPU_CAP(SUBGROUPS))},
    {"barrier", INCORE_I32, INCORE_BARRIER, BLOCKS(1), 0, 1, 1, NULL},
};
const size_t incore_kind_count = COUNT(incore_kinds);

bool incore_has_barrier(uint64_t threads)
{
    // the sizes of workgroups for which kernels.txt has a barrier kernel
    return threads == 32 || threads == 256 || threads == 1024;
}

// Additions and products of floats run in the same units as fma, so their class is the same.
enum measure_class incore_kind_class(const struct incore_kind *kind)
{
    bool simple = kind->operation <= INCORE_MUL;
    switch (kind->number) {
    case INCORE_F32:
        return simple ? MEASURE_FP32 : MEASURE_OTHER;
    case INCORE_F64:
        return simple ? MEASURE_FP64 : MEASURE_OTHER;
    case INCORE_F16:
    case INCORE_F16X2:
        return simple ? MEASURE_FP16 : MEASURE_OTHER;
    case INCORE_I32:
        return kind->operation == INCORE_MAD ? MEASURE_INT32_MAD : MEASURE_OTHER;
    case INCORE_TILE:
        return kind->operation == INCORE_TILE_E4M3 ? MEASURE_FP8_MATRIX : MEASURE_FP16_MATRIX;
    default:
        return MEASURE_OTHER;
    }
}

// Predicts NVIDIA's count for operations with one counted instruction per step. NVIDIA runs integer
// multiplications in the FP32 units, and shuffles in the units for loads and stores.
static void claim_other(const struct incore_kind *kind, double steps,
                        struct measure_count_claims *claims)
{
    bool is_int32 = kind->number == INCORE_I32;
    if (kind->operation == INCORE_MIXED)
        claims->of[GPU_COUNTER_INSTRUCTIONS_FP32] = steps;
    else if (is_int32 && (kind->operation == INCORE_MUL || kind->operation == INCORE_DOT4))
        claims->of[GPU_COUNTER_INSTRUCTIONS_FMA] = steps;
    else if (is_int32 && kind->operation == INCORE_SHIFT)
        claims->of[GPU_COUNTER_INSTRUCTIONS_INT] = steps;
    else if (kind->operation == INCORE_SHUFFLE)
        claims->of[GPU_COUNTER_INSTRUCTIONS_MEMORY] = steps;
}

struct measure_count_claims incore_kind_claims(const struct incore_kind *kind, uint32_t chains,
                                               double steps)
{
    // number of products of two scalars in one matrix instruction, on NVIDIA
    static const double products = 16 * 8 * 16;
    struct measure_count_claims claims = measure_count_no_claims;
    switch (incore_kind_class(kind)) {
    case MEASURE_FP32:
        claims.of[GPU_COUNTER_INSTRUCTIONS_FP32] = steps;
        break;
    case MEASURE_FP64:
        claims.of[GPU_COUNTER_INSTRUCTIONS_FP64] = steps;
        break;
    case MEASURE_FP16:
        // NVIDIA's compiler merges the steps of two chains of f16 numbers into one instruction.
        claims.of[GPU_COUNTER_INSTRUCTIONS_FP16] =
            kind->number == INCORE_F16 && chains % 2 == 0 ? steps / 2 : steps;
        break;
    case MEASURE_INT32_MAD:
        claims.of[GPU_COUNTER_INSTRUCTIONS_FMA] = steps;
        break;
    case MEASURE_FP16_MATRIX:
    case MEASURE_FP8_MATRIX:
        // With wgmma, each subgroup executes one instruction per step. With mma.sync, 8-bit floats
        // get no predicted count, because some GPUs execute several 16-bit instructions instead.
        if (kind->peak == &wgmma)
            claims.of[GPU_COUNTER_INSTRUCTIONS_MATRIX] = steps;
        else if (kind->operation != INCORE_TILE_E4M3)
            claims.of[GPU_COUNTER_INSTRUCTIONS_MATRIX] =
                steps * TILE_LANES * kind->results / products;
        break;
    case MEASURE_OTHER:
        claim_other(kind, steps, &claims);
        break;
    case MEASURE_CLASS_COUNT:
        break;
    }
    return claims;
}

// Returns true if the case needs a kernel for a number of chains that is no power of two (option
// -DODD).
static bool needs_odd(const struct incore_case *this_case)
{
    return (this_case->chains & (this_case->chains - 1)) != 0;
}

void incore_case_read(const struct bench_case *c, struct incore_case *this_case)
{
    *this_case = (struct incore_case){
        .kind = &incore_kinds[case_choice(c, "op")],
        .chip = case_choice(c, "scope") == 1,
    };
    if (this_case->chip)
        return;
    this_case->chains = (uint32_t)case_uint(c, "ilp");
    this_case->subgroups = (uint32_t)case_uint(c, "subgroups");
}

// Sets `name` to the name of the operation's kernel, with the ending `suffix`.
static void kernel_name(const struct incore_kind *kind, const char *suffix, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "incore_%s%s", kind->name, suffix);
    for (char *at = name; (at = strchr(at, '-'));)
        *at = '_';
}

// ---------------------------------------------------------------- chains

uint64_t incore_chain_steps(const struct incore_case *this_case)
{
    uint64_t blocks = this_case->kind->steps / INCORE_BLOCK;
    return blocks * 2 * (INCORE_BLOCK / 2 / this_case->chains);
}

bool incore_has_kernel(const struct incore_case *this_case)
{
    char name[NAME_BYTES];
    if (!needs_odd(this_case))
        return true;
    kernel_name(this_case->kind, "_odd", name);
    return this_case->kind->operation != INCORE_BARRIER && kernel_find(name);
}

// ---------------------------------------------------------------- programs

static bool name_kernel(const struct incore_session *session, const struct incore_case *this_case,
                        char name[NAME_BYTES], struct error *err)
{
    const struct incore_kind *kind = this_case->kind;
    unsigned threads = this_case->subgroups * session->subgroup_threads;
    char size[16];
    if (this_case->chip) {
        kernel_name(kind, "_peak", name);
    } else if (kind->operation == INCORE_BARRIER) {
        snprintf(size, sizeof size, "_%u", threads);
        kernel_name(kind, size, name);
        return incore_has_barrier(threads) ||
               error_set(
                   err, ERROR_UNSUPPORTED,
                   "there is no barrier kernel for %u threads: there are ones for 32, 256 and 1024",
                   threads);
    } else {
        kernel_name(kind, needs_odd(this_case) ? "_odd" : "", name);
        return incore_has_kernel(this_case) ||
               error_set(err, ERROR_UNSUPPORTED,
                         "%s has kernels of 1, 2, 4 and 8 chains only, not of %u", kind->name,
                         this_case->chains);
    }
    return true;
}

static bool device_can(const struct incore_session *session, const struct incore_case *this_case,
                       struct error *err)
{
    const struct gpu_info *info = session->bench->info;
    gpu_caps needed = this_case->kind->caps;
    // A Vulkan kernel for one core must read both clocks; an OpenCL C kernel may lack them.
    if (!this_case->chip && strcmp(info->api, "vulkan") == 0)
        needed |= GPU_CAP(CORE_CLOCK) | GPU_CAP(DEVICE_CLOCK);
    if (!gpu_require(info, needed, err))
        return false;
    if (this_case->kind->caps & GPU_CAP(SUBGROUPS) && strcmp(info->api, "opencl") == 0)
        return error_set(err, ERROR_UNSUPPORTED, "OpenCL C 1.2 has no subgroup functions");
    return true;
}

// Requests the subgroup size that a case on one core assumes (session->subgroup_threads), because a
// driver with several sizes may choose another one. Fails with ERROR_UNSUPPORTED if the device has
// several sizes, and a program cannot choose.
static bool choose_subgroup(const struct incore_session *session,
                            const struct incore_case *this_case, struct gpu_program_desc *choices,
                            struct error *err)
{
    const struct gpu_info *info = session->bench->info;
    const struct gpu_limits *limits = &info->limits;
    if (this_case->chip || limits->subgroup_threads_min >= limits->subgroup_threads_max)
        return true;
    choices->subgroup_threads = session->subgroup_threads;
    return info->caps & GPU_CAP(SUBGROUP_CHOICE) ||
           error_set(err, ERROR_UNSUPPORTED,
                     "%s has subgroups of %llu to %llu threads, and its driver does not let a "
                     "program choose: the size that runs is not known",
                     info->id, (unsigned long long)limits->subgroup_threads_min,
                     (unsigned long long)limits->subgroup_threads_max);
}

struct gpu_program *incore_program(struct incore_session *session,
                                   const struct incore_case *this_case, struct error *err)
{
    char name[NAME_BYTES];
    struct gpu_program_desc choices = {0};
    if (!device_can(session, this_case, err) || !name_kernel(session, this_case, name, err) ||
        !choose_subgroup(session, this_case, &choices, err))
        return NULL;
    const struct gpu_kernel *kernel = kernel_find(name);
    if (kernel && this_case->kind->number == INCORE_TILE && !kernel->spirv &&
        strcmp(session->bench->info->api, "cuda") != 0) {
        error_set(err, ERROR_UNSUPPORTED, "%s is a PTX instruction: only CUDA has it",
                  this_case->kind->name);
        return NULL;
    }
    return measure_program(&session->bench->programs, name, &choices, err);
}

void incore_programs(struct bench_session *bench, const struct bench_case *c)
{
    struct incore_case this_case;
    struct error unused;
    incore_case_read(c, &this_case);
    (void)incore_program(bench->state, &this_case, &unused);
}

// ---------------------------------------------------------------- buffers

bool incore_open(struct bench_session *bench, struct error *err)
{
    const uint64_t proofs = INCORE_STAMPS_OFFSET, stamps = INCORE_STAMPS_BYTES;
    struct incore_session *session = ARENA_NEW(bench->arena, struct incore_session);
    session->bench = bench;
    bench->state = session;
    if (!bench_clock_probe(bench, err))
        return false;
    session->clocked = bench->clock.has_counter && bench->clock.has_device_clock;
    // On a device without subgroups, each thread is a subgroup.
    session->subgroup_threads = (uint32_t)bench->info->limits.subgroup_threads;
    if (session->subgroup_threads == 0)
        session->subgroup_threads = 1;
    return (session->proofs = bench_buffer(bench->scope, proofs, GPU_MEMORY_DEVICE, err)) &&
           (session->stamps = bench_buffer(bench->scope, stamps, GPU_MEMORY_DEVICE, err)) &&
           (session->upload = bench_buffer(bench->scope, proofs, GPU_MEMORY_UPLOAD, err)) &&
           (session->readback =
                bench_buffer(bench->scope, proofs + stamps, GPU_MEMORY_READBACK, err));
}

// ---------------------------------------------------------------- the proof

void incore_proof_record(struct incore_session *session, unsigned proof, const uint32_t *words,
                         struct gpu_batch *batch)
{
    uint64_t offset = (uint64_t)proof * INCORE_PROOF_STRIDE;
    char *map = (char *)gpu_buffer_map(session->upload) + offset;
    memset(map, 0, HEAD_BYTES);
    memcpy(map + HEAD_BYTES, words, SLOT_BYTES);
    gpu_batch_copy(batch, session->proofs, offset, session->upload, offset,
                   HEAD_BYTES + SLOT_BYTES);
}

void incore_dispatch(struct incore_session *session, struct gpu_batch *batch,
                     const struct gpu_dispatch *desc, unsigned proof)
{
    struct gpu_dispatch dispatch = *desc;
    dispatch.args[0] = (struct gpu_arg){.buffer = session->proofs,
                                        .offset = (uint64_t)proof * INCORE_PROOF_STRIDE,
                                        .bytes = HEAD_BYTES + SLOT_BYTES};
    dispatch.args[1] = (struct gpu_arg){.buffer = session->stamps};
    gpu_batch_dispatch(batch, &dispatch);
}

void incore_results_record(struct incore_session *session, struct gpu_batch *batch)
{
    gpu_batch_copy(batch, session->readback, 0, session->proofs, 0, INCORE_STAMPS_OFFSET);
    gpu_batch_copy(batch, session->readback, INCORE_STAMPS_OFFSET, session->stamps, 0,
                   INCORE_STAMPS_BYTES);
}

bool incore_proof_check(const struct incore_session *session, unsigned proof,
                        struct incore_proven *proven, struct error *err)
{
    uint32_t head[INCORE_HEAD];
    const char *map = gpu_buffer_map(session->readback);
    memcpy(head, map + (size_t)proof * INCORE_PROOF_STRIDE, sizeof head);
    *proven = (struct incore_proven){head[INCORE_GROUPS], head[INCORE_SEPARATE] != 0};
    return head[INCORE_WRONG] == 0 ||
           error_set(err, ERROR_MISMATCH,
                     "%u threads have another result than the host, or ran fewer steps",
                     head[INCORE_WRONG]);
}
