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
    // results get only a remark: other work took less than 1 % of the time, or a busy host may have
    // changed one metric
    WATCH_REMARK,
    WATCH_BUSY // other work may have changed the numbers
};

struct watch_judgement {
    // `link` is for visits that use the link to the host. `verdict` is for all other visits.
    enum watch_verdict verdict, link;
    // Reason for `verdict` (text), and reason for `link` (link_text); NULL for WATCH_CLEAN.
    const char *text, *link_text;
    bool link_is_host; // true: link_text is about the host, not about the device
};

struct watcher {
    struct executor *executor;
    bool off;            // true: the device is no longer watched, because a watch failed
    const char *why_off; // error of the watch that failed; lives as long as the run
    struct arena *arena;
    uint64_t visited_ns; // duration in ns of the visits since the last watch
    // Highest value of each yardstick in this run; NaN if it was not measured yet.
    double best[WATCH_YARDSTICKS];
    // Judgement of the last watch. Its texts live in before_arena.
    struct watch_judgement before;
    struct arena *before_arena;
    // Results of ended blocks whose last visits no watch has judged yet.
    struct result **ended;
    size_t ended_count, ended_capacity;
    unsigned rounds; // number of rounds since the last watch
};

// Duration in ns of visits after which a watch is due. Watching then takes about 4 % of the time.
#define WATCHER_EVERY_NS UINT64_C(400000000)

// Prepares to watch the executor's device for other work. `arena` must live as long as the run.
void watcher_init(struct watcher *watcher, struct executor *executor, struct arena *arena);
void watcher_fini(struct watcher *watcher);

// Adds the duration of a visit in ns. Returns true if a watch is due.
bool watcher_add(struct watcher *watcher, uint64_t visit_ns);

// Counts a round of a block. Returns true if a watch is due. Any rounds_min successive rounds need
// a watch between the first and the last. Without such a watch, other work could change all rounds
// of a case alike, and nothing would show it.
bool watcher_add_round(struct watcher *watcher, unsigned rounds_min);

// Watches the device for other work, for longer if the visits since the last watch took longer.
// Sets *now to the judgement of this watch. Sets *around to the worse judgement of this watch and
// the last, for the visits in between. The texts live until the next watch. Returns false if the
// device cannot be watched; then it is never watched again.
bool watcher_look(struct watcher *watcher, struct watch_judgement *now,
                  struct watch_judgement *around);

// Watches the device for other work. If this watch or the last one finds other work, visits in
// between of the block's cases on slots[0] are repeated or get a remark. Results of ended blocks
// with visits in between become suspect or get a remark. Benchmarks with the function `serve` are
// not judged, because their second process is itself other work on the device.
void watcher_watch(struct watcher *watcher, struct block *block);

// Tells the watcher that the block has ended. The next watch judges the results of the block's
// cases, except cases whose visits have all been judged.
void watcher_block_end(struct watcher *watcher, const struct block *block);

// Returns what a judgement means for the visits of a case: around->link if the case's benchmark
// uses the link to the host, else around->verdict. Sets `reason`, unless the result is WATCH_CLEAN;
// new texts are in `arena`. `by_host` (may be NULL) is a metric of the case that depends on the
// host's processors although its benchmark does not use the link (metric_info.by_host); the case
// then gets a remark if only the host is busy.
enum watch_verdict watcher_verdict(struct arena *arena, const struct benchmark *benchmark,
                                   const char *by_host, const struct watch_judgement *around,
                                   struct reason *reason);

// Judges the result of a watch, with texts in `arena`. Raises `best` to the values in `finding` if
// these are higher. Signs of other work:
// - the share of the device's time that other work took
// - traffic over the card's links, and changes of the card's used memory
// - yardsticks that are too low, compared with the highest value of this run (`best`) or with their
//   limit
// - processes that use the host's processors, and time that fathom waited for a processor
// - traffic of the host's other cards
struct watch_judgement watcher_judge(struct arena *arena, const struct watch_finding *finding,
                                     double best[WATCH_YARDSTICKS]);

#endif
