// SPDX-License-Identifier: MIT
// Decides when a device is watched for other work (measure/watch.h), and what the findings of such
// a watch mean for the visits before and after it. A visit is trusted if the watch before it and
// the watch after it found nothing.
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
    // link: for visits that use the link to the host; verdict: for all other visits.
    enum watch_verdict verdict, link;
    const char *text, *link_text; // why `verdict` and `link` are not CLEAN; NULL: they are CLEAN
};

struct watcher {
    struct executor *executor;
    bool off;            // true: the device is no longer watched, because a watch failed
    const char *why_off; // the error of that watch; lives as long as the run
    struct arena *arena;
    uint64_t visited_ns;           // time of the visits since the last watch
    double best[WATCH_YARDSTICKS]; // the run's best rates; NaN: none yet
    struct watch_judgement before; // judgement of the last watch; its texts are in before_arena
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

// Watches the device. The more time visits took since the last watch, the longer this watch is.
// *now is the judgement of this watch; *around combines the worse verdicts of this watch and the
// last one. The texts live until the next watch. Returns false if the device cannot be watched; it
// is then not watched again.
bool watcher_look(struct watcher *watcher, struct watch_judgement *now,
                  struct watch_judgement *around);

// Watches the device. If this watch or the last one found other work, all visits of the block
// between the two are taken again, or get a remark. Results of blocks that ended since the last
// watch are flagged, but their cases are not visited again. The second process of a benchmark with
// `serve` is itself other work on the device, so visits of such a benchmark are not judged.
void watcher_watch(struct watcher *watcher, struct block *block);

// Judges a finding: by the share of time that other work took, and by rates that are far below the
// best rate of the run (`best`) or below half of the limit. Raises `best` to the rates of the
// finding. Texts live in `arena`.
struct watch_judgement watcher_judge(struct arena *arena, const struct watch_finding *finding,
                                     double best[WATCH_YARDSTICKS]);

#endif
