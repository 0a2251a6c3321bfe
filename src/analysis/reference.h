// SPDX-License-Identifier: MIT
// Which reference run a run is compared with. The committed runs stand in reference/index.json:
//
//   {"schema":"fathom-reference/1",
//    "runs":[{"file":"h200-vulkan-standard.json", "match":"NVIDIA H200", "api":"vulkan",
//             "preset":"standard", "note":"…", "published":false}]}
//
// `match` is a part of the device's name, letter case aside. `published` marks tables that others
// printed: a report may draw them, but no run is judged by them. Unknown members are ignored.
#ifndef ANALYSIS_REFERENCE_H
#define ANALYSIS_REFERENCE_H

#include "results/results.h"

struct index_entry {
    const char *path; // of the run file, which stands beside the index file
    const char *match, *api, *preset;
    const char *note; // may be NULL
    bool published;
};

struct run_index {
    struct index_entry *entries;
    size_t count;
};

// Reads such an index. ERROR_IO where the file cannot be read, ERROR_USAGE with the JSON path where
// it is not an index.
MUST_CHECK bool run_index_read(struct arena *arena, const char *path, struct run_index *index,
                               struct error *err);

// The entry for a device of the run: its name holds the entry's match and its API is the entry's.
// Of several the longest match wins, then the run's own preset, then "full", "standard", "quick".
// Published tables are never chosen. ERROR_USAGE where no entry fits any device: the message names
// the devices that there are references for.
MUST_CHECK bool reference_choose(struct arena *arena, const struct run_index *index,
                                 const struct run *run, const struct index_entry **entry,
                                 struct error *err);

#endif
