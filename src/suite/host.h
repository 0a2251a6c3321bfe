// SPDX-License-Identifier: MIT
// The machine that measures, as far as it matters for the numbers; nothing that names its owner.
#ifndef SUITE_HOST_H
#define SUITE_HOST_H

#include "results/results.h"

// Operating system, CPU, its number of cores, memory; what cannot be found out is left out.
void host_describe(struct run *run);

// "2026-01-31T12:00:00Z", now.
const char *host_time(struct arena *arena);

#endif
