// SPDX-License-Identifier: MIT
#include "bench/occupancy/session.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct param_info params[] = {
    {.key = "by",
     .type = PARAM_TEXT,
     .quick = "registers",
     .standard = "registers,shared,threads",
     .choices = "registers|shared|threads",
     .help = "what workgroups have much of"},
    {.key = "values",
     .type = PARAM_UINT,
     .quick = "24,120",
     .standard = "8,24,56,88,120,160,240",
     .help =
         "with by=registers: 32-bit values that each thread of 64 keeps; the compiler adds a few"},
    {.key = "shared",
     .type = PARAM_BYTES,
     .unit = UNIT_BYTE,
     .quick = "32KiB",
     .standard = "8KiB,16KiB,32KiB,48KiB,64KiB,96KiB,112KiB,227KiB",
     .help = "with by=shared: shared memory of a workgroup of 64 threads"},
    {.key = "threads",
     .type = PARAM_UINT,
     .quick = "1024",
     .standard = "32,64,256,1024",
     .help = "with by=threads: threads of a workgroup"},
    {.key = "subgroup",
     .type = PARAM_UINT,
     .standard = "4..128/1",
     .help = "threads of a subgroup; presets take those that the device offers"},
};

static const struct metric_info metrics[] = {
    {.name = "workgroups", .better = BETTER_HIGHER, .help = "at once on one core"},
    {.name = "subgroups", .better = BETTER_HIGHER, .help = "the same in subgroups (warps, waves)"},
    {.name = "threads", .better = BETTER_HIGHER, .help = "the same in threads"},
    {.name = "chip_workgroups", .better = BETTER_HIGHER, .help = "at once on all cores together"},
    {.name = "registers", .help = "of a thread, 32 bits each, as the driver says"},
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

// ---------------------------------------------------------------- cases

struct planner {
    const struct bench_request *request;
    struct bench_case_list *list;
    const struct bench_choice *subgroup;
};

// Only the sizes there are; what a user asked for is skipped with the reason.
static bool has_subgroup(const struct planner *p, uint64_t threads)
{
    const struct gpu_info *info = p->request->device;
    const struct gpu_limits *limits = &info->limits;
    if (p->subgroup->from_user)
        return true;
    if (!(info->caps & GPU_CAP(SUBGROUP_CHOICE)))
        return threads == limits->subgroup_threads;
    return threads >= limits->subgroup_threads_min && threads <= limits->subgroup_threads_max;
}

static void add_case(const struct planner *p, const struct case_value *by,
                     const struct case_value *detail, uint64_t subgroup)
{
    struct case_value *values = ARENA_ARRAY(p->request->arena, 3, struct case_value);
    values[0] = *by;
    values[1] = *detail;
    values[2] = p->subgroup->values[0];
    values[2].uint = subgroup;
    bench_case_add(p->request->arena, p->list,
                   (struct bench_case){.values = values, .value_count = 3});
}

// The sizes are an axis of registers; elsewhere the driver's own will do.
static void add_subgroups(const struct planner *p, const struct case_value *by,
                          const struct case_value *detail)
{
    size_t before = p->list->count;
    if (strcmp(by->text, "registers") == 0 || p->subgroup->from_user)
        for (size_t s = 0; s < p->subgroup->value_count; s++)
            if (has_subgroup(p, p->subgroup->values[s].uint))
                add_case(p, by, detail, p->subgroup->values[s].uint);
    if (p->list->count == before)
        add_case(p, by, detail, p->request->device->limits.subgroup_threads);
}

static bool is_one_of(uint64_t value, const uint32_t *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (all[i] == value)
            return true;
    return false;
}

// As kernels.txt has them.
static bool check_detail(const struct case_value *detail, struct error *err)
{
    static const uint32_t values[] = {8, 24, 56, 88, 120, 160, 240},
                          threads[] = {32, 64, 256, 1024};
    if (strcmp(detail->key, "values") == 0 && !is_one_of(detail->uint, values, COUNT(values)))
        return error_set(err, ERROR_USAGE,
                         "occupancy.values: expected 8, 24, 56, 88, 120, 160 or 240");
    if (strcmp(detail->key, "threads") == 0 && !is_one_of(detail->uint, threads, COUNT(threads)))
        return error_set(err, ERROR_USAGE, "occupancy.threads: expected 32, 64, 256 or 1024");
    if (strcmp(detail->key, "shared") == 0 && (detail->uint % 4 || detail->uint == 0))
        return error_set(err, ERROR_USAGE, "occupancy.shared: expected a multiple of 4 bytes");
    return true;
}

static bool is_reachable(const struct planner *p, const struct case_value *detail)
{
    const struct gpu_info *info = p->request->device;
    struct occupancy_case this_case;
    const struct bench_case one = {
        (struct case_value[]){*detail, {.key = "subgroup", .type = PARAM_UINT}}, 2};
    occupancy_case_read(&one, &this_case);
    if (info->limits.workgroup_threads && this_case.threads > info->limits.workgroup_threads)
        return false;
    return this_case.shared_bytes <= occupancy_shared_max(info) &&
           occupancy_kernel(&this_case, info);
}

bool occupancy_plan(const struct bench_request *request, struct bench_case_list *list,
                    struct error *err)
{
    static const char *const details[] = {"values", "shared", "threads"};
    const struct planner p = {
        .request = request, .list = list, .subgroup = bench_choice_find(request, "subgroup")};
    const struct bench_choice *by = bench_choice_find(request, "by");
    for (size_t b = 0; b < by->value_count; b++) {
        const char *name = by->values[b].text;
        const struct bench_choice *detail =
            bench_choice_find(request, details[strcmp(name, "shared") == 0    ? 1
                                               : strcmp(name, "threads") == 0 ? 2
                                                                              : 0]);
        for (size_t d = 0; d < detail->value_count; d++) {
            if (!check_detail(&detail->values[d], err))
                return false;
            if (detail->from_user || is_reachable(&p, &detail->values[d]))
                add_subgroups(&p, &by->values[b], &detail->values[d]);
        }
    }
    return true;
}

const struct benchmark bench_occupancy = {
    .info =
        {
            .name = "occupancy",
            .version = 1,
            .title = "Workgroups that are on a core at once",
            .params = params,
            .param_count = COUNT(params),
            .metrics = metrics,
            .metric_count = COUNT(metrics),
            .views = views,
            .view_count = COUNT(views),
            .headlines = headlines,
            .headline_count = COUNT(headlines),
        },
    .description = "How many workgroups a core holds at once, by the registers that their threads "
                   "need, by their shared memory and by their size. Each one records its core and "
                   "when it began and ended by the device's clock; what overlaps was there at "
                   "once. The values that were to be kept are checked.",
    .needs = GPU_CAP(DEVICE_CLOCK),
    .plan = occupancy_plan,
    .open = occupancy_open,
    .visit = occupancy_visit,
    .conclude = occupancy_conclude,
};
