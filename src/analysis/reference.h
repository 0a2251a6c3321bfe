// SPDX-License-Identifier: MIT
// Chooses the reference run that a run is compared with. reference/index.json lists the committed
// runs:
//
//   {"schema":"fathom-reference/1",
//    "runs":[{"file":"h200-vulkan-standard.json", "match":"NVIDIA H200", "api":"vulkan",
//             "preset":"standard", "note":"…", "published":false}]}
//
// `match` is a part of the device's name, in upper or lower case. `published` is true for values
// from publications of other authors: reports may draw them, but they are never chosen here.
// Unknown members are ignored.
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

// Reads an index file. Fails with ERROR_IO if it cannot be read, or with ERROR_USAGE if it is not
// an index; the message then says at which JSON path.
MUST_CHECK bool run_index_read(struct arena *arena, const char *path, struct run_index *index,
                               struct error *err);

// Sets *entry to the reference for the first device of the run that has one. An entry fits if the
// device's name contains its `match` and the APIs are equal. Of several entries that fit, the one
// with the longest match is chosen. If there are several of these, the order of presets is: that of
// the run, then "full", "standard", "quick". Published entries are never chosen. Fails with
// ERROR_USAGE if no entry fits; the message lists the devices that have references.
MUST_CHECK bool reference_choose(struct arena *arena, const struct run_index *index,
                                 const struct run *run, const struct index_entry **entry,
                                 struct error *err);

// Returns the reference results that are embedded in the program (reference/checks.json). The
// caller releases them with run_destroy.
struct run *reference_checks_run(void);

#endif
