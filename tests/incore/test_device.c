// SPDX-License-Identifier: MIT
// Every operation measured and verified on the device that is there, and the proof itself put to
// the test: expected results that are not what the chains come to give MISMATCH, no number.
#include "bench/incore/session.h"
#include "workbench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_incore;

static const uint64_t timeout_ns = UINT64_C(20000000000);

struct fixture {
    struct workbench bench;
    struct incore_session *own;
};

static int open_session(void **state)
{
    struct fixture *f = *state = test_calloc(1, sizeof *f);
    if (!workbench_open(&f->bench, &bench_incore))
        return -1;
    f->own = f->bench.session.state;
    return 0;
}

static int close_session(void **state)
{
    struct fixture *f = *state;
    workbench_close(&f->bench);
    test_free(f);
    return 0;
}

static bool visit(struct fixture *f, const struct bench_case *this_case, void **memory,
                  unsigned round, struct error *err)
{
    struct arena *arena = arena_create();
    const struct measure_request request = {
        .samples = 2, .sample_ns = 100000, .timeout_ns = timeout_ns, .round = round};
    struct bench_visit run = {.session = &f->bench.session,
                              .bench_case = this_case,
                              .scope = gpu_scope_open(f->bench.session.device),
                              .arena = arena,
                              .request = &request,
                              .memory = memory};
    struct measure_visit *seen = measure_visit_create(arena);
    bool done = bench_incore.visit(&run, seen, err);
    const struct measure_samples *rate = &seen->metrics[INCORE_METRIC_RATE];
    for (size_t i = 0; done && i < rate->count; i++)
        assert_true(isnan(rate->values[i]) || rate->values[i] > 0);
    gpu_scope_close(run.scope);
    arena_destroy(arena);
    return done;
}

// Some instructions are reached through PTX alone, and subgroups not through OpenCL.
static bool may_be_refused(const struct fixture *f, const struct incore_kind *kind)
{
    const struct gpu_info *info = f->bench.session.info;
    return kind->caps & ~info->caps || kind->number == INCORE_TILE ||
           (kind->caps & GPU_CAP(SUBGROUPS) && strcmp(info->api, "opencl") == 0);
}

// Measured and verified twice, or refused because the device has no such thing.
static void expect_done(struct fixture *f, const struct incore_kind *kind,
                        const struct bench_case *this_case)
{
    struct error err;
    void *memory = NULL;
    for (unsigned round = 0; round < 2; round++)
        if (!visit(f, this_case, &memory, round, &err)) {
            if (err.code != ERROR_UNSUPPORTED || !may_be_refused(f, kind))
                fail_msg("%s: %s", kind->name, err.message);
            return;
        }
    assert_int_equal(kind->caps & ~f->bench.session.info->caps, 0);
}

static void every_operation_is_what_the_host_computes(void **state)
{
    const struct fixture *f = *state;
    for (size_t i = 0; i < incore_kind_count; i++)
        for (uint64_t chains = 1; incore_kinds[i].steps && chains <= INCORE_CHAINS; chains *= 2) {
            uint64_t subgroups = chains == 2 ? 3 : 1;
            if (incore_kinds[i].operation == INCORE_BARRIER)
                subgroups = 256 / f->own->subgroup_threads;
            struct case_value values[] = {
                {.key = "scope", .type = PARAM_TEXT, .text = "core"},
                {.key = "op", .type = PARAM_TEXT, .text = incore_kinds[i].name},
                {.key = "ilp", .type = PARAM_UINT, .uint = chains},
                {.key = "subgroups", .type = PARAM_UINT, .uint = subgroups},
            };
            expect_done(*state, &incore_kinds[i], &(struct bench_case){values, 4});
        }
}

static void so_is_every_peak(void **state)
{
    for (size_t i = 0; i < incore_kind_count; i++) {
        struct case_value values[] = {
            {.key = "scope", .type = PARAM_TEXT, .text = "device"},
            {.key = "op", .type = PARAM_TEXT, .text = incore_kinds[i].name},
        };
        if (incore_kinds[i].peak)
            expect_done(*state, &incore_kinds[i], &(struct bench_case){values, 2});
    }
}

// One workgroup with so many turns, held against what `steps` steps of each chain come to.
static bool prove(struct fixture *f, const struct incore_case *this_case, uint64_t steps,
                  uint32_t flipped, struct error *err)
{
    uint32_t words[2 * INCORE_SLOTS];
    const struct incore_params params = {
        .turns = 2, .subgroup_threads = f->own->subgroup_threads, .never = 0x9e3779b9};
    struct incore_program *program = incore_program(f->own, this_case, err);
    struct gpu_scope *scope = gpu_scope_open(f->bench.session.device);
    struct gpu_batch *batch = gpu_batch_create(scope, &(struct gpu_batch_desc){0}, err);
    assert_true(program && batch);
    incore_kind_fill(this_case->kind, steps, words);
    words[2 * (INCORE_FUSED + 5)] ^= flipped;
    words[2 * (INCORE_ROUNDED + 5)] ^= flipped;
    incore_proof_record(f->own, 0, words, batch);
    incore_dispatch(f->own, batch,
                    &(struct gpu_dispatch){.program = program->program,
                                           .params = &params,
                                           .params_bytes = sizeof params},
                    0);
    incore_results_record(f->own, batch);
    assert_true(gpu_batch_end(batch, err) && gpu_batch_run(batch, timeout_ns, err));
    struct incore_proven proven;
    bool right = incore_proof_check(f->own, 0, &proven, err);
    assert_int_equal(proven.groups, 1);
    gpu_scope_close(scope);
    return right;
}

static void one_wrong_bit_or_step_is_a_mismatch(void **state)
{
    struct fixture *f = *state;
    struct error err;
    const struct incore_case this_case = {.kind = incore_kind_find("int32-mad"), .chip = true};
    uint64_t steps = 2 * this_case.kind->peak->steps / this_case.kind->peak->chains;
    assert_true(prove(f, &this_case, steps, 0, &err));
    assert_false(prove(f, &this_case, steps, 1, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    assert_false(prove(f, &this_case, steps - 1, 0, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
}

static void what_does_not_fit_is_refused(void **state)
{
    struct fixture *f = *state;
    struct error err;
    void *memory = NULL;
    struct case_value values[] = {
        {.key = "scope", .type = PARAM_TEXT, .text = "core"},
        {.key = "op", .type = PARAM_TEXT, .text = "fp32-fma"},
        {.key = "ilp", .type = PARAM_UINT, .uint = 1},
        {.key = "subgroups", .type = PARAM_UINT, .uint = 2000},
    };
    assert_false(visit(f, &(struct bench_case){values, 4}, &memory, 0, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, open_session, close_session)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(every_operation_is_what_the_host_computes),
        EACH(so_is_every_peak),
        EACH(one_wrong_bit_or_step_is_a_mismatch),
        EACH(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
