// SPDX-License-Identifier: MIT
// The shapes that a step of a latency curve can have: the share of a chain's loads that miss, as a
// function of the region. A shape depends on how a cache chooses sets and replaces lines:
//
//   even     Every set gets the same number of the chain's lines, and the oldest line is replaced.
//            The share rises sharply.
//   spread   A hash of each line chooses its set, so the number of lines in a set has a Poisson
//            distribution. The share rises long before the capacity. At the capacity it is above ½.
//   random   A random line of the set is replaced. The share rises over more than one octave.
//   pair     Two nodes of the chain share a line, and the oldest line is replaced. The share rises
//            slowly.
//   parts    Two nodes of the chain share a line, but lie in different sectors of it. So a node
//            finds its sector only if the line survived the whole lap.
//   pages    Entries of a TLB, each for many nodes. The share is 1 − reach / region.
#ifndef MATH_STEP_SHAPES_H
#define MATH_STEP_SHAPES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    STEP_SHAPES = 32,    // number of shapes that a step can have
    STEP_SHAPE_SHARP = 4 // number of the shape `even` with 8 ways
};

// Table of all shapes: the share of loads that miss, by the distance in octaves from the step's end
// (the capacity of the cache).
struct step_shapes;

// Computes the table of the shapes, in `arena`.
const struct step_shapes *step_shapes_create(struct arena *arena);

// Returns the share of loads that miss if the chain's region is 2^octaves times the capacity of the
// cache.
double step_shapes_share(const struct step_shapes *shapes, unsigned shape, double octaves);

// Returns the distance in octaves from the end of a step (the capacity of the cache) to the region
// at which 95 % of the loads miss; at most 2.
double step_shapes_width(const struct step_shapes *shapes, unsigned shape);

// Where the points of a curve lie in the table of shapes, for a step that ends at a given place.
// All shapes have the same places, so a search computes them once.
// - Within the table, point i lies between the elements index[i] and index[i] + 1. part[i] is 0 at
//   the first of the two, and grows towards 1 at the second. beyond[i] is 0.
// - A point before the table has the place of the first element.
// - For a point n octaves after the last element, beyond[i] is 2^-n. Only this value is then used.
struct step_places {
    int *index;
    double *part, *beyond;
};

// Sets `places` for the `count` points x of a curve and a step that ends at `end`.
void step_shapes_place(const double *x, size_t count, double end, const struct step_places *places);

// Sets share[i] to the share of loads that miss at point i if the step has this shape. `places`
// comes from step_shapes_place, for the same points and the step's end.
void step_shapes_fill(const struct step_shapes *shapes, unsigned shape,
                      const struct step_places *places, size_t count, double *share);

// True for shapes that only a chain with several nodes in each page or line can have: pages, pair
// and parts.
bool step_shape_is_gradual(unsigned shape);

// True for the shapes pair and parts, which exist only if two nodes of the chain share a line.
bool step_shape_is_double(unsigned shape);

// True for shapes in which the share of misses rises slowly. These are the shapes with random
// replacement, and all shapes with at most 16 ways except `even`.
bool step_shape_is_slow(unsigned shape);

// True for the shape `even` with at most 3 ways. A cache with more ways can look the same: if a few
// large pages fill its sets unevenly, loads miss before the capacity.
bool step_shape_is_coarse(unsigned shape);

// True for the shapes of caches that replace a random line of a set.
bool step_shape_is_random(unsigned shape);

// True for the shapes of caches that replace the oldest line of a set, if each line holds one node
// of the chain.
bool step_shape_is_steep(unsigned shape);

// Returns the shape that a step has in a chain with one node per line. `shape` is the shape of the
// same step in a chain with two nodes per line. Any other shape is returned unchanged.
unsigned step_shape_single(unsigned shape);

// Returns the number of the shape `spread` (a hash chooses the set) for sets with `ways` ways. The
// table of shapes must have it.
unsigned step_shape_hashed(unsigned ways);

// Returns the number of ways, for a shape in which a hash of the line chooses the set, so that the
// number of lines in a set has a Poisson distribution. Returns 0 for all other shapes.
unsigned step_shape_spread(unsigned shape);

#endif
