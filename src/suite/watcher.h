// SPDX-License-Identifier: MIT
// Decides when a device is watched for work of other programs (measure/watch.h). Also decides what
// the result of a watch means for the visits before and after it. A visit is trusted if the last
// watch before it and the first watch after it found nothing.
#ifndef SUITE_WATCHER_H
#define SUITE_WATCHER_H

#include "suite/block.h"

// What a watch for other work concludes about the visits before and after it.
enum watch_verdict {
    WATCH_CLEAN,
    WATCH_REMARK, // other work took less than 1 % of the time
    WATCH_BUSY    // other work may have changed the numbers
};

struct watch_judgement {
    // `link` is for visits that use the link to the host. `verdict` is for all other visits.
    enum watch_verdict verdict, link;
    // Reasons for `verdict` and for `link`; NULL if the verdict is WATCH_CLEAN.
    const char *text, *link_text;
    bool link_is_host; // true: link_text is about the host, not about the device
};

struct watcher {
    struct executor *executor;
    bool off;            // true: the device is no longer watched, because a watch failed
    const char *why_off; // error of the watch that failed; lives as long as the run
    struct arena *arena;
    uint64_t visited_ns; // duration in ns of the visits since the last watch
    // Highest rate of each yardstick in this run; NaN if it was not measured yet.
    double best[WATCH_YARDSTICKS];
    // What the last watch found: other work on the device or on its host, or none. Its texts live
    // in before_arena.
    struct watch_judgement before;
    struct arena *before_arena;
    size_t results;  // number of the run's results that have been judged
    unsigned rounds; // number of rounds since the last watch
};

// Codes of the reasons and findings that report other work on the device, and on its host.
#define WATCHER_CODE      "shared-device"
#define WATCHER_HOST_CODE "shared-host"

// A watch is due when the visits since the last watch took this many ns. Watching then takes about
// 4 % of the time.
#define WATCHER_EVERY_NS UINT64_C(400000000)

// Prepares to watch the executor's device for other work. Results that are in the run already are
// not judged.
void watcher_init(struct watcher *watcher, struct executor *executor, const struct run *run);
void watcher_fini(struct watcher *watcher);

// Adds the duration of a visit in ns. Returns true if a watch is due.
bool watcher_add(struct watcher *watcher, uint64_t visit_ns);

// Counts a round of a block. Returns true if a watch is due. A watch is due so often that, of any
// rounds_min successive rounds, at least one watch lies between the first and the last. Otherwise,
// other work between two watches could change all rounds of a case alike, and nothing would show
// it.
bool watcher_add_round(struct watcher *watcher, unsigned rounds_min);

// Watches the device for other work; the watch is longer if the visits since the last watch took
// longer. *now is the judgement of this watch. *around is the judgement for the visits between the
// last watch and this one: the worse of the judgements of both watches. The texts live until the
// next watch. Returns false if the device cannot be watched; then it is never watched again.
bool watcher_look(struct watcher *watcher, struct watch_judgement *now,
                  struct watch_judgement *around);

// Watches the device for other work. If this watch or the last watch found other work, visits
// between the two watches are affected. For cases of the block on this device, such visits are
// repeated or get a remark. Results of blocks that ended since the last watch are marked suspect or
// get a remark, but are not measured again. Benchmarks with the function `serve` are not judged,
// because their second process is itself other work on the device.
void watcher_watch(struct watcher *watcher, struct block *block);

// Returns what a judgement means for the visits of a case. If the case's benchmark uses the link to
// the host, this is around->link, else around->verdict. `by_host` is the name of a metric that
// depends on the host's processors although its benchmark does not use the link
// (metric_info.by_host); NULL if the case has no such metric. A case with such a metric gets a
// remark if only the host is busy. Sets `reason`, unless the result is WATCH_CLEAN. New texts of
// `reason` are in `arena`.
enum watch_verdict watcher_verdict(struct arena *arena, const struct benchmark *benchmark,
                                   const char *by_host, const struct watch_judgement *around,
                                   struct reason *reason);

// Judges the result of a watch, which may show other work in these ways: the share of time that
// other work took; traffic over the card's links; changes of the card's used memory; rates of
// yardsticks that are far below the highest rate of this run (`best`) or below half of their limit;
// processes that use the host's processors; time that fathom waited for a processor; traffic of the
// host's other cards. Raises `best` to the rates in `finding` if these are higher. Texts live in
// `arena`.
struct watch_judgement watcher_judge(struct arena *arena, const struct watch_finding *finding,
                                     double best[WATCH_YARDSTICKS]);

#endif
