// SPDX-License-Identifier: MIT
// Measures the time in which a ray crosses one primitive. Parallel rays cross a row of primitives,
// none of which ends them. The time of a crossing is the slope of the rays' time over the length of
// the row.
#include "bench/rays/session.h"
#include "math/line.h"

#include <math.h>
#include <string.h>

enum {
    LENGTHS = 8,
    LENGTH_STEP = 256, // rows have 256, 512, … primitives, and one more at the end
    LAYOUTS = 2,
    POINTS = LAYOUTS * LENGTHS,
    REACH = 4,      // across the rays, primitives reach from −4 to 4 at least
    END_MASK = 2,   // mask of the last instance; the others have mask 1
    POINT_SHARE = 8 // a point's sample lasts 1 / POINT_SHARE of the usual time
};
static const double residual_most = 0.02, layouts_most = 0.05;
static const float gap_end = 2; // distance from the last primitive to the one at the end

struct point {
    struct rays_tree tree;
    struct rays_beam beam;
    struct measure_span span;
    uint32_t length;
    float end; // place of the row's last primitive along x
};

struct memory {
    uint64_t repeats[POINTS];
    bool visited, tree_bound;
};

struct row {
    struct bench_visit *run;
    enum rays_work work;
    struct memory *memory;
    struct point points[POINTS]; // the lengths of the first layout, then those of the second
};

// ---------------------------------------------------------------- making a row

// Sets *places to the places of the row's primitives along x: 1, 2, 3 …; if `uneven`, with gaps
// from 1/128 to 1, and in no order.
static void place(struct bench_visit *run, struct point *point, bool uneven, float **places)
{
    uint32_t state = 1;
    float x = 1;
    *places = ARENA_ARRAY(run->arena, point->length + 1, float);
    for (uint32_t i = 0; i < point->length; i++) {
        // 37 has no divisor in common with the length, so each place is taken once.
        uint32_t at = uneven ? (uint32_t)((uint64_t)i * 37 % point->length) : i;
        (*places)[at] = x;
        state = state * 1664525u + 1013904223u;
        x += uneven ? 1.0f / (float)(1u << (state >> 29)) : 1;
    }
    point->end = (*places)[point->length] = x + gap_end;
}

struct triangle {
    float corners[3][3];
};

struct box {
    float least[3], most[3];
};

static struct triangle triangle_at(float x, bool turned)
{
    const struct triangle front = {
        {{x, -REACH, -REACH}, {x, -REACH, 3 * REACH}, {x, 3 * REACH, -REACH}}};
    const struct triangle back = {
        {{x, -REACH, -REACH}, {x, 3 * REACH, -REACH}, {x, -REACH, 3 * REACH}}};
    return turned ? back : front;
}

static struct gpu_tree_instance instance_at(float x, uint32_t number, bool end,
                                            const struct rays_tree *tree)
{
    return (struct gpu_tree_instance){
        .rows = {{0, 0, 1, x}, {4 * REACH, 0, 0, -REACH}, {0, 4 * REACH, 0, -REACH}},
        .number = number & 0xffffff,
        .mask = end ? END_MASK : 1,
        .tree = gpu_tree_address(tree->triangle),
    };
}

// Writes the row's primitives. Only the last one shows the rays its front, or has END_MASK.
static bool write_input(const struct row *row, struct point *point, const float *places,
                        struct error *err)
{
    struct rays_tree *tree = &point->tree;
    struct arena *arena = row->run->arena;
    const uint32_t count = tree->scene.count = point->length + 1;
    struct triangle *triangles = ARENA_ARRAY(arena, count, struct triangle);
    struct box *boxes = ARENA_ARRAY(arena, count, struct box);
    struct gpu_tree_instance *instances = ARENA_ARRAY(arena, count, struct gpu_tree_instance);
    for (uint32_t i = 0; i < count; i++) {
        const float x = places[i];
        triangles[i] = triangle_at(x, i < point->length);
        boxes[i] = (struct box){{x, -REACH, -REACH}, {x + 0.001f, REACH, REACH}};
        if (tree->desc.kind == GPU_TREE_INSTANCES)
            instances[i] = instance_at(x, i, i == point->length, tree);
    }
    const struct {
        const void *data;
        uint64_t bytes;
    } inputs[] = {[GPU_TREE_TRIANGLES] = {triangles, count * sizeof *triangles},
                  [GPU_TREE_BOXES] = {boxes, count * sizeof *boxes},
                  [GPU_TREE_INSTANCES] = {instances, count * sizeof *instances}},
      input = inputs[tree->desc.kind];
    tree->input = bench_buffer(row->run->scope, input.bytes, GPU_MEMORY_DEVICE, err);
    return tree->input && gpu_buffer_write(tree->input, 0, input.data, input.bytes, err);
}

static bool make_point(struct row *row, struct point *point, bool uneven, struct error *err)
{
    static const enum gpu_tree_kind kinds[] = {[RAYS_WORK_TRIANGLE] = GPU_TREE_TRIANGLES,
                                               [RAYS_WORK_BOX] = GPU_TREE_INSTANCES,
                                               [RAYS_WORK_ANY_HIT] = GPU_TREE_TRIANGLES,
                                               [RAYS_WORK_PROCEDURAL] = GPU_TREE_BOXES};
    bool asks = row->work == RAYS_WORK_ANY_HIT || row->work == RAYS_WORK_PROCEDURAL;
    const struct rays_session *session = row->run->session->state;
    float *places;
    point->tree.desc = (struct gpu_tree_desc){
        .kind = kinds[row->work],
        .opaque = !asks,
        .fast_build = case_says(row->run->bench_case, "flag", "fast-build"),
    };
    point->beam = (struct rays_beam){
        .tree = &point->tree,
        .rays = RAYS_ROW,
        .rays_log2 = session->row_rays_log2,
        .mode = asks                         ? RAYS_COUNTED
                : row->work == RAYS_WORK_BOX ? RAYS_OPAQUE
                                             : RAYS_CULLED,
        .mask = row->work == RAYS_WORK_BOX ? END_MASK : 0xff,
        .pipeline = rays_by_pipeline(row->run),
    };
    place(row->run, point, uneven, &places);
    return (kinds[row->work] != GPU_TREE_INSTANCES ||
            rays_tree_triangle(row->run, &point->tree, err)) &&
           write_input(row, point, places, err) && rays_tree_build(row->run, &point->tree, err);
}

// ---------------------------------------------------------------- the proof

// Checks every ray. If `counted`, it must have asked about each primitive and hit none; else it
// must have hit the last primitive.
static bool verify_hits(struct row *row, const struct point *point, bool counted, struct error *err)
{
    const struct rays_session *session = row->run->session->state;
    const uint32_t rays = 1u << point->beam.rays_log2;
    struct rays_hit *hits = ARENA_ARRAY(row->run->arena, rays, struct rays_hit);
    if (!gpu_buffer_read(session->hits, 0, hits, rays * sizeof *hits, err))
        return false;
    for (uint32_t i = 0; i < rays; i++) {
        const struct rays_hit *hit = &hits[i];
        uint32_t number = row->work == RAYS_WORK_BOX ? hit->instance : hit->primitive;
        bool right = counted ? hit->candidates == point->length + 1 && number == UINT32_MAX
                             : hit->candidates == 0 && number == point->length &&
                                   fabsf(hit->distance / point->end - 1) < 1e-5f;
        if (!right)
            return error_set(err, ERROR_MISMATCH,
                             "ray %u through a row of %u asked about %u, and hit number %u at %g",
                             i, point->length, hit->candidates, number, (double)hit->distance);
    }
    return true;
}

// Checks that the tree holds the whole row: rays that ask about every primitive must meet all of
// them.
static bool verify_row(struct row *row, const struct point *point, struct error *err)
{
    struct rays_beam beam = point->beam;
    beam.mode = RAYS_COUNTED;
    beam.mask = 0xff;
    return rays_beam_prepare(row->run, &beam, err) &&
           rays_run(row->run, rays_beam_record_once, &beam, err) &&
           verify_hits(row, point, true, err);
}

static bool measure_point(struct row *row, unsigned index, struct error *err)
{
    struct point *point = &row->points[index];
    struct measure_request request = *row->run->request;
    struct bench_visit part = *row->run;
    request.sample_ns /= POINT_SHARE;
    part.request = &request;
    return make_point(row, point, index >= LENGTHS, err) &&
           (row->memory->visited || verify_row(row, point, err)) &&
           rays_beam_prepare(&part, &point->beam, err) &&
           rays_beam_measure(&part, &point->beam, &row->memory->repeats[index], &point->span,
                             err) &&
           verify_hits(row, point, point->beam.mode == RAYS_COUNTED, err);
}

// ---------------------------------------------------------------- the numbers

// Returns the time of a crossing in ns, divided by the number of rays: from sample number `sample`
// of each of the layout's points, or, if `sample` is negative, from the medians of their samples.
// Sets *residual to the largest relative distance of a point from the line.
static double fit(const struct row *row, unsigned layout, int sample, double *residual)
{
    const double rays = (double)(1u << row->points[0].beam.rays_log2);
    double x[LENGTHS], y[LENGTHS];
    struct line line;
    for (int i = 0; i < LENGTHS; i++) {
        const struct point *point = &row->points[layout * LENGTHS + (unsigned)i];
        double ns = sample >= 0
                        ? point->span.unit_ns[sample]
                        : measure_median(row->run->arena, point->span.unit_ns, point->span.count);
        x[i] = point->length;
        y[i] = ns / rays;
    }
    // If longer rows take no longer, the longest row's whole time, per primitive, is an upper
    // bound.
    if (!line_fit_relative(x, y, LENGTHS, &line) || !(line.slope > 0))
        line = (struct line){.slope = y[LENGTHS - 1] / x[LENGTHS - 1]};
    *residual = 0;
    for (int i = 0; i < LENGTHS; i++)
        *residual = fmax(*residual, fabs(y[i] / (line.intercept + line.slope * x[i]) - 1));
    return line.slope;
}

static double core_hz_of(const struct row *row)
{
    double hz[POINTS];
    for (int i = 0; i < POINTS; i++) {
        const struct measure_span *span = &row->points[i].span;
        if (!span->core_hz)
            return NAN;
        hz[i] = measure_median(row->run->arena, span->core_hz, span->count);
    }
    return measure_median(row->run->arena, hz, POINTS);
}

// Returns the most boxes or triangles that a core tests per cycle; 0: not known. A crossed
// primitive is tested at least once, whatever the tree is.
static double tests_per_cycle(const struct row *row)
{
    static const struct {
        const char *architecture;
        double boxes, triangles;
    } known[] = {// METHOD.md names the sources.
                 {"RDNA 2", 4, 1},
                 {"RDNA 3", 4, 1},
                 {"RDNA 4", 8, 2},
                 {"Xe-HPG", 12, 1},
                 {"Xe2-HPG", 18, 2}};
    const char *architecture = row->run->session->limits.architecture;
    for (size_t i = 0; architecture && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(architecture, known[i].architecture) == 0)
            return row->work == RAYS_WORK_BOX        ? known[i].boxes
                   : row->work == RAYS_WORK_TRIANGLE ? known[i].triangles
                                                     : 0;
    return 0;
}

static void report_metrics(const struct row *row, const double *slopes_ns, size_t count,
                           struct measure_visit *visit)
{
    const double cores = (double)row->run->session->limits.cores, hz = core_hz_of(row);
    const double tests = tests_per_cycle(row);
    double *cycles = ARENA_ARRAY(visit->arena, count, double);
    double *rates = ARENA_ARRAY(visit->arena, count, double);
    double *per_cycle = ARENA_ARRAY(visit->arena, count, double);
    for (size_t i = 0; i < count; i++) {
        rates[i] = 1e9 / slopes_ns[i];
        cycles[i] = slopes_ns[i] * hz / 1e9 * cores;
        per_cycle[i] = 1 / cycles[i];
    }
    visit_samples(visit, RAYS_CROSSING, slopes_ns, count, 0);
    if (isfinite(hz) && cores > 0)
        visit_samples(visit, RAYS_CYCLES, cycles, count, 0);
    if (row->memory->tree_bound)
        return;
    visit_samples(visit, RAYS_CROSSINGS, rates, count, 0);
    if (isfinite(hz) && cores > 0) {
        visit_samples(visit, RAYS_PER_CYCLE, per_cycle, count, 0);
        visit_limit(visit, RAYS_CROSSINGS, tests * hz * cores);
        visit_limit(visit, RAYS_PER_CYCLE, tests);
    }
}

static void explain(const struct row *row, const double slope_ns[LAYOUTS], double residual,
                    struct measure_visit *visit)
{
    if (residual > residual_most)
        visit_flag(visit, "nonlinear",
                   "the time does not grow evenly with the row: a point is %.1f %% off the line",
                   100 * residual);
    if (row->memory->tree_bound)
        visit_remark(visit, "tree-bound",
                     "the same row takes %.4g or %.4g ns a crossing, by where its primitives are: "
                     "the driver's tree decides, so there is no rate",
                     slope_ns[0], slope_ns[1]);
    visit_detail(visit, "shape", "%u rays, rows of %d to %d in %d steps, in 2 layouts",
                 1u << row->points[0].beam.rays_log2, LENGTH_STEP, LENGTHS * LENGTH_STEP, LENGTHS);
    visit_detail(visit, "layouts",
                 "even: %.4g ns, uneven: %.4g ns a crossing; at most %.1f %% off "
                 "the line",
                 slope_ns[0], slope_ns[1], 100 * residual);
    if (row->work != RAYS_WORK_BOX)
        return;
    // A tree whose nodes have w boxes has w / (w − 1) boxes per primitive.
    visit_detail(
        visit, "tests",
        "%.3g to %.3g boxes a second: 8/7 a crossing in a tree of eight boxes a node, 2 in "
        "a binary one",
        8e9 / 7 / fmax(slope_ns[0], slope_ns[1]), 2e9 / fmin(slope_ns[0], slope_ns[1]));
}

static void report(struct row *row, struct measure_visit *visit)
{
    double medians_ns[LAYOUTS], residuals[LAYOUTS], ignored;
    size_t count = row->points[0].span.count;
    for (int i = 0; i < POINTS; i++)
        count = row->points[i].span.count < count ? row->points[i].span.count : count;
    double *slopes_ns = ARENA_ARRAY(visit->arena, count, double);
    for (unsigned layout = 0; layout < LAYOUTS; layout++) {
        medians_ns[layout] = fit(row, layout, -1, &residuals[layout]);
        for (size_t i = 0; i < count; i++)
            slopes_ns[i] += fit(row, layout, (int)i, &ignored) / LAYOUTS;
    }
    // The first visit decides, so that all visits have the same metrics.
    if (!row->memory->visited)
        row->memory->tree_bound =
            fabs(medians_ns[0] - medians_ns[1]) > layouts_most * fmin(medians_ns[0], medians_ns[1]);
    row->memory->visited = true;
    report_metrics(row, slopes_ns, count, visit);
    explain(row, medians_ns, fmax(residuals[0], residuals[1]), visit);
    visit_kernel(visit, row->points[0].beam.dispatch.program);
}

bool rays_visit_row(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct row *row = ARENA_NEW(run->arena, struct row);
    row->run = run;
    row->work = (enum rays_work)case_choice(run->bench_case, "work");
    row->memory = *run->memory;
    if (!row->memory)
        *run->memory = row->memory = ARENA_NEW(run->session->arena, struct memory);
    for (unsigned i = 0; i < POINTS; i++) {
        row->points[i].length = (i % LENGTHS + 1) * LENGTH_STEP;
        if (!measure_point(row, i, err))
            return false;
        visit->device_time_ns += row->points[i].span.device_time_ns;
    }
    struct measure_span last = row->points[POINTS - 1].span;
    last.began_ns = row->points[0].span.began_ns;
    last.device_time_ns = 0;
    measure_span_note(&last, visit);
    report(row, visit);
    return true;
}
