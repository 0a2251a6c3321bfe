// SPDX-License-Identifier: MIT
// How the host speaks with the clock kernel (clock.comp, clock.cl): what clock.c probes with and
// span.c tells the core clock by.
#ifndef MEASURE_CLOCK_KERNEL_H
#define MEASURE_CLOCK_KERNEL_H

#include "gpu/gpu.h"

// Both clocks, read right after each other.
struct clock_stamp {
    uint64_t core, device;
};

// Mesa's software GPU lets an invocation loop 65535 times in all (LP_MAX_TGSI_LOOP_ITERATIONS) and
// then leaves every loop without a word. The kernel keeps within stamps × (turns + 9) of this.
enum {
    CLOCK_LOOPS_MAX = 65000
};

// Workgroups around a span: two for each core, so that hardly a core is missed.
enum {
    CLOCK_GROUPS_UNKNOWN = 64, // where the number of cores is not known
    CLOCK_GROUPS_MAX = 1024,
    CLOCK_ALIGN_BYTES = 256 // of a buffer's offset; no device with clocks in kernels asks for more
};
uint32_t clock_kernel_groups(const struct gpu_info *info);

struct clock_dispatch {
    struct gpu_program *program;
    struct gpu_buffer *buffer; // clock_kernel_bytes from `offset` on
    uint64_t offset;
    uint32_t groups; // each writes its own stamps
    uint32_t stamps; // a group
    uint32_t turns;  // waited between two stamps, of 16 rounds of xorshift each
};

// The variant for the clocks that the device has; NULL where it has none.
const char *clock_kernel_name(const struct gpu_info *info);

uint64_t clock_kernel_bytes(uint32_t groups, uint32_t stamps);

// The same, rounded up so that another may follow in the buffer.
uint64_t clock_kernel_pitch(uint32_t groups, uint32_t stamps);
void clock_kernel_dispatch(struct gpu_batch *batch, const struct clock_dispatch *dispatch);

// What group `group` wrote, with `words` from `offset` on: the id of its core (CORE_ID_UNKNOWN =
// UINT32_MAX), and its stamp number `stamp`.
uint32_t clock_kernel_core(const uint32_t *words, uint32_t stamps, uint32_t group);
struct clock_stamp clock_kernel_stamp(const uint32_t *words, uint32_t stamps, uint32_t group,
                                      uint32_t stamp);

#endif
