// SPDX-License-Identifier: MIT
// The index of committed reference runs, reference/index.json:
//
//   {"schema":"fathom-reference/1",
//    "runs":[{"file":"h200-vulkan-standard.json", "match":"NVIDIA H200", "api":"vulkan",
//             "preset":"standard", "note":"…", "published":false}]}
//
// `match` stands somewhere in the device's name, letter case aside. `published` marks tables that
// others printed: to overlay in a report, never to judge by. Unknown members are ignored.
#ifndef RESULTS_INDEX_H
#define RESULTS_INDEX_H

#include "base/arena.h"

#include <stdbool.h>

struct index_entry {
    const char *path; // beside the index file
    const char *match, *api, *preset;
    const char *note; // NULL: nothing to say
    bool published;
};

struct run_index {
    struct index_entry *entries;
    size_t count;
};

// ERROR_IO where the file cannot be read, ERROR_USAGE with the JSON path where it is not such an
// index.
MUST_CHECK bool run_index_read(struct arena *arena, const char *path, struct run_index *index,
                               struct error *err);

#endif
