// SPDX-License-Identifier: MIT
// A case of which a single dispatch was lost must not give a number, where the kernels count
// themselves. The test claims that one more unit of work ran than the device has seen (the linker's
// --wrap). Kernels that write memory leave the same bytes however often they run, so cases of the
// operations write and copy cannot notice this.
#include "workbench.h"

#include <string.h>

// A case of each benchmark whose kernels count themselves.
static const struct {
    const char *benchmark, *key;
} cases[] = {
    {"bandwidth", "op=read/path=global/scope=device/access=apart/bytes=1MiB/width=16/type=float/"
                  "shape=default"},
    {"incore", "scope=device/op=int32-mad"},
    {"loads", "load=StructuredBuffer<float4>.Load/pattern=linear/fidelity=peak"},
    {"roofline", "type=fp32/intensity=1"},
    {"stream", "op=read/type=float/bytes=1MiB/shape=default"},
    {"strides", "pattern=stride/width=8/stride=16/route=auto"},
};

static bool loses; // true: a unit of work that no kernel has run is claimed

bool __real_measure_span_run(struct arena *arena, const struct measure_span_desc *desc,
                             struct measure_span *span, struct error *err);
bool __wrap_measure_span_run(struct arena *arena, const struct measure_span_desc *desc,
                             struct measure_span *span, struct error *err);
bool __wrap_measure_span_run(struct arena *arena, const struct measure_span_desc *desc,
                             struct measure_span *span, struct error *err)
{
    if (!__real_measure_span_run(arena, desc, span, err))
        return false;
    span->ran.units += loses;
    return true;
}

// Given a case that can be measured, when one dispatch is lost, then it fails.
static void expect_noticed(const struct benchmark *benchmark, const char *key)
{
    struct workbench bench;
    loses = false;
    if (!workbench_open(&bench, benchmark))
        fail_msg("%s cannot be opened", benchmark->info.name);
    bench.session.limits.last_cache_bytes = 1 << 18; // so that small arrays are DRAM
    if (!workbench_visit(&bench, "%s", key))
        fail_msg("%s: %s", key, bench.err.message);
    loses = true;
    workbench_refuse(&bench, ERROR_MISMATCH, "%s", key);
    if (!strstr(bench.err.message, "lost work"))
        fail_msg("%s: %s", key, bench.err.message);
    workbench_close(&bench);
}

static void a_lost_dispatch_is_noticed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct benchmark *benchmark = benchmark_find(cases[i].benchmark);
        if (benchmark) // a build may lack one
            expect_noticed(benchmark, cases[i].key);
    }
}

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_lost_dispatch_is_noticed)};
    return status ? status : cmocka_run_group_tests(tests, NULL, NULL);
}
