// SPDX-License-Identifier: MIT
// An invented machine answers the cases of `fathom map`, so that the plan and the results can be
// compared with the truth.
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
    // Latencies in ns of chains that visit few pages at a time, so without translation; 0: as in
    // `latency`.
    double local[MACHINE_LEVELS_MAX + 1];
    bool local_rises;                   // `local` also rises within a level
    double line, sector;                // bytes
    double sharers[MACHINE_LEVELS_MAX]; // cores that share one cache of the level
    bool hashed;                        // a hash chooses the set of a line
    double entries, page;               // TLB entries; bytes that an entry covers
    double rises_from;                  // bytes above which latency rises without levels; 0: none
    double slope;                       // > 0: no levels, latency rises by this power of the bytes
    double code[MACHINE_LEVELS_MAX],
        fetch[MACHINE_LEVELS_MAX + 1];    // instructions that levels hold; ns to fetch one
    double code_bytes;                    // of an instruction, as the driver says; 0: it does not
    double code_most;                     // longer code is skipped; 0: none is
    const char *no_reads;                 // why reads are skipped; NULL: they are not
    double reads[MACHINE_LEVELS_MAX + 1]; // bytes per second of all caches of a level together
    // Workgroups go to the caches of a level in turn. Cores that share a cache see only some of the
    // parts, unless the numbers of parts and of caches share no factor.
    double piece;      // bytes of a part
    double merges;     // below so many bytes a core, one access serves several cores
    bool falls;        // the more bytes are read, the slower, without plateaus
    bool suspect;      // every read is suspect
    double reads_most; // larger reads by all cores of the same bytes are skipped; 0: none
};

extern const struct machine machine_hopper;

// Returns "vulkan:0" with all capabilities but VIRTUAL_TIME.
struct gpu_info machine_device(enum gpu_kind kind);

// Runs `fathom map` on the machine and returns its run, which the caller destroys. Sets *cases,
// unless `cases` is NULL, to the number of cases that were measured. machine_map_up_to ends the run
// after `most` cases.
struct run *machine_map(const struct gpu_info *device, const struct machine *machine,
                        size_t *cases);
struct run *machine_map_up_to(const struct gpu_info *device, const struct machine *machine,
                              size_t most);

// Returns the result with that key; the test fails if there is none.
const struct result *machine_found(const struct run *run, const char *key);
double machine_value(const struct result *result, const char *metric);     // NaN if absent
const char *machine_detail(const struct result *result, const char *name); // "" if absent

#endif
