// SPDX-License-Identifier: MIT
// Declares the cases of `raster`: what they draw, and which image must result. Also declares what
// the cases of a session share.
#ifndef BENCH_RASTER_SESSION_H
#define BENCH_RASTER_SESSION_H

#include "bench/bench.h"
#include "bench/raster/raster.h"
#include "gpu/graphics.h"

// The next three enums have the order of the choices of the parameters `work`, `depth` and
// `change`.
enum raster_kind {
    RASTER_TRIANGLES, // the case draws many triangles of one size
    RASTER_PIXELS,    // the case draws layers over the whole target, in one format and blend mode
    RASTER_DEPTH,     // the case draws layers over the whole target, with a depth buffer
    RASTER_DRAWS,     // the case makes many draws of one triangle each
    RASTER_CORES      // the case counts the cores that draw
};

enum raster_depth {
    RASTER_DEPTH_OFF,    // no depth buffer is used
    RASTER_DEPTH_TEST,   // every pixel passes the depth test
    RASTER_DEPTH_REJECT, // only pixels of the last, small triangle pass the depth test
    RASTER_DEPTH_WRITE,  // every pixel passes the depth test and writes depth, but no colour
    RASTER_DEPTH_BOTH    // every pixel passes the depth test and writes depth and colour
};

enum raster_change { // what changes from one draw to the next
    RASTER_CHANGE_NONE,
    RASTER_CHANGE_PARAMS,
    RASTER_CHANGE_PROGRAM
};

struct raster_case {
    enum raster_kind kind;
    // Size of a triangle: the number of pixels in its first row. If it is 0, the triangle covers no
    // pixel. If `kind` is not RASTER_TRIANGLES, the value is 1.
    uint32_t side;
    bool culled;
    enum gpu_format format;
    enum gpu_blend blend;
    enum raster_depth depth;
    enum raster_change change;
};

// Parameters of the vertex shaders layers.vert and mesh.vert.
struct raster_layers_params {
    float farthest, nearer;
    uint32_t seen;
    float leg;
};
struct raster_mesh_params {
    uint32_t columns, cells, first, flipped, seen;
    float pitch, offset, leg, seen_offset, seen_leg, pixel;
};

// Parameters of the kernel raster_check: a description of the expected image.
struct raster_check_params {
    float unit[4], tolerance[4];
    uint32_t pattern, width, height, layers, columns, cells, triangles, hidden, side, row;
};

// A unit of work: draws that are timed together.
struct raster_work {
    uint32_t target;              // width and height of the target in pixels
    uint32_t draws;               // number of draws in a unit of work
    uint32_t vertices, instances; // vertices and instances of each draw
    // Number of triangles and of pixels in all draws. Pixels that fail the depth test count, too.
    // If all triangles but the last draw nothing, the pixels of the last triangle, which is
    // visible, do not count.
    double triangles, pixels;
    // Number of triangles that the check draws again, now visible, because all timed triangles but
    // the last draw no pixel (culled, or of side 0). In all other cases, it is 0.
    uint32_t redrawn;
    bool clears; // true: each unit of work clears the target; false: it draws over the last image
    union {
        struct raster_layers_params layers;
        struct raster_mesh_params mesh;
    } params;
    size_t params_bytes;
    struct raster_check_params check; // the image that raster_check expects after a unit of work
};

void raster_case_read(const struct bench_case *c, struct raster_case *this_case);
void raster_work_plan(const struct raster_case *this_case, const struct gpu_info *info,
                      struct raster_work *work);

enum raster_metric { // the metrics, in the order of the list in raster.c
    RASTER_TRIANGLE_RATE,
    RASTER_PIXEL_RATE,
    RASTER_DRAW_RATE,
    RASTER_BANDWIDTH,
    RASTER_PER_CYCLE,
    RASTER_CORE_COUNT
};

// The number of pixels that each core drew.
struct raster_census {
    bool known;     // false: kernels cannot read the number of their core, so all counts are 0
    unsigned cores; // number of elements of `pixels` that are not 0
    // pixels[i] is the number of pixels that core i drew. The last element also counts the pixels
    // of all cores with higher numbers.
    uint32_t pixels[RASTER_CORES_MAX];
};

// One render target of the session. No two targets have the same format, depth and width.
struct raster_target {
    struct raster_target *older;
    struct gpu_target_desc desc;
    struct gpu_target *target;
};

struct raster_session {
    struct bench_session *bench;
    struct raster_census census;
    struct gpu_program *check;
    struct gpu_buffer *result;     // results of the kernel `check`
    struct raster_target *targets; // list of render targets, the newest first
};

MUST_CHECK bool raster_open(struct bench_session *bench, struct error *err);
MUST_CHECK bool raster_visit(struct bench_visit *run, struct measure_visit *visit,
                             struct error *err);
void raster_conclude(struct run *run, const char *device);

// Returns the session's target with the format, depth and width of `desc`. The first call for these
// values creates the target. Returns NULL with `err` on failure.
struct gpu_target *raster_target(struct raster_session *session, const struct gpu_target_desc *desc,
                                 struct error *err);

// Runs one draw in its own batch, and waits until the draw has ended.
MUST_CHECK bool raster_draw_once(struct raster_session *session, const struct gpu_draw *draw,
                                 uint64_t timeout_ns, struct error *err);

// Draws over a whole target and fills `census`. Fails with ERROR_MISMATCH if the counts do not add
// up to the pixels of the target. If kernels cannot read the number of their core, draws nothing.
MUST_CHECK bool raster_census_take(struct raster_session *session, struct raster_census *census,
                                   struct error *err);

// Fails with ERROR_MISMATCH if a pixel of the target differs by more than the tolerance from the
// image that `params` describes.
MUST_CHECK bool raster_check(struct raster_session *session, struct gpu_target *target,
                             const struct raster_check_params *params, struct error *err);

#endif
