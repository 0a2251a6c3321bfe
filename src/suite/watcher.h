// SPDX-License-Identifier: MIT
// Decides when a device is watched for other work (measure/watch.h), and what the findings mean for
// the visits before and after a watch. A visit is trusted if the watches before and after it found
// nothing.
#ifndef SUITE_WATCHER_H
#define SUITE_WATCHER_H

#include "suite/block.h"

// What a watch concludes about the visits before and after it.
enum watch_verdict {
    WATCH_CLEAN,
    WATCH_REMARK, // other work took less than 1 % of the time
    WATCH_BUSY    // other work may have changed the numbers
};

struct watch_judgement {
    // Verdict on all visits; verdict on the visits that use the link to the host.
    enum watch_verdict verdict, link;
    const char *text, *link_text; // what the watch found, for the same two groups; NULL: nothing
};

struct watcher {
    struct executor *executor;
    bool off;            // the device is not watched
    const char *why_off; // why not; lives as long as the run
    struct arena *arena;
    uint64_t visited_ns;           // time of the visits since the last watch
    double best[WATCH_YARDSTICKS]; // the run's best rates; NaN: none yet
    struct watch_judgement before; // of the last watch; `before_arena` has its texts
    struct arena *before_arena;
    size_t results; // number of the run's results that watches have judged
};

// Code of the reasons and findings about other work.
#define WATCHER_CODE "shared-device"

// Time of visits between two watches; a watch takes some 4 % of it.
#define WATCHER_EVERY_NS UINT64_C(250000000)

// Makes a watcher of the executor's device. It does not judge results that the run already has.
void watcher_init(struct watcher *watcher, struct executor *executor, const struct run *run);
void watcher_fini(struct watcher *watcher);

// Adds the time of a visit. Returns true if a watch is due.
bool watcher_add(struct watcher *watcher, uint64_t visit_ns);

// Watches the device. The more time visits took since the last watch, the longer this one is. *now
// is what this watch found; *around is the worse of this watch and the one before. The texts live
// until the next watch. Returns false if the device cannot be watched; it is then not watched
// again.
bool watcher_look(struct watcher *watcher, struct watch_judgement *now,
                  struct watch_judgement *around);

// Watches the device, and applies what this watch and the one before found to all visits between
// them: they are taken again, or get a remark. Results of blocks that ended since the last watch
// are flagged, but their cases are not visited again. A benchmark with a second process is itself
// such other work, so its visits are not marked.
void watcher_watch(struct watcher *watcher, struct block *block);

// Judges a finding: by the share of time that other work took, and by rates that are far below the
// best rate of the run or below half of the limit. Raises `best`. Texts live in `arena`.
struct watch_judgement watcher_judge(struct arena *arena, const struct watch_finding *finding,
                                     double best[WATCH_YARDSTICKS]);

#endif
