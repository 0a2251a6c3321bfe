// SPDX-License-Identifier: MIT
// What the cases of a session share, and the functions of struct benchmark.
#ifndef BENCH_RASTER_SESSION_H
#define BENCH_RASTER_SESSION_H

#include "bench/bench.h"
#include "bench/raster/work.h"
#include "measure/clock.h"
#include "measure/limits.h"

enum raster_metric { // as raster.c lists them
    RASTER_TRIANGLE_RATE,
    RASTER_PIXEL_RATE,
    RASTER_DRAW_RATE,
    RASTER_BANDWIDTH,
    RASTER_PER_CYCLE,
    RASTER_CORE_COUNT
};

enum {
    RASTER_TARGETS = 16 // of all formats, with depth and without
};

// Where fragments were seen to run.
struct raster_census {
    bool known;
    unsigned cores;                    // that drew any pixel
    uint32_t pixels[RASTER_CORES_MAX]; // by core
};

struct raster_session {
    struct bench_session *bench;
    struct measure_clock clock;
    struct measure_limits limits;
    struct raster_census census;
    struct gpu_program *check;
    struct gpu_buffer *result; // of the check
    struct gpu_target *targets[RASTER_TARGETS];
    struct gpu_target_desc target_descs[RASTER_TARGETS];
    size_t target_count;
    bool warm; // a case was measured
};

MUST_CHECK bool raster_open(struct bench_session *bench, struct error *err);
MUST_CHECK bool raster_visit(struct bench_visit *run, struct measure_visit *visit,
                             struct error *err);
void raster_conclude(struct run *run, const char *device);

// A target of that format, made at the first call; square, `side` pixels.
struct gpu_target *raster_target(struct raster_session *session, const struct gpu_target_desc *desc,
                                 struct error *err);

// Draws over the whole target and counts pixels by core, as far as kernels can read its id.
MUST_CHECK bool raster_census_take(struct raster_session *session, struct raster_census *census,
                                   struct error *err);

// ERROR_MISMATCH where a pixel of the target is not what `params` tells.
MUST_CHECK bool raster_check(struct raster_session *session, struct gpu_target *target,
                             const struct raster_check_params *params, struct error *err);

#endif
