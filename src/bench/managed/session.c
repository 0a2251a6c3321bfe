// SPDX-License-Identifier: MIT
#include "bench/managed/session.h"

#include "base/host_memory.h"
#include "measure/unit.h"

#include <inttypes.h>
#include <string.h>

enum {
    // Maximum workgroups of the kernels `fill` and `check`, whose threads loop over the arrays.
    GROUPS_MAX = 4096,
    HOST_CHECKS = 64 // number of elements of array a that the host checks
};
static const uint64_t wait_ns = UINT64_C(60000000000);

// ---------------------------------------------------------------- the session

void managed_case_read(const struct bench_case *c, struct managed_case *this_case)
{
    static const enum gpu_managed_advice advices[] = {
        0, GPU_MANAGED_PREFER_DEVICE, GPU_MANAGED_PREFER_HOST, GPU_MANAGED_READ_MOSTLY};
    unsigned advise = case_choice(c, "advise");
    *this_case = (struct managed_case){
        .host_touch = case_choice(c, "touch") == 0,
        .prefetch = case_choice(c, "pages") == 1,
        .advised = advise > 0,
        .advice = advices[advise],
        .bytes = case_uint(c, "bytes"),
    };
}

bool managed_open(struct bench_session *bench, struct error *err)
{
    struct managed_session *session = ARENA_NEW(bench->arena, struct managed_session);
    session->bench = bench;
    bench->state = session;
    return (session->fill = measure_program(&bench->programs, "managed_fill", NULL, err)) &&
           (session->check = measure_program(&bench->programs, "managed_check", NULL, err)) &&
           (session->triad = measure_program(&bench->programs, "managed_triad", NULL, err)) &&
           (session->right =
                bench_buffer(bench->scope, MANAGED_ELEMENT_BYTES, GPU_MEMORY_DEVICE, err)) &&
           (session->passes =
                bench_buffer(bench->scope, MANAGED_ELEMENT_BYTES, GPU_MEMORY_DEVICE, err)) &&
           bench_stamps_probe(bench, err);
}

// ---------------------------------------------------------------- memory

static bool check_room(const struct managed_arrays *arrays, const struct managed_case *this_case,
                       struct error *err)
{
    uint64_t left = 0, host = host_memory_available_bytes(NULL);
    if (!gpu_managed_free_bytes(arrays->session->bench->device, &left, err))
        return false;
    if (this_case->bytes > left / 10 * 9)
        return error_set(err, ERROR_OUT_OF_MEMORY,
                         "%llu MiB of managed memory: the device has %llu MiB free, and more than "
                         "nine tenths of that is never asked for, because managed memory that "
                         "does not fit can hang a GPU for all who use it",
                         (unsigned long long)this_case->bytes >> 20,
                         (unsigned long long)left >> 20);
    bool is_on_host = this_case->host_touch ||
                      (this_case->advised && this_case->advice == GPU_MANAGED_PREFER_HOST);
    return !is_on_host || host == 0 || this_case->bytes <= host / 2 ||
           error_set(err, ERROR_OUT_OF_MEMORY,
                     "%llu MiB of managed memory: the host has %llu MiB free",
                     (unsigned long long)this_case->bytes >> 20, (unsigned long long)host >> 20);
}

bool managed_arrays_make(struct managed_arrays *arrays, const struct managed_case *this_case,
                         struct error *err)
{
    if (!check_room(arrays, this_case, err))
        return false;
    arrays->pairs = (uint32_t)(this_case->bytes / MANAGED_ARRAYS / MANAGED_ELEMENT_BYTES);
    arrays->bytes = (uint64_t)arrays->pairs * MANAGED_ELEMENT_BYTES;
    arrays->seed = arrays->session->visits++ * UINT32_C(0x10001);
    const struct gpu_buffer_desc desc = {.bytes = arrays->bytes, .memory = GPU_MEMORY_MANAGED};
    for (int i = 0; i < MANAGED_ARRAYS; i++) {
        // Array a (number 0) does not get the advice "mostly read", because every pass writes it.
        bool advised =
            this_case->advised && (i > 0 || this_case->advice != GPU_MANAGED_READ_MOSTLY);
        arrays->at[i] = gpu_buffer_create(arrays->scope, &desc, err);
        if (!arrays->at[i] ||
            (advised && !gpu_managed_advise(arrays->at[i], this_case->advice, err)))
            return false;
    }
    return true;
}

// ---------------------------------------------------------------- first touch

// Returns an element of array b or c (`mix`). `i` is the visit's seed plus the element's index.
static double number_of(uint32_t i, uint32_t mix)
{
    uint64_t bits = (uint64_t)(MANAGED_EXPONENT | i * mix >> 12) << 32;
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static void touch_by_host(struct managed_arrays *arrays)
{
    double *to[MANAGED_ARRAYS];
    for (int k = 0; k < MANAGED_ARRAYS; k++)
        to[k] = gpu_buffer_map(arrays->at[k]);
    for (uint64_t i = 0; i < UINT64_C(2) * arrays->pairs; i++) {
        uint32_t value = arrays->seed + (uint32_t)i; // the sum wraps at 32 bits, as in the kernels
        to[0][i] = 0;
        to[1][i] = number_of(value, MANAGED_MIX_B);
        to[2][i] = number_of(value, MANAGED_MIX_C);
    }
}

static uint32_t looping_groups(const struct managed_arrays *arrays)
{
    uint32_t groups = (arrays->pairs + MANAGED_THREADS - 1) / MANAGED_THREADS;
    return groups < GROUPS_MAX ? groups : GROUPS_MAX;
}

bool managed_arrays_touch(struct managed_arrays *arrays, bool by_host, struct error *err)
{
    const struct managed_params params = {.count = arrays->pairs, .seed = arrays->seed};
    const struct gpu_dispatch dispatch = {
        .program = arrays->session->fill,
        .groups = {looping_groups(arrays)},
        .args = {{.buffer = arrays->at[0]}, {.buffer = arrays->at[1]}, {.buffer = arrays->at[2]}},
        .params = &params,
        .params_bytes = sizeof params,
    };
    if (!by_host)
        return measure_unit_run(arrays->session->bench->device, &dispatch, wait_ns, err);
    touch_by_host(arrays);
    return true;
}

// ---------------------------------------------------------------- triad and proof

void managed_arrays_record(const struct managed_arrays *arrays, double factor,
                           struct gpu_batch *batch)
{
    const struct managed_params params = {factor, arrays->pairs, arrays->seed};
    struct gpu_dispatch dispatch = {
        .program = arrays->session->triad,
        .args = {{.buffer = arrays->at[0]},
                 {.buffer = arrays->at[1]},
                 {.buffer = arrays->at[2]},
                 {.buffer = arrays->session->passes}},
        .params = &params,
        .params_bytes = sizeof params,
    };
    measure_unit_grid((arrays->pairs + MANAGED_THREADS - 1) / MANAGED_THREADS,
                      arrays->session->bench->info->limits.workgroup_count_x, dispatch.groups);
    gpu_batch_dispatch(batch, &dispatch);
}

bool managed_arrays_check_host(const struct managed_arrays *arrays, double factor,
                               struct error *err)
{
    const double *sums = gpu_buffer_map(arrays->at[0]);
    for (uint32_t k = 0; k < HOST_CHECKS; k++) {
        uint64_t i = (UINT64_C(2) * arrays->pairs - 1) * k / (HOST_CHECKS - 1);
        uint32_t value = arrays->seed + (uint32_t)i;
        double wanted = number_of(value, MANAGED_MIX_B) + factor * number_of(value, MANAGED_MIX_C);
        if (sums[i] != wanted)
            return error_set(err, ERROR_MISMATCH,
                             "the host sees %.17g as sum %" PRIu64 ", not %.17g", sums[i], i,
                             wanted);
    }
    return true;
}

bool managed_arrays_check_device(struct managed_arrays *arrays, double factor, struct error *err)
{
    const struct managed_params params = {factor, arrays->pairs, arrays->seed};
    struct gpu_buffer *right = arrays->session->right;
    uint32_t seen = 0;
    const struct gpu_dispatch dispatch = {
        .program = arrays->session->check,
        .groups = {looping_groups(arrays)},
        .args = {{.buffer = arrays->at[0]}, {.buffer = right}},
        .params = &params,
        .params_bytes = sizeof params,
    };
    if (!gpu_buffer_write(right, 0, &seen, sizeof seen, err) ||
        !measure_unit_run(arrays->session->bench->device, &dispatch, wait_ns, err) ||
        !gpu_buffer_read(right, 0, &seen, sizeof seen, err))
        return false;
    return seen == arrays->pairs ||
           error_set(err, ERROR_MISMATCH, "%u of %u pairs of sums are wrong", arrays->pairs - seen,
                     arrays->pairs);
}
