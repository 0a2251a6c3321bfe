// SPDX-License-Identifier: MIT
// The data of transfer.h on the host.
#ifndef BENCH_TRANSFER_PATTERN_H
#define BENCH_TRANSFER_PATTERN_H

#include "base/error.h"

#include <stdint.h>

// Words first, first + 1 … as bytes / 4 words; `bytes` is a multiple of 4.
void transfer_pattern_fill(void *memory, uint64_t bytes, uint32_t first);

// ERROR_MISMATCH naming the first byte that is another.
MUST_CHECK bool transfer_pattern_check(const void *memory, uint64_t bytes, uint32_t first,
                                       struct error *err);

#endif
