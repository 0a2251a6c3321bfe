// SPDX-License-Identifier: MIT
// What the rasteriser does, in words: from the cases of the benchmark whose metrics are triangles
// and draws.
#ifndef ANALYSIS_RASTERS_H
#define ANALYSIS_RASTERS_H

#include "results/results.h"

// Adds findings for each device that has none of them; keys: the cases that say so.
//   raster-cores      how many of the cores draw; value: their number
//   raster-triangles  how many triangles a second at most, and from which size on their pixels
//   bind:
//                     where the rate has fallen to half of the most; value: the most
//   raster-blend      pixels that are mixed with what is there against opaque ones, of the format
//                     that was measured first; value: the ratio of the rates
//   raster-depth      pixels that fail the depth test against those that pass and write it; value:
//   likewise
void rasters_add_findings(struct run *run);

#endif
