// SPDX-License-Identifier: MIT
// Describes the machine, as far as it matters for the numbers. Nothing here identifies its owner.
#ifndef SUITE_HOST_H
#define SUITE_HOST_H

#include "results/results.h"

// Fills run->host: operating system, kernel, CPU, its threads, memory. A value that cannot be read
// is left out.
void host_describe(struct run *run);

// The time now in UTC, as in "2026-01-31T12:00:00Z".
const char *host_time(struct arena *arena);

#endif
