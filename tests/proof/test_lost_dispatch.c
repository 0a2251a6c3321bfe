// SPDX-License-Identifier: MIT
// A case of which some dispatches were lost must not give a number, where the kernels count
// themselves. Most results are the same however often kernels run, so no other check notices this.
// The test stands for a driver that loses work: it drops dispatches of a sample, or submissions,
// before they reach the device (the linker's --wrap).
#include "device_api.h"
#include "workbench.h"

#include <string.h>

// A case of each benchmark whose kernels count themselves; several where several kernels do.
static const struct {
    const char *benchmark, *key;
} cases[] = {
    {"bandwidth", "op=read/path=global/scope=device/access=apart/bytes=1MiB/width=16/type=float/"
                  "shape=default"},
    {"bandwidth", "op=write/path=global/scope=device/access=apart/bytes=1MiB/width=16/type=float/"
                  "shape=default"},
    {"bandwidth", "op=copy/path=global/scope=device/access=apart/bytes=1MiB/width=16/type=float/"
                  "shape=default"},
    {"incore", "scope=device/op=int32-mad"},
    {"loads", "load=StructuredBuffer<float4>.Load/pattern=linear/fidelity=peak"},
    {"managed", "touch=device/pages=faulted/advise=none/bytes=6MiB/oversubscribe=0"},
    {"rays", "work=rays/scene=spheres/order=camera/hits=opaque/through=query/primitives=1024"},
    {"rays", "work=rays/scene=spheres/order=camera/hits=opaque/through=pipeline/primitives=1024"},
    {"rays", "work=latency/through=query/primitives=1024"},
    {"rays", "work=triangle/flag=fast-trace/through=query"},
    {"roofline", "type=fp32/intensity=1"},
    {"stream", "kernel=tuned/op=init/type=float/bytes=1MiB/shape=default"},
    {"stream", "kernel=tuned/op=read/type=float/bytes=1MiB/shape=default"},
    {"stream", "kernel=tuned/op=triad/type=float/bytes=1MiB/shape=default"},
    {"stream", "kernel=tuned/op=5pt/type=float/bytes=1MiB/shape=default"},
    {"stream", "kernel=occupancy/op=scale/type=float/bytes=1MiB/threads=128/shape=default"},
    {"strides", "pattern=stride/width=8/stride=16/route=auto"},
    {"transfer", "direction=h2d/memory=pinned/by=kernel/mode=row/bytes=64KiB"},
    {"transfer", "direction=d2h/memory=pinned/by=kernel/mode=row/bytes=64KiB"},
    {"transfer", "direction=local/memory=pinned/by=kernel/mode=row/bytes=65552"},
    {"transfer", "direction=h2d/memory=pinned/by=kernel/mode=single/bytes=1KiB"},
};

// ---------------------------------------------------------------- losing work

enum {
    UNITS = 6, // units of work in a sample; an even number, so that the last one has an odd index
    PARAMS_MOST = 256
};

enum how {
    LOSE_NOTHING,
    LOSE_EVERY_SECOND, // the last dispatch of a sample is kept
    LOSE_LAST,
    LOSE_ONE,
    LOSE_SUBMISSIONS, // every third one; the time stamps of the one before stay
    LOSE_KINDS
};

static struct loss {
    enum how how;
    bool measures;                // true: samples are measured now
    const struct gpu_batch *open; // the batch that records within a span
    unsigned dispatches;          // number of dispatches so far within this span
    unsigned submissions;
    unsigned lost;
    // The last dispatch so far of the span, if it waits for the next one (LOSE_LAST).
    bool waits;
    struct gpu_dispatch waiting;
    unsigned char params[PARAMS_MOST];
} loss;

#define REAL(name) __real_##name
#define WRAP(name) __wrap_##name

bool REAL(measure_span_run)(struct arena *arena, const struct measure_span_desc *desc,
                            struct measure_span *span, struct error *err);
bool WRAP(measure_span_run)(struct arena *arena, const struct measure_span_desc *desc,
                            struct measure_span *span, struct error *err);
void REAL(gpu_batch_span_begin)(struct gpu_batch *batch, unsigned span);
void WRAP(gpu_batch_span_begin)(struct gpu_batch *batch, unsigned span);
void REAL(gpu_batch_span_end)(struct gpu_batch *batch, unsigned span);
void WRAP(gpu_batch_span_end)(struct gpu_batch *batch, unsigned span);
void REAL(gpu_batch_dispatch)(struct gpu_batch *batch, const struct gpu_dispatch *dispatch);
void WRAP(gpu_batch_dispatch)(struct gpu_batch *batch, const struct gpu_dispatch *dispatch);
bool REAL(gpu_batch_submit)(struct gpu_batch *batch, struct gpu_hold *hold, struct error *err);
bool WRAP(gpu_batch_submit)(struct gpu_batch *batch, struct gpu_hold *hold, struct error *err);

bool WRAP(measure_span_run)(struct arena *arena, const struct measure_span_desc *desc,
                            struct measure_span *span, struct error *err)
{
    struct measure_span_desc several = *desc;
    several.repeats = UNITS;
    loss.measures = true;
    bool done = REAL(measure_span_run)(arena, &several, span, err);
    loss.measures = false;
    return done;
}

void WRAP(gpu_batch_span_begin)(struct gpu_batch *batch, unsigned span)
{
    REAL(gpu_batch_span_begin)(batch, span);
    loss.open = loss.measures ? batch : NULL;
    loss.dispatches = 0;
}

void WRAP(gpu_batch_span_end)(struct gpu_batch *batch, unsigned span)
{
    loss.open = NULL;
    loss.lost += loss.waits;
    loss.waits = false;
    REAL(gpu_batch_span_end)(batch, span);
}

// Passes on the dispatch that waited, and lets this one wait, with a copy of its parameters.
static void delay(struct gpu_batch *batch, const struct gpu_dispatch *dispatch)
{
    if (loss.waits)
        REAL(gpu_batch_dispatch)(batch, &loss.waiting);
    loss.waits = true;
    loss.waiting = *dispatch;
    loss.waiting.params = loss.params;
    assert_true(dispatch->params_bytes <= sizeof loss.params);
    if (dispatch->params_bytes)
        memcpy(loss.params, dispatch->params, dispatch->params_bytes);
}

void WRAP(gpu_batch_dispatch)(struct gpu_batch *batch, const struct gpu_dispatch *dispatch)
{
    unsigned number = batch == loss.open ? loss.dispatches++ : 0;
    bool loses = batch == loss.open && ((loss.how == LOSE_EVERY_SECOND && number % 2 == 0) ||
                                        (loss.how == LOSE_ONE && number == UNITS / 2));
    loss.lost += loses;
    if (batch == loss.open && loss.how == LOSE_LAST)
        delay(batch, dispatch);
    else if (!loses)
        REAL(gpu_batch_dispatch)(batch, dispatch);
}

bool WRAP(gpu_batch_submit)(struct gpu_batch *batch, struct gpu_hold *hold, struct error *err)
{
    bool loses = loss.how == LOSE_SUBMISSIONS && ++loss.submissions % 3 == 0;
    loss.lost += loses;
    return loses || REAL(gpu_batch_submit)(batch, hold, err);
}

// ---------------------------------------------------------------- visits

// Given a case that can be measured, when dispatches are lost, then it fails.
static void expect_noticed(struct workbench *bench, const char *key)
{
    static const char *const names[LOSE_KINDS] = {"none", "every second", "the last", "one",
                                                  "submissions"};
    loss = (struct loss){0};
    if (!workbench_visit(bench, "%s", key)) {
        if (bench->err.code != ERROR_UNSUPPORTED)
            fail_msg("%s: %s", key, bench->err.message);
        print_message("%s: %s\n", key, bench->err.message);
        return;
    }
    // Each submission then has one dispatch, so only submissions can be lost.
    bool host_timed = strstr(key, "mode=single");
    for (int how = host_timed ? LOSE_SUBMISSIONS : LOSE_NOTHING + 1; how < LOSE_KINDS; how++) {
        loss = (struct loss){.how = (enum how)how};
        if (workbench_visit(bench, "%s", key))
            fail_msg("%s gives a number, and %s of its dispatches were lost", key, names[how]);
        assert_true(loss.lost > 0);
        if (bench->err.code != ERROR_MISMATCH || !strstr(bench->err.message, "lost work"))
            fail_msg("%s, lost: %s: %s", key, names[how], bench->err.message);
    }
}

// True if the device can run the benchmark, and the arguments (none: all benchmarks) name it.
static bool is_tried(const struct benchmark *benchmark, const struct gpu_info *info, char **names)
{
    struct error missing;
    bool named = !*names;
    for (; *names; names++)
        named = named || strcmp(*names, benchmark->info.name) == 0;
    return named && gpu_require(info, benchmark->needs, &missing);
}

static void a_lost_dispatch_is_noticed(void **state)
{
    struct gpu_system *system =
        gpu_system_create(&(struct gpu_system_desc){.only_api = device_api()});
    unsigned tried = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct workbench bench;
        const struct benchmark *benchmark = benchmark_find(cases[i].benchmark);
        if (!benchmark || !is_tried(benchmark, gpu_system_info(system, 0), *state))
            continue; // a build may lack a benchmark
        if (!workbench_open(&bench, benchmark))
            fail_msg("%s cannot be opened", benchmark->info.name);
        bench.session.limits.last_cache_bytes = 1 << 18; // so that small arrays are DRAM
        bench.session.limits.cores = 2;
        bench.request.samples = 5;
        expect_noticed(&bench, cases[i].key);
        workbench_close(&bench);
        tried++;
    }
    gpu_system_destroy(system);
    assert_true(tried > 0);
}

// The arguments are the API and, if not all benchmarks are meant, their names.
int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(a_lost_dispatch_is_noticed, argv + (argc > 2 ? 2 : argc)),
    };
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
