// SPDX-License-Identifier: MIT
// A case of raster: what is drawn, how much of it, and what must be seen afterwards.
#ifndef BENCH_RASTER_WORK_H
#define BENCH_RASTER_WORK_H

#include "bench/raster/raster.h"
#include "gpu/graphics.h"
#include "results/results.h"

// The values of these enumerations are in the order of the choices.
enum raster_kind {
    RASTER_TRIANGLES, // many triangles of one size
    RASTER_PIXELS,    // layers over the whole target, by format and blending
    RASTER_DEPTH,     // … with a depth buffer
    RASTER_DRAWS,     // one triangle a draw
    RASTER_CORES      // which cores draw
};

enum raster_depth {
    RASTER_DEPTH_OFF,    // a depth buffer is there and not used
    RASTER_DEPTH_TEST,   // every pixel passes
    RASTER_DEPTH_REJECT, // no pixel passes
    RASTER_DEPTH_WRITE,  // every pixel passes and writes depth, there is no colour
    RASTER_DEPTH_BOTH    // … and colour
};

enum raster_change { // between draws
    RASTER_CHANGE_NONE,
    RASTER_CHANGE_PARAMS,
    RASTER_CHANGE_PROGRAM
};

struct raster_case {
    enum raster_kind kind;
    uint32_t side; // TRIANGLES: pixels that a triangle covers in its first row; 0: none at all
    bool culled;
    enum gpu_format format;
    enum gpu_blend blend;
    enum raster_depth depth;
    enum raster_change change;
};

// As the vertex kernels take them.
struct raster_layers_params {
    float farthest, nearer;
};
struct raster_mesh_params {
    uint32_t columns, cells, first, flipped;
    float pitch, offset, leg, pixel;
};

// As raster_check takes them.
struct raster_check_params {
    float unit[4], tolerance[4];
    uint32_t pattern, width, height, layers, columns, cells, triangles, side;
};

// What one unit of work is.
struct raster_work {
    uint32_t target;              // pixels a side
    uint32_t draws;               // in a row
    uint32_t vertices, instances; // of each
    double triangles, pixels;     // in all; pixels: that are drawn or tested
    bool clears;                  // it must begin anew each time: else it leaves what was there
    union {
        struct raster_layers_params layers;
        struct raster_mesh_params mesh;
    } params;
    size_t params_bytes;
    struct raster_check_params check; // of the image that it leaves
};

void raster_case_read(const struct bench_case *c, struct raster_case *this_case);

void raster_work_plan(const struct raster_case *this_case, const struct gpu_info *info,
                      struct raster_work *work);

#endif
