// SPDX-License-Identifier: MIT
#include "bench/raster/session.h"

enum {
    TARGET = 1024, // width and height of the target on a GPU, in pixels
    TARGET_CPU = 256,
    TRIANGLES_MAX = 1 << 20,
    TRIANGLES_MAX_CPU = 1 << 12,
    TRIANGLES_MIN = 64,
    // Width and height of the target with work=draws. Each unit of work clears it, so it is small.
    TARGET_DRAWS = 64,
    DRAWS = 1 << 15, // number of draws in a unit of work with work=draws, on a GPU
    DRAWS_CPU = 256,
    // Factor by which depth=reject raises the number of layers, because rejected layers are fast.
    REJECTED = 8,
    // Pixels in the first row of the visible last triangle, if all other timed triangles or layers
    // draw nothing. It shows that the draw ended. Its few pixels take hardly any time.
    SEEN_ROW = 8
};

// Number of bits of each channel of a format; 0: no such channel. For a float, the bits are those
// of the mantissa; else, those of an integer that encodes a value from 0 to 1.
struct precision {
    enum gpu_format format;
    bool is_float;
    unsigned bits[4];
};

// The precisions of the formats, in the order of the choices of the parameter `format`.
static const struct precision precisions[] = {
    {GPU_FORMAT_R8_UNORM, false, {8}},
    {GPU_FORMAT_RG8_UNORM, false, {8, 8}},
    {GPU_FORMAT_RGBA8_UNORM, false, {8, 8, 8, 8}},
    {GPU_FORMAT_RGB10A2_UNORM, false, {10, 10, 10, 2}},
    {GPU_FORMAT_RG11B10_FLOAT, true, {6, 6, 5}},
    {GPU_FORMAT_R16_FLOAT, true, {10}},
    {GPU_FORMAT_RG16_FLOAT, true, {10, 10}},
    {GPU_FORMAT_RGBA16_FLOAT, true, {10, 10, 10, 10}},
    {GPU_FORMAT_R32_FLOAT, true, {23}},
    {GPU_FORMAT_RG32_FLOAT, true, {23, 23}},
    {GPU_FORMAT_RGBA32_FLOAT, true, {23, 23, 23, 23}},
};

// ---------------------------------------------------------------- cases

void raster_case_read(const struct bench_case *c, struct raster_case *this_case)
{
    const struct case_value *side = case_find(c, "side"), *format = case_find(c, "format");
    *this_case = (struct raster_case){
        .kind = (enum raster_kind)case_choice(c, "work"),
        .side = side ? (uint32_t)side->uint : 1,
        .culled = case_choice(c, "facing"),
        .format = format ? precisions[format->choice].format : GPU_FORMAT_RGBA8_UNORM,
        .blend = (enum gpu_blend)case_choice(c, "blend"),
        .depth = (enum raster_depth)case_choice(c, "depth"),
        .change = (enum raster_change)case_choice(c, "change"),
    };
    // With work=draws, each draw adds 1 to its pixel; 32-bit floats hold these sums exactly.
    if (this_case->kind == RASTER_DRAWS) {
        this_case->format = GPU_FORMAT_R32_FLOAT;
        this_case->blend = GPU_BLEND_ADD;
    }
}

// ---------------------------------------------------------------- precision

// Sets check->unit to what an addition of 1/256 really adds to each channel. Also sets
// check->tolerance. Hardware may truncate, so a conversion may be wrong by the last bit. With
// blend=alpha, each layer converts again and halves earlier errors, so the tolerance is 2.5 times
// the last bit. With blend=add, sums of `unit` are exact in every format.
static void set_precision(const struct raster_case *this_case, struct raster_check_params *check)
{
    const struct precision *precision = precisions;
    while (precision->format != this_case->format)
        precision++;
    for (unsigned channel = 0; channel < 4; channel++) {
        unsigned bits = precision->bits[channel];
        float power = (float)(UINT32_C(1) << bits), most = power - 1;
        float steps = this_case->blend == GPU_BLEND_ALPHA ? 2.5f : 1.01f;
        if (bits == 0) {
            check->tolerance[channel] = 1e9f;
            continue;
        }
        check->unit[channel] = 1.0f / 256;
        if (!precision->is_float)
            check->unit[channel] = (float)(uint32_t)(most / 256 + 0.5f) / most;
        check->tolerance[channel] = steps / (precision->is_float ? power : most);
        if (this_case->blend == GPU_BLEND_ADD)
            check->tolerance[channel] = 1.0f / 600;
    }
}

// ---------------------------------------------------------------- units of work

// Returns the length in pixels of the two shorter sides of a triangle with `row` pixels in its
// first row; below 1 if `row` is 0.
static float leg_of(uint32_t row)
{
    return row ? (float)row + 0.25f : 0.3125f;
}

static void plan_layers(const struct raster_case *this_case, struct raster_work *work)
{
    static const uint32_t patterns[] = {[GPU_BLEND_NONE] = RASTER_COVER,
                                        [GPU_BLEND_ALPHA] = RASTER_ALPHA,
                                        [GPU_BLEND_ADD] = RASTER_ADD};
    work->draws = 1;
    work->vertices = 3;
    work->instances = RASTER_LAYERS * (this_case->depth == RASTER_DEPTH_REJECT ? REJECTED : 1);
    work->clears = this_case->blend == GPU_BLEND_ADD || this_case->depth == RASTER_DEPTH_WRITE ||
                   this_case->depth == RASTER_DEPTH_BOTH;
    work->triangles = work->instances;
    work->pixels = (double)work->instances * work->target * work->target;
    work->params_bytes = sizeof work->params.layers;
    work->params.layers.farthest = 0.5f;
    if (this_case->depth == RASTER_DEPTH_WRITE || this_case->depth == RASTER_DEPTH_BOTH)
        work->params.layers =
            (struct raster_layers_params){.farthest = 0.875f, .nearer = 1.0f / 64};
    work->check.pattern = patterns[this_case->blend];
    work->check.layers = RASTER_LAYERS - 1;
    if (this_case->depth == RASTER_DEPTH_WRITE)
        work->check.pattern = RASTER_NOTHING;
    if (this_case->depth == RASTER_DEPTH_REJECT) {
        // The last layer is only a small visible triangle, so its pixels do not count.
        work->pixels -= (double)work->target * work->target;
        work->params.layers.seen = work->instances;
        work->params.layers.leg = leg_of(SEEN_ROW) * 2 / (float)work->target;
        work->check.layers = work->instances - 1;
        work->check.row = SEEN_ROW;
    }
}

static void plan_mesh(const struct raster_case *this_case, bool cpu, struct raster_work *work)
{
    uint32_t pitch = this_case->side ? this_case->side : 1;
    uint64_t covered = (uint64_t)pitch * (pitch + 1) / 2;
    uint64_t most = cpu ? TRIANGLES_MAX_CPU : TRIANGLES_MAX;
    uint64_t fitting = (uint64_t)work->target * work->target * RASTER_LAYERS / covered;
    uint32_t drawn = (uint32_t)(fitting < most ? fitting : most);
    if (drawn < TRIANGLES_MIN)
        drawn = TRIANGLES_MIN;
    // Triangles without pixels are fast, so a unit has the maximum number of them. The last
    // triangle is visible and shows that the draw ran to its end.
    bool unseen = this_case->culled || this_case->side == 0;
    uint32_t triangles = unseen ? (uint32_t)most : drawn;
    uint32_t row = unseen && pitch > SEEN_ROW ? SEEN_ROW : pitch;
    uint32_t columns = work->target / pitch;
    work->params_bytes = sizeof work->params.mesh;
    work->params.mesh = (struct raster_mesh_params){
        .columns = columns,
        .cells = columns * columns,
        .flipped = this_case->culled,
        .seen = unseen ? triangles : 0,
        .pitch = (float)pitch,
        // Edges of triangles lie between pixel centres. A triangle of side 0 lies between four
        // centres; the visible triangle that replaces the last one lies around one centre.
        .offset = this_case->side ? 0 : 0.125f,
        .leg = leg_of(this_case->side),
        .seen_offset = this_case->side ? 0 : 0.375f,
        .seen_leg = leg_of(this_case->side ? row : 0),
        .pixel = 2.0f / (float)work->target,
    };
    work->draws = 1;
    work->vertices = 3 * triangles;
    work->instances = 1;
    work->triangles = triangles;
    work->pixels = unseen ? 0 : (double)covered * triangles;
    work->redrawn = unseen ? drawn : 0;
    work->check.pattern = RASTER_MESH;
    work->check.columns = columns;
    work->check.cells = columns * columns;
    work->check.triangles = triangles;
    work->check.hidden = unseen ? triangles - 1 : 0;
    work->check.side = pitch;
    work->check.row = row;
}

static void plan_draws(const struct raster_case *this_case, bool cpu, struct raster_work *work)
{
    work->draws = cpu ? DRAWS_CPU : DRAWS;
    work->clears = true;
    work->vertices = 3;
    work->triangles = work->pixels = work->draws;
    // With change=params, draw number d covers pixel number d; after the last pixel, draws begin
    // again at the first.
    bool own = this_case->change == RASTER_CHANGE_PARAMS;
    work->check.pattern = RASTER_COUNT;
    uint32_t pixels = work->target * work->target;
    work->check.cells = !own ? 1 : work->draws < pixels ? work->draws : pixels;
    work->check.layers = work->draws / work->check.cells;
}

void raster_work_plan(const struct raster_case *this_case, const struct gpu_info *info,
                      struct raster_work *work)
{
    bool cpu = info->kind == GPU_KIND_CPU;
    *work = (struct raster_work){.target = cpu ? TARGET_CPU : TARGET};
    if (this_case->kind == RASTER_DRAWS)
        work->target = TARGET_DRAWS;
    if (work->target < this_case->side)
        work->target = this_case->side; // at least one triangle must fit into the target
    if (this_case->kind == RASTER_TRIANGLES || this_case->kind == RASTER_DRAWS)
        plan_mesh(this_case, cpu, work);
    else
        plan_layers(this_case, work);
    if (this_case->kind == RASTER_DRAWS)
        plan_draws(this_case, cpu, work);
    work->check.width = work->check.height = work->target;
    set_precision(this_case, &work->check);
}
