// SPDX-License-Identifier: MIT
// What a launch costs, apart from what the kernel moves: the fit T = a + V / b through kernels of
// growing volume (the model of RRZE's gpu-benches, "gpu-small-kernels"), as findings.
#ifndef ANALYSIS_LAUNCHES_H
#define ANALYSIS_LAUNCHES_H

#include "results/results.h"

// For each device and each way of launching of the first benchmark that is about a time and draws
// it and a bandwidth over the same parameter: a finding "launch-fit" whose value is a in ns and
// whose keys are the smallest and the largest kernel of the fit (volumes from 64 KiB to 20 MB,
// where caches hold them; at least five). Nothing is added for a device that has such findings.
//
// And for each device of which `launch` timed rows of empty kernels with nothing between them: a
// finding "barriers" that lists what each kind of barrier adds to a kernel. Value: what a memory
// barrier adds, in ns, or else the first of the list; keys: nothing between, and that one.
//
// And where a row of empty kernels took hardly longer than the host's call that submits it, a
// finding "launch-bound": a faster device would not launch faster. Value: the call's ns a kernel.
void launches_add_findings(struct run *run);

#endif
