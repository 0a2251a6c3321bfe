// SPDX-License-Identifier: MIT
// What schedule.c asks about cases that several devices are visited for at the same time.
#ifndef SUITE_TOGETHER_H
#define SUITE_TOGETHER_H

#include "suite/schedule.h"

// Whether a case wants a device's company: by its value "together" (schedule.h).
bool schedule_may_join(const struct bench_case *bench_case, const struct gpu_info *device,
                       const struct gpu_info *other);

// Adds the value "with" to a case, copied into `arena`.
void schedule_add_with(struct arena *arena, struct bench_case *bench_case, const char *with);

// Notes in each visit that was made which share of its samples' time all of them had in common.
void schedule_note_common(struct executor_part *parts, size_t count);

bool schedule_has_results(const struct run *run, const char *device,
                          const struct benchmark *benchmark);

#endif
