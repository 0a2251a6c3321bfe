// SPDX-License-Identifier: MIT
// Pages of a TLB, from chains over pages that are nearer to each other or farther apart than those
// by which its reach was found: one entry serves as many of them as lie in one page.
#ifndef MAP_PAGES_H
#define MAP_PAGES_H

#include "analysis/levels.h"
#include "gpu/gpu.h"

#include <stdint.h>

enum {
    MAP_PAGES_PROBES = 7,
    MAP_PAGES_WIDE = 4 // the first ones: pages farther apart
};

#define MAP_PAGE_BYTES (UINT64_C(2) << 20)  // latency's default, by which the reach is found
#define MAP_PAGES_MOST (UINT64_C(32) << 30) // bytes of the largest region: it is to be had first
// The widest probe then has four nodes: with fewer, whole pages are too coarse to tell.
#define MAP_PAGES_REACH_MIN (UINT64_C(92) << 20)

struct map_pages_probe {
    double region; // bytes: whole pages
    uint64_t page; // bytes from one page to the next
};

// Bytes at which translation ends to be free, for a chain over pages of 2 MiB; 0 where the curve
// shows no such end.
double map_translation_end(const struct level_curve *curve);

// Bytes that chains over pages may cover on a device.
double map_pages_most(const struct gpu_info *device);

// Probes for that reach, within `most` bytes; returns how many: none, with the reason in *why,
// where the reach is below MAP_PAGES_REACH_MIN, or so long that no region fits.
//   wide    regions of 0.7 p times the reach through pages p, 2p, 4p, 8p times 2 MiB apart: they
//           fit where an entry stands for at most 2, 4, 8, 16 MiB. p is 16, or what fits `most`
//   narrow  0.7, 0.35, 0.177 of the reach through pages of 1, ½, ¼ MiB: they fit where an entry
//           stands for at least 2, 1, ½ MiB
size_t map_pages_plan(double reach, double most, struct map_pages_probe probes[MAP_PAGES_PROBES],
                      const char **why);

// The page that their latencies tell, in bytes; 0 with the reason in *why. A probe fits where its
// latency is nearer (by ratio) to `within` than to that of the same region with pages of 2 MiB,
// which `curve` has.
uint64_t map_pages_judge(const struct level_curve *curve, double within,
                         const struct map_pages_probe *probes, const double *ns, size_t count,
                         const char **why);

#endif
