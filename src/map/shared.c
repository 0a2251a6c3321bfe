// SPDX-License-Identifier: MIT
#include "map/shared.h"

#include "analysis/banks.h"

#include <math.h>
#include <string.h>

enum {
    BANKS_POINTS_MAX = 64
};

// By the loads of benchmark strides whose threads are so many words apart; 0: not told.
static unsigned banks_of(const struct map_finder *f)
{
    double strides[BANKS_POINTS_MAX], ns[BANKS_POINTS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < f->run->result_count && count < BANKS_POINTS_MAX; i++) {
        const struct result *load = f->run->results[i];
        const struct metric *time = result_metric(load, "time");
        if (strcmp(load->benchmark, "strides") != 0 || strcmp(load->device, f->device->id) != 0 ||
            strcmp(case_text(&load->bench_case, "pattern"), "banks") != 0 || !time ||
            !isfinite(time->median))
            continue;
        strides[count] = (double)case_uint(&load->bench_case, "stride");
        ns[count++] = time->median;
    }
    return banks_count(&(struct banks_curve){strides, ns, count});
}

// A core's shared memory has no levels: one latency, and the size that the driver states.
void map_add_shared(const struct map_finder *f, const struct level_curve *curve)
{
    struct result *result = map_add_result(f, MAP_SHARED, "shared", 0);
    struct level_curve all = *curve;
    all.fit.levels[0] = (struct plateau){.first = 0, .last = curve->count - 1};
    map_add_heights(f, result, &all, 0);
    map_add_claim(f, result, f->device->limits.shared_bytes);
    // A chain that went through the array found every word of it.
    map_add_plain(f, result, MAP_METRIC_SIZE, exp2(curve->octaves[curve->count - 1]));
    map_add_told(f, result, MAP_METRIC_BANKS, banks_of(f),
                 "no conflict of threads that are a power of two apart was seen");
}
