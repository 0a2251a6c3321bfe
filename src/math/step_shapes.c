// SPDX-License-Identifier: MIT
#include "math/step_shapes.h"

#include <math.h>

enum {
    TABLE_PER_OCTAVE = 16,
    // the table begins this many octaves below the capacity of the cache
    TABLE_BELOW = 3,
    TABLE_ABOVE = 5,
    TABLE_COUNT = (TABLE_BELOW + TABLE_ABOVE) * TABLE_PER_OCTAVE + 1,
    LINES_MAX = 512 // maximum number of cache lines that compete for one set
};

struct step_shapes {
    double share[STEP_SHAPES][TABLE_COUNT];
};

// ---------------------------------------------------------------- the kinds

enum kind {
    PAGES,
    EVEN,
    SPREAD,
    EVEN_RANDOM,
    SPREAD_RANDOM,
    EVEN_PAIR,
    SPREAD_PAIR,
    EVEN_PARTS,
    SPREAD_PARTS
};

static const struct {
    enum kind kind;
    unsigned ways;
} plan[STEP_SHAPES] = {
    {PAGES, 1},          {EVEN, 3},           {EVEN, 2},          {EVEN, 4},
    {EVEN, 8},           {EVEN, 16},          {EVEN, 32},         {SPREAD, 2},
    {SPREAD, 4},         {SPREAD, 6},         {SPREAD, 8},        {SPREAD, 12},
    {SPREAD, 16},        {SPREAD, 24},        {SPREAD, 32},       {SPREAD, 64},
    {EVEN_RANDOM, 4},    {EVEN_RANDOM, 16},   {SPREAD_RANDOM, 4}, {SPREAD_RANDOM, 8},
    {SPREAD_RANDOM, 16}, {SPREAD_RANDOM, 32}, {EVEN_PAIR, 16},    {SPREAD_PAIR, 4},
    {SPREAD_PAIR, 8},    {SPREAD_PAIR, 16},   {SPREAD_PAIR, 32},  {EVEN_PARTS, 16},
    {SPREAD_PARTS, 4},   {SPREAD_PARTS, 8},   {SPREAD_PARTS, 16}, {SPREAD_PARTS, 32}};

static bool is_spread(enum kind kind)
{
    return kind == SPREAD || kind == SPREAD_RANDOM || kind == SPREAD_PAIR || kind == SPREAD_PARTS;
}

static unsigned shape_of(enum kind kind, unsigned ways)
{
    unsigned shape = 0;
    while (shape < STEP_SHAPES - 1 && (plan[shape].kind != kind || plan[shape].ways != ways))
        shape++;
    return shape;
}

bool step_shape_is_double(unsigned shape)
{
    return plan[shape].kind >= EVEN_PAIR;
}

unsigned step_shape_single(unsigned shape)
{
    bool even = plan[shape].kind == EVEN_PAIR || plan[shape].kind == EVEN_PARTS;
    enum kind kind = even ? EVEN : SPREAD;
    if (!step_shape_is_double(shape))
        return shape;
    return shape_of(kind, plan[shape].ways);
}

unsigned step_shape_hashed(unsigned ways)
{
    return shape_of(SPREAD, ways);
}

unsigned step_shape_spread(unsigned shape)
{
    return is_spread(plan[shape].kind) ? plan[shape].ways : 0;
}

bool step_shape_is_random(unsigned shape)
{
    return plan[shape].kind == EVEN_RANDOM || plan[shape].kind == SPREAD_RANDOM;
}

bool step_shape_is_slow(unsigned shape)
{
    return step_shape_is_random(shape) || (plan[shape].kind != EVEN && plan[shape].ways <= 16);
}

bool step_shape_is_coarse(unsigned shape)
{
    return plan[shape].kind == EVEN && plan[shape].ways <= 3;
}

bool step_shape_is_gradual(unsigned shape)
{
    return plan[shape].kind == PAGES || step_shape_is_double(shape);
}

bool step_shape_is_steep(unsigned shape)
{
    return plan[shape].kind == EVEN || plan[shape].kind == SPREAD;
}

// ---------------------------------------------------------------- the table

// Returns the share of loads that miss in a set of `ways` ways, with `lines` lines in each lap.
static double set_share(enum kind kind, unsigned ways, double lines)
{
    if (lines <= ways)
        return 0;
    switch (kind) {
    case EVEN_RANDOM:
    case SPREAD_RANDOM: {
        // Each of lines × share misses of a lap replaces a random line of the set. A load hits if
        // its line survives the lap. So the share depends on itself; 40 repetitions find it.
        double share = 1, before = 0;
        for (int i = 0; i < 40 && share != before; i++) {
            before = share;
            share = 1 - pow(1 - 1.0 / ways, lines * share);
        }
        return share;
    }
    case EVEN_PAIR:
    case SPREAD_PAIR:
        // Within the part g of a lap, a chain with two nodes per line touches the share 1 − (1 −
        // g)² of all lines (map/lines.h). A line is replaced when this share is ways / lines: after
        // g = 1 − √(1 − ways / lines).
        return sqrt(1 - ways / lines);
    case EVEN_PARTS:
    case SPREAD_PARTS:
        // The load of the line's other sector divides a lap into two gaps. The sector stays only if
        // both gaps are shorter than the part of a lap after which a line is replaced.
        return fmin(2 * sqrt(1 - ways / lines), 1);
    case PAGES:
    case EVEN:
    case SPREAD:
        break;
    }
    return 1;
}

static double even_share(enum kind kind, unsigned ways, double load)
{
    double lines = load * ways, whole = floor(lines), part = lines - whole;
    double fewer = (1 - part) * whole * set_share(kind, ways, whole);
    return (fewer + part * (whole + 1) * set_share(kind, ways, whole + 1)) / lines;
}

// The lines in a set have a Poisson distribution; term k is for a line with k other lines in its
// set.
static double spread_share(unsigned ways, double load, const double *by_lines)
{
    double mean = load * ways, probability = exp(-mean), share = 0;
    // The terms after the mean fall. Terms too small to change the sum are left out.
    for (unsigned k = 0; k + 1 < LINES_MAX && (k < mean || share + probability > share); k++) {
        share += probability * by_lines[k + 1];
        probability *= mean / (k + 1);
    }
    return share;
}

static void make_shape(double *share, enum kind kind, unsigned ways)
{
    double by_lines[LINES_MAX];
    for (unsigned n = 0; n < LINES_MAX && is_spread(kind); n++)
        by_lines[n] = set_share(kind, ways, n);
    for (int i = 0; i < TABLE_COUNT; i++) {
        double load = exp2((double)i / TABLE_PER_OCTAVE - TABLE_BELOW);
        if (kind == PAGES)
            share[i] = fmax(1 - 1 / load, 0);
        else if (is_spread(kind) && load < 4)
            share[i] = spread_share(ways, load, by_lines);
        else
            share[i] = even_share(kind, ways, load);
    }
}

const struct step_shapes *step_shapes_create(struct arena *arena)
{
    struct step_shapes *shapes = ARENA_NEW(arena, struct step_shapes);
    for (unsigned i = 0; i < STEP_SHAPES; i++)
        make_shape(shapes->share[i], plan[i].kind, plan[i].ways);
    return shapes;
}

double step_shapes_share(const struct step_shapes *shapes, unsigned shape, double octaves)
{
    double at = (octaves + TABLE_BELOW) * TABLE_PER_OCTAVE;
    const double *share = shapes->share[shape];
    if (at <= 0)
        return 0;
    if (at >= TABLE_COUNT - 1)
        return 1 - (1 - share[TABLE_COUNT - 1]) * exp2(TABLE_ABOVE - octaves);
    int index = (int)at;
    double part = at - index;
    return share[index] * (1 - part) + share[index + 1] * part;
}

double step_shapes_width(const struct step_shapes *shapes, unsigned shape)
{
    double octaves = 0;
    while (octaves < 2 && step_shapes_share(shapes, shape, octaves) < 0.95)
        octaves += 1.0 / 16;
    return octaves;
}

void step_shapes_place(const double *x, size_t count, double end, const struct step_places *places)
{
    for (size_t i = 0; i < count; i++) {
        double octaves = x[i] - end, at = (octaves + TABLE_BELOW) * TABLE_PER_OCTAVE;
        bool behind = at >= TABLE_COUNT - 1;
        at = at < 0 ? 0 : behind ? TABLE_COUNT - 2 : at;
        places->index[i] = (int)at;
        places->part[i] = at - places->index[i];
        places->beyond[i] = behind ? exp2(TABLE_ABOVE - octaves) : 0;
    }
}

void step_shapes_fill(const struct step_shapes *shapes, unsigned shape,
                      const struct step_places *places, size_t count, double *share)
{
    const double *table = shapes->share[shape];
    double last = 1 - table[TABLE_COUNT - 1];
    for (size_t i = 0; i < count; i++) {
        int at = places->index[i];
        share[i] = places->beyond[i] > 0
                       ? 1 - last * places->beyond[i]
                       : table[at] + places->part[i] * (table[at + 1] - table[at]);
    }
}
