// SPDX-License-Identifier: MIT
// How a case is read, and what the cases of a session share.
#ifndef BENCH_OCCUPANCY_SESSION_H
#define BENCH_OCCUPANCY_SESSION_H

#include "bench/bench.h"
#include "bench/occupancy/occupancy.h"
#include "measure/clock.h"

enum occupancy_by { // what there is to run out of
    OCCUPANCY_REGISTERS,
    OCCUPANCY_SHARED,
    OCCUPANCY_THREADS,
};

struct occupancy_case {
    enum occupancy_by by;
    uint32_t values; // a thread keeps
    uint64_t shared_bytes;
    uint32_t threads;  // of a workgroup
    uint32_t subgroup; // threads; 0: the API does not say
};
void occupancy_case_read(const struct bench_case *c, struct occupancy_case *this_case);

// The kernel that does it on this device; NULL where there is none.
const struct gpu_kernel *occupancy_kernel(const struct occupancy_case *this_case,
                                          const struct gpu_info *info);

// Largest shared memory of a workgroup that can be had.
uint64_t occupancy_shared_max(const struct gpu_info *info);

struct occupancy_session {
    struct bench_session *bench;
    struct measure_clock clock;
    struct gpu_buffer *data;
    uint32_t *words; // what is in it
    uint32_t runs;   // so far: no two have the same token
};

MUST_CHECK bool occupancy_open(struct bench_session *bench, struct error *err);

// The program of a case, in the session's scope.
struct gpu_program *occupancy_program(struct occupancy_session *session,
                                      const struct occupancy_case *this_case, struct error *err);

// What the threads of a workgroup leave when all went well: point->threads words.
struct occupancy_params {
#define X(name) uint32_t name;
    OCCUPANCY_PARAMS(X)
#undef X
};
void occupancy_expect(const struct occupancy_session *session,
                      const struct occupancy_case *this_case, const struct occupancy_params *params,
                      uint32_t *results);

// The plan, the visit and the conclusion of struct benchmark.
MUST_CHECK bool occupancy_plan(const struct bench_request *request, struct bench_case_list *list,
                               struct error *err);
MUST_CHECK bool occupancy_visit(struct bench_visit *run, struct measure_visit *visit,
                                struct error *err);
void occupancy_conclude(struct run *run, const char *device);

#endif
