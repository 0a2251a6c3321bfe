// SPDX-License-Identifier: MIT
// Stores and atomic additions: what they write, and how it is looked at afterwards.
#ifndef BENCH_LOADS_WRITE_H
#define BENCH_LOADS_WRITE_H

#include "bench/loads/session.h"

// How often each element is written by one workgroup.
void loads_count_writes(const struct loads_kind *kind, enum loads_pattern pattern,
                        uint32_t hits[LOADS_ELEMENTS]);

// What the threads of a workgroup must find in their own memory, element by element; zeros for
// other kinds, which find nothing.
void loads_expect_writes(const struct loads_kind *kind, enum loads_pattern pattern,
                         float found[LOADS_THREADS]);

// A target of zeros for work->source: one copy a core, in `scope`.
MUST_CHECK bool loads_target_make(struct loads_work *work, struct gpu_scope *scope,
                                  const struct loads_case *this_case, struct error *err);

// Every element of every copy holds what `dispatches` dispatches leave there; else ERROR_MISMATCH.
MUST_CHECK bool loads_target_verify(struct loads_work *work, uint32_t dispatches,
                                    struct error *err);

#endif
