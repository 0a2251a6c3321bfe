// SPDX-License-Identifier: MIT
// A machine that is written down answers what `fathom map` asks, so that its plan and its results
// are held against a truth.
#ifndef MAP_MACHINE_H
#define MAP_MACHINE_H

#include "gpu/info.h"
#include "results/results.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    MACHINE_LEVELS_MAX = 3
};

struct machine {
    size_t levels;
    double capacity[MACHINE_LEVELS_MAX], latency[MACHINE_LEVELS_MAX + 1]; // bytes, ns
    // Of chains that visit few pages at a time, ns: the latencies without translation; 0:
    // `latency`.
    double local[MACHINE_LEVELS_MAX + 1];
    bool local_rises;                   // their latency depends on the region within a level
    double line, sector;                // bytes
    double sharers[MACHINE_LEVELS_MAX]; // cores that have a level in common
    bool hashed;                        // how lines choose their sets
    double entries, page;               // of the TLB; bytes of an entry
    double rises_from;                  // bytes; 0: never. Beyond, latency rises without levels
    double slope; // of a machine without levels: the latency's exponent over bytes
    double code[MACHINE_LEVELS_MAX],
        fetch[MACHINE_LEVELS_MAX + 1];    // instructions that levels hold; their time, ns
    double code_bytes;                    // of one, as the driver says; 0: it does not
    double code_most;                     // longer code is skipped; 0: none is
    const char *no_reads;                 // why reads are skipped; NULL: they are not
    double reads[MACHINE_LEVELS_MAX + 1]; // bytes per second of all caches of a level together
    // Workgroups are dealt to the caches of a level in turn: cores that share one see only some of
    // the parts, unless the number of parts shares no factor with the number of caches.
    double piece;      // bytes of a part
    double merges;     // bytes per core below which one access serves several cores
    bool falls;        // the more is read the slower, without plateaus
    bool suspect;      // every read is
    double reads_most; // reads of all cores of the same bytes are skipped beyond; 0: none is
};

extern const struct machine machine_hopper;

// "vulkan:0", with all capabilities but VIRTUAL_TIME.
struct gpu_info machine_device(enum gpu_kind kind);

// Runs `fathom map` on the machine and returns its run, which the caller destroys. Sets *cases,
// unless `cases` is NULL, to the number of cases that were measured. machine_map_up_to ends the run
// after `most` cases.
struct run *machine_map(const struct gpu_info *device, const struct machine *machine,
                        size_t *cases);
struct run *machine_map_up_to(const struct gpu_info *device, const struct machine *machine,
                              size_t most);

// The result with that key; the test fails where there is none.
const struct result *machine_found(const struct run *run, const char *key);
double machine_value(const struct result *result, const char *metric);     // NaN where it is absent
const char *machine_detail(const struct result *result, const char *name); // "" likewise

#endif
