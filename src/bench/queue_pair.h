// SPDX-License-Identifier: MIT
// Two queues of one device, for benchmarks that run two kinds of work at the same time. The first
// queue is universal. The second one is compute-only or, if the device has none, universal too.
#ifndef BENCH_QUEUE_PAIR_H
#define BENCH_QUEUE_PAIR_H

#include "gpu/gpu.h"

// Returns the kind of the second queue: COMPUTE if the device has a compute-only queue family, else
// UNIVERSAL.
enum gpu_queue_kind queue_pair_kind(const struct gpu_info *info);

// Returns true if the device can give a second queue.
bool queue_pair_has_second(const struct gpu_info *info);

// Sets `desc`, which must be all zero, to request both queues. Queue 0 is universal, queue 1 is the
// second queue. If the device has no second queue, only queue 0 is requested.
void queue_pair_request(const struct gpu_info *info, struct gpu_device_desc *desc);

#endif
