// SPDX-License-Identifier: MIT
// Measures and verifies every case of `loads` on the device that is there. Tests the verification,
// too: wrong data give MISMATCH and no number.
#include "bench/loads/session.h"
#include "workbench.h"

#include <string.h>

extern const struct benchmark bench_loads;

enum {
    RATE = 0,
    METRICS = 7
};

static int open_session(void **state)
{
    if (workbench_setup(state) != 0)
        return -1;
    struct workbench *bench = *state;
    bench->request.samples = 1;
    bench->request.sample_ns = 20000;
    if (bench->session.info->kind == GPU_KIND_CPU)
        ((struct loads_session *)bench->session.state)->groups = 2;
    return 0;
}

static bool visit(struct workbench *bench, const char *load, const char *pattern,
                  const char *fidelity)
{
    if (!workbench_visit(bench, "load=%s/pattern=%s/fidelity=%s", load, pattern, fidelity))
        return false;
    workbench_samples(bench, RATE);
    for (unsigned metric = 0; metric < METRICS; metric++)
        if (bench->seen->metrics[metric].count > 0)
            workbench_samples(bench, metric);
    assert_non_null(bench->seen->kernel.hash);
    return true;
}

// Given a thousand times as many workgroups as the software GPU gets, as on a device that takes
// seconds for a dispatch, then each run of the case stays short and verifies.
static void a_dispatch_too_long_is_cut(void **state)
{
    struct workbench *bench = *state;
    struct loads_session *own = bench->session.state;
    if (bench->session.info->kind != GPU_KIND_CPU)
        skip();
    own->groups = 8192;
    struct loads_size size = {0};
    struct arena *arena = arena_create();
    const struct loads_case this_case = {.kind =
                                             loads_kind_find("ByteAddressBuffer.Load4 unaligned"),
                                         .pattern = LOADS_LINEAR,
                                         .peak = true};
    const struct measure_request request = {
        .samples = 1, .sample_ns = 20000, .timeout_ns = UINT64_C(600000000000), .round = 1};
    struct bench_visit visit = {.session = &bench->session,
                                .scope = gpu_scope_open(bench->session.device),
                                .arena = arena,
                                .request = &request};
    struct loads_run run = {.this_case = &this_case, .request = &request, .size = &size};
    struct error err;
    if (!loads_run(&visit, &run, &err))
        fail_msg("%s", err.message);
    assert_in_range(run.work.groups, 1, own->groups / 2);
    assert_true(run.span.unit_ns[0] * run.work.groups < 500e6); // watchdogs allow at least this
    gpu_scope_close(visit.scope);
    arena_destroy(arena);
}

// Given a driver that reports 16 million cores, when a kernel is to write, then its buffer stays
// small.
static void a_driver_that_lies_about_cores_gets_a_small_buffer(void **state)
{
    struct workbench *bench = *state;
    struct loads_session *own = bench->session.state;
    const struct loads_case this_case = {.kind =
                                             loads_kind_find("RWStructuredBuffer<float4> store"),
                                         .pattern = LOADS_LINEAR,
                                         .peak = true};
    struct loads_work work = {.session = own, .groups = 1 << 24};
    struct gpu_scope *scope = gpu_scope_open(bench->session.device);
    struct error err;
    own->cores = 1 << 24;
    if (!loads_target_make(&work, scope, &this_case, &err))
        fail_msg("%s", err.message);
    assert_in_range(gpu_buffer_bytes(work.source.buffer), 1, 64 << 20);
    gpu_scope_close(scope);
}

static void measure_all(struct workbench *bench, const char *fidelity)
{
    static const char *const patterns[] = {"uniform", "linear", "random", "scattered"};
    for (size_t i = 0; i < loads_kind_count; i++)
        for (int p = 0; p < 4; p++) {
            if (p == 3 && loads_kinds[i].source == LOADS_FROM_STRETCHED)
                continue; // not planned
            if (!visit(bench, loads_kinds[i].label, patterns[p], fidelity) &&
                bench->err.code != ERROR_UNSUPPORTED)
                fail_msg("%s %s: %s", loads_kinds[i].label, patterns[p], bench->err.message);
        }
}

static void every_case_finds_its_data(void **state)
{
    measure_all(*state, "peak");
}

static void every_case_finds_its_data_in_the_published_loop(void **state)
{
    measure_all(*state, "original");
}

static void lavapipe_skips_nothing(void **state)
{
    struct workbench *bench = *state;
    if (!strstr(bench->session.info->name, "llvmpipe"))
        skip();
    for (size_t i = 0; i < loads_kind_count; i++) {
        bool uniform = loads_traits_of(&loads_kinds[i])->uniform;
        if (!visit(bench, loads_kinds[i].label, uniform ? "uniform" : "linear", "peak"))
            fail_msg("%s: %s", loads_kinds[i].label, bench->err.message);
    }
}

// The last float that a linear pattern reaches changes by the smallest step of the format.
static void one_wrong_word_is_a_mismatch(void **state)
{
    struct workbench *bench = *state;
    struct loads_session *own = bench->session.state;
    static const char *const loads[] = {"StructuredBuffer<float>.Load",
                                        "StructuredBuffer<float4>.Load", "cbuffer{float4} load",
                                        "ByteAddressBuffer.Load4 unaligned"};
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        struct error err;
        const struct loads_kind *kind = loads_kind_find(loads[i]);
        if (!visit(bench, loads[i], "linear", "peak")) {
            assert_int_equal(bench->err.code, ERROR_UNSUPPORTED);
            continue;
        }
        struct gpu_buffer *buffer = own->sources[kind - loads_kinds].buffer;
        uint64_t last = 4 * (uint64_t)(510 * kind->width + kind->width - 1) + kind->start_bytes;
        float value;
        assert_true(gpu_buffer_read(buffer, last, &value, sizeof value, &err));
        float wrong = value + 1.0f / 64;
        assert_true(gpu_buffer_write(buffer, last, &wrong, sizeof wrong, &err));
        assert_false(visit(bench, loads[i], "linear", "peak"));
        assert_int_equal(bench->err.code, ERROR_MISMATCH);
        assert_true(gpu_buffer_write(buffer, last, &value, sizeof value, &err));
        assert_true(visit(bench, loads[i], "linear", "peak"));
    }
}

static bool run_write(struct workbench *bench, const char *load, struct loads_work *work,
                      struct gpu_scope *scope, struct error *err)
{
    const struct loads_case this_case = {
        .kind = loads_kind_find(load), .pattern = LOADS_RANDOM, .peak = true};
    const struct loads_session *own = bench->session.state;
    struct bench_visit place = {.session = &bench->session, .scope = scope};
    if (!loads_work_make(&place, &this_case, false, own->groups, work, err))
        return false;
    struct gpu_batch *batch = gpu_batch_create(scope, &(struct gpu_batch_desc){0}, err);
    loads_work_record(work, batch, 2);
    return gpu_batch_end(batch, err) && gpu_batch_run(batch, UINT64_C(600000000000), err);
}

// One written value changes by one, as if an addition or a store were missing.
static void a_write_that_is_missing_is_a_mismatch(void **state)
{
    struct workbench *bench = *state;
    static const char *const loads[] = {"RWStructuredBuffer<float4> store",
                                        "RWStructuredBuffer<uint> atomic add"};
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        struct error err;
        struct loads_work work;
        struct gpu_scope *scope = gpu_scope_open(bench->session.device);
        if (!run_write(bench, loads[i], &work, scope, &err)) {
            assert_int_equal(err.code, ERROR_UNSUPPORTED);
            gpu_scope_close(scope);
            continue;
        }
        const struct measure_ran two = {.units = 2}, three = {.units = 3};
        assert_false(loads_work_verify(&work, &three, &err)); // one dispatch is missing
        assert_int_equal(err.code, ERROR_MISMATCH);
        assert_true(loads_work_verify(&work, &two, &err));
        uint32_t word;
        const uint64_t last = 4 * (uint64_t)(work.target.kind->width * 270);
        assert_true(gpu_buffer_read(work.source.buffer, last, &word, sizeof word, &err));
        word--;
        assert_true(gpu_buffer_write(work.source.buffer, last, &word, sizeof word, &err));
        assert_false(loads_work_verify(&work, &two, &err));
        assert_int_equal(err.code, ERROR_MISMATCH);
        gpu_scope_close(scope);
    }
}

static void a_texture_of_other_data_is_a_mismatch(void **state)
{
    struct workbench *bench = *state;
    struct loads_session *own = bench->session.state;
    static const char *const loads[] = {"Texture2D<RGBA8>.Load", "Texture2D<R8>.Sample(nearest)",
                                        "Texture2D<RGBA16F>.Sample(bilinear)"};
    for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        struct error err;
        const struct loads_kind *kind = loads_kind_find(loads[i]);
        if (!visit(bench, loads[i], "random", "peak")) {
            assert_int_equal(bench->err.code, ERROR_UNSUPPORTED);
            continue;
        }
        size_t bytes;
        unsigned char *texels = loads_encode(bench->session.arena, kind, &bytes);
        size_t texel = (size_t)loads_bytes(kind);
        memmove(texels, texels + texel, bytes - texel); // shifted by one
        struct gpu_image *image = own->sources[kind - loads_kinds].image;
        assert_true(gpu_image_write(image, 0, 0, texels, bytes, &err));
        assert_false(visit(bench, loads[i], "random", "peak"));
        assert_int_equal(bench->err.code, ERROR_MISMATCH);
    }
}

#define EACH(test) WORKBENCH_TEST_SETUP(bench_loads, test, open_session)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(a_dispatch_too_long_is_cut),
        EACH(a_driver_that_lies_about_cores_gets_a_small_buffer),
        EACH(every_case_finds_its_data),
        EACH(every_case_finds_its_data_in_the_published_loop),
        EACH(lavapipe_skips_nothing),
        EACH(one_wrong_word_is_a_mismatch),
        EACH(a_write_that_is_missing_is_a_mismatch),
        EACH(a_texture_of_other_data_is_a_mismatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
