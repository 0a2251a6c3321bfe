// SPDX-License-Identifier: MIT
// Compares what `fathom map` asserts about random machines (simulated.h) with the truth: `score
// [SEED [COUNT [FIRST]]]`. It runs the whole plan of a map with its budget. An assertion is a
// stated number of levels, size, latency, line, sector, number of ways, sharers, reach or page.
#include "fakes/map_run.h"
#include "simulated.h"

#include "bench/map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum property {
    P_COUNT,
    P_SIZE,
    P_LATENCY,
    P_LINE,
    P_SECTOR,
    P_WAYS,
    P_SHARERS,
    P_REACH,
    P_PAGE,
    P_MEMORY,
    P_LEVEL, // a found level that the machine does not have
    PROPERTIES
};

static const char *const names[PROPERTIES] = {"levels", "size",   "latency",       "line",
                                              "sector", "ways",   "sharers",       "reach",
                                              "page",   "memory", "invented level"};

enum {
    WIDTHS_MAX = 20000,
    // Lower bounds in percent, a little below what was reached (docs/evidence/map.md).
    FAULTLESS_LEAST = 88,
    ANSWERED_LEAST = 56,
    COUNT_LEAST = 70,
    WITHIN_LEAST = 95
};

struct score {
    size_t machines, faulty, counts_right;
    size_t wrong[PROPERTIES], right[PROPERTIES], possible[PROPERTIES];
    size_t within;             // sizes whose interval contains the truth
    double widths[WIDTHS_MAX]; // relative widths of the intervals of sizes
    size_t width_count;
    bool verbose;
};

struct view {
    const struct simulated *machine;
    const struct gpu_info *device;
    const struct run *run;
    struct score *score;
    size_t faults;
};

static bool near(double found, double truth, double part)
{
    return fabs(found / truth - 1) <= part;
}

static void hold(struct view *view, enum property property, size_t level, bool right, double found,
                 double truth)
{
    if (right) {
        view->score->right[property]++;
        return;
    }
    view->score->wrong[property]++;
    view->faults++;
    if (view->score->verbose)
        printf("    WRONG %s %zu: %.6g, not %.6g\n", names[property], level, found, truth);
}

static double value(const struct result *result, const char *name)
{
    const struct metric *metric = result ? result_metric(result, name) : NULL;
    return metric ? metric->median : NAN;
}

static const struct result *found_of(const struct view *view, const char *what, size_t level)
{
    char key[80];
    if (level)
        snprintf(key, sizeof key, "map/what=%s/path=vector/level=%zu", what, level);
    else
        snprintf(key, sizeof key, "map/what=%s/path=vector", what);
    return run_find(view->run, view->device->id, key);
}

// Returns the level whose size is nearest.
static size_t level_near(const struct simulated *machine, double bytes)
{
    size_t best = 0;
    for (size_t k = 1; k < machine->level_count; k++)
        if (fabs(log(bytes / (double)machine->levels[k].capacity)) <
            fabs(log(bytes / (double)machine->levels[best].capacity)))
            best = k;
    return best;
}

static void judge_exact(struct view *view, enum property property, size_t level,
                        const struct result *result, const char *name, double truth)
{
    double found = value(result, name);
    if (isfinite(found))
        hold(view, property, level, found == truth, found, truth);
}

static bool contains(const struct metric *size, const struct simulated_cache *level)
{
    double truth = (double)level->capacity;
    return size->ci95[0] <= truth * 1.005 && truth * 0.995 <= size->ci95[1];
}

static void judge_size(struct view *view, const struct metric *size, size_t k)
{
    double truth = (double)view->machine->levels[k].capacity;
    bool inside = contains(size, &view->machine->levels[k]);
    view->score->within += inside;
    if (view->score->width_count < WIDTHS_MAX)
        view->score->widths[view->score->width_count++] =
            (size->ci95[1] - size->ci95[0]) / size->median;
    if (view->score->verbose && !inside)
        printf("    outside size %zu: %.6g [%.6g, %.6g], not %.6g\n", k + 1, size->median,
               size->ci95[0], size->ci95[1], truth);
    hold(view, P_SIZE, k + 1, inside || near(size->median, truth, 0.1), size->median, truth);
}

static bool has_latency(const struct view *view, size_t k, double ns, double part)
{
    const struct simulated *machine = view->machine;
    double fast = simulated_latency(machine, k, machine->clocks_hz[0]);
    double slow = simulated_latency(machine, k, machine->clocks_hz[1]);
    return ns >= fast * (1 - part) && ns <= slow * (1 + part);
}

static void judge_level(struct view *view, const struct result *result, size_t number,
                        bool seen[SIMULATED_LEVELS_MAX])
{
    const struct simulated *machine = view->machine;
    const struct metric *size = result_metric(result, "size");
    double ns = value(result, "latency");
    size_t k = number - 1 < machine->level_count ? number - 1 : machine->level_count - 1;
    if (size) {
        bool in_place =
            number <= machine->level_count && contains(size, &machine->levels[number - 1]);
        k = in_place ? number - 1 : level_near(machine, size->median);
        while (!in_place && k > 0 && size->ci95[0] <= (double)machine->levels[k - 1].capacity)
            k--;
        bool inside = (double)machine->levels[k].capacity <= size->ci95[1];
        if (seen[k] ||
            (!inside && fabs(log2(size->median / (double)machine->levels[k].capacity)) > 0.6)) {
            hold(view, P_LEVEL, number, false, size->median, (double)machine->levels[k].capacity);
            return;
        }
        judge_size(view, size, k);
    }
    seen[k] = true;
    if (isfinite(ns))
        hold(view, P_LATENCY, k + 1, has_latency(view, k, ns, 0.05), ns,
             simulated_latency(machine, k, machine->clocks_hz[0]));
    judge_exact(view, P_LINE, k + 1, result, "line", machine->levels[k].line);
    judge_exact(view, P_SECTOR, k + 1, result, "sector", machine->levels[k].sector);
    judge_exact(view, P_WAYS, k + 1, result, "ways", machine->levels[k].ways);
    judge_exact(view, P_SHARERS, k + 1, result, "sharers", machine->levels[k].sharers);
}

static void judge_memory(struct view *view)
{
    const struct simulated *machine = view->machine;
    const struct result *memory = found_of(view, "memory", 0);
    double ns = value(memory, "latency"), most = 0;
    for (size_t i = 0; i < machine->tlb_count; i++)
        most += machine->tlbs[i].cycles / machine->clocks_hz[1] * 1e9;
    if (!memory || memory->verdict > VERDICT_OK || !isfinite(ns))
        return;
    double least = simulated_latency(machine, machine->level_count, machine->clocks_hz[0]);
    double slow = simulated_latency(machine, machine->level_count, machine->clocks_hz[1]);
    hold(view, P_MEMORY, 0, ns > least * 0.95 && ns < (slow + most) * 1.05, ns, least);
}

static void judge_translation(struct view *view)
{
    const struct simulated *machine = view->machine;
    for (size_t level = 1; level <= 3; level++) {
        const struct result *tlb = found_of(view, "tlb", level);
        double reach = value(tlb, "size");
        if (!isfinite(reach))
            continue;
        bool right = false;
        for (size_t k = 0; k < machine->tlb_count; k++)
            right |= near(reach, (double)machine->tlbs[k].capacity, 0.12);
        hold(view, P_REACH, level, right, reach,
             machine->tlb_count ? (double)machine->tlbs[0].capacity : 0);
        judge_exact(view, P_PAGE, level, tlb, "page", (double)machine->page);
    }
}

// Counts the properties of the machine that the probes can show.
static void count_possible(struct score *score, const struct simulated *machine)
{
    score->possible[P_COUNT]++;
    score->possible[P_MEMORY]++;
    for (size_t k = 0; k < machine->level_count; k++) {
        const struct simulated_cache *level = &machine->levels[k];
        score->possible[P_SIZE]++;
        score->possible[P_LATENCY]++;
        score->possible[P_LINE]++;
        score->possible[P_SECTOR]++;
        score->possible[P_SHARERS]++;
        score->possible[P_WAYS] +=
            level->choice == SETS_PLAIN && !machine->scattered && level->capacity <= 4 << 20;
    }
    for (size_t k = 0; k < machine->tlb_count; k++) {
        double seen = (double)machine->tlbs[k].capacity / (double)machine->page * (2 << 20);
        bool shows = seen > 40e6 && seen < 16e9;
        score->possible[P_REACH] += shows && machine->page >= 512 << 10;
        score->possible[P_PAGE] += shows && k == 0 && machine->page >= 512 << 10;
    }
}

static void describe(const struct simulated *m, const struct gpu_info *device)
{
    static const char *const sets[] = {"plain", "folded", "hashed"};
    for (size_t k = 0; k < m->level_count; k++)
        printf("  L%zu %llu = %llu sets x %u ways x %u/%u B %s %s, %u sharers, %.1f ns\n", k + 1,
               (unsigned long long)m->levels[k].capacity, (unsigned long long)m->levels[k].sets,
               m->levels[k].ways, m->levels[k].line, m->levels[k].sector, sets[m->levels[k].choice],
               m->levels[k].random ? "random" : "lru", m->levels[k].sharers,
               simulated_latency(m, k, 1.98e9));
    printf("  memory %.1f ns; %u cores, stated %llu, noise %.4f, clocks %.3g %.3g, slope %.2f\n",
           simulated_latency(m, m->level_count, 1.98e9), (unsigned)device->limits.cores,
           (unsigned long long)device->limits.last_cache_bytes, m->noise, m->clocks_hz[0],
           m->clocks_hz[1], m->slope);
    printf("  pages %llu%s", (unsigned long long)m->page, m->scattered ? " scattered" : "");
    for (size_t k = 0; k < m->tlb_count; k++)
        printf(", tlb reach %llu +%.0f cycles", (unsigned long long)m->tlbs[k].capacity,
               m->tlbs[k].cycles);
    printf("\n");
}

static void print_found(const struct run *run)
{
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        bool about = !case_find(&result->bench_case, "pitch") &&
                     strcmp(result->benchmark, "map") == 0 &&
                     case_find(&result->bench_case, "path") &&
                     strcmp(case_text(&result->bench_case, "path"), "vector") == 0;
        if (!about && getenv("CURVE") && result->metric_count)
            printf("    %s %.4g [%.4g %.4g]\n", result->key, result->metrics[0].median,
                   result->metrics[0].ci95[0], result->metrics[0].ci95[1]);
        if (!about)
            continue;
        printf("  %s", result->key + 4);
        for (size_t m = 0; m < result->metric_count; m++)
            printf(" %s=%.6g[%.5g,%.5g]", result->metrics[m].name, result->metrics[m].median,
                   result->metrics[m].ci95[0], result->metrics[m].ci95[1]);
        for (size_t m = 0; m < result->detail_count; m++)
            printf(" {%s: %.90s}", result->details[m].name, result->details[m].text);
        for (size_t m = 0; m < result->reason_count; m++)
            printf(" (%s)", result->reasons[m].text);
        printf("\n");
    }
}

// ---------------------------------------------------------------- a map of a machine

struct asked {
    const struct simulated *machine;
    const struct gpu_info *device;
};

// A seed for the noise of a case. It depends only on the machine and the case, so other cases in a
// plan do not change the noise of this one.
static uint64_t seed_of(const struct simulated *machine, const char *key)
{
    uint64_t seed = machine->seed;
    for (; *key; key++)
        seed = (seed ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
    return seed;
}

static void answer(void *context, struct arena *arena, size_t index, struct result *result)
{
    const struct asked *asked = context;
    struct random random;
    (void)index;
    random_init(&random, seed_of(asked->machine, result->key));
    simulated_answer(asked->machine, asked->device, &random, arena, result);
}

static void judge(struct view *view)
{
    struct score *score = view->score;
    const struct simulated *machine = view->machine;
    bool seen[SIMULATED_LEVELS_MAX] = {false};
    double levels = value(found_of(view, "hierarchy", 0), "levels");
    score->machines++;
    count_possible(score, machine);
    if (isfinite(levels))
        hold(view, P_COUNT, 0, levels == (double)machine->level_count, levels,
             (double)machine->level_count);
    for (size_t level = 1; found_of(view, "level", level); level++)
        judge_level(view, found_of(view, "level", level), level, seen);
    judge_memory(view);
    judge_translation(view);
    score->faulty += view->faults > 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double share(size_t part, size_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

// Prints a figure, its goal and its lower bound. False if the figure is below the bound.
static bool print_figure(const char *name, double found, const char *goal, double least)
{
    printf("%-32s %5.1f %%  (goal %s, at least %g)\n", name, found, goal, least);
    return found >= least;
}

static bool print_score(struct score *score)
{
    size_t right = 0, possible = 0;
    for (size_t p = 0; p < PROPERTIES; p++) {
        printf("%-15s %5zu right %4zu wrong of %5zu\n", names[p], score->right[p], score->wrong[p],
               score->possible[p]);
        right += score->right[p] < score->possible[p] ? score->right[p] : score->possible[p];
        possible += score->possible[p];
    }
    qsort(score->widths, score->width_count, sizeof *score->widths, ascending);
    double width = score->width_count ? 100 * score->widths[score->width_count / 2] : NAN;
    printf("middle width of a size's interval %.1f %% (goal 10)\n", width);
    bool good = print_figure("machines without a false one",
                             100 - share(score->faulty, score->machines), "97", FAULTLESS_LEAST);
    good &= print_figure("answered", share(right, possible), "80", ANSWERED_LEAST);
    good &= print_figure("level count right",
                         share(score->right[P_COUNT], score->possible[P_COUNT]), "90", COUNT_LEAST);
    good &= print_figure("sizes inside their intervals", share(score->within, score->width_count),
                         "95", WITHIN_LEAST);
    return good;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    size_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 10;
    size_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    struct score *score = calloc(1, sizeof *score);
    score->verbose = argc > 3 || getenv("VERBOSE");
    for (size_t i = first; i < first + count; i++) {
        struct simulated machine;
        struct gpu_info device;
        struct random random;
        random_init(&random, seed * 1000003 + i);
        simulated_make(&random, &machine, &device);
        clock_t begin = clock();
        size_t cases;
        struct asked asked = {&machine, &device};
        struct run *run = map_run(&device, answer, &asked, SIZE_MAX, &cases);
        if (score->verbose) {
            printf("machine %zu (%.0f ms, %zu cases)\n", i,
                   1e3 * (double)(clock() - begin) / CLOCKS_PER_SEC, cases);
            describe(&machine, &device);
            print_found(run);
        }
        struct view view = {.machine = &machine, .device = &device, .run = run, .score = score};
        judge(&view);
        run_destroy(run);
    }
    bool good = print_score(score);
    free(score);
    return good ? 0 : 1;
}
