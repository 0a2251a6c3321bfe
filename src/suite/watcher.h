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
    // `link` is for visits that use the link to the host, `verdict` for all other visits.
    enum watch_verdict verdict, link;
    const char *text, *link_text; // reasons for `verdict` and `link`; NULL if WATCH_CLEAN
};

struct watcher {
    struct executor *executor;
    bool off;            // true: the device is no longer watched, because a watch failed
    const char *why_off; // error of the watch that failed; lives as long as the run
    struct arena *arena;
    uint64_t visited_ns;           // duration of the visits since the last watch
    double best[WATCH_YARDSTICKS]; // the run's best rate of each yardstick; NaN: none yet
    struct watch_judgement before; // judgement of the last watch; its texts are in before_arena
    struct arena *before_arena;
    size_t results;  // how many of the run's results have been judged
    unsigned rounds; // rounds since the last watch
};

// Code of the reasons and findings that tell about other work.
#define WATCHER_CODE "shared-device"

// A watch is due after visits of this many ns. Watching takes about 4 % of the time.
#define WATCHER_EVERY_NS UINT64_C(250000000)

// Prepares to watch the executor's device. Results that the run already has will not be judged.
void watcher_init(struct watcher *watcher, struct executor *executor, const struct run *run);
void watcher_fini(struct watcher *watcher);

// Adds the duration of a visit. Returns true if a watch is due.
bool watcher_add(struct watcher *watcher, uint64_t visit_ns);

// Adds a round of a block. Returns true if a watch is due, so that one lies between the first and
// the last of any rounds_min rounds. Else other work that came and went between two watches could
// change all rounds of a case alike, and nothing would show it.
bool watcher_add_round(struct watcher *watcher, unsigned rounds_min);

// Watches the device, for longer if the visits since the last watch took longer. *now is the
// judgement of this watch; *around combines it with the judgement of the last watch, the worse
// verdict of each. The texts live until the next watch. Returns false if the device cannot be
// watched; then it is never watched again.
bool watcher_look(struct watcher *watcher, struct watch_judgement *now,
                  struct watch_judgement *around);

// Watches the device. If this watch or the last one found other work, all visits of the block
// between the two watches are repeated, or get a remark. Results of blocks that ended since the
// last watch are flagged, but not measured again. Benchmarks with `serve` are not judged: their
// second process is itself other work on the device.
void watcher_watch(struct watcher *watcher, struct block *block);

// Judges a finding by two things: the share of time that other work took, and rates that are far
// below the best of the run (`best`) or below half of their limit. Raises `best` to the finding's
// rates if these are higher. Texts live in `arena`.
struct watch_judgement watcher_judge(struct arena *arena, const struct watch_finding *finding,
                                     double best[WATCH_YARDSTICKS]);

#endif
