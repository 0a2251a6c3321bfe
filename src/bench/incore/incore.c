// SPDX-License-Identifier: MIT
#include "bench/incore/session.h"

#include <string.h>

#define ALL_OPS                                                                                    \
    "fp32-fma,fp32-add,fp32-mul,fp32-div,fp32-sqrt,fp32-add-rcp,fp32-rsqrt,fp32-exp2,fp32-sin,"    \
    "fp64-fma,fp64-add,fp64-mul,fp64-div,fp64-sqrt,fp16-matrix,fp16-mma,bf16-mma,fp8-mma,"         \
    "fp16-wgmma,bf16-wgmma,fp8-wgmma,fp16-fma,fp16x2-fma,fp16x2-dot,int8-dot4,fp32-int32-mixed,"   \
    "int32-add,int32-mul,int32-mad,int32-div,int32-shift,int32-popcount,int64-add,int64-mul,"      \
    "subgroup-shuffle,subgroup-vote,subgroup-min,barrier"

static const struct param_info params[] = {
    {.key = "scope",
     .type = PARAM_TEXT,
     .standard = "core,device",
     .choices = "core|device",
     .help = "one workgroup on one core, or all cores at once"},
    {.key = "op",
     .type = PARAM_TEXT,
     .quick = "fp32-fma,fp64-fma,fp16x2-fma,int32-mad",
     .standard = ALL_OPS,
     .help = "numbers and operation, as fp32-fma; x2: packed in pairs"},
    {.key = "ilp",
     .type = PARAM_UINT,
     .quick = "1,8",
     .standard = "1,2,4,8",
     .help = "with scope=core: chains of a thread that do not need each other: 1, 2, 4 or 8"},
    {.key = "subgroups",
     .type = PARAM_UINT,
     .quick = "1,32",
     .standard = "1,2,4,8,16,32",
     .help = "with scope=core: subgroups at work, 1 to 32"},
};

static const struct metric_info metrics[] = {
    [INCORE_METRIC_CYCLES] =
        {.name = "cycles",
         .unit = UNIT_CYCLE,
         .better = BETTER_LOWER,
         .help = "by the core's own counter, from one operation of a subgroup to the "
                 "next; with one chain of one subgroup: latency",
         .cycles_of = "time"},
    [INCORE_METRIC_PER_CORE] = {.name = "per_core",
                                .unit = UNIT_OP_PER_CYCLE,
                                .better = BETTER_HIGHER,
                                .help = "results a cycle of a core: one a thread, packed ones two",
                                .cycles_of = "rate"},
    [INCORE_METRIC_TIME] = {.name = "time",
                            .unit = UNIT_NS,
                            .better = BETTER_LOWER,
                            .help = "the same in time"},
    [INCORE_METRIC_RATE] = {.name = "rate",
                            .unit = UNIT_OP_PER_S,
                            .better = BETTER_HIGHER,
                            .help = "arithmetic a second: a result counts one, of fma and mad two"},
};

static const struct view_info views[] = {
    {.kind = VIEW_BARS,
     .title = "Arithmetic of the whole chip",
     .x = "op",
     .metric = "rate",
     .scale = "linear",
     .where = "scope=device"},
    {.kind = VIEW_BARS,
     .title = "Latency: one chain of one subgroup",
     .x = "op",
     .metric = "cycles",
     .scale = "linear",
     .where = "scope=core,ilp=1,subgroups=1"},
    {.kind = VIEW_BARS,
     .title = "Latency in time",
     .x = "op",
     .metric = "time",
     .scale = "linear",
     .where = "scope=core,ilp=1,subgroups=1"},
    {.kind = VIEW_BARS,
     .title = "Results a cycle of a core at work",
     .x = "op",
     .metric = "per_core",
     .scale = "linear",
     .where = "scope=core,ilp=8,subgroups=32"},
    {.kind = VIEW_HEATMAP,
     .title = "Cycles between operations: chains of a thread and subgroups at work",
     .x = "ilp",
     .y = "subgroups",
     .metric = "cycles",
     .group = "op",
     .scale = "log2-log2",
     .where = "scope=core"},
};

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_BEST,
     .title = "FP32 peak",
     .metric = "rate",
     .where = "scope=device,op=fp32-fma"},
    {.kind = HEADLINE_BEST,
     .title = "FP64 peak",
     .metric = "rate",
     .where = "scope=device,op=fp64-fma"},
    {.kind = HEADLINE_BEST,
     .title = "FP16 peak",
     .metric = "rate",
     .where = "scope=device,op=fp16-fma|fp16x2-fma"},
    {.kind = HEADLINE_BEST,
     .title = "INT32 peak",
     .metric = "rate",
     .where = "scope=device,op=int32-mad"},
    {.kind = HEADLINE_BEST,
     .title = "Matrix FP16 peak",
     .metric = "rate",
     .where = "scope=device,op=fp16-matrix|fp16-mma|fp16-wgmma"},
    {.kind = HEADLINE_BEST,
     .title = "Matrix BF16 peak",
     .metric = "rate",
     .where = "scope=device,op=bf16-mma|bf16-wgmma"},
    {.kind = HEADLINE_BEST,
     .title = "Matrix FP8 peak",
     .metric = "rate",
     .where = "scope=device,op=fp8-mma|fp8-wgmma"},
    {.kind = HEADLINE_BEST,
     .title = "Latency of an FP32 operation",
     .metric = "cycles",
     .where = "scope=core,op=fp32-fma,ilp=1,subgroups=1"},
    {.kind = HEADLINE_BEST,
     .title = "Barrier of 32 subgroups",
     .metric = "cycles",
     .where = "scope=core,op=barrier,subgroups=32"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// ---------------------------------------------------------------- the plan

struct planner {
    const struct bench_request *request;
    struct bench_case_list *list;
    const struct bench_choice *scope, *op, *ilp, *subgroups;
};

static bool check_choices(const struct planner *p, struct error *err)
{
    for (size_t i = 0; i < p->op->value_count; i++)
        if (!incore_kind_find(p->op->values[i].text))
            return error_set(err, ERROR_USAGE, "incore.op: no %s; there are %s",
                             p->op->values[i].text, ALL_OPS);
    for (size_t i = 0; i < p->ilp->value_count; i++) {
        uint64_t chains = p->ilp->values[i].uint;
        if (chains == 0 || chains > INCORE_CHAINS || (chains & (chains - 1)) != 0)
            return error_set(err, ERROR_USAGE, "incore.ilp: expected 1, 2, 4 or 8");
    }
    for (size_t i = 0; i < p->subgroups->value_count; i++)
        if (p->subgroups->values[i].uint == 0 || p->subgroups->values[i].uint > INCORE_SUBGROUPS)
            return error_set(err, ERROR_USAGE, "incore.subgroups: expected 1 to %d",
                             INCORE_SUBGROUPS);
    return true;
}

static void add_case(const struct planner *p, const struct case_value *const *values, size_t count)
{
    struct case_value *copies = ARENA_ARRAY(p->request->arena, count, struct case_value);
    for (size_t i = 0; i < count; i++)
        copies[i] = *values[i];
    bench_case_add(p->request->arena, p->list,
                   (struct bench_case){.values = copies, .value_count = count});
}

static void add_core_cases(const struct planner *p, const struct case_value *scope,
                           const struct case_value *op)
{
    uint64_t subgroup = p->request->device->limits.subgroup_threads;
    bool barrier = incore_kind_find(op->text)->operation == INCORE_BARRIER;
    for (size_t s = 0; s < p->subgroups->value_count; s++) {
        const struct case_value *subgroups = &p->subgroups->values[s];
        uint64_t threads = subgroups->uint * (subgroup ? subgroup : 1);
        bool fits =
            barrier ? incore_barrier_kernel((unsigned)threads) >= 0 : threads <= INCORE_THREADS;
        for (size_t i = 0; (fits || p->subgroups->from_user) && i < p->ilp->value_count; i++)
            if (!barrier || p->ilp->values[i].uint == 1)
                add_case(p, (const struct case_value *[]){scope, op, &p->ilp->values[i], subgroups},
                         4);
    }
}

// Of what the device has not the preset keeps one case, which is skipped with the reason; a user
// gets all that was asked for.
static void add_cases(const struct planner *p, const struct case_value *scope,
                      const struct case_value *op)
{
    const struct incore_kind *kind = incore_kind_find(op->text);
    bool missing = kind->caps & ~p->request->device->caps && !p->op->from_user;
    bool core = strcmp(scope->text, "core") == 0;
    if (core && kind->steps && missing)
        add_case(
            p,
            (const struct case_value *[]){scope, op, &p->ilp->values[0], &p->subgroups->values[0]},
            4);
    else if (core && kind->steps)
        add_core_cases(p, scope, op);
    else if (!core && kind->peak)
        add_case(p, (const struct case_value *[]){scope, op}, 2);
}

bool incore_plan(const struct bench_request *request, struct bench_case_list *list,
                 struct error *err)
{
    const struct planner p = {.request = request,
                              .list = list,
                              .scope = bench_choice_find(request, "scope"),
                              .op = bench_choice_find(request, "op"),
                              .ilp = bench_choice_find(request, "ilp"),
                              .subgroups = bench_choice_find(request, "subgroups")};
    size_t before = list->count;
    if (!check_choices(&p, err))
        return false;
    for (size_t s = 0; s < p.scope->value_count; s++)
        for (size_t o = 0; o < p.op->value_count; o++)
            add_cases(&p, &p.scope->values[s], &p.op->values[o]);
    if (list->count == before)
        return error_set(err, ERROR_USAGE,
                         "incore: these values do not go together; with scope=device there are "
                         "fp32-fma, fp64-fma, fp16x2-fma, int32-mad, int8-dot4 and the matrices");
    return true;
}

bool incore_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct incore_case this_case;
    incore_case_read(run->bench_case, &this_case);
    return this_case.chip ? incore_chip_visit(run, &this_case, visit, err)
                          : incore_core_visit(run, &this_case, visit, err);
}

const struct benchmark bench_incore = {
    .info =
        {
            .name = "incore",
            .version = 2,
            .title = "Arithmetic inside a core",
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
        "Latency and throughput of arithmetic: chains of one operation, 1 to 8 of them a thread, "
        "in "
        "1 to 32 subgroups on one core, timed in cycles by the core's own counter; and what the "
        "whole chip does in a second. Every thread's results are compared with the host's.",
    .plan = incore_plan,
    .open = incore_open,
    .visit = incore_visit,
    .conclude = incore_conclude,
};
