// SPDX-License-Identifier: MIT
// How the work of a frame is cut into submissions. Where no workload waits for one of another queue
// and barriers are what orders, there is one submission a queue.
#ifndef BENCH_OVERLAP_SEGMENT_H
#define BENCH_OVERLAP_SEGMENT_H

#include "bench/overlap/frame.h"

// Fills stage->segments for the workloads of the bit set `which`, without their batches: a workload
// that others wait for by semaphore ends its segment, so that they wait for nothing behind it; one
// that waits by semaphore begins a segment. A segment comes after at most one of each queue: the
// newest stands for those before it.
void overlap_segments_cut(struct overlap_stage *stage, uint32_t which);

// Does `later` wait for `earlier` by semaphore? Where either is not in `which`: no.
bool overlap_segments_meet(const struct overlap_stage *stage, uint32_t which, size_t earlier,
                           size_t later);

#endif
