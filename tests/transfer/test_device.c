// SPDX-License-Identifier: MIT
// Every way between host and device, and between devices, measured and verified on the device that
// is there; and the proof itself put to the test: one byte that is another, or data of another
// visit, give MISMATCH and no number.
#include "bench/transfer/pattern.h"
#include "bench/transfer/session.h"
#include "workbench.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const struct benchmark bench_transfer;

enum {
    VALUES_MAX = 6
};

static const uint64_t sizes[] = {16, 1024, 65552, (9 << 20) + 48};

struct fixture {
    struct workbench bench;
    struct transfer_session *own;
};

static int open_session(void **state)
{
    struct fixture *f = *state = test_calloc(1, sizeof *f);
    if (!workbench_open(&f->bench, &bench_transfer))
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

struct way {
    const char *direction, *memory, *by, *mode, *from, *to;
    gpu_caps needed;
    bool may_be_refused; // for other reasons
};

static void add_text(struct bench_case *c, const char *key, const char *text)
{
    if (text)
        c->values[c->value_count++] =
            (struct case_value){.key = key, .type = PARAM_TEXT, .text = text};
}

static bool visit(struct fixture *f, const struct way *way, uint64_t bytes, struct error *err)
{
    struct arena *arena = arena_create();
    struct case_value values[VALUES_MAX + 1];
    struct bench_case this_case = {values, 0};
    add_text(&this_case, "direction", way->direction);
    add_text(&this_case, "memory", way->memory);
    add_text(&this_case, "by", way->by);
    add_text(&this_case, "mode", way->mode);
    add_text(&this_case, "from", way->from);
    add_text(&this_case, "to", way->to);
    values[this_case.value_count++] =
        (struct case_value){.key = "bytes", .type = PARAM_BYTES, .uint = bytes};
    const struct measure_request request = {
        .samples = 2, .sample_ns = 20000, .timeout_ns = UINT64_C(20000000000)};
    void *memory = NULL;
    struct bench_visit run = {.session = &f->bench.session,
                              .bench_case = &this_case,
                              .scope = gpu_scope_open(f->bench.session.device),
                              .arena = arena,
                              .request = &request,
                              .memory = &memory};
    struct measure_visit *seen = measure_visit_create(arena);
    bool done = bench_transfer.visit(&run, seen, err);
    for (size_t m = 0; done && m < 2; m++) {
        assert_true(seen->metrics[m].count > 0);
        for (size_t i = 0; i < seen->metrics[m].count; i++)
            assert_true(isfinite(seen->metrics[m].values[i]) && seen->metrics[m].values[i] > 0);
    }
    gpu_scope_close(run.scope);
    arena_destroy(arena);
    return done;
}

static void expect_done(struct fixture *f, const struct way *way)
{
    struct error err;
    gpu_caps missing = way->needed & ~f->bench.session.info->caps;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (visit(f, way, sizes[i], &err)) {
            assert_int_equal(missing, 0);
            continue;
        }
        if (err.code != ERROR_UNSUPPORTED || (!missing && !way->may_be_refused))
            fail_msg("%s %s %s, %llu bytes: %s", way->direction, way->memory ? way->memory : "",
                     way->by ? way->by : "", (unsigned long long)sizes[i], err.message);
        print_message("%s %s: %s\n", way->direction, way->memory ? way->memory : "", err.message);
        return;
    }
}

static void every_way_between_host_and_device_brings_every_byte(void **state)
{
    static const char *const directions[] = {"h2d", "d2h"};
    for (int d = 0; d < 2; d++) {
        const struct way ways[] = {
            {directions[d], "pinned", "copy", "row", .needed = 0},
            {directions[d], "pinned", "queue", "row", .needed = 0},
            {directions[d], "pinned", "kernel", "row", .needed = 0},
            {directions[d], "pinned", "copy", "single", .needed = 0},
            {directions[d], "pageable", "host", "row", .needed = 0},
            {directions[d], "mapped", "host", "row", .may_be_refused = true},
        };
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
            expect_done(*state, &ways[i]);
    }
}

static void both_directions_at_once_bring_every_byte(void **state)
{
    struct fixture *f = *state;
    static const char *const bys[] = {"copy", "queue"};
    for (int i = 0; i < 2; i++)
        expect_done(f, &(struct way){.direction = "both",
                                     .memory = "pinned",
                                     .by = bys[i],
                                     .mode = "row",
                                     .may_be_refused = !f->own->queues[1]});
}

static void within_the_device_every_byte_arrives(void **state)
{
    static const char *const bys[] = {"copy", "queue", "kernel"};
    for (int i = 0; i < 3; i++)
        expect_done(*state, &(struct way){.direction = "local", .by = bys[i]});
}

// The second device of the same API; NULL where this is the only one.
static const struct gpu_info *second_device(const struct fixture *f)
{
    struct gpu_system *system = f->bench.system;
    for (size_t i = 0; i < gpu_system_device_count(system); i++)
        if (gpu_system_info(system, i) != f->bench.session.info)
            return gpu_system_info(system, i);
    return NULL;
}

static void from_device_to_device_every_byte_arrives(void **state)
{
    struct fixture *f = *state;
    const struct gpu_info *own = f->bench.session.info, *second = second_device(f);
    const char *other = second ? second->id : "another";
    expect_done(f, &(struct way){.direction = "peer",
                                 .from = own->id,
                                 .to = other,
                                 .needed = GPU_CAP(PEERS),
                                 .may_be_refused = !second});
    if (second)
        expect_done(
            f, &(struct way){
                   .direction = "peer", .from = other, .to = own->id, .needed = GPU_CAP(PEERS)});
}

static void a_device_that_is_alone_is_told_so(void **state)
{
    struct fixture *f = *state;
    struct error err;
    const struct way way = {
        .direction = "peer", .from = f->bench.session.info->id, .to = "another"};
    assert_false(visit(f, &way, 1024, &err));
    assert_int_equal(err.code, ERROR_UNSUPPORTED);
    if (f->bench.session.info->caps & GPU_CAP(PEERS))
        assert_non_null(strstr(err.message, "no second device"));
}

static const struct transfer_look whole = {.sparse = false};

static void one_wrong_byte_on_the_device_is_a_mismatch(void **state)
{
    struct fixture *f = *state;
    struct transfer_station *home = &f->own->home;
    struct error err;
    unsigned char byte;
    const struct way way = {"h2d", "pageable", "host", "row", NULL, NULL, 0, false};
    uint32_t step = f->own->visits * (TRANSFER_STEP_BYTES / 4);
    assert_true(visit(f, &way, 5008, &err));
    struct gpu_buffer *target = home->ends[TRANSFER_DEVICE_TARGET].buffer;
    assert_true(transfer_station_check(home, TRANSFER_DEVICE_TARGET, 5008, step, whole, &err));
    assert_false(transfer_station_check(home, TRANSFER_DEVICE_TARGET, 5008,
                                        step + TRANSFER_STEP_BYTES / 4, whole, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    assert_true(gpu_buffer_read(target, 5007, &byte, 1, &err));
    byte ^= 0x40;
    assert_true(gpu_buffer_write(target, 5007, &byte, 1, &err));
    assert_false(transfer_station_check(home, TRANSFER_DEVICE_TARGET, 5008, step, whole, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
}

static void one_wrong_byte_on_the_host_is_a_mismatch(void **state)
{
    struct fixture *f = *state;
    struct transfer_station *home = &f->own->home;
    struct error err;
    const struct way way = {"d2h", "pinned", "copy", "row", NULL, NULL, 0, false};
    uint32_t step = f->own->visits * (TRANSFER_STEP_BYTES / 4);
    assert_true(visit(f, &way, 50000, &err));
    unsigned char *target = gpu_buffer_map(home->ends[TRANSFER_PINNED_TARGET].buffer);
    assert_true(transfer_station_check(home, TRANSFER_PINNED_TARGET, 50000, step, whole, &err));
    target[49999] ^= 1;
    assert_false(transfer_station_check(home, TRANSFER_PINNED_TARGET, 50000, step, whole, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    assert_non_null(strstr(err.message, "byte 49996"));
}

static void shifted_data_differ_in_every_word(void **state)
{
    uint32_t here[3000], there[3000];
    struct error err;
    (void)state;
    transfer_pattern_fill(here, sizeof here, 1000);
    transfer_pattern_fill(there, sizeof there, 1000 + TRANSFER_STEP_BYTES / 4);
    assert_true(transfer_pattern_check(here, sizeof here, 1000, whole, &err));
    for (int i = 0; i < 3000; i++)
        assert_int_not_equal(here[i], there[i]);
    assert_memory_equal(here + 1024, there, sizeof here - sizeof(uint32_t[1024]));
}

// Given a wrong word in a block of 4 KiB, when eighths are looked at in turn, then one of them sees
// it; what is short is looked at whole each time.
static void eight_looks_at_an_eighth_see_every_byte(void **state)
{
    const uint64_t bytes = TRANSFER_SPARSE_BYTES + 50000, wrong[] = {0, 5 * 4096 + 8, bytes - 4};
    struct error err;
    (void)state;
    uint32_t *words = test_malloc(bytes);
    transfer_pattern_fill(words, bytes, 7);
    for (int i = 0; i < 3; i++) {
        unsigned seen = 0;
        words[wrong[i] / 4] ^= 1;
        for (unsigned turn = 3; turn < 3 + TRANSFER_SPARSE; turn++) {
            const struct transfer_look look = {.sparse = true, .turn = turn};
            seen += !transfer_pattern_check(words, bytes, 7, look, &err);
        }
        assert_int_equal(seen, 1);
        assert_false(transfer_pattern_check(words, bytes, 7, whole, &err));
        words[wrong[i] / 4] ^= 1;
    }
    words[10000] ^= 1;
    assert_false(transfer_pattern_check(words, TRANSFER_SPARSE_BYTES, 7,
                                        (struct transfer_look){.sparse = true}, &err));
    test_free(words);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, open_session, close_session)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(every_way_between_host_and_device_brings_every_byte),
        EACH(both_directions_at_once_bring_every_byte),
        EACH(within_the_device_every_byte_arrives),
        EACH(from_device_to_device_every_byte_arrives),
        EACH(a_device_that_is_alone_is_told_so),
        EACH(one_wrong_byte_on_the_device_is_a_mismatch),
        EACH(one_wrong_byte_on_the_host_is_a_mismatch),
        cmocka_unit_test(shifted_data_differ_in_every_word),
        cmocka_unit_test(eight_looks_at_an_eighth_see_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
