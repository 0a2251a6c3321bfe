// SPDX-License-Identifier: MIT
// Measures how long a ray takes to cross one primitive. Parallel rays cross part of a row of
// primitives. Only the last primitive ends a ray. The result is the slope of a line: time of a ray
// over the number of primitives that it crosses.
//
// All points of a line come from one tree. The rays of each point begin at another place of the
// tree's row. Rows of different lengths would need trees of different sizes. The nodes and leaves
// of such trees are not equally full, so the points would not be on a line.
#include "bench/rays/session.h"
#include "math/line.h"

#include <math.h>
#include <string.h>

enum {
    LENGTHS = 8,
    // Number of primitives from one point of the line to the next. Rays cross 192, 288 … 864
    // primitives, and reach the primitive at the end of the row.
    LENGTH_STEP = 96,
    STEPS_LEAST = 2,
    // Primitives in a row, without the primitive at its end. The longest rays cross all primitives
    // but the first LENGTH_STEP. The shortest rays cross STEPS_LEAST × LENGTH_STEP primitives. If
    // they crossed only LENGTH_STEP, up to 4 % of their time would be work at the end of the row.
    ROW = (LENGTHS + STEPS_LEAST) * LENGTH_STEP,
    LAYOUTS = 2,
    POINTS = LAYOUTS * LENGTHS,
    // Each primitive covers at least −4 to 4 along y and z. Rays go along x, so they cross it.
    REACH = 4,
    END_MASK = 2,   // mask of the last instance in a row; the others have mask 1
    POINT_SHARE = 8 // a sample of a point takes 1 / POINT_SHARE of the requested time
};
static const double residual_most = 0.02, layouts_most = 0.05;
// Additional distance in x before each group of primitives. Rays begin in the middle of such a gap.
static const float gap = 2;

// Places of primitives in a row. Groups of 120 bent the line by 6 % on an H100.
static const struct layout {
    const char *name;
    uint32_t group; // primitives per group; a divisor of LENGTH_STEP
    // True: distances vary from 1/128 to 1, and each LENGTH_STEP primitives have shuffled numbers.
    bool uneven;
} layouts[LAYOUTS] = {{"even in groups of 96", 96, false}, {"uneven in groups of 32", 32, true}};

struct point {
    struct rays_beam beam;
    struct measure_span span;
};

struct row {
    const struct layout *layout;
    struct rays_tree tree;
    struct point points[LENGTHS]; // the rays of points[i] cross length_of(i) primitives
    float starts[LENGTHS];        // starts[i] is the x at which the rays of points[i] begin
    float end;                    // x of the primitive at the end of the row
};

struct memory {
    uint64_t repeats[LAYOUTS][LENGTHS];
    bool visited, tree_bound;
};

struct job {
    struct bench_visit *run;
    enum rays_work work;
    struct memory *memory;
    struct rays_hit *hits; // host memory for the hits of one point's rays
    struct row rows[LAYOUTS];
};

static uint32_t length_of(unsigned point)
{
    return (point + STEPS_LEAST) * LENGTH_STEP;
}

// ---------------------------------------------------------------- making a row

// Returns the x of each primitive, the row's end last. Also sets row->starts and row->end.
static float *place(struct arena *arena, struct row *row)
{
    const struct layout *layout = row->layout;
    float x = 0, *places = ARENA_ARRAY(arena, ROW + 1, float);
    uint32_t state = 1;
    for (uint32_t i = 0; i < ROW; i++) {
        if (i % layout->group == 0)
            x += gap;
        if (i > 0 && i % LENGTH_STEP == 0 && i / LENGTH_STEP <= LENGTHS)
            row->starts[LENGTHS - i / LENGTH_STEP] = x - gap / 2;
        // 37 and LENGTH_STEP have no common divisor, so each place in a step gets one primitive.
        // Primitives stay within their step, because some drivers (lavapipe) do not sort them. If
        // they left it, nodes of the tree would reach from before the rays' start to the end of the
        // row.
        const uint32_t step = i - i % LENGTH_STEP;
        places[layout->uneven ? step + i * 37 % LENGTH_STEP : i] = x;
        state = state * 1664525u + 1013904223u;
        x += layout->uneven ? 1.0f / (float)(1u << (state >> 29)) : 1;
    }
    row->end = places[ROW] = x + gap;
    return places;
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

// Writes the row's primitives. Only the last primitive ends a ray: it is the only triangle that
// faces the rays, or the only instance with END_MASK. With RAYS_COUNTED, no primitive ends a ray.
static bool write_input(const struct job *job, struct row *row, struct error *err)
{
    struct rays_tree *tree = &row->tree;
    struct arena *arena = job->run->arena;
    const uint32_t count = tree->scene.count = ROW + 1;
    const float *places = place(arena, row);
    struct triangle *triangles = ARENA_ARRAY(arena, count, struct triangle);
    struct box *boxes = ARENA_ARRAY(arena, count, struct box);
    struct gpu_tree_instance *instances = ARENA_ARRAY(arena, count, struct gpu_tree_instance);
    for (uint32_t i = 0; i < count; i++) {
        const float x = places[i];
        triangles[i] = triangle_at(x, i < ROW);
        boxes[i] = (struct box){{x, -REACH, -REACH}, {x + 0.001f, REACH, REACH}};
        if (tree->desc.kind == GPU_TREE_INSTANCES)
            instances[i] = instance_at(x, i, i == ROW, tree);
    }
    const struct {
        const void *data;
        uint64_t bytes;
    } inputs[] = {[GPU_TREE_TRIANGLES] = {triangles, count * sizeof *triangles},
                  [GPU_TREE_BOXES] = {boxes, count * sizeof *boxes},
                  [GPU_TREE_INSTANCES] = {instances, count * sizeof *instances}},
      input = inputs[tree->desc.kind];
    tree->input = bench_buffer(job->run->scope, input.bytes, GPU_MEMORY_DEVICE, err);
    return tree->input && gpu_buffer_write(tree->input, 0, input.data, input.bytes, err);
}

static bool make_row(struct job *job, struct row *row, struct error *err)
{
    static const enum gpu_tree_kind kinds[] = {[RAYS_WORK_TRIANGLE] = GPU_TREE_TRIANGLES,
                                               [RAYS_WORK_BOX] = GPU_TREE_INSTANCES,
                                               [RAYS_WORK_ANY_HIT] = GPU_TREE_TRIANGLES,
                                               [RAYS_WORK_PROCEDURAL] = GPU_TREE_BOXES};
    row->tree.desc = (struct gpu_tree_desc){
        .kind = kinds[job->work],
        .opaque = job->work == RAYS_WORK_TRIANGLE || job->work == RAYS_WORK_BOX,
        .fast_build = case_says(job->run->bench_case, "flag", "fast-build"),
    };
    return (kinds[job->work] != GPU_TREE_INSTANCES ||
            rays_tree_triangle(job->run, &row->tree, err)) &&
           write_input(job, row, err) && rays_tree_build(job->run, &row->tree, err);
}

static struct rays_beam beam_of(const struct job *job, const struct row *row, unsigned point)
{
    const struct rays_session *session = job->run->session->state;
    return (struct rays_beam){
        .tree = &row->tree,
        .rays = RAYS_ROW,
        .rays_log2 = session->row_rays_log2,
        .start = row->starts[point],
        .mode = !row->tree.desc.opaque       ? RAYS_COUNTED
                : job->work == RAYS_WORK_BOX ? RAYS_OPAQUE
                                             : RAYS_CULLED,
        .mask = job->work == RAYS_WORK_BOX ? END_MASK : 0xff,
        .pipeline = rays_by_pipeline(job->run),
    };
}

// ---------------------------------------------------------------- the proof

// Checks the hits of a point's rays. If `counted` is true, each ray must have counted all
// primitives and hit none. Otherwise, each ray must have hit the last primitive.
static bool verify_hits(const struct job *job, const struct row *row, unsigned point, bool counted,
                        struct error *err)
{
    const struct rays_session *session = job->run->session->state;
    const uint32_t rays = 1u << session->row_rays_log2, length = length_of(point);
    const float distance = row->end - row->starts[point];
    if (!gpu_buffer_read(session->hits, 0, job->hits, rays * sizeof *job->hits, err))
        return false;
    for (uint32_t i = 0; i < rays; i++) {
        const struct rays_hit *hit = &job->hits[i];
        uint32_t number = job->work == RAYS_WORK_BOX ? hit->instance : hit->primitive;
        bool right = counted ? hit->candidates == length + 1 && number == UINT32_MAX
                             : hit->candidates == 0 && number == ROW &&
                                   fabsf(hit->distance / distance - 1) < 1e-5f;
        if (!right)
            return error_set(err, ERROR_MISMATCH,
                             "ray %u through %u primitives asked about %u, and hit number %u at %g",
                             i, length, hit->candidates, number, (double)hit->distance);
    }
    return true;
}

// Checks, with rays that count primitives and stop at none, that the tree has all primitives.
static bool verify_row(const struct job *job, const struct row *row, unsigned point,
                       struct error *err)
{
    struct rays_beam beam = beam_of(job, row, point);
    beam.mode = RAYS_COUNTED;
    beam.mask = 0xff;
    return rays_beam_prepare(job->run, &beam, err) &&
           rays_run(job->run, rays_beam_record_once, &beam, err) &&
           verify_hits(job, row, point, true, err);
}

static bool measure_point(struct job *job, struct row *row, unsigned index, struct error *err)
{
    struct point *point = &row->points[index];
    struct measure_request request = *job->run->request;
    struct bench_visit part = *job->run;
    request.sample_ns /= POINT_SHARE;
    part.request = &request;
    point->beam = beam_of(job, row, index);
    return (job->memory->visited || verify_row(job, row, index, err)) &&
           rays_beam_prepare(&part, &point->beam, err) &&
           rays_beam_measure(&part, &point->beam, &job->memory->repeats[row - job->rows][index],
                             &point->span, err) &&
           verify_hits(job, row, index, point->beam.mode == RAYS_COUNTED, err);
}

static bool measure_row(struct job *job, struct row *row, struct error *err)
{
    if (!make_row(job, row, err))
        return false;
    for (unsigned i = 0; i < LENGTHS; i++)
        if (!measure_point(job, row, i, err))
            return false;
    return true;
}

// ---------------------------------------------------------------- the numbers

// Returns the time in ns per ray in a sample; the median of all samples if `sample` is negative.
static double time_of(const struct job *job, const struct point *point, int sample)
{
    const struct measure_span *span = &point->span;
    return (sample >= 0 ? span->unit_ns[sample]
                        : measure_median(job->run->arena, span->unit_ns, span->count)) /
           (double)(1u << point->beam.rays_log2);
}

// Returns the slope of the row's line: the time in ns per ray and crossed primitive. The line fits
// sample number `sample` of each point. If `sample` is negative, it fits the medians. Sets
// *residual to the largest relative distance of a point from the line.
static double fit(const struct job *job, const struct row *row, int sample, double *residual)
{
    double x[LENGTHS], y[LENGTHS];
    struct line line;
    for (unsigned i = 0; i < LENGTHS; i++) {
        x[i] = length_of(i);
        y[i] = time_of(job, &row->points[i], sample);
    }
    // Without a rising line, the longest rays' time per primitive is an upper bound of the slope.
    if (!line_fit_relative(x, y, LENGTHS, &line) || !(line.slope > 0))
        line = (struct line){.slope = y[LENGTHS - 1] / x[LENGTHS - 1]};
    *residual = 0;
    for (int i = 0; i < LENGTHS; i++)
        *residual = fmax(*residual, fabs(y[i] / (line.intercept + line.slope * x[i]) - 1));
    return line.slope;
}

static double core_hz_of(const struct job *job)
{
    double hz[POINTS];
    for (unsigned i = 0; i < POINTS; i++) {
        const struct measure_span *span = &job->rows[i / LENGTHS].points[i % LENGTHS].span;
        if (!span->core_hz)
            return NAN;
        hz[i] = measure_median(job->run->arena, span->core_hz, span->count);
    }
    return measure_median(job->run->arena, hz, POINTS);
}

// Returns the number of boxes or triangles that a core can test per cycle; 0 if not known. A ray
// needs at least one test for each primitive that it crosses.
static double tests_per_cycle(const struct job *job)
{
    static const struct {
        const char *architecture;
        double boxes, triangles;
    } known[] = {// METHOD.md names the sources of these numbers
                 {"RDNA 2", 4, 1},
                 {"RDNA 3", 4, 1},
                 {"RDNA 4", 8, 2},
                 {"Xe-HPG", 12, 1},
                 {"Xe2-HPG", 18, 2}};
    const char *architecture = job->run->session->limits.architecture;
    for (size_t i = 0; architecture && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(architecture, known[i].architecture) == 0)
            return job->work == RAYS_WORK_BOX        ? known[i].boxes
                   : job->work == RAYS_WORK_TRIANGLE ? known[i].triangles
                                                     : 0;
    return 0;
}

static void report_metrics(const struct job *job, const double *slopes_ns, size_t count,
                           struct measure_visit *visit)
{
    const double cores = (double)job->run->session->limits.cores, hz = core_hz_of(job);
    const double tests = tests_per_cycle(job);
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
    if (job->memory->tree_bound)
        return;
    visit_samples(visit, RAYS_CROSSINGS, rates, count, 0);
    if (isfinite(hz) && cores > 0) {
        visit_samples(visit, RAYS_PER_CYCLE, per_cycle, count, 0);
        visit_limit(visit, RAYS_CROSSINGS, tests * hz * cores);
        visit_limit(visit, RAYS_PER_CYCLE, tests);
    }
}

// Adds the points of all lines as a series: x is the number of crossed primitives, y a ray's time.
static void add_points(const struct job *job, struct measure_visit *visit)
{
    const char *columns[1 + LAYOUTS] = {"primitives"};
    for (unsigned r = 0; r < LAYOUTS; r++)
        columns[1 + r] = arena_printf(visit->arena, "%s (ns)", layouts[r].name);
    double *cell = visit_series(visit, "time of a ray", columns, COUNT(columns), LENGTHS)->data;
    for (unsigned i = 0; i < LENGTHS; i++) {
        *cell++ = length_of(i);
        for (unsigned r = 0; r < LAYOUTS; r++)
            *cell++ = time_of(job, &job->rows[r].points[i], -1);
    }
}

// Slopes of the lines of all rows, from the medians of their points.
struct slopes {
    double ns[LAYOUTS];
    double least_ns, most_ns;
    double residual; // largest relative distance of any point from its line
};

static void explain(const struct job *job, const struct slopes *slopes, struct measure_visit *visit)
{
    const char *list = "";
    for (unsigned r = 0; r < LAYOUTS; r++)
        list = arena_printf(visit->arena, "%s%s: %.4g ns, ", list, layouts[r].name, slopes->ns[r]);
    if (slopes->residual > residual_most)
        visit_flag(visit, "nonlinear",
                   "the time does not grow evenly with the row: a point is %.1f %% off the line",
                   100 * slopes->residual);
    if (job->memory->tree_bound)
        visit_remark(visit, "tree-bound",
                     "a crossing takes %.4g to %.4g ns, by where the row's primitives are: the "
                     "driver's tree decides, so there is no rate",
                     slopes->least_ns, slopes->most_ns);
    visit_detail(visit, "shape",
                 "%u rays, through %u to %u of %d primitives in %d steps, in %d rows",
                 1u << job->rows[0].points[0].beam.rays_log2, length_of(0), length_of(LENGTHS - 1),
                 ROW, LENGTHS, LAYOUTS);
    visit_detail(visit, "layouts", "%sa crossing; at most %.1f %% off the line", list,
                 100 * slopes->residual);
    if (job->work != RAYS_WORK_BOX)
        return;
    // With w boxes per node, a tree has w / (w − 1) boxes per primitive. A ray tests as many boxes
    // per primitive that it crosses.
    visit_detail(
        visit, "tests",
        "%.3g to %.3g boxes a second: 8/7 a crossing in a tree of eight boxes a node, 2 in "
        "a binary one",
        8e9 / 7 / slopes->most_ns, 2e9 / slopes->least_ns);
}

static void report(struct job *job, struct measure_visit *visit)
{
    struct slopes slopes = {.least_ns = INFINITY};
    size_t count = SIZE_MAX;
    for (unsigned i = 0; i < POINTS; i++) {
        const size_t taken = job->rows[i / LENGTHS].points[i % LENGTHS].span.count;
        count = taken < count ? taken : count;
    }
    double *slopes_ns = ARENA_ARRAY(visit->arena, count, double), residual;
    for (unsigned r = 0; r < LAYOUTS; r++) {
        for (size_t i = 0; i < count; i++)
            slopes_ns[i] += fit(job, &job->rows[r], (int)i, &residual) / LAYOUTS;
        slopes.ns[r] = fit(job, &job->rows[r], -1, &residual);
        slopes.residual = fmax(slopes.residual, residual);
        slopes.least_ns = fmin(slopes.least_ns, slopes.ns[r]);
        slopes.most_ns = fmax(slopes.most_ns, slopes.ns[r]);
    }
    // Only the first visit sets tree_bound, so that all visits report the same metrics.
    if (!job->memory->visited)
        job->memory->tree_bound = slopes.most_ns > (1 + layouts_most) * slopes.least_ns;
    job->memory->visited = true;
    report_metrics(job, slopes_ns, count, visit);
    add_points(job, visit);
    explain(job, &slopes, visit);
    visit_kernel(visit, job->rows[0].points[0].beam.dispatch.program);
}

bool rays_visit_row(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    const struct rays_session *session = run->session->state;
    struct job *job = ARENA_NEW(run->arena, struct job);
    job->run = run;
    job->work = (enum rays_work)case_choice(run->bench_case, "work");
    job->memory = *run->memory;
    job->hits = ARENA_ARRAY(run->arena, 1u << session->row_rays_log2, struct rays_hit);
    if (!job->memory)
        *run->memory = job->memory = ARENA_NEW(run->session->arena, struct memory);
    for (unsigned r = 0; r < LAYOUTS; r++) {
        job->rows[r].layout = &layouts[r];
        if (!measure_row(job, &job->rows[r], err))
            return false;
        for (unsigned i = 0; i < LENGTHS; i++)
            visit->device_time_ns += job->rows[r].points[i].span.device_time_ns;
    }
    struct measure_span last = job->rows[LAYOUTS - 1].points[LENGTHS - 1].span;
    last.began_ns = job->rows[0].points[0].span.began_ns;
    last.device_time_ns = 0;
    measure_span_note(&last, visit);
    report(job, visit);
    return true;
}
