// SPDX-License-Identifier: MIT
// Chooses a reference run to compare a run with. reference/index.json lists the committed runs:
//
//   {"schema":"fathom-reference/1",
//    "runs":[{"file":"h200-vulkan-standard.json", "match":"NVIDIA H200", "api":"vulkan",
//             "preset":"standard", "note":"…", "published":false}]}
//
// `match` is a part of the device's name, in upper or lower case. `published` is true if the values
// are from publications of other authors. Reports may draw such values, but they are never chosen
// here. Unknown members are ignored.
#ifndef ANALYSIS_REFERENCE_H
#define ANALYSIS_REFERENCE_H

#include "results/results.h"

struct index_entry {
    const char *path; // path of the run file; in an index file it is relative to the index's folder
    const char *match, *api, *preset;
    const char *note; // text about the run; may be NULL
    bool published;
};

struct run_index {
    struct index_entry *entries;
    size_t count;
};

// Reads an index file. Fails with ERROR_IO if the file cannot be read. Fails with ERROR_USAGE if it
// is not an index; the message then names the line of a syntax error, or the JSON path of a wrong
// part.
MUST_CHECK bool run_index_read(struct arena *arena, const char *path, struct run_index *index,
                               struct error *err);

// Sets *entry to the reference for the first device of the run that has one: the APIs are equal,
// and the device's name contains the entry's `match`. The longest `match` wins, then the preset of
// the run, then "full", "standard", "quick". Values from publications are never chosen. Fails with
// ERROR_USAGE if no entry fits; the message lists the devices that have references.
MUST_CHECK bool reference_choose(struct arena *arena, const struct run_index *index,
                                 const struct run *run, const struct index_entry **entry,
                                 struct error *err);

// Returns the reference results that are embedded in the program (reference/checks.json). The
// caller releases them with run_destroy.
struct run *reference_checks_run(void);

#endif
