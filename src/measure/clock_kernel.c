// SPDX-License-Identifier: MIT
#include "measure/clock_kernel.h"

enum {
    STAMP_WORDS = 4
};

struct clock_params {
    uint32_t stamps, turns, never;
};

const char *clock_kernel_name(const struct gpu_info *info)
{
    bool core = info->caps & GPU_CAP(CORE_CLOCK), device = info->caps & GPU_CAP(DEVICE_CLOCK);
    if (core && device)
        return info->caps & GPU_CAP(CORE_ID) ? "measure_clock_core_device_id"
                                             : "measure_clock_core_device";
    return core ? "measure_clock_core" : device ? "measure_clock_device" : NULL;
}

static uint64_t group_words(uint32_t stamps)
{
    return 1 + (uint64_t)STAMP_WORDS * stamps;
}

uint64_t clock_kernel_bytes(uint32_t groups, uint32_t stamps)
{
    return groups * group_words(stamps) * sizeof(uint32_t);
}

uint64_t clock_kernel_pitch(uint32_t groups, uint32_t stamps)
{
    uint64_t bytes = clock_kernel_bytes(groups, stamps);
    return (bytes + CLOCK_ALIGN_BYTES - 1) / CLOCK_ALIGN_BYTES * CLOCK_ALIGN_BYTES;
}

uint32_t clock_kernel_groups(const struct gpu_info *info)
{
    uint64_t groups = info->limits.cores ? 2 * info->limits.cores : CLOCK_GROUPS_UNKNOWN;
    return groups < CLOCK_GROUPS_MAX ? (uint32_t)groups : CLOCK_GROUPS_MAX;
}

void clock_kernel_dispatch(struct gpu_batch *batch, const struct clock_dispatch *dispatch)
{
    const struct clock_params params = {.stamps = dispatch->stamps, .turns = dispatch->turns};
    gpu_batch_dispatch(
        batch, &(struct gpu_dispatch){
                   .program = dispatch->program,
                   .groups = {dispatch->groups},
                   .args = {{.buffer = dispatch->buffer,
                             .offset = dispatch->offset,
                             .bytes = clock_kernel_bytes(dispatch->groups, dispatch->stamps)}},
                   .params = &params,
                   .params_bytes = sizeof params,
               });
}

uint32_t clock_kernel_core(const uint32_t *words, uint32_t stamps, uint32_t group)
{
    return words[group * group_words(stamps)];
}

struct clock_stamp clock_kernel_stamp(const uint32_t *words, uint32_t stamps, uint32_t group,
                                      uint32_t stamp)
{
    const uint32_t *at = words + group * group_words(stamps) + 1 + (uint64_t)STAMP_WORDS * stamp;
    return (struct clock_stamp){
        .core = at[0] | (uint64_t)at[1] << 32,
        .device = at[2] | (uint64_t)at[3] << 32,
    };
}
