// SPDX-License-Identifier: MIT
#include "map/parts.h"

#include "bench/bench.h"
#include "map/judge.h"
#include "results/units.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    UNIT_TEXT = 32,
    PAGES_PROBES = 9,
    // Number of wide probes, whose nodes are more than 2 MiB apart. They are the first probes.
    PAGES_WIDE = 4,
    // Bytes of all lines that a lap touches, for a chain over at most PAGES_LAP_NODES pages: it
    // visits each page several times, at different lines (see the benchmark latency).
    PAGES_LAP_BYTES = 1 << 20,
    PAGES_LAP_NODES = PAGES_LAP_BYTES / MAP_NODE_BYTES,
    // Index of the first of the two odd probes, whose nodes are not a power of two apart.
    PAGES_ODD = 7,
    // Number of chains with a node in each page that look for one TLB's reach.
    REACH_POINTS = 20
};

#define PAGES_LEAST (UINT64_C(16) << 20) // smallest region of chains over pages, in bytes
#define PAGES_MOST  (UINT64_C(32) << 30) // maximum region of chains over pages, in bytes
// Minimum reach for wide probes. Below it, the widest probe would have fewer than 4 nodes.
#define PAGES_REACH_MIN (UINT64_C(92) << 20)

// If pages are smaller than 2 MiB, chains that look for the TLB's reach have this many times the
// number of nodes that fit at 2 MiB apart, because nodes 2 MiB apart use only some sets of the TLB.
static const double reach_from = 0.6, reach_to = 2.6;

struct pages_probe {
    double region; // size in bytes, a multiple of `page`
    uint64_t page; // bytes from one node to the next
};

// A probe shows something only if the latency beyond the TLB's reach is at least this many times
// the latency within the reach.
static const double contrast_min = 1.1;
// Maximum ratio of two latencies in a flat part of the latency curve of vector loads.
static const double lap_flat = 1.05;

// Returns the reach of a TLB: the region at which level k of the curve over pages ends. If no flat
// level follows, the end lies between the last point of level k and the next point.
static struct level_height reach_of(const struct level_curve *curve, size_t k)
{
    const struct plateaus_step *step = &curve->fit.steps[k];
    if (k + 1 < curve->fit.flat)
        return (struct level_height){
            exp2(step->end), {exp2(step->end_low), exp2(step->end_high)}, curve->count};
    size_t last = curve->fit.levels[k].last;
    const double *octaves = &curve->octaves[last];
    return (struct level_height){
        exp2((octaves[0] + octaves[1]) / 2), {exp2(octaves[0]), exp2(octaves[1])}, curve->count};
}

// Returns the reach of the first TLB in bytes; 0 if the curve's first flat part does not end.
static double translation_end(const struct level_curve *curve)
{
    return curve->fit.flat == 0 || curve->fit.count < 2 ? 0 : reach_of(curve, 0).median;
}

// Returns the largest region in bytes: half of the memory, or the largest region that a chain over
// pages can address.
static double pages_most(const struct gpu_info *device)
{
    uint64_t most = device->limits.memory_bytes / 2;
    uint64_t reach = device->caps & GPU_CAP(ADDRESSES) ? PAGES_MOST : BENCH_INDEX_REACH_BYTES;
    return (double)(most < reach ? most : reach);
}

// Returns a probe with nodes `page` bytes apart. Rounds `region` down to a multiple of `page`.
static struct pages_probe probe_of(double region, uint64_t page)
{
    return (struct pages_probe){floor(region / (double)page) * (double)page, page};
}

// Makes the probes that show the page size of a TLB with this reach, over at most `most` bytes.
// "Fits" means that the TLB has an entry for each node. Wide probes have the region 0 if the reach
// is below PAGES_REACH_MIN or too large for `most`.
//
//   wide    The region is 0.7 p times the reach, with nodes p, 2p, 4p, 8p times 2 MiB apart. These
//           probes fit if an entry covers at most 2, 4, 8, 16 MiB. p is at most 16.
//   narrow  The region is 0.9, 0.45, 0.225 of the reach, with nodes 1, ½, ¼ MiB apart. These
//           probes fit if an entry covers at least 2, 1, ½ MiB.
//   odd     The region is 0.65 and 1.3 times the reach, with nodes about 1.5 MiB apart. Both fit
//           only if pages are below 2 MiB and the curve's chain used only some sets of the TLB.
static void pages_plan(double reach, double most, struct pages_probe probes[PAGES_PROBES])
{
    double times = 16;
    memset(probes, 0, PAGES_PROBES * sizeof *probes);
    while (times > 1 && 0.7 * times * reach > most)
        times /= 2;
    for (unsigned i = 0; i < PAGES_WIDE && times > 1 && reach >= (double)PAGES_REACH_MIN; i++)
        probes[i] = probe_of(0.7 * times * reach, (uint64_t)(times * exp2(i)) * MAP_PAGE_BYTES);
    for (unsigned i = PAGES_WIDE; i < PAGES_ODD; i++) {
        unsigned halvings = i - PAGES_WIDE + 1;
        probes[i] = probe_of(1.8 * reach / exp2(halvings), MAP_PAGE_BYTES >> halvings);
    }
    for (unsigned i = PAGES_ODD; i < PAGES_PROBES; i++)
        probes[i] =
            probe_of(0.65 * reach * (i - PAGES_ODD + 1), MAP_PAGE_BYTES / 4 * 3 + MAP_NODE_BYTES);
}

// Returns the kind of chain for a probe: MAP_PAGES if its nodes are a power of two apart, else
// MAP_PROBE.
static const char *chain_of(size_t probe)
{
    return probe >= PAGES_ODD ? MAP_PROBE : MAP_PAGES;
}

void map_translation_add_cases(const struct map_look *look)
{
    struct map_cases *cases = look->cases;
    if (!map_cases_of_cpu(cases))
        map_cases_add_latency(cases, "vector", "page",
                              arena_printf(cases->arena, "%" PRIu64 "..%.0f/2", PAGES_LEAST,
                                           pages_most(cases->device)));
}

static void add_chain(const struct map_look *look, const char *what, double region, uint64_t page)
{
    map_cases_add_chain(
        look->cases, &(struct map_chain){
                         .what = what, .level = 1, .bytes = region, .stride = page, .grain = page});
}

void map_pages_add_cases(const struct map_look *look)
{
    struct pages_probe probes[PAGES_PROBES];
    double reach = look->pages ? translation_end(look->pages) : 0;
    if (!(reach > 0))
        return;
    pages_plan(reach, pages_most(look->cases->device), probes);
    for (size_t i = 0; i < PAGES_PROBES; i++)
        if (probes[i].region > 0)
            add_chain(look, chain_of(i), probes[i].region, probes[i].page);
}

// ---------------------------------------------------------------- the size of a page

// Latency `ns` of a probe; `half` is the half-width of its interval, divided by the latency.
struct pages_latency {
    double ns, half;
};

// Returns 1 if the probe's nodes fit the TLB, 0 if they do not, and −1 if this is unknown, because
// the curve rises too little or the latency is too uncertain.
static int fits(const struct level_curve *curve, double within, const struct pages_probe *probe,
                struct pages_latency latency)
{
    // region at which the curve's chain needs as many TLB entries as a probe that does not fit
    double alike =
        fmax(probe->region * (double)MAP_PAGE_BYTES / (double)probe->page, probe->region);
    double beyond = map_curve_ns(curve, alike);
    double off = log(latency.ns / sqrt(within * beyond));
    return beyond < contrast_min * within || fabs(off) < latency.half ? -1 : off < 0;
}

// What the probes show about the page size of a TLB.
struct pages_answer {
    uint64_t page; // page size in bytes; 0 if unknown
    // true if a page has at least 2 MiB, the distance between nodes of the curve's chain
    bool covers;
    const char *why;       // reason why `page` is unknown
    const char *uncovered; // reason why `covers` is false
};

// Finds the page size. A probe that fits the TLB has about the latency `within`. Any other probe
// has about the latency of `curve` where the curve's chain needs as many TLB entries (fits).
static struct pages_answer pages_judge(const struct level_curve *curve, double within,
                                       const struct pages_probe *probes,
                                       const struct pages_latency *latencies)
{
    int answers[PAGES_PROBES];
    bool all_wide = true;
    struct pages_answer answer = {.why = "its probes were not all measured",
                                  .uncovered = "the probes of its pages were not all measured"};
    for (size_t i = 0; i < PAGES_PROBES; i++) {
        answers[i] = !isfinite(latencies[i].ns) ? -2
                     : i < PAGES_ODD            ? fits(curve, within, &probes[i], latencies[i])
                     : i == PAGES_ODD           ? 1
                                      : latencies[i].ns < contrast_min * latencies[PAGES_ODD].ns;
        if (answers[i] == -1)
            answer.why = answer.uncovered = "latency rises by less than 10 % beyond the reach";
        if (answers[i] < 0 && i >= PAGES_WIDE)
            return answer;
        all_wide &= answers[i] >= 0;
    }
    answer.why = answer.uncovered = "the probes of its pages contradict each other";
    for (size_t i = PAGES_WIDE + 1; i < PAGES_ODD; i++)
        if (answers[i] < answers[i - 1])
            return answer;
    answer.why = answer.uncovered =
        "its pages are smaller than 2 MiB, and pages 2 MiB apart use only "
        "some of its sets";
    if (answers[PAGES_ODD + 1])
        return answer;
    // Each wide probe needs at most as many TLB entries as the wide probe before it, and so does
    // each narrow probe. So the first probe that fits shows the page size.
    unsigned wide = 0, narrow = 0;
    while (wide < PAGES_WIDE && answers[wide] <= 0)
        wide++;
    while (narrow < PAGES_ODD - PAGES_WIDE && !answers[PAGES_WIDE + narrow])
        narrow++;
    answer.covers = narrow == 0;
    answer.uncovered = "its pages are smaller than the 2 MiB between the nodes of its chains";
    if (narrow > 0) {
        bool known = narrow < PAGES_ODD - PAGES_WIDE && wide == 0;
        answer.why = wide ? answer.why : "it is smaller than 512 KiB";
        answer.page = known ? MAP_PAGE_BYTES >> narrow : 0;
        return answer;
    }
    answer.why = "its reach is below 92 MiB or so large that no region fits: pages farther apart "
                 "than 2 MiB could not be tried";
    if (!all_wide)
        return answer;
    answer.why = "its probes contradict each other";
    for (size_t i = 1; i < PAGES_WIDE; i++)
        if (answers[i] < answers[i - 1])
            return answer;
    answer.why = "it is larger than 16 MiB";
    answer.page = wide < PAGES_WIDE ? MAP_PAGE_BYTES << wide : 0;
    return answer;
}

// ---------------------------------------------------------------- results

static const char path[] = "vector";

// Returns the latency of probe i, with the narrower of its intervals in ns and in cycles.
static struct pages_latency latency_of(const struct map_steps *steps, const struct run *run,
                                       size_t i, const struct pages_probe *probe)
{
    const struct result *result =
        probe->region > 0
            ? map_steps_chain_result(steps, run, chain_of(i), 1,
                                     &(struct lines_chain){probe->region, (double)probe->page})
            : NULL;
    struct pages_latency latency = {result ? map_steps_ns(steps, result) : NAN, 0};
    const struct metric *ns = result ? result_metric(result, "latency") : NULL;
    const struct metric *cycles = result ? result_metric(result, "latency_cycles") : NULL;
    if (ns)
        latency.half = (ns->ci95[1] - ns->ci95[0]) / ns->median / 2;
    if (cycles)
        latency.half = fmin(latency.half, (cycles->ci95[1] - cycles->ci95[0]) / cycles->median / 2);
    return latency;
}

static struct pages_answer judge_pages(const struct map_steps *steps, const struct run *run,
                                       const struct gpu_info *device,
                                       const struct level_curve *curve)
{
    struct pages_probe probes[PAGES_PROBES];
    struct pages_latency latencies[PAGES_PROBES];
    pages_plan(translation_end(curve), pages_most(device), probes);
    for (size_t i = 0; i < PAGES_PROBES; i++)
        latencies[i] = latency_of(steps, run, i, &probes[i]);
    return pages_judge(curve, curve->fit.levels[0].height, probes, latencies);
}

// ---------------------------------------------------------------- the reach with smaller pages

// Returns how many TLB reaches the curve over pages shows.
static size_t ends_of(const struct plateaus *fit)
{
    return fit->flat < fit->count ? fit->flat : fit->count - 1;
}

void map_reach_add_cases(const struct map_look *look)
{
    const struct map_steps *steps = &look->caches->steps;
    const struct level_curve *curve = look->pages;
    if (!curve || !(translation_end(curve) > 0) || steps->curve.count == 0)
        return;
    uint64_t page = judge_pages(steps, look->run, look->cases->device, curve).page;
    for (size_t k = 0; page > 0 && page < MAP_PAGE_BYTES && k < ends_of(&curve->fit); k++) {
        double nodes = exp2(curve->fit.steps[k].end) / (double)MAP_PAGE_BYTES;
        for (int i = 0; i < REACH_POINTS; i++) {
            double part = reach_from * pow(reach_to / reach_from, i / (REACH_POINTS - 1.0));
            add_chain(look, MAP_PAGES, part * nodes * (double)page, page);
        }
    }
}

// Returns the latency curve of the chains with one node in each page of `page` bytes.
static struct level_curve reach_curve(const struct map_writer *w, uint64_t page)
{
    const struct run *run = w->run;
    struct level_curve curve = level_curve_empty(w->scratch, run->result_count);
    for (size_t i = 0; i < run->result_count; i++) {
        const struct result *result = run->results[i];
        if (!map_is_probe(w, result, MAP_PAGES) || case_uint(&result->bench_case, "pitch") != page)
            continue;
        double ns = map_steps_ns(&w->caches->steps, result);
        if (isfinite(ns))
            level_curve_insert(&curve, result,
                               log2((double)case_uint(&result->bench_case, "bytes")), ns);
    }
    levels_fit(w->scratch, curve.octaves, curve.ns, curve.count, &curve.fit);
    return curve;
}

// True if the rise after `pages` pages may be the end of a cache: the curve of vector loads is not
// flat around PAGES_LAP_BYTES, or a lap touches more bytes of lines than this. A lap touches
// PAGES_LAP_BYTES within a third up to half of PAGES_LAP_NODES pages, and within 6 % up to an
// eighth.
static bool may_be_cache(const struct map_writer *w, double pages)
{
    const struct level_curve *vector = &w->caches->steps.curve;
    double lap = PAGES_LAP_BYTES;
    bool few = pages < PAGES_LAP_NODES / 8.0;
    double from = few ? 0.8 : 0.6, to = few ? 1.3 : 1.5;
    bool flat = vector->count > 1 &&
                map_curve_ns(vector, to * lap) < lap_flat * map_curve_ns(vector, from * lap);
    return !flat || pages > 0.5 * PAGES_LAP_NODES;
}

// True if the points of level k are about equal: they differ by at most MAP_STEPS_UNEVEN plus the
// noise of the curve of vector loads. (This noise includes small steps that the fit left out.)
static bool is_even(const struct map_writer *w, const struct level_curve *curve, size_t k)
{
    double spread = fmin(levels_spread(w->scratch, curve, k, "latency"),
                         levels_spread(w->scratch, curve, k, "latency_cycles"));
    return !(spread > MAP_STEPS_UNEVEN + map_steps_noise(w->scratch, &w->caches->steps));
}

// Adds the result of level k of a curve over pages whose nodes are `stride` bytes apart.
static void add_level(const struct map_writer *w, const struct level_curve *curve, double stride,
                      size_t k, const struct pages_answer *pages)
{
    struct result *result = map_add_result(w, MAP_TLB, path, k + 1);
    const struct level_height reach = reach_of(curve, k);
    map_add_heights(w, result, curve, k);
    if (may_be_cache(w, reach.median / stride))
        map_add_unknown(w, result, "size", "the lines of its pages may exceed a cache");
    else if (!is_even(w, curve, k))
        map_add_unknown(w, result, "size", "latency rises within the level");
    else if (!pages->covers)
        map_add_unknown(w, result, "size", "%s", pages->uncovered);
    else
        map_add_metric(w, result, MAP_METRIC_SIZE, &reach);
    if (k == 0 && may_be_cache(w, 0))
        map_add_unknown(w, result, "page", "the lines of its pages may exceed a cache");
    else if (k == 0)
        map_add_known(w, result, MAP_METRIC_PAGE, (double)pages->page, pages->why);
}

// Adds a skipped result whose reason says why the curve over pages shows no TLB's end.
static void flag_all(const struct map_writer *w, const struct level_curve *curve)
{
    struct result *result = map_add_result(w, MAP_TLB, path, 0);
    char from[UNIT_TEXT], to[UNIT_TEXT];
    unit_format(exp2(curve->octaves[0]), UNIT_BYTE, from, sizeof from);
    unit_format(exp2(curve->octaves[curve->count - 1]), UNIT_BYTE, to, sizeof to);
    if (curve->fit.flat == 0)
        result_flag(w->run->arena, result, VERDICT_SKIPPED, "unknown",
                    "could not find the reach of the TLB from chains over pages: %s",
                    curve->fit.reason);
    else
        result_flag(w->run->arena, result, VERDICT_SKIPPED, "unknown",
                    "could not find the reach of the TLB: from %s to %s either every page hits "
                    "or none does",
                    from, to);
}

void map_add_translation(const struct map_writer *w, const struct level_curve *curve)
{
    const struct plateaus *fit = &curve->fit;
    if (fit->flat == 0 || fit->count < 2) {
        flag_all(w, curve);
        return;
    }
    struct pages_answer pages = judge_pages(&w->caches->steps, w->run, w->device, curve);
    double stride = (double)MAP_PAGE_BYTES;
    const struct level_curve small = reach_curve(w, pages.page);
    if (pages.page > 0 && pages.page < MAP_PAGE_BYTES && small.fit.flat > 0 &&
        small.fit.count > 1) {
        curve = &small;
        stride = (double)pages.page;
        pages.covers = true;
    }
    for (size_t k = 0; k < ends_of(&curve->fit); k++)
        add_level(w, curve, stride, k, &pages);
    if (curve->fit.flat == curve->fit.count)
        map_add_heights(w, map_add_result(w, MAP_TLB, path, 0), curve, curve->fit.count - 1);
}
