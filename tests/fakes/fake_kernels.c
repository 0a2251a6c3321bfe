// SPDX-License-Identifier: MIT
// The kernels of the fake GPU, computed in C, and their times on a GPU with a cache of 32 KiB.
#include "fakes/fake.h"
#include "gpu/kernels.h"

#include <string.h>

static const struct gpu_kernel fake_sum = {
    .name = "fake_sum",
    .source = "fake_sum.c",
    .workgroup = {64, 1, 1},
    .args = {GPU_ARG_BUFFER, GPU_ARG_BUFFER},
    .arg_count = 2,
    .entry = "fake_sum",
    .hash = 0x5u,
};
static const struct gpu_kernel fake_chase = {
    .name = "fake_chase",
    .source = "fake_chase.c",
    .workgroup = {1, 1, 1},
    .args = {GPU_ARG_BUFFER, GPU_ARG_BUFFER},
    .arg_count = 2,
    .entry = "fake_chase",
    .hash = 0x6u,
};
const struct gpu_kernel *const kernels[] = {&fake_sum, &fake_chase, NULL};

static const uint32_t *words(const struct gpu_arg *arg)
{
    return (const uint32_t *)arg->buffer->mapped + arg->offset / sizeof(uint32_t);
}

// params: number of words. Stores their sum in out[0].
static double run_sum(const struct gpu_dispatch *dispatch, const uint32_t *params, uint32_t *out)
{
    const uint32_t *in = words(&dispatch->args[0]);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < params[0]; i++)
        sum += in[i];
    out[0] = sum;
    double bytes = params[0] * 4.0;
    return bytes / (bytes <= 32768 ? 1000.0 : 250.0); // B/ns
}

// params: number of hops. Stores in out[0] the place that they reach from 0.
static double run_chase(const struct gpu_dispatch *dispatch, const uint32_t *params, uint32_t *out)
{
    const uint32_t *next = words(&dispatch->args[0]);
    uint32_t at = 0;
    for (uint32_t i = 0; i < params[0]; i++)
        at = next[at];
    out[0] = at;
    return params[0] * (dispatch->args[0].bytes <= 32768 ? 20.0 : 200.0);
}

bool fake_execute(const struct gpu_dispatch *dispatch, const uint32_t *params, double *ns)
{
    const char *name = dispatch->program->kernel->name;
    uint32_t *out = dispatch->args[1].buffer->mapped;
    if (strcmp(name, fake_sum.name) == 0)
        *ns = run_sum(dispatch, params, out);
    else if (strcmp(name, fake_chase.name) == 0)
        *ns = run_chase(dispatch, params, out);
    else
        return false;
    return true;
}
