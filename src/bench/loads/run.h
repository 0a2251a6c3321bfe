// SPDX-License-Identifier: MIT
// One kernel at work: cut to what a device can do in time, sized, run and verified.
#ifndef BENCH_LOADS_RUN_H
#define BENCH_LOADS_RUN_H

#include "bench/loads/session.h"

struct loads_run {
    // Given.
    const struct loads_case *this_case;
    bool control; // the loop without loads instead
    const struct measure_request *request;
    struct loads_size *size; // found by the first run, for those after it
    // Found.
    struct loads_work work;
    struct measure_span span; // a unit is a workgroup, of LOADS_THREADS × LOADS_A_THREAD loads
};

// Runs and verifies; ERROR_MISMATCH where a thread did not find its data.
MUST_CHECK bool loads_run(struct bench_visit *visit, struct loads_run *run, struct error *err);

// Workgroups of a dispatch: all, or so many as take LOADS_LONGEST_NS where `trial` took `took_ns`,
// however few that is. Drivers' watchdogs end what runs longer than 0.5 to 10 s, and a desktop is
// not seen to stutter below 0.1 s.
uint32_t loads_groups_within(uint32_t all, uint32_t trial, double took_ns);

enum {
    LOADS_LONGEST_NS = 50 * 1000 * 1000
};

#endif
