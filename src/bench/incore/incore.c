// SPDX-License-Identifier: MIT
#include "bench/incore/session.h"

// Names of the operations, in the order of incore_kinds; S separates them.
#define OPS(S) FLOATING_OPS(S) S INTEGER_OPS(S)
#define FLOATING_OPS(S)                                                                            \
    "fp32-fma" S "fp32-add" S "fp32-mul" S "fp32-div" S "fp32-sqrt" S "fp32-add-rcp" S             \
    "fp32-rsqrt" S "fp32-exp2" S "fp32-sin" S "fp64-fma" S "fp64-add" S "fp64-mul" S "fp64-div" S  \
    "fp64-sqrt" S "fp16-matrix" S "fp16-mma" S "bf16-mma" S "e4m3-mma" S "fp16-wgmma" S            \
    "bf16-wgmma" S "fp8-wgmma" S "fp16-fma" S "fp16x2-fma" S "fp16x2-dot"
#define INTEGER_OPS(S)                                                                             \
    "int8-dot4" S "fp32-int32-mixed" S "int32-add" S "int32-mul" S "int32-mad" S "int32-div" S     \
    "int32-shift" S "int32-popcount" S "int64-add" S "int64-mul" S "subgroup-shuffle" S            \
    "subgroup-vote" S "subgroup-min" S "barrier"

static const struct param_info params[] = {
    {.key = "scope",
     .type = PARAM_TEXT,
     .standard = "core,device",
     .choices = "core|device",
     .help = "one workgroup on one core, or all cores at once"},
    {.key = "op",
     .type = PARAM_TEXT,
     .quick = "fp32-fma,fp64-fma,fp16x2-fma,int32-mad",
     .standard = OPS(","),
     .choices = OPS("|"),
     .help = "type and operation, for example fp32-fma; x2: two values in a word"},
    {.key = "ilp",
     .type = PARAM_UINT,
     .quick = "1,8",
     .standard = "1,2,4,8",
     .full = "1..8+1",
     .when = "scope=core",
     .least = 1,
     .most = INCORE_CHAINS,
     .help = "independent chains of a thread; 3, 5, 6 and 7: only of common operations"},
    {.key = "subgroups",
     .type = PARAM_UINT,
     .quick = "1,32",
     .standard = "1,2,4,8,16,32",
     .when = "scope=core",
     .least = 1,
     .most = INCORE_SUBGROUPS,
     .help = "subgroups that compute"},
};

static const struct metric_info metrics[] = {
    [INCORE_METRIC_CYCLES] =
        {.name = "cycles",
         .unit = UNIT_CYCLE,
         .better = BETTER_LOWER,
         .help = "core cycles from one operation of a subgroup to the next; with one chain of one "
                 "subgroup, that is the latency",
         .cycles_of = "time"},
    [INCORE_METRIC_PER_CORE] =
        {.name = "per_core",
         .unit = UNIT_OP_PER_CYCLE,
         .better = BETTER_HIGHER,
         .help = "results per cycle of a core: one for each thread, two if packed",
         .cycles_of = "rate"},
    [INCORE_METRIC_TIME] = {.name = "time",
                            .unit = UNIT_NS,
                            .better = BETTER_LOWER,
                            .help = "time from one operation of a subgroup to the next"},
    [INCORE_METRIC_RATE] = {.name = "rate",
                            .unit = UNIT_OP_PER_S,
                            .better = BETTER_HIGHER,
                            .help = "FLOP/s or op/s: a result counts 1, of fma and mad 2",
                            .floating = "op=" FLOATING_OPS("|")},
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
     .title = "Results per cycle of a core",
     .x = "op",
     .metric = "per_core",
     .scale = "linear",
     .where = "scope=core,ilp=8,subgroups=32"},
    {.kind = VIEW_HEATMAP,
     .title = "From one operation to the next, by chains and by subgroups",
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
     .where = "scope=device,op=fp32-fma",
     .section = CARD_ARITHMETIC,
     .row = "FP32"},
    {.kind = HEADLINE_BEST,
     .title = "FP64 peak",
     .metric = "rate",
     .where = "scope=device,op=fp64-fma",
     .section = CARD_ARITHMETIC,
     .row = "FP64"},
    {.kind = HEADLINE_BEST,
     .title = "FP16 peak",
     .metric = "rate",
     .where = "scope=device,op=fp16-fma|fp16x2-fma",
     .section = CARD_ARITHMETIC,
     .row = "FP16"},
    {.kind = HEADLINE_BEST,
     .title = "INT32 peak",
     .metric = "rate",
     .where = "scope=device,op=int32-mad"},
    {.kind = HEADLINE_BEST,
     .title = "Matrix FP16 peak",
     .metric = "rate",
     .where = "scope=device,op=fp16-matrix|fp16-mma|fp16-wgmma",
     .section = CARD_ARITHMETIC,
     .row = "Matrix",
     .name = "FP16"},
    {.kind = HEADLINE_BEST,
     .title = "Matrix BF16 peak",
     .metric = "rate",
     .where = "scope=device,op=bf16-mma|bf16-wgmma"},
    {.kind = HEADLINE_BEST,
     .title = "Matrix FP8 peak",
     .metric = "rate",
     .where = "scope=device,op=e4m3-mma|fp8-wgmma",
     .section = CARD_ARITHMETIC,
     .row = "Matrix",
     .name = "FP8"},
    {.kind = HEADLINE_BEST,
     .title = "Latency of an FP32 operation",
     .metric = "cycles",
     .where = "scope=core,op=fp32-fma,ilp=1,subgroups=1"},
    {.kind = HEADLINE_BEST,
     .title = "Barrier of 32 subgroups",
     .metric = "time",
     .where = "scope=core,op=barrier,subgroups=32",
     .section = CARD_HOST,
     .row = "Barrier",
     .name = "in a workgroup"},
};

// ---------------------------------------------------------------- the plan

enum incore_param { // indices of the array `params`
    INCORE_PARAM_SCOPE,
    INCORE_PARAM_OP,
    INCORE_PARAM_ILP,
    INCORE_PARAM_SUBGROUPS
};

// Returns false if no kernel has enough threads for the subgroups. A barrier needs a kernel with
// exactly as many threads.
static bool reach(const struct bench_pick *pick)
{
    uint64_t subgroup = pick->request->device->limits.subgroup_threads;
    uint64_t threads = pick->value->uint * (subgroup ? subgroup : 1);
    if (pick->param != INCORE_PARAM_SUBGROUPS)
        return true;
    return incore_kinds[case_choice(&pick->c, "op")].operation == INCORE_BARRIER
               ? incore_has_barrier(threads)
               : threads <= INCORE_THREADS;
}

// Returns true if the plan should contain this case. If the device lacks an operation that the user
// did not choose, the plan keeps one case per scope. The run skips this case and says why.
static bool is_wanted(const struct bench_pick *pick, struct error *err)
{
    struct incore_case this_case;
    (void)err;
    incore_case_read(&pick->c, &this_case);
    bool missing = this_case.kind->caps & ~pick->request->device->caps;
    if (this_case.chip)
        return this_case.kind->peak;
    if (missing && !pick->request->choices[INCORE_PARAM_OP].from_user)
        return this_case.kind->steps && pick->at[INCORE_PARAM_ILP] == 0 &&
               pick->at[INCORE_PARAM_SUBGROUPS] == 0;
    return this_case.kind->steps && incore_has_kernel(&this_case) &&
           (this_case.kind->operation != INCORE_BARRIER || this_case.chains == 1);
}

static bool visit_case(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct incore_case this_case;
    incore_case_read(run->bench_case, &this_case);
    return this_case.chip ? incore_chip_visit(run, &this_case, visit, err)
                          : incore_core_visit(run, &this_case, visit, err);
}

static unsigned counted(const struct bench_case *c)
{
    (void)c;
    return MEASURE_COUNT_MEMORY | MEASURE_COUNT_FLOATS;
}

const struct benchmark bench_incore = {
    .info = {.name = "incore",
             .version = 3,
             .title = "Arithmetic inside a core",
             BENCHMARK_TABLE(param, params),
             BENCHMARK_TABLE(metric, metrics),
             BENCHMARK_TABLE(view, views),
             BENCHMARK_TABLE(headline, headlines)},
    .description =
        "Latency and throughput of arithmetic. On one core: chains of one operation, 1 to 8 in a "
        "thread, in 1 to 32 subgroups, timed in cycles by the core's own counter. On the whole "
        "chip: operations per second. The results of every thread are compared with the host's.",
    .slowness = 0.3,
    // In the preset quick, a case takes longer, because fewer cases share a compiled kernel.
    .quick_slowness = 1.5,
    .product = {.reach = reach, .keep = is_wanted},
    .open = incore_open,
    .programs = incore_programs,
    .counted = counted,
    .visit = visit_case,
    .conclude = incore_conclude,
};
