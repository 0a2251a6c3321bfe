// SPDX-License-Identifier: MIT
#include "analysis/banks.h"
#include "bench/strides/session.h"

#include <math.h>

static const struct param_info params[] = {
    {.key = "pattern",
     .type = PARAM_TEXT,
     .standard = "stride,block,banks",
     .choices = "stride|block|banks",
     .help = "neighbouring threads a constant distance apart, threads in rows of a 2-D array, or a "
             "constant distance apart in shared memory"},
    {.key = "width",
     .type = PARAM_UINT,
     .unit = UNIT_BYTE,
     .quick = "4,16",
     .standard = "4,8,16",
     .choices = "4|8|16",
     .when = "pattern=stride|block",
     .help = "bytes of one load: a float, a double or two doubles; loads from shared memory always "
             "have 4"},
    {.key = "stride",
     .type = PARAM_UINT,
     .quick = "1..64",
     .standard = "1..128+1",
     .when = "pattern=stride|banks",
     .most = STRIDES_STRIDE_MAX,
     .help = "elements from one thread to the next; in shared memory words, by default 1 to 64 and "
             "128"},
    {.key = "offset",
     .type = PARAM_TEXT,
     .standard = "line",
     .full = "line,original,random",
     .choices = "line|original|random",
     .when = "pattern=stride",
     .unsaid = "line",
     .help = "where in a line of 128 bytes a load begins: at its start, where the loads of "
             "gpu-strides do (0 to 28 elements into it), or at a place that differs from load to "
             "load"},
    {.key = "across",
     .type = PARAM_UINT,
     .quick = "1,8",
     .standard = "1..64",
     .when = "pattern=block",
     .least = 1,
     .most = STRIDES_ACROSS_MAX,
     .help =
         "threads side by side; the next threads load from a row that lies 4098 elements further"},
    {.key = "route",
     .type = PARAM_TEXT,
     .standard = "auto",
     .role = PARAM_METHOD,
     .choices = "auto|address|storage",
     .help = "loads by 64-bit address or from a storage buffer; auto: by address on GPUs that can"},
};

static const struct metric_info metrics[] = {
    [STRIDES_BANDWIDTH] = {.name = "bandwidth",
                           .unit = UNIT_BYTE_PER_S,
                           .better = BETTER_HIGHER,
                           .help = "bytes loaded by one core per second of device time"},
    [STRIDES_PER_CORE] =
        {.name = "per_core",
         .unit = UNIT_BYTE_PER_CYCLE,
         .better = BETTER_HIGHER,
         .help = "bytes loaded by one core per cycle of the core clock seen during the sample",
         .cycles_of = "bandwidth"},
    [STRIDES_CYCLES] = {.name = "cycles",
                        .unit = UNIT_CYCLE,
                        .better = BETTER_LOWER,
                        .help = "cycles that a core takes for one load of 32 threads",
                        .cycles_of = "time"},
    [STRIDES_TIME] = {.name = "time",
                      .unit = UNIT_NS,
                      .better = BETTER_LOWER,
                      .help = "time that a core takes for one load of 32 threads"},
};

static const struct view_info views[] = {
    {.kind = VIEW_HEATMAP,
     .title = "A load by stride, from the core's cache",
     .x = "stride",
     .y = "width",
     .metric = "cycles",
     .scale = "linear-log10",
     .where = "pattern=stride,offset!=original|random"},
    {.kind = VIEW_HEATMAP,
     .title = "A load by stride, placed as in gpu-strides",
     .x = "stride",
     .y = "width",
     .metric = "cycles",
     .scale = "linear-log10",
     .where = "pattern=stride,offset=original"},
    {.kind = VIEW_HEATMAP,
     .title = "A load by the width of a 2-D block, rows 4098 elements apart",
     .x = "across",
     .y = "width",
     .metric = "cycles",
     .scale = "linear-log10",
     .where = "pattern=block"},
    {.kind = VIEW_CURVE,
     .title = "Bandwidth of one core by stride",
     .x = "stride",
     .metric = "bandwidth",
     .group = "width",
     .scale = "linear-linear",
     .where = "pattern=stride,offset!=original|random"},
    {.kind = VIEW_CURVE,
     .title = "A load from shared memory by stride: bank conflicts",
     .x = "stride",
     .metric = "cycles",
     .scale = "log2-log10",
     .where = "pattern=banks"},
};

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_BEST,
     .title = "Loads of a core, elements side by side",
     .metric = "per_core",
     .where = "pattern=stride,offset!=original|random,stride=1"},
    {.kind = HEADLINE_BEST,
     .title = "Loads of a core, 32 elements apart",
     .metric = "per_core",
     .where = "pattern=stride,offset!=original|random,stride=32"},
};

enum {
    // With pattern=banks, presets have strides up to this one, and STRIDES_SHARED_STRIDE_MAX.
    BANKS_DENSE_MAX = 64
};

static bool is_wanted(const struct bench_pick *pick, struct error *err)
{
    (void)err;
    if (case_choice(&pick->c, "pattern") != STRIDES_BANKS ||
        bench_choice_find(pick->request, "stride")->from_user)
        return true;
    uint64_t stride = case_uint(&pick->c, "stride");
    return stride <= BANKS_DENSE_MAX || stride == STRIDES_SHARED_STRIDE_MAX;
}

static unsigned counted(const struct bench_case *c)
{
    bool is_shared = case_choice(c, "pattern") == STRIDES_BANKS;
    return MEASURE_COUNT_MEMORY | (is_shared ? MEASURE_COUNT_SHARED : 0);
}

// ---------------------------------------------------------------- findings

static bool is_of_banks(const struct result *result, const char *device)
{
    return result_is_of(result, "strides", device) &&
           case_says(&result->bench_case, "pattern", "banks") &&
           isfinite(result_median(result, "time"));
}

// Adds the finding "shared-banks" if the times show the number of banks, which is the value. Keys:
// the case with the smallest stride, and the case in which all threads use the same bank.
static void conclude(struct run *run, const char *device)
{
    struct arena *arena = arena_create();
    double *strides = ARENA_ARRAY(arena, run->result_count, double);
    double *times = ARENA_ARRAY(arena, run->result_count, double);
    const struct result **cases = ARENA_ARRAY(arena, run->result_count, const struct result *);
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        if (!is_of_banks(run->results[i], device))
            continue;
        double stride = (double)case_uint(&run->results[i]->bench_case, "stride");
        size_t at = count++;
        for (; at > 0 && strides[at - 1] > stride; at--) {
            strides[at] = strides[at - 1];
            times[at] = times[at - 1];
            cases[at] = cases[at - 1];
        }
        strides[at] = stride;
        times[at] = result_median(run->results[i], "time");
        cases[at] = run->results[i];
    }
    unsigned banks = banks_count(&(struct banks_curve){strides, times, count});
    for (size_t i = 0; banks && i < count; i++)
        if (strides[i] == banks)
            run_add_conclusion(run, "shared-banks", banks, cases[0], cases[i],
                               "shared memory has %u banks, counted in words of 4 bytes: threads "
                               "%u words apart all use the same bank",
                               banks, banks);
    arena_destroy(arena);
}

const struct benchmark bench_strides = {
    .info = {.name = "strides",
             .version = 2,
             .title = "What the pattern of a load costs",
             BENCHMARK_TABLE(param, params),
             BENCHMARK_TABLE(metric, metrics),
             BENCHMARK_TABLE(view, views),
             BENCHMARK_TABLE(headline, headlines)},
    .description = "One workgroup on one core loads repeatedly what the core's own cache holds: "
                   "threads side by side, 2 to 128 elements apart, or in rows of a 2-D array, in "
                   "loads of 4, 8 and 16 bytes. It also loads words of shared memory that lie 1 to "
                   "128 words apart. There, threads that use the same bank wait for each other; a "
                   "finding gives the number of banks. The sum of each thread is checked.",
    .slowness = 0.3,
    .product = {.keep = is_wanted},
    .open = strides_open,
    .programs = strides_programs,
    .counted = counted,
    .visit = strides_visit,
    .conclude = conclude,
};
