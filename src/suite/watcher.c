// SPDX-License-Identifier: MIT
#include "suite/watcher.h"

#include "results/reasons.h"

#include <math.h>
#include <string.h>

static const double share_busy = 0.01;
// A CPU device is busy if its threads wait for a processor for at least this share of the time. On
// two processors, llvmpipe's threads waited 4 to 11 % for each other (first in, first out), and a
// third of the time beside a busy loop of another program.
static const double share_cpu_busy = 0.2;
// After more than WATCHER_EVERY_NS of visits, a watch takes share_watched of their duration;
// otherwise 5 ms (the default). With its other work, 13 ms on an H200, the watch takes some 4 % of
// the time.
static const double share_watched = 0.02, longest_watch_ns = 50e6;
static const double limit_share_least = 0.5;
// The host is busy if other processes use this share of its processors, or if fathom waits for a
// processor for this share of its time (docs/evidence/shared-device.md).
static const double host_used_busy = 0.1, host_waited_busy = 0.05;
// The host is also busy if its other cards move this many bytes per second. Beside copies of 55
// GB/s, launches through CUDA took 18 to 29 % longer; in proportion, 2 GB/s make them 1 % longer.
static const double others_busy_bytes_per_s = 2e9;

// The visits that other work disturbs if it makes the value of a yardstick too low.
enum concern {
    CONCERNS_ALL,
    CONCERNS_LINK,  // visits of benchmarks that use the link to the host
    CONCERNS_OTHERS // visits of all other benchmarks
};

static const struct {
    const char *name;
    const char *uses; // part of the machine that the yardstick uses, for texts
    // a rate is too low if it is below this share of the yardstick's best rate in the run
    double least;
    enum concern concern;
} yardsticks[WATCH_YARDSTICKS] = {
    [WATCH_CORES] = {"arithmetic on all cores", "device", 0.95, CONCERNS_ALL},
    [WATCH_MEMORY] = {"a copy in device memory", "device", 0.85, CONCERNS_ALL},
    [WATCH_CACHE] = {"a copy in the last cache", "device", 0.8, CONCERNS_OTHERS},
    [WATCH_TO_DEVICE] = {"a copy from the host", "link or the host's memory", 0.75, CONCERNS_LINK},
    [WATCH_TO_HOST] = {"a copy to the host", "link or the host's memory", 0.75, CONCERNS_LINK},
    // The function slow_text has its own rule and text for this yardstick.
    [WATCH_PLACES] = {.concern = CONCERNS_OTHERS},
};

// ---------------------------------------------------------------- judging a watch

// Returns ": " and the names of the processes that use the device; "" if no such process is known.
static const char *users_of(struct arena *arena, const struct watch_finding *finding)
{
    return finding->who ? arena_printf(arena, ": %s", finding->who) : "";
}

static void judge_share(struct arena *arena, const struct watch_finding *finding,
                        struct watch_judgement *judgement)
{
    bool is_cpu = finding->method == WATCH_QUEUE;
    if (!(finding->share > 0) || (is_cpu && finding->share < share_cpu_busy))
        return;
    judgement->verdict = judgement->link = finding->share >= share_busy ? WATCH_BUSY : WATCH_REMARK;
    const char *what =
        is_cpu && finding->throttled ? "the processor limit of fathom's container" : "other work";
    judgement->text = judgement->link_text =
        arena_printf(arena, "%s took %.3g %% of the device's time%s", what, 100 * finding->share,
                     users_of(arena, finding));
}

// Returns a text if yardstick `i` is too low beside its best value or its limit; else NULL.
static const char *slow_text(struct arena *arena, const struct watch_finding *finding, unsigned i,
                             double best)
{
    double rate = finding->rates[i], limit = finding->limits[i];
    const char *users = users_of(arena, finding);
    if (i == WATCH_PLACES && rate < fmax(best, limit))
        return arena_printf(arena,
                            "the cores held %.0f workgroups instead of %.0f, so other work has a "
                            "place on a core%s",
                            rate, fmax(best, limit), users);
    if (rate < best * yardsticks[i].least)
        return arena_printf(arena,
                            "%s ran at %.0f %% of its best rate, so other work used the %s%s",
                            yardsticks[i].name, 100 * rate / best, yardsticks[i].uses, users);
    if (rate < limit * limit_share_least)
        return arena_printf(arena,
                            "%s reached only %.0f %% of the limit, so other work may use the %s%s",
                            yardsticks[i].name, 100 * rate / limit, yardsticks[i].uses, users);
    return NULL;
}

// Raises a verdict to WATCH_BUSY with the reason `text`, or keeps the reason that it has.
static void raise_to_busy(enum watch_verdict *verdict, const char **reason, const char *text)
{
    if (*verdict != WATCH_BUSY)
        *reason = text;
    *verdict = WATCH_BUSY;
}

// Raises both verdicts to WATCH_BUSY, because other work in the device's memory disturbs all
// benchmarks.
static void raise_both(struct watch_judgement *judgement, const char *text)
{
    raise_to_busy(&judgement->verdict, &judgement->text, text);
    raise_to_busy(&judgement->link, &judgement->link_text, text);
}

// Judges traffic over the card's links and changes of the card's used memory. Both disturb the
// device's memory, because links use its last cache, and drivers presumably clear what a process
// allocates or frees.
static void judge_memory(struct arena *arena, const struct watch_finding *finding,
                         struct watch_judgement *judgement)
{
    const char *users = users_of(arena, finding);
    const char *moved = arena_printf(arena, "other work moved %.3g GB/s over the card's links%s",
                                     finding->link_traffic / 1e9, users);
    const char *allocated =
        arena_printf(arena, "other work allocated or freed %.3g MiB of the card's memory%s",
                     finding->memory_change / (1 << 20), users);
    if (watch_traffic_is_high(finding))
        raise_both(judgement, moved);
    if (watch_memory_changes(finding))
        raise_both(judgement, allocated);
}

// Returns a text about what disturbs fathom on the host; NULL if it is too little to matter.
static const char *host_text(struct arena *arena, const struct watch_finding *finding)
{
    if (finding->host_used >= host_used_busy)
        return arena_printf(arena, "other processes used %.3g %% of the host's processors",
                            100 * finding->host_used);
    if (finding->host_waited >= host_waited_busy)
        return arena_printf(arena,
                            "fathom waited for a processor of the host for %.3g %% of the time%s",
                            100 * finding->host_waited,
                            finding->throttled ? ": its container has a processor limit" : "");
    if (finding->others_traffic >= others_busy_bytes_per_s)
        return arena_printf(arena, "other cards of this host moved %.3g GB/s over PCI Express",
                            finding->others_traffic / 1e9);
    return NULL;
}

// Judges other work on the host, which changes the times of benchmarks that use the link.
static void judge_host(struct arena *arena, const struct watch_finding *finding,
                       struct watch_judgement *judgement)
{
    const char *text = host_text(arena, finding);
    if (judgement->link == WATCH_BUSY || !text)
        return;
    judgement->link_is_host = true;
    raise_to_busy(&judgement->link, &judgement->link_text, text);
}

struct watch_judgement watcher_judge(struct arena *arena, const struct watch_finding *finding,
                                     double best[WATCH_YARDSTICKS])
{
    struct watch_judgement judgement = {.verdict = WATCH_CLEAN};
    judge_share(arena, finding, &judgement);
    judge_memory(arena, finding, &judgement);
    for (unsigned i = 0; i < WATCH_YARDSTICKS; i++) {
        const char *text = slow_text(arena, finding, i, best[i]);
        best[i] = fmax(best[i], finding->rates[i]);
        if (text && yardsticks[i].concern != CONCERNS_OTHERS)
            raise_to_busy(&judgement.link, &judgement.link_text, text);
        if (text && yardsticks[i].concern != CONCERNS_LINK)
            raise_to_busy(&judgement.verdict, &judgement.text, text);
    }
    judge_host(arena, finding, &judgement);
    return judgement;
}

// ---------------------------------------------------------------- watching the device

void watcher_init(struct watcher *watcher, struct executor *executor, struct arena *arena)
{
    *watcher =
        (struct watcher){.executor = executor, .arena = arena, .before_arena = arena_create()};
    for (unsigned i = 0; i < WATCH_YARDSTICKS; i++)
        watcher->best[i] = NAN;
}

void watcher_fini(struct watcher *watcher)
{
    arena_destroy(watcher->before_arena);
    watcher->before_arena = NULL;
}

bool watcher_add(struct watcher *watcher, uint64_t visit_ns)
{
    watcher->visited_ns += visit_ns;
    return !watcher->off && watcher->visited_ns >= WATCHER_EVERY_NS;
}

bool watcher_add_round(struct watcher *watcher, unsigned rounds_min)
{
    watcher->rounds++;
    return !watcher->off && watcher->rounds + 1 >= rounds_min;
}

static struct watch_judgement worse(const struct watch_judgement *a,
                                    const struct watch_judgement *b)
{
    const struct watch_judgement *all = a->verdict > b->verdict ? a : b;
    const struct watch_judgement *link = a->link > b->link ? a : b;
    return (struct watch_judgement){.verdict = all->verdict,
                                    .text = all->text,
                                    .link = link->link,
                                    .link_text = link->link_text,
                                    .link_is_host = link->link_is_host};
}

bool watcher_look(struct watcher *watcher, struct watch_judgement *now,
                  struct watch_judgement *around)
{
    struct arena *arena = arena_create();
    struct watch_finding finding;
    struct error err = {.code = ERROR_NONE};
    double wanted_ns = fmin((double)watcher->visited_ns * share_watched, longest_watch_ns);
    uint64_t least_ns = watcher->visited_ns > WATCHER_EVERY_NS ? (uint64_t)wanted_ns : 0;
    watcher->visited_ns = 0;
    watcher->rounds = 0;
    if (watcher->off || !executor_watch(watcher->executor, least_ns, arena, &finding, &err)) {
        if (!watcher->off)
            watcher->why_off = arena_strdup(watcher->arena, err.message);
        watcher->off = true;
        arena_destroy(arena);
        return false;
    }
    *now = watcher_judge(arena, &finding, watcher->best);
    *around = worse(&watcher->before, now);
    around->text = around->text ? arena_strdup(arena, around->text) : NULL;
    around->link_text = around->link_text ? arena_strdup(arena, around->link_text) : NULL;
    arena_destroy(watcher->before_arena);
    watcher->before_arena = arena;
    watcher->before = *now;
    return true;
}

// ---------------------------------------------------------------- what a watch changes

enum watch_verdict watcher_verdict(struct arena *arena, const struct benchmark *benchmark,
                                   const char *by_host, const struct watch_judgement *around,
                                   struct reason *reason)
{
    if (benchmark->serve)
        return WATCH_CLEAN;
    if (benchmark->link) {
        *reason = (struct reason){.code = around->link_is_host ? REASON_SHARED_HOST
                                                               : REASON_SHARED_DEVICE,
                                  .text = around->link_text};
        return around->link;
    }
    if (around->verdict == WATCH_CLEAN && around->link_is_host && by_host) {
        const char *text = arena_printf(arena, "%s: %s", by_host, around->link_text);
        *reason = (struct reason){.code = REASON_SHARED_HOST, .text = text};
        return WATCH_REMARK;
    }
    *reason = (struct reason){.code = REASON_SHARED_DEVICE, .text = around->text};
    return around->verdict;
}

static void judge_result(struct arena *arena, struct result *result,
                         const struct watch_judgement *around)
{
    const struct benchmark *benchmark = benchmark_find(result->benchmark);
    const struct benchmark_info *info = &benchmark->info;
    const char *by_host = NULL;
    struct reason reason;
    for (size_t i = 0; i < info->metric_count; i++)
        if (info->metrics[i].by_host && result_metric(result, info->metrics[i].name))
            by_host = info->metrics[i].name;
    enum watch_verdict found = watcher_verdict(arena, benchmark, by_host, around, &reason);
    if (found != WATCH_CLEAN && result->metric_count)
        result_flag(arena, result, found == WATCH_BUSY ? VERDICT_SUSPECT : VERDICT_OK, reason.code,
                    "%s", reason.text);
}

static void judge_entry(struct arena *arena, struct entry *entry,
                        const struct watch_judgement *around)
{
    struct reason reason;
    enum watch_verdict found = watcher_verdict(arena, entry->plan_case.benchmark,
                                               collect_by_host(entry->collect), around, &reason);
    unsigned first = entry->watched;
    entry->watched = collect_visits(entry->collect);
    if (first == entry->watched)
        return;
    if (found == WATCH_BUSY)
        collect_flag(entry->collect, first, &reason);
    else if (found == WATCH_REMARK)
        collect_remark(entry->collect, first, &reason);
}

void watcher_watch(struct watcher *watcher, struct block *block)
{
    struct watch_judgement now, around;
    if (!watcher_look(watcher, &now, &around))
        return;
    while (watcher->ended_count > 0)
        judge_result(watcher->arena, watcher->ended[--watcher->ended_count], &around);
    for (size_t i = 0; i < block->count; i++)
        if (block_is_own(block, &block->entries[i]))
            judge_entry(watcher->arena, &block->entries[i], &around);
}

void watcher_block_end(struct watcher *watcher, const struct block *block)
{
    for (size_t i = 0; i < block->count; i++) {
        const struct entry *entry = &block->entries[i];
        if (!block_is_own(block, entry) || entry->watched == collect_visits(entry->collect))
            continue;
        watcher->ended = arena_grow(watcher->arena, watcher->ended, watcher->ended_count,
                                    &watcher->ended_capacity, sizeof *watcher->ended);
        watcher->ended[watcher->ended_count++] = entry->result;
    }
}
