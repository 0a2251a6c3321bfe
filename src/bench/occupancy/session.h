// SPDX-License-Identifier: MIT
// Declares a case of the benchmark occupancy, the data that the cases of a session share, and the
// count of workgroups on a core at the same time.
#ifndef BENCH_OCCUPANCY_SESSION_H
#define BENCH_OCCUPANCY_SESSION_H

#include "bench/bench.h"
#include "bench/occupancy/occupancy.h"
#include "measure/clock.h"

struct occupancy_case {
    uint32_t values;       // number of 32-bit values that each thread keeps
    uint64_t shared_bytes; // shared memory of a workgroup in bytes; 0 unless by=shared
    uint32_t threads;      // number of threads in a workgroup
    uint32_t subgroup;     // number of threads in a subgroup; 0 if the API does not report it
};
void occupancy_case_read(const struct bench_case *c, struct occupancy_case *this_case);

// Returns the kernel of the case on this device; NULL if this build has no such kernel.
const struct gpu_kernel *occupancy_kernel(const struct occupancy_case *this_case,
                                          const struct gpu_info *info);

// Returns the maximum size in bytes of a workgroup's shared memory on the device.
uint64_t occupancy_shared_max(const struct gpu_info *info);

struct occupancy_session {
    struct bench_session *bench;
    struct gpu_buffer *data;
    uint32_t *words; // the contents of the buffer `data`, in host memory
    // Number of dispatches so far. Each dispatch computes a new token from it.
    uint32_t runs;
};

MUST_CHECK bool occupancy_open(struct bench_session *bench, struct error *err);

// Makes the program of the case before its first visit (struct benchmark, member `programs`).
void occupancy_programs(struct bench_session *bench, const struct bench_case *c);

// Returns the program of a case; the session owns it. Returns NULL with `err` if the device
// or this build cannot run the case.
struct gpu_program *occupancy_program(struct occupancy_session *session,
                                      const struct occupancy_case *this_case, struct error *err);

struct occupancy_params { // parameters of the kernels, which declare the same struct

#define X(name) uint32_t name;
    OCCUPANCY_PARAMS(X)
#undef X
};

// Sets results[t] to the word that thread t of each workgroup must write.
void occupancy_expect(const struct occupancy_session *session,
                      const struct occupancy_case *this_case, const struct occupancy_params *params,
                      uint32_t *results);

// Start and end of one workgroup by the device's clock, and the number of its core.
struct occupancy_stay {
    double start_ns, end_ns;
    uint32_t core;
};

// Fills `stays` from the `count` records of a run. Times count from the start of the first
// workgroup; a workgroup that began earlier has a negative start.
void occupancy_stays_of(const struct measure_clock *clock, const uint32_t *records, size_t count,
                        struct occupancy_stay *stays);

struct occupancy_tally {
    unsigned cores; // number of cores that had workgroups
    unsigned most;  // maximum number of workgroups at once on any core
    // maximum number of workgroups at once on the core that had the fewest
    unsigned least;
    unsigned fullest; // number of cores that had `most` workgroups at once
    unsigned chip;    // maximum number of workgroups at once on the whole chip
    // Time in ns from the start of a core's first workgroup until `most` workgroups were on this
    // core. If several cores had `most` workgroups, this is the core with the lowest number.
    double fill_ns;
    // True if another workgroup began on this core later: probably, it had to wait for room.
    bool refilled;
};

// Returns how many workgroups were on a core at the same time; `stays` must have at least one
// element. A workgroup that begins when another one ends does not count as simultaneous. So a count
// is never too high, but may be too low if stays are very short.
struct occupancy_tally occupancy_tally_of(struct arena *scratch, const struct occupancy_stay *stays,
                                          size_t count);

// occupancy_visit takes samples of a case, occupancy_conclude adds findings (struct benchmark).
MUST_CHECK bool occupancy_visit(struct bench_visit *run, struct measure_visit *visit,
                                struct error *err);
void occupancy_conclude(struct run *run, const char *device);

#endif
