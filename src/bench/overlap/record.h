// SPDX-License-Identifier: MIT
// What a frame records: dispatches of the workloads, and the barriers between them.
#ifndef BENCH_OVERLAP_RECORD_H
#define BENCH_OVERLAP_RECORD_H

#include "bench/overlap/frame.h"

// The workloads of the bit set `which` that run on a queue, into that queue's batch.
MUST_CHECK bool overlap_record_queue(struct overlap_stage *stage, unsigned queue, uint32_t which,
                                     struct error *err);

// The workloads whose words workload `w` reads when those of `which` run: a bit set.
uint32_t overlap_record_reads(const struct overlap_stage *stage, uint32_t which, size_t w);

#endif
