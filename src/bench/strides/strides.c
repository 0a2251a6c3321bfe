// SPDX-License-Identifier: MIT
#include "bench/strides/session.h"

#include <string.h>

static const struct param_info params[] = {
    {.key = "pattern",
     .type = PARAM_TEXT,
     .standard = "stride,block,banks",
     .choices = "stride|block|banks",
     .help =
         "neighbours a constant distance apart, rows of a 2-D array, or a distance apart in shared "
         "memory"},
    {.key = "width",
     .type = PARAM_UINT,
     .unit = UNIT_BYTE,
     .quick = "4,16",
     .standard = "4,8,16",
     .help = "bytes of one load: 4 (a float), 8 (a double) or 16; of shared memory always 4"},
    {.key = "stride",
     .type = PARAM_UINT,
     .quick = "1..64",
     .standard = "1..128+1",
     .help = "elements from neighbour to neighbour; in shared memory words, by default 1 to 64 and "
             "128"},
    {.key = "across",
     .type = PARAM_UINT,
     .quick = "1,8",
     .standard = "1..64",
     .help = "with pattern=block: threads side by side; the next ones lie a row of 4098 elements "
             "further"},
    {.key = "route",
     .type = PARAM_TEXT,
     .standard = "auto",
     .role = PARAM_METHOD,
     .choices = "auto|address|storage",
     .help = "by 64-bit address or as a storage buffer; auto: address where a GPU has them"},
};

static const struct metric_info metrics[] = {
    [STRIDES_BANDWIDTH] = {.name = "bandwidth",
                           .unit = UNIT_BYTE_PER_S,
                           .better = BETTER_HIGHER,
                           .help = "bytes loaded by one core over device time"},
    [STRIDES_PER_CORE] = {.name = "per_core",
                          .unit = UNIT_BYTE_PER_CYCLE,
                          .better = BETTER_HIGHER,
                          .help = "the same by cycle of the clock seen during the sample",
                          .cycles_of = "bandwidth"},
    [STRIDES_CYCLES] = {.name = "cycles",
                        .unit = UNIT_CYCLE,
                        .better = BETTER_LOWER,
                        .help = "that the core is busy with one load of 32 threads",
                        .cycles_of = "time"},
    [STRIDES_TIME] = {.name = "time",
                      .unit = UNIT_NS,
                      .better = BETTER_LOWER,
                      .help = "the same in ns"},
};

static const struct view_info views[] = {
    {.kind = VIEW_HEATMAP,
     .title = "Cycles of a load by stride, from the core's cache",
     .x = "stride",
     .y = "width",
     .metric = "cycles",
     .scale = "linear-log10",
     .where = "pattern=stride"},
    {.kind = VIEW_HEATMAP,
     .title = "Cycles of a load by the width of a 2-D block, rows 4098 elements apart",
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
     .where = "pattern=stride"},
    {.kind = VIEW_CURVE,
     .title = "Cycles of a load from shared memory by stride: bank conflicts",
     .x = "stride",
     .metric = "cycles",
     .scale = "log2-log10",
     .where = "pattern=banks"},
};

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_BEST,
     .title = "Loads of a core, elements side by side",
     .metric = "per_core",
     .where = "pattern=stride,stride=1"},
    {.kind = HEADLINE_BEST,
     .title = "Loads of a core, 32 elements apart",
     .metric = "per_core",
     .where = "pattern=stride,stride=32"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// ---------------------------------------------------------------- the plan

enum {
    BANKS_DENSE_MAX = 64 // every stride up to here; beyond only what tells banks apart
};

struct planner {
    const struct bench_request *request;
    struct bench_case_list *list;
    const struct bench_choice *pattern, *width, *stride, *across, *route;
};

static bool is_wanted_of_banks(const struct planner *p, const struct case_value *stride)
{
    return p->stride->from_user || stride->uint <= BANKS_DENSE_MAX ||
           stride->uint == STRIDES_SHARED_STRIDE_MAX;
}

// `width` is NULL for shared memory.
static void add_case(const struct planner *p, const struct case_value *pattern,
                     const struct case_value *width, const struct case_value *place)
{
    struct case_value *values = ARENA_ARRAY(p->request->arena, 4, struct case_value);
    size_t count = 0;
    values[count++] = *pattern;
    if (width)
        values[count++] = *width;
    values[count++] = *place;
    values[count++] = p->route->values[0];
    bench_case_add(p->request->arena, p->list,
                   (struct bench_case){.values = values, .value_count = count});
}

static void add_pattern(const struct planner *p, const struct case_value *pattern)
{
    bool banks = strcmp(pattern->text, "banks") == 0;
    const struct bench_choice *places = strcmp(pattern->text, "block") == 0 ? p->across : p->stride;
    for (size_t w = 0; w < (banks ? 1 : p->width->value_count); w++)
        for (size_t i = 0; i < places->value_count; i++)
            if (!banks || is_wanted_of_banks(p, &places->values[i]))
                add_case(p, pattern, banks ? NULL : &p->width->values[w], &places->values[i]);
}

static bool check_range(const struct bench_choice *choice, uint64_t least, uint64_t most,
                        struct error *err)
{
    for (size_t i = 0; i < choice->value_count; i++)
        if (choice->values[i].uint < least || choice->values[i].uint > most)
            return error_set(err, ERROR_USAGE, "strides.%s=%llu: expected %llu to %llu",
                             choice->param->key, (unsigned long long)choice->values[i].uint,
                             (unsigned long long)least, (unsigned long long)most);
    return true;
}

static bool check_choices(const struct planner *p, struct error *err)
{
    for (size_t i = 0; i < p->width->value_count; i++)
        if (p->width->values[i].uint != 4 && p->width->values[i].uint != 8 &&
            p->width->values[i].uint != 16)
            return error_set(err, ERROR_USAGE, "strides.width=%llu: a load has 4, 8 or 16 bytes",
                             (unsigned long long)p->width->values[i].uint);
    if (p->route->value_count != 1)
        return error_set(err, ERROR_USAGE, "strides.route takes one value, not a list");
    return check_range(p->stride, 0, STRIDES_STRIDE_MAX, err) &&
           check_range(p->across, 1, STRIDES_ACROSS_MAX, err);
}

static bool plan(const struct bench_request *request, struct bench_case_list *list,
                 struct error *err)
{
    const struct planner p = {.request = request,
                              .list = list,
                              .pattern = bench_choice_find(request, "pattern"),
                              .width = bench_choice_find(request, "width"),
                              .stride = bench_choice_find(request, "stride"),
                              .across = bench_choice_find(request, "across"),
                              .route = bench_choice_find(request, "route")};
    if (!check_choices(&p, err))
        return false;
    for (size_t i = 0; i < p.pattern->value_count; i++)
        add_pattern(&p, &p.pattern->values[i]);
    return true;
}

const struct benchmark bench_strides = {
    .info =
        {
            .name = "strides",
            .version = 1,
            .title = "What the pattern of a load costs",
            .params = params,
            .param_count = COUNT(params),
            .metrics = metrics,
            .metric_count = COUNT(metrics),
            .views = views,
            .view_count = COUNT(views),
            .headlines = headlines,
            .headline_count = COUNT(headlines),
        },
    .description =
        "One workgroup on one core loads again and again what the core's own cache holds: threads "
        "side by side, 2 to 128 elements apart, or in rows of a 2-D array; loads of 4, 8 and 16 "
        "bytes. And words of shared memory 1 to 128 apart, where threads that meet in one bank "
        "take "
        "turns: findings name the number of banks. Each thread's sum is checked.",
    .plan = plan,
    .open = strides_open,
    .visit = strides_visit,
    .conclude = strides_conclude,
};
