// SPDX-License-Identifier: MIT
// Measures and verifies every way between host and device, and between devices, on the device that
// is there. Tests the verification, too: one changed byte, or data of another visit, give MISMATCH
// and no number.
#include "bench/transfer/session.h"
#include "workbench.h"

#include <inttypes.h>
#include <string.h>

extern const struct benchmark bench_transfer;

static const uint64_t sizes[] = {16, 1024, 65552, (9 << 20) + 48};

static int open_session(void **state)
{
    if (workbench_setup(state) != 0)
        return -1;
    ((struct workbench *)*state)->request.sample_ns = 20000;
    return 0;
}

static const unsigned whole = 0; // in this round, a check reads every byte

struct way {
    const char *text; // the case key without its bytes
    gpu_caps needed;
    bool may_be_refused; // for another reason than `needed`
};

static bool visit(struct workbench *bench, const char *way, uint64_t bytes)
{
    if (!workbench_visit(bench, "%s/bytes=%" PRIu64, way, bytes))
        return false;
    workbench_samples(bench, 0);
    workbench_samples(bench, 1);
    return true;
}

static void expect_done(struct workbench *bench, const struct way *way)
{
    gpu_caps missing = way->needed & ~bench->session.info->caps;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (visit(bench, way->text, sizes[i])) {
            assert_int_equal(missing, 0);
            continue;
        }
        if (bench->err.code != ERROR_UNSUPPORTED || (!missing && !way->may_be_refused))
            fail_msg("%s, %" PRIu64 " bytes: %s", way->text, sizes[i], bench->err.message);
        print_message("%s: %s\n", way->text, bench->err.message);
        return;
    }
}

static void every_way_between_host_and_device_brings_every_byte(void **state)
{
    static const struct way ways[] = {
        {.text = "direction=h2d/memory=pinned/by=copy/mode=row"},
        {.text = "direction=h2d/memory=pinned/by=queue/mode=row"},
        {.text = "direction=h2d/memory=pinned/by=kernel/mode=row"},
        {.text = "direction=h2d/memory=pinned/by=copy/mode=single"},
        {.text = "direction=h2d/memory=pageable/by=host/mode=row"},
        {.text = "direction=h2d/memory=mapped/by=host/mode=row", .may_be_refused = true},
        {.text = "direction=d2h/memory=pinned/by=copy/mode=row"},
        {.text = "direction=d2h/memory=pinned/by=queue/mode=row"},
        {.text = "direction=d2h/memory=pinned/by=kernel/mode=row"},
        {.text = "direction=d2h/memory=pinned/by=copy/mode=single"},
        {.text = "direction=d2h/memory=pageable/by=host/mode=row"},
        {.text = "direction=d2h/memory=mapped/by=host/mode=row", .may_be_refused = true},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        expect_done(*state, &ways[i]);
}

static void both_directions_at_once_bring_every_byte(void **state)
{
    const struct workbench *bench = *state;
    const struct transfer_session *own = bench->session.state;
    const struct way ways[] = {
        {"direction=both/memory=pinned/by=copy/mode=row", 0, !own->queues[1]},
        {"direction=both/memory=pinned/by=queue/mode=row", 0, !own->queues[1]},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        expect_done(*state, &ways[i]);
}

static void count_pass(void *context)
{
    ++*(unsigned *)context;
}

// Given a gate at which links of several devices wait for each other, when a case is visited, then
// it passes the gate and tells when it sampled. Only this shows whether all sampled at once.
static void links_that_are_measured_together_wait_for_each_other(void **state)
{
    static const char *const ways[] = {"direction=h2d/memory=pinned/by=copy/mode=row",
                                       "direction=d2h/memory=pinned/by=copy/mode=single",
                                       "direction=h2d/memory=pageable/by=host/mode=row"};
    struct workbench *bench = *state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        unsigned passed = 0;
        const struct measure_gate gate = {.pass = count_pass, .context = &passed};
        bench->request.gate = &gate;
        assert_true(visit(bench, ways[i], 1024));
        bench->request.gate = NULL;
        assert_int_equal(passed, 1);
        assert_true(bench->seen->began_ns > 0);
        assert_true(bench->seen->ended_ns > bench->seen->began_ns);
    }
}

static void within_the_device_every_byte_arrives(void **state)
{
    expect_done(*state, &(struct way){.text = "direction=local/by=copy"});
    expect_done(*state, &(struct way){.text = "direction=local/by=queue"});
    expect_done(*state, &(struct way){.text = "direction=local/by=kernel"});
}

// Returns another device of the same API; NULL if there is none.
static const struct gpu_info *second_device(const struct workbench *bench)
{
    struct gpu_system *system = bench->system;
    for (size_t i = 0; i < gpu_system_device_count(system); i++)
        if (gpu_system_info(system, i) != bench->session.info)
            return gpu_system_info(system, i);
    return NULL;
}

static void from_device_to_device_every_byte_arrives(void **state)
{
    struct workbench *bench = *state;
    const struct gpu_info *own = bench->session.info, *second = second_device(bench);
    const char *other = second ? second->id : "another";
    expect_done(bench, &(struct way){arena_printf(bench->session.arena,
                                                  "direction=peer/from=%s/to=%s", own->id, other),
                                     GPU_CAP(PEERS), !second});
    if (!second)
        return;
    static const char *const ways[] = {"direction=peer/from=%s/to=%s",
                                       "direction=peer/engine=target/from=%s/to=%s",
                                       "direction=peer/ways=both/from=%s/to=%s"};
    for (size_t i = 0; i < COUNT(ways); i++)
        for (int turn = 0; turn < 2; turn++)
            expect_done(bench,
                        &(struct way){arena_printf(bench->session.arena, ways[i],
                                                   turn ? own->id : other, turn ? other : own->id),
                                      GPU_CAP(PEERS), false});
    expect_done(bench, &(struct way){"direction=peer/ways=all", GPU_CAP(PEERS), false});
}

// Given devices that transferred at the same time, when one byte of a target changes afterwards,
// then the next check finds it in whichever part it lies.
static void every_part_of_a_target_is_checked(void **state)
{
    struct workbench *bench = *state;
    struct transfer_session *own = bench->session.state;
    const uint64_t bytes = 4 * TRANSFER_STEP_BYTES;
    struct error err;
    if (!second_device(bench) || !(bench->session.info->caps & GPU_CAP(PEERS)))
        skip();
    assert_true(visit(bench, "direction=peer/ways=all", bytes));
    size_t devices = gpu_system_device_count(bench->system);
    for (size_t part = 0; part + 1 < devices; part++) {
        unsigned char byte;
        struct gpu_buffer *target = own->home.ends[TRANSFER_DEVICE_TARGET].buffer;
        // Part 0 came from the device before this one, part 1 from the one before that, and so on.
        // Jobs are numbered by their source.
        uint32_t job = own->jobs - (uint32_t)(devices * (devices - 1)) +
                       (uint32_t)((devices - 1 - part) * (devices - 1) + part);
        uint32_t first = job * (TRANSFER_STEP_BYTES / 4);
        assert_true(transfer_station_check(&own->home, TRANSFER_DEVICE_TARGET, part * bytes, bytes,
                                           first, whole, &err));
        assert_true(gpu_buffer_read(target, (part + 1) * bytes - 1, &byte, 1, &err));
        byte ^= 1;
        assert_true(gpu_buffer_write(target, (part + 1) * bytes - 1, &byte, 1, &err));
        assert_false(transfer_station_check(&own->home, TRANSFER_DEVICE_TARGET, part * bytes, bytes,
                                            first, whole, &err));
        assert_int_equal(err.code, ERROR_MISMATCH);
    }
}

static void a_device_that_is_alone_is_told_so(void **state)
{
    struct workbench *bench = *state;
    workbench_refuse(bench, ERROR_UNSUPPORTED, "direction=peer/from=%s/to=another/bytes=1024",
                     bench->session.info->id);
    if (bench->session.info->caps & GPU_CAP(PEERS))
        assert_non_null(strstr(bench->err.message, "no second device"));
}

static void one_wrong_byte_on_the_device_is_a_mismatch(void **state)
{
    struct workbench *bench = *state;
    struct transfer_session *own = bench->session.state;
    struct transfer_station *home = &own->home;
    struct error err;
    unsigned char byte;
    uint32_t step = own->jobs * (TRANSFER_STEP_BYTES / 4);
    assert_true(visit(bench, "direction=h2d/memory=pageable/by=host/mode=row", 5008));
    struct gpu_buffer *target = home->ends[TRANSFER_DEVICE_TARGET].buffer;
    assert_true(transfer_station_check(home, TRANSFER_DEVICE_TARGET, 0, 5008, step, whole, &err));
    assert_false(transfer_station_check(home, TRANSFER_DEVICE_TARGET, 0, 5008,
                                        step + TRANSFER_STEP_BYTES / 4, whole, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
    assert_true(gpu_buffer_read(target, 5007, &byte, 1, &err));
    byte ^= 0x40;
    assert_true(gpu_buffer_write(target, 5007, &byte, 1, &err));
    assert_false(transfer_station_check(home, TRANSFER_DEVICE_TARGET, 0, 5008, step, whole, &err));
    assert_int_equal(err.code, ERROR_MISMATCH);
}

static void one_wrong_byte_on_the_host_is_a_mismatch(void **state)
{
    struct workbench *bench = *state;
    struct transfer_session *own = bench->session.state;
    struct transfer_station *home = &own->home;
    struct error err;
    uint32_t step = own->jobs * (TRANSFER_STEP_BYTES / 4);
    assert_true(visit(bench, "direction=d2h/memory=pinned/by=copy/mode=row", 50000));
    unsigned char *target = gpu_buffer_map(home->ends[TRANSFER_PINNED_TARGET].buffer);
    assert_true(transfer_station_check(home, TRANSFER_PINNED_TARGET, 0, 50000, step, whole, &err));
    target[49999] ^= 1;
    assert_false(transfer_station_check(home, TRANSFER_PINNED_TARGET, 0, 50000, step, whole, &err));
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

// Given a wrong word in a block of 4 KiB, when each round checks another eighth, then exactly one
// of eight rounds finds it. Short data are checked whole in each round.
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
        for (unsigned round = 3; round < 3 + TRANSFER_SPARSE; round++)
            seen += !transfer_pattern_check(words, bytes, 7, round, &err);
        assert_int_equal(seen, 1);
        assert_false(transfer_pattern_check(words, bytes, 7, whole, &err));
        words[wrong[i] / 4] ^= 1;
    }
    words[10000] ^= 1;
    assert_false(transfer_pattern_check(words, TRANSFER_SPARSE_BYTES, 7, 1, &err));
    test_free(words);
}

// Given time stamps that the clock of the session contradicts, then only the times that they gave
// are suspect.
static void times_from_time_stamps_of_a_wrong_unit_are_suspect(void **state)
{
    struct workbench *bench = *state;
    bench->session.clock.stamps_off = 0.6;
    assert_true(visit(bench, "direction=h2d/memory=pinned/by=copy/mode=row", 4096));
    assert_int_equal(bench->seen->reason_count, 1);
    assert_string_equal(bench->seen->reasons[0].code, "clocks-disagree");
    assert_true(visit(bench, "direction=h2d/memory=pinned/by=copy/mode=single", 4096));
    assert_int_equal(bench->seen->reason_count, 0);
}

#define EACH(test) WORKBENCH_TEST_SETUP(bench_transfer, test, open_session)

int main(int argc, char **argv)
{
    int status = workbench_status(argc, argv);
    if (status)
        return status;
    const struct CMUnitTest tests[] = {
        EACH(every_way_between_host_and_device_brings_every_byte),
        EACH(both_directions_at_once_bring_every_byte),
        EACH(links_that_are_measured_together_wait_for_each_other),
        EACH(within_the_device_every_byte_arrives),
        EACH(from_device_to_device_every_byte_arrives),
        EACH(every_part_of_a_target_is_checked),
        EACH(a_device_that_is_alone_is_told_so),
        EACH(one_wrong_byte_on_the_device_is_a_mismatch),
        EACH(one_wrong_byte_on_the_host_is_a_mismatch),
        EACH(times_from_time_stamps_of_a_wrong_unit_are_suspect),
        cmocka_unit_test(shifted_data_differ_in_every_word),
        cmocka_unit_test(eight_looks_at_an_eighth_see_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
