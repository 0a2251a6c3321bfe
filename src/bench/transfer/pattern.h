// SPDX-License-Identifier: MIT
// The data of transfer.h on the host.
#ifndef BENCH_TRANSFER_PATTERN_H
#define BENCH_TRANSFER_PATTERN_H

#include "base/error.h"

#include <stdint.h>

// Words first, first + 1 … as bytes / 4 words; `bytes` is a multiple of 4.
void transfer_pattern_fill(void *memory, uint64_t bytes, uint32_t first);

// What is looked at: all, or of what is longer than TRANSFER_SPARSE_BYTES one block of 4 KiB in
// TRANSFER_SPARSE, from block `turn` of them on: so many turns look at all.
struct transfer_look {
    bool sparse;
    unsigned turn;
};
enum {
    TRANSFER_SPARSE = 8,
    TRANSFER_SPARSE_BYTES = 16 << 20
};

// ERROR_MISMATCH naming the first byte that is another.
MUST_CHECK bool transfer_pattern_check(const void *memory, uint64_t bytes, uint32_t first,
                                       struct transfer_look look, struct error *err);

#endif
