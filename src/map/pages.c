// SPDX-License-Identifier: MIT
#include "map/pages.h"

#include "bench/bench.h"

#include <math.h>

static const double contrast_min = 1.1; // of a region beyond the reach, for a probe to tell

double map_translation_end(const struct level_curve *curve)
{
    const struct plateaus *fit = &curve->fit;
    if (fit->flat == 0 || fit->count < 2)
        return 0;
    if (fit->flat > 1)
        return exp2(fit->steps[0].end);
    // What follows is no level: the end lies between the last flat point and the next one.
    size_t last = fit->levels[0].last;
    return exp2((curve->octaves[last] + curve->octaves[last + 1]) / 2);
}

double map_pages_most(const struct gpu_info *device)
{
    uint64_t most = device->limits.memory_bytes / 2;
    uint64_t reach = device->caps & GPU_CAP(ADDRESSES) ? MAP_PAGES_MOST : BENCH_INDEX_REACH_BYTES;
    return (double)(most < reach ? most : reach);
}

// Whole pages of it: what a chain covers.
static struct map_pages_probe probe_of(double region, uint64_t page)
{
    return (struct map_pages_probe){floor(region / (double)page) * (double)page, page};
}

size_t map_pages_plan(double reach, double most, struct map_pages_probe probes[MAP_PAGES_PROBES],
                      const char **why)
{
    double times = 16;
    *why = "it reaches too few pages of 2 MiB for chains that would tell";
    if (reach < (double)MAP_PAGES_REACH_MIN)
        return 0;
    *why = "regions that would tell it are larger than what chains may cover";
    while (times > 1 && 0.7 * times * reach > most)
        times /= 2;
    if (times < 2)
        return 0;
    for (unsigned i = 0; i < MAP_PAGES_WIDE; i++)
        probes[i] = probe_of(0.7 * times * reach, (uint64_t)(times * exp2(i)) * MAP_PAGE_BYTES);
    for (unsigned i = MAP_PAGES_WIDE; i < MAP_PAGES_PROBES; i++) {
        unsigned halvings = i - MAP_PAGES_WIDE + 1;
        probes[i] = probe_of(1.414 * reach / exp2(halvings), MAP_PAGE_BYTES >> halvings);
    }
    return MAP_PAGES_PROBES;
}

// Of the curve, at a region.
static double latency_at(const struct level_curve *curve, double bytes)
{
    double x = log2(bytes);
    size_t i = 0;
    while (i + 2 < curve->count && curve->octaves[i + 1] < x)
        i++;
    double width = curve->octaves[i + 1] - curve->octaves[i];
    double t = fmin(fmax((x - curve->octaves[i]) / width, 0), 1);
    return curve->ns[i] + t * (curve->ns[i + 1] - curve->ns[i]);
}

// 1: it fits, 0: it does not, -1: not to be told.
static int fits(const struct level_curve *curve, double within, const struct map_pages_probe *probe,
                double ns)
{
    // As many entries as these pages need, were each an entry's own.
    double alike =
        fmax(probe->region * (double)MAP_PAGE_BYTES / (double)probe->page, probe->region);
    double beyond = latency_at(curve, alike);
    return beyond < contrast_min * within ? -1 : ns < sqrt(within * beyond);
}

uint64_t map_pages_judge(const struct level_curve *curve, double within,
                         const struct map_pages_probe *probes, const double *ns, size_t count,
                         const char **why)
{
    int answers[MAP_PAGES_PROBES];
    *why = "its probes were not all measured";
    if (count < MAP_PAGES_PROBES)
        return 0;
    *why = "beyond the reach latency rises too little for a probe to tell";
    for (size_t i = 0; i < MAP_PAGES_PROBES; i++)
        if ((answers[i] = fits(curve, within, &probes[i], ns[i])) < 0)
            return 0;
    *why = "its probes contradict each other";
    for (size_t i = 1; i < MAP_PAGES_PROBES; i++)
        if (i != MAP_PAGES_WIDE && answers[i] < answers[i - 1])
            return 0;
    // Both kinds are the likelier to fit the later they stand.
    unsigned wide = 0, narrow = 0;
    while (wide < MAP_PAGES_WIDE && !answers[wide])
        wide++;
    while (narrow < MAP_PAGES_PROBES - MAP_PAGES_WIDE && !answers[MAP_PAGES_WIDE + narrow])
        narrow++;
    if (wide > 0 && narrow > 0)
        return 0;
    *why = wide ? "more than 16 MiB" : "less than 512 KiB";
    if (wide == MAP_PAGES_WIDE || narrow == MAP_PAGES_PROBES - MAP_PAGES_WIDE)
        return 0;
    return (MAP_PAGE_BYTES << wide) >> narrow;
}
