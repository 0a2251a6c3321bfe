// SPDX-License-Identifier: MIT
#include "bench/incore/session.h"

#include <stdio.h>
#include <string.h>

enum {
    NAME_BYTES = 64,
    HEAD_BYTES = INCORE_HEAD * 4,
    SLOT_BYTES = INCORE_SLOTS * 8
};

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

// ---------------------------------------------------------------- programs

// The kernels in SPIR-V read clocks; those in OpenCL C do where there are some.
static gpu_caps clock_caps(const struct incore_session *session)
{
    bool spirv = strcmp(session->bench->info->api, "vulkan") == 0;
    return spirv ? GPU_CAP(CORE_CLOCK) | GPU_CAP(DEVICE_CLOCK) : 0;
}

static bool name_kernel(const struct incore_session *session, const struct incore_case *this_case,
                        char name[NAME_BYTES], struct error *err)
{
    const struct incore_kind *kind = this_case->kind;
    unsigned threads = this_case->subgroups * session->subgroup_threads;
    if (this_case->chip) {
        snprintf(name, NAME_BYTES, "%s_peak", kind->kernel);
    } else if (kind->operation == INCORE_BARRIER) {
        snprintf(name, NAME_BYTES, "%s_%u", kind->kernel, threads);
        return incore_barrier_kernel(threads) >= 0 ||
               error_set(err, ERROR_UNSUPPORTED,
                         "no barrier of %u threads: there are kernels of 32, 256 and 1024",
                         threads);
    } else {
        snprintf(name, NAME_BYTES, "%s", kind->kernel);
    }
    return true;
}

static bool device_can(const struct incore_session *session, const struct incore_case *this_case,
                       struct error *err)
{
    const struct gpu_info *info = session->bench->info;
    if (!gpu_require(info, this_case->kind->caps | (this_case->chip ? 0 : clock_caps(session)),
                     err))
        return false;
    if (info->limits.workgroup_threads && info->limits.workgroup_threads < INCORE_THREADS)
        return error_set(err, ERROR_UNSUPPORTED,
                         "a workgroup here has at most %llu threads, not %d",
                         (unsigned long long)info->limits.workgroup_threads, INCORE_THREADS);
    if (this_case->kind->caps & GPU_CAP(SUBGROUPS) && strcmp(info->api, "opencl") == 0)
        return error_set(err, ERROR_UNSUPPORTED, "OpenCL C 1.2 has no functions of subgroups");
    return true;
}

struct gpu_program *incore_program(struct incore_session *session,
                                   const struct incore_case *this_case, struct error *err)
{
    char name[NAME_BYTES];
    if (!device_can(session, this_case, err) || !name_kernel(session, this_case, name, err))
        return NULL;
    const struct gpu_kernel *kernel = kernel_find(name);
    if (kernel && this_case->kind->number == INCORE_TILE && !kernel->spirv &&
        strcmp(session->bench->info->api, "cuda") != 0) {
        error_set(err, ERROR_UNSUPPORTED, "%s is an instruction of PTX: only CUDA has it",
                  this_case->kind->name);
        return NULL;
    }
    return measure_program(&session->bench->programs, name, NULL, err);
}

// ---------------------------------------------------------------- buffers

static bool make_buffer(struct incore_session *session, struct gpu_buffer **buffer, uint64_t bytes,
                        enum gpu_memory memory, struct error *err)
{
    const struct gpu_buffer_desc desc = {.bytes = bytes, .memory = memory};
    *buffer = gpu_buffer_create(session->bench->scope, &desc, err);
    return *buffer != NULL;
}

bool incore_open(struct bench_session *bench, struct error *err)
{
    struct incore_session *session = ARENA_NEW(bench->arena, struct incore_session);
    const uint64_t proof_bytes = INCORE_STAMPS_OFFSET;
    session->bench = bench;
    bench->state = session;
    measure_limits_of(bench->info, &session->limits);
    session->core_hz_most = session->limits.core_clock_hz;
    if (!measure_clock_probe(bench->scope, &session->clock, err))
        return false;
    session->clocked = session->clock.has_counter && session->clock.has_device_clock;
    // Without subgroups each thread is one of its own.
    session->subgroup_threads = (uint32_t)bench->info->limits.subgroup_threads;
    if (session->subgroup_threads == 0)
        session->subgroup_threads = 1;
    return make_buffer(session, &session->proofs, proof_bytes, GPU_MEMORY_DEVICE, err) &&
           make_buffer(session, &session->stamps, INCORE_STAMPS_BYTES, GPU_MEMORY_DEVICE, err) &&
           make_buffer(session, &session->upload, proof_bytes, GPU_MEMORY_UPLOAD, err) &&
           make_buffer(session, &session->readback, INCORE_STAMPS_OFFSET + INCORE_STAMPS_BYTES,
                       GPU_MEMORY_READBACK, err);
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
                     "%u threads computed something else than the host, or not as often",
                     head[INCORE_WRONG]);
}
