// SPDX-License-Identifier: MIT
// Two queues of one device, for benchmarks that run two kinds of work at the same time: a universal
// queue, and one of a compute-only family or, if there is none, a second universal queue.
#ifndef BENCH_QUEUE_PAIR_H
#define BENCH_QUEUE_PAIR_H

#include "gpu/gpu.h"

// Returns the kind of the second queue: COMPUTE if the device has a compute-only family, else
// UNIVERSAL.
enum gpu_queue_kind queue_pair_kind(const struct gpu_info *info);

// True if the device has a second queue.
bool queue_pair_has_second(const struct gpu_info *info);

// Requests both queues in `desc`, which is zeroed: queue 0 is the universal one; queue 1 is the
// second one, if the device has it.
void queue_pair_request(const struct gpu_info *info, struct gpu_device_desc *desc);

#endif
