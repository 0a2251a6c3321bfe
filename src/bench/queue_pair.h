// SPDX-License-Identifier: MIT
// Two queues of one device, for benchmarks that run two kinds of work at the same time: the first
// is universal; the second is of a compute-only family or, if there is none, universal too.
#ifndef BENCH_QUEUE_PAIR_H
#define BENCH_QUEUE_PAIR_H

#include "gpu/gpu.h"

// Returns the kind of the second queue: COMPUTE if the device has a compute-only queue family, else
// UNIVERSAL.
enum gpu_queue_kind queue_pair_kind(const struct gpu_info *info);

// True if the device has a second queue.
bool queue_pair_has_second(const struct gpu_info *info);

// Requests the two queues in `desc`, which must be all zero: queue 0 is universal, queue 1 is the
// second queue. If the device has no second queue, requests only queue 0.
void queue_pair_request(const struct gpu_info *info, struct gpu_device_desc *desc);

#endif
