// SPDX-License-Identifier: MIT
// The benchmark map: the parameters and metrics of the conclusions of `fathom map` (map/levels.c),
// and the probes that lead to these conclusions. Most probes are cases of the benchmark latency
// with another stride. METHOD.md explains how the probes are used.
#include "bench/map.h"

#include "bench/bench.h"
#include "bench/map/probes.h"

#include <string.h>

enum {
    // distance in bytes between the places that nodes can have in a page (what=pages)
    PAGES_STRIDE_BYTES = 128
};

static const struct param_info params[MAP_PARAM_COUNT] = {
    [MAP_PARAM_WHAT] = {.key = "what",
                        .type = PARAM_TEXT,
                        .standard = MAP_HIERARCHY,
                        .choices =
                            MAP_HIERARCHY "|" MAP_LEVEL "|" MAP_MEMORY "|" MAP_TLB "|" MAP_SHARED
                                          "|" MAP_PROBE "|" MAP_PAGES "|" MAP_LOCAL "|" MAP_WAYS
                                          "|" MAP_CLOCKS "|" MAP_NEIGHBOURS "|" MAP_CODE,
                        .help =
                            "what was found: the number of levels of a path, a level, the "
                            "memory behind them, a level of the TLB, shared memory; or a "
                            "probe: chains that show the line of a level (probe), the page of "
                            "a TLB, a level without translation (local), the ways of a set, the "
                            "clock of a level, the cores that share it (neighbours); straight-line "
                            "code that shows the instruction caches"},
    [MAP_PARAM_PATH] = {.key = "path",
                        .type = PARAM_TEXT,
                        .standard = "vector",
                        .help = "the route of the load, as in latency; " MAP_PATH_CODE
                                ": of the code itself"},
    [MAP_PARAM_LEVEL] = {.key = "level",
                         .type = PARAM_UINT,
                         .standard = "1",
                         .help = "1 is the nearest to the core"},
    [MAP_PARAM_BYTES] =
        {.key = "bytes",
         .type = PARAM_BYTES,
         .unit = UNIT_BYTE,
         .standard = "1KiB",
         .help = "the region that the chain covers; neighbours: that each chain covers"},
    [MAP_PARAM_CHAIN] = {.key = "chain",
                         .type = PARAM_TEXT,
                         .standard = "pointer",
                         .choices = "pointer|index",
                         .role = PARAM_METHOD,
                         .help = "probe: as in latency"},
    [MAP_PARAM_PITCH] = {.key = "pitch",
                         .type = PARAM_BYTES,
                         .unit = UNIT_BYTE,
                         .standard = "416",
                         .help = "probe: bytes from one node to the next; pages: from one page"},
    [MAP_PARAM_CLOCK] = {.key = "clock",
                         .type = PARAM_UINT,
                         .unit = UNIT_HZ,
                         .standard = "0",
                         .help = "clocks: the core clock asked for, Hz; `fathom map --set "
                                 "clock=1200,1500,1980` takes MHz"},
    [MAP_PARAM_INSTRUCTIONS] = {.key = "instructions",
                                .type = PARAM_UINT,
                                .standard = "1024",
                                .help = "code: multiply-adds in a row, a multiple of 64"},
    [MAP_PARAM_PARALLEL] = {.key = "chains",
                            .type = PARAM_UINT,
                            .standard = "0",
                            .help = "neighbours: chains at the same time, each on a core of its "
                                    "own; without it one on every core"},
};

static const struct metric_info metrics[MAP_METRIC_COUNT] = {
    [MAP_METRIC_LATENCY] = {.name = "latency",
                            .unit = UNIT_NS,
                            .better = BETTER_LOWER,
                            .help = "time from one dependent load to the next, within the level"},
    [MAP_METRIC_CYCLES] = {.name = "latency_cycles",
                           .unit = UNIT_CYCLE,
                           .better = BETTER_LOWER,
                           .help = "the same in core cycles",
                           .cycles_of = "latency"},
    [MAP_METRIC_CONTROL] = {.name = "control",
                            .unit = UNIT_NS,
                            .help = "probe by index: what its arithmetic takes"},
    [MAP_METRIC_CONTROL_CYCLES] = {.name = "control_cycles",
                                   .unit = UNIT_CYCLE,
                                   .help = "the same in cycles",
                                   .cycles_of = "control"},
    [MAP_METRIC_LEVELS] = {.name = "levels", .help = "caches that the path shows"},
    [MAP_METRIC_SIZE] = {.name = "size",
                         .unit = UNIT_BYTE,
                         .help =
                             "where the level ends: with its interval; tlb: the memory it reaches"},
    [MAP_METRIC_LINE] = {.name = "line",
                         .unit = UNIT_BYTE,
                         .help = "bytes that the level keeps or drops together"},
    [MAP_METRIC_SECTOR] = {.name = "sector",
                           .unit = UNIT_BYTE,
                           .help = "bytes of a line that a load of one word fetches"},
    [MAP_METRIC_PAGE] = {.name = "page",
                         .unit = UNIT_BYTE,
                         .help = "tlb: bytes that one entry stands for"},
    [MAP_METRIC_BANDWIDTH] = {.name = "bandwidth",
                              .unit = UNIT_BYTE_PER_S,
                              .better = BETTER_HIGHER,
                              .help = "reads by the whole device within the level: the plateau of "
                                      "a curve over sizes"},
    [MAP_METRIC_GROUP_BANDWIDTH] = {.name = "group_bandwidth",
                                    .unit = UNIT_BYTE_PER_S,
                                    .better = BETTER_HIGHER,
                                    .help = "reads by one workgroup within the level, likewise"},
    [MAP_METRIC_CLAIM] = {.name = "claim",
                          .unit = UNIT_BYTE,
                          .help = "the size that the driver or the data sheet states"},
    [MAP_METRIC_WAYS] = {.name = "ways", .help = "lines that a set holds"},
    [MAP_METRIC_SHARERS] = {.name = "sharers",
                            .help = "cores that share the level; 1: each has its own"},
    [MAP_METRIC_BANKS] = {.name = "banks", .help = "shared: number of banks, one word wide each"},
    [MAP_METRIC_FIXED] =
        {.name = "fixed",
         .unit = UNIT_NS,
         .help = "a of latency = a + b / core clock: time that does not follow the core clock"},
    [MAP_METRIC_CLOCKED] = {.name = "clocked",
                            .unit = UNIT_CYCLE,
                            .help = "b of the same: core cycles"},
    [MAP_METRIC_FETCH] = {.name = "fetch",
                          .unit = UNIT_NS,
                          .better = BETTER_LOWER,
                          .help = "code: time from one instruction of a subgroup to the next"},
    [MAP_METRIC_FETCH_CYCLES] = {.name = "fetch_cycles",
                                 .unit = UNIT_CYCLE,
                                 .better = BETTER_LOWER,
                                 .help = "the same in core cycles",
                                 .cycles_of = "fetch"},
    [MAP_METRIC_INSTRUCTIONS] = {.name = "instructions",
                                 .help = "code that the level holds, in instructions"},
    [MAP_METRIC_INSTANCES] = {.name = "instances",
                              .help = "caches of this level; the bandwidth is of all together"},
};

static const struct view_info views[] = {
    {.kind = VIEW_TABLE,
     .title = "Levels of memory",
     .x = "path",
     .y = "level",
     .metric = "size",
     .where = "what=" MAP_LEVEL},
    {.kind = VIEW_TABLE,
     .title = "Behind the levels",
     .x = "path",
     .metric = "latency",
     .where = "what=" MAP_MEMORY},
    {.kind = VIEW_TABLE,
     .title = "Address translation",
     .x = "path",
     .y = "level",
     .metric = "size",
     .where = "what=" MAP_TLB},
    {.kind = VIEW_CURVE,
     .title = "Time of an instruction by the length of the code",
     .x = "instructions",
     .metric = "fetch",
     .scale = "log2-linear",
     .where = "what=" MAP_CODE},
};

static const struct headline_info headlines[] = {
    {.kind = HEADLINE_LEVELS,
     .title = "Size of each cache",
     .metric = "size",
     .where = "what=" MAP_LEVEL ",path=vector",
     .by = "level"},
    {.kind = HEADLINE_LEVELS,
     .title = "Latency of each cache",
     .metric = "latency",
     .where = "what=" MAP_LEVEL ",path=vector",
     .by = "level"},
    {.kind = HEADLINE_BEST,
     .title = "Latency of memory",
     .metric = "latency",
     .where = "what=" MAP_MEMORY ",path=vector"},
};

static bool map_plan(const struct bench_request *request, struct bench_case_list *list,
                     struct error *err)
{
    (void)request;
    (void)list;
    return error_set(err, ERROR_UNSUPPORTED,
                     "`fathom map` measures it: its cases depend on results");
}

// ---------------------------------------------------------------- probes

struct map_session {
    struct map_neighbours neighbours;
    struct map_code code;
};

// Returns the case of the benchmark latency that measures `probe`. Parameters that `probe` has keep
// their values. The other parameters are order=random, load=idle, and 0 for numbers. With
// what=local, order is plru. With what=pages, order is page, page is the probe's pitch, and pitch
// is PAGES_STRIDE_BYTES.
static struct bench_case probe_case(struct arena *arena, const struct benchmark_info *latency,
                                    const struct bench_case *probe)
{
    struct bench_case c = {.values = ARENA_ARRAY(arena, latency->param_count, struct case_value),
                           .value_count = latency->param_count};
    bool pages = case_says(probe, "what", MAP_PAGES);
    const char *order = pages ? "page" : case_says(probe, "what", MAP_LOCAL) ? "plru" : "random";
    for (size_t i = 0; i < latency->param_count; i++) {
        const struct param_info *param = &latency->params[i];
        // The distance of two pages is `pitch` in a probe, but `page` in a case of latency.
        const char *from = pages && strcmp(param->key, "page") == 0 ? "pitch" : param->key;
        const struct case_value *given = case_find(probe, from);
        const char *text = given ? given->text : strcmp(param->key, "order") == 0 ? order : "idle";
        c.values[i] = case_value_of(param);
        c.values[i].uint = given ? given->uint : 0;
        if (param->type == PARAM_TEXT)
            (void)case_value_set_text(&c.values[i], param, text);
        if (pages && strcmp(param->key, "pitch") == 0)
            c.values[i].uint = PAGES_STRIDE_BYTES;
    }
    return c;
}

static bool visit_chain(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    // This session belongs to latency (benchmark.session_of), so its `visit` can measure the case.
    const struct benchmark *latency = benchmark_find("latency");
    struct bench_case chain = probe_case(run->arena, &latency->info, run->bench_case);
    struct bench_visit chase = *run;
    chase.bench_case = &chain;
    return latency->visit(&chase, visit, err);
}

// Measures a chain at the core clock that the case requests. Sets the clock only of a simulated
// device. A real card's clock affects the whole machine, so the parent process locks it
// (suite/clock_lock.h).
static bool visit_by_clock(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct gpu_device *device = run->session->device;
    struct error unreturned;
    if (!(run->session->info->caps & GPU_CAP(CLOCK_CHOICE)))
        return visit_chain(run, visit, err);
    if (!gpu_device_choose_clock(device, (double)case_uint(run->bench_case, "clock"), err))
        return false;
    bool done = visit_chain(run, visit, err);
    return gpu_device_choose_clock(device, 0, done ? err : &unreturned) && done;
}

static bool map_visit(struct bench_visit *run, struct measure_visit *visit, struct error *err)
{
    struct bench_session *session = run->session;
    if (!session->other_state)
        session->other_state = ARENA_NEW(session->arena, struct map_session);
    struct map_session *own = session->other_state;
    const struct bench_case *probe = run->bench_case;
    if (case_says(probe, "what", MAP_NEIGHBOURS))
        return map_neighbours_visit(&own->neighbours, run, visit, err);
    if (case_says(probe, "what", MAP_CODE))
        return map_code_visit(&own->code, run, visit, err);
    if (case_says(probe, "what", MAP_CLOCKS))
        return visit_by_clock(run, visit, err);
    return visit_chain(run, visit, err);
}

const struct benchmark bench_map = {
    .info = {.name = "map",
             .version = 7,
             .title = "The memory hierarchy, found by measurement",
             BENCHMARK_TABLE(param, params),
             BENCHMARK_TABLE(metric, metrics),
             BENCHMARK_TABLE(view, views),
             BENCHMARK_TABLE(headline, headlines)},
    .description =
        "What `fathom map` finds: how many levels of cache a path has, where each ends, its "
        "latency in ns and core cycles, its bandwidth, its line and sector, what lies behind them, "
        "and how much memory address translation reaches. The levels are flat parts of the latency "
        "curve; what the measurements do not show is listed as unknown, with the reason.",
    .command = "map",
    .plan = map_plan,
    .session_of = "latency",
    .visit = map_visit,
};
