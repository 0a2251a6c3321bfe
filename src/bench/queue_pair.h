// SPDX-License-Identifier: MIT
// Two queues of one device for benchmarks that set work on one against work on the other: a
// universal one and, beside it, one of a compute-only family, else a second universal one.
#ifndef BENCH_QUEUE_PAIR_H
#define BENCH_QUEUE_PAIR_H

#include "gpu/gpu.h"

// The kind of the second queue: COMPUTE if the device has a compute-only family.
enum gpu_queue_kind queue_pair_kind(const struct gpu_info *info);

// True if the device has a second queue.
bool queue_pair_has_second(const struct gpu_info *info);

// Requests the queues in `desc`: the universal one is number 0; the second, if there is one,
// number 1.
void queue_pair_request(const struct gpu_info *info, struct gpu_device_desc *desc);

#endif
