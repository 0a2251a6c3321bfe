// SPDX-License-Identifier: MIT
// Measures and verifies every operation on the device that is there. Tests the verification, too:
// wrong expected results give MISMATCH and no number.
#include "bench/incore/session.h"
#include "workbench.h"

#include <math.h>
#include <string.h>

extern const struct benchmark bench_incore;

// Some instructions are reached through PTX alone, and subgroups not through OpenCL.
static bool may_be_refused(const struct workbench *bench, const struct incore_kind *kind)
{
    const struct gpu_info *info = bench->session.info;
    return kind->caps & ~info->caps || kind->number == INCORE_TILE ||
           (kind->caps & GPU_CAP(SUBGROUPS) && strcmp(info->api, "opencl") == 0);
}

static const struct incore_kind *kind_of(const char *name)
{
    for (size_t i = 0; i < incore_kind_count; i++)
        if (strcmp(incore_kinds[i].name, name) == 0)
            return &incore_kinds[i];
    fail_msg("no operation %s", name);
    return NULL;
}

// Visits the case twice. Each visit is verified, or refused because the device lacks a feature.
static void expect_done(struct workbench *bench, const struct incore_kind *kind, const char *wanted)
{
    for (unsigned round = 0; round < 2; round++) {
        if (!workbench_visit(bench, "%s", wanted)) {
            if (bench->err.code != ERROR_UNSUPPORTED || !may_be_refused(bench, kind))
                fail_msg("%s: %s", wanted, bench->err.message);
            return;
        }
        const struct measure_samples *rate = &bench->seen->metrics[INCORE_METRIC_RATE];
        for (size_t i = 0; i < rate->count; i++)
            assert_true(isnan(rate->values[i]) || rate->values[i] > 0);
    }
    assert_int_equal(kind->caps & ~bench->session.info->caps, 0);
}

static void every_operation_is_what_the_host_computes(void **state)
{
    struct workbench *bench = *state;
    const struct incore_session *own = bench->session.state;
    for (size_t i = 0; i < incore_kind_count; i++)
        for (unsigned chains = 1; incore_kinds[i].steps && chains <= INCORE_CHAINS; chains *= 2) {
            unsigned subgroups = chains == 2 ? 3 : 1;
            if (incore_kinds[i].operation ==
                INCORE_BARRIER) { // 256 threads, or 32 if a subgroup is one thread
                subgroups = own->subgroup_threads > 1 ? 256 / own->subgroup_threads : 32;
                if (chains > 1) // a barrier has no chains to interleave
                    break;
            }
            expect_done(bench, &incore_kinds[i],
                        arena_printf(bench->session.arena, "scope=core/op=%s/ilp=%u/subgroups=%u",
                                     incore_kinds[i].name, chains, subgroups));
        }
}

// Kernels with numbers of chains that are not powers of two: a type of each size, exact and
// inexact.
static void so_is_every_number_of_chains(void **state)
{
    struct workbench *bench = *state;
    static const char *const names[] = {"fp32-fma", "fp64-div", "fp16x2-fma", "int32-add"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (unsigned chains = 3; chains < INCORE_CHAINS; chains += chains == 3 ? 2 : 1)
            expect_done(bench, kind_of(names[i]),
                        arena_printf(bench->session.arena, "scope=core/op=%s/ilp=%u/subgroups=1",
                                     names[i], chains));
    workbench_refuse(bench, ERROR_UNSUPPORTED, "scope=core/op=fp32-sin/ilp=3/subgroups=1");
}

static void so_is_every_peak(void **state)
{
    struct workbench *bench = *state;
    for (size_t i = 0; i < incore_kind_count; i++)
        if (incore_kinds[i].peak)
            expect_done(
                bench, &incore_kinds[i],
                arena_printf(bench->session.arena, "scope=device/op=%s", incore_kinds[i].name));
}

// Runs one workgroup for two iterations and compares its results with `steps` steps of each chain.
static bool prove(struct workbench *bench, const struct incore_case *this_case, uint64_t steps,
                  uint32_t flipped, struct error *err)
{
    struct incore_session *own = bench->session.state;
    uint32_t words[2 * INCORE_SLOTS];
    const struct incore_params params = {
        .turns = 2, .subgroup_threads = own->subgroup_threads, .never = 0x9e3779b9};
    struct gpu_program *program = incore_program(own, this_case, err);
    struct gpu_scope *scope = gpu_scope_open(bench->session.device);
    struct gpu_batch *batch = gpu_batch_create(scope, &(struct gpu_batch_desc){0}, err);
    assert_true(program && batch);
    incore_kind_fill(this_case->kind, steps, words);
    words[2 * (INCORE_FUSED + 5)] ^= flipped;
    words[2 * (INCORE_ROUNDED + 5)] ^= flipped;
    incore_proof_record(own, 0, words, batch);
    incore_dispatch(own, batch,
                    &(struct gpu_dispatch){
                        .program = program, .params = &params, .params_bytes = sizeof params},
                    0);
    incore_results_record(own, batch);
    assert_true(gpu_batch_end(batch, err) && gpu_batch_run(batch, bench->request.timeout_ns, err));
    struct incore_proven proven;
    bool right = incore_proof_check(own, 0, &proven, err);
    assert_int_equal(proven.groups, 1);
    gpu_scope_close(scope);
    return right;
}

static void one_wrong_bit_or_step_is_a_mismatch(void **state)
{
    struct workbench *bench = *state;
    struct error err;
    const struct incore_case this_case = {.kind = kind_of("int32-mad"), .chip = true};
    uint64_t steps = 2 * this_case.kind->peak->steps / this_case.kind->peak->chains;
    assert_true(prove(bench, &this_case, steps, 0, &err));
    assert_false(prove(bench, &this_case, steps, 1, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    assert_false(prove(bench, &this_case, steps - 1, 0, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
}

// Offset in bytes, in all proofs, of the expected result of chain 0 after 2 N iterations.
#define SECOND_PROOF_RESULT(slot) (INCORE_PROOF_STRIDE + 4 * INCORE_HEAD + 8 * (slot))

// Stands for reading hardware counters, which these devices need not have: counts nothing, but runs
// the work in two passes. In odd rounds, the expected results of 2 N iterations are wrong.
bool __wrap_measure_count_run(struct measure_count *count, const struct measure_count_desc *desc,
                              struct error *err);
bool __wrap_measure_count_run(struct measure_count *count, const struct measure_count_desc *desc,
                              struct error *err)
{
    struct workbench *bench = (struct workbench *)count;
    const struct incore_session *own = bench->session.state;
    uint32_t exponent = bench->request.round % 2 << 30;
    workbench_flip(own->proofs, SECOND_PROOF_RESULT(INCORE_FUSED), exponent);
    workbench_flip(own->proofs, SECOND_PROOF_RESULT(INCORE_ROUNDED), exponent);
    for (int pass = 0; pass < 2; pass++)
        if (!gpu_batch_run(desc->once, desc->timeout_ns, err) ||
            !gpu_batch_run(desc->twice, desc->timeout_ns, err))
            return false;
    return true;
}

void __wrap_measure_count_report(const struct measure_count *count,
                                 const struct measure_count_claims *claims,
                                 struct measure_visit *visit);
void __wrap_measure_count_report(const struct measure_count *count,
                                 const struct measure_count_claims *claims,
                                 struct measure_visit *visit)
{
    (void)count, (void)claims, (void)visit;
}

// Given a case whose work hardware counters count, when they count, then the dispatches of N and of
// 2 N iterations compute what the host computes. When one of them does not, the case fails.
static void counted_work_is_what_the_host_computes(void **state)
{
    struct workbench *bench = *state;
    static const char *const wanted = "scope=core/op=fp32-exp2/ilp=1/subgroups=1";
    bench->request.count = (struct measure_count *)bench;
    if (!workbench_visit(bench, "%s", wanted))
        fail_msg("%s", bench->err.message);
    workbench_refuse(bench, ERROR_MISMATCH, "%s", wanted);
}

static void what_does_not_fit_is_refused(void **state)
{
    struct workbench *bench = *state;
    workbench_refuse(bench, ERROR_UNSUPPORTED, "scope=core/op=barrier/ilp=1/subgroups=3");
    struct bench_case wide = workbench_case(bench, "scope=core/op=fp32-fma/ilp=1/subgroups=32");
    wide.values[3].uint = 2000; // more subgroups than a user may choose
    assert_false(workbench_visit_case(bench, &wide));
    assert_int_equal(bench->err.code, ERROR_UNSUPPORTED);
}

// Given a device on which two cores run a workgroup together (RDNA), then `per_core` is the share
// of one of them. A single subgroup is on one core. If it is not known how many cores there are,
// then there is no such number. Here, the counter of a CPU stands for that of a core.
static void results_per_core_are_those_of_one_core(void **state)
{
    struct workbench *bench = *state;
    const struct incore_session *own = bench->session.state;
    struct bench_session *session = &bench->session;
    if (!own->clocked)
        skip();
    session->clock.counts_core_clock = true;
    for (unsigned cores = 0; cores <= 2; cores++)
        for (unsigned subgroups = 1; subgroups <= 4; subgroups += 3) {
            session->limits.group_cores = cores;
            assert_true(
                workbench_visit(bench, "scope=core/op=fp32-fma/ilp=1/subgroups=%u", subgroups));
            const struct measure_samples *cycles = workbench_samples(bench, INCORE_METRIC_CYCLES);
            const struct measure_samples *each = &bench->seen->metrics[INCORE_METRIC_PER_CORE];
            unsigned busy = subgroups == 1 ? 1 : cores;
            assert_int_equal(each->count, busy ? cycles->count : 0);
            for (size_t i = 0; i < each->count; i++)
                assert_true(
                    fabs(each->values[i] * cycles->values[i] * busy / own->subgroup_threads - 1) <
                    1e-9);
        }
}

static void a_visit_of_no_samples_takes_one(void **state)
{
    struct workbench *bench = *state;
    bench->request.samples = 0;
    assert_true(workbench_visit(bench, "scope=core/op=int32-mad/ilp=1/subgroups=1"));
    assert_int_equal(workbench_samples(bench, INCORE_METRIC_RATE)->count, 1);
}

// Expects that the last visit timed so many iterations, of 64 divisions each.
static void expect_iterations(const struct workbench *bench, unsigned iterations)
{
    const char *shape = "", *wanted = arena_printf(bench->session.arena, ", %u operations each",
                                                   64 * iterations);
    for (size_t i = 0; i < bench->seen->detail_count; i++)
        if (strcmp(bench->seen->details[i].name, "shape") == 0)
            shape = bench->seen->details[i].text;
    if (!strstr(shape, wanted))
        fail_msg("%s: expected%s", shape, wanted);
}

// If `is_scripted`, 2 N iterations take 1 ns longer than N in the first trial, and 1 s in all
// others.
static struct {
    bool is_scripted;
    unsigned trials;
} times;

bool __real_gpu_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns,
                              struct error *err);
bool __wrap_gpu_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns,
                              struct error *err);
bool __wrap_gpu_batch_span_ns(struct gpu_batch *batch, unsigned span, double *ns, struct error *err)
{
    bool known = __real_gpu_batch_span_ns(batch, span, ns, err);
    if (!times.is_scripted)
        return known;
    bool is_longer = span % 2 == 1;
    *ns = 5000 + (!is_longer ? 0 : times.trials == 0 ? 1 : 1e9);
    times.trials += is_longer;
    return known;
}

// Given a device without clocks in kernels, when the first trial seems to take almost no time, then
// the next one has 16 times as many iterations, and no more.
static void a_trial_that_was_brief_by_chance_makes_no_long_samples(void **state)
{
    struct workbench *bench = *state;
    struct incore_session *own = bench->session.state;
    own->clocked = false;
    times.is_scripted = true;
    bool done = workbench_visit(bench, "scope=core/op=fp32-div/ilp=1/subgroups=1");
    times.is_scripted = false;
    assert_true(done);
    expect_iterations(bench, 16 * 4);
}

static const struct workbench *stalled; // device whose counter hardly advances; NULL: none

// Device on which subgroup 1 reads another counter, which is `ahead` counts ahead; NULL: none.
static const struct workbench *apart;
static uint32_t ahead;

static void move_second_subgroup(char *stamps)
{
    for (unsigned i = 0; i < INCORE_SAMPLES_MAX; i++) {
        uint32_t(*stamp)[2] = (void *)(stamps + (size_t)8 * INCORE_STAMPS * i);
        stamp[1][0] = stamp[0][0] + ahead;
        stamp[1][1] = stamp[0][1] + ahead;
    }
}

bool __real_gpu_batch_run(struct gpu_batch *batch, uint64_t timeout_ns, struct error *err);
bool __wrap_gpu_batch_run(struct gpu_batch *batch, uint64_t timeout_ns, struct error *err);
bool __wrap_gpu_batch_run(struct gpu_batch *batch, uint64_t timeout_ns, struct error *err)
{
    bool done = __real_gpu_batch_run(batch, timeout_ns, err);
    if (apart) {
        const struct incore_session *seen = apart->session.state;
        move_second_subgroup((char *)gpu_buffer_map(seen->readback) + INCORE_STAMPS_OFFSET);
    }
    if (!stalled)
        return done;
    const struct incore_session *own = stalled->session.state;
    char *stamps = (char *)gpu_buffer_map(own->readback) + INCORE_STAMPS_OFFSET;
    const uint32_t ticks = (uint32_t)(50e6 / stalled->session.clock.device_tick_ns);
    for (unsigned i = 0; i < INCORE_SAMPLES_MAX; i++) {
        uint32_t(*stamp)[2] = (void *)(stamps + (size_t)8 * INCORE_STAMPS * i);
        stamp[0][1] = stamp[0][0] + 1;
        stamp[INCORE_STAMP_COUNTS][1] = stamp[INCORE_STAMP_COUNTS][0] + 1;
        memset(stamp[INCORE_STAMP_BEGIN], 0, sizeof stamp[0]);
        memcpy(stamp[INCORE_STAMP_END], (const uint32_t[2]){ticks, 0}, sizeof stamp[0]);
    }
    return done;
}

// Given a core's counter that advances by 1 in the 50 ms of a trial, then samples last 0.1 s, and
// not as long as the counter would need.
static void a_counter_that_hardly_advances_makes_no_long_samples(void **state)
{
    struct workbench *bench = *state;
    const struct incore_session *own = bench->session.state;
    if (!own->clocked)
        skip();
    stalled = bench;
    bool done = workbench_visit(bench, "scope=core/op=fp32-div/ilp=1/subgroups=1");
    stalled = NULL;
    assert_true(done);
    expect_iterations(bench, 2 * 4);
}

static bool is_flagged(const struct workbench *bench, const char *code)
{
    for (size_t i = 0; i < bench->seen->reason_count; i++)
        if (strcmp(bench->seen->reasons[i].code, code) == 0)
            return true;
    return false;
}

// Given two subgroups on the two cores of an RDNA workgroup processor, when the cores' counters are
// far apart, then the case is suspect: its time contains their difference. If they are equal, or if
// one core runs the workgroup, the case is not suspect for that reason.
static void counters_of_two_cores_that_differ_are_noticed(void **state)
{
    struct workbench *bench = *state;
    const struct incore_session *own = bench->session.state;
    static const char *const wanted = "scope=core/op=int32-add/ilp=1/subgroups=2";
    if (!own->clocked)
        skip();
    for (unsigned cores = 0; cores <= 2; cores++)
        for (int differ = 0; differ <= 1; differ++) {
            bench->session.limits.group_cores = cores;
            ahead = differ ? 1u << 28 : 0;
            apart = bench;
            bool done = workbench_visit(bench, "%s", wanted);
            apart = NULL;
            if (!done)
                fail_msg("%s", bench->err.message);
            assert_int_equal(is_flagged(bench, "clocks-disagree"), cores != 1 && differ);
        }
}

// Given a device with small workgroups, then it runs the kernels that are small enough, and no
// other.
static void workgroups_are_as_large_as_the_kernel_needs(void **state)
{
    struct workbench *bench = *state;
    struct incore_session *own = bench->session.state;
    const struct gpu_info *all = bench->session.info;
    struct gpu_info small = *all;
    struct error err;
    small.limits.workgroup_threads = 256;
    bench->session.info = bench->session.device->info = &small;
    const struct incore_case barrier = {
        .kind = kind_of("barrier"), .chains = 1, .subgroups = 256 / own->subgroup_threads};
    const struct incore_case fma = {.kind = kind_of("fp32-fma"), .chains = 1, .subgroups = 1};
    assert_non_null(incore_program(own, &barrier, &err));
    assert_null(incore_program(own, &fma, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "workgroup of 1024 threads"));
    bench->session.info = bench->session.device->info = all;
}

static struct {
    bool is_seen;     // true: programs are not made; their description is kept in `threads`
    uint32_t threads; // the size of subgroups that was asked for; 0: none
} asked;

struct gpu_program *__real_gpu_program_create(struct gpu_scope *scope,
                                              const struct gpu_program_desc *desc,
                                              struct error *err);
struct gpu_program *__wrap_gpu_program_create(struct gpu_scope *scope,
                                              const struct gpu_program_desc *desc,
                                              struct error *err);
struct gpu_program *__wrap_gpu_program_create(struct gpu_scope *scope,
                                              const struct gpu_program_desc *desc,
                                              struct error *err)
{
    if (!asked.is_seen)
        return __real_gpu_program_create(scope, desc, err);
    asked.threads = desc->subgroup_threads;
    error_set(err, ERROR_UNSUPPORTED, "not made");
    return NULL;
}

// Given a device with subgroups of 8 to 32 threads (Intel), when a case runs on one core, then the
// size that it assumes is asked for. A case on the whole chip assumes none. If the size cannot be
// chosen, then the case on one core is refused.
static void the_size_of_subgroups_that_is_assumed_is_asked_for(void **state)
{
    struct workbench *bench = *state;
    struct incore_session *own = bench->session.state;
    const struct gpu_info *all = bench->session.info;
    const uint32_t threads = own->subgroup_threads;
    const struct incore_case core = {.kind = kind_of("fp32-mul"), .chains = 1, .subgroups = 1},
                             chip = {.kind = kind_of("int32-mad"), .chip = true};
    struct gpu_info varying = *all;
    struct error err;
    varying.limits.subgroup_threads_min = 8;
    varying.limits.subgroup_threads = varying.limits.subgroup_threads_max = 32;
    varying.caps |= GPU_CAP(SUBGROUP_CHOICE) | GPU_CAP(CORE_CLOCK) | GPU_CAP(DEVICE_CLOCK);
    bench->session.info = bench->session.device->info = &varying;
    own->subgroup_threads = 32;
    asked.is_seen = true;
    assert_null(incore_program(own, &core, &err));
    assert_string_equal(err.message, "not made");
    assert_int_equal(asked.threads, 32);
    assert_null(incore_program(own, &chip, &err));
    assert_int_equal(asked.threads, 0);
    varying.caps &= ~GPU_CAP(SUBGROUP_CHOICE);
    assert_null(incore_program(own, &core, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "subgroups of 8 to 32 threads"));
    asked.is_seen = false;
    own->subgroup_threads = threads;
    bench->session.info = bench->session.device->info = all;
}

#define EACH(test) WORKBENCH_TEST(bench_incore, test)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(every_operation_is_what_the_host_computes),
        EACH(so_is_every_number_of_chains),
        EACH(so_is_every_peak),
        EACH(one_wrong_bit_or_step_is_a_mismatch),
        EACH(counted_work_is_what_the_host_computes),
        EACH(what_does_not_fit_is_refused),
        EACH(results_per_core_are_those_of_one_core),
        EACH(a_visit_of_no_samples_takes_one),
        EACH(a_trial_that_was_brief_by_chance_makes_no_long_samples),
        EACH(a_counter_that_hardly_advances_makes_no_long_samples),
        EACH(counters_of_two_cores_that_differ_are_noticed),
        EACH(workgroups_are_as_large_as_the_kernel_needs),
        EACH(the_size_of_subgroups_that_is_assumed_is_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
