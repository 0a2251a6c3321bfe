// SPDX-License-Identifier: MIT
// Host time: CLOCK_MONOTONIC in nanoseconds. Not for device time, which gpu.h measures in spans.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

// Nanoseconds since some fixed moment; never goes back.
uint64_t clock_now_ns(void);

// Returns after at least `ns`, whatever signals come in between.
void clock_sleep_ns(uint64_t ns);

// now + ns without wrapping: UINT64_MAX stays "never".
uint64_t clock_deadline_ns(uint64_t ns);

// What is left until `deadline_ns`; 0 when it has passed.
uint64_t clock_left_ns(uint64_t deadline_ns);

#endif
