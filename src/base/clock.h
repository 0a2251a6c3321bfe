// SPDX-License-Identifier: MIT
// Host time: CLOCK_MONOTONIC in nanoseconds. For device time, see the spans in gpu/gpu.h.
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

// Returns the nanoseconds since a fixed but unknown time. The value never decreases.
uint64_t clock_now_ns(void);

// Sleeps for at least `ns`, even if signals arrive.
void clock_sleep_ns(uint64_t ns);

// Returns the time `ns` nanoseconds from now, on the clock of clock_now_ns. If the sum would
// overflow, returns UINT64_MAX, which means never.
uint64_t clock_deadline_ns(uint64_t ns);

// Returns the nanoseconds left until `deadline_ns`; 0 once that time has passed.
uint64_t clock_left_ns(uint64_t deadline_ns);

#endif
