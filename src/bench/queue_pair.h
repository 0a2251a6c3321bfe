// SPDX-License-Identifier: MIT
// Two queues of one device for benchmarks that set work on one against work on the other: a
// universal one and, beside it, one of a compute-only family, else a second universal one.
#ifndef BENCH_QUEUE_PAIR_H
#define BENCH_QUEUE_PAIR_H

#include "gpu/gpu.h"

// What the second queue is of: COMPUTE where there is a compute-only family.
enum gpu_queue_kind queue_pair_kind(const struct gpu_info *info);

// Has the device a second queue at all?
bool queue_pair_has_second(const struct gpu_info *info);

// The queues to ask for: the universal one is number 0, the second, where there is one, number 1.
void queue_pair_wish(const struct gpu_info *info, struct gpu_device_desc *desc);

#endif
