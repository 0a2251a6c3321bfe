// SPDX-License-Identifier: MIT
#include "bench/occupancy/session.h"

static const struct param_info params[] = {
    {.key = "by",
     .type = PARAM_TEXT,
     .quick = "registers",
     .standard = "registers,shared,threads",
     .choices = "registers|shared|threads",
     .help = "what limits how many workgroups fit: registers, shared memory or threads"},
    {.key = "values",
     .type = PARAM_UINT,
     .quick = "24,120",
     .standard = "8,24,56,88,120,160,240",
     .choices = "8|24|56|88|120|160|240", // kernels.txt has a kernel for each of these numbers
     .when = "by=registers",
     .help = "32-bit values that each of 64 threads keeps; the compiler adds a few registers"},
    {.key = "shared",
     .type = PARAM_BYTES,
     .unit = UNIT_BYTE,
     .quick = "32KiB",
     .standard = "8KiB,16KiB,32KiB,48KiB,64KiB,96KiB,112KiB,227KiB",
     .when = "by=shared",
     .least = 4,
     .multiple = 4,
     .help = "shared memory of a workgroup of 64 threads"},
    {.key = "threads",
     .type = PARAM_UINT,
     .quick = "1024",
     .standard = "32,64,256,1024",
     .choices = "32|64|256|1024",
     .when = "by=threads",
     .help = "threads of a workgroup"},
    {.key = "subgroup",
     .type = PARAM_UINT,
     .standard = "4..128/1",
     .most = UINT32_MAX,
     .help = "threads of a subgroup; presets take the sizes that the device has"},
};

static const struct metric_info metrics[] = {
    {.name = "workgroups", .better = BETTER_HIGHER, .help = "workgroups at once on one core"},
    {.name = "subgroups",
     .better = BETTER_HIGHER,
     .help = "subgroups (warps, waves) at once on one core"},
    {.name = "threads", .better = BETTER_HIGHER, .help = "threads at once on one core"},
    {.name = "chip_workgroups",
     .better = BETTER_HIGHER,
     .help = "workgroups at once on all cores together"},
    {.name = "registers", .help = "32-bit registers of a thread, as the driver reports"},
};

static const struct view_info views[] = {
    {.kind = VIEW_CURVE,
     .title = "Subgroups on a core by the values that a thread keeps",
     .x = "values",
     .metric = "subgroups",
     .group = "subgroup",
     .scale = "linear",
     .where = "by=registers"},
    {.kind = VIEW_CURVE,
     .title = "Workgroups on a core by their shared memory",
     .x = "shared",
     .metric = "workgroups",
     .group = "subgroup",
     .scale = "log2-linear",
     .where = "by=shared"},
    {.kind = VIEW_BARS,
     .title = "Workgroups on a core by their threads",
     .x = "threads",
     .metric = "workgroups",
     .group = "subgroup",
     .scale = "linear",
     .where = "by=threads"},
    {.kind = VIEW_BARS,
     .title = "Workgroups on the whole chip by the values that a thread keeps",
     .x = "values",
     .metric = "chip_workgroups",
     .group = "subgroup",
     .scale = "linear",
     .where = "by=registers"},
};

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_BEST, .title = "Threads on a core", .metric = "threads"},
};

enum occupancy_param { // indices of the parameters in the array `params`
    OCCUPANCY_PARAM_BY,
    OCCUPANCY_PARAM_VALUES,
    OCCUPANCY_PARAM_SHARED,
    OCCUPANCY_PARAM_THREADS,
    OCCUPANCY_PARAM_SUBGROUP
};

// Returns the subgroup size of a case. Kernels can choose it, within the device's bounds, only with
// by=registers.
static uint64_t subgroup_of(const struct bench_pick *pick)
{
    const struct gpu_info *info = pick->request->device;
    const struct gpu_limits *limits = &info->limits;
    if (!(info->caps & GPU_CAP(SUBGROUP_CHOICE)) || !case_says(&pick->c, "by", "registers"))
        return limits->subgroup_threads;
    if (pick->value->uint < limits->subgroup_threads_min)
        return limits->subgroup_threads_min;
    return pick->value->uint < limits->subgroup_threads_max ? pick->value->uint
                                                            : limits->subgroup_threads_max;
}

static bool reach(const struct bench_pick *pick)
{
    const struct gpu_info *info = pick->request->device;
    struct occupancy_case this_case;
    if (pick->param == OCCUPANCY_PARAM_BY)
        return true;
    if (pick->param == OCCUPANCY_PARAM_SUBGROUP) {
        pick->value->uint = subgroup_of(pick);
        return true;
    }
    occupancy_case_read(&(struct bench_case){pick->value, 1}, &this_case);
    if (info->limits.workgroup_threads && this_case.threads > info->limits.workgroup_threads)
        return false;
    return this_case.shared_bytes <= occupancy_shared_max(info) &&
           occupancy_kernel(&this_case, info);
}

const struct benchmark bench_occupancy = {
    .info = {.name = "occupancy",
             .version = 1,
             .title = "Workgroups that are on a core at once",
             BENCHMARK_TABLE(param, params),
             BENCHMARK_TABLE(metric, metrics),
             BENCHMARK_TABLE(view, views),
             BENCHMARK_TABLE(headline, headlines)},
    .description = "How many workgroups a core holds at once, by the registers of their threads, "
                   "by their shared memory and by their size. Each workgroup records its core, and "
                   "when it began and ended by the device's clock; workgroups whose times overlap "
                   "were on the core at once. The values that the threads keep are checked.",
    .needs = GPU_CAP(DEVICE_CLOCK),
    .product = {.reach = reach},
    .open = occupancy_open,
    .programs = occupancy_programs,
    .visit = occupancy_visit,
    .conclude = occupancy_conclude,
};
