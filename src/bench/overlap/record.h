// SPDX-License-Identifier: MIT
// Recording a frame: workloads in their order, and between them what the stage's barrier asks for.
#ifndef BENCH_OVERLAP_RECORD_H
#define BENCH_OVERLAP_RECORD_H

#include "bench/overlap/frame.h"

// Cuts the workloads of the bit set `which` into segments and records a batch for each.
MUST_CHECK bool overlap_record(struct overlap_stage *stage, uint32_t which, struct error *err);

// The workloads whose words workload `w` reads then: those it waits for, where what stands between
// shows them.
uint32_t overlap_record_reads(const struct overlap_stage *stage, uint32_t which, size_t w);

#endif
