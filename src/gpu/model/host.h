// SPDX-License-Identifier: MIT
// What a kernel's host form calls: bench/prelude/host.clh declares the same. Each answers for the
// thread on whose stack it is called.
#ifndef GPU_MODEL_HOST_H
#define GPU_MODEL_HOST_H

#include "gpu/model/steady.h"

#include <stdint.h>

// 0–2: id within the group, 3–5: the group's, 6–8: number of groups; x, y, z.
uint32_t model_thread_id(uint32_t which);

void model_thread_barrier(void);

// The thread waits as long as a load from there takes.
void model_thread_load(const void *address);

// That a load from there comes soon. Costs the thread nothing, and the host less time later.
void model_thread_expect(const void *address);

// The thread waits as long as it computes.
void model_thread_compute(uint32_t cycles);

uint64_t model_thread_clock_core(void);   // cycles
uint64_t model_thread_clock_device(void); // ns
uint32_t model_thread_core(void);

// Of kernels that tell streams (bench/prelude/stream.clh): what the dispatch reads or writes, and
// the sum of the 32-bit words from there.
void model_thread_stream(const struct model_stream *stream);
uint32_t model_thread_sum(const void *from, uint64_t bytes);

// `n` words for what a kernel works out of `n` and `key` alone: zeros at first, kept from one
// dispatch to the next as long as few others are wanted, and at one place while a kernel runs.
// NULL where they would be too many.
uint32_t *model_thread_places(uint32_t n, uint32_t key);

#endif
