// SPDX-License-Identifier: MIT
#ifndef BENCH_LOADS_SOURCE_H
#define BENCH_LOADS_SOURCE_H

#include "bench/loads/session.h"

// What a kind loads from, as the argument of its kernels; lives as long as the session.
// ERROR_UNSUPPORTED where the device lacks the resource, the format or the filter.
MUST_CHECK bool loads_source_find(struct loads_session *session, const struct loads_kind *kind,
                                  struct gpu_arg *arg, struct error *err);

// Raw buffers reach kernels as arguments: OpenCL C has pointers, but no addresses in buffers.
bool loads_is_bound(const struct gpu_info *info);

#endif
