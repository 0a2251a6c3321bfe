// SPDX-License-Identifier: MIT
// Every kind of case of `latency` on the first device of the API, and what happens if the closed
// formula and the kernel disagree.
#include "bench/latency/latency.h"
#include "bench/latency/session.h"
#include "case_text.h"
#include "device_api.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_latency;
const struct benchmark *const benchmarks[] = {&bench_latency, NULL};

// ---------------------------------------------------------------- the formula, made wrong at will

static bool formula_is_wrong;
static uint32_t ends[256]; // hops where chases ended, in the order of the chases
static size_t end_count;

void __real_latency_link(const struct latency_case *this_case, const struct latency_chain *chain,
                         const uint64_t *chunks, uint32_t k, uint32_t words[2]);
void __wrap_latency_link(const struct latency_case *this_case, const struct latency_chain *chain,
                         const uint64_t *chunks, uint32_t k, uint32_t words[2]);

void __wrap_latency_link(const struct latency_case *this_case, const struct latency_chain *chain,
                         const uint64_t *chunks, uint32_t k, uint32_t words[2])
{
    uint32_t next = k + 1 < chain->nodes ? k + 1 : 0;
    if (end_count < sizeof ends / sizeof *ends)
        ends[end_count++] = k;
    __real_latency_link(this_case, chain, chunks, formula_is_wrong ? next : k, words);
}

// ---------------------------------------------------------------- dispatches, delayed at will

static unsigned delayed; // so many more chases of double length seem to take 0 ns

bool __real_gpu_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns,
                              struct error *err);
bool __wrap_gpu_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns,
                              struct error *err);

bool __wrap_gpu_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns, struct error *err)
{
    bool known = __real_gpu_batch_span_ns(batch, span, ns, err);
    if (span == 2 && delayed > 0) {
        *ns = 0;
        delayed--;
    }
    return known;
}

// ---------------------------------------------------------------- a workbench

struct bench {
    struct gpu_system *system;
    struct gpu_device *device;
    struct bench_session session;
};

// Opens the API with its own validation, if that is installed.
static struct gpu_system *open_system(void)
{
    struct gpu_system_desc desc = {.only_api = device_api(), .validation = true};
    struct gpu_system *system = gpu_system_create(&desc);
    if (gpu_system_device_count(system) > 0)
        return system;
    gpu_system_destroy(system);
    desc.validation = false;
    return gpu_system_create(&desc);
}

static int open_bench(void **state)
{
    static struct bench bench;
    struct error err = {0};
    formula_is_wrong = false;
    bench.system = open_system();
    bench.device = gpu_device_open(bench.system, gpu_system_info(bench.system, 0),
                                   &(struct gpu_device_desc){0}, &err);
    *state = &bench;
    if (!bench.device)
        return -1;
    bench.session = bench_session_begin(bench.system, bench.device);
    if (!bench_latency.open(&bench.session, &err)) {
        print_message("%s\n", err.message);
        return -1;
    }
    return 0;
}

static int close_bench(void **state)
{
    struct bench *bench = *state;
    bench_latency.close(&bench->session);
    gpu_scope_close(bench->session.scope);
    size_t left = gpu_device_live_objects(bench->device);
    const char *first = NULL;
    if (gpu_device_validation_messages(bench->device, &first) > 0) {
        print_message("%s\n", first);
        left++;
    }
    gpu_device_close(bench->device);
    gpu_system_destroy(bench->system);
    arena_destroy(bench->session.arena);
    return left == 0 ? 0 : -1;
}

struct values {
    const char *path, *chain, *order;
    uint64_t bytes;
    const char *load;
};

static struct bench_case case_of(struct arena *arena, const struct values *values)
{
    struct bench_case c = {.values = ARENA_ARRAY(arena, LATENCY_PARAM_COUNT, struct case_value),
                           .value_count = LATENCY_PARAM_COUNT};
    for (size_t i = 0; i < LATENCY_PARAM_COUNT; i++)
        c.values[i] = case_value_of(&bench_latency.info.params[i]);
    c.values[LATENCY_PARAM_PATH] = case_text_of(&bench_latency, "path", values->path);
    c.values[LATENCY_PARAM_CHAIN] = case_text_of(&bench_latency, "chain", values->chain);
    c.values[LATENCY_PARAM_ORDER] = case_text_of(&bench_latency, "order", values->order);
    c.values[LATENCY_PARAM_BYTES].uint = values->bytes;
    c.values[LATENCY_PARAM_LOAD] = case_text_of(&bench_latency, "load", values->load);
    c.values[LATENCY_PARAM_PITCH].uint = 128;
    c.values[LATENCY_PARAM_PAGE].uint = 65536;
    return c;
}

// Makes one visit; `memory` is as in struct bench_visit. The session's arena holds the visit.
static struct measure_visit *visit_case(struct bench *bench, const struct values *values,
                                        unsigned round, void **memory, struct error *err)
{
    struct arena *arena = bench->session.arena;
    struct bench_case this_case = case_of(arena, values);
    struct measure_request request = {
        .samples = 4, .sample_ns = 1000000, .timeout_ns = UINT64_C(600000000000), .round = round};
    struct bench_visit run = {.session = &bench->session,
                              .bench_case = &this_case,
                              .scope = gpu_scope_open(bench->device),
                              .arena = arena,
                              .request = &request,
                              .memory = memory};
    struct measure_visit *visit = measure_visit_create(arena);
    *err = (struct error){0};
    bool ok = bench_latency.visit(&run, visit, err);
    gpu_scope_close(run.scope);
    return ok ? visit : NULL;
}

static const struct latency_session *session_of(const struct bench *bench)
{
    return bench->session.state;
}

// Checks that all samples are there and took no longer than the visit. Each has at least one
// repeat.
static void check_samples(const struct measure_visit *visit, const char *what)
{
    const struct measure_samples *samples = &visit->metrics[LATENCY_METRIC_NS];
    if (!samples->values || samples->count == 0 || !(samples->step > 0))
        fail_msg("%s: %zu samples, step %g", what, samples->count, samples->step);
    double took_ns = 0;
    for (size_t i = 0; i < samples->count; i++) {
        if (!isfinite(samples->values[i]) || !(samples->values[i] > 0))
            fail_msg("%s: sample %zu is %g", what, i, samples->values[i]);
        took_ns += samples->values[i] * LATENCY_UNROLL;
    }
    if (!(took_ns <= (double)visit->device_time_ns))
        fail_msg("%s: the samples took %g ns, the visit %" PRIu64, what, took_ns,
                 visit->device_time_ns);
}

// True if the API may lack what the case needs. Vulkan has addresses and all image formats.
static bool may_be_missing(const struct bench *bench, const struct values *values,
                           const struct error *err)
{
    if (err->code != ERROR_UNSUPPORTED || strcmp(bench->session.info->api, "vulkan") == 0)
        return false;
    print_message("%s %s: %s\n", values->path, values->chain, err->message);
    return true;
}

// Visits the case twice, so that the second visit uses what the case keeps between rounds.
static void check_case(struct bench *bench, const struct values *values)
{
    struct error err;
    void *memory = NULL;
    for (unsigned round = 0; round < 2; round++) {
        struct measure_visit *visit = visit_case(bench, values, round, &memory, &err);
        if (!visit && may_be_missing(bench, values, &err))
            return;
        if (!visit)
            fail_msg("%s %s %s %" PRIu64 ", round %u: %s", values->path, values->chain,
                     values->order, values->bytes, round, err.message);
        check_samples(visit, values->path);
        bool cycles = session_of(bench)->clocked && bench->session.clock.counts_core_clock;
        assert_true(cycles == (visit->metrics[LATENCY_METRIC_CYCLES].values != NULL));
        bool arithmetic = strcmp(values->chain, "index") == 0 &&
                          strcmp(values->path, "texel") != 0 && strcmp(values->path, "image") != 0;
        assert_true(arithmetic == (visit->metrics[LATENCY_METRIC_CONTROL_NS].values != NULL));
        // Every visit has these, because the first one may be repeated and then does not count.
        assert_non_null(visit->kernel.hash);
        assert_true(memory != NULL);
    }
}

// ---------------------------------------------------------------- what works

static const struct values every_kind[] = {
    {"vector", "pointer", "random", 1024, "idle"},
    {"vector", "pointer", "random", 1 << 20, "idle"},
    {"vector", "pointer", "plru", 1024, "idle"},
    {"vector", "pointer", "plru", 150016, "idle"},
    {"vector", "pointer", "page", 4 << 20, "idle"},
    {"vector", "index", "random", 65536, "idle"},
    {"vector", "index", "plru", 65536, "idle"},
    {"vector", "index", "page", 4 << 20, "idle"},
    {"scalar", "pointer", "random", 65536, "idle"},
    {"scalar", "pointer", "plru", 65536, "idle"},
    {"scalar", "pointer", "page", 4 << 20, "idle"},
    {"scalar", "index", "random", 65536, "idle"},
    {"scalar", "index", "plru", 65536, "idle"},
    {"scalar", "index", "page", 4 << 20, "idle"},
    {"shared", "index", "random", 1024, "idle"},
    {"shared", "index", "random", 16384, "idle"},
    {"shared", "index", "plru", 15872, "idle"},
    {"constant", "index", "random", 1024, "idle"},
    {"constant", "index", "random", 65536, "idle"},
    {"constant", "index", "plru", 65536, "idle"},
    {"texel", "index", "random", 1536, "idle"},
    {"texel", "index", "random", 1 << 20, "idle"},
    {"texel", "index", "plru", 65536, "idle"},
    {"texel", "index", "page", 4 << 20, "idle"},
    {"image", "index", "random", 1024, "idle"},
    {"image", "index", "random", 1 << 20, "idle"},
    {"image", "index", "random", 191488, "idle"},
    {"atomic", "pointer", "random", 65536, "idle"},
    {"atomic", "pointer", "plru", 65536, "idle"},
    {"atomic", "pointer", "page", 4 << 20, "idle"},
    {"atomic", "index", "random", 65536, "idle"},
    {"atomic", "index", "plru", 65536, "idle"},
    {"atomic", "index", "page", 4 << 20, "idle"},
    {"atomic-shared", "index", "random", 16384, "idle"},
    {"atomic-shared", "index", "plru", 1024, "idle"},
};

static void every_path_chain_and_order_is_measured_and_verified(void **state)
{
    for (size_t i = 0; i < sizeof every_kind / sizeof *every_kind; i++)
        check_case(*state, &every_kind[i]);
}

static void without_a_counter_the_slope_of_time_stamps_is_taken(void **state)
{
    struct bench *bench = *state;
    struct latency_session *session = bench->session.state;
    session->clocked = false;
    check_case(bench, &(struct values){"vector", "pointer", "random", 65536, "idle"});
    check_case(bench, &(struct values){"shared", "index", "random", 4096, "idle"});
    check_case(bench, &(struct values){"image", "index", "random", 65536, "idle"});
}

// Given dispatches that are delayed for a while, when latencies are slopes of time stamps, then
// only the sample that is taken meanwhile is lost.
static void a_delay_costs_no_later_sample(void **state)
{
    struct bench *bench = *state;
    struct latency_session *session = bench->session.state;
    const struct values values = {"shared", "index", "random", 4096, "idle"};
    struct error err;
    void *memory = NULL;
    session->clocked = false;
    assert_non_null(visit_case(bench, &values, 0, &memory, &err));
    delayed = 60;
    struct measure_visit *visit = visit_case(bench, &values, 1, &memory, &err);
    assert_non_null(visit);
    assert_int_equal(delayed, 0);
    const struct measure_samples *samples = &visit->metrics[LATENCY_METRIC_NS];
    assert_int_equal(samples->count, 4);
    assert_true(isnan(samples->values[0]));
    for (size_t i = 1; i < samples->count; i++)
        assert_true(samples->values[i] > 0);
}

static void a_narrow_counter_gets_short_windows(void **state)
{
    struct bench *bench = *state;
    struct latency_session *session = bench->session.state;
    if (!session->clocked)
        skip();
    // With a counter of 20 bits, as in RDNA 2, a window may take at most 2^18 counts.
    struct error err;
    void *memory = NULL;
    session->bench->clock.counter_bits = 20;
    struct measure_visit *visit = visit_case(
        bench, &(struct values){"vector", "pointer", "random", 65536, "idle"}, 0, &memory, &err);
    assert_non_null(visit);
    check_samples(visit, "20 bits");
}

// Given a counter that wraps in the first trial chase, then the counts of a hop do not come from
// the wrapped value. Otherwise, windows would be so long that they wrap, too.
static void a_counter_that_wraps_at_once_is_not_believed(void **state)
{
    struct bench *bench = *state;
    struct latency_session *session = bench->session.state;
    if (!session->clocked)
        skip();
    struct error err;
    void *memory = NULL;
    session->bench->clock.counter_bits = 10; // 1024 hops take more than 1024 counts
    assert_non_null(visit_case(
        bench, &(struct values){"vector", "pointer", "random", 65536, "idle"}, 0, &memory, &err));
    const struct latency_memory *kept = memory;
    assert_true(kept->hop_counts >= kept->hop_ns * session->bench->clock.counter_hz / 1e9 * 0.99);
}

static void keep_awake_ends_with_the_chase(void **state)
{
    struct bench *bench = *state;
    if (!(bench->session.info->caps & GPU_CAP(UNORDERED)))
        skip();
    check_case(bench, &(struct values){"vector", "pointer", "random", 65536, "keep-awake"});
    check_case(bench, &(struct values){"texel", "index", "random", 65536, "keep-awake"});
}

static void pages_may_lie_in_several_chunks_of_memory(void **state)
{
    struct bench *bench = *state;
    if (!(bench->session.info->caps & GPU_CAP(ADDRESSES)))
        skip();
    struct gpu_info info = *bench->session.info;
    info.limits.allocation_bytes = 4 << 20; // chunks of 2 MiB
    bench->session.info = &info;
    static const struct values pages[] = {
        {"vector", "pointer", "page", 11 << 20, "idle"},
        {"scalar", "pointer", "page", 2 << 20, "idle"},
        {"atomic", "pointer", "page", 12 << 20, "idle"},
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        check_case(bench, &pages[i]);
    formula_is_wrong = true;
    struct error err;
    void *memory = NULL;
    assert_null(visit_case(bench, &pages[0], 0, &memory, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
}

static void a_cold_cycle_is_followed_from_where_the_last_round_ended(void **state)
{
    struct bench *bench = *state;
    struct latency_session *session = bench->session.state;
    session->bench->limits.last_cache_bytes = 4096; // above four times this, chases are cold
    check_case(bench, &(struct values){"vector", "pointer", "random", 8 << 20, "idle"});
    check_case(bench, &(struct values){"vector", "index", "plru", 1 << 20, "idle"});
    check_case(bench, &(struct values){"image", "index", "random", 1 << 20, "idle"});
}

// ---------------------------------------------------------------- what does not

// If a chase begins where another one began, it finds the lines of that one in the caches.
static void no_cold_chase_begins_where_another_did(void **state)
{
    struct bench *bench = *state;
    struct latency_session *session = bench->session.state;
    session->bench->limits.last_cache_bytes = 4096;
    session->clocked = false; // then a visit has several pairs of dispatches
    struct error err;
    void *memory = NULL;
    const struct values cold = {"vector", "index", "random", 64 << 20, "idle"};
    assert_non_null(visit_case(bench, &cold, 0, &memory, &err));
    const struct latency_memory *kept = memory;
    assert_false(kept->warm);
    assert_true(kept->walked > UINT64_C(8) * LATENCY_UNROLL * kept->repeats); // hops of 4 samples
    end_count = 0;
    assert_non_null(visit_case(bench, &cold, 1, &memory, &err));
    assert_true(end_count >= 12);
    // The first of three runs has no hop. It ends where it begins: at the end of the run before it.
    for (size_t i = 2; i < end_count; i++)
        for (size_t j = 0; j + 1 < i; j++)
            assert_int_not_equal(ends[i], ends[j]);
}

static void a_wrong_formula_is_a_mismatch_on_every_path(void **state)
{
    struct bench *bench = *state;
    formula_is_wrong = true;
    for (size_t i = 0; i < sizeof every_kind / sizeof *every_kind; i++) {
        struct error err;
        void *memory = NULL;
        assert_null(visit_case(bench, &every_kind[i], 0, &memory, &err));
        if (may_be_missing(bench, &every_kind[i], &err))
            continue;
        assert_int_equal(err.code, ERROR_MISMATCH);
        assert_null(memory);
    }
    formula_is_wrong = false;
}

static void a_region_out_of_reach_is_unsupported(void **state)
{
    struct bench *bench = *state;
    static const struct values beyond[] = {
        {"vector", "pointer", "random", UINT64_C(1) << 50, "idle"},
        {"constant", "index", "random", 1 << 20, "idle"},
        {"shared", "index", "random", 1 << 20, "idle"},
        {"vector", "pointer", "random", 128, "idle"},
    };
    for (size_t i = 0; i < sizeof beyond / sizeof *beyond; i++) {
        struct error err;
        void *memory = NULL;
        assert_null(visit_case(bench, &beyond[i], 0, &memory, &err));
        assert_int_equal(err.code, ERROR_UNSUPPORTED);
    }
}

static bool no_device(void)
{
    struct gpu_system *system =
        gpu_system_create(&(struct gpu_system_desc){.only_api = device_api()});
    bool none = gpu_system_device_count(system) == 0;
    gpu_system_destroy(system);
    return none;
}

#define ON_BENCH(test) cmocka_unit_test_setup_teardown(test, open_bench, close_bench)

int main(int argc, char **argv)
{
    if (!device_api_choose(argc, argv))
        return 1;
    if (no_device())
        return 77;
    const struct CMUnitTest tests[] = {
        ON_BENCH(every_path_chain_and_order_is_measured_and_verified),
        ON_BENCH(without_a_counter_the_slope_of_time_stamps_is_taken),
        ON_BENCH(a_delay_costs_no_later_sample),
        ON_BENCH(a_narrow_counter_gets_short_windows),
        ON_BENCH(a_counter_that_wraps_at_once_is_not_believed),
        ON_BENCH(keep_awake_ends_with_the_chase),
        ON_BENCH(pages_may_lie_in_several_chunks_of_memory),
        ON_BENCH(a_cold_cycle_is_followed_from_where_the_last_round_ended),
        ON_BENCH(no_cold_chase_begins_where_another_did),
        ON_BENCH(a_wrong_formula_is_a_mismatch_on_every_path),
        ON_BENCH(a_region_out_of_reach_is_unsupported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
