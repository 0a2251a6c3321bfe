// SPDX-License-Identifier: MIT
// The shapes that a step of a latency curve has: the part of a chain's loads that miss, over the
// region. A shape depends on how a cache chooses sets and replaces lines:
//
//   even     every set holds as many lines; the oldest is replaced: a sharp step
//   spread   a hash of each line chooses its set, so the number of lines in a set has a Poisson
//            distribution: the curve rises long before the capacity, by half at the capacity
//   random   a random line of the set is replaced: the curve rises for two octaves or more
//   pair     two nodes of the chain share a line: the same
//   pages    entries of a TLB, each for many nodes: the share is 1 − reach / region
#ifndef MATH_STEP_SHAPES_H
#define MATH_STEP_SHAPES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    STEP_SHAPES = 27, // shapes are numbers below this
    STEP_SHAPE_SHARP = 4
};

// The shapes as a table over octaves.
struct step_shapes;

// Computes the shapes, in `arena`.
const struct step_shapes *step_shapes_create(struct arena *arena);

// The part of loads that miss, if the region is 2^octaves times as large as the end.
double step_shapes_share(const struct step_shapes *shapes, unsigned shape, double octaves);

// Octaves behind the end, up to 2, after which 95 % of the loads miss.
double step_shapes_width(const struct step_shapes *shapes, unsigned shape);

// Where points lie in the table, for steps with one end: the search for a fit computes this once
// for all shapes.
struct step_places {
    int *index;
    double *part, *beyond; // of the way to index + 1; behind the table: 2^-octaves, else 0
};

void step_shapes_place(const double *x, size_t count, double end, const struct step_places *places);

// share[i]: step_shapes_share at point i.
void step_shapes_fill(const struct step_shapes *shapes, unsigned shape,
                      const struct step_places *places, size_t count, double *share);

// True if only many nodes in each page (or line) explain the shape.
bool step_shape_is_gradual(unsigned shape);

// True if loads miss long before the capacity.
bool step_shape_is_slow(unsigned shape);

// True if the cache replaces a random line.
bool step_shape_is_random(unsigned shape);

// True if the cache replaces the oldest line and each line holds one node of the chain.
bool step_shape_is_steep(unsigned shape);

// The shape that the same cache has if each line holds one node of the chain.
unsigned step_shape_single(unsigned shape);

// The ways of a set, if the number of lines in a set has a Poisson distribution; else 0.
unsigned step_shape_spread(unsigned shape);

#endif
