// SPDX-License-Identifier: MIT
// A case of `occupancy` as data, what the cases of a session share, and how workgroups are counted.
#ifndef BENCH_OCCUPANCY_SESSION_H
#define BENCH_OCCUPANCY_SESSION_H

#include "bench/bench.h"
#include "bench/occupancy/occupancy.h"
#include "measure/clock.h"

enum occupancy_by { // what limits the workgroups on a core
    OCCUPANCY_REGISTERS,
    OCCUPANCY_SHARED,
    OCCUPANCY_THREADS,
};

struct occupancy_case {
    enum occupancy_by by;
    uint32_t values; // that each thread keeps
    uint64_t shared_bytes;
    uint32_t threads;  // of a workgroup
    uint32_t subgroup; // its threads; 0: the API does not report it
};
void occupancy_case_read(const struct bench_case *c, struct occupancy_case *this_case);

// The kernel of the case on this device; NULL if this build has none.
const struct gpu_kernel *occupancy_kernel(const struct occupancy_case *this_case,
                                          const struct gpu_info *info);

// The most shared memory that a workgroup can have.
uint64_t occupancy_shared_max(const struct gpu_info *info);

struct occupancy_session {
    struct bench_session *bench;
    struct measure_clock clock;
    struct gpu_buffer *data;
    uint32_t *words; // the content of `data`
    uint32_t runs;   // so far; each run has another token
};

MUST_CHECK bool occupancy_open(struct bench_session *bench, struct error *err);

// The program of a case, in the session's scope. NULL with `err`.
struct gpu_program *occupancy_program(struct occupancy_session *session,
                                      const struct occupancy_case *this_case, struct error *err);

struct occupancy_params { // as in the kernels

#define X(name) uint32_t name;
    OCCUPANCY_PARAMS(X)
#undef X
};

// Fills `results`, one word a thread of a workgroup, with what the threads must leave.
void occupancy_expect(const struct occupancy_session *session,
                      const struct occupancy_case *this_case, const struct occupancy_params *params,
                      uint32_t *results);

// When a workgroup was on its core, by the device's clock.
struct occupancy_stay {
    double start_ns, end_ns;
    uint32_t core;
};

struct occupancy_tally {
    unsigned cores;   // that had workgroups
    unsigned most;    // workgroups at once on the core that had most
    unsigned least;   // workgroups at once on the core that had fewest
    unsigned fullest; // cores that had `most` at once
    unsigned chip;    // workgroups at once on all cores together
    double fill_ns;   // on the first of the fullest cores: from its first start until it had `most`
    bool refilled;    // on that core another one began later: it was full, not out of workgroups
};

// Counts how many workgroups were on a core at once, from at least one stay. A workgroup that ends
// when another one begins is not counted beside it. So a count is never too high; it is too low
// only if stays are hardly longer than a step of the clock. `scratch` is left as it was.
struct occupancy_tally occupancy_tally_of(struct arena *scratch, const struct occupancy_stay *stays,
                                          size_t count);

// The visit and the conclusion of struct benchmark.
MUST_CHECK bool occupancy_visit(struct bench_visit *run, struct measure_visit *visit,
                                struct error *err);
void occupancy_conclude(struct run *run, const char *device);

#endif
