// SPDX-License-Identifier: MIT
#include "bench/queue_pair.h"

static unsigned queues_of(const struct gpu_info *info, enum gpu_queue_kind kind)
{
    unsigned count = 0;
    for (unsigned f = 0; f < info->family_count; f++)
        if (info->families[f].kind == kind)
            count += info->families[f].count;
    return count;
}

enum gpu_queue_kind queue_pair_kind(const struct gpu_info *info)
{
    return queues_of(info, GPU_QUEUE_COMPUTE) > 0 ? GPU_QUEUE_COMPUTE : GPU_QUEUE_UNIVERSAL;
}

bool queue_pair_has_second(const struct gpu_info *info)
{
    return queue_pair_kind(info) == GPU_QUEUE_COMPUTE || queues_of(info, GPU_QUEUE_UNIVERSAL) > 1;
}

void queue_pair_request(const struct gpu_info *info, struct gpu_device_desc *desc)
{
    desc->queue_count = queue_pair_has_second(info) ? 2 : 1;
    desc->queues[1].kind = queue_pair_kind(info);
}
